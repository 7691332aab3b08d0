// program/prove/vector.h: vectors of three doubles.
#ifndef CLI_PROVE_VECTOR_H
#define CLI_PROVE_VECTOR_H

static inline double proveDot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void proveSubtract(const double a[3], const double b[3], double out[3])
{
	for (int k = 0; k < 3; ++k)
	{
		out[k] = a[k] - b[k];
	}
}

static inline void proveCross(const double a[3], const double b[3], double out[3])
{
	out[0] = a[1] * b[2] - a[2] * b[1];
	out[1] = a[2] * b[0] - a[0] * b[2];
	out[2] = a[0] * b[1] - a[1] * b[0];
}

#endif
