#include "lab/truth/hard.h"

#include "lab/scenes/random.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// ---- Numbers ---------------------------------------------------------------------------------------------------

// A multiple of 2^-23 in [-1, 1).
static float Float(sceneRandom* random)
{
	return (float)(int32_t)(sceneRandom_Next(random) >> 40) * 0x1p-23f - 1.0f;
}

static float* Coordinate(hardPair* pair, int i)
{
	return i < 9 ? &pair->a[i / 3][i % 3] : &pair->b[i / 3 - 3][i % 3];
}

// Some coordinates by a float or two.
static void Nudge(sceneRandom* random, hardPair* pair)
{
	for (int i = 0; i < 18; ++i)
	{
		int steps = sceneRandom_Int(random, 0, 3) == 0 ? sceneRandom_Int(random, -2, 2) : 0;
		for (; steps != 0; steps += steps < 0 ? 1 : -1)
		{
			float* x = Coordinate(pair, i);
			*x = nextafterf(*x, steps < 0 ? -INFINITY : INFINITY);
		}
	}
}

// (x + offset) * scale
static void Place(hardPair* pair, float offset, float scale)
{
	for (int i = 0; i < 18; ++i)
	{
		float* x = Coordinate(pair, i);
		*x = (*x + offset) * scale;
	}
}

// ---- Families --------------------------------------------------------------------------------------------------

static void Generic(sceneRandom* random, hardPair* pair)
{
	for (int i = 0; i < 18; ++i)
	{
		*Coordinate(pair, i) = Float(random);
	}
}

// Corners of a small grid: every degeneracy is frequent.
static void Grid(sceneRandom* random, hardPair* pair)
{
	int last = sceneRandom_Int(random, 1, 3);
	for (int i = 0; i < 18; ++i)
	{
		*Coordinate(pair, i) = (float)sceneRandom_Int(random, 0, last);
	}
}

// A point of one triangle, often of an edge or a corner, is one of the other, up to rounding.
static void Touching(sceneRandom* random, hardPair* pair)
{
	float weights[3] = { 0.0f, 0.0f, 0.0f };
	Generic(random, pair);
	for (int i = sceneRandom_Int(random, 1, 4); i > 0; --i)
	{
		weights[sceneRandom_Int(random, 0, 2)] += 0.25f * (float)sceneRandom_Int(random, 1, 4);
	}
	float sum = weights[0] + weights[1] + weights[2],
	      far = sceneRandom_Int(random, 0, 1) == 0 ? 0.0f : Float(random) + 1.0f;
	int i = sceneRandom_Int(random, 0, 2), j = (i + 1) % 3;
	for (int k = 0; k < 3; ++k)
	{
		float point = (weights[0] * pair->a[0][k] + weights[1] * pair->a[1][k] + weights[2] * pair->a[2][k]) / sum;
		pair->b[i][k] = point + far * (point - pair->b[j][k]);
	}
}

// Exactly: corners of a grid whose middles are floats too.
static void TouchingExactly(sceneRandom* random, hardPair* pair)
{
	for (int i = 0; i < 18; ++i)
	{
		*Coordinate(pair, i) = 4.0f * (float)sceneRandom_Int(random, -8, 8);
	}
	int i = sceneRandom_Int(random, 0, 2), j = sceneRandom_Int(random, 0, 2), kind = sceneRandom_Int(random, 0, 2);
	for (int k = 0; k < 3; ++k)
	{
		const float *p = pair->a[i], *q = pair->a[(i + 1) % 3], *r = pair->a[(i + 2) % 3];
		float middle = 0.5f * (p[k] + q[k]);
		pair->b[j][k] = kind == 0 ? p[k] : kind == 1 ? middle : 0.5f * (middle + r[k]);
	}
}

static void NearlyTouching(sceneRandom* random, hardPair* pair)
{
	TouchingExactly(random, pair);
	Nudge(random, pair);
}

// In a plane through few lattice points, sometimes in a line.
static void Coplanar(sceneRandom* random, hardPair* pair)
{
	float u[3], v[3];
	for (int k = 0; k < 3; ++k)
	{
		u[k] = (float)sceneRandom_Int(random, -2, 2);
		v[k] = (float)sceneRandom_Int(random, -2, 2);
	}
	for (int i = 0; i < 6; ++i)
	{
		float f = (float)sceneRandom_Int(random, -3, 3), g = (float)sceneRandom_Int(random, -3, 3);
		for (int k = 0; k < 3; ++k)
		{
			*Coordinate(pair, 3 * i + k) = f * u[k] + g * v[k];
		}
	}
}

static void NearlyCoplanar(sceneRandom* random, hardPair* pair)
{
	Coplanar(random, pair);
	Nudge(random, pair);
}

static void ShareCorners(sceneRandom* random, hardPair* pair, int count)
{
	int i = sceneRandom_Int(random, 0, 2), j = sceneRandom_Int(random, 0, 2), turn = sceneRandom_Int(random, 1, 2);
	for (int n = 0; n < count; ++n)
	{
		memcpy(pair->b[(j + n * turn) % 3], pair->a[(i + n) % 3], 3 * sizeof(float));
	}
}

static void SharedCorner(sceneRandom* random, hardPair* pair)
{
	Generic(random, pair);
	ShareCorners(random, pair, 1);
}

