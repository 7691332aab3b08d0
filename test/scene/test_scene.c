// test/scene/test_scene.c: scenes against all pairs. Every actor has a twin, which is posed alike and never in a scene;
// truth is snugCollide for every two twins, and events are found by looking up every pair in the list of last time.
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "examples/thread_pool.h"
#include "lab/scenes/character.h"
#include "linear_support.h"
#include "snug/snug_queries.h"
#include "snug/snug_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
	KINDS = 8,
	MOST_ACTORS = 40,
	JOINTS = 4,
};

// --- Actors ---------------------------------------------------------------------------------------------------------

// A model and how it is posed.
typedef struct Kind
{
	sceneMesh mesh;
	Mover deformer;
	Skin skin;
	float* fields;
	snugModel* model;
} Kind;

static Mover DeformerOf(int number)
{
	static const Mover deformers[] = { snug_rigid, snug_skin, snug_free, snug_fields, snug_skin, mover_spherical,
		mover_dualQuaternion, snug_rigid };
	return deformers[number % (int)LENGTH_OF(deformers)];
}

static Kind MakeKind(sceneRandom* random, int number)
{
	MeshKind mesh = (MeshKind)sceneRandom_Index(random, MESH_KINDS);
	Kind kind = { .mesh = RandomMesh(random, mesh), .deformer = DeformerOf(number) };
	snugModelDef def = MeshDef(&kind.mesh, kind.deformer, RandomTreeDef(random));
	if (Mover_IsSkin(kind.deformer))
	{
		kind.skin = RandomSkin(random, &kind.mesh);
		def.skin = Skin_Def(&kind.skin);
		def.skin.blending = Mover_Blending(kind.deformer);
	}
	if (kind.deformer == snug_fields)
	{
		size_t count = 6 * (size_t)kind.mesh.vertexCount;
		kind.fields = malloc((count + 1) * sizeof(float));
		for (size_t i = 0; i < count; ++i)
		{
			kind.fields[i] = (float)(0.3 * sceneRandom_Range(random, -1.0, 1.0));
		}
		def.fields = (snugFieldsDef){ .fieldCount = 2, .displacements = kind.fields };
	}
	assert_int_equal(snugModel_Create(&def, &kind.model), snug_success);
	return kind;
}

static void FreeKind(Kind* kind)
{
	snugModel_Destroy(kind->model);
	sceneMesh_Free(&kind->mesh);
	Skin_Free(&kind->skin);
	free(kind->fields);
}

typedef struct Actor
{
	Kind* kind;
	snugBody *body, *twin;
	snugShape shape;
	bool isShape, isStatic, isPresent, meetsItself;
	uint32_t groups, mask; // as they are used
	uint32_t id;
} Actor;

// A turn and a small step.
static void RandomMatrix(sceneRandom* random, float m[12])
{
	double q[4];
	RandomRotation(random, q);
	double amount = sceneRandom_Index(random, 2) == 0 ? 0.1 : 1.0, length = 0.0;
	q[3] = amount < 1.0 ? 1.0 : q[3];
	for (int i = 0; i < 4; ++i)
	{
		q[i] *= i < 3 ? amount : 1.0;
		length += q[i] * q[i];
	}
	sceneMesh one = sceneMakeTetrahedron(); // origin and unit vectors: their images are the columns
	double scale = 1.0 / sqrt(length);
	snugFrame frame = { .position = { sceneRandom_Range(random, -0.3, 0.3), 0.1, 0.0 } };
	for (int i = 0; i < 4; ++i)
	{
		frame.rotation[i] = q[i] * scale;
	}
	sceneMesh_Transform(&one, &frame, 1.0);
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			m[4 * i + k] = one.positions[3 * (k + 1) + i] - one.positions[i];
		}
		m[4 * i + 3] = one.positions[i];
	}
	sceneMesh_Free(&one);
}

static void PoseBoth(const Actor* actor, sceneRandom* random)
{
	const Kind* kind = actor->kind;
	snugBody* bodies[2] = { actor->body, actor->twin };
	uint64_t seed = sceneRandom_Next(random);
	for (int which = 0; which < 2; ++which)
	{
		sceneRandom own = { seed };
		snugStatus status = snug_success;
		if (kind->deformer == snug_free)
		{
			uint32_t first = sceneRandom_Index(&own, 2) == 0 ? 0 : kind->mesh.vertexCount / 2;
			uint32_t count = kind->mesh.vertexCount - first;
			float* positions = malloc((3 * (size_t)count + 1) * sizeof(float));
			for (size_t i = 0; i < 3 * (size_t)count; ++i)
			{
				positions[i] = kind->mesh.positions[3 * (size_t)first + i] + (float)sceneRandom_Range(&own, -0.1, 0.1);
			}
			status = snugBody_SetVertices(bodies[which], positions, 0, first, count);
			free(positions);
		}
		else if (kind->deformer == snug_fields)
		{
			float amplitudes[2] = { (float)sceneRandom_Range(&own, -1, 1), (float)sceneRandom_Range(&own, -1, 1) };
			status = snugBody_SetAmplitudes(bodies[which], amplitudes, 2);
		}
		else if (kind->deformer != snug_rigid)
		{
			float* matrices = malloc(12 * sizeof(float) * kind->skin.transformCount);
			for (uint32_t j = 0; j < kind->skin.transformCount; ++j)
			{
				RandomMatrix(&own, matrices + 12 * (size_t)j);
			}
			status = snugBody_SetJoints(bodies[which], matrices, 0, kind->skin.transformCount);
			free(matrices);
		}
		assert_int_equal(status, snug_success);
	}
}

