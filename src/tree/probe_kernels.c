// src/tree/probe_kernels.c: see probe_kernels.h. Compiled once per instruction set.
#include "tree/probe_kernels.h"

#include "geometry/box_lanes.h"
#include "geometry/margins.h"
#include "geometry/shape.h"

#include <float.h>
#include <math.h>

// Between two parallel faces the segment has an interval of t, and what is common to the three axes and to [0, limit]
// is what the box has of it. Differences are covered by the slack; reciprocal and product are off by 2^-24 of
// themselves each, which the last lines make up for. A face at infinity may give NaN, and that changes nothing: see
// f8_Min.
static uint32_t ClipBoxes(const sgBoxLanes* boxes, const sgProbe* probe, float limit, float keys[SG_LANES])
{
	f8 entry = f8_Set(0.0f), exit = f8_Set(limit), slack = f8_Set(probe->slack);
	uint32_t outside = 0;
	for (int k = 0; k < 3; ++k)
	{
		f8 lower = f8_Load(boxes->lower[k]), upper = f8_Load(boxes->upper[k]);
		if (probe->isParallel[k])
		{
			outside |= m8_Bits(m8_Or(f8_Less(f8_Set(probe->upper[k]), f8_Sub(lower, slack)),
			    f8_Less(f8_Add(upper, slack), f8_Set(probe->lower[k]))));
			continue;
		}
		f8 from = f8_Set(probe->from[k]), inverse = f8_Set(probe->inverse[k]);
		f8 atLower = f8_Mul(f8_Sub(f8_Sub(lower, from), slack), inverse);
		f8 atUpper = f8_Mul(f8_Add(f8_Sub(upper, from), slack), inverse);
		bool isForward = probe->inverse[k] > 0.0f;
		entry = f8_Max(isForward ? atLower : atUpper, entry);
		exit = f8_Min(isForward ? atUpper : atLower, exit);
	}
	entry = f8_Mul(entry, f8_Set(1.0f - SG_MARGIN_CLIPPED));
	exit = f8_Mul(exit, f8_Set(1.0f + SG_MARGIN_CLIPPED));
	f8_Store(keys, entry);
	return m8_Bits(f8_LessEqual(entry, exit)) & ~outside;
}

// Differences, squares and sums each round once, by 2^-24 of themselves; SG_MARGIN_GAP makes up for them, and the last
// term for squares below the normal range. Squares that overflow are cut to the largest number there is, and NaN, of
// boxes without end, is no distance at all.
static inline f8 Gap(const f8 beyond[3])
{
	f8 sum = f8_Set(0.0f);
	for (int k = 0; k < 3; ++k)
	{
		f8 gap = f8_Max(beyond[k], f8_Set(0.0f));
		sum = f8_Add(sum, f8_Mul(gap, gap));
	}
	sum = f8_Sub(f8_Mul(sum, f8_Set(1.0f - SG_MARGIN_GAP)), f8_Set(0x1p-146f));
	return f8_Min(sum, f8_Set(FLT_MAX));
}

static uint64_t NearBoxes(
    const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, float limit, float gaps[SG_LANES * SG_LANES])
{
	f8 lower[3], upper[3], beyond[3];
	uint64_t pairs = 0;
	sgLanes_LoadBoxes(b, lower, upper);
	for (uint32_t rest = maskA; rest != 0; rest &= rest - 1)
	{
		uint32_t i = sgLowestBit(rest);
		for (int k = 0; k < 3; ++k)
		{
			beyond[k] = f8_Max(f8_Sub(lower[k], f8_Set(a->upper[k][i])), f8_Sub(f8_Set(a->lower[k][i]), upper[k]));
		}
		const f8 gap = Gap(beyond);
		f8_Store(gaps + SG_LANES * i, gap);
		pairs |= (uint64_t)m8_Bits(f8_LessEqual(gap, f8_Set(limit))) << (SG_LANES * i);
	}
	return pairs;
}

static void GapBoxes(const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, float gaps[SG_LANES * SG_LANES])
{
	NearBoxes(a, maskA, b, 0.0f, gaps);
}

