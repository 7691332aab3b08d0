#include "program/prove/claims.h"

#include "program/prove/apart.h"
#include "program/prove/patch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Triangles of a node that spans are made for at least.
#define SPAN_TRIANGLES 8
// Moments of pairs of triangles of one body that may stay unknown in a step, before it is halved instead.
#define MAX_UNKNOWN 256
// Triangles that cross, of which one may do so throughout an interval.
#define MAX_CROSSINGS 64

// The three axes and ten diagonals: most nodes are apart along one of them.
#define DIRECTIONS 13
static const int32_t directions[DIRECTIONS][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 1, 0 }, { 1, -1, 0 },
	{ 1, 0, 1 }, { 1, 0, -1 }, { 0, 1, 1 }, { 0, 1, -1 }, { 1, 1, 1 }, { 1, 1, -1 }, { 1, -1, 1 }, { -1, 1, 1 } };

// Triangles `low` to `high` - 1 of the proof's order; its halves are nodes 2 index and 2 index + 1.
typedef struct node
{
	uint32_t low, high, index;
} node;

// From part / 2^halvings of a step to (part + 1) / 2^halvings.
typedef struct interval
{
	uint64_t part;
	int halvings;
} interval;

typedef struct crossing
{
	uint32_t a, b;
	int edge; // 0 to 2 of a, 3 to 5 of b
} crossing;

typedef struct prover
{
	const proveQuestion* question;
	proveSide* sides[2];
	bool isSelf;
	double error; // of a coordinate of a difference
	proveText* text;
	proveCloud clouds[2];
	crossing* crossings; // at one time
	size_t crossingCount, crossingCapacity;
	proveMeet meet; // when these are looked for at the start: all, and as many as there are
	void* user;
	bool failed;
	int unknown;     // moments of pairs that were not proved
	bool isHopeless; // two triangles are too near each other all the time
} prover;

// ---- Sides -----------------------------------------------------------------------------------------------------

bool proveSide_Create(proveSide* side, const proveMesh* mesh)
{
	const size_t bytes = (size_t)mesh->vertexCount * 3 * sizeof(double) + 1;
	*side = (proveSide){ .mesh = mesh, .nodes = 2 };
	while (mesh->triangleCount / (side->nodes / 2) > SPAN_TRIANGLES)
	{
		side->nodes *= 2;
	}
	for (int end = 0; end < 2; ++end)
	{
		side->ends[end] = malloc(bytes);
		side->spans[end] = malloc((size_t)side->nodes * 2 * DIRECTIONS * sizeof(double));
	}
	side->stamps = calloc((size_t)mesh->vertexCount + 1, sizeof(uint32_t));
	side->names = malloc((size_t)mesh->vertexCount * sizeof(uint32_t) + 1);
	return side->ends[0] != NULL && side->ends[1] != NULL && side->spans[0] != NULL && side->spans[1] != NULL &&
	       side->names != NULL && side->stamps != NULL;
}

void proveSide_Free(proveSide* side)
{
	for (int end = 0; end < 2; ++end)
	{
		free(side->ends[end]);
		free(side->spans[end]);
	}
	free(side->names);
	free(side->stamps);
	*side = (proveSide){ .mesh = NULL };
}

static bool AreTogether(const proveSide* side, size_t v, size_t other)
{
	bool areTogether = true;
	for (size_t i = 0; i < 6; ++i)
	{
		const double* places = side->ends[i / 3];
		areTogether = areTogether && places[3 * v + i % 3] == places[3 * other + i % 3];
	}
	return areTogether;
}

// Whoever poses a free body may part twins.
static void FindNames(const proveSide* side)
{
	for (uint32_t v = 0; v < side->mesh->vertexCount; ++v)
	{
		const uint32_t twin = side->mesh->twins[v];
		side->names[v] = AreTogether(side, v, twin) ? twin : v;
	}
}

static node Root(const proveSide* side)
{
	return (node){ 0, side->mesh->triangleCount, 1 };
}

static uint32_t CountOf(node n)
{
	return n.high - n.low;
}

static node HalfOf(node n, int half)
{
	const uint32_t middle = n.low + (n.high - n.low) / 2;
	return half == 0 ? (node){ n.low, middle, 2 * n.index } : (node){ middle, n.high, 2 * n.index + 1 };
}

