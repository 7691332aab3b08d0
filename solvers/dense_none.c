// In place of dense.c where LAPACK was not found.
#include "solvers/dense.h"

static bool Fail(simError* error)
{
	return simError_Set(error, "snug was built without LAPACK, which finds principal components (Debian: apt-get "
	                           "install liblapacke-dev, then build it again)");
}

bool simDense_IsAvailable(void)
{
	return false;
}

bool simAddProducts(const double* rows, uint32_t count, uint32_t width, double* sums, simError* error)
{
	(void)rows;
	(void)count;
	(void)width;
	(void)sums;
	return Fail(error);
}

bool simSolveSymmetric(double* matrix, uint32_t size, double* values, simError* error)
{
	(void)matrix;
	(void)size;
	(void)values;
	return Fail(error);
}
