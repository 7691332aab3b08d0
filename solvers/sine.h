// solvers/sine.h: sine and cosine, and frames that turn by an angle, with the same bits on every machine.
//
// C libraries differ in the last bits of sin, and golden hashes of pairs would differ with them. These use only
// + - * on doubles, so every compiler that respects IEEE 754 and does not contract agrees.
#ifndef SOLVERS_SINE_H
#define SOLVERS_SINE_H

#include "snug/snug.h"

#define SCENE_PI 3.14159265358979323846

/// Absolute error below 1e-15 for |x| up to a million.
double sceneSine(double x);
double sceneCosine(double x);

/// A frame that turns by an angle in radians about an axis of any length (not zero), then moves.
snugFrame sceneMakeFrame(const double position[3], const double axis[3], double angle);

/// A frame that turns about x, then y, then z (radians), then moves: what `--rotate` and `--place` mean.
snugFrame sceneMakeEulerFrame(const double position[3], const double angles[3]);

#endif
