// gpu/crowd.c: see crowd.h.
#include "crowd.h"

#include <string.h>

void* sgCrowd_Take(snugCrowd* crowd, uint64_t bytes)
{
	SG_CHECK(crowd->blockCount < SG_CROWD_BLOCKS);
	void* memory = bytes < SG_MAX_SIZE ? crowd->device->methods->allocate(crowd->device, (size_t)bytes) : NULL;
	if (memory != NULL)
	{
		crowd->blocks[crowd->blockCount++] = (sgDeviceBlock){ memory, (size_t)bytes };
	}
	return memory;
}

static void ReleaseBlock(snugDevice* device, sgDeviceBlock* block)
{
	if (block->memory != NULL)
	{
		device->methods->release(device, block->memory, block->bytes);
	}
	*block = (sgDeviceBlock){ NULL, 0 };
}

// ---- Room -----------------------------------------------------------------------------------------------------------

#define MIB ((uint64_t)1 << 20)

static uint64_t OrDefault(uint64_t value, uint64_t standard)
{
	return value != 0 ? value : standard;
}

// As of a scene.
static void SetRoom(snugCrowd* crowd, const snugCrowdDef* def)
{
	const uint64_t bodies = crowd->world.bodyCount;
	crowd->room = (snugSceneRoom){
		.bodies = crowd->world.bodyCount,
		.candidates = OrDefault(def->room.candidates, 16 * bodies),
		.pairs = OrDefault(def->room.pairs, 4 * bodies),
		.trianglePairs = OrDefault(def->room.trianglePairs, 64 * bodies),
	};
	crowd->bytes = OrDefault(def->bytes, 64 * MIB + 65536 * bodies);
}

static bool IsRoomPossible(const snugSceneRoom* room)
{
	const uint64_t most = SG_GPU_COUNTLESS;
	return room->candidates < most && room->pairs < most && room->trianglePairs < most;
}

/// Numbers of groups, of leaves in them and of triangles in those are 32 bits.
#define MOST_GROUPS ((uint64_t)1 << 26)
#define MOST_ITEMS ((uint64_t)1 << 31)

static uint32_t Clamp(uint64_t count, uint64_t most)
{
	return (uint32_t)(count < 1 ? 1 : count < most ? count : most);
}

static bool TakeQueue(snugCrowd* crowd, uint64_t capacity, uint32_t* count, uint32_t bit, sgQueue* out)
{
	*out = (sgQueue){ .count = count, .capacity = (uint32_t)capacity, .bit = bit };
	out->items = sgCrowd_Take(crowd, OrDefault(capacity, 1) * sizeof(sgItem));
	return out->items != NULL;
}

// What is between takes most where vertices are: of a hundred bytes 82 are for groups.
static bool TakeBetween(snugCrowd* crowd)
{
	sgWorld* world = &crowd->world;
	sgCounts* counts = world->counts;
	const uint64_t group = sizeof(sgBoxLanes) + sizeof(sgItem) + world->vertexStride * sizeof(sgFloat4);
	const uint64_t percent = crowd->bytes / 100;
	world->groupCapacity = Clamp(82 * percent / group, MOST_GROUPS);
	world->owners = sgCrowd_Take(crowd, world->groupCapacity * (uint64_t)sizeof(sgItem));
	world->boxes = sgCrowd_Take(crowd, world->groupCapacity * (uint64_t)sizeof(sgBoxLanes));
	world->corners = sgCrowd_Take(crowd, world->groupCapacity * (uint64_t)world->vertexStride * sizeof(sgFloat4));
	const uint64_t items = Clamp(5 * percent / sizeof(sgItem), MOST_ITEMS);
	const uint64_t leaves = Clamp(6 * percent / sizeof(sgItem), MOST_ITEMS);
	const uint64_t unsure = Clamp(2 * percent / sizeof(sgItem), MOST_ITEMS);
	return world->owners != NULL && world->boxes != NULL && world->corners != NULL &&
	       TakeQueue(crowd, items, counts->items, sgFull_items, &world->items[0]) &&
	       TakeQueue(crowd, items, counts->items, sgFull_items, &world->items[1]) &&
	       TakeQueue(crowd, leaves, &counts->leafPairs, sgFull_leafPairs, &world->leafPairs) &&
	       TakeQueue(crowd, unsure, &counts->unsure, sgFull_unsure, &world->unsure);
}

