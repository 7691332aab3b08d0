// src/query/probe.c: see probe.h.
#include "query/probe.h"

#include "geometry/margins.h"

#include <math.h>

static double Greater(double a, double b)
{
	return a > b ? a : b;
}

// Let the segment share the point x = p + t (q - p) with a placed triangle. As in sgRelativeMotion, the point of the
// unplaced triangle with the same weights is within sqrt(3) times the placement's error of where x is in body space,
// and in the triangle's box; so boxes that grow by that much contain x. The start is rounded to float32, which moves x
// by 2^-24 of it at most, and by far less in double, the rotation's own rounding included. Without a placement there is
// neither. All else is relative: the direction, its reciprocal, a face minus the start and the product of the two each
// round once, so t is off by four times 2^-24 of itself and what comes of the slack's own rounding: SG_MARGIN_CLIPPED.
sgProbe sgProbe_Make(const sgPlacement* placement, const float from[3], const float to[3])
{
	sgProbe probe;
	double p[3], q[3], reach = 0.0;
	sgPlacement_Undo(placement, from, p);
	sgPlacement_Undo(placement, to, q);
	for (int k = 0; k < 3; ++k)
	{
		reach = Greater(reach, Greater(fabs(p[k]), fabs(q[k])));
		float direction = (float)(q[k] - p[k]);
		probe.from[k] = (float)p[k];
		probe.isParallel[k] = fabsf(direction) < 0x1p-120f;
		probe.inverse[k] = probe.isParallel[k] ? 0.0f : 1.0f / direction;
		probe.lower[k] = probe.isParallel[k] ? sgRoundDown(p[k] < q[k] ? p[k] : q[k]) : 0.0f;
		probe.upper[k] = probe.isParallel[k] ? sgRoundUp(Greater(p[k], q[k])) : 0.0f;
	}
	double slack = SG_MARGIN_DISTANCE * placement->error + SG_MARGIN_PROBE * 0x1p-24 * reach;
	probe.slack = placement->isIdentity ? 0.0f : sgRoundUp(slack + 8.0 * SG_MARGIN_SUBNORMAL);
	return probe;
}

// A slack s is subtracted from d, a face minus the start, which is off by 2^-24 of itself. If |d| < 2 s, that is less
// than 2^-23 s, however little their difference is: the slack has to be so much larger. Otherwise it is less than 2^-23
// of the difference, and t is off by two more roundings of 2^-24 of itself, for which SG_MARGIN_CLIPPED has room.
void sgProbe_Widen(sgProbe* probe, double distance)
{
	probe->slack = sgRoundUp((probe->slack + distance) * (1.0 + SG_MARGIN_SHAPE_BOX) + 0x1p-140);
}

// What the signs of direction . ((v - c) x (w - c)) are off by, for corners v, w within rho of c along each axis, where
// c is within delta of a point x of the line along each axis, and the direction's coordinates, at most 1, are off by u:
// - u for the direction, times the six products of the cross product: 6 u rho^2;
// - with x for c the cross product changes by (c - x) x (w - v), so the sum by at most 12 delta rho;
// - evaluation in float32, as that of a determinant of differences (PlaneError in leaf_kernels.c): 42 u rho^2 and a
//   little more;
// - underflow: far below 2^-126 (1 + rho).
// Corners within a box are within rho, which is rounded up. Beyond 2^40 something might overflow: the bound is
// infinite.
static float Error(double rho, double delta)
{
	if (!(rho <= 0x1p40))
	{
		return INFINITY;
	}
	double error = SG_MARGIN_PASSED * 0x1p-24 * rho * rho + SG_MARGIN_PASSED_POINT * delta * rho;
	return (float)(error * (1.0 + 0x1p-20) + 0x1p-126 * (1.0 + rho));
}

sgProbeSegment sgProbeSegment_Make(const float from[3], const float to[3])
{
	sgProbeSegment segment;
	double most = 0.0, length2 = 0.0;
	segment.reach = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		segment.from[k] = from[k];
		segment.along[k] = (double)to[k] - from[k];
		most = Greater(most, fabs(segment.along[k]));
		length2 += segment.along[k] * segment.along[k];
		segment.reach = Greater(segment.reach, Greater(fabs((double)from[k]), fabs((double)to[k])));
	}
	for (int k = 0; k < 3; ++k)
	{
		segment.direction[k] = most > 0.0 ? (float)(segment.along[k] / most) : 0.0f;
	}
	segment.scale = length2 > 0.0 ? 1.0 / length2 : 0.0;
	return segment;
}

// Through the point that is nearest to the box's centre, or an end of the segment. It is rounded to float32, and off by
// far less in double.
sgProbeLine sgProbeSegment_Near(const sgProbeSegment* segment, const sgBox* box)
{
	double t = 0.0, rho = 0.0, size = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		t += segment->along[k] * (0.5 * box->lower[k] + 0.5 * box->upper[k] - segment->from[k]);
	}
	t = Greater(t * segment->scale, 0.0);
	t = t < 1.0 ? t : 1.0;
	sgProbeLine line;
	for (int k = 0; k < 3; ++k)
	{
		double point = segment->from[k] + t * segment->along[k];
		line.point[k] = (float)point;
		line.direction[k] = segment->direction[k];
		rho = Greater(rho, Greater(box->upper[k] - point, point - box->lower[k]));
		size = Greater(size, fabs(point));
	}
	double delta = 1.001 * 0x1p-24 * size + 0x1p-49 * segment->reach + 0x1p-149;
	line.error = Error(rho + delta, delta);
	return line;
}

snugStatus sgCheckPoints(const snugBody* body, const float* points, size_t stride, uint64_t count)
{
	for (uint64_t i = 0; i < count; ++i)
	{
		const float* p = (const float*)(const void*)((const char*)points + i * stride);
		bool isGood = fabsf(p[0]) <= SNUG_MAX_COORDINATE && fabsf(p[1]) <= SNUG_MAX_COORDINATE &&
		              fabsf(p[2]) <= SNUG_MAX_COORDINATE; // so that NaN is refused
		if (!isGood)
		{
			return sgFail(
			    &body->messenger, snug_badInput, "point %llu is not finite or too far out", (unsigned long long)i);
		}
	}
	return snug_success;
}

static bool IsRay(const snugRay* ray)
{
	bool isGood = true;
	for (int k = 0; k < 3; ++k)
	{
		// Written so that NaN is refused.
		isGood = isGood && fabsf(ray->from[k]) <= SNUG_MAX_COORDINATE && fabsf(ray->to[k]) <= SNUG_MAX_COORDINATE;
	}
	return isGood;
}

snugStatus sgCheckRays(const snugMessenger* messenger, const snugRay* rays, uint64_t count)
{
	for (uint64_t i = 0; i < count; ++i)
	{
		if (!IsRay(rays + i))
		{
			return sgFail(messenger, snug_badInput, "ray %llu is not finite or reaches too far", (unsigned long long)i);
		}
	}
	return snug_success;
}
