// Refitting balls in a pose: Algorithm 1 of the 2006 paper, corrected, and what goes with it for the other skins.
#include "deform/skin/turning.h"
#include "geometry/eigen.h"
#include "geometry/margins.h"
#include "papers/spherical/sphere_parts.h"

#include <math.h>
#include <string.h>

/// Half a unit in the last place of 1 in float32.
#define HALF_ULP 0x1p-24

/// Where |sum w q|^2 may come below this, evaluation may take another direction than that sum's
/// (deform/skin/turning.h).
#define LEAST_LENGTH2 0x1p-8

// ---- Reading a pose --------------------------------------------------------------------------------------------

// The greatest singular value A of a joint: A^2 is no more than any row of A^T A has in sum (Gershgorin), which for a
// joint that only turns is 1 but for rounding. The papers' joints do.
static double FindStretch(const float rows[12])
{
	double square[3][3], values[3], vectors[3][3], most = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		double sum = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			square[i][k] = (double)rows[i] * (double)rows[k] + (double)rows[4 + i] * (double)rows[4 + k] +
			               (double)rows[8 + i] * (double)rows[8 + k];
			sum += fabs(square[i][k]);
		}
		most = sum > most ? sum : most;
	}
	if (most < 1.0001)
	{
		return sqrt(most) * (1.0 + 1e-12);
	}
	sgEigen3(square, values, vectors);
	return sqrt(values[0]) * (1.0 + 1e-9);
}

// Evaluation of a blend puts a vertex off by (influences + 6) units of its reach per axis at most
// (docs/bounds/rounding.md); weights as integers by less than influences * 2^-28 of it.
static void ReadBlend(sphereBody* spheres)
{
	sgLinear blend = sgLinear_Get(spheres->tree->model);
	const sgLinearPose* pose = spheres->body->posed.pose;
	const float* matrices = sgLinear_Columns(sgBody_Derive(spheres->body)->derived);
	double reach = 0.0, influences = (double)blend.header->rows.most;
	for (uint32_t j = 0; j < blend.header->transformCount; ++j)
	{
		const float* columns = matrices + 16 * (size_t)j;
		float rows[12];
		for (int i = 0; i < 12; ++i)
		{
			rows[i] = columns[4 * (i % 4) + i / 4];
			spheres->matrices[j][i] = (double)rows[i];
		}
		spheres->stretches[j] = FindStretch(rows);
	}
	for (int k = 0; k < 3; ++k)
	{
		reach += (double)pose->reach[k];
	}
	spheres->margin = reach * ((influences + 6.0) * HALF_ULP + influences * 0x1p-28);
}

// Rigid motions, signs and rotation centres are the very ones that evaluation uses: it says by how much it may be off.
static bool ReadSkin(sphereBody* spheres)
{
	const sphereTree* tree = spheres->tree;
	const sgTurningView* view = sgBody_Derive(spheres->body)->derived;
	double influences = (double)view->skin->blend.header->rows.most;
	bool isSpherical = tree->model->deform->blending == snug_blendSpherical; // others have no centres
	for (uint32_t j = 0; j < view->skin->blend.header->transformCount; ++j)
	{
		const sgTurningPairPose* own = view->pairs + view->ownPairs[j];
		for (int i = 0; i < 12 && view->ownPairs[j] != SG_NO_PAIR; ++i)
		{
			float entry = i % 4 < 3 ? own->columns[i % 4][i / 4] : own->lower[i / 4];
			spheres->matrices[j][i] = (double)entry;
		}
		for (int k = 0; k < 4; ++k)
		{
			spheres->quaternions[j][k] = (double)view->joints[j].q[k];
		}
	}
	for (uint32_t i = 0; i < tree->setCount; ++i)
	{
		const sphereSet* set = tree->sets + i;
		uint32_t number = view->skin->setOf[set->vertex];
		const sgTurningSet* whole = view->skin->sets + number;
		for (uint32_t j = 0; j < set->jointCount; ++j)
		{
			spheres->signs[set->firstJoint + j] = (double)sgTurning_SignOf(view, whole, j);
		}
		for (int k = 0; k < 3 && isSpherical; ++k)
		{
			spheres->centers[i][k] = (double)view->centers[3 * (size_t)number + (size_t)k];
		}
	}
	double roundings = SG_MARGIN_TURNS(view->skin->blend.header->rows.most) * HALF_ULP;
	spheres->margin = 1.75 * (double)view->reach * (roundings + influences * 0x1p-28);
	return view->pose->hasStage == 0;
}

