// src/deform/skin/kernels/turning_lanes.h: what poses of skins need in double, eight joints or joint sets at a time.
// Part of turning_kernels.c, which alone includes it.
//
// Sums, products, quotients and square roots of d8 alone, in the order that is written: every instruction set gives the
// same bits.
#ifndef SG_SKIN_LANES_H
#define SG_SKIN_LANES_H

#include "deform/skin/turning_kernels.h"
#include "simd/lanes.h"

#include <math.h>
#include <string.h>

/// x a + y b + z c, from left to right.
SG_INLINE d8 Dot(d8 x, d8 a, d8 y, d8 b, d8 z, d8 c)
{
	return d8_Add(d8_Add(d8_Mul(x, a), d8_Mul(y, b)), d8_Mul(z, c));
}

/// a b - c d
SG_INLINE d8 Minor(d8 a, d8 b, d8 c, d8 d)
{
	return d8_Sub(d8_Mul(a, b), d8_Mul(c, d));
}

// The largest of four expressions is four times the square of one component; what goes with it gives the others.
static void MakeQuaternions(const d8 m[9], d8 q[4])
{
	const d8 one = d8_Set(1.0), more = d8_Add(one, m[0]), less = d8_Sub(one, m[0]);
	d8 w4 = d8_Add(d8_Add(more, m[4]), m[8]), x4 = d8_Sub(d8_Sub(more, m[4]), m[8]);
	d8 y4 = d8_Sub(d8_Add(less, m[4]), m[8]), z4 = d8_Add(d8_Sub(less, m[4]), m[8]);
	d8 xy = d8_Add(m[1], m[3]), xz = d8_Add(m[2], m[6]), yz = d8_Add(m[5], m[7]);
	d8 wx = d8_Sub(m[7], m[5]), wy = d8_Sub(m[2], m[6]), wz = d8_Sub(m[3], m[1]);
	const d8 candidates[4][4] = { { wx, wy, wz, w4 }, { x4, xy, xz, wx }, { xy, y4, yz, wy }, { xz, yz, z4, wz } };
	const d8 squares[4] = { w4, x4, y4, z4 };
	d8 most = w4;
	memcpy(q, candidates[0], sizeof(candidates[0]));
	for (int c = 1; c < 4; ++c)
	{
		for (int k = 0; k < 4; ++k)
		{
			q[k] = d8_SelectGreater(squares[c], most, candidates[c][k], q[k]);
		}
		most = d8_SelectGreater(squares[c], most, squares[c], most);
	}
	d8 length = d8_Sqrt(d8_Add(Dot(q[0], q[0], q[1], q[1], q[2], q[2]), d8_Mul(q[3], q[3])));
	for (int k = 0; k < 4; ++k)
	{
		q[k] = d8_Div(q[k], length);
	}
}

/// m^T m, its six different entries: 00, 01, 02, 11, 12, 22.
SG_INLINE void FindSquare(const d8 m[9], d8 square[6])
{
	int entry = 0;
	for (int a = 0; a < 3; ++a)
	{
		for (int b = a; b < 3; ++b)
		{
			square[entry++] = Dot(m[a], m[b], m[3 + a], m[3 + b], m[6 + a], m[6 + b]);
		}
	}
}

/// How far m^T m is from the identity: the sum of the squares of its six different entries.
static d8 FindSkew2(const d8 m[9])
{
	d8 s[6];
	FindSquare(m, s);
	const d8 one = d8_Set(1.0);
	d8 a = d8_Sub(s[0], one), b = d8_Sub(s[3], one), c = d8_Sub(s[5], one), sum = Dot(a, a, b, b, c, c);
	return d8_Add(d8_Add(d8_Add(sum, d8_Mul(s[1], s[1])), d8_Mul(s[2], s[2])), d8_Mul(s[4], s[4]));
}

// m -> m (3 - m^T m) / 2, which squares how far m is from a rotation.
static void Orthonormalise(d8 m[9])
{
	d8 s[6];
	FindSquare(m, s);
	const d8 half = d8_Set(0.5), over = d8_Set(1.5), minus = d8_Set(-0.5);
	d8 d0 = d8_Sub(over, d8_Mul(half, s[0])), d1 = d8_Sub(over, d8_Mul(half, s[3]));
	d8 d2 = d8_Sub(over, d8_Mul(half, s[5]));
	d8 o01 = d8_Mul(minus, s[1]), o02 = d8_Mul(minus, s[2]), o12 = d8_Mul(minus, s[4]);
	for (int row = 0; row < 3; ++row)
	{
		d8 x = m[3 * row], y = m[3 * row + 1], z = m[3 * row + 2];
		m[3 * row] = Dot(x, d0, y, o01, z, o02);
		m[3 * row + 1] = Dot(x, o01, y, d1, z, o12);
		m[3 * row + 2] = Dot(x, o02, y, o12, z, d2);
	}
}

