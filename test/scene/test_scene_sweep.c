// test/scene/test_scene_sweep.c: the first contact of all bodies of a scene on their way, against sweeps of every two
// of them.
#include "posed.h"
#include "workers.h"

#include "snug/snug_scene.h"

#include <math.h>
#include <string.h>

#define COMPANY 7

/// Bodies of a scene, and where they go.
typedef struct Company
{
	snugScene* scene;
	Posed bodies[COMPANY];
	snugBody* ends[COMPANY]; // null: it rests
	double origin[3];
	int threads;
} Company;

static bool IsStatic(uint32_t id)
{
	return id % 4 == 1;
}

static bool Agrees(void* user, uint32_t a, uint32_t b)
{
	(void)user;
	assert_true(a < b);
	return (a + b) % 7 != 0;
}

static uint32_t GroupsOf(uint32_t id)
{
	return 1u << id % 2;
}

static uint32_t MaskOf(uint32_t id)
{
	return id % 5 == 0 ? 1 : 3;
}

static bool MayMeet(uint32_t a, uint32_t b)
{
	return (GroupsOf(a) & MaskOf(b)) != 0 && (GroupsOf(b) & MaskOf(a)) != 0 && !(IsStatic(a) && IsStatic(b)) &&
	       Agrees(NULL, a, b);
}

static void PutSomewhere(sceneRandom* random, Company* company, Posed* posed, double reach)
{
	snugFrame frame = { { 0 }, { 0 } };
	Posed_Change(random, posed);
	for (int k = 0; k < 3; ++k)
	{
		frame.position[k] = company->origin[k] + reach * sceneRandom_Range(random, -1.0, 1.0);
	}
	RandomRotation(random, frame.rotation);
	assert_int_equal(snugBody_SetFrame(posed->thing.body, &frame), snug_success);
}

static void MakeCompany(sceneRandom* random, Company* company, double reach, snugPool* pool)
{
	*company = (Company){ .origin = { sceneRandom_Range(random, -2.0, 2.0), 0.0, 0.5 }, .threads = 1 };
	const snugSceneDef def = { .room = { .bodies = COMPANY },
		.origin = { company->origin[0], company->origin[1], company->origin[2] },
		.workers = { RunOnThreads, &company->threads },
		.filter = Agrees };
	assert_int_equal(snugScene_Create(&def, &company->scene), snug_success);
	for (uint32_t i = 0; i < COMPANY; ++i)
	{
		uint32_t id;
		Posed* posed = company->bodies + i;
		*posed = Posed_Make(random, RandomMesh(random, (MeshKind)sceneRandom_Index(random, MESH_KINDS)),
		    (Mover)sceneRandom_Index(random, POSED_DEFORMERS), i % 2 == 0 ? pool : NULL);
		PutSomewhere(random, company, posed, reach);
		snugBody* start = posed->thing.body;
		company->ends[i] = sceneRandom_Index(random, 3) != 0 ? MakeBody(posed->thing.model, pool) : NULL;
		if (company->ends[i] != NULL)
		{
			posed->thing.body = company->ends[i];
			PutSomewhere(random, company, posed, reach);
			posed->thing.body = start;
		}
		const snugSceneBodyDef body = {
			.body = start, .isStatic = IsStatic(i), .groups = GroupsOf(i), .mask = MaskOf(i)
		};
		assert_int_equal(snugScene_Add(company->scene, &body, &id), snug_success);
		assert_int_equal(id, i);
	}
}

static void FreeCompany(Company* company)
{
	snugScene_Destroy(company->scene);
	for (uint32_t i = 0; i < COMPANY; ++i)
	{
		snugBody_Destroy(company->ends[i]);
		Posed_Free(company->bodies + i);
	}
}

static snugSceneSweep BruteSweep(const Company* company, snugSweepQuery query)
{
	snugSceneSweep first = { SNUG_NONE, SNUG_NONE, { .a = SNUG_NONE, .b = SNUG_NONE } };
	const double maxTime = query.maxTime > 0.0 ? query.maxTime : 1.0;
	double proved = INFINITY;
	first.sweep.time = first.sweep.latest = maxTime;
	memcpy(query.origin, company->origin, sizeof(query.origin));
	for (uint32_t i = 0; i < COMPANY * COMPANY; ++i)
	{
		const uint32_t a = i / COMPANY, b = i % COMPANY;
		if (a >= b || !MayMeet(a, b))
		{
			continue;
		}
		const snugSweepResult found = snugSweep(
		    company->bodies[a].thing.body, company->ends[a], company->bodies[b].thing.body, company->ends[b], &query);
		assert_int_equal(found.status, snug_success);
		proved = found.answer == snug_sweepMeets ? fmin(proved, found.latest) : proved;
		if (found.answer != snug_sweepFree && (first.a == SNUG_NONE || found.time < first.sweep.time))
		{
			first = (snugSceneSweep){ a, b, found };
		}
	}
	first.sweep.answer = proved < INFINITY ? snug_sweepMeets : first.sweep.answer;
	first.sweep.latest = proved < INFINITY ? proved : first.sweep.latest;
	return first;
}

