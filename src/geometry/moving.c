// src/geometry/moving.c: see moving.h. A search over cells, the earliest first, that cuts off and bisects.
//
// Everything is in double, in plain C: the same bits everywhere.
#include "geometry/moving.h"

#include "base/vec.h"
#include "geometry/margins.h"

#include <math.h>

#define MAX_CELLS 256

enum
{
	axisT,
	axisU,
	axisV
};

/// A box of (t, u, v).
typedef struct Cell
{
	double low[3], high[3];
	bool isCertain; ///< F has a zero in it
	bool isSmall;   ///< nothing in it is farther than the tolerance from being a contact
} Cell;

/// F at both times of a cell: value(t, u, v) = base + u along + v across.
typedef struct Faces
{
	double base[2][3], along[2][3], across[2][3];
} Faces;

/// Values of F along a direction, on the six faces of a cell: [t, u, v][low, high].
typedef struct Ranges
{
	double least[3][2], most[3][2];
} Ranges;

typedef struct CellSearch
{
	const sgMovingPair* pair;
	const sgMovingQuery* query;
	double error;  ///< of values of F, along an axis
	double margin; ///< of the query, for the cell that is looked at
	double stray;  ///< likewise
	double small;  ///< a cell with no more of F than this is small
	double latest; ///< of the first contact that is certain; infinite if there is none
	double u, v;   ///< where that is
	Cell all;      ///< what there is to look at
	Cell cells[MAX_CELLS];
	uint32_t count;
} CellSearch;

static inline double Least(double a, double b)
{
	return a < b ? a : b;
}

static inline double Most(double a, double b)
{
	return a > b ? a : b;
}

static inline double Middle(const Cell* cell, int axis)
{
	return 0.5 * (cell->low[axis] + cell->high[axis]);
}

double sgMovingPair_Motion(const sgMovingPair* pair)
{
	double most = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		most = Most(most, fabs(pair->base[1][k] - pair->base[0][k]) + fabs(pair->along[1][k] - pair->along[0][k]) +
		                      fabs(pair->across[1][k] - pair->across[0][k]));
	}
	return most;
}

double sgMovingPair_Error(const sgMovingPair* pair)
{
	double most = 0.0;
	for (int i = 0; i < 6; ++i)
	{
		const int s = i / 3, k = i % 3;
		most = Most(most, fabs(pair->base[s][k]));
		most = Most(most, Most(fabs(pair->along[s][k]), fabs(pair->across[s][k])));
	}
	return SG_MARGIN_CELL * 0x1p-53 * most;
}

static void Interpolate(const double ends[2][3], double t, double out[3])
{
	const double s = 1.0 - t;
	for (int k = 0; k < 3; ++k)
	{
		out[k] = s * ends[0][k] + t * ends[1][k];
	}
}

// At each time F is affine in u and v: its least value takes the least of each term.
static inline Ranges RangesAlong(const Cell* cell, const double base[2], const double along[2], const double across[2])
{
	Ranges r;
	double least[2][3][2], most[2][3][2]; // [time][axis][face]
	for (int s = 0; s < 2; ++s)
	{
		const double u[2] = { cell->low[axisU] * along[s], cell->high[axisU] * along[s] };
		const double v[2] = { cell->low[axisV] * across[s], cell->high[axisV] * across[s] };
		const double leastU = Least(u[0], u[1]), mostU = Most(u[0], u[1]);
		const double leastV = Least(v[0], v[1]), mostV = Most(v[0], v[1]);
		least[s][axisT][0] = base[s] + leastU + leastV;
		most[s][axisT][0] = base[s] + mostU + mostV;
		for (int f = 0; f < 2; ++f)
		{
			least[s][axisU][f] = base[s] + u[f] + leastV;
			most[s][axisU][f] = base[s] + u[f] + mostV;
			least[s][axisV][f] = base[s] + leastU + v[f];
			most[s][axisV][f] = base[s] + mostU + v[f];
		}
	}
	for (int f = 0; f < 2; ++f)
	{
		r.least[axisT][f] = least[f][axisT][0];
		r.most[axisT][f] = most[f][axisT][0];
		for (int axis = axisU; axis <= axisV; ++axis)
		{
			r.least[axis][f] = Least(least[0][axis][f], least[1][axis][f]);
			r.most[axis][f] = Most(most[0][axis][f], most[1][axis][f]);
		}
	}
	return r;
}

