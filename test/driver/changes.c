// test/driver/changes.c: what bodies are told: poses of every sort, several between two questions, and some that they
// must refuse and forget.
#include "driver/operations.h"

bool ChangeFocus(World* world)
{
	Focus(world);
	return true;
}

// --- Skins ----------------------------------------------------------------------------------------------------------

// Any matrices for linear skins; those of the others turn, and may scale.
static void DrawMatrices(World* world, Actor* actor, float* matrices)
{
	const Kind* kind = actor->kind;
	SkinnedMesh skinned = kind->skinned; // with its own matrices, which are only scratch
	const size_t bytes = 12 * (size_t)kind->jointCount * sizeof(float);
	Copy(skinned.skin.matrices, actor->matrices, bytes);
	if (Chance(world, 0.6))
	{
		NudgeJoints(&world->random, &skinned);
	}
	else if (kind->deformer == snug_skin && Chance(world, 0.4))
	{
		RandomMatrices(&world->random, &skinned.skin, kind->size, 0.0);
	}
	else
	{
		TurnJoints(&world->random, &skinned);
	}
	Copy(matrices, skinned.skin.matrices, bytes);
}

void DrawJoints(World* world, Actor* actor, float* matrices)
{
	snugBody* shadow = Actor_MakeShadow(world, actor);
	DrawMatrices(world, actor, matrices);
	if (shadow == NULL || snugBody_SetJoints(shadow, matrices, 0, actor->kind->jointCount) != snug_success)
	{
		Copy(matrices, actor->matrices, 12 * (size_t)actor->kind->jointCount * sizeof(float));
	}
	snugBody_Destroy(shadow);
}

// The same as columns, which is what OpenGL has.
static const float* AsColumns(World* world, const float* matrices, uint32_t count, size_t stride)
{
	float* columns = Scratch(16 * (size_t)count * sizeof(float));
	for (size_t j = 0; j < count; ++j)
	{
		for (size_t i = 0; i < 16; ++i)
		{
			columns[16 * j + i] = i % 4 == 3 ? (float)(i == 15) : matrices[12 * j + 4 * (i % 4) + i / 4];
		}
	}
	return StridedGiven(world, columns, count, 64, stride);
}

static void TellJoints(World* world, Actor* actor)
{
	const Kind* kind = actor->kind;
	float* matrices = Scratch(12 * (size_t)kind->jointCount * sizeof(float));
	DrawMatrices(world, actor, matrices);
	snugStatus status;
	if (Chance(world, 0.3))
	{
		const size_t stride = DrawStride(world, 64);
		const float* given = AsColumns(world, matrices, kind->jointCount, stride);
		CALL(world, status = snugBody_SetJoints4x4(actor->body, given, stride, kind->jointCount));
	}
	else
	{
		const size_t stride = DrawStride(world, 48);
		const float* given = StridedGiven(world, matrices, kind->jointCount, 48, stride);
		CALL(world, status = snugBody_SetJoints(actor->body, given, stride, kind->jointCount));
	}
	// Steps that add up may flatten a joint in the end, which only linear skins take.
	EXPECT(world,
	    status == snug_success || world->isExtreme || (status == snug_badInput && kind->deformer != snug_skin),
	    "joints: %s", snugGetStatusText(status));
	if (status == snug_success)
	{
		Copy(actor->matrices, matrices, 12 * (size_t)kind->jointCount * sizeof(float));
		actor->jointsKind = joints_matrices;
		++actor->changes;
	}
}

bool SetJoints(World* world)
{
	Actor* actor = AnyActor(world);
	for (uint32_t times = actor->kind->jointCount > 0 ? 1 + Below(world, 3) : 0; times > 0; --times)
	{
		TellJoints(world, actor);
	}
	return actor->kind->jointCount > 0;
}

bool SetNodes(World* world)
{
	Actor* actor = AnyActor(world);
	const Kind* kind = actor->kind;
	if (kind->deformer != snug_skin)
	{
		return false;
	}
	snugMeshlessNode* nodes = Scratch(kind->jointCount * sizeof(snugMeshlessNode));
	for (uint32_t j = 0; j < kind->jointCount; ++j)
	{
		for (int i = 0; i < 3; ++i)
		{
			nodes[j].position[i] = (float)(kind->size * Signed(world));
			nodes[j].displacement[i] = (float)(0.2 * kind->size * Signed(world));
			for (int k = 0; k < 3; ++k)
			{
				nodes[j].gradient[i][k] = (float)(0.3 * Signed(world));
			}
		}
	}
	const snugMeshlessNode* given = Given(world, nodes, kind->jointCount * sizeof(snugMeshlessNode));
	snugStatus status;
	CALL(world, status = snugBody_SetMeshlessNodes(actor->body, given, kind->jointCount));
	EXPECT(world, status == snug_success || world->isExtreme, "nodes: %s", snugGetStatusText(status));
	if (status == snug_success)
	{
		Copy(actor->nodes, nodes, kind->jointCount * sizeof(snugMeshlessNode));
		actor->jointsKind = joints_nodes;
		++actor->changes;
	}
	return true;
}

