// src/query/search.h: a traversal under way, for traverse.c, which descends, and parallel.c, which divides the work.
#ifndef SG_SEARCH_H
#define SG_SEARCH_H

#include "query/extra.h"
#include "query/traverse.h"

#include <stdatomic.h>

// Neighbouring steps meet the same leaves again, so the last few groups of them are kept.
#define SG_LEAF_GROUPS 4

typedef struct sgLeafGroup
{
	sgTriangleLanes triangles[SG_LANES];
	sgLeafSource source; ///< where the vertices of the leaf looked at last are, and those of its siblings
	uint32_t group;
	uint32_t ready; ///< lanes that are evaluated
} sgLeafGroup;

typedef struct sgSide
{
	snugBody* body;
	const sgTree* tree;
	sgPlacement placement;
	sgVisits visits;
	sgBoundsScratch scratch;                ///< bounds that found no place in the cache
	sgLeafGroup leafGroups[SG_LEAF_GROUPS]; ///< a group's place is its number modulo SG_LEAF_GROUPS
} sgSide;

/// A pair of lane sets with the overlapping pairs of nodes still to be descended into: bit 8 i + j.
typedef struct sgLevel
{
	uint32_t groupA;
	uint32_t groupB;
	uint64_t pairs;
} sgLevel;

/// What threads that answer one query together share.
typedef struct sgTeam
{
	atomic_flag lock;
	sgSink* sink;
	snugCounters counters;
	atomic_bool isStopped;
} sgTeam;

/// Pairs that a thread collects before it takes the lock.
#define SG_TEAM_PAIRS 64

typedef struct sgSearch
{
	const sgKernels* kernels;
	const sgTraversal* options;
	sgSink* sink;
	sgTeam* team; ///< null: alone
	snugPair found[SG_TEAM_PAIRS];
	uint32_t foundCount;
	snugCounters counters;
	bool isStopped;
	bool isCut;           ///< by the callback or a budget, so there may be more
	sgBoxMotion motionBA; ///< from the space of b to that of a
	sgBoxMotion motionAB;
	bool testsExtra; ///< both bodies have the same volume, and it adds to boxes
	sgExtraTest extra;
	sgSide a, b;
	sgLevel stack[SG_MAX_DEPTH + 1];
} sgSearch;

/// Look at what is below two nodes; settle leaf pairs, and return what remains.
sgLevel sgSearch_Step(sgSearch* search, uint32_t slotA, uint32_t slotB);

/// Everything below two nodes.
void sgSearch_Descend(sgSearch* search, uint32_t slotA, uint32_t slotB);

/// No leaf is evaluated.
void sgSide_ForgetLeaves(sgSide* side);

/// Give a team the pairs collected since last time; stops if the callback wants no more.
void sgSearch_HandOver(sgSearch* search);

/// Whether threads can work on two bodies together.
bool sgCanBeParallel(const snugBody* a, const snugBody* b);

/// Refit both bodies before a query on several threads: most of what sgBody_Prepare does, which is to follow.
void sgSearch_PrepareTogether(sgSearch* search, snugBody* a, snugBody* b);

/// Everything below the roots, on several threads.
void sgSearch_DescendTogether(sgSearch* search);

#endif
