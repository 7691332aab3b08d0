// src/scene/spheres.c: contact spheres of all bodies of a scene. See snug_spheres.h and scene.h.
//
// Root spheres have boxes of their own and trees over them, since contact spheres reach beyond the boxes of bodies.
// Threads take candidates in turn, share spheres by claiming them, and put what they find into blocks, chained per
// candidate; contacts are gathered from there in the order of candidates, so that it does not matter who found what.
#include "query/sphere_tree.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

#define BLOCK_CONTACTS 15

typedef struct Block
{
	uint32_t next;
	uint32_t count;
	snugSphereContact contacts[BLOCK_CONTACTS];
} Block;

/// What was found of a candidate.
typedef struct Found
{
	uint64_t count;
	uint32_t firstBlock, lastBlock; ///< SG_NONE: none
} Found;

struct snugSphereScene
{
	snugAllocator allocator;
	snugScene* scene;
	uint32_t bodies;     ///< room for them
	uint64_t candidates; ///< likewise
	uint64_t contacts;   ///< likewise
	uint64_t blocks;     ///< enough for so many contacts of so many candidates
	unsigned char* memory;
	size_t bytes;

	snugSpheres** own;    ///< (bodies); null: takes no part
	uint8_t* isFixed;     ///< (bodies): in which tree it is
	uint8_t* isTooFar;    ///< (bodies)
	uint8_t* isActive;    ///< (bodies): all are
	sgPosedSphere* roots; ///< (bodies): side by side, since most candidates' are apart
	sgBox* boxes;         ///< (bodies): of root spheres
	sgBroad moving, fixed;

	Found* found;                  ///< (candidates)
	Block* room;                   ///< (blocks)
	snugSphereContact* list;       ///< (contacts)
	snugSpherePair* pairs;         ///< (candidates)
	_Atomic uint64_t blockCount;   ///< taken, possibly more than there are
	_Atomic uint64_t tests;        ///< of the update under way
	_Atomic uint64_t updates;      ///< likewise
	uint64_t pairCount, listCount; ///< of the last update
	uint32_t level;
};

// ---- Memory ---------------------------------------------------------------------------------------------------------

static void* Take(unsigned char* memory, size_t* bytes, uint64_t count, size_t size)
{
	void* place = memory != NULL ? memory + *bytes : NULL;
	*bytes = sgAlignUp(*bytes + (size_t)count * size, SG_ALIGNMENT);
	return place;
}

static void LayOutTree(snugSphereScene* s, sgBroad* broad, size_t* bytes)
{
	uint32_t groups = sgBroad_GroupCount(s->bodies);
	broad->capacity = s->bodies;
	broad->order = Take(s->memory, bytes, s->bodies, sizeof(uint32_t));
	broad->places = Take(s->memory, bytes, s->bodies, sizeof(uint32_t));
	broad->groups = Take(s->memory, bytes, groups, sizeof(sgBoxLanes));
	broad->active = Take(s->memory, bytes, groups, sizeof(uint8_t));
	broad->keys = Take(s->memory, bytes, 2 * (uint64_t)s->bodies, sizeof(uint64_t));
}

// Everything in one piece of memory.
static size_t LayOut(snugSphereScene* s)
{
	size_t bytes = 0;
	s->own = Take(s->memory, &bytes, s->bodies, sizeof(snugSpheres*));
	s->isFixed = Take(s->memory, &bytes, s->bodies, 1);
	s->isTooFar = Take(s->memory, &bytes, s->bodies, 1);
	s->isActive = Take(s->memory, &bytes, s->bodies, 1);
	s->roots = Take(s->memory, &bytes, s->bodies, sizeof(sgPosedSphere));
	s->boxes = Take(s->memory, &bytes, s->bodies, sizeof(sgBox));
	LayOutTree(s, &s->moving, &bytes);
	LayOutTree(s, &s->fixed, &bytes);
	s->found = Take(s->memory, &bytes, s->candidates, sizeof(Found));
	s->room = Take(s->memory, &bytes, s->blocks, sizeof(Block));
	s->list = Take(s->memory, &bytes, s->contacts, sizeof(snugSphereContact));
	s->pairs = Take(s->memory, &bytes, s->candidates, sizeof(snugSpherePair));
	return bytes;
}

