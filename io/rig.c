#include "io/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The point that an inverse bind matrix carries to zero, by Cramer's rule. A matrix that flattens space has none; then
// zero does, and whoever poses such a joint is to judge it.
static void FindBindPosition(const double m[12], float position[3])
{
	double adjoint[3][3], determinant = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			int a = (i + 1) % 3, b = (i + 2) % 3, u = (k + 1) % 3, v = (k + 2) % 3;
			adjoint[k][i] = m[4 * a + u] * m[4 * b + v] - m[4 * a + v] * m[4 * b + u];
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		determinant += m[k] * adjoint[k][0];
	}
	for (int k = 0; k < 3; ++k)
	{
		double x = -(adjoint[k][0] * m[3] + adjoint[k][1] * m[7] + adjoint[k][2] * m[11]) / determinant;
		position[k] = fabs(x) < 1e30 ? (float)x : 0.0f;
	}
}

// Targets list their vertices; here every vertex lists its targets. First how many each has, then which.
static bool ListTargets(ioRig* rig, const ioAssetMesh* mesh)
{
	size_t vertexCount = mesh->mesh.vertexCount, total = 0;
	for (uint32_t t = 0; t < mesh->targetCount; ++t)
	{
		total += mesh->targets[t].count;
	}
	rig->starts = calloc(vertexCount + 2, sizeof(uint32_t));
	rig->targets = malloc((total + 1) * sizeof(uint16_t));
	rig->deltas = malloc((total + 1) * 3 * sizeof(float));
	if (total > UINT32_MAX || rig->starts == NULL || rig->targets == NULL || rig->deltas == NULL)
	{
		return false;
	}
	// Counted two places ahead: once they are summed and used up, starts are where they belong.
	for (uint32_t t = 0; t < mesh->targetCount; ++t)
	{
		for (uint32_t i = 0; i < mesh->targets[t].count; ++i)
		{
			++rig->starts[(size_t)mesh->targets[t].vertices[i] + 2];
		}
	}
	for (size_t v = 2; v < vertexCount + 2; ++v)
	{
		rig->starts[v] += rig->starts[v - 1];
	}
	for (uint32_t t = 0; t < mesh->targetCount; ++t)
	{
		const ioMorphTarget* target = mesh->targets + t;
		for (uint32_t i = 0; i < target->count; ++i)
		{
			uint32_t at = rig->starts[(size_t)target->vertices[i] + 1]++;
			rig->targets[at] = (uint16_t)t;
			memcpy(rig->deltas + 3 * (size_t)at, target->deltas + 3 * (size_t)i, 3 * sizeof(float));
		}
	}
	return true;
}

bool ioRig_Make(ioRig* rig, const ioAssetMesh* mesh, const ioSkin* skin, bool hasTargets)
{
	uint32_t jointCount = skin != NULL ? skin->jointCount : 0;
	*rig = (ioRig){ .jointPositions = malloc(((size_t)jointCount + 1) * 3 * sizeof(float)),
		.targetCount = hasTargets ? mesh->targetCount : 0 };
	bool good = rig->jointPositions != NULL;
	for (uint32_t j = 0; j < jointCount && good; ++j)
	{
		FindBindPosition(skin->inverseBind + 12 * (size_t)j, rig->jointPositions + 3 * (size_t)j);
	}
	good = good && (rig->targetCount == 0 || rig->targetCount > UINT16_MAX || ListTargets(rig, mesh));
	if (!good)
	{
		ioRig_Free(rig);
	}
	return good;
}

void ioRig_Free(ioRig* rig)
{
	free(rig->jointPositions);
	free(rig->starts);
	free(rig->targets);
	free(rig->deltas);
	*rig = (ioRig){ .jointPositions = NULL };
}
