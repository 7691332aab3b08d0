// test/deform/test_turning.c: spherical and dual quaternion skins by themselves: how far vertices go from pose to pose
// and what boxes make of it.
#include "skin_support.h"

#include "body/body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const Mover deformers[2] = { mover_spherical, mover_dualQuaternion };

// ---- Motion ---------------------------------------------------------------------------------------------------------

// A pose of a body, copied, and all positions.
typedef struct Snapshot
{
	void* pose;
	float* positions;
} Snapshot;

static Snapshot Snapshot_Make(const snugBody* body)
{
	size_t bytes = sgAlignUp(body->poseBytes, SG_ALIGNMENT), vertices = body->model->tree.vertexCount;
	Snapshot shot = { aligned_alloc(SG_ALIGNMENT, bytes), malloc((3 * vertices + 1) * sizeof(float)) };
	assert_true(shot.pose != NULL && shot.positions != NULL);
	memcpy(shot.pose, body->posed.pose, body->poseBytes);
	return shot;
}

static void Snapshot_Free(Snapshot* shot)
{
	free(shot->pose);
	free(shot->positions);
}

static void Evaluate(const snugBody* body, const Snapshot* shot, const void* derived)
{
	const sgPosed posed = { .model = body->model, .pose = shot->pose, .derived = derived };
	for (uint32_t v = 0; v < body->model->tree.vertexCount; ++v)
	{
		float position[4];
		body->deform->evaluate(&posed, &v, 1, position);
		memcpy(shot->positions + 3 * (size_t)v, position, 3 * sizeof(float));
	}
}

static double MostMoved(const snugBody* body, const Snapshot* a, const Snapshot* b)
{
	double most = 0.0;
	for (size_t v = 0; v < body->model->tree.vertexCount; ++v)
	{
		double sum = 0.0;
		for (size_t k = 0; k < 3; ++k)
		{
			double apart = (double)b->positions[3 * v + k] - (double)a->positions[3 * v + k];
			sum += apart * apart;
		}
		most = fmax(most, sqrt(sum));
	}
	return most;
}

// A joint's matrix turned: about zero and then moved, or, without its translation, where it is.
static void MoveBy(const double turn[4], const double shift[3], float m[12], bool isMoved)
{
	float step[12], old[12];
	RigidMatrix(turn, shift, step);
	memcpy(old, m, sizeof(old));
	for (int i = 0; i < 12; ++i)
	{
		double sum = i % 4 == 3 ? (double)step[i] : 0.0;
		for (int l = 0; l < 3; ++l)
		{
			sum += (double)step[4 * (i / 4) + l] * (double)old[4 * l + i % 4];
		}
		m[i] = i % 4 == 3 && !isMoved ? old[i] : (float)sum;
	}
}

static double LargestCoordinate(const sceneMesh* mesh)
{
	double largest = 0.0;
	for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; ++i)
	{
		largest = fmax(largest, fabs((double)mesh->positions[i]));
	}
	return largest;
}

// Moves joints from where they are: all together, each by itself, or one of them; by steps of every size, some of them
// without any turn.
static void Step(sceneRandom* random, SkinnedMesh* skinned)
{
	double size = pow(10.0, sceneRandom_Range(random, -7.0, -0.5)), together[3], turn[4];
	double shift = size * LargestCoordinate(&skinned->mesh), angle = sceneRandom_Index(random, 4) == 0 ? 0.0 : size;
	uint32_t count = skinned->skin.transformCount, kind = sceneRandom_Index(random, 3);
	uint32_t only = sceneRandom_Index(random, count);
	for (uint32_t j = 0; j < count; ++j)
	{
		float* m = skinned->skin.matrices + 12 * (size_t)j;
		if (kind != 0 || j == 0)
		{
			const double axis[3] = { sceneRandom_Range(random, -1.0, 1.0), sceneRandom_Range(random, -1.0, 1.0), 0.1 };
			AxisTurn(axis, angle * sceneRandom_Unit(random), turn);
			for (int k = 0; k < 3; ++k)
			{
				together[k] = shift * sceneRandom_Range(random, -1.0, 1.0);
			}
		}
		if (kind == 2 && j != only)
		{
			continue;
		}
		MoveBy(turn, together, m, true);
	}
}

