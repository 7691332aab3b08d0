// test/query/test_rays.c: rays against all triangles, at the positions that snugBody_GetVertices reports: one in twenty
// in rational arithmetic, the others by the exact test that test_segment.c has compared with it. Bodies of every
// deformer, rays through edges and corners, in planes of triangles, of length zero; closed surfaces, through which
// nothing slips.
#include "posed.h"
#include "rational_segment.h"

#include "geometry/segment.h"
#include "query/probe.h"
#include "snug/snug_queries.h"
#include "snug/snug_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct HitList
{
	snugRayHit* hits;
	uint64_t count;
} HitList;

static int CompareHits(const void* a, const void* b)
{
	const snugRayHit *x = a, *y = b;
	if (x->t != y->t)
	{
		return x->t < y->t ? -1 : 1;
	}
	return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

// Everything that a ray hits, in order.
static HitList BruteHits(const Posed* posed, const snugRay* ray, bool inRationals)
{
	uint32_t count = posed->thing.mesh.triangleCount;
	HitList list = { malloc((count + 1) * sizeof(snugRayHit)), 0 };
	for (uint32_t i = 0; i < count; ++i)
	{
		float triangle[3][3];
		double t;
		sgSegmentHit hit;
		Posed_Triangle(posed, i, triangle);
		const float(*corners)[3] = (const float(*)[3])triangle;
		bool isHit = sgSegment_Hit(ray->from, ray->to, corners, &hit);
		if (inRationals)
		{
			assert_int_equal(RationalSegmentHit(ray->from, ray->to, corners, &t), isHit);
		}
		if (isHit)
		{
			list.hits[list.count++] = (snugRayHit){ .t = hit.t, .triangle = i };
			memcpy(list.hits[list.count - 1].weights, hit.weights, sizeof(hit.weights));
		}
	}
	qsort(list.hits, list.count, sizeof(snugRayHit), CompareHits);
	return list;
}

// Position and normal, from the triangle; t and weights are compared with what is expected.
static bool IsGoodHit(const Posed* posed, const snugRay* ray, const snugRayHit* expected, const snugRayHit* hit)
{
	double n[3], size = 0.0;
	bool hasNormal = Posed_Normal(posed, expected->triangle, n);
	for (int k = 0; k < 3; ++k)
	{
		size = fmax(size, fmax(fabs((double)ray->from[k]), fabs((double)ray->to[k])));
	}
	bool isGood = hit->triangle == expected->triangle && hit->t == expected->t && hit->body == 0 &&
	              memcmp(hit->weights, expected->weights, sizeof(hit->weights)) == 0;
	for (int k = 0; k < 3; ++k)
	{
		double at = ray->from[k] + hit->t * ((double)ray->to[k] - ray->from[k]);
		isGood = isGood && fabs(at - hit->position[k]) <= 0x1p-23 * size;
		isGood = isGood && (!hasNormal || fabs(n[k] - hit->normal[k]) <= 1e-6);
	}
	return isGood;
}

static void Fail(uint64_t seed, const char* what, const snugRay* ray)
{
	fail_msg("seed %llu: %s, ray (%a %a %a) (%a %a %a)", (unsigned long long)seed, what, (double)ray->from[0],
	    (double)ray->from[1], (double)ray->from[2], (double)ray->to[0], (double)ray->to[1], (double)ray->to[2]);
}

static void CheckAll(uint64_t seed, const Posed* posed, const snugRay* ray, const HitList* expected, uint64_t capacity)
{
	snugRayQuery query = { .origin = { posed->origin[0], posed->origin[1], posed->origin[2] } };
	snugRayHit* hits = calloc(capacity + 1, sizeof(snugRayHit));
	snugResult result = snugFindHits(posed->thing.body, ray, hits, capacity, &query);
	assert_int_equal(result.status, snug_success);
	if (result.count != expected->count)
	{
		Fail(seed, "snugFindHits counts another number of hits", ray);
	}
	for (uint64_t i = 0; i < result.count && i < capacity; ++i)
	{
		if (!IsGoodHit(posed, ray, expected->hits + i, hits + i))
		{
			Fail(seed, "snugFindHits has other hits", ray);
		}
	}
	assert_true(hits[capacity].t == 0.0); // nothing behind the end
	free(hits);
}

static void CheckCast(uint64_t seed, const Posed* posed, const snugRay* rays, const HitList* expected, uint64_t count)
{
	snugRayQuery query = { .origin = { posed->origin[0], posed->origin[1], posed->origin[2] } };
	snugRayHit nearest[16], any[16];
	snugResult result = snugCastRays(posed->thing.body, rays, count, nearest, &query);
	query.any = true;
	snugResult anyResult = snugCastRays(posed->thing.body, rays, count, any, &query);
	assert_int_equal(result.status, snug_success);
	assert_int_equal(anyResult.status, snug_success);
	assert_int_equal(result.count, anyResult.count);
	for (uint64_t i = 0; i < count; ++i)
	{
		bool isHit = expected[i].count > 0, isListed = !isHit;
		for (uint64_t k = 0; k < expected[i].count && !isListed; ++k)
		{
			isListed = IsGoodHit(posed, rays + i, expected[i].hits + k, any + i);
		}
		bool isNearest = isHit
		                     ? IsGoodHit(posed, rays + i, expected[i].hits, nearest + i)
		                     : nearest[i].triangle == SNUG_NONE && nearest[i].t == 2.0 && any[i].triangle == SNUG_NONE;
		if (!isListed || !isNearest)
		{
			Fail(seed, isListed ? "another nearest hit" : "an unexpected hit", rays + i);
		}
		result.count -= isHit;
	}
	assert_int_equal(result.count, 0);
}

// A point of the surface: a corner, on an edge or inside a triangle, as float32 has it.
static void SurfacePoint(sceneRandom* random, const Posed* posed, float out[3])
{
	float c[3][3];
	Posed_Triangle(posed, sceneRandom_Index(random, posed->thing.mesh.triangleCount), c);
	uint32_t kind = sceneRandom_Index(random, 3);
	float s = kind == 0 ? 0.0f : 0.25f * (float)(1 + sceneRandom_Index(random, 3));
	float t = kind < 2 ? 0.0f : 0.25f * (float)(1 + sceneRandom_Index(random, 3));
	for (int k = 0; k < 3; ++k)
	{
		float onEdge = c[0][k] + s * (c[1][k] - c[0][k]);
		out[k] = onEdge + t * (c[2][k] - onEdge);
	}
}

static void RandomPoint(sceneRandom* random, const Posed* posed, float out[3])
{
	SurfacePoint(random, posed, out);
	float scale = sceneRandom_Index(random, 3) == 0 ? 100.0f : 1.0f;
	for (int k = 0; k < 3; ++k)
	{
		out[k] += scale * (float)sceneRandom_Range(random, -1.0, 1.0);
	}
}

static snugRay RandomRay(sceneRandom* random, const Posed* posed)
{
	snugRay ray;
	uint32_t kind = sceneRandom_Index(random, 8);
	RandomPoint(random, posed, ray.from);
	RandomPoint(random, posed, ray.to);
	if (kind >= 1 && kind <= 5)
	{
		SurfacePoint(random, posed, ray.to);
	}
	if (kind == 2) // between two points of the surface, often in the plane of a triangle
	{
		SurfacePoint(random, posed, ray.from);
	}
	if (kind == 3) // along an axis
	{
		memcpy(ray.from, ray.to, sizeof(ray.from));
		ray.from[sceneRandom_Index(random, 3)] += sceneRandom_Index(random, 2) == 0 ? 8.0f : -8.0f;
	}
	if (kind == 4) // a point
	{
		memcpy(ray.from, ray.to, sizeof(ray.from));
	}
	if (kind == 5 || kind == 3) // through the point, not to it
	{
		for (int k = 0; k < 3; ++k)
		{
			ray.to[k] += ray.to[k] - ray.from[k];
		}
	}
	return ray;
}

static void CheckRays(sceneRandom* random, uint64_t seed, const Posed* posed, bool inRationals)
{
	snugRay rays[16];
	HitList expected[16];
	uint64_t count = 1 + sceneRandom_Index(random, inRationals ? 2 : 16);
	for (uint64_t i = 0; i < count; ++i)
	{
		rays[i] = RandomRay(random, posed);
		expected[i] = BruteHits(posed, rays + i, inRationals);
		CheckAll(seed, posed, rays + i, expected + i, sceneRandom_Index(random, 4) == 0 ? 2 : expected[i].count);
	}
	CheckCast(seed, posed, rays, expected, count);
	for (uint64_t i = 0; i < count; ++i)
	{
		free(expected[i].hits);
	}
}

static void rays_hit_what_all_triangles_say(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(400); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		snugPool* pool = n % 5 == 0 ? MakePool(4096 * 3) : NULL;
		sceneMesh mesh = RandomMesh(&random, (MeshKind)(n % MESH_KINDS));
		Posed posed = Posed_Make(&random, mesh, (Mover)(n / MESH_KINDS % POSED_DEFORMERS), pool);
		for (int i = 0; i < 3 && posed.thing.mesh.triangleCount > 0; ++i)
		{
			CheckRays(&random, seed, &posed, n % 20 == 0 && i == 0);
			Posed_Change(&random, &posed);
		}
		Posed_Free(&posed);
		snugPool_Destroy(pool);
	}
}

