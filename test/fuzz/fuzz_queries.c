// test/fuzz/fuzz_queries.c: the queries of snug_queries.h on two small bodies, with any arguments. What different
// queries say about the same thing agrees.
#include "test/fuzz/fuzz_input.h"

#include "snug/snug_queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum
{
	VERTICES = 12,
	TRIANGLES = 14,
	MOST_PAIRS = TRIANGLES * TRIANGLES,
};

// Mostly on a coarse grid, where things touch; sometimes any float that is within bounds; the rest are not.
static float NextCoordinate(Input* input)
{
	const uint32_t kind = Next(input);
	float any;
	uint32_t bits = Next(input) << 24 | Next(input) << 16 | Next(input) << 8 | kind;
	memcpy(&any, &bits, sizeof(any));
	return kind < 240 ? 0.25f * (float)((int)(kind % 17) - 8) : any;
}

static float NextFinite(Input* input)
{
	const float x = NextCoordinate(input);
	return fabsf(x) <= 1e15f ? x : 1.5f;
}

static snugBody* MakeBody(Input* input, snugModel** model)
{
	float positions[3 * VERTICES];
	uint32_t triangles[3 * TRIANGLES], count = Next(input) % (TRIANGLES + 1);
	for (int i = 0; i < 3 * VERTICES; ++i)
	{
		positions[i] = NextFinite(input);
	}
	for (uint32_t i = 0; i < 3 * count; ++i)
	{
		triangles[i] = Next(input) % VERTICES;
	}
	const snugModelDef def = { .positions = positions,
		.vertexCount = VERTICES,
		.triangles = triangles,
		.triangleCount = count,
		.deformer = Next(input) % 2 == 0 ? snug_rigid : snug_free,
		.tree = { .leafTriangles = 1 + (int)(Next(input) % 3) } };
	Require(snugModel_Create(&def, model) == snug_success);
	snugBody* body = NULL;
	Require(snugBody_Create(&(snugBodyDef){ .model = *model }, &body) == snug_success);
	return body;
}

// ---- Two bodies ----------------------------------------------------------------------------------------------------

static uint64_t CountInTime(Input* input, snugBody* a, snugBody* b)
{
	snugNodePair entries[5];
	snugPair pairs[80];
	snugFrontier frontier = { .pairs = entries, .capacity = 1 + Next(input) % 5 };
	uint64_t count = 0;
	for (int calls = 0;; ++calls)
	{
		Require(calls < 10000);
		const snugTimedQuery query = { .pairs = pairs,
			.capacity = 64 + Next(input) % 17,
			.maxSteps = Next(input) % 20,
			.maxLevel = calls < 3 ? Next(input) % 4 : 0,
			.widestFirst = Next(input) % 2 == 0 };
		const snugResult result = snugCollideInTime(a, b, &frontier, &query);
		Require(result.status == snug_success && result.count <= query.capacity);
		count += result.count;
		if (result.complete)
		{
			return count;
		}
	}
}

// How far a computed distance may be off: they are right to 2^-40 of the extent of what they are between.
static double DistanceSlack(snugBody* a, snugBody* b)
{
	snugBounds one, other;
	double extent = 0.0;
	Require(snugBody_GetBounds(a, NULL, &one) == snug_success && snugBody_GetBounds(b, NULL, &other) == snug_success);
	for (int k = 0; k < 3; ++k)
	{
		extent = fmax(extent, fmax(one.upper[k], other.upper[k]) - fmin(one.lower[k], other.lower[k]));
	}
	return 0x1p-40 * extent;
}

static void AskBoth(Input* input, snugBody* a, snugBody* b, snugContactBuffer* buffer)
{
	snugPair pairs[MOST_PAIRS];
	const snugQuery query = { .pairs = pairs, .capacity = MOST_PAIRS, .findDistanceBound = true };
	const snugResult all = snugCollide(a, b, &query);
	Require(all.status == snug_success && all.complete);
	Require(CountInTime(input, a, b) == all.count);
	const snugDistanceResult distance = snugFindDistance(a, b, NULL);
	Require((distance.distance == 0.0) == (all.count > 0));
	Require(!distance.isWithin || all.distanceBound <= distance.distance + DistanceSlack(a, b));
	const double margin = distance.isWithin ? 1.01 * distance.distance : 1.0;
	Require((snugCollideWithin(a, b, margin, NULL).count > 0) == distance.isWithin);
	const snugContactQuery deep = { .depths = true };
	const snugContactResult contacts = snugFindContacts(a, b, buffer, &deep);
	Require(contacts.status == snug_success && contacts.count == all.count);
	for (uint32_t i = 0; contacts.complete && i < contacts.curveCount; ++i)
	{
		Require(!(contacts.depths[i] < 0.0));
	}
	snugSide side;
	Require(snugFindBodyInside(a, b, NULL, &side).status == snug_success);
	Require((side == snug_onSurface) == (all.count > 0));
}

