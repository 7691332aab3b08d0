// test/geometry/test_moving.c: features that move, against rational arithmetic.
#include "moving_pair.h"
#include "rational_sweep.h"
#include "support.h"

#include <math.h>
#include <string.h>

typedef struct Tally
{
	uint64_t pairs, meeting, certain, unsure, falsely, cut, filtered;
	uint64_t cells;
} Tally;

static const sgMovingQuery defaults = { .to = 1.0, .tolerance = 0x1p-20, .maxCells = 10000 };

static double Extent(const RationalPath path)
{
	double extent = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		double low = path[0][0][k], high = low;
		for (int i = 0; i < 8; ++i)
		{
			low = fmin(low, path[i / 2][i % 2][k]);
			high = fmax(high, path[i / 2][i % 2][k]);
		}
		extent = fmax(extent, high - low);
	}
	return extent;
}

// What is proved must be true: nothing before `time`, something up to `latest`.
static const char* FindFault(const sgMovingResult* result)
{
	const bool meets = RationalSweep_Meets();
	if (result->answer == sg_movingFree)
	{
		return meets ? "missed" : NULL;
	}
	if (meets && !RationalSweep_NotBefore(result->time))
	{
		return "late";
	}
	const bool isProved = result->answer == sg_movingMeets;
	return isProved && !(meets && RationalSweep_NotAfter(result->latest)) ? "proved, but not so" : NULL;
}

// ---- Distances -----------------------------------------------------------------------------------------------------

static double Dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// From a point of a line, from 0 to 1, to the origin.
static double PointToOrigin(const double from[3], const double way[3])
{
	const double length2 = Dot(way, way);
	const double part = length2 > 0.0 ? fmin(fmax(-Dot(from, way) / length2, 0.0), 1.0) : 0.0;
	const double point[3] = { from[0] + part * way[0], from[1] + part * way[1], from[2] + part * way[2] };
	return sqrt(Dot(point, point));
}

// Of two features at a time: the least |b + u e + v h|, inside or on an edge of where u and v are.
static double DistanceAt(const RationalPath path, bool isEdges, double t)
{
	double x[4][3], b[3], e[3], h[3], far[3], back[3];
	for (int i = 0; i < 12; ++i)
	{
		x[i / 3][i % 3] = (1.0 - t) * path[i / 3][0][i % 3] + t * path[i / 3][1][i % 3];
	}
	for (int k = 0; k < 3; ++k)
	{
		b[k] = isEdges ? x[0][k] - x[2][k] : x[0][k] - x[1][k];
		e[k] = isEdges ? x[1][k] - x[0][k] : x[1][k] - x[2][k];
		h[k] = isEdges ? x[2][k] - x[3][k] : x[1][k] - x[3][k];
		far[k] = b[k] + e[k];
		back[k] = isEdges ? b[k] + h[k] : h[k] - e[k];
	}
	double least = fmin(PointToOrigin(b, e), PointToOrigin(b, h));
	least = fmin(least, isEdges ? fmin(PointToOrigin(far, h), PointToOrigin(back, e)) : PointToOrigin(far, back));
	const double ee = Dot(e, e), eh = Dot(e, h), hh = Dot(h, h), be = Dot(b, e), bh = Dot(b, h);
	const double scale = ee * hh - eh * eh, u = (eh * bh - hh * be) / scale, v = (eh * be - ee * bh) / scale;
	const bool isInside = u >= 0.0 && v >= 0.0 && (isEdges ? u <= 1.0 && v <= 1.0 : u + v <= 1.0);
	const double point[3] = { b[0] + u * e[0] + v * h[0], b[1] + u * e[1] + v * h[1], b[2] + u * e[2] + v * h[2] };
	return isInside ? fmin(least, sqrt(Dot(point, point))) : least;
}

// What is unsure comes near: within twice the tolerance, somewhere between the two times.
static bool ComesNear(const RationalPath path, bool isEdges, const sgMovingResult* result, double tolerance)
{
	double least = INFINITY;
	for (int i = 0; i <= 16; ++i)
	{
		least = fmin(least, DistanceAt(path, isEdges, result->time + (result->latest - result->time) * i / 16.0));
	}
	return least <= 2.0 * tolerance;
}