// Far from zero, where placing rounds most, and rays graze: each goes through a vertex exactly, and past it.
static void grazing_rays_far_out_hit_vertices(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(300); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		Posed posed = Posed_Make(&random, sceneMakeBlob(3 + (uint32_t)n % 5, seed), snug_rigid, NULL);
		double distance = ldexp(1.0, (int)sceneRandom_Index(&random, 20));
		snugFrame frame = { { distance, -0.7 * distance, 0.3 * distance }, { 0 } };
		RandomRotation(&random, frame.rotation);
		snugBody_SetFrame(posed.thing.body, &frame);
		Posed_Read(&posed);
		for (int i = 0; i < 10; ++i)
		{
			const float* v = posed.positions + 3 * sceneRandom_Index(&random, posed.thing.mesh.vertexCount);
			snugRay ray;
			snugRayHit hit;
			for (int k = 0; k < 3; ++k)
			{
				float step = (float)sceneRandom_Index(&random, 9) - 4.0f; // exact sums, mostly
				ray.from[k] = v[k] - step;
				ray.to[k] = v[k] + step;
			}
			snugRayQuery query = { .any = i % 2 == 0 };
			snugResult result = snugCastRays(posed.thing.body, &ray, 1, &hit, &query);
			HitList expected = BruteHits(&posed, &ray, false);
			if (result.count != (expected.count > 0 ? 1 : 0))
			{
				Fail(seed, "a grazing ray slipped by", &ray);
			}
			free(expected.hits);
		}
		Posed_Free(&posed);
	}
}

