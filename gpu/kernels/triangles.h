// gpu/kernels/triangles.h: from pairs of leaves to pairs of triangles: by boxes, by signs in float32 where those are
// certain, and else exactly.
#ifndef SG_GPU_TRIANGLES_H
#define SG_GPU_TRIANGLES_H

#include "geometry/margins.h"
#include "geometry/triangle.h"
#include "groups.h"

/// A leaf that was made: group number * SG_LANES + lane.
typedef struct LeafAt
{
	FAR const sgImage* image;
	FAR const sgLeafImage* leaf;
	FAR const sgFloat4* corners;
} LeafAt;

static inline LeafAt LeafAt_Get(const sgWorld* w, uint32_t place)
{
	const uint32_t number = place / SG_LANES;
	const sgItem owner = w->owners[number];
	const sgImage* image = w->images + owner.pair;
	return (LeafAt){
		.image = (FAR const sgImage*)image,
		.leaf = image->leaves + image->nodes[owner.b * SG_LANES + place % SG_LANES].first,
		.corners = (FAR const sgFloat4*)w->corners + (uint64_t)number * w->vertexStride,
	};
}

static inline void LoadTriangle(const LeafAt* at, uint32_t i, float out[3][3])
{
	const uint32_t corners = ((FAR const uint32_t*)(FAR const void*)at->leaf->corners)[i];
	for (int c = 0; c < 3; ++c)
	{
		const sgFloat4 p = sgLoadFour(at->corners + (corners >> 8 * c & 0xff));
		out[c][0] = p[0];
		out[c][1] = p[1];
		out[c][2] = p[2];
	}
}

static inline float Least(float a, float b)
{
	return a < b ? a : b;
}

static inline float Most(float a, float b)
{
	return a > b ? a : b;
}

// ---- Signs in float32 -----------------------------------------------------------------------------------------------

typedef float Corners[3][3];

// PlaneError of tree/leaf_kernels.c, of the box around both.
static inline float SignError(const Corners a, const Corners b)
{
	float extent[3];
	for (int k = 0; k < 3; ++k)
	{
		const float lower = Least(Least(a[0][k], Least(a[1][k], a[2][k])), Least(b[0][k], Least(b[1][k], b[2][k])));
		const float upper = Most(Most(a[0][k], Most(a[1][k], a[2][k])), Most(b[0][k], Most(b[1][k], b[2][k])));
		extent[k] = upper - lower;
	}
	const float sum = (extent[0] + extent[1]) + extent[2], product = (extent[0] * extent[1]) * extent[2];
	const float error = (SG_MARGIN_DETERMINANT * 0x1p-24f) * product + 0x1p-126f * (1.0f + sum);
	return sum <= 0x1p40f ? error : INFINITY;
}

// (b - d) x (c - d)
static inline void NormalOf(const float* b, const float* c, const float* d, float n[3])
{
	const float u[3] = { b[0] - d[0], b[1] - d[1], b[2] - d[2] }, v[3] = { c[0] - d[0], c[1] - d[1], c[2] - d[2] };
	n[0] = u[1] * v[2] - u[2] * v[1];
	n[1] = u[2] * v[0] - u[0] * v[2];
	n[2] = u[0] * v[1] - u[1] * v[0];
}

static inline float Along(const float n[3], const float* a, const float* d)
{
	return (n[0] * (a[0] - d[0]) + n[1] * (a[1] - d[1])) + n[2] * (a[2] - d[2]);
}

// The sign of det(a - d, b - d, c - d) where it is certain, else 0.
static inline int SignOf(const float* a, const float* b, const float* c, const float* d, float error)
{
	float n[3];
	NormalOf(b, c, d, n);
	const float value = Along(n, a, d);
	return value > error ? 1 : value < -error ? -1 : 0;
}

static inline void FindSides(const Corners corners, const Corners plane, float error, int sides[3])
{
	float n[3];
	NormalOf(plane[1], plane[2], plane[0], n);
	for (int c = 0; c < 3; ++c)
	{
		const float value = Along(n, corners[c], plane[0]);
		sides[c] = value > error ? 1 : value < -error ? -1 : 0;
	}
}

static inline bool AreOnOneSide(const int sides[3])
{
	return sides[0] != 0 && sides[0] == sides[1] && sides[1] == sides[2];
}

/// The corner that is alone on its side; all sides are certain and not all the same.
static inline int LoneOf(const int sides[3])
{
	return sides[0] == sides[1] ? 2 : sides[0] == sides[2] ? 1 : 0;
}

enum
{
	meet_no,
	meet_yes,
	meet_unsure,
};

