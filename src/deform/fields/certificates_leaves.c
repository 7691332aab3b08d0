// src/deform/fields/certificates_leaves.c: constants of pairs of triangles. docs/bounds/certificates.md proves them.
#include "base/vec.h"
#include "deform/fields/certificates_build.h"
#include "geometry/distance.h"
#include "geometry/margins.h"
#include "geometry/triangle.h"
#include "tree/twins.h"

#include <math.h>
#include <string.h>

/// Triangles whose least height is a smaller part of their longest edge count as having no area.
#define FLAT 0x1p-12

typedef struct Triangle
{
	uint32_t corners[3]; ///< among the leaf's vertices
	uint32_t twins[3];
	float points[3][3];
	double axes[2][3];            ///< orthonormal, in its plane: zero if it has no area
	double along, across, height; ///< corner 1 is at (along, 0) from corner 0, and corner 2 at (across, height)
	double steepness;             ///< sum of the inverse heights
	float lower[3], upper[3];
	bool hasArea;
} Triangle;

/// One leaf, and what a field does there.
typedef struct Side
{
	const sgLeaf* leaf;
	Triangle triangles[SG_MAX_LEAF_TRIANGLES];
	double ways[SG_MAX_LEAF_VERTICES][3];     ///< from the first vertex of the first leaf
	double values[SG_MAX_LEAF_VERTICES][3];   ///< displacements
	double left[SG_MAX_LEAF_VERTICES][3];     ///< how much of them more than at that vertex is left over
	double middles[SG_MAX_LEAF_TRIANGLES][3]; ///< of a ball around what is left over at the corners
	double radii[SG_MAX_LEAF_TRIANGLES];
	double middle[3], radius;                   ///< of a ball around what is left over at all vertices
	double slopes[SG_MAX_LEAF_TRIANGLES][2][3]; ///< change along the axes, of what is left over
	double norms[SG_MAX_LEAF_TRIANGLES];        ///< of that
	double steepest[SG_MAX_LEAF_TRIANGLES];     ///< of the displacements themselves
} Side;

/// Two triangles for which a constant is to be found.
typedef struct Pair
{
	uint32_t a, b;
	bool isApart;       ///< they share no corner
	bool isMeasured;    ///< else `inverse` is of the distance of their boxes, which is less
	double inverse;     ///< of their distance, or of the sine of the angle between them
	double inverseHalf; ///< of the sine of half of that angle
	double way[6][3];   ///< apart: all corners, from the first
	double extent;      ///< and the longest of these
	double on[2][6][2]; ///< apart: the same along the axes of each triangle
} Pair;

/// All pairs of two leaves.
typedef struct Found
{
	Pair* pairs;
	uint32_t count;
	bool areApart;  ///< all of them
	double inverse; ///< the greatest
	double longest; ///< of both sides' ways
} Found;

static inline double Larger(double a, double b)
{
	return a > b ? a : b;
}

static double Length(const double v[3])
{
	return sqrt(sgDot(v, v));
}

// ---- Geometry -------------------------------------------------------------------------------------------------------

static void Measure(Triangle* triangle)
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
static double ReadLeaf(const snugModel* model, uint32_t number, const float* origin, Side* side)
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
		Triangle* triangle = side->triangles + t;
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
static void FindRays(const Triangle* triangle, uint32_t corner, double rays[2][3])
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
static double CornerCosine(const Triangle* a, uint32_t cornerA, const Triangle* b, uint32_t cornerB)
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
static void FindInward(const Triangle* triangle, uint32_t corner, double inward[3])
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
static double EdgeCosine(const Triangle* a, uint32_t cornerA, const Triangle* b, uint32_t cornerB)
{
	double u[3], v[3];
	FindInward(a, cornerA, u);
	FindInward(b, cornerB, v);
	return sgDot(u, v) / (Length(u) * Length(v));
}

// The distance of the boxes around two triangles.
static double FindGap(const Triangle* a, const Triangle* b)
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

// Two triangles that do not meet. Computed distances are right to 2^-38 of the extent.
static void MeasureApart(const Triangle* a, const Triangle* b, Pair* pair, sgCellDraft* cell)
{
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
static void BeginApart(const Triangle* a, const Triangle* b, double gap, Pair* pair, sgCellDraft* cell)
{
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
		MeasureApart(a, b, pair, cell);
		return;
	}
	cell->error = Larger(cell->error, 2.0 * pair->inverse);
}