static bool HasSpans(const proveSide* side, node n)
{
	return n.index < side->nodes;
}

// Least and greatest along each direction, at an end.
static double* SpansOf(const proveSide* side, node n, int end)
{
	return side->spans[end] + (size_t)n.index * 2 * DIRECTIONS;
}

static void AddPoint(double* spans, const double x[3])
{
	const double values[DIRECTIONS] = { x[0], x[1], x[2], x[0] + x[1], x[0] - x[1], x[0] + x[2], x[0] - x[2],
		x[1] + x[2], x[1] - x[2], x[0] + x[1] + x[2], x[0] + x[1] - x[2], x[0] - x[1] + x[2], x[1] - x[0] + x[2] };
	for (int i = 0; i < DIRECTIONS; ++i)
	{
		spans[i] = values[i] < spans[i] ? values[i] : spans[i];
		spans[DIRECTIONS + i] = values[i] > spans[DIRECTIONS + i] ? values[i] : spans[DIRECTIONS + i];
	}
}

static void FillSpans(proveSide* side, node n, int end)
{
	double* spans = SpansOf(side, n, end);
	for (int i = 0; i < DIRECTIONS; ++i)
	{
		spans[i] = INFINITY;
		spans[DIRECTIONS + i] = -INFINITY;
	}
	if (2 * n.index >= side->nodes)
	{
		for (size_t i = 3 * (size_t)n.low; i < 3 * (size_t)n.high; ++i)
		{
			AddPoint(spans, side->ends[end] + 3 * (size_t)side->mesh->corners[i]);
		}
		return;
	}
	for (int half = 0; half < 2; ++half)
	{
		FillSpans(side, HalfOf(n, half), end);
		const double* own = SpansOf(side, HalfOf(n, half), end);
		for (int i = 0; i < DIRECTIONS; ++i)
		{
			spans[i] = fmin(spans[i], own[i]);
			spans[DIRECTIONS + i] = fmax(spans[DIRECTIONS + i], own[DIRECTIONS + i]);
		}
	}
}

void proveSide_Prepare(proveSide* side, int end)
{
	FillSpans(side, Root(side), end);
}

void proveSide_Advance(proveSide* side)
{
	double *end = side->ends[0], *spans = side->spans[0];
	side->ends[0] = side->ends[1];
	side->ends[1] = end;
	side->spans[0] = side->spans[1];
	side->spans[1] = spans;
	side->errors[0] = side->errors[1];
}

// ---- Points ----------------------------------------------------------------------------------------------------

static double TimeOf(interval t, int end)
{
	return ldexp((double)(t.part + (uint64_t)end), -t.halvings);
}

static double Mix(double from, double to, double u)
{
	return (1.0 - u) * from + u * to;
}

static void FindPoint(const proveSide* side, uint32_t vertex, double u, double x[3])
{
	for (size_t k = 0; k < 3; ++k)
	{
		x[k] = Mix(side->ends[0][3 * (size_t)vertex + k], side->ends[1][3 * (size_t)vertex + k], u);
	}
}

void proveSide_Place(const proveSide* side, uint32_t vertex, const double u[2], double places[2][3])
{
	FindPoint(side, vertex, u[0], places[0]);
	FindPoint(side, vertex, u[1], places[1]);
}

// A triangle's corners at both ends of an interval.
static void FindTriangle(const proveSide* side, uint32_t triangle, const double u[2], double corners[3][2][3])
{
	for (size_t c = 0; c < 3; ++c)
	{
		proveSide_Place(side, side->mesh->corners[3 * (size_t)triangle + c], u, corners[c]);
	}
}

static void FillCloud(const proveSide* side, node n, const double u[2], proveCloud* cloud)
{
	cloud->count = 3 * (int)CountOf(n);
	for (int i = 0; i < cloud->count; ++i)
	{
		for (int e = 0; e < 2; ++e)
		{
			FindPoint(side, side->mesh->corners[3 * (size_t)n.low + (size_t)i], u[e], cloud->ends[e][i]);
		}
	}
}

// ---- Apart -----------------------------------------------------------------------------------------------------

static void AddClaim(prover* p, const char* claim, const int32_t d[3], int sign)
{
	proveText_Add(p->text, "%s %d %d %d ", claim, sign * d[0], sign * d[1], sign * d[2]);
}

