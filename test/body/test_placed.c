// test/body/test_placed.c: boxes along the world's axes contain the placed vertices below them, for every node of every
// sort of body, where rounding is worst; and bounds of whole bodies are no looser than what they are made of.
#include "fields_support.h"
#include "hard_skins.h"
#include "skin_support.h"

#include "body/body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Seen
{
	uint64_t checks;
	uint64_t turned; // families that were bounded along turned axes
} Seen;

static Seen seen;

// The vertices of triangles below a node.
static void CheckNode(const char* what, uint64_t number, const snugBody* body, const float* placed, uint32_t slot,
    const sgBoxLanes* boxes)
{
	const sgTree* tree = &body->model->tree;
	sgBox box = sgBoxLanes_Get(boxes, slot % SG_LANES);
	sgLeafRange range = sgTree_LeavesBelow(tree, slot);
	for (uint32_t l = range.first; l <= range.last; ++l)
	{
		const sgLeaf* leaf = tree->leaves + l;
		for (uint32_t i = 0; i < leaf->vertexCount; ++i)
		{
			const float* p = placed + 3 * (size_t)tree->vertexMap[tree->leafVertices[leaf->firstVertex + i]];
			for (int axis = 0; axis < 3; ++axis, ++seen.checks)
			{
				if (!(p[axis] >= box.lower[axis] && p[axis] <= box.upper[axis]))
				{
					fail_msg("%s, SNUG_SEED=%llu: %s, slot %u, axis %d: %a is not within %a and %a", what,
					    (unsigned long long)number, body->deform->name, slot, axis, (double)p[axis],
					    (double)box.lower[axis], (double)box.upper[axis]);
				}
			}
		}
	}
}

// The box and the ball of a whole body contain the vertices of its triangles, and what is beyond the ball is outside.
static void CheckBounds(const char* what, uint64_t number, snugBody* body, const double origin[3], const float* placed)
{
	const sgTree* tree = &body->model->tree;
	snugBounds bounds;
	assert_int_equal(snugBody_GetBounds(body, origin, &bounds), snug_success);
	for (uint32_t v = 0; v < tree->leafCount; ++v)
	{
		const sgLeaf* leaf = tree->leaves + v;
		for (uint32_t i = 0; i < leaf->vertexCount; ++i)
		{
			const float* p = placed + 3 * (size_t)tree->vertexMap[tree->leafVertices[leaf->firstVertex + i]];
			double distance2 = 0.0;
			for (int axis = 0; axis < 3; ++axis, ++seen.checks)
			{
				double away = (double)p[axis] - (double)bounds.center[axis];
				distance2 += away * away;
				if (!(p[axis] >= bounds.lower[axis] && p[axis] <= bounds.upper[axis]))
				{
					fail_msg("%s, SNUG_SEED=%llu: outside the box of the body", what, (unsigned long long)number);
				}
			}
			if (!(sqrt(distance2) <= (double)bounds.radius))
			{
				fail_msg("%s, SNUG_SEED=%llu: outside the ball of the body: %a, %a", what, (unsigned long long)number,
				    sqrt(distance2), (double)bounds.radius);
			}
		}
	}
	bool isOutside;
	const double normal[3] = { 1.0, 2.0, -2.0 };
	double along = 0.0, radius = 3.0 * (double)bounds.radius;
	for (int axis = 0; axis < 3; ++axis)
	{
		along += normal[axis] * (double)bounds.center[axis];
	}
	snugPlane beyond = { { 1.0, 2.0, -2.0 }, -along - 1.0001 * radius - 1e-6 * fabs(along) };
	assert_int_equal(snugBody_IsOutside(body, origin, &beyond, 1, &isOutside), snug_success);
	assert_true(isOutside || radius + fabs(along) < 1e-30);
}

static void CheckBody(const char* what, uint64_t number, snugBody* body, const double origin[3])
{
	const sgTree* tree = &body->model->tree;
	snugCounters counters = { 0 };
	float* placed = malloc((3 * (size_t)tree->vertexCount + 1) * sizeof(float));
	if (tree->triangleCount == 0 || snugBody_GetVertices(body, origin, placed, 0) != snug_success)
	{
		free(placed);
		return;
	}
	CheckBounds(what, number, body, origin, placed);
	seen.turned += body->deform->boundTurned != NULL && !body->frame.isIdentity && !body->isAtRest;
	for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
	{
		bool isRoot = slot == 0, isInner = tree->nodes[slot].childCount > 0;
		for (int below = isRoot ? 0 : 1; below < (isInner ? 2 : 1); ++below)
		{
			sgLaneSet set = below == 0 ? sgTree_Family(tree, 0) : sgTree_Open(tree, slot);
			sgBoxLanes boxes;
			if (!sgBody_BoundPlaced(body, origin, set, &boxes, &counters))
			{
				continue;
			}
			for (uint32_t rest = set.mask; rest != 0; rest &= rest - 1)
			{
				CheckNode(what, number, body, placed, set.group * SG_LANES + sgLowestBit(rest), &boxes);
			}
		}
	}
	free(placed);
}