static void PlaceBoth(const Actor* actor, sceneRandom* random, const double middle[3], double size)
{
	snugFrame frame = { .rotation = { 0 } };
	if (sceneRandom_Index(random, 4) != 0)
	{
		RandomRotation(random, frame.rotation);
	}
	for (int axis = 0; axis < 3; ++axis)
	{
		frame.position[axis] = middle[axis] + size * sceneRandom_Range(random, -1.0, 1.0);
	}
	assert_int_equal(snugBody_SetFrame(actor->body, &frame), snug_success);
	assert_int_equal(snugBody_SetFrame(actor->twin, &frame), snug_success);
}

// Of any kind, relative to the scene's origin; at times with numbers that shapes of its kind do not look at.
static snugShape RandomShape(sceneRandom* random, const double middle[3], const double origin[3], double size)
{
	snugShape shape = { .kind = (snugShapeKind)sceneRandom_Index(random, 4) };
	shape.radius = (float)(sceneRandom_Index(random, 5) == 0 ? 0.0 : sceneRandom_Range(random, 0.0, 1.0));
	for (int k = 0; k < 3; ++k)
	{
		const double at = middle[k] - origin[k];
		shape.from[k] = (float)(at + size * sceneRandom_Range(random, -1.0, 1.0));
		shape.to[k] = (float)(at + size * sceneRandom_Range(random, -1.0, 1.0));
		shape.plane.normal[k] = sceneRandom_Range(random, -1.0, 1.0);
		shape.plane.offset -= shape.plane.normal[k] * shape.from[k];
	}
	return shape;
}

// --- Truth ----------------------------------------------------------------------------------------------------------

typedef struct Touch
{
	uint32_t a, b;
	PairList triangles;
} Touch;

typedef struct Touches
{
	Touch* touches;
	uint64_t count;
} Touches;

static void Touches_Free(Touches* touches)
{
	for (uint64_t i = 0; i < touches->count; ++i)
	{
		PairList_Free(&touches->touches[i].triangles);
	}
	free(touches->touches);
	*touches = (Touches){ 0 };
}

static bool Touches_Has(const Touches* touches, uint32_t a, uint32_t b)
{
	for (uint64_t i = 0; i < touches->count; ++i)
	{
		if (touches->touches[i].a == a && touches->touches[i].b == b)
		{
			return true;
		}
	}
	return false;
}

static bool Agrees(void* user, uint32_t a, uint32_t b)
{
	uint64_t seed = *(const uint64_t*)user;
	return seed % 3 != 0 || (a * 7 + b * 13 + seed) % 4 != 0;
}

static bool MayMeet(const Actor* a, const Actor* b, uint64_t seed)
{
	bool masksAgree = (a->groups & b->mask) != 0 && (b->groups & a->mask) != 0;
	return masksAgree && !(a->isShape && b->isShape) && !(a->isStatic && b->isStatic) && Agrees(&seed, a->id, b->id);
}

static int CompareIds(const void* a, const void* b)
{
	uint32_t x = (*(const Actor*const*)a)->id, y = (*(const Actor*const*)b)->id;
	return x < y ? -1 : x > y;
}

// By snugCollideSelf, which test_self.c compares with all pairs.
static PairList CollideSelf(snugBody* body)
{
	PairList list = { NULL, snugCollideSelf(body, NULL).count };
	list.pairs = malloc((list.count + 1) * sizeof(snugPair));
	snugCollideSelf(body, &(snugQuery){ .pairs = list.pairs, .capacity = list.count });
	return list;
}

// By snugCollideShape, which test_shapes.c compares with all triangles.
static PairList MeetShape(const Actor* a, const Actor* b, const double origin[3])
{
	const Actor *body = a->isShape ? b : a, *shape = a->isShape ? a : b;
	snugShapeQuery query = { .origin = { origin[0], origin[1], origin[2] } };
	query.capacity = snugCollideShape(body->twin, &shape->shape, &query).count;
	snugShapeContact* contacts = query.contacts = malloc((query.capacity + 1) * sizeof(snugShapeContact));
	PairList list = { malloc((query.capacity + 1) * sizeof(snugPair)), query.capacity };
	snugCollideShape(body->twin, &shape->shape, &query);
	for (uint64_t i = 0; i < list.count; ++i)
	{
		const uint32_t t = contacts[i].triangle;
		list.pairs[i] = body == a ? (snugPair){ t, SNUG_NONE } : (snugPair){ SNUG_NONE, t };
	}
	free(contacts);
	return list;
}

static PairList CollideEither(const Actor* a, const Actor* b, const double origin[3])
{
	const bool areBodies = !a->isShape && !b->isShape;
	return a == b ? CollideSelf(a->twin) : areBodies ? CollideAll(a->twin, b->twin, origin) : MeetShape(a, b, origin);
}

