// program/prove/outcome.h: what claims come to: when two bodies are free, meet, or nothing is known.
#ifndef CLI_PROVE_OUTCOME_H
#define CLI_PROVE_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum proveVerdict
{
	prove_free,
	prove_meets,
	prove_unknown,
} proveVerdict;

typedef struct provePart
{
	double start, end; ///< seconds
	proveVerdict verdict;
} provePart;

/// Of two bodies, or one and itself. Zero-initialise; free `parts`.
typedef struct proveOutcome
{
	provePart* parts;
	size_t count, capacity;
	bool failed; ///< there was no memory
} proveOutcome;

/// What claims are about.
typedef struct proveBlock
{
	size_t step, pair;
	uint32_t a, b; ///< triangles
	bool isSelf;   ///< of one body among themselves: a
	double start, end;
} proveBlock;

/// Read "step S P" and the line of claims that follows, in any order of steps.
/// @param outcome nullable; receives parts that meet, and those that are unknown
/// @return how many bytes that was, or 0 if it is not a tree of claims about this block
size_t proveOutcome_Read(proveOutcome* outcome, const char* text, size_t length, const proveBlock* block);

/// All was read: parts become what follows each other from one time to another, neighbours with different verdicts.
/// @return false if there is no memory
bool proveOutcome_Finish(proveOutcome* outcome, double start, double end);

/// Print the line before a step's claims in its file: what they are about, and the hash of them.
/// @param digest of the statement, 64 digits
/// @return its length
size_t proveOutcome_PrintHead(size_t step, const char* digest, const char* claims, size_t length, char head[256]);

/// @return where claims begin in a step's file, or 0 if it is not whole, or of something else
size_t proveOutcome_FindClaims(const char* file, size_t length, size_t step, const char* digest);

#endif
