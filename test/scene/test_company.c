// test/scene/test_company.c: bodies that live together, in any order of posing, placing and asking, answer as new ones
// would.
//
// What a body remembers serves all its partners, over many steps, on several threads. So a company of bodies of every
// deformer and strategy, most of them over one shared pool that is too small, is posed and placed at random, coherently
// or not, and pairs of them are asked. After each question two new bodies are told the same and asked the same, alone.
// Would catch vertices, boxes or triangles that are kept from an earlier pose or place, or taken from another cluster
// that was.
#define _POSIX_C_SOURCE 200809L
#include "workers.h"

#include "lab/scenes/character.h"

#include <stdlib.h>
#include <string.h>

enum
{
	MODELS = 6,
	MEMBERS = 12,
	MAX_TARGETS = 16,
	KEPT_POSES = 3,
};

static const Mover deformers[MODELS] = { snug_skin, mover_spherical, mover_dualQuaternion, snug_fields, snug_free,
	snug_rigid };

typedef struct Pose
{
	float matrices[12 * SCENE_MAX_JOINTS];
	float amplitudes[MAX_TARGETS];
	float* vertices; // of free bodies
} Pose;

typedef struct Member
{
	Mover deformer;
	const snugModel* model;
	snugBody* body;
	Pose pose;
	double phase;              // of its walk
	double phases[KEPT_POSES]; // that it was in, to come back to
	snugFrame home;            // another for each, for bodies that coincide touch everywhere; one has none
	snugFrame frame;
} Member;

typedef struct Company
{
	sceneCharacter character;
	snugModel* models[MODELS];
	Member members[MEMBERS];
	snugPool* pool;
	uint64_t seed;
	uint64_t pairs, questions;
} Company;

static void Tell(const Company* company, const Member* member, snugBody* body)
{
	const Pose* pose = &member->pose;
	const sceneCharacter* character = &company->character;
	snugStatus status = snugBody_SetFrame(body, &member->frame);
	if (member->deformer == snug_free)
	{
		status |= snugBody_SetVertices(body, pose->vertices, 0, 0, character->mesh.vertexCount);
	}
	else if (member->deformer != snug_rigid)
	{
		status |= snugBody_SetAmplitudes(body, pose->amplitudes, character->targets.count);
		if (member->deformer != snug_fields)
		{
			status |= snugBody_SetJoints(body, pose->matrices, 0, character->weights.transformCount);
		}
	}
	assert_int_equal(status, snug_success);
}

static const snugBodyDef* DefOf(const Company* company, int number, snugBodyDef* def)
{
	*def = (snugBodyDef){ .model = company->models[number % MODELS],
		.strategy = (snugStrategy)((number + number / MODELS) % 4),
		.pool = number % 3 == 0 ? NULL : company->pool };
	return def;
}

static void Company_Make(Company* company, uint64_t seed)
{
	company->seed = seed;
	company->pool = MakePool(60 * 4096);
	assert_true(sceneCharacter_Create(&company->character, scene_man));
	assert_true(company->character.targets.count <= MAX_TARGETS);
	for (int i = 0; i < MODELS; ++i)
	{
		snugModelDef def = sceneCharacter_MakeDef(&company->character, Mover_Blending(deformers[i]));
		def.deformer = Mover_Deformer(deformers[i]);
		if (i < 4)
		{
			def.fields = sceneTargets_Get(&company->character.targets);
		}
		if (i >= 3)
		{
			def.skin = (snugSkinDef){ 0 };
		}
		assert_int_equal(snugModel_Create(&def, &company->models[i]), snug_success);
	}
	size_t bytes = 3 * sizeof(float) * company->character.mesh.vertexCount;
	for (int i = 0; i < MEMBERS; ++i)
	{
		Member* member = company->members + i;
		snugBodyDef def;
		*member = (Member){ .deformer = deformers[i % MODELS], .model = company->models[i % MODELS] };
		assert_int_equal(snugBody_Create(DefOf(company, i, &def), &member->body), snug_success);
		member->home = (snugFrame){ .position = { 0.06 * i, 0.0, 0.02 * i }, .rotation = { 0.0, 0.0, 0.0, 1.0 } };
		member->frame = member->home;
		member->pose.vertices = malloc(bytes);
		assert_non_null(member->pose.vertices);
		memcpy(member->pose.vertices, company->character.mesh.positions, bytes);
		sceneCharacter_Walk(&company->character, 0.0, member->pose.matrices);
		Tell(company, member, member->body);
	}
}

