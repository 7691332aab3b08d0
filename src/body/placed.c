// src/body/placed.c: boxes along the world's axes. See body.h.
//
// A box in body space that is turned with the frame is loose: half as large again along each axis, for a character. So
// where a deformer can, it bounds along the world's axes straight from the pose: rows of R T instead of rows of T.
// Everything else is placed as a box.
#include "body/cache.h"
#include "geometry/box_kernels.h"
#include "geometry/margins.h"

#include <math.h>
#include <string.h>

static bool IsAtRest(const snugBody* body)
{
	return body->isAtRest || body->deform->bound == NULL;
}

// Boxes in body space around the vertices below each lane of a set. From the pose alone, but for bodies that are
// refitted from the leaves up: theirs are exact, and come from the cache.
static const sgBoxLanes* BoundLocal(snugBody* body, sgLaneSet set, sgBoxLanes* scratch, snugCounters* counters)
{
	if (IsAtRest(body))
	{
		return body->model->restBounds + set.group;
	}
	sgBody_Derive(body);
	if (body->deform->refitsBottomUp)
	{
		sgBody_Prepare(body, counters);
		return sgBody_Refresh(body, set, scratch, counters);
	}
	sgRefitDirect(body, set, set.mask, scratch, counters);
	sgCountRefits(counters, &counters->nodesBelowFront, sgCountBits(set.mask));
	return scratch;
}

static bool PlaceBoxes(
    const snugBody* body, const double origin[3], const sgBoxLanes* local, uint32_t mask, sgBoxLanes* boxes)
{
	sgPlacement placement;
	sgBox whole = sgGetKernels()->boxes->mergeBoxes(local, mask);
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

// ---- Along turned axes ----------------------------------------------------------------------------------------------

// Leaves by their vertices, as turned boxes: few bodies have leaves so near the root.
static void TurnLeaves(snugBody* body, sgLaneSet set, uint32_t leaves, sgBoxLanes* boxes, snugCounters* counters)
{
	sgBoxLanes scratch;
	sgPlacement turn = { .error = 0.0 };
	memcpy(turn.rotation, body->frame.rotation, sizeof(turn.rotation));
	sgBody_Derive(body);
	sgRefitDirect(body, set, leaves, &scratch, counters);
	for (uint32_t rest = leaves; rest != 0; rest &= rest - 1)
	{
		sgBox box = sgBoxLanes_Get(&scratch, sgLowestBit(rest));
		for (int axis = 0; axis < 3; ++axis) // far more than sums in double are off by
		{
			turn.error += 0x1p-40 * (fabs((double)box.lower[axis]) + fabs((double)box.upper[axis]));
		}
		sgBox turned = sgPlacement_BoundBox(&turn, &box);
		sgBoxLanes_Set(boxes, sgLowestBit(rest), &turned);
	}
}

/// Room for a turned pose of up to some 430 joints, which stays in the cache from body to body.
typedef struct Room
{
	unsigned char bytes[49152];
} SG_ALIGN(SG_ALIGNMENT) Room;

static bool FitsRoom(const snugBody* body)
{
	return body->poseBytes + body->derivedBytes <= sizeof(Room);
}

bool sgBody_CanBoundTogether(const snugBody* body)
{
	return FitsRoom(body);
}

bool sgBody_EvaluatesLeaves(const snugBody* body)
{
	return !IsAtRest(body) && body->deform->evaluate != NULL;
}

static bool BoundTurned(snugBody* body, sgLaneSet set, sgBoxLanes* boxes, double slack[3], snugCounters* counters)
{
	const sgDeform* deform = body->deform;
	if (deform->boundTurned == NULL || (body->frame.isIdentity && !deform->turnsManyAtOnce))
	{
		return false;
	}
	const double(*rotation)[3] = (const double(*)[3])body->frame.rotation;
	Room room; // not zeroed
	sgLaneSet inner = set;
	inner.mask &= ~set.leafMask;
	slack[0] = slack[1] = slack[2] = 0.0;
	void* where = FitsRoom(body) ? room.bytes : NULL;
	if (inner.mask == 0 || !deform->boundTurned(&body->posed, rotation, inner, where, boxes, slack))
	{
		return false;
	}
	if ((set.mask & set.leafMask) != 0)
	{
		TurnLeaves(body, set, set.mask & set.leafMask, boxes, counters);
	}
	sgCountRefits(counters, &counters->nodesBelowFront, sgCountBits(set.mask));
	return true;
}

// Move turned boxes by the translation t, in float32. Let u = 2^-24, M_i the greatest coordinate of the boxes. t_i
// rounded is off by u |t_i|, two sums by u (|t_i| + M_i + pad) each: below 4 u (|t_i| + M_i). Positions are placed as
// in sgPlacement_Make: the sum of |R_ik| |v_k| is at most |R v|, within rounding, by Cauchy and Schwarz; so |t| + |M|
// is a reach.
static bool MoveBoxes(
    const snugBody* body, const double origin[3], const double slack[3], uint32_t mask, sgBoxLanes* boxes)
{
	sgBox whole = sgGetKernels()->boxes->mergeBoxes(boxes, mask);
	double translation[3], most[3], reach = 0.0, farthest = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		translation[i] = body->frame.position[i] - origin[i];
		most[i] = fmax(fabs((double)whole.lower[i]), fabs((double)whole.upper[i])) + slack[i];
		reach = fmax(reach, fabs(translation[i]));
		farthest += most[i] * most[i];
	}
	reach = (reach + sqrt(farthest)) * (1.0 + 0x1p-20);
	double error = SG_MARGIN_PLACE * 0x1p-24 * reach + SG_MARGIN_SUBNORMAL;
	for (int i = 0; i < 3; ++i)
	{
		double moved = SG_MARGIN_PLACED_TURNED * 0x1p-24 * (fabs(translation[i]) + most[i]);
		float pad = sgRoundUp((slack[i] + error + moved) * (1.0 + 0x1p-20)), t = (float)translation[i];
		for (uint32_t lane = 0; lane < SG_LANES; ++lane)
		{
			bool isThere = (mask >> lane & 1) != 0;
			boxes->lower[i][lane] = isThere ? boxes->lower[i][lane] + t - pad : INFINITY;
			boxes->upper[i][lane] = isThere ? boxes->upper[i][lane] + t + pad : -INFINITY;
		}
	}
	return reach <= (double)SNUG_MAX_COORDINATE;
}

