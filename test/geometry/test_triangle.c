// test/geometry/test_triangle.c: triangle-triangle intersection against exact oracles, and a catalogue of degenerate
// cases.
//
// The oracles look for a separating axis in integers (lab/truth/exact.h), or construct the intersection in rationals
// (rational.h); the code under test does neither. test_truth compares the two. Pairs are those of lab/truth/hard.h,
// moved, scaled and nudged.

#include "geometry/triangle.h"
#include "lab/truth/exact.h"
#include "lab/truth/hard.h"
#include "rational.h"
#include "support.h"

#include <math.h>
#include <string.h>

static void PrintPair(const hardPair* pair)
{
	for (int i = 0; i < 6; ++i)
	{
		const float* p = i < 3 ? pair->a[i] : pair->b[i - 3];
		print_message("  %c%d %a %a %a\n", i < 3 ? 'a' : 'b', i % 3, (double)p[0], (double)p[1], (double)p[2]);
	}
}

static void Copy(float to[3], const float from[3])
{
	memcpy(to, from, 3 * sizeof(float));
}

// --- Random pairs ---------------------------------------------------------------------------------------------------

// Half of the pairs stay as they are, so that nothing is lost to rounding. Others are moved and scaled, with rounding
// unless offset and scale are powers of two, and their coordinates nudged by a float or two; some of them are
// flattened along an axis first. What gets too large for that stays as it is, too.
static void MovePair(sceneRandom* random, hardPair* pair)
{
	static const float offsets[] = { 0, 1, -1, 1e3f, 1e6f, 0.1f };
	static const float scales[] = { 1, 0x1p-100f, 0x1p100f, 0x1p-140f, 0.1f, 3.7f, 1e-20f, 1e20f, 0x1p-20f };
	const hardPair before = *pair;
	if (sceneRandom_Int(random, 0, 1))
	{
		return;
	}
	const float offset = offsets[sceneRandom_Int(random, 0, 5)], scale = scales[sceneRandom_Int(random, 0, 8)];
	const bool nudge = sceneRandom_Int(random, 0, 1);
	const int axis = sceneRandom_Int(random, 0, 8);
	float most = 0.0f;
	for (int i = 0; i < 18; ++i)
	{
		float* x = i < 9 ? &pair->a[i / 3][i % 3] : &pair->b[i / 3 - 3][i % 3];
		*x = ((i % 3 == axis ? before.a[0][axis] : *x) + offset) * scale;
		if (nudge && sceneRandom_Int(random, 0, 3) == 0)
		{
			*x = RandomNudge(random, *x, 2);
		}
		most = fmaxf(most, fabsf(*x));
	}
	if (most > 1e37f)
	{
		*pair = before;
	}
}

static hardPair MakePair(int family, int number)
{
	sceneRandom random = { TestSeed() * 1000003u + (uint64_t)family * 0x100000000u + (uint64_t)number };
	hardPair pair = hardMakePair(family, TestSeed(), (uint64_t)number);
	MovePair(&random, &pair);
	return pair;
}

static void CheckAnswer(const char* what, int family, int number, const hardPair* pair, bool expected, bool found)
{
	if (expected != found)
	{
		print_message("SNUG_SEED=%llu, %s, case %d of '%s': expected %d, found %d\n", (unsigned long long)TestSeed(),
		    what, number, hardGetFamilyName(family), expected, found);
		PrintPair(pair);
		fail();
	}
}

// --- Against the oracles --------------------------------------------------------------------------------------------

// Also: both answers must be common in every family, or it tests nothing.
static void matches_exact_oracle(void** state)
{
	(void)state;
	for (int f = 0; f < HARD_FAMILIES; ++f)
	{
		const int count = TestCount(20000);
		int hits = 0;
		for (int i = 0; i < count; ++i)
		{
			const hardPair pair = MakePair(f, i);
			const bool expected = exactIntersect(pair.a, pair.b);
			CheckAnswer("intersect", f, i, &pair, expected, sgTriangles_Intersect(pair.a, pair.b));
			hits += expected;
		}
		if (count >= 1000)
		{
			assert_in_range(hits, count / 40, count - count / 40);
		}
	}
}