static bool TakeResults(snugCrowd* crowd)
{
	sgWorld* world = &crowd->world;
	sgCounts* counts = world->counts;
	const snugSceneRoom* room = &crowd->room;
	world->pairCounts = sgCrowd_Take(crowd, (room->candidates + 1) * sizeof(uint32_t));
	world->ranks = sgCrowd_Take(crowd, (room->candidates + 1) * sizeof(uint32_t));
	world->touchedToo = sgCrowd_Take(crowd, (room->pairs + 1) * sizeof(sgItem));
	world->foundToo = sgCrowd_Take(crowd, (room->trianglePairs + 1) * sizeof(sgItem));
	world->firsts = sgCrowd_Take(crowd, (room->pairs + 1) * sizeof(uint32_t));
	world->cursors = sgCrowd_Take(crowd, (room->pairs + 1) * sizeof(uint32_t));
	world->chunks = sgCrowd_Take(crowd, (room->pairs / SG_GPU_CHUNK + 1) * sizeof(uint32_t));
	world->pairs = sgCrowd_Take(crowd, (room->pairs + 1) * sizeof(snugScenePair));
	world->bodyColumn = sgCrowd_Take(crowd, (room->pairs + 1) * sizeof(snugPair));
	world->offsetColumn = sgCrowd_Take(crowd, (room->pairs + 1) * sizeof(uint64_t));
	world->countColumn = sgCrowd_Take(crowd, (room->pairs + 1) * sizeof(uint64_t));
	world->trianglePairs = sgCrowd_Take(crowd, (room->trianglePairs + 1) * sizeof(snugPair));
	return world->pairCounts != NULL && world->ranks != NULL && world->touchedToo != NULL && world->foundToo != NULL &&
	       world->firsts != NULL && world->cursors != NULL && world->chunks != NULL && world->pairs != NULL &&
	       world->bodyColumn != NULL && world->offsetColumn != NULL && world->countColumn != NULL &&
	       world->trianglePairs != NULL &&
	       TakeQueue(crowd, room->candidates, &counts->candidates, sgFull_candidates, &world->candidates) &&
	       TakeQueue(crowd, room->pairs, &counts->touched, 0, &world->touched) &&
	       TakeQueue(crowd, room->trianglePairs, &counts->found, 0, &world->found);
}

static bool TakeRoom(snugCrowd* crowd)
{
	crowd->bodyBlocks = crowd->blockCount;
	return TakeBetween(crowd) && TakeResults(crowd);
}

static bool TakeBodies(snugCrowd* crowd)
{
	sgWorld* world = &crowd->world;
	const uint64_t bodies = OrDefault(world->bodyCount, 1);
	uint64_t nodes = OrDefault(sgWorld_LevelCount(world->bodyCount, 0), 1);
	uint32_t mostVertices = 1;
	while (sgWorld_LevelCount(world->bodyCount, crowd->topLevel) > 1)
	{
		nodes += sgWorld_LevelCount(world->bodyCount, ++crowd->topLevel);
	}
	for (uint32_t i = 0; i < crowd->modelCount; ++i)
	{
		const sgImage* image = crowd->images + i;
		mostVertices = image->vertexCount > mostVertices ? image->vertexCount : mostVertices;
	}
	world->images = sgCrowd_Take(crowd, OrDefault(crowd->modelCount, 1) * sizeof(sgImage));
	world->bodies = sgCrowd_Take(crowd, bodies * sizeof(sgBodyState));
	world->counts = sgCrowd_Take(crowd, sizeof(sgCounts));
	world->order[0] = sgCrowd_Take(crowd, bodies * sizeof(sgItem));
	world->order[1] = sgCrowd_Take(crowd, bodies * sizeof(sgItem));
	world->nodes = sgCrowd_Take(crowd, nodes * sizeof(sgBoxLanes));
	world->table = sgCrowd_Take(crowd, crowd->tableBytes);
	world->positions = sgCrowd_Take(crowd, mostVertices * (uint64_t)(3 * sizeof(float)));
	return world->images != NULL && world->bodies != NULL && world->counts != NULL && world->order[0] != NULL &&
	       world->order[1] != NULL && world->nodes != NULL && world->table != NULL && world->positions != NULL;
}

