// src/deform/fields/certificates_kernels.c: see certificates_kernels.h. Lane i is the region's field first + i, or the
// last one; lanes know nothing of each other, and round as plain C does. Nothing overflows but where nothing is known:
// doubles are made of floats, and of gradients below 2^100.
#include "deform/fields/certificates_kernels.h"

#include "base/vec.h"
#include "geometry/margins.h"
#include "simd/lanes.h"

#if !SNUG_FOR_SIZE // then none are made

typedef struct d3
{
	d8 at[3];
} d3;

/// What fields do at one leaf.
typedef struct Side
{
	const sgDraftLeaf* rest;
	d3 values[SG_MAX_LEAF_VERTICES];   ///< displacements
	d3 left[SG_MAX_LEAF_VERTICES];     ///< how much of them more than at the first vertex of all is left over
	d3 middles[SG_MAX_LEAF_TRIANGLES]; ///< of a ball around what is left over at the corners
	d8 radii[SG_MAX_LEAF_TRIANGLES];
	d3 middle; ///< of a ball around what is left over at all vertices
	d8 radius;
	d3 slopes[SG_MAX_LEAF_TRIANGLES][2]; ///< change along the axes, of what is left over
	d8 norms[SG_MAX_LEAF_TRIANGLES];     ///< of that
	d8 steepest[SG_MAX_LEAF_TRIANGLES];  ///< of the displacements themselves
} Side;

/// The fields, and what is taken away from each.
typedef struct Wide
{
	const sgRegionDraft* region;
	uint32_t entries[SG_LANES];
	d3 gradients[3];
	d8 sizes;
	Side a, b;
} Wide;

SG_INLINE d8 Larger(d8 a, d8 b)
{
	return d8_SelectGreater(a, b, a, b);
}

SG_INLINE d8 Lesser(d8 a, d8 b)
{
	return d8_SelectGreater(a, b, b, a);
}

SG_INLINE d8 Magnitude(d8 a)
{
	return Larger(a, d8_Sub(d8_Set(0.0), a));
}

SG_INLINE d8 Times(d8 a, double b)
{
	return d8_Mul(a, d8_Set(b));
}

SG_INLINE d3 Subtract(const d3* a, const d3* b)
{
	return (d3){ { d8_Sub(a->at[0], b->at[0]), d8_Sub(a->at[1], b->at[1]), d8_Sub(a->at[2], b->at[2]) } };
}

SG_INLINE d8 Dot(const d3* a, const d3* b)
{
	const d8 two = d8_Add(d8_Mul(a->at[0], b->at[0]), d8_Mul(a->at[1], b->at[1]));
	return d8_Add(two, d8_Mul(a->at[2], b->at[2]));
}

SG_INLINE d8 DotWith(const d3* a, const double b[3])
{
	return d8_Add(d8_Add(Times(a->at[0], b[0]), Times(a->at[1], b[1])), Times(a->at[2], b[2]));
}

SG_INLINE d8 Distance2(const d3* a, const d3* b)
{
	const d3 difference = Subtract(a, b);
	return Dot(&difference, &difference);
}

// a - b x - c y.
SG_INLINE d3 TakeAway(const d3* a, const d3* b, double x, const d3* c, double y)
{
	d3 left;
	for (int k = 0; k < 3; ++k)
	{
		left.at[k] = d8_Sub(d8_Sub(a->at[k], Times(b->at[k], x)), Times(c->at[k], y));
	}
	return left;
}

// The greatest singular value of a matrix of two columns.
static d8 FindNorm(const d3 columns[2])
{
	const d8 a = Dot(columns, columns), b = Dot(columns, columns + 1), c = Dot(columns + 1, columns + 1);
	const d8 difference = d8_Sub(a, c), product = d8_Mul(Times(b, 4.0), b);
	const d8 root = d8_Sqrt(d8_Add(d8_Mul(difference, difference), product));
	return d8_Sqrt(Times(d8_Add(d8_Add(a, c), root), 0.5));
}

