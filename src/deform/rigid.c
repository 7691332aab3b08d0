// src/deform/rigid.c: vertices that stay where they are: the fastest that any model can be.
#include "deform/deform.h"

static const float* Positions(const sgPosed* posed)
{
	return posed->model->positions;
}

const sgDeform sgDeform_rigid = {
	.name = "rigid",
	.deformer = snug_rigid,
	.positions = Positions,
	.restIsExact = true,
};
