// src/deform/skin/kernels/turning_motion.h: how far vertices go from one pose to the next. Part of turning_kernels.c,
// which alone includes it; docs/bounds/motion.md for why.
#ifndef SG_TURNING_MOTION_H
#define SG_TURNING_MOTION_H

#include "deform/skin/turning_kernels.h"
#include "geometry/margins.h"
#include "simd/lanes.h"

#include <math.h>

/// Three lanes of four, and a number beside them.
typedef struct Column
{
	float at[3];
	float beside;
} SG_ALIGN(16) Column;

/// What a joint does from one pose to the next, in the place of sgTurningMoments. Beside the columns of `change`: how
/// far the quaternion goes, then the half extents of what the joint moves. Beside those of `place`: the sign of q . q'
/// and, once signs have been compared, the least cosine with any joint that is its pivot, or whose pivot it is; then
/// the centre of what it moves.
typedef struct JointMotion
{
	Column change[4]; ///< columns of C' - C
	Column place[4];  ///< columns of C'
} JointMotion;
_Static_assert(sizeof(JointMotion) == sizeof(sgTurningMoments), "in the same place");

// The columns of a joint's motion, in float32: entries are off by a few 2^-24.
static void GetColumns(const sgTurningJoint* joint, Column out[4])
{
	float x = joint->q[0], y = joint->q[1], z = joint->q[2], w = joint->q[3];
	const float columns[4][3] = {
		{ 1.0f - 2.0f * (y * y + z * z), 2.0f * (x * y + w * z), 2.0f * (x * z - w * y) },
		{ 2.0f * (x * y - w * z), 1.0f - 2.0f * (x * x + z * z), 2.0f * (y * z + w * x) },
		{ 2.0f * (x * z + w * y), 2.0f * (y * z - w * x), 1.0f - 2.0f * (x * x + y * y) },
		{ joint->translation[0], joint->translation[1], joint->translation[2] },
	};
	for (int c = 0; c < 4; ++c)
	{
		out[c] = (Column){ { columns[c][0], columns[c][1], columns[c][2] }, 0.0f };
	}
}

static void CompareJoint(const sgTurningJoint* before, const sgTurningJoint* after, JointMotion* out)
{
	Column old[4];
	GetColumns(before, old);
	GetColumns(after, out->place);
	f4 product = f4_Load(before->q) * f4_Load(after->q);
	float sign = (product[0] + product[1]) + (product[2] + product[3]) < 0.0f ? -1.0f : 1.0f;
	f4 apart = f4_Load(after->q) - f4_Set(sign) * f4_Load(before->q), square = apart * apart;
	for (int c = 0; c < 4; ++c)
	{
		f4_Store(out->change[c].at, f4_Load(out->place[c].at) - f4_Load(old[c].at));
	}
	out->change[0].beside = sqrtf((square[0] + square[1]) + (square[2] + square[3]));
	out->place[0].beside = sign;
}

SG_INLINE f4 Apply(const Column columns[4], const float p[3])
{
	f4 sum = f4_Set(p[0]) * f4_Load(columns[0].at) + f4_Load(columns[3].at);
	return f4_Set(p[2]) * f4_Load(columns[2].at) + (f4_Set(p[1]) * f4_Load(columns[1].at) + sum);
}

/// More than squares of lengths lose below what float32 can hold.
#define LOST_LENGTH 0x1p-60f

SG_INLINE float LengthSquared(f4 a)
{
	f4 square = a * a;
	return (square[0] + square[1]) + square[2];
}

// What a joint does to what it moves, for vertices whose joints turn as one, in both poses.
static float BoundJointMotion(const JointMotion* joint, float reach)
{
	const float center[3] = { joint->place[1].beside, joint->place[2].beside, joint->place[3].beside };
	const f4 half = { joint->change[1].beside, joint->change[2].beside, joint->change[3].beside, 0.0f };
	const float unit = (float)SG_MARGIN_TURNED_MOTION * 0x1p-24f;
	return sqrtf(LengthSquared(Apply(joint->change, center))) +
	       2.0f * joint->change[0].beside * sqrtf(LengthSquared(half)) + 2.0f * unit * reach + LOST_LENGTH;
}

// The greater of two. Where a square overflows, zero times infinity may make the second NaN: then so is the result,
// which is below no limit, and it stays NaN. fmaxf would drop it.
SG_INLINE float MostOf(float most, float other)
{
	return other <= most ? most : other;
}

