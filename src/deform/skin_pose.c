// src/deform/skin_pose.c: from matrices to what evaluation and bounds need: rigid motions, signs, rotation centres,
// pairs. See skin.h. In double, with + - * / and square roots only, so that it is the same everywhere.
#include "deform/skin_kernels.h"
#include "geometry/frame.h"

#include <math.h>
#include <string.h>

/// Rotation centres are drawn towards the mean of the joints' rest positions, so that they exist where rotations are
/// equal or share an axis, and stay near where they nearly do.
static const double centerDamping = 1e-2;

/// No position or intermediate may be farther out: sums of a few such lengths, divided by the least |sum w q|^2, are
/// finite.
static const double reachLimit = (double)SNUG_MAX_COORDINATE / 4096.0;

static size_t OnePoseBytes(const snugModel* model)
{
	sgSkin skin = sgSkin_Get(model);
	const sgBlendHeader* blend = skin.blend.header;
	snugVolume volume = (snugVolume)blend->volume;
	size_t slabs = sgVolume_IsDop(volume) ? sgVolume_ExtraSlabs(volume) : 0;
	size_t bytes = sizeof(sgSkinPose);
	bytes += sgAlignUp(blend->transformCount * sizeof(sgSkinJoint), SG_ALIGNMENT);
	bytes += skin.header->pairCount * (sizeof(sgSkinPairPose) + slabs * sizeof(sgSkinSlab));
	bytes = sgAlignUp(bytes, SG_ALIGNMENT) + sgAlignUp(skin.header->setCount * 4 * sizeof(float), SG_ALIGNMENT);
	bytes += blend->transformCount * 16 * sizeof(float);
	return bytes + sgAlignUp(skin.header->memberCount * sizeof(float), SG_ALIGNMENT);
}

static sgSkinView MakeView(const snugModel* model, void* pose)
{
	sgSkinView view = {
		.skin = sgSkin_Get(model),
		.restPositions = model->positions,
		.isSpherical = model->deformer == snug_spherical,
		.pose = pose,
	};
	const sgBlendHeader* blend = view.skin.blend.header;
	snugVolume volume = (snugVolume)blend->volume;
	size_t slabs = sgVolume_IsDop(volume) ? sgVolume_ExtraSlabs(volume) : 0, pairs = view.skin.header->pairCount;
	char* at = (char*)(view.pose + 1);
	view.joints = (sgSkinJoint*)(void*)at;
	at += sgAlignUp(blend->transformCount * sizeof(sgSkinJoint), SG_ALIGNMENT);
	view.pairs = (sgSkinPairPose*)(void*)at;
	at += pairs * sizeof(sgSkinPairPose);
	view.slabs = (sgSkinSlab*)(void*)at;
	at += sgAlignUp(pairs * slabs * sizeof(sgSkinSlab), SG_ALIGNMENT);
	view.centers = (float*)(void*)at;
	at += sgAlignUp(view.skin.header->setCount * 4 * sizeof(float), SG_ALIGNMENT);
	view.stage = (float*)(void*)at;
	view.signs = view.stage + 16 * (size_t)blend->transformCount;
	return view;
}

size_t sgSkinPoses_Bytes(const snugModel* model)
{
	return sizeof(sgSkinPoses) + 2 * OnePoseBytes(model);
}

void sgSkinPoses_Start(sgSkinPoses* poses, const snugModel* model)
{
	size_t bytes = OnePoseBytes(model);
	memset(poses, 0, sizeof(*poses) + 2 * bytes);
	poses->views[0] = MakeView(model, poses + 1);
	poses->views[1] = MakeView(model, (char*)(poses + 1) + bytes);
}

// ---- Joints ----------------------------------------------------------------------------------------------------

static double Determinant(const double m[3][3])
{
	return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
	       m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

static double FrobeniusNorm(const double m[3][3])
{
	double sum = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		sum += m[i][0] * m[i][0] + m[i][1] * m[i][1] + m[i][2] * m[i][2];
	}
	return sqrt(sum);
}

