#include "solvers/sine.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

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

static void MultiplyQuaternions(const double a[4], const double b[4], double product[4])
{
	double q[4] = {
		a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
		a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
		a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
		a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
	};
	memcpy(product, q, sizeof(q));
}

snugFrame sceneMakeFrame(const double position[3], const double axis[3], double angle)
{
	snugFrame frame;
	double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
	double s = sceneSine(0.5 * angle) / length;
	for (int k = 0; k < 3; ++k)
	{
		frame.position[k] = position[k];
		frame.rotation[k] = s * axis[k];
	}
	frame.rotation[3] = sceneCosine(0.5 * angle);
	return frame;
}

snugFrame sceneMakeEulerFrame(const double position[3], const double angles[3])
{
	static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
	snugFrame frame = sceneMakeFrame(position, axes[0], angles[0]);
	for (int k = 1; k < 3; ++k)
	{
		snugFrame turn = sceneMakeFrame(position, axes[k], angles[k]);
		MultiplyQuaternions(turn.rotation, frame.rotation, frame.rotation);
	}
	return frame;
}
