// papers/meshless/figure.h: a stout hanging figure with a belly, a neck, a head and a pointed hat: what the meshless
// papers' ring carries, as far as its silhouette goes. Closed; z is up.
#ifndef SIM_FIGURE_H
#define SIM_FIGURE_H

#include "lab/scenes/mesh.h"

/// @param vertexCount exactly so many, at least 12: the papers have 2,857 and 45,682
sceneMesh simMakeFigure(uint32_t vertexCount);

/// Half of its height, and the greatest distance from its axis.
#define SIM_FIGURE_HALF_HEIGHT 1.2
#define SIM_FIGURE_RADIUS 0.735

#endif
