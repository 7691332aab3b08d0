#include "scenes/sine.h"

#include <stdint.h>

// Taylor series on [-pi/2, pi/2], up to r^21: the first term left out is (pi/2)^23 / 23!, about 1e-18.
static double SineSeries(double r)
{
	double s = r * r;
	double p = 1.0 / 51090942171709440000.0;
	p = p * s - 1.0 / 121645100408832000.0;
	p = p * s + 1.0 / 355687428096000.0;
	p = p * s - 1.0 / 1307674368000.0;
	p = p * s + 1.0 / 6227020800.0;
	p = p * s - 1.0 / 39916800.0;
	p = p * s + 1.0 / 362880.0;
	p = p * s - 1.0 / 5040.0;
	p = p * s + 1.0 / 120.0;
	p = p * s - 1.0 / 6.0;
	return r + r * (s * p);
}

double sceneSine(double x)
{
	// pi in two parts: the first has 33 bits, so its product with a whole number below 2^20 is exact.
	const double high = 3.1415926534682512283;
	const double low = 1.2154201013012384e-10;
	double turns = x * (1.0 / SCENE_PI);
	int64_t k = (int64_t)(turns < 0.0 ? turns - 0.5 : turns + 0.5);
	double r = (x - (double)k * high) - (double)k * low;
	double s = SineSeries(r);
	return (k & 1) ? -s : s;
}

double sceneCosine(double x)
{
	return sceneSine(x + 0.5 * SCENE_PI);
}