static void Company_Free(Company* company)
{
	for (int i = 0; i < MEMBERS; ++i)
	{
		snugBody_Destroy(company->members[i].body);
		free(company->members[i].pose.vertices);
	}
	for (int i = 0; i < MODELS; ++i)
	{
		snugModel_Destroy(company->models[i]);
	}
	snugPool_Destroy(company->pool);
	sceneCharacter_Free(&company->character);
}

// ---- Telling -----------------------------------------------------------------------------------------------------

// Some vertices of a free body, or all.
static void MoveVertices(const Company* company, Member* member, sceneRandom* random)
{
	uint32_t vertexCount = company->character.mesh.vertexCount;
	uint32_t count = sceneRandom_Index(random, 2) == 0 ? vertexCount : 1 + sceneRandom_Index(random, 40);
	uint32_t first = sceneRandom_Index(random, vertexCount - count + 1);
	float by = (float)sceneRandom_Range(random, -0.02, 0.02);
	for (uint32_t i = 3 * first; i < 3 * (first + count); ++i)
	{
		member->pose.vertices[i] += by;
	}
	assert_int_equal(
	    snugBody_SetVertices(member->body, member->pose.vertices + 3 * (size_t)first, 0, first, count), snug_success);
}

// On with its walk, to anywhere in it, back to where it was before, or nowhere.
static void MoveJoints(const Company* company, Member* member, sceneRandom* random)
{
	const double next[4] = { member->phase + 0.01, sceneRandom_Unit(random),
		member->phases[sceneRandom_Index(random, KEPT_POSES)], member->phase };
	member->phases[sceneRandom_Index(random, KEPT_POSES)] = member->phase;
	member->phase = next[sceneRandom_Index(random, 4)];
	const sceneCharacter* character = &company->character;
	sceneCharacter_Walk(character, member->phase, member->pose.matrices);
	sceneCharacter_Breathe(character, member->phase, member->pose.amplitudes);
	if (member->deformer != snug_fields && sceneRandom_Index(random, 2) == 0)
	{
		memset(member->pose.amplitudes, 0, sizeof(member->pose.amplitudes));
	}
	Tell(company, member, member->body);
}

static void Move(Member* member, sceneRandom* random)
{
	const double place[3] = { sceneRandom_Range(random, -0.4, 0.4), sceneRandom_Range(random, -0.2, 0.2),
		sceneRandom_Range(random, -0.4, 0.4) };
	const double axis[3] = { 0.1, 1.0, -0.2 };
	snugFrame frame = sceneMakeFrame(place, axis, sceneRandom_Range(random, -3.0, 3.0));
	switch (sceneRandom_Index(random, 4))
	{
		case 0:
			member->frame = frame;
			break;
		case 1: // moved without being turned
			memcpy(member->frame.position, frame.position, sizeof(frame.position));
			break;
		case 2:
			member->frame.position[0] += 0.001;
			break;
		default:
			member->frame = member->home;
			break;
	}
	assert_int_equal(snugBody_SetFrame(member->body, &member->frame), snug_success);
}

// ---- Asking ------------------------------------------------------------------------------------------------------

