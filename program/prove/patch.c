#include "program/prove/patch.h"

#include "program/prove/apart.h"
#include "program/prove/vector.h"

#include <math.h>
#include <string.h>

static double ErrorOf(const proveSide* side)
{
	return 2.0 * fmax(side->errors[0], side->errors[1]);
}

static uint32_t NameOf(const proveSide* side, uint32_t triangle, int corner)
{
	return side->names[side->mesh->corners[3 * (size_t)triangle + (size_t)corner]];
}

// Bernstein coefficients of the product of two vectors that go straight, and their error.
static double FindTurn(double p[2][3], double q[2][3], double error, double turn[3][3])
{
	double other[3], most = 0.0;
	proveCross(p[0], q[0], turn[0]);
	proveCross(p[1], q[1], turn[2]);
	proveCross(p[0], q[1], turn[1]);
	proveCross(p[1], q[0], other);
	for (int k = 0; k < 3; ++k)
	{
		turn[1][k] += other[k];
		for (int e = 0; e < 2; ++e)
		{
			most = fmax(most, fmax(fabs(p[e][k]), fabs(q[e][k])));
		}
	}
	return 16.0 * (error + 0x1p-50 * most) * most;
}

// ---- Patches ---------------------------------------------------------------------------------------------------

typedef struct border
{
	uint32_t from, to;    // names
	double ends[2][2][3]; // of `from` and of `to`, at both ends
} border;

// A direction along which all triangles are seen from one side.
static bool FindDirection(
    const proveSide* side, const uint32_t* triangles, int count, const double u[2], int32_t direction[3])
{
	proveCloud turns;
	double error = 0.0;
	turns.count = 3 * count;
	for (int i = 0; i < count; ++i)
	{
		double places[3][2][3], p[2][3], q[2][3];
		for (size_t c = 0; c < 3; ++c)
		{
			proveSide_Place(side, side->mesh->corners[3 * (size_t)triangles[i] + c], u, places[c]);
		}
		for (int e = 0; e < 2; ++e)
		{
			proveSubtract(places[1][e], places[0][e], p[e]);
			proveSubtract(places[2][e], places[0][e], q[e]);
		}
		error = fmax(error, FindTurn(p, q, ErrorOf(side), turns.ends[0] + 3 * (size_t)i));
	}
	memcpy(turns.ends[1], turns.ends[0], (size_t)turns.count * sizeof(turns.ends[0][0]));
	return proveAhead(&turns, error, direction);
}

// How often each edge is there one way round, less the other way round: a table with room for twice as many.
#define EDGE_SLOTS 512
_Static_assert(EDGE_SLOTS > 2 * 3 * PROVE_PATCH && (EDGE_SLOTS & (EDGE_SLOTS - 1)) == 0, "a power of two, half empty");
typedef struct edgeTable
{
	uint64_t keys[EDGE_SLOTS]; // all bits: nothing
	int counts[EDGE_SLOTS];    // of the way from the lower name to the higher one
} edgeTable;

static int* FindEdge(edgeTable* table, uint32_t x, uint32_t y)
{
	const uint64_t key = x < y ? (uint64_t)x << 32 | y : (uint64_t)y << 32 | x;
	size_t slot = (size_t)(key * 0x9e3779b97f4a7c15u >> 55);
	while (table->keys[slot] != key && table->keys[slot] != UINT64_MAX)
	{
		slot = (slot + 1) % EDGE_SLOTS;
	}
	table->keys[slot] = key;
	return table->counts + slot;
}

// Put edges one after the other. False if they are not one loop that passes each of its corners once.
static bool SortLoop(border* edges, int count)
{
	for (int i = 1; i < count; ++i)
	{
		int next = count;
		for (int k = i; k < count; ++k)
		{
			next = edges[k].from == edges[i - 1].to ? k : next;
		}
		if (next == count || edges[i - 1].to == edges[0].from)
		{
			return false;
		}
		const border swapped = edges[i];
		edges[i] = edges[next];
		edges[next] = swapped;
	}
	return count > 0 && edges[count - 1].to == edges[0].from;
}

/// @return how many edges the border has, or 0 if it is not one loop that passes each of its corners once
static int FindBorder(const proveSide* side, const uint32_t* triangles, int count, const double u[2], border* edges)
{
	uint32_t names[PROVE_PATCH][3];
	edgeTable table = { .counts = { 0 } };
	int edgeCount = 0;
	memset(table.keys, 0xff, sizeof(table.keys));
	for (int i = 0; i < count; ++i)
	{
		for (int c = 0; c < 3; ++c)
		{
			names[i][c] = NameOf(side, triangles[i], c);
		}
		for (int c = 0; c < 3; ++c)
		{
			const uint32_t from = names[i][c], to = names[i][c < 2 ? c + 1 : 0];
			*FindEdge(&table, from, to) += (from < to) - (from > to);
		}
	}
	for (int i = 0; i < count; ++i)
	{
		for (int c = 0; c < 3; ++c)
		{
			const int d = c < 2 ? c + 1 : 0, sign = names[i][c] < names[i][d] ? 1 : -1;
			const int found = sign * *FindEdge(&table, names[i][c], names[i][d]);
			if (found > 1)
			{
				return 0;
			}
			if (found == 1)
			{
				border* edge = edges + edgeCount++;
				*edge = (border){ .from = names[i][c], .to = names[i][d] };
				const uint32_t* corners = side->mesh->corners + 3 * (size_t)triangles[i];
				proveSide_Place(side, corners[c], u, edge->ends[0]);
				proveSide_Place(side, corners[d], u, edge->ends[1]);
			}
		}
	}
	return SortLoop(edges, edgeCount) ? edgeCount : 0;
}

