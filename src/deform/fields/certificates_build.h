// src/deform/fields/certificates_build.h: how certificates are made: docs/bounds/certificates.md. Offline: double
// precision, plain loops.
#ifndef SG_CERTIFICATES_BUILD_H
#define SG_CERTIFICATES_BUILD_H

#include "deform/fields/certificates.h"

/// The fields of a region, and what is taken away from each.
typedef struct sgRegionDraft
{
	const snugModel* model;
	const sgFields* fields;
	uint32_t fieldCount;
	uint32_t* numbers;         ///< (fieldCount), ascending
	double (*gradients)[3][3]; ///< (fieldCount)
	double* sizes;             ///< (fieldCount): Frobenius norms of the gradients
} sgRegionDraft;

/// Constants of a cell while they are made: raised by whatever is below it. Of what is far apart, up to `enough`, by
/// whatever takes less time than the least that is right.
typedef struct sgCellDraft
{
	double* constants;    ///< (fieldCount)
	const double* enough; ///< (fieldCount)
	double error;
	double enoughError;
	bool isNever;  ///< there are none
	bool isAtRest; ///< triangles meet at rest, which the constants know nothing of
} sgCellDraft;

/// All pairs of triangles of two leaves, or of one and itself.
void sgCellDraft_AddLeaves(sgCellDraft* cell, const sgRegionDraft* region, uint32_t leafA, uint32_t leafB);

/// The gradients of a node, for each field of its group: a linear fit, which along directions in which the node is thin
/// goes on as that of the node above, which is ready, does.
/// @param sums as many: scratch
void sgCertificates_FitGradients(const snugModel* model, const sgFields* fields, const sgCertificates* certificates,
    uint32_t slot, sgGradient* gradients, double (*sums)[3][3]);

/// Where a field is among those of a group; SG_NONE: it moves nothing there.
uint32_t sgFieldsGroup_FindField(const sgFields* fields, const sgFieldsGroup* group, uint32_t field);

#endif
