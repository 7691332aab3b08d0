// test/test_counters.c: what queries say that they cost, against counts by other means: around the functions that do
// the work (the deformer's, the kernels, and some that the linker wraps) stand others that count their calls and what
// they were called for. Equal to the last one, for every kind of query, deformer, strategy and pool, alone and on
// threads.
#include "posed.h"
#include "workers.h"

#include "geometry/box_kernels.h"
#include "geometry/segment.h"
#include "geometry/shape.h"
#include "geometry/triangle.h"
#include "model/deformer.h"
#include "query/side.h"
#include "query/triangles.h"
#include "scene/broad.h"
#include "snug/snug_scene.h"
#include "tree/probe_kernels.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Counts by other means
// -------------------------------------------------------------------------------------------

typedef struct Tally
{
	_Atomic uint64_t bounded;   // nodes, by the deformer or around vertices
	_Atomic uint64_t merged;    // nodes, of those below
	_Atomic uint64_t vertices;  // evaluated; of bodies that have them at hand, placed
	_Atomic uint64_t compared;  // pairs of nodes
	_Atomic uint64_t opened;    // nodes that one-tree walks looked at
	_Atomic uint64_t clipped;   // of those, by the kernel for segments
	_Atomic uint64_t boxPairs;  // pairs of triangles of two leaves whose boxes overlap
	_Atomic uint64_t nearPairs; // whose boxes are near
	_Atomic uint64_t passed;    // triangles of leaves that a segment was compared with
	_Atomic uint64_t passing;   // of those, how many it may pass through
	_Atomic uint64_t exact, beyond, nearest, toPoint, hits, shapes; // calls
} Tally;

static Tally tally;

// What a thread did last, by which calls of one kernel are told apart.
typedef struct Last
{
	struct
	{
		const snugBody* body;
		sgOpened opened;
		const sgBoxLanes* boxes;
	} bounds[2];                   // that a side gave, the last one first
	const sgBoxLanes* filtered;    // boxes of triangles
	bool isMoved;                  // boxes have just been turned into another space
	bool isBroad;                  // in the tree over bodies
	bool isBounding;               // by a deformer
	bool mayLookAgain, looksAgain; // from the other body's space
} Last;

static _Thread_local Last last;

static Tally TakeTally(void)
{
	Tally taken;
	memcpy(&taken, &tally, sizeof(tally));
	memset(&tally, 0, sizeof(tally));
	last = (Last){ .isMoved = false };
	return taken;
}

// Models that have their vertices at hand.
static const sgTree* atHand[64];
static int atHandCount;

static bool IsAtHand(const sgLeaf* leaf)
{
	bool is = false;
	for (int i = 0; i < atHandCount; ++i)
	{
		is = is || (leaf >= atHand[i]->leaves && leaf < atHand[i]->leaves + atHand[i]->leafCount);
	}
	return is;
}

// ---- Deformers
// -------------------------------------------------------------------------------------------------------

static const sgDeform* RealOf(const sgPosed* posed)
{
	return sgDeform_Find(posed->model->deformer);
}

static void CountEvaluate(const sgPosed* posed, const uint32_t* vertices, uint32_t count, float* out)
{
	tally.vertices += count;
	RealOf(posed)->evaluate(posed, vertices, count, out);
}

static void CountEvaluateCluster(const sgPosed* posed, uint32_t cluster, float* out)
{
	tally.vertices += posed->model->clusters.clusters[cluster].vertexCount;
	RealOf(posed)->evaluateCluster(posed, cluster, out);
}

// A free body bounds a node by way of all leaves below it: that is one node.
static void CountBound(const sgPosed* posed, sgLaneSet set, sgBoundsOut out)
{
	tally.bounded += (uint32_t)__builtin_popcount(set.mask);
	last.isBounding = true;
	RealOf(posed)->bound(posed, set, out);
	last.isBounding = false;
}

static bool CountBoundTurned(
    const sgPosed* posed, const double rotation[3][3], sgLaneSet set, void* room, sgBoxLanes* boxes, double slack[3])
{
	const bool can = RealOf(posed)->boundTurned(posed, rotation, set, room, boxes, slack);
	tally.bounded += can ? (uint32_t)__builtin_popcount(set.mask) : 0;
	return can;
}