// ---- What fields do -------------------------------------------------------------------------------------------------

// Where a field is in a row; its count: it is not.
static uint32_t FindNumber(const sgRow* row, uint32_t fieldCount, uint32_t field)
{
	uint32_t first = 0, end = row->count;
	if (row->count == fieldCount)
	{
		return field;
	}
	while (first < end)
	{
		const uint32_t middle = (first + end) / 2;
		first = row->numbers[middle] < field ? middle + 1 : first;
		end = row->numbers[middle] < field ? end : middle;
	}
	return first < row->count && row->numbers[first] == field ? first : row->count;
}

static d3 ReadValue(const Wide* wide, uint32_t vertex)
{
	double SG_ALIGN(64) value[3][SG_LANES];
	const sgFields* fields = wide->region->fields;
	const sgRow row = sgRows_Get(&fields->rows, vertex);
	for (uint32_t i = 0; i < SG_LANES; ++i)
	{
		const uint32_t number = FindNumber(&row, fields->header->fieldCount, wide->region->numbers[wide->entries[i]]);
		for (uint32_t k = 0; k < 3; ++k)
		{
			value[k][i] = number < row.count ? (double)row.values[(3 * (size_t)number + k) * SG_LANES] : 0.0;
		}
	}
	return (d3){ { d8_Load(value[0]), d8_Load(value[1]), d8_Load(value[2]) } };
}

static void ReadSlopes(const Wide* wide, Side* side)
{
	for (uint32_t t = 0; t < side->rest->leaf->triangleCount; ++t)
	{
		const sgDraftTriangle* triangle = side->rest->triangles + t;
		const d8 none = d8_Set(0.0);
		d3* slopes = side->slopes[t];
		slopes[0] = slopes[1] = (d3){ { none, none, none } };
		side->norms[t] = side->steepest[t] = none;
		if (!triangle->hasArea)
		{
			continue;
		}
		const d3* values = side->values;
		const d3 first = Subtract(values + triangle->corners[1], values + triangle->corners[0]);
		const d3 second = Subtract(values + triangle->corners[2], values + triangle->corners[0]);
		for (int k = 0; k < 3; ++k)
		{
			const d8 displaced = d8_Div(first.at[k], d8_Set(triangle->along));
			const d8 turned =
			    d8_Div(d8_Sub(second.at[k], d8_Mul(d8_Set(triangle->across), displaced)), d8_Set(triangle->height));
			slopes[0].at[k] = d8_Sub(displaced, DotWith(wide->gradients + k, triangle->axes[0]));
			slopes[1].at[k] = d8_Sub(turned, DotWith(wide->gradients + k, triangle->axes[1]));
		}
		side->norms[t] = FindNorm(slopes);
		const d8 lengths = d8_Add(d8_Sqrt(Dot(&first, &first)), d8_Sqrt(Dot(&second, &second)));
		side->steepest[t] = Times(lengths, triangle->steepness);
	}
}

// What is left over at the vertices, compared with the one where ways begin.
// @return the largest sum of coordinates of what it is made of
static d8 ReadLeft(const Wide* wide, const d3* first, Side* side)
{
	const uint32_t* vertices = wide->region->model->tree.leafVertices + side->rest->leaf->firstVertex;
	d8 largest = d8_Set(0.0), radius2 = d8_Set(0.0);
	d3 lower, upper;
	for (uint32_t v = 0; v < side->rest->leaf->vertexCount; ++v)
	{
		side->values[v] = ReadValue(wide, vertices[v]);
		d3 left = Subtract(side->values + v, first);
		const d8 two = d8_Add(Magnitude(left.at[0]), Magnitude(left.at[1]));
		largest = Larger(largest, d8_Add(two, Magnitude(left.at[2])));
		for (int k = 0; k < 3; ++k)
		{
			left.at[k] = d8_Sub(left.at[k], DotWith(wide->gradients + k, side->rest->ways[v]));
			lower.at[k] = v > 0 ? Lesser(lower.at[k], left.at[k]) : left.at[k];
			upper.at[k] = v > 0 ? Larger(upper.at[k], left.at[k]) : left.at[k];
		}
		side->left[v] = left;
	}
	for (int k = 0; k < 3; ++k)
	{
		const d8 extent = d8_Sub(upper.at[k], lower.at[k]);
		side->middle.at[k] = Times(d8_Add(lower.at[k], upper.at[k]), 0.5);
		radius2 = d8_Add(radius2, d8_Mul(Times(extent, 0.25), extent));
	}
	side->radius = d8_Sqrt(radius2);
	return largest;
}

