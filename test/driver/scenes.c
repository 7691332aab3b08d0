// test/driver/scenes.c: many bodies: what touches, what began and ended, what is near, what meets first on the way,
// what rays hit.
#include "driver/operations.h"

// --- Bodies and masks -----------------------------------------------------------------------------------------------

static bool Agrees(uint64_t seed, uint32_t a, uint32_t b)
{
	return seed == 0 || (a * 7 + b * 13 + seed) % 4 != 0;
}

static Actor* ActorOf(World* world, uint32_t id)
{
	for (uint32_t i = 0; i < world->actorCount; ++i)
	{
		if (world->actors[i].isPresent && world->actors[i].id == id)
		{
			return world->actors + i;
		}
	}
	return NULL;
}

static bool MasksAgree(const Actor* a, const Actor* b)
{
	return (a->groups & b->mask) != 0 && (b->groups & a->mask) != 0 && !(a->isStatic && b->isStatic);
}

static ShapeActor* ShapeOf(World* world, uint32_t id)
{
	for (uint32_t i = 0; i < MOST_SHAPES; ++i)
	{
		if (world->stage.shapes[i].isPresent && world->stage.shapes[i].id == id)
		{
			return world->stage.shapes + i;
		}
	}
	return NULL;
}

static bool ShapeMasksAgree(const ShapeActor* shape, const Actor* actor)
{
	return (shape->groups & actor->mask) != 0 && (actor->groups & shape->mask) != 0 &&
	       !(shape->isStatic && actor->isStatic);
}

static bool MayMeet(const World* world, const Actor* a, const Actor* b)
{
	return a == b ? a->meetsItself : MasksAgree(a, b) && Agrees(world->stage.filterSeed, a->id, b->id);
}

static bool Filter(void* user, uint32_t a, uint32_t b)
{
	World* world = user;
	const uint64_t key = (uint64_t)a << 32 | b;
	const Actor *actorA = ActorOf(world, a), *actorB = ActorOf(world, b);
	const Actor* actor = actorA != NULL ? actorA : actorB;
	const ShapeActor* shape = ShapeOf(world, actorA == NULL ? a : b);
	const bool areTwo = actorA != NULL && actorB != NULL;
	const bool isRight = a < b && key >= world->stage.lastAsked && pthread_equal(pthread_self(), world->stage.caller);
	const bool agree =
	    areTwo ? MasksAgree(actorA, actorB) : actor != NULL && shape != NULL && ShapeMasksAgree(shape, actor);
	world->stage.lastAsked = key + 1;
	world->stage.filterBroke = world->stage.filterBroke || !isRight || !agree;
	return Agrees(world->stage.filterSeed, a, b);
}

/// Those in the scene, by their ids.
typedef struct Present
{
	Actor* actors[MOST_ACTORS];
	uint32_t count;
} Present;

static int CompareIds(const void* a, const void* b)
{
	const Actor *x = *(Actor*const*)a, *y = *(Actor*const*)b;
	return x->id < y->id ? -1 : x->id > y->id;
}

static Present FindPresent(World* world)
{
	Present present = { .count = 0 };
	for (uint32_t i = 0; i < world->actorCount; ++i)
	{
		if (world->actors[i].isPresent)
		{
			present.actors[present.count++] = world->actors + i;
		}
	}
	qsort(present.actors, present.count, sizeof(Actor*), CompareIds);
	return present;
}

// Whether all of them are near enough.
static bool FindSurfaces(World* world, const Present* present)
{
	bool isNear = true;
	for (uint32_t i = 0; i < present->count; ++i)
	{
		isNear = isNear && Actor_Surface(world, present->actors[i], world->stage.origin) != NULL;
	}
	return isNear;
}

// Near the largest coordinates bounds decide whether a body is too far.
static bool MayBeTooFar(const World* world, uint32_t body)
{
	return world->isExtreme && body != SNUG_NONE;
}

// --- Changes --------------------------------------------------------------------------------------------------------

static uint32_t DrawBits(World* world)
{
	return Chance(world, 0.6) ? 0 : 1u << Below(world, 3);
}

static void SetBits(Actor* actor, uint32_t groups, uint32_t mask)
{
	actor->groups = groups != 0 ? groups : 1;
	actor->mask = mask != 0 ? mask : UINT32_MAX;
}

// Ids of bodies that were removed are free again after two updates.
static bool IsFree(World* world, uint32_t id)
{
	const Stage* stage = &world->stage;
	return ActorOf(world, id) == NULL && ShapeOf(world, id) == NULL &&
	       (stage->freedAt[id] == 0 || stage->updates >= stage->freedAt[id] + 1);
}

static void Add(World* world, Actor* actor)
{
	Stage* stage = &world->stage;
	Actor* replaced = AnyActor(world);
	replaced = replaced->isPresent && Chance(world, 0.3) ? replaced : NULL;
	snugSceneBodyDef def = { .body = actor->body,
		.isStatic = Chance(world, 0.2),
		.meetsItself = Actor_MayMeetItself(actor) && Chance(world, 0.5),
		.groups = DrawBits(world),
		.mask = DrawBits(world),
		.user = actor,
		.replaces = replaced != NULL ? replaced->body : NULL };
	const snugSceneBodyDef* given = GIVEN(world, def);
	uint32_t id = SNUG_NONE;
	snugStatus status;
	CALL(world, status = snugScene_Add(stage->scene, given, &id));
	if (status == snug_outOfRange)
	{
		const snugSceneRoom room = { .bodies = snugScene_GetRoom(stage->scene).bodies + 4 };
		EXPECT(world, snugScene_Reserve(stage->scene, &room) == snug_success, "room for bodies");
		CALL(world, status = snugScene_Add(stage->scene, given, &id));
	}
	EXPECT(world, status == snug_success && id < LENGTH_OF(stage->freedAt), "adding: %s, id %u",
	    snugGetStatusText(status), id);
	EXPECT(world, replaced != NULL ? id == replaced->id : IsFree(world, id), "id %u is not free", id);
	if (replaced != NULL)
	{
		replaced->isPresent = false;
	}
	for (uint32_t i = 0; i < id && replaced == NULL; ++i)
	{
		EXPECT(world, !IsFree(world, i), "id %u is given though %u is free", id, i);
	}
	actor->id = id;
	actor->isPresent = true;
	actor->sceneChanges = 0;
	actor->isStatic = def.isStatic;
	actor->meetsItself = def.meetsItself;
	SetBits(actor, def.groups, def.mask);
	stage->freedAt[id] = 0;
	EXPECT(world, snugScene_GetBody(stage->scene, id) == actor->body && snugScene_GetUser(stage->scene, id) == actor,
	    "id %u is somebody else", id);
}

