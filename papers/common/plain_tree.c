// papers/common/plain_tree.c: see plain_tree.h.
#include "papers/common/plain_tree.h"

#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum
{
	LEAF_TRIANGLES = 4,
	MAX_DEPTH = 64
};

typedef float float4 __attribute__((vector_size(16)));
typedef int32_t int4 __attribute__((vector_size(16)));

typedef struct plainBox
{
	float4 lower, upper; ///< the fourth is arbitrary
} plainBox;

typedef struct plainNode
{
	uint32_t right; ///< of an inner node, whose left child follows it; zero: a leaf
	uint32_t first; ///< triangle of a leaf
	uint32_t count;
} plainNode;

typedef struct plainTriangle
{
	uint32_t corners[3];
	uint32_t number; ///< the caller's
} plainTriangle;

struct plainTree
{
	plainBox* boxes;
	plainNode* nodes;
	uint32_t nodeCount;
	plainTriangle* triangles;
	uint32_t triangleCount;
	const float* positions;
};

// ---- Building ------------------------------------------------------------------------------------------------------

/// A triangle while the tree is built.
typedef struct Item
{
	float center[3]; ///< sum of the corners
	plainTriangle triangle;
} Item;

// Items so that those up to `middle` have the lesser centres along an axis: quickselect.
static void Select(Item* items, uint32_t count, uint32_t middle, int axis)
{
	uint32_t first = 0, last = count - 1;
	while (first < last)
	{
		float pivot = items[first + (last - first) / 2].center[axis];
		uint32_t i = first, j = last;
		for (;;)
		{
			while (items[i].center[axis] < pivot)
			{
				++i;
			}
			while (items[j].center[axis] > pivot)
			{
				--j;
			}
			if (i >= j)
			{
				break;
			}
			Item swapped = items[i];
			items[i++] = items[j];
			items[j--] = swapped;
		}
		if (middle <= j)
		{
			last = j;
		}
		else
		{
			first = j + 1;
		}
	}
}

static int LongestAxis(const Item* items, uint32_t count)
{
	float extents[3];
	for (int k = 0; k < 3; ++k)
	{
		float lower = items[0].center[k], upper = lower;
		for (uint32_t i = 1; i < count; ++i)
		{
			float value = items[i].center[k];
			lower = value < lower ? value : lower;
			upper = value > upper ? value : upper;
		}
		extents[k] = upper - lower;
	}
	int axis = extents[1] > extents[0] ? 1 : 0;
	return extents[2] > extents[axis] ? 2 : axis;
}

static void BuildNode(plainTree* tree, Item* items, uint32_t first, uint32_t count)
{
	uint32_t number = tree->nodeCount++;
	tree->nodes[number] = (plainNode){ 0, first, count };
	if (count > LEAF_TRIANGLES)
	{
		uint32_t half = count / 2;
		Select(items + first, count, half, LongestAxis(items + first, count));
		BuildNode(tree, items, first, half);
		tree->nodes[number].right = tree->nodeCount;
		BuildNode(tree, items, first + half, count - half);
	}
}

plainTree* plainTree_Create(const float* positions, const uint32_t* triangles, uint32_t triangleCount)
{
	plainTree* tree = calloc(1, sizeof(plainTree));
	Item* items = malloc((triangleCount + 1) * sizeof(Item));
	if (tree != NULL)
	{
		*tree = (plainTree){
			.boxes = aligned_alloc(64, ((2 * (size_t)triangleCount + 2) * sizeof(plainBox) + 63) / 64 * 64),
			.nodes = malloc((2 * (size_t)triangleCount + 2) * sizeof(plainNode)),
			.triangles = malloc((triangleCount + 1) * sizeof(plainTriangle)),
			.triangleCount = triangleCount,
		};
	}
	bool good = tree != NULL && items != NULL && tree->boxes != NULL && tree->nodes != NULL && tree->triangles != NULL;
	for (uint32_t t = 0; good && t < triangleCount; ++t)
	{
		Item* item = items + t;
		memcpy(item->triangle.corners, triangles + 3 * (size_t)t, sizeof(item->triangle.corners));
		item->triangle.number = t;
		for (uint32_t k = 0; k < 3; ++k)
		{
			const uint32_t* c = item->triangle.corners;
			item->center[k] = positions[3 * c[0] + k] + positions[3 * c[1] + k] + positions[3 * c[2] + k];
		}
	}
	if (good)
	{
		BuildNode(tree, items, 0, triangleCount);
	}
	for (uint32_t t = 0; good && t < triangleCount; ++t)
	{
		tree->triangles[t] = items[t].triangle;
	}
	free(items);
	if (!good)
	{
		plainTree_Destroy(tree);
	}
	return good ? tree : NULL;
}

