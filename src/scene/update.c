// src/scene/update.c: an update up to its candidates, and what becomes of them. See scene.h.
#include "scene/scene.h"

#include "base/sort.h"
#include "geometry/shape.h"
#include "query/contacts.h"

#include <string.h>

// ---- What changed ---------------------------------------------------------------------------------------------------

// Mark bodies that changed since the last complete update, and list those whose boxes are not up to date.
static uint32_t FindActive(snugScene* scene, bool all)
{
	uint32_t moved = 0;
	sgScene_BeginList(scene);
	for (uint32_t id = 0; id < scene->bodyCount; ++id)
	{
		sgSceneBody* body = scene->bodies + id;
		if (body->state != sgScene_present)
		{
			scene->isActive[id] = 0;
			continue;
		}
		const uint64_t changes = sgScene_ChangesOf(body);
		bool isChanged = body->seen != changes;
		scene->isActive[id] = all || isChanged;
		moved += isChanged;
		if (body->boxed != changes)
		{
			sgScene_List(scene, id);
		}
	}
	return moved;
}

// ---- Bounds ---------------------------------------------------------------------------------------------------------

/// Bodies that a thread bounds in one go.
enum
{
	BOUNDS_PER_TASK = 64
};

void sgScene_BoundBody(snugScene* scene, uint32_t id, snugCounters* counters)
{
	sgSceneBody* entry = scene->bodies + id;
	if (entry->isShape)
	{
		entry->boxed = entry->changes;
		scene->boxes[id] = sgScene_BoundShape(scene->shapes + id);
		return;
	}
	sgPlacedRoot root;
	entry->isTooFar = !sgBody_BoundPlacedRoot(entry->body, scene->origin, &root, counters);
	if (!entry->isTooFar)
	{
		entry->boxed = entry->body->changes;
		scene->boxes[id] = root.box;
	}
	if (!entry->isTooFar && root.isOpened)
	{
		sgScene_SetOpened(scene, id, &root.below);
	}
}

static void BoundTask(void* context, uint32_t index)
{
	snugScene* scene = context;
	snugCounters counters = { 0 };
	uint32_t first = index * BOUNDS_PER_TASK, end = first + BOUNDS_PER_TASK;
	end = end < scene->listCount ? end : scene->listCount;
	for (uint32_t i = first; i < end; ++i)
	{
		sgScene_BoundBody(scene, scene->list[i], &counters);
	}
	sgScene_Count(scene, &counters);
}

static uint32_t MakeBounds(snugScene* scene)
{
	sgScene_Run(scene, sgTasksFor(scene->listCount, BOUNDS_PER_TASK), BoundTask, scene);
	return sgScene_FindTooFar(scene);
}

void sgScene_RefitTrees(snugScene* scene)
{
	const sgBroadBoxes boxes = { scene->boxes, scene->isActive };
	uint32_t moving = sgBroad_LevelCount(&scene->moving), fixed = sgBroad_LevelCount(&scene->fixed);
	uint32_t round = sgBroad_LevelCount(&scene->round), levels = moving > fixed ? moving : fixed;
	levels = levels > round ? levels : round;
	sgBroad_Refit(&scene->moving, &boxes, levels);
	sgBroad_Refit(&scene->fixed, &boxes, levels);
	sgBroad_Refit(&scene->round, &boxes, levels);
}

uint32_t sgScene_Refit(snugScene* scene, bool all, uint32_t* moved)
{
	*moved = FindActive(scene, all);
	const uint32_t tooFar = MakeBounds(scene);
	if (tooFar == SG_NONE)
	{
		sgScene_RefitTrees(scene);
	}
	return tooFar;
}

// ---- Candidates -----------------------------------------------------------------------------------------------------

/// Candidates that a thread collects before it hands them over.
enum
{
	COLLECTED = 256
};

typedef struct Collector
{
	snugScene* scene;
	uint32_t count;
	uint64_t pairs[COLLECTED];
} Collector;

