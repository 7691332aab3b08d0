// program/check/tally.h: what the frames of a run found, added up: per frame, and per pair of regions.
#ifndef CLI_TALLY_H
#define CLI_TALLY_H

#include "program/check/regions.h"

/// What one frame found.
typedef struct cliTallyFrame
{
	double time;
	uint64_t pairs;
	uint64_t vertices;   ///< evaluated
	double microseconds; ///< what it took
	double depth;        ///< the largest, if curves were asked for
	double insideDepth;  ///< of vertices inside other bodies, if that was asked for; negative: there are none
	bool isUnknown;      ///< there are curves whose depth is not known, open ones
} cliTallyFrame;

/// Two regions that touched, the one of the lower file or number first.
typedef struct cliTouch
{
	uint32_t regions[2];
	uint64_t pairs;                 ///< of triangles, over all frames
	uint64_t frames;                ///< in which they touched
	uint64_t firstFrame, lastFrame; ///< of those
	uint64_t mostPairs, mostFrame;  ///< the frame in which most triangles did
	double depth;                   ///< the largest of their curves, if those were asked for
} cliTouch;

/// Two bodies that met between a frame and the one before, and in neither of them.
typedef struct cliTallyBetween
{
	uint64_t frame;
	cliBetween between;
} cliTallyBetween;

typedef struct cliTally
{
	const cliRegions* regions; ///< nullable: then nothing is added up by regions
	cliTallyFrame* frames;
	uint64_t frameCount;
	size_t frameCapacity;
	uint64_t pairs, contactFrames, mostPairs, mostFrame;
	uint64_t mostInside, insideFrame;   ///< vertices inside of bodies, and where they are the most
	uint64_t firstContact, lastContact; ///< frames; of use if contactFrames > 0
	double microseconds;
	double deeperThan, longerThan; ///< contacts that are not do not count; negative: all do
	uint64_t deepest;              ///< the first frame with the largest depth
	bool byDepth;                  ///< the deepest frame is the worst one, not that with the most pairs
	cliTallyBetween* between;      ///< by time
	size_t betweenCount, betweenCapacity;
	double stray;      ///< the greatest of all frames
	cliTouch* touches; ///< by regions; cliTally_Finish sorts them by depth, then by pairs, most first
	size_t touchCount, touchCapacity;
	cliTouch* now; ///< those of the last frame only, likewise
	size_t nowCount, nowCapacity;
	uint64_t* keys; ///< scratch: a pair of regions per pair of triangles
	uint64_t keyCapacity;
} cliTally;

/// How deep bodies reach past each other, by curves or by vertices, as far as that was asked for.
double cliTallyFrame_GetDepth(const cliTallyFrame* frame);

void cliTally_Begin(cliTally* tally, const cliRegions* regions);

/// Add a frame, the one after the last.
/// @return false if there is no memory
bool cliTally_Add(cliTally* tally, double time, const cliContacts* contacts);

/// Frames in contact that follow each other: with pairs, or vertices inside other bodies. They count if they are deeper
/// and last longer than asked for, from the first to the last; an unknown depth counts.
/// @param first receives the first frame, from the given one on, of the next contact that counts
/// @param last receives its last frame
/// @return false if there is none
bool cliTally_FindContact(const cliTally* tally, uint64_t from, uint64_t* first, uint64_t* last);

/// @return the frame to look at first: the one with the most pairs or, if there is any depth and it is asked for, the
/// deepest
uint64_t cliTally_GetWorst(const cliTally* tally);

/// Sort touches.
void cliTally_Finish(cliTally* tally);
void cliTally_Free(cliTally* tally);

#endif