snugStatus snugSphereScene_Create(const snugSphereSceneDef* def, snugSphereScene** out)
{
	SG_REQUIRE(out != NULL, snug_badArgument);
	*out = NULL;
	SG_REQUIRE(def != NULL && def->scene != NULL && sgAllocator_IsValid(&def->allocator), snug_badArgument);
	SG_REQUIRE_RESERVED(def, snug_badArgument);
	snugAllocator allocator = sgAllocator_OrDefault(def->allocator);
	const snugSceneRoom* room = &def->scene->room;
	uint64_t contacts = def->contacts > 0 ? def->contacts : 64 * (uint64_t)room->bodies;
	if (contacts > UINT32_MAX / 4)
	{
		return sgFail(&def->scene->messenger, snug_outOfRange, "room for so many contacts is too large");
	}
	snugSphereScene* s = sgAllocate(&allocator, sizeof(*s));
	if (s != NULL)
	{
		*s = (snugSphereScene){ .allocator = allocator,
			.scene = def->scene,
			.bodies = room->bodies,
			.candidates = room->candidates,
			.contacts = contacts };
		s->blocks = contacts / BLOCK_CONTACTS + room->candidates + 1;
		s->bytes = LayOut(s);
		s->memory = s->bytes < SG_MAX_SIZE ? sgAllocate(&allocator, s->bytes) : NULL;
	}
	if (s == NULL || s->memory == NULL)
	{
		sgRelease(&allocator, s, sizeof(*s));
		return sgFail(&def->scene->messenger, snug_outOfMemory, "no memory for the contact spheres of a scene");
	}
	LayOut(s);
	memset((void*)s->own, 0, s->bodies * sizeof(snugSpheres*));
	memset(s->isActive, 1, s->bodies);
	memset(s->isTooFar, 0, s->bodies);
	*out = s;
	return snug_success;
}

void snugSphereScene_Destroy(snugSphereScene* s)
{
	if (s != NULL)
	{
		snugAllocator allocator = s->allocator;
		sgRelease(&allocator, s->memory, s->bytes);
		sgRelease(&allocator, s, sizeof(*s));
	}
}

size_t snugSphereScene_GetMemory(const snugSphereScene* s)
{
	SG_REQUIRE(s != NULL, 0);
	return sizeof(*s) + s->bytes;
}

snugStatus snugSphereScene_Set(snugSphereScene* s, uint32_t id, snugSpheres* own)
{
	SG_REQUIRE(s != NULL && !s->scene->isUpdating && id < s->bodies, snug_badArgument);
	SG_REQUIRE(
	    own == NULL || (sgScene_IsPresent(s->scene, id) && s->scene->bodies[id].body == own->body), snug_badArgument);
	if (s->own[id] != NULL)
	{
		sgBroad_Remove(s->isFixed[id] ? &s->fixed : &s->moving, id);
	}
	s->own[id] = own;
	if (own != NULL)
	{
		s->isFixed[id] = s->scene->bodies[id].isStatic;
		s->boxes[id] = sgBox_Empty();
		sgBroad_Add(s->isFixed[id] ? &s->fixed : &s->moving, id);
	}
	return snug_success;
}

// ---- Root spheres ---------------------------------------------------------------------------------------------------

enum
{
	BODIES_PER_TASK = 64,
	WALKS_PER_TASK = 4
};

static uint32_t LevelOf(const snugSphereScene* s, const snugSpheres* own)
{
	return s->level > 0 && s->level < own->tree->level ? s->level : own->tree->level;
}

static void BoundBody(snugSphereScene* s, uint32_t id)
{
	snugSpheres* own = s->own[id];
	sgPosedSphere scratch[SG_LANES];
	uint64_t updates = 0;
	snugMessenger messenger = own->body->messenger;
	own->body->messenger = (snugMessenger){ 0 }; // told by the calling thread
	s->isTooFar[id] = sgSpheres_Begin(own, s->scene->origin, LevelOf(s, own)) != snug_success;
	own->body->messenger = messenger;
	if (s->isTooFar[id])
	{
		return;
	}
	const sgPosedSphere* root = sgSpheres_Get(own, sgSphereTree_Siblings(own->tree, 0), scratch, &updates);
	s->roots[id] = *root;
	for (int k = 0; k < 3; ++k)
	{
		s->boxes[id].lower[k] = sgRoundDown((double)root->center[k] - (double)root->radius);
		s->boxes[id].upper[k] = sgRoundUp((double)root->center[k] + (double)root->radius);
	}
	atomic_fetch_add_explicit(&s->updates, updates, memory_order_relaxed);
}

