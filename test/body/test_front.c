// test/body/test_front.c: when bounds are refitted: on demand, at the front, bottom-up, automatically; boxes that grow
// with motion instead of being refitted; one query on several threads. Pairs never depend on it; counters tell them
// apart.
#include "workers.h"

#include "body/body.h"
#include "lab/scenes/character.h"
#include "lab/scenes/meshless.h"
#include "snug/snug_queries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A meshless body that bends.
typedef struct Clay
{
	Thing thing;
	sceneMeshless meshless;
	snugMeshlessNode* nodes;
} Clay;

static Clay Clay_Make(uint32_t frequency, uint32_t nodeCount, uint64_t seed, snugTreeDef tree, snugStrategy strategy)
{
	Clay clay = { .nodes = malloc(nodeCount * sizeof(snugMeshlessNode)) };
	assert_non_null(clay.nodes);
	assert_true(sceneMeshless_Create(&clay.meshless, sceneMakeBrain(frequency, seed), nodeCount, 12.0));
	snugModelDef def = sceneMakeBlendDef(&clay.meshless.mesh, &clay.meshless.weights, tree);
	assert_int_equal(snugModel_Create(&def, &clay.thing.model), snug_success);
	clay.thing.mesh = clay.meshless.mesh;
	snugBodyDef bodyDef = { .model = clay.thing.model, .strategy = strategy };
	assert_int_equal(snugBody_Create(&bodyDef, &clay.thing.body), snug_success);
	return clay;
}

static void Clay_Free(Clay* clay)
{
	snugBody_Destroy(clay->thing.body);
	snugModel_Destroy(clay->thing.model);
	sceneMeshless_Free(&clay->meshless);
	free(clay->nodes);
}

static void Clay_Pose(Clay* clay, double pull, double twist, double bend)
{
	const sceneBending bending = { pull, twist, bend };
	sceneMeshless_PoseNodes(&clay->meshless, &bending, clay->nodes);
	uint32_t count = clay->meshless.weights.transformCount;
	assert_int_equal(snugBody_SetMeshlessNodes(clay->thing.body, clay->nodes, count), snug_success);
}

static void PlaceTurned(snugBody* body, double x, double angle)
{
	snugFrame frame = { .position = { x, 0.03, -0.02 }, .rotation = { 0, sin(0.5 * angle), 0, cos(0.5 * angle) } };
	assert_int_equal(snugBody_SetFrame(body, &frame), snug_success);
}

static void AssertValid(snugBody* body, uint64_t seed, int step)
{
	snugValidation validation;
	if (snugBody_Validate(body, &validation) != snug_success)
	{
		fail_msg("SNUG_SEED=%llu, step %d: %llu of %llu checks failed, by %g", (unsigned long long)seed, step,
		    (unsigned long long)validation.violations, (unsigned long long)validation.checks, validation.worst);
	}
}

// A step of a clip in which two bodies graze each other, moving by `pace` per step.
static void PoseStep(Clay* a, Clay* b, int step, double pace)
{
	double t = pace * step;
	Clay_Pose(a, 0.6 + 0.4 * sin(t), 0.8 * cos(0.7 * t), 0.5 * sin(1.3 * t));
	Clay_Pose(b, 0.5 * cos(t), 0.9 * sin(0.9 * t), 0.7);
	PlaceTurned(b->thing.body, 1.2 + 0.25 * sin(2.0 * t), 0.3 * t);
}

static const snugStrategy strategies[] = { snug_strategyAuto, snug_strategyOnDemand, snug_strategyFront,
	snug_strategyBottomUp };

