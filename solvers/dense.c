#include "solvers/dense.h"

#include <cblas.h>
#include <lapacke.h>

bool simDense_IsAvailable(void)
{
	return true;
}

bool simAddProducts(const double* rows, uint32_t count, uint32_t width, double* sums, simError* error)
{
	(void)error;
	cblas_dsyrk(
	    CblasRowMajor, CblasLower, CblasNoTrans, (int)count, (int)width, 1.0, rows, (int)width, 1.0, sums, (int)count);
	return true;
}

static void Swap(double* a, double* b)
{
	double t = *a;
	*a = *b;
	*b = t;
}

bool simSolveSymmetric(double* matrix, uint32_t size, double* values, simError* error)
{
	// Rows of the lower triangle are columns of the upper: column-major saves LAPACKE a transposed copy, and
	// eigenvectors, which LAPACK stores as columns, become rows.
	lapack_int info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', (lapack_int)size, matrix, (lapack_int)size, values);
	if (info != 0)
	{
		return simError_Set(
		    error, "the eigenvalues of a matrix of size %u were not found (LAPACK's dsyevd: %d)", size, info);
	}
	for (size_t i = 0, j = size - 1; i < j; ++i, --j) // they come ascending
	{
		Swap(values + i, values + j);
		for (size_t k = 0; k < size; ++k)
		{
			Swap(matrix + i * size + k, matrix + j * size + k);
		}
	}
	return true;
}