// Two triangles that share a corner, or an edge.
static bool MeasureTurned(
    const Triangle* a, const Triangle* b, uint32_t ofA, uint32_t ofB, Pair* pair, sgCellDraft* cell)
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
static bool MeasurePair(const Triangle* a, const Triangle* b, Pair* pair, sgCellDraft* cell)
{
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
	BeginApart(a, b, gap, pair, cell);
	return true;
}

// ---- Fields ---------------------------------------------------------------------------------------------------------

static void ReadValue(const sgFields* fields, uint32_t vertex, uint32_t field, double value[3])
{
	const sgRow row = sgRows_Get(&fields->rows, vertex);
	uint32_t first = 0, end = row.count;
	while (first < end)
	{
		const uint32_t middle = row.count == fields->header->fieldCount ? field : (first + end) / 2;
		if (row.numbers[middle] == field)
		{
			for (int k = 0; k < 3; ++k)
			{
				value[k] = (double)row.values[(3 * (size_t)middle + (size_t)k) * SG_LANES];
			}
			return;
		}
		first = row.numbers[middle] < field ? middle + 1 : first;
		end = row.numbers[middle] < field ? end : middle;
	}
	value[0] = value[1] = value[2] = 0.0;
}

// The greatest singular value of a matrix of two columns.
static double FindNorm(double columns[2][3])
{
	const double a = sgDot(columns[0], columns[0]), b = sgDot(columns[0], columns[1]),
	             c = sgDot(columns[1], columns[1]);
	return sqrt(0.5 * (a + c + sqrt((a - c) * (a - c) + 4.0 * b * b)));
}

static void ReadSlopes(const sgRegionDraft* region, uint32_t entry, Side* side)
{
	memset(side->slopes, 0, sizeof(side->slopes));
	for (uint32_t t = 0; t < side->leaf->triangleCount; ++t)
	{
		const Triangle* triangle = side->triangles + t;
		double change[2][3], displaced[2][3];
		side->norms[t] = side->steepest[t] = 0.0;
		if (!triangle->hasArea)
		{
			continue;
		}
		sgSubtract(side->values[triangle->corners[1]], side->values[triangle->corners[0]], change[0]);
		sgSubtract(side->values[triangle->corners[2]], side->values[triangle->corners[0]], change[1]);
		for (int k = 0; k < 3; ++k)
		{
			displaced[0][k] = change[0][k] / triangle->along;
			displaced[1][k] = (change[1][k] - triangle->across * displaced[0][k]) / triangle->height;
			for (int axis = 0; axis < 2; ++axis)
			{
				side->slopes[t][axis][k] =
				    displaced[axis][k] - sgDot(region->gradients[entry][k], triangle->axes[axis]);
			}
		}
		side->norms[t] = FindNorm(side->slopes[t]);
		side->steepest[t] = (Length(change[0]) + Length(change[1])) * triangle->steepness;
	}
}

// What is left over at the vertices, compared with the one where ways begin.
// @return the largest sum of coordinates of what it is made of
static double ReadLeft(const sgRegionDraft* region, uint32_t entry, const double first[3], Side* side)
{
	double largest = 0.0;
	for (uint32_t v = 0; v < side->leaf->vertexCount; ++v)
	{
		const uint32_t vertex = region->model->tree.leafVertices[side->leaf->firstVertex + v];
		double* left = side->left[v];
		ReadValue(region->fields, vertex, region->numbers[entry], side->values[v]);
		sgSubtract(side->values[v], first, left);
		largest = Larger(largest, fabs(left[0]) + fabs(left[1]) + fabs(left[2]));
		for (int k = 0; k < 3; ++k)
		{
			left[k] -= sgDot(region->gradients[entry][k], side->ways[v]);
		}
	}
	double radius2 = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		double lower = side->left[0][k], upper = lower;
		for (uint32_t v = 1; v < side->leaf->vertexCount; ++v)
		{
			const double left = side->left[v][k];
			lower = left < lower ? left : lower;
			upper = left > upper ? left : upper;
		}
		side->middle[k] = 0.5 * (lower + upper);
		radius2 += 0.25 * (upper - lower) * (upper - lower);
	}
	side->radius = sqrt(radius2);
	return largest;
}

