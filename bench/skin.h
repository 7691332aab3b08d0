// bench/skin.h: the parts of `snug bench skin`: real characters through their clips.
#ifndef BENCH_SKIN_H
#define BENCH_SKIN_H

#include "bench/meeting.h"
#include "bench/skins.h"

#define SKIN_CHARACTERS BENCH_CHARACTERS

/// Root radius of Eq. (12) over the optimal one that is published for linear blending (spherical-blend-2006, Table 1).
#define SKIN_PAPER_ROOT 2.1

/// A character, and how loose root bounds are in poses of all its clips.
typedef struct skinCharacter
{
	benchCharacter body;
	int framesPerClip;
	int poseCount;    ///< framesPerClip of each clip, one clip after the other
	float* matrices;  ///< (poseCount * transformCount * 12)
	double* limited;  ///< (poseCount): Eq. (12)'s radius / optimal at the root
	double* ours;     ///< (poseCount): the same of the default bound
	uint32_t loosest; ///< the clip in which Eq. (12) is loosest on average
} skinCharacter;

/// Whether Eq. (12) is about as loose in a pose as published. Poses in which it is not are gentle: they flatter
/// everyone.
bool skinCounts(double limited);

/// Transforms of the poses that count, no more than `most` and evenly spread; of all poses if none counts.
/// @param count receives how many poses
/// @return to be freed; null if there is no memory
float* skinChoosePoses(const skinCharacter* character, int most, int* count);

/// Tables of radii by level, with the aims.
void skinRunTightness(
    const benchOptions* options, const skinCharacter characters[SKIN_CHARACTERS], benchReport* report);

/// Tables of two characters in contact, with the aims.
void skinRunMeetings(const benchOptions* options, const skinCharacter characters[SKIN_CHARACTERS], benchReport* report);

/// How far light contact pushes characters into one another, in heights of them.
typedef struct skinDepth
{
	double least, most;
} skinDepth;

/// Where two characters are (benchPlaceFcn): the second is turned to face the first. In light contact the foremost
/// points of both, a hand, a foot or a nose, are pushed past one another by a little; in heavy contact one walks
/// through the other. The user is a skinDepth, or null: 0.02 to 0.07.
benchPlaceFcn skinPlaceFrame;

#endif