// ---- Creating -------------------------------------------------------------------------------------------------------

/// Eight to the tenth, the levels of the tree over bodies (TREE_LEVELS of kernels/broad.h).
#define MOST_BODIES ((uint64_t)1 << 30)

static snugStatus UploadModels(snugCrowd* crowd, const snugCrowdDef* def)
{
	uint64_t places = 0, bodies = 0;
	sgWorld* world = &crowd->world;
	crowd->levels = 1;
	world->vertexStride = 1;
	for (uint32_t i = 0; i < def->modelCount; ++i)
	{
		const snugCrowdModel* given = def->models + i;
		sgUploaded* uploaded = crowd->models + i;
		const snugStatus status = sgImage_Upload(crowd->device, given->model, uploaded);
		if (status == snug_badInput)
		{
			return sgFail(
			    &def->messenger, status, "model %u: crowds know rigid bodies, linear skins and fields only", i);
		}
		if (status != snug_success)
		{
			return sgFail(&def->messenger, status, "no memory for model %u", i);
		}
		sgImage* image = &uploaded->image;
		image->firstBody = (uint32_t)bodies;
		image->bodyCount = given->bodyCount;
		image->groups = given->groups != 0 ? given->groups : 1;
		image->mask = given->mask != 0 ? given->mask : UINT32_MAX;
		image->firstPlace = places;
		crowd->images[i] = *image;
		places += (uint64_t)image->groupCount * given->bodyCount;
		bodies += given->bodyCount;
		crowd->levels = uploaded->levels > crowd->levels ? uploaded->levels : crowd->levels;
		world->vertexStride = uploaded->mostCorners > world->vertexStride ? uploaded->mostCorners : world->vertexStride;
	}
	crowd->tableBytes = (places + 1) * sizeof(uint32_t);
	world->bodyCount = (uint32_t)bodies;
	return bodies <= MOST_BODIES ? snug_success : sgFail(&def->messenger, snug_outOfRange, "too many bodies");
}

static snugStatus Make(snugCrowd* crowd, const snugCrowdDef* def)
{
	const snugStatus status = UploadModels(crowd, def);
	if (status != snug_success)
	{
		return status;
	}
	SetRoom(crowd, def);
	if (!IsRoomPossible(&crowd->room))
	{
		return sgFail(&def->messenger, snug_outOfRange, "room for more of something than 32 bits can count");
	}
	if (!TakeBodies(crowd) || !TakeRoom(crowd))
	{
		return sgFail(
		    &def->messenger, snug_outOfMemory, "too little device memory for %u bodies", crowd->world.bodyCount);
	}
	crowd->device->methods->clear(crowd->device, crowd->world.table, (size_t)crowd->tableBytes);
	crowd->areImagesOld = true;
	return crowd->device->hasFailed ? snug_unavailable : snug_success;
}

