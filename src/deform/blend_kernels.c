// src/deform/blend_kernels.c: see blend_kernels.h; docs/bounds.md for why these are bounds.
//
// Lane i of everything is node i of the family. A row is one row of the transforms: the bound of a coordinate needs no
// other, so each kind is a function of one row. Nodes that do not have a transform have zeros for it.
#include "deform/blend_kernels.h"

#include "base/simd.h"

#include <float.h>

static inline f8 LoadLanes(const sgLaneFloats* values)
{
	return f8_Load(values->lane);
}

static void Evaluate(const sgBlend* blend, const float* columns, const float* positions, const uint32_t* vertices,
    uint32_t count, sgVertexBlock* out)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		uint32_t vertex = vertices[i];
		f8 first = f8_Set(0.0f), second = f8_Set(0.0f);
		for (uint32_t k = blend->starts[vertex]; k < blend->starts[vertex + 1]; ++k)
		{
			const float* matrix = columns + 16 * (size_t)blend->transforms[k];
			f8 weight = f8_Set(blend->weights[k]);
			first = f8_Add(first, f8_Mul(weight, f8_Load(matrix)));
			second = f8_Add(second, f8_Mul(weight, f8_Load(matrix + 8)));
		}
		const float* p = positions + 3 * (size_t)vertex;
		f8 xy = f8_Mul(first, f8_FromHalves(f4_Set(p[0]), f4_Set(p[1])));
		f8 z1 = f8_Mul(second, f8_FromHalves(f4_Set(p[2]), f4_Set(1.0f)));
		float result[4];
		f4_Store(result, f4_Add(f4_Add(f4_Add(f8_Low(xy), f8_High(xy)), f8_Low(z1)), f8_High(z1)));
		out->coordinate[0][i] = result[0];
		out->coordinate[1][i] = result[1];
		out->coordinate[2][i] = result[2];
	}
	for (uint32_t i = count; i % SG_LANES != 0; ++i)
	{
		out->coordinate[0][i] = out->coordinate[1][i] = out->coordinate[2][i] = 0.0f;
	}
}

/// The interval of one coordinate, per node.
typedef struct Interval
{
	f8 lower;
	f8 upper;
} Interval;

/// A row of a transform applied to a box: center +- half.
static inline Interval ImageOfBox(const float* row, const sgLaneFloats center[3], const sgLaneFloats half[3])
{
	f8 middle = f8_Set(row[3]), extent = f8_Set(0.0f);
	for (int k = 0; k < 3; ++k)
	{
		f8 entry = f8_Set(row[k]);
		middle = f8_MulAddLoose(entry, LoadLanes(center + k), middle);
		extent = f8_MulAddLoose(f8_Abs(entry), LoadLanes(half + k), extent);
	}
	return (Interval){ f8_Sub(middle, extent), f8_Add(middle, extent) };
}

/// Transforms for which images are kept between the passes of the dual; families with more make do with one pass.
#define KEPT_IMAGES 192

/// One direction of the linear program, upwards or (negated) downwards, while images of boxes come in.
typedef struct Program
{
	f8 base;    ///< sum of low * b
	f8 largest; ///< b of the nodes' own transforms, and its spread
	f8 second;
	f8 spread;   ///< of the largest
	f8 weighted; ///< sum of (2 low + spread) * b
} Program;

static inline Program Program_Start(void)
{
	f8 zero = f8_Set(0.0f), none = f8_Set(-FLT_MAX);
	return (Program){ zero, none, none, zero, zero };
}

static inline void Program_Add(Program* program, f8 b, f8 low, f8 spread, m8 isAbsent)
{
	program->base = f8_MulAddLoose(low, b, program->base);
	program->weighted = f8_MulAddLoose(f8_Add(f8_Add(low, low), spread), b, program->weighted);
	f8 own = f8_Select(isAbsent, f8_Set(-FLT_MAX), b);
	m8 isLarger = f8_Less(program->largest, own);
	program->second = f8_Max(program->second, f8_Min(own, program->largest));
	program->spread = f8_Select(isLarger, spread, program->spread);
	program->largest = f8_Max(program->largest, own);
}

// Eq. (12): the dual at the second largest b. A node with one transform has no second: its spread and slack are zero,
// and the largest stands in for it.
static inline f8 Program_Limited(const Program* program, f8 slack)
{
	m8 hasSecond = f8_Less(f8_Set(-FLT_MAX), program->second);
	f8 second = f8_Select(hasSecond, program->second, program->largest);
	f8 rise = f8_Sub(program->largest, second);
	return f8_MulAddLoose(program->spread, rise, f8_MulAddLoose(slack, second, program->base));
}

