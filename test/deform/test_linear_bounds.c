// test/deform/test_linear_bounds.c: bounds of linear skins contain the float32 vertices that evaluation gives, where
// rounding is worst.
//
// docs/bounds/rounding.md proves how much a bound must add for rounding. Here the proof is put to the test: on meshes,
// weights and matrices of every size and sort; on poses made so that roundings add up; and on poses that a search
// finds. How much of the error that bounds allow for was used up is printed: a proof with too much room shows, and so
// does a test that could not fail. tools/mutate-bounds lowers every constant until these tests do.
#include "hard_skins.h"

#include "body/cache.h"
#include "deform/skin/linear.h"
#include "deform/skin/skins.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// `make test-long` runs with this scale, and then every kind of bound gets 10^8 component checks at least.
#define LONG_SCALE 100.0
#define LEAST_CHECKS 100000000u

/// What came of all checks of bodies whose last family has one kind of bound.
typedef struct Tally
{
	uint64_t checks;
	double used; ///< of the error that it allows for
} Tally;

static Tally tallies[SG_BLEND_KINDS];

static Tally* TallyOf(const Thing* thing)
{
	const sgLinear linear = sgLinear_Get(thing->model);
	return tallies + (linear.header->familyCount > 0 ? linear.families[linear.header->familyCount - 1].kind : 0);
}

// Scalar kernels take ten times as long, and round as sse2 does; and sanitizers ask for little.
static bool IsSlow(void)
{
	return strcmp(snugGetInstructionSet(), "scalar") == 0 || TestScale() < 1.0;
}

static void Check(const char* what, uint64_t seed, const Thing* thing)
{
	TallyOf(thing)->checks += Thing_Validate(what, seed, thing);
}

// --- Everything that is hard --------------------------------------------------------------------------------------

// Poses come in pairs, the second a little beside the first, so that boxes also grow instead of being refitted.
static void hard_skins_are_contained(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	int count = TestCount(IsSlow() ? 800 : 2400);
	for (int i = 0; i < count; ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		SkinnedMesh skinned = HardSkin(&random);
		Thing thing = MakeThing(&skinned, RandomTreeDef(&random), StrategyOf(number));
		for (int pose = 0; pose < 4; ++pose)
		{
			HardPose(&random, &skinned);
			PoseBody(thing.body, &skinned);
			Check("hard skin", number, &thing);
			NudgePose(&random, &skinned);
			PoseBody(thing.body, &skinned);
			Check("hard skin, nudged", number, &thing);
		}
		Thing_Free(&thing);
		SkinnedMesh_Free(&skinned);
	}
}

// --- Roundings that add up ------------------------------------------------------------------------------------------

static double Used(double value, double lower, double upper, double allowed)
{
	return 1.0 - fmin(upper - value, value - lower) / allowed;
}

// How much of the error that a node's bound allows for the vertices of a leaf below use up, at most: above 1 is
// outside.
static double UsedByLeaf(
    const snugBody* body, const sgLeaf* leaf, const sgBoxLanes* bounds, uint32_t lane, double error)
{
	const sgLinearPose* pose = body->posed.pose;
	sgLeafScratch scratch;
	const uint32_t* vertices = body->model->tree.leafVertices + leaf->firstVertex;
	sgLeafVertices found = sgBody_Evaluate(body, vertices, leaf->vertexCount, &scratch);
	double most = -INFINITY;
	for (uint32_t i = 0; i < leaf->vertexCount; ++i)
	{
		const float* p = found.positions + 3 * (size_t)found.indices[i];
		for (int axis = 0; axis < 3; ++axis)
		{
			double lower = bounds->lower[axis][lane], upper = bounds->upper[axis][lane];
			most = fmax(most, Used(p[axis], lower, upper, error * (double)pose->reach[axis]));
		}
	}
	return most;
}

// The same for all inner nodes.
static double UsedError(snugBody* body)
{
	sgBody_Derive(body);
	const sgTree* tree = &body->model->tree;
	sgLinear linear = sgLinear_Get(body->model);
	snugCounters counters = { 0 };
	double most = -INFINITY;
	for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
	{
		if (tree->nodes[slot].childCount == 0)
		{
			continue;
		}
		sgBoxLanes scratch;
		const sgBoxLanes* bounds = sgBody_Refresh(body, sgTree_Family(tree, slot), &scratch, &counters);
		const uint32_t lane = slot % SG_LANES;
		const sgLaneSet siblings = sgTree_Family(tree, slot);
		const sgLinearFamily* family = sgSkin_FamilyOf(&linear, siblings);
		const uint32_t own = family->isAcross ? 0 : lane; // alone, it is lane 0 of a record of its own
		family = family->isAcross ? sgSkin_RecordOf(tree, family, siblings, lane) : family;
		const sgLinearCommon* common = (const sgLinearCommon*)(const void*)(linear.values + family->values);
		sgLeafRange range = sgTree_LeavesBelow(tree, slot);
		for (uint32_t leaf = range.first; leaf <= range.last; ++leaf)
		{
			most = fmax(most, UsedByLeaf(body, tree->leaves + leaf, bounds, lane, common->error.lane[own]));
		}
	}
	return most;
}

