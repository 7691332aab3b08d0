#include "papers/bdtree/layered_spheres.h"

#include "geometry/triangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct sphere
{
	float center[3];
	float radius;
} sphere;

struct layeredSpheres
{
	binaryTree tree;
	const float* positions;
	sphere* spheres; ///< (nodes)
};

layeredSpheres* layeredSpheres_Create(const snugModel* model)
{
	layeredSpheres* made = calloc(1, sizeof(layeredSpheres));
	if (made == NULL || !binaryTree_Create(&made->tree, model))
	{
		free(made);
		return NULL;
	}
	made->spheres = calloc((size_t)made->tree.nodeCount + 1, sizeof(sphere));
	if (made->spheres == NULL)
	{
		layeredSpheres_Destroy(made);
		return NULL;
	}
	return made;
}

void layeredSpheres_Destroy(layeredSpheres* spheres)
{
	if (spheres != NULL)
	{
		binaryTree_Free(&spheres->tree);
		free(spheres->spheres);
		free(spheres);
	}
}

/// Added to radii, relative to the size of what they are computed from: far more than float32 loses on the way.
static const float margin = 1e-5f;

static float Size(const float p[3])
{
	return fabsf(p[0]) + fabsf(p[1]) + fabsf(p[2]);
}

// The smallest sphere around a triangle: on its longest side if it is not acute, else through all corners.
static sphere SphereOfTriangle(const float* a, const float* b, const float* c)
{
	float ab[3], ac[3], bc[3], center[3];
	float abab = 0.0f, acac = 0.0f, bcbc = 0.0f, abac = 0.0f;
	for (int k = 0; k < 3; ++k)
	{
		ab[k] = b[k] - a[k];
		ac[k] = c[k] - a[k];
		bc[k] = c[k] - b[k];
		abab += ab[k] * ab[k];
		acac += ac[k] * ac[k];
		bcbc += bc[k] * bc[k];
		abac += ab[k] * ac[k];
	}
	float det = 2.0f * (abab * acac - abac * abac);
	float s = acac * (abab - abac), t = abab * (acac - abac);
	bool isAcute = abac > 0.0f && abab > abac && acac > abac && det > 1e-6f * abab * acac;
	float r2 = 0.0f;
	for (int k = 0; k < 3; ++k)
	{
		float longest = abab >= acac && abab >= bcbc ? a[k] + 0.5f * ab[k]
		                                             : (acac >= bcbc ? a[k] + 0.5f * ac[k] : b[k] + 0.5f * bc[k]);
		center[k] = isAcute ? a[k] + (s * ab[k] + t * ac[k]) / det : longest;
	}
	const float* corners[3] = { a, b, c };
	for (int i = 0; i < 3; ++i)
	{
		float x = corners[i][0] - center[0], y = corners[i][1] - center[1], z = corners[i][2] - center[2];
		float d2 = x * x + y * y + z * z;
		r2 = d2 > r2 ? d2 : r2;
	}
	sphere made = { .radius = sqrtf(r2) * (1.0f + margin) + margin * 1e-1f * Size(center) };
	memcpy(made.center, center, sizeof(center));
	return made;
}

static sphere Merge(const sphere* a, const sphere* b)
{
	float d[3], d2 = 0.0f;
	for (int k = 0; k < 3; ++k)
	{
		d[k] = b->center[k] - a->center[k];
		d2 += d[k] * d[k];
	}
	float distance = sqrtf(d2);
	if (a->radius >= distance + b->radius || b->radius >= distance + a->radius)
	{
		return a->radius >= b->radius ? *a : *b;
	}
	sphere made;
	made.radius = 0.5f * (distance + a->radius + b->radius);
	float along = distance > 0.0f ? (made.radius - a->radius) / distance : 0.0f;
	for (int k = 0; k < 3; ++k)
	{
		made.center[k] = a->center[k] + along * d[k];
	}
	made.radius = made.radius * (1.0f + 0.1f * margin) + 0.1f * margin * Size(made.center);
	return made;
}