// Have the body deform by way of functions that count.
static void Watch(snugBody* body)
{
	static sgDeform counting[8];
	sgDeform* deform = counting + body->model->deformer;
	assert_true(body->model->deformer < LENGTH_OF(counting));
	*deform = *body->deform;
	deform->evaluate = deform->evaluate != NULL ? CountEvaluate : NULL;
	deform->evaluateCluster = deform->evaluateCluster != NULL ? CountEvaluateCluster : NULL;
	deform->bound = deform->bound != NULL ? CountBound : NULL;
	deform->boundTurned = deform->boundTurned != NULL ? CountBoundTurned : NULL;
	body->deform = deform;
	if (deform->positions != NULL)
	{
		assert_true(atHandCount < (int)LENGTH_OF(atHand));
		atHand[atHandCount++] = &body->model->tree;
	}
}

// ---- Kernels
// ---------------------------------------------------------------------------------------------------------

static const sgKernels* real;

static void CountMoveBoxes(const sgBoxLanes* boxes, const sgBoxMotion* motion, sgBoxLanes* moved)
{
	last.looksAgain = last.mayLookAgain;
	last.mayLookAgain = false;
	last.isMoved = motion->kind == sgMotion_general;
	real->boxes->moveBoxes(boxes, motion, moved);
}

// Where bodies are turned against each other, boxes that overlap are compared once more: that is one test. But not
// where a body may be inside another: that compares with boxes that the side has just given.
static void Compare(const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, uint32_t maskB, bool isAny)
{
	const bool isSecond = last.looksAgain, isMoved = last.isMoved;
	const uint64_t rows = (uint32_t)__builtin_popcount(maskA), columns = (uint32_t)__builtin_popcount(maskB);
	// A node and itself: each pair of its children once.
	const bool isSelf = a == last.bounds[1].boxes && last.bounds[0].body == last.bounds[1].body &&
	                    last.bounds[0].opened.slot == last.bounds[1].opened.slot;
	last.looksAgain = last.isMoved = false;
	last.mayLookAgain = isMoved && !isSecond && isAny && b != last.bounds[0].boxes;
	tally.compared += isSecond || last.isBroad ? 0 : isSelf ? rows * (rows - 1) / 2 : rows * columns;
}

static uint64_t CountOverlapBoxes(const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, uint32_t maskB)
{
	const uint64_t pairs = real->boxes->overlapBoxes(a, maskA, b, maskB);
	Compare(a, maskA, b, maskB, pairs != 0);
	return pairs;
}

static uint64_t CountOverlapOrGap(
    const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, uint32_t maskB, float* least)
{
	const uint64_t pairs = real->probes->overlapOrGap(a, maskA, b, maskB, least);
	if (a != last.filtered)
	{
		Compare(a, maskA, b, maskB, pairs != 0);
	}
	return pairs;
}

static const sgTriangleLanes* LanesOf(const sgBoxLanes* boxes)
{
	return (const sgTriangleLanes*)(const void*)((const char*)boxes - offsetof(sgTriangleLanes, boxes));
}

// Of nodes, whose boxes a side gave, or of the triangles of leaves.
static uint64_t CountNearBoxes(
    const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, float limit, float gaps[SG_LANES * SG_LANES])
{
	const uint64_t pairs = real->probes->nearBoxes(a, maskA, b, limit, gaps);
	if (a == last.bounds[1].boxes)
	{
		tally.compared +=
		    (uint64_t)__builtin_popcount(maskA) * (uint64_t)__builtin_popcount(last.bounds[0].opened.set.mask);
	}
	else
	{
		for (uint32_t pair = 0; pair < 64; ++pair)
		{
			tally.nearPairs += (pairs >> pair & 1) & (LanesOf(b)->mask >> pair % SG_LANES & 1);
		}
	}
	last.looksAgain = last.isMoved = last.mayLookAgain = false;
	return pairs;
}

static uint32_t CountClipBoxes(const sgBoxLanes* boxes, const sgProbe* probe, float limit, float keys[SG_LANES])
{
	tally.clipped += (uint32_t)__builtin_popcount(last.bounds[0].opened.set.mask);
	return real->probes->clipBoxes(boxes, probe, limit, keys);
}

static void CountBoundLeaves(const float* positions, const uint32_t* leafVertices, const sgLeaf* leaves, uint32_t count,
    sgBoxLanes* out, uint32_t lane)
{
	tally.bounded += last.isBounding ? 0 : count;
	real->leaves->boundLeaves(positions, leafVertices, leaves, count, out, lane);
}

