// gpu/layout.h: what lies in the memory of a device, for those who put it there and for kernels alike.
#ifndef SG_GPU_LAYOUT_H
#define SG_GPU_LAYOUT_H

#include "deform/bounds/linear_bounds.h"
#include "deform/fields/fields.h"
#include "lanes.h"
#include "snug/snug_scene.h"

// ---- Models ---------------------------------------------------------------------------------------------------------

/// A vertex of a cluster, where it is at rest. Clusters begin with an octet, of which not all need to be there.
typedef struct sgVertexImage
{
	float position[3];
	uint32_t caller; ///< its number, or SG_NONE if there is none
} sgVertexImage;

/// What a field does to a vertex.
typedef struct sgShiftImage
{
	float displacement[3];
	uint32_t field;
} sgShiftImage;

/// Four numbers that are loaded at once.
typedef uint32_t sgWord4 __attribute__((vector_size(16)));

/// A leaf: its triangles by their corners, which are numbers of vertices in the cluster: three bytes for each.
typedef struct sgLeafImage
{
	sgWord4 corners[SG_LANES / 4];
	uint32_t firstTriangle;
	uint32_t triangleCount;
	uint32_t padding[2];
} sgLeafImage;

/// What a joint does to a node: the range of its weight, and the rest box of what it moves.
typedef struct sgPartImage
{
	sgFloat4 range; ///< least weight, greatest - least, center[0], center[1]
	sgFloat4 box;   ///< center[2], half[0], half[1], half[2]
} sgPartImage;

/// What all joints do to nodes of a group together.
typedef struct sgCommonImage
{
	sgLaneFloats slack, error; ///< of sgLinearCommon
	sgLaneFloats inverse;      ///< one by the sum of least and greatest weights
} sgCommonImage;

/// The nodes of a group, what bounds those that are no leaves, and the cluster of those that are. The root is alone in
/// the first group.
typedef struct sgGroupImage
{
	uint32_t mask, leafMask;
	uint32_t firstJoint;               ///< in sgImage.joints
	uint32_t jointCount;               ///< that move anything below
	uint32_t firstParts[SG_LANES + 1]; ///< in sgImage.parts: of each node, by numbers of joints, and where the last end
	uint32_t firstShift;               ///< in sgImage.intervals and intervalFields
	uint32_t shiftCount;               ///< fields that move anything below
	uint32_t firstVertex;              ///< in sgImage.vertices, where an octet begins
	uint32_t vertexCount;
} sgGroupImage;

/// A model as it lies on a device, with its bodies. Bounds take every model for a skin: one without joints has one that
/// stays where it is.
typedef struct sgImage
{
	uint32_t isSkin;
	uint32_t groupCount, jointCount, fieldCount;
	uint32_t vertexCount; ///< of the model
	uint32_t recordCount; ///< vertices of all clusters, then those of no triangle: octets
	uint32_t firstBody, bodyCount;
	uint32_t groups, mask; ///< what bodies are and meet
	uint64_t firstPlace;   ///< in sgWorld.table, of the first body's groups
	float restReach[3];    ///< of vertices before joints move them, without fields
	float fieldReach[3];   ///< the same of what fields move
	float turnedError;     ///< what turning adds to bounds, and
	float fieldError;      ///< evaluating fields, in units of the reach

	FAR const sgNode* nodes;
	FAR const sgLeafImage* leaves;
	FAR const uint32_t* triangleMap;
	FAR const sgGroupImage* groupImages;
	FAR const sgVertexImage* vertices;    ///< (recordCount)
	FAR const uint32_t* octets;           ///< (recordCount / 8 + 1): where influences of eight vertices begin
	FAR const uint16_t* octetJoints;      ///< of each, which joint, ascending, and
	FAR const sgLaneFloats* octetWeights; ///< with how much of each vertex
	FAR const uint32_t* firstShifts;      ///< (recordCount + 1), if there are fields
	FAR const sgShiftImage* shifts;
	FAR const uint16_t* joints;
	FAR const sgCommonImage* commons; ///< (groupCount)
	FAR const sgPartImage* parts;   ///< of the root for every joint, or an empty one; then of the nodes of other groups
	FAR const uint16_t* partJoints; ///< of each part, its joint's number in the group
	FAR const uint16_t* intervalFields;
	FAR const sgFieldInterval* intervals;
	FAR const float* most; ///< (3 fieldCount): greatest displacements

	// Poses, of one body after the other.
	FAR const float* palettes;   ///< 12 floats for each joint
	uint64_t paletteStride;      ///< in floats; zero: all bodies have the same
	FAR const float* amplitudes; ///< null: all are zero
	FAR const snugFrame* frames; ///< null: no frames
} sgImage;

// ---- Bodies and pairs -----------------------------------------------------------------------------------------------

/// A body in a pose.
typedef struct sgBodyState
{
	double rotation[3][3], translation[3]; ///< relative to the crowd's origin
	float lower[3], upper[3];              ///< along the world's axes, rounding included
	float reach[3];                        ///< along the world's axes, of the body alone
	float pad[3];                          ///< what placing adds to bounds
	float shiftError[3];                   ///< what is added to intervals of displacements, along the body's axes
	uint32_t model;
	uint32_t isPlaced; ///< it has a frame; otherwise positions stay as they are
	uint32_t isMoved;  ///< some amplitude is not zero
} sgBodyState;