// Balls around the corners of triangles.
static void ReadBalls(Side* side)
{
	for (uint32_t t = 0; t < side->rest->leaf->triangleCount; ++t)
	{
		const uint32_t* corners = side->rest->triangles[t].corners;
		d8 radius2 = d8_Set(0.0);
		for (int k = 0; k < 3; ++k)
		{
			const d8 two = d8_Add(side->left[corners[0]].at[k], side->left[corners[1]].at[k]);
			side->middles[t].at[k] = Times(d8_Add(two, side->left[corners[2]].at[k]), 1.0 / 3.0);
		}
		for (int c = 0; c < 3; ++c)
		{
			radius2 = Larger(radius2, Distance2(side->left + corners[c], side->middles + t));
		}
		side->radii[t] = d8_Sqrt(radius2);
	}
}

// ---- Constants ------------------------------------------------------------------------------------------------------

// 0 where two balls that what is left over lies in settle that no constant of what is in them is above the most so far:
// nearly always. Else 1.
SG_INLINE d8 AreBallsFar(const d3* middleA, const d3* middleB, d8 radii, double inverse, d8 most)
{
	const d8 room = d8_Sub(most, Times(radii, inverse)), none = d8_Set(0.0), one = d8_Set(1.0);
	const d8 quotient2 = Times(Times(Distance2(middleA, middleB), inverse), inverse);
	return d8_SelectGreater(none, room, one, d8_SelectGreater(quotient2, d8_Mul(room, room), one, none));
}

// How much what is left over differs between corners of the one and the other at most.
static d8 FindDifference(const d3 left[6])
{
	d8 most2 = d8_Set(0.0);
	for (int c = 0; c < 9; ++c)
	{
		most2 = Larger(most2, Distance2(left + c / 3, left + 3 + c % 3));
	}
	return d8_Sqrt(most2);
}

// After taking away a linear map that is made of slopes along the axes of a triangle: its norm, and how much the rest
// differs, over the distance.
static d8 QuotientApart(
    const sgDraftPair* pair, const d3 rest[6], const d3 slopes[2], d8 norm, const double on[6][2], d8 slack)
{
	d3 left[6];
	for (int c = 0; c < 6; ++c)
	{
		left[c] = TakeAway(rest + c, slopes, on[c][0], slopes + 1, on[c][1]);
	}
	return d8_Add(norm, Times(d8_Add(FindDifference(left), slack), pair->inverse));
}

/// What settles most pairs that are apart.
typedef struct Balls
{
	d8 radii; ///< of both, and what rounding does
	d8 most;
	d8 isOpen; ///< 0: this lane's field is settled; else 1
} Balls;

static void SettleByBalls(const Wide* wide, const sgDraftPair* pair, d8 lanes, Balls* balls)
{
	const d8 areFar =
	    AreBallsFar(wide->a.middles + pair->a, wide->b.middles + pair->b, balls->radii, pair->inverse, balls->most);
	balls->isOpen = d8_Mul(balls->isOpen, Larger(areFar, d8_Sub(d8_Set(1.0), lanes)));
}

