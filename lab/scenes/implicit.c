#include "lab/scenes/implicit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- The field -------------------------------------------------------------------------------------------------

double sceneShape_Evaluate(const sceneShape* shape, const double point[3])
{
	double along[3], from[3], dot = 0.0, length = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		along[k] = shape->ends[1][k] - shape->ends[0][k];
		from[k] = point[k] - shape->ends[0][k];
		dot += along[k] * from[k];
		length += along[k] * along[k];
	}
	double t = length > 0.0 ? dot / length : 0.0;
	t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
	double x = from[0] - t * along[0], y = from[1] - t * along[1], z = (from[2] - t * along[2]) / shape->depth;
	return sqrt(x * x + y * y + z * z) - (shape->radii[0] + t * (shape->radii[1] - shape->radii[0]));
}

// The lesser of two numbers, and less than that where they are within `melt` of each other: the corner is rounded off.
static double Melt(double a, double b, double melt)
{
	double least = a < b ? a : b, gap = a < b ? b - a : a - b;
	double part = gap < melt ? 1.0 - gap / melt : 0.0;
	return least - 0.25 * melt * part * part;
}

static double Evaluate(const sceneImplicit* body, const double point[3])
{
	double value = sceneShape_Evaluate(body->shapes, point);
	for (uint32_t i = 1; i < body->shapeCount; ++i)
	{
		value = Melt(value, sceneShape_Evaluate(body->shapes + i, point), body->melt);
	}
	return value;
}

// Newton's method along the gradient, three times.
// Bring a point that is near the surface onto it.
static void Project(const sceneImplicit* body, double point[3])
{
	const double step = 1e-4;
	for (int i = 0; i < 3; ++i)
	{
		double value = Evaluate(body, point), gradient[3], square = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			double beside[3] = { point[0], point[1], point[2] };
			beside[k] += step;
			gradient[k] = (Evaluate(body, beside) - value) / step;
			square += gradient[k] * gradient[k];
		}
		for (int k = 0; k < 3 && square > 0.01; ++k)
		{
			point[k] -= value * gradient[k] / square;
		}
	}
}

// ---- Surface nets ----------------------------------------------------------------------------------------------

/// A grid over the surface, with a margin around it so that no cell at its border has a vertex.
typedef struct net
{
	const sceneField* field;
	double origin[3], cell;
	uint32_t counts[3]; // of grid points
	double* values;     // by grid point, x fastest
	uint32_t* vertices; // by the cell that begins at a grid point; UINT32_MAX: none
	sceneMesh mesh;
} net;

static size_t GetIndex(const net* n, uint32_t x, uint32_t y, uint32_t z)
{
	return x + (size_t)n->counts[0] * (y + (size_t)n->counts[1] * z);
}

static bool CreateNet(net* n, const sceneField* field, double cell)
{
	size_t count = 1;
	*n = (net){ .field = field, .cell = cell };
	for (int k = 0; k < 3; ++k)
	{
		n->origin[k] = field->lower[k];
		n->counts[k] = (uint32_t)((field->upper[k] - field->lower[k]) / cell) + 2;
		count *= n->counts[k];
	}
	n->values = malloc(count * sizeof(double));
	n->vertices = malloc(count * sizeof(uint32_t));
	return n->values != NULL && n->vertices != NULL;
}

static void GetPoint(const net* n, const uint32_t at[3], double point[3])
{
	for (int k = 0; k < 3; ++k)
	{
		point[k] = n->origin[k] + (double)at[k] * n->cell;
	}
}

// Call something for every cell.
typedef void visitFcn(net* n, const uint32_t at[3]);

static void Visit(net* n, visitFcn* visit)
{
	uint32_t at[3];
	for (at[2] = 0; at[2] + 1 < n->counts[2]; ++at[2])
	{
		for (at[1] = 0; at[1] + 1 < n->counts[1]; ++at[1])
		{
			for (at[0] = 0; at[0] + 1 < n->counts[0]; ++at[0])
			{
				visit(n, at);
			}
		}
	}
}

// Where a value is so large that neither the next points of the row nor their neighbours can have another sign, the
// next points have its sign, and no value of their own.
static void EvaluateRow(net* n, uint32_t y, uint32_t z)
{
	double known = 0.0, reach = n->field->slope * n->cell;
	for (uint32_t x = 0; x < n->counts[0]; ++x)
	{
		double point[3], left = (known < 0.0 ? -known : known) - reach;
		size_t index = GetIndex(n, x, y, z);
		known = known < 0.0 ? -left : left;
		if (reach == 0.0 || left <= 2.0 * reach)
		{
			GetPoint(n, (const uint32_t[3]){ x, y, z }, point);
			known = n->field->evaluate(n->field->body, point);
		}
		n->values[index] = known;
		n->vertices[index] = UINT32_MAX;
	}
}

