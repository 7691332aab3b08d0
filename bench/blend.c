// `snug bench blend`: meshless bodies in contact, by every strategy and bound, beside the paper's method, the oracle
// and others.
#include "bench/blend_scene.h"
#include "bench/explain.h"

#include <math.h>
#include <stdlib.h>

#define CROWDS 2
#define SIZES 3
#define CONTACTS 2

static const int crowds[CROWDS] = { 2, 6 };
static const char* const crowdNames[CROWDS] = { "two", "six" };
static const uint32_t frequencies[SIZES] = { 17, 67, 173 }; // 2,892, 44,892 and 299,292 vertices
static const char* const sizeNames[SIZES] = { "3K", "45K", "300K" };
static const uint32_t nodeCounts[2] = { 115, 550 };

/// Which scene.
typedef struct blendCase
{
	int crowd, size, nodes; ///< index into the tables above
} blendCase;

/// What aims are about: the worst over numbers of nodes, NaN where nothing was run.
typedef struct blendWorst
{
	double overOracle[CROWDS][SIZES][CONTACTS];
	double volumeTests[CROWDS][SIZES][CONTACTS]; ///< over the oracle's
	double perPair[CROWDS][SIZES][CONTACTS];     ///< the oracle's, microseconds
	double overEmbree[CROWDS][SIZES][CONTACTS];
	double overOneThread[CROWDS][SIZES][CONTACTS];
} blendWorst;

/// The tables, which grow side by side.
typedef struct blendTables
{
	benchReport* times;
	benchReport phases, notes;
	benchExplained explained;
	blendWorst worst;
} blendTables;

// ---- Plan ------------------------------------------------------------------------------------------------------

// What is slow is left out, or run less often, where bodies are large or many.
static benchMeetingPlan MakePlan(const benchOptions* options, const blendCase* which)
{
	bool isSmall = which->size + which->crowd < 2, isTwo = which->crowd == 0;
	uint32_t main =
	    BENCH_BIT(bench_ours) | BENCH_BIT(bench_bottomUp) | BENCH_BIT(bench_oracle) | BENCH_BIT(bench_embree);
	uint32_t others = BENCH_BIT(bench_onDemand) | BENCH_BIT(bench_paperWide);
	benchMeetingPlan plan = { .methods = main | others | BENCH_BIT(bench_front) | BENCH_BIT(bench_freeBottomUp) |
		                                 BENCH_BIT(bench_limited) | BENCH_BIT(bench_twoThreads),
		.phased = isSmall ? main | others : main,
		.passes = options->quick ? 2
		          : isSmall      ? 5
		                         : 3,
		.briefPasses = options->quick || which->size > 0 ? 1 : 2 };
	if (isTwo && which->size < (options->quick ? 1 : 2))
	{
		plan.methods |= BENCH_BIT(bench_paper) | BENCH_BIT(bench_paperDop);
		plan.methods |= options->quick ? 0 : BENCH_OTHER_VOLUMES;
	}
	if (isTwo && isSmall)
	{
		plan.methods |= BENCH_BIT(bench_spatialHash) | (options->quick ? 0 : BENCH_OTHER_BOUNDS);
	}
	return plan;
}

static bool IsWanted(const benchOptions* options, const blendCase* which)
{
	return !options->quick || (which->nodes == 0 && which->size + which->crowd < 2);
}

// ---- Report ----------------------------------------------------------------------------------------------------

static void AddCase(benchRow* row, const blendCase* which, uint32_t vertices)
{
	benchRow_Text(row, "bodies", crowdNames[which->crowd]);
	benchRow_Count(row, "vertices", vertices);
	benchRow_Count(row, "nodes", nodeCounts[which->nodes]);
}

static void AddRows(benchReport* report, const blendCase* which, const benchMeeting* meeting,
    const benchMeetingPlan* plan, const benchMeetingTimes* all)
{
	for (int method = 0; method < BENCH_METHODS; ++method)
	{
		if ((plan->methods & BENCH_BIT(method)) != 0)
		{
			benchRow* row = benchReport_AddRow(report, "Posing and query, per frame");
			AddCase(row, which, meeting->actors[0].mesh->vertexCount);
			benchMeeting_AddCells(row, meeting, all, (benchMethod)method);
		}
	}
}