// Balls around the corners of triangles.
static void ReadBalls(Side* side)
{
	for (uint32_t t = 0; t < side->leaf->triangleCount; ++t)
	{
		const uint32_t* corners = side->triangles[t].corners;
		double radius2 = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			const double sum = side->left[corners[0]][k] + side->left[corners[1]][k] + side->left[corners[2]][k];
			side->middles[t][k] = sum * (1.0 / 3.0);
		}
		for (int c = 0; c < 3; ++c)
		{
			radius2 = sgMost(radius2, sgDistance2(side->left[corners[c]], side->middles[t]));
		}
		side->radii[t] = sqrt(radius2);
	}
}

// Whether two balls that what is left over lies in settle that no constant of what is in them is above the most so far:
// nearly always.
static bool AreBallsNear(const double middleA[3], const double middleB[3], double radii, double inverse, double most)
{
	const double room = most - radii * inverse;
	return room >= 0.0 && sgDistance2(middleA, middleB) * inverse * inverse <= room * room;
}

// After taking away a linear map that is made of slopes along the axes of a triangle, or nothing: its norm, and how
// much the rest differs between corners of the one and the other, over their distance.
static double QuotientApart(
    const Pair* pair, double rest[6][3], double slopes[2][3], double norm, const double on[6][2], double slack)
{
	double left[6][3], most2 = 0.0;
	for (int c = 0; c < 6; ++c)
	{
		for (int k = 0; k < 3; ++k)
		{
			left[c][k] = rest[c][k] - slopes[0][k] * on[c][0] - slopes[1][k] * on[c][1];
		}
	}
	for (int c = 0; c < 9; ++c)
	{
		most2 = sgMost(most2, sgDistance2(left[c / 3], left[3 + c % 3]));
	}
	return norm + (sqrt(most2) + slack) * pair->inverse;
}

// @param reach what is left over at the vertices is made of no more
static double FindApart(Pair* pair, Side* sideA, Side* sideB, double reach, double enough, sgCellDraft* cell)
{
	const Triangle *a = sideA->triangles + pair->a, *b = sideB->triangles + pair->b;
	const double normA = sideA->norms[pair->a], normB = sideB->norms[pair->b];
	const double slack = SG_MARGIN_QUOTIENT * (reach + (normA + normB) * pair->extent);
	double rest[6][3], none[2][3] = { { 0.0 } };
	for (uint32_t c = 0; c < 6; ++c)
	{
		memcpy(rest[c], c < 3 ? sideA->left[a->corners[c]] : sideB->left[b->corners[c - 3]], sizeof(rest[c]));
	}
	double least = QuotientApart(pair, rest, none, 0.0, pair->on[0], slack);
	if (!(least <= enough) && !pair->isMeasured)
	{
		MeasureApart(a, b, pair, cell);
		least = QuotientApart(pair, rest, none, 0.0, pair->on[0], slack);
	}
	for (int side = 0; side < 2 && !(least <= enough); ++side)
	{
		const bool isByA = (side == 0) == (normA <= normB);
		const double quotient = isByA ? QuotientApart(pair, rest, sideA->slopes[pair->a], normA, pair->on[0], slack)
		                              : QuotientApart(pair, rest, sideB->slopes[pair->b], normB, pair->on[1], slack);
		least = quotient < least ? quotient : least;
	}
	return least;
}

// After taking away the slopes of one triangle: their norm, and the slopes of the other less these, over the sine.
static double QuotientTurned(const Pair* pair, const Side* from, uint32_t a, const Side* to, uint32_t b, double slack)
{
	double left[2][3];
	for (int axis = 0; axis < 2; ++axis)
	{
		const double* direction = to->triangles[b].axes[axis];
		const double first = sgDot(from->triangles[a].axes[0], direction);
		const double second = sgDot(from->triangles[a].axes[1], direction);
		for (int k = 0; k < 3; ++k)
		{
			left[axis][k] = to->slopes[b][axis][k] - from->slopes[a][0][k] * first - from->slopes[a][1][k] * second;
		}
	}
	return from->norms[a] + slack + (FindNorm(left) + 2.0 * slack) * pair->inverse;
}

