// test/driver/truth.c: see truth.h.
#include "driver/truth.h"

#include "lab/truth/exact.h"
#include "rational.h"
#include "rational_distance.h"
#include "rational_segment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- Surfaces -------------------------------------------------------------------------------------------------------

void Surface_Corners(const Surface* surface, uint32_t triangle, float corners[3][3])
{
	for (size_t c = 0; c < 3; ++c)
	{
		uint32_t vertex = surface->triangles[3 * (size_t)triangle + c];
		Copy(corners[c], surface->positions + 3 * (size_t)vertex, sizeof(corners[c]));
	}
}

static void AddToBox(float box[2][3], const float* p)
{
	for (int k = 0; k < 3; ++k)
	{
		box[0][k] = fminf(box[0][k], p[k]);
		box[1][k] = fmaxf(box[1][k], p[k]);
	}
}

static void EmptyBox(float box[2][3])
{
	for (int k = 0; k < 3; ++k)
	{
		box[0][k] = INFINITY;
		box[1][k] = -INFINITY;
	}
}

static bool BoxesMeet(const float a[2][3], const float b[2][3])
{
	return a[0][0] <= b[1][0] && b[0][0] <= a[1][0] && a[0][1] <= b[1][1] && b[0][1] <= a[1][1] && a[0][2] <= b[1][2] &&
	       b[0][2] <= a[1][2];
}

// Rounded down.
static double BoxGap(const float a[2][3], const float b[2][3])
{
	double sum = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		double gap = fmax(fmax((double)a[0][k] - b[1][k], (double)b[0][k] - a[1][k]), 0.0);
		sum += gap * gap;
	}
	return sqrt(sum) * (1.0 - 0x1p-50);
}

static double SideOf(const float box[2][3])
{
	double side = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		side = fmax(side, (double)box[1][k] - box[0][k]);
	}
	return side;
}

void Surface_Set(Surface* surface, const sceneMesh* mesh, float* positions)
{
	Surface_Free(surface);
	*surface = (Surface){ .vertexCount = mesh->vertexCount,
		.triangleCount = mesh->triangleCount,
		.triangles = mesh->triangles,
		.positions = positions };
	surface->boxes = malloc((mesh->triangleCount + 1) * sizeof(*surface->boxes));
	EmptyBox(surface->box);
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		EmptyBox(surface->boxes[t]);
		for (size_t c = 0; c < 3; ++c)
		{
			const float* p = positions + 3 * (size_t)mesh->triangles[3 * (size_t)t + c];
			AddToBox(surface->boxes[t], p);
			AddToBox(surface->box, p);
		}
	}
	for (int k = 0; k < 3 && mesh->triangleCount > 0; ++k)
	{
		surface->far = fmax(surface->far, fmax(fabs((double)surface->box[0][k]), fabs((double)surface->box[1][k])));
	}
	surface->extent = SideOf((const float(*)[3])surface->box);
}

void Surface_Free(Surface* surface)
{
	free(surface->positions);
	free(surface->boxes);
	*surface = (Surface){ 0 };
}

double Rounding(const Surface* surface)
{
	return 0x1p-22 * surface->far + 0x1p-148;
}

double Surfaces_Extent(const Surface* a, const Surface* b)
{
	float box[2][3];
	Copy(box, a->box, sizeof(box));
	AddToBox(box, b->box[0]);
	AddToBox(box, b->box[1]);
	return fmax(SideOf((const float(*)[3])box), 0.0);
}

// --- Signs ----------------------------------------------------------------------------------------------------------

// One answer in so many is compared with the rational one.
#define CHECKED_ONE_IN 200

static bool IsToBeChecked(void)
{
	static uint64_t count = 0;
	return ++count % CHECKED_ONE_IN == 0;
}

static void Agree(bool condition, const char* what)
{
	if (!condition)
	{
		print_error("the truth about %s contradicts itself\n", what);
		abort();
	}
}

