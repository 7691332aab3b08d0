// gpu/kernels/groups.h: level by level: which groups of which bodies are needed, their boxes along the world's axes,
// and which pairs of nodes overlap.
#ifndef SG_GPU_GROUPS_H
#define SG_GPU_GROUPS_H

#include "broad.h"
#include "place.h"
#include "roots.h"

KERNEL(Start)
{
	const sgWorld* w = &world;
	SHARED(Outbox, out);
	const uint32_t known = Queue_Count(&w->candidates), last = known < step.last ? known : step.last;
	const uint32_t count = step.first < last ? last - step.first : 0;
	if (IsStopped(w))
	{
		return;
	}
	Outbox_Begin(w, out);
	EACH(n, (count + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			const uint32_t i = (uint32_t)n * SG_GPU_LANES + l;
			if (i < count)
			{
				const sgItem pair = w->candidates.items[step.first + i];
				w->pairCounts[step.first + i] = 0;
				const sgBox a = BoxOfState(w->bodies + pair.a), b = BoxOfState(w->bodies + pair.b);
				if (Overlap(&a, &b)) // which is not sure of what was asked about
				{
					Outbox_Add(w, out, &w->items[0], (sgItem){ step.first + i, 0, 0 });
				}
			}
		}
		Outbox_Flush(w, out, &w->items[0], OUTBOX_ITEMS - SG_GPU_LANES);
	}
	Outbox_Flush(w, out, &w->items[0], 0);
}

/// What descending into a node shows: its children, or itself if it is a leaf. sgTree_Open.
static inline sgLaneSet Open(const sgImage* image, uint32_t slot)
{
	const sgNode node = image->nodes[slot];
	if (node.childCount != 0)
	{
		return (sgLaneSet){ node.first / SG_LANES, (1u << node.childCount) - 1u, node.leafMask };
	}
	const uint32_t bit = 1u << slot % SG_LANES;
	return (sgLaneSet){ slot / SG_LANES, bit, bit };
}

static inline uint32_t* EntryOf(const sgWorld* w, uint32_t body, uint32_t group)
{
	const sgImage* image = w->images + w->bodies[body].model;
	return w->table + image->firstPlace + (uint64_t)(body - image->firstBody) * image->groupCount + group;
}

