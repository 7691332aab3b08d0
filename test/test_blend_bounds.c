// test/test_blend_bounds.c: bounds of blend models contain the float32 vertices that evaluation gives, where rounding
// is worst.
//
// docs/bounds/rounding.md proves how much a bound must add for rounding. Here the proof is put to the test: on meshes,
// weights and matrices of every size and sort; on poses made so that roundings add up; and on poses that a search
// finds. How much of the error that bounds allow for was used up is printed: a proof with too much room shows, and so
// does a test that could not fail. tools/mutate-bounds lowers every constant until these tests do.
#include "hard_skins.h"

#include "body/cache.h"
#include "deform/skin/blend.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// `make test-long` runs with this scale, and then every bound gets 10^8 component checks at least.
#define LONG_SCALE 100.0
#define LEAST_CHECKS 100000000u

/// What came of all checks of one bound.
typedef struct Tally
{
	uint64_t checks;
	double used; ///< of the error that it allows for
} Tally;

static Tally tallies[BOUND_COUNT];

// Scalar kernels take ten times as long, and round as sse2 does; and sanitizers ask for little.
static bool IsSlow(void)
{
	return strcmp(snugGetInstructionSet(), "scalar") == 0 || TestScale() < 1.0;
}

static void Check(const char* what, uint64_t seed, const Thing* thing, const Bounding* how)
{
	snugValidation found;
	if (snugBody_Validate(thing->body, &found) != snug_success)
	{
		fail_msg("%s, SNUG_SEED=%llu: bound %s, volume %d, rest volume %d, leaves %d, strategy %d: "
		         "%llu of %llu checks failed, by %g",
		    what, (unsigned long long)seed, boundNames[how->bound], (int)how->volume, (int)how->rest, how->boundLeaves,
		    (int)how->strategy, (unsigned long long)found.violations, (unsigned long long)found.checks, found.worst);
	}
	tallies[how->bound].checks += found.checks;
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
		Bounding how = BoundingOf(number);
		Thing thing = MakeThing(&skinned, RandomTreeDef(&random), &how);
		for (int pose = 0; pose < 4; ++pose)
		{
			HardPose(&random, &skinned);
			PoseBody(thing.body, &skinned);
			Check("hard skin", number, &thing, &how);
			NudgePose(&random, &skinned);
			PoseBody(thing.body, &skinned);
			Check("hard skin, nudged", number, &thing, &how);
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
static double UsedByLeaf(const snugBody* body, const sgLeaf* leaf, sgBounds bounds, uint32_t lane, double error)
{
	const sgBlendPose* pose = body->posed.pose;
	sgLeafScratch scratch;
	const uint32_t* vertices = body->model->tree.leafVertices + leaf->firstVertex;
	sgLeafVertices found = sgBody_Evaluate(body, vertices, leaf->vertexCount, &scratch);
	double most = -INFINITY;
	for (uint32_t i = 0; i < leaf->vertexCount; ++i)
	{
		const float* p = found.positions + 3 * (size_t)found.indices[i];
		for (int axis = 0; axis < 3; ++axis)
		{
			double lower = bounds.boxes->lower[axis][lane], upper = bounds.boxes->upper[axis][lane];
			most = fmax(most, Used(p[axis], lower, upper, error * (double)pose->reach[axis]));
		}
		for (uint32_t s = 0; s < body->extraSlabs; ++s)
		{
			const float* d = sgVolume_Directions(body->volume)[s];
			double along = (double)d[0] * (double)p[0] + (double)d[1] * (double)p[1] + (double)d[2] * (double)p[2];
			double lower = bounds.extra[s].lower[lane], upper = bounds.extra[s].upper[lane];
			most = fmax(most, Used(along, lower, upper, error * (double)pose->reach[3 + s]));
		}
	}
	return most;
}

// The same for all nodes of a body that bounds its leaves too.
static double UsedError(snugBody* body)
{
	sgBody_Derive(body);
	const sgTree* tree = &body->model->tree;
	sgBlend blend = sgBlend_Get(body->model);
	snugCounters counters = { 0 };
	double most = -INFINITY;
	for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
	{
		if (tree->nodes[slot].first == SG_NONE)
		{
			continue;
		}
		sgBoundsScratch scratch;
		sgBounds bounds = sgBody_Refresh(body, sgTree_Family(tree, slot), &scratch, &counters);
		uint32_t parent = tree->nodes[slot].parent, lane = slot % SG_LANES;
		const sgBlendFamily* family = blend.families + (parent == SG_NONE ? 0 : blend.familyOfParent[parent]);
		const sgBlendCommon* common = (const sgBlendCommon*)(const void*)(blend.values + family->values);
		sgLeafRange range = sgTree_LeavesBelow(tree, slot);
		for (uint32_t leaf = range.first; leaf <= range.last; ++leaf)
		{
			most = fmax(most, UsedByLeaf(body, tree->leaves + leaf, bounds, lane, common->error.lane[lane]));
		}
	}
	return most;
}

// Ways to bound that are the same but for when: on demand, which never grows a box, and leaves too.
static Bounding BoundingOnDemand(uint64_t number)
{
	Bounding how = BoundingOf(number);
	how.boundLeaves = true;
	how.strategy = snug_strategyOnDemand;
	return how;
}

static void CheckAligned(const SkinnedMesh* skinned, uint64_t number)
{
	Bounding how = BoundingOnDemand(number);
	Thing thing = MakeThing(skinned, (snugTreeDef){ .leafTriangles = 1 }, &how);
	assert_int_equal(
	    snugBody_SetJoints(thing.body, skinned->skin.matrices, 0, skinned->skin.transformCount), snug_success);
	Check("aligned roundings", number, &thing, &how);
	tallies[how.bound].used = fmax(tallies[how.bound].used, UsedError(thing.body));
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
			// All volumes, and rest volumes for those that have them.
			for (uint64_t number = 0; number < 24 * BOUND_COUNT; ++number)
			{
				bool isRepeated = number / BOUND_COUNT >= 8 && BoundingOf(number).rest == snug_restBox;
				if (BoundingOf(number).boundLeaves && !isRepeated)
				{
					CheckAligned(&skinned, number);
				}
			}
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
		Bounding how = BoundingOnDemand(number);
		Thing thing = MakeThing(&skinned, (snugTreeDef){ .leafTriangles = 1 }, &how);
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
		Check("search", number, &thing, &how);
		tallies[how.bound].used = fmax(tallies[how.bound].used, most);
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
		for (uint64_t number = 0; number < BOUND_COUNT; ++number)
		{
			Bounding how = BoundingOnDemand(number);
			Thing thing = MakeThing(&skinned, (snugTreeDef){ 0 }, &how);
			SetMatrices(&skinned, i, 1.0);
			PoseBody(thing.body, &skinned);
			Check("quadratic terms", i, &thing, &how);
			SetMatrices(&skinned, i, 1.0 / (double)sizes[i]);
			PoseBody(thing.body, &skinned);
			Check("quadratic terms that cancel the size", i, &thing, &how);
			Thing_Free(&thing);
		}
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
	Bounding how = BoundingOf(0);
	Thing thing = MakeThing(&skinned, (snugTreeDef){ 0 }, &how);
	assert_int_equal(
	    snugBody_SetJoints(thing.body, skinned.skin.matrices, 0, skinned.skin.transformCount), snug_outOfRange);
	Check("refused", 0, &thing, &how);
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
		for (uint64_t number = 0; number < BOUND_COUNT; ++number)
		{
			Bounding how = BoundingOf(number);
			Thing thing = MakeThing(&skinned, (snugTreeDef){ 0 }, &how);
			size_t bytes;
			const void* block = snugModel_GetBlock(thing.model, &bytes);
			snugModel* loaded;
			assert_int_equal(snugModel_Load(block, bytes, NULL, &loaded), snug_success);
			snugModel_Destroy(loaded);
			Thing_Free(&thing);
		}
		SkinnedMesh_Free(&skinned);
	}
}

// A body that was parked far away: what it moves from then on is small beside the way there and back.
static void boxes_grow_after_a_long_way(void** state)
{
	(void)state;
	SkinnedMesh skinned = RigidSkin(sceneMakeBlob(6, 1));
	for (int b = 0; b < BOUND_COUNT; ++b)
	{
		Bounding how = { .bound = (snugBound)b, .strategy = snug_strategyFront };
		Thing thing = MakeThing(&skinned, (snugTreeDef){ 0 }, &how);
		for (int step = 0; step < 20; ++step)
		{
			skinned.skin.matrices[3] = step == 2 ? 1e20f : 0.01f * (float)step;
			PoseBody(thing.body, &skinned);
			Check("long way", (uint64_t)step, &thing, &how);
		}
		Thing_Free(&thing);
	}
	SkinnedMesh_Free(&skinned);
}

// Two segments that cross in the plane x = z, so far from zero that x + y rounds even in double: their slabs along
// (1, 1, -1) were taken to be what the rounded sums are, and did not meet.
static void slabs_contain_sums_that_cancel(void** state)
{
	(void)state;
	const float far = 0x1p67f, along = 0x1p44f, up = 0x1p15f;
	const float ends[2][2][2] = { { { -1.0f, 0.2499f }, { 0.0f, 0.4999f } },
		{ { -100.0f, 0.26f }, { 100.0f, 0.51f } } };
	for (int volume = snug_volumeBox; volume <= snug_volumeDop26; ++volume)
	{
		Bounding how = { .volume = (snugVolume)volume };
		Thing things[2];
		for (int i = 0; i < 2; ++i)
		{
			SkinnedMesh skinned = RigidSkin(sceneMakeTriangle());
			for (int v = 0; v < 3; ++v)
			{
				const float* end = ends[i][v > 0];
				float x = far + along * end[0], y = up * end[1];
				memcpy(skinned.mesh.positions + 3 * v, (float[3]){ x, y, x }, 3 * sizeof(float));
			}
			things[i] = MakeThing(&skinned, (snugTreeDef){ 0 }, &how);
			Check("slabs", (uint64_t)volume, &things[i], &how);
			SkinnedMesh_Free(&skinned);
		}
		assert_true(CheckPairs("slabs", (uint64_t)volume, &things[0], &things[1], NULL) > 0);
		Thing_Free(&things[0]);
		Thing_Free(&things[1]);
	}
}

// The judge of all the others, judged: each side of every slab of a node, moved inwards by a little, is seen.
static void bounds_that_do_not_hold_are_seen(void** state)
{
	(void)state;
	static const snugVolume volumes[] = { snug_volumeBox, snug_volumeDop14, snug_volumeDop18, snug_volumeDop26 };
	for (size_t v = 0; v < LENGTH_OF(volumes); ++v)
	{
		sceneRandom random = { TestSeed() + v };
		sceneMesh mesh = sceneMakeBlob(5, 1);
		Skin skin = RandomSkin(&random, &mesh);
		Thing thing = MakeBounded(
		    mesh, &skin, (snugTreeDef){ 0 }, &(Bounding){ .volume = volumes[v], .strategy = snug_strategyBottomUp });
		RandomMatrices(&random, &skin, 1.0, 0.0);
		Pose(&thing, &skin);
		snugValidation found;
		assert_int_equal(snugBody_Validate(thing.body, &found), snug_success);
		const sgTree* tree = &thing.model->tree;
		const uint32_t slot = tree->nodes[0].first;
		const sgBoundsOut bounds = sgCacheGroup_Bounds(sgCache_FindGroup(thing.body, slot / SG_LANES, false));
		for (uint32_t side = 0; side < 6 + 2 * thing.body->extraSlabs; ++side)
		{
			const uint32_t lane = slot % SG_LANES, slab = side / 2;
			float* lower = slab < 3 ? bounds.boxes->lower[slab] : bounds.extra[slab - 3].lower;
			float* upper = slab < 3 ? bounds.boxes->upper[slab] : bounds.extra[slab - 3].upper;
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
}

// --- Sums -----------------------------------------------------------------------------------------------------------

static void every_bound_was_checked_enough(void** state)
{
	(void)state;
	print_message("seed %llu\n", (unsigned long long)TestSeed());
	for (int b = 0; b < BOUND_COUNT; ++b)
	{
		print_message("%-10s %12llu component checks, up to %.3f of the allowed error used\n", boundNames[b],
		    (unsigned long long)tallies[b].checks, tallies[b].used);
		assert_true(tallies[b].checks >= LEAST_CHECKS || TestScale() < LONG_SCALE);
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
		cmocka_unit_test(slabs_contain_sums_that_cancel),
		cmocka_unit_test(bounds_that_do_not_hold_are_seen),
		cmocka_unit_test(every_bound_was_checked_enough),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
