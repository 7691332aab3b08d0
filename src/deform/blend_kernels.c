// src/deform/blend_kernels.c: see blend_kernels.h; docs/bounds.md for why these are bounds.
//
// Lane i of everything is node i of the family. A row is one row of the transforms: the bound of a coordinate needs no
// other, so each kind is a function of one row. Nodes that do not have a transform have zeros for it.
#include "deform/blend_kernels.h"

#include "base/simd.h"

#include <float.h>
#include <math.h>
#include <string.h>

static inline f8 LoadLanes(const sgLaneFloats* values)
{
	return f8_Load(values->lane);
}

static inline const float* ColumnsOf(const sgBlend* blend, const float* columns, uint32_t influence)
{
	return columns + 16 * (size_t)blend->transforms[influence];
}

static inline void StorePosition(f16 matrix, const float* p, float* out)
{
	f8 xy = f8_Mul(f16_Low(matrix), f8_FromHalves(f4_Set(p[0]), f4_Set(p[1])));
	f8 z1 = f8_Mul(f16_High(matrix), f8_FromHalves(f4_Set(p[2]), f4_Set(1.0f)));
	f4_Store(out, f4_Add(f4_Add(f4_Add(f8_Low(xy), f8_High(xy)), f8_Low(z1)), f8_High(z1)));
}

// Add the influences of a vertex from `k` on.
static inline f16 AddInfluences(const sgBlend* blend, const float* columns, uint32_t k, uint32_t end, f16 matrix)
{
	for (; k < end; ++k)
	{
		matrix = f16_AddScaled(matrix, blend->weights[k], f16_Load(ColumnsOf(blend, columns, k)));
	}
	return matrix;
}

// Two vertices at a time: each one's sum waits for itself, so two hide half of the waiting. Every store writes a fourth
// float, a zero, which the next one overwrites.
static void Evaluate(const sgBlend* blend, const float* columns, const float* positions, const uint32_t* vertices,
    uint32_t count, float* out)
{
	uint32_t i = 0;
	for (; i + 2 <= count; i += 2, out += 6)
	{
		uint32_t v = vertices[i], w = vertices[i + 1];
		uint32_t k = blend->starts[v], m = blend->starts[w];
		uint32_t lengthV = blend->starts[v + 1] - k, lengthW = blend->starts[w + 1] - m;
		uint32_t both = lengthV < lengthW ? lengthV : lengthW;
		f16 matrixV = f16_Zero(), matrixW = f16_Zero();
		for (uint32_t n = 0; n < both; ++n)
		{
			matrixV = f16_AddScaled(matrixV, blend->weights[k + n], f16_Load(ColumnsOf(blend, columns, k + n)));
			matrixW = f16_AddScaled(matrixW, blend->weights[m + n], f16_Load(ColumnsOf(blend, columns, m + n)));
		}
		matrixV = AddInfluences(blend, columns, k + both, k + lengthV, matrixV);
		matrixW = AddInfluences(blend, columns, m + both, m + lengthW, matrixW);
		StorePosition(matrixV, positions + 3 * (size_t)v, out);
		StorePosition(matrixW, positions + 3 * (size_t)w, out + 3);
	}
	if (i < count)
	{
		uint32_t v = vertices[i];
		f16 matrix = AddInfluences(blend, columns, blend->starts[v], blend->starts[v + 1], f16_Zero());
		StorePosition(matrix, positions + 3 * (size_t)v, out);
	}
}

