// src/deform/skin/linear_kernels.c: see linear_kernels.h; docs/bounds/skins.md for why these are bounds.
//
// Lane i of everything is node i of the family. A row is one row of the transforms: the bound of a coordinate needs no
// other, so each kind is a function of one row. Nodes that do not have a transform have zeros for it.
#include "deform/skin/linear_kernels.h"

#include "deform/bounds/local.h"
#include "deform/bounds/order.h"
#include "deform/fields/sums.h"

#include <float.h>
#include <math.h>
#include <string.h>

static inline void StorePosition(f16 matrix, const float* p, float* out)
{
	f8 xy = f8_Mul(f16_Low(matrix), f8_FromHalves(f4_Set(p[0]), f4_Set(p[1])));
	f8 z1 = f8_Mul(f16_High(matrix), f8_FromHalves(f4_Set(p[2]), f4_Set(1.0f)));
	f4_Store(out, f8_Low(xy) + f8_High(xy) + f8_Low(z1) + f8_High(z1));
}

// The blended matrix of a vertex. Transforms of its block that do not move it add zeros, which changes no bit.
static inline f16 BlendRow(const sgLinear* blend, const float* columns, uint32_t vertex)
{
	sgRow row = sgRows_Get(&blend->rows, vertex);
	f16 matrix = f16_Zero();
	for (uint32_t j = 0; j < row.count; ++j)
	{
		matrix = f16_AddScaled(matrix, row.values[j * SG_LANES], f16_Load(columns + 16 * (size_t)row.numbers[j]));
	}
	return matrix;
}

// Every store writes a fourth float, a zero, which the next one overwrites.
static void Evaluate(const sgLinear* blend, const float* columns, const float* positions, const uint32_t* vertices,
    uint32_t count, float* out)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		StorePosition(BlendRow(blend, columns, vertices[i]), positions + 3 * (size_t)vertices[i], out + 3 * (size_t)i);
	}
}

/// How far ahead of its use a block's weights are asked for, in sgLaneFloats: about the block after the next. Blocks of
/// neighbouring clusters are neighbours too, so this reaches into the next cluster.
#define PREFETCHED 48

// Lanes are vertices. Transforms that do not move a vertex add zeros to its matrix, which changes no bit of it.
SG_INLINE void EvaluateBlock(const sgLaneFloats* weights, const uint16_t* transforms, uint32_t transformCount,
    const float* columns, const f8 p[3], float* out)
{
	f8 matrix[4][3];
	for (int k = 0; k < 4; ++k)
	{
		matrix[k][0] = matrix[k][1] = matrix[k][2] = f8_Set(0.0f);
	}
	for (uint32_t j = 0; j < transformCount; ++j)
	{
		f8 weight = LoadLanes(weights + j);
		__builtin_prefetch(weights + j + PREFETCHED);
		const float* column = columns + 16 * (size_t)transforms[j];
		for (int k = 0; k < 4; ++k)
		{
			for (int i = 0; i < 3; ++i)
			{
				matrix[k][i] = f8_Add(matrix[k][i], f8_Mul(weight, f8_Set(column[4 * k + i])));
			}
		}
	}
	f8 placed[3];
	for (int i = 0; i < 3; ++i)
	{
		f8 sum = f8_Add(f8_Mul(matrix[0][i], p[0]), f8_Mul(matrix[1][i], p[1]));
		placed[i] = f8_Add(f8_Add(sum, f8_Mul(matrix[2][i], p[2])), matrix[3][i]);
	}
	f8_StorePoints(out, placed[0], placed[1], placed[2]);
}

