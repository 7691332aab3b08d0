// papers/meshless/ring.h: six figures hung by their hats from a ring that is turned to and fro: Tables 2 to 4 and Fig.
// 6 of the meshless papers.
//
// Neighbours just miss each other at rest. The ring follows a sine of 40 degrees (few contacts) or 120 (many) at half a
// hertz, ramped up within half a second. All 15 pairs of figures are asked about in every step, those whose boxes are
// apart being left out, and intersecting triangles push (papers/meshless/response.h). Rest positions are those of one
// figure at zero, so that all share one surface: turning and placing is part of the nodes' displacements.
#ifndef SIM_RING_H
#define SIM_RING_H

#include "papers/meshless/actor.h"
#include "papers/meshless/figure.h"

#define SIM_RING_FIGURES 6
#define SIM_RING_FPS 30
/// A hexagon's corners are as far from each other as from its middle.
#define SIM_RING_RADIUS (2.06 * SIM_FIGURE_RADIUS)

typedef struct simRingDef
{
	uint32_t vertexCount; ///< of a figure
	uint32_t nodeCount;   ///< the same
	bool hasMany;         ///< contacts
} simRingDef;

typedef struct simRing
{
	simActor figures[SIM_RING_FIGURES];
	double angle; ///< greatest, radians
	double step;
	simContacts contacts; ///< of the last step
} simRing;

bool simRing_Create(simRing* ring, const simRingDef* def, simError* error);
void simRing_Free(simRing* ring);

/// By how much it is turned now, radians.
double simRing_GetAngle(const simRing* ring);

/// Go on for one frame.
bool simRing_Advance(simRing* ring, simError* error);

#endif
