// src/tree/split.c: see split.h. Plain scalar C with + - * / sqrt only: the same tree on every machine.
#include "tree/split.h"

#include "geometry/eigen.h"

#include <math.h>
#include <string.h>

// Twice the centre of the box: saves a multiplication that no comparison needs.
static double Centre2(const sgBuildItem* item, int axis)
{
	return (double)item->lower[axis] + (double)item->upper[axis];
}

static bool Before(const sgBuildItem* a, const sgBuildItem* b)
{
	return a->key < b->key || (a->key == b->key && a->triangle < b->triangle);
}

static void Swap(sgBuildItem* a, sgBuildItem* b)
{
	sgBuildItem item = *a;
	*a = *b;
	*b = item;
}

static void SortThree(sgBuildItem* a, sgBuildItem* b, sgBuildItem* c)
{
	if (Before(b, a))
	{
		Swap(a, b);
	}
	if (Before(c, b))
	{
		Swap(b, c);
		if (Before(b, a))
		{
			Swap(a, b);
		}
	}
}

// Quickselect. The order (key, triangle) is total, so every partition has one item of the pivot's value and shrinks;
// the pivot is the median of nine spread items.
void sgSelectPlace(sgBuildItem* items, uint32_t count, uint32_t place)
{
	uint32_t first = 0, last = count - 1;
	while (last - first > 8)
	{
		uint32_t step = (last - first) / 8, middle = first + 4 * step;
		SortThree(items + first, items + first + step, items + first + 2 * step);
		SortThree(items + first + 3 * step, items + middle, items + first + 5 * step);
		SortThree(items + first + 6 * step, items + first + 7 * step, items + last);
		SortThree(items + first + step, items + middle, items + first + 7 * step);
		sgBuildItem pivot = items[middle];
		uint32_t i = first, j = last;
		while (i <= j)
		{
			while (Before(items + i, &pivot))
			{
				++i;
			}
			while (Before(&pivot, items + j))
			{
				--j;
			}
			if (i <= j)
			{
				Swap(items + i, items + j);
				++i;
				--j;
			}
		}
		if (place <= j)
		{
			last = j;
		}
		else if (place >= i)
		{
			first = i;
		}
		else
		{
			return;
		}
	}
	for (uint32_t i = first + 1; i <= last; ++i)
	{
		for (uint32_t j = i; j > first && Before(items + j, items + j - 1); --j)
		{
			Swap(items + j, items + j - 1);
		}
	}
}

// The cut nearest to `wanted` that leaves a whole number of units on one side; `count` is more than one unit.
static uint32_t RoundCut(uint32_t wanted, uint32_t count, uint32_t unit)
{
	uint32_t most = (count - 1) / unit;
	uint32_t before = (wanted + unit / 2) / unit, after = (count - wanted + unit / 2) / unit;
	before = (before < 1 ? 1 : before > most ? most : before) * unit;
	after = count - (after < 1 ? 1 : after > most ? most : after) * unit;
	uint32_t farBefore = before > wanted ? before - wanted : wanted - before;
	uint32_t farAfter = after > wanted ? after - wanted : wanted - after;
	return farBefore <= farAfter ? before : after;
}

void sgFindPrincipalKeys(sgBuildItem* items, uint32_t count)
{
	double mean[3] = { 0, 0, 0 }, covariance[3][3] = { { 0 } }, values[3], axes[3][3];
	for (uint32_t i = 0; i < count; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			mean[k] += Centre2(items + i, k);
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		mean[k] /= (double)count;
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		double x = Centre2(items + i, 0) - mean[0];
		double y = Centre2(items + i, 1) - mean[1];
		double z = Centre2(items + i, 2) - mean[2];
		covariance[0][0] += x * x;
		covariance[0][1] += x * y;
		covariance[0][2] += x * z;
		covariance[1][1] += y * y;
		covariance[1][2] += y * z;
		covariance[2][2] += z * z;
	}
	covariance[1][0] = covariance[0][1];
	covariance[2][0] = covariance[0][2];
	covariance[2][1] = covariance[1][2];
	sgEigen3(covariance, values, axes);
	const double* axis = axes[0];
	for (uint32_t i = 0; i < count; ++i)
	{
		double x = Centre2(items + i, 0) - mean[0];
		double y = Centre2(items + i, 1) - mean[1];
		double z = Centre2(items + i, 2) - mean[2];
		items[i].key = (float)((axis[0] * x + axis[1] * y) + axis[2] * z);
	}
}

