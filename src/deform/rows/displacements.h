// src/deform/rows/displacements.h: the displacement fields of a definition: a sparse row of vectors per vertex.
#ifndef SG_DISPLACEMENTS_H
#define SG_DISPLACEMENTS_H

#include "base/team.h"
#include "model/contents.h"
#include "model/deformer.h"
#include "tree/rows.h"

/// Displacements of all vertices, tree order, zeros dropped.
typedef struct sgDisplacements
{
	uint32_t* starts; ///< (vertexCount + 1)
	uint16_t* fields; ///< ascending for each vertex
	float* values;    ///< x y z each
} sgDisplacements;

/// Check everything about the fields of a definition, in the caller's order, and count.
/// @param count receives the number of displacements that are not zero
snugStatus sgFields_CheckDef(const snugModelDef* def, uint64_t* count);

/// Read displacements of a definition that was checked; the arrays have room for them.
void sgFields_Read(const snugModelDef* def, const sgTree* tree, const sgDisplacements* out);

#endif
