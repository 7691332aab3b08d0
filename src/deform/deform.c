// src/deform/deform.c: the list of deformers, and what they share. See model/deformer.h.
#include "deform/deform.h"

#include <math.h>

// In the order of their numbers in model files.
static const sgDeform* const all[] = { &sgDeform_rigid, &sgDeform_free, &sgDeform_linear, &sgDeform_fields,
	&sgDeform_spherical, &sgDeform_dualQuaternion };
#define COUNT ((uint32_t)(sizeof(all) / sizeof(all[0])))

const sgDeform* sgDeform_At(uint32_t number)
{
	return number < COUNT ? all[number] : NULL;
}

const sgDeform* sgDeform_Find(snugDeformer deformer, snugBlending blending)
{
	for (uint32_t i = 0; i < COUNT; ++i)
	{
		if (all[i]->deformer == deformer && (deformer != snug_skin || all[i]->blending == blending))
		{
			return all[i];
		}
	}
	return NULL;
}

uint32_t sgDeform_Number(const sgDeform* deform)
{
	uint32_t number = 0;
	while (all[number] != deform)
	{
		++number;
	}
	return number;
}

// Eq. (3) of the meshless paper: A = gradient^T + I, t = displacement - gradient^T position; in double, rounded once.
static const float* MatrixOfNode(const snugMeshlessNode* node, float matrix[12])
{
	for (int i = 0; i < 3; ++i)
	{
		double t = node->displacement[i];
		for (int k = 0; k < 3; ++k)
		{
			double gradient = node->gradient[k][i];
			t -= gradient * (double)node->position[k];
			matrix[4 * i + k] = (float)(gradient + (i == k ? 1.0 : 0.0));
		}
		matrix[4 * i + 3] = (float)t;
	}
	return matrix;
}

static const float* MatrixOfColumns(const float columns[16], float matrix[12])
{
	for (int i = 0; i < 12; ++i)
	{
		matrix[i] = columns[4 * (i % 4) + i / 4];
	}
	return matrix;
}

const float* sgPoseInput_Matrix(const sgPoseInput* input, uint32_t j, float room[12])
{
	static const float identity[12] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 };
	const void* one = input->kind == sgPose_rest ? NULL : (const char*)input->data + j * input->stride;
	switch (input->kind)
	{
		case sgPose_joints:
			return one;
		case sgPose_jointColumns:
			return MatrixOfColumns(one, room);
		case sgPose_nodes:
			return MatrixOfNode(one, room);
		default:
			return identity;
	}
}

bool sgPoseInput_IsFinite(const sgPoseInput* input, uint32_t j)
{
	size_t floats = input->kind == sgPose_nodes ? sizeof(snugMeshlessNode) / sizeof(float) : 12;
	floats = input->kind == sgPose_jointColumns ? 16 : floats;
	const float* values = (const float*)(const void*)((const char*)input->data + j * input->stride);
	for (size_t i = 0; i < floats; ++i)
	{
		if (!isfinite(values[i]))
		{
			return false;
		}
	}
	return true;
}
