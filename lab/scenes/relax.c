#include "lab/scenes/relax.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Neighbours ------------------------------------------------------------------------------------------------

// In a closed mesh each edge is the side of two triangles, once in each direction: the ends of the sides that begin at
// a vertex are its neighbours.
bool sceneNeighbours_Make(sceneNeighbours* neighbours, const sceneMesh* mesh)
{
	size_t sides = 3 * (size_t)mesh->triangleCount;
	neighbours->starts = calloc((size_t)mesh->vertexCount + 2, sizeof(uint32_t));
	neighbours->others = malloc((sides + 1) * sizeof(uint32_t));
	if (neighbours->starts == NULL || neighbours->others == NULL)
	{
		sceneNeighbours_Free(neighbours);
		return false;
	}
	for (size_t i = 0; i < sides; ++i)
	{
		++neighbours->starts[mesh->triangles[i] + 2];
	}
	for (size_t v = 0; v < mesh->vertexCount; ++v)
	{
		neighbours->starts[v + 2] += neighbours->starts[v + 1];
	}
	// Filling moves the start of each vertex, kept one place behind, to where it belongs.
	for (size_t i = 0; i < sides; ++i)
	{
		uint32_t next = mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
		neighbours->others[neighbours->starts[mesh->triangles[i] + 1]++] = next;
	}
	return true;
}

void sceneNeighbours_Free(sceneNeighbours* neighbours)
{
	free(neighbours->starts);
	free(neighbours->others);
	*neighbours = (sceneNeighbours){ 0 };
}

// ---- Turning edges ---------------------------------------------------------------------------------------------

/// A side of a triangle, and the side of another triangle that is the same edge.
typedef struct turner
{
	sceneMesh* mesh;
	uint32_t* twins; // (3 * triangleCount)
} turner;

static uint32_t GetNext(uint32_t side)
{
	return side % 3 == 2 ? side - 2 : side + 1;
}

static void SetTwins(turner* t, uint32_t side, uint32_t twin)
{
	t->twins[side] = twin;
	t->twins[twin] = side;
}

