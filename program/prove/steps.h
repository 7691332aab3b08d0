// program/prove/steps.h: all steps of a path, on threads.
#ifndef CLI_PROVE_STEPS_H
#define CLI_PROVE_STEPS_H

#include "program/prove/claims.h"
#include "program/prove/outcome.h"
#include "program/prove/path.h"

/// Two bodies, or one twice.
typedef struct provePair
{
	int a, b;
	bool atRest;    ///< that is when those are left out that meet, not at the first time
	snugPair* left; ///< pairs of triangles that do not count, sorted
	size_t leftCount;
} provePair;

typedef struct proveSteps
{
	const provePath* path;
	const provePair* pairs;
	size_t pairCount;
	double resolve; ///< seconds: no interval that is not known is longer, but for what no step can tell
	int threads;
	const char* folder; ///< where finished steps are kept
	const char* digest; ///< of what they are steps of
} proveSteps;

/// Do all steps that are not in the folder yet: each becomes a file there. Prints what is wrong.
/// @return false if something went wrong
bool proveSteps_Run(const proveSteps* steps);

/// Add the claims of a step that is in the folder to a text, and what they come to to the outcomes of pairs.
/// @param outcomes nullable (pairCount)
/// @return false if it is not there, not whole, or a step of something else: text and outcomes are of no use then
bool proveSteps_Read(const proveSteps* steps, size_t step, proveText* text, proveOutcome* outcomes);

/// Remove the files of all steps.
void proveSteps_Remove(const proveSteps* steps);

/// Leave out what certainly meets at the first time, if it is asked for, or of one body at rest. Prints what is
/// wrong.
bool proveSteps_LeaveOut(const provePath* path, provePair* pairs, size_t pairCount, bool newOnly);

#endif