// From inside a closed surface every ray to a point outside hits it, through edges and corners most of all.
static void nothing_slips_through_closed_surfaces(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	sceneMesh mesh = sceneMakeBlob(20, 5);
	Posed posed = Posed_Make(&random, mesh, snug_rigid, NULL);
	uint64_t rays = (uint64_t)TestCount(100000) * (TestScale() >= 100.0 ? 10 : 1), missed = 0; // 10^8 in the long form
	for (uint64_t i = 0; i < rays; i += 256)
	{
		snugRay batch[256];
		snugRayHit hits[256];
		for (int r = 0; r < 256; ++r)
		{
			SurfacePoint(&random, &posed, batch[r].to);
			for (int k = 0; k < 3; ++k)
			{
				batch[r].from[k] = 0.25f * (float)sceneRandom_Index(&random, 2);
				batch[r].to[k] = 4.0f * batch[r].to[k] - 3.0f * batch[r].from[k]; // nearly through the point
			}
		}
		snugResult result = snugCastRays(posed.thing.body, batch, 256, hits, NULL);
		missed += 256 - result.count;
	}
	assert_int_equal(missed, 0);
	Posed_Free(&posed);
}

// A point with coordinates of few bits, so that sums and differences of some of them are exact.
static void ShortPoint(sceneRandom* random, double size, float out[3])
{
	for (int k = 0; k < 3; ++k)
	{
		out[k] = (float)(size * ((double)sceneRandom_Index(random, 1 << 20) - 0x1p19));
	}
}

