#include "lab/scenes/mesh.h"
#include "lab/scenes/motion.h"
#include "lab/scenes/random.h"
#include "solvers/sine.h"

#include <math.h>
#include <string.h>

// ---- Geodesic sphere -------------------------------------------------------------------------------------------
//
// Vertices are numbered: 12 corners, then the inner points of the 30 edges, then those of the 20 faces. Each is
// computed once and found by its number, so no point needs to be looked up by its position.

#define FACES 20
#define EDGES 30
#define CORNERS 12

static const uint8_t icosahedronFaces[FACES][3] = { { 0, 1, 4 }, { 0, 6, 1 }, { 0, 4, 8 }, { 0, 9, 6 }, { 0, 8, 9 },
	{ 1, 10, 4 }, { 1, 6, 11 }, { 1, 11, 10 }, { 2, 5, 3 }, { 2, 3, 7 }, { 2, 8, 5 }, { 2, 7, 9 }, { 2, 9, 8 },
	{ 3, 5, 10 }, { 3, 11, 7 }, { 3, 10, 11 }, { 4, 5, 8 }, { 4, 10, 5 }, { 6, 9, 7 }, { 6, 7, 11 } };

typedef struct geodesic
{
	double corners[CORNERS][3];
	uint8_t edges[EDGES][2];               // lower corner first
	uint8_t edgeNumbers[CORNERS][CORNERS]; // of a pair of corners, in either order
	uint32_t n;                            // parts per edge
} geodesic;

static void MakeCorners(geodesic* g)
{
	// Four corners of a golden rectangle in each coordinate plane: (±1, ±golden) in (x, y), (y, z) and (z, x).
	double golden = 0.5 * (1.0 + sqrt(5.0));
	for (int i = 0; i < CORNERS; ++i)
	{
		int plane = i / 4;
		g->corners[i][plane] = (i & 1) ? -1.0 : 1.0;
		g->corners[i][(plane + 1) % 3] = (i & 2) ? -golden : golden;
		g->corners[i][(plane + 2) % 3] = 0.0;
	}
}

static void NumberEdges(geodesic* g)
{
	uint8_t count = 0;
	memset(g->edgeNumbers, 0xff, sizeof(g->edgeNumbers));
	for (int f = 0; f < FACES; ++f)
	{
		for (int k = 0; k < 3; ++k)
		{
			uint8_t u = icosahedronFaces[f][k], v = icosahedronFaces[f][(k + 1) % 3];
			if (g->edgeNumbers[u][v] == 0xff)
			{
				g->edges[count][0] = u < v ? u : v;
				g->edges[count][1] = u < v ? v : u;
				g->edgeNumbers[u][v] = g->edgeNumbers[v][u] = count++;
			}
		}
	}
}

// The point `t` steps from corner u on the way to corner v, 0 < t < n.
static uint32_t EdgeVertex(const geodesic* g, uint8_t u, uint8_t v, uint32_t t)
{
	uint32_t fromLower = u < v ? t : g->n - t;
	return CORNERS + g->edgeNumbers[u][v] * (g->n - 1) + fromLower - 1;
}

// The point of face f in row i (0 at the first corner, n at the opposite edge), place j of 0 to i.
static uint32_t FaceVertex(const geodesic* g, uint32_t f, uint32_t i, uint32_t j)
{
	const uint8_t* c = icosahedronFaces[f];
	uint32_t n = g->n;
	if (i == 0)
	{
		return c[0];
	}
	if (j == 0)
	{
		return i == n ? c[1] : EdgeVertex(g, c[0], c[1], i);
	}
	if (j == i)
	{
		return i == n ? c[2] : EdgeVertex(g, c[0], c[2], i);
	}
	if (i == n)
	{
		return EdgeVertex(g, c[1], c[2], j);
	}
	uint32_t inner = (n - 1) * (n - 2) / 2;
	return CORNERS + EDGES * (n - 1) + f * inner + (i - 1) * (i - 2) / 2 + j - 1;
}

static void StoreDirection(float* out, const double p[3])
{
	double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
	for (int k = 0; k < 3; ++k)
	{
		out[k] = (float)(p[k] / length);
	}
}