// Over clips slow and fast: pairs as by brute force, and every bound valid at every step, those that only grew
// included. Would catch a motion that is underestimated, and boxes that hold for another pose.
static void strategies_give_the_same_pairs(void** state)
{
	(void)state;
	static const double paces[] = { 1e-7, 1e-4, 3e-3, 0.02, 0.3 };
	uint64_t seed = TestSeed(), pairs = 0;
	for (int i = 0; i < TestCount(20); ++i)
	{
		snugStrategy strategy = strategies[i % 4];
		double pace = paces[i % 5];
		sceneRandom random = { seed + (uint64_t)i };
		snugTreeDef tree = i % 3 == 0 ? RandomTreeDef(&random) : (snugTreeDef){ 0 };
		Clay a = Clay_Make(9, 30, seed + (uint64_t)i, tree, strategy);
		Clay b = Clay_Make(8, 25, seed + 100 + (uint64_t)i, tree, strategies[(i / 4) % 4]);
		for (int step = 0; step < 10; ++step)
		{
			PoseStep(&a, &b, step, pace);
			pairs += CheckPairs("strategy", seed + (uint64_t)i, &a.thing, &b.thing, NULL);
			AssertValid(a.thing.body, seed + (uint64_t)i, step);
			AssertValid(b.thing.body, seed + (uint64_t)i, step);
		}
		Clay_Free(&a);
		Clay_Free(&b);
	}
	assert_true(pairs > 0);
}

/// Counters of one clip, summed.
static snugCounters RunClip(snugStrategy strategy, double pace, int steps)
{
	Clay a = Clay_Make(24, 60, 1, (snugTreeDef){ 0 }, strategy), b = Clay_Make(24, 60, 2, (snugTreeDef){ 0 }, strategy);
	snugCounters sum = { 0 };
	for (int step = 0; step < steps; ++step)
	{
		PoseStep(&a, &b, step, pace);
		snugResult result = snugCollide(a.thing.body, b.thing.body, NULL);
		const snugCounters* c = &result.counters;
		assert_int_equal(c->nodesRefitted, c->nodesAtFront + c->nodesAboveFront + c->nodesBelowFront);
		sum.nodesAtFront += step > 0 ? c->nodesAtFront : 0;
		sum.nodesAboveFront += step > 0 ? c->nodesAboveFront : 0;
		sum.nodesBelowFront += step > 0 ? c->nodesBelowFront : 0;
		sum.volumeTests += step > 0 ? c->volumeTests : 0;
		sum.verticesEvaluated += step > 0 ? c->verticesEvaluated : 0;
	}
	Clay_Free(&a);
	Clay_Free(&b);
	return sum;
}

// Every strategy does what its name says. Would catch a front that is on-demand in disguise, or bottom-up.
static void strategies_differ_in_what_they_refit(void** state)
{
	(void)state;
	snugCounters demand = RunClip(snug_strategyOnDemand, 0.02, 8), front = RunClip(snug_strategyFront, 0.02, 8);
	snugCounters bottomUp = RunClip(snug_strategyBottomUp, 0.02, 8), automatic = RunClip(snug_strategyAuto, 0.02, 8);
	assert_int_equal(demand.nodesAtFront + demand.nodesAboveFront, 0);
	assert_true(demand.nodesBelowFront > 0);
	assert_int_equal(bottomUp.nodesBelowFront, 0);
	assert_true(bottomUp.nodesAtFront > 2 * front.nodesAtFront);
	assert_true(front.nodesAtFront > 0 && front.nodesAboveFront > 0);
	assert_true(front.nodesBelowFront < demand.nodesBelowFront / 2);
	// Merged boxes are tight, so fewer pairs of boxes are looked at; nothing is tighter than bottom-up.
	assert_true(front.volumeTests < demand.volumeTests * 3 / 4);
	assert_true(bottomUp.volumeTests <= front.volumeTests);
	assert_int_equal(automatic.nodesAtFront, front.nodesAtFront); // a coherent clip
}

// Slow motion lets boxes grow instead of being refitted.
static void boxes_grow_with_slow_motion(void** state)
{
	(void)state;
	snugCounters fast = RunClip(snug_strategyFront, 0.05, 12), slow = RunClip(snug_strategyFront, 1e-5, 12);
	print_message("refitted at the front: %llu fast, %llu slow\n", (unsigned long long)fast.nodesAtFront,
	    (unsigned long long)slow.nodesAtFront);
	assert_true(slow.nodesAtFront < fast.nodesAtFront / 4);
}

