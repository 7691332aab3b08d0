// gpu/kernels/groups.h: level by level: which groups of which bodies are needed, their boxes along the world's axes,
// and which pairs of nodes overlap.
#ifndef SG_GPU_GROUPS_H
#define SG_GPU_GROUPS_H

#include "broad.h"
#include "place.h"
#include "roots.h"

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

// What overlaps: to be opened at the next level, so what it opens is needed there.
static inline void FlushNodes(const sgWorld* w, const sgStep* step, Outbox* box, const sgQueue* next, uint32_t least)
{
	const uint32_t held = box->count < OUTBOX_ITEMS ? box->count : OUTBOX_ITEMS;
	if (held <= least)
	{
		return;
	}
	LANES(l)
	{
		for (uint32_t i = l; i < 2 * held; i += SG_GPU_LANES)
		{
			const sgItem item = box->items[i / 2], pair = w->candidates.items[item.pair];
			Need(w, step, i % 2 == 0 ? pair.a : pair.b, i % 2 == 0 ? item.a : item.b);
		}
	}
	Outbox_Flush(w, box, next, least);
}

/// At most so many may be held before a phase that adds as many again, or some are handed over one by one.
#define HELD_NODES (OUTBOX_ITEMS / 2)

// One by one, where there is no room among others.
static inline void AddNodes(const sgWorld* w, const sgStep* step, Outbox* box, const sgQueue* next, sgItem item)
{
	const uint32_t place = ADD(&box->count, 1u);
	if (place < OUTBOX_ITEMS)
	{
		box->items[place] = item;
		return;
	}
	const sgItem pair = w->candidates.items[item.pair];
	Need(w, step, pair.a, item.a);
	Need(w, step, pair.b, item.b);
	Queue_Put(w, next, Queue_Take(next, 1), item);
}

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
					AddNodes(w, &step, out, &w->items[0], (sgItem){ step.first + i, 0, 0 });
				}
			}
		}
		FlushNodes(w, &step, out, &w->items[0], HELD_NODES);
	}
	FlushNodes(w, &step, out, &w->items[0], 0);
}

// ---- Bounds ---------------------------------------------------------------------------------------------------------

/// Joints whose rows a group of lanes has at a time.
#define PORTION 48

/// Lanes that share the joints of a node.
#define NODE_LANES (SG_GPU_LANES / SG_LANES)

/// The linear program of deform/bounds/local.h for a coordinate of a node, up or down, while images come in. Sums may
/// be added in any order: what the bounds allow for rounding holds for all.
typedef struct Program
{
	float base, weighted;
	float largest, second, spread;
} Program;

/// What a lane knows of a node: programs for each axis, up and down.
typedef struct Sums
{
	Program programs[3][2];
	float padding; // no two lanes use the same bank
} Sums;

/// Of a coordinate of a node, up or down.
typedef struct End
{
	float bound;  ///< the dual at the second largest
	float lambda; ///< where it is looked at next, and
	float dual;   ///< it there, but for what is below
} End;

typedef union GroupScratch
{
	struct
	{
		Matrix rows[PORTION];
		Sums sums[SG_GPU_LANES];
		End ends[3 * SG_LANES][2];
		float duals[SG_GPU_LANES][7]; // of six; with seven no two lanes use the same bank
		float middle[SG_LANES][3], half[SG_LANES][3];
	};
	float corners[SG_MAX_CLUSTER_VERTICES][3]; // no vectors: clang 19 loses where they are if an index varies
} GroupScratch;

static inline void StoreRows(const sgWorld* w, const Posed* posed, FAR const sgGroupImage* group, uint32_t first,
    uint32_t count, GroupScratch* s)
{
	LANES(l)
	{
		for (uint32_t t = l; t < count; t += SG_GPU_LANES)
		{
			const uint64_t joint = posed->image->joints[group->firstJoint + first + t];
			const Matrix matrix = *(FAR const Matrix*)(FAR const void*)(posed->palette + 12 * joint);
			for (uint32_t axis = 0; axis < 3; ++axis)
			{
				TurnRow(posed->state, matrix.entries, axis, s->rows[t].entries + 4 * axis);
			}
		}
	}
}

static inline void Program_Add(Program* p, float b, float low, float spread)
{
	p->base = LOOSE(low, b, p->base);
	p->weighted = LOOSE(low + low + spread, b, p->weighted);
	const bool isLarger = p->largest < b;
	const float less = b < p->largest ? b : p->largest;
	p->second = less > p->second ? less : p->second;
	p->spread = isLarger ? spread : p->spread;
	p->largest = isLarger ? b : p->largest;
}

