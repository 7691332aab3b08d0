// test/query/test_golden.c: fixed scenes whose pairs, vertices and model files must be these bits, on every machine and
// compiler.
//
// ctest runs it once per instruction set; golden_matrix.sh compiles it with every compiler and optimisation level. A
// difference means that something is fused, reordered, or depends on the machine; or that the meaning of evaluation
// changed, which users of saved results need to be told. First pairs alone also change when trees are built in another
// way, which is no harm; blocks alone when the format of model files gets a new version. `test_golden --print` prints
// the table anew.
#include "support.h"

#include "lab/scenes/character.h"
#include "lab/scenes/motion.h"
#include "lab/scenes/pair_hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What one scene comes to: all its frames chained.
typedef struct Golden
{
	uint64_t pairCount;
	uint64_t pairs;    // hash
	uint64_t first;    // hash of the pairs that snugTouches names
	uint64_t vertices; // hash of both bodies' positions
	uint64_t blocks;   // hash of both models as they are saved
} Golden;

// The bytes of a model: they change with the format of model files, and with nothing else.
static void AddBlock(Golden* golden, const snugModel* model)
{
	size_t bytes;
	const unsigned char* block = snugModel_GetBlock(model, &bytes);
	assert_int_equal(bytes % sizeof(uint32_t), 0);
	for (size_t i = 0; i < bytes; i += sizeof(uint32_t))
	{
		uint32_t word;
		memcpy(&word, block + i, sizeof(word));
		golden->blocks = sceneHash_Word(golden->blocks, word);
	}
}

static void AddFrame(Golden* golden, const Thing* a, const Thing* b, const double origin[3])
{
	PairList list = CollideAll(a->body, b->body, origin);
	golden->pairCount += list.count;
	golden->pairs = sceneHash_Pairs(golden->pairs, list.pairs, list.count);
	PairList_Free(&list);
	snugPair pair = { UINT32_MAX, UINT32_MAX };
	snugQuery query = { .pairs = &pair, .capacity = 1 };
	if (origin != NULL)
	{
		memcpy(query.origin, origin, sizeof(query.origin));
	}
	assert_int_equal(snugTouches(a->body, b->body, &query).status, snug_success);
	golden->first = sceneHash_Pairs(golden->first, &pair, 1);
	for (int k = 0; k < 2; ++k)
	{
		const Thing* thing = k == 0 ? a : b;
		size_t floats = 3 * (size_t)thing->mesh.vertexCount;
		float* positions = malloc((floats + 1) * sizeof(float));
		assert_non_null(positions);
		assert_int_equal(snugBody_GetVertices(thing->body, origin, positions, 0), snug_success);
		for (size_t i = 0; i < floats; ++i)
		{
			uint32_t bits;
			memcpy(&bits, positions + i, sizeof(bits));
			golden->vertices = sceneHash_Word(golden->vertices, bits);
		}
		free(positions);
	}
}

static Golden Start(void)
{
	return (Golden){ 0, SCENE_HASH_START, SCENE_HASH_START, SCENE_HASH_START, SCENE_HASH_START };
}

static void End(Golden* golden, Thing* a, Thing* b)
{
	AddBlock(golden, a->model);
	AddBlock(golden, b->model);
	Thing_Free(a);
	Thing_Free(b);
}

// Two bodies that turn through each other.
static Golden Tumble(sceneMesh meshA, sceneMesh meshB, Mover deformer, snugTreeDef tree, double far, bool withOrigin)
{
	Golden golden = Start();
	Thing a = Thing_Make(meshA, deformer, tree, NULL), b = Thing_Make(meshB, snug_rigid, tree, NULL);
	for (int frame = 0; frame < 8; ++frame)
	{
		double place[3] = { far, -far, 0.5 * far }, origin[3] = { far, -far, 0.5 * far };
		double axis[3] = { 1.0, 0.5 * frame, -0.25 }, angles[3] = { 0.1 * frame, 0.2, -0.3 * frame };
		snugFrame frameA = sceneMakeFrame(place, axis, 0.4 * frame);
		place[0] += 1.2 - 0.2 * frame;
		place[1] += 0.1;
		snugFrame frameB = sceneMakeEulerFrame(place, angles);
		assert_int_equal(snugBody_SetFrame(a.body, &frameA), snug_success);
		assert_int_equal(snugBody_SetFrame(b.body, &frameB), snug_success);
		AddFrame(&golden, &a, &b, withOrigin ? origin : NULL);
	}
	End(&golden, &a, &b);
	return golden;
}

