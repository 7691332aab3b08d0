// test/fuzz/fuzz_crowd.c: crowds on the reference device, with any models, poses, questions, orders of lanes and
// however little memory: what a scene and snugCollide find, or a sentence that says what is needed.
#include "test/fuzz/fuzz_input.h"

#include "gpu/device.h"
#include "snug/snug_queries.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum
{
	MODELS = 3,
	MOST_BODIES = 4, // of a model
	VERTICES = 18,
	TRIANGLES = 20,
	FIELDS = 2,
	JOINTS = 3,
	MOST_LISTED = 12,
	MOST_TRIANGLE_PAIRS = TRIANGLES * TRIANGLES,
};

typedef struct Kind
{
	snugModel* model;
	snugCrowdModel members;
	bool hasJoints, hasFields;
	snugBody* bodies[MOST_BODIES];
	float joints[MOST_BODIES][12 * JOINTS];
	float amplitudes[MOST_BODIES][FIELDS];
	snugFrame frames[MOST_BODIES];
} Kind;

typedef struct Stage
{
	Input input;
	uint32_t kindCount, bodyCount;
	Kind kinds[MODELS];
	snugScene* scene;
	snugDevice* device;
	snugCrowd* crowd;
} Stage;

// On a coarse grid, where things touch; now and then between its lines.
static float NextCoordinate(Input* input)
{
	const uint32_t value = Next(input);
	return value < 200 ? 0.25f * (float)((int)(value % 17) - 8) : (float)((int)value - 228) / 13.0f;
}

// ---- Making ---------------------------------------------------------------------------------------------------------

static void MakeModel(Input* input, Kind* kind)
{
	float positions[3 * VERTICES], displacements[FIELDS * 3 * VERTICES], weights[2 * VERTICES];
	uint16_t joints[2 * VERTICES];
	uint32_t triangles[3 * TRIANGLES];
	for (int i = 0; i < 3 * VERTICES; ++i)
	{
		positions[i] = NextCoordinate(input);
		displacements[i] = 0.125f * (float)(i % 5);
		displacements[3 * VERTICES + i] = i % 3 == 1 ? 0.5f : 0.0f;
	}
	for (uint32_t i = 0; i < 3 * TRIANGLES; ++i)
	{
		triangles[i] = Next(input) % VERTICES;
	}
	for (uint32_t i = 0; i < 2 * VERTICES; ++i)
	{
		joints[i] = (uint16_t)(i % 2 == 0 ? i / 2 % JOINTS : (i / 2 + 1) % JOINTS);
		weights[i] = i % 2 == 0 ? 0.75f : 0.25f;
	}
	const uint32_t what = Next(input) % 4;
	kind->hasJoints = what >= 2;
	kind->hasFields = what % 2 == 1;
	snugModelDef def = { .positions = positions,
		.vertexCount = VERTICES,
		.triangles = triangles,
		.triangleCount = 1 + Next(input) % TRIANGLES,
		.deformer = kind->hasJoints   ? snug_skin
		            : kind->hasFields ? snug_fields
		                              : snug_rigid,
		.tree = { .leafTriangles = 1 + (int)(Next(input) % 3) } };
	if (kind->hasJoints)
	{
		def.skin =
		    (snugSkinDef){ .jointCount = JOINTS, .influencesPerVertex = 2, .joints = joints, .weights = weights };
	}
	if (kind->hasFields)
	{
		def.fields = (snugFieldsDef){ .fieldCount = FIELDS, .displacements = displacements };
	}
	Require(snugModel_Create(&def, &kind->model) == snug_success);
}

static void MakeKind(Stage* stage, Kind* kind)
{
	Input* input = &stage->input;
	MakeModel(input, kind);
	kind->members = (snugCrowdModel){ .model = kind->model,
		.bodyCount = 1 + Next(input) % MOST_BODIES,
		.groups = Next(input) % 4,
		.mask = Next(input) % 4 };
	for (uint32_t i = 0; i < kind->members.bodyCount; ++i)
	{
		Require(snugBody_Create(&(snugBodyDef){ .model = kind->model }, &kind->bodies[i]) == snug_success);
		const snugSceneBodyDef def = {
			.body = kind->bodies[i], .groups = kind->members.groups, .mask = kind->members.mask
		};
		uint32_t id;
		Require(snugScene_Add(stage->scene, &def, &id) == snug_success && id == stage->bodyCount);
		++stage->bodyCount;
	}
}

