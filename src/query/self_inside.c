// src/query/self_inside.c: which of a body's own vertices and triangles are inside it.
//
// What is asked about is the point just in front of a triangle, next to a corner (geometry/crossing.h). Where triangles
// meet others, each corner is asked for itself. The rest falls into parts: two triangles that meet nothing have the
// same in front of them if they share an edge that no third one has, and turn the same way: all around a point inside
// of that edge there is nothing but them. So one half-line per part is enough, if the surface is closed and turns the
// same way everywhere; otherwise it matters where the half-line is, and there are no parts.
#include "base/fpenv.h"
#include "geometry/predicates.h"
#include "query/edges.h"
#include "query/inside.h"
#include "query/pairs.h"
#include "snug/snug_queries.h"

#include <string.h>

/// Triangles of no part.
#define OWN_CUT SG_NONE        ///< it meets others
#define OWN_FLAT (SG_NONE - 1) ///< it has no area, and meets none

/// What is asked of a body's own surface.
typedef struct Own
{
	sgInside search;
	sgView triangles; ///< those that are asked about
	uint32_t* parts;  ///< (triangleCount) in tree order: the above, or a triangle of the same part
	int32_t* winding; ///< (triangleCount) in front of a part
	bool* isKnown;    ///< (triangleCount)
	snugPointSide* ofVertices;
	snugPointSide* ofTriangles;
	bool hasParts;
	bool isOfCut; ///< triangles that meet others come last
} Own;

// ---- Parts ---------------------------------------------------------------------------------------------------------

// A snugPairFcn: of places.
static bool Cut(void* user, snugPair pair)
{
	Own* own = user;
	const sgLeaf* leaves = own->triangles.tree->leaves;
	own->parts[leaves[pair.a / SG_LANES].firstTriangle + pair.a % SG_LANES] = OWN_CUT;
	own->parts[leaves[pair.b / SG_LANES].firstTriangle + pair.b % SG_LANES] = OWN_CUT;
	return true;
}

static snugStatus CutAll(Own* own, snugBody* body)
{
	const sgPairOptions options = { .asPlaces = true, .keepRest = true };
	// Nobody else is called, so it does not matter which environment that would be in.
	sgSink sink = { .callback = Cut, .user = own, .callersEnvironment = sgFpEnv_Enter() };
	snugResult pairs = { .status = snug_success };
	sgFindPairs(body, body, &options, &sink, &pairs);
	sgCounters_Add(&own->search.counters, &pairs.counters);
	return pairs.status;
}

static uint32_t PartOf(Own* own, uint32_t triangle)
{
	while (own->parts[triangle] != triangle)
	{
		own->parts[triangle] = own->parts[own->parts[triangle]];
		triangle = own->parts[triangle];
	}
	return triangle;
}

static void Join(Own* own, const sgEdges* edges)
{
	own->hasParts = true;
	for (uint64_t i = 0; i < edges->size && own->hasParts; ++i)
	{
		own->hasParts = sgEdge_IsBalanced(edges->edges + i);
	}
	for (uint64_t i = 0; i < edges->size && own->hasParts; ++i)
	{
		const sgEdge* edge = edges->edges + i;
		const uint32_t a = edge->triangles[0] / 2, b = edge->triangles[1] / 2;
		const bool isOfTwo = edge->key != 0 && (edge->key & SG_EDGE_MANY) == 0;
		if (isOfTwo && own->parts[a] < OWN_FLAT && own->parts[b] < OWN_FLAT)
		{
			own->parts[PartOf(own, a)] = PartOf(own, b);
		}
	}
}

// ---- Asking --------------------------------------------------------------------------------------------------------

// From a corner on. Behind it the surface is wound around once more.
static snugPointSide AskInFront(Own* own, const float triangle[3][3], int corner, uint32_t number)
{
	float front[3][3];
	for (int c = 0; c < 3; ++c)
	{
		memcpy(front[c], triangle[(corner + c) % 3], sizeof(front[c]));
	}
	own->search.front = (const float(*)[3])front;
	sgInside_Ask(&own->search, front[0]);
	const bool isInside = own->search.winding != 0 && own->search.winding != -1;
	return (snugPointSide){ isInside ? snug_inside : snug_outside, own->search.winding, number };
}

// The same by the part that a triangle belongs to, if it meets no other.
static snugPointSide Ask(Own* own, const float triangle[3][3], int corner, uint32_t index)
{
	const uint32_t number = own->triangles.tree->triangleMap[index];
	if (own->parts[index] == OWN_CUT || !own->hasParts)
	{
		return AskInFront(own, triangle, corner, number);
	}
	const uint32_t part = PartOf(own, index);
	if (!own->isKnown[part])
	{
		own->winding[part] = AskInFront(own, triangle, corner, number).winding;
		own->isKnown[part] = true;
	}
	const bool isInside = own->winding[part] != 0 && own->winding[part] != -1;
	return (snugPointSide){ isInside ? snug_inside : snug_outside, own->winding[part], number };
}

// Corners whose vertices nobody has asked about yet, and the triangle.
static void AskTriangle(Own* own, const sgLeaf* leaf, uint32_t lane, const float triangle[3][3])
{
	const sgTree* tree = own->triangles.tree;
	const uint32_t index = leaf->firstTriangle + lane;
	for (int c = 0; c < 3 && own->ofVertices != NULL; ++c)
	{
		const uint32_t vertex = tree->leafVertices[leaf->firstVertex + leaf->corners[c][lane]];
		snugPointSide* side = own->ofVertices + tree->vertexMap[sgBody_FindTwin(own->triangles.body, vertex)];
		*side = side->triangle == SNUG_NONE ? Ask(own, triangle, c, index) : *side;
	}
	if (own->ofTriangles != NULL)
	{
		snugPointSide* side = own->ofTriangles + tree->triangleMap[index];
		*side = Ask(own, triangle, 0, index);
		side->side = own->isOfCut ? snug_partlyInside : side->side;
	}
}

