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

/// Joints of each that are loaded at a time.
#define ROOT_JOINTS 16

typedef struct RootScratch
{
	sgBodyState states[ROOT_BODIES];
	float rests[ROOT_BODIES][3];                           ///< how far vertices reach before joints move them
	float middles[ROOT_BODIES][3], halves[ROOT_BODIES][3]; ///< of displacements
	float reaches[ROOT_BODIES][3]; ///< how far vertices reach after joints moved them, along the body's axes
	union
	{
		Matrix matrices[ROOT_JOINTS];
		Four fours[3 * ROOT_JOINTS]; ///< as they are loaded
	} joints[ROOT_BODIES];
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
static inline bool MakeFrame(const sgWorld* w, FAR const snugFrame* frame, sgBodyState* state)
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
static inline void SumAmplitudes(const sgImage* image, FAR const float* amplitudes, RootScratch* s, uint32_t l)
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
    const Posed* posed, FAR const sgGroupImage* group, uint32_t lane, uint32_t axis, float* middle, float* half)
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
		FAR const sgFieldInterval* interval = posed->image->intervals + group->firstShift + i;
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

static inline Image ImageOfBox(const float row[4], const sgPartImage* part, const float middle[3], const float half[3])
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

// Matrices of some joints, by the lanes of a body: as they lie there, which is faster than one by one.
static inline void LoadJoints(const Posed* posed, uint32_t first, uint32_t count, RootScratch* s, uint32_t l)
{
	FAR const Four* from = (FAR const Four*)(FAR const void*)(posed->palette + 12 * (uint64_t)first);
	for (uint32_t i = l % ROOT_LANES; i < 3 * count; i += ROOT_LANES)
	{
		s->joints[l / ROOT_LANES].fours[i] = from[i];
	}
}

