// papers/bdtree/rigid.h: mass, centre and inertia of a mesh, and how bodies turn.
//
// Everything is double, in a fixed order, + - * / and sqrt only, with sines of our own: the same bits with every
// compiler that neither contracts nor reorders.
#ifndef SIM_RIGID_H
#define SIM_RIGID_H

#include "solvers/sim.h"

/// Of a solid of uniform density.
typedef struct simMass
{
	double mass;
	double center[3];
	double inertia[3][3]; ///< about the centre
	double inverse[3][3]; ///< of the inertia
} simMass;

/// Integrate over what a closed mesh encloses: exactly, but for rounding, as the sum of the tetrahedra between a point
/// and each triangle. What several parts of a mesh enclose together counts for each of them.
/// @return false, saying so, if the mesh encloses nothing, or is inside out
bool simMass_Find(simMass* mass, const simMesh* mesh, double density, simError* error);

/// The matrix of a unit quaternion x y z w.
void simRotation(const double quaternion[4], double rotation[3][3]);

/// Turn by an angle vector, in the world's axes, and make it of unit length again.
void simTurn(double quaternion[4], const double angles[3]);

static inline void simApply(const double matrix[3][3], const double v[3], double out[3])
{
	for (int i = 0; i < 3; ++i)
	{
		out[i] = matrix[i][0] * v[0] + matrix[i][1] * v[1] + matrix[i][2] * v[2];
	}
}

/// By the transpose.
static inline void simApplyBack(const double matrix[3][3], const double v[3], double out[3])
{
	for (int i = 0; i < 3; ++i)
	{
		out[i] = matrix[0][i] * v[0] + matrix[1][i] * v[1] + matrix[2][i] * v[2];
	}
}

#endif
