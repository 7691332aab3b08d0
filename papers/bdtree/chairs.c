#include "papers/bdtree/chairs.h"

#include "lab/scenes/random.h"
#include "solvers/modes.h"
#include "solvers/sine.h"

#include <math.h>
#include <stdlib.h>

#define DENSITY 900.0
#define CELLS 2000
#define FIRST_FREQUENCY 10.0
#define DAMPING 0.02
#define MOST_SIDE 12
#define STEP (1.0 / (SIM_CHAIRS_FPS * SIM_CHAIRS_STEPS))
#define STRIDES 4
#define EASING 0.1
#define THINNEST 0.02 // boards and legs of the chair
#define SPACING 1.2   // metres: more than a chair is long, so that they hang apart at any turn
#define LOWEST 1.0
#define HIGHEST 60.0
#define APART ((HIGHEST - LOWEST) * (MOST_SIDE * MOST_SIDE) / SIM_CHAIRS_COUNT) // layers

static bool ComputeModes(simChair* chair, simModes* modes, simError* error)
{
	const sceneMesh* mesh = &chair->mesh;
	const simModesDef def = {
		.mesh = { mesh->positions, mesh->vertexCount, mesh->triangles, mesh->triangleCount },
		.modeCount = SIM_CHAIRS_MODES,
		.cellCount = CELLS,
		.density = DENSITY,
	};
	return simModes_Compute(modes, &def, error);
}

bool simChair_Create(simChair* chair, simError* error)
{
	simModes modes = { 0 };
	*chair = (simChair){ .mesh = sceneMakeChair(1) };
	bool good = sceneMesh_IsValid(&chair->mesh) || simError_SetMemory(error);
	good = good && ComputeModes(chair, &modes, error);
	if (good)
	{
		const sceneMesh* mesh = &chair->mesh;
		double scale = FIRST_FREQUENCY / modes.frequencies[0]; // another modulus scales them all
		for (uint32_t m = 0; m < SIM_CHAIRS_MODES; ++m)
		{
			modes.frequencies[m] *= scale;
		}
		chair->fields = modes.fields;
		modes.fields = NULL;
		const simShapeDef def = {
			.mesh = { mesh->positions, mesh->vertexCount, mesh->triangles, mesh->triangleCount },
			.density = DENSITY,
			.modeCount = SIM_CHAIRS_MODES,
			.fields = chair->fields,
			.frequencies = modes.frequencies,
			.masses = modes.masses,
			.damping = DAMPING,
			.step = STEP / STRIDES,
			.level = SIM_CHAIRS_LEVEL,
			.thinnest = THINNEST,
		};
		good = simShape_Create(&chair->shape, &def, error);
	}
	simModes_Free(&modes);
	if (!good)
	{
		simChair_Free(chair);
	}
	return good;
}

void simChair_Free(simChair* chair)
{
	simShape_Free(&chair->shape);
	sceneMesh_Free(&chair->mesh);
	free(chair->fields);
	chair->fields = NULL;
}

// Uniformly among all turns (Shoemake 1992).
static void TurnAtRandom(sceneRandom* random, double rotation[4])
{
	double u = sceneRandom_Unit(random), a = 2.0 * SCENE_PI * sceneRandom_Unit(random);
	double b = 2.0 * SCENE_PI * sceneRandom_Unit(random), r = sqrt(1.0 - u), s = sqrt(u);
	rotation[0] = r * sceneSine(a);
	rotation[1] = r * sceneCosine(a);
	rotation[2] = s * sceneSine(b);
	rotation[3] = s * sceneCosine(b);
}

// As high as wide, if there are few.
static uint32_t FindSide(uint32_t count)
{
	uint32_t side = 1;
	while (side < MOST_SIDE && side * side * side < count)
	{
		++side;
	}
	return side;
}

double simChairs_GetWidth(uint32_t count)
{
	return SPACING * FindSide(count);
}

double simChairs_GetHeight(uint32_t count)
{
	uint32_t side = FindSide(count);
	return LOWEST + APART * ((count + side * side - 1) / (side * side));
}

bool simChairs_Create(simWorld* world, const simChairsDef* def, simError* error)
{
	const simWorldDef worldDef = {
		.step = STEP,
		.strides = STRIDES,
		.gravity = { 0.0, -9.81, 0.0 },
		.law = { .stiffness = 2e4, .damping = 2000.0, .friction = 0.3, .easing = EASING },
		// Carried by air at 4.5 m/s at most. What flies is swept, so drag is for the heap, whose chairs touch and are
		// not: without it four times as many go through one another there.
		.drag = 2.2,
		.strain = 0.1,
		.hasGround = true,
		.ground = { .normal = { 0.0, 1.0, 0.0 } },
		.level = SIM_CHAIRS_LEVEL,
		.bodies = def->count,
		.isRigid = def->kind != simChairs_deformable,
		.sumsAll = def->kind == simChairs_redundant,
		.workers = def->workers,
	};
	if (!simWorld_Create(world, &worldDef, error))
	{
		return false;
	}
	sceneRandom random = { def->seed };
	uint32_t side = FindSide(def->count);
	double middle = 0.5 * (side - 1);
	bool good = true;
	for (uint32_t i = 0; i < def->count && good; ++i)
	{
		uint32_t layer = i / (side * side), place = i % (side * side);
		snugFrame frame = { .position = { SPACING * (place % side - middle), LOWEST + APART * layer,
			                    SPACING * (place / side - middle) } };
		TurnAtRandom(&random, frame.rotation);
		good = simWorld_Add(world, &def->chair->shape, &frame, NULL, NULL, error);
	}
	if (!good)
	{
		simWorld_Free(world);
	}
	return good;
}