static void HandOver(Collector* collector)
{
	snugScene* scene = collector->scene;
	uint64_t first = atomic_fetch_add_explicit(&scene->candidateCount, collector->count, memory_order_relaxed);
	for (uint32_t i = 0; i < collector->count && first + i < scene->room.candidates; ++i)
	{
		scene->candidates[first + i] = collector->pairs[i];
	}
	collector->count = 0;
}

static void Add(Collector* collector, uint64_t pair)
{
	collector->pairs[collector->count++] = pair;
	if (collector->count == COLLECTED)
	{
		HandOver(collector);
	}
}

static void Collect(void* context, uint32_t a, uint32_t b)
{
	Collector* collector = context;
	const sgSceneBody *bodyA = collector->scene->bodies + a, *bodyB = collector->scene->bodies + b;
	if ((bodyA->groups & bodyB->mask) == 0 || (bodyB->groups & bodyA->mask) == 0 ||
	    (bodyA->isStatic && bodyB->isStatic)) // which trees do not find but of shapes
	{
		return;
	}
	uint64_t least = a < b ? a : b, most = a < b ? b : a;
	Add(collector, least << 32 | most);
}

/// A search of the broad phase from some pairs of groups on.
typedef struct Sweep
{
	snugScene* scene;
	sgBroadSearch search;
	uint32_t level;
	uint32_t count;
} Sweep;

static void SweepTask(void* context, uint32_t index)
{
	const Sweep* sweep = context;
	Collector collector;
	collector.scene = sweep->scene;
	collector.count = 0;
	sgBroadSearch search = sweep->search;
	search.context = &collector;
	sgBroadSearch_Descend(&search, sweep->level, sweep->scene->starts[index]);
	HandOver(&collector);
}

// One level further down, while there are too few pairs to keep threads busy.
static void StepDown(Sweep* sweep)
{
	sgBroadPair *starts = sweep->scene->starts, before[SG_LANES * SG_LANES];
	uint32_t count = sweep->count;
	for (uint32_t i = 0; i < count; ++i)
	{
		before[i] = starts[i];
	}
	sweep->count = 0;
	for (uint32_t i = 0; i < count; ++i)
	{
		sweep->count += sgBroadSearch_Step(&sweep->search, sweep->level, before[i], starts + sweep->count);
	}
	--sweep->level;
}

static void SweepTrees(snugScene* scene, const sgBroad* a, const sgBroad* b, float margin)
{
	Sweep sweep = {
		.scene = scene,
		.search = { .a = a, .b = b, .kernels = sgGetKernels(), .found = Collect, .margin = margin },
		.level = a->levels - 1,
		.count = 1,
	};
	scene->starts[0] = (sgBroadPair){ 0, 0 };
	while (sweep.level > 0 && sweep.count > 0 && sweep.count < SG_LANES * SG_LANES)
	{
		StepDown(&sweep);
	}
	sgScene_Run(scene, sweep.count, SweepTask, &sweep);
}

// By all bits that ids of this scene have, eleven at a time, from the lowest on.
static void SortCandidates(snugScene* scene)
{
	uint64_t count = scene->candidateCount, *from = scene->candidates, *to = scene->scratch;
	uint32_t bits = 64u - (uint32_t)__builtin_clzll(scene->bodyCount | 1);
	for (uint32_t half = 0; half < 64; half += 32)
	{
		for (uint32_t shift = half; shift < half + bits; shift += 11)
		{
			sgSortByBits(from, count, shift, 11, to);
			uint64_t* swap = from;
			from = to;
			to = swap;
		}
	}
	scene->candidates = from;
	scene->scratch = to;
}

