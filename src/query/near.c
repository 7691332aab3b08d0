// src/query/near.c: see near.h.
#include "query/near.h"

#include "geometry/box_kernels.h"
#include "geometry/margins.h"

#include <math.h>

// How large both bodies are together, along an axis at most.
static double Extent(const sgView* a, const sgBox* rootA, const sgView* b, const sgBox* rootB)
{
	sgBox boxA = sgPlacement_BoundBox(&a->placement, rootA), boxB = sgPlacement_BoundBox(&b->placement, rootB);
	sgBox_AddBox(&boxA, &boxB);
	double extent = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		double along = (double)boxA.upper[k] - boxA.lower[k];
		extent = along > extent ? along : extent;
	}
	return extent;
}

snugStatus sgNearPair_Start(sgNearPair* near, snugBody* a, snugBody* b, const double origin[3])
{
	sgBox rootA, rootB;
	near->kernels = sgGetKernels();
	snugStatus status = sgView_Start(&near->a, a, origin, &rootA, &near->counters);
	status = status == snug_success ? sgView_Start(&near->b, b, origin, &rootB, &near->counters) : status;
	if (status == snug_success)
	{
		near->motionBA = sgRelativeMotion(&a->frame, &near->a.placement, &b->frame, &near->b.placement, &rootB);
		near->slack = SG_MARGIN_NEAREST * Extent(&near->a, &rootA, &near->b, &rootB);
	}
	return status;
}

void sgNearPair_Finish(sgNearPair* near)
{
	sgView_Finish(&near->a);
	sgView_Finish(&near->b);
}

// Boxes of b, moved into the space of a, have grown by all that placing and moving may be off by (sgRelativeMotion), so
// the distance of boxes is no more than that of placed triangles.
void sgNearPair_Look(sgNearPair* near, const sgOpened* a, const sgOpened* b, float limit, sgGaps* gaps)
{
	const sgBoxLanes* boxesA = sgView_Bounds(&near->a, a, &near->counters);
	const sgBoxLanes* boxesB = sgView_Bounds(&near->b, b, &near->counters);
	sgBoxLanes moved;
	if (near->motionBA.kind != sgMotion_none)
	{
		near->kernels->boxes->moveBoxes(boxesB, &near->motionBA, &moved);
		boxesB = &moved;
	}
	gaps->pairs = near->kernels->probes->nearBoxes(boxesA, a->set.mask, boxesB, limit, gaps->squares) &
	              sgMaskProduct(a->set.mask, b->set.mask);
	near->counters.volumeTests += sgCountBits(a->set.mask) * sgCountBits(b->set.mask);
}

void sgNearPair_LookAtLeaves(const sgNearPair* near, sgKeptLeaf a, sgKeptLeaf b, float limit, sgGaps* gaps)
{
	const uint32_t maskA = sgView_Lanes(&near->a, a)->mask, maskB = sgView_Lanes(&near->b, b)->mask;
	gaps->pairs = near->kernels->probes->nearBoxes(&sgView_Lanes(&near->a, a)->boxes, maskA,
	                  &sgView_Lanes(&near->b, b)->boxes, limit, gaps->squares) &
	              sgMaskProduct(maskA, maskB);
}

// A pair whose computed distance is no greater is nearer than that and the slack.
float sgNearLimit(double distance, double slack)
{
	double most = distance + slack;
	return sgRoundUp(most * most);
}
