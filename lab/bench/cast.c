// lab/bench/cast.c: see cast.h.
#include "lab/bench/cast.h"

#include "lab/bench/character.h"
#include "lab/bench/skins.h"

#include <math.h>
#include <stdlib.h>

bool benchFindExactBox(snugBody* body, float* positions, uint32_t vertexCount, float box[6])
{
	if (snugBody_GetVertices(body, NULL, positions, 0) != snug_success)
	{
		return false;
	}
	for (uint32_t i = 0; i < 3 * vertexCount; ++i)
	{
		float *lower = box + i % 3, *upper = lower + 3;
		*lower = i < 3 || positions[i] < *lower ? positions[i] : *lower;
		*upper = i < 3 || positions[i] > *upper ? positions[i] : *upper;
	}
	return true;
}

static bool FindReach(benchRole* role)
{
	snugBody* body = NULL;
	float *positions = malloc(3 * sizeof(float) * role->vertexCount), box[6];
	bool isGood = positions != NULL && snugBody_Create(&(snugBodyDef){ .model = role->model }, &body) == snug_success;
	role->reach = 0.0;
	for (size_t i = 0; i < BENCH_CLIP_FRAMES && isGood; ++i)
	{
		const float* matrices = role->matrices + i * 12 * role->jointCount;
		isGood = snugBody_SetJoints(body, matrices, 0, role->jointCount) == snug_success &&
		         benchFindExactBox(body, positions, role->vertexCount, box);
		double far2 = 0.0,
		       middle[2] = { 0.5 * ((double)box[0] + (double)box[3]), 0.5 * ((double)box[2] + (double)box[5]) };
		for (size_t v = 0; v < role->vertexCount; ++v)
		{
			double x = (double)positions[3 * v] - middle[0], z = (double)positions[3 * v + 2] - middle[1];
			far2 = fmax(far2, x * x + z * z);
		}
		role->reach += sqrt(far2) / BENCH_CLIP_FRAMES;
	}
	snugBody_Destroy(body);
	free(positions);
	return isGood;
}

// False if there is no such file, or with the report failed.
static bool CastCharacter(benchRole* role, const char* name, const benchOptions* options, benchReport* report)
{
	benchCharacter character;
	const char* directory = benchGetModelDirectory(options);
	if (!benchCharacter_Load(&character, directory, name, report) || !character.isPresent)
	{
		return false;
	}
	snugModelDef def = sceneMakeBlendDef(&character.mesh, &character.weights, (snugTreeDef){ 0 });
	role->jointCount = character.weights.transformCount;
	role->matrices = benchCharacter_AllocateMatrices(&character, BENCH_CLIP_FRAMES);
	if (role->matrices != NULL)
	{
		uint32_t clip = character.asset.clipCount > 5 ? 5 : 0;
		benchCharacter_PoseClip(&character, clip, BENCH_CLIP_FRAMES, 0.0, role->matrices);
		snugModel_Create(&def, &role->model);
	}
	role->vertexCount = character.mesh.vertexCount;
	snprintf(role->name, sizeof(role->name), "%s", name);
	benchCharacter_Free(&character);
	return role->model != NULL && FindReach(role);
}

// A generated character, and its size: the creature is four metres long, and no crowd is of such.
static bool CastGenerated(benchRole* role, sceneCharacterKind kind, float size)
{
	sceneCharacter character;
	if (!sceneCharacter_Create(&character, kind))
	{
		return false;
	}
	for (uint32_t i = 0; i < 3 * character.mesh.vertexCount; ++i)
	{
		character.mesh.positions[i] *= size;
	}
	snugModelDef def = sceneCharacter_MakeDef(&character, snug_blendLinear);
	role->jointCount = character.weights.transformCount;
	role->vertexCount = character.mesh.vertexCount;
	role->matrices = malloc(BENCH_CLIP_FRAMES * 12 * sizeof(float) * role->jointCount);
	for (int i = 0; i < BENCH_CLIP_FRAMES && role->matrices != NULL; ++i)
	{
		float* matrices = role->matrices + (size_t)i * 12 * role->jointCount;
		sceneCharacter_Walk(&character, (double)i / BENCH_CLIP_FRAMES, matrices);
		for (uint32_t k = 3; k < 12 * role->jointCount; k += 4)
		{
			matrices[k] *= size; // translations
		}
	}
	snugModel_Create(&def, &role->model);
	snprintf(role->name, sizeof(role->name), "%s", kind == scene_man ? "man" : "small creature");
	sceneCharacter_Free(&character);
	return role->model != NULL && role->matrices != NULL && FindReach(role);
}

void benchCast_Free(benchCast* cast)
{
	for (uint32_t i = 0; i < BENCH_MOST_MODELS; ++i)
	{
		snugModel_Destroy(cast->roles[i].model);
		free(cast->roles[i].matrices);
	}
	*cast = (benchCast){ .count = 0 };
}

bool benchCast_Make(benchCast* cast, const benchOptions* options, benchReport* report)
{
	static const char* const names[BENCH_MOST_MODELS] = { "mannequiny", "fox", "makehuman" };
	*cast = (benchCast){ .count = 0 };
	for (int i = 0; i < BENCH_MOST_MODELS && report->failure[0] == '\0'; ++i)
	{
		cast->count += CastCharacter(cast->roles + cast->count, names[i], options, report);
	}
	if (cast->count == 0 && report->failure[0] == '\0')
	{
		cast->count = 2;
		return CastGenerated(cast->roles, scene_man, 1.0f) && CastGenerated(cast->roles + 1, scene_creature, 0.35f);
	}
	return report->failure[0] == '\0';
}