// Lanes are vertices. Transforms that do not move a vertex add zeros to its matrix, which changes no bit of it.
static inline void EvaluateBlock(
    const sgLaneFloats* values, const uint16_t* transforms, uint32_t transformCount, const float* columns, float* out)
{
	f8 matrix[4][3];
	for (int k = 0; k < 4; ++k)
	{
		matrix[k][0] = matrix[k][1] = matrix[k][2] = f8_Set(0.0f);
	}
	for (uint32_t j = 0; j < transformCount; ++j)
	{
		f8 weight = LoadLanes(values + 3 + j);
		const float* column = columns + 16 * (size_t)transforms[j];
		for (int k = 0; k < 4; ++k)
		{
			for (int i = 0; i < 3; ++i)
			{
				matrix[k][i] = f8_Add(matrix[k][i], f8_Mul(weight, f8_Set(column[4 * k + i])));
			}
		}
	}
	f8 x = LoadLanes(values), y = LoadLanes(values + 1), z = LoadLanes(values + 2), placed[3];
	for (int i = 0; i < 3; ++i)
	{
		f8 sum = f8_Add(f8_Mul(matrix[0][i], x), f8_Mul(matrix[1][i], y));
		placed[i] = f8_Add(f8_Add(sum, f8_Mul(matrix[2][i], z)), matrix[3][i]);
	}
	f8_StorePoints(out, placed[0], placed[1], placed[2]);
}

static void EvaluateBlocks(const sgBlend* blend, uint32_t firstBlock, uint32_t count, const float* columns, float* out)
{
	const sgBlendBlock* block = blend->blocks + firstBlock;
	for (uint32_t done = 0; done < count; done += SG_LANES, ++block)
	{
		uint32_t left = count - done;
		float last[3 * SG_LANES + 1];
		float* to = left < SG_LANES ? last : out + 3 * (size_t)done;
		EvaluateBlock(blend->blockValues + block->values, blend->blockTransforms + block->transforms,
		    block->transformCount, columns, to);
		if (left < SG_LANES)
		{
			memcpy(out + 3 * (size_t)done, last, 3 * (size_t)left * sizeof(float));
		}
	}
}

static void StoreColumns(const float* matrix, float* columns)
{
	f4 rows[4] = { f4_Load(matrix), f4_Load(matrix + 4), f4_Load(matrix + 8), f4_Set(0.0f) };
	f4_Transpose(rows);
	for (int k = 0; k < 4; ++k)
	{
		f4_Store(columns + 4 * k, rows[k]);
	}
}

// In float32 and never fused, so that whether a pose is accepted does not depend on the machine. Entries are limited
// too: where the rest mesh is flat at zero they lead nowhere, but a blend of entries near FLT_MAX is infinite.
static uint32_t TakeMatrices(const float* const matrices[SG_LANES], uint32_t count, const float restReach[3],
    float limit, float* across, float* columns, float reach[3])
{
	uint32_t good = 0xff;
	for (int axis = 0; axis < 3; ++axis)
	{
		f4 low[4], high[4];
		for (int i = 0; i < 4; ++i)
		{
			low[i] = f4_Load(matrices[i] + 4 * axis);
			high[i] = f4_Load(matrices[4 + i] + 4 * axis);
		}
		f4_Transpose(low);
		f4_Transpose(high);
		f8 sum = f8_Set(0.0f);
		for (int k = 0; k < 4; ++k)
		{
			size_t place = SG_LANES * (4 * (size_t)axis + (size_t)k);
			f8 entry = f8_FromHalves(low[k], high[k]), weight = f8_Set(k < 3 ? restReach[k] : 1.0f);
			f8_Store(across + place, entry);
			good &= m8_Bits(f8_LessEqual(f8_Abs(entry), f8_Set(limit)));
			sum = f8_Add(sum, f8_Mul(f8_Abs(entry), weight));
		}
		good &= m8_Bits(f8_LessEqual(sum, f8_Set(limit)));
		float most = f8_ReduceMax(sum);
		reach[axis] = most > reach[axis] ? most : reach[axis];
	}
	for (uint32_t lane = 0; lane < count; ++lane)
	{
		StoreColumns(matrices[lane], columns + 16 * (size_t)lane);
	}
	return ~good & 0xff;
}

// |D [c; 1]| + |D| half with D = after - before.
static float FindMotion(const float* before, const float* after, const sgBlendMoved* moved)
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

/// The interval of one coordinate, per node.
typedef struct Interval
{
	f8 lower;
	f8 upper;
} Interval;

/// One direction's rows of all transforms: row j is base[stride j + 4 k] for k = 0 to 3.
typedef struct Rows
{
	const float* base;
	size_t stride;
} Rows;

