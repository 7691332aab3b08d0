// src/deform/blend.h: surfaces carried by affine transforms with convex weights: v' = sum_j w_j T_j [v; 1].
//
// Linear blend skins (T_j: joints) and meshless bodies (T_j: simulation nodes; Steinemann, Otaduy, Gross 2008) are the
// same here. Three files: blend.c evaluates and poses, blend_build.c prepares what bounds need, blend_kernels.c bounds
// families of nodes. docs/bounds.md derives the bounds and their rounding.
//
// A family of siblings is bounded at once, a node per lane: its transforms are the union of those of its nodes, and
// what depends on node and transform lies side by side for all eight. Neighbours share most of their transforms, so
// little is computed for nothing, and each transform is loaded once for eight nodes.
#ifndef SG_BLEND_H
#define SG_BLEND_H

#include "model.h"

/// How one family is bounded. A family has one kind, since its lanes are computed together.
typedef enum sgBlendKind
{
	sgBlend_limited,
	sgBlend_program,
	sgBlend_local,
	sgBlend_zeroOrder,
	sgBlend_firstOrder,
	SG_BLEND_KINDS
} sgBlendKind;

/// Eight floats, one per node of a family.
typedef struct sgLaneFloats
{
	float lane[SG_LANES];
} SG_ALIGN(32) sgLaneFloats;

/// What every kind needs of a node.
typedef struct sgBlendCommon
{
	sgLaneFloats center[3]; ///< of the rest box
	sgLaneFloats half[3];   ///< |v - center| <= half for every vertex v below
	sgLaneFloats slack;     ///< 1 - sum of least weights
	sgLaneFloats error;     ///< rounding, as a multiple of the pose's reach (sgBlendPose)
} sgBlendCommon;

/// Entry of kinds limited and program: the range of a transform's weight.
typedef struct sgRangeEntry
{
	sgLaneFloats low;
	sgLaneFloats spread; ///< greatest - least
} sgRangeEntry;

/// Entry of kind local: also the rest box of only those vertices that the transform moves.
typedef struct sgLocalEntry
{
	sgRangeEntry range;
	sgLaneFloats center[3];
	sgLaneFloats half[3];
} sgLocalEntry;

/// Entry of kind zeroOrder: weights are mean +- residual.
typedef struct sgZeroEntry
{
	sgLaneFloats mean;
	sgLaneFloats residual;
} sgZeroEntry;

/// Entry of kind firstOrder: weights are mean + gradient . (v - center) +- residual.
typedef struct sgFirstEntry
{
	sgLaneFloats mean;
	sgLaneFloats residual;
	sgLaneFloats gradient[3];
} sgFirstEntry;

/// Kinds zeroOrder and firstOrder: sums over the entries, and a rest volume that is tighter than the box, an octagonal
/// prism: points center + offset + a U + b V + c N with |a|, |b|, |c| <= 1 and a + b <= corner[0], a - b <= corner[1],
/// -a + b <= corner[2], -a - b <= corner[3].
typedef struct sgBlendVolume
{
	sgLaneFloats inverseSum; ///< 1 / sum of means
	sgLaneFloats gradientSum[3];
	sgLaneFloats offset[3];
	sgLaneFloats axes[3][3]; ///< U, V, N
	sgLaneFloats corner[4];
} sgBlendVolume;

typedef struct sgBlendFamily
{
	uint32_t firstEntry; ///< in entryTransforms
	uint32_t entryCount;
	uint32_t values; ///< where sgBlendCommon, then sgBlendVolume for some kinds, then entries start, in sgLaneFloats
	uint32_t kind;   ///< sgBlendKind
} sgBlendFamily;

/// Start of a model's data; the arrays follow, each aligned to SG_ALIGNMENT.
typedef struct sgBlendHeader
{
	uint32_t transformCount;
	uint32_t influenceCount; ///< of all vertices together
	uint32_t familyCount;
	uint32_t entryCount;    ///< of all families together
	uint32_t valueCount;    ///< sgLaneFloats
	uint32_t maxInfluences; ///< most per vertex
	uint32_t bound;         ///< snugBound, default resolved per family
	float reach[3];         ///< greatest |coordinate| of the rest mesh
} sgBlendHeader;

/// The arrays of a blend model.
typedef struct sgBlend
{
	const sgBlendHeader* header;
	const uint32_t* starts;         ///< (vertexCount + 1), tree order
	const float* weights;           ///< (influenceCount): those of a vertex sum to 1 within rounding
	const uint16_t* transforms;     ///< (influenceCount): ascending for each vertex
	const uint32_t* familyOfParent; ///< (slots): family of a node's children; SG_NONE for leaves. The root is family 0.
	const sgBlendFamily* families;  ///< (familyCount)
	const uint16_t* entryTransforms; ///< (entryCount)
	const sgLaneFloats* values;      ///< (valueCount)
} sgBlend;

/// Offsets of the arrays; returns the size of everything.
size_t sgBlend_Layout(const sgBlendHeader* header, const sgTree* tree, size_t offsets[7]);

sgBlend sgBlend_Get(const snugModel* model);

/// sgLaneFloats per entry, and before the first entry, of a kind.
uint32_t sgBlendKind_EntryValues(sgBlendKind kind);
uint32_t sgBlendKind_HeadValues(sgBlendKind kind);

snugStatus sgBlend_Build(const snugModel* model, const snugModelDef* def, void** data, size_t* bytes);
const char* sgBlend_Check(const snugModel* model);

/// A pose: what is computed once per transform.
typedef struct sgBlendPose
{
	float reach[3]; ///< per axis, bounds every intermediate of evaluating any vertex; feeds sgBlendCommon.error
	float padding[13];
	// float columns[transformCount][16]: the matrix by columns, each padded to four
	// float rows[transformCount][12]: the matrix by rows
} sgBlendPose;

static inline float* sgBlendPose_Columns(const sgBlendPose* pose)
{
	return (float*)(uintptr_t)(pose + 1);
}

static inline float* sgBlendPose_Rows(const sgBlendPose* pose, uint32_t transformCount)
{
	return sgBlendPose_Columns(pose) + 16 * (size_t)transformCount;
}

#endif