// Half of the vertices are so close together that joints may turn about them: they move none of them, but what they
// share goes far. The last joint moves the others.
static SkinnedMesh TinySkin(sceneRandom* random)
{
	SkinnedMesh skinned = ScatteredSkin(random, sceneMakeBlob(5, 1), 3 + sceneRandom_Index(random, 3));
	uint16_t last = (uint16_t)(skinned.skin.transformCount - 1);
	for (uint32_t v = 0; v < skinned.mesh.vertexCount; ++v)
	{
		bool isTiny = v < skinned.mesh.vertexCount / 2;
		for (uint32_t k = 3 * v; isTiny && k < 3 * v + 3; ++k)
		{
			skinned.mesh.positions[k] *= 1e-4f;
		}
		for (uint32_t k = skinned.skin.starts[v]; k < skinned.skin.starts[v + 1]; ++k)
		{
			uint16_t* transform = skinned.skin.transforms + k;
			*transform = (uint16_t)(isTiny ? *transform % last : last);
		}
	}
	return skinned;
}

// Each joint turns the mesh in its own place, in places far apart.
static void TurnInPlace(sceneRandom* random, SkinnedMesh* skinned, double size, bool isFirst)
{
	for (uint32_t j = 0; j < skinned->skin.transformCount; ++j)
	{
		const double axis[3] = { sceneRandom_Range(random, -1.0, 1.0), sceneRandom_Range(random, -1.0, 1.0), 0.1 };
		double turn[4], place[3];
		float* m = skinned->skin.matrices + 12 * (size_t)j;
		AxisTurn(axis, size * sceneRandom_Unit(random), turn);
		for (int k = 0; k < 3; ++k)
		{
			place[k] = isFirst ? sceneRandom_Range(random, -1.0, 1.0) : 0.0;
		}
		MoveBy(turn, place, m, isFirst);
	}
}

/// How often a bound was found, and was of use.
typedef struct Found
{
	int count;
	int useful; // at most 8 times what was needed
} Found;

static void CheckStep(sceneRandom* random, uint64_t number, bool isTiny, SkinnedMesh* skinned, snugBody* body,
    void* derived, Found* found)
{
	uint32_t joints = skinned->skin.transformCount;
	if (snugBody_SetJoints(body, skinned->skin.matrices, 0, joints) != snug_success)
	{
		return;
	}
	Snapshot before = Snapshot_Make(body);
	if (isTiny)
	{
		TurnInPlace(random, skinned, pow(10.0, sceneRandom_Range(random, -4.0, -1.7)), false);
	}
	else
	{
		Step(random, skinned);
	}
	if (snugBody_SetJoints(body, skinned->skin.matrices, 0, joints) == snug_success)
	{
		Snapshot after = Snapshot_Make(body);
		body->deform->derive(body->model, before.pose, NULL, derived);
		Evaluate(body, &before, derived);
		double motion = body->deform->derive(body->model, after.pose, before.pose, derived);
		Evaluate(body, &after, derived);
		double most = MostMoved(body, &before, &after);
		if (!(most <= motion))
		{
			print_error("case %llu: a vertex moved by %.9g, %.9g was said\n", (unsigned long long)number, most, motion);
			fail();
		}
		found->count += motion < INFINITY;
		found->useful += motion < 8.0 * most;
		Snapshot_Free(&after);
	}
	Snapshot_Free(&before);
}

// Joints of every sort (TurnJoints), moved a little or much. Would catch a motion that is less than some vertex' own.
static void no_vertex_moves_farther_than_is_said(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	int cases = TestCount(300);
	Found found = { 0 };
	for (int i = 0; i < cases; ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		bool isTiny = i % 3 == 2;
		SkinnedMesh skinned = isTiny ? TinySkin(&random) : i % 3 == 0 ? HardSkin(&random) : SmallSkin(&random);
		Thing thing = MakeSkinThing(&skinned, deformers[i / 3 % 2], (snugTreeDef){ 0 }, snug_strategyAuto);
		size_t bytes = sgAlignUp(thing.body->derivedBytes, SG_ALIGNMENT);
		void* derived = aligned_alloc(SG_ALIGNMENT, bytes);
		assert_non_null(derived);
		memset(derived, 0, bytes);
		TurnJoints(&random, &skinned);
		for (uint32_t k = 0; isTiny && k < 12 * skinned.skin.transformCount; ++k)
		{
			skinned.skin.matrices[k] = k % 12 % 5 == 0 ? 1.0f : 0.0f;
		}
		if (isTiny)
		{
			TurnInPlace(&random, &skinned, 0.8, true);
		}
		for (int step = 0; step < 4; ++step)
		{
			CheckStep(&random, number, isTiny, &skinned, thing.body, derived, &found);
		}
		free(derived);
		Thing_Free(&thing);
		SkinnedMesh_Free(&skinned);
	}
	print_message("%d steps bounded, %d of them within 8 times\n", found.count, found.useful);
	assert_true(found.useful > found.count / 20);
}