// --- Fields and vertices --------------------------------------------------------------------------------------------

static void TellAmplitudes(World* world, Actor* actor)
{
	const uint32_t count = actor->kind->fields.fieldCount;
	FieldSet set = { .fieldCount = count, .amplitudes = Scratch(count * sizeof(float)) };
	Copy(set.amplitudes, actor->amplitudes, count * sizeof(float));
	if (Chance(world, 0.5))
	{
		NudgeAmplitudes(&world->random, &set);
	}
	else if (Chance(world, 0.2)) // huge and subnormal ones among them
	{
		RandomAmplitudes(&world->random, &set);
	}
	else
	{
		const double most = Chance(world, 0.1) ? 0.0 : Magnitude(world, 0.01, 3.0);
		for (uint32_t f = 0; f < count; ++f)
		{
			set.amplitudes[f] = Chance(world, 0.2) ? 0.0f : (float)(most * Signed(world));
		}
	}
	const float* given = Given(world, set.amplitudes, count * sizeof(float));
	snugStatus status;
	CALL(world, status = snugBody_SetAmplitudes(actor->body, given, count));
	EXPECT(world, status == snug_success || status == snug_outOfRange, "amplitudes: %s", snugGetStatusText(status));
	if (status == snug_success)
	{
		Copy(actor->amplitudes, set.amplitudes, count * sizeof(float));
		++actor->changes;
	}
}

bool SetAmplitudes(World* world)
{
	Actor* actor = AnyActor(world);
	for (uint32_t times = actor->kind->fields.fieldCount > 0 ? 1 + Below(world, 2) : 0; times > 0; --times)
	{
		TellAmplitudes(world, actor);
	}
	return actor->kind->fields.fieldCount > 0;
}

static void TellVertices(World* world, Actor* actor)
{
	const Kind* kind = actor->kind;
	const uint32_t vertexCount = kind->skinned.mesh.vertexCount;
	const uint32_t first = Chance(world, 0.3) ? 0 : Below(world, vertexCount + 1), most = vertexCount - first;
	const uint32_t count = Chance(world, 0.4) ? most : Below(world, (most < 10 ? most : 10) + 1);
	const double reach = Chance(world, 0.3) ? 0.3 : world->nudge;
	float* moved = Scratch(3 * (size_t)count * sizeof(float));
	const bool goesHome = Chance(world, 0.2);
	for (size_t i = 0; i < 3 * (size_t)count; ++i)
	{
		const size_t at = 3 * (size_t)first + i;
		moved[i] = goesHome ? kind->skinned.mesh.positions[at]
		                    : (float)((double)actor->vertices[at] + reach * kind->size * Signed(world));
	}
	const size_t stride = DrawStride(world, 12);
	const float* given = StridedGiven(world, moved, count, 12, stride);
	snugStatus status;
	CALL(world, status = snugBody_SetVertices(actor->body, given, stride, first, count));
	EXPECT(world, status == snug_success || world->isExtreme, "vertices: %s", snugGetStatusText(status));
	if (status == snug_success)
	{
		Copy(actor->vertices + 3 * (size_t)first, moved, 3 * (size_t)count * sizeof(float));
		++actor->changes;
	}
}

bool SetVertices(World* world)
{
	Actor* actor = AnyActor(world);
	for (uint32_t times = actor->vertices != NULL ? 1 + Below(world, 3) : 0; times > 0; --times)
	{
		TellVertices(world, actor);
	}
	return actor->vertices != NULL;
}

// --- Frames ---------------------------------------------------------------------------------------------------------

bool SetFrame(World* world)
{
	Actor_Place(world, AnyActor(world), Chance(world, 0.3));
	return true;
}

// One body exactly where another is, or beside it: ties, and surfaces that coincide.
bool Imitate(World* world)
{
	Actor* actor = AnyActor(world);
	const Actor* other = OtherActor(world, actor);
	if (actor->kind == other->kind && Chance(world, 0.7))
	{
		Actor_Imitate(world, actor, other);
	}
	else
	{
		Actor_SetFrame(world, actor, &other->frame);
	}
	if (Chance(world, 0.3))
	{
		snugFrame frame = actor->frame;
		frame.position[Below(world, 3)] += world->scale * (Chance(world, 0.5) ? 0.25 : 1e-3);
		Actor_SetFrame(world, actor, &frame);
	}
	return actor->kind == other->kind;
}

// --- What is no pose ------------------------------------------------------------------------------------------------

static float NoNumber(World* world)
{
	return Chance(world, 0.5) ? NAN : Chance(world, 0.5) ? INFINITY : -INFINITY;
}

