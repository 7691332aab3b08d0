// src/scene/broad.c: see broad.h.
#include "scene/broad.h"

#include "base/sort.h"
#include "query/walk.h"

/// Boxes may grow by so much before they are sorted again.
#define MAX_GROWTH 1.3

static uint32_t GroupsOf(uint32_t count)
{
	return count / SG_LANES + (count % SG_LANES != 0);
}

uint32_t sgBroad_GroupCount(uint32_t capacity)
{
	uint32_t groups = GroupsOf(capacity), sum = groups;
	while (groups > 1)
	{
		groups = GroupsOf(groups);
		sum += groups;
	}
	return sum + SG_BROAD_LEVELS;
}

uint32_t sgBroad_LevelCount(const sgBroad* broad)
{
	uint32_t levels = 1;
	for (uint32_t groups = GroupsOf(broad->count); groups > 1; groups = GroupsOf(groups))
	{
		++levels;
	}
	return levels;
}

// ---- Order ----------------------------------------------------------------------------------------------------------

// Close the holes; the order of the rest stays.
static void Compact(sgBroad* broad)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < broad->count; ++i)
	{
		uint32_t number = broad->order[i];
		if (number != SG_NONE)
		{
			broad->order[count] = number;
			broad->places[number] = count++;
		}
	}
	broad->count = count;
	broad->holes = 0;
	broad->isChanged = true;
}

void sgBroad_Add(sgBroad* broad, uint32_t number)
{
	if (broad->count == broad->capacity)
	{
		Compact(broad);
	}
	broad->places[number] = broad->count;
	broad->order[broad->count++] = number;
	broad->isChanged = true;
}

void sgBroad_Remove(sgBroad* broad, uint32_t number)
{
	broad->order[broad->places[number]] = SG_NONE;
	++broad->holes;
	broad->isChanged = true;
}

// Ten bits, with two zeros after each.
static uint32_t Spread(uint32_t bits)
{
	bits = (bits | bits << 16) & 0x030000ff;
	bits = (bits | bits << 8) & 0x0300f00f;
	bits = (bits | bits << 4) & 0x030c30c3;
	return (bits | bits << 2) & 0x09249249;
}

static double Center(const sgBox* box, int axis)
{
	return 0.5 * (double)box->lower[axis] + 0.5 * (double)box->upper[axis];
}

static void FindCenters(const sgBroad* broad, const sgBox* boxes, double least[3], double* extent)
{
	double most[3] = { -1e300, -1e300, -1e300 };
	least[0] = least[1] = least[2] = 1e300;
	for (uint32_t i = 0; i < broad->count; ++i)
	{
		const sgBox* box = boxes + broad->order[i];
		for (int axis = 0; axis < 3 && !sgBox_IsEmpty(box); ++axis)
		{
			double center = Center(box, axis);
			least[axis] = center < least[axis] ? center : least[axis];
			most[axis] = center > most[axis] ? center : most[axis];
		}
	}
	*extent = 0.0;
	for (int axis = 0; axis < 3; ++axis)
	{
		double along = most[axis] - least[axis];
		*extent = along > *extent ? along : *extent;
	}
}

static uint32_t MortonCode(const sgBox* box, const double least[3], double extent)
{
	uint32_t code = 0;
	for (int axis = 0; axis < 3 && extent > 0.0 && !sgBox_IsEmpty(box); ++axis)
	{
		code |= Spread((uint32_t)(1023.0 * ((Center(box, axis) - least[axis]) / extent))) << axis;
	}
	return code;
}

// By the upper half, ten bits at a time; equal ones stay in order. The last of three passes ends in the other half.
static const uint64_t* SortKeys(uint64_t* keys, uint64_t* others, uint32_t count)
{
	for (uint32_t shift = 32; shift < 62; shift += 10)
	{
		sgSortByBits(keys, count, shift, 10, others);
		uint64_t* swap = keys;
		keys = others;
		others = swap;
	}
	return keys;
}

