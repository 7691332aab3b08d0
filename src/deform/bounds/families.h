// src/deform/bounds/families.h: how bounds of families are made. Offline: double precision, plain loops.
#ifndef SG_FAMILIES_H
#define SG_FAMILIES_H

#include "deform/bounds/linear_bounds.h"

/// A weight as a linear function over a node, while it is fitted.
typedef struct sgFit
{
	double mean;
	double gradient[3];
	double residual;
	uint32_t entry; ///< of which transform
} sgFit;

/// Everything known about one family while its bound is prepared.
typedef struct sgFamilyDraft
{
	const snugModel* model;
	const sgWeights* weights;
	double evaluation; ///< roundings of evaluating a vertex, as a multiple of 2^-24 of the pose's reach
	uint32_t laneFirst[SG_LANES], laneLast[SG_LANES]; ///< members[laneFirst] to members[laneLast - 1] are below lane i
	const uint32_t* members;                          ///< vertices, each once per lane
	const uint16_t* transforms;                       ///< (entryCount), ascending
	uint32_t entryCount;
	const uint32_t* entryOf; ///< (transformCount): entry of a transform; arbitrary for others
	uint32_t step;           ///< look at every step-th vertex only: 1, but for probes
	double* row;             ///< (entryCount): scratch, all zero between uses
	double (*boxes)[6];      ///< (entryCount): scratch
	double (*sums)[4];       ///< (entryCount): scratch
	sgFit* fits;             ///< (entryCount): scratch
} sgFamilyDraft;

/// Fill in all values of a family: sgLinearFamily_Values of them.
void sgLinear_FillFamily(const sgFamilyDraft* draft, const sgLinearFamily* family, sgLaneFloats* values);

/// What bounds are made from, and what helps to choose among the ways to bound it.
typedef struct sgBounded
{
	const sgWeights* weights; ///< rows of transforms, or of pairs of joints
	uint32_t count;           ///< how many of either there are
	const uint16_t* rank;     ///< (count) nullable: their places in blocks of eight that poses have side by side; null:
	                          ///< poses have none, and a node alone lists its own by eights
	double evaluation;        ///< as in sgFamilyDraft
	double stepsOfEight;      ///< what eight of them side by side cost, in steps of one for eight nodes
	bool isLocal;             ///< the local program is good enough, whatever the influences
	bool isRootAlone;         ///< no node but the root is to be bounded alone
} sgBounded;

/// Families of a model while they are made: the arrays of sgLinear, writable and owned.
typedef struct sgFamilies
{
	uint32_t* firstFamilies;
	sgLinearFamily* families;
	uint16_t* entryTransforms;
	sgLaneFloats* values;
	size_t firstBytes, familyBytes, entryBytes, valueBytes;
	uint32_t familyCount, entryCount, valueCount;
} sgFamilies;

/// Make the families of all nodes; none, if they are made of nothing. Release them whatever comes back.
snugStatus sgFamilies_Make(
    const snugModel* model, const sgLinearHeader* header, const sgBounded* bounded, sgFamilies* out);
void sgFamilies_Release(sgFamilies* families, const snugAllocator* allocator);

/// How large the sum of the residuals of a first-order fit would be at least, of the node where it is greatest, from a
/// few vertices of each. `values` has room for the kind and is overwritten.
double sgLinear_ProbeFit(const sgFamilyDraft* draft, sgLaneFloats* values);

#endif
