// src/deform/skin_lanes.h: what poses of skins need in double, eight joints or joint sets at a time. Part of
// skin_kernels.c, which alone includes it.
//
// Vectors of the compiler's own, which it makes from whatever the instruction set has: + - * / only, and square roots
// where they are not in the way; so every instruction set gives the same bits.
#ifndef SG_SKIN_LANES_H
#define SG_SKIN_LANES_H

#include "deform/skin_kernels.h"

#include <math.h>
#include <string.h>

typedef double v8 __attribute__((vector_size(64), may_alias));
typedef int64_t v8Bits __attribute__((vector_size(64), may_alias));

/// yes where `which` is all ones, no where it is zero.
#define V8_SELECT(which, yes, no) ((v8)(((v8Bits)(which) & (v8Bits)(yes)) | (~(v8Bits)(which) & (v8Bits)(no))))

// The largest of four expressions is four times the square of one component; what goes with it gives the others.
static void MakeQuaternions(const v8 m[9], v8 q[4])
{
	v8 w4 = 1.0 + m[0] + m[4] + m[8], x4 = 1.0 + m[0] - m[4] - m[8];
	v8 y4 = 1.0 - m[0] + m[4] - m[8], z4 = 1.0 - m[0] - m[4] + m[8];
	v8 xy = m[1] + m[3], xz = m[2] + m[6], yz = m[5] + m[7], wx = m[7] - m[5], wy = m[2] - m[6], wz = m[3] - m[1];
	const v8 candidates[4][4] = { { wx, wy, wz, w4 }, { x4, xy, xz, wx }, { xy, y4, yz, wy }, { xz, yz, z4, wz } };
	const v8 squares[4] = { w4, x4, y4, z4 };
	v8 most = w4;
	for (int k = 0; k < 4; ++k)
	{
		q[k] = candidates[0][k];
	}
	for (int c = 1; c < 4; ++c)
	{
		v8Bits isLarger = (v8Bits)(squares[c] > most);
		most = V8_SELECT(isLarger, squares[c], most);
		for (int k = 0; k < 4; ++k)
		{
			q[k] = V8_SELECT(isLarger, candidates[c][k], q[k]);
		}
	}
	v8 length2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], length;
	for (int i = 0; i < SG_LANES; ++i)
	{
		length[i] = sqrt(length2[i]);
	}
	for (int k = 0; k < 4; ++k)
	{
		q[k] /= length;
	}
}

/// m^T m, its six different entries: 00, 01, 02, 11, 12, 22.
static inline void FindSquare(const v8 m[9], v8 square[6])
{
	int entry = 0;
	for (int a = 0; a < 3; ++a)
	{
		for (int b = a; b < 3; ++b)
		{
			square[entry++] = m[a] * m[b] + m[3 + a] * m[3 + b] + m[6 + a] * m[6 + b];
		}
	}
}

/// How far m^T m is from the identity: the sum of the squares of its six different entries.
static void FindSkew2(const v8 m[9], v8* skew2)
{
	v8 square[6];
	FindSquare(m, square);
	v8 a = square[0] - 1.0, b = square[3] - 1.0, c = square[5] - 1.0;
	*skew2 = a * a + b * b + c * c + square[1] * square[1] + square[2] * square[2] + square[4] * square[4];
}

// m -> m (3 - m^T m) / 2, which squares how far m is from a rotation.
static void Orthonormalise(v8 m[9])
{
	v8 s[6];
	FindSquare(m, s);
	v8 d0 = 1.5 - 0.5 * s[0], d1 = 1.5 - 0.5 * s[3], d2 = 1.5 - 0.5 * s[5];
	v8 o01 = -0.5 * s[1], o02 = -0.5 * s[2], o12 = -0.5 * s[4];
	for (int row = 0; row < 3; ++row)
	{
		v8 x = m[3 * row], y = m[3 * row + 1], z = m[3 * row + 2];
		m[3 * row] = x * d0 + y * o01 + z * o02;
		m[3 * row + 1] = x * o01 + y * d1 + z * o12;
		m[3 * row + 2] = x * o02 + y * o12 + z * d2;
	}
}