static void CountPlaceTriangles(const float* positions, const uint32_t* vertices, const sgLeaf* leaf,
    const sgPlacement* placement, sgTriangleLanes* out)
{
	tally.vertices += IsAtHand(leaf) ? leaf->vertexCount : 0;
	real->leaves->placeTriangles(positions, vertices, leaf, placement, out);
}

// Pairs of triangles of two leaves, or of one, whose boxes overlap.
static void CountBoxPairs(const sgTriangleLanes* a, const sgTriangleLanes* b)
{
	for (uint32_t i = 0; i < SG_LANES; ++i)
	{
		for (uint32_t j = a->leaf == b->leaf ? i + 1 : 0; j < SG_LANES; ++j)
		{
			bool overlap = (a->mask >> i & 1) != 0 && (b->mask >> j & 1) != 0;
			for (int k = 0; k < 3; ++k)
			{
				overlap = overlap && a->boxes.lower[k][i] <= b->boxes.upper[k][j] &&
				          b->boxes.lower[k][j] <= a->boxes.upper[k][i];
			}
			tally.boxPairs += overlap;
		}
	}
	last.filtered = &a->boxes;
}

static uint64_t CountFilterTriangles(const sgTriangleLanes* a, const sgTriangleLanes* b, uint64_t* tests)
{
	CountBoxPairs(a, b);
	return real->leaves->filterTriangles(a, b, tests);
}

static uint64_t CountFilterNeighbours(const sgTriangleLanes* a, const sgCornerLanes* cornersA, const sgTriangleLanes* b,
    const sgCornerLanes* cornersB, uint64_t* tests)
{
	CountBoxPairs(a, b);
	return real->leaves->filterNeighbours(a, cornersA, b, cornersB, tests);
}

static uint32_t CountPassTriangles(const sgTriangleLanes* triangles, const sgProbeLine* line)
{
	const uint32_t passing = real->probes->passTriangles(triangles, line);
	tally.passed += triangles->leaf->triangleCount;
	tally.passing += (uint32_t)__builtin_popcount(passing);
	return passing;
}

static void WatchKernels(void)
{
	static sgKernels kernels;
	static sgBoxKernels boxes;
	static sgLeafKernels leaves;
	static sgProbeKernels probes;
	real = sgGetKernels();
	kernels = *real;
	boxes = *real->boxes;
	leaves = *real->leaves;
	probes = *real->probes;
	boxes.moveBoxes = CountMoveBoxes;
	boxes.overlapBoxes = CountOverlapBoxes;
	leaves.boundLeaves = CountBoundLeaves;
	leaves.placeTriangles = CountPlaceTriangles;
	leaves.filterTriangles = CountFilterTriangles;
	leaves.filterNeighbours = CountFilterNeighbours;
	probes.overlapOrGap = CountOverlapOrGap;
	probes.nearBoxes = CountNearBoxes;
	probes.clipBoxes = CountClipBoxes;
	probes.passTriangles = CountPassTriangles;
	kernels.boxes = &boxes;
	kernels.leaves = &leaves;
	kernels.probes = &probes;
	sgSetKernels(&kernels);
}

// ---- Functions that the linker wraps: see CMakeLists.txt
// -------------------------------------------------------------

#define WRAPPED(type, name, parameters, arguments, count) \
	type __real_##name parameters;                        \
	type __wrap_##name parameters;                        \
	type __wrap_##name parameters                         \
	{                                                     \
		count;                                            \
		return __real_##name arguments;                   \
	}

WRAPPED(bool, sgTriangles_Intersect, (const float a[3][3], const float b[3][3]), (a, b), ++tally.exact)
WRAPPED(bool, sgTriangles_IntersectBeyond, (const float a[3][3], const float b[3][3], uint32_t shared), (a, b, shared),
    ++tally.beyond)
WRAPPED(void, sgTriangles_Nearest, (const float a[3][3], const float b[3][3], sgNearest* nearest), (a, b, nearest),
    ++tally.nearest)
WRAPPED(void, sgPoint_ToTriangle, (const float point[3], const float triangle[3][3], sgNearest* nearest),
    (point, triangle, nearest), ++tally.toPoint)
WRAPPED(bool, sgSegment_Hit, (const float p[3], const float q[3], const float triangle[3][3], sgSegmentHit* hit),
    (p, q, triangle, hit), ++tally.hits)
