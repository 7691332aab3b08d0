#include "program/check/tally.h"

#include "io/grow.h"
#include "program/check/kept.h"

#include <stdlib.h>
#include <string.h>

void cliTally_Begin(cliTally* tally, const cliRegions* regions)
{
	*tally = (cliTally){ .regions = regions, .deeperThan = -1.0, .longerThan = -1.0 };
}

void cliTally_Free(cliTally* tally)
{
	free(tally->frames);
	free(tally->between);
	free(tally->touches);
	free(tally->now);
	free(tally->keys);
	*tally = (cliTally){ .regions = NULL };
}

// ---- Touches of one frame --------------------------------------------------------------------------------------

static bool AddNow(cliTally* tally, uint64_t key, uint64_t pairs)
{
	if (!ioGrow(&tally->now, &tally->nowCapacity, tally->nowCount + 1, sizeof(cliTouch)))
	{
		return false;
	}
	uint64_t frame = tally->frameCount;
	tally->now[tally->nowCount++] =
	    (cliTouch){ { (uint32_t)(key >> 32), (uint32_t)key }, pairs, 1, frame, frame, pairs, frame, 0.0 };
	return true;
}

// Touches of a frame, by regions.
static bool FindTouches(cliTally* tally, const cliContacts* contacts)
{
	tally->nowCount = 0;
	if (contacts->count > tally->keyCapacity)
	{
		free(tally->keys);
		tally->keys = malloc((size_t)contacts->count * sizeof(uint64_t));
		tally->keyCapacity = tally->keys != NULL ? contacts->count : 0;
		if (tally->keys == NULL)
		{
			return false;
		}
	}
	for (uint64_t i = 0; i < contacts->count; ++i)
	{
		tally->keys[i] = cliRegions_GetKey(tally->regions, contacts->pairs + i);
	}
	if (contacts->count > 0)
	{
		qsort(tally->keys, (size_t)contacts->count, sizeof(uint64_t), cliCompareKeys);
	}
	bool added = true;
	for (uint64_t i = 0, next; added && i < contacts->count; i = next)
	{
		for (next = i + 1; next < contacts->count && tally->keys[next] == tally->keys[i]; ++next)
		{
		}
		added = AddNow(tally, tally->keys[i], next - i);
	}
	return added;
}

static int CompareRegions(const cliTouch* x, const cliTouch* y)
{
	return x->regions[0] != y->regions[0] ? (x->regions[0] < y->regions[0] ? -1 : 1)
	                                      : (x->regions[1] > y->regions[1]) - (x->regions[1] < y->regions[1]);
}

static int CompareTouches(const void* first, const void* second)
{
	return CompareRegions(first, second);
}

// How deep they are. They are sorted by keys.
static void FindDepths(cliTally* tally, const cliContacts* contacts)
{
	for (uint64_t i = 0; i < contacts->count; ++i)
	{
		const cliPair* pair = contacts->pairs + i;
		const uint64_t key = pair->depth > 0.0 ? cliRegions_GetKey(tally->regions, pair) : 0;
		const cliTouch wanted = { { (uint32_t)(key >> 32), (uint32_t)key }, 0, 0, 0, 0, 0, 0, 0.0 };
		cliTouch* touch =
		    pair->depth > 0.0 ? bsearch(&wanted, tally->now, tally->nowCount, sizeof(cliTouch), CompareTouches) : NULL;
		if (touch != NULL && pair->depth > touch->depth)
		{
			touch->depth = pair->depth;
		}
	}
}

// ---- Touches of all frames -------------------------------------------------------------------------------------

static int CompareWeights(const void* first, const void* second)
{
	const cliTouch *x = first, *y = second;
	if (x->depth != y->depth)
	{
		return x->depth > y->depth ? -1 : 1;
	}
	return x->pairs != y->pairs ? (x->pairs > y->pairs ? -1 : 1) : CompareRegions(x, y);
}

static void Merge(cliTouch* into, const cliTouch* touch)
{
	into->pairs += touch->pairs;
	into->frames += touch->frames;
	into->lastFrame = touch->lastFrame;
	into->depth = touch->depth > into->depth ? touch->depth : into->depth;
	if (touch->mostPairs > into->mostPairs)
	{
		into->mostPairs = touch->mostPairs;
		into->mostFrame = touch->mostFrame;
	}
}

// Merge two lists that are sorted by regions, from the back, in place.
static bool AddTouches(cliTally* tally)
{
	size_t most = tally->touchCount + tally->nowCount;
	if (!ioGrow(&tally->touches, &tally->touchCapacity, most, sizeof(cliTouch)))
	{
		return false;
	}
	size_t i = tally->touchCount, j = tally->nowCount, out = most;
	while (j > 0)
	{
		int order = i > 0 ? CompareRegions(tally->touches + i - 1, tally->now + j - 1) : -1;
		if (order > 0)
		{
			tally->touches[--out] = tally->touches[--i];
		}
		else if (order == 0)
		{
			tally->touches[--out] = tally->touches[--i];
			Merge(tally->touches + out, tally->now + --j);
		}
		else
		{
			tally->touches[--out] = tally->now[--j];
		}
	}
	// What was known before lies in front, what was merged at the end, and between them as much room as was not needed.
	if (most > out)
	{
		memmove(tally->touches + i, tally->touches + out, (most - out) * sizeof(cliTouch));
	}
	tally->touchCount = i + (most - out);
	return true;
}

