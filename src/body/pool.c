// src/body/pool.c: see pool.h.
#include "body/pool.h"

#include "tree/tree.h"

static size_t NextBytes(size_t pageCount)
{
	return pageCount * sizeof(_Atomic uint32_t);
}

static uint64_t MakeHead(uint64_t oldHead, uint32_t top)
{
	return (((oldHead >> 32) + 1) << 32) | top;
}

snugStatus sgPool_Create(
    size_t pageCount, const snugAllocator* allocator, const snugMessenger* messenger, snugPool** out)
{
	*out = NULL;
	if (pageCount >= SG_NONE || pageCount > SIZE_MAX / 2 / sizeof(sgPage))
	{
		return sgFail(messenger, snug_outOfRange, "a pool of %zu pages is too large", pageCount);
	}
	snugPool* pool = sgAllocate(allocator, sizeof(snugPool));
	sgPage* pages = sgAllocate(allocator, pageCount * sizeof(sgPage));
	_Atomic uint32_t* next = sgAllocate(allocator, NextBytes(pageCount));
	if (pool == NULL || pages == NULL || next == NULL)
	{
		sgRelease(allocator, next, NextBytes(pageCount));
		sgRelease(allocator, pages, pageCount * sizeof(sgPage));
		sgRelease(allocator, pool, sizeof(snugPool));
		return sgFail(messenger, snug_outOfMemory, "no memory for a pool of %zu pages", pageCount);
	}
	*pool = (snugPool){ .allocator = *allocator, .pages = pages, .next = next, .pageCount = (uint32_t)pageCount };
	for (uint32_t i = 0; i < pool->pageCount; ++i)
	{
		atomic_init(next + i, i + 1 < pool->pageCount ? i + 1 : SG_NONE);
	}
	atomic_init(&pool->head, pageCount > 0 ? 0 : SG_NONE);
	*out = pool;
	return snug_success;
}

snugStatus snugPool_Create(const snugPoolDef* def, snugPool** pool)
{
	SG_REQUIRE(pool != NULL, snug_badArgument);
	*pool = NULL;
	SG_REQUIRE(def != NULL && sgAllocator_IsValid(&def->allocator), snug_badArgument);
	SG_REQUIRE_RESERVED(def, snug_badArgument);
	SG_REQUIRE(def->bytes > 0, snug_badArgument);
	snugAllocator allocator = sgAllocator_OrDefault(def->allocator);
	return sgPool_Create(def->bytes / sizeof(sgPage), &allocator, &def->messenger, pool);
}

void snugPool_Destroy(snugPool* pool)
{
	if (pool == NULL)
	{
		return;
	}
	snugAllocator allocator = pool->allocator;
	sgRelease(&allocator, (void*)pool->next, NextBytes(pool->pageCount));
	sgRelease(&allocator, pool->pages, pool->pageCount * sizeof(sgPage));
	sgRelease(&allocator, pool, sizeof(snugPool));
}

size_t sgPool_Bytes(const snugPool* pool)
{
	return sizeof(snugPool) + NextBytes(pool->pageCount) + pool->pageCount * sizeof(sgPage);
}

uint32_t sgPool_Borrow(snugPool* pool)
{
	uint64_t head = atomic_load_explicit(&pool->head, memory_order_acquire);
	for (;;)
	{
		uint32_t top = (uint32_t)head;
		if (top == SG_NONE)
		{
			return SG_NONE;
		}
		// If another thread takes `top` meanwhile, what we read here may be anything, and the exchange fails.
		uint32_t below = atomic_load_explicit(pool->next + top, memory_order_relaxed);
		if (atomic_compare_exchange_weak_explicit(
		        &pool->head, &head, MakeHead(head, below), memory_order_acquire, memory_order_acquire))
		{
			return top;
		}
	}
}

void sgPool_Link(snugPool* pool, uint32_t page, uint32_t below)
{
	atomic_store_explicit(pool->next + page, below, memory_order_relaxed);
}

void sgPool_ReturnChain(snugPool* pool, uint32_t top, uint32_t bottom)
{
	uint64_t head = atomic_load_explicit(&pool->head, memory_order_relaxed);
	do
	{
		sgPool_Link(pool, bottom, (uint32_t)head);
	} while (!atomic_compare_exchange_weak_explicit(
	    &pool->head, &head, MakeHead(head, top), memory_order_release, memory_order_relaxed));
}