static void AskFilter(snugScene* scene)
{
	uint64_t count = 0;
	sgFpEnv_Leave(scene->callersEnvironment);
	for (uint64_t i = 0; i < scene->candidateCount; ++i)
	{
		uint64_t pair = scene->candidates[i];
		if (pair >> 32 == (uint32_t)pair || scene->filter(scene->filterUser, (uint32_t)(pair >> 32), (uint32_t)pair))
		{
			scene->candidates[count++] = pair;
		}
	}
	sgFpEnv_Enter();
	scene->candidateCount = count;
}

// Bodies that meet themselves, and changed.
static void AddOwn(snugScene* scene)
{
	Collector collector;
	collector.scene = scene;
	collector.count = 0;
	for (uint64_t id = 0; id < scene->bodyCount; ++id)
	{
		if (scene->isActive[id] != 0 && scene->bodies[id].meetsItself)
		{
			Add(&collector, id << 32 | id);
		}
	}
	HandOver(&collector);
}

// Planes and half spaces with bodies in front of whose boxes they are not. There are few of them.
static void AddFlat(snugScene* scene)
{
	Collector collector;
	collector.scene = scene;
	collector.count = 0;
	sgScene_BeginList(scene);
	for (uint32_t i = 0; i < scene->round.count; ++i)
	{
		const uint32_t id = scene->round.order[i];
		if (id != SG_NONE && scene->shapes[id].kind >= snug_shapePlane)
		{
			sgScene_List(scene, id);
		}
	}
	for (uint32_t id = 0; id < scene->bodyCount && scene->listCount > 0; ++id)
	{
		for (uint32_t i = 0; i < scene->listCount && sgScene_IsBody(scene, id); ++i)
		{
			const uint32_t flat = scene->list[i];
			const bool isActive = (scene->isActive[id] | scene->isActive[flat]) != 0;
			if (isActive && sgScene_MayMeetFlat(scene->shapes + flat, scene->boxes + id))
			{
				Collect(&collector, id, flat);
			}
		}
	}
	HandOver(&collector);
}

// Spheres and capsules reach a little farther than their boxes: a triangle may meet one that is apart by 2^-37 of the
// extent (sgShape_Meets), which is at most twice the largest coordinate.
static void AddShapes(snugScene* scene)
{
	const float margin = sgRoundUp(4.0 * SG_SHAPE_SLACK * sgScene_FindReach(scene, true));
	SweepTrees(scene, &scene->round, &scene->moving, margin);
	SweepTrees(scene, &scene->round, &scene->fixed, margin);
	AddFlat(scene);
}

bool sgScene_FindCandidates(
    snugScene* scene, const sgBroad* moving, const sgBroad* fixed, bool all, float margin, uint64_t* count)
{
	atomic_store_explicit(&scene->candidateCount, 0, memory_order_relaxed);
	if (all)
	{
		AddOwn(scene);
	}
	if (all && scene->round.count > 0)
	{
		AddShapes(scene);
	}
	SweepTrees(scene, moving, moving, margin);
	SweepTrees(scene, moving, fixed, margin);
	*count = scene->candidateCount;
	if (*count > scene->room.candidates)
	{
		return false;
	}
	SortCandidates(scene);
	if (scene->filter != NULL)
	{
		AskFilter(scene);
	}
	return true;
}

// ---- The whole ------------------------------------------------------------------------------------------------------

// Everything has been looked at as it is now; ids of bodies whose end was told last time are free.
static void Complete(snugScene* scene)
{
	sgSceneFrame* frame = scene->frame;
	scene->frame = scene->next;
	scene->next = frame;
	scene->isNew = false;
	for (uint32_t id = 0; id < scene->bodyCount; ++id)
	{
		sgSceneBody* body = scene->bodies + id;
		switch ((sgSceneState)body->state)
		{
			case sgScene_present:
				body->seen = body->boxed; // not `changes`, which a filter that breaks the rules may have raised
				break;
			case sgScene_removed:
				body->state = sgScene_ended;
				break;
			case sgScene_ended:
				body->state = sgScene_free;
				scene->firstFree = id < scene->firstFree ? id : scene->firstFree;
				break;
			default:
				break;
		}
	}
}

