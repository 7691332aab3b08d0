// test/deform/test_skin.c: spherical and dual quaternion skins: positions as textbooks have them, bounds that contain
// them, pairs that exact brute force finds.
#include "skin_support.h"

#include "body/body.h"
#include "deform/skin/turning_kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Mover deformers[] = { mover_spherical, mover_dualQuaternion };

// --- Bounds ---------------------------------------------------------------------------------------------------------

static uint64_t checkCount;

static void Check(const char* what, uint64_t seed, const Thing* thing)
{
	checkCount += Thing_Validate(what, seed, thing);
}

static bool IsSlow(void)
{
	return strcmp(snugGetInstructionSet(), "scalar") == 0 || TestScale() < 1.0;
}

static void bounds_contain_their_vertices(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	int count = TestCount(IsSlow() ? 300 : 1200), pairless = 0;
	for (int i = 0; i < count; ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		SkinnedMesh skinned = HardSkin(&random);
		Thing thing = MakeSkinThing(&skinned, deformers[number / 3 % 2], RandomTreeDef(&random), StrategyOf(number));
		pairless += sgTurning_Get(thing.model).header->pairCount == 0;
		for (int pose = 0; pose < 4; ++pose)
		{
			TurnJoints(&random, &skinned);
			if (snugBody_SetJoints(thing.body, skinned.skin.matrices, 0, skinned.skin.transformCount) != snug_success)
			{
				continue; // beyond float32, or scaled until flat
			}
			Check("turned", number, &thing);
			NudgeJoints(&random, &skinned);
			if (snugBody_SetJoints(thing.body, skinned.skin.matrices, 0, skinned.skin.transformCount) == snug_success)
			{
				Check("nudged", number, &thing);
			}
		}
		Thing_Free(&thing);
		SkinnedMesh_Free(&skinned);
	}
	printf("%llu checks, %d skins with too many pairs of joints\n", (unsigned long long)checkCount, pairless);
	assert_true(pairless > 0 && pairless < count);
}

// Every skin with fields before it, poses and amplitudes in any order.
static void bounds_contain_morphed_vertices(void** state)
{
	(void)state;
	static const Mover skins[] = { snug_skin, mover_spherical, mover_dualQuaternion };
	uint64_t seed = TestSeed();
	int count = TestCount(IsSlow() ? 300 : 1200), posed = 0;
	for (int i = 0; i < count; ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		SkinnedMesh skinned = HardSkin(&random);
		double size = MeshSize(&skinned.mesh);
		FieldSet set = RandomFields(&random, &skinned.mesh, size);
		Mover deformer = skins[number % 3];
		Thing thing = MakeMorphThing(&skinned, &set, deformer, RandomTreeDef(&random), StrategyOf(number / 3));
		for (int pose = 0; pose < 6; ++pose)
		{
			bool isJoints = sceneRandom_Index(&random, 2) == 0;
			if (isJoints)
			{
				TurnJoints(&random, &skinned);
				snugBody_SetJoints(thing.body, skinned.skin.matrices, 0, skinned.skin.transformCount);
			}
			else
			{
				RandomAmplitudes(&random, &set);
				posed += snugBody_SetAmplitudes(thing.body, set.amplitudes, set.fieldCount) == snug_success;
			}
			Check("morphed", number, &thing);
		}
		Thing_Free(&thing);
		FieldSet_Free(&set);
		SkinnedMesh_Free(&skinned);
	}
	printf("%llu checks in all; %d sets of amplitudes taken\n", (unsigned long long)checkCount, posed);
	assert_true(posed > count);
}

// --- Positions ------------------------------------------------------------------------------------------------------

