// src/model/block.h: a model as bytes: a header, a table of tagged sections, and the sections, each aligned to 64
// bytes.
//
// The same bytes in memory and in files (little-endian). All pointers of a snugModel lead into its block, so saving is
// writing it and loading is copying it, after checking every number that code will follow.
#ifndef SG_BLOCK_H
#define SG_BLOCK_H

#include "model/contents.h"

/// Raised whenever the meaning of any section changes.
#define SG_BLOCK_VERSION 6

/// The tightest rest box of a node from the model's positions and, for inner nodes, from `bounds` of its children.
sgBox sgBlock_RestBox(const snugModel* model, const sgBoxLanes* bounds, uint32_t slot);

/// Gather what a model under construction points to into a new block, and point it there. On failure it stays as it
/// was.
snugStatus sgBlock_Make(snugModel* model);

/// Copy a foreign block, check all of it and point the model at the copy. The model's allocator is set.
snugStatus sgBlock_Read(snugModel* model, const void* block, size_t bytes, const snugMessenger* messenger);

#endif
