// lab/bench/skins.h: what `skin-tightness` and `skin-walk` share: the three skins by name, and their characters.
#ifndef BENCH_SKINS_H
#define BENCH_SKINS_H

#include "lab/bench/character.h"

#define BENCH_SKINS 3

/// Linear, spherical, dual quaternion.
extern const snugDeformer benchSkins[BENCH_SKINS];
const char* benchGetSkinName(snugDeformer deformer);

/// The real characters, in a directory that options or SNUG_MODELS name.
#define BENCH_CHARACTERS 4
extern const char* const benchCharacterNames[BENCH_CHARACTERS];
const char* benchGetModelDirectory(const benchOptions* options);

/// The character with a number, or, if the options name a file, just that one.
/// @return false if there is none; see benchCharacter_Load for what else is wrong
bool benchFindCharacter(const benchOptions* options, int number, const char** directory, const char** name);

/// A character, generated or from a file. All of it borrowed.
typedef struct benchSubject
{
	const char* name;
	const sceneMesh* mesh;
	const sceneWeights* weights;
	const float* jointPositions;
	const sceneTargets* targets;
} benchSubject;

benchSubject benchSubject_Generated(const sceneCharacter* character);
benchSubject benchSubject_Loaded(const benchCharacter* character);

/// A row for a character: its counts, or that its file is absent.
void benchSubject_AddRow(benchReport* report, const char* name, const benchSubject* subject, const char* source);

/// Table 1 of spherical-blend-2006, by level from the root = 0: mean radius of refitted balls over that of the smallest
/// ones, for spherical blending.
#define BENCH_PAPER_LEVELS 9
double benchGetPaperRatio(uint32_t level); ///< NaN below its last level

#endif