// Every kernel gives the same bits, and so do blocks and single vertices.
static void positions_are_the_same_bits_everywhere(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	int count = TestCount(200);
	for (int i = 0; i < count; ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		SkinnedMesh skinned = HardSkin(&random);
		FieldSet set = RandomFields(&random, &skinned.mesh, MeshSize(&skinned.mesh));
		Mover deformer = deformers[number % 2];
		Thing thing = MakeMorphThing(
		    &skinned, number % 3 == 0 ? &set : NULL, deformer, RandomTreeDef(&random), snug_strategyAuto);
		TurnJoints(&random, &skinned);
		bool isPosed =
		    snugBody_SetJoints(thing.body, skinned.skin.matrices, 0, skinned.skin.transformCount) == snug_success;
		RandomAmplitudes(&random, &set);
		if (number % 3 == 0)
		{
			snugBody_SetAmplitudes(thing.body, set.amplitudes, set.fieldCount);
		}
		const sgClusters* clusters = &thing.model->clusters;
		for (uint32_t c = 0; isPosed && c < clusters->header->count; ++c)
		{
			float expected[SG_CLUSTER_FLOATS(SG_MAX_CLUSTER_VERTICES)],
			    found[SG_CLUSTER_FLOATS(SG_MAX_CLUSTER_VERTICES)];
			const sgCluster* cluster = clusters->clusters + c;
			const uint32_t* vertices = clusters->vertices + cluster->firstVertex;
			sgSetKernels(sgFindKernels(0));
			thing.body->deform->evaluate(sgBody_Derive(thing.body), vertices, cluster->vertexCount, expected);
			for (int k = 0; sgFindKernels(k) != NULL; ++k)
			{
				sgSetKernels(sgFindKernels(k));
				thing.body->deform->evaluateCluster(sgBody_Derive(thing.body), c, found);
				if (memcmp(expected, found, 3 * cluster->vertexCount * sizeof(float)) != 0)
				{
					fail_msg("SNUG_SEED=%llu: blocks of kernel %d differ", (unsigned long long)number, k);
				}
				thing.body->deform->evaluate(sgBody_Derive(thing.body), vertices, cluster->vertexCount, found);
				if (memcmp(expected, found, 3 * cluster->vertexCount * sizeof(float)) != 0)
				{
					fail_msg("SNUG_SEED=%llu: vertices of kernel %d differ", (unsigned long long)number, k);
				}
			}
		}
		sgSetKernels(NULL);
		Thing_Free(&thing);
		FieldSet_Free(&set);
		SkinnedMesh_Free(&skinned);
	}
}

// --- The textbook, in double ----------------------------------------------------------------------------------------

typedef struct Joint
{
	double rotation[3][3], translation[3], q[4]; // x y z w
} Joint;

static Joint ReadJoint(const float m[12])
{
	Joint joint;
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			joint.rotation[i][k] = m[4 * i + k];
		}
		joint.translation[i] = m[4 * i + 3];
	}
	// The quaternion as the eigenvector of eigenvalue 1 of the rotation's quaternion form, by the largest column.
	const double(*r)[3] = (const double(*)[3])joint.rotation;
	double k[4][4] = {
		{ 1 + r[0][0] - r[1][1] - r[2][2], r[0][1] + r[1][0], r[0][2] + r[2][0], r[2][1] - r[1][2] },
		{ r[0][1] + r[1][0], 1 - r[0][0] + r[1][1] - r[2][2], r[1][2] + r[2][1], r[0][2] - r[2][0] },
		{ r[0][2] + r[2][0], r[1][2] + r[2][1], 1 - r[0][0] - r[1][1] + r[2][2], r[1][0] - r[0][1] },
		{ r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1], 1 + r[0][0] + r[1][1] + r[2][2] },
	};
	int best = 0;
	for (int i = 1; i < 4; ++i)
	{
		best = k[i][i] > k[best][best] ? i : best;
	}
	double length = 0.0;
	for (int i = 0; i < 4; ++i)
	{
		length += k[best][i] * k[best][i];
	}
	for (int i = 0; i < 4; ++i)
	{
		joint.q[i] = k[best][i] / sqrt(length);
	}
	return joint;
}

