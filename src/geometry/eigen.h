// src/geometry/eigen.h: eigenvectors of symmetric 3x3 matrices, by + - * / sqrt only: the same bits everywhere.
#ifndef SG_EIGEN_H
#define SG_EIGEN_H

/// @param m symmetric; destroyed
/// @param values receives the eigenvalues, largest first
/// @param vectors receives unit eigenvectors, one per row, in the same order
void sgEigen3(double m[3][3], double values[3], double vectors[3][3]);

#endif
