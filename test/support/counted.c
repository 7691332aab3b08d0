// test/support/counted.c: see counted.h.
#include "counted.h"

#include "body/body.h"
#include "geometry/box_kernels.h"
#include "geometry/distance.h"
#include "geometry/segment.h"
#include "geometry/shape.h"
#include "geometry/triangle.h"
#include "query/triangles.h"
#include "query/view.h"
#include "scene/broad.h"
#include "tree/probe_kernels.h"

#include <math.h>
#include <string.h>

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
	uint32_t nearPoint;            // boxes
	bool isMoved;                  // boxes have just been turned into another space
	bool isBroad;                  // in the tree over bodies
	bool isBounding;               // by a deformer
	bool mayLookAgain, looksAgain; // from the other body's space
} Last;

static _Thread_local Last last;

Tally TakeTally(void)
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

void ForgetBodies(void)
{
	atHandCount = 0;
}

// ---- Deformers -----------------------------------------------------------------------------------------------------

static const sgDeform* RealOf(const sgPosed* posed)
{
	return posed->model->deform;
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
static void CountBound(const sgPosed* posed, sgLaneSet set, sgBoxLanes* out)
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
void Watch(snugBody* body)
{
	static sgDeform counting[8];
	const uint32_t number = sgDeform_Number(body->model->deform);
	sgDeform* deform = counting + number;
	assert_true(number < LENGTH_OF(counting));
	*deform = *body->deform;
	deform->evaluate = deform->evaluate != NULL ? CountEvaluate : NULL;
	deform->evaluateCluster = deform->evaluateCluster != NULL ? CountEvaluateCluster : NULL;
	deform->bound = deform->bound != NULL ? CountBound : NULL;
	deform->boundTurned = deform->boundTurned != NULL ? CountBoundTurned : NULL;
	body->deform = deform;
	if (deform->positions != NULL && !IsAtHand(body->model->tree.leaves))
	{
		assert_true(atHandCount < (int)LENGTH_OF(atHand));
		atHand[atHandCount++] = &body->model->tree;
	}
}

// ---- Kernels -------------------------------------------------------------------------------------------------------

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

// A box that goes on for ever is a half-line, or what is behind an edge; it is compared with nodes, and with triangles.
static uint64_t CountOverlapBoxes(const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, uint32_t maskB)
{
	const uint64_t pairs = real->boxes->overlapBoxes(a, maskA, b, maskB);
	if (b != last.bounds[0].boxes && maskA == 1 && (isinf(a->lower[0][0]) || isinf(a->upper[0][0])))
	{
		tally.passed += (uint32_t)__builtin_popcount(maskB);
		tally.passing += (uint32_t)__builtin_popcountll(pairs);
		return pairs;
	}
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
	const bool isOfBody = boxes == last.bounds[0].boxes; // otherwise they are boxes around bodies, of a scene
	tally.clipped += isOfBody ? (uint32_t)__builtin_popcount(last.bounds[0].opened.set.mask) : 0;
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

static void CountLeafPairs(const sgTriangleLanes* a, const sgTriangleLanes* b, uint64_t leafPairs)
{
	for (uint32_t pair = 0; pair < SG_LANES * SG_LANES; ++pair)
	{
		if ((leafPairs >> pair & 1) != 0)
		{
			CountBoxPairs(a + pair / SG_LANES, b + pair % SG_LANES);
		}
	}
}

static uint32_t CountFilterLeaves(
    const sgTriangleLanes* a, const sgTriangleLanes* b, uint64_t leafPairs, uint64_t* tests, uint16_t* candidates)
{
	CountLeafPairs(a, b, leafPairs);
	return real->leaves->filterLeaves(a, b, leafPairs, tests, candidates);
}

static uint32_t CountFilterNeighbours(const sgTriangleLanes* a, const sgCornerLanes* cornersA, const sgTriangleLanes* b,
    const sgCornerLanes* cornersB, uint64_t leafPairs, uint64_t* tests, uint16_t* candidates)
{
	CountLeafPairs(a, b, leafPairs);
	return real->leaves->filterNeighbours(a, cornersA, b, cornersB, leafPairs, tests, candidates);
}

static uint32_t CountPassTriangles(const sgTriangleLanes* triangles, const sgProbeLine* line)
{
	const uint32_t passing = real->probes->passTriangles(triangles, line);
	tally.passed += triangles->leaf->triangleCount;
	tally.passing += (uint32_t)__builtin_popcount(passing);
	return passing;
}

// Of a point, to boxes of nodes or of the triangles of a leaf.
static uint32_t CountGapPoint(
    const sgBoxLanes* boxes, const float point[3], float slack, float limit, float gaps[SG_LANES])
{
	last.nearPoint = real->probes->gapPoint(boxes, point, slack, limit, gaps);
	return last.nearPoint;
}

// Those whose boxes have just been found near; others may be looked at beside them, which costs nothing.
static uint32_t CountMeetBall(
    const sgTriangleLanes* triangles, const float center[3], double radius, sgPointLanes* nearest, uint32_t* unsure)
{
	tally.balls += (uint32_t)__builtin_popcount(last.nearPoint & triangles->mask);
	return real->probes->meetBall(triangles, center, radius, nearest, unsure);
}

void WatchKernels(void)
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
	leaves.filterLeaves = CountFilterLeaves;
	leaves.filterNeighbours = CountFilterNeighbours;
	probes.overlapOrGap = CountOverlapOrGap;
	probes.nearBoxes = CountNearBoxes;
	probes.clipBoxes = CountClipBoxes;
	probes.passTriangles = CountPassTriangles;
	probes.gapPoint = CountGapPoint;
	probes.meetBall = CountMeetBall;
	kernels.boxes = &boxes;
	kernels.leaves = &leaves;
	kernels.probes = &probes;
	sgSetKernels(&kernels);
}

// ---- Functions that the linker wraps: see CMakeLists.txt -----------------------------------------------------------

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
    (shape, triangle, contact), tally.shapes += shape->kind != snug_shapeSphere)
WRAPPED(void, sgRefitMerged, (sgCacheGroup * cached, uint32_t lane, const sgCacheGroup* below, uint32_t mask),
    (cached, lane, below, mask), ++tally.merged)
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

const sgBoxLanes* __real_sgView_Bounds(sgView* side, const sgOpened* opened, snugCounters* counters);
const sgBoxLanes* __wrap_sgView_Bounds(sgView* side, const sgOpened* opened, snugCounters* counters);
const sgBoxLanes* __wrap_sgView_Bounds(sgView* side, const sgOpened* opened, snugCounters* counters)
{
	const sgBoxLanes* bounds = __real_sgView_Bounds(side, opened, counters);
	tally.opened += (uint32_t)__builtin_popcount(opened->set.mask);
	last.bounds[1] = last.bounds[0];
	last.bounds[0].body = side->body;
	last.bounds[0].opened = *opened;
	last.bounds[0].boxes = bounds;
	return bounds;
}

snugCounters countedTotal;

void CheckCounters(
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
	sgCounters_Add(&countedTotal, found);
}

Expected ForPairs(const Tally* counted)
{
	return (Expected){ counted->compared, counted->boxPairs, counted->exact };
}
