// bench/embree_peer.h: Embree's rtcCollide on the same bodies, used as its manual says.
//
// rtcCollide finds pairs of primitives of two scenes whose boxes overlap, for user geometries only; the triangle test
// is ours, the same exact one. It gets one thread, as we do. Where Embree is not installed IsAvailable is false and
// Create returns null.
#ifndef BENCH_EMBREE_PEER_H
#define BENCH_EMBREE_PEER_H

#include "share/brute.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct embreePeer embreePeer;

/// Most bodies of one peer.
#define EMBREE_MAX_BODIES 6

/// How trees follow their triangles.
typedef enum embreeUpdate
{
	embree_refit = 0, ///< dynamic scene, geometry of quality REFIT
	embree_rebuild,   ///< static scene of the best quality, built anew
} embreeUpdate;

bool embreePeer_IsAvailable(void);

/// @return "3.13.5" or so, or "not installed"
const char* embreePeer_GetVersion(void);

/// Build a scene per body. The positions are borrowed, and read by every Update and Collide.
/// @return null if Embree is not installed or fails
embreePeer* embreePeer_Create(const bruteMesh* meshes, int count, embreeUpdate update);
void embreePeer_Destroy(embreePeer* peer);

/// Bring all trees up to date after the positions changed.
void embreePeer_Update(embreePeer* peer);

/// @return how many pairs of boxes of two bodies Embree reports; no triangle is tested
uint64_t embreePeer_CountCandidates(embreePeer* peer, int a, int b);

/// Find the intersecting pairs of two bodies, unsorted.
/// @return number found, possibly above capacity
uint64_t embreePeer_Collide(embreePeer* peer, int a, int b, snugPair* pairs, uint64_t capacity);

#ifdef __cplusplus
}
#endif

#endif