// The dual at any lambda: base + slack lambda + sum spread max(0, b - lambda).
static inline f8 DualAt(f8 lambda, f8 base, f8 slack, const f8* images, const f8* spreads, uint32_t count)
{
	f8 value = f8_MulAddLoose(slack, lambda, base);
	for (uint32_t j = 0; j < count; ++j)
	{
		f8 above = f8_Max(f8_Sub(images[j], lambda), f8_Set(0.0f));
		value = f8_MulAddLoose(spreads[j], above, value);
	}
	return value;
}

/// The entries of a family, one after the other, each beginning with an sgRangeEntry.
typedef struct Entries
{
	const sgLaneFloats* values;
	uint32_t stride; ///< in sgLaneFloats
	const uint16_t* transforms;
	uint32_t count;
} Entries;

static inline const sgRangeEntry* Entries_Range(const Entries* entries, uint32_t j)
{
	return (const sgRangeEntry*)(const void*)(entries->values + j * (size_t)entries->stride);
}

// Kinds limited, program and local. `kind` is a constant at every call.
static inline Interval ProgramRow(
    const sgBlendCommon* common, const Entries* entries, const float* rows, sgBlendKind kind)
{
	Program up = Program_Start(), down = Program_Start();
	f8 imagesUp[KEPT_IMAGES], imagesDown[KEPT_IMAGES], spreads[KEPT_IMAGES];
	f8 zero = f8_Set(0.0f), total = zero;
	bool isKept = kind != sgBlend_limited && entries->count <= KEPT_IMAGES;
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgRangeEntry* range = Entries_Range(entries, j);
		const sgLocalEntry* local = (const sgLocalEntry*)(const void*)range;
		const float* row = rows + 12 * (size_t)entries->transforms[j];
		Interval image = kind == sgBlend_local ? ImageOfBox(row, local->center, local->half)
		                                       : ImageOfBox(row, common->center, common->half);
		f8 low = LoadLanes(&range->low), spread = LoadLanes(&range->spread);
		f8 weight = f8_Add(low, spread);
		m8 isAbsent = f8_LessEqual(weight, zero);
		Program_Add(&up, image.upper, low, spread, isAbsent);
		Program_Add(&down, f8_Sub(zero, image.lower), low, spread, isAbsent);
		total = f8_Add(total, f8_Add(low, weight));
		if (isKept)
		{
			imagesUp[j] = image.upper;
			imagesDown[j] = f8_Sub(zero, image.lower);
			spreads[j] = spread;
		}
	}
	f8 slack = LoadLanes(&common->slack);
	f8 upper = Program_Limited(&up, slack), lower = Program_Limited(&down, slack);
	if (isKept)
	{
		f8 inverse = f8_Div(f8_Set(1.0f), f8_Max(total, f8_Set(0x1p-20f)));
		f8 lambdaUp = f8_Mul(up.weighted, inverse), lambdaDown = f8_Mul(down.weighted, inverse);
		upper = f8_Min(DualAt(lambdaUp, up.base, slack, imagesUp, spreads, entries->count), upper);
		lower = f8_Min(DualAt(lambdaDown, down.base, slack, imagesDown, spreads, entries->count), lower);
	}
	// The dual is convex and piecewise linear: its minimum, the program's maximum, is at one of the images.
	for (uint32_t k = 0; kind == sgBlend_program && isKept && k < entries->count; ++k)
	{
		upper = f8_Min(DualAt(imagesUp[k], up.base, slack, imagesUp, spreads, entries->count), upper);
		lower = f8_Min(DualAt(imagesDown[k], down.base, slack, imagesDown, spreads, entries->count), lower);
	}
	return (Interval){ f8_Sub(zero, lower), upper };
}

/// A row of the reference map and of its change with each coordinate.
typedef struct Reference
{
	f8 map[4];
	f8 change[3][4];
} Reference;

static inline f8 ApplyRow(const f8 row[4], const f8 point[3])
{
	f8 sum = f8_MulAddLoose(row[0], point[0], row[3]);
	return f8_MulAddLoose(row[2], point[2], f8_MulAddLoose(row[1], point[1], sum));
}

