// test/model/test_model_file.c: models as bytes: what is saved comes back, and what is damaged or hostile does not get
// in.
//
// The checksum finds accidents; so that the checks behind it are tested too, most damage here has its checksum
// repaired. `test_model_file --corpus DIRECTORY` writes seeds for test/fuzz/fuzz_model_file.c.
#define _DEFAULT_SOURCE // symlink
#include "fields_support.h"
#include "linear_support.h"

#include "base/checksum.h"
#include "model/block.h"
#include "model/contents.h"
#include "snug/snug_queries.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char* const path = "test_model_file.snug";

// A skin of any kind, with any bound. Some have fields.
static snugModel* MakeSkinModel(sceneRandom* random, const sceneMesh* mesh, uint32_t number)
{
	static const Mover deformers[] = { snug_skin, mover_spherical, mover_dualQuaternion };
	Skin skin = RandomSkin(random, mesh);
	FieldSet set = RandomFields(random, mesh, 1.0);
	snugModelDef def = MeshDef(mesh, deformers[number / 5 % 3], RandomTreeDef(random));
	def.skin = Skin_Def(&skin);
	def.skin.blending = Mover_Blending(deformers[number / 5 % 3]);
	if (sceneRandom_Index(random, 2) != 0)
	{
		def.fields = FieldSet_Def(&set);
	}
	snugModel* model = NULL;
	assert_int_equal(snugModel_Create(&def, &model), snug_success);
	Skin_Free(&skin);
	FieldSet_Free(&set);
	return model;
}

static snugModel* MakeFieldsModel(sceneRandom* random, const sceneMesh* mesh)
{
	FieldSet set = RandomFields(random, mesh, 1.0);
	snugModelDef def = FieldsDef(mesh, &set, RandomTreeDef(random));
	def.certificates = mesh->triangleCount % 2 == 0;
	snugModel* model = NULL;
	assert_int_equal(snugModel_Create(&def, &model), snug_success);
	FieldSet_Free(&set);
	return model;
}

static snugModel* MakeSample(uint32_t number)
{
	sceneRandom random = { number };
	sceneMesh mesh = RandomMesh(&random, (MeshKind)(number % MESH_KINDS));
	Mover deformer = number % 3 == 0 ? snug_rigid : snug_free;
	snugModel* model = number % 5 == 4   ? MakeSkinModel(&random, &mesh, number)
	                   : number % 5 == 3 ? MakeFieldsModel(&random, &mesh)
	                                     : MakeModel(&mesh, deformer, RandomTreeDef(&random));
	sceneMesh_Free(&mesh);
	return model;
}

static void AssertSameModel(const snugModel* first, const snugModel* second)
{
	size_t firstBytes, secondBytes;
	const void* firstBlock = snugModel_GetBlock(first, &firstBytes);
	const void* secondBlock = snugModel_GetBlock(second, &secondBytes);
	assert_int_equal(firstBytes, secondBytes);
	assert_memory_equal(firstBlock, secondBlock, firstBytes);
	snugModelInfo firstInfo = snugModel_GetInfo(first), secondInfo = snugModel_GetInfo(second);
	assert_int_equal(firstInfo.nodeCount, secondInfo.nodeCount);
	assert_int_equal(firstInfo.leafCount, secondInfo.leafCount);
	assert_int_equal(firstInfo.depth, secondInfo.depth);
	assert_int_equal(firstInfo.deformer, secondInfo.deformer);
	assert_int_equal(firstInfo.tree.leafTriangles, secondInfo.tree.leafTriangles);
}

// Whole rounds: the block from an unaligned address, the file, and the same pairs from all three.
static void round_trips(void** state)
{
	(void)state;
	sceneMesh probeMesh = sceneMakeBlob(4, 99);
	Thing probe = Thing_Make(probeMesh, snug_rigid, (snugTreeDef){ 0 }, NULL);
	Place(probe.body, 0.3, 0.2, 0.1);
	for (uint32_t i = 0; i < 56; ++i)
	{
		snugModel *model = MakeSample(i), *fromMemory = NULL, *fromFile = NULL;
		size_t bytes;
		const void* block = snugModel_GetBlock(model, &bytes);
		assert_int_equal(bytes, snugModel_GetInfo(model).bytes);
		char* copy = malloc(bytes + 1);
		assert_non_null(copy);
		memcpy(copy + 1, block, bytes);
		assert_int_equal(snugModel_LoadMemory(copy + 1, bytes, NULL, &fromMemory), snug_success);
		memset(copy, 0xee, bytes + 1); // it was copied
		free(copy);
		assert_int_equal(snugModel_SaveFile(model, path), snug_success);
		assert_int_equal(snugModel_LoadFile(path, NULL, &fromFile), snug_success);
		AssertSameModel(model, fromMemory);
		AssertSameModel(model, fromFile);
		snugBody *a = MakeBody(model, NULL), *b = MakeBody(fromMemory, NULL), *c = MakeBody(fromFile, NULL);
		PairList expected = CollideAll(a, probe.body, NULL);
		PairList second = CollideAll(b, probe.body, NULL), third = CollideAll(c, probe.body, NULL);
		AssertSamePairs("loaded from memory", i, &expected, &second);
		AssertSamePairs("loaded from a file", i, &expected, &third);
		PairList_Free(&expected);
		PairList_Free(&second);
		PairList_Free(&third);
		snugBody_Destroy(a);
		snugBody_Destroy(b);
		snugBody_Destroy(c);
		snugModel_Destroy(model);
		snugModel_Destroy(fromMemory);
		snugModel_Destroy(fromFile);
	}
	remove(path);
	Thing_Free(&probe);
}

