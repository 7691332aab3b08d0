// papers/bdtree/bricks.h: elastic bodies of bricks that turn and bend as far as they like: what makes a bridge sway.
//
// The mesh is embedded in the bricks that vibration modes are computed with (solvers/voxels.h, solvers/brick.h). Each
// brick is co-rotated: its rotation R is that of the deformation gradient at its middle, F = R U, and its forces are
// those of the linear brick in its own turned axes, f = -R K (R^T x - X). So turning a brick gives no force, however
// far, and small strains give what linear elasticity does. Derivatives of R are left out, as usual: linear momentum is
// kept exactly, angular momentum and energy nearly.
//
// Time steps are explicit, mass is lumped at nodes, velocities are half a step behind. Everything is double, in a fixed
// order, + - * / and sqrt only, but for the choice of cells (libm's cbrt and pow, rounded to 24 bits).
#ifndef SIM_BRICKS_H
#define SIM_BRICKS_H

#include "solvers/brick.h"
#include "solvers/hoard.h"
#include "solvers/modes.h"

typedef struct simBricksDef
{
	simMesh mesh;       ///< borrowed
	uint32_t cellCount; ///< about
	double young, density, poisson;
	double damping;      ///< of velocities, per second
	const simFix* fixes; ///< (fixCount) where it is held
	uint32_t fixCount;
} simBricksDef;

/// One brick.
typedef struct simBrickPart
{
	uint32_t nodes[8]; ///< bits of their place are x, y, z
	uint32_t kind;     ///< of its matrix
} simBrickPart;

/// Where a vertex is: in a brick, with a weight for each of its nodes.
typedef struct simBrickVertex
{
	uint32_t nodes[8];
	float weights[8];
} simBrickVertex;

typedef struct simBricks
{
	uint32_t nodeCount, brickCount, kindCount, vertexCount;
	simHoard hoard;
	double (*rest)[3];
	double (*displacement)[3];
	double (*velocity)[3];
	double (*external)[3]; ///< forces of the next step, to be added to by whoever has some; cleared by it
	double (*force)[3];    ///< what bricks do
	double* mass;
	uint8_t* isHeld;
	simBrickPart* bricks;
	double (*kinds)[SIM_BRICK_DOFS][SIM_BRICK_DOFS]; ///< (kindCount) stiffness of bricks that are filled alike
	simBrickVertex* vertices;                        ///< (vertexCount) of the mesh
	double edges[3];
	double damping;
	double largestStep; ///< for which small vibrations about rest do not grow, less a tenth
	double time;
} simBricks;

bool simBricks_Create(simBricks* bricks, const simBricksDef* def, simError* error);
void simBricks_Free(simBricks* bricks);

/// Forces of all bricks, from displacements.
/// @return false, saying which brick, if one is turned inside out
bool simBricks_ComputeForces(simBricks* bricks, simError* error);

/// Advance by a time step.
/// @return false if the step is larger than it may be, or a brick is turned inside out
bool simBricks_Step(simBricks* bricks, double step, simError* error);

/// Positions of the mesh' vertices now.
void simBricks_GetVertices(const simBricks* bricks, float* positions);

#endif
