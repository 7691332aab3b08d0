#include "papers/meshless/spatial_hash.h"

#include "geometry/triangle.h"

#include <math.h>
#include <stdlib.h>

#define MAX_CELLS 1023u // per axis: three numbers make one of 30 bits

typedef struct hashBox
{
	float lower[3];
	float upper[3];
} hashBox;

/// A triangle that reaches into the shared part, and the cells that its box touches there.
typedef struct hashTriangle
{
	hashBox box;
	uint16_t first[3];
	uint16_t last[3];
	uint32_t triangle;
} hashTriangle;

typedef struct hashEntry
{
	uint32_t cell;
	uint32_t index; // in triangles[0]
} hashEntry;

/// Valid only if the stamp is the table's.
typedef struct hashBucket
{
	uint32_t stamp;
	uint32_t count;
	uint32_t start; // in entries
} hashBucket;

typedef struct hashSide
{
	const bruteMesh* mesh;
	hashTriangle* triangles;
	size_t count, capacity;
} hashSide;

struct spatialHash
{
	hashSide sides[2];
	hashBucket* buckets;
	uint32_t bucketCount; // a power of two
	uint32_t stamp;
	uint32_t* touched; // buckets with the current stamp
	uint32_t touchedCount;
	hashEntry* entries;
	size_t entryCount, entryCapacity;
	float origin[3];
	float inverse; // of the cell's size
	uint32_t cells[3];
};

spatialHash* spatialHash_Create(void)
{
	return calloc(1, sizeof(spatialHash));
}

void spatialHash_Destroy(spatialHash* hash)
{
	if (hash != NULL)
	{
		free(hash->sides[0].triangles);
		free(hash->sides[1].triangles);
		free(hash->buckets);
		free(hash->touched);
		free(hash->entries);
		free(hash);
	}
}

double spatialHash_GetMeanEdge(const bruteMesh* mesh)
{
	double sum = 0.0;
	for (size_t i = 0; i < 3 * (size_t)mesh->triangleCount; ++i)
	{
		const float* p = mesh->positions + 3 * (size_t)mesh->triangles[i];
		const float* q = mesh->positions + 3 * (size_t)mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
		double x = (double)p[0] - (double)q[0], y = (double)p[1] - (double)q[1], z = (double)p[2] - (double)q[2];
		sum += sqrt(x * x + y * y + z * z);
	}
	return mesh->triangleCount > 0 ? sum / (3.0 * mesh->triangleCount) : 0.0;
}

static float Smaller(float a, float b)
{
	return a < b ? a : b;
}

static float Larger(float a, float b)
{
	return a > b ? a : b;
}

static hashBox BoxOfTriangle(const bruteMesh* mesh, size_t triangle)
{
	const uint32_t* corners = mesh->triangles + 3 * triangle;
	const float* a = mesh->positions + 3 * (size_t)corners[0];
	const float* b = mesh->positions + 3 * (size_t)corners[1];
	const float* c = mesh->positions + 3 * (size_t)corners[2];
	hashBox box;
	for (int k = 0; k < 3; ++k)
	{
		box.lower[k] = Smaller(Smaller(a[k], b[k]), c[k]);
		box.upper[k] = Larger(Larger(a[k], b[k]), c[k]);
	}
	return box;
}

static bool Overlap(const hashBox* a, const hashBox* b)
{
	return a->lower[0] <= b->upper[0] && b->lower[0] <= a->upper[0] && a->lower[1] <= b->upper[1] &&
	       b->lower[1] <= a->upper[1] && a->lower[2] <= b->upper[2] && b->lower[2] <= a->upper[2];
}

// The box of everything that triangles use.
static hashBox BoxOfMesh(const bruteMesh* mesh)
{
	hashBox box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
	for (size_t i = 0; i < 3 * (size_t)mesh->triangleCount; ++i)
	{
		const float* p = mesh->positions + 3 * (size_t)mesh->triangles[i];
		for (int k = 0; k < 3; ++k)
		{
			box.lower[k] = Smaller(box.lower[k], p[k]);
			box.upper[k] = Larger(box.upper[k], p[k]);
		}
	}
	return box;
}