// --- Damage --------------------------------------------------------------------------------------------------------

typedef struct Sample
{
	unsigned char* block;
	size_t bytes;
} Sample;

static Sample GetSample(uint32_t number)
{
	snugModel* model = MakeSample(number);
	Sample sample;
	const void* block = snugModel_GetBlock(model, &sample.bytes);
	sample.block = malloc(sample.bytes);
	assert_non_null(sample.block);
	memcpy(sample.block, block, sample.bytes);
	snugModel_Destroy(model);
	return sample;
}

// Some pose: every transform another shear, so that bounds are not those at rest.
static void PoseBlend(snugBody* body, uint32_t transformCount)
{
	float* matrices = malloc(12 * (size_t)transformCount * sizeof(float));
	assert_non_null(matrices);
	for (size_t i = 0; i < 12 * (size_t)transformCount; ++i)
	{
		matrices[i] = (i % 12) % 5 == 0 ? 1.0f : (float)(i % 7) * 0.1f;
	}
	snugStatus status = snugBody_SetJoints(body, matrices, 0, transformCount);
	assert_true(status == snug_success || status == snug_outOfRange);
	free(matrices);
}

// Some amplitudes, so that bounds are not those at rest.
static void SetFields(snugBody* body, uint32_t fieldCount)
{
	float* amplitudes = malloc(((size_t)fieldCount + 1) * sizeof(float));
	assert_non_null(amplitudes);
	for (uint32_t f = 0; f < fieldCount; ++f)
	{
		amplitudes[f] = (float)(f % 5) * 0.25f - 0.4f;
	}
	snugStatus status = snugBody_SetAmplitudes(body, amplitudes, fieldCount);
	assert_true(status == snug_success || status == snug_outOfRange);
	free(amplitudes);
}

// What a model says of itself fits into the room that it says it needs.
static void ReadContents(const snugModel* model, const snugModelInfo* info)
{
	uint32_t* starts = malloc(((size_t)info->vertexCount + 1) * sizeof(uint32_t));
	uint16_t* numbers = malloc(((size_t)info->influenceCount + info->displacementCount) * sizeof(uint16_t) + 1);
	float* values = malloc(((size_t)info->influenceCount + 3 * (size_t)info->displacementCount) * sizeof(float) + 1);
	assert_true(starts != NULL && numbers != NULL && values != NULL);
	assert_int_equal(snugModel_GetTwins(model, starts), snug_success);
	assert_int_equal(snugModel_GetWeights(model, starts, numbers, values), snug_success);
	assert_int_equal(starts[info->vertexCount], info->influenceCount);
	assert_int_equal(snugModel_GetFields(model, starts, numbers, values), snug_success);
	assert_int_equal(starts[info->vertexCount], info->displacementCount);
	free(starts);
	free(numbers);
	free(values);
}

// Bounds hold, but for those that a file has the numbers of: that these are right is not checked when it is loaded.
static void Validate(snugBody* body)
{
	Mover deformer = MoverOf(snugBody_GetModel(body));
	snugStatus status = snugBody_Validate(body, NULL);
	bool mayBeWrong = deformer != snug_rigid && deformer != snug_free && status == snug_invalidBounds;
	assert_true(status == snug_success || mayBeWrong);
}