static void CheckAligned(const SkinnedMesh* skinned, uint64_t number)
{
	// On demand, which never grows a box.
	Thing thing = MakeThing(skinned, (snugTreeDef){ .leafTriangles = 1 }, snug_strategyOnDemand);
	assert_int_equal(
	    snugBody_SetJoints(thing.body, skinned->skin.matrices, 0, skinned->skin.transformCount), snug_success);
	Check("aligned roundings", number, &thing);
	TallyOf(&thing)->used = fmax(TallyOf(&thing)->used, UsedError(thing.body));
	Thing_Free(&thing);
}

// Around 96 and 192 transforms bounds change their ways.
static void aligned_roundings_are_contained(void** state)
{
	(void)state;
	static const uint32_t counts[] = { 2, 3, 9, 24, 96, 97, 192, 193, 300, 1000 };
	for (int a = 0; a < ALIGNMENTS; ++a)
	{
		for (size_t c = 0; c < LENGTH_OF(counts) && (counts[c] <= 200 || !IsSlow()); ++c)
		{
			SkinnedMesh skinned = AlignedSkin((Alignment)a, counts[c]);
			CheckAligned(&skinned, counts[c]);
			SkinnedMesh_Free(&skinned);
		}
	}
}

// From a small skin on, keep what uses up more of the error, in steps at random.
static void a_search_finds_nothing_outside(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	int count = TestCount(IsSlow() ? 100 : 600);
	for (int i = 0; i < count; ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		SkinnedMesh skinned = SmallSkin(&random);
		Thing thing = MakeThing(&skinned, (snugTreeDef){ .leafTriangles = 1 }, snug_strategyOnDemand);
		size_t bytes = 12 * sizeof(float) * skinned.skin.transformCount;
		float* best = malloc(bytes);
		assert_non_null(best);
		double most = -INFINITY;
		for (int step = 0; step < 1600; ++step)
		{
			PoseBody(thing.body, &skinned);
			double used = UsedError(thing.body);
			bool isBetter = used >= most;
			memcpy(isBetter ? best : skinned.skin.matrices, isBetter ? skinned.skin.matrices : best, bytes);
			most = isBetter ? used : most;
			NudgePose(&random, &skinned);
		}
		memcpy(skinned.skin.matrices, best, bytes);
		PoseBody(thing.body, &skinned);
		Check("search", number, &thing);
		TallyOf(&thing)->used = fmax(TallyOf(&thing)->used, most);
		free(best);
		Thing_Free(&thing);
		SkinnedMesh_Free(&skinned);
	}
}

// --- What went wrong before -----------------------------------------------------------------------------------------

static void SetMatrices(SkinnedMesh* skinned, uint64_t seed, double size)
{
	sceneRandom random = { seed };
	for (size_t i = 0; i < 12 * (size_t)skinned->skin.transformCount; ++i)
	{
		skinned->skin.matrices[i] = (float)(i % 4 == 3 ? 0.0 : size * sceneRandom_Range(&random, -1.0, 1.0));
	}
}

// Squares of tiny extents underflow, those of huge ones overflow, and a gradient times a matrix may do either where
// their product with the extent does not.
static void quadratic_terms_survive_any_scale(void** state)
{
	(void)state;
	static const float sizes[] = { 1e-30f, 1e-25f, 1e-20f, 1.0f, 1e20f, 1e25f, 1e30f };
	for (size_t i = 0; i < LENGTH_OF(sizes); ++i)
	{
		SkinnedMesh skinned = LinearSkin(sceneMakeBlob(6, 1));
		ScaleMesh(&skinned.mesh, sizes[i]);
		Thing thing = MakeThing(&skinned, (snugTreeDef){ 0 }, snug_strategyOnDemand);
		SetMatrices(&skinned, i, 1.0);
		PoseBody(thing.body, &skinned);
		Check("quadratic terms", i, &thing);
		SetMatrices(&skinned, i, 1.0 / (double)sizes[i]);
		PoseBody(thing.body, &skinned);
		Check("quadratic terms that cancel the size", i, &thing);
		Thing_Free(&thing);
		SkinnedMesh_Free(&skinned);
	}
}

