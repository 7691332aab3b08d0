// src/scene/rays.c: rays through all bodies of a scene: each is cast at those whose boxes it enters, in that order,
// until it has hit one before it enters the next; those that come to the same body at once, together.
#include "query/probe.h"
#include "scene/scene.h"
#include "tree/probe_kernels.h"

#include <math.h>

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

/// A body that a ray may hit, and where it enters its box, or those below its root.
typedef struct RayEntry
{
	float t; ///< or less
	uint32_t id;
	bool isRefined; ///< nothing more is known of where it enters
} RayEntry;

static bool IsEarlier(RayEntry a, RayEntry b)
{
	return a.t < b.t || (a.t == b.t && a.id < b.id);
}

enum
{
	MAX_ENTRIES = 8,    ///< bodies that a ray is cast at in order before others are looked for: few get that far
	RAYS_TOGETHER = 256 ///< that are cast at one body after another
};

/// A ray under way from body to body.
typedef struct Way
{
	sgProbe probe;
	RayEntry entries[MAX_ENTRIES]; ///< in order; those up to `next` are done
	uint32_t next, count;
	RayEntry last; ///< others come after this one
	bool isWhole;  ///< there are none
} Way;

/// Rays that are cast together, by the bodies that come next.
typedef struct Ways
{
	snugScene* scene;
	const snugRay* rays;
	snugRayHit* hits;
	bool any;
	uint32_t count;
	Way ways[RAYS_TOGETHER];
	uint64_t todo[RAYS_TOGETHER]; ///< id << 32 | ray
} Ways;

#define SORT_ITEM uint64_t
#define SORT_IS_BEFORE(x, y) ((x) < (y))
#include "base/sort.h"

static uint32_t GroupsOf(uint32_t count)
{
	return count / SG_LANES + (count % SG_LANES != 0);
}

// Boxes of the listed bodies, side by side, where updates have others; behind them, boxes around each eight.
static void PackBoxes(snugScene* scene)
{
	const sgBox empty = sgBox_Empty();
	const uint32_t groups = GroupsOf(scene->listCount);
	// Not `i < listCount || i % SG_LANES != 0`: see test/project/check_loops.sh.
	for (uint32_t i = 0; i < groups * SG_LANES; ++i)
	{
		const sgBox* box = i < scene->listCount ? scene->boxes + scene->list[i] : &empty;
		sgBoxLanes_Set(scene->deeper + i / SG_LANES, i % SG_LANES, box);
	}
	for (uint32_t i = 0; i < GroupsOf(groups) * SG_LANES; ++i)
	{
		const sgBox around = i < groups ? sgGetKernels()->boxes->mergeBoxes(scene->deeper + i, 0xff) : empty;
		sgBoxLanes_Set(scene->deeper + groups + i / SG_LANES, i % SG_LANES, &around);
	}
}

// Where a ray enters a body whose box it enters. False if it misses all that is below the root.
static bool Refine(const snugScene* scene, const sgProbe* probe, float limit, RayEntry* entry)
{
	const sgSceneBody* body = scene->bodies + entry->id;
	entry->isRefined = true;
	if (body->opened != body->boxed)
	{
		return true;
	}
	float SG_ALIGN(32) keys[SG_LANES];
	const uint32_t met = sgGetKernels()->probes->clipBoxes(scene->opened + entry->id, probe, limit, keys);
	float least = INFINITY;
	for (uint32_t rest = met; rest != 0; rest &= rest - 1)
	{
		const float key = keys[sgLowestBit(rest)];
		least = key < least ? key : least;
	}
	entry->t = least;
	return met != 0;
}

static void AddEntry(Way* way, RayEntry entry)
{
	const bool isFull = way->count == MAX_ENTRIES;
	way->isWhole = way->isWhole && !isFull;
	if (isFull && !IsEarlier(entry, way->entries[MAX_ENTRIES - 1]))
	{
		return;
	}
	uint32_t place = isFull ? MAX_ENTRIES - 1 : way->count;
	way->count += !isFull;
	for (; place > 0 && IsEarlier(entry, way->entries[place - 1]); --place)
	{
		way->entries[place] = way->entries[place - 1];
	}
	way->entries[place] = entry;
}

// The first bodies whose boxes a ray enters after one, in order; in the order of ids if any hit will do.
static void FindEntries(const Ways* ways, Way* way, RayEntry after, float limit)
{
	const snugScene* scene = ways->scene;
	const sgProbeKernels* kernels = sgGetKernels()->probes;
	const uint32_t groups = GroupsOf(scene->listCount);
	float SG_ALIGN(32) keys[SG_LANES];
	way->next = way->count = 0;
	way->isWhole = true;
	for (uint32_t first = 0; first < groups; first += SG_LANES)
	{
		uint32_t around = kernels->clipBoxes(scene->deeper + groups + first / SG_LANES, &way->probe, limit, keys);
		for (; around != 0 && first + sgLowestBit(around) < groups; around &= around - 1)
		{
			const uint32_t group = first + sgLowestBit(around);
			uint32_t met = kernels->clipBoxes(scene->deeper + group, &way->probe, limit, keys);
			for (; met != 0 && group * SG_LANES + sgLowestBit(met) < scene->listCount; met &= met - 1)
			{
				const uint32_t lane = sgLowestBit(met);
				const RayEntry entry = { ways->any ? 0.0f : keys[lane], scene->list[group * SG_LANES + lane], false };
				if (IsEarlier(after, entry))
				{
					AddEntry(way, entry);
				}
			}
		}
	}
	way->last = way->count > 0 ? way->entries[way->count - 1] : after;
}