// The signs of a Bernstein polynomial d . turn: 1 or -1 if it keeps that, beyond errors.
static int FindSide(double p[2][3], double q[2][3], const double d[3], double error)
{
	double turn[3][3], along[3];
	const double margin = 2.0 * FindTurn(p, q, error, turn) * (fabs(d[0]) + fabs(d[1]) + fabs(d[2]));
	for (int i = 0; i < 3; ++i)
	{
		along[i] = proveDot(d, turn[i]);
	}
	return proveSign(along, 3, margin);
}

// On which side of the line of an edge a point is, as seen along d.
static int FindSideOf(const border* edge, const double point[2][3], const double d[3], double error)
{
	double way[2][3], to[2][3];
	for (int e = 0; e < 2; ++e)
	{
		proveSubtract(edge->ends[1][e], edge->ends[0][e], way[e]);
		proveSubtract(point[e], edge->ends[0][e], to[e]);
	}
	return FindSide(way, to, d, error);
}

static bool AreEdgesApart(const border* one, const border* other, const double d[3], double error)
{
	const int first = FindSideOf(one, other->ends[0], d, error);
	return (first != 0 && first == FindSideOf(one, other->ends[1], d, error));
}

// Edges that follow each other have no more than their corner in common if all others are apart: docs/proofs.md.
static bool IsSimple(const border* edges, int count, const int32_t direction[3], double error)
{
	const double d[3] = { direction[0], direction[1], direction[2] };
	for (int i = 0; i < count; ++i)
	{
		const int last = i == 0 ? count - 1 : count;
		for (int k = i + 2; k < last; ++k)
		{
			if (!AreEdgesApart(edges + i, edges + k, d, error) && !AreEdgesApart(edges + k, edges + i, d, error))
			{
				return false;
			}
		}
	}
	return true;
}

bool proveFindPatch(
    const proveSide* side, const uint32_t* triangles, int count, const double u[2], int32_t direction[3])
{
	border edges[3 * PROVE_PATCH];
	const int edgeCount =
	    FindDirection(side, triangles, count, u, direction) ? FindBorder(side, triangles, count, u, edges) : 0;
	return edgeCount > 0 && IsSimple(edges, edgeCount, direction, ErrorOf(side));
}

// ---- Neighbours ------------------------------------------------------------------------------------------------

bool provePartAtCorner(
    const proveSide* side, const uint32_t* triangles, int countA, int count, const double u[2], int32_t direction[3])
{
	proveCloud points;
	uint32_t shared = SNUG_NONE;
	double o[2][3];
	for (int i = 0; i < 9 * countA * (count - countA); ++i)
	{
		const uint32_t a = triangles[i / 9 % countA], b = triangles[countA + i / 9 / countA];
		const uint32_t name = NameOf(side, a, i % 3);
		if (name == NameOf(side, b, i / 3 % 3) && name != shared)
		{
			if (shared != SNUG_NONE)
			{
				return false;
			}
			shared = name;
			proveSide_Place(side, side->mesh->corners[3 * (size_t)a + (size_t)(i % 3)], u, o);
		}
	}
	if (shared == SNUG_NONE)
	{
		return false;
	}
	points.count = 0;
	for (int i = 0; i < 3 * count; ++i)
	{
		const uint32_t vertex = side->mesh->corners[3 * (size_t)triangles[i / 3] + (size_t)(i % 3)];
		double places[2][3];
		if (side->names[vertex] != shared)
		{
			proveSide_Place(side, vertex, u, places);
			for (int e = 0; e < 2; ++e)
			{
				const bool isFirst = i / 3 < countA;
				proveSubtract(isFirst ? o[e] : places[e], isFirst ? places[e] : o[e], points.ends[e][points.count]);
			}
			points.count++;
		}
	}
	return proveAhead(&points, ErrorOf(side), direction);
}

static bool HasThree(const proveSide* side, uint32_t triangle)
{
	const uint32_t a = NameOf(side, triangle, 0), b = NameOf(side, triangle, 1), c = NameOf(side, triangle, 2);
	return a != b && b != c && c != a;
}

bool provePartAtEdge(const proveSide* side, uint32_t a, uint32_t b, const double u[2], int32_t direction[3])
{
	double shared[3][2][3], rest[2][2][3], way[2][3], to[2][2][3];
	int sharedCount = 0;
	for (int c = 0; c < 3; ++c)
	{
		bool isShared[2] = { false, false };
		for (int k = 0; k < 3; ++k)
		{
			isShared[0] = isShared[0] || NameOf(side, a, c) == NameOf(side, b, k);
			isShared[1] = isShared[1] || NameOf(side, b, c) == NameOf(side, a, k);
		}
		const size_t i = (size_t)c;
		proveSide_Place(side, side->mesh->corners[3 * (size_t)a + i], u, isShared[0] ? shared[sharedCount] : rest[0]);
		sharedCount += isShared[0];
		if (!isShared[1])
		{
			proveSide_Place(side, side->mesh->corners[3 * (size_t)b + i], u, rest[1]);
		}
	}
	if (sharedCount != 2 || !HasThree(side, a) || !HasThree(side, b))
	{
		return false;
	}
	proveCloud turns = { .count = 6 };
	double error = 0.0;
	for (int e = 0; e < 2; ++e)
	{
		proveSubtract(shared[1][e], shared[0][e], way[e]);
		proveSubtract(rest[0][e], shared[0][e], to[0][e]);
		proveSubtract(shared[0][e], rest[1][e], to[1][e]); // the other way round
	}
	for (int t = 0; t < 2; ++t)
	{
		error = fmax(error, FindTurn(way, to[t], ErrorOf(side), turns.ends[0] + 3 * t));
	}
	memcpy(turns.ends[1], turns.ends[0], 6 * sizeof(turns.ends[0][0]));
	return proveAhead(&turns, error, direction);
}
