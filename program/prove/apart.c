#include "program/prove/apart.h"

#include "program/prove/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MAX_STEPS 32

// ---- Directions ------------------------------------------------------------------------------------------------

// The difference that is least along a direction, of both ends.
static double FindLeast(const proveCloud* a, const proveCloud* b, const double d[3], double difference[3])
{
	double least = INFINITY;
	for (int e = 0; e < 2; ++e)
	{
		int last = 0, first = 0;
		double most = -INFINITY, fewest = INFINITY;
		for (int i = 0; i < a->count; ++i)
		{
			const double x = proveDot(d, a->ends[e][i]);
			last = x > most ? i : last;
			most = x > most ? x : most;
		}
		for (int i = 0; i < b->count; ++i)
		{
			const double x = proveDot(d, b->ends[e][i]);
			first = x < fewest ? i : first;
			fewest = x < fewest ? x : fewest;
		}
		if (fewest - most < least)
		{
			least = fewest - most;
			proveSubtract(b->ends[e][first], a->ends[e][last], difference);
		}
	}
	return least;
}

// As whole numbers: as small ones as will do.
static bool Round(const proveCloud* a, const proveCloud* b, const double v[3], double error, int32_t d[3])
{
	static const double scales[] = { 3.0, 15.0, 127.0, 4095.0, 0x1p20, 0x1p30 };
	const double most = fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2]));
	for (size_t i = 0; most > 0.0 && i < sizeof(scales) / sizeof(scales[0]); ++i)
	{
		double rounded[3], difference[3], sum = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			rounded[k] = rint(v[k] / most * scales[i]);
			d[k] = (int32_t)rounded[k];
			sum += fabs(rounded[k]);
		}
		if (FindLeast(a, b, rounded, difference) > 2.0 * error * sum)
		{
			return true;
		}
	}
	return false;
}

// Solve a system of one to three equations; false if it is singular.
static bool Solve(double m[3][4], int n)
{
	for (int i = 0; i < n; ++i)
	{
		int pivot = i;
		for (int r = i + 1; r < n; ++r)
		{
			pivot = fabs(m[r][i]) > fabs(m[pivot][i]) ? r : pivot;
		}
		if (!(fabs(m[pivot][i]) > DBL_MIN))
		{
			return false;
		}
		for (int c = 0; c < 4; ++c)
		{
			const double swapped = m[i][c];
			m[i][c] = m[pivot][c];
			m[pivot][c] = swapped;
		}
		for (int r = 0; r < n; ++r)
		{
			const double f = r == i ? 0.0 : m[r][i] / m[i][i];
			for (int c = i; c < 4; ++c)
			{
				m[r][c] -= f * m[i][c];
			}
		}
	}
	for (int i = 0; i < n; ++i)
	{
		m[i][3] /= m[i][i];
	}
	return true;
}

// The point of the plane through some corners that is nearest to the origin, if it is in their hull.
static bool FindFoot(double corners[4][3], int mask, double v[3])
{
	double edges[3][3], system[3][4], rest = 1.0;
	int list[4], n = 0;
	for (int i = 0; i < 4; ++i)
	{
		if ((mask >> i & 1) != 0)
		{
			list[n++] = i;
		}
	}
	const double* o = corners[list[0]];
	memcpy(v, o, 3 * sizeof(double));
	for (int i = 1; i < n; ++i)
	{
		proveSubtract(corners[list[i]], o, edges[i - 1]);
	}
	for (int i = 0; i < n - 1; ++i)
	{
		for (int k = 0; k < n - 1; ++k)
		{
			system[i][k] = proveDot(edges[i], edges[k]);
		}
		for (int k = n - 1; k < 3; ++k)
		{
			system[i][k] = 0.0;
		}
		system[i][3] = -proveDot(edges[i], o);
	}
	if (!Solve(system, n - 1))
	{
		return false;
	}
	for (int i = 0; i < n - 1; ++i)
	{
		rest -= system[i][3];
		if (system[i][3] < 0.0)
		{
			return false;
		}
		for (int k = 0; k < 3; ++k)
		{
			v[k] += system[i][3] * edges[i][k];
		}
	}
	return rest >= 0.0;
}

