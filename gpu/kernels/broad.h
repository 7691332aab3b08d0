// gpu/kernels/broad.h: pairs of bodies whose boxes overlap: bodies along a curve that fills space, boxes of eight
// neighbours, boxes of eight of those, and so on.
#ifndef SG_GPU_BROAD_H
#define SG_GPU_BROAD_H

#include "queue.h"
#include "sort.h"

/// Floats as numbers of the same order.
static inline uint32_t OrderedOf(float x)
{
	uint32_t bits;
	memcpy(&bits, &x, sizeof(bits));
	return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}

static inline float OfOrdered(uint32_t ordered)
{
	const uint32_t bits = (ordered >> 31) != 0 ? ordered & 0x7fffffffu : ~ordered;
	float x;
	memcpy(&x, &bits, sizeof(x));
	return x;
}

static inline bool HasBox(const sgBodyState* body)
{
	return body->lower[0] <= body->upper[0];
}

static inline float CenterOf(const sgBodyState* body, int axis)
{
	return 0.5f * body->lower[axis] + 0.5f * body->upper[axis];
}

// From where to where the centres of boxes are.
KERNEL(Extent)
{
	const sgWorld* w = &world;
	(void)step;
	if (IsStopped(w))
	{
		return;
	}
	LANES(l)
	{
		uint32_t most[2][3] = { { 0, 0, 0 }, { 0, 0, 0 } };
		EACH(n, (w->bodyCount + SG_GPU_LANES - 1) / SG_GPU_LANES)
		{
			const uint32_t body = (uint32_t)n * SG_GPU_LANES + l;
			for (int axis = 0; axis < 3 && body < w->bodyCount && HasBox(w->bodies + body); ++axis)
			{
				const uint32_t at = OrderedOf(CenterOf(w->bodies + body, axis));
				most[0][axis] = at > most[0][axis] ? at : most[0][axis];
				most[1][axis] = UINT32_MAX - at > most[1][axis] ? UINT32_MAX - at : most[1][axis];
			}
		}
		for (int i = 0; i < 6; ++i)
		{
			sgRaise(&w->counts->extent[i / 3][i % 3], most[i / 3][i % 3]);
		}
	}
}

// Ten bits, two zeros between each.
static inline uint32_t SpreadBits(uint32_t x)
{
	x = (x | x << 16) & 0x030000ffu;
	x = (x | x << 8) & 0x0300f00fu;
	x = (x | x << 4) & 0x030c30c3u;
	return (x | x << 2) & 0x09249249u;
}

// Any number will do: it decides about time only.
static inline uint32_t CodeOf(const sgWorld* w, const sgBodyState* body)
{
	float lower[3], widest = 0.0f;
	for (int axis = 0; axis < 3; ++axis)
	{
		lower[axis] = OfOrdered(UINT32_MAX - w->counts->extent[1][axis]);
		const float extent = OfOrdered(w->counts->extent[0][axis]) - lower[axis];
		widest = extent > widest ? extent : widest;
	}
	uint32_t code = 0;
	for (int axis = 0; axis < 3; ++axis)
	{
		const float cell = (CenterOf(body, axis) - lower[axis]) / widest * 1023.0f;
		const uint32_t whole = cell > 0.0f && cell < 1023.0f ? (uint32_t)cell : cell >= 1023.0f ? 1023 : 0;
		code |= SpreadBits(whole) << axis;
	}
	return code;
}

KERNEL(Codes)
{
	const sgWorld* w = &world;
	(void)step;
	EACH(n, (w->bodyCount + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			const uint32_t body = (uint32_t)n * SG_GPU_LANES + l;
			if (body < w->bodyCount)
			{
				const uint32_t code = HasBox(w->bodies + body) ? CodeOf(w, w->bodies + body) : UINT32_MAX;
				w->order[0][body] = (sgItem){ 0, code, body };
			}
		}
	}
}

KERNEL(SortRuns)
{
	const sgWorld* w = &world;
	EACH(n, (w->bodyCount + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			Sort_Run(w->order[0], w->order[1], (uint32_t)n * SG_GPU_LANES + l, 0, w->bodyCount);
		}
	}
	(void)step;
}

KERNEL(SortStep)
{
	const sgWorld* w = &world;
	const bool isOdd = Sort_Pass(step.width) % 2 != 0;
	EACH(n, (w->bodyCount + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			Sort_Merge(
			    w->order[!isOdd], w->order[isOdd], (uint32_t)n * SG_GPU_LANES + l, 0, w->bodyCount, step.width);
		}
	}
}

/// Where the boxes of a level are, from 1 on.
static inline sgBox* LevelBoxes(const sgWorld* w, uint32_t level)
{
	sgBox* boxes = w->nodes;
	for (uint32_t below = 1; below < level; ++below)
	{
		boxes += sgWorld_LevelCount(w->bodyCount, below);
	}
	return boxes;
}

