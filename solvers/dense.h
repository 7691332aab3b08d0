// solvers/dense.h: the little of dense linear algebra that is needed, on LAPACK.
#ifndef SIM_DENSE_H
#define SIM_DENSE_H

#include "solvers/sim.h"

/// @return whether snug was built with LAPACK; without it the functions below fail and say so
bool simDense_IsAvailable(void);

/// Add the products of all pairs of rows to a matrix: sums += rows * rows'.
/// @param rows (count * width)
/// @param sums (count * count); only [i][j] with j <= i are used
bool simAddProducts(const double* rows, uint32_t count, uint32_t width, double* sums, simError* error);

/// Eigenvalues and eigenvectors of a symmetric matrix.
/// @param matrix (size * size) only [i][j] with j <= i are read; receives the eigenvectors, one per row, of unit length
/// and orthogonal
/// @param values (size) receives the eigenvalues, descending, as the rows are
bool simSolveSymmetric(double* matrix, uint32_t size, double* values, simError* error);

#endif