// Differences are rounded once, products of three of them and their sums a few times: less than 16 roundings of the sum
// of the products' sizes. Floats are far from where doubles overflow or underflow in that.
int Side(const float p[3], const float a[3], const float b[3], const float c[3])
{
	double u[3], v[3], w[3], sum = 0.0, size = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		u[k] = (double)b[k] - a[k];
		v[k] = (double)c[k] - a[k];
		w[k] = (double)p[k] - a[k];
	}
	for (int k = 0; k < 3; ++k)
	{
		const int i = (k + 1) % 3, j = (k + 2) % 3;
		sum += w[k] * (u[i] * v[j] - u[j] * v[i]);
		size += fabs(w[k]) * (fabs(u[i] * v[j]) + fabs(u[j] * v[i]));
	}
	if (fabs(sum) <= 0x1p-49 * size)
	{
		return RationalSide(p, a, b, c);
	}
	const int side = sum > 0.0 ? 1 : -1;
	Agree(!IsToBeChecked() || side == RationalSide(p, a, b, c), "a side");
	return side;
}

bool HasArea(const float t[3][3])
{
	// Some point off the plane of the triangle is off it, if it has one.
	bool hasArea = false;
	for (int k = 0; k < 3 && !hasArea; ++k)
	{
		float p[3] = { t[0][0], t[0][1], t[0][2] };
		p[k] = p[k] == 0.0f ? 1.0f : 2.0f * p[k];
		hasArea = Side(p, t[0], t[1], t[2]) != 0;
	}
	return hasArea;
}

// -1: a sign is zero, so that this does not tell; 0 or 1: whether the segment from p to q crosses the triangle.
static int Crosses(const float p[3], const float q[3], int sideP, int sideQ, const float t[3][3])
{
	if (sideP * sideQ > 0)
	{
		return 0;
	}
	const int turns[3] = { Side(p, q, t[0], t[1]), Side(p, q, t[1], t[2]), Side(p, q, t[2], t[0]) };
	const bool isSplit = turns[0] * turns[1] < 0 || turns[1] * turns[2] < 0 || turns[2] * turns[0] < 0;
	const bool isZero = sideP * sideQ * turns[0] * turns[1] * turns[2] == 0;
	return isSplit ? 0 : isZero ? -1 : 1;
}

bool SegmentMeets(const float p[3], const float q[3], const float t[3][3])
{
	const int sideP = Side(p, t[0], t[1], t[2]), sideQ = Side(q, t[0], t[1], t[2]);
	const int crosses = sideP == 0 && sideQ == 0 ? -1 : Crosses(p, q, sideP, sideQ, t);
	double first;
	if (crosses < 0)
	{
		return RationalSegmentHit(p, q, t, &first);
	}
	Agree(!IsToBeChecked() || (crosses == 1) == RationalSegmentHit(p, q, t, &first), "a segment");
	return crosses == 1;
}

static bool ShareCorner(const float a[3][3], const float b[3][3])
{
	bool share = false;
	for (int i = 0; i < 9; ++i)
	{
		const float *p = a[i / 3], *q = b[i % 3];
		share = share || (p[0] == q[0] && p[1] == q[1] && p[2] == q[2]);
	}
	return share;
}

// Triangles of which no sign is zero meet if and only if an edge of one crosses the other. -1: a sign is zero.
static int MeetBySigns(const float a[3][3], const float b[3][3])
{
	const float(*t[2])[3] = { a, b };
	int sides[2][3], zeros = 0;
	for (int s = 0; s < 2; ++s)
	{
		const float(*other)[3] = t[1 - s];
		int sum = 0;
		for (int i = 0; i < 3; ++i)
		{
			sides[s][i] = Side(t[s][i], other[0], other[1], other[2]);
			sum += sides[s][i];
			zeros += sides[s][i] == 0;
		}
		if (sum == 3 || sum == -3)
		{
			return 0;
		}
	}
	int meet = zeros > 0 ? -1 : 0;
	for (int i = 0; i < 6 && meet == 0; ++i)
	{
		const int s = i / 3, p = i % 3, q = (i + 1) % 3;
		meet = Crosses(t[s][p], t[s][q], sides[s][p], sides[s][q], t[1 - s]);
	}
	return meet;
}