static bool AreSame(const snugSceneSweep* x, const snugSceneSweep* y)
{
	return x->a == y->a && x->b == y->b && x->sweep.answer == y->sweep.answer && x->sweep.time == y->sweep.time &&
	       x->sweep.latest == y->sweep.latest && x->sweep.a == y->sweep.a && x->sweep.b == y->sweep.b &&
	       x->sweep.stray == y->sweep.stray &&
	       memcmp(&x->sweep.featureA, &y->sweep.featureA, sizeof(snugFeature)) == 0 &&
	       memcmp(&x->sweep.featureB, &y->sweep.featureB, sizeof(snugFeature)) == 0 &&
	       memcmp(x->sweep.position, y->sweep.position, sizeof(x->sweep.position)) == 0 &&
	       memcmp(x->sweep.normal, y->sweep.normal, sizeof(x->sweep.normal)) == 0;
}

static snugSweepQuery DrawQuery(sceneRandom* random)
{
	return (snugSweepQuery){ .newOnly = sceneRandom_Index(random, 2) == 0,
		.margin = sceneRandom_Index(random, 3) == 0 ? sceneRandom_Range(random, 0.0, 0.2) : 0.0,
		.maxTime = sceneRandom_Index(random, 3) == 0 ? sceneRandom_Range(random, 0.01, 1.0) : 0.0,
		.tolerance = sceneRandom_Index(random, 3) == 0 ? 1e-3 : 0.0,
		.path = sceneRandom_Index(random, 4) == 0 ? snug_pathTurning : snug_pathStraight };
}

// Whatever was asked, boxes are as they were: as many pairs of them are near.
static void the_first_of_all_is_that_of_every_two(void** state)
{
	(void)state;
	int free = 0, later = 0;
	const int count = TestCount(15);
	print_message("seeds from %llu\n", (unsigned long long)TestSeed());
	for (int n = 0; n < count; ++n)
	{
		const uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed * 49979687 };
		snugPool* pool = n % 3 == 0 ? MakePool(4096 * 3) : NULL;
		const double reach = sceneRandom_Index(&random, 2) == 0 ? 3.0 : 12.0;
		Company company;
		MakeCompany(&random, &company, reach, pool);
		const snugSceneNearQuery near = { .margin = 0.3 };
		const uint64_t candidates = snugScene_FindNear(company.scene, &near).candidates;
		for (int i = 0; i < 3; ++i)
		{
			const snugSweepQuery query = DrawQuery(&random);
			const snugSceneSweep truth = BruteSweep(&company, query);
			snugSceneSweep found;
			company.threads = 1 + (int)sceneRandom_Index(&random, 3);
			const snugSceneResult result = snugScene_Sweep(company.scene, company.ends, COMPANY, &query, &found);
			assert_int_equal(result.status, snug_success);
			if (!AreSame(&found, &truth) || (result.count > 0) != (truth.a != SNUG_NONE))
			{
				fail_msg("seed %llu, question %d: bodies %u and %u at %.17g instead of %u and %u at %.17g",
				    (unsigned long long)seed, i, found.a, found.b, found.sweep.time, truth.a, truth.b,
				    truth.sweep.time);
			}
			assert_true(result.queries <= result.candidates);
			assert_true(snugScene_FindNear(company.scene, &near).candidates == candidates);
			free += found.a == SNUG_NONE;
			later += found.a != SNUG_NONE && found.sweep.time > 0.0;
		}
		FreeCompany(&company);
		snugPool_Destroy(pool);
	}
	assert_true(count < 15 || (free > count / 10 && later > count / 10));
}