// Whether there is something that displaces vertices is constant at every call.
SG_INLINE void EvaluateAll(const sgLinear* blend, uint32_t firstBlock, uint32_t count, const float* columns,
    const sgDisplacing* moved, float* out)
{
	const sgBlock* block = blend->rows.blocks + firstBlock;
	for (uint32_t done = 0; done < count; done += SG_LANES, ++block)
	{
		uint32_t left = count - done;
		float last[3 * SG_LANES + 1];
		float* to = left < SG_LANES ? last : out + 3 * (size_t)done;
		const sgLaneFloats* values = blend->rows.values + block->values;
		f8 p[3] = { LoadLanes(values), LoadLanes(values + 1), LoadLanes(values + 2) };
		if (moved != NULL)
		{
			sgFields_TakeBlock(moved, done / SG_LANES, p);
		}
		EvaluateBlock(values + 3, blend->rows.numbers + block->numbers, block->count, columns, p, to);
		if (left < SG_LANES)
		{
			memcpy(out + 3 * (size_t)done, last, 3 * (size_t)left * sizeof(float));
		}
	}
}

static void EvaluateBlocks(const sgLinear* blend, uint32_t firstBlock, uint32_t count, const float* columns, float* out)
{
	EvaluateAll(blend, firstBlock, count, columns, NULL, out);
}

static void EvaluateMovedBlocks(const sgLinear* blend, uint32_t firstBlock, uint32_t count, const float* columns,
    const sgDisplacing* moved, float* out)
{
	EvaluateAll(blend, firstBlock, count, columns, moved, out);
}

static void EvaluateMoved(
    const sgLinear* blend, const float* columns, const float* own, const uint32_t* vertices, uint32_t count, float* out)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		f16 matrix = BlendRow(blend, columns, vertices[i]);
		StorePosition(matrix, own + 3 * (size_t)i, out + 3 * (size_t)i);
	}
}

static void PutAcross(const float* const matrices[SG_LANES], float* across)
{
	for (size_t row = 0; row < 12; row += 4, across += 4 * SG_LANES)
	{
		f4 low[4], high[4];
		for (int i = 0; i < 4; ++i)
		{
			low[i] = f4_Load(matrices[i] + row);
			high[i] = f4_Load(matrices[4 + i] + row);
		}
		f4_Transpose(low);
		f4_Transpose(high);
		for (int k = 0; k < 4; ++k)
		{
			f8_Store(across + SG_LANES * k, f8_FromHalves(low[k], high[k]));
		}
	}
}

static void StoreColumns(const float* across, const uint16_t* transforms, uint32_t count, float* columns)
{
	for (uint32_t k = 0; k < 4; ++k, across += SG_LANES)
	{
		f8 x = f8_Load(across), y = f8_Load(across + 4 * SG_LANES), z = f8_Load(across + 8 * SG_LANES);
		f4 parts[SG_LANES] = { f8_Low(x), f8_Low(y), f8_Low(z), f4_Set(0.0f), f8_High(x), f8_High(y), f8_High(z),
			f4_Set(0.0f) };
		f4_Transpose(parts);
		f4_Transpose(parts + 4);
		for (uint32_t i = 0; i < count; ++i)
		{
			f4_Store(columns + 16 * (size_t)transforms[i] + 4 * k, parts[i]);
		}
	}
}

static void TurnAcross(const float* across, uint32_t blocks, const float rotation[3][3], float* turned)
{
	for (uint32_t b = 0; b < blocks; ++b, across += 12 * SG_LANES, turned += 12 * SG_LANES)
	{
		for (size_t k = 0; k < 4 * SG_LANES; k += SG_LANES)
		{
			f8 x = f8_Load(across + k), y = f8_Load(across + 4 * SG_LANES + k), z = f8_Load(across + 8 * SG_LANES + k);
			for (size_t axis = 0; axis < 3; ++axis)
			{
				const float* row = rotation[axis];
				f8 sum = f8_MulAddLoose(f8_Set(row[1]), y, f8_Mul(f8_Set(row[0]), x));
				f8_Store(turned + 4 * SG_LANES * axis + k, f8_MulAddLoose(f8_Set(row[2]), z, sum));
			}
		}
	}
}

