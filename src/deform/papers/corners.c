// src/deform/papers/corners.c: making and checking joint sets and their corners. See bounds/corners.h.
#include "deform/bounds/corners.h"

#include "deform/deform.h"
#include "geometry/frame.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- Corners ---------------------------------------------------------------------------------------------------

static bool IsListed(
    const uint32_t* corner, uint32_t count, uint32_t corners[][SG_CORNER_TRANSFORMS], uint32_t cornerCount)
{
	for (uint32_t i = 0; i < cornerCount; ++i)
	{
		if (memcmp(corner, corners[i], count * sizeof(uint32_t)) == 0)
		{
			return true;
		}
	}
	return false;
}

// At a corner all weights but one are at a limit, and that one makes the sum what it must be. Bit k of `high`: weight k
// is at its greatest. Where the free one is at a limit too, the corner is met more than once.
uint32_t sgCorners_Enumerate(
    const uint32_t* low, const uint32_t* high, uint32_t count, uint32_t corners[SG_MAX_CORNERS][SG_CORNER_TRANSFORMS])
{
	uint32_t cornerCount = 0;
	for (uint32_t free = 0; free < count; ++free)
	{
		for (uint32_t highs = 0; highs < 1u << count; ++highs)
		{
			if ((highs >> free & 1) != 0)
			{
				continue;
			}
			uint32_t* corner = corners[cornerCount];
			int64_t rest = SG_CORNER_ONE;
			for (uint32_t k = 0; k < count; ++k)
			{
				corner[k] = (highs >> k & 1) != 0 ? high[k] : low[k];
				rest -= k != free ? corner[k] : 0;
			}
			if (rest >= low[free] && rest <= high[free])
			{
				corner[free] = (uint32_t)rest;
				cornerCount += !IsListed(corner, count, corners, cornerCount);
			}
		}
	}
	return cornerCount;
}

// ---- Building --------------------------------------------------------------------------------------------------

typedef struct Builder
{
	const snugModel* model;
	const sgBlendHeader* header;
	const sgWeights* weights;
	sgCornerRules rules;
	uint32_t mostSets; ///< of a node
	sgCornerArrays* out;

	// One piece of memory.
	uint32_t* memory;
	size_t bytes;
	uint32_t* quanta;   ///< (influenceCount): weights in units of 1 / SG_CORNER_ONE; those of a vertex sum to it
	uint32_t* setOf;    ///< (vertexCount): number of the vertex' joint set in the whole model
	uint32_t* members;  ///< (vertexCount): of a node, each once
	uint32_t* grouped;  ///< (vertexCount): the same by joint set
	uint32_t* seenAt;   ///< (vertexCount): 1 + the slot of the node that the vertex was last seen in
	uint32_t* localOf;  ///< (vertexCount): number of a joint set in its node; SG_NONE between uses
	uint32_t* next;     ///< (vertexCount): by joint set of a node, where its next vertex goes
	uint32_t* groups;   ///< (vertexCount + 1): where joint sets of a node begin among `grouped`
	uint32_t* entryOf;  ///< (transformCount): place of a transform in its joint set; SG_NONE between uses
	uint32_t* low;      ///< (transformCount): by entry
	uint32_t* high;     ///< (transformCount)
	uint32_t* vertices; ///< (transformCount): how many have the transform
} Builder;

static bool AllocateScratch(Builder* b)
{
	size_t vertices = b->model->tree.vertexCount, transforms = b->header->transformCount;
	size_t influences = b->weights->starts[vertices];
	b->bytes = (influences + 7 * vertices + 1 + 4 * transforms) * sizeof(uint32_t);
	b->memory = sgAllocate(&b->model->allocator, b->bytes);
	if (b->memory == NULL)
	{
		return false;
	}
	b->quanta = b->memory;
	b->setOf = b->quanta + influences;
	b->members = b->setOf + vertices;
	b->grouped = b->members + vertices;
	b->seenAt = b->grouped + vertices;
	b->localOf = b->seenAt + vertices;
	b->next = b->localOf + vertices;
	b->groups = b->next + vertices;
	b->entryOf = b->groups + vertices + 1;
	b->low = b->entryOf + transforms;
	b->high = b->low + transforms;
	b->vertices = b->high + transforms;
	memset(b->seenAt, 0, vertices * sizeof(uint32_t));
	memset(b->localOf, 0xff, vertices * sizeof(uint32_t));
	memset(b->entryOf, 0xff, transforms * sizeof(uint32_t));
	return true;
}

