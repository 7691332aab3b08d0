// papers/meshless/brain.h: a brain, held at one end and pulled at the other: Figs. 1 and 5 of the meshless papers.
//
// Half its length is 1 m. Nodes beyond -0.55 along it are held, those beyond 0.55 pulled along (0.5, 1, 0.4): a ramp of
// one second, a second at full force, then it is let go. Forces are fixed by how far the pulled end gets with 509
// nodes, about 0.5, 1.0 and 1.2 of half the length, and not by how loose any bound is.
#ifndef SIM_BRAIN_H
#define SIM_BRAIN_H

#include "papers/meshless/actor.h"

#define SIM_BRAIN_PULLS 3

/// Newtons, of the direction above.
extern const double simBrainPulls[SIM_BRAIN_PULLS];

typedef struct simBrain
{
	simActor actor;
	double pull;
	double step;
	uint8_t* isPulled; ///< (nodes)
	uint32_t pulledCount;
	double reach; ///< the farthest that a pulled node got so far, metres
} simBrain;

/// What the papers' has.
#define SIM_BRAIN_VERTICES 29966

/// @param vertexCount at least 12
bool simBrain_Create(simBrain* brain, uint32_t vertexCount, uint32_t nodeCount, double pull, simError* error);
void simBrain_Free(simBrain* brain);

/// Go on for some seconds. Pulling begins anew every four.
bool simBrain_Advance(simBrain* brain, double seconds, simError* error);

#endif