bool spherePose_Read(sphereBody* spheres)
{
	if (spheres->tree->model->deform->blending != snug_blendLinear)
	{
		return ReadSkin(spheres);
	}
	ReadBlend(spheres);
	return true;
}

// ---- Linear blending -------------------------------------------------------------------------------------------

static void Apply(const double m[12], const double p[3], double out[3])
{
	for (int i = 0; i < 3; ++i)
	{
		out[i] = m[4 * i] * p[0] + m[4 * i + 1] * p[1] + m[4 * i + 2] * p[2] + m[4 * i + 3];
	}
}

// Where the joints of a set put a point, for all corners.
static void ImagePoint(const sphereBody* s, const sphereSet* set, const double p[3])
{
	const uint16_t* joints = s->tree->joints + set->firstJoint;
	for (uint32_t j = 0; j < set->jointCount; ++j)
	{
		Apply(s->matrices[joints[j]], p, s->images[j]);
	}
}

// Where a corner puts that point, blending linearly.
static void BlendPoint(const sphereBody* s, uint32_t count, const double* corner, double out[3])
{
	double x = 0.0, y = 0.0, z = 0.0;
	for (uint32_t j = 0; j < count; ++j)
	{
		x += corner[j] * s->images[j][0];
		y += corner[j] * s->images[j][1];
		z += corner[j] * s->images[j][2];
	}
	out[0] = x;
	out[1] = y;
	out[2] = z;
}

// A ball per corner: the rest ball, carried by it.
static size_t AddLinear(const sphereBody* s, const sphereNode* node, const spherePart* part, sphereBall* out)
{
	const sphereSet* set = s->tree->sets + part->set;
	const uint16_t* joints = s->tree->joints + set->firstJoint;
	const double* corner = s->tree->weights + part->firstWeight + 3 * (size_t)set->jointCount;
	ImagePoint(s, set, node->rest.center);
	for (uint32_t i = 0; i < part->cornerCount; ++i, corner += set->jointCount)
	{
		double stretch = 0.0;
		BlendPoint(s, set->jointCount, corner, out[i].center);
		for (uint32_t j = 0; j < set->jointCount; ++j)
		{
			stretch += corner[j] * s->stretches[joints[j]];
		}
		out[i].radius = stretch * node->rest.radius;
	}
	return part->cornerCount;
}

// ---- Spherical blending ----------------------------------------------------------------------------------------

static double Dot4(const double a[4], const double b[4])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

// x + 2 u cross (u cross x + w x), for a unit quaternion (u, w).
static void Rotate(const double q[4], const double x[3], double out[3])
{
	double t[3] = { q[1] * x[2] - q[2] * x[1] + q[3] * x[0], q[2] * x[0] - q[0] * x[2] + q[3] * x[1],
		q[0] * x[1] - q[1] * x[0] + q[3] * x[2] };
	out[0] = x[0] + 2.0 * (q[1] * t[2] - q[2] * t[1]);
	out[1] = x[1] + 2.0 * (q[2] * t[0] - q[0] * t[2]);
	out[2] = x[2] + 2.0 * (q[0] * t[1] - q[1] * t[0]);
}

/// The rotations of a part: within an angle of one in their middle, or any.
typedef struct rotations
{
	double middle[4];
	double cosine; ///< of half the greatest angle; zero: any rotation
	double sine;
} rotations;

