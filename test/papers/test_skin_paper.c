// test/papers/test_skin_paper.c: what the 2006 paper on spherical blending (Kavan, O'Sullivan, Zara) prints, where that
// misses vertices, and that ours does not.
//
// Each test makes a skin for which a printed formula fails, computes the printed bound by the paper's own lines, finds
// the vertex that is outside, and checks that our bounds contain it.
#include "skin_support.h"

#include "body/body.h"
#include "deform/skin/turning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Ball
{
	double center[3];
	double radius;
} Ball;

static const double pi = 3.14159265358979323846;

// Lines 5 to 16 of Algorithm 1 as printed, for one joint set whose weights are unlimited, so that the corners are the
// joints' own quaternions; rotations about zero, so that the rotation centre and its images are zero.
static Ball PrintedBall(const double (*q)[4], int count, const double p[3])
{
	double center[4] = { 0 }, radius = 0.0, length2 = 0.0;
	for (int k = 0; k < count; ++k)
	{
		for (int i = 0; i < 4; ++i)
		{
			center[i] += q[k][i] / count;
		}
	}
	for (int k = 0; k < count; ++k)
	{
		double distance2 = 0.0;
		for (int i = 0; i < 4; ++i)
		{
			distance2 += (q[k][i] - center[i]) * (q[k][i] - center[i]);
		}
		radius = fmax(radius, sqrt(distance2));
	}
	for (int i = 0; i < 4; ++i)
	{
		length2 += center[i] * center[i];
	}
	if (radius >= 1.0) // "we can simply consider the whole S_3"
	{
		return (Ball){ .radius = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) };
	}
	double length = sqrt(length2), alpha = 2.0 * acos((1.0 + length2 - radius * radius) / (2.0 * length));
	double mean[4] = { center[0] / length, center[1] / length, center[2] / length, center[3] / length };
	float matrix[12];
	Ball ball = { .radius = 0.0 };
	RigidMatrix(mean, (const double[3]){ 0, 0, 0 }, matrix);
	for (int i = 0; i < 3; ++i)
	{
		ball.center[i] = cos(alpha) * ((double)matrix[4 * i] * p[0] + (double)matrix[4 * i + 1] * p[1] +
		                                  (double)matrix[4 * i + 2] * p[2]);
	}
	ball.radius = sin(alpha) * sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
	return ball;
}

// Triangles whose corners are all at one place, with weights all over the simplex of `joints` joints.
// `hasSubsets`: of every four vertices three follow two of the joints only, so that joint sets go round in a circle.
static SkinnedMesh SetsSkin(uint32_t joints, const double p[3], bool hasSubsets)
{
	sceneMesh mesh = sceneMesh_Allocate(3 * 24, 24);
	for (uint32_t v = 0; v < mesh.vertexCount; ++v)
	{
		for (uint32_t k = 0; k < 3; ++k)
		{
			mesh.positions[3 * v + k] = (float)p[k];
		}
		mesh.triangles[v] = v;
	}
	sceneRandom random = { 7 };
	SkinnedMesh skinned = ScatteredSkin(&random, mesh, joints);
	uint32_t total = 0;
	for (uint32_t v = 0; v < mesh.vertexCount; ++v)
	{
		skinned.skin.starts[v] = total;
		for (uint32_t j = 0; j < joints; ++j)
		{
			// Corners of the simplex first, nearly: a weight of zero would make another joint set.
			double weight = v < joints ? (v == j ? 1.0 : 1e-6) : 0.01 + sceneRandom_Unit(&random);
			weight = hasSubsets && v % 4 > 0 && j != v % 4 - 1 && j != v % 4 % 3 ? 0.0 : weight;
			skinned.skin.transforms[total] = (uint16_t)j;
			skinned.skin.weights[total++] = (float)weight;
		}
	}
	skinned.skin.starts[mesh.vertexCount] = total;
	return skinned;
}

static SkinnedMesh PointSkin(uint32_t joints, const double p[3])
{
	return SetsSkin(joints, p, false);
}

