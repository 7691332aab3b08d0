// test/tree/test_tree.c: the tree's invariants, on meshes that are hard to split, and what the validator makes of
// damage.
#include "support.h"

#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Invariants ----------------------------------------------------------------------------------------------------

static const char* Validate(const snugModel* model)
{
	void* scratch = malloc(sgTree_ValidateBytes(&model->tree) + 1);
	assert_non_null(scratch);
	const char* fault = sgTree_Validate(&model->tree, (uint32_t)model->treeDef.leafTriangles, scratch);
	free(scratch);
	return fault;
}

typedef struct Walk
{
	const snugModel* model;
	uint8_t* isSeen; // (triangleCount), caller's numbers
	uint32_t nodes, leaves, depth, partialLeaves;
} Walk;

// Goes down from the root on its own, without trusting parents, levels or the order of leaves.
static void WalkNode(Walk* walk, uint32_t slot, uint32_t level)
{
	const sgTree* tree = &walk->model->tree;
	assert_true(slot < tree->groupCount * SG_LANES);
	const sgNode* node = tree->nodes + slot;
	++walk->nodes;
	walk->depth = level > walk->depth ? level : walk->depth;
	assert_int_equal(node->level, level);
	if (node->childCount > 0)
	{
		assert_true(node->childCount <= SG_LANES && node->childCount >= 2);
		assert_int_equal(node->first % SG_LANES, 0);
		for (uint32_t i = 0; i < node->childCount; ++i)
		{
			WalkNode(walk, node->first + i, level + 1);
		}
		return;
	}
	const sgLeaf* leaf = tree->leaves + node->first;
	++walk->leaves;
	walk->partialLeaves += leaf->triangleCount < walk->model->treeDef.leafTriangles;
	for (uint32_t t = 0; t < leaf->triangleCount; ++t)
	{
		uint32_t triangle = tree->triangleMap[leaf->firstTriangle + t];
		assert_true(triangle < tree->triangleCount);
		assert_int_equal(walk->isSeen[triangle], 0);
		walk->isSeen[triangle] = 1;
	}
}

// The corners that a leaf stores lead back to the vertices that the caller gave, bit for bit and in order.
static void CheckCorners(const snugModel* model, const sceneMesh* mesh)
{
	const sgTree* tree = &model->tree;
	for (uint32_t i = 0; i < tree->leafCount; ++i)
	{
		const sgLeaf* leaf = tree->leaves + i;
		for (uint32_t t = 0; t < leaf->triangleCount; ++t)
		{
			for (uint32_t c = 0; c < 3; ++c)
			{
				uint32_t vertex = tree->leafVertices[leaf->firstVertex + leaf->corners[c][t]];
				uint32_t expected = mesh->triangles[3 * tree->triangleMap[leaf->firstTriangle + t] + c];
				assert_int_equal(tree->vertexMap[vertex], expected);
				assert_memory_equal(model->positions + 3 * (size_t)vertex, mesh->positions + 3 * (size_t)expected, 12);
			}
		}
	}
}

static void CheckModel(const snugModel* model, const sceneMesh* mesh)
{
	assert_null(Validate(model));
	snugModelInfo info = snugModel_GetInfo(model);
	assert_int_equal(info.triangleCount, mesh->triangleCount);
	assert_int_equal(info.vertexCount, mesh->vertexCount);
	Walk walk = { .model = model, .isSeen = calloc(mesh->triangleCount + 1, 1) };
	assert_non_null(walk.isSeen);
	WalkNode(&walk, 0, 0);
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		assert_int_equal(walk.isSeen[t], 1);
	}
	assert_int_equal(walk.nodes, info.nodeCount);
	assert_int_equal(walk.leaves, info.leafCount);
	assert_int_equal(walk.depth, info.depth);
	assert_true(walk.depth <= SG_MAX_DEPTH);
	assert_true(walk.partialLeaves <= 1); // leaves are full, but for the last
	free(walk.isSeen);
	CheckCorners(model, mesh);
	snugBody* body = MakeBody(model, NULL);
	assert_int_equal(snugBody_Validate(body, NULL), snug_success);
	snugBody_Destroy(body);
}

