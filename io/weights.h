// io/weights.h: what is done about skinning weights that do not sum to 1, the same in every reader.
//
// Non-negative weights with a positive sum are divided by it, with a warning if it is off by more than 1e-3; all-zero
// ones bind to their first joint, with a warning. Those a little below 0 count as 0, with a warning; others below 0 and
// those that are not finite are errors of the reader.
#ifndef IO_WEIGHTS_H
#define IO_WEIGHTS_H

#include "io/load.h"

/// Weights above this are errors too: so large ones are no weights, and their sums might not be finite.
#define IO_MAX_WEIGHT 1e6f

/// Weights from this up to 0 count as 0: programs that smooth weights leave such. The lowest in files that we have seen
/// was -0.0033.
#define IO_LEAST_WEIGHT -0.01

/// What was repaired in a mesh.
typedef struct ioWeightRepairs
{
	uint32_t unscaled, unbound; ///< vertices
	uint32_t negative;          ///< weights
	uint32_t firstUnscaled, firstUnbound, firstNegative;
	double worst;  ///< of the sums, the one farthest from 1
	double lowest; ///< of the negative weights
} ioWeightRepairs;

/// A weight of a vertex as it counts. False if it is none.
bool ioReadWeight(ioWeightRepairs* repairs, uint32_t vertex, double* weight);

/// Divide a vertex's weights by their sum, which is positive.
void ioScaleWeights(ioWeightRepairs* repairs, uint32_t vertex, float* weights, uint32_t count, double sum);

/// Take note of a vertex whose weights are all zero.
void ioNoteUnbound(ioWeightRepairs* repairs, uint32_t vertex);

/// Warn of what was repaired, if anything was.
void ioWarnOfWeights(ioLoader* loader, const char* place, const ioWeightRepairs* repairs);

#endif
