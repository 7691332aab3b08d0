// src/scene/rays.c: rays through all bodies of a scene: body by body, with the rays that its box does not rule out.
#include "query/probe.h"
#include "scene/scene.h"

#include <math.h>

/// Rays that are cast at a body in one go.
#define RAYS_PER_CAST 64

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

/// Rays that may hit a body.
typedef struct Batch
{
	snugRay rays[RAYS_PER_CAST];
	uint64_t numbers[RAYS_PER_CAST];
	snugRayHit hits[RAYS_PER_CAST];
	uint32_t count;
} Batch;

// Ids ascend, so that of equal ones the smallest stays.
static void Improve(snugRayHit* best, const snugRayHit* hit, uint32_t id)
{
	if (hit->t < best->t)
	{
		*best = *hit;
		best->body = id;
	}
}

static snugStatus CastBatch(snugScene* scene, uint32_t id, bool any, Batch* batch, snugRayHit* hits)
{
	snugRayQuery query = { .any = any };
	for (int k = 0; k < 3; ++k)
	{
		query.origin[k] = scene->origin[k];
	}
	const snugResult result = snugCastRays(scene->bodies[id].body, batch->rays, batch->count, batch->hits, &query);
	for (uint32_t i = 0; i < batch->count && result.status == snug_success; ++i)
	{
		Improve(hits + batch->numbers[i], batch->hits + i, id);
	}
	sgScene_Count(scene, &result.counters);
	batch->count = 0;
	return result.status;
}

// Whether a ray has to be cast at a body: it may hit it, and not after what it hits first so far. t is right to 2^-38.
static bool MayHit(const snugRay* ray, const sgBox* box, const snugRayHit* best, bool any)
{
	const bool isDone = any && best->body != SNUG_NONE;
	return !isDone && EnterBox(ray, box) <= fmin(best->t * (1.0 + 0x1p-36), 1.0);
}

static snugStatus CastAtBody(
    snugScene* scene, uint32_t id, const snugRay* rays, uint64_t count, const snugRayQuery* query, snugRayHit* hits)
{
	Batch batch;
	batch.count = 0;
	snugStatus status = snug_success;
	for (uint64_t i = 0; i < count && status == snug_success; ++i)
	{
		if (MayHit(rays + i, scene->boxes + id, hits + i, query->any))
		{
			batch.rays[batch.count] = rays[i];
			batch.numbers[batch.count++] = i;
		}
		if (batch.count == RAYS_PER_CAST)
		{
			status = CastBatch(scene, id, query->any, &batch, hits);
		}
	}
	return status == snug_success && batch.count > 0 ? CastBatch(scene, id, query->any, &batch, hits) : status;
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
	for (uint64_t i = 0; i < count; ++i)
	{
		hits[i] = (snugRayHit){ .t = 2.0, .triangle = SNUG_NONE, .body = SNUG_NONE };
	}
	for (uint32_t id = 0; id < scene->bodyCount && result->status == snug_success; ++id)
	{
		if (IsWanted(scene, id, query, result))
		{
			result->status = CastAtBody(scene, id, rays, count, query, hits);
		}
	}
	for (uint64_t i = 0; i < count && result->status == snug_success; ++i)
	{
		result->count += hits[i].body != SNUG_NONE;
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
