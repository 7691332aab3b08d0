// lab/scenes/pair_hash.h: one number for a list of pairs, printed beside every time so that a fast wrong answer shows.
//
// FNV-1a, 64 bits, over the little-endian bytes of a, then b, pair after pair. It depends on the order, so lists must
// be sorted by (a, b), as queries return them. Lists can be chained: pass the hash of one as the start of the next.
#ifndef SCENES_PAIR_HASH_H
#define SCENES_PAIR_HASH_H

#include "snug/snug_scene.h"

#include <string.h>

#define SCENE_HASH_START 0xcbf29ce484222325u

static inline uint64_t sceneHash_Word(uint64_t hash, uint32_t word)
{
	for (int i = 0; i < 4; ++i)
	{
		hash = (hash ^ (word & 0xffu)) * 0x100000001b3u;
		word >>= 8;
	}
	return hash;
}

// The bits of numbers.
static inline uint64_t sceneHash_Floats(uint64_t hash, const float* values, size_t count)
{
	for (size_t i = 0; i < count; ++i)
	{
		uint32_t bits;
		memcpy(&bits, values + i, sizeof(bits));
		hash = sceneHash_Word(hash, bits);
	}
	return hash;
}

static inline uint64_t sceneHash_Pairs(uint64_t hash, const snugPair* pairs, uint64_t count)
{
	for (uint64_t i = 0; i < count; ++i)
	{
		hash = sceneHash_Word(hash, pairs[i].a);
		hash = sceneHash_Word(hash, pairs[i].b);
	}
	return hash;
}

// Of everything that touches in a scene or a crowd: bodies, then their triangles.
static inline uint64_t sceneHash_Scene(const snugScenePair* pairs, uint64_t count, const snugPair* triangles)
{
	uint64_t hash = SCENE_HASH_START;
	for (uint64_t i = 0; i < count; ++i)
	{
		hash = sceneHash_Word(sceneHash_Word(hash, pairs[i].a), pairs[i].b);
		hash = sceneHash_Pairs(hash, triangles + pairs[i].first, pairs[i].count);
	}
	return hash;
}

#endif
