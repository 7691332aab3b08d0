#include "papers/meshless/ring.h"

#include "solvers/sine.h"

#define STEP (1.0 / (SIM_RING_FPS * 32))
#define HERTZ 0.5
#define RAMP 0.5       // seconds
#define HELD_FROM 0.75 // of half the height
#define INFLUENCES 20.0

static const simMaterial material = {
	.density = 1000.0, .young = 3e6, .poisson = 0.3, .bulk = 3e6, .damping = 3.0, .gravity = { 0.0, 0.0, -9.81 }
};

// Not all are stuffed alike, so that neighbours swing against each other.
static const double firmness[SIM_RING_FIGURES] = { 1.0, 0.6, 0.8, 0.55, 0.9, 0.65 };

// Where a point of a figure at zero is if it goes with the ring.
static void PlaceRigidly(int figure, double angle, const double rest[3], double displacement[3])
{
	double turn = angle + SCENE_PI * (double)figure / 3.0, c = sceneCosine(turn), s = sceneSine(turn);
	double x = rest[0] + SIM_RING_RADIUS;
	displacement[0] = c * x - s * rest[1] - rest[0];
	displacement[1] = s * x + c * rest[1] - rest[1];
	displacement[2] = 0.0;
}

static double GetAngle(const simRing* ring, double time)
{
	double ramp = time < RAMP ? time / RAMP : 1.0;
	return ring->angle * ramp * sceneSine(2.0 * SCENE_PI * HERTZ * time);
}

static bool PlaceFigure(simRing* ring, int figure, simError* error)
{
	simMeshless* body = &ring->figures[figure].body;
	for (uint32_t i = 0; i < body->nodeCount; ++i)
	{
		PlaceRigidly(figure, 0.0, body->rest[i], body->displacement[i]);
	}
	while (ring->step > 0.5 * body->largestStep)
	{
		ring->step *= 0.5;
	}
	return simMeshless_ComputeForces(body, error);
}

bool simRing_Create(simRing* ring, const simRingDef* def, simError* error)
{
	*ring = (simRing){ .angle = SCENE_PI / 180.0 * (def->hasMany ? 120.0 : 40.0), .step = STEP };
	bool good = simContacts_Create(&ring->contacts, error);
	for (int i = 0; i < SIM_RING_FIGURES && good; ++i)
	{
		simActor* figure = &ring->figures[i];
		simMaterial stuffing = material;
		stuffing.young *= firmness[i];
		stuffing.bulk *= firmness[i];
		good = simActor_Create(figure, simMakeFigure(def->vertexCount), def->nodeCount, INFLUENCES, &stuffing, error) &&
		       PlaceFigure(ring, i, error);
	}
	if (!good)
	{
		simRing_Free(ring);
	}
	return good;
}

void simRing_Free(simRing* ring)
{
	for (int i = 0; i < SIM_RING_FIGURES; ++i)
	{
		simActor_Free(&ring->figures[i]);
	}
	simContacts_Free(&ring->contacts);
	*ring = (simRing){ .step = 0.0 };
}

// The hats go with the ring.
static void HoldHats(simRing* ring, int figure)
{
	simMeshless* body = &ring->figures[figure].body;
	double angle = GetAngle(ring, body->time + ring->step), goal[3];
	for (uint32_t i = 0; i < body->nodeCount; ++i)
	{
		if (body->rest[i][2] > HELD_FROM * SIM_FIGURE_HALF_HEIGHT)
		{
			PlaceRigidly(figure, angle, body->rest[i], goal);
			simMeshless_Hold(body, i, goal);
		}
	}
}

double simRing_GetAngle(const simRing* ring)
{
	return GetAngle(ring, ring->figures[0].body.time);
}

bool simRing_Advance(simRing* ring, simError* error)
{
	int steps = (int)(1.0 / (SIM_RING_FPS * ring->step) + 0.5);
	for (int step = 0; step < steps; ++step)
	{
		if (!simActors_RespondAll(ring->figures, SIM_RING_FIGURES, &ring->contacts, error))
		{
			return false;
		}
		for (int i = 0; i < SIM_RING_FIGURES; ++i)
		{
			HoldHats(ring, i);
			if (!simMeshless_Step(&ring->figures[i].body, ring->step, error))
			{
				return false;
			}
		}
	}
	return true;
}
