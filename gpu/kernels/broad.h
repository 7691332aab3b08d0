// gpu/kernels/broad.h: pairs of bodies whose boxes overlap: bodies along a curve that fills space, groups of eight
// neighbours, groups of eight of those, and so on.
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

// Ten bits, two zeros between each.
static inline uint32_t SpreadBits(uint32_t x)
{
	x = (x | x << 16) & 0x030000ffu;
	x = (x | x << 8) & 0x0300f00fu;
	x = (x | x << 4) & 0x030c30c3u;
	return (x | x << 2) & 0x09249249u;
}

/// Boxes of a group of groups.
typedef struct RefitScratch
{
	sgBoxLanes boxes[SG_LANES];
} RefitScratch;

typedef struct OrderScratch
{
	uint32_t extent[2][3]; ///< of all bodies
	union
	{
		SortScratch sort;
		RefitScratch refit;
	};
} OrderScratch;

// Any number will do: it decides about time only.
static inline uint32_t CodeOf(const OrderScratch* s, const sgBodyState* body)
{
	float lower[3], widest = 0.0f;
	for (int axis = 0; axis < 3; ++axis)
	{
		lower[axis] = OfOrdered(UINT32_MAX - s->extent[1][axis]);
		const float extent = OfOrdered(s->extent[0][axis]) - lower[axis];
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

// Bodies in runs.
static inline void OrderRuns(const sgWorld* w, OrderScratch* s)
{
	LANES(l)
	{
		uint32_t most = 0;
		for (uint32_t i = 0; i < SG_GPU_LANES && l < 6; ++i)
		{
			const uint32_t one = w->counts->extents[i][l / 3][l % 3];
			most = one > most ? one : most;
		}
		if (l < 6)
		{
			s->extent[l / 3][l % 3] = most;
		}
	}
	EACH_OF_STEP(n, (w->bodyCount + SORT_RUN - 1) / SORT_RUN)
	{
		const uint32_t first = (uint32_t)n * SORT_RUN;
		const uint32_t count = w->bodyCount - first < SORT_RUN ? w->bodyCount - first : SORT_RUN;
		LANES(l)
		{
			for (uint32_t i = l; i < count; i += SG_GPU_LANES)
			{
				const sgBodyState* body = w->bodies + first + i;
				w->order[1][first + i] = (sgItem){ 0, HasBox(body) ? CodeOf(s, body) : UINT32_MAX, first + i };
			}
		}
		Sort_Run(w, w->order[1] + first, count, false, &s->sort);
		LANES(l)
		{
			for (uint32_t i = l; i < count; i += SG_GPU_LANES)
			{
				w->order[0][first + i] = s->sort.items[i];
			}
		}
	}
}

static inline const sgItem* SortedOrder(const sgWorld* w)
{
	return w->order[Sort_Merges(w->bodyCount) % 2];
}

static inline void OrderMerge(const sgWorld* w, uint32_t merge)
{
	const sgItem* from = w->order[merge % 2];
	sgItem* to = w->order[1 - merge % 2];
	EACH_OF_STEP(n, (w->bodyCount + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			const uint32_t i = (uint32_t)n * SG_GPU_LANES + l;
			if (i < w->bodyCount)
			{
				to[Sort_Merge(from, i, 0, w->bodyCount, merge)] = from[i];
			}
		}
	}
}

/// The groups of a level.
static inline sgBoxLanes* LevelGroups(const sgWorld* w, uint32_t level)
{
	sgBoxLanes* groups = w->nodes;
	for (uint32_t below = 0; below < level; ++below)
	{
		groups += sgWorld_LevelCount(w->bodyCount, below);
	}
	return groups;
}

static inline sgBox BoxOfState(const sgBodyState* body)
{
	return (sgBox){ { body->lower[0], body->lower[1], body->lower[2] },
		{ body->upper[0], body->upper[1], body->upper[2] } };
}

static inline sgBox BoxOfGroup(const sgBoxLanes* group)
{
	sgBox merged = sgBox_Empty();
	for (uint32_t i = 0; i < SG_LANES; ++i)
	{
		const sgBox one = sgBoxLanes_Get(group, i);
		sgBox_AddBox(&merged, &one);
	}
	return merged;
}

static inline sgBox BoxBelow(const sgWorld* w, uint32_t level, uint32_t place)
{
	const uint32_t below = level > 0 ? sgWorld_LevelCount(w->bodyCount, level - 1) : w->bodyCount;
	return place >= below ? sgBox_Empty()
	       : level > 0    ? BoxOfGroup(LevelGroups(w, level - 1) + place)
	                      : BoxOfState(w->bodies + SortedOrder(w)[place].b);
}

// Boxes of a level from those below, and of the next one. Where there is no box it is empty.
static inline void RefitLevels(const sgWorld* w, uint32_t level, RefitScratch* s)
{
	const uint32_t count = sgWorld_LevelCount(w->bodyCount, level);
	const uint32_t countAbove = sgWorld_LevelCount(w->bodyCount, level + 1);
	sgBoxLanes *groups = LevelGroups(w, level), *above = LevelGroups(w, level + 1);
	EACH_OF_STEP(n, countAbove)
	{
		const uint32_t first = (uint32_t)n * SG_LANES;
		LANES(l)
		{
			for (uint32_t i = l; i < SG_LANES * SG_LANES; i += SG_GPU_LANES)
			{
				const sgBox box = BoxBelow(w, level, first * SG_LANES + i);
				sgBoxLanes_Set(s->boxes + i / SG_LANES, i % SG_LANES, &box);
				if (first + i / SG_LANES < count)
				{
					sgBoxLanes_Set(groups + first + i / SG_LANES, i % SG_LANES, &box);
				}
			}
		}
		LANES(l)
		{
			if (l < SG_LANES && count > 1)
			{
				const sgBox box = BoxOfGroup(s->boxes + l);
				sgBoxLanes_Set(above + n, l, &box);
			}
		}
	}
}

// Bodies in order, and the tree over them, of which step->level is the top.
KERNEL_IN_STEPS(Order, w->bodyCount / SG_GPU_LANES + 1)
{
	SHARED(OrderScratch, scratch);
	if (IsStopped(w))
	{
		return false;
	}
	if (number == 0)
	{
		OrderRuns(w, scratch);
		return true;
	}
	const uint32_t merges = Sort_Merges(w->bodyCount);
	if (number <= merges)
	{
		OrderMerge(w, number - 1);
		return true;
	}
	const uint32_t level = 2 * (number - merges - 1);
	RefitLevels(w, level, &scratch->refit);
	return level + 1 < step->level;
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

/// Levels of groups, at most: eight to the tenth is MOST_BODIES of crowd.c.
#define TREE_LEVELS 10

/// Groups that are opened together, each by eight lanes.
#define OPENED (SG_GPU_LANES / SG_LANES)

/// Groups of the tree over bodies that are to be opened, by levels. Those of a level are opened four at a time, and
/// what they show before any other: so there are never more than 32 of a level.
typedef struct FindScratch
{
	uint32_t groups[TREE_LEVELS][SG_GPU_LANES];
	uint32_t counts[TREE_LEVELS];
	const sgBoxLanes* levels[TREE_LEVELS];
	const sgItem* order;
	sgBoxLanes own; ///< of eight bodies
	sgBox all;      ///< around them
	Outbox out;
} FindScratch;

// Neighbours on the curve may be far from each other, where it leaps: then the box around them says little.
static inline bool OverlapsOwn(const FindScratch* s, const sgBox* box)
{
	bool isNear = false;
	for (uint32_t i = 0; i < SG_LANES && !isNear && Overlap(&s->all, box); ++i)
	{
		const sgBox own = sgBoxLanes_Get(&s->own, i);
		isNear = Overlap(&own, box);
	}
	return isNear;
}

// What a lane does of opening a group that is not of bodies: whether a child is to be opened, which has bodies from the
// own eight on.
static inline void LookAt(uint32_t own, uint32_t level, uint32_t group, uint32_t lane, FindScratch* s)
{
	const uint32_t child = SG_LANES * group + lane;
	const uint64_t end = ((uint64_t)child + 1) << (3 * (level - 1)); // of the groups of bodies below
	const sgBox box = sgBoxLanes_Get(s->levels[level] + group, lane);
	if (end > own && OverlapsOwn(s, &box))
	{
		s->groups[level - 1][ADD(s->counts + level - 1, 1u)] = child;
	}
}

// What a lane does of opening a group of bodies: which of the own eight come before one of them and overlap it.
static inline void Meetings(const sgWorld* w, uint32_t own, uint32_t group, uint32_t lane, FindScratch* s)
{
	const sgBox other = sgBoxLanes_Get(s->levels[0] + group, lane);
	const sgItem* order = s->order;
	for (uint32_t i = 0; i < SG_LANES && group >= own && Overlap(&s->all, &other); ++i)
	{
		const sgBox box = sgBoxLanes_Get(&s->own, i);
		if ((group == own && i >= lane) || !Overlap(&box, &other))
		{
			continue;
		}
		const uint32_t a = order[SG_LANES * own + i].b, b = order[SG_LANES * group + lane].b;
		if (Meet(w, a, b))
		{
			Outbox_Add(w, &s->out, &w->candidates, (sgItem){ 0, a < b ? a : b, a < b ? b : a });
		}
	}
}

// All pairs of a body of eight and one after it in the order.
static inline void FindAfter(const sgWorld* w, uint32_t own, uint32_t top, FindScratch* s)
{
	LANES(l)
	{
		if (l <= top)
		{
			s->counts[l] = l == top ? 1 : 0;
			s->groups[l][0] = 0;
		}
		if (l < SG_LANES)
		{
			const sgBox box = sgBoxLanes_Get(s->levels[0] + own, l);
			sgBoxLanes_Set(&s->own, l, &box);
		}
	}
	LANES(l)
	{
		if (l < 3)
		{
			float lower = INFINITY, upper = -INFINITY;
			for (uint32_t i = 0; i < SG_LANES; ++i)
			{
				lower = s->own.lower[l][i] < lower ? s->own.lower[l][i] : lower;
				upper = s->own.upper[l][i] > upper ? s->own.upper[l][i] : upper;
			}
			s->all.lower[l] = lower;
			s->all.upper[l] = upper;
		}
	}
	for (uint32_t level = top; level <= top;)
	{
		const uint32_t count = s->counts[level], opened = count < OPENED ? count : OPENED;
		if (count == 0)
		{
			++level;
			continue;
		}
		LANES(l)
		{
			const uint32_t group = l / SG_LANES < opened ? s->groups[level][count - 1 - l / SG_LANES] : 0;
			if (l / SG_LANES < opened && level > 0)
			{
				LookAt(own, level, group, l % SG_LANES, s);
			}
			else if (l / SG_LANES < opened)
			{
				Meetings(w, own, group, l % SG_LANES, s);
			}
			if (l == 0)
			{
				s->counts[level] = count - opened;
			}
		}
		Outbox_Flush(w, &s->out, &w->candidates, OUTBOX_ITEMS / 2);
		level -= level > 0 ? 1 : 0;
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
			scratch->levels[l] = LevelGroups(w, l);
		}
		if (l == 0)
		{
			scratch->order = SortedOrder(w);
		}
	}
	Outbox_Begin(w, &scratch->out);
	EACH(n, sgWorld_LevelCount(w->bodyCount, 0))
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