static inline const float* Rows_Get(const Rows* rows, uint32_t transform)
{
	return rows->base + rows->stride * transform;
}

/// A row of a transform applied to a box: center +- half.
static inline Interval ImageOfBox(const float* row, const sgLaneFloats center[3], const sgLaneFloats half[3])
{
	f8 middle = f8_Set(row[12]), extent = f8_Set(0.0f);
	for (int k = 0; k < 3; ++k)
	{
		f8 entry = f8_Set(row[4 * k]);
		middle = f8_MulAddLoose(entry, LoadLanes(center + k), middle);
		extent = f8_MulAddLoose(f8_Abs(entry), LoadLanes(half + k), extent);
	}
	return (Interval){ f8_Sub(middle, extent), f8_Add(middle, extent) };
}

static inline Interval ImageOfOrientedBox(const float* row, const sgLaneFloats center[3], const sgBlendOrientedBox* box)
{
	f8 zero = f8_Set(0.0f), middle = f8_Set(row[12]), along[3] = { zero, zero, zero };
	for (int k = 0; k < 3; ++k)
	{
		f8 entry = f8_Set(row[4 * k]);
		middle = f8_MulAddLoose(entry, LoadLanes(center + k), middle);
		middle = f8_MulAddLoose(entry, LoadLanes(box->offset + k), middle);
		for (int axis = 0; axis < 3; ++axis)
		{
			along[axis] = f8_MulAddLoose(entry, LoadLanes(&box->axes[axis][k]), along[axis]);
		}
	}
	f8 extent = f8_Add(f8_Add(f8_Abs(along[0]), f8_Abs(along[1])), f8_Abs(along[2]));
	return (Interval){ f8_Sub(middle, extent), f8_Add(middle, extent) };
}

/// A direction d, the same for all nodes, as a sum of axes and diagonals of a cube: with |d| sorted a >= b >= c,
///   d = one diagonal c + axes (a - c), (b - c),   or   two diagonals (b + c) / 2, (b - c) / 2 + axis (a - b).
typedef struct Diagonals
{
	float size[3]; ///< |d| along the axes
	int axis[3];   ///< of the largest, the next and the smallest
	uint32_t sign; ///< bit k: d is negative along axis k
} Diagonals;

static inline Diagonals Diagonals_Make(const float* row)
{
	Diagonals d = { .axis = { 0, 1, 2 }, .sign = 0 };
	for (int k = 0; k < 3; ++k)
	{
		d.size[k] = __builtin_fabsf(row[4 * k]);
		d.sign |= (uint32_t)(row[4 * k] < 0.0f) << k;
	}
	for (int i = 0; i < 3; ++i)
	{
		int k = i == 1 ? 1 : 0; // sort three: compare the pairs (0, 1), (1, 2), (0, 1)
		if (d.size[d.axis[k]] < d.size[d.axis[k + 1]])
		{
			int axis = d.axis[k];
			d.axis[k] = d.axis[k + 1];
			d.axis[k + 1] = axis;
		}
	}
	return d;
}

// The least of the box' support and of those of two sums of diagonals; `flip` is 7 for the opposite direction.
static inline f8 SupportOfDop(const Diagonals* d, uint32_t flip, const sgLaneFloats half[3], const sgBlendDop* dop)
{
	float a = d->size[d->axis[0]], b = d->size[d->axis[1]], c = d->size[d->axis[2]];
	f8 halfA = LoadLanes(half + d->axis[0]), halfB = LoadLanes(half + d->axis[1]), halfC = LoadLanes(half + d->axis[2]);
	uint32_t sign = d->sign ^ flip;
	f8 first = LoadLanes(dop->support + sign), second = LoadLanes(dop->support + (sign ^ (1u << d->axis[2])));
	f8 box = f8_MulAddLoose(f8_Set(c), halfC, f8_MulAddLoose(f8_Set(b), halfB, f8_Mul(f8_Set(a), halfA)));
	f8 one = f8_MulAddLoose(f8_Set(a - c), halfA, f8_MulAddLoose(f8_Set(b - c), halfB, f8_Mul(f8_Set(c), first)));
	f8 two = f8_Add(f8_Mul(f8_Set(0.5f * (b + c)), first), f8_Mul(f8_Set(0.5f * (b - c)), second));
	two = f8_MulAddLoose(f8_Set(a - b), halfA, two);
	return f8_Min(box, f8_Min(one, two));
}

