#include "solvers/align.h"

#include "solvers/dense.h"

#include <string.h>

// Horn's matrix: its largest eigenvector is the unit quaternion (w, x, y, z) for which the sum of shape . R target is
// largest, and with it the sum of squared distances least. From s[i][j], the sums of target_i * shape_j about the
// means.
static void SetHornMatrix(double s[3][3], double n[16])
{
	double rows[4][4] = {
		{ s[0][0] + s[1][1] + s[2][2] },
		{ s[1][2] - s[2][1], s[0][0] - s[1][1] - s[2][2] },
		{ s[2][0] - s[0][2], s[0][1] + s[1][0], -s[0][0] + s[1][1] - s[2][2] },
		{ s[0][1] - s[1][0], s[2][0] + s[0][2], s[1][2] + s[2][1], -s[0][0] - s[1][1] + s[2][2] },
	};
	memcpy(n, rows, sizeof(rows));
}

static void SetMatrix(const double q[4], double m[3][3]) // q is w, x, y, z
{
	double w = q[0], x = q[1], y = q[2], z = q[3];
	double rows[3][3] = {
		{ 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w) },
		{ 2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w) },
		{ 2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y) },
	};
	memcpy(m, rows, sizeof(rows));
}

bool simAlign(
    const float* shape, const double* target, uint32_t vertexCount, snugFrame* frame, double* moved, simError* error)
{
	double shapeMean[3] = { 0.0, 0.0, 0.0 }, targetMean[3] = { 0.0, 0.0, 0.0 }, s[3][3] = { { 0.0 } };
	double n[16], values[4], m[3][3];
	for (size_t v = 0; v < vertexCount; ++v)
	{
		for (size_t k = 0; k < 3; ++k)
		{
			shapeMean[k] += (double)shape[3 * v + k] / (double)vertexCount;
			targetMean[k] += target[3 * v + k] / (double)vertexCount;
		}
	}
	for (size_t v = 0; v < vertexCount; ++v)
	{
		for (size_t i = 0; i < 3; ++i)
		{
			for (size_t j = 0; j < 3; ++j)
			{
				s[i][j] += (target[3 * v + i] - targetMean[i]) * ((double)shape[3 * v + j] - shapeMean[j]);
			}
		}
	}
	SetHornMatrix(s, n);
	if (!simSolveSymmetric(n, 4, values, error))
	{
		return false;
	}
	double sign = n[0] < 0.0 ? -1.0 : 1.0; // of the two quaternions of a rotation, the one that turns by less
	double q[4] = { sign * n[0], sign * n[1], sign * n[2], sign * n[3] };
	SetMatrix(q, m);
	for (int k = 0; k < 3; ++k)
	{
		frame->rotation[k] = q[k + 1];
		frame->position[k] = shapeMean[k] - m[k][0] * targetMean[0] - m[k][1] * targetMean[1] - m[k][2] * targetMean[2];
	}
	frame->rotation[3] = q[0];
	for (size_t v = 0; v < vertexCount; ++v)
	{
		double p[3];
		for (size_t k = 0; k < 3; ++k)
		{
			p[k] = (double)shape[3 * v + k] - frame->position[k];
		}
		for (size_t k = 0; k < 3; ++k)
		{
			moved[3 * v + k] = m[0][k] * p[0] + m[1][k] * p[1] + m[2][k] * p[2];
		}
	}
	return true;
}