static d8 FindDeterminants(const d8 m[9])
{
	d8 sum = d8_Mul(m[0], Minor(m[4], m[8], m[5], m[7]));
	sum = d8_Sub(sum, d8_Mul(m[1], Minor(m[3], m[8], m[5], m[6])));
	return d8_Add(sum, d8_Mul(m[2], Minor(m[3], m[7], m[4], m[6])));
}

// One step of Newton's iteration for the rotation of a polar decomposition, m -> (s m + m^-T / s) / 2, with a scale s
// that balances the norms of the two.
static void Balance(d8 m[9], bool isScaled)
{
	d8 determinant = FindDeterminants(m), inverse[9], norm2 = d8_Set(0.0), other2 = d8_Set(0.0);
	for (int a = 0; a < 3; ++a)
	{
		int a1 = (a + 1) % 3, a2 = (a + 2) % 3;
		for (int b = 0; b < 3; ++b)
		{
			int b1 = (b + 1) % 3, b2 = (b + 2) % 3, k = 3 * a + b;
			d8 cofactor = Minor(m[3 * a1 + b1], m[3 * a2 + b2], m[3 * a1 + b2], m[3 * a2 + b1]);
			inverse[k] = d8_Div(cofactor, determinant);
			other2 = d8_Add(other2, d8_Mul(inverse[k], inverse[k]));
			norm2 = d8_Add(norm2, d8_Mul(m[k], m[k]));
		}
	}
	const d8 one = d8_Set(1.0), half = d8_Set(0.5);
	d8 scale = isScaled ? d8_Sqrt(d8_Sqrt(d8_Div(other2, norm2))) : one, back = d8_Div(one, scale);
	for (int k = 0; k < 9; ++k)
	{
		m[k] = d8_Mul(half, d8_Add(d8_Mul(scale, m[k]), d8_Mul(back, inverse[k])));
	}
}

/// Steps of Newton's iteration at most: from singular values a million apart it takes a dozen.
#define BALANCE_STEPS 16
/// Matrices nearer to a rotation than this are taken for one.
#define RIGID_SKEW2 0x1p-26
/// What must be left where a rotation was found.
#define TURN_SKEW2 1e-18

// The rotations of eight polar decompositions. Lanes that need no more steps take part in those of others, which
// changes nothing but last bits, and depends on the matrices alone. Returns lanes that scale or shear; `isTurn`: lanes
// that neither mirror nor flatten. Entries are finite and small enough for no sum to overflow; NaN comes from dividing
// by determinants, and is not worth waiting for.
static uint32_t FindRotations(d8 m[9], uint32_t* isTurn)
{
	uint32_t general = d8_GreaterBits(FindSkew2(m), d8_Set(RIGID_SKEW2)), far = general;
	*isTurn = d8_GreaterBits(FindDeterminants(m), d8_Set(0.0));
	for (int step = 0; step < BALANCE_STEPS && far != 0; ++step)
	{
		Balance(m, step < 8);
		far = d8_GreaterBits(FindSkew2(m), d8_Set(RIGID_SKEW2));
	}
	Orthonormalise(m);
	Orthonormalise(m);
	*isTurn &= d8_GreaterBits(d8_Set(TURN_SKEW2), FindSkew2(m));
	return general;
}

/// Rigid motions of eight joints as they are used, both rounded to float32.
typedef struct JointLanes
{
	d8 q[4];
	d8 translation[3];
} JointLanes;

// Rounded to float32. Through memory that the compiler does not see through: gcc 12 takes (double)(float)x for x where
// it vectorises (frame.h).
SG_INLINE d8 RoundLanes(d8 a)
{
	float rounded[SG_LANES] SG_ALIGN(32);
	f8_Store(rounded, d8_ToFloat(a));
	__asm__ volatile("" : : "r"(rounded) : "memory");
	return d8_FromFloat(f8_Load(rounded));
}

