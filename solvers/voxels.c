#include "solvers/voxels.h"

#include "base/vec.h"
#include "solvers/hoard.h"

#include <math.h>
#include <stdlib.h>

#define SUB SIM_SUBCELLS

// ---- Grid ------------------------------------------------------------------------------------------------------

// The box of all corners of triangles; where there are sheets it has room for half their thickness all around, but
// for those axes along which solids reach farther anyway nothing changes.
static void FindBox(const simVoxelDef* def, double lower[3], double upper[3])
{
	const simMesh* mesh = def->mesh;
	for (int k = 0; k < 3; ++k)
	{
		lower[k] = INFINITY;
		upper[k] = -INFINITY;
	}
	for (size_t i = 0; i < 3 * (size_t)mesh->triangleCount; ++i)
	{
		const float* p = mesh->positions + 3 * (size_t)mesh->triangles[i];
		double reach = def->parts->solid[def->parts->ofTriangle[i / 3]] ? 0.0 : 0.5 * def->thickness;
		for (int k = 0; k < 3; ++k)
		{
			lower[k] = fmin(lower[k], (double)p[k] - reach);
			upper[k] = fmax(upper[k], (double)p[k] + reach);
		}
	}
}

static bool MakeGrid(simVoxels* voxels, const simVoxelDef* def, simError* error)
{
	double upper[3], cells = 1.0;
	FindBox(def, voxels->origin, upper);
	for (int k = 0; k < 3; ++k)
	{
		double extent = upper[k] - voxels->origin[k];
		if (!(extent > 0.0))
		{
			return simError_Set(error, "the mesh encloses no volume: it has no extent along %c", "xyz"[k]);
		}
		double count = ceil(extent / def->edge - 1e-6);
		count = count < 1.0 ? 1.0 : count;
		cells *= count;
		if (cells > (double)SIM_MAX_GRID)
		{
			return simError_Set(
			    error, "cells of edge %g make a grid of more than %u for this mesh", def->edge, SIM_MAX_GRID);
		}
		voxels->size[k] = (uint32_t)count;
		voxels->cell[k] = extent / count;
	}
	size_t count = (size_t)cells;
	voxels->fill = calloc(count, sizeof(uint64_t));
	voxels->exists = calloc(count, sizeof(bool));
	return (voxels->fill != NULL && voxels->exists != NULL) || simError_SetMemory(error);
}

// Subcells along an axis whose centres lie in [lower, upper].
static void FindSubcells(const simVoxels* voxels, int axis, double lower, double upper, int64_t* first, int64_t* last)
{
	double step = voxels->cell[axis] / SUB;
	int64_t count = (int64_t)voxels->size[axis] * SUB;
	double from = ceil((lower - voxels->origin[axis]) / step - 0.5);
	double to = floor((upper - voxels->origin[axis]) / step - 0.5);
	*first = from > 0.0 ? (int64_t)fmin(from, (double)count) : 0;
	*last = to < (double)(count - 1) ? (int64_t)fmax(to, -1.0) : count - 1;
}

static double GetCentre(const simVoxels* voxels, int axis, int64_t subcell)
{
	return voxels->origin[axis] + voxels->cell[axis] * ((double)subcell + 0.5) / SUB;
}

static void Fill(simVoxels* voxels, int64_t x, int64_t y, int64_t z)
{
	size_t cell = simVoxels_Index(voxels, (uint32_t)(x / SUB), (uint32_t)(y / SUB), (uint32_t)(z / SUB));
	voxels->fill[cell] |= (uint64_t)1 << (x % SUB + SUB * (y % SUB) + SUB * SUB * (z % SUB));
}

static void GetTriangle(const simMesh* mesh, size_t t, double corners[3][3])
{
	for (int i = 0; i < 3; ++i)
	{
		const float* p = mesh->positions + 3 * (size_t)mesh->triangles[3 * t + (size_t)i];
		for (int k = 0; k < 3; ++k)
		{
			corners[i][k] = (double)p[k];
		}
	}
}

static double Least(const double corners[3][3], int axis)
{
	return fmin(fmin(corners[0][axis], corners[1][axis]), corners[2][axis]);
}

static double Greatest(const double corners[3][3], int axis)
{
	return fmax(fmax(corners[0][axis], corners[1][axis]), corners[2][axis]);
}

