// lab/truth/score.h: how good answers are: pairs that were missed, and pairs that were invented.
#ifndef TRUTH_SCORE_H
#define TRUTH_SCORE_H

#include "lab/truth/set.h"

typedef struct truthScore
{
	uint64_t asked;    ///< pairs, or frames
	uint64_t wanted;   ///< intersecting pairs that there are
	uint64_t missed;   ///< of those
	uint64_t invented; ///< pairs that do not intersect
} truthScore;

/// Score some pairs of triangles.
truthScore truthScore_Pairs(const truthFile* wanted, const truthFile* found, uint64_t first, uint64_t count);

/// Score all frames. Pairs may come in any order; one that comes twice counts once.
/// @param worst receives the frame with the most differences
/// @return false if there is no memory
bool truthScore_Frames(truthScore* score, uint64_t* worst, const truthFile* wanted, const truthFile* found);

#endif
