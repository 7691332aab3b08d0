#include "papers/bdtree/world_touch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_STRAIN 0.1
/// Pages that bodies share: few bodies need any.
#define POOL_BYTES 262144

// ---- Making ----------------------------------------------------------------------------------------------------

static bool MakeScene(simWorld* world, simError* error)
{
	const simWorldDef* def = &world->def;
	snugSceneDef sceneDef = {
		.room = { .bodies = def->bodies + 1, .candidates = def->candidates, .pairs = 1, .trianglePairs = 1 },
		.workers = def->workers,
	};
	snugStatus status = snugScene_Create(&sceneDef, &world->scene);
	if (status == snug_success)
	{
		status = contactScene_Create(
		    &(contactSceneDef){ .scene = world->scene, .contacts = def->contacts }, &world->spheres);
	}
	if (status == snug_success)
	{
		status = snugPool_Create(&(snugPoolDef){ .bytes = POOL_BYTES }, &world->pool);
	}
	return status == snug_success || simError_Set(error, "making a world: %s", snugGetStatusText(status));
}

bool simWorld_Create(simWorld* world, const simWorldDef* def, simError* error)
{
	*world = (simWorld){ .def = *def };
	world->def.strides = def->strides > 0 ? def->strides : 1;
	world->stride = def->step / world->def.strides;
	world->def.strain = def->strain > 0.0 ? def->strain : DEFAULT_STRAIN;
	world->def.candidates = def->candidates > 0 ? def->candidates : 32 * (uint64_t)def->bodies + 64;
	world->def.contacts = def->contacts > 0 ? def->contacts : 256 * (uint64_t)def->bodies + 64;
	world->bodies = calloc((size_t)def->bodies + 1, sizeof(simBody));
	world->starts = calloc((size_t)def->bodies + 1, sizeof(simBody));
	world->ways = calloc((size_t)def->bodies + 1, sizeof(simWay));
	bool good = (world->bodies != NULL && world->starts != NULL && world->ways != NULL) || simError_SetMemory(error);
	good = good && MakeScene(world, error);
	if (!good)
	{
		simWorld_Free(world);
	}
	return good;
}

void simWorld_Free(simWorld* world)
{
	contactScene_Destroy(world->spheres);
	snugScene_Destroy(world->scene);
	for (uint32_t i = 0; i < world->count; ++i)
	{
		contactSpheres_Destroy(world->bodies[i].spheres);
		snugBody_Destroy(world->bodies[i].body);
	}
	snugPool_Destroy(world->pool);
	free(world->bodies);
	free(world->starts);
	free(world->ways);
	free(world->flights);
	free(world->grips);
	free(world->nextGrips);
	free(world->list);
	free(world->touches);
	free(world->meetings);
	free(world->table);
	free(world->runs);
	free(world->nextRuns);
	free(world->runsOfBodies);
	*world = (simWorld){ .count = 0 };
}

void simBody_Orient(simBody* body)
{
	const double(*own)[3] = (const double(*)[3])body->shape->mass.inverse;
	double half[3][3];
	simRotation(body->rotation, body->matrix);
	for (int i = 0; i < 3; ++i)
	{
		simApplyBack(own, body->matrix[i], half[i]); // rows of R I^-1, which is symmetric
	}
	for (int i = 0; i < 9; ++i)
	{
		body->inverse[i / 3][i % 3] = sgDot(half[i / 3], body->matrix[i % 3]);
	}
	simApply((const double(*)[3])body->inverse, body->momentum, body->spin);
}

static bool MakeBody(simWorld* world, simBody* body, simError* error)
{
	uint32_t id = 0;
	snugStatus status =
	    snugBody_Create(&(snugBodyDef){ .model = body->shape->model, .pool = world->pool }, &body->body);
	if (status == snug_success)
	{
		contactSpheresDef def = { .tree = body->shape->tree, .body = body->body, .sumsAll = world->def.sumsAll };
		status = contactSpheres_Create(&def, &body->spheres);
	}
	if (status == snug_success)
	{
		status = snugScene_Add(world->scene, &(snugSceneBodyDef){ .body = body->body }, &id);
	}
	if (status == snug_success && id == world->count)
	{
		status = contactScene_Set(world->spheres, id, body->spheres);
	}
	return status == snug_success || simError_Set(error, "making a body: %s", snugGetStatusText(status));
}