// ---- Solids: crossings along x ---------------------------------------------------------------------------------
//
// Oriented parts are taken together: where their winding numbers add up to zero is outside. So parts may overlap, and a
// part that faces inwards is a cavity of the one around it. Of others each is taken by itself, by parity.

#define TOGETHER UINT32_MAX // for a part

typedef struct crossing
{
	uint32_t part, ray;
	int winding; // 1 or -1
	double x;
} crossing;

typedef struct crossings
{
	crossing* items;
	size_t count, capacity;
} crossings;

static bool AddCrossing(crossings* list, crossing item)
{
	if (!simGrow(&list->items, &list->capacity, list->count + 1, sizeof(crossing)))
	{
		return false;
	}
	list->items[list->count++] = item;
	return true;
}

static int CompareCrossings(const void* a, const void* b)
{
	const crossing *c = a, *d = b;
	if (c->part != d->part)
	{
		return c->part < d->part ? -1 : 1;
	}
	if (c->ray != d->ray)
	{
		return c->ray < d->ray ? -1 : 1;
	}
	return c->x < d->x ? -1 : c->x > d->x;
}

// On which side of the edge ab the ray at (y, z) passes. The edge is taken from its lexicographically lower end, so
// that both of its triangles compute the same number, and a ray on it counts as above: as if every ray were moved by
// (-e^2, e) for an infinitesimal e. So a ray meets exactly one of the triangles around an edge or a vertex that seem to
// share it from where it comes, whatever it hits.
static double GetSide(const double a[3], const double b[3], double y, double z)
{
	bool swap = a[1] > b[1] || (a[1] == b[1] && a[2] > b[2]);
	const double *low = swap ? b : a, *high = swap ? a : b;
	double side = (high[1] - low[1]) * (z - low[2]) - (high[2] - low[2]) * (y - low[1]);
	side = side == 0.0 ? 1e-300 : side;
	return swap ? -side : side;
}

static bool CrossTriangle(const simVoxels* voxels, const double corners[3][3], uint32_t part, crossings* list)
{
	int64_t lower[3], upper[3];
	for (int k = 1; k < 3; ++k)
	{
		FindSubcells(voxels, k, Least(corners, k), Greatest(corners, k), lower + k, upper + k);
	}
	for (int64_t k = lower[2]; k <= upper[2]; ++k)
	{
		for (int64_t j = lower[1]; j <= upper[1]; ++j)
		{
			double y = GetCentre(voxels, 1, j), z = GetCentre(voxels, 2, k);
			double s0 = GetSide(corners[1], corners[2], y, z);
			double s1 = GetSide(corners[2], corners[0], y, z);
			double s2 = GetSide(corners[0], corners[1], y, z);
			if ((s0 > 0.0) != (s1 > 0.0) || (s1 > 0.0) != (s2 > 0.0))
			{
				continue;
			}
			double x = (s0 * corners[0][0] + s1 * corners[1][0] + s2 * corners[2][0]) / (s0 + s1 + s2);
			crossing item = { part, (uint32_t)(j + k * (int64_t)voxels->size[1] * SUB), s0 > 0.0 ? 1 : -1, x };
			if (!AddCrossing(list, item))
			{
				return false;
			}
		}
	}
	return true;
}

static void FillBetween(simVoxels* voxels, const crossing* from, const crossing* to)
{
	int64_t rows = (int64_t)voxels->size[1] * SUB, first, last;
	FindSubcells(voxels, 0, from->x, to->x, &first, &last);
	for (int64_t x = first; x <= last; ++x)
	{
		Fill(voxels, x, from->ray % rows, from->ray / rows);
	}
}

// All crossings of one ray by one part, or by those that are taken together.
static void FillRay(simVoxels* voxels, const crossing* items, size_t count)
{
	int winding = 0;
	for (size_t i = 0; i + 1 < count; ++i)
	{
		winding += items[i].part == TOGETHER ? items[i].winding : 1;
		if (items[i].part == TOGETHER ? winding != 0 : winding % 2 == 1)
		{
			FillBetween(voxels, items + i, items + i + 1);
		}
	}
}