void layeredSpheres_Update(layeredSpheres* spheres, const float* positions)
{
	spheres->positions = positions;
	for (uint32_t i = spheres->tree.nodeCount; i-- > 0;)
	{
		const binaryNode* node = spheres->tree.nodes + i;
		sphere* out = spheres->spheres + i;
		if (node->childCount == 0)
		{
			const uint32_t* corner = spheres->tree.corners[node->first];
			*out = SphereOfTriangle(positions + 3 * (size_t)corner[0], positions + 3 * (size_t)corner[1],
			    positions + 3 * (size_t)corner[2]);
		}
		else
		{
			*out = Merge(spheres->spheres + node->first, spheres->spheres + node->first + 1);
		}
	}
}

double layeredSpheres_GetRadius(const layeredSpheres* spheres, uint32_t node)
{
	return (double)spheres->spheres[node].radius;
}

/// A query under way.
typedef struct search
{
	const layeredSpheres *a, *b;
	binaryPairs pairs;
	binaryBall ball;
	binaryHits hits;
	layeredCounters* counters;
} search;

static bool Overlap(void* user, uint32_t nodeA, uint32_t nodeB)
{
	search* s = user;
	const sphere *a = s->a->spheres + nodeA, *b = s->b->spheres + nodeB;
	float x = a->center[0] - b->center[0], y = a->center[1] - b->center[1], z = a->center[2] - b->center[2];
	float reach = a->radius + b->radius;
	++s->counters->sphereTests;
	return x * x + y * y + z * z <= reach * reach;
}

static bool IsLarger(void* user, uint32_t nodeA, uint32_t nodeB)
{
	const search* s = user;
	return s->a->spheres[nodeA].radius >= s->b->spheres[nodeB].radius;
}

static void GetCorners(const layeredSpheres* spheres, uint32_t leaf, float corners[3][3])
{
	for (int c = 0; c < 3; ++c)
	{
		memcpy(corners[c], spheres->positions + 3 * (size_t)spheres->tree.corners[leaf][c], sizeof(corners[c]));
	}
}

static void TestTriangles(void* user, uint32_t leafA, uint32_t leafB)
{
	search* s = user;
	float p[3][3], q[3][3];
	GetCorners(s->a, leafA, p);
	GetCorners(s->b, leafB, q);
	++s->counters->triangleTests;
	if (sgTriangles_Intersect((const float(*)[3])p, (const float(*)[3])q))
	{
		binaryPairs_Add(&s->pairs, s->a->tree.triangles[leafA], s->b->tree.triangles[leafB]);
	}
}

uint64_t layeredSpheres_Collide(
    const layeredSpheres* a, const layeredSpheres* b, snugPair* pairs, uint64_t capacity, layeredCounters* counters)
{
	search s = { .a = a, .b = b, .pairs = { pairs, capacity, 0 }, .counters = counters };
	*counters = (layeredCounters){ 0 };
	binaryWalk_Run(&(binaryWalk){ &a->tree, &b->tree, &s, Overlap, IsLarger, TestTriangles });
	return s.pairs.count;
}

static bool OverlapBall(void* user, uint32_t node)
{
	search* s = user;
	const sphere* a = s->a->spheres + node;
	double square = 0.0, reach = (double)a->radius + s->ball.radius;
	for (int k = 0; k < 3; ++k)
	{
		double d = (double)a->center[k] - s->ball.center[k];
		square += d * d;
	}
	++s->counters->sphereTests;
	return square <= reach * reach;
}

static void TestBall(void* user, uint32_t leaf)
{
	search* s = user;
	float corners[3][3];
	GetCorners(s->a, leaf, corners);
	++s->counters->triangleTests;
	if (binaryDistance2((const float(*)[3])corners, s->ball.center) <= s->ball.radius * s->ball.radius)
	{
		binaryHits_Add(&s->hits, s->a->tree.triangles[leaf]);
	}
}

uint64_t layeredSpheres_CollideBall(const layeredSpheres* spheres, const binaryBall* ball, uint32_t* triangles,
    uint64_t capacity, layeredCounters* counters)
{
	search s = { .a = spheres, .ball = *ball, .hits = { triangles, capacity, 0 }, .counters = counters };
	*counters = (layeredCounters){ 0 };
	binarySearch_Run(&(binarySearch){ &spheres->tree, &s, OverlapBall, TestBall });
	return s.hits.count;
}