// Along a direction of the list, at all of these times: 1 if a is before b, -1 if it is after it, 0 if neither.
static int CompareSpans(const prover* p, node a, node b, int direction, const double u[2])
{
	const int32_t* d = directions[direction];
	const double margin = 2.0 * p->error * (double)(abs(d[0]) + abs(d[1]) + abs(d[2]));
	bool isBefore = true, isAfter = true;
	for (int e = 0; e < 2; ++e)
	{
		double low[2], high[2];
		for (int s = 0; s < 2; ++s)
		{
			const double* start = SpansOf(p->sides[s], s == 0 ? a : b, 0) + direction;
			const double* end = SpansOf(p->sides[s], s == 0 ? a : b, 1) + direction;
			low[s] = Mix(start[0], end[0], u[e]);
			high[s] = Mix(start[DIRECTIONS], end[DIRECTIONS], u[e]);
		}
		isBefore = isBefore && low[1] - high[0] > margin;
		isAfter = isAfter && low[0] - high[1] > margin;
	}
	return isBefore ? 1 : isAfter ? -1 : 0;
}

static bool AreSpansApart(prover* p, node a, node b, const double u[2], bool isClaimed)
{
	if (!HasSpans(p->sides[0], a) || !HasSpans(p->sides[1], b))
	{
		return false;
	}
	for (int i = 0; i < DIRECTIONS; ++i)
	{
		const int sign = CompareSpans(p, a, b, i, u);
		if (sign != 0)
		{
			if (isClaimed)
			{
				AddClaim(p, "d", directions[i], sign);
			}
			return true;
		}
	}
	return false;
}

static bool AreCloudsApart(prover* p, node a, node b, const double u[2])
{
	int32_t d[3];
	if (3 * CountOf(a) > PROVE_CLOUD || 3 * CountOf(b) > PROVE_CLOUD)
	{
		return false;
	}
	FillCloud(p->sides[0], a, u, &p->clouds[0]);
	FillCloud(p->sides[1], b, u, &p->clouds[1]);
	const bool areApart = proveApart(&p->clouds[0], &p->clouds[1], p->error, d);
	if (areApart)
	{
		AddClaim(p, "d", d, 1);
	}
	return areApart;
}

static bool IsLeft(const proveQuestion* question, uint32_t a, uint32_t b)
{
	size_t low = 0, high = question->leftCount;
	while (low < high)
	{
		const size_t middle = low + (high - low) / 2;
		const snugPair* pair = question->left + middle;
		const bool isBefore = pair->a < a || (pair->a == a && pair->b < b);
		low = isBefore ? middle + 1 : low;
		high = isBefore ? high : middle;
	}
	return low < question->leftCount && question->left[low].a == a && question->left[low].b == b;
}

// Where the middle of a node is at both ends, and how far it reaches.
static double Measure(const proveSide* side, node n, const double u[2], double centers[2][3])
{
	double square = 0.0;
	for (int e = 0; e < 2; ++e)
	{
		double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY }, own = 0.0;
		for (size_t i = 3 * (size_t)n.low; !HasSpans(side, n) && i < 3 * (size_t)n.high; ++i)
		{
			double x[3];
			FindPoint(side, side->mesh->corners[i], u[e], x);
			for (int k = 0; k < 3; ++k)
			{
				low[k] = fmin(low[k], x[k]);
				high[k] = fmax(high[k], x[k]);
			}
		}
		for (int k = 0; k < 3; ++k)
		{
			if (HasSpans(side, n))
			{
				const double *start = SpansOf(side, n, 0) + k, *end = SpansOf(side, n, 1) + k;
				low[k] = Mix(start[0], end[0], u[e]);
				high[k] = Mix(start[DIRECTIONS], end[DIRECTIONS], u[e]);
			}
			centers[e][k] = 0.5 * (low[k] + high[k]);
			own += (high[k] - low[k]) * (high[k] - low[k]);
		}
		square = fmax(square, own);
	}
	return sqrt(square);
}

// How many corners two parts of one body have in common.
static int CountShared(prover* p, node a, node b)
{
	proveSide* side = p->sides[0];
	int shared = 0;
	side->stamp += 2; // odd where it was counted
	for (size_t i = 3 * (size_t)a.low; i < 3 * (size_t)a.high; ++i)
	{
		side->stamps[side->names[side->mesh->corners[i]]] = side->stamp;
	}
	for (size_t i = 3 * (size_t)b.low; i < 3 * (size_t)b.high; ++i)
	{
		uint32_t* stamp = side->stamps + side->names[side->mesh->corners[i]];
		shared += *stamp == side->stamp;
		*stamp += *stamp == side->stamp;
	}
	return shared;
}