static inline Reference ReferenceRow(
    const sgBlendVolume* volume, const Entries* entries, const float* rows, bool hasGradient)
{
	Reference reference;
	f8 zero = f8_Set(0.0f);
	for (int k = 0; k < 4; ++k)
	{
		reference.map[k] = reference.change[0][k] = reference.change[1][k] = reference.change[2][k] = zero;
	}
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgFirstEntry* entry = (const sgFirstEntry*)(const void*)(entries->values + j * (size_t)entries->stride);
		const float* row = rows + 12 * (size_t)entries->transforms[j];
		f8 mean = LoadLanes(&entry->mean);
		for (int k = 0; k < 4; ++k)
		{
			f8 value = f8_Set(row[k]);
			reference.map[k] = f8_MulAddLoose(mean, value, reference.map[k]);
			for (int a = 0; hasGradient && a < 3; ++a)
			{
				reference.change[a][k] = f8_MulAddLoose(LoadLanes(entry->gradient + a), value, reference.change[a][k]);
			}
		}
	}
	f8 inverse = LoadLanes(&volume->inverseSum);
	for (int k = 0; k < 4; ++k)
	{
		reference.map[k] = f8_Mul(reference.map[k], inverse);
		for (int a = 0; hasGradient && a < 3; ++a)
		{
			f8 part = f8_Mul(LoadLanes(volume->gradientSum + a), reference.map[k]);
			reference.change[a][k] = f8_Sub(reference.change[a][k], part);
		}
	}
	return reference;
}

// Sum over transforms of residual * max |(T - reference) v| over the rest box.
static inline f8 ResidualRow(
    const Reference* reference, const Entries* entries, const float* rows, const f8 center[3], const f8 half[3])
{
	f8 sum = f8_Set(0.0f);
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgZeroEntry* entry = (const sgZeroEntry*)(const void*)(entries->values + j * (size_t)entries->stride);
		const float* row = rows + 12 * (size_t)entries->transforms[j];
		f8 difference[4];
		for (int k = 0; k < 4; ++k)
		{
			difference[k] = f8_Sub(f8_Set(row[k]), reference->map[k]);
		}
		f8 reach = f8_Abs(ApplyRow(difference, center));
		for (int k = 0; k < 3; ++k)
		{
			reach = f8_MulAddLoose(f8_Abs(difference[k]), half[k], reach);
		}
		sum = f8_MulAddLoose(LoadLanes(&entry->residual), reach, sum);
	}
	return sum;
}

// Support of the rest volume in the direction of a row `linear`: the box and the prism, whichever is tighter.
static inline Interval SupportRow(const f8 linear[3], const sgBlendVolume* volume, const f8 half[3])
{
	f8 zero = f8_Set(0.0f), box = zero, middle = zero, along[3] = { zero, zero, zero };
	for (int k = 0; k < 3; ++k)
	{
		box = f8_MulAddLoose(f8_Abs(linear[k]), half[k], box);
		middle = f8_MulAddLoose(linear[k], LoadLanes(volume->offset + k), middle);
		for (int axis = 0; axis < 3; ++axis)
		{
			along[axis] = f8_MulAddLoose(linear[k], LoadLanes(&volume->axes[axis][k]), along[axis]);
		}
	}
	f8 a = f8_Abs(along[0]), b = f8_Abs(along[1]);
	f8 less = f8_Min(a, b), rest = f8_Add(f8_Abs(f8_Sub(a, b)), f8_Abs(along[2]));
	m8 aIsNegative = f8_Less(along[0], zero), bIsNegative = f8_Less(along[1], zero);
	f8 pp = LoadLanes(volume->corner), pm = LoadLanes(volume->corner + 1);
	f8 mp = LoadLanes(volume->corner + 2), mm = LoadLanes(volume->corner + 3);
	f8 ahead = f8_Select(aIsNegative, f8_Select(bIsNegative, mm, mp), f8_Select(bIsNegative, pm, pp));
	f8 behind = f8_Select(aIsNegative, f8_Select(bIsNegative, pp, pm), f8_Select(bIsNegative, mp, mm));
	f8 upper = f8_Add(middle, f8_MulAddLoose(less, ahead, rest));
	f8 lower = f8_Sub(middle, f8_MulAddLoose(less, behind, rest));
	return (Interval){ f8_Max(lower, f8_Sub(zero, box)), f8_Min(upper, box) };
}