/// Which joints of a node a lane has: from the first on every fourth, of a portion of those of the group.
typedef struct Share
{
	FAR const sgPartImage* parts;
	FAR const uint16_t* joints;
	uint32_t at, end;
	uint32_t first, last;
} Share;

static inline Share ShareOf(
    const sgImage* image, FAR const sgGroupImage* group, uint32_t first, uint32_t count, uint32_t l)
{
	const uint32_t node = l % SG_LANES;
	Share share = { image->parts, image->partJoints, group->firstParts[node] + l / SG_LANES,
		group->firstParts[node + 1], first, first + count };
	for (; share.at < share.end && share.joints[share.at] < first; share.at += NODE_LANES)
	{
	}
	return share;
}

static inline bool Share_IsEmpty(const Share* share)
{
	return share->at >= share->end || share->joints[share->at] >= share->last;
}

// What a part's joint makes of its box, along all axes.
static inline void ImagesOf(
    const Share* share, const sgPartImage* part, const GroupScratch* s, uint32_t l, Image images[3])
{
	const Matrix rows = s->rows[share->joints[share->at] - share->first];
	for (uint32_t axis = 0; axis < 3; ++axis)
	{
		images[axis] = ImageOfBox(rows.entries + 4 * axis, part, s->middle[l % SG_LANES], s->half[l % SG_LANES]);
	}
}

static inline void AddParts(Share share, GroupScratch* s, uint32_t l)
{
	const Program none = { 0.0f, 0.0f, -__FLT_MAX__, -__FLT_MAX__, 0.0f };
	Sums sums = { { { none, none }, { none, none }, { none, none } }, 0.0f };
	if (share.first > 0)
	{
		sums = s->sums[l];
	}
	for (; !Share_IsEmpty(&share); share.at += NODE_LANES)
	{
		const sgPartImage part = share.parts[share.at];
		const float low = part.range[0], spread = part.range[1];
		Image images[3];
		ImagesOf(&share, &part, s, l, images);
		for (int axis = 0; axis < 3; ++axis)
		{
			Program_Add(&sums.programs[axis][0], images[axis].up, low, spread);
			Program_Add(&sums.programs[axis][1], images[axis].down, low, spread);
		}
	}
	s->sums[l] = sums;
}

// What lanes of a node know together. Eq. (12) of the meshless paper, and where the dual is looked at next. A node with
// one joint has no second.
static inline void FinishPrograms(FAR const sgCommonImage* common, GroupScratch* s, uint32_t l)
{
	const uint32_t node = l % SG_LANES, axis = l / SG_LANES;
	for (int way = 0; way < 2; ++way)
	{
		Program all = s->sums[node].programs[axis][way];
		for (uint32_t i = 1; i < NODE_LANES; ++i)
		{
			const Program one = s->sums[i * SG_LANES + node].programs[axis][way];
			const float less = one.largest < all.largest ? one.largest : all.largest;
			all.base = all.base + one.base;
			all.weighted = all.weighted + one.weighted;
			all.second = one.second > all.second ? one.second : all.second;
			all.second = less > all.second ? less : all.second;
			all.spread = one.largest > all.largest ? one.spread : all.spread;
			all.largest = one.largest > all.largest ? one.largest : all.largest;
		}
		const float second = all.second > -__FLT_MAX__ ? all.second : all.largest;
		const float lambda = all.weighted * common->inverse.lane[node];
		s->ends[l][way] = (End){
			.bound = LOOSE(all.spread, all.largest - second, LOOSE(common->slack.lane[node], second, all.base)),
			.lambda = lambda,
			.dual = LOOSE(common->slack.lane[node], lambda, all.base),
		};
	}
}

static inline void AddDuals(Share share, GroupScratch* s, uint32_t l)
{
	float duals[3][2];
	for (int i = 0; i < 6; ++i)
	{
		duals[i / 2][i % 2] = share.first > 0 ? s->duals[l][i] : 0.0f;
	}
	for (; !Share_IsEmpty(&share); share.at += NODE_LANES)
	{
		const sgPartImage part = share.parts[share.at];
		Image images[3];
		ImagesOf(&share, &part, s, l, images);
		for (uint32_t axis = 0; axis < 3; ++axis)
		{
			const End* ends = s->ends[axis * SG_LANES + l % SG_LANES];
			const float up = images[axis].up - ends[0].lambda, down = images[axis].down - ends[1].lambda;
			duals[axis][0] = LOOSE(part.range[1], up > 0.0f ? up : 0.0f, duals[axis][0]);
			duals[axis][1] = LOOSE(part.range[1], down > 0.0f ? down : 0.0f, duals[axis][1]);
		}
	}
	for (int i = 0; i < 6; ++i)
	{
		s->duals[l][i] = duals[i / 2][i % 2];
	}
}

