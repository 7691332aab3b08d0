// src/deform/skin/turning_kernels.c: see turning_kernels.h; docs/bounds.md for why these are bounds.
#include "deform/skin/turning_kernels.h"

#include "deform/fields/sums.h"
#include "deform/skin/turning_alone.h"
#include "deform/skin/turning_lanes.h"
#include "deform/skin/turning_motion.h"
#include "deform/skin/turning_order.h"
#include "deform/skin/turning_program.h"

#include <math.h>
#include <string.h>

// ---- Evaluation ------------------------------------------------------------------------------------------------

/// Sums over the influences of eight vertices: of w q, of w times the dual part or the matrix (by rows), and of w times
/// the matrix of the affine stage (by columns).
typedef struct Blended
{
	f8 q[4];
	f8 dual[4];
	f8 matrix[12];
	f8 stage[12];
} Blended;

/// Which sums there are; constant at every call.
typedef struct How
{
	bool isSpherical;
	bool hasStage;
} How;

SG_INLINE f8 Cross(const f8 a[3], const f8 b[3], int i)
{
	int j = (i + 1) % 3, k = (i + 2) % 3;
	return f8_Sub(f8_Mul(a[j], b[k]), f8_Mul(a[k], b[j]));
}

// What the affine stage adds to a position: the blended matrix, by columns, applied to it.
SG_INLINE void ApplyStage(const Blended* sums, f8 p[3])
{
	f8 placed[3];
	for (int i = 0; i < 3; ++i)
	{
		f8 sum = f8_Add(f8_Mul(sums->stage[i], p[0]), f8_Mul(sums->stage[3 + i], p[1]));
		sum = f8_Add(f8_Add(sum, f8_Mul(sums->stage[6 + i], p[2])), sums->stage[9 + i]);
		placed[i] = f8_Add(p[i], sum);
	}
	memcpy(p, placed, sizeof(placed));
}

// Where the sum of quaternions is too short to say anything, the pivot's takes its place. Values are q, then the dual
// part.
static SG_NOINLINE void TakePivots(const sgSkinView* view, const uint32_t* sets, uint32_t lanes, f8 sums[8])
{
	float values[8][SG_LANES] SG_ALIGN(32);
	for (int k = 0; k < 8; ++k)
	{
		f8_Store(values[k], sums[k]);
	}
	for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		const sgSkinSet* set = view->skin->sets + sets[lane];
		uint32_t pivot = view->skin->members[set->firstMember + set->pivot];
		for (int k = 0; k < 4; ++k)
		{
			values[k][lane] = view->joints[pivot].q[k];
			values[4 + k][lane] = view->isSpherical ? 0.0f : view->duals[4 * (size_t)pivot + (size_t)k];
		}
	}
	for (int k = 0; k < 8; ++k)
	{
		sums[k] = f8_Load(values[k]);
	}
}

SG_INLINE f8 Length2(const f8 q[4])
{
	f8 sum = f8_Add(f8_Mul(q[0], q[0]), f8_Mul(q[1], q[1]));
	return f8_Add(f8_Add(sum, f8_Mul(q[2], q[2])), f8_Mul(q[3], q[3]));
}

// v + 2 (b x (b x v + w v + d) + w d - e b) / |q|^2 for a dual quaternion q = (b, w), (d, e).
SG_INLINE void ApplyDual(const Blended* sums, f8 scale, f8 p[3])
{
	const f8 *b = sums->q, *d = sums->dual;
	f8 inner[3], moved[3];
	for (int i = 0; i < 3; ++i)
	{
		inner[i] = f8_Add(f8_Add(Cross(b, p, i), f8_Mul(b[3], p[i])), d[i]);
	}
	for (int i = 0; i < 3; ++i)
	{
		f8 sum = f8_Add(Cross(b, inner, i), f8_Mul(b[3], d[i]));
		moved[i] = f8_Add(p[i], f8_Mul(scale, f8_Sub(sum, f8_Mul(d[3], b[i]))));
	}
	memcpy(p, moved, sizeof(moved));
}

