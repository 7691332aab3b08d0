// bench/encounter.h: two blobs that meet (scenes/motion.h) as actors, rigid or free.
#ifndef BENCH_ENCOUNTER_H
#define BENCH_ENCOUNTER_H

#include "bench/meeting.h"

typedef struct benchEncounter
{
	sceneEncounter encounter;
	sceneMesh meshes[2];  ///< at rest; triangles are borrowed from the encounter
	snugFrame* places[2]; ///< of rigid ones
	float* vertices[2];   ///< of free ones, in all frames
	benchActor actors[2];
} benchEncounter;

/// @param deformer snug_rigid or snug_free
/// @return false, with the report failed, if there is no memory
bool benchEncounter_Create(benchEncounter* e, snugDeformer deformer, uint32_t frequency, sceneContact contact,
    int frameCount, benchReport* report);
void benchEncounter_Free(benchEncounter* e);

#endif