static bool FillSolids(simVoxels* voxels, const simVoxelDef* def)
{
	crossings list = { 0 };
	bool good = true;
	for (size_t t = 0; good && t < def->mesh->triangleCount; ++t)
	{
		uint32_t part = def->parts->ofTriangle[t];
		double corners[3][3];
		GetTriangle(def->mesh, t, corners);
		good = !def->parts->solid[part] ||
		       CrossTriangle(voxels, corners, def->parts->oriented[part] ? TOGETHER : part, &list);
	}
	if (list.count > 0)
	{
		qsort(list.items, list.count, sizeof(crossing), CompareCrossings);
	}
	for (size_t i = 0, end; good && i < list.count; i = end)
	{
		const crossing* first = list.items + i;
		for (end = i + 1; end < list.count && first->part == list.items[end].part && first->ray == list.items[end].ray;)
		{
			++end;
		}
		FillRay(voxels, first, end - i);
	}
	free(list.items);
	return good;
}

// ---- Sheets: distance to a triangle ----------------------------------------------------------------------------

static double SegmentDistance2(const double p[3], const double a[3], const double b[3])
{
	double ab[3], ap[3];
	for (int k = 0; k < 3; ++k)
	{
		ab[k] = b[k] - a[k];
		ap[k] = p[k] - a[k];
	}
	double length2 = sgDot(ab, ab), s = length2 > 0.0 ? sgDot(ap, ab) / length2 : 0.0;
	s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
	for (int k = 0; k < 3; ++k)
	{
		ap[k] -= s * ab[k];
	}
	return sgDot(ap, ap);
}

// Squared distance from a point to a triangle: to its plane if the foot is inside, else to the nearest edge.
static double TriangleDistance2(const double p[3], const double corners[3][3])
{
	double e0[3], e1[3], normal[3], best = INFINITY;
	for (int k = 0; k < 3; ++k)
	{
		e0[k] = corners[1][k] - corners[0][k];
		e1[k] = corners[2][k] - corners[0][k];
	}
	sgCross(e0, e1, normal);
	double length2 = sgDot(normal, normal);
	bool inside = length2 > 0.0;
	for (int i = 0; i < 3; ++i)
	{
		const double *a = corners[i], *b = corners[(i + 1) % 3];
		double ab[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] }, ap[3] = { p[0] - a[0], p[1] - a[1], p[2] - a[2] };
		double outwards[3];
		sgCross(ab, normal, outwards);
		inside = inside && sgDot(ap, outwards) <= 0.0;
		best = fmin(best, SegmentDistance2(p, a, b));
	}
	if (inside)
	{
		double ap[3] = { p[0] - corners[0][0], p[1] - corners[0][1], p[2] - corners[0][2] };
		double height = sgDot(ap, normal);
		return height * height / length2;
	}
	return best;
}

static void FillSheetTriangle(simVoxels* voxels, const double corners[3][3], double reach)
{
	int64_t first[3], last[3];
	double within = reach * reach * (1.0 + 1e-9);
	for (int k = 0; k < 3; ++k)
	{
		FindSubcells(voxels, k, Least(corners, k) - reach, Greatest(corners, k) + reach, first + k, last + k);
	}
	for (int64_t z = first[2]; z <= last[2]; ++z)
	{
		for (int64_t y = first[1]; y <= last[1]; ++y)
		{
			for (int64_t x = first[0]; x <= last[0]; ++x)
			{
				double p[3] = { GetCentre(voxels, 0, x), GetCentre(voxels, 1, y), GetCentre(voxels, 2, z) };
				if (TriangleDistance2(p, corners) <= within)
				{
					Fill(voxels, x, y, z);
				}
			}
		}
	}
}

// ---- Cells that a triangle touches -----------------------------------------------------------------------------