// The first of these that is enough, or the least: what is left over over the distance, and the same after taking away
// slopes of either triangle, the flatter one first. All is as if one field came after the other: distances are measured
// for the first one that needs it, and fields behind that know of it.
// @param reach what is left over at the vertices is made of no more
static d8 FindApart(
    Wide* wide, sgDraftPairs* pairs, sgDraftPair* pair, d8 reach, d8 enough, Balls* balls, sgCellDraft* cell)
{
	static const double SG_ALIGN(64) numbers[SG_LANES] = { 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0 };
	const Side *sideA = &wide->a, *sideB = &wide->b;
	const uint32_t *a = pairs->a.triangles[pair->a].corners, *b = pairs->b.triangles[pair->b].corners;
	const d8 normA = sideA->norms[pair->a], normB = sideB->norms[pair->b], none = d8_Set(0.0), one = d8_Set(1.0);
	const d8 slack = Times(d8_Add(reach, Times(d8_Add(normA, normB), pair->extent)), SG_MARGIN_QUOTIENT);
	const d3 rest[6] = { sideA->left[a[0]], sideA->left[a[1]], sideA->left[a[2]], sideB->left[b[0]], sideB->left[b[1]],
		sideB->left[b[2]] };
	const d8 difference = d8_Add(FindDifference(rest), slack);
	d8 least = Times(difference, pair->inverse);
	uint32_t over = d8_GreaterBits(least, enough) & d8_GreaterBits(balls->isOpen, none);
	if (over != 0 && !pair->isMeasured)
	{
		const d8 first = d8_Set((double)sgLowestBit(over)), lane = d8_Load(numbers);
		sgDraftPairs_MeasureApart(pairs, pair, cell);
		least = d8_SelectGreater(first, lane, least, Times(difference, pair->inverse));
		SettleByBalls(wide, pair, d8_SelectGreater(lane, first, one, none), balls);
		over = d8_GreaterBits(least, enough) & d8_GreaterBits(balls->isOpen, none);
	}
	if (over != 0)
	{
		const d8 byA = QuotientApart(pair, rest, sideA->slopes[pair->a], normA, pair->on[0], slack);
		const d8 byB = QuotientApart(pair, rest, sideB->slopes[pair->b], normB, pair->on[1], slack);
		const d8 both = Lesser(Lesser(least, byA), byB);
		const d8 flatter = Lesser(least, d8_SelectGreater(normA, normB, byB, byA));
		least = d8_SelectGreater(least, enough, d8_SelectGreater(flatter, enough, both, flatter), least);
	}
	return least;
}

// After taking away the slopes of one triangle: their norm, and the slopes of the other less these, over the sine.
static d8 QuotientTurned(const sgDraftPair* pair, const Side* from, uint32_t a, const Side* to, uint32_t b, d8 slack)
{
	const double(*axes)[3] = from->rest->triangles[a].axes;
	d3 left[2];
	for (int axis = 0; axis < 2; ++axis)
	{
		const double* direction = to->rest->triangles[b].axes[axis];
		left[axis] = TakeAway(to->slopes[b] + axis, from->slopes[a], sgDot(axes[0], direction), from->slopes[a] + 1,
		    sgDot(axes[1], direction));
	}
	const d8 over = Times(d8_Add(FindNorm(left), Times(slack, 2.0)), pair->inverse);
	return d8_Add(d8_Add(from->norms[a], slack), over);
}

// Or else: the way from one to the other through what they share is no longer than their distance over the sine of half
// of the angle, and along it nothing changes faster than the steeper of both does.
static d8 FindTurned(const Wide* wide, const sgDraftPair* pair)
{
	const Side *a = &wide->a, *b = &wide->b;
	const d8 steepest = d8_Add(a->steepest[pair->a], b->steepest[pair->b]);
	const d8 slack = Times(d8_Add(steepest, wide->sizes), SG_MARGIN_QUOTIENT);
	const d8 byA = QuotientTurned(pair, a, pair->a, b, pair->b, slack);
	const d8 byB = QuotientTurned(pair, b, pair->b, a, pair->a, slack);
	const d8 norm = Larger(a->norms[pair->a], b->norms[pair->b]);
	return Lesser(Lesser(byA, byB), Times(d8_Add(norm, slack), pair->inverseHalf));
}