// What is quadratic in v - center: squares have a sign, products do not.
static inline Interval QuadraticRow(const Reference* reference, const f8 half[3])
{
	f8 zero = f8_Set(0.0f);
	Interval sum = { zero, zero };
	for (int a = 0; a < 3; ++a)
	{
		f8 square = f8_Mul(reference->change[a][a], f8_Mul(half[a], half[a]));
		int b = (a + 1) % 3;
		f8 mixed = f8_Abs(f8_Add(reference->change[a][b], reference->change[b][a]));
		mixed = f8_Mul(mixed, f8_Mul(half[a], half[b]));
		sum.upper = f8_Add(sum.upper, f8_Add(f8_Max(square, zero), mixed));
		sum.lower = f8_Add(sum.lower, f8_Sub(f8_Min(square, zero), mixed));
	}
	return sum;
}

// Kinds zeroOrder and firstOrder.
static inline Interval OrderRow(const sgBlendCommon* common, const sgBlendVolume* volume, const Entries* entries,
    const float* rows, bool hasGradient)
{
	f8 center[3], half[3], linear[3];
	for (int k = 0; k < 3; ++k)
	{
		center[k] = LoadLanes(common->center + k);
		half[k] = LoadLanes(common->half + k);
	}
	Reference reference = ReferenceRow(volume, entries, rows, hasGradient);
	for (int k = 0; k < 3; ++k)
	{
		linear[k] = reference.map[k];
		if (hasGradient)
		{
			linear[k] = f8_Add(linear[k], ApplyRow(reference.change[k], center));
		}
	}
	Interval sum = SupportRow(linear, volume, half);
	if (hasGradient)
	{
		Interval quadratic = QuadraticRow(&reference, half);
		sum = (Interval){ f8_Add(sum.lower, quadratic.lower), f8_Add(sum.upper, quadratic.upper) };
	}
	f8 middle = ApplyRow(reference.map, center);
	f8 residual = ResidualRow(&reference, entries, rows, center, half);
	return (Interval){ f8_Sub(f8_Add(middle, sum.lower), residual), f8_Add(f8_Add(middle, sum.upper), residual) };
}

static inline Interval BoundRow(
    const sgBlendCommon* common, const Entries* entries, const float* rows, sgBlendKind kind)
{
	const sgBlendVolume* volume = (const sgBlendVolume*)(const void*)(common + 1);
	switch (kind)
	{
		case sgBlend_limited:
			return ProgramRow(common, entries, rows, sgBlend_limited);
		case sgBlend_program:
			return ProgramRow(common, entries, rows, sgBlend_program);
		case sgBlend_local:
			return ProgramRow(common, entries, rows, sgBlend_local);
		case sgBlend_zeroOrder:
			return OrderRow(common, volume, entries, rows, false);
		default:
			return OrderRow(common, volume, entries, rows, true);
	}
}

static void Bound(const sgBlend* blend, const sgBlendFamily* family, const float* rows, const float reach[3],
    uint32_t mask, sgBoxLanes* out)
{
	sgBlendKind kind = (sgBlendKind)family->kind;
	const sgLaneFloats* values = blend->values + family->values;
	const sgBlendCommon* common = (const sgBlendCommon*)(const void*)values;
	Entries entries = {
		.values = values + sgBlendKind_HeadValues(kind),
		.stride = sgBlendKind_EntryValues(kind),
		.transforms = blend->entryTransforms + family->firstEntry,
		.count = family->entryCount,
	};
	sgBoxLanes boxes;
	f8 limit = f8_Set(2.0f * SNUG_MAX_COORDINATE);
	for (int axis = 0; axis < 3; ++axis)
	{
		Interval interval = BoundRow(common, &entries, rows + 4 * axis, kind);
		f8 error = f8_Mul(LoadLanes(&common->error), f8_Set(reach[axis]));
		// A NaN, which only overflow can make, becomes the limit: Min and Max return their second operand then.
		f8 lower = f8_Max(f8_Sub(interval.lower, error), f8_Sub(f8_Set(0.0f), limit));
		f8 upper = f8_Min(f8_Add(interval.upper, error), limit);
		f8_Store(boxes.lower[axis], lower);
		f8_Store(boxes.upper[axis], upper);
	}
	if (mask == 0xff)
	{
		*out = boxes;
		return;
	}
	for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		sgBox box = sgBoxLanes_Get(&boxes, lane);
		sgBoxLanes_Set(out, lane, &box);
	}
}

const sgBlendKernels SG_FOR_ISA(sgBlendKernels) = {
	.evaluate = Evaluate,
	.bound = Bound,
};