bool SceneMake(World* world)
{
	Stage* stage = &world->stage;
	if (stage->scene != NULL && Chance(world, 0.8))
	{
		return false;
	}
	snugScene_Destroy(stage->scene);
	*stage = (Stage){ .filterSeed = Chance(world, 0.3) ? sceneRandom_Next(&world->random) | 1 : 0,
		.caller = pthread_self() };
	Copy(stage->origin, world->middle, sizeof(stage->origin));
	for (uint32_t i = 0; i < world->actorCount; ++i)
	{
		world->actors[i].isPresent = false;
	}
	snugSceneDef def = {
		.workers.run = DrawParallel(world),
		.filter = stage->filterSeed != 0 ? Filter : NULL,
		.filterUser = world,
		.allocator = WorldAllocator(world),
		.messenger = Listener(),
	};
	Copy(def.origin, stage->origin, sizeof(def.origin));
	if (Chance(world, 0.6))
	{
		def.room = (snugSceneRoom){ .bodies = 1 + Below(world, 20),
			.candidates = 1 + Below(world, 4),
			.pairs = 1 + Below(world, 4),
			.trianglePairs = 1 + Below(world, 20) };
	}
	const snugSceneDef* given = GIVEN(world, def);
	snugStatus status;
	CALL(world, status = snugScene_Create(given, &stage->scene));
	EXPECT(world, status == snug_success, "a scene: %s", snugGetStatusText(status));
	for (uint32_t i = 0; i < world->actorCount; ++i)
	{
		if (Chance(world, 0.8))
		{
			Add(world, world->actors + i);
		}
	}
	return true;
}

bool SceneAddOrRemove(World* world)
{
	Stage* stage = &world->stage;
	if (stage->scene == NULL)
	{
		return false;
	}
	for (uint32_t times = 1 + Below(world, 4); times > 0; --times)
	{
		Actor* actor = AnyActor(world);
		if (actor->isPresent && Chance(world, 0.4))
		{
			snugStatus status;
			CALL(world, status = snugScene_Remove(stage->scene, actor->id));
			EXPECT(world, status == snug_success && snugScene_GetBody(stage->scene, actor->id) == NULL, "removing: %s",
			    snugGetStatusText(status));
			actor->isPresent = false;
			stage->freedAt[actor->id] = 1 + stage->updates;
		}
		else if (!actor->isPresent)
		{
			Add(world, actor);
		}
	}
	return true;
}

bool SceneSetMask(World* world)
{
	Actor* actor = AnyActor(world);
	if (world->stage.scene == NULL || !actor->isPresent)
	{
		return false;
	}
	const uint32_t groups = DrawBits(world), mask = DrawBits(world);
	snugStatus status;
	CALL(world, status = snugScene_SetGroups(world->stage.scene, actor->id, groups, mask));
	EXPECT(world, status == snug_success, "a mask: %s", snugGetStatusText(status));
	SetBits(actor, groups, mask);
	actor->sceneChanges = 0;
	return true;
}

// Bits that shapes have as actors do.
static void SetShapeBits(ShapeActor* actor, uint32_t groups, uint32_t mask)
{
	actor->groups = groups != 0 ? groups : 1;
	actor->mask = mask != 0 ? mask : UINT32_MAX;
}

static void AddShape(World* world, ShapeActor* actor)
{
	Stage* stage = &world->stage;
	const snugSceneBodyDef def = {
		.shape = &actor->shape, .isStatic = Chance(world, 0.2), .groups = DrawBits(world), .mask = DrawBits(world)
	};
	const snugSceneBodyDef* given = GIVEN(world, def);
	snugStatus status;
	CALL(world, status = snugScene_Add(stage->scene, given, &actor->id));
	if (status == snug_outOfRange)
	{
		return;
	}
	EXPECT(world, status == snug_success && IsFree(world, actor->id), "adding a shape: %s, id %u",
	    snugGetStatusText(status), actor->id);
	actor->isPresent = true;
	actor->isStatic = def.isStatic;
	SetShapeBits(actor, def.groups, def.mask);
	stage->freedAt[actor->id] = 0;
}

// Shapes come, go and move.
bool SceneSetShapes(World* world)
{
	Stage* stage = &world->stage;
	ShapeActor* actor = stage->shapes + Below(world, MOST_SHAPES);
	const Surface* surface = stage->scene != NULL ? Actor_Surface(world, AnyActor(world), stage->origin) : NULL;
	if (surface == NULL || surface->triangleCount == 0)
	{
		return false;
	}
	snugStatus status = snug_success;
	if (actor->isPresent && Chance(world, 0.15))
	{
		CALL(world, status = snugScene_Remove(stage->scene, actor->id));
		actor->isPresent = false;
		stage->freedAt[actor->id] = 1 + stage->updates;
	}
	else if (actor->isPresent && Chance(world, 0.15))
	{
		const uint32_t groups = DrawBits(world), mask = DrawBits(world);
		CALL(world, status = snugScene_SetGroups(stage->scene, actor->id, groups, mask));
		SetShapeBits(actor, groups, mask);
	}
	else
	{
		actor->shape = DrawShape(world, surface);
		const snugShape* given = GIVEN(world, actor->shape);
		if (actor->isPresent)
		{
			CALL(world, status = snugScene_SetShape(stage->scene, actor->id, given));
		}
		else
		{
			AddShape(world, actor);
		}
	}
	EXPECT(world, status == snug_success, "a shape: %s", snugGetStatusText(status));
	actor->isTold = true;
	return actor->isPresent;
}

bool SceneSetOrigin(World* world)
{
	if (world->stage.scene == NULL)
	{
		return false;
	}
	DrawOrigin(world, world->stage.origin);
	snugStatus status;
	CALL(world, status = snugScene_SetOrigin(world->stage.scene, world->stage.origin));
	EXPECT(world, status == snug_success, "an origin: %s", snugGetStatusText(status));
	world->stage.isAllNew = true;
	return Chance(world, 0.5) || SceneUpdate(world); // what stayed where it is, relative to another origin
}

bool SceneReserve(World* world)
{
	if (world->stage.scene == NULL)
	{
		return false;
	}
	const snugSceneRoom room = { .bodies = Below(world, 40),
		.candidates = Below(world, 30),
		.pairs = Below(world, 30),
		.trianglePairs = Below(world, 500) };
	const snugSceneRoom before = snugScene_GetRoom(world->stage.scene);
	const size_t memory = snugScene_GetMemory(world->stage.scene);
	snugStatus status;
	CALL(world, status = snugScene_Reserve(world->stage.scene, &room));
	const snugSceneRoom after = snugScene_GetRoom(world->stage.scene);
	EXPECT(world, status == snug_success && after.bodies >= before.bodies && after.bodies >= room.bodies, "room: %s",
	    snugGetStatusText(status));
	EXPECT(world, after.pairs >= before.pairs && after.trianglePairs >= room.trianglePairs, "room shrinks");
	EXPECT(world, snugScene_GetMemory(world->stage.scene) >= memory, "memory shrinks");
	return true;
}

