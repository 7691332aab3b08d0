// src/scene/room.c: making scenes, and the memory of them. See scene.h.
#include "scene/scene.h"

#include <string.h>

uint64_t sgScene_BlockCount(const snugSceneRoom* room)
{
	return room->trianglePairs / SG_BLOCK_PAIRS + room->pairs + 1;
}

// A candidate needs two or so, and bodies have eight at most. Those without a place are made for each candidate anew.
uint64_t sgScene_DeeperCount(const snugSceneRoom* room)
{
	uint64_t most = SG_LANES * (uint64_t)room->bodies, enough = room->bodies + room->candidates;
	return enough < most ? enough : most;
}

/// What the length of an array follows from.
typedef enum Kind
{
	kind_bodies,
	kind_deeper,
	kind_keys,
	kind_groups,
	kind_candidates,
	kind_pairs,
	kind_trianglePairs,
	kind_blocks,
	kind_starts
} Kind;

static uint64_t LengthOf(Kind kind, const snugSceneRoom* room)
{
	switch (kind)
	{
		case kind_bodies:
			return room->bodies;
		case kind_deeper:
			return sgScene_DeeperCount(room);
		case kind_keys:
			return 2 * (uint64_t)room->bodies;
		case kind_groups:
			return sgBroad_GroupCount(room->bodies);
		case kind_candidates:
			return room->candidates;
		case kind_pairs:
			return room->pairs;
		case kind_trianglePairs:
			return room->trianglePairs;
		case kind_blocks:
			return sgScene_BlockCount(room);
		default:
			return SG_SCENE_STARTS;
	}
}

/// An array of a scene: where its address is, and what it is made of.
typedef struct Array
{
	size_t place;
	size_t bytes; ///< of an element
	Kind kind;
} Array;

#define ARRAY(member, kind)                                                 \
	{                                                                       \
		offsetof(snugScene, member), sizeof(*((snugScene*)0)->member), kind \
	}

static const Array arrays[] = {
	ARRAY(bodies, kind_bodies),
	ARRAY(shapes, kind_bodies),
	ARRAY(boxes, kind_bodies),
	ARRAY(opened, kind_bodies),
	ARRAY(below, kind_bodies),
	ARRAY(deeper, kind_deeper),
	ARRAY(isActive, kind_bodies),
	ARRAY(list, kind_bodies),
	ARRAY(moving.order, kind_bodies),
	ARRAY(moving.places, kind_bodies),
	ARRAY(moving.groups, kind_groups),
	ARRAY(moving.active, kind_groups),
	ARRAY(moving.keys, kind_keys),
	ARRAY(fixed.order, kind_bodies),
	ARRAY(fixed.places, kind_bodies),
	ARRAY(fixed.groups, kind_groups),
	ARRAY(fixed.active, kind_groups),
	ARRAY(fixed.keys, kind_keys),
	ARRAY(round.order, kind_bodies),
	ARRAY(round.places, kind_bodies),
	ARRAY(round.groups, kind_groups),
	ARRAY(round.active, kind_groups),
	ARRAY(round.keys, kind_keys),
	ARRAY(candidates, kind_candidates),
	ARRAY(scratch, kind_candidates),
	ARRAY(searches, kind_candidates),
	ARRAY(starts, kind_starts),
	ARRAY(blocks, kind_blocks),
	ARRAY(frames[0].pairs, kind_pairs),
	ARRAY(frames[0].witnesses, kind_pairs),
	ARRAY(frames[0].users, kind_pairs),
	ARRAY(frames[0].endedUsers, kind_pairs),
	ARRAY(frames[0].trianglePairs, kind_trianglePairs),
	ARRAY(frames[0].places, kind_trianglePairs),
	ARRAY(frames[0].begun, kind_pairs),
	ARRAY(frames[0].persisting, kind_pairs),
	ARRAY(frames[0].ended, kind_pairs),
	ARRAY(frames[1].pairs, kind_pairs),
	ARRAY(frames[1].witnesses, kind_pairs),
	ARRAY(frames[1].users, kind_pairs),
	ARRAY(frames[1].endedUsers, kind_pairs),
	ARRAY(frames[1].trianglePairs, kind_trianglePairs),
	ARRAY(frames[1].places, kind_trianglePairs),
	ARRAY(frames[1].begun, kind_pairs),
	ARRAY(frames[1].persisting, kind_pairs),
	ARRAY(frames[1].ended, kind_pairs),
};

enum
{
	ARRAYS = sizeof(arrays) / sizeof(arrays[0])
};

static void** PlaceOf(snugScene* scene, const Array* array)
{
	return (void**)(void*)((char*)scene + array->place);
}

// SG_MAX_SIZE, which sgAllocate refuses, if it is larger.
static size_t BytesOf(const Array* array, const snugSceneRoom* room)
{
	uint64_t length = LengthOf(array->kind, room);
	return length < SG_MAX_SIZE / array->bytes ? (size_t)length * array->bytes : SG_MAX_SIZE;
}

