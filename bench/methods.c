#include "bench/methods.h"

#define PAPER_TREE                                                    \
	{                                                                 \
		.split = snug_splitMedian, .leafTriangles = 1, .branching = 2 \
	}

static const benchMethodDef methods[BENCH_METHODS] = {
	[bench_ours] = { .name = "ours" },
	[bench_onDemand] = { .name = "ours, on demand", .how = { .strategy = snug_strategyOnDemand } },
	[bench_front] = { .name = "ours, front", .how = { .strategy = snug_strategyFront } },
	[bench_bottomUp] = { .name = "bottom-up", .how = { .strategy = snug_strategyBottomUp }, .isBrief = true },
	[bench_freeBottomUp] = { .name = "bottom-up, free body", .kind = bench_byFreeBody, .isBrief = true },
	[bench_oracle] = { .name = "oracle", .kind = bench_byFreeBody },
	[bench_paper] = { .name = "the paper: Eq. (12), AABB/AABB",
	    .how = { .bound = snug_boundLimited, .boundLeaves = true, .tree = PAPER_TREE, .strategy = snug_strategyFront },
	    .isBrief = true },
	[bench_paperDop] = { .name = "the paper: Eq. (12), OBB/14-DOP",
	    .how = { .bound = snug_boundLimited,
	        .volume = snug_volumeDop14,
	        .restVolume = snug_restOrientedBox,
	        .boundLeaves = true,
	        .tree = PAPER_TREE,
	        .strategy = snug_strategyFront },
	    .isBrief = true },
	[bench_paperWide] = { .name = "the paper: Eq. (12), AABB/AABB, our tree",
	    .how = { .bound = snug_boundLimited,
	        .boundLeaves = true,
	        .tree = { .leafTriangles = 1 },
	        .strategy = snug_strategyFront },
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
	[bench_twoThreads] = { .name = "ours, two threads", .threads = 1 },
	[bench_spatialHash] = { .name = "spatial hash", .kind = bench_byHash, .isBrief = true },
	[bench_embree] = { .name = "Embree, refitted", .kind = bench_byEmbree, .isBrief = true },
};

const benchMethodDef* benchGetMethod(benchMethod method)
{
	return methods + method;
}
