#include "papers/common/binary_tree.h"

#include "geometry/triangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Tree ------------------------------------------------------------------------------------------------------

static void NumberNodes(binaryTree* made, const sgTree* tree)
{
	uint32_t slots = tree->groupCount * SG_LANES;
	for (uint32_t slot = 0; slot < slots; ++slot)
	{
		made->numbers[slot] = made->nodeCount;
		made->slots[made->nodeCount] = slot;
		made->nodeCount += tree->nodes[slot].first != SG_NONE;
	}
	for (uint32_t i = 0; i < made->nodeCount; ++i)
	{
		const sgNode* node = tree->nodes + made->slots[i];
		uint32_t first = node->childCount > 0 ? made->numbers[node->first] : node->first;
		made->nodes[i] = (binaryNode){ first, node->childCount };
	}
	// A model without triangles has a root all the same.
	made->nodeCount = tree->triangleCount > 0 ? made->nodeCount : 0;
}

bool binaryTree_Create(binaryTree* made, const snugModel* model)
{
	const sgTree* tree = &model->tree;
	size_t slots = (size_t)tree->groupCount * SG_LANES + 1, leaves = (size_t)tree->leafCount + 1;
	*made = (binaryTree){
		.model = model,
		.nodes = calloc(slots, sizeof(binaryNode)),
		.slots = calloc(slots, sizeof(uint32_t)),
		.numbers = calloc(slots, sizeof(uint32_t)),
		.corners = calloc(leaves, sizeof(*made->corners)),
		.triangles = calloc(leaves, sizeof(uint32_t)),
	};
	if (made->nodes == NULL || made->slots == NULL || made->numbers == NULL || made->corners == NULL ||
	    made->triangles == NULL)
	{
		binaryTree_Free(made);
		return false;
	}
	NumberNodes(made, tree);
	for (uint32_t i = 0; i < tree->leafCount; ++i)
	{
		const sgLeaf* leaf = tree->leaves + i;
		made->triangles[i] = tree->triangleMap[leaf->firstTriangle];
		for (int c = 0; c < 3; ++c)
		{
			made->corners[i][c] = tree->leafVertices[leaf->firstVertex + leaf->corners[c][0]];
		}
	}
	return true;
}

void binaryTree_Free(binaryTree* tree)
{
	free(tree->nodes);
	free(tree->slots);
	free(tree->numbers);
	free(tree->corners);
	free(tree->triangles);
	*tree = (binaryTree){ .model = NULL };
}

// ---- Traversal -------------------------------------------------------------------------------------------------

// As deep as both trees together.
static void Visit(const binaryWalk* walk, uint32_t nodeA, uint32_t nodeB)
{
	if (!walk->overlap(walk->user, nodeA, nodeB))
	{
		return;
	}
	const binaryNode *a = walk->a->nodes + nodeA, *b = walk->b->nodes + nodeB;
	if (a->childCount == 0 && b->childCount == 0)
	{
		walk->meet(walk->user, a->first, b->first);
		return;
	}
	bool opensA = b->childCount == 0 || (a->childCount > 0 && walk->isLarger(walk->user, nodeA, nodeB));
	const binaryNode* opened = opensA ? a : b;
	for (uint32_t i = opened->first; i < opened->first + opened->childCount; ++i)
	{
		Visit(walk, opensA ? i : nodeA, opensA ? nodeB : i);
	}
}

void binaryWalk_Run(const binaryWalk* walk)
{
	if (walk->a->nodeCount > 0 && walk->b->nodeCount > 0)
	{
		Visit(walk, 0, 0);
	}
}

static void VisitAlone(const binarySearch* search, uint32_t number)
{
	if (!search->overlap(search->user, number))
	{
		return;
	}
	const binaryNode* node = search->tree->nodes + number;
	if (node->childCount == 0)
	{
		search->meet(search->user, node->first);
	}
	for (uint32_t i = node->first; i < node->first + node->childCount; ++i)
	{
		VisitAlone(search, i);
	}
}