static void FindDeterminants(const v8 m[9], v8* out)
{
	*out = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

// One step of Newton's iteration for the rotation of a polar decomposition, m -> (s m + m^-T / s) / 2, with a scale s
// that balances the norms of the two.
static void Balance(v8 m[9], bool isScaled)
{
	v8 determinant, inverse[9], norm2 = { 0.0 }, other2 = { 0.0 }, scale;
	FindDeterminants(m, &determinant);
	for (int a = 0; a < 3; ++a)
	{
		int a1 = (a + 1) % 3, a2 = (a + 2) % 3;
		for (int b = 0; b < 3; ++b)
		{
			int b1 = (b + 1) % 3, b2 = (b + 2) % 3;
			v8 cofactor = m[3 * a1 + b1] * m[3 * a2 + b2] - m[3 * a1 + b2] * m[3 * a2 + b1];
			inverse[3 * a + b] = cofactor / determinant;
			other2 += inverse[3 * a + b] * inverse[3 * a + b];
			norm2 += m[3 * a + b] * m[3 * a + b];
		}
	}
	v8 ratio = other2 / norm2;
	for (int i = 0; i < SG_LANES; ++i)
	{
		scale[i] = isScaled ? sqrt(sqrt(ratio[i])) : 1.0;
	}
	v8 back = 1.0 / scale;
	for (int k = 0; k < 9; ++k)
	{
		m[k] = 0.5 * (scale * m[k] + back * inverse[k]);
	}
}

/// Steps of Newton's iteration at most: from singular values a million apart it takes a dozen.
#define BALANCE_STEPS 16
/// Matrices nearer to a rotation than this are taken for one.
#define RIGID_SKEW2 0x1p-26

// The rotations of eight polar decompositions. Lanes that need no more steps take part in those of others, which
// changes nothing but last bits, and depends on the matrices alone. Returns lanes that scale or shear; `isTurn`: lanes
// that neither mirror nor flatten.
static uint32_t FindRotations(v8 m[9], uint32_t* isTurn)
{
	v8 skew2, determinant;
	uint32_t general = 0;
	FindSkew2(m, &skew2);
	FindDeterminants(m, &determinant);
	*isTurn = 0;
	for (int i = 0; i < SG_LANES; ++i)
	{
		general |= (uint32_t) !(skew2[i] <= RIGID_SKEW2) << i;
		*isTurn |= (uint32_t)(determinant[i] > 0.0) << i;
	}
	bool isNear = general == 0;
	for (int step = 0; step < BALANCE_STEPS && !isNear; ++step)
	{
		Balance(m, step < 8);
		FindSkew2(m, &skew2);
		isNear = true;
		for (int i = 0; i < SG_LANES; ++i)
		{
			isNear = isNear && !(skew2[i] > RIGID_SKEW2); // NaN is not worth waiting for
		}
	}
	Orthonormalise(m);
	Orthonormalise(m);
	FindSkew2(m, &skew2);
	for (int i = 0; i < SG_LANES; ++i)
	{
		*isTurn &= ~((uint32_t) !(skew2[i] <= 1e-18) << i);
	}
	return general;
}

/// Rotations and translations of eight joints as they are used: quaternions rounded to float32, the rest from those.
typedef struct JointLanes
{
	v8 q[4];           ///< as rounded
	v8 rotation[9];    ///< of those
	v8 translation[3]; ///< as rounded
	v8 dual[4];
} JointLanes;

// Rounded to float32. Through memory that the compiler does not see through: gcc 12 takes (double)(float)x for x where
// it vectorises (frame.h).
static inline void RoundLanes(v8* values)
{
	float rounded[SG_LANES];
	for (int i = 0; i < SG_LANES; ++i)
	{
		rounded[i] = (float)(*values)[i];
	}
	__asm__ volatile("" : : "r"(rounded) : "memory");
	for (int i = 0; i < SG_LANES; ++i)
	{
		(*values)[i] = (double)rounded[i];
	}
}

// The rigid motion that turns by q and carries the joint's rest position to where its matrix does.
static void FillJoints(const v8 given[12], const v8 center[3], JointLanes* out)
{
	for (int k = 0; k < 4; ++k)
	{
		RoundLanes(out->q + k);
	}
	v8 x = out->q[0], y = out->q[1], z = out->q[2], w = out->q[3], *r = out->rotation, *t = out->translation;
	v8 s = 2.0 / (x * x + y * y + z * z + w * w);
	r[0] = 1.0 - s * (y * y + z * z);
	r[1] = s * (x * y - w * z);
	r[2] = s * (x * z + w * y);
	r[3] = s * (x * y + w * z);
	r[4] = 1.0 - s * (x * x + z * z);
	r[5] = s * (y * z - w * x);
	r[6] = s * (x * z - w * y);
	r[7] = s * (y * z + w * x);
	r[8] = 1.0 - s * (x * x + y * y);
	for (int a = 0; a < 3; ++a)
	{
		t[a] = given[4 * a + 3] + (given[4 * a] - r[3 * a]) * center[0] +
		       (given[4 * a + 1] - r[3 * a + 1]) * center[1] + (given[4 * a + 2] - r[3 * a + 2]) * center[2];
		RoundLanes(t + a);
	}
	out->dual[0] = 0.5 * (w * t[0] + t[1] * z - t[2] * y);
	out->dual[1] = 0.5 * (w * t[1] + t[2] * x - t[0] * z);
	out->dual[2] = 0.5 * (w * t[2] + t[0] * y - t[1] * x);
	out->dual[3] = -0.5 * (t[0] * x + t[1] * y + t[2] * z);
}

// What remains of a matrix once its rotation is taken out, P = Q^T A, about the joint, less the identity: x goes to
// x + (P - 1) (x - center). By columns.
static void FillStage(const v8 given[12], const v8 q[9], const v8 center[3], int i, float columns[16])
{
	double p[3][3];
	for (int a = 0; a < 3; ++a)
	{
		for (int b = 0; b < 3; ++b)
		{
			p[a][b] = q[a][i] * given[b][i] + q[3 + a][i] * given[4 + b][i] + q[6 + a][i] * given[8 + b][i];
		}
	}
	for (int a = 0; a < 3; ++a)
	{
		double t = 0.0;
		for (int b = 0; b < 3; ++b)
		{
			double entry = 0.5 * (p[a][b] + p[b][a]) - (a == b ? 1.0 : 0.0);
			t -= entry * center[b][i];
			columns[4 * b + a] = (float)entry;
		}
		columns[12 + a] = (float)t;
	}
	columns[3] = columns[7] = columns[11] = columns[15] = 0.0f;
}

static void StoreJoint(const sgSkinView* view, uint32_t j, const JointLanes* lanes, int i)
{
	sgSkinJoint* joint = view->joints + j;
	for (int k = 0; k < 4; ++k)
	{
		joint->q[k] = (float)lanes->q[k][i];
		joint->dual[k] = (float)lanes->dual[k][i];
	}
	for (int a = 0; a < 3; ++a)
	{
		for (int b = 0; b < 3; ++b)
		{
			joint->matrix[a][b] = (float)lanes->rotation[3 * a + b][i];
		}
		joint->matrix[a][3] = (float)lanes->translation[a][i];
	}
	joint->padding[0] = joint->padding[1] = joint->padding[2] = 0.0f;
	if (view->isSpherical)
	{
		double* moments = view->moments[j].values;
		double t0 = lanes->translation[0][i], t1 = lanes->translation[1][i], t2 = lanes->translation[2][i];
		for (int k = 0; k < 9; ++k)
		{
			moments[k] = lanes->rotation[k][i];
		}
		moments[9] = t0;
		moments[10] = t1;
		moments[11] = t2;
		for (int k = 0; k < 3; ++k)
		{
			moments[12 + k] = moments[k] * t0 + moments[3 + k] * t1 + moments[6 + k] * t2;
		}
		moments[15] = t0 * t0 + t1 * t1 + t2 * t2;
	}
}

static sgJointsTaken TakeJoints(
    const sgSkinView* view, const float* const matrices[SG_LANES], uint32_t first, uint32_t count)
{
	v8 given[12], center[3], m[9];
	JointLanes lanes;
	sgJointsTaken taken = { .isFinite = 0 };
	for (uint32_t i = 0; i < SG_LANES; ++i)
	{
		bool isFinite = true;
		for (int k = 0; k < 12; ++k)
		{
			isFinite = isFinite && fabsf(matrices[i][k]) <= SNUG_MAX_COORDINATE;
		}
		taken.isFinite |= (uint32_t)isFinite << i;
		for (int k = 0; k < 12; ++k)
		{
			given[k][i] = isFinite ? (double)matrices[i][k] : 0.0;
		}
		const float* position = view->skin.jointPositions + 3 * (size_t)(i < count ? first + i : first);
		for (int k = 0; k < 3; ++k)
		{
			center[k][i] = (double)position[k];
		}
	}
	for (int k = 0; k < 9; ++k)
	{
		m[k] = given[4 * (k / 3) + k % 3];
	}
	taken.isGeneral = FindRotations(m, &taken.isTurn);
	MakeQuaternions(m, lanes.q);
	FillJoints(given, center, &lanes);
	for (uint32_t i = 0; i < count; ++i)
	{
		float* stage = view->stage + 16 * (size_t)(first + i);
		StoreJoint(view, first + i, &lanes, (int)i);
		view->joints[first + i].isStaged = taken.isGeneral >> i & 1;
		memset(stage, 0, 16 * sizeof(float));
		if ((taken.isGeneral >> i & 1) != 0)
		{
			FillStage(given, m, center, (int)i, stage);
		}
	}
	return taken;
}

// ---- Rotation centres --------------------------------------------------------------------------------------------

/// Rotation centres are drawn towards the mean of the joints' rest positions, so that they exist where rotations are
/// equal or share an axis, and stay near where they nearly do.
static const double centerDamping = 1e-2;

/// Of eight joint sets: sums of moments, how many joints, the mean of their rest positions; and what follows.
typedef struct SetLanes
{
	v8 sums[16], count, origin[3];
	v8 center[3], spread;
} SetLanes;

// The point r that the joints of a set carry to places as near to each other as can be: least squares of C_i r = C_j r
// over all pairs, damped. With R and t the means of rotations and translations, r = r0 + d, y_i = C_i r0 and y their
// mean, sums over pairs come down to
//     a = sum D^T D = n^2 (1 - R^T R),    b = sum D^T e = -n (n r0 + sum R_i^T t_i - n R^T y),
//     sum |e|^2 = n (n |r0|^2 + 2 r0 . sum R_i^T t_i + sum |t_i|^2 - n |y|^2),
// and what is left over pairs, sum |C_i r - C_j r|^2 = sum |e|^2 - 2 d . b + d . a d, is n times the sum of squared
// distances from the mean, of which one has at most (n - 1) / n: so no two are farther apart than
// 2 sqrt((n - 1) sum) / n.
static void SolveCenters(SetLanes* lanes)
{
	v8 n = lanes->count, inverse = 1.0 / n, r[9], y[3], b[3], a[6];
	const v8 *u = lanes->sums + 12, *r0 = lanes->origin;
	for (int k = 0; k < 9; ++k)
	{
		r[k] = lanes->sums[k] * inverse;
	}
	for (int k = 0; k < 3; ++k)
	{
		y[k] = r[3 * k] * r0[0] + r[3 * k + 1] * r0[1] + r[3 * k + 2] * r0[2] + lanes->sums[9 + k] * inverse;
	}
	for (int k = 0; k < 3; ++k)
	{
		b[k] = -n * (n * r0[k] + u[k] - n * (r[k] * y[0] + r[3 + k] * y[1] + r[6 + k] * y[2]));
	}
	FindSquare(r, a);
	for (int k = 0; k < 6; ++k)
	{
		a[k] = n * n * ((k == 0 || k == 3 || k == 5 ? 1.0 : 0.0) - a[k]);
	}
	// L D L^T of a + damping, which has no eigenvalue below the damping.
	v8 d0 = a[0] + centerDamping, l10 = a[1] / d0, l20 = a[2] / d0;
	v8 d1 = a[3] + centerDamping - l10 * a[1], l21 = (a[4] - l20 * a[1]) / d1;
	v8 d2 = a[5] + centerDamping - l20 * a[2] - l21 * l21 * d1;
	v8 z1 = b[1] - l10 * b[0], z2 = b[2] - l20 * b[0] - l21 * z1;
	v8 x2 = z2 / d2, x1 = z1 / d1 - l21 * x2, x0 = b[0] / d0 - l10 * x1 - l20 * x2;
	v8 r02 = r0[0] * r0[0] + r0[1] * r0[1] + r0[2] * r0[2], r0u = r0[0] * u[0] + r0[1] * u[1] + r0[2] * u[2];
	v8 left = n * (n * r02 + 2.0 * r0u + lanes->sums[15] - n * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]));
	left -= 2.0 * (x0 * b[0] + x1 * b[1] + x2 * b[2]);
	left += x0 * (a[0] * x0 + 2.0 * (a[1] * x1 + a[2] * x2)) + x1 * (a[3] * x1 + 2.0 * a[4] * x2) + a[5] * x2 * x2;
	lanes->center[0] = r0[0] + x0;
	lanes->center[1] = r0[1] + x1;
	lanes->center[2] = r0[2] + x2;
	v8 spread2 = 4.0 * (n - 1.0) * left * inverse * inverse;
	for (int i = 0; i < SG_LANES; ++i)
	{
		lanes->spread[i] = spread2[i] <= 0.0 ? 0.0 : sqrt(spread2[i]); // NaN stays
	}
}

