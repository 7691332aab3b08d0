// src/body/placed.c: boxes along the world's axes. See body.h.
//
// A box in body space that is turned with the frame is loose: half as large again along each axis, for a character. So
// where a deformer can, it bounds along the world's axes straight from the pose: rows of R T instead of rows of T.
// Everything else is placed as a box.
#include "body/cache.h"
#include "geometry/margins.h"

#include <math.h>

static bool IsAtRest(const snugBody* body)
{
	return body->isAtRest || body->deform->bound == NULL;
}

// Boxes in body space, not looked up in the cache unless there is no other way.
static const sgBoxLanes* FindLocal(snugBody* body, sgLaneSet set, sgBoundsScratch* scratch, snugCounters* counters)
{
	if (IsAtRest(body))
	{
		return body->model->restBounds + set.group;
	}
	sgBody_Derive(body);
	if (body->deform->refitsBottomUp)
	{
		sgBody_Prepare(body, counters);
		return sgBody_Refresh(body, set, scratch, counters).boxes;
	}
	sgRefitDirect(body, set, set.mask, (sgBoundsOut){ &scratch->boxes, scratch->extra }, counters);
	return &scratch->boxes;
}

static sgBox Merge(const sgBoxLanes* boxes, uint32_t mask)
{
	sgBox merged = sgBox_Empty();
	for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
	{
		sgBox box = sgBoxLanes_Get(boxes, sgLowestBit(rest));
		sgBox_AddBox(&merged, &box);
	}
	return merged;
}

static bool PlaceBoxes(const snugBody* body, const double origin[3], const sgBoxLanes* local, uint32_t mask, sgBoxLanes* boxes)
{
	sgPlacement placement;
	sgBox whole = Merge(local, mask);
	if (!sgPlacement_Make(&body->frame, origin, &whole, &placement))
	{
		return false;
	}
	for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
	{
		sgBox box = sgBoxLanes_Get(local, sgLowestBit(rest)), placed = sgPlacement_BoundBox(&placement, &box);
		sgBoxLanes_Set(boxes, sgLowestBit(rest), &placed);
	}
	return true;
}

bool sgBody_BoundPlaced(
    snugBody* body, const double origin[3], sgLaneSet set, sgBoxLanes* boxes, snugCounters* counters)
{
	const sgBox empty = sgBox_Empty();
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		sgBoxLanes_Set(boxes, lane, &empty);
	}
	if (body->model->tree.triangleCount == 0)
	{
		return true;
	}
	sgBoundsScratch scratch;
	return PlaceBoxes(body, origin, FindLocal(body, set, &scratch, counters), set.mask, boxes);
}

// Where nothing has to be computed, what is below the root makes a tighter box than the root itself: eight turned boxes.
bool sgBody_BoundPlacedRoot(snugBody* body, const double origin[3], sgBox* box, snugCounters* counters)
{
	const sgTree* tree = &body->model->tree;
	sgBoxLanes boxes;
	sgLaneSet set = IsAtRest(body) ? sgTree_Open(tree, 0) : sgTree_Family(tree, 0);
	bool isNear = sgBody_BoundPlaced(body, origin, set, &boxes, counters);
	*box = Merge(&boxes, set.mask);
	return isNear;
}
