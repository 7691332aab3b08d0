// What updating one node costs, by bound.
#include "bench/modal_body.h"
#include "bench/timer.h"
#include "body/body.h"
#include "deform/fields/fields.h"

#include <math.h>
#include <stdlib.h>

/// Groups looked at again and again: few enough to stay in a cache close by.
#define WARM_GROUPS 8
/// Parts that are timed by themselves.
#define MAX_PIECES 128

/// Full groups of a model.
typedef struct groupList
{
	uint32_t* groups;
	uint32_t count;
} groupList;

static groupList ListGroups(const snugModel* model)
{
	const sgTree* tree = &model->tree;
	groupList list = { malloc(((size_t)tree->groupCount + 1) * sizeof(uint32_t)), 0 };
	for (uint32_t g = 0; list.groups != NULL && g < tree->groupCount; ++g)
	{
		const sgFieldsHeader* header = model->deformData;
		if (sgFields_BoundedLanes(tree, g, header->boundLeaves != 0) == 0xff)
		{
			list.groups[list.count++] = g;
		}
	}
	return list;
}

static void Shuffle(groupList* list)
{
	uint64_t state = 1;
	for (uint32_t i = list->count; i > 1; --i)
	{
		state = state * 6364136223846793005u + 1442695040888963407u;
		uint32_t k = (uint32_t)((state >> 33) % i), swapped = list->groups[i - 1];
		list->groups[i - 1] = list->groups[k];
		list->groups[k] = swapped;
	}
}

// Milliseconds for groups `first` to before `end` of a list.
static double TimeOnce(snugBody* body, const groupList* list, uint32_t first, uint32_t end, int repeats)
{
	sgBoundsScratch bounds;
	double start = benchNow();
	for (int i = 0; i < repeats; ++i)
	{
		for (uint32_t g = first; g < end; ++g)
		{
			sgLaneSet set = { .group = list->groups[g], .mask = 0xff };
			body->deform->bound(sgBody_Derive(body), set, (sgBoundsOut){ &bounds.boxes, bounds.extra });
		}
	}
	return (benchNow() - start) / repeats;
}

// The least of some runs, piece by piece: noise on the machine comes in bursts.
static double TimeList(snugBody* body, const groupList* list, uint32_t count, int repeats, int runs)
{
	double best[MAX_PIECES], sum = 0.0;
	uint32_t size = repeats > 1 ? count : count / MAX_PIECES + 1;
	for (int run = 0; run < runs; ++run)
	{
		for (uint32_t piece = 0; piece * size < count; ++piece)
		{
			uint32_t first = piece * size, end = first + size < count ? first + size : count;
			double time = TimeOnce(body, list, first, end, repeats);
			best[piece] = run == 0 ? time : fmin(best[piece], time);
		}
	}
	for (uint32_t piece = 0; piece * size < count; ++piece)
	{
		sum += best[piece];
	}
	return 1e6 * sum / ((double)count * SG_LANES);
}

// Nanoseconds per node. Cold: all groups of a model far larger than any cache, each once, in no order.
static double TimeBound(const benchModalBody* body, snugBound bound, bool isCold, benchReport* report)
{
	const benchActor actor = benchModalBody_GetActor(body);
	const benchBounding how = {
		.bound = bound,
		.boundLeaves = true,
		.tree = { .leafTriangles = isCold ? 1 : 8 },
	};
	snugModel* model = NULL;
	snugBody* posed = NULL;
	double least = NAN;
	snugStatus status = benchActor_MakeModel(&actor, &how, &model);
	snugBodyDef def = { .model = model };
	if (status != snug_success || snugBody_Create(&def, &posed) != snug_success ||
	    snugBody_SetAmplitudes(posed, body->amplitudes, BENCH_MODES) != snug_success)
	{
		benchReport_Fail(report, "%s: cannot make a model", body->name);
	}
	else
	{
		groupList list = ListGroups(model);
		Shuffle(&list);
		uint32_t count = isCold ? list.count : (list.count < WARM_GROUPS ? list.count : WARM_GROUPS);
		if (count > 0)
		{
			least = TimeList(posed, &list, count, isCold ? 1 : 300, isCold ? 10 : 40);
		}
		free(list.groups);
	}
	snugBody_Destroy(posed);
	snugModel_Destroy(model);
	return least;
}

void benchModalUpdates(benchReport* report, const benchModalBody* warm, const benchModalBody* large)
{
	static const struct
	{
		const char* name;
		snugBound bound;
		double warmAim, coldAim;
	} bounds[] = {
		{ "BD spheres", snug_boundBall, 4.0, 0.0 },
		{ "BD boxes", snug_boundZeroOrder, 0.0, 0.0 },
		{ "BD oriented boxes", snug_boundOriented, 0.0, 0.0 },
		{ "intervals", snug_boundInterval, 6.0, 0.0 },
		{ "first order", snug_boundFirstOrder, 13.0, 120.0 },
		{ "default", snug_boundDefault, 0.0, 0.0 },
	};
	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]) && report->failure[0] == '\0'; ++i)
	{
		double warmNs = TimeBound(warm, bounds[i].bound, false, report);
		benchRow* row = benchReport_AddRow(report, "Updating one node, eight at a time, nanoseconds");
		benchRow_Text(row, "bound", bounds[i].name);
		benchRow_Count(row, "fields", BENCH_MODES);
		benchRow_Number(row, "warm", warmNs, 2);
		double coldNs = large != NULL ? TimeBound(large, bounds[i].bound, true, report) : (double)NAN;
		if (large != NULL)
		{
			benchRow_Number(row, "cold", coldNs, 1);
		}
		if (bounds[i].warmAim > 0.0)
		{
			benchReport_AddAim(report, warmNs, bounds[i].warmAim, "node update, %s, %d fields, warm: nanoseconds",
			    bounds[i].name, BENCH_MODES);
		}
		if (bounds[i].coldAim > 0.0)
		{
			benchReport_AddAim(report, coldNs, bounds[i].coldAim, "node update, %s, %d fields, cold: nanoseconds",
			    bounds[i].name, BENCH_MODES);
		}
	}
}
