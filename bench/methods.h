// bench/methods.h: the ways to find the pairs of a frame that benchmarks compare.
#ifndef BENCH_METHODS_H
#define BENCH_METHODS_H

#include "bench/blend_bodies.h"

typedef enum benchMethod
{
	bench_ours = 0,     ///< as users get it
	bench_onDemand,     ///< the other strategies, with the same model
	bench_front,        ///
	bench_bottomUp,     ///< all clusters evaluated eight vertices at a time, all boxes merged: the best that we have
	bench_freeBottomUp, ///< all vertices evaluated and handed to a free body
	bench_oracle,       ///< the same, outside the timer
	bench_paper,        ///< Eq. (12) down to single triangles, a binary tree split at medians, with a front
	bench_paperDop,     ///< the same with oriented boxes at rest and 14-DOPs when posed
	bench_paperWide,    ///< Eq. (12) down to single triangles and a front, but our tree: eight nodes at a time, as our
	                    ///< kernels like it, where the paper's leave most of their lanes empty
	bench_spheres,      ///< the skinning paper's sphere tree, corrected, on demand
	bench_spheresUp,    ///< the same, all of it refitted from the triangles up
	bench_limited,      ///< the other bounds, all else as users get it
	bench_program,      ///
	bench_local,        ///
	bench_zeroOrder,    ///
	bench_firstOrder,   ///
	bench_twoThreads,   ///< ours, answered by two threads
	bench_spatialHash,  ///< all vertices evaluated, then hashed
	bench_embree,       ///< all vertices evaluated, Embree's trees refitted, its pairs of boxes, our triangle test
	BENCH_METHODS
} benchMethod;

/// A set of methods: bit 1 << method.
#define BENCH_BIT(method) (1u << (method))

/// The bounds on their own, ours not among them.
#define BENCH_OTHER_BOUNDS                                                                                       \
	(BENCH_BIT(bench_limited) | BENCH_BIT(bench_program) | BENCH_BIT(bench_local) | BENCH_BIT(bench_zeroOrder) | \
	    BENCH_BIT(bench_firstOrder))

typedef enum benchMethodKind
{
	bench_bySnug = 0, ///< a blend body
	bench_byFreeBody, ///< a free body that is handed all vertices
	bench_byHash,
	bench_byEmbree,
	bench_bySpheres, ///< a sphere tree over a body of our own, which evaluates its vertices
} benchMethodKind;

typedef struct benchMethodDef
{
	const char* name;
	benchMethodKind kind;
	benchBounding how;
	int threads;  ///< besides the caller's
	bool isBrief; ///< slow, or beside the point: fewer passes
} benchMethodDef;

const benchMethodDef* benchGetMethod(benchMethod method);

#endif
