#include "papers/common/plain_skin.h"

#include <string.h>

typedef float float4 __attribute__((vector_size(16)));

static float4 Load(const float* p)
{
	float4 v;
	memcpy(&v, p, sizeof(v));
	return v;
}

// Rows of a rotation, and the position in the fourth column.
static void MakePlacement(const snugFrame* place, float rows[3][4])
{
	const double* q = place->rotation;
	double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], s = n > 0.0 ? 2.0 / n : 0.0;
	double xx = s * q[0] * q[0], yy = s * q[1] * q[1], zz = s * q[2] * q[2], xy = s * q[0] * q[1];
	double xz = s * q[0] * q[2], yz = s * q[1] * q[2], wx = s * q[3] * q[0], wy = s * q[3] * q[1], wz = s * q[3] * q[2];
	const double m[3][3] = { { 1.0 - yy - zz, xy - wz, xz + wy }, { xy + wz, 1.0 - xx - zz, yz - wx },
		{ xz - wy, yz + wx, 1.0 - xx - yy } };
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			rows[i][k] = (float)m[i][k];
		}
		rows[i][3] = (float)place->position[i];
	}
}

// Columns of the blended transform, so that a vertex is a sum of four of them.
static float4 Transform(const float4 rows[3], const float* p)
{
	float4 point = { p[0], p[1], p[2], 1.0f };
	float4 x = rows[0] * point, y = rows[1] * point, z = rows[2] * point;
	return (
	    float4){ (x[0] + x[1]) + (x[2] + x[3]), (y[0] + y[1]) + (y[2] + y[3]), (z[0] + z[1]) + (z[2] + z[3]), 0.0f };
}

void plainSkin_Evaluate(
    const sceneMesh* mesh, const sceneWeights* weights, const float* matrices, const snugFrame* place, float* positions)
{
	float placed[3][4];
	float4 outer[3] = { { 0.0f } };
	if (place != NULL)
	{
		MakePlacement(place, placed);
		for (int i = 0; i < 3; ++i)
		{
			outer[i] = Load(placed[i]);
		}
	}
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		float4 rows[3] = { { 0.0f }, { 0.0f }, { 0.0f } };
		for (uint32_t i = weights->starts[v]; i < weights->starts[v + 1]; ++i)
		{
			const float* m = matrices + 12 * (size_t)weights->transforms[i];
			float w = weights->weights[i];
			rows[0] += w * Load(m);
			rows[1] += w * Load(m + 4);
			rows[2] += w * Load(m + 8);
		}
		float4 point = Transform(rows, mesh->positions + 3 * (size_t)v);
		if (place != NULL)
		{
			point = Transform(outer, (const float*)&point);
		}
		memcpy(positions + 3 * (size_t)v, &point, sizeof(point));
	}
}