// From a face on which values are `first` > 0 towards one with `last` <= 0 they are not below the straight line between
// the two: so much of the way they are positive, rounding included.
static inline double PositivePart(double first, double last)
{
	return first / (first - last) * (1.0 - SG_MARGIN_CUT);
}

// Cut off what lies before the first zero or behind the last one, along one axis of the cell that the ranges are of.
static inline void CutAxis(const Ranges* ranges, double slack, const Cell* cell, int axis, Cell* cut)
{
	const double low = cell->low[axis], high = cell->high[axis], width = high - low;
	for (int sign = 0; sign < 2; ++sign)
	{
		const double first = (sign == 0 ? ranges->least[axis][0] : -ranges->most[axis][0]) - slack;
		const double last = (sign == 0 ? ranges->least[axis][1] : -ranges->most[axis][1]) - slack;
		if (first > 0.0 && last <= 0.0)
		{
			const double from = (low + width * PositivePart(first, last)) * (1.0 - SG_MARGIN_CUT);
			cut->low[axis] = Most(cut->low[axis], from);
		}
		else if (last > 0.0 && first <= 0.0)
		{
			const double to = (high - width * PositivePart(last, first)) * (1.0 + SG_MARGIN_CUT);
			cut->high[axis] = Least(cut->high[axis], to);
		}
	}
}

/// Leave of `cut`, a part of the cell, what may have zeros along a direction. @return false if nothing
static bool CutCell(const Ranges* ranges, double slack, const Cell* cell, Cell* cut)
{
	if (Least(ranges->least[axisT][0], ranges->least[axisT][1]) > slack ||
	    Most(ranges->most[axisT][0], ranges->most[axisT][1]) < -slack)
	{
		return false;
	}
	for (int axis = 0; axis < 3; ++axis)
	{
		CutAxis(ranges, slack, cell, axis, cut);
	}
	return cut->low[axisT] <= cut->high[axisT] && cut->low[axisU] <= cut->high[axisU] &&
	       cut->low[axisV] <= cut->high[axisV];
}

// How F changes from one face of the cell to the opposite one, in the middle: [t, u, v].
static void Slopes(const Cell* cell, const Faces* faces, double slopes[3][3])
{
	const double u = Middle(cell, axisU), v = Middle(cell, axisV);
	const double width[3] = { 1.0, cell->high[axisU] - cell->low[axisU], cell->high[axisV] - cell->low[axisV] };
	for (int k = 0; k < 3; ++k)
	{
		slopes[axisT][k] = (faces->base[1][k] - faces->base[0][k]) + u * (faces->along[1][k] - faces->along[0][k]) +
		                   v * (faces->across[1][k] - faces->across[0][k]);
		slopes[axisU][k] = 0.5 * width[axisU] * (faces->along[0][k] + faces->along[1][k]);
		slopes[axisV][k] = 0.5 * width[axisV] * (faces->across[0][k] + faces->across[1][k]);
	}
}

static Ranges RangesInDirection(const Cell* cell, const Faces* faces, const double direction[3])
{
	double base[2], along[2], across[2];
	for (int s = 0; s < 2; ++s)
	{
		base[s] = sgDot(direction, faces->base[s]);
		along[s] = sgDot(direction, faces->along[s]);
		across[s] = sgDot(direction, faces->across[s]);
	}
	return RangesAlong(cell, base, along, across);
}

// What a value along a direction may be off by: by rounding, and by so much in any direction.
static double Slack(const CellSearch* search, const double direction[3], double reach)
{
	const double sum = fabs(direction[0]) + fabs(direction[1]) + fabs(direction[2]);
	const double length = reach > 0.0 ? sqrt(sgDot(direction, direction)) * (1.0 + 0x1p-50) : 0.0;
	return sum * search->error + length * reach;
}

// Whether values change sign from one face to the opposite one, everywhere on both, beyond what they may be off by.
static bool ChangesSign(const Ranges* ranges, int axis, double error)
{
	return (ranges->most[axis][0] < -error && ranges->least[axis][1] > error) ||
	       (ranges->least[axis][0] > error && ranges->most[axis][1] < -error);
}