static double FarthestOutside(const Thing* thing, const Ball* ball)
{
	float positions[3 * 3 * 24];
	double most = -INFINITY;
	assert_int_equal(snugBody_GetVertices(thing->body, NULL, positions, 0), snug_success);
	for (uint32_t v = 0; v < thing->mesh.vertexCount; ++v)
	{
		double distance2 = 0.0;
		for (uint32_t k = 0; k < 3; ++k)
		{
			double difference = (double)positions[3 * v + k] - ball->center[k];
			distance2 += difference * difference;
		}
		most = fmax(most, sqrt(distance2) - ball->radius);
	}
	return most;
}

// Our bounds contain all vertices of a pose. Returns how far outside the printed ball one is.
static double CheckOurs(SkinnedMesh* skinned, Mover deformer, const Ball* printed)
{
	Thing thing = MakeSkinThing(skinned, deformer, (snugTreeDef){ .leafTriangles = 1 }, snug_strategyAuto);
	snugValidation found;
	assert_int_equal(
	    snugBody_SetJoints(thing.body, skinned->skin.matrices, 0, skinned->skin.transformCount), snug_success);
	assert_int_equal(snugBody_Validate(thing.body, &found), snug_success);
	assert_true(found.checks > 0);
	double outside = FarthestOutside(&thing, printed);
	Thing_Free(&thing);
	return outside;
}

// Lemma 5: the sphere with centre a cos(alpha) and radius |a| sin(alpha) does not enclose a cap of more than a right
// angle. Identity and turns by 100 degrees either way about x: alpha is 100 degrees, the radius 0.985, and a vertex
// that hardly turns is 1.174 from the centre.
static void lemma_5_fails_beyond_a_right_angle(void** state)
{
	(void)state;
	const double p[3] = { 0.0, 1.0, 0.0 }, zero[3] = { 0.0, 0.0, 0.0 }, x[3] = { 1.0, 0.0, 0.0 };
	double q[3][4];
	SkinnedMesh skinned = PointSkin(3, p);
	for (int j = 0; j < 3; ++j)
	{
		AxisTurn(x, j == 0 ? 0.0 : (j == 1 ? 1.0 : -1.0) * 100.0 / 180.0 * pi, q[j]);
		RigidMatrix(q[j], zero, skinned.skin.matrices + 12 * j);
	}
	Ball printed = PrintedBall((const double(*)[4])q, 3, p);
	assert_true(fabs(printed.radius - 0.9848) < 1e-3);
	double outside = CheckOurs(&skinned, mover_spherical, &printed);
	printf("Lemma 5: a vertex is %.3f outside of a ball of radius %.3f\n", outside, printed.radius);
	assert_true(outside > 0.18);
	CheckOurs(&skinned, mover_dualQuaternion, &printed);
	SkinnedMesh_Free(&skinned);
}

// Algorithm 1 takes quaternions as MATRIX2QUAT gives them, and q and -q are the same matrix. The skin turns the shorter
// way; with one sign the other way round the printed cap is somewhere else. Two joints, weights of the first between
// 0.7 and 0.9.
static void signs_that_are_not_aligned_miss(void** state)
{
	(void)state;
	const double p[3] = { 0.0, 0.6, 0.8 }, zero[3] = { 0.0, 0.0, 0.0 }, x[3] = { 1.0, 0.0, 0.0 };
	double q[2][4];
	SkinnedMesh skinned = PointSkin(2, p);
	for (uint32_t v = 0; v < skinned.mesh.vertexCount; ++v)
	{
		skinned.skin.weights[2 * v] = 0.7f + 0.05f * (float)(v % 5);
		skinned.skin.weights[2 * v + 1] = 1.0f - skinned.skin.weights[2 * v];
	}
	for (int j = 0; j < 2; ++j)
	{
		AxisTurn(x, j * 0.5 * pi, q[j]);
		RigidMatrix(q[j], zero, skinned.skin.matrices + 12 * j);
	}
	double outside[2], radius[2];
	for (int isFlipped = 0; isFlipped < 2; ++isFlipped)
	{
		double corners[2][4];
		for (int c = 0; c < 2; ++c)
		{
			double first = c == 0 ? 0.7 : 0.9, second = isFlipped ? first - 1.0 : 1.0 - first, length2 = 0.0;
			for (int i = 0; i < 4; ++i)
			{
				corners[c][i] = first * q[0][i] + second * q[1][i];
				length2 += corners[c][i] * corners[c][i];
			}
			for (int i = 0; i < 4; ++i)
			{
				corners[c][i] /= sqrt(length2);
			}
		}
		Ball printed = PrintedBall((const double(*)[4])corners, 2, p);
		outside[isFlipped] = CheckOurs(&skinned, mover_spherical, &printed);
		radius[isFlipped] = printed.radius;
	}
	printf("Signs: a vertex is %.3f outside of a ball of radius %.3f\n", outside[1], radius[1]);
	assert_true(outside[0] < 1e-3); // with signs aligned; the damped rotation centre is not exactly zero
	assert_true(outside[1] > 0.3);
	SkinnedMesh_Free(&skinned);
}

