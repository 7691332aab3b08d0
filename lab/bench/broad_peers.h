// lab/bench/broad_peers.h: other libraries' broad phases on boxes that all change in every frame.
#ifndef BENCH_BROAD_PEERS_H
#define BENCH_BROAD_PEERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

typedef enum broadPeerKind
{
	broad_fcl = 0, ///< DynamicAABBTreeCollisionManager: update, then collide
	broad_bullet,  ///< btDbvt: each leaf updated, some of the tree optimised, then collideTT with itself
	BROAD_PEERS
} broadPeerKind;

typedef struct broadPeer broadPeer;

const char* broadPeer_GetName(broadPeerKind kind);

/// @return null if it is not installed
broadPeer* broadPeer_Create(broadPeerKind kind, uint32_t count);

/// @param peer nullable
void broadPeer_Destroy(broadPeer* peer);

/// Take new boxes and find all pairs that overlap.
/// @param boxes lower x y z, upper x y z of each
/// @return how many pairs
uint64_t broadPeer_Update(broadPeer* peer, const float* boxes);

#ifdef __cplusplus
}
#endif

#endif
