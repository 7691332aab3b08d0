#include "papers/meshless/actor.h"

#include "snug/snug_queries.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY 65536
#define SOME 64 // triangles at a time

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

// Posed corners of the triangles of pairs: of a surface, those alone push.
// @param side 0: of the first body of the pairs
static snugStatus EvaluatePairs(simActor* actor, const snugPair* pairs, uint64_t count, int side)
{
	snugStatus status = snug_success;
	for (uint64_t first = 0; first < count && status == snug_success; first += SOME)
	{
		uint32_t triangles[SOME], taken = 0;
		float corners[SOME][9];
		for (uint64_t i = first; i < count && i < first + SOME; ++i)
		{
			triangles[taken++] = side == 0 ? pairs[i].a : pairs[i].b;
		}
		status = snugBody_GetCorners(actor->posed, NULL, triangles, taken, corners[0], 0);
		for (uint32_t i = 0; i < 3 * taken; ++i)
		{
			uint32_t vertex = actor->scene.mesh.triangles[3 * (size_t)triangles[i / 3] + i % 3];
			memcpy(actor->positions + 3 * (size_t)vertex, corners[i / 3] + 3 * (i % 3), 3 * sizeof(float));
		}
	}
	return status;
}

static bool Respond(simActor* a, simActor* b, simContacts* contacts, simError* error)
{
	snugResult result =
	    snugCollide(a->posed, b->posed, &(snugQuery){ .pairs = contacts->pairs, .capacity = contacts->capacity });
	uint64_t count = result.count < contacts->capacity ? result.count : contacts->capacity;
	snugStatus status = result.status == snug_success ? EvaluatePairs(a, contacts->pairs, count, 0) : result.status;
	status = status == snug_success ? EvaluatePairs(b, contacts->pairs, count, 1) : status;
	if (status != snug_success)
	{
		return simError_Set(error, "cannot find contacts: %s", snugGetStatusText(status));
	}
	simRespond(&a->surface, &b->surface, contacts->pairs, count);
	contacts->count += result.count;
	return true;
}

bool simActors_RespondAll(simActor* actors, int count, simContacts* contacts, simError* error)
{
	contacts->count = 0;
	for (int i = 0; i < count; ++i)
	{
		if (!simActor_Pose(&actors[i], false, error))
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