// Least squares of C_i r = C_j r have no answer for equal rotations, and one far away for nearly equal ones: here the
// turn is a thousandth, and the joint has moved by a tenth, so r is 100 away. Damped, it stays near the joints.
static void rotation_centers_stay_near(void** state)
{
	(void)state;
	const double p[3] = { 0.0, 1.0, 0.0 }, x[3] = { 1.0, 0.0, 0.0 };
	const double turns[] = { 0.0, 1e-9, 1e-3 };
	for (size_t t = 0; t < LENGTH_OF(turns); ++t)
	{
		double q[4];
		SkinnedMesh skinned = PointSkin(2, p);
		AxisTurn(x, 0.0, q);
		RigidMatrix(q, (const double[3]){ 0.0, 0.0, 0.0 }, skinned.skin.matrices);
		AxisTurn(x, turns[t], q);
		RigidMatrix(q, (const double[3]){ 0.0, 0.1, 0.0 }, skinned.skin.matrices + 12);
		// Along y and z, (R - 1) r = -t: a rotation by a small angle about x, so |r| is |t| over the angle.
		double undamped = 0.1 / turns[t];
		assert_true(undamped > 99.0);
		const Ball everywhere = { .radius = 1e30 };
		CheckOurs(&skinned, mover_spherical, &everywhere);
		Thing thing = MakeSkinThing(&skinned, mover_spherical, (snugTreeDef){ 0 }, snug_strategyAuto);
		assert_int_equal(snugBody_SetJoints(thing.body, skinned.skin.matrices, 0, 2), snug_success);
		const sgTurningView* view = sgBody_Derive(thing.body)->derived;
		for (uint32_t s = 0; s < view->skin->header->setCount; ++s)
		{
			const float* center = view->centers + 3 * (size_t)s;
			double distance = fabs(center[0] - p[0]) + fabs(center[1] - p[1]) + fabs(center[2] - p[2]);
			assert_true(distance < 0.1);
		}
		// And vertices are where linear blending has them, nearly.
		float positions[3 * 3 * 24];
		assert_int_equal(snugBody_GetVertices(thing.body, NULL, positions, 0), snug_success);
		for (uint32_t v = 0; v < thing.mesh.vertexCount; ++v)
		{
			assert_true(positions[3 * v + 1] > 0.999f && positions[3 * v + 1] < 1.101f);
			assert_true(fabsf(positions[3 * v + 2]) < 2e-3f);
		}
		Thing_Free(&thing);
		SkinnedMesh_Free(&skinned);
	}
}

// --- Half turns -----------------------------------------------------------------------------------------------------

