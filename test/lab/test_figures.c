// test/lab/test_figures.c: the man and the creature as files: written, read back, posed by every clip, and met.
//
// Oracles: an evaluation of the file in double precision that shares nothing with io/ or src/ (io_reference.c), the
// exact predicate on all pairs of triangles, and what a closed surface must be.
#include "support.h"

#include "lab/scenes/figure_asset.h"
#include "lab/scenes/relax.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// See test_io.h, which cannot be included beside support.h: both have a TestScale.
void ReferenceVertices(const ioAsset* asset, uint32_t clip, double time, uint32_t instance, double* positions);
double CompareWithReference(const ioAsset* asset);

#define FILE_NAME "test_figures.glb"

static sceneFigure figures[SCENE_CHARACTERS];
static ioAsset files[SCENE_CHARACTERS];

static int MakeAll(void** state)
{
	(void)state;
	for (int kind = 0; kind < SCENE_CHARACTERS; ++kind)
	{
		ioAsset asset;
		ioLook look;
		ioError error;
		assert_true(sceneFigure_Create(figures + kind, &(sceneFigureDef){ .kind = (sceneCharacterKind)kind }));
		assert_true(figureAsset_Make(figures + kind, &asset, &look));
		assert_true(ioWriteGlb(FILE_NAME, &asset, &look, &error));
		ioAsset_Free(&asset);
		assert_true(ioLoad(FILE_NAME, NULL, files + kind, &error));
		remove(FILE_NAME);
	}
	return 0;
}

static int FreeAll(void** state)
{
	(void)state;
	for (int kind = 0; kind < SCENE_CHARACTERS; ++kind)
	{
		ioAsset_Free(files + kind);
		sceneFigure_Free(figures + kind);
	}
	return 0;
}

static void Subtract(const float* a, const float* b, double out[3])
{
	for (int k = 0; k < 3; ++k)
	{
		out[k] = (double)a[k] - (double)b[k];
	}
}

static double Dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// ---- The surface -----------------------------------------------------------------------------------------------

