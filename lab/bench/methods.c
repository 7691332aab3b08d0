#include "lab/bench/methods.h"

// The model underneath evaluates vertices; its bounds are asked for the root only, to place the body. Trees of the
// papers are their own.
#define PAPER(text, restKind, posedKind)                                                                             \
	{                                                                                                                \
		.name = text, .kind = bench_byLimited, .limited = { .rest = restKind, .volume = posedKind }, .isBrief = true \
	}

#define PEER(text, which)                                                     \
	{                                                                         \
		.name = text, .kind = bench_byPeer, .peer = &(which), .isBrief = true \
	}

#define SLOW_PEER(text, which)                                                                \
	{                                                                                         \
		.name = text, .kind = bench_byPeer, .peer = &(which), .isBrief = true, .isOnce = true \
	}

// Volumes that changing amplitudes would enlarge by more than this part of their size are computed anew.
#define TEMPORAL 0.1

static const benchMethodDef methods[BENCH_METHODS] = {
	[bench_ours] = { .name = "ours" },
	[bench_onDemand] = { .name = "ours, on demand", .strategy = snug_strategyOnDemand },
	[bench_front] = { .name = "ours, front", .strategy = snug_strategyFront },
	[bench_bottomUp] = { .name = "bottom-up", .strategy = snug_strategyBottomUp, .isBrief = true },
	[bench_freeBottomUp] = { .name = "bottom-up, free body", .kind = bench_byFreeBody, .isBrief = true },
	[bench_oracle] = { .name = "oracle", .kind = bench_byFreeBody },
	[bench_paperUp] = { .name = "the paper: bottom-up",
	    .kind = bench_byLimited,
	    .limited = { .bottomUp = true },
	    .isBrief = true },
	[bench_paper] = PAPER("the paper: Eq. (12), AABB/AABB", limited_restBox, limited_box),
	[bench_paperBox14] = PAPER("the paper: Eq. (12), AABB/14-DOP", limited_restBox, limited_dop14),
	[bench_paperDop] = PAPER("the paper: Eq. (12), OBB/14-DOP", limited_restOriented, limited_dop14),
	[bench_paperDop18] = PAPER("the paper: Eq. (12), OBB/18-DOP", limited_restOriented, limited_dop18),
	[bench_paperDop26] = PAPER("the paper: Eq. (12), OBB/26-DOP", limited_restOriented, limited_dop26),
	[bench_paperRest14] = PAPER("the paper: Eq. (12), 14-DOP/14-DOP", limited_restDop14, limited_dop14),
	[bench_spheres] = { .name = "the paper: spheres, on demand", .kind = bench_bySpheres, .isBrief = true },
	[bench_spheresUp] = { .name = "the paper: spheres, bottom-up",
	    .kind = bench_bySpheres,
	    .strategy = snug_strategyBottomUp,
	    .isBrief = true },
	[bench_bd] = { .name = "the paper: BD spheres", .kind = bench_byBd },
	[bench_bdTemporal] = { .name = "the paper: BD spheres, temporal",
	    .kind = bench_byBd,
	    .bd = { bd_spheres, TEMPORAL } },
	[bench_bdBoxes] = { .name = "the paper: BD boxes", .kind = bench_byBd, .bd = { bd_boxes, 0.0 } },
	[bench_bdOriented] = { .name = "the paper: BD oriented boxes", .kind = bench_byBd, .bd = { bd_oriented, 0.0 } },
	[bench_layered] = { .name = "layered spheres", .kind = bench_byLayers },
	[bench_witness] = { .name = "ours, with a witness", .hasWitness = true },
	[bench_oneThread] = { .name = "ours, by the wall", .isOnWall = true },
	[bench_twoThreads] = { .name = "ours, two threads", .threads = 1, .isOnWall = true },
	[bench_spatialHash] = { .name = "spatial hash", .kind = bench_byHash, .isBrief = true },
	[bench_plain] = PEER("a plain SIMD tree", benchPeerPlain),
	[bench_embree] = PEER("Embree, refitted", benchPeerEmbree),
	[bench_fcl] = SLOW_PEER("FCL, refitted", benchPeerFcl),
	[bench_bullet] = SLOW_PEER("Bullet, GImpact", benchPeerBullet),
	[bench_ode] = SLOW_PEER("ODE, OPCODE", benchPeerOde),
	[bench_cgal] = SLOW_PEER("CGAL, rebuilt", benchPeerCgal),
};

const benchMethodDef* benchGetMethod(benchMethod method)
{
	return methods + method;
}

bool benchMethod_IsThere(benchMethod method)
{
	return methods[method].peer == NULL || methods[method].peer->version != NULL;
}