// Even where it is cut.
static void any_number_of_threads_finds_the_same(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(10); ++n)
	{
		sceneRandom random = { (TestSeed() + (uint64_t)n) * 67867967 };
		Company company;
		MakeCompany(&random, &company, 4.0, NULL);
		const snugSweepQuery query = { .maxSteps = 1 + sceneRandom_Index(&random, 50), .newOnly = n % 2 == 0 };
		snugSceneSweep one, many;
		company.threads = 1;
		assert_int_equal(snugScene_Sweep(company.scene, company.ends, COMPANY, &query, &one).status, snug_success);
		company.threads = 4;
		assert_int_equal(snugScene_Sweep(company.scene, company.ends, COMPANY, &query, &many).status, snug_success);
		assert_true(AreSame(&one, &many));
		FreeCompany(&company);
	}
}

static void nobody_moves(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	Company company;
	MakeCompany(&random, &company, 2.0, NULL);
	snugSceneSweep found;
	assert_int_equal(snugScene_Sweep(company.scene, NULL, 0, NULL, &found).status, snug_success);
	const uint64_t touching = snugScene_Update(company.scene, NULL).count;
	assert_true((found.sweep.answer == snug_sweepMeets) == (touching > 0));
	const snugSweepQuery query = { .newOnly = true };
	assert_int_equal(snugScene_Sweep(company.scene, NULL, 0, &query, &found).status, snug_success);
	assert_true(found.sweep.answer == snug_sweepFree && found.sweep.time == 1.0 && found.a == SNUG_NONE);
	FreeCompany(&company);
}

static void misuse_is_refused(void** state)
{
	(void)state;
	sceneRandom random = { 5 };
	Company company;
	MakeCompany(&random, &company, 3.0, NULL);
	snugSceneSweep found;
	snugScene* scene = company.scene;
	const snugSweepQuery odd[] = { { .reserved = { 1 } }, { .origin = { 1.0, 0.0, 0.0 } }, { .path = (snugPath)2 } };
	const snugSweepQuery bad[] = { { .margin = -1.0 }, { .tolerance = NAN }, { .maxTime = 2.0 } };
	assert_int_equal(snugScene_Sweep(NULL, NULL, 0, NULL, &found).status, snug_badArgument);
	assert_int_equal(snugScene_Sweep(scene, NULL, 1, NULL, &found).status, snug_badArgument);
	assert_int_equal(snugScene_Sweep(scene, NULL, 0, NULL, NULL).status, snug_badArgument);
	for (size_t i = 0; i < LENGTH_OF(odd); ++i)
	{
		assert_int_equal(snugScene_Sweep(scene, NULL, 0, odd + i, &found).status, snug_badArgument);
	}
	for (size_t i = 0; i < LENGTH_OF(bad); ++i)
	{
		assert_int_equal(snugScene_Sweep(scene, NULL, 0, bad + i, &found).status, snug_badInput);
		assert_true(found.sweep.answer == snug_sweepUnsure && found.sweep.time == 0.0);
	}
	snugBody* ends[COMPANY] = { company.bodies[1].thing.body }; // in the scene
	assert_int_equal(snugScene_Sweep(scene, ends, COMPANY, NULL, &found).status, snug_badArgument);
	ends[1] = ends[0] = MakeBody(company.bodies[0].thing.model, NULL); // twice
	assert_int_equal(snugScene_Sweep(scene, ends, COMPANY, NULL, &found).status, snug_badArgument);
	snugBody_Destroy(ends[0]);
	ends[1] = NULL;
	ends[0] = company.bodies[0].thing.body; // rests
	assert_int_equal(snugScene_Sweep(scene, ends, COMPANY, NULL, &found).status, snug_success);
	ends[2] = MakeBody(company.bodies[0].thing.model, NULL);
	snugSceneResult result = snugScene_Sweep(scene, ends, COMPANY, NULL, &found);
	assert_true(result.status == snug_badInput && result.body == 2 && found.sweep.status == snug_badInput);
	snugBody_Destroy(ends[2]);
	ends[2] = MakeBody(company.bodies[2].thing.model, NULL);
	Place(ends[2], 1e300, 0.0, 0.0);
	result = snugScene_Sweep(scene, ends, COMPANY, NULL, &found);
	assert_true(result.status == snug_outOfRange && result.body == 2 && found.sweep.answer == snug_sweepUnsure);
	snugBody_Destroy(ends[2]);
	FreeCompany(&company);
}

