#include "papers/bdtree/modal.h"

#include "solvers/sine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// x = n log 2 + r with |r| <= log(2) / 2, and Taylor's series of e^r up to r^13, whose next term is below 1e-18.
double simExp(double x)
{
	const double high = 6.93147180369123816490e-01, low = 1.90821492927058770002e-10; // the first has 32 bits
	if (x < -700.0)
	{
		return 0.0;
	}
	double n = floor(x / 0.693147180559945309417 + 0.5), r = (x - n * high) - n * low, sum = 1.0;
	for (int k = 13; k > 0; --k)
	{
		sum = 1.0 + sum * r / (double)k;
	}
	return ldexp(sum, (int)n);
}

// With y = q - f / (m w^2) the force is gone: y and y' follow e^(-xi w t) times cosines and sines of the damped mode.
simModeStep simModeStep_Make(double frequency, double damping, double mass, double step)
{
	double w = 2.0 * SCENE_PI * frequency, decay = damping * w, damped = w * sqrt(1.0 - damping * damping);
	double fade = simExp(-decay * step), c = fade * sceneCosine(damped * step), s = fade * sceneSine(damped * step);
	simModeStep m = {
		.a = c + s * decay / damped, .b = s / damped, .d = -s * w * w / damped, .e = c - s * decay / damped
	};
	double still = 1.0 / (mass * w * w);
	m.c = still * (1.0 - m.a);
	m.g = -still * m.d;
	return m;
}

// ---- Shapes ----------------------------------------------------------------------------------------------------

static bool CheckDef(const simShapeDef* def, simError* error)
{
	if (def->modeCount > SIM_MAX_MODES)
	{
		return simError_Set(error, "%u modes are too many: at most %d", def->modeCount, SIM_MAX_MODES);
	}
	if (!(def->density > 0.0 && isfinite(def->density) && def->step > 0.0 && isfinite(def->step)))
	{
		return simError_Set(error, "density and step must be positive");
	}
	if (!(def->damping >= 0.0 && def->damping < 1.0))
	{
		return simError_Set(error, "damping must be from 0 to below 1");
	}
	for (uint32_t m = 0; m < def->modeCount; ++m)
	{
		bool isGood = def->frequencies[m] > 0.0 && def->masses[m] > 0.0;
		if (!(isGood && isfinite(def->frequencies[m]) && isfinite(def->masses[m])))
		{
			return simError_Set(error, "mode %u: frequency and mass must be positive", m);
		}
	}
	return true;
}

// The greatest change of a field along an edge, relative to its length.
static double FindGradient(const simMesh* mesh, const float* field)
{
	double most = 0.0;
	for (size_t i = 0; i < 3 * (size_t)mesh->triangleCount; ++i)
	{
		size_t a = 3 * (size_t)mesh->triangles[i], b = 3 * (size_t)mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
		double way = 0.0, change = 0.0;
		for (size_t k = 0; k < 3; ++k)
		{
			double x = (double)mesh->positions[a + k] - (double)mesh->positions[b + k];
			double d = (double)field[a + k] - (double)field[b + k];
			way += x * x;
			change += d * d;
		}
		most = way > 0.0 ? fmax(most, change / way) : most;
	}
	return sqrt(most);
}

// The length of the longest vector.
static double FindLongest(const float* vectors, size_t count)
{
	double most = 0.0;
	for (size_t i = 0; i < count; ++i)
	{
		const double v[3] = { (double)vectors[3 * i], (double)vectors[3 * i + 1], (double)vectors[3 * i + 2] };
		most = fmax(most, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	}
	return sqrt(most);
}

static void SetModes(simShape* shape, const simShapeDef* def)
{
	for (uint32_t m = 0; m < def->modeCount; ++m)
	{
		const simModeStep* s = shape->steps + m;
		shape->frequencies[m] = def->frequencies[m];
		shape->masses[m] = def->masses[m];
		shape->steps[m] = simModeStep_Make(def->frequencies[m], def->damping, def->masses[m], def->step);
		const float* field = def->fields + 3 * (size_t)m * def->mesh.vertexCount;
		shape->gradients[m] = FindGradient(&def->mesh, field);
		shape->sways[m] = FindLongest(field, def->mesh.vertexCount);
		// A free mass has g = step / m and c = step^2 / (2 m).
		shape->yields[m] = fmax(fabs(s->g) / def->step, 2.0 * fabs(s->c) / (def->step * def->step));
	}
}

static bool MakeModel(simShape* shape, const simShapeDef* def, simError* error)
{
	const snugModelDef modelDef = {
		.positions = shape->positions,
		.vertexCount = def->mesh.vertexCount,
		.triangles = def->mesh.triangles,
		.triangleCount = def->mesh.triangleCount,
		.deformer = def->modeCount > 0 ? snug_fields : snug_rigid,
		.fields = { .fieldCount = def->modeCount, .displacements = def->fields },
	};
	snugStatus status = snugModel_Create(&modelDef, &shape->model);
	if (status == snug_success)
	{
		contactTreeDef treeDef = { .model = shape->model, .level = def->level, .leafTriangles = def->leafTriangles };
		status = contactTree_Create(&treeDef, &shape->tree);
	}
	return status == snug_success || simError_Set(error, "making a shape: %s", snugGetStatusText(status));
}

// How contact spheres move, by node.
static bool TabulateMoves(simShape* shape, simError* error)
{
	contactNode node;
	uint32_t count = 0;
	float moves[3 * SIM_MAX_MODES];
	while (contactTree_GetNode(shape->tree, count, &node, NULL))
	{
		++count;
	}
	shape->moves = calloc(3 * (size_t)count * shape->evenCount + 1, sizeof(double));
	for (uint32_t i = 0; i < count && shape->moves != NULL; ++i)
	{
		double* own = shape->moves + 3 * (size_t)i * shape->evenCount;
		contactTree_GetNode(shape->tree, i, &node, moves);
		for (uint32_t m = 0; m < 3 * shape->modeCount; ++m)
		{
			own[m % 3 * shape->evenCount + m / 3] = (double)moves[m];
		}
	}
	return shape->moves != NULL || simError_SetMemory(error);
}

bool simShape_Create(simShape* shape, const simShapeDef* def, simError* error)
{
	*shape = (simShape){ .modeCount = def->modeCount,
		.evenCount = (def->modeCount + 1) & ~1u,
		.step = def->step,
		.thinnest = def->thinnest };
	simMesh solid = def->mesh;
	solid.triangleCount =
	    def->solidCount > 0 && def->solidCount < solid.triangleCount ? def->solidCount : solid.triangleCount;
	if (!CheckDef(def, error) || !simMass_Find(&shape->mass, &solid, def->density, error))
	{
		return false;
	}
	size_t count = 3 * (size_t)def->mesh.vertexCount;
	shape->positions = malloc(count * sizeof(float));
	if (shape->positions == NULL)
	{
		return simError_SetMemory(error);
	}
	for (size_t i = 0; i < count; ++i)
	{
		shape->positions[i] = (float)((double)def->mesh.positions[i] - shape->mass.center[i % 3]);
	}
	shape->reach = FindLongest(shape->positions, def->mesh.vertexCount);
	SetModes(shape, def);
	if (!MakeModel(shape, def, error) || !TabulateMoves(shape, error))
	{
		simShape_Free(shape);
		return false;
	}
	return true;
}

void simShape_Free(simShape* shape)
{
	contactTree_Destroy(shape->tree);
	snugModel_Destroy(shape->model);
	free(shape->positions);
	free(shape->moves);
	*shape = (simShape){ .positions = NULL };
}
