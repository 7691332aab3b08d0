// src/scene/rays.c: rays through all bodies of a scene: each is cast at those whose boxes it enters, in that order,
// until it has hit one before it enters the next.
#include "query/probe.h"
#include "scene/scene.h"
#include "tree/probe_kernels.h"

#include <math.h>
#include <string.h>

/// Where a ray enters a box: t; 2 if it misses it. Off by less than 2^-40 of itself, which is made up for: boxes
/// contain placed vertices, differences and quotients round once each.
static double EnterBox(const snugRay* ray, const sgBox* box)
{
	double entry = 0.0, exit = 1.0;
	for (int k = 0; k < 3; ++k)
	{
		const double along = (double)ray->to[k] - ray->from[k];
		if (along == 0.0)
		{
			exit = box->lower[k] <= ray->from[k] && ray->from[k] <= box->upper[k] ? exit : -1.0;
			continue;
		}
		const double atLower = ((double)box->lower[k] - ray->from[k]) / along;
		const double atUpper = ((double)box->upper[k] - ray->from[k]) / along;
		const double first = atLower < atUpper ? atLower : atUpper, last = atLower < atUpper ? atUpper : atLower;
		entry = first > entry ? first : entry;
		exit = last < exit ? last : exit;
	}
	entry *= 1.0 - 0x1p-40;
	return entry <= exit * (1.0 + 0x1p-40) ? entry : 2.0;
}

/// A body that a ray may hit, and where it enters its box.
typedef struct Entry
{
	float t; ///< or less
	uint32_t id;
} Entry;

static bool IsEarlier(Entry a, Entry b)
{
	return a.t < b.t || (a.t == b.t && a.id < b.id);
}

/// Bodies that a ray is cast at in order before others are looked for. Few rays get that far.
#define MAX_ENTRIES 16

// Boxes of the listed bodies, side by side, where updates have others: for each ray they are looked at all.
static void PackBoxes(snugScene* scene)
{
	const sgBox empty = sgBox_Empty();
	// Two loops: of one with both conditions clang 14 and 18 make code that misses boxes.
	uint32_t count = 0;
	for (; count < scene->listCount; ++count)
	{
		sgBoxLanes_Set(scene->deeper + count / SG_LANES, count % SG_LANES, scene->boxes + scene->list[count]);
	}
	for (; count % SG_LANES != 0; ++count)
	{
		sgBoxLanes_Set(scene->deeper + count / SG_LANES, count % SG_LANES, &empty);
	}
}

// The first bodies that a ray enters after one, in order; in the order of ids if any hit will do.
static uint32_t FindEntries(
    const snugScene* scene, const sgProbe* probe, bool any, Entry after, float limit, Entry entries[MAX_ENTRIES])
{
	const sgProbeKernels* kernels = sgGetKernels()->probes;
	uint32_t count = 0;
	for (uint32_t first = 0; first < scene->listCount; first += SG_LANES)
	{
		float SG_ALIGN(32) keys[SG_LANES];
		uint32_t met = kernels->clipBoxes(scene->deeper + first / SG_LANES, probe, limit, keys);
		for (; met != 0 && first + sgLowestBit(met) < scene->listCount; met &= met - 1)
		{
			const uint32_t lane = sgLowestBit(met);
			const Entry entry = { any ? 0.0f : keys[lane], scene->list[first + lane] };
			const bool isFull = count == MAX_ENTRIES;
			if (!IsEarlier(after, entry) || (isFull && !IsEarlier(entry, entries[count - 1])))
			{
				continue;
			}
			uint32_t place = isFull ? count - 1 : count;
			count += !isFull;
			for (; place > 0 && IsEarlier(entry, entries[place - 1]); --place)
			{
				entries[place] = entries[place - 1];
			}
			entries[place] = entry;
		}
	}
	return count;
}

// Of equal ones the smallest id stays.
static void Improve(snugRayHit* best, const snugRayHit* hit, uint32_t id)
{
	if (hit->t < best->t || (hit->t == best->t && id < best->body && hit->triangle != SNUG_NONE))
	{
		*best = *hit;
		best->body = id;
	}
}

// What a ray hits later than the first so far, it need not be cast at. t is right to 2^-38.
static float LimitOf(const snugRayHit* best)
{
	return sgRoundUp(fmin(best->t * (1.0 + 0x1p-36), 1.0));
}

static snugStatus CastRay(snugScene* scene, const snugRay* ray, const snugRayQuery* asked, snugRayHit* best)
{
	static const sgPlacement inScene = { .isIdentity = true };
	const sgProbe probe = sgProbe_Make(&inScene, ray->from, ray->to);
	Entry entries[MAX_ENTRIES], after = { -INFINITY, 0 };
	uint32_t count = MAX_ENTRIES;
	while (count == MAX_ENTRIES)
	{
		count = FindEntries(scene, &probe, asked->any, after, LimitOf(best), entries);
		for (uint32_t i = 0; i < count && entries[i].t <= LimitOf(best); ++i)
		{
			snugRayHit hit;
			const snugResult result = snugCastRays(scene->bodies[entries[i].id].body, ray, 1, &hit, asked);
			sgScene_Count(scene, &result.counters);
			if (result.status != snug_success)
			{
				return result.status;
			}
			Improve(best, &hit, entries[i].id);
			if (asked->any && best->body != SNUG_NONE)
			{
				return snug_success;
			}
		}
		after = entries[MAX_ENTRIES - 1];
	}
	return snug_success;
}

// Boxes of bodies as they are now, whatever the last update saw; the next one finds them made.
static bool BringUpToDate(snugScene* scene, uint32_t id)
{
	const sgSceneBody* entry = scene->bodies + id;
	if (entry->boxed != entry->body->changes)
	{
		snugCounters counters = { 0 };
		sgScene_BoundBody(scene, id, &counters);
		sgScene_Count(scene, &counters);
	}
	return !entry->isTooFar;
}

