// test/fuzz/fuzz_model_file.c: model files from someone who wishes us ill.
//
// The checksum is repaired before loading, so that it does not stand in the way. What gets in must work: poses and
// queries neither crash nor hang, and bounds of rigid and free bodies hold. The mutator starts from real models and
// knows that most of a block is 32-bit words, so no corpus is needed; `test_model_file --corpus DIRECTORY` writes one
// all the same.
#include "snug/snug_queries.h"

#include "../src/base/checksum.h"

#include <stdlib.h>
#include <string.h>

// The layout of src/model/block.c: a header of 64 bytes, its size at 16 and the checksum at 24, taken with that field
// zero.
enum
{
	HEADER_BYTES = 64,
	SIZE_OFFSET = 16,
	CHECKSUM_OFFSET = 24,
};

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t maxSize, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t maxSize);

static void Repair(uint8_t* block, size_t bytes)
{
	if (bytes >= HEADER_BYTES)
	{
		memset(block + CHECKSUM_OFFSET, 0, sizeof(uint64_t));
		uint64_t sum = sgChecksum(block, HEADER_BYTES) ^ (sgChecksum(block + HEADER_BYTES, bytes - HEADER_BYTES) << 1);
		memcpy(block + CHECKSUM_OFFSET, &sum, sizeof(sum));
	}
}

static void Require(bool condition)
{
	if (!condition)
	{
		abort();
	}
}

static uint32_t Next(uint32_t* state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

// A small model, another one for every seed.
static snugModel* MakeModel(uint32_t seed)
{
	static const float frequencies[3] = { 1.0f, 20.0f, 300.0f };
	static const snugDeformer deformers[] = { snug_rigid, snug_free, snug_skin, snug_fields, snug_skin, snug_skin };
	float positions[3 * 30], weights[2 * 30], displacements[3 * 3 * 30];
	uint32_t triangles[3 * 40];
	uint16_t transforms[2 * 30];
	for (size_t i = 0; i < 3 * 30; ++i)
	{
		positions[i] = (float)Next(&seed) * 0x1p-23f - 1.0f;
	}
	for (size_t i = 0; i < 3 * 40; ++i)
	{
		triangles[i] = Next(&seed) % 30;
	}
	for (size_t i = 0; i < 2 * 30; ++i)
	{
		weights[i] = 0.25f + (float)Next(&seed) * 0x1p-24f;
		transforms[i] = (uint16_t)(Next(&seed) % 5);
	}
	for (size_t i = 0; i < 3 * 3 * 30; ++i)
	{
		displacements[i] = Next(&seed) % 3 == 0 ? 0.0f : (float)Next(&seed) * 0x1p-24f - 0.5f;
	}
	const uint32_t triangleCount = Next(&seed) % 41, kind = Next(&seed) % 6; // in this order, for the seeds there are
	snugModelDef def = {
		.positions = positions,
		.vertexCount = 30,
		.triangles = triangles,
		.triangleCount = triangleCount,
		.deformer = deformers[kind],
		.tree = { .leafTriangles = (int)(1 + Next(&seed) % 8) },
		.skin = {
			.jointCount = 5,
			.influencesPerVertex = 2,
			.joints = transforms,
			.weights = weights,
			.blending = kind > snug_fields ? (snugBlending)(kind - snug_fields) : snug_blendLinear,
		},
		.fields = {
			.fieldCount = 3,
			.frequencies = Next(&seed) % 2 == 0 ? frequencies : NULL,
			.displacements = displacements,
		},
	};
	def.certificates = Next(&seed) % 2 == 0;
	snugModel* model = NULL;
	Require(snugModel_Create(&def, &model) == snug_success);
	return model;
}

static size_t StartFromModel(uint8_t* data, size_t maxSize, uint32_t seed)
{
	snugModel* model = MakeModel(seed);
	size_t bytes;
	const void* block = snugModel_GetBlock(model, &bytes);
	size_t size = bytes <= maxSize ? bytes : 0;
	memcpy(data, block, size);
	snugModel_Destroy(model);
	return size;
}

static void MutateWord(uint8_t* data, size_t size, uint32_t* random)
{
	// Counts and the table of sections come first and are few: look there more often.
	size_t range = Next(random) % 3 == 0 && size > 512 ? 512 : size;
	size_t at = Next(random) % (range / 4) * 4, from = Next(random) % (size / 4) * 4;
	uint32_t value;
	memcpy(&value, data + at, sizeof(value));
	switch (Next(random) % 6)
	{
		case 0:
			++value;
			break;
		case 1:
			--value;
			break;
		case 2:
			value = Next(random) % 64;
			break;
		case 3:
			value = UINT32_MAX;
			break;
		case 4:
			value ^= 1u << (Next(random) % 32);
			break;
		default:
			memcpy(&value, data + from, sizeof(value));
			break;
	}
	memcpy(data + at, &value, sizeof(value));
}

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t maxSize, unsigned seed)
{
	uint32_t random = seed;
	if (size < 2 * HEADER_BYTES || Next(&random) % 64 == 0)
	{
		size_t started = StartFromModel(data, maxSize, Next(&random));
		size = started > 0 ? started : size;
	}
	if (size >= 2 * HEADER_BYTES && Next(&random) % 4 != 0)
	{
		for (uint32_t changes = 1 + Next(&random) % 4; changes > 0; --changes)
		{
			MutateWord(data, size, &random);
		}
	}
	else
	{
		size = LLVMFuzzerMutate(data, size, maxSize);
		uint64_t bytes = size;
		if (size >= HEADER_BYTES && Next(&random) % 2 != 0)
		{
			memcpy(data + SIZE_OFFSET, &bytes, sizeof(bytes));
		}
	}
	Repair(data, size);
	return size;
}

