#include "scenes/mesh.h"

#include "scenes/sine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static sceneMesh NoMesh(void)
{
	sceneMesh none = { NULL, 0, NULL, 0 };
	return none;
}

sceneMesh sceneMesh_Allocate(uint64_t vertexCount, uint64_t triangleCount)
{
	if (vertexCount > UINT32_MAX || triangleCount > UINT32_MAX)
	{
		return NoMesh();
	}
	// One vertex and triangle too many, so that empty meshes have arrays too.
	sceneMesh mesh = { malloc((size_t)(vertexCount + 1) * 3 * sizeof(float)), (uint32_t)vertexCount,
		malloc((size_t)(triangleCount + 1) * 3 * sizeof(uint32_t)), (uint32_t)triangleCount };
	if (mesh.positions == NULL || mesh.triangles == NULL)
	{
		sceneMesh_Free(&mesh);
	}
	return mesh;
}

void sceneMesh_Free(sceneMesh* mesh)
{
	free(mesh->positions);
	free(mesh->triangles);
	*mesh = NoMesh();
}

bool sceneMesh_IsValid(const sceneMesh* mesh)
{
	return mesh->positions != NULL && mesh->triangles != NULL;
}

sceneMesh sceneMesh_Copy(const sceneMesh* mesh)
{
	sceneMesh copy = sceneMesh_Allocate(mesh->vertexCount, mesh->triangleCount);
	if (sceneMesh_IsValid(&copy) && sceneMesh_IsValid(mesh))
	{
		memcpy(copy.positions, mesh->positions, (size_t)mesh->vertexCount * 3 * sizeof(float));
		memcpy(copy.triangles, mesh->triangles, (size_t)mesh->triangleCount * 3 * sizeof(uint32_t));
	}
	return copy;
}

bool sceneMesh_Append(sceneMesh* mesh, const sceneMesh* other)
{
	sceneMesh sum = sceneMesh_Allocate(
	    (uint64_t)mesh->vertexCount + other->vertexCount, (uint64_t)mesh->triangleCount + other->triangleCount);
	if (!sceneMesh_IsValid(&sum))
	{
		return false;
	}
	size_t ownFloats = (size_t)mesh->vertexCount * 3, ownCorners = (size_t)mesh->triangleCount * 3;
	size_t corners = (size_t)other->triangleCount * 3;
	if (sceneMesh_IsValid(mesh))
	{
		memcpy(sum.positions, mesh->positions, ownFloats * sizeof(float));
		memcpy(sum.triangles, mesh->triangles, ownCorners * sizeof(uint32_t));
	}
	memcpy(sum.positions + ownFloats, other->positions, (size_t)other->vertexCount * 3 * sizeof(float));
	for (size_t i = 0; i < corners; ++i)
	{
		sum.triangles[ownCorners + i] = other->triangles[i] + mesh->vertexCount;
	}
	sceneMesh_Free(mesh);
	*mesh = sum;
	return true;
}

void sceneMesh_Translate(sceneMesh* mesh, double x, double y, double z)
{
	for (size_t i = 0; i < mesh->vertexCount; ++i)
	{
		float* p = mesh->positions + 3 * i;
		p[0] = (float)((double)p[0] + x);
		p[1] = (float)((double)p[1] + y);
		p[2] = (float)((double)p[2] + z);
	}
}

// The rotation matrix of a quaternion of about unit length; all zero is the identity, as in snug.h.
static void GetRotation(const double rotation[4], double m[3][3])
{
	double x = rotation[0], y = rotation[1], z = rotation[2], w = rotation[3];
	double length2 = x * x + y * y + z * z + w * w;
	if (length2 == 0.0)
	{
		w = length2 = 1.0;
	}
	double s = 2.0 / length2;
	double rows[3][3] = { { 1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w) },
		{ s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w) },
		{ s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y) } };
	memcpy(m, rows, sizeof(rows));
}

void sceneMesh_Transform(sceneMesh* mesh, const snugFrame* frame, double scale)
{
	double m[3][3];
	GetRotation(frame->rotation, m);
	for (size_t i = 0; i < mesh->vertexCount; ++i)
	{
		float* p = mesh->positions + 3 * i;
		double x = scale * (double)p[0], y = scale * (double)p[1], z = scale * (double)p[2];
		for (int k = 0; k < 3; ++k)
		{
			p[k] = (float)(m[k][0] * x + m[k][1] * y + m[k][2] * z + frame->position[k]);
		}
	}
}

static void MultiplyQuaternions(const double a[4], const double b[4], double product[4])
{
	double q[4] = {
		a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
		a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
		a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
		a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
	};
	memcpy(product, q, sizeof(q));
}

snugFrame sceneMakeFrame(const double position[3], const double axis[3], double angle)
{
	snugFrame frame;
	double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
	double s = sceneSine(0.5 * angle) / length;
	for (int k = 0; k < 3; ++k)
	{
		frame.position[k] = position[k];
		frame.rotation[k] = s * axis[k];
	}
	frame.rotation[3] = sceneCosine(0.5 * angle);
	return frame;
}

snugFrame sceneMakeEulerFrame(const double position[3], const double angles[3])
{
	static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	snugFrame frame = sceneMakeFrame(position, axes[0], angles[0]);
	for (int k = 1; k < 3; ++k)
	{
		snugFrame turn = sceneMakeFrame(position, axes[k], angles[k]);
		MultiplyQuaternions(turn.rotation, frame.rotation, frame.rotation);
	}
	return frame;
}
