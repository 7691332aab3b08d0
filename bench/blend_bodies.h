// bench/blend_bodies.h: meshless bodies and skins for the benchmarks, and the bounds by name.
#ifndef BENCH_BLEND_BODIES_H
#define BENCH_BLEND_BODIES_H

#include "bench/bench.h"
#include "scenes/character.h"
#include "snug/snug_bounds.h"

/// Influences per vertex that the papers' models have, about.
#define BENCH_INFLUENCES 20.0

#define BENCH_BOUNDS 6

/// All bounds, the default last.
extern const snugBound benchBounds[BENCH_BOUNDS];
const char* benchGetBoundName(snugBound bound);

/// A model in a pose.
typedef struct benchBlendBody
{
	snugModelDef def; ///< borrows mesh and weights; without the bounds that the model was made with
	snugModel* model;
	snugBody* body;
	bool borrowsModel;
	double buildMs; ///< of the model
} benchBlendBody;

/// How a body is bounded, and when. All zero: as users get it.
typedef struct benchBounding
{
	snugBound bound;
	snugVolume volume;
	snugRestVolume restVolume;
	bool boundLeaves;
	snugTreeDef tree;
	snugStrategy strategy;
} benchBounding;

/// What makes a skin another than linear blending of rest positions. All of it borrowed.
typedef struct benchSkinning
{
	snugDeformer deformer;
	const float* jointPositions; ///< nullable; see snugSkinDef
	const sceneTargets* targets; ///< nullable: no morph targets
	const float* amplitudes;     ///< (frames * targets->count)
} benchSkinning;

/// @return false, with the report failed, if something goes wrong
bool benchBlendBody_Create(benchBlendBody* body, const sceneMesh* mesh, const sceneWeights* weights,
    const benchBounding* how, benchReport* report);

/// The same of another skin. @param skin nullable: linear blending
bool benchBlendBody_CreateSkin(benchBlendBody* body, const sceneMesh* mesh, const sceneWeights* weights,
    const benchSkinning* skin, const benchBounding* how, benchReport* report);

/// Make another body of a model, which must outlive it.
bool benchBlendBody_CreateLike(
    benchBlendBody* body, const benchBlendBody* other, snugStrategy strategy, benchReport* report);
void benchBlendBody_Destroy(benchBlendBody* body);

/// A surface and its weights, with the transforms of some frames: what a blend body is and does. All of it borrowed.
typedef struct benchActor
{
	const sceneMesh* mesh;
	const sceneWeights* weights;
	const float* matrices; ///< (frameCount * weights->transformCount * 12)
	int frameCount;
	const benchSkinning* skin; ///< nullable: linear blending
} benchActor;

/// Give a body the pose of a frame.
snugStatus benchActor_Pose(const benchActor* actor, snugBody* body, int frame);

/// @return the transforms of a frame
const float* benchActor_GetMatrices(const benchActor* actor, int frame);

/// A meshless body with `nodeCount` nodes: the model of the options if there is one, else a generated brain.
/// @return false, with the report failed, if something goes wrong
bool benchMakeMeshless(
    sceneMeshless* meshless, const benchOptions* options, uint32_t frequency, uint32_t nodeCount, benchReport* report);

/// @return nanoseconds to refit one node of a posed body straight from its joints, warm, eight at a time
double benchTimeRefits(snugBody* body);

/// Time refits of single nodes of a body in a pose: a row per bound.
/// @param what names the body
/// @return nanoseconds per node of the default bound, or NaN with the report failed
double benchBlendRefits(
    benchReport* report, const char* what, const sceneMesh* mesh, const sceneWeights* weights, const float* matrices);

/// Table of a few numbers of blend models: building, size, refitting of single nodes, with the aims for them.
void benchBlendMicro(const benchOptions* options, benchReport* report);

#endif
