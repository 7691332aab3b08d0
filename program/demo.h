// program/demo.h: the scene of `snug demo`: a rigid ring slips over a wobbling blob.
//
// The blob is a free body: all its vertices are new in every frame. The ring is rigid and moves by its frame.
#ifndef CLI_DEMO_H
#define CLI_DEMO_H

#include "scenes/motion.h"

#include <stdio.h>

#define DEMO_SHOTS 6

/// What a frame cost and found.
typedef struct demoFrame
{
	uint64_t pairs;
	snugCounters counters;
	double setMs;   ///< copying the blob's new vertices in
	double refitMs; ///< refitting its bounds
	double queryMs;
	bool verified;  ///< compared with brute force
	bool differs;   ///< and found different
	double bruteMs; ///< what that took
} demoFrame;

/// A picture of a frame, as PNG.
typedef struct demoShot
{
	int frame;
	uint8_t* png;
	size_t bytes;
} demoShot;

typedef struct demo
{
	sceneBlob blob;
	sceneMesh ring;
	float* positions[2]; ///< posed vertices, for pictures and brute force
	uint8_t* marks[2];   ///< triangles that intersect something
	snugModel* models[2];
	snugBody* bodies[2];
	snugPair* pairs;
	uint64_t capacity;
	demoFrame* frames;
	int frameCount;
	demoShot shots[DEMO_SHOTS];
} demo;

/// @return false after a message
bool demo_Create(demo* d, int frameCount);
void demo_Destroy(demo* d);

/// Pose, refit and query one frame; take its picture and verify it if it is one of those.
bool demo_RunFrame(demo* d, int frame);

/// How many frames were compared with brute force, and how many of them differ.
int demo_CountVerified(const demo* d);
int demo_CountDifferent(const demo* d);

/// @return the median over all frames of a time, given its offset in demoFrame
double demo_GetMedian(const demo* d, size_t offset);
int demo_GetPeak(const demo* d);

void demo_PrintPage(const demo* d, FILE* stream);

#endif
