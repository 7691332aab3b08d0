// io/gltf_write.h: assets as GLB files: meshes, nodes, skins, morph targets and clips, as the reader has them.
//
// What is written is read back as the same asset, but for what nodes and inverse bind matrices have
// in double precision: files have floats. The same bytes for the same asset everywhere. Little-endian machines only.
#ifndef IO_GLTF_WRITE_H
#define IO_GLTF_WRITE_H

#include "io/asset.h"
#include "io/file.h"

/// What a mesh looks like, which assets do not hold.
typedef struct ioLook
{
	const float* normals; ///< nullable; x, y, z of each vertex, unit vectors
	float color[3];       ///< red, green, blue, linear, 0 to 1
} ioLook;

/// Write a file, whole or not at all.
/// @param looks nullable; one per mesh
bool ioWriteGlb(const char* path, const ioAsset* asset, const ioLook* looks, ioError* error);

/// The same, to a stream whose errors are the caller's to find.
/// @param name stands for the path in messages
bool ioPrintGlb(FILE* stream, const char* name, const ioAsset* asset, const ioLook* looks, ioError* error);

#endif
