// program/files/shape.h: all bodies of a file as one mesh, at rest or in the frames of a clip: what models are computed
// from.
#ifndef CLI_SHAPE_H
#define CLI_SHAPE_H

#include "io/asset.h"

typedef struct cliShape
{
	const char* path; ///< borrowed
	ioAsset asset;
	ioPose* pose;
	uint32_t firstInstance, instanceCount; ///< those that are taken
	uint32_t vertexCount;
	uint32_t* triangles; ///< three vertex numbers each
	uint32_t triangleCount;
} cliShape;

/// Read a file. Prints what is wrong; free with cliShape_Free in any case.
/// @param only name or number of the one body that is meant; nullable: all of them
bool cliShape_Load(cliShape* shape, const char* path, const char* only);
void cliShape_Free(cliShape* shape);

/// Positions in the world. Prints what is wrong.
/// @param clip number, or IO_NONE for rest
/// @param positions receives x, y, z of each vertex
bool cliShape_Evaluate(cliShape* shape, uint32_t clip, double time, float* positions);

#endif
