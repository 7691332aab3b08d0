// src/geometry/box_kernels.h: the inner loops over boxes in lanes, compiled once per instruction set.
#ifndef SG_BOX_KERNELS_H
#define SG_BOX_KERNELS_H

#include "geometry/frame.h"
#include "simd/kernels.h"

typedef struct sgBoxKernels
{
	/// Whether all |values| are at most `limit` (so neither infinite nor NaN).
	bool (*allWithin)(const float* values, size_t count, float limit);

	/// Move eight boxes into another body's space.
	void (*moveBoxes)(const sgBoxLanes* boxes, const sgBoxMotion* motion, sgBoxLanes* moved);

	/// Bit 8 i + j: box i of `a` (i in maskA) overlaps box j of `b` (j in maskB).
	uint64_t (*overlapBoxes)(const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, uint32_t maskB);

	/// The box around the boxes in `mask`.
	sgBox (*mergeBoxes)(const sgBoxLanes* boxes, uint32_t mask);

	/// The least over the boxes in `mask` of their largest extent.
	float (*leastExtent)(const sgBoxLanes* boxes, uint32_t mask);

	/// Move all faces of the boxes in `mask` outwards, by a distance per lane.
	void (*growBoxes)(sgBoxLanes* boxes, uint32_t mask, const float distances[SG_LANES]);

	/// Leave of the boxes in `mask` what is common with others that were moved outwards like that.
	void (*cutBoxes)(sgBoxLanes* boxes, uint32_t mask, const sgBoxLanes* others, const float distances[SG_LANES]);
} sgBoxKernels;

#endif