static void MakeCrowd(Stage* stage)
{
	Input* input = &stage->input;
	const bool isReference = snugDevice_Create(&(snugDeviceDef){ .backend = snug_reference }, &stage->device) == 0;
	Require(isReference);
	sgReference_SetOrder(stage->device, (sgLaneOrder)(Next(input) % 3), 1 + Next(input) % 7);
	snugCrowdModel models[MODELS];
	for (uint32_t i = 0; i < stage->kindCount; ++i)
	{
		models[i] = stage->kinds[i].members;
	}
	const snugCrowdDef def = { .device = stage->device,
		.models = models,
		.modelCount = stage->kindCount,
		.room = { .candidates = 1 + Next(input), .pairs = 1 + Next(input), .trianglePairs = 1 + 16 * Next(input) },
		.bytes = (uint64_t)1 << Next(input) % 20 };
	Require(snugCrowd_Create(&def, &stage->crowd) == snug_success);
}

// ---- Posing ---------------------------------------------------------------------------------------------------------

static void Pose(Input* input, Kind* kind, uint32_t number)
{
	for (int j = 0; j < JOINTS; ++j)
	{
		float* m = kind->joints[number] + 12 * j;
		memset(m, 0, 12 * sizeof(float));
		m[0] = m[5] = m[10] = 1.0f;
		m[1 + Next(input) % 3] += 0.5f * NextCoordinate(input);
		m[7] += NextCoordinate(input);
	}
	for (int f = 0; f < FIELDS; ++f)
	{
		kind->amplitudes[number][f] = NextCoordinate(input);
	}
	const double angle = 0.1 * (double)Next(input);
	kind->frames[number] = (snugFrame){ .position = { NextCoordinate(input), NextCoordinate(input), 0.0 },
		.rotation = { 0.0, sin(angle), 0.0, cos(angle) } };
	snugBody* body = kind->bodies[number];
	Require(!kind->hasJoints || snugBody_SetJoints(body, kind->joints[number], 0, JOINTS) == snug_success);
	Require(!kind->hasFields || snugBody_SetAmplitudes(body, kind->amplitudes[number], FIELDS) == snug_success);
	Require(snugBody_SetFrame(body, &kind->frames[number]) == snug_success);
}

static void PoseAll(Stage* stage)
{
	for (uint32_t i = 0; i < stage->kindCount; ++i)
	{
		Kind* kind = stage->kinds + i;
		for (uint32_t k = 0; k < kind->members.bodyCount; ++k)
		{
			Pose(&stage->input, kind, k);
		}
	}
}

static void TellCrowd(Stage* stage)
{
	for (uint32_t i = 0; i < stage->kindCount; ++i)
	{
		const Kind* kind = stage->kinds + i;
		const snugCrowdPoses poses = { .joints = kind->hasJoints ? kind->joints[0] : NULL,
			.amplitudes = kind->hasFields ? kind->amplitudes[0] : NULL,
			.frames = kind->frames };
		Require(snugCrowd_SetPoses(stage->crowd, i, &poses) == snug_success);
	}
}

// ---- Asking ---------------------------------------------------------------------------------------------------------

// Until there is room for all.
static snugCrowdResult Ask(Stage* stage, const snugCrowdQuery* query)
{
	for (int tries = 0;; ++tries)
	{
		Require(tries < 64);
		Require(snugCrowd_Update(stage->crowd, query) == snug_success);
		const snugCrowdResult result = snugCrowd_Wait(stage->crowd);
		if (result.status != snug_outOfRange || result.body != SNUG_NONE)
		{
			return result;
		}
		Require(snugCrowd_Reserve(stage->crowd, &result.needed, result.neededBytes) == snug_success);
	}
}

// Whoever cannot be posed is refused by number.
static void AskForTheImpossible(Stage* stage)
{
	Input* input = &stage->input;
	const uint32_t which = Next(input) % stage->kindCount;
	Kind* kind = stage->kinds + which;
	const uint32_t number = Next(input) % kind->members.bodyCount;
	const Kind before = *kind;
	const uint32_t what = Next(input) % 3;
	if (what == 0)
	{
		kind->frames[number].position[Next(input) % 3] = 1e300;
	}
	else if (what == 1 && kind->hasJoints)
	{
		kind->joints[number][Next(input) % (12 * JOINTS)] = NAN;
	}
	else
	{
		kind->frames[number].rotation[Next(input) % 4] += 3.0;
	}
	uint32_t expected = number;
	for (uint32_t i = 0; i < which; ++i)
	{
		expected += stage->kinds[i].members.bodyCount;
	}
	TellCrowd(stage);
	const snugCrowdResult result = Ask(stage, NULL);
	Require(result.status == (what == 0 ? snug_outOfRange : snug_badInput) && result.body == expected);
	*kind = before;
}

static snugBody* BodyOf(const Stage* stage, uint32_t number)
{
	const Kind* kind = stage->kinds;
	for (; number >= kind->members.bodyCount; ++kind)
	{
		number -= kind->members.bodyCount;
	}
	return kind->bodies[number];
}

