// src/model/model.h: the immutable half of snug: mesh, tree and deformation data in one relocatable block.
#ifndef SG_MODEL_H
#define SG_MODEL_H

#include "tree/cluster.h"

struct sgDeform;

/// A model is a block of bytes (block.h) and pointers into it. While it is built there is no block, and the pointers
/// lead to scratch memory.
struct snugModel
{
	snugAllocator allocator;
	unsigned char* block;
	size_t bytes;

	snugDeformer deformer;
	const struct sgDeform* deform;
	snugTreeDef treeDef; ///< defaults filled in
	sgTree tree;
	const float* positions;       ///< (vertexCount * 3 + 1): rest positions in tree order; the last float is padding
	const sgBoxLanes* restBounds; ///< (groupCount)
	sgClusters clusters;          ///< of models whose vertices must be evaluated
	size_t clusterBytes;
	const void* deformData; ///< whatever the deformer needs, laid out by its own file
	size_t deformBytes;
	uint32_t jointCount; ///< that poses are set by
	uint32_t fieldCount; ///< displacement fields
	void* arrays;        ///< where the arrays of deformData are, of deform->arrayBytes
};

/// What a definition asks of bounds: its own wishes, or the defaults.
static inline snugBoundsDef sgModelDef_Bounds(const snugModelDef* def)
{
	return def->bounds != NULL ? *def->bounds : (snugBoundsDef){ .bound = snug_boundDefault };
}

#endif