static void AddPhaseRows(benchReport* report, const blendCase* which, const benchMeeting* meeting,
    const benchMeetingPlan* plan, const benchMeetingTimes* all)
{
	benchPlot plot = { .kind = bench_stacks, .firstRow = report->rowCount, .unit = "ms", .keys = benchPhaseKeys };
	uint32_t vertices = meeting->actors[0].mesh->vertexCount;
	for (int method = 0; method < BENCH_METHODS; ++method)
	{
		if ((plan->phased & BENCH_BIT(method)) != 0 && all[method].isMeasured)
		{
			benchRow* row = benchReport_AddRow(report, "Where the time of a frame went");
			AddCase(row, which, vertices);
			benchMeeting_AddPhaseCells(row, meeting, all, (benchMethod)method);
		}
	}
	plot.endRow = report->rowCount;
	plot.limit = 4.0 * benchPhases_GetSum(&all[bench_ours].phases); // so that ours can be seen beside the slowest
	snprintf(plot.title, sizeof(plot.title), "%s bodies, %u vertices, %u nodes, %s contact", crowdNames[which->crowd],
	    vertices, nodeCounts[which->nodes], sceneContact_GetName(meeting->contact));
	benchReport_AddPlot(report, &plot);
}

static void Worsen(double* worst, double value)
{
	*worst = fmax(*worst, value);
}

static void NoteWorst(
    blendWorst* worst, const blendCase* which, const benchMeeting* meeting, const benchMeetingTimes* all)
{
	int c = which->crowd, s = which->size, k = (int)meeting->contact;
	double pairs = benchAnswers_GetMean(&meeting->answers);
	Worsen(&worst->overOracle[c][s][k], benchMeeting_GetRatio(all, bench_ours, bench_oracle));
	Worsen(&worst->volumeTests[c][s][k], all[bench_ours].volumeTests / all[bench_oracle].volumeTests);
	Worsen(&worst->perPair[c][s][k], 1e3 * benchSamples_Median(&all[bench_oracle].total) / pairs);
	Worsen(&worst->overEmbree[c][s][k], benchMeeting_GetRatio(all, bench_ours, bench_embree));
	Worsen(&worst->overOneThread[c][s][k], benchMeeting_GetRatio(all, bench_twoThreads, bench_ours));
}

static blendWorst MakeWorst(void)
{
	blendWorst worst;
	double* values = (double*)(void*)&worst;
	for (size_t i = 0; i < sizeof(worst) / sizeof(double); ++i)
	{
		values[i] = NAN;
	}
	return worst;
}

static void AddCaseAims(benchReport* report, const blendWorst* worst, int c, int s, int k)
{
	static const double overOracle[SIZES][CONTACTS] = { { 3.0, 2.0 }, { 1.5, 1.4 }, { 1.5, 1.5 } };
	const char *crowd = crowdNames[c], *size = sizeNames[s], *contact = sceneContact_GetName((sceneContact)k);
	benchReport_AddAim(report, worst->overOracle[c][s][k], overOracle[s][k],
	    "%s bodies, %s vertices, %s contact: time, ours / oracle", crowd, size, contact);
	if (s > 0)
	{
		benchReport_AddAim(report, worst->volumeTests[c][s][k], 1.2,
		    "%s bodies, %s vertices, %s contact: volume tests, ours / oracle", crowd, size, contact);
		benchReport_AddAim(report, worst->perPair[c][s][k], 1.0,
		    "%s bodies, %s vertices, %s contact: the oracle's microseconds per intersecting pair", crowd, size,
		    contact);
	}
	if (s == 1)
	{
		benchReport_AddAim(report, worst->overEmbree[c][s][k], k == scene_light ? 1.0 / 20.0 : 1.0 / 2.0,
		    "%s bodies, %s vertices, %s contact: time, ours / Embree's refit and query", crowd, size, contact);
	}
	if (k == scene_heavy)
	{
		benchReport_AddAim(report, worst->overOneThread[c][s][k], 1.0 / 1.7,
		    "%s bodies, %s vertices, %s contact: time, two threads / one", crowd, size, contact);
	}
}

