// src/query/self_inside.c: which of a body's own vertices and triangles are inside it.
//
// What is asked about is the point just in front of a triangle, next to a corner (geometry/crossing.h). One half-line
// answers for a whole *part*: corners between which such a point can be moved without changing what its half-line
// crosses. That changes where the point goes through a triangle, and where its half-line passes an edge that more
// triangles pass one way than the other, such as a boundary; by how many more. So it does at points behind such an
// edge, in its *shadow*: those from which the first axis leads to it. What no other triangle and no shadow meets is
// some way from all of them, and a point in front of it is closer than that. So corners belong to one part
// - at both ends of a triangle's edge that is met by no other triangle, its corners neither, and by no shadow;
// - at one vertex, in two triangles whose edge no third one has, and that turn the same way, if neither's corner is
// met:
//   around that edge, there is nothing else between them.
// Signs say what is met, exactly. Of a pair that meets, a corner in the plane of the other triangle counts as met, such
// as one that they share: met corners are asked for themselves.
#include "base/fpenv.h"
#include "geometry/box_kernels.h"
#include "geometry/crossing.h"
#include "query/edges.h"
#include "query/inside.h"
#include "query/pairs.h"
#include "snug/snug_queries.h"

#include <math.h>
#include <string.h>

/// Of a triangle.
#define OWN_CORNER 1u ///< << c: corner c is met
#define OWN_EDGE 8u   ///< << c: the edge from corner c on is
#define OWN_CUT 64u   ///< it meets others
#define OWN_FLAT 128u ///< it has no area
#define OWN_WHOLE(flags) (((flags) & (OWN_CUT - 1)) == 0)

#define OWN_UNKNOWN INT32_MIN

/// What is asked of a body's own surface.
typedef struct Own
{
	sgInside search;
	sgView triangles; ///< those that are asked about
	uint32_t* parts;  ///< (3 * triangleCount) by triangles in tree order: another corner of the same part, or this one
	int32_t* winding; ///< (3 * triangleCount) in front of a part, once it is known
	uint8_t* flags;   ///< (triangleCount)
	snugPointSide* ofVertices;
	snugPointSide* ofTriangles;
	float edge[2][3];  ///< what casts a shadow
	sgBoxLanes shadow; ///< around it, in lane 0
	uint64_t looks;    ///< leaves that may be looked at for shadows; with none left there are no parts
	bool isOfCut;      ///< triangles that meet others come last
} Own;

// ---- What is met ---------------------------------------------------------------------------------------------------

// Whether the segment between two points on either side of a triangle's plane meets the triangle.
static bool IsBetween(const float triangle[3][3], const float* v, const float* w)
{
	const int first = sgOrient3D(v, w, triangle[0], triangle[1]), second = sgOrient3D(v, w, triangle[1], triangle[2]);
	const int third = first * second >= 0 ? sgOrient3D(v, w, triangle[2], triangle[0]) : 0;
	return first * second >= 0 && second * third >= 0 && third * first >= 0;
}

// The corners and edges of a triangle that another one meets.
static uint32_t Meet(const float triangle[3][3], const float other[3][3])
{
	const sgPlane plane = sgPlane_Make(other[1], other[2], other[0]);
	int sides[3];
	uint32_t met = 0;
	for (uint32_t c = 0; c < 3; ++c)
	{
		sides[c] = sgSideOf(other, &plane, triangle[c]);
		met |= sides[c] == 0 ? OWN_CORNER << c : 0;
	}
	for (uint32_t c = 0; c < 3; ++c)
	{
		const uint32_t next = (c + 1) % 3;
		met |= sides[c] * sides[next] < 0 && IsBetween(other, triangle[c], triangle[next]) ? OWN_EDGE << c : 0;
	}
	return met;
}

static uint32_t GetPlace(Own* own, uint32_t place, float triangle[3][3])
{
	const sgLeaf* leaf = own->triangles.tree->leaves + place / SG_LANES;
	const sgOpened opened = sgOpen(own->triangles.tree, leaf->slot);
	const sgKeptLeaf kept = sgView_Triangles(&own->triangles, &opened, leaf->slot % SG_LANES, &own->search.counters);
	sgView_GetTriangle(&own->triangles, kept, place % SG_LANES, triangle);
	return leaf->firstTriangle + place % SG_LANES;
}