// No slivers, no wrong normals: what a renderer needs. A triangle seen from outside turns with its vertices' normals.
static void surfaces_are_closed_and_even(void** state)
{
	(void)state;
	for (int kind = 0; kind < SCENE_CHARACTERS; ++kind)
	{
		sceneMesh copy = sceneMesh_Copy(&figures[kind].character.mesh);
		const sceneMesh* mesh = &figures[kind].character.mesh;
		assert_int_equal(sceneClose(&copy), 1);
		assert_int_equal(copy.vertexCount, mesh->vertexCount);
		assert_in_range(mesh->vertexCount, 8000, 15000);
		double least = 180.0;
		int against = 0;
		for (size_t i = 0; i < 3 * (size_t)mesh->triangleCount; ++i)
		{
			size_t first = i - i % 3;
			const float* corners[3];
			double u[3], v[3];
			for (size_t k = 0; k < 3; ++k)
			{
				corners[k] = mesh->positions + 3 * (size_t)mesh->triangles[first + (i + k) % 3];
			}
			Subtract(corners[1], corners[0], u);
			Subtract(corners[2], corners[0], v);
			least = fmin(least, acos(Dot(u, v) / sqrt(Dot(u, u) * Dot(v, v))) * 57.29577951308232);
			const double cross[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
			const float* n = figures[kind].normals + 3 * (size_t)mesh->triangles[i];
			const double normal[3] = { (double)n[0], (double)n[1], (double)n[2] };
			assert_true(fabs(Dot(normal, normal) - 1.0) < 1e-6);
			against += Dot(normal, cross) <= 0.0;
		}
		printf("%s: %u vertices, least angle %.1f degrees\n", figures[kind].character.name, mesh->vertexCount, least);
		assert_true(least > 5.0);
		assert_int_equal(against, 0);
		sceneMesh_Free(&copy);
	}
}

static void weights_are_those_of_a_skin(void** state)
{
	(void)state;
	for (int kind = 0; kind < SCENE_CHARACTERS; ++kind)
	{
		const sceneCharacter* c = &figures[kind].character;
		for (uint32_t v = 0; v < c->mesh.vertexCount; ++v)
		{
			double sum = 0.0;
			uint32_t begin = c->weights.starts[v], end = c->weights.starts[v + 1];
			assert_in_range(end - begin, 1, SCENE_MAX_INFLUENCES);
			for (uint32_t i = begin; i < end; ++i)
			{
				assert_true(c->weights.weights[i] > 0.0f && c->weights.transforms[i] < c->weights.transformCount);
				assert_true(i == begin || c->weights.transforms[i] > c->weights.transforms[i - 1]);
				sum += (double)c->weights.weights[i];
			}
			assert_true(fabs(sum - 1.0) < 1e-6);
		}
	}
}

// ---- Files -----------------------------------------------------------------------------------------------------

static void files_hold_what_was_made(void** state)
{
	(void)state;
	static const char* const names[SCENE_CLIPS] = { "idle", "walk", "kick" };
	for (int kind = 0; kind < SCENE_CHARACTERS; ++kind)
	{
		const ioAsset* file = files + kind;
		const sceneCharacter* c = &figures[kind].character;
		assert_int_equal(file->clipCount, SCENE_CLIPS);
		assert_int_equal(file->jointCount, c->weights.transformCount);
		assert_int_equal(file->meshes[0].targetCount, c->targets.count);
		assert_int_equal(file->meshes[0].mesh.vertexCount, c->mesh.vertexCount);
		assert_memory_equal(file->meshes[0].mesh.positions, c->mesh.positions, 12 * (size_t)c->mesh.vertexCount);
		assert_memory_equal(file->meshes[0].mesh.triangles, c->mesh.triangles, 12 * (size_t)c->mesh.triangleCount);
		for (int clip = 0; clip < SCENE_CLIPS; ++clip)
		{
			assert_string_equal(file->clips[clip].name, names[clip]);
			assert_true(file->clips[clip].duration == sceneFigure_GetDuration(figures + kind, (sceneClipKind)clip));
		}
		double worst = CompareWithReference(file);
		printf("%s: worst vertex of the reader's poses %.2g of the size\n", c->name, worst);
		assert_true(worst < 1e-6);
	}
}

// The scene's own poses and the file's: nothing but the rounding of matrices to float, and of the root's keys.
static void scenes_pose_as_files_do(void** state)
{
	(void)state;
	double worst = 0.0;
	for (int kind = 0; kind < SCENE_CHARACTERS; ++kind)
	{
		ioPose* pose = ioPose_Create(files + kind);
		const sceneCharacter* c = &figures[kind].character;
		assert_non_null(pose);
		for (int i = 0; i < SCENE_CLIPS * 12; ++i)
		{
			sceneClipKind clip = (sceneClipKind)(i / 12);
			float matrices[12 * SCENE_MAX_JOINTS], amplitudes[SCENE_MAX_TARGETS];
			double time = (0.097 * (i % 12) - 0.02) * sceneFigure_GetDuration(figures + kind, clip);
			sceneFigure_Pose(figures + kind, clip, time, matrices, amplitudes);
			ioPose_Evaluate(pose, (uint32_t)clip, time);
			const double* expected = ioPose_GetJointMatrices(pose, 0);
			for (size_t k = 0; k < 12 * (size_t)c->weights.transformCount; ++k)
			{
				worst = fmax(worst, fabs((double)matrices[k] - expected[k]));
			}
			for (uint32_t t = 0; t < c->targets.count; ++t)
			{
				worst = fmax(worst, fabs((double)amplitudes[t] - ioPose_GetMorphWeights(pose, 0)[t]));
			}
		}
		ioPose_Destroy(pose);
	}
	printf("worst number of a matrix: %.2g\n", worst);
	assert_true(worst < 2e-6);
}

// ---- Bodies ----------------------------------------------------------------------------------------------------

static Thing MakeThing(int kind)
{
	const sceneCharacter* c = &figures[kind].character;
	Thing thing = { .mesh = sceneMesh_Copy(&c->mesh) };
	snugModelDef def = sceneCharacter_MakeDef(c, snug_blendLinear);
	def.fields = sceneTargets_Get(&c->targets);
	assert_int_equal(snugModel_Create(&def, &thing.model), snug_success);
	assert_int_equal(snugBody_Create(&(snugBodyDef){ .model = thing.model }, &thing.body), snug_success);
	return thing;
}

static void PoseThing(const Thing* thing, int kind, sceneClipKind clip, double part)
{
	const sceneCharacter* c = &figures[kind].character;
	float matrices[12 * SCENE_MAX_JOINTS], amplitudes[SCENE_MAX_TARGETS];
	sceneFigure_Pose(figures + kind, clip, part * sceneFigure_GetDuration(figures + kind, clip), matrices, amplitudes);
	assert_int_equal(snugBody_SetJoints(thing->body, matrices, 0, c->weights.transformCount), snug_success);
	assert_int_equal(snugBody_SetAmplitudes(thing->body, amplitudes, c->targets.count), snug_success);
}

// Rigged, morphing and animated all at once.
static void bodies_pose_as_files_do(void** state)
{
	(void)state;
	for (int kind = 0; kind < SCENE_CHARACTERS; ++kind)
	{
		Thing thing = MakeThing(kind);
		size_t count = 3 * (size_t)thing.mesh.vertexCount;
		float* found = malloc(count * sizeof(float));
		double* expected = malloc(count * sizeof(double));
		double worst = 0.0;
		for (int i = 0; i < SCENE_CLIPS * 5; ++i)
		{
			sceneClipKind clip = (sceneClipKind)(i / 5);
			double part = 0.05 + 0.21 * (i % 5);
			PoseThing(&thing, kind, clip, part);
			assert_int_equal(snugBody_GetVertices(thing.body, NULL, found, 0), snug_success);
			double time = part * sceneFigure_GetDuration(figures + kind, clip);
			ReferenceVertices(files + kind, (uint32_t)clip, time, 0, expected);
			for (size_t k = 0; k < count; ++k)
			{
				worst = fmax(worst, fabs((double)found[k] - expected[k]));
			}
		}
		printf("%s: worst coordinate of a body %.2g m\n", figures[kind].character.name, worst);
		assert_true(worst < 5e-6);
		free(found);
		free(expected);
		Thing_Free(&thing);
	}
}

// Feet stand on the ground, neither in it nor above it.
static void nobody_sinks_or_floats(void** state)
{
	(void)state;
	for (int kind = 0; kind < SCENE_CHARACTERS; ++kind)
	{
		Thing thing = MakeThing(kind);
		float* found = malloc(3 * (size_t)thing.mesh.vertexCount * sizeof(float));
		for (int i = 0; i < SCENE_CLIPS * 20; ++i)
		{
			double lowest = INFINITY;
			PoseThing(&thing, kind, (sceneClipKind)(i / 20), 0.05 * (i % 20));
			assert_int_equal(snugBody_GetVertices(thing.body, NULL, found, 0), snug_success);
			for (size_t v = 0; v < thing.mesh.vertexCount; ++v)
			{
				lowest = fmin(lowest, (double)found[3 * v + 1]);
			}
			if (!(lowest > -0.02 && lowest < 0.02))
			{
				fail_msg("%s, %s at %d/20: lowest %.4f m", figures[kind].character.name,
				    figures[kind].clips[i / 20].name, i % 20, lowest);
			}
		}
		free(found);
		Thing_Free(&thing);
	}
}

// One kicks, the other stands before it and breathes: they touch in the middle and not at the beginning.
static void kicks_hit_and_pairs_equal_brute_force(void** state)
{
	(void)state;
	static const double distances[SCENE_CHARACTERS] = { 1.02, 2.35 };
	for (int kind = 0; kind < SCENE_CHARACTERS; ++kind)
	{
		Thing a = MakeThing(kind), b = MakeThing(kind);
		snugFrame place = { .position = { 0.0, 0.0, distances[kind] }, .rotation = { 0.0, 1.0, 0.0, 0.0 } };
		assert_int_equal(snugBody_SetFrame(b.body, &place), snug_success);
		PoseThing(&b, kind, scene_idle, 0.4);
		for (int step = 0; step < 3; ++step)
		{
			PoseThing(&a, kind, scene_kick, 0.44 + 0.05 * step);
			uint64_t count = CheckPairs("kick", (uint64_t)step, &a, &b, NULL);
			printf("%s: %llu pairs\n", figures[kind].character.name, (unsigned long long)count);
			assert_true(step != 1 || count > 0);
		}
		PoseThing(&a, kind, scene_kick, 0.0);
		assert_true(kind != scene_man || CheckPairs("stand", 0, &a, &b, NULL) == 0);
		Thing_Free(&a);
		Thing_Free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(surfaces_are_closed_and_even),
		cmocka_unit_test(weights_are_those_of_a_skin),
		cmocka_unit_test(files_hold_what_was_made),
		cmocka_unit_test(scenes_pose_as_files_do),
		cmocka_unit_test(bodies_pose_as_files_do),
		cmocka_unit_test(nobody_sinks_or_floats),
		cmocka_unit_test(kicks_hit_and_pairs_equal_brute_force),
	};
	return cmocka_run_group_tests(tests, MakeAll, FreeAll);
}
