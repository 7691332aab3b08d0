// lab/bench/character.h: rigged characters from files, for the benchmarks.
//
// All skinned meshes of a file are one body, carried by the joints of all its skins, with the morph targets of all its
// meshes; meshes that no skin moves are left out. Characters are scaled, so that at rest each is as high as every
// other: their vertices, and where joints move to; joints themselves still only turn.
#ifndef BENCH_CHARACTER_H
#define BENCH_CHARACTER_H

#include "io/rig.h"
#include "lab/bench/blend_bodies.h"

/// Of every character at rest, along y: metres, for a man.
#define BENCH_HEIGHT 1.8

typedef struct benchCharacter
{
	const char* name;
	bool isPresent; ///< if there is no file, nothing else is here
	ioAsset asset;
	ioPose* pose;
	sceneMesh mesh;
	sceneWeights weights;  ///< transforms are the joints of all skins, one skin after the other
	float* jointPositions; ///< (3 * weights.transformCount), at rest
	sceneTargets targets;  ///< those of all skinned instances, one after the other
	double scale;
} benchCharacter;

/// Load `directory/name.glb`, or the file `name` if there is no directory. A file of a directory that is not there is
/// no failure.
/// @param directory nullable
/// @param name borrowed
/// @return false, with the report failed, if there is a file and something is wrong with it
bool benchCharacter_Load(benchCharacter* character, const char* directory, const char* name, benchReport* report);
void benchCharacter_Free(benchCharacter* character);

/// Transforms of frames in the middle of equal parts of a clip: an odd number of them has the clip's middle.
/// @param shift part of the clip's length that all frames are later, from its start again after the end
/// @param matrices receives 12 floats per transform and frame
void benchCharacter_PoseClip(
    const benchCharacter* character, uint32_t clip, int frameCount, double shift, float* matrices);

/// The amplitudes of the morph targets in the same frames.
/// @param amplitudes receives a float per target and frame
void benchCharacter_MorphClip(
    const benchCharacter* character, uint32_t clip, int frameCount, double shift, float* amplitudes);

/// Room for the transforms of some frames. @return null if there is no memory
float* benchCharacter_AllocateMatrices(const benchCharacter* character, int frameCount);

#endif
