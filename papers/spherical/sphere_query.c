// Bodies of sphere trees, and queries between two of them.
#include "geometry/triangle.h"
#include "papers/spherical/sphere_parts.h"
#include "tree/leaf_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Bodies ----------------------------------------------------------------------------------------------------

sphereBody* sphereBody_Create(const sphereTree* tree, snugBody* body)
{
	size_t nodes = tree->nodeCount, leaves = tree->tree.leafCount, vertices = (size_t)tree->model->tree.vertexCount + 1;
	size_t transforms = sgLinear_Get(tree->model).header->transformCount;
	sphereBody* s = calloc(1, sizeof(sphereBody));
	if (s == NULL)
	{
		return NULL;
	}
	s->tree = tree;
	s->body = body;
	s->balls = simHoard_Take(&s->hoard, nodes, sizeof(sphereBall));
	s->world = simHoard_Take(&s->hoard, nodes, sizeof(s->world[0]));
	s->fresh = simHoard_Take(&s->hoard, nodes, sizeof(uint32_t));
	s->evaluated = simHoard_Take(&s->hoard, vertices, sizeof(uint32_t));
	s->positions = simHoard_Take(&s->hoard, 3 * vertices, sizeof(float));
	s->placed = simHoard_Take(&s->hoard, leaves, sizeof(uint32_t));
	s->corners = simHoard_Take(&s->hoard, leaves, sizeof(s->corners[0]));
	s->scratch = simHoard_Take(&s->hoard, tree->mostBalls, sizeof(sphereBall));
	s->images = simHoard_Take(&s->hoard, tree->mostJoints, sizeof(s->images[0]));
	s->units = simHoard_Take(&s->hoard, tree->mostBalls, sizeof(s->units[0]));
	s->matrices = simHoard_Take(&s->hoard, transforms, sizeof(s->matrices[0]));
	s->stretches = simHoard_Take(&s->hoard, transforms, sizeof(double));
	s->quaternions = simHoard_Take(&s->hoard, transforms, sizeof(s->quaternions[0]));
	s->centers = simHoard_Take(&s->hoard, tree->setCount, sizeof(s->centers[0]));
	s->signs = simHoard_Take(&s->hoard, tree->jointCount, sizeof(double));
	if (s->hoard.isShort)
	{
		sphereBody_Destroy(s);
		return NULL;
	}
	return s;
}

void sphereBody_Destroy(sphereBody* spheres)
{
	if (spheres != NULL)
	{
		simHoard_Free(&spheres->hoard);
		free(spheres);
	}
}

snugStatus sphereBody_Update(sphereBody* spheres)
{
	static const double origin[3] = { 0.0, 0.0, 0.0 };
	snugCounters counters = { 0 };
	sgBox root;
	++spheres->version;
	spheres->counters = (sphereCounters){ 0 };
	snugStatus status = sgBody_MakePlacement(spheres->body, origin, &root, &spheres->placement, &counters);
	return status != snug_success ? status : spherePose_Read(spheres) ? snug_success : snug_badInput;
}

// Keep a node's ball, and where it is in the world.
static void SetBall(sphereBody* s, uint32_t node, const sphereBall* ball)
{
	const sgPlacement* place = &s->placement;
	s->balls[node] = *ball;
	s->fresh[node] = s->version;
	++s->counters.nodesRefitted;
	for (int i = 0; i < 3; ++i)
	{
		s->world[node][i] = place->translation[i];
		for (int k = 0; k < 3; ++k)
		{
			s->world[node][i] += place->rotation[i][k] * ball->center[k];
		}
	}
}

sphereBall sphereBody_Refit(sphereBody* spheres, uint32_t node)
{
	if (spheres->fresh[node] != spheres->version)
	{
		sphereBall ball = spherePose_Bound(spheres, spheres->tree->nodes + node);
		SetBall(spheres, node, &ball);
	}
	return spheres->balls[node];
}

bool sphereBody_IsFresh(const sphereBody* spheres, uint32_t node)
{
	return spheres->fresh[node] == spheres->version;
}

sphereCounters sphereBody_GetCounters(const sphereBody* spheres)
{
	return spheres->counters;
}

void spherePose_Evaluate(sphereBody* spheres, const uint32_t* vertices, uint32_t count)
{
	for (uint32_t done = 0; done < count;)
	{
		uint32_t stale[SG_MAX_LEAF_VERTICES + SG_LANES] = { 0 }, wanted = 0;
		for (; done < count && wanted < SG_MAX_LEAF_VERTICES; ++done)
		{
			bool isStale = spheres->evaluated[vertices[done]] != spheres->version;
			spheres->evaluated[vertices[done]] = spheres->version;
			stale[wanted] = vertices[done];
			wanted += isStale;
		}
		sgLeafScratch scratch;
		sgLeafVertices found = sgBody_Evaluate(spheres->body, stale, wanted, &scratch);
		for (uint32_t i = 0; i < wanted; ++i)
		{
			const float* p = found.positions + 3 * (size_t)found.indices[i];
			memcpy(spheres->positions + 3 * (size_t)stale[i], p, 3 * sizeof(float));
		}
		spheres->counters.verticesEvaluated += wanted;
	}
}

