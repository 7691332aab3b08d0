#include "program/check/near.h"

#include "io/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void cliNear_Clear(cliNear* near)
{
	near->distanceCount = 0;
	near->curveCount = 0;
	near->betweenCount = 0;
	near->stray = 0.0;
	near->insideCount = 0;
	near->vertexCount = 0;
	near->pointCount = 0;
	near->pairCount = 0;
	near->loose = 0;
}

void cliNear_Free(cliNear* near)
{
	free(near->distances);
	free(near->curves);
	free(near->points);
	free(near->pairs);
	free(near->between);
	free(near->insides);
	free(near->vertices);
	snugContactBuffer_Destroy(near->buffer);
	*near = (cliNear){ .loose = 0 };
}

bool cliNear_AddDistance(cliNear* near, cliStage* stage, int a, int b)
{
	stage->telling = a;
	snugDistanceResult result = snugFindDistance(stage->bodies[a], stage->bodies[b], NULL);
	bool grown = ioGrow(&near->distances, &near->distanceCapacity, near->distanceCount + 1, sizeof(cliDistance));
	if (!cliStage_Check(stage, a, grown ? result.status : snug_outOfMemory))
	{
		return false;
	}
	cliDistance* distance = near->distances + near->distanceCount++;
	*distance = (cliDistance){ { a, b }, { result.a, result.b }, result.distance, { { 0 } } };
	memcpy(distance->points[0], result.pointA, sizeof(result.pointA));
	memcpy(distance->points[1], result.pointB, sizeof(result.pointB));
	return true;
}

// Appended to the list of all, which has room.
static uint64_t ListOwn(const snugPointSide* sides, uint32_t count, snugVertexDepth* list)
{
	uint64_t found = 0;
	for (uint32_t v = 0; v < count; ++v)
	{
		if (sides[v].side != snug_outside)
		{
			list[found++] = (snugVertexDepth){ .vertex = v };
		}
	}
	return found;
}

bool cliNear_AddInside(cliNear* near, cliStage* stage, int body, int outer)
{
	const uint32_t count = stage->scene->parts[body].vertexCount;
	snugPointSide* sides = body == outer ? malloc(count * sizeof(snugPointSide) + 1) : NULL;
	bool grown = ioGrow(&near->insides, &near->insideCapacity, near->insideCount + 1, sizeof(cliInside)) &&
	             ioGrow(&near->vertices, &near->vertexCapacity, near->vertexCount + count, sizeof(snugVertexDepth));
	snugResult result = { .status = snug_outOfMemory };
	snugVertexDepth* list = near->vertices + near->vertexCount;
	stage->telling = body;
	if (grown && body != outer)
	{
		result = snugFindVertexDepths(stage->bodies[body], stage->bodies[outer], list, count, NULL);
	}
	else if (grown && sides != NULL)
	{
		result = snugFindSelfInside(stage->bodies[body], sides, NULL);
		result.count = result.status == snug_success ? ListOwn(sides, count, list) : 0;
	}
	free(sides);
	if (result.status == snug_success && result.count > 0)
	{
		cliInside inside = { { body, outer }, near->vertexCount, (size_t)result.count, 0.0 };
		for (size_t i = 0; i < inside.count; ++i)
		{
			inside.depth = list[i].depth > inside.depth ? list[i].depth : inside.depth;
		}
		near->insides[near->insideCount++] = inside;
		near->vertexCount += inside.count;
	}
	return cliStage_Check(stage, body, result.status);
}

static bool IsListed(const cliNear* near, int a, int b)
{
	bool isListed = false;
	for (size_t i = 0; i < near->betweenCount; ++i)
	{
		isListed = isListed || (near->between[i].bodies[0] == a && near->between[i].bodies[1] == b);
	}
	return isListed;
}

// What met in the frame before is listed without a time until the way has ended.
bool cliNear_AddBetween(cliNear* near, cliStage* before, cliStage* stage, int a, int b, double margin)
{
	if (IsListed(near, a, b))
	{
		return true;
	}
	const snugSweepQuery query = { .margin = margin };
	stage->telling = before->telling = a;
	const snugSweepResult result =
	    snugSweep(before->bodies[a], stage->bodies[a], before->bodies[b], stage->bodies[b], &query);
	bool grown = ioGrow(&near->between, &near->betweenCapacity, near->betweenCount + 1, sizeof(cliBetween));
	if (!cliStage_Check(stage, a, grown ? result.status : snug_outOfMemory))
	{
		return false;
	}
	const bool isSure = result.answer == snug_sweepMeets, metBefore = isSure && result.latest == 0.0;
	if (result.answer != snug_sweepFree)
	{
		cliBetween* between = near->between + near->betweenCount++;
		*between = (cliBetween){ { a, b }, { result.a, result.b },
			metBefore ? (double)NAN : (1.0 - result.time) * before->time + result.time * stage->time, isSure, { 0 } };
		memcpy(between->position, result.position, sizeof(result.position));
	}
	return true;
}

static int CompareBetween(const void* one, const void* other)
{
	const cliBetween *x = one, *y = other;
	return x->bodies[0] != y->bodies[0] ? x->bodies[0] - y->bodies[0] : x->bodies[1] - y->bodies[1];
}

