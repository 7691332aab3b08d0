#include "io/polygon.h"

#include "io/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Looks at corners that the polygons of a file may take: some seconds.
#define MAX_WORK 2000000000u

typedef struct splitter
{
	uint32_t count;
	double* points;          // x, y of each corner in the plane, such that the polygon turns left
	uint32_t *next, *before; // the ring of corners that are left
	uint32_t* reflex;        // corners that may lie in another's ear: those that turn right, and straight ones
	uint32_t reflexCount;
	uint32_t* triangles; // where the next one goes
	uint64_t* work;      // nullable
	bool exhausted;
} splitter;

// ---- The plane -------------------------------------------------------------------------------------------------

static void ComputeNormal(const double* p, uint32_t count, double normal[3])
{
	normal[0] = normal[1] = normal[2] = 0.0;
	const double* origin = p; // differences to a corner, so that far polygons lose nothing
	for (uint32_t i = 1; i + 1 < count; ++i)
	{
		double a[3], b[3];
		for (int k = 0; k < 3; ++k)
		{
			a[k] = p[3 * (size_t)i + (size_t)k] - origin[k];
			b[k] = p[3 * (size_t)(i + 1) + (size_t)k] - origin[k];
		}
		normal[0] += a[1] * b[2] - a[2] * b[1];
		normal[1] += a[2] * b[0] - a[0] * b[2];
		normal[2] += a[0] * b[1] - a[1] * b[0];
	}
}

// Drop the largest coordinate of the normal; mirror if it is negative, so that the polygon turns left.
static bool Project(splitter* s, const double* positions)
{
	double normal[3];
	ComputeNormal(positions, s->count, normal);
	int axis = fabs(normal[0]) > fabs(normal[1]) ? 0 : 1;
	axis = fabs(normal[2]) >= fabs(normal[axis]) ? 2 : axis;
	double sign = normal[axis] < 0.0 ? -1.0 : 1.0;
	for (uint32_t i = 0; i < s->count; ++i)
	{
		const double* p = positions + 3 * (size_t)i;
		s->points[2 * (size_t)i] = sign * p[(axis + 1) % 3];
		s->points[2 * (size_t)i + 1] = p[(axis + 2) % 3];
	}
	return fabs(normal[axis]) > 0.0 && isfinite(normal[axis]);
}

// Twice the area of a triangle of corners; positive if it turns left.
static double Turn(const splitter* s, uint32_t a, uint32_t b, uint32_t c)
{
	const double *p = s->points + 2 * (size_t)a, *q = s->points + 2 * (size_t)b, *r = s->points + 2 * (size_t)c;
	return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
}

// No corner turns right, and the boundary goes around once: its direction along x changes twice.
static bool IsConvex(const splitter* s)
{
	int changes = 0;
	double first = 0.0, last = 0.0;
	for (uint32_t i = 0; i < s->count; ++i)
	{
		uint32_t j = (i + 1) % s->count, k = (i + 2) % s->count;
		double dx = s->points[2 * (size_t)j] - s->points[2 * (size_t)i];
		if (Turn(s, i, j, k) < 0.0)
		{
			return false;
		}
		changes += dx * last < 0.0;
		first = first == 0.0 ? dx : first;
		last = dx != 0.0 ? dx : last;
	}
	return changes + (first * last < 0.0) <= 2;
}

// ---- Ears ------------------------------------------------------------------------------------------------------

static bool IsSamePoint(const splitter* s, uint32_t a, uint32_t b)
{
	return memcmp(s->points + 2 * (size_t)a, s->points + 2 * (size_t)b, 2 * sizeof(double)) == 0;
}

