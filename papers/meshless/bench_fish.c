// `snug bench fish`: Fig. 7 of the 2008 paper: two dozen simulated fish (papers/meshless/fish.h), asked about all 276
// pairs, by bottom-up, spatial hashing, the paper's volumes, ours, the oracle, Embree.
#include "papers/meshless/fish.h"
#include "papers/meshless/troupe.h"

#define FULL_FRAMES 30
#define BRIEF_FRAMES 10
#define PAPER_GAIN 13.2

static bool Advance(void* school, simError* error)
{
	return simSchool_Advance(school, error);
}

// Half as many frames go by before, until fish have begun to meet.
static bool Simulate(benchTroupe* troupe, int frames, benchReport* report)
{
	static simSchool school;
	simError error = { "" };
	bool good = simSchool_Create(&school, SIM_FISH_VERTICES, SIM_FISH_NODES, &error);
	if (good)
	{
		for (int i = 0; i < frames / 2 && good; ++i)
		{
			good = simSchool_Advance(&school, &error);
		}
		good = good && benchTroupe_Record(troupe, school.fish, SIM_FISH_COUNT, frames, Advance, &school, &error);
		simSchool_Free(&school);
	}
	if (!good)
	{
		benchReport_Fail(report, "fish: %s", error.text);
	}
	return good;
}

// The paper's times: refit, query.
static void AddPaper(benchRow* row, double refit, double query)
{
	benchRow_Number(row, "paperRefitMs", refit, 1);
	benchRow_Number(row, "paperQueryMs", query, 1);
}

static void AddRows(benchReport* report, const benchMeeting* meeting, benchMethodSet methods)
{
	for (int method = 0; method < BENCH_METHODS; ++method)
	{
		if ((methods & BENCH_BIT(method)) == 0)
		{
			continue;
		}
		benchRow* row = benchReport_AddRow(report, "Posing and query, per frame, all 276 pairs");
		benchRow_Count(row, "vertices", SIM_FISH_VERTICES);
		benchRow_Count(row, "nodes", SIM_FISH_NODES);
		benchMeeting_AddCells(row, meeting, (benchMethod)method);
		if (method == bench_paperUp)
		{
			AddPaper(row, 401.7, 16.6);
		}
		else if (method == bench_paper)
		{
			AddPaper(row, 5.3, 26.3);
		}
	}
}

// The paper's gain is what its own times give; it says 12.
static void AddAims(benchReport* report, const benchMeeting* meeting)
{
	double gain = benchMeeting_GetGain(meeting, bench_ours);
	benchReport_AddAim(
	    report, PAPER_GAIN / gain, 1.0, "the paper's gain over bottom-up (%.1f) / ours (%.1f)", PAPER_GAIN, gain);
	benchReport_AddAim(report, benchMeeting_GetBestOverOracle(meeting, bench_ours), 2.0, "ours / oracle");
}

void benchFish(const benchOptions* options, benchReport* report)
{
	static benchMeeting meeting;
	benchTroupe troupe;
	const benchMeetingPlan plan = benchTroupe_GetPlan(options);
	benchProgress(options, "fish: simulating …");
	if (!Simulate(&troupe, options->full ? FULL_FRAMES : BRIEF_FRAMES, report))
	{
		return;
	}
	benchProgress(options, "fish: queries …");
	if (benchTroupe_Place(&troupe, &meeting, "fish", scene_light, report))
	{
		if (benchMeeting_Run(&meeting, &plan, report))
		{
			AddRows(report, &meeting, plan.methods);
			AddAims(report, &meeting);
			benchMeeting_Verify(&meeting, report);
		}
		benchMeeting_Free(&meeting);
	}
	benchTroupe_Free(&troupe);
}
