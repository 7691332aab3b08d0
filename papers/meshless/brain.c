#include "papers/meshless/brain.h"

#include "base/vec.h"

#include <math.h>
#include <stdlib.h>

#define STEP 1e-3
#define END 0.55
#define PERIOD 4.0
#define INFLUENCES 20.0

const double simBrainPulls[SIM_BRAIN_PULLS] = { 6e4, 1.6e5, 2.4e5 };

// Four times the modulus that Mueller et al. would write for it: see papers/meshless/meshless.h.
static const simMaterial material = { .density = 1000.0, .young = 8e5, .poisson = 0.3, .bulk = 8e5, .damping = 1.5 };

static sceneMesh MakeMesh(uint32_t vertexCount)
{
	sceneMesh mesh = sceneMakeRound(vertexCount);
	sceneFoldBrain(&mesh, 1);
	const snugFrame identity = { .position = { 0.0 } };
	double lower = INFINITY, upper = -INFINITY;
	for (size_t i = 0; i < mesh.vertexCount; ++i)
	{
		lower = fmin(lower, (double)mesh.positions[3 * i + 2]); // the longest side
		upper = fmax(upper, (double)mesh.positions[3 * i + 2]);
	}
	if (sceneMesh_IsValid(&mesh))
	{
		sceneMesh_Transform(&mesh, &identity, 2.0 / (upper - lower));
	}
	return mesh;
}

static void ChooseNodes(simBrain* brain)
{
	static const double still[3] = { 0.0, 0.0, 0.0 };
	const sceneMeshless* scene = &brain->actor.scene;
	for (uint32_t i = 0; i < brain->actor.body.nodeCount; ++i)
	{
		double along = (brain->actor.body.rest[i][scene->axes[0]] - scene->center[scene->axes[0]]) / scene->size;
		brain->isPulled[i] = along > END;
		brain->pulledCount += brain->isPulled[i];
		if (along < -END)
		{
			simMeshless_Hold(&brain->actor.body, i, still);
		}
	}
}

bool simBrain_Create(simBrain* brain, uint32_t vertexCount, uint32_t nodeCount, double pull, simError* error)
{
	*brain = (simBrain){ .pull = pull };
	if (!simActor_Create(&brain->actor, MakeMesh(vertexCount), nodeCount, INFLUENCES, &material, error))
	{
		return false;
	}
	brain->step = STEP;
	brain->isPulled = calloc(nodeCount, 1);
	if (brain->isPulled == NULL)
	{
		simBrain_Free(brain);
		return simError_SetMemory(error);
	}
	// Whole steps to a millisecond; half of what small vibrations allow, since strain makes bodies stiffer.
	while (brain->step > 0.5 * brain->actor.body.largestStep)
	{
		brain->step *= 0.5;
	}
	ChooseNodes(brain);
	return true;
}

void simBrain_Free(simBrain* brain)
{
	simActor_Free(&brain->actor);
	free(brain->isPulled);
	*brain = (simBrain){ .pull = 0.0 };
}

// Up within a second, there for another.
static double GetRamp(double time)
{
	double phase = time - PERIOD * floor(time / PERIOD);
	return phase < 1.0 ? phase : phase < 2.0 ? 1.0 : 0.0;
}

static void AddPull(simBrain* brain)
{
	static const double direction[3] = { 0.5, 1.0, 0.4 };
	simMeshless* body = &brain->actor.body;
	const int* axes = brain->actor.scene.axes;
	double force = brain->pull * GetRamp(body->time) / (double)brain->pulledCount;
	for (uint32_t i = 0; i < body->nodeCount; ++i)
	{
		for (int k = 0; k < 3 && brain->isPulled[i]; ++k)
		{
			body->external[i][axes[k]] += force * direction[k];
		}
	}
}

bool simBrain_Advance(simBrain* brain, double seconds, simError* error)
{
	simMeshless* body = &brain->actor.body;
	long steps = lround(seconds / brain->step);
	for (long i = 0; i < steps; ++i)
	{
		AddPull(brain);
		if (!simMeshless_Step(body, brain->step, error))
		{
			return false;
		}
		for (uint32_t n = 0; n < body->nodeCount; ++n)
		{
			double far = brain->isPulled[n] ? sqrt(sgDot(body->displacement[n], body->displacement[n])) : 0.0;
			brain->reach = fmax(brain->reach, far);
		}
	}
	return true;
}
