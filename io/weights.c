#include "io/weights.h"

#include <math.h>

bool ioReadWeight(ioWeightRepairs* repairs, uint32_t vertex, double* weight)
{
	if (!(*weight >= IO_LEAST_WEIGHT && *weight <= (double)IO_MAX_WEIGHT))
	{
		return false;
	}
	if (*weight < 0.0)
	{
		repairs->firstNegative = repairs->negative++ == 0 ? vertex : repairs->firstNegative;
		repairs->lowest = fmin(repairs->lowest, *weight);
		*weight = 0.0;
	}
	return true;
}

void ioScaleWeights(ioWeightRepairs* repairs, uint32_t vertex, float* weights, uint32_t count, double sum)
{
	if (fabs(sum - 1.0) > 1e-3)
	{
		bool first = repairs->unscaled++ == 0;
		repairs->firstUnscaled = first ? vertex : repairs->firstUnscaled;
		repairs->worst = first || fabs(sum - 1.0) > fabs(repairs->worst - 1.0) ? sum : repairs->worst;
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		weights[i] = (float)((double)weights[i] / sum);
	}
}

void ioNoteUnbound(ioWeightRepairs* repairs, uint32_t vertex)
{
	repairs->firstUnbound = repairs->unbound++ == 0 ? vertex : repairs->firstUnbound;
}

void ioWarnOfWeights(ioLoader* loader, const char* place, const ioWeightRepairs* repairs)
{
	if (repairs->negative > 0)
	{
		ioWarn(loader, "%s: %u weights below 0 counted as 0, the first of vertex %u (the lowest was %g)", place,
		    repairs->negative, repairs->firstNegative, repairs->lowest);
	}
	if (repairs->unscaled > 0)
	{
		ioWarn(loader, "%s: weights scaled to a sum of 1 at %u vertices, the first vertex %u (the worst sum was %g)",
		    place, repairs->unscaled, repairs->firstUnscaled, repairs->worst);
	}
	if (repairs->unbound > 0)
	{
		ioWarn(loader, "%s: weights all zero at %u vertices, the first vertex %u: bound to their first joint", place,
		    repairs->unbound, repairs->firstUnbound);
	}
}
