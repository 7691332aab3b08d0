// src/deform/fields/certificates_leaves.c: constants of pairs of triangles. docs/bounds/certificates.md proves them.
#include "base/vec.h"
#include "deform/fields/certificates_kernels.h"
#include "geometry/distance.h"
#include "geometry/margins.h"
#include "geometry/triangle.h"
#include "tree/twins.h"

#include <math.h>
#include <string.h>

/// Triangles whose least height is a smaller part of their longest edge count as having no area.
#define FLAT 0x1p-12

static inline double Larger(double a, double b)
{
	return a > b ? a : b;
}

static double Length(const double v[3])
{
	return sqrt(sgDot(v, v));
}

// ---- Geometry -------------------------------------------------------------------------------------------------------

static void Measure(sgDraftTriangle* triangle)
{
	double e[3][3], across[3], longest = 0.0, area;
	for (int k = 0; k < 3; ++k)
	{
		const float x = triangle->points[0][k], y = triangle->points[1][k], z = triangle->points[2][k];
		triangle->lower[k] = x < y ? (x < z ? x : z) : (y < z ? y : z);
		triangle->upper[k] = x > y ? (x > z ? x : z) : (y > z ? y : z);
	}
	for (int c = 0; c < 3; ++c)
	{
		sgSubtractPoints(triangle->points[(c + 1) % 3], triangle->points[c], e[c]);
		longest = Larger(longest, Length(e[c]));
	}
	sgCross(e[0], e[2], across);
	area = Length(across);
	triangle->hasArea = area > FLAT * longest * longest;
	memset(triangle->axes, 0, sizeof(triangle->axes));
	if (!triangle->hasArea)
	{
		return;
	}
	triangle->along = Length(e[0]);
	for (int k = 0; k < 3; ++k)
	{
		triangle->axes[0][k] = e[0][k] / triangle->along;
	}
	triangle->across = -sgDot(e[2], triangle->axes[0]);
	for (int k = 0; k < 3; ++k)
	{
		triangle->axes[1][k] = -e[2][k] - triangle->across * triangle->axes[0][k];
	}
	triangle->height = Length(triangle->axes[1]);
	for (int k = 0; k < 3; ++k)
	{
		triangle->axes[1][k] /= triangle->height;
	}
	triangle->steepness = (Length(e[0]) + Length(e[1]) + Length(e[2])) / area;
}

// @param origin where ways begin
// @return the longest of these
static double ReadLeaf(const snugModel* model, uint32_t number, const float* origin, sgDraftLeaf* side)
{
	const sgLeaf* leaf = model->tree.leaves + number;
	double longest = 0.0;
	side->leaf = leaf;
	for (uint32_t v = 0; v < leaf->vertexCount; ++v)
	{
		const uint32_t vertex = model->tree.leafVertices[leaf->firstVertex + v];
		sgSubtractPoints(model->positions + 3 * (size_t)vertex, origin, side->ways[v]);
		longest = Larger(longest, Length(side->ways[v]));
	}
	for (uint32_t t = 0; t < leaf->triangleCount; ++t)
	{
		sgDraftTriangle* triangle = side->triangles + t;
		for (uint32_t c = 0; c < 3; ++c)
		{
			const uint32_t vertex = model->tree.leafVertices[leaf->firstVertex + leaf->corners[c][t]];
			triangle->corners[c] = leaf->corners[c][t];
			triangle->twins[c] = sgTwinOf(model, vertex);
			memcpy(triangle->points[c], model->positions + 3 * (size_t)vertex, sizeof(triangle->points[c]));
		}
		Measure(triangle);
	}
	return longest;
}

// The cosine of the angle between a unit vector and a flat cone between two others, if the nearest of the cone is
// inside.
static double InnerCosine(const double u[3], const double p[3], const double q[3])
{
	double n[3], w[3], pw[3], wq[3];
	sgCross(p, q, n);
	const double height = sgDot(u, n) / sgDot(n, n);
	for (int k = 0; k < 3; ++k)
	{
		w[k] = u[k] - height * n[k];
	}
	sgCross(p, w, pw);
	sgCross(w, q, wq);
	return sgDot(pw, n) >= 0.0 && sgDot(wq, n) >= 0.0 ? Length(w) : -1.0;
}