// As Gap, with the margin for rounding at the end.
static uint64_t OverlapOrGap(const sgBoxLanes* a, uint32_t maskA, const sgBoxLanes* b, uint32_t maskB, float* least)
{
	const f8 zero = f8_Set(0.0f), infinite = f8_Set(INFINITY);
	f8 lower[3], upper[3], smallest = infinite;
	uint64_t pairs = 0;
	sgLanes_LoadBoxes(b, lower, upper);
	for (uint32_t rest = maskA; rest != 0; rest &= rest - 1)
	{
		const uint32_t i = sgLowestBit(rest);
		f8 sum = zero;
		m8 areApart = f8_Less(zero, zero);
		for (int k = 0; k < 3; ++k)
		{
			f8 beyond = f8_Max(f8_Sub(lower[k], f8_Set(a->upper[k][i])), f8_Sub(f8_Set(a->lower[k][i]), upper[k]));
			f8 gap = f8_Max(beyond, zero);
			areApart = m8_Or(areApart, f8_Less(zero, beyond));
			sum = f8_Add(sum, f8_Mul(gap, gap));
		}
		smallest = f8_Min(smallest, f8_Select(areApart, f8_Min(sum, f8_Set(FLT_MAX)), infinite));
		pairs |= (uint64_t)(~m8_Bits(areApart) & maskB) << (SG_LANES * i);
	}
	float SG_ALIGN(32) lanes[SG_LANES];
	f8_Store(lanes, smallest);
	float result = INFINITY;
	for (uint32_t rest = maskB; rest != 0; rest &= rest - 1)
	{
		const float lane = lanes[sgLowestBit(rest)];
		result = lane < result ? lane : result;
	}
	result = result * (1.0f - SG_MARGIN_GAP) - 0x1p-146f;
	*least = result > 0.0f ? result : 0.0f;
	return pairs;
}

static uint32_t GapPoint(const sgBoxLanes* boxes, const float point[3], float slack, float limit, float gaps[SG_LANES])
{
	f8 lower[3], upper[3], beyond[3];
	sgLanes_LoadBoxes(boxes, lower, upper);
	for (int k = 0; k < 3; ++k)
	{
		f8 at = f8_Set(point[k]);
		beyond[k] = f8_Sub(f8_Max(f8_Sub(lower[k], at), f8_Sub(at, upper[k])), f8_Set(slack));
	}
	const f8 gap = Gap(beyond);
	f8_Store(gaps, gap);
	return m8_Bits(f8_LessEqual(gap, f8_Set(limit)));
}

static inline f8 Dot(const f8 a[3], const f8 b[3])
{
	return f8_Add(f8_Add(f8_Mul(a[0], b[0]), f8_Mul(a[1], b[1])), f8_Mul(a[2], b[2]));
}

// Two triangles are at least as far apart as along any direction, here that between their centres, whose own rounding
// does not matter. Along it corners, relative to the first of a, are off by four roundings of 2^-24 of the sum of all
// terms' magnitudes, `most`, and so is their difference by ten, that of the subtraction included. The numbers added are
// for what is below the normal range, and for the roundings of squares; above 2^60 something might overflow, and
// nothing is ruled out.
static uint32_t NearTriangles(const sgTriangleLanes* a, uint32_t i, const sgTriangleLanes* b, float limit)
{
	f8 direction[3], own[2][3], other[3][3], far[3], size[3];
	for (int k = 0; k < 3; ++k)
	{
		const float first = a->corner[0][k][i], second = a->corner[1][k][i], third = a->corner[2][k][i];
		const f8 x = f8_Load(b->corner[0][k]), y = f8_Load(b->corner[1][k]), z = f8_Load(b->corner[2][k]);
		const f8 origin = f8_Set(first);
		direction[k] = f8_Sub(f8_Add(f8_Add(x, y), z), f8_Set(first + second + third));
		own[0][k] = f8_Sub(f8_Set(second), origin);
		own[1][k] = f8_Sub(f8_Set(third), origin);
		other[0][k] = f8_Sub(x, origin);
		other[1][k] = f8_Sub(y, origin);
		other[2][k] = f8_Sub(z, origin);
		size[k] = f8_Max(f8_Abs(own[0][k]), f8_Abs(own[1][k]));
		for (int c = 0; c < 3; ++c)
		{
			size[k] = f8_Max(size[k], f8_Abs(other[c][k]));
		}
		far[k] = f8_Abs(direction[k]);
	}
	const f8 least = f8_Min(Dot(direction, other[0]), f8_Min(Dot(direction, other[1]), Dot(direction, other[2])));
	const f8 last = f8_Max(f8_Set(0.0f), f8_Max(Dot(direction, own[0]), Dot(direction, own[1])));
	const f8 most = Dot(far, size);
	const f8 error = f8_Add(f8_Mul(most, f8_Set((float)(SG_MARGIN_FAR * 0x1p-24))), f8_Set(0x1p-140f));
	const f8 gap = f8_Sub(f8_Sub(least, last), error);
	const f8 enough = f8_Mul(f8_Mul(Dot(direction, direction), f8_Set(limit)), f8_Set(1.0f + 0x1p-20f));
	m8 isFar = f8_Less(f8_Add(enough, f8_Set(0x1p-120f)), f8_Mul(gap, gap));
	isFar = m8_And(isFar, m8_And(f8_Less(f8_Set(0.0f), gap), f8_Less(most, f8_Set(0x1p60f))));
	return ~m8_Bits(isFar) & 0xff;
}

