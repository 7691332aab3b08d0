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
	const sgEdges* edges;
	uint32_t* parts;  ///< (3 * triangleCount) by triangles in tree order: another corner of the same part, or this one
	int32_t* winding; ///< (3 * triangleCount) in front of a part, once it is known
	uint8_t* flags;   ///< (triangleCount)
	snugPointSide* ofVertices;
	snugPointSide* ofTriangles;
	float casting[SG_LANES][2][3]; ///< edges that cast shadows
	sgBoxLanes shadows;            ///< around those
	uint32_t shadowCount;
	int64_t looks; ///< what may be looked at for shadows, leaves and triangles; with none left there are no parts
	bool isOfCut;  ///< triangles that meet others come last
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

static void FindFlat(Own* own)
{
	const sgTree* tree = own->triangles.tree;
	for (uint32_t i = 0; i < SG_LANES * tree->leafCount; ++i)
	{
		float t[3][3];
		if (i % SG_LANES < tree->leaves[i / SG_LANES].triangleCount)
		{
			const uint32_t index = GetPlace(own, i, t);
			own->flags[index] |= sgProjectionAxis(t[0], t[1], t[2]) < 0 ? OWN_FLAT : 0;
		}
	}
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

// Bit 8 i + k: shadow i meets box k.
static uint64_t MeetBoxes(Own* own, const sgBoxLanes* boxes, uint32_t mask)
{
	return own->search.kernels->boxes->overlapBoxes(&own->shadows, (1u << own->shadowCount) - 1u, boxes, mask);
}

static uint32_t LookBehind(sgTreeWalk* walk, const sgOpened* opened, float keys[SG_LANES])
{
	(void)keys;
	Own* own = OwnOf(walk);
	const sgBoxLanes* bounds = sgView_Bounds(&own->triangles, opened, &own->search.counters);
	own->search.counters.volumeTests += own->shadowCount * sgCountBits(opened->set.mask);
	uint64_t met = MeetBoxes(own, bounds, opened->set.mask);
	met |= met >> 32;
	met |= met >> 16;
	return (uint32_t)(met | met >> 8) & 0xff;
}

// Whether the box around two points meets that of a shadow.
static bool AreNear(const Own* own, uint32_t shadow, const float* v, const float* w)
{
	bool areNear = true;
	for (int k = 0; k < 3; ++k)
	{
		const float lower = own->shadows.lower[k][shadow], upper = own->shadows.upper[k][shadow];
		areNear = areNear && (v[k] <= upper || w[k] <= upper) && (v[k] >= lower || w[k] >= lower);
	}
	return areNear;
}

// A segment meets the shadow unless one of both is all on one side of the other's line as seen along the first axis; a
// point, if it is on the line.
static uint32_t FindShaded(const Own* own, uint32_t shadow, const float triangle[3][3])
{
	const float(*edge)[3] = own->casting[shadow];
	int sides[3];
	uint32_t met = 0;
	for (uint32_t c = 0; c < 3; ++c)
	{
		sides[c] = sgTurn(edge[0], edge[1], triangle[c], 0);
	}
	for (uint32_t c = 0; c < 3; ++c)
	{
		const uint32_t next = (c + 1) % 3;
		const float *v = triangle[c], *w = triangle[next];
		if ((sides[c] != 0 && sides[next] == sides[c]) || !AreNear(own, shadow, v, w))
		{
			continue;
		}
		const int side = sgTurn(v, w, edge[0], 0);
		met |= side == 0 || sgTurn(v, w, edge[1], 0) != side ? OWN_EDGE << c : 0;
		met |= sides[c] == 0 && AreNear(own, shadow, v, v) ? OWN_CORNER << c : 0;
	}
	return met;
}

static void Shade(sgTreeWalk* walk, const sgOpened* opened, uint32_t lane)
{
	Own* own = OwnOf(walk);
	const sgKeptLeaf kept = sgView_Triangles(&own->triangles, opened, lane, &own->search.counters);
	const sgLeaf* leaf = sgView_Lanes(&own->triangles, kept)->leaf;
	uint64_t rest =
	    MeetBoxes(own, &sgView_Lanes(&own->triangles, kept)->boxes, sgView_Lanes(&own->triangles, kept)->mask);
	own->search.counters.triangleTests += own->shadowCount * leaf->triangleCount;
	own->looks -= 1 + (int64_t)sgCountBits(rest);
	walk->isStopped = own->looks <= 0;
	for (; rest != 0; rest &= rest - 1)
	{
		const uint32_t shadow = sgLowestBit(rest) / SG_LANES, i = sgLowestBit(rest) % SG_LANES;
		float triangle[3][3];
		sgView_GetTriangle(&own->triangles, kept, i, triangle);
		own->flags[leaf->firstTriangle + i] |= (uint8_t)FindShaded(own, shadow, (const float(*)[3])triangle);
	}
}

static const sgTreeWalker behind = { Open, LookBehind, Shade, false };

static void ShadeBehind(Own* own)
{
	own->search.walk.isStopped = false;
	if (own->shadowCount > 0)
	{
		sgTreeWalk_Descend(&own->search.walk, &behind, 0);
	}
	own->shadowCount = 0;
}

// Edges next to each other in the tree go together. A half-line takes some twenty leaves, so a few looks for each
// triangle are less than asking each corner; surfaces that are nothing but edges need more.
static void ShadeAll(Own* own)
{
	sgTriangleSource source;
	sgTriangleSource_Start(&source, own->triangles.body, NULL, &own->search.counters);
	own->looks = 4 * (int64_t)own->triangles.tree->triangleCount;
	own->shadowCount = 0;
	for (sgEdge edge = { .sides = NULL }; own->looks > 0 && sgEdges_Next(own->edges, &edge);)
	{
		if (edge.isBalanced)
		{
			continue;
		}
		sgBox box = sgBox_Empty();
		for (int end = 0; end < 2; ++end)
		{
			float* v = own->casting[own->shadowCount][end];
			sgTriangleSource_Vertex(&source, edge.vertices[end], v, &own->search.counters);
			sgBox_AddPoint(&box, v);
		}
		box.lower[0] = -INFINITY;
		sgBoxLanes_Set(&own->shadows, own->shadowCount++, &box);
		if (own->shadowCount == SG_LANES)
		{
			ShadeBehind(own);
		}
	}
	ShadeBehind(own);
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
		const uint32_t partA = PartOf(own, a, cornerA), partB = PartOf(own, b, cornerB);
		own->parts[partA > partB ? partA : partB] = partA > partB ? partB : partA;
	}
}