static void BoundTask(void* context, uint32_t index)
{
	snugSphereScene* s = context;
	uint32_t first = index * BODIES_PER_TASK, end = first + BODIES_PER_TASK;
	end = end < s->bodies ? end : s->bodies;
	for (uint32_t id = first; id < end; ++id)
	{
		if (s->own[id] != NULL)
		{
			BoundBody(s, id);
		}
	}
}

static uint32_t FindTooFar(const snugSphereScene* s)
{
	for (uint32_t id = 0; id < s->bodies; ++id)
	{
		if (s->own[id] != NULL && s->isTooFar[id])
		{
			return id;
		}
	}
	return SG_NONE;
}

static void RefitTrees(snugSphereScene* s)
{
	const sgBroadBoxes boxes = { s->boxes, s->isActive };
	uint32_t moving = sgBroad_LevelCount(&s->moving), fixed = sgBroad_LevelCount(&s->fixed);
	uint32_t levels = moving > fixed ? moving : fixed;
	sgBroad_Refit(&s->moving, &boxes, levels);
	sgBroad_Refit(&s->fixed, &boxes, levels);
}

// ---- Contacts -------------------------------------------------------------------------------------------------------

/// A walk that stores what it finds.
typedef struct Storing
{
	sgSphereWalk walk; ///< first
	snugSphereScene* s;
	Found* found;
} Storing;

static Block* TakeBlock(snugSphereScene* s, Found* found)
{
	uint64_t number = atomic_fetch_add_explicit(&s->blockCount, 1, memory_order_relaxed);
	if (number >= s->blocks)
	{
		return NULL;
	}
	s->room[number].next = SG_NONE;
	s->room[number].count = 0;
	if (found->lastBlock != SG_NONE)
	{
		s->room[found->lastBlock].next = (uint32_t)number;
	}
	found->firstBlock = found->firstBlock == SG_NONE ? (uint32_t)number : found->firstBlock;
	found->lastBlock = (uint32_t)number;
	return s->room + number;
}

static void Store(
    sgSphereWalk* walk, uint32_t a, const sgPosedSphere* sphereA, uint32_t b, const sgPosedSphere* sphereB)
{
	const Storing* storing = (const Storing*)(const void*)walk;
	Found* found = storing->found;
	Block* block = found->lastBlock != SG_NONE ? storing->s->room + found->lastBlock : NULL;
	if (block == NULL || block->count == BLOCK_CONTACTS)
	{
		block = TakeBlock(storing->s, found);
	}
	if (block != NULL)
	{
		block->contacts[block->count++] = sgSphereContact_Make(a, sphereA, b, sphereB);
	}
	++found->count;
}

// The first candidate whose first body is not before one. They are sorted.
static uint64_t FindCandidate(const snugScene* scene, uint32_t body)
{
	uint64_t first = 0, end = scene->candidateCount;
	while (first < end)
	{
		uint64_t middle = first + (end - first) / 2;
		bool isBefore = scene->candidates[middle] >> 32 < body;
		first = isBefore ? middle + 1 : first;
		end = isBefore ? end : middle;
	}
	return first;
}

/// What a task has done.
typedef struct Tally
{
	uint64_t tests, updates;
} Tally;

static void WalkCandidate(snugSphereScene* s, uint64_t number, Tally* tally)
{
	uint32_t a = (uint32_t)(s->scene->candidates[number] >> 32), b = (uint32_t)s->scene->candidates[number];
	s->found[number] = (Found){ 0, SG_NONE, SG_NONE };
	if (!sgPosedSphere_Overlap(s->roots + a, s->roots + b, 1.0))
	{
		++tally->tests;
		return;
	}
	Storing storing = { .walk = { s->own[a], s->own[b], Store, false, 0, 0 }, .s = s, .found = s->found + number };
	sgSphereWalk_Run(&storing.walk);
	tally->tests += storing.walk.tests;
	tally->updates += storing.walk.updates;
}

