// src/deform/skin/turning_kernels.c: see turning_kernels.h. Here are boxes of nodes; docs/bounds/turning-skins.md for
// why they are bounds. Vertices, pairs of joints and motion are in headers of their own.
#include "deform/skin/turning_kernels.h"

#include "deform/fields/sums.h"
#include "deform/skin/kernels/turning_alone.h"
#include "deform/skin/kernels/turning_evaluate.h"
#include "deform/skin/kernels/turning_lanes.h"
#include "deform/skin/kernels/turning_motion.h"
#include "deform/skin/kernels/turning_pairs.h"
#include "deform/skin/kernels/turning_program.h"

#include <math.h>
#include <string.h>

// ---- Bounds ----------------------------------------------------------------------------------------------------

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
static SG_NOINLINE void AddStage(const sgTurningView* view, const Entries* entries, Displacement* displacement)
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
		sgTurningPair pair = view->skin->pairs[entries->transforms[j]];
		if (pair.first != pair.second)
		{
			continue;
		}
		const sgLocalEntry* entry = Entries_Get(entries, j);
		const float* stage = view->joints[pair.first].stage;
		m8 isAbsent = f8_LessEqual(MostWeight(entry), zero);
		for (int axis = 0; axis < 3; ++axis)
		{
			f8 middle = f8_Set(stage[sgStagePlace[axis][3]]), extent = zero;
			for (int k = 0; k < 3; ++k)
			{
				f8 at = f8_Set(stage[sgStagePlace[axis][k]]);
				f8 center = f8_Add(LoadLanes(entry->center + k), moved[k]);
				middle = f8_MulAddLoose(at, center, middle);
				extent = f8_MulAddLoose(f8_Abs(at), f8_Add(LoadLanes(entry->half + k), apart[k]), extent);
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
static void AddStageAlone(const sgTurningView* view, const Entries* entries, float middle[3], float half[3])
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

SG_INLINE Entries EntriesOf(const sgTurningView* view, const sgLinearFamily* family)
{
	const sgLinear* blend = &view->skin->blend;
	return (Entries){
		.values = blend->values + family->values + sgLinearFamily_HeadValues(family),
		.stride = sgLinearKind_EntryValues(sgLinear_local),
		.transforms = blend->entryTransforms + family->firstEntry,
		.count = family->entryCount,
	};
}

static bool BoundAlone(
    const sgTurningView* view, const sgLinearFamily* family, const sgMorphLanes* morph, uint32_t lane, sgBoxLanes* out)
{
	const sgLinearCommon* common = (const void*)(view->skin->blend.values + family->values);
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
		out->lower[axis][lane] = lower[axis];
		out->upper[axis][lane] = upper[axis];
	}
	return isFound;
}

// A bound that needs no denominator, and what it has in common with the one that was found.
static SG_NOINLINE Interval BoundRare(const sgTurningView* view, const Entries* entries, const PairRows* rows,
    const Denominator* denominator, const Displacement* displacement, Interval found)
{
	Interval other = PairShareRow(view, entries, rows, denominator, displacement);
	return (Interval){ f8_Max(found.lower, other.lower), f8_Min(found.upper, other.upper) };
}

static uint32_t Bound(
    const sgTurningView* view, const sgLinearFamily* family, const sgMorphLanes* morph, uint32_t mask, sgBoxLanes* out)
{
	const sgLinearCommon* common = (const void*)(view->skin->blend.values + family->values);
	const Entries entries = EntriesOf(view, family);
	Displacement displacement;
	displacement.isThere = false;
	displacement.morph = NULL;
	if (morph != NULL)
	{
		TakeMorph(morph, &displacement);
	}
	if (view->pose->hasStage != 0)
	{
		AddStage(view, &entries, &displacement);
	}
	const Denominator denominator = MakeDenominator(view, &entries, common);
	const PairRows rows[3] = { { view->pairs, 0 }, { view->pairs, 1 }, { view->pairs, 2 } };
	bool isRare = (mask & ~m8_Bits(f8_Less(f8_Set(RARE_LEAST), denominator.least))) != 0;
	f8 limit = f8_Set(MOST_BOUND), lowest = f8_Sub(f8_Set(0.0f), limit);
	uint32_t good = mask;
	Interval box[3];
	PairProgram(common, &entries, rows, &denominator, &displacement, box);
	for (int axis = 0; axis < 3; ++axis)
	{
		if (isRare)
		{
			box[axis] = BoundRare(view, &entries, rows + axis, &denominator, &displacement, box[axis]);
		}
		good &= m8_Bits(m8_And(f8_Less(box[axis].upper, limit), f8_Less(lowest, box[axis].lower)));
	}
	for (int axis = 0; axis < 3; ++axis)
	{
		StoreInterval(box[axis], good, out->lower[axis], out->upper[axis]);
	}
	return mask & ~good;
}

const sgTurningKernels SG_FOR_ISA(sgTurningKernels) = {
	.evaluate = Evaluate,
	.evaluateBlocks = EvaluateBlocks,
	.bound = Bound,
	.boundAlone = BoundAlone,
	.takeJoints = TakeJoints,
	.findCenters = FindCenters,
	.makePairs = MakePairs,
	.findMotion = FindMotion,
};