// --- Poses of many --------------------------------------------------------------------------------------------------

typedef struct Posing
{
	Actor* actors[MOST_ACTORS];
	uint32_t ids[MOST_ACTORS];
	snugFrame frames[MOST_ACTORS];
	uint32_t count;
	float* matrices; // of all, at `floats` from one body to the next
	size_t floats, most;
	float* amplitudes; // of all, mostFields for each
	size_t mostFields;
} Posing;

// Some bodies of the scene in any order, or all of it in order if that can be said without ids.
static void DrawActors(World* world, Posing* posing, bool withJoints, bool withFields, bool inOrder)
{
	const Present present = FindPresent(world);
	for (uint32_t i = 0; i < present.count; ++i)
	{
		Actor* actor = present.actors[i];
		const bool isWanted = inOrder ? posing->count == actor->id && actor->id == i : Chance(world, 0.7);
		if (isWanted && (!withJoints || actor->kind->jointCount > 0) &&
		    (!withFields || actor->kind->fields.fieldCount > 0))
		{
			posing->actors[posing->count++] = actor;
		}
	}
	for (uint32_t i = posing->count; i > 1 && !inOrder; --i)
	{
		const uint32_t other = Below(world, i);
		Actor* actor = posing->actors[i - 1];
		posing->actors[i - 1] = posing->actors[other];
		posing->actors[other] = actor;
	}
	for (uint32_t i = 0; i < posing->count; ++i)
	{
		posing->ids[i] = posing->actors[i]->id;
	}
}

static void DrawAllJoints(World* world, Posing* posing)
{
	for (uint32_t i = 0; i < posing->count; ++i)
	{
		posing->most =
		    posing->actors[i]->kind->jointCount > posing->most ? posing->actors[i]->kind->jointCount : posing->most;
	}
	posing->matrices = Scratch(12 * posing->most * posing->count * sizeof(float));
	for (uint32_t i = 0; i < posing->count; ++i)
	{
		DrawJoints(world, posing->actors[i], posing->matrices + 12 * posing->most * i);
	}
}

// A little of each field, in memory that ends with the last one's.
static const float* DrawAllAmplitudes(World* world, Posing* posing, snugScenePoses* poses)
{
	for (uint32_t i = 0; i < posing->count; ++i)
	{
		const size_t fields = posing->actors[i]->kind->fields.fieldCount;
		posing->mostFields = fields > posing->mostFields ? fields : posing->mostFields;
	}
	const size_t most = posing->mostFields, last = posing->actors[posing->count - 1]->kind->fields.fieldCount;
	const bool isDefault = posing->actors[0]->kind->fields.fieldCount == most && Chance(world, 0.5);
	posing->amplitudes = Scratch(most * posing->count * sizeof(float));
	for (size_t i = 0; i < most * posing->count; ++i)
	{
		posing->amplitudes[i] = (float)(0.1 * Signed(world));
	}
	poses->amplitudeStride = isDefault ? 0 : most * sizeof(float);
	return Given(world, posing->amplitudes, (most * (posing->count - 1) + last) * sizeof(float));
}

// Joints of one body after those of another, each with `most` of them but for the last, behind whose own memory ends.
static const float* LayOutJoints(World* world, const Posing* posing, snugScenePoses* poses)
{
	const size_t size = poses->isColumns ? 64 : 48, step = poses->jointStride != 0 ? poses->jointStride : size;
	const uint32_t last = posing->actors[posing->count - 1]->kind->jointCount;
	const bool isDefault = posing->actors[0]->kind->jointCount == posing->most && Chance(world, 0.5);
	poses->bodyStride = isDefault ? 0 : step * posing->most;
	const size_t joints = posing->most * (posing->count - 1) + last;
	char* laidOut = Scratch(joints * size);
	for (uint32_t i = 0; i < posing->count; ++i)
	{
		for (size_t j = 0; j < posing->actors[i]->kind->jointCount; ++j)
		{
			const float* m = posing->matrices + 12 * (posing->most * i + j);
			float columns[16] = { 0.0f };
			for (int k = 0; k < 12; ++k)
			{
				columns[4 * (k % 4) + k / 4] = m[k];
			}
			columns[15] = 1.0f;
			Copy(laidOut + (posing->most * i + j) * size, poses->isColumns ? columns : m, size);
		}
	}
	return StridedGiven(world, laidOut, joints, size, poses->jointStride);
}

bool SceneSetPoses(World* world)
{
	Posing posing = { .count = 0 };
	const bool withFields = Chance(world, 0.3), withJoints = Chance(world, withFields ? 0.3 : 0.7),
	           withFrames = (!withJoints && !withFields) || Chance(world, 0.7), inOrder = Chance(world, 0.2);
	if (world->stage.scene == NULL)
	{
		return false;
	}
	DrawActors(world, &posing, withJoints, withFields, inOrder);
	snugScenePoses poses = { .count = posing.count, .isColumns = Chance(world, 0.5) };
	if (posing.count == 0)
	{
		return false;
	}
	poses.ids = inOrder ? NULL : Given(world, posing.ids, posing.count * sizeof(uint32_t));
	poses.jointStride = DrawStride(world, poses.isColumns ? 64 : 48);
	if (withJoints)
	{
		DrawAllJoints(world, &posing);
		poses.joints = LayOutJoints(world, &posing, &poses);
	}
	poses.amplitudes = withFields ? DrawAllAmplitudes(world, &posing, &poses) : NULL;
	for (uint32_t i = 0; i < posing.count; ++i)
	{
		posing.frames[i] = posing.actors[i]->frame;
		for (int k = 0; k < 3 && withFrames; ++k)
		{
			posing.frames[i].position[k] += world->scale * Signed(world) * (Chance(world, 0.5) ? world->nudge : 0.5);
		}
	}
	poses.frames = withFrames ? Given(world, posing.frames, posing.count * sizeof(snugFrame)) : NULL;
	Tell(world, "%u bodies%s%s%s%s; ", posing.count, inOrder ? ", in order" : "", withJoints ? ", joints" : "",
	    withFields ? ", amplitudes" : "", withFrames ? ", frames" : "");
	const snugScenePoses* given = GIVEN(world, poses);
	snugStatus status;
	CALL(world, status = snugScene_SetPoses(world->stage.scene, given));
	EXPECT(world, status == snug_success || world->isExtreme, "poses: %s", snugGetStatusText(status));
	if (status != snug_success)
	{
		longjmp(world->failed, 2);
	}
	for (uint32_t i = 0; i < posing.count; ++i)
	{
		Actor* actor = posing.actors[i];
		actor->frame = posing.frames[i];
		if (withJoints)
		{
			Copy(actor->matrices, posing.matrices + 12 * posing.most * i, 12 * actor->kind->jointCount * sizeof(float));
			actor->jointsKind = joints_matrices;
		}
		if (withFields)
		{
			Copy(actor->amplitudes, posing.amplitudes + posing.mostFields * i,
			    actor->kind->fields.fieldCount * sizeof(float));
		}
		++actor->changes;
	}
	return true;
}

