// Animations from Assimp. It gives translations, rotations, scales and morph weights with linear interpolation only.
#include "io/assimp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <assimp/cimport.h>

// A clip while its channels are read.
typedef struct clipReader
{
	assimpReader* r;
	ioClip* clip;
	ioChannel* channels;
	double ticks; // per second
	bool* moved;  // nodes
} clipReader;

// Append a channel with room for its keys: times, and behind them values.
// Returns the times, or null with the error set.
static float* AddChannel(clipReader* c, uint32_t node, ioPath path, uint32_t keyCount, uint32_t width)
{
	float* keys = ioAsset_Allocate(c->r->loader->asset, keyCount, (1 + (size_t)width) * sizeof(float));
	if (keys == NULL)
	{
		ioFailMemory(c->r->loader);
		return NULL;
	}
	c->channels[c->clip->channelCount++] = (ioChannel){ .node = node,
		.path = path,
		.interpolation = io_linear,
		.keyCount = keyCount,
		.width = width,
		.times = keys,
		.values = keys + keyCount };
	return keys;
}

static bool AddVectors(clipReader* c, uint32_t node, ioPath path, const struct aiVectorKey* keys, uint32_t count)
{
	float* times = AddChannel(c, node, path, count, 3);
	for (uint32_t i = 0; times != NULL && i < count; ++i)
	{
		float* value = times + count + 3 * (size_t)i;
		times[i] = (float)(keys[i].mTime / c->ticks);
		value[0] = (float)keys[i].mValue.x;
		value[1] = (float)keys[i].mValue.y;
		value[2] = (float)keys[i].mValue.z;
	}
	return times != NULL;
}

static bool AddRotations(clipReader* c, uint32_t node, const struct aiQuatKey* keys, uint32_t count)
{
	float* times = AddChannel(c, node, io_rotation, count, 4);
	for (uint32_t i = 0; times != NULL && i < count; ++i)
	{
		float* value = times + count + 4 * (size_t)i;
		times[i] = (float)(keys[i].mTime / c->ticks);
		value[0] = (float)keys[i].mValue.x;
		value[1] = (float)keys[i].mValue.y;
		value[2] = (float)keys[i].mValue.z;
		value[3] = (float)keys[i].mValue.w;
	}
	return times != NULL;
}

// A channel replaces all of a node's transform, so a node that has one is taken apart.
static void Decompose(assimpReader* r, uint32_t number)
{
	ioNode* node = r->nodes + number;
	struct aiVector3D scale, position;
	struct aiQuaternion rotation;
	if (!node->hasMatrix)
	{
		return;
	}
	aiDecomposeMatrix(&r->sources[number]->mTransformation, &scale, &rotation, &position);
	const double parts[10] = { (double)position.x, (double)position.y, (double)position.z, (double)rotation.x,
		(double)rotation.y, (double)rotation.z, (double)rotation.w, (double)scale.x, (double)scale.y, (double)scale.z };
	double length = sqrt(parts[3] * parts[3] + parts[4] * parts[4] + parts[5] * parts[5] + parts[6] * parts[6]);
	for (int i = 0; i < 10; ++i)
	{
		if (!isfinite(parts[i]) || !(length > 0.5))
		{
			return; // a matrix of no volume; it stays as it is, and the channel moves nothing
		}
	}
	memcpy(node->translation, parts, sizeof(node->translation));
	for (int i = 0; i < 4; ++i)
	{
		node->rotation[i] = parts[3 + i] / length;
	}
	memcpy(node->scale, parts + 7, sizeof(node->scale));
	node->hasMatrix = false;
}

static bool ReadNodeChannel(clipReader* c, const struct aiNodeAnim* source)
{
	uint32_t node = assimpFindNode(c->r, source->mNodeName.data);
	if (node == IO_NONE || c->moved[node])
	{
		ioWarn(c->r->loader, "clip '%.60s': a channel of no node, or a second one, is left out", c->clip->name);
		return true;
	}
	c->moved[node] = true;
	Decompose(c->r, node);
	return (source->mNumPositionKeys == 0 ||
	           AddVectors(c, node, io_translation, source->mPositionKeys, source->mNumPositionKeys)) &&
	       (source->mNumRotationKeys == 0 || AddRotations(c, node, source->mRotationKeys, source->mNumRotationKeys)) &&
	       (source->mNumScalingKeys == 0 ||
	           AddVectors(c, node, io_scale, source->mScalingKeys, source->mNumScalingKeys));
}

// Assimp names the mesh that a morph channel is for, with a star and a number behind it where there are several.
static bool IsNameOf(const char* channel, const char* mesh)
{
	size_t length = strlen(mesh);
	return length > 0 && strncmp(channel, mesh, length) == 0 && (channel[length] == '\0' || channel[length] == '*');
}

