// bench/skin_walk.h: the parts of `snug bench skin-walk`.
#ifndef BENCH_SKIN_WALK_H
#define BENCH_SKIN_WALK_H

#include "bench/meeting.h"
#include "bench/skins.h"

/// Real characters, two of each and different ones, by every skin: tables, with the aims.
void skinWalkRunReal(const benchOptions* options, benchReport* report);

/// Whether a character can take poses with a skin; otherwise a row says why not.
/// @param text of the table that would have had it
bool skinWalkCanPose(
    benchReport* report, const char* table, const char* name, const benchActor* actor, snugDeformer deformer);

#endif
