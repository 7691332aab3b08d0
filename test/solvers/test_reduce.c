// test/solvers/test_reduce.c: principal components of vertex animations, and the curtain that benchmarks compress.
#include "lab/scenes/random.h"
#include "papers/bdtree/curtain.h"
#include "skip.h"
#include "solvers/dense.h"
#include "solvers/reduce.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VERTICES 200
#define FRAMES 30
#define SIZE (3 * VERTICES)

static simReduced Reduce(const float* frames, uint32_t frameCount, uint32_t fieldCount, bool removeMotion)
{
	simReduced reduced;
	simError error = { "" };
	simReduceDef def = { .frames = frames,
		.frameCount = frameCount,
		.vertexCount = VERTICES,
		.fieldCount = fieldCount,
		.removeMotion = removeMotion };
	if (!simReduced_Compute(&reduced, &def, &error))
	{
		fail_msg("%s", error.text);
	}
	return reduced;
}

// Frames that are a mean and `rank` fields, smaller and smaller.
static void MakeFrames(uint64_t seed, int rank, float* frames)
{
	static double fields[FRAMES][SIZE];
	sceneRandom random = { seed };
	double mean[SIZE];
	for (int i = 0; i < SIZE; ++i)
	{
		mean[i] = sceneRandom_Range(&random, -1.0, 1.0);
		for (int k = 0; k < rank; ++k)
		{
			fields[k][i] = sceneRandom_Range(&random, -1.0, 1.0);
		}
	}
	for (int f = 0; f < FRAMES; ++f)
	{
		double amplitudes[FRAMES];
		for (int k = 0; k < rank; ++k)
		{
			amplitudes[k] = sceneRandom_Range(&random, -1.0, 1.0) / (double)(1 + 2 * k);
		}
		for (int i = 0; i < SIZE; ++i)
		{
			double x = mean[i];
			for (int k = 0; k < rank; ++k)
			{
				x += amplitudes[k] * fields[k][i];
			}
			frames[f * SIZE + i] = (float)x;
		}
	}
}

// The frame as a program would pose it: rest + fields times amplitudes, then the motion. Its errors, computed anew.
static void Rebuild(const simReduced* reduced, const float* frames, uint32_t fieldCount, double* rms, double* most)
{
	double sum = 0.0;
	*most = 0.0;
	for (uint32_t f = 0; f < reduced->frameCount; ++f)
	{
		sceneMesh shape = { malloc(SIZE * sizeof(float)), VERTICES, NULL, 0 };
		for (int i = 0; i < SIZE; ++i)
		{
			double x = (double)reduced->rest[i];
			for (uint32_t k = 0; k < fieldCount; ++k)
			{
				x += (double)reduced->amplitudes[f * reduced->fieldCount + k] *
				     (double)reduced->fields[k * SIZE + (uint32_t)i];
			}
			shape.positions[i] = (float)x;
		}
		sceneMesh_Transform(&shape, reduced->motions + f, 1.0);
		for (int i = 0; i < SIZE; i += 3)
		{
			double length2 = 0.0;
			for (int k = i; k < i + 3; ++k)
			{
				double off = (double)shape.positions[k] - (double)frames[f * SIZE + (uint32_t)k];
				length2 += off * off;
			}
			sum += length2;
			*most = fmax(*most, sqrt(length2));
		}
		free(shape.positions);
	}
	*rms = sqrt(sum / ((double)reduced->frameCount * VERTICES));
}

// Errors fall with every field, vanish at the rank, and are those of what is written.
static void errors_fall_with_fields(void** state)
{
	(void)state;
	float* frames = malloc(FRAMES * SIZE * sizeof(float));
	for (int rank = 1; rank <= 7; rank += 3)
	{
		MakeFrames((uint64_t)rank, rank, frames);
		simReduced reduced = Reduce(frames, FRAMES, 0, false);
		assert_int_equal(reduced.fieldCount, rank);
		for (uint32_t m = 0; m <= reduced.fieldCount; ++m)
		{
			double rms, most;
			Rebuild(&reduced, frames, m, &rms, &most);
			assert_true(m == 0 || reduced.rmsErrors[m] < reduced.rmsErrors[m - 1]);
			assert_true(fabs(rms - reduced.rmsErrors[m]) < 1e-6);
			assert_true(fabs(most - reduced.maxErrors[m]) < 1e-6);
			assert_true(reduced.maxErrors[m] >= reduced.rmsErrors[m]);
		}
		assert_true(reduced.rmsErrors[0] > 0.1);
		assert_true(reduced.maxErrors[reduced.fieldCount] < 1e-6);
		simReduced few = Reduce(frames, FRAMES, 1, false);
		assert_int_equal(few.fieldCount, 1);
		assert_memory_equal(few.fields, reduced.fields, SIZE * sizeof(float));
		simReduced_Free(&few);
		simReduced_Free(&reduced);
	}
	free(frames);
}