static bool IsInDomain(const CellSearch* search, const Cell* cell)
{
	return !search->pair->isTriangle || cell->high[axisU] + cell->high[axisV] <= 1.0 - 0x1p-52;
}

// Along the three directions in which, to first order, only one of t, u, v counts. Cuts that way converge as Newton's
// method does; and where each of the three changes sign between the faces of its axis, F has a zero in the cell
// (Miranda's theorem).
static bool CutByNewton(CellSearch* search, const Cell* cell, const Faces* faces, double slopes[3][3], Cell* cut)
{
	bool isCertain = IsInDomain(search, cell);
	for (int axis = 0; axis < 3; ++axis)
	{
		double direction[3];
		sgCross(slopes[(axis + 1) % 3], slopes[(axis + 2) % 3], direction);
		const double slack = Slack(search, direction, search->stray);
		const Ranges ranges = RangesInDirection(cell, faces, direction);
		isCertain = isCertain && ChangesSign(&ranges, axis, slack);
		if (!CutCell(&ranges, slack, cell, cut))
		{
			return false;
		}
	}
	cut->isCertain = cut->isCertain || isCertain;
	return true;
}

// With a margin: F in the middle is the way from one feature to the other, and along it the margin counts as it is. The
// two are certainly within the margin if the middle says so.
static bool CutByDistance(CellSearch* search, const Cell* cell, const Faces* faces, Cell* cut)
{
	const double u = Middle(cell, axisU), v = Middle(cell, axisV);
	double direction[3], least = INFINITY;
	for (int s = 0; s < 2; ++s)
	{
		for (int k = 0; k < 3; ++k)
		{
			direction[k] = faces->base[s][k] + u * faces->along[s][k] + v * faces->across[s][k];
		}
		const double length =
		    sqrt(sgDot(direction, direction)) * (1.0 + 0x1p-50) + 2.0 * (search->error + search->stray);
		least = length <= search->margin ? Least(least, s == 0 ? cell->low[axisT] : cell->high[axisT]) : least;
	}
	if (least < search->latest && (!search->pair->isTriangle || u + v <= 1.0 - 0x1p-52))
	{
		search->latest = least;
		search->u = u;
		search->v = v;
	}
	const Ranges ranges = RangesInDirection(cell, faces, direction);
	return CutCell(&ranges, Slack(search, direction, search->margin), cell, cut);
}

// Leave of a cell what may have contacts. `width` receives how much of F it had. @return false if nothing
static bool Cut(CellSearch* search, Cell* cell, const Faces* faces, double slopes[3][3], double* width)
{
	Cell cut = *cell;
	*width = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		const double base[2] = { faces->base[0][k], faces->base[1][k] };
		const double along[2] = { faces->along[0][k], faces->along[1][k] };
		const double across[2] = { faces->across[0][k], faces->across[1][k] };
		const Ranges ranges = RangesAlong(cell, base, along, across);
		if (!CutCell(&ranges, search->error + search->margin, cell, &cut))
		{
			return false;
		}
		*width = Most(*width,
		    Most(ranges.most[axisT][0], ranges.most[axisT][1]) - Least(ranges.least[axisT][0], ranges.least[axisT][1]));
	}
	const bool isLeft = search->margin > 0.0 ? CutByDistance(search, cell, faces, &cut)
	                                         : CutByNewton(search, cell, faces, slopes, &cut);
	*cell = cut;
	return isLeft;
}

static double LargestCoordinate(const double a[3])
{
	return Most(fabs(a[0]), Most(fabs(a[1]), fabs(a[2])));
}

// The axis along which F changes most.
static int LongestAxis(const double slopes[3][3])
{
	int longest = axisT;
	for (int axis = axisU; axis <= axisV; ++axis)
	{
		longest = LargestCoordinate(slopes[axis]) > LargestCoordinate(slopes[longest]) ? axis : longest;
	}
	return longest;
}

static void Keep(CellSearch* search, const Cell* cell)
{
	if (cell->isCertain && cell->high[axisT] < search->latest)
	{
		search->latest = cell->high[axisT];
		search->u = Middle(cell, axisU);
		search->v = Middle(cell, axisV);
	}
	search->cells[search->count++] = *cell;
}