// Boxes that are points, on the segment exactly, half-way: what float32 loses shows at once.
static void clipping_loses_no_box_on_the_segment(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(20000); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		sgPlacement placement = { .isIdentity = true };
		sgBoxLanes boxes;
		float SG_ALIGN(32) keys[SG_LANES];
		float middle[3], half[3], from[3], to[3];
		ShortPoint(&random, 1.0, middle);
		ShortPoint(&random, ldexp(1.0, (int)sceneRandom_Index(&random, 3)), half);
		for (int k = 0; k < 3; ++k)
		{
			from[k] = middle[k] - half[k];
			to[k] = middle[k] + half[k];
		}
		for (uint32_t lane = 0; lane < SG_LANES; ++lane)
		{
			sgBoxLanes_Set(
			    &boxes, lane, &(sgBox){ { middle[0], middle[1], middle[2] }, { middle[0], middle[1], middle[2] } });
		}
		sgProbe probe = sgProbe_Make(&placement, from, to);
		uint32_t met = sgGetKernels()->probes->clipBoxes(&boxes, &probe, 1.0f, keys);
		bool isMetLast = sgGetKernels()->probes->clipBoxes(&boxes, &probe, 0.5f, keys) == 0xff;
		if (met != 0xff || !isMetLast || !(keys[0] <= 0.5f))
		{
			fail_msg("seed %llu: a box on the segment is lost", (unsigned long long)seed);
		}
	}
}

// A line through a corner, exactly, of a triangle about the point that the line is seen from.
static void passing_loses_no_triangle_on_the_line(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(20000); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		sgTriangleLanes lanes = { .mask = 0xff };
		float step[3], from[3], to[3], center[3] = { 0 };
		ShortPoint(&random, 1.0, step);
		if (n % 2 == 0) // away from zero the point is rounded too
		{
			ShortPoint(&random, 1.0, center);
		}
		lanes.box = sgBox_Empty();
		for (int k = 0; k < 3; ++k)
		{
			from[k] = center[k] - 4.0f * step[k];
			to[k] = center[k] + 4.0f * step[k];
			lanes.box.lower[k] = center[k] - 0x1p20f;
			lanes.box.upper[k] = center[k] + 0x1p20f;
		}
		for (uint32_t lane = 0; lane < SG_LANES; ++lane)
		{
			float other[2][3];
			ShortPoint(&random, 1.9, other[0]);
			ShortPoint(&random, 1.9, other[1]);
			for (int k = 0; k < 3; ++k)
			{
				lanes.corner[0][k][lane] = center[k] + step[k];
				lanes.corner[1][k][lane] = center[k] + other[0][k];
				lanes.corner[2][k][lane] = center[k] + other[1][k];
			}
		}
		sgProbeSegment segment = sgProbeSegment_Make(from, to);
		sgProbeLine line = sgProbeSegment_Near(&segment, &lanes.box);
		if (sgGetKernels()->probes->passTriangles(&lanes, &line) != 0xff)
		{
			fail_msg("seed %llu: a triangle on the line is lost", (unsigned long long)seed);
		}
	}
}

// ---- Scenes --------------------------------------------------------------------------------------------------------

#define SCENE_BODIES 12