static Touches FindTruth(const Actor* actors, uint32_t count, uint64_t seed, const double origin[3])
{
	const Actor* sorted[MOST_ACTORS];
	uint32_t present = 0;
	for (uint32_t i = 0; i < count; ++i)
	{
		if (actors[i].isPresent)
		{
			sorted[present++] = actors + i;
		}
	}
	qsort(sorted, present, sizeof(sorted[0]), CompareIds);
	Touches truth = { .touches = malloc((present * present + 1) * sizeof(Touch)) };
	for (uint32_t i = 0; i < present; ++i)
	{
		for (uint32_t j = i; j < present; ++j)
		{
			if (i == j ? sorted[i]->meetsItself : MayMeet(sorted[i], sorted[j], seed))
			{
				PairList triangles = CollideEither(sorted[i], sorted[j], origin);
				if (triangles.count > 0)
				{
					truth.touches[truth.count++] = (Touch){ sorted[i]->id, sorted[j]->id, triangles };
				}
				else
				{
					PairList_Free(&triangles);
				}
			}
		}
	}
	return truth;
}

// --- Comparison -----------------------------------------------------------------------------------------------------

static void CheckEvents(const snugScene* scene, const Touches* before, const Touches* now, uint64_t seed)
{
	snugSceneEvents events = snugScene_GetEvents(scene);
	uint64_t begun = 0, persisting = 0, ended = 0;
	for (uint64_t i = 0; i < now->count; ++i)
	{
		bool isOld = Touches_Has(before, now->touches[i].a, now->touches[i].b);
		const snugPair* event = isOld ? events.persisting + persisting : events.begun + begun;
		bool isThere = isOld ? persisting++ < events.persistingCount : begun++ < events.begunCount;
		if (!isThere || event->a != now->touches[i].a || event->b != now->touches[i].b)
		{
			fail_msg("seed %llu: %u %u are not told to %s", (unsigned long long)seed, now->touches[i].a,
			    now->touches[i].b, isOld ? "persist" : "begin");
		}
	}
	for (uint64_t i = 0; i < before->count; ++i)
	{
		if (!Touches_Has(now, before->touches[i].a, before->touches[i].b))
		{
			assert_true(ended < events.endedCount);
			assert_int_equal(events.ended[ended].a, before->touches[i].a);
			assert_int_equal(events.ended[ended++].b, before->touches[i].b);
		}
	}
	assert_int_equal(events.begunCount, begun);
	assert_int_equal(events.persistingCount, persisting);
	assert_int_equal(events.endedCount, ended);
}

static void CheckPairsOf(const snugScene* scene, const Touches* truth, bool trianglePairs, uint64_t seed)
{
	uint64_t count, triangleCount, first = 0;
	const snugScenePair* pairs = snugScene_GetPairs(scene, &count);
	const snugPair* triangles = snugScene_GetTrianglePairs(scene, &triangleCount);
	for (uint64_t i = 0; i < truth->count && i < count; ++i)
	{
		const Touch* touch = truth->touches + i;
		if (pairs[i].a != touch->a || pairs[i].b != touch->b)
		{
			fail_msg("seed %llu: pair %llu is %u %u, not %u %u", (unsigned long long)seed, (unsigned long long)i,
			    pairs[i].a, pairs[i].b, touch->a, touch->b);
		}
		assert_int_equal(pairs[i].count, trianglePairs ? touch->triangles.count : 0);
		if (trianglePairs)
		{
			assert_int_equal(pairs[i].first, first);
			PairList found = { (snugPair*)(uintptr_t)(triangles + first), pairs[i].count };
			AssertSamePairs("scene", seed, &touch->triangles, &found);
		}
		first += pairs[i].count;
	}
	if (count != truth->count)
	{
		fail_msg("seed %llu: %llu pairs, not %llu", (unsigned long long)seed, (unsigned long long)count,
		    (unsigned long long)truth->count);
	}
	assert_int_equal(triangleCount, first);
}

// --- The driver -----------------------------------------------------------------------------------------------------

typedef struct Stage
{
	uint64_t seed;
	sceneRandom random;
	ThreadPool pool;
	int threads;
	Kind kinds[KINDS];
	Actor actors[MOST_ACTORS];
	uint32_t actorCount;
	snugPool* pages; // nullable
	snugScene* scene;
	double middle[3], size, origin[3];
	bool trianglePairs;
	Touches before;
	pthread_t thread; // that calls
	uint64_t lastAsked;
	uint64_t updates, touches, own, shaped, failures, kept; // what was seen
} Stage;

static bool Filter(void* user, uint32_t a, uint32_t b)
{
	Stage* stage = user;
	uint64_t key = (uint64_t)a << 32 | b;
	assert_true(pthread_equal(pthread_self(), stage->thread));
	assert_true(a < b && key >= stage->lastAsked);
	stage->lastAsked = key + 1;
	return Agrees(&stage->seed, a, b);
}