WRAPPED(bool, sgShape_Meets, (const snugShape* shape, const float triangle[3][3], snugShapeContact* contact),
    (shape, triangle, contact), ++tally.shapes)
WRAPPED(void, sgVolume_Merge, (snugVolume volume, sgBounds below, uint32_t mask, sgBoundsOut out, uint32_t lane),
    (volume, below, mask, out, lane), ++tally.merged)
WRAPPED(void, sgTriangleSource_Vertex,
    (const sgTriangleSource* source, uint32_t vertex, float position[3], snugCounters* counters),
    (source, vertex, position, counters), tally.vertices += source->body->deform->positions != NULL)

// Boxes of whole bodies, against each other, are not counted: candidates are.
uint32_t __real_sgBroadSearch_Step(const sgBroadSearch* search, uint32_t level, sgBroadPair pair, sgBroadPair* below);
uint32_t __wrap_sgBroadSearch_Step(const sgBroadSearch* search, uint32_t level, sgBroadPair pair, sgBroadPair* below);
uint32_t __wrap_sgBroadSearch_Step(const sgBroadSearch* search, uint32_t level, sgBroadPair pair, sgBroadPair* below)
{
	last.isBroad = true;
	const uint32_t count = __real_sgBroadSearch_Step(search, level, pair, below);
	last.isBroad = false;
	return count;
}

void __real_sgBroadSearch_Descend(const sgBroadSearch* search, uint32_t level, sgBroadPair pair);
void __wrap_sgBroadSearch_Descend(const sgBroadSearch* search, uint32_t level, sgBroadPair pair);
void __wrap_sgBroadSearch_Descend(const sgBroadSearch* search, uint32_t level, sgBroadPair pair)
{
	last.isBroad = true;
	__real_sgBroadSearch_Descend(search, level, pair);
	last.isBroad = false;
}

sgBounds __real_sgSide_Bounds(sgSide* side, const sgOpened* opened, snugCounters* counters);
sgBounds __wrap_sgSide_Bounds(sgSide* side, const sgOpened* opened, snugCounters* counters);
sgBounds __wrap_sgSide_Bounds(sgSide* side, const sgOpened* opened, snugCounters* counters)
{
	const sgBounds bounds = __real_sgSide_Bounds(side, opened, counters);
	tally.opened += (uint32_t)__builtin_popcount(opened->set.mask);
	last.bounds[1] = last.bounds[0];
	last.bounds[0].body = side->body;
	last.bounds[0].opened = *opened;
	last.bounds[0].boxes = bounds.boxes;
	return bounds;
}

// ---- Comparing
// -------------------------------------------------------------------------------------------------------

typedef struct Expected
{
	uint64_t volumeTests, triangleTests, exactTests;
} Expected;

static snugCounters total; // of all that was compared: so that zeros everywhere are no success

static void Check(
    const char* what, uint64_t seed, const snugCounters* found, const Tally* counted, const Expected* expected)
{
	const uint64_t pairs[][2] = {
		{ found->nodesAtFront + found->nodesBelowFront, counted->bounded },
		{ found->nodesAboveFront, counted->merged },
		{ found->nodesRefitted, counted->bounded + counted->merged },
		{ found->verticesEvaluated, counted->vertices },
		{ found->volumeTests, expected->volumeTests },
		{ found->triangleTests, expected->triangleTests },
		{ found->exactTests, expected->exactTests },
	};
	static const char* names[] = { "nodes at and below the front", "nodes above the front", "nodes refitted",
		"vertices evaluated", "volume tests", "triangle tests", "exact tests" };
	for (size_t i = 0; i < LENGTH_OF(pairs); ++i)
	{
		if (pairs[i][0] != pairs[i][1])
		{
			fail_msg("%s: SNUG_SEED=%llu: %llu %s, counted %llu", what, (unsigned long long)seed,
			    (unsigned long long)pairs[i][0], names[i], (unsigned long long)pairs[i][1]);
		}
	}
	sgCounters_Add(&total, found);
}

// As a query for pairs counts.
static Expected ForPairs(const Tally* counted)
{
	return (Expected){ counted->compared, counted->boxPairs, counted->exact };
}

// ---- Two bodies
// ------------------------------------------------------------------------------------------------------

