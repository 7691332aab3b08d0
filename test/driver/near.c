// test/driver/near.c: how far apart things are.
#include "driver/operations.h"

// Distances are right to this much of the extent.
#define RIGHT_TO 0x1p-40

static double Slack(double extent)
{
	return 1.01 * RIGHT_TO * extent;
}

static double LengthOf(const float a[3], const float b[3])
{
	double sum = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		sum += ((double)a[k] - b[k]) * ((double)a[k] - b[k]);
	}
	return sqrt(sum);
}

double DrawLimit(World* world, double distance)
{
	switch (Below(world, 5))
	{
		case 0:
			return isfinite(distance) ? distance * (1.0 + 0.1 * Signed(world)) : world->scale;
		case 1:
			return isfinite(distance) ? distance : world->scale;
		case 2:
			return world->scale * Magnitude(world, 1e-6, 10.0);
		default:
			return 0.0;
	}
}

// --- Two bodies -----------------------------------------------------------------------------------------------------

// The triangles are as far apart as it says, and so are the points, which are on them.
static void ExpectNearest(World* world, const Two* two, const snugDistanceResult* result)
{
	float a[3][3], b[3][3];
	const double slack = Slack(Surfaces_Extent(two->surfaceA, two->surfaceB));
	const double rounding = Rounding(two->surfaceA) + Rounding(two->surfaceB) + slack;
	EXPECT(world, result->a < two->surfaceA->triangleCount && result->b < two->surfaceB->triangleCount,
	    "triangles %u %u", result->a, result->b);
	Surface_Corners(two->surfaceA, result->a, a);
	Surface_Corners(two->surfaceB, result->b, b);
	const double exact = TrueDistance((const float(*)[3])a, (const float(*)[3])b);
	EXPECT(world, fabs(result->distance - exact) <= slack && (result->distance == 0.0) == (exact == 0.0),
	    "triangles %u and %u are %.17g apart, not %.17g", result->a, result->b, exact, result->distance);
	EXPECT(world, fabs(LengthOf(result->pointA, result->pointB) - exact) <= rounding, "the points are %g apart",
	    LengthOf(result->pointA, result->pointB));
	EXPECT(world,
	    PointDistance(result->pointA, (const float(*)[3])a) <= rounding &&
	        PointDistance(result->pointB, (const float(*)[3])b) <= rounding,
	    "a point is not on its triangle");
}

bool FindDistance(World* world)
{
	Two two;
	if (!DrawTwo(world, &two) || (uint64_t)two.surfaceA->triangleCount * two.surfaceB->triangleCount > 100000)
	{
		return false;
	}
	const double distance = SurfaceDistance(two.surfaceA, two.surfaceB);
	const double slack = Slack(Surfaces_Extent(two.surfaceA, two.surfaceB));
	snugDistanceQuery query = { .maxDistance = DrawLimit(world, distance) };
	Copy(query.origin, two.origin, sizeof(query.origin));
	Tell(world, "distance %.17g, limit %.17g; ", distance, query.maxDistance);
	const snugDistanceQuery* given = GIVEN(world, query);
	snugDistanceResult result;
	CALL(world, result = snugFindDistance(two.a->body, two.b->body, given));
	if (!IsAnswered(world, result.status, two.surfaceA))
	{
		return false;
	}
	ExpectCounters(world, &result.counters);
	++world->questions;
	const double limit = query.maxDistance > 0.0 ? query.maxDistance : INFINITY;
	EXPECT(world, result.isWithin || !(distance < limit - slack), "it is said to be beyond %g", limit);
	EXPECT(world,
	    result.isWithin ? result.distance <= limit && result.distance <= distance + slack : isinf(result.distance),
	    "the distance is %.17g", result.distance);
	EXPECT(world, !result.isWithin || (result.distance == 0.0) == (distance == 0.0), "the distance is %.17g",
	    result.distance);
	if (result.isWithin)
	{
		ExpectNearest(world, &two, &result);
	}
	if (distance == 0.0 && Chance(world, 0.3)) // the pair that snugTouches names
	{
		snugPair pair;
		snugQuery touches = { .pairs = &pair, .capacity = 1 };
		Copy(touches.origin, two.origin, sizeof(touches.origin));
		CALL(world, snugTouches(two.a->body, two.b->body, &touches));
		EXPECT(world, pair.a == result.a && pair.b == result.b, "%u %u, not %u %u", result.a, result.b, pair.a, pair.b);
	}
	return true;
}

