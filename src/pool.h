// src/pool.h: pages of cached bounds, lent to bodies.
//
// A page holds the bounds of a few consecutive groups of one body's tree. Lending is lock-free, so that bodies on
// different threads can share a pool: the free pages form a stack whose head carries a counter against ABA.
#ifndef SG_POOL_H
#define SG_POOL_H

#include "geometry/box.h"

#include <stdatomic.h>

#define SG_PAGE_GROUPS 16

/// Bounds of a group, each lane with the version of the pose that it was computed for; zero is never a version.
typedef struct sgCacheGroup
{
	sgBoxLanes bounds;
	uint32_t version[SG_LANES];
} sgCacheGroup;

typedef struct sgPage
{
	sgCacheGroup groups[SG_PAGE_GROUPS];
} sgPage;

struct snugPool
{
	snugAllocator allocator;
	sgPage* pages;
	_Atomic uint32_t* next; ///< the free page below this one; SG_NONE at the bottom
	uint32_t pageCount;
	_Atomic uint64_t head; ///< low half: topmost free page or SG_NONE; high half: counts changes
};

snugStatus sgPool_Create(
    size_t pageCount, const snugAllocator* allocator, const snugMessenger* messenger, snugPool** pool);

/// Bytes of a pool of so many pages.
size_t sgPool_Bytes(const snugPool* pool);

/// Borrow a page whose versions are all zero and whose boxes are empty; SG_NONE if none is left.
uint32_t sgPool_Borrow(snugPool* pool);
void sgPool_Return(snugPool* pool, uint32_t page);

#endif