static void CheckMesh(const sceneMesh* mesh, snugTreeDef tree)
{
	snugModel* model = MakeModel(mesh, snug_free, tree);
	CheckModel(model, mesh);
	snugModel_Destroy(model);
}

static void CheckAllTrees(const sceneMesh* mesh)
{
	static const snugTreeDef trees[] = { { 0 }, { .leafTriangles = 1 }, { .leafTriangles = 2 },
		{ .leafTriangles = 3 } };
	for (size_t i = 0; i < LENGTH_OF(trees); ++i)
	{
		CheckMesh(mesh, trees[i]);
	}
}

static void random_meshes(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(600); ++i)
	{
		sceneRandom random = { seed + (uint64_t)i };
		sceneMesh mesh = RandomMesh(&random, (MeshKind)sceneRandom_Index(&random, MESH_KINDS));
		CheckMesh(&mesh, RandomTreeDef(&random));
		sceneMesh_Free(&mesh);
	}
}

// Every count around the sizes of leaves and families.
static void every_small_count(void** state)
{
	(void)state;
	for (uint32_t count = 0; count <= 150; ++count)
	{
		sceneMesh mesh = sceneMakeSoup(count, 0.1, count);
		CheckAllTrees(&mesh);
		sceneMesh_Free(&mesh);
	}
}

static uint32_t LargeCount(void)
{
	return TestScale() < 1.0 ? 5000 : 100000;
}

// No cut separates anything: a tree that insisted on it would never end or be as deep as the list is long.
static void all_triangles_equal(void** state)
{
	(void)state;
	sceneMesh mesh = sceneMesh_Allocate(3, LargeCount());
	memcpy(mesh.positions, (float[9]){ 0, 0, 0, 1, 0, 0, 0, 1, 0 }, 9 * sizeof(float));
	for (uint32_t i = 0; i < 3 * mesh.triangleCount; ++i)
	{
		mesh.triangles[i] = i % 3;
	}
	CheckAllTrees(&mesh);
	memset(mesh.triangles, 0, 3 * (size_t)mesh.triangleCount * sizeof(uint32_t)); // all one point
	CheckAllTrees(&mesh);
	sceneMesh_Free(&mesh);
}

static sceneMesh Points(uint32_t count)
{
	sceneMesh mesh = sceneMesh_Allocate(count, count);
	for (uint32_t i = 0; i < count; ++i)
	{
		mesh.triangles[3 * i] = mesh.triangles[3 * i + 1] = mesh.triangles[3 * i + 2] = i;
		mesh.positions[3 * i] = mesh.positions[3 * i + 1] = mesh.positions[3 * i + 2] = 0.0f;
	}
	return mesh;
}

// Each half of the space that is left holds one more triangle: cutting where areas are least gives a tree as deep as
// there are exponents. Would overflow a traversal's stack if depth were not limited.
static void geometric_progressions(void** state)
{
	(void)state;
	static const double ratios[] = { 0.5, 0.25, 0.9, 0.99, 2.0, 0x1p-8 };
	for (size_t r = 0; r < LENGTH_OF(ratios); ++r)
	{
		for (int axes = 1; axes <= 3; ++axes)
		{
			sceneMesh mesh = Points(20000);
			double x = ratios[r] > 1.0 ? 1e-40 : 1e35;
			for (uint32_t i = 0; i < mesh.vertexCount; ++i)
			{
				for (int k = 0; k < axes; ++k)
				{
					mesh.positions[3 * i + (uint32_t)k] = (float)x;
				}
				x *= ratios[r];
				x = x < 1e-45 || x > 1e35 ? (ratios[r] > 1.0 ? 1e-40 : 1e35) : x;
			}
			CheckMesh(&mesh, (snugTreeDef){ .leafTriangles = 1 });
			CheckMesh(&mesh, (snugTreeDef){ 0 });
			sceneMesh_Free(&mesh);
		}
	}
}