// All 6 x 6 orders of the corners and both orders of the triangles take different paths to one answer.
static void order_does_not_matter(void** state)
{
	(void)state;
	static const int orders[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 } };
	for (int f = 0; f < HARD_FAMILIES; ++f)
	{
		const int count = TestCount(1600);
		for (int i = 0; i < count; ++i)
		{
			const hardPair pair = MakePair(f, i);
			const bool expected = sgTriangles_Intersect(pair.a, pair.b);
			for (int order = 0; order < 36; ++order)
			{
				hardPair other;
				for (int k = 0; k < 3; ++k)
				{
					Copy(other.a[k], pair.a[orders[order / 6][k]]);
					Copy(other.b[k], pair.b[orders[order % 6][k]]);
				}
				CheckAnswer("order", f, i, &other, expected, sgTriangles_Intersect(other.a, other.b));
				CheckAnswer("swap", f, i, &other, expected, sgTriangles_Intersect(other.b, other.a));
			}
		}
	}
}

// --- Neighbours -----------------------------------------------------------------------------------------------------

// Two faces of a mesh of few vertices, named by index: every pattern of shared corners turns up, also faces that name
// a vertex twice, and vertices that coincide without being the same.
static uint32_t MakeNeighbours(sceneRandom* random, hardPair* pair)
{
	float vertices[6][3];
	hardPair points = hardMakePair(sceneRandom_Int(random, 0, HARD_FAMILIES - 1), TestSeed(), sceneRandom_Next(random));
	MovePair(random, &points);
	memcpy(vertices[0], points.a, sizeof(points.a));
	memcpy(vertices[3], points.b, sizeof(points.b));
	const int last = sceneRandom_Int(random, 2, 5);
	int indices[6];
	for (int i = 0; i < 6; ++i)
	{
		indices[i] = sceneRandom_Int(random, 0, last);
		// Repeated indices are rare in real meshes; draw again once.
		if (i % 3 != 0 && indices[i] == indices[i - 1])
		{
			indices[i] = sceneRandom_Int(random, 0, last);
		}
		Copy(i < 3 ? pair->a[i] : pair->b[i - 3], vertices[indices[i]]);
	}
	uint32_t shared = 0;
	for (int i = 0; i < 9; ++i)
	{
		shared |= (uint32_t)(indices[i / 3] == indices[3 + i % 3]) << i;
	}
	return shared;
}

static void neighbours_match_rationals(void** state)
{
	(void)state;
	const int count = TestCount(40000);
	int hits[4] = { 0 }, total[4] = { 0 };
	for (int i = 0; i < count; ++i)
	{
		sceneRandom random = { TestSeed() * 1000003u + (uint64_t)i };
		hardPair pair;
		const uint32_t shared = MakeNeighbours(&random, &pair);
		const bool expected = RationalIntersectBeyond(pair.a, pair.b, shared);
		const bool found = sgTriangles_IntersectBeyond(pair.a, pair.b, shared);
		if (expected != found)
		{
			print_message("SNUG_SEED=%llu, neighbours, case %d, mask %#o: expected %d\n",
			    (unsigned long long)TestSeed(), i, (unsigned)shared, expected);
			PrintPair(&pair);
			fail();
		}
		const int corners = ((shared & 0007) != 0) + ((shared & 0070) != 0) + ((shared & 0700) != 0);
		total[corners] += 1;
		hits[corners] += expected;
	}
	for (int k = 0; k < 4 && count >= 10000; ++k)
	{
		assert_true(total[k] > count / 50);
		assert_true(k == 3 ? hits[k] == 0 : hits[k] > total[k] / 50 && hits[k] < total[k] - total[k] / 50);
	}
}

// The mask seen from the other triangle is its transpose.
static void neighbours_are_symmetric(void** state)
{
	(void)state;
	const int count = TestCount(50000);
	for (int i = 0; i < count; ++i)
	{
		sceneRandom random = { TestSeed() * 1000003u + (uint64_t)i };
		hardPair pair;
		const uint32_t shared = MakeNeighbours(&random, &pair);
		uint32_t transposed = 0;
		for (int k = 0; k < 9; ++k)
		{
			transposed |= (shared >> k & 1) << (k % 3 * 3 + k / 3);
		}
		const bool found = sgTriangles_IntersectBeyond(pair.a, pair.b, shared);
		if (found != sgTriangles_IntersectBeyond(pair.b, pair.a, transposed))
		{
			print_message("SNUG_SEED=%llu, case %d, mask %#o\n", (unsigned long long)TestSeed(), i, (unsigned)shared);
			PrintPair(&pair);
			fail();
		}
	}
}