// --- Updates --------------------------------------------------------------------------------------------------------

/// What touches now.
typedef struct Touching
{
	Touch touches[MOST_MEMBERS * MOST_MEMBERS];
	PairList triangles[MOST_MEMBERS * MOST_MEMBERS];
	uint32_t count;
} Touching;

// In its place: sorted by ids.
static void AddTouch(Touching* touching, uint32_t a, uint32_t b, PairList pairs)
{
	uint32_t place = touching->count++;
	for (; place > 0 && (touching->touches[place - 1].a > a ||
	                        (touching->touches[place - 1].a == a && touching->touches[place - 1].b > b));
	     --place)
	{
		touching->touches[place] = touching->touches[place - 1];
		touching->triangles[place] = touching->triangles[place - 1];
	}
	touching->touches[place] = (Touch){ a, b };
	touching->triangles[place] = pairs;
}

// By a fresh body and snugCollideShape, which CollideShape compares with exact arithmetic.
static void MeetShape(World* world, const ShapeActor* shape, const Actor* actor, Touching* touching)
{
	const uint32_t most = actor->surface.triangleCount, a = shape->id < actor->id ? shape->id : actor->id;
	snugBody* shadow = Actor_MakeShadow(world, actor);
	snugShapeQuery query = { .contacts = Scratch(most * sizeof(snugShapeContact)), .capacity = most };
	Copy(query.origin, world->stage.origin, sizeof(query.origin));
	EXPECT(world, shadow != NULL || world->isExtreme, "a shadow");
	if (shadow == NULL)
	{
		longjmp(world->failed, 2);
	}
	const snugResult result = snugCollideShape(shadow, &shape->shape, &query);
	snugBody_Destroy(shadow);
	EXPECT(world, result.status == snug_success || world->isExtreme, "a shadow: %s", snugGetStatusText(result.status));
	if (result.status != snug_success)
	{
		longjmp(world->failed, 2);
	}
	PairList pairs = { Scratch(result.count * sizeof(snugPair)), result.count };
	for (uint64_t i = 0; i < result.count; ++i)
	{
		const uint32_t t = query.contacts[i].triangle;
		pairs.pairs[i] = a == actor->id ? (snugPair){ t, SNUG_NONE } : (snugPair){ SNUG_NONE, t };
	}
	if (result.count > 0)
	{
		AddTouch(touching, a, shape->id ^ actor->id ^ a, pairs);
	}
}

static void MeetShapes(World* world, const Present* present, Touching* touching)
{
	for (uint32_t i = 0; i < MOST_SHAPES * present->count; ++i)
	{
		const ShapeActor* shape = world->stage.shapes + i % MOST_SHAPES;
		const Actor* actor = present->actors[i / MOST_SHAPES];
		const uint32_t least = shape->id < actor->id ? shape->id : actor->id;
		if (shape->isPresent && ShapeMasksAgree(shape, actor) &&
		    Agrees(world->stage.filterSeed, least, shape->id ^ actor->id ^ least))
		{
			MeetShape(world, shape, actor, touching);
		}
	}
}

static void FindTouching(World* world, const Present* present, Touching* touching)
{
	touching->count = 0;
	for (uint32_t i = 0; i < present->count; ++i)
	{
		for (uint32_t j = i; j < present->count; ++j)
		{
			Actor *a = present->actors[i], *b = present->actors[j];
			if (!MayMeet(world, a, b))
			{
				continue;
			}
			const PairList pairs = Actor_Pairs(world, a, b, world->stage.origin);
			if (pairs.count > 0)
			{
				AddTouch(touching, a->id, b->id, pairs);
			}
		}
	}
	MeetShapes(world, present, touching);
}

static bool Touched(const Touch* touches, uint32_t count, Touch touch)
{
	bool isThere = false;
	for (uint32_t i = 0; i < count; ++i)
	{
		isThere = isThere || (touches[i].a == touch.a && touches[i].b == touch.b);
	}
	return isThere;
}

static void ExpectScenePairs(World* world, const Touching* touching, bool withTriangles)
{
	uint64_t count, triangleCount, first = 0;
	const snugScenePair* pairs = snugScene_GetPairs(world->stage.scene, &count);
	const snugPair* triangles = snugScene_GetTrianglePairs(world->stage.scene, &triangleCount);
	for (uint32_t i = 0; i < touching->count && i < count; ++i)
	{
		const Touch* touch = touching->touches + i;
		EXPECT(world, pairs[i].a == touch->a && pairs[i].b == touch->b, "%u and %u touch instead of %u and %u",
		    pairs[i].a, pairs[i].b, touch->a, touch->b);
		const PairList* truth = touching->triangles + i;
		EXPECT(world, pairs[i].count == (withTriangles ? truth->count : 0),
		    "%llu of %llu pairs of triangles of %u and %u", (unsigned long long)pairs[i].count,
		    (unsigned long long)truth->count, touch->a, touch->b);
		EXPECT(world,
		    !withTriangles || (pairs[i].first == first && first + truth->count <= triangleCount &&
		                          memcmp(triangles + first, truth->pairs, truth->count * sizeof(snugPair)) == 0),
		    "other pairs of triangles of %u and %u", touch->a, touch->b);
		first += pairs[i].count;
	}
	EXPECT(world, count == touching->count, "%llu instead of %u pairs of bodies touch", (unsigned long long)count,
	    touching->count);
}

// A list of events is what changed between two lists of touches.
static void ExpectEvents(World* world, const snugPair* events, uint64_t eventCount, const Touch* of, uint32_t ofCount,
    const Touch* other, uint32_t otherCount, bool isBoth, const char* what)
{
	uint64_t next = 0;
	for (uint32_t i = 0; i < ofCount; ++i)
	{
		if (Touched(other, otherCount, of[i]) == isBoth)
		{
			EXPECT(world, next < eventCount && events[next].a == of[i].a && events[next].b == of[i].b,
			    "%u and %u are not said to %s", of[i].a, of[i].b, what);
			++next;
		}
	}
	EXPECT(world, next == eventCount, "%llu instead of %llu pairs %s", (unsigned long long)eventCount,
	    (unsigned long long)next, what);
}

static void* NoteFor(uint32_t a, uint32_t b)
{
	return (void*)((uintptr_t)a * 1000 + b + 1);
}