snugStatus sgScene_TooFar(snugScene* scene, uint32_t id, snugSceneResult* result)
{
	result->body = id;
	return sgFail(&scene->messenger, snug_outOfRange, "body %u is too far from the scene's origin", id);
}

static snugStatus TooMany(snugScene* scene, const snugSceneResult* result)
{
	const snugSceneRoom* needed = &result->needed;
	return sgFail(&scene->messenger, snug_outOfRange,
	    "the scene lacks room for %llu candidates, %llu pairs or %llu pairs of triangles (zero: it has enough)",
	    (unsigned long long)needed->candidates, (unsigned long long)needed->pairs,
	    (unsigned long long)needed->trianglePairs);
}

// How often all bodies changed.
static uint64_t CountChanges(const snugScene* scene)
{
	uint64_t changes = 0;
	for (uint32_t id = 0; id < scene->bodyCount; ++id)
	{
		changes += sgScene_IsPresent(scene, id) ? sgScene_ChangesOf(scene->bodies + id) : 0;
	}
	return changes;
}

// From candidates to searches that are done.
static snugStatus Search(snugScene* scene, bool trianglePairs, snugSceneResult* result)
{
	bool all = scene->isNew || scene->frame->hasTrianglePairs != trianglePairs;
	uint32_t tooFar = sgScene_Refit(scene, all, &result->moved);
	if (tooFar != SG_NONE)
	{
		return sgScene_TooFar(scene, tooFar, result);
	}
	if (!sgScene_FindCandidates(scene, &scene->moving, &scene->fixed, true, 0.0f, &result->candidates))
	{
		result->needed.candidates = result->candidates;
		return TooMany(scene, result);
	}
	tooFar = sgScene_Search(scene, trianglePairs);
	result->queries = scene->searchCount;
	return tooFar == SG_NONE ? snug_success : sgScene_TooFar(scene, tooFar, result);
}

// ---- Contacts -------------------------------------------------------------------------------------------------------

/// Pairs of bodies whose contacts are found at once, each in a part of the buffer.
typedef struct ContactRound
{
	snugScene* scene;
	const snugSceneQuery* query;
	const snugScenePair* pairs[SG_CONTACT_PARTS];
	snugContactBuffer parts[SG_CONTACT_PARTS];
	snugContactResult found[SG_CONTACT_PARTS];
	uint32_t first, count;
} ContactRound;

static snugContactResult FindContacts(const ContactRound* round, const snugScenePair* pair, snugContactBuffer* buffer)
{
	snugScene* scene = round->scene;
	snugContactQuery asked = { .depths = round->query->depths };
	memcpy(asked.origin, scene->origin, sizeof(asked.origin));
	const snugContactResult found = sgFindContactsOf(scene->bodies[pair->a].body, scene->bodies[pair->b].body, buffer,
	    &asked, scene->frame->places + pair->first, pair->count);
	sgScene_Count(scene, &found.counters);
	return found;
}

static void ContactsTask(void* context, uint32_t index)
{
	ContactRound* round = context;
	const uint32_t i = round->first + index;
	round->found[i] = FindContacts(round, round->pairs[i], round->parts + i);
}

// Whether more room would give more. Points, and what is behind curves, may find none where pairs do.
static bool LacksRoom(const snugContactResult* found)
{
	bool lacks = !found->complete;
	for (uint32_t i = 0; found->depths != NULL && i < found->curveCount; ++i)
	{
		lacks = lacks || found->depths[i] != found->depths[i]; // NaN
	}
	return lacks;
}

static void TellOne(const ContactRound* round, const snugScenePair* pair, const snugContactResult* found)
{
	sgFpEnv_Leave(round->scene->callersEnvironment);
	round->query->contacts(round->query->contactsUser, pair->a, pair->b, found);
	sgFpEnv_Enter();
}

