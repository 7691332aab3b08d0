#include "solvers/voxels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Cells hang together if they share a face: bricks that share but an edge could turn about it freely.

typedef struct joiner
{
	simVoxels* voxels;
	size_t gridSize;
	uint32_t* region;   // of each cell, from 1; 0 if it does not exist
	uint32_t* distance; // from the first region, in steps; UINT32_MAX: not reached
	size_t* from;       // the cell that it was reached from
	size_t* queue;
	uint32_t regionCount;
} joiner;

// Neighbours of a cell through its faces. @return how many
static int FindNeighbours(const simVoxels* voxels, size_t cell, size_t neighbours[6])
{
	size_t stride[3] = { 1, voxels->size[0], (size_t)voxels->size[0] * voxels->size[1] };
	int count = 0;
	for (int k = 0; k < 3; ++k)
	{
		size_t place = cell / stride[k] % voxels->size[k];
		if (place > 0)
		{
			neighbours[count++] = cell - stride[k];
		}
		if (place + 1 < voxels->size[k])
		{
			neighbours[count++] = cell + stride[k];
		}
	}
	return count;
}

static void NumberRegion(joiner* j, size_t seed)
{
	size_t head = 0, tail = 0, neighbours[6];
	j->region[seed] = ++j->regionCount;
	j->queue[tail++] = seed;
	while (head < tail)
	{
		size_t cell = j->queue[head++];
		int count = FindNeighbours(j->voxels, cell, neighbours);
		for (int i = 0; i < count; ++i)
		{
			size_t next = neighbours[i];
			if (j->voxels->exists[next] && j->region[next] == 0)
			{
				j->region[next] = j->regionCount;
				j->queue[tail++] = next;
			}
		}
	}
}

static void NumberRegions(joiner* j)
{
	j->regionCount = 0;
	memset(j->region, 0, j->gridSize * sizeof(uint32_t));
	for (size_t i = 0; i < j->gridSize; ++i)
	{
		if (j->voxels->exists[i] && j->region[i] == 0)
		{
			NumberRegion(j, i);
		}
	}
}

// Go outwards from the first region, through nothing, until another one is met.
// @return the cell that was met, or gridSize if there is none within the gap
static size_t FindOther(joiner* j, uint32_t gap)
{
	size_t head = 0, tail = 0, neighbours[6];
	for (size_t i = 0; i < j->gridSize; ++i)
	{
		j->distance[i] = j->region[i] == 1 ? 0 : UINT32_MAX;
		if (j->region[i] == 1)
		{
			j->queue[tail++] = i;
		}
	}
	while (head < tail)
	{
		size_t cell = j->queue[head++];
		if (j->region[cell] > 1)
		{
			return cell;
		}
		int count = j->distance[cell] <= gap ? FindNeighbours(j->voxels, cell, neighbours) : 0;
		for (int i = 0; i < count; ++i)
		{
			size_t next = neighbours[i];
			if (j->distance[next] == UINT32_MAX)
			{
				j->distance[next] = j->distance[cell] + 1;
				j->from[next] = cell;
				j->queue[tail++] = next;
			}
		}
	}
	return j->gridSize;
}

// Fill the way back to the first region, and let the region that was met be part of it.
static void Bridge(joiner* j, size_t met)
{
	simVoxels* voxels = j->voxels;
	uint32_t other = j->region[met];
	for (size_t cell = j->from[met]; j->region[cell] != 1; cell = j->from[cell])
	{
		voxels->exists[cell] = true;
		voxels->fill[cell] = UINT64_MAX;
		++voxels->cellCount;
		++voxels->bridgeCount;
		j->region[cell] = other;
	}
	// Other regions may touch the bridge: numbering anew is simplest, and there are few bridges.
	NumberRegions(j);
}

// By the triangles that begin in it.
static void DescribeRegion(const joiner* j, const simMesh* mesh, uint32_t region, char* text, size_t size)
{
	uint32_t count = 0, first = 0;
	for (uint32_t t = mesh->triangleCount; t-- > 0;)
	{
		uint32_t c[3];
		simVoxels_FindCell(j->voxels, mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)t], c);
		bool inside = j->region[simVoxels_Index(j->voxels, c[0], c[1], c[2])] == region;
		count += inside;
		first = inside ? t : first;
	}
	snprintf(text, size, "one has %u triangles from number %u on", count, first);
}

static bool FailToJoin(const joiner* j, const simMesh* mesh, uint32_t gap, simError* error)
{
	char first[80], second[80];
	DescribeRegion(j, mesh, 1, first, sizeof(first));
	DescribeRegion(j, mesh, 2, second, sizeof(second));
	return simError_Set(error,
	    "the mesh falls into %u parts, more than %u cells apart: %s, %s%s. Fewer, larger cells may join them",
	    j->regionCount, gap, first, second, j->regionCount > 2 ? ", and so on" : "");
}

bool simVoxels_Join(simVoxels* voxels, const simMesh* mesh, uint32_t gap, simError* error)
{
	size_t count = (size_t)voxels->size[0] * voxels->size[1] * voxels->size[2];
	joiner j = { .voxels = voxels,
		.gridSize = count,
		.region = malloc(count * sizeof(uint32_t)),
		.distance = malloc(count * sizeof(uint32_t)),
		.from = malloc(count * sizeof(size_t)),
		.queue = malloc(count * sizeof(size_t)) };
	bool good = j.region != NULL && j.distance != NULL && j.from != NULL && j.queue != NULL;
	if (!good)
	{
		simError_SetMemory(error);
	}
	else
	{
		NumberRegions(&j);
	}
	while (good && j.regionCount > 1)
	{
		size_t met = FindOther(&j, gap);
		good = met < count || FailToJoin(&j, mesh, gap, error);
		if (good)
		{
			Bridge(&j, met);
		}
	}
	free(j.region);
	free(j.distance);
	free(j.from);
	free(j.queue);
	return good;
}
