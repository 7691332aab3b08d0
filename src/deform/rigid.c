// src/deform/rigid.c: vertices that stay where they are. The limit that every other model is measured against.
#include "deform/deform.h"
#include "kernels/isa.h"

static size_t PoseBytes(const snugModel* model)
{
	(void)model;
	return 0;
}

static void Evaluate(
    const snugModel* model, const void* pose, const uint32_t* vertices, uint32_t count, sgVertexBlock* out)
{
	(void)pose;
	sgGetKernels()->gatherVertices(model->positions, vertices, count, out);
}

const sgDeform sgDeform_rigid = {
	.name = "rigid",
	.poseBytes = PoseBytes,
	.evaluate = Evaluate,
	.restIsExact = true,
};
