// Scenes of elastic bodies: the brain, the ring and the fish.
#include "papers/common/scene_parts.h"

#include "papers/meshless.h"
#include "papers/meshless/brain.h"
#include "papers/meshless/fish.h"
#include "papers/meshless/ring.h"
#include "papers/meshless/state.h"
#include "snug/snug_queries.h"
#include "solvers/sine.h"

#include <math.h>
#include <stdlib.h>

#define BOUNDS 2 // of the brain's root: Eq. (12), and ours

/// What these scenes keep.
typedef struct elastic
{
	union
	{
		simBrain brain;
		simRing ring;
		simSchool school;
	};
	simActor* actors;
	int actorCount;
	snugBody* bounded;    ///< the brain, with boxes straight from its nodes
	limitedTree* limited; ///< its root by Eq. (12)
	limitedBody* eq12;
	int extra; ///< of the ring, or of the brain at rest; nodes come after it, in the recording
} elastic;

// ---- All of them -----------------------------------------------------------------------------------------------

/// How large bodies are.
typedef struct sizes
{
	uint32_t vertices, nodes;
} sizes;

// Room for the scene, and the sizes that were asked for.
static elastic* Begin(const showDef* def, sizes* size, simError* error)
{
	size->vertices = def->vertexCount > 0 ? (uint32_t)def->vertexCount : size->vertices;
	size->nodes = def->nodeCount > 0 ? (uint32_t)def->nodeCount : size->nodes;
	if (size->nodes < 4 || size->nodes > 5000)
	{
		simError_Set(error, "--nodes must be from 4 to 5000");
		return NULL;
	}
	if (size->vertices < 42 || size->vertices > 1000000)
	{
		simError_Set(error, "--vertices must be from 42 to 1000000");
		return NULL;
	}
	elastic* e = calloc(1, sizeof(elastic));
	if (e == NULL)
	{
		simError_SetMemory(error);
	}
	return e;
}

// The bodies of actors that were made; else nothing is left.
static bool Finish(show* s, elastic* e, bool good, simActor* actors, int count)
{
	if (!good)
	{
		free(e);
		return false;
	}
	s->scene = e;
	s->bodyCount = e->actorCount = count;
	e->actors = actors;
	for (int i = 0; i < count; ++i)
	{
		s->bodies[i] =
		    (showBody){ &actors[i].scene.mesh, actors[i].positions, actors[i].posed, actors[i].nodes, NULL, NULL };
	}
	snprintf(s->contents, sizeof(s->contents), "%d bod%s of %u vertices, %u triangles, %u nodes", count,
	    count == 1 ? "y" : "ies", actors[0].scene.mesh.vertexCount, actors[0].scene.mesh.triangleCount,
	    actors[0].body.nodeCount);
	return true;
}

// Nodes of all bodies, to be shown instead of them.
static void AddNodes(show* s)
{
	for (int i = 0; i < s->bodyCount; ++i)
	{
		recording_SetWhen(s->recording, i, recorded_withoutNodes);
		show_AddNodes(s, i, recorded_withNodes);
	}
}

// @param first their number in the recording
static void PlaceNodes(show* s, int first)
{
	static const float here[3] = { 0.0f, 0.0f, 0.0f };
	for (int i = 0; i < s->bodyCount; ++i)
	{
		show_PlaceNodes(s, i, first + i, here);
	}
}

static bool Pose(show* s, showFrame* f, simError* error)
{
	elastic* e = s->scene;
	bool good = true;
	for (int i = 0; i < e->actorCount && good; ++i)
	{
		simEnergy energy = simMeshless_GetEnergy(&e->actors[i].body);
		f->measure += energy.kinetic + energy.elastic;
		f->time = e->actors[i].body.time;
		good = simActor_Pose(&e->actors[i], true, error);
	}
	return good;
}

static void Write(const show* s, FILE* stream)
{
	const elastic* e = s->scene;
	for (int i = 0; i < e->actorCount; ++i)
	{
		simState_Write(stream, &e->actors[i].body);
	}
}