// A step very far away and back. Would catch a way that is so long afterwards that small steps are lost in it.
static void boxes_grow_again_after_a_long_way(void** state)
{
	(void)state;
	Clay a = Clay_Make(24, 60, 1, (snugTreeDef){ 0 }, snug_strategyFront);
	Thing other = Thing_Make(sceneMakeBlob(24, 2), snug_rigid, (snugTreeDef){ 0 }, NULL);
	uint64_t before = 0, after = 0;
	for (int step = 0; step < 60; ++step)
	{
		Clay_Pose(&a, 0.5, 0.5 + 1e-5 * step, 0.2);
		if (step == 30)
		{
			a.nodes[0].displacement[0] = 1e16f;
			assert_int_equal(snugBody_SetMeshlessNodes(a.thing.body, a.nodes, 60), snug_success);
		}
		uint64_t refitted = snugCollide(a.thing.body, other.body, NULL).counters.nodesAtFront;
		before += step >= 10 && step < 30 ? refitted : 0;
		after += step >= 40 ? refitted : 0;
	}
	print_message(
	    "refitted at the front: %llu before, %llu after\n", (unsigned long long)before, (unsigned long long)after);
	assert_true(after <= 2 * before);
	Clay_Free(&a);
	Thing_Free(&other);
}

// Matrices as large as float32 allows, across a flat mesh: they change by more than it can hold. Would catch a motion
// that is lost as NaN, so that boxes stay where they were.
static void immense_changes_are_motion(void** state)
{
	(void)state;
	sceneMesh mesh = sceneMakeBlob(8, 3);
	uint16_t* transforms = calloc(mesh.vertexCount, sizeof(uint16_t));
	float* weights = malloc(mesh.vertexCount * sizeof(float));
	assert_true(transforms != NULL && weights != NULL);
	for (uint32_t v = 0; v < mesh.vertexCount; ++v)
	{
		mesh.positions[3 * v + 2] = 0.0f;
		weights[v] = 1.0f;
	}
	snugModelDef def = MeshDef(&mesh, snug_skin, (snugTreeDef){ 0 });
	def.skin = (snugSkinDef){ .jointCount = 1, .influencesPerVertex = 1, .joints = transforms, .weights = weights };
	Thing thing = { .mesh = mesh };
	assert_int_equal(snugModel_Create(&def, &thing.model), snug_success);
	thing.body = MakeBody(thing.model, NULL);
	Thing other = Thing_Make(sceneMakeBlob(8, 4), snug_rigid, (snugTreeDef){ 0 }, NULL);
	for (int step = 0; step < 12; ++step)
	{
		float huge = step % 2 == 0 ? 9.8e35f : -9.8e35f, x = 0.1f * (float)step;
		const float matrix[12] = { 1, 0, huge, x, 0, 1, 0, 0, 0, 0, huge, 0 };
		assert_int_equal(snugBody_SetJoints(thing.body, matrix, 0, 1), snug_success);
		CheckPairs("immense", 0, &thing, &other, NULL);
		AssertValid(thing.body, 0, step);
	}
	const float tooLarge[12] = { 1, 0, 3e38f, 0, 0, 1, 0, 0, 0, 0, 1, 0 };
	assert_int_equal(snugBody_SetJoints(thing.body, tooLarge, 0, 1), snug_outOfRange);
	Thing_Free(&thing);
	Thing_Free(&other);
	free(transforms);
	free(weights);
}