// Origin and size of the grid from the part that both bodies share; false if there is none.
static bool PlaceGrid(spatialHash* hash, const bruteMesh* a, const bruteMesh* b, double cellSize, hashBox* shared)
{
	hashBox boxes[2] = { BoxOfMesh(a), BoxOfMesh(b) };
	double longest = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		shared->lower[k] = Larger(boxes[0].lower[k], boxes[1].lower[k]);
		shared->upper[k] = Smaller(boxes[0].upper[k], boxes[1].upper[k]);
		if (!(shared->lower[k] <= shared->upper[k]))
		{
			return false;
		}
		longest = fmax(longest, (double)shared->upper[k] - (double)shared->lower[k]);
	}
	cellSize = fmax(fmax(cellSize, longest / (double)(MAX_CELLS - 1)), 1e-30);
	hash->inverse = (float)(1.0 / cellSize);
	for (int k = 0; k < 3; ++k)
	{
		double length = (double)shared->upper[k] - (double)shared->lower[k];
		double cells = floor(length / cellSize) + 1.0;
		hash->origin[k] = shared->lower[k];
		hash->cells[k] = cells < (double)MAX_CELLS ? (uint32_t)cells : MAX_CELLS;
	}
	return true;
}

// Monotone in x: rounding is, and so is cutting off.
static uint16_t CellOf(const spatialHash* hash, int axis, float x)
{
	float cell = (x - hash->origin[axis]) * hash->inverse, last = (float)(hash->cells[axis] - 1);
	return (uint16_t)(cell > 0.0f ? Smaller(cell, last) : 0.0f);
}

// The triangles of one body that reach into the shared part.
static bool CollectTriangles(spatialHash* hash, int side, const bruteMesh* mesh, const hashBox* shared)
{
	hashSide* s = hash->sides + side;
	s->mesh = mesh;
	s->count = 0;
	if (s->capacity < mesh->triangleCount)
	{
		free(s->triangles);
		s->triangles = malloc((size_t)mesh->triangleCount * sizeof(hashTriangle));
		s->capacity = s->triangles != NULL ? mesh->triangleCount : 0;
		if (s->triangles == NULL)
		{
			return false;
		}
	}
	for (size_t t = 0; t < mesh->triangleCount; ++t)
	{
		hashBox box = BoxOfTriangle(mesh, t);
		if (!Overlap(&box, shared))
		{
			continue;
		}
		hashTriangle* out = s->triangles + s->count++;
		out->box = box;
		out->triangle = (uint32_t)t;
		for (int k = 0; k < 3; ++k)
		{
			out->first[k] = CellOf(hash, k, box.lower[k]);
			out->last[k] = CellOf(hash, k, box.upper[k]);
		}
	}
	return true;
}

static uint32_t CountCells(const hashTriangle* t)
{
	return (uint32_t)(t->last[0] - t->first[0] + 1) * (uint32_t)(t->last[1] - t->first[1] + 1) *
	       (uint32_t)(t->last[2] - t->first[2] + 1);
}

static hashBucket* BucketOf(const spatialHash* hash, uint32_t x, uint32_t y, uint32_t z)
{
	return hash->buckets + (((x * 73856093u) ^ (y * 19349663u) ^ (z * 83492791u)) & (hash->bucketCount - 1));
}

static uint32_t NumberOf(uint32_t x, uint32_t y, uint32_t z)
{
	return x | y << 10 | z << 20;
}

static bool MakeRoom(spatialHash* hash)
{
	size_t entries = 0, wanted = 1024;
	for (size_t i = 0; i < hash->sides[0].count; ++i)
	{
		entries += CountCells(hash->sides[0].triangles + i);
	}
	while (wanted < entries && wanted < (1u << 26))
	{
		wanted *= 2;
	}
	if (entries > hash->entryCapacity)
	{
		free(hash->entries);
		hash->entries = malloc(entries * sizeof(hashEntry));
		hash->entryCapacity = hash->entries != NULL ? entries : 0;
	}
	if (wanted > hash->bucketCount)
	{
		free(hash->buckets);
		free(hash->touched);
		hash->buckets = calloc(wanted, sizeof(hashBucket));
		hash->touched = malloc(wanted * sizeof(uint32_t));
		hash->bucketCount = hash->buckets != NULL && hash->touched != NULL ? (uint32_t)wanted : 0;
	}
	hash->entryCount = entries;
	return hash->bucketCount > 0 && hash->entryCapacity >= entries;
}

/// What to do with each cell that a triangle of the first body touches.
typedef enum loadPass
{
	load_count,
	load_fill,
} loadPass;

static void LoadTriangle(spatialHash* hash, uint32_t index, loadPass pass)
{
	const hashTriangle* t = hash->sides[0].triangles + index;
	for (uint32_t z = t->first[2]; z <= t->last[2]; ++z)
	{
		for (uint32_t y = t->first[1]; y <= t->last[1]; ++y)
		{
			for (uint32_t x = t->first[0]; x <= t->last[0]; ++x)
			{
				hashBucket* bucket = BucketOf(hash, x, y, z);
				if (pass == load_fill)
				{
					hash->entries[bucket->start + bucket->count++] = (hashEntry){ NumberOf(x, y, z), index };
					continue;
				}
				if (bucket->stamp != hash->stamp)
				{
					*bucket = (hashBucket){ .stamp = hash->stamp };
					hash->touched[hash->touchedCount++] = (uint32_t)(bucket - hash->buckets);
				}
				++bucket->count;
			}
		}
	}
}

