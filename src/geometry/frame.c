// src/geometry/frame.c: see frame.h.
#include "geometry/frame.h"

#include "geometry/margins.h"

#include <math.h>
#include <string.h>

// Unit roundoff of float32, and a number that exceeds the rounding error of a float32 in the subnormal range.
static const double roundoff = 0x1p-24;
static const double subnormal = SG_MARGIN_SUBNORMAL;

bool sgIsFinitePoint(const double point[3])
{
	return isfinite(point[0]) && isfinite(point[1]) && isfinite(point[2]);
}

bool sgFrame_Make(const snugFrame* in, sgFrame* out)
{
	double q[4];
	double length2 = 0.0;
	for (int i = 0; i < 4; ++i)
	{
		q[i] = in->rotation[i];
		length2 += q[i] * q[i];
	}
	if (!sgIsFinitePoint(in->position))
	{
		return false;
	}
	memcpy(out->position, in->position, sizeof(out->position));
	if (q[0] == 0.0 && q[1] == 0.0 && q[2] == 0.0 && q[3] == 0.0)
	{
		q[3] = 1.0;
		length2 = 1.0;
	}
	if (!(length2 >= 0.9801 && length2 <= 1.0201))
	{
		return false;
	}
	double scale = 1.0 / sqrt(length2);
	double x = q[0] * scale, y = q[1] * scale, z = q[2] * scale, w = q[3] * scale;
	out->isIdentity = x == 0.0 && y == 0.0 && z == 0.0;
	const double rotation[3][3] = {
		{ 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y) },
		{ 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x) },
		{ 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y) },
	};
	memcpy(out->rotation, rotation, sizeof(rotation));
	return true;
}

static double MaxAbs(const sgBox* box, int axis)
{
	return fmax(fabs((double)box->lower[axis]), fabs((double)box->upper[axis]));
}

// Per axis i: sum over k of |R_ik| * max|v_k|, plus |t_i|: bounds every intermediate of the placement formula.
static double Reach(const double rotation[3][3], const double translation[3], const sgBox* box)
{
	double reach = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		double sum = fabs(translation[i]);
		for (int k = 0; k < 3; ++k)
		{
			sum += fabs(rotation[i][k]) * MaxAbs(box, k);
		}
		reach = fmax(reach, sum);
	}
	return reach;
}

// The translation is position - origin, rounded to double once; from then on it is the translation, for vertices and
// bounds alike, and no error. The formula makes three products and three sums in double, each off by at most 2^-53 of
// `reach`; rounding to float adds at most 2^-24 of the result. Together below 1.001 * 2^-24 * reach + 2^-149.
bool sgPlacement_Make(const sgFrame* frame, const double origin[3], const sgBox* box, sgPlacement* out)
{
	memcpy(out->rotation, frame->rotation, sizeof(out->rotation));
	out->isIdentity = frame->isIdentity;
	for (int i = 0; i < 3; ++i)
	{
		out->translation[i] = frame->position[i] - origin[i];
		out->isIdentity = out->isIdentity && out->translation[i] == 0.0;
	}
	out->error = 0.0;
	if (out->isIdentity)
	{
		return true;
	}
	const sgBox point = { { 0 }, { 0 } };
	double reach = Reach(frame->rotation, out->translation, sgBox_IsEmpty(box) ? &point : box);
	out->error = SG_MARGIN_PLACE * roundoff * reach + subnormal;
	return reach <= (double)SNUG_MAX_COORDINATE;
}