// DecidePairs of tree/leaf_kernels.c, which says why.
static inline int DecidePair(const Corners a, const Corners b)
{
	const float error = SignError(a, b);
	int s[3], t[3];
	FindSides(a, b, error, s);
	FindSides(b, a, error, t);
	if (AreOnOneSide(s) || AreOnOneSide(t))
	{
		return meet_no;
	}
	if (s[0] == 0 || s[1] == 0 || s[2] == 0 || t[0] == 0 || t[1] == 0 || t[2] == 0)
	{
		return meet_unsure;
	}
	const int loneA = LoneOf(s), loneB = LoneOf(t);
	// The one that is alone is on the side where fewer are: no array is looked into by a number that varies.
	const int turnA = t[0] + t[1] + t[2] < 0 ? 2 : 1, turnB = s[0] + s[1] + s[2] < 0 ? 1 : 2;
	const float *p = a[loneA], *q = a[(loneA + turnA) % 3], *r = a[(loneA + 3 - turnA) % 3];
	const float *P = b[loneB], *Q = b[(loneB + turnB) % 3], *R = b[(loneB + 3 - turnB) % 3];
	const int first = SignOf(q, P, R, p, error), second = SignOf(r, P, Q, p, error);
	if (first < 0 || second > 0)
	{
		return meet_no;
	}
	return first > 0 && second < 0 ? meet_yes : meet_unsure;
}

// ---- Pairs of leaves ------------------------------------------------------------------------------------------------

/// Pairs of leaves that a group looks at at once, each by eight lanes.
#define TOGETHER (SG_GPU_LANES / SG_LANES)

/// Pairs of leaves for which is looked up at once what leads to them.
#define LOOKED_UP 16

/// A number of each triangle, that are stored by lanes and loaded by fours.
typedef struct Fours
{
	Four of[TOGETHER * SG_LANES / 4];
} Fours;

typedef struct LeafScratch
{
	LeafAt leaves[LOOKED_UP][2];
	float triangles[2][TOGETHER * SG_LANES][9]; ///< of the first leaves, and of the others, eight each
	Fours lower[3], upper[3];                   ///< of the others
	uint32_t count;
	uint16_t near[TOGETHER * SG_LANES *
	              SG_LANES]; ///< whose boxes overlap: number of one, times eight, and lane of the other
	Outbox found;
} LeafScratch;

static inline void Report(
    const sgWorld* w, const sgStep* step, sgItem item, const LeafAt* a, const LeafAt* b, Outbox* out)
{
	ADD(w->pairCounts + item.pair, 1u);
	if (step->storesPairs != 0)
	{
		const sgItem found = { item.pair, a->image->triangleMap[a->leaf->firstTriangle + item.a % SG_LANES],
			b->image->triangleMap[b->leaf->firstTriangle + item.b % SG_LANES] };
		Outbox_Add(w, out, &w->found, found);
	}
}

static inline void LookUpLeaves(const sgWorld* w, const sgItem* items, uint32_t count, LeafScratch* s)
{
	LANES(l)
	{
		for (uint32_t t = l; t < 2 * count; t += SG_GPU_LANES)
		{
			s->leaves[t / 2][t % 2] = LeafAt_Get(w, t % 2 == 0 ? items[t / 2].a : items[t / 2].b);
		}
	}
}

// Triangles of some pairs of leaves, and boxes of the second ones.
static inline void LoadTriangles(const sgWorld* w, const LeafAt leaves[][2], uint32_t count, LeafScratch* s)
{
	LANES(l)
	{
		for (uint32_t t = l; t < count * SG_LANES; t += SG_GPU_LANES)
		{
			for (uint32_t side = 0; side < 2; ++side)
			{
				const LeafAt* at = &leaves[t / SG_LANES][side];
				float p[3][3];
				LoadTriangle(at, t % SG_LANES, p);
				for (int k = 0; k < 9; ++k)
				{
					s->triangles[side][t][k] = p[k / 3][k % 3];
				}
				const bool isThere = t % SG_LANES < at->leaf->triangleCount;
				for (int k = 0; k < 3 && side == 1; ++k)
				{
					s->lower[k].of[t / 4].x[t % 4] = isThere ? Least(p[0][k], Least(p[1][k], p[2][k])) : INFINITY;
					s->upper[k].of[t / 4].x[t % 4] = isThere ? Most(p[0][k], Most(p[1][k], p[2][k])) : -INFINITY;
				}
			}
		}
		if (l == 0)
		{
			s->count = 0;
		}
	}
}

/// Which of four boxes overlap another.
static inline uint32_t NearOf(const LeafScratch* s, uint32_t four, const float lower[3], const float upper[3])
{
	uint32_t isNear[4] = { 1, 1, 1, 1 };
	for (int k = 0; k < 3; ++k)
	{
		const Four lowers = s->lower[k].of[four], uppers = s->upper[k].of[four];
		for (int j = 0; j < 4; ++j)
		{
			isNear[j] &= (uint32_t)(lower[k] <= uppers.x[j]) & (uint32_t)(lowers.x[j] <= upper[k]);
		}
	}
	return isNear[0] | isNear[1] << 1 | isNear[2] << 2 | isNear[3] << 3;
}

