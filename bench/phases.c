#include "bench/phases.h"

#include "deform/skin/blend_kernels.h"
#include "geometry/box_kernels.h"
#include "share/clock.h"
#include "tree/leaf_kernels.h"

#include <math.h>

const char* const benchPhaseKeys[BENCH_PHASES + 1] = { "paletteMs", "refitMs", "evaluationMs", "testsMs", "trianglesMs",
	"otherMs", NULL };

/// Cycles and calls of all kernels since the last reset.
static struct
{
	uint64_t cycles[BENCH_PHASES];
	uint64_t calls[BENCH_PHASES];
} tally;

static const sgKernels* plain;
static double cyclesPerMs;
static double clockMs;    // what a clock costs at most
static double innerShare; // the part of it that is in what it measures

static uint64_t Tick(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return (uint64_t)(clockNow() * 1e6);
#endif
}

static void Note(benchPhase phase, uint64_t start)
{
	tally.cycles[phase] += Tick() - start;
	++tally.calls[phase];
}

// ---- Kernels with clocks ---------------------------------------------------------------------------------------

static void MoveBoxes(const sgBoxLanes* boxes, const sgBoxMotion* motion, sgBoxLanes* moved)
{
	uint64_t start = Tick();
	plain->boxes->moveBoxes(boxes, motion, moved);
	Note(bench_tests, start);
}

static uint64_t OverlapBoxes(const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, uint32_t maskB)
{
	uint64_t start = Tick(), pairs = plain->boxes->overlapBoxes(a, maskA, b, maskB);
	Note(bench_tests, start);
	return pairs;
}

static sgBox MergeBoxes(const sgBoxLanes* boxes, uint32_t mask)
{
	uint64_t start = Tick();
	sgBox box = plain->boxes->mergeBoxes(boxes, mask);
	Note(bench_refit, start);
	return box;
}

static float LeastExtent(const sgBoxLanes* boxes, uint32_t mask)
{
	uint64_t start = Tick();
	float extent = plain->boxes->leastExtent(boxes, mask);
	Note(bench_refit, start);
	return extent;
}

static void GrowBoxes(sgBoxLanes* boxes, uint32_t mask, const float distances[SG_LANES])
{
	uint64_t start = Tick();
	plain->boxes->growBoxes(boxes, mask, distances);
	Note(bench_refit, start);
}

static void CutBoxes(sgBoxLanes* boxes, uint32_t mask, const sgBoxLanes* others, const float distances[SG_LANES])
{
	uint64_t start = Tick();
	plain->boxes->cutBoxes(boxes, mask, others, distances);
	Note(bench_refit, start);
}

static void BoundLeaves(const float* positions, const uint32_t* leafVertices, const sgLeaf* leaves, uint32_t count,
    sgBoxLanes* out, uint32_t lane)
{
	uint64_t start = Tick();
	plain->leaves->boundLeaves(positions, leafVertices, leaves, count, out, lane);
	Note(bench_refit, start);
}

static void GatherVertices(const float* positions, const uint32_t* vertices, uint32_t count, sgVertexBlock* out)
{
	uint64_t start = Tick();
	plain->leaves->gatherVertices(positions, vertices, count, out);
	Note(bench_triangles, start);
}

static void PlaceVertices(sgVertexBlock* block, uint32_t count, const sgPlacement* placement)
{
	uint64_t start = Tick();
	plain->leaves->placeVertices(block, count, placement);
	Note(bench_triangles, start);
}

static void PlaceTriangles(const float* positions, const uint32_t* vertices, const sgLeaf* leaf,
    const sgPlacement* placement, sgTriangleLanes* out)
{
	uint64_t start = Tick();
	plain->leaves->placeTriangles(positions, vertices, leaf, placement, out);
	Note(bench_triangles, start);
}

static uint64_t FilterTriangles(const sgTriangleLanes* a, const sgTriangleLanes* b, uint64_t* tests)
{
	uint64_t start = Tick(), pairs = plain->leaves->filterTriangles(a, b, tests);
	Note(bench_triangles, start);
	return pairs;
}

static uint32_t DecidePairs(const sgPairLanes* pairs, uint32_t* unsure)
{
	uint64_t start = Tick();
	uint32_t meet = plain->leaves->decidePairs(pairs, unsure);
	Note(bench_triangles, start);
	return meet;
}

static bool IntersectTriangles(const float a[3][3], const float b[3][3])
{
	uint64_t start = Tick();
	bool intersect = plain->leaves->intersectTriangles(a, b);
	Note(bench_triangles, start);
	return intersect;
}

static void Evaluate(const sgBlend* blend, const float* columns, const float* positions, const uint32_t* vertices,
    uint32_t count, float* out)
{
	uint64_t start = Tick();
	plain->blend->evaluate(blend, columns, positions, vertices, count, out);
	Note(bench_evaluation, start);
}

static void EvaluateBlocks(const sgBlend* blend, uint32_t firstBlock, uint32_t count, const float* columns, float* out)
{
	uint64_t start = Tick();
	plain->blend->evaluateBlocks(blend, firstBlock, count, columns, out);
	Note(bench_evaluation, start);
}

static void Bound(const sgBlend* blend, const sgBlendFamily* family, const sgBlendView* pose, const sgMorphLanes* morph,
    uint32_t mask, sgBoundsOut out)
{
	uint64_t start = Tick();
	plain->blend->bound(blend, family, pose, morph, mask, out);
	Note(bench_refit, start);
}