// Joints that are exactly opposite to each other, in every sign, three and four of them: sums of quaternions vanish for
// some weights. Positions stay finite, and bounds contain them.
static void opposite_quaternions_are_bounded(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	static const Mover deformers[] = { mover_spherical, mover_dualQuaternion };
	int count = TestCount(200), unaligned = 0;
	for (int i = 0; i < count; ++i)
	{
		const double p[3] = { 0.3, 1.0, -0.2 };
		uint32_t joints = 2 + sceneRandom_Index(&random, 3);
		SkinnedMesh skinned = SetsSkin(joints, p, joints > 2 && sceneRandom_Index(&random, 2) == 0);
		for (uint32_t j = 0; j < joints; ++j)
		{
			// Turns about axes by multiples of a right angle, or nearly.
			double axis[3] = { 0.0, 0.0, 0.0 }, q[4], t[3] = { 0.1 * j, 0.0, 0.0 };
			axis[sceneRandom_Index(&random, 3)] = 1.0;
			double nearly = sceneRandom_Index(&random, 2) == 0 ? 0.0 : 1e-6 * sceneRandom_Range(&random, -1.0, 1.0);
			double quarter = sceneRandom_Index(&random, 3) == 0 ? pi / 3.0 : 0.5 * pi;
			AxisTurn(axis, quarter * (double)sceneRandom_Index(&random, 6) + nearly, q);
			RigidMatrix(q, t, skinned.skin.matrices + 12 * (size_t)j);
		}
		const Ball everywhere = { .radius = 1e30 };
		CheckOurs(&skinned, deformers[i % 2], &everywhere);
		Thing thing = MakeSkinThing(&skinned, deformers[i % 2], (snugTreeDef){ 0 }, snug_strategyAuto);
		assert_int_equal(snugBody_SetJoints(thing.body, skinned.skin.matrices, 0, joints), snug_success);
		unaligned += !((const sgTurningPose*)thing.body->posed.pose)->isAligned;
		Thing_Free(&thing);
		SkinnedMesh_Free(&skinned);
	}
	printf("%d poses, %d without common signs\n", count, unaligned);
	assert_true(unaligned > 0);
}

// How far a root box leads beyond what single joints do to the vertices, in distances from rotation centres and
// distances between where joints carry those: a few, whatever the quaternions. Dividing by the least sum of
// quaternions alone would lead hundreds away.
static double FarthestBeyond(const Thing* thing)
{
	const sgTurningView* view = sgBody_Derive(thing->body)->derived;
	double lower[3] = { INFINITY, INFINITY, INFINITY }, upper[3] = { -INFINITY, -INFINITY, -INFINITY }, most = 0.0;
	for (uint32_t s = 0; s < view->skin->header->setCount; ++s)
	{
		const sgTurningSet* set = view->skin->sets + s;
		const float *center = view->centers + 3 * (size_t)s, *p = thing->mesh.positions;
		double arm = 0.0, least[3] = { INFINITY, INFINITY, INFINITY },
		       greatest[3] = { -INFINITY, -INFINITY, -INFINITY };
		for (uint32_t m = 0; m < set->memberCount; ++m)
		{
			const sgTurningPairPose* own = view->pairs + view->ownPairs[view->skin->members[set->firstMember + m]];
			for (int k = 0; k < 3; ++k)
			{
				double image = own->lower[k], g = own->lower[k];
				for (int c = 0; c < 3; ++c)
				{
					image += (double)own->columns[c][k] * p[c];
					g += (double)own->columns[c][k] * center[c];
				}
				lower[k] = fmin(lower[k], image);
				upper[k] = fmax(upper[k], image);
				least[k] = fmin(least[k], g);
				greatest[k] = fmax(greatest[k], g);
			}
		}
		for (int k = 0; k < 3; ++k)
		{
			arm += fabs((double)p[k] - (double)center[k]) + greatest[k] - least[k];
		}
		most = fmax(most, arm);
	}
	snugBounds bounds;
	double beyond = 0.0;
	assert_int_equal(snugBody_GetBounds(thing->body, NULL, &bounds), snug_success);
	for (int k = 0; k < 3; ++k)
	{
		beyond = fmax(beyond, fmax((double)bounds.upper[k] - upper[k], lower[k] - (double)bounds.lower[k]));
	}
	return beyond / most;
}