// Two parts of one body that have so many corners in common; or all of one part, and nothing.
static bool AreJoined(prover* p, node a, node b, int shared, const double u[2])
{
	const int counts[2] = { (int)CountOf(a), (int)CountOf(b) };
	uint32_t list[PROVE_PATCH];
	int32_t d[3];
	if (counts[0] + counts[1] > PROVE_PATCH)
	{
		return false;
	}
	for (int i = 0; i < counts[0] + counts[1]; ++i)
	{
		list[i] = i < counts[0] ? a.low + (uint32_t)i : b.low + (uint32_t)(i - counts[0]);
	}
	const char* claim =
	    shared != 1 && proveFindPatch(p->sides[0], list, counts[0] + counts[1], u, d)                         ? "n"
	    : shared == 1 && provePartAtCorner(p->sides[0], list, counts[0], counts[0] + counts[1], u, d)         ? "v"
	    : shared == 2 && counts[0] == 1 && counts[1] == 1 && provePartAtEdge(p->sides[0], a.low, b.low, u, d) ? "e"
	                                                                                                          : NULL;
	if (claim != NULL)
	{
		AddClaim(p, claim, d, 1);
	}
	return claim != NULL;
}

// What to halve: 0 or 1, a node; 2, the time; or -1, nothing is left. Whatever is longest: the larger node, or the way
// that one goes past the other.
static int ChooseHalving(const prover* p, node a, node b, interval t, const double u[2])
{
	double centers[2][2][3], way = 0.0;
	double sizes[2] = { Measure(p->sides[0], a, u, centers[0]), Measure(p->sides[1], b, u, centers[1]) };
	for (int k = 0; k < 3; ++k)
	{
		const double d = centers[0][1][k] - centers[0][0][k] - centers[1][1][k] + centers[1][0][k];
		way += d * d;
	}
	sizes[0] = CountOf(a) > 1 ? sizes[0] : -1.0;
	sizes[1] = CountOf(b) > 1 ? sizes[1] : -1.0;
	const int larger = sizes[1] > sizes[0] ? 1 : 0;
	const bool canWait = t.halvings < p->question->maxHalvings;
	return canWait && (sizes[larger] < 0.0 || 0.5 * sqrt(way) > sizes[larger]) ? 2 : sizes[larger] < 0.0 ? -1 : larger;
}

static interval HalfOfTime(interval t, int half)
{
	return (interval){ 2 * t.part + (uint64_t)half, t.halvings + 1 };
}

// Why two nodes do not meet in an interval, if one claim says so.
static bool ProveAtOnce(prover* p, node a, node b, const double u[2])
{
	if (AreSpansApart(p, a, b, u, true))
	{
		return true;
	}
	const bool isSmall = CountOf(a) + CountOf(b) <= PROVE_PATCH;
	const int shared = p->isSelf && isSmall ? CountShared(p, a, b) : 0;
	return shared > 0 ? AreJoined(p, a, b, shared, u) : AreCloudsApart(p, a, b, u);
}

// What cannot be told at a time cannot in any interval that has it. Two triangles of which that is so at the start,
// half-way and at the end touch, or nearly do, and go on so: it is not tried in halves.
static bool IsHopeless(prover* p, node a, node b, const double u[2])
{
	const size_t length = p->text->length;
	const double half = 0.5 * (u[0] + u[1]);
	const bool isProved = ProveAtOnce(p, a, b, (const double[2]){ u[0], u[0] }) ||
	                      ProveAtOnce(p, a, b, (const double[2]){ half, half }) ||
	                      ProveAtOnce(p, a, b, (const double[2]){ u[1], u[1] });
	p->text->length = length;
	return !isProved;
}

