// program/files/scale.h: a file's meshes and motions in other units.
#ifndef CLI_SCALE_H
#define CLI_SCALE_H

#include "io/asset.h"

/// Make everything in an asset `factor` times as large, about the origin, in every pose.
/// @return false if there is no memory, or a number becomes too large for float32
bool cliScaleAsset(ioAsset* asset, double factor, ioError* error, const char* path);

#endif
