// `snug bench scaling`: what a frame costs as bodies grow, with the number of intersecting pairs held fixed.
//
// Both bodies are of one shape, so that they share a model. Finer bodies have more pairs along the same curve of
// contact, so they are placed less deep: on the way from touching tips to one body in the other's place, as far as it
// takes to have that many pairs on average over all frames.
#include "lab/bench/blend_scene.h"

#include <math.h>
#include <string.h>

#define CONTACTS 2
#define SIZES 7
#define NODE_COUNTS 7
#define QUICK_CASES 3

static const uint32_t frequencies[SIZES] = { 17, 32, 67, 122, 224, 316, 548 }; // 3K, 10K, 45K, 150K, 500K, 1M, 3M
static const bool isUsual[SIZES] = { true, false, true, true, false, false, true };
static const uint32_t nodeCounts[NODE_COUNTS] = { 50, 115, 250, 550, 1200, 2500, 5000 };
static const double wantedPairs[CONTACTS] = { 250.0, 6000.0 };

#define USUAL_SIZE 2
#define USUAL_FREQUENCY 67
#define USUAL_NODES 115

static const benchMethodSet ourMethods = BENCH_BIT(bench_ours) | BENCH_BIT(bench_bottomUp) | BENCH_BIT(bench_oracle);
static const benchMethodSet peers = BENCH_BIT(bench_plain) | BENCH_BIT(bench_embree);

/// Vertices of a body above which peers are left out, without and with --full: their trees take a minute to build.
#define PEERS_UP_TO 200000
#define PEERS_UP_TO_FULL 1100000

/// One row of bodies: they grow in vertices, or in nodes.
typedef struct scalingSeries
{
	const char* titles[CONTACTS];
	const char* across;
	bool hasThreads;                  ///< the usual size is also asked on two threads
	double ours[CONTACTS][SIZES];     ///< least time of all frames together; NaN where nothing was run
	double bottomUp[CONTACTS][SIZES]; ///< the same
} scalingSeries;

// ---- Places ----------------------------------------------------------------------------------------------------

/// Where the second body's way begins in each frame.
typedef snugFrame scalingStarts[BENCH_MAX_FRAMES];

static void SetDepth(benchMeeting* meeting, const scalingStarts starts, double depth)
{
	static const double end[3] = { 0.18, 0.05, -0.04 };
	for (int f = 0; f < meeting->answers.frameCount; ++f)
	{
		for (int k = 0; k < 3; ++k)
		{
			double start = starts[f].position[k];
			meeting->places[f][1].position[k] = start + depth * (end[k] - start);
		}
	}
}

static double CountPairs(benchMeeting* meeting, benchReport* report)
{
	double sum = 0.0;
	int frames = 0;
	for (int f = 0; f < meeting->answers.frameCount; f += 2, ++frames)
	{
		snugStatus status = benchStage_Pose(&meeting->base, meeting->actors, f, meeting->places[f]);
		snugResult result = snugCollide(meeting->base.bodies[0].body, meeting->base.bodies[1].body, NULL);
		if (status != snug_success || result.status != snug_success)
		{
			benchReport_Fail(report, "frame %d: cannot count the pairs", f);
		}
		sum += (double)result.count;
	}
	return sum / frames;
}

// The depth at which there are so many pairs; all the way if there are never so many.
static double FindDepth(benchMeeting* meeting, const scalingStarts starts, double wanted, benchReport* report)
{
	double low = 0.0, high = 1.0;
	SetDepth(meeting, starts, high);
	if (CountPairs(meeting, report) <= wanted)
	{
		return high;
	}
	for (int i = 0; i < 24 && report->failure[0] == '\0'; ++i)
	{
		double middle = 0.5 * (low + high);
		SetDepth(meeting, starts, middle);
		double pairs = CountPairs(meeting, report);
		if (fabs(pairs - wanted) <= 0.01 * wanted)
		{
			return middle;
		}
		low = pairs < wanted ? middle : low;
		high = pairs < wanted ? high : middle;
	}
	return low;
}

// ---- Runs ------------------------------------------------------------------------------------------------------

static void AddRows(benchReport* report, const char* title, const benchMeeting* meeting, double depth)
{
	for (int method = 0; method < BENCH_METHODS; ++method)
	{
		if (meeting->times[method].isMeasured && !benchGetMethod((benchMethod)method)->isOnWall)
		{
			benchRow* row = benchReport_AddRow(report, title);
			benchRow_Count(row, "vertices", meeting->actors[0].mesh->vertexCount);
			benchRow_Count(row, "nodes", meeting->actors[0].weights->transformCount);
			benchRow_Number(row, "buildSeconds", 1e-3 * meeting->base.bodies[0].buildMs, 2);
			benchRow_Number(row, "depth", depth, 4);
			benchMeeting_AddCells(row, meeting, (benchMethod)method);
		}
	}
}

// One thread and two, by the wall.
static void AddThreads(benchReport* report, const benchMeeting* meeting)
{
	double one = benchMeeting_GetBest(meeting, bench_oneThread);
	double two = benchMeeting_GetBest(meeting, bench_twoThreads);
	const char* contact = sceneContact_GetName(meeting->contact);
	benchRow* row = benchReport_AddRow(report, "A query on two threads, by the wall, per frame");
	benchRow_Count(row, "vertices", meeting->actors[0].mesh->vertexCount);
	benchRow_Text(row, "contact", contact);
	benchRow_Number(row, "oneThreadMs", one, 3);
	benchRow_Number(row, "twoThreadsMs", two, 3);
	benchRow_Number(row, "oneOverTwo", one / two, 2);
	if (meeting->contact == scene_heavy)
	{
		benchReport_AimAtLeast(
		    report, one / two, 1.8, NAN, "45K vertices, heavy contact: one thread / two, by the wall");
	}
}

