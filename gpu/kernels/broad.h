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
	EACH(n, (w->bodyCount + SG_GPU_LANES - 1) / SG_GPU_LANES){
		LANES(l){ Sort_Run(w->order[0], w->order[1], (uint32_t)n * SG_GPU_LANES + l, 0, w->bodyCount);
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
			Sort_Merge(w->order[!isOdd], w->order[isOdd], (uint32_t)n * SG_GPU_LANES + l, 0, w->bodyCount, step.width);
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

/// Levels above bodies, at most: eight to the tenth is MOST_BODIES of crowd.c.
#define TREE_LEVELS 10

/// Nodes of the tree over bodies that are to be opened, by levels. Those of a level are opened four at a time, and what
/// they show before any other: so there are never more than 32 of a level.
typedef struct FindScratch
{
	uint32_t nodes[TREE_LEVELS + 1][SG_GPU_LANES];
	uint32_t counts[TREE_LEVELS + 1];
	uint32_t sizes[TREE_LEVELS + 1]; ///< how many boxes a level has
	const sgBox* boxes[TREE_LEVELS + 1];
	Outbox out;
} FindScratch;

/// What a lane does of opening nodes: looks at a child, a body or another node.
static inline void LookAt(
    const sgWorld* w, uint32_t place, const sgBox* own, uint32_t level, uint32_t number, FindScratch* s)
{
	const uint64_t last = ((uint64_t)number + 1) << (3 * level); // of the bodies below, the one after
	if (number >= s->sizes[level] || last <= (uint64_t)place + 1)
	{
		return;
	}
	const sgBox other = level == 0 ? BoxOfBody(w, number) : s->boxes[level][number];
	if (!Overlap(own, &other))
	{
		return;
	}
	if (level > 0)
	{
		s->nodes[level][ADD(s->counts + level, 1u)] = number;
		return;
	}
	const uint32_t a = w->sortedOrder[place].b, b = w->sortedOrder[number].b;
	if (Meet(w, a, b))
	{
		Outbox_Add(w, &s->out, &w->candidates, (sgItem){ 0, a < b ? a : b, a < b ? b : a });
	}
}

// All bodies after one in the order whose boxes overlap its own.
static inline void FindAfter(const sgWorld* w, uint32_t place, uint32_t top, FindScratch* s)
{
	const sgBox own = BoxOfBody(w, place);
	LANES(l)
	{
		if (l <= top)
		{
			s->counts[l] = l == top ? 1 : 0;
			s->nodes[l][0] = 0;
		}
	}
	for (uint32_t level = top; level > 0 && level <= top;)
	{
		const uint32_t count = s->counts[level], opened = count < 4 ? count : 4;
		if (count == 0)
		{
			++level;
			continue;
		}
		LANES(l)
		{
			if (l / 8 < opened)
			{
				LookAt(w, place, &own, level - 1, 8 * s->nodes[level][count - 1 - l / 8] + l % 8, s);
			}
			if (l == 0)
			{
				s->counts[level] = count - opened;
			}
		}
		Outbox_Flush(w, &s->out, &w->candidates, OUTBOX_ITEMS - SG_GPU_LANES);
		level = level > 1 ? level - 1 : 1;
	}
}

KERNEL(FindPairs)
{
	const sgWorld* w = &world;
	SHARED(FindScratch, scratch);
	if (IsStopped(w))
	{
		return;
	}
	LANES(l)
	{
		if (l <= step.level)
		{
			scratch->sizes[l] = sgWorld_LevelCount(w->bodyCount, l);
			scratch->boxes[l] = LevelBoxes(w, l);
		}
	}
	Outbox_Begin(w, &scratch->out);
	EACH(n, w->bodyCount)
	{
		FindAfter(w, (uint32_t)n, step.level, scratch);
	}
	Outbox_Flush(w, &scratch->out, &w->candidates, 0);
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
