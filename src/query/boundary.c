// src/query/boundary.c: whether a surface ends at an edge. Nothing is stored for it: the triangles at a vertex are
// those below nodes whose rest boxes contain it.
#include "query/contacts.h"

static void VisitLeaf(const snugModel* model, const sgLeaf* leaf, uint32_t vertex, sgStarFcn* visit, void* context)
{
	for (uint32_t t = 0; t < leaf->triangleCount; ++t)
	{
		uint32_t corners[3];
		bool isAt = false;
		for (int c = 0; c < 3; ++c)
		{
			corners[c] = sgTwinOf(model, model->tree.leafVertices[leaf->firstVertex + leaf->corners[c][t]]);
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
void sgModel_VisitStar(const snugModel* model, uint32_t vertex, sgStarFcn* visit, void* context)
{
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
			VisitLeaf(model, tree->leaves + node->first, vertex, visit, context);
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

/// An edge, and how many triangles have it.
typedef struct Edge
{
	uint32_t v, w;
	uint32_t count;
} Edge;

static void CountTriangle(void* context, const uint32_t corners[3])
{
	Edge* edge = context;
	for (int c = 0; c < 3; ++c)
	{
		const uint32_t next = corners[(c + 1) % 3];
		edge->count += (corners[c] == edge->v && next == edge->w) || (corners[c] == edge->w && next == edge->v);
	}
}

static bool IsBoundaryEdge(const snugModel* model, uint32_t v, uint32_t w)
{
	Edge edge = { .v = v, .w = w };
	sgModel_VisitStar(model, v, CountTriangle, &edge);
	return edge.count == 1;
}

/// A vertex, and whether any of its edges is a boundary.
typedef struct Star
{
	const snugModel* model;
	uint32_t vertex;
	bool isBoundary;
} Star;

static void LookAtEdges(void* context, const uint32_t corners[3])
{
	Star* star = context;
	for (int c = 0; c < 3; ++c)
	{
		const bool isOther = corners[c] != star->vertex;
		star->isBoundary = star->isBoundary || (isOther && IsBoundaryEdge(star->model, star->vertex, corners[c]));
	}
}

bool sgModel_IsBoundary(const snugModel* model, uint32_t v, uint32_t w)
{
	Star star = { .model = model, .vertex = v };
	if (w != SG_NONE)
	{
		return IsBoundaryEdge(model, v, w);
	}
	sgModel_VisitStar(model, v, LookAtEdges, &star);
	return star.isBoundary;
}
