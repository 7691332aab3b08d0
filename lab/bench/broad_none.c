// Stands in for broad_peers.cpp where there is no C++ compiler.
#include "lab/bench/broad_peers.h"

#include <stddef.h>

const char* broadPeer_GetName(broadPeerKind kind)
{
	return kind == broad_fcl ? "FCL" : "Bullet";
}

broadPeer* broadPeer_Create(broadPeerKind kind, uint32_t count)
{
	(void)kind;
	(void)count;
	return NULL;
}

void broadPeer_Destroy(broadPeer* peer)
{
	(void)peer;
}

uint64_t broadPeer_Update(broadPeer* peer, const float* boxes)
{
	(void)peer;
	(void)boxes;
	return 0;
}