/// Eight triangles as seen from a point, and the nearest points that are known so far.
typedef struct PointView
{
	d8 corners[3][3]; ///< [corner][axis]
	d8 to[3][3];      ///< from the point to a corner
	d8 edges[3][3];   ///< from a corner to the next
	d8 square;
	d8 foot[3];
} PointView;

static inline void Improve(PointView* view, d8 square, const d8 foot[3])
{
	for (int k = 0; k < 3; ++k)
	{
		view->foot[k] = d8_SelectGreater(view->square, square, foot[k], view->foot[k]);
	}
	view->square = d8_SelectGreater(view->square, square, square, view->square);
}

// NearestOfEdges of distance.c, where the first edge is a point: terms that are zero left out.
static inline void LookAtEdge(PointView* view, int i)
{
	const d8 zero = d8_Set(0.0), *v = view->edges[i], *w = view->to[i];
	const d8 whole = d8_Dot(v, v), part = d8_Sub(zero, d8_Dot(v, w));
	d8 t = d8_SelectGreater(whole, part, d8_Div(part, whole), d8_Set(1.0)), difference[3], foot[3];
	t = d8_SelectGreater(part, zero, d8_SelectGreater(whole, zero, t, zero), zero);
	for (int k = 0; k < 3; ++k)
	{
		const d8 along = d8_Mul(t, v[k]);
		difference[k] = d8_Add(w[k], along);
		foot[k] = d8_Add(view->corners[i][k], along);
	}
	Improve(view, d8_Dot(difference, difference), foot);
}

// NearestOfInside, in plain double. Everything that follows from the way to the point is here as it follows from the
// way back: numbers of the other sign, whose sums round alike.
// Returns lanes that this is right for: double has the normal (sgTriangle_Normal) and, where the foot is inside, the
// height (sgPlane_Value); and says on which side of the plane the point is, so that it is not in the triangle
// (sgSegment_Hit).
static inline uint32_t LookInside(PointView* view, const d8 point[3])
{
	const d8 zero = d8_Set(0.0), infinite = d8_Set(INFINITY);
	d8 other[3], normal[3], sizes[3], longest = zero, most = zero, outside = zero, turn[3], foot[3];
	for (int k = 0; k < 3; ++k)
	{
		other[k] = d8_Sub(view->corners[2][k], view->corners[0][k]);
	}
	for (int k = 0; k < 3; ++k)
	{
		const d8 first = d8_Mul(view->edges[0][(k + 1) % 3], other[(k + 2) % 3]);
		const d8 second = d8_Mul(view->edges[0][(k + 2) % 3], other[(k + 1) % 3]);
		normal[k] = d8_Sub(first, second);
		sizes[k] = d8_Add(d8_Abs(first), d8_Abs(second));
		longest = d8_Max(d8_Abs(normal[k]), longest);
		most = d8_Max(sizes[k], most);
	}
	for (int i = 0; i < 3; ++i)
	{
		d8_Cross(view->edges[i], view->to[i], turn);
		outside = d8_Max(d8_Dot(turn, normal), outside);
	}
	const d8 length2 = d8_Dot(normal, normal), height = d8_Sub(zero, d8_Dot(view->to[0], normal));
	d8 size[3];
	for (int k = 0; k < 3; ++k)
	{
		size[k] = d8_Abs(view->to[0][k]);
	}
	const d8 bound = d8_Mul(d8_Dot(size, sizes), d8_Set(9 * 0x1p-53)), above = d8_Abs(height);
	const d8 scale = d8_Div(height, length2);
	for (int k = 0; k < 3; ++k)
	{
		foot[k] = d8_Sub(point[k], d8_Mul(scale, normal[k]));
	}
	const d8 square = d8_SelectGreater(outside, zero, infinite, d8_Mul(scale, height));
	Improve(view, d8_SelectGreater(length2, zero, square, infinite), foot);
	const uint32_t isInside = ~d8_GreaterBits(outside, zero) & d8_GreaterBits(length2, zero);
	const uint32_t isHigh = d8_GreaterBits(above, d8_Mul(bound, d8_Set(0x1p40)));
	return d8_GreaterBits(longest, d8_Mul(most, d8_Set(5 * 0x1p-13))) & d8_GreaterBits(above, bound) &
	       (isHigh | ~isInside);
}