bool simWorld_Add(simWorld* world, const simShape* shape, const snugFrame* frame, const double velocity[3],
    const double spin[3], simError* error)
{
	if (world->count == world->def.bodies)
	{
		return simError_Set(error, "there is room for %u bodies", world->def.bodies);
	}
	if (shape->step != world->stride)
	{
		return simError_Set(error, "the shape is made for steps of %g s, not of %g s", shape->step, world->stride);
	}
	simBody* body = world->bodies + world->count;
	*body = (simBody){ .shape = shape };
	memcpy(body->position, frame->position, sizeof(body->position));
	memcpy(body->rotation, frame->rotation, sizeof(body->rotation));
	simTurn(body->rotation, (const double[3]){ 0.0, 0.0, 0.0 }); // of unit length
	for (int k = 0; k < 3; ++k)
	{
		body->velocity[k] = (velocity != NULL ? velocity[k] : 0.0) - 0.5 * world->stride * world->def.gravity[k];
	}
	simBody_Orient(body);
	if (spin != NULL)
	{
		double own[3], turned[3];
		simApplyBack((const double(*)[3])body->matrix, spin, own);
		simApply((const double(*)[3])shape->mass.inertia, own, turned);
		simApply((const double(*)[3])body->matrix, turned, body->momentum);
		simBody_Orient(body);
	}
	bool good = MakeBody(world, body, error);
	if (!good)
	{
		contactSpheres_Destroy(body->spheres);
		snugBody_Destroy(body->body);
		return false;
	}
	world->ways[world->count].body = world->count;
	++world->count;
	return true;
}

// ---- Moving ----------------------------------------------------------------------------------------------------

// By the midpoint rule: the spin half a stride ahead turns the whole stride.
static void Turn(simBody* body, double stride)
{
	double before[4], half[3], whole[3];
	memcpy(before, body->rotation, sizeof(before));
	simBody_Orient(body);
	for (int k = 0; k < 3; ++k)
	{
		half[k] = 0.5 * stride * body->spin[k];
	}
	simTurn(body->rotation, half);
	simBody_Orient(body);
	for (int k = 0; k < 3; ++k)
	{
		whole[k] = stride * body->spin[k];
	}
	memcpy(body->rotation, before, sizeof(before));
	simTurn(body->rotation, whole);
	simBody_Orient(body);
}

// Scale down amplitudes that strain the mesh too much, and what drives them on.
static bool LimitStrain(simBody* body, double most)
{
	const simShape* shape = body->shape;
	double strain = 0.0;
	for (uint32_t m = 0; m < shape->modeCount; ++m)
	{
		strain += fabs(body->q[m]) * shape->gradients[m];
	}
	double scale = strain > most ? most / strain : 1.0;
	for (uint32_t m = 0; m < shape->modeCount; ++m)
	{
		body->q[m] *= scale;
		body->dq[m] *= scale;
	}
	return scale < 1.0;
}

static void Vibrate(simBody* body)
{
	const simShape* shape = body->shape;
	for (uint32_t m = 0; m < shape->modeCount; ++m)
	{
		const simModeStep* s = shape->steps + m;
		double q = body->q[m], dq = body->dq[m], f = body->modal[m];
		body->q[m] = s->a * q + s->b * dq + s->c * f;
		body->dq[m] = s->d * q + s->e * dq + s->g * f;
	}
}

static void Move(const simWorld* world, simBody* body)
{
	double stride = world->stride, kept = 1.0 - stride * world->def.drag;
	for (int k = 0; k < 3; ++k)
	{
		body->velocity[k] =
		    kept * body->velocity[k] + stride * (body->force[k] / body->shape->mass.mass + world->def.gravity[k]);
		body->position[k] += stride * body->velocity[k];
		body->momentum[k] = kept * body->momentum[k] + stride * body->torque[k];
	}
	Turn(body, stride);
	if (!world->def.isRigid)
	{
		Vibrate(body);
		body->limited += LimitStrain(body, world->def.strain);
	}
}

