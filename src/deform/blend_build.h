// src/deform/blend_build.h: what a blend model stores, and how it is made. Offline: double precision, plain loops.
#ifndef SG_BLEND_BUILD_H
#define SG_BLEND_BUILD_H

#include "deform/blend.h"

#include <string.h>

/// One influence while weights are read.
typedef struct sgInfluence
{
	double weight;
	uint16_t transform;
} sgInfluence;

/// Repaired weights of all vertices, tree order.
typedef struct sgWeights
{
	uint32_t* starts;
	float* weights;
	uint16_t* transforms;
} sgWeights;

/// Make room for `more` elements of `size` bytes behind `count`; keeps the contents. False if there is no memory.
bool sgBlend_Grow(
    const snugAllocator* allocator, void** array, size_t* capacity, size_t count, size_t more, size_t size);

/// Copy an array that may be empty, and null then.
static inline void sgBlend_CopyArray(void* to, const void* from, size_t bytes)
{
	if (bytes > 0)
	{
		memcpy(to, from, bytes);
	}
}

/// Check everything about a blend definition, in the caller's order.
snugStatus sgBlend_CheckDef(const snugModelDef* def, uint32_t* maxInfluences, uint64_t* influenceCount);

/// Read and repair weights of a definition that was checked.
/// @param scratch room for the most influences of a vertex, as given, and one more, for each worker of the model's team
/// @param counts (vertexCount): scratch
/// @param out has room for all influences, as given
void sgBlend_ReadWeights(const snugModel* model, const snugModelDef* def, uint32_t mostGiven, sgInfluence* scratch,
    uint32_t* counts, sgWeights* out);

/// What a transform does: the vertex that it moves most, and the box of all that it moves.
typedef struct sgEffect
{
	float weight;
	uint32_t vertex;
	sgBox box;
} sgEffect;

/// Transforms in an order in which those that move neighbouring vertices are close: by the vertex that each moves most,
/// in tree order. So the transforms of a node are in few blocks of eight.
typedef struct sgTransformOrder
{
	uint32_t count;
	uint16_t* across;  ///< (count): transform at each place
	uint16_t* rank;    ///< (count): place of each transform
	sgEffect* effects; ///< (count for each worker of the model's team): the first of them are those of all vertices
} sgTransformOrder;

/// Fill in the arrays of an order whose count is set.
void sgBlend_OrderTransforms(const snugModel* model, const sgWeights* weights, const sgTransformOrder* order);

/// Boxes of what transforms move, to blocks that are zero.
void sgBlend_FillMoved(const sgTransformOrder* order, sgBlendMoved* moved);

/// Everything known about one family while its bound is prepared.
typedef struct sgFamilyDraft
{
	const snugModel* model;
	const sgWeights* weights;
	double evaluation; ///< roundings of evaluating a vertex, as a multiple of 2^-24 of the pose's reach
	uint32_t laneFirst[SG_LANES], laneLast[SG_LANES]; ///< members[laneFirst] to members[laneLast - 1] are below lane i
	const uint32_t* members;                          ///< vertices, each once per lane
	const uint16_t* transforms;                       ///< (entryCount), ascending
	uint32_t entryCount;
	const uint32_t* entryOf; ///< (transformCount): entry of a transform; arbitrary for others
	uint32_t step;           ///< look at every step-th vertex only: 1, but for probes
	double* row;             ///< (entryCount): scratch, all zero between uses
	double (*boxes)[6];      ///< (entryCount): scratch
	double (*sums)[4];       ///< (entryCount): scratch
} sgFamilyDraft;

/// Roundings of evaluating a vertex of a blend model.
double sgBlend_Roundings(uint32_t maxInfluences);

/// Fill in all values of a family: sgBlendFamily_Values of them.
void sgBlend_FillFamily(const sgFamilyDraft* draft, const sgBlendFamily* family, sgLaneFloats* values);

/// What families are made from.
typedef struct sgFamiliesInput
{
	const snugModel* model;
	const sgBlendHeader* header; ///< bound, volumes, counts of rows
	const sgWeights* bounded;    ///< weights that bounds are made from: of transforms, or of pairs of joints
	uint32_t boundedCount;       ///< how many of either there are
	const sgTransformOrder* order;
	bool isSkin;       ///< they are pairs
	bool hasFields;    ///< displacement fields are added
	double evaluation; ///< as in sgFamilyDraft
} sgFamiliesInput;

/// Families of a model while they are made: the arrays of sgBlend, writable and owned.
typedef struct sgFamilies
{
	uint32_t* familyOfParent;
	sgBlendFamily* families;
	uint16_t* entryTransforms;
	sgLaneFloats* values;
	size_t parentBytes, familyBytes, entryBytes, valueBytes;
	uint32_t familyCount, entryCount, valueCount;
} sgFamilies;

/// Make the families of all nodes; none, if nodes are bounded by corners. Release them whatever comes back.
snugStatus sgFamilies_Make(const sgFamiliesInput* input, sgFamilies* out);
void sgFamilies_Release(sgFamilies* families, const snugAllocator* allocator);

/// Sums of the residuals of a first-order fit, over a family's nodes.
typedef struct sgProbe
{
	double least;
	double most;
} sgProbe;

/// How large the residuals of a first-order fit would be at least, from a few vertices of each node. `values` has room
/// for the kind and is overwritten.
sgProbe sgBlend_ProbeFit(const sgFamilyDraft* draft, sgLaneFloats* values);

#endif
