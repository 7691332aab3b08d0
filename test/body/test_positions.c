// test/body/test_positions.c: positions of some vertices and triangles, and boxes of nodes. Oracle:
// snugBody_GetVertices.
#include "posed.h"

#include "snug/snug_queries.h"

#include <stdlib.h>
#include <string.h>

// Bit for bit: the sign of zero too.
static void AssertSameBits(uint64_t seed, const float* expected, const float* found)
{
	if (memcmp(expected, found, 3 * sizeof(float)) != 0)
	{
		fail_msg("seed %llu: (%a, %a, %a) instead of (%a, %a, %a)", (unsigned long long)seed, (double)found[0],
		    (double)found[1], (double)found[2], (double)expected[0], (double)expected[1], (double)expected[2]);
	}
}

static void CheckVertices(sceneRandom* random, uint64_t seed, const Posed* posed)
{
	uint32_t numbers[70], count = sceneRandom_Index(random, 70);
	float found[70 * 4];
	count = posed->thing.mesh.vertexCount == 0 ? 0 : count;
	for (uint32_t i = 0; i < count; ++i)
	{
		numbers[i] = sceneRandom_Index(random, posed->thing.mesh.vertexCount);
	}
	size_t stride = sceneRandom_Index(random, 2) == 0 ? 0 : 16, width = stride == 0 ? 3 : 4;
	snugStatus status = snugBody_GatherVertices(posed->thing.body, posed->origin, numbers, count, found, stride);
	assert_int_equal(status, snug_success);
	for (uint32_t i = 0; i < count; ++i)
	{
		AssertSameBits(seed, posed->positions + 3 * (size_t)numbers[i], found + width * i);
	}
}

static void CheckTriangles(sceneRandom* random, uint64_t seed, const Posed* posed)
{
	uint32_t numbers[40], count = sceneRandom_Index(random, 40);
	float found[40 * 10];
	count = posed->thing.mesh.triangleCount == 0 ? 0 : count;
	for (uint32_t i = 0; i < count; ++i)
	{
		numbers[i] = sceneRandom_Index(random, posed->thing.mesh.triangleCount);
	}
	size_t stride = sceneRandom_Index(random, 2) == 0 ? 0 : 40, width = stride == 0 ? 9 : 10;
	snugStatus status = snugBody_GetCorners(posed->thing.body, posed->origin, numbers, count, found, stride);
	assert_int_equal(status, snug_success);
	for (uint32_t i = 0; i < count; ++i)
	{
		float corners[3][3];
		Posed_Triangle(posed, numbers[i], corners);
		for (int c = 0; c < 3; ++c)
		{
			AssertSameBits(seed, corners[c], found + width * i + 3 * c);
		}
	}
}

// Asked before and after queries, in shared pools that are too small, right after posing.
static void some_positions_are_those_of_all(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(300); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		snugPool* pool = n % 4 == 0 ? MakePool(4096 * 3) : NULL;
		sceneMesh mesh = RandomMesh(&random, (MeshKind)(n % MESH_KINDS));
		Posed posed = Posed_Make(&random, mesh, (Mover)(n / MESH_KINDS % POSED_DEFORMERS), pool);
		for (int i = 0; i < 4; ++i)
		{
			CheckVertices(&random, seed, &posed);
			CheckTriangles(&random, seed, &posed);
			Posed_Change(&random, &posed);
			if (i == 2)
			{
				snugBody_Refit(posed.thing.body);
			}
		}
		Posed_Free(&posed);
		snugPool_Destroy(pool);
	}
}