static void CheckCollide(uint64_t seed, snugBody* a, snugBody* b, snugQuery query)
{
	static int threads[] = { 1, 4 };
	query.parallel = seed % 3 == 0 ? RunOnThreads : NULL;
	query.parallelUser = threads + seed % 2;
	TakeTally();
	const snugResult result = snugCollide(a, b, &query);
	const Tally counted = TakeTally();
	const Expected expected = ForPairs(&counted);
	assert_int_equal(result.status, snug_success);
	Check(query.distanceBound ? "collide with a bound" : "collide", seed, &result.counters, &counted, &expected);
}

static void CheckTouches(uint64_t seed, snugBody* a, snugBody* b, snugQuery query, snugWitness* witness)
{
	query.witness = witness;
	const bool isKnown = witness != NULL && witness->memory[0] != 0;
	TakeTally();
	const snugResult result = snugTouches(a, b, &query);
	const Tally counted = TakeTally();
	Expected expected = ForPairs(&counted);
	expected.triangleTests += isKnown; // the pair that answered last
	Check(isKnown ? "touches with a witness" : "touches", seed, &result.counters, &counted, &expected);
}

static void CheckInTime(uint64_t seed, snugBody* a, snugBody* b, const double origin[3])
{
	snugNodePair room[40];
	snugFrontier frontier = { .pairs = room, .capacity = LENGTH_OF(room) };
	memcpy(frontier.origin, origin, sizeof(frontier.origin));
	const snugTimedQuery query = { .maxSteps = 1 + seed % 5, .muchSoon = seed % 2 == 0 };
	snugResult result;
	do
	{
		TakeTally();
		result = snugCollideInTime(a, b, &frontier, &query);
		const Tally counted = TakeTally();
		const Expected expected = ForPairs(&counted);
		assert_int_equal(result.status, snug_success);
		Check("collide in time", seed, &result.counters, &counted, &expected);
	} while (!result.complete);
}

static void CheckWithin(uint64_t seed, snugBody* a, snugBody* b, const double origin[3], double margin)
{
	snugMarginQuery query = { .margin = margin };
	memcpy(query.origin, origin, sizeof(query.origin));
	TakeTally();
	const snugResult result = snugFindWithin(a, b, &query);
	const Tally counted = TakeTally();
	const Expected expected = { counted.compared, counted.nearPairs, counted.exact };
	Check("within a margin", seed, &result.counters, &counted, &expected);
}

static void CheckDistance(uint64_t seed, snugBody* a, snugBody* b, const double origin[3])
{
	snugDistanceQuery query = { .maxDistance = 0.0 };
	memcpy(query.origin, origin, sizeof(query.origin));
	TakeTally();
	const snugDistanceResult result = snugFindDistance(a, b, &query);
	const Tally counted = TakeTally();
	const Expected expected = { counted.compared, counted.nearest, counted.exact };
	Check("distance", seed, &result.counters, &counted, &expected);
}

static void CheckContacts(uint64_t seed, snugBody* a, snugBody* b, const double origin[3])
{
	snugContactBuffer* buffer;
	const snugContactBufferDef def = { .capacity = 2000 };
	assert_int_equal(snugContactBuffer_Create(&def, &buffer), snug_success);
	snugContactQuery query = { .depths = true };
	memcpy(query.origin, origin, sizeof(query.origin));
	TakeTally();
	const snugContactResult result = snugFindContacts(a, b, buffer, &query);
	const Tally counted = TakeTally();
	const Expected expected = ForPairs(&counted);
	Check("contacts", seed, &result.counters, &counted, &expected);
	snugContactBuffer_Destroy(buffer);
}

static void CheckBodyInside(uint64_t seed, snugBody* a, snugBody* b, const double origin[3])
{
	const snugInsideQuery query = { .origin = { origin[0], origin[1], origin[2] } };
	TakeTally();
	const snugInsideResult result = snugFindBodyInside(a, b, &query);
	const Tally counted = TakeTally();
	const Expected expected = { counted.compared + counted.clipped, counted.boxPairs + counted.passed,
		counted.exact + counted.passing };
	Check("a body inside", seed, &result.counters, &counted, &expected);
}

// ---- One body
// --------------------------------------------------------------------------------------------------------

static void CheckSelf(uint64_t seed, snugBody* body)
{
	const snugSelfQuery query = { .keepRest = true };
	TakeTally();
	const snugResult result = snugCollideSelf(body, &query);
	const Tally counted = TakeTally();
	const Expected expected = { counted.compared, counted.boxPairs, counted.beyond };
	Check("self", seed, &result.counters, &counted, &expected);
}