// --- Pairs within a margin ------------------------------------------------------------------------------------------

/// Two bodies, or one and where it is at rest.
typedef struct Within
{
	snugBody *a, *b; // the same of one
	const Surface *surfaceA, *surfaceB;
	const Surface* rest; // null: of two
	double origin[3];
	double margin, restDistance;
} Within;

static snugResult AskWithin(const Within* within, const snugQuery* query)
{
	return within->rest != NULL ? snugCollideSelfWithin(within->a, within->margin, within->restDistance, query)
	                            : snugCollideWithin(within->a, within->b, within->margin, query);
}

// Whether it is right to say that two triangles are within a margin, or are not: that is decided but for a slack, which
// depends on the pair. Without a margin it is whether they meet.
static bool IsRight(const Surface* a, uint32_t i, const Surface* b, uint32_t j, double margin, bool areWithin)
{
	float cornersA[3][3], cornersB[3][3];
	double gap2 = 0.0, extent = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		const float(*x)[3] = (const float(*)[3])a->boxes[i], (*y)[3] = (const float(*)[3])b->boxes[j];
		const double gap = fmax(fmax((double)x[0][k] - y[1][k], (double)y[0][k] - x[1][k]), 0.0);
		gap2 += gap * gap;
		extent = fmax(extent, fmax((double)x[1][k], (double)y[1][k]) - fmin((double)x[0][k], (double)y[0][k]));
	}
	const double slack = margin > 0.0 ? Slack(extent) : 0.0;
	if (!areWithin && sqrt(gap2) > margin + slack)
	{
		return true;
	}
	Surface_Corners(a, i, cornersA);
	Surface_Corners(b, j, cornersB);
	const bool meet = TrianglesMeet((const float(*)[3])cornersA, (const float(*)[3])cornersB);
	const double about = meet ? 0.0 : DistanceAbout((const float(*)[3])cornersA, (const float(*)[3])cornersB);
	if (!areWithin)
	{
		return !meet && about >= margin - slack;
	}
	return about <= margin + slack ||
	       TrueDistance((const float(*)[3])cornersA, (const float(*)[3])cornersB) <= margin + slack;
}

// Of one body they are also farther apart at rest than a distance. Triangles that share a corner, by twins, meet there.
static void ExpectWithin(World* world, const Within* within, uint32_t i, uint32_t j, bool isFound)
{
	const bool isRight = IsRight(within->surfaceA, i, within->surfaceB, j, within->margin, isFound);
	const bool isOwn = within->rest != NULL;
	if (isFound)
	{
		EXPECT(world, isRight, "%u and %u are not within it", i, j);
		EXPECT(world, !isOwn || IsRight(within->rest, i, within->rest, j, within->restDistance, false),
		    "%u and %u are no farther apart at rest", i, j);
		return;
	}
	EXPECT(world, isRight || (isOwn && IsRight(within->rest, i, within->rest, j, within->restDistance, true)),
	    "%u and %u are missing", i, j);
}

// As they are found, until the callback has enough: some of them, no pair twice. `count`: how many there are.
static void ExpectStopped(World* world, const Within* within, uint64_t count)
{
	Heard heard = { .capacity = count + 1, .stopAfter = 1 + Below(world, 5) };
	heard.pairs = Room(world, heard.capacity, sizeof(snugPair));
	snugQuery query = { .unsorted = true, .callback = Hear, .user = &heard };
	query.capacity = Below(world, (uint32_t)count + 2);
	query.pairs = Room(world, query.capacity, sizeof(snugPair));
	Copy(query.origin, within->origin, sizeof(query.origin));
	snugResult result;
	CALL(world, result = AskWithin(within, &query));
	const uint64_t expected = count < heard.stopAfter ? count : heard.stopAfter;
	EXPECT(world, result.count == expected && heard.count == expected && result.complete == (count < heard.stopAfter),
	    "%llu pairs, %llu called back", (unsigned long long)result.count, (unsigned long long)heard.count);
	for (uint64_t i = 0; i < expected && i < query.capacity; ++i)
	{
		EXPECT(world, ComparePairs(query.pairs + i, heard.pairs + i) == 0, "pair %llu is another one",
		    (unsigned long long)i);
	}
}

