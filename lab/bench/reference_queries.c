// lab/bench/reference_queries.c: six queries whose instructions tools/count-instructions counts.
//
// Time on a shared machine is noise; instructions are not. Each query poses two bodies and finds all their pairs for a
// few frames, through the public header alone, on scenes that are the same bits everywhere. First some frames pass
// uncounted, so that what bodies remember is what it is in the middle of an animation. What is counted is whatever
// happens inside CountedFrame, and nothing else: poses are made and pairs are hashed outside of it.
#include "lab/scenes/character.h"
#include "lab/scenes/motion.h"
#include "lab/scenes/pair_hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FREQUENCY 67 // 44,892 vertices
#define NODES 115    // of meshless bodies, about 20 per vertex
#define FRAMES 60
#define FIRST_FRAME 25
#define UNCOUNTED_FRAMES 4
#define COUNTED_FRAMES 4
#define FIELDS (4 * SCENE_WAVES)
#define CAPACITY (1u << 20)

// What a body is told in a frame; what does not apply is null.
typedef struct Pose
{
	float* vertices;
	float* matrices;
	float* amplitudes;
	uint32_t count; // of those
	snugFrame place;
} Pose;

typedef struct Actor
{
	snugModel* model;
	snugBody* body;
	Pose pose;
} Actor;

// Sets the poses of both actors for a frame.
typedef void PoseFcn(void* scene, int frame, Actor actors[2]);

static void Require(bool condition, const char* what)
{
	if (!condition)
	{
		fprintf(stderr, "reference_queries: %s\n", what);
		exit(1);
	}
}

static void* Allocate(size_t bytes)
{
	void* memory = calloc(bytes, 1);
	Require(memory != NULL, "out of memory");
	return memory;
}

static Actor MakeActor(const snugModelDef* def)
{
	Actor actor = { .model = NULL };
	Require(snugModel_Create(def, &actor.model) == snug_success, "no model");
	snugBodyDef bodyDef = { .model = actor.model };
	Require(snugBody_Create(&bodyDef, &actor.body) == snug_success, "no body");
	return actor;
}

static void FreeActors(Actor actors[2])
{
	for (int k = 0; k < 2; ++k)
	{
		snugBody_Destroy(actors[k].body);
		snugModel_Destroy(actors[k].model);
		free(actors[k].pose.vertices);
		free(actors[k].pose.matrices);
		free(actors[k].pose.amplitudes);
	}
}

static snugModelDef DescribeMesh(const sceneMesh* mesh, snugDeformer deformer)
{
	Require(sceneMesh_IsValid(mesh), "no mesh");
	return sceneMesh_MakeDef(mesh, deformer);
}

static snugModelDef DescribeSkin(const sceneMesh* mesh, const sceneWeights* weights, snugBlending blending)
{
	Require(sceneMesh_IsValid(mesh), "no mesh");
	snugModelDef def = sceneMakeBlendDef(mesh, weights, (snugTreeDef){ 0 });
	def.skin.blending = blending;
	return def;
}

// ---- What is counted -------------------------------------------------------------------------------------------

static snugStatus SetPose(const Actor* actor)
{
	const Pose* pose = &actor->pose;
	snugStatus status = snugBody_SetFrame(actor->body, &pose->place);
	if (status == snug_success && pose->vertices != NULL)
	{
		status = snugBody_SetVertices(actor->body, pose->vertices, 0, 0, pose->count);
	}
	if (status == snug_success && pose->matrices != NULL)
	{
		status = snugBody_SetJoints(actor->body, pose->matrices, 0, pose->count);
	}
	if (status == snug_success && pose->amplitudes != NULL)
	{
		status = snugBody_SetAmplitudes(actor->body, pose->amplitudes, pose->count);
	}
	return status;
}

static snugResult PlainFrame(const Actor actors[2], const snugQuery* query)
{
	for (int k = 0; k < 2; ++k)
	{
		snugStatus status = SetPose(actors + k);
		if (status != snug_success)
		{
			return (snugResult){ .status = status };
		}
	}
	return snugCollide(actors[0].body, actors[1].body, query);
}

// The name is what tools/count-instructions tells callgrind.
__attribute__((noinline)) static snugResult CountedFrame(const Actor actors[2], const snugQuery* query)
{
	return PlainFrame(actors, query);
}

static void RunFrames(const char* name, Actor actors[2], PoseFcn* pose, void* scene)
{
	snugPair* pairs = Allocate(CAPACITY * sizeof(snugPair));
	snugQuery query = { .pairs = pairs, .capacity = CAPACITY };
	uint64_t count = 0, hash = SCENE_HASH_START;
	for (int i = 0; i < UNCOUNTED_FRAMES + COUNTED_FRAMES; ++i)
	{
		bool isCounted = i >= UNCOUNTED_FRAMES;
		pose(scene, FIRST_FRAME + i, actors);
		snugResult result = isCounted ? CountedFrame(actors, &query) : PlainFrame(actors, &query);
		Require(result.status == snug_success && result.count > 0 && result.count <= CAPACITY, "no pairs");
		if (isCounted)
		{
			count += result.count;
			hash = sceneHash_Pairs(hash, pairs, result.count);
		}
	}
	printf("%s %" PRIu64 " %016" PRIx64 "\n", name, count, hash);
	free(pairs);
}

