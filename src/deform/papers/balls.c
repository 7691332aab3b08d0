// src/deform/papers/balls.c: balls and boxes of nodes in a pose, from their joint sets. See skin/turning.h;
// docs/bounds/joint-sets.md for the proofs.
//
// For spherical blending this is Algorithm 1 of the 2006 paper with its errors corrected: signs are aligned, rotation
// centres exist, and a cap of more than a right angle is enclosed by the whole sphere. Joint sets with many members do
// without corners. For dual quaternions it is our own. Node by node, in double: for comparison, and for models with too
// many pairs of joints.
#include "deform/papers/local.h"
#include "deform/skin/turning.h"
#include "geometry/frame.h"
#include "geometry/margins.h"

#include <math.h>
#include <string.h>

/// Parts of a node that are remembered one by one; what comes after is merged with the last of them.
#define MAX_PARTS 256

// ---- Enclosing -------------------------------------------------------------------------------------------------

/// Points within `radius` of a box; at a corner of weights the box is a point.
typedef struct Part
{
	double lower[3];
	double upper[3];
	double radius;
} Part;

typedef struct Parts
{
	uint32_t count;
	Part list[MAX_PARTS];
} Parts;

static void AddPart(Parts* parts, const Part* part)
{
	if (parts->count < MAX_PARTS)
	{
		parts->list[parts->count++] = *part;
		return;
	}
	Part* last = parts->list + MAX_PARTS - 1;
	for (int k = 0; k < 3; ++k)
	{
		last->lower[k] = Smaller(last->lower[k], part->lower[k]);
		last->upper[k] = Larger(last->upper[k], part->upper[k]);
	}
	last->radius = Larger(last->radius, part->radius);
}

// Slabs of a k-DOP around a ball and a box.
static void StoreSlabs(
    snugVolume volume, const sgBox* box, const double center[3], double radius, sgBoundsOut out, uint32_t lane)
{
	for (uint32_t i = 0; i < sgVolume_ExtraSlabs(volume); ++i)
	{
		const float* d = sgVolume_Directions(volume)[i];
		double middle = 0.0, length2 = 0.0, lower = 0.0, upper = 0.0, size = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			double along = (double)d[k];
			middle += along * center[k];
			length2 += along * along;
			lower += along > 0.0 ? along * (double)box->lower[k] : along * (double)box->upper[k];
			upper += along > 0.0 ? along * (double)box->upper[k] : along * (double)box->lower[k];
			size += fabs(along) * (fabs((double)box->lower[k]) + fabs((double)box->upper[k]));
		}
		double half = sqrt(length2) * radius * (1.0 + 0x1p-40) + 0x1p-48 * size;
		out.extra[i].lower[lane] = sgRoundDown(Larger(middle - half, lower - 0x1p-48 * size));
		out.extra[i].upper[lane] = sgRoundUp(Smaller(middle + half, upper + 0x1p-48 * size));
	}
}

/// Places that are tried as the centre of a ball.
#define CENTER_STEPS 8

static double FarthestFrom(const Parts* parts, const double center[3], uint32_t* farthest)
{
	double most = -1.0;
	for (uint32_t i = 0; i < parts->count; ++i)
	{
		const Part* part = parts->list + i;
		double distance2 = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			double reach = Larger(center[k] - part->lower[k], part->upper[k] - center[k]);
			distance2 += reach * reach;
		}
		double distance = sqrt(distance2) + part->radius;
		*farthest = distance > most ? i : *farthest;
		most = Larger(most, distance);
	}
	return most;
}

