// bench/blend_scene.h: meshless bodies that meet: two, or six on a turning ring.
//
// Sixty frames are a second. Two brains of different shape bend, twist and are pulled, strongest in the middle of that
// second, while they approach and part again. Six of one shape, each at another point of the same motion, stand on a
// ring that turns by a sixth; each touches its two neighbours.
#ifndef BENCH_BLEND_SCENE_H
#define BENCH_BLEND_SCENE_H

#include "bench/meeting.h"

#define BLEND_FRAMES_PER_SECOND 60

/// Which frames of that second.
typedef struct blendClip
{
	int first, count;
} blendClip;

typedef struct blendScene
{
	blendClip clip;
	sceneMeshless meshless[2]; ///< the second is empty if all bodies have one shape
	int shapeCount;
	float* matrices[BENCH_MAX_ACTORS];
	benchActor actors[BENCH_MAX_ACTORS];
	int actorCount;
} blendScene;

/// @param actorCount two or more
/// @param shapeCount of two, the shapes that they have: one or two; of more it is one
/// @return false, with the report failed, if there is no memory
bool blendScene_Create(blendScene* scene, int actorCount, int shapeCount, uint32_t frequency, uint32_t nodeCount,
    blendClip clip, benchReport* report);
void blendScene_Free(blendScene* scene);

/// Places in a scene, which is its user. Two bodies, light: their tips pushed past one another by a little; heavy: one
/// in the other's place, nearly. More of them: on a ring, wide or narrow.
benchPlaceFcn blendPlace;

/// Two bodies whose tips just touch.
benchPlaceFcn blendPlaceTips;

#endif
