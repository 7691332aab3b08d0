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

/// What aims are about: the worst over numbers of nodes, NaN where nothing was run. From the least times of each frame.
typedef struct blendWorst
{
	double overOracle[CROWDS][SIZES][CONTACTS];
	double volumeTests[CROWDS][SIZES][CONTACTS];  ///< over the oracle's
	double perPair[CROWDS][SIZES][CONTACTS];      ///< the oracle's, microseconds
	double beyondOracle[CROWDS][SIZES][CONTACTS]; ///< what ours takes longer, milliseconds
	double overRefitted[CROWDS][SIZES][CONTACTS]; ///< over the quicker of bottom-up and a free body
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
	benchMethodSet main = BENCH_BIT(bench_ours) | BENCH_BIT(bench_bottomUp) | BENCH_BIT(bench_freeBottomUp) |
	                      BENCH_BIT(bench_oracle) | BENCH_BIT(bench_embree);
	benchMethodSet others = BENCH_BIT(bench_onDemand);
	benchMeetingPlan plan = { .methods = main | BENCH_THREADED,
		.phased = isSmall ? main | others : main,
		.passes = options->full && isSmall ? 5 : 3,
		.briefPasses = options->full && which->size == 0 ? 2 : 1 };
	if (options->full || isSmall)
	{
		plan.methods |= others | BENCH_BIT(bench_front) | BENCH_BIT(bench_limited);
	}
	if (isTwo && which->size < (options->full ? 2 : 1))
	{
		plan.methods |= BENCH_BIT(bench_paper) | BENCH_BIT(bench_paperDop);
		plan.methods |= options->full ? BENCH_OTHER_VOLUMES : 0;
	}
	if (isTwo && isSmall)
	{
		plan.methods |= BENCH_BIT(bench_spatialHash) | (options->full ? BENCH_OTHER_BOUNDS : 0);
	}
	plan.phased &= plan.methods;
	return plan;
}

// Without --full: the usual number of nodes, and six bodies of up to 45K vertices.
static bool IsWanted(const benchOptions* options, const blendCase* which)
{
	int most = options->quick ? 2 : 3;
	return options->full || (which->nodes == 0 && which->size + which->crowd < most);
}

// What comes after the middle of the second mirrors what was before, nearly. Of large or many bodies only the frames in
// the middle, in which they are strongest bent.
static blendClip ChooseClip(const benchOptions* options, const blendCase* which)
{
	const blendClip all = { 0, BLEND_FRAMES_PER_SECOND }, half = { 0, BLEND_FRAMES_PER_SECOND / 2 };
	const blendClip few = { options->quick ? 26 : 16, options->quick ? 6 : 16 }, least = { 27, 5 };
	return options->full                         ? all
	       : which->size + 2 * which->crowd > 1  ? least
	       : which->size == 1 && !options->quick ? half
	                                             : few;
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
	double ours = benchMeeting_GetBest(meeting, all + bench_ours);
	double oracle = benchMeeting_GetBest(meeting, all + bench_oracle);
	double refitted = fmin(
	    benchMeeting_GetBest(meeting, all + bench_bottomUp), benchMeeting_GetBest(meeting, all + bench_freeBottomUp));
	Worsen(&worst->overOracle[c][s][k], ours / oracle);
	Worsen(&worst->volumeTests[c][s][k], all[bench_ours].volumeTests / all[bench_oracle].volumeTests);
	Worsen(&worst->perPair[c][s][k], 1e3 * oracle / pairs);
	Worsen(&worst->beyondOracle[c][s][k], ours - oracle);
	Worsen(&worst->overRefitted[c][s][k], ours / refitted);
	Worsen(&worst->overOneThread[c][s][k],
	    benchMeeting_GetBest(meeting, all + bench_twoThreads) / benchMeeting_GetBest(meeting, all + bench_oneThread));
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

// Of all cases that are run.
static void AddCaseAims(benchReport* report, const blendWorst* worst, int c, int s, int k)
{
	static const double overOracle[SIZES][CONTACTS] = { { 3.0, 2.0 }, { 1.5, 1.4 }, { 1.5, 1.5 } };
	const char *crowd = crowdNames[c], *size = sizeNames[s], *contact = sceneContact_GetName((sceneContact)k);
	if (isnan(worst->overOracle[c][s][k]))
	{
		return;
	}
	benchReport_AddAim(report, worst->overOracle[c][s][k], overOracle[s][k],
	    "%s bodies, %s vertices, %s contact: time, ours / oracle", crowd, size, contact);
	if (s > 0)
	{
		benchReport_AddAim(report, worst->volumeTests[c][s][k], 1.2,
		    "%s bodies, %s vertices, %s contact: volume tests, ours / oracle", crowd, size, contact);
	}
	if (k == scene_heavy && s > 0)
	{
		benchReport_AimAtLeast(report, 1.0 / worst->overOneThread[c][s][k], 1.8, NAN,
		    "%s bodies, %s vertices, %s contact: one thread / two, by the wall", crowd, size, contact);
	}
}

/// What ours took longer than the oracle in version 0.1, heavy contact of two bodies of 300K vertices, milliseconds.
#define BEYOND_300K 10.0

// Of two bodies.
static void AddMainAims(benchReport* report, const blendWorst* worst)
{
	static const double perPair[CONTACTS] = { 0.28, 0.36 }, perPairThen[CONTACTS] = { 0.2, 0.25 };
	for (int k = 0; k < CONTACTS; ++k)
	{
		benchReport_AimAtMost(report, worst->perPair[0][1][k], perPair[k], perPairThen[k],
		    "two bodies, 45K vertices, %s contact: the oracle's microseconds per intersecting pair",
		    sceneContact_GetName((sceneContact)k));
	}
	benchReport_AddAim(report, worst->beyondOracle[0][1][scene_heavy], 1.1,
	    "two bodies, 45K vertices, heavy contact: ours - oracle, milliseconds");
	benchReport_AddAim(report, worst->beyondOracle[0][2][scene_heavy], 0.5 * BEYOND_300K,
	    "two bodies, 300K vertices, heavy contact: ours - oracle, milliseconds; half of version 0.1's");
	benchReport_AimAtLeast(report, 1.0 / worst->overRefitted[0][1][scene_heavy], 1.25, NAN,
	    "two bodies, 45K vertices, heavy contact: the quicker of bottom-up and a free body / ours");
}

static void AddAims(benchReport* report, const blendWorst* worst)
{
	AddMainAims(report, worst);
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
	const blendClip clip = ChooseClip(options, which);
	benchReport* report = tables->times;
	blendScene scene;
	benchMeeting meeting;
	char name[64];
	snprintf(name, sizeof(name), "blend: %s bodies, %s vertices, %u nodes …", crowdNames[which->crowd],
	    sizeNames[which->size], nodeCounts[which->nodes]);
	benchProgress(options, name);
	if (!blendScene_Create(&scene, crowds[which->crowd], which->crowd == 0 ? 2 : 1, frequencies[which->size],
	        nodeCounts[which->nodes], clip, report))
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