// Whether a triangle and a box have a separating axis among the box' own, the triangle's normal and the nine products
// of their edges. Touching does not separate.
static bool IsApart(const double corners[3][3], const double centre[3], const double half[3])
{
	double v[3][3], normal[3], edges[3][3];
	for (int k = 0; k < 3; ++k)
	{
		for (int i = 0; i < 3; ++i)
		{
			v[i][k] = corners[i][k] - centre[k];
			edges[i][k] = corners[(i + 1) % 3][k] - corners[i][k];
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		if (Least(v, k) > half[k] || Greatest(v, k) < -half[k])
		{
			return true;
		}
	}
	sgCross(edges[0], edges[1], normal);
	double radius = half[0] * fabs(normal[0]) + half[1] * fabs(normal[1]) + half[2] * fabs(normal[2]);
	if (fabs(sgDot(v[0], normal)) > radius)
	{
		return true;
	}
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			double unit[3] = { k == 0, k == 1, k == 2 }, axis[3];
			sgCross(unit, edges[i], axis);
			double p0 = sgDot(v[0], axis), p1 = sgDot(v[1], axis), p2 = sgDot(v[2], axis);
			double reach = half[0] * fabs(axis[0]) + half[1] * fabs(axis[1]) + half[2] * fabs(axis[2]);
			if (fmin(p0, fmin(p1, p2)) > reach || fmax(p0, fmax(p1, p2)) < -reach)
			{
				return true;
			}
		}
	}
	return false;
}

void simVoxels_FindCell(const simVoxels* voxels, const float point[3], uint32_t cell[3])
{
	for (int k = 0; k < 3; ++k)
	{
		double place = floor(((double)point[k] - voxels->origin[k]) / voxels->cell[k]);
		double last = (double)(voxels->size[k] - 1);
		cell[k] = (uint32_t)(place < 0.0 ? 0.0 : place > last ? last : place);
	}
}

static void TouchTriangle(simVoxels* voxels, const double corners[3][3])
{
	uint32_t first[3], last[3];
	double half[3];
	for (int k = 0; k < 3; ++k)
	{
		double margin = 1e-9 * voxels->cell[k];
		double from = floor((Least(corners, k) - voxels->origin[k] - margin) / voxels->cell[k]);
		double to = floor((Greatest(corners, k) - voxels->origin[k] + margin) / voxels->cell[k]);
		double end = (double)(voxels->size[k] - 1);
		first[k] = (uint32_t)fmin(fmax(from, 0.0), end);
		last[k] = (uint32_t)fmin(fmax(to, 0.0), end);
		half[k] = 0.5 * voxels->cell[k] + margin;
	}
	for (uint32_t z = first[2]; z <= last[2]; ++z)
	{
		for (uint32_t y = first[1]; y <= last[1]; ++y)
		{
			for (uint32_t x = first[0]; x <= last[0]; ++x)
			{
				bool* exists = voxels->exists + simVoxels_Index(voxels, x, y, z);
				double centre[3] = { voxels->origin[0] + voxels->cell[0] * (x + 0.5),
					voxels->origin[1] + voxels->cell[1] * (y + 0.5), voxels->origin[2] + voxels->cell[2] * (z + 0.5) };
				*exists = *exists || !IsApart(corners, centre, half);
			}
		}
	}
}

// ---- All of it -------------------------------------------------------------------------------------------------

bool simVoxels_Create(simVoxels* voxels, const simVoxelDef* def, simError* error)
{
	*voxels = (simVoxels){ 0 };
	if (!MakeGrid(voxels, def, error))
	{
		simVoxels_Free(voxels);
		return false;
	}
	if (!FillSolids(voxels, def))
	{
		simVoxels_Free(voxels);
		return simError_SetMemory(error);
	}
	for (size_t t = 0; t < def->mesh->triangleCount; ++t)
	{
		double corners[3][3];
		GetTriangle(def->mesh, t, corners);
		TouchTriangle(voxels, corners);
		for (int i = 0; i < 3; ++i) // whatever rounding says about touching
		{
			uint32_t c[3];
			simVoxels_FindCell(voxels, def->mesh->positions + 3 * (size_t)def->mesh->triangles[3 * t + (size_t)i], c);
			voxels->exists[simVoxels_Index(voxels, c[0], c[1], c[2])] = true;
		}
		if (!def->parts->solid[def->parts->ofTriangle[t]])
		{
			FillSheetTriangle(voxels, corners, 0.5 * def->thickness);
		}
	}
	size_t count = (size_t)voxels->size[0] * voxels->size[1] * voxels->size[2];
	for (size_t i = 0; i < count; ++i)
	{
		voxels->exists[i] = voxels->exists[i] || voxels->fill[i] != 0;
		voxels->cellCount += voxels->exists[i];
	}
	return true;
}

void simVoxels_Free(simVoxels* voxels)
{
	free(voxels->fill);
	free(voxels->exists);
	*voxels = (simVoxels){ 0 };
}
