// test/model/test_contents.c: what a model says that it holds, against what went into its definition.
#include "fields_support.h"
#include "linear_support.h"
#include "model/contents.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- Mesh, weights, fields ------------------------------------------------------------------------------------------

#define PADDED 5 // floats or numbers from one to the next, where strides are asked for

static void AssertMesh(const snugModel* model, const sceneMesh* mesh)
{
	float* positions = calloc(PADDED * (size_t)mesh->vertexCount + 1, sizeof(float));
	uint32_t* triangles = calloc(PADDED * (size_t)mesh->triangleCount + 1, sizeof(uint32_t));
	for (size_t width = 3; width <= PADDED; width += 2)
	{
		assert_int_equal(snugModel_GetPositions(model, positions, width == 3 ? 0 : 4 * width), snug_success);
		assert_int_equal(snugModel_GetTriangles(model, triangles, width == 3 ? 0 : 4 * width), snug_success);
		for (size_t v = 0; v < mesh->vertexCount; ++v)
		{
			assert_memory_equal(positions + width * v, mesh->positions + 3 * v, 3 * sizeof(float));
		}
		for (size_t t = 0; t < mesh->triangleCount; ++t)
		{
			assert_memory_equal(triangles + width * t, mesh->triangles + 3 * t, 3 * sizeof(uint32_t));
		}
	}
	free(positions);
	free(triangles);
}

// What the header says of weights, in long double: those for a joint added up, all divided by their sum; a vertex
// without any follows its first joint.
static void AssertVertexWeights(const Skin* skin, uint32_t v, const uint16_t* joints, const float* weights, uint32_t n)
{
	long double* sums = calloc(skin->transformCount, sizeof(long double));
	long double sum = 0.0L;
	for (uint32_t k = skin->starts[v]; k < skin->starts[v + 1]; ++k)
	{
		sums[skin->transforms[k]] += (long double)skin->weights[k];
		sum += (long double)skin->weights[k];
	}
	if (sum == 0.0L)
	{
		sums[skin->transforms[skin->starts[v]]] = sum = 1.0L;
	}
	uint32_t found = 0;
	for (uint32_t j = 0; j < skin->transformCount; ++j)
	{
		bool isThere = found < n && joints[found] == j;
		// One rounding to float, after a few in double.
		long double expected = sums[j] / sum, error = expected * 0x1.01p-24L + 0x1p-149L;
		assert_true(fabsl((isThere ? (long double)weights[found] : 0.0L) - expected) <= error);
		assert_true(!isThere || weights[found] > 0.0f);
		found += isThere;
	}
	assert_int_equal(found, n); // so they are ascending, and no joint is there twice
	free(sums);
}

static void AssertWeights(const snugModel* model, const Skin* skin)
{
	snugModelInfo info = snugModel_GetInfo(model);
	uint32_t* starts = malloc(((size_t)info.vertexCount + 1) * sizeof(uint32_t));
	uint16_t* joints = malloc(((size_t)info.influenceCount + 1) * sizeof(uint16_t));
	float* weights = malloc(((size_t)info.influenceCount + 1) * sizeof(float));
	joints[info.influenceCount] = 54321;
	weights[info.influenceCount] = 5.0f;
	assert_int_equal(snugModel_GetWeights(model, starts, joints, weights), snug_success);
	assert_int_equal(starts[0], 0);
	assert_int_equal(starts[info.vertexCount], info.influenceCount);
	assert_true(joints[info.influenceCount] == 54321 && weights[info.influenceCount] == 5.0f);
	uint32_t most = 0;
	for (uint32_t v = 0; skin != NULL && v < info.vertexCount; ++v)
	{
		uint32_t count = starts[v + 1] - starts[v];
		AssertVertexWeights(skin, v, joints + starts[v], weights + starts[v], count);
		most = count > most ? count : most;
	}
	assert_int_equal(info.maxInfluences, most);
	assert_int_equal(info.jointCount, skin != NULL ? skin->transformCount : 0);
	free(starts);
	free(joints);
	free(weights);
}

// The displacement of a vertex in a field, as the definition has it.
static const float* GivenDisplacement(const FieldSet* set, uint32_t vertexCount, uint32_t v, uint32_t f)
{
	static const float none[3] = { 0.0f, 0.0f, 0.0f };
	if (set->starts == NULL)
	{
		return set->displacements + 3 * ((size_t)f * vertexCount + v);
	}
	for (uint32_t k = set->starts[v]; k < set->starts[v + 1]; ++k)
	{
		if (set->fields[k] == f)
		{
			return set->displacements + 3 * (size_t)k;
		}
	}
	return none;
}