// Load a block that may be damaged, from memory of exactly its size. If it gets in, it must work: queries and poses
// do, and it saves what it loaded.
static snugStatus Try(const void* block, size_t bytes)
{
	TestAllocator allocator = { 0 };
	TestMessages messages = { 0 };
	snugLoadDef def = { .allocator = TestAllocator_Get(&allocator), .messenger = TestMessages_Get(&messages) };
	snugModel* model = (snugModel*)&def;
	unsigned char* copy = malloc(bytes + (bytes == 0));
	assert_non_null(copy);
	memcpy(copy, block, bytes);
	snugStatus status = snugModel_LoadMemory(copy, bytes, &def, &model);
	free(copy);
	if (status != snug_success)
	{
		assert_null(model);
		assert_true(status == snug_badFile || status == snug_unsupportedVersion);
		assert_int_equal(messages.count, 1);
		assert_true(strlen(messages.last) > 0);
		assert_int_equal(allocator.live, 0);
		return status;
	}
	assert_int_equal(messages.count, 0);
	snugModelInfo info = snugModel_GetInfo(model);
	Thing probe = Thing_Make(sceneMakeTetrahedron(), snug_rigid, (snugTreeDef){ 0 }, NULL);
	snugBody* body = MakeBody(model, NULL);
	Validate(body);
	snugResult result = snugCollide(body, probe.body, NULL);
	snugFrame frame = { .position = { 0.1, 0.2, 0.3 }, .rotation = { 0.6, 0.0, 0.0, 0.8 } };
	assert_int_equal(snugBody_SetFrame(body, &frame), snug_success);
	result = snugCollide(body, probe.body, NULL);
	result = snugCollide(probe.body, body, NULL);
	assert_true(result.status == snug_success || result.status == snug_outOfRange);
	ReadContents(model, &info);
	float* positions = malloc(3 * (size_t)info.vertexCount * sizeof(float) + 1);
	assert_non_null(positions);
	if (info.deformer == snug_free)
	{
		memset(positions, 0, 3 * (size_t)info.vertexCount * sizeof(float));
		assert_int_equal(snugBody_SetVertices(body, positions, 0, 0, info.vertexCount), snug_success);
		Validate(body);
		assert_int_equal(snugCollide(body, probe.body, NULL).status, snug_success);
	}
	if (info.jointCount > 0)
	{
		PoseBlend(body, info.jointCount);
		Validate(body);
		if (info.fieldCount > 0)
		{
			SetFields(body, info.fieldCount);
			Validate(body);
		}
		result = snugCollide(body, probe.body, NULL);
		assert_true(result.status == snug_success || result.status == snug_outOfRange);
	}
	if (info.deformer == snug_fields)
	{
		SetFields(body, info.fieldCount);
		Validate(body);
		result = snugCollide(body, probe.body, NULL);
		assert_true(result.status == snug_success || result.status == snug_outOfRange);
		assert_int_equal(snugCollideSelf(body, NULL).status, snug_success);
	}
	snugStatus vertexStatus = snugBody_GetVertices(body, NULL, positions, 0);
	assert_true(vertexStatus == snug_success || vertexStatus == snug_outOfRange);
	free(positions);
	snugBody_Destroy(body);
	Thing_Free(&probe);
	snugModel_Destroy(model);
	assert_int_equal(allocator.live, 0);
	assert_int_equal(allocator.faults, 0);
	return snug_success;
}

// Every length but the right one, with and without the size in the header and the checksum made to fit.
static void truncated_blocks_are_refused(void** state)
{
	(void)state;
	for (uint32_t number = 0; number < 14; ++number)
	{
		Sample sample = GetSample(number);
		size_t step = sample.bytes < 8000 ? 1 : sample.bytes / (size_t)TestCount(500) + 1;
		for (size_t bytes = 0; bytes < sample.bytes; bytes += bytes < 512 ? 1 : step)
		{
			assert_int_equal(Try(sample.block, bytes), snug_badFile);
			unsigned char* copy = malloc(bytes + 1);
			assert_non_null(copy);
			memcpy(copy, sample.block, bytes);
			uint64_t size = bytes;
			if (bytes >= 24)
			{
				memcpy(copy + 16, &size, sizeof(size));
			}
			RepairChecksum(copy, bytes);
			assert_int_equal(Try(copy, bytes), snug_badFile);
			free(copy);
		}
		unsigned char* longer = calloc(1, sample.bytes + 64);
		assert_non_null(longer);
		memcpy(longer, sample.block, sample.bytes);
		assert_int_equal(Try(longer, sample.bytes + 1), snug_badFile);
		assert_int_equal(Try(longer, sample.bytes + 64), snug_badFile);
		free(longer);
		free(sample.block);
	}
}

// Any single byte changed: the checksum finds it. Would catch a part of the block that the checksum leaves out.
static void every_changed_byte_is_found(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	for (uint32_t number = 0; number < 14; ++number)
	{
		Sample sample = GetSample(number);
		size_t step = sample.bytes / (size_t)TestCount(3000) + 1;
		for (size_t i = 0; i < sample.bytes; i += i < 512 ? 1 : step)
		{
			unsigned char kept = sample.block[i];
			sample.block[i] ^= (unsigned char)(1 + sceneRandom_Index(&random, 255));
			assert_int_not_equal(Try(sample.block, sample.bytes), snug_success);
			sample.block[i] = kept;
		}
		assert_int_equal(Try(sample.block, sample.bytes), snug_success);
		free(sample.block);
	}
}

// The checksum by itself, for every length: each byte counts, and so does the length.
static void the_checksum_covers_every_byte(void** state)
{
	(void)state;
	unsigned char bytes[100] = { 0 };
	sceneRandom random = { TestSeed() };
	for (size_t length = 1; length < sizeof(bytes); ++length)
	{
		uint64_t sum = sgChecksum(bytes, length);
		assert_true(sum != sgChecksum(bytes, length - 1));
		for (size_t i = 0; i < length; ++i)
		{
			unsigned char kept = bytes[i];
			bytes[i] ^= (unsigned char)(1 + sceneRandom_Index(&random, 255));
			assert_true(sgChecksum(bytes, length) != sum);
			bytes[i] = kept;
		}
	}
}

