#include "papers/bdtree/bridge.h"

#include "base/vec.h"
#include "papers/bdtree/bricks.h"
#include "papers/meshless/fish.h"
#include "solvers/sine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FISH_VERTICES 12531u
#define FINS 3
#define FIN_COLUMNS 30u // columns and rows add up to 46: so that vertices and triangles come out
#define FIN_ROWS 16u
#define STAGE_LEVEL 15 // of the bridge's spheres, around seven triangles each
#define LOW 3.2        // metres above the deck: where fish come from, as long as there is room
#define HIGH 14.0      // above the bridge
#define DOWN 5.0       // metres per second, at first
#define ROOM 1.2       // metres from the middle of another fish
#define TRIES 48       // for a place with room
#define STRIDES 4
#define EASING 0.1
#define STEP (1.0 / (SIM_SHOWER_FPS * SIM_SHOWER_STEPS))

// ---- The bridge ------------------------------------------------------------------------------------------------

// Softer than steel, so that it sways as far as in the paper's picture.
static bool MakeBricks(simBricks* bricks, const sceneMesh* mesh, uint32_t cellCount, simError* error)
{
	static const simFix ends[2] = { { .axis = 0, .value = -27.0 }, { .axis = 0, .isAbove = true, .value = 27.0 } };
	const simBricksDef def = {
		.mesh = { mesh->positions, mesh->vertexCount, mesh->triangles, mesh->triangleCount },
		.cellCount = cellCount,
		.young = 4e8,
		.density = 2000.0,
		.poisson = 0.3,
		.damping = 0.1,
		.fixes = ends,
		.fixCount = 2,
	};
	return simBricks_Create(bricks, &def, error);
}

// From the side, with two periods, and a little from above.
static void Blow(simBricks* b)
{
	double t = b->time, gust = 4.0 * sceneSine(2.0 * SCENE_PI * t / 3.1) + 3.0 * sceneSine(2.0 * SCENE_PI * t / 1.7);
	for (uint32_t n = 0; n < b->nodeCount; ++n)
	{
		b->external[n][2] += b->mass[n] * gust;
		b->external[n][1] += b->mass[n] * 0.3 * gust;
	}
}

static double FindReach(const float* from, const float* to, uint32_t vertexCount, double reach)
{
	for (size_t v = 0; v < vertexCount; ++v)
	{
		double sum = 0.0;
		for (size_t k = 0; k < 3; ++k)
		{
			double by = (double)to[3 * v + k] - (double)from[3 * v + k];
			sum += by * by;
		}
		reach = fmax(reach, sqrt(sum));
	}
	return reach;
}

// Sway the bridge, and compress that. Needs LAPACK.
// @param reach receives how far any vertex went from rest, in metres
static bool Sway(
    simReduced* reduced, const sceneMesh* mesh, uint32_t cellCount, uint32_t frames, double* reach, simError* error)
{
	*reduced = (simReduced){ .fieldCount = 0 };
	simBricks bricks;
	size_t size = 3 * (size_t)mesh->vertexCount;
	float* recorded = malloc(size * frames * sizeof(float));
	if (recorded == NULL || !MakeBricks(&bricks, mesh, cellCount, error))
	{
		bool hasMemory = recorded != NULL;
		free(recorded);
		return hasMemory ? false : simError_SetMemory(error);
	}
	double frame = 1.0 / SIM_SHOWER_FPS, steps = ceil(frame / (0.5 * bricks.largestStep)), farthest = 0.0;
	bool good = true;
	for (uint32_t f = 0; f < frames && good; ++f)
	{
		for (int i = 0; i < (int)steps && good; ++i)
		{
			Blow(&bricks);
			good = simBricks_Step(&bricks, frame / steps, error);
		}
		simBricks_GetVertices(&bricks, recorded + size * f);
		farthest = FindReach(mesh->positions, recorded + size * f, mesh->vertexCount, farthest);
	}
	simBricks_Free(&bricks);
	const simReduceDef def = {
		.frames = recorded, .frameCount = frames, .vertexCount = mesh->vertexCount, .fieldCount = SIM_SHOWER_FIELDS
	};
	good = good && simReduced_Compute(reduced, &def, error);
	*reach = farthest;
	free(recorded);
	return good;
}