static void AddAims(benchReport* report, const blendWorst* worst)
{
	for (int i = 0; i < CROWDS * SIZES * CONTACTS; ++i)
	{
		AddCaseAims(report, worst, i / (SIZES * CONTACTS), i / CONTACTS % SIZES, i % CONTACTS);
	}
}

// ---- Runs ------------------------------------------------------------------------------------------------------

/// Whose rows benchExplained_Add adds.
typedef struct explainedCase
{
	const blendCase* which;
	const benchMeeting* meeting;
} explainedCase;

static void AddExplainedCase(benchRow* row, const void* scene)
{
	const explainedCase* explained = scene;
	AddCase(row, explained->which, explained->meeting->actors[0].mesh->vertexCount);
	benchRow_Text(row, "contact", sceneContact_GetName(explained->meeting->contact));
}

static void RunContact(const benchOptions* options, blendTables* tables, const blendCase* which, benchMeeting* meeting)
{
	benchReport* report = tables->times;
	const benchMeetingPlan plan = MakePlan(options, which);
	benchMeetingTimes* all = malloc(BENCH_METHODS * sizeof(benchMeetingTimes));
	if (all == NULL)
	{
		benchReport_Fail(report, "out of memory");
	}
	else if (benchMeeting_Run(meeting, &plan, all, report))
	{
		if (which->size + which->crowd < 2)
		{
			benchMeeting_Verify(meeting, report);
		}
		AddRows(report, which, meeting, &plan, all);
		AddPhaseRows(&tables->phases, which, meeting, &plan, all);
		NoteWorst(&tables->worst, which, meeting, all);
		benchRow* row = benchReport_AddRow(&tables->notes, "The scenes, and how good the baselines are");
		AddCase(row, which, meeting->actors[0].mesh->vertexCount);
		benchMeetingNote note = benchMeeting_MakeNote(meeting, all);
		benchMeetingNote_AddCells(row, &note);
		if (options->explain)
		{
			const explainedCase explained = { which, meeting };
			benchExplained_Add(&tables->explained, meeting, AddExplainedCase, &explained);
		}
	}
	free(all);
}

static void RunCase(const benchOptions* options, blendTables* tables, const blendCase* which)
{
	const blendClip clip = options->quick ? (blendClip){ 16, 16 } : (blendClip){ 0, BLEND_FRAMES_PER_SECOND };
	benchReport* report = tables->times;
	blendScene scene;
	benchMeeting meeting;
	char name[64];
	snprintf(name, sizeof(name), "blend: %s bodies, %s vertices, %u nodes …", crowdNames[which->crowd],
	    sizeNames[which->size], nodeCounts[which->nodes]);
	benchProgress(options, name);
	if (!blendScene_Create(
	        &scene, crowds[which->crowd], frequencies[which->size], nodeCounts[which->nodes], clip, report))
	{
		return;
	}
	if (benchMeeting_Create(&meeting, "meshless bodies", scene.actors, scene.actorCount, report))
	{
		for (int contact = 0; contact < CONTACTS; ++contact)
		{
			if (benchMeeting_Place(&meeting, (sceneContact)contact, blendPlace, &scene, report))
			{
				RunContact(options, tables, which, &meeting);
			}
		}
		benchMeeting_Free(&meeting);
	}
	blendScene_Free(&scene);
}

void benchBlend(const benchOptions* options, benchReport* report)
{
	blendTables tables = { .times = report, .worst = MakeWorst() };
	for (int i = 0; i < CROWDS * SIZES * 2 && report->failure[0] == '\0'; ++i)
	{
		const blendCase which = { i / (SIZES * 2), i / 2 % SIZES, i % 2 };
		if (IsWanted(options, &which))
		{
			RunCase(options, &tables, &which);
		}
	}
	benchReport_TakeRows(report, &tables.phases);
	benchExplained_Finish(&tables.explained, report);
	benchReport_TakeRows(report, &tables.notes);
	AddAims(report, &tables.worst);
	benchProgress(options, "blend: single nodes and models …");
	benchBlendMicro(options, report);
}