// Or else: the way from one to the other through what they share is no longer than their distance over the sine of half
// of the angle, and along it nothing changes faster than the steeper of both does.
static double FindTurned(
    const sgRegionDraft* region, uint32_t entry, const Pair* pair, const Side* sideA, const Side* sideB)
{
	const double steepest = sideA->steepest[pair->a] + sideB->steepest[pair->b];
	const double slack = SG_MARGIN_QUOTIENT * (steepest + region->sizes[entry]);
	const double byA = QuotientTurned(pair, sideA, pair->a, sideB, pair->b, slack);
	const double byB = QuotientTurned(pair, sideB, pair->b, sideA, pair->a, slack);
	const double least = byA < byB ? byA : byB;
	const double around = (Larger(sideA->norms[pair->a], sideB->norms[pair->b]) + slack) * pair->inverseHalf;
	return around < least ? around : least;
}

// One field; slopes are read where they are needed.
static void AddField(
    const sgRegionDraft* region, uint32_t entry, const Found* found, Side* a, Side* b, sgCellDraft* cell)
{
	double first[3], most = cell->constants[entry];
	ReadValue(region->fields, region->model->tree.leafVertices[a->leaf->firstVertex], region->numbers[entry], first);
	const double leftA = ReadLeft(region, entry, first, a), leftB = ReadLeft(region, entry, first, b);
	const double reach = Larger(leftA, leftB) + region->sizes[entry] * found->longest;
	const double slack = SG_MARGIN_QUOTIENT * reach;
	bool hasSlopes = false;
	if (found->areApart && AreBallsNear(a->middle, b->middle, a->radius + b->radius + slack, found->inverse, most))
	{
		return;
	}
	ReadBalls(a);
	ReadBalls(b);
	for (uint32_t i = 0; i < 2 * found->count; ++i)
	{
		Pair* pair = found->pairs + i % found->count;
		const double radii = a->radii[pair->a] + b->radii[pair->b] + slack;
		if (pair->isApart != (i >= found->count) ||
		    (pair->isApart && AreBallsNear(a->middles[pair->a], b->middles[pair->b], radii, pair->inverse, most)))
		{
			continue;
		}
		if (!hasSlopes)
		{
			ReadSlopes(region, entry, a);
			ReadSlopes(region, entry, b);
			hasSlopes = true;
		}
		const double enough = Larger(most, cell->enough[entry]);
		most = sgMost(
		    most, pair->isApart ? FindApart(pair, a, b, reach, enough, cell) : FindTurned(region, entry, pair, a, b));
	}
	cell->constants[entry] = most;
}

void sgCellDraft_AddLeaves(sgCellDraft* cell, const sgRegionDraft* region, uint32_t leafA, uint32_t leafB)
{
	Side a, b;
	Pair pairs[SG_MAX_LEAF_TRIANGLES * SG_MAX_LEAF_TRIANGLES];
	Found found = { .pairs = pairs, .areApart = true };
	const snugModel* model = region->model;
	const float* origin =
	    model->positions + 3 * (size_t)model->tree.leafVertices[model->tree.leaves[leafA].firstVertex];
	const double longestA = ReadLeaf(model, leafA, origin, &a), longestB = ReadLeaf(model, leafB, origin, &b);
	found.longest = Larger(longestA, longestB);
	for (uint32_t i = 0; i < a.leaf->triangleCount; ++i)
	{
		for (uint32_t k = leafA == leafB ? i + 1 : 0; k < b.leaf->triangleCount; ++k)
		{
			Pair* pair = pairs + found.count;
			pair->a = i;
			pair->b = k;
			if (MeasurePair(a.triangles + i, b.triangles + k, pair, cell))
			{
				++found.count;
				found.areApart = found.areApart && pair->isApart;
				found.inverse = Larger(found.inverse, pair->inverse);
			}
		}
	}
	for (uint32_t entry = 0; entry < region->fieldCount; ++entry)
	{
		AddField(region, entry, &found, &a, &b, cell);
	}
}
