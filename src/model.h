// src/model.h: the immutable half of snug: mesh, tree and deformation data in one relocatable block.
#ifndef SG_MODEL_H
#define SG_MODEL_H

#include "tree/tree.h"

struct sgDeform;

/// A model is a block of bytes (block.h) and pointers into it.
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

	// Deformer free only.
	const uint32_t* vertexPlace;    ///< (vertexCount): caller's number to tree order
	const uint32_t (*leafReach)[2]; ///< (leafCount): least and greatest caller's number of a leaf's vertices
};

#endif