// Two that turn different ways at an edge have its corners in its shadow.
static void JoinAll(Own* own)
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
	for (sgEdge edge = { .sides = NULL }; sgEdges_Next(own->edges, &edge);)
	{
		if (edge.count != 2)
		{
			continue;
		}
		const uint32_t a = sgEdgeSide_Triangle(edge.sides[0]), b = sgEdgeSide_Triangle(edge.sides[1]);
		const uint32_t ofA = sgEdgeSide_Corner(edge.sides[0]), ofB = sgEdgeSide_Corner(edge.sides[1]);
		if (((own->flags[a] | own->flags[b]) & OWN_FLAT) == 0)
		{
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
static int32_t AskInFront(Own* own, uint32_t place, uint32_t corner)
{
	float triangle[3][3], front[3][3];
	GetPlace(own, place, triangle);
	for (uint32_t c = 0; c < 3; ++c)
	{
		memcpy(front[c], triangle[(corner + c) % 3], sizeof(front[c]));
	}
	own->search.front = (const float(*)[3])front;
	sgInside_Ask(&own->search, front[0]);
	return own->search.winding;
}

// The same by the part that a corner belongs to, if it is not met.
static snugPointSide Ask(Own* own, uint32_t place, uint32_t corner)
{
	const uint32_t index = own->triangles.tree->leaves[place / SG_LANES].firstTriangle + place % SG_LANES;
	const bool isOfPart = own->looks > 0 && (own->flags[index] & OWN_CORNER << corner) == 0;
	int32_t alone = OWN_UNKNOWN, *winding = isOfPart ? own->winding + PartOf(own, index, corner) : &alone;
	*winding = *winding == OWN_UNKNOWN ? AskInFront(own, place, corner) : *winding;
	const bool isInside = *winding != 0 && *winding != -1;
	return (snugPointSide){ isInside ? snug_inside : snug_outside, *winding, own->triangles.tree->triangleMap[index] };
}

// Corners whose vertices nobody has asked about yet, and the triangle.
static void AskTriangle(Own* own, const sgLeaf* leaf, uint32_t lane)
{
	const sgTree* tree = own->triangles.tree;
	const uint32_t place = (uint32_t)(leaf - tree->leaves) * SG_LANES + lane;
	for (uint32_t c = 0; c < 3 && own->ofVertices != NULL; ++c)
	{
		const uint32_t vertex = tree->leafVertices[leaf->firstVertex + leaf->corners[c][lane]];
		snugPointSide* side = own->ofVertices + tree->vertexMap[own->edges->twins[vertex]];
		*side = side->triangle == SNUG_NONE ? Ask(own, place, c) : *side;
	}
	if (own->ofTriangles != NULL)
	{
		snugPointSide* side = own->ofTriangles + tree->triangleMap[leaf->firstTriangle + lane];
		*side = Ask(own, place, 0);
		side->side = own->isOfCut ? snug_partlyInside : side->side;
	}
}

static void AskAll(Own* own, bool isOfCut)
{
	const sgTree* tree = own->triangles.tree;
	own->isOfCut = isOfCut;
	for (uint32_t i = 0; i < SG_LANES * tree->leafCount; ++i)
	{
		const sgLeaf* leaf = tree->leaves + i / SG_LANES;
		const uint32_t lane = i % SG_LANES, index = leaf->firstTriangle + lane;
		if (lane >= leaf->triangleCount || ((own->flags[index] & OWN_CUT) != 0) != isOfCut)
		{
			continue;
		}
		if ((own->flags[index] & OWN_FLAT) == 0)
		{
			AskTriangle(own, leaf, lane);
		}
		else if (isOfCut && own->ofTriangles != NULL)
		{
			own->ofTriangles[tree->triangleMap[index]].side = snug_partlyInside;
		}
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
		own->ofVertices[tree->vertexMap[v]] = own->ofVertices[tree->vertexMap[own->edges->twins[v]]];
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

static snugStatus Find(Own* own, snugBody* body)
{
	sgView_StartAlone(&own->search.side, body, &own->search.counters);
	own->search.root = sgBody_RootBox(body, &own->search.counters);
	sgView_Share(&own->triangles, &own->search.side);
	const snugStatus status = CutAll(own, body);
	if (status == snug_success)
	{
		FindFlat(own);
		ShadeAll(own);
		JoinAll(own);
		AskAll(own, false);
		AskAll(own, true);
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
		own.edges = &edges;
		result.status = Find(&own, body);
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
