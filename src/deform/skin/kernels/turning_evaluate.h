// src/deform/skin/kernels/turning_evaluate.h: vertices of skins that turn, eight at a time. Part of turning_kernels.c,
// which alone includes it.
#ifndef SG_TURNING_EVALUATE_H
#define SG_TURNING_EVALUATE_H

#include "deform/skin/kernels/turning_lanes.h"
#include "deform/skin/turning_kernels.h"

#include <math.h>
#include <string.h>

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
static SG_NOINLINE void TakePivots(const sgTurningView* view, const uint32_t* sets, uint32_t lanes, f8 sums[8])
{
	float values[8][SG_LANES] SG_ALIGN(32);
	for (int k = 0; k < 8; ++k)
	{
		f8_Store(values[k], sums[k]);
	}
	for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		const sgTurningSet* set = view->skin->sets + sets[lane];
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

SG_INLINE void LoadCenters(const sgTurningView* view, const uint32_t* sets, f8 center[3])
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
SG_INLINE void Finish(const sgTurningView* view, Blended* sums, const uint32_t* sets, f8 p[3], How how)
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
SG_INLINE void EvaluateBlock(
    const sgTurningView* view, uint32_t number, const sgDisplacing* moved, uint32_t index, float* out, How how)
{
	const sgBlock* block = view->skin->blend.rows.blocks + number;
	const sgLaneFloats* values = view->skin->blend.rows.values + block->values;
	const uint16_t* transforms = view->skin->blend.rows.numbers + block->numbers;
	Blended sums;
	StartSums(&sums);
	for (uint32_t j = 0; j < block->count; ++j)
	{
		f8 weight = LoadLanes(values + 3 + j);
		const sgTurningJoint* joint = view->joints + transforms[j];
		const float* dual = how.isSpherical ? NULL : view->duals + 4 * (size_t)transforms[j];
		for (int k = 0; k < 4; ++k)
		{
			sums.q[k] = AddScaled(sums.q[k], weight, joint->q[k]);
			sums.dual[k] = how.isSpherical ? sums.dual[k] : AddScaled(sums.dual[k], weight, dual[k]);
		}
		const sgTurningPairPose* own = how.isSpherical ? view->pairs + view->ownPairs[transforms[j]] : NULL;
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
		sgFields_TakeBlock(moved, index, p);
	}
	Finish(view, &sums, view->skin->blockSets + SG_LANES * (size_t)number, p, how);
	f8_StorePoints(out, p[0], p[1], p[2]);
}

SG_INLINE void EvaluateAll(
    const sgTurningView* view, uint32_t firstBlock, const sgDisplacing* moved, uint32_t count, float* out, How how)
{
	for (uint32_t done = 0; done < count; done += SG_LANES, ++firstBlock)
	{
		uint32_t left = count - done;
		float last[3 * SG_LANES + 1];
		float* to = left < SG_LANES ? last : out + 3 * (size_t)done;
		EvaluateBlock(view, firstBlock, moved, done / SG_LANES, to, how);
		if (left < SG_LANES)
		{
			memcpy(out + 3 * (size_t)done, last, 3 * (size_t)left * sizeof(float));
		}
	}
}

static SG_NOINLINE void EvaluateStaged(
    const sgTurningView* view, uint32_t firstBlock, const sgDisplacing* moved, uint32_t count, float* out)
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
    const sgTurningView* view, uint32_t firstBlock, const sgDisplacing* moved, uint32_t count, float* out)
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

static void GatherVertex(const sgTurningView* view, uint32_t vertex, uint32_t lane, Gathered* out)
{
	const sgTurningSet* set = view->skin->sets + view->skin->setOf[vertex];
	sgRow row = sgRows_Get(&view->skin->blend.rows, vertex);
	for (uint32_t j = 0, member = 0; j < row.count; ++j)
	{
		float weight = row.values[j * SG_LANES];
		if (weight == 0.0f)
		{
			continue;
		}
		float turned = weight * sgTurning_SignOf(view, set, member++);
		uint32_t number = row.numbers[j];
		const sgTurningJoint* joint = view->joints + number;
		for (int k = 0; k < 4; ++k)
		{
			out->q[k][lane] += turned * joint->q[k];
			out->dual[k][lane] += view->isSpherical ? 0.0f : turned * view->duals[4 * (size_t)number + (size_t)k];
		}
		const sgTurningPairPose* own = view->pairs + view->ownPairs[number];
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

static void EvaluateEight(const sgTurningView* view, const uint32_t* vertices, uint32_t count, float* out)
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

static void Evaluate(const sgTurningView* view, const uint32_t* vertices, uint32_t count, float* out)
{
	for (uint32_t done = 0; done < count; done += SG_LANES)
	{
		uint32_t left = count - done, these = left < SG_LANES ? left : SG_LANES;
		float eight[3 * SG_LANES + 1];
		EvaluateEight(view, vertices + done, these, eight);
		memcpy(out + 3 * (size_t)done, eight, 3 * (size_t)these * sizeof(float));
	}
}

#endif