// Morph targets that lead far out, set and taken away between small steps of the joints: what they displace goes much
// farther than the rest positions, by whose motion boxes of a skin grow. Every bound is looked at.
static void displaced_vertices_are_followed(void** state)
{
	(void)state;
	sceneCharacter character;
	assert_true(sceneCharacter_Create(&character, scene_man));
	sceneTargets* targets = &character.targets;
	for (uint32_t i = 0; i < 3 * targets->starts[character.mesh.vertexCount]; ++i)
	{
		targets->displacements[i] *= 600.0f;
	}
	snugModelDef def = sceneCharacter_MakeDef(&character, snug_blendLinear);
	def.fields = sceneTargets_Get(targets);
	Thing man = { .mesh = character.mesh };
	assert_int_equal(snugModel_Create(&def, &man.model), snug_success);
	const snugBodyDef bodyDef = { .model = man.model, .strategy = snug_strategyFront };
	assert_int_equal(snugBody_Create(&bodyDef, &man.body), snug_success);
	Thing other = Thing_Make(sceneMakeBlob(12, 2), snug_rigid, (snugTreeDef){ 0 }, NULL);
	Place(other.body, 0.3, 1.0, 0.2);
	uint64_t pairs = 0;
	for (int step = 0; step < 48; ++step)
	{
		float matrices[12 * SCENE_MAX_JOINTS], amplitudes[16] = { 0.0f };
		assert_true(targets->count <= LENGTH_OF(amplitudes));
		if (step % 8 == 3)
		{
			sceneCharacter_Breathe(&character, 0.1 * step, amplitudes);
		}
		if (step % 8 == 3 || step % 16 == 9)
		{
			assert_int_equal(snugBody_SetAmplitudes(man.body, amplitudes, targets->count), snug_success);
		}
		else
		{
			sceneCharacter_Walk(&character, 0.2 + 0.002 * step, matrices);
			assert_int_equal(snugBody_SetJoints(man.body, matrices, 0, character.weights.transformCount), snug_success);
		}
		pairs += CheckPairs("displaced", 0, &man, &other, NULL);
		AssertValid(man.body, 0, step);
	}
	assert_true(pairs > 0);
	snugBody_Destroy(man.body);
	snugModel_Destroy(man.model);
	sceneCharacter_Free(&character);
	Thing_Free(&other);
}

// Contacts that jump around the body: the automatic strategy gives up the front, and takes it again when they stay.
static void automatic_notices_incoherence(void** state)
{
	(void)state;
	Clay a = Clay_Make(24, 60, 1, (snugTreeDef){ 0 }, snug_strategyAuto);
	Clay b = Clay_Make(24, 60, 2, (snugTreeDef){ 0 }, snug_strategyAuto);
	uint64_t jumping = 0, steady = 0, pairs = 0;
	for (int step = 0; step < 20; ++step)
	{
		Clay_Pose(&a, 0.5, 0.5 + 0.03 * step, 0.2);
		Clay_Pose(&b, 0.4, 0.3 + 0.03 * step, 0.1);
		double angle = step < 10 ? 2.4 * step : 0.01 * step;
		snugFrame frame = { .position = { 1.45 * cos(angle), 0.05, 1.05 * sin(angle) } };
		assert_int_equal(snugBody_SetFrame(b.thing.body, &frame), snug_success);
		snugResult result = snugCollide(a.thing.body, b.thing.body, NULL);
		pairs += result.count;
		jumping += step >= 6 && step < 10 ? result.counters.nodesAboveFront : 0;
		steady += step >= 16 ? result.counters.nodesAboveFront : 0;
	}
	print_message(
	    "merged: %llu while jumping, %llu while steady\n", (unsigned long long)jumping, (unsigned long long)steady);
	assert_true(pairs > 0 && steady > 0 && jumping < steady / 2);
	Clay_Free(&a);
	Clay_Free(&b);
}

// Bodies that are in one another touch nearly everywhere: the automatic strategy refits everything, as bottom-up does,
// and no longer when they part.
static void LeaveDenseContact(double distance)
{
	snugCounters found[2][2];
	uint64_t pairs[2] = { 0, 0 };
	for (int k = 0; k < 2; ++k)
	{
		snugStrategy strategy = k == 0 ? snug_strategyAuto : snug_strategyBottomUp;
		Clay a = Clay_Make(24, 60, 1, (snugTreeDef){ 0 }, strategy),
		     b = Clay_Make(24, 60, 2, (snugTreeDef){ 0 }, strategy);
		for (int step = 0; step < 16; ++step)
		{
			PoseStep(&a, &b, step, 0.02);
			Place(b.thing.body, step < 8 ? 0.03 : distance, 0.02, 0.01);
			snugResult result = snugCollide(a.thing.body, b.thing.body, NULL);
			found[k][step / 8] = result.counters; // of the last step
			pairs[k] += result.count;
		}
		Clay_Free(&a);
		Clay_Free(&b);
	}
	assert_true(pairs[0] > 0);
	assert_int_equal(pairs[0], pairs[1]);
	assert_int_equal(found[0][0].nodesAtFront, found[1][0].nodesAtFront);
	assert_int_equal(found[0][0].nodesBelowFront, 0);
	assert_int_equal(found[0][0].verticesEvaluated, found[1][0].verticesEvaluated);
	assert_true(found[0][1].nodesRefitted < found[1][1].nodesRefitted / 2);
}