// The unit vectors along the edges of a triangle from a corner.
static void FindRays(const sgDraftTriangle* triangle, uint32_t corner, double rays[2][3])
{
	for (uint32_t i = 0; i < 2; ++i)
	{
		sgSubtractPoints(triangle->points[(corner + 1 + i) % 3], triangle->points[corner], rays[i]);
		const double length = Length(rays[i]);
		for (int k = 0; k < 3; ++k)
		{
			rays[i][k] /= length;
		}
	}
}

// Of the least angle between two triangles that share one corner. Cones of which neither is in the other's way are
// nearest where one of them ends.
static double CornerCosine(const sgDraftTriangle* a, uint32_t cornerA, const sgDraftTriangle* b, uint32_t cornerB)
{
	double p[2][3], q[2][3], most = -1.0;
	FindRays(a, cornerA, p);
	FindRays(b, cornerB, q);
	for (int i = 0; i < 2; ++i)
	{
		most = Larger(most, Larger(sgDot(p[i], q[0]), sgDot(p[i], q[1])));
		most = Larger(most, Larger(InnerCosine(p[i], q[0], q[1]), InnerCosine(q[i], p[0], p[1])));
	}
	return most;
}

// In a triangle, at right angles to the edge opposite a corner and towards it.
static void FindInward(const sgDraftTriangle* triangle, uint32_t corner, double inward[3])
{
	double edge[3];
	sgSubtractPoints(triangle->points[(corner + 2) % 3], triangle->points[(corner + 1) % 3], edge);
	sgSubtractPoints(triangle->points[corner], triangle->points[(corner + 1) % 3], inward);
	const double part = sgDot(inward, edge) / sgDot(edge, edge);
	for (int k = 0; k < 3; ++k)
	{
		inward[k] -= part * edge[k];
	}
}

// Of the angle between two triangles across the edge that they share, opposite these corners.
static double EdgeCosine(const sgDraftTriangle* a, uint32_t cornerA, const sgDraftTriangle* b, uint32_t cornerB)
{
	double u[3], v[3];
	FindInward(a, cornerA, u);
	FindInward(b, cornerB, v);
	return sgDot(u, v) / (Length(u) * Length(v));
}

// The distance of the boxes around two triangles.
static double FindGap(const sgDraftTriangle* a, const sgDraftTriangle* b)
{
	double gap2 = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		const double above = (double)a->lower[k] - (double)b->upper[k],
		             below = (double)b->lower[k] - (double)a->upper[k];
		const double gap = above > below ? above : below;
		gap2 += gap > 0.0 ? gap * gap : 0.0;
	}
	return sqrt(gap2);
}

void sgDraftPairs_MeasureApart(const sgDraftPairs* pairs, sgDraftPair* pair, sgCellDraft* cell)
{
	const sgDraftTriangle *a = pairs->a.triangles + pair->a, *b = pairs->b.triangles + pair->b;
	sgNearest nearest;
	sgTriangles_Nearest(a->points, b->points, &nearest);
	for (uint32_t c = 0; c < 6; ++c)
	{
		for (int axis = 0; axis < 2; ++axis)
		{
			pair->on[0][c][axis] = sgDot(pair->way[c], a->axes[axis]);
			pair->on[1][c][axis] = sgDot(pair->way[c], b->axes[axis]);
		}
	}
	const double distance = sqrt(nearest.distance2) - SG_MARGIN_CERTIFIED_GAP * pair->extent;
	cell->isNever = cell->isNever || !(distance > 0.0);
	pair->inverse = 1.0 / distance;
	pair->isMeasured = true;
	cell->error = Larger(cell->error, 2.0 * pair->inverse);
}

// Two triangles that share no corner: by their boxes, as far as that is enough.
static void BeginApart(const sgDraftPairs* pairs, double gap, sgDraftPair* pair, sgCellDraft* cell)
{
	const sgDraftTriangle *a = pairs->a.triangles + pair->a, *b = pairs->b.triangles + pair->b;
	pair->extent = 0.0;
	for (uint32_t c = 0; c < 6; ++c)
	{
		sgSubtractPoints(c < 3 ? a->points[c] : b->points[c - 3], a->points[0], pair->way[c]);
		pair->extent = Larger(pair->extent, Length(pair->way[c]));
	}
	pair->isMeasured = !(gap > 0.0 && 2.0 <= gap * cell->enoughError);
	pair->inverse = 1.0 / gap;
	if (pair->isMeasured)
	{
		sgDraftPairs_MeasureApart(pairs, pair, cell);
		return;
	}
	cell->error = Larger(cell->error, 2.0 * pair->inverse);
}