// Noise has as many components as frames, less the mean; with all of them every frame is back but for rounding.
static void full_rank_is_exact(void** state)
{
	(void)state;
	float* frames = malloc(FRAMES * SIZE * sizeof(float));
	sceneRandom random = { 11 };
	for (int i = 0; i < FRAMES * SIZE; ++i)
	{
		frames[i] = (float)sceneRandom_Range(&random, -1.0, 1.0);
	}
	simReduced reduced = Reduce(frames, FRAMES, 0, false);
	assert_int_equal(reduced.fieldCount, FRAMES - 1);
	assert_true(reduced.maxErrors[FRAMES - 1] < 2e-6);
	assert_true(reduced.rmsErrors[FRAMES - 2] > 0.01);
	simReduced again = Reduce(frames, FRAMES, 0, false);
	assert_memory_equal(again.fields, reduced.fields, (FRAMES - 1) * SIZE * sizeof(float));
	assert_memory_equal(again.amplitudes, reduced.amplitudes, FRAMES * (FRAMES - 1) * sizeof(float));
	simReduced_Free(&again);
	simReduced_Free(&reduced);
	free(frames);
}

// A body that deforms in two ways while it tumbles and travels: with its motion apart two fields do, without it many.
static void motion_is_kept_apart(void** state)
{
	(void)state;
	float* frames = malloc(FRAMES * SIZE * sizeof(float));
	MakeFrames(5, 2, frames);
	for (uint32_t f = 0; f < FRAMES; ++f)
	{
		sceneMesh frame = { frames + f * SIZE, VERTICES, NULL, 0 };
		double s = (double)f, position[3] = { 0.3 * s, -0.2 * s, 1.0 }, axis[3] = { 1.0, 0.1 * s, -0.5 };
		snugFrame motion = sceneMakeFrame(position, axis, 0.4 * s);
		sceneMesh_Transform(&frame, &motion, 1.0);
	}
	simReduced with = Reduce(frames, FRAMES, 6, false), without = Reduce(frames, FRAMES, 6, true);
	double rms, most;
	Rebuild(&without, frames, without.fieldCount, &rms, &most);
	assert_true(without.rmsErrors[3] < 0.02); // rotations depend on the deformation a little: not quite two
	assert_true(with.rmsErrors[3] > 0.5);
	assert_true(fabs(rms - without.rmsErrors[without.fieldCount]) < 1e-5);
	assert_true(fabs(most - without.maxErrors[without.fieldCount]) < 1e-5);
	simReduced_Free(&with);
	simReduced_Free(&without);

	// A rigid body has no components at all, and its motion is found exactly.
	for (uint32_t f = 1; f < FRAMES; ++f)
	{
		memcpy(frames + f * SIZE, frames, SIZE * sizeof(float));
		sceneMesh frame = { frames + f * SIZE, VERTICES, NULL, 0 };
		double position[3] = { 0.0, 0.01 * (double)f, 0.0 }, axis[3] = { 0.0, 0.0, 1.0 };
		snugFrame motion = sceneMakeFrame(position, axis, 0.2 * (double)f);
		sceneMesh_Transform(&frame, &motion, 1.0);
	}
	simReduced rigid = Reduce(frames, FRAMES, 6, true);
	assert_true(rigid.maxErrors[0] < 1e-6);
	Rebuild(&rigid, frames, 0, &rms, &most);
	assert_true(most < 1e-6);
	simReduced_Free(&rigid);
	free(frames);
}

static void errors_are_told(void** state)
{
	(void)state;
	float* frames = calloc(FRAMES * SIZE, sizeof(float));
	simReduced reduced;
	simError error = { "" };
	simReduceDef def = { .frames = frames, .frameCount = FRAMES, .vertexCount = VERTICES };
	frames[SIZE + 5] = INFINITY;
	assert_false(simReduced_Compute(&reduced, &def, &error));
	assert_string_equal(error.text, "frame 1: vertex 1 has a coordinate that is not finite, or above 1e30");
	def.frameCount = 0;
	assert_false(simReduced_Compute(&reduced, &def, &error));
	assert_non_null(strstr(error.text, "no frames"));
	def.frameCount = 100000;
	assert_false(simReduced_Compute(&reduced, &def, &error));
	assert_non_null(strstr(error.text, "too many"));
	free(frames);
}

