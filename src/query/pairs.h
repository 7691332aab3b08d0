// src/query/pairs.h: finding pairs of intersecting triangles: a walk over two trees, by one thread (pairs.c) or by
// several together (parallel.c).
#ifndef SG_PAIRS_H
#define SG_PAIRS_H

#include "query/sink.h"
#include "query/view.h"

#include <stdatomic.h>

typedef struct sgPairOptions
{
	const double* origin;
	bool firstOnly;            ///< stop at the first pair
	bool asPlaces;             ///< pairs are places of triangles, leaf * SG_LANES + lane, not the caller's numbers
	bool distanceBound;        ///< find a lower bound of the distance
	bool keepRest;             ///< of one body: also pairs that meet at rest
	snugWitness* witness;      ///< of firstOnly: nullable
	const sgPairLevel* starts; ///< (startCount): where to begin, if not at the roots: nothing else can meet
	uint32_t startCount;
	snugWorkers workers; ///< begin at the roots
} sgPairOptions;

/// What threads that answer one query together share.
typedef struct sgSearchParty
{
	atomic_flag lock;
	sgSink* sink;
	snugCounters counters;
	atomic_bool isStopped;
} sgSearchParty;

#define SG_WAITING_PAIRS 128

/// Pairs that a thread collects before it takes the lock.
#define SG_TEAM_PAIRS 64

/// Where the triangles of a queued pair are.
typedef struct sgQueuedPair
{
	const sgLeaf* leafA;
	const sgLeaf* leafB;
	uint32_t laneA, laneB;
	uint32_t shared;       ///< corners, as sgTriangles_IntersectBeyond wants them: those of the queue
	uint32_t turnA, turnB; ///< corners that the queue begins with
} sgQueuedPair;

typedef struct sgNeighbours sgNeighbours;

/// A search under way.
typedef struct sgPairSearch
{
	sgPairWalk walk;
	const sgKernels* kernels;
	const sgPairOptions* options;
	sgSink* sink;
	sgSearchParty* team;      ///< null: alone
	sgNeighbours* neighbours; ///< of one body with itself (neighbours.h); null: of two
	sgPairLanes queue; ///< pairs that are left to be decided, eight at a time, in the order in which they were met
	sgQueuedPair queued[SG_LANES];
	uint32_t queuedCount;
	uint32_t queuedAtCorner; ///< those that share one corner, the first
	snugPair found[SG_TEAM_PAIRS];
	uint32_t foundCount;
	snugCounters counters;
	bool isCut;           ///< by the callback, so there may be more
	sgBoxMotion motionBA; ///< from the space of b to that of a
	sgBoxMotion motionAB;
	float bound2; ///< all ruled out so far is no nearer than its root; zero: nobody asks, or no longer
	float gap2;   ///< the same for what the last comparison has ruled out
	snugWitness waiting[SG_WAITING_PAIRS]; ///< pairs of triangles whose distance counts if none intersect
	uint32_t waitingCount;
	sgView a, b;
} sgPairSearch;

/// Find pairs of intersecting triangles and hand them to `sink`. Fills in status, complete and counters. Of one body,
/// if `a` is `b`: those that meet beyond the corners they share, the lesser number first, in body space; there is no
/// distance bound, and no witness.
void sgFindPairs(snugBody* a, snugBody* b, const sgPairOptions* options, sgSink* sink, snugResult* result);

/// The same for a query: its pairs go where it says, and are counted.
snugResult sgAnswer(
    snugBody* a, snugBody* b, const sgPairOptions* options, const snugQuery* query, sgFpEnv callersEnvironment);

/// A search by one thread that is to begin; most of it is scratch, and needs no value.
void sgPairSearch_Make(sgPairSearch* search, const sgPairOptions* options, sgSink* sink);

/// Prepare and place both bodies.
/// @return snug_outOfRange, with a message, if one is too far from the origin
snugStatus sgPairSearch_Start(sgPairSearch* search, snugBody* a, snugBody* b);

/// Nothing found, counted or queued yet.
void sgPairSearch_Reset(sgPairSearch* search);

/// A pair of triangles that is left to be decided, in a lane of the queue; then the queue has it.
void sgPairSearch_Queued(sgPairSearch* search);

/// The parts of a step: which pairs of lanes overlap; the triangles of two leaves, some of which may wait in the queue;
/// what waits there.
uint64_t sgPairSearch_Compare(sgPairSearch* search, const sgOpened* a, const sgOpened* b);
void sgPairSearch_Settle(sgPairSearch* search, uint32_t leafSlotA, uint32_t leafSlotB);
void sgPairSearch_Flush(sgPairSearch* search);

/// One step of the walk, and everything below two nodes.
sgPairLevel sgPairSearch_Step(sgPairSearch* search, uint32_t slotA, uint32_t slotB);
void sgPairSearch_Descend(sgPairSearch* search, uint32_t slotA, uint32_t slotB);

/// Give a team the pairs collected since last time; stops if the callback wants no more.
void sgPairSearch_HandOver(sgPairSearch* search);

/// Refit both bodies before a query on several threads: most of what sgBody_Prepare does, which is to follow.
void sgPairSearch_PrepareTogether(sgPairSearch* search, snugBody* a, snugBody* b);

/// Everything below the roots, on several threads.
void sgPairSearch_DescendTogether(sgPairSearch* search);

#endif
