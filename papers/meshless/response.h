// papers/meshless/response.h: what two meshless bodies do to each other where their surfaces intersect: penalty forces,
// from the pairs of triangles that a query found.
//
// Each corner of a triangle of a pair that lies behind the other triangle's plane, but no deeper than a twentieth of
// the body, is pushed out along that plane's normal, and the other triangle back by as much, spread over its corners.
// A vertex in several pairs is pushed once, by the plane that it is least deep behind. Forces go to nodes by the
// weights that carry the surface, so that what is put in on one side is taken out on the other.
//
// Each vertex has the stiffness 0.1 E h, E being the modulus and h the nodes' support, as long as no node gets more
// than that from all of them together; else all get less, so that a finer surface is not a harder one and time steps
// need not be shorter. Damping is critical for a node's mass, and forces never pull.
//
// Surfaces are taken to be closed, with triangles that run counter-clockwise seen from outside.
#ifndef SIM_RESPONSE_H
#define SIM_RESPONSE_H

#include "lab/scenes/meshless.h"
#include "papers/meshless/meshless.h"

/// A surface that a body carries.
typedef struct simSurface
{
	simMeshless* body;           ///< borrowed; receives forces
	const sceneMesh* mesh;       ///< borrowed; its triangles count, not its positions
	const sceneWeights* weights; ///< borrowed
	const float* positions;      ///< (3 * vertexCount) as posed: what pairs were found at; borrowed, set by the caller
	double size;                 ///< half the longest side of the mesh' box at rest
	simHoard hoard;              ///< the three that follow
	double* loads;               ///< (nodes) for responding: vertices that push each, by weight
	struct vertexPush* pushes;   ///< (vertexCount) for responding
	uint32_t* pushed;            ///< (vertexCount) vertices that are pushed
	uint32_t pushedCount;
} simSurface;

bool simSurface_Create(
    simSurface* surface, simMeshless* body, const sceneMesh* mesh, const sceneWeights* weights, simError* error);
void simSurface_Free(simSurface* surface);

/// Add forces to both bodies, for their next step.
/// @param pairs sorted, as queries return them: forces are summed up in their order
/// @return how many vertices are pushed
uint32_t simRespond(simSurface* a, simSurface* b, const snugPair* pairs, uint64_t count);

#endif
