// test/driver/actors.c: bodies, what they were told, and where they are.
#include "driver/caller.h"

#include <stdio.h>

void Actor_MakeBody(World* world, Actor* actor)
{
	const snugBodyDef def = {
		.model = actor->kind->model,
		.strategy = actor->strategy,
		.pool = actor->pool,
		.allocator = WorldAllocator(world),
		.messenger = Listener(),
	};
	const snugBodyDef* given = GIVEN(world, def);
	snugStatus status;
	CALL(world, status = snugBody_Create(given, &actor->body));
	EXPECT(world, status == snug_success, "a body: %s", snugGetStatusText(status));
}

void Actor_Make(World* world, Actor* actor, const Kind* kind)
{
	*actor = (Actor){ .kind = kind, .strategy = (snugStrategy)Below(world, 4) };
	actor->pool = Chance(world, world->poolChance) ? world->pool : NULL;
	actor->matrices = calloc(12 * (size_t)kind->jointCount + 1, sizeof(float));
	actor->nodes = calloc(kind->jointCount + 1, sizeof(snugMeshlessNode));
	actor->amplitudes = calloc(kind->fields.fieldCount + 1, sizeof(float));
	if (kind->deformer == snug_free)
	{
		const size_t bytes = 3 * (size_t)kind->skinned.mesh.vertexCount * sizeof(float);
		actor->vertices = malloc(bytes + 1);
		Copy(actor->vertices, kind->skinned.mesh.positions, bytes);
	}
	for (uint32_t j = 0; j < kind->jointCount; ++j)
	{
		actor->matrices[12 * j] = actor->matrices[12 * j + 5] = actor->matrices[12 * j + 10] = 1.0f;
	}
	actor->changes = 1;
	Actor_MakeBody(world, actor);
}

void Actor_Free(Actor* actor)
{
	snugBody_Destroy(actor->body);
	free(actor->matrices);
	free(actor->nodes);
	free(actor->amplitudes);
	free(actor->vertices);
	Surface_Free(&actor->surface);
}

static snugStatus ReplayJoints(const Actor* actor, snugBody* body)
{
	const uint32_t count = actor->kind->jointCount;
	return actor->jointsKind == joints_matrices ? snugBody_SetJoints(body, actor->matrices, 0, count)
	       : actor->jointsKind == joints_nodes  ? snugBody_SetMeshlessNodes(body, actor->nodes, count)
	                                            : snug_success;
}

// What is accepted in one order may be refused in the other where it comes close to the largest coordinates.
snugStatus Actor_Replay(const Actor* actor, snugBody* body)
{
	const Kind* kind = actor->kind;
	snugStatus status = snugBody_SetFrame(body, &actor->frame);
	if (status == snug_success && actor->vertices != NULL)
	{
		status = snugBody_SetVertices(body, actor->vertices, 0, 0, kind->skinned.mesh.vertexCount);
	}
	if (status == snug_success && kind->fields.fieldCount > 0)
	{
		const bool isFirst = ReplayJoints(actor, body) == snug_success;
		status = snugBody_SetAmplitudes(body, actor->amplitudes, kind->fields.fieldCount);
		return status == snug_success && !isFirst ? ReplayJoints(actor, body) : status;
	}
	return status == snug_success ? ReplayJoints(actor, body) : status;
}

snugBody* Actor_MakeShadow(World* world, const Actor* actor)
{
	const snugBodyDef def = { .model = actor->kind->plain };
	snugBody* shadow = NULL;
	EXPECT(world, snugBody_Create(&def, &shadow) == snug_success, "a shadow");
	const snugStatus status = Actor_Replay(actor, shadow);
	if (status != snug_success)
	{
		snugBody_Destroy(shadow);
		EXPECT(world, world->isExtreme, "the pose of a body is refused by its shadow: %s", snugGetStatusText(status));
		return NULL;
	}
	return shadow;
}

const Surface* Actor_Surface(World* world, Actor* actor, const double origin[3])
{
	const bool isFresh = actor->surfaceChanges == actor->changes &&
	                     memcmp(actor->surfaceOrigin, origin, sizeof(actor->surfaceOrigin)) == 0;
	if (!isFresh)
	{
		const sceneMesh* mesh = &actor->kind->skinned.mesh;
		float* positions = calloc(3 * (size_t)mesh->vertexCount + 1, sizeof(float));
		snugBody* shadow = Actor_MakeShadow(world, actor);
		actor->surfaceStatus = shadow != NULL ? snugBody_GetVertices(shadow, origin, positions, 0) : snug_outOfRange;
		snugBody_Destroy(shadow);
		Surface_Set(&actor->surface, mesh, positions);
		actor->surfaceChanges = actor->changes;
		Copy(actor->surfaceOrigin, origin, sizeof(actor->surfaceOrigin));
		EXPECT(world, actor->surfaceStatus == snug_success || world->isExtreme, "vertices: %s",
		    snugGetStatusText(actor->surfaceStatus));
	}
	return actor->surfaceStatus == snug_success ? &actor->surface : NULL;
}

PairList Actor_OwnPairs(World* world, const Actor* actor, const uint32_t* twins, bool keepRest)
{
	Surface surface = Actor_OwnSurface(world, actor);
	const PairList pairs = TrueOwnPairs(&surface, keepRest ? NULL : &actor->kind->rest, twins);
	Surface_Free(&surface);
	return pairs;
}

bool Actor_MayMeetItself(const Actor* actor)
{
	return actor->kind->skinned.mesh.triangleCount <= MOST_OWN && (actor->vertices == NULL || !actor->kind->hasTwins);
}

