// gpu/kernels/queue.h: lists that all groups append to.
//
// An addition to a counter that everyone shares takes a nanosecond, whoever adds: so a group collects what it finds in
// memory of its own, and takes room in the list for all of it at once.
#ifndef SG_GPU_QUEUE_H
#define SG_GPU_QUEUE_H

#include "layout.h"

enum
{
	OUTBOX_ITEMS = 128
};

typedef struct Outbox
{
	uint32_t count; ///< possibly more than there is room for
	uint32_t first;
	sgItem items[OUTBOX_ITEMS];
} Outbox;

/// Whether an update is over already: something found no room, or a body was refused.
static inline bool IsStopped(const sgWorld* w)
{
	return w->counts->isFull != 0;
}

static inline void Queue_Put(const sgWorld* w, const sgQueue* queue, uint32_t place, sgItem item)
{
	if (place < queue->capacity)
	{
		sgItem* to = queue->items + place; // one by one: clang copies the whole by bytes
		to->pair = item.pair;
		to->a = item.a;
		to->b = item.b;
	}
	else if (queue->bit != 0)
	{
		__atomic_fetch_or(&w->counts->isFull, queue->bit, __ATOMIC_RELAXED);
	}
}

/// Places for `held` items. What finds no room is counted too, but never so far that a list would begin again at zero:
/// nobody has room for SG_GPU_COUNTLESS, and all groups together hold fewer than are left until there.
static inline uint32_t Queue_Take(const sgQueue* queue, uint32_t held)
{
	const uint32_t place = ADD(queue->count, held);
	if (place >= SG_GPU_COUNTLESS)
	{
		ADD(queue->count, 0u - held);
	}
	return place;
}

static inline void Outbox_Begin(const sgWorld* w, Outbox* box)
{
	LANES(l)
	{
		if (l == 0)
		{
			box->count = 0;
		}
	}
}

/// Any number of them, by any lanes of a phase.
static inline void Outbox_Add(const sgWorld* w, Outbox* box, const sgQueue* queue, sgItem item)
{
	const uint32_t place = ADD(&box->count, 1u);
	if (place < OUTBOX_ITEMS)
	{
		box->items[place] = item;
	}
	else
	{
		Queue_Put(w, queue, Queue_Take(queue, 1), item);
	}
}

/// Hand over what there is if that is more than `least`.
static inline void Outbox_Flush(const sgWorld* w, Outbox* box, const sgQueue* queue, uint32_t least)
{
	const uint32_t held = box->count < OUTBOX_ITEMS ? box->count : OUTBOX_ITEMS;
	if (held <= least)
	{
		return;
	}
	LANES(l)
	{
		if (l == 0)
		{
			box->first = Queue_Take(queue, held);
		}
	}
	LANES(l)
	{
		for (uint32_t i = l; i < held; i += SG_GPU_LANES)
		{
			Queue_Put(w, queue, box->first + i, box->items[i]);
		}
	}
	Outbox_Begin(w, box);
}

/// How many things a group takes at once, for its lanes to look up what leads to each: all loads of a chain wait for
/// the one before, but those of 32 chains wait together. Where there is little to do, every group gets some of it.
static inline uint32_t Queue_Share(const sgWorld* w, uint32_t count)
{
	const uint32_t share = count / GROUP_COUNT(w);
	return share < 1 ? 1 : share < SG_GPU_LANES ? share : SG_GPU_LANES;
}

/// How many there are room for.
static inline uint32_t Queue_Count(const sgQueue* queue)
{
	return *queue->count < queue->capacity ? *queue->count : queue->capacity;
}

#endif