bool sgBody_BoundPlaced(
    snugBody* body, const double origin[3], sgLaneSet set, sgBoxLanes* boxes, snugCounters* counters)
{
	double slack[3];
	bool isEmpty = body->model->tree.triangleCount == 0;
	if (!isEmpty && !IsAtRest(body) && BoundTurned(body, set, boxes, slack, counters))
	{
		return MoveBoxes(body, origin, slack, set.mask, boxes);
	}
	const sgBox empty = sgBox_Empty();
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		sgBoxLanes_Set(boxes, lane, &empty);
	}
	if (isEmpty)
	{
		return true;
	}
	sgBoxLanes scratch;
	return PlaceBoxes(body, origin, BoundLocal(body, set, &scratch, counters), set.mask, boxes);
}

// The nodes below a root make a tighter box than the root itself, so they are used where that costs little. Leaves
// would have to be evaluated.
static bool PaysToOpen(const snugBody* body)
{
	bool hasLeaves = sgTree_Open(&body->model->tree, 0).leafMask != 0;
	return IsAtRest(body) || (body->deform->turnsManyAtOnce && !hasLeaves);
}

bool sgBody_BoundPlacedRoot(snugBody* body, const double origin[3], sgPlacedRoot* root, snugCounters* counters)
{
	const sgTree* tree = &body->model->tree;
	root->isOpened = PaysToOpen(body);
	sgLaneSet set = root->isOpened ? sgTree_Open(tree, 0) : sgTree_Family(tree, 0);
	bool isNear = sgBody_BoundPlaced(body, origin, set, &root->below, counters);
	root->box = sgGetKernels()->boxes->mergeBoxes(&root->below, set.mask);
	return isNear;
}