static void automatic_refits_all_in_dense_contact(void** state)
{
	(void)state;
	LeaveDenseContact(1.3);
	LeaveDenseContact(50.0); // where nothing of them is looked at any more
}

// Shapes look at little of a body: the automatic strategy has a front for the pairs of two bodies alone, and has it
// ready for them whoever asks first. What is found is the same.
static void shapes_have_no_front_of_their_own(void** state)
{
	(void)state;
	const snugShape shape = { .kind = snug_shapeSphere, .from = { 0.7f, 0.05f, 0.0f }, .radius = 0.35f };
	Clay a[3], b = Clay_Make(24, 60, 2, (snugTreeDef){ 0 }, snug_strategyAuto);
	static const snugStrategy three[3] = { snug_strategyAuto, snug_strategyFront, snug_strategyOnDemand };
	uint64_t merged[2][3] = { { 0 } }, met = 0;
	for (int i = 0; i < 3; ++i)
	{
		a[i] = Clay_Make(24, 60, 1, (snugTreeDef){ 0 }, three[i]);
	}
	for (int step = 0; step < 16; ++step)
	{
		uint64_t counts[3], pairs[3] = { 0 };
		Place(b.thing.body, 1.4, 0.05, 0.0);
		Clay_Pose(&b, 0.4, 0.3 + 0.01 * step, 0.1);
		for (int i = 0; i < 3; ++i)
		{
			Clay_Pose(&a[i], 0.5, 0.5 + 0.01 * step, 0.2);
			snugResult result = snugCollideShape(a[i].thing.body, &shape, NULL);
			counts[i] = result.count;
			merged[step / 8][i] += result.counters.nodesAboveFront;
			pairs[i] = step >= 8 ? snugCollide(a[i].thing.body, b.thing.body, NULL).count : 0;
		}
		assert_true(counts[0] == counts[1] && counts[0] == counts[2] && pairs[0] == pairs[1] && pairs[0] == pairs[2]);
		met += counts[0];
	}
	assert_true(met > 0);
	assert_int_equal(merged[0][0], 0);
	assert_true(merged[1][0] > 0 && merged[0][1] > 0 && merged[0][2] == 0 && merged[1][2] == 0);
	for (int i = 0; i < 3; ++i)
	{
		Clay_Free(&a[i]);
	}
	Clay_Free(&b);
}

// ---- Several threads -------------------------------------------------------------------------------------------

/// What a callback saw. One thread at a time, so no lock.
typedef struct Seen
{
	uint64_t count;
	uint64_t stopAfter;
	uint64_t sum;
} Seen;

static bool See(void* user, snugPair pair)
{
	Seen* seen = user;
	++seen->count;
	seen->sum += (uint64_t)pair.a * 2654435761u ^ pair.b;
	return seen->stopAfter == 0 || seen->count < seen->stopAfter;
}