// ---- Frames ----------------------------------------------------------------------------------------------------

static bool AddFrame(cliTally* tally, const cliTallyFrame* frame)
{
	if (!ioGrow(&tally->frames, &tally->frameCapacity, (size_t)tally->frameCount + 1, sizeof(cliTallyFrame)))
	{
		return false;
	}
	tally->frames[tally->frameCount++] = *frame;
	return true;
}

static void AddUp(cliTally* tally, const cliContacts* contacts)
{
	uint64_t frame = tally->frameCount;
	if (contacts->count > 0)
	{
		tally->firstContact = tally->contactFrames == 0 ? frame : tally->firstContact;
		tally->lastContact = frame;
		tally->contactFrames++;
	}
	if (contacts->count > tally->mostPairs)
	{
		tally->mostPairs = contacts->count;
		tally->mostFrame = frame;
	}
	if (contacts->near.vertexCount > tally->mostInside)
	{
		tally->mostInside = contacts->near.vertexCount;
		tally->insideFrame = frame;
	}
	tally->pairs += contacts->count;
	tally->microseconds += contacts->microseconds;
}

static bool AddBetween(cliTally* tally, const cliNear* near)
{
	tally->stray = near->stray > tally->stray ? near->stray : tally->stray;
	const size_t needed = tally->betweenCount + near->betweenCount;
	if (!ioGrow(&tally->between, &tally->betweenCapacity, needed, sizeof(cliTallyBetween)))
	{
		return false;
	}
	for (size_t i = 0; i < near->betweenCount; ++i)
	{
		tally->between[tally->betweenCount++] = (cliTallyBetween){ tally->frameCount, near->between[i] };
	}
	return true;
}

bool cliTally_Add(cliTally* tally, double time, const cliContacts* contacts)
{
	bool added = tally->regions == NULL || FindTouches(tally, contacts);
	if (added && tally->nowCount > 0)
	{
		FindDepths(tally, contacts);
	}
	added = added && (tally->regions == NULL || AddTouches(tally)) && AddBetween(tally, &contacts->near);
	if (tally->nowCount > 0)
	{
		qsort(tally->now, tally->nowCount, sizeof(cliTouch), CompareWeights);
	}
	AddUp(tally, contacts);
	cliTallyFrame frame = { time, contacts->count, contacts->counters.verticesEvaluated, contacts->microseconds,
		cliNear_GetDepth(&contacts->near), -1.0, false };
	for (size_t i = 0; i < contacts->near.insideCount; ++i)
	{
		const cliInside* inside = contacts->near.insides + i;
		const bool isOfTwo = inside->bodies[0] != inside->bodies[1];
		frame.insideDepth = isOfTwo && inside->depth > frame.insideDepth ? inside->depth : frame.insideDepth;
	}
	for (size_t i = 0; i < contacts->near.curveCount; ++i)
	{
		const cliCurve* curve = contacts->near.curves + i;
		frame.isUnknown = frame.isUnknown || !curve->curve.isClosed;
	}
	if (tally->frameCount > 0 && frame.depth > tally->frames[tally->deepest].depth)
	{
		tally->deepest = tally->frameCount;
	}
	return AddFrame(tally, &frame) && added;
}

uint64_t cliTally_GetWorst(const cliTally* tally)
{
	return tally->byDepth && tally->frames[tally->deepest].depth > 0.0 ? tally->deepest : tally->mostFrame;
}

double cliTallyFrame_GetDepth(const cliTallyFrame* frame)
{
	return frame->insideDepth > frame->depth ? frame->insideDepth : frame->depth;
}

static bool IsContact(const cliTallyFrame* frame)
{
	return frame->pairs > 0 || frame->insideDepth >= 0.0;
}

bool cliTally_FindContact(const cliTally* tally, uint64_t from, uint64_t* first, uint64_t* last)
{
	for (uint64_t i = from; i < tally->frameCount; ++i)
	{
		bool isDeep = false;
		for (*first = i; i < tally->frameCount && IsContact(tally->frames + i); ++i)
		{
			isDeep =
			    isDeep || tally->frames[i].isUnknown || cliTallyFrame_GetDepth(tally->frames + i) > tally->deeperThan;
			*last = i;
		}
		if (i > *first && isDeep && tally->frames[*last].time - tally->frames[*first].time > tally->longerThan)
		{
			return true;
		}
	}
	return false;
}

void cliTally_Finish(cliTally* tally)
{
	if (tally->touchCount > 0)
	{
		qsort(tally->touches, tally->touchCount, sizeof(cliTouch), CompareWeights);
	}
}
