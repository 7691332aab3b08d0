// gpu/kernels/roots.h: bodies as they are posed: whether they can be, their frames, how far they reach, a box.
//
// docs/bounds/placement.md proves what is added: "Boxes on a device".
#ifndef SG_GPU_ROOTS_H
#define SG_GPU_ROOTS_H

#include "deform/skin/linear.h"
#include "geometry/margins.h"
#include "place.h"

typedef struct RootScratch
{
	sgBodyState state;
	float rest[3];      ///< how far vertices reach before joints move them
	float bodyReach[3]; ///< and after, along the body's axes
	uint32_t faults[SG_GPU_LANES];
	uint32_t isMoved[SG_GPU_LANES];
	double sums[SG_GPU_LANES][3];
	float reach[SG_GPU_LANES][3];
	float up[SG_GPU_LANES][3], down[SG_GPU_LANES][3];
	float middle[3], half[3]; ///< of displacements
} RootScratch;

enum
{
	fault_pose = 1,
	fault_tooFar = 2,
};

static inline bool IsFinite(double x)
{
	return x - x == 0.0;
}

// sgFrame_Make, and the translation of sgPlacement_Make.
static inline bool MakeFrame(const sgWorld* w, const snugFrame* frame, sgBodyState* state)
{
	double q[4] = { 0.0, 0.0, 0.0, 1.0 }, position[3] = { 0.0, 0.0, 0.0 }, length2 = 1.0;
	if (frame != NULL)
	{
		length2 = 0.0;
		for (int i = 0; i < 4; ++i)
		{
			q[i] = frame->rotation[i];
			length2 += q[i] * q[i];
		}
		for (int i = 0; i < 3; ++i)
		{
			position[i] = frame->position[i];
		}
		if (q[0] == 0.0 && q[1] == 0.0 && q[2] == 0.0 && q[3] == 0.0)
		{
			q[3] = 1.0;
			length2 = 1.0;
		}
	}
	const double scale = 1.0 / ROOT(length2);
	const double x = q[0] * scale, y = q[1] * scale, z = q[2] * scale, v = q[3] * scale;
	const double rotation[3][3] = {
		{ 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - v * z), 2.0 * (x * z + v * y) },
		{ 2.0 * (x * y + v * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - v * x) },
		{ 2.0 * (x * z - v * y), 2.0 * (y * z + v * x), 1.0 - 2.0 * (x * x + y * y) },
	};
	bool isPlaced = !(x == 0.0 && y == 0.0 && z == 0.0), isGood = length2 >= 0.9801 && length2 <= 1.0201;
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			state->rotation[i][k] = rotation[i][k];
		}
		state->translation[i] = position[i] - w->origin[i];
		isPlaced = isPlaced || state->translation[i] != 0.0;
		isGood = isGood && IsFinite(position[i]);
	}
	state->isPlaced = isPlaced ? 1 : 0;
	return isGood;
}

static inline uint32_t ModelOf(const sgWorld* w, uint32_t body)
{
	uint32_t model = 0;
	while (model + 1 < w->imageCount && body >= w->images[model + 1].firstBody)
	{
		++model;
	}
	return model;
}

// How far fields may move anything: sums of what lanes add up, then sgFieldsPose_Set.
static inline void SumAmplitudes(const sgWorld* w, const sgImage* image, const float* amplitudes, RootScratch* s)
{
	LANES(l)
	{
		double sums[3] = { 0.0, 0.0, 0.0 };
		uint32_t isMoved = 0;
		for (uint32_t f = l; f < image->fieldCount; f += SG_GPU_LANES)
		{
			const float amplitude = amplitudes[f];
			isMoved |= amplitude != 0.0f;
			s->faults[l] |= IsFinite((double)amplitude) ? 0 : fault_pose;
			for (int k = 0; k < 3; ++k)
			{
				sums[k] += fabs((double)amplitude) * (double)image->most[3 * f + (uint32_t)k];
			}
		}
		s->isMoved[l] = isMoved;
		for (int k = 0; k < 3; ++k)
		{
			s->sums[l][k] = sums[k];
		}
	}
}