typedef struct RayScene
{
	snugScene* scene;
	Posed bodies[SCENE_BODIES];
	uint32_t ids[SCENE_BODIES];
	double origin[3];
} RayScene;

static RayScene MakeRayScene(sceneRandom* random, uint64_t seed)
{
	RayScene made = { .origin = { sceneRandom_Range(random, -2.0, 2.0), 0.0, 0.5 } };
	const snugSceneDef def = { .origin = { made.origin[0], made.origin[1], made.origin[2] } };
	assert_int_equal(snugScene_Create(&def, &made.scene), snug_success);
	for (uint32_t i = 0; i < SCENE_BODIES; ++i)
	{
		Posed* posed = made.bodies + i;
		sceneMesh mesh = i % 3 == 0 ? RandomMesh(random, mesh_empty) : sceneMakeBlob(2, seed + i / 3);
		*posed = Posed_Make(random, mesh, (Mover)(i % POSED_DEFORMERS), NULL);
		const snugSceneBodyDef bodyDef = { .body = posed->thing.body, .groups = 1u << i % 4, .isStatic = i % 2 == 0 };
		assert_int_equal(snugScene_Add(made.scene, &bodyDef, made.ids + i), snug_success);
	}
	return made;
}

// Now and then where the one before is, which may be the same mesh: rays hit both at the same t.
static void PlaceAll(sceneRandom* random, RayScene* made)
{
	snugFrame frame = { .position = { 0.0 } };
	for (uint32_t i = 0; i < SCENE_BODIES; ++i)
	{
		uint32_t how = sceneRandom_Index(random, 4);
		if (how == 0)
		{
			continue; // stays
		}
		if (how > 1)
		{
			frame.position[0] = sceneRandom_Range(random, -4.0, 4.0);
			frame.position[1] = sceneRandom_Range(random, -2.0, 2.0);
			RandomRotation(random, frame.rotation);
		}
		assert_int_equal(snugBody_SetFrame(made->bodies[i].thing.body, &frame), snug_success);
	}
}

// Oracle: every ray at every body.
static void CheckSceneRays(uint64_t seed, RayScene* made, const snugRay* rays, uint64_t count, uint32_t mask, bool any)
{
	snugRayHit* hits = malloc(count * sizeof(snugRayHit));
	const snugRayQuery query = { .mask = mask, .any = any };
	snugSceneResult result = snugScene_CastRays(made->scene, rays, count, hits, &query);
	assert_int_equal(result.status, snug_success);
	uint64_t found = 0;
	for (uint64_t i = 0; i < count; ++i)
	{
		snugRayHit best = { .t = 2.0, .triangle = SNUG_NONE, .body = SNUG_NONE };
		for (uint32_t k = 0; k < SCENE_BODIES && !(any && best.body != SNUG_NONE); ++k)
		{
			snugRayHit hit;
			const snugRayQuery one = { .origin = { made->origin[0], made->origin[1], made->origin[2] }, .any = any };
			bool isAsked = mask == 0 || (mask >> k % 4 & 1) != 0;
			snugCastRays(made->bodies[k].thing.body, rays + i, 1, &hit, &one);
			if (isAsked && hit.t < best.t)
			{
				best = hit;
				best.body = made->ids[k];
			}
		}
		if (memcmp(&best, hits + i, sizeof(best)) != 0)
		{
			Fail(seed, "another hit in a scene", rays + i);
		}
		found += best.body != SNUG_NONE;
	}
	assert_int_equal(result.count, found);
	free(hits);
}