// Whether corner `b` turns left and no other corner is in its triangle. Left turns cannot be the first to get in: the
// boundary would have to turn right inside. Corners at the place of one of the three are at its boundary.
static bool IsEar(splitter* s, uint32_t b)
{
	uint32_t a = s->before[b], c = s->next[b];
	if (!(Turn(s, a, b, c) > 0.0))
	{
		return false;
	}
	for (uint32_t i = 0; i < s->reflexCount; ++i)
	{
		uint32_t p = s->reflex[i];
		if (p != a && p != b && p != c && Turn(s, a, b, p) >= 0.0 && Turn(s, b, c, p) >= 0.0 &&
		    Turn(s, c, a, p) >= 0.0 && !IsSamePoint(s, p, a) && !IsSamePoint(s, p, b) && !IsSamePoint(s, p, c))
		{
			return false;
		}
	}
	return true;
}

static bool Spend(splitter* s, uint64_t work)
{
	if (s->work != NULL)
	{
		s->exhausted = s->exhausted || work > *s->work;
		*s->work -= s->exhausted ? 0 : work;
	}
	return !s->exhausted;
}

// The corner to cut off next, the search starting at one. Where there is no ear, which happens to polygons that cross
// or touch themselves: a corner of no area, then any that turns left, then any.
static uint32_t FindEar(splitter* s, uint32_t start, uint32_t left)
{
	uint32_t flat = UINT32_MAX, positive = UINT32_MAX, corner = start;
	for (uint32_t i = 0; i < left && Spend(s, (uint64_t)s->reflexCount + 1); ++i, corner = s->next[corner])
	{
		double turn = Turn(s, s->before[corner], corner, s->next[corner]);
		if (turn > 0.0 && IsEar(s, corner))
		{
			return corner;
		}
		flat = turn == 0.0 && flat == UINT32_MAX ? corner : flat;
		positive = turn > 0.0 && positive == UINT32_MAX ? corner : positive;
	}
	return flat != UINT32_MAX ? flat : positive != UINT32_MAX ? positive : start;
}

// Keep the list of corners that may block an ear: a right turn may become a left one, never the other way round in a
// polygon that does not cross itself, and one too many in the list costs time only.
static void FilterReflex(splitter* s, uint32_t cut)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < s->reflexCount; ++i)
	{
		uint32_t p = s->reflex[i];
		bool neighbour = p == s->before[cut] || p == s->next[cut];
		if (p != cut && !(neighbour && Turn(s, s->before[p], p, s->next[p]) > 0.0))
		{
			s->reflex[kept++] = p;
		}
	}
	s->reflexCount = kept;
}

static void CutEar(splitter* s, uint32_t corner)
{
	uint32_t a = s->before[corner], c = s->next[corner];
	s->triangles[0] = a;
	s->triangles[1] = corner;
	s->triangles[2] = c;
	s->triangles += 3;
	s->next[a] = c;
	s->before[c] = a;
	FilterReflex(s, corner);
}

static void CutEars(splitter* s)
{
	for (uint32_t i = 0; i < s->count; ++i)
	{
		s->next[i] = (i + 1) % s->count;
		s->before[i] = (i + s->count - 1) % s->count;
	}
	for (uint32_t i = 0; i < s->count; ++i)
	{
		if (!(Turn(s, s->before[i], i, s->next[i]) > 0.0))
		{
			s->reflex[s->reflexCount++] = i;
		}
	}
	uint32_t start = 0;
	for (uint32_t left = s->count; left >= 3 && !s->exhausted; --left)
	{
		uint32_t corner = FindEar(s, start, left);
		CutEar(s, corner);
		start = s->next[s->next[corner]]; // not next to the last one, so that triangles do not get thinner and thinner
	}
}

static void MakeFan(uint32_t count, uint32_t* triangles)
{
	for (uint32_t i = 2; i < count; ++i, triangles += 3)
	{
		triangles[0] = 0;
		triangles[1] = i - 1;
		triangles[2] = i;
	}
}

// Most polygons have few corners: those need no memory.
#define FEW_CORNERS 32

