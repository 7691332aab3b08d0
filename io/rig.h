// io/rig.h: what those who pose a skinned mesh need to know: where its joints are at rest, and its morph targets by
// vertex.
#ifndef IO_RIG_H
#define IO_RIG_H

#include "io/asset.h"

typedef struct ioRig
{
	float* jointPositions; ///< x, y, z of each joint when the mesh was bound to it
	uint32_t targetCount;
	uint32_t* starts;  ///< displacements of vertex v are starts[v] to starts[v + 1] - 1; null without targets
	uint16_t* targets; ///< of each displacement, ascending for each vertex
	float* deltas;     ///< x, y, z each
} ioRig;

/// @param skin nullable: no joints
/// @param hasTargets morph targets are wanted; at most 65,535 are listed, and none if there are more
/// @return false if there is no memory; nothing to free then
bool ioRig_Make(ioRig* rig, const ioAssetMesh* mesh, const ioSkin* skin, bool hasTargets);
void ioRig_Free(ioRig* rig);

#endif