static void TellWithAllRoom(const ContactRound* round, const snugScenePair* pair)
{
	const snugContactResult found = FindContacts(round, pair, round->query->contactBuffer);
	TellOne(round, pair, &found);
}

// With all room what was found in later parts is lost.
static void FinishRound(ContactRound* round)
{
	for (round->first = 0; round->first < round->count;)
	{
		sgScene_Run(round->scene, round->count - round->first, ContactsTask, round);
		bool isLost = false;
		for (; round->first < round->count && !isLost; ++round->first)
		{
			const snugContactResult* found = round->found + round->first;
			isLost = LacksRoom(found);
			if (isLost)
			{
				TellWithAllRoom(round, round->pairs[round->first]);
			}
			else
			{
				TellOne(round, round->pairs[round->first], found);
			}
		}
	}
	round->count = 0;
}

static void TellContacts(snugScene* scene, const snugSceneQuery* query)
{
	ContactRound round; // not zeroed
	round.scene = scene;
	round.query = query;
	round.count = 0;
	for (uint32_t i = 0; i < SG_CONTACT_PARTS; ++i)
	{
		round.parts[i] = sgContactBuffer_Part(query->contactBuffer, i);
	}
	for (uint64_t i = 0; i < scene->frame->count; ++i)
	{
		const snugScenePair* pair = scene->frame->pairs + i;
		if (scene->bodies[pair->a].isShape || scene->bodies[pair->b].isShape)
		{
			continue;
		}
		if (round.count == SG_CONTACT_PARTS || pair->count > round.parts[0].capacity)
		{
			FinishRound(&round);
		}
		if (pair->count > round.parts[0].capacity)
		{
			TellWithAllRoom(&round, pair);
			continue;
		}
		round.pairs[round.count++] = pair;
	}
	FinishRound(&round);
}

// ---- All of it ------------------------------------------------------------------------------------------------------

static SG_NOINLINE snugStatus Update(snugScene* scene, const snugSceneQuery* query, snugSceneResult* result)
{
	const bool trianglePairs = query->trianglePairs || query->contacts != NULL;
	sgSceneHalt* halt = &scene->halt;
	snugStatus status = snug_success;
	if (halt->isHalted && halt->trianglePairs == trianglePairs && halt->changes == CountChanges(scene))
	{
		*result = halt->result;
		sgScene_SearchAgain(scene);
	}
	else
	{
		status = Search(scene, trianglePairs, result);
		*halt = (sgSceneHalt){ .trianglePairs = trianglePairs, .result = *result };
	}
	if (status != snug_success)
	{
		return status;
	}
	halt->isHalted = !sgScene_MakeFrame(scene, trianglePairs, result);
	if (halt->isHalted)
	{
		halt->changes = CountChanges(scene);
		halt->blocks = (uint32_t)sgScene_BlockCount(&scene->room);
		return TooMany(scene, result);
	}
	Complete(scene);
	result->count = scene->frame->count;
	if (query->contacts != NULL)
	{
		TellContacts(scene, query);
	}
	return snug_success;
}

snugSceneResult snugScene_Update(snugScene* scene, const snugSceneQuery* query)
{
	static const snugSceneQuery defaults = { 0 };
	snugSceneResult result = { .status = snug_badArgument, .body = SNUG_NONE };
	query = query != NULL ? query : &defaults;
	SG_REQUIRE(scene != NULL && !scene->isUpdating, result);
	SG_REQUIRE_RESERVED(query, result);
	SG_REQUIRE(query->contacts == NULL || query->contactBuffer != NULL, result);
	scene->isUpdating = true;
	scene->callersEnvironment = sgFpEnv_Enter();
	result.status = Update(scene, query, &result);
	sgFpEnv_Leave(scene->callersEnvironment);
	scene->isUpdating = false;
	result.counters = sgScene_TakeCounters(scene);
	return result;
}
