// bench/skin.h: where two characters are that meet.
#ifndef BENCH_SKIN_H
#define BENCH_SKIN_H

#include "bench/meeting.h"
#include "bench/skins.h"

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
