#include "program/check/brute.h"

#include "geometry/triangle.h"
#include "io/grow.h"

#include <stdlib.h>

typedef struct bruteBox
{
	float lower[3];
	float upper[3];
	uint32_t triangle;
} bruteBox;

typedef struct sweep
{
	const bruteMesh* meshes[2];
	bruteBox* boxes[2]; // sorted by lower x
	bruteTestFcn* test;
	bruteResult result;
	size_t capacity;
} sweep;

static int CompareBoxes(const void* first, const void* second)
{
	float x = ((const bruteBox*)first)->lower[0], y = ((const bruteBox*)second)->lower[0];
	return (x > y) - (x < y);
}

int bruteComparePairs(const void* first, const void* second)
{
	const snugPair *x = first, *y = second;
	return x->a != y->a ? (x->a < y->a ? -1 : 1) : (x->b > y->b) - (x->b < y->b);
}

// One box per triangle, sorted by lower x.
static bruteBox* MakeBoxes(const bruteMesh* mesh)
{
	bruteBox* boxes = malloc(((size_t)mesh->triangleCount + 1) * sizeof(bruteBox));
	for (uint32_t t = 0; boxes != NULL && t < mesh->triangleCount; ++t)
	{
		float p[3][3];
		bruteMesh_GetCorners(mesh, t, p);
		boxes[t].triangle = t;
		for (int k = 0; k < 3; ++k)
		{
			float low = p[0][k] < p[1][k] ? p[0][k] : p[1][k], high = p[0][k] < p[1][k] ? p[1][k] : p[0][k];
			boxes[t].lower[k] = p[2][k] < low ? p[2][k] : low;
			boxes[t].upper[k] = p[2][k] > high ? p[2][k] : high;
		}
	}
	if (boxes != NULL)
	{
		qsort(boxes, mesh->triangleCount, sizeof(bruteBox), CompareBoxes);
	}
	return boxes;
}

static bool AddPair(sweep* s, uint32_t a, uint32_t b)
{
	if (!ioGrow(&s->result.pairs, &s->capacity, (size_t)s->result.count + 1, sizeof(snugPair)))
	{
		return false;
	}
	s->result.pairs[s->result.count++] = (snugPair){ a, b };
	return true;
}

// Boxes are known to overlap in x.
static bool TestPair(sweep* s, const bruteBox* a, const bruteBox* b)
{
	s->result.boxTests++;
	if (a->lower[1] > b->upper[1] || b->lower[1] > a->upper[1] || a->lower[2] > b->upper[2] ||
	    b->lower[2] > a->upper[2])
	{
		return true;
	}
	float p[3][3], q[3][3];
	bruteMesh_GetCorners(s->meshes[0], a->triangle, p);
	bruteMesh_GetCorners(s->meshes[1], b->triangle, q);
	s->result.triangleTests++;
	return !s->test((const float(*)[3])p, (const float(*)[3])q) || AddPair(s, a->triangle, b->triangle);
}

// Two boxes overlap in x if and only if the one that begins later does so before the other ends. Each pair is met
// once: from the box that begins first, or from the first mesh's if both begin at one x.
static bool RunSweep(sweep* s)
{
	uint32_t i = 0, j = 0, n = s->meshes[0]->triangleCount, m = s->meshes[1]->triangleCount;
	while (i < n && j < m)
	{
		const bruteBox *a = s->boxes[0] + i, *b = s->boxes[1] + j;
		bool fromA = a->lower[0] <= b->lower[0];
		float end = fromA ? a->upper[0] : b->upper[0];
		const bruteBox *other = fromA ? b : a, *last = fromA ? s->boxes[1] + m : s->boxes[0] + n;
		for (; other < last && other->lower[0] <= end; ++other)
		{
			if (!(fromA ? TestPair(s, a, other) : TestPair(s, other, b)))
			{
				return false;
			}
		}
		i += fromA;
		j += !fromA;
	}
	return true;
}

bruteResult bruteCollide(const bruteMesh* a, const bruteMesh* b)
{
	return bruteCollideBy(a, b, sgTriangles_Intersect);
}

bruteResult bruteCollideBy(const bruteMesh* a, const bruteMesh* b, bruteTestFcn* test)
{
	sweep s = { .meshes = { a, b }, .test = test, .boxes = { MakeBoxes(a), MakeBoxes(b) } };
	bool done = s.boxes[0] != NULL && s.boxes[1] != NULL && RunSweep(&s);
	free(s.boxes[0]);
	free(s.boxes[1]);
	if (!done)
	{
		bruteResult_Free(&s.result);
		s.result.outOfMemory = true;
	}
	else if (s.result.count > 0)
	{
		qsort(s.result.pairs, (size_t)s.result.count, sizeof(snugPair), bruteComparePairs);
	}
	return s.result;
}

void bruteResult_Free(bruteResult* result)
{
	free(result->pairs);
	*result = (bruteResult){ 0 };
}
