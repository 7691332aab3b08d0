// src/deform/fields/certificates_kernels.h: constants of pairs of triangles: two leaves as they are at rest, and what
// eight fields at a time do there. docs/bounds/certificates.md proves them.
#ifndef SG_CERTIFICATES_KERNELS_H
#define SG_CERTIFICATES_KERNELS_H

#include "deform/fields/certificates_build.h"
#include "simd/kernels.h"

typedef struct sgDraftTriangle
{
	uint32_t corners[3]; ///< among the leaf's vertices
	uint32_t twins[3];
	float points[3][3];
	double axes[2][3];            ///< orthonormal, in its plane: zero if it has no area
	double along, across, height; ///< corner 1 is at (along, 0) from corner 0, and corner 2 at (across, height)
	double steepness;             ///< sum of the inverse heights
	float lower[3], upper[3];
	bool hasArea;
} sgDraftTriangle;

typedef struct sgDraftLeaf
{
	const sgLeaf* leaf;
	sgDraftTriangle triangles[SG_MAX_LEAF_TRIANGLES];
	double ways[SG_MAX_LEAF_VERTICES][3]; ///< from the first vertex of the first leaf
} sgDraftLeaf;

/// Two triangles for which a constant is to be found.
typedef struct sgDraftPair
{
	uint32_t a, b;
	bool isApart;       ///< they share no corner
	bool isMeasured;    ///< else `inverse` is of the distance of their boxes, which is less
	double inverse;     ///< of their distance, or of the sine of the angle between them
	double inverseHalf; ///< of the sine of half of that angle
	double way[6][3];   ///< apart: all corners, from the first
	double extent;      ///< and the longest of these
	double on[2][6][2]; ///< apart, measured: the same along the axes of each triangle
} sgDraftPair;

/// All pairs of two leaves.
typedef struct sgDraftPairs
{
	sgDraftLeaf a, b;
	sgDraftPair pairs[SG_MAX_LEAF_TRIANGLES * SG_MAX_LEAF_TRIANGLES];
	uint32_t count;
	bool areApart;  ///< all of them
	double inverse; ///< the greatest
	double longest; ///< of both leaves' ways
} sgDraftPairs;

/// Measure two triangles that do not meet and share no corner. Computed distances are right to 2^-38 of the extent.
void sgDraftPairs_MeasureApart(const sgDraftPairs* pairs, sgDraftPair* pair, sgCellDraft* cell);

typedef struct sgCertificatesKernels
{
	/// Raise the constants of a region's fields from number `first` on, at most eight, by all pairs of two leaves.
	void (*raise)(const sgRegionDraft* region, uint32_t first, sgDraftPairs* pairs, sgCellDraft* cell);
} sgCertificatesKernels;

#endif
