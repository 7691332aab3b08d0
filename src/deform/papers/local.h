// src/deform/papers/local.h: one joint set of a node in a pose: its quaternions, images, limits of weights, and the
// linear program over them. Part of balls.c, which alone includes it.
#ifndef SG_SKIN_LOCAL_H
#define SG_SKIN_LOCAL_H

#include "deform/bounds/corners.h"
#include "deform/skin/turning.h"

#include <math.h>
#include <string.h>

static inline double Larger(double a, double b)
{
	return a > b ? a : b;
}

static inline double Smaller(double a, double b)
{
	return a < b ? a : b;
}

static double Dot3(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double Dot4(const double a[4], const double b[4])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/// a b, of quaternions x y z w.
static void Multiply(const double a[4], const double b[4], double out[4])
{
	out[0] = a[3] * b[0] + b[3] * a[0] + a[1] * b[2] - a[2] * b[1];
	out[1] = a[3] * b[1] + b[3] * a[1] + a[2] * b[0] - a[0] * b[2];
	out[2] = a[3] * b[2] + b[3] * a[2] + a[0] * b[1] - a[1] * b[0];
	out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

// The rotation of a unit quaternion.
static void Turn(const double q[4], const double x[3], double out[3])
{
	const double inner[3] = { q[1] * x[2] - q[2] * x[1] + q[3] * x[0], q[2] * x[0] - q[0] * x[2] + q[3] * x[1],
		q[0] * x[1] - q[1] * x[0] + q[3] * x[2] };
	out[0] = x[0] + 2.0 * (q[1] * inner[2] - q[2] * inner[1]);
	out[1] = x[1] + 2.0 * (q[2] * inner[0] - q[0] * inner[2]);
	out[2] = x[2] + 2.0 * (q[0] * inner[1] - q[1] * inner[0]);
}

/// What is known of it in the pose.
typedef struct Local
{
	const sgSkinView* view;
	const sgJointSet* set;   ///< of the node
	const sgSkinSet* whole;  ///< of the model
	const uint16_t* members; ///< (n)
	const uint32_t* weights; ///< corners, or limits
	double rest[3];          ///< the ball that its vertices are in when the skin begins
	double radius;
	const float* center; ///< rotation centre, of spherical skins
	uint32_t n;
} Local;

static const double one = 1.0 / SG_CORNER_ONE;

// The quaternion of a member, with its sign, of unit length.
static void GetQuaternion(const Local* local, uint32_t i, double q[4])
{
	const sgSkinView* view = local->view;
	const sgSkinJoint* joint = view->joints + local->members[i];
	double sign = (double)sgSkin_SignOf(view, local->whole, i);
	for (int k = 0; k < 4; ++k)
	{
		q[k] = (double)joint->q[k];
	}
	double scale = sign / sqrt(Dot4(q, q));
	for (int k = 0; k < 4; ++k)
	{
		q[k] *= scale;
	}
}

static void GetImage(const Local* local, uint32_t i, const double x[3], double y[3])
{
	const sgSkinPairPose* own = local->view->pairs + local->view->ownPairs[local->members[i]];
	for (int k = 0; k < 3; ++k)
	{
		y[k] = (double)own->columns[0][k] * x[0] + (double)own->columns[1][k] * x[1] +
		       (double)own->columns[2][k] * x[2] + (double)own->lower[k];
	}
}

// The rest ball of a set, or where the affine stage leaves its vertices: in a convex combination of the balls that each
// joint makes of it.
static void SetRestBall(Local* local, const sgMorphLanes* morph, uint32_t lane)
{
	double rest[3], moved[3] = { 0.0, 0.0, 0.0 }, most = 0.0;
	local->radius = (double)local->set->radius;
	local->radius += morph != NULL ? sgMorphLanes_Ball(morph, lane, moved) : 0.0;
	double radius = local->radius;
	for (int k = 0; k < 3; ++k)
	{
		rest[k] = local->rest[k] = (double)local->set->center[k] + moved[k];
	}
	if (local->view->pose->hasStage == 0)
	{
		return;
	}
	for (int pass = 0; pass < 2; ++pass)
	{
		double sum[3] = { 0.0, 0.0, 0.0 };
		for (uint32_t i = 0; i < local->n; ++i)
		{
			const float* stage = local->view->joints[local->members[i]].stage;
			float matrix[12];
			double distance2 = 0.0;
			for (int k = 0; k < 3; ++k)
			{
				const uint8_t* places = sgStagePlace[k];
				double place = rest[k] + (double)stage[places[0]] * rest[0] + (double)stage[places[1]] * rest[1] +
				               (double)stage[places[2]] * rest[2] + (double)stage[places[3]];
				sum[k] += place / (double)local->n;
				distance2 += (place - local->rest[k]) * (place - local->rest[k]);
				for (int c = 0; c < 4; ++c)
				{
					matrix[4 * k + c] = stage[places[c]] + (c == k ? 1.0f : 0.0f);
				}
			}
			if (pass == 1)
			{
				double own = sqrt(distance2) + sgCorners_Stretch(matrix) * radius;
				most = Larger(most, own);
			}
		}
		memcpy(local->rest, pass == 0 ? sum : local->rest, sizeof(sum));
	}
	local->radius = most * (1.0 + 0x1p-20); // adding the identity rounds
}

/// Limits and mean of a member's weight: from corners, their least and greatest.
typedef struct Range
{
	double low;
	double high;
} Range;

static Range GetRange(const Local* local, uint32_t i)
{
	const uint32_t* weights = local->weights;
	if (local->set->cornerCount == 0)
	{
		return (Range){ weights[i] * one, weights[local->n + i] * one };
	}
	Range range = { 1.0, 0.0 };
	for (uint32_t c = 0; c < local->set->cornerCount; ++c)
	{
		double weight = weights[(size_t)local->n * c + i] * one;
		range.low = Smaller(range.low, weight);
		range.high = Larger(range.high, weight);
	}
	return range;
}

/// Bounds of sum w b over limited weights from above, several b at once: f(lambda) of docs/bounds/skins.md,
/// for two lambdas.
#define PROGRAMS 14

typedef struct Programs
{
	double low[PROGRAMS], first[PROGRAMS], second[PROGRAMS], spread[PROGRAMS], weighted[PROGRAMS], above[PROGRAMS];
} Programs;

/// Fill in the b of one member.
typedef void ProgramInput(const Local* local, uint32_t i, const void* context, double b[PROGRAMS]);

static void RunPrograms(const Local* local, ProgramInput* input, const void* context, int count, double* bounds)
{
	Programs p;
	double lowSum = 0.0, total = 0.0, b[PROGRAMS];
	for (int k = 0; k < count; ++k)
	{
		p.low[k] = p.spread[k] = p.weighted[k] = p.above[k] = 0.0;
		p.first[k] = p.second[k] = -INFINITY;
	}
	for (uint32_t i = 0; i < local->n; ++i)
	{
		Range range = GetRange(local, i);
		input(local, i, context, b);
		lowSum += range.low;
		total += range.low + range.high;
		for (int k = 0; k < count; ++k)
		{
			p.low[k] += range.low * b[k];
			p.weighted[k] += (range.low + range.high) * b[k];
			p.second[k] = Larger(p.second[k], Smaller(p.first[k], b[k]));
			p.spread[k] = b[k] > p.first[k] ? range.high - range.low : p.spread[k];
			p.first[k] = Larger(p.first[k], b[k]);
		}
	}
	for (uint32_t i = 0; i < local->n; ++i)
	{
		Range range = GetRange(local, i);
		input(local, i, context, b);
		for (int k = 0; k < count; ++k)
		{
			p.above[k] += (range.high - range.low) * Larger(b[k] - p.weighted[k] / total, 0.0);
		}
	}
	for (int k = 0; k < count; ++k)
	{
		double slack = 1.0 - lowSum, second = local->n > 1 ? p.second[k] : p.first[k];
		double closed = slack * second + p.spread[k] * (p.first[k] - second);
		bounds[k] = p.low[k] + Smaller(closed, slack * p.weighted[k] / total + p.above[k]);
	}
}

// The mean quaternion, by the middles of the weights' ranges, of unit length. False if there is none.
static bool FindMean(const Local* local, double mean[4])
{
	double q[4];
	memset(mean, 0, 4 * sizeof(double));
	for (uint32_t i = 0; i < local->n; ++i)
	{
		Range range = GetRange(local, i);
		GetQuaternion(local, i, q);
		for (int k = 0; k < 4; ++k)
		{
			mean[k] += 0.5 * (range.low + range.high) * q[k];
		}
	}
	double length = sqrt(Dot4(mean, mean));
	if (!(length > 0x1p-5))
	{
		return false;
	}
	for (int k = 0; k < 4; ++k)
	{
		mean[k] /= length;
	}
	return true;
}

#endif
