// papers/bdtree/curtain.h: a curtain in the wind, and a ball thrown at it.
//
// Cloth of 54 by 111 cells of 2 cm, hung up by eight tabs: 6,184 vertices, 12,020 triangles, as many as the curtain of
// James and Pai 2004. Particles with distance constraints (position-based dynamics with compliance: Macklin et al.
// 2016), wind pressure on every triangle, gravity; the ball is a heavy particle with a radius, which pushes the
// cloth aside and is slowed down by it. Plain arithmetic in a fixed order, the same bits everywhere.
#ifndef SIM_CURTAIN_H
#define SIM_CURTAIN_H

#include "lab/scenes/mesh.h"
#include "solvers/sim.h"

#include <stdio.h>

#define SIM_CURTAIN_VERTICES 6184
#define SIM_CURTAIN_TRIANGLES 12020
#define SIM_CURTAIN_FPS 30
#define SIM_CURTAIN_MAX_FRAMES 100000
#define SIM_CURTAIN_BALL_RADIUS 0.12 // metres

/// The cloth and its ball, frame by frame.
typedef struct simCloth simCloth;

/// @return null if there is no memory
simCloth* simCloth_Create(simError* error);
void simCloth_Destroy(simCloth* c);

/// It hangs for two seconds before the ball is thrown: frames before that are not to be shown.
bool simCloth_IsSettled(const simCloth* c);

/// Seconds since the ball was thrown.
double simCloth_GetTime(const simCloth* c);

/// (3 * SIM_CURTAIN_TRIANGLES)
const uint32_t* simCloth_GetTriangles(const simCloth* c);

/// Go on for one frame.
void simCloth_Advance(simCloth* c);

/// @param positions (3 * SIM_CURTAIN_VERTICES)
void simCloth_GetFrame(const simCloth* c, float* positions, snugFrame* ball);

/// Where it is, to go on from, as text that says every bit.
/// @return false if it cannot be written
bool simCloth_WriteState(const simCloth* c, FILE* stream);

/// @return false, saying where, if the text is not that; the cloth is as it was made then
bool simCloth_ReadState(simCloth* c, FILE* stream, simError* error);

typedef struct simCurtain
{
	sceneMesh mesh; ///< as in the first frame
	uint32_t frameCount;
	float* frames;    ///< (frameCount * SIM_CURTAIN_VERTICES * 3) metres; y is up, the wind comes from -z
	snugFrame* ball;  ///< (frameCount) where the ball is: its centre, unturned
	float ballRadius; ///< metres
} simCurtain;

/// Simulate; the paper has 110 frames. About 20 ms per frame, and a second before the first.
/// @param progress nullable
bool simCurtain_Create(simCurtain* curtain, uint32_t frameCount, simProgressFcn* progress, void* user, simError* error);
void simCurtain_Free(simCurtain* curtain);

#endif
