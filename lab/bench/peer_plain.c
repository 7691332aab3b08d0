// The plain tree as a peer: no library at all (papers/common/plain_tree.h).
#include "lab/bench/peer.h"
#include "papers/common/plain_tree.h"

#include <stdlib.h>

typedef struct plainPeer
{
	int count;
	struct
	{
		plainTree* tree;
		const float* positions;
	} sides[];
} plainPeer;

static void Destroy(void* user)
{
	plainPeer* peer = user;
	for (int i = 0; i < peer->count; ++i)
	{
		plainTree_Destroy(peer->sides[i].tree);
	}
	free(peer);
}

static void* Create(const bruteMesh* meshes, int count)
{
	plainPeer* peer = calloc(1, sizeof(plainPeer) + (size_t)count * sizeof(peer->sides[0]));
	bool good = peer != NULL;
	for (int i = 0; i < count && good; ++i)
	{
		peer->count = i + 1;
		peer->sides[i].positions = meshes[i].positions;
		peer->sides[i].tree = plainTree_Create(meshes[i].positions, meshes[i].triangles, meshes[i].triangleCount);
		good = peer->sides[i].tree != NULL;
	}
	if (!good && peer != NULL)
	{
		Destroy(peer);
	}
	return good ? peer : NULL;
}

static void Update(void* user)
{
	plainPeer* peer = user;
	for (int i = 0; i < peer->count; ++i)
	{
		plainTree_Refit(peer->sides[i].tree, peer->sides[i].positions);
	}
}

static uint64_t Collide(void* user, int a, int b, bool firstOnly, snugPair* pairs, uint64_t capacity)
{
	const plainPeer* peer = user;
	return plainTree_Collide(peer->sides[a].tree, peer->sides[b].tree, firstOnly, pairs, capacity);
}

const benchPeer benchPeerPlain = {
	.version = "1",
	.create = Create,
	.destroy = Destroy,
	.update = Update,
	.collide = Collide,
};
