// lab/scenes/posture.h: how the joints of a character stand, and legs that reach for a place.
//
// Rotations are unit quaternions x, y, z, w, made by + - * / and sqrt, and by the sines of sine.h: the same bits
// everywhere. At rest all of them are the identity, and every joint has the axes of the world.
#ifndef SCENES_POSTURE_H
#define SCENES_POSTURE_H

#include "lab/scenes/character.h"

typedef struct scenePosture
{
	const sceneCharacter* character;
	int leftJoints;
	double turns[SCENE_MAX_JOINTS][4]; ///< of each joint against its parent
	double move[3];                    ///< of the root
} scenePosture;

/// At rest.
scenePosture scenePosture_Make(const sceneCharacter* character, int leftJoints);

/// Turn a joint about an axis of its parent, after what it has turned already.
void scenePosture_Turn(scenePosture* p, int joint, const double axis[3], double degrees);

/// Turn a joint of a side: what the left joint does, mirrored on the right (side 1).
void scenePosture_TurnSide(scenePosture* p, int side, int joint, const double axis[3], double degrees);

/// Put the third joint of a limb of three in a place, or as near as it can get, and turn it.
/// @param joint the first, of the left side
/// @param place of the third, in the world; its x as on the left
/// @param bend where the second joint bends to, about, in the world
/// @param pitch degrees about x of the third joint in the world
void scenePosture_Reach(
    scenePosture* p, int side, int joint, const double place[3], const double bend[3], double pitch);

/// Matrices in double precision, three rows of four per joint.
void scenePosture_GetMatrices(const scenePosture* p, double (*matrices)[12]);

#endif