// What is left at a pair when it begins is there until it ends.
static void ExpectUsers(World* world, const Touching* now, const snugSceneEvents* events)
{
	const Stage* stage = &world->stage;
	for (uint32_t i = 0; i < now->count; ++i)
	{
		const Touch touch = now->touches[i];
		const bool isOld = Touched(stage->before, stage->beforeCount, touch);
		EXPECT(world, events->users[i] == (isOld ? NoteFor(touch.a, touch.b) : NULL), "another's at %u and %u", touch.a,
		    touch.b);
		events->users[i] = NoteFor(touch.a, touch.b);
	}
	for (uint64_t i = 0; i < events->endedCount; ++i)
	{
		EXPECT(world, events->endedUsers[i] == NoteFor(events->ended[i].a, events->ended[i].b),
		    "another's at the end of %u and %u", events->ended[i].a, events->ended[i].b);
	}
}

static void ExpectAllEvents(World* world, const Touching* now)
{
	const Stage* stage = &world->stage;
	const snugSceneEvents events = snugScene_GetEvents(stage->scene);
	ExpectUsers(world, now, &events);
	ExpectEvents(world, events.begun, events.begunCount, now->touches, now->count, stage->before, stage->beforeCount,
	    false, "begin");
	ExpectEvents(world, events.persisting, events.persistingCount, now->touches, now->count, stage->before,
	    stage->beforeCount, true, "persist");
	ExpectEvents(world, events.ended, events.endedCount, stage->before, stage->beforeCount, now->touches, now->count,
	    false, "end");
}

/// Contacts that an update tells of.
typedef struct Told
{
	World* world;
	snugContactBuffer* buffer; // for what is found without the scene
	bool depths;
	uint32_t count;
	Touch touches[MOST_ACTORS * MOST_ACTORS];
	bool isDifferent;
} Told;

static bool AreSame(const void* a, const void* b, size_t count, size_t size)
{
	return count == 0 || memcmp(a, b, count * size) == 0;
}

// The same as for two bodies, or one, without a scene, bit for bit.
static void TellContacts(void* user, uint32_t a, uint32_t b, const snugContactResult* in)
{
	Told* told = user;
	told->touches[told->count++] = (Touch){ a, b };
	snugContactQuery query = { .depths = told->depths };
	Copy(query.origin, told->world->stage.origin, sizeof(query.origin));
	snugBody *first = ActorOf(told->world, a)->body, *second = ActorOf(told->world, b)->body;
	const snugContactResult out = a == b ? snugFindSelfContacts(first, told->buffer, &query)
	                                     : snugFindContacts(first, second, told->buffer, &query);
	bool isSame = in->status == snug_success && in->count == out.count && in->complete == out.complete &&
	              in->contactCount == out.contactCount && in->pointCount == out.pointCount &&
	              in->curveCount == out.curveCount && (in->depths != NULL) == (out.depths != NULL);
	isSame = isSame && AreSame(in->contacts, out.contacts, out.contactCount, sizeof(snugContact)) &&
	         AreSame(in->points, out.points, out.pointCount, sizeof(snugContactPoint)) &&
	         AreSame(in->curves, out.curves, out.curveCount, sizeof(snugCurve));
	isSame = isSame && (out.depths == NULL || AreSame(in->depths, out.depths, out.curveCount, sizeof(double)));
	told->isDifferent = told->isDifferent || !isSame;
}

static void ExpectTold(World* world, const Touching* now, const Told* told)
{
	uint32_t next = 0;
	for (uint32_t i = 0; i < now->count; ++i)
	{
		const Touch* touch = now->touches + i;
		const bool isOfBodies = ActorOf(world, touch->a) != NULL && ActorOf(world, touch->b) != NULL;
		EXPECT(world,
		    !isOfBodies ||
		        (next < told->count && told->touches[next].a == touch->a && told->touches[next].b == touch->b),
		    "contacts of %u and %u are not told", touch->a, touch->b);
		next += isOfBodies;
	}
	EXPECT(world, next == told->count, "contacts of %u instead of %u pairs are told", told->count, next);
	EXPECT(world, !told->isDifferent, "other contacts than without the scene");
}

// Pairs and events are as before; contacts are told of every two bodies, and of one that meets itself, not of shapes,
// in order.
static void AskWithContacts(World* world, const Touching* now)
{
	Told told = { .world = world, .depths = Chance(world, 0.3) };
	const snugContactBufferDef def = { .capacity = Chance(world, 0.2) ? 1 + Below(world, 40) : 4000 };
	snugSceneQuery query = { .depths = told.depths, .contacts = TellContacts, .contactsUser = &told };
	EXPECT(world,
	    snugContactBuffer_Create(&def, &told.buffer) == snug_success &&
	        snugContactBuffer_Create(&def, &query.contactBuffer) == snug_success,
	    "buffers");
	snugSceneResult result;
	for (int tries = 0; tries < 5; ++tries)
	{
		world->stage.lastAsked = 0;
		CALL(world, result = snugScene_Update(world->stage.scene, &query));
		if (result.status != snug_outOfRange || snugScene_Reserve(world->stage.scene, &result.needed) != snug_success)
		{
			break;
		}
	}
	snugContactBuffer_Destroy(told.buffer);
	snugContactBuffer_Destroy(query.contactBuffer);
	EXPECT(world, result.status == snug_success && result.count == now->count, "an update: %s",
	    snugGetStatusText(result.status));
	ExpectTold(world, now, &told);
	ExpectScenePairs(world, now, true);
}

// Until there is room. What could be read before stays as it is where an update fails.
static snugSceneResult UpdateUntilRoom(World* world, const snugSceneQuery* query)
{
	Stage* stage = &world->stage;
	snugSceneResult result = { .status = snug_outOfRange };
	for (int tries = 0; tries < 5; ++tries)
	{
		uint64_t before, after;
		const snugSceneEvents events = snugScene_GetEvents(stage->scene);
		snugScene_GetPairs(stage->scene, &before);
		stage->lastAsked = 0;
		CALL(world, result = snugScene_Update(stage->scene, query));
		EXPECT(world, !stage->filterBroke, "the filter is asked out of order, or about what masks rule out");
		if (result.status != snug_outOfRange || result.body != SNUG_NONE)
		{
			return result;
		}
		const snugSceneEvents same = snugScene_GetEvents(stage->scene);
		snugScene_GetPairs(stage->scene, &after);
		EXPECT(
		    world, before == after && memcmp(&events, &same, sizeof(same)) == 0, "an update that failed changed pairs");
		EXPECT(world, result.needed.candidates + result.needed.pairs + result.needed.trianglePairs > 0,
		    "no room is needed");
		if (Chance(world, 0.3)) // something happens in between
		{
			static bool (*const others[])(World*) = { SceneSetShapes, SceneSetPoses, SceneSetMask, SceneAddOrRemove,
				SceneCastRays, SceneSweep, SceneFindWithin };
			const uint32_t which = Below(world, 2 * LENGTH_OF(others));
			which < LENGTH_OF(others) ? (void)others[which](world) : Actor_Place(world, AnyActor(world), false);
		}
		EXPECT(world, snugScene_Reserve(stage->scene, &result.needed) == snug_success, "room");
	}
	return result;
}