// All contacts are in order, and begin with the first; those for which there is room are the first of them.
static bool IsFirstOfAll(
    Input* input, snugBody* a, snugBody* b, snugBody* end, const snugSweepQuery* query, const snugSweepResult* first)
{
	static snugSweepContact all[4096], some[4096];
	const snugSweepResult result = snugSweepAll(a, NULL, b, end, query, all, 4096);
	const snugSweepResult less = snugSweepAll(a, NULL, b, end, query, some, Next(input) % 8);
	bool isGood = result.answer == first->answer && result.time == first->time && less.time == first->time &&
	              (result.count > 0) == (first->answer != snug_sweepFree) && less.count <= result.count;
	for (uint64_t i = 0; i < result.count; ++i)
	{
		isGood = isGood && all[i].time >= (i > 0 ? all[i - 1].time : first->time) && all[i].time <= all[i].latest;
		isGood = isGood && (i >= less.count || (some[i].time == all[i].time && some[i].a == all[i].a &&
		                                           some[i].featureB.first == all[i].featureB.first));
	}
	return isGood;
}

// Rest is what collide says; on the way anywhere, what meets at the start meets first.
static void Sweep(Input* input, snugBody* a, snugBody* b, const snugModel* modelOfB)
{
	const bool meet = snugCollide(a, b, NULL).count > 0;
	const snugSweepResult rest = snugSweep(a, NULL, b, b, NULL);
	Require(rest.status == snug_success && rest.answer == (meet ? snug_sweepMeets : snug_sweepFree));
	snugBody *end = NULL, *third = NULL;
	Require(snugBody_Create(&(snugBodyDef){ .model = modelOfB }, &end) == snug_success);
	Require(snugBody_Create(&(snugBodyDef){ .model = modelOfB }, &third) == snug_success);
	const snugFrame frame = { { NextFinite(input), NextFinite(input), NextFinite(input) }, { 0 } };
	const snugSweepQuery query = { .tolerance = fabs((double)NextCoordinate(input)),
		.margin = Next(input) % 2 == 0 ? 0.0 : (double)NextCoordinate(input),
		.maxTime = (double)(Next(input) % 5) * 0.25,
		.maxSteps = Next(input) % 8,
		.path = Next(input) % 4 == 0 ? snug_pathTurning : snug_pathStraight,
		.newOnly = Next(input) % 2 == 0 };
	Require(snugBody_SetFrame(end, &frame) == snug_success);
	const snugSweepResult result = snugSweep(a, NULL, b, end, &query);
	if (result.status == snug_success)
	{
		Require(result.time >= 0.0 && result.time <= result.latest && result.latest <= 1.0);
		Require(!(meet && !query.newOnly) || result.time == 0.0);
		Require(query.maxSteps > 0 || IsFirstOfAll(input, a, b, end, &query, &result));
		double sagitta = -1.0;
		Require(snugFindSagitta(b, end, third, NULL, &sagitta) == snug_success && sagitta >= 0.0);
	}
	snugBody_Destroy(third);
	snugBody_Destroy(end);
}

// ---- One body ------------------------------------------------------------------------------------------------------

static void CastRay(Input* input, snugBody* body)
{
	snugRay ray;
	snugRayHit nearest, any, all[TRIANGLES];
	for (int k = 0; k < 3; ++k)
	{
		ray.from[k] = NextCoordinate(input);
		ray.to[k] = NextCoordinate(input);
	}
	const snugRayQuery query = { .any = true };
	const snugResult result = snugCastRays(body, &ray, 1, &nearest, NULL);
	if (result.status == snug_success)
	{
		const uint64_t count = snugFindHits(body, &ray, all, TRIANGLES, NULL).count;
		Require(snugCastRays(body, &ray, 1, &any, &query).count == result.count);
		Require(result.count == (count > 0) && count <= TRIANGLES);
		Require(count == 0 || memcmp(all, &nearest, sizeof(nearest)) == 0);
	}
}