/// @return false if something was not proved: what was added to the text is of no use then
static bool ProveApart(prover* p, node a, node b, interval t)
{
	const double u[2] = { TimeOf(t, 0), TimeOf(t, 1) };
	const bool isPair = CountOf(a) == 1 && CountOf(b) == 1;
	if (isPair && IsLeft(p->question, a.low, b.low))
	{
		proveText_Add(p->text, "x ");
		return true;
	}
	if (ProveAtOnce(p, a, b, u))
	{
		return true;
	}
	if (isPair && IsHopeless(p, a, b, u))
	{
		p->isHopeless = true;
		return false;
	}
	const int what = ChooseHalving(p, a, b, t, u);
	if (what < 0)
	{
		if (p->isSelf)
		{
			proveText_Add(p->text, "? ");
		}
		return p->isSelf && p->unknown++ < MAX_UNKNOWN;
	}
	proveText_AddBytes(p->text, what == 0 ? "a " : what == 1 ? "b " : "h ", 2);
	for (int half = 0; half < 2; ++half)
	{
		if (!ProveApart(p, what == 0 ? HalfOf(a, half) : a, what == 1 ? HalfOf(b, half) : b,
		        what == 2 ? HalfOfTime(t, half) : t))
		{
			return false;
		}
	}
	return true;
}

// A part of a body and itself.
static bool ProveOwn(prover* p, node n, interval t)
{
	const double u[2] = { TimeOf(t, 0), TimeOf(t, 1) };
	if (CountOf(n) == 1 || AreJoined(p, n, (node){ n.high, n.high, n.index }, 0, u))
	{
		return true;
	}
	proveText_Add(p->text, "a ");
	return ProveOwn(p, HalfOf(n, 0), t) && ProveOwn(p, HalfOf(n, 1), t) && ProveApart(p, HalfOf(n, 0), HalfOf(n, 1), t);
}

// ---- Crossings -------------------------------------------------------------------------------------------------

static void AddCrossing(prover* p, uint32_t a, uint32_t b, int edge)
{
	if (p->crossingCount == p->crossingCapacity && p->meet != NULL)
	{
		const size_t wanted = 2 * p->crossingCapacity;
		crossing* grown = realloc(p->crossings, wanted * sizeof(crossing));
		p->failed = p->failed || grown == NULL;
		p->crossings = grown != NULL ? grown : p->crossings;
		p->crossingCapacity = grown != NULL ? wanted : p->crossingCapacity;
	}
	if (p->crossingCount < p->crossingCapacity)
	{
		p->crossings[p->crossingCount++] = (crossing){ a, b, edge };
	}
}

// Whether an edge, 0 to 2 of the first triangle or 3 to 5 of the second one, goes through the other one.
static bool IsCrossing(const prover* p, double corners[2][3][2][3], int edge)
{
	const int side = edge / 3, first = edge % 3;
	double ends[2][2][3];
	memcpy(ends[0], corners[side][first], sizeof(ends[0]));
	memcpy(ends[1], corners[side][(first + 1) % 3], sizeof(ends[1]));
	return proveCrosses(ends, corners[1 - side], p->error);
}

// The edges that may go through the other triangle, as bits: none that ends at a corner of it.
static int FindEdges(const prover* p, uint32_t a, uint32_t b)
{
	const uint32_t triangles[2] = { a, b };
	int edges = 63;
	for (int i = 0; p->isSelf && i < 9; ++i)
	{
		const int corners[2] = { i / 3, i % 3 };
		uint32_t names[2];
		for (int s = 0; s < 2; ++s)
		{
			names[s] = p->sides[s]->names[p->sides[s]->mesh->corners[3 * (size_t)triangles[s] + (size_t)corners[s]]];
		}
		for (int s = 0; names[0] == names[1] && s < 2; ++s)
		{
			edges &= ~((1 << corners[s] | 1 << (corners[s] + 2) % 3) << 3 * s);
		}
	}
	return edges;
}

static bool AreBoxesApart(double a[3][2][3], double b[3][2][3], double error)
{
	for (int k = 0; k < 3; ++k)
	{
		const double lowA = fmin(fmin(a[0][0][k], a[1][0][k]), a[2][0][k]);
		const double highA = fmax(fmax(a[0][0][k], a[1][0][k]), a[2][0][k]);
		const double lowB = fmin(fmin(b[0][0][k], b[1][0][k]), b[2][0][k]);
		const double highB = fmax(fmax(b[0][0][k], b[1][0][k]), b[2][0][k]);
		if (lowA > highB + error || lowB > highA + error)
		{
			return true;
		}
	}
	return false;
}