// A ball about the middle of the box around all parts, or a better place a few ever shorter steps towards whichever is
// farthest lead to; and what it shares with that box. `error` is what rounding
// may add to any part.
static void Enclose(const sgSkinView* view, const Parts* parts, double error, sgBoundsOut out, uint32_t lane)
{
	snugVolume volume = (snugVolume)view->skin->blend.header->volume;
	double lower[3] = { INFINITY, INFINITY, INFINITY }, upper[3] = { -INFINITY, -INFINITY, -INFINITY };
	double center[3] = { 0.0, 0.0, 0.0 }, radius = INFINITY;
	for (uint32_t i = 0; i < parts->count; ++i)
	{
		const Part* part = parts->list + i;
		for (int k = 0; k < 3; ++k)
		{
			lower[k] = Smaller(lower[k], part->lower[k] - part->radius);
			upper[k] = Larger(upper[k], part->upper[k] + part->radius);
		}
	}
	double middle[3] = { 0.5 * (lower[0] + upper[0]), 0.5 * (lower[1] + upper[1]), 0.5 * (lower[2] + upper[2]) };
	double step = 0.25;
	for (int i = 0; i < CENTER_STEPS; ++i, step *= 0.8)
	{
		const double rounded[3] = { sgRoundNearest(middle[0]), sgRoundNearest(middle[1]), sgRoundNearest(middle[2]) };
		uint32_t farthest = 0;
		double distance = FarthestFrom(parts, rounded, &farthest);
		if (distance < radius)
		{
			radius = distance;
			memcpy(center, rounded, sizeof(center));
		}
		const Part* part = parts->list + farthest;
		for (int k = 0; k < 3; ++k)
		{
			middle[k] += step * (0.5 * (part->lower[k] + part->upper[k]) - middle[k]);
		}
	}
	// Nothing is farther out than this, and what is larger is not worth having.
	const double limit = 6.0 * (double)SNUG_MAX_COORDINATE;
	radius = Smaller(radius * (1.0 + 0x1p-40) + error, 2.0 * limit);
	sgBox box;
	for (int k = 0; k < 3; ++k)
	{
		box.lower[k] = sgRoundDown(Larger(Larger(lower[k] - error, center[k] - radius), -limit));
		box.upper[k] = sgRoundUp(Smaller(Smaller(upper[k] + error, center[k] + radius), limit));
	}
	sgBoxLanes_Set(out.boxes, lane, &box);
	if (volume == snug_volumeBall)
	{
		sgBallLanes* balls = (sgBallLanes*)(void*)out.extra;
		for (int k = 0; k < 3; ++k)
		{
			balls->center[k][lane] = (float)center[k];
		}
		balls->radius[lane] = sgRoundUp(radius);
	}
	else if (sgVolume_IsDop(volume))
	{
		StoreSlabs(volume, &box, center, radius, out, lane);
	}
}

// ---- Spherical blending ----------------------------------------------------------------------------------------

/// All rotations of a joint set's vertices: within some angle of a mean.
typedef struct Cap
{
	double mean[4];
	double
	    cosine; ///< of twice the greatest angle between a vertex' quaternion and the mean; zero from a right angle on
	double sine;
	double least; ///< of |sum w q| over all weights; zero if that is not known
} Cap;

// From the sine of the angle between quaternions to the rotations' cap. What rounding may have taken from the sine, of
// numbers of size 1 in double, is far below 2^-40.
static void SetCap(Cap* cap, double sine)
{
	sine += 0x1p-40;
	if (!(sine < 0.70710678))
	{
		cap->cosine = 0.0;
		cap->sine = 1.0;
		return;
	}
	cap->cosine = 1.0 - 2.0 * sine * sine;
	cap->sine = 2.0 * sine * sqrt(1.0 - sine * sine) + 0x1p-40;
}

// Lines 5 to 13 of Algorithm 1. The quaternions at the corners, normalised, are on a cap about their mean, and so are
// those of all weights. Its angle comes from chords: |q - mean|^2 = 4 sin^2(angle / 2).
static Cap CapOfCorners(const Local* local)
{
	Cap cap = { .cosine = 0.0, .sine = 1.0, .least = 0.0 };
	double corners[SG_MAX_CORNERS][4], lengths[SG_MAX_CORNERS], q[SG_CORNER_TRANSFORMS][4];
	uint32_t count = local->set->cornerCount;
	for (uint32_t i = 0; i < local->n; ++i)
	{
		GetQuaternion(local, i, q[i]);
	}
	for (uint32_t c = 0; c < count; ++c)
	{
		const uint32_t* weights = local->weights + (size_t)local->n * c;
		memset(corners[c], 0, sizeof(corners[c]));
		for (uint32_t i = 0; i < local->n; ++i)
		{
			for (int k = 0; k < 4; ++k)
			{
				corners[c][k] += weights[i] * one * q[i][k];
			}
		}
		lengths[c] = sqrt(Dot4(corners[c], corners[c]));
		for (int k = 0; k < 4; ++k)
		{
			corners[c][k] /= lengths[c];
			cap.mean[k] += corners[c][k];
		}
	}
	double length = sqrt(Dot4(cap.mean, cap.mean)), chord2 = 0.0;
	for (int k = 0; k < 4; ++k)
	{
		cap.mean[k] /= length;
	}
	double least = 1.0;
	for (uint32_t c = 0; c < count; ++c)
	{
		double distance2 = 0.0;
		for (int k = 0; k < 4; ++k)
		{
			distance2 += (corners[c][k] - cap.mean[k]) * (corners[c][k] - cap.mean[k]);
		}
		chord2 = sgMost(chord2, distance2);
		least = Smaller(least, lengths[c] * Dot4(corners[c], cap.mean));
	}
	double half2 = 0.25 * chord2;
	if (half2 < 0.5) // an angle below a right one
	{
		SetCap(&cap, 2.0 * sqrt(half2 * (1.0 - half2)));
		cap.least = least;
	}
	return cap;
}