static void lines_planes_and_clusters(void** state)
{
	(void)state;
	for (int shape = 0; shape < 5; ++shape)
	{
		sceneMesh mesh = Points(8000);
		sceneRandom random = { TestSeed() };
		for (uint32_t i = 0; i < mesh.vertexCount; ++i)
		{
			float* p = mesh.positions + 3 * i;
			double t = sceneRandom_Unit(&random), u = sceneRandom_Unit(&random);
			switch (shape)
			{
				case 0: // a line along an axis
					p[1] = (float)t;
					break;
				case 1: // a slanted line
					p[0] = (float)t, p[1] = (float)(2.0 * t), p[2] = (float)(-t);
					break;
				case 2: // a plane
					p[0] = (float)t, p[2] = (float)u;
					break;
				case 3: // clusters of clusters, far apart for their size
					p[0] = (float)((i % 3) * 1e6 + (i % 5) * 10.0 + t * 1e-3);
					break;
				default: // one outlier
					p[0] = i == 77 ? SNUG_MAX_COORDINATE : (float)(t * 1e-30);
					break;
			}
		}
		CheckAllTrees(&mesh);
		sceneMesh_Free(&mesh);
	}
}

// The largest coordinates that are allowed, where squares and sums overflow float32.
static void huge_coordinates(void** state)
{
	(void)state;
	sceneMesh mesh = sceneMakeSoup(1000, 0.5, 11);
	for (size_t i = 0; i < 3 * (size_t)mesh.vertexCount; ++i)
	{
		mesh.positions[i] = fmaxf(-1.0f, fminf(1.0f, mesh.positions[i])) * SNUG_MAX_COORDINATE;
	}
	CheckAllTrees(&mesh);
	sceneMesh_Free(&mesh);
}

// --- Determinism ---------------------------------------------------------------------------------------------------

// Two builds give the same bytes, padding included: models can be compared and cached by content.
static void building_twice_gives_the_same_bytes(void** state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; ++seed)
	{
		sceneRandom random = { seed };
		sceneMesh mesh = RandomMesh(&random, (MeshKind)(seed % MESH_KINDS));
		snugTreeDef tree = RandomTreeDef(&random);
		// Fresh memory is full of rubbish, another kind each time.
		TestAllocator allocator = { 0 };
		snugModelDef def = MeshDef(&mesh, seed % 2 != 0 ? snug_free : snug_rigid, tree);
		snugModel *first = NULL, *second = NULL;
		assert_int_equal(snugModel_Create(&def, &first), snug_success);
		def.allocator = TestAllocator_Get(&allocator);
		assert_int_equal(snugModel_Create(&def, &second), snug_success);
		size_t firstBytes, secondBytes;
		const void* firstBlock = snugModel_GetBlock(first, &firstBytes);
		const void* secondBlock = snugModel_GetBlock(second, &secondBytes);
		assert_int_equal(firstBytes, secondBytes);
		assert_memory_equal(firstBlock, secondBlock, firstBytes);
		assert_int_equal((uintptr_t)firstBlock % 64, 0);
		snugModel_Destroy(first);
		snugModel_Destroy(second);
		assert_int_equal(allocator.live, 0);
		sceneMesh_Free(&mesh);
	}
}

// Strided input gives the same model as packed input.
static void strides_do_not_matter(void** state)
{
	(void)state;
	sceneMesh mesh = sceneMakeBlob(5, 3);
	float* positions = malloc(5 * sizeof(float) * mesh.vertexCount);
	uint32_t* triangles = malloc(4 * sizeof(uint32_t) * mesh.triangleCount);
	assert_true(positions != NULL && triangles != NULL);
	for (size_t v = 0; v < mesh.vertexCount; ++v)
	{
		memcpy(positions + 5 * v, mesh.positions + 3 * v, 3 * sizeof(float));
		positions[5 * v + 3] = positions[5 * v + 4] = NAN;
	}
	for (size_t t = 0; t < mesh.triangleCount; ++t)
	{
		memcpy(triangles + 4 * t, mesh.triangles + 3 * t, 3 * sizeof(uint32_t));
		triangles[4 * t + 3] = UINT32_MAX;
	}
	snugModel* packed = MakeModel(&mesh, snug_rigid, (snugTreeDef){ 0 });
	snugModelDef def = MeshDef(&mesh, snug_rigid, (snugTreeDef){ 0 });
	def.positions = positions;
	def.positionStride = 5 * sizeof(float);
	def.triangles = triangles;
	def.triangleStride = 4 * sizeof(uint32_t);
	snugModel* strided = NULL;
	assert_int_equal(snugModel_Create(&def, &strided), snug_success);
	size_t packedBytes, stridedBytes;
	const void* packedBlock = snugModel_GetBlock(packed, &packedBytes);
	const void* stridedBlock = snugModel_GetBlock(strided, &stridedBytes);
	assert_int_equal(packedBytes, stridedBytes);
	assert_memory_equal(packedBlock, stridedBlock, packedBytes);
	snugModel_Destroy(packed);
	snugModel_Destroy(strided);
	free(positions);
	free(triangles);
	sceneMesh_Free(&mesh);
}