// x + 2 b x (b x x + w x) / |q|^2 for x = p - center, and the blended matrix applied to the center.
SG_INLINE void ApplySpherical(const Blended* sums, f8 scale, const f8 center[3], f8 p[3])
{
	const f8* b = sums->q;
	f8 x[3], inner[3];
	for (int i = 0; i < 3; ++i)
	{
		x[i] = f8_Sub(p[i], center[i]);
	}
	for (int i = 0; i < 3; ++i)
	{
		inner[i] = f8_Add(Cross(b, x, i), f8_Mul(b[3], x[i]));
	}
	for (int i = 0; i < 3; ++i)
	{
		const f8* row = sums->matrix + 4 * i;
		f8 turned = f8_Add(x[i], f8_Mul(scale, Cross(b, inner, i)));
		f8 sum = f8_Add(f8_Mul(row[0], center[0]), f8_Mul(row[1], center[1]));
		p[i] = f8_Add(turned, f8_Add(f8_Add(sum, f8_Mul(row[2], center[2])), row[3]));
	}
}

SG_INLINE void LoadCenters(const sgSkinView* view, const uint32_t* sets, f8 center[3])
{
	f4 low[4], high[4];
	for (int i = 0; i < 4; ++i)
	{
		low[i] = f4_Load(view->centers + 3 * (size_t)sets[i]);
		high[i] = f4_Load(view->centers + 3 * (size_t)sets[4 + i]);
	}
	f4_Transpose(low);
	f4_Transpose(high);
	for (int i = 0; i < 3; ++i)
	{
		center[i] = f8_FromHalves(low[i], high[i]);
	}
}

// From sums and rest positions to where vertices are. `sets` are the joint sets of the lanes.
SG_INLINE void Finish(const sgSkinView* view, Blended* sums, const uint32_t* sets, f8 p[3], How how)
{
	if (how.hasStage)
	{
		ApplyStage(sums, p);
	}
	f8 length2 = Length2(sums->q);
	uint32_t isShort = m8_Bits(f8_Less(length2, f8_Set(SG_LEAST_LENGTH2)));
	if (isShort != 0)
	{
		f8 values[8];
		for (int k = 0; k < 4; ++k)
		{
			values[k] = sums->q[k];
			values[4 + k] = sums->dual[k];
		}
		TakePivots(view, sets, isShort, values);
		for (int k = 0; k < 4; ++k)
		{
			sums->q[k] = values[k];
			sums->dual[k] = values[4 + k];
		}
		length2 = Length2(sums->q);
	}
	f8 scale = f8_Div(f8_Set(2.0f), length2);
	if (how.isSpherical)
	{
		f8 center[3];
		LoadCenters(view, sets, center);
		ApplySpherical(sums, scale, center, p);
	}
	else
	{
		ApplyDual(sums, scale, p);
	}
}

SG_INLINE void StartSums(Blended* sums)
{
	f8 zero = f8_Set(0.0f);
	for (int k = 0; k < 4; ++k)
	{
		sums->q[k] = sums->dual[k] = zero;
	}
	for (int k = 0; k < 12; ++k)
	{
		sums->matrix[k] = sums->stage[k] = zero;
	}
}

SG_INLINE f8 AddScaled(f8 sum, f8 weight, float value)
{
	return f8_Add(sum, f8_Mul(weight, f8_Set(value)));
}

