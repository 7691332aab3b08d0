// src/geometry/moving_kernels.h: what moves, eight at a time: from when until when may it meet? Compiled once per
// instruction set.
#ifndef SG_MOVING_KERNELS_H
#define SG_MOVING_KERNELS_H

#include "geometry/box.h"
#include "geometry/moving.h"
#include "simd/kernels.h"

/// Eight pairs of features, as sgMovingPair has one.
typedef struct sgMovingLanes
{
	double base[2][3][SG_LANES], along[2][3][SG_LANES], across[2][3][SG_LANES];
} SG_ALIGN(64) sgMovingLanes;

/// When eight pairs may meet. They do not outside, nor at all where `from` is greater than `to`.
typedef struct sgMovingTimes
{
	double from[SG_LANES], to[SG_LANES];
} SG_ALIGN(64) sgMovingTimes;

/// Boxes in lanes at the start and at the end, of things that move straight from one to the other.
typedef struct sgMovingBoxes
{
	const sgBoxLanes *start, *end;
} sgMovingBoxes;

typedef struct sgMovingKernels
{
	/// Pairs of lanes, bit 8 i + j, for i in maskA and any j, that may be within a margin at a time no greater than the
	/// limit. times[8 i + j] is no later than that.
	uint64_t (*enterBoxes)(
	    sgMovingBoxes a, uint32_t maskA, sgMovingBoxes b, float margin, float limit, float times[SG_LANES * SG_LANES]);

	/// Narrow times down along six directions that do not turn: the axes, and what is across both features at the
	/// start, at the end and in between.
	/// @param triangles so many lanes, the first ones, are a vertex and a triangle; the others are two edges
	/// @return lanes that may meet
	uint32_t (*enterFeatures)(const sgMovingLanes* pairs, int triangles, double margin, sgMovingTimes* times);
} sgMovingKernels;

#endif
