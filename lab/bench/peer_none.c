// The peers whose libraries were not there when snug-lab was built.
#include "lab/bench/peer.h"

#if !BENCH_HAS_EMBREE
const benchPeer benchPeerEmbree = { .package = "libembree-dev" };
const benchRayPeer benchRaysEmbree = { .version = NULL };
#endif
#if !BENCH_HAS_FCL
const benchPeer benchPeerFcl = { .package = "libfcl-dev" };
const benchBroadPeer benchBroadFcl = { .name = "FCL" };
const benchSweepPeer benchSweepFcl = { .version = NULL };
#endif
#if !BENCH_HAS_BULLET
const benchPeer benchPeerBullet = { .package = "libbullet-dev" };
const benchBroadPeer benchBroadBullet = { .name = "Bullet" };
#endif
#if !BENCH_HAS_ODE
const benchPeer benchPeerOde = { .package = "libode-dev" };
#endif
#if !BENCH_HAS_CGAL
const benchPeer benchPeerCgal = { .package = "libcgal-dev" };
#endif