// Change a few words anywhere, or exchange two, and repair the checksum: now only the checks of the loader stand
// between a hostile file and the code. Whatever gets in must work.
static void hostile_blocks_are_refused_or_harmless(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	uint64_t accepted = 0;
	int total = TestCount(30000);
	for (uint32_t number = 0; number < 14; ++number)
	{
		Sample sample = GetSample(number + 14);
		unsigned char* copy = malloc(sample.bytes);
		assert_non_null(copy);
		for (int i = 0; i < total / 14 + 1; ++i)
		{
			sceneRandom random = { seed + 1000003u * number + (uint64_t)i };
			memcpy(copy, sample.block, sample.bytes);
			for (uint32_t changes = 1 + sceneRandom_Index(&random, 3); changes > 0; --changes)
			{
				// Header, table and counts lie in the first few hundred bytes.
				size_t range = sceneRandom_Index(&random, 3) == 0 && sample.bytes > 512 ? 512 : sample.bytes;
				size_t at = sceneRandom_Index(&random, (uint32_t)(range / 4)) * 4;
				size_t from = sceneRandom_Index(&random, (uint32_t)(sample.bytes / 4)) * 4;
				uint32_t value;
				memcpy(&value, copy + at, sizeof(value));
				switch (sceneRandom_Index(&random, 7))
				{
					case 0:
						value += 1;
						break;
					case 1:
						value -= 1;
						break;
					case 2:
						value = 0;
						break;
					case 3:
						value = (uint32_t)sceneRandom_Next(&random);
						break;
					case 4:
						value = UINT32_MAX;
						break;
					case 5:
						value ^= 1u << sceneRandom_Index(&random, 32);
						break;
					default:
						memcpy(&value, copy + from, sizeof(value));
						break;
				}
				memcpy(copy + at, &value, sizeof(value));
			}
			RepairChecksum(copy, sample.bytes);
			accepted += Try(copy, sample.bytes) == snug_success;
		}
		free(copy);
		free(sample.block);
	}
	print_message("%llu of %d got in\n", (unsigned long long)accepted, total);
}

// A bound that does not hold is refused at the door, since a query would miss contacts; and one without an end, which
// holds, but of which centres and extents are made that are no numbers. Every face of every box.
static void wrong_bounds_are_refused(void** state)
{
	(void)state;
	Sample sample = GetSample(2);
	snugModel* model = NULL;
	assert_int_equal(snugModel_LoadMemory(sample.block, sample.bytes, NULL, &model), snug_success);
	size_t offset = (size_t)((const unsigned char*)model->restBounds - model->block);
	for (uint32_t slot = 0; slot < model->tree.groupCount * SG_LANES; ++slot)
	{
		size_t lanes = offset + slot / SG_LANES * sizeof(sgBoxLanes);
		for (int face = 0; face < 6 && model->tree.nodes[slot].first != SG_NONE; ++face)
		{
			unsigned char* field = sample.block + lanes + ((size_t)face * SG_LANES + slot % SG_LANES) * sizeof(float);
			float kept, inwards = face < 3 ? 1.0f : -1.0f;
			memcpy(&kept, field, sizeof(kept));
			const float wrong[] = { kept + inwards * 0.01f, inwards * INFINITY, -inwards * INFINITY, NAN };
			for (size_t i = 0; i < LENGTH_OF(wrong); ++i)
			{
				memcpy(field, wrong + i, sizeof(float));
				RepairChecksum(sample.block, sample.bytes);
				assert_int_equal(Try(sample.block, sample.bytes), snug_badFile);
			}
			memcpy(field, &kept, sizeof(kept));
		}
	}
	RepairChecksum(sample.block, sample.bytes);
	assert_int_equal(Try(sample.block, sample.bytes), snug_success);
	snugModel_Destroy(model);
	free(sample.block);
}

// A block with one value changed, whose checksum is right.
static void AssertRefused(unsigned char* block, size_t bytes, size_t at, const void* value, size_t size)
{
	unsigned char kept[8];
	memcpy(kept, block + at, size);
	memcpy(block + at, value, size);
	RepairChecksum(block, bytes);
	assert_int_equal(Try(block, bytes), snug_badFile);
	memcpy(block + at, kept, size);
	RepairChecksum(block, bytes);
}