// The cosine of the angle between the normals of two triangles.
static double CompareNormals(const sceneMesh* mesh, uint32_t first, uint32_t second)
{
	double normals[2][3], dots[3] = { 0.0, 0.0, 0.0 };
	for (int i = 0; i < 2; ++i)
	{
		const uint32_t* corners = mesh->triangles + 3 * (size_t)(i == 0 ? first : second);
		double u[3], v[3];
		for (size_t k = 0; k < 3; ++k)
		{
			double from = (double)mesh->positions[3 * (size_t)corners[0] + k];
			u[k] = (double)mesh->positions[3 * (size_t)corners[1] + k] - from;
			v[k] = (double)mesh->positions[3 * (size_t)corners[2] + k] - from;
		}
		for (int k = 0; k < 3; ++k)
		{
			normals[i][k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		dots[0] += normals[0][k] * normals[0][k];
		dots[1] += normals[0][k] * normals[1][k];
		dots[2] += normals[1][k] * normals[1][k];
	}
	return dots[0] > 0.0 && dots[2] > 0.0 ? dots[1] / sqrt(dots[0] * dots[2]) : -1.0;
}

// Where two parts of a surface share an edge of four triangles, those that are more alike go together.
static bool FindTwins(turner* t)
{
	uint32_t sides = 3 * t->mesh->triangleCount, *triangles = t->mesh->triangles;
	uint32_t* firsts = malloc(((size_t)t->mesh->vertexCount + 1) * sizeof(uint32_t));
	uint32_t* nexts = malloc(((size_t)sides + 1) * sizeof(uint32_t));
	bool good = firsts != NULL && nexts != NULL;
	for (uint32_t v = 0; good && v < t->mesh->vertexCount; ++v)
	{
		firsts[v] = UINT32_MAX;
	}
	for (uint32_t i = 0; good && i < sides; ++i)
	{
		nexts[i] = firsts[triangles[i]];
		firsts[triangles[i]] = i;
	}
	for (uint32_t i = 0; good && i < sides; ++i)
	{
		t->twins[i] = UINT32_MAX;
	}
	for (uint32_t i = 0; good && i < sides; ++i)
	{
		double best = -2.0;
		uint32_t twin = UINT32_MAX;
		for (uint32_t k = firsts[triangles[GetNext(i)]]; k != UINT32_MAX && t->twins[i] == UINT32_MAX; k = nexts[k])
		{
			bool isFree = triangles[GetNext(k)] == triangles[i] && t->twins[k] == UINT32_MAX;
			double likeness = isFree ? CompareNormals(t->mesh, i / 3, k / 3) : -2.0;
			twin = likeness > best ? k : twin;
			best = likeness > best ? likeness : best;
		}
		if (twin != UINT32_MAX)
		{
			SetTwins(t, i, twin);
		}
	}
	free(firsts);
	free(nexts);
	return good;
}

// All triangles around the corner where a side begins get another vertex there.
static void MoveFan(const turner* t, uint32_t side, uint32_t vertex, uint8_t* isDone)
{
	uint32_t at = side;
	do
	{
		t->mesh->triangles[at] = vertex;
		isDone[at] = 1;
		at = t->twins[GetNext(GetNext(at))];
	} while (at != side);
}

// Give the second fan of triangles around a vertex, and further ones, a vertex of its own.
static bool SplitVertices(turner* t)
{
	sceneMesh* mesh = t->mesh;
	uint32_t sides = 3 * mesh->triangleCount, count = mesh->vertexCount;
	uint8_t* isDone = calloc((size_t)sides + 1, 1);
	uint8_t* hasFan = calloc((size_t)count + 1, 1);
	// A fan has three triangles at least.
	float* grown = realloc(mesh->positions, 3 * ((size_t)count + mesh->triangleCount) * sizeof(float));
	mesh->positions = grown != NULL ? grown : mesh->positions;
	bool good = isDone != NULL && hasFan != NULL && grown != NULL;
	for (uint32_t i = 0; good && i < sides; ++i)
	{
		uint32_t vertex = mesh->triangles[i];
		if (isDone[i] == 0)
		{
			bool isSecond = hasFan[vertex] != 0;
			memcpy(mesh->positions + 3 * (size_t)mesh->vertexCount, mesh->positions + 3 * (size_t)vertex,
			    3 * sizeof(float));
			MoveFan(t, i, isSecond ? mesh->vertexCount : vertex, isDone);
			mesh->vertexCount += isSecond ? 1 : 0;
			hasFan[vertex] = 1;
		}
	}
	free(isDone);
	free(hasFan);
	return good;
}

int sceneClose(sceneMesh* mesh)
{
	turner t = { .mesh = mesh, .twins = malloc((3 * (size_t)mesh->triangleCount + 1) * sizeof(uint32_t)) };
	bool good = t.twins != NULL && FindTwins(&t), isClosed = good;
	for (uint32_t i = 0; isClosed && i < 3 * mesh->triangleCount; ++i)
	{
		isClosed = t.twins[i] != UINT32_MAX;
	}
	good = isClosed && SplitVertices(&t);
	free(t.twins);
	// Euler's number of a sphere: 2 = vertices - edges + triangles, and two triangles have three edges.
	bool isSphere = 2 * (uint64_t)mesh->vertexCount == (uint64_t)mesh->triangleCount + 4;
	return !good ? -1 : isSphere ? 1 : 0;
}

// The cotangent of the angle at a corner between two others.
static double GetCotangent(const sceneMesh* mesh, uint32_t corner, uint32_t a, uint32_t b)
{
	const float *p = mesh->positions + 3 * (size_t)corner, *q = mesh->positions + 3 * (size_t)a,
	            *r = mesh->positions + 3 * (size_t)b;
	double u[3], v[3], dot = 0.0, cross[3], square = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		u[k] = (double)q[k] - (double)p[k];
		v[k] = (double)r[k] - (double)p[k];
		dot += u[k] * v[k];
	}
	for (int k = 0; k < 3; ++k)
	{
		cross[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
		square += cross[k] * cross[k];
	}
	return square > 0.0 ? dot / sqrt(square) : (dot > 0.0 ? 1e30 : -1e30);
}

static bool AreJoined(const turner* t, uint32_t side, uint32_t vertex)
{
	// Around the vertex where the side begins.
	uint32_t at = side;
	do
	{
		if (t->mesh->triangles[GetNext(at)] == vertex)
		{
			return true;
		}
		at = t->twins[GetNext(GetNext(at))];
	} while (at != side);
	return false;
}

// Turn an edge if the angles that face it are more than half a turn together: then those beside it are less. Not if
// the other diagonal is an edge already, or the two triangles are far from flat.
static bool TurnEdge(turner* t, uint32_t side)
{
	uint32_t twin = t->twins[side], *corners = t->mesh->triangles;
	uint32_t next = GetNext(side), last = GetNext(next), twinNext = GetNext(twin), twinLast = GetNext(twinNext);
	uint32_t a = corners[side], b = corners[next], c = corners[last], d = corners[twinLast];
	double before = GetCotangent(t->mesh, c, a, b) + GetCotangent(t->mesh, d, a, b);
	if (before >= -1e-6 || c == d || AreJoined(t, last, d))
	{
		return false;
	}
	double after = GetCotangent(t->mesh, a, c, d) + GetCotangent(t->mesh, b, c, d);
	if (after <= 0.0)
	{
		return false;
	}
	// Triangles a b c and b a d become d b c and c a d; their outer sides keep their twins.
	uint32_t outerC = t->twins[last], outerD = t->twins[twinLast];
	corners[side] = d;
	corners[twin] = c;
	SetTwins(t, side, outerD);
	SetTwins(t, twin, outerC);
	SetTwins(t, last, twinLast);
	return true;
}

// @return false if there is no memory
static bool TurnEdges(sceneMesh* mesh)
{
	turner t = { .mesh = mesh, .twins = malloc((3 * (size_t)mesh->triangleCount + 1) * sizeof(uint32_t)) };
	bool good = t.twins != NULL && FindTwins(&t), isChanging = true;
	for (int round = 0; good && isChanging && round < 8; ++round)
	{
		isChanging = false;
		for (uint32_t i = 0; i < 3 * mesh->triangleCount; ++i)
		{
			isChanging = TurnEdge(&t, i) || isChanging;
		}
	}
	free(t.twins);
	return good;
}

// ---- Moving vertices -------------------------------------------------------------------------------------------

static void MoveVertex(
    const sceneTubes* tubes, const sceneMesh* mesh, const sceneNeighbours* neighbours, uint32_t vertex, float* to)
{
	double point[3], middle[3] = { 0.0, 0.0, 0.0 }, gradient[3], square = 0.0, along = 0.0;
	uint32_t begin = neighbours->starts[vertex], end = neighbours->starts[vertex + 1];
	for (size_t k = 0; k < 3; ++k)
	{
		point[k] = (double)mesh->positions[3 * (size_t)vertex + k];
		for (uint32_t i = begin; i < end; ++i)
		{
			middle[k] += (double)mesh->positions[3 * (size_t)neighbours->others[i] + k];
		}
		middle[k] = middle[k] / (double)(end - begin) - point[k];
	}
	sceneTubes_Evaluate(tubes, point, gradient);
	for (int k = 0; k < 3; ++k)
	{
		square += gradient[k] * gradient[k];
		along += gradient[k] * middle[k];
	}
	for (int k = 0; k < 3; ++k)
	{
		point[k] += 0.7 * (middle[k] - (square > 0.0 ? along * gradient[k] / square : 0.0));
	}
	sceneTubes_Project(tubes, point);
	for (int k = 0; k < 3; ++k)
	{
		to[k] = (float)point[k];
	}
}

bool sceneRelax(const sceneTubes* tubes, sceneMesh* mesh, int rounds)
{
	sceneNeighbours neighbours = { 0 };
	float* moved = malloc((3 * (size_t)mesh->vertexCount + 1) * sizeof(float));
	bool good = moved != NULL;
	for (int round = 0; good && round < rounds; ++round)
	{
		good = TurnEdges(mesh) && sceneNeighbours_Make(&neighbours, mesh);
		for (uint32_t v = 0; good && v < mesh->vertexCount; ++v)
		{
			MoveVertex(tubes, mesh, &neighbours, v, moved + 3 * (size_t)v);
		}
		if (good)
		{
			memcpy(mesh->positions, moved, 3 * (size_t)mesh->vertexCount * sizeof(float));
		}
		sceneNeighbours_Free(&neighbours);
	}
	free(moved);
	return good && TurnEdges(mesh);
}