static void MakeActors(Stage* stage)
{
	sceneRandom* random = &stage->random;
	for (int i = 0; i < KINDS; ++i)
	{
		stage->kinds[i] = MakeKind(random, i);
	}
	stage->pages =
	    sceneRandom_Index(random, 2) == 0 ? MakePool(4096 * (size_t)(1 + sceneRandom_Index(random, 200))) : NULL;
	stage->actorCount = 2 + sceneRandom_Index(random, MOST_ACTORS - 1);
	for (uint32_t i = 0; i < stage->actorCount; ++i)
	{
		Actor* actor = stage->actors + i;
		if (i % 5 == 3)
		{
			actor->isShape = true;
			actor->shape = RandomShape(random, stage->middle, stage->origin, stage->size);
			continue;
		}
		actor->kind = stage->kinds + sceneRandom_Index(random, KINDS);
		actor->body = MakeBody(actor->kind->model, stage->pages);
		actor->twin = MakeBody(actor->kind->model, NULL);
		PlaceBoth(actor, random, stage->middle, stage->size);
	}
}

static void Stage_Make(Stage* stage, uint64_t seed)
{
	*stage = (Stage){ .seed = seed, .random = { seed }, .thread = pthread_self() };
	sceneRandom* random = &stage->random;
	static const double sizes[] = { 0.0, 0.5, 1.5, 3.0, 6.0 };
	stage->size = sizes[sceneRandom_Index(random, LENGTH_OF(sizes))];
	stage->threads = 1 + (int)(seed % 8);
	assert_int_equal(ThreadPool_Start(&stage->pool, stage->threads - 1), 0);
	for (int axis = 0; axis < 3; ++axis)
	{
		bool isFar = seed % 4 == 1;
		stage->middle[axis] = isFar ? 1e6 * sceneRandom_Range(random, -1.0, 1.0) : 0.0;
		stage->origin[axis] = isFar ? stage->middle[axis] + sceneRandom_Range(random, -1.0, 1.0) : 0.0;
	}
	MakeActors(stage);
	snugSceneDef def = {
		.room = { .bodies = MOST_ACTORS * 3, .candidates = 3, .pairs = 2, .trianglePairs = 5 },
		.origin = { stage->origin[0], stage->origin[1], stage->origin[2] },
		.workers.run = stage->threads > 1 || seed % 16 == 0 ? ThreadPool_Run : NULL,
		.workers.user = &stage->pool,
		.filter = seed % 3 == 0 ? Filter : NULL,
		.filterUser = stage,
	};
	assert_int_equal(snugScene_Create(&def, &stage->scene), snug_success);
}

static void Stage_Free(Stage* stage)
{
	snugScene_Destroy(stage->scene);
	for (uint32_t i = 0; i < stage->actorCount; ++i)
	{
		snugBody_Destroy(stage->actors[i].body);
		snugBody_Destroy(stage->actors[i].twin);
	}
	snugPool_Destroy(stage->pages);
	for (int i = 0; i < KINDS; ++i)
	{
		FreeKind(stage->kinds + i);
	}
	Touches_Free(&stage->before);
	ThreadPool_Stop(&stage->pool);
}

static uint32_t RandomBits(sceneRandom* random)
{
	return sceneRandom_Index(random, 3) == 0 ? 1u << sceneRandom_Index(random, 3) : 0;
}

static void AddOrRemove(Stage* stage, Actor* actor)
{
	sceneRandom* random = &stage->random;
	if (actor->isPresent)
	{
		assert_int_equal(snugScene_Remove(stage->scene, actor->id), snug_success);
		assert_null(snugScene_GetBody(stage->scene, actor->id));
		actor->isPresent = false;
		return;
	}
	snugSceneBodyDef def = { .body = actor->body,
		.isStatic = sceneRandom_Index(random, 4) == 0,
		.meetsItself = !actor->isShape && sceneRandom_Index(random, 3) == 0,
		.groups = RandomBits(random),
		.mask = RandomBits(random) | RandomBits(random),
		.user = actor,
		.shape = actor->isShape ? &actor->shape : NULL };
	assert_int_equal(snugScene_Add(stage->scene, &def, &actor->id), snug_success);
	assert_ptr_equal(snugScene_GetUser(stage->scene, actor->id), actor);
	assert_ptr_equal(snugScene_GetBody(stage->scene, actor->id), actor->body);
	actor->isStatic = def.isStatic;
	actor->meetsItself = def.meetsItself;
	actor->groups = def.groups != 0 ? def.groups : 1;
	actor->mask = def.mask != 0 ? def.mask : UINT32_MAX;
	actor->isPresent = true;
}

static void ChangeShape(Stage* stage, Actor* actor)
{
	actor->shape = RandomShape(&stage->random, stage->middle, stage->origin, stage->size);
	if (actor->isPresent)
	{
		assert_int_equal(snugScene_SetShape(stage->scene, actor->id, &actor->shape), snug_success);
	}
}