static void Query(snugBody* body, snugBody* probe)
{
	// A body whose bounds say that it is enormous may be out of range; nothing else may go wrong.
	snugNodePair room[64];
	snugFrontier frontier = { .pairs = room, .capacity = 64 };
	const snugTimedQuery query = { .maxSteps = 100000 };
	snugResult result = snugCollideInTime(body, probe, &frontier, &query);
	Require(result.status == snug_success || result.status == snug_outOfRange);
	snugPair pair;
	result = snugTouches(probe, body, &(snugQuery){ .pairs = &pair, .capacity = 1 });
	Require(result.status == snug_success || result.status == snug_outOfRange);
	Require(snugTouchesSelf(body, NULL).status == snug_success);
	snugBounds bounds;
	snugStatus status = snugBody_GetBounds(body, NULL, &bounds);
	Require(status == snug_success || status == snug_outOfRange);
}

static void PoseSkin(snugBody* body, uint32_t transformCount)
{
	float* matrices = malloc(12 * sizeof(float) * (size_t)transformCount);
	Require(matrices != NULL);
	for (size_t i = 0; i < 12 * (size_t)transformCount; ++i)
	{
		matrices[i] = (i % 12) % 5 == 0 ? 1.0f : (float)(i % 7) * 0.05f;
	}
	snugStatus status = snugBody_SetJoints(body, matrices, 0, transformCount);
	Require(status == snug_success || status == snug_outOfRange || status == snug_badInput); // bad: turned inside out
	free(matrices);
}

static void PoseFields(snugBody* body, uint32_t fieldCount)
{
	float* amplitudes = malloc(((size_t)fieldCount + 1) * sizeof(float));
	Require(amplitudes != NULL);
	for (uint32_t f = 0; f < fieldCount; ++f)
	{
		amplitudes[f] = (float)(f % 5) * 0.25f - 0.4f;
	}
	snugStatus status = snugBody_SetAmplitudes(body, amplitudes, fieldCount);
	Require(status == snug_success || status == snug_outOfRange);
	free(amplitudes);
}