// Lanes are vertices. Joints that do not move a vertex add zeros, which changes no bit.
SG_INLINE void EvaluateBlock(const sgSkinView* view, uint32_t number, const sgBlock* moved, float* out, How how)
{
	const sgBlock* block = view->skin->blend.rows.blocks + number;
	const sgLaneFloats* values = view->skin->blend.rows.values + block->values;
	const uint16_t* transforms = view->skin->blend.rows.numbers + block->numbers;
	Blended sums;
	StartSums(&sums);
	for (uint32_t j = 0; j < block->count; ++j)
	{
		f8 weight = LoadLanes(values + 3 + j);
		const sgSkinJoint* joint = view->joints + transforms[j];
		const float* dual = how.isSpherical ? NULL : view->duals + 4 * (size_t)transforms[j];
		for (int k = 0; k < 4; ++k)
		{
			sums.q[k] = AddScaled(sums.q[k], weight, joint->q[k]);
			sums.dual[k] = how.isSpherical ? sums.dual[k] : AddScaled(sums.dual[k], weight, dual[k]);
		}
		const sgSkinPairPose* own = how.isSpherical ? view->pairs + view->ownPairs[transforms[j]] : NULL;
		for (int k = 0; how.isSpherical && k < 12; ++k)
		{
			float entry = k % 4 < 3 ? own->columns[k % 4][k / 4] : own->lower[k / 4];
			sums.matrix[k] = AddScaled(sums.matrix[k], weight, entry);
		}
		for (int k = 0; how.hasStage && k < 12; ++k)
		{
			sums.stage[k] = AddScaled(sums.stage[k], weight, joint->stage[sgStagePlace[k % 3][k / 3]]);
		}
	}
	f8 p[3] = { LoadLanes(values), LoadLanes(values + 1), LoadLanes(values + 2) };
	if (moved != NULL)
	{
		sgFields_DisplaceBlock(view->fields, moved, sgFieldsPose_Amplitudes(view->morph), p);
	}
	Finish(view, &sums, view->skin->blockSets + SG_LANES * (size_t)number, p, how);
	f8_StorePoints(out, p[0], p[1], p[2]);
}

SG_INLINE void EvaluateAll(
    const sgSkinView* view, uint32_t firstBlock, const sgBlock* moved, uint32_t count, float* out, How how)
{
	for (uint32_t done = 0; done < count; done += SG_LANES, ++firstBlock)
	{
		uint32_t left = count - done;
		float last[3 * SG_LANES + 1];
		const sgBlock* own = moved != NULL ? moved + done / SG_LANES : NULL;
		EvaluateBlock(view, firstBlock, own, left < SG_LANES ? last : out + 3 * (size_t)done, how);
		if (left < SG_LANES)
		{
			memcpy(out + 3 * (size_t)done, last, 3 * (size_t)left * sizeof(float));
		}
	}
}

static SG_NOINLINE void EvaluateStaged(
    const sgSkinView* view, uint32_t firstBlock, const sgBlock* moved, uint32_t count, float* out)
{
	if (view->isSpherical)
	{
		EvaluateAll(view, firstBlock, moved, count, out, (How){ true, true });
	}
	else
	{
		EvaluateAll(view, firstBlock, moved, count, out, (How){ false, true });
	}
}

static void EvaluateBlocks(
    const sgSkinView* view, uint32_t firstBlock, const sgBlock* moved, uint32_t count, float* out)
{
	if (view->pose->hasStage != 0)
	{
		EvaluateStaged(view, firstBlock, moved, count, out);
	}
	else if (view->isSpherical)
	{
		EvaluateAll(view, firstBlock, moved, count, out, (How){ true, false });
	}
	else
	{
		EvaluateAll(view, firstBlock, moved, count, out, (How){ false, false });
	}
}

/// The sums of one vertex at a time, for eight.
typedef struct Gathered
{
	float q[4][SG_LANES], dual[4][SG_LANES], matrix[12][SG_LANES], stage[12][SG_LANES], position[3][SG_LANES];
} SG_ALIGN(32) Gathered;

static void GatherVertex(const sgSkinView* view, uint32_t vertex, uint32_t lane, Gathered* out)
{
	const sgSkinSet* set = view->skin->sets + view->skin->setOf[vertex];
	sgRow row = sgRows_Get(&view->skin->blend.rows, vertex);
	for (uint32_t j = 0, member = 0; j < row.count; ++j)
	{
		float weight = row.values[j * SG_LANES];
		if (weight == 0.0f)
		{
			continue;
		}
		float turned = weight * sgSkin_SignOf(view, set, member++);
		uint32_t number = row.numbers[j];
		const sgSkinJoint* joint = view->joints + number;
		for (int k = 0; k < 4; ++k)
		{
			out->q[k][lane] += turned * joint->q[k];
			out->dual[k][lane] += view->isSpherical ? 0.0f : turned * view->duals[4 * (size_t)number + (size_t)k];
		}
		const sgSkinPairPose* own = view->pairs + view->ownPairs[number];
		for (int k = 0; k < 12; ++k)
		{
			float entry = k % 4 < 3 ? own->columns[k % 4][k / 4] : own->lower[k / 4];
			out->matrix[k][lane] += view->isSpherical ? weight * entry : 0.0f;
			out->stage[k][lane] += weight * joint->stage[sgStagePlace[k % 3][k / 3]];
		}
	}
	float moved[4];
	const float* position = view->restPositions + 3 * (size_t)vertex;
	if (view->morph != NULL)
	{
		sgFields_Evaluate(view->fields, view->morph, view->restPositions, &vertex, 1, moved);
		position = moved;
	}
	for (int k = 0; k < 3; ++k)
	{
		out->position[k][lane] = position[k];
	}
}