void cliNear_EndBetween(cliNear* near)
{
	size_t count = 0;
	for (size_t i = 0; i < near->betweenCount; ++i)
	{
		if (!isnan(near->between[i].time))
		{
			near->between[count++] = near->between[i];
		}
	}
	near->betweenCount = count;
	if (count > 0)
	{
		qsort(near->between, count, sizeof(cliBetween), CompareBetween);
	}
}

const cliDistance* cliNear_GetLeast(const cliNear* near)
{
	const cliDistance* least = NULL;
	for (size_t i = 0; i < near->distanceCount; ++i)
	{
		least = least == NULL || near->distances[i].distance < least->distance ? near->distances + i : least;
	}
	return least;
}

static bool MakeRoom(cliNear* near, uint64_t pairs)
{
	if (pairs <= near->room)
	{
		return true;
	}
	snugContactBuffer_Destroy(near->buffer);
	near->buffer = NULL;
	near->room = 0;
	uint64_t capacity = pairs + pairs / 2;
	capacity = capacity < UINT32_MAX ? capacity : pairs;
	if (capacity > UINT32_MAX || snugContactBuffer_Create(&(snugContactBufferDef){ .capacity = (uint32_t)capacity },
	                                 &near->buffer) != snug_success)
	{
		return false;
	}
	near->room = capacity;
	return true;
}

double cliCurve_GetNewDepth(const cliCurve* curve)
{
	return curve->depth < curve->depthBefore ? 0.0 : curve->depth - curve->depthBefore;
}

double cliNear_GetDepth(const cliNear* near)
{
	double depth = 0.0;
	for (size_t i = 0; i < near->curveCount; ++i)
	{
		const double own = cliCurve_GetNewDepth(near->curves + i);
		depth = own > depth ? own : depth;
	}
	return depth;
}

static bool AddCurve(cliNear* near, int a, int b, const snugContactResult* found, uint32_t which)
{
	const snugCurve* curve = found->curves + which;
	if (!ioGrow(&near->curves, &near->curveCapacity, near->curveCount + 1, sizeof(cliCurve)) ||
	    !ioGrow(&near->points, &near->pointCapacity, near->pointCount + curve->pointCount, 3 * sizeof(float)) ||
	    !ioGrow(&near->pairs, &near->pairCapacity, near->pairCount + curve->contactCount, sizeof(snugPair)))
	{
		return false;
	}
	near->curves[near->curveCount++] = (cliCurve){ { a, b }, near->pointCount, curve->pointCount, near->pairCount,
		curve->contactCount, *curve, found->depths[which], 0.0 };
	for (uint32_t i = 0; i < curve->pointCount; ++i)
	{
		const snugContactPoint* point = found->points + found->curvePoints[curve->firstPoint + i];
		memcpy(near->points + 3 * near->pointCount++, point->position, 3 * sizeof(float));
	}
	for (uint32_t i = 0; i < curve->contactCount; ++i)
	{
		const snugContact* contact = found->contacts + found->curveContacts[curve->firstContact + i];
		const bool isTurned = a == b && contact->b < contact->a;
		near->pairs[near->pairCount++] =
		    isTurned ? (snugPair){ contact->b, contact->a } : (snugPair){ contact->a, contact->b };
	}
	return true;
}

static snugContactResult Ask(cliNear* near, cliStage* stage, int a, int b)
{
	const snugContactQuery query = { .depths = true, .keepRest = true };
	return a == b ? snugFindSelfContacts(stage->bodies[a], near->buffer, &query)
	              : snugFindContacts(stage->bodies[a], stage->bodies[b], near->buffer, &query);
}

// The room that an answer lacked, or none.
static uint64_t FindNeeded(const cliStage* stage, int a, int b, const snugContactResult* found)
{
	const uint64_t ofA = stage->scene->parts[a].vertexCount, ofB = stage->scene->parts[b].vertexCount;
	bool isFull = false;
	for (uint32_t i = 0; found->depths != NULL && i < found->curveCount; ++i)
	{
		isFull = isFull || isnan(found->depths[i]);
	}
	return found->status != snug_success ? 0 : !isFull ? found->count : ofA > ofB ? ofA : ofB;
}

bool cliNear_AddCurves(cliNear* near, cliStage* stage, int a, int b, uint64_t pairs)
{
	stage->telling = a;
	bool added = MakeRoom(near, pairs);
	snugContactResult found = { .status = snug_success };
	found = added ? Ask(near, stage, a, b) : found;
	// Depths need room for the vertices behind curves, however many other frames needed.
	for (uint64_t needed = FindNeeded(stage, a, b, &found); added && needed > near->room;
	     needed = FindNeeded(stage, a, b, &found))
	{
		added = MakeRoom(near, needed);
		found = added ? Ask(near, stage, a, b) : found;
	}
	if (!cliStage_Check(stage, a, found.status))
	{
		return false;
	}
	added = added && found.complete;
	for (uint32_t i = 0; added && i < found.curveCount; ++i)
	{
		added = AddCurve(near, a, b, &found, i);
	}
	return cliStage_Check(stage, a, added ? snug_success : snug_outOfMemory);
}
