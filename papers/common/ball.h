// papers/common/ball.h: smallest enclosing balls.
#ifndef SG_BALL_H
#define SG_BALL_H

#include "base/base.h"

/// Where points come from: number i, in double.
typedef void sgPointFcn(const void* points, uint32_t i, double point[3]);

/// Centre of the smallest ball around `count` points, to about 1e-9 of its radius: by + - * / sqrt only, so the same
/// bits everywhere. Whoever needs a ball that contains them measures the distances from a centre as it is stored; any
/// centre is a valid one, and this is the best. Points must be finite; zero if there are none.
/// @return the radius, likewise only nearly
double sgSmallestBall(sgPointFcn* get, const void* points, uint32_t count, double center[3]);

#endif