// Number a cell's vertex: it has one if not all its corners are on one side. Positions come once they are counted.
static void NumberCell(net* n, const uint32_t at[3])
{
	uint32_t inside = 0;
	for (uint32_t c = 0; c < 8; ++c)
	{
		inside += n->values[GetIndex(n, at[0] + (c & 1), at[1] + (c >> 1 & 1), at[2] + (c >> 2))] < 0.0;
	}
	if (inside > 0 && inside < 8)
	{
		n->vertices[GetIndex(n, at[0], at[1], at[2])] = n->mesh.vertexCount++;
	}
}

// In the mean of where the surface cuts the cell's edges, then on it.
static void PlaceCell(net* n, const uint32_t at[3])
{
	uint32_t vertex = n->vertices[GetIndex(n, at[0], at[1], at[2])];
	double point[3], sum[3] = { 0.0, 0.0, 0.0 }, cuts = 0.0;
	for (uint32_t edge = 0; edge < 12 && vertex != UINT32_MAX; ++edge)
	{
		uint32_t axis = edge / 4, a[3] = { at[0], at[1], at[2] };
		a[(axis + 1) % 3] += edge & 1;
		a[(axis + 2) % 3] += edge >> 1 & 1;
		double first = n->values[GetIndex(n, a[0], a[1], a[2])];
		GetPoint(n, a, point);
		a[axis] += 1;
		double second = n->values[GetIndex(n, a[0], a[1], a[2])];
		if ((first < 0.0) != (second < 0.0))
		{
			point[axis] += n->cell * first / (first - second);
			cuts += 1.0;
			for (int k = 0; k < 3; ++k)
			{
				sum[k] += point[k];
			}
		}
	}
	if (vertex != UINT32_MAX)
	{
		double place[3] = { sum[0] / cuts, sum[1] / cuts, sum[2] / cuts };
		n->field->project(n->field->body, place);
		for (size_t k = 0; k < 3; ++k)
		{
			n->mesh.positions[3 * (size_t)vertex + k] = (float)place[k];
		}
	}
}

static double GetSquare(const sceneMesh* mesh, uint32_t a, uint32_t b)
{
	double sum = 0.0;
	for (size_t k = 0; k < 3; ++k)
	{
		double d = (double)mesh->positions[3 * (size_t)a + k] - (double)mesh->positions[3 * (size_t)b + k];
		sum += d * d;
	}
	return sum;
}

// The four cells around a grid edge in the order of a turn, as two triangles along the shorter diagonal.
static void AddQuad(net* n, const uint32_t quad[4])
{
	bool isFirst = GetSquare(&n->mesh, quad[0], quad[2]) <= GetSquare(&n->mesh, quad[1], quad[3]);
	uint32_t turn = isFirst ? 0 : 1;
	uint32_t* to = n->mesh.triangles + 3 * (size_t)n->mesh.triangleCount;
	for (uint32_t i = 0; i < 3; ++i)
	{
		to[i] = quad[(turn + i) % 4];
		to[3 + i] = quad[(turn + 2 + i) % 4];
	}
	n->mesh.triangleCount += 2;
}

// The edges of the grid that begin at a point. Without arrays for triangles they are only counted.
static void AddEdges(net* n, const uint32_t at[3])
{
	double first = n->values[GetIndex(n, at[0], at[1], at[2])];
	for (uint32_t axis = 0; axis < 3; ++axis)
	{
		uint32_t end[3] = { at[0], at[1], at[2] }, u = (axis + 1) % 3, v = (axis + 2) % 3, quad[4];
		end[axis] += 1;
		bool isInside = first < 0.0;
		if (isInside == (n->values[GetIndex(n, end[0], end[1], end[2])] < 0.0))
		{
			continue;
		}
		for (uint32_t i = 0; i < 4 && n->mesh.triangles != NULL; ++i)
		{
			uint32_t cell[3] = { at[0], at[1], at[2] }, turn = isInside ? i : 3 - i;
			cell[u] -= turn == 1 || turn == 2 ? 0 : 1;
			cell[v] -= turn >= 2 ? 0 : 1;
			quad[i] = n->vertices[GetIndex(n, cell[0], cell[1], cell[2])];
		}
		if (n->mesh.triangles != NULL)
		{
			AddQuad(n, quad);
		}
		else
		{
			n->mesh.triangleCount += 2;
		}
	}
}

