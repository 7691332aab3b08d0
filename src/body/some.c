// src/body/some.c: posed positions of some vertices and triangles, and boxes of nodes, for the caller.
#include "base/fpenv.h"
#include "body/cache.h"
#include "snug/snug_queries.h"
#include "tree/leaf_kernels.h"

#include <string.h>

static const double zeroOrigin[3] = { 0.0, 0.0, 0.0 };

// ---- The index -----------------------------------------------------------------------------------------------------

size_t sgBody_IndexBytes(const snugBody* body)
{
	const sgTree* tree = &body->model->tree;
	return body->index != NULL ? ((size_t)tree->triangleCount + tree->vertexCount) * sizeof(uint32_t) : 0;
}

// The tree's maps, inverted: of each triangle leaf * SG_LANES + lane, then of each vertex its number in tree order.
// Most bodies never need it.
static bool MakeIndex(snugBody* body)
{
	const sgTree* tree = &body->model->tree;
	uint32_t* index =
	    sgAllocate(&body->allocator, ((size_t)tree->triangleCount + tree->vertexCount) * sizeof(uint32_t));
	for (uint32_t i = 0; index != NULL && i < tree->leafCount; ++i)
	{
		const sgLeaf* leaf = tree->leaves + i;
		for (uint32_t t = 0; t < leaf->triangleCount; ++t)
		{
			index[tree->triangleMap[leaf->firstTriangle + t]] = i * SG_LANES + t;
		}
	}
	for (uint32_t v = 0; index != NULL && v < tree->vertexCount; ++v)
	{
		index[(size_t)tree->triangleCount + tree->vertexMap[v]] = v;
	}
	body->index = index;
	return index != NULL;
}

// ---- Vertices ------------------------------------------------------------------------------------------------------

/// What was asked for, and where it goes: `width` vertices each.
typedef struct Request
{
	snugBody* body;
	const double* origin;
	const uint32_t* numbers;
	uint32_t count;
	uint32_t width;
	char* out;
	size_t stride;
	snugCounters* counters;
} Request;

// The vertices of one item, in tree order.
static void FindVertices(const Request* request, uint32_t item, uint32_t* vertices)
{
	const snugModel* model = request->body->model;
	uint32_t number = request->numbers[item];
	if (request->width == 1)
	{
		*vertices = request->body->index[(size_t)model->tree.triangleCount + number];
		return;
	}
	uint32_t place = request->body->index[number], lane = place % SG_LANES;
	const sgLeaf* leaf = model->tree.leaves + place / SG_LANES;
	for (int c = 0; c < 3; ++c)
	{
		vertices[c] = model->tree.leafVertices[leaf->firstVertex + leaf->corners[c][lane]];
	}
}

// Up to SG_MAX_LEAF_VERTICES vertices at a time.
static void PutItems(const Request* request, const sgPlacement* placement, uint32_t first, uint32_t items)
{
	uint32_t vertices[SG_MAX_LEAF_VERTICES + SG_LANES] = { 0 }, width = request->width, count = items * width;
	for (uint32_t i = 0; i < items; ++i)
	{
		FindVertices(request, first + i, vertices + i * width);
	}
	sgLeafScratch scratch;
	sgVertexBlock block;
	sgLeafVertices found = sgBody_Evaluate(request->body, vertices, count, &scratch);
	request->counters->verticesEvaluated += count;
	sgGetKernels()->leaves->gatherVertices(found.positions, found.indices, count, &block);
	sgGetKernels()->leaves->placeVertices(&block, count, placement);
	for (uint32_t i = 0; i < count; ++i)
	{
		float* out = (float*)(void*)(request->out + (first + i / width) * request->stride) + 3 * (size_t)(i % width);
		for (int axis = 0; axis < 3; ++axis)
		{
			out[axis] = block.coordinate[axis][i];
		}
	}
}

static SG_NOINLINE snugStatus Put(const Request* request)
{
	sgBox root;
	sgPlacement placement;
	snugStatus status = sgBody_MakePlacement(request->body, request->origin, &root, &placement, request->counters);
	uint32_t step = SG_MAX_LEAF_VERTICES / request->width;
	for (uint32_t first = 0; status == snug_success && first < request->count; first += step)
	{
		PutItems(request, &placement, first, request->count - first < step ? request->count - first : step);
	}
	return status;
}

static snugStatus Serve(Request* request, uint32_t limit, const char* function)
{
	snugBody* body = request->body;
	request->origin = request->origin != NULL ? request->origin : zeroOrigin;
	request->stride = sgStride(request->stride, 3 * request->width * sizeof(float));
	SG_REQUIRE_IN(function, request->stride != 0 && sgIsFinitePoint(request->origin), snug_badArgument);
	bool hasArrays = request->numbers != NULL && request->out != NULL;
	SG_REQUIRE_IN(function, hasArrays || request->count == 0, snug_badArgument);
	for (uint32_t i = 0; i < request->count; ++i)
	{
		if (request->numbers[i] >= limit)
		{
			return sgFail(&body->messenger, snug_badArgument, "entry %u asks for %s %u, but there are %u", i,
			    request->width == 1 ? "vertex" : "triangle", request->numbers[i], limit);
		}
	}
	if (request->count > 0 && body->index == NULL && !MakeIndex(body))
	{
		return sgFail(&body->messenger, snug_outOfMemory, "no memory for an index of vertices and triangles");
	}
	sgFpEnv environment = sgFpEnv_Enter();
	snugStatus status = Put(request);
	sgFpEnv_Leave(environment);
	return status;
}

