// test/driver/sweeps.c: when two bodies first meet on their way, against rational arithmetic; with margins, against
// distances at some times.
#include "driver/operations.h"

#include "rational_sweep.h"

enum
{
	SOME_PAIRS = 3, // of triangles, about so many by chance: 36 take rational arithmetic a third of a second
	TIMES = 5,      // at which distances are looked at
	MOST_ALL = 500, // pairs of triangles of which all contacts are asked for: searches of what nearly touches are long
};

/// A body on its way.
typedef struct Traveller
{
	Actor* start;
	Actor* end; // nullable: it rests
	const Surface *from, *to;
} Traveller;

// From an actor to where another one of its kind is. Null: there is none, or it is not drawn.
static Actor* DrawEnd(World* world, const Actor* start, const Actor* other, const Actor* otherEnd)
{
	Actor* end = world->actors + Below(world, world->actorCount);
	for (uint32_t i = 0; i < world->actorCount; ++i)
	{
		end = world->actors + ((size_t)(end - world->actors) + 1) % world->actorCount;
		if (end->kind == start->kind && end != start && end != other && end != otherEnd)
		{
			return Chance(world, 0.85) ? end : NULL;
		}
	}
	return NULL;
}

static void Corners(const Traveller* traveller, uint32_t triangle, float corners[2][3][3])
{
	Surface_Corners(traveller->from, triangle, corners[0]);
	Surface_Corners(traveller->to, triangle, corners[1]);
}

static bool MayMeet(const Traveller* a, uint32_t i, const Traveller* b, uint32_t j, double margin)
{
	bool mayMeet = true;
	for (int k = 0; k < 3; ++k)
	{
		const double lowerA = fmin((double)a->from->boxes[i][0][k], (double)a->to->boxes[i][0][k]),
		             upperA = fmax((double)a->from->boxes[i][1][k], (double)a->to->boxes[i][1][k]),
		             lowerB = fmin((double)b->from->boxes[j][0][k], (double)b->to->boxes[j][0][k]),
		             upperB = fmax((double)b->from->boxes[j][1][k], (double)b->to->boxes[j][1][k]);
		mayMeet = mayMeet && lowerA - margin <= upperB && lowerB - margin <= upperA;
	}
	return mayMeet;
}

// Where a triangle is at a time, rounded.
static void CornersAt(const Traveller* traveller, uint32_t triangle, double time, float corners[3][3])
{
	float ends[2][3][3];
	Corners(traveller, triangle, ends);
	for (int i = 0; i < 9; ++i)
	{
		const double start = (double)ends[0][i / 3][i % 3], end = (double)ends[1][i / 3][i % 3];
		corners[i / 3][i % 3] = (float)((1.0 - time) * start + time * end);
	}
}

static double DistanceAt(const Traveller* a, uint32_t i, const Traveller* b, uint32_t j, double time)
{
	float one[3][3], other[3][3];
	CornersAt(a, i, time, one);
	CornersAt(b, j, time, other);
	return TrueDistance((const float(*)[3])one, (const float(*)[3])other);
}

static uint64_t CountPairs(const Traveller* a, const Traveller* b, double margin)
{
	uint64_t count = 0;
	for (uint64_t n = 0; n < (uint64_t)a->from->triangleCount * b->from->triangleCount; ++n)
	{
		count += MayMeet(a, (uint32_t)(n / b->from->triangleCount), b, (uint32_t)(n % b->from->triangleCount), margin);
	}
	return count;
}

// With margins: two triangles are not as near before the time that was found.
static void ExpectApart(
    World* world, const Traveller* a, uint32_t i, const Traveller* b, uint32_t j, double margin, double until)
{
	for (int t = 0; t < TIMES; ++t)
	{
		const double time = until * (t + (t + 1 < TIMES ? Between(world, 0.0, 1.0) : 0.999)) / TIMES;
		const double distance = time < until ? DistanceAt(a, i, b, j, time) : INFINITY;
		EXPECT(world, distance >= margin, "triangles %u and %u are %.17g apart at %.17g", i, j, distance, time);
	}
}