// The rotation of a quaternion of about unit length, by rows.
static void MakeRotations(const d8 q[4], d8 r[9])
{
	const d8 x = q[0], y = q[1], z = q[2], w = q[3], one = d8_Set(1.0);
	d8 xx = d8_Mul(x, x), yy = d8_Mul(y, y), zz = d8_Mul(z, z);
	d8 s = d8_Div(d8_Set(2.0), d8_Add(d8_Add(d8_Add(xx, yy), zz), d8_Mul(w, w)));
	d8 xy = d8_Mul(x, y), xz = d8_Mul(x, z), yz = d8_Mul(y, z);
	d8 wx = d8_Mul(w, x), wy = d8_Mul(w, y), wz = d8_Mul(w, z);
	r[0] = d8_Sub(one, d8_Mul(s, d8_Add(yy, zz)));
	r[1] = d8_Mul(s, d8_Sub(xy, wz));
	r[2] = d8_Mul(s, d8_Add(xz, wy));
	r[3] = d8_Mul(s, d8_Add(xy, wz));
	r[4] = d8_Sub(one, d8_Mul(s, d8_Add(xx, zz)));
	r[5] = d8_Mul(s, d8_Sub(yz, wx));
	r[6] = d8_Mul(s, d8_Sub(xz, wy));
	r[7] = d8_Mul(s, d8_Add(yz, wx));
	r[8] = d8_Sub(one, d8_Mul(s, d8_Add(xx, yy)));
}

// The rigid motion that turns by q and carries the joint's rest position to where its matrix does.
static void FillJoints(const d8 given[12], const d8 center[3], JointLanes* out)
{
	d8 rotation[9];
	for (int k = 0; k < 4; ++k)
	{
		out->q[k] = RoundLanes(out->q[k]);
	}
	MakeRotations(out->q, rotation);
	for (int a = 0; a < 3; ++a)
	{
		const d8 *g = given + 4 * a, *r = rotation + 3 * a;
		d8 sum = d8_Add(g[3], d8_Mul(d8_Sub(g[0], r[0]), center[0]));
		sum = d8_Add(sum, d8_Mul(d8_Sub(g[1], r[1]), center[1]));
		out->translation[a] = RoundLanes(d8_Add(sum, d8_Mul(d8_Sub(g[2], r[2]), center[2])));
	}
}

// What remains of a matrix once its rotation is taken out, P = Q^T A, about the joint, less the identity: x goes to
// x + (P - 1) (x - center). To the stages of joints from `first` on, of the lanes in `which`.
static void FillStages(sgTurningJoint* joints, const d8 given[12], const d8 q[9], const d8 center[3], uint32_t which)
{
	float values[9][SG_LANES] SG_ALIGN(32);
	d8 p[3][3];
	for (int a = 0; a < 3; ++a)
	{
		for (int b = 0; b < 3; ++b)
		{
			p[a][b] = Dot(q[a], given[b], q[3 + a], given[4 + b], q[6 + a], given[8 + b]);
		}
	}
	for (int a = 0; a < 3; ++a)
	{
		d8 t = d8_Set(0.0);
		for (int b = 0; b < 3; ++b)
		{
			d8 entry = d8_Sub(d8_Mul(d8_Set(0.5), d8_Add(p[a][b], p[b][a])), d8_Set(a == b ? 1.0 : 0.0));
			t = d8_Sub(t, d8_Mul(entry, center[b]));
			f8_Store(values[sgStagePlace[a][b]], d8_ToFloat(entry));
		}
		f8_Store(values[sgStagePlace[a][3]], d8_ToFloat(t));
	}
	for (; which != 0; which &= which - 1)
	{
		uint32_t i = sgLowestBit(which);
		for (int k = 0; k < 9; ++k)
		{
			joints[i].stage[k] = values[k][i];
		}
	}
}

// The first `count` lanes.
static void StoreJoints(const JointLanes* lanes, uint32_t count, sgTurningJoint* joints)
{
	float values[7][SG_LANES] SG_ALIGN(32);
	for (int k = 0; k < 4; ++k)
	{
		f8_Store(values[k], d8_ToFloat(lanes->q[k]));
	}
	for (int k = 0; k < 3; ++k)
	{
		f8_Store(values[4 + k], d8_ToFloat(lanes->translation[k]));
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		joints[i] = (sgTurningJoint){
			.q = { values[0][i], values[1][i], values[2][i], values[3][i] },
			.translation = { values[4][i], values[5][i], values[6][i] },
		};
	}
}