static void bounds_do_not_explode(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	const double p[3] = { 0.3, 1.0, -0.2 };
	double most = 0.0;
	int count = TestCount(400);
	for (int i = 0; i < count; ++i)
	{
		uint32_t joints = 3 + sceneRandom_Index(&random, 2);
		SkinnedMesh skinned = SetsSkin(joints, p, sceneRandom_Index(&random, 2) == 0);
		for (uint32_t j = 0; j < joints; ++j)
		{
			// All about one axis, thirds of a turn apart or half turns, nearly: sums that vanish for weights within.
			const double z[3] = { 0.0, 0.0, 1.0 };
			double q[4], t[3] = { 0.05 * j, 0.0, 0.0 }, step = sceneRandom_Index(&random, 2) == 0 ? 4.0 / 3.0 : 1.0;
			double nearly = pow(10.0, sceneRandom_Range(&random, -6.0, -0.5)) * sceneRandom_Range(&random, -1.0, 1.0);
			AxisTurn(z, pi * step * (double)j + nearly, q);
			RigidMatrix(q, t, skinned.skin.matrices + 12 * (size_t)j);
		}
		Thing thing = MakeSkinThing(&skinned, mover_spherical, (snugTreeDef){ .leafTriangles = 1 }, snug_strategyAuto);
		assert_int_equal(snugBody_SetJoints(thing.body, skinned.skin.matrices, 0, joints), snug_success);
		assert_int_equal(snugBody_Validate(thing.body, NULL), snug_success);
		most = fmax(most, FarthestBeyond(&thing));
		Thing_Free(&thing);
		SkinnedMesh_Free(&skinned);
	}
	printf("at most %.2f beyond what joints do alone\n", most);
	assert_true(most < 4.0);
}

// --- Errors ---------------------------------------------------------------------------------------------------------

static void bad_joints_are_named(void** state)
{
	(void)state;
	const double p[3] = { 0.0, 1.0, 0.0 };
	static const Mover deformers[] = { mover_spherical, mover_dualQuaternion };
	for (int d = 0; d < 2; ++d)
	{
		SkinnedMesh skinned = PointSkin(3, p);
		float* m = skinned.skin.matrices;
		snugModelDef def = MeshDef(&skinned.mesh, deformers[d], (snugTreeDef){ 0 });
		def.skin = (snugSkinDef){ .jointCount = 3,
			.starts = skinned.skin.starts,
			.joints = skinned.skin.transforms,
			.weights = skinned.skin.weights };
		def.skin.blending = Mover_Blending(deformers[d]);
		snugModel* model;
		assert_int_equal(snugModel_Create(&def, &model), snug_success);
		TestMessages messages = { 0 };
		snugBodyDef bodyDef = { .model = model, .messenger = TestMessages_Get(&messages) };
		snugBody* body;
		assert_int_equal(snugBody_Create(&bodyDef, &body), snug_success);
		static const float identity[12] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 };
		for (int j = 0; j < 3; ++j)
		{
			memcpy(m + 12 * j, identity, sizeof(identity));
		}
		m[3] = 5.0f;
		assert_int_equal(snugBody_SetJoints(body, m, 0, 3), snug_success);
		float before[3 * 3 * 24], after[3 * 3 * 24];
		assert_int_equal(snugBody_GetVertices(body, NULL, before, 0), snug_success);
		assert_int_equal(snugBody_SetJoints(body, m, 0, 2), snug_badInput);
		struct
		{
			int entry;
			float value;
			snugStatus status;
			const char* text;
		} faults[] = {
			{ 12, NAN, snug_badInput, "joint 1" },
			{ 24 + 7, INFINITY, snug_badInput, "joint 2" },
			{ 24 + 5, -1.0f, snug_badInput, "mirrors" },
			{ 12 + 10, 0.0f, snug_badInput, "flattens" },
			{ 12 + 3, 3e38f, snug_outOfRange, "joint 1" },
			{ 12 + 3, 9e35f, snug_outOfRange, "beyond" },
		};
		for (size_t i = 0; i < LENGTH_OF(faults); ++i)
		{
			float old = m[faults[i].entry];
			m[faults[i].entry] = faults[i].value;
			assert_int_equal(snugBody_SetJoints(body, m, 0, 3), faults[i].status);
			if (strstr(messages.last, faults[i].text) == NULL)
			{
				fail_msg("fault %zu: \"%s\" does not say \"%s\"", i, messages.last, faults[i].text);
			}
			m[faults[i].entry] = old;
			assert_int_equal(snugBody_GetVertices(body, NULL, after, 0), snug_success);
			assert_memory_equal(before, after, sizeof(before));
		}
		snugBody_Destroy(body);
		snugModel_Destroy(model);
		float positions[9] = { 0, 0, 0, 0, NAN, 0, 0, 0, 0 };
		def.skin.jointPositions = positions;
		assert_int_equal(snugModel_Create(&def, &model), snug_badInput);
		SkinnedMesh_Free(&skinned);
	}
}

