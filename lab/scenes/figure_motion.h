// lab/scenes/figure_motion.h: what figures do, as postures over a phase of 0 to 1.
#ifndef SCENES_FIGURE_MOTION_H
#define SCENES_FIGURE_MOTION_H

#include "lab/scenes/posture.h"

void sceneIdleMan(double phase, scenePosture* p, double* weights);
void sceneWalkMan(double phase, scenePosture* p, double* weights);
void sceneKickMan(double phase, scenePosture* p, double* weights);

void sceneIdleCreature(double phase, scenePosture* p, double* weights);
void sceneWalkCreature(double phase, scenePosture* p, double* weights);
void sceneKickCreature(double phase, scenePosture* p, double* weights);

#endif
