#include "papers/bdtree/rigid.h"

#include "base/vec.h"
#include "solvers/sine.h"

#include <math.h>
#include <string.h>

/// Sums over tetrahedra: six times the volume, 24 times the first and 120 times the second moments.
typedef struct sums
{
	double volume, first[3], second[3][3];
} sums;

// Of the tetrahedron of the origin and a, b, c, with s = a + b + c: volume det / 6; integral of x: det / 24 s; integral
// of x x^T: det / 120 (a a^T + b b^T + c c^T + s s^T).
static void AddTetrahedron(sums* sum, double corners[3][3])
{
	double cross[3], s[3];
	sgCross(corners[1], corners[2], cross);
	double determinant = sgDot(corners[0], cross);
	for (int k = 0; k < 3; ++k)
	{
		s[k] = corners[0][k] + corners[1][k] + corners[2][k];
		sum->first[k] += determinant * s[k];
	}
	sum->volume += determinant;
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			double product = s[i] * s[k];
			for (int c = 0; c < 3; ++c)
			{
				product += corners[c][i] * corners[c][k];
			}
			sum->second[i][k] += determinant * product;
		}
	}
}

// A symmetric matrix that is positive definite.
static bool Invert(const double m[3][3], double inverse[3][3])
{
	double determinant = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
		for (int k = 0; k < 3; ++k)
		{
			int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
			inverse[k][i] = m[i1][k1] * m[i2][k2] - m[i1][k2] * m[i2][k1];
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		determinant += m[0][k] * inverse[k][0];
	}
	for (int i = 0; i < 9; ++i)
	{
		inverse[i / 3][i % 3] /= determinant;
	}
	return determinant > 0.0 && isfinite(determinant);
}

bool simMass_Find(simMass* mass, const simMesh* mesh, double density, simError* error)
{
	if (!simMesh_Check(mesh, error))
	{
		return false;
	}
	const float* origin = mesh->positions + 3 * (size_t)mesh->triangles[0]; // near, so that little is lost
	sums sum = { 0.0, { 0.0 }, { { 0.0 } } };
	for (size_t t = 0; t < mesh->triangleCount; ++t)
	{
		double corners[3][3];
		for (size_t i = 0; i < 9; ++i)
		{
			const float* corner = mesh->positions + 3 * (size_t)mesh->triangles[3 * t + i / 3];
			corners[i / 3][i % 3] = (double)corner[i % 3] - (double)origin[i % 3];
		}
		AddTetrahedron(&sum, corners);
	}
	double volume = sum.volume / 6.0, center[3];
	if (!(volume > 0.0 && isfinite(volume)))
	{
		return simError_Set(error, "the mesh encloses nothing, or its triangles face inwards");
	}
	mass->mass = density * volume;
	double trace = 0.0, about[3][3];
	for (int i = 0; i < 3; ++i)
	{
		center[i] = sum.first[i] / 24.0 / volume;
		mass->center[i] = (double)origin[i] + center[i];
	}
	for (int i = 0; i < 9; ++i)
	{
		about[i / 3][i % 3] = sum.second[i / 3][i % 3] / 120.0 - volume * center[i / 3] * center[i % 3];
		trace += i / 3 == i % 3 ? about[i / 3][i % 3] : 0.0;
	}
	for (int i = 0; i < 9; ++i)
	{
		mass->inertia[i / 3][i % 3] = density * ((i / 3 == i % 3 ? trace : 0.0) - about[i / 3][i % 3]);
	}
	return Invert((const double(*)[3])mass->inertia, mass->inverse) ||
	       simError_Set(error, "the mesh has no inertia about some axis");
}

void simRotation(const double q[4], double rotation[3][3])
{
	double x = q[0], y = q[1], z = q[2], w = q[3];
	const double matrix[3][3] = {
		{ 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w) },
		{ 2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w) },
		{ 2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y) },
	};
	memcpy(rotation, matrix, sizeof(matrix));
}

// The quaternion of the turn times the one before. Nothing turns by more than a few turns in a step.
void simTurn(double q[4], const double angles[3])
{
	double angle = sqrt(sgDot(angles, angles)), half = 0.5 * angle;
	double factor = angle > 1e-9 ? sceneSine(half) / angle : 0.5, c = sceneCosine(half);
	double x = factor * angles[0], y = factor * angles[1], z = factor * angles[2];
	double turned[4] = {
		c * q[0] + x * q[3] + y * q[2] - z * q[1],
		c * q[1] - x * q[2] + y * q[3] + z * q[0],
		c * q[2] + x * q[1] - y * q[0] + z * q[3],
		c * q[3] - x * q[0] - y * q[1] - z * q[2],
	};
	double length2 = 0.0;
	for (int i = 0; i < 4; ++i)
	{
		length2 += turned[i] * turned[i];
	}
	double length = sqrt(length2);
	for (int i = 0; i < 4; ++i)
	{
		q[i] = turned[i] / length;
	}
}
