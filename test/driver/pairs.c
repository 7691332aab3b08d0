// test/driver/pairs.c: which triangles meet, asked in every way.
#include "driver/operations.h"

#include <pthread.h>

// --- What operations share ------------------------------------------------------------------------------------------

typedef union Block
{
	union Block* next;
	max_align_t aligned;
} Block;

static Block* blocks;

void* Scratch(size_t bytes)
{
	Block* block = malloc(sizeof(Block) + bytes);
	block->next = blocks;
	blocks = block;
	return block + 1;
}

void FreeScratch(void)
{
	while (blocks != NULL)
	{
		Block* block = blocks;
		blocks = block->next;
		free(block);
	}
}

bool IsAnswered(World* world, snugStatus status, const Surface* surface)
{
	const bool mayBeTooFar = world->isExtreme && surface->far > 1e30;
	EXPECT(world, status == snug_success || (mayBeTooFar && status == snug_outOfRange), "it says: %s",
	    snugGetStatusText(status));
	return status == snug_success;
}

void ExpectCounters(World* world, const snugCounters* counters)
{
	const uint64_t parts = counters->nodesAtFront + counters->nodesAboveFront + counters->nodesBelowFront;
	EXPECT(world, counters->nodesRefitted == parts, "%llu nodes are refitted, in three parts %llu",
	    (unsigned long long)counters->nodesRefitted, (unsigned long long)parts);
}

bool DrawTwo(World* world, Two* two)
{
	*two = (Two){ .a = AnyActor(world) };
	two->b = OtherActor(world, two->a);
	DrawOrigin(world, two->origin);
	two->surfaceA = Actor_Surface(world, two->a, two->origin);
	two->surfaceB = Actor_Surface(world, two->b, two->origin);
	return two->surfaceA != NULL && two->surfaceB != NULL;
}

void FindTruth(World* world, Two* two)
{
	two->truth = Actor_Pairs(world, two->a, two->b, two->origin);
	++world->questions;
	world->contactsSeen += two->truth.count > 0;
	Tell(world, "%llu pairs; ", (unsigned long long)two->truth.count);
}

static bool AreDistinct(snugPair* pairs, uint64_t count)
{
	qsort(pairs, count, sizeof(snugPair), ComparePairs);
	for (uint64_t i = 1; i < count; ++i)
	{
		if (ComparePairs(pairs + i - 1, pairs + i) >= 0)
		{
			return false;
		}
	}
	return true;
}

// Some of the true pairs, each once.
static void ExpectSome(World* world, const PairList* truth, const snugPair* pairs, uint64_t count)
{
	snugPair* copy = Scratch(count * sizeof(snugPair));
	Copy(copy, pairs, count * sizeof(snugPair));
	EXPECT(world, AreDistinct(copy, count), "a pair is reported twice");
	for (uint64_t i = 0; i < count; ++i)
	{
		EXPECT(world, HasPair(truth, copy[i]), "%u and %u do not meet", copy[i].a, copy[i].b);
	}
}

// The first ones, in order.
static void ExpectFirst(World* world, const PairList* truth, const snugPair* pairs, uint64_t count)
{
	EXPECT(world, count <= truth->count, "%llu pairs", (unsigned long long)count);
	for (uint64_t i = 0; i < count; ++i)
	{
		EXPECT(world, ComparePairs(pairs + i, truth->pairs + i) == 0, "pair %llu is %u %u, not %u %u",
		    (unsigned long long)i, pairs[i].a, pairs[i].b, truth->pairs[i].a, truth->pairs[i].b);
	}
}

// As many as there are, fewer, or more.
static uint64_t DrawCapacity(World* world, uint64_t count)
{
	switch (Below(world, 4))
	{
		case 0:
			return Below(world, 6);
		case 1:
			return Below(world, (uint32_t)count + 1);
		case 2:
			return count;
		default:
			return count + Below(world, 20);
	}
}

static Heard DrawHeard(World* world, uint64_t truth)
{
	Heard heard = { .capacity = truth + 1 };
	heard.pairs = Room(world, heard.capacity, sizeof(snugPair));
	heard.stopAfter = Chance(world, 0.5) ? 0 : 1 + Below(world, 6);
	return heard;
}

