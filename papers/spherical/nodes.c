#include "papers/spherical/nodes.h"

#include "body/cache.h"
#include "lab/bench/timer.h"

bool benchIsVisited(snugBody* body, sgLaneSet family)
{
	const sgCacheGroup* cached = sgCache_FindGroup(body, family.group, false);
	return cached != NULL && cached->version == body->version && cached->lastVisit == body->step;
}

#define FAMILIES 16 // few enough to stay in a cache close by

/// Families right above those of leaves, from the middle of a tree, where queries spend their refits.
typedef struct leafFamilies
{
	sgLaneSet families[FAMILIES];
	uint32_t count;
	uint32_t nodes;
} leafFamilies;

static bool AreAboveLeaves(const sgTree* tree, sgLaneSet family)
{
	for (uint32_t rest = family.mask; rest != 0; rest &= rest - 1)
	{
		uint32_t slot = family.group * SG_LANES + sgLowestBit(rest);
		if (sgTree_IsLeaf(tree, slot) || sgTree_Children(tree, slot).mask != sgTree_Children(tree, slot).leafMask)
		{
			return false;
		}
	}
	return true;
}

static leafFamilies FindFamilies(const snugModel* model)
{
	const sgTree* tree = &model->tree;
	leafFamilies found = { .count = 0 };
	uint32_t slots = tree->groupCount * SG_LANES;
	for (uint32_t i = 0; i < slots && found.count < FAMILIES; ++i)
	{
		uint32_t slot = (i + slots / 2) % slots;
		if (tree->nodes[slot].childCount == 0)
		{
			continue;
		}
		sgLaneSet family = sgTree_Children(tree, slot);
		if (AreAboveLeaves(tree, family))
		{
			found.families[found.count++] = family;
			found.nodes += (uint32_t)__builtin_popcount(family.mask);
		}
	}
	return found;
}

// Warm: the same families again and again.
double benchTimeRefits(snugBody* body)
{
	const leafFamilies families = FindFamilies(body->model);
	benchSamples samples = { .count = 0 };
	sgBoxLanes bounds[FAMILIES];
	for (int batch = -3; batch < 25 && families.nodes > 0; ++batch)
	{
		const uint32_t calls = 200;
		double start = benchNow();
		for (uint32_t i = 0; i < calls * families.count; ++i)
		{
			uint32_t f = i % families.count;
			body->deform->bound(sgBody_Derive(body), families.families[f], bounds + f);
		}
		double elapsed = benchNow() - start;
		if (batch >= 0)
		{
			benchSamples_Add(&samples, 1e6 * elapsed / (double)calls / (double)families.nodes);
		}
	}
	return benchSamples_Median(&samples);
}
