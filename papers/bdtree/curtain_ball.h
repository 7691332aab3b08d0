// papers/bdtree/curtain_ball.h: the curtain against its ball as one sphere, which is what the paper's 35 tests per
// frame mean.
#ifndef PAPERS_CURTAIN_BALL_H
#define PAPERS_CURTAIN_BALL_H

#include "papers/bdtree/fielded.h"

/// Table: triangles of the first actor that reach into a ball about the second one's places, by the paper's trees,
/// layered spheres and our bounds; with the aims for it. All must find the same triangles.
void benchCurtainBall(const benchFieldedScene* scene, double radius, int passes, benchReport* report);

#endif
