// papers/bdtree/contact_scene.c: contact spheres of all bodies of a scene. See contact_spheres.h.
//
// Root spheres have boxes of their own and trees over them, since contact spheres reach beyond the boxes of bodies.
// Threads take candidates in turn, share spheres by claiming them, and put what they find into blocks, chained per
// candidate; contacts are gathered from there in the order of candidates, so that it does not matter who found what.
#include "papers/bdtree/contact_parts.h"
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_CONTACTS 15

typedef struct Block
{
	uint32_t next;
	uint32_t count;
	sphereContact contacts[BLOCK_CONTACTS];
} Block;

/// What was found of a candidate.
typedef struct Found
{
	uint64_t count;
	uint32_t firstBlock, lastBlock; ///< SG_NONE: none
} Found;

struct contactScene
{
	snugScene* scene;
	uint32_t bodies;     ///< room for them
	uint64_t candidates; ///< likewise
	uint64_t contacts;   ///< likewise
	uint64_t blocks;     ///< enough for so many contacts of so many candidates
	unsigned char* memory;
	size_t bytes;

	contactSpheres** own; ///< (bodies); null: takes no part
	uint8_t* isFixed;     ///< (bodies): in which tree it is
	uint8_t* isTooFar;    ///< (bodies)
	uint8_t* isActive;    ///< (bodies): all are
	posedSphere* roots;   ///< (bodies): side by side, since most candidates' are apart
	sgBox* boxes;         ///< (bodies): of root spheres
	sgBroad moving, fixed;

	Found* found;                  ///< (candidates)
	Block* room;                   ///< (blocks)
	sphereContact* list;           ///< (contacts)
	contactPair* pairs;            ///< (candidates)
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

static void LayOutTree(contactScene* s, sgBroad* broad, size_t* bytes)
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
static size_t LayOut(contactScene* s)
{
	size_t bytes = 0;
	s->own = Take(s->memory, &bytes, s->bodies, sizeof(contactSpheres*));
	s->isFixed = Take(s->memory, &bytes, s->bodies, 1);
	s->isTooFar = Take(s->memory, &bytes, s->bodies, 1);
	s->isActive = Take(s->memory, &bytes, s->bodies, 1);
	s->roots = Take(s->memory, &bytes, s->bodies, sizeof(posedSphere));
	s->boxes = Take(s->memory, &bytes, s->bodies, sizeof(sgBox));
	LayOutTree(s, &s->moving, &bytes);
	LayOutTree(s, &s->fixed, &bytes);
	s->found = Take(s->memory, &bytes, s->candidates, sizeof(Found));
	s->room = Take(s->memory, &bytes, s->blocks, sizeof(Block));
	s->list = Take(s->memory, &bytes, s->contacts, sizeof(sphereContact));
	s->pairs = Take(s->memory, &bytes, s->candidates, sizeof(contactPair));
	return bytes;
}

snugStatus contactScene_Create(const contactSceneDef* def, contactScene** out)
{
	const snugSceneRoom* room = &def->scene->room;
	uint64_t contacts = def->contacts > 0 ? def->contacts : 64 * (uint64_t)room->bodies;
	contactScene* s = calloc(1, sizeof(*s));
	*out = NULL;
	if (contacts > UINT32_MAX / 4 || s == NULL)
	{
		free(s);
		return contacts > UINT32_MAX / 4 ? snug_outOfRange : snug_outOfMemory;
	}
	*s = (contactScene){
		.scene = def->scene, .bodies = room->bodies, .candidates = room->candidates, .contacts = contacts
	};
	s->blocks = contacts / BLOCK_CONTACTS + room->candidates + 1;
	s->bytes = LayOut(s);
	s->memory = aligned_alloc(SG_ALIGNMENT, s->bytes);
	if (s->memory == NULL)
	{
		free(s);
		return snug_outOfMemory;
	}
	LayOut(s);
	memset((void*)s->own, 0, s->bodies * sizeof(contactSpheres*));
	memset(s->isActive, 1, s->bodies);
	memset(s->isTooFar, 0, s->bodies);
	*out = s;
	return snug_success;
}

void contactScene_Destroy(contactScene* s)
{
	if (s != NULL)
	{
		free(s->memory);
		free(s);
	}
}

size_t contactScene_GetMemory(const contactScene* s)
{
	return sizeof(*s) + s->bytes;
}

snugStatus contactScene_Set(contactScene* s, uint32_t id, contactSpheres* own)
{
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

static uint32_t LevelOf(const contactScene* s, const contactSpheres* own)
{
	return s->level > 0 && s->level < own->tree->level ? s->level : own->tree->level;
}

static void BoundBody(contactScene* s, uint32_t id)
{
	contactSpheres* own = s->own[id];
	posedSphere scratch[2];
	uint64_t updates = 0;
	s->isTooFar[id] = contactSpheres_Begin(own, s->scene->origin, LevelOf(s, own)) != snug_success;
	if (s->isTooFar[id])
	{
		return;
	}
	const posedSphere* root = contactSpheres_Get(own, contactTree_Siblings(0), scratch, &updates);
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
	contactScene* s = context;
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

static uint32_t FindTooFar(const contactScene* s)
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

static void RefitTrees(contactScene* s)
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
	contactWalk walk; ///< first
	contactScene* s;
	Found* found;
} Storing;

static Block* TakeBlock(contactScene* s, Found* found)
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

static void Store(contactWalk* walk, uint32_t a, const posedSphere* sphereA, uint32_t b, const posedSphere* sphereB)
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
		block->contacts[block->count++] = sphereContact_Make(a, sphereA, b, sphereB);
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

static void WalkCandidate(contactScene* s, uint64_t number, Tally* tally)
{
	uint32_t a = (uint32_t)(s->scene->candidates[number] >> 32), b = (uint32_t)s->scene->candidates[number];
	s->found[number] = (Found){ 0, SG_NONE, SG_NONE };
	if (!posedSphere_Overlap(s->roots + a, s->roots + b, 1.0))
	{
		++tally->tests;
		return;
	}
	Storing storing = { .walk = { s->own[a], s->own[b], Store, false, 0, 0 }, .s = s, .found = s->found + number };
	contactWalk_Run(&storing.walk);
	tally->tests += storing.walk.tests;
	tally->updates += storing.walk.updates;
}

// Body by body as they lie in space, each with its candidates: neighbours meet the same bodies, whose spheres are in
// the cache then.
static void WalkTask(void* context, uint32_t index)
{
	contactScene* s = context;
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
static bool Gather(contactScene* s, contactSceneResult* result)
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
			    (contactPair){ (uint32_t)(pair >> 32), (uint32_t)pair, s->listCount, found->count };
		}
		for (uint32_t b = found->firstBlock; b != SG_NONE; b = s->room[b].next)
		{
			memcpy(s->list + s->listCount, s->room[b].contacts, s->room[b].count * sizeof(sphereContact));
			s->listCount += s->room[b].count;
		}
	}
	result->pairs = s->pairCount;
	return true;
}