static bool Read(show* s, FILE* stream, simError* error)
{
	elastic* e = s->scene;
	for (int i = 0; i < e->actorCount; ++i)
	{
		simError where = { "" };
		if (!simState_Read(stream, &e->actors[i].body, &where))
		{
			return simError_Set(error, "body %d: %.400s", i, where.text);
		}
	}
	s->start = e->actors[0].body.time;
	return true;
}

// ---- Brain -----------------------------------------------------------------------------------------------------

// On demand: else boxes of earlier frames would be enlarged by how far it moved.
static bool BoundBrain(elastic* e, simError* error)
{
	const snugBodyDef body = { .model = e->brain.actor.model, .strategy = snug_strategyOnDemand };
	bool good = snugBody_Create(&body, &e->bounded) == snug_success;
	e->limited = limitedTree_Create(body.model, &(limitedTreeDef){ .rootOnly = true });
	e->eq12 = good && e->limited != NULL ? limitedBody_Create(e->limited, e->bounded) : NULL;
	return e->eq12 != NULL || simError_SetMemory(error);
}

static bool CreateBrain(show* s, const showDef* def, simError* error)
{
	sizes size = { SIM_BRAIN_VERTICES, 65 };
	int pull = def->pull > 0 ? def->pull : 2;
	if (pull > SIM_BRAIN_PULLS)
	{
		return simError_Set(error, "--pull must be 1, 2 or 3");
	}
	elastic* e = Begin(def, &size, error);
	bool good = e != NULL && simBrain_Create(&e->brain, size.vertices, size.nodes, simBrainPulls[pull - 1], error);
	return Finish(s, e, good, good ? &e->brain.actor : NULL, 1) && BoundBrain(e, error);
}

// Its steps are not a whole part of a frame, so that each goes to where the frame should be.
static bool AdvanceBrain(show* s, simError* error)
{
	simBrain* brain = &((elastic*)s->scene)->brain;
	double goal = s->start + (double)(s->frameCount + 1) / SHOW_FPS;
	return simBrain_Advance(brain, goal - brain->actor.body.time, error);
}

// By Eq. (12), and ours.
static bool FindRoots(elastic* e, snugNodeBox roots[BOUNDS])
{
	const simActor* actor = &e->brain.actor;
	double lower[LIMITED_MAX_SLABS], upper[LIMITED_MAX_SLABS];
	uint64_t count = 0;
	if (snugBody_SetMeshlessNodes(e->bounded, actor->nodes, actor->body.nodeCount) != snug_success ||
	    limitedBody_Begin(e->eq12) != snug_success ||
	    snugBody_GetBoxes(e->bounded, 0, &roots[1], 1, &count) != snug_success || count != 1)
	{
		return false;
	}
	limitedBody_Bound(e->eq12, 0, lower, upper);
	for (int k = 0; k < 3; ++k)
	{
		roots[0].lower[k] = (float)lower[k];
		roots[0].upper[k] = (float)upper[k];
	}
	return true;
}

static double GetDiagonal(const float lower[3], const float upper[3])
{
	double square = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		square += ((double)upper[k] - (double)lower[k]) * ((double)upper[k] - (double)lower[k]);
	}
	return sqrt(square);
}

// The brain at rest on the left of the one that is pulled, its nodes on the right.
static void AddBrains(show* s)
{
	elastic* e = s->scene;
	const sceneMesh* mesh = s->bodies[0].mesh;
	const recordedMesh still = { mesh->positions, mesh->vertexCount, mesh->triangles, mesh->triangleCount,
		.jointCount = 1 };
	e->extra = recording_AddBody(s->recording, recording_AddMesh(s->recording, &still), recordingGetColor(4));
	show_AddNodes(s, 0, recorded_always);
}