// Integer weights that sum to exactly 1: those of a vertex over their sum, rounded down, and what that leaves goes to
// the largest. Together they are off by less than 2 n units. Rounding down never makes the sum too large: in double the
// quotients sum to 1 within n 2^-52, far below a unit.
static void Quantise(Builder* b, uint32_t vertex)
{
	const sgWeights* weights = b->weights;
	uint32_t first = weights->starts[vertex], end = weights->starts[vertex + 1], largest = first;
	double sum = 0.0;
	for (uint32_t k = first; k < end; ++k)
	{
		sum += (double)weights->weights[k];
		largest = weights->weights[k] > weights->weights[largest] ? k : largest;
	}
	uint32_t rest = SG_CORNER_ONE;
	for (uint32_t k = first; k < end; ++k)
	{
		b->quanta[k] = (uint32_t)((double)weights->weights[k] / sum * (double)SG_CORNER_ONE);
		rest -= b->quanta[k];
	}
	b->quanta[largest] += rest;
}

/// Next influence of a vertex that counts: one whose weight did not vanish.
static uint32_t SkipZeros(const Builder* b, uint32_t k, uint32_t end)
{
	while (k < end && b->quanta[k] == 0)
	{
		++k;
	}
	return k;
}

// An order of joint sets: by the first transform in which they differ.
static int CompareSets(const Builder* b, uint32_t first, uint32_t second)
{
	const sgWeights* weights = b->weights;
	uint32_t i = weights->starts[first], endI = weights->starts[first + 1];
	uint32_t j = weights->starts[second], endJ = weights->starts[second + 1];
	for (;; ++i, ++j)
	{
		i = SkipZeros(b, i, endI);
		j = SkipZeros(b, j, endJ);
		if (i == endI || j == endJ)
		{
			return (i < endI) - (j < endJ);
		}
		if (weights->transforms[i] != weights->transforms[j])
		{
			return weights->transforms[i] < weights->transforms[j] ? -1 : 1;
		}
	}
}

// Vertices by joint set, merging runs of twice the length each time; returns where they are in the end.
static uint32_t* SortBySet(const Builder* b, uint32_t* from, uint32_t* to, uint32_t count)
{
	for (uint64_t length = 1; length < count; length *= 2)
	{
		for (uint64_t start = 0; start < count; start += 2 * length)
		{
			uint64_t middle = start + length < count ? start + length : count;
			uint64_t end = middle + length < count ? middle + length : count, i = start, j = middle;
			for (uint64_t k = start; k < end; ++k)
			{
				bool isLeft = j == end || (i < middle && CompareSets(b, from[i], from[j]) <= 0);
				to[k] = isLeft ? from[i++] : from[j++];
			}
		}
		uint32_t* swap = from;
		from = to;
		to = swap;
	}
	return from;
}

static void NumberSets(Builder* b)
{
	uint32_t count = b->model->tree.vertexCount, number = 0;
	for (uint32_t v = 0; v < count; ++v)
	{
		Quantise(b, v);
		b->members[v] = v;
	}
	if (b->rules.setOf != NULL)
	{
		memcpy(b->setOf, b->rules.setOf, count * sizeof(uint32_t));
		return;
	}
	const uint32_t* sorted = SortBySet(b, b->members, b->grouped, count);
	for (uint32_t i = 0; i < count; ++i)
	{
		number += i > 0 && CompareSets(b, sorted[i - 1], sorted[i]) != 0;
		b->setOf[sorted[i]] = number;
	}
}

static double FarthestFrom(
    const snugModel* model, const uint32_t* vertices, uint32_t count, const float center[3], uint32_t* farthest)
{
	double most = -1.0;
	for (uint32_t i = 0; i < count; ++i)
	{
		const float* p = model->positions + 3 * (size_t)vertices[i];
		double x = (double)p[0] - (double)center[0], y = (double)p[1] - (double)center[1];
		double z = (double)p[2] - (double)center[2], distance2 = x * x + y * y + z * z;
		if (distance2 > most)
		{
			most = distance2;
			*farthest = vertices[i];
		}
	}
	return sqrt(most);
}

