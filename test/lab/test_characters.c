// test/lab/test_characters.c: the generated characters have the counts of the paper's, move as said, and are the same
// bits everywhere.
#include "support.h"

#include "lab/scenes/character.h"
#include "lab/scenes/pair_hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t counts[SCENE_CHARACTERS][3] = { { 4435, 8270, 27 }, { 6682, 13590, 56 } };

static void counts_are_the_papers(void** state)
{
	(void)state;
	for (int kind = 0; kind < SCENE_CHARACTERS; ++kind)
	{
		sceneCharacter c;
		assert_true(sceneCharacter_Create(&c, (sceneCharacterKind)kind));
		assert_int_equal(c.mesh.vertexCount, counts[kind][0]);
		assert_int_equal(c.mesh.triangleCount, counts[kind][1]);
		assert_int_equal(c.weights.transformCount, counts[kind][2]);
		bool* isUsed = calloc(c.mesh.vertexCount, sizeof(bool));
		for (size_t i = 0; i < 3 * (size_t)c.mesh.triangleCount; ++i)
		{
			assert_true(c.mesh.triangles[i] < c.mesh.vertexCount);
			isUsed[c.mesh.triangles[i]] = true;
		}
		for (uint32_t v = 0; v < c.mesh.vertexCount; ++v)
		{
			assert_true(isUsed[v]);
		}
		free(isUsed);
		sceneCharacter_Free(&c);
	}
}

// Up to four, convex, and every joint has a say somewhere. A model takes them without a warning.
static void weights_are_smooth_and_few(void** state)
{
	(void)state;
	for (int kind = 0; kind < SCENE_CHARACTERS; ++kind)
	{
		sceneCharacter c;
		bool isUsed[SCENE_MAX_JOINTS] = { false };
		double worst = 0.0;
		assert_true(sceneCharacter_Create(&c, (sceneCharacterKind)kind));
		const sceneWeights* w = &c.weights;
		for (uint32_t v = 0; v < c.mesh.vertexCount; ++v)
		{
			double sum = 0.0;
			assert_in_range(w->starts[v + 1] - w->starts[v], 1, SCENE_MAX_INFLUENCES);
			for (uint32_t k = w->starts[v]; k < w->starts[v + 1]; ++k)
			{
				assert_true(w->weights[k] > 0.0f && w->transforms[k] < w->transformCount);
				assert_true(k == w->starts[v] || w->transforms[k] > w->transforms[k - 1]);
				isUsed[w->transforms[k]] = true;
				sum += (double)w->weights[k];
			}
			worst = fmax(worst, fabs(sum - 1.0));
		}
		assert_true(worst < 1e-5);
		for (uint32_t j = 0; j < w->transformCount; ++j)
		{
			assert_true(isUsed[j]);
			assert_true(c.joints[j].parent < (int)j);
		}
		TestMessages messages = { 0 };
		snugModelDef def = sceneCharacter_MakeDef(&c, snug_blendLinear);
		snugModel* model;
		def.messenger = TestMessages_Get(&messages);
		assert_int_equal(snugModel_Create(&def, &model), snug_success);
		assert_int_equal(messages.count, 0);
		snugModel_Destroy(model);
		sceneCharacter_Free(&c);
	}
}

static void targets_are_sparse(void** state)
{
	(void)state;
	for (int kind = 0; kind < SCENE_CHARACTERS; ++kind)
	{
		sceneCharacter c;
		uint32_t moved[16] = { 0 };
		float amplitudes[16];
		assert_true(sceneCharacter_Create(&c, (sceneCharacterKind)kind));
		const sceneTargets* t = &c.targets;
		assert_in_range(t->count, 4, 16);
		for (uint32_t v = 0; v < c.mesh.vertexCount; ++v)
		{
			for (uint32_t k = t->starts[v]; k < t->starts[v + 1]; ++k)
			{
				assert_true(t->fields[k] < t->count);
				assert_true(k == t->starts[v] || t->fields[k] > t->fields[k - 1]);
				++moved[t->fields[k]];
			}
		}
		sceneCharacter_Breathe(&c, 0.3, amplitudes);
		for (uint32_t i = 0; i < t->count; ++i)
		{
			assert_in_range(moved[i], 10, c.mesh.vertexCount / 4);
			assert_true(amplitudes[i] >= -0.5f && amplitudes[i] <= 1.0f);
		}
		sceneCharacter_Free(&c);
	}
}

// Joints turn and move, and nothing else, and where one ends its children begin: both put the point in one place.
static void CheckJoints(const sceneCharacter* c, const float* matrices)
{
	for (uint32_t j = 0; j < c->weights.transformCount; ++j)
	{
		const float* m = matrices + 12 * (size_t)j;
		for (int a = 0; a < 3; ++a)
		{
			for (int b = 0; b <= a; ++b)
			{
				double dot = 0.0;
				for (int i = 0; i < 3; ++i)
				{
					dot += (double)m[4 * i + a] * (double)m[4 * i + b];
				}
				assert_true(fabs(dot - (a == b ? 1.0 : 0.0)) < 1e-6);
			}
		}
		const sceneJoint* joint = c->joints + j;
		for (int i = 0; i < 3 && joint->parent >= 0; ++i)
		{
			const float *row = m + 4 * i, *above = matrices + 12 * (size_t)joint->parent + 4 * i;
			double difference = (double)row[3] - (double)above[3];
			for (int k = 0; k < 3; ++k)
			{
				difference += ((double)row[k] - (double)above[k]) * joint->position[k];
			}
			assert_true(fabs(difference) < 1e-5);
		}
	}
}

