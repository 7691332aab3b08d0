// src/query/extra.h: comparing what volumes add to boxes. Boxes decide nearly everything, so this is plain code.
#ifndef SG_EXTRA_H
#define SG_EXTRA_H

#include "geometry/frame.h"
#include "geometry/volume.h"

/// How the second body's slabs or balls get into the space of the first.
typedef struct sgExtraTest
{
	snugVolume volume;
	uint32_t slabCount;
	float shift[SG_MAX_EXTRA_SLABS]; ///< of k-DOPs: what translation adds along each direction
	float slack[SG_MAX_EXTRA_SLABS]; ///< and how much rounding may take away
	sgBoxMotion motion;              ///< of balls
} sgExtraTest;

/// @return false if there is nothing to compare: different volumes, boxes, or k-DOPs of bodies that are turned relative
/// to each other, whose directions differ then
bool sgExtraTest_Make(sgExtraTest* test, snugVolume a, snugVolume b, const sgBoxMotion* motionBA);

/// Those of `pairs` (bit 8 i + j) that overlap.
uint64_t sgOverlapExtra(const sgSlabLanes* a, const sgSlabLanes* b, const sgExtraTest* test, uint64_t pairs);

#endif