static inline void FindRest(const sgImage* image, RootScratch* s)
{
	double sums[3] = { 0.0, 0.0, 0.0 };
	uint32_t isMoved = 0;
	for (uint32_t l = 0; l < SG_GPU_LANES; ++l)
	{
		isMoved |= s->isMoved[l];
		for (int k = 0; k < 3; ++k)
		{
			sums[k] += s->sums[l][k];
		}
	}
	const double size =
	    1.0 + (double)image->fieldReach[0] + (double)image->fieldReach[1] + (double)image->fieldReach[2];
	for (int k = 0; k < 3; ++k)
	{
		const double reach = (double)image->fieldReach[k] + sums[k];
		const float most = ROUND_UP(reach * (1.0 + SG_MARGIN_REACH) + SG_MARGIN_UNDERFLOW * size * size);
		s->state.shiftError[k] = image->fieldError * most;
		s->rest[k] = image->restReach[k] + (isMoved != 0 ? most : 0.0f);
		const bool isFar = sums[k] > 0.0 && !(reach <= 0.99 * (double)SNUG_MAX_COORDINATE);
		s->faults[0] |= isFar ? fault_tooFar : 0;
	}
	s->state.isMoved = isMoved;
}

// sgLinearKernels.checkAcross, of one matrix: the same bits, so that what is refused is.
static inline uint32_t CheckMatrix(const float* matrix, const float rest[3], float reach[3])
{
	uint32_t fault = 0;
	for (int axis = 0; axis < 3; ++axis)
	{
		float sum = 0.0f;
		for (int k = 0; k < 4; ++k)
		{
			const float entry = fabsf(matrix[4 * axis + k]);
			const float reached = k < 3 ? rest[k] : 1.0f;
			fault |= entry <= SG_BLEND_LIMIT ? 0 : IsFinite((double)entry) ? fault_tooFar : fault_pose;
			sum = sum + entry * reached;
		}
		fault |= sum <= SG_BLEND_LIMIT ? 0 : fault_tooFar;
		reach[axis] = sum > reach[axis] ? sum : reach[axis];
	}
	return fault;
}

static inline void CheckJoints(const sgWorld* w, const sgImage* image, const float* palette, RootScratch* s)
{
	LANES(l)
	{
		float reach[3] = { 0.0f, 0.0f, 0.0f };
		for (uint32_t j = l; j < image->jointCount; j += SG_GPU_LANES)
		{
			s->faults[l] |= CheckMatrix(palette + 12 * (uint64_t)j, s->rest, reach);
		}
		for (int k = 0; k < 3; ++k)
		{
			s->reach[l][k] = reach[k];
		}
	}
	LANES(l)
	{
		if (l < 3)
		{
			float most = 0.0f;
			for (uint32_t i = 0; i < SG_GPU_LANES; ++i)
			{
				most = s->reach[i][l] > most ? s->reach[i][l] : most;
			}
			const double sum = 1.0 + (double)s->rest[0] + (double)s->rest[1] + (double)s->rest[2];
			s->bodyReach[l] = ROUND_UP((double)most * (1.0 + SG_MARGIN_REACH) + SG_MARGIN_UNDERFLOW * sum * sum);
		}
	}
}

/// A row of R T: along a world's axis, what a joint does.
static inline void TurnRow(const sgBodyState* state, const float* matrix, uint32_t axis, float row[4])
{
	const float x = (float)state->rotation[axis][0], y = (float)state->rotation[axis][1],
	            z = (float)state->rotation[axis][2];
	for (int k = 0; k < 4; ++k)
	{
		row[k] = LOOSE(z, matrix[8 + k], LOOSE(y, matrix[4 + k], x * matrix[k]));
	}
}

/// What a group's displacements of a node are within, along an axis of the body.
static inline void BoundShifts(
    const Posed* posed, const sgGroupImage* group, uint32_t lane, uint32_t axis, float* middle, float* half)
{
	*middle = *half = 0.0f;
	if (posed->amplitudes == NULL)
	{
		return;
	}
	float lower = 0.0f, upper = 0.0f;
	for (uint32_t i = 0; i < group->shiftCount; ++i)
	{
		const float amplitude = posed->amplitudes[posed->image->intervalFields[group->firstShift + i]];
		const sgFieldInterval* interval = posed->image->intervals + group->firstShift + i;
		const float low = interval->lower[axis].lane[lane], high = interval->upper[axis].lane[lane];
		lower = LOOSE(amplitude, amplitude > 0.0f ? low : high, lower);
		upper = LOOSE(amplitude, amplitude > 0.0f ? high : low, upper);
	}
	*middle = 0.5f * (lower + upper);
	*half = 0.5f * (upper - lower) + posed->state->shiftError[axis];
}

