// base/vec.h: vectors of three doubles, summed in one order everywhere, so that answers have the same bits. Points are
// floats, as callers give them; their differences are doubles.
#ifndef SG_VEC_H
#define SG_VEC_H

static inline double sgDot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void sgCross(const double a[3], const double b[3], double product[3])
{
	product[0] = a[1] * b[2] - a[2] * b[1];
	product[1] = a[2] * b[0] - a[0] * b[2];
	product[2] = a[0] * b[1] - a[1] * b[0];
}

/// a - b.
static inline void sgSubtract(const double a[3], const double b[3], double difference[3])
{
	difference[0] = a[0] - b[0];
	difference[1] = a[1] - b[1];
	difference[2] = a[2] - b[2];
}

/// The square of the distance.
static inline double sgDistance2(const double a[3], const double b[3])
{
	double difference[3];
	sgSubtract(a, b, difference);
	return sgDot(difference, difference);
}

/// sgSubtract, for points.
static inline void sgSubtractPoints(const float a[3], const float b[3], double difference[3])
{
	difference[0] = (double)a[0] - (double)b[0];
	difference[1] = (double)a[1] - (double)b[1];
	difference[2] = (double)a[2] - (double)b[2];
}

/// sgDistance2, for points.
static inline double sgPointDistance2(const float a[3], const float b[3])
{
	double difference[3];
	sgSubtractPoints(a, b, difference);
	return sgDot(difference, difference);
}

#endif