// s, then -s, u and -u of conj(mean) q = (s, u).
static void QuaternionInput(const Local* local, uint32_t i, const void* context, double b[PROGRAMS])
{
	const double* mean = context;
	const double back[4] = { -mean[0], -mean[1], -mean[2], mean[3] };
	double q[4], relative[4];
	GetQuaternion(local, i, q);
	Multiply(back, q, relative);
	b[0] = -relative[3];
	for (int k = 0; k < 3; ++k)
	{
		b[1 + k] = relative[k];
		b[4 + k] = -relative[k];
	}
}

// Without corners: relative to the mean all sums have a scalar of at least N and a vector of at most P.
static Cap CapOfLimits(const Local* local)
{
	Cap cap = { .cosine = 0.0, .sine = 1.0, .least = 0.0 };
	double bounds[7], length2 = 0.0;
	if (!FindMean(local, cap.mean))
	{
		cap.mean[3] = 1.0;
		return cap;
	}
	RunPrograms(local, QuaternionInput, cap.mean, 7, bounds);
	for (int k = 0; k < 3; ++k)
	{
		double most = Larger(Larger(bounds[1 + k], bounds[4 + k]), 0.0);
		length2 += most * most;
	}
	double least = -bounds[0] - 0x1p-40;
	if (least > 0.0)
	{
		SetCap(&cap, sqrt(length2 / (least * least + length2)));
		cap.least = least;
	}
	return cap;
}

static void PlaceInput(const Local* local, uint32_t i, const void* context, double b[PROGRAMS])
{
	double y[3];
	GetImage(local, i, context, y);
	for (int k = 0; k < 3; ++k)
	{
		b[k] = y[k];
		b[3 + k] = -y[k];
	}
}

// Where the joints carry the rotation centre, blended: points at the corners, or the box of all blends. Each is moved
// by `offset`, the middle of the cap of rotated positions, and has a radius.
static void AddPlaces(const Local* local, const double x[3], const double offset[3], double radius, Parts* parts)
{
	Part part = { .radius = radius };
	if (local->set->cornerCount == 0)
	{
		double bounds[6];
		RunPrograms(local, PlaceInput, x, 6, bounds);
		for (int k = 0; k < 3; ++k)
		{
			part.lower[k] = -bounds[3 + k] + offset[k];
			part.upper[k] = bounds[k] + offset[k];
		}
		AddPart(parts, &part);
		return;
	}
	double places[SG_CORNER_TRANSFORMS][3];
	for (uint32_t i = 0; i < local->n; ++i)
	{
		GetImage(local, i, x, places[i]);
	}
	for (uint32_t c = 0; c < local->set->cornerCount; ++c)
	{
		const uint32_t* weights = local->weights + (size_t)local->n * c;
		for (int k = 0; k < 3; ++k)
		{
			double sum = offset[k];
			for (uint32_t i = 0; i < local->n; ++i)
			{
				sum += weights[i] * one * places[i][k];
			}
			part.lower[k] = part.upper[k] = sum;
		}
		AddPart(parts, &part);
	}
}

