// scenes/sine.h: sine and cosine with the same bits on every machine.
//
// C libraries differ in the last bits of sin, and golden hashes of pairs would differ with them. These use only
// + - * on doubles, so every compiler that respects IEEE 754 and does not contract agrees.
#ifndef SCENES_SINE_H
#define SCENES_SINE_H

#define SCENE_PI 3.14159265358979323846

/// Absolute error below 1e-15 for |x| up to a million.
double sceneSine(double x);
double sceneCosine(double x);

#endif