static void AssertFields(const snugModel* model, const FieldSet* set)
{
	snugModelInfo info = snugModel_GetInfo(model);
	uint32_t* starts = malloc(((size_t)info.vertexCount + 1) * sizeof(uint32_t));
	uint16_t* fields = malloc(((size_t)info.displacementCount + 1) * sizeof(uint16_t));
	float* values = malloc(((size_t)info.displacementCount + 1) * 3 * sizeof(float));
	assert_int_equal(snugModel_GetFields(model, starts, fields, values), snug_success);
	assert_int_equal(info.fieldCount, set != NULL ? set->fieldCount : 0);
	uint32_t k = 0;
	for (uint32_t v = 0; v < info.vertexCount; ++v)
	{
		assert_int_equal(starts[v], k);
		for (uint32_t f = 0; set != NULL && f < set->fieldCount; ++f)
		{
			const float* given = GivenDisplacement(set, info.vertexCount, v, f);
			if (given[0] != 0.0f || given[1] != 0.0f || given[2] != 0.0f)
			{
				assert_true(k < info.displacementCount && fields[k] == f);
				assert_memory_equal(values + 3 * (size_t)k, given, 3 * sizeof(float));
				++k;
			}
		}
	}
	assert_int_equal(starts[info.vertexCount], k);
	assert_int_equal(info.displacementCount, k);
	free(starts);
	free(fields);
	free(values);
}

static void AssertJointPositions(const snugModel* model, const float* given, uint32_t count)
{
	float* found = malloc((3 * (size_t)count + 1) * sizeof(float));
	found[3 * (size_t)count] = 5.0f;
	uint32_t there = 1;
	assert_int_equal(snugModel_GetJointPositions(model, NULL, 0, &there), snug_success);
	assert_int_equal(there, count);
	assert_int_equal(snugModel_GetJointPositions(model, found, count + 9, &there), snug_success);
	assert_int_equal(there, count);
	assert_memory_equal(found, given, 3 * (size_t)count * sizeof(float));
	assert_true(found[3 * (size_t)count] == 5.0f);
	free(found);
}

// The numbers that a model keeps of itself, against a walk over all that they count. Those of weights and displacements
// are compared above.
static void AssertCounts(const snugModel* model, const snugModelDef* def)
{
	const snugModelInfo info = snugModel_GetInfo(model);
	const sgContents contents = sgModel_Describe(model);
	const sgTree* tree = &model->tree;
	uint32_t nodes = 0, leaves = 0, depth = 0;
	for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
	{
		const sgNode* node = tree->nodes + slot;
		const bool isNode = node->first != SG_NONE;
		nodes += isNode;
		leaves += isNode && node->childCount == 0;
		depth = isNode && node->level > depth ? node->level : depth;
	}
	size_t bytes;
	snugModel_GetBlock(model, &bytes);
	assert_int_equal(info.nodeCount, nodes);
	assert_int_equal(info.leafCount, leaves);
	assert_int_equal(info.depth, depth);
	assert_int_equal(info.bytes, bytes);
	assert_int_equal(info.vertexCount, def->vertexCount);
	assert_int_equal(info.triangleCount, def->triangleCount);
	assert_int_equal(info.restMeshBytes, 12 * (def->vertexCount + def->triangleCount));
	assert_int_equal(info.deformer, def->deformer);
	assert_int_equal(info.blending, def->deformer == snug_skin ? def->skin.blending : snug_blendLinear);
	assert_int_equal(info.tree.leafTriangles, model->treeDef.leafTriangles);
	assert_int_equal(info.jointCount, contents.jointCount);
	assert_int_equal(info.fieldCount, contents.fieldCount);
	assert_int_equal(info.influenceCount, contents.influenceCount);
	assert_int_equal(info.maxInfluences, contents.maxInfluences);
	assert_int_equal(info.displacementCount, contents.displacementCount);
}

