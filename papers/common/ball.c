// papers/common/ball.c: smallest enclosing balls by pivoting. See ball.h.
//
// The smallest ball is determined by at most four of the points on its surface (Welzl 1991). Kept are such a set and
// its ball; the point farthest outside joins them (the pivot, after Gaertner 1999), and the smallest ball of those five
// is found by trying all their subsets, which is simple and immune to degenerate positions: of the balls through one
// to four of them, the one from whose centre the farthest of the five is nearest. Radii grow with every step, so it
// ends; rounding could only make it go round in circles with equal radii, so it also ends when a radius no longer
// grows. All is computed relative to the first point, so that far from zero nothing is lost.
#include "papers/common/ball.h"

#include "base/vec.h"

#include <math.h>
#include <string.h>

enum
{
	MAX_SUPPORT = 4,
	MAX_STEPS = 200
};

typedef struct Ball
{
	double center[3];
	double radius2; ///< negative: no ball
	double support[MAX_SUPPORT + 1][3];
	uint32_t supportCount;
} Ball;

// Solve n <= 3 equations by elimination with the largest pivot of the whole matrix; false if they are dependent.
static bool Solve(double m[3][4], int n, double x[3])
{
	int order[3] = { 0, 1, 2 };
	for (int step = 0; step < n; ++step)
	{
		int row = step, column = step;
		for (int i = step; i < n; ++i)
		{
			for (int k = step; k < n; ++k)
			{
				bool isLarger = fabs(m[i][k]) > fabs(m[row][column]);
				row = isLarger ? i : row;
				column = isLarger ? k : column;
			}
		}
		if (!(fabs(m[row][column]) > 0.0))
		{
			return false;
		}
		for (int k = 0; k < 4; ++k)
		{
			double swapped = m[step][k];
			m[step][k] = m[row][k];
			m[row][k] = swapped;
		}
		for (int i = 0; i < n; ++i)
		{
			double swapped = m[i][step];
			m[i][step] = m[i][column];
			m[i][column] = swapped;
		}
		int name = order[step];
		order[step] = order[column];
		order[column] = name;
		for (int i = step + 1; i < n; ++i)
		{
			double factor = m[i][step] / m[step][step];
			for (int k = step; k < n; ++k)
			{
				m[i][k] -= factor * m[step][k];
			}
			m[i][3] -= factor * m[step][3];
		}
	}
	for (int step = n - 1; step >= 0; --step)
	{
		double sum = m[step][3];
		for (int k = step + 1; k < n; ++k)
		{
			sum -= m[step][k] * x[order[k]];
		}
		x[order[step]] = sum / m[step][step];
	}
	return true;
}

// Centre of the smallest ball with one to four points on its surface: p_0 + sum_k x_k (p_k - p_0) with
// 2 (p_i - p_0) . sum_k x_k (p_k - p_0) = |p_i - p_0|^2.
static bool BallThrough(const double (*points)[3], const uint32_t* which, uint32_t count, double center[3])
{
	double sides[3][3], m[3][4], x[3];
	int n = (int)count - 1;
	const double* first = points[which[0]];
	for (int i = 0; i < n; ++i)
	{
		for (int c = 0; c < 3; ++c)
		{
			sides[i][c] = points[which[i + 1]][c] - first[c];
		}
	}
	for (int i = 0; i < n; ++i)
	{
		for (int k = 0; k < n; ++k)
		{
			m[i][k] = 2.0 * sgDot(sides[i], sides[k]);
		}
		m[i][3] = sgDot(sides[i], sides[i]);
	}
	if (n > 0 && !Solve(m, n, x))
	{
		return false;
	}
	memcpy(center, first, 3 * sizeof(double));
	for (int i = 0; i < n; ++i)
	{
		for (int c = 0; c < 3; ++c)
		{
			center[c] += x[i] * sides[i][c];
		}
	}
	return true;
}

static double FarthestOf(const double (*points)[3], uint32_t count, const double center[3])
{
	double most = 0.0;
	for (uint32_t i = 0; i < count; ++i)
	{
		double distance2 = sgDistance2(center, points[i]);
		most = sgMost(most, distance2);
	}
	return most;
}

// The smallest ball around up to five points, and those of them that it goes through.
static Ball BallAround(const double (*points)[3], uint32_t count)
{
	Ball best = { .radius2 = -1.0 };
	for (uint32_t subset = 1; subset < 1u << count; ++subset)
	{
		uint32_t which[MAX_SUPPORT + 1] = { 0 }, size = 0;
		for (uint32_t i = 0; i < count; ++i)
		{
			if ((subset >> i & 1) != 0)
			{
				which[size++] = i;
			}
		}
		Ball ball;
		if (size > MAX_SUPPORT || !BallThrough(points, which, size, ball.center))
		{
			continue;
		}
		ball.radius2 = FarthestOf(points, count, ball.center);
		if (best.radius2 >= 0.0 && !(ball.radius2 < best.radius2))
		{
			continue;
		}
		best = ball;
		best.supportCount = size;
		for (uint32_t i = 0; i < size; ++i)
		{
			memcpy(best.support[i], points[which[i]], sizeof(best.support[i]));
		}
	}
	return best;
}

// The point farthest from the centre; both relative to the first point.
static double Farthest(sgPointFcn* get, const void* points, uint32_t count, const double origin[3],
    const double center[3], double point[3])
{
	double most = -1.0;
	for (uint32_t i = 0; i < count; ++i)
	{
		double p[3];
		get(points, i, p);
		for (int c = 0; c < 3; ++c)
		{
			p[c] -= origin[c];
		}
		double distance2 = sgDistance2(center, p);
		if (distance2 > most)
		{
			most = distance2;
			memcpy(point, p, sizeof(p));
		}
	}
	return most;
}

double sgSmallestBall(sgPointFcn* get, const void* points, uint32_t count, double center[3])
{
	Ball ball = { .center = { 0.0, 0.0, 0.0 }, .supportCount = 1 };
	double origin[3] = { 0.0, 0.0, 0.0 };
	if (count > 0)
	{
		get(points, 0, origin);
	}
	for (int step = 0; count > 0 && step < MAX_STEPS; ++step)
	{
		double farthest = Farthest(get, points, count, origin, ball.center, ball.support[ball.supportCount]);
		if (farthest <= ball.radius2 * (1.0 + 1e-10))
		{
			break;
		}
		Ball next = BallAround((const double(*)[3])ball.support, ball.supportCount + 1);
		if (!(next.radius2 > ball.radius2))
		{
			break;
		}
		ball = next;
	}
	for (int c = 0; c < 3; ++c)
	{
		center[c] = origin[c] + ball.center[c];
	}
	return sqrt(ball.radius2);
}
