#include "lab/scenes/mesh.h"

#include "solvers/sine.h"

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

snugModelDef sceneMesh_MakeDef(const sceneMesh* mesh, snugDeformer deformer)
{
	return (snugModelDef){ .positions = mesh->positions,
		.vertexCount = mesh->vertexCount,
		.triangles = mesh->triangles,
		.triangleCount = mesh->triangleCount,
		.deformer = deformer };
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