// Turned and placed in some ways: at zero, at its own distance, far away, near a far origin.
static void PlaceAndCheck(const char* what, uint64_t number, sceneRandom* random, snugBody* body, double size)
{
	static const double distances[] = { 0.0, 1.0, 1e3, 1e8, 1e-8 };
	snugFrame frame;
	double origin[3];
	RandomRotation(random, frame.rotation);
	double distance = size * distances[sceneRandom_Index(random, LENGTH_OF(distances))];
	bool isNear = sceneRandom_Index(random, 2) == 0;
	for (int axis = 0; axis < 3; ++axis)
	{
		frame.position[axis] = distance * sceneRandom_Range(random, -1.0, 1.0);
		origin[axis] = isNear ? frame.position[axis] + size * sceneRandom_Range(random, -1.0, 1.0) : 0.0;
	}
	assert_int_equal(snugBody_SetFrame(body, &frame), snug_success);
	CheckBody(what, number, body, origin);
}

static double SizeOf(const sceneMesh* mesh)
{
	double size = 0.0;
	for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; ++i)
	{
		size = fmax(size, fabs((double)mesh->positions[i]));
	}
	return size > 0.0 ? size : 1.0;
}

static void skins_are_contained(void** state)
{
	(void)state;
	uint64_t first = TestSeed();
	seen = (Seen){ 0 };
	for (uint64_t number = first; number < first + (uint64_t)TestCount(700); ++number)
	{
		sceneRandom random = { number };
		bool isSmall = number % 3 == 0;
		SkinnedMesh hard = isSmall ? SmallSkin(&random) : HardSkin(&random);
		Thing thing = MakeThing(&hard, RandomTreeDef(&random), StrategyOf(number));
		for (int pose = 0; pose < (isSmall ? 20 : 3); ++pose)
		{
			if (isSmall)
			{
				NudgePose(&random, &hard);
			}
			else
			{
				HardPose(&random, &hard);
			}
			PoseBody(thing.body, &hard);
			PlaceAndCheck("hard skin", number, &random, thing.body, SizeOf(&hard.mesh));
		}
		Thing_Free(&thing);
		SkinnedMesh_Free(&hard);
	}
	print_message("%llu checks, %llu poses turned\n", (unsigned long long)seen.checks, (unsigned long long)seen.turned);
	assert_true(seen.turned > (uint64_t)TestCount(700));
}

// Roundings that add up, where but for them bounds touch the vertices: along axes, turned by a quarter, and askew.
static void aligned_roundings_are_contained(void** state)
{
	(void)state;
	static const double turns[][4] = { { 0, 0, 0.70710678118654752, 0.70710678118654752 }, { 0.6, 0, 0, 0.8 },
		{ 0.5, 0.5, 0.5, 0.5 }, { 0.1, 0.7, -0.1, 0.7 }, { 1e-9, 0, 0, 1 } };
	seen = (Seen){ 0 };
	for (uint32_t n = 2; n <= 24; ++n)
	{
		for (int alignment = 0; alignment < ALIGNMENTS; ++alignment)
		{
			SkinnedMesh aligned = AlignedSkin((Alignment)alignment, n);
			Thing thing = MakeThing(&aligned, (snugTreeDef){ 0 }, snug_strategyAuto);
			PoseBody(thing.body, &aligned);
			for (size_t i = 0; i < LENGTH_OF(turns); ++i)
			{
				snugFrame frame = { .rotation = { turns[i][0], turns[i][1], turns[i][2], turns[i][3] } };
				assert_int_equal(snugBody_SetFrame(thing.body, &frame), snug_success);
				CheckBody("aligned", n, thing.body, (const double[3]){ 0 });
			}
			Thing_Free(&thing);
			SkinnedMesh_Free(&aligned);
		}
	}
	assert_true(seen.turned > 100);
}

