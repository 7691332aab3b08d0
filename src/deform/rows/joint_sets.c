// src/deform/rows/joint_sets.c: joint sets, pairs of joints, and in which order signs are chosen. See joint_sets.h.
#include "deform/rows/joint_sets.h"

#include "geometry/frame.h"

#include <math.h>
#include <string.h>

// ---- Joint sets ------------------------------------------------------------------------------------------------

// An order of vertices: by how many joints move them, then by the first joint in which they differ.
static int CompareSets(const sgWeights* weights, uint32_t first, uint32_t second)
{
	uint32_t i = weights->starts[first], j = weights->starts[second];
	uint32_t count = weights->starts[first + 1] - i, other = weights->starts[second + 1] - j;
	if (count != other)
	{
		return count < other ? -1 : 1;
	}
	for (uint32_t k = 0; k < count; ++k)
	{
		if (weights->transforms[i + k] != weights->transforms[j + k])
		{
			return weights->transforms[i + k] < weights->transforms[j + k] ? -1 : 1;
		}
	}
	return 0;
}

// Merging runs of twice the length each time; returns where they are in the end.
static uint32_t* SortVertices(const sgWeights* weights, uint32_t* from, uint32_t* to, uint32_t count)
{
	for (uint64_t length = 1; length < count; length *= 2)
	{
		for (uint64_t start = 0; start < count; start += 2 * length)
		{
			uint64_t middle = start + length < count ? start + length : count;
			uint64_t end = middle + length < count ? middle + length : count, i = start, j = middle;
			for (uint64_t k = start; k < end; ++k)
			{
				bool isLeft = j == end || (i < middle && CompareSets(weights, from[i], from[j]) <= 0);
				to[k] = isLeft ? from[i++] : from[j++];
			}
		}
		uint32_t* swap = from;
		from = to;
		to = swap;
	}
	return from;
}

static bool AddSet(sgTurningDraft* draft, uint32_t vertex)
{
	const sgWeights* weights = draft->weights;
	uint32_t count = weights->starts[vertex + 1] - weights->starts[vertex];
	if (!sgGrow(&draft->model->allocator, (void**)&draft->members, &draft->memberCapacity, draft->header.memberCount,
	        count, sizeof(uint16_t)))
	{
		return false;
	}
	memcpy(draft->members + draft->header.memberCount, weights->transforms + weights->starts[vertex],
	    count * sizeof(uint16_t));
	draft->sets[draft->header.setCount++] =
	    (sgTurningSet){ .firstMember = draft->header.memberCount, .memberCount = count };
	draft->header.memberCount += count;
	return true;
}

// The pivot of a set of vertices: of the joint with the most weight, the first where several have it.
static uint32_t FindPivot(const sgWeights* weights, const uint32_t* vertices, uint32_t count)
{
	uint32_t joints = weights->starts[vertices[0] + 1] - weights->starts[vertices[0]], pivot = 0;
	double most = -1.0;
	for (uint32_t k = 0; k < joints; ++k)
	{
		double sum = 0.0;
		for (uint32_t i = 0; i < count; ++i)
		{
			sum += (double)weights->weights[weights->starts[vertices[i]] + k];
		}
		pivot = sum > most ? k : pivot;
		most = sum > most ? sum : most;
	}
	return pivot;
}

static bool FindSets(sgTurningDraft* draft, uint32_t* scratch)
{
	uint32_t count = draft->model->tree.vertexCount;
	for (uint32_t v = 0; v < count; ++v)
	{
		scratch[v] = v;
	}
	const uint32_t* sorted = SortVertices(draft->weights, scratch, scratch + count, count);
	for (uint32_t i = 0, end; i < count; i = end)
	{
		for (end = i; end < count && CompareSets(draft->weights, sorted[i], sorted[end]) == 0; ++end)
		{
			draft->setOf[sorted[end]] = draft->header.setCount;
		}
		if (!AddSet(draft, sorted[i]))
		{
			return false;
		}
		draft->sets[draft->header.setCount - 1].pivot = FindPivot(draft->weights, sorted + i, end - i);
	}
	return true;
}

