// papers/bdtree/contact_split.c: see contact_split.h. Plain scalar C with + - * / sqrt only: the same tree on every
// machine.
#include "papers/bdtree/contact_split.h"

#include "geometry/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A gap counts if it is wider than this part of the node. Of a chair's 1,024 spheres the largest has a radius of 0.134
// m without gaps; with a tenth, a fifth, three tenths and two fifths it is 0.068, 0.046, 0.058 and 0.064 m.
#define GAP 0.2

static double Sum(const contactItem* item, int axis)
{
	return (double)item->corners[0][axis] + (double)item->corners[1][axis] + (double)item->corners[2][axis];
}

// The axis along which the middles of triangles vary most.
static void FindAxis(const contactItem* items, uint32_t count, double axis[3])
{
	double mean[3] = { 0.0, 0.0, 0.0 }, covariance[3][3] = { { 0.0 } }, values[3], axes[3][3];
	for (uint32_t i = 0; i < count; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			mean[k] += Sum(items + i, k) / (double)count;
		}
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		for (int k = 0; k < 9; ++k)
		{
			int row = k / 3, column = k % 3;
			covariance[row][column] += (Sum(items + i, row) - mean[row]) * (Sum(items + i, column) - mean[column]);
		}
	}
	sgEigen3(covariance, values, axes);
	memcpy(axis, axes[0], sizeof(axes[0]));
}

static void Project(contactItem* items, uint32_t count, const double axis[3])
{
	for (uint32_t i = 0; i < count; ++i)
	{
		contactItem* item = items + i;
		item->lower = INFINITY;
		item->upper = -INFINITY;
		for (int c = 0; c < 3; ++c)
		{
			const float* p = item->corners[c];
			double at = axis[0] * (double)p[0] + axis[1] * (double)p[1] + axis[2] * (double)p[2];
			item->lower = fmin(item->lower, at);
			item->upper = fmax(item->upper, at);
		}
	}
}

// The order is total, so every way to sort has the same result.
static int Compare(const void* first, const void* second)
{
	const contactItem *a = first, *b = second;
	const double x = a->lower + a->upper, y = b->lower + b->upper;
	return x != y ? (x > y) - (x < y) : (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

// The widest gap that leaves `least` on each side, if it is wide enough; else the median.
static uint32_t FindCut(contactItem* items, uint32_t count, uint32_t least)
{
	double widest = 0.0, after = INFINITY;
	uint32_t cut = count / 2;
	for (uint32_t i = 0; i < count; ++i)
	{
		items[i].reach = i > 0 ? fmax(items[i - 1].reach, items[i].upper) : items[i].upper;
	}
	for (uint32_t i = count; i-- > 0;)
	{
		after = fmin(after, items[i].lower);
		if (i >= least && count - i >= least && after - items[i - 1].reach > widest)
		{
			widest = after - items[i - 1].reach;
			cut = i;
		}
	}
	return widest > GAP * (items[count - 1].reach - after) ? cut : count / 2;
}

uint32_t contactSplit_GetDepth(uint32_t triangleCount, uint32_t leafTriangles)
{
	uint32_t depth = 0;
	for (uint32_t full = triangleCount / (leafTriangles + 1); full > 0; full /= 2)
	{
		++depth;
	}
	return depth;
}

uint32_t contactSplit_Cut(contactItem* items, uint32_t count, uint32_t levels)
{
	double axis[3];
	FindAxis(items, count, axis);
	Project(items, count, axis);
	qsort(items, count, sizeof(contactItem), Compare);
	return FindCut(items, count, 1u << (levels - 1));
}
