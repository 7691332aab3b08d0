// test/fuzz/fuzz_scene.c: any sequence of calls of a scene. What it finds is what all pairs give, and events follow
// from it.
#include "test/fuzz/fuzz_input.h"

#include "snug/snug_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum
{
	ACTORS = 12,
	SHAPES = 3, // the last of the actors
	MODELS = 3,
	MOST_PAIRS = ACTORS * ACTORS,
};

typedef struct Actor
{
	snugBody* body; // null: it is a shape
	snugShape shape;
	uint32_t model, id;
	uint32_t groups, mask;
	bool isPresent, isStatic, meetsItself;
} Actor;

typedef struct Pairs
{
	uint64_t keys[MOST_PAIRS];
	uint64_t count;
} Pairs;

typedef struct Stage
{
	Input input;
	snugModel* models[MODELS];
	Actor actors[ACTORS];
	snugScene* scene;
	snugPool* pool; // shared by half of them, and too small
	double origin[3];
	Pairs last;
} Stage;

// In -1 to 1.
static double NextUnit(Input* input)
{
	return ((double)Next(input) - 127.5) / 127.5;
}

// A rigid strip, a free one, and one with two joints.
static snugModel* MakeModel(uint32_t number)
{
	static const snugDeformer deformers[MODELS] = { snug_rigid, snug_free, snug_skin };
	float positions[3 * 24], weights[24];
	uint16_t joints[24];
	uint32_t triangles[3 * 22];
	for (uint32_t i = 0; i < 24; ++i)
	{
		positions[3 * i] = (float)(i / 2) / 12.0f;
		positions[3 * i + 1] = (float)(i % 2) * 0.2f;
		positions[3 * i + 2] = (float)(i % 3) * 0.05f;
		weights[i] = 1.0f;
		joints[i] = i >= 12;
	}
	for (uint32_t i = 0; i < 22; ++i)
	{
		triangles[3 * i] = i;
		triangles[3 * i + 1] = i + 1;
		triangles[3 * i + 2] = i + 2;
	}
	snugModelDef def = { .positions = positions,
		.vertexCount = 24,
		.triangles = triangles,
		.triangleCount = 22,
		.deformer = deformers[number],
		.tree = { .leafTriangles = 2 } };
	if (number == 2)
	{
		def.skin = (snugSkinDef){ .jointCount = 2, .influencesPerVertex = 1, .joints = joints, .weights = weights };
	}
	snugModel* model = NULL;
	Require(snugModel_Create(&def, &model) == snug_success);
	return model;
}

// At times one that is not valid.
static void SetShape(Stage* stage, Actor* actor)
{
	Input* input = &stage->input;
	snugShape shape = { .kind = (snugShapeKind)(Next(input) % 5), .radius = (float)NextUnit(input) + 0.9f };
	for (int k = 0; k < 3; ++k)
	{
		shape.from[k] = (float)(1.5 * NextUnit(input));
		shape.to[k] = (float)(1.5 * NextUnit(input));
		shape.plane.normal[k] = (double)Next(input) - 100.0;
	}
	shape.plane.offset = 100.0 * NextUnit(input);
	shape.from[0] *= Next(input) == 255 ? 1e36f : 1.0f;
	const snugShapeQuery query = { .any = true };
	const bool isValid = snugCollideShape(stage->actors[0].body, &shape, &query).status != snug_badInput;
	if (actor->isPresent)
	{
		Require((snugScene_SetShape(stage->scene, actor->id, &shape) == snug_success) == isValid);
	}
	actor->shape = isValid ? shape : actor->shape;
}