// ---- Blobs: rigid, free, fields --------------------------------------------------------------------------------

static void PoseRigid(void* scene, int frame, Actor actors[2])
{
	snugFrame places[2];
	sceneEncounter_Place(scene, frame, places);
	actors[0].pose.place = places[0];
	actors[1].pose.place = places[1];
}

static void PoseFree(void* scene, int frame, Actor actors[2])
{
	sceneEncounter* encounter = scene;
	sceneEncounter_Deform(encounter, frame);
	for (int k = 0; k < 2; ++k)
	{
		memcpy(actors[k].pose.vertices, encounter->positions[k], 3 * sizeof(float) * actors[k].pose.count);
	}
}

static void RunEncounter(const char* name, snugDeformer deformer)
{
	sceneEncounter encounter;
	Require(sceneEncounter_Create(&encounter, FREQUENCY, scene_light, FRAMES), "out of memory");
	sceneEncounter_Rest(&encounter);
	Actor actors[2];
	for (int k = 0; k < 2; ++k)
	{
		snugModelDef def = DescribeMesh(&encounter.blobs[k].sphere, deformer);
		def.positions = encounter.positions[k];
		actors[k] = MakeActor(&def);
		if (deformer == snug_free)
		{
			actors[k].pose.count = def.vertexCount;
			actors[k].pose.vertices = Allocate(3 * sizeof(float) * def.vertexCount);
		}
	}
	RunFrames(name, actors, deformer == snug_free ? PoseFree : PoseRigid, &encounter);
	FreeActors(actors);
	sceneEncounter_Free(&encounter);
}

static void RunRigid(const char* name)
{
	RunEncounter(name, snug_rigid);
}

static void RunFree(const char* name)
{
	RunEncounter(name, snug_free);
}

// A sphere whose radius is raised and lowered by plane waves, each a field.
static Actor MakeRippled(const sceneMesh* sphere, uint64_t seed)
{
	size_t floats = 3 * (size_t)sphere->vertexCount;
	float* displacements = Allocate(FIELDS * floats * sizeof(float));
	for (int f = 0; f < FIELDS; ++f)
	{
		sceneWaves waves = sceneMakeWaves(seed + (uint64_t)(f / SCENE_WAVES), 1.0 + f / SCENE_WAVES);
		for (uint32_t v = 0; v < sphere->vertexCount; ++v)
		{
			const float* p = sphere->positions + 3 * (size_t)v;
			double height = SCENE_WAVE_HEIGHT * sceneWaves_Evaluate(&waves, f % SCENE_WAVES, p);
			for (int axis = 0; axis < 3; ++axis)
			{
				displacements[(size_t)f * floats + 3 * (size_t)v + (size_t)axis] = (float)(height * (double)p[axis]);
			}
		}
	}
	snugModelDef def = DescribeMesh(sphere, snug_fields);
	def.fields = (snugFieldsDef){ .fieldCount = FIELDS, .displacements = displacements };
	Actor actor = MakeActor(&def);
	actor.pose.count = FIELDS;
	actor.pose.amplitudes = Allocate(FIELDS * sizeof(float));
	free(displacements);
	return actor;
}

static void PoseFields(void* scene, int frame, Actor actors[2])
{
	(void)scene;
	for (int k = 0; k < 2; ++k)
	{
		for (int f = 0; f < FIELDS; ++f)
		{
			// A triangle wave in -1 to 1, of another period for every field.
			int period = 24 + 4 * f, step = (frame + 7 * f + 11 * k) % period;
			float along = (float)(2 * step - period) / (float)period;
			actors[k].pose.amplitudes[f] = 2.0f * (along < 0.0f ? -along : along) - 1.0f;
		}
	}
	const double place[3] = { 1.9, 0.05, 0.03 }, axis[3] = { -2.0, 1.0, 3.0 };
	actors[1].pose.place = sceneMakeFrame(place, axis, 1.1 - 0.03 * frame);
}

static void RunFields(const char* name)
{
	sceneMesh sphere = sceneMakeSphere(FREQUENCY);
	Actor actors[2] = { MakeRippled(&sphere, 1), MakeRippled(&sphere, 11) };
	RunFrames(name, actors, PoseFields, NULL);
	FreeActors(actors);
	sceneMesh_Free(&sphere);
}

// ---- Meshless bodies: a linear skin with many joints per vertex -------------------------------------------------

typedef struct Brains
{
	sceneMeshless meshless[2];
	snugBody* scouts[2]; // say where vertices are, and are not queried
	float* world;
	bool isHeavy;
} Brains;

// How far a body reaches to one side in x: that vertex.
static void FindTip(Brains* brains, const Actor* actor, int k, float tip[3])
{
	uint32_t count = brains->meshless[k].mesh.vertexCount, found = 0;
	snugBody* scout = brains->scouts[k];
	bool posed = snugBody_SetJoints(scout, actor->pose.matrices, 0, actor->pose.count) == snug_success;
	Require(posed && snugBody_GetVertices(scout, NULL, brains->world, 0) == snug_success, "no vertices");
	for (uint32_t v = 1; v < count; ++v)
	{
		float x = brains->world[3 * (size_t)v], best = brains->world[3 * (size_t)found];
		found = (k == 0 ? x > best : x < best) ? v : found;
	}
	memcpy(tip, brains->world + 3 * (size_t)found, 3 * sizeof(float));
}

