// lab/bench/skins.h: the three skins by name, their characters, and where two of them meet.
#ifndef BENCH_SKINS_H
#define BENCH_SKINS_H

#include "lab/bench/character.h"
#include "lab/bench/meeting.h"

#define BENCH_SKINS 3

/// Linear, spherical, dual quaternion.
extern const snugBlending benchSkins[BENCH_SKINS];
const char* benchGetSkinName(snugBlending blending);

/// The real characters, in a directory that options or SNUG_MODELS name.
#define BENCH_CHARACTERS 4
extern const char* const benchCharacterNames[BENCH_CHARACTERS];
const char* benchGetModelDirectory(const benchOptions* options);

/// The character with a number, or, if the options name a file, just that one.
/// @return false if there is none; see benchCharacter_Load for what else is wrong
bool benchFindCharacter(const benchOptions* options, int number, const char** directory, const char** name);

/// A row for a character: its counts, or that its file is absent.
/// @param actor nullable: a skin of it, with its morph targets
void benchAddCharacterRow(benchReport* report, const char* name, const benchActor* actor, const char* source);

/// Where two characters are (benchPlaceFcn, no user): the second is turned to face the first. In light contact the
/// foremost points of both, a hand, a foot or a nose, are pushed one to four centimetres past one another; in heavy
/// contact one walks through the other.
benchPlaceFcn skinPlaceFrame;

#endif