// The mean of the corners' unit quaternions, and the farthest of them, by chords: cosines near 1 say nothing.
static rotations FindRotations(const sphereBody* s, const spherePart* part)
{
	const sphereSet* set = s->tree->sets + part->set;
	const double* corner = s->tree->weights + part->firstWeight + 3 * (size_t)set->jointCount;
	const uint16_t* joints = s->tree->joints + set->firstJoint;
	const double* signs = s->signs + set->firstJoint;
	rotations found = { .cosine = 0.0 };
	double(*units)[4] = s->units, sum[4] = { 0.0, 0.0, 0.0, 0.0 }, chord = 0.0, shortest = INFINITY;
	for (uint32_t i = 0; i < part->cornerCount; ++i, corner += set->jointCount)
	{
		double q[4] = { 0.0, 0.0, 0.0, 0.0 };
		for (uint32_t j = 0; j < set->jointCount; ++j)
		{
			const double *own = s->quaternions[joints[j]], weight = corner[j] * signs[j];
			for (int k = 0; k < 4; ++k)
			{
				q[k] += weight * own[k];
			}
		}
		double length2 = Dot4(q, q), scale = length2 > 0.0 ? 1.0 / sqrt(length2) : 0.0;
		shortest = length2 < shortest ? length2 : shortest;
		for (int k = 0; k < 4; ++k)
		{
			units[i][k] = q[k] * scale;
			sum[k] += units[i][k];
		}
	}
	double length = sqrt(Dot4(sum, sum));
	if (!(shortest > LEAST_LENGTH2) || !(length > 0.0))
	{
		return found;
	}
	for (int k = 0; k < 4; ++k)
	{
		found.middle[k] = sum[k] / length;
	}
	for (uint32_t i = 0; i < part->cornerCount; ++i)
	{
		double square = 0.0;
		for (int k = 0; k < 4; ++k)
		{
			double d = units[i][k] - found.middle[k];
			square += d * d;
		}
		chord = square > chord ? square : chord;
	}
	// sin^2 of half the angle between quaternions is chord^2 / 4.
	double half = 0.25 * chord;
	if (half < 0.146) // below 45 degrees, where the cap's smallest ball is the one of its rim
	{
		found.sine = 2.0 * sqrt(half * (1.0 - half)) + 1e-12;
		found.cosine = sqrt(1.0 - found.sine * found.sine);
	}
	return found;
}

// Lines 4 to 15. A rotation by twice an angle carries x = p - r to a cap about the middle one's image of x; beyond a
// right angle, where Lemma 5 fails, and where the middle says nothing, the whole ball about the centre takes its place.
static size_t AddSpherical(const sphereBody* s, const sphereNode* node, const spherePart* part, sphereBall* out)
{
	const sphereSet* set = s->tree->sets + part->set;
	const double *corner = s->tree->weights + part->firstWeight + 3 * (size_t)set->jointCount,
	             *center = s->centers[part->set];
	rotations r = FindRotations(s, part);
	double x[3], apex[3] = { 0.0, 0.0, 0.0 }, length = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		x[k] = node->rest.center[k] - center[k];
		length += x[k] * x[k];
	}
	length = sqrt(length);
	double along = 2.0 * r.cosine * r.cosine - 1.0, radius = 2.0 * r.cosine * r.sine * length;
	if (r.cosine > 0.0)
	{
		Rotate(r.middle, x, apex);
	}
	else
	{
		along = 0.0;
		radius = length;
	}
	ImagePoint(s, set, center);
	for (uint32_t i = 0; i < part->cornerCount; ++i, corner += set->jointCount)
	{
		BlendPoint(s, set->jointCount, corner, out[i].center);
		for (int k = 0; k < 3; ++k)
		{
			out[i].center[k] += along * apex[k];
		}
		out[i].radius = radius + node->rest.radius;
	}
	return part->cornerCount;
}

// ---- Dual quaternions ------------------------------------------------------------------------------------------