// What all joints do; the most of it, or `limit` if it is more.
static float CompareJoints(
    const sgTurningView* view, const sgTurningJoint* before, float reach, float limit, JointMotion* out)
{
	const sgLinear* blend = &view->skin->blend;
	float most = 0.0f;
	for (uint32_t i = 0; i < blend->header->transformCount && most < limit; ++i)
	{
		uint32_t j = blend->across[i], lane = i % SG_LANES;
		const sgLinearMoved* moved = blend->moved + i / SG_LANES;
		CompareJoint(before + j, view->joints + j, out + j);
		for (int k = 0; k < 3; ++k)
		{
			out[j].change[1 + k].beside = moved->half[k].lane[lane];
			out[j].place[1 + k].beside = moved->center[k].lane[lane];
		}
		most = MostOf(most, BoundJointMotion(out + j, reach));
	}
	return most < limit ? most : limit;
}

// The least cosine of each joint with any of its pivots, or with any joint whose pivot it is, in the new pose. False if
// some of them changed their signs and others did not.
static bool CompareTurns(const sgTurningView* view, JointMotion* joints)
{
	const sgTurning* skin = view->skin;
	for (uint32_t e = 0; e < skin->header->edgeCount; ++e)
	{
		if (joints[skin->edges[e].first].place[0].beside != joints[skin->edges[e].second].place[0].beside)
		{
			return false;
		}
	}
	for (uint32_t j = 0; j < skin->blend.header->transformCount; ++j)
	{
		joints[j].place[0].beside = 1.0f;
	}
	for (uint32_t e = 0; e < skin->header->edgeCount; ++e)
	{
		sgTurningPair edge = skin->edges[e];
		f4 product = f4_Load(view->joints[edge.first].q) * f4_Load(view->joints[edge.second].q);
		float cosine = (product[0] + product[1]) + (product[2] + product[3]);
		float *first = &joints[edge.first].place[0].beside, *second = &joints[edge.second].place[0].beside;
		*first = cosine < *first ? cosine : *first;
		*second = cosine < *second ? cosine : *second;
	}
	return true;
}

/// A joint set from one pose to the next.
typedef struct SetMotion
{
	float change; ///< the most that any joint moves the point that the set turns about
	float spread; ///< how far apart joints carry it from the pivot, in the new pose; of dual quaternions
	float turn;   ///< the most that a quaternion changes
	float cosine; ///< the least of any with the pivot's, in the new pose
	float arm;    ///< no vertex is farther from that point
} SetMotion;

static SetMotion CompareSet(
    const sgTurningView* view, const JointMotion* joints, const sgTurningSet* set, const float about[3])
{
	const uint16_t* members = view->skin->members + set->firstMember;
	const JointMotion* pivot = joints + members[set->pivot];
	SetMotion out = { .cosine = pivot->place[0].beside };
	float change2 = 0.0f, spread2 = 0.0f, arm2 = 0.0f;
	for (uint32_t i = 0; i < set->memberCount; ++i)
	{
		const JointMotion* joint = joints + members[i];
		float own2 = LengthSquared(Apply(joint->change, about)), turn = joint->change[0].beside;
		change2 = own2 > change2 ? own2 : change2;
		out.turn = turn > out.turn ? turn : out.turn;
	}
	for (uint32_t i = 0; i < set->memberCount && !view->isSpherical; ++i)
	{
		float apart2 = LengthSquared(Apply(joints[members[i]].place, about) - Apply(pivot->place, about));
		spread2 = apart2 > spread2 ? apart2 : spread2;
	}
	for (int k = 0; k < 3; ++k)
	{
		float along = fabsf(about[k] - pivot->place[1 + k].beside) + pivot->change[1 + k].beside;
		arm2 += along * along;
	}
	out.change = sqrtf(change2);
	out.spread = sqrtf(spread2);
	out.arm = sqrtf(arm2);
	return out;
}

/// Sets whose quaternions are farther from the pivot's, or change by more, are not bounded.
#define LEAST_TURN_COSINE 0.375f
#define MOST_TURN_CHANGE 0.125f

// What rounding may do to numbers of a set: to entries of matrices, to quaternions, to sums of a few of them.
static void RoundUp(SetMotion* m, float reach)
{
	const float unit = (float)SG_MARGIN_TURNED_MOTION * 0x1p-24f;
	m->turn += unit;
	m->cosine -= unit;
	m->change += unit * reach + LOST_LENGTH;
	m->spread += unit * reach + LOST_LENGTH;
	m->arm += unit * reach + LOST_LENGTH;
}

