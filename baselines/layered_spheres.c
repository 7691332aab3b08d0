#include "baselines/layered_spheres.h"

#include "geometry/triangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct sphere
{
	float center[3];
	float radius;
} sphere;

/// A node as the update and the traversal need it: next to nothing, so that memory is no excuse.
typedef struct layeredNode
{
	uint32_t first; ///< slot of the first child, or number of the leaf
	uint32_t childCount;
} layeredNode;

struct layeredSpheres
{
	const snugModel* model;
	const float* positions;
	uint32_t nodeCount; ///< compact numbers, parents before children
	layeredNode* nodes;
	uint32_t (*corners)[3]; ///< of each leaf's triangle
	uint32_t* slotNumbers;  ///< (slots): number of the node
	sphere* spheres;
};

layeredSpheres* layeredSpheres_Create(const snugModel* model)
{
	const sgTree* tree = &model->tree;
	size_t slots = (size_t)tree->groupCount * SG_LANES;
	layeredSpheres* made = calloc(1, sizeof(layeredSpheres));
	if (made == NULL)
	{
		return NULL;
	}
	made->model = model;
	made->nodes = calloc(slots + 1, sizeof(layeredNode));
	made->corners = calloc((size_t)tree->leafCount + 1, sizeof(*made->corners));
	made->slotNumbers = calloc(slots + 1, sizeof(uint32_t));
	made->spheres = calloc(slots + 1, sizeof(sphere));
	if (made->nodes == NULL || made->corners == NULL || made->slotNumbers == NULL || made->spheres == NULL)
	{
		layeredSpheres_Destroy(made);
		return NULL;
	}
	for (uint32_t slot = 0; slot < slots; ++slot)
	{
		made->slotNumbers[slot] = made->nodeCount;
		made->nodeCount += tree->nodes[slot].first != SG_NONE;
	}
	for (uint32_t slot = 0; slot < slots; ++slot)
	{
		const sgNode* node = tree->nodes + slot;
		if (node->first != SG_NONE)
		{
			uint32_t first = node->childCount > 0 ? made->slotNumbers[node->first] : node->first;
			made->nodes[made->slotNumbers[slot]] = (layeredNode){ first, node->childCount };
		}
	}
	// A model without triangles has a root all the same.
	made->nodeCount = tree->triangleCount > 0 ? made->nodeCount : 0;
	for (uint32_t i = 0; i < tree->leafCount; ++i)
	{
		const sgLeaf* leaf = tree->leaves + i;
		for (int c = 0; c < 3; ++c)
		{
			made->corners[i][c] = tree->leafVertices[leaf->firstVertex + leaf->corners[c][0]];
		}
	}
	return made;
}

void layeredSpheres_Destroy(layeredSpheres* spheres)
{
	if (spheres != NULL)
	{
		free(spheres->nodes);
		free(spheres->corners);
		free(spheres->slotNumbers);
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
	for (uint32_t i = spheres->nodeCount; i-- > 0;)
	{
		const layeredNode* node = spheres->nodes + i;
		sphere* out = spheres->spheres + i;
		if (node->childCount == 0)
		{
			const uint32_t* corner = spheres->corners[node->first];
			*out = SphereOfTriangle(positions + 3 * (size_t)corner[0], positions + 3 * (size_t)corner[1],
			    positions + 3 * (size_t)corner[2]);
		}
		else
		{
			*out = node->childCount == 1 ? spheres->spheres[node->first]
			                             : Merge(spheres->spheres + node->first, spheres->spheres + node->first + 1);
		}
	}
}

double layeredSpheres_GetRadius(const layeredSpheres* spheres, uint32_t slot)
{
	return (double)spheres->spheres[spheres->slotNumbers[slot]].radius;
}

static bool Overlap(const sphere* a, const sphere* b)
{
	float x = a->center[0] - b->center[0], y = a->center[1] - b->center[1], z = a->center[2] - b->center[2];
	float reach = a->radius + b->radius;
	return x * x + y * y + z * z <= reach * reach;
}

/// A query under way.
typedef struct search
{
	const layeredSpheres *a, *b;
	snugPair* pairs;
	uint64_t capacity, count;
	layeredCounters* counters;
} search;

static void TestTriangles(search* s, uint32_t leafA, uint32_t leafB)
{
	float p[3][3], q[3][3];
	for (int c = 0; c < 3; ++c)
	{
		memcpy(p[c], s->a->positions + 3 * (size_t)s->a->corners[leafA][c], sizeof(p[c]));
		memcpy(q[c], s->b->positions + 3 * (size_t)s->b->corners[leafB][c], sizeof(q[c]));
	}
	++s->counters->triangleTests;
	if (!sgTriangles_Intersect((const float(*)[3])p, (const float(*)[3])q))
	{
		return;
	}
	if (s->count < s->capacity)
	{
		const sgTree *treeA = &s->a->model->tree, *treeB = &s->b->model->tree;
		s->pairs[s->count] = (snugPair){ treeA->triangleMap[treeA->leaves[leafA].firstTriangle],
			treeB->triangleMap[treeB->leaves[leafB].firstTriangle] };
	}
	++s->count;
}

// Children of both, as snug's own traversal does; recursion is as deep as the deeper tree.
static void Descend(search* s, uint32_t nodeA, uint32_t nodeB)
{
	const layeredNode *a = s->a->nodes + nodeA, *b = s->b->nodes + nodeB;
	if (a->childCount == 0 && b->childCount == 0)
	{
		TestTriangles(s, a->first, b->first);
		return;
	}
	uint32_t firstA = a->childCount > 0 ? a->first : nodeA, countA = a->childCount > 0 ? a->childCount : 1;
	uint32_t firstB = b->childCount > 0 ? b->first : nodeB, countB = b->childCount > 0 ? b->childCount : 1;
	s->counters->sphereTests += (uint64_t)countA * countB;
	for (uint32_t i = firstA; i < firstA + countA; ++i)
	{
		for (uint32_t k = firstB; k < firstB + countB; ++k)
		{
			if (Overlap(s->a->spheres + i, s->b->spheres + k))
			{
				Descend(s, i, k);
			}
		}
	}
}

uint64_t layeredSpheres_Collide(
    const layeredSpheres* a, const layeredSpheres* b, snugPair* pairs, uint64_t capacity, layeredCounters* counters)
{
	search s = { .a = a, .b = b, .pairs = pairs, .capacity = capacity, .counters = counters };
	*counters = (layeredCounters){ .sphereTests = 1 };
	if (a->nodeCount > 0 && b->nodeCount > 0 && Overlap(a->spheres, b->spheres))
	{
		Descend(&s, 0, 0);
	}
	return s.count;
}
