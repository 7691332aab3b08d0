// test/io/compare_changes.h: our own evaluation, changed to do what three.js does. What then agrees with three.js
// differed by that and by nothing else.
#ifndef TEST_COMPARE_CHANGES_H
#define TEST_COMPARE_CHANGES_H

#include "io/load.h"

typedef enum compareChange
{
	compare_fourInfluences = 1, ///< three.js keeps four joints of a vertex
	compare_plainNodes = 2,  ///< its nodes have a position, a rotation and a scale, all inherited: pivots of FBX nodes
	                         ///< count at rest only, shear is lost, and so is what a child does not inherit
	compare_plainShapes = 4, ///< blend shapes of FBX are off at rest; of a channel only the first shape counts, from
	                         ///< 0 to 100 percent, and no percentages of vertices
	compare_boundAtRest = 8, ///< it takes FBX meshes to be bound where they are at rest, not where the file says
	compare_jumps = 16,      ///< where a curve jumps it has the key's value, whichever side that is on
	compare_lostAxes = 32,   ///< it turns the only root of a file whose up axis is not y, and a clip overwrites that
	compare_firstJoint = 64, ///< vertices of FBX meshes that no joint moves follow its first joint, not the mesh's node
	compare_changes = 7,     ///< how many there are
} compareChange;

/// The names of changes, "a and b".
const char* compareName(unsigned changes, char text[200]);

/// Load a file with some changes made.
bool compareLoad(const char* path, unsigned changes, ioAsset* asset, ioError* error);

/// Change what depends on a clip.
/// @param clip nullable: rest
void compareChangeClip(ioAsset* asset, const ioClip* clip, unsigned changes);

/// Where a clip has several keys at this time, let one of them be the only one there.
/// @param which of them: 0 the first, 1 the middle one, 2 the last
/// @return whether there are any
bool compareChooseKeys(const ioClip* clip, double time, int which);

#endif