// Let closed triangles at placed positions share a point x = sum a_i P(p_i) = sum b_j P(q_j) with convex weights. The
// exact images of p = sum a_i p_i and q = sum b_j q_j differ from x by at most errorA and errorB per world axis, hence
// from each other by a vector of length at most sqrt(3) (errorA + errorB), and so by no more along any axis of `to`.
// The boxes contain p and q, so boxes that are compared with that much slack overlap. To it comes the rounding of the
// float32 arithmetic that moves boxes: the rotation's entries (2^-24 each), halving sums, three products and sums per
// centre and half extent, and the final sum and difference: under 24 roundings of quantities below `reach`, if the box
// is inside `fromBox`, which contains all vertices. A box may be looser than that on one side. It contains some vertex,
// so its centre is no farther out than its half extent from there; then the quantities are below reach + 2 h, where h
// is the moved half extent, and 48 * 2^-24 h < 2^-18 h is added by the code that moves boxes.
sgBoxMotion sgRelativeMotion(const sgFrame* to, const sgPlacement* toPlacement, const sgFrame* from,
    const sgPlacement* fromPlacement, const sgBox* fromBox)
{
	sgBoxMotion motion = { .kind = sgMotion_none };
	if (toPlacement->isIdentity && fromPlacement->isIdentity)
	{
		return motion;
	}
	bool sameRotation = memcmp(to->rotation, from->rotation, sizeof(to->rotation)) == 0;
	double rotation[3][3], translation[3];
	for (int i = 0; i < 3; ++i)
	{
		translation[i] = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			translation[i] += to->rotation[k][i] * (fromPlacement->translation[k] - toPlacement->translation[k]);
			rotation[i][k] = 0.0;
			for (int m = 0; m < 3; ++m)
			{
				rotation[i][k] += to->rotation[m][i] * from->rotation[m][k];
			}
			motion.rotation[i][k] = sameRotation ? (float)(i == k) : (float)rotation[i][k];
		}
		motion.translation[i] = (float)translation[i];
	}
	motion.kind = sameRotation ? sgMotion_translate : sgMotion_general;
	double reach = Reach(rotation, translation, fromBox);
	double slack =
	    SG_MARGIN_DISTANCE * (toPlacement->error + fromPlacement->error) + SG_MARGIN_MOVED * roundoff * reach;
	motion.slack = sgRoundUp(slack + 8.0 * subnormal);
	return motion;
}

sgBox sgPlacement_BoundBox(const sgPlacement* placement, const sgBox* box)
{
	if (sgBox_IsEmpty(box))
	{
		return sgBox_Empty();
	}
	sgBox bound;
	for (int i = 0; i < 3; ++i)
	{
		double center = placement->translation[i];
		double half = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			double lower = box->lower[k], upper = box->upper[k];
			center += placement->rotation[i][k] * (0.5 * (lower + upper));
			half += fabs(placement->rotation[i][k]) * (0.5 * (upper - lower));
		}
		// The double arithmetic above is off by a few 2^-53 of the reach; `error` is 2^28 times that.
		half += SG_MARGIN_PLACED_BOX * placement->error;
		bound.lower[i] = placement->isIdentity ? box->lower[i] : sgRoundDown(center - half);
		bound.upper[i] = placement->isIdentity ? box->upper[i] : sgRoundUp(center + half);
	}
	return bound;
}

void sgPlacement_Undo(const sgPlacement* placement, const float point[3], double out[3])
{
	for (int i = 0; i < 3; ++i)
	{
		out[i] = (double)point[i];
	}
	for (int i = 0; i < 3 && !placement->isIdentity; ++i)
	{
		out[i] = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			out[i] += placement->rotation[k][i] * ((double)point[k] - placement->translation[k]);
		}
	}
}

// The float below is the next pattern of bits: of greater magnitude if negative, else of a smaller one. What is below
// zero never rounds to the positive zero, which has nothing before it. A branch would be mispredicted half of the time.
float sgRoundDown(double value)
{
	float rounded = (float)value;
	uint32_t bits;
	memcpy(&bits, &rounded, sizeof(bits));
	bits += ((bits >> 31) * 2 - 1) * (uint32_t)((double)rounded > value);
	memcpy(&rounded, &bits, sizeof(rounded));
	return rounded;
}

float sgRoundUp(double value)
{
	return -sgRoundDown(-value);
}

SG_NOINLINE float sgRoundNearest(double value)
{
	return (float)value;
}
