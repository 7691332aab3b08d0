// src/query/walk.h: walking down one tree, and down two together. Every query is one of these two and what it does on
// the way, but for three whose order is their own: find_distance.c and sweep.c go down the pair of nodes that is
// nearest, or first, before all others; frontier.c puts its stack away and takes it up again.
//
// A step opens nodes and looks at what is below them, up to eight siblings per tree, and gets a mask of what is to be
// visited. What ends the way down (leaves, for most) is settled on the spot, the rest stays in the mask and is
// descended into one after the other. The stack holds one mask per level. Since depth is limited it has a fixed size,
// and cannot overflow.
//
// Order: a step settles what ends first, then goes down in the order of bits, or, where lanes have keys, the least
// first. Bounds decide only what is skipped, and what is skipped holds no result; so results are met in the same order
// however tight bounds are, and the first one is the same on every machine.
//
// Walkers are constants, and everything here is inlined into the query that uses it: a call costs nothing that is
// written with it. A walker's context begins with the walk itself.
#ifndef SG_WALK_H
#define SG_WALK_H

#include "tree/tree.h"

#include <math.h>

/// A node that is descended into, and what that shows: its children, or itself if it ends the way down. `leafMask` says
/// which of the lanes do.
typedef struct sgOpened
{
	uint32_t slot;
	sgLaneSet set;
} sgOpened;

static inline sgOpened sgOpen(const sgTree* tree, uint32_t slot)
{
	return (sgOpened){ slot, sgTree_Open(tree, slot) };
}

static inline uint32_t sgOpened_Slot(const sgOpened* opened, uint32_t lane)
{
	return opened->set.group * SG_LANES + lane;
}

// ---- Two trees ---------------------------------------------------------------------------------------------------

/// Pairs of lanes that are still to be descended into: bit 8 i + j, i of `groupA` and j of `groupB`.
typedef struct sgPairLevel
{
	uint32_t groupA;
	uint32_t groupB;
	uint64_t pairs;
} sgPairLevel;

typedef struct sgPairWalk
{
	bool isStopped; ///< by what settles or compares: nothing is visited any more
	int depth;      ///< of the stack, for walkers that keep something per level
	sgPairLevel stack[SG_MAX_DEPTH + 1];
} sgPairWalk;

typedef struct sgPairWalker
{
	/// Open a node of the first or of the second tree.
	sgOpened (*openA)(sgPairWalk* context, uint32_t slot);
	sgOpened (*openB)(sgPairWalk* context, uint32_t slot);

	/// Bit 8 i + j: what is below lane i of `a` and lane j of `b` may give results.
	uint64_t (*compare)(sgPairWalk* context, const sgOpened* a, const sgOpened* b);

	/// Two lanes that both end the way down. Null: see `settleAll`.
	void (*settle)(sgPairWalk* context, const sgOpened* a, uint32_t laneA, const sgOpened* b, uint32_t laneB);

	/// These two nodes come after those that are descended into now: ask memory for what they need. Null: nothing.
	void (*expect)(sgPairWalk* context, uint32_t slotA, uint32_t slotB);

	/// All pairs of lanes of a step that both end the way down, as `compare` has them.
	void (*settleAll)(sgPairWalk* context, const sgOpened* a, const sgOpened* b, uint64_t ends);
} sgPairWalker;

/// Bits 8 i + j with i in `rows` and j in `columns`.
static inline uint64_t sgMaskProduct(uint32_t rows, uint32_t columns)
{
	uint64_t product = 0;
	for (uint32_t rest = rows; rest != 0; rest &= rest - 1)
	{
		product |= (uint64_t)columns << (SG_LANES * sgLowestBit(rest));
	}
	return product;
}

/// Look at what is below two nodes; settle what ends there, and return what remains.
SG_INLINE sgPairLevel sgPairWalk_Step(sgPairWalk* walk, const sgPairWalker* walker, uint32_t slotA, uint32_t slotB)
{
	const sgOpened a = walker->openA(walk, slotA), b = walker->openB(walk, slotB);
	uint64_t pairs = walker->compare(walk, &a, &b), ends = 0;
	if (a.set.leafMask != 0 && b.set.leafMask != 0)
	{
		ends = pairs & sgMaskProduct(a.set.leafMask, b.set.leafMask);
	}
	if (walker->settle == NULL && ends != 0)
	{
		walker->settleAll(walk, &a, &b, ends);
	}
	for (uint64_t rest = ends; walker->settle != NULL && rest != 0 && !walk->isStopped; rest &= rest - 1)
	{
		walker->settle(walk, &a, sgLowestBit(rest) / SG_LANES, &b, sgLowestBit(rest) % SG_LANES);
	}
	return (sgPairLevel){ a.set.group, b.set.group, pairs & ~ends };
}

