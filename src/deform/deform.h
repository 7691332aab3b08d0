// src/deform/deform.h: all deformers. See model/deformer.h for what they have in common.
#ifndef SG_DEFORM_H
#define SG_DEFORM_H

#include "model/deformer.h"

extern const sgDeform sgDeform_rigid;
extern const sgDeform sgDeform_free;
extern const sgDeform sgDeform_linear;
extern const sgDeform sgDeform_spherical;
extern const sgDeform sgDeform_dualQuaternion;
extern const sgDeform sgDeform_fields;

/// Joint or node j of an input as three rows of four floats: where it is, or in `room`.
const float* sgPoseInput_Matrix(const sgPoseInput* input, uint32_t j, float room[12]);

/// Whether all numbers of joint or node j of an input are finite.
bool sgPoseInput_IsFinite(const sgPoseInput* input, uint32_t j);

#endif
