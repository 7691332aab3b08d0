// src/deform/bounds/local.h: one coordinate of a family's nodes from the ranges of their weights and the boxes of what
// each transform moves: a linear program. A part of kernels, which alone include it; docs/bounds/skins.md for why.
#ifndef SG_BLEND_LOCAL_H
#define SG_BLEND_LOCAL_H

#include "deform/bounds/linear_bounds.h"
#include "geometry/interval.h"

#include <float.h>

static inline f8 LoadLanes(const sgLaneFloats* values)
{
	return f8_Load(values->lane);
}

/// One coordinate's row of a transform: entry k is at 4 k of what comes back.
/// @param rows sgLinearView.columns, and the coordinate further
static inline const float* GetRow(const float* rows, uint32_t transform)
{
	return rows + 16 * (size_t)transform;
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

SG_INLINE void Program_Add(Program* program, f8 b, f8 low, f8 spread, m8 isAbsent)
{
	program->base = f8_MulAddLoose(low, b, program->base);
	program->weighted = f8_MulAddLoose(f8_Add(f8_Add(low, low), spread), b, program->weighted);
	f8 own = f8_Select(isAbsent, f8_Set(-FLT_MAX), b);
	m8 isLarger = f8_Less(program->largest, own);
	program->second = f8_Max(program->second, f8_Min(own, program->largest));
	program->spread = f8_Select(isLarger, spread, program->spread);
	program->largest = f8_Max(program->largest, own);
}

// Eq. (12) of the meshless paper: the dual at the second largest b. A node with one transform has no second: its spread
// and slack are zero, and the largest stands in for it.
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

/// The same for vertices that morph targets displace: by intervals, and by fits, by which a rest position lc + delta,
/// delta within the entry's box, goes to lc + mean + G (lc - c) + (1 + G) delta +- residual. What both allow.
static SG_NOINLINE Interval ImageOfMoved(const float* row, const sgLocalEntry* entry, const sgMorphLanes* morph)
{
	f8 zero = f8_Set(0.0f), middle = f8_Set(row[12]), extent = zero, mean = middle, spread = zero;
	f8 turned[3] = { zero, zero, zero };
	for (int k = 0; k < 3; ++k)
	{
		f8 at = f8_Set(row[4 * k]), center = LoadLanes(entry->center + k);
		middle = f8_MulAddLoose(at, f8_Add(center, f8_Load(morph->middle[k])), middle);
		extent = f8_MulAddLoose(f8_Abs(at), f8_Add(LoadLanes(entry->half + k), f8_Load(morph->half[k])), extent);
		if (morph->hasFit)
		{
			mean = f8_MulAddLoose(at, f8_Add(center, f8_Load(morph->mean[k])), mean);
			spread = f8_MulAddLoose(f8_Abs(at), f8_Load(morph->residual[k]), spread);
			for (int l = 0; l < 3; ++l)
			{
				turned[l] = f8_MulAddLoose(at, f8_Load(morph->gradient[k][l]), turned[l]);
			}
		}
	}
	Interval image = { f8_Sub(middle, extent), f8_Add(middle, extent) };
	if (!morph->hasFit)
	{
		return image;
	}
	for (int l = 0; l < 3; ++l)
	{
		f8 from = f8_Sub(LoadLanes(entry->center + l), f8_Load(morph->center[l]));
		mean = f8_MulAddLoose(turned[l], from, mean);
		f8 whole = f8_Abs(f8_Add(turned[l], f8_Set(row[4 * l])));
		spread = f8_MulAddLoose(whole, LoadLanes(entry->half + l), spread);
	}
	// A NaN of the fit, which only overflow can make, gives way: it is the first operand.
	return (Interval){ f8_Max(f8_Sub(mean, spread), image.lower), f8_Min(f8_Add(mean, spread), image.upper) };
}

/// @param morph nullable, a constant at every call: displacements of vertices from their rest positions
SG_INLINE Interval ProgramRow(
    const sgLinearCommon* common, const Entries* entries, const float* rows, const sgMorphLanes* morph)
{
	Program up = Program_Start(), down = Program_Start();
	Images images;
	f8 zero = f8_Set(0.0f), total = zero;
	bool isKept = entries->count <= KEPT_IMAGES;
	for (uint32_t j = 0; j < entries->count; ++j)
	{
		const sgLocalEntry* entry = Entries_Get(entries, j);
		const float* row = GetRow(rows, entries->transforms[j]);
		Interval image = morph != NULL ? ImageOfMoved(row, entry, morph) : ImageOfBox(row, entry->center, entry->half);
		f8 low = LoadLanes(&entry->range.low), spread = LoadLanes(&entry->range.spread);
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
	return (Interval){ f8_Sub(zero, lower), upper };
}

#endif