// With less room the first ones.
static void ExpectFirstWithin(World* world, const Within* within, const snugPair* all, uint64_t count)
{
	snugQuery query = { .capacity = Below(world, (uint32_t)count + 1) };
	query.pairs = Room(world, query.capacity, sizeof(snugPair));
	Copy(query.origin, within->origin, sizeof(query.origin));
	snugResult again;
	CALL(world, again = AskWithin(within, &query));
	EXPECT(world, again.count == count && memcmp(query.pairs, all, query.capacity * sizeof(snugPair)) == 0,
	    "other pairs with room for %llu", (unsigned long long)query.capacity);
}

static bool ExpectAllWithin(World* world, const Within* within)
{
	const uint64_t most = (uint64_t)within->surfaceA->triangleCount * within->surfaceB->triangleCount;
	snugQuery query = { .capacity = most, .pairs = Room(world, most, sizeof(snugPair)) };
	Copy(query.origin, within->origin, sizeof(query.origin));
	Heard heard = { .capacity = most + 1 };
	if (Chance(world, 0.3))
	{
		heard.pairs = Room(world, heard.capacity, sizeof(snugPair));
		query.callback = Hear;
		query.user = &heard;
	}
	Tell(world, "margin %.17g, at rest %.17g; ", within->margin, within->restDistance);
	const snugQuery* given = GIVEN(world, query);
	snugResult result;
	CALL(world, heard.mode = ReadMode(); result = AskWithin(within, given));
	if (!IsAnswered(world, result.status, within->surfaceA))
	{
		return false;
	}
	ExpectCounters(world, &result.counters);
	++world->questions;
	EXPECT(world, result.complete && result.count <= most, "%llu pairs", (unsigned long long)result.count);
	EXPECT(world, query.callback == NULL || (heard.count == result.count && !heard.isOtherMode),
	    "called back %llu times", (unsigned long long)heard.count);
	uint64_t next = 0;
	for (uint32_t i = 0; i < within->surfaceA->triangleCount; ++i)
	{
		for (uint32_t j = within->rest != NULL ? i + 1 : 0; j < within->surfaceB->triangleCount; ++j)
		{
			const bool isFound = next < result.count && query.pairs[next].a == i && query.pairs[next].b == j;
			ExpectWithin(world, within, i, j, isFound);
			next += isFound;
		}
	}
	EXPECT(world, next == result.count, "pairs are not sorted, or repeated");
	ExpectFirstWithin(world, within, query.pairs, result.count);
	ExpectStopped(world, within, result.count);
	return true;
}

static double DrawMargin(World* world)
{
	return Chance(world, 0.1) ? 0.0 : world->scale * Magnitude(world, 1e-4, 1.0);
}

bool FindWithin(World* world)
{
	Two two;
	if (!DrawTwo(world, &two) || (uint64_t)two.surfaceA->triangleCount * two.surfaceB->triangleCount > 60000)
	{
		return false;
	}
	Within within = { two.a->body, two.b->body, two.surfaceA, two.surfaceB, .margin = DrawMargin(world) };
	Copy(within.origin, two.origin, sizeof(within.origin));
	return ExpectAllWithin(world, &within);
}

bool FindSelfWithin(World* world)
{
	Actor* actor = AnyActor(world);
	Within within = { actor->body, actor->body, .rest = &actor->kind->rest, .margin = DrawMargin(world) };
	within.restDistance = Chance(world, 0.3) ? 0.0 : Chance(world, 0.3) ? within.margin : DrawMargin(world);
	DrawOrigin(world, within.origin);
	const Surface* surface = Actor_Surface(world, actor, within.origin);
	if (surface == NULL || surface->triangleCount > 2 * MOST_OWN)
	{
		return false;
	}
	within.surfaceA = within.surfaceB = surface;
	return ExpectAllWithin(world, &within);
}

// --- Points ---------------------------------------------------------------------------------------------------------