static void AskPoint(Input* input, snugBody* body)
{
	const float point[3] = { NextCoordinate(input), NextCoordinate(input), NextCoordinate(input) };
	snugClosest closest;
	snugPointSide place;
	const snugResult result = snugFindClosest(body, point, 0, 1, &closest, NULL);
	Require(snugFindInside(body, point, 0, 1, &place, NULL).status == result.status);
	if (result.status == snug_success)
	{
		Require((place.side == snug_onSurface) == (closest.distance == 0.0));
		snugShape sphere = { .from = { point[0], point[1], point[2] }, .radius = NextCoordinate(input) };
		const snugResult met = snugCollideShape(body, &sphere, NULL);
		Require(met.status != snug_success || met.count > 0 || !(closest.distance < sphere.radius));
	}
}

static void AskShape(Input* input, snugBody* body)
{
	snugShapeContact contacts[TRIANGLES];
	snugShape shape = { .kind = (snugShapeKind)(Next(input) % 5), .radius = NextCoordinate(input) };
	for (int k = 0; k < 3; ++k)
	{
		shape.from[k] = NextCoordinate(input);
		shape.to[k] = NextCoordinate(input);
		shape.plane.normal[k] = NextCoordinate(input);
	}
	shape.plane.offset = NextCoordinate(input);
	const snugShapeQuery all = { .contacts = contacts, .capacity = TRIANGLES }, any = { .any = true };
	const snugResult result = snugCollideShape(body, &shape, &all);
	Require(result.count <= TRIANGLES);
	Require(snugCollideShape(body, &shape, &any).count == (result.count > 0));
	for (uint64_t i = 1; i < result.count; ++i)
	{
		Require(contacts[i - 1].triangle < contacts[i].triangle);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	Input input = { data, size, 0 };
	snugModel *modelA = NULL, *modelB = NULL;
	snugBody *a = MakeBody(&input, &modelA), *b = MakeBody(&input, &modelB);
	snugContactBuffer* buffer = NULL;
	const snugContactBufferDef def = { .capacity = 1 + Next(&input) };
	Require(snugContactBuffer_Create(&def, &buffer) == snug_success);
	uint64_t open = 0;
	Require(snugModel_CountOpenEdges(modelA, &open) == snug_success && open <= 3 * TRIANGLES);
	for (int i = 0; i < 4 && input.at < input.size; ++i)
	{
		const snugFrame frame = { .position = { NextFinite(&input), NextFinite(&input), NextFinite(&input) },
			.rotation = { 0.0, 0.0, i % 2 == 0 ? 0.6 : 0.0, i % 2 == 0 ? 0.8 : 1.0 } };
		Require(snugBody_SetFrame(b, &frame) == snug_success);
		AskBoth(&input, a, b, buffer);
		CastRay(&input, b);
		AskPoint(&input, b);
		AskShape(&input, b);
		Sweep(&input, a, b, modelB);
		const snugResult own = snugCollideSelf(a, &(snugQuery){ .keepRest = i % 2 == 0 });
		Require(own.status == snug_success);
		Require(snugCollideSelfWithin(a, 0.0, 0.0, NULL).count <= snugCollideSelf(a, NULL).count);
		const snugContactQuery deep = { .keepRest = i % 2 == 0, .depths = true };
		const snugContactResult contacts = snugFindSelfContacts(a, buffer, &deep);
		Require(contacts.status == snug_success && contacts.count == own.count);
		snugPointSide sides[2][TRIANGLES * 3];
		Require(snugFindSelfInside(a, sides[0], sides[1]).status == snug_success);
		Require(snugTouchesSelf(a, &(snugQuery){ .keepRest = i % 2 == 0 }).count == (own.count > 0));
	}
	snugContactBuffer_Destroy(buffer);
	snugBody_Destroy(a);
	snugBody_Destroy(b);
	snugModel_Destroy(modelA);
	snugModel_Destroy(modelB);
	return 0;
}