// In float32 and never fused, so that whether a pose is accepted does not depend on the machine. Entries are limited
// too: where the rest mesh is flat at zero they lead nowhere, but a blend of entries near FLT_MAX is infinite.
static uint32_t CheckAcross(const float* across, const float restReach[3], float limit, float reach[3])
{
	f8 zero = f8_Set(0.0f), most = f8_Set(limit);
	m8 isGood = f8_LessEqual(zero, zero);
	for (int axis = 0; axis < 3; ++axis)
	{
		f8 sum = zero;
		for (int k = 0; k < 4; ++k, across += SG_LANES)
		{
			f8 entry = f8_Abs(f8_Load(across));
			isGood = m8_And(isGood, f8_LessEqual(entry, most));
			sum = f8_Add(sum, f8_Mul(entry, f8_Set(k < 3 ? restReach[k] : 1.0f)));
		}
		isGood = m8_And(isGood, f8_LessEqual(sum, most));
		float farthest = f8_ReduceMax(sum);
		reach[axis] = farthest > reach[axis] ? farthest : reach[axis];
	}
	return ~m8_Bits(isGood) & 0xff;
}

// |D [c; 1]| + |D| half with D = after - before.
static float FindMotion(const float* before, const float* after, const sgLinearMoved* moved)
{
	f8 most = f8_Set(0.0f);
	m8 isFinite = f8_LessEqual(most, most);
	for (int axis = 0; axis < 3; ++axis)
	{
		size_t place = SG_LANES * 4 * (size_t)axis;
		f8 middle = f8_Sub(f8_Load(after + place + 3 * SG_LANES), f8_Load(before + place + 3 * SG_LANES));
		f8 extent = f8_Set(0.0f);
		for (int k = 0; k < 3; ++k, place += SG_LANES)
		{
			f8 change = f8_Sub(f8_Load(after + place), f8_Load(before + place));
			middle = f8_MulAddLoose(change, LoadLanes(moved->center + k), middle);
			extent = f8_MulAddLoose(f8_Abs(change), LoadLanes(moved->half + k), extent);
		}
		f8 way = f8_Add(f8_Abs(middle), extent);
		isFinite = m8_And(isFinite, f8_LessEqual(way, f8_Set(FLT_MAX)));
		most = f8_Max(most, way);
	}
	// Where a difference overflows, NaN would get lost in a maximum.
	return m8_Bits(isFinite) == 0xff ? f8_ReduceMax(most) : INFINITY;
}

static SG_NOINLINE Interval FirstOrderRow(
    const sgLinearCommon* common, const sgLinearVolume* volume, const Entries* entries, const float* rows)
{
	return OrderRow(common, volume, entries, rows);
}

static SG_NOINLINE Interval LocalRow(const sgLinearCommon* common, const Entries* entries, const float* rows)
{
	return ProgramRow(common, entries, rows, NULL);
}

// Displaced vertices go to where their transforms carry them: the error is as without, since terms are as large as the
// pose's reach at most, but for a dozen more roundings of each.
static SG_NOINLINE Interval MovedRow(
    const sgLinearCommon* common, const Entries* entries, const float* rows, const sgMorphLanes* morph, float reach)
{
	Interval interval = ProgramRow(common, entries, rows, morph);
	f8 error = f8_Set(0x1p-20f * reach);
	return (Interval){ f8_Sub(interval.lower, error), f8_Add(interval.upper, error) };
}

// ---- A node alone: lanes are transforms --------------------------------------------------------------------------

