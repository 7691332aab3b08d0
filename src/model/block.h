// src/model/block.h: a model as bytes: a header, a table of tagged sections, and the sections, each aligned to 64
// bytes.
//
// The same bytes in memory and in files (little-endian). All pointers of a snugModel lead into its block, so saving is
// writing it, and loading is copying or mapping it, then checking every number that code will follow.
#ifndef SG_BLOCK_H
#define SG_BLOCK_H

#include "model/contents.h"

/// Raised whenever the meaning of any section changes.
#define SG_BLOCK_VERSION 7

/// Gather what a model under construction points to into a new block, and point it there. On failure it stays as it
/// was.
snugStatus sgBlock_Make(snugModel* model);

/// Where a block comes from.
typedef struct sgBlockSource
{
	const void* block; ///< aligned, unless it is copied
	size_t bytes;
	bool isCopied;                                  ///< the caller's, to be copied
	bool isGiven;                                   ///< allocated by the model's allocator, for it to keep
	void (*unmap)(const void* block, size_t bytes); ///< of a mapped file
} sgBlockSource;

/// Find everything in the block of a model, or in a copy of it, and check as much as the definition says. Allocator and
/// block are set; release the model whatever comes back.
snugStatus sgBlock_Read(snugModel* model, bool copies, const snugLoadDef* def);

/// Make a model of a block. If that fails, a block that was given or mapped is released.
snugStatus sgModel_Read(const sgBlockSource* source, const snugLoadDef* def, snugModel** model);

#endif