// By boxes: each triangle of the first leaves with those of the leaf beside it.
static inline void FindNear(const sgWorld* w, const LeafAt leaves[][2], uint32_t count, LeafScratch* s)
{
	LANES(l)
	{
		for (uint32_t t = l; t < count * SG_LANES; t += SG_GPU_LANES)
		{
			const uint32_t which = t / SG_LANES;
			const float* p = s->triangles[0][t];
			float lower[3], upper[3];
			for (int k = 0; k < 3; ++k)
			{
				lower[k] = Least(p[k], Least(p[3 + k], p[6 + k]));
				upper[k] = Most(p[k], Most(p[3 + k], p[6 + k]));
			}
			uint32_t rest = NearOf(s, 2 * which, lower, upper) | NearOf(s, 2 * which + 1, lower, upper) << 4;
			for (rest = t % SG_LANES < leaves[which][0].leaf->triangleCount ? rest : 0; rest != 0; rest &= rest - 1)
			{
				s->near[ADD(&s->count, 1u)] = (uint16_t)(t * SG_LANES + (uint32_t)__builtin_ctz(rest));
			}
		}
	}
}

static inline void DecideNear(
    const sgWorld* w, const sgStep* step, const sgItem* items, const LeafAt leaves[][2], uint32_t near, LeafScratch* s)
{
	const uint32_t one = near / SG_LANES, which = one / SG_LANES, other = which * SG_LANES + near % SG_LANES;
	const int answer = DecidePair((const float(*)[3])s->triangles[0][one], (const float(*)[3])s->triangles[1][other]);
	if (answer == meet_no)
	{
		return;
	}
	const sgItem item = { items[which].pair, items[which].a * SG_LANES + one % SG_LANES,
		items[which].b * SG_LANES + near % SG_LANES };
	if (answer == meet_yes)
	{
		Report(w, step, item, &leaves[which][0], &leaves[which][1], &s->found);
	}
	else
	{
		Queue_Put(w, &w->unsure, Queue_Take(&w->unsure, 1), item); // which is rare
	}
}

KERNEL(Leaves)
{
	const sgWorld* w = &world;
	SHARED(LeafScratch, s);
	const uint32_t count = w->counts->leafPairs;
	if (IsStopped(w))
	{
		return;
	}
	Outbox_Begin(w, &s->found);
	const uint32_t most = Queue_Share(w, count), share = most < LOOKED_UP ? most : LOOKED_UP;
	EACH(n, (count + share - 1) / share)
	{
		const uint32_t first = (uint32_t)n * share, some = count - first < share ? count - first : share;
		const sgItem* items = w->leafPairs.items + first;
		LookUpLeaves(w, items, some, s);
		for (uint32_t i = 0; i < some; i += TOGETHER)
		{
			const uint32_t together = some - i < TOGETHER ? some - i : TOGETHER;
			LoadTriangles(w, s->leaves + i, together, s);
			FindNear(w, s->leaves + i, together, s);
			const uint32_t near = s->count;
			for (uint32_t begin = 0; begin < near; begin += SG_GPU_LANES)
			{
				LANES(l)
				{
					if (begin + l < near)
					{
						DecideNear(w, &step, items + i, s->leaves + i, s->near[begin + l], s);
					}
				}
				Outbox_Flush(w, &s->found, &w->found, OUTBOX_ITEMS - SG_GPU_LANES);
			}
		}
	}
	Outbox_Flush(w, &s->found, &w->found, 0);
}

// ---- Exactly --------------------------------------------------------------------------------------------------------

KERNEL(Exact)
{
	const sgWorld* w = &world;
	SHARED(Outbox, out);
	const uint32_t count = Queue_Count(&w->unsure);
	if (IsStopped(w))
	{
		return;
	}
	Outbox_Begin(w, out);
	EACH(n, (count + SG_GPU_LANES - 1) / SG_GPU_LANES)
	{
		LANES(l)
		{
			const uint32_t i = (uint32_t)n * SG_GPU_LANES + l;
			if (i < count)
			{
				const sgItem item = w->unsure.items[i];
				const LeafAt a = LeafAt_Get(w, item.a / SG_LANES), b = LeafAt_Get(w, item.b / SG_LANES);
				Corners p, q;
				LoadTriangle(&a, item.a % SG_LANES, p);
				LoadTriangle(&b, item.b % SG_LANES, q);
				if (sgTriangles_Intersect((const float(*)[3])p, (const float(*)[3])q))
				{
					Report(w, &step, item, &a, &b, out);
				}
			}
		}
		Outbox_Flush(w, out, &w->found, OUTBOX_ITEMS - SG_GPU_LANES);
	}
	Outbox_Flush(w, out, &w->found, 0);
}

#endif