// What a callback heard of a query without limits. @return whether it stopped the query
static bool ExpectHeard(World* world, const Heard* heard, const PairList* truth)
{
	EXPECT(world, !heard->isOverlapped, "two threads call back at once");
	EXPECT(world, !heard->isOtherMode, "it is called back in another floating-point mode");
	EXPECT(world, !heard->isTooMuch, "it is called back more often than there are pairs");
	ExpectSome(world, truth, heard->pairs, heard->count);
	return heard->stopAfter != 0 && heard->count == heard->stopAfter;
}

// --- All pairs ------------------------------------------------------------------------------------------------------

// A distance bound is no more than the distance, and nothing where bodies meet.
static void ExpectBound(World* world, const Two* two, const snugResult* result)
{
	if (two->truth.count > 0 || !result->complete)
	{
		EXPECT(world, result->distanceBound == 0.0, "the bound is %g", result->distanceBound);
		return;
	}
	const double distance = SurfaceDistance(two->surfaceA, two->surfaceB);
	EXPECT(world, result->distanceBound >= 0.0 && result->distanceBound <= distance * (1.0 + 0x1p-40),
	    "the bound is %.17g, the distance %.17g", result->distanceBound, distance);
	EXPECT(
	    world, !isinf(distance) || isinf(result->distanceBound), "the bound of nothing is %g", result->distanceBound);
}

// One that is kept from step to step, one that holds anything, or none.
static snugWitness* DrawWitness(World* world, const Two* two)
{
	snugWitness* witness = &world->witnesses[two->a - world->actors][two->b - world->actors];
	if (Chance(world, 0.1))
	{
		for (int i = 0; i < 4; ++i)
		{
			witness->memory[i] = Chance(world, 0.5) ? Below(world, 40) : (uint32_t)sceneRandom_Next(&world->random);
		}
	}
	return Chance(world, 0.3) ? NULL : witness;
}

bool Collide(World* world)
{
	Two two;
	if (!DrawTwo(world, &two))
	{
		return false;
	}
	FindTruth(world, &two);
	snugQuery query = { .capacity = DrawCapacity(world, two.truth.count), .workers.run = DrawParallel(world) };
	Copy(query.origin, two.origin, sizeof(query.origin));
	query.pairs = query.capacity > 0 || Chance(world, 0.5) ? Room(world, query.capacity, sizeof(snugPair)) : NULL;
	query.unsorted = Chance(world, 0.25);
	query.findDistanceBound = Chance(world, 0.3);
	query.keepRest = Chance(world, 0.1); // which is of no account, as a witness is
	query.witness = Chance(world, 0.1) ? DrawWitness(world, &two) : NULL;
	Heard heard = { 0 };
	if (Chance(world, 0.3))
	{
		heard = DrawHeard(world, two.truth.count);
		query.callback = Hear;
		query.user = &heard;
	}
	Tell(world, "capacity %llu%s%s%s%s; ", (unsigned long long)query.capacity,
	    query.workers.run != NULL ? ", parallel" : "", query.unsorted ? ", unsorted" : "",
	    query.findDistanceBound ? ", distance bound" : "", query.callback != NULL ? ", callback" : "");
	const snugQuery* given = GIVEN(world, query);
	snugResult result;
	CALL(world, heard.mode = query.workers.run == NULL ? ReadMode() : 0;
	     result = snugCollide(two.a->body, two.b->body, given));
	if (!IsAnswered(world, result.status, two.surfaceA))
	{
		return false;
	}
	ExpectCounters(world, &result.counters);
	EXPECT(world, result.counters.exactTests <= result.counters.triangleTests, "more exact tests than tests");
	const bool isStopped = query.callback != NULL && ExpectHeard(world, &heard, &two.truth);
	const uint64_t written = result.count < query.capacity ? result.count : query.capacity;
	EXPECT(world, result.complete ? result.count == two.truth.count : isStopped, "%s, %llu of %llu pairs",
	    result.complete ? "complete" : "incomplete", (unsigned long long)result.count,
	    (unsigned long long)two.truth.count);
	EXPECT(world, query.callback == NULL || heard.count == result.count, "%llu called back, %llu counted",
	    (unsigned long long)heard.count, (unsigned long long)result.count);
	if (query.unsorted || !result.complete)
	{
		ExpectSome(world, &two.truth, query.pairs, written);
	}
	else
	{
		ExpectFirst(world, &two.truth, query.pairs, written);
	}
	if (query.findDistanceBound)
	{
		ExpectBound(world, &two, &result);
	}
	return true;
}

// --- Yes or no ------------------------------------------------------------------------------------------------------