// Where a joint is at rest if the definition does not say: the weighted mean of what it moves.
static void FindJointPositions(sgTurningDraft* draft, double (*sums)[4])
{
	const sgWeights* weights = draft->weights;
	memset(sums, 0, draft->transformCount * sizeof(*sums));
	for (uint32_t v = 0; v < draft->model->tree.vertexCount; ++v)
	{
		const float* p = draft->model->positions + 3 * (size_t)v;
		for (uint32_t k = weights->starts[v]; k < weights->starts[v + 1]; ++k)
		{
			double weight = weights->weights[k], *sum = sums[weights->transforms[k]];
			sum[0] += weight * (double)p[0];
			sum[1] += weight * (double)p[1];
			sum[2] += weight * (double)p[2];
			sum[3] += weight;
		}
	}
	for (size_t j = 0; j < draft->transformCount; ++j)
	{
		for (size_t k = 0; k < 3; ++k)
		{
			draft->jointPositions[3 * j + k] = sums[j][3] > 0.0 ? sgRoundNearest(sums[j][k] / sums[j][3]) : 0.0f;
		}
	}
}

static void FindOrigins(sgTurningDraft* draft)
{
	for (uint32_t s = 0; s < draft->header.setCount; ++s)
	{
		sgTurningSet* set = draft->sets + s;
		for (size_t k = 0; k < 3; ++k)
		{
			double sum = 0.0;
			for (uint32_t m = 0; m < set->memberCount; ++m)
			{
				sum += (double)draft->jointPositions[3 * (size_t)draft->members[set->firstMember + m] + k];
			}
			set->origin[k] = sgRoundNearest(sum / (double)set->memberCount);
		}
	}
}

// ---- Pairs and edges -------------------------------------------------------------------------------------------

/// Pairs of joints as numbers, while they are collected: each once after a call of Keys_Sort.
typedef struct Keys
{
	const snugAllocator* allocator;
	uint32_t* list;
	size_t capacity;
	uint32_t count;
	uint32_t sortedCount; ///< when last sorted
} Keys;

static uint32_t KeyOf(uint16_t a, uint16_t b)
{
	return a < b ? (uint32_t)a << 16 | b : (uint32_t)b << 16 | a;
}

static void Keys_Sort(Keys* keys)
{
	for (uint32_t gap = keys->count / 2; gap > 0; gap = gap == 2 ? 1 : (uint32_t)((uint64_t)gap * 5 / 11))
	{
		for (uint32_t i = gap; i < keys->count; ++i)
		{
			uint32_t value = keys->list[i], j = i;
			for (; j >= gap && keys->list[j - gap] > value; j -= gap)
			{
				keys->list[j] = keys->list[j - gap];
			}
			keys->list[j] = value;
		}
	}
	uint32_t count = 0;
	for (uint32_t i = 0; i < keys->count; ++i)
	{
		if (i == 0 || keys->list[i] != keys->list[i - 1])
		{
			uint32_t value = keys->list[i];
			keys->list[count++] = value;
		}
	}
	keys->count = keys->sortedCount = count;
}

static bool Keys_Add(Keys* keys, uint32_t key)
{
	if (keys->count >= 2 * keys->sortedCount + 65536)
	{
		Keys_Sort(keys);
	}
	if (!sgGrow(keys->allocator, (void**)&keys->list, &keys->capacity, keys->count, 1, sizeof(uint32_t)))
	{
		return false;
	}
	keys->list[keys->count++] = key;
	return true;
}

static void Keys_Release(Keys* keys)
{
	sgRelease(keys->allocator, keys->list, keys->capacity * sizeof(uint32_t));
}

/// The place of a key that is there.
static uint32_t FindKey(const sgTurningPair* pairs, uint32_t count, uint32_t key)
{
	uint32_t first = 0, last = count;
	while (last - first > 1)
	{
		uint32_t middle = first + (last - first) / 2;
		bool isBeyond = KeyOf(pairs[middle].first, pairs[middle].second) > key;
		first = isBeyond ? first : middle;
		last = isBeyond ? middle : last;
	}
	return first;
}

static bool StorePairs(const Keys* keys, sgTurningPair** pairs, size_t* capacity)
{
	if (!sgGrow(keys->allocator, (void**)pairs, capacity, 0, (size_t)keys->count + 1, sizeof(sgTurningPair)))
	{
		return false;
	}
	for (uint32_t i = 0; i < keys->count; ++i)
	{
		(*pairs)[i] = (sgTurningPair){ (uint16_t)(keys->list[i] >> 16), (uint16_t)keys->list[i] };
	}
	return true;
}