// The point a * A + b * B + c * C, with whole weights, brought to the sphere.
static void StoreBlend(const geodesic* g, float* out, const uint8_t corners[3], const uint32_t weights[3])
{
	double p[3] = { 0.0, 0.0, 0.0 };
	for (int i = 0; i < 3; ++i)
	{
		const double* corner = g->corners[corners[i]];
		for (int k = 0; k < 3; ++k)
		{
			p[k] += (double)weights[i] * corner[k];
		}
	}
	StoreDirection(out, p);
}

static void MakeGeodesicVertices(const geodesic* g, float* positions)
{
	uint32_t n = g->n;
	for (int i = 0; i < CORNERS; ++i, positions += 3)
	{
		StoreDirection(positions, g->corners[i]);
	}
	for (int e = 0; e < EDGES; ++e)
	{
		uint8_t ends[3] = { g->edges[e][0], g->edges[e][1], 0 };
		for (uint32_t t = 1; t < n; ++t, positions += 3)
		{
			StoreBlend(g, positions, ends, (uint32_t[3]){ n - t, t, 0 });
		}
	}
	for (int f = 0; f < FACES; ++f)
	{
		for (uint32_t i = 2; i < n; ++i)
		{
			for (uint32_t j = 1; j < i; ++j, positions += 3)
			{
				StoreBlend(g, positions, icosahedronFaces[f], (uint32_t[3]){ n - i, i - j, j });
			}
		}
	}
}

static uint32_t* StoreTriangle(uint32_t* triangles, uint32_t a, uint32_t b, uint32_t c)
{
	triangles[0] = a;
	triangles[1] = b;
	triangles[2] = c;
	return triangles + 3;
}

static void MakeGeodesicTriangles(const geodesic* g, uint32_t* triangles)
{
	for (uint32_t f = 0; f < FACES; ++f)
	{
		for (uint32_t i = 0; i < g->n; ++i)
		{
			for (uint32_t j = 0; j <= i; ++j)
			{
				uint32_t top = FaceVertex(g, f, i, j), right = FaceVertex(g, f, i + 1, j + 1);
				triangles = StoreTriangle(triangles, top, FaceVertex(g, f, i + 1, j), right);
				if (j < i)
				{
					triangles = StoreTriangle(triangles, top, right, FaceVertex(g, f, i, j + 1));
				}
			}
		}
	}
}

sceneMesh sceneMakeSphere(uint32_t frequency)
{
	frequency = frequency > 0 ? frequency : 1;
	uint64_t n2 = (uint64_t)frequency * frequency;
	sceneMesh mesh = sceneMesh_Allocate(10 * n2 + 2, 20 * n2);
	if (sceneMesh_IsValid(&mesh))
	{
		geodesic g = { .n = frequency };
		MakeCorners(&g);
		NumberEdges(&g);
		MakeGeodesicVertices(&g, mesh.positions);
		MakeGeodesicTriangles(&g, mesh.triangles);
	}
	return mesh;
}

// Put a vertex into a triangle, pushed out to the unit sphere, which makes three of it.
static void Split(sceneMesh* mesh, uint32_t triangle)
{
	uint32_t *corners = mesh->triangles + 3 * (size_t)triangle, vertex = mesh->vertexCount++;
	double middle[3], length = 0.0;
	for (size_t k = 0; k < 3; ++k)
	{
		middle[k] = 0.0;
		for (size_t i = 0; i < 3; ++i)
		{
			middle[k] += (double)mesh->positions[3 * (size_t)corners[i] + k];
		}
		length += middle[k] * middle[k];
	}
	for (size_t k = 0; k < 3; ++k)
	{
		mesh->positions[3 * (size_t)vertex + k] = (float)(middle[k] / sqrt(length));
	}
	const uint32_t added[6] = { corners[1], corners[2], vertex, corners[2], corners[0], vertex };
	memcpy(mesh->triangles + 3 * (size_t)mesh->triangleCount, added, sizeof(added));
	mesh->triangleCount += 2;
	corners[2] = vertex;
}