static void RunContact(const benchOptions* options, scalingSeries* series, int i, sceneContact contact,
    benchMeeting* meeting, const scalingStarts starts, benchReport* report)
{
	bool hasPeers = meeting->actors[0].mesh->vertexCount < (options->full ? PEERS_UP_TO_FULL : PEERS_UP_TO);
	bool hasThreads = series->hasThreads && i == USUAL_SIZE;
	const benchMeetingPlan plan = { .methods = ourMethods | (hasPeers ? peers : 0) | (hasThreads ? BENCH_THREADED : 0),
		.passes = options->full ? 5 : 3,
		.briefPasses = 1 };
	benchMeeting_Forget(meeting, contact);
	double depth = FindDepth(meeting, starts, wantedPairs[contact], report);
	if (report->failure[0] == '\0' && benchMeeting_Run(meeting, &plan, report))
	{
		if (meeting->vertices < 100000)
		{
			benchMeeting_Verify(meeting, report);
		}
		AddRows(report, series->titles[contact], meeting, depth);
		if (hasThreads)
		{
			AddThreads(report, meeting);
		}
		series->ours[contact][i] = benchMeeting_GetBest(meeting, bench_ours);
		series->bottomUp[contact][i] = benchMeeting_GetBest(meeting, bench_bottomUp);
	}
}

static void RunCase(const benchOptions* options, scalingSeries* series, int i, uint32_t frequency, uint32_t nodeCount,
    benchReport* report)
{
	const blendClip clip = { BLEND_FRAMES_PER_SECOND / 2 - options->repeats, options->repeats }; // up to the middle
	blendScene scene;
	benchMeeting meeting;
	scalingStarts starts;
	char text[64];
	snprintf(text, sizeof(text), "scaling: %u vertices, %u nodes …", 10 * frequency * frequency + 2, nodeCount);
	benchProgress(options, text);
	if (!blendScene_Create(&scene, frequency, nodeCount, 1, clip, report))
	{
		return;
	}
	if (benchMeeting_Create(&meeting, "two meshless bodies", scene.actors, 2, report))
	{
		bool placed = benchMeeting_Place(&meeting, scene_light, blendPlaceTips, &scene, report);
		for (int f = 0; f < clip.count; ++f)
		{
			starts[f] = meeting.places[f][1];
		}
		for (int contact = 0; contact < CONTACTS && placed && report->failure[0] == '\0'; ++contact)
		{
			RunContact(options, series, i, (sceneContact)contact, &meeting, starts, report);
		}
		benchMeeting_Free(&meeting);
	}
	blendScene_Free(&scene);
}

// ---- Report ----------------------------------------------------------------------------------------------------

static void BeginSeries(scalingSeries* series)
{
	for (int i = 0; i < CONTACTS * SIZES; ++i)
	{
		series->ours[i / SIZES][i % SIZES] = series->bottomUp[i / SIZES][i % SIZES] = NAN;
	}
}

static void PlotSeries(const scalingSeries* series, benchReport* report)
{
	static const char* const keys[] = { "bestMs", NULL };
	for (int contact = 0; contact < CONTACTS; ++contact)
	{
		benchPlot plot = { .kind = bench_logLines, .unit = "ms per frame", .across = series->across, .keys = keys };
		snprintf(plot.title, sizeof(plot.title), "%s", series->titles[contact]);
		while (plot.firstRow < report->rowCount && strcmp(report->rows[plot.firstRow].table, plot.title) != 0)
		{
			++plot.firstRow;
		}
		plot.endRow = benchReport_GetTableEnd(report, plot.firstRow);
		if (plot.endRow > plot.firstRow)
		{
			benchReport_AddPlot(report, &plot);
		}
	}
}

static void AddAims(benchReport* report, const scalingSeries* series)
{
	const int usual = USUAL_SIZE, largest = SIZES - 1;
	for (int contact = 0; contact < CONTACTS; ++contact)
	{
		benchReport_AddAim(report, series->ours[contact][largest] / series->ours[contact][usual], 1.2,
		    "%s contact, pairs held fixed: our time at 3M vertices / at 45K",
		    sceneContact_GetName((sceneContact)contact));
	}
	benchReport_AimAtLeast(report, series->bottomUp[scene_light][largest] / series->ours[scene_light][largest], 500.0,
	    NAN, "3M vertices, light contact: bottom-up / ours");
}

void benchScaling(const benchOptions* options, benchReport* report)
{
	scalingSeries sizes = { .titles = { "Growing in vertices, light contact: about 250 pairs",
		                        "Growing in vertices, heavy contact: about 6,000 pairs" },
		.across = "vertices",
		.hasThreads = true };
	scalingSeries nodes = { .titles = { "Growing in nodes, light contact: about 250 pairs",
		                        "Growing in nodes, heavy contact: about 6,000 pairs" },
		.across = "nodes" };
	BeginSeries(&sizes);
	BeginSeries(&nodes);
	for (int i = 0; i < SIZES && report->failure[0] == '\0'; ++i)
	{
		if (options->full || (options->quick ? i < QUICK_CASES : isUsual[i]))
		{
			RunCase(options, &sizes, i, frequencies[i], USUAL_NODES, report);
		}
	}
	for (int i = 0; i < NODE_COUNTS && options->full && report->failure[0] == '\0'; ++i)
	{
		RunCase(options, &nodes, i, USUAL_FREQUENCY, nodeCounts[i], report);
	}
	PlotSeries(&sizes, report);
	PlotSeries(&nodes, report);
	AddAims(report, &sizes);
}