/// A pair of nodes, leaves or triangles of a candidate; or two bodies; or anything that is sorted by (a, b).
typedef struct sgItem
{
	uint32_t pair;
	uint32_t a, b;
} sgItem;

/// More of something than there is ever room for.
#define SG_GPU_COUNTLESS 0xf0000000u

/// Room for items, of which more may be counted than it has.
typedef struct sgQueue
{
	sgItem* items;
	uint32_t* count;
	uint32_t capacity;
	uint32_t bit; ///< of sgCounts.isFull, set when an item finds no room; zero: those are only counted
} sgQueue;

/// What found no room: bits of sgCounts.isFull.
enum
{
	sgFull_candidates = 1,
	sgFull_groups = 2,
	sgFull_items = 4,
	sgFull_leafPairs = 8,
	sgFull_unsure = 16,
	sgFull_refused = 32, ///< a body, or
	sgFull_wrong = 64,   ///< a pair of bodies that was asked about
};

typedef struct sgCounts
{
	// Of the update.
	uint32_t candidates;
	uint32_t touched;
	uint32_t found;
	uint32_t longest;                     ///< span of a pair of bodies (kernels/sort.h), at most
	uint32_t refused;                     ///< of bodies that are refused, SG_NONE less the number, at most
	uint32_t tooFar;                      ///< the same of those that are only too far away
	uint32_t wrong;                       ///< the same of pairs of bodies that are none
	uint32_t gathered;                    ///< see lanes.h
	uint32_t extents[SG_GPU_LANES][2][3]; ///< of bodies, as OrderedOf: the upper ends; SG_NONE less the lower ends
	// Of a portion of it.
	uint32_t isFull;
	uint32_t groups;
	uint32_t leafPairs;
	uint32_t unsure;
	uint32_t levelGroups[SG_MAX_DEPTH + 2]; ///< how many there were when a level began
	uint32_t items[SG_MAX_DEPTH + 2];
} sgCounts;

/// Of a kernel's run.
typedef struct sgStep
{
	uint32_t level;
	uint32_t first, last; ///< candidates
	uint32_t base;        ///< numbers of groups in the table begin after this
	uint32_t body;
	uint32_t storesPairs; ///< of triangles
	uint32_t isListed;    ///< candidates are what was asked about
	uint32_t isUnsorted;
} sgStep;

/// Everything. Kernels get a copy of it.
typedef struct sgWorld
{
	const sgTurns* turns;
	const sgImage* images;
	uint32_t imageCount;
	uint32_t bodyCount;
	double origin[3];
	sgBodyState* bodies;
	sgCounts* counts;

	// Broad phase.
	sgItem* order[2];       ///< (bodyCount): bodies along a curve that fills space; SortedOrder says which
	sgBoxLanes* nodes;      ///< eight bodies each in that order, then eight of those, ...
	const snugPair* listed; ///< instead of all that: pairs of bodies that are asked about

	// Groups that some pair needs.
	uint32_t* table;   ///< of all bodies and groups: step.base + number + 1, or less
	sgItem* owners;    ///< (groupCapacity): body and group
	sgBoxLanes* boxes; ///< (groupCapacity)
	sgFloat4* corners; ///< (groupCapacity * vertexStride): placed vertices of clusters
	uint32_t groupCapacity;
	uint32_t vertexStride;

	sgQueue candidates, items[2], leafPairs, unsure;
	uint32_t* pairCounts; ///< (candidates): of triangle pairs

	// Results.
	sgQueue touched;    ///< candidates that touch
	sgItem* touchedToo; ///< to sort them
	sgQueue found;      ///< triangle pairs
	sgItem* foundToo;
	uint32_t* ranks;   ///< (candidates): where they are in the sorted list
	uint32_t* firsts;  ///< (touched + 1): first triangle pair of a pair of bodies
	uint32_t* cursors; ///< (touched)
	uint32_t* chunks;  ///< sums of SG_GPU_CHUNK counts
	snugScenePair* pairs;
	snugPair* bodyColumn; ///< the same, column by column
	uint64_t *offsetColumn, *countColumn;
	snugPair* trianglePairs;
	float* positions; ///< of one body
} sgWorld;

/// How many counts are summed by a group.
#define SG_GPU_CHUNK 128

/// How many groups of eight a level of sgWorld.nodes has. Those of level 0 are of bodies.
static inline uint32_t sgWorld_LevelCount(uint32_t bodies, uint32_t level)
{
	for (uint32_t below = 0; below <= level; ++below)
	{
		bodies = bodies / SG_LANES + (bodies % SG_LANES != 0);
	}
	return bodies;
}

// clang-format off
#define SG_GPU_KERNELS(X) \
	X(Roots) X(Order) X(FindPairs) X(ListPairs) X(Start) X(Make) X(Compare) X(Leaves) X(Exact) X(Collect) X(Vertices)
// clang-format on

#endif
