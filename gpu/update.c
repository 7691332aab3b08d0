// gpu/update.c: what touches. See crowd.h; kernels/ has the work itself.
//
// An update is a row of kernels that are enqueued, with room for everything guessed. If something finds no room,
// whoever waits for the result does it again in portions of candidates, half as many each time: results of portions are
// what they would be together.
#include "crowd.h"

#include <string.h>

static uint64_t Groups(uint64_t count)
{
	return count / SG_GPU_LANES + 1;
}

static void Launch(snugCrowd* crowd, sgKernel kernel, const sgStep* step, uint64_t tasks)
{
	snugDevice* device = crowd->device;
	if (!device->hasFailed)
	{
		device->methods->launch(device, kernel, &crowd->world, step, tasks);
	}
}

// ---- The update as it is enqueued -----------------------------------------------------------------------------------

// Pairs that the caller asks about. Those of the host wait where triangles that touch will be.
static void ListCandidates(snugCrowd* crowd)
{
	sgWorld* world = &crowd->world;
	const snugCrowdQuery* query = &crowd->query;
	snugDevice* device = crowd->device;
	const sgStep step = { .last = (uint32_t)query->bodyPairCount };
	world->listed = query->bodyPairs;
	if (!query->isOnDevice && !device->hasFailed)
	{
		world->listed = (const snugPair*)(const void*)world->touched.items;
		device->methods->upload(device, world->touched.items, query->bodyPairs, step.last * sizeof(snugPair));
	}
	Launch(crowd, sgKernel_isListPairs, &step, Groups(step.last));
}

static void FindCandidates(snugCrowd* crowd)
{
	const sgStep step = { .level = crowd->topLevel };
	Launch(crowd, sgKernel_isOrder, &step, Groups(crowd->world.bodyCount));
	Launch(crowd, sgKernel_isFindPairs, &step, sgWorld_LevelCount(crowd->world.bodyCount, 0));
}

// Numbers in the table that are greater than `base` are this portion's.
static uint32_t NextBase(snugCrowd* crowd)
{
	const uint32_t capacity = crowd->world.groupCapacity;
	if (crowd->lastBase > UINT32_MAX - 3 * capacity)
	{
		crowd->device->methods->clear(crowd->device, crowd->world.table, (size_t)crowd->tableBytes);
		crowd->lastBase = 0;
	}
	const uint32_t base = crowd->lastBase;
	crowd->lastBase += capacity;
	return base;
}

// Candidates from `first` on, before `last`.
static void Search(snugCrowd* crowd, uint32_t first, uint32_t last)
{
	const uint64_t many = UINT32_MAX;
	sgStep step = { .first = first, .last = last, .base = NextBase(crowd) };
	step.storesPairs = crowd->query.trianglePairs ? 1 : 0;
	Launch(crowd, sgKernel_isStart, &step, many);
	for (step.level = 0; step.level < crowd->levels; ++step.level)
	{
		Launch(crowd, sgKernel_isMake, &step, many);
		Launch(crowd, sgKernel_isCompare, &step, many);
	}
	Launch(crowd, sgKernel_isLeaves, &step, many);
	Launch(crowd, sgKernel_isExact, &step, many);
}

static void Collect(snugCrowd* crowd)
{
	const sgStep step = {
		.storesPairs = crowd->query.trianglePairs ? 1 : 0,
		.isListed = crowd->query.bodyPairs != NULL,
		.isUnsorted = crowd->query.unsorted ? 1 : 0,
	};
	Launch(crowd, sgKernel_isCollect, &step, UINT32_MAX);
}

static bool IsListTooLong(const snugCrowd* crowd)
{
	const uint64_t count = crowd->query.bodyPairs != NULL ? crowd->query.bodyPairCount : 0;
	return count > crowd->room.candidates || count > crowd->room.pairs;
}

snugStatus snugCrowd_Update(snugCrowd* crowd, const snugCrowdQuery* query)
{
	SG_REQUIRE(crowd != NULL && !crowd->isUpdating, snug_badArgument);
	if (query != NULL)
	{
		SG_REQUIRE_RESERVED(query, snug_badArgument);
		SG_REQUIRE(query->bodyPairs != NULL || query->bodyPairCount == 0, snug_badArgument);
	}
	const snugCrowdQuery none = { 0 };
	snugDevice* device = crowd->device;
	crowd->query = query != NULL ? *query : none;
	crowd->hasResults = false;
	sgCrowd_Forget(crowd);
	sgCrowd_UploadImages(crowd);
	if (!device->hasFailed)
	{
		device->methods->clear(device, crowd->world.counts, sizeof(sgCounts));
	}
	crowd->isUpdating = true;
	if (IsListTooLong(crowd))
	{
		return snug_success; // whoever waits is told
	}
	const sgStep step = { .level = 0 };
	Launch(crowd, sgKernel_isRoots, &step, crowd->world.bodyCount);
	if (crowd->query.bodyPairs != NULL)
	{
		ListCandidates(crowd);
	}
	else
	{
		FindCandidates(crowd);
	}
	Search(crowd, 0, UINT32_MAX);
	Collect(crowd);
	return device->hasFailed ? snug_unavailable : snug_success;
}

