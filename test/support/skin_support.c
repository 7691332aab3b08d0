// test/support/skin_support.c: see skin_support.h.
#include "skin_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

Thing MakeMorphThing(
    const SkinnedMesh* skinned, const FieldSet* set, Mover deformer, snugTreeDef tree, snugStrategy strategy)
{
	sceneMesh copy = sceneMesh_Copy(&skinned->mesh);
	snugModelDef def = MeshDef(&copy, deformer, tree);
	def.skin = Skin_Def(&skinned->skin);
	def.skin.blending = Mover_Blending(deformer);
	def.fields = set != NULL ? FieldSet_Def(set) : (snugFieldsDef){ 0 };
	return Thing_Build(copy, &def, strategy, NULL);
}

Thing MakeSkinThing(const SkinnedMesh* skinned, Mover deformer, snugTreeDef tree, snugStrategy strategy)
{
	return MakeMorphThing(skinned, NULL, deformer, tree, strategy);
}

void RigidMatrix(const double q[4], const double t[3], float m[12])
{
	double x = q[0], y = q[1], z = q[2], w = q[3];
	const double r[9] = { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),
		1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x),
		1 - 2 * (x * x + y * y) };
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			m[4 * i + k] = (float)r[3 * i + k];
		}
		m[4 * i + 3] = (float)t[i];
	}
}

void AxisTurn(const double axis[3], double angle, double q[4])
{
	double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
	for (int k = 0; k < 3; ++k)
	{
		q[k] = axis[k] / length * sin(0.5 * angle);
	}
	q[3] = cos(0.5 * angle);
}

// The size of a mesh and where its middle is.
static double FindSize(const sceneMesh* mesh, double middle[3])
{
	double lower[3] = { INFINITY, INFINITY, INFINITY }, upper[3] = { -INFINITY, -INFINITY, -INFINITY }, size = 0.0;
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		for (int k = 0; k < 3; ++k)
		{
			const double x = mesh->positions[3 * (size_t)v + (size_t)k];
			lower[k] = x < lower[k] ? x : lower[k]; // not fmin, over which gcc 12 for ARM stumbles
			upper[k] = x > upper[k] ? x : upper[k];
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		middle[k] = mesh->vertexCount > 0 ? 0.5 * (lower[k] + upper[k]) : 0.0;
		size = mesh->vertexCount > 0 ? fmax(size, upper[k] - lower[k]) : 1.0;
	}
	return size;
}

// Rotation q about a point, then a further translation.
static void TurnAbout(const double q[4], const double point[3], const double further[3], float m[12])
{
	double t[3];
	RigidMatrix(q, (const double[3]){ 0, 0, 0 }, m);
	for (int i = 0; i < 3; ++i)
	{
		t[i] = point[i] + further[i];
		for (int k = 0; k < 3; ++k)
		{
			t[i] -= (double)m[4 * i + k] * point[k];
		}
		m[4 * i + 3] = (float)t[i];
	}
}

static void RandomAxis(sceneRandom* random, double axis[3])
{
	for (int k = 0; k < 3; ++k)
	{
		axis[k] = sceneRandom_Range(random, -1.0, 1.0);
	}
	axis[sceneRandom_Index(random, 3)] += 0.01;
}

void TurnJoints(sceneRandom* random, SkinnedMesh* skinned)
{
	static const double angles[] = { 0.0, 1e-7, 1e-3, 0.1, 1.0, 1.6, 2.5, 3.1415, 3.14159265358979, 6.0 };
	double middle[3], common[3], size = FindSize(&skinned->mesh, middle);
	uint32_t kind = sceneRandom_Index(random, 6), most = 1 + sceneRandom_Index(random, LENGTH_OF(angles));
	double apart = sceneRandom_Index(random, 4) == 0 ? 10.0 : sceneRandom_Index(random, 2) == 0 ? 0.0 : 0.3;
	bool scales = sceneRandom_Index(random, 5) == 0;
	RandomAxis(random, common);
	for (uint32_t j = 0; j < skinned->skin.transformCount; ++j)
	{
		double axis[3], q[4], point[3], further[3];
		float* m = skinned->skin.matrices + 12 * (size_t)j;
		RandomAxis(random, axis);
		double angle = angles[sceneRandom_Index(random, most)] * (sceneRandom_Index(random, 2) == 0 ? 1.0 : -1.0);
		AxisTurn(kind == 1 ? common : axis, angle, q);
		if (kind == 2)
		{
			RandomRotation(random, q);
		}
		for (int k = 0; k < 3; ++k)
		{
			double offset = kind == 3 ? sceneRandom_Range(random, -1.0, 1.0) : 0.0;
			point[k] = middle[k] + size * offset;
			further[k] = size * apart * sceneRandom_Range(random, -1.0, 1.0);
		}
		TurnAbout(q, point, further, m);
		double stretch = scales && sceneRandom_Index(random, 2) == 0 ? sceneRandom_Range(random, 0.3, 2.0) : 1.0;
		double other = scales && sceneRandom_Index(random, 4) == 0 ? sceneRandom_Range(random, 0.5, 1.5) : stretch;
		for (int i = 0; i < 9 && scales; ++i)
		{
			m[4 * (i / 3) + i % 3] *= (float)(i % 3 == 0 ? other : stretch);
		}
	}
}

void NudgeJoints(sceneRandom* random, SkinnedMesh* skinned)
{
	double middle[3], size = FindSize(&skinned->mesh, middle);
	for (uint32_t j = 0; j < skinned->skin.transformCount; ++j)
	{
		double axis[3], q[4], further[3];
		float *m = skinned->skin.matrices + 12 * (size_t)j, turn[12], old[12];
		RandomAxis(random, axis);
		AxisTurn(axis, 0.01 * sceneRandom_Unit(random), q);
		for (int k = 0; k < 3; ++k)
		{
			further[k] = 0.01 * size * sceneRandom_Range(random, -1.0, 1.0);
		}
		TurnAbout(q, middle, further, turn);
		memcpy(old, m, sizeof(old));
		for (int i = 0; i < 3; ++i)
		{
			for (int k = 0; k < 4; ++k)
			{
				double sum = k == 3 ? (double)turn[4 * i + 3] : 0.0;
				for (int l = 0; l < 3; ++l)
				{
					sum += (double)turn[4 * i + l] * (double)old[4 * l + k];
				}
				m[4 * i + k] = (float)sum;
			}
		}
	}
}
