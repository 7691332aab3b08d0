// src/query/ray.c: rays: walks over one tree that end at triangles which a segment meets.
//
// Boxes decide only what is skipped, with a proven slack (probe.c); what float32 does not rule out among a leaf's
// triangles, the exact test of geometry/segment.h decides.
#include "base/fpenv.h"
#include "geometry/segment.h"
#include "query/probe.h"
#include "query/triangles.h"
#include "query/view.h"
#include "snug/snug_queries.h"

#include <math.h>
#include <string.h>

/// So many rays at one body find what they need in the caches.
#define MANY_RAYS 8

typedef struct RaySearch
{
	sgTreeWalk walk;
	const sgKernels* kernels;
	const snugRay* ray;
	sgProbe probe;
	sgProbeSegment segment;
	snugRayHit* hits;  ///< room for what is found: the least by (t, triangle)
	uint64_t capacity; ///< of that
	uint64_t count;    ///< found so far by this ray
	sgHitFcn* visit;   ///< told of each; null: those with room are kept
	void* user;
	bool isBrief; ///< few rays: what the body remembers is asked for ahead
	snugCounters counters;
	sgView side;
} RaySearch;

static RaySearch* SearchOf(sgTreeWalk* walk)
{
	return (RaySearch*)(void*)walk;
}

// ---- What is found -------------------------------------------------------------------------------------------------

static bool IsBefore(const snugRayHit* a, const snugRayHit* b)
{
	return a->t != b->t ? a->t < b->t : a->triangle < b->triangle;
}

#define SORT_ITEM snugRayHit
#define SORT_IS_BEFORE(x, y) IsBefore(&(x), &(y))
#include "base/sort.h"

// Keep the first `capacity` of them, or tell.
static void Keep(RaySearch* search, const snugRayHit* hit)
{
	if (search->visit != NULL)
	{
		search->visit(search->user, hit);
	}
	else
	{
		KeepFirst(search->hits, search->capacity, search->count, *hit);
	}
	++search->count;
}

static snugRayHit MakeHit(
    const RaySearch* search, const float triangle[3][3], const sgSegmentHit* found, uint32_t number)
{
	snugRayHit hit = { .t = found->t, .triangle = number };
	sgUnitNormal(triangle, hit.normal);
	for (int k = 0; k < 3; ++k)
	{
		hit.weights[k] = found->weights[k];
		hit.position[k] = (float)(search->segment.from[k] + found->t * search->segment.along[k]);
	}
	return hit;
}

// ---- The walk ------------------------------------------------------------------------------------------------------

static sgOpened Open(sgTreeWalk* walk, uint32_t slot)
{
	return sgOpen(SearchOf(walk)->side.tree, slot);
}

static uint32_t Look(sgTreeWalk* walk, const sgOpened* opened, float keys[SG_LANES])
{
	RaySearch* search = SearchOf(walk);
	const sgBoxLanes* bounds = sgView_Bounds(&search->side, opened, &search->counters);
	float SG_ALIGN(32) entries[SG_LANES];
	uint32_t met = search->kernels->probes->clipBoxes(bounds, &search->probe, walk->limit, entries);
	memcpy(keys, entries, sizeof(entries));
	search->counters.volumeTests += sgCountBits(opened->set.mask);
	met &= opened->set.mask;
	for (uint32_t rest = search->isBrief ? met : 0; rest != 0; rest &= rest - 1)
	{
		sgBody_Expect(search->side.body, sgOpened_Slot(opened, sgLowestBit(rest)));
	}
	return met;
}

static bool HitTriangle(const RaySearch* search, sgKeptLeaf kept, uint32_t lane, snugRayHit* hit)
{
	float triangle[3][3];
	sgView_GetTriangle(&search->side, kept, lane, triangle);
	sgSegmentHit found;
	if (!sgSegment_Hit(search->ray->from, search->ray->to, (const float(*)[3])triangle, &found))
	{
		return false;
	}
	*hit = MakeHit(search, (const float(*)[3])triangle, &found, sgView_TriangleNumber(&search->side, kept, lane));
	return true;
}