// A snugPairFcn: of places.
static bool Cut(void* user, snugPair pair)
{
	Own* own = user;
	float a[3][3], b[3][3];
	const uint32_t ofA = GetPlace(own, pair.a, a), ofB = GetPlace(own, pair.b, b);
	own->flags[ofA] |= (uint8_t)(OWN_CUT | Meet((const float(*)[3])a, (const float(*)[3])b));
	own->flags[ofB] |= (uint8_t)(OWN_CUT | Meet((const float(*)[3])b, (const float(*)[3])a));
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

// ---- Shadows -------------------------------------------------------------------------------------------------------

static Own* OwnOf(sgTreeWalk* walk)
{
	return (Own*)(void*)walk;
}

static sgOpened Open(sgTreeWalk* walk, uint32_t slot)
{
	return sgOpen(OwnOf(walk)->triangles.tree, slot);
}

static uint32_t LookBehind(sgTreeWalk* walk, const sgOpened* opened, float keys[SG_LANES])
{
	(void)keys;
	Own* own = OwnOf(walk);
	const sgBoxLanes* bounds = sgView_Bounds(&own->triangles, opened, &own->search.counters);
	own->search.counters.volumeTests += sgCountBits(opened->set.mask);
	return (uint32_t)own->search.kernels->boxes->overlapBoxes(&own->shadow, 1, bounds, opened->set.mask);
}

// Whether two points are on one side of the line through two others as seen along the first axis.
static bool AreBeside(const float line[2][3], const float points[2][3])
{
	const int side = sgTurn(line[0], line[1], points[0], 0);
	return side != 0 && sgTurn(line[0], line[1], points[1], 0) == side;
}

// Whether the segment between two points, which may be one, meets the shadow.
static bool IsInShadow(const Own* own, const float segment[2][3])
{
	bool isNear = true;
	for (int k = 0; k < 3; ++k)
	{
		const float v = segment[0][k], w = segment[1][k];
		isNear = isNear && (v <= own->shadow.upper[k][0] || w <= own->shadow.upper[k][0]) &&
		         (v >= own->shadow.lower[k][0] || w >= own->shadow.lower[k][0]);
	}
	return isNear && !AreBeside(own->edge, segment) && !AreBeside(segment, own->edge);
}

static uint32_t FindShaded(const Own* own, const float triangle[3][3])
{
	uint32_t met = 0;
	for (uint32_t c = 0; c < 3; ++c)
	{
		float segment[2][3];
		memcpy(segment[0], triangle[c], sizeof(segment[0]));
		memcpy(segment[1], triangle[(c + 1) % 3], sizeof(segment[1]));
		const bool isEdge = IsInShadow(own, (const float(*)[3])segment);
		memcpy(segment[1], segment[0], sizeof(segment[1]));
		met |= isEdge ? OWN_EDGE << c : 0;
		met |= isEdge && IsInShadow(own, (const float(*)[3])segment) ? OWN_CORNER << c : 0;
	}
	return met;
}

static void Shade(sgTreeWalk* walk, const sgOpened* opened, uint32_t lane)
{
	Own* own = OwnOf(walk);
	const sgKeptLeaf kept = sgView_Triangles(&own->triangles, opened, lane, &own->search.counters);
	const sgLeaf* leaf = sgView_Lanes(&own->triangles, kept)->leaf;
	uint64_t rest = own->search.kernels->boxes->overlapBoxes(
	    &own->shadow, 1, &sgView_Lanes(&own->triangles, kept)->boxes, sgView_Lanes(&own->triangles, kept)->mask);
	own->search.counters.triangleTests += leaf->triangleCount;
	walk->isStopped = --own->looks == 0;
	for (; rest != 0; rest &= rest - 1)
	{
		const uint32_t i = sgLowestBit((uint32_t)rest);
		float triangle[3][3];
		sgView_GetTriangle(&own->triangles, kept, i, triangle);
		own->flags[leaf->firstTriangle + i] |= (uint8_t)FindShaded(own, (const float(*)[3])triangle);
	}
}

static const sgTreeWalker behind = { Open, LookBehind, Shade, false };

// Surfaces that are nothing but edges take as many steps as asking each corner.
static void ShadeAll(Own* own, const sgEdges* edges)
{
	sgTriangleSource source;
	sgTriangleSource_Start(&source, own->triangles.body, NULL, &own->search.counters);
	own->looks = own->triangles.tree->triangleCount;
	for (uint64_t i = 0; i < edges->size && own->looks > 0; ++i)
	{
		sgBox box = sgBox_Empty();
		for (int end = 0; end < 2 && !sgEdge_IsBalanced(edges->edges + i); ++end)
		{
			const uint32_t vertex = sgEdge_Vertex(edges->edges + i, end);
			sgTriangleSource_Vertex(&source, vertex, own->edge[end], &own->search.counters);
			sgBox_AddPoint(&box, own->edge[end]);
		}
		if (!sgBox_IsEmpty(&box))
		{
			box.lower[0] = -INFINITY;
			sgBoxLanes_Set(&own->shadow, 0, &box);
			own->search.walk.isStopped = false;
			sgTreeWalk_Descend(&own->search.walk, &behind, 0);
		}
	}
}

// ---- Parts ---------------------------------------------------------------------------------------------------------

// The corners of a triangle that is not met are one.
static uint32_t PartOf(Own* own, uint32_t triangle, uint32_t corner)
{
	uint32_t part = 3 * triangle + (OWN_WHOLE(own->flags[triangle]) ? 0 : corner);
	while (own->parts[part] != part)
	{
		own->parts[part] = own->parts[own->parts[part]];
		part = own->parts[part];
	}
	return part;
}

static void Join(Own* own, uint32_t a, uint32_t cornerA, uint32_t b, uint32_t cornerB)
{
	const uint32_t ofA = own->flags[a], ofB = own->flags[b], met = (ofA >> cornerA | ofB >> cornerB) & OWN_CORNER;
	if (met == 0)
	{
		own->parts[PartOf(own, a, cornerA)] = PartOf(own, b, cornerB);
	}
}

static void JoinAll(Own* own, const sgEdges* edges)
{
	for (uint32_t t = 0; t < own->triangles.tree->triangleCount; ++t)
	{
		for (uint32_t c = 0; c < 3 && !OWN_WHOLE(own->flags[t]); ++c)
		{
			if (((uint32_t)own->flags[t] >> c & OWN_EDGE) == 0)
			{
				Join(own, t, c, t, (c + 1) % 3);
			}
		}
	}
	for (uint64_t i = 0; i < edges->size; ++i)
	{
		const sgEdge* edge = edges->edges + i;
		const uint32_t a = edge->triangles[0] / 8, b = edge->triangles[1] / 8;
		const bool isOfTwo = edge->key != 0 && (edge->key & (SG_EDGE_MANY | SG_EDGE_ODD)) == 0;
		if (isOfTwo && ((own->flags[a] | own->flags[b]) & OWN_FLAT) == 0)
		{
			const uint32_t ofA = edge->triangles[0] / 2 % 4, ofB = edge->triangles[1] / 2 % 4;
			Join(own, a, ofA, b, (ofB + 1) % 3);
			if (!OWN_WHOLE(own->flags[a]) || !OWN_WHOLE(own->flags[b]))
			{
				Join(own, a, (ofA + 1) % 3, b, ofB);
			}
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

// The same by the part that a corner belongs to, if it is not met.
static snugPointSide Ask(Own* own, const float triangle[3][3], int corner, uint32_t index)
{
	const uint32_t number = own->triangles.tree->triangleMap[index];
	if (own->looks == 0 || (own->flags[index] & OWN_CORNER << corner) != 0)
	{
		return AskInFront(own, triangle, corner, number);
	}
	int32_t* winding = own->winding + PartOf(own, index, (uint32_t)corner);
	*winding = *winding == OWN_UNKNOWN ? AskInFront(own, triangle, corner, number).winding : *winding;
	const bool isInside = *winding != 0 && *winding != -1;
	return (snugPointSide){ isInside ? snug_inside : snug_outside, *winding, number };
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
		uint8_t* flags = own->flags + leaf->firstTriangle + i;
		const bool isCut = (*flags & OWN_CUT) != 0;
		float triangle[3][3];
		sgView_GetTriangle(&own->triangles, kept, i, triangle);
		if (isFirst)
		{
			const bool hasArea = sgProjectionAxis(triangle[0], triangle[1], triangle[2]) >= 0;
			*flags |= hasArea ? 0 : OWN_FLAT;
		}
		else if ((*flags & OWN_FLAT) == 0 && isCut == own->isOfCut)
		{
			AskTriangle(own, leaf, i, (const float(*)[3])triangle);
		}
		else if (isCut && own->isOfCut && own->ofTriangles != NULL)
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
		ShadeAll(own, edges);
		JoinAll(own, edges);
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
	const size_t count = tree->triangleCount, bytes = count * (3 * (sizeof(uint32_t) + sizeof(int32_t)) + 1) + 1;
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
		own.winding = (int32_t*)(own.parts + 3 * count);
		own.flags = (uint8_t*)(own.winding + 3 * count);
		for (size_t i = 0; i < 3 * count; ++i)
		{
			own.parts[i] = (uint32_t)i;
			own.winding[i] = OWN_UNKNOWN;
		}
		memset(own.flags, 0, count);
		own.ofVertices = vertices;
		own.ofTriangles = triangles;
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