// ---- Boxes that grow ------------------------------------------------------------------------------------------------

// Joints turned against each other, all of them by an angle.
static void Bend(SkinnedMesh* skinned, double angle)
{
	for (uint32_t j = 0; j < skinned->skin.transformCount; ++j)
	{
		const double axis[3] = { 1.0, 0.3 * j, 0.2 }, shift[3] = { 1.3, 0.02 * j, 0.0 };
		double turn[4];
		AxisTurn(axis, 0.1 * j + angle, turn);
		RigidMatrix(turn, shift, skinned->skin.matrices + 12 * (size_t)j);
	}
}

// Nodes refitted at the front of a body that is bent further by `speed` with every step.
static uint64_t CountRefitted(Mover deformer, double speed, uint64_t* pairs)
{
	sceneRandom random = { 7 };
	SkinnedMesh skinned = ScatteredSkin(&random, sceneMakeBlob(24, 3), 6);
	Thing thing = MakeSkinThing(&skinned, deformer, (snugTreeDef){ 0 }, snug_strategyFront);
	Thing other = Thing_Make(sceneMakeBlob(20, 2), snug_rigid, (snugTreeDef){ 0 }, NULL);
	uint64_t refitted = 0;
	for (int step = 0; step < 20; ++step)
	{
		Bend(&skinned, speed * step);
		assert_int_equal(
		    snugBody_SetJoints(thing.body, skinned.skin.matrices, 0, skinned.skin.transformCount), snug_success);
		uint64_t before = snugCollide(thing.body, other.body, NULL).counters.nodesAtFront;
		refitted += step >= 4 ? before : 0;
		*pairs += step % 5 == 4 ? CheckPairs("a bent bar", (uint64_t)step, &thing, &other, NULL) : 0;
	}
	Thing_Free(&thing);
	Thing_Free(&other);
	SkinnedMesh_Free(&skinned);
	return refitted;
}

static void boxes_grow_with_slow_motion(void** state)
{
	(void)state;
	for (int i = 0; i < 2; ++i)
	{
		uint64_t pairs = 0, fast = CountRefitted(deformers[i], 0.05, &pairs);
		uint64_t slow = CountRefitted(deformers[i], 1e-5, &pairs);
		print_message("refitted at the front: %llu fast, %llu slow; %llu pairs\n", (unsigned long long)fast,
		    (unsigned long long)slow, (unsigned long long)pairs);
		assert_true(slow < fast / 2 && pairs > 0);
	}
}

// Bodies are posed once, twice or three times before anybody asks, and refuse nonsense in between: the way that counts
// is the one since boxes were made, whatever was overwritten on it. Every bound is looked at. Would catch a motion that
// is measured from a pose which is there no more.
static void boxes_follow_all_poses_between_queries(void** state)
{
	(void)state;
	uint64_t pairs = 0;
	for (int n = 0; n < TestCount(8); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		SkinnedMesh skinned = ScatteredSkin(&random, sceneMakeBlob(16, 3), 6);
		const snugStrategy strategy = n % 4 < 2 ? snug_strategyFront : snug_strategyAuto;
		Thing thing = MakeSkinThing(&skinned, deformers[n % 2], (snugTreeDef){ 0 }, strategy);
		Thing other = Thing_Make(sceneMakeBlob(12, 2), snug_rigid, (snugTreeDef){ 0 }, NULL);
		double angle = 0.0;
		for (int step = 0; step < 20; ++step)
		{
			for (uint32_t times = 1 + sceneRandom_Index(&random, 3); times > 0; --times)
			{
				const uint32_t joints = skinned.skin.transformCount;
				angle += pow(10.0, sceneRandom_Range(&random, -5.0, -1.0));
				Bend(&skinned, angle);
				if (sceneRandom_Index(&random, 4) == 0)
				{
					skinned.skin.matrices[12 * (joints - 1)] = NAN;
					assert_int_equal(snugBody_SetJoints(thing.body, skinned.skin.matrices, 0, joints), snug_badInput);
					Bend(&skinned, angle);
				}
				assert_int_equal(snugBody_SetJoints(thing.body, skinned.skin.matrices, 0, joints), snug_success);
			}
			pairs += CheckPairs("posed often", seed, &thing, &other, NULL);
			assert_int_equal(snugBody_Validate(thing.body, NULL), snug_success);
		}
		Thing_Free(&thing);
		Thing_Free(&other);
		SkinnedMesh_Free(&skinned);
	}
	assert_true(pairs > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_vertex_moves_farther_than_is_said),
		cmocka_unit_test(boxes_grow_with_slow_motion),
		cmocka_unit_test(boxes_follow_all_poses_between_queries),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