// Keep the corners whose hull has the nearest point to the origin, and find that.
static void Reduce(double corners[4][3], int* count, double v[3])
{
	double best = INFINITY;
	int kept = 0, n = 0;
	for (int mask = 1; mask < 1 << *count; ++mask)
	{
		double foot[3];
		if (FindFoot(corners, mask, foot) && proveDot(foot, foot) < best)
		{
			best = proveDot(foot, foot);
			kept = mask;
			memcpy(v, foot, sizeof(foot));
		}
	}
	for (int i = 0; i < *count; ++i)
	{
		if ((kept >> i & 1) != 0)
		{
			memmove(corners[n++], corners[i], 3 * sizeof(double));
		}
	}
	*count = n;
}

bool proveApart(const proveCloud* a, const proveCloud* b, double error, int32_t d[3])
{
	double corners[4][3], v[3] = { 0.0 }, difference[3];
	int count = 0;
	for (int e = 0; e < 2; ++e)
	{
		for (int i = 0; i < a->count; ++i)
		{
			for (int k = 0; k < 3; ++k)
			{
				v[k] -= a->ends[e][i][k] / a->count;
			}
		}
		for (int i = 0; i < b->count; ++i)
		{
			for (int k = 0; k < 3; ++k)
			{
				v[k] += b->ends[e][i][k] / b->count;
			}
		}
	}
	v[0] = proveDot(v, v) > 0.0 ? v[0] : 1.0;
	for (int step = 0; step < MAX_STEPS; ++step)
	{
		const double least = FindLeast(a, b, v, difference), square = proveDot(v, v);
		if (least > 2.0 * error * (fabs(v[0]) + fabs(v[1]) + fabs(v[2])) && Round(a, b, v, error, d))
		{
			return true;
		}
		if (count == 4 || (count > 0 && !(square - least > 1e-12 * square)))
		{
			return false;
		}
		memcpy(corners[count++], difference, sizeof(difference));
		Reduce(corners, &count, v);
		if (!(proveDot(v, v) > 0.0))
		{
			return false;
		}
	}
	return false;
}

bool proveAhead(const proveCloud* points, double error, int32_t d[3])
{
	static const proveCloud origin = { .count = 1 };
	return proveApart(&origin, points, error, d);
}

// ---- Polynomials -----------------------------------------------------------------------------------------------

int proveSign(const double* numbers, int count, double error)
{
	int above = 0, below = 0;
	for (int i = 0; i < count; ++i)
	{
		above += numbers[i] > error;
		below += numbers[i] < -error;
	}
	return above == count ? 1 : below == count ? -1 : 0;
}

// Of u[i] . (v[j] x w[k]), added to a Bernstein coefficient.
static void AddVolume(double u[2][3], double v[2][3], double w[2][3], int bits, double coefficients[4])
{
	double normal[3];
	proveCross(v[bits >> 1 & 1], w[bits >> 2 & 1], normal);
	coefficients[(bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1)] += proveDot(u[bits & 1], normal);
}

// The sign of the volume of four points that go straight, if it keeps it. With l the greatest difference, of error e,
// a product of three is off by less than 3 e l^2 and some roundings, and there are six of them in each of three sums.
static int FindVolumeSign(double o[2][3], double a[2][3], double b[2][3], double c[2][3], double error)
{
	double u[2][3], v[2][3], w[2][3], coefficients[4] = { 0.0 }, most = 0.0;
	for (int e = 0; e < 2; ++e)
	{
		proveSubtract(a[e], o[e], u[e]);
		proveSubtract(b[e], o[e], v[e]);
		proveSubtract(c[e], o[e], w[e]);
		for (int k = 0; k < 3; ++k)
		{
			most = fmax(most, fmax(fmax(fabs(u[e][k]), fabs(v[e][k])), fabs(w[e][k])));
		}
	}
	for (int bits = 0; bits < 8; ++bits)
	{
		AddVolume(u, v, w, bits, coefficients);
	}
	return proveSign(coefficients, 4, 128.0 * (2.0 * error + 0x1p-50 * most) * most * most);
}

bool proveCrosses(double edge[2][2][3], double triangle[3][2][3], double error)
{
	double(*p)[3] = edge[0], (*q)[3] = edge[1];
	const int above = FindVolumeSign(triangle[0], triangle[1], triangle[2], p, error);
	if (above == 0 || FindVolumeSign(triangle[0], triangle[1], triangle[2], q, error) != -above)
	{
		return false;
	}
	const int side = FindVolumeSign(p, q, triangle[0], triangle[1], error);
	return side != 0 && FindVolumeSign(p, q, triangle[1], triangle[2], error) == side &&
	       FindVolumeSign(p, q, triangle[2], triangle[0], error) == side;
}
