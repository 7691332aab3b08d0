// papers/common/vector.h: the little of vectors that simulations need, in double, in one fixed order.
#ifndef SIM_VECTOR_H
#define SIM_VECTOR_H

static inline double simDot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void simCross(const double a[3], const double b[3], double product[3])
{
	product[0] = a[1] * b[2] - a[2] * b[1];
	product[1] = a[2] * b[0] - a[0] * b[2];
	product[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void simSubtract(const double a[3], const double b[3], double difference[3])
{
	difference[0] = a[0] - b[0];
	difference[1] = a[1] - b[1];
	difference[2] = a[2] - b[2];
}

#endif
