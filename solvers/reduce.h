// solvers/reduce.h: a vertex animation as a mean, a few displacement fields and their amplitudes: principal components.
//
// Of all models mean + sum of amplitude * field with M fields, the one with the least sum of squared errors (Alexa and
// Mueller 2000). It is found from the products of all pairs of frames (Sirovich's method of snapshots), since
// there are far fewer frames than coordinates: with V the eigenvectors of these products, field k is frames * V_k, and
// its amplitudes are V_k. Since V is orthogonal, as many fields as there are frames give back every frame.
//
// A body that turns or travels makes poor components. Where that is asked for, rigid motion is removed first: every
// frame is moved onto the mean shape by the rotation and translation that leave the least squared distance (Horn 1987),
// and that motion is returned beside the amplitudes, as the body's frame.
#ifndef SIM_REDUCE_H
#define SIM_REDUCE_H

#include "snug/snug.h"
#include "solvers/hoard.h"
#include "solvers/sim.h"

/// Frames at most: their products are a matrix of this size.
#define SIM_MAX_FRAMES 8192

/// Zero means default, but for the frames.
typedef struct simReduceDef
{
	const float* frames; ///< (frameCount * vertexCount * 3) finite
	uint32_t frameCount, vertexCount;
	uint32_t fieldCount;      ///< at most; fewer if the animation has no more to it. Default: all that there are
	bool removeMotion;        ///< keep rigid motion apart
	simProgressFcn* progress; ///< nullable
	void* user;
} simReduceDef;

typedef struct simReduced
{
	uint32_t frameCount, vertexCount, fieldCount;
	simHoard hoard;     ///< all that follows
	float* rest;        ///< (vertexCount * 3) the mean
	float* fields;      ///< (fieldCount * vertexCount * 3) the longest displacement of each is 1 long
	float* amplitudes;  ///< (frameCount * fieldCount)
	snugFrame* motions; ///< (frameCount) where each frame's body is; all at the origin unless motion was removed
	double* rmsErrors;  ///< (fieldCount + 1) with the first m fields: root of the mean squared distance of vertices
	double* maxErrors;  ///< (fieldCount + 1) and the longest distance, both measured on what is stored here
} simReduced;

bool simReduced_Compute(simReduced* reduced, const simReduceDef* def, simError* error);
void simReduced_Free(simReduced* reduced);

#endif
