// bench/fielded.h: two bodies moved by displacement fields, or rigid, that meet: run through their frames by each
// method and timed. All methods must find the same pairs in every frame.
#ifndef BENCH_FIELDED_H
#define BENCH_FIELDED_H

#include "baselines/bd_tree.h"
#include "bench/answers.h"
#include "bench/bench.h"
#include "scenes/mesh.h"
#include "snug/snug_bounds.h"

/// A surface, its fields, and what it does in some frames. All of it borrowed.
typedef struct benchFielded
{
	const sceneMesh* mesh;
	const float* fields;     ///< (fieldCount * vertexCount * 3)
	uint32_t fieldCount;     ///< zero: rigid
	const float* amplitudes; ///< (frameCount * fieldCount)
	const snugFrame* places; ///< (frameCount)
} benchFielded;

typedef enum benchFieldedKind
{
	bench_byFields = 0,
	bench_byOracle,  ///< all vertices evaluated and all boxes refitted, outside the timer
	bench_byLayers,  ///< layered spheres, all updated in every frame
	bench_byFreeing, ///< all vertices evaluated and all boxes refitted, inside the timer
	bench_byBd,      ///< the paper's own tree and traversal (bd_tree.h)
} benchFieldedKind;

/// How to find pairs.
typedef struct benchFieldedMethod
{
	const char* name;
	benchFieldedKind kind;
	snugBound bound;
	bool boundLeaves;
	snugTreeDef tree;
	snugStrategy strategy;
	bool quick;   ///< run it even when there is little time
	bdTreeDef bd; ///< of bench_byBd
} benchFieldedMethod;

/// Methods that every comparison has, ended by one without a name. The first is ours.
extern const benchFieldedMethod benchFieldedMethods[];
#define BENCH_FIELDED_METHODS 18

/// What came of one method, per frame.
typedef struct benchFieldedResult
{
	bool measured;
	double bestMicroseconds; ///< mean over the frames of each one's least time
	double volumeTests;
	double nodesRefitted;
	double temporalUpdates; ///< of the paper's tree: volumes that were enlarged instead
	double verticesEvaluated;
	double triangleTests;
} benchFieldedResult;

/// Two bodies, one of which may be rigid.
typedef struct benchFieldedScene
{
	const char* name;
	benchFielded actors[2];
	int frameCount;
	bool isScaled; ///< amplitudes were scaled to have spheres grow as the paper's do
} benchFieldedScene;

/// Run all methods, with a row for each, and compare the frame with the most pairs with brute force.
/// @param results (BENCH_FIELDED_METHODS) receives what came of each
void benchFielded_Run(const benchFieldedScene* scene, const benchOptions* options, int passes,
    benchFieldedResult* results, benchReport* report);

/// The number of a method.
int benchFielded_Find(const char* name);

/// A model of an actor.
snugStatus benchFielded_MakeModel(const benchFielded* actor, const benchFieldedMethod* method, snugModel** model);

#endif
