// papers/meshless/meshless.h: elastic bodies by moving least squares, after Mueller et al. 2004: what moves the bodies
// of the meshless papers.
//
// A body is some nodes with displacements u. A node i sees the nodes j within a common support h, with weights
//
//     w(r) = 315 / (64 pi h^9) (h^2 - r^2)^3,
//
// and takes from them the gradient of u that fits best: grad u_i = A_i^-1 sum_j w_ij x_ij (u_j - u_i)^T, where x_ij =
// x_j - x_i at rest and A_i = sum_j w_ij x_ij x_ij^T. It is exact for affine motions. With J = I + grad u^T, Green's
// strain E = (J^T J - I) / 2 and the linear law S = lambda tr(E) I + 2 mu E, a node's energy is
//
//     v_i (S : E / 2 + k (det J - 1)^2 / 2),
//
// the last term being what Mueller et al. add against inversion. Forces are the exact derivatives of this energy with
// respect to all u, so linear and angular momentum are kept but for rounding. Mueller et al. leave out the halves (E is
// J^T J - I there), which makes their bodies four times as stiff as the modulus says; ours is the material's.
//
// Mass is the same for all nodes, and a node's volume is mass over density, by the sum of its weights. Nodes near the
// surface see fewer others, so they count for up to twice their share, and their gradients lag, as they are taken from
// one side. In bending one makes up for the other: a beam of four by four nodes sags as it should. In tension nothing
// lags, and the same beam is a third too stiff.
//
// Time steps are explicit: v += dt (f / m + g), v *= 1 - c dt, u += dt v, which conserves energy on average up to the
// largest step that vibrations allow. Everything is double, in a fixed order, + - * / and sqrt only: the same
// bits with every compiler that neither contracts nor reorders.
#ifndef SIM_MESHLESS_H
#define SIM_MESHLESS_H

#include "snug/snug.h"
#include "solvers/hoard.h"
#include "solvers/sim.h"

typedef struct simMeshlessDef
{
	const float* nodes; ///< (3 * nodeCount) at rest; borrowed during creation
	uint32_t nodeCount; ///< at least 2
	double volume;      ///< of the body; see simGetVolume
	double density;     ///< mass per volume
	double young;       ///< modulus
	double poisson;     ///< ratio, from 0 to below 0.5
	double bulk;        ///< k: what it costs to change volume, beside the material itself; zero: nothing
	double damping;     ///< c, per second
	double gravity[3];
} simMeshlessDef;

/// A neighbour of a node.
typedef struct simNeighbour
{
	uint32_t node;
	double offset[3]; ///< x_ij
	double derive[3]; ///< A_i^-1 w_ij x_ij: grad u_i is the sum of derive (u_j - u_i)^T
} simNeighbour;

/// The body. Arrays are per node.
typedef struct simMeshless
{
	uint32_t nodeCount;
	simHoard hoard;
	double (*rest)[3];
	double (*displacement)[3];
	double (*velocity)[3];
	double (*gradient)[3][3]; ///< [i][k] = d u_k / d x_i, of the displacements as they are now
	double (*external)[3];    ///< forces of the next step, to be added to by whoever has some; cleared by it
	double (*force)[3];       ///< what the body did in the last step
	double* volume;
	double (*range)[3][3]; ///< what of space the neighbours span, as a projection: the identity but where they are flat
	uint8_t* isThin;       ///< whether they are
	uint8_t* isHeld;       ///< whether the node follows a given motion
	double (*goal)[3];     ///< of held nodes: displacement after the next step
	double (*kept)[3];     ///< (2 * nodeCount) displacements and velocities before a step, in case it fails
	uint32_t* starts;      ///< (nodeCount + 1) in neighbours
	simNeighbour* neighbours; ///< ascending for each node
	uint32_t thinCount;
	double support; ///< h
	double mass;    ///< of every node
	double lambda, mu, bulk, damping, young, gravity[3];
	double largestStep; ///< see simMeshless_FindLargestStep
	double time;
} simMeshless;

/// The volume that a closed surface encloses; negative if it is inside out.
double simGetVolume(const simMesh* mesh);

/// Make a body at rest.
/// @return false, saying which node, if one sees no other, or if the body falls into parts that do not see each other
bool simMeshless_Create(simMeshless* body, const simMeshlessDef* def, simError* error);
void simMeshless_Free(simMeshless* body);

/// Set the largest time step for which small vibrations about rest do not grow, less a tenth; creation does it.
/// Stiffness grows with strain, so a body that is torn at hard needs less.
bool simMeshless_FindLargestStep(simMeshless* body, simError* error);

/// Let a node follow a given motion instead of forces, from now on.
void simMeshless_Hold(simMeshless* body, uint32_t node, const double displacement[3]);
void simMeshless_Release(simMeshless* body, uint32_t node);

/// Compute gradients and what the body does to its nodes, from the displacements.
/// @return false, saying which node, if one is turned inside out
bool simMeshless_ComputeForces(simMeshless* body, simError* error);

/// Advance by a time step.
/// @return false, with the body as it was, if the step is larger than it may be, a node is turned inside out, or one
/// would move by more than a quarter of its support in this step: then nothing that follows would mean anything
bool simMeshless_Step(simMeshless* body, double step, simError* error);

/// What the body is posed with. Gradients are those of the displacements: call after simMeshless_ComputeForces or a
/// step.
/// @param nodes (nodeCount)
void simMeshless_GetNodes(const simMeshless* body, snugMeshlessNode* nodes);

/// Energies, recomputed from displacements and velocities.
typedef struct simEnergy
{
	double kinetic, elastic, gravity;
} simEnergy;

simEnergy simMeshless_GetEnergy(const simMeshless* body);

/// @param linear receives the sum of m v; @param angular that of m (x + u) cross v
void simMeshless_GetMomentum(const simMeshless* body, double linear[3], double angular[3]);

#endif