// What a model says of itself fits into the room that it says it needs.
static void ReadContents(const snugModel* model, const snugModelInfo* info)
{
	size_t influences = info->influenceCount, displacements = info->displacementCount;
	uint32_t* starts = malloc(((size_t)info->vertexCount + 1) * sizeof(uint32_t));
	uint16_t* numbers = malloc((influences + displacements) * sizeof(uint16_t) + 1);
	float* values = malloc((influences + 3 * displacements) * sizeof(float) + 1);
	Require(starts != NULL && numbers != NULL && values != NULL);
	Require(snugModel_GetTwins(model, starts) == snug_success);
	Require(snugModel_GetWeights(model, starts, numbers, values) == snug_success);
	Require(snugModel_GetFields(model, starts, numbers, values) == snug_success);
	free(starts);
	free(numbers);
	free(values);
}

static void Use(const snugModel* model)
{
	static snugModel* probeModel;
	static snugBody* probe;
	if (probeModel == NULL)
	{
		probeModel = MakeModel(1);
		Require(snugBody_Create(&(snugBodyDef){ .model = probeModel }, &probe) == snug_success);
	}
	snugModelInfo info = snugModel_GetInfo(model);
	snugBody* body = NULL;
	Require(snugBody_Create(&(snugBodyDef){ .model = model }, &body) == snug_success);
	// The numbers of bounds that follow poses are not checked: a file may lie about them, and the validator says so.
	bool isFixed = info.deformer == snug_rigid || info.deformer == snug_free;
	snugStatus valid = snugBody_Validate(body, NULL);
	Require(valid == snug_success || (valid == snug_invalidBounds && !isFixed));
	Query(body, probe);
	const snugFrame frame = { .position = { 0.1, 0.2, 0.3 }, .rotation = { 0.6, 0.0, 0.0, 0.8 } };
	Require(snugBody_SetFrame(body, &frame) == snug_success);
	Query(body, probe);
	float* positions = malloc((3 * (size_t)info.vertexCount + 1) * sizeof(float));
	Require(positions != NULL);
	snugStatus status = snugBody_GetVertices(body, NULL, positions, 0);
	Require(status == snug_success || status == snug_outOfRange);
	if (info.deformer == snug_free)
	{
		for (size_t i = 0; i < 3 * (size_t)info.vertexCount; ++i)
		{
			positions[i] = (float)(i % 7) * 0.1f;
		}
		uint32_t half = info.vertexCount / 2;
		Require(snugBody_SetVertices(body, positions, 0, 0, half) == snug_success);
		Query(body, probe);
		Require(snugBody_SetVertices(body, positions, 0, half, info.vertexCount - half) == snug_success);
		for (uint32_t v = 0; v < info.vertexCount && v < 8; ++v)
		{
			Require(snugBody_SetVertices(body, positions, 0, v, 1) == snug_success);
			Query(body, probe);
		}
		Require(snugBody_Validate(body, NULL) == snug_success);
	}
	if (info.jointCount > 0)
	{
		PoseSkin(body, info.jointCount);
		Query(body, probe);
	}
	if (info.fieldCount > 0)
	{
		PoseFields(body, info.fieldCount);
		Query(body, probe);
		snugBody_Validate(body, NULL);
	}
	ReadContents(model, &info);
	free(positions);
	snugBody_Destroy(body);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	// Used where it is: exactly so many bytes, so that whoever reads past them is found out.
	uint8_t* block = aligned_alloc(64, (size + 63) / 64 * 64 + (size == 0 ? 64 : 0));
	Require(block != NULL);
	memcpy(block, data, size);
	Repair(block, size);
	snugModel* model = NULL;
	snugStatus status = snugModel_LoadMemory(block, size, &(snugLoadDef){ .inPlace = true }, &model);
	Require((status == snug_success) == (model != NULL));
	if (model != NULL)
	{
		Use(model);
		snugModel_Destroy(model);
	}
	free(block);
	return 0;
}