ioSplitResult ioSplitPolygon(const double* positions, uint32_t count, uint32_t* triangles, uint64_t* work)
{
	double fewPoints[2 * FEW_CORNERS];
	uint32_t fewLinks[3 * FEW_CORNERS];
	bool few = count <= FEW_CORNERS;
	splitter s = { .count = count,
		.points = few ? fewPoints : malloc(2 * (size_t)count * sizeof(double)),
		.next = few ? fewLinks : malloc(3 * (size_t)count * sizeof(uint32_t)),
		.triangles = triangles,
		.work = work };
	if (s.points == NULL || s.next == NULL)
	{
		free(s.points);
		free(s.next);
		return io_splitNoMemory;
	}
	s.before = s.next + count;
	s.reflex = s.before + count;
	if (!Project(&s, positions) || IsConvex(&s))
	{
		MakeFan(count, triangles);
	}
	else
	{
		CutEars(&s);
	}
	if (!few)
	{
		free(s.points);
		free(s.next);
	}
	return s.exhausted ? io_splitTooLong : io_splitDone;
}

// ---- Meshes ----------------------------------------------------------------------------------------------------

bool ioPolygons_Add(ioPolygons* polygons, uint32_t firstTriangle, uint32_t triangleCount)
{
	if (triangleCount < 2)
	{
		return true;
	}
	if (!ioGrow(&polygons->fans, &polygons->capacity, polygons->count + 1, 2 * sizeof(uint32_t)))
	{
		return false;
	}
	uint32_t* fan = polygons->fans + 2 * polygons->count++;
	fan[0] = firstTriangle;
	fan[1] = triangleCount;
	return true;
}

void ioPolygons_Free(ioPolygons* polygons)
{
	free(polygons->fans);
	*polygons = (ioPolygons){ .count = 0 };
}

// The vertices of a fan's corners, in order, and their positions.
static void Gather(const ioMesh* mesh, const uint32_t* fan, uint32_t* vertices, double* positions)
{
	const uint32_t* triangles = mesh->triangles + 3 * (size_t)fan[0];
	for (uint32_t i = 0; i < fan[1] + 2; ++i)
	{
		vertices[i] = i < 2 ? triangles[i] : triangles[3 * (size_t)(i - 2) + 2];
		for (size_t k = 0; k < 3; ++k)
		{
			positions[3 * (size_t)i + k] = (double)mesh->positions[3 * (size_t)vertices[i] + k];
		}
	}
}

ioSplitResult ioPolygons_Split(const ioPolygons* polygons, ioMesh* mesh, uint32_t* largest)
{
	uint32_t most = 0;
	uint64_t work = MAX_WORK;
	for (size_t i = 0; i < polygons->count; ++i)
	{
		uint32_t corners = polygons->fans[2 * i + 1] + 2;
		most = corners > most ? corners : most;
	}
	uint32_t* vertices = malloc(((size_t)most + 1) * sizeof(uint32_t));
	uint32_t* split = malloc(((size_t)most + 1) * 3 * sizeof(uint32_t));
	double* positions = malloc(((size_t)most + 1) * 3 * sizeof(double));
	ioSplitResult result = vertices != NULL && split != NULL && positions != NULL ? io_splitDone : io_splitNoMemory;
	for (size_t i = 0; result == io_splitDone && i < polygons->count; ++i)
	{
		const uint32_t* fan = polygons->fans + 2 * i;
		Gather(mesh, fan, vertices, positions);
		result = ioSplitPolygon(positions, fan[1] + 2, split, &work);
		for (size_t k = 0; result == io_splitDone && k < 3 * (size_t)fan[1]; ++k)
		{
			mesh->triangles[3 * (size_t)fan[0] + k] = vertices[split[k]];
		}
		if (result == io_splitTooLong && largest != NULL)
		{
			*largest = fan[1] + 2;
		}
	}
	free(vertices);
	free(split);
	free(positions);
	return result;
}