static void numbers_that_are_none_are_refused(void** state)
{
	(void)state;
	sceneRandom random = { 7 };
	Posed posed = Posed_Make(&random, sceneMakeTetrahedron(), snug_rigid, NULL);
	snugBody* body = posed.thing.body;
	const uint32_t good[2] = { 0, 3 }, bad[2] = { 0, 4 };
	const double far[3] = { 1e300, 0.0, 0.0 }, no[3] = { 0.0, 0.0 / 0.0, 0.0 };
	float out[18], before[18];
	memset(out, 0x5a, sizeof(out));
	memcpy(before, out, sizeof(out));
	assert_int_equal(snugBody_GatherVertices(body, NULL, bad, 2, out, 0), snug_badArgument);
	assert_int_equal(snugBody_GetCorners(body, NULL, bad, 2, out, 0), snug_badArgument);
	assert_int_equal(snugBody_GetCorners(body, far, good, 2, out, 0), snug_outOfRange);
	assert_int_equal(snugBody_GetCorners(NULL, NULL, good, 2, out, 0), snug_badArgument);
	assert_int_equal(snugBody_GatherVertices(NULL, NULL, good, 2, out, 0), snug_badArgument);
	assert_int_equal(snugBody_GetCorners(body, no, good, 2, out, 0), snug_badArgument);
	assert_int_equal(snugBody_GetCorners(body, NULL, NULL, 2, out, 0), snug_badArgument);
	assert_int_equal(snugBody_GetCorners(body, NULL, good, 2, NULL, 0), snug_badArgument);
	assert_int_equal(snugBody_GetCorners(body, NULL, good, 2, out, 32), snug_badArgument);
	assert_int_equal(snugBody_GatherVertices(body, NULL, good, 2, out, 13), snug_badArgument);
	assert_memory_equal(out, before, sizeof(out));
	assert_int_equal(snugBody_GetCorners(body, NULL, NULL, 0, NULL, 0), snug_success);
	assert_int_equal(snugBody_GetCorners(body, NULL, good, 2, out, 0), snug_success);
	assert_memory_not_equal(out, before, sizeof(out));
	Posed_Free(&posed);
}

// The index is made once, by the first call, and belongs to the body.
static void the_index_is_made_once(void** state)
{
	(void)state;
	for (uint64_t fails = 0; fails < 2; ++fails)
	{
		TestAllocator allocator = { .failAt = 0 };
		sceneMesh mesh = sceneMakeSphere(4);
		snugModel* model = MakeModel(&mesh, snug_rigid, (snugTreeDef){ 0 });
		const snugBodyDef def = { .model = model, .allocator = TestAllocator_Get(&allocator) };
		snugBody* body;
		assert_int_equal(snugBody_Create(&def, &body), snug_success);
		uint64_t calls = allocator.calls;
		size_t bytes = snugBody_GetMemory(body);
		const uint32_t numbers[2] = { 1, 7 };
		float out[18];
		allocator.failAt = fails != 0 ? calls + 1 : 0;
		snugStatus status = snugBody_GetCorners(body, NULL, numbers, 2, out, 0);
		assert_int_equal(status, fails != 0 ? snug_outOfMemory : snug_success);
		assert_int_equal(allocator.calls, calls + 1);
		allocator.failAt = 0;
		assert_int_equal(snugBody_GatherVertices(body, NULL, numbers, 2, out, 0), snug_success);
		assert_int_equal(allocator.calls, calls + 1 + fails);
		assert_int_equal(snugBody_GetMemory(body) - bytes, 4 * ((size_t)mesh.vertexCount + mesh.triangleCount));
		snugBody_Destroy(body);
		assert_true(allocator.live == 0 && allocator.faults == 0);
		snugModel_Destroy(model);
		sceneMesh_Free(&mesh);
	}
}

static bool Contains(const snugNodeBox* box, const float* point)
{
	bool isIn = true;
	for (int k = 0; k < 3; ++k)
	{
		isIn = isIn && box->lower[k] <= point[k] && point[k] <= box->upper[k];
	}
	return isIn;
}

