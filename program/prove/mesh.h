// program/prove/mesh.h: a model as a proof has it: its triangles in an order in which those that are near each other
// are near each other in the list, so that any half of any half of the list is a part of the surface.
#ifndef CLI_PROVE_MESH_H
#define CLI_PROVE_MESH_H

#include "program/prove/text.h"
#include "snug/snug.h"

typedef struct proveMesh
{
	const snugModel* model;
	uint32_t vertexCount, triangleCount;
	float* positions;  ///< at rest
	uint32_t* corners; ///< in the proof's order
	uint32_t* numbers; ///< (triangleCount) what the model calls them
	uint32_t* twins;   ///< per vertex
	uint32_t* starts;  ///< of influences; null without a skin whose joints are blended linearly
	uint16_t* joints;
	float* weights;
	uint32_t* fieldStarts; ///< of displacements; null without fields
	uint16_t* fields;
	float* displacements;
	uint32_t terms;  ///< influences and displacements of one vertex, at most
	bool isListed;   ///< vertices are not a formula of the pose that is linear in joints and fields: they are listed
	char digest[65]; ///< SHA-256 of its file
} proveMesh;

/// @return false if there is no memory; free with proveMesh_Free in any case
bool proveMesh_Create(proveMesh* mesh, const snugModel* model);
void proveMesh_Free(proveMesh* mesh);

/// Write it as text, and find its digest.
void proveMesh_Print(proveMesh* mesh, proveText* text);

/// Its place in a folder.
/// @return false after a message if the path is too long
bool proveMesh_Name(const proveMesh* mesh, const char* folder, char* path, size_t size);

#endif