// Rational truth about those that are said to come first, and others whose boxes overlap on the way.
// @return whether it is about all of those
static bool AddSome(World* world, const Traveller* a, const Traveller* b, const snugSweepQuery* query,
    const snugSweepResult* result, double rounding)
{
	const uint64_t count = CountPairs(a, b, query->margin);
	const double chance = count <= 3 * SOME_PAIRS ? 1.0 : SOME_PAIRS / (double)count;
	RationalSweep_Begin();
	for (uint64_t n = 0; n < (uint64_t)a->from->triangleCount * b->from->triangleCount; ++n)
	{
		const uint32_t i = (uint32_t)(n / b->from->triangleCount), j = (uint32_t)(n % b->from->triangleCount);
		const bool isReported = i == result->a && j == result->b;
		if (!isReported && !(MayMeet(a, i, b, j, query->margin) && Chance(world, chance)))
		{
			continue;
		}
		const double atStart = query->newOnly ? DistanceAt(a, i, b, j, 0.0) : INFINITY;
		if (atStart == 0.0 || (query->margin > 0.0 && atStart <= query->margin * 1.000001 + rounding))
		{
			continue;
		}
		if (query->margin > 0.0)
		{
			ExpectApart(world, a, i, b, j, query->margin - rounding, result->time);
		}
		float one[2][3][3], other[2][3][3];
		Corners(a, i, one);
		Corners(b, j, other);
		RationalSweep_AddTriangles((const float(*)[3][3])one, (const float(*)[3][3])other);
	}
	return chance == 1.0;
}

// What is reported: triangles that come near each other between the times, and features of these.
static void ExpectReport(World* world, const Traveller* a, const Traveller* b, const snugSweepQuery* query,
    const snugSweepResult* result, double rounding)
{
	const double length2 = (double)result->normal[0] * result->normal[0] +
	                       (double)result->normal[1] * result->normal[1] +
	                       (double)result->normal[2] * result->normal[2];
	EXPECT(world, length2 == 0.0 || fabs(length2 - 1.0) < 1e-5, "the normal has length %g", sqrt(length2));
	if (result->a == SNUG_NONE || result->b == SNUG_NONE)
	{
		EXPECT(world, result->answer == snug_sweepFree || query->maxSteps > 0, "no triangles that meet");
		return;
	}
	EXPECT(world, result->a < a->from->triangleCount && result->b < b->from->triangleCount, "triangles %u %u",
	    result->a, result->b);
	double least = INFINITY;
	for (int t = 0; t <= TIMES; ++t)
	{
		const double time = result->time + (result->latest - result->time) * t / TIMES;
		least = fmin(least, DistanceAt(a, result->a, b, result->b, time));
	}
	// Between the times that are looked at they may be nearer by how far they go meanwhile.
	double way = 0.0, longest = 0.0; // the latter: a side, at least
	for (int i = 0; i < 18; ++i)
	{
		float ends[2][3][3];
		Corners(i < 9 ? a : b, i < 9 ? result->a : result->b, ends);
		way += fabs((double)ends[1][i / 3 % 3][i % 3] - ends[0][i / 3 % 3][i % 3]);
		longest = fmax(longest, fabs((double)ends[0][(i / 3 + 1) % 3][i % 3] - ends[0][i / 3 % 3][i % 3]));
		longest = fmax(longest, fabs((double)ends[1][(i / 3 + 1) % 3][i % 3] - ends[1][i / 3 % 3][i % 3]));
	}
	way *= (result->latest - result->time) / TIMES;
	const double near = 1.8 * query->margin + 2.2 * result->stray + query->tolerance + rounding + way;
	// Of what is not proved the search may have been cut, if edges are long beside the margin.
	const bool mayBeCut =
	    query->maxSteps > 0 || (result->answer == snug_sweepUnsure && query->margin > 0.0 &&
	                               result->featureA.kind == snug_featureEdge && longest > 16.0 * query->margin);
	EXPECT(world, least <= near || mayBeCut, "triangles %u and %u never are nearer than %.17g", result->a, result->b,
	    least);
}

