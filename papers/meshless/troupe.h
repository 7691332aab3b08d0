// papers/meshless/troupe.h: simulated bodies of one kind, recorded and then asked about each other, all pairs, by every
// method.
#ifndef PAPERS_TROUPE_H
#define PAPERS_TROUPE_H

#include "lab/bench/meeting.h"
#include "papers/meshless/actor.h"

/// What the bodies do, frame by frame.
typedef struct benchTroupe
{
	sceneMeshless body; ///< that all share
	float* matrices[BENCH_MAX_ACTORS];
	int count, frames;
} benchTroupe;

/// Go on for one frame.
typedef bool benchAdvanceFcn(void* simulation, simError* error);

/// Simulate, before anything is timed. Takes the first actor's mesh and weights, which are those of all.
bool benchTroupe_Record(benchTroupe* troupe, simActor* actors, int count, int frames, benchAdvanceFcn* advance,
    void* simulation, simError* error);
void benchTroupe_Free(benchTroupe* troupe);

/// The methods of the meshless papers' tables, and ours.
benchMeetingPlan benchTroupe_GetPlan(const benchOptions* options);

/// Let them meet where they were simulated, every body asked about every other.
/// @return false, with the report failed and nothing to free, if there is no memory
bool benchTroupe_Place(
    const benchTroupe* troupe, benchMeeting* meeting, const char* name, sceneContact contact, benchReport* report);

#endif