// Weights that do not sum to 1, displacements beyond what bounds were made for, and joints and fields that there are
// not, of skins of every kind, with morph targets and without, and of fields. Would catch a part that nobody checks.
static void wrong_rows_are_refused(void** state)
{
	(void)state;
	uint32_t checked[2] = { 0 };
	for (uint32_t number = 0; number < 90; ++number)
	{
		snugModel* model = MakeSample(number);
		size_t bytes;
		const unsigned char* block = snugModel_GetBlock(model, &bytes);
		unsigned char* copy = malloc(bytes);
		assert_non_null(copy);
		memcpy(copy, block, bytes);
		const sgContents contents = sgModel_Describe(model);
		sceneRandom random = { TestSeed() + number };
		for (int kind = 0; kind < 2; ++kind)
		{
			const sgRows* rows = kind == 0 ? &contents.influences : &contents.displacements;
			for (uint32_t v = 0; v < model->tree.vertexCount && rows->places != NULL;
			     v += 1 + sceneRandom_Index(&random, 60))
			{
				const sgRow row = sgRows_Get(rows, v);
				uint32_t j = 0;
				while (j < row.count && !sgRow_Has(&row, rows->width, j))
				{
					++j;
				}
				if (j == row.count)
				{
					continue;
				}
				const float* value = row.values + (size_t)j * rows->width * SG_LANES;
				const size_t at = (size_t)((const unsigned char*)value - block);
				const size_t numberAt = (size_t)((const unsigned char*)(row.numbers + j) - block);
				const float wrong[] = { NAN, INFINITY, *value + 0.01f, -*value - 0.01f, *value + 1e9f };
				for (size_t i = 0; i < LENGTH_OF(wrong); ++i)
				{
					if (kind == 0 || i < 2 || i == 4) // a displacement may be somewhat larger
					{
						AssertRefused(copy, bytes, at, wrong + i, sizeof(float));
					}
				}
				const uint16_t none = (uint16_t)(kind == 0 ? contents.jointCount : contents.fieldCount);
				AssertRefused(copy, bytes, numberAt, &none, sizeof(none));
				++checked[kind];
			}
		}
		assert_int_equal(Try(copy, bytes), snug_success);
		free(copy);
		snugModel_Destroy(model);
	}
	assert_true(checked[0] > 20 && checked[1] > 20);
}

// Children moved into the group of their parent, where nothing else is wrong with them: they would share its version.
static void families_out_of_line_are_refused(void** state)
{
	(void)state;
	sceneMesh mesh = sceneMakeBlob(1, 3);
	snugModel* model = MakeModel(&mesh, snug_free, (snugTreeDef){ 0 });
	size_t bytes;
	const unsigned char* block = snugModel_GetBlock(model, &bytes);
	unsigned char* copy = malloc(bytes);
	assert_non_null(copy);
	memcpy(copy, block, bytes);
	sgNode* nodes = (void*)(copy + ((const unsigned char*)model->tree.nodes - block));
	sgLeaf* leaves = (void*)(copy + ((const unsigned char*)model->tree.leaves - block));
	sgBoxLanes* boxes = (void*)(copy + ((const unsigned char*)model->restBounds - block));
	assert_true(nodes[0].childCount > 1 && nodes[0].childCount < SG_LANES && nodes[0].first == SG_LANES);
	for (uint32_t i = 0; i < nodes[0].childCount; ++i)
	{
		sgBox box = sgBoxLanes_Get(boxes + 1, i);
		sgBoxLanes_Set(boxes, 1 + i, &box);
		nodes[1 + i] = nodes[SG_LANES + i];
		leaves[nodes[1 + i].first].slot = 1 + i;
		nodes[SG_LANES + i] = (sgNode){ .first = SG_NONE, .parent = SG_NONE };
	}
	nodes[0].first = 1;
	RepairChecksum(copy, bytes);
	assert_int_equal(Try(copy, bytes), snug_badFile);
	free(copy);
	snugModel_Destroy(model);
	sceneMesh_Free(&mesh);
}

static void versions_and_byte_orders(void** state)
{
	(void)state;
	Sample sample = GetSample(2);
	uint32_t version = SG_BLOCK_VERSION + 1;
	memcpy(sample.block + 8, &version, sizeof(version));
	assert_int_equal(Try(sample.block, sample.bytes), snug_unsupportedVersion);
	RepairChecksum(sample.block, sample.bytes);
	assert_int_equal(Try(sample.block, sample.bytes), snug_unsupportedVersion);
	// Of the version before, it says both numbers and what to do.
	version = SG_BLOCK_VERSION - 1;
	memcpy(sample.block + 8, &version, sizeof(version));
	TestMessages messages = { 0 };
	const snugLoadDef def = { .messenger = TestMessages_Get(&messages) };
	snugModel* model;
	char theirs[32], ours[32];
	snprintf(theirs, sizeof(theirs), "format version %d,", SG_BLOCK_VERSION - 1);
	snprintf(ours, sizeof(ours), "reads version %d:", SG_BLOCK_VERSION);
	assert_int_equal(snugModel_LoadMemory(sample.block, sample.bytes, &def, &model), snug_unsupportedVersion);
	assert_non_null(strstr(messages.last, theirs));
	assert_non_null(strstr(messages.last, ours));
	assert_non_null(strstr(messages.last, "snug pack FILE -o FILE.snug"));
	version = SG_BLOCK_VERSION;
	memcpy(sample.block + 8, &version, sizeof(version));
	memcpy(sample.block + 12, (unsigned char[4]){ 1, 2, 3, 4 }, 4);
	RepairChecksum(sample.block, sample.bytes);
	assert_int_equal(Try(sample.block, sample.bytes), snug_badFile);
	memcpy(sample.block + 12, (unsigned char[4]){ 4, 3, 2, 1 }, 4);
	sample.block[0] ^= 1;
	RepairChecksum(sample.block, sample.bytes);
	assert_int_equal(Try(sample.block, sample.bytes), snug_badFile);
	sample.block[0] ^= 1;
	RepairChecksum(sample.block, sample.bytes);
	assert_int_equal(Try(sample.block, sample.bytes), snug_success);
	free(sample.block);
}