// Whether rays are to be cast at a body. Notes it if it is too far.
static bool IsWanted(snugScene* scene, uint32_t id, const snugRayQuery* query, snugSceneResult* result)
{
	const uint32_t mask = query->mask != 0 ? query->mask : UINT32_MAX;
	if (!sgScene_IsPresent(scene, id) || (scene->bodies[id].groups & mask) == 0)
	{
		return false;
	}
	bool isNear = BringUpToDate(scene, id);
	if (!isNear)
	{
		result->status = sgScene_TooFar(scene, id, result);
	}
	return isNear;
}

static SG_NOINLINE void CastRays(snugScene* scene, const snugRay* rays, uint64_t count, snugRayHit* hits,
    const snugRayQuery* query, snugSceneResult* result)
{
	snugRayQuery asked = { .any = query->any };
	memcpy(asked.origin, scene->origin, sizeof(asked.origin));
	sgScene_BeginList(scene);
	for (uint32_t id = 0; id < scene->bodyCount && result->status == snug_success; ++id)
	{
		if (IsWanted(scene, id, query, result))
		{
			sgScene_List(scene, id);
		}
	}
	PackBoxes(scene);
	for (uint64_t i = 0; i < count; ++i)
	{
		hits[i] = (snugRayHit){ .t = 2.0, .triangle = SNUG_NONE, .body = SNUG_NONE };
		if (result->status == snug_success)
		{
			result->status = CastRay(scene, rays + i, &asked, hits + i);
			result->count += hits[i].body != SNUG_NONE;
		}
	}
}

// ---- All hits of one ray -------------------------------------------------------------------------------------------

/// The first hits so far, sorted. Rays hit few triangles: putting one in its place is quick.
typedef struct HitList
{
	snugRayHit* hits;
	uint64_t capacity;
	uint64_t count; ///< of all, possibly more than there is room for
	uint32_t body;  ///< whose hits come now
} HitList;

static bool IsBefore(const snugRayHit* x, const snugRayHit* y)
{
	return x->t != y->t ? x->t < y->t : x->body != y->body ? x->body < y->body : x->triangle < y->triangle;
}

static void Insert(void* user, const snugRayHit* hit)
{
	HitList* list = user;
	snugRayHit added = *hit;
	added.body = list->body;
	const bool isFull = list->count >= list->capacity;
	uint64_t place = isFull ? list->capacity : list->count;
	list->count++;
	if (isFull && (place == 0 || !IsBefore(&added, list->hits + place - 1)))
	{
		return;
	}
	place -= isFull; // the last one goes
	for (; place > 0 && IsBefore(&added, list->hits + place - 1); --place)
	{
		list->hits[place] = list->hits[place - 1];
	}
	list->hits[place] = added;
}

static SG_NOINLINE void FindHits(
    snugScene* scene, const snugRay* ray, HitList* list, const snugRayQuery* query, snugSceneResult* result)
{
	for (uint32_t id = 0; id < scene->bodyCount && result->status == snug_success; ++id)
	{
		if (IsWanted(scene, id, query, result) && EnterBox(ray, scene->boxes + id) <= 1.0)
		{
			list->body = id;
			const snugResult found = sgBody_VisitHits(scene->bodies[id].body, ray, scene->origin, Insert, list);
			sgScene_Count(scene, &found.counters);
			result->status = found.status;
		}
	}
	result->count = list->count;
}

// ---- The public functions ------------------------------------------------------------------------------------------

static const snugRayQuery defaults = { .any = false };

// The origin is the scene's.
static bool HasOrigin(const snugRayQuery* query)
{
	return query->origin[0] != 0.0 || query->origin[1] != 0.0 || query->origin[2] != 0.0;
}

snugSceneResult snugScene_CastRays(
    snugScene* scene, const snugRay* rays, uint64_t count, snugRayHit* hits, const snugRayQuery* query)
{
	snugSceneResult result = { .status = snug_badArgument, .body = SNUG_NONE };
	query = query != NULL ? query : &defaults;
	SG_REQUIRE(scene != NULL && !scene->isUpdating, result);
	SG_REQUIRE((rays != NULL && hits != NULL) || count == 0, result);
	SG_REQUIRE_RESERVED(query, result);
	SG_REQUIRE(!HasOrigin(query), result);
	result.status = sgCheckRays(&scene->messenger, rays, count);
	if (result.status == snug_success)
	{
		sgFpEnv environment = sgFpEnv_Enter();
		CastRays(scene, rays, count, hits, query, &result);
		sgFpEnv_Leave(environment);
		result.counters = sgScene_TakeCounters(scene);
	}
	return result;
}

snugSceneResult snugScene_FindHits(
    snugScene* scene, const snugRay* ray, snugRayHit* hits, uint64_t capacity, const snugRayQuery* query)
{
	snugSceneResult result = { .status = snug_badArgument, .body = SNUG_NONE };
	query = query != NULL ? query : &defaults;
	SG_REQUIRE(scene != NULL && !scene->isUpdating && ray != NULL, result);
	SG_REQUIRE(hits != NULL || capacity == 0, result);
	SG_REQUIRE_RESERVED(query, result);
	SG_REQUIRE(!HasOrigin(query), result);
	result.status = sgCheckRays(&scene->messenger, ray, 1);
	if (result.status == snug_success)
	{
		HitList list = { .hits = hits, .capacity = capacity };
		sgFpEnv environment = sgFpEnv_Enter();
		FindHits(scene, ray, &list, query, &result);
		sgFpEnv_Leave(environment);
		result.counters = sgScene_TakeCounters(scene);
	}
	return result;
}
