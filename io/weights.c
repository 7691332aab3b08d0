#include "io/weights.h"

#include <math.h>

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