static void TurnAboutZ(double degrees, float matrix[12])
{
	const double axis[3] = { 0.0, 0.0, 1.0 }, zero[3] = { 0.0, 0.0, 0.0 };
	double rotation[4];
	AxisTurn(axis, degrees * 3.14159265358979323846 / 180.0, rotation);
	RigidMatrix(rotation, zero, matrix);
}

// Two joint sets that do not agree about the sign of a pair of joints, which weighs next to nothing in one of them.
// Would catch a disputed sign that is told by its size in a sum of weights.
static void disputed_signs_of_no_weight_are_bounded(void** state)
{
	(void)state;
	enum
	{
		PATCHES = 24 * 24,
		TRIANGLES = PATCHES + 3
	};
	for (int i = 0; i < 2 * 12; ++i)
	{
		sceneMesh mesh = sceneMesh_Allocate(3 * TRIANGLES, TRIANGLES);
		uint32_t starts[3 * TRIANGLES + 1], count = 0;
		uint16_t transforms[9 * TRIANGLES];
		float weights[9 * TRIANGLES], matrices[36];
		for (uint32_t v = 0; v < 3 * TRIANGLES; ++v)
		{
			uint32_t t = v / 3, c = v % 3;
			float* p = mesh.positions + 3 * (size_t)v;
			mesh.triangles[v] = v;
			starts[v] = count;
			bool isPatch = t < PATCHES;
			p[0] = isPatch ? -5.0f : (float)(c == 1);
			p[1] = isPatch ? (float)(t % 24) * 0.05f + (c == 1 ? 0.04f : 0.0f) : (float)(c == 2);
			p[2] = isPatch ? (float)(t / 24) * 0.05f + (c == 2 ? 0.04f : 0.0f) : 20.0f + (float)(t - PATCHES);
			for (uint16_t j = 0; j < (isPatch ? 2 : 3); ++j)
			{
				transforms[count] = j;
				weights[count++] = !isPatch ? (j == 2 ? 0.6f : 0.2f) : j == 0 ? 1.0f : ldexpf(1.0f, -96 - 2 * (i / 2));
			}
		}
		starts[3 * TRIANGLES] = count;
		TurnAboutZ(0.0, matrices);
		TurnAboutZ(220.0, matrices + 12);
		TurnAboutZ(110.0, matrices + 24);
		Mover deformer = i % 2 == 0 ? mover_spherical : mover_dualQuaternion;
		snugModelDef def = MeshDef(&mesh, deformer, (snugTreeDef){ 0 });
		def.skin = (snugSkinDef){ .jointCount = 3, .starts = starts, .joints = transforms, .weights = weights };
		def.skin.blending = Mover_Blending(deformer);
		Thing thing = { .mesh = mesh };
		assert_int_equal(snugModel_Create(&def, &thing.model), snug_success);
		thing.body = MakeBody(thing.model, NULL);
		assert_int_equal(snugBody_SetJoints(thing.body, matrices, 0, 3), snug_success);
		assert_int_equal(snugBody_Validate(thing.body, NULL), snug_success);
		Thing_Free(&thing);
	}
}

// What is made can be loaded, whatever the shape of the tree.
static void skins_load_again(void** state)
{
	(void)state;
	for (uint32_t i = 0; i < 200; ++i)
	{
		sceneRandom random = { i + 1 };
		SkinnedMesh skinned = ScatteredSkin(&random, sceneMakeTorus(1.0, 0.3, 4 + 3 * (i / 10), 3 + 4 * (i % 10)), 6);
		Mover deformer = i % 2 == 0 ? mover_spherical : mover_dualQuaternion;
		Thing thing = MakeSkinThing(
		    &skinned, deformer, i % 4 == 0 ? RandomTreeDef(&random) : (snugTreeDef){ 0 }, snug_strategyAuto);
		size_t bytes;
		const void* block = snugModel_GetBlock(thing.model, &bytes);
		snugModel* loaded = NULL;
		assert_int_equal(snugModel_LoadMemory(block, bytes, NULL, &loaded), snug_success);
		snugModel_Destroy(loaded);
		Thing_Free(&thing);
		SkinnedMesh_Free(&skinned);
	}
}