sceneMesh sceneMakeRound(uint32_t vertexCount)
{
	uint32_t frequency = 1;
	while (10 * (uint64_t)(frequency + 1) * (frequency + 1) + 2 <= vertexCount)
	{
		++frequency;
	}
	sceneMesh sphere = sceneMakeSphere(frequency);
	sceneMesh mesh = sceneMesh_Allocate(vertexCount, 2 * (uint64_t)vertexCount - 4); // Euler's, of what is closed
	if (!sceneMesh_IsValid(&sphere) || !sceneMesh_IsValid(&mesh))
	{
		sceneMesh_Free(&sphere);
		sceneMesh_Free(&mesh);
		return mesh;
	}
	memcpy(mesh.positions, sphere.positions, 3 * (size_t)sphere.vertexCount * sizeof(float));
	memcpy(mesh.triangles, sphere.triangles, 3 * (size_t)sphere.triangleCount * sizeof(uint32_t));
	mesh.vertexCount = sphere.vertexCount;
	mesh.triangleCount = sphere.triangleCount;
	uint32_t missing = vertexCount - sphere.vertexCount;
	for (uint32_t i = 0; i < missing; ++i)
	{
		Split(&mesh, (uint32_t)((uint64_t)i * sphere.triangleCount / missing));
	}
	sceneMesh_Free(&sphere);
	return mesh;
}

sceneMesh sceneMakeBlob(uint32_t frequency, uint64_t seed)
{
	sceneMesh mesh = sceneMakeSphere(frequency);
	sceneWaves waves = sceneMakeWaves(seed, 1.0);
	for (size_t i = 0; i < mesh.vertexCount; ++i)
	{
		float* p = mesh.positions + 3 * i;
		double radius = 1.0;
		for (int k = 0; k < SCENE_WAVES; ++k)
		{
			radius += SCENE_WAVE_HEIGHT * sceneWaves_Evaluate(&waves, k, p);
		}
		for (int k = 0; k < 3; ++k)
		{
			p[k] = (float)(radius * (double)p[k]);
		}
	}
	return mesh;
}

// ---- Grids -----------------------------------------------------------------------------------------------------

// Two triangles for every cell of a grid; a grid that wraps has no last row and column of vertices.
static uint32_t* MakeGridTriangles(uint32_t* triangles, uint32_t first, uint32_t columns, uint32_t rows, bool wraps)
{
	uint32_t pitch = wraps ? columns : columns + 1;
	for (uint32_t y = 0; y < rows; ++y)
	{
		uint32_t below = wraps && y + 1 == rows ? 0 : y + 1;
		for (uint32_t x = 0; x < columns; ++x)
		{
			uint32_t right = wraps && x + 1 == columns ? 0 : x + 1;
			uint32_t a = first + y * pitch + x, b = first + y * pitch + right;
			uint32_t c = first + below * pitch + x, d = first + below * pitch + right;
			triangles = StoreTriangle(triangles, a, b, d);
			triangles = StoreTriangle(triangles, a, d, c);
		}
	}
	return triangles;
}

static double Circle(uint32_t i, uint32_t count)
{
	return 2.0 * SCENE_PI * (double)i / (double)count;
}

sceneMesh sceneMakeTorus(double majorRadius, double minorRadius, uint32_t around, uint32_t across)
{
	sceneMesh mesh = sceneMesh_Allocate((uint64_t)around * across, 2 * (uint64_t)around * across);
	if (!sceneMesh_IsValid(&mesh))
	{
		return mesh;
	}
	float* p = mesh.positions;
	for (uint32_t y = 0; y < across; ++y)
	{
		double radius = majorRadius + minorRadius * sceneCosine(Circle(y, across));
		double height = minorRadius * sceneSine(Circle(y, across));
		for (uint32_t x = 0; x < around; ++x, p += 3)
		{
			p[0] = (float)(radius * sceneCosine(Circle(x, around)));
			p[1] = (float)(radius * sceneSine(Circle(x, around)));
			p[2] = (float)height;
		}
	}
	MakeGridTriangles(mesh.triangles, 0, around, across, true);
	return mesh;
}