// Some joints twice for a vertex, some vertices without any weight.
static void AddRepairs(sceneRandom* random, const Skin* skin, uint32_t vertexCount)
{
	for (uint32_t v = 0; v < vertexCount; ++v)
	{
		uint32_t first = skin->starts[v], count = skin->starts[v + 1] - first;
		uint32_t chance = sceneRandom_Index(random, 8);
		if (chance == 0 && count > 1)
		{
			skin->transforms[first + count - 1] = skin->transforms[first];
		}
		for (uint32_t k = first; chance == 1 && k < first + count; ++k)
		{
			skin->weights[k] = 0.0f;
		}
	}
}

// What goes in comes out, of every deformer, in the numbering of the definition, before and after saving.
static void models_know_what_they_are_made_of(void** state)
{
	(void)state;
	for (int i = 0; i < TestCount(60); ++i)
	{
		sceneRandom random = { TestSeed() + (uint64_t)i };
		Mover deformer = (Mover)(i % 6);
		bool isSkin = Mover_IsSkin(deformer);
		bool hasFields = deformer == snug_fields || (isSkin && i / 6 % 2 != 0);
		sceneMesh mesh = RandomMesh(&random, (MeshKind)sceneRandom_Index(&random, MESH_KINDS));
		Skin skin = RandomSkin(&random, &mesh);
		AddRepairs(&random, &skin, mesh.vertexCount);
		FieldSet set = RandomFields(&random, &mesh, 1.0);
		float* places = malloc(3 * (size_t)skin.transformCount * sizeof(float));
		for (uint32_t k = 0; k < 3 * skin.transformCount; ++k)
		{
			places[k] = (float)sceneRandom_Range(&random, -1.0, 1.0);
		}
		snugModelDef def = hasFields ? FieldsDef(&mesh, &set, RandomTreeDef(&random))
		                             : MeshDef(&mesh, deformer, RandomTreeDef(&random));
		def.deformer = Mover_Deformer(deformer);
		if (isSkin)
		{
			def.skin = Skin_Def(&skin);
			def.skin.blending = Mover_Blending(deformer);
			def.skin.jointPositions = places;
		}
		snugModel* models[3];
		assert_int_equal(snugModel_Create(&def, &models[2]), snug_success);
		size_t bytes;
		const void* block = snugModel_GetBlock(models[2], &bytes);
		assert_int_equal(snugModel_LoadMemory(block, bytes, NULL, &models[0]), snug_success);
		assert_int_equal(
		    snugModel_LoadMemory(block, bytes, &(snugLoadDef){ .inPlace = true }, &models[1]), snug_success);
		for (int k = 0; k < 3; ++k)
		{
			AssertCounts(models[k], &def);
			AssertMesh(models[k], &mesh);
			AssertWeights(models[k], isSkin ? &skin : NULL);
			AssertFields(models[k], hasFields ? &set : NULL);
			AssertJointPositions(models[k], places, isSkin && deformer != snug_skin ? skin.transformCount : 0);
			snugModel_Destroy(models[k]);
		}
		free(places);
		Skin_Free(&skin);
		FieldSet_Free(&set);
		sceneMesh_Free(&mesh);
	}
}

// --- The shared library's users -------------------------------------------------------------------------------------

// Sizes of what crosses the border of the shared library, on 64-bit machines. A change breaks programs that are linked
// to it: use a reserved member instead, or raise the version that the library's file name carries.
#define ASSERT_SIZE(type, bytes) _Static_assert(sizeof(void*) != 8 || sizeof(type) == (bytes), #type)
ASSERT_SIZE(snugMessenger, 16);
ASSERT_SIZE(snugAllocator, 24);
ASSERT_SIZE(snugTreeDef, 32);
ASSERT_SIZE(snugSkinDef, 80);
ASSERT_SIZE(snugFieldsDef, 64);
ASSERT_SIZE(snugModelDef, 344);
ASSERT_SIZE(snugModelInfo, 160);
ASSERT_SIZE(snugLoadDef, 72);
ASSERT_SIZE(snugBodyDef, 96);
ASSERT_SIZE(snugFrame, 56);
ASSERT_SIZE(snugMeshlessNode, 60);
ASSERT_SIZE(snugBounds, 40);
ASSERT_SIZE(snugPlane, 32);
ASSERT_SIZE(snugValidation, 64);
ASSERT_SIZE(snugPair, 8);
ASSERT_SIZE(snugQuery, 152);
ASSERT_SIZE(snugCounters, 96);
ASSERT_SIZE(snugResult, 144);
ASSERT_SIZE(snugPoolDef, 80);