// Meshes at the edge of what coordinates may be: at rest they are bounded, however loosely, and queries work.
static void far_meshes_rest_where_they_are(void** state)
{
	(void)state;
	static const Mover deformers[] = { mover_spherical, mover_dualQuaternion };
	for (size_t i = 0; i < 2; ++i)
	{
		SkinnedMesh skinned = LinearSkin(sceneMakeBlob(6, 5));
		ScaleMesh(&skinned.mesh, 7e35f);
		Thing thing = MakeSkinThing(&skinned, deformers[i], (snugTreeDef){ 0 }, snug_strategyAuto);
		assert_int_equal(snugBody_Validate(thing.body, NULL), snug_success);
		Thing other = Thing_Make(sceneMakeTetrahedron(), snug_rigid, (snugTreeDef){ 0 }, NULL);
		snugResult result = snugCollide(thing.body, other.body, NULL);
		assert_true(result.status == snug_success || result.status == snug_outOfRange);
		assert_int_equal(result.count, 0);
		const double still[4] = { 0.0, 0.0, 0.0, 1.0 }, zero[3] = { 0.0, 0.0, 0.0 };
		for (size_t j = 0; j < 4; ++j)
		{
			RigidMatrix(still, zero, skinned.skin.matrices + 12 * j);
		}
		assert_int_equal(snugBody_SetJoints(thing.body, skinned.skin.matrices, 0, 4), snug_outOfRange);
		Thing_Free(&thing);
		Thing_Free(&other);
		SkinnedMesh_Free(&skinned);
	}
}

// --- When bounds are refitted ---------------------------------------------------------------------------------------

// Every strategy gives the same pairs, frame after frame of an animation.
static void strategies_agree(void** state)
{
	(void)state;
	static const Mover deformers[] = { mover_spherical, mover_dualQuaternion };
	uint64_t seed = TestSeed(), total = 0;
	int count = TestCount(12);
	for (int i = 0; i < count; ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		Thing things[4], other;
		SkinnedMesh skinned = LinearSkin(sceneMakeBlob(12, number)), second = LinearSkin(sceneMakeBlob(10, number + 1));
		for (int s = 0; s < 4; ++s)
		{
			things[s] = MakeSkinThing(&skinned, deformers[i % 2], (snugTreeDef){ 0 }, (snugStrategy)s);
		}
		other = MakeSkinThing(&second, deformers[(i + 1) % 2], (snugTreeDef){ 0 }, snug_strategyAuto);
		Place(other.body, 1.2, 0.3, 0.1);
		TurnJoints(&random, &skinned);
		for (int frame = 0; frame < 8; ++frame)
		{
			NudgeJoints(&random, &skinned);
			PairList expected = { 0 };
			for (int s = 0; s < 4; ++s)
			{
				snugStatus status = snugBody_SetJoints(things[s].body, skinned.skin.matrices, 0, 4);
				assert_true(status == snug_success || status == snug_badInput);
				PairList found = CollideAll(things[s].body, other.body, NULL);
				if (s == 0)
				{
					expected = BruteAll(things, &other, NULL);
				}
				AssertSamePairs("strategies", number, &expected, &found);
				assert_int_equal(snugBody_Validate(things[s].body, NULL), snug_success);
				PairList_Free(&found);
			}
			total += expected.count;
			PairList_Free(&expected);
		}
		for (int s = 0; s < 4; ++s)
		{
			Thing_Free(things + s);
		}
		Thing_Free(&other);
		SkinnedMesh_Free(&skinned);
		SkinnedMesh_Free(&second);
	}
	assert_true(total > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lemma_5_fails_beyond_a_right_angle),
		cmocka_unit_test(signs_that_are_not_aligned_miss),
		cmocka_unit_test(rotation_centers_stay_near),
		cmocka_unit_test(opposite_quaternions_are_bounded),
		cmocka_unit_test(bounds_do_not_explode),
		cmocka_unit_test(bad_joints_are_named),
		cmocka_unit_test(disputed_signs_of_no_weight_are_bounded),
		cmocka_unit_test(skins_load_again),
		cmocka_unit_test(far_meshes_rest_where_they_are),
		cmocka_unit_test(strategies_agree),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