static void Sort(sgBroad* broad, const sgBox* boxes)
{
	double least[3], extent;
	Compact(broad);
	FindCenters(broad, boxes, least, &extent);
	for (uint32_t i = 0; i < broad->count; ++i)
	{
		uint32_t number = broad->order[i];
		broad->keys[i] = (uint64_t)MortonCode(boxes + number, least, extent) << 32 | number;
	}
	const uint64_t* sorted = SortKeys(broad->keys, broad->keys + broad->capacity, broad->count);
	for (uint32_t i = 0; i < broad->count; ++i)
	{
		broad->order[i] = (uint32_t)sorted[i];
		broad->places[broad->order[i]] = i;
	}
}

// ---- Boxes ----------------------------------------------------------------------------------------------------------

// A tree without boxes has an empty group, so that it can be compared.
static uint32_t LowestGroups(const sgBroad* broad)
{
	return broad->count > 0 ? GroupsOf(broad->count) : 1;
}

static void FitBoxes(sgBroad* broad, const sgBroadBoxes* boxes, bool all)
{
	const sgBox empty = sgBox_Empty();
	for (uint32_t g = 0; g < LowestGroups(broad); ++g)
	{
		const uint32_t* numbers = broad->order + (size_t)g * SG_LANES;
		uint32_t left = broad->count - g * SG_LANES, used = left < SG_LANES ? left : SG_LANES, active = 0;
		for (uint32_t lane = 0; lane < used; ++lane)
		{
			active |= (numbers[lane] != SG_NONE ? (uint32_t)boxes->isActive[numbers[lane]] : 0u) << lane;
		}
		broad->active[g] = (uint8_t)active;
		if (!all && active == 0)
		{
			continue;
		}
		for (uint32_t lane = 0; lane < SG_LANES; ++lane)
		{
			bool isThere = lane < used && numbers[lane] != SG_NONE;
			sgBoxLanes_Set(broad->groups + g, lane, isThere ? boxes->boxes + numbers[lane] : &empty);
		}
	}
}

static double AreaOf(const sgBox* box)
{
	double x = (double)box->upper[0] - (double)box->lower[0], y = (double)box->upper[1] - (double)box->lower[1];
	double z = (double)box->upper[2] - (double)box->lower[2];
	return sgBox_IsEmpty(box) ? 0.0 : x * y + y * z + z * x;
}

// One level from the one below; returns the area of its boxes.
static double FitLevel(sgBroad* broad, uint32_t level, uint32_t below, bool all)
{
	const sgBoxLanes* children = broad->groups + broad->starts[level - 1];
	const uint8_t* childActive = broad->active + broad->starts[level - 1];
	const sgBox empty = sgBox_Empty();
	double area = 0.0;
	for (uint32_t g = 0; g < GroupsOf(below); ++g)
	{
		sgBoxLanes* group = broad->groups + broad->starts[level] + g;
		uint32_t active = 0;
		for (uint32_t lane = 0; lane < SG_LANES; ++lane)
		{
			uint32_t child = g * SG_LANES + lane;
			bool isThere = child < below, isActive = isThere && childActive[child] != 0;
			active |= (uint32_t)isActive << lane;
			if (all || isActive)
			{
				sgBox box = isThere ? sgGetKernels()->boxes->mergeBoxes(children + child, 0xff) : empty;
				sgBoxLanes_Set(group, lane, &box);
			}
			sgBox box = sgBoxLanes_Get(group, lane);
			area += AreaOf(&box);
		}
		broad->active[broad->starts[level] + g] = (uint8_t)active;
	}
	return area;
}

static double Fit(sgBroad* broad, const sgBroadBoxes* boxes, uint32_t levels, bool all)
{
	double area = 0.0;
	uint32_t groups = LowestGroups(broad);
	FitBoxes(broad, boxes, all);
	for (uint32_t level = 1; level < levels; ++level)
	{
		broad->starts[level] = broad->starts[level - 1] + groups;
		area += FitLevel(broad, level, groups, all);
		groups = GroupsOf(groups);
	}
	return area;
}

static bool HasActive(const sgBroad* broad, const sgBroadBoxes* boxes)
{
	for (uint32_t i = 0; i < broad->count; ++i)
	{
		if (broad->order[i] != SG_NONE && boxes->isActive[broad->order[i]] != 0)
		{
			return true;
		}
	}
	return false;
}

