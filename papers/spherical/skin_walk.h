// papers/spherical/skin_walk.h: the parts of `snug bench skin-walk`.
#ifndef PAPERS_SKIN_WALK_H
#define PAPERS_SKIN_WALK_H

#include "lab/bench/meeting.h"
#include "lab/bench/skins.h"

/// Tables that several scenes fill, one after the other in the report.
typedef struct skinWalkTables
{
	benchReport characters, walkers, refits, shares, clips, posing;
} skinWalkTables;

/// Real characters, two of each and different ones, by every skin: tables, with the aims.
void skinWalkRunReal(const benchOptions* options, skinWalkTables* tables, benchReport* report);

#endif
