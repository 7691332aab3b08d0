// What `snug prove` finds of small bodies on random ways, beside the rational truth about every pair of triangles
// (test/support/rational_sweep.c): no way that meets is proved free, none that is free is proved to meet, and no
// interval that is proved begins too early or ends too late. Whether claims hold is for tools/check-proof to say
// (test_prove.py); here it is whether what they come to is true.
#include "lab/scenes/random.h"
#include "program/prove/claims.h"
#include "test/support/rational.h"
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
	const int count = TestCount(300);
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

// A strip of triangles around some vertices that move by chance: some share corners, neighbours edges, and few all.
static void MakeSheet(sceneRandom* random, Walker* walker)
{
	float rest[8][3];
	uint32_t triangles[3 * 8];
	const uint32_t vertices = 6 + sceneRandom_Index(random, 3), count = 2 + sceneRandom_Index(random, 4);
	const double way = sceneRandom_Range(random, 0.0, 1.0);
	for (uint32_t i = 0; i < vertices; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			rest[i][k] = (float)sceneRandom_Range(random, -1.0, 1.0);
		}
	}
	for (uint32_t i = 0; i < 3 * count; ++i)
	{
		const uint32_t corner = i % 3;
		const bool goesOn = i >= 3 && corner < 2;
		do
		{
			triangles[i] = goesOn ? triangles[i - 2] : sceneRandom_Index(random, vertices);
		} while (corner > 0 && (triangles[i] == triangles[i - 1] || (corner > 1 && triangles[i] == triangles[i - 2])));
	}
	const snugModelDef def = { .positions = rest[0],
		.vertexCount = vertices,
		.triangles = triangles,
		.triangleCount = count,
		.deformer = snug_free };
	assert_int_equal(snugModel_Create(&def, &walker->model), snug_success);
	assert_true(proveMesh_Create(&walker->mesh, walker->model));
	assert_true(proveSide_Create(&walker->side, &walker->mesh));
	for (int end = 0; end < 2; ++end)
	{
		for (uint32_t i = 0; i < 3 * vertices; ++i)
		{
			walker->side.ends[end][i] =
			    (double)(rest[i / 3][i % 3] + (float)(end * way * sceneRandom_Range(random, -1.0, 1.0)));
		}
		walker->side.errors[end] = 256.0 * 0x1p-53 * 16.0;
		proveSide_Prepare(&walker->side, end);
	}
}

static void AddFeatures(const Walker* walker, const uint32_t corners[4], bool isEdges)
{
	RationalPath path;
	for (int c = 0; c < 4; ++c)
	{
		for (int i = 0; i < c; ++i)
		{
			if (corners[i] == corners[c] && (c >= (isEdges ? 2 : 1)) && i < (isEdges ? 2 : 1))
			{
				return; // they have a corner in common
			}
		}
		for (int end = 0; end < 2; ++end)
		{
			memcpy(path[c][end], walker->side.ends[end] + 3 * (size_t)corners[c], 3 * sizeof(double));
		}
	}
	RationalSweep_Add(path, isEdges);
}

// Whether two triangles meet at the start beyond the corners that they share.
static bool MeetsAtStart(const Walker* walker, const uint32_t* a, const uint32_t* b)
{
	float one[3][3], other[3][3];
	uint32_t shared = 0;
	for (size_t i = 0; i < 9; ++i)
	{
		shared |= (uint32_t)(a[i / 3] == b[i % 3]) << i;
		one[i / 3][i % 3] = (float)walker->side.ends[0][3 * (size_t)a[i / 3] + i % 3];
		other[i / 3][i % 3] = (float)walker->side.ends[0][3 * (size_t)b[i / 3] + i % 3];
	}
	return RationalIntersectBeyond((const float(*)[3])one, (const float(*)[3])other, shared);
}

// All features of two triangles, but for those that have a corner in common: these meet there.
static bool MeetsItself(const Walker* walker)
{
	bool meets = false;
	RationalSweep_Begin();
	for (uint32_t i = 0; i < walker->mesh.triangleCount * walker->mesh.triangleCount; ++i)
	{
		const uint32_t *a = walker->mesh.corners + 3 * (size_t)(i / walker->mesh.triangleCount),
		               *b = walker->mesh.corners + 3 * (size_t)(i % walker->mesh.triangleCount);
		meets = meets || (a != b && MeetsAtStart(walker, a, b));
		for (int k = 0; a != b && k < 9; ++k)
		{
			AddFeatures(walker, (const uint32_t[4]){ a[k % 3], b[0], b[1], b[2] }, false);
			AddFeatures(walker, (const uint32_t[4]){ a[k % 3], a[(k + 1) % 3], b[k / 3], b[(k / 3 + 1) % 3] }, true);
		}
	}
	return meets || RationalSweep_Meets();
}

static void random_sheets(void** state)
{
	const int count = TestCount(300);
	int meeting = 0, freed = 0, patches = 0;
	(void)state;
	for (int i = 0; i < count; ++i)
	{
		sceneRandom random = { TestSeed() + (uint64_t)i };
		Walker walker;
		proveText text = { .bytes = NULL };
		MakeSheet(&random, &walker);
		const bool meets = MeetsItself(&walker);
		const proveQuestion question = { .a = &walker.side, .maxHalvings = 6 };
		proveStep(&question, &text);
		proveText_AddBytes(&text, "", 1);
		const bool isFree = strpbrk(text.bytes, "m?") == NULL;
		if (isFree && meets)
		{
			fail_msg("seed %llu: missed: %s", (unsigned long long)(TestSeed() + (uint64_t)i), text.bytes);
		}
		if (strchr(text.bytes, 'm') != NULL && !meets)
		{
			fail_msg("seed %llu: invented: %s", (unsigned long long)(TestSeed() + (uint64_t)i), text.bytes);
		}
		meeting += meets;
		freed += isFree;
		patches += strpbrk(text.bytes, "nve") != NULL;
		proveText_Free(&text);
		FreeWalker(&walker);
	}
	print_message(
	    "%d sheets, of which %d meet themselves; %d proved free, %d with patches\n", count, meeting, freed, patches);
	assert_true(count < 100 || (10 * freed > 5 * (count - meeting) && patches > count / 20));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_ways), cmocka_unit_test(random_sheets) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