PairList Actor_Pairs(World* world, Actor* a, Actor* b, const double origin[3])
{
	Known* known = &world->known[a - world->actors][b - world->actors];
	if (known->pairs.pairs == NULL || known->changesA != a->changes || known->changesB != b->changes ||
	    memcmp(known->origin, origin, sizeof(known->origin)) != 0)
	{
		PairList_Free(&known->pairs);
		known->pairs = a == b ? Actor_OwnPairs(world, a, a->kind->twins, false)
		                      : TruePairs(Actor_Surface(world, a, origin), Actor_Surface(world, b, origin));
		known->changesA = a->changes;
		known->changesB = b->changes;
		Copy(known->origin, origin, sizeof(known->origin));
	}
	return known->pairs;
}

static bool IsAt(const Actor* actor, uint32_t v, uint32_t w)
{
	const float *p = actor->vertices + 3 * (size_t)v, *q = actor->vertices + 3 * (size_t)w;
	return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

bool Actor_FindTwins(const Actor* actor, uint32_t* twins)
{
	const Kind* kind = actor->kind;
	const uint32_t count = kind->skinned.mesh.vertexCount;
	Copy(twins, kind->twins, count * sizeof(uint32_t));
	if (!kind->hasTwins || actor->vertices == NULL)
	{
		return true;
	}
	// Of any two that were twins: all are together, or none.
	uint8_t* seen = calloc(count, 1);
	for (uint32_t v = 0; v < count; ++v)
	{
		for (uint32_t w = 0; w < v; ++w)
		{
			seen[kind->twins[v]] |= kind->twins[v] != kind->twins[w] ? 0 : IsAt(actor, v, w) ? 1 : 2;
		}
		twins[v] = IsAt(actor, v, kind->twins[v]) ? kind->twins[v] : v;
	}
	bool isKnown = true;
	for (uint32_t v = 0; v < count; ++v)
	{
		isKnown = isKnown && seen[v] != 3;
	}
	free(seen);
	return isKnown;
}

bool Actor_IsClosed(const Actor* actor)
{
	bool isClosed = actor->kind->isClosed;
	for (uint32_t v = 0; v < actor->kind->skinned.mesh.vertexCount && isClosed && actor->vertices != NULL; ++v)
	{
		isClosed = IsAt(actor, v, actor->kind->twins[v]);
	}
	return isClosed;
}

Surface Actor_OwnSurface(World* world, const Actor* actor)
{
	static const double zero[3] = { 0.0, 0.0, 0.0 };
	Actor still = *actor;
	still.frame = (snugFrame){ { 0 }, { 0 } };
	still.surface = (Surface){ 0 };
	still.surfaceChanges = 0;
	if (Actor_Surface(world, &still, zero) == NULL)
	{
		longjmp(world->failed, 2);
	}
	return still.surface;
}

void Actor_SetFrame(World* world, Actor* actor, const snugFrame* frame)
{
	snugStatus status;
	const snugFrame* given = Given(world, frame, sizeof(*frame));
	CALL(world, status = snugBody_SetFrame(actor->body, given));
	EXPECT(world, status == snug_success, "a frame: %s", snugGetStatusText(status));
	actor->frame = *frame;
	++actor->changes;
}

// Places on a grid, and turns that map axes to axes, make things touch and lie in one plane.
static void Jump(World* world, snugFrame* frame)
{
	const double reach = Chance(world, 0.6) ? 1.2 : Chance(world, 0.5) ? 0.2 : 3.0;
	const bool isSnapped = Chance(world, 0.4);
	const double* about =
	    Chance(world, 0.5) ? world->middle : world->actors[Below(world, world->actorCount)].frame.position;
	snugFrame jumped = { { 0 }, { 0 } };
	for (int k = 0; k < 3; ++k)
	{
		const double x = reach * Signed(world);
		jumped.position[k] = about[k] + world->scale * (isSnapped ? round(4.0 * x) / 4.0 : x);
	}
	*frame = jumped;
	if (Chance(world, 0.75))
	{
		RandomRotation(&world->random, frame->rotation);
	}
}

void Actor_Place(World* world, Actor* actor, bool isJump)
{
	snugFrame frame = actor->frame;
	if (isJump)
	{
		Jump(world, &frame);
	}
	for (int k = 0; k < 3 && !isJump; ++k)
	{
		frame.position[k] += world->nudge * world->scale * Signed(world);
	}
	Actor_SetFrame(world, actor, &frame);
}

void Actor_Imitate(World* world, Actor* actor, const Actor* other)
{
	const Kind* kind = actor->kind;
	EXPECT(world, kind == other->kind, "they are of one kind");
	// There is no way back to the joints of rest but matrices that say so.
	actor->jointsKind = other->jointsKind == joints_rest ? joints_matrices : other->jointsKind;
	actor->jointsKind = kind->jointCount > 0 ? actor->jointsKind : joints_rest;
	Copy(actor->matrices, other->matrices, 12 * (size_t)kind->jointCount * sizeof(float));
	Copy(actor->nodes, other->nodes, kind->jointCount * sizeof(snugMeshlessNode));
	Copy(actor->amplitudes, other->amplitudes, kind->fields.fieldCount * sizeof(float));
	if (actor->vertices != NULL)
	{
		Copy(actor->vertices, other->vertices, 3 * (size_t)kind->skinned.mesh.vertexCount * sizeof(float));
	}
	actor->frame = other->frame;
	++actor->changes;
	snugStatus status;
	CALL(world, status = Actor_Replay(actor, actor->body));
	EXPECT(world, status == snug_success || world->isExtreme, "a pose: %s", snugGetStatusText(status));
	if (status != snug_success)
	{
		longjmp(world->failed, 2); // its pose is not known any more: the round ends without fault
	}
}