bool Touches(World* world)
{
	Two two;
	if (!DrawTwo(world, &two))
	{
		return false;
	}
	FindTruth(world, &two);
	snugQuery query = { .capacity = Below(world, 3), .workers.run = DrawParallel(world) };
	Copy(query.origin, two.origin, sizeof(query.origin));
	query.pairs = query.capacity > 0 ? Room(world, query.capacity, sizeof(snugPair)) : NULL;
	query.witness = DrawWitness(world, &two);
	query.unsorted = Chance(world, 0.3);
	query.findDistanceBound = Chance(world, 0.15);
	Tell(world, "%s%s; ", query.witness != NULL ? "witness" : "no witness",
	    query.findDistanceBound ? ", distance bound" : "");
	const snugQuery* given = GIVEN(world, query);
	snugResult result;
	CALL(world, result = snugTouches(two.a->body, two.b->body, given));
	if (!IsAnswered(world, result.status, two.surfaceA))
	{
		return false;
	}
	ExpectCounters(world, &result.counters);
	EXPECT(world, result.count <= 1 && result.complete, "%llu pairs, %s", (unsigned long long)result.count,
	    result.complete ? "complete" : "incomplete");
	EXPECT(world, (result.count == 1) == (two.truth.count > 0), "touching: %llu", (unsigned long long)result.count);
	if (result.count == 1 && query.capacity > 0)
	{
		ExpectSome(world, &two.truth, query.pairs, 1);
	}
	if (query.findDistanceBound)
	{
		ExpectBound(world, &two, &result);
	}
	return true;
}

// --- In time --------------------------------------------------------------------------------------------------------

typedef struct Search
{
	Two two;
	snugFrontier frontier;
	snugTimedQuery query;
	bool* isFound; // (truth.count)
	uint64_t found;
	uint32_t questions; // until the answer is to stop
	uint32_t calls;
} Search;

static bool CountDown(void* user)
{
	uint32_t* left = user;
	*left -= *left > 0;
	return *left == 0;
}

static void DrawSearch(World* world, Search* search)
{
	const uint32_t capacity = 1 + Below(world, Chance(world, 0.3) ? 4 : 300);
	search->frontier.pairs = Room(world, capacity, sizeof(snugNodePair));
	search->frontier.capacity = capacity;
	Copy(search->frontier.origin, search->two.origin, sizeof(search->frontier.origin));
	search->query.widestFirst = Chance(world, 0.5);
	search->query.maxSteps = Chance(world, 0.5) ? 0 : 1 + Below(world, Chance(world, 0.5) ? 5 : 300);
	search->query.shouldStop = Chance(world, 0.3) ? CountDown : NULL;
	search->query.user = &search->questions;
	if (Chance(world, 0.9))
	{
		search->query.capacity = 64 + Below(world, Chance(world, 0.6) ? 16 : 1000);
		search->query.pairs = Room(world, search->query.capacity, sizeof(snugPair));
	}
	search->isFound = Scratch(search->two.truth.count);
	memset(search->isFound, 0, search->two.truth.count);
	Tell(world, "frontier of %u, pairs %llu, steps %llu%s%s; ", capacity, (unsigned long long)search->query.capacity,
	    (unsigned long long)search->query.maxSteps, search->query.widestFirst ? ", much soon" : "",
	    search->query.shouldStop != NULL ? ", asked" : "");
}

static void TakePairs(World* world, Search* search, uint64_t count)
{
	const PairList* truth = &search->two.truth;
	const snugPair* pairs = search->query.pairs;
	search->found += count;
	EXPECT(
	    world, search->query.pairs == NULL || count <= search->query.capacity, "%llu pairs", (unsigned long long)count);
	for (uint64_t i = 0; i < count && search->query.pairs != NULL; ++i)
	{
		EXPECT(world, i == 0 || ComparePairs(pairs + i - 1, pairs + i) < 0, "they are not sorted");
		EXPECT(world, HasPair(truth, pairs[i]), "%u and %u do not meet", pairs[i].a, pairs[i].b);
		const snugPair* at = bsearch(pairs + i, truth->pairs, truth->count, sizeof(snugPair), ComparePairs);
		EXPECT(world, !search->isFound[at - truth->pairs], "%u and %u are reported twice", at->a, at->b);
		search->isFound[at - truth->pairs] = true;
	}
}

