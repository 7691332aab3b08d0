// lab/bench/cast.h: the characters that crowds of `snug bench crowd` are made of.
#ifndef BENCH_CAST_H
#define BENCH_CAST_H

#include "lab/bench/bench.h"
#include "snug/snug.h"

#define BENCH_CLIP_FRAMES 32
#define BENCH_MOST_MODELS 3

/// One of those that a crowd is made of.
typedef struct benchRole
{
	char name[32];
	snugModel* model;
	uint32_t jointCount;
	uint32_t vertexCount;
	float* matrices; ///< (BENCH_CLIP_FRAMES * 12 * jointCount)
	double reach;    ///< from its middle to the side, in metres: the mean of its clip
} benchRole;

typedef struct benchCast
{
	benchRole roles[BENCH_MOST_MODELS]; ///< in turn
	uint32_t count;
} benchCast;

/// Real characters, or generated ones if there are none. False with the report failed, or for want of memory.
bool benchCast_Make(benchCast* cast, const benchOptions* options, benchReport* report);
void benchCast_Free(benchCast* cast);

/// The box of a body's vertices: lower, then upper. All of them belong to triangles.
/// @param positions room for the vertices
bool benchFindExactBox(snugBody* body, float* positions, uint32_t vertexCount, float box[6]);

#endif