// Two triangles that share a corner, or an edge.
static bool MeasureTurned(const sgDraftTriangle* a, const sgDraftTriangle* b, uint32_t ofA, uint32_t ofB,
    sgDraftPair* pair, sgCellDraft* cell)
{
	if (!a->hasArea || !b->hasArea)
	{
		cell->isNever = true;
		return false;
	}
	static const uint32_t cornerOf[8] = { 3, 0, 1, 2, 2, 1, 0, 3 }; // the one in the mask, or the one that is not
	const bool isCorner = (ofA & (ofA - 1)) == 0;
	const double cosine =
	    isCorner ? CornerCosine(a, cornerOf[ofA], b, cornerOf[ofB]) : EdgeCosine(a, cornerOf[ofA], b, cornerOf[ofB]);
	const double sine2 = cosine > 0.0 ? 1.0 - cosine * cosine - SG_MARGIN_ANGLE : 1.0;
	const double half2 = 0.5 * (1.0 - cosine) - SG_MARGIN_ANGLE;
	if (!(sine2 > 0.0 && half2 > 0.0))
	{
		cell->isNever = true;
		return false;
	}
	pair->inverse = 1.0 / sqrt(sine2);
	pair->inverseHalf = 1.0 / sqrt(half2);
	cell->error = Larger(cell->error, Larger(a->steepness, b->steepness) * pair->inverseHalf);
	return true;
}

// Whether there is a constant to be found for two triangles.
static bool MeasurePair(const sgDraftPairs* pairs, sgDraftPair* pair, sgCellDraft* cell)
{
	const sgDraftTriangle *a = pairs->a.triangles + pair->a, *b = pairs->b.triangles + pair->b;
	uint32_t shared = 0, ofA = 0, ofB = 0;
	for (uint32_t k = 0; k < 9; ++k)
	{
		const bool isShared = a->twins[k / 3] == b->twins[k % 3];
		shared |= (uint32_t)isShared << k;
		ofA |= (uint32_t)isShared << k / 3;
		ofB |= (uint32_t)isShared << k % 3;
	}
	if (ofA == 7 || ofB == 7)
	{
		return false; // one is nothing but what they share, in every pose
	}
	const double gap = FindGap(a, b);
	if (!(gap > 0.0) && sgTriangles_IntersectBeyond(a->points, b->points, shared))
	{
		cell->isAtRest = true;
		return false;
	}
	pair->isApart = shared == 0;
	if (shared != 0)
	{
		return MeasureTurned(a, b, ofA, ofB, pair, cell);
	}
	BeginApart(pairs, gap, pair, cell);
	return true;
}

// ---- All pairs ------------------------------------------------------------------------------------------------------

void sgCellDraft_AddLeaves(sgCellDraft* cell, const sgRegionDraft* region, uint32_t leafA, uint32_t leafB)
{
	sgDraftPairs pairs; // not zeroed: most of it is scratch
	const snugModel* model = region->model;
	const float* origin =
	    model->positions + 3 * (size_t)model->tree.leafVertices[model->tree.leaves[leafA].firstVertex];
	const double longestA = ReadLeaf(model, leafA, origin, &pairs.a),
	             longestB = ReadLeaf(model, leafB, origin, &pairs.b);
	pairs.longest = Larger(longestA, longestB);
	pairs.count = 0;
	pairs.areApart = true;
	pairs.inverse = 0.0;
	for (uint32_t i = 0; i < pairs.a.leaf->triangleCount; ++i)
	{
		for (uint32_t k = leafA == leafB ? i + 1 : 0; k < pairs.b.leaf->triangleCount; ++k)
		{
			sgDraftPair* pair = pairs.pairs + pairs.count;
			pair->a = i;
			pair->b = k;
			if (MeasurePair(&pairs, pair, cell))
			{
				++pairs.count;
				pairs.areApart = pairs.areApart && pair->isApart;
				pairs.inverse = Larger(pairs.inverse, pair->inverse);
			}
		}
	}
	for (uint32_t first = 0; first < region->fieldCount; first += SG_LANES)
	{
		sgGetKernels()->certificates->raise(region, first, &pairs, cell);
	}
}
