// solvers/voxels.h: a mesh embedded in a grid of bricks.
//
// The grid fits the mesh' box exactly: cells are nearly cubes of the wanted edge, but a body thinner than that along an
// axis gets one layer of its thickness. Each cell has 4 * 4 * 4 subcells, one bit each, set where material is: the
// centre is inside a solid part, or within half a thickness of a sheet. Cells that a triangle touches exist
// even if no bit is set, so that every vertex of a triangle lies in one.
#ifndef SIM_VOXELS_H
#define SIM_VOXELS_H

#include "solvers/parts.h"

/// Subcells per axis of a cell.
#define SIM_SUBCELLS 4
/// Cells of the grid, empty ones included, at most.
#define SIM_MAX_GRID 16777216u

typedef struct simVoxels
{
	double origin[3];     ///< lower corner of the grid
	double cell[3];       ///< edges of a cell
	uint32_t size[3];     ///< cells along each axis
	uint64_t* fill;       ///< (size[0] * size[1] * size[2]) x runs fastest; subcell (i, j, k) is bit i + 4 j + 16 k
	bool* exists;         ///< (the same)
	uint32_t cellCount;   ///< that exist
	uint32_t bridgeCount; ///< of these, those that only join parts
} simVoxels;

/// What to make of a mesh.
typedef struct simVoxelDef
{
	const simMesh* mesh; ///< checked by simMesh_Check
	const simParts* parts;
	double edge;      ///< longest edge of a cell
	double thickness; ///< of sheets
} simVoxelDef;

/// Embed a mesh.
bool simVoxels_Create(simVoxels* voxels, const simVoxelDef* def, simError* error);
void simVoxels_Free(simVoxels* voxels);

/// Make all cells hang together by faces: parts whose cells are no more than `gap` cells apart are joined by full
/// cells.
/// @param mesh what the cells were made of: errors tell of it
/// @return false, with an error that names parts, if some are farther apart
bool simVoxels_Join(simVoxels* voxels, const simMesh* mesh, uint32_t gap, simError* error);

/// Embed a mesh in about as many cells as are wanted, all of which hang together.
/// @param thickness of sheets; zero: the edge of a cell
bool simVoxels_Fit(simVoxels* voxels, const simMesh* mesh, const simParts* parts, uint32_t cellCount, double thickness,
    simError* error);

/// The cell that a point lies in, or the nearest if it lies outside the grid by rounding.
void simVoxels_FindCell(const simVoxels* voxels, const float point[3], uint32_t cell[3]);

static inline size_t simVoxels_Index(const simVoxels* voxels, uint32_t x, uint32_t y, uint32_t z)
{
	return x + (size_t)voxels->size[0] * (y + (size_t)voxels->size[1] * z);
}

#endif