// Sets of one joint need no centre, but have one: any will do. What rounding does to the spread is a matter of the
// pose's reach, which is known later: skin_pose.c adds it.
static void FindCenters(const sgSkinView* view)
{
	const sgSkin* skin = &view->skin;
	for (uint32_t first = 0; first < skin->header->setCount; first += SG_LANES)
	{
		SetLanes lanes;
		for (uint32_t i = 0; i < SG_LANES; ++i)
		{
			const sgSkinSet* set = skin->sets + (first + i < skin->header->setCount ? first + i : first);
			const uint16_t* members = skin->members + set->firstMember;
			const v8* values = (const v8*)(const void*)view->moments[members[0]].values;
			v8 low = values[0], high = values[1];
			for (uint32_t m = 1; m < set->memberCount; ++m)
			{
				values = (const v8*)(const void*)view->moments[members[m]].values;
				low += values[0];
				high += values[1];
			}
			for (int k = 0; k < 8; ++k)
			{
				lanes.sums[k][i] = low[k];
				lanes.sums[8 + k][i] = high[k];
			}
			lanes.count[i] = (double)set->memberCount;
			for (int k = 0; k < 3; ++k)
			{
				lanes.origin[k][i] = (double)set->origin[k];
			}
		}
		SolveCenters(&lanes);
		for (uint32_t i = 0; i < SG_LANES && first + i < skin->header->setCount; ++i)
		{
			float* center = view->centers + 4 * (size_t)(first + i);
			for (int k = 0; k < 3; ++k)
			{
				center[k] = (float)lanes.center[k][i];
			}
			center[3] = (float)lanes.spread[i];
		}
	}
}

#endif
