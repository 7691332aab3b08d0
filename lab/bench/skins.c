#include "lab/bench/skins.h"

#include <math.h>
#include <stdlib.h>

const snugDeformer benchSkins[BENCH_SKINS] = { snug_skin, snug_sphericalSkin, snug_dualQuaternionSkin };
const char* const benchCharacterNames[BENCH_CHARACTERS] = { "mannequiny", "makehuman", "fox", "alien" };

const char* benchGetSkinName(snugDeformer deformer)
{
	return deformer == snug_sphericalSkin        ? "spherical"
	       : deformer == snug_dualQuaternionSkin ? "dual quaternion"
	                                             : "linear";
}

const char* benchGetModelDirectory(const benchOptions* options)
{
	const char* named = getenv("SNUG_MODELS");
	return options->models != NULL ? options->models : named != NULL ? named : "build/models";
}

bool benchFindCharacter(const benchOptions* options, int number, const char** directory, const char** name)
{
	if (options->model != NULL)
	{
		*directory = NULL;
		*name = options->model;
		return number == 0;
	}
	*directory = benchGetModelDirectory(options);
	*name = number < BENCH_CHARACTERS ? benchCharacterNames[number] : NULL;
	return number < BENCH_CHARACTERS;
}

benchSubject benchSubject_Generated(const sceneCharacter* character)
{
	return (benchSubject){ character->name, &character->mesh, &character->weights, character->jointPositions,
		&character->targets };
}

benchSubject benchSubject_Loaded(const benchCharacter* character)
{
	return (benchSubject){ character->name, &character->mesh, &character->weights, character->jointPositions,
		&character->targets };
}

void benchSubject_AddRow(benchReport* report, const char* name, const benchSubject* subject, const char* source)
{
	benchRow* row = benchReport_AddRow(report, "The characters");
	benchRow_Text(row, "character", name);
	benchRow_Text(row, "from", source);
	if (subject != NULL)
	{
		uint32_t vertexCount = subject->mesh->vertexCount;
		benchRow_Count(row, "vertices", vertexCount);
		benchRow_Count(row, "triangles", subject->mesh->triangleCount);
		benchRow_Count(row, "joints", subject->weights->transformCount);
		benchRow_Number(
		    row, "influencesPerVertex", (double)subject->weights->starts[vertexCount] / (double)vertexCount, 2);
		benchRow_Count(row, "morphTargets", subject->targets->count);
	}
}

double benchGetPaperRatio(uint32_t level)
{
	static const double refitted[BENCH_PAPER_LEVELS] = { 79.55, 33.95, 8.89, 4.12, 1.83, 0.98, 0.66, 0.43, 0.30 };
	static const double optimal[BENCH_PAPER_LEVELS] = { 34.41, 22.05, 7.39, 3.69, 1.70, 0.92, 0.61, 0.42, 0.30 };
	return level < BENCH_PAPER_LEVELS ? refitted[level] / optimal[level] : (double)NAN;
}
