// What `snug prove` finds of small bodies on random ways, beside the rational truth about every pair of triangles
// (test/support/rational_sweep.c): no way that meets is proved free, none that is free is proved to meet, and no
// interval that is proved begins too early or ends too late. Whether claims hold is for tools/check-proof to say
// (test_prove.py); here it is whether what they come to is true.
#include "lab/scenes/random.h"
#include "program/prove/claims.h"
#include "test/support/rational_sweep.h"
#include "test/support/support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A few triangles with corners of their own.
typedef struct Walker
{
	snugModel* model;
	proveMesh mesh;
	proveSide side;
	float ends[2][18][3]; // in the proof's order
} Walker;

// Coordinates that often are the same, or nearly, so that things touch, slide and graze.
static float PickCoordinate(sceneRandom* random, int kind)
{
	const double x = sceneRandom_Range(random, -1.0, 1.0);
	return (float)(kind == 0 ? x : kind == 1 ? rint(2.0 * x) / 2.0 : rint(2.0 * x) / 2.0 + 1e-6 * x);
}

static void MakeWalker(sceneRandom* random, Walker* walker, int kind, double reach)
{
	float rest[18][3];
	uint32_t triangles[18];
	const uint32_t count = 1 + sceneRandom_Index(random, 6);
	for (uint32_t i = 0; i < 18; ++i)
	{
		triangles[i] = i;
		for (int k = 0; k < 3; ++k)
		{
			rest[i][k] = PickCoordinate(random, kind);
		}
	}
	const snugModelDef def = { .positions = rest[0],
		.vertexCount = 3 * count,
		.triangles = triangles,
		.triangleCount = count,
		.deformer = snug_free };
	assert_int_equal(snugModel_Create(&def, &walker->model), snug_success);
	assert_true(proveMesh_Create(&walker->mesh, walker->model));
	assert_true(proveSide_Create(&walker->side, &walker->mesh));
	for (int end = 0; end < 2; ++end)
	{
		float place[3], by[3];
		for (int k = 0; k < 3; ++k)
		{
			place[k] = (float)reach * PickCoordinate(random, kind);
			by[k] = sceneRandom_Index(random, 2) == 0 ? 1.0f : PickCoordinate(random, kind);
		}
		for (uint32_t i = 0; i < 3 * count; ++i)
		{
			for (size_t k = 0; k < 3; ++k)
			{
				const float x = place[k] + by[k] * rest[i][k];
				walker->side.ends[end][3 * (size_t)i + k] = (double)x;
			}
		}
		for (uint32_t i = 0; i < 3 * count; ++i)
		{
			for (size_t k = 0; k < 3; ++k)
			{
				walker->ends[end][i][k] = (float)walker->side.ends[end][3 * (size_t)walker->mesh.corners[i] + k];
			}
		}
		walker->side.errors[end] = 256.0 * 0x1p-53 * 16.0; // of what the claims compute: the places are exact
		proveSide_Prepare(&walker->side, end);
	}
}

static void FreeWalker(Walker* walker)
{
	proveSide_Free(&walker->side);
	proveMesh_Free(&walker->mesh);
	snugModel_Destroy(walker->model);
}

static void FindTruth(const Walker* a, const Walker* b)
{
	RationalSweep_Begin();
	for (uint32_t i = 0; i < a->mesh.triangleCount; ++i)
	{
		for (uint32_t k = 0; k < b->mesh.triangleCount; ++k)
		{
			float one[2][3][3], other[2][3][3];
			for (int end = 0; end < 2; ++end)
			{
				memcpy(one[end], a->ends[end] + 3 * i, sizeof(one[end]));
				memcpy(other[end], b->ends[end] + 3 * k, sizeof(other[end]));
			}
			RationalSweep_AddTriangles((const float(*)[3][3])one, (const float(*)[3][3])other);
		}
	}
}

// When claims say that something meets or is not known: first times, 2 without.
typedef struct Answer
{
	double meets, unknown;
	double free; // how much of the time
} Answer;

// @return behind what was read
static const char* ReadClaims(const char* text, double start, double end, Answer* answer)
{
	const char claim = *text;
	const double middle = 0.5 * (start + end);
	int length = 0, numbers[3];
	switch (claim)
	{
		case 'h':
			text = ReadClaims(text + 2, start, middle, answer);
			return ReadClaims(text, middle, end, answer);
		case 'm':
			answer->meets = start < answer->meets ? start : answer->meets;
			answer->free -= end - start;
			assert_int_equal(sscanf(text, "m %d %d %d %n", numbers, numbers + 1, numbers + 2, &length), 3);
			return text + length;
		case '?':
			answer->unknown = start < answer->unknown ? start : answer->unknown;
			answer->free -= end - start;
			return text + 2;
		case 'd':
			assert_int_equal(sscanf(text, "d %d %d %d %n", numbers, numbers + 1, numbers + 2, &length), 3);
			return text + length;
		default:
			assert_true(claim == 'a' || claim == 'b');
			text = ReadClaims(text + 2, start, end, answer);
			return ReadClaims(text, start, end, answer);
	}
}

static const char* FindFault(const Answer* answer)
{
	const bool meets = RationalSweep_Meets();
	if (!meets)
	{
		return answer->meets <= 1.0 ? "invented" : NULL;
	}
	const double first = answer->meets < answer->unknown ? answer->meets : answer->unknown;
	return first > 1.0                                                      ? "missed"
	       : !RationalSweep_NotBefore(first)                                ? "late"
	       : answer->meets <= 1.0 && !RationalSweep_NotAfter(answer->meets) ? "early"
	                                                                        : NULL;
}

static void random_ways(void** state)
{
	const int count = (int)(300.0 * TestScale());
	int meeting = 0, told = 0, freed = 0;
	(void)state;
	for (int i = 0; i < count; ++i)
	{
		sceneRandom random = { TestSeed() + (uint64_t)i };
		const int kind = (int)sceneRandom_Index(&random, 3);
		Walker a, b;
		proveText text = { .bytes = NULL };
		Answer answer = { 2.0, 2.0, 1.0 };
		MakeWalker(&random, &a, kind, 1.5);
		MakeWalker(&random, &b, kind, 1.5);
		FindTruth(&a, &b);
		const proveQuestion question = { .a = &a.side, .b = &b.side, .maxHalvings = 8 };
		proveStep(&question, &text);
		proveText_AddBytes(&text, "", 1);
		assert_false(text.failed);
		assert_int_equal(*ReadClaims(text.bytes, 0.0, 1.0, &answer), '\0');
		const char* fault = FindFault(&answer);
		if (fault != NULL)
		{
			fail_msg("seed %llu: %s: %s", (unsigned long long)(TestSeed() + (uint64_t)i), fault, text.bytes);
		}
		meeting += RationalSweep_Meets();
		told += answer.meets <= 1.0;
		freed += answer.free == 1.0;
		proveText_Free(&text);
		FreeWalker(&a);
		FreeWalker(&b);
	}
	print_message("%d ways, of which %d meet; %d proved to meet, %d proved free\n", count, meeting, told, freed);
	// Not by saying nothing.
	assert_true(count < 100 || (10 * told > 7 * meeting && 10 * freed > 7 * (count - meeting)));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_ways) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
