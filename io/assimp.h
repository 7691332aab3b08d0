// io/assimp.h: the parts of the reader that goes through Assimp: see assimp.c.
#ifndef IO_ASSIMP_H
#define IO_ASSIMP_H

#include "io/load.h"

#include <assimp/types.h> // before the others, which do not include all that they need

#include <assimp/scene.h>

typedef struct assimpName
{
	const char* name;
	uint32_t node;
} assimpName;

typedef struct assimpReader
{
	ioLoader* loader;
	const struct aiScene* scene;
	const struct aiNode** sources; ///< of each node of the asset that Assimp has, parents first
	uint32_t sourceCount;
	assimpName* names; ///< of these, sorted
	ioNode* nodes;
	uint32_t* skinOfMesh;
} assimpReader;

/// Copy a name into the asset. Null if there is no memory.
const char* assimpCopyName(const assimpReader* r, const struct aiString* string);
/// The node of this name, or IO_NONE.
uint32_t assimpFindNode(const assimpReader* r, const char* name);

/// Fill one mesh of the asset.
bool assimpReadMesh(assimpReader* r, uint32_t number, ioAssetMesh* mesh);
/// Fill the asset's clips. Nodes that they move get a translation, rotation and scale instead of their matrix.
bool assimpReadClips(assimpReader* r);

#endif
