// src/deform/fields/fields_build.h: how the data of displacement fields are made. Offline: double precision, plain
// loops.
#ifndef SG_FIELDS_BUILD_H
#define SG_FIELDS_BUILD_H

#include "deform/fields/fields.h"
#include "deform/rows/displacements.h"

/// Sums over the vertices of a node, and the fit made of them.
typedef struct sgFieldSums
{
	double first[3];     ///< of d
	double second[3][3]; ///< of d_i (p_k - mean_k)
	float lower[3], upper[3];
	uint32_t count; ///< vertices that the field moves
	bool isFitted;
} sgFieldSums;

/// No displacement of a vertex is longer than this times the length of the amplitudes: the greatest singular value of
/// its displacements side by side, rounded up.
float sgFields_FindStretch(const float* displacements, uint32_t count);

/// One group while its numbers are made.
typedef struct sgGroupDraft
{
	const snugModel* model;
	const sgDisplacements* displacements;
	const float* most;                                ///< (3 fieldCount of the model)
	const float* stretches;                           ///< (vertexCount): sgFields_FindStretch of each
	uint32_t laneFirst[SG_LANES], laneLast[SG_LANES]; ///< members[laneFirst] to members[laneLast - 1] are below lane i
	const uint32_t* members;                          ///< vertices, each once per lane
	const uint16_t* fields;                           ///< (fieldCount), ascending
	uint32_t fieldCount;
	const uint32_t* entryOf; ///< (fields of the model): entry of a field; arbitrary for others
	sgFieldSums* sums;       ///< (fieldCount): scratch
	double* row;             ///< (3 fieldCount): scratch, all zero between uses
} sgGroupDraft;

/// Fill in all values of a group, intervals too; `values` has room for them. The reach of its prisms is added to
/// `reach`.
void sgFields_FillGroup(const sgGroupDraft* draft, sgLaneFloats* values, float reach[3]);

/// Whether fits leave so much over that intervals are worth having beside them.
bool sgFields_NeedsIntervals(const sgGroupDraft* draft, const sgLaneFloats* values);

#endif
