// src/deform/morph.h: displacement fields as a stage in front of a skin: morph targets. See fields.h.
//
// A skin's data end with those of its fields, if it has any; its pose with two sets of amplitudes, of which one is
// current. Where all amplitudes are zero nothing of this costs anything. Bounds: vertices are displaced within a box
// per node, from the intervals of the fields, or affinely, from their fits, or both; docs/bounds.md says how that is
// used.
#ifndef SG_MORPH_H
#define SG_MORPH_H

#include "deform/fields.h"

/// What a pose knows of its morph targets. All zero if there are none.
typedef struct sgMorphState
{
	uint64_t dataPlace; ///< of the fields in the model's data; zero: there are none
	uint64_t posePlace; ///< of the first set of amplitudes in the pose
	uint32_t poseBytes; ///< of one set
	uint32_t current;   ///< 0 or 1
} sgMorphState;

/// Where the data of a skin's fields begin, or zero if it has none. Not fast: what a pose keeps is.
uint64_t sgMorph_FindData(const snugModel* model);

/// Bytes that a pose needs for them.
size_t sgMorph_PoseBytes(const snugModel* model);

/// Fill in the state of a pose whose amplitudes are at `place`, all zero.
void sgMorphState_Start(sgMorphState* state, const snugModel* model, void* pose, size_t place);

static inline sgFieldsPose* sgMorphState_Get(const sgMorphState* state, const void* pose, uint32_t which)
{
	return (sgFieldsPose*)((uintptr_t)pose + (uintptr_t)state->posePlace + which * (uintptr_t)state->poseBytes);
}

/// The current amplitudes, or null if none is different from zero.
static inline const sgFieldsPose* sgMorphState_Active(const sgMorphState* state, const void* pose)
{
	if (state->dataPlace == 0)
	{
		return NULL;
	}
	const sgFieldsPose* current = sgMorphState_Get(state, pose, state->current);
	return current->activeCount > 0 ? current : NULL;
}

static inline sgFields sgMorphState_Fields(const sgMorphState* state, const snugModel* model)
{
	return sgFields_Bind((const char*)model->deformData + state->dataPlace);
}

/// How far the vertices below eight nodes are from their rest positions: within half of middle; and, if there are fits,
/// mean + gradient (p - center) +- residual for a rest position p, |p - center| <= extent.
typedef struct sgMorphLanes
{
	float middle[3][SG_LANES];
	float half[3][SG_LANES];
	bool hasFit;
	float mean[3][SG_LANES] SG_ALIGN(32);
	float gradient[3][3][SG_LANES];
	float residual[3][SG_LANES];
	float center[3][SG_LANES];
	float extent[3][SG_LANES];
} SG_ALIGN(32) sgMorphLanes;

/// Displacements of a group's nodes, rounding included: where evaluated positions are, in float32, before the skin.
/// Lanes that are not bounded are arbitrary. Fits are left out where there are intervals and fits gain next to nothing.
/// @return false if no active field moves anything below them
bool sgMorph_Bound(const sgFields* fields, const sgFieldsPose* pose, uint32_t group, sgMorphLanes* out);

/// Of a model whose definition has fields: what is appended to its data. Null if it has none.
snugStatus sgMorph_Build(const snugModel* model, const snugModelDef* def, void** data, size_t* bytes);

#endif
