// src/geometry/volume.h: what nodes are bounded by besides their boxes.
//
// Every volume has a box; others add to it: a k-DOP its further slabs, a ball its centre and radius. What is added lies
// in sgSlabLanes behind the boxes, and two bodies whose volumes agree are tested by it after their boxes.
#ifndef SG_VOLUME_H
#define SG_VOLUME_H

#include "geometry/box.h"

/// Directions of a 26-DOP besides the axes: the four diagonals of a cube, then those of its faces. A 14-DOP has the
/// first four, an 18-DOP the last six. Not of unit length: small integers make products with them exact or nearly so.
#define SG_DOP_DIRECTIONS 10
extern const float sgDopDirections[SG_DOP_DIRECTIONS][3];

#define SG_MAX_EXTRA_SLABS SG_DOP_DIRECTIONS

/// sgSlabLanes that a volume adds.
static inline uint32_t sgVolume_ExtraSlabs(snugVolume volume)
{
	static const uint8_t counts[] = {
		[snug_volumeBox] = 0,
		[snug_volumeDop14] = 4,
		[snug_volumeDop18] = 6,
		[snug_volumeDop26] = 10,
		[snug_volumeBall] = 2,
	};
	return SNUG_ALL_BOUNDS ? counts[volume] : 0;
}

/// Directions of a k-DOP's further slabs.
static inline const float (*sgVolume_Directions(snugVolume volume))[3]
{
	return sgDopDirections + (volume == snug_volumeDop18 ? 4 : 0);
}

static inline bool sgVolume_IsDop(snugVolume volume)
{
	return SNUG_ALL_BOUNDS && (volume == snug_volumeDop14 || volume == snug_volumeDop18 || volume == snug_volumeDop26);
}

static inline bool sgVolume_IsBall(snugVolume volume)
{
	return SNUG_ALL_BOUNDS && volume == snug_volumeBall;
}

/// A ball in the place of two slabs.
typedef struct sgBallLanes
{
	float center[3][SG_LANES];
	float radius[SG_LANES];
} SG_ALIGN(32) sgBallLanes;

/// Box and volume around points, x y z each, that come a few at a time: begin, add, end.
void sgVolume_Begin(snugVolume volume, sgBoundsOut out, uint32_t lane);
void sgVolume_AddPoints(snugVolume volume, const float* positions, uint32_t count, sgBoundsOut out, uint32_t lane);
void sgVolume_End(snugVolume volume, sgBoundsOut out, uint32_t lane);

/// What a volume adds to the box, already there, of points positions[indices[i]], x y z each.
void sgVolume_BoundPoints(
    snugVolume volume, const float* positions, const uint32_t* indices, uint32_t count, sgBoundsOut out, uint32_t lane);

/// What a volume adds to the box, already there, around the bounds in `mask`.
void sgVolume_Merge(snugVolume volume, sgBounds below, uint32_t mask, sgBoundsOut out, uint32_t lane);

#endif
