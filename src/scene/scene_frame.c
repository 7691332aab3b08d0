// src/scene/scene_frame.c: what an update found, and what began and ended with it. See scene.h.
#include "query/sink.h"
#include "scene/scene.h"

#include <string.h>

static uint64_t KeyOf(const snugScenePair* pair)
{
	return (uint64_t)pair->a << 32 | pair->b;
}

// Neither body has changed or gone since that pair was found, so it is still right.
static bool IsKept(const snugScene* scene, const snugScenePair* pair)
{
	bool isThere = sgScene_IsPresent(scene, pair->a) && sgScene_IsPresent(scene, pair->b);
	return isThere && scene->isActive[pair->a] == 0 && scene->isActive[pair->b] == 0;
}

static bool HasRoom(const snugScene* scene, bool trianglePairs, snugSceneResult* result)
{
	uint64_t pairs = 0, triangles = 0;
	for (uint64_t i = 0; i < scene->searchCount; ++i)
	{
		pairs += scene->searches[i].count > 0;
		triangles += trianglePairs ? scene->searches[i].count : 0;
	}
	for (uint64_t i = 0; i < scene->frame->count; ++i)
	{
		bool isKept = IsKept(scene, scene->frame->pairs + i);
		result->kept += isKept;
		pairs += isKept;
		triangles += isKept ? scene->frame->pairs[i].count : 0;
	}
	result->needed.pairs = pairs > scene->room.pairs ? pairs : 0;
	result->needed.trianglePairs = triangles > scene->room.trianglePairs ? triangles : 0;
	return result->needed.pairs == 0 && result->needed.trianglePairs == 0;
}

// ---- Pairs ----------------------------------------------------------------------------------------------------------

static void AddPair(sgSceneFrame* next, uint32_t a, uint32_t b, uint64_t count, snugWitness witness)
{
	next->pairs[next->count] = (snugScenePair){ a, b, next->trianglePairCount, count };
	next->witnesses[next->count++] = witness;
	next->trianglePairCount += count;
}

// Both lists are sorted, and have no pair in common: of a kept one neither body changed, of a search one did.
static void MergePairs(snugScene* scene, bool trianglePairs)
{
	const sgSceneFrame* last = scene->frame;
	sgSceneFrame* next = scene->next;
	uint64_t kept = 0;
	next->count = next->trianglePairCount = 0;
	next->hasTrianglePairs = trianglePairs;
	for (uint64_t i = 0; i <= scene->searchCount; ++i)
	{
		sgSceneSearch* search = i < scene->searchCount ? scene->searches + i : NULL;
		uint64_t key = search != NULL ? (uint64_t)search->a << 32 | search->b : UINT64_MAX;
		for (; kept < last->count && KeyOf(last->pairs + kept) <= key; ++kept)
		{
			const snugScenePair* pair = last->pairs + kept;
			if (IsKept(scene, pair))
			{
				const size_t bytes = (size_t)pair->count * sizeof(snugPair);
				memcpy(next->trianglePairs + next->trianglePairCount, last->trianglePairs + pair->first, bytes);
				memcpy(next->places + next->trianglePairCount, last->places + pair->first, bytes);
				AddPair(next, pair->a, pair->b, pair->count, last->witnesses[kept]);
			}
		}
		if (search != NULL && search->count > 0)
		{
			search->first = next->trianglePairCount;
			AddPair(next, search->a, search->b, trianglePairs ? search->count : 0, search->witness);
		}
	}
}

/// Searches whose pairs of triangles a thread copies in one go.
enum
{
	COPIES_PER_TASK = 16
};

// Of a shape there is none.
static uint32_t NumberAt(const snugBody* body, uint32_t place)
{
	if (place == SG_NONE)
	{
		return SNUG_NONE;
	}
	const sgTree* tree = &body->model->tree;
	return tree->triangleMap[tree->leaves[place / SG_LANES].firstTriangle + place % SG_LANES];
}