// A group is needed: the first who says so gives it a number. Entries up to step.base are of earlier updates.
static inline void Need(const sgWorld* w, const sgStep* step, uint32_t body, uint32_t slot)
{
	const uint32_t group = Open(w->images + w->bodies[body].model, slot).group;
	uint32_t* entry = EntryOf(w, body, group);
	uint32_t before = __atomic_load_n(entry, __ATOMIC_RELAXED);
	if (before > step->base ||
	    !__atomic_compare_exchange_n(entry, &before, UINT32_MAX, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
	{
		return;
	}
	const uint32_t number = ADD(&w->counts->groups, 1u);
	if (number >= w->groupCapacity)
	{
		__atomic_fetch_or(&w->counts->isFull, sgFull_groups, __ATOMIC_RELAXED);
		*entry = 0;
		return;
	}
	w->owners[number] = (sgItem){ w->bodies[body].model, body, group };
	*entry = step->base + number + 1;
}

/// The number of a group that was made.
static inline uint32_t NumberOf(const sgWorld* w, const sgStep* step, uint32_t body, uint32_t group)
{
	return *EntryOf(w, body, group) - step->base - 1;
}

KERNEL(Mark)
{
	const sgWorld* w = &world;
	const uint32_t count = w->counts->items[step.level];
	if (IsStopped(w))
	{
		return;
	}
	EACH(n, (2 * (uint64_t)count + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			const uint64_t i = n * SG_GPU_LANES + l;
			if (i < 2 * (uint64_t)count)
			{
				const sgItem item = w->items[step.level % 2].items[i / 2], pair = w->candidates.items[item.pair];
				Need(w, &step, i % 2 == 0 ? pair.a : pair.b, i % 2 == 0 ? item.a : item.b);
			}
		}
	}
}

// ---- Bounds ---------------------------------------------------------------------------------------------------------

/// Joints whose rows a group of lanes has at a time.
#define PORTION 64

/// One coordinate of a node, up and down: the linear program of deform/bounds/local.h, while images come in.
typedef struct Program
{
	float base[2], largest[2], second[2], spread[2], weighted[2];
	float total;
	float bound[2];  ///< the dual at the second largest
	float lambda[2]; ///< and
	float dual[2];   ///< there
} Program;

typedef union GroupScratch
{
	struct
	{
		float rows[PORTION][12];
		Program programs[3 * SG_LANES];
		float middle[3][SG_LANES], half[3][SG_LANES];
	};
	float corners[SG_MAX_CLUSTER_VERTICES][3]; // no vectors: clang 19 loses where they are if an index varies
} GroupScratch;

static inline void StoreRows(
    const sgWorld* w, const Posed* posed, const sgGroupImage* group, uint32_t first, uint32_t count, GroupScratch* s)
{
	LANES(l)
	{
		for (uint32_t t = l; t < 3 * count; t += SG_GPU_LANES)
		{
			const uint32_t joint = posed->image->joints[group->firstEntry + first + t / 3];
			TurnRow(posed->state, posed->palette + 12 * (uint64_t)joint, t % 3, s->rows[t / 3] + 4 * (t % 3));
		}
	}
}

static inline void Program_Add(Program* p, int way, float b, float low, float spread)
{
	p->base[way] = LOOSE(low, b, p->base[way]);
	p->weighted[way] = LOOSE(low + low + spread, b, p->weighted[way]);
	const bool isLarger = p->largest[way] < b;
	const float less = b < p->largest[way] ? b : p->largest[way];
	p->second[way] = less > p->second[way] ? less : p->second[way];
	p->spread[way] = isLarger ? spread : p->spread[way];
	p->largest[way] = isLarger ? b : p->largest[way];
}

/// Which node and axis a lane has, and the node's displacements.
typedef struct Task
{
	uint32_t node, axis;
	float middle[3], half[3];
} Task;

static inline Task TaskOf(const GroupScratch* s, uint32_t l)
{
	Task task = { l % SG_LANES, l / SG_LANES, { 0.0f }, { 0.0f } };
	for (int k = 0; k < 3; ++k)
	{
		task.middle[k] = s->middle[k][task.node];
		task.half[k] = s->half[k][task.node];
	}
	return task;
}

static inline Image EntryImage(const GroupScratch* s, const Task* task, const sgLocalEntry* entries, uint32_t j)
{
	const float* values = &entries[j].range.low.lane[task->node];
	return ImageOfBox(s->rows[j] + 4 * task->axis, values, task->middle, task->half);
}

static inline void AddEntries(
    const Task* task, const sgLocalEntry* entries, uint32_t count, GroupScratch* s, uint32_t l)
{
	Program p = s->programs[l];
	for (uint32_t j = 0; j < count; ++j)
	{
		const float low = entries[j].range.low.lane[task->node], spread = entries[j].range.spread.lane[task->node];
		if (low + spread > 0.0f)
		{
			const Image image = EntryImage(s, task, entries, j);
			Program_Add(&p, 0, image.up, low, spread);
			Program_Add(&p, 1, image.down, low, spread);
			p.total = p.total + (low + low + spread);
		}
	}
	s->programs[l] = p;
}

// Eq. (12) of the meshless paper, and where the dual is looked at next. A node with one joint has no second.
static inline void Program_Finish(Program* p, float slack)
{
	const float inverse = 1.0f / (p->total > 0x1p-20f ? p->total : 0x1p-20f);
	for (int way = 0; way < 2; ++way)
	{
		const float second = p->second[way] > -__FLT_MAX__ ? p->second[way] : p->largest[way];
		p->bound[way] = LOOSE(p->spread[way], p->largest[way] - second, LOOSE(slack, second, p->base[way]));
		p->lambda[way] = p->weighted[way] * inverse;
		p->dual[way] = LOOSE(slack, p->lambda[way], p->base[way]);
	}
}

static inline void AddDuals(const Task* task, const sgLocalEntry* entries, uint32_t count, GroupScratch* s, uint32_t l)
{
	Program p = s->programs[l];
	for (uint32_t j = 0; j < count; ++j)
	{
		const float spread = entries[j].range.spread.lane[task->node];
		if (spread > 0.0f)
		{
			const Image image = EntryImage(s, task, entries, j);
			const float up = image.up - p.lambda[0], down = image.down - p.lambda[1];
			p.dual[0] = LOOSE(spread, up > 0.0f ? up : 0.0f, p.dual[0]);
			p.dual[1] = LOOSE(spread, down > 0.0f ? down : 0.0f, p.dual[1]);
		}
	}
	s->programs[l] = p;
}

static inline void BeginPrograms(const sgWorld* w, const Posed* posed, const sgGroupImage* group, GroupScratch* s)
{
	LANES(l)
	{
		if (l < 3 * SG_LANES)
		{
			const float none = -__FLT_MAX__;
			s->programs[l] = (Program){ .largest = { none, none }, .second = { none, none } };
			BoundShifts(posed, group, l % SG_LANES, l / SG_LANES, &s->middle[l / SG_LANES][l % SG_LANES],
			    &s->half[l / SG_LANES][l % SG_LANES]);
		}
	}
}

// Boxes of the nodes of a group that are no leaves.
static inline void BoundInner(
    const sgWorld* w, const Posed* posed, const sgGroupImage* group, GroupScratch* s, sgBoxLanes* out)
{
	const sgLinearCommon* common = (const sgLinearCommon*)(const void*)(posed->image->values + group->values);
	const sgLocalEntry* entries = (const sgLocalEntry*)(const void*)(common + 1);
	const uint32_t inner = group->mask & ~group->leafMask, count = group->entryCount;
	BeginPrograms(w, posed, group, s);
	for (uint32_t first = 0; first < count; first += PORTION)
	{
		const uint32_t some = count - first < PORTION ? count - first : PORTION;
		StoreRows(w, posed, group, first, some, s);
		LANES(l)
		{
			const Task task = TaskOf(s, l);
			if (l < 3 * SG_LANES && (inner >> task.node & 1) != 0)
			{
				AddEntries(&task, entries + first, some, s, l);
			}
		}
	}
	LANES(l)
	{
		if (l < 3 * SG_LANES)
		{
			Program_Finish(s->programs + l, common->slack.lane[l % SG_LANES]);
		}
	}
	for (uint32_t first = 0; first < count; first += PORTION)
	{
		const uint32_t some = count - first < PORTION ? count - first : PORTION;
		if (count > PORTION) // otherwise the rows are there
		{
			StoreRows(w, posed, group, first, some, s);
		}
		LANES(l)
		{
			const Task task = TaskOf(s, l);
			if (l < 3 * SG_LANES && (inner >> task.node & 1) != 0)
			{
				AddDuals(&task, entries + first, some, s, l);
			}
		}
	}
	LANES(l)
	{
		const uint32_t node = l % SG_LANES, axis = l / SG_LANES;
		if (l < 3 * SG_LANES && (inner >> node & 1) != 0)
		{
			const Program* p = s->programs + l;
			const float error = common->error.lane[node] * posed->state->reach[axis];
			MoveSides(posed->state, axis, AtMost(p->dual[0], p->bound[0]), AtMost(p->dual[1], p->bound[1]), error,
			    &out->lower[axis][node], &out->upper[axis][node]);
		}
	}
}

// ---- Leaves ---------------------------------------------------------------------------------------------------------

// Vertices of a cluster, and the boxes of its leaves, which are exact.
static inline void BoundLeaves(const sgWorld* w, const Posed* posed, const sgGroupImage* image, uint32_t group,
    GroupScratch* s, sgFloat4* corners, sgBoxLanes* out)
{
	LANES(l)
	{
		for (uint32_t v = l; v < image->vertexCount; v += SG_GPU_LANES)
		{
			const sgFloat4 p = EvaluateVertex(posed, image->firstVertex + v);
			s->corners[v][0] = p[0];
			s->corners[v][1] = p[1];
			s->corners[v][2] = p[2];
			corners[v] = p;
		}
	}
	LANES(l)
	{
		const uint32_t node = l % SG_LANES, axis = l / SG_LANES;
		if (axis < 3 && (image->leafMask >> node & 1) != 0)
		{
			const sgLeafImage* leaf = posed->image->leaves + posed->image->nodes[group * SG_LANES + node].first;
			float lower = INFINITY, upper = -INFINITY;
			for (uint32_t i = 0; i < 3 * SG_LANES && leaf->triangleCount > 0; ++i)
			{
				const float x = s->corners[leaf->corners[i / SG_LANES][i % SG_LANES]][axis];
				lower = x < lower ? x : lower;
				upper = x > upper ? x : upper;
			}
			out->lower[axis][node] = lower;
			out->upper[axis][node] = upper;
		}
	}
}

static inline void MakeGroup(const sgWorld* w, uint32_t number, GroupScratch* s)
{
	const uint32_t body = w->owners[number].a, group = w->owners[number].b;
	const Posed posed = Posed_Get(w, body);
	const sgGroupImage image = posed.image->groupImages[group];
	sgBoxLanes* out = w->boxes + number;
	if ((image.mask & ~image.leafMask) != 0)
	{
		BoundInner(w, &posed, &image, s, out);
	}
	if (image.leafMask != 0)
	{
		sgFloat4* corners = w->corners + (uint64_t)number * w->vertexStride;
		BoundLeaves(w, &posed, &image, group, s, corners, out);
	}
}

KERNEL(Make)
{
	const sgWorld* w = &world;
	SHARED(GroupScratch, scratch);
	const uint32_t first = w->counts->levelGroups[step.level], end = w->counts->groups;
	if (IsStopped(w))
	{
		return;
	}
	EACH(n, end - first)
	{
		MakeGroup(w, first + (uint32_t)n, scratch);
	}
}

// ---- Pairs of nodes -------------------------------------------------------------------------------------------------

static inline bool BoxesOverlap(const sgBoxLanes* a, uint32_t i, const sgBoxLanes* b, uint32_t j)
{
	bool isNear = true;
	for (int axis = 0; axis < 3; ++axis)
	{
		isNear = isNear && a->lower[axis][i] <= b->upper[axis][j] && b->lower[axis][j] <= a->upper[axis][i];
	}
	return isNear;
}

/// One body's part in a pair of nodes.
typedef struct Side
{
	sgLaneSet set;
	uint32_t number; ///< of the group
} Side;

static inline Side Side_Get(const sgWorld* w, const sgStep* step, uint32_t body, uint32_t slot)
{
	const sgLaneSet set = Open(w->images + w->bodies[body].model, slot);
	return (Side){ set, NumberOf(w, step, body, set.group) };
}

typedef struct NodePair
{
	uint32_t pair;
	Side a, b;
} NodePair;

typedef struct CompareScratch
{
	NodePair pairs[SG_GPU_LANES];
	Outbox leaves, items;
} CompareScratch;

static inline void LookUp(const sgWorld* w, const sgStep* step, uint32_t first, uint32_t count, CompareScratch* s)
{
	LANES(l)
	{
		if (l < count)
		{
			const sgItem item = w->items[step->level % 2].items[first + l], pair = w->candidates.items[item.pair];
			s->pairs[l] = (NodePair){ item.pair, Side_Get(w, step, pair.a, item.a), Side_Get(w, step, pair.b, item.b) };
		}
	}
}

static inline void CompareNodes(const sgWorld* w, const NodePair* sides, const sgQueue* next, CompareScratch* s)
{
	const Side a = sides->a, b = sides->b;
	LANES(l)
	{
		for (uint32_t t = l; t < SG_LANES * SG_LANES; t += SG_GPU_LANES)
		{
			const uint32_t i = t / SG_LANES, j = t % SG_LANES;
			if ((a.set.mask >> i & b.set.mask >> j & 1) == 0 ||
			    !BoxesOverlap(w->boxes + a.number, i, w->boxes + b.number, j))
			{
				continue;
			}
			if ((a.set.leafMask >> i & b.set.leafMask >> j & 1) != 0)
			{
				const sgItem leaves = { sides->pair, a.number * SG_LANES + i, b.number * SG_LANES + j };
				Outbox_Add(w, &s->leaves, &w->leafPairs, leaves);
			}
			else
			{
				const sgItem nodes = { sides->pair, a.set.group * SG_LANES + i, b.set.group * SG_LANES + j };
				Outbox_Add(w, &s->items, next, nodes);
			}
		}
	}
}

KERNEL(Compare)
{
	const sgWorld* w = &world;
	SHARED(CompareScratch, scratch);
	const uint32_t count = w->counts->items[step.level], least = OUTBOX_ITEMS - SG_LANES * SG_LANES;
	if (IsStopped(w))
	{
		return;
	}
	sgQueue next = w->items[(step.level + 1) % 2];
	next.count = w->counts->items + step.level + 1;
	Outbox_Begin(w, &scratch->leaves);
	Outbox_Begin(w, &scratch->items);
	const uint32_t share = Queue_Share(w, count);
	EACH(n, (count + share - 1) / share)
	{
		const uint32_t first = (uint32_t)n * share, some = count - first < share ? count - first : share;
		LookUp(w, &step, first, some, scratch);
		for (uint32_t i = 0; i < some; ++i)
		{
			CompareNodes(w, scratch->pairs + i, &next, scratch);
			Outbox_Flush(w, &scratch->leaves, &w->leafPairs, least);
			Outbox_Flush(w, &scratch->items, &next, least);
		}
	}
	Outbox_Flush(w, &scratch->leaves, &w->leafPairs, 0);
	Outbox_Flush(w, &scratch->items, &next, 0);
	LANES(l)
	{
		if (l == 0)
		{
			w->counts->levelGroups[step.level + 1] = w->counts->groups;
		}
	}
}

#endif
