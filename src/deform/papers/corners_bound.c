// src/deform/papers/corners_bound.c: balls and boxes of nodes in a pose, from joint sets and corners. See
// bounds/corners.h; docs/bounds/joint-sets.md for the proofs.
#include "deform/bounds/corners.h"
#include "deform/skin/blend.h"

#include "geometry/eigen.h"
#include "geometry/frame.h"
#include "geometry/margins.h"

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

// Let M = A^T A and B = V M V^T, with V the eigenvectors as computed. For every y, with x = V^T y,
//     x^T M x = y^T B y <= |y|^2 (largest row sum of |B|)      and      |x|^2 >= |y|^2 (1 - |V V^T - I|),
// and every x is of that form; so the row sum over 1 - |V V^T - I| bounds M's largest eigenvalue however good the
// eigenvectors are. V comes from 30 rotations in double, each orthonormal within 16 * 2^-53: together within 2^-43.
// Entries of M are at most its trace in size; their products are exact, and two sums each, then the six products and
// four sums of an entry of B, put a row sum off by less than 2^-46 of the trace. The last factor covers all but that,
// the square root's own rounding included.
double sgCorners_Stretch(const float matrix[12])
{
	double square[3][3], destroyed[3][3], values[3], vectors[3][3], trace = 0.0, most = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			square[i][k] = 0.0;
			for (int row = 0; row < 3; ++row)
			{
				square[i][k] += (double)matrix[4 * row + i] * (double)matrix[4 * row + k];
			}
			destroyed[i][k] = square[i][k];
		}
		trace += square[i][i];
	}
	sgEigen3(destroyed, values, vectors);
	for (int i = 0; i < 3; ++i)
	{
		double image[3], sum = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			image[k] = square[k][0] * vectors[i][0] + square[k][1] * vectors[i][1] + square[k][2] * vectors[i][2];
		}
		for (int k = 0; k < 3; ++k)
		{
			sum += fabs(vectors[k][0] * image[0] + vectors[k][1] * image[1] + vectors[k][2] * image[2]);
		}
		most = Larger(most, sum);
	}
	return sqrt(most + 0x1p-46 * trace) * (1.0 + 0x1p-40);
}

/// Points within `radius` of a box. At a corner the box is a point, so this is a ball.
typedef struct Part
{
	double lower[3];
	double upper[3];
	double radius;
} Part;

/// What encloses parts, found by going over them twice: first their box, then how far they reach from its middle.
typedef struct Enclosure
{
	bool hasCenter; ///< the second time
	double lower[3];
	double upper[3];
	double center[3];
	double radius;
	Part kept[SG_MAX_JOINT_SETS]; ///< those without corners, from the first time
} Enclosure;

// 2^-30 is more than what rounding takes from a radius on the way: a sum of n products, n below 2^16.
static inline void AddPart(Enclosure* enclosure, const Part* part)
{
	double distance2 = 0.0, radius = part->radius * (1.0 + 0x1p-30);
	if (!enclosure->hasCenter)
	{
		for (int k = 0; k < 3; ++k)
		{
			enclosure->lower[k] = Smaller(enclosure->lower[k], part->lower[k] - radius);
			enclosure->upper[k] = Larger(enclosure->upper[k], part->upper[k] + radius);
		}
		return;
	}
	for (int k = 0; k < 3; ++k)
	{
		double reach = Larger(enclosure->center[k] - part->lower[k], part->upper[k] - enclosure->center[k]);
		distance2 += reach * reach;
	}
	enclosure->radius = Larger(enclosure->radius, sqrt(distance2) + radius);
}

/// What a transform makes of a rest ball: centre and radius.
typedef struct Image
{
	double center[3];
	double radius;
} Image;

/// A pose, and how far a node's vertices are from their rest positions.
typedef struct Posed
{
	const sgBlendView* pose;
	double moved[3];
	double farther; ///< than the rest ball's radius, from its moved centre
} Posed;

static Image ImageOfBall(const sgBlend* blend, const Posed* posed, const sgJointSet* set, uint32_t entry)
{
	const sgBlendView* pose = posed->pose;
	const double rest[3] = { (double)set->center[0] + posed->moved[0], (double)set->center[1] + posed->moved[1],
		(double)set->center[2] + posed->moved[2] };
	uint32_t transform = blend->setTransforms[set->firstTransform + entry];
	const float* column = pose->columns + 16 * (size_t)transform;
	Image image;
	for (int k = 0; k < 3; ++k)
	{
		image.center[k] = (double)column[k] * rest[0] + (double)column[4 + k] * rest[1] +
		                  (double)column[8 + k] * rest[2] + (double)column[12 + k];
	}
	image.radius = pose->stretches[transform];
	image.radius *= (double)set->radius + posed->farther;
	return image;
}