static void BoundAlone(const sgBlend* blend, const sgBlendFamily* alone, const sgBlendView* pose,
    const sgMorphLanes* morph, uint32_t lane, sgBoundsOut out)
{
	uint64_t start = Tick();
	plain->blend->boundAlone(blend, alone, pose, morph, lane, out);
	Note(bench_refit, start);
}

// ---- Clocks ----------------------------------------------------------------------------------------------------

// A kernel that does nothing, behind a pointer that the compiler must follow.
static bool Nothing(const float a[3][3], const float b[3][3])
{
	return a == b;
}

static double TimeCalls(bool (*volatile call)(const float a[3][3], const float b[3][3]), int count)
{
	uint64_t start = Tick();
	for (int i = 0; i < count; ++i)
	{
		call(NULL, NULL);
	}
	return (double)(Tick() - start) / (double)count;
}

// What a clock costs where nothing else goes on: the least of some rounds, since it is only disturbed upwards.
static void Calibrate(void)
{
	static const sgLeafKernels triangles = { .intersectTriangles = Nothing };
	static const sgKernels nothing = { .leaves = &triangles };
	const sgKernels* kept = plain;
	double inner = INFINITY, outer = INFINITY;
	enum
	{
		CALLS = 2000
	};
	plain = &nothing;
	for (int round = 0; round < 20; ++round)
	{
		benchClocks_Reset();
		double clocked = TimeCalls(IntersectTriangles, CALLS), bare = TimeCalls(Nothing, CALLS);
		inner = fmin(inner, (double)tally.cycles[bench_triangles] / CALLS - bare);
		outer = fmin(outer, clocked - bare);
	}
	plain = kept;
	double start = clockNow();
	uint64_t tick = Tick();
	while (clockNow() - start < 5.0)
	{
	}
	cyclesPerMs = (double)(Tick() - tick) / (clockNow() - start);
	clockMs = outer / cyclesPerMs;
	innerShare = fmin(fmax(inner / outer, 0.0), 1.0);
}

void benchClocks_Start(void)
{
	static sgBoxKernels boxes;
	static sgLeafKernels leaves;
	static sgBlendKernels blend;
	static sgKernels clocked;
	plain = sgGetKernels();
	if (cyclesPerMs == 0.0)
	{
		Calibrate();
	}
	boxes = *plain->boxes;
	boxes.moveBoxes = MoveBoxes;
	boxes.overlapBoxes = OverlapBoxes;
	boxes.mergeBoxes = MergeBoxes;
	boxes.leastExtent = LeastExtent;
	boxes.growBoxes = GrowBoxes;
	boxes.cutBoxes = CutBoxes;
	leaves = (sgLeafKernels){
		.boundLeaves = BoundLeaves,
		.gatherVertices = GatherVertices,
		.placeVertices = PlaceVertices,
		.placeTriangles = PlaceTriangles,
		.filterTriangles = FilterTriangles,
		.decidePairs = DecidePairs,
		.intersectTriangles = IntersectTriangles,
	};
	blend = *plain->blend; // posing is timed as a whole
	blend.evaluate = Evaluate;
	blend.evaluateBlocks = EvaluateBlocks;
	blend.bound = Bound;
	blend.boundAlone = BoundAlone;
	clocked = *plain;
	clocked.boxes = &boxes;
	clocked.leaves = &leaves;
	clocked.blend = &blend;
	sgSetKernels(&clocked);
}

void benchClocks_Stop(void)
{
	sgSetKernels(NULL);
}

void benchClocks_Reset(void)
{
	for (int i = 0; i < BENCH_PHASES; ++i)
	{
		tally.cycles[i] = tally.calls[i] = 0;
	}
}

benchTally benchClocks_Read(void)
{
	benchTally read = { .elapsed = 0.0 };
	for (int i = 0; i < BENCH_PHASES; ++i)
	{
		read.ms[i] = (double)tally.cycles[i] / cyclesPerMs;
		read.calls[i] = (double)tally.calls[i];
	}
	return read;
}

void benchTally_Add(benchTally* sum, const benchTally* more)
{
	sum->elapsed += more->elapsed;
	for (int i = 0; i < BENCH_PHASES; ++i)
	{
		sum->ms[i] += more->ms[i];
		sum->calls[i] += more->calls[i];
	}
}

benchPhases benchTally_MakePhases(const benchTally* from, double plainMs)
{
	benchPhases phases = { { 0.0 } };
	double calls = 0.0, rest = from->elapsed;
	for (int i = 0; i < BENCH_PHASES; ++i)
	{
		calls += from->calls[i];
	}
	double outer = calls > 0.0 ? fmin(fmax((from->elapsed - plainMs) / calls, 0.0), clockMs) : 0.0;
	for (int i = 0; i < BENCH_PHASES; ++i)
	{
		phases.ms[i] = fmax(from->ms[i] - innerShare * outer * from->calls[i], 0.0);
		rest -= phases.ms[i] + outer * from->calls[i];
	}
	phases.ms[bench_other] = fmax(rest, 0.0);
	return phases;
}

double benchPhases_GetSum(const benchPhases* phases)
{
	double sum = 0.0;
	for (int i = 0; i < BENCH_PHASES; ++i)
	{
		sum += phases->ms[i];
	}
	return sum;
}