static bool FindPairs(sgTurningDraft* draft, Keys* keys)
{
	for (uint32_t s = 0; s < draft->header.setCount; ++s)
	{
		const uint16_t* members = draft->members + draft->sets[s].firstMember;
		for (uint32_t i = 0; i < draft->sets[s].memberCount; ++i)
		{
			for (uint32_t j = i; j < draft->sets[s].memberCount; ++j)
			{
				if (!Keys_Add(keys, KeyOf(members[i], members[j])))
				{
					return false;
				}
			}
		}
		if (keys->sortedCount > UINT16_MAX)
		{
			return true;
		}
	}
	Keys_Sort(keys);
	return keys->count > UINT16_MAX || StorePairs(keys, &draft->pairs, &draft->pairCapacity);
}

static bool ListSetPairs(sgTurningDraft* draft)
{
	for (uint32_t s = 0; s < draft->header.setCount; ++s)
	{
		sgTurningSet* set = draft->sets + s;
		const uint16_t* members = draft->members + set->firstMember;
		uint32_t count = draft->header.setPairCount, n = set->memberCount;
		if (!sgGrow(&draft->model->allocator, (void**)&draft->setPairs, &draft->setPairCapacity, count,
		        (size_t)n * n / 2 + 1, sizeof(uint16_t)))
		{
			return false;
		}
		set->firstPair = count;
		for (uint32_t i = 0; i < n; ++i)
		{
			for (uint32_t j = i + 1; j < n; ++j)
			{
				uint32_t key = KeyOf(members[i], members[j]);
				draft->setPairs[count++] = (uint16_t)FindKey(draft->pairs, draft->header.pairCount, key);
			}
		}
		draft->header.setPairCount = count;
	}
	return true;
}

static snugStatus MakePairs(sgTurningDraft* draft)
{
	Keys keys = { .allocator = &draft->model->allocator };
	bool good = FindPairs(draft, &keys);
	if (good && keys.count <= UINT16_MAX)
	{
		draft->header.pairCount = keys.count;
		good = ListSetPairs(draft);
	}
	Keys_Release(&keys);
	return good ? snug_success : snug_outOfMemory;
}

// The weights of pairs, rounded once; those that vanish are left out.
static snugStatus MakePairWeights(sgTurningDraft* draft)
{
	const sgWeights* weights = draft->weights;
	uint32_t vertexCount = draft->model->tree.vertexCount;
	uint64_t total = 0;
	for (uint32_t v = 0; v < vertexCount; ++v)
	{
		uint64_t n = weights->starts[v + 1] - weights->starts[v];
		total += n * (n + 1) / 2;
	}
	if (total > UINT32_MAX)
	{
		return snug_outOfRange;
	}
	draft->pairWeightCount = (size_t)total;
	const snugAllocator* allocator = &draft->model->allocator;
	sgWeights* out = &draft->pairWeights;
	out->starts = sgAllocate(allocator, ((size_t)vertexCount + 1) * sizeof(uint32_t));
	out->weights = sgAllocate(allocator, ((size_t)total + 1) * sizeof(float));
	out->transforms = sgAllocate(allocator, ((size_t)total + 1) * sizeof(uint16_t));
	if (out->starts == NULL || out->weights == NULL || out->transforms == NULL)
	{
		return snug_outOfMemory;
	}
	uint32_t count = 0;
	for (uint32_t v = 0; v < vertexCount; ++v)
	{
		out->starts[v] = count;
		for (uint32_t i = weights->starts[v]; i < weights->starts[v + 1]; ++i)
		{
			for (uint32_t j = i; j < weights->starts[v + 1]; ++j)
			{
				double product = (double)weights->weights[i] * (double)weights->weights[j];
				uint32_t key = KeyOf(weights->transforms[i], weights->transforms[j]);
				out->weights[count] = sgRoundNearest(i == j ? product : 2.0 * product);
				out->transforms[count] = (uint16_t)FindKey(draft->pairs, draft->header.pairCount, key);
				count += out->weights[count] > 0.0f;
			}
		}
	}
	out->starts[vertexCount] = count;
	return snug_success;
}

static bool FindEdges(sgTurningDraft* draft, Keys* keys)
{
	for (uint32_t s = 0; s < draft->header.setCount; ++s)
	{
		const sgTurningSet* set = draft->sets + s;
		const uint16_t* members = draft->members + set->firstMember;
		for (uint32_t i = 0; i < set->memberCount; ++i)
		{
			if (i != set->pivot && !Keys_Add(keys, KeyOf(members[i], members[set->pivot])))
			{
				return false;
			}
		}
	}
	Keys_Sort(keys);
	return StorePairs(keys, &draft->edges, &draft->edgeCapacity);
}