// ---- Fish ------------------------------------------------------------------------------------------------------

// A sheet that stands off the body: along x, then up, or to a side.
static void AddFin(
    sceneMesh* mesh, int fin, uint32_t columns, uint32_t rows, uint32_t* vertexCount, uint32_t* triangleCount)
{
	static const double from[FINS][3] = { { -0.1, 0.0, 0.13 }, { 0.15, 0.08, -0.02 }, { 0.15, -0.08, -0.02 } };
	static const double way[FINS][3] = { { -0.04, 0.0, 0.12 }, { -0.06, 0.1, -0.05 }, { -0.06, -0.1, -0.05 } };
	uint32_t first = *vertexCount;
	for (uint32_t i = 0; i < (columns + 1) * (rows + 1); ++i)
	{
		double s = (double)(i % (columns + 1)) / columns, t = (double)(i / (columns + 1)) / rows;
		float* p = mesh->positions + 3 * (size_t)(*vertexCount)++;
		for (int k = 0; k < 3; ++k)
		{
			p[k] = (float)(from[fin][k] + t * way[fin][k] + (k == 0 ? 0.2 * s * (1.0 - 0.4 * t) : 0.0));
		}
	}
	for (uint32_t i = 0; i < columns * rows; ++i)
	{
		uint32_t a = first + i % columns + (columns + 1) * (i / columns), above = a + columns + 1;
		uint32_t* t = mesh->triangles + 3 * (size_t)*triangleCount;
		const uint32_t two[6] = { a, a + 1, above, a + 1, above + 1, above };
		memcpy(t, two, sizeof(two));
		*triangleCount += 2;
	}
}

// A fin has 2 (columns + rows + 1) triangles less than twice its vertices, a closed body four: 25,062 - 282 = 24,780.
sceneMesh simMakeFinnedFish(uint32_t coarser, uint32_t* solidCount)
{
	uint32_t columns = FIN_COLUMNS / coarser + (coarser > 1), rows = FIN_ROWS / coarser + (coarser > 1);
	uint32_t finVertices = (FIN_COLUMNS + 1) * (FIN_ROWS + 1);
	sceneMesh body = simMakeFish((FISH_VERTICES - FINS * finVertices) / (coarser * coarser));
	sceneMesh fish = sceneMesh_Allocate(
	    body.vertexCount + FINS * (columns + 1) * (rows + 1), body.triangleCount + 2 * FINS * columns * rows);
	if (!sceneMesh_IsValid(&body) || !sceneMesh_IsValid(&fish))
	{
		sceneMesh_Free(&body);
		sceneMesh_Free(&fish);
		return (sceneMesh){ .positions = NULL };
	}
	for (size_t i = 0; i < 3 * (size_t)body.vertexCount; ++i)
	{
		fish.positions[i] = (float)(0.5 * (double)body.positions[i] * (2.0 / SIM_FISH_LENGTH)); // a metre
	}
	memcpy(fish.triangles, body.triangles, 3 * (size_t)body.triangleCount * sizeof(uint32_t));
	uint32_t vertices = body.vertexCount, triangles = body.triangleCount;
	if (solidCount != NULL)
	{
		*solidCount = triangles;
	}
	for (int fin = 0; fin < FINS; ++fin)
	{
		AddFin(&fish, fin, columns, rows, &vertices, &triangles);
	}
	sceneMesh_Free(&body);
	return fish;
}

