// papers/meshless/corners.h: boxes by enumerating corners of the set of limited weights { low <= w <= high, sum w = 1
// }.
//
// Two sets of corners go by that name and are kept apart here.
// - `paper`: the n (n - 1) corners of Steinemann, Otaduy, Gross 2008, section 5.2.2: one weight at its high, all but
// one
//   of the others at their low, the last takes what is left to 1, even beyond its own high. Their hull contains the
//   set, so the bound is conservative. It is never below Eq. (12), which is the value at one of them, and may be above
//   it: the paper's proof that Eq. (12) picks the greatest overlooks corners whose last weight is that of the largest
//   b.
// - `true`: the vertices of the set itself. There are up to n choose n/2 times n/2 of them, so this is for small n.
// Their
//   greatest value is that of the linear program.
#ifndef PAPERS_CORNERS_H
#define PAPERS_CORNERS_H

#include "papers/meshless/node_weights.h"

/// Most transforms for which true corners are enumerated.
#define CORNERS_MAX_TRUE 22

typedef enum cornersKind
{
	corners_paper,
	corners_true,
} cornersKind;

/// The greatest sum of w_j b_j over corners.
/// @return NaN for true corners of more than CORNERS_MAX_TRUE transforms
double cornersMaximum(cornersKind kind, const double* low, const double* high, const double* b, uint32_t count);

/// The box of a node in a pose, along the axes.
/// @param matrices 12 floats per transform of the model, by rows
/// @param scratch room for weights->count doubles
/// @return false for true corners of more than CORNERS_MAX_TRUE transforms
bool cornersBox(cornersKind kind, const nodeWeights* weights, const float* matrices, double* scratch, double lower[3],
    double upper[3]);

#endif