static void AssertZero(const void* memory, size_t bytes)
{
	for (size_t i = 0; i < bytes; ++i)
	{
		assert_int_equal(((const unsigned char*)memory)[i], 0);
	}
}

// What is returned has zeros in reserve, also where it lay on something else before.
static void reserved_members_come_back_as_zero(void** state)
{
	(void)state;
	Thing a = Thing_Make(sceneMakeBlob(4, 1), snug_rigid, (snugTreeDef){ 0 }, NULL);
	Thing b = Thing_Make(sceneMakeBlob(4, 2), snug_rigid, (snugTreeDef){ 0 }, NULL);
	snugModelInfo info = snugModel_GetInfo(a.model);
	AssertZero(info.reserved, sizeof(info.reserved));
	AssertZero(info.tree.reserved, sizeof(info.tree.reserved));
	snugResult result = snugCollide(a.body, b.body, NULL);
	assert_true(result.count > 0);
	AssertZero(result.reserved, sizeof(result.reserved));
	AssertZero(result.counters.reserved, sizeof(result.counters.reserved));
	snugValidation validation;
	memset(&validation, 0xff, sizeof(validation));
	assert_int_equal(snugBody_Validate(a.body, &validation), snug_success);
	AssertZero(validation.reserved, sizeof(validation.reserved));
	Thing_Free(&a);
	Thing_Free(&b);
}

// Frequencies are kept, saved and loaded; a block without them has the bytes that it always had; and a file that says
// that there are more or fewer of them is refused.
static void models_keep_frequencies(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	sceneMesh mesh = RandomMesh(&random, mesh_blob);
	FieldSet set = RandomFields(&random, &mesh, 1.0);
	snugModelDef def = FieldsDef(&mesh, &set, (snugTreeDef){ 0 });
	float* frequencies = malloc(2 * set.fieldCount * sizeof(float));
	assert_non_null(frequencies);
	for (uint32_t i = 0; i < set.fieldCount; ++i)
	{
		frequencies[i] = 10.5f * (float)(i + 1);
	}
	snugModel *without = NULL, *with = NULL, *loaded = NULL;
	assert_int_equal(snugModel_Create(&def, &without), snug_success);
	def.fields.frequencies = frequencies;
	assert_int_equal(snugModel_Create(&def, &with), snug_success);
	uint32_t count = 9;
	assert_int_equal(snugModel_GetFrequencies(without, NULL, 0, &count), snug_success);
	assert_int_equal(count, 0);
	assert_int_equal(snugModel_GetFrequencies(with, NULL, 0, &count), snug_success);
	assert_int_equal(count, set.fieldCount);
	size_t bytes, fewer;
	const void* block = snugModel_GetBlock(with, &bytes);
	snugModel_GetBlock(without, &fewer);
	assert_true(bytes > fewer);
	assert_int_equal(snugModel_LoadMemory(block, bytes, &(snugLoadDef){ 0 }, &loaded), snug_success);
	assert_int_equal(snugModel_GetFrequencies(loaded, frequencies + set.fieldCount, count, &count), snug_success);
	assert_int_equal(count, set.fieldCount);
	assert_memory_equal(frequencies, frequencies + set.fieldCount, set.fieldCount * sizeof(float));
	snugModel_Destroy(loaded);
	unsigned char* copy = malloc(bytes);
	assert_non_null(copy);
	const uint32_t extras = 384 + 9 * 4; // of the table of counts
	for (uint32_t other = 0; other < 2 * set.fieldCount + 8; ++other)
	{
		memcpy(copy, block, bytes);
		uint32_t* value = (uint32_t*)(void*)(copy + extras);
		bool isSame = *value == other;
		*value = other;
		RepairChecksum(copy, bytes);
		snugStatus status = snugModel_LoadMemory(copy, bytes, &(snugLoadDef){ 0 }, &loaded);
		assert_int_equal(status, isSame ? snug_success : snug_badFile);
		snugModel_Destroy(loaded);
	}
	frequencies[0] = NAN;
	assert_int_equal(snugModel_Create(&def, &loaded), snug_badInput);
	free(copy);
	free(frequencies);
	snugModel_Destroy(with);
	snugModel_Destroy(without);
	FieldSet_Free(&set);
	sceneMesh_Free(&mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(models_know_what_they_are_made_of),
		cmocka_unit_test(reserved_members_come_back_as_zero),
		cmocka_unit_test(models_keep_frequencies),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
