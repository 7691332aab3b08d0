// program/files/stage.h: the bodies of a scene at a time. One stage per thread; scenes are shared.
#ifndef CLI_STAGE_H
#define CLI_STAGE_H

#include "program/files/scene.h"
#include "snug/snug_scene.h"

typedef struct cliStage
{
	const cliScene* scene;
	snugActor** actors;    ///< per file; null of .snug files
	snugBody** bodies;     ///< per part: the actors', or those of .snug files
	snugScene* crowd;      ///< all bodies, for questions about all pairs (check/contacts.c); nullable, owned
	double time;           ///< of the pose that was set last
	int telling;           ///< the part that messages are about
	ioError error;         ///< what went wrong first
	double milliseconds;   ///< for setting the last pose, from matrices and weights
	snugCounters counters; ///< for the same: vertices of what only the program can pose
} cliStage;

/// Make bodies. Nothing is printed: see `error`. Free with cliStage_Free in any case.
bool cliStage_Create(cliStage* stage, const cliScene* scene);
void cliStage_Free(cliStage* stage);

/// Take the pose that the scene's clip has at a time.
bool cliStage_SetTime(cliStage* stage, double time);

/// Posed positions of a part, as queries decide upon them.
bool cliStage_GetVertices(cliStage* stage, int part, float* positions);

/// What poses a part at the time that was set last: good until another part is asked for. Packed models that nothing
/// moves have a frame alone.
bool cliStage_FindPose(cliStage* stage, int part, ioBodyPose* pose);

/// Say so if one file is much larger than another at a time: their units may differ. What cannot be posed is left to
/// those who pose it next.
void cliStage_WarnOfSizes(const cliScene* scene, double time);

/// Note what a status means, unless the library has told in a sentence of its own.
/// @return true if it means success
bool cliStage_Check(cliStage* stage, int part, snugStatus status);

#endif
