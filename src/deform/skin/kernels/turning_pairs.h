// src/deform/skin/kernels/turning_pairs.h: what a pose says of pairs of joints and of joint sets, made when a query
// first needs it. Part of turning_kernels.c, which alone includes it.
#ifndef SG_TURNING_PAIRS_H
#define SG_TURNING_PAIRS_H

#include "deform/skin/kernels/turning_motion.h"
#include "deform/skin/kernels/turning_program.h"
#include "deform/skin/turning_kernels.h"

#include <math.h>
#include <string.h>

// Lanes x y z of a x b; the fourth is not used.
SG_INLINE f4 Cross4(f4 a, f4 b)
{
	f4 turned = a * SG_SHUFFLE(b, b, 1, 2, 0, 3) - SG_SHUFFLE(a, a, 1, 2, 0, 3) * b;
	return SG_SHUFFLE(turned, turned, 1, 2, 0, 3);
}

// Three of four lanes. What follows them is overwritten later: members are filled in from front to back.
SG_INLINE void StoreThree(float* out, f4 a)
{
	f4_Store(out, a);
}

/// Of pairs on whose sign joint sets disagree: beyond SG_DISPUTED.
static const float noCosine = -0x1p10f;

// q_i conj(q_j) = (cosine, e), with the sign of the pair; half of e.
SG_INLINE f4 TurnBetween(const sgTurningView* view, uint32_t p, float* cosine)
{
	sgTurningPair pair = view->skin->pairs[p];
	f4 i = f4_Load(view->joints[pair.first].q), j = f4_Load(view->joints[pair.second].q), product = i * j;
	f4 e = (f4_Set(j[3]) * i - f4_Set(i[3]) * j) - Cross4(i, j);
	float dot = ((product[0] + product[1]) + product[2]) + product[3], half = 0.5f;
	if (!view->pose->isAligned)
	{
		int8_t sign = view->pairSigns[p];
		half = sign == sgPairSign_minus ? -0.5f : 0.5f;
		dot = sign == sgPairSign_disputed ? noCosine : sign == sgPairSign_minus ? -dot : dot;
	}
	*cosine = dot < 1.0f ? dot : 1.0f;
	return f4_Set(half) * e;
}

// M v = cosine (C_i v + C_j v) / 2 + (C_i v - C_j v) x e / 2, its columns; `below` and `above` are added to the
// translation.
static void FinishPair(const sgTurningView* view, uint32_t p, f4 e, f4 below, f4 above)
{
	sgTurningPair joints = view->skin->pairs[p];
	sgTurningPairPose* out = view->pairs + p;
	const sgTurningPairPose *a = view->pairs + view->ownPairs[joints.first],
	                        *b = view->pairs + view->ownPairs[joints.second];
	float cosine = out->cosine;
	f4 half = f4_Set(0.5f * cosine);
	for (int c = 0; c < 4; ++c)
	{
		f4 x = f4_Load(c < 3 ? a->columns[c] : a->lower), y = f4_Load(c < 3 ? b->columns[c] : b->lower);
		f4 column = half * (x + y) + Cross4(x - y, e);
		if (c < 3)
		{
			StoreThree(out->columns[c], column);
		}
		else
		{
			StoreThree(out->lower, column + below);
			StoreThree(out->upper, column + above);
		}
	}
	out->cosine = cosine;
}

// C_i r of one joint.
SG_INLINE f4 MovePoint(const sgTurningPairPose* own, const float r[3])
{
	f4 sum = f4_Set(r[0]) * f4_Load(own->columns[0]) + f4_Load(own->lower);
	return f4_Set(r[2]) * f4_Load(own->columns[2]) + (f4_Set(r[1]) * f4_Load(own->columns[1]) + sum);
}

/// A pair while rotation centres are taken into account, in the place of sgTurningPairPose: what is known of its turn,
/// and by how much the joint sets that it is part of move its translation, at least and at most; z x y, as Cross4
/// leaves them before its last step.
typedef struct PairDraft
{
	float turn[3]; ///< e / 2
	float away;    ///< 1 - cosine
	float next[3]; ///< e / 2 as y z x
	float cosine;
	float lower[4];
	float upper[4];
} SG_ALIGN(16) PairDraft;
_Static_assert(sizeof(PairDraft) == sizeof(sgTurningPairPose), "in the same place");

// Of joints that turn as one, whatever the joint set: no g is farther from another than the reach.
SG_INLINE void BeginDraft(PairDraft* pair, f4 e, float cosine, bool isStiff, float reach)
{
	const f4 sizes = f4_Max(e, -e);
	float away = 1.0f - cosine, most = reach * (sizes[0] + sizes[1] + sizes[2] + away);
	f4 far = f4_Set(isStiff ? most : -INFINITY);
	f4_Store(pair->turn, e);
	f4_Store(pair->next, SG_SHUFFLE(e, e, 1, 2, 0, 3));
	f4_Store(pair->lower, -far);
	f4_Store(pair->upper, far);
	pair->away = away;
	pair->cosine = cosine;
}