// A ball around rest positions: from the middle of their box, a few ever shorter steps towards whichever is farthest;
// the best of them is mostly within 1 % of the smallest. The centre is float32 from the start, and never leaves the box
// around the positions: those are float32 too.
static void FindRestBall(const snugModel* model, const uint32_t* vertices, uint32_t count, sgJointSet* set)
{
	sgBox box = sgBox_Empty();
	for (uint32_t i = 0; i < count; ++i)
	{
		sgBox_AddPoint(&box, model->positions + 3 * (size_t)vertices[i]);
	}
	double at[3], step = 0.25, least = INFINITY;
	for (int k = 0; k < 3; ++k)
	{
		at[k] = 0.5 * ((double)box.lower[k] + (double)box.upper[k]);
	}
	for (int i = 0; i < 12 && least > 0.0; ++i, step *= 0.8)
	{
		const float center[3] = { sgRoundNearest(at[0]), sgRoundNearest(at[1]), sgRoundNearest(at[2]) };
		uint32_t farthest = 0;
		double distance = FarthestFrom(model, vertices, count, center, &farthest);
		if (distance < least)
		{
			least = distance;
			memcpy(set->center, center, sizeof(center));
		}
		for (int k = 0; k < 3; ++k)
		{
			at[k] += step * ((double)model->positions[3 * (size_t)farthest + (size_t)k] - at[k]);
		}
	}
	set->radius = sgRoundUp(least * (1.0 + 0x1p-40));
}

// The transforms of all vertices of a set, in the order in which they occur, behind those of earlier sets; and the
// least and greatest weight of each.
static void FindLimits(Builder* b, const uint32_t* vertices, uint32_t count, sgJointSet* set)
{
	uint16_t* transforms = b->out->transforms + set->firstTransform;
	for (uint32_t i = 0; i < count; ++i)
	{
		for (uint32_t k = b->weights->starts[vertices[i]]; k < b->weights->starts[vertices[i] + 1]; ++k)
		{
			uint32_t weight = b->quanta[k], transform = b->weights->transforms[k];
			if (weight == 0 && b->rules.setOf == NULL)
			{
				continue;
			}
			if (b->entryOf[transform] == SG_NONE)
			{
				uint32_t entry = b->entryOf[transform] = set->transformCount++;
				transforms[entry] = (uint16_t)transform;
				b->low[entry] = b->high[entry] = weight;
				b->vertices[entry] = 0;
			}
			uint32_t entry = b->entryOf[transform];
			b->low[entry] = weight < b->low[entry] ? weight : b->low[entry];
			b->high[entry] = weight > b->high[entry] ? weight : b->high[entry];
			++b->vertices[entry];
		}
	}
	for (uint32_t entry = 0; entry < set->transformCount; ++entry)
	{
		b->low[entry] = b->vertices[entry] == count ? b->low[entry] : 0;
		b->entryOf[transforms[entry]] = SG_NONE;
	}
}

static void AddWeights(Builder* b, sgJointSet* set)
{
	uint32_t* weights = b->out->weights + set->firstWeight;
	uint32_t n = set->transformCount;
	if (n > SG_CORNER_TRANSFORMS || b->rules.isCornerFree)
	{
		memcpy(weights, b->low, n * sizeof(uint32_t));
		memcpy(weights + n, b->high, n * sizeof(uint32_t));
		b->out->weightCount += 2 * n;
		return;
	}
	uint32_t corners[SG_MAX_CORNERS][SG_CORNER_TRANSFORMS];
	set->cornerCount = sgCorners_Enumerate(b->low, b->high, n, corners);
	for (uint32_t i = 0; i < set->cornerCount; ++i)
	{
		memcpy(weights + (size_t)n * i, corners[i], n * sizeof(uint32_t));
	}
	b->out->weightCount += n * set->cornerCount;
}

static snugStatus MakeRoom(Builder* b)
{
	sgCornerArrays* out = b->out;
	const snugAllocator* allocator = &b->model->allocator;
	size_t transforms = b->header->transformCount;
	size_t weights = 2 * transforms + SG_MAX_CORNERS * SG_CORNER_TRANSFORMS;
	if ((uint64_t)out->transformCount + transforms > UINT32_MAX || (uint64_t)out->weightCount + weights > UINT32_MAX ||
	    out->setCount == UINT32_MAX)
	{
		return snug_outOfRange;
	}
	bool good =
	    sgGrow(allocator, (void**)&out->sets, &out->setCapacity, out->setCount, 1, sizeof(sgJointSet)) &&
	    sgGrow(allocator, (void**)&out->transforms, &out->transformCapacity, out->transformCount, transforms,
	        sizeof(uint16_t)) &&
	    sgGrow(allocator, (void**)&out->weights, &out->weightCapacity, out->weightCount, weights, sizeof(uint32_t)) &&
	    sgGrow(allocator, (void**)&out->numbers, &out->numberCapacity, out->setCount, 1, sizeof(uint32_t));
	return good ? snug_success : snug_outOfMemory;
}