// Such transforms led nowhere, since the mesh is flat, but blending them gave infinity, and infinity times zero NaN.
static void entries_that_would_overflow_are_refused(void** state)
{
	(void)state;
	SkinnedMesh skinned = AlignedSkin(aligned_vertex, 24);
	memset(skinned.mesh.positions, 0, 3 * skinned.mesh.vertexCount * sizeof(float));
	for (uint32_t j = 0; j < skinned.skin.transformCount; ++j)
	{
		skinned.skin.matrices[12 * j + 2] = FLT_MAX;
	}
	Thing thing = MakeThing(&skinned, (snugTreeDef){ 0 }, snug_strategyAuto);
	assert_int_equal(
	    snugBody_SetJoints(thing.body, skinned.skin.matrices, 0, skinned.skin.transformCount), snug_outOfRange);
	Check("refused", 0, &thing);
	Thing_Free(&thing);
	SkinnedMesh_Free(&skinned);
}

// Gradients over subnormal distances were infinite, and what is not finite is not loaded.
static void tiny_models_survive_saving(void** state)
{
	(void)state;
	static const float sizes[] = { 1e-36f, 1e-38f, 1e-40f, 1e-44f };
	for (size_t i = 0; i < LENGTH_OF(sizes); ++i)
	{
		SkinnedMesh skinned = LinearSkin(sceneMakeBlob(3, 1));
		ScaleMesh(&skinned.mesh, sizes[i]);
		Thing thing = MakeThing(&skinned, (snugTreeDef){ 0 }, snug_strategyAuto);
		size_t bytes;
		const void* block = snugModel_GetBlock(thing.model, &bytes);
		snugModel* loaded;
		assert_int_equal(snugModel_LoadMemory(block, bytes, NULL, &loaded), snug_success);
		snugModel_Destroy(loaded);
		Thing_Free(&thing);
		SkinnedMesh_Free(&skinned);
	}
}

// A body that was parked far away: what it moves from then on is small beside the way there and back.
static void boxes_grow_after_a_long_way(void** state)
{
	(void)state;
	SkinnedMesh skinned = RigidSkin(sceneMakeBlob(6, 1));
	Thing thing = MakeThing(&skinned, (snugTreeDef){ 0 }, snug_strategyFront);
	for (int step = 0; step < 20; ++step)
	{
		skinned.skin.matrices[3] = step == 2 ? 1e20f : 0.01f * (float)step;
		PoseBody(thing.body, &skinned);
		Check("long way", (uint64_t)step, &thing);
	}
	Thing_Free(&thing);
	SkinnedMesh_Free(&skinned);
}

// The judge of all the others, judged: each side of the box of a node, moved inwards by a little, is seen.
static void bounds_that_do_not_hold_are_seen(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	sceneMesh mesh = sceneMakeBlob(5, 1);
	Skin skin = RandomSkin(&random, &mesh);
	Thing thing = MakeLinear(mesh, &skin, (snugTreeDef){ 0 }, snug_strategyBottomUp);
	RandomMatrices(&random, &skin, 1.0, 0.0);
	Pose(&thing, &skin);
	snugValidation found;
	assert_int_equal(snugBody_Validate(thing.body, &found), snug_success);
	const uint32_t slot = thing.model->tree.nodes[0].first, lane = slot % SG_LANES;
	sgBoxLanes* boxes = &sgCache_FindGroup(thing.body, slot / SG_LANES, false)->boxes;
	for (uint32_t side = 0; side < 6; ++side)
	{
		float *lower = boxes->lower[side / 2], *upper = boxes->upper[side / 2];
		float* moved = (side % 2 == 0 ? lower : upper) + lane;
		const float kept = *moved;
		*moved = 0.5f * (lower[lane] + upper[lane]);
		assert_int_equal(snugBody_Validate(thing.body, &found), snug_invalidBounds);
		assert_true(found.violations > 0 && found.violations < found.checks && found.worst > 0.0);
		*moved = kept;
	}
	assert_int_equal(snugBody_Validate(thing.body, NULL), snug_success);
	Thing_Free(&thing);
	Skin_Free(&skin);
}

// --- Sums -----------------------------------------------------------------------------------------------------------

static void every_kind_was_checked_enough(void** state)
{
	(void)state;
	print_message("seed %llu\n", (unsigned long long)TestSeed());
	for (int kind = 0; kind < SG_BLEND_KINDS; ++kind)
	{
		print_message("%-10s %12llu component checks, up to %.3f of the allowed error used\n",
		    kind == sgLinear_local ? "local" : "firstOrder", (unsigned long long)tallies[kind].checks,
		    tallies[kind].used);
		assert_true(tallies[kind].checks >= (TestScale() < LONG_SCALE ? 1 : LEAST_CHECKS));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hard_skins_are_contained),
		cmocka_unit_test(aligned_roundings_are_contained),
		cmocka_unit_test(a_search_finds_nothing_outside),
		cmocka_unit_test(quadratic_terms_survive_any_scale),
		cmocka_unit_test(entries_that_would_overflow_are_refused),
		cmocka_unit_test(tiny_models_survive_saving),
		cmocka_unit_test(boxes_grow_after_a_long_way),
		cmocka_unit_test(bounds_that_do_not_hold_are_seen),
		cmocka_unit_test(every_kind_was_checked_enough),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