static void Count(Tally* tally, const sgMovingResult* result)
{
	const bool meets = RationalSweep_Meets();
	++tally->pairs;
	tally->meeting += meets;
	tally->certain += result->answer == sg_movingMeets;
	tally->unsure += result->answer == sg_movingUnsure && meets;
	tally->falsely += result->answer == sg_movingUnsure && !meets;
	tally->cut += result->isCut;
	tally->cells += result->cells;
}

static void Print(const char* what, const Tally* tally)
{
	print_message(
	    "%s: %llu pairs, %llu meet: %llu certain, %llu unsure; %llu of the others unsure; %llu cut; %.1f cells "
	    "each; %llu filtered\n",
	    what, (unsigned long long)tally->pairs, (unsigned long long)tally->meeting, (unsigned long long)tally->certain,
	    (unsigned long long)tally->unsure, (unsigned long long)tally->falsely, (unsigned long long)tally->cut,
	    (double)tally->cells / (double)tally->pairs, (unsigned long long)tally->filtered);
}

// ---- Random features -----------------------------------------------------------------------------------------------

enum
{
	kind_any,      // anywhere
	kind_grid,     // small integers: flat, on edges, vertex on vertex
	kind_plane,    // all in one plane all the time
	kind_parallel, // nothing turns: pure translation
	kind_sliver,   // long and thin
	kind_fast,     // small things that fly far
	kind_graze,    // a corner of one ends on or next to the other
	kind_rest,     // one of them does not move
	KINDS
};

static const char* const kindNames[KINDS] = { "any", "grid", "plane", "parallel", "sliver", "fast", "graze", "rest" };

static void Draw(sceneRandom* random, int kind, bool isEdges, RationalPath path)
{
	const float scale = ldexpf(1.0f, sceneRandom_Int(random, -20, 20));
	const float far = sceneRandom_Int(random, 0, 3) == 0 ? 100.0f * scale : 0.0f;
	const int own = isEdges ? 2 : 1;
	const int axis = sceneRandom_Int(random, 0, 2);
	for (int k = 0; k < 3; ++k)
	{
		const float way[2] = { RandomFloat(random, -3.0f, 3.0f), RandomFloat(random, -3.0f, 3.0f) };
		for (int i = 0; i < 8; ++i)
		{
			const int corner = i / 2, end = i % 2, side = corner >= own;
			float x = RandomFloat(random, -1.0f, 1.0f);
			x = kind == kind_grid ? (float)sceneRandom_Int(random, -1, 2) : x;
			x = kind == kind_plane && k == axis ? (float)end * way[0] : x;
			x = kind == kind_sliver && k == axis ? x * 0x1p-18f : x;
			x = kind == kind_fast
			        ? x * 0.05f + (side == 0 ? (end == 0 ? -3.0f : 3.0f) * (k == axis ? 1.0f : 0.01f) : 0.0f)
			        : x;
			const bool isCarried = end == 1 && (kind == kind_parallel || (kind == kind_rest && side == 1));
			const float carried = (float)path[corner][0][k] + (kind == kind_parallel ? way[side] * scale : 0.0f);
			path[corner][end][k] = (double)(isCarried ? carried : far + x * scale);
		}
	}
}

// The first corner ends on the second feature, or a few floats away.
static void EndNear(sceneRandom* random, bool isEdges, RationalPath path)
{
	const int end = sceneRandom_Int(random, 0, 1), own = isEdges ? 2 : 1;
	const double weight = 0.25 * (double)sceneRandom_Int(random, 0, 4);
	for (int k = 0; k < 3; ++k)
	{
		const double x = (1.0 - weight) * path[own][end][k] + weight * path[own + 1][end][k];
		path[0][end][k] = (double)RandomNudge(random, (float)x, 2);
	}
}