static snugStatus AddSet(Builder* b, const uint32_t* vertices, uint32_t count)
{
	snugStatus status = MakeRoom(b);
	if (status != snug_success)
	{
		return status;
	}
	sgJointSet set = { .firstTransform = b->out->transformCount, .firstWeight = b->out->weightCount };
	FindRestBall(b->model, vertices, count, &set);
	FindLimits(b, vertices, count, &set);
	AddWeights(b, &set);
	b->out->transformCount += set.transformCount;
	b->out->numbers[b->out->setCount] = b->setOf[vertices[0]];
	b->out->sets[b->out->setCount++] = set;
	return snug_success;
}

// The vertices below a node, each once.
static uint32_t CollectMembers(Builder* b, uint32_t slot)
{
	const sgTree* tree = &b->model->tree;
	sgLeafRange range = sgTree_LeavesBelow(tree, slot);
	const sgLeaf* last = tree->leaves + range.last;
	uint32_t count = 0;
	for (uint32_t i = tree->leaves[range.first].firstVertex; i < last->firstVertex + last->vertexCount; ++i)
	{
		uint32_t vertex = tree->leafVertices[i];
		if (b->seenAt[vertex] != slot + 1)
		{
			b->seenAt[vertex] = slot + 1;
			b->members[count++] = vertex;
		}
	}
	return count;
}

// Members by joint set: those of set g are grouped[starts[g]] to grouped[starts[g + 1] - 1], and keep their order.
static uint32_t GroupMembers(Builder* b, uint32_t memberCount)
{
	uint32_t distinct = 0, *next = b->next, *starts = b->groups;
	for (uint32_t i = 0; i < memberCount; ++i)
	{
		uint32_t* local = b->localOf + b->setOf[b->members[i]];
		*local = *local == SG_NONE ? distinct++ : *local;
	}
	uint32_t count = distinct < b->mostSets ? distinct : b->mostSets;
	memset(next, 0, count * sizeof(uint32_t));
	for (uint32_t i = 0; i < memberCount; ++i)
	{
		++next[(uint64_t)b->localOf[b->setOf[b->members[i]]] * count / distinct];
	}
	starts[0] = 0;
	for (uint32_t g = 0; g < count; ++g)
	{
		starts[g + 1] = starts[g] + next[g];
		next[g] = starts[g];
	}
	for (uint32_t i = 0; i < memberCount; ++i)
	{
		uint64_t local = b->localOf[b->setOf[b->members[i]]];
		b->grouped[next[local * count / distinct]++] = b->members[i];
	}
	for (uint32_t i = 0; i < memberCount; ++i)
	{
		b->localOf[b->setOf[b->members[i]]] = SG_NONE;
	}
	return count;
}

static snugStatus AddNode(Builder* b, uint32_t slot)
{
	const uint32_t* starts = b->groups;
	uint32_t memberCount = CollectMembers(b, slot);
	uint32_t count = GroupMembers(b, memberCount);
	snugStatus status = snug_success;
	for (uint32_t g = 0; g < count && status == snug_success; ++g)
	{
		status = AddSet(b, b->grouped + starts[g], starts[g + 1] - starts[g]);
	}
	return status;
}

static snugStatus AddNodes(Builder* b)
{
	const sgTree* tree = &b->model->tree;
	uint32_t slots = tree->groupCount * SG_LANES;
	snugStatus status = snug_success;
	for (uint32_t slot = 0; slot < slots; ++slot)
	{
		bool isThere = tree->nodes[slot].first != SG_NONE;
		b->out->starts[slot] = b->out->setCount;
		if (status == snug_success && isThere && (b->header->boundLeaves != 0 || !sgTree_IsLeaf(tree, slot)))
		{
			status = AddNode(b, slot);
		}
	}
	b->out->starts[slots] = b->out->setCount;
	return status;
}