// The first of these edges that goes through the other triangle, or 6.
static int FindCrossingEdge(const prover* p, double corners[2][3][2][3], int edges)
{
	int edge = 0;
	for (; edge < 6; ++edge)
	{
		if ((edges >> edge & 1) != 0 && IsCrossing(p, corners, edge))
		{
			break;
		}
	}
	return edge;
}

// Whether a triangle certainly has an area at the start: the checker finds where another one meets it in its plane.
static bool HasArea(const prover* p, double corners[3][2][3])
{
	double a[3], b[3], most = 0.0, area = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		a[k] = corners[1][0][k] - corners[0][0][k];
		b[k] = corners[2][0][k] - corners[0][0][k];
		most = fmax(most, fmax(fabs(a[k]), fabs(b[k])));
	}
	for (int k = 0; k < 3; ++k)
	{
		area = fmax(area, fabs(a[k] * b[(k + 1) % 3] - a[(k + 1) % 3] * b[k]));
	}
	return area > 16.0 * (p->error + 0x1p-50 * most) * most;
}

static void FindCrossingsOf(prover* p, node a, node b, const double u[2])
{
	double corners[2][3][2][3];
	for (uint32_t i = a.low; i < a.high; ++i)
	{
		FindTriangle(p->sides[0], i, u, corners[0]);
		for (uint32_t k = b.low; k < b.high; ++k)
		{
			FindTriangle(p->sides[1], k, u, corners[1]);
			const bool areApart = AreBoxesApart(corners[0], corners[1], p->error) || IsLeft(p->question, i, k);
			const int edges = areApart ? 0 : FindEdges(p, i, k);
			const int edge = FindCrossingEdge(p, corners, edges);
			if (edge < 6 || (p->meet != NULL && !areApart && (HasArea(p, corners[0]) || HasArea(p, corners[1])) &&
			                    p->meet(p->user, i, k)))
			{
				AddCrossing(p, i, k, edge);
			}
		}
	}
}

// Triangles that cross at a time, which u has twice.
static void FindCrossings(prover* p, node a, node b, const double u[2])
{
	if (AreSpansApart(p, a, b, u, false) || (p->meet == NULL && p->crossingCount == p->crossingCapacity))
	{
		return;
	}
	const bool canHalve[2] = { 2 * a.index < p->sides[0]->nodes, 2 * b.index < p->sides[1]->nodes };
	if (!canHalve[0] && !canHalve[1])
	{
		FindCrossingsOf(p, a, b, u);
		return;
	}
	const int what = canHalve[0] && (!canHalve[1] || CountOf(a) >= CountOf(b)) ? 0 : 1;
	for (int half = 0; half < 2; ++half)
	{
		FindCrossings(p, what == 0 ? HalfOf(a, half) : a, what == 1 ? HalfOf(b, half) : b, u);
	}
}

// Of one body, each two of its triangles once.
static void FindOwnCrossings(prover* p, node n, const double u[2])
{
	if (2 * n.index >= p->sides[0]->nodes)
	{
		for (uint32_t i = n.low; i + 1 < n.high; ++i)
		{
			FindCrossingsOf(p, (node){ i, i + 1, n.index }, (node){ i + 1, n.high, n.index }, u);
		}
		return;
	}
	FindOwnCrossings(p, HalfOf(n, 0), u);
	FindOwnCrossings(p, HalfOf(n, 1), u);
	FindCrossings(p, HalfOf(n, 0), HalfOf(n, 1), u);
}

static void FindAllCrossings(prover* p, const double u[2])
{
	if (p->isSelf)
	{
		FindOwnCrossings(p, Root(p->sides[0]), u);
	}
	else
	{
		FindCrossings(p, Root(p->sides[0]), Root(p->sides[1]), u);
	}
}

// ---- Steps -----------------------------------------------------------------------------------------------------

// Two triangles that cross half-way, and all the time.
static bool ProveMeets(prover* p, interval t)
{
	const double u[2] = { TimeOf(t, 0), TimeOf(t, 1) };
	for (size_t i = 0; i < p->crossingCount; ++i)
	{
		const crossing* c = p->crossings + i;
		double corners[2][3][2][3];
		FindTriangle(p->sides[0], c->a, u, corners[0]);
		FindTriangle(p->sides[1], c->b, u, corners[1]);
		if (IsCrossing(p, corners, c->edge))
		{
			proveText_Add(p->text, "m %u %u %d ", c->a, c->b, c->edge);
			return true;
		}
	}
	return false;
}

