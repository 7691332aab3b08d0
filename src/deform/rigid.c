// src/deform/rigid.c: vertices that stay where they are. The limit that every other model is measured against.
#include "deform/deform.h"

static size_t PoseBytes(const snugModel* model)
{
	(void)model;
	return 0;
}

static const float* Positions(const snugModel* model, const void* pose)
{
	(void)pose;
	return model->positions;
}

const sgDeform sgDeform_rigid = {
	.name = "rigid",
	.poseBytes = PoseBytes,
	.positions = Positions,
	.restIsExact = true,
};