static void PlaceBrains(show* s)
{
	static const float left[12] = { 1, 0, 0, -2.45f, 0, 1, 0, 0, 0, 0, 1, 0 }, right[3] = { 2.75f, 0.0f, 0.0f };
	int number = ((elastic*)s->scene)->extra;
	recording_SetMotion(s->recording, number, left);
	show_PlaceNodes(s, 0, number + 1, right);
}

// Fig. 1: boxes of the whole, optimal, ours and by Eq. (12), each over the one before.
static bool ChooseRoots(show* s, showFrame* f, simError* error)
{
	elastic* e = s->scene;
	const simActor* actor = &e->brain.actor;
	float lower[3] = { INFINITY, INFINITY, INFINITY }, upper[3] = { -INFINITY, -INFINITY, -INFINITY };
	for (size_t i = 0; i < 3 * (size_t)actor->scene.mesh.vertexCount; ++i)
	{
		lower[i % 3] = fminf(lower[i % 3], actor->positions[i]);
		upper[i % 3] = fmaxf(upper[i % 3], actor->positions[i]);
	}
	static const recordedInk inks[BOUNDS] = { recorded_orange, recorded_blue };
	snugNodeBox roots[BOUNDS];
	bool good = FindRoots(e, roots);
	for (int i = 0; i < BOUNDS && good; ++i)
	{
		recording_AddBox(s->recording, roots[i].lower, roots[i].upper, inks[i]);
		f->looseness[i] = GetDiagonal(roots[i].lower, roots[i].upper) / GetDiagonal(lower, upper);
	}
	recording_AddBox(s->recording, lower, upper, recorded_dark);
	PlaceBrains(s);
	return good || simError_Set(error, "cannot find its boxes");
}

static void ReleaseBrain(void* scene)
{
	elastic* e = scene;
	limitedBody_Destroy(e->eq12);
	limitedTree_Destroy(e->limited);
	snugBody_Destroy(e->bounded);
	simBrain_Free(&e->brain);
	free(e);
}

// ---- Ring ------------------------------------------------------------------------------------------------------

static bool CreateRing(show* s, const showDef* def, simError* error)
{
	sizes size = { 2857, 115 };
	elastic* e = Begin(def, &size, error);
	bool good = e != NULL && simRing_Create(&e->ring, &(simRingDef){ size.vertices, size.nodes, def->hasMany }, error);
	return Finish(s, e, good, good ? e->ring.figures : NULL, SIM_RING_FIGURES);
}

static bool AdvanceRing(show* s, simError* error)
{
	return simRing_Advance(&((elastic*)s->scene)->ring, error);
}

static void AddRing(show* s)
{
	static const float metal[3] = { 0.55f, 0.57f, 0.62f };
	sceneMesh mesh = sceneMakeTorus(SIM_RING_RADIUS, 0.06, 96, 16);
	const recordedMesh ring = { mesh.positions, mesh.vertexCount, mesh.triangles, mesh.triangleCount, .jointCount = 1 };
	int number = sceneMesh_IsValid(&mesh) ? recording_AddMesh(s->recording, &ring) : -1;
	((elastic*)s->scene)->extra = recording_AddBody(s->recording, number, metal);
	sceneMesh_Free(&mesh);
	AddNodes(s);
}

// At the top of the hats, which go with it.
static bool ChooseRing(show* s, showFrame* f, simError* error)
{
	const elastic* e = s->scene;
	double angle = simRing_GetAngle(&e->ring);
	float c = (float)sceneCosine(angle), n = (float)sceneSine(angle);
	const float matrix[12] = { c, -n, 0, 0, n, c, 0, 0, 0, 0, 1, (float)SIM_FIGURE_HALF_HEIGHT };
	recording_SetMotion(s->recording, e->extra, matrix);
	PlaceNodes(s, e->extra + 1);
	return show_ChooseVisited(s, f, error);
}

static void ReleaseRing(void* scene)
{
	simRing_Free(&((elastic*)scene)->ring);
	free(scene);
}

// ---- Fish ------------------------------------------------------------------------------------------------------