static void CheckRays(uint64_t seed, snugBody* body, const double origin[3], sceneRandom* random)
{
	snugRay rays[3];
	snugRayHit hits[3];
	snugRayQuery query = { .any = seed % 2 == 0, .origin = { origin[0], origin[1], origin[2] } };
	for (size_t i = 0; i < 6 * LENGTH_OF(rays); ++i)
	{
		*((i % 6 < 3 ? rays[i / 6].from : rays[i / 6].to) + i % 3) = (float)sceneRandom_Range(random, -1.5, 1.5);
	}
	TakeTally();
	const snugRayResult cast = snugCastRays(body, rays, LENGTH_OF(rays), hits, &query);
	Tally counted = TakeTally();
	Expected expected = { counted.clipped, counted.passed, counted.passing };
	Check("rays", seed, &cast.counters, &counted, &expected);
	const snugRayResult found = snugFindHits(body, rays, hits, LENGTH_OF(hits), &query);
	counted = TakeTally();
	expected = (Expected){ counted.clipped, counted.passed, counted.passing };
	Check("hits", seed, &found.counters, &counted, &expected);
}

static void CheckPoints(uint64_t seed, snugBody* body, const double origin[3], sceneRandom* random)
{
	float points[4][3];
	snugClosest closest[LENGTH_OF(points)];
	snugPointPlace places[LENGTH_OF(points)];
	for (size_t i = 0; i < 3 * LENGTH_OF(points); ++i)
	{
		points[i / 3][i % 3] = (float)sceneRandom_Range(random, -1.0, 1.0);
	}
	const snugDistanceQuery near = { .origin = { origin[0], origin[1], origin[2] } };
	const snugInsideQuery inside = { .origin = { origin[0], origin[1], origin[2] } };
	TakeTally();
	const snugClosestResult found = snugFindClosest(body, points[0], 0, LENGTH_OF(points), closest, &near);
	Tally counted = TakeTally();
	Expected expected = { counted.opened, counted.toPoint, counted.hits };
	Check("closest points", seed, &found.counters, &counted, &expected);
	const snugInsideResult placed = snugFindInside(body, points[0], 0, LENGTH_OF(points), places, &inside);
	counted = TakeTally();
	expected = (Expected){ counted.clipped, counted.passed, counted.passing };
	Check("points inside", seed, &placed.counters, &counted, &expected);
}

static void CheckShapes(uint64_t seed, snugBody* body, const double origin[3])
{
	const snugShape shapes[] = {
		{ .kind = snug_shapeSphere, .radius = 0.4f },
		{ .kind = snug_shapeCapsule, .from = { -0.5f }, .to = { 0.5f, 0.2f }, .radius = 0.2f },
		{ .kind = snug_shapePlane, .normal = { 0.3f, 1.0f } },
		{ .kind = snug_shapeHalfSpace, .normal = { 1.0f, -0.4f, 0.1f } },
	};
	const snugShapeQuery query = { .origin = { origin[0], origin[1], origin[2] } };
	for (size_t i = 0; i < LENGTH_OF(shapes); ++i)
	{
		TakeTally();
		const snugShapeResult result = snugCollideShape(body, shapes + i, &query);
		const Tally counted = TakeTally();
		const Expected expected = { counted.opened, counted.shapes, 0 };
		assert_int_equal(result.status, snug_success);
		Check("shapes", seed, &result.counters, &counted, &expected);
	}
}

// ---- All queries
// -----------------------------------------------------------------------------------------------------

static void AskAll(uint64_t seed, sceneRandom* random, const Posed* one, const Posed* other, snugWitness* witness)
{
	snugBody *a = one->thing.body, *b = other->thing.body;
	const double* o = one->origin;
	snugQuery query = { .origin = { o[0], o[1], o[2] } };
	// Whatever comes first after a new pose pays for most.
	switch (sceneRandom_Index(random, 5))
	{
		case 0:
			CheckDistance(seed, a, b, o);
			break;
		case 1:
			CheckContacts(seed, a, b, o);
			break;
		case 2:
			CheckSelf(seed, a);
			CheckPoints(seed, b, o, random);
			break;
		default:
			CheckCollide(seed, a, b, query);
			break;
	}
	CheckTouches(seed, a, b, query, witness);
	CheckCollide(seed, a, b, query);
	query.distanceBound = true;
	CheckCollide(seed, a, b, query);
	CheckTouches(seed, a, b, query, NULL);
	CheckInTime(seed, a, b, o);
	CheckWithin(seed, a, b, o, seed % 2 == 0 ? 0.0 : 0.1);
	CheckDistance(seed, a, b, o);
	CheckContacts(seed, a, b, o);
	CheckBodyInside(seed, a, b, o);
	CheckSelf(seed, b);
	CheckRays(seed, a, o, random);
	CheckPoints(seed, a, o, random);
	CheckShapes(seed, b, o);
}