void simWorld_Push(simWorld* world, uint32_t number, const double place[3], const double force[3])
{
	simBody* body = world->bodies + number;
	double arm[3];
	sgSubtract(place, body->position, arm);
	simAddForce(body->pushForce, body->pushTorque, arm, force);
}

// ---- Steps -----------------------------------------------------------------------------------------------------

enum
{
	BODIES_PER_TASK = 16
};

snugStatus simBody_Pose(const simBody* body, snugBody* posed)
{
	snugFrame frame;
	float amplitudes[SIM_MAX_MODES];
	memcpy(frame.position, body->position, sizeof(frame.position));
	memcpy(frame.rotation, body->rotation, sizeof(frame.rotation));
	snugStatus status = snugBody_SetFrame(posed, &frame);
	for (uint32_t m = 0; m < body->shape->modeCount; ++m)
	{
		amplitudes[m] = (float)body->q[m];
	}
	if (status == snug_success && body->shape->modeCount > 0)
	{
		status = snugBody_SetAmplitudes(posed, amplitudes, body->shape->modeCount);
	}
	return status;
}

static void PoseTask(void* context, uint32_t index)
{
	const simWorld* world = context;
	for (uint32_t i = index * BODIES_PER_TASK; i < world->count && i < (index + 1) * BODIES_PER_TASK; ++i)
	{
		simBody* body = world->bodies + i;
		body->isLost = simBody_Pose(body, body->body) != snug_success;
		body->limited = 0;
	}
}

// What acts on each body, and where it goes.
static void MoveTask(void* context, uint32_t index)
{
	const simWorld* world = context;
	for (uint32_t i = index * BODIES_PER_TASK; i < world->count && i < (index + 1) * BODIES_PER_TASK; ++i)
	{
		simBody* body = world->bodies + i;
		memcpy(body->force, body->pushForce, sizeof(body->force));
		memcpy(body->torque, body->pushTorque, sizeof(body->torque));
		memset(body->modal, 0, sizeof(body->modal));
		simBody_TakeForces(world, body);
		Move(world, body);
	}
}

static void RunBodies(simWorld* world, snugTaskFcn* task)
{
	simWorld_Run(world, (world->count + BODIES_PER_TASK - 1) / BODIES_PER_TASK, task, world);
}

static bool PoseAll(simWorld* world, simError* error)
{
	RunBodies(world, PoseTask);
	for (uint32_t i = 0; i < world->count; ++i)
	{
		if (world->bodies[i].isLost)
		{
			return simError_Set(error, "body %u cannot be placed any more", i);
		}
	}
	return true;
}

bool simWorld_Step(simWorld* world, simError* error)
{
	world->counts = (simCounts){ 0 };
	if (!PoseAll(world, error) || !simWorld_FindContacts(world, error))
	{
		return false;
	}
	simWorld_Start(world);
	for (uint32_t s = 0; s < world->def.strides; ++s)
	{
		if (s > 0)
		{
			simWorld_FindForces(world);
		}
		RunBodies(world, MoveTask);
	}
	if (!simWorld_Stop(world, error))
	{
		return false;
	}
	for (uint32_t i = 0; i < world->count; ++i)
	{
		simBody* body = world->bodies + i;
		memset(body->pushForce, 0, sizeof(body->pushForce));
		memset(body->pushTorque, 0, sizeof(body->pushTorque));
		world->counts.limited += body->limited;
	}
	++world->stepCount;
	return true;
}

simWorldEnergy simWorld_GetEnergy(const simWorld* world)
{
	simWorldEnergy energy = { 0.0, 0.0, 0.0 };
	for (uint32_t i = 0; i < world->count; ++i)
	{
		const simBody* body = world->bodies + i;
		const simShape* shape = body->shape;
		energy.kinetic += 0.5 * shape->mass.mass * sgDot(body->velocity, body->velocity);
		energy.kinetic += 0.5 * sgDot(body->spin, body->momentum);
		energy.gravity -= shape->mass.mass * sgDot(world->def.gravity, body->position);
		for (uint32_t m = 0; m < shape->modeCount; ++m)
		{
			double w = 2.0 * 3.14159265358979323846 * shape->frequencies[m];
			energy.modal += 0.5 * shape->masses[m] * (body->dq[m] * body->dq[m] + w * w * body->q[m] * body->q[m]);
		}
	}
	return energy;
}
