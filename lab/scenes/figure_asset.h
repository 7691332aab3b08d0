// lab/scenes/figure_asset.h: a figure as an asset of io/, to be written as a file.
#ifndef MODELS_FIGURE_ASSET_H
#define MODELS_FIGURE_ASSET_H

#include "io/gltf_write.h"
#include "lab/scenes/figure.h"

/// Nodes are the joints by number, then one that has the mesh.
/// @param asset borrows arrays of the figure, which must outlive it; free with ioAsset_Free
/// @param look receives what its mesh looks like
/// @return false if there is no memory; nothing to free then
bool figureAsset_Make(const sceneFigure* figure, ioAsset* asset, ioLook* look);

#endif