// Lanes that are dropped do not meet, times that are left have the first contact, and are the same for every
// instruction set. The other lanes have other features.
static const char* FindLaneFault(const sgMovingPair* pair, int lane, sgMovingTimes* times)
{
	static sgMovingLanes lanes;
	static const sgMovingTimes all = { .to = { 1, 1, 1, 1, 1, 1, 1, 1 } };
	static const sgKernels* kernels[8];
	static int count = 0;
	count = count > 0 ? count : FindKernels(kernels);
	MovingLanes_Set(&lanes, lane, pair);
	const int triangles = lane + pair->isTriangle; // and those before
	uint32_t first = 0;
	for (int i = 0; i < count; ++i)
	{
		sgMovingTimes own = all;
		const uint32_t left = kernels[i]->moving->enterFeatures(&lanes, triangles, 0.0, &own);
		if (i > 0 && (left != first || memcmp(&own, times, sizeof(own)) != 0))
		{
			return kernels[i]->name;
		}
		first = left;
		*times = own;
	}
	const bool isLeft = (first >> lane & 1) != 0;
	times->from[0] = times->from[lane];
	times->to[0] = times->to[lane];
	if (!RationalSweep_Meets())
	{
		times->to[0] = isLeft ? times->to[0] : -1.0;
		return NULL;
	}
	return !isLeft                                    ? "dropped"
	       : !RationalSweep_NotBefore(times->from[0]) ? "entered late"
	       : !RationalSweep_NotAfter(times->to[0])    ? "left early"
	                                                  : NULL;
}

static void Check(uint64_t seed, Tally* tally)
{
	sceneRandom random = { seed * 7919 };
	const int kind = sceneRandom_Int(&random, 0, KINDS - 1);
	const bool isEdges = sceneRandom_Int(&random, 0, 1) == 1;
	RationalPath path;
	Draw(&random, kind, isEdges, path);
	if (kind == kind_graze)
	{
		EndNear(&random, isEdges, path);
	}
	RationalSweep_Begin();
	RationalSweep_Add((const double(*)[2][3])path, isEdges);
	const sgMovingPair pair = MovingPair_Make((const double(*)[2][3])path, !isEdges);
	sgMovingQuery query = defaults;
	query.tolerance *= Extent((const double(*)[2][3])path);
	sgMovingResult result = sgMovingPair_Search(&pair, &query);
	const char* fault = FindFault(&result);
	sgMovingTimes times = { .from = { 0 } };
	fault = fault != NULL ? fault : FindLaneFault(&pair, (int)(seed % SG_LANES), &times);
	tally[kind].filtered += times.to[0] < times.from[0];
	if (fault == NULL && times.from[0] <= times.to[0]) // and again with what the lanes have left
	{
		query.from = fmin(times.from[0], 1.0);
		query.to = fmin(times.to[0], 1.0);
		result = sgMovingPair_Search(&pair, &query);
		fault = FindFault(&result);
	}
	if (fault == NULL && result.answer == sg_movingUnsure && !result.isCut)
	{
		fault = ComesNear((const double(*)[2][3])path, isEdges, &result, query.tolerance) ? NULL : "unsure, but apart";
	}
	if (fault != NULL)
	{
		fail_msg("seed %llu (%s, %s): %s: answer %d, %.17g to %.17g instead of %.17g", (unsigned long long)seed,
		    kindNames[kind], isEdges ? "edges" : "triangle", fault, (int)result.answer, result.time, result.latest,
		    RationalSweep_Time());
	}
	Count(tally + kind, &result);
}

static void features_meet_when_rational_arithmetic_says_so(void** state)
{
	(void)state;
	Tally tally[KINDS] = { 0 };
	const int count = TestCount(4000);
	for (int n = 0; n < count; ++n)
	{
		Check(TestSeed() + (uint64_t)n, tally);
	}
	print_message("seeds from %llu\n", (unsigned long long)TestSeed());
	for (int kind = 0; kind < KINDS; ++kind)
	{
		Print(kindNames[kind], tally + kind);
		assert_true(count < 1000 || tally[kind].meeting > tally[kind].pairs / 50);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(features_meet_when_rational_arithmetic_says_so),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