// Bodies that were told something since the last update may have moved, and no others.
static void ExpectMoved(World* world, const Present* present, const snugSceneResult* result)
{
	uint32_t told = 0;
	for (uint32_t i = 0; i < present->count; ++i)
	{
		Actor* actor = present->actors[i];
		told += actor->sceneChanges != actor->changes + 1;
		actor->sceneChanges = actor->changes + 1;
	}
	for (uint32_t i = 0; i < MOST_SHAPES; ++i)
	{
		told += world->stage.shapes[i].isPresent && world->stage.shapes[i].isTold;
		world->stage.shapes[i].isTold = false;
	}
	EXPECT(
	    world, result->moved <= told || world->stage.isAllNew, "%u bodies moved, %u were told to", result->moved, told);
	world->stage.isAllNew = false;
}

bool SceneUpdate(World* world)
{
	Stage* stage = &world->stage;
	if (stage->scene == NULL)
	{
		return false;
	}
	const snugSceneQuery query = { .trianglePairs = Chance(world, 0.6) };
	const snugSceneQuery* given = GIVEN(world, query);
	const snugSceneResult result = UpdateUntilRoom(world, given);
	if (result.status == snug_outOfRange && MayBeTooFar(world, result.body))
	{
		return false;
	}
	EXPECT(world, result.status == snug_success, "an update: %s", snugGetStatusText(result.status));
	const Present present = FindPresent(world);
	if (!FindSurfaces(world, &present))
	{
		longjmp(world->failed, 2);
	}
	Touching now;
	FindTouching(world, &present, &now);
	Tell(world, "%u bodies, %u pairs, before %u; ", present.count, now.count, stage->beforeCount);
	ExpectScenePairs(world, &now, query.trianglePairs);
	ExpectAllEvents(world, &now);
	ExpectCounters(world, &result.counters);
	EXPECT(world, result.count == now.count && result.kept <= now.count && result.queries <= result.candidates,
	    "%llu pairs, %llu kept", (unsigned long long)result.count, (unsigned long long)result.kept);
	ExpectMoved(world, &present, &result);
	Copy(stage->before, now.touches, sizeof(stage->before));
	stage->beforeCount = now.count;
	++stage->updates;
	++world->questions;
	world->contactsSeen += now.count > 0;
	if (now.count > 0 && Chance(world, 0.3))
	{
		AskWithContacts(world, &now);
		++stage->updates;
	}
	return present.count > 1;
}

// --- Distances ------------------------------------------------------------------------------------------------------

static snugSceneResult FindWithinUntilRoom(World* world, const snugSceneNearQuery* query)
{
	snugSceneResult result = { .status = snug_outOfRange };
	for (int tries = 0; tries < 5; ++tries)
	{
		world->stage.lastAsked = 0;
		CALL(world, result = snugScene_FindNear(world->stage.scene, query));
		EXPECT(world, !world->stage.filterBroke, "the filter is asked out of order, or about what masks rule out");
		if (result.status != snug_outOfRange || result.body != SNUG_NONE)
		{
			return result;
		}
		EXPECT(world, snugScene_Reserve(world->stage.scene, &result.needed) == snug_success, "room");
	}
	return result;
}

static uint64_t Work(const Present* present)
{
	uint64_t work = 0;
	for (uint32_t i = 0; i < present->count; ++i)
	{
		for (uint32_t j = 0; j < i; ++j)
		{
			work += (uint64_t)present->actors[i]->surface.triangleCount * present->actors[j]->surface.triangleCount;
		}
	}
	return work;
}

// The same as for two bodies without a scene, bit for bit.
static void ExpectAsAlone(World* world, const Actor* a, const Actor* b, const snugSceneNear* near)
{
	snugDistanceQuery query = { .maxDistance = 0.0 };
	Copy(query.origin, world->stage.origin, sizeof(query.origin));
	snugDistanceResult alone;
	CALL(world, alone = snugFindDistance(a->body, b->body, &query));
	EXPECT(world,
	    alone.status == snug_success && alone.distance == near->distance && alone.a == near->triangleA &&
	        alone.b == near->triangleB && memcmp(alone.pointA, near->pointA, sizeof(near->pointA)) == 0 &&
	        memcmp(alone.pointB, near->pointB, sizeof(near->pointB)) == 0,
	    "%u and %u are nearest elsewhere without the scene: triangles %u and %u, not %u and %u", a->id, b->id, alone.a,
	    alone.b, near->triangleA, near->triangleB);
}

bool SceneFindWithin(World* world)
{
	const Present present = FindPresent(world);
	if (world->stage.scene == NULL || !FindSurfaces(world, &present) || Work(&present) > 300000)
	{
		return false;
	}
	snugSceneNearQuery query = { .margin = Chance(world, 0.1) ? 0.0 : world->scale * Magnitude(world, 1e-3, 1.0) };
	query.capacity = Chance(world, 0.6) ? (uint64_t)present.count * present.count : Below(world, 4);
	query.pairs = Room(world, query.capacity, sizeof(snugSceneNear));
	const snugSceneNearQuery* given = GIVEN(world, query);
	const snugSceneResult result = FindWithinUntilRoom(world, given);
	if (result.status == snug_outOfRange && MayBeTooFar(world, result.body))
	{
		return false;
	}
	EXPECT(world, result.status == snug_success, "within: %s", snugGetStatusText(result.status));
	ExpectCounters(world, &result.counters);
	uint64_t next = 0, certain = 0, possible = 0;
	for (uint32_t i = 0; i < present.count; ++i)
	{
		for (uint32_t j = i + 1; j < present.count; ++j)
		{
			const Actor *a = present.actors[i], *b = present.actors[j];
			const double distance = SurfaceDistance(&a->surface, &b->surface);
			const double slack = 0x1p-39 * Surfaces_Extent(&a->surface, &b->surface);
			const bool mayMeet = MayMeet(world, a, b) && isfinite(distance);
			const bool isNear = mayMeet && (distance == 0.0 || distance < query.margin - slack);
			const snugSceneNear* near = query.pairs + next;
			const bool isFound = next < result.count && next < query.capacity && near->a == a->id && near->b == b->id;
			certain += isNear;
			possible += mayMeet && distance <= query.margin + slack;
			EXPECT(world, isFound || !isNear || next == query.capacity, "%u and %u, %g apart, are missing", a->id,
			    b->id, distance);
			EXPECT(world,
			    !isFound || (mayMeet && fabs(near->distance - distance) <= slack &&
			                    (near->distance == 0.0) == (distance == 0.0)),
			    "%u and %u are %.17g apart, not %.17g", a->id, b->id, distance, near->distance);
			next += isFound;
			if (isFound && Chance(world, 0.3))
			{
				ExpectAsAlone(world, a, b, near);
			}
		}
	}
	const uint64_t written = result.count < query.capacity ? result.count : query.capacity;
	EXPECT(world, next == written && result.count >= certain && result.count <= possible, "%llu pairs, not %llu",
	    (unsigned long long)result.count, (unsigned long long)certain);
	++world->questions;
	return present.count > 1;
}

