// src/geometry/prism.c: see prism.h.
#include "geometry/prism.h"

#include "geometry/eigen.h"
#include "geometry/frame.h"
#include "geometry/margins.h"

#include <math.h>

// fmax and fmin are function calls because of NaN, and none of these numbers is NaN.
static inline double Larger(double a, double b)
{
	return a > b ? a : b;
}

static inline double Smaller(double a, double b)
{
	return a < b ? a : b;
}

sgCloud sgCloud_Make(const sgPointList* list)
{
	sgCloud cloud = { .mean = { 0 } };
	double moment[3][3] = { { 0 } };
	double count = (double)sgPointList_Used(list);
	for (uint32_t i = 0; i < list->count; i += list->step)
	{
		for (int k = 0; k < 3; ++k)
		{
			cloud.mean[k] += (double)sgPointList_Get(list, i)[k] / count;
		}
	}
	for (uint32_t i = 0; i < list->count; i += list->step)
	{
		const float* p = sgPointList_Get(list, i);
		for (int a = 0; a < 3; ++a)
		{
			for (int b = 0; b < 3; ++b)
			{
				moment[a][b] += ((double)p[a] - cloud.mean[a]) * ((double)p[b] - cloud.mean[b]);
			}
		}
	}
	sgEigen3(moment, cloud.variance, cloud.axes);
	return cloud;
}

/// Coordinates of points in a prism's own frame, which is a little skewed since its axes are rounded: solves
/// offset + a U + b V + c N = p - center for (a, b, c). Not finite where the axes are dependent.
typedef struct Frame
{
	double origin[3];
	double inverse[3][3];
} Frame;

static Frame FrameOf(const sgPrismLanes* prisms, uint32_t lane, const float center[3])
{
	Frame frame;
	double det = 0.0, axes[3][3];
	for (int a = 0; a < 3; ++a)
	{
		for (int k = 0; k < 3; ++k)
		{
			axes[a][k] = (double)prisms->axes[a][k].lane[lane];
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		int i = (k + 1) % 3, j = (k + 2) % 3;
		frame.origin[k] = (double)center[k] + (double)prisms->offset[k].lane[lane];
		// Row k of the inverse is the cross product of the other two axes over the determinant.
		for (int c = 0; c < 3; ++c)
		{
			int u = (c + 1) % 3, v = (c + 2) % 3;
			frame.inverse[k][c] = axes[i][u] * axes[j][v] - axes[i][v] * axes[j][u];
		}
	}
	for (int c = 0; c < 3; ++c)
	{
		det += axes[0][c] * frame.inverse[0][c];
	}
	for (int k = 0; k < 3; ++k)
	{
		for (int c = 0; c < 3; ++c)
		{
			frame.inverse[k][c] /= det;
		}
	}
	return frame;
}

// (a, b, c) of the point p.
static void Locate(const Frame* frame, const float p[3], double out[3])
{
	for (int k = 0; k < 3; ++k)
	{
		out[k] = 0.0;
		for (int c = 0; c < 3; ++c)
		{
			out[k] += frame->inverse[k][c] * ((double)p[c] - frame->origin[c]);
		}
	}
}

// Extents along the principal axes, none thinner than a thousandth of the longest, as float32 offset and axes. They are
// grown by 2^-16 first, so that rounding the axes, which tilts them, hardly ever leaves a vertex outside.
static void SetAxes(sgPrismLanes* prisms, uint32_t lane, const sgPointList* list, const float center[3])
{
	sgCloud cloud = sgCloud_Make(list);
	double least[3] = { INFINITY, INFINITY, INFINITY }, most[3] = { -INFINITY, -INFINITY, -INFINITY }, longest = 0.0;
	for (uint32_t i = 0; i < list->count; ++i)
	{
		const float* p = sgPointList_Get(list, i);
		for (int a = 0; a < 3; ++a)
		{
			double along = 0.0;
			for (int k = 0; k < 3; ++k)
			{
				along += cloud.axes[a][k] * ((double)p[k] - (double)center[k]);
			}
			least[a] = Smaller(least[a], along);
			most[a] = Larger(most[a], along);
		}
	}
	for (int a = 0; a < 3; ++a)
	{
		longest = Larger(longest, 0.5 * (most[a] - least[a]));
	}
	double middle[3] = { 0, 0, 0 };
	for (int a = 0; a < 3; ++a)
	{
		double half = Larger(0.5 * (most[a] - least[a]), Larger(1e-3 * longest, 1e-30)) * (1.0 + 0x1p-16);
		for (int k = 0; k < 3; ++k)
		{
			middle[k] += 0.5 * (most[a] + least[a]) * cloud.axes[a][k];
			prisms->axes[a][k].lane[lane] = sgRoundNearest(half * cloud.axes[a][k]);
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		prisms->offset[k].lane[lane] = sgRoundNearest(middle[k]);
	}
}

static void SetBox(sgPrismLanes* prisms, uint32_t lane, const float half[3])
{
	for (int a = 0; a < 3; ++a)
	{
		prisms->offset[a].lane[lane] = 0.0f;
		for (int k = 0; k < 3; ++k)
		{
			prisms->axes[a][k].lane[lane] = a == k ? half[k] : 0.0f;
		}
	}
	for (int c = 0; c < 4; ++c)
	{
		prisms->corner[c].lane[lane] = 2.0f;
	}
}

// Coordinates are measured in the rounded frame itself, so that rounding the frame costs nothing; the margin covers
// what double precision loses. The corners stay valid: none is negative, since the middle of both extents is at zero.
// Where a vertex is outside, or the frame cannot be inverted, the prism is the rest box.
void sgPrismLanes_Fit(
    sgPrismLanes* prisms, uint32_t lane, const sgPointList* list, const float center[3], const float half[3])
{
	SetAxes(prisms, lane, list, center);
	Frame frame = FrameOf(prisms, lane, center);
	double most = 0.0, corner[4] = { 0.0, 0.0, 0.0, 0.0 };
	for (uint32_t i = 0; i < list->count; ++i)
	{
		double q[3];
		Locate(&frame, sgPointList_Get(list, i), q);
		const double sums[4] = { q[0] + q[1], q[0] - q[1], q[1] - q[0], -q[0] - q[1] };
		for (int c = 0; c < 4; ++c)
		{
			corner[c] = Larger(corner[c], sums[c] + SG_MARGIN_PRISM);
		}
		for (int a = 0; a < 3; ++a)
		{
			most = sgMost(most, fabs(q[a]));
		}
	}
	bool isUsable = most <= 1.0 - SG_MARGIN_PRISM;
	if (!isUsable)
	{
		SetBox(prisms, lane, half);
		return;
	}
	for (int c = 0; c < 4; ++c)
	{
		prisms->corner[c].lane[lane] = sgRoundUp(Smaller(corner[c], 2.0));
	}
}
