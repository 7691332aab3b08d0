// lab/bench/blend_scene.h: two meshless bodies that meet.
//
// Sixty frames are a second. Two brains bend, twist and are pulled, strongest in the middle of that second, while they
// approach and part again.
#ifndef BENCH_BLEND_SCENE_H
#define BENCH_BLEND_SCENE_H

#include "lab/bench/meeting.h"

#define BLEND_FRAMES_PER_SECOND 60

/// Which frames of that second.
typedef struct blendClip
{
	int first, count;
} blendClip;

typedef struct blendScene
{
	blendClip clip;
	sceneMeshless meshless[2]; ///< the second is empty if both bodies have one shape
	int shapeCount;
	float* matrices[2];
	benchActor actors[2];
} blendScene;

/// @param shapeCount that they have: one or two
/// @return false, with the report failed, if there is no memory
bool blendScene_Create(
    blendScene* scene, uint32_t frequency, uint32_t nodeCount, int shapeCount, blendClip clip, benchReport* report);
void blendScene_Free(blendScene* scene);

/// Places in a scene, which is its user. Light: their tips pushed past one another by a little; heavy: one in the
/// other's place, nearly.
benchPlaceFcn blendPlace;

/// Tips just touch.
benchPlaceFcn blendPlaceTips;

#endif