static void Settle(sgTreeWalk* walk, const sgOpened* opened, uint32_t lane)
{
	RaySearch* search = SearchOf(walk);
	const sgKeptLeaf kept = sgView_Triangles(&search->side, opened, lane, &search->counters);
	sgProbeLine line = sgProbeSegment_Near(&search->segment, &sgView_Lanes(&search->side, kept)->box);
	uint32_t passed = search->kernels->probes->passTriangles(sgView_Lanes(&search->side, kept), &line);
	search->counters.triangleTests += sgView_Lanes(&search->side, kept)->leaf->triangleCount;
	search->counters.exactTests += sgCountBits(passed);
	for (; passed != 0 && !walk->isStopped; passed &= passed - 1)
	{
		snugRayHit hit;
		if (HitTriangle(search, kept, sgLowestBit(passed), &hit))
		{
			Keep(search, &hit);
		}
	}
}

// The same, for the nearest alone: what is met later than the nearest so far, all rounding included, is skipped.
static void SettleNearest(sgTreeWalk* walk, const sgOpened* opened, uint32_t lane)
{
	RaySearch* search = SearchOf(walk);
	Settle(walk, opened, lane);
	if (search->count > 0)
	{
		float limit = sgRay_LimitOf(search->hits);
		walk->limit = limit < walk->limit ? limit : walk->limit;
	}
}

// The first one in the order of the tree.
static void SettleAny(sgTreeWalk* walk, const sgOpened* opened, uint32_t lane)
{
	Settle(walk, opened, lane);
	walk->isStopped = SearchOf(walk)->count > 0;
}

static const sgTreeWalker nearest = { Open, Look, SettleNearest, true };
static const sgTreeWalker first = { Open, Look, SettleAny, false };
static const sgTreeWalker all = { Open, Look, Settle, false };

static snugStatus Start(RaySearch* search, snugBody* body, const double origin[3])
{
	search->kernels = sgGetKernels();
	search->isBrief = false;
	search->counters = (snugCounters){ 0 };
	sgBox root;
	return sgView_Start(&search->side, body, origin, &root, &search->counters);
}

static void Aim(RaySearch* search, const snugRay* ray, snugRayHit* hits, uint64_t capacity)
{
	search->walk.isStopped = false;
	search->walk.limit = 1.0f;
	search->ray = ray;
	search->hits = hits;
	search->capacity = capacity;
	search->count = 0;
	search->visit = NULL;
	search->probe = sgProbe_Make(&search->side.placement, ray->from, ray->to);
	search->segment = sgProbeSegment_Make(ray->from, ray->to);
}

static bool IsEmpty(const RaySearch* search)
{
	return search->side.tree->triangleCount == 0;
}

static snugResult Finish(RaySearch* search, uint64_t count)
{
	sgView_Finish(&search->side);
	return (snugResult){ .status = snug_success, .complete = true, .count = count, .counters = search->counters };
}

SG_NOINLINE snugResult sgBody_ImproveHits(snugBody* body, uint32_t id, const snugRay* rays, const uint32_t* which,
    uint64_t count, const double origin[3], bool any, snugRayHit* hits)
{
	RaySearch search; // not zeroed: most of it is scratch
	snugStatus status = Start(&search, body, origin);
	if (status != snug_success)
	{
		return (snugResult){ .status = status };
	}
	// With several bodies, others have come between since it was looked at last.
	search.isBrief = which != NULL && count < MANY_RAYS;
	uint64_t found = 0;
	for (uint64_t i = 0; i < count && !IsEmpty(&search); ++i)
	{
		snugRayHit hit, *best = hits + (which != NULL ? which[i] : i);
		Aim(&search, rays + (best - hits), &hit, 1);
		if (any)
		{
			sgTreeWalk_Descend(&search.walk, &first, 0);
		}
		else
		{
			search.walk.limit = sgRay_LimitOf(best);
			sgTreeWalk_Descend(&search.walk, &nearest, 0);
		}
		found += search.count > 0;
		if (search.count > 0 && (hit.t < best->t || (hit.t == best->t && id < best->body)))
		{
			*best = hit;
			best->body = id;
		}
	}
	return Finish(&search, found);
}

