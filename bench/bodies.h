// bench/bodies.h: two bodies that meet, run through their frames and timed, by snug and by Embree.
//
// Every run over the same scene must find the same pairs in every frame; a difference fails the report. The first run
// of a scene sets the answers, and bodies_Verify compares some of them with brute force.
#ifndef BENCH_BODIES_H
#define BENCH_BODIES_H

#include "bench/answers.h"
#include "bench/bench.h"
#include "bench/embree_peer.h"
#include "bench/timer.h"
#include "scenes/motion.h"

/// A scene, and the answers that it has.
typedef struct benchScene
{
	sceneEncounter encounter;
	snugDeformer deformer;
	benchAnswers answers;
	float* world[2]; ///< posed vertices of a frame, for those who need them
} benchScene;

bool benchScene_Create(benchScene* scene, snugDeformer deformer, uint32_t frequency, sceneContact contact, int frames,
    benchReport* report);
void benchScene_Free(benchScene* scene);

/// Times of one method over all frames of a scene, in milliseconds, and mean counters per frame.
typedef struct benchTimes
{
	double buildMs;       ///< of one body's model
	benchSamples set;     ///< per body: giving it its vertices
	benchSamples refit;   ///< per body
	benchSamples query;   ///< per frame
	benchSamples perPair; ///< query in microseconds over pairs, of frames that have some
	benchSamples boxes;   ///< Embree: the query without triangle tests
	double volumeTests;
	double triangleTests; ///< or Embree's candidates
	double exactTests;
	double verticesEvaluated;
	bool measured;
} benchTimes;

/// Run snug over all frames: once to warm up, `passes` times for the clock.
benchTimes benchRunSnug(benchScene* scene, const snugTreeDef* tree, int passes, benchReport* report);

/// The same with Embree. Nothing is measured if it is not installed.
benchTimes benchRunEmbree(benchScene* scene, embreeUpdate update, int passes, benchReport* report);

/// Compare every `step`-th frame with brute force.
/// @return number of frames compared
int benchVerify(benchScene* scene, int step, benchReport* report);

/// Two models and bodies of a scene in its rest shape.
typedef struct benchBodies
{
	snugModel* models[2];
	snugBody* bodies[2];
	double buildMs;
} benchBodies;

bool benchBodies_Create(benchBodies* bodies, benchScene* scene, const snugTreeDef* tree, benchReport* report);
void benchBodies_Destroy(benchBodies* bodies);

#endif