static void EvaluateEight(const sgSkinView* view, const uint32_t* vertices, uint32_t count, float* out)
{
	Gathered gathered;
	Blended sums;
	uint32_t sets[SG_LANES];
	memset(&gathered, 0, sizeof(gathered));
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		uint32_t vertex = vertices[lane < count ? lane : 0];
		sets[lane] = view->skin->setOf[vertex];
		GatherVertex(view, vertex, lane, &gathered);
	}
	for (int k = 0; k < 12; ++k)
	{
		sums.q[k % 4] = f8_Load(gathered.q[k % 4]);
		sums.dual[k % 4] = f8_Load(gathered.dual[k % 4]);
		sums.matrix[k] = f8_Load(gathered.matrix[k]);
		sums.stage[k] = f8_Load(gathered.stage[k]);
	}
	f8 p[3] = { f8_Load(gathered.position[0]), f8_Load(gathered.position[1]), f8_Load(gathered.position[2]) };
	How how = { view->isSpherical, view->pose->hasStage != 0 };
	Finish(view, &sums, sets, p, how);
	f8_StorePoints(out, p[0], p[1], p[2]);
}

static void Evaluate(const sgSkinView* view, const uint32_t* vertices, uint32_t count, float* out)
{
	for (uint32_t done = 0; done < count; done += SG_LANES)
	{
		uint32_t left = count - done, these = left < SG_LANES ? left : SG_LANES;
		float eight[3 * SG_LANES + 1];
		EvaluateEight(view, vertices + done, these, eight);
		memcpy(out + 3 * (size_t)done, eight, 3 * (size_t)these * sizeof(float));
	}
}

// ---- Poses -----------------------------------------------------------------------------------------------------

// Lanes x y z of a x b; of the fourth no use is made.
SG_INLINE f4 Cross4(f4 a, f4 b)
{
	f4 turned = a * SG_SHUFFLE(b, b, 1, 2, 0, 3) - SG_SHUFFLE(a, a, 1, 2, 0, 3) * b;
	return SG_SHUFFLE(turned, turned, 1, 2, 0, 3);
}

// Three of four lanes. What comes behind them is written again: members are filled in from front to back.
SG_INLINE void StoreThree(float* out, f4 a)
{
	f4_Store(out, a);
}

/// Of pairs of which joint sets do not agree what the sign is: beyond SG_DISPUTED.
static const float noCosine = -0x1p10f;

