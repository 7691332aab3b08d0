// src/deform/deform.c: see deform.h.
#include "deform/deform.h"

const sgDeform* sgDeform_Find(snugDeformer deformer)
{
	switch (deformer)
	{
		case snug_rigid:
			return &sgDeform_rigid;
		case snug_free:
			return &sgDeform_free;
		case snug_blend:
			return &sgDeform_blend;
		case snug_linear:
			return &sgDeform_linear;
		case snug_spherical:
			return &sgDeform_spherical;
		case snug_dualQuaternion:
			return &sgDeform_dualQuaternion;
	}
	return NULL;
}