static Golden Blobs(void)
{
	return Tumble(sceneMakeBlob(12, 1), sceneMakeBlob(10, 2), snug_rigid, (snugTreeDef){ 0 }, 0.0, false);
}

static Golden SmallLeaves(void)
{
	snugTreeDef tree = { .leafTriangles = 1 };
	return Tumble(sceneMakeBlob(12, 1), sceneMakeTorus(0.9, 0.3, 40, 20), snug_free, tree, 0.0, false);
}

static Golden FarWithOrigin(void)
{
	return Tumble(sceneMakeBlob(10, 3), sceneMakeSoup(800, 0.1, 4), snug_rigid, (snugTreeDef){ 0 }, 1e7, true);
}

static Golden FarWithout(void)
{
	return Tumble(sceneMakeBlob(10, 3), sceneMakeSoup(800, 0.3, 4), snug_rigid, (snugTreeDef){ 0 }, 1e6, false);
}

static Golden Tiny(void)
{
	sceneMesh a = sceneMakeSoup(200, 0.5, 5), b = sceneMakeSoup(200, 0.5, 6);
	ScaleMesh(&a, 0x1p-140f);
	ScaleMesh(&b, 0x1p-140f);
	Golden golden = Start();
	Thing thingA = Thing_Make(a, snug_rigid, (snugTreeDef){ 0 }, NULL);
	Thing thingB = Thing_Make(b, snug_rigid, (snugTreeDef){ .leafTriangles = 3 }, NULL);
	for (int frame = 0; frame < 4; ++frame)
	{
		double place[3] = { 0x1p-141 * frame, 0.0, 0.0 }, axis[3] = { 1.0, 2.0, 3.0 };
		snugFrame turned = sceneMakeFrame(place, axis, 0.3 * frame);
		assert_int_equal(snugBody_SetFrame(thingB.body, &turned), snug_success);
		AddFrame(&golden, &thingA, &thingB, NULL);
	}
	End(&golden, &thingA, &thingB);
	return golden;
}

static Golden Voxels(void)
{
	Golden golden = Start();
	Thing a = Thing_Make(sceneMakeVoxelBox(6, 7, 8, 0.25), snug_rigid, (snugTreeDef){ 0 }, NULL);
	Thing b = Thing_Make(sceneMakeVoxelBox(5, 5, 5, 0.5), snug_rigid, (snugTreeDef){ 0 }, NULL);
	for (int frame = 0; frame < 8; ++frame)
	{
		Place(b.body, 0.25 * (frame - 4), 0.25 * (frame % 3), 2.0 - 0.25 * frame);
		AddFrame(&golden, &a, &b, NULL);
	}
	End(&golden, &a, &b);
	return golden;
}

static Golden Encounter(sceneContact contact)
{
	Golden golden = Start();
	sceneEncounter encounter;
	assert_true(sceneEncounter_Create(&encounter, 16, contact, 8));
	Thing things[2];
	for (int k = 0; k < 2; ++k)
	{
		things[k] = Thing_Make(sceneMesh_Copy(&encounter.blobs[k].sphere), snug_free, (snugTreeDef){ 0 }, NULL);
	}
	for (int frame = 0; frame < 8; ++frame)
	{
		sceneEncounter_Deform(&encounter, frame);
		for (int k = 0; k < 2; ++k)
		{
			uint32_t count = things[k].mesh.vertexCount;
			assert_int_equal(snugBody_SetVertices(things[k].body, encounter.positions[k], 0, 0, count), snug_success);
		}
		AddFrame(&golden, &things[0], &things[1], NULL);
	}
	End(&golden, things, things + 1);
	sceneEncounter_Free(&encounter);
	return golden;
}

static Golden LightEncounter(void)
{
	return Encounter(scene_light);
}

static Golden HeavyEncounter(void)
{
	return Encounter(scene_heavy);
}