static inline void StoreShifts(const sgWorld* w, const Posed* posed, FAR const sgGroupImage* group, GroupScratch* s)
{
	LANES(l)
	{
		const uint32_t node = l % SG_LANES, axis = l / SG_LANES;
		if (axis < 3)
		{
			BoundShifts(posed, group, node, axis, &s->middle[node][axis], &s->half[node][axis]);
		}
	}
}

// The lesser of both bounds, moved to its place.
static inline void StoreEnds(
    const Posed* posed, FAR const sgCommonImage* common, const GroupScratch* s, uint32_t l, sgBoxLanes* out)
{
	const uint32_t node = l % SG_LANES, axis = l / SG_LANES;
	const float error = common->error.lane[node] * posed->state->reach[axis];
	float sides[2];
	for (int way = 0; way < 2; ++way)
	{
		const End end = s->ends[l][way];
		float dual = end.dual;
		for (uint32_t i = 0; i < NODE_LANES; ++i)
		{
			dual = dual + s->duals[i * SG_LANES + node][2 * axis + (uint32_t)way];
		}
		sides[way] = AtMost(dual, end.bound);
	}
	MoveSides(posed->state, axis, sides[0], sides[1], error, &out->lower[axis][node], &out->upper[axis][node]);
}

// Boxes of the nodes of a group that are no leaves.
static inline void BoundInner(const sgWorld* w, const Posed* posed, FAR const sgGroupImage* group,
    FAR const sgCommonImage* common, GroupScratch* s, sgBoxLanes* out)
{
	const uint32_t inner = group->mask & ~group->leafMask, count = group->jointCount;
	StoreShifts(w, posed, group, s);
	for (uint32_t first = 0; first < count; first += PORTION)
	{
		const uint32_t some = count - first < PORTION ? count - first : PORTION;
		StoreRows(w, posed, group, first, some, s);
		LANES(l)
		{
			AddParts(ShareOf(posed->image, group, first, some, l), s, l);
		}
	}
	LANES(l)
	{
		if (l < 3 * SG_LANES)
		{
			FinishPrograms(common, s, l);
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
			AddDuals(ShareOf(posed->image, group, first, some, l), s, l);
		}
	}
	LANES(l)
	{
		if (l < 3 * SG_LANES && (inner >> l % SG_LANES & 1) != 0)
		{
			StoreEnds(posed, common, s, l, out);
		}
	}
}

// ---- Leaves ---------------------------------------------------------------------------------------------------------

/// A coordinate of a triangle's corners.
static inline void AddCorners(const GroupScratch* s, uint32_t three, uint32_t axis, float* lower, float* upper)
{
	for (int c = 0; c < 3; ++c)
	{
		const float x = s->corners[three >> 8 * c & 0xff][axis];
		*lower = x < *lower ? x : *lower;
		*upper = x > *upper ? x : *upper;
	}
}

