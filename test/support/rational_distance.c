// test/support/rational_distance.c: see rational_distance.h.
//
// A triangle has seven parts: three corners, three edges, the inside; each is a corner and up to two directions. For
// two parts, the least squares problem over all their directions is solved in rationals; if the solution is in both
// parts, its distance counts. Where directions depend on each other, parts with fewer of them have the same distance.
#include "rational_distance.h"

#include "rational_vector.h"

#define UNKNOWNS 4

static struct
{
	Vector base, direction[UNKNOWNS];
	mpq_t matrix[UNKNOWNS][UNKNOWNS + 1], x[UNKNOWNS];
	mpq_t product, ratio, sum, best;
} work;

typedef struct Part
{
	const float* corner;
	const float* ends[2];
	int directions;
} Part;

static Part PartOf(const float t[3][3], int number)
{
	if (number < 3)
	{
		return (Part){ t[number], { 0 }, 0 };
	}
	if (number < 6)
	{
		return (Part){ t[number - 3], { t[(number - 2) % 3] }, 1 };
	}
	return (Part){ t[0], { t[1], t[2] }, 2 };
}

static void SetDirection(int i, const float* from, const float* to, bool isNegative)
{
	for (int k = 0; k < 3; ++k)
	{
		mpq_set_d(work.direction[i].c[k], (double)(isNegative ? from[k] : to[k]));
		mpq_set_d(work.sum, (double)(isNegative ? to[k] : from[k]));
		mpq_sub(work.direction[i].c[k], work.direction[i].c[k], work.sum);
	}
}

// Gauss, in rationals: false if the directions depend on each other.
static bool Solve(int n)
{
	for (int i = 0; i < n; ++i)
	{
		int pivot = i;
		while (pivot < n && mpq_sgn(work.matrix[pivot][i]) == 0)
		{
			++pivot;
		}
		if (pivot == n)
		{
			return false;
		}
		for (int c = 0; c <= n; ++c)
		{
			mpq_swap(work.matrix[i][c], work.matrix[pivot][c]);
		}
		for (int r = 0; r < n; ++r)
		{
			if (r == i)
			{
				continue;
			}
			mpq_div(work.ratio, work.matrix[r][i], work.matrix[i][i]);
			for (int c = i; c <= n; ++c)
			{
				mpq_mul(work.product, work.ratio, work.matrix[i][c]);
				mpq_sub(work.matrix[r][c], work.matrix[r][c], work.product);
			}
		}
	}
	for (int i = 0; i < n; ++i)
	{
		mpq_div(work.x[i], work.matrix[i][n], work.matrix[i][i]);
	}
	return true;
}

// Weights of a part: none negative, and no more than one together.
static bool AreInside(int first, int count)
{
	mpq_set_ui(work.sum, 1, 1);
	bool isInside = true;
	for (int i = first; i < first + count; ++i)
	{
		isInside = isInside && mpq_sgn(work.x[i]) >= 0;
		mpq_sub(work.sum, work.sum, work.x[i]);
	}
	return isInside && mpq_sgn(work.sum) >= 0;
}

static void Try(const Part* a, const Part* b, bool* isFirst)
{
	const int n = a->directions + b->directions;
	for (int k = 0; k < 3; ++k)
	{
		mpq_set_d(work.base.c[k], (double)b->corner[k]);
		mpq_set_d(work.sum, (double)a->corner[k]);
		mpq_sub(work.base.c[k], work.base.c[k], work.sum);
	}
	for (int i = 0; i < n; ++i)
	{
		bool isA = i < a->directions;
		const Part* part = isA ? a : b;
		SetDirection(i, part->corner, part->ends[isA ? i : i - a->directions], !isA);
	}
	// |base - sum x_i direction_i| is least.
	for (int i = 0; i < n; ++i)
	{
		for (int j = 0; j < n; ++j)
		{
			Dot(work.matrix[i][j], &work.direction[i], &work.direction[j]);
		}
		Dot(work.matrix[i][n], &work.direction[i], &work.base);
	}
	if (!Solve(n) || !AreInside(0, a->directions) || !AreInside(a->directions, b->directions))
	{
		return;
	}
	for (int k = 0; k < 3; ++k)
	{
		for (int i = 0; i < n; ++i)
		{
			mpq_mul(work.product, work.x[i], work.direction[i].c[k]);
			mpq_sub(work.base.c[k], work.base.c[k], work.product);
		}
	}
	Dot(work.sum, &work.base, &work.base);
	if (*isFirst || mpq_cmp(work.sum, work.best) < 0)
	{
		mpq_set(work.best, work.sum);
	}
	*isFirst = false;
}

double RationalDistance2(const float a[3][3], const float b[3][3])
{
	InitOnce(&work, sizeof(work));
	bool isFirst = true;
	for (int i = 0; i < 7; ++i)
	{
		for (int j = 0; j < 7; ++j)
		{
			const Part partA = PartOf(a, i), partB = PartOf(b, j);
			if (partA.directions + partB.directions <= 2) // the rest intersect, or are no better
			{
				Try(&partA, &partB, &isFirst);
			}
		}
	}
	return mpq_get_d(work.best);
}