static void SharedEdge(sceneRandom* random, hardPair* pair)
{
	Generic(random, pair);
	ShareCorners(random, pair, sceneRandom_Int(random, 2, 3));
}

// Corners that were one before they were moved by a float.
static void TornCorner(sceneRandom* random, hardPair* pair)
{
	Generic(random, pair);
	ShareCorners(random, pair, sceneRandom_Int(random, 1, 2));
	Nudge(random, pair);
}

// Three points of a line: a segment, or a point.
static void MakeSegment(sceneRandom* random, float triangle[3][3])
{
	float from[3], step[3];
	int spread = sceneRandom_Int(random, 0, 3);
	for (int k = 0; k < 3; ++k)
	{
		from[k] = (float)sceneRandom_Int(random, 0, 2);
		step[k] = (float)sceneRandom_Int(random, -1, 1);
	}
	for (int i = 0; i < 3; ++i)
	{
		float at = (float)sceneRandom_Int(random, -spread, spread);
		for (int k = 0; k < 3; ++k)
		{
			triangle[i][k] = from[k] + at * step[k];
		}
	}
}

static void Degenerate(sceneRandom* random, hardPair* pair)
{
	Grid(random, pair);
	int which = sceneRandom_Int(random, 0, 2);
	if (which != 1)
	{
		MakeSegment(random, pair->a);
	}
	if (which != 0)
	{
		MakeSegment(random, pair->b);
	}
}

// Sides a thousand times as long as the third.
static void Slivers(sceneRandom* random, hardPair* pair)
{
	Touching(random, pair);
	for (int k = 0; k < 3; ++k)
	{
		pair->a[2][k] = pair->a[1][k] + 1e-3f * Float(random);
	}
}

// So far from the origin that few bits are left for the shape.
static void Far(sceneRandom* random, hardPair* pair)
{
	static const float offsets[] = { 1e3f, 1e5f, -1e6f, 4e6f };
	(sceneRandom_Int(random, 0, 1) == 0 ? Touching : Grid)(random, pair);
	Place(pair, offsets[sceneRandom_Int(random, 0, 3)], 1.0f);
}

static void Tiny(sceneRandom* random, hardPair* pair)
{
	static const float scales[] = { 0x1p-60f, 0x1p-100f, 0x1p-140f, 1e-20f, 1e-40f };
	(sceneRandom_Int(random, 0, 1) == 0 ? Touching : Coplanar)(random, pair);
	Place(pair, 0.0f, scales[sceneRandom_Int(random, 0, 4)]);
}

static void Huge(sceneRandom* random, hardPair* pair)
{
	static const float scales[] = { 0x1p60f, 0x1p100f, 0x1p120f, 1e20f, 1e36f };
	(sceneRandom_Int(random, 0, 1) == 0 ? Touching : Coplanar)(random, pair);
	Place(pair, 0.0f, scales[sceneRandom_Int(random, 0, 4)]);
}

// One triangle far smaller than the other, at one of its corners or through it.
static void MixedScales(sceneRandom* random, hardPair* pair)
{
	static const float scales[] = { 0x1p-10f, 0x1p-30f, 0x1p-60f, 0x1p-100f };
	float scale = scales[sceneRandom_Int(random, 0, 3)];
	int corner = sceneRandom_Int(random, 0, 2);
	bool isAtZero = sceneRandom_Int(random, 0, 1) == 0;
	Generic(random, pair);
	for (int k = 0; k < 3; ++k)
	{
		float at = isAtZero ? 0.0f : pair->a[corner][k];
		pair->a[corner][k] = at;
		for (int i = 0; i < 3; ++i)
		{
			pair->b[i][k] = at + scale * pair->b[i][k];
		}
	}
}

static const struct
{
	const char* name;
	void (*make)(sceneRandom* random, hardPair* pair);
} families[HARD_FAMILIES] = {
	{ "generic", Generic },
	{ "small grid", Grid },
	{ "touching, rounded", Touching },
	{ "touching exactly", TouchingExactly },
	{ "nearly touching", NearlyTouching },
	{ "coplanar", Coplanar },
	{ "nearly coplanar", NearlyCoplanar },
	{ "shared corner", SharedCorner },
	{ "shared edge", SharedEdge },
	{ "torn corner", TornCorner },
	{ "degenerate", Degenerate },
	{ "slivers", Slivers },
	{ "far from the origin", Far },
	{ "tiny", Tiny },
	{ "huge", Huge },
	{ "mixed scales", MixedScales },
};

const char* hardGetFamilyName(int family)
{
	return families[family].name;
}

// Corners in any order.
static void Shuffle(sceneRandom* random, float triangle[3][3])
{
	float from[3][3];
	int start = sceneRandom_Int(random, 0, 2), turn = sceneRandom_Int(random, 1, 2);
	memcpy(from, triangle, sizeof(from));
	for (int i = 0; i < 3; ++i)
	{
		memcpy(triangle[i], from[(start + i * turn) % 3], sizeof(from[0]));
	}
}

hardPair hardMakePair(int family, uint64_t seed, uint64_t number)
{
	sceneRandom random = { seed * 0x2545f4914f6cdd1du + (uint64_t)family * 0x100000000u + number };
	random.state = sceneRandom_Next(&random);
	hardPair pair;
	families[family].make(&random, &pair);
	Shuffle(&random, pair.a);
	Shuffle(&random, pair.b);
	return pair;
}