// --- Sweeps ---------------------------------------------------------------------------------------------------------

// A body of the same model in the pose of another actor; null: it rests.
static snugBody* MakeEnd(World* world, const Actor* actor)
{
	Actor* other = AnyActor(world);
	snugBody* end = NULL;
	if (other->kind != actor->kind || Actor_Surface(world, other, world->stage.origin) == NULL)
	{
		return NULL;
	}
	const snugBodyDef def = { .model = other->kind->model, .strategy = other->strategy, .pool = other->pool };
	EXPECT(world, snugBody_Create(&def, &end) == snug_success, "a body");
	const snugStatus status = Actor_Replay(other, end);
	EXPECT(world, status == snug_success || world->isExtreme, "an end: %s", snugGetStatusText(status));
	return end;
}

static snugSceneResult SweepUntilRoom(
    World* world, snugBody* const* ends, uint32_t count, const snugSweepQuery* query, snugSceneSweep* first)
{
	snugSceneResult result = { .status = snug_outOfRange };
	for (int tries = 0; tries < 5; ++tries)
	{
		world->stage.lastAsked = 0;
		CALL(world, result = snugScene_Sweep(world->stage.scene, ends, count, query, first));
		EXPECT(world, !world->stage.filterBroke, "the filter is asked out of order, or about what masks rule out");
		if (result.status != snug_outOfRange || result.body != SNUG_NONE)
		{
			return result;
		}
		EXPECT(world, snugScene_Reserve(world->stage.scene, &result.needed) == snug_success, "room");
	}
	return result;
}

// The first of what every two say, as that is without the scene. False if one is too far.
static bool SweepEveryTwo(
    World* world, const Present* present, snugBody* const* ends, const snugSweepQuery* query, snugSceneSweep* first)
{
	const double maxTime = query->maxTime > 0.0 ? query->maxTime : 1.0;
	double proved = INFINITY;
	*first = (snugSceneSweep){ SNUG_NONE, SNUG_NONE, { .a = SNUG_NONE, .b = SNUG_NONE } };
	first->sweep.time = first->sweep.latest = maxTime;
	for (uint32_t i = 0; i < present->count * present->count; ++i)
	{
		const Actor *a = present->actors[i / present->count], *b = present->actors[i % present->count];
		if (a->id >= b->id || !MayMeet(world, a, b))
		{
			continue;
		}
		snugSweepResult found;
		CALL(world, found = snugSweep(a->body, ends[a->id], b->body, ends[b->id], query));
		EXPECT(world, found.status == snug_success || world->isExtreme, "a sweep: %s", snugGetStatusText(found.status));
		if (found.status != snug_success)
		{
			return false;
		}
		proved = found.answer == snug_sweepMeets ? fmin(proved, found.latest) : proved;
		if (found.answer != snug_sweepFree && (first->a == SNUG_NONE || found.time < first->sweep.time))
		{
			*first = (snugSceneSweep){ a->id, b->id, found };
		}
	}
	first->sweep.answer = proved < INFINITY ? snug_sweepMeets : first->sweep.answer;
	first->sweep.latest = proved < INFINITY ? proved : first->sweep.latest;
	return true;
}

static void ExpectSameSweep(World* world, const snugSceneSweep* found, const snugSceneSweep* truth)
{
	const snugSweepResult *one = &found->sweep, *other = &truth->sweep;
	EXPECT(world, found->a == truth->a && found->b == truth->b && one->time == other->time,
	    "%u and %u at %.17g are first, not %u and %u at %.17g", truth->a, truth->b, other->time, found->a, found->b,
	    one->time);
	EXPECT(world, one->answer == other->answer && one->latest == other->latest, "answer %d until %.17g, not %d, %.17g",
	    (int)other->answer, other->latest, (int)one->answer, one->latest);
	EXPECT(world,
	    one->a == other->a && one->b == other->b && one->stray == other->stray &&
	        memcmp(&one->featureA, &other->featureA, sizeof(snugFeature)) == 0 &&
	        memcmp(&one->featureB, &other->featureB, sizeof(snugFeature)) == 0 &&
	        memcmp(one->position, other->position, sizeof(one->position)) == 0 &&
	        memcmp(one->normal, other->normal, sizeof(one->normal)) == 0,
	    "other triangles of %u and %u", truth->a, truth->b);
}

// What moves and what rests; shapes are among them.
bool SceneSweep(World* world)
{
	const Present present = FindPresent(world);
	Stage* stage = &world->stage;
	snugBody* ends[LENGTH_OF(stage->freedAt)] = { NULL };
	if (stage->scene == NULL || present.count == 0 || !FindSurfaces(world, &present) || Work(&present) > 60000)
	{
		return false;
	}
	for (uint32_t i = 0; i < present.count; ++i)
	{
		ends[present.actors[i]->id] = MakeEnd(world, present.actors[i]);
	}
	const double nowhere[3] = { 0.0, 0.0, 0.0 };
	snugSweepQuery query = DrawSweepQuery(world, nowhere, world->scale);
	query.maxSteps = 0; // a search that is cut depends on what others found
	snugSceneSweep found, truth;
	const uint32_t count = present.actors[present.count - 1]->id + 1;
	snugBody* const* given = Given(world, ends, count * sizeof(snugBody*));
	const snugSceneResult result = SweepUntilRoom(world, given, count, GIVEN(world, query), &found);
	Copy(query.origin, stage->origin, sizeof(query.origin));
	const bool isKnown = SweepEveryTwo(world, &present, ends, &query, &truth);
	for (uint32_t i = 0; i < count; ++i)
	{
		snugBody_Destroy(ends[i]);
	}
	if (!isKnown || (result.status == snug_outOfRange && MayBeTooFar(world, result.body)))
	{
		return false;
	}
	EXPECT(world, result.status == snug_success, "a sweep: %s", snugGetStatusText(result.status));
	ExpectSameSweep(world, &found, &truth);
	ExpectCounters(world, &result.counters);
	EXPECT(world, result.count == (truth.a != SNUG_NONE) && result.queries <= result.candidates, "the count is off");
	++world->questions;
	return present.count > 1;
}

// --- Rays -----------------------------------------------------------------------------------------------------------

// At some body of the scene.
static snugRay DrawSceneRay(World* world, const Present* present)
{
	const Actor* actor = present->actors[Below(world, present->count)];
	return actor->surface.triangleCount > 0 ? DrawRay(world, &actor->surface)
	                                        : (snugRay){ { 0.0f }, { (float)world->scale, 0.0f, 0.0f } };
}