static void AddCorners(const sgBlend* blend, const Posed* posed, const sgJointSet* set, Enclosure* enclosure)
{
	Image images[SG_CORNER_TRANSFORMS];
	uint32_t n = set->transformCount;
	for (uint32_t j = 0; j < n; ++j)
	{
		images[j] = ImageOfBall(blend, posed, set, j);
	}
	for (uint32_t i = 0; i < set->cornerCount; ++i)
	{
		const uint32_t* weights = blend->setWeights + set->firstWeight + (size_t)n * i;
		Part part = { .radius = 0.0 };
		for (uint32_t j = 0; j < n; ++j)
		{
			double weight = (double)weights[j] * (1.0 / SG_CORNER_ONE);
			for (int k = 0; k < 3; ++k)
			{
				part.lower[k] += weight * images[j].center[k];
			}
			part.radius += weight * images[j].radius;
		}
		memcpy(part.upper, part.lower, sizeof(part.upper));
		AddPart(enclosure, &part);
	}
}

enum
{
	PROGRAM_RADIUS = 6, // x, y, z, -x, -y, -z, radius
	PROGRAMS
};

/// Bounds of sums of w b over limited weights, seven side by side: f(lambda) of docs/bounds/skins.md for two lambdas.
typedef struct Programs
{
	double low[PROGRAMS];    ///< sum of low b
	double mean[PROGRAMS];   ///< sum of (low + high) b
	double first[PROGRAMS];  ///< the largest b
	double second[PROGRAMS]; ///< and the second largest
	double spread[PROGRAMS]; ///< high - low of the largest
	double lambda[PROGRAMS];
	double above[PROGRAMS]; ///< sum of (high - low) max(0, b - lambda)
} Programs;

static void FillInputs(const Image* image, double b[PROGRAMS])
{
	for (int k = 0; k < 3; ++k)
	{
		b[k] = image->center[k];
		b[3 + k] = -image->center[k];
	}
	b[PROGRAM_RADIUS] = image->radius;
}

static void AddToSums(Programs* programs, const double b[PROGRAMS], double low, double high)
{
	for (int p = 0; p < PROGRAMS; ++p)
	{
		programs->low[p] += low * b[p];
		programs->mean[p] += (low + high) * b[p];
		programs->second[p] = Larger(programs->second[p], Smaller(programs->first[p], b[p]));
		programs->spread[p] = b[p] > programs->first[p] ? high - low : programs->spread[p];
		programs->first[p] = Larger(programs->first[p], b[p]);
	}
}

static void AddToAbove(Programs* programs, const double b[PROGRAMS], double spread)
{
	for (int p = 0; p < PROGRAMS; ++p)
	{
		programs->above[p] += spread * Larger(b[p] - programs->lambda[p], 0.0);
	}
}

// Without corners: the box of all blends of the centres, coordinate by coordinate, and the largest blend of the radii.
// One pass finds Eq. (12)'s bounds, a second one those for the weighted means, and the lesser of the two holds.
static Part FindPart(const sgBlend* blend, const Posed* posed, const sgJointSet* set)
{
	const uint32_t *low = blend->setWeights + set->firstWeight, *high = low + set->transformCount;
	Programs programs = { .low = { 0 } };
	double sum = 0.0, lowSum = 0.0, b[PROGRAMS], bounds[PROGRAMS];
	for (int p = 0; p < PROGRAMS; ++p)
	{
		programs.first[p] = programs.second[p] = -INFINITY;
	}
	for (uint32_t j = 0; j < set->transformCount; ++j)
	{
		Image image = ImageOfBall(blend, posed, set, j);
		FillInputs(&image, b);
		AddToSums(&programs, b, low[j], high[j]);
		lowSum += low[j];
		sum += (double)low[j] + (double)high[j];
	}
	for (int p = 0; p < PROGRAMS; ++p)
	{
		programs.lambda[p] = programs.mean[p] / sum;
	}
	for (uint32_t j = 0; j < set->transformCount; ++j)
	{
		Image image = ImageOfBall(blend, posed, set, j);
		FillInputs(&image, b);
		AddToAbove(&programs, b, (double)high[j] - (double)low[j]);
	}
	for (int p = 0; p < PROGRAMS; ++p)
	{
		double slack = (double)SG_CORNER_ONE - lowSum, second = programs.second[p];
		double closed = slack * second + programs.spread[p] * (programs.first[p] - second);
		double dual = slack * programs.lambda[p] + programs.above[p];
		bounds[p] = (programs.low[p] + Smaller(closed, dual)) * (1.0 / SG_CORNER_ONE);
	}
	return (Part){
		.lower = { -bounds[3], -bounds[4], -bounds[5] },
		.upper = { bounds[0], bounds[1], bounds[2] },
		.radius = bounds[PROGRAM_RADIUS],
	};
}