// Every pair was reported, or is below a pair of the frontier.
static void ExpectCovered(World* world, const Search* search)
{
	const PairList* truth = &search->two.truth;
	const Two* two = &search->two;
	bool* isBelowA = Scratch(two->surfaceA->triangleCount);
	bool* isBelowB = Scratch(two->surfaceB->triangleCount);
	bool* isCovered = Scratch(truth->count);
	Copy(isCovered, search->isFound, truth->count);
	for (uint32_t i = 0; i < search->frontier.count; ++i)
	{
		MarkBelow(world, two->a->kind, search->frontier.pairs[i].a, isBelowA);
		MarkBelow(world, two->b->kind, search->frontier.pairs[i].b, isBelowB);
		for (uint64_t k = 0; k < truth->count; ++k)
		{
			isCovered[k] = isCovered[k] || (isBelowA[truth->pairs[k].a] && isBelowB[truth->pairs[k].b]);
		}
	}
	for (uint64_t k = 0; k < truth->count; ++k)
	{
		EXPECT(world, isCovered[k], "%u and %u are neither reported nor below the frontier", truth->pairs[k].a,
		    truth->pairs[k].b);
	}
}

// @return whether the search goes on
static bool GoOn(World* world, Search* search)
{
	snugFrontier* frontier = &search->frontier;
	search->questions = 1 + Below(world, 5);
	const bool isSoon = search->calls++ < 100; // later as fast as it goes
	search->query.maxSteps = isSoon ? search->query.maxSteps : 0;
	search->query.shouldStop = isSoon ? search->query.shouldStop : NULL;
	const snugTimedQuery* given = isSoon ? GIVEN(world, search->query) : &search->query;
	snugResult result;
	CALL(world, result = snugCollideInTime(search->two.a->body, search->two.b->body, frontier, given));
	if (!IsAnswered(world, result.status, search->two.surfaceA))
	{
		longjmp(world->failed, 2);
	}
	ExpectCounters(world, &result.counters);
	TakePairs(world, search, result.count);
	EXPECT(world, result.complete == (frontier->count == 0), "%u pairs of nodes are left", frontier->count);
	EXPECT(world, frontier->count <= frontier->capacity, "%u pairs of nodes", frontier->count);
	if (search->query.pairs != NULL && !result.complete && frontier->count <= 40 && Chance(world, 0.2))
	{
		ExpectCovered(world, search);
	}
	return !result.complete;
}

bool CollideInTime(World* world)
{
	Search search = { .found = 0 };
	if (!DrawTwo(world, &search.two))
	{
		return false;
	}
	FindTruth(world, &search.two);
	DrawSearch(world, &search);
	// First as a frontier of some level, at times; then to the end.
	search.query.maxLevel = Chance(world, 0.2) ? 1 + Below(world, 5) : 0;
	bool goesOn = GoOn(world, &search);
	search.query.maxLevel = 0;
	while (goesOn)
	{
		EXPECT(world, search.calls < 1000000, "it does not end");
		goesOn = GoOn(world, &search);
	}
	EXPECT(world, search.found == search.two.truth.count, "%llu pairs", (unsigned long long)search.found);
	return true;
}

// A body that moved while a search was under way.
bool CollideInTimeTooLate(World* world)
{
	Search search = { .found = 0 };
	if (!DrawTwo(world, &search.two))
	{
		return false;
	}
	FindTruth(world, &search.two);
	DrawSearch(world, &search);
	search.query.maxSteps = 1;
	if (!GoOn(world, &search))
	{
		return false;
	}
	Actor* moved = Chance(world, 0.5) ? search.two.a : search.two.b;
	const snugFrame before = moved->frame;
	Actor_Place(world, moved, true);
	if (memcmp(&before, &moved->frame, sizeof(before)) == 0)
	{
		return false;
	}
	snugResult result;
	CALL(world, result = snugCollideInTime(search.two.a->body, search.two.b->body, &search.frontier, &search.query));
	EXPECT(world, result.status == snug_badArgument, "it says: %s", snugGetStatusText(result.status));
	return true;
}

// --- Several threads, each with bodies of its own -------------------------------------------------------------------

typedef struct Apart
{
	Two two;
	snugPair* pairs;
	snugResult result;
} Apart;

static void* CollideOnThread(void* argument)
{
	Apart* apart = argument;
	snugQuery query = { .pairs = apart->pairs, .capacity = apart->two.truth.count };
	Copy(query.origin, apart->two.origin, sizeof(query.origin));
	apart->result = snugCollide(apart->two.a->body, apart->two.b->body, &query);
	return NULL;
}