void plainTree_Destroy(plainTree* tree)
{
	if (tree != NULL)
	{
		free(tree->boxes);
		free(tree->nodes);
		free(tree->triangles);
		free(tree);
	}
}

// ---- Refitting -----------------------------------------------------------------------------------------------------

static float4 Min(float4 a, float4 b)
{
#if defined(__SSE2__)
	return _mm_min_ps(a, b);
#else
	int4 isLess = a < b;
	return (float4)(((int4)a & isLess) | ((int4)b & ~isLess));
#endif
}

static float4 Max(float4 a, float4 b)
{
#if defined(__SSE2__)
	return _mm_max_ps(a, b);
#else
	int4 isLess = a < b;
	return (float4)(((int4)b & isLess) | ((int4)a & ~isLess));
#endif
}

static float4 Load(const float* p)
{
	float4 v;
	memcpy(&v, p, sizeof(v));
	return v;
}

void plainTree_Refit(plainTree* tree, const float* positions)
{
	tree->positions = positions;
	for (uint32_t n = tree->nodeCount; n-- > 0;)
	{
		const plainNode* node = tree->nodes + n;
		plainBox box;
		if (node->right != 0)
		{
			const plainBox *left = tree->boxes + n + 1, *right = tree->boxes + node->right;
			box = (plainBox){ Min(left->lower, right->lower), Max(left->upper, right->upper) };
		}
		else
		{
			box = (plainBox){ { 1e38f, 1e38f, 1e38f, 0.0f }, { -1e38f, -1e38f, -1e38f, 0.0f } };
			for (uint32_t i = 0; i < 3 * node->count; ++i)
			{
				float4 p = Load(positions + 3 * (size_t)tree->triangles[node->first + i / 3].corners[i % 3]);
				box = (plainBox){ Min(box.lower, p), Max(box.upper, p) };
			}
		}
		tree->boxes[n] = box;
	}
}

// ---- Triangles -----------------------------------------------------------------------------------------------------

typedef struct Corners
{
	double p[3][3];
} Corners;

static Corners GetCorners(const plainTree* tree, const plainTriangle* triangle)
{
	Corners corners;
	for (int c = 0; c < 3; ++c)
	{
		const float* p = tree->positions + 3 * (size_t)triangle->corners[c];
		for (int k = 0; k < 3; ++k)
		{
			corners.p[c][k] = (double)p[k];
		}
	}
	return corners;
}

static bool BoxesOfCornersMeet(const Corners* a, const Corners* b)
{
	for (int k = 0; k < 3; ++k)
	{
		double x = a->p[0][k], y = a->p[1][k], z = a->p[2][k], u = b->p[0][k], v = b->p[1][k], w = b->p[2][k];
		double lowA = x < y ? x : y, highA = x < y ? y : x, lowB = u < v ? u : v, highB = u < v ? v : u;
		if ((lowA < z ? lowA : z) > (highB > w ? highB : w) || (lowB < w ? lowB : w) > (highA > z ? highA : z))
		{
			return false;
		}
	}
	return true;
}

// Six times the volume of a tetrahedron.
static double Volume(const double a[3], const double b[3], const double c[3], const double d[3])
{
	double ax = a[0] - d[0], ay = a[1] - d[1], az = a[2] - d[2];
	double bx = b[0] - d[0], by = b[1] - d[1], bz = b[2] - d[2];
	double cx = c[0] - d[0], cy = c[1] - d[1], cz = c[2] - d[2];
	return ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
}

// Sides of the corners of one triangle with respect to the plane of another; false if all are strictly on one.
static bool FindSides(const Corners* corners, const Corners* plane, double sides[3])
{
	for (int i = 0; i < 3; ++i)
	{
		sides[i] = Volume(plane->p[1], plane->p[2], corners->p[i], plane->p[0]);
	}
	bool isAbove = sides[0] > 0.0 && sides[1] > 0.0 && sides[2] > 0.0;
	bool isBelow = sides[0] < 0.0 && sides[1] < 0.0 && sides[2] < 0.0;
	return !isAbove && !isBelow;
}

// Whether an edge that crosses the plane of a triangle does so within it.
static bool Pierces(const double s[3], const double t[3], const Corners* triangle)
{
	double a = Volume(triangle->p[0], triangle->p[1], t, s), b = Volume(triangle->p[1], triangle->p[2], t, s);
	double c = Volume(triangle->p[2], triangle->p[0], t, s);
	return (a >= 0.0 && b >= 0.0 && c >= 0.0) || (a <= 0.0 && b <= 0.0 && c <= 0.0);
}