snugStatus sgCorners_Build(const snugModel* model, const sgBlendHeader* header, const sgWeights* weights,
    const sgCornerRules* rules, sgCornerArrays* arrays)
{
	*arrays = (sgCornerArrays){ .startCount = (size_t)model->tree.groupCount * SG_LANES + 1 };
	arrays->starts = sgAllocate(&model->allocator, arrays->startCount * sizeof(uint32_t));
	Builder builder = { .model = model, .header = header, .weights = weights, .out = arrays };
	builder.rules = rules != NULL ? *rules : (sgCornerRules){ .setOf = NULL };
	builder.mostSets = builder.rules.setOf != NULL ? UINT32_MAX : SG_MAX_JOINT_SETS;
	if (arrays->starts == NULL || !AllocateScratch(&builder))
	{
		return snug_outOfMemory;
	}
	NumberSets(&builder);
	snugStatus status = AddNodes(&builder);
	sgRelease(&model->allocator, builder.memory, builder.bytes);
	return status;
}

void sgCorners_Release(sgCornerArrays* arrays, const snugAllocator* allocator)
{
	sgRelease(allocator, arrays->starts, arrays->startCount * sizeof(uint32_t));
	sgRelease(allocator, arrays->sets, arrays->setCapacity * sizeof(sgJointSet));
	sgRelease(allocator, arrays->transforms, arrays->transformCapacity * sizeof(uint16_t));
	sgRelease(allocator, arrays->weights, arrays->weightCapacity * sizeof(uint32_t));
	sgRelease(allocator, arrays->numbers, arrays->numberCapacity * sizeof(uint32_t));
}

// ---- Files -----------------------------------------------------------------------------------------------------

// One joint set, of which transforms and weights begin where those of the one before end.
static bool CheckSet(
    const sgBlend* blend, const sgJointSet* set, uint64_t transforms, uint64_t weights, bool isCornerFree)
{
	const sgBlendHeader* header = blend->header;
	bool hasCorners = set->transformCount <= SG_CORNER_TRANSFORMS && !isCornerFree;
	return set->firstTransform == transforms && set->transformCount > 0 && set->firstWeight == weights &&
	       set->transformCount <= header->setTransformCount - transforms && hasCorners == (set->cornerCount > 0) &&
	       set->cornerCount <= SG_MAX_CORNERS && sgAreWithin(set->center, 3, FLT_MAX) && set->radius >= 0.0f &&
	       isfinite(set->radius);
}

// A node has as many sets as it may, none if it is not bounded.
static bool CheckNode(const snugModel* model, const sgBlend* blend, uint32_t slot, uint32_t most)
{
	const sgTree* tree = &model->tree;
	uint32_t first = blend->jointSetStarts[slot], end = blend->jointSetStarts[slot + 1];
	bool isBounded =
	    tree->nodes[slot].first != SG_NONE && (blend->header->boundLeaves != 0 || !sgTree_IsLeaf(tree, slot));
	return end >= first && end <= blend->header->jointSetCount && end - first <= (isBounded ? most : 0);
}

const char* sgCorners_Check(const snugModel* model, const sgBlend* blend, const sgCornerRules* rules)
{
	static const char fault[] = "its joint sets of nodes are wrong";
	const sgBlendHeader* header = blend->header;
	uint32_t slots = model->tree.groupCount * SG_LANES, most = rules != NULL ? UINT32_MAX : SG_MAX_JOINT_SETS;
	uint64_t transforms = 0, weights = 0;
	if (blend->jointSetStarts[0] != 0 || blend->jointSetStarts[slots] != header->jointSetCount)
	{
		return fault;
	}
	for (uint32_t slot = 0; slot < slots; ++slot)
	{
		if (!CheckNode(model, blend, slot, most))
		{
			return fault;
		}
	}
	for (uint32_t i = 0; i < header->jointSetCount; ++i)
	{
		const sgJointSet* set = blend->jointSets + i;
		if (!CheckSet(blend, set, transforms, weights, rules != NULL && rules->isCornerFree))
		{
			return fault;
		}
		transforms += set->transformCount;
		weights += (uint64_t)set->transformCount * (set->cornerCount > 0 ? set->cornerCount : 2);
		if (weights > header->setWeightCount)
		{
			return fault;
		}
	}
	return transforms == header->setTransformCount && weights == header->setWeightCount ? NULL : fault;
}
