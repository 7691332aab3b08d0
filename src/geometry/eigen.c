// src/geometry/eigen.c: cyclic Jacobi rotations. Ten sweeps are more than 3x3 matrices ever need.
#include "geometry/eigen.h"

#include <math.h>

static void Rotate(double m[3][3], double vectors[3][3], int p, int q)
{
	if (fabs(m[p][q]) <= 1e-30 * (fabs(m[p][p]) + fabs(m[q][q])))
	{
		return;
	}
	double theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
	double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
	double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
	for (int k = 0; k < 3; ++k)
	{
		double a = m[k][p], b = m[k][q];
		m[k][p] = c * a - s * b;
		m[k][q] = s * a + c * b;
	}
	for (int k = 0; k < 3; ++k)
	{
		double a = m[p][k], b = m[q][k];
		m[p][k] = c * a - s * b;
		m[q][k] = s * a + c * b;
		a = vectors[p][k], b = vectors[q][k];
		vectors[p][k] = c * a - s * b;
		vectors[q][k] = s * a + c * b;
	}
}

static void SwapPairs(double values[3], double vectors[3][3], int i, int j)
{
	if (values[i] >= values[j])
	{
		return;
	}
	double value = values[i];
	values[i] = values[j];
	values[j] = value;
	for (int k = 0; k < 3; ++k)
	{
		double v = vectors[i][k];
		vectors[i][k] = vectors[j][k];
		vectors[j][k] = v;
	}
}

void sgEigen3(double m[3][3], double values[3], double vectors[3][3])
{
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			vectors[i][k] = i == k ? 1.0 : 0.0;
		}
	}
	for (int sweep = 0; sweep < 10; ++sweep)
	{
		Rotate(m, vectors, 0, 1);
		Rotate(m, vectors, 0, 2);
		Rotate(m, vectors, 1, 2);
	}
	for (int i = 0; i < 3; ++i)
	{
		values[i] = m[i][i];
	}
	SwapPairs(values, vectors, 0, 1);
	SwapPairs(values, vectors, 0, 2);
	SwapPairs(values, vectors, 1, 2);
}