// Vertices of a cluster, and the boxes of its leaves, which are exact.
static inline void BoundLeaves(const sgWorld* w, const Posed* posed, FAR const sgGroupImage* image, uint32_t group,
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
			FAR const sgLeafImage* leaf = posed->image->leaves + posed->image->nodes[group * SG_LANES + node].first;
			float lower = INFINITY, upper = -INFINITY;
			if (leaf->triangleCount > 0)
			{
				const sgWord4 four = leaf->corners[0], others = leaf->corners[1];
				for (int i = 0; i < 4; ++i)
				{
					AddCorners(s, four[i], axis, &lower, &upper);
					AddCorners(s, others[i], axis, &lower, &upper);
				}
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
	FAR const sgGroupImage* image = posed.image->groupImages + group;
	sgBoxLanes* out = w->boxes + number;
	LANES(l)
	{
		const uint32_t node = l % SG_LANES, axis = l / SG_LANES;
		if (axis < 3 && (image->mask >> node & 1) == 0) // nobody looks at it, but all eight are loaded
		{
			out->lower[axis][node] = INFINITY;
			out->upper[axis][node] = -INFINITY;
		}
	}
	if ((image->mask & ~image->leafMask) != 0)
	{
		BoundInner(w, &posed, image, posed.image->commons + group, s, out);
	}
	if (image->leafMask != 0)
	{
		sgFloat4* corners = w->corners + (uint64_t)number * w->vertexStride;
		BoundLeaves(w, &posed, image, group, s, corners, out);
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
	LANES(l)
	{
		if (l == 0 && GROUP(w) == 0)
		{
			w->counts->levelGroups[step.level + 1] = end;
		}
	}
}

// ---- Pairs of nodes -------------------------------------------------------------------------------------------------

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

/// Pairs of nodes that a group looks at at once, each by eight lanes.
#define PAIRED (SG_GPU_LANES / SG_LANES)

typedef struct CompareScratch
{
	NodePair pairs[SG_GPU_LANES];
	struct
	{
		sgBoxLanes of[2];
		float padding[SG_LANES]; // keeps those of several pairs in other banks
	} boxes[PAIRED];
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

// Boxes of both groups of some pairs, by all lanes.
static inline void LoadBoxes(const sgWorld* w, const NodePair* pairs, uint32_t count, CompareScratch* s)
{
	LANES(l)
	{
		for (uint32_t which = 0; which < PAIRED; ++which)
		{
			for (uint32_t t = l; t < 24 && which < count; t += SG_GPU_LANES)
			{
				const uint32_t number = t < 12 ? pairs[which].a.number : pairs[which].b.number;
				const sgFloat4 four = ((const sgFloat4*)(const void*)(w->boxes + number))[t % 12];
				float* to = &s->boxes[which].of[t / 12].lower[0][0] + 4 * (t % 12);
				to[0] = four[0];
				to[1] = four[1];
				to[2] = four[2];
				to[3] = four[3];
			}
		}
	}
}

/// Which of eight boxes overlap one of eight others.
static inline uint32_t OverlapsOf(const sgBoxLanes* one, uint32_t i, const sgBoxLanes* others)
{
	uint32_t overlaps = 0;
	const float lower[3] = { one->lower[0][i], one->lower[1][i], one->lower[2][i] };
	const float upper[3] = { one->upper[0][i], one->upper[1][i], one->upper[2][i] };
	for (uint32_t j = 0; j < SG_LANES; ++j)
	{
		uint32_t isNear = 1;
		for (int axis = 0; axis < 3; ++axis)
		{
			isNear &=
			    (uint32_t)(lower[axis] <= others->upper[axis][j]) & (uint32_t)(others->lower[axis][j] <= upper[axis]);
		}
		overlaps |= isNear << j;
	}
	return overlaps;
}

static inline void CompareNodes(
    const sgWorld* w, const sgStep* step, const NodePair* pairs, uint32_t count, const sgQueue* next, CompareScratch* s)
{
	LoadBoxes(w, pairs, count, s);
	LANES(l)
	{
		const uint32_t which = l / SG_LANES, i = l % SG_LANES;
		if (which < count && (pairs[which].a.set.mask >> i & 1) != 0)
		{
			const NodePair* pair = pairs + which;
			const Side *a = &pair->a, *b = &pair->b;
			const bool isLeaf = (a->set.leafMask >> i & 1) != 0;
			uint32_t rest = OverlapsOf(&s->boxes[which].of[0], i, &s->boxes[which].of[1]) & b->set.mask;
			for (; rest != 0; rest &= rest - 1)
			{
				const uint32_t j = (uint32_t)__builtin_ctz(rest);
				if (isLeaf && (b->set.leafMask >> j & 1) != 0)
				{
					const sgItem leaves = { pair->pair, a->number * SG_LANES + i, b->number * SG_LANES + j };
					Outbox_Add(w, &s->leaves, &w->leafPairs, leaves);
				}
				else
				{
					const sgItem nodes = { pair->pair, a->set.group * SG_LANES + i, b->set.group * SG_LANES + j };
					AddNodes(w, step, &s->items, next, nodes);
				}
			}
		}
	}
}

KERNEL(Compare)
{
	const sgWorld* w = &world;
	SHARED(CompareScratch, scratch);
	const uint32_t count = w->counts->items[step.level];
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
		for (uint32_t i = 0; i < some; i += PAIRED)
		{
			CompareNodes(w, &step, scratch->pairs + i, some - i < PAIRED ? some - i : PAIRED, &next, scratch);
			Outbox_Flush(w, &scratch->leaves, &w->leafPairs, HELD_NODES);
			FlushNodes(w, &step, &scratch->items, &next, HELD_NODES);
		}
	}
	Outbox_Flush(w, &scratch->leaves, &w->leafPairs, 0);
	FlushNodes(w, &step, &scratch->items, &next, 0);
}

#endif