static inline sgBox BoxOfState(const sgBodyState* body)
{
	return (sgBox){ { body->lower[0], body->lower[1], body->lower[2] },
		{ body->upper[0], body->upper[1], body->upper[2] } };
}

static inline sgBox BoxOfBody(const sgWorld* w, uint32_t place)
{
	return BoxOfState(w->bodies + w->sortedOrder[place].b);
}

static inline sgBox BoxOf(const sgWorld* w, uint32_t level, uint32_t number)
{
	return level == 0 ? BoxOfBody(w, number) : LevelBoxes(w, level)[number];
}

KERNEL(Refit)
{
	const sgWorld* w = &world;
	const uint32_t below = sgWorld_LevelCount(w->bodyCount, step.level - 1), count = below / 8 + (below % 8 != 0);
	sgBox* boxes = LevelBoxes(w, step.level);
	EACH(n, (count + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			const uint32_t number = (uint32_t)n * SG_GPU_LANES + l;
			if (number < count)
			{
				sgBox merged = sgBox_Empty();
				for (uint32_t i = 8 * number; i < 8 * number + 8 && i < below; ++i)
				{
					const sgBox one = BoxOf(w, step.level - 1, i);
					sgBox_AddBox(&merged, &one);
				}
				boxes[number] = merged;
			}
		}
	}
}

static inline bool Overlap(const sgBox* a, const sgBox* b)
{
	bool isNear = true;
	for (int axis = 0; axis < 3; ++axis)
	{
		isNear = isNear && a->lower[axis] <= b->upper[axis] && b->lower[axis] <= a->upper[axis];
	}
	return isNear;
}

static inline bool Meet(const sgWorld* w, uint32_t a, uint32_t b)
{
	const sgImage *one = w->images + w->bodies[a].model, *other = w->images + w->bodies[b].model;
	return (one->groups & other->mask) != 0 && (other->groups & one->mask) != 0;
}

// All bodies after one in the order whose boxes overlap its own. From a node to the next in depth first order: below
// it, beside it, or beside the nearest above it that has one beside it.
static inline void FindAfter(const sgWorld* w, uint32_t place, uint32_t top, Outbox* box)
{
	const sgBox own = BoxOfBody(w, place);
	uint32_t level = top, number = 0, size = 1;
	for (uint32_t i = 0; i < top; ++i)
	{
		size *= 8;
	}
	for (;;)
	{
		const sgBox other = BoxOf(w, level, number);
		const uint64_t last = (uint64_t)number * size + size - 1; // the last body below
		const bool isNear = last > place && Overlap(&own, &other);
		if (isNear && level > 0)
		{
			--level;
			size /= 8;
			number *= 8;
			continue;
		}
		const uint32_t a = w->sortedOrder[place].b, b = isNear ? w->sortedOrder[number].b : a;
		if (isNear && Meet(w, a, b))
		{
			Outbox_Add(w, box, &w->candidates, (sgItem){ 0, a < b ? a : b, a < b ? b : a });
		}
		++number;
		while (level < top && (number % 8 == 0 || number == sgWorld_LevelCount(w->bodyCount, level)))
		{
			++level;
			size *= 8;
			number = (number - 1) / 8 + 1;
		}
		if (level == top)
		{
			return;
		}
	}
}

KERNEL(FindPairs)
{
	const sgWorld* w = &world;
	SHARED(Outbox, box);
	if (IsStopped(w))
	{
		return;
	}
	Outbox_Begin(w, box);
	EACH(n, (w->bodyCount + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			const uint32_t place = (uint32_t)n * SG_GPU_LANES + l;
			if (place < w->bodyCount)
			{
				FindAfter(w, place, step.level, box);
			}
		}
		Outbox_Flush(w, box, &w->candidates, 0);
	}
}

// What is asked about becomes the candidates, in the same order: step.last pairs, for which there is room.
KERNEL(ListPairs)
{
	const sgWorld* w = &world;
	EACH(n, (step.last + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			const uint32_t i = (uint32_t)n * SG_GPU_LANES + l;
			if (i < step.last)
			{
				const snugPair pair = w->listed[i];
				w->candidates.items[i] = (sgItem){ 0, pair.a, pair.b };
				if (pair.a == pair.b || pair.a >= w->bodyCount || pair.b >= w->bodyCount)
				{
					sgRaise(&w->counts->wrong, UINT32_MAX - i);
					__atomic_fetch_or(&w->counts->isFull, (uint32_t)sgFull_wrong, __ATOMIC_RELAXED);
				}
			}
		}
	}
	LANES(l)
	{
		if (l == 0)
		{
			*w->candidates.count = step.last;
		}
	}
}

#endif
