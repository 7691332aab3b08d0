// lab/bench/stage.h: the bodies with which one method goes through a scene, and what else it needs.
#ifndef BENCH_STAGE_H
#define BENCH_STAGE_H

#include "lab/bench/methods.h"
#include "lab/bench/threads.h"
#include "papers/bdtree/layered_spheres.h"
#include "papers/common/oracle.h"
#include "papers/meshless/spatial_hash.h"
#include "papers/spherical/sphere_tree.h"

#define BENCH_MAX_ACTORS 24

/// Nodes of sphere trees that are larger than this part of what is above them are pruned: about the fastest of the ones
/// that `skin-tightness` tries, and trees have nine or ten levels then, whose balls shrink like the skinning paper's.
#define BENCH_PRUNE 0.6

typedef struct benchStage
{
	const benchMethodDef* method;
	int count;
	benchBody bodies[BENCH_MAX_ACTORS];
	oracleBody oracles[BENCH_MAX_ACTORS];        ///< of methods with free bodies
	sphereTree* sphereTrees[BENCH_MAX_ACTORS];   ///< of sphere trees; of the first of its kind only
	sphereBody* spheres[BENCH_MAX_ACTORS];       ///< the same, of each
	limitedTree* limitedTrees[BENCH_MAX_ACTORS]; ///< of the meshless papers' hierarchies; the first of its kind only
	limitedBody* limited[BENCH_MAX_ACTORS];      ///< the same, of each
	bdTree* bdTrees[BENCH_MAX_ACTORS];           ///< of the BD-tree; the first of its kind only
	bdBody* bd[BENCH_MAX_ACTORS];                ///< the same, of each
	layeredSpheres* layers[BENCH_MAX_ACTORS];    ///< of layered spheres
	float* ordered[BENCH_MAX_ACTORS];            ///< of those: placed vertices in the order of the tree
	spatialHash* hash;                           ///< of spatial hashing
	benchThreads* threads;                       ///< of methods with several
	snugWitness witnesses[BENCH_MAX_ACTORS * BENCH_MAX_ACTORS]; ///< of methods that remember, by pair of bodies
	void* peer;                                                 ///< of peers, once there are vertices to build it from
} benchStage;

/// @return whether an actor has vertices that depend on its pose: others need no oracle
bool benchActor_Deforms(const benchActor* actor);

/// @return the body that is asked: of methods with free bodies the oracle, where there is one
snugBody* benchStage_GetBody(const benchStage* stage, int actor);

/// Actors with the same mesh and weights share a model.
/// @param lender nullable: lends its models; must outlive the stage
/// @return false, with the report failed, if something goes wrong
bool benchStage_Create(benchStage* stage, const benchMethodDef* method, const benchActor* actors, int count,
    const benchStage* lender, benchReport* report);
void benchStage_Destroy(benchStage* stage);

/// Give every body its transforms of a frame, and its place.
snugStatus benchStage_Pose(const benchStage* stage, const benchActor* actors, int frame, const snugFrame* places);

#endif