bool TrianglesMeet(const float a[3][3], const float b[3][3])
{
	if (ShareCorner(a, b))
	{
		return true;
	}
	const int bySigns = MeetBySigns(a, b);
	const bool meet = bySigns < 0 ? exactIntersect(a, b) : bySigns == 1;
	Agree(!IsToBeChecked() || meet == RationalIntersect(a, b), "two triangles");
	return meet;
}

// What two triangles that share one corner have in common beyond it reaches to the edge opposite to it of one of them.
// Two that share an edge have no more in common unless they are in one plane.
bool TrianglesMeetBeyond(const float a[3][3], const float b[3][3], uint32_t shared)
{
	int i = 0, j = 0, count = 0;
	for (int k = 0; k < 9; ++k)
	{
		if ((shared >> k & 1) != 0)
		{
			i = k / 3;
			j = k % 3;
			++count;
		}
	}
	if (count == 0)
	{
		return TrianglesMeet(a, b);
	}
	bool isOnePlane = true;
	for (int k = 0; k < 3 && count == 2; ++k)
	{
		isOnePlane = isOnePlane && Side(b[k], a[0], a[1], a[2]) == 0;
	}
	if (!isOnePlane)
	{
		return false;
	}
	if (count > 1 || !HasArea(a) || !HasArea(b))
	{
		return RationalIntersectBeyond(a, b, shared);
	}
	const bool meet =
	    SegmentMeets(a[(i + 1) % 3], a[(i + 2) % 3], b) || SegmentMeets(b[(j + 1) % 3], b[(j + 2) % 3], a);
	Agree(!IsToBeChecked() || meet == RationalIntersectBeyond(a, b, shared), "neighbours");
	return meet;
}

// --- Pairs ----------------------------------------------------------------------------------------------------------

bool HasPair(const PairList* list, snugPair pair)
{
	return list->count > 0 && bsearch(&pair, list->pairs, list->count, sizeof(snugPair), ComparePairs) != NULL;
}

// A list is made larger whenever it holds a power of two.
static void AddPair(PairList* list, uint32_t a, uint32_t b)
{
	if ((list->count & (list->count - 1)) == 0)
	{
		list->pairs = realloc(list->pairs, 2 * (list->count + 1) * sizeof(snugPair));
	}
	list->pairs[list->count++] = (snugPair){ a, b };
}

PairList TruePairs(const Surface* a, const Surface* b)
{
	PairList list = { malloc(sizeof(snugPair)), 0 };
	for (uint32_t i = 0; i < a->triangleCount && BoxesMeet((const float(*)[3])a->box, (const float(*)[3])b->box); ++i)
	{
		float cornersA[3][3], cornersB[3][3];
		Surface_Corners(a, i, cornersA);
		if (!BoxesMeet((const float(*)[3])a->boxes[i], (const float(*)[3])b->box))
		{
			continue;
		}
		for (uint32_t j = 0; j < b->triangleCount; ++j)
		{
			if (!BoxesMeet((const float(*)[3])a->boxes[i], (const float(*)[3])b->boxes[j]))
			{
				continue;
			}
			Surface_Corners(b, j, cornersB);
			if (TrianglesMeet((const float(*)[3])cornersA, (const float(*)[3])cornersB))
			{
				AddPair(&list, i, j);
			}
		}
	}
	return list;
}

// By the corners that two triangles share, twins being one.
static uint32_t SharedCorners(const uint32_t* triangles, const uint32_t* twins, uint32_t a, uint32_t b)
{
	uint32_t shared = 0;
	for (uint32_t k = 0; k < 9; ++k)
	{
		const uint32_t v = twins[triangles[3 * (size_t)a + k / 3]];
		const uint32_t w = twins[triangles[3 * (size_t)b + k % 3]];
		shared |= (uint32_t)(v == w) << k;
	}
	return shared;
}