// Eight programs over an eighth of the transforms each become one: sums are added, the two largest found again.
static inline float CombineLimited(const Program* program, float slack, float* base, float* weighted)
{
	float largest[SG_LANES] SG_ALIGN(32), second[SG_LANES] SG_ALIGN(32), spread[SG_LANES] SG_ALIGN(32);
	f8_Store(largest, program->largest);
	f8_Store(second, program->second);
	f8_Store(spread, program->spread);
	*base = f8_Sum(program->base);
	*weighted = f8_Sum(program->weighted);
	float first = largest[0], next = second[0], itsSpread = spread[0];
	for (int lane = 1; lane < SG_LANES; ++lane)
	{
		bool isLarger = largest[lane] > first;
		float rival = isLarger ? first : largest[lane];
		float better = second[lane] > next ? second[lane] : next;
		next = rival > better ? rival : better;
		itsSpread = isLarger ? spread[lane] : itsSpread;
		first = isLarger ? largest[lane] : first;
	}
	next = next > -FLT_MAX ? next : first;
	return *base + slack * next + itsSpread * (first - next);
}

static inline float DualAcross(
    float lambda, float base, float slack, const f8* images, const f8* spreads, uint32_t count)
{
	f8 sum = f8_Set(0.0f), at = f8_Set(lambda);
	for (uint32_t j = 0; j < count; ++j)
	{
		sum = f8_MulAddLoose(spreads[j], f8_Max(f8_Sub(images[j], at), f8_Set(0.0f)), sum);
	}
	return base + slack * lambda + f8_Sum(sum);
}

/// One direction of a lone node: the least of the dual at the lambdas that are looked at.
static inline float BestAcross(
    const Program* program, float slack, float total, const f8* images, const f8* spreads, uint32_t count)
{
	float base, weighted;
	float best = CombineLimited(program, slack, &base, &weighted);
	if (images == NULL)
	{
		return best;
	}
	float lambda = weighted / (total > 0x1p-20f ? total : 0x1p-20f);
	float value = DualAcross(lambda, base, slack, images, spreads, count);
	return value < best ? value : best;
}

// The local program of a node alone; one row of all transforms side by side.
SG_INLINE void AcrossRow(
    const sgLinearCommon* common, const Entries* entries, const float* across, int axis, float* lower, float* upper)
{
	Program up = Program_Start(), down = Program_Start();
	Images images;
	f8 zero = f8_Set(0.0f), total = zero;
	bool isKept = entries->count <= KEPT_IMAGES;
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgLocalEntry* entry = Entries_Get(entries, j);
		const float* row = across + SG_LANES * (12 * (size_t)entries->transforms[j] + 4 * (size_t)axis);
		f8 middle = f8_Load(row + 3 * SG_LANES), extent = zero;
		for (int k = 0; k < 3; ++k)
		{
			f8 at = f8_Load(row + SG_LANES * k);
			middle = f8_MulAddLoose(at, LoadLanes(entry->center + k), middle);
			extent = f8_MulAddLoose(f8_Abs(at), LoadLanes(entry->half + k), extent);
		}
		f8 low = LoadLanes(&entry->range.low), spread = LoadLanes(&entry->range.spread);
		f8 weight = f8_Add(low, spread);
		m8 isAbsent = f8_LessEqual(weight, zero);
		f8 imageUp = f8_Add(middle, extent), imageDown = f8_Sub(extent, middle);
		Program_Add(&up, imageUp, low, spread, isAbsent);
		Program_Add(&down, imageDown, low, spread, isAbsent);
		total = f8_Add(total, f8_Add(low, weight));
		if (isKept)
		{
			images.up[j] = imageUp;
			images.down[j] = imageDown;
			images.spreads[j] = spread;
		}
	}
	float slack = common->slack.lane[0], sum = f8_Sum(total);
	*upper = BestAcross(&up, slack, sum, isKept ? images.up : NULL, images.spreads, entries->count);
	*lower = -BestAcross(&down, slack, sum, isKept ? images.down : NULL, images.spreads, entries->count);
}

static inline Entries GetEntries(const sgLinear* blend, const sgLinearFamily* family)
{
	return (Entries){
		.values = blend->values + family->values + sgLinearFamily_HeadValues(family),
		.stride = sgLinearKind_EntryValues((sgLinearKind)family->kind),
		.transforms = blend->entryTransforms + family->firstEntry,
		.count = family->entryCount,
	};
}