static snugStatus Update(contactScene* s, contactSceneResult* result)
{
	snugScene* scene = s->scene;
	s->pairCount = s->listCount = 0;
	s->blockCount = s->tests = s->updates = 0;
	sgScene_Run(scene, s->bodies / BODIES_PER_TASK + 1, BoundTask, s);
	result->body = FindTooFar(s);
	if (result->body != SG_NONE)
	{
		return snug_outOfRange;
	}
	RefitTrees(s);
	if (!sgScene_FindCandidates(scene, &s->moving, &s->fixed, false, 0.0f, &result->candidates) ||
	    scene->candidateCount > s->candidates)
	{
		return snug_outOfRange;
	}
	sgScene_Run(scene, (s->moving.count + s->fixed.count) / WALKS_PER_TASK + 1, WalkTask, s);
	result->sphereTests = s->tests;
	result->spheresUpdated = s->updates;
	return Gather(s, result) ? snug_success : snug_outOfRange;
}

contactSceneResult contactScene_Update(contactScene* s, uint32_t level)
{
	contactSceneResult result = { .status = snug_success, .body = UINT32_MAX };
	s->level = level;
	s->scene->isUpdating = true;
	s->scene->callersEnvironment = sgFpEnv_Enter(); // tasks of the scene leave it
	result.status = Update(s, &result);
	sgFpEnv_Leave(s->scene->callersEnvironment);
	s->scene->isUpdating = false;
	return result;
}

const contactPair* contactScene_GetPairs(const contactScene* s, uint64_t* count)
{
	*count = s->pairCount;
	return s->pairs;
}

const sphereContact* contactScene_GetContacts(const contactScene* s, uint64_t* count)
{
	*count = s->listCount;
	return s->list;
}