snugStatus snugCrowd_Create(const snugCrowdDef* def, snugCrowd** out)
{
	SG_REQUIRE(out != NULL, snug_badArgument);
	*out = NULL;
	SG_REQUIRE(def != NULL && def->device != NULL && (def->models != NULL || def->modelCount == 0), snug_badArgument);
	SG_REQUIRE_RESERVED(def, snug_badArgument);
	for (uint32_t i = 0; i < def->modelCount; ++i)
	{
		SG_REQUIRE(def->models[i].model != NULL, snug_badArgument);
		SG_REQUIRE_RESERVED(def->models + i, snug_badArgument);
	}
	for (int k = 0; k < 3; ++k)
	{
		SG_REQUIRE(def->origin[k] - def->origin[k] == 0.0, snug_badArgument);
	}
	const snugAllocator* allocator = &def->device->allocator;
	const size_t count = def->modelCount;
	snugCrowd* crowd = sgAllocate(allocator, sizeof(snugCrowd));
	sgUploaded* models = sgAllocate(allocator, count * sizeof(sgUploaded));
	sgPoseRoom* poses = sgAllocate(allocator, count * sizeof(sgPoseRoom));
	sgImage* images = sgAllocate(allocator, count * sizeof(sgImage));
	if (crowd == NULL || models == NULL || poses == NULL || images == NULL)
	{
		sgRelease(allocator, images, count * sizeof(sgImage));
		sgRelease(allocator, poses, count * sizeof(sgPoseRoom));
		sgRelease(allocator, models, count * sizeof(sgUploaded));
		sgRelease(allocator, crowd, sizeof(snugCrowd));
		return sgFail(&def->messenger, snug_outOfMemory, "no memory for a crowd");
	}
	memset(models, 0, count * sizeof(sgUploaded));
	memset(poses, 0, count * sizeof(sgPoseRoom));
	*crowd = (snugCrowd){
		.device = def->device,
		.messenger = def->messenger,
		.modelCount = def->modelCount,
		.models = models,
		.poses = poses,
		.images = images,
		.world = { .imageCount = def->modelCount, .origin = { def->origin[0], def->origin[1], def->origin[2] } },
	};
	++def->device->crowdCount;
	const snugStatus status = Make(crowd, def);
	if (status != snug_success)
	{
		snugCrowd_Destroy(crowd);
		return status;
	}
	*out = crowd;
	return snug_success;
}

// What there was is released when there is more.
snugStatus snugCrowd_Reserve(snugCrowd* crowd, const snugSceneRoom* room, uint64_t bytes)
{
	SG_REQUIRE(crowd != NULL && room != NULL && !crowd->isUpdating, snug_badArgument);
	const snugCrowd before = *crowd;
	crowd->room.candidates = OrDefault(room->candidates, before.room.candidates);
	crowd->room.pairs = OrDefault(room->pairs, before.room.pairs);
	crowd->room.trianglePairs = OrDefault(room->trianglePairs, before.room.trianglePairs);
	crowd->bytes = OrDefault(bytes, before.bytes);
	crowd->blockCount = crowd->bodyBlocks;
	if (!IsRoomPossible(&crowd->room))
	{
		*crowd = before;
		return sgFail(&crowd->messenger, snug_outOfRange, "room for more of something than 32 bits can count");
	}
	const bool isGood = TakeRoom(crowd);
	const snugCrowd lesser = isGood ? before : *crowd;
	for (uint32_t i = lesser.bodyBlocks; i < lesser.blockCount; ++i)
	{
		sgDeviceBlock block = lesser.blocks[i];
		ReleaseBlock(crowd->device, &block);
	}
	if (!isGood)
	{
		*crowd = before;
		return sgFail(&crowd->messenger, snug_outOfMemory, "too little device memory for more room");
	}
	crowd->hasResults = false;
	sgCrowd_Forget(crowd);
	return snug_success;
}

void snugCrowd_Destroy(snugCrowd* crowd)
{
	if (crowd == NULL)
	{
		return;
	}
	snugDevice* device = crowd->device;
	const size_t count = crowd->modelCount;
	device->methods->wait(device);
	sgCrowd_Forget(crowd);
	for (uint32_t i = 0; i < crowd->blockCount; ++i)
	{
		ReleaseBlock(device, crowd->blocks + i);
	}
	for (uint32_t i = 0; i < crowd->modelCount; ++i)
	{
		ReleaseBlock(device, &crowd->poses[i].joints);
		ReleaseBlock(device, &crowd->poses[i].amplitudes);
		ReleaseBlock(device, &crowd->poses[i].frames);
		sgUploaded_Release(crowd->models + i, device);
	}
	sgRelease(&device->allocator, crowd->images, count * sizeof(sgImage));
	sgRelease(&device->allocator, crowd->poses, count * sizeof(sgPoseRoom));
	sgRelease(&device->allocator, crowd->models, count * sizeof(sgUploaded));
	--device->crowdCount;
	sgRelease(&device->allocator, crowd, sizeof(snugCrowd));
}