static void joints_hold_together(void** state)
{
	(void)state;
	for (int kind = 0; kind < SCENE_CHARACTERS; ++kind)
	{
		sceneCharacter c;
		float matrices[12 * SCENE_MAX_JOINTS], later[12 * SCENE_MAX_JOINTS];
		assert_true(sceneCharacter_Create(&c, (sceneCharacterKind)kind));
		size_t floats = 12 * (size_t)c.weights.transformCount;
		for (int i = 0; i < 8; ++i)
		{
			sceneCharacter_Walk(&c, 0.125 * i, matrices);
			CheckJoints(&c, matrices);
			sceneCharacter_Walk(&c, 0.125 * i + 1.0, later);
			for (size_t k = 0; k < floats; ++k)
			{
				assert_true(fabsf(matrices[k] - later[k]) < 1e-5f); // a cycle
			}
			sceneCharacter_Contort(&c, 0.125 * (i + 1), matrices);
			CheckJoints(&c, matrices);
		}
		sceneCharacter_Contort(&c, 0.0, matrices);
		for (size_t k = 0; k < floats; ++k)
		{
			assert_true(matrices[k] == (k % 12 == 0 || k % 12 == 5 || k % 12 == 10 ? 1.0f : 0.0f));
		}
		sceneCharacter_Free(&c);
	}
}

// Apart at first and in the end for men, and touching a little in the middle; creatures in each other.
static void walkers_meet(void** state)
{
	(void)state;
	enum
	{
		frames = 15
	};
	for (int kind = 0; kind < SCENE_CHARACTERS; ++kind)
	{
		sceneCharacter c;
		uint64_t pairs[frames], most = 0;
		assert_true(sceneCharacter_Create(&c, (sceneCharacterKind)kind));
		snugModelDef def = sceneCharacter_MakeDef(&c, snug_blendLinear);
		snugModel* model;
		assert_int_equal(snugModel_Create(&def, &model), snug_success);
		snugBody* bodies[2] = { MakeBody(model, NULL), MakeBody(model, NULL) };
		for (int f = 0; f < frames; ++f)
		{
			for (int i = 0; i < 2; ++i)
			{
				float matrices[12 * SCENE_MAX_JOINTS];
				snugFrame place;
				sceneCharacter_Meet(&c, i, f, frames, matrices, &place);
				assert_int_equal(snugBody_SetJoints(bodies[i], matrices, 0, c.weights.transformCount), snug_success);
				assert_int_equal(snugBody_SetFrame(bodies[i], &place), snug_success);
			}
			pairs[f] = snugCollide(bodies[0], bodies[1], NULL).count;
			most = pairs[f] > most ? pairs[f] : most;
		}
		if (kind == scene_man)
		{
			assert_int_equal(pairs[0] + pairs[frames - 1], 0);
			assert_in_range(most, 20, 600);
		}
		else
		{
			assert_in_range(most, 1000, 20000);
		}
		snugBody_Destroy(bodies[0]);
		snugBody_Destroy(bodies[1]);
		snugModel_Destroy(model);
		sceneCharacter_Free(&c);
	}
}

// Golden: benchmarks print hashes of pairs that rest on these bits, whatever compiled them.
static void characters_are_the_same_bits_everywhere(void** state)
{
	(void)state;
	uint64_t hash = SCENE_HASH_START;
	for (int kind = 0; kind < SCENE_CHARACTERS; ++kind)
	{
		sceneCharacter c;
		float matrices[12 * SCENE_MAX_JOINTS];
		assert_true(sceneCharacter_Create(&c, (sceneCharacterKind)kind));
		hash = sceneHash_Floats(hash, c.mesh.positions, 3 * (size_t)c.mesh.vertexCount);
		hash = sceneHash_Floats(hash, c.weights.weights, c.weights.starts[c.mesh.vertexCount]);
		hash = sceneHash_Floats(hash, c.targets.displacements, 3 * (size_t)c.targets.starts[c.mesh.vertexCount]);
		sceneCharacter_Walk(&c, 0.3, matrices);
		hash = sceneHash_Floats(hash, matrices, 12 * (size_t)c.weights.transformCount);
		sceneCharacter_Contort(&c, 1.0, matrices);
		hash = sceneHash_Floats(hash, matrices, 12 * (size_t)c.weights.transformCount);
		sceneCharacter_Free(&c);
	}
	const uint64_t golden = 0x9d718d93888194c3u;
	if (hash != golden)
	{
		fail_msg("the hash of the characters is %016llx", (unsigned long long)hash);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_the_papers),
		cmocka_unit_test(weights_are_smooth_and_few),
		cmocka_unit_test(targets_are_sparse),
		cmocka_unit_test(joints_hold_together),
		cmocka_unit_test(walkers_meet),
		cmocka_unit_test(characters_are_the_same_bits_everywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