static void Begin(Wide* wide, const sgRegionDraft* region, uint32_t first, const sgCellDraft* cell, d8 bounds[2])
{
	double SG_ALIGN(64) numbers[12][SG_LANES];
	wide->region = region;
	for (uint32_t i = 0; i < SG_LANES; ++i)
	{
		const uint32_t entry = first + i < region->fieldCount ? first + i : region->fieldCount - 1;
		wide->entries[i] = entry;
		for (int k = 0; k < 9; ++k)
		{
			numbers[k][i] = region->gradients[entry][k / 3][k % 3];
		}
		numbers[9][i] = region->sizes[entry];
		numbers[10][i] = cell->constants[entry];
		numbers[11][i] = cell->enough[entry];
	}
	for (int k = 0; k < 9; ++k)
	{
		wide->gradients[k / 3].at[k % 3] = d8_Load(numbers[k]);
	}
	wide->sizes = d8_Load(numbers[9]);
	bounds[0] = d8_Load(numbers[10]);
	bounds[1] = d8_Load(numbers[11]);
}

// Pairs that share a corner come first: most of the others are settled by what those say. Slopes are read where they
// are needed.
static d8 Raise(Wide* wide, sgDraftPairs* pairs, d8 most, d8 enough, sgCellDraft* cell)
{
	Side *a = &wide->a, *b = &wide->b;
	const d8 none = d8_Set(0.0);
	a->rest = &pairs->a;
	b->rest = &pairs->b;
	const d3 first = ReadValue(wide, wide->region->model->tree.leafVertices[pairs->a.leaf->firstVertex]);
	const d8 leftA = ReadLeft(wide, &first, a), leftB = ReadLeft(wide, &first, b);
	const d8 reach = d8_Add(Larger(leftA, leftB), Times(wide->sizes, pairs->longest));
	const d8 slack = Times(reach, SG_MARGIN_QUOTIENT);
	const d8 around = d8_Add(d8_Add(a->radius, b->radius), slack);
	const d8 open = pairs->areApart ? AreBallsFar(&a->middle, &b->middle, around, pairs->inverse, most) : d8_Set(1.0);
	if (d8_GreaterBits(open, none) == 0)
	{
		return most;
	}
	ReadBalls(a);
	ReadBalls(b);
	bool hasSlopes = false;
	for (uint32_t i = 0; i < 2 * pairs->count; ++i)
	{
		sgDraftPair* pair = pairs->pairs + i % pairs->count;
		if (pair->isApart != (i >= pairs->count))
		{
			continue;
		}
		Balls balls = { .most = most, .isOpen = open };
		if (pair->isApart)
		{
			balls.radii = d8_Add(d8_Add(a->radii[pair->a], b->radii[pair->b]), slack);
			SettleByBalls(wide, pair, d8_Set(1.0), &balls);
		}
		if (d8_GreaterBits(balls.isOpen, none) == 0)
		{
			continue;
		}
		if (!hasSlopes)
		{
			ReadSlopes(wide, a);
			ReadSlopes(wide, b);
			hasSlopes = true;
		}
		const d8 constant = pair->isApart ? FindApart(wide, pairs, pair, reach, Larger(most, enough), &balls, cell)
		                                  : FindTurned(wide, pair);
		most = d8_SelectGreater(balls.isOpen, none, Larger(most, constant), most);
	}
	return most;
}

static void RaiseAll(const sgRegionDraft* region, uint32_t first, sgDraftPairs* pairs, sgCellDraft* cell)
{
	double SG_ALIGN(64) constants[SG_LANES];
	Wide wide; // not zeroed: most of it is scratch
	d8 bounds[2];
	Begin(&wide, region, first, cell, bounds);
	d8_Store(constants, Raise(&wide, pairs, bounds[0], bounds[1], cell));
	for (uint32_t i = 0; i < SG_LANES && first + i < region->fieldCount; ++i)
	{
		cell->constants[first + i] = constants[i];
	}
}

#endif

const sgCertificatesKernels SG_FOR_ISA(sgCertificatesKernels) = {
#if !SNUG_FOR_SIZE
	.raise = RaiseAll,
#endif
};
