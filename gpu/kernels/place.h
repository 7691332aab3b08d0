// gpu/kernels/place.h: positions of vertices, bit for bit those of the library: linear_kernels.h, fields.h, frame.h.
#ifndef SG_GPU_PLACE_H
#define SG_GPU_PLACE_H

#include "queue.h"

/// A body and what its bodies share.
typedef struct Posed
{
	const sgImage* image;
	const sgBodyState* state;
	FAR const float* palette;
	FAR const float* amplitudes; ///< null: all are zero
} Posed;

/// Four floats in shared memory: of vectors clang 19 forgets where they are if an index varies.
typedef struct Four
{
	float x[4];
} SG_ALIGN(16) Four;

/// Of a joint, or its rows along the world's axes: aligned, so that it is loaded by fours.
typedef struct Matrix
{
	float entries[12];
} SG_ALIGN(16) Matrix;

static inline FAR const float* PaletteOf(const sgImage* image, uint32_t body)
{
	return image->palettes + (uint64_t)(body - image->firstBody) * image->paletteStride;
}

static inline FAR const float* AmplitudesOf(const sgImage* image, uint32_t body)
{
	const uint64_t number = body - image->firstBody;
	return image->amplitudes != NULL ? image->amplitudes + number * image->fieldCount : NULL;
}

static inline Posed Posed_Get(const sgWorld* w, uint32_t body)
{
	const sgBodyState* state = w->bodies + body;
	const sgImage* image = w->images + state->model;
	return (Posed){
		.image = image,
		.state = state,
		.palette = PaletteOf(image, body),
		.amplitudes = state->isMoved != 0 ? AmplitudesOf(image, body) : NULL,
	};
}

// Fields in their order; one with an amplitude of zero changes no bit.
static inline void Shift(const Posed* posed, uint32_t vertex, float p[3])
{
	const sgImage* image = posed->image;
	for (int k = 0; k < 3; ++k)
	{
		p[k] = p[k] + 0.0f;
	}
	for (uint32_t i = image->firstShifts[vertex]; i < image->firstShifts[vertex + 1]; ++i)
	{
		const sgShiftImage shift = image->shifts[i];
		const float amplitude = posed->amplitudes[shift.field];
		for (int k = 0; k < 3; ++k)
		{
			p[k] = p[k] + amplitude * shift.displacement[k];
		}
	}
}

// What an influence adds to the matrix of a vertex.
static inline void AddInfluence(float weight, const sgFloat4 rows[3], float m[12])
{
	for (int row = 0; row < 3; ++row)
	{
		const sgFloat4 entries = rows[row];
		for (int k = 0; k < 4; ++k)
		{
			m[4 * row + k] = m[4 * row + k] + weight * entries[k];
		}
	}
}

static inline void LoadRows(const Posed* posed, uint32_t influence, sgFloat4 rows[3])
{
	const uint64_t joint = posed->image->octetJoints[influence];
	FAR const sgFloat4* from = (FAR const sgFloat4*)(FAR const void*)(posed->palette + 12 * joint);
	rows[0] = from[0];
	rows[1] = from[1];
	rows[2] = from[2];
}

// Vertices of an octet have their joints in common, so that what is loaded serves eight lanes. Two influences at a
// time, so that what is loaded for both is waited for once; they are added in their order. A zero that is added changes
// no bit of a sum that began with zero, which is never -0.
static inline void Blend(const Posed* posed, uint32_t vertex, float p[3])
{
	const sgImage* image = posed->image;
	const uint32_t octet = vertex / SG_LANES, lane = vertex % SG_LANES, end = image->octets[octet + 1];
	float m[12];
	for (int k = 0; k < 12; ++k)
	{
		m[k] = 0.0f;
	}
	for (uint32_t i = image->octets[octet]; i < end; i += 2)
	{
		const bool areTwo = i + 1 < end;
		const uint32_t other = areTwo ? i + 1 : i;
		const float weight = image->octetWeights[i].lane[lane], next = image->octetWeights[other].lane[lane];
		sgFloat4 rows[3], others[3];
		LoadRows(posed, i, rows);
		LoadRows(posed, other, others);
		AddInfluence(weight, rows, m);
		AddInfluence(areTwo ? next : 0.0f, others, m);
	}
	const float x = p[0], y = p[1], z = p[2];
	for (int row = 0; row < 3; ++row)
	{
		p[row] = ((m[4 * row] * x + m[4 * row + 1] * y) + m[4 * row + 2] * z) + m[4 * row + 3];
	}
}

static inline void Place(const sgBodyState* state, float p[3])
{
	if (state->isPlaced == 0)
	{
		return;
	}
	const double x = (double)p[0], y = (double)p[1], z = (double)p[2];
	for (int i = 0; i < 3; ++i)
	{
		const double* row = state->rotation[i];
		p[i] = (float)(((row[0] * x + row[1] * y) + row[2] * z) + state->translation[i]);
	}
}

/// Where a vertex of a cluster is.
static inline sgFloat4 EvaluateVertex(const Posed* posed, uint32_t vertex)
{
	const sgImage* image = posed->image;
	const sgVertexImage record = image->vertices[vertex];
	float p[3] = { record.position[0], record.position[1], record.position[2] };
	if (posed->amplitudes != NULL)
	{
		Shift(posed, vertex, p);
	}
	if (image->isSkin != 0)
	{
		Blend(posed, vertex, p);
	}
	Place(posed->state, p);
	return (sgFloat4){ p[0], p[1], p[2], 0.0f };
}

KERNEL(Vertices)
{
	const sgWorld* w = &world;
	const Posed posed = Posed_Get(w, step.body);
	EACH(n, (posed.image->recordCount + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			const uint32_t vertex = (uint32_t)n * SG_GPU_LANES + l;
			const uint32_t caller = vertex < posed.image->recordCount ? posed.image->vertices[vertex].caller : SG_NONE;
			if (caller != SG_NONE)
			{
				const sgFloat4 p = EvaluateVertex(&posed, vertex);
				float* out = w->positions + 3 * (uint64_t)caller;
				out[0] = p[0];
				out[1] = p[1];
				out[2] = p[2];
			}
		}
	}
}

#endif