// q_i conj(q_j) = (cosine, e), with the sign of the pair; half of e.
SG_INLINE f4 TurnBetween(const sgSkinView* view, uint32_t p, float* cosine)
{
	sgSkinPair pair = view->skin->pairs[p];
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
static void FinishPair(const sgSkinView* view, uint32_t p, f4 e, f4 below, f4 above)
{
	sgSkinPair joints = view->skin->pairs[p];
	sgSkinPairPose* out = view->pairs + p;
	const sgSkinPairPose *a = view->pairs + view->ownPairs[joints.first],
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
SG_INLINE f4 MovePoint(const sgSkinPairPose* own, const float r[3])
{
	f4 sum = f4_Set(r[0]) * f4_Load(own->columns[0]) + f4_Load(own->lower);
	return f4_Set(r[2]) * f4_Load(own->columns[2]) + (f4_Set(r[1]) * f4_Load(own->columns[1]) + sum);
}

/// A pair while rotation centres are taken into account, in the place of sgSkinPairPose: what is known of its turn, and
/// by how much the joint sets that it is part of move its translation, at least and at most; z x y, as Cross4 leaves
/// them before its last step.
typedef struct PairDraft
{
	float turn[3]; ///< e / 2
	float away;    ///< 1 - cosine
	float next[3]; ///< e / 2 as y z x
	float cosine;
	float lower[4];
	float upper[4];
} SG_ALIGN(16) PairDraft;
_Static_assert(sizeof(PairDraft) == sizeof(sgSkinPairPose), "in the same place");

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
static void AddCenter(const sgSkinView* view, uint32_t s)
{
	const sgSkinSet* set = view->skin->sets + s;
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

static void FinishDraft(const sgSkinView* view, uint32_t p)
{
	const PairDraft* pair = (const PairDraft*)(const void*)(view->pairs + p);
	f4 e = f4_Load(pair->turn), below = f4_Load(pair->lower), above = f4_Load(pair->upper);
	f4 error = f4_Set(CenterError(pair, view->reach));
	below = SG_SHUFFLE(below, below, 1, 2, 0, 3) - error;
	above = SG_SHUFFLE(above, above, 1, 2, 0, 3) + error;
	view->pairs[p].cosine = pair->cosine;
	FinishPair(view, p, e, below, above);
}

static void MakePairs(const sgSkinView* view)
{
	const sgSkin* skin = view->skin;
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

// ---- Bounds ----------------------------------------------------------------------------------------------------

static SG_NOINLINE void LocalBox(const sgBlendCommon* common, const Entries* entries, const PairRows rows[3],
    const Denominator* denominator, const Displacement* displacement, Interval out[3])
{
	PairProgramRows(common, entries, rows, 3, denominator, displacement, out);
}

static SG_NOINLINE Interval LocalRow(const sgBlendCommon* common, const Entries* entries, const PairRows* rows,
    const Denominator* denominator, const Displacement* displacement)
{
	Interval out;
	PairProgramRows(common, entries, rows, 1, denominator, displacement, &out);
	return out;
}

static SG_NOINLINE Interval FirstOrderRow(const sgBlendCommon* common, const Entries* entries, const PairRows* rows,
    const Denominator* denominator, const Displacement* displacement)
{
	const sgBlendVolume* volume = (const sgBlendVolume*)(const void*)(common + 1);
	return PairOrderRow(common, volume, entries, rows, denominator, displacement, true);
}

static SG_NOINLINE Interval ZeroOrderRow(const sgBlendCommon* common, const Entries* entries, const PairRows* rows,
    const Denominator* denominator, const Displacement* displacement)
{
	const sgBlendVolume* volume = (const sgBlendVolume*)(const void*)(common + 1);
	return PairOrderRow(common, volume, entries, rows, denominator, displacement, false);
}

// Both of a mixed family: its first-order entries come first.
static inline Entries LocalEntries(const Entries* first)
{
	return (Entries){
		.values = first->values + first->count * (size_t)first->stride,
		.stride = sizeof(sgLocalEntry) / sizeof(sgLaneFloats),
		.transforms = first->transforms,
		.count = first->count,
	};
}

static SG_NOINLINE Interval MixedRow(const sgBlendCommon* common, const Entries* entries, const PairRows* rows,
    const Denominator* denominator, const Displacement* displacement)
{
	Entries local = LocalEntries(entries);
	Interval a = FirstOrderRow(common, entries, rows, denominator, displacement);
	Interval b = LocalRow(common, &local, rows, denominator, displacement);
	f8 far = f8_Set(INFINITY);
	a.lower = f8_Select(denominator->isKnown, a.lower, f8_Sub(f8_Set(0.0f), far));
	a.upper = f8_Select(denominator->isKnown, a.upper, far);
	// A NaN of the first-order bound, which only overflow can make, gives way: it is the first operand.
	return (Interval){ f8_Max(a.lower, b.lower), f8_Min(a.upper, b.upper) };
}

static inline Interval BoundRow(sgBlendKind kind, const sgBlendCommon* common, const Entries* entries,
    const PairRows* rows, const Denominator* denominator, const Displacement* displacement)
{
	switch (kind)
	{
		case sgBlend_zeroOrder:
			return ZeroOrderRow(common, entries, rows, denominator, displacement);
		case sgBlend_firstOrder:
			return FirstOrderRow(common, entries, rows, denominator, displacement);
		case sgBlend_mixed:
			return MixedRow(common, entries, rows, denominator, displacement);
		default:
			return LocalRow(common, entries, rows, denominator, displacement);
	}
}

static Denominator FindDenominator(
    const sgSkinView* view, const sgBlendCommon* common, const Entries* entries, sgBlendKind kind)
{
	switch (kind)
	{
		case sgBlend_zeroOrder:
			return MakeDenominator(view, entries, common, sgBlend_zeroOrder);
		case sgBlend_firstOrder:
		case sgBlend_mixed:
			return MakeDenominator(view, entries, common, sgBlend_firstOrder);
		default:
			return MakeDenominator(view, entries, common, sgBlend_local);
	}
}

static void TakeMorph(const sgMorphLanes* morph, Displacement* displacement)
{
	displacement->isThere = true;
	displacement->morph = morph->hasFit ? morph : NULL;
	for (int axis = 0; axis < 3; ++axis)
	{
		displacement->middle[axis] = f8_Load(morph->middle[axis]);
		displacement->half[axis] = f8_Load(morph->half[axis]);
	}
}

// How far the affine stage carries vertices from where morph targets leave them: a convex combination of how far each
// of a vertex' joints would, so the box around what all of a node's joints do to what they move.
static SG_NOINLINE void AddStage(const sgSkinView* view, const sgBlendCommon* common, const Entries* entries,
    sgBlendKind kind, Displacement* displacement)
{
	f8 zero = f8_Set(0.0f), most = f8_Set(4.0f * SNUG_MAX_COORDINATE), lower[3], upper[3], moved[3], apart[3];
	for (int axis = 0; axis < 3; ++axis)
	{
		lower[axis] = most;
		upper[axis] = f8_Sub(zero, most);
		moved[axis] = displacement->isThere ? displacement->middle[axis] : zero;
		apart[axis] = displacement->isThere ? displacement->half[axis] : zero;
	}
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		sgSkinPair pair = view->skin->pairs[entries->transforms[j]];
		if (pair.first != pair.second)
		{
			continue;
		}
		bool isLocal = kind == sgBlend_local; // else the whole node's box is good enough
		const sgLocalEntry* entry = Entries_Get(entries, j);
		const sgLaneFloats* middles = isLocal ? entry->center : common->center;
		const sgLaneFloats* halves = isLocal ? entry->half : common->half;
		const float* stage = view->joints[pair.first].stage;
		m8 isAbsent = f8_LessEqual(MostWeight(common, entry, kind), zero);
		for (int axis = 0; axis < 3; ++axis)
		{
			f8 middle = f8_Set(stage[sgStagePlace[axis][3]]), extent = zero;
			for (int k = 0; k < 3; ++k)
			{
				f8 at = f8_Set(stage[sgStagePlace[axis][k]]);
				f8 center = f8_Add(LoadLanes(middles + k), moved[k]);
				middle = f8_MulAddLoose(at, center, middle);
				extent = f8_MulAddLoose(f8_Abs(at), f8_Add(LoadLanes(halves + k), apart[k]), extent);
			}
			lower[axis] = f8_Select(isAbsent, lower[axis], f8_Min(lower[axis], f8_Sub(middle, extent)));
			upper[axis] = f8_Select(isAbsent, upper[axis], f8_Max(upper[axis], f8_Add(middle, extent)));
		}
	}
	displacement->isThere = true;
	displacement->morph = NULL;
	for (int axis = 0; axis < 3; ++axis)
	{
		f8 half = f8_Set(0.5f);
		displacement->middle[axis] = f8_Add(moved[axis], f8_Mul(half, f8_Add(lower[axis], upper[axis])));
		displacement->half[axis] = f8_Add(apart[axis], f8_Mul(half, f8_Sub(upper[axis], lower[axis])));
	}
}

/// Nodes that would be larger are bounded by their vertices.
#define MOST_BOUND (2.0f * SNUG_MAX_COORDINATE)

// How far the affine stage carries anything, for a node alone, as AddStage.
static void AddStageAlone(const sgSkinView* view, const Entries* entries, float middle[3], float half[3])
{
	float lower[3] = { INFINITY, INFINITY, INFINITY }, upper[3] = { -INFINITY, -INFINITY, -INFINITY };
	for (uint32_t i = 0; i < SG_LANES * entries->count; ++i)
	{
		const sgLocalEntry* entry = Entries_Get(entries, i / SG_LANES);
		uint32_t lane = i % SG_LANES, number = entries->transforms[i];
		if (!(entry->range.low.lane[lane] + entry->range.spread.lane[lane] > 0.0f) ||
		    view->skin->pairs[number].first != view->skin->pairs[number].second)
		{
			continue;
		}
		const float* stage = view->joints[view->skin->pairs[number].first].stage;
		for (int axis = 0; axis < 3; ++axis)
		{
			float at = stage[sgStagePlace[axis][3]], extent = 0.0f;
			for (int k = 0; k < 3; ++k)
			{
				float part = stage[sgStagePlace[axis][k]];
				at += part * (entry->center[k].lane[lane] + middle[k]);
				extent += fabsf(part) * (entry->half[k].lane[lane] + half[k]);
			}
			lower[axis] = at - extent < lower[axis] ? at - extent : lower[axis];
			upper[axis] = at + extent > upper[axis] ? at + extent : upper[axis];
		}
	}
	for (int axis = 0; axis < 3; ++axis)
	{
		middle[axis] += 0.5f * (lower[axis] + upper[axis]);
		half[axis] += 0.5f * (upper[axis] - lower[axis]);
	}
}

SG_INLINE Entries EntriesOf(const sgSkinView* view, const sgBlendFamily* family)
{
	const sgBlend* blend = &view->skin->blend;
	return (Entries){
		.values = blend->values + family->values + sgBlendFamily_HeadValues(family),
		.stride = sgBlendKind_EntryValues((sgBlendKind)family->kind),
		.transforms = blend->entryTransforms + family->firstEntry,
		.count = family->entryCount,
	};
}

static bool BoundAlone(
    const sgSkinView* view, const sgBlendFamily* family, const sgMorphLanes* morph, uint32_t lane, sgBoundsOut out)
{
	const sgBlendCommon* common = (const void*)(view->skin->blend.values + family->values);
	Entries entries = EntriesOf(view, family);
	Alone alone = {
		.view = view,
		.entries = &entries,
		.error = common->error.lane[0] * view->reach,
		.reach = view->reach,
		.slack = common->slack.lane[0],
	};
	for (int axis = 0; morph != NULL && axis < 3; ++axis)
	{
		alone.middle[axis] = morph->middle[axis][lane];
		alone.half[axis] = morph->half[axis][lane];
	}
	if (view->pose->hasStage != 0)
	{
		AddStageAlone(view, &entries, alone.middle, alone.half);
	}
	float lower[3], upper[3];
	bool isFound = true;
	AloneBox(&alone, lower, upper);
	for (int axis = 0; axis < 3; ++axis)
	{
		isFound = isFound && lower[axis] > -MOST_BOUND && upper[axis] < MOST_BOUND; // NaN is not
		out.boxes->lower[axis][lane] = lower[axis];
		out.boxes->upper[axis][lane] = upper[axis];
	}
	return isFound;
}

// What can be said without the denominator, and what was said with it.
static SG_NOINLINE Interval BoundRare(const sgSkinView* view, const Entries* entries, const PairRows* rows,
    const Denominator* denominator, const Displacement* displacement, Interval found)
{
	Interval other = PairShareRow(view, entries, rows, denominator, displacement);
	return (Interval){ f8_Max(found.lower, other.lower), f8_Min(found.upper, other.upper) };
}

/// A family that is bounded together.
typedef struct Together
{
	const sgSkinView* view;
	const sgBlendCommon* common;
	sgBlendKind kind;
	Entries entries;
	Denominator denominator;
	Displacement displacement;
} Together;

static void BeginTogether(const sgSkinView* view, const sgBlendFamily* family, const sgMorphLanes* morph, Together* out)
{
	sgBlendKind kind = (sgBlendKind)family->kind;
	out->view = view;
	out->common = (const void*)(view->skin->blend.values + family->values);
	out->kind = kind;
	out->entries = EntriesOf(view, family);
	out->displacement.isThere = false;
	out->displacement.morph = NULL;
	if (morph != NULL)
	{
		TakeMorph(morph, &out->displacement);
	}
	if (view->pose->hasStage != 0)
	{
		sgBlendKind stored = kind == sgBlend_mixed ? sgBlend_firstOrder : kind;
		AddStage(view, out->common, &out->entries, stored, &out->displacement);
	}
	out->denominator = FindDenominator(view, out->common, &out->entries, kind);
}

// Boxes of the lanes in `mask`; returns those for which there are any.
static uint32_t BoundBoxes(const Together* family, uint32_t mask, sgBoxLanes* out)
{
	const sgSkinPairPose* pairs = family->view->pairs;
	const Denominator* denominator = &family->denominator;
	// What fits say is divided by it, whatever it is.
	bool isFit = family->kind == sgBlend_zeroOrder || family->kind == sgBlend_firstOrder;
	bool isRare = !isFit && (mask & ~m8_Bits(f8_Less(f8_Set(RARE_LEAST), denominator->least))) != 0;
	uint32_t good = isFit ? mask & m8_Bits(denominator->isKnown) : mask;
	Entries local = family->kind == sgBlend_mixed ? LocalEntries(&family->entries) : family->entries;
	PairRows rows[3];
	Interval box[3];
	for (int axis = 0; axis < 3; ++axis)
	{
		const size_t floats = sizeof(sgSkinPairPose) / sizeof(float);
		rows[axis] = (PairRows){ pairs->columns[0] + axis, pairs->lower + axis, pairs->upper + axis, floats, 3, pairs };
	}
	if (family->kind == sgBlend_local)
	{
		LocalBox(family->common, &family->entries, rows, denominator, &family->displacement, box);
	}
	for (int axis = 0; axis < 3; ++axis)
	{
		if (family->kind != sgBlend_local)
		{
			box[axis] = BoundRow(
			    family->kind, family->common, &family->entries, rows + axis, denominator, &family->displacement);
		}
		if (isRare)
		{
			box[axis] = BoundRare(family->view, &local, rows + axis, denominator, &family->displacement, box[axis]);
		}
		f8 limit = f8_Set(MOST_BOUND), lowest = f8_Sub(f8_Set(0.0f), limit);
		good &= m8_Bits(m8_And(f8_Less(box[axis].upper, limit), f8_Less(lowest, box[axis].lower)));
	}
	for (int axis = 0; axis < 3; ++axis)
	{
		StoreInterval(box[axis], good, out->lower[axis], out->upper[axis]);
	}
	return good;
}

// Slabs of a k-DOP. Of a sum of three coordinates errors are as of a vector.
static void BoundSlabs(const Together* family, uint32_t slabs, uint32_t mask, sgSlabLanes* out)
{
	Denominator along = family->denominator;
	along.error = f8_Mul(along.error, f8_Set(2.0f));
	along.reach = f8_Mul(along.reach, f8_Set(2.0f));
	for (uint32_t i = 0; i < slabs; ++i)
	{
		size_t stride = slabs * sizeof(sgSkinSlab) / sizeof(float);
		const sgSkinSlab* first = family->view->slabs + i;
		PairRows rows = { first->row, &first->lower, &first->upper, stride, 1, family->view->pairs };
		Interval interval =
		    BoundRow(family->kind, family->common, &family->entries, &rows, &along, &family->displacement);
		StoreInterval(interval, mask, out[i].lower, out[i].upper);
	}
}

static uint32_t Bound(
    const sgSkinView* view, const sgBlendFamily* family, const sgMorphLanes* morph, uint32_t mask, sgBoundsOut out)
{
	Together together;
	BeginTogether(view, family, morph, &together);
	uint32_t good = BoundBoxes(&together, mask, out.boxes);
	snugVolume volume = (snugVolume)view->skin->blend.header->volume;
	if (sgVolume_IsDop(volume))
	{
		BoundSlabs(&together, sgVolume_ExtraSlabs(volume), good, out.extra);
	}
	return mask & ~good;
}

const sgSkinKernels SG_FOR_ISA(sgSkinKernels) = {
	.evaluate = Evaluate,
	.evaluateBlocks = EvaluateBlocks,
	.bound = Bound,
	.boundAlone = BoundAlone,
	.takeJoints = TakeJoints,
	.findCenters = FindCenters,
	.makePairs = MakePairs,
	.findMotion = FindMotion,
};
