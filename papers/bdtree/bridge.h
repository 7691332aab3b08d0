// papers/bdtree/bridge.h: a bridge that sways in the wind, showered with fish: Figs. 6 and 7 of the BD-tree paper.
//
// The bridge of 135,304 vertices is held at both ends and blown at from the side with two periods. It sways far, so it
// is simulated with bricks that turn (papers/bdtree/bricks.h), once; its animation is compressed to ten displacement
// fields (solvers/reduce.h), by which it is posed then, back and forth. Fish of 12,531 vertices and 24,776 triangles
// with three vibration modes are thrown down on it, up to two per step, where there is room for them: none begins in
// another, and the first arrive within half a second. Contacts are those of their spheres of level 7: with each
// other's, and with the triangles of the bridge, which they do not move.
#ifndef PAPERS_BRIDGE_H
#define PAPERS_BRIDGE_H

#include "lab/scenes/mesh.h"
#include "lab/scenes/random.h"
#include "papers/bdtree/world.h"
#include "solvers/reduce.h"

#define SIM_SHOWER_FISH 12000
#define SIM_SHOWER_MODES 3
#define SIM_SHOWER_LEVEL 7
#define SIM_SHOWER_FIELDS 10
#define SIM_SHOWER_FPS 30
#define SIM_SHOWER_STEPS 5 // per frame

typedef struct simShowerDef
{
	uint32_t fishCount;
	uint32_t cellCount; ///< of the bridge; default 1000
	uint32_t frames;    ///< of its animation; default 120
	uint64_t seed;
	snugWorkers workers;
} simShowerDef;

typedef struct simShower
{
	sceneMesh bridgeMesh, fishMesh;
	simReduced sway;
	double reach;
	float* fishFields;
	simShape fish;
	snugModel* bridgeModel;
	contactTree* bridgeTree;
	snugBody* bridge;
	simStage stage;
	simWorld world;
	uint32_t fishCount;
	uint64_t seed;
	float amplitudes[SIM_SHOWER_FIELDS]; ///< of the bridge, as it is posed
} simShower;

/// A fish of a metre with three fins, which are sheets. The first `solidCount` triangles are its closed body.
/// @param coarser 1: of 12,531 vertices and 24,776 triangles; more: for pictures, of so many times fewer vertices
/// @param solidCount nullable
sceneMesh simMakeFinnedFish(uint32_t coarser, uint32_t* solidCount);

bool simShower_Create(simShower* shower, const simShowerDef* def, simError* error);
void simShower_Free(simShower* shower);

/// Pose the bridge, drop up to two fish if some are left, and advance all by a step.
bool simShower_Step(simShower* shower, simError* error);

/// Go on from what simWorld_Write wrote of the world.
bool simShower_Read(simShower* shower, FILE* stream, simError* error);

#endif