static void ChangeOne(Stage* stage, Actor* actor)
{
	sceneRandom* random = &stage->random;
	const uint32_t what = sceneRandom_Index(random, 8);
	if (what > 1 && actor->isShape)
	{
		ChangeShape(stage, actor);
		return;
	}
	switch (what)
	{
		case 0:
			AddOrRemove(stage, actor);
			break;
		case 1:
			if (actor->isPresent)
			{
				uint32_t groups = RandomBits(random), mask = RandomBits(random);
				assert_int_equal(snugScene_SetGroups(stage->scene, actor->id, groups, mask), snug_success);
				actor->groups = groups != 0 ? groups : 1;
				actor->mask = mask != 0 ? mask : UINT32_MAX;
			}
			break;
		case 2:
		case 3:
		case 4:
			PoseBoth(actor, random);
			break;
		default:
			PlaceBoth(actor, random, stage->middle, stage->size);
			break;
	}
}

static void Change(Stage* stage)
{
	sceneRandom* random = &stage->random;
	uint32_t how = sceneRandom_Index(random, 6);
	uint32_t changes = how == 0 ? 0 : how < 4 ? 1 + sceneRandom_Index(random, 4) : stage->actorCount;
	for (uint32_t i = 0; i < changes; ++i)
	{
		ChangeOne(stage, stage->actors + sceneRandom_Index(random, stage->actorCount));
	}
	if (sceneRandom_Index(random, 12) == 0)
	{
		stage->origin[sceneRandom_Index(random, 3)] += sceneRandom_Range(random, -1.0, 1.0);
		assert_int_equal(snugScene_SetOrigin(stage->scene, stage->origin), snug_success);
	}
	stage->trianglePairs = sceneRandom_Index(random, 10) == 0 ? !stage->trianglePairs : stage->trianglePairs;
}

// What is read stays as it is where an update fails, and whatever else is asked before.
static void UpdateUntilRoom(Stage* stage)
{
	snugSceneQuery query = { .trianglePairs = stage->trianglePairs };
	if (sceneRandom_Index(&stage->random, 3) == 0)
	{
		stage->lastAsked = 0;
		snugScene_FindNear(stage->scene, &(snugSceneNearQuery){ .margin = 0.1 * stage->size });
	}
	for (int i = 0; i < 4; ++i)
	{
		snugSceneEvents events = snugScene_GetEvents(stage->scene);
		uint64_t before, after;
		snugScene_GetPairs(stage->scene, &before);
		stage->lastAsked = 0;
		snugSceneResult result = snugScene_Update(stage->scene, &query);
		++stage->updates;
		stage->kept += result.kept;
		if (result.status == snug_success)
		{
			return;
		}
		++stage->failures;
		assert_int_equal(result.status, snug_outOfRange);
		assert_int_equal(result.body, UINT32_MAX);
		snugScene_GetPairs(stage->scene, &after);
		assert_int_equal(before, after);
		snugSceneEvents same = snugScene_GetEvents(stage->scene);
		assert_memory_equal(&events, &same, sizeof(events));
		assert_true(result.needed.candidates + result.needed.pairs + result.needed.trianglePairs > 0);
		assert_int_equal(snugScene_Reserve(stage->scene, &result.needed), snug_success);
	}
	fail_msg("seed %llu: room that was said to be enough is not", (unsigned long long)stage->seed);
}

static void RunStage(Stage* stage, int steps)
{
	for (int step = 0; step < steps; ++step)
	{
		Change(stage);
		UpdateUntilRoom(stage);
		Touches now = FindTruth(stage->actors, stage->actorCount, stage->seed, stage->origin);
		CheckPairsOf(stage->scene, &now, stage->trianglePairs, stage->seed);
		CheckEvents(stage->scene, &stage->before, &now, stage->seed);
		stage->touches += now.count;
		for (uint64_t i = 0; i < now.count; ++i)
		{
			stage->own += now.touches[i].a == now.touches[i].b;
			stage->shaped += now.touches[i].triangles.pairs[0].a == SNUG_NONE;
		}
		Touches_Free(&stage->before);
		stage->before = now;
	}
}

static void random_scenes_match_all_pairs(void** state)
{
	(void)state;
	uint64_t updates = 0, touches = 0, own = 0, shaped = 0, failures = 0, kept = 0;
	uint64_t first = TestSeed();
	for (uint64_t seed = first; seed < first + (uint64_t)TestCount(40); ++seed)
	{
		Stage stage;
		Stage_Make(&stage, seed);
		RunStage(&stage, 25);
		updates += stage.updates;
		touches += stage.touches;
		own += stage.own;
		shaped += stage.shaped;
		failures += stage.failures;
		kept += stage.kept;
		Stage_Free(&stage);
	}
	print_message("%llu updates, %llu of them without room; %llu touching pairs, %llu kept\n",
	    (unsigned long long)updates, (unsigned long long)failures, (unsigned long long)touches,
	    (unsigned long long)kept);
	assert_true(touches > updates && own > 0 && shaped > 0 && failures > 0 && kept > 0);
}

// --- Many ------------------------------------------------------------------------------------------------------------

// Bodies of one rigid model, in a scene.
typedef struct Heap
{
	sceneMesh mesh;
	snugModel* model;
	snugBody** bodies;
	snugBounds* bounds;
	uint32_t count;
	snugScene* scene;
} Heap;