/// Joints in components while edges join them.
static uint32_t FindRoot(uint32_t* rootOf, uint32_t joint)
{
	while (rootOf[joint] != joint)
	{
		rootOf[joint] = rootOf[rootOf[joint]];
		joint = rootOf[joint];
	}
	return joint;
}

/// An edge while edges are put in order: a link if it joined two components.
typedef struct SetEdge
{
	double weight;
	sgTurningPair pair;
	uint32_t isLink;
} SetEdge;

static bool ComesBefore(const SetEdge* a, const SetEdge* b)
{
	uint32_t keyA = KeyOf(a->pair.first, a->pair.second), keyB = KeyOf(b->pair.first, b->pair.second);
	return a->weight != b->weight ? a->weight > b->weight : keyA < keyB;
}

static void SortEdges(SetEdge* edges, uint32_t count)
{
	for (uint32_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : (uint32_t)((uint64_t)gap * 5 / 11))
	{
		for (uint32_t i = gap; i < count; ++i)
		{
			SetEdge edge = edges[i];
			uint32_t j = i;
			for (; j >= gap && ComesBefore(&edge, edges + j - gap); j -= gap)
			{
				edges[j] = edges[j - gap];
			}
			edges[j] = edge;
		}
	}
}

// How much weight of vertices hangs on an edge, so that links are those that matter.
static void WeighEdges(const sgTurningDraft* draft, SetEdge* edges)
{
	const sgWeights* weights = draft->weights;
	for (uint32_t i = 0; i < draft->header.edgeCount; ++i)
	{
		edges[i] = (SetEdge){ .pair = draft->edges[i] };
	}
	for (uint32_t v = 0; v < draft->model->tree.vertexCount; ++v)
	{
		const sgTurningSet* set = draft->sets + draft->setOf[v];
		const uint16_t* members = draft->members + set->firstMember;
		for (uint32_t i = 0; i < set->memberCount; ++i)
		{
			if (i != set->pivot)
			{
				uint32_t key = KeyOf(members[i], members[set->pivot]);
				edges[FindKey(draft->edges, draft->header.edgeCount, key)].weight +=
				    (double)weights->weights[weights->starts[v] + i];
			}
		}
	}
}

// Links first, each towards a joint that no earlier one reaches: repeatedly over the heaviest edges, growing from the
// joints that are there already; then the other edges.
static void OrderEdges(sgTurningDraft* draft, SetEdge* edges, uint32_t* rootOf, uint32_t* isReached)
{
	uint32_t count = draft->header.edgeCount, stored = 0;
	SortEdges(edges, count);
	for (uint32_t j = 0; j < draft->transformCount; ++j)
	{
		rootOf[j] = j;
		isReached[j] = 0;
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		uint32_t a = FindRoot(rootOf, edges[i].pair.first), b = FindRoot(rootOf, edges[i].pair.second);
		edges[i].isLink = a != b;
		rootOf[a > b ? a : b] = a < b ? a : b;
	}
	// The least joint of a component, its root, is where the signs of its joints are chosen from.
	for (uint32_t j = 0; j < draft->transformCount; ++j)
	{
		isReached[j] = rootOf[j] == j;
	}
	for (bool isGrowing = true; isGrowing;)
	{
		isGrowing = false;
		for (uint32_t i = 0; i < count; ++i)
		{
			sgTurningPair pair = edges[i].pair;
			if (edges[i].isLink && isReached[pair.first] != isReached[pair.second])
			{
				bool isForward = isReached[pair.first] != 0;
				draft->edges[stored++] = isForward ? pair : (sgTurningPair){ pair.second, pair.first };
				isReached[pair.first] = isReached[pair.second] = 1;
				isGrowing = true;
			}
		}
	}
	draft->header.linkCount = stored;
	for (uint32_t i = 0; i < count; ++i)
	{
		if (!edges[i].isLink)
		{
			draft->edges[stored++] = edges[i].pair;
		}
	}
}