// --- Catalogue ------------------------------------------------------------------------------------------------------

#define TINY 0x1p-149f           // the smallest float
#define ABOVE_TWO 0x1.000002p+1f // the next float after 2
#define FACE                      \
	{                             \
		{ 0, 0, 0 }, { 4, 0, 0 }, \
		{                         \
			0, 4, 0               \
		}                         \
	}
#define DIAGONAL                  \
	{                             \
		{ 2, 2, 2 }, { 0, 0, 0 }, \
		{                         \
			4, 4, 4               \
		}                         \
	} // a segment, its middle first
#define DOT(x, y, z)              \
	{                             \
		{ x, y, z }, { x, y, z }, \
		{                         \
			x, y, z               \
		}                         \
	}

typedef struct Case
{
	const char* name;
	hardPair pair;
	uint32_t shared; // neighbours only; octal digits: corners of b shared by a's corner 2, 1, 0
	bool expected;
} Case;

// clang-format off
static const Case catalogue[] = {
	// Different planes.
	{ "pierced", { FACE, { { 1, 1, -1 }, { 1, 1, 1 }, { 5, 5, 0 } } }, 0, true },
	{ "passes beside", { FACE, { { 5, 5, -1 }, { 5, 5, 1 }, { 9, 9, 0 } } }, 0, false },
	{ "parallel", { FACE, { { 0, 0, 1 }, { 4, 0, 1 }, { 0, 4, 1 } } }, 0, false },
	{ "parallel by one float", { FACE, { { 0, 0, TINY }, { 4, 0, TINY }, { 0, 4, TINY } } }, 0, false },
	{ "corner on face", { FACE, { { 1, 1, 0 }, { 1, 1, 2 }, { 2, 1, 2 } } }, 0, true },
	{ "corner one float above face", { FACE, { { 1, 1, TINY }, { 1, 1, 2 }, { 2, 1, 2 } } }, 0, false },
	{ "corner one float below face", { FACE, { { 1, 1, -TINY }, { 1, 1, 2 }, { 2, 1, 2 } } }, 0, true },
	{ "corner in plane, beside", { FACE, { { 3, 3, 0 }, { 1, 1, 2 }, { 2, 1, 2 } } }, 0, false },
	{ "corner on edge", { FACE, { { 2, 2, 0 }, { 2, 2, 1 }, { 3, 3, 1 } } }, 0, true },
	{ "corner one float beside edge", { FACE, { { 2, ABOVE_TWO, 0 }, { 2, 2, 1 }, { 3, 3, 1 } } }, 0, false },
	{ "corner on corner", { FACE, { { 4, 0, 0 }, { 5, 0, 1 }, { 5, 1, 1 } } }, 0, true },
	{ "corner on corner, crossing", { FACE, { { 4, 0, 0 }, { 1, 1, 1 }, { 1, 1, -1 } } }, 0, true },
	{ "edge crosses edge", { FACE, { { 2, 0, -1 }, { 2, 0, 1 }, { 2, -3, 0 } } }, 0, true },
	{ "edge passes edge by one float", { FACE, { { 2, -TINY, -1 }, { 2, -TINY, 1 }, { 2, -3, 0 } } }, 0, false },
	{ "edge through corner", { FACE, { { 4, 0, -1 }, { 4, 0, 1 }, { 9, 0, 0 } } }, 0, true },
	{ "edge in face", { FACE, { { 1, 1, 0 }, { 2, 1, 0 }, { 1, 1, 3 } } }, 0, true },
	{ "edge across face", { FACE, { { -1, 1, 0 }, { 9, 1, 0 }, { 1, 1, 3 } } }, 0, true },
	{ "edge in plane, beside", { FACE, { { 5, 5, 0 }, { 6, 5, 0 }, { 5, 5, 3 } } }, 0, false },
	{ "edge in plane, touches corner", { FACE, { { 4, -1, 0 }, { 4, 1, 0 }, { 4, 0, 3 } } }, 0, true },
	{ "edges overlap", { FACE, { { 3, 0, 0 }, { 7, 0, 0 }, { 5, -1, 1 } } }, 0, true },
	{ "edges end to end", { FACE, { { 4, 0, 0 }, { 8, 0, 0 }, { 6, -1, 1 } } }, 0, true },
	{ "edges in line, apart", { FACE, { { 5, 0, 0 }, { 8, 0, 0 }, { 6, -1, 1 } } }, 0, false },
	{ "common edge", { FACE, { { 0, 0, 0 }, { 4, 0, 0 }, { 0, 0, 4 } } }, 0, true },
	{ "huge face, corner on it", { { { 0, 0, 0 }, { 1e38f, 0, 0 }, { 0, 1e38f, 0 } },
		{ { 1, 1, 0 }, { 1, 1, 1 }, { 2, 1, 1 } } }, 0, true },
	{ "huge face, corner one float above", { { { 0, 0, 0 }, { 1e38f, 0, 0 }, { 0, 1e38f, 0 } },
		{ { 1, 1, TINY }, { 1, 1, 1 }, { 2, 1, 1 } } }, 0, false },
	// One plane.
	{ "same", { FACE, FACE }, 0, true },
	{ "coplanar, inside", { FACE, { { 1, 1, 0 }, { 2, 1, 0 }, { 1, 2, 0 } } }, 0, true },
	{ "coplanar, around", { FACE, { { -9, -9, 0 }, { 30, -9, 0 }, { -9, 30, 0 } } }, 0, true },
	{ "coplanar, star", { FACE, { { 3, 3, 0 }, { -1, 3, 0 }, { 3, -1, 0 } } }, 0, true },
	{ "coplanar, no corner inside", { FACE, { { -1, 1, 0 }, { 9, 1, 0 }, { 9, 2, 0 } } }, 0, true },
	{ "coplanar, apart", { FACE, { { 5, 5, 0 }, { 6, 5, 0 }, { 5, 6, 0 } } }, 0, false },
	{ "coplanar, apart, boxes overlap", { FACE, { { 3, 2, 0 }, { 4, 4, 0 }, { 5, 1, 0 } } }, 0, false },
	{ "coplanar, corner on edge", { FACE, { { 2, 2, 0 }, { 5, 2, 0 }, { 5, 5, 0 } } }, 0, true },
	{ "coplanar, one float apart", { FACE, { { 2, ABOVE_TWO, 0 }, { 5, 2, 0 }, { 5, 5, 0 } } }, 0, false },
	{ "coplanar, corner on corner", { FACE, { { 4, 0, 0 }, { 8, 0, 0 }, { 8, 4, 0 } } }, 0, true },
	{ "coplanar, common edge", { FACE, { { 4, 0, 0 }, { 0, 4, 0 }, { 4, 4, 0 } } }, 0, true },
	{ "coplanar, edges overlap", { FACE, { { 3, 0, 0 }, { 7, 0, 0 }, { 5, -1, 0 } } }, 0, true },
	{ "coplanar, edges in line, apart", { FACE, { { 5, 0, 0 }, { 8, 0, 0 }, { 6, -1, 0 } } }, 0, false },
	// A triangle and a point.
	{ "point in face", { FACE, DOT(1, 1, 0) }, 0, true },
	{ "point on edge", { FACE, DOT(2, 2, 0) }, 0, true },
	{ "point on corner", { FACE, DOT(0, 4, 0) }, 0, true },
	{ "point in plane, beside", { FACE, DOT(3, 3, 0) }, 0, false },
	{ "point above", { FACE, DOT(1, 1, TINY) }, 0, false },
	// A triangle and a segment.
	{ "segment through face", { FACE, { { 1, 1, -1 }, { 1, 1, 1 }, { 1, 1, 0 } } }, 0, true },
	{ "segment through edge", { FACE, { { 2, 2, -1 }, { 2, 2, 1 }, { 2, 2, 0 } } }, 0, true },
	{ "segment through corner", { FACE, { { 4, 0, -1 }, { 4, 0, 1 }, { 4, 0, 0.5f } } }, 0, true },
	{ "segment ends on face", { FACE, { { 1, 1, 0 }, { 1, 1, 5 }, { 1, 1, 2 } } }, 0, true },
	{ "segment ends above face", { FACE, { { 1, 1, TINY }, { 1, 1, 5 }, { 1, 1, 2 } } }, 0, false },
	{ "segment passes edge", { FACE, { { 2, ABOVE_TWO, -1 }, { 2, ABOVE_TWO, 1 }, { 2, ABOVE_TWO, 0 } } }, 0, false },
	{ "segment in face", { FACE, { { 1, 1, 0 }, { 2, 1, 0 }, { 1.5f, 1, 0 } } }, 0, true },
	{ "segment across face", { FACE, { { -1, 1, 0 }, { 9, 1, 0 }, { 2, 1, 0 } } }, 0, true },
	{ "segment in plane, touches corner", { FACE, { { 4, -1, 0 }, { 4, 1, 0 }, { 4, 0, 0 } } }, 0, true },
	{ "segment in plane, beside", { FACE, { { 5, -1, 0 }, { 5, 1, 0 }, { 5, 0, 0 } } }, 0, false },
	{ "segment continues edge", { FACE, { { 4, 0, 0 }, { 9, 0, 0 }, { 6, 0, 0 } } }, 0, true },
	{ "segment in line with edge, apart", { FACE, { { 5, 0, 0 }, { 9, 0, 0 }, { 6, 0, 0 } } }, 0, false },
	{ "segment with a doubled end", { FACE, { { 1, 1, 1 }, { 1, 1, -1 }, { 1, 1, -1 } } }, 0, true },
	// Segments and points.
	{ "segments cross", { DIAGONAL, { { 1, 1, 0 }, { 1, 1, 4 }, { 1, 1, 3 } } }, 0, true },
	{ "segments meet in an end", { DIAGONAL, { { 4, 4, 4 }, { 4, 4, 8 }, { 4, 4, 6 } } }, 0, true },
	{ "segment on the other's line, past it", { DIAGONAL, { { 6, 6, 0 }, { 6, 6, 12 }, { 6, 6, 4 } } }, 0, false },
	{ "skew segments", { DIAGONAL, { { 3, 1, 0 }, { 3, 1, 4 }, { 3, 1, 2 } } }, 0, false },
	{ "parallel segments", { DIAGONAL, { { 1, 0, 0 }, { 5, 4, 4 }, { 3, 2, 2 } } }, 0, false },
	{ "segments overlap", { DIAGONAL, { { 3, 3, 3 }, { 6, 6, 6 }, { 5, 5, 5 } } }, 0, true },
	{ "segments end to end", { DIAGONAL, { { 4, 4, 4 }, { 6, 6, 6 }, { 5, 5, 5 } } }, 0, true },
	{ "segments in line, apart", { DIAGONAL, { { 5, 5, 5 }, { 6, 6, 6 }, { 7, 7, 7 } } }, 0, false },
	{ "point on segment", { DIAGONAL, DOT(1, 1, 1) }, 0, true },
	{ "point on segment's end", { DIAGONAL, DOT(4, 4, 4) }, 0, true },
	{ "point past segment", { DIAGONAL, DOT(5, 5, 5) }, 0, false },
	{ "point beside segment", { DIAGONAL, DOT(1, 1, 2) }, 0, false },
	{ "same point", { DOT(7, 8, 9), DOT(7, 8, 9) }, 0, true },
	{ "two points", { DOT(7, 8, 9), DOT(7, 8, 8) }, 0, false },
	{ "zeros of both signs", { DOT(0, 0, 0), DOT(-0.0f, 0, -0.0f) }, 0, true },
};

