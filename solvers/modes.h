// solvers/modes.h: vibration modes of a triangle mesh, by finite elements.
//
// The mesh is embedded in bricks of linear elastic material (solvers/voxels.h, solvers/brick.h), whose free vibrations
// are computed (solvers/eigen.h) and read off at the vertices. Closed parts are solid, open ones are sheets of some
// thickness. The same input gives the same bits with the same libraries; other builds of BLAS differ in the last bits.
#ifndef SIM_MODES_H
#define SIM_MODES_H

#include "solvers/sim.h"

/// Where a body is held: all of it that has a coordinate above, or below, a value.
typedef struct simFix
{
	int axis; ///< 0 to 2
	bool isAbove;
	double value;
} simFix;

/// Zero means default, but for the mesh and the count.
typedef struct simModesDef
{
	simMesh mesh;
	uint32_t modeCount;  ///< wanted, without the rigid ones
	uint32_t cellCount;  ///< about how many cells; default 5000
	double thickness;    ///< of parts that are not closed; default: the edge of a cell
	double young;        ///< Young's modulus, in pascals if lengths are in metres; default 2.1e11, steel
	double density;      ///< kilograms per cubic metre; default 7850
	double poisson;      ///< Poisson's ratio, above 0 and below 0.5; default 0.3
	const simFix* fixes; ///< (fixCount) where it is held; none: nowhere, and rigid motions are left out
	uint32_t fixCount;
	simProgressFcn* progress; ///< nullable
	void* user;
} simModesDef;

typedef struct simModes
{
	uint32_t vertexCount, modeCount;
	float* fields;       ///< (modeCount * vertexCount * 3) of each mode x, y, z of each vertex; the longest is 1 long
	double* frequencies; ///< (modeCount) in hertz, ascending
	double* masses;      ///< (modeCount) of the modes, for fields as they are: kinetic energy is m q'^2 / 2
	double rigid[6];     ///< frequencies of the rigid motions: zero, but for rounding; zero if it is held
	uint32_t heldCount;  ///< nodes that are held
	uint32_t cellCount, nodeCount;
	uint32_t partCount, solidCount; ///< parts of the mesh, and how many are closed
	uint32_t bridgeCount;           ///< cells that were added to join parts
	double cell[3];                 ///< edges of a cell
} simModes;

/// Compute modes. Vertices that no triangle has do not move.
bool simModes_Compute(simModes* modes, const simModesDef* def, simError* error);
void simModes_Free(simModes* modes);

#endif
