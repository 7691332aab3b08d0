// gpu/kernels/roots.h: bodies as they are posed: whether they can be, their frames, how far they reach, a box.
//
// docs/bounds/placement.md proves what is added: "Boxes on a device".
#ifndef SG_GPU_ROOTS_H
#define SG_GPU_ROOTS_H

#include "broad.h"
#include "deform/skin/linear.h"
#include "geometry/margins.h"
#include "place.h"

/// A group of lanes makes so many bodies at a time, each by lanes that follow each other.
#define ROOT_BODIES 4
#define ROOT_LANES (SG_GPU_LANES / ROOT_BODIES)

typedef struct RootScratch
{
	sgBodyState states[ROOT_BODIES];
	float rests[ROOT_BODIES][3]; ///< how far vertices reach before joints move them
	float middles[ROOT_BODIES][3], halves[ROOT_BODIES][3]; ///< of displacements
	uint32_t extent[2][3]; ///< see sgCounts
	// By lanes.
	uint32_t faults[SG_GPU_LANES];
	uint32_t isMoved[SG_GPU_LANES];
	double sums[SG_GPU_LANES][3];
	float reach[SG_GPU_LANES][3];
	float up[SG_GPU_LANES][3], down[SG_GPU_LANES][3];
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

// How far fields may move anything: what a lane adds up of it.
static inline void SumAmplitudes(const sgImage* image, const float* amplitudes, RootScratch* s, uint32_t l)
{
	double sums[3] = { 0.0, 0.0, 0.0 };
	uint32_t isMoved = 0, faults = 0;
	for (uint32_t f = l % ROOT_LANES; f < image->fieldCount; f += ROOT_LANES)
	{
		const float amplitude = amplitudes[f];
		isMoved |= amplitude != 0.0f;
		faults |= IsFinite((double)amplitude) ? 0 : fault_pose;
		for (int k = 0; k < 3; ++k)
		{
			sums[k] += fabs((double)amplitude) * (double)image->most[3 * f + (uint32_t)k];
		}
	}
	s->faults[l] |= faults;
	s->isMoved[l] = isMoved;
	for (int k = 0; k < 3; ++k)
	{
		s->sums[l][k] = sums[k];
	}
}

// What lanes added up, then sgFieldsPose_Set. By the first lane of a body.
static inline void FindRest(const sgImage* image, RootScratch* s, uint32_t l)
{
	double sums[3] = { 0.0, 0.0, 0.0 };
	uint32_t isMoved = 0;
	for (uint32_t i = l; i < l + ROOT_LANES && image->fieldCount > 0; ++i)
	{
		isMoved |= s->isMoved[i];
		for (int k = 0; k < 3; ++k)
		{
			sums[k] += s->sums[i][k];
		}
	}
	sgBodyState* state = s->states + l / ROOT_LANES;
	const double size =
	    1.0 + (double)image->fieldReach[0] + (double)image->fieldReach[1] + (double)image->fieldReach[2];
	for (int k = 0; k < 3; ++k)
	{
		const double reach = (double)image->fieldReach[k] + sums[k];
		const float most = ROUND_UP(reach * (1.0 + SG_MARGIN_REACH) + SG_MARGIN_UNDERFLOW * size * size);
		state->shiftError[k] = image->fieldError * most;
		s->rests[l / ROOT_LANES][k] = image->restReach[k] + (isMoved != 0 ? most : 0.0f);
		const bool isFar = sums[k] > 0.0 && !(reach <= 0.99 * (double)SNUG_MAX_COORDINATE);
		s->faults[l] |= isFar ? fault_tooFar : 0;
	}
	state->isMoved = isMoved;
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

static inline Image ImageOfBox(
    const float row[4], const sgPartImage* part, const float middle[3], const float half[3])
{
	const float centers[3] = { part->range[2], part->range[3], part->box[0] };
	const float halves[3] = { part->box[1], part->box[2], part->box[3] };
	float center = row[3], extent = 0.0f;
	for (int k = 0; k < 3; ++k)
	{
		center = LOOSE(row[k], centers[k] + middle[k], center);
		extent = LOOSE(fabsf(row[k]), halves[k] + half[k], extent);
	}
	return (Image){ center + extent, extent - center };
}

/// A joint's matrix, loaded by rows.
static inline void LoadMatrix(const float* from, float matrix[12])
{
	const sgFloat4* rows = (const sgFloat4*)(const void*)from;
	for (int row = 0; row < 3; ++row)
	{
		const sgFloat4 entries = rows[row];
		for (int k = 0; k < 4; ++k)
		{
			matrix[4 * row + k] = entries[k];
		}
	}
}

// Every eighth joint: whether it can be, how far it reaches, and what it makes of the box of what it moves.
static inline void AddJoints(const Posed* posed, RootScratch* s, uint32_t l)
{
	const sgImage* image = posed->image;
	const sgGroupImage* group = image->groupImages;
	const float *rest = s->rests[l / ROOT_LANES], *middle = s->middles[l / ROOT_LANES],
	            *half = s->halves[l / ROOT_LANES];
	const uint32_t parts = group->firstParts[1] - group->firstParts[0];
	float reach[3] = { 0.0f, 0.0f, 0.0f }, up[3], down[3];
	uint32_t faults = 0;
	up[0] = up[1] = up[2] = down[0] = down[1] = down[2] = -INFINITY;
	for (uint32_t j = l % ROOT_LANES; j < image->jointCount; j += ROOT_LANES)
	{
		float matrix[12];
		LoadMatrix(posed->palette + 12 * (uint64_t)image->joints[group->firstJoint + j], matrix);
		faults |= CheckMatrix(matrix, rest, reach);
		if (j >= parts)
		{
			continue;
		}
		const sgPartImage part = image->parts[group->firstParts[0] + j];
		for (uint32_t axis = 0; axis < 3; ++axis)
		{
			float row[4];
			TurnRow(posed->state, matrix, axis, row);
			const Image of = ImageOfBox(row, &part, middle, half);
			up[axis] = of.up > up[axis] ? of.up : up[axis];
			down[axis] = of.down > down[axis] ? of.down : down[axis];
		}
	}
	s->faults[l] |= faults;
	for (int axis = 0; axis < 3; ++axis)
	{
		s->reach[l][axis] = reach[axis];
		s->up[l][axis] = up[axis];
		s->down[l][axis] = down[axis];
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
static inline void FindPad(const sgImage* image, uint32_t axis, const float bodyReach[3], sgBodyState* state)
{
	double reach = 0.0;
	for (int m = 0; m < 3; ++m)
	{
		reach += fabs(state->rotation[axis][m]) * (double)bodyReach[m];
	}
	state->reach[axis] = ROUND_UP(reach * (1.0 + SG_MARGIN_REACH));
	const double most = 1.0625 * (double)state->reach[axis], t = fabs(state->translation[axis]);
	double pad = (double)image->turnedError * (double)state->reach[axis] + SG_MARGIN_SUBNORMAL;
	pad += SG_MARGIN_PLACE * 0x1p-24 * (most + t) + SG_MARGIN_PLACED_TURNED * 0x1p-24 * (most + t);
	pad += state->isMoved != 0 ? 0x1p-20 * most : 0.0;
	state->pad[axis] = ROUND_UP(pad * (1.0 + 0x1p-20));
}

// The box, of what the lanes from `l` on found of a body. The hull of what joints make of the boxes of what they move.
static inline void BoundBody(const sgImage* image, RootScratch* s, uint32_t l)
{
	sgBodyState* state = s->states + l / ROOT_LANES;
	const sgGroupImage* group = image->groupImages;
	const float* rest = s->rests[l / ROOT_LANES];
	const double sum = 1.0 + (double)rest[0] + (double)rest[1] + (double)rest[2];
	float up[3], down[3], bodyReach[3];
	for (int axis = 0; axis < 3; ++axis)
	{
		float most = 0.0f;
		up[axis] = down[axis] = -INFINITY;
		for (uint32_t i = l; i < l + ROOT_LANES; ++i)
		{
			most = s->reach[i][axis] > most ? s->reach[i][axis] : most;
			up[axis] = s->up[i][axis] > up[axis] ? s->up[i][axis] : up[axis];
			down[axis] = s->down[i][axis] > down[axis] ? s->down[i][axis] : down[axis];
		}
		bodyReach[axis] = ROUND_UP((double)most * (1.0 + SG_MARGIN_REACH) + SG_MARGIN_UNDERFLOW * sum * sum);
	}
	const bool isLeaf = (group->leafMask & 1) != 0; // then nothing better is known
	for (uint32_t axis = 0; axis < 3; ++axis)
	{
		FindPad(image, axis, bodyReach, state);
		const float reach = state->reach[axis], limit = 1.0625f * reach;
		const float error = isLeaf ? 0.0f : image->commons[0].error.lane[0] * reach;
		MoveSides(state, axis, isLeaf ? limit : up[axis], isLeaf ? limit : down[axis], error, &state->lower[axis],
		    &state->upper[axis]);
	}
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

static inline void AddExtent(const sgBodyState* state, RootScratch* s)
{
	for (int axis = 0; axis < 3 && HasBox(state); ++axis)
	{
		const uint32_t at = OrderedOf(CenterOf(state, axis));
		sgRaise(&s->extent[0][axis], at);
		sgRaise(&s->extent[1][axis], UINT32_MAX - at);
	}
}

// A body without triangles has no box. By the first lane of a body.
static inline void FinishRoot(const sgWorld* w, const sgImage* image, uint32_t body, RootScratch* s, uint32_t l)
{
	sgBodyState* state = s->states + l / ROOT_LANES;
	uint32_t fault = 0;
	for (uint32_t i = l; i < l + ROOT_LANES; ++i)
	{
		fault |= s->faults[i];
	}
	BoundBody(image, s, l);
	fault |= IsTooFar(state) ? fault_tooFar : 0;
	Refuse(w, body, (fault & fault_pose) != 0 ? fault_pose : fault);
	for (int axis = 0; axis < 3 && image->groupImages[0].vertexCount == 0 && image->groupCount == 1; ++axis)
	{
		state->lower[axis] = INFINITY;
		state->upper[axis] = -INFINITY;
	}
	AddExtent(state, s);
	w->bodies[body] = *state;
}

/// What a lane works on: its body, or a null image if there is none.
static inline Posed RootOf(const sgWorld* w, uint32_t body, RootScratch* s, uint32_t l)
{
	if (body >= w->bodyCount)
	{
		return (Posed){ .image = NULL };
	}
	const sgBodyState* state = s->states + l / ROOT_LANES;
	const sgImage* image = w->images + state->model;
	return (Posed){ image, state, PaletteOf(image, body), AmplitudesOf(image, body) };
}

static inline void MakeBodies(const sgWorld* w, uint32_t first, RootScratch* s)
{
	LANES(l)
	{
		const uint32_t body = first + l / ROOT_LANES;
		s->faults[l] = 0;
		if (l % ROOT_LANES == 0 && body < w->bodyCount)
		{
			sgBodyState* state = s->states + l / ROOT_LANES;
			state->model = ModelOf(w, body);
			const sgImage* image = w->images + state->model;
			const snugFrame* frame = image->frames != NULL ? image->frames + (body - image->firstBody) : NULL;
			s->faults[l] = MakeFrame(w, frame, state) ? 0 : fault_pose;
		}
	}
	LANES(l)
	{
		const Posed posed = RootOf(w, first + l / ROOT_LANES, s, l);
		s->isMoved[l] = 0;
		s->sums[l][0] = s->sums[l][1] = s->sums[l][2] = 0.0;
		if (posed.image != NULL && posed.amplitudes != NULL)
		{
			SumAmplitudes(posed.image, posed.amplitudes, s, l);
		}
	}
	LANES(l)
	{
		const Posed posed = RootOf(w, first + l / ROOT_LANES, s, l);
		if (posed.image != NULL && l % ROOT_LANES == 0)
		{
			FindRest(posed.image, s, l);
		}
	}
	LANES(l)
	{
		const uint32_t number = l / ROOT_LANES, axis = l % ROOT_LANES;
		Posed posed = RootOf(w, first + number, s, l);
		if (posed.image != NULL && axis < 3)
		{
			posed.amplitudes = posed.state->isMoved != 0 ? posed.amplitudes : NULL;
			BoundShifts(
			    &posed, posed.image->groupImages, 0, axis, &s->middles[number][axis], &s->halves[number][axis]);
		}
	}
	LANES(l)
	{
		const Posed posed = RootOf(w, first + l / ROOT_LANES, s, l);
		if (posed.image != NULL)
		{
			AddJoints(&posed, s, l);
		}
	}
	LANES(l)
	{
		const Posed posed = RootOf(w, first + l / ROOT_LANES, s, l);
		if (posed.image != NULL && l % ROOT_LANES == 0)
		{
			FinishRoot(w, posed.image, first + l / ROOT_LANES, s, l);
		}
	}
}

KERNEL(Roots)
{
	const sgWorld* w = &world;
	SHARED(RootScratch, scratch);
	(void)step;
	LANES(l)
	{
		if (l < 6)
		{
			scratch->extent[l / 3][l % 3] = 0;
		}
	}
	EACH(n, (w->bodyCount + ROOT_BODIES - 1) / ROOT_BODIES)
	{
		MakeBodies(w, (uint32_t)n * ROOT_BODIES, scratch);
	}
	LANES(l)
	{
		if (l < 6) // one of several places, or all groups would wait for each other
		{
			sgRaise(&w->counts->extents[GROUP(w) % SG_GPU_LANES][l / 3][l % 3], scratch->extent[l / 3][l % 3]);
		}
	}
}

#endif