// The rotation of a polar decomposition A = Q P, by Newton's iteration with a scale that balances the norms of the
// matrix and its inverse: from singular values a million apart a dozen steps lead to rounding. False if it does not
// get there, which is when A flattens space, or mirrors it.
static bool FindRotation(const float matrix[12], double q[3][3])
{
	double size = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			q[i][k] = (double)matrix[4 * i + k];
			size = fmax(size, fabs(q[i][k]));
		}
	}
	for (int i = 0; i < 9; ++i)
	{
		q[i / 3][i % 3] /= size;
	}
	double change = 1.0;
	for (int step = 0; step < 16; ++step)
	{
		double determinant = Determinant((const double(*)[3])q), inverse[3][3], norm;
		if (!(determinant > 0.0))
		{
			return false;
		}
		for (int i = 0; i < 3; ++i)
		{
			int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
			for (int k = 0; k < 3; ++k)
			{
				int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
				inverse[i][k] = (q[i1][k1] * q[i2][k2] - q[i1][k2] * q[i2][k1]) / determinant; // transposed
			}
		}
		norm = FrobeniusNorm((const double(*)[3])inverse) / FrobeniusNorm((const double(*)[3])q);
		double scale = step < 10 ? sqrt(norm) : 1.0;
		change = 0.0;
		for (int i = 0; i < 9; ++i)
		{
			double next = 0.5 * (scale * q[i / 3][i % 3] + inverse[i / 3][i % 3] / scale);
			change = fmax(change, fabs(next - q[i / 3][i % 3]));
			q[i / 3][i % 3] = next;
		}
	}
	return change <= 1e-12;
}

// What remains of a matrix once its rotation is taken out, P = Q^T A, about the joint: x -> P (x - c) + c. By columns.
static void SetStage(const float matrix[12], const double q[3][3], const float center[3], float columns[16])
{
	double p[3][3];
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			p[i][k] = q[0][i] * (double)matrix[k] + q[1][i] * (double)matrix[4 + k] + q[2][i] * (double)matrix[8 + k];
		}
	}
	for (int i = 0; i < 3; ++i)
	{
		double t = (double)center[i];
		for (int k = 0; k < 3; ++k)
		{
			double entry = 0.5 * (p[i][k] + p[k][i]);
			t -= entry * (double)center[k];
			columns[4 * k + i] = (float)entry;
		}
		columns[12 + i] = (float)t;
	}
	columns[3] = columns[7] = columns[11] = columns[15] = 0.0f;
}

static void SetStageToIdentity(float columns[16])
{
	memset(columns, 0, 16 * sizeof(float));
	columns[0] = columns[5] = columns[10] = 1.0f;
}

// The rigid motion that turns by q and carries the joint to where its matrix does. The rotation is that of the rounded
// quaternion.
static void SetJoint(const float matrix[12], const double q[4], const float center[3], sgSkinJoint* joint)
{
	double x = (double)(joint->q[0] = sgRoundNearest(q[0])), y = (double)(joint->q[1] = sgRoundNearest(q[1]));
	double z = (double)(joint->q[2] = sgRoundNearest(q[2])), w = (double)(joint->q[3] = sgRoundNearest(q[3]));
	double s = 2.0 / (x * x + y * y + z * z + w * w);
	const double r[3][3] = {
		{ 1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y) },
		{ s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x) },
		{ s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y) },
	};
	double t[3];
	for (int i = 0; i < 3; ++i)
	{
		t[i] = (double)matrix[4 * i + 3];
		for (int k = 0; k < 3; ++k)
		{
			t[i] += ((double)matrix[4 * i + k] - r[i][k]) * (double)center[k];
			joint->matrix[i][k] = (float)r[i][k];
		}
		joint->matrix[i][3] = sgRoundNearest(t[i]);
		t[i] = (double)joint->matrix[i][3];
	}
	joint->dual[0] = (float)(0.5 * (w * t[0] + t[1] * z - t[2] * y));
	joint->dual[1] = (float)(0.5 * (w * t[1] + t[2] * x - t[0] * z));
	joint->dual[2] = (float)(0.5 * (w * t[2] + t[0] * y - t[1] * x));
	joint->dual[3] = (float)(-0.5 * (t[0] * x + t[1] * y + t[2] * z));
	memset(joint->padding, 0, sizeof(joint->padding));
}

static bool AllFinite(const float* values, int count)
{
	for (int i = 0; i < count; ++i)
	{
		if (!(fabsf(values[i]) <= SNUG_MAX_COORDINATE))
		{
			return false;
		}
	}
	return true;
}