// Put the next entry where it belongs after it was refined.
static void MoveBack(Way* way)
{
	for (uint32_t i = way->next; i + 1 < way->count && IsEarlier(way->entries[i + 1], way->entries[i]); ++i)
	{
		const RayEntry entry = way->entries[i];
		way->entries[i] = way->entries[i + 1];
		way->entries[i + 1] = entry;
	}
}

// The body that comes next; SG_NONE if no other can be hit earlier. One that is entered after the last that was listed
// may come before others that were not, which does no harm: they are asked for as long as they may be hit earlier.
static uint32_t NextOf(Ways* ways, uint32_t number)
{
	Way* way = ways->ways + number;
	const snugRayHit* best = ways->hits + number;
	const float limit = sgRay_LimitOf(best);
	while (!ways->any || best->body == SNUG_NONE)
	{
		if (way->next == way->count && !way->isWhole && way->last.t <= limit)
		{
			FindEntries(ways, way, way->last, limit);
			continue;
		}
		if (way->next == way->count)
		{
			break;
		}
		RayEntry* entry = way->entries + way->next;
		if (entry->isRefined || entry->t > limit)
		{
			++way->next;
			if (entry->t <= limit)
			{
				return entry->id;
			}
		}
		else if (!Refine(ways->scene, &way->probe, limit, entry))
		{
			++way->next;
		}
		else if (ways->any)
		{
			entry->t = 0.0f;
		}
		else
		{
			MoveBack(way);
		}
	}
	return SG_NONE;
}

// Those of `todo` that are for one body.
static snugStatus CastAtBody(Ways* ways, const uint64_t* todo, uint32_t count)
{
	snugScene* scene = ways->scene;
	const uint32_t id = (uint32_t)(*todo >> 32);
	uint32_t which[RAYS_TOGETHER];
	for (uint32_t i = 0; i < count; ++i)
	{
		which[i] = (uint32_t)todo[i];
	}
	const snugResult result =
	    sgBody_ImproveHits(scene->bodies[id].body, id, ways->rays, which, count, scene->origin, ways->any, ways->hits);
	sgScene_Count(scene, &result.counters);
	return result.status;
}

// Each at the body that it enters first, then those that are left at the next, and so on.
static snugStatus CastTogether(Ways* ways)
{
	static const sgPlacement inScene = { .isIdentity = true };
	uint32_t todo = ways->count;
	for (uint32_t i = 0; i < ways->count; ++i)
	{
		ways->ways[i].probe = sgProbe_Make(&inScene, ways->rays[i].from, ways->rays[i].to);
		FindEntries(ways, ways->ways + i, (RayEntry){ -INFINITY, 0, false }, 1.0f);
	}
	while (todo > 0)
	{
		todo = 0;
		for (uint32_t i = 0; i < ways->count; ++i)
		{
			const uint32_t id = NextOf(ways, i);
			ways->todo[todo] = (uint64_t)id << 32 | i;
			todo += id != SG_NONE;
		}
		Sort(ways->todo, todo);
		for (uint32_t first = 0, end; first < todo; first = end)
		{
			for (end = first + 1; end < todo && ways->todo[end] >> 32 == ways->todo[first] >> 32; ++end)
			{
			}
			const snugStatus status = CastAtBody(ways, ways->todo + first, end - first);
			if (status != snug_success)
			{
				return status;
			}
		}
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
	if (!sgScene_IsBody(scene, id) || (scene->bodies[id].groups & mask) == 0)
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

static void ListOf(snugScene* scene, const sgBroad* broad, const snugRayQuery* query, snugSceneResult* result)
{
	for (uint32_t i = 0; i < broad->count && result->status == snug_success; ++i)
	{
		if (broad->order[i] != SG_NONE && IsWanted(scene, broad->order[i], query, result))
		{
			sgScene_List(scene, broad->order[i]);
		}
	}
}

// In the order of the trees: what is near each other was, when they were sorted last.
static void ListWanted(snugScene* scene, const snugRayQuery* query, snugSceneResult* result)
{
	sgScene_BeginList(scene);
	ListOf(scene, &scene->moving, query, result);
	ListOf(scene, &scene->fixed, query, result);
	PackBoxes(scene);
}

static SG_NOINLINE void CastRays(snugScene* scene, const snugRay* rays, uint64_t count, snugRayHit* hits,
    const snugRayQuery* query, snugSceneResult* result)
{
	Ways ways; // not zeroed
	ways.scene = scene;
	ways.any = query->any;
	ListWanted(scene, query, result);
	for (uint64_t i = 0; i < count; ++i)
	{
		hits[i] = (snugRayHit){ .t = 2.0, .triangle = SNUG_NONE, .body = SNUG_NONE };
	}
	for (uint64_t first = 0; first < count && result->status == snug_success; first += RAYS_TOGETHER)
	{
		ways.rays = rays + first;
		ways.hits = hits + first;
		ways.count = count - first < RAYS_TOGETHER ? (uint32_t)(count - first) : RAYS_TOGETHER;
		result->status = CastTogether(&ways);
		for (uint32_t i = 0; i < ways.count; ++i)
		{
			result->count += ways.hits[i].body != SNUG_NONE;
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