/// What a row makes of a box: from -down to up.
typedef struct Image
{
	float up, down;
} Image;

/// @param values of an entry (sgLocalEntry), in one lane
static inline Image ImageOfBox(const float row[4], const float* values, const float middle[3], const float half[3])
{
	float center = row[3], extent = 0.0f;
	for (int k = 0; k < 3; ++k)
	{
		center = LOOSE(row[k], values[SG_LANES * (2 + k)] + middle[k], center);
		extent = LOOSE(fabsf(row[k]), values[SG_LANES * (5 + k)] + half[k], extent);
	}
	return (Image){ center + extent, extent - center };
}

// The hull of what joints make of the boxes of what they move. The root's entries are eight joints each.
static inline void BoundRoot(const sgWorld* w, const Posed* posed, RootScratch* s)
{
	const sgGroupImage* group = posed->image->groupImages;
	const float* values = posed->image->values[group->values + sizeof(sgLinearCommon) / sizeof(sgLaneFloats)].lane;
	LANES(l)
	{
		if (l < 3)
		{
			BoundShifts(posed, group, 0, l, s->middle + l, s->half + l);
		}
		for (int axis = 0; axis < 3; ++axis)
		{
			s->up[l][axis] = s->down[l][axis] = -INFINITY;
		}
	}
	LANES(l)
	{
		for (uint32_t t = l; t < SG_LANES * group->entryCount; t += SG_GPU_LANES)
		{
			const float* entry = values + (t / SG_LANES) * (sizeof(sgLocalEntry) / sizeof(float)) + t % SG_LANES;
			if (!(entry[0] + entry[SG_LANES] > 0.0f))
			{
				continue;
			}
			const float* matrix = posed->palette + 12 * (uint64_t)posed->image->joints[group->firstEntry + t];
			for (uint32_t axis = 0; axis < 3; ++axis)
			{
				float row[4];
				TurnRow(&s->state, matrix, axis, row);
				const Image image = ImageOfBox(row, entry, s->middle, s->half);
				s->up[l][axis] = image.up > s->up[l][axis] ? image.up : s->up[l][axis];
				s->down[l][axis] = image.down > s->down[l][axis] ? image.down : s->down[l][axis];
			}
		}
	}
}

/// Numbers that are no more than `limit`, which NaN becomes too.
static inline float AtMost(float x, float limit)
{
	return x < limit ? x : limit;
}

/// A box along a world's axis at its place: what is relative to the body, grown by an error.
static inline void MoveSides(
    const sgBodyState* state, uint32_t axis, float up, float down, float error, float* lower, float* upper)
{
	const float limit = 1.0625f * state->reach[axis], t = (float)state->translation[axis], pad = state->pad[axis];
	*upper = ((AtMost(up, limit) + error) + t) + pad;
	*lower = (t - (AtMost(down, limit) + error)) - pad;
}

// Reach and pad along an axis of the world. S bounds what positions are before they are placed.
static inline void FindPad(const sgImage* image, uint32_t axis, RootScratch* s)
{
	double reach = 0.0;
	for (int m = 0; m < 3; ++m)
	{
		reach += fabs(s->state.rotation[axis][m]) * (double)s->bodyReach[m];
	}
	s->state.reach[axis] = ROUND_UP(reach * (1.0 + SG_MARGIN_REACH));
	const double most = 1.0625 * (double)s->state.reach[axis], t = fabs(s->state.translation[axis]);
	double pad = (double)image->turnedError * (double)s->state.reach[axis] + SG_MARGIN_SUBNORMAL;
	pad += SG_MARGIN_PLACE * 0x1p-24 * (most + t) + SG_MARGIN_PLACED_TURNED * 0x1p-24 * (most + t);
	pad += s->state.isMoved != 0 ? 0x1p-20 * most : 0.0;
	s->state.pad[axis] = ROUND_UP(pad * (1.0 + 0x1p-20));
}

