// src/deform/papers/contact_spheres.c: balls of upper nodes that contain the balls of contact nodes below. See
// fields/build.h.
//
// The paper says of its bounded-depth traversals that upper spheres are enlarged to wrap their descendants' contact
// spheres, and that they stay wrapped without special precautions. They do not: wrapped at rest says nothing about
// other amplitudes. They do if that holds for every field by itself: with R >= |c_d - c| + R_d of the rest positions
// and R_j >= |c_dj - c_j| + R_dj of each field j, a point of contact ball d is no farther from the centre than
// |c_d - c| + sum_j |q_j| |c_dj - c_j| + R_d + sum_j |q_j| R_dj <= R + sum_j |q_j| R_j.
#include "deform/fields/build.h"
#include "geometry/frame.h"
#include "geometry/margins.h"

#include <math.h>

/// The balls of one node.
typedef struct NodeBalls
{
	const sgFieldsGroup* group;
	const uint16_t* fields;
	sgFieldBall* balls; ///< of the rest positions, then of each field
	uint32_t lane;
} NodeBalls;

static double Enlarged(const sgFieldBall* above, uint32_t laneAbove, const sgFieldBall* below, uint32_t laneBelow)
{
	double sum = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		double other = below != NULL ? (double)below->center[k].lane[laneBelow] : 0.0;
		double difference = (double)above->center[k].lane[laneAbove] - other;
		sum += difference * difference;
	}
	return (sqrt(sum) + (below != NULL ? (double)below->radius.lane[laneBelow] : 0.0)) * (1.0 + 0x1p-45);
}

static void Enlarge(sgFieldBall* above, uint32_t laneAbove, const sgFieldBall* below, uint32_t laneBelow)
{
	float radius = sgRoundUp(Enlarged(above, laneAbove, below, laneBelow));
	above->radius.lane[laneAbove] = radius > above->radius.lane[laneAbove] ? radius : above->radius.lane[laneAbove];
}

// Fields that do not move what is below have no ball there: a point at zero. Those that the group below has for the
// sake of other nodes only are passed over.
static void Wrap(const NodeBalls* above, const NodeBalls* below)
{
	Enlarge(above->balls, above->lane, below->balls, below->lane);
	for (uint32_t j = 0, k = 0; j < above->group->fieldCount; ++j)
	{
		while (k < below->group->fieldCount && below->fields[k] < above->fields[j])
		{
			++k;
		}
		bool isThere = k < below->group->fieldCount && below->fields[k] == above->fields[j];
		Enlarge(above->balls + 1 + j, above->lane, isThere ? below->balls + 1 + k : NULL, below->lane);
	}
}

// What rounding adds to a ball is counted in units that grow with the fields of its group (linear_kernels.c), and a
// ball above must have thrice of what the one below has. A group of a narrow tree has fields for the sake of other
// families too, so the one below may have more of them.
static float WrapsOf(const sgFieldsHeader* header, const sgFieldsGroup* above, const sgFieldsGroup* below)
{
	double unitsAbove = 4.0 * above->fieldCount + 13.0 + header->rows.most;
	double unitsBelow = 4.0 * below->fieldCount + 13.0 + header->rows.most;
	return sgRoundUp(SG_MARGIN_WRAPS * fmax(1.0, unitsBelow / unitsAbove * (1.0 + 0x1p-20)));
}

void sgFields_WrapContacts(const sgTree* tree, const sgFieldsHeader* header, const sgFieldsGroup* groups,
    const uint16_t* groupFields, sgLaneFloats* groupValues)
{
	if (!SNUG_ALL_BOUNDS || header->contactLevel == 0)
	{
		return;
	}
	for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
	{
		NodeBalls below = { .balls = NULL };
		if (!sgTree_IsContact(tree, header->contactLevel, slot))
		{
			continue;
		}
		for (uint32_t at = slot; at != SG_NONE; at = tree->nodes[at].parent)
		{
			const sgFieldsGroup* group = groups + at / SG_LANES;
			sgLaneFloats* values = groupValues + group->values;
			NodeBalls node = {
				.group = group,
				.fields = groupFields + group->fields,
				.balls = (sgFieldBall*)(void*)(values + sgFieldsGroup_ValuesBefore(group, group->parts)),
				.lane = at % SG_LANES,
			};
			if (at == slot)
			{
				below = node;
				continue;
			}
			Wrap(&node, &below);
			float* wraps = ((sgFieldsHead*)(void*)values)->wraps.lane + node.lane;
			float needed = WrapsOf(header, group, below.group);
			*wraps = needed > *wraps ? needed : *wraps;
		}
	}
}