static void CopyBlocks(const snugScene* scene, const sgSceneSearch* search)
{
	const snugBody *a = scene->bodies[search->a].body, *b = scene->bodies[search->b].body;
	snugPair *places = scene->next->places + search->first, *to = scene->next->trianglePairs + search->first;
	uint64_t done = 0;
	for (uint32_t number = search->firstBlock; number != SG_NONE; number = scene->blocks[number].next)
	{
		const sgSceneBlock* block = scene->blocks + number;
		memcpy(places + done, block->pairs, block->count * sizeof(snugPair));
		done += block->count;
	}
	for (uint64_t i = 0; i < done; ++i)
	{
		const snugPair pair = { NumberAt(a, places[i].a), NumberAt(b, places[i].b) };
		to[i] = a == b && pair.b < pair.a ? (snugPair){ pair.b, pair.a } : pair;
	}
	sgSink sorted = { .pairs = to, .capacity = done, .count = done };
	sgSink_Finish(&sorted);
}

static void CopyTask(void* context, uint32_t index)
{
	const snugScene* scene = context;
	uint64_t first = (uint64_t)index * COPIES_PER_TASK, end = first + COPIES_PER_TASK;
	for (uint64_t i = first; i < end && i < scene->searchCount; ++i)
	{
		const sgSceneSearch* search = scene->searches + i;
		if (search->count > 0)
		{
			CopyBlocks(scene, search);
		}
	}
}

// ---- Events ---------------------------------------------------------------------------------------------------------

static void AddEvent(snugPair* events, uint64_t* count, const snugScenePair* pair)
{
	events[(*count)++] = (snugPair){ pair->a, pair->b };
}

static void MakeEvents(const sgSceneFrame* last, sgSceneFrame* next)
{
	uint64_t i = 0, j = 0;
	next->begunCount = next->persistingCount = next->endedCount = 0;
	while (i < last->count || j < next->count)
	{
		uint64_t before = i < last->count ? KeyOf(last->pairs + i) : UINT64_MAX;
		uint64_t now = j < next->count ? KeyOf(next->pairs + j) : UINT64_MAX;
		if (before < now)
		{
			next->endedUsers[next->endedCount] = last->users[i];
			AddEvent(next->ended, &next->endedCount, last->pairs + i);
		}
		else if (now < before)
		{
			next->users[j] = NULL;
			AddEvent(next->begun, &next->begunCount, next->pairs + j);
		}
		else
		{
			next->users[j] = last->users[i];
			AddEvent(next->persisting, &next->persistingCount, next->pairs + j);
		}
		i += before <= now;
		j += now <= before;
	}
}

bool sgScene_MakeFrame(snugScene* scene, bool trianglePairs, snugSceneResult* result)
{
	if (!HasRoom(scene, trianglePairs, result))
	{
		return false;
	}
	MergePairs(scene, trianglePairs);
	if (trianglePairs)
	{
		sgScene_Run(scene, sgTasksFor(scene->searchCount, COPIES_PER_TASK), CopyTask, scene);
	}
	MakeEvents(scene->frame, scene->next);
	return true;
}

// ---- Reading --------------------------------------------------------------------------------------------------------

const snugScenePair* snugScene_GetPairs(const snugScene* scene, uint64_t* count)
{
	SG_REQUIRE(count != NULL, NULL);
	*count = 0;
	SG_REQUIRE(scene != NULL, NULL);
	*count = scene->frame->count;
	return scene->frame->pairs;
}

const snugPair* snugScene_GetTrianglePairs(const snugScene* scene, uint64_t* count)
{
	SG_REQUIRE(count != NULL, NULL);
	*count = 0;
	SG_REQUIRE(scene != NULL, NULL);
	*count = scene->frame->trianglePairCount;
	return scene->frame->trianglePairs;
}

snugSceneEvents snugScene_GetEvents(const snugScene* scene)
{
	SG_REQUIRE(scene != NULL, (snugSceneEvents){ 0 });
	const sgSceneFrame* frame = scene->frame;
	return (snugSceneEvents){
		.begun = frame->begun,
		.begunCount = frame->begunCount,
		.persisting = frame->persisting,
		.persistingCount = frame->persistingCount,
		.ended = frame->ended,
		.endedCount = frame->endedCount,
		.users = frame->users,
		.endedUsers = frame->endedUsers,
	};
}