snugStatus sgBody_GatherVertices(snugBody* body, const double origin[3], const uint32_t* vertices, uint32_t count,
    float* positions, size_t stride, snugCounters* counters)
{
	Request request = { body, origin, vertices, count, 1, (char*)positions, stride, counters };
	return Serve(&request, body->model->tree.vertexCount, "snugBody_GatherVertices");
}

snugStatus snugBody_GatherVertices(
    snugBody* body, const double origin[3], const uint32_t* vertices, uint32_t count, float* positions, size_t stride)
{
	snugCounters counters = { 0 };
	SG_REQUIRE(body != NULL, snug_badArgument);
	return sgBody_GatherVertices(body, origin, vertices, count, positions, stride, &counters);
}

snugStatus snugBody_GetCorners(
    snugBody* body, const double origin[3], const uint32_t* triangles, uint32_t count, float* corners, size_t stride)
{
	snugCounters counters = { 0 };
	SG_REQUIRE(body != NULL, snug_badArgument);
	Request request = { body, origin, triangles, count, 3, (char*)corners, stride, &counters };
	return Serve(&request, body->model->tree.triangleCount, __func__);
}

// ---- Boxes ---------------------------------------------------------------------------------------------------------

typedef struct BoxList
{
	snugNodeBox* boxes;
	uint64_t capacity;
	uint64_t count;
} BoxList;

static void AddBox(BoxList* list, const sgBoxLanes* boxes, uint32_t slot, uint32_t level)
{
	if (list->count < list->capacity)
	{
		sgBox box = sgBoxLanes_Get(boxes, slot % SG_LANES);
		snugNodeBox* out = list->boxes + list->count;
		*out = (snugNodeBox){ .node = slot, .level = level };
		memcpy(out->lower, box.lower, sizeof(out->lower));
		memcpy(out->upper, box.upper, sizeof(out->upper));
	}
	++list->count;
}

static SG_NOINLINE void ListLevel(snugBody* body, uint32_t level, BoxList* list)
{
	const sgTree* tree = &body->model->tree;
	snugCounters counters = { 0 };
	sgBody_RootBox(body, &counters); // what is refitted from the leaves up is up to date then
	for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
	{
		const sgNode* node = tree->nodes + slot;
		bool isLeaf = node->first != SG_NONE && node->childCount == 0;
		if (node->first != SG_NONE && (node->level == level || (isLeaf && node->level < level)))
		{
			sgBoxLanes scratch;
			const sgBoxLanes* bounds = sgBody_Refresh(body, sgTree_Family(tree, slot), &scratch, &counters);
			AddBox(list, bounds, slot, node->level);
		}
	}
}

static SG_NOINLINE void ListVisited(snugBody* body, BoxList* list)
{
	const sgTree* tree = &body->model->tree;
	bool remembers = body->isPrepared && !body->isAtRest && body->deform->bound != NULL;
	for (uint32_t slot = 0; remembers && slot < tree->groupCount * SG_LANES; ++slot)
	{
		if (tree->nodes[slot].first == SG_NONE)
		{
			continue;
		}
		sgCacheGroup* cached = sgCache_FindGroup(body, slot / SG_LANES, false);
		if (cached != NULL && cached->version == body->version && cached->lastVisit == body->step)
		{
			AddBox(list, &cached->boxes, slot, tree->nodes[slot].level);
		}
	}
}

snugStatus snugBody_GetBoxes(snugBody* body, uint32_t level, snugNodeBox* boxes, uint64_t capacity, uint64_t* count)
{
	SG_REQUIRE(count != NULL, snug_badArgument);
	*count = 0;
	SG_REQUIRE(body != NULL && (boxes != NULL || capacity == 0), snug_badArgument);
	BoxList list = { boxes, capacity, 0 };
	if (level == SNUG_NONE)
	{
		ListVisited(body, &list);
	}
	else if (body->model->tree.triangleCount > 0)
	{
		sgFpEnv environment = sgFpEnv_Enter();
		ListLevel(body, level, &list);
		sgFpEnv_Leave(environment);
	}
	*count = list.count;
	return snug_success;
}

static SG_NOINLINE void BoundNode(snugBody* body, uint32_t node, snugNodeBox* box)
{
	const sgTree* tree = &body->model->tree;
	snugCounters counters = { 0 };
	sgBoxLanes scratch;
	BoxList list = { box, 1, 0 };
	sgBody_RootBox(body, &counters);
	const sgBoxLanes* bounds = sgBody_Refresh(body, sgTree_Family(tree, node), &scratch, &counters);
	AddBox(&list, bounds, node, tree->nodes[node].level);
}

snugStatus snugBody_GetNodeBox(snugBody* body, uint32_t node, snugNodeBox* box)
{
	SG_REQUIRE(body != NULL && box != NULL, snug_badArgument);
	*box = (snugNodeBox){ .node = node };
	const sgTree* tree = &body->model->tree;
	if (tree->triangleCount == 0 || node >= tree->groupCount * SG_LANES || tree->nodes[node].first == SG_NONE)
	{
		return sgFail(&body->messenger, snug_badArgument, "the tree has no node %u", node);
	}
	sgFpEnv environment = sgFpEnv_Enter();
	BoundNode(body, node, box);
	sgFpEnv_Leave(environment);
	return snug_success;
}