// Each vertex of a triangle is in a box of every level, up to the deepest and beyond.
static void CheckLevels(uint64_t seed, const Posed* posed)
{
	uint32_t depth = snugModel_GetInfo(posed->thing.model).depth;
	for (uint32_t level = 0; level <= depth + 1; ++level)
	{
		uint64_t count, again;
		assert_int_equal(snugBody_GetBoxes(posed->thing.body, level, NULL, 0, &count), snug_success);
		assert_true(level > 0 || count == (posed->thing.mesh.triangleCount > 0 ? 1 : 0));
		snugNodeBox* boxes = malloc((count + 1) * sizeof(snugNodeBox));
		assert_int_equal(snugBody_GetBoxes(posed->thing.body, level, boxes, count, &again), snug_success);
		assert_int_equal(count, again);
		for (uint32_t i = 0; i < 3 * posed->thing.mesh.triangleCount; ++i)
		{
			const float* point = posed->positions + 3 * (size_t)posed->thing.mesh.triangles[i];
			bool isIn = false;
			for (uint64_t b = 0; b < count && !isIn; ++b)
			{
				isIn = boxes[b].level <= level && Contains(boxes + b, point);
			}
			if (!isIn)
			{
				fail_msg("seed %llu: a vertex is in no box of level %u", (unsigned long long)seed, level);
			}
		}
		free(boxes);
	}
}

static void boxes_of_a_level_contain_all(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(84); ++n)
	{
		uint64_t seed = TestSeed() + (uint64_t)n;
		sceneRandom random = { seed };
		sceneMesh mesh = RandomMesh(&random, (MeshKind)(n % MESH_KINDS));
		Posed posed = Posed_Make(&random, mesh, (Mover)(n / MESH_KINDS % POSED_DEFORMERS), NULL);
		Posed_Change(&random, &posed);
		snugFrame identity = { { 0 }, { 0 } };
		snugBody_SetFrame(posed.thing.body, &identity);
		memset(posed.origin, 0, sizeof(posed.origin));
		Posed_Read(&posed);
		CheckLevels(seed, &posed);
		Posed_Free(&posed);
	}
}

// A posed skin remembers what a query looked at: the root's children at least where it meets another body, nothing
// after the next pose.
static void visited_boxes_are_those_of_the_last_pose(void** state)
{
	(void)state;
	sceneRandom random = { 4 };
	Posed a = Posed_Make(&random, sceneMakeBlob(12, 1), snug_skin, NULL);
	Posed b = Posed_Make(&random, sceneMakeBlob(12, 2), snug_rigid, NULL);
	uint64_t count;
	snugCollide(a.thing.body, b.thing.body, NULL);
	Posed_Change(&random, &a);
	assert_int_equal(snugBody_GetBoxes(a.thing.body, SNUG_NONE, NULL, 0, &count), snug_success);
	assert_int_equal(count, 0);
	Place(a.thing.body, 0.2, 0.0, 0.0);
	snugResult result = snugCollide(a.thing.body, b.thing.body, NULL);
	assert_true(result.count > 0);
	snugNodeBox boxes[4];
	memset(boxes, 0, sizeof(boxes));
	assert_int_equal(snugBody_GetBoxes(a.thing.body, SNUG_NONE, boxes, 3, &count), snug_success);
	assert_true(count > 3 && count <= snugModel_GetInfo(a.thing.model).nodeCount);
	for (int i = 0; i < 3; ++i)
	{
		assert_true(boxes[i].lower[0] < boxes[i].upper[0] && boxes[i].level > 0);
	}
	assert_true(boxes[3].upper[0] == 0.0f);
	assert_int_equal(snugBody_GetBoxes(b.thing.body, SNUG_NONE, NULL, 0, &count), snug_success);
	assert_int_equal(count, 0);
	assert_int_equal(snugBody_GetBoxes(a.thing.body, SNUG_NONE, NULL, 3, &count), snug_badArgument);
	assert_int_equal(snugBody_GetBoxes(a.thing.body, SNUG_NONE, NULL, 0, NULL), snug_badArgument);
	assert_int_equal(snugBody_GetBoxes(NULL, 0, NULL, 0, &count), snug_badArgument);
	Posed_Free(&a);
	Posed_Free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(some_positions_are_those_of_all),
		cmocka_unit_test(numbers_that_are_none_are_refused),
		cmocka_unit_test(the_index_is_made_once),
		cmocka_unit_test(boxes_of_a_level_contain_all),
		cmocka_unit_test(visited_boxes_are_those_of_the_last_pose),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