// Body by body as they lie in space, each with its candidates: neighbours meet the same bodies, whose spheres are in
// the cache then.
static void WalkTask(void* context, uint32_t index)
{
	snugSphereScene* s = context;
	Tally tally = { 0, 0 };
	uint32_t count = s->moving.count + s->fixed.count;
	for (uint32_t i = index * WALKS_PER_TASK; i < count && i < (index + 1) * WALKS_PER_TASK; ++i)
	{
		uint32_t id = i < s->moving.count ? s->moving.order[i] : s->fixed.order[i - s->moving.count];
		uint64_t end = id != SG_NONE ? FindCandidate(s->scene, id + 1) : 0;
		for (uint64_t k = id != SG_NONE ? FindCandidate(s->scene, id) : 0; k < end; ++k)
		{
			WalkCandidate(s, k, &tally);
		}
	}
	atomic_fetch_add_explicit(&s->tests, tally.tests, memory_order_relaxed);
	atomic_fetch_add_explicit(&s->updates, tally.updates, memory_order_relaxed);
}

// In the order of candidates, if there is room for all.
static bool Gather(snugSphereScene* s, snugSphereSceneResult* result)
{
	uint64_t count = s->scene->candidateCount;
	for (uint64_t i = 0; i < count; ++i)
	{
		result->contacts += s->found[i].count;
	}
	if (result->contacts > s->contacts)
	{
		return false;
	}
	for (uint64_t i = 0; i < count; ++i)
	{
		const Found* found = s->found + i;
		uint64_t pair = s->scene->candidates[i];
		if (found->count > 0)
		{
			s->pairs[s->pairCount++] =
			    (snugSpherePair){ (uint32_t)(pair >> 32), (uint32_t)pair, s->listCount, found->count };
		}
		for (uint32_t b = found->firstBlock; b != SG_NONE; b = s->room[b].next)
		{
			memcpy(s->list + s->listCount, s->room[b].contacts, s->room[b].count * sizeof(snugSphereContact));
			s->listCount += s->room[b].count;
		}
	}
	result->pairs = s->pairCount;
	return true;
}

static SG_NOINLINE snugStatus Update(snugSphereScene* s, snugSphereSceneResult* result)
{
	snugScene* scene = s->scene;
	s->pairCount = s->listCount = 0;
	s->blockCount = s->tests = s->updates = 0;
	sgScene_Run(scene, s->bodies / BODIES_PER_TASK + 1, BoundTask, s);
	result->body = FindTooFar(s);
	if (result->body != SG_NONE)
	{
		return sgFail(&scene->messenger, snug_outOfRange, "body %u is too far from the scene's origin", result->body);
	}
	RefitTrees(s);
	if (!sgScene_FindCandidates(scene, &s->moving, &s->fixed, 0.0f, &result->candidates) ||
	    scene->candidateCount > s->candidates)
	{
		return sgFail(&scene->messenger, snug_outOfRange, "the scene lacks room for %llu candidates",
		    (unsigned long long)result->candidates);
	}
	sgScene_Run(scene, (s->moving.count + s->fixed.count) / WALKS_PER_TASK + 1, WalkTask, s);
	result->sphereTests = s->tests;
	result->spheresUpdated = s->updates;
	return Gather(s, result)
	           ? snug_success
	           : sgFail(&scene->messenger, snug_outOfRange, "there is room for %llu contacts, not for %llu",
	                 (unsigned long long)s->contacts, (unsigned long long)result->contacts);
}

// All bodies with spheres are still in the scene.
static bool AreAllThere(const snugSphereScene* s)
{
	bool areThere = true;
	for (uint32_t id = 0; id < s->bodies; ++id)
	{
		areThere = areThere && (s->own[id] == NULL ||
		                           (sgScene_IsPresent(s->scene, id) && s->scene->bodies[id].body == s->own[id]->body));
	}
	return areThere;
}

snugSphereSceneResult snugSphereScene_Update(snugSphereScene* s, uint32_t level)
{
	snugSphereSceneResult result = { .status = snug_badArgument, .body = UINT32_MAX };
	SG_REQUIRE(s != NULL && !s->scene->isUpdating && AreAllThere(s), result);
	s->level = level;
	s->scene->isUpdating = true;
	s->scene->callersEnvironment = sgFpEnv_Enter();
	result.status = Update(s, &result);
	sgFpEnv_Leave(s->scene->callersEnvironment);
	s->scene->isUpdating = false;
	return result;
}

const snugSpherePair* snugSphereScene_GetPairs(const snugSphereScene* s, uint64_t* count)
{
	SG_REQUIRE(s != NULL && count != NULL, NULL);
	*count = s->pairCount;
	return s->pairs;
}

const snugSphereContact* snugSphereScene_GetContacts(const snugSphereScene* s, uint64_t* count)
{
	SG_REQUIRE(s != NULL && count != NULL, NULL);
	*count = s->listCount;
	return s->list;
}