static const Case neighbours[] = {
	{ "none shared, corner touches", { FACE, { { 0, 0, 0 }, { -1, 0, 1 }, { 0, -1, 1 } } }, 0, true },
	// A corner.
	{ "corner, nothing else", { FACE, { { 0, 0, 0 }, { -1, 0, 1 }, { 0, -1, 1 } } }, 01, false },
	{ "corner, pierced", { FACE, { { 0, 0, 0 }, { 1, 1, -1 }, { 1, 1, 1 } } }, 01, true },
	{ "corner, far end pierced", { FACE, { { 0, 0, 0 }, { 9, 9, -1 }, { 9, 9, 1 } } }, 01, true },
	{ "corner, crosses the plane behind", { FACE, { { 0, 0, 0 }, { -1, -1, -1 }, { -1, -1, 1 } } }, 01, false },
	{ "corner, crosses the plane beside", { FACE, { { 0, 0, 0 }, { 5, -1, -1 }, { 5, -1, 1 } } }, 01, false },
	{ "corner, edge in face", { FACE, { { 0, 0, 0 }, { 2, 1, 0 }, { 0, 0, 4 } } }, 01, true },
	{ "corner, edge along edge", { FACE, { { 0, 0, 0 }, { 9, 0, 0 }, { 0, 0, 4 } } }, 01, true },
	{ "corner, edge along edge backwards", { FACE, { { 0, 0, 0 }, { -9, 0, 0 }, { 0, 0, 4 } } }, 01, false },
	{ "corner, edge one float above edge", { FACE, { { 0, 0, 0 }, { 9, 0, TINY }, { 0, 0, 4 } } }, 01, false },
	{ "corner, another coincides", { FACE, { { 0, 0, 0 }, { 4, 0, 0 }, { 0, 0, 4 } } }, 01, true },
	{ "corner, coplanar, apart", { FACE, { { 0, 0, 0 }, { -1, 0, 0 }, { 0, -1, 0 } } }, 01, false },
	{ "corner, coplanar, overlap", { FACE, { { 0, 0, 0 }, { 1, 1, 0 }, { 9, -2, 0 } } }, 01, true },
	{ "corner, coplanar, inside", { FACE, { { 0, 0, 0 }, { 2, 1, 0 }, { 1, 2, 0 } } }, 01, true },
	{ "corner, coplanar, around", { FACE, { { 0, 0, 0 }, { 9, -1, 0 }, { -1, 9, 0 } } }, 01, true },
	{ "corner, coplanar, edges touch", { FACE, { { 0, 0, 0 }, { 3, 0, 0 }, { 1, -1, 0 } } }, 01, true },
	{ "corner, coplanar, one float apart", { FACE, { { 0, 0, 0 }, { 3, -TINY, 0 }, { 1, -1, 0 } } }, 01, false },
	// An edge.
	{ "edge, folded up", { FACE, { { 0, 0, 0 }, { 4, 0, 0 }, { 0, 0, 4 } } }, 021, false },
	{ "edge, flat", { FACE, { { 0, 0, 0 }, { 4, 0, 0 }, { 0, -4, 0 } } }, 021, false },
	{ "edge, folded over", { FACE, { { 0, 0, 0 }, { 4, 0, 0 }, { 1, 1, 0 } } }, 021, true },
	{ "edge, folded over but for one float", { FACE, { { 0, 0, 0 }, { 4, 0, 0 }, { 1, 1, TINY } } }, 021, false },
	{ "edge, the other on its line", { FACE, { { 0, 0, 0 }, { 4, 0, 0 }, { 9, 0, 0 } } }, 021, false },
	{ "edge, all on a line, same end",
		{ { { 0, 0, 0 }, { 4, 4, 0 }, { 6, 6, 0 } }, { { 0, 0, 0 }, { 4, 4, 0 }, { 5, 5, 0 } } }, 021, true },
	{ "edge, all on a line, same other end",
		{ { { 0, 0, 0 }, { 4, 4, 0 }, { -6, -6, 0 } }, { { 0, 0, 0 }, { 4, 4, 0 }, { -5, -5, 0 } } }, 021, true },
	{ "edge, all on a line, different ends",
		{ { { 0, 0, 0 }, { 4, 4, 0 }, { 6, 6, 0 } }, { { 0, 0, 0 }, { 4, 4, 0 }, { -5, -5, 0 } } }, 021, false },
	{ "edge, all on a line, within",
		{ { { 0, 0, 0 }, { 4, 4, 0 }, { 6, 6, 0 } }, { { 0, 0, 0 }, { 4, 4, 0 }, { 2, 2, 0 } } }, 021, false },
	// Three corners: nothing is beyond them.
	{ "all shared", { FACE, FACE }, 0421, false },
	// A shared corner within its own opposite edge.
	{ "corner on own edge, crossed there",
		{ { { 0, 0, 0 }, { -2, 0, 0 }, { 2, 0, 0 } }, { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }, 01, false },
	{ "corner on own edge, overlap",
		{ { { 0, 0, 0 }, { -2, 0, 0 }, { 2, 0, 0 } }, { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 0, 1 } } }, 01, true },
	{ "corner on own edge, inside",
		{ { { 0, 0, 0 }, { -2, 0, 0 }, { 2, 0, 0 } }, { { 0, 0, 0 }, { 3, 1, 0 }, { 3, -1, 0 } } }, 01, true },
	{ "corners on own edges, crossing",
		{ { { 0, 0, 0 }, { -2, 0, 0 }, { 2, 0, 0 } }, { { 0, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 } } }, 01, false },
	{ "corners on own edges, overlapping",
		{ { { 0, 0, 0 }, { -2, 0, 0 }, { 2, 0, 0 } }, { { 0, 0, 0 }, { 1, 0, 0 }, { -1, 0, 0 } } }, 01, true },
	// A vertex named twice.
	{ "doubled corner, inside",
		{ { { 0, 0, 0 }, { 0, 0, 0 }, { 2, 0, 0 } }, { { 0, 0, 0 }, { 1, 1, 0 }, { 1, -1, 0 } } }, 011, true },
	{ "doubled corner, outside",
		{ { { 0, 0, 0 }, { 0, 0, 0 }, { -2, 0, 0 } }, { { 0, 0, 0 }, { 1, 1, 0 }, { 1, -1, 0 } } }, 011, false },
	{ "point and its face", { DOT(0, 0, 0), FACE }, 0111, false },
};
// clang-format on