static bool MakeFish(simShower* s, simError* error)
{
	uint32_t solidCount = 0;
	s->fishMesh = simMakeFinnedFish(1, &solidCount);
	if (!sceneMesh_IsValid(&s->fishMesh))
	{
		return simError_SetMemory(error);
	}
	const sceneMesh* mesh = &s->fishMesh;
	simModes modes;
	const simModesDef modesDef = {
		.mesh = { mesh->positions, mesh->vertexCount, mesh->triangles, mesh->triangleCount },
		.modeCount = SIM_SHOWER_MODES,
		.cellCount = 1500,
		.young = 3e5,
		.density = 1000.0,
	};
	if (!simModes_Compute(&modes, &modesDef, error))
	{
		return false;
	}
	s->fishFields = modes.fields;
	modes.fields = NULL;
	const simShapeDef def = {
		.mesh = modesDef.mesh,
		.solidCount = solidCount,
		.density = 1000.0,
		.modeCount = SIM_SHOWER_MODES,
		.fields = s->fishFields,
		.frequencies = modes.frequencies,
		.masses = modes.masses,
		.damping = 0.05,
		.step = STEP / STRIDES,
		.level = SIM_SHOWER_LEVEL,
	};
	bool good = simShape_Create(&s->fish, &def, error);
	simModes_Free(&modes);
	return good;
}

// ---- The shower ------------------------------------------------------------------------------------------------

static bool MakeStage(simShower* s, simError* error)
{
	const sceneMesh* mesh = &s->bridgeMesh;
	const snugModelDef def = {
		.positions = s->sway.rest,
		.vertexCount = mesh->vertexCount,
		.triangles = mesh->triangles,
		.triangleCount = mesh->triangleCount,
		.deformer = snug_fields,
		.fields = { .fieldCount = s->sway.fieldCount, .displacements = s->sway.fields },
	};
	snugStatus status = snugModel_Create(&def, &s->bridgeModel);
	if (status == snug_success)
	{
		contactTreeDef treeDef = { .model = s->bridgeModel, .level = STAGE_LEVEL };
		status = contactTree_Create(&treeDef, &s->bridgeTree);
	}
	if (status == snug_success)
	{
		status = snugBody_Create(&(snugBodyDef){ .model = s->bridgeModel }, &s->bridge);
	}
	if (status == snug_success)
	{
		contactSpheresDef spheresDef = { .tree = s->bridgeTree, .body = s->bridge };
		status = contactSpheres_Create(&spheresDef, &s->stage.spheres);
	}
	s->stage.tree = s->bridgeTree;
	s->stage.triangles = mesh->triangles;
	s->stage.vertexCount = mesh->vertexCount;
	s->stage.fieldCount = s->sway.fieldCount;
	s->stage.fields = s->sway.fields;
	return status == snug_success || simError_Set(error, "making the bridge: %s", snugGetStatusText(status));
}

bool simShower_Create(simShower* s, const simShowerDef* def, simError* error)
{
	*s = (simShower){ .bridgeMesh = sceneMakeBridge(1), .fishCount = def->fishCount, .seed = def->seed };
	uint32_t cells = def->cellCount > 0 ? def->cellCount : 1000, frames = def->frames > 0 ? def->frames : 120;
	bool good = sceneMesh_IsValid(&s->bridgeMesh) || simError_SetMemory(error);
	good = good && Sway(&s->sway, &s->bridgeMesh, cells, frames, &s->reach, error) && MakeStage(s, error) &&
	       MakeFish(s, error);
	const simWorldDef worldDef = {
		.step = STEP,
		.strides = STRIDES,
		.gravity = { 0.0, -9.81, 0.0 },
		.law = { .stiffness = 2e4, .damping = 2000.0, .friction = 0.3, .easing = EASING },
		.drag = 1.0,
		.level = SIM_SHOWER_LEVEL,
		.bodies = def->fishCount,
		.stage = &s->stage,
		.workers = def->workers,
	};
	good = good && simWorld_Create(&s->world, &worldDef, error);
	if (!good)
	{
		simShower_Free(s);
	}
	return good;
}