// All contacts: in order, each of two features once, the first ones if there is little room.
static void ExpectAll(
    World* world, snugBody* const bodies[4], const snugSweepQuery* query, const snugSweepResult* first)
{
	const uint64_t room = 3000, less = Below(world, 40);
	snugSweepContact *all = Room(world, room, sizeof(snugSweepContact)),
	                 *some = Room(world, less, sizeof(snugSweepContact));
	snugSweepResult result, cut;
	CALL(world, result = snugSweepAll(bodies[0], bodies[1], bodies[2], bodies[3], query, all, room));
	CALL(world, cut = snugSweepAll(bodies[0], bodies[1], bodies[2], bodies[3], query, some, less));
	EXPECT(world, result.status == snug_success && cut.status == snug_success, "all contacts are refused");
	EXPECT(world, query->maxSteps > 0 || (result.answer == first->answer && result.time == first->time),
	    "of all contacts the first is at %.17g", result.time);
	EXPECT(world,
	    cut.count <= less && (query->maxSteps > 0 || cut.count == (result.count < less ? result.count : less)),
	    "%llu contacts, and %llu with little room", (unsigned long long)result.count, (unsigned long long)cut.count);
	for (uint64_t i = 0; i < result.count; ++i)
	{
		EXPECT(world, i == 0 || all[i - 1].time <= all[i].time, "contact %llu is out of order", (unsigned long long)i);
		EXPECT(world, all[i].time >= result.time && all[i].latest >= all[i].time, "contact %llu is early",
		    (unsigned long long)i);
		EXPECT(world, query->maxSteps > 0 || i >= cut.count || memcmp(&some[i].featureA, &all[i].featureA, 24) == 0,
		    "contact %llu is another one with little room", (unsigned long long)i);
	}
}

snugSweepQuery DrawSweepQuery(World* world, const double origin[3], double extent)
{
	snugSweepQuery query = { .newOnly = Chance(world, 0.3) };
	Copy(query.origin, origin, sizeof(query.origin));
	query.tolerance = extent * (Chance(world, 0.3) ? Magnitude(world, 1e-7, 1e-3) : 0x1p-20);
	query.margin = Chance(world, 0.3) ? world->scale * Magnitude(world, 1e-4, 1.0) : 0.0;
	query.maxTime = Chance(world, 0.3) ? Between(world, 0.01, 1.0) : 0.0;
	query.maxSteps = Chance(world, 0.2) ? 1 + Below(world, 30) : 0;
	query.path = Chance(world, 0.2) ? snug_pathTurning : snug_pathStraight;
	return query;
}

static bool SetWay(World* world, Traveller* traveller, const Surface* from, const double origin[3])
{
	traveller->from = traveller->to = from;
	if (traveller->end != NULL)
	{
		traveller->to = Actor_Surface(world, traveller->end, origin);
	}
	return traveller->to != NULL;
}