static void PoseBrains(void* scene, int frame, Actor actors[2])
{
	Brains* brains = scene;
	double u = 2.0 * frame / (FRAMES - 1) - 1.0, t = 1.0 - 0.5 * u * u, nearness = 1.0 - u * u;
	const sceneBending bendings[2] = { { t, 0.8 * t, 0.6 * t }, { 0.6 * t, t, 0.9 * t } };
	float tips[2][3];
	for (int k = 0; k < 2; ++k)
	{
		snugMeshlessNode* nodes = Allocate(actors[k].pose.count * sizeof(snugMeshlessNode));
		sceneMeshless_PoseNodes(&brains->meshless[k], bendings + k, nodes);
		sceneMakeMatrices(nodes, actors[k].pose.count, actors[k].pose.matrices);
		free(nodes);
		FindTip(brains, actors + k, k, tips[k]);
	}
	double* place = actors[1].pose.place.position;
	const double inside[3] = { 0.22 - 0.08 * nearness, 0.05, -0.04 };
	for (int axis = 0; axis < 3; ++axis)
	{
		place[axis] = brains->isHeavy ? inside[axis] : (double)tips[0][axis] - (double)tips[1][axis];
	}
	place[0] -= brains->isHeavy ? 0.0 : 0.04 + 0.11 * nearness;
}

static void RunBrains(const char* name, bool isHeavy)
{
	Brains brains = { .isHeavy = isHeavy };
	Actor actors[2];
	for (int k = 0; k < 2; ++k)
	{
		sceneMesh mesh = sceneMakeBrain(FREQUENCY, (uint64_t)k + 1);
		Require(sceneMeshless_Create(&brains.meshless[k], mesh, NODES, 20.0), "out of memory");
		const sceneWeights* weights = &brains.meshless[k].weights;
		snugModelDef def = DescribeSkin(&brains.meshless[k].mesh, weights, snug_blendLinear);
		actors[k] = MakeActor(&def);
		actors[k].pose.count = weights->transformCount;
		actors[k].pose.matrices = Allocate(12 * sizeof(float) * weights->transformCount);
		snugBodyDef scoutDef = { .model = actors[k].model };
		Require(snugBody_Create(&scoutDef, &brains.scouts[k]) == snug_success, "no body");
	}
	brains.world = Allocate(3 * sizeof(float) * brains.meshless[0].mesh.vertexCount);
	RunFrames(name, actors, PoseBrains, &brains);
	for (int k = 0; k < 2; ++k)
	{
		snugBody_Destroy(brains.scouts[k]);
		sceneMeshless_Free(&brains.meshless[k]);
	}
	FreeActors(actors);
	free(brains.world);
}

static void RunLight(const char* name)
{
	RunBrains(name, false);
}

static void RunHeavy(const char* name)
{
	RunBrains(name, true);
}

// ---- Creatures: a skin whose joints turn -------------------------------------------------------------------------

static void PoseCreatures(void* scene, int frame, Actor actors[2])
{
	for (int k = 0; k < 2; ++k)
	{
		sceneCharacter_Meet(scene, k, frame, FRAMES, actors[k].pose.matrices, &actors[k].pose.place);
	}
}

static void RunSpherical(const char* name)
{
	sceneCharacter creature;
	Require(sceneCharacter_Create(&creature, scene_creature), "out of memory");
	snugModelDef def = DescribeSkin(&creature.mesh, &creature.weights, snug_blendSpherical);
	def.skin.jointPositions = creature.jointPositions;
	Actor actors[2];
	for (int k = 0; k < 2; ++k)
	{
		actors[k] = MakeActor(&def);
		actors[k].pose.count = creature.weights.transformCount;
		actors[k].pose.matrices = Allocate(12 * sizeof(float) * actors[k].pose.count);
	}
	RunFrames(name, actors, PoseCreatures, &creature);
	FreeActors(actors);
	sceneCharacter_Free(&creature);
}

static const struct Reference
{
	const char* name;
	void (*run)(const char* name);
} references[] = {
	{ "rigid", RunRigid },
	{ "free", RunFree },
	{ "skin-light", RunLight },
	{ "skin-heavy", RunHeavy },
	{ "spherical", RunSpherical },
	{ "fields", RunFields },
};

// Without a name the names are listed.
int main(int argc, char** argv)
{
	bool isKnown = argc == 1;
	for (size_t i = 0; i < sizeof(references) / sizeof(references[0]); ++i)
	{
		if (argc == 1)
		{
			printf("%s\n", references[i].name);
		}
		else if (strcmp(argv[1], references[i].name) == 0)
		{
			references[i].run(references[i].name);
			isKnown = true;
		}
	}
	Require(isKnown, "no such query; without a name the names are listed");
	return 0;
}