static void Halve(CellSearch* search, const Cell* cell, const double slopes[3][3])
{
	const int axis = LongestAxis(slopes);
	Cell half = *cell;
	half.isCertain = false;
	half.high[axis] = Middle(cell, axis);
	Keep(search, &half);
	half.low[axis] = half.high[axis];
	half.high[axis] = cell->high[axis];
	Keep(search, &half);
}

// Whether cutting has left little enough of a cell for another turn: of how much F changes along its sides.
static bool HasShrunk(const Cell* old, const Cell* cell, const double slopes[3][3])
{
	double before = 0.0, after = 0.0;
	for (int axis = 0; axis < 3; ++axis)
	{
		const double width = old->high[axis] - old->low[axis], slope = LargestCoordinate(slopes[axis]);
		before += slope;
		after += width > 0.0 ? slope * ((cell->high[axis] - cell->low[axis]) / width) : 0.0;
	}
	return after < 0.6 * before;
}

// On a triangle u + v <= 1. @return false if the cell is beyond
static bool CutTriangle(Cell* cell)
{
	cell->high[axisU] = Least(cell->high[axisU], (1.0 - cell->low[axisV]) * (1.0 + SG_MARGIN_CUT));
	cell->high[axisV] = Least(cell->high[axisV], (1.0 - cell->low[axisU]) * (1.0 + SG_MARGIN_CUT));
	return cell->low[axisU] <= cell->high[axisU] && cell->low[axisV] <= cell->high[axisV];
}

static void EvaluateFaces(const sgMovingPair* pair, const Cell* cell, Faces* faces)
{
	for (int s = 0; s < 2; ++s)
	{
		const double t = s == 0 ? cell->low[axisT] : cell->high[axisT];
		Interpolate(pair->base, t, faces->base[s]);
		Interpolate(pair->along, t, faces->along[s]);
		Interpolate(pair->across, t, faces->across[s]);
	}
}

// How far ways stray in a cell: the more, the nearer it is to the middle of the step. Rounded up.
static void SetStray(CellSearch* search, const Cell* cell)
{
	const sgMovingQuery* query = search->query;
	const double t = Least(Most(0.5, cell->low[axisT]), cell->high[axisT]);
	const double less = query->bow * Most(0.0, 1.0 - 0x1p-48 - 4.0 * t * (1.0 - t));
	search->margin = less > 0.0 ? (query->margin - less) * (1.0 + 0x1p-50) : query->margin;
	search->stray = less > 0.0 ? (query->stray - less) * (1.0 + 0x1p-50) : query->stray;
}

// Look at a cell: what is left of it, whole or in halves, is kept.
static void Look(CellSearch* search, Cell cell)
{
	Faces faces;
	double slopes[3][3], width;
	if (search->pair->isTriangle && !CutTriangle(&cell))
	{
		return;
	}
	const Cell old = cell;
	SetStray(search, &cell);
	EvaluateFaces(search->pair, &cell, &faces);
	Slopes(&cell, &faces, slopes);
	if (!Cut(search, &cell, &faces, slopes, &width))
	{
		return;
	}
	cell.isSmall = width <= Most(search->small, 0.125 * search->stray);
	if (cell.isSmall || HasShrunk(&old, &cell, slopes))
	{
		Keep(search, &cell);
	}
	else
	{
		Halve(search, &cell, slopes);
	}
}

// The cell that may have the earliest contact, taken out.
static Cell TakeEarliest(CellSearch* search)
{
	uint32_t earliest = 0;
	for (uint32_t i = 1; i < search->count; ++i)
	{
		earliest = search->cells[i].low[axisT] < search->cells[earliest].low[axisT] ? i : earliest;
	}
	const Cell cell = search->cells[earliest];
	search->cells[earliest] = search->cells[--search->count];
	return cell;
}

// Whether F certainly has a zero in what is no farther than this from a cell, as far as there is room.
static void LookAround(CellSearch* search, const Cell* cell, const double reach[3])
{
	Cell around = *cell;
	for (int axis = 0; axis < 3; ++axis)
	{
		around.low[axis] = Most(search->all.low[axis], cell->low[axis] - reach[axis]);
		around.high[axis] = Least(search->all.high[axis], cell->high[axis] + reach[axis]);
	}
	Faces faces;
	double slopes[3][3];
	SetStray(search, &around);
	EvaluateFaces(search->pair, &around, &faces);
	Slopes(&around, &faces, slopes);
	Cell cut = around;
	CutByNewton(search, &around, &faces, slopes, &cut);
	if (cut.isCertain)
	{
		Keep(search, &cut);
	}
}

