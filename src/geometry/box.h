// src/geometry/box.h: eight axis-aligned boxes side by side, the unit in which bounds are stored, moved and tested.
//
// An empty lane has lower = +infinity and upper = -infinity: it overlaps nothing and is neutral when merged.
#ifndef SG_BOX_H
#define SG_BOX_H

#include "base/base.h"

typedef struct sgBoxLanes
{
	float lower[3][SG_LANES];
	float upper[3][SG_LANES];
} SG_ALIGN(32) sgBoxLanes;
SG_STORED(sgBoxLanes, 192);

/// Eight floats side by side: one per node of a group, or per vertex of a block.
typedef struct sgLaneFloats
{
	float lane[SG_LANES];
} SG_ALIGN(32) sgLaneFloats;
SG_STORED(sgLaneFloats, 32);

typedef struct sgBox
{
	float lower[3];
	float upper[3];
} sgBox;

static inline void sgBoxLanes_Set(sgBoxLanes* lanes, uint32_t lane, const sgBox* box)
{
	for (int axis = 0; axis < 3; ++axis)
	{
		lanes->lower[axis][lane] = box->lower[axis];
		lanes->upper[axis][lane] = box->upper[axis];
	}
}

static inline sgBox sgBoxLanes_Get(const sgBoxLanes* lanes, uint32_t lane)
{
	sgBox box;
	for (int axis = 0; axis < 3; ++axis)
	{
		box.lower[axis] = lanes->lower[axis][lane];
		box.upper[axis] = lanes->upper[axis][lane];
	}
	return box;
}

static inline sgBox sgBox_Empty(void)
{
	const float infinity = __builtin_inff();
	return (sgBox){ { infinity, infinity, infinity }, { -infinity, -infinity, -infinity } };
}

static inline bool sgBox_IsEmpty(const sgBox* box)
{
	return box->lower[0] > box->upper[0];
}

static inline void sgBox_AddPoint(sgBox* box, const float point[3])
{
	for (int axis = 0; axis < 3; ++axis)
	{
		box->lower[axis] = point[axis] < box->lower[axis] ? point[axis] : box->lower[axis];
		box->upper[axis] = point[axis] > box->upper[axis] ? point[axis] : box->upper[axis];
	}
}

static inline void sgBox_AddBox(sgBox* box, const sgBox* other)
{
	for (int axis = 0; axis < 3; ++axis)
	{
		box->lower[axis] = other->lower[axis] < box->lower[axis] ? other->lower[axis] : box->lower[axis];
		box->upper[axis] = other->upper[axis] > box->upper[axis] ? other->upper[axis] : box->upper[axis];
	}
}

#endif