// Two bodies that bend by fields, dense and sparse, and grow into each other.
static Golden Fields(void)
{
	Golden golden = Start();
	Thing things[2];
	float amplitudes[2][5];
	for (uint32_t k = 0; k < 2; ++k)
	{
		sceneMesh mesh = sceneMakeBlob(14 + k, 11 + k);
		size_t floats = 3 * (size_t)mesh.vertexCount;
		float* displacements = calloc(5 * floats, sizeof(float));
		uint32_t* starts = calloc(mesh.vertexCount + 1, sizeof(uint32_t));
		uint16_t* numbers = calloc(5 * (size_t)mesh.vertexCount, sizeof(uint16_t));
		assert_true(displacements != NULL && starts != NULL && numbers != NULL);
		uint32_t total = 0;
		for (uint32_t v = 0; v < mesh.vertexCount; ++v)
		{
			const float* p = mesh.positions + 3 * (size_t)v;
			for (uint32_t f = 0; f < 5; ++f)
			{
				float along = p[f % 3] * (f > 2 ? p[(f + 1) % 3] : 1.0f);
				bool isMoved = k == 0 || along > 0.0f;
				float* d = displacements + (k == 0 ? f * floats + 3 * (size_t)v : 3 * (size_t)total);
				for (uint32_t axis = 0; isMoved && axis < 3; ++axis)
				{
					d[axis] = 0.2f * along * p[(axis + f) % 3];
				}
				numbers[total] = (uint16_t)f;
				total += isMoved;
			}
			starts[v + 1] = total;
		}
		snugModelDef def = MeshDef(&mesh, snug_fields, (snugTreeDef){ 0 });
		def.fields = (snugFieldsDef){ .fieldCount = 5, .displacements = displacements };
		def.fields.starts = k == 0 ? NULL : starts;
		def.fields.fields = k == 0 ? NULL : numbers;
		things[k] = (Thing){ .mesh = mesh };
		assert_int_equal(snugModel_Create(&def, &things[k].model), snug_success);
		things[k].body = MakeBody(things[k].model, NULL);
		free(displacements);
		free(starts);
		free(numbers);
	}
	for (int frame = 0; frame < 8; ++frame)
	{
		for (int k = 0; k < 2; ++k)
		{
			for (int f = 0; f < 5; ++f)
			{
				amplitudes[k][f] = 0.3f * (float)((frame * (f + 1) + k) % 5 - 2);
			}
			assert_int_equal(snugBody_SetAmplitudes(things[k].body, amplitudes[k], 5), snug_success);
		}
		double place[3] = { 1.9 - 0.1 * frame, 0.1, 0.2 }, axis[3] = { 1.0, 0.5, -0.25 };
		snugFrame turned = sceneMakeFrame(place, axis, 0.2 * frame);
		assert_int_equal(snugBody_SetFrame(things[1].body, &turned), snug_success);
		AddFrame(&golden, &things[0], &things[1], NULL);
	}
	End(&golden, things, things + 1);
	return golden;
}

// Two men who meet, breathing: morph targets, then a skin.
static Golden Meeting(Mover deformer)
{
	Golden golden = Start();
	sceneCharacter man;
	assert_true(sceneCharacter_Create(&man, scene_man));
	snugModelDef def = sceneCharacter_MakeDef(&man, Mover_Blending(deformer));
	def.fields = sceneTargets_Get(&man.targets);
	Thing things[2] = { { .mesh = man.mesh }, { .mesh = man.mesh } };
	float matrices[12 * SCENE_MAX_JOINTS], amplitudes[16];
	assert_true(man.targets.count <= 16);
	assert_int_equal(snugModel_Create(&def, &things[0].model), snug_success);
	things[1].model = things[0].model;
	things[0].body = MakeBody(things[0].model, NULL);
	things[1].body = MakeBody(things[0].model, NULL);
	for (int frame = 0; frame < 6; ++frame)
	{
		for (int k = 0; k < 2; ++k)
		{
			snugFrame place;
			sceneCharacter_Meet(&man, k, 12 + frame, 30, matrices, &place);
			sceneCharacter_Breathe(&man, 0.1 * frame + 0.3 * k, amplitudes);
			assert_int_equal(snugBody_SetJoints(things[k].body, matrices, 0, man.weights.transformCount), snug_success);
			assert_int_equal(snugBody_SetAmplitudes(things[k].body, amplitudes, man.targets.count), snug_success);
			assert_int_equal(snugBody_SetFrame(things[k].body, &place), snug_success);
		}
		AddFrame(&golden, &things[0], &things[1], NULL);
	}
	AddBlock(&golden, things[0].model);
	snugBody_Destroy(things[0].body);
	snugBody_Destroy(things[1].body);
	snugModel_Destroy(things[0].model);
	sceneCharacter_Free(&man);
	return golden;
}

static Golden SkinnedMen(void)
{
	return Meeting(snug_skin);
}

static Golden SphericalMen(void)
{
	return Meeting(mover_spherical);
}

static Golden DualQuaternionMen(void)
{
	return Meeting(mover_dualQuaternion);
}

