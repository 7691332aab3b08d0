#include "solvers/modes.h"

#include "solvers/eigen.h"
#include "solvers/elastic.h"
#include "solvers/orient.h"
#include "solvers/voxels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
// Cells at most: a factorisation of more takes more than a few gigabytes.
#define MAX_CELLS 400000u
// The lowest lambda of a body of length 1 and Young's modulus 1 is a few hundredths of the square of its thickness, or
// for a compact one about 10. A shift between the two serves both.
#define SHIFT 1e-3
/// How much stiffer than the stiffest node springs are that hold nodes: displacements there are a millionth of others.
#define HOLD 1e6
/// Most that eigenvalues of rigid modes may be, as a part of the first other one: they should be zero.
#define MOST_RIGID 1e-2

static void Tell(const simModesDef* def, const char* what)
{
	if (def->progress != NULL)
	{
		def->progress(def->user, what, 0, 0);
	}
}

static bool CheckDef(simModesDef* def, simError* error)
{
	def->cellCount = def->cellCount > 0 ? def->cellCount : 5000;
	def->young = def->young != 0.0 ? def->young : 2.1e11;
	def->density = def->density != 0.0 ? def->density : 7850.0;
	def->poisson = def->poisson != 0.0 ? def->poisson : 0.3;
	if (def->modeCount == 0)
	{
		return simError_Set(error, "no modes are asked for");
	}
	if (def->cellCount > MAX_CELLS)
	{
		return simError_Set(error, "%u cells are too many: at most %u", def->cellCount, MAX_CELLS);
	}
	if (!(def->young > 0.0 && def->density > 0.0 && isfinite(def->young) && isfinite(def->density)))
	{
		return simError_Set(error, "Young's modulus and density must be positive");
	}
	if (!(def->poisson > 0.0 && def->poisson < 0.5))
	{
		return simError_Set(error, "Poisson's ratio must be above 0 and below 0.5");
	}
	for (uint32_t i = 0; i < def->fixCount; ++i)
	{
		if (def->fixes[i].axis < 0 || def->fixes[i].axis > 2 || isnan(def->fixes[i].value))
		{
			return simError_Set(error, "a body is held along axis 0, 1 or 2, from a number on");
		}
	}
	if (!(def->thickness >= 0.0 && isfinite(def->thickness)))
	{
		return simError_Set(error, "a thickness must be positive");
	}
	return simMesh_Check(&def->mesh, error);
}

// ---- Fields ----------------------------------------------------------------------------------------------------

// Displacement of a point: trilinear between the nodes of its cell.
static void Interpolate(const simVoxels* voxels, const simElastic* elastic, const double* vector, const float point[3],
    double displacement[3])
{
	uint32_t cell[3];
	double s[3];
	simVoxels_FindCell(voxels, point, cell);
	for (int k = 0; k < 3; ++k)
	{
		s[k] = ((double)point[k] - voxels->origin[k]) / voxels->cell[k] - (double)cell[k];
		displacement[k] = 0.0;
	}
	for (uint32_t i = 0; i < 8; ++i)
	{
		size_t corner = cell[0] + (i & 1) +
		                ((size_t)voxels->size[0] + 1) *
		                    (cell[1] + (i >> 1 & 1) + ((size_t)voxels->size[1] + 1) * (cell[2] + (i >> 2)));
		const double* node = vector + 3 * (size_t)elastic->nodeOfCorner[corner];
		double weight = ((i & 1) ? s[0] : 1.0 - s[0]) * ((i & 2) ? s[1] : 1.0 - s[1]) * ((i & 4) ? s[2] : 1.0 - s[2]);
		for (int k = 0; k < 3; ++k)
		{
			displacement[k] += weight * node[k];
		}
	}
}

// The longest displacement becomes 1 long, its largest component positive: a mode has no length nor sign of its own.
// @return what the field was multiplied by
static double Normalise(double* field, size_t vertexCount, float* out)
{
	double longest = 0.0, scale = 0.0;
	for (size_t v = 0; v < vertexCount; ++v)
	{
		const double* d = field + 3 * v;
		double length2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
		if (length2 > longest * (1.0 + 1e-6)) // of those that are equal by symmetry, the first
		{
			longest = length2;
			int k = fabs(d[0]) >= fabs(d[1]) && fabs(d[0]) >= fabs(d[2]) ? 0 : fabs(d[1]) >= fabs(d[2]) ? 1 : 2;
			scale = (d[k] > 0.0 ? 1.0 : -1.0) / sqrt(length2);
		}
	}
	for (size_t i = 0; i < 3 * vertexCount; ++i)
	{
		out[i] = (float)(scale * field[i]);
	}
	return scale;
}

