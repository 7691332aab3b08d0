// Stands in for embree_peer.cpp where Embree is not installed.
#include "bench/embree_peer.h"

bool embreePeer_IsAvailable(void)
{
	return false;
}

const char* embreePeer_GetVersion(void)
{
	return "not installed";
}

embreePeer* embreePeer_Create(const bruteMesh* meshes, int count, embreeUpdate update)
{
	(void)meshes;
	(void)count;
	(void)update;
	return NULL;
}

void embreePeer_Destroy(embreePeer* peer)
{
	(void)peer;
}

void embreePeer_Update(embreePeer* peer)
{
	(void)peer;
}

uint64_t embreePeer_CountCandidates(embreePeer* peer, int a, int b)
{
	(void)peer;
	(void)a;
	(void)b;
	return 0;
}

uint64_t embreePeer_Collide(embreePeer* peer, int a, int b, snugPair* pairs, uint64_t capacity)
{
	(void)peer;
	(void)a;
	(void)b;
	(void)pairs;
	(void)capacity;
	return 0;
}