static inline Interval ImageOfDop(const float* row, const sgBlendCommon* common, const sgBlendDop* dop)
{
	f8 middle = f8_Set(row[12]);
	for (int k = 0; k < 3; ++k)
	{
		middle = f8_MulAddLoose(f8_Set(row[4 * k]), LoadLanes(common->center + k), middle);
	}
	Diagonals d = Diagonals_Make(row);
	f8 ahead = SupportOfDop(&d, 0, common->half, dop), behind = SupportOfDop(&d, 7, common->half, dop);
	return (Interval){ f8_Sub(middle, behind), f8_Add(middle, ahead) };
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

/// The entries of a family, one after the other.
typedef struct Entries
{
	const sgLaneFloats* values;
	uint32_t stride; ///< in sgLaneFloats
	const uint16_t* transforms;
	uint32_t count;
} Entries;

static inline const void* Entries_Get(const Entries* entries, uint32_t j)
{
	return entries->values + j * (size_t)entries->stride;
}

/// What the programs of both directions leave behind for a second look at them.
typedef struct Images
{
	f8 up[KEPT_IMAGES], down[KEPT_IMAGES], spreads[KEPT_IMAGES];
} Images;

/// How a family is bounded by ranges of weights; constant at every call.
typedef struct ProgramKind
{
	sgBlendKind kind;
	snugRestVolume rest;
} ProgramKind;

SG_INLINE Interval ImageOfRest(
    const float* row, const sgBlendCommon* common, const sgLocalEntry* local, ProgramKind how)
{
	if (how.kind == sgBlend_local)
	{
		return ImageOfBox(row, local->center, local->half);
	}
	switch (how.rest)
	{
		case snug_restOrientedBox:
			return ImageOfOrientedBox(row, common->center, (const sgBlendOrientedBox*)(const void*)(common + 1));
		case snug_restDop14:
			return ImageOfDop(row, common, (const sgBlendDop*)(const void*)(common + 1));
		default:
			return ImageOfBox(row, common->center, common->half);
	}
}

// Kinds limited, program and local.
SG_INLINE Interval ProgramRow(const sgBlendCommon* common, const Entries* entries, const Rows* rows, ProgramKind how)
{
	Program up = Program_Start(), down = Program_Start();
	Images images;
	f8 zero = f8_Set(0.0f), total = zero;
	bool isKept = how.kind != sgBlend_limited && entries->count <= KEPT_IMAGES;
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgRangeEntry* range = Entries_Get(entries, j);
		const float* row = Rows_Get(rows, entries->transforms[j]);
		Interval image = ImageOfRest(row, common, (const sgLocalEntry*)(const void*)range, how);
		f8 low = LoadLanes(&range->low), spread = LoadLanes(&range->spread);
		f8 weight = f8_Add(low, spread);
		m8 isAbsent = f8_LessEqual(weight, zero);
		Program_Add(&up, image.upper, low, spread, isAbsent);
		Program_Add(&down, f8_Sub(zero, image.lower), low, spread, isAbsent);
		total = f8_Add(total, f8_Add(low, weight));
		if (isKept)
		{
			images.up[j] = image.upper;
			images.down[j] = f8_Sub(zero, image.lower);
			images.spreads[j] = spread;
		}
	}
	f8 slack = LoadLanes(&common->slack);
	f8 upper = Program_Limited(&up, slack), lower = Program_Limited(&down, slack);
	if (isKept)
	{
		f8 inverse = f8_Div(f8_Set(1.0f), f8_Max(total, f8_Set(0x1p-20f)));
		f8 lambdaUp = f8_Mul(up.weighted, inverse), lambdaDown = f8_Mul(down.weighted, inverse);
		upper = f8_Min(DualAt(lambdaUp, up.base, slack, images.up, images.spreads, entries->count), upper);
		lower = f8_Min(DualAt(lambdaDown, down.base, slack, images.down, images.spreads, entries->count), lower);
	}
	// The dual is convex and piecewise linear: its minimum, the program's maximum, is at one of the images.
	for (uint32_t k = 0; how.kind == sgBlend_program && isKept && k < entries->count; ++k)
	{
		upper = f8_Min(DualAt(images.up[k], up.base, slack, images.up, images.spreads, entries->count), upper);
		lower = f8_Min(DualAt(images.down[k], down.base, slack, images.down, images.spreads, entries->count), lower);
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

SG_INLINE Reference ReferenceRow(
    const sgBlendVolume* volume, const Entries* entries, const Rows* rows, bool hasGradient)
{
	Reference reference;
	f8 zero = f8_Set(0.0f);
	for (int k = 0; k < 4; ++k)
	{
		reference.map[k] = reference.change[0][k] = reference.change[1][k] = reference.change[2][k] = zero;
	}
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgFirstEntry* entry = Entries_Get(entries, j);
		const float* row = Rows_Get(rows, entries->transforms[j]);
		f8 mean = LoadLanes(&entry->mean);
		for (int k = 0; k < 4; ++k)
		{
			f8 value = f8_Set(row[4 * k]);
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
SG_INLINE f8 ResidualRow(
    const Reference* reference, const Entries* entries, const Rows* rows, const f8 center[3], const f8 half[3])
{
	f8 sum = f8_Set(0.0f);
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgZeroEntry* entry = Entries_Get(entries, j);
		const float* row = Rows_Get(rows, entries->transforms[j]);
		f8 difference[4];
		for (int k = 0; k < 4; ++k)
		{
			difference[k] = f8_Sub(f8_Set(row[4 * k]), reference->map[k]);
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
		f8 square = f8_Mul(f8_Mul(reference->change[a][a], half[a]), half[a]);
		int b = (a + 1) % 3;
		f8 mixed = f8_Abs(f8_Add(reference->change[a][b], reference->change[b][a]));
		mixed = f8_Mul(f8_Mul(mixed, half[a]), half[b]);
		sum.upper = f8_Add(sum.upper, f8_Add(f8_Max(square, zero), mixed));
		sum.lower = f8_Add(sum.lower, f8_Sub(f8_Min(square, zero), mixed));
	}
	return sum;
}

// Kinds zeroOrder and firstOrder.
SG_INLINE Interval OrderRow(const sgBlendCommon* common, const sgBlendVolume* volume, const Entries* entries,
    const Rows* rows, bool hasGradient)
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

static SG_NOINLINE Interval ZeroOrderRow(
    const sgBlendCommon* common, const sgBlendVolume* volume, const Entries* entries, const Rows* rows)
{
	return OrderRow(common, volume, entries, rows, false);
}

static SG_NOINLINE Interval FirstOrderRow(
    const sgBlendCommon* common, const sgBlendVolume* volume, const Entries* entries, const Rows* rows)
{
	return OrderRow(common, volume, entries, rows, true);
}

static SG_NOINLINE Interval LocalRow(const sgBlendCommon* common, const Entries* entries, const Rows* rows)
{
	return ProgramRow(common, entries, rows, (ProgramKind){ sgBlend_local, snug_restBox });
}

// Kind mixed: the first-order bound and the local program, whichever is tighter for each node and side.
static inline Interval MixedRow(
    const sgBlendCommon* common, const sgBlendVolume* volume, const Entries* first, const Rows* rows)
{
	Entries local = {
		.values = first->values + first->count * (size_t)first->stride,
		.stride = sizeof(sgLocalEntry) / sizeof(sgLaneFloats),
		.transforms = first->transforms,
		.count = first->count,
	};
	Interval a = FirstOrderRow(common, volume, first, rows);
	Interval b = LocalRow(common, &local, rows);
	// A NaN of the first-order bound, which only overflow can make, gives way: it is the first operand.
	return (Interval){ f8_Max(a.lower, b.lower), f8_Min(a.upper, b.upper) };
}

SG_INLINE Interval LimitedRow(
    const sgBlendCommon* common, const Entries* entries, const Rows* rows, sgBlendKind kind, snugRestVolume rest)
{
	switch (rest)
	{
		case snug_restOrientedBox:
			return ProgramRow(common, entries, rows, (ProgramKind){ kind, snug_restOrientedBox });
		case snug_restDop14:
			return ProgramRow(common, entries, rows, (ProgramKind){ kind, snug_restDop14 });
		default:
			return ProgramRow(common, entries, rows, (ProgramKind){ kind, snug_restBox });
	}
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

/// One direction of a lone node: the least of the dual at the lambdas that the kind looks at.
static inline float BestAcross(
    const Program* program, float slack, float total, const f8* images, const f8* spreads, uint32_t count, bool all)
{
	float base, weighted;
	float best = CombineLimited(program, slack, &base, &weighted);
	if (images == NULL)
	{
		return best;
	}
	float lambda = weighted / (total > 0x1p-20f ? total : 0x1p-20f);
	float value = DualAcross(lambda, base, slack, images, spreads, count);
	best = value < best ? value : best;
	for (uint32_t k = 0; all && k < count; ++k)
	{
		float candidates[SG_LANES] SG_ALIGN(32);
		f8_Store(candidates, images[k]);
		for (int lane = 0; lane < SG_LANES; ++lane)
		{
			value = DualAcross(candidates[lane], base, slack, images, spreads, count);
			best = value < best ? value : best;
		}
	}
	return best;
}

// Kinds limited, program and local of a node alone; one row of all transforms side by side.
SG_INLINE void AcrossRow(const sgBlendCommon* common, const Entries* entries, const float* across, int axis,
    sgBlendKind kind, float* lower, float* upper)
{
	Program up = Program_Start(), down = Program_Start();
	Images images;
	f8 zero = f8_Set(0.0f), total = zero;
	bool isKept = kind != sgBlend_limited && entries->count <= KEPT_IMAGES;
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgLocalEntry* entry = Entries_Get(entries, j);
		const float* row = across + SG_LANES * (12 * (size_t)entries->transforms[j] + 4 * (size_t)axis);
		f8 middle = f8_Load(row + 3 * SG_LANES), extent = zero;
		for (int k = 0; k < 3; ++k)
		{
			f8 at = f8_Load(row + SG_LANES * k);
			bool isLocal = kind == sgBlend_local;
			f8 center = isLocal ? LoadLanes(entry->center + k) : f8_Set(common->center[k].lane[0]);
			f8 half = isLocal ? LoadLanes(entry->half + k) : f8_Set(common->half[k].lane[0]);
			middle = f8_MulAddLoose(at, center, middle);
			extent = f8_MulAddLoose(f8_Abs(at), half, extent);
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
	bool all = kind == sgBlend_program && isKept;
	*upper = BestAcross(&up, slack, sum, isKept ? images.up : NULL, images.spreads, entries->count, all);
	*lower = -BestAcross(&down, slack, sum, isKept ? images.down : NULL, images.spreads, entries->count, all);
}

static void BoundAlone(
    const sgBlend* blend, const sgBlendFamily* family, const Entries* entries, const sgBlendPose* pose, sgBoundsOut out)
{
	const sgBlendCommon* common = (const sgBlendCommon*)(const void*)(blend->values + family->values);
	const float* across = sgBlendPose_Across(pose, blend->header->transformCount);
	for (int axis = 0; axis < 3; ++axis)
	{
		float lower, upper;
		switch ((sgBlendKind)family->kind)
		{
			case sgBlend_limited:
				AcrossRow(common, entries, across, axis, sgBlend_limited, &lower, &upper);
				break;
			case sgBlend_program:
				AcrossRow(common, entries, across, axis, sgBlend_program, &lower, &upper);
				break;
			default:
				AcrossRow(common, entries, across, axis, sgBlend_local, &lower, &upper);
				break;
		}
		float error = common->error.lane[0] * pose->reach[axis];
		const float limit = 2.0f * SNUG_MAX_COORDINATE;
		lower -= error;
		upper += error;
		// Written so that NaN becomes the limit.
		out.boxes->lower[axis][0] = lower > -limit ? lower : -limit;
		out.boxes->upper[axis][0] = upper < limit ? upper : limit;
	}
}

// ---- Families --------------------------------------------------------------------------------------------------

static inline Interval BoundRow(
    const sgBlendFamily* family, const sgBlendCommon* common, const Entries* entries, const Rows* rows)
{
	const sgBlendVolume* volume = (const sgBlendVolume*)(const void*)(common + 1);
	snugRestVolume rest = (snugRestVolume)family->rest;
	switch ((sgBlendKind)family->kind)
	{
		case sgBlend_limited:
			return LimitedRow(common, entries, rows, sgBlend_limited, rest);
		case sgBlend_program:
			return LimitedRow(common, entries, rows, sgBlend_program, rest);
		case sgBlend_local:
			return LocalRow(common, entries, rows);
		case sgBlend_zeroOrder:
			return ZeroOrderRow(common, volume, entries, rows);
		case sgBlend_firstOrder:
			return FirstOrderRow(common, volume, entries, rows);
		default:
			return MixedRow(common, volume, entries, rows);
	}
}

// The interval with its rounding. A NaN, which only overflow can make, becomes the limit: Min and Max return their
// second operand then.
static void StoreInterval(
    Interval interval, const sgBlendCommon* common, float reach, uint32_t mask, float* lower, float* upper)
{
	f8 error = f8_Mul(LoadLanes(&common->error), f8_Set(reach)), limit = f8_Set(6.0f * SNUG_MAX_COORDINATE);
	f8 least = f8_Max(f8_Sub(interval.lower, error), f8_Sub(f8_Set(0.0f), limit));
	f8 most = f8_Min(f8_Add(interval.upper, error), limit);
	if (mask == 0xff)
	{
		f8_Store(lower, least);
		f8_Store(upper, most);
		return;
	}
	float lanes[2][SG_LANES] SG_ALIGN(32);
	f8_Store(lanes[0], least);
	f8_Store(lanes[1], most);
	for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		lower[lane] = lanes[0][lane];
		upper[lane] = lanes[1][lane];
	}
}

static void Bound(
    const sgBlend* blend, const sgBlendFamily* family, const sgBlendPose* pose, uint32_t mask, sgBoundsOut out)
{
	const sgBlendHeader* header = blend->header;
	const sgLaneFloats* values = blend->values + family->values;
	const sgBlendCommon* common = (const sgBlendCommon*)(const void*)values;
	Entries entries = {
		.values = values + sgBlendFamily_HeadValues(family),
		.stride = sgBlendKind_EntryValues((sgBlendKind)family->kind),
		.transforms = blend->entryTransforms + family->firstEntry,
		.count = family->entryCount,
	};
	if (family->isAcross)
	{
		BoundAlone(blend, family, &entries, pose, out);
		return;
	}
	for (uint32_t axis = 0; axis < 3; ++axis)
	{
		Rows rows = { sgBlendPose_Columns(pose) + axis, 16 };
		Interval interval = BoundRow(family, common, &entries, &rows);
		StoreInterval(interval, common, pose->reach[axis], mask, out.boxes->lower[axis], out.boxes->upper[axis]);
	}
	uint32_t blocks = sgBlend_DopBlocks((snugVolume)header->volume);
	const float* slabs = sgBlendPose_Slabs(pose, header->transformCount);
	for (uint32_t i = 0; blocks > 0 && i < sgVolume_ExtraSlabs((snugVolume)header->volume); ++i)
	{
		Rows rows = { slabs + 16 * (size_t)(i / 4) + i % 4, 16 * (size_t)blocks };
		Interval interval = BoundRow(family, common, &entries, &rows);
		StoreInterval(interval, common, pose->reach[3 + i], mask, out.extra[i].lower, out.extra[i].upper);
	}
}

const sgBlendKernels SG_FOR_ISA(sgBlendKernels) = {
	.evaluate = Evaluate,
	.evaluateBlocks = EvaluateBlocks,
	.bound = Bound,
	.takeMatrices = TakeMatrices,
	.findMotion = FindMotion,
};
