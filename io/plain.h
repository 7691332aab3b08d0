// io/plain.h: an asset as glTF can say it.
//
// FBX has pivots, orders of turns, ways to take over scale and curves of single numbers. A plain asset has none: its
// nodes are moved, turned and scaled within their parents, and what moves has keys where the file has some and 120
// times a second between them. Instances keep their names, vertices and order; meshes without one are left out.
#ifndef IO_PLAIN_H
#define IO_PLAIN_H

#include "io/asset.h"
#include "io/file.h"

/// Make a plain asset. An asset that is plain already keeps its keys.
/// @param asset borrowed: must outlive the other one
/// @param name stands for the path in messages
/// @param plain receives the asset, or zeros; free with ioAsset_Free
bool ioMakePlain(const ioAsset* asset, const char* name, ioAsset* plain, ioError* error);

#endif