// --- Files ---------------------------------------------------------------------------------------------------------

static bool Exists(const char* name)
{
	struct stat info;
	return stat(name, &info) == 0;
}

static snugStatus TryFile(const char* name)
{
	TestAllocator allocator = { 0 };
	TestMessages messages = { 0 };
	snugLoadDef def = { .allocator = TestAllocator_Get(&allocator), .messenger = TestMessages_Get(&messages) };
	snugModel* model = (snugModel*)&def;
	snugStatus status = snugModel_LoadFile(name, &def, &model);
	assert_null(model);
	assert_int_equal(messages.count, 1);
	assert_int_equal(allocator.live, 0);
	return status;
}

static void WriteText(const char* name, const char* text)
{
	FILE* file = fopen(name, "wb");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void files_that_cannot_be_read(void** state)
{
	(void)state;
	assert_int_equal(TryFile("test_model_file_is_not_there.snug"), snug_ioError);
	assert_int_equal(TryFile(""), snug_ioError);
	assert_int_equal(TryFile("."), snug_ioError);
	WriteText(path, "");
	assert_int_equal(TryFile(path), snug_badFile); // empty
	WriteText(path, "solid this is another kind of file, long enough to have a header of sixty-four bytes");
	assert_int_equal(TryFile(path), snug_badFile);
	remove(path);
}

static void files_that_cannot_be_written(void** state)
{
	(void)state;
	snugModel* model = MakeSample(2);
	assert_int_equal(snugModel_SaveFile(model, "no_such_directory/model.snug"), snug_ioError);
	assert_int_equal(snugModel_SaveFile(model, ""), snug_ioError);
	// A directory in the way: the temporary file is removed again.
	static const char directory[] = "test_model_file_directory";
	assert_int_equal(mkdir(directory, 0777), 0);
	assert_int_equal(snugModel_SaveFile(model, directory), snug_ioError);
	assert_false(Exists("test_model_file_directory.part"));
	assert_int_equal(rmdir(directory), 0);
	// A full disk: no file may be larger than a hundred bytes. Nothing is left behind.
	struct rlimit limit, small;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = (struct rlimit){ .rlim_cur = 100, .rlim_max = limit.rlim_max };
	remove("test_model_file_full.snug");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	snugStatus full = snugModel_SaveFile(model, "test_model_file_full.snug");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(full, snug_ioError);
	assert_false(Exists("test_model_file_full.snug"));
	assert_false(Exists("test_model_file_full.snug.part"));
	if (Exists("/dev/full")) // written to, not renamed over
	{
		assert_int_equal(snugModel_SaveFile(model, "/dev/full"), snug_ioError);
		assert_true(Exists("/dev/full"));
	}
	snugModel_Destroy(model);
}

static void AssertText(const char* name, const char* text)
{
	char found[64] = "";
	FILE* file = fopen(name, "rb");
	assert_non_null(file);
	assert_true(fgets(found, sizeof(found), file) != NULL);
	fclose(file);
	assert_string_equal(found, text);
}

// Files that have the names of temporary ones are not ours: neither they nor what they link to are touched.
static void temporary_files_are_new(void** state)
{
	(void)state;
	static const char name[] = "test_model_file_new.snug", part[] = "test_model_file_new.snug.part";
	static const char second[] = "test_model_file_new.snug.01.part", victim[] = "test_model_file_victim";
	snugModel *model = MakeSample(2), *loaded = NULL;
	remove(part);
	remove(second);
	WriteText(victim, "of great value");
	assert_int_equal(symlink(victim, part), 0);
	WriteText(second, "somebody else's");
	assert_int_equal(snugModel_SaveFile(model, name), snug_success);
	AssertText(victim, "of great value");
	AssertText(second, "somebody else's");
	assert_int_equal(snugModel_LoadFile(name, NULL, &loaded), snug_success);
	AssertSameModel(model, loaded);
	assert_false(Exists("test_model_file_new.snug.02.part"));
	remove(part);
	remove(second);
	remove(victim);
	remove(name);
	snugModel_Destroy(loaded);
	// All names taken: an error, and not one of them is written to.
	for (int i = 0; i < 100; ++i)
	{
		char taken[64];
		snprintf(taken, sizeof(taken), i == 0 ? "%s.part" : "%s.%02d.part", name, i);
		WriteText(taken, "taken");
	}
	assert_int_equal(snugModel_SaveFile(model, name), snug_ioError);
	assert_false(Exists(name));
	for (int i = 0; i < 100; ++i)
	{
		char taken[64];
		snprintf(taken, sizeof(taken), i == 0 ? "%s.part" : "%s.%02d.part", name, i);
		AssertText(taken, "taken");
		remove(taken);
	}
	snugModel_Destroy(model);
}

// A name as long as names may be, with and without a folder before it.
static void long_names(void** state)
{
	(void)state;
	char name[2 + 255 + 1] = "./";
	memset(name + 2, 'n', 255);
	snugModel *model = MakeSample(2), *loaded = NULL;
	for (int skipped = 0; skipped < 3; skipped += 2)
	{
		assert_int_equal(snugModel_SaveFile(model, name + skipped), snug_success);
		assert_int_equal(snugModel_LoadFile(name + skipped, NULL, &loaded), snug_success);
		snugModel_Destroy(loaded);
		remove(name);
	}
	snugModel_Destroy(model);
}

/// Memory aligned as blocks must be that are used where they are.
static unsigned char* CopyAligned(const void* block, size_t bytes)
{
	unsigned char* copy = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
	assert_non_null(copy);
	memcpy(copy, block, bytes);
	return copy;
}

static void AssertSameAnswers(uint32_t number, const snugModel* first, const snugModel* second)
{
	snugBody *a = MakeBody(first, NULL), *b = MakeBody(second, NULL);
	Thing probe = Thing_Make(sceneMakeBlob(4, 99), snug_rigid, (snugTreeDef){ 0 }, NULL);
	Place(probe.body, 0.3, 0.2, 0.1);
	PairList expected = CollideAll(a, probe.body, NULL), found = CollideAll(b, probe.body, NULL);
	AssertSamePairs("used in place", number, &expected, &found);
	PairList_Free(&expected);
	PairList_Free(&found);
	snugBody_Destroy(a);
	snugBody_Destroy(b);
	Thing_Free(&probe);
}

// How often the file is in memory, as the system lists it.
static int CountMappings(void)
{
	FILE* maps = fopen("/proc/self/maps", "r");
	assert_non_null(maps);
	int count = 0;
	for (char line[4096]; fgets(line, sizeof(line), maps) != NULL;)
	{
		count += strstr(line, path) != NULL;
	}
	fclose(maps);
	return count;
}

// Bytes of the caller's and mapped files, checked or trusted: the same models, without a copy.
static void models_in_place(void** state)
{
	(void)state;
	for (uint32_t i = 0; i < 28; ++i)
	{
		snugModel* model = MakeSample(i);
		size_t bytes;
		unsigned char* copy = CopyAligned(snugModel_GetBlock(model, &bytes), snugModel_GetInfo(model).bytes);
		assert_int_equal(snugModel_SaveFile(model, path), snug_success);
		for (int trusted = 0; trusted < 2; ++trusted)
		{
			TestAllocator allocator = { 0 };
			const snugLoadDef def = { .allocator = TestAllocator_Get(&allocator), .trusted = trusted, .inPlace = true };
			snugModel *borrowed = NULL, *mapped = NULL;
			size_t same;
			assert_int_equal(snugModel_LoadMemory(copy, bytes, &def, &borrowed), snug_success);
			assert_ptr_equal(snugModel_GetBlock(borrowed, &same), copy);
			assert_int_equal(snugModel_LoadFile(path, &def, &mapped), snug_success);
			assert_int_equal(CountMappings(), 1);
			AssertSameModel(model, borrowed);
			AssertSameModel(model, mapped);
			AssertSameAnswers(i, model, borrowed);
			AssertSameAnswers(i, model, mapped);
			snugModel_Destroy(borrowed);
			snugModel_Destroy(mapped);
			assert_int_equal(CountMappings(), 0);
			assert_int_equal(allocator.live, 0);
			assert_int_equal(allocator.faults, 0);
		}
		assert_memory_equal(copy, snugModel_GetBlock(model, &bytes), bytes); // never written to
		free(copy);
		snugModel_Destroy(model);
	}
	remove(path);
}

// Misaligned bytes cannot be used where they are. Damaged ones are found there as well, and files are not left mapped.
static void bad_models_in_place(void** state)
{
	(void)state;
	snugModel *model = MakeSample(3), *loaded = model;
	size_t bytes;
	unsigned char* copy = CopyAligned(snugModel_GetBlock(model, &bytes), snugModel_GetInfo(model).bytes);
	const snugLoadDef def = { .inPlace = true };
	memmove(copy + 4, copy, bytes);
	assert_int_equal(snugModel_LoadMemory(copy + 4, bytes, &def, &loaded), snug_badArgument);
	assert_null(loaded);
	memmove(copy, copy + 4, bytes);
	copy[bytes - 1] ^= 1;
	assert_int_equal(snugModel_LoadMemory(copy, bytes, &def, &loaded), snug_badFile);
	FILE* file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(copy, 1, bytes, file), bytes);
	fclose(file);
	assert_int_equal(snugModel_LoadFile(path, &def, &loaded), snug_badFile);
	TestAllocator none = { .failAt = 1 };
	const snugLoadDef poor = { .allocator = TestAllocator_Get(&none), .inPlace = true };
	assert_int_equal(snugModel_LoadFile(path, &poor, &loaded), snug_outOfMemory);
	assert_int_equal(CountMappings(), 0);
	WriteText(path, "");
	assert_int_equal(snugModel_LoadFile(path, &def, &loaded), snug_badFile);
	// What is trusted is trusted, but its size and header are looked at all the same.
	const snugLoadDef trusting = { .inPlace = true, .trusted = true };
	assert_int_equal(snugModel_LoadMemory(copy, bytes, &trusting, &loaded), snug_success);
	snugModel_Destroy(loaded);
	assert_int_equal(snugModel_LoadMemory(copy, bytes - 64, &trusting, &loaded), snug_badFile);
	copy[64 + 8] ^= 1;
	assert_int_equal(snugModel_LoadMemory(copy, bytes, &trusting, &loaded), snug_badFile);
	remove(path);
	free(copy);
	snugModel_Destroy(model);
}