// Whether something crosses at a time, as far as that is certain.
static bool CrossesAt(prover* p, double time)
{
	p->crossingCount = 0;
	FindAllCrossings(p, (const double[2]){ time, time });
	return p->crossingCount > 0;
}

static bool ProveFree(prover* p, interval t)
{
	p->unknown = 0;
	return p->isSelf ? ProveOwn(p, Root(p->sides[0]), t) : ProveApart(p, Root(p->sides[0]), Root(p->sides[1]), t);
}

// @param ends whether something crosses there: then it is not free. Null: that is found when it is needed
static void ProveInterval(prover* p, interval t, const bool* ends)
{
	const double u[2] = { TimeOf(t, 0), TimeOf(t, 1) };
	const size_t start = p->text->length;
	const bool crosses = CrossesAt(p, 0.5 * (u[0] + u[1])),
	           mayBeFree = !crosses && (ends == NULL || !(ends[0] || ends[1]));
	p->isHopeless = false;
	if (crosses ? ProveMeets(p, t) : mayBeFree && ProveFree(p, t))
	{
		return;
	}
	p->text->length = start;
	const bool isLast = t.halvings == p->question->maxHalvings, isHopeless = p->isHopeless;
	const bool first = ends != NULL ? ends[0] : !isLast && CrossesAt(p, u[0]);
	const bool last = ends != NULL ? ends[1] : !isLast && CrossesAt(p, u[1]);
	if (isLast || (isHopeless && !first && !last))
	{
		proveText_Add(p->text, "? ");
		return;
	}
	proveText_Add(p->text, "h ");
	ProveInterval(p, HalfOfTime(t, 0), (const bool[2]){ first, crosses });
	ProveInterval(p, HalfOfTime(t, 1), (const bool[2]){ crosses, last });
}

static prover Begin(const proveQuestion* question, crossing* crossings, size_t capacity)
{
	proveSide *a = question->a, *b = question->b != NULL ? question->b : question->a;
	if (question->b == NULL)
	{
		FindNames(a);
	}
	return (prover){ .question = question,
		.sides = { a, b },
		.isSelf = question->b == NULL,
		.error = fmax(a->errors[0], a->errors[1]) + fmax(b->errors[0], b->errors[1]),
		.crossings = crossings,
		.crossingCapacity = capacity };
}

void proveStep(const proveQuestion* question, proveText* text)
{
	crossing crossings[MAX_CROSSINGS];
	prover p = Begin(question, crossings, MAX_CROSSINGS);
	p.text = text;
	if (p.sides[0]->mesh->triangleCount > 0 && p.sides[1]->mesh->triangleCount > 0)
	{
		ProveInterval(&p, (interval){ 0, 0 }, NULL);
	}
}

static int ComparePairs(const void* first, const void* second)
{
	const snugPair *x = first, *y = second;
	return x->a != y->a ? (x->a < y->a ? -1 : 1) : (x->b > y->b) - (x->b < y->b);
}

bool proveFindMeeting(proveSide* a, proveSide* b, proveMeet meet, void* user, snugPair** pairs, size_t* count)
{
	const proveQuestion question = { .a = a, .b = b };
	const double u[2] = { 0.0, 0.0 };
	prover p = Begin(&question, malloc(MAX_CROSSINGS * sizeof(crossing)), MAX_CROSSINGS);
	p.meet = meet;
	p.user = user;
	p.failed = p.crossings == NULL;
	*count = 0;
	*pairs = NULL;
	if (!p.failed && p.sides[0]->mesh->triangleCount > 0 && p.sides[1]->mesh->triangleCount > 0)
	{
		FindAllCrossings(&p, u);
		*pairs = malloc(p.crossingCount * sizeof(snugPair) + 1);
		p.failed = p.failed || *pairs == NULL;
	}
	for (size_t i = 0; !p.failed && i < p.crossingCount; ++i)
	{
		(*pairs)[(*count)++] = (snugPair){ p.crossings[i].a, p.crossings[i].b };
	}
	if (*count > 0)
	{
		qsort(*pairs, *count, sizeof(snugPair), ComparePairs);
	}
	free(p.crossings);
	return !p.failed;
}
