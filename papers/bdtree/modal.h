// papers/bdtree/modal.h: a shape that vibrates: what bodies of one kind share. Mass, contact spheres, and modes whose
// amplitudes are integrated exactly.
//
// An amplitude obeys q'' + 2 xi w q' + w^2 q = f / m. Over a step f is constant, so the step is a linear map of (q, q')
// and f, known in closed form: no step is too long for a mode, however high, and without forces nothing is off but
// rounding.
#ifndef PAPERS_MODAL_H
#define PAPERS_MODAL_H

#include "papers/bdtree/contact_spheres.h"
#include "papers/bdtree/rigid.h"

#define SIM_MAX_MODES 32 // even

/// A step of one mode: q <- a q + b q' + c f, q' <- d q + e q' + g f.
typedef struct simModeStep
{
	double a, b, c, d, e, g;
} simModeStep;

/// e^x, x at most zero, to a few bits of the last place; the same bits everywhere.
double simExp(double x);

/// @param frequency in hertz, positive; damping xi, from 0 to below 1
simModeStep simModeStep_Make(double frequency, double damping, double mass, double step);

typedef struct simShapeDef
{
	simMesh mesh;        ///< closed, counter-clockwise seen from outside; borrowed during creation
	uint32_t solidCount; ///< only so many of its triangles enclose mass: sheets come after them; zero: all do
	double density;
	uint32_t modeCount;        ///< up to SIM_MAX_MODES; zero: rigid
	const float* fields;       ///< (modeCount * vertexCount * 3)
	const double* frequencies; ///< (modeCount) in hertz
	const double* masses;      ///< (modeCount) of the modes, for fields as they are
	double damping;            ///< xi of all modes
	double step;               ///< seconds
	uint32_t level;            ///< the deepest of contact spheres
	uint32_t leafTriangles;    ///< spheres of no more than so many triangles are not divided; default 8
	double thinnest; ///< of its parts, in metres: of how far it goes before it is swept (world.h); zero: it is not
} simShapeDef;

/// A shape in its own axes, about its centre of mass.
typedef struct simShape
{
	simMass mass;
	float* positions; ///< (3 * vertexCount) relative to the centre of mass
	snugModel* model;
	contactTree* tree;
	uint32_t modeCount;
	uint32_t evenCount; ///< modeCount, or one more, whose numbers are all zero: modes are worked on two at a time
	double* moves;      ///< (nodes of the tree * 3 * evenCount): how far centres of spheres go along x, y and z for 1
	simModeStep steps[SIM_MAX_MODES];
	double frequencies[SIM_MAX_MODES];
	double masses[SIM_MAX_MODES];
	double gradients[SIM_MAX_MODES];           ///< the greatest strain of an edge of the mesh, for an amplitude of 1
	_Alignas(16) double yields[SIM_MAX_MODES]; ///< 1 / mass that a contact feels, in a step, of a displacement of 1
	double reach;                              ///< of the farthest vertex from the centre of mass, at rest
	double sways[SIM_MAX_MODES];               ///< how far a vertex goes at most, for an amplitude of 1
	double thinnest;
	double step;
} simShape;

bool simShape_Create(simShape* shape, const simShapeDef* def, simError* error);
void simShape_Free(simShape* shape);

#endif
