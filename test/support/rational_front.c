#include "rational_front.h"

#include "rational_vector.h"

typedef struct Workspace
{
	Vector p, q, corners[3], along, sides[2], normal;
	mpq_t value, step;
} Workspace;

static Workspace w;

// Sign of det[b - a, c - a, p - a].
static int SideOf(const Vector* a, const Vector* b, const Vector* c, const Vector* p)
{
	Subtract(w.sides, b, a);
	Subtract(w.sides + 1, c, a);
	Cross(&w.normal, w.sides, w.sides + 1);
	Subtract(w.sides, p, a);
	Dot(w.value, &w.normal, w.sides);
	return mpq_sgn(w.value);
}

static void Step(Vector* point, const Vector* along, unsigned long bits)
{
	for (int k = 0; k < 3; ++k)
	{
		mpq_div_2exp(w.step, along->c[k], bits);
		mpq_add(point->c[k], point->c[k], w.step);
	}
}

// Coordinates are floats up to 2^20 or so, and multiples of 2^-60 or so: determinants are multiples of 2^-180, and each
// step is too short to change the sign of one that does not vanish before it.
static void FindPoint(const float front[3][3])
{
	for (int i = 0; i < 3; ++i)
	{
		SetVector(w.corners + i, front[i]);
	}
	Subtract(w.sides, w.corners + 1, w.corners);
	Subtract(w.sides + 1, w.corners + 2, w.corners);
	Cross(&w.normal, w.sides, w.sides + 1);
	for (int k = 0; k < 3; ++k)
	{
		mpq_set(w.p.c[k], w.corners[0].c[k]);
	}
	Step(&w.p, w.sides, 400);
	Step(&w.p, w.sides + 1, 800);
	Step(&w.p, &w.normal, 1600);
}

int32_t RationalWindingInFront(
    const float (*triangles)[3][3], uint32_t count, const float front[3][3], const float end[3])
{
	int32_t winding = 0;
	InitOnce(&w, sizeof(w));
	FindPoint(front);
	if (end != NULL)
	{
		SetVector(&w.q, end);
	}
	for (int k = 0; k < 3 && end == NULL; ++k)
	{
		mpq_set_d(w.step, k == 0 ? 0x1p120 : 0.0);
		mpq_add(w.q.c[k], w.p.c[k], w.step);
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		for (int c = 0; c < 3; ++c)
		{
			SetVector(w.corners + c, triangles[i][c]);
		}
		const int fromP = SideOf(w.corners, w.corners + 1, w.corners + 2, &w.p);
		const int fromQ = SideOf(w.corners, w.corners + 1, w.corners + 2, &w.q);
		int turns[3];
		for (int c = 0; c < 3; ++c)
		{
			turns[c] = SideOf(&w.p, &w.q, w.corners + c, w.corners + (c + 1) % 3);
		}
		if (fromP * fromQ >= 0 || turns[0] * turns[1] < 0 || turns[1] * turns[2] < 0 || turns[2] * turns[0] < 0)
		{
			continue;
		}
		if (turns[0] * turns[1] * turns[2] == 0)
		{
			return INT32_MAX;
		}
		winding += fromQ;
	}
	return winding;
}