static void Multiply(const double a[4], const double b[4], double out[4])
{
	out[0] = a[3] * b[0] + b[3] * a[0] + a[1] * b[2] - a[2] * b[1];
	out[1] = a[3] * b[1] + b[3] * a[1] + a[2] * b[0] - a[0] * b[2];
	out[2] = a[3] * b[2] + b[3] * a[2] + a[0] * b[1] - a[1] * b[0];
	out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

static void Conjugate(const double a[4], double out[4])
{
	out[0] = -a[0];
	out[1] = -a[1];
	out[2] = -a[2];
	out[3] = a[3];
}

static void Rotate(const double q[4], const double v[3], double out[3])
{
	double pure[4] = { v[0], v[1], v[2], 0.0 }, left[4], back[4], all[4];
	Multiply(q, pure, left);
	Conjugate(q, back);
	Multiply(left, back, all);
	memcpy(out, all, 3 * sizeof(double));
}

static void Carry(const Joint* joint, const double v[3], double out[3])
{
	for (int i = 0; i < 3; ++i)
	{
		out[i] = joint->translation[i];
		for (int k = 0; k < 3; ++k)
		{
			out[i] += joint->rotation[i][k] * v[k];
		}
	}
}

static double Dot4(const double a[4], const double b[4])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/// A vertex with its joints: signs chosen, zero weights gone.
typedef struct Influences
{
	uint32_t count;
	uint32_t joints[65];
	double weights[65];
	double signs[64];
} Influences;

static Influences ReadInfluences(const Skin* skin, uint32_t v)
{
	Influences out = { .count = 0 };
	double sum = 0.0;
	for (uint32_t k = skin->starts[v]; k < skin->starts[v + 1]; ++k)
	{
		if (!(skin->weights[k] > 0.0f) || out.count == 64)
		{
			continue;
		}
		// Ascending, and each joint once.
		uint32_t place = 0;
		while (place < out.count && out.joints[place] < skin->transforms[k])
		{
			++place;
		}
		if (place == out.count || out.joints[place] != skin->transforms[k])
		{
			memmove(out.joints + place + 1, out.joints + place, (out.count - place) * sizeof(uint32_t));
			memmove(out.weights + place + 1, out.weights + place, (out.count - place) * sizeof(double));
			out.joints[place] = skin->transforms[k];
			out.weights[place] = 0.0;
			++out.count;
		}
		out.weights[place] += skin->weights[k];
		sum += skin->weights[k];
	}
	for (uint32_t i = 0; i < out.count; ++i)
	{
		out.weights[i] /= sum;
	}
	return out;
}

static bool SameJoints(const Influences* a, const Influences* b)
{
	for (uint32_t i = 0; i < a->count; ++i)
	{
		if (a->count != b->count || a->joints[i] != b->joints[i])
		{
			return false;
		}
	}
	return a->count == b->count;
}

// Least squares of C_i r = C_j r over all pairs, damped about the mean of the joints' positions.
static void TextbookCenter(const Influences* own, const Joint* joints, const double (*positions)[3], double r[3])
{
	double r0[3] = { 0 }, a[3][4] = { { 0 } };
	for (uint32_t i = 0; i < own->count; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			r0[k] += positions[own->joints[i]][k] / own->count;
		}
	}
	for (uint32_t i = 0; i < own->count; ++i)
	{
		for (uint32_t j = i + 1; j < own->count; ++j)
		{
			double yi[3], yj[3];
			Carry(joints + own->joints[i], r0, yi);
			Carry(joints + own->joints[j], r0, yj);
			for (int row = 0; row < 3; ++row)
			{
				double d[3];
				for (int k = 0; k < 3; ++k)
				{
					d[k] = joints[own->joints[i]].rotation[row][k] - joints[own->joints[j]].rotation[row][k];
				}
				for (int k = 0; k < 3; ++k)
				{
					a[k][3] += d[k] * (yj[row] - yi[row]);
					for (int l = 0; l < 3; ++l)
					{
						a[k][l] += d[k] * d[l];
					}
				}
			}
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		a[k][k] += 1e-2; // damping
	}
	for (int k = 0; k < 3; ++k)
	{
		for (int row = k + 1; row < 3; ++row)
		{
			double factor = a[row][k] / a[k][k];
			for (int l = k; l < 4; ++l)
			{
				a[row][l] -= factor * a[k][l];
			}
		}
	}
	for (int k = 2; k >= 0; --k)
	{
		double sum = a[k][3];
		for (int l = k + 1; l < 3; ++l)
		{
			sum -= a[k][l] * (r[l] - r0[l]);
		}
		r[k] = r0[k] + sum / a[k][k];
	}
}

static double Textbook(Mover deformer, const Influences* own, const Joint* joints, const double (*positions)[3],
    const double v[3], double out[3])
{
	double b[4] = { 0 }, d[4] = { 0 };
	for (uint32_t i = 0; i < own->count; ++i)
	{
		const Joint* joint = joints + own->joints[i];
		double t[4] = { 0.5 * joint->translation[0], 0.5 * joint->translation[1], 0.5 * joint->translation[2], 0.0 };
		double dual[4];
		Multiply(t, joint->q, dual);
		for (int k = 0; k < 4; ++k)
		{
			b[k] += own->weights[i] * own->signs[i] * joint->q[k];
			d[k] += own->weights[i] * own->signs[i] * dual[k];
		}
	}
	double length = sqrt(Dot4(b, b));
	for (int k = 0; k < 4; ++k)
	{
		b[k] /= length;
		d[k] /= length;
	}
	if (deformer == mover_dualQuaternion)
	{
		double back[4], translation[4];
		Conjugate(b, back);
		Multiply(d, back, translation);
		Rotate(b, v, out);
		for (int k = 0; k < 3; ++k)
		{
			out[k] += 2.0 * translation[k];
		}
		return length;
	}
	double r[3], x[3];
	TextbookCenter(own, joints, positions, r);
	for (int k = 0; k < 3; ++k)
	{
		x[k] = v[k] - r[k];
	}
	Rotate(b, x, out);
	for (uint32_t i = 0; i < own->count; ++i)
	{
		double y[3];
		Carry(joints + own->joints[i], r, y);
		for (int k = 0; k < 3; ++k)
		{
			out[k] += own->weights[i] * y[k];
		}
	}
	return length;
}

// Signs as turning.h says: those of a joint set towards the joint with the most weight over all of its vertices.
static void ChooseSigns(Influences* all, uint32_t count, const Joint* joints)
{
	for (uint32_t v = 0; v < count; ++v)
	{
		double totals[64] = { 0 };
		uint32_t pivot = 0;
		for (uint32_t w = 0; w < count; ++w)
		{
			for (uint32_t i = 0; SameJoints(all + v, all + w) && i < all[v].count; ++i)
			{
				totals[i] += all[w].weights[i];
			}
		}
		for (uint32_t i = 1; i < all[v].count; ++i)
		{
			pivot = totals[i] > totals[pivot] ? i : pivot;
		}
		for (uint32_t i = 0; i < all[v].count; ++i)
		{
			bool isAway = Dot4(joints[all[v].joints[i]].q, joints[all[v].joints[pivot]].q) < 0.0;
			all[v].signs[i] = isAway ? -1.0 : 1.0;
		}
	}
}

// A strip of vertices moved by chains of joints.
static SkinnedMesh ChainSkin(sceneRandom* random, uint32_t joints)
{
	sceneMesh mesh = sceneMakeTorus(1.0, 0.3, 24, 6);
	return ScatteredSkin(random, mesh, joints);
}

static void positions_are_those_of_the_textbook(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	int count = TestCount(60);
	double worst = 0.0;
	for (int i = 0; i < count; ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		SkinnedMesh skinned = ChainSkin(&random, 1 + sceneRandom_Index(&random, 5));
		const Skin* skin = &skinned.skin;
		uint32_t vertexCount = skinned.mesh.vertexCount;
		// Turns that are well away from half a turn apart, where signs would be a matter of rounding.
		for (uint32_t j = 0; j < skin->transformCount; ++j)
		{
			double axis[3], q[4], t[3];
			for (int k = 0; k < 3; ++k)
			{
				axis[k] = sceneRandom_Range(&random, -1.0, 1.0) + 0.01;
				t[k] = sceneRandom_Range(&random, -1.0, 1.0);
			}
			AxisTurn(axis, sceneRandom_Range(&random, -1.5, 1.5), q);
			RigidMatrix(q, t, skin->matrices + 12 * (size_t)j);
		}
		Joint* joints = calloc(skin->transformCount, sizeof(Joint));
		double(*positions)[3] = calloc(skin->transformCount, sizeof(*positions));
		Influences* all = calloc(vertexCount, sizeof(Influences));
		float* placed = calloc(3 * (size_t)vertexCount, sizeof(float));
		float* given = calloc(3 * (size_t)skin->transformCount, sizeof(float));
		for (uint32_t j = 0; j < skin->transformCount; ++j)
		{
			joints[j] = ReadJoint(skin->matrices + 12 * (size_t)j);
			for (uint32_t k = 0; k < 3; ++k)
			{
				positions[j][k] = given[3 * j + k] = (float)sceneRandom_Range(&random, -1.0, 1.0);
			}
		}
		for (uint32_t v = 0; v < vertexCount; ++v)
		{
			all[v] = ReadInfluences(skin, v);
		}
		ChooseSigns(all, vertexCount, joints);
		for (size_t which = 0; which < LENGTH_OF(deformers); ++which)
		{
			snugModelDef def = MeshDef(&skinned.mesh, deformers[which], (snugTreeDef){ 0 });
			def.skin = Skin_Def(skin);
			def.skin.blending = Mover_Blending(deformers[which]);
			def.skin.jointPositions = given;
			snugModel* model;
			assert_int_equal(snugModel_Create(&def, &model), snug_success);
			snugBody* body = MakeBody(model, NULL);
			assert_int_equal(snugBody_SetJoints(body, skin->matrices, 0, skin->transformCount), snug_success);
			assert_int_equal(snugBody_GetVertices(body, NULL, placed, 0), snug_success);
			for (uint32_t v = 0; v < vertexCount; ++v)
			{
				const float* p = skinned.mesh.positions + 3 * (size_t)v;
				double out[3], at[3] = { p[0], p[1], p[2] };
				double length = Textbook(deformers[which], all + v, joints, (const double(*)[3])positions, at, out);
				for (uint32_t k = 0; k < 3; ++k)
				{
					worst = fmax(worst, fabs(out[k] - (double)placed[3 * v + k]) * length * length);
				}
			}
			assert_int_equal(snugBody_Refit(body), snug_success);
			assert_int_equal(snugBody_Validate(body, NULL), snug_success);
			snugBody_Destroy(body);
			snugModel_Destroy(model);
		}
		free(joints);
		free(positions);
		free(all);
		free(placed);
		free(given);
		SkinnedMesh_Free(&skinned);
	}
	printf("farthest from the textbook: %g\n", worst);
	assert_true(worst < 2e-5);
}

// --- Pairs ----------------------------------------------------------------------------------------------------------

/// Ways for a thing to move, all of which meet all others.
typedef enum Moving
{
	moving_rigid,
	moving_free,
	moving_linear,
	moving_blend,
	moving_spherical,
	moving_dual,
	moving_blendMorphed,
	moving_sphericalMorphed,
	moving_dualMorphed,
	MOVINGS
} Moving;

static const Mover deformerOf[MOVINGS] = { snug_rigid, snug_free, snug_fields, snug_skin, mover_spherical,
	mover_dualQuaternion, snug_skin, mover_spherical, mover_dualQuaternion };

static Thing MakeMoving(sceneRandom* random, Moving moving, uint64_t number)
{
	sceneMesh mesh = RandomMesh(random, (MeshKind)sceneRandom_Index(random, MESH_KINDS));
	snugTreeDef tree = RandomTreeDef(random);
	Mover deformer = deformerOf[moving];
	SkinnedMesh skinned = ScatteredSkin(random, mesh, 1 + sceneRandom_Index(random, 12));
	FieldSet set = RandomFields(random, &skinned.mesh, 0.2);
	Thing thing;
	if (moving <= moving_free)
	{
		thing = Thing_Make(sceneMesh_Copy(&skinned.mesh), deformer, tree, NULL);
	}
	else if (moving == moving_linear)
	{
		thing = MakeFields(sceneMesh_Copy(&skinned.mesh), &set, tree, StrategyOf(number));
	}
	else
	{
		const FieldSet* fields = moving >= moving_blendMorphed ? &set : NULL;
		thing = MakeMorphThing(&skinned, fields, deformer, tree, StrategyOf(number));
	}
	// Twice, so that what was remembered must be forgotten.
	for (int pose = 0; pose < 2 && moving >= moving_linear; ++pose)
	{
		if (moving != moving_linear)
		{
			TurnJoints(random, &skinned);
			snugBody_SetJoints(thing.body, skinned.skin.matrices, 0, skinned.skin.transformCount);
		}
		if (moving == moving_linear || moving >= moving_blendMorphed)
		{
			RandomAmplitudes(random, &set);
			snugBody_SetAmplitudes(thing.body, set.amplitudes, set.fieldCount);
		}
		snugCounters counters = { 0 };
		sgBody_RootBox(thing.body, &counters);
	}
	FieldSet_Free(&set);
	SkinnedMesh_Free(&skinned);
	return thing;
}

static void pairs_are_those_of_brute_force(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), total = 0;
	int rounds = TestCount(IsSlow() ? 1 : 4);
	for (int i = 0; i < rounds; ++i)
	{
		for (uint32_t pairing = 0; pairing < MOVINGS * MOVINGS; ++pairing)
		{
			uint64_t number = seed + (uint64_t)i * MOVINGS * MOVINGS + pairing;
			sceneRandom random = { number };
			Thing a = MakeMoving(&random, (Moving)(pairing / MOVINGS), number);
			Thing b = MakeMoving(&random, (Moving)(pairing % MOVINGS), number + 31);
			total += CheckPairs("a pairing", number, &a, &b, NULL);
			Thing_Free(&a);
			Thing_Free(&b);
		}
	}
	printf("%llu pairs\n", (unsigned long long)total);
	assert_true(total > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(positions_are_those_of_the_textbook),
		cmocka_unit_test(positions_are_the_same_bits_everywhere),
		cmocka_unit_test(bounds_contain_their_vertices),
		cmocka_unit_test(bounds_contain_morphed_vertices),
		cmocka_unit_test(pairs_are_those_of_brute_force),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
