// lab/bench/actor.h: what moves in a benchmark: a mesh, and a function that poses a body of it frame by frame; and
// bodies of it.
#ifndef BENCH_ACTOR_H
#define BENCH_ACTOR_H

#include "lab/bench/report.h"
#include "lab/scenes/character.h"

/// What makes a skin another than linear blending of rest positions. All of it borrowed.
typedef struct benchSkinning
{
	snugBlending blending;
	const float* jointPositions; ///< nullable; see snugSkinDef
	const sceneTargets* targets; ///< nullable: no morph targets
	const float* amplitudes;     ///< (frames * targets->count)
} benchSkinning;

typedef struct benchActor benchActor;

/// Give a body the pose of a frame.
typedef snugStatus benchPoseFcn(const benchActor* actor, snugBody* body, int frame);

/// A mesh and what it does. All of it borrowed. Made by the functions below, one for each deformer.
struct benchActor
{
	const sceneMesh* mesh;
	snugDeformer deformer;
	benchPoseFcn* pose;
	int frameCount;
	const snugFrame* places; ///< (frameCount) nullable: where it is, for benchPlaceAsGiven

	// Of skins.
	const sceneWeights* weights;
	const float* matrices;     ///< (frameCount * weights->transformCount * 12)
	const benchSkinning* skin; ///< nullable: linear blending

	// Of fields.
	const float* fields; ///< (fieldCount * vertexCount * 3)
	uint32_t fieldCount;
	const float* amplitudes; ///< (frameCount * fieldCount)

	// Of free bodies.
	const float* vertices; ///< (frameCount * vertexCount * 3)
};

/// @param skin nullable: linear blending
benchActor benchActor_Skinned(const sceneMesh* mesh, const sceneWeights* weights, const float* matrices, int frameCount,
    const benchSkinning* skin);
benchActor benchActor_Fielded(
    const sceneMesh* mesh, const float* fields, uint32_t fieldCount, const float* amplitudes, int frameCount);
benchActor benchActor_Free(const sceneMesh* mesh, const float* vertices, int frameCount);
benchActor benchActor_Rigid(const sceneMesh* mesh, int frameCount);

/// @return the transforms of a frame of a skin
const float* benchActor_GetMatrices(const benchActor* actor, int frame);

snugStatus benchActor_MakeModel(const benchActor* actor, snugModel** model);

/// A model in a pose.
typedef struct benchBody
{
	snugModelDef def; ///< borrows mesh and weights
	snugModel* model;
	snugBody* body;
	bool borrowsModel;
	double buildMs; ///< of the model
} benchBody;

/// @return false, with the report failed, if something goes wrong
bool benchBody_Create(benchBody* body, const benchActor* actor, snugStrategy strategy, benchReport* report);

/// The same of a skin that need not move. @param skin nullable: linear blending
bool benchBody_CreateSkin(benchBody* body, const sceneMesh* mesh, const sceneWeights* weights,
    const benchSkinning* skin, benchReport* report);

/// Make another body of a model, which must outlive it.
bool benchBody_CreateLike(benchBody* body, const benchBody* other, snugStrategy strategy, benchReport* report);
void benchBody_Destroy(benchBody* body);

#endif
