// src/deform/deform.c: see deform.h.
#include "deform/deform.h"

const char sgNoMemory[] = "there is no memory to check it";

const sgDeform* sgDeform_Find(snugDeformer deformer)
{
	switch (deformer)
	{
		case snug_rigid:
			return &sgDeform_rigid;
		case snug_free:
			return &sgDeform_free;
		case snug_skin:
			return &sgDeform_blend;
		case snug_fields:
			return &sgDeform_linear;
		case snug_sphericalSkin:
			return &sgDeform_spherical;
		case snug_dualQuaternionSkin:
			return &sgDeform_dualQuaternion;
	}
	return NULL;
}
