#include "io/plain.h"

#include "io/load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEYS_PER_SECOND 120.0
// Of all clips together, of channels or of nodes, all of which are posed: small files can name many.
#define MAX_CHANNEL_KEYS 4e7

/// Numbers that a node has at a time: three each of translation and scale, four of rotation.
typedef struct parts
{
	double translation[3], rotation[4], scale[3];
	bool isRoot; // they place it in the world, not within its parent
} parts;

typedef struct plainer
{
	const ioAsset* from;
	ioAsset* to;
	ioPose* pose;
	uint32_t* instances; // per node: the one that it places, or IO_NONE
	bool isPlain;
} plainer;

static parts GetParts(const plainer* p, uint32_t node)
{
	parts is;
	is.isRoot = !ioPose_GetParts(p->pose, node, is.translation, is.rotation, is.scale);
	return is;
}

static uint32_t GetTargetCount(const plainer* p, uint32_t node)
{
	const ioNode* n = p->from->nodes + node;
	return p->instances[node] != IO_NONE ? p->from->meshes[n->mesh].targetCount : 0;
}

static bool IsPlain(const ioAsset* asset)
{
	bool plain = true;
	for (uint32_t i = 0; i < asset->nodeCount; ++i)
	{
		plain = plain && asset->nodes[i].pivots == NULL;
	}
	for (uint32_t i = 0; i < asset->clipCount; ++i)
	{
		const ioClip* clip = asset->clips + i;
		for (uint32_t k = 0; k < clip->channelCount; ++k)
		{
			const ioChannel* c = clip->channels + k;
			const ioNode* node = asset->nodes + c->node;
			uint32_t targets = node->mesh != IO_NONE ? asset->meshes[node->mesh].targetCount : 0;
			plain = plain && c->width == (c->path == io_weights ? targets : c->path == io_rotation ? 4 : 3);
		}
	}
	return plain;
}

// ---- Nodes -----------------------------------------------------------------------------------------------------

static bool MakeNodes(plainer* p)
{
	const ioAsset* from = p->from;
	ioNode* nodes = ioAsset_Allocate(p->to, from->nodeCount, sizeof(ioNode));
	for (uint32_t i = 0; nodes != NULL && i < from->nodeCount; ++i)
	{
		const ioNode* node = from->nodes + i;
		nodes[i] = *node;
		nodes[i].pivots = NULL;
		bool isPlaced = p->instances[i] != IO_NONE;
		nodes[i].mesh = isPlaced ? node->mesh : IO_NONE;
		nodes[i].skin = isPlaced ? from->instances[p->instances[i]].skin : IO_NONE;
		nodes[i].weights = isPlaced ? node->weights : NULL;
		if (!p->isPlain && !node->hasMatrix)
		{
			parts is = GetParts(p, i);
			nodes[i].parent = is.isRoot ? IO_NONE : node->parent;
			memcpy(nodes[i].translation, is.translation, sizeof(is.translation));
			memcpy(nodes[i].rotation, is.rotation, sizeof(is.rotation));
			memcpy(nodes[i].scale, is.scale, sizeof(is.scale));
		}
	}
	p->to->nodes = nodes;
	p->to->nodeCount = nodes != NULL ? from->nodeCount : 0;
	return nodes != NULL;
}

// ---- Clips -----------------------------------------------------------------------------------------------------

// What nodes do in a clip: `paths` are bits, 1 << ioPath. Children are seen after their parents.
static bool FindMoving(const plainer* p, const ioClip* clip, uint8_t* paths)
{
	const uint8_t all = 1 << io_translation | 1 << io_rotation | 1 << io_scale;
	bool* moves = calloc((size_t)p->from->nodeCount + 1, sizeof(bool)); // with all that hangs from it
	for (uint32_t i = 0; moves != NULL && i < clip->channelCount; ++i)
	{
		const ioChannel* c = clip->channels + i;
		moves[c->node] = moves[c->node] || c->path != io_weights;
		// Pivots make a translation of any of the three.
		paths[c->node] |= c->path == io_weights ? (GetTargetCount(p, c->node) > 0 ? 1 << io_weights : 0) : all;
	}
	for (uint32_t i = 0; moves != NULL && i < p->from->nodeCount; ++i)
	{
		uint32_t number = p->from->nodeOrder[i], parent = p->from->nodes[number].parent;
		moves[number] = moves[number] || (parent != IO_NONE && moves[parent]);
		if (moves[number] && !p->from->nodes[number].hasMatrix && GetParts(p, number).isRoot)
		{
			paths[number] |= all;
		}
	}
	free(moves);
	return moves != NULL;
}