static snugStatus MakeEdges(sgTurningDraft* draft)
{
	const snugAllocator* allocator = &draft->model->allocator;
	Keys keys = { .allocator = allocator };
	bool good = FindEdges(draft, &keys);
	draft->header.edgeCount = keys.count;
	Keys_Release(&keys);
	size_t edgeBytes = ((size_t)draft->header.edgeCount + 1) * sizeof(SetEdge);
	size_t jointBytes = 2 * (size_t)draft->transformCount * sizeof(uint32_t);
	SetEdge* edges = sgAllocate(allocator, edgeBytes);
	uint32_t* joints = sgAllocate(allocator, jointBytes);
	good = good && edges != NULL && joints != NULL;
	if (good)
	{
		WeighEdges(draft, edges);
		OrderEdges(draft, edges, joints, joints + draft->transformCount);
	}
	sgRelease(allocator, edges, edgeBytes);
	sgRelease(allocator, joints, jointBytes);
	return good ? snug_success : snug_outOfMemory;
}

// ---- All of it -------------------------------------------------------------------------------------------------

static snugStatus MakeSets(sgTurningDraft* draft, const float* jointPositions)
{
	const snugAllocator* allocator = &draft->model->allocator;
	size_t vertices = draft->model->tree.vertexCount, joints = draft->transformCount;
	draft->setCapacity = (uint32_t)vertices + 1;
	draft->jointPositions = sgAllocate(allocator, 3 * joints * sizeof(float));
	draft->setOf = sgAllocate(allocator, (vertices + 1) * sizeof(uint32_t));
	draft->sets = sgAllocate(allocator, draft->setCapacity * sizeof(sgTurningSet));
	size_t bytes = sgAlignUp(2 * (vertices + 1) * sizeof(uint32_t), SG_ALIGNMENT) + 4 * joints * sizeof(double);
	char* scratch = sgAllocate(allocator, bytes);
	bool good = draft->jointPositions != NULL && draft->setOf != NULL && draft->sets != NULL && scratch != NULL;
	good = good && FindSets(draft, (uint32_t*)(void*)scratch);
	if (good)
	{
		void* sums = scratch + sgAlignUp(2 * (vertices + 1) * sizeof(uint32_t), SG_ALIGNMENT);
		FindJointPositions(draft, sums);
		if (jointPositions != NULL)
		{
			memcpy(draft->jointPositions, jointPositions, 3 * joints * sizeof(float));
		}
		FindOrigins(draft);
	}
	sgRelease(allocator, scratch, bytes);
	return good ? snug_success : snug_outOfMemory;
}

snugStatus sgTurningDraft_Make(sgTurningDraft* draft, const snugModel* model, const sgWeights* weights,
    uint32_t transformCount, uint32_t maxInfluences, const float* jointPositions)
{
	*draft = (sgTurningDraft){ .model = model, .weights = weights, .transformCount = transformCount };
	snugStatus status = MakeSets(draft, jointPositions);
	status = status == snug_success ? MakeEdges(draft) : status;
	if (status == snug_success && maxInfluences <= SG_PAIR_INFLUENCES)
	{
		status = MakePairs(draft);
		status = status == snug_success && draft->header.pairCount > 0 ? MakePairWeights(draft) : status;
	}
	return status;
}

void sgTurningDraft_Release(sgTurningDraft* draft)
{
	if (draft->model == NULL)
	{
		return;
	}
	const snugAllocator* allocator = &draft->model->allocator;
	size_t vertices = draft->model->tree.vertexCount;
	sgRelease(allocator, draft->jointPositions, 3 * (size_t)draft->transformCount * sizeof(float));
	sgRelease(allocator, draft->setOf, (vertices + 1) * sizeof(uint32_t));
	sgRelease(allocator, draft->sets, draft->setCapacity * sizeof(sgTurningSet));
	sgRelease(allocator, draft->members, draft->memberCapacity * sizeof(uint16_t));
	sgRelease(allocator, draft->pairs, draft->pairCapacity * sizeof(sgTurningPair));
	sgRelease(allocator, draft->setPairs, draft->setPairCapacity * sizeof(uint16_t));
	sgRelease(allocator, draft->edges, draft->edgeCapacity * sizeof(sgTurningPair));
	sgRelease(allocator, draft->pairWeights.starts, (vertices + 1) * sizeof(uint32_t));
	sgRelease(allocator, draft->pairWeights.weights, (draft->pairWeightCount + 1) * sizeof(float));
	sgRelease(allocator, draft->pairWeights.transforms, (draft->pairWeightCount + 1) * sizeof(uint16_t));
}