// Returns how much rounding counts for more than usual: 1 / |sum w q|^2, at least 1.
static double AddSpherical(const Local* local, Parts* parts)
{
	Cap cap = local->set->cornerCount == 0 ? CapOfLimits(local) : CapOfCorners(local);
	double r[3], x[3], turned[3];
	for (int k = 0; k < 3; ++k)
	{
		r[k] = (double)local->center[k];
		x[k] = local->rest[k] - r[k];
	}
	if (cap.least < 0x1p-4)
	{
		// Some sums may be too short to be used; but whatever the rotation is, it changes no length.
		cap = (Cap){ .mean = { 0.0, 0.0, 0.0, 1.0 }, .cosine = 0.0, .sine = 1.0, .least = 1.0 };
	}
	Turn(cap.mean, x, turned);
	for (int k = 0; k < 3; ++k)
	{
		turned[k] *= cap.cosine;
	}
	double radius = cap.sine * sqrt(Dot3(x, x)) + local->radius;
	AddPlaces(local, r, turned, radius * (1.0 + 0x1p-30), parts);
	return 1.0 / (cap.least * cap.least);
}

// ---- Dual quaternions ------------------------------------------------------------------------------------------

/// The image y0 of the rest ball's centre for the mean weights, and what goes with it.
typedef struct DualMean
{
	double center[3]; ///< of the rest ball
	double place[3];  ///< y0
	double mean[4];   ///< sum of mean weights * q
	double scale;     ///< s: sum of mean weights * Z . mean / |mean|^2, for Z = (y - y0) q
} DualMean;

// Z of a member: (y - y0) q - s q.
static void GetZ(const Local* local, const DualMean* dual, uint32_t i, double z[4])
{
	double y[3], q[4];
	GetImage(local, i, dual->center, y);
	GetQuaternion(local, i, q);
	const double from[4] = { y[0] - dual->place[0], y[1] - dual->place[1], y[2] - dual->place[2], -dual->scale };
	Multiply(from, q, z);
}

static bool FindDualMean(const Local* local, DualMean* dual)
{
	double first[3], sum[4] = { 0.0 }, image[4], z[4];
	memset(dual->mean, 0, sizeof(dual->mean));
	GetImage(local, 0, dual->center, first);
	memcpy(dual->place, first, sizeof(first));
	dual->scale = 0.0;
	for (uint32_t i = 0; i < local->n; ++i)
	{
		double q[4];
		Range range = GetRange(local, i);
		GetQuaternion(local, i, q);
		GetZ(local, dual, i, z);
		for (int k = 0; k < 4; ++k)
		{
			dual->mean[k] += 0.5 * (range.low + range.high) * q[k];
			sum[k] += 0.5 * (range.low + range.high) * z[k];
		}
	}
	double length2 = Dot4(dual->mean, dual->mean);
	if (!(length2 > 0x1p-10))
	{
		return false;
	}
	const double back[4] = { -dual->mean[0], -dual->mean[1], -dual->mean[2], dual->mean[3] };
	Multiply(sum, back, image);
	for (int k = 0; k < 3; ++k)
	{
		dual->place[k] += image[k] / length2;
	}
	memset(sum, 0, sizeof(sum));
	for (uint32_t i = 0; i < local->n; ++i)
	{
		Range range = GetRange(local, i);
		GetZ(local, dual, i, z);
		for (int k = 0; k < 4; ++k)
		{
			sum[k] += 0.5 * (range.low + range.high) * z[k];
		}
	}
	dual->scale = Dot4(sum, dual->mean) / length2;
	return true;
}

/// Two directions along which sums of quaternions are long: the mean and the pivot.
typedef struct Directions
{
	double mean[4];
	double pivot[4];
} Directions;

static void LengthInput(const Local* local, uint32_t i, const void* context, double b[PROGRAMS])
{
	const Directions* directions = context;
	double q[4];
	GetQuaternion(local, i, q);
	b[0] = -Dot4(directions->mean, q);
	b[1] = -Dot4(directions->pivot, q);
}