static void AskAboutList(Stage* stage)
{
	Input* input = &stage->input;
	snugPair list[MOST_LISTED], expected[MOST_TRIANGLE_PAIRS];
	const uint32_t count = Next(input) % (MOST_LISTED + 1);
	for (uint32_t i = 0; i < count; ++i)
	{
		list[i] = (snugPair){ Next(input) % stage->bodyCount, Next(input) % stage->bodyCount };
		list[i].b = list[i].a == list[i].b ? (list[i].a + 1) % stage->bodyCount : list[i].b;
	}
	const snugCrowdQuery query = { .trianglePairs = true, .bodyPairs = list, .bodyPairCount = count };
	Require(Ask(stage, &query).status == snug_success);
	uint64_t rows, all, first = 0;
	const snugScenePair* pairs = snugCrowd_GetPairs(stage->crowd, false, &rows);
	const snugPair* found = snugCrowd_GetTrianglePairs(stage->crowd, false, &all);
	Require(rows == count);
	for (uint32_t i = 0; i < count; ++i)
	{
		const snugQuery one = { .pairs = expected, .capacity = MOST_TRIANGLE_PAIRS };
		const uint64_t number = snugCollide(BodyOf(stage, list[i].a), BodyOf(stage, list[i].b), &one).count;
		Require(pairs[i].a == list[i].a && pairs[i].b == list[i].b && pairs[i].count == number);
		Require(number == 0 || memcmp(found + first, expected, (size_t)number * sizeof(snugPair)) == 0);
		first += number;
	}
	Require(all == first);
}

static void UpdateScene(Stage* stage)
{
	const snugSceneQuery query = { .trianglePairs = true };
	snugSceneResult result = snugScene_Update(stage->scene, &query);
	for (int i = 0; i < 8 && result.status == snug_outOfRange; ++i)
	{
		Require(snugScene_Reserve(stage->scene, &result.needed) == snug_success);
		result = snugScene_Update(stage->scene, &query);
	}
	Require(result.status == snug_success);
}

static void AskAboutAll(Stage* stage)
{
	UpdateScene(stage);
	const snugCrowdQuery query = { .trianglePairs = Next(&stage->input) % 4 != 0 };
	Require(Ask(stage, &query).status == snug_success);
	uint64_t count, expectedCount, triangles, expectedTriangles;
	const snugScenePair* pairs = snugCrowd_GetPairs(stage->crowd, false, &count);
	const snugScenePair* expected = snugScene_GetPairs(stage->scene, &expectedCount);
	const snugPair* found = snugCrowd_GetTrianglePairs(stage->crowd, false, &triangles);
	const snugPair* expectedPairs = snugScene_GetTrianglePairs(stage->scene, &expectedTriangles);
	Require(count == expectedCount && triangles == (query.trianglePairs ? expectedTriangles : 0));
	for (uint64_t i = 0; i < count; ++i)
	{
		Require(pairs[i].a == expected[i].a && pairs[i].b == expected[i].b);
	}
	Require(triangles == 0 || memcmp(found, expectedPairs, (size_t)triangles * sizeof(snugPair)) == 0);
}

static void ComparePositions(Stage* stage)
{
	float expected[3 * VERTICES], found[3 * VERTICES];
	const uint32_t number = Next(&stage->input) % stage->bodyCount;
	const double origin[3] = { 0.0, 0.0, 0.0 };
	Require(snugBody_GetVertices(BodyOf(stage, number), origin, expected, 0) == snug_success);
	Require(snugCrowd_GetVertices(stage->crowd, number, found) == snug_success);
	Require(memcmp(expected, found, sizeof(found)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	Stage stage = { .input = { data, size < 2048 ? size : 2048, 0 } };
	Require(
	    snugScene_Create(&(snugSceneDef){ .room = { .bodies = MODELS * MOST_BODIES } }, &stage.scene) == snug_success);
	stage.kindCount = 1 + Next(&stage.input) % MODELS;
	for (uint32_t i = 0; i < stage.kindCount; ++i)
	{
		MakeKind(&stage, stage.kinds + i);
	}
	MakeCrowd(&stage);
	for (int rounds = 0; rounds < 4 && (rounds == 0 || stage.input.at < stage.input.size); ++rounds)
	{
		PoseAll(&stage);
		if (Next(&stage.input) % 4 == 0)
		{
			AskForTheImpossible(&stage);
		}
		TellCrowd(&stage);
		if (stage.bodyCount > 1 && Next(&stage.input) % 2 == 0)
		{
			AskAboutList(&stage);
		}
		else
		{
			AskAboutAll(&stage);
		}
		ComparePositions(&stage);
	}
	snugCrowd_Destroy(stage.crowd);
	snugDevice_Destroy(stage.device);
	snugScene_Destroy(stage.scene);
	for (uint32_t i = 0; i < stage.kindCount; ++i)
	{
		for (uint32_t k = 0; k < stage.kinds[i].members.bodyCount; ++k)
		{
			snugBody_Destroy(stage.kinds[i].bodies[k]);
		}
		snugModel_Destroy(stage.kinds[i].model);
	}
	return 0;
}