static snugResult CastRays(
    snugBody* body, const snugRay* rays, uint64_t count, snugRayHit* hits, const snugRayQuery* query)
{
	for (uint64_t i = 0; i < count; ++i)
	{
		hits[i] = (snugRayHit){ .t = 2.0, .triangle = SNUG_NONE };
	}
	return sgBody_ImproveHits(body, 0, rays, NULL, count, query->origin, query->any, hits);
}

static SG_NOINLINE snugResult FindHits(
    snugBody* body, const snugRay* ray, snugRayHit* hits, uint64_t capacity, const snugRayQuery* query)
{
	RaySearch search; // not zeroed: most of it is scratch
	snugStatus status = Start(&search, body, query->origin);
	if (status != snug_success)
	{
		return (snugResult){ .status = status };
	}
	Aim(&search, ray, hits, capacity);
	if (!IsEmpty(&search))
	{
		sgTreeWalk_Descend(&search.walk, &all, 0);
	}
	Sort(hits, search.count < capacity ? search.count : capacity);
	return Finish(&search, search.count);
}

snugResult sgBody_VisitHits(snugBody* body, const snugRay* ray, const double origin[3], sgHitFcn* visit, void* user)
{
	RaySearch search; // not zeroed: most of it is scratch
	snugStatus status = Start(&search, body, origin);
	if (status != snug_success)
	{
		return (snugResult){ .status = status };
	}
	Aim(&search, ray, NULL, 0);
	search.visit = visit;
	search.user = user;
	if (!IsEmpty(&search))
	{
		sgTreeWalk_Descend(&search.walk, &all, 0);
	}
	return Finish(&search, search.count);
}

// ---- The public functions ------------------------------------------------------------------------------------------

static const snugRayQuery defaults = { .any = false };

snugResult snugCastRays(
    snugBody* body, const snugRay* rays, uint64_t count, snugRayHit* hits, const snugRayQuery* query)
{
	const snugResult misuse = { .status = snug_badArgument };
	query = query != NULL ? query : &defaults;
	SG_REQUIRE(body != NULL && ((rays != NULL && hits != NULL) || count == 0), misuse);
	SG_REQUIRE_RESERVED(query, misuse);
	SG_REQUIRE(sgIsFinitePoint(query->origin), misuse);
	snugStatus status = sgCheckRays(&body->messenger, rays, count);
	if (status != snug_success)
	{
		return (snugResult){ .status = status };
	}
	sgFpEnv environment = sgFpEnv_Enter();
	snugResult result = CastRays(body, rays, count, hits, query);
	sgFpEnv_Leave(environment);
	return result;
}

snugResult snugFindHits(
    snugBody* body, const snugRay* ray, snugRayHit* hits, uint64_t capacity, const snugRayQuery* query)
{
	const snugResult misuse = { .status = snug_badArgument };
	query = query != NULL ? query : &defaults;
	SG_REQUIRE(body != NULL && ray != NULL && (hits != NULL || capacity == 0), misuse);
	SG_REQUIRE_RESERVED(query, misuse);
	SG_REQUIRE(sgIsFinitePoint(query->origin), misuse);
	snugStatus status = sgCheckRays(&body->messenger, ray, 1);
	if (status != snug_success)
	{
		return (snugResult){ .status = status };
	}
	sgFpEnv environment = sgFpEnv_Enter();
	snugResult result = FindHits(body, ray, hits, capacity, query);
	sgFpEnv_Leave(environment);
	return result;
}
