// papers/meshless/actor.h: a meshless body with all that a scene needs of it: nodes that are simulated, a surface that
// they carry, and a model and body of snug that are posed with them.
#ifndef SIM_ACTOR_H
#define SIM_ACTOR_H

#include "papers/meshless/response.h"

/// What bodies are made of. See simMeshlessDef.
typedef struct simMaterial
{
	double density, young, poisson, bulk, damping;
	double gravity[3];
} simMaterial;

typedef struct simActor
{
	sceneMeshless scene;
	simMeshless body;
	simSurface surface;
	snugModel* model;
	snugBody* posed;
	float* positions;        ///< (3 * vertexCount) of the last pose
	snugMeshlessNode* nodes; ///< (nodeCount) the same
} simActor;

/// @param mesh taken, whether it works out or not; closed
bool simActor_Create(simActor* actor, sceneMesh mesh, uint32_t nodeCount, double influences,
    const simMaterial* material, simError* error);
void simActor_Free(simActor* actor);

/// Pose the body of snug as the nodes are now, and evaluate its surface if asked for.
bool simActor_Pose(simActor* actor, bool evaluates, simError* error);

/// Pairs of triangles that were found in a step.
typedef struct simContacts
{
	snugPair* pairs; ///< of two actors
	uint64_t capacity;
	uint64_t count; ///< of all actors
} simContacts;

bool simContacts_Create(simContacts* contacts, simError* error);
void simContacts_Free(simContacts* contacts);

/// Pose all actors, find the pairs of every two whose boxes overlap, and add penalty forces to both. Pairs beyond the
/// capacity push nothing.
bool simActors_RespondAll(simActor* actors, int count, simContacts* contacts, simError* error);

#endif