static Heap MakeHeap(sceneMesh mesh, uint32_t count, const snugSceneDef* def)
{
	Heap heap = { .mesh = mesh, .count = count };
	heap.model = MakeModel(&heap.mesh, snug_rigid, (snugTreeDef){ 0 });
	heap.bodies = calloc(count, sizeof(snugBody*));
	heap.bounds = calloc(count, sizeof(snugBounds));
	assert_int_equal(snugScene_Create(def, &heap.scene), snug_success);
	for (uint32_t i = 0; i < count; ++i)
	{
		uint32_t id;
		heap.bodies[i] = MakeBody(heap.model, NULL);
		assert_int_equal(snugScene_Add(heap.scene, &(snugSceneBodyDef){ .body = heap.bodies[i] }, &id), snug_success);
		assert_int_equal(id, i);
	}
	return heap;
}

static void FreeHeap(Heap* heap)
{
	snugScene_Destroy(heap->scene);
	for (uint32_t i = 0; i < heap->count; ++i)
	{
		snugBody_Destroy(heap->bodies[i]);
	}
	snugModel_Destroy(heap->model);
	sceneMesh_Free(&heap->mesh);
	free(heap->bodies);
	free(heap->bounds);
}

static int CompareLower(const void* a, const void* b)
{
	const snugBounds *x = *(const snugBounds*const*)a, *y = *(const snugBounds*const*)b;
	return x->lower[0] < y->lower[0] ? -1 : x->lower[0] > y->lower[0];
}

// Touching pairs by a sweep of our own along x. Returns their number and a sum over them that no order changes.
static uint64_t SweepHeap(const Heap* heap, uint64_t* sum)
{
	const snugBounds** sorted = malloc(heap->count * sizeof(*sorted));
	uint64_t count = 0;
	for (uint32_t i = 0; i < heap->count; ++i)
	{
		assert_int_equal(snugBody_GetBounds(heap->bodies[i], NULL, heap->bounds + i), snug_success);
		sorted[i] = heap->bounds + i;
	}
	qsort(sorted, heap->count, sizeof(*sorted), CompareLower);
	*sum = 0;
	for (uint32_t i = 0; i < heap->count; ++i)
	{
		for (uint32_t j = i + 1; j < heap->count && sorted[j]->lower[0] <= sorted[i]->upper[0]; ++j)
		{
			const snugBounds *x = sorted[i], *y = sorted[j];
			bool isNear = x->lower[1] <= y->upper[1] && y->lower[1] <= x->upper[1] && x->lower[2] <= y->upper[2] &&
			              y->lower[2] <= x->upper[2];
			uint64_t a = (uint64_t)(x - heap->bounds), b = (uint64_t)(y - heap->bounds);
			if (isNear && snugTouches(heap->bodies[a], heap->bodies[b], NULL).count > 0)
			{
				++count;
				*sum += a < b ? a * 1000003u + b : b * 1000003u + a;
			}
		}
	}
	free(sorted);
	return count;
}

static void CheckHeap(const Heap* heap)
{
	uint64_t sum, found = 0, count, expected = SweepHeap(heap, &sum);
	const snugScenePair* pairs = snugScene_GetPairs(heap->scene, &count);
	for (uint64_t i = 0; i < count; ++i)
	{
		found += (uint64_t)pairs[i].a * 1000003u + pairs[i].b;
	}
	assert_int_equal(count, expected);
	assert_int_equal(found, sum);
	assert_true(count > 0);
}

static void UpdateHeap(Heap* heap)
{
	snugSceneResult result = snugScene_Update(heap->scene, NULL);
	for (int i = 0; i < 3 && result.status == snug_outOfRange; ++i)
	{
		assert_int_equal(snugScene_Reserve(heap->scene, &result.needed), snug_success);
		result = snugScene_Update(heap->scene, NULL);
	}
	assert_int_equal(result.status, snug_success);
}

// A sheet through everything, and ten thousand small things of which some touch it and each other.
static void one_huge_and_many_tiny(void** state)
{
	(void)state;
	ThreadPool pool;
	assert_int_equal(ThreadPool_Start(&pool, 3), 0);
	snugSceneDef def = { .room = { .bodies = 10001 }, .workers = { ThreadPool_Run, &pool } };
	Heap heap = MakeHeap(sceneMakeTetrahedron(), 10000, &def);
	sceneMesh sheet = sceneMakeCloth(60.0, 60.0, 40, 40);
	Thing huge = Thing_Make(sheet, snug_rigid, (snugTreeDef){ 0 }, NULL);
	uint32_t id;
	assert_int_equal(snugScene_Add(heap.scene, &(snugSceneBodyDef){ .body = huge.body }, &id), snug_success);
	sceneRandom random = { 5 };
	for (int frame = 0; frame < 3; ++frame)
	{
		uint64_t touching = 0, count;
		for (uint32_t i = 0; i < heap.count; ++i)
		{
			snugFrame at;
			RandomRotation(&random, at.rotation);
			for (int axis = 0; axis < 3; ++axis)
			{
				at.position[axis] = sceneRandom_Range(&random, -20.0, 20.0);
			}
			bool moves = frame == 0 || i % 10 == 0;
			assert_int_equal(moves ? snugBody_SetFrame(heap.bodies[i], &at) : snug_success, snug_success);
			touching += snugTouches(heap.bodies[i], huge.body, NULL).count;
		}
		UpdateHeap(&heap);
		const snugScenePair* pairs = snugScene_GetPairs(heap.scene, &count);
		uint64_t withHuge = 0;
		for (uint64_t i = 0; i < count; ++i)
		{
			withHuge += pairs[i].b == id;
		}
		assert_int_equal(withHuge, touching);
		assert_true(touching > 100);
		uint64_t sum, others = SweepHeap(&heap, &sum);
		assert_int_equal(count - withHuge, others);
	}
	assert_int_equal(snugScene_Remove(heap.scene, id), snug_success);
	UpdateHeap(&heap);
	CheckHeap(&heap);
	FreeHeap(&heap);
	Thing_Free(&huge);
	ThreadPool_Stop(&pool);
}