// Matrices and rest positions of eight joints; zeros for matrices that are not finite. Returns lanes that are.
static uint32_t LoadJoints(const sgTurningView* view, const float* const matrices[SG_LANES], uint32_t first,
    uint32_t count, d8 given[12], d8 center[3])
{
	float values[15][SG_LANES] SG_ALIGN(32);
	uint32_t finite = 0;
	for (uint32_t i = 0; i < SG_LANES; ++i)
	{
		bool isFinite = true;
		for (int k = 0; k < 12; ++k)
		{
			isFinite = isFinite && fabsf(matrices[i][k]) <= SNUG_MAX_COORDINATE;
		}
		finite |= (uint32_t)isFinite << i;
		for (int k = 0; k < 12; ++k)
		{
			values[k][i] = isFinite ? matrices[i][k] : 0.0f;
		}
		const float* position = view->skin->jointPositions + 3 * (size_t)(i < count ? first + i : first);
		for (int k = 0; k < 3; ++k)
		{
			values[12 + k][i] = position[k];
		}
	}
	for (int k = 0; k < 12; ++k)
	{
		given[k] = d8_FromFloat(f8_Load(values[k]));
	}
	for (int k = 0; k < 3; ++k)
	{
		center[k] = d8_FromFloat(f8_Load(values[12 + k]));
	}
	return finite;
}

static sgJointsTaken TakeJoints(
    const sgTurningView* view, const float* const matrices[SG_LANES], uint32_t first, uint32_t count)
{
	d8 given[12], center[3], m[9];
	JointLanes lanes;
	sgJointsTaken taken = { .isFinite = LoadJoints(view, matrices, first, count, given, center) };
	for (int k = 0; k < 9; ++k)
	{
		m[k] = given[4 * (k / 3) + k % 3];
	}
	taken.isGeneral = FindRotations(m, &taken.isTurn);
	MakeQuaternions(m, lanes.q);
	FillJoints(given, center, &lanes);
	StoreJoints(&lanes, count, view->joints + first);
	uint32_t staged = taken.isGeneral & ((1u << count) - 1);
	if (staged != 0)
	{
		FillStages(view->joints + first, given, m, center, staged);
	}
	return taken;
}

// ---- Joints in motion --------------------------------------------------------------------------------------------

/// Eight joints as bounds and dual quaternions need them.
typedef struct MotionLanes
{
	d8 q[4], translation[3], rotation[9];
} MotionLanes;

// Eight joints from `first` on; the last one again where there are no more.
static void LoadMotions(const sgTurningView* view, uint32_t first, MotionLanes* out)
{
	float values[8][SG_LANES] SG_ALIGN(32);
	uint32_t count = view->skin->blend.header->transformCount;
	for (uint32_t i = 0; i < SG_LANES; ++i)
	{
		const sgTurningJoint* joint = view->joints + (first + i < count ? first + i : count - 1);
		for (int k = 0; k < 4; ++k)
		{
			values[k][i] = joint->q[k];
		}
		for (int k = 0; k < 3; ++k)
		{
			values[4 + k][i] = joint->translation[k];
		}
	}
	for (int k = 0; k < 4; ++k)
	{
		out->q[k] = d8_FromFloat(f8_Load(values[k]));
	}
	for (int k = 0; k < 3; ++k)
	{
		out->translation[k] = d8_FromFloat(f8_Load(values[4 + k]));
	}
	MakeRotations(out->q, out->rotation);
}

static void StoreMoments(const MotionLanes* lanes, uint32_t count, sgTurningMoments* moments)
{
	double values[16][SG_LANES] SG_ALIGN(64);
	const d8 *r = lanes->rotation, *t = lanes->translation;
	for (int k = 0; k < 9; ++k)
	{
		d8_Store(values[k], r[k]);
	}
	for (int k = 0; k < 3; ++k)
	{
		d8_Store(values[9 + k], t[k]);
		d8_Store(values[12 + k], Dot(r[k], t[0], r[3 + k], t[1], r[6 + k], t[2]));
	}
	d8_Store(values[15], d8_Set(0.0));
	for (uint32_t i = 0; i < count; ++i)
	{
		for (int k = 0; k < 16; ++k)
		{
			moments[i].values[k] = values[k][i];
		}
	}
}

