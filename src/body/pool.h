// src/body/pool.h: pages of what bodies remember, lent to them.
//
// A page holds the bounds of a few consecutive groups of one body's tree, or some of its evaluated clusters. Lending is
// lock-free, so that bodies on different threads can share a pool: the free pages form a stack whose head carries a
// counter against ABA.
#ifndef SG_POOL_H
#define SG_POOL_H

#include "geometry/box.h"

#include <stdatomic.h>

#define SG_PAGE_BYTES 4096
/// A page holds 1 << SG_GROUPS_SHIFT groups: a power of two, so that finding one takes no division.
#define SG_GROUPS_SHIFT 4

/// Bounds of a group, which is a family of the tree.
typedef struct sgCacheGroup
{
	sgBoxLanes boxes;
	_Atomic uint32_t version;   ///< pose that they hold for; zero and SG_BUSY are none
	_Atomic uint16_t lastVisit; ///< step (body.h) in which a query last looked at them
	uint16_t grown;             ///< by how much boxes were grown instead of refitted: see refresh.c
	double travel;              ///< of the body (body.h), at that pose
} SG_ALIGN(64) sgCacheGroup;

_Static_assert(sizeof(sgCacheGroup) == SG_PAGE_BYTES >> SG_GROUPS_SHIFT, "a page is full of groups");

/// Version of what some thread is computing right now.
#define SG_BUSY UINT32_MAX

typedef struct sgPage
{
	uint8_t bytes[SG_PAGE_BYTES];
} SG_ALIGN(64) sgPage;

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

/// Borrow a page, with whatever the last one who had it left there; SG_NONE if none is left.
uint32_t sgPool_Borrow(snugPool* pool);

/// Give pages back, all at once: threads that pose many bodies would wait for each other at every page. Whoever holds
/// them links each to the one below it first; `top` and `bottom` are the same for a page alone.
void sgPool_Link(snugPool* pool, uint32_t page, uint32_t below);
void sgPool_ReturnChain(snugPool* pool, uint32_t top, uint32_t bottom);

#endif