static void MultiplyQuaternions(const double a[4], const double b[4], double out[4])
{
	out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
	out[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
	out[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
	out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

// The least sum of w b over { low <= w <= high, sum w = 1 }: what is left to hand out goes to the smallest b first.
static double Minimise(const double* low, const double* high, const double* b, uint32_t count)
{
	double sum = 0.0, rest = 1.0, before = -INFINITY;
	for (uint32_t j = 0; j < count; ++j)
	{
		sum += low[j] * b[j];
		rest -= low[j];
	}
	while (rest > 0.0)
	{
		double next = INFINITY, room = 0.0;
		for (uint32_t j = 0; j < count; ++j)
		{
			next = b[j] > before && b[j] < next ? b[j] : next;
		}
		if (next == INFINITY)
		{
			break; // rounding
		}
		for (uint32_t j = 0; j < count; ++j)
		{
			room += b[j] == next ? high[j] - low[j] : 0.0;
		}
		double given = room < rest ? room : rest;
		sum += given * next;
		rest -= given;
		before = next;
	}
	return sum;
}

/// Joints of a set for which there is room here; beyond, vertices are evaluated.
#define MAX_DUAL_JOINTS 32

// Section 5 of the bounds' derivation. Zero balls if it says nothing: then the vertices must be looked at.
static size_t AddDual(const sphereBody* s, const sphereNode* node, const spherePart* part, sphereBall* out)
{
	const sphereSet* set = s->tree->sets + part->set;
	uint32_t n = set->jointCount;
	const double *low = s->tree->weights + part->firstWeight, *high = low + n, *mean = high + n;
	double q[MAX_DUAL_JOINTS][4], z[MAX_DUAL_JOINTS][4], dots[2][MAX_DUAL_JOINTS], a[4] = { 0.0 }, sum[4] = { 0.0 };
	if (n > MAX_DUAL_JOINTS)
	{
		return 0;
	}
	for (uint32_t j = 0; j < n; ++j)
	{
		for (int k = 0; k < 4; ++k)
		{
			q[j][k] = s->signs[set->firstJoint + j] * s->quaternions[s->tree->joints[set->firstJoint + j]][k];
			a[k] += mean[j] * q[j][k];
		}
		z[j][3] = 0.0;
		Apply(s->matrices[s->tree->joints[set->firstJoint + j]], node->rest.center, z[j]);
	}
	double length2 = Dot4(a, a), conjugate[4] = { -a[0], -a[1], -a[2], a[3] }, first[3], product[4];
	if (!(length2 > LEAST_LENGTH2))
	{
		return 0;
	}
	memcpy(first, z[0], sizeof(first));
	for (uint32_t j = 0; j < n; ++j)
	{
		double off[4] = { z[j][0] - first[0], z[j][1] - first[1], z[j][2] - first[2], 0.0 };
		MultiplyQuaternions(off, q[j], product);
		for (int k = 0; k < 4; ++k)
		{
			sum[k] += mean[j] * product[k];
		}
	}
	MultiplyQuaternions(sum, conjugate, product);
	double image[4] = { 0.0, 0.0, 0.0, 0.0 }, scalar = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		image[k] = first[k] + product[k] / length2;
	}
	for (uint32_t j = 0; j < n; ++j)
	{
		double off[4] = { z[j][0] - image[0], z[j][1] - image[1], z[j][2] - image[2], 0.0 };
		MultiplyQuaternions(off, q[j], z[j]);
		scalar += mean[j] * Dot4(z[j], a) / length2;
		dots[0][j] = Dot4(a, q[j]) / sqrt(length2);
		dots[1][j] = Dot4(q[0], q[j]);
	}
	double least = fmax(Minimise(low, high, dots[0], n), Minimise(low, high, dots[1], n));
	if (!(least * least > LEAST_LENGTH2))
	{
		return 0;
	}
	*out = (sphereBall){ .center = { image[0], image[1], image[2] }, .radius = node->rest.radius };
	for (uint32_t j = 0; j < n; ++j)
	{
		for (int k = 0; k < 4; ++k)
		{
			z[j][k] -= scalar * q[j][k];
		}
		out->radius += fmax(high[j] - mean[j], mean[j] - low[j]) * sqrt(Dot4(z[j], z[j])) / least;
	}
	return 1;
}

// ---- Nodes -----------------------------------------------------------------------------------------------------

// The ball of a node's vertices themselves.
static sphereBall LookAtVertices(sphereBody* s, const sphereNode* node)
{
	const binaryNode* whole = s->tree->tree.nodes + node->whole;
	const uint32_t *first = s->tree->tree.corners[whole->firstLeaf], *end = first + 3 * (size_t)whole->leafCount;
	sphereBall ball = { .radius = 0.0 };
	spherePose_Evaluate(s, first, (uint32_t)(end - first));
	for (const uint32_t* v = first; v < end; ++v)
	{
		for (int k = 0; k < 3; ++k)
		{
			ball.center[k] += (double)s->positions[3 * (size_t)*v + (size_t)k] / (double)(end - first);
		}
	}
	for (const uint32_t* v = first; v < end; ++v)
	{
		double square = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			double d = (double)s->positions[3 * (size_t)*v + (size_t)k] - ball.center[k];
			square += d * d;
		}
		ball.radius = fmax(ball.radius, square);
	}
	ball.radius = sqrt(ball.radius);
	return ball;
}

sphereBall spherePose_Bound(sphereBody* s, const sphereNode* node)
{
	const snugBlending blending = s->tree->model->deform->blending;
	size_t count = 0;
	sphereBall ball;
	for (uint32_t i = node->firstPart; i < node->firstPart + node->partCount; ++i)
	{
		const spherePart* part = s->tree->parts + i;
		size_t added = blending == snug_blendSpherical        ? AddSpherical(s, node, part, s->scratch + count)
		               : blending == snug_blendDualQuaternion ? AddDual(s, node, part, s->scratch + count)
		                                                      : AddLinear(s, node, part, s->scratch + count);
		if (added == 0)
		{
			return LookAtVertices(s, node);
		}
		count += added;
	}
	ball = sphereEnclose(s->scratch, count);
	ball.radius = ball.radius * (1.0 + 1e-12) + s->margin;
	return ball;
}