static void fields_are_contained(void** state)
{
	(void)state;
	uint64_t first = TestSeed();
	seen = (Seen){ 0 };
	for (uint64_t number = first; number < first + (uint64_t)TestCount(700); ++number)
	{
		sceneRandom random = { number };
		SkinnedMesh hard = HardSkin(&random);
		FieldSet set = RandomFields(&random, &hard.mesh, SizeOf(&hard.mesh));
		Thing thing = MakeFields(sceneMesh_Copy(&hard.mesh), &set, RandomTreeDef(&random), StrategyOf(number));
		for (int pose = 0; pose < 3; ++pose)
		{
			RandomAmplitudes(&random, &set);
			PoseFields(&thing, &set);
			PlaceAndCheck("fields", number, &random, thing.body, SizeOf(&hard.mesh));
		}
		Thing_Free(&thing);
		FieldSet_Free(&set);
		SkinnedMesh_Free(&hard);
	}
	print_message("%llu checks, %llu poses turned\n", (unsigned long long)seen.checks, (unsigned long long)seen.turned);
	assert_true(seen.turned > (uint64_t)TestCount(400));
}

// Morph targets in front of every skin, and skins that turn, which are placed as boxes.
static void morphs_and_turning_skins_are_contained(void** state)
{
	(void)state;
	static const Mover deformers[] = { snug_skin, mover_spherical, mover_dualQuaternion };
	uint64_t first = TestSeed();
	for (uint64_t number = first; number < first + (uint64_t)TestCount(200); ++number)
	{
		sceneRandom random = { number };
		sceneMesh mesh = RandomMesh(&random, (MeshKind)sceneRandom_Index(&random, MESH_KINDS));
		SkinnedMesh skinned = { mesh, RandomSkin(&random, &mesh) };
		FieldSet set = RandomFields(&random, &mesh, 0.1);
		Thing thing = MakeMorphThing(&skinned, &set, deformers[number % 3], RandomTreeDef(&random), snug_strategyAuto);
		for (int pose = 0; pose < 3; ++pose)
		{
			TurnJoints(&random, &skinned);
			PoseBody(thing.body, &skinned);
			RandomAmplitudes(&random, &set);
			PoseFields(&thing, &set);
			PlaceAndCheck("morph", number, &random, thing.body, 1.0);
		}
		Thing_Free(&thing);
		FieldSet_Free(&set);
		SkinnedMesh_Free(&skinned);
	}
}

static void free_and_rigid_bodies_are_contained(void** state)
{
	(void)state;
	uint64_t first = TestSeed();
	for (uint64_t number = first; number < first + (uint64_t)TestCount(200); ++number)
	{
		sceneRandom random = { number };
		sceneMesh mesh = RandomMesh(&random, (MeshKind)sceneRandom_Index(&random, MESH_KINDS));
		Thing thing = Thing_Make(mesh, number % 2 == 0 ? snug_free : snug_rigid, RandomTreeDef(&random), NULL);
		PlaceAndCheck("rest", number, &random, thing.body, 1.0);
		Thing_Free(&thing);
	}
}

// A ball does not grow with how a body is turned: no more than with the rounding of where it is.
static void balls_do_not_grow_by_turning(void** state)
{
	(void)state;
	uint64_t first = TestSeed();
	for (uint64_t number = first; number < first + (uint64_t)TestCount(300); ++number)
	{
		sceneRandom random = { number };
		sceneMesh mesh = RandomMesh(&random, (MeshKind)sceneRandom_Index(&random, MESH_KINDS));
		FieldSet set = RandomFields(&random, &mesh, 0.1);
		bool isLinear = number % 3 != 0;
		Thing thing = isLinear ? MakeFields(mesh, &set, RandomTreeDef(&random), StrategyOf(number))
		                       : Thing_Make(mesh, snug_rigid, RandomTreeDef(&random), NULL);
		if (isLinear)
		{
			PoseFields(&thing, &set);
		}
		snugBounds still, turned;
		snugFrame frame = { .position = { 0 } };
		RandomRotation(&random, frame.rotation);
		assert_int_equal(snugBody_GetBounds(thing.body, NULL, &still), snug_success);
		assert_int_equal(snugBody_SetFrame(thing.body, &frame), snug_success);
		assert_int_equal(snugBody_GetBounds(thing.body, NULL, &turned), snug_success);
		double away = fabs((double)still.center[0]) + fabs((double)still.center[1]) + fabs((double)still.center[2]);
		bool isThere = still.radius >= 0.0f;
		if (isThere && (double)turned.radius > (double)still.radius * (1.0 + 1e-5) + 1e-5 * away)
		{
			fail_msg("SNUG_SEED=%llu: the ball grows from %g to %g", (unsigned long long)number, (double)still.radius,
			    (double)turned.radius);
		}
		Thing_Free(&thing);
		FieldSet_Free(&set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(skins_are_contained),
		cmocka_unit_test(aligned_roundings_are_contained),
		cmocka_unit_test(fields_are_contained),
		cmocka_unit_test(morphs_and_turning_skins_are_contained),
		cmocka_unit_test(free_and_rigid_bodies_are_contained),
		cmocka_unit_test(balls_do_not_grow_by_turning),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