static void CheckCase(const char* name, const hardPair* pair, uint32_t shared, bool expected, bool found)
{
	if (expected != found)
	{
		print_message("'%s', mask %#o: expected %d, found %d\n", name, (unsigned)shared, expected, found);
		PrintPair(pair);
		fail();
	}
}

// In all orders of the corners, and both orders of the triangles.
static void CheckOrders(const Case* c, const hardPair* pair)
{
	static const int orders[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 } };
	for (int order = 0; order < 36; ++order)
	{
		const int *ofA = orders[order / 6], *ofB = orders[order % 6];
		hardPair other;
		uint32_t mask = 0, swapped = 0;
		for (int k = 0; k < 9; ++k)
		{
			const uint32_t bit = c->shared >> (3 * ofA[k / 3] + ofB[k % 3]) & 1;
			mask |= bit << k;
			swapped |= bit << (3 * (k % 3) + k / 3);
			other.a[k / 3][k % 3] = pair->a[ofA[k / 3]][k % 3];
			other.b[k / 3][k % 3] = pair->b[ofB[k / 3]][k % 3];
		}
		CheckCase(c->name, &other, mask, c->expected, sgTriangles_IntersectBeyond(other.a, other.b, mask));
		CheckCase(c->name, &other, swapped, c->expected, sgTriangles_IntersectBeyond(other.b, other.a, swapped));
	}
}