// ---- Portions -------------------------------------------------------------------------------------------------------

static sgCounts ReadCounts(snugCrowd* crowd)
{
	sgCounts counts = { 0 };
	if (!crowd->device->hasFailed)
	{
		crowd->device->methods->download(crowd->device, &counts, crowd->world.counts, sizeof(counts));
	}
	return counts;
}

// What a portion counts, and what it found if it is to be done again.
static void ClearPortion(snugCrowd* crowd, uint32_t found)
{
	snugDevice* device = crowd->device;
	sgCounts* counts = crowd->world.counts;
	device->methods->clear(device, &counts->isFull, sizeof(sgCounts) - offsetof(sgCounts, isFull));
	device->methods->upload(device, &counts->found, &found, sizeof(found));
}

/// What an update that found too little memory for what is between needs.
static const uint32_t betweenBits = sgFull_groups | sgFull_items | sgFull_leafPairs | sgFull_unsure;

// All candidates again, as many at a time as there is memory for.
// @return false if there is too little for one
static bool SearchInPortions(snugCrowd* crowd, sgCounts* counts)
{
	const uint32_t count = counts->candidates;
	uint64_t first = 0, size = count;
	uint32_t found = 0;
	crowd->result.portions = 0;
	while (first < count && !crowd->device->hasFailed)
	{
		size = size > 1 && (counts->isFull & betweenBits) != 0 ? size / 2 : size;
		const uint64_t last = first + size < count ? first + size : count;
		ClearPortion(crowd, found);
		Search(crowd, (uint32_t)first, (uint32_t)last);
		*counts = ReadCounts(crowd);
		if ((counts->isFull & betweenBits) == 0)
		{
			first = last;
			found = counts->found;
			++crowd->result.portions;
		}
		else if (last - first == 1)
		{
			return false;
		}
	}
	Collect(crowd);
	*counts = ReadCounts(crowd);
	return true;
}

// Nothing is known of what comes after the first that found no room: so twice as much, or as it says.
static uint64_t NeededBytes(const snugCrowd* crowd, const sgCounts* counts)
{
	uint64_t most = 2;
	const sgWorld* world = &crowd->world;
	const uint64_t shares[] = { counts->groups / world->groupCapacity, counts->leafPairs / world->leafPairs.capacity,
		counts->unsure / world->unsure.capacity };
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); ++i)
	{
		most = shares[i] + 1 > most ? shares[i] + 1 : most;
	}
	return most * crowd->bytes;
}

// ---- Results --------------------------------------------------------------------------------------------------------

static snugStatus Refused(snugCrowd* crowd, const sgCounts* counts)
{
	snugCrowdResult* result = &crowd->result;
	result->body = UINT32_MAX - counts->refused;
	if (counts->tooFar == counts->refused)
	{
		return sgFail(&crowd->messenger, snug_outOfRange, "body %u is too far away", result->body);
	}
	return sgFail(&crowd->messenger, snug_badInput,
	    "body %u: its pose or frame is not finite, or its quaternion is not of unit length", result->body);
}

static snugStatus Wrong(snugCrowd* crowd, const sgCounts* counts)
{
	return sgFail(&crowd->messenger, snug_badInput, "pair %u of those asked about is not of two of the %u bodies",
	    UINT32_MAX - counts->wrong, crowd->world.bodyCount);
}

static bool LacksRoom(snugCrowd* crowd, const sgCounts* counts)
{
	snugSceneRoom* needed = &crowd->result.needed;
	needed->candidates = counts->candidates > crowd->room.candidates ? counts->candidates : 0;
	needed->pairs = counts->touched > crowd->room.pairs ? counts->touched : 0;
	needed->trianglePairs = counts->found > crowd->room.trianglePairs ? counts->found : 0;
	return needed->candidates != 0 || needed->pairs != 0 || needed->trianglePairs != 0;
}

