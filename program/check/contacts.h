// program/check/contacts.h: all pairs of intersecting triangles of a scene at one time.
#ifndef CLI_CONTACTS_H
#define CLI_CONTACTS_H

#include "program/check/near.h"

/// A pair with the bodies that it is of, the lower number first; the same one twice if it meets itself.
typedef struct cliPair
{
	int bodies[2];
	snugPair pair;
	double depth; ///< of its curve; zero if that is open, or was not asked for
} cliPair;

/// The order of pairs: by bodies, then by triangles.
int cliPair_Compare(const void* first, const void* second);

/// What to look for.
typedef struct cliContactOptions
{
	bool within;         ///< also between bodies of one file
	bool first;          ///< stop at the first pair
	bool brute;          ///< compare every triangle with every other
	bool self;           ///< also bodies with themselves
	bool keepRest;       ///< of those, also what meets at rest
	bool distances;      ///< also how far bodies are apart
	bool curves;         ///< also the curves along which they meet
	bool inside;         ///< also vertices that are inside bodies
	const bool* isOpen;  ///< then: per body, whether it has open edges, so that nothing of others is inside it
	bool between;        ///< also bodies that meet between frames only
	double stray;        ///< then: halve the way between frames until poses half-way are no farther than this from the
	                     ///< straight way; zero: do not
	double margin;       ///< pairs that are no farther apart than this, instead of those that meet
	double restDistance; ///< then: of one body, those that are farther apart than this at rest
} cliContactOptions;

/// What a frame found. Zero-initialise; may be used for many frames; free with cliContacts_Free.
typedef struct cliContacts
{
	cliPair* pairs; ///< sorted by the bodies, then by the triangles
	uint64_t count;
	size_t capacity;
	cliNear near; ///< what else was asked for
	snugCounters counters;
	double microseconds; ///< from matrices and weights to pairs
	bool failed;
	ioError error;
	bool outOfMemory;
	int bodies[2]; ///< that are being collided
} cliContacts;

/// Pose the stage and find pairs. On failure `error` says why.
bool cliContacts_Find(cliContacts* contacts, cliStage* stage, double time, const cliContactOptions* options);

/// Of curves keep those that a pair is of, after some pairs were left out, and tell pairs how deep they are.
void cliContacts_KeepCurves(cliContacts* contacts);

/// Find bodies that are apart in this frame, which is found, and in the one before, but not between them.
/// @param before, stage ends of the whole way, or of a part of it: parts come in order, and then cliNear_EndBetween
bool cliContacts_FindBetween(
    cliContacts* contacts, cliStage* before, cliStage* stage, const cliContactOptions* options);
void cliContacts_Free(cliContacts* contacts);

#endif
