// src/query/boundary.c: whether a surface ends at an edge. Nothing is stored for it: the triangles at a vertex are
// those below nodes whose rest boxes contain it.
#include "query/contacts.h"

#define MAX_NEIGHBOURS 128

/// How many triangles have each edge at a vertex, as far as its neighbours are wanted and there is room.
typedef struct Star
{
	uint32_t vertex;      ///< of twins the one that stands for them, as its neighbours
	uint32_t part, parts; ///< neighbours whose number has this remainder are wanted
	uint32_t count;
	uint32_t neighbours[MAX_NEIGHBOURS];
	uint32_t triangles[MAX_NEIGHBOURS];
	bool isFull;
} Star;

static void AddEdge(Star* star, uint32_t neighbour)
{
	uint32_t i = 0;
	if (neighbour % star->parts != star->part)
	{
		return;
	}
	while (i < star->count && star->neighbours[i] != neighbour)
	{
		++i;
	}
	if (i == MAX_NEIGHBOURS)
	{
		star->isFull = true;
		return;
	}
	if (i == star->count)
	{
		star->neighbours[star->count++] = neighbour;
		star->triangles[i] = 0;
	}
	++star->triangles[i];
}

static void AddTriangle(void* context, const uint32_t corners[3])
{
	Star* star = context;
	for (int c = 0; c < 3; ++c)
	{
		uint32_t next = corners[(c + 1) % 3];
		if (corners[c] != next && (corners[c] == star->vertex || next == star->vertex))
		{
			AddEdge(star, corners[c] == star->vertex ? next : corners[c]);
		}
	}
}

static void VisitLeaf(const snugBody* body, const sgLeaf* leaf, uint32_t vertex, sgStarFcn* visit, void* context)
{
	const uint32_t* leafVertices = body->model->tree.leafVertices + leaf->firstVertex;
	for (uint32_t t = 0; t < leaf->triangleCount; ++t)
	{
		uint32_t corners[3];
		bool isAt = false;
		for (int c = 0; c < 3; ++c)
		{
			corners[c] = sgBody_FindTwin(body, leafVertices[leaf->corners[c][t]]);
			isAt = isAt || corners[c] == vertex;
		}
		if (isAt)
		{
			visit(context, corners);
		}
	}
}

static bool Contains(const snugModel* model, uint32_t slot, const float* point)
{
	sgBox box = sgBoxLanes_Get(model->restBounds + slot / SG_LANES, slot % SG_LANES);
	bool contains = true;
	for (int k = 0; k < 3; ++k)
	{
		contains = contains && box.lower[k] <= point[k] && point[k] <= box.upper[k];
	}
	return contains;
}

// Each node replaces itself by its children, so that the stack has no more than those of one path.
void sgBody_VisitStar(const snugBody* body, uint32_t vertex, sgStarFcn* visit, void* context)
{
	const snugModel* model = body->model;
	const sgTree* tree = &model->tree;
	const float* point = model->positions + 3 * (size_t)vertex;
	uint32_t stack[SG_MAX_DEPTH * SG_LANES + 1], depth = 1;
	stack[0] = 0;
	while (depth > 0)
	{
		uint32_t slot = stack[--depth];
		const sgNode* node = tree->nodes + slot;
		if (node->childCount == 0)
		{
			VisitLeaf(body, tree->leaves + node->first, vertex, visit, context);
		}
		for (uint32_t i = 0; i < node->childCount; ++i)
		{
			if (Contains(model, node->first + i, point))
			{
				stack[depth++] = node->first + i;
			}
		}
	}
}

// Vertices of many edges are looked at several times, for a part of their neighbours each.
bool sgBody_IsBoundary(const snugBody* body, uint32_t v, uint32_t w)
{
	bool isBoundary = false;
	for (uint32_t part = 0, parts = 1; part < parts && !isBoundary;)
	{
		Star star = { .vertex = v, .part = part, .parts = parts };
		sgBody_VisitStar(body, v, AddTriangle, &star);
		for (uint32_t i = 0; i < star.count; ++i)
		{
			isBoundary = isBoundary || (star.triangles[i] == 1 && (w == SG_NONE || star.neighbours[i] == w));
		}
		parts *= star.isFull ? 2 : 1;
		part = star.isFull ? 0 : part + 1;
	}
	return isBoundary;
}
