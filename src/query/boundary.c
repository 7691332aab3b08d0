// src/query/boundary.c: whether a surface ends at an edge. Nothing is stored for it: the triangles at a vertex are
// those below nodes whose rest boxes contain it.
#include "query/contacts.h"
#include "query/walk.h"

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

/// A walk to the leaves around a vertex.
typedef struct StarSearch
{
	sgTreeWalk walk;
	const snugBody* body;
	uint32_t vertex;
	sgStarFcn* visit;
	void* context;
} StarSearch;

static StarSearch* SearchOf(sgTreeWalk* walk)
{
	return (StarSearch*)(void*)walk;
}

static sgOpened Open(sgTreeWalk* walk, uint32_t slot)
{
	return sgOpen(&SearchOf(walk)->body->model->tree, slot);
}

// Lanes whose rest boxes contain the vertex.
static uint32_t Look(sgTreeWalk* walk, const sgOpened* opened, float keys[SG_LANES])
{
	(void)keys;
	const snugModel* model = SearchOf(walk)->body->model;
	const float* point = model->positions + 3 * (size_t)SearchOf(walk)->vertex;
	uint32_t around = 0;
	for (uint32_t rest = opened->set.mask; rest != 0; rest &= rest - 1)
	{
		const uint32_t lane = sgLowestBit(rest);
		const sgBox box = sgBoxLanes_Get(model->restBounds + opened->set.group, lane);
		bool contains = true;
		for (int k = 0; k < 3; ++k)
		{
			contains = contains && box.lower[k] <= point[k] && point[k] <= box.upper[k];
		}
		around |= (uint32_t)contains << lane;
	}
	return around;
}

static void Settle(sgTreeWalk* walk, const sgOpened* opened, uint32_t lane)
{
	const StarSearch* search = SearchOf(walk);
	const sgTree* tree = &search->body->model->tree;
	const sgLeaf* leaf = tree->leaves + tree->nodes[sgOpened_Slot(opened, lane)].first;
	const uint32_t* leafVertices = tree->leafVertices + leaf->firstVertex;
	for (uint32_t t = 0; t < leaf->triangleCount; ++t)
	{
		uint32_t corners[3];
		bool isAt = false;
		for (int c = 0; c < 3; ++c)
		{
			corners[c] = sgBody_FindTwin(search->body, leafVertices[leaf->corners[c][t]]);
			isAt = isAt || corners[c] == search->vertex;
		}
		if (isAt)
		{
			search->visit(search->context, corners);
		}
	}
}

static const sgTreeWalker walker = { Open, Look, Settle, false };

void sgBody_VisitStar(const snugBody* body, uint32_t vertex, sgStarFcn* visit, void* context)
{
	StarSearch search; // not zeroed: most of it is scratch
	search.walk.isStopped = false;
	search.walk.limit = 0.0f;
	search.body = body;
	search.vertex = vertex;
	search.visit = visit;
	search.context = context;
	sgTreeWalk_Descend(&search.walk, &walker, 0);
}

// Vertices with many edges are visited several times, for a part of their neighbours each time.
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
