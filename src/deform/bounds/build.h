// src/deform/bounds/build.h: how the data of bounds/blend.h are made, step by step, and checked. Offline.
#ifndef SG_BLEND_BUILD_H
#define SG_BLEND_BUILD_H

#include "deform/bounds/corners.h"
#include "deform/bounds/families.h"

/// The data while they are made. Steps are to be taken in the order in which they are declared here.
typedef struct sgBlendDraft
{
	const snugModel* model;
	const snugModelDef* def;
	sgBlendHeader header;
	void* scratch; ///< holds the arrays of the next two
	size_t scratchBytes;
	sgWeights weights;
	sgTransformOrder order;
	sgRowsOf rowsOf;
	sgRowLists lists; ///< the same weights
	sgRowsDraft rows; ///< made from both
	uint32_t boundedCount;
	sgFamilies families;
	sgCornerArrays corners;
} sgBlendDraft;

/// Check the bounds of a definition as far as all skins agree, and its weights; read them and make rows of them.
/// Release the draft whatever comes back.
/// @param bounds what the header is to say; those of the definition, resolved
snugStatus sgBlendDraft_Begin(
    sgBlendDraft* draft, const snugModel* model, const snugModelDef* def, const snugBoundsDef* bounds);

/// Make the bounds of all nodes; and, where the header says so, joint sets.
/// @param rules of joint sets, nullable
snugStatus sgBlendDraft_AddBounds(sgBlendDraft* draft, const sgBounded* bounded);
snugStatus sgBlendDraft_AddCorners(sgBlendDraft* draft, const sgCornerRules* rules);

/// Allocate what a model stores: the data, then other pieces of so many bytes, which are zero. Null: no memory.
char* sgBlendDraft_Write(const sgBlendDraft* draft, size_t otherBytes);

void sgBlendDraft_Release(sgBlendDraft* draft);

/// Whether bounds of a definition exist that every skin might have. Says so if not.
snugStatus sgBlend_CheckBounds(const snugModelDef* def);

/// Whether data begin with settings and counts that may be: a part of sgDeform.fits.
bool sgBlend_FitsHeader(const snugModel* model);

/// What is known of the families of data that come from a file.
typedef struct sgFamilyRules
{
	uint32_t boundedCount;
	sgAcross across; ///< what nodes alone are
	sgBlendKind least;
} sgFamilyRules;

/// Check data that come from a file, but for joint sets of nodes: a part of sgDeform.check.
const char* sgBlend_CheckData(const snugModel* model, const sgBlend* blend, const sgFamilyRules* rules, void* scratch);

#endif