// Larger arrays, with what was in the old ones; whatever else is in them is never read. All or none.
static bool Resize(snugScene* scene, const snugSceneRoom* room)
{
	void* made[ARRAYS] = { NULL };
	for (int i = 0; i < ARRAYS; ++i)
	{
		size_t bytes = BytesOf(arrays + i, room), before = BytesOf(arrays + i, &scene->room);
		void* old = *PlaceOf(scene, arrays + i);
		made[i] = old != NULL && bytes == before ? old : sgAllocate(&scene->allocator, bytes);
		if (made[i] == NULL)
		{
			for (; i >= 0; --i)
			{
				bool isNew = made[i] != *PlaceOf(scene, arrays + i);
				sgRelease(&scene->allocator, isNew ? made[i] : NULL, BytesOf(arrays + i, room));
			}
			return false;
		}
	}
	for (int i = 0; i < ARRAYS; ++i)
	{
		void** place = PlaceOf(scene, arrays + i);
		if (made[i] != *place && *place != NULL)
		{
			memcpy(made[i], *place, BytesOf(arrays + i, &scene->room));
			sgRelease(&scene->allocator, *place, BytesOf(arrays + i, &scene->room));
		}
		*place = made[i];
	}
	scene->room = *room;
	scene->moving.capacity = scene->fixed.capacity = scene->round.capacity = room->bodies;
	return true;
}

static uint64_t OrDefault(uint64_t number, uint64_t standard)
{
	return number != 0 ? number : standard;
}

static snugSceneRoom FillIn(const snugSceneRoom* room)
{
	uint32_t bodies = room->bodies != 0 ? room->bodies : 64;
	return (snugSceneRoom){
		.bodies = bodies,
		.candidates = OrDefault(room->candidates, 16 * (uint64_t)bodies),
		.pairs = OrDefault(room->pairs, 4 * (uint64_t)bodies),
		.trianglePairs = OrDefault(room->trianglePairs, 64 * (uint64_t)bodies),
	};
}

// Lists and pairs are numbered with 32 bits, and one of those numbers means none.
static bool IsPossible(const snugSceneRoom* room)
{
	const uint64_t limit = UINT32_MAX / 2;
	return room->bodies < limit && room->candidates < limit && room->pairs < limit && sgScene_BlockCount(room) < limit;
}

snugStatus snugScene_Create(const snugSceneDef* def, snugScene** out)
{
	SG_REQUIRE(out != NULL, snug_badArgument);
	*out = NULL;
	SG_REQUIRE(def != NULL && sgAllocator_IsValid(&def->allocator), snug_badArgument);
	SG_REQUIRE_RESERVED(def, snug_badArgument);
	SG_REQUIRE_RESERVED(&def->room, snug_badArgument);
	SG_REQUIRE(sgIsFinitePoint(def->origin), snug_badArgument);
	snugAllocator allocator = sgAllocator_OrDefault(def->allocator);
	snugSceneRoom room = FillIn(&def->room);
	if (!IsPossible(&room))
	{
		return sgFail(&def->messenger, snug_outOfRange, "a scene of %u bodies is too large", room.bodies);
	}
	snugScene* scene = sgAllocate(&allocator, sizeof(snugScene));
	if (scene == NULL)
	{
		return sgFail(&def->messenger, snug_outOfMemory, "no memory for a scene");
	}
	*scene = (snugScene){
		.allocator = allocator,
		.messenger = def->messenger,
		.origin = { def->origin[0], def->origin[1], def->origin[2] },
		.workers = def->workers,
		.filter = def->filter,
		.filterUser = def->filterUser,
		.isNew = true,
		.lock = ATOMIC_FLAG_INIT,
	};
	scene->frame = scene->frames;
	scene->next = scene->frames + 1;
	if (!Resize(scene, &room))
	{
		sgRelease(&allocator, scene, sizeof(snugScene));
		return sgFail(&def->messenger, snug_outOfMemory, "no memory for a scene of %u bodies", room.bodies);
	}
	*out = scene;
	return snug_success;
}

void snugScene_Destroy(snugScene* scene)
{
	if (scene == NULL)
	{
		return;
	}
	SG_REQUIRE(!scene->isUpdating, );
	for (uint32_t id = 0; id < scene->bodyCount; ++id)
	{
		if (sgScene_IsBody(scene, id))
		{
			scene->bodies[id].body->owner = NULL;
		}
	}
	snugAllocator allocator = scene->allocator;
	for (int i = 0; i < ARRAYS; ++i)
	{
		sgRelease(&allocator, *PlaceOf(scene, arrays + i), BytesOf(arrays + i, &scene->room));
	}
	sgRelease(&allocator, scene, sizeof(snugScene));
}

static uint64_t Grown(uint64_t now, uint64_t wanted)
{
	const uint64_t ample = now + now / 2;
	return wanted <= now ? now : wanted < ample ? ample : wanted;
}

snugStatus snugScene_Reserve(snugScene* scene, const snugSceneRoom* room)
{
	SG_REQUIRE(scene != NULL && room != NULL && !scene->isUpdating, snug_badArgument);
	SG_REQUIRE_RESERVED(room, snug_badArgument);
	const snugSceneRoom* now = &scene->room;
	const snugSceneRoom wanted = {
		.bodies = (uint32_t)Grown(now->bodies, room->bodies),
		.candidates = Grown(now->candidates, room->candidates),
		.pairs = Grown(now->pairs, room->pairs),
		.trianglePairs = Grown(now->trianglePairs, room->trianglePairs),
	};
	if (!IsPossible(&wanted))
	{
		return sgFail(&scene->messenger, snug_outOfRange, "a scene cannot be so large");
	}
	return Resize(scene, &wanted) ? snug_success
	                              : sgFail(&scene->messenger, snug_outOfMemory, "no memory for a larger scene");
}

snugSceneRoom snugScene_GetRoom(const snugScene* scene)
{
	SG_REQUIRE(scene != NULL, (snugSceneRoom){ 0 });
	return scene->room;
}

size_t snugScene_GetMemory(const snugScene* scene)
{
	SG_REQUIRE(scene != NULL, 0);
	size_t bytes = sizeof(snugScene);
	for (int i = 0; i < ARRAYS; ++i)
	{
		bytes += BytesOf(arrays + i, &scene->room);
	}
	return bytes;
}