// What displacements add to a node alone: see MorphRow; by intervals only.
static SG_NOINLINE void MorphAcross(const sgMorphLanes* morph, const Entries* entries, const float* across, int axis,
    uint32_t lane, float* lower, float* upper)
{
	f8 zero = f8_Set(0.0f), none = f8_Set(-4.0f * SNUG_MAX_COORDINATE), up = none, down = none;
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgRangeEntry* range = Entries_Get(entries, j);
		const float* row = across + SG_LANES * (12 * (size_t)entries->transforms[j] + 4 * (size_t)axis);
		f8 middle = zero, extent = zero;
		for (int k = 0; k < 3; ++k)
		{
			f8 at = f8_Load(row + SG_LANES * k);
			middle = f8_MulAddLoose(at, f8_Set(morph->middle[k][lane]), middle);
			extent = f8_MulAddLoose(f8_Abs(at), f8_Set(morph->half[k][lane]), extent);
		}
		m8 isAbsent = f8_LessEqual(f8_Add(LoadLanes(&range->low), LoadLanes(&range->spread)), zero);
		up = f8_Max(up, f8_Select(isAbsent, none, f8_Add(middle, extent)));
		down = f8_Max(down, f8_Select(isAbsent, none, f8_Sub(extent, middle)));
	}
	*upper += f8_ReduceMax(up);
	*lower -= f8_ReduceMax(down);
}

static void BoundAlone(const sgLinear* blend, const sgLinearFamily* alone, const sgLinearView* pose,
    const sgMorphLanes* morph, uint32_t lane, sgBoxLanes* out)
{
	const sgLinearCommon* common = (const sgLinearCommon*)(const void*)(blend->values + alone->values);
	const Entries entries = GetEntries(blend, alone);
	const float* across = pose->across;
	for (int axis = 0; axis < 3; ++axis)
	{
		float lower, upper;
		AcrossRow(common, &entries, across, axis, &lower, &upper);
		float error = common->error.lane[0] * pose->reach[axis];
		if (morph != NULL)
		{
			MorphAcross(morph, &entries, across, axis, lane, &lower, &upper);
			error += 0x1p-20f * pose->reach[axis]; // as in MorphRow
		}
		const float limit = 2.0f * SNUG_MAX_COORDINATE;
		lower -= error;
		upper += error;
		// Written so that NaN becomes the limit.
		out->lower[axis][lane] = lower > -limit ? lower : -limit;
		out->upper[axis][lane] = upper < limit ? upper : limit;
	}
}

// ---- Families --------------------------------------------------------------------------------------------------

// What displacements before the skin add to a row: d goes to a convex combination of what the transforms make of it, so
// the interval around what each does. Two ways to bound that, by intervals and by fits, and what both allow.
static SG_NOINLINE Interval MorphRow(const sgMorphLanes* morph, const Entries* entries, const float* rows, float reach)
{
	f8 zero = f8_Set(0.0f), limit = f8_Set(4.0f * SNUG_MAX_COORDINATE);
	Interval sum = { limit, f8_Sub(zero, limit) };
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const float* row = GetRow(rows, entries->transforms[j]);
		f8 middle = zero, extent = zero, mean = zero, spread = zero, turned[3] = { zero, zero, zero };
		for (int k = 0; k < 3; ++k)
		{
			f8 at = f8_Set(row[4 * k]);
			middle = f8_MulAddLoose(at, f8_Load(morph->middle[k]), middle);
			extent = f8_MulAddLoose(f8_Abs(at), f8_Load(morph->half[k]), extent);
			if (morph->hasFit)
			{
				mean = f8_MulAddLoose(at, f8_Load(morph->mean[k]), mean);
				spread = f8_MulAddLoose(f8_Abs(at), f8_Load(morph->residual[k]), spread);
				for (int l = 0; l < 3; ++l)
				{
					turned[l] = f8_MulAddLoose(at, f8_Load(morph->gradient[k][l]), turned[l]);
				}
			}
		}
		f8 lower = f8_Sub(middle, extent), upper = f8_Add(middle, extent);
		if (morph->hasFit)
		{
			for (int l = 0; l < 3; ++l)
			{
				spread = f8_MulAddLoose(f8_Abs(turned[l]), f8_Load(morph->extent[l]), spread);
			}
			lower = f8_Max(f8_Sub(mean, spread), lower);
			upper = f8_Min(f8_Add(mean, spread), upper);
		}
		sum.lower = f8_Min(lower, sum.lower);
		sum.upper = f8_Max(upper, sum.upper);
	}
	// Of terms that the reach bounds, a dozen roundings.
	f8 error = f8_Set(0x1p-20f * reach);
	return (Interval){ f8_Sub(sum.lower, error), f8_Add(sum.upper, error) };
}