void sgBroad_Refit(sgBroad* broad, const sgBroadBoxes* boxes, uint32_t levels)
{
	bool hasActive = HasActive(broad, boxes), all = broad->isChanged || broad->levels != levels;
	if (!all && !hasActive && !broad->wasActive)
	{
		return; // nothing to be brought up to date, and no mark to be taken back
	}
	broad->levels = levels;
	double area = Fit(broad, boxes, levels, all);
	if (area > MAX_GROWTH * broad->area || broad->holes > broad->count / 2)
	{
		Sort(broad, boxes->boxes);
		broad->area = Fit(broad, boxes, levels, true);
	}
	broad->isChanged = false;
	broad->wasActive = hasActive;
}

// ---- Pairs ----------------------------------------------------------------------------------------------------------

// Boxes, or larger ones if there is a margin. A sum rounds to a float32 that is no less than any below it: boxes that
// are no farther apart than the margin overlap then, whatever rounding does.
static const sgBoxLanes* Grown(const sgBroadSearch* search, const sgBoxLanes* boxes, sgBoxLanes* room)
{
	if (search->margin == 0.0f)
	{
		return boxes;
	}
	for (int axis = 0; axis < 3; ++axis)
	{
		for (int lane = 0; lane < SG_LANES; ++lane)
		{
			room->lower[axis][lane] = boxes->lower[axis][lane] - search->margin;
			room->upper[axis][lane] = boxes->upper[axis][lane] + search->margin;
		}
	}
	return room;
}

// Pairs of lanes that overlap and of which one is active; within one group each once, and at the lowest level none with
// itself.
static uint64_t Overlap(const sgBroadSearch* search, uint32_t level, sgBroadPair pair)
{
	const sgBroad *a = search->a, *b = search->b;
	uint32_t groupA = a->starts[level] + pair.a, groupB = b->starts[level] + pair.b;
	uint32_t activeA = a->active[groupA], activeB = b->active[groupB];
	if ((activeA | activeB) == 0)
	{
		return 0;
	}
	sgBoxLanes room;
	uint64_t pairs = search->kernels->boxes->overlapBoxes(Grown(search, a->groups + groupA, &room),
	    activeB != 0 ? 0xff : activeA, b->groups + groupB, activeA != 0 ? 0xff : activeB);
	if ((activeA & activeB) != 0xff)
	{
		pairs &= sgMaskProduct(activeA, 0xff) | sgMaskProduct(0xff, activeB);
	}
	if (a == b && pair.a == pair.b)
	{
		const uint64_t above = 0x80c0e0f0f8fcfeffu, diagonal = 0x8040201008040201u; // j >= i, and j == i
		pairs &= level == 0 ? above & ~diagonal : above;
	}
	return pairs;
}

uint32_t sgBroadSearch_Step(
    const sgBroadSearch* search, uint32_t level, sgBroadPair pair, sgBroadPair pairs[SG_LANES * SG_LANES])
{
	uint32_t count = 0;
	for (uint64_t rest = Overlap(search, level, pair); rest != 0; rest &= rest - 1)
	{
		uint32_t bit = sgLowestBit(rest);
		pairs[count++] = (sgBroadPair){ pair.a * SG_LANES + bit / SG_LANES, pair.b * SG_LANES + bit % SG_LANES };
	}
	return count;
}

// Recursion is bounded by SG_BROAD_LEVELS.
void sgBroadSearch_Descend(const sgBroadSearch* search, uint32_t level, sgBroadPair pair)
{
	for (uint64_t rest = Overlap(search, level, pair); rest != 0; rest &= rest - 1)
	{
		uint32_t bit = sgLowestBit(rest);
		uint32_t a = pair.a * SG_LANES + bit / SG_LANES, b = pair.b * SG_LANES + bit % SG_LANES;
		if (level == 0)
		{
			search->found(search->context, search->a->order[a], search->b->order[b]);
		}
		else
		{
			sgBroadSearch_Descend(search, level - 1, (sgBroadPair){ a, b });
		}
	}
}