// All in one place: every pair is a candidate. So many that there is no room: they are counted, and nothing else is
// done.
static void all_in_one_place(void** state)
{
	(void)state;
	snugSceneDef def = { .room = { .bodies = 6000 } };
	Heap heap = MakeHeap(sceneMakeTriangle(), 6000, &def);
	snugSceneResult result = snugScene_Update(heap.scene, NULL);
	assert_int_equal(result.status, snug_outOfRange);
	assert_int_equal(result.needed.candidates, 6000u * 5999u / 2u);
	uint64_t count;
	snugScene_GetPairs(heap.scene, &count);
	assert_int_equal(count, 0);
	for (uint32_t i = 300; i < heap.count; ++i)
	{
		assert_int_equal(snugScene_Remove(heap.scene, i), snug_success);
	}
	UpdateHeap(&heap);
	snugScene_GetPairs(heap.scene, &count);
	assert_int_equal(count, 300u * 299u / 2u);
	FreeHeap(&heap);
}

// One body in a thousand pairs, posed anew for each update, on eight threads; triangle by triangle as without a scene.
static void a_hub_is_shared(void** state)
{
	(void)state;
	enum
	{
		SPOKES = 1000
	};
	ThreadPool pool;
	assert_int_equal(ThreadPool_Start(&pool, 7), 0);
	sceneRandom random = { 3 };
	sceneMesh ball = sceneMakeBlob(8, 1);
	Skin skin = RandomSkin(&random, &ball);
	Thing hub = MakeLinear(ball, &skin, (snugTreeDef){ 0 }, snug_strategyAuto);
	snugSceneDef def = { .room = { .bodies = SPOKES + 1 }, .workers = { ThreadPool_Run, &pool } };
	Heap spokes = MakeHeap(sceneMakeTetrahedron(), SPOKES, &def);
	uint32_t id;
	assert_int_equal(snugScene_Add(spokes.scene, &(snugSceneBodyDef){ .body = hub.body }, &id), snug_success);
	for (uint32_t i = 0; i < SPOKES; ++i)
	{
		snugFrame at = { .position = { sceneRandom_Range(&random, -1.0, 1.0), sceneRandom_Range(&random, -1.0, 1.0),
			                 sceneRandom_Range(&random, -1.0, 1.0) } };
		assert_int_equal(snugScene_SetGroups(spokes.scene, i, 2, 1), snug_success); // they meet the hub alone
		assert_int_equal(snugBody_SetFrame(spokes.bodies[i], &at), snug_success);
	}
	for (int frame = 0; frame < 3; ++frame)
	{
		for (uint32_t j = 0; j < skin.transformCount; ++j)
		{
			RandomMatrix(&random, skin.matrices + 12 * (size_t)j);
		}
		Pose(&hub, &skin);
		snugSceneQuery query = { .trianglePairs = true };
		snugSceneResult result = snugScene_Update(spokes.scene, &query);
		for (int i = 0; i < 3 && result.status == snug_outOfRange; ++i)
		{
			assert_int_equal(snugScene_Reserve(spokes.scene, &result.needed), snug_success);
			result = snugScene_Update(spokes.scene, &query);
		}
		assert_int_equal(result.status, snug_success);
		uint64_t count, triangleCount, next = 0;
		const snugScenePair* pairs = snugScene_GetPairs(spokes.scene, &count);
		const snugPair* triangles = snugScene_GetTrianglePairs(spokes.scene, &triangleCount);
		for (uint32_t i = 0; i < SPOKES; ++i)
		{
			PairList expected = CollideAll(spokes.bodies[i], hub.body, (const double[3]){ 0 });
			bool isNext = next < count && pairs[next].a == i;
			assert_int_equal(isNext, expected.count > 0);
			if (isNext)
			{
				PairList found = { (snugPair*)(uintptr_t)(triangles + pairs[next].first), pairs[next].count };
				AssertSamePairs("hub", (uint64_t)frame, &expected, &found);
				++next;
			}
			PairList_Free(&expected);
		}
		assert_int_equal(next, count);
		assert_true(count > 100);
	}
	FreeHeap(&spokes);
	Thing_Free(&hub);
	Skin_Free(&skin);
	ThreadPool_Stop(&pool);
}