static bool EdgePierces(const Corners* edges, const double sides[3], const Corners* triangle)
{
	for (int i = 0; i < 3; ++i)
	{
		int j = i < 2 ? i + 1 : 0;
		bool crosses = sides[i] * sides[j] <= 0.0 && !(sides[i] == 0.0 && sides[j] == 0.0);
		if (crosses && Pierces(edges->p[i], edges->p[j], triangle))
		{
			return true;
		}
	}
	return false;
}

static bool Intersect(const Corners* a, const Corners* b)
{
	double sidesA[3], sidesB[3];
	return FindSides(a, b, sidesA) && FindSides(b, a, sidesB) &&
	       (EdgePierces(a, sidesA, b) || EdgePierces(b, sidesB, a));
}

bool plainTriangles_Intersect(const float a[3][3], const float b[3][3])
{
	Corners first, second;
	for (int i = 0; i < 9; ++i)
	{
		first.p[i / 3][i % 3] = (double)a[i / 3][i % 3];
		second.p[i / 3][i % 3] = (double)b[i / 3][i % 3];
	}
	return Intersect(&first, &second);
}

// ---- Descending ----------------------------------------------------------------------------------------------------

/// What was found so far.
typedef struct Found
{
	snugPair* pairs;
	uint64_t capacity;
	uint64_t count;
	bool firstOnly;
} Found;

static void CollideLeaves(
    const plainTree* a, const plainNode* leafA, const plainTree* b, const plainNode* leafB, Found* found)
{
	Corners others[LEAF_TRIANGLES];
	for (uint32_t j = 0; j < leafB->count; ++j)
	{
		others[j] = GetCorners(b, b->triangles + leafB->first + j);
	}
	for (uint32_t i = 0; i < leafA->count && !(found->firstOnly && found->count > 0); ++i)
	{
		const Corners corners = GetCorners(a, a->triangles + leafA->first + i);
		for (uint32_t j = 0; j < leafB->count; ++j)
		{
			if (!BoxesOfCornersMeet(&corners, others + j) || !Intersect(&corners, others + j))
			{
				continue;
			}
			if (found->count < found->capacity)
			{
				const plainTriangle *first = a->triangles + leafA->first + i, *second = b->triangles + leafB->first + j;
				found->pairs[found->count] = (snugPair){ first->number, second->number };
			}
			++found->count;
		}
	}
}

static bool Overlap(const plainBox* a, const plainBox* b)
{
	int4 meets = (a->lower <= b->upper) & (b->lower <= a->upper);
#if defined(__SSE2__)
	return (_mm_movemask_ps((__m128)meets) & 7) == 7;
#else
	return (meets[0] & meets[1] & meets[2]) != 0;
#endif
}

static float Size(const plainBox* box)
{
	float4 extent = box->upper - box->lower;
	return extent[0] + extent[1] + extent[2];
}

uint64_t plainTree_Collide(const plainTree* a, const plainTree* b, bool firstOnly, snugPair* pairs, uint64_t capacity)
{
	Found found = { pairs, pairs != NULL ? capacity : 0, 0, firstOnly };
	uint32_t stack[2 * MAX_DEPTH][2], top = 0;
	if (a->triangleCount > 0 && b->triangleCount > 0)
	{
		stack[top][0] = stack[top][1] = 0;
		++top;
	}
	while (top > 0 && !(firstOnly && found.count > 0))
	{
		--top;
		uint32_t i = stack[top][0], j = stack[top][1];
		if (!Overlap(a->boxes + i, b->boxes + j))
		{
			continue;
		}
		const plainNode *nodeA = a->nodes + i, *nodeB = b->nodes + j;
		if (nodeA->right == 0 && nodeB->right == 0)
		{
			CollideLeaves(a, nodeA, b, nodeB, &found);
			continue;
		}
		// Into the larger one. Each level of the stack is a level of one tree, so there are at most as many as both
		// have.
		bool intoA = nodeB->right == 0 || (nodeA->right != 0 && Size(a->boxes + i) > Size(b->boxes + j));
		stack[top][0] = intoA ? i + 1 : i;
		stack[top++][1] = intoA ? j : j + 1;
		stack[top][0] = intoA ? nodeA->right : i;
		stack[top++][1] = intoA ? j : nodeB->right;
	}
	return found.count;
}