// Everything that a ray hits: what each body has, put together and sorted apart from the library.
static int CompareSceneHits(const void* first, const void* second)
{
	const snugRayHit *x = first, *y = second;
	return x->t != y->t         ? (x->t < y->t ? -1 : 1)
	       : x->body != y->body ? (x->body < y->body ? -1 : 1)
	                            : (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

static void CheckSceneHits(uint64_t seed, RayScene* made, const snugRay* ray, uint32_t mask)
{
	enum
	{
		MOST = 4096
	};
	static snugRayHit expected[MOST], hits[MOST + 1];
	static snugRayHit own[MOST];
	const snugRayQuery one = { .origin = { made->origin[0], made->origin[1], made->origin[2] } };
	uint64_t count = 0;
	for (uint32_t k = 0; k < SCENE_BODIES; ++k)
	{
		bool isAsked = mask == 0 || (mask & 1u << k % 4) != 0;
		uint64_t found = isAsked ? snugFindHits(made->bodies[k].thing.body, ray, own, MOST, &one).count : 0;
		for (uint64_t i = 0; i < found; ++i)
		{
			assert_true(count < MOST);
			expected[count] = own[i];
			expected[count++].body = made->ids[k];
		}
	}
	qsort(expected, (size_t)count, sizeof(snugRayHit), CompareSceneHits);
	static const uint64_t capacities[] = { MOST, 0, 1, 3 };
	for (size_t c = 0; c < LENGTH_OF(capacities); ++c)
	{
		uint64_t room = capacities[c], kept = count < room ? count : room;
		snugRayHit behind;
		memset(&behind, 0xa5, sizeof(behind));
		hits[room] = behind;
		snugSceneResult result =
		    snugScene_FindHits(made->scene, ray, room > 0 ? hits : NULL, room, &(snugRayQuery){ .mask = mask });
		assert_int_equal(result.status, snug_success);
		assert_memory_equal(hits + room, &behind, sizeof(behind));
		if (result.count != count || memcmp(hits, expected, (size_t)kept * sizeof(snugRayHit)) != 0)
		{
			fail_msg("SNUG_SEED=%llu: other hits, %llu and %llu", (unsigned long long)seed,
			    (unsigned long long)result.count, (unsigned long long)count);
		}
	}
}

static void rays_through_scenes_hit_the_nearest_body(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(30); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		RayScene made = MakeRayScene(&random, seed);
		for (int step = 0; step < 4; ++step)
		{
			snugRay rays[150];
			PlaceAll(&random, &made);
			for (int i = 0; i < 150; ++i)
			{
				for (int k = 0; k < 3; ++k)
				{
					rays[i].from[k] = (float)sceneRandom_Range(&random, -6.0, 6.0);
					rays[i].to[k] =
					    i % 9 == 0 && k > 0 ? rays[i].from[k] : (float)sceneRandom_Range(&random, -6.0, 6.0);
				}
			}
			uint32_t mask = step == 2 ? 5 : 0;
			CheckSceneRays(seed, &made, rays, n % 5 == 0 ? 1 : 150, mask, step == 3);
			for (int i = 0; i < 20; ++i)
			{
				CheckSceneHits(seed, &made, rays + i, mask);
			}
			if (step == 1) // updates and rays do not disturb each other
			{
				assert_int_equal(snugScene_Update(made.scene, NULL).status, snug_success);
				CheckSceneRays(seed, &made, rays, 150, 0, false);
			}
			if (step == 2)
			{
				made.origin[2] += 0.25;
				assert_int_equal(snugScene_SetOrigin(made.scene, made.origin), snug_success);
			}
		}
		snugScene_Destroy(made.scene);
		for (uint32_t i = 0; i < SCENE_BODIES; ++i)
		{
			Posed_Free(made.bodies + i);
		}
	}
}

// Boxes along the axes and rays along them, in their faces and edges, and past them by nothing.
static void rays_along_faces_hit_them(void** state)
{
	(void)state;
	RayScene made = { .origin = { 0.0 } };
	assert_int_equal(snugScene_Create(&(snugSceneDef){ .origin = { 0.0 } }, &made.scene), snug_success);
	sceneRandom random = { TestSeed() };
	for (uint32_t i = 0; i < SCENE_BODIES; ++i)
	{
		sceneMesh mesh = sceneMakeVoxelBox(1, 1 + i % 2, 1 + i % 3, 1.0);
		sceneMesh_Translate(&mesh, (double)(i % 4) - 2.0, (double)(i / 4) - 1.0, (double)(i % 3) - 1.0);
		made.bodies[i] = Posed_Make(&random, mesh, snug_rigid, NULL);
		const snugSceneBodyDef def = { .body = made.bodies[i].thing.body, .groups = 1u << i % 4 };
		assert_int_equal(snugScene_Add(made.scene, &def, made.ids + i), snug_success);
	}
	uint64_t hits = 0;
	for (int n = 0; n < 400; ++n)
	{
		snugRay ray;
		for (int k = 0; k < 3; ++k)
		{
			ray.from[k] = 0.5f * (float)sceneRandom_Index(&random, 13) - 3.0f;
			ray.to[k] = ray.from[k];
		}
		ray.to[n % 3] = 0.5f * (float)sceneRandom_Index(&random, 13) - 3.0f;
		CheckSceneRays((uint64_t)n, &made, &ray, 1, 0, n % 2 == 0);
		CheckSceneHits((uint64_t)n, &made, &ray, 0);
		hits += snugScene_FindHits(made.scene, &ray, NULL, 0, NULL).count;
	}
	assert_true(hits > 400);
	snugScene_Destroy(made.scene);
	for (uint32_t i = 0; i < SCENE_BODIES; ++i)
	{
		Posed_Free(made.bodies + i);
	}
}

static void bad_rays_through_scenes_are_refused(void** state)
{
	(void)state;
	sceneRandom random = { 1 };
	RayScene made = MakeRayScene(&random, 1);
	const snugRay ray = { { -9.0f, 0.0f, 0.0f }, { 9.0f, 0.0f, 0.0f } }, bad = { { NAN }, { 0.0f } };
	snugRayHit hit;
	const snugRayQuery dirty = { .reserved = { 1 } };
	assert_int_equal(snugScene_CastRays(made.scene, &ray, 1, &hit, NULL).count, 1);
	assert_int_equal(snugScene_CastRays(made.scene, &bad, 1, &hit, NULL).status, snug_badInput);
	assert_int_equal(snugScene_CastRays(made.scene, &ray, 1, &hit, &dirty).status, snug_badArgument);
	assert_int_equal(snugScene_CastRays(made.scene, &ray, 1, NULL, NULL).status, snug_badArgument);
	assert_int_equal(snugScene_CastRays(made.scene, NULL, 1, &hit, NULL).status, snug_badArgument);
	assert_int_equal(snugScene_CastRays(NULL, &ray, 1, &hit, NULL).status, snug_badArgument);
	assert_int_equal(snugScene_CastRays(made.scene, NULL, 0, NULL, NULL).status, snug_success);
	assert_int_equal(snugScene_FindHits(made.scene, &bad, &hit, 1, NULL).status, snug_badInput);
	assert_int_equal(snugScene_FindHits(made.scene, &ray, &hit, 1, &dirty).status, snug_badArgument);
	assert_int_equal(snugScene_FindHits(made.scene, &ray, NULL, 1, NULL).status, snug_badArgument);
	assert_int_equal(snugScene_FindHits(made.scene, NULL, &hit, 1, NULL).status, snug_badArgument);
	assert_int_equal(snugScene_FindHits(NULL, &ray, &hit, 1, NULL).status, snug_badArgument);
	Place(made.bodies[4].thing.body, 1e300, 0.0, 0.0);
	snugSceneResult far = snugScene_CastRays(made.scene, &ray, 1, &hit, NULL);
	assert_int_equal(far.status, snug_outOfRange);
	assert_int_equal(far.body, made.ids[4]);
	snugScene_Destroy(made.scene);
	for (uint32_t i = 0; i < SCENE_BODIES; ++i)
	{
		Posed_Free(made.bodies + i);
	}
}

// A triangle that is a segment is hit, and is nearest, as others are; its normal is zero, and no NaN.
static void what_has_no_area_has_no_normal(void** state)
{
	(void)state;
	static const float positions[9] = { 0, 0, 0, 2, 0, 0, 4, 0, 0 }, point[3] = { 1, 1, 0 }, none[3] = { 0 };
	static const uint32_t triangle[3] = { 0, 1, 2 };
	const snugRay ray = { { 1, -1, 0 }, { 1, 1, 0 } };
	const snugModelDef def = { .positions = positions, .vertexCount = 3, .triangles = triangle, .triangleCount = 1 };
	snugModel* model;
	assert_int_equal(snugModel_Create(&def, &model), snug_success);
	snugBody* body = MakeBody(model, NULL);
	snugRayHit hit;
	snugClosest closest;
	assert_int_equal(snugCastRays(body, &ray, 1, &hit, NULL).count, 1);
	assert_memory_equal(hit.normal, none, sizeof(none));
	assert_int_equal(snugFindClosest(body, point, 0, 1, &closest, NULL).count, 1);
	assert_memory_equal(closest.normal, none, sizeof(none));
	snugBody_Destroy(body);
	snugModel_Destroy(model);
}

static void bad_rays_are_refused(void** state)
{
	(void)state;
	sceneRandom random = { 7 };
	Posed posed = Posed_Make(&random, sceneMakeTetrahedron(), snug_rigid, NULL);
	snugBody* body = posed.thing.body;
	snugRay rays[2] = { { { 0.1f, 0.1f, 1.0f }, { 0.1f, 0.1f, -1.0f } }, { { 0.0f }, { 0.0f, NAN, 0.0f } } };
	snugRayHit hits[2];
	snugRayQuery query = { .origin = { 0.0, 0.0, NAN } }, far = { .origin = { 1e300, 0.0, 0.0 } },
	             dirty = { .reserved = { 1 } };
	assert_int_equal(snugCastRays(body, rays, 1, hits, NULL).status, snug_success);
	assert_int_equal(snugCastRays(body, rays, 2, hits, NULL).status, snug_badInput);
	rays[1].to[1] = 2e36f;
	assert_int_equal(snugCastRays(body, rays, 2, hits, NULL).status, snug_badInput);
	assert_int_equal(snugFindHits(body, rays + 1, hits, 2, NULL).status, snug_badInput);
	assert_int_equal(snugCastRays(NULL, rays, 1, hits, NULL).status, snug_badArgument);
	assert_int_equal(snugCastRays(body, NULL, 1, hits, NULL).status, snug_badArgument);
	assert_int_equal(snugCastRays(body, rays, 1, NULL, NULL).status, snug_badArgument);
	assert_int_equal(snugCastRays(body, rays, 1, hits, &query).status, snug_badArgument);
	assert_int_equal(snugCastRays(body, rays, 1, hits, &dirty).status, snug_badArgument);
	assert_int_equal(snugCastRays(body, rays, 1, hits, &far).status, snug_outOfRange);
	assert_int_equal(snugFindHits(body, NULL, hits, 2, NULL).status, snug_badArgument);
	assert_int_equal(snugFindHits(body, rays, NULL, 2, NULL).status, snug_badArgument);
	assert_int_equal(snugFindHits(body, rays, NULL, 0, NULL).count, 2);
	assert_int_equal(snugCastRays(body, NULL, 0, NULL, NULL).status, snug_success);
	Posed_Free(&posed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rays_hit_what_all_triangles_say),
		cmocka_unit_test(grazing_rays_far_out_hit_vertices),
		cmocka_unit_test(nothing_slips_through_closed_surfaces),
		cmocka_unit_test(clipping_loses_no_box_on_the_segment),
		cmocka_unit_test(passing_loses_no_triangle_on_the_line),
		cmocka_unit_test(rays_through_scenes_hit_the_nearest_body),
		cmocka_unit_test(rays_along_faces_hit_them),
		cmocka_unit_test(what_has_no_area_has_no_normal),
		cmocka_unit_test(bad_rays_through_scenes_are_refused),
		cmocka_unit_test(bad_rays_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