// How a joint set's rotation centre moves the images of its pairs: by -(g_i - g_j) x e / 2, and by no more than
// (1 - cosine) ((g_i + g_j) / 2 - g) for a blend g of all g_k, which is in their box. So all joint sets of a pair are
// between its least and greatest translations.
static void AddCenter(const sgTurningView* view, uint32_t s)
{
	const sgTurningSet* set = view->skin->sets + s;
	const uint16_t *members = view->skin->members + set->firstMember, *pairs = view->skin->setPairs + set->firstPair;
	PairDraft* drafts = (PairDraft*)(void*)view->pairs;
	if (TurnAsOne(view, members, set->memberCount))
	{
		return;
	}
	f4 places[SG_PAIR_INFLUENCES], halves[SG_PAIR_INFLUENCES], least = f4_Set(INFINITY), most = -least;
	for (uint32_t i = 0; i < set->memberCount; ++i)
	{
		places[i] = MovePoint(view->pairs + view->ownPairs[members[i]], view->centers + 3 * (size_t)s);
		f4 turned = SG_SHUFFLE(places[i], places[i], 2, 0, 1, 3);
		halves[i] = f4_Set(0.5f) * turned;
		least = f4_Min(turned, least);
		most = f4_Max(turned, most);
	}
	for (uint32_t i = 0; i + 1 < set->memberCount; ++i)
	{
		f4 below = halves[i] - most, above = halves[i] - least;
		for (uint32_t j = i + 1; j < set->memberCount; ++j)
		{
			PairDraft* pair = drafts + *pairs++;
			f4 between = places[j] - places[i], away = f4_Set(pair->away);
			f4 shift = between * f4_Load(pair->next) - SG_SHUFFLE(between, between, 1, 2, 0, 3) * f4_Load(pair->turn);
			f4_Store(pair->lower, f4_Min(shift + away * (halves[j] + below), f4_Load(pair->lower)));
			f4_Store(pair->upper, f4_Max(shift + away * (halves[j] + above), f4_Load(pair->upper)));
		}
	}
}

// What rounding may do to that, of the reach: places are off by 5 u, shifts by the sine and what is made of 1 - cosine.
SG_INLINE float CenterError(const PairDraft* pair, float reach)
{
	const float* e = pair->turn;
	float size = fabsf(e[0]) + fabsf(e[1]) + fabsf(e[2]) + pair->away + 0.25f;
	return (float)SG_MARGIN_CENTERS * 0x1p-24f * reach * size;
}

static void FinishDraft(const sgTurningView* view, uint32_t p)
{
	const PairDraft* pair = (const PairDraft*)(const void*)(view->pairs + p);
	f4 e = f4_Load(pair->turn), below = f4_Load(pair->lower), above = f4_Load(pair->upper);
	f4 error = f4_Set(CenterError(pair, view->reach));
	below = SG_SHUFFLE(below, below, 1, 2, 0, 3) - error;
	above = SG_SHUFFLE(above, above, 1, 2, 0, 3) + error;
	view->pairs[p].cosine = pair->cosine;
	FinishPair(view, p, e, below, above);
}

static void MakePairs(const sgTurningView* view)
{
	const sgTurning* skin = view->skin;
	const f4 zero = f4_Set(0.0f);
	MoveJoints(view);
	if (view->isSpherical && view->pose->isAligned)
	{
		NumberTurns(view, NULL);
	}
	for (uint32_t p = 0; p < skin->header->pairCount; ++p)
	{
		if (skin->pairs[p].first == skin->pairs[p].second)
		{
			continue;
		}
		float cosine;
		f4 e = TurnBetween(view, p, &cosine);
		if (view->isSpherical)
		{
			bool isStiff = TurnAsOne(view, &skin->pairs[p].first, 2);
			BeginDraft((PairDraft*)(void*)(view->pairs + p), e, cosine, isStiff, view->reach);
			continue;
		}
		view->pairs[p].cosine = cosine;
		FinishPair(view, p, e, zero, zero);
	}
	if (!view->isSpherical || skin->header->pairCount == 0)
	{
		return;
	}
	for (uint32_t s = 0; s < skin->header->setCount; ++s)
	{
		AddCenter(view, s);
	}
	for (uint32_t p = 0; p < skin->header->pairCount; ++p)
	{
		if (skin->pairs[p].first != skin->pairs[p].second)
		{
			FinishDraft(view, p);
		}
	}
}

#endif
