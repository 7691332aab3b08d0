#include "papers/common/binary_tree.h"

#include "base/vec.h"
#include "geometry/triangle.h"
#include "tree/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Tree ------------------------------------------------------------------------------------------------------

// In the order of the caller's numbers: sums over triangles, and so trees, depend on it.
static void ListItems(const snugModel* model, sgBuildItem* items, uint32_t (*corners)[3])
{
	const sgTree* tree = &model->tree;
	for (uint32_t i = 0; i < tree->leafCount; ++i)
	{
		const sgLeaf* leaf = tree->leaves + i;
		for (uint32_t t = 0; t < leaf->triangleCount; ++t)
		{
			uint32_t triangle = tree->triangleMap[leaf->firstTriangle + t];
			sgBox box = sgBox_Empty();
			for (int c = 0; c < 3; ++c)
			{
				corners[triangle][c] = tree->leafVertices[leaf->firstVertex + leaf->corners[c][t]];
				sgBox_AddPoint(&box, model->positions + 3 * (size_t)corners[triangle][c]);
			}
			items[triangle].triangle = triangle;
			memcpy(items[triangle].lower, box.lower, sizeof(box.lower));
			memcpy(items[triangle].upper, box.upper, sizeof(box.upper));
		}
	}
}

static void Divide(binaryTree* tree, uint32_t number, sgBuildItem* items)
{
	binaryNode* node = tree->nodes + number;
	tree->depth = node->level > tree->depth ? node->level : tree->depth;
	if (node->leafCount == 1)
	{
		node->first = node->firstLeaf;
		return;
	}
	uint32_t cut = node->leafCount / 2;
	sgFindPrincipalKeys(items + node->firstLeaf, node->leafCount);
	sgSelectPlace(items + node->firstLeaf, node->leafCount, cut);
	node->first = tree->nodeCount;
	node->childCount = 2;
	tree->nodeCount += 2;
	node[node->first - number] =
	    (binaryNode){ .firstLeaf = node->firstLeaf, .leafCount = cut, .level = node->level + 1 };
	node[node->first + 1 - number] = (binaryNode){
		.firstLeaf = node->firstLeaf + cut, .leafCount = node->leafCount - cut, .level = node->level + 1
	};
	Divide(tree, node->first, items);
	Divide(tree, node->first + 1, items);
}

bool binaryTree_Create(binaryTree* made, const snugModel* model)
{
	const uint32_t count = model->tree.triangleCount;
	const snugAllocator allocator = sgAllocator_OrDefault((snugAllocator){ 0 }); // items are aligned
	const size_t bytes = (size_t)count * sizeof(sgBuildItem);
	sgBuildItem* items = sgAllocate(&allocator, bytes);
	uint32_t(*corners)[3] = malloc(((size_t)count + 1) * sizeof(*corners));
	*made = (binaryTree){ .model = model, .leafCount = count };
	made->nodes = simHoard_Take(&made->hoard, 2 * (size_t)count, sizeof(binaryNode));
	made->corners = simHoard_Take(&made->hoard, count, sizeof(*made->corners));
	made->triangles = simHoard_Take(&made->hoard, count, sizeof(uint32_t));
	bool good = items != NULL && corners != NULL && !made->hoard.isShort;
	if (!good)
	{
		binaryTree_Free(made);
	}
	else if (count > 0)
	{
		ListItems(model, items, corners);
		made->nodeCount = 1;
		made->nodes[0] = (binaryNode){ .leafCount = count };
		Divide(made, 0, items);
	}
	for (uint32_t i = 0; i < count && good; ++i)
	{
		made->triangles[i] = items[i].triangle;
		memcpy(made->corners[i], corners[items[i].triangle], sizeof(*corners));
	}
	sgRelease(&allocator, items, bytes);
	free(corners);
	return good;
}

void binaryTree_Free(binaryTree* tree)
{
	simHoard_Free(&tree->hoard);
	*tree = (binaryTree){ .model = NULL };
}

bool nodeVertices_Create(nodeVertices* gathered, const binaryTree* tree)
{
	const uint32_t count = tree->model->tree.vertexCount;
	*gathered = (nodeVertices){ .count = 0 };
	gathered->vertices = simHoard_Take(&gathered->hoard, count, sizeof(uint32_t));
	gathered->stamps = simHoard_Take(&gathered->hoard, count, sizeof(uint32_t));
	bool good = !gathered->hoard.isShort;
	if (!good)
	{
		nodeVertices_Free(gathered);
	}
	return good;
}

void nodeVertices_Free(nodeVertices* gathered)
{
	simHoard_Free(&gathered->hoard);
	*gathered = (nodeVertices){ .vertices = NULL };
}

void nodeVertices_Gather(nodeVertices* gathered, const binaryTree* tree, uint32_t number)
{
	const binaryNode* node = tree->nodes + number;
	++gathered->stamp;
	gathered->count = 0;
	for (uint32_t i = 3 * node->firstLeaf; i < 3 * (node->firstLeaf + node->leafCount); ++i)
	{
		uint32_t vertex = tree->corners[i / 3][i % 3];
		if (gathered->stamps[vertex] != gathered->stamp)
		{
			gathered->stamps[vertex] = gathered->stamp;
			gathered->vertices[gathered->count++] = vertex;
		}
	}
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
	const uint32_t vertices = tree->model->tree.vertexCount;
	*leaves = (binaryLeaves){ .tree = tree, .body = body };
	leaves->fresh = simHoard_Take(&leaves->hoard, vertices, sizeof(uint32_t));
	leaves->positions = simHoard_Take(&leaves->hoard, vertices, sizeof(*leaves->positions));
	leaves->corners = simHoard_Take(&leaves->hoard, tree->leafCount, sizeof(*leaves->corners));
	if (leaves->hoard.isShort)
	{
		binaryLeaves_Free(leaves);
		return false;
	}
	return true;
}

void binaryLeaves_Free(binaryLeaves* leaves)
{
	simHoard_Free(&leaves->hoard);
	*leaves = (binaryLeaves){ .tree = NULL };
}

snugStatus binaryLeaves_Begin(binaryLeaves* leaves, const sgBox* box)
{
	static const double origin[3] = { 0.0, 0.0, 0.0 };
	++leaves->version;
	leaves->counters = (binaryCounters){ 0 };
	return sgPlacement_Make(&leaves->body->frame, origin, box, &leaves->placement) ? snug_success : snug_outOfRange;
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

// Of a point given relative to where a side begins.
static double SideDistance2(const double p[3], const double side[3], double part, double whole)
{
	double t = whole > 0.0 ? part / whole : 0.0;
	double d[3] = { p[0] - t * side[0], p[1] - t * side[1], p[2] - t * side[2] };
	return sgDot(d, d);
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
	const double d1 = sgDot(ab, ap), d2 = sgDot(ac, ap), d3 = sgDot(ab, bp), d4 = sgDot(ac, bp);
	if (d1 <= 0.0 && d2 <= 0.0)
	{
		return sgDot(ap, ap);
	}
	if (d3 >= 0.0 && d4 <= d3)
	{
		return sgDot(bp, bp);
	}
	const double nearC = d1 * d4 - d3 * d2, d5 = sgDot(ab, cp), d6 = sgDot(ac, cp);
	if (nearC <= 0.0 && d1 >= 0.0 && d3 <= 0.0)
	{
		return SideDistance2(ap, ab, d1, d1 - d3);
	}
	if (d6 >= 0.0 && d5 <= d6)
	{
		return sgDot(cp, cp);
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
	return sgDot(d, d);
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