static const struct Scene
{
	const char* name;
	Golden (*run)(void);
	Golden expected;
} scenes[] = {
	// clang-format off
	{ "Blobs", Blobs, { 2560u, 0x3960aadabce367d5u, 0x738b2a9edf5fdd53u, 0xfbee2aebd9861dceu,
		0x832a88c910fdf71cu } },
	{ "SmallLeaves", SmallLeaves, { 2467u, 0x69abdb3a1c843d55u, 0xa016e9ddcf320c38u, 0x62eb3879013abcdau,
		0xa503b7cbbbaa9b96u } },
	{ "FarWithOrigin", FarWithOrigin, { 1125u, 0x5686f773b69e96c8u, 0xff8645adb5738ca1u, 0x76e73916cbb9572au,
		0x28222e47ccad5510u } },
	{ "FarWithout", FarWithout, { 7715u, 0xc62cf96cd225cbadu, 0x394bdf3519114ebdu, 0x9528ac90491e541du,
		0x27f2d6a84cf60c01u } },
	{ "Tiny", Tiny, { 1368u, 0xa811bd746169d98eu, 0xc717b5d78f0d01c5u, 0xf8f10686c7220fb2u,
		0xcf59259218a8c506u } },
	{ "Voxels", Voxels, { 4414u, 0x6b2e1180f745938fu, 0x4ba63b3a16b40fdeu, 0x41d4ff30d2754875u,
		0x70cf0744a04be3cdu } },
	{ "LightEncounter", LightEncounter, { 666u, 0xd443164fa6a17f9cu, 0x621aa4e69cc98126u, 0x7b9e6e55fcfeaa39u,
		0xcfc641098b6c3189u } },
	{ "HeavyEncounter", HeavyEncounter, { 26445u, 0x1d563be7c56eada3u, 0x225ca0e64745dce0u, 0xef59bc6b6a2a17beu,
		0xcfc641098b6c3189u } },
	{ "Fields", Fields, { 1383u, 0xaa6aacc117b1b9a5u, 0x9ac3d3bfaa625743u, 0x441aeafa319357bfu,
		0xcca500f41a1c3620u } },
	{ "SkinnedMen", SkinnedMen, { 993u, 0x2031c459c2d40edau, 0x56840f286417ce6bu, 0x9f92fed8fa6d2e9bu,
		0xb3051edc3d082dbdu } },
	{ "SphericalMen", SphericalMen, { 995u, 0xd7d995dbea3efae9u, 0x56840f286417ce6bu, 0x9f34f3e763ebd378u,
		0xb3a0530e3fb6d157u } },
	{ "DualQuaternionMen", DualQuaternionMen, { 997u, 0xaf17b5b1196bd54du, 0x56840f286417ce6bu, 0x737eb98d0b48cb6fu,
		0xebd23bf5459439efu } },
	// clang-format on
};

static void scenes_are_golden(void** state)
{
	(void)state;
	int wrong = 0;
	for (size_t i = 0; i < LENGTH_OF(scenes); ++i)
	{
		Golden found = scenes[i].run();
		assert_true(found.pairCount > 0);
		if (memcmp(&found, &scenes[i].expected, sizeof(found)) != 0)
		{
			print_error("%s: %s%s%s%sdiffer (%llu pairs, %llu expected)\n", scenes[i].name,
			    found.vertices != scenes[i].expected.vertices ? "vertices " : "",
			    found.pairs != scenes[i].expected.pairs ? "pairs " : "",
			    found.first != scenes[i].expected.first ? "first pairs " : "",
			    found.blocks != scenes[i].expected.blocks ? "blocks " : "", (unsigned long long)found.pairCount,
			    (unsigned long long)scenes[i].expected.pairCount);
			++wrong;
		}
	}
	assert_int_equal(wrong, 0);
}

static int Print(void)
{
	for (size_t i = 0; i < LENGTH_OF(scenes); ++i)
	{
		Golden found = scenes[i].run();
		printf("\t{ \"%s\", %s, { %lluu, 0x%016llxu, 0x%016llxu, 0x%016llxu,\n\t\t0x%016llxu } },\n", scenes[i].name,
		    scenes[i].name, (unsigned long long)found.pairCount, (unsigned long long)found.pairs,
		    (unsigned long long)found.first, (unsigned long long)found.vertices, (unsigned long long)found.blocks);
	}
	return 0;
}

int main(int argc, char** argv)
{
	if (argc == 2 && strcmp(argv[1], "--print") == 0)
	{
		return Print();
	}
	print_message("instruction set %s\n", snugGetInstructionSet());
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scenes_are_golden),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
