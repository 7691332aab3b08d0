// src/geometry/volume.c: see volume.h.
#include "geometry/volume.h"

#include "geometry/frame.h"
#include "geometry/margins.h"

#include <math.h>

_Static_assert(sizeof(sgBallLanes) == 2 * sizeof(sgSlabLanes), "a ball takes two slabs");

const float sgDopDirections[SG_DOP_DIRECTIONS][3] = {
	{ 1, 1, 1 },
	{ 1, 1, -1 },
	{ 1, -1, 1 },
	{ -1, 1, 1 },
	{ 1, 1, 0 },
	{ 1, -1, 0 },
	{ 1, 0, 1 },
	{ 1, 0, -1 },
	{ 0, 1, 1 },
	{ 0, 1, -1 },
};

// Not fmin and fmax: gcc 12 for 64-bit ARM breaks down over loops of them. Nothing here is NaN.
static double Lesser(double a, double b)
{
	return a < b ? a : b;
}

static double Greater(double a, double b)
{
	return a > b ? a : b;
}

// A slab of a k-DOP around points, and around what it has in it already. Products with the directions' entries are
// exact in double; their sums are off by 2^-52 of the terms at most, which may be large beside the sum.
static void AddToSlab(const float* positions, const uint32_t* indices, uint32_t count, const float direction[3],
    sgSlabLanes* slab, uint32_t lane)
{
	double lower = (double)slab->lower[lane], upper = (double)slab->upper[lane];
	for (uint32_t i = 0; i < count; ++i)
	{
		const float* p = positions + 3 * (size_t)(indices != NULL ? indices[i] : i);
		double along = 0.0, size = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			along += (double)direction[k] * (double)p[k];
			size += fabs((double)direction[k] * (double)p[k]);
		}
		lower = Lesser(lower, along - SG_MARGIN_SLAB * size);
		upper = Greater(upper, along + SG_MARGIN_SLAB * size);
	}
	slab->lower[lane] = sgRoundDown(lower);
	slab->upper[lane] = sgRoundUp(upper);
}

static void SetBall(sgSlabLanes* extra, uint32_t lane, const double center[3], double radius)
{
	sgBallLanes* balls = (sgBallLanes*)(void*)extra;
	for (int k = 0; k < 3; ++k)
	{
		balls->center[k][lane] = (float)center[k];
	}
	balls->radius[lane] = sgRoundUp(radius * (1.0 + SG_MARGIN_BALL));
}

// Rounded to float32, so that radii count from where the centre is stored.
static void MiddleOfBox(const sgBoxLanes* boxes, uint32_t lane, double middle[3])
{
	for (int k = 0; k < 3; ++k)
	{
		middle[k] = (double)sgRoundNearest(0.5 * ((double)boxes->lower[k][lane] + (double)boxes->upper[k][lane]));
	}
}

static double Distance(const double a[3], const double b[3])
{
	double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
	return sqrt(x * x + y * y + z * z);
}

static void EmptySlabs(snugVolume volume, sgBoundsOut out, uint32_t lane)
{
	for (uint32_t i = 0; sgVolume_IsDop(volume) && i < sgVolume_ExtraSlabs(volume); ++i)
	{
		out.extra[i].lower[lane] = INFINITY;
		out.extra[i].upper[lane] = -INFINITY;
	}
}

static void AddToSlabs(
    snugVolume volume, const float* positions, const uint32_t* indices, uint32_t count, sgBoundsOut out, uint32_t lane)
{
	for (uint32_t i = 0; sgVolume_IsDop(volume) && i < sgVolume_ExtraSlabs(volume); ++i)
	{
		AddToSlab(positions, indices, count, sgVolume_Directions(volume)[i], out.extra + i, lane);
	}
}

void sgVolume_Begin(snugVolume volume, sgBoundsOut out, uint32_t lane)
{
	const sgBox empty = sgBox_Empty();
	sgBoxLanes_Set(out.boxes, lane, &empty);
	EmptySlabs(volume, out, lane);
}

void sgVolume_AddPoints(snugVolume volume, const float* positions, uint32_t count, sgBoundsOut out, uint32_t lane)
{
	sgBox box = sgBoxLanes_Get(out.boxes, lane);
	for (uint32_t i = 0; i < count; ++i)
	{
		sgBox_AddPoint(&box, positions + 3 * (size_t)i);
	}
	sgBoxLanes_Set(out.boxes, lane, &box);
	AddToSlabs(volume, positions, NULL, count, out, lane);
}

// The ball around the box.
void sgVolume_End(snugVolume volume, sgBoundsOut out, uint32_t lane)
{
	if (sgVolume_IsBall(volume))
	{
		static const double zero[3] = { 0.0, 0.0, 0.0 };
		double center[3], half[3];
		MiddleOfBox(out.boxes, lane, center);
		for (int k = 0; k < 3; ++k)
		{
			double above = (double)out.boxes->upper[k][lane] - center[k];
			half[k] = Greater(above, center[k] - (double)out.boxes->lower[k][lane]);
		}
		SetBall(out.extra, lane, center, Distance(zero, half));
	}
}

void sgVolume_BoundPoints(
    snugVolume volume, const float* positions, const uint32_t* indices, uint32_t count, sgBoundsOut out, uint32_t lane)
{
	EmptySlabs(volume, out, lane);
	AddToSlabs(volume, positions, indices, count, out, lane);
	if (sgVolume_IsBall(volume))
	{
		double center[3], radius = 0.0;
		MiddleOfBox(out.boxes, lane, center);
		for (uint32_t i = 0; i < count; ++i)
		{
			const float* p = positions + 3 * (size_t)indices[i];
			const double point[3] = { (double)p[0], (double)p[1], (double)p[2] };
			radius = Greater(radius, Distance(center, point));
		}
		SetBall(out.extra, lane, center, radius);
	}
}

void sgVolume_Merge(snugVolume volume, sgBounds below, uint32_t mask, sgBoundsOut out, uint32_t lane)
{
	for (uint32_t i = 0; sgVolume_IsDop(volume) && i < sgVolume_ExtraSlabs(volume); ++i)
	{
		float lower = INFINITY, upper = -INFINITY;
		for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
		{
			uint32_t from = sgLowestBit(rest);
			lower = fminf(lower, below.extra[i].lower[from]);
			upper = fmaxf(upper, below.extra[i].upper[from]);
		}
		out.extra[i].lower[lane] = lower;
		out.extra[i].upper[lane] = upper;
	}
	if (sgVolume_IsBall(volume))
	{
		const sgBallLanes* balls = (const sgBallLanes*)(const void*)below.extra;
		double middle[3], radius = 0.0;
		MiddleOfBox(out.boxes, lane, middle);
		for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
		{
			uint32_t from = sgLowestBit(rest);
			const double center[3] = { (double)balls->center[0][from], (double)balls->center[1][from],
				(double)balls->center[2][from] };
			radius = Greater(radius, Distance(middle, center) + (double)balls->radius[from]);
		}
		SetBall(out.extra, lane, middle, radius);
	}
}