void simShower_Free(simShower* s)
{
	simWorld_Free(&s->world);
	contactSpheres_Destroy(s->stage.spheres);
	snugBody_Destroy(s->bridge);
	contactTree_Destroy(s->bridgeTree);
	snugModel_Destroy(s->bridgeModel);
	simShape_Free(&s->fish);
	simReduced_Free(&s->sway);
	sceneMesh_Free(&s->bridgeMesh);
	sceneMesh_Free(&s->fishMesh);
	free(s->fishFields);
	*s = (simShower){ .fishCount = 0 };
}

// Where the animation is, forth and back, between two frames; amplitudes, and how fast they change.
static bool PoseBridge(simShower* s, simError* error)
{
	const simReduced* sway = &s->sway;
	double time = (double)s->world.stepCount * STEP * SIM_SHOWER_FPS, span = (double)(sway->frameCount - 1);
	double turns = floor(time / span), at = time - turns * span;
	bool isBack = ((int64_t)turns & 1) != 0;
	at = isBack ? span - at : at;
	uint32_t frame = (uint32_t)fmin(floor(at), span - 1.0), count = sway->fieldCount;
	for (uint32_t f = 0; f < count; ++f)
	{
		double a = (double)sway->amplitudes[frame * count + f], b = (double)sway->amplitudes[(frame + 1) * count + f];
		s->amplitudes[f] = (float)(a + (at - frame) * (b - a));
		s->stage.speeds[f] = (float)((isBack ? a - b : b - a) * SIM_SHOWER_FPS);
	}
	snugStatus status = snugBody_SetAmplitudes(s->bridge, s->amplitudes, count);
	return status == snug_success || simError_Set(error, "posing the bridge: %s", snugGetStatusText(status));
}

static bool HasRoom(const simWorld* world, const double position[3])
{
	for (uint32_t i = 0; i < world->count; ++i)
	{
		double away[3];
		sgSubtract(position, world->bodies[i].position, away);
		if (sgDot(away, away) < ROOM * ROOM)
		{
			return false;
		}
	}
	return true;
}

// Somewhere between the trusses, or above them where the heap is high; nowhere if there is no room now. What is random
// follows from the step and the number of the fish alone, so that states need not keep it.
static bool DropFish(simShower* s, simError* error)
{
	static const double down[3] = { 0.0, -DOWN, 0.0 };
	sceneRandom random = { s->seed + 0x9e3779b97f4a7c15u * (s->world.stepCount + 1) + s->world.count };
	for (int i = 0; i < TRIES; ++i)
	{
		const double position[3] = { sceneRandom_Range(&random, -24.0, 24.0), i < TRIES / 2 ? LOW : HIGH,
			sceneRandom_Range(&random, -2.0, 2.0) };
		const double axis[3] = { sceneRandom_Range(&random, -1.0, 1.0), sceneRandom_Range(&random, -1.0, 1.0), 0.5 };
		snugFrame frame = sceneMakeFrame(position, axis, sceneRandom_Range(&random, 0.0, 6.0));
		if (HasRoom(&s->world, position))
		{
			return simWorld_Add(&s->world, &s->fish, &frame, down, NULL, error);
		}
	}
	return true;
}

bool simShower_Step(simShower* s, simError* error)
{
	bool good = PoseBridge(s, error);
	for (int i = 0; i < 2 && good && s->world.count < s->fishCount; ++i)
	{
		good = DropFish(s, error);
	}
	return good && simWorld_Step(&s->world, error);
}

bool simShower_Read(simShower* s, FILE* stream, simError* error)
{
	uint32_t count = 0;
	long start = ftell(stream);
	if (fscanf(stream, " world %u", &count) != 1 || count > s->fishCount || fseek(stream, start, SEEK_SET) != 0)
	{
		return simError_Set(error, "there is no world of up to %u fish", s->fishCount);
	}
	bool good = true;
	while (s->world.count < count && good)
	{
		good = simWorld_Add(&s->world, &s->fish, &(snugFrame){ .rotation = { 0.0, 0.0, 0.0, 1.0 } }, NULL, NULL, error);
	}
	return good && simWorld_Read(&s->world, stream, error);
}