/// Everything below the pairs of a level. Each level descends into at least one of two nodes, and into both unless one
/// of them ends there; so there are at most as many levels as the deeper tree has, and the root's.
SG_INLINE void sgPairWalk_DescendFrom(sgPairWalk* walk, const sgPairWalker* walker, sgPairLevel first)
{
	walk->depth = 0;
	walk->stack[0] = first;
	while (walk->depth >= 0 && !walk->isStopped)
	{
		sgPairLevel* level = walk->stack + walk->depth;
		if (level->pairs == 0)
		{
			--walk->depth;
			continue;
		}
		uint32_t pair = sgLowestBit(level->pairs);
		level->pairs &= level->pairs - 1;
		uint32_t nextA = level->groupA * SG_LANES + pair / SG_LANES;
		uint32_t nextB = level->groupB * SG_LANES + pair % SG_LANES;
		if (walker->expect != NULL && level->pairs != 0)
		{
			uint32_t after = sgLowestBit(level->pairs);
			walker->expect(
			    walk, level->groupA * SG_LANES + after / SG_LANES, level->groupB * SG_LANES + after % SG_LANES);
		}
		++walk->depth;
		sgPairLevel next = sgPairWalk_Step(walk, walker, nextA, nextB);
		if (next.pairs == 0)
		{
			--walk->depth;
			continue;
		}
		walk->stack[walk->depth] = next;
	}
}

/// Everything below two nodes.
SG_INLINE void sgPairWalk_Descend(sgPairWalk* walk, const sgPairWalker* walker, uint32_t slotA, uint32_t slotB)
{
	walk->depth = 0;
	sgPairWalk_DescendFrom(walk, walker, sgPairWalk_Step(walk, walker, slotA, slotB));
}

// ---- One tree ----------------------------------------------------------------------------------------------------

typedef struct sgTreeLevel
{
	uint32_t group;
	uint32_t mask;
	float keys[SG_LANES];
} sgTreeLevel;

typedef struct sgTreeWalk
{
	bool isStopped;
	float limit; ///< lanes with a greater key are left out; lowered as results come in
	sgTreeLevel stack[SG_MAX_DEPTH + 1];
} sgTreeWalk;

typedef struct sgTreeWalker
{
	sgOpened (*open)(sgTreeWalk* context, uint32_t slot);

	/// Lanes below which there may be results. With `isOrdered`, keys[i] is the least that any of lane i may have, and
	/// not NaN.
	uint32_t (*look)(sgTreeWalk* context, const sgOpened* opened, float keys[SG_LANES]);

	/// A lane that ends the way down.
	void (*settle)(sgTreeWalk* context, const sgOpened* opened, uint32_t lane);

	bool isOrdered; ///< the least key first; otherwise in the order of lanes, and there are no keys
} sgTreeWalker;

/// Take the next lane of a mask; SG_LANES if none of the rest is within the limit.
SG_INLINE uint32_t sgTreeWalk_Take(const sgTreeWalker* walker, uint32_t* mask, const float* keys, float limit)
{
	uint32_t best = walker->isOrdered ? SG_LANES : sgLowestBit(*mask);
	for (uint32_t rest = *mask; walker->isOrdered && rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		bool isBetter = keys[lane] <= limit && (best == SG_LANES || keys[lane] < keys[best]);
		best = isBetter ? lane : best;
	}
	*mask = best == SG_LANES ? 0 : *mask & ~(1u << best);
	return best;
}

/// Look at what is below a node, settle what ends there, and leave what remains in `level`.
SG_INLINE void sgTreeWalk_Step(sgTreeWalk* walk, const sgTreeWalker* walker, uint32_t slot, sgTreeLevel* level)
{
	const sgOpened opened = walker->open(walk, slot);
	uint32_t mask = walker->look(walk, &opened, level->keys), ends = mask & opened.set.leafMask;
	while (ends != 0 && !walk->isStopped)
	{
		uint32_t lane = sgTreeWalk_Take(walker, &ends, level->keys, walk->limit);
		if (lane < SG_LANES)
		{
			walker->settle(walk, &opened, lane);
		}
	}
	level->group = opened.set.group;
	level->mask = mask & ~opened.set.leafMask;
}

/// Everything below a node, in at most as many levels as the tree has, and the root's.
SG_INLINE void sgTreeWalk_Descend(sgTreeWalk* walk, const sgTreeWalker* walker, uint32_t slot)
{
	int depth = 0;
	sgTreeWalk_Step(walk, walker, slot, walk->stack);
	while (depth >= 0 && !walk->isStopped)
	{
		sgTreeLevel* level = walk->stack + depth;
		uint32_t lane = SG_LANES;
		if (level->mask != 0)
		{
			lane = sgTreeWalk_Take(walker, &level->mask, level->keys, walk->limit);
		}
		if (lane == SG_LANES)
		{
			--depth;
			continue;
		}
		sgTreeWalk_Step(walk, walker, level->group * SG_LANES + lane, level + 1);
		++depth;
	}
}

#endif
