// Meshes from Assimp: polygons as fans, morph targets as differences, influences per vertex instead of per joint.
#include "io/assimp.h"
#include "io/weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool ReadTriangles(assimpReader* r, const struct aiMesh* source, uint32_t number, ioMeshBuilder* builder)
{
	unsigned left = 0;
	for (unsigned i = 0; i < source->mNumFaces; ++i)
	{
		const struct aiFace* face = source->mFaces + i;
		left += face->mNumIndices < 3;
		for (unsigned k = 0; k < face->mNumIndices; ++k)
		{
			if (face->mIndices[k] >= source->mNumVertices)
			{
				return ioFail(r->loader, 0, "mesh %u: face %u: vertex number %u is out of range: %u vertices", number,
				    i, face->mIndices[k], source->mNumVertices);
			}
		}
		for (unsigned k = 2; k < face->mNumIndices; ++k)
		{
			if (!ioMeshBuilder_AddTriangle(builder, face->mIndices[0], face->mIndices[k - 1], face->mIndices[k]))
			{
				return ioFailMemory(r->loader);
			}
		}
	}
	if (left > 0)
	{
		ioWarn(r->loader, "mesh %u: %u points or lines, left out", number, left);
	}
	return true;
}

static bool ReadPositions(assimpReader* r, const struct aiMesh* source, uint32_t number, ioMeshBuilder* builder)
{
	for (unsigned i = 0; i < source->mNumVertices; ++i)
	{
		struct aiVector3D v = source->mVertices[i];
		float position[3] = { (float)v.x, (float)v.y, (float)v.z };
		if (!isfinite(v.x) || !isfinite(v.y) || !isfinite(v.z))
		{
			return ioFail(r->loader, 0, "mesh %u: vertex %u is not finite", number, i);
		}
		if (!ioMeshBuilder_AddVertex(builder, position))
		{
			return ioFailMemory(r->loader);
		}
	}
	return true;
}

// Assimp's targets are whole meshes: what they displace is the difference.
static bool ReadTarget(
    assimpReader* r, const struct aiMesh* source, uint32_t number, unsigned index, ioMorphTarget* target)
{
	const struct aiAnimMesh* morph = source->mAnimMeshes[index];
	ioAsset* asset = r->loader->asset;
	target->name = assimpCopyName(r, &morph->mName);
	bool moves = morph->mVertices != NULL && morph->mNumVertices == source->mNumVertices;
	uint32_t* vertices = ioAsset_Allocate(asset, moves ? source->mNumVertices : 0, sizeof(uint32_t));
	float* deltas = ioAsset_Allocate(asset, moves ? source->mNumVertices : 0, 3 * sizeof(float));
	if (target->name == NULL || vertices == NULL || deltas == NULL)
	{
		return ioFailMemory(r->loader);
	}
	for (unsigned i = 0; moves && i < source->mNumVertices; ++i)
	{
		struct aiVector3D to = morph->mVertices[i], from = source->mVertices[i];
		float delta[3] = { to.x - from.x, to.y - from.y, to.z - from.z };
		if (!isfinite(delta[0]) || !isfinite(delta[1]) || !isfinite(delta[2]))
		{
			return ioFail(r->loader, 0, "mesh %u: morph target %u: vertex %u is not finite", number, index, i);
		}
		if (delta[0] != 0.0f || delta[1] != 0.0f || delta[2] != 0.0f)
		{
			vertices[target->count] = i;
			memcpy(deltas + 3 * (size_t)target->count++, delta, sizeof(delta));
		}
	}
	target->vertices = vertices;
	target->deltas = deltas;
	return true;
}

static bool ReadTargets(assimpReader* r, const struct aiMesh* source, uint32_t number, ioAssetMesh* mesh)
{
	unsigned count = source->mNumAnimMeshes;
	if (count == 0)
	{
		return true;
	}
	ioMorphTarget* targets = ioAsset_Allocate(r->loader->asset, count, sizeof(ioMorphTarget));
	float* weights = ioAsset_Allocate(r->loader->asset, count, sizeof(float));
	if (targets == NULL || weights == NULL)
	{
		return ioFailMemory(r->loader);
	}
	mesh->targets = targets;
	mesh->targetCount = count;
	mesh->targetWeights = weights;
	for (unsigned i = 0; i < count; ++i)
	{
		float weight = (float)source->mAnimMeshes[i]->mWeight;
		weights[i] = isfinite(weight) ? weight : 0.0f;
		if (!ReadTarget(r, source, number, i, targets + i))
		{
			return false;
		}
	}
	return true;
}