// Wherever they are, whatever they were told, and whatever stands at their ids; and no body is asked about itself.
static void shapes_are_not_asked_about(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(10); ++n)
	{
		sceneRandom random = { (TestSeed() + (uint64_t)n) * 32452843 };
		Company company;
		MakeCompany(&random, &company, 4.0, NULL);
		snugScene* scene = company.scene;
		const uint32_t id = COMPANY;
		const snugFrame frame = { { 0.0 }, { 0.0 } };
		const snugScenePoses frames = { .ids = &id, .count = 1, .frames = &frame };
		const snugSceneRoom room = { .bodies = COMPANY + 2 };
		const snugShape all = { .radius = 100.0f },
		                floor = { .kind = snug_shapeHalfSpace, .plane = { .normal = { 0.0, 0.0, 1.0 } } };
		snugSweepQuery query = DrawQuery(&random);
		query.maxSteps = 3000; // whatever is found then
		snugBody* ends[COMPANY + 2];
		uint32_t ids[2];
		memcpy(ends, company.ends, sizeof(company.ends));
		ends[COMPANY] = company.bodies[0].thing.body; // of the scene, which at the id of a body is misuse
		ends[COMPANY + 1] = company.bodies[1].thing.body;
		snugSceneSweep before, found;
		const snugSceneResult without = snugScene_Sweep(scene, ends, COMPANY, &query, &before);
		assert_int_equal(snugScene_Reserve(scene, &room), snug_success);
		assert_int_equal(snugScene_Add(scene, &(snugSceneBodyDef){ .shape = &all }, ids), snug_success);
		assert_int_equal(snugScene_Add(scene, &(snugSceneBodyDef){ .shape = &floor }, ids + 1), snug_success);
		assert_true(ids[0] == COMPANY && ids[1] == COMPANY + 1);
		company.threads = 1 + n % 3;
		snugSceneResult with = snugScene_Sweep(scene, ends, COMPANY + 2, &query, &found);
		assert_int_equal(with.status, snug_success);
		assert_true(AreSame(&before, &found) && with.candidates == without.candidates && with.count == without.count);
		const uint64_t touching = snugScene_Update(scene, NULL).count;
		assert_int_equal(snugScene_SetPoses(scene, &frames), snug_badArgument);
		assert_int_equal(snugScene_SetShape(scene, ids[0], &floor), snug_success);
		with = snugScene_Sweep(scene, ends, COMPANY + 2, &query, &found);
		assert_true(AreSame(&before, &found) && with.candidates == without.candidates);
		assert_int_equal(snugScene_SetShape(scene, ids[0], &all), snug_success);
		assert_true(snugScene_Update(scene, NULL).count == touching); // boxes are as they were
		assert_int_equal(snugScene_Remove(scene, ids[0]), snug_success);
		with = snugScene_Sweep(scene, ends, COMPANY + 2, &query, &found);
		assert_true(AreSame(&before, &found) && with.candidates == without.candidates);
		FreeCompany(&company);
	}
}

static void room_for_candidates_is_asked_for(void** state)
{
	(void)state;
	snugScene* scene = NULL;
	assert_int_equal(
	    snugScene_Create(&(snugSceneDef){ .room = { .bodies = 8, .candidates = 1 } }, &scene), snug_success);
	Thing thing = Thing_Make(sceneMakeTetrahedron(), snug_rigid, (snugTreeDef){ 0 }, NULL);
	snugBody* bodies[8];
	for (int i = 0; i < 8; ++i)
	{
		uint32_t id;
		bodies[i] = MakeBody(thing.model, NULL);
		assert_int_equal(snugScene_Add(scene, &(snugSceneBodyDef){ .body = bodies[i] }, &id), snug_success);
	}
	snugSceneSweep found;
	snugSceneResult result = snugScene_Sweep(scene, NULL, 0, NULL, &found);
	assert_true(result.status == snug_outOfRange && result.needed.candidates == 28 && result.body == SNUG_NONE);
	assert_int_equal(snugScene_Reserve(scene, &result.needed), snug_success);
	result = snugScene_Sweep(scene, NULL, 0, NULL, &found);
	assert_true(result.status == snug_success && found.a == 0 && found.b == 1 && found.sweep.time == 0.0);
	snugScene_Destroy(scene);
	for (int i = 0; i < 8; ++i)
	{
		snugBody_Destroy(bodies[i]);
	}
	Thing_Free(&thing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_of_all_is_that_of_every_two),
		cmocka_unit_test(any_number_of_threads_finds_the_same),
		cmocka_unit_test(nobody_moves),
		cmocka_unit_test(misuse_is_refused),
		cmocka_unit_test(shapes_are_not_asked_about),
		cmocka_unit_test(room_for_candidates_is_asked_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