// From the axes that the body was turned to, back to its own.
static void TurnBack(double axes[3][3], double displacement[3])
{
	double d[3] = { displacement[0], displacement[1], displacement[2] };
	for (int k = 0; k < 3; ++k)
	{
		displacement[k] = axes[0][k] * d[0] + axes[1][k] * d[1] + axes[2][k] * d[2];
	}
}

static bool MakeFields(simModes* modes, const simModesDef* def, const simVoxels* voxels, const simElastic* elastic,
    const simEigen* eigen, double axes[3][3])
{
	const simMesh* mesh = &def->mesh;
	size_t size = 3 * (size_t)mesh->vertexCount, vectorSize = 3 * (size_t)elastic->nodeCount;
	double* field = malloc(size * sizeof(double));
	bool* used = calloc(mesh->vertexCount, sizeof(bool));
	modes->fields = malloc(def->modeCount * size * sizeof(float));
	bool good = field != NULL && used != NULL && modes->fields != NULL;
	for (size_t i = 0; good && i < 3 * (size_t)mesh->triangleCount; ++i)
	{
		used[mesh->triangles[i]] = true;
	}
	for (size_t m = 0; good && m < def->modeCount; ++m)
	{
		memset(field, 0, size * sizeof(double));
		for (size_t v = 0; v < mesh->vertexCount; ++v)
		{
			if (used[v])
			{
				Interpolate(voxels, elastic, eigen->vectors + m * vectorSize, mesh->positions + 3 * v, field + 3 * v);
				TurnBack(axes, field + 3 * v);
			}
		}
		double scale = Normalise(field, mesh->vertexCount, modes->fields + m * size);
		modes->masses[m] = scale * scale * def->density * elastic->length * elastic->length * elastic->length;
	}
	free(field);
	free(used);
	return good;
}

// ---- All of it -------------------------------------------------------------------------------------------------

// From the units of the elements, in which length, modulus and density are 1.
static double GetFrequency(double lambda, const simModesDef* def, double length)
{
	return sqrt(fabs(lambda) * def->young / def->density) / length / (2.0 * PI);
}

// Of a body that is very thin for its length, rounding swamps what is stiff against bending: rigid modes are far from
// zero then, and eigenvalues may even be negative.
static bool AreModesSound(const simModesDef* def, const simEigen* eigen)
{
	double first = eigen->values[0], rigid = 0.0;
	bool isAscending = first > 0.0;
	for (int i = 0; i < 6; ++i)
	{
		rigid = fmax(rigid, fabs(eigen->rigid[i]));
	}
	for (uint32_t m = 1; m < def->modeCount; ++m)
	{
		isAscending = isAscending && eigen->values[m] >= eigen->values[m - 1] * (1.0 - 1e-6);
	}
	return isAscending && rigid <= MOST_RIGID * first;
}

// Whether a place of the body, in its own axes, is held.
static bool IsHeld(const simModesDef* def, const double place[3])
{
	bool isHeld = false;
	for (uint32_t i = 0; i < def->fixCount; ++i)
	{
		const simFix* fix = def->fixes + i;
		isHeld = isHeld || (fix->isAbove ? place[fix->axis] > fix->value : place[fix->axis] < fix->value);
	}
	return isHeld;
}

// Springs at all nodes that are held.
// @param corner where the body's own axes have the origin of the turned ones
static uint32_t HoldNodes(simElastic* elastic, const simModesDef* def, double axes[3][3], const double corner[3])
{
	double stiffest = 0.0;
	uint32_t count = 0;
	for (uint32_t n = 0; n < elastic->nodeCount; ++n)
	{
		const double* own = elastic->stiffness + 9 * (size_t)elastic->starts[n];
		stiffest = fmax(stiffest, fmax(own[0], fmax(own[4], own[8])));
	}
	for (uint32_t n = 0; n < elastic->nodeCount; ++n)
	{
		double place[3];
		for (int k = 0; k < 3; ++k)
		{
			place[k] = elastic->nodes[3 * (size_t)n + (size_t)k] * elastic->length + elastic->centre[k];
		}
		TurnBack(axes, place);
		for (int k = 0; k < 3; ++k)
		{
			place[k] += corner[k];
		}
		double* own = elastic->stiffness + 9 * (size_t)elastic->starts[n];
		bool isHeld = IsHeld(def, place);
		for (int k = 0; k < 3 && isHeld; ++k)
		{
			own[4 * k] += HOLD * stiffest;
		}
		count += isHeld;
	}
	return count;
}