static void VisitLeaf(Own* own, const sgLeaf* leaf, bool isFirst)
{
	const sgOpened opened = sgOpen(own->triangles.tree, leaf->slot);
	const sgKeptLeaf kept = sgView_Triangles(&own->triangles, &opened, leaf->slot % SG_LANES, &own->search.counters);
	for (uint32_t i = 0; i < leaf->triangleCount; ++i)
	{
		uint32_t* part = own->parts + leaf->firstTriangle + i;
		float triangle[3][3];
		sgView_GetTriangle(&own->triangles, kept, i, triangle);
		const bool hasArea = sgProjectionAxis(triangle[0], triangle[1], triangle[2]) >= 0;
		if (isFirst)
		{
			*part = *part == OWN_CUT ? OWN_CUT : hasArea ? leaf->firstTriangle + i : OWN_FLAT;
		}
		else if (hasArea && (*part == OWN_CUT) == own->isOfCut)
		{
			AskTriangle(own, leaf, i, (const float(*)[3])triangle);
		}
		else if (*part == OWN_CUT && own->isOfCut && own->ofTriangles != NULL)
		{
			own->ofTriangles[sgView_TriangleNumber(&own->triangles, kept, i)].side = snug_partlyInside;
		}
	}
}

static void VisitAll(Own* own, bool isFirst)
{
	const sgTree* tree = own->triangles.tree;
	for (uint32_t i = 0; i < tree->leafCount; ++i)
	{
		VisitLeaf(own, tree->leaves + i, isFirst);
	}
}

// ---- The whole -----------------------------------------------------------------------------------------------------

static void Forget(snugPointSide* sides, uint32_t count)
{
	for (uint32_t i = 0; sides != NULL && i < count; ++i)
	{
		sides[i] = (snugPointSide){ .side = snug_outside, .triangle = SNUG_NONE };
	}
}

// Where one is, its twins are.
static void TellTwins(Own* own)
{
	const sgTree* tree = own->triangles.tree;
	for (uint32_t v = 0; own->ofVertices != NULL && v < tree->vertexCount; ++v)
	{
		own->ofVertices[tree->vertexMap[v]] = own->ofVertices[tree->vertexMap[sgBody_FindTwin(own->triangles.body, v)]];
	}
}

static uint64_t CountNotOutside(const snugPointSide* sides, uint32_t count)
{
	uint64_t found = 0;
	for (uint32_t i = 0; i < count; ++i)
	{
		found += sides[i].side != snug_outside;
	}
	return found;
}

static snugStatus Find(Own* own, snugBody* body, const sgEdges* edges)
{
	sgView_StartAlone(&own->search.side, body, &own->search.counters);
	own->search.root = sgBody_RootBox(body, &own->search.counters);
	sgView_Share(&own->triangles, &own->search.side);
	const snugStatus status = CutAll(own, body);
	if (status == snug_success)
	{
		VisitAll(own, true);
		Join(own, edges);
		own->isOfCut = false;
		VisitAll(own, false);
		own->isOfCut = true;
		VisitAll(own, false);
		TellTwins(own);
	}
	sgView_Finish(&own->search.side);
	sgView_Finish(&own->triangles);
	return status;
}

static SG_NOINLINE snugResult FindSelfInside(snugBody* body, snugPointSide* vertices, snugPointSide* triangles)
{
	const sgTree* tree = &body->model->tree;
	const size_t count = tree->triangleCount, bytes = count * (sizeof(uint32_t) + sizeof(int32_t) + sizeof(bool)) + 1;
	snugResult result = { .status = snug_outOfMemory };
	sgEdges edges;
	Forget(vertices, tree->vertexCount);
	Forget(triangles, tree->triangleCount);
	unsigned char* memory = sgAllocate(&body->allocator, bytes);
	if (memory != NULL && sgEdges_Make(&edges, body->model, body))
	{
		Own own; // not zeroed: most of it is scratch
		own.search.kernels = sgGetKernels();
		own.search.counters = (snugCounters){ 0 };
		own.parts = (uint32_t*)(void*)memory;
		own.winding = (int32_t*)(void*)(memory + count * sizeof(uint32_t));
		own.isKnown = (bool*)(memory + 2 * count * sizeof(uint32_t));
		own.ofVertices = vertices;
		own.ofTriangles = triangles;
		memset(memory, 0, bytes);
		result.status = Find(&own, body, &edges);
		result.counters = own.search.counters;
		sgEdges_Free(&edges);
	}
	if (memory != NULL)
	{
		sgRelease(&body->allocator, memory, bytes);
	}
	const bool isOfVertices = vertices != NULL;
	result.count =
	    CountNotOutside(isOfVertices ? vertices : triangles, isOfVertices ? tree->vertexCount : tree->triangleCount);
	result.complete = result.status == snug_success;
	return result;
}

snugResult snugFindSelfInside(snugBody* body, snugPointSide* vertices, snugPointSide* triangles)
{
	const snugResult misuse = { .status = snug_badArgument };
	SG_REQUIRE(body != NULL && (vertices != NULL || triangles != NULL), misuse);
	sgFpEnv environment = sgFpEnv_Enter();
	snugResult result = FindSelfInside(body, vertices, triangles);
	sgFpEnv_Leave(environment);
	return result;
}