static void QuaternionOf(const double m[3][3], double q[4])
{
	double lanes[3][3][SG_LANES], out[4][SG_LANES];
	for (int i = 0; i < 9 * SG_LANES; ++i)
	{
		lanes[i / (3 * SG_LANES)][i / SG_LANES % 3][i % SG_LANES] = m[i / (3 * SG_LANES)][i / SG_LANES % 3];
	}
	sgSkin_GetKernels()->makeQuaternions((const double(*)[3][SG_LANES])lanes, out);
	for (int k = 0; k < 4; ++k)
	{
		q[k] = out[k][0];
	}
}

// A joint that is not rigid: what it does besides turning becomes part of the affine stage.
static sgSkinFault SetGeneralJoint(const sgSkinView* view, const float matrix[12], uint32_t j)
{
	const float* center = view->skin.jointPositions + 3 * (size_t)j;
	double rotation[3][3], q[4];
	for (int i = 0; i < 12; ++i)
	{
		if (!isfinite(matrix[i]))
		{
			return sgSkinFault_notFinite;
		}
	}
	if (!AllFinite(matrix, 12))
	{
		return sgSkinFault_tooFar;
	}
	if (!FindRotation(matrix, rotation))
	{
		return sgSkinFault_notRigid;
	}
	QuaternionOf((const double(*)[3])rotation, q);
	SetJoint(matrix, q, center, view->joints + j);
	SetStage(matrix, (const double(*)[3])rotation, center, view->stage + 16 * (size_t)j);
	return AllFinite(view->joints[j].matrix[0], 12) && AllFinite(view->stage + 16 * (size_t)j, 16) ? sgSkinFault_none
	                                                                                               : sgSkinFault_tooFar;
}

static sgSkinFault SetJoints(const sgSkinView* view, const char* matrices, size_t stride, uint32_t* joint)
{
	static const float identity[12] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 };
	uint32_t count = view->skin.blend.header->transformCount;
	view->pose->hasStage = 0;
	for (uint32_t first = 0; first < count; first += SG_LANES)
	{
		const float* pointers[SG_LANES];
		double q[4][SG_LANES];
		for (uint32_t lane = 0; lane < SG_LANES; ++lane)
		{
			bool isThere = matrices != NULL && first + lane < count;
			pointers[lane] = isThere ? (const float*)(const void*)(matrices + (first + lane) * stride) : identity;
		}
		uint32_t rigid = sgSkin_GetKernels()->decompose(pointers, q);
		for (uint32_t lane = 0; lane < SG_LANES && first + lane < count; ++lane)
		{
			uint32_t j = first + lane;
			*joint = j;
			if ((rigid >> lane & 1) == 0)
			{
				sgSkinFault fault = SetGeneralJoint(view, pointers[lane], j);
				if (fault != sgSkinFault_none)
				{
					return fault;
				}
				view->pose->hasStage = 1;
				continue;
			}
			const double own[4] = { q[0][lane], q[1][lane], q[2][lane], q[3][lane] };
			SetJoint(pointers[lane], own, view->skin.jointPositions + 3 * (size_t)j, view->joints + j);
			SetStageToIdentity(view->stage + 16 * (size_t)j);
		}
	}
	return sgSkinFault_none;
}

// ---- Signs -----------------------------------------------------------------------------------------------------

static bool PointsAway(const sgSkinJoint* a, const sgSkinJoint* b)
{
	double sum = 0.0;
	for (int k = 0; k < 4; ++k)
	{
		sum += (double)a->q[k] * (double)b->q[k];
	}
	return sum < 0.0;
}

static void Negate(sgSkinJoint* joint)
{
	for (int k = 0; k < 4; ++k)
	{
		joint->q[k] = -joint->q[k];
		joint->dual[k] = -joint->dual[k];
	}
}