static void AddJointSets(const sgBlend* blend, const Posed* posed, uint32_t slot, Enclosure* enclosure)
{
	Part* kept = enclosure->kept;
	for (uint32_t i = blend->jointSetStarts[slot]; i < blend->jointSetStarts[slot + 1]; ++i)
	{
		const sgJointSet* set = blend->jointSets + i;
		if (set->cornerCount > 0)
		{
			AddCorners(blend, posed, set, enclosure);
			continue;
		}
		if (!enclosure->hasCenter)
		{
			*kept = FindPart(blend, posed, set);
		}
		AddPart(enclosure, kept++);
	}
}

// The middle of the box, for the second time; it is float32 from the start.
static void Center(const sgBlendView* pose, Enclosure* enclosure)
{
	for (int k = 0; k < 3; ++k)
	{
		double reach = pose->reach[k], middle = 0.5 * (enclosure->lower[k] + enclosure->upper[k]);
		enclosure->center[k] = (double)sgRoundNearest(Smaller(Larger(middle, -reach), reach));
	}
	enclosure->hasCenter = true;
	enclosure->radius = 0.0;
}

// No position is farther out than the pose reaches. Where a thin mesh is stretched across, balls may be beyond all
// measure; cutting the box at the reach, and taking the ball around it if that is smaller, keeps everything finite.
static void Cut(const sgBlendView* pose, Enclosure* enclosure)
{
	double center[3], radius2 = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		enclosure->lower[k] = Larger(enclosure->lower[k], -(double)pose->reach[k]);
		enclosure->upper[k] = Smaller(enclosure->upper[k], (double)pose->reach[k]);
		center[k] = (double)sgRoundNearest(0.5 * (enclosure->lower[k] + enclosure->upper[k]));
		double half = Larger(enclosure->upper[k] - center[k], center[k] - enclosure->lower[k]);
		radius2 += half * half;
	}
	if (sqrt(radius2) < enclosure->radius)
	{
		memcpy(enclosure->center, center, sizeof(center));
		enclosure->radius = sqrt(radius2);
	}
	enclosure->radius *= 1.0 + 0x1p-40;
}

/// Rounding, as a multiple of the reach: evaluation, integer weights, and arithmetic here, with 2 % for what is small.
static double RelativeError(const sgBlendHeader* header)
{
	return SG_MARGIN_SQUARES * SG_MARGIN_CORNERS(header->rows.most) * 0x1p-24;
}

// The model has no triangle at all: a box that is empty, and a ball that is never looked at.
static void BoundNothing(sgBoundsOut out, uint32_t lane)
{
	sgBallLanes* balls = (sgBallLanes*)(void*)out.extra;
	sgBox box = sgBox_Empty();
	sgBoxLanes_Set(out.boxes, lane, &box);
	balls->center[0][lane] = balls->center[1][lane] = balls->center[2][lane] = balls->radius[lane] = 0.0f;
}

static void BoundNode(const sgBlend* blend, const Posed* posed, uint32_t slot, sgBoundsOut out, uint32_t lane)
{
	const sgBlendView* pose = posed->pose;
	if (blend->jointSetStarts[slot] == blend->jointSetStarts[slot + 1])
	{
		BoundNothing(out, lane);
		return;
	}
	Enclosure enclosure; // not zeroed: most of it is kept parts
	enclosure.hasCenter = false;
	for (int k = 0; k < 3; ++k)
	{
		enclosure.lower[k] = INFINITY;
		enclosure.upper[k] = -INFINITY;
	}
	AddJointSets(blend, posed, slot, &enclosure);
	Center(pose, &enclosure);
	AddJointSets(blend, posed, slot, &enclosure);
	Cut(pose, &enclosure);
	sgBallLanes* balls = (sgBallLanes*)(void*)out.extra;
	double error2 = 0.0;
	sgBox box;
	for (int k = 0; k < 3; ++k)
	{
		double error = RelativeError(blend->header) * (double)pose->reach[k], center = enclosure.center[k];
		box.lower[k] = sgRoundDown(Larger(enclosure.lower[k], center - enclosure.radius) - error);
		box.upper[k] = sgRoundUp(Smaller(enclosure.upper[k], center + enclosure.radius) + error);
		balls->center[k][lane] = (float)center;
		error2 += error * error;
	}
	balls->radius[lane] = sgRoundUp(enclosure.radius + sqrt(error2) * (1.0 + 0x1p-40));
	sgBoxLanes_Set(out.boxes, lane, &box);
}

void sgCorners_Bound(
    const sgBlend* blend, const sgBlendView* pose, const sgMorphLanes* morph, sgLaneSet set, sgBoundsOut out)
{
	for (uint32_t rest = set.mask; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		Posed posed = { .pose = pose, .farther = 0.0 };
		if (morph != NULL)
		{
			posed.farther = sgMorphLanes_Ball(morph, lane, posed.moved);
		}
		BoundNode(blend, &posed, set.group * SG_LANES + lane, out, lane);
	}
}