// Find the first node with the mesh that a channel names. Its further instances stay at rest.
static uint32_t FindMorphing(const assimpReader* r, const char* name)
{
	const ioAsset* asset = r->loader->asset;
	for (uint32_t i = 0; i < asset->nodeCount; ++i)
	{
		const ioNode* node = r->nodes + i;
		if (node->mesh != IO_NONE && asset->meshes[node->mesh].targetCount > 0 &&
		    (IsNameOf(name, asset->meshes[node->mesh].name) || IsNameOf(name, node->name)))
		{
			return i;
		}
	}
	return IO_NONE;
}

static bool ReadMorphChannel(clipReader* c, const struct aiMeshMorphAnim* source)
{
	uint32_t node = FindMorphing(c->r, source->mName.data), count = source->mNumKeys;
	if (node == IO_NONE || count == 0)
	{
		ioWarn(c->r->loader, "clip '%.60s': a morph channel of no mesh is left out", c->clip->name);
		return true;
	}
	uint32_t width = c->r->loader->asset->meshes[c->r->nodes[node].mesh].targetCount;
	float* times = AddChannel(c, node, io_weights, count, width);
	for (uint32_t i = 0; times != NULL && i < count; ++i)
	{
		const struct aiMeshMorphKey* key = source->mKeys + i;
		times[i] = (float)(key->mTime / c->ticks);
		for (unsigned k = 0; k < key->mNumValuesAndWeights; ++k)
		{
			if (key->mValues[k] < width)
			{
				times[count + (size_t)width * i + key->mValues[k]] = (float)key->mWeights[k];
			}
		}
	}
	return times != NULL;
}

static bool CheckChannels(clipReader* c)
{
	c->clip->start = c->clip->channelCount > 0 ? INFINITY : 0.0;
	for (uint32_t i = 0; i < c->clip->channelCount; ++i)
	{
		const ioChannel* channel = c->channels + i;
		bool valid = true;
		for (size_t k = 0; k < (size_t)channel->keyCount * (1 + (size_t)channel->width); ++k)
		{
			valid = valid && isfinite(channel->times[k]); // values follow times
		}
		for (uint32_t k = 1; k < channel->keyCount; ++k)
		{
			valid = valid && channel->times[k] >= channel->times[k - 1];
		}
		if (!valid)
		{
			return ioFail(
			    c->r->loader, 0, "clip '%.60s': keys are not finite, or their times do not ascend", c->clip->name);
		}
		c->clip->start = fmin(c->clip->start, (double)channel->times[0]);
		c->clip->duration = fmax(c->clip->duration, (double)channel->times[channel->keyCount - 1]);
	}
	return true;
}

static bool ReadClip(assimpReader* r, uint32_t number, ioClip* clip)
{
	const struct aiAnimation* source = r->scene->mAnimations[number];
	ioAsset* asset = r->loader->asset;
	char text[16];
	snprintf(text, sizeof(text), "%u", number);
	clip->name = source->mName.length > 0 ? assimpCopyName(r, &source->mName) : ioAsset_CopyName(asset, text);
	size_t most = 3 * (size_t)source->mNumChannels + source->mNumMorphMeshChannels;
	clipReader c = { .r = r,
		.clip = clip,
		.channels = ioAsset_Allocate(asset, most, sizeof(ioChannel)),
		.ticks = source->mTicksPerSecond > 0.0 ? source->mTicksPerSecond : 25.0,
		.moved = calloc((size_t)asset->nodeCount + 1, sizeof(bool)) };
	clip->channels = c.channels;
	bool read = clip->name != NULL && c.channels != NULL && c.moved != NULL ? true : ioFailMemory(r->loader);
	for (unsigned i = 0; read && i < source->mNumChannels; ++i)
	{
		read = ReadNodeChannel(&c, source->mChannels[i]);
	}
	for (unsigned i = 0; read && i < source->mNumMorphMeshChannels; ++i)
	{
		read = ReadMorphChannel(&c, source->mMorphMeshChannels[i]);
	}
	free(c.moved);
	return read && CheckChannels(&c);
}

bool assimpReadClips(assimpReader* r)
{
	ioAsset* asset = r->loader->asset;
	ioClip* clips = ioAsset_Allocate(asset, r->scene->mNumAnimations, sizeof(ioClip));
	asset->clips = clips;
	for (uint32_t i = 0; clips != NULL && i < r->scene->mNumAnimations; ++i)
	{
		if (!ReadClip(r, i, clips + i))
		{
			return false;
		}
		asset->clipCount++;
	}
	return clips != NULL || ioFailMemory(r->loader);
}