// Too many is an error before anything is read.
static void too_many_is_an_error(void** state)
{
	(void)state;
	sceneMesh mesh = sceneMakeTriangle();
	snugModelDef def = MeshDef(&mesh, snug_rigid, (snugTreeDef){ 0 });
	snugModel* model = (snugModel*)&def;
	def.vertexCount = SNUG_MAX_COUNT + 1;
	assert_int_equal(snugModel_Create(&def, &model), snug_outOfRange);
	assert_null(model);
	def.vertexCount = mesh.vertexCount;
	def.triangleCount = SNUG_MAX_COUNT + 1;
	assert_int_equal(snugModel_Create(&def, &model), snug_outOfRange);
	def.triangleCount = UINT32_MAX;
	assert_int_equal(snugModel_Create(&def, &model), snug_outOfRange);
	assert_null(model);
	sceneMesh_Free(&mesh);
}

// --- Damage --------------------------------------------------------------------------------------------------------

static uint64_t accepted, refused;

// What the code relies on when it follows indices: if all of this holds, damage that was let through does no harm.
static void CheckHarmless(const snugModel* model)
{
	snugBody* body = MakeBody(model, NULL);
	sceneMesh tetrahedron = sceneMakeTetrahedron();
	Thing other = Thing_Make(tetrahedron, snug_rigid, (snugTreeDef){ 0 }, NULL);
	snugResult result = snugCollide(body, other.body, NULL);
	assert_int_equal(result.status, snug_success);
	float* positions = malloc(3 * (size_t)model->tree.vertexCount * sizeof(float) + 1);
	assert_non_null(positions);
	assert_int_equal(snugBody_GetVertices(body, NULL, positions, 0), snug_success);
	assert_int_equal(snugBody_SetVertices(body, positions, 0, 0, model->tree.vertexCount), snug_success);
	result = snugCollide(body, other.body, NULL);
	assert_int_equal(result.status, snug_success);
	assert_int_equal(snugBody_Validate(body, NULL), snug_success);
	free(positions);
	snugBody_Destroy(body);
	Thing_Free(&other);
}

// Whether the damage to `bytes` bytes at `field` (already done) is refused; if not, it must be harmless.
static bool IsRefused(const snugModel* model)
{
	if (Validate(model) != NULL)
	{
		++refused;
		return true;
	}
	++accepted;
	return false;
}

static void Damage(
    const snugModel* model, void* field, size_t bytes, sceneRandom* random, bool mustRefuse, const char* name)
{
	unsigned char kept[8];
	assert_true(bytes <= sizeof(kept));
	memcpy(kept, field, bytes);
	for (int kind = 0; kind < 8; ++kind)
	{
		uint64_t value = 0;
		memcpy(&value, kept, bytes);
		uint64_t values[8] = { value + 1, value - 1, 0, UINT64_MAX, value ^ 0x80, sceneRandom_Next(random),
			sceneRandom_Index(random, 64), value ^ ((uint64_t)1 << sceneRandom_Index(random, (uint32_t)(8 * bytes))) };
		memcpy(field, &values[kind], bytes);
		if (memcmp(field, kept, bytes) != 0 && !IsRefused(model))
		{
			if (mustRefuse)
			{
				print_error("SNUG_SEED=%llu: a wrong %s was accepted (%llu instead of %llu)\n",
				    (unsigned long long)TestSeed(), name, (unsigned long long)values[kind], (unsigned long long)value);
				fail();
			}
			CheckHarmless(model);
		}
		memcpy(field, kept, bytes);
	}
}