static bool MeetBeyond(const Surface* surface, uint32_t a, uint32_t b, uint32_t shared)
{
	float cornersA[3][3], cornersB[3][3];
	Surface_Corners(surface, a, cornersA);
	Surface_Corners(surface, b, cornersB);
	return BoxesMeet((const float(*)[3])surface->boxes[a], (const float(*)[3])surface->boxes[b]) &&
	       TrianglesMeetBeyond((const float(*)[3])cornersA, (const float(*)[3])cornersB, shared);
}

PairList TrueOwnPairs(const Surface* surface, const Surface* rest, const uint32_t* twins)
{
	PairList list = { malloc(sizeof(snugPair)), 0 };
	for (uint32_t a = 0; a < surface->triangleCount; ++a)
	{
		for (uint32_t b = a + 1; b < surface->triangleCount; ++b)
		{
			const uint32_t shared = SharedCorners(surface->triangles, twins, a, b);
			if (MeetBeyond(surface, a, b, shared) && (rest == NULL || !MeetBeyond(rest, a, b, shared)))
			{
				AddPair(&list, a, b);
			}
		}
	}
	return list;
}

// --- Distances ------------------------------------------------------------------------------------------------------

typedef struct Vector
{
	long double c[3];
} Vector;

static Vector At(const float* p)
{
	return (Vector){ { p[0], p[1], p[2] } };
}

static Vector Along(Vector p, Vector d, long double t)
{
	return (Vector){ { p.c[0] + t * d.c[0], p.c[1] + t * d.c[1], p.c[2] + t * d.c[2] } };
}

static Vector Minus(Vector p, Vector q)
{
	return Along(p, q, -1.0L);
}

static long double Dot(Vector p, Vector q)
{
	return p.c[0] * q.c[0] + p.c[1] * q.c[1] + p.c[2] * q.c[2];
}

static Vector Cross(Vector p, Vector q)
{
	return (Vector){ { p.c[1] * q.c[2] - p.c[2] * q.c[1], p.c[2] * q.c[0] - p.c[0] * q.c[2],
		p.c[0] * q.c[1] - p.c[1] * q.c[0] } };
}

static long double Length(Vector p)
{
	return sqrtl(Dot(p, p));
}

static long double Clamp(long double t)
{
	return t > 0.0L ? fminl(t, 1.0L) : 0.0L; // of NaN zero
}

static long double PointToSegment(Vector x, Vector p, Vector q)
{
	const Vector d = Minus(q, p);
	return Length(Minus(x, Along(p, d, Clamp(Dot(Minus(x, p), d) / Dot(d, d)))));
}

// Each of these is the distance of some two points, and so no less than the least.
static long double PointToTriangle(Vector x, const Vector t[3])
{
	long double least = INFINITY;
	for (int i = 0; i < 3; ++i)
	{
		least = fminl(least, PointToSegment(x, t[i], t[(i + 1) % 3]));
	}
	const Vector e = Minus(t[1], t[0]), f = Minus(t[2], t[0]), n = Cross(e, f), y = Minus(x, t[0]);
	const long double n2 = Dot(n, n), u = Dot(Cross(y, f), n) / n2, v = Dot(Cross(e, y), n) / n2;
	if (u > 0.0L && v > 0.0L && u + v < 1.0L)
	{
		least = fminl(least, Length(Minus(y, Along(Along((Vector){ { 0 } }, e, u), f, v))));
	}
	return least;
}

static long double SegmentToSegment(Vector p, Vector q, Vector r, Vector s)
{
	const Vector d = Minus(q, p), e = Minus(s, r), w = Minus(p, r);
	const long double a = Dot(d, d), b = Dot(d, e), c = Dot(e, e), f = Dot(d, w), g = Dot(e, w);
	const long double t = Clamp((b * g - f * c) / (a * c - b * b));
	const Vector x = Along(p, d, t);
	return Length(Minus(x, Along(r, e, Clamp(Dot(Minus(x, r), e) / c))));
}