// ---- Curtain ---------------------------------------------------------------------------------------------------

// The cloth keeps its size while it is blown about, and the ball is stopped by it. The same bits everywhere.
static void curtain_hangs_and_catches(void** state)
{
	(void)state;
	simCurtain curtain;
	simError error = { "" };
	assert_true(simCurtain_Create(&curtain, 26, NULL, NULL, &error));
	assert_int_equal(curtain.mesh.vertexCount, 6184);
	assert_int_equal(curtain.mesh.triangleCount, 12020);
	for (uint32_t f = 0; f < curtain.frameCount; ++f)
	{
		const float* p = curtain.frames + 3 * (size_t)f * curtain.mesh.vertexCount;
		double nearest = INFINITY;
		for (size_t v = 0; v < curtain.mesh.vertexCount; ++v)
		{
			const double* ball = curtain.ball[f].position;
			double d[3] = { (double)p[3 * v] - ball[0], (double)p[3 * v + 1] - ball[1],
				(double)p[3 * v + 2] - ball[2] };
			assert_true(p[3 * v + 1] > 0.04f && p[3 * v + 1] < 2.31f && fabsf(p[3 * v]) < 1.0f);
			nearest = fmin(nearest, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
		}
		assert_true(nearest > 0.8 * (double)curtain.ballRadius);
		assert_true(f != 22 || nearest < 1.1 * (double)curtain.ballRadius);
	}
	double before = curtain.ball[16].position[2] - curtain.ball[15].position[2];
	double after = curtain.ball[25].position[2] - curtain.ball[24].position[2];
	assert_true(before < -0.1 && after > 0.5 * before);
	uint32_t bits = 0, hash = 0;
	for (size_t i = 0; i < 3 * (size_t)curtain.mesh.vertexCount; ++i)
	{
		memcpy(&bits, curtain.frames + 3 * (size_t)curtain.mesh.vertexCount * 25 + i, sizeof(bits));
		hash = (hash ^ bits) * 16777619u;
	}
	if (hash != 0x521aa98cu)
	{
		fail_msg("the curtain of frame 25 has other bits: hash %08x", hash);
	}
	simCurtain_Free(&curtain);
}

// From a state the cloth goes on as if nothing had happened, bit for bit.
static void cloth_goes_on_from_a_state(void** state)
{
	(void)state;
	simError error = { "" };
	simCloth *first = simCloth_Create(&error), *second = simCloth_Create(&error);
	size_t bytes = 3 * (size_t)SIM_CURTAIN_VERTICES * sizeof(float);
	float *before = malloc(bytes), *after = malloc(bytes);
	snugFrame ball;
	FILE* stream = tmpfile();
	assert_true(first != NULL && second != NULL && before != NULL && after != NULL && stream != NULL);
	for (int i = 0; i < 3; ++i)
	{
		simCloth_Advance(first);
	}
	assert_true(simCloth_WriteState(first, stream));
	rewind(stream);
	assert_true(simCloth_ReadState(second, stream, &error));
	assert_true(simCloth_GetTime(first) == simCloth_GetTime(second));
	simCloth_GetFrame(first, after, &ball);
	simCloth_Advance(first);
	simCloth_Advance(second);
	simCloth_GetFrame(first, before, &ball);
	assert_memory_not_equal(before, after, bytes); // it moves
	simCloth_GetFrame(second, after, &ball);
	assert_memory_equal(before, after, bytes);
	// What is no state leaves it as it was made.
	assert_false(simCloth_ReadState(second, stream, &error));
	assert_non_null(strstr(error.text, "no cloth"));
	assert_true(simCloth_GetTime(second) == -2.0);
	fclose(stream);
	simCloth_Destroy(first);
	simCloth_Destroy(second);
	free(before);
	free(after);
}

int main(void)
{
	const struct CMUnitTest always[] = {
		cmocka_unit_test(errors_are_told),
		cmocka_unit_test(curtain_hangs_and_catches),
		cmocka_unit_test(cloth_goes_on_from_a_state),
	};
	const struct CMUnitTest solved[] = {
		cmocka_unit_test(errors_fall_with_fields),
		cmocka_unit_test(full_rank_is_exact),
		cmocka_unit_test(motion_is_kept_apart),
	};
	int failures = cmocka_run_group_tests_name("reduce", always, NULL, NULL);
	if (!simDense_IsAvailable())
	{
		int skipped = SkipOrFail("solvers", "built without LAPACK (tools/install-dependencies solvers)");
		return failures != 0 ? failures : skipped;
	}
	return failures + cmocka_run_group_tests_name("components", solved, NULL, NULL);
}