sceneMesh sceneMakeCloth(double width, double height, uint32_t columns, uint32_t rows)
{
	sceneMesh mesh = sceneMesh_Allocate(((uint64_t)columns + 1) * ((uint64_t)rows + 1), 2 * (uint64_t)columns * rows);
	if (!sceneMesh_IsValid(&mesh))
	{
		return mesh;
	}
	float* p = mesh.positions;
	for (uint32_t y = 0; y <= rows; ++y)
	{
		for (uint32_t x = 0; x <= columns; ++x, p += 3)
		{
			p[0] = (float)(width * ((double)x / (double)columns - 0.5));
			p[1] = (float)(height * ((double)y / (double)rows - 0.5));
			p[2] = 0.0f;
		}
	}
	MakeGridTriangles(mesh.triangles, 0, columns, rows, false);
	return mesh;
}

// One side of a voxel box: the grid of axes u and v, at `level` cells along the third axis.
static float* MakeVoxelSide(float* p, const uint32_t size[3], int u, int v, uint32_t level, double cell)
{
	for (uint32_t j = 0; j <= size[v]; ++j)
	{
		for (uint32_t i = 0; i <= size[u]; ++i, p += 3)
		{
			p[u] = (float)(cell * (double)i);
			p[v] = (float)(cell * (double)j);
			p[3 - u - v] = (float)(cell * (double)level);
		}
	}
	return p;
}

sceneMesh sceneMakeVoxelBox(uint32_t x, uint32_t y, uint32_t z, double cell)
{
	uint32_t size[3] = { x, y, z };
	uint64_t vertexCount = 0, faces = 0;
	for (int k = 0; k < 3; ++k)
	{
		uint64_t u = size[k], v = size[(k + 1) % 3];
		vertexCount += 2 * (u + 1) * (v + 1);
		faces += 2 * u * v;
	}
	sceneMesh mesh = sceneMesh_Allocate(vertexCount, 2 * faces);
	if (!sceneMesh_IsValid(&mesh))
	{
		return mesh;
	}
	float* p = mesh.positions;
	uint32_t* triangles = mesh.triangles;
	for (int side = 0; side < 6; ++side)
	{
		int u = side / 2, v = (u + 1) % 3;
		uint32_t first = (uint32_t)((size_t)(p - mesh.positions) / 3);
		p = MakeVoxelSide(p, size, u, v, (side & 1) ? size[3 - u - v] : 0, cell);
		triangles = MakeGridTriangles(triangles, first, size[u], size[v], false);
	}
	return mesh;
}

// ---- Small and random ones -------------------------------------------------------------------------------------

sceneMesh sceneMakeSoup(uint32_t triangleCount, double size, uint64_t seed)
{
	sceneMesh mesh = sceneMesh_Allocate(3 * (uint64_t)triangleCount, triangleCount);
	sceneRandom random = { seed };
	for (size_t t = 0; t < mesh.triangleCount; ++t)
	{
		double center[3];
		for (int k = 0; k < 3; ++k)
		{
			center[k] = sceneRandom_Range(&random, -1.0, 1.0);
		}
		for (size_t i = 3 * t; i < 3 * t + 3; ++i)
		{
			mesh.triangles[i] = (uint32_t)i;
			for (size_t k = 0; k < 3; ++k)
			{
				mesh.positions[3 * i + k] = (float)(center[k] + sceneRandom_Range(&random, -size, size));
			}
		}
	}
	return mesh;
}

sceneMesh sceneMakeTriangle(void)
{
	static const float positions[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
	sceneMesh mesh = sceneMesh_Allocate(3, 1);
	if (sceneMesh_IsValid(&mesh))
	{
		memcpy(mesh.positions, positions, sizeof(positions));
		StoreTriangle(mesh.triangles, 0, 1, 2);
	}
	return mesh;
}

sceneMesh sceneMakeTetrahedron(void)
{
	static const float positions[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
	static const uint32_t triangles[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
	sceneMesh mesh = sceneMesh_Allocate(4, 4);
	if (sceneMesh_IsValid(&mesh))
	{
		memcpy(mesh.positions, positions, sizeof(positions));
		memcpy(mesh.triangles, triangles, sizeof(triangles));
	}
	return mesh;
}