// With the coordinates in every rotation, so that every axis is once the one to project along, and mirrored.
static void CheckCatalogue(const Case* cases, int count)
{
	for (int i = 0; i < count; ++i)
	{
		for (int turn = 0; turn < 6; ++turn)
		{
			const float sign = turn < 3 ? 1.0f : -1.0f;
			hardPair pair;
			for (int k = 0; k < 9; ++k)
			{
				pair.a[k / 3][(k + turn) % 3] = sign * cases[i].pair.a[k / 3][k % 3];
				pair.b[k / 3][(k + turn) % 3] = sign * cases[i].pair.b[k / 3][k % 3];
			}
			CheckOrders(&cases[i], &pair);
		}
		CheckCase(cases[i].name, &cases[i].pair, cases[i].shared, cases[i].expected,
		    RationalIntersectBeyond(cases[i].pair.a, cases[i].pair.b, cases[i].shared));
	}
}

static void catalogue_of_degenerate_pairs(void** state)
{
	(void)state;
	CheckCatalogue(catalogue, (int)(sizeof(catalogue) / sizeof(catalogue[0])));
}

static void catalogue_of_neighbours(void** state)
{
	(void)state;
	CheckCatalogue(neighbours, (int)(sizeof(neighbours) / sizeof(neighbours[0])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(catalogue_of_degenerate_pairs),
		cmocka_unit_test(catalogue_of_neighbours),
		cmocka_unit_test(matches_exact_oracle),
		cmocka_unit_test(order_does_not_matter),
		cmocka_unit_test(neighbours_match_rationals),
		cmocka_unit_test(neighbours_are_symmetric),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