void sgCrowd_UploadImages(snugCrowd* crowd)
{
	snugDevice* device = crowd->device;
	if (crowd->areImagesOld)
	{
		void* to = (void*)(uintptr_t)crowd->world.images;
		device->methods->upload(device, to, crowd->images, crowd->modelCount * sizeof(sgImage));
		crowd->areImagesOld = false;
	}
}

// ---- Poses ----------------------------------------------------------------------------------------------------------

// Where poses are to be read: where they are, or a copy in memory of ours.
// @return false if there is no memory for that
static bool Keep(
    snugCrowd* crowd, sgDeviceBlock* block, const void* given, uint64_t bytes, bool isOnDevice, const void** at)
{
	snugDevice* device = crowd->device;
	if (isOnDevice)
	{
		*at = given;
		return true;
	}
	if (block->memory == NULL && bytes < SG_MAX_SIZE)
	{
		block->bytes = (size_t)OrDefault(bytes, 1);
		block->memory = device->methods->allocate(device, block->bytes);
	}
	if (block->memory == NULL)
	{
		return false;
	}
	device->methods->upload(device, block->memory, given, (size_t)bytes);
	*at = block->memory;
	return true;
}

static bool KeepAll(snugCrowd* crowd, uint32_t model, const snugCrowdPoses* poses)
{
	sgImage* image = crowd->images + model;
	sgPoseRoom* room = crowd->poses + model;
	const uint64_t count = image->bodyCount;
	const void* at = NULL;
	bool isGood = true;
	if (poses->joints != NULL)
	{
		const uint64_t floats = 12 * (uint64_t)image->jointCount;
		isGood = Keep(crowd, &room->joints, poses->joints, count * floats * sizeof(float), poses->isOnDevice, &at);
		image->palettes = isGood ? at : image->palettes;
		image->paletteStride = isGood ? floats : image->paletteStride;
	}
	if (poses->amplitudes != NULL && isGood)
	{
		const uint64_t bytes = count * image->fieldCount * sizeof(float);
		isGood = Keep(crowd, &room->amplitudes, poses->amplitudes, bytes, poses->isOnDevice, &at);
		image->amplitudes = isGood ? at : image->amplitudes;
	}
	if (poses->frames != NULL && isGood)
	{
		isGood = Keep(crowd, &room->frames, poses->frames, count * sizeof(snugFrame), poses->isOnDevice, &at);
		image->frames = isGood ? at : image->frames;
	}
	return isGood;
}

snugStatus snugCrowd_SetPoses(snugCrowd* crowd, uint32_t model, const snugCrowdPoses* poses)
{
	SG_REQUIRE(crowd != NULL && poses != NULL && !crowd->isUpdating && model < crowd->modelCount, snug_badArgument);
	SG_REQUIRE_RESERVED(poses, snug_badArgument);
	const sgImage* image = crowd->images + model;
	SG_REQUIRE(poses->joints == NULL || image->isSkin != 0, snug_badArgument);
	SG_REQUIRE(poses->amplitudes == NULL || image->fieldCount > 0, snug_badArgument);
	SG_REQUIRE(!poses->isOnDevice || (uintptr_t)poses->joints % 16 == 0, snug_badArgument);
	crowd->areImagesOld = true;
	if (!KeepAll(crowd, model, poses))
	{
		return sgFail(&crowd->messenger, snug_outOfMemory, "no device memory for the poses of model %u", model);
	}
	return crowd->device->hasFailed ? snug_unavailable : snug_success;
}