bool CollideApart(World* world)
{
	Apart apart[MOST_ACTORS / 2];
	pthread_t threads[MOST_ACTORS / 2];
	const uint32_t count = world->actorCount / 2, shift = Below(world, world->actorCount);
	for (uint32_t i = 0; i < count; ++i)
	{
		Two* two = &apart[i].two;
		*two = (Two){ .a = world->actors + (2 * i + shift) % world->actorCount,
			.b = world->actors + (2 * i + 1 + shift) % world->actorCount };
		Copy(two->origin, world->middle, sizeof(two->origin));
		two->surfaceA = Actor_Surface(world, two->a, two->origin);
		two->surfaceB = Actor_Surface(world, two->b, two->origin);
		if (two->surfaceA == NULL || two->surfaceB == NULL)
		{
			return false;
		}
		FindTruth(world, two);
		apart[i].pairs = Room(world, two->truth.count, sizeof(snugPair));
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		EXPECT(world, pthread_create(threads + i, NULL, CollideOnThread, apart + i) == 0, "no thread");
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		pthread_join(threads[i], NULL);
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		if (IsAnswered(world, apart[i].result.status, apart[i].two.surfaceA))
		{
			EXPECT(world, apart[i].result.count == apart[i].two.truth.count, "thread %u: %llu pairs", i,
			    (unsigned long long)apart[i].result.count);
			ExpectFirst(world, &apart[i].two.truth, apart[i].pairs, apart[i].two.truth.count);
		}
	}
	return count > 1;
}

// --- A body against itself ------------------------------------------------------------------------------------------

static PairList OwnTruth(World* world, const Actor* actor, const uint32_t* twins, bool keepRest)
{
	PairList list = Actor_OwnPairs(world, actor, twins, keepRest);
	const PairList copy = { Scratch(list.count * sizeof(snugPair)), list.count };
	Copy(copy.pairs, list.pairs, list.count * sizeof(snugPair));
	PairList_Free(&list);
	return copy;
}

bool CollideSelf(World* world)
{
	const Actor* actor = AnyActor(world);
	uint32_t* twins = Scratch(actor->kind->skinned.mesh.vertexCount * sizeof(uint32_t));
	if (actor->kind->skinned.mesh.triangleCount > MOST_OWN || !Actor_FindTwins(actor, twins))
	{
		return false;
	}
	const bool keepRest = Chance(world, 0.5);
	const PairList truth = OwnTruth(world, actor, twins, keepRest);
	snugQuery query = {
		.capacity = DrawCapacity(world, truth.count), .keepRest = keepRest, .workers.run = DrawParallel(world)
	};
	query.pairs = Room(world, query.capacity, sizeof(snugPair));
	Heard heard = { 0 };
	if (Chance(world, 0.3))
	{
		heard = DrawHeard(world, truth.count);
		query.callback = Hear;
		query.user = &heard;
	}
	Tell(world, "%llu pairs, capacity %llu; ", (unsigned long long)truth.count, (unsigned long long)query.capacity);
	const snugQuery* given = GIVEN(world, query);
	snugResult result, touching;
	CALL(world, heard.mode = query.workers.run == NULL ? ReadMode() : 0; result = snugCollideSelf(actor->body, given));
	CALL(world, touching = snugTouchesSelf(actor->body, &(snugQuery){ .keepRest = keepRest }));
	EXPECT(world, touching.count == (truth.count > 0) || world->isExtreme, "touching: %llu",
	    (unsigned long long)touching.count);
	EXPECT(world, result.status == snug_success || world->isExtreme, "it says: %s", snugGetStatusText(result.status));
	if (result.status != snug_success)
	{
		return false;
	}
	ExpectCounters(world, &result.counters);
	++world->questions;
	const bool isStopped = query.callback != NULL && ExpectHeard(world, &heard, &truth);
	EXPECT(world, result.complete ? result.count == truth.count : isStopped, "%s, %llu pairs",
	    result.complete ? "complete" : "incomplete", (unsigned long long)result.count);
	const uint64_t written = result.count < query.capacity ? result.count : query.capacity;
	if (result.complete)
	{
		ExpectFirst(world, &truth, query.pairs, written);
	}
	else
	{
		ExpectSome(world, &truth, query.pairs, written);
	}
	return true;
}