static bool CreateFish(show* s, const showDef* def, simError* error)
{
	sizes size = { SIM_FISH_VERTICES, SIM_FISH_NODES };
	elastic* e = Begin(def, &size, error);
	bool good = e != NULL && simSchool_Create(&e->school, size.vertices, size.nodes, error);
	return Finish(s, e, good, good ? e->school.fish : NULL, SIM_FISH_COUNT);
}

static bool AdvanceFish(show* s, simError* error)
{
	return simSchool_Advance(&((elastic*)s->scene)->school, error);
}

static bool ChooseFish(show* s, showFrame* f, simError* error)
{
	PlaceNodes(s, s->bodyCount);
	return show_ChooseVisited(s, f, error);
}

static void ReleaseFish(void* scene)
{
	simSchool_Free(&((elastic*)scene)->school);
	free(scene);
}

// ---- How they are shown ----------------------------------------------------------------------------------------

#define HOW "Elastic bodies by moving least squares; their surfaces follow their nodes."
#define SHOW_NODES " The box <b>nodes</b> shows what they follow instead."
#define AFTER "After Steinemann, Otaduy, Gross 2008."
// clang-format off
#define ENERGY { "energy", "J", "Energy", "kinetic and elastic" }
// clang-format on

// It stands along z, and is pulled along x: seen from the side.
const showKind showBrain = {
	.name = "brain",
	.title = "a brain that is pulled",
	.how = HOW,
	.what = "A brain is held at one end and pulled at the other for two seconds, then let go. On the left it is at "
	        "rest, on the right are the nodes that its surface follows.",
	.boxed =
	    "Boxes around all of it: the <b>optimal</b> one, which needs every vertex, and what is known from the nodes "
	    "alone: <b>ours</b> in blue, and in orange the paper's <b>Eq. (12)</b>.",
	.after = AFTER,
	.measure = ENERGY,
	.frames = 90, // it is let go after two seconds
	.create = CreateBrain,
	.addExtras = AddBrains,
	.advance = AdvanceBrain,
	.pose = Pose,
	.choose = ChooseRoots,
	.release = ReleaseBrain,
	.write = Write,
	.read = Read,
	.eye = { 1.1f, -6.0f, 1.1f },
	.target = { 0.55f, 0.0f, -0.05f },
	.vertical = { 0.0f, 0.0f, 1.0f },
	.ground = -1.6f,
};

const showKind showRing = {
	.name = "ring",
	.title = "six figures on a ring",
	.how = HOW,
	.what = "Six figures hang by their hats from a ring that is turned to and fro." SHOW_RED SHOW_NODES,
	.boxed = SHOW_VISITED,
	.after = AFTER,
	.measure = ENERGY,
	.frames = 60,
	.create = CreateRing,
	.addExtras = AddRing,
	.advance = AdvanceRing,
	.pose = Pose,
	.choose = ChooseRing,
	.release = ReleaseRing,
	.write = Write,
	.read = Read,
	.eye = { 0.7f, -5.6f, 2.2f },
	.target = { 0.0f, 0.0f, -0.15f },
	.vertical = { 0.0f, 0.0f, 1.0f },
	.ground = -1.6f,
};

const showKind showFish = {
	.name = "fish",
	.title = "two dozen fish",
	.how = HOW,
	.what = "Twenty-four elastic fish swim in circles of their own, bump into each other and glance off." SHOW_RED
	    SHOW_NODES,
	.boxed = SHOW_VISITED,
	.after = AFTER,
	.measure = ENERGY,
	.frames = 60,
	.create = CreateFish,
	.addExtras = AddNodes,
	.advance = AdvanceFish,
	.pose = Pose,
	.choose = ChooseFish,
	.release = ReleaseFish,
	.write = Write,
	.read = Read,
	.eye = { 1.0f, -8.6f, 3.4f },
	.target = { 0.0f, 0.0f, -0.2f },
	.vertical = { 0.0f, 0.0f, 1.0f },
	.ground = -3.2f,
};
