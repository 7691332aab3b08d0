// src/query/stray.c: see stray.h.
#include "query/stray.h"

#include "base/fpenv.h"
#include "geometry/margins.h"

#include <math.h>
#include <string.h>

// ---- Frames that turn ----------------------------------------------------------------------------------------------

/// Families that are opened at most to learn how far vertices go.
#define MOST_OPENED 64
#define MOST_NODES (MOST_OPENED * SG_LANES)

/// A node, and how far any vertex below it goes in body space at most.
typedef struct Going
{
	double far;
	uint32_t slot;
	bool isLeaf;
} Going;

// Between two boxes of which one has a vertex at the start and the other at the end.
static double FarthestWay(const sgBox* start, const sgBox* end)
{
	double square = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		const double up = (double)end->upper[k] - (double)start->lower[k];
		const double down = (double)start->upper[k] - (double)end->lower[k];
		const double far = up > down ? up : down;
		square += far * far;
	}
	return sqrt(square) * (1.0 + 0x1p-40);
}

static int Open(sgView* start, sgView* end, uint32_t slot, Going* nodes, snugCounters* counters)
{
	const sgOpened opened = sgOpen(start->tree, slot);
	const sgBoxLanes *first = sgView_Bounds(start, &opened, counters), *last = sgView_Bounds(end, &opened, counters);
	int count = 0;
	for (uint32_t rest = opened.set.mask; rest != 0; rest &= rest - 1)
	{
		const uint32_t lane = sgLowestBit(rest);
		const sgBox from = sgBoxLanes_Get(first, lane), to = sgBoxLanes_Get(last, lane);
		nodes[count++] =
		    (Going){ FarthestWay(&from, &to), sgOpened_Slot(&opened, lane), (opened.set.leafMask >> lane & 1) != 0 };
	}
	return count;
}

// Open the node whose vertices may go farthest, a few times over: the smaller the boxes, the tighter the bound.
static double FindFarthest(sgView* start, sgView* end, snugCounters* counters)
{
	Going nodes[MOST_NODES];
	int count = Open(start, end, 0, nodes, counters), farthest = 0;
	for (int opened = 1; opened <= MOST_OPENED; ++opened)
	{
		farthest = 0;
		for (int i = 1; i < count; ++i)
		{
			farthest = nodes[i].far > nodes[farthest].far ? i : farthest;
		}
		if (nodes[farthest].isLeaf || opened == MOST_OPENED)
		{
			break;
		}
		const uint32_t slot = nodes[farthest].slot;
		nodes[farthest] = nodes[--count];
		count += Open(start, end, slot, nodes + count, counters);
	}
	return nodes[farthest].far;
}

static bool IsSamePose(const snugBody* a, const snugBody* b)
{
	return a->poseBytes == 0 || (a->isAtRest && b->isAtRest) || memcmp(a->posed.pose, b->posed.pose, a->poseBytes) == 0;
}

// No less than the angle between two rotations: 2 asin s, where the sum of the squares of what their matrices differ by
// is 8 s^2, and asin s <= s + (pi / 2 - 1) s^3.
static double AngleBetween(const double a[3][3], const double b[3][3])
{
	double sum = 0.0;
	for (int i = 0; i < 9; ++i)
	{
		const double difference = a[i / 3][i % 3] - b[i / 3][i % 3];
		sum += difference * difference;
	}
	const double root = sqrt(0.125 * sum) + 0x1p-48, s = root < 1.0 ? root : 1.0;
	return sum == 0.0 ? 0.0 : 2.0 * (s + 0.5708 * s * s * s);
}

static double Farthest(const sgBox* box)
{
	const sgBox zero = { { 0.0f, 0.0f, 0.0f }, { 0.0f, 0.0f, 0.0f } };
	return FarthestWay(&zero, box);
}

sgStray sgFindStray(sgView* start, sgView* end, const sgBox roots[2], snugCounters* counters)
{
	const double(*from)[3] = (const double(*)[3])start->placement.rotation;
	const double(*to)[3] = (const double(*)[3])end->placement.rotation;
	const double angle = AngleBetween(from, to);
	if (angle == 0.0 || start->tree->triangleCount == 0)
	{
		return (sgStray){ 0.0, 0.0 };
	}
	const double far = IsSamePose(start->body, end->body) ? 0.0 : FindFarthest(start, end, counters);
	const double rounding = start->placement.error + end->placement.error;
	const double bow = (0.125 * angle * angle * Farthest(roots) + 0.25 * angle * far) * (1.0 + 0x1p-41);
	return (sgStray){ (bow + 2.0 * rounding) * (1.0 + 0x1p-41), bow };
}

// ---- Any animation -------------------------------------------------------------------------------------------------

static double FindSagitta(sgView views[3], snugCounters* counters)
{
	const sgTree* tree = views[0].tree;
	double most = 0.0;
	for (uint32_t n = 0; n < tree->leafCount; ++n)
	{
		const sgLeaf* leaf = tree->leaves + n;
		const sgOpened opened = sgOpen(tree, leaf->slot);
		sgKeptLeaf kept[3];
		for (int i = 0; i < 3; ++i)
		{
			kept[i] = sgView_Triangles(views + i, &opened, leaf->slot % SG_LANES, counters);
		}
		for (uint32_t corner = 0; corner < 3u * leaf->triangleCount; ++corner)
		{
			double square = 0.0;
			for (int k = 0; k < 3; ++k)
			{
				double at[3];
				for (int i = 0; i < 3; ++i)
				{
					at[i] = (double)sgView_Lanes(views + i, kept[i])->corner[corner % 3][k][corner / 3];
				}
				const double away = at[1] - 0.5 * (at[0] + at[2]);
				square += away * away;
			}
			most = square > most ? square : most;
		}
	}
	return sqrt(most);
}

static SG_NOINLINE snugStatus Find(snugBody* const bodies[3], const double origin[3], double* distance)
{
	sgView views[3];
	sgBox root;
	snugCounters counters = { 0 };
	snugStatus status = snug_success;
	for (int i = 0; i < 3 && status == snug_success; ++i)
	{
		status = sgView_Start(views + i, bodies[i], origin, &root, &counters);
	}
	if (status == snug_success)
	{
		*distance = FindSagitta(views, &counters);
		for (int i = 0; i < 3; ++i)
		{
			sgView_Finish(views + i);
		}
	}
	return status;
}

snugStatus snugFindSagitta(snugBody* start, snugBody* middle, snugBody* end, const double origin[3], double* distance)
{
	static const double zero[3] = { 0.0, 0.0, 0.0 };
	SG_REQUIRE(start != NULL && middle != NULL && end != NULL && distance != NULL, snug_badArgument);
	SG_REQUIRE(start != middle && middle != end && end != start, snug_badArgument);
	SG_REQUIRE(origin == NULL || sgIsFinitePoint(origin), snug_badArgument);
	*distance = 0.0;
	if (start->model != middle->model || start->model != end->model)
	{
		return sgFail(&start->messenger, snug_badInput, "the bodies are not of one model");
	}
	snugBody* const bodies[3] = { start, middle, end };
	sgFpEnv environment = sgFpEnv_Enter();
	const snugStatus status = Find(bodies, origin != NULL ? origin : zero, distance);
	sgFpEnv_Leave(environment);
	return status;
}