// The corners of a leaf's triangle, as queries place them.
static const float (*PlaceLeaf(sphereBody* s, uint32_t number))[3]
{
	uint32_t vertices[3 + SG_LANES] = { 0 };
	if (s->placed[number] == s->version)
	{
		return (const float(*)[3])s->corners[number];
	}
	sgVertexBlock block;
	memcpy(vertices, s->tree->tree.corners[number], 3 * sizeof(uint32_t));
	spherePose_Evaluate(s, vertices, 3);
	sgGetKernels()->leaves->gatherVertices(s->positions, vertices, 3, &block);
	sgGetKernels()->leaves->placeVertices(&block, 3, &s->placement);
	for (int i = 0; i < 9; ++i)
	{
		s->corners[number][i / 3][i % 3] = block.coordinate[i % 3][i / 3];
	}
	s->placed[number] = s->version;
	return (const float(*)[3])s->corners[number];
}

static sphereBall EncloseLeaf(sphereBody* s, uint32_t number)
{
	sphereBall corners[3];
	for (int c = 0; c < 3; ++c)
	{
		const float* p = s->positions + 3 * (size_t)s->tree->tree.corners[number][c];
		corners[c] = (sphereBall){ .center = { (double)p[0], (double)p[1], (double)p[2] } };
	}
	return sphereEnclose(corners, 3);
}

// Children have larger numbers.
void sphereBody_RefitBottomUp(sphereBody* spheres)
{
	const sphereTree* tree = spheres->tree;
	if (tree->tree.leafCount == 0)
	{
		return;
	}
	spherePose_Evaluate(spheres, tree->tree.corners[0], 3 * tree->tree.leafCount);
	for (uint32_t i = tree->nodeCount; i-- > 0;)
	{
		const sphereNode* node = tree->nodes + i;
		sphereBall ball = node->childCount == 0 ? EncloseLeaf(spheres, node->leaf)
		                                        : sphereEnclose(spheres->balls + node->firstChild, node->childCount);
		ball.radius *= 1.0 + 1e-12;
		SetBall(spheres, i, &ball);
	}
}

// ---- Queries ---------------------------------------------------------------------------------------------------

typedef struct search
{
	sphereBody *a, *b;
	double slack; ///< what placing vertices may put them off, of both
	bool stopsAtFirst;
	snugPair* pairs;
	uint64_t capacity, count;
} search;

static void TestTriangles(search* s, uint32_t leafA, uint32_t leafB)
{
	++s->a->counters.triangleTests;
	if (sgTriangles_Intersect(PlaceLeaf(s->a, leafA), PlaceLeaf(s->b, leafB)))
	{
		if (s->count < s->capacity)
		{
			s->pairs[s->count] = (snugPair){ s->a->tree->tree.triangles[leafA], s->b->tree->tree.triangles[leafB] };
		}
		++s->count;
	}
}

static void Visit(search* s, uint32_t nodeA, uint32_t nodeB)
{
	if (s->stopsAtFirst && s->count > 0)
	{
		return;
	}
	sphereBall ballA = sphereBody_Refit(s->a, nodeA), ballB = sphereBody_Refit(s->b, nodeB);
	double square = 0.0, reach = ballA.radius + ballB.radius + s->slack;
	for (int k = 0; k < 3; ++k)
	{
		double d = s->a->world[nodeA][k] - s->b->world[nodeB][k];
		square += d * d;
	}
	++s->a->counters.volumeTests;
	if (square > reach * reach)
	{
		return;
	}
	const sphereNode *a = s->a->tree->nodes + nodeA, *b = s->b->tree->nodes + nodeB;
	if (a->childCount == 0 && b->childCount == 0)
	{
		TestTriangles(s, a->leaf, b->leaf);
		return;
	}
	bool opensA = b->childCount == 0 || (a->childCount > 0 && ballA.radius >= ballB.radius);
	for (uint32_t i = 0; i < (opensA ? a->childCount : b->childCount); ++i)
	{
		Visit(s, opensA ? a->firstChild + i : nodeA, opensA ? nodeB : b->firstChild + i);
	}
}

static int ComparePairs(const void* a, const void* b)
{
	const snugPair *p = a, *q = b;
	return p->a != q->a ? (p->a < q->a ? -1 : 1) : p->b < q->b ? -1 : p->b > q->b ? 1 : 0;
}

// Balls contain vertices in body space. Placing puts a vertex off by at most `error` per axis, and the centres here by
// rounding in double, which is far less.
uint64_t sphereCollide(sphereBody* a, sphereBody* b, bool stopsAtFirst, snugPair* pairs, uint64_t capacity)
{
	search s = { .a = a, .b = b, .stopsAtFirst = stopsAtFirst, .pairs = pairs, .capacity = capacity };
	if (a->tree->tree.leafCount == 0 || b->tree->tree.leafCount == 0)
	{
		return 0;
	}
	for (int i = 0; i < 2; ++i)
	{
		const sphereBody* body = i == 0 ? a : b;
		double far = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			far += fabs(body->placement.translation[k]);
		}
		s.slack += 1.75 * body->placement.error + 1e-13 * far;
	}
	Visit(&s, 0, 0);
	qsort(pairs, (size_t)(s.count < capacity ? s.count : capacity), sizeof(snugPair), ComparePairs);
	return s.count;
}