// |sum w Z| at most: at a corner, or by how far weights are from their means. Z sums to zero there, within rounding,
// which the greatest |Z| says enough about.
static double MostZ(const Local* local, const DualMean* dual)
{
	double sum = 0.0, most = 0.0, corner = 0.0, z[SG_CORNER_TRANSFORMS][4];
	for (uint32_t i = 0; i < local->n; ++i)
	{
		double own[4];
		Range range = GetRange(local, i);
		GetZ(local, dual, i, own);
		double length = sqrt(Dot4(own, own));
		sum += 0.5 * (range.high - range.low) * length;
		most = Larger(most, length);
		if (local->set->cornerCount > 0)
		{
			memcpy(z[i], own, sizeof(own));
		}
	}
	for (uint32_t c = 0; c < local->set->cornerCount; ++c)
	{
		const uint32_t* weights = local->weights + (size_t)local->n * c;
		double total[4] = { 0.0 };
		for (uint32_t i = 0; i < local->n; ++i)
		{
			for (int k = 0; k < 4; ++k)
			{
				total[k] += weights[i] * one * z[i][k];
			}
		}
		corner = Larger(corner, sqrt(Dot4(total, total)));
	}
	// Without corners the mean weights need not sum to 1, and then Z does not sum to zero at weights that do.
	double mean[4] = { 0.0 };
	for (uint32_t i = 0; local->set->cornerCount == 0 && i < local->n; ++i)
	{
		double own[4];
		Range range = GetRange(local, i);
		GetZ(local, dual, i, own);
		for (int k = 0; k < 4; ++k)
		{
			mean[k] += 0.5 * (range.low + range.high) * own[k];
		}
	}
	sum += sqrt(Dot4(mean, mean));
	return (local->set->cornerCount > 0 ? corner : sum) + 0x1p-40 * most;
}

// v' - y0 is the vector part of sum w Z conj(sum w q) / |sum w q|^2, so no longer than |sum w Z| / |sum w q|.
// Returns as AddSpherical does, or zero if sums might be too short.
static double AddDual(const Local* local, Parts* parts)
{
	DualMean dual;
	Directions directions;
	double bounds[2];
	memcpy(dual.center, local->rest, sizeof(dual.center));
	if (!FindDualMean(local, &dual))
	{
		return 0.0;
	}
	double length = sqrt(Dot4(dual.mean, dual.mean));
	for (int k = 0; k < 4; ++k)
	{
		directions.mean[k] = dual.mean[k] / length;
	}
	GetQuaternion(local, local->whole->pivot, directions.pivot);
	RunPrograms(local, LengthInput, &directions, 2, bounds);
	double least = Larger(-bounds[0], -bounds[1]) - 0x1p-40;
	if (!(least > 0x1p-4))
	{
		return 0.0;
	}
	Part part = { .radius = (local->radius + MostZ(local, &dual) / least) * (1.0 + 0x1p-30) };
	memcpy(part.lower, dual.place, sizeof(dual.place));
	memcpy(part.upper, dual.place, sizeof(dual.place));
	AddPart(parts, &part);
	return 1.0 / (least * least);
}

bool sgSkin_BoundBySets(
    const sgSkinView* view, const sgMorphLanes* morph, uint32_t slot, sgBoundsOut out, uint32_t lane)
{
	const sgSkin* skin = view->skin;
	uint32_t first = skin->blend.jointSetStarts[slot], end = skin->blend.jointSetStarts[slot + 1];
	if (first == end)
	{
		return false;
	}
	Parts parts;
	parts.count = 0;
	double factor = 1.0;
	for (uint32_t i = first; i < end; ++i)
	{
		const sgJointSet* set = skin->blend.jointSets + i;
		Local local = {
			.view = view,
			.set = set,
			.whole = skin->sets + skin->nodeSets[i],
			.members = skin->blend.setTransforms + set->firstTransform,
			.weights = skin->blend.setWeights + set->firstWeight,
			.center = view->centers + 3 * (size_t)skin->nodeSets[i],
			.n = set->transformCount,
		};
		SetRestBall(&local, morph, lane);
		double own = view->isSpherical ? AddSpherical(&local, &parts) : AddDual(&local, &parts);
		if (own == 0.0)
		{
			return false;
		}
		factor = Larger(factor, own);
	}
	double roundings = SG_MARGIN_SQUARES * SG_MARGIN_TURNS(skin->blend.header->rows.most) * 0x1p-24;
	Enclose(view, &parts, roundings * factor * (double)view->reach, out, lane);
	return true;
}