// All strategies, any number of threads, buffers too small and callbacks: what one thread gets, all get.
static void threads_give_the_same_pairs(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(12); ++i)
	{
		snugStrategy strategy = strategies[i % 4];
		Clay a = Clay_Make(20, 40, seed + (uint64_t)i, (snugTreeDef){ 0 }, strategy);
		Clay b = Clay_Make(18, 40, seed + 50 + (uint64_t)i, (snugTreeDef){ 0 }, strategy);
		for (int step = 0; step < 5; ++step)
		{
			PoseStep(&a, &b, step, 0.05);
			PlaceTurned(b.thing.body, 0.3 + 0.1 * step, 0.2); // deep
			int threadCount = 1 + (i + step) % 5;
			snugPair few[100];
			Seen seen = { 0 };
			snugQuery query = {
				.pairs = few, .capacity = 100, .callback = See, .user = &seen, .workers = { RunOnThreads, &threadCount }
			};
			snugResult together = snugCollide(a.thing.body, b.thing.body, &query);
			assert_int_equal(together.status, snug_success);
			assert_true(together.complete);
			PairList alone = CollideAll(a.thing.body, b.thing.body, NULL);
			assert_int_equal(together.count, alone.count);
			assert_int_equal(seen.count, alone.count);
			Seen expected = { 0 };
			for (uint64_t k = 0; k < alone.count; ++k)
			{
				See(&expected, alone.pairs[k]);
			}
			assert_int_equal(seen.sum, expected.sum);
			uint64_t kept = alone.count < 100 ? alone.count : 100;
			assert_memory_equal(few, alone.pairs, kept * sizeof(snugPair));
			PairList_Free(&alone);
			if (i % 4 == 1) // one thread's caches are another's: the same body, asked again by many
			{
				CheckPairs("threads", seed + (uint64_t)i, &a.thing, &b.thing, NULL);
			}
		}
		Clay_Free(&a);
		Clay_Free(&b);
	}
}

// Contacts of few triangles of many: on the way to enough tasks most pairs of nodes come to nothing, and make room for
// others. Would catch tasks that are written behind the last.
static void threads_share_small_contacts(void** state)
{
	(void)state;
	const snugTreeDef deep = { .leafTriangles = 1 };
	Thing a = Thing_Make(sceneMakeSphere(40), snug_rigid, deep, NULL);
	Thing b = Thing_Make(sceneMakeSphere(38), snug_rigid, deep, NULL);
	uint64_t pairs = 0;
	for (int step = 0; step < 60; ++step)
	{
		PlaceTurned(b.body, 2.0 - 0.0004 * step, 0.1 * step);
		PairList alone = CollideAll(a.body, b.body, NULL);
		PairList together = { malloc((alone.count + 1) * sizeof(snugPair)), alone.count };
		const snugQuery query = { .pairs = together.pairs, .capacity = alone.count, .workers.run = RunOnThreads };
		assert_int_equal(snugCollide(a.body, b.body, &query).count, alone.count);
		AssertSamePairs("a small contact", (uint64_t)step, &alone, &together);
		pairs += alone.count;
		PairList_Free(&alone);
		PairList_Free(&together);
	}
	assert_true(pairs > 0);
	Thing_Free(&a);
	Thing_Free(&b);
}

// What is refitted beforehand is not refitted again by the first query.
static void refitting_leaves_nothing_to_queries(void** state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH_OF(strategies); ++i)
	{
		Clay a = Clay_Make(12, 30, 1, (snugTreeDef){ 0 }, strategies[i]);
		Thing b = Thing_Make(sceneMakeBlob(12, 2), snug_rigid, (snugTreeDef){ 0 }, NULL);
		for (int step = 0; step < 3; ++step)
		{
			Clay_Pose(&a, 0.5, 0.3 + 0.1 * step, 0.2);
			assert_int_equal(snugBody_Refit(a.thing.body), snug_success);
			const snugResult result = snugCollide(a.thing.body, b.body, NULL);
			assert_true(result.count > 0 && result.counters.volumeTests > 0);
			assert_int_equal(result.counters.nodesRefitted, 0);
		}
		Clay_Free(&a);
		Thing_Free(&b);
	}
}

static void callbacks_stop_all_threads(void** state)
{
	(void)state;
	Clay a = Clay_Make(20, 40, 1, (snugTreeDef){ 0 }, snug_strategyAuto);
	Clay b = Clay_Make(20, 40, 2, (snugTreeDef){ 0 }, snug_strategyAuto);
	PoseStep(&a, &b, 1, 0.1);
	PlaceTurned(b.thing.body, 0.4, 0.0);
	int threadCount = 4;
	for (uint64_t stop = 1; stop < 400; stop += 97)
	{
		Seen seen = { .stopAfter = stop };
		snugQuery query = { .callback = See, .user = &seen, .workers = { RunOnThreads, &threadCount } };
		snugResult result = snugCollide(a.thing.body, b.thing.body, &query);
		assert_false(result.complete);
		assert_int_equal(seen.count, stop);
		assert_int_equal(result.count, stop);
	}
	Clay_Free(&a);
	Clay_Free(&b);
}