// Signs along links, so that pivots and what they are the pivot of agree. Where other edges agree too, as they do
// unless joints are turned by half a turn against their neighbours, every joint set has its signs right.
static void AlignSigns(const sgSkinView* view)
{
	const sgSkin* skin = &view->skin;
	bool isAligned = true;
	for (uint32_t e = 0; e < skin->header->edgeCount; ++e)
	{
		sgSkinJoint *a = view->joints + skin->edges[e].first, *b = view->joints + skin->edges[e].second;
		if (PointsAway(a, b))
		{
			if (e < skin->header->linkCount)
			{
				Negate(b);
			}
			else
			{
				isAligned = false;
			}
		}
	}
	view->pose->isAligned = isAligned;
	for (uint32_t s = 0; !isAligned && s < skin->header->setCount; ++s)
	{
		const sgSkinSet* set = skin->sets + s;
		const uint16_t* members = skin->members + set->firstMember;
		for (uint32_t m = 0; m < set->memberCount; ++m)
		{
			bool isAway = PointsAway(view->joints + members[m], view->joints + members[set->pivot]);
			view->signs[set->firstMember + m] = isAway ? -1.0f : 1.0f;
		}
	}
}

// ---- Rotation centres ------------------------------------------------------------------------------------------

// Solve (a + damping) x = b for a symmetric a without negative eigenvalues, by Cholesky's decomposition.
static void Solve(const double a[6], const double b[3], double x[3])
{
	double d0 = sqrt(a[0] + centerDamping), l10 = a[1] / d0, l20 = a[2] / d0;
	double d1 = sqrt(a[3] + centerDamping - l10 * l10), l21 = (a[4] - l20 * l10) / d1;
	double d2 = sqrt(a[5] + centerDamping - l20 * l20 - l21 * l21);
	double y0 = b[0] / d0, y1 = (b[1] - l10 * y0) / d1, y2 = (b[2] - l20 * y0 - l21 * y1) / d2;
	x[2] = y2 / d2;
	x[1] = (y1 - l21 * x[2]) / d1;
	x[0] = (y0 - l10 * x[1] - l20 * x[2]) / d0;
}

// The point r that the joints of a set carry to places as near to each other as can be: least squares of C_i r = C_j r
// over all pairs, damped. With R the mean rotation and y_i = C_i r0, the sums over pairs come down to
//     sum D^T D = n^2 (1 - R^T R),      sum D^T e = -n sum_i R_i^T (y_i - y),     y the mean of y_i.
static void FindCenter(const sgSkinView* view, const sgSkinSet* set, float center[4])
{
	const uint16_t* members = view->skin.members + set->firstMember;
	double n = (double)set->memberCount, r0[3], mean[3][4] = { { 0 } }, b[3] = { 0 };
	for (int k = 0; k < 3; ++k)
	{
		r0[k] = (double)set->origin[k];
	}
	double place[3] = { 0 };
	for (uint32_t m = 0; m < set->memberCount; ++m)
	{
		const sgSkinJoint* joint = view->joints + members[m];
		for (int i = 0; i < 3; ++i)
		{
			for (int k = 0; k < 4; ++k)
			{
				mean[i][k] += (double)joint->matrix[i][k] / n;
			}
		}
	}
	for (int i = 0; i < 3; ++i)
	{
		place[i] = mean[i][0] * r0[0] + mean[i][1] * r0[1] + mean[i][2] * r0[2] + mean[i][3];
	}
	for (uint32_t m = 0; m < set->memberCount; ++m)
	{
		const sgSkinJoint* joint = view->joints + members[m];
		for (int i = 0; i < 3; ++i)
		{
			const float* row = joint->matrix[i];
			double y =
			    (double)row[0] * r0[0] + (double)row[1] * r0[1] + (double)row[2] * r0[2] + (double)row[3] - place[i];
			for (int k = 0; k < 3; ++k)
			{
				b[k] -= n * (double)row[k] * y;
			}
		}
	}
	double a[6];
	int entry = 0;
	for (int i = 0; i < 3; ++i)
	{
		for (int k = i; k < 3; ++k)
		{
			double sum = mean[0][i] * mean[0][k] + mean[1][i] * mean[1][k] + mean[2][i] * mean[2][k];
			a[entry++] = n * n * ((i == k ? 1.0 : 0.0) - sum);
		}
	}
	double d[3];
	Solve(a, b, d);
	for (int k = 0; k < 3; ++k)
	{
		center[k] = sgRoundNearest(r0[k] + d[k]);
	}
	center[3] = 0.0f;
}