// One row of a family, with what displacements, if there are any, add to it.
static inline Interval BoundRow(const sgLinearFamily* family, const sgLinearCommon* common, const Entries* entries,
    const float* rows, const sgMorphLanes* morph, float reach)
{
	if (family->kind == sgLinear_local)
	{
		return morph == NULL ? LocalRow(common, entries, rows) : MovedRow(common, entries, rows, morph, reach);
	}
	const sgLinearVolume* volume = (const sgLinearVolume*)(const void*)(common + 1);
	Interval interval = FirstOrderRow(common, volume, entries, rows);
	if (morph == NULL)
	{
		return interval;
	}
	Interval added = MorphRow(morph, entries, rows, reach);
	return (Interval){ f8_Add(interval.lower, added.lower), f8_Add(interval.upper, added.upper) };
}

static void Bound(const sgLinear* blend, const sgLinearFamily* family, const sgLinearView* pose,
    const sgMorphLanes* morph, uint32_t mask, sgBoxLanes* out)
{
	const sgLinearCommon* common = (const sgLinearCommon*)(const void*)(blend->values + family->values);
	const Entries entries = GetEntries(blend, family);
	for (uint32_t axis = 0; axis < 3; ++axis)
	{
		const float* rows = pose->columns + axis;
		Interval interval = BoundRow(family, common, &entries, rows, morph, pose->reach[axis]);
		f8 error = f8_Mul(LoadLanes(&common->error), f8_Set(pose->reach[axis]));
		StoreInterval(Widen(interval, error), mask, out->lower[axis], out->upper[axis]);
	}
}

// ---- Without weights -------------------------------------------------------------------------------------------

/// The hulls of images along all axes: the greatest upwards, and downwards negated.
typedef struct Hulls
{
	f8 up[3], down[3];
} Hulls;

static inline Hulls Hulls_Start(void)
{
	f8 none = f8_Set(-FLT_MAX);
	return (Hulls){ { none, none, none }, { none, none, none } };
}

SG_INLINE void Hulls_Add(Hulls* hulls, int axis, f8 middle, f8 extent, m8 isAbsent)
{
	f8 none = f8_Set(-FLT_MAX);
	hulls->up[axis] = f8_Max(f8_Select(isAbsent, none, f8_Add(middle, extent)), hulls->up[axis]);
	hulls->down[axis] = f8_Max(f8_Select(isAbsent, none, f8_Sub(extent, middle)), hulls->down[axis]);
}

static inline m8 IsAbsent(const sgLocalEntry* entry)
{
	return f8_LessEqual(f8_Add(LoadLanes(&entry->range.low), LoadLanes(&entry->range.spread)), f8_Set(0.0f));
}