// Bodies remember what queries looked at, and choose by it how much to refit before the next. Twins go through the same
// motion, jumping and slow, one pair with tasks: they must refit as much. Not exactly, since who looks first at what
// decides about a few families. Would catch visits of tasks that nobody counts, which halve what one of them refits.
static void tasks_leave_the_same_memory(void** state)
{
	(void)state;
	Clay twins[2][2];
	uint64_t before[2] = { 0, 0 }, pairs[2] = { 0, 0 };
	int calls = 0;
	for (int k = 0; k < 4; ++k)
	{
		twins[k / 2][k % 2] = Clay_Make(20, 40, 1 + 50 * (uint64_t)(k % 2), (snugTreeDef){ 0 }, snug_strategyAuto);
	}
	for (int step = 0; step < 60; ++step)
	{
		snugQuery query = { .workers = { RunInOrder, &calls } };
		for (int k = 0; k < 2; ++k)
		{
			PoseStep(&twins[k][0], &twins[k][1], step, 0.05);
			double x = step < 12 ? 0.3 + 0.9 * (step % 3) : 0.5 + 0.02 * step;
			PlaceTurned(twins[k][1].thing.body, x, 0.2 * step);
			snugResult result = snugCollide(twins[k][0].thing.body, twins[k][1].thing.body, k == 0 ? NULL : &query);
			before[k] += result.counters.nodesAtFront + result.counters.nodesAboveFront;
			pairs[k] += result.count;
		}
	}
	print_message("refitted before queries: %llu alone, %llu with tasks\n", (unsigned long long)before[0],
	    (unsigned long long)before[1]);
	assert_true(calls > 0 && before[0] > 0);
	assert_int_equal(pairs[0], pairs[1]);
	assert_true(before[1] > before[0] - before[0] / 8 && before[1] < before[0] + before[0] / 8);
	for (int k = 0; k < 4; ++k)
	{
		Clay_Free(&twins[k / 2][k % 2]);
	}
}

// For yes or no nothing is handed out.
static void some_queries_are_of_one_thread(void** state)
{
	(void)state;
	Clay a = Clay_Make(20, 40, 1, (snugTreeDef){ 0 }, snug_strategyOnDemand);
	Clay b = Clay_Make(20, 40, 2, (snugTreeDef){ 0 }, snug_strategyOnDemand);
	PlaceTurned(b.thing.body, 0.4, 0.0);
	int calls = 0;
	snugQuery query = { .workers = { RunInOrder, &calls } };
	snugResult all = snugCollide(a.thing.body, b.thing.body, &query);
	assert_true(all.complete && all.count > 0 && calls > 0);
	calls = 0;
	assert_int_equal(snugTouches(a.thing.body, b.thing.body, &query).count, 1);
	assert_int_equal(calls, 0);
	Clay_Free(&a);
	Clay_Free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strategies_give_the_same_pairs),
		cmocka_unit_test(strategies_differ_in_what_they_refit),
		cmocka_unit_test(boxes_grow_with_slow_motion),
		cmocka_unit_test(boxes_grow_again_after_a_long_way),
		cmocka_unit_test(immense_changes_are_motion),
		cmocka_unit_test(displaced_vertices_are_followed),
		cmocka_unit_test(automatic_notices_incoherence),
		cmocka_unit_test(automatic_refits_all_in_dense_contact),
		cmocka_unit_test(shapes_have_no_front_of_their_own),
		cmocka_unit_test(threads_give_the_same_pairs),
		cmocka_unit_test(threads_share_small_contacts),
		cmocka_unit_test(refitting_leaves_nothing_to_queries),
		cmocka_unit_test(callbacks_stop_all_threads),
		cmocka_unit_test(tasks_leave_the_same_memory),
		cmocka_unit_test(some_queries_are_of_one_thread),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
