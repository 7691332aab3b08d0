// src/body.h: the mutable half of snug: a model in a pose, and what is remembered about it.
//
// Every cached box carries the version of the pose for which it was computed. Changing the pose changes the version, or
// clears it where only some vertices moved; so nothing can be stale. Placing a body changes no box.
#ifndef SG_BODY_H
#define SG_BODY_H

#include "deform/deform.h"
#include "pool.h"

struct snugBody
{
	const snugModel* model;
	const sgDeform* deform;
	snugAllocator allocator;
	snugMessenger messenger;

	sgFrame frame;
	void* pose; ///< deform->poseBytes(model) bytes
	size_t poseBytes;
	bool isAtRest;    ///< the model's rest bounds hold
	bool isRefitted;  ///< nothing changed since the last bottom-up refit
	uint32_t version; ///< of the pose; never zero

	snugPool* pool;
	bool ownsPool;
	uint32_t* pageTable; ///< (pageCount): page of the pool, or SG_NONE
	uint32_t pageCount;
};

/// Bounds of a family, up to date: in the cache, or computed into `scratch` if there is no place for them. Lanes
/// outside the family's mask are arbitrary. `refitted` counts the boxes computed.
const sgBoxLanes* sgBody_Refresh(snugBody* body, sgLaneSet family, sgBoxLanes* scratch, uint64_t* refitted);

/// Refit from the leaves up what is not up to date, for models that work so; nothing for others.
void sgBody_RefitBottomUp(snugBody* body, uint64_t* refitted);

/// The box of the root, up to date.
sgBox sgBody_RootBox(snugBody* body, uint64_t* refitted);

/// The root's box, and how the body's vertices are placed relative to an origin.
/// @return snug_outOfRange, with a message, if float32 cannot hold them
snugStatus sgBody_MakePlacement(
    snugBody* body, const double origin[3], sgBox* root, sgPlacement* placement, uint64_t* refitted);

/// Forget all cached boxes: a new version, and the pages of a shared pool go back.
void sgBody_Invalidate(snugBody* body);

/// Forget the boxes of one leaf's family and of all above it.
void sgBody_InvalidateLeaf(snugBody* body, uint32_t leaf);

void sgBody_ReturnPages(snugBody* body);

#endif