static inline void BoundAxis(const sgImage* image, uint32_t axis, RootScratch* s)
{
	const sgGroupImage* group = image->groupImages;
	float up = -INFINITY, down = -INFINITY;
	for (uint32_t i = 0; i < SG_GPU_LANES; ++i)
	{
		up = s->up[i][axis] > up ? s->up[i][axis] : up;
		down = s->down[i][axis] > down ? s->down[i][axis] : down;
	}
	FindPad(image, axis, s);
	const bool isLeaf = (group->leafMask & 1) != 0; // then nothing better is known
	const float reach = s->state.reach[axis], error = isLeaf ? 0.0f : image->values[group->values + 7].lane[0] * reach;
	const float limit = 1.0625f * reach;
	MoveSides(&s->state, axis, isLeaf ? limit : up, isLeaf ? limit : down, error, &s->state.lower[axis],
	    &s->state.upper[axis]);
}

// The reach of src/body/placed.c: |t| and |M|, M being what the box has farthest from the body's own zero.
static inline bool IsTooFar(const sgBodyState* state)
{
	double farthest = 0.0, most = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		const double t = state->translation[i], up = (double)state->upper[i] - t, down = t - (double)state->lower[i];
		const double side = up > down ? up : down;
		farthest += side * side;
		most = fabs(t) > most ? fabs(t) : most;
	}
	return !(most + ROOT(farthest) <= (double)SNUG_MAX_COORDINATE);
}

static inline void Refuse(const sgWorld* w, uint32_t body, uint32_t fault)
{
	if (fault != 0)
	{
		__atomic_fetch_or(&w->counts->isFull, sgFull_refused, __ATOMIC_RELAXED);
		sgRaise(&w->counts->refused, UINT32_MAX - body);
	}
	if (fault == fault_tooFar)
	{
		sgRaise(&w->counts->tooFar, UINT32_MAX - body);
	}
}

// A body without triangles has no box.
static inline void FinishRoot(const sgWorld* w, const sgImage* image, uint32_t body, RootScratch* s)
{
	uint32_t fault = 0;
	for (uint32_t i = 0; i < SG_GPU_LANES; ++i)
	{
		fault |= s->faults[i];
	}
	fault |= IsTooFar(&s->state) ? fault_tooFar : 0;
	Refuse(w, body, (fault & fault_pose) != 0 ? fault_pose : fault);
	for (int axis = 0; axis < 3 && image->groupImages[0].vertexCount == 0 && image->groupCount == 1; ++axis)
	{
		s->state.lower[axis] = INFINITY;
		s->state.upper[axis] = -INFINITY;
	}
	w->bodies[body] = s->state;
}

static inline void MakeBody(const sgWorld* w, uint32_t body, RootScratch* s)
{
	const uint32_t model = ModelOf(w, body);
	const sgImage* image = w->images + model;
	const float* amplitudes = AmplitudesOf(image, body);
	LANES(l)
	{
		s->faults[l] = s->isMoved[l] = 0;
		s->sums[l][0] = s->sums[l][1] = s->sums[l][2] = 0.0;
		if (l == 0)
		{
			const snugFrame* frame = image->frames != NULL ? image->frames + (body - image->firstBody) : NULL;
			s->state.model = model;
			s->faults[0] = MakeFrame(w, frame, &s->state) ? 0 : fault_pose;
		}
	}
	if (amplitudes != NULL)
	{
		SumAmplitudes(w, image, amplitudes, s);
	}
	LANES(l)
	{
		if (l == 0)
		{
			FindRest(image, s);
		}
	}
	const Posed posed = { image, &s->state, PaletteOf(image, body), s->state.isMoved != 0 ? amplitudes : NULL };
	CheckJoints(w, image, posed.palette, s);
	BoundRoot(w, &posed, s);
	LANES(l)
	{
		if (l < 3)
		{
			BoundAxis(image, l, s);
		}
	}
	LANES(l)
	{
		if (l == 0)
		{
			FinishRoot(w, image, body, s);
		}
	}
}

KERNEL(Roots)
{
	const sgWorld* w = &world;
	SHARED(RootScratch, scratch);
	(void)step;
	EACH(n, w->bodyCount)
	{
		MakeBody(w, (uint32_t)n, scratch);
	}
}

#endif
