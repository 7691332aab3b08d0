#include "papers/meshless/actor.h"

#include <stdlib.h>

#define CAPACITY 65536

static bool Build(simActor* actor, sceneMesh mesh, uint32_t nodeCount, double influences, const simMaterial* material,
    simError* error)
{
	if (!sceneMeshless_Create(&actor->scene, mesh, nodeCount, influences))
	{
		return simError_SetMemory(error);
	}
	const sceneMesh* m = &actor->scene.mesh;
	const simMesh surface = { m->positions, m->vertexCount, m->triangles, m->triangleCount };
	const simMeshlessDef def = {
		.nodes = actor->scene.nodes,
		.nodeCount = nodeCount,
		.volume = simGetVolume(&surface),
		.density = material->density,
		.young = material->young,
		.poisson = material->poisson,
		.bulk = material->bulk,
		.damping = material->damping,
		.gravity = { material->gravity[0], material->gravity[1], material->gravity[2] },
	};
	if (!simMeshless_Create(&actor->body, &def, error) ||
	    !simSurface_Create(&actor->surface, &actor->body, m, &actor->scene.weights, error))
	{
		return false;
	}
	snugModelDef modelDef = sceneMakeBlendDef(m, &actor->scene.weights, (snugTreeDef){ 0 });
	snugStatus status = snugModel_Create(&modelDef, &actor->model);
	status = status == snug_success ? snugBody_Create(&(snugBodyDef){ .model = actor->model }, &actor->posed) : status;
	actor->positions = malloc((3 * (size_t)m->vertexCount + 1) * sizeof(float));
	actor->nodes = malloc(nodeCount * sizeof(snugMeshlessNode));
	actor->surface.positions = actor->positions;
	if (status != snug_success)
	{
		return simError_Set(error, "cannot make a model: %s", snugGetStatusText(status));
	}
	return (actor->positions != NULL && actor->nodes != NULL) || simError_SetMemory(error);
}

bool simActor_Create(simActor* actor, sceneMesh mesh, uint32_t nodeCount, double influences,
    const simMaterial* material, simError* error)
{
	*actor = (simActor){ .model = NULL };
	bool good = Build(actor, mesh, nodeCount, influences, material, error);
	if (!good)
	{
		simActor_Free(actor);
	}
	return good;
}

void simActor_Free(simActor* actor)
{
	snugBody_Destroy(actor->posed);
	snugModel_Destroy(actor->model);
	simSurface_Free(&actor->surface);
	simMeshless_Free(&actor->body);
	sceneMeshless_Free(&actor->scene);
	free(actor->positions);
	free(actor->nodes);
	*actor = (simActor){ .model = NULL };
}

bool simActor_Pose(simActor* actor, bool evaluates, simError* error)
{
	simMeshless_GetNodes(&actor->body, actor->nodes);
	snugStatus status = snugBody_SetMeshlessNodes(actor->posed, actor->nodes, actor->body.nodeCount);
	if (status == snug_success && evaluates)
	{
		status = snugBody_GetVertices(actor->posed, NULL, actor->positions, 0);
	}
	return status == snug_success || simError_Set(error, "cannot pose a body: %s", snugGetStatusText(status));
}

// ---- Contacts --------------------------------------------------------------------------------------------------

bool simContacts_Create(simContacts* contacts, simError* error)
{
	*contacts = (simContacts){ .pairs = malloc(CAPACITY * sizeof(snugPair)), .capacity = CAPACITY };
	return contacts->pairs != NULL || simError_SetMemory(error);
}

void simContacts_Free(simContacts* contacts)
{
	free(contacts->pairs);
	*contacts = (simContacts){ .pairs = NULL };
}

static bool BoxesOverlap(const simActor* a, const simActor* b)
{
	snugBounds boxA, boxB;
	if (snugBody_GetBounds(a->posed, NULL, &boxA) != snug_success ||
	    snugBody_GetBounds(b->posed, NULL, &boxB) != snug_success)
	{
		return true; // the query will say what is wrong
	}
	bool overlap = true;
	for (int k = 0; k < 3; ++k)
	{
		overlap = overlap && boxA.lower[k] <= boxB.upper[k] && boxB.lower[k] <= boxA.upper[k];
	}
	return overlap;
}

static bool Respond(simActor* a, simActor* b, simContacts* contacts, simError* error)
{
	snugResult result =
	    snugCollide(a->posed, b->posed, &(snugQuery){ .pairs = contacts->pairs, .capacity = contacts->capacity });
	if (result.status != snug_success)
	{
		return simError_Set(error, "cannot find contacts: %s", snugGetStatusText(result.status));
	}
	simRespond(&a->surface, &b->surface, contacts->pairs,
	    result.count < contacts->capacity ? result.count : contacts->capacity);
	contacts->count += result.count;
	return true;
}

bool simActors_RespondAll(simActor* actors, int count, simContacts* contacts, simError* error)
{
	contacts->count = 0;
	for (int i = 0; i < count; ++i)
	{
		if (!simActor_Pose(&actors[i], true, error))
		{
			return false;
		}
	}
	for (int a = 0; a < count; ++a)
	{
		for (int b = a + 1; b < count; ++b)
		{
			if (BoxesOverlap(&actors[a], &actors[b]) && !Respond(&actors[a], &actors[b], contacts, error))
			{
				return false;
			}
		}
	}
	return true;
}