void binarySearch_Run(const binarySearch* search)
{
	if (search->tree->nodeCount > 0)
	{
		VisitAlone(search, 0);
	}
}

// ---- Leaves ----------------------------------------------------------------------------------------------------

bool binaryLeaves_Create(binaryLeaves* leaves, const binaryTree* tree, snugBody* body)
{
	size_t vertices = (size_t)tree->model->tree.vertexCount + 1, count = (size_t)tree->model->tree.leafCount + 1;
	*leaves = (binaryLeaves){
		.tree = tree,
		.body = body,
		.fresh = calloc(vertices, sizeof(uint32_t)),
		.positions = malloc(vertices * sizeof(*leaves->positions)),
		.corners = malloc(count * sizeof(*leaves->corners)),
	};
	if (leaves->fresh == NULL || leaves->positions == NULL || leaves->corners == NULL)
	{
		binaryLeaves_Free(leaves);
		return false;
	}
	return true;
}

void binaryLeaves_Free(binaryLeaves* leaves)
{
	free(leaves->fresh);
	free(leaves->positions);
	free(leaves->corners);
	*leaves = (binaryLeaves){ .tree = NULL };
}

snugStatus binaryLeaves_Begin(binaryLeaves* leaves)
{
	static const double origin[3] = { 0.0, 0.0, 0.0 };
	snugCounters ignored = { 0 };
	sgBox root;
	++leaves->version;
	leaves->counters = (binaryCounters){ 0 };
	return sgBody_MakePlacement(leaves->body, origin, &root, &leaves->placement, &ignored);
}

// In double, rounded once, as queries do it.
void binaryLeaves_Put(binaryLeaves* leaves, uint32_t vertex, const float p[3])
{
	const sgPlacement* place = &leaves->placement;
	for (int k = 0; k < 3; ++k)
	{
		const double* m = place->rotation[k];
		double x = ((m[0] * (double)p[0] + m[1] * (double)p[1]) + m[2] * (double)p[2]) + place->translation[k];
		leaves->positions[vertex][k] = place->isIdentity ? p[k] : (float)x;
	}
	leaves->fresh[vertex] = leaves->version;
	++leaves->counters.verticesEvaluated;
}

const float (*binaryLeaves_Get(binaryLeaves* leaves, uint32_t leaf))[3]
{
	for (int c = 0; c < 3; ++c)
	{
		uint32_t vertex = leaves->tree->corners[leaf][c];
		if (leaves->fresh[vertex] != leaves->version)
		{
			sgLeafScratch scratch;
			sgLeafVertices found = sgBody_Evaluate(leaves->body, &vertex, 1, &scratch);
			binaryLeaves_Put(leaves, vertex, found.positions + 3 * (size_t)found.indices[0]);
		}
		memcpy(leaves->corners[leaf][c], leaves->positions[vertex], sizeof(leaves->positions[vertex]));
	}
	return (const float(*)[3])leaves->corners[leaf];
}

double binaryLeaves_GetSlack(const binaryLeaves* leaves)
{
	double far = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		far += fabs(leaves->placement.translation[k]);
	}
	return leaves->placement.error + 1e-13 * far;
}

void binaryHits_Add(binaryHits* hits, uint32_t triangle)
{
	if (hits->count < hits->capacity)
	{
		hits->triangles[hits->count] = triangle;
	}
	++hits->count;
}

void binaryPairs_Add(binaryPairs* pairs, uint32_t a, uint32_t b)
{
	if (pairs->count < pairs->capacity)
	{
		pairs->pairs[pairs->count] = (snugPair){ a, b };
	}
	++pairs->count;
}

