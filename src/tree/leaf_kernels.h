// src/tree/leaf_kernels.h: the inner loops over leaves, their vertices and triangles, compiled once per instruction
// set.
#ifndef SG_LEAF_KERNELS_H
#define SG_LEAF_KERNELS_H

#include "geometry/frame.h"
#include "simd/kernels.h"
#include "tree/tree.h"

/// The vertices of one leaf, coordinate by coordinate. Lanes after the last vertex hold arbitrary finite numbers.
typedef struct sgVertexBlock
{
	float coordinate[3][SG_MAX_LEAF_VERTICES];
} SG_ALIGN(32) sgVertexBlock;

/// The placed triangles of one leaf, ready to be tested. Unused lanes repeat triangle 0.
typedef struct sgTriangleLanes
{
	float corner[3][3][SG_LANES]; ///< [corner][axis][triangle]
	float normal[3][SG_LANES];    ///< (corner1 - corner0) x (corner2 - corner0), rounded
	sgBoxLanes boxes;
	sgBox box; ///< around all of them
	uint32_t mask;
	const sgLeaf* leaf; ///< whose they are: it has their vertex numbers
} SG_ALIGN(32) sgTriangleLanes;

/// The vertices at the corners of a leaf's triangles, [corner][triangle]; of twins the one that stands for them.
typedef struct sgCornerLanes
{
	uint32_t vertex[3][SG_LANES];
} SG_ALIGN(32) sgCornerLanes;

/// Pairs of triangles, each in a lane: [corner][axis][pair].
typedef struct sgPairLanes
{
	float a[3][3][SG_LANES];
	float b[3][3][SG_LANES];
} SG_ALIGN(32) sgPairLanes;

/// Room for all triangles of eight leaves against those of eight, and for what is written and read beyond them.
#define SG_MAX_CANDIDATES (SG_LANES * SG_LANES * SG_LANES * SG_LANES + SG_LANES)

typedef struct sgLeafKernels
{
	/// The boxes of `count` consecutive leaves, from vertex positions (x y z, one readable float after the last), to
	/// consecutive lanes from `lane` on.
	void (*boundLeaves)(const float* positions, const uint32_t* leafVertices, const sgLeaf* leaves, uint32_t count,
	    sgBoxLanes* out, uint32_t lane);

	/// positions[vertices[i]] for i < count, side by side. Reads up to seven entries past the end of `vertices`.
	void (*gatherVertices)(const float* positions, const uint32_t* vertices, uint32_t count, sgVertexBlock* out);

	/// Place vertices: the formula of frame.h, in double.
	void (*placeVertices)(sgVertexBlock* block, uint32_t count, const sgPlacement* placement);

	/// Triangles of a leaf, placed by the same formula. The leaf's vertices are positions[vertices[0]], …, each x y z,
	/// with one readable float after the last.
	void (*placeTriangles)(const float* positions, const uint32_t* vertices, const sgLeaf* leaf,
	    const sgPlacement* placement, sgTriangleLanes* out);

	/// Triangles of leaves that may intersect; those that are left out certainly do not. Bit 8 i + j of `leafPairs`:
	/// leaf i of `a` against leaf j of `b`. A candidate is four numbers of three bits: i, j, and the triangles of both.
	/// They ascend. Adds the number of pairs whose boxes overlap to `tests`.
	/// @param candidates (SG_MAX_CANDIDATES)
	/// @return how many there are
	uint32_t (*filterLeaves)(
	    const sgTriangleLanes* a, const sgTriangleLanes* b, uint64_t leafPairs, uint64_t* tests, uint16_t* candidates);

	/// The same for leaves of one surface, left out if they certainly do not intersect beyond the corners that they
	/// share. Of a leaf and itself, which lanes of one array may be, each pair once: the lower triangle first.
	uint32_t (*filterNeighbours)(const sgTriangleLanes* a, const sgCornerLanes* cornersA, const sgTriangleLanes* b,
	    const sgCornerLanes* cornersB, uint64_t leafPairs, uint64_t* tests, uint16_t* candidates);

	/// Eight pairs at once: those that certainly intersect. `unsure` receives those that are not decided. Pairs
	/// in `atCorner` share their first corner, and intersect if they do so beyond it.
	uint32_t (*decidePairs)(const sgPairLanes* pairs, uint32_t atCorner, uint32_t* unsure);

	/// The exact test of triangle.h, the same for every instruction set.
	bool (*intersectTriangles)(const float a[3][3], const float b[3][3]);
} sgLeafKernels;

#endif