/// How far apart a set's joints carry its rotation centre: the diagonal of the box around where.
static double FindSpread(const sgSkinView* view, const sgSkinSet* set, const float center[3])
{
	const uint16_t* members = view->skin.members + set->firstMember;
	double sum = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		double lower = INFINITY, upper = -INFINITY;
		for (uint32_t m = 0; m < set->memberCount; ++m)
		{
			const float* row = view->joints[members[m]].matrix[i];
			double y = (double)row[0] * (double)center[0] + (double)row[1] * (double)center[1] +
			           (double)row[2] * (double)center[2] + (double)row[3];
			lower = y < lower ? y : lower;
			upper = y > upper ? y : upper;
		}
		sum += (upper - lower) * (upper - lower);
	}
	return sqrt(sum);
}

// Rotation centres of all sets, and the greatest distance of one from zero. Sets of one joint need none, but have one:
// any will do.
static double FindCenters(const sgSkinView* view)
{
	double most = 0.0;
	for (uint32_t s = 0; s < view->skin.header->setCount; ++s)
	{
		const sgSkinSet* set = view->skin.sets + s;
		float* center = view->centers + 4 * (size_t)s;
		if (set->memberCount > 1)
		{
			FindCenter(view, set, center);
		}
		else
		{
			memcpy(center, set->origin, 3 * sizeof(float));
			center[3] = 0.0f;
		}
		double x = (double)center[0], y = (double)center[1], z = (double)center[2];
		double distance = sqrt(x * x + y * y + z * z);
		most = distance > most ? distance : most;
	}
	return most;
}

// ---- Pairs -----------------------------------------------------------------------------------------------------

// Where joint sets differ in their rotation centres, so do the matrices of their pairs, by no more than
// (|e| / 2 + 1 - cosine) times how far apart the set's joints carry the centre, |e| the sine.
static void SetOffsets(const sgSkinView* view)
{
	const sgSkin* skin = &view->skin;
	for (uint32_t s = 0; s < skin->header->setCount; ++s)
	{
		const sgSkinSet* set = skin->sets + s;
		uint32_t count = set->memberCount * (set->memberCount - 1) / 2;
		if (count == 0)
		{
			continue;
		}
		float spread = sgRoundUp(FindSpread(view, set, view->centers + 4 * (size_t)s) * (1.0 + 0x1p-20));
		for (uint32_t p = 0; p < count; ++p)
		{
			float* off = view->pairs[skin->setPairs[set->firstPair + p]].off;
			off[0] = spread > off[0] ? spread : off[0];
		}
	}
	for (uint32_t p = 0; p < skin->header->pairCount; ++p)
	{
		sgSkinPairPose* pair = view->pairs + p;
		float cosine = pair->cosine, sine2 = 1.0f - cosine * cosine;
		float sine = sqrtf(sine2 > 0.0f ? sine2 : 0.0f) + 0x1p-11f; // sine2 is off by a few 2^-24
		bool isOne = skin->pairs[p].first == skin->pairs[p].second;
		float off = isOne ? 0.0f : pair->off[0] * (0.5f * sine + 1.0f - cosine + 0x1p-20f);
		pair->off[0] = pair->off[1] = pair->off[2] = off;
	}
}

/// Pairs of which joint sets do not agree what the sign is: too large for any bound, so that nodes that have them are
/// bounded by their vertices.
static const float noCosine = -0x1p100f;

// Where signs do not agree everywhere: those of each pair by its joint sets. `off` keeps what was found meanwhile.
static void SignPairs(const sgSkinView* view)
{
	const sgSkin* skin = &view->skin;
	for (uint32_t s = 0; s < skin->header->setCount; ++s)
	{
		const sgSkinSet* set = skin->sets + s;
		const float* signs = view->signs + set->firstMember;
		uint32_t p = set->firstPair;
		for (uint32_t i = 0; i < set->memberCount; ++i)
		{
			for (uint32_t j = i + 1; j < set->memberCount; ++j)
			{
				float *found = view->pairs[skin->setPairs[p++]].off, sign = signs[i] * signs[j];
				*found = *found == 0.0f || *found == sign ? sign : 2.0f;
			}
		}
	}
	for (uint32_t p = 0; p < skin->header->pairCount; ++p)
	{
		sgSkinPairPose* pair = view->pairs + p;
		for (int i = 0; pair->off[0] == -1.0f && i < 12; ++i)
		{
			pair->matrix[i / 4][i % 4] = -pair->matrix[i / 4][i % 4];
		}
		pair->cosine = pair->off[0] == -1.0f ? -pair->cosine : pair->off[0] == 2.0f ? noCosine : pair->cosine;
		pair->off[0] = 0.0f;
	}
}