static uint32_t MeetBall(
    const sgTriangleLanes* triangles, const float center[3], double radius, sgPointLanes* nearest, uint32_t* unsure)
{
	PointView view = { .square = d8_Set(INFINITY) };
	d8 point[3], extent = d8_Set(0.0);
	for (int k = 0; k < 3; ++k)
	{
		const f8 at = f8_Set(center[k]);
		const f8 low = f8_Min(f8_Load(triangles->boxes.lower[k]), at),
		         high = f8_Max(f8_Load(triangles->boxes.upper[k]), at);
		point[k] = d8_Set((double)center[k]);
		view.foot[k] = point[k];
		extent = d8_Max(d8_Sub(d8_FromFloat(high), d8_FromFloat(low)), extent);
		for (int i = 0; i < 3; ++i)
		{
			view.corners[i][k] = d8_FromFloat(f8_Load(triangles->corner[i][k]));
			view.to[i][k] = d8_Sub(view.corners[i][k], point[k]);
		}
		for (int i = 0; i < 3; ++i)
		{
			view.edges[i][k] = d8_Sub(view.corners[(i + 1) % 3][k], view.corners[i][k]);
		}
	}
	for (int i = 0; i < 3; ++i)
	{
		LookAtEdge(&view, i);
	}
	*unsure = ~LookInside(&view, point) & triangles->mask;
	const d8 distance = d8_Sqrt(view.square), limit = d8_Add(d8_Set(radius), d8_Mul(d8_Set(SG_SHAPE_SLACK), extent));
	d8_Store(nearest->distance, distance);
	for (int k = 0; k < 3; ++k)
	{
		f8_Store(nearest->position[k], d8_ToFloat(view.foot[k]));
	}
	return ~d8_GreaterBits(distance, limit) & triangles->mask & ~*unsure;
}

// direction . ((p - point) x (q - point)): on which side of the edge pq the line passes.
static inline f8 Turn(const f8 d[3], const f8 p[3], const f8 q[3])
{
	f8 x = f8_Sub(f8_Mul(p[1], q[2]), f8_Mul(p[2], q[1]));
	f8 y = f8_Sub(f8_Mul(p[2], q[0]), f8_Mul(p[0], q[2]));
	f8 z = f8_Sub(f8_Mul(p[0], q[1]), f8_Mul(p[1], q[0]));
	return f8_Add(f8_Add(f8_Mul(d[0], x), f8_Mul(d[1], y)), f8_Mul(d[2], z));
}

// A line that passes through a triangle passes all edges on the same side.
static uint32_t PassTriangles(const sgTriangleLanes* triangles, const sgProbeLine* line)
{
	f8 corners[3][3], direction[3];
	for (int axis = 0; axis < 3; ++axis)
	{
		f8 point = f8_Set(line->point[axis]);
		direction[axis] = f8_Set(line->direction[axis]);
		for (int c = 0; c < 3; ++c)
		{
			corners[c][axis] = f8_Sub(f8_Load(triangles->corner[c][axis]), point);
		}
	}
	f8 first = Turn(direction, corners[0], corners[1]), second = Turn(direction, corners[1], corners[2]);
	f8 third = Turn(direction, corners[2], corners[0]);
	f8 least = f8_Min(first, f8_Min(second, third)), most = f8_Max(first, f8_Max(second, third));
	m8 misses = m8_And(f8_Less(f8_Set(line->error), most), f8_Less(least, f8_Set(-line->error)));
	return triangles->mask & ~m8_Bits(misses);
}

const sgProbeKernels SG_FOR_ISA(sgProbeKernels) = {
	.clipBoxes = ClipBoxes,
	.gapBoxes = GapBoxes,
	.nearBoxes = NearBoxes,
	.overlapOrGap = OverlapOrGap,
	.gapPoint = GapPoint,
	.nearTriangles = NearTriangles,
	.meetBall = MeetBall,
	.passTriangles = PassTriangles,
};