static double Dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Of a point given relative to where a side begins.
static double SideDistance2(const double p[3], const double side[3], double part, double whole)
{
	double t = whole > 0.0 ? part / whole : 0.0;
	double d[3] = { p[0] - t * side[0], p[1] - t * side[1], p[2] - t * side[2] };
	return Dot(d, d);
}

// Which corner, side or the inside is nearest follows from dot products alone (Ericson, Real-Time Collision Detection,
// section 5.1.5).
double binaryDistance2(const float triangle[3][3], const double point[3])
{
	double ab[3], ac[3], bc[3], ap[3], bp[3], cp[3];
	for (int k = 0; k < 3; ++k)
	{
		const double a = (double)triangle[0][k], b = (double)triangle[1][k], c = (double)triangle[2][k];
		ab[k] = b - a;
		ac[k] = c - a;
		bc[k] = c - b;
		ap[k] = point[k] - a;
		bp[k] = point[k] - b;
		cp[k] = point[k] - c;
	}
	const double d1 = Dot(ab, ap), d2 = Dot(ac, ap), d3 = Dot(ab, bp), d4 = Dot(ac, bp);
	if (d1 <= 0.0 && d2 <= 0.0)
	{
		return Dot(ap, ap);
	}
	if (d3 >= 0.0 && d4 <= d3)
	{
		return Dot(bp, bp);
	}
	const double nearC = d1 * d4 - d3 * d2, d5 = Dot(ab, cp), d6 = Dot(ac, cp);
	if (nearC <= 0.0 && d1 >= 0.0 && d3 <= 0.0)
	{
		return SideDistance2(ap, ab, d1, d1 - d3);
	}
	if (d6 >= 0.0 && d5 <= d6)
	{
		return Dot(cp, cp);
	}
	const double nearB = d5 * d2 - d1 * d6, nearA = d3 * d6 - d5 * d4;
	if (nearB <= 0.0 && d2 >= 0.0 && d6 <= 0.0)
	{
		return SideDistance2(ap, ac, d2, d2 - d6);
	}
	if (nearA <= 0.0 && d4 >= d3 && d5 >= d6)
	{
		return SideDistance2(bp, bc, d4 - d3, (d4 - d3) + (d5 - d6));
	}
	const double whole = nearA + nearB + nearC, v = nearB / whole, w = nearC / whole;
	double d[3] = { ap[0] - v * ab[0] - w * ac[0], ap[1] - v * ab[1] - w * ac[1], ap[2] - v * ab[2] - w * ac[2] };
	return Dot(d, d);
}

// ---- Two bodies ------------------------------------------------------------------------------------------------

typedef struct collision
{
	const binaryMethod* method;
	binarySide a, b;
	binaryPairs pairs;
} collision;

static bool Overlap(void* user, uint32_t nodeA, uint32_t nodeB)
{
	collision* c = user;
	return c->method->overlap(c->a.body, nodeA, c->b.body, nodeB);
}

static bool IsLarger(void* user, uint32_t nodeA, uint32_t nodeB)
{
	const collision* c = user;
	return c->method->getSize(c->a.body, nodeA) >= c->method->getSize(c->b.body, nodeB);
}

static void TestTriangles(void* user, uint32_t leafA, uint32_t leafB)
{
	collision* c = user;
	binaryLeaves *a = c->a.leaves, *b = c->b.leaves;
	++a->counters.triangleTests;
	if (sgTriangles_Intersect(binaryLeaves_Get(a, leafA), binaryLeaves_Get(b, leafB)))
	{
		binaryPairs_Add(&c->pairs, a->tree->triangles[leafA], b->tree->triangles[leafB]);
	}
}

uint64_t binaryCollide(const binaryMethod* method, binarySide a, binarySide b, snugPair* pairs, uint64_t capacity)
{
	collision c = { method, a, b, { pairs, capacity, 0 } };
	binaryWalk_Run(&(binaryWalk){ a.leaves->tree, b.leaves->tree, &c, Overlap, IsLarger, TestTriangles });
	return c.pairs.count;
}