static snugStatus Finish(snugCrowd* crowd)
{
	snugCrowdResult* result = &crowd->result;
	if (IsListTooLong(crowd))
	{
		result->needed.candidates = result->needed.pairs = crowd->query.bodyPairCount;
		return sgFail(&crowd->messenger, snug_outOfRange, "too little room for what was asked about");
	}
	sgCounts counts = ReadCounts(crowd);
	result->portions = 1;
	if (crowd->device->hasFailed)
	{
		return snug_unavailable;
	}
	if ((counts.isFull & sgFull_refused) != 0)
	{
		return Refused(crowd, &counts);
	}
	if ((counts.isFull & sgFull_wrong) != 0)
	{
		return Wrong(crowd, &counts);
	}
	result->candidates = counts.candidates;
	if ((counts.isFull & betweenBits) != 0 && (counts.isFull & sgFull_candidates) == 0 &&
	    !SearchInPortions(crowd, &counts))
	{
		result->neededBytes = NeededBytes(crowd, &counts);
		return sgFail(&crowd->messenger, snug_outOfRange, "two bodies need more than %llu bytes of device memory",
		    (unsigned long long)crowd->bytes);
	}
	result->neededBytes = result->portions > 1 ? 2 * crowd->bytes : 0;
	if (LacksRoom(crowd, &counts))
	{
		return sgFail(&crowd->messenger, snug_outOfRange, "too little room for what was found");
	}
	result->count = counts.touched;
	result->trianglePairs = counts.found;
	return crowd->device->hasFailed ? snug_unavailable : snug_success;
}

snugCrowdResult snugCrowd_Wait(snugCrowd* crowd)
{
	snugCrowdResult bad = { .status = snug_badArgument, .body = SNUG_NONE };
	SG_REQUIRE(crowd != NULL && crowd->isUpdating, bad);
	crowd->isUpdating = false;
	crowd->result = (snugCrowdResult){ .body = SNUG_NONE };
	crowd->result.status = Finish(crowd);
	crowd->hasResults = crowd->result.status == snug_success;
	return crowd->result;
}

// ---- Reading --------------------------------------------------------------------------------------------------------

static void ForgetOne(snugCrowd* crowd, sgFetched* fetched)
{
	sgRelease(&crowd->device->allocator, fetched->memory, fetched->bytes);
	*fetched = (sgFetched){ NULL, 0 };
}

void sgCrowd_Forget(snugCrowd* crowd)
{
	ForgetOne(crowd, &crowd->pairs);
	ForgetOne(crowd, &crowd->trianglePairs);
}

static const void* Fetch(snugCrowd* crowd, bool isOnDevice, const void* there, size_t bytes, sgFetched* fetched)
{
	snugDevice* device = crowd->device;
	if (isOnDevice)
	{
		return there;
	}
	if (fetched->memory == NULL)
	{
		fetched->bytes = bytes;
		fetched->memory = sgAllocate(&device->allocator, bytes);
		if (fetched->memory != NULL)
		{
			device->methods->download(device, fetched->memory, there, bytes);
		}
	}
	return device->hasFailed ? NULL : fetched->memory;
}

const snugScenePair* snugCrowd_GetPairs(snugCrowd* crowd, bool isOnDevice, uint64_t* count)
{
	SG_REQUIRE(crowd != NULL && count != NULL, NULL);
	*count = crowd->hasResults ? crowd->result.count : 0;
	const size_t bytes = (size_t)*count * sizeof(snugScenePair);
	return crowd->hasResults ? Fetch(crowd, isOnDevice, crowd->world.pairs, bytes, &crowd->pairs) : NULL;
}

snugCrowdColumns snugCrowd_GetColumns(const snugCrowd* crowd)
{
	const snugCrowdColumns none = { 0 };
	SG_REQUIRE(crowd != NULL && !crowd->isUpdating, none);
	const sgWorld* world = &crowd->world;
	return !crowd->hasResults ? none
	                          : (snugCrowdColumns){ .count = crowd->result.count,
		                            .bodies = world->bodyColumn,
		                            .offsets = world->offsetColumn,
		                            .counts = world->countColumn };
}

const snugPair* snugCrowd_GetTrianglePairs(snugCrowd* crowd, bool isOnDevice, uint64_t* count)
{
	SG_REQUIRE(crowd != NULL && count != NULL, NULL);
	*count = crowd->hasResults ? crowd->result.trianglePairs : 0;
	const size_t bytes = (size_t)*count * sizeof(snugPair);
	return crowd->hasResults ? Fetch(crowd, isOnDevice, crowd->world.trianglePairs, bytes, &crowd->trianglePairs)
	                         : NULL;
}

snugStatus snugCrowd_GetVertices(snugCrowd* crowd, uint32_t body, float* positions)
{
	SG_REQUIRE(crowd != NULL && positions != NULL && !crowd->isUpdating, snug_badArgument);
	SG_REQUIRE(crowd->hasResults && body < crowd->world.bodyCount, snug_badArgument);
	snugDevice* device = crowd->device;
	uint32_t model = 0;
	while (model + 1 < crowd->modelCount && body >= crowd->images[model + 1].firstBody)
	{
		++model;
	}
	const sgStep step = { .body = body };
	const sgImage* image = crowd->images + model;
	Launch(crowd, sgKernel_isVertices, &step, Groups(image->recordCount));
	const size_t bytes = image->vertexCount * 3 * sizeof(float);
	if (!device->hasFailed)
	{
		device->methods->download(device, positions, crowd->world.positions, bytes);
	}
	return device->hasFailed ? snug_unavailable : snug_success;
}