static bool Solve(simModes* modes, const simModesDef* def, const simVoxels* voxels, double axes[3][3],
    const double corner[3], simError* error)
{
	simElastic elastic;
	simEigen eigen = { 0 };
	Tell(def, "assembling");
	bool good = simElastic_Create(&elastic, voxels, def->poisson, error);
	modes->heldCount = good && def->fixCount > 0 ? HoldNodes(&elastic, def, axes, corner) : 0;
	if (good && def->fixCount > 0 && modes->heldCount < 3)
	{
		good = simError_Set(error, "nothing of the body is where it should be held");
	}
	simEigenDef eigenDef = { .elastic = &elastic,
		.count = def->modeCount,
		.isHeld = def->fixCount > 0,
		.shift = SHIFT,
		.progress = def->progress,
		.user = def->user };
	good = good && simEigen_Solve(&eigen, &eigenDef, error);
	if (good && !AreModesSound(def, &eigen))
	{
		good = simError_Set(error, "the body is too thin for its length: rounding leaves nothing of its modes");
	}
	modes->frequencies = good ? malloc(def->modeCount * sizeof(double)) : NULL;
	modes->masses = good ? malloc(def->modeCount * sizeof(double)) : NULL;
	if (good && (modes->frequencies == NULL || modes->masses == NULL ||
	                !MakeFields(modes, def, voxels, &elastic, &eigen, axes)))
	{
		good = simError_SetMemory(error);
	}
	for (uint32_t m = 0; good && m < def->modeCount; ++m)
	{
		modes->frequencies[m] = GetFrequency(eigen.values[m], def, elastic.length);
	}
	for (int i = 0; i < 6; ++i)
	{
		modes->rigid[i] = GetFrequency(eigen.rigid[i], def, elastic.length);
	}
	modes->nodeCount = elastic.nodeCount;
	simEigen_Free(&eigen);
	simElastic_Free(&elastic);
	return good;
}

// Positions along other axes, about a corner of a triangle, so that nothing is lost far from zero.
static float* TurnPositions(const simMesh* mesh, double axes[3][3])
{
	const float* centre = mesh->positions + 3 * (size_t)mesh->triangles[0];
	float* turned = malloc(3 * (size_t)mesh->vertexCount * sizeof(float));
	for (size_t i = 0; turned != NULL && i < 3 * (size_t)mesh->vertexCount; ++i)
	{
		const float* p = mesh->positions + i / 3 * 3;
		const double* axis = axes[i % 3];
		double x = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			x += axis[k] * ((double)p[k] - (double)centre[k]);
		}
		turned[i] = (float)x;
	}
	return turned;
}

bool simModes_Compute(simModes* modes, const simModesDef* wanted, simError* error)
{
	*modes = (simModes){ 0 };
	simModesDef def = *wanted;
	simParts parts = { 0 };
	simVoxels voxels = { 0 };
	if (!CheckDef(&def, error))
	{
		return false;
	}
	Tell(&def, "filling cells");
	double axes[3][3], corner[3] = { 0.0, 0.0, 0.0 };
	bool turns = simOrient(&def.mesh, axes);
	for (int k = 0; k < 3 && turns; ++k)
	{
		corner[k] = (double)def.mesh.positions[3 * (size_t)def.mesh.triangles[0] + (size_t)k];
	}
	float* turned = turns ? TurnPositions(&def.mesh, axes) : NULL;
	bool good = ((turned != NULL) == turns || simError_SetMemory(error)) && simParts_Find(&parts, &def.mesh, error);
	def.mesh.positions = turns ? turned : def.mesh.positions;
	good = good && simVoxels_Fit(&voxels, &def.mesh, &parts, def.cellCount, def.thickness, error);
	if (good)
	{
		modes->vertexCount = def.mesh.vertexCount;
		modes->modeCount = def.modeCount;
		modes->cellCount = voxels.cellCount;
		modes->bridgeCount = voxels.bridgeCount;
		modes->partCount = parts.count;
		modes->solidCount = parts.solidCount;
		memcpy(modes->cell, voxels.cell, sizeof(modes->cell));
		good = Solve(modes, &def, &voxels, axes, corner, error);
	}
	simVoxels_Free(&voxels);
	simParts_Free(&parts);
	free(turned);
	if (!good)
	{
		simModes_Free(modes);
	}
	return good;
}

void simModes_Free(simModes* modes)
{
	free(modes->fields);
	free(modes->frequencies);
	free(modes->masses);
	*modes = (simModes){ 0 };
}