// Joints as pairs of themselves.
static void StoreOwnPairs(const sgTurningView* view, const MotionLanes* lanes, uint32_t first, uint32_t count)
{
	float values[12][SG_LANES] SG_ALIGN(32);
	for (int k = 0; k < 9; ++k)
	{
		f8_Store(values[k], d8_ToFloat(lanes->rotation[3 * (k % 3) + k / 3]));
	}
	for (int k = 0; k < 3; ++k)
	{
		f8_Store(values[9 + k], d8_ToFloat(lanes->translation[k]));
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		if (view->ownPairs[first + i] == SG_NO_PAIR)
		{
			continue;
		}
		sgTurningPairPose* own = view->pairs + view->ownPairs[first + i];
		for (int k = 0; k < 9; ++k)
		{
			own->columns[k / 3][k % 3] = values[k][i];
		}
		for (int k = 0; k < 3; ++k)
		{
			own->lower[k] = own->upper[k] = values[9 + k][i];
		}
		own->cosine = 1.0f;
	}
}

// Half of t q.
static void StoreDuals(const MotionLanes* lanes, uint32_t count, float* duals)
{
	float values[4][SG_LANES] SG_ALIGN(32);
	const d8 x = lanes->q[0], y = lanes->q[1], z = lanes->q[2], w = lanes->q[3], *t = lanes->translation;
	const d8 half = d8_Set(0.5);
	d8 dual[4] = {
		d8_Mul(half, d8_Sub(d8_Add(d8_Mul(w, t[0]), d8_Mul(t[1], z)), d8_Mul(t[2], y))),
		d8_Mul(half, d8_Sub(d8_Add(d8_Mul(w, t[1]), d8_Mul(t[2], x)), d8_Mul(t[0], z))),
		d8_Mul(half, d8_Sub(d8_Add(d8_Mul(w, t[2]), d8_Mul(t[0], y)), d8_Mul(t[1], x))),
		d8_Mul(d8_Set(-0.5), Dot(t[0], x, t[1], y, t[2], z)),
	};
	for (int k = 0; k < 4; ++k)
	{
		f8_Store(values[k], d8_ToFloat(dual[k]));
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		for (int k = 0; k < 4; ++k)
		{
			duals[4 * i + (uint32_t)k] = values[k][i];
		}
	}
}

static void MoveJoints(const sgTurningView* view)
{
	uint32_t jointCount = view->skin->blend.header->transformCount;
	for (uint32_t first = 0; first < jointCount; first += SG_LANES)
	{
		MotionLanes lanes;
		uint32_t count = jointCount - first < SG_LANES ? jointCount - first : SG_LANES;
		LoadMotions(view, first, &lanes);
		StoreOwnPairs(view, &lanes, first, count);
		if (!view->isSpherical)
		{
			StoreDuals(&lanes, count, view->duals + 4 * (size_t)first);
		}
	}
}

// ---- Rotation centres --------------------------------------------------------------------------------------------

/// Of eight joint sets: sums of moments, how many joints, the mean of their rest positions; and what follows.
typedef struct SetLanes
{
	d8 sums[16], count, origin[3];
	d8 center[3];
} SetLanes;

// x of (a + damping) x = b, by L D L^T: it has no eigenvalue below the damping.
SG_INLINE void SolveDamped(const d8 a[6], const d8 b[3], d8 damping, d8 x[3])
{
	d8 d0 = d8_Add(a[0], damping), l10 = d8_Div(a[1], d0), l20 = d8_Div(a[2], d0);
	d8 d1 = d8_Sub(d8_Add(a[3], damping), d8_Mul(l10, a[1]));
	d8 l21 = d8_Div(d8_Sub(a[4], d8_Mul(l20, a[1])), d1);
	d8 d2 = d8_Sub(d8_Add(a[5], damping), d8_Mul(l20, a[2]));
	d2 = d8_Sub(d2, d8_Mul(d8_Mul(l21, l21), d1));
	d8 z1 = d8_Sub(b[1], d8_Mul(l10, b[0]));
	d8 z2 = d8_Sub(d8_Sub(b[2], d8_Mul(l20, b[0])), d8_Mul(l21, z1));
	x[2] = d8_Div(z2, d2);
	x[1] = d8_Sub(d8_Div(z1, d1), d8_Mul(l21, x[2]));
	x[0] = d8_Sub(d8_Sub(d8_Div(b[0], d0), d8_Mul(l10, x[1])), d8_Mul(l20, x[2]));
}

