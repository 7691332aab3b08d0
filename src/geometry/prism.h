// src/geometry/prism.h: octagonal prisms in the principal frame of points: rest volumes that fit surfaces better than
// boxes do.
#ifndef SG_PRISM_H
#define SG_PRISM_H

#include "geometry/box.h"

/// Eight prisms side by side: points center + offset + a U + b V + c N with |a|, |b|, |c| <= 1 and a + b <= corner[0],
/// a - b <= corner[1], -a + b <= corner[2], -a - b <= corner[3]. The centre is that of a box around the same points,
/// kept elsewhere.
typedef struct sgPrismLanes
{
	sgLaneFloats offset[3];
	sgLaneFloats axes[3][3]; ///< U, V, N
	sgLaneFloats corner[4];
} sgPrismLanes;
SG_STORED(sgPrismLanes, 512);

/// Some of a model's points: positions[3 members[i]] and so on, for i = 0, step, 2 step, ... below count.
typedef struct sgPointList
{
	const float* positions;
	const uint32_t* members;
	uint32_t count;
	uint32_t step;
} sgPointList;

static inline const float* sgPointList_Get(const sgPointList* list, uint32_t i)
{
	return list->positions + 3 * (size_t)list->members[i];
}

/// Points that are looked at.
static inline uint32_t sgPointList_Used(const sgPointList* list)
{
	return (list->count + list->step - 1) / list->step;
}

/// Points as a cloud: mean, principal axes (rows, longest first) and sums of squares along them.
typedef struct sgCloud
{
	double mean[3];
	double axes[3][3];
	double variance[3];
} sgCloud;

sgCloud sgCloud_Make(const sgPointList* list);

/// A prism around all points of a list (whatever its step), in one lane; where none can be made, the box of the given
/// half extents.
void sgPrismLanes_Fit(
    sgPrismLanes* prisms, uint32_t lane, const sgPointList* list, const float center[3], const float half[3]);

#endif
