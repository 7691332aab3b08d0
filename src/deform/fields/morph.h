// src/deform/fields/morph.h: displacement fields as a stage in front of a skin: morph targets. See fields.h.
//
// A skin's data end with those of its fields, if it has any; its pose with their amplitudes. Where all amplitudes are
// zero nothing of this costs anything. Bounds: vertices are displaced within a box per node, from the intervals of the
// fields, and affinely, from their fits; docs/bounds/skins.md says how that is used.
#ifndef SG_MORPH_H
#define SG_MORPH_H

#include "deform/fields/fields.h"

/// The morph targets of a model.
typedef struct sgMorph
{
	sgFields fields; ///< null header: there are none
	size_t place;    ///< of the amplitudes in a pose
} sgMorph;

/// Bytes that a pose needs for them.
/// @param end of the skin's own data; morph targets, if there are any, follow
size_t sgMorph_PoseBytes(const snugModel* model, size_t end);

/// Find the morph targets of a model whose poses have amplitudes at `place`.
sgMorph sgMorph_Bind(const snugModel* model, size_t end, size_t place);

/// The amplitudes of a pose, or null if none is different from zero.
static inline const sgFieldsPose* sgMorph_Active(const sgMorph* morph, const void* pose)
{
	if (morph->fields.header == NULL)
	{
		return NULL;
	}
	const sgFieldsPose* amplitudes = (const void*)((const char*)pose + morph->place);
	return amplitudes->activeCount > 0 ? amplitudes : NULL;
}

/// Make the amplitudes of a new pose: none at rest, those of an input, or as before. They count as changed only if
/// change->motion is not zero afterwards.
void sgMorph_SetPose(
    const sgMorph* morph, const sgPoseInput* input, const void* before, void* pose, sgPoseChange* change);

/// sgDeform.displacedBytes and sgDeform.displace of a skin.
size_t sgMorph_DisplacedBytes(const sgMorph* morph, const snugModel* model);
void sgMorph_Displace(const sgMorph* morph, const snugModel* model, const void* const poses[SG_TOGETHER],
    sgLaneFloats* const out[SG_TOGETHER]);

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
/// Lanes that are not bounded are arbitrary. Fits are left out where they gain next to nothing beside intervals.
/// @return false if no active field moves anything below them
bool sgMorph_Bound(const sgFields* fields, const sgFieldsPose* pose, uint32_t group, sgMorphLanes* out);

/// Of a model whose definition has fields: what is appended to its data. Null if it has none.
snugStatus sgMorph_Build(const snugModel* model, const snugModelDef* def, void** data, size_t* bytes);

#endif