// Two bodies that move: together, or apart.
static void queries_count_what_they_do(void** state)
{
	(void)state;
	total = (snugCounters){ 0 };
	for (int n = 0; n < TestCount(120); ++n)
	{
		const uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		snugPool* pool =
		    sceneRandom_Index(&random, 3) == 0 ? MakePool(4096 * (1 + sceneRandom_Index(&random, 3))) : NULL;
		Posed posed[2];
		snugWitness witness = { { 0 } };
		atHandCount = 0;
		const bool isDeep = sceneRandom_Index(&random, 4) == 0; // enough for threads to refit together
		for (int i = 0; i < 2; ++i)
		{
			const MeshKind kind = (MeshKind)sceneRandom_Index(&random, MESH_KINDS);
			const snugDeformer deformer = (snugDeformer)sceneRandom_Index(&random, POSED_DEFORMERS);
			const sceneMesh mesh = isDeep ? sceneMakeSoup(400, 0.15, seed) : RandomMesh(&random, kind);
			const snugTreeDef tree = isDeep ? (snugTreeDef){ .leafTriangles = 1 } : RandomTreeDef(&random);
			posed[i] = Posed_MakeWith(&random, mesh, deformer, tree, pool);
			Watch(posed[i].thing.body);
		}
		for (int frame = 0; frame < 3; ++frame)
		{
			if (frame > 0)
			{
				Posed_Change(&random, posed);
				Posed_Change(&random, posed + 1);
			}
			if (sceneRandom_Index(&random, 4) == 0)
			{
				Posed_PlaceApart(&random, posed + 1);
			}
			AskAll(seed, &random, posed, posed + 1, &witness);
		}
		Posed_Free(posed);
		Posed_Free(posed + 1);
		snugPool_Destroy(pool);
	}
	assert_true(total.nodesAtFront > 0 && total.nodesAboveFront > 0 && total.nodesBelowFront > 0);
	assert_true(
	    total.verticesEvaluated > 0 && total.volumeTests > 0 && total.triangleTests > 0 && total.exactTests > 0);
}

// ---- Scenes
// ----------------------------------------------------------------------------------------------------------

#define SCENE_BODIES 12

typedef struct Company
{
	Posed posed[SCENE_BODIES];
	snugScene* scene;
	int threads;
	uint64_t attempts, grown;
} Company;

// An update, with more room as long as it lacks some: costs are those of all attempts.
static void CheckUpdate(uint64_t seed, Company* company, bool trianglePairs)
{
	const snugSceneQuery query = { .trianglePairs = trianglePairs };
	snugCounters sum = { 0 };
	snugSceneResult result = snugScene_Update(company->scene, &query);
	sgCounters_Add(&sum, &result.counters);
	for (++company->attempts; result.status == snug_outOfRange && result.body == UINT32_MAX; ++company->grown)
	{
		assert_int_equal(snugScene_Reserve(company->scene, &result.needed), snug_success);
		result = snugScene_Update(company->scene, &query);
		sgCounters_Add(&sum, &result.counters);
	}
	assert_int_equal(result.status, snug_success);
	const Tally counted = TakeTally();
	Expected expected = ForPairs(&counted);
	expected.triangleTests = trianglePairs ? expected.triangleTests : sum.triangleTests; // witnesses are not told
	Check("update", seed, &sum, &counted, &expected);
}