bool spatialHash_Load(spatialHash* hash, const bruteMesh* a, const bruteMesh* b, double cellSize)
{
	hashBox shared;
	hash->sides[0].count = hash->sides[1].count = 0;
	hash->entryCount = 0;
	hash->touchedCount = 0;
	if (!PlaceGrid(hash, a, b, cellSize, &shared))
	{
		return true;
	}
	if (!CollectTriangles(hash, 0, a, &shared) || !CollectTriangles(hash, 1, b, &shared) || !MakeRoom(hash))
	{
		hash->sides[0].count = hash->sides[1].count = 0;
		return false;
	}
	++hash->stamp;
	uint32_t count = (uint32_t)hash->sides[0].count, start = 0;
	for (uint32_t i = 0; i < count; ++i)
	{
		LoadTriangle(hash, i, load_count);
	}
	for (uint32_t i = 0; i < hash->touchedCount; ++i)
	{
		hashBucket* bucket = hash->buckets + hash->touched[i];
		bucket->start = start;
		start += bucket->count;
		bucket->count = 0;
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		LoadTriangle(hash, i, load_fill);
	}
	return true;
}

/// A query under way.
typedef struct hashQuery
{
	const spatialHash* hash;
	snugPair* pairs;
	uint64_t capacity;
	uint64_t count;
	spatialHashCounters counters;
} hashQuery;

static void TestPair(hashQuery* q, const hashTriangle* a, const hashTriangle* b)
{
	float p[3][3], r[3][3];
	++q->counters.triangleTests;
	bruteMesh_GetCorners(q->hash->sides[0].mesh, a->triangle, p);
	bruteMesh_GetCorners(q->hash->sides[1].mesh, b->triangle, r);
	if (!sgTriangles_Intersect((const float(*)[3])p, (const float(*)[3])r))
	{
		return;
	}
	if (q->count < q->capacity)
	{
		q->pairs[q->count] = (snugPair){ a->triangle, b->triangle };
	}
	++q->count;
}

// Test a triangle against those of one cell, leaving out pairs that have met in an earlier cell.
static void LookUp(hashQuery* q, const hashTriangle* b, uint32_t x, uint32_t y, uint32_t z)
{
	const spatialHash* hash = q->hash;
	const hashBucket* bucket = BucketOf(hash, x, y, z);
	++q->counters.lookups;
	if (bucket->stamp != hash->stamp)
	{
		return;
	}
	uint32_t cell = NumberOf(x, y, z);
	for (uint32_t i = bucket->start; i < bucket->start + bucket->count; ++i)
	{
		if (hash->entries[i].cell != cell)
		{
			continue;
		}
		const hashTriangle* a = hash->sides[0].triangles + hash->entries[i].index;
		++q->counters.boxTests;
		bool isFirst = (a->first[0] == x || b->first[0] == x) && (a->first[1] == y || b->first[1] == y) &&
		               (a->first[2] == z || b->first[2] == z);
		if (isFirst && Overlap(&a->box, &b->box))
		{
			TestPair(q, a, b);
		}
	}
}

uint64_t spatialHash_Query(spatialHash* hash, snugPair* pairs, uint64_t capacity, spatialHashCounters* counters)
{
	hashQuery q = { .hash = hash, .pairs = pairs, .capacity = capacity };
	q.counters.entries = hash->entryCount;
	// The first body may have nothing in the shared part, and then there is no table yet.
	for (size_t i = 0; hash->entryCount > 0 && i < hash->sides[1].count; ++i)
	{
		const hashTriangle* b = hash->sides[1].triangles + i;
		for (uint32_t z = b->first[2]; z <= b->last[2]; ++z)
		{
			for (uint32_t y = b->first[1]; y <= b->last[1]; ++y)
			{
				for (uint32_t x = b->first[0]; x <= b->last[0]; ++x)
				{
					LookUp(&q, b, x, y, z);
				}
			}
		}
	}
	if (q.count > 1)
	{
		qsort(pairs, (size_t)(q.count < capacity ? q.count : capacity), sizeof(snugPair), bruteComparePairs);
	}
	if (counters != NULL)
	{
		*counters = q.counters;
	}
	return q.count;
}