static PairList Collide(snugBody* a, snugBody* b, const double origin[3], snugParallelFcn* parallel)
{
	enum
	{
		CAPACITY = 1 << 16
	};
	PairList list = { .pairs = malloc(CAPACITY * sizeof(snugPair)) };
	assert_non_null(list.pairs);
	snugQuery query = { .pairs = list.pairs, .capacity = CAPACITY, .workers.run = parallel };
	memcpy(query.origin, origin, sizeof(query.origin));
	snugResult result = snugCollide(a, b, &query);
	assert_int_equal(result.status, snug_success);
	assert_true(result.complete && result.count <= CAPACITY);
	list.count = result.count;
	return list;
}

static void Ask(Company* company, Member* a, Member* b, sceneRandom* random)
{
	const double far[3] = { 0.1, -3.0, 0.7 }, zero[3] = { 0.0, 0.0, 0.0 };
	const double* origin = sceneRandom_Index(random, 3) == 0 ? far : zero;
	snugBody *freshA = MakeBody(a->model, NULL), *freshB = MakeBody(b->model, NULL);
	Tell(company, a, freshA);
	Tell(company, b, freshB);
	PairList expected = Collide(freshA, freshB, origin, NULL);
	// The last task first: what tasks share is not there when it is wanted, or is an earlier pose's.
	snugParallelFcn* const ways[3] = { NULL, RunOnThreads, RunBackwards };
	PairList found = Collide(a->body, b->body, origin, ways[sceneRandom_Index(random, 3)]);
	AssertSamePairs("company", company->seed, &expected, &found);
	company->pairs += expected.count;
	++company->questions;
	PairList_Free(&expected);
	PairList_Free(&found);
	snugBody_Destroy(freshA);
	snugBody_Destroy(freshB);
}

// What the body says of its vertices, and a new one.
static void AskVertices(const Company* company, Member* member)
{
	uint32_t count = company->character.mesh.vertexCount;
	float *found = malloc(12 * (size_t)count), *expected = malloc(12 * (size_t)count);
	snugBody* fresh = MakeBody(member->model, NULL);
	Tell(company, member, fresh);
	assert_int_equal(snugBody_GetVertices(fresh, NULL, expected, 0), snug_success);
	assert_int_equal(snugBody_GetVertices(member->body, NULL, found, 0), snug_success);
	if (memcmp(found, expected, 12 * (size_t)count) != 0)
	{
		fail_msg("SNUG_SEED=%llu: vertices differ from a new body's", (unsigned long long)company->seed);
	}
	snugBody_Destroy(fresh);
	free(found);
	free(expected);
}

static void Live(uint64_t seed, int steps)
{
	Company company = { .seed = seed };
	sceneRandom random = { seed };
	Company_Make(&company, seed);
	for (int step = 0; step < steps; ++step)
	{
		Member* a = company.members + sceneRandom_Index(&random, MEMBERS);
		Member* b = company.members + sceneRandom_Index(&random, MEMBERS - 1);
		b = b == a ? company.members + MEMBERS - 1 : b;
		switch (sceneRandom_Index(&random, 8))
		{
			case 0:
			case 1:
				a->deformer == snug_free ? MoveVertices(&company, a, &random) : MoveJoints(&company, a, &random);
				break;
			case 2:
				Move(a, &random);
				break;
			case 3:
				AskVertices(&company, a);
				break;
			default:
				Ask(&company, a, b, &random);
				break;
		}
	}
	print_message(
	    "%llu pairs in %llu questions\n", (unsigned long long)company.pairs, (unsigned long long)company.questions);
	assert_true(company.pairs > 0 || steps < 50);
	for (int i = 0; i < MEMBERS; ++i)
	{
		assert_int_equal(snugBody_Validate(company.members[i].body, NULL), snug_success);
	}
	Company_Free(&company);
}

static void a_company_answers_as_new_bodies_would(void** state)
{
	(void)state;
	for (uint64_t i = 0; i < 3; ++i)
	{
		Live(TestSeed() + i, TestCount(150));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_company_answers_as_new_bodies_would),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