static void SetSlabs(const sgSkinView* view)
{
	snugVolume volume = (snugVolume)view->skin.blend.header->volume;
	uint32_t count = sgVolume_IsDop(volume) ? sgVolume_ExtraSlabs(volume) : 0;
	for (uint32_t p = 0; count > 0 && p < view->skin.header->pairCount; ++p)
	{
		const sgSkinPairPose* pair = view->pairs + p;
		for (uint32_t i = 0; i < count; ++i)
		{
			const float* d = sgVolume_Directions(volume)[i];
			sgSkinSlab* slab = view->slabs + (size_t)count * p + i;
			for (int k = 0; k < 4; ++k)
			{
				slab->row[k] = d[0] * pair->matrix[0][k] + d[1] * pair->matrix[1][k] + d[2] * pair->matrix[2][k];
			}
			// Longer than any row of the three that |d| picks, which is at most the root of three times theirs.
			slab->off = 1.75f * pair->off[0];
		}
	}
}

static void SetPairs(const sgSkinView* view)
{
	if (view->skin.header->pairCount == 0)
	{
		return;
	}
	sgSkin_GetKernels()->makePairs(view);
	if (!view->pose->isAligned)
	{
		SignPairs(view);
	}
	if (view->isSpherical)
	{
		SetOffsets(view);
	}
	SetSlabs(view);
}

// ---- Reach -----------------------------------------------------------------------------------------------------

/// The farthest from zero that the affine stage carries anything within the model's reach, and how far from where it
/// was: per axis, the latter.
static double StageReach(const sgSkinView* view, const float rest[3])
{
	double most2 = 0.0;
	for (uint32_t j = 0; j < view->skin.blend.header->transformCount; ++j)
	{
		const float* columns = view->stage + 16 * (size_t)j;
		double sum = 0.0;
		for (int i = 0; i < 3; ++i)
		{
			double along = fabs((double)columns[12 + i]);
			for (int k = 0; k < 3; ++k)
			{
				along += fabs((double)columns[4 * k + i]) * (double)rest[k];
			}
			sum += along * along;
		}
		most2 = sum > most2 ? sum : most2;
	}
	return sqrt(most2);
}

// A bound of |v| + |t| + 2 |r|, which bounds v - r, the images of both, and the parts of a dual quaternion; 2^-100 is
// for products below what float32 can hold.
static bool SetReach(const sgSkinView* view, double farthestCenter)
{
	const float* rest = view->skin.blend.header->reach;
	double x = (double)rest[0], y = (double)rest[1], z = (double)rest[2], translation2 = 0.0;
	double length = sqrt(x * x + y * y + z * z);
	for (uint32_t j = 0; j < view->skin.blend.header->transformCount; ++j)
	{
		const sgSkinJoint* joint = view->joints + j;
		double sum = 0.0;
		for (int i = 0; i < 3; ++i)
		{
			sum += (double)joint->matrix[i][3] * (double)joint->matrix[i][3];
		}
		translation2 = sum > translation2 ? sum : translation2;
	}
	double staged = view->pose->hasStage ? StageReach(view, rest) : 0.0;
	double reach = (staged > length ? staged : length) + sqrt(translation2) + 2.0 * farthestCenter;
	view->pose->reach = sgRoundUp((reach < reachLimit ? reach : reachLimit) * (1.0 + 0x1p-20) + 0x1p-100);
	return reach < reachLimit;
}

sgSkinFault sgSkin_MakePose(const sgSkinView* view, const char* matrices, size_t stride, uint32_t* joint)
{
	sgSkinFault fault = SetJoints(view, matrices, stride, joint);
	if (fault != sgSkinFault_none)
	{
		return fault;
	}
	AlignSigns(view);
	double farthestCenter = view->isSpherical ? FindCenters(view) : 0.0;
	*joint = SG_NONE;
	if (!SetReach(view, farthestCenter))
	{
		return sgSkinFault_tooFar;
	}
	SetPairs(view);
	return sgSkinFault_none;
}