// Every eighth of them: whether it can be, how far it reaches, and what it makes of the box of what it moves.
static inline void AddJoints(const Posed* posed, uint32_t first, uint32_t count, RootScratch* s, uint32_t l)
{
	const uint32_t own = l / ROOT_LANES;
	FAR const sgPartImage* parts = posed->image->parts + first;
	float reach[3], up[3], down[3];
	uint32_t faults = 0;
	for (int axis = 0; axis < 3; ++axis)
	{
		reach[axis] = s->reach[l][axis];
		up[axis] = s->up[l][axis];
		down[axis] = s->down[l][axis];
	}
	for (uint32_t j = l % ROOT_LANES; j < count; j += ROOT_LANES)
	{
		const Matrix matrix = s->joints[own].matrices[j];
		const sgPartImage part = parts[j];
		faults |= CheckMatrix(matrix.entries, s->rests[own], reach);
		for (uint32_t axis = 0; axis < 3 && part.range[0] + part.range[1] > 0.0f; ++axis)
		{
			float row[4];
			TurnRow(s->states + own, matrix.entries, axis, row);
			const Image of = ImageOfBox(row, &part, s->middles[own], s->halves[own]);
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

// What the lanes of a body found along an axis, all together: in the first of them.
static inline void GatherAxis(RootScratch* s, uint32_t body, uint32_t axis)
{
	const uint32_t first = body * ROOT_LANES;
	const float* rest = s->rests[body];
	const double sum = 1.0 + (double)rest[0] + (double)rest[1] + (double)rest[2];
	float most = 0.0f, up = -INFINITY, down = -INFINITY;
	for (uint32_t i = first; i < first + ROOT_LANES; ++i)
	{
		most = s->reach[i][axis] > most ? s->reach[i][axis] : most;
		up = s->up[i][axis] > up ? s->up[i][axis] : up;
		down = s->down[i][axis] > down ? s->down[i][axis] : down;
	}
	s->reaches[body][axis] = ROUND_UP((double)most * (1.0 + SG_MARGIN_REACH) + SG_MARGIN_UNDERFLOW * sum * sum);
	s->up[first][axis] = up;
	s->down[first][axis] = down;
}

// The hull of what joints make of the boxes of what they move. A body without triangles has no box.
static inline void BoundAxis(const sgImage* image, RootScratch* s, uint32_t body, uint32_t axis)
{
	sgBodyState* state = s->states + body;
	FAR const sgGroupImage* group = image->groupImages;
	const bool isLeaf = (group->leafMask & 1) != 0; // then nothing better is known
	FindPad(image, axis, s->reaches[body], state);
	const float reach = state->reach[axis], limit = 1.0625f * reach;
	const float up = isLeaf ? limit : s->up[body * ROOT_LANES][axis];
	const float down = isLeaf ? limit : s->down[body * ROOT_LANES][axis];
	MoveSides(state, axis, up, down, isLeaf ? 0.0f : image->commons[0].error.lane[0] * reach, &state->lower[axis],
	    &state->upper[axis]);
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

// By the first lane of a body.
static inline void FinishRoot(const sgWorld* w, const sgImage* image, uint32_t body, RootScratch* s, uint32_t l)
{
	sgBodyState* state = s->states + l / ROOT_LANES;
	uint32_t fault = 0;
	for (uint32_t i = l; i < l + ROOT_LANES; ++i)
	{
		fault |= s->faults[i];
	}
	fault |= IsTooFar(state) ? fault_tooFar : 0;
	Refuse(w, body, (fault & fault_pose) != 0 ? fault_pose : fault);
	for (int axis = 0; axis < 3 && image->groupImages[0].vertexCount == 0 && image->groupCount == 1; ++axis)
	{
		state->lower[axis] = INFINITY;
		state->upper[axis] = -INFINITY;
	}
	AddExtent(state, s);
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

static inline uint32_t JointsFrom(const sgImage* image, uint32_t joint)
{
	return image->jointCount - joint < ROOT_JOINTS ? image->jointCount - joint : ROOT_JOINTS;
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
			FAR const snugFrame* frame = image->frames != NULL ? image->frames + (body - image->firstBody) : NULL;
			s->faults[l] = MakeFrame(w, frame, state) ? 0 : fault_pose;
		}
	}
	LANES(l)
	{
		const Posed posed = RootOf(w, first + l / ROOT_LANES, s, l);
		s->isMoved[l] = 0;
		for (int k = 0; k < 3; ++k)
		{
			s->sums[l][k] = 0.0;
			s->reach[l][k] = 0.0f;
			s->up[l][k] = s->down[l][k] = -INFINITY;
		}
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
			BoundShifts(&posed, posed.image->groupImages, 0, axis, &s->middles[number][axis], &s->halves[number][axis]);
		}
	}
	uint32_t most = 0; // of all bodies here: models may differ
	for (uint32_t number = 0; number < ROOT_BODIES && first + number < w->bodyCount; ++number)
	{
		const uint32_t count = w->images[s->states[number].model].jointCount;
		most = count > most ? count : most;
	}
	for (uint32_t joint = 0; joint < most; joint += ROOT_JOINTS)
	{
		LANES(l)
		{
			const Posed posed = RootOf(w, first + l / ROOT_LANES, s, l);
			if (posed.image != NULL && joint < posed.image->jointCount)
			{
				LoadJoints(&posed, joint, JointsFrom(posed.image, joint), s, l);
			}
		}
		LANES(l)
		{
			const Posed posed = RootOf(w, first + l / ROOT_LANES, s, l);
			if (posed.image != NULL && joint < posed.image->jointCount)
			{
				AddJoints(&posed, joint, JointsFrom(posed.image, joint), s, l);
			}
		}
	}
	LANES(l)
	{
		if (l % ROOT_LANES < 3 && first + l / ROOT_LANES < w->bodyCount)
		{
			GatherAxis(s, l / ROOT_LANES, l % ROOT_LANES);
		}
	}
	LANES(l)
	{
		const Posed posed = RootOf(w, first + l / ROOT_LANES, s, l);
		if (l % ROOT_LANES < 3 && posed.image != NULL)
		{
			BoundAxis(posed.image, s, l / ROOT_LANES, l % ROOT_LANES);
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
	LANES(l)
	{
		const sgEight* from = (const sgEight*)(const void*)s->states;
		sgEight* to = (sgEight*)(void*)(w->bodies + first);
		const uint32_t count = w->bodyCount - first < ROOT_BODIES ? w->bodyCount - first : ROOT_BODIES;
		for (uint32_t i = l; i < count * (sizeof(sgBodyState) / sizeof(sgEight)); i += SG_GPU_LANES)
		{
			to[i] = from[i];
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
