// lab/bench/methods.h: the ways to find the pairs of a frame that benchmarks compare: a table row each.
#ifndef BENCH_METHODS_H
#define BENCH_METHODS_H

#include "lab/bench/blend_bodies.h"
#include "lab/bench/peer.h"
#include "papers/bdtree/bd_tree.h"
#include "papers/meshless/limited_tree.h"

typedef enum benchMethod
{
	bench_ours = 0,     ///< as users get it
	bench_onDemand,     ///< the other strategies, with the same model
	bench_front,        ///
	bench_bottomUp,     ///< all clusters evaluated eight vertices at a time, all boxes merged: the best that we have
	bench_freeBottomUp, ///< all vertices evaluated and handed to a free body
	bench_oracle,       ///< the same, outside the timer
	bench_paperUp,      ///< what the meshless papers compare with, in the same scalar code as their own hierarchy
	bench_paper,        ///< the meshless papers' hierarchy (limited_tree.h): boxes from boxes
	bench_paperBox14,   ///< the same with 14-DOPs from boxes
	bench_paperDop,     ///< 14-DOPs from oriented boxes
	bench_paperDop18,   ///< 18-DOPs from oriented boxes
	bench_paperDop26,   ///< 26-DOPs from oriented boxes
	bench_paperRest14,  ///< 14-DOPs from 14-DOPs
	bench_spheres,      ///< the skinning paper's sphere tree, corrected, on demand
	bench_spheresUp,    ///< the same, all of it refitted from the triangles up
	bench_bd,           ///< the BD-tree itself (bd_tree.h): spheres
	bench_bdTemporal,   ///< the same with its temporal update
	bench_bdBoxes,      ///< boxes
	bench_bdOriented,   ///< boxes along principal axes
	bench_layered,      ///< all vertices evaluated, then layered spheres updated from the leaves up
	bench_witness,      ///< ours, yes/no with a witness: last frame's pair is looked at first
	bench_oneThread,    ///< ours, timed by the wall, as two threads must be
	bench_twoThreads,   ///< ours, answered by two threads
	bench_spatialHash,  ///< all vertices evaluated, then hashed
	bench_plain,        ///< all vertices evaluated, then peers: a plain tree
	bench_embree,       ///< Embree's trees refitted, its pairs of boxes, the plain tree's triangle test
	bench_fcl,          ///
	bench_bullet,       ///
	bench_ode,          ///
	bench_cgal,         ///
	BENCH_METHODS
} benchMethod;

/// A set of methods: bit 1 << method.
typedef uint64_t benchMethodSet;
#define BENCH_BIT(method) ((benchMethodSet)1 << (method))

/// Both of what is timed by the wall.
#define BENCH_THREADED (BENCH_BIT(bench_oneThread) | BENCH_BIT(bench_twoThreads))

/// The papers' other volumes.
#define BENCH_OTHER_VOLUMES                                                                    \
	(BENCH_BIT(bench_paperBox14) | BENCH_BIT(bench_paperDop18) | BENCH_BIT(bench_paperDop26) | \
	    BENCH_BIT(bench_paperRest14))

typedef enum benchMethodKind
{
	bench_bySnug = 0, ///< a body of the actor's own
	bench_byFreeBody, ///< a free body that is handed all vertices; rigid and free actors are that already
	bench_byHash,
	bench_byPeer,
	bench_bySpheres, ///< a sphere tree over a body of our own, which evaluates its vertices
	bench_byLimited, ///< the same of the meshless papers' hierarchy
	bench_byBd,      ///< the same of the BD-tree
	bench_byLayers,  ///< layered spheres
} benchMethodKind;

typedef struct benchMethodDef
{
	const char* name;
	benchMethodKind kind;
	snugStrategy strategy;
	limitedTreeDef limited; ///< of bench_byLimited
	bdTreeDef bd;           ///< of bench_byBd
	const benchPeer* peer;  ///< of bench_byPeer
	int threads;            ///< besides the caller's
	bool isOnWall;          ///< timed by the wall; such methods take turns frame by frame, many times
	bool hasWitness;        ///< yes/no remembers its last pair
	bool isBrief;           ///< slow, or beside the point: fewer passes
	bool isOnce;            ///< slower still: the pass that warms others up is the one that counts
} benchMethodDef;

const benchMethodDef* benchGetMethod(benchMethod method);

/// @return whether it can run: libraries may be missing
bool benchMethod_IsThere(benchMethod method);

#endif