sceneMesh sceneField_MakeMesh(const sceneField* field, double cell)
{
	net n;
	if (CreateNet(&n, field, cell))
	{
		for (uint32_t row = 0; row < n.counts[1] * n.counts[2]; ++row)
		{
			EvaluateRow(&n, row % n.counts[1], row / n.counts[1]);
		}
		Visit(&n, NumberCell);
		Visit(&n, AddEdges);
		n.mesh = sceneMesh_Allocate(n.mesh.vertexCount, n.mesh.triangleCount);
		if (sceneMesh_IsValid(&n.mesh))
		{
			n.mesh.triangleCount = 0;
			Visit(&n, PlaceCell);
			Visit(&n, AddEdges);
		}
	}
	free(n.values);
	free(n.vertices);
	return n.mesh;
}

static double EvaluateAny(const void* body, const double point[3])
{
	return Evaluate(body, point);
}

static void ProjectAny(const void* body, double point[3])
{
	Project(body, point);
}

sceneMesh sceneImplicit_MakeMesh(const sceneImplicit* body, double cell)
{
	sceneField field = { .body = body,
		.evaluate = EvaluateAny,
		.project = ProjectAny,
		.lower = { INFINITY, INFINITY, INFINITY },
		.upper = { -INFINITY, -INFINITY, -INFINITY } };
	for (uint32_t i = 0; i < 2 * body->shapeCount; ++i)
	{
		const sceneShape* shape = body->shapes + i / 2;
		double radius = (shape->radii[i % 2] + body->melt) * (shape->depth > 1.0 ? shape->depth : 1.0) + 2.0 * cell;
		for (int k = 0; k < 3; ++k)
		{
			double x = shape->ends[i % 2][k];
			field.lower[k] = x - radius < field.lower[k] ? x - radius : field.lower[k];
			field.upper[k] = x + radius > field.upper[k] ? x + radius : field.upper[k];
		}
	}
	return sceneField_MakeMesh(&field, cell);
}

// ---- Refinement ------------------------------------------------------------------------------------------------

// Split the longest edge. The triangles with it become two each; there is room for that.
static void SplitLongest(const sceneImplicit* body, sceneMesh* mesh)
{
	uint32_t a = 0, b = 0, vertex = mesh->vertexCount++, triangleCount = mesh->triangleCount;
	double longest = -1.0, middle[3];
	for (size_t i = 0; i < 3 * (size_t)triangleCount; ++i)
	{
		uint32_t from = mesh->triangles[i], to = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
		double square = GetSquare(mesh, from, to);
		if (square > longest)
		{
			longest = square;
			a = from;
			b = to;
		}
	}
	for (size_t k = 0; k < 3; ++k)
	{
		middle[k] = 0.5 * ((double)mesh->positions[3 * (size_t)a + k] + (double)mesh->positions[3 * (size_t)b + k]);
	}
	Project(body, middle);
	for (size_t k = 0; k < 3; ++k)
	{
		mesh->positions[3 * (size_t)vertex + k] = (float)middle[k];
	}
	for (size_t i = 0; i < 3 * (size_t)triangleCount; ++i)
	{
		size_t first = i - i % 3, next = first + (i + 1) % 3;
		uint32_t* t = mesh->triangles;
		bool isEdge = (t[i] == a && t[next] == b) || (t[i] == b && t[next] == a);
		if (isEdge)
		{
			uint32_t* added = t + 3 * (size_t)mesh->triangleCount++;
			memcpy(added, t + first, 3 * sizeof(uint32_t));
			added[i % 3] = vertex;
			t[next] = vertex;
		}
	}
}

bool sceneImplicit_Refine(const sceneImplicit* body, sceneMesh* mesh, uint32_t vertexCount)
{
	if (vertexCount <= mesh->vertexCount)
	{
		return true;
	}
	uint32_t more = vertexCount - mesh->vertexCount;
	// Surface nets are manifold but for cells that the surface cuts twice, where an edge may have four triangles.
	sceneMesh grown = sceneMesh_Allocate(vertexCount, (uint64_t)mesh->triangleCount + 4 * (uint64_t)more);
	if (!sceneMesh_IsValid(&grown))
	{
		return false;
	}
	memcpy(grown.positions, mesh->positions, 3 * (size_t)mesh->vertexCount * sizeof(float));
	memcpy(grown.triangles, mesh->triangles, 3 * (size_t)mesh->triangleCount * sizeof(uint32_t));
	grown.vertexCount = mesh->vertexCount;
	grown.triangleCount = mesh->triangleCount;
	while (grown.vertexCount < vertexCount)
	{
		SplitLongest(body, &grown);
	}
	sceneMesh_Free(mesh);
	*mesh = grown;
	return true;
}
