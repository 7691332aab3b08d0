// src/deform/bounds/linear_bounds_build.h: how the data of linear_bounds.h are made, step by step, and checked.
// Offline.
#ifndef SG_BLEND_BUILD_H
#define SG_BLEND_BUILD_H

#include "deform/bounds/families.h"

/// The data while they are made. Steps are to be taken in the order in which they are declared here.
typedef struct sgLinearDraft
{
	const snugModel* model;
	const snugModelDef* def;
	sgLinearHeader header;
	void* scratch; ///< holds the arrays of the next two
	size_t scratchBytes;
	sgWeights weights;
	sgTransformOrder order;
	sgRowsOf rowsOf;
	sgRowLists lists; ///< the same weights
	sgRowsDraft rows; ///< made from both
	uint32_t boundedCount;
	sgFamilies families;
} sgLinearDraft;

/// Check the weights of a definition, read them and make rows of them. Release the draft whatever comes back.
snugStatus sgLinearDraft_Begin(sgLinearDraft* draft, const snugModel* model, const snugModelDef* def);

/// Make the bounds of all nodes.
snugStatus sgLinearDraft_AddBounds(sgLinearDraft* draft, const sgBounded* bounded);

/// Allocate what a model stores: the data, then other pieces of so many bytes, which are zero. Null: no memory.
char* sgLinearDraft_Write(const sgLinearDraft* draft, size_t otherBytes);

void sgLinearDraft_Release(sgLinearDraft* draft);

/// Whether data begin with settings and counts that may be: a part of sgDeform.fits.
bool sgLinear_FitsHeader(const snugModel* model);

/// What is known of the families of data that come from a file.
typedef struct sgFamilyRules
{
	uint32_t boundedCount; ///< what they are made of; zero: there are none
	sgAcross across;       ///< what nodes alone are
	sgLinearKind greatest;
} sgFamilyRules;

/// Check data that come from a file: a part of sgDeform.check.
const char* sgLinear_CheckData(
    const snugModel* model, const sgLinear* blend, const sgFamilyRules* rules, void* scratch);

#endif