// Assimp has a list of vertices per joint; here it is a list of joints per vertex. First count, then fill.
static bool CheckBones(assimpReader* r, const struct aiMesh* source, uint32_t number, uint32_t* start)
{
	if (source->mNumBones > 65536)
	{
		return ioFail(r->loader, 0, "mesh %u: more than 65536 joints", number);
	}
	for (unsigned b = 0; b < source->mNumBones; ++b)
	{
		const struct aiBone* bone = source->mBones[b];
		for (unsigned i = 0; i < bone->mNumWeights; ++i)
		{
			unsigned vertex = bone->mWeights[i].mVertexId;
			float weight = (float)bone->mWeights[i].mWeight;
			if (vertex >= source->mNumVertices || !(weight >= 0.0f && weight <= IO_MAX_WEIGHT))
			{
				return ioFail(r->loader, 0, "mesh %u: vertex %u: weight %g is out of range or of no vertex", number,
				    vertex, (double)weight);
			}
			start[vertex + 1] += weight > 0.0f;
		}
	}
	return true;
}

static bool ReadInfluences(assimpReader* r, const struct aiMesh* source, uint32_t number, ioAssetMesh* mesh)
{
	ioAsset* asset = r->loader->asset;
	uint32_t count = source->mNumVertices;
	uint32_t* start = ioAsset_Allocate(asset, (size_t)count + 1, sizeof(uint32_t));
	if (start == NULL || !CheckBones(r, source, number, start))
	{
		return start != NULL ? false : ioFailMemory(r->loader);
	}
	ioWeightRepairs repairs = { .worst = 0.0 };
	for (uint32_t v = 0; v < count; ++v)
	{
		if (start[v + 1] == 0)
		{
			ioNoteUnbound(&repairs, v);
			start[v + 1] = 1; // stays joint 0 with, below, weight 1
		}
		start[v + 1] += start[v];
	}
	uint16_t* joints = ioAsset_Allocate(asset, start[count], sizeof(uint16_t));
	float* weights = ioAsset_Allocate(asset, start[count], sizeof(float));
	uint32_t* next = malloc(((size_t)count + 1) * sizeof(uint32_t));
	if (joints == NULL || weights == NULL || next == NULL)
	{
		free(next);
		return ioFailMemory(r->loader);
	}
	memcpy(next, start, ((size_t)count + 1) * sizeof(uint32_t));
	for (unsigned b = 0; b < source->mNumBones; ++b)
	{
		const struct aiBone* bone = source->mBones[b];
		for (unsigned i = 0; i < bone->mNumWeights; ++i)
		{
			if (bone->mWeights[i].mWeight > 0.0f)
			{
				uint32_t place = next[bone->mWeights[i].mVertexId]++;
				joints[place] = (uint16_t)b;
				weights[place] = (float)bone->mWeights[i].mWeight;
			}
		}
	}
	for (uint32_t v = 0; v < count; ++v)
	{
		double sum = 0.0;
		for (uint32_t i = start[v]; i < start[v + 1]; ++i)
		{
			weights[i] = next[v] == start[v] ? 1.0f : weights[i];
			sum += (double)weights[i];
		}
		ioScaleWeights(&repairs, v, weights + start[v], start[v + 1] - start[v], sum);
	}
	free(next);
	char place[32];
	snprintf(place, sizeof(place), "mesh %u", number);
	ioWarnOfWeights(r->loader, place, &repairs);
	mesh->influenceStart = start;
	mesh->joints = joints;
	mesh->weights = weights;
	mesh->maxJoint = source->mNumBones - 1;
	return true;
}

bool assimpReadMesh(assimpReader* r, uint32_t number, ioAssetMesh* mesh)
{
	const struct aiMesh* source = r->scene->mMeshes[number];
	ioMeshBuilder builder = { .vertexCapacity = 0 };
	mesh->name = assimpCopyName(r, &source->mName);
	bool read = mesh->name != NULL && ioMeshBuilder_Reserve(&builder, source->mNumVertices, source->mNumFaces)
	                ? ReadPositions(r, source, number, &builder) && ReadTriangles(r, source, number, &builder)
	                : ioFailMemory(r->loader);
	if (!read)
	{
		ioMesh_Free(&builder.mesh);
		return false;
	}
	bool owned = ioAsset_Adopt(r->loader->asset, builder.mesh.positions);
	owned = ioAsset_Adopt(r->loader->asset, builder.mesh.triangles) && owned;
	mesh->mesh = builder.mesh;
	return (owned || ioFailMemory(r->loader)) && ReadTargets(r, source, number, mesh) &&
	       (source->mNumBones == 0 || ReadInfluences(r, source, number, mesh));
}