static int CompareTimes(const void* a, const void* b)
{
	float x = *(const float*)a, y = *(const float*)b;
	return (x > y) - (x < y);
}

// Times of keys of the plain clip: those of all keys, where motions may have kinks, and enough between them.
static float* MakeTimes(plainer* p, const ioClip* clip, uint32_t channelCount, uint32_t* count)
{
	size_t given = 0, next = 0;
	for (uint32_t i = 0; i < clip->channelCount; ++i)
	{
		given += clip->channels[i].keyCount;
	}
	float* keys = malloc((given + 1) * sizeof(float));
	for (uint32_t i = 0; keys != NULL && i < clip->channelCount; ++i)
	{
		for (uint32_t k = 0; k < clip->channels[i].keyCount; ++k)
		{
			double time = (double)clip->channels[i].times[k];
			keys[next] = clip->channels[i].times[k];
			next += time >= clip->start && time <= clip->duration; // constants of FBX have their key at zero
		}
	}
	if (keys != NULL)
	{
		given = next;
		qsort(keys, given, sizeof(float), CompareTimes);
	}
	double share = MAX_CHANNEL_KEYS / p->from->clipCount / (fmax(channelCount, p->from->nodeCount) + 1.0);
	double total = clip->duration - clip->start, least = fmax(1e-6, total / fmin(share, 1e5));
	double most = fmax(1.0 / KEYS_PER_SECOND, least);
	float* times = ioAsset_Allocate(p->to, given + (size_t)(total / most) + 1, sizeof(float));
	*count = 0;
	for (size_t i = 0; keys != NULL && times != NULL && i < given; ++i)
	{
		double last = *count > 0 ? (double)times[*count - 1] : (double)keys[i], span = (double)keys[i] - last;
		int steps = i == 0 ? 1 : span > least ? (int)ceil(span / most - 1e-3) : 0;
		for (int k = 1; k <= steps; ++k)
		{
			float time = (float)(last + span * k / steps);
			times[*count] = time;
			*count += *count == 0 || time > times[*count - 1];
		}
	}
	bool made = keys != NULL;
	free(keys);
	return made ? times : NULL;
}

static void Sample(const plainer* p, ioChannel* c, uint32_t key)
{
	float* values = (float*)c->values + (size_t)c->width * key; // it is ours as long as the asset is made
	parts is = GetParts(p, c->node);
	const double* weights =
	    c->path == io_weights ? ioPose_GetMorphWeights(p->pose, p->instances[c->node]) : is.translation;
	const double* const numbers[] = { is.translation, is.rotation, is.scale, weights };
	for (uint32_t i = 0; i < c->width; ++i)
	{
		values[i] = (float)numbers[c->path][i];
	}
}

// A channel whose numbers are those at rest throughout says nothing.
static bool IsAtRest(const plainer* p, const ioChannel* c)
{
	const ioNode* node = p->to->nodes + c->node;
	const double* const rest[] = { node->translation, node->rotation, node->scale };
	bool still = c->path != io_weights;
	for (size_t i = 0; still && i < (size_t)c->width * c->keyCount; ++i)
	{
		still = c->values[i] == (float)rest[c->path][i % c->width];
	}
	return still;
}