static void DrawPoint(World* world, const Surface* surface, float p[3])
{
	const bool isOn = surface->vertexCount > 0 && Chance(world, 0.5);
	const float* v = isOn ? surface->positions + 3 * (size_t)Below(world, surface->vertexCount) : NULL;
	const double reach = isOn ? (Chance(world, 0.4) ? 0.0 : Magnitude(world, 1e-7, 0.5)) : 3.0;
	for (int k = 0; k < 3; ++k)
	{
		p[k] = (float)((isOn ? (double)v[k] : 0.0) + reach * world->scale * Signed(world));
		p[k] = fmaxf(fminf(p[k], SNUG_MAX_COORDINATE), -SNUG_MAX_COORDINATE);
	}
}

void ExpectClosest(World* world, const Surface* surface, const float p[3], double limit, const snugClosest* found)
{
	const float point[3][3] = { { p[0], p[1], p[2] }, { p[0], p[1], p[2] }, { p[0], p[1], p[2] } };
	double least = INFINITY, extent = surface->extent;
	for (int k = 0; k < 3; ++k)
	{
		extent = fmax(extent, fmax(fabs((double)p[k] - surface->box[0][k]), fabs((double)p[k] - surface->box[1][k])));
	}
	const double slack = surface->triangleCount > 0 ? Slack(extent) : 0.0;
	for (uint32_t t = 0; t < surface->triangleCount; ++t)
	{
		float corners[3][3];
		Surface_Corners(surface, t, corners);
		least = fmin(least, PointDistance(p, (const float(*)[3])corners));
	}
	Tell(world, "a point about %.17g away; ", least);
	EXPECT(world, found->triangle != SNUG_NONE || !(least < limit - slack), "nothing within %g", limit);
	EXPECT(world, found->triangle != SNUG_NONE || isinf(found->distance), "%g to nothing", found->distance);
	if (found->triangle != SNUG_NONE)
	{
		float corners[3][3];
		Surface_Corners(surface, found->triangle, corners);
		const double exact = TrueDistance(point, (const float(*)[3])corners);
		EXPECT(world, found->distance <= limit && found->distance <= least + slack, "the distance is %.17g",
		    found->distance);
		EXPECT(world, fabs(found->distance - exact) <= slack && (found->distance == 0.0) == (exact == 0.0),
		    "triangle %u is %.17g away, not %.17g", found->triangle, exact, found->distance);
		EXPECT(world, PointDistance(found->position, (const float(*)[3])corners) <= Rounding(surface) + slack,
		    "its position is not on triangle %u", found->triangle);
		ExpectNormal(world, (const float(*)[3])corners, found->normal);
		EXPECT(world,
		    found->distance == 0.0 ? TriangleAt(surface, p) == found->triangle : TriangleAt(surface, p) == SNUG_NONE,
		    "it is on triangle %u", TriangleAt(surface, p));
	}
}

bool FindClosest(World* world)
{
	Actor* actor = AnyActor(world);
	snugDistanceQuery query = { .maxDistance = DrawLimit(world, INFINITY) };
	DrawOrigin(world, query.origin);
	const Surface* surface = Actor_Surface(world, actor, query.origin);
	if (surface == NULL)
	{
		return false;
	}
	const uint32_t count = Below(world, 6);
	const size_t stride = DrawStride(world, 12);
	float points[6][3];
	for (uint32_t i = 0; i < count; ++i)
	{
		DrawPoint(world, surface, points[i]);
	}
	const float* given = StridedGiven(world, points, count, 12, stride);
	snugClosest* closest = Room(world, count, sizeof(snugClosest));
	snugResult result;
	CALL(world, result = snugFindClosest(actor->body, given, stride, count, closest, &query));
	if (!IsAnswered(world, result.status, surface))
	{
		return false;
	}
	ExpectCounters(world, &result.counters);
	++world->questions;
	for (uint32_t i = 0; i < count; ++i)
	{
		const double limit = query.maxDistance > 0.0 ? query.maxDistance : INFINITY;
		ExpectClosest(world, surface, points[i], limit, closest + i);
		result.count -= closest[i].triangle != SNUG_NONE;
	}
	EXPECT(world, result.count == 0, "the count is off");
	return count > 0;
}
