// test/support/skin_support.h: skins whose joints turn, for the tests of spherical and dual quaternion blending.
#ifndef TEST_SKIN_SUPPORT_H
#define TEST_SKIN_SUPPORT_H

#include "fields_support.h"
#include "hard_skins.h"

// A model and a body of a skin that turns. Copies the mesh.
Thing MakeSkinThing(const SkinnedMesh* skinned, Mover deformer, snugTreeDef tree, snugStrategy strategy);

// The same with displacement fields before the skin, linear ones too.
Thing MakeMorphThing(
    const SkinnedMesh* skinned, const FieldSet* set, Mover deformer, snugTreeDef tree, snugStrategy strategy);

// The matrix of a rotation by a unit quaternion x y z w, then a translation.
void RigidMatrix(const double rotation[4], const double translation[3], float matrix[12]);

// A turn by an angle about an axis of any length but zero.
void AxisTurn(const double axis[3], double angle, double rotation[4]);

// Rigid matrices of every sort: equal, nearly equal, small turns, chains of joints that meet, half turns exactly or
// nearly, unrelated, about one axis, far away; at times some of them scale.
void TurnJoints(sceneRandom* random, SkinnedMesh* skinned);

// Change the matrices a little, as one step of an animation does.
void NudgeJoints(sceneRandom* random, SkinnedMesh* skinned);

#endif
