// solvers/brick.h: element matrices of a rectangular brick, some of whose 64 subcells are filled.
//
// Displacements are trilinear. Alone, such bricks are far too stiff in bending: a bent brick has curved edges, which
// trilinear functions lack, and shear that is not there takes their place. So each brick has nine displacements of its
// own, 1 - s^2 along each axis for each component (Wilson's incompatible modes), which are eliminated: they make
// bending exact for a brick of any aspect. Their mean strain over the filled subcells is subtracted, without which a
// partly filled brick would not transmit constant stress correctly (Taylor's patch test).
//
// Integrals over subcells are computed once per grid, since all cells are alike: a brick's matrices are sums.
#ifndef SIM_BRICK_H
#define SIM_BRICK_H

#include "solvers/voxels.h"

#define SIM_BRICK_DOFS 24
/// Nodal displacements (node, then component; node bits are x, y, z), then the nine of the brick's own.
#define SIM_BRICK_ALL 33
#define SIM_SUBCELL_COUNT (SIM_SUBCELLS * SIM_SUBCELLS * SIM_SUBCELLS)

typedef struct simBrick
{
	double elasticity[6][6];                                              ///< strain xx, yy, zz, xy, yz, zx to stress
	double stiffness[SIM_SUBCELL_COUNT][SIM_BRICK_ALL][SIM_BRICK_ALL];    ///< integral of B' C B
	double strain[SIM_SUBCELL_COUNT][6][SIM_BRICK_ALL];                   ///< integral of B
	double mass[SIM_SUBCELL_COUNT][8][8];                                 ///< integral of N' N
	double volume;                                                        ///< of a subcell
	double fullStiffness[SIM_BRICK_DOFS][SIM_BRICK_DOFS], fullMass[8][8]; ///< of a brick that is all filled
} simBrick;

/// Compute what all bricks of these edges have in common, for Young's modulus 1 and density 1.
void simBrick_Init(simBrick* brick, const double edges[3], double poisson);

/// The matrices of a brick with these subcells filled. What is not filled has a little of everything, so that nodes
/// that hang on an almost empty brick are carried along.
void simBrick_Evaluate(
    const simBrick* brick, uint64_t fill, double stiffness[SIM_BRICK_DOFS][SIM_BRICK_DOFS], double mass[8][8]);

#endif