static void HullFamily(const sgLinear* blend, const sgLinearFamily* family, const sgLinearView* pose,
    const uint16_t* places, uint32_t mask, sgBoxLanes* boxes)
{
	const sgLinearCommon* common = (const sgLinearCommon*)(const void*)(blend->values + family->values);
	const Entries entries = GetEntries(blend, family);
	Hulls hulls = Hulls_Start();
	for (uint32_t j = 0; j < entries.count; ++j)
	{
		const sgLocalEntry* entry = Entries_Get(&entries, j);
		uint32_t place = places[entries.transforms[j]];
		const float* row = pose->across + SG_ACROSS_FLOATS * (size_t)(place / SG_LANES) + place % SG_LANES;
		m8 isAbsent = IsAbsent(entry);
		for (int axis = 0; axis < 3; ++axis, row += SG_LANES * 4)
		{
			f8 middle = f8_Set(row[3 * SG_LANES]), extent = f8_Set(0.0f);
			for (int k = 0; k < 3; ++k)
			{
				f8 at = f8_Set(row[SG_LANES * k]);
				middle = f8_MulAddLoose(at, LoadLanes(entry->center + k), middle);
				extent = f8_MulAddLoose(f8_Abs(at), LoadLanes(entry->half + k), extent);
			}
			Hulls_Add(&hulls, axis, middle, extent, isAbsent);
		}
	}
	for (int axis = 0; axis < 3; ++axis)
	{
		Interval hull = { f8_Sub(f8_Set(0.0f), hulls.down[axis]), hulls.up[axis] };
		f8 error = f8_Mul(LoadLanes(&common->error), f8_Set(pose->reach[axis]));
		StoreInterval(Widen(hull, error), mask, boxes->lower[axis], boxes->upper[axis]);
	}
}

static void HullAlone(
    const sgLinear* blend, const sgLinearFamily* alone, const sgLinearView* pose, uint32_t lane, sgBoxLanes* boxes)
{
	const sgLinearCommon* common = (const sgLinearCommon*)(const void*)(blend->values + alone->values);
	const Entries entries = GetEntries(blend, alone);
	const float* across = pose->across;
	Hulls hulls = Hulls_Start();
	for (uint32_t j = 0; j < entries.count; ++j)
	{
		const sgLocalEntry* entry = Entries_Get(&entries, j);
		const float* row = across + SG_LANES * 12 * (size_t)entries.transforms[j];
		m8 isAbsent = IsAbsent(entry);
		for (int axis = 0; axis < 3; ++axis, row += SG_LANES * 4)
		{
			f8 middle = f8_Load(row + 3 * SG_LANES), extent = f8_Set(0.0f);
			for (int k = 0; k < 3; ++k)
			{
				f8 at = f8_Load(row + SG_LANES * k);
				middle = f8_MulAddLoose(at, LoadLanes(entry->center + k), middle);
				extent = f8_MulAddLoose(f8_Abs(at), LoadLanes(entry->half + k), extent);
			}
			Hulls_Add(&hulls, axis, middle, extent, isAbsent);
		}
	}
	const float limit = 2.0f * SNUG_MAX_COORDINATE;
	for (int axis = 0; axis < 3; ++axis)
	{
		float error = common->error.lane[0] * pose->reach[axis];
		float lower = -f8_ReduceMax(hulls.down[axis]) - error, upper = f8_ReduceMax(hulls.up[axis]) + error;
		// Written so that NaN becomes the limit.
		boxes->lower[axis][lane] = lower > -limit ? lower : -limit;
		boxes->upper[axis][lane] = upper < limit ? upper : limit;
	}
}

const sgLinearKernels SG_FOR_ISA(sgLinearKernels) = {
	.evaluate = Evaluate,
	.evaluateBlocks = EvaluateBlocks,
	.evaluateMoved = EvaluateMoved,
	.evaluateMovedBlocks = EvaluateMovedBlocks,
	.bound = Bound,
	.boundAlone = BoundAlone,
	.hullFamily = HullFamily,
	.hullAlone = HullAlone,
	.putAcross = PutAcross,
	.checkAcross = CheckAcross,
	.storeColumns = StoreColumns,
	.turnAcross = TurnAcross,
	.findMotion = FindMotion,
};
