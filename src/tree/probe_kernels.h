// src/tree/probe_kernels.h: a segment against boxes and triangles in lanes, compiled once per instruction set.
#ifndef SG_PROBE_KERNELS_H
#define SG_PROBE_KERNELS_H

#include "tree/leaf_kernels.h"

/// A segment from + t direction, 0 <= t <= 1, in the space of boxes: query/probe.c proves what
/// `slack` covers.
typedef struct sgProbe
{
	float from[3];
	float inverse[3];   ///< 1 / direction; not used where the segment is parallel
	bool isParallel[3]; ///< to the faces across this axis, or so nearly that it does not matter
	float lower[3];     ///< where it is parallel: an interval around it
	float upper[3];
	float slack;
} sgProbe;

/// A line near some triangles: query/probe.c proves what `error` covers.
typedef struct sgProbeLine
{
	float point[3];
	float direction[3]; ///< the largest coordinate is 1, or all are 0
	float error;
} sgProbeLine;

/// Where eight triangles are nearest to a point.
typedef struct sgPointLanes
{
	double distance[SG_LANES];
	float position[3][SG_LANES];
} SG_ALIGN(64) sgPointLanes;

typedef struct sgProbeKernels
{
	/// Lanes whose boxes the segment may meet at a t no greater than the limit; those without a bit it does not.
	/// keys[i] is not above any t at which it meets what is in box i.
	uint32_t (*clipBoxes)(const sgBoxLanes* boxes, const sgProbe* probe, float limit, float keys[SG_LANES]);

	/// gaps[8 i + j], for i in maskA: no greater than the squared distance of box i of `a` and box j of `b`.
	void (*gapBoxes)(const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, float gaps[SG_LANES * SG_LANES]);

	/// The same, and bits 8 i + j of those, for i in maskA and any j, that are no greater than a limit.
	uint64_t (*nearBoxes)(
	    const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, float limit, float gaps[SG_LANES * SG_LANES]);

	/// Pairs of lanes in the masks that overlap, bit 8 i + j, as overlapBoxes has them.
	/// @param least receives the least, over the other pairs, of numbers no greater than their squared distance;
	/// infinite if there are none
	uint64_t (*overlapOrGap)(const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, uint32_t maskB, float* least);

	/// gaps[i]: no greater than the squared distance of box i and anything within `slack` of a point.
	/// @return lanes where it is no greater than a limit
	uint32_t (*gapPoint)(const sgBoxLanes* boxes, const float point[3], float slack, float limit, float gaps[SG_LANES]);

	/// Lanes of `b` whose triangles may be as near to triangle `i` of `a` as the root of the limit; the others
	/// certainly are not.
	uint32_t (*nearTriangles)(const sgTriangleLanes* a, uint32_t i, const sgTriangleLanes* b, float limit);

	/// Triangles that meet a ball: those that sgShape_Meets says, with its distance and position, bit for bit. Nothing
	/// is said of those in `unsure`.
	uint32_t (*meetBall)(const sgTriangleLanes* triangles, const float center[3], double radius, sgPointLanes* nearest,
	    uint32_t* unsure);

	/// Triangles that the line may pass through; it certainly misses the others.
	uint32_t (*passTriangles)(const sgTriangleLanes* triangles, const sgProbeLine* line);
} sgProbeKernels;

#endif