// The body stays as it was, which what is asked next will show.
bool Refuse(World* world)
{
	Actor* actor = AnyActor(world);
	const Kind* kind = actor->kind;
	snugFrame frame = actor->frame;
	(Chance(world, 0.5) ? frame.position : frame.rotation)[Below(world, 3)] = (double)NoNumber(world);
	snugStatus status;
	CALL(world, status = snugBody_SetFrame(actor->body, &frame));
	EXPECT(world, status == snug_badInput, "a frame: %s", snugGetStatusText(status));
	if (kind->jointCount > 0)
	{
		float* matrices = Scratch(12 * (size_t)kind->jointCount * sizeof(float));
		DrawMatrices(world, actor, matrices);
		matrices[Below(world, 12 * kind->jointCount)] = NoNumber(world);
		CALL(world, status = snugBody_SetJoints(actor->body, matrices, 0, kind->jointCount));
		EXPECT(world, status == snug_badInput, "joints: %s", snugGetStatusText(status));
		CALL(world, status = snugBody_SetJoints(actor->body, actor->matrices, 0, kind->jointCount - 1));
		EXPECT(world, status == snug_badInput, "too few joints: %s", snugGetStatusText(status));
	}
	if (kind->fields.fieldCount > 0)
	{
		float* amplitudes = Scratch(kind->fields.fieldCount * sizeof(float));
		Copy(amplitudes, actor->amplitudes, kind->fields.fieldCount * sizeof(float));
		amplitudes[Below(world, kind->fields.fieldCount)] = NoNumber(world);
		CALL(world, status = snugBody_SetAmplitudes(actor->body, amplitudes, kind->fields.fieldCount));
		EXPECT(world, status == snug_badInput, "amplitudes: %s", snugGetStatusText(status));
	}
	if (actor->vertices != NULL && kind->skinned.mesh.vertexCount > 0)
	{
		const uint32_t count = kind->skinned.mesh.vertexCount;
		float* vertices = Scratch(3 * (size_t)count * sizeof(float));
		Copy(vertices, actor->vertices, 3 * (size_t)count * sizeof(float));
		vertices[0] += (float)kind->size;
		vertices[Below(world, 3 * count)] = NoNumber(world);
		CALL(world, status = snugBody_SetVertices(actor->body, vertices, 0, 0, count));
		EXPECT(world, status == snug_badInput, "vertices: %s", snugGetStatusText(status));
		CALL(world, status = snugBody_SetVertices(actor->body, actor->vertices, 0, 1, count));
		EXPECT(world, status == snug_badArgument, "a vertex too many: %s", snugGetStatusText(status));
	}
	snugQuery dirty = { .reserved = { 1 } }, nowhere = { .origin = { (double)NoNumber(world) } };
	snugBody* other = OtherActor(world, actor)->body;
	EXPECT(world, snugCollide(actor->body, other, &dirty).status == snug_badArgument, "a reserved member");
	EXPECT(world, snugCollide(actor->body, other, &nowhere).status == snug_badArgument, "an origin that is none");
	EXPECT(world, snugCollide(actor->body, actor->body, NULL).status == snug_badArgument, "a body with itself");
	return true;
}

// --- Other ways to bring a body up to date --------------------------------------------------------------------------

bool Refit(World* world)
{
	Actor* actor = AnyActor(world);
	snugStatus status;
	CALL(world, status = snugBody_Refit(actor->body));
	EXPECT(world, status == snug_success || world->isExtreme, "refitting: %s", snugGetStatusText(status));
	return true;
}

// All bodies of a kind, whatever was displaced already: the others' answers tell whether it was right.
bool DisplaceTogether(World* world)
{
	const Kind* kind = AnyActor(world)->kind;
	snugBody* bodies[MOST_ACTORS];
	uint32_t count = 0;
	for (uint32_t i = 0; i < world->actorCount; ++i)
	{
		if (world->actors[i].kind == kind)
		{
			bodies[count++] = world->actors[i].body;
		}
	}
	snugStatus status;
	CALL(world, status = snugBody_DisplaceTogether(bodies, count));
	EXPECT(world, status == snug_success, "displacing %u bodies: %s", count, snugGetStatusText(status));
	return true;
}

// Another body in its place, perhaps with another strategy or pool.
bool MakeAnew(World* world)
{
	Actor* actor = AnyActor(world);
	if (actor->isPresent)
	{
		return false;
	}
	snugBody_Destroy(actor->body);
	actor->strategy = (snugStrategy)Below(world, 4);
	actor->pool = Chance(world, world->poolChance) ? world->pool : NULL;
	Actor_MakeBody(world, actor);
	snugStatus status;
	CALL(world, status = Actor_Replay(actor, actor->body));
	EXPECT(world, status == snug_success || world->isExtreme, "a pose: %s", snugGetStatusText(status));
	if (status != snug_success)
	{
		longjmp(world->failed, 2);
	}
	return true;
}
