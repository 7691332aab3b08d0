#include "solvers/orient.h"

#include "solvers/sine.h"

#include <math.h>
#include <string.h>

#define SWEEPS 12
#define STEPS 18 // of 5 degrees, about each axis
#define BETTER 0.8

// ---- Principal axes --------------------------------------------------------------------------------------------

// Second moments of the surface about its centre, with area as mass.
static void SetMoments(const simMesh* mesh, double moments[3][3])
{
	double area = 0.0, mean[3] = { 0.0, 0.0, 0.0 };
	memset(moments, 0, 9 * sizeof(double));
	for (size_t t = 0; t < mesh->triangleCount; ++t)
	{
		double p[3][3], sum[3], e0[3], e1[3];
		for (int k = 0; k < 3; ++k)
		{
			for (size_t i = 0; i < 3; ++i)
			{
				p[i][k] = (double)mesh->positions[3 * (size_t)mesh->triangles[3 * t + i] + (size_t)k];
			}
			sum[k] = p[0][k] + p[1][k] + p[2][k];
			e0[k] = p[1][k] - p[0][k];
			e1[k] = p[2][k] - p[0][k];
		}
		double n[3] = { e0[1] * e1[2] - e0[2] * e1[1], e0[2] * e1[0] - e0[0] * e1[2], e0[0] * e1[1] - e0[1] * e1[0] };
		double a = 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
		area += a;
		for (int i = 0; i < 3; ++i)
		{
			mean[i] += a * sum[i] / 3.0;
			for (int j = 0; j < 3; ++j)
			{
				double corners = p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j];
				moments[i][j] += a * (corners + sum[i] * sum[j]) / 12.0;
			}
		}
	}
	for (int i = 0; i < 9 && area > 0.0; ++i)
	{
		moments[i / 3][i % 3] -= mean[i / 3] * mean[i % 3] / area;
	}
}

// Turn rows p and q of the axes by an angle given by its cosine and sine.
static void TurnRows(double axes[3][3], int p, int q, double c, double s)
{
	for (int k = 0; k < 3; ++k)
	{
		double x = axes[p][k], y = axes[q][k];
		axes[p][k] = c * x - s * y;
		axes[q][k] = s * x + c * y;
	}
}

// Jacobi's method: rotations in coordinate planes until the matrix is diagonal; they make up the axes.
static void Diagonalise(double m[3][3], double axes[3][3])
{
	for (int sweep = 0; sweep < SWEEPS; ++sweep)
	{
		for (int p = 0; p < 2; ++p)
		{
			for (int q = p + 1; q < 3; ++q)
			{
				if (fabs(m[p][q]) <= 1e-15 * (fabs(m[p][p]) + fabs(m[q][q])))
				{
					continue;
				}
				double theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
				double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
				double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
				TurnRows(m, p, q, c, s);
				for (int k = 0; k < 3; ++k)
				{
					double x = m[k][p], y = m[k][q];
					m[k][p] = c * x - s * y;
					m[k][q] = s * x + c * y;
				}
				TurnRows(axes, p, q, c, s);
			}
		}
	}
}

// ---- Boxes -----------------------------------------------------------------------------------------------------

// Volume of the box, each side counted as no less than a thousandth of the longest: flat things have a size too.
static double MeasureBox(const simMesh* mesh, double axes[3][3])
{
	double extents[3], longest = 0.0, volume = 1.0;
	for (int a = 0; a < 3; ++a)
	{
		double lower = INFINITY, upper = -INFINITY;
		for (size_t i = 0; i < 3 * (size_t)mesh->triangleCount; ++i)
		{
			const float* p = mesh->positions + 3 * (size_t)mesh->triangles[i];
			double x = axes[a][0] * (double)p[0] + axes[a][1] * (double)p[1] + axes[a][2] * (double)p[2];
			lower = fmin(lower, x);
			upper = fmax(upper, x);
		}
		extents[a] = upper - lower;
		longest = fmax(longest, extents[a]);
	}
	for (int a = 0; a < 3; ++a)
	{
		volume *= fmax(extents[a] / longest, 1e-3);
	}
	return volume * longest * longest * longest;
}

// The turn about one axis that gives the least box, of those in steps over a right angle.
static double TurnAbout(const simMesh* mesh, int axis, double volume, double axes[3][3])
{
	double best[3][3];
	memcpy(best, axes, sizeof(best));
	for (int step = 1; step < STEPS; ++step)
	{
		double angle = 0.5 * SCENE_PI * step / STEPS, turned[3][3];
		memcpy(turned, axes, sizeof(turned));
		TurnRows(turned, (axis + 1) % 3, (axis + 2) % 3, sceneCosine(angle), sceneSine(angle));
		double found = MeasureBox(mesh, turned);
		if (found < volume * (1.0 - 1e-6))
		{
			volume = found;
			memcpy(best, turned, sizeof(best));
		}
	}
	memcpy(axes, best, sizeof(best));
	return volume;
}

bool simOrient(const simMesh* mesh, double axes[3][3])
{
	static const double identity[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	double moments[3][3], turned[3][3];
	SetMoments(mesh, moments);
	memcpy(axes, identity, sizeof(identity));
	memcpy(turned, identity, sizeof(identity));
	Diagonalise(moments, turned);
	double volume = MeasureBox(mesh, turned);
	for (int axis = 0; axis < 3; ++axis)
	{
		volume = TurnAbout(mesh, axis, volume, turned);
	}
	if (!(volume < BETTER * MeasureBox(mesh, axes)))
	{
		return false;
	}
	memcpy(axes, turned, sizeof(turned));
	return true;
}