// Saving over a file that is mapped gives it a new one of its name: the old one stays as long as it is used.
static void mapped_files_can_be_replaced(void** state)
{
	(void)state;
	snugModel *first = MakeSample(2), *second = MakeSample(3), *mapped = NULL;
	assert_int_equal(snugModel_SaveFile(first, path), snug_success);
	assert_int_equal(snugModel_LoadFile(path, &(snugLoadDef){ .inPlace = true }, &mapped), snug_success);
	assert_int_equal(snugModel_SaveFile(second, path), snug_success);
	AssertSameModel(first, mapped);
	remove(path);
	AssertSameModel(first, mapped);
	snugModel_Destroy(mapped);
	snugModel_Destroy(first);
	snugModel_Destroy(second);
}

static void links_are_followed(void** state)
{
	(void)state;
	static const char link[] = "test_model_file_link.snug", target[] = "test_model_file_target.snug";
	snugModel *model = MakeSample(2), *loaded = NULL;
	struct stat status;
	remove(link);
	remove(target);
	assert_int_equal(symlink(target, link), 0);
	assert_int_equal(snugModel_SaveFile(model, link), snug_success);
	assert_int_equal(lstat(link, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(snugModel_LoadFile(target, NULL, &loaded), snug_success);
	snugModel_Destroy(loaded);
	snugModel_Destroy(model);
	remove(link);
	remove(target);
}

// An old file stays whole until the new one is.
static void saving_replaces(void** state)
{
	(void)state;
	for (uint32_t i = 1; i < 4; ++i)
	{
		snugModel *model = MakeSample(i), *loaded = NULL;
		assert_int_equal(snugModel_SaveFile(model, path), snug_success);
		assert_int_equal(snugModel_LoadFile(path, NULL, &loaded), snug_success);
		AssertSameModel(model, loaded);
		snugModel_Destroy(model);
		snugModel_Destroy(loaded);
	}
	assert_false(Exists("test_model_file.snug.part"));
	remove(path);
}

// --- Corpus --------------------------------------------------------------------------------------------------------

static int WriteCorpus(const char* directory)
{
	for (uint32_t i = 0; i < 42; ++i)
	{
		char name[1024];
		snprintf(name, sizeof(name), "%s/model_%02u.snug", directory, i);
		snugModel* model = MakeSample(i);
		snugStatus status = snugModel_GetInfo(model).bytes < 20000 ? snugModel_SaveFile(model, name) : snug_success;
		snugModel_Destroy(model);
		if (status != snug_success)
		{
			fprintf(stderr, "%s: %s\n", name, snugGetStatusText(status));
			return 1;
		}
	}
	return 0;
}

// The triangles that a model gives back are those of its definition, corner by corner.
static void triangles_come_back(void** state)
{
	(void)state;
	for (int i = 0; i < TestCount(100); ++i)
	{
		sceneRandom random = { TestSeed() + (uint64_t)i };
		sceneMesh mesh = RandomMesh(&random, (MeshKind)sceneRandom_Index(&random, MESH_KINDS));
		snugModel* model = MakeModel(&mesh, snug_rigid, RandomTreeDef(&random));
		uint32_t* triangles = malloc(16 * (size_t)mesh.triangleCount + 1);
		assert_int_equal(snugModel_GetTriangles(model, triangles, 16), snug_success);
		for (uint32_t t = 0; t < mesh.triangleCount; ++t)
		{
			assert_memory_equal(triangles + 4 * (size_t)t, mesh.triangles + 3 * (size_t)t, 12);
		}
		free(triangles);
		snugModel_Destroy(model);
		sceneMesh_Free(&mesh);
	}
}

int main(int argc, char** argv)
{
	if (argc == 3 && strcmp(argv[1], "--corpus") == 0)
	{
		return WriteCorpus(argv[2]);
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trips),
		cmocka_unit_test(truncated_blocks_are_refused),
		cmocka_unit_test(every_changed_byte_is_found),
		cmocka_unit_test(the_checksum_covers_every_byte),
		cmocka_unit_test(hostile_blocks_are_refused_or_harmless),
		cmocka_unit_test(wrong_bounds_are_refused),
		cmocka_unit_test(wrong_rows_are_refused),
		cmocka_unit_test(families_out_of_line_are_refused),
		cmocka_unit_test(versions_and_byte_orders),
		cmocka_unit_test(files_that_cannot_be_read),
		cmocka_unit_test(files_that_cannot_be_written),
		cmocka_unit_test(temporary_files_are_new),
		cmocka_unit_test(long_names),
		cmocka_unit_test(models_in_place),
		cmocka_unit_test(bad_models_in_place),
		cmocka_unit_test(mapped_files_can_be_replaced),
		cmocka_unit_test(links_are_followed),
		cmocka_unit_test(saving_replaces),
		cmocka_unit_test(triangles_come_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