static void Pose(Stage* stage, Actor* actor)
{
	Input* input = &stage->input;
	if (actor->body == NULL)
	{
		SetShape(stage, actor);
		return;
	}
	if (actor->model == 1)
	{
		float position[3] = { (float)NextUnit(input), (float)NextUnit(input), (float)NextUnit(input) };
		Require(snugBody_SetVertices(actor->body, position, 0, Next(input) % 24, 1) == snug_success);
	}
	if (actor->model == 2)
	{
		float matrices[24] = { 0 };
		for (int j = 0; j < 2; ++j)
		{
			double angle = 3.0 * NextUnit(input);
			float* m = matrices + 12 * j;
			m[0] = m[5] = (float)cos(angle);
			m[4] = (float)sin(angle);
			m[1] = -m[4];
			m[10] = 1.0f;
			m[3] = (float)NextUnit(input);
		}
		Require(snugBody_SetJoints(actor->body, matrices, 0, 2) == snug_success);
	}
}

static void Place(Stage* stage, Actor* actor)
{
	Input* input = &stage->input;
	if (actor->body == NULL)
	{
		SetShape(stage, actor);
		return;
	}
	double far = Next(input) == 255 ? 1e300 : 1.5, angle = NextUnit(input);
	snugFrame frame = { .position = { far * NextUnit(input), NextUnit(input), NextUnit(input) },
		.rotation = { 0.0, sin(angle), 0.0, cos(angle) } };
	Require(snugBody_SetFrame(actor->body, &frame) == snug_success);
}

static void AddOrRemove(Stage* stage, Actor* actor)
{
	if (actor->isPresent)
	{
		Require(snugScene_Remove(stage->scene, actor->id) == snug_success);
		actor->isPresent = false;
		return;
	}
	const uint32_t how = Next(&stage->input);
	snugSceneBodyDef def = { .body = actor->body,
		.isStatic = how % 3 == 0,
		.meetsItself = how >= 128 && actor->body != NULL,
		.shape = actor->body == NULL ? &actor->shape : NULL,
		.groups = Next(&stage->input) % 4,
		.mask = Next(&stage->input) % 4 };
	snugStatus status = snugScene_Add(stage->scene, &def, &actor->id);
	Require(status == snug_success || status == snug_outOfRange);
	actor->isPresent = status == snug_success;
	actor->isStatic = def.isStatic;
	actor->meetsItself = def.meetsItself;
	actor->groups = def.groups != 0 ? def.groups : 1;
	actor->mask = def.mask != 0 ? def.mask : UINT32_MAX;
}

static void SetMask(Stage* stage, Actor* actor)
{
	uint32_t groups = Next(&stage->input) % 4, mask = Next(&stage->input) % 4;
	// An id that was given back may be another's by now.
	uint32_t id = actor->isPresent ? actor->id : UINT32_MAX;
	bool isSet = snugScene_SetGroups(stage->scene, id, groups, mask) == snug_success;
	Require(isSet == actor->isPresent);
	if (actor->isPresent)
	{
		actor->groups = groups != 0 ? groups : 1;
		actor->mask = mask != 0 ? mask : UINT32_MAX;
	}
}

static int Compare(const void* a, const void* b)
{
	uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
	return x < y ? -1 : x > y;
}

static bool MayMeet(const Actor* a, const Actor* b)
{
	return a->isPresent && b->isPresent && a->id < b->id && !(a->isStatic && b->isStatic) &&
	       (a->body != NULL || b->body != NULL) && (a->groups & b->mask) != 0 && (b->groups & a->mask) != 0;
}

static bool Touch(const Stage* stage, const Actor* a, const Actor* b)
{
	const snugQuery query = { .origin = { stage->origin[0], stage->origin[1], stage->origin[2] } };
	if (a == b)
	{
		return a->isPresent && a->meetsItself && snugTouchesSelf(a->body, NULL).count > 0;
	}
	if (MayMeet(a, b) && (a->body == NULL || b->body == NULL))
	{
		const snugShapeQuery asked = { .origin = { stage->origin[0], stage->origin[1], stage->origin[2] } };
		const Actor *body = a->body != NULL ? a : b, *shape = a->body != NULL ? b : a;
		return snugCollideShape(body->body, &shape->shape, &asked).count > 0;
	}
	return MayMeet(a, b) && snugTouches(a->body, b->body, &query).count > 0;
}