bool Sweep(World* world)
{
	Two two;
	if (!DrawTwo(world, &two))
	{
		return false;
	}
	Traveller a = { .start = two.a }, b = { .start = two.b };
	a.end = DrawEnd(world, two.a, two.b, NULL);
	b.end = DrawEnd(world, two.b, two.a, a.end);
	if (!SetWay(world, &a, two.surfaceA, two.origin) || !SetWay(world, &b, two.surfaceB, two.origin) ||
	    a.from->triangleCount == 0 || b.from->triangleCount == 0)
	{
		return false;
	}
	const double extent = fmax(Surfaces_Extent(a.from, b.from), Surfaces_Extent(a.to, b.to));
	const double far = fmax(fmax(a.from->far, a.to->far), fmax(b.from->far, b.to->far));
	const double rounding = 0x1p-20 * far + 0x1p-147; // of positions at a time, which are float32, if need be subnormal
	const snugSweepQuery query = DrawSweepQuery(world, two.origin, extent);
	snugBody* endA = a.end != NULL ? a.end->body : Chance(world, 0.5) ? a.start->body : NULL;
	snugBody* endB = b.end != NULL ? b.end->body : Chance(world, 0.5) ? b.start->body : NULL;
	const snugSweepQuery* given = GIVEN(world, query);
	snugSweepResult result;
	CALL(world, result = snugSweep(a.start->body, endA, b.start->body, endB, given));
	if (!IsAnswered(world, result.status, a.from->far > b.from->far ? a.from : b.from))
	{
		return false;
	}
	const double maxTime = query.maxTime > 0.0 ? query.maxTime : 1.0;
	Tell(world, "answer %d from %.17g to %.17g, margin %g, tolerance %g; ", (int)result.answer, result.time,
	    result.latest, query.margin, query.tolerance);
	ExpectCounters(world, &result.counters);
	EXPECT(world, result.time >= 0.0 && result.time <= maxTime, "the time is not in the step");
	ExpectReport(world, &a, &b, &query, &result, rounding);
	if (Chance(world, 0.5) && CountPairs(&a, &b, query.margin) <= MOST_ALL)
	{
		snugBody* const bodies[4] = { a.start->body, endA, b.start->body, endB };
		ExpectAll(world, bodies, given, &result);
	}
	const bool isAll = AddSome(world, &a, &b, &query, &result, rounding);
	++world->questions;
	const bool meets = RationalSweep_Meets() && RationalSweep_NotAfter(maxTime);
	Tell(world, "true %.17g; ", RationalSweep_Time());
	EXPECT(world, !meets || RationalSweep_NotBefore(result.time), "it is late");
	EXPECT(world, !meets || result.answer != snug_sweepFree, "it is missed");
	EXPECT(world, result.answer != snug_sweepFree || result.time == maxTime, "it is free, but not to the end");
	EXPECT(world,
	    result.answer != snug_sweepMeets || query.margin > 0.0 || result.stray > 0.0 || !isAll ||
	        (meets && RationalSweep_NotAfter(result.latest)),
	    "it is proved, but not so");
	return true;
}

// By vertices of triangles, where they are.
static double SagittaOf(const Surface* const at[3])
{
	double most = 0.0;
	for (uint64_t corner = 0; corner < 3 * (uint64_t)at[0]->triangleCount; ++corner)
	{
		const size_t first = 3 * (size_t)at[0]->triangles[corner];
		double away[3];
		for (size_t k = 0; k < 3; ++k)
		{
			const double start = (double)at[0]->positions[first + k], end = (double)at[2]->positions[first + k];
			away[k] = (double)at[1]->positions[first + k] - 0.5 * (start + end);
		}
		most = fmax(most, sqrt(away[0] * away[0] + away[1] * away[1] + away[2] * away[2]));
	}
	return most;
}

bool FindSagitta(World* world)
{
	Actor* actors[3] = { AnyActor(world) };
	actors[1] = DrawEnd(world, actors[0], NULL, NULL);
	actors[2] = actors[1] != NULL ? DrawEnd(world, actors[0], actors[1], NULL) : NULL;
	if (actors[2] == NULL)
	{
		return false;
	}
	const Surface *at[3], *farthest = NULL;
	double origin[3], found = -1.0, extent = 0.0;
	DrawOrigin(world, origin);
	for (int i = 0; i < 3; ++i)
	{
		at[i] = Actor_Surface(world, actors[i], origin);
		if (at[i] == NULL)
		{
			return false;
		}
		farthest = farthest == NULL || at[i]->far > farthest->far ? at[i] : farthest;
		extent = fmax(extent, 2.0 * at[i]->far);
	}
	snugStatus status;
	CALL(world, status = snugFindSagitta(actors[0]->body, actors[1]->body, actors[2]->body, origin, &found));
	if (!IsAnswered(world, status, farthest))
	{
		return false;
	}
	const double truth = SagittaOf(at);
	EXPECT(world, fabs(found - truth) <= 0x1p-40 * extent, "the sagitta is %.17g, not %.17g", truth, found);
	++world->questions;
	return truth > 0.0;
}