// Everything that a ray hits, by fresh bodies, in order.
typedef struct SceneHits
{
	snugRayHit* hits;
	uint64_t count;
} SceneHits;

static int CompareHits(const void* a, const void* b)
{
	const snugRayHit *x = a, *y = b;
	return x->t != y->t         ? (x->t < y->t ? -1 : 1)
	       : x->body != y->body ? (x->body < y->body ? -1 : 1)
	                            : (x->triangle < y->triangle ? -1 : x->triangle > y->triangle);
}

static SceneHits TrueSceneHits(
    World* world, const Present* present, snugBody** shadows, const snugRay* ray, uint32_t mask)
{
	SceneHits all = { NULL, 0 };
	for (uint32_t i = 0; i < present->count; ++i)
	{
		const Actor* actor = present->actors[i];
		if ((actor->groups & mask) == 0)
		{
			continue;
		}
		snugRayQuery query = { .any = false };
		Copy(query.origin, world->stage.origin, sizeof(query.origin));
		const uint32_t most = actor->surface.triangleCount;
		snugRayHit* hits = Scratch(most * sizeof(snugRayHit));
		const snugResult result = snugFindHits(shadows[i], ray, hits, most, &query);
		EXPECT(
		    world, result.status == snug_success || world->isExtreme, "a shadow: %s", snugGetStatusText(result.status));
		snugRayHit* merged = Scratch((all.count + result.count) * sizeof(snugRayHit));
		Copy(merged, all.hits, all.count * sizeof(snugRayHit));
		for (uint64_t k = 0; k < result.count; ++k)
		{
			merged[all.count] = hits[k];
			merged[all.count++].body = actor->id;
		}
		all.hits = merged;
	}
	if (all.count > 0)
	{
		qsort(all.hits, all.count, sizeof(snugRayHit), CompareHits);
	}
	return all;
}

static bool MakeShadows(World* world, const Present* present, snugBody** shadows)
{
	bool areMade = true;
	for (uint32_t i = 0; i < present->count; ++i)
	{
		shadows[i] = Actor_MakeShadow(world, present->actors[i]);
		areMade = areMade && shadows[i] != NULL;
	}
	return areMade;
}

static void FreeShadows(const Present* present, snugBody** shadows)
{
	for (uint32_t i = 0; i < present->count; ++i)
	{
		snugBody_Destroy(shadows[i]);
	}
}

static void ExpectSceneHit(World* world, const SceneHits* truth, const snugRayHit* hit, bool any)
{
	if (truth->count == 0)
	{
		EXPECT(world, hit->body == SNUG_NONE && hit->triangle == SNUG_NONE && hit->t == 2.0,
		    "triangle %u of %u is not hit", hit->triangle, hit->body);
		return;
	}
	uint32_t least = SNUG_NONE;
	bool isTrue = false;
	for (uint64_t i = 0; i < truth->count; ++i)
	{
		least = truth->hits[i].body < least ? truth->hits[i].body : least;
		isTrue = isTrue || memcmp(truth->hits + i, hit, sizeof(*hit)) == 0;
	}
	EXPECT(world, isTrue, "triangle %u of %u is not hit", hit->triangle, hit->body);
	EXPECT(world, any ? hit->body == least : memcmp(hit, truth->hits, sizeof(*hit)) == 0,
	    "triangle %u of %u at %.17g comes after %u of %u at %.17g", hit->triangle, hit->body, hit->t,
	    truth->hits->triangle, truth->hits->body, truth->hits->t);
}

bool SceneCastRays(World* world)
{
	const Present present = FindPresent(world);
	snugBody* shadows[MOST_ACTORS];
	if (world->stage.scene == NULL || present.count == 0 || !FindSurfaces(world, &present) ||
	    !MakeShadows(world, &present, shadows))
	{
		return false;
	}
	const snugRayQuery query = { .any = Chance(world, 0.3), .mask = DrawBits(world) };
	const uint32_t count = Chance(world, 0.1) ? 60 + Below(world, 80) : Below(world, 12);
	snugRay* rays = Scratch(count * sizeof(snugRay));
	for (uint32_t i = 0; i < count; ++i)
	{
		rays[i] = DrawSceneRay(world, &present);
	}
	const snugRay* given = Given(world, rays, count * sizeof(snugRay));
	snugRayHit* hits = Room(world, count, sizeof(snugRayHit));
	snugSceneResult result;
	CALL(world, result = snugScene_CastRays(world->stage.scene, given, count, hits, &query));
	const bool isTooFar = result.status == snug_outOfRange && MayBeTooFar(world, result.body);
	EXPECT(world, result.status == snug_success || isTooFar, "rays: %s", snugGetStatusText(result.status));
	for (uint32_t i = 0; i < count && !isTooFar; ++i)
	{
		const uint32_t mask = query.mask != 0 ? query.mask : UINT32_MAX;
		const SceneHits truth = TrueSceneHits(world, &present, shadows, rays + i, mask);
		ExpectSceneHit(world, &truth, hits + i, query.any);
		result.count -= truth.count > 0;
	}
	EXPECT(world, isTooFar || result.count == 0, "the count is off");
	FreeShadows(&present, shadows);
	++world->questions;
	return count > 0;
}

bool SceneFindHits(World* world)
{
	const Present present = FindPresent(world);
	snugBody* shadows[MOST_ACTORS];
	if (world->stage.scene == NULL || present.count == 0 || !FindSurfaces(world, &present) ||
	    !MakeShadows(world, &present, shadows))
	{
		return false;
	}
	const snugRayQuery query = { .any = Chance(world, 0.1), .mask = DrawBits(world) };
	const snugRay ray = DrawSceneRay(world, &present);
	const SceneHits truth = TrueSceneHits(world, &present, shadows, &ray, query.mask != 0 ? query.mask : UINT32_MAX);
	FreeShadows(&present, shadows);
	const uint64_t capacity = Chance(world, 0.5) ? truth.count : Below(world, (uint32_t)truth.count + 2);
	snugRayHit* hits = Room(world, capacity, sizeof(snugRayHit));
	snugSceneResult result;
	Tell(world, "%llu hits, capacity %llu; ", (unsigned long long)truth.count, (unsigned long long)capacity);
	CALL(world, result = snugScene_FindHits(world->stage.scene, &ray, hits, capacity, &query));
	if (result.status == snug_outOfRange && MayBeTooFar(world, result.body))
	{
		return false;
	}
	EXPECT(world, result.status == snug_success && result.count == truth.count, "%s, %llu hits",
	    snugGetStatusText(result.status), (unsigned long long)result.count);
	const uint64_t written = capacity < truth.count ? capacity : truth.count;
	EXPECT(world, written == 0 || memcmp(hits, truth.hits, written * sizeof(snugRayHit)) == 0, "other hits");
	++world->questions;
	return true;
}