static Pairs FindTruth(Stage* stage)
{
	Pairs truth = { .count = 0 };
	for (int i = 0; i < ACTORS; ++i)
	{
		for (int j = 0; j < ACTORS; ++j)
		{
			const Actor *a = stage->actors + i, *b = stage->actors + j;
			if (Touch(stage, a, b))
			{
				truth.keys[truth.count++] = (uint64_t)a->id << 32 | b->id;
			}
		}
	}
	qsort(truth.keys, truth.count, sizeof(uint64_t), Compare);
	return truth;
}

static bool Has(const Pairs* pairs, uint64_t key)
{
	return bsearch(&key, pairs->keys, pairs->count, sizeof(uint64_t), Compare) != NULL;
}

static void Check(Stage* stage, const Pairs* truth)
{
	uint64_t count, persisting = 0;
	const snugScenePair* pairs = snugScene_GetPairs(stage->scene, &count);
	Require(count == truth->count);
	for (uint64_t i = 0; i < count; ++i)
	{
		uint64_t key = (uint64_t)pairs[i].a << 32 | pairs[i].b;
		Require(key == truth->keys[i]);
		persisting += Has(&stage->last, key);
	}
	snugSceneEvents events = snugScene_GetEvents(stage->scene);
	Require(events.persistingCount == persisting && events.begunCount == count - persisting);
	Require(events.endedCount == stage->last.count - persisting);
}

static void Update(Stage* stage)
{
	snugSceneQuery query = { .trianglePairs = Next(&stage->input) % 2 != 0 };
	snugSceneResult result = snugScene_Update(stage->scene, &query);
	for (int i = 0; i < 4 && result.status == snug_outOfRange && result.body == UINT32_MAX; ++i)
	{
		Require(snugScene_Reserve(stage->scene, &result.needed) == snug_success);
		result = snugScene_Update(stage->scene, &query);
	}
	if (result.body != UINT32_MAX)
	{
		Require(result.status == snug_outOfRange);
		return; // too far: nothing changes
	}
	Require(result.status == snug_success);
	Pairs truth = FindTruth(stage);
	Check(stage, &truth);
	stage->last = truth;
}

// As many as there is room for, and no more than what every two bodies say.
static void FindWithin(Stage* stage)
{
	snugSceneNear found[MOST_PAIRS];
	snugSceneNearQuery query = {
		.margin = 0.01 * Next(&stage->input), .pairs = found, .capacity = Next(&stage->input) % MOST_PAIRS
	};
	snugSceneResult result = snugScene_FindNear(stage->scene, &query);
	if (result.status == snug_outOfRange && result.body == SNUG_NONE)
	{
		Require(snugScene_Reserve(stage->scene, &result.needed) == snug_success);
		result = snugScene_FindNear(stage->scene, &query);
	}
	if (result.body != SNUG_NONE)
	{
		Require(result.status == snug_outOfRange);
		return;
	}
	Require(result.status == snug_success);
	uint64_t count = 0;
	for (int i = 0; i < ACTORS * ACTORS; ++i)
	{
		const Actor *a = stage->actors + i / ACTORS, *b = stage->actors + i % ACTORS;
		snugDistanceQuery one = { .origin = { stage->origin[0], stage->origin[1], stage->origin[2] } };
		const bool areTwo = MayMeet(a, b) && a->body != NULL && b->body != NULL;
		const double distance = areTwo ? snugFindDistance(a->body, b->body, &one).distance : INFINITY;
		count += distance <= query.margin;
		for (uint64_t k = 0; k < result.count && k < query.capacity; ++k)
		{
			bool isSame = a->isPresent && b->isPresent && found[k].a == a->id && found[k].b == b->id;
			Require(!isSame || found[k].distance == distance);
		}
	}
	Require(count == result.count);
}

