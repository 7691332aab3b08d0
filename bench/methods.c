#include "bench/methods.h"

#define PAPER_TREE                                                    \
	{                                                                 \
		.split = snug_splitMedian, .leafTriangles = 1, .branching = 2 \
	}

// The model underneath evaluates vertices; its bounds are asked for the root only, to place the body.
#define PAPER(text, restKind, posedKind)                                                                  \
	{                                                                                                     \
		.name = text, .kind = bench_byLimited, .how = { .bound = snug_boundLimited, .tree = PAPER_TREE }, \
		.limited = { .rest = restKind, .volume = posedKind }, .isBrief = true                             \
	}

static const benchMethodDef methods[BENCH_METHODS] = {
	[bench_ours] = { .name = "ours" },
	[bench_onDemand] = { .name = "ours, on demand", .how = { .strategy = snug_strategyOnDemand } },
	[bench_front] = { .name = "ours, front", .how = { .strategy = snug_strategyFront } },
	[bench_bottomUp] = { .name = "bottom-up", .how = { .strategy = snug_strategyBottomUp }, .isBrief = true },
	[bench_freeBottomUp] = { .name = "bottom-up, free body", .kind = bench_byFreeBody, .isBrief = true },
	[bench_oracle] = { .name = "oracle", .kind = bench_byFreeBody },
	[bench_paper] = PAPER("the paper: Eq. (12), AABB/AABB", limited_restBox, limited_box),
	[bench_paperBox14] = PAPER("the paper: Eq. (12), AABB/14-DOP", limited_restBox, limited_dop14),
	[bench_paperDop] = PAPER("the paper: Eq. (12), OBB/14-DOP", limited_restOriented, limited_dop14),
	[bench_paperDop18] = PAPER("the paper: Eq. (12), OBB/18-DOP", limited_restOriented, limited_dop18),
	[bench_paperDop26] = PAPER("the paper: Eq. (12), OBB/26-DOP", limited_restOriented, limited_dop26),
	[bench_paperRest14] = PAPER("the paper: Eq. (12), 14-DOP/14-DOP", limited_restDop14, limited_dop14),
	[bench_paperWide] = { .name = "Eq. (12) in our engine and tree",
	    .how = { .bound = snug_boundLimited, .tree = { .leafTriangles = 1 }, .strategy = snug_strategyFront },
	    .isBrief = true },
	[bench_spheres] = { .name = "the paper: spheres, on demand",
	    .kind = bench_bySpheres,
	    .how = { .tree = PAPER_TREE },
	    .isBrief = true },
	[bench_spheresUp] = { .name = "the paper: spheres, bottom-up",
	    .kind = bench_bySpheres,
	    .how = { .tree = PAPER_TREE, .strategy = snug_strategyBottomUp },
	    .isBrief = true },
	[bench_limited] = { .name = "ours, limited", .how = { .bound = snug_boundLimited } },
	[bench_program] = { .name = "ours, program", .how = { .bound = snug_boundProgram }, .isBrief = true },
	[bench_local] = { .name = "ours, local", .how = { .bound = snug_boundLocal }, .isBrief = true },
	[bench_zeroOrder] = { .name = "ours, zeroOrder", .how = { .bound = snug_boundZeroOrder }, .isBrief = true },
	[bench_firstOrder] = { .name = "ours, firstOrder", .how = { .bound = snug_boundFirstOrder }, .isBrief = true },
	[bench_oneThread] = { .name = "ours, by the wall", .isOnWall = true },
	[bench_twoThreads] = { .name = "ours, two threads", .threads = 1, .isOnWall = true },
	[bench_spatialHash] = { .name = "spatial hash", .kind = bench_byHash, .isBrief = true },
	[bench_embree] = { .name = "Embree, refitted", .kind = bench_byEmbree, .isBrief = true },
};

const benchMethodDef* benchGetMethod(benchMethod method)
{
	return methods + method;
}
