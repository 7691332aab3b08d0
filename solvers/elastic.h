// solvers/elastic.h: sparse stiffness and mass matrices of a body made of bricks.
//
// Nodes are the corners of the cells that exist, numbered as they come in the grid, x fastest. A node shares cells with
// up to 26 others. Both matrices are symmetric and are stored as their lower triangles by columns: 3 by 3 blocks of
// stiffness, and one number of mass, since mass is the same along every axis.
#ifndef SIM_ELASTIC_H
#define SIM_ELASTIC_H

#include "solvers/hoard.h"
#include "solvers/voxels.h"

typedef struct simElastic
{
	uint32_t nodeCount;
	simHoard hoard;
	uint32_t* nodeOfCorner; ///< (corners of the grid, x fastest) UINT32_MAX if no cell has it
	double* nodes;          ///< (3 * nodeCount) positions relative to `centre`, divided by `length`
	double centre[3], length;
	uint32_t* starts; ///< (nodeCount + 1) neighbours of node n are number starts[n] to starts[n + 1] - 1
	uint32_t* rows;   ///< their node numbers, ascending, from n itself on
	double*
	    stiffness; ///< (9 each) row by row: how a displacement of n along b pulls at the neighbour along a is [3 a + b]
	double* mass;  ///< (1 each)
} simElastic;

/// Assemble for Young's modulus 1, density 1 and lengths in units of the grid's longest side.
bool simElastic_Create(simElastic* elastic, const simVoxels* voxels, double poisson, simError* error);
void simElastic_Free(simElastic* elastic);

/// y = mass * x, both three numbers per node.
void simElastic_MultiplyMass(const simElastic* elastic, const double* x, double* y);

/// y = stiffness * x.
void simElastic_MultiplyStiffness(const simElastic* elastic, const double* x, double* y);

#endif
