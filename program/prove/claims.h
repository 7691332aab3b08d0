// program/prove/claims.h: what a proof says about two bodies, or one and itself, in one step.
//
// Claims are found in double precision, with room for its errors, so that each of them holds in exact arithmetic.
#ifndef CLI_PROVE_CLAIMS_H
#define CLI_PROVE_CLAIMS_H

#include "program/prove/mesh.h"

/// A body at both ends of a step. Zero-initialise; free with proveSide_Free.
typedef struct proveSide
{
	const proveMesh* mesh;
	double* ends[2];  ///< (vertexCount * 3)
	double* spans[2]; ///< of nodes: where they begin and end along some directions, at both ends
	double errors[2]; ///< of a coordinate, at most
	uint32_t nodes;   ///< that have spans
	uint32_t* stamps; ///< per vertex, for counting what two nodes share: which count it was last part of
	uint32_t stamp;   ///< the last one
	uint32_t* names;  ///< per vertex: the first of its twins that is where it is, at both ends
} proveSide;

/// Make room for a body. @return false if there is no memory
bool proveSide_Create(proveSide* side, const proveMesh* mesh);
void proveSide_Free(proveSide* side);

/// The vertices at an end are there.
void proveSide_Prepare(proveSide* side, int end);
/// The end becomes the start.
void proveSide_Advance(proveSide* side);

/// Where a vertex is at two times of the step.
void proveSide_Place(const proveSide* side, uint32_t vertex, const double u[2], double places[2][3]);

typedef struct proveQuestion
{
	proveSide* a;
	proveSide* b;         ///< null: with itself
	const snugPair* left; ///< pairs that do not count, sorted, in the proofs' numbers
	size_t leftCount;
	int maxHalvings; ///< of the step
} proveQuestion;

/// Add what can be proved about a step to a text.
void proveStep(const proveQuestion* question, proveText* text);

/// Whether triangles whose boxes overlap are known to meet, for another reason than that they cross.
typedef bool (*proveMeet)(void* user, uint32_t a, uint32_t b);

/// Find pairs of triangles of two bodies, or of one if b is null, that certainly meet at the start of a step.
/// @param pairs receives all of them, to be freed
/// @return false if there is no memory
bool proveFindMeeting(proveSide* a, proveSide* b, proveMeet meet, void* user, snugPair** pairs, size_t* count);

#endif
