// src/query/vertex_depths.c: which vertices of a body are inside another one, and how deep: snugFindInside of all, and
// snugFindClosest of those that are.
#include "body/body.h"
#include "snug/snug_queries.h"

#include <string.h>

/// Vertices that are asked about in one go.
enum
{
	BLOCK = 256
};

/// Some vertices, one after the other.
typedef struct Block
{
	uint32_t first, count;
	float positions[BLOCK][3];
	snugPointSide sides[BLOCK];
	float inside[BLOCK][3]; ///< those that are not outside, and which of the block they are
	uint32_t which[BLOCK];
	uint32_t insideCount;
	snugClosest closest[BLOCK];
} Block;

static snugStatus GatherBlock(Block* block, snugBody* body, const double origin[3], snugCounters* counters)
{
	uint32_t numbers[BLOCK];
	for (uint32_t i = 0; i < block->count; ++i)
	{
		numbers[i] = block->first + i;
	}
	return sgBody_GatherVertices(
	    body, origin, numbers, block->count, block->positions[0], sizeof(block->positions[0]), counters);
}

static void ListInside(Block* block)
{
	block->insideCount = 0;
	for (uint32_t i = 0; i < block->count; ++i)
	{
		if (block->sides[i].side != snug_outside)
		{
			memcpy(block->inside[block->insideCount], block->positions[i], sizeof(block->positions[i]));
			block->which[block->insideCount++] = i;
		}
	}
}

static void Write(const Block* block, snugVertexDepth* depths, uint64_t capacity, uint64_t before)
{
	for (uint32_t i = 0; i < block->insideCount && before + i < capacity; ++i)
	{
		const snugClosest* closest = block->closest + i;
		snugVertexDepth* depth = depths + before + i;
		*depth = (snugVertexDepth){
			.depth = closest->distance, .vertex = block->first + block->which[i], .triangle = closest->triangle
		};
		memcpy(depth->position, closest->position, sizeof(depth->position));
		memcpy(depth->normal, closest->normal, sizeof(depth->normal));
	}
}

static snugStatus AskBlock(
    Block* block, snugBody* body, snugBody* outer, const snugDistanceQuery* query, snugCounters* counters)
{
	snugStatus status = GatherBlock(block, body, query->origin, counters);
	if (status != snug_success)
	{
		return status;
	}
	snugResult sides = snugFindInside(outer, block->positions[0], 0, block->count, block->sides, query->origin);
	sgCounters_Add(counters, &sides.counters);
	if (sides.status != snug_success)
	{
		return sides.status;
	}
	ListInside(block);
	snugResult closest = snugFindClosest(outer, block->inside[0], 0, block->insideCount, block->closest, query);
	sgCounters_Add(counters, &closest.counters);
	return closest.status;
}

snugResult snugFindVertexDepths(
    snugBody* body, snugBody* outer, snugVertexDepth* depths, uint64_t capacity, const snugDistanceQuery* query)
{
	static const snugDistanceQuery defaults = { .maxDistance = 0.0 };
	const snugResult misuse = { .status = snug_badArgument };
	query = query != NULL ? query : &defaults;
	SG_REQUIRE(body != NULL && outer != NULL && body != outer, misuse);
	SG_REQUIRE(depths != NULL || capacity == 0, misuse);
	SG_REQUIRE_RESERVED(query, misuse);
	SG_REQUIRE(sgIsFinitePoint(query->origin) && query->maxDistance >= 0.0, misuse);
	const uint32_t vertexCount = body->model->tree.vertexCount;
	snugResult result = { .status = snug_success };
	Block block; // not zeroed
	for (uint32_t first = 0; first < vertexCount && result.status == snug_success; first += BLOCK)
	{
		block.first = first;
		block.count = vertexCount - first < BLOCK ? vertexCount - first : BLOCK;
		result.status = AskBlock(&block, body, outer, query, &result.counters);
		if (result.status == snug_success)
		{
			Write(&block, depths, capacity, result.count);
			result.count += block.insideCount;
		}
	}
	result.complete = result.status == snug_success;
	return result;
}