// The point r that the joints of a set carry to places as near to each other as can be: least squares of C_i r = C_j r
// over all pairs, damped. With R and t the means of rotations and translations, r = r0 + d, y_i = C_i r0 and y their
// mean, sums over pairs come down to
//     a = sum D^T D = n^2 (1 - R^T R),    b = sum D^T e = -n (n r0 + sum R_i^T t_i - n R^T y).
static void SolveCenters(SetLanes* lanes)
{
	d8 n = lanes->count, inverse = d8_Div(d8_Set(1.0), n), r[9], y[3], b[3], a[6], x[3];
	const d8 *u = lanes->sums + 12, *r0 = lanes->origin;
	for (int k = 0; k < 9; ++k)
	{
		r[k] = d8_Mul(lanes->sums[k], inverse);
	}
	for (int k = 0; k < 3; ++k)
	{
		d8 turned = Dot(r[3 * k], r0[0], r[3 * k + 1], r0[1], r[3 * k + 2], r0[2]);
		y[k] = d8_Add(turned, d8_Mul(lanes->sums[9 + k], inverse));
	}
	for (int k = 0; k < 3; ++k)
	{
		d8 back = d8_Mul(n, Dot(r[k], y[0], r[3 + k], y[1], r[6 + k], y[2]));
		b[k] = d8_Mul(d8_Mul(d8_Set(-1.0), n), d8_Sub(d8_Add(d8_Mul(n, r0[k]), u[k]), back));
	}
	FindSquare(r, a);
	for (int k = 0; k < 6; ++k)
	{
		d8 identity = d8_Set(k == 0 || k == 3 || k == 5 ? 1.0 : 0.0);
		a[k] = d8_Mul(d8_Mul(n, n), d8_Sub(identity, a[k]));
	}
	SolveDamped(a, b, d8_Set(SG_CENTER_DAMPING), x);
	for (int k = 0; k < 3; ++k)
	{
		lanes->center[k] = d8_Add(r0[k], x[k]);
	}
}

// Sums over the joints of eight sets from `first` on; the first set again where there are no more.
static void LoadSets(const sgTurningView* view, uint32_t first, SetLanes* lanes)
{
	const sgTurning* skin = view->skin;
	double values[20][SG_LANES] SG_ALIGN(64), sums[16] SG_ALIGN(64);
	for (uint32_t i = 0; i < SG_LANES; ++i)
	{
		const sgTurningSet* set = skin->sets + (first + i < skin->header->setCount ? first + i : first);
		const uint16_t* members = skin->members + set->firstMember;
		const double* moments = view->moments[members[0]].values;
		d8 low = d8_Load(moments), high = d8_Load(moments + 8);
		for (uint32_t m = 1; m < set->memberCount; ++m)
		{
			moments = view->moments[members[m]].values;
			low = d8_Add(low, d8_Load(moments));
			high = d8_Add(high, d8_Load(moments + 8));
		}
		d8_Store(sums, low);
		d8_Store(sums + 8, high);
		for (int k = 0; k < 16; ++k)
		{
			values[k][i] = sums[k];
		}
		values[16][i] = (double)set->memberCount;
		for (int k = 0; k < 3; ++k)
		{
			values[17 + k][i] = (double)set->origin[k];
		}
	}
	for (int k = 0; k < 16; ++k)
	{
		lanes->sums[k] = d8_Load(values[k]);
	}
	lanes->count = d8_Load(values[16]);
	for (int k = 0; k < 3; ++k)
	{
		lanes->origin[k] = d8_Load(values[17 + k]);
	}
}

// Sets of one joint need no centre, but have one: any will do.
static void FindCenters(const sgTurningView* view)
{
	uint32_t setCount = view->skin->header->setCount, jointCount = view->skin->blend.header->transformCount;
	for (uint32_t first = 0; first < jointCount; first += SG_LANES)
	{
		MotionLanes lanes;
		LoadMotions(view, first, &lanes);
		StoreMoments(&lanes, jointCount - first < SG_LANES ? jointCount - first : SG_LANES, view->moments + first);
	}
	for (uint32_t first = 0; first < setCount; first += SG_LANES)
	{
		SetLanes lanes;
		float points[3 * SG_LANES + 1];
		uint32_t count = setCount - first < SG_LANES ? setCount - first : SG_LANES;
		LoadSets(view, first, &lanes);
		SolveCenters(&lanes);
		f8_StorePoints(points, d8_ToFloat(lanes.center[0]), d8_ToFloat(lanes.center[1]), d8_ToFloat(lanes.center[2]));
		memcpy(view->centers + 3 * (size_t)first, points, 3 * (size_t)count * sizeof(float));
	}
}

#endif