// Vertices of a set whose rotation centre goes from `old` to `center`.
static float BoundSetMotion(const sgTurningView* view, const JointMotion* joints, const sgTurningSet* set,
    const float old[3], const float center[3], float reach)
{
	SetMotion m = CompareSet(view, joints, set, old);
	RoundUp(&m, reach);
	if (!(m.cosine > LEAST_TURN_COSINE) || !(m.turn < MOST_TURN_CHANGE))
	{
		return INFINITY;
	}
	float length = m.cosine, away = set->memberCount == 2 ? 0.5f * (1.0f - length) : 1.0f - length * length;
	float motion = 2.0f * m.turn / (length - 0.5f * m.turn) * m.arm + m.change;
	if (view->isSpherical)
	{
		f4 apart = { center[0] - old[0], center[1] - old[1], center[2] - old[2], 0.0f };
		return motion + 2.0f * away * (sqrtf(LengthSquared(apart)) + LOST_LENGTH);
	}
	float sine = 2.0f * sqrtf(1.0f - length * length), spread = m.spread + 2.0f * m.change;
	float before = length - m.turn, inverse = 1.0f / (length * length);
	float parts = m.change * ((sine < 1.0f ? sine : 1.0f) + 4.0f * (1.0f - length * length)) + 6.0f * spread * m.turn;
	return motion + inverse * (parts + 10.0f * spread * m.turn / (before * before));
}

/// Joints whose quaternions are no farther apart, in every component, turn as one.
#define ALIKE 0x1p-17f

static bool AreAlike(const sgTurningJoint* a, const sgTurningJoint* b)
{
	f4 apart = f4_Load(a->q) - f4_Load(b->q), sizes = f4_Max(apart, -apart);
	return sizes[0] < ALIKE && sizes[1] < ALIKE && sizes[2] < ALIKE && sizes[3] < ALIKE;
}

// Which joints turn as one: those that links join to one that is turned alike have its number.
// @param before nullable: joints of another pose in which they are to turn as one too
static void NumberTurns(const sgTurningView* view, const sgTurningJoint* before)
{
	const sgTurning* skin = view->skin;
	for (uint32_t j = 0; j < skin->blend.header->transformCount; ++j)
	{
		view->turns[j] = (uint16_t)j;
	}
	for (uint32_t e = 0; e < skin->header->linkCount; ++e)
	{
		uint16_t first = view->turns[skin->edges[e].first], second = skin->edges[e].second;
		if (AreAlike(view->joints + first, view->joints + second) &&
		    (before == NULL || AreAlike(before + first, before + second)))
		{
			view->turns[second] = first;
		}
	}
}

static bool TurnAsOne(const sgTurningView* view, const uint16_t* members, uint32_t count)
{
	bool isOne = view->pose->isAligned != 0;
	for (uint32_t i = 1; i < count && isOne; ++i)
	{
		isOne = view->turns[members[i]] == view->turns[members[0]];
	}
	return isOne;
}

static double FindMotion(
    const sgTurningView* view, const sgTurningPose* before, const float* centers, float reach, float limit)
{
	const sgTurning* skin = view->skin;
	const sgTurningJoint* old = (const sgTurningJoint*)(const void*)(before + 1);
	JointMotion* joints = (JointMotion*)(void*)view->moments;
	float both = reach + view->reach, most = CompareJoints(view, old, both, limit, joints);
	if (!(most < limit) || !CompareTurns(view, joints))
	{
		return (double)both;
	}
	NumberTurns(view, old);
	for (uint32_t s = 0; s < skin->header->setCount && most < limit; ++s)
	{
		const sgTurningSet* set = skin->sets + s;
		if (!TurnAsOne(view, skin->members + set->firstMember, set->memberCount))
		{
			const float* from = view->isSpherical ? centers + 3 * (size_t)s : set->origin;
			const float* to = view->isSpherical ? view->centers + 3 * (size_t)s : set->origin;
			most = MostOf(most, BoundSetMotion(view, joints, set, from, to, both));
		}
	}
	if (!(most < limit))
	{
		return (double)both;
	}
	// Both positions are rounded.
	double least = fmin((double)before->leastLength2, (double)view->pose->leastLength2);
	double roundings = 0.5 * SG_MARGIN_TURNS(skin->blend.header->rows.most) / least;
	return (double)most * (1.0 + 0x1p-10) + SG_MARGIN_SQUARES * roundings * 0x1p-24 * (double)both;
}

#endif