// Bins along one axis, each with its triangles' box and count.
enum
{
	BIN_COUNT = 16
};

typedef struct Bins
{
	double origin;
	double scale; ///< bins per unit of Centre2; zero if all centres are equal
	sgBox box[BIN_COUNT];
	uint32_t count[BIN_COUNT];
} Bins;

static int BinOf(const Bins* bins, double centre2)
{
	int bin = (int)((centre2 - bins->origin) * bins->scale);
	return bin < BIN_COUNT - 1 ? bin : BIN_COUNT - 1;
}

// Half the surface area. In double, since squares of float32 coordinates need not fit float32.
static double Area(const sgBox* box)
{
	if (sgBox_IsEmpty(box))
	{
		return 0.0;
	}
	double x = (double)box->upper[0] - (double)box->lower[0];
	double y = (double)box->upper[1] - (double)box->lower[1];
	double z = (double)box->upper[2] - (double)box->lower[2];
	return x * y + y * z + z * x;
}

static void FillBins(const sgBuildItem* items, uint32_t count, Bins bins[3])
{
	double lower[3] = { INFINITY, INFINITY, INFINITY }, upper[3] = { -INFINITY, -INFINITY, -INFINITY };
	for (uint32_t i = 0; i < count; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			double c = Centre2(items + i, k);
			lower[k] = c < lower[k] ? c : lower[k];
			upper[k] = c > upper[k] ? c : upper[k];
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		bins[k].origin = lower[k];
		bins[k].scale = upper[k] > lower[k] ? BIN_COUNT / (upper[k] - lower[k]) : 0.0;
		for (int b = 0; b < BIN_COUNT; ++b)
		{
			bins[k].box[b] = sgBox_Empty();
			bins[k].count[b] = 0;
		}
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		sgBox box;
		memcpy(box.lower, items[i].lower, sizeof(box.lower));
		memcpy(box.upper, items[i].upper, sizeof(box.upper));
		for (int k = 0; k < 3; ++k)
		{
			int b = BinOf(bins + k, Centre2(items + i, k));
			sgBox_AddBox(bins[k].box + b, &box);
			++bins[k].count[b];
		}
	}
}

// The least area * count over all cuts between bins of one axis; the count before the cut goes to `cut`.
static double BestCut(const Bins* bins, uint32_t* cut)
{
	double after[BIN_COUNT];
	sgBox box = sgBox_Empty();
	uint32_t count = 0;
	for (int b = BIN_COUNT - 1; b > 0; --b)
	{
		sgBox_AddBox(&box, bins->box + b);
		count += bins->count[b];
		after[b] = Area(&box) * (double)count;
	}
	double best = INFINITY;
	uint32_t total = count + bins->count[0];
	box = sgBox_Empty();
	count = 0;
	for (int b = 0; b < BIN_COUNT - 1; ++b)
	{
		sgBox_AddBox(&box, bins->box + b);
		count += bins->count[b];
		double cost = Area(&box) * (double)count + after[b + 1];
		if (count > 0 && count < total && cost < best)
		{
			best = cost;
			*cut = count;
		}
	}
	return best;
}

// Chooses an axis and a count by surface area; false if no axis separates anything.
static bool SurfaceAreaKeys(sgBuildItem* items, uint32_t count, uint32_t* cut)
{
	Bins bins[3];
	FillBins(items, count, bins);
	double best = INFINITY;
	int axis = -1;
	for (int k = 0; k < 3; ++k)
	{
		uint32_t axisCut = 0;
		double cost = bins[k].scale > 0.0 && bins[k].scale < INFINITY ? BestCut(bins + k, &axisCut) : INFINITY;
		if (cost < best)
		{
			best = cost;
			axis = k;
			*cut = axisCut;
		}
	}
	for (uint32_t i = 0; axis >= 0 && i < count; ++i)
	{
		items[i].key = (float)(Centre2(items + i, axis) - bins[axis].origin);
	}
	return axis >= 0;
}

// By surface area; in the middle of the longest principal axis where no axis separates anything.
uint32_t sgSplit(sgBuildItem* items, uint32_t count, uint32_t unit)
{
	uint32_t wanted = count / 2;
	if (!SurfaceAreaKeys(items, count, &wanted))
	{
		sgFindPrincipalKeys(items, count);
	}
	uint32_t cut = RoundCut(wanted, count, unit);
	sgSelectPlace(items, count, cut);
	return cut;
}
