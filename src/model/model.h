// src/model/model.h: the immutable half of snug: mesh, tree and deformation data in one relocatable block.
#ifndef SG_MODEL_H
#define SG_MODEL_H

#include "tree/cluster.h"

#include <stdatomic.h>

struct sgDeform;
struct sgTeam;

/// The most vertices and triangles of a model: on 32-bit machines as many as leave every size that is computed from
/// them, at 60 bytes each, below SG_MAX_SIZE.
#define SG_MAX_COUNT (SIZE_MAX > UINT32_MAX ? SNUG_MAX_COUNT : 1u << 24)

/// A model is a block of bytes (block.h) and pointers into it. While it is built there is no block, and the pointers
/// lead to scratch memory.
struct snugModel
{
	snugAllocator allocator;
	const unsigned char* block;
	size_t bytes;
	bool ownsBlock;                                 ///< allocated; else the caller's, or that of a mapped file
	void (*unmap)(const void* block, size_t bytes); ///< of a mapped file; else null

	const struct sgDeform* deform;
	snugTreeDef treeDef; ///< defaults filled in
	sgTree tree;
	const float* positions;       ///< (vertexCount * 3 + 1): rest positions in tree order; the last float is padding
	const sgBoxLanes* restBounds; ///< (groupCount)
	const uint32_t* twins;        ///< (vertexCount), tree order (twins.h); null if every vertex is its own
	sgClusters clusters;          ///< of models whose vertices must be evaluated
	size_t clusterBytes;
	const void* deformData; ///< whatever the deformer needs, laid out by its own file
	size_t deformBytes;
	const void* certificateData; ///< nullable; the deformer's too: sgDeform.buildCertificates
	size_t certificateBytes;
	snugModelInfo info;        ///< of all of the above, counted once it is made
	const float* frequencies;  ///< (frequencyCount) of the fields, in hertz; nullable
	uint32_t frequencyCount;   ///< fieldCount, or zero
	void* arrays;              ///< where the arrays of deformData are, of deform->arrayBytes
	const struct sgTeam* team; ///< who builds it, while it is built; else null
	_Atomic uint32_t bodies;   ///< how many there are. Nothing else of a model changes
};

/// Models are shared as const. This is the one exception.
static inline _Atomic uint32_t* sgModel_Bodies(const snugModel* model)
{
	return &((snugModel*)(uintptr_t)model)->bodies;
}

/// The vertex that stands for all twins of one, in tree order.
static inline uint32_t sgTwinOf(const snugModel* model, uint32_t vertex)
{
	return model->twins != NULL ? model->twins[vertex] : vertex;
}

#endif