// A zero that lies on a face of a small cell is inside a larger one.
static void LookNextTo(CellSearch* search, const Cell* cell)
{
	double reach[3];
	for (int axis = 0; axis < 3; ++axis)
	{
		reach[axis] = cell->high[axis] - cell->low[axis] + 0x1p-40;
	}
	LookAround(search, cell, reach);
}

// Ways that stray cross each other as straight ones do, where those change sides by more than that.
static void LookAtCrossing(CellSearch* search, const sgMovingQuery* query)
{
	const sgMovingPair* pair = search->pair;
	const sgMovingQuery straight = {
		.from = query->from, .to = query->to, .tolerance = query->tolerance, .maxCells = query->maxCells
	};
	const sgMovingResult crossing = sgMovingPair_Search(pair, &straight);
	if (crossing.answer != sg_movingMeets)
	{
		return;
	}
	const double t = crossing.latest, u = crossing.u, v = crossing.v;
	const Cell cell = { .low = { t, u, v }, .high = { t, u, v } };
	double slopes[3][3], direction[3], reach[3];
	Interpolate(pair->along, t, slopes[axisU]);
	Interpolate(pair->across, t, slopes[axisV]);
	for (int k = 0; k < 3; ++k)
	{
		slopes[axisT][k] = (pair->base[1][k] - pair->base[0][k]) + u * (pair->along[1][k] - pair->along[0][k]) +
		                   v * (pair->across[1][k] - pair->across[0][k]);
	}
	for (int axis = 0; axis < 3; ++axis)
	{
		sgCross(slopes[(axis + 1) % 3], slopes[(axis + 2) % 3], direction);
		const double change = fabs(sgDot(direction, slopes[axis]));
		reach[axis] = change > 0.0 ? 2.0 * query->stray * sqrt(sgDot(direction, direction)) / change : 1.0;
	}
	LookAround(search, &cell, reach);
}

static sgMovingResult Conclude(CellSearch* search, const Cell* cell, uint32_t cells, bool isCut)
{
	if (search->latest == INFINITY && search->query->margin == 0.0)
	{
		LookNextTo(search, cell);
	}
	const bool isCertain = search->latest < INFINITY;
	return (sgMovingResult){
		.answer = isCertain ? sg_movingMeets : sg_movingUnsure,
		.time = Least(cell->low[axisT], search->latest),
		.latest = isCertain ? search->latest : (isCut ? &search->all : cell)->high[axisT],
		.u = isCertain ? search->u : Middle(cell, axisU),
		.v = isCertain ? search->v : Middle(cell, axisV),
		.cells = cells,
		.isCut = isCut,
	};
}

sgMovingResult sgMovingPair_Search(const sgMovingPair* pair, const sgMovingQuery* query)
{
	CellSearch search; // not zeroed: most of it is room for cells
	const double motion = sgMovingPair_Motion(pair);
	search.pair = pair;
	search.error = sgMovingPair_Error(pair);
	search.query = query;
	search.small = Most(Least(0.5 * query->tolerance, 0x1p-10 * motion), 0x1p5 * search.error);
	search.latest = INFINITY;
	search.count = 1;
	search.all = (Cell){ .low = { query->from, 0.0, 0.0 }, .high = { query->to, 1.0, 1.0 } };
	search.cells[0] = search.all;
	uint32_t cells = 0;
	while (search.count > 0)
	{
		const Cell cell = TakeEarliest(&search);
		const bool isCut = cells >= query->maxCells || search.count + 2 > MAX_CELLS;
		if (cell.isSmall || isCut || motion * (search.latest - cell.low[axisT]) <= search.small)
		{
			if (search.latest == INFINITY && query->stray > 0.0)
			{
				LookAtCrossing(&search, query);
			}
			return Conclude(&search, &cell, cells, isCut && !cell.isSmall);
		}
		++cells;
		Look(&search, cell);
	}
	return (sgMovingResult){ .answer = sg_movingFree, .time = query->to, .latest = query->to, .cells = cells };
}