#define DAMAGE(model, object, field, random, mustRefuse) \
	Damage(model, &(object)->field, sizeof((object)->field), random, mustRefuse, #object "->" #field)

// Every field of every node and leaf, one at a time. Those that no code follows may pass, if what is left works:
// leafMask and level where there is no child; unused lanes of corners; depth above the real one; and a corner or leaf
// vertex that is another valid one, which makes another mesh.
static void single_damage_is_refused_or_harmless(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	static const snugTreeDef trees[] = { { .leafTriangles = 3 }, { .leafTriangles = 1 }, { 0 } };
	for (size_t variant = 0; variant < LENGTH_OF(trees); ++variant)
	{
		sceneMesh mesh = sceneMakeSoup(variant == 2 ? 200 : 40, 0.3, 1 + variant);
		snugModel* model = MakeModel(&mesh, snug_free, trees[variant]);
		assert_null(Validate(model));
		sgTree* tree = &model->tree;
		for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
		{
			sgNode* node = (sgNode*)(uintptr_t)(tree->nodes + slot);
			bool isInner = node->childCount > 0, isEmpty = !isInner && node->first == SG_NONE;
			DAMAGE(model, node, first, &random, true);
			DAMAGE(model, node, parent, &random, true);
			DAMAGE(model, node, childCount, &random, true);
			DAMAGE(model, node, leafMask, &random, isInner);
			DAMAGE(model, node, level, &random, !isEmpty);
			DAMAGE(model, node, reserved, &random, true);
		}
		for (uint32_t i = 0; i < tree->leafCount; ++i)
		{
			sgLeaf* leaf = (sgLeaf*)(uintptr_t)(tree->leaves + i);
			DAMAGE(model, leaf, slot, &random, true);
			DAMAGE(model, leaf, firstTriangle, &random, true);
			DAMAGE(model, leaf, firstVertex, &random, true);
			DAMAGE(model, leaf, triangleCount, &random, true);
			DAMAGE(model, leaf, vertexCount, &random, true);
			DAMAGE(model, leaf, reserved, &random, true);
		}
		for (uint32_t i = 0; i < tree->triangleCount; ++i)
		{
			Damage(model, (void*)(uintptr_t)(tree->triangleMap + i), sizeof(uint32_t), &random, true, "triangleMap");
		}
		for (uint32_t i = 0; i < tree->vertexCount; ++i)
		{
			Damage(model, (void*)(uintptr_t)(tree->vertexMap + i), sizeof(uint32_t), &random, true, "vertexMap");
		}
		DAMAGE(model, tree, nodeCount, &random, true);
		uint32_t depth = tree->depth;
		for (tree->depth = 0; tree->depth < depth; ++tree->depth)
		{
			assert_non_null(Validate(model));
		}
		tree->depth = SG_MAX_DEPTH + 1;
		assert_non_null(Validate(model));
		tree->depth = depth;
		assert_null(Validate(model));
		snugModel_Destroy(model);
		sceneMesh_Free(&mesh);
	}
	assert_true(refused > 1000);
	print_message("%llu damages refused, %llu harmless\n", (unsigned long long)refused, (unsigned long long)accepted);
}

// Indices that may be any vertex of the mesh or leaf: out of range is refused, in range is another mesh.
static void indices_out_of_range_are_refused(void** state)
{
	(void)state;
	sceneMesh mesh = sceneMakeBlob(3, 1);
	snugModel* model = MakeModel(&mesh, snug_free, (snugTreeDef){ .leafTriangles = 5 });
	sgTree* tree = &model->tree;
	for (uint32_t i = 0; i < tree->leafVertexCount + SG_LANES; ++i)
	{
		uint32_t* vertex = (uint32_t*)(uintptr_t)(tree->leafVertices + i);
		uint32_t kept = *vertex;
		*vertex = tree->vertexCount;
		assert_non_null(Validate(model));
		*vertex = UINT32_MAX;
		assert_non_null(Validate(model));
		*vertex = kept;
	}
	for (uint32_t i = 0; i < tree->leafCount; ++i)
	{
		sgLeaf* leaf = (sgLeaf*)(uintptr_t)(tree->leaves + i);
		for (int k = 0; k < 3 * SG_MAX_LEAF_TRIANGLES; ++k)
		{
			uint8_t* corner = &leaf->corners[k / SG_MAX_LEAF_TRIANGLES][k % SG_MAX_LEAF_TRIANGLES];
			uint8_t kept = *corner;
			*corner = leaf->vertexCount;
			assert_non_null(Validate(model));
			*corner = 255;
			assert_non_null(Validate(model));
			*corner = kept;
		}
	}
	assert_null(Validate(model));
	snugModel_Destroy(model);
	sceneMesh_Free(&mesh);
}

// Two damages that hide each other: subtrees exchanged, so that all counts stay right but leaves are out of order.
static void exchanged_subtrees_are_refused(void** state)
{
	(void)state;
	sceneMesh mesh = sceneMakeSoup(64, 0.3, 1);
	snugModel* model = MakeModel(&mesh, snug_rigid, (snugTreeDef){ .leafTriangles = 1 });
	sgTree* tree = &model->tree;
	sgNode* nodes = (sgNode*)(uintptr_t)tree->nodes;
	sgNode *left = nodes + nodes[0].first, *right = left + 1;
	assert_true(left->childCount == SG_LANES && right->childCount == SG_LANES);
	uint32_t first = left->first;
	left->first = right->first;
	right->first = first;
	for (uint32_t i = 0; i < SG_LANES; ++i)
	{
		nodes[left->first + i].parent = (uint32_t)(left - nodes);
		nodes[right->first + i].parent = (uint32_t)(right - nodes);
	}
	assert_non_null(Validate(model));
	snugModel_Destroy(model);
	sceneMesh_Free(&mesh);
}

// A family that does not begin a group: every index is right, but it is not where a group is looked at from, or lies
// across the border of two.
static void families_out_of_line_are_refused(void** state)
{
	(void)state;
	sceneMesh mesh = sceneMakeSoup(16, 0.3, 1);
	snugModel* model = MakeModel(&mesh, snug_rigid, (snugTreeDef){ 0 });
	sgTree* tree = &model->tree;
	assert_int_equal(tree->leafCount, 2);
	const sgNode* old = tree->nodes;
	for (uint32_t first = 1; first < 2 * SG_LANES - 1; ++first)
	{
		sgNode nodes[2 * SG_LANES];
		for (uint32_t slot = 0; slot < 2 * SG_LANES; ++slot)
		{
			nodes[slot] = (sgNode){ .first = SG_NONE, .parent = SG_NONE };
		}
		nodes[0] = old[0];
		nodes[0].first = first;
		for (uint32_t i = 0; i < 2; ++i)
		{
			nodes[first + i] = old[old[0].first + i];
			((sgLeaf*)(uintptr_t)tree->leaves)[nodes[first + i].first].slot = first + i;
		}
		tree->nodes = nodes;
		tree->groupCount = 2;
		assert_int_equal(Validate(model) != NULL, first != SG_LANES);
		tree->nodes = old;
	}
	snugModel_Destroy(model);
	sceneMesh_Free(&mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_meshes),
		cmocka_unit_test(every_small_count),
		cmocka_unit_test(all_triangles_equal),
		cmocka_unit_test(geometric_progressions),
		cmocka_unit_test(lines_planes_and_clusters),
		cmocka_unit_test(huge_coordinates),
		cmocka_unit_test(building_twice_gives_the_same_bytes),
		cmocka_unit_test(strides_do_not_matter),
		cmocka_unit_test(too_many_is_an_error),
		cmocka_unit_test(single_damage_is_refused_or_harmless),
		cmocka_unit_test(indices_out_of_range_are_refused),
		cmocka_unit_test(exchanged_subtrees_are_refused),
		cmocka_unit_test(families_out_of_line_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