// What a body of a crowd is posed by.
typedef void MakePoseFcn(const void* user, sceneRandom* random, float* matrices);

// Bodies that share a pool, posed and placed anew in each frame: what touches did not before, so that boxes three
// levels below the roots are compared, and searches begin there. Would catch boxes of one node that are taken for those
// of another, and leaves that nobody looks at.
static uint64_t CheckCrowd(const snugModelDef* modelDef, MakePoseFcn* makePose, const void* user, double size)
{
	enum
	{
		BODIES = 24
	};
	snugModel* model;
	assert_int_equal(snugModel_Create(modelDef, &model), snug_success);
	snugPool* pages = MakePool((size_t)4096 * 1000);
	const snugSceneDef def = { .room = { .bodies = BODIES, .candidates = 300, .pairs = 300, .trianglePairs = 200000 } };
	snugScene* scene;
	assert_int_equal(snugScene_Create(&def, &scene), snug_success);
	Actor actors[BODIES];
	for (uint32_t i = 0; i < BODIES; ++i)
	{
		Actor* actor = actors + i;
		*actor = (Actor){ .isPresent = true, .groups = 1, .mask = UINT32_MAX };
		actor->body = MakeBody(model, pages);
		actor->twin = MakeBody(model, NULL);
		assert_int_equal(snugScene_Add(scene, &(snugSceneBodyDef){ .body = actor->body }, &actor->id), snug_success);
	}
	uint64_t pairs = 0;
	float* matrices = malloc(12 * modelDef->skin.jointCount * sizeof(float));
	for (int frame = 0; frame < TestCount(6); ++frame)
	{
		sceneRandom random = { TestSeed() + (uint64_t)frame };
		for (uint32_t i = 0; i < BODIES; ++i)
		{
			makePose(user, &random, matrices);
			const double place[3] = { sceneRandom_Range(&random, -size, size), 0.0,
				sceneRandom_Range(&random, -size, size) };
			const snugFrame at =
			    sceneMakeFrame(place, (const double[3]){ 0.0, 1.0, 0.0 }, 6.0 * sceneRandom_Unit(&random));
			for (int which = 0; which < 2; ++which)
			{
				snugBody* body = which == 0 ? actors[i].body : actors[i].twin;
				assert_int_equal(snugBody_SetJoints(body, matrices, 0, modelDef->skin.jointCount), snug_success);
				assert_int_equal(snugBody_SetFrame(body, &at), snug_success);
			}
		}
		assert_int_equal(snugScene_Update(scene, &(snugSceneQuery){ .trianglePairs = true }).status, snug_success);
		Touches truth = FindTruth(actors, BODIES, 1, NULL);
		CheckPairsOf(scene, &truth, true, TestSeed() + (uint64_t)frame);
		pairs += truth.count;
		Touches_Free(&truth);
	}
	snugScene_Destroy(scene);
	for (uint32_t i = 0; i < BODIES; ++i)
	{
		snugBody_Destroy(actors[i].body);
		snugBody_Destroy(actors[i].twin);
	}
	snugPool_Destroy(pages);
	snugModel_Destroy(model);
	free(matrices);
	return pairs;
}

static void Walk(const void* user, sceneRandom* random, float* matrices)
{
	sceneCharacter_Walk(user, sceneRandom_Unit(random), matrices);
}

static void MoveALittle(const void* user, sceneRandom* random, float* matrices)
{
	const Skin* skin = user;
	for (uint32_t i = 0; i < 12 * skin->transformCount; ++i)
	{
		matrices[i] = (float)((i % 12 % 5 == 0) + sceneRandom_Range(random, -0.1, 0.1));
	}
}

// Men, and soups that have leaves beside other nodes two levels below their roots.
static void crowds_match_all_pairs(void** state)
{
	(void)state;
	sceneCharacter man;
	assert_true(sceneCharacter_Create(&man, scene_man));
	const snugModelDef def = sceneCharacter_MakeDef(&man, snug_blendLinear);
	uint64_t men = CheckCrowd(&def, Walk, &man, 1.2), soups = 0;
	sceneCharacter_Free(&man);
	for (uint32_t i = 0; i < 8; ++i)
	{
		sceneRandom random = { TestSeed() + i };
		sceneMesh mesh = sceneMakeSoup(150 + 50 * i, 0.2, i);
		Skin skin = RandomSkin(&random, &mesh);
		snugModelDef soup = MeshDef(&mesh, snug_skin, (snugTreeDef){ .leafTriangles = 4 });
		soup.skin = Skin_Def(&skin);
		soups += CheckCrowd(&soup, MoveALittle, &skin, 6.0);
		Skin_Free(&skin);
		sceneMesh_Free(&mesh);
	}
	print_message("%llu pairs of men, %llu of soups touch\n", (unsigned long long)men, (unsigned long long)soups);
	assert_true(men > 0 && soups > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_scenes_match_all_pairs),
		cmocka_unit_test(one_huge_and_many_tiny),
		cmocka_unit_test(all_in_one_place),
		cmocka_unit_test(a_hub_is_shared),
		cmocka_unit_test(crowds_match_all_pairs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