double DistanceAbout(const float a[3][3], const float b[3][3])
{
	const Vector x[3] = { At(a[0]), At(a[1]), At(a[2]) }, y[3] = { At(b[0]), At(b[1]), At(b[2]) };
	long double least = INFINITY;
	for (int i = 0; i < 3; ++i)
	{
		least = fminl(least, fminl(PointToTriangle(x[i], y), PointToTriangle(y[i], x)));
		for (int j = 0; j < 3; ++j)
		{
			least = fminl(least, SegmentToSegment(x[i], x[(i + 1) % 3], y[j], y[(j + 1) % 3]));
		}
	}
	return (double)least;
}

double TrueDistance(const float a[3][3], const float b[3][3])
{
	return TrianglesMeet(a, b) ? 0.0 : sqrt(RationalDistance2(a, b));
}

double PointDistance(const float p[3], const float t[3][3])
{
	const Vector y[3] = { At(t[0]), At(t[1]), At(t[2]) };
	return (double)PointToTriangle(At(p), y);
}

double SurfaceDistance(const Surface* a, const Surface* b)
{
	double least = INFINITY;
	for (uint32_t i = 0; i < a->triangleCount; ++i)
	{
		float cornersA[3][3], cornersB[3][3];
		Surface_Corners(a, i, cornersA);
		if (BoxGap((const float(*)[3])a->boxes[i], (const float(*)[3])b->box) > least)
		{
			continue;
		}
		for (uint32_t j = 0; j < b->triangleCount; ++j)
		{
			const double gap = BoxGap((const float(*)[3])a->boxes[i], (const float(*)[3])b->boxes[j]);
			if (gap > least)
			{
				continue;
			}
			Surface_Corners(b, j, cornersB);
			if (gap == 0.0 && TrianglesMeet((const float(*)[3])cornersA, (const float(*)[3])cornersB))
			{
				return 0.0;
			}
			least = fmin(least, DistanceAbout((const float(*)[3])cornersA, (const float(*)[3])cornersB));
		}
	}
	return least;
}

// --- Points ---------------------------------------------------------------------------------------------------------

uint32_t TriangleAt(const Surface* surface, const float p[3])
{
	const float box[2][3] = { { p[0], p[1], p[2] }, { p[0], p[1], p[2] } };
	for (uint32_t t = 0; t < surface->triangleCount; ++t)
	{
		float corners[3][3];
		double first;
		Surface_Corners(surface, t, corners);
		if (BoxesMeet(box, (const float(*)[3])surface->boxes[t]) && Side(p, corners[0], corners[1], corners[2]) == 0 &&
		    RationalSegmentHit(p, p, (const float(*)[3])corners, &first))
		{
			return t;
		}
	}
	return SNUG_NONE;
}

int CountCrossings(const Surface* surface, const float p[3], const float q[3], int* winding)
{
	float box[2][3];
	int count = 0;
	*winding = 0;
	EmptyBox(box);
	AddToBox(box, p);
	AddToBox(box, q);
	for (uint32_t t = 0; t < surface->triangleCount; ++t)
	{
		float c[3][3];
		Surface_Corners(surface, t, c);
		if (!BoxesMeet((const float(*)[3])box, (const float(*)[3])surface->boxes[t]))
		{
			continue;
		}
		const int sideP = Side(p, c[0], c[1], c[2]), sideQ = Side(q, c[0], c[1], c[2]);
		const int crosses = Crosses(p, q, sideP, sideQ, (const float(*)[3])c);
		if (crosses < 0)
		{
			// In the plane, or without area: it may still be beside the triangle.
			double first;
			if (RationalSegmentHit(p, q, (const float(*)[3])c, &first))
			{
				return -1;
			}
			continue;
		}
		count += crosses;
		*winding += crosses != 0 ? sideQ : 0;
	}
	return count;
}