static void AskScene(uint64_t seed, sceneRandom* random, Company* company)
{
	snugRay rays[4];
	snugSceneRayHit hits[4];
	snugSceneNear near[4];
	for (size_t i = 0; i < 6 * LENGTH_OF(rays); ++i)
	{
		*((i % 6 < 3 ? rays[i / 6].from : rays[i / 6].to) + i % 3) = (float)sceneRandom_Range(random, -4.0, 4.0);
	}
	const snugSceneRayResult cast = snugScene_CastRays(company->scene, rays, LENGTH_OF(rays), hits, NULL);
	Tally counted = TakeTally();
	Expected expected = { counted.clipped, counted.passed, counted.passing };
	Check("rays through a scene", seed, &cast.counters, &counted, &expected);
	const snugSceneRayResult found = snugScene_FindHits(company->scene, rays, hits, LENGTH_OF(hits), NULL);
	counted = TakeTally();
	expected = (Expected){ counted.clipped, counted.passed, counted.passing };
	Check("hits through a scene", seed, &found.counters, &counted, &expected);
	const snugSceneMarginQuery query = { .margin = 0.2, .pairs = near, .capacity = LENGTH_OF(near) };
	snugSceneMarginResult within = snugScene_FindWithin(company->scene, &query);
	snugCounters sum = within.counters;
	for (; within.status == snug_outOfRange; ++company->grown)
	{
		assert_int_equal(snugScene_Reserve(company->scene, &within.needed), snug_success);
		within = snugScene_FindWithin(company->scene, &query);
		sgCounters_Add(&sum, &within.counters);
	}
	counted = TakeTally();
	expected = (Expected){ counted.compared, counted.nearest, counted.exact };
	Check("within a margin in a scene", seed, &sum, &counted, &expected);
}

// Pose all bodies one by one; then turn some skins by the scene, which bounds them ahead of what asks next.
static void PoseAll(sceneRandom* random, Company* company)
{
	for (uint32_t i = 0; i < SCENE_BODIES; ++i)
	{
		Posed_Change(random, company->posed + i);
		Posed_PlaceApart(random, company->posed + i);
	}
	TakeTally();
	for (uint32_t i = 0; i < SCENE_BODIES; ++i)
	{
		snugFrame frame = { .position = { sceneRandom_Range(random, -1.0, 1.0) } };
		const snugScenePoses poses = { .ids = &i, .count = 1, .frames = &frame };
		RandomRotation(random, frame.rotation);
		if (sceneRandom_Index(random, 2) == 0)
		{
			assert_int_equal(snugScene_SetPoses(company->scene, &poses), snug_success);
		}
	}
}

static void scenes_count_what_they_do(void** state)
{
	(void)state;
	uint64_t attempts = 0, grown = 0;
	total = (snugCounters){ 0 };
	for (int n = 0; n < TestCount(50); ++n)
	{
		const uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		snugPool* pool = sceneRandom_Index(&random, 2) == 0 ? MakePool(4096 * 40) : NULL;
		Company company = { .threads = 1 + (int)sceneRandom_Index(&random, 4) };
		const snugSceneDef def = {
			.room = { .bodies = SCENE_BODIES },
			.parallel = sceneRandom_Index(&random, 2) == 0 ? RunOnThreads : NULL,
			.parallelUser = &company.threads,
		};
		atHandCount = 0;
		assert_int_equal(snugScene_Create(&def, &company.scene), snug_success);
		for (int i = 0; i < SCENE_BODIES; ++i)
		{
			const MeshKind kind = (MeshKind)sceneRandom_Index(&random, MESH_KINDS);
			const snugDeformer deformer = (snugDeformer)sceneRandom_Index(&random, POSED_DEFORMERS);
			company.posed[i] = Posed_Make(&random, RandomMesh(&random, kind), deformer, pool);
			Watch(company.posed[i].thing.body);
			uint32_t id;
			const snugSceneBodyDef added = { .body = company.posed[i].thing.body };
			assert_int_equal(snugScene_Add(company.scene, &added, &id), snug_success);
		}
		for (int frame = 0; frame < 4; ++frame)
		{
			PoseAll(&random, &company);
			if (sceneRandom_Index(&random, 3) == 0)
			{
				AskScene(seed, &random, &company);
			}
			CheckUpdate(seed, &company, sceneRandom_Index(&random, 3) != 0);
		}
		attempts += company.attempts;
		grown += company.grown;
		snugScene_Destroy(company.scene);
		for (int i = 0; i < SCENE_BODIES; ++i)
		{
			Posed_Free(company.posed + i);
		}
		snugPool_Destroy(pool);
	}
	printf("%llu updates, room grew %llu times\n", (unsigned long long)attempts, (unsigned long long)grown);
	assert_true(grown > 0 || TestScale() < 0.2);
	assert_true(total.nodesAtFront > 0 && total.nodesAboveFront > 0 && total.nodesBelowFront > 0);
}

int main(void)
{
	WatchKernels();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queries_count_what_they_do),
		cmocka_unit_test(scenes_count_what_they_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
