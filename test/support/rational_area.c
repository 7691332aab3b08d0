// test/support/rational_area.c: see rational_area.h. A polygon is cut by one face of the tetrahedron after the other.
#include "rational_area.h"

#include <gmp.h>
#include <stdbool.h>

#define MOST 8

typedef struct Polygon
{
	mpq_t points[MOST][3];
	int count;
} Polygon;

static struct
{
	Polygon polygon, cut;
	mpq_t corners[4][3], normal[3], heights[MOST], product, part, sum;
} work;

static void InitOnce(void)
{
	static bool done = false;
	if (done)
	{
		return;
	}
	for (int i = 0; i < MOST; ++i)
	{
		mpq_init(work.heights[i]);
		for (int k = 0; k < 3; ++k)
		{
			mpq_inits(work.polygon.points[i][k], work.cut.points[i][k], NULL);
		}
	}
	for (int i = 0; i < 12; ++i)
	{
		mpq_init(work.corners[i / 3][i % 3]);
	}
	mpq_inits(work.normal[0], work.normal[1], work.normal[2], work.product, work.part, work.sum, NULL);
	done = true;
}

// out = (q - p) x (r - p), one coordinate.
static void Cross(mpq_t out, mpq_t p[3], mpq_t q[3], mpq_t r[3], int k)
{
	const int u = (k + 1) % 3, v = (k + 2) % 3;
	mpq_sub(work.product, q[u], p[u]);
	mpq_sub(work.part, r[v], p[v]);
	mpq_mul(out, work.product, work.part);
	mpq_sub(work.product, q[v], p[v]);
	mpq_sub(work.part, r[u], p[u]);
	mpq_mul(work.product, work.product, work.part);
	mpq_sub(out, out, work.product);
}

static void HeightOver(mpq_t out, mpq_t origin[3], mpq_t x[3])
{
	mpq_set_ui(out, 0, 1);
	for (int k = 0; k < 3; ++k)
	{
		mpq_sub(work.part, x[k], origin[k]);
		mpq_mul(work.product, work.part, work.normal[k]);
		mpq_add(out, out, work.product);
	}
}

static void Append(int from, int to)
{
	Polygon *polygon = &work.polygon, *cut = &work.cut;
	if (from != to) // where the height is zero between the two
	{
		mpq_sub(work.sum, work.heights[from], work.heights[to]);
		mpq_div(work.sum, work.heights[from], work.sum);
	}
	for (int k = 0; k < 3; ++k)
	{
		mpq_sub(work.part, polygon->points[to][k], polygon->points[from][k]);
		mpq_mul(work.part, work.part, work.sum);
		mpq_add(cut->points[cut->count][k], polygon->points[from][k], work.part);
	}
	++cut->count;
}

// Keep what is on one side of the plane through p, q, r.
static void Cut(mpq_t p[3], mpq_t q[3], mpq_t r[3], mpq_t inside[3])
{
	Polygon *polygon = &work.polygon, *cut = &work.cut;
	for (int k = 0; k < 3; ++k)
	{
		Cross(work.normal[k], p, q, r, k);
	}
	HeightOver(work.sum, p, inside);
	const int side = mpq_sgn(work.sum);
	for (int i = 0; i < polygon->count; ++i)
	{
		HeightOver(work.heights[i], p, polygon->points[i]);
	}
	cut->count = 0;
	for (int i = 0; i < polygon->count; ++i)
	{
		const int next = (i + 1) % polygon->count;
		const int here = side * mpq_sgn(work.heights[i]), there = side * mpq_sgn(work.heights[next]);
		if (here >= 0)
		{
			Append(i, i);
		}
		if (here * there < 0)
		{
			Append(i, next);
		}
	}
	polygon->count = cut->count;
	for (int i = 0; i < 3 * cut->count; ++i)
	{
		mpq_set(polygon->points[i / 3][i % 3], cut->points[i / 3][i % 3]);
	}
}

void AddRationalArea(const float triangle[3][3], const float tetrahedron[4][3], double area[3])
{
	InitOnce();
	for (int i = 0; i < 12; ++i)
	{
		mpq_set_d(work.corners[i / 3][i % 3], (double)tetrahedron[i / 3][i % 3]);
	}
	for (int i = 0; i < 9; ++i)
	{
		mpq_set_d(work.polygon.points[i / 3][i % 3], (double)triangle[i / 3][i % 3]);
	}
	work.polygon.count = 3;
	for (int k = 0; k < 3; ++k)
	{
		Cross(work.normal[k], work.corners[1], work.corners[2], work.corners[3], k);
	}
	HeightOver(work.sum, work.corners[1], work.corners[0]);
	const int side = -mpq_sgn(work.sum); // outside is where the normal of the face opposite the first corner points
	for (int i = 0; i < 4 && side != 0; ++i)
	{
		Cut(work.corners[(i + 1) % 4], work.corners[(i + 2) % 4], work.corners[(i + 3) % 4], work.corners[i]);
	}
	for (int i = 1; side != 0 && i + 1 < work.polygon.count; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			mpq_t* points[3] = { work.polygon.points[0], work.polygon.points[i], work.polygon.points[i + 1] };
			Cross(work.sum, points[0], points[1], points[2], k);
			area[k] += 0.5 * side * mpq_get_d(work.sum);
		}
	}
}