static bool MakeChannels(plainer* p, uint32_t clip, const uint8_t* paths, ioChannel* channels, uint32_t count)
{
	const ioClip* from = p->from->clips + clip;
	uint32_t timeCount = 0, next = 0;
	float* times = MakeTimes(p, from, count, &timeCount);
	bool made = times != NULL;
	for (uint32_t node = 0; node < p->from->nodeCount; ++node)
	{
		for (int path = 0; made && path < 4; ++path)
		{
			if ((paths[node] >> path & 1) == 0)
			{
				continue;
			}
			uint32_t width = path == io_weights ? GetTargetCount(p, node) : path == io_rotation ? 4 : 3;
			channels[next] = (ioChannel){ .node = node,
				.path = (ioPath)path,
				.keyCount = timeCount,
				.width = width,
				.times = times,
				.values = ioAsset_Allocate(p->to, timeCount, width * sizeof(float)) };
			made = channels[next++].values != NULL;
		}
	}
	for (uint32_t key = 0; made && key < timeCount; ++key)
	{
		ioPose_Evaluate(p->pose, clip, (double)times[key]);
		for (uint32_t i = 0; i < count; ++i)
		{
			Sample(p, channels + i, key);
		}
	}
	return made;
}

static bool SampleClip(plainer* p, uint32_t number, ioClip* clip)
{
	uint8_t* paths = calloc((size_t)p->from->nodeCount + 1, sizeof(uint8_t));
	bool made = paths != NULL && FindMoving(p, p->from->clips + number, paths);
	uint32_t count = 0, kept = 0;
	for (uint32_t i = 0; made && i < 4 * p->from->nodeCount; ++i)
	{
		count += paths[i / 4] >> i % 4 & 1;
	}
	ioChannel* channels = ioAsset_Allocate(p->to, count, sizeof(ioChannel));
	made = made && channels != NULL && MakeChannels(p, number, paths, channels, count);
	for (uint32_t i = 0; made && i < count; ++i)
	{
		if (!IsAtRest(p, channels + i) || (kept == 0 && i + 1 == count)) // a clip has one at least
		{
			channels[kept++] = channels[i];
		}
	}
	clip->channels = channels;
	clip->channelCount = kept;
	free(paths);
	return made;
}

// The channels as they are, but for weights of meshes that are left out.
static bool CopyClip(plainer* p, uint32_t number, ioClip* clip)
{
	const ioClip* from = p->from->clips + number;
	ioChannel* channels = ioAsset_Allocate(p->to, from->channelCount, sizeof(ioChannel));
	clip->channelCount = 0;
	for (uint32_t i = 0; channels != NULL && i < from->channelCount; ++i)
	{
		const ioChannel* c = from->channels + i;
		if (c->path != io_weights || GetTargetCount(p, c->node) > 0)
		{
			channels[clip->channelCount++] = *c;
		}
	}
	clip->channels = channels;
	return channels != NULL;
}

static bool MakeClips(plainer* p)
{
	ioClip* clips = ioAsset_Allocate(p->to, p->from->clipCount, sizeof(ioClip));
	bool made = clips != NULL;
	for (uint32_t i = 0; made && i < p->from->clipCount; ++i)
	{
		clips[i] = p->from->clips[i];
		made = p->isPlain ? CopyClip(p, i, clips + i) : SampleClip(p, i, clips + i);
	}
	p->to->clips = clips;
	p->to->clipCount = made ? p->from->clipCount : 0;
	return made;
}

// ---- Assets ----------------------------------------------------------------------------------------------------

bool ioMakePlain(const ioAsset* asset, const char* name, ioAsset* plain, ioError* error)
{
	plainer p = { .from = asset, .to = plain, .pose = ioPose_Create(asset), .isPlain = IsPlain(asset) };
	*plain = (ioAsset){ .format = asset->format,
		.meshes = asset->meshes,
		.nodeOrder = asset->nodeOrder,
		.skins = asset->skins,
		.instances = asset->instances,
		.meshCount = asset->meshCount,
		.skinCount = asset->skinCount,
		.instanceCount = asset->instanceCount,
		.jointCount = asset->jointCount,
		.weightCount = asset->weightCount };
	p.instances = malloc(((size_t)asset->nodeCount + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; p.instances != NULL && i < asset->nodeCount; ++i)
	{
		p.instances[i] = IO_NONE;
	}
	for (uint32_t i = 0; p.instances != NULL && i < asset->instanceCount; ++i)
	{
		p.instances[asset->instances[i].node] = i;
	}
	bool made = p.pose != NULL && p.instances != NULL && MakeNodes(&p) && MakeClips(&p);
	ioPose_Destroy(p.pose);
	free(p.instances);
	if (!made)
	{
		ioAsset_Free(plain);
		return ioError_SetMemory(error, name);
	}
	return true;
}