// From where bodies are to where others of their models are that are not there: the first of what every two say.
static void SweepAllBodies(Stage* stage)
{
	snugBody* ends[4 * ACTORS] = { NULL };
	snugSceneSweep found;
	for (int i = 0; i < ACTORS; ++i)
	{
		const Actor *actor = stage->actors + i, *other = stage->actors + (i + MODELS) % ACTORS;
		if (actor->isPresent && actor->id < 4 * ACTORS && !other->isPresent && other->model == actor->model)
		{
			ends[actor->id] = other->body;
		}
	}
	const uint32_t how = Next(&stage->input);
	const snugSweepQuery query = { .newOnly = how % 2 == 0,
		.margin = how % 3 == 0 ? 0.002 * how : 0.0,
		.path = how % 5 == 0 ? snug_pathTurning : snug_pathStraight };
	snugSceneResult result = snugScene_Sweep(stage->scene, ends, 4 * ACTORS, &query, &found);
	if (result.status == snug_outOfRange && result.body == SNUG_NONE)
	{
		Require(snugScene_Reserve(stage->scene, &result.needed) == snug_success);
		result = snugScene_Sweep(stage->scene, ends, 4 * ACTORS, &query, &found);
	}
	double time = 1.0;
	for (int i = 0; i < ACTORS * ACTORS && result.status == snug_success; ++i)
	{
		const Actor *a = stage->actors + i / ACTORS, *b = stage->actors + i % ACTORS;
		if (MayMeet(a, b) && a->body != NULL && b->body != NULL)
		{
			snugSweepQuery one = query;
			memcpy(one.origin, stage->origin, sizeof(one.origin));
			const double own = snugSweep(a->body, ends[a->id], b->body, ends[b->id], &one).time;
			time = own < time ? own : time;
		}
	}
	Require(result.status != snug_success || found.sweep.time == time);
	Require(result.status == snug_success || result.body != SNUG_NONE);
}

static void Step(Stage* stage)
{
	Input* input = &stage->input;
	uint32_t what = Next(input);
	Actor* actor = stage->actors + what / 8 % ACTORS;
	switch (what % 8)
	{
		case 0:
		case 1:
			AddOrRemove(stage, actor);
			break;
		case 2:
			SetMask(stage, actor);
			break;
		case 3:
			Pose(stage, actor);
			break;
		case 4:
			stage->origin[0] = 2.0 * NextUnit(input);
			Require(snugScene_SetOrigin(stage->scene, stage->origin) == snug_success);
			break;
		case 5:
			Place(stage, actor);
			break;
		case 6:
			(what / 64 % 2 == 0 ? FindWithin : SweepAllBodies)(stage);
			break;
		default:
			Update(stage);
			break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	Stage stage = { .input = { data, size < 4096 ? size : 4096, 0 } };
	snugSceneDef def = { .room = { .bodies = ACTORS - 2, .candidates = 2, .pairs = 1, .trianglePairs = 3 } };
	Require(snugScene_Create(&def, &stage.scene) == snug_success);
	for (uint32_t i = 0; i < MODELS; ++i)
	{
		stage.models[i] = MakeModel(i);
	}
	Require(snugPool_Create(&(snugPoolDef){ .bytes = 5 * 4096 }, &stage.pool) == snug_success);
	for (uint32_t i = 0; i < ACTORS; ++i)
	{
		stage.actors[i] = (Actor){ .model = i % MODELS, .id = UINT32_MAX, .shape.radius = 0.5f };
		if (i >= ACTORS - SHAPES)
		{
			continue;
		}
		snugBodyDef body = { .model = stage.models[i % MODELS], .pool = i / MODELS % 2 == 0 ? stage.pool : NULL };
		Require(snugBody_Create(&body, &stage.actors[i].body) == snug_success);
	}
	while (stage.input.at < stage.input.size)
	{
		Step(&stage);
	}
	snugScene_Destroy(stage.scene);
	for (int i = 0; i < ACTORS; ++i)
	{
		snugBody_Destroy(stage.actors[i].body);
	}
	snugPool_Destroy(stage.pool);
	for (int i = 0; i < MODELS; ++i)
	{
		snugModel_Destroy(stage.models[i]);
	}
	return 0;
}
