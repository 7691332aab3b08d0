// How large bounds of real characters are, by level, in the poses that count.
#include "bench/skin.h"
#include "bench/tightness.h"

#include <math.h>
#include <stdlib.h>

/// Table 1 of spherical-blend-2006: mean radii of the creature's spheres by level, as refitted for linear blending, and
/// the smallest possible ones (of the mesh deformed by spherical blending; there are no others).
#define PAPER_LEVELS 9
static const double paperRadius[PAPER_LEVELS] = { 72.17, 31.58, 8.40, 4.03, 1.80, 0.97, 0.65, 0.43, 0.30 };
static const double paperOptimal[PAPER_LEVELS] = { 34.41, 22.05, 7.39, 3.69, 1.70, 0.92, 0.61, 0.42, 0.30 };

// What the paper has for parts as large as these, relative to the whole: its tree has more children per node than two,
// so that levels cannot be compared by number. Linear in between, in the logarithm of the size; NaN below its smallest.
static double GetPaperRatio(double size)
{
	for (int i = 0; i + 1 < PAPER_LEVELS; ++i)
	{
		double upper = paperOptimal[i] / paperOptimal[0], lower = paperOptimal[i + 1] / paperOptimal[0];
		if (size >= lower)
		{
			double t = fmin(1.0, log(size / lower) / log(upper / lower));
			return t * paperRadius[i] / paperOptimal[i] + (1.0 - t) * paperRadius[i + 1] / paperOptimal[i + 1];
		}
	}
	return NAN;
}

// Mean optimal radius of a level, relative to the root's.
static double GetSize(const benchTightness* t, uint32_t level)
{
	return t->optimal[level] / (double)t->count[level] / t->optimal[0];
}

static void Measure(benchTightness* out, const skinCharacter* c, int poses, benchReport* report)
{
	static const snugTreeDef tree = {
		.split = snug_splitMedian, .leafTriangles = 1, .branching = 2
	}; // as in the papers
	benchActor actor = benchActor_Skinned(&c->body.mesh, &c->body.weights, NULL, 0, NULL);
	float* matrices = skinChoosePoses(c, poses, &actor.frameCount);
	actor.matrices = matrices;
	if (matrices == NULL)
	{
		benchReport_Fail(report, "out of memory");
	}
	else
	{
		benchTightness_Measure(out, &actor, &tree, false, report);
	}
	free(matrices);
}

static void AddLevelRows(benchReport* report, const skinCharacter* c, const benchTightness* t, bool isMean)
{
	int firstRow = report->rowCount;
	for (uint32_t level = 0; level < t->levels; ++level)
	{
		benchRow* row = benchReport_AddRow(report,
		    isMean ? "Radius / optimal radius, mean over poses and nodes" : "Radius / optimal radius, greatest");
		benchRow_Text(row, "character", c->body.name);
		benchRow_Count(row, "poses", (uint64_t)t->poseCount);
		benchTightness_AddCells(row, t, level, isMean);
	}
	benchTightness_AddPlot(report, t, firstRow, isMean, c->body.name);
}

static void AddPaperRows(benchReport* report, const skinCharacter* c, const benchTightness* t)
{
	for (uint32_t level = 0; level < t->levels && !isnan(GetPaperRatio(GetSize(t, level))); ++level)
	{
		benchRow* row = benchReport_AddRow(
		    report, "Mean radius / mean optimal radius, beside the spherical blend paper's for parts of the same size");
		benchRow_Text(row, "character", c->body.name);
		benchRow_Count(row, "level", level);
		benchRow_Number(row, "optimalOverRoot", GetSize(t, level), 3);
		for (int i = 0; i < BENCH_BOUNDS; ++i)
		{
			benchRow_Number(row, benchGetBoundName(benchBounds[i]), benchTightness_GetRatioOfMeans(t, i, level), 2);
		}
		benchRow_Number(row, "paperLinearBlending", GetPaperRatio(GetSize(t, level)), 2);
	}
}

static void AddRows(benchReport* report, const skinCharacter* characters, const benchTightness* all)
{
	for (int i = 0; i < 3 * SKIN_CHARACTERS; ++i)
	{
		const skinCharacter* c = characters + i % SKIN_CHARACTERS;
		const benchTightness* t = all + i % SKIN_CHARACTERS;
		if (c->body.isPresent && i < 2 * SKIN_CHARACTERS)
		{
			AddLevelRows(report, c, t, i < SKIN_CHARACTERS);
		}
		else if (c->body.isPresent)
		{
			AddPaperRows(report, c, t);
		}
	}
}

void skinRunTightness(const benchOptions* options, const skinCharacter characters[SKIN_CHARACTERS], benchReport* report)
{
	benchTightness* all = calloc(SKIN_CHARACTERS, sizeof(benchTightness));
	for (int i = 0; i < SKIN_CHARACTERS && all != NULL && report->failure[0] == '\0'; ++i)
	{
		char text[64];
		snprintf(text, sizeof(text), "skin: %s, level by level …", characters[i].body.name);
		benchProgress(options, text);
		if (characters[i].body.isPresent)
		{
			Measure(all + i, characters + i, !options->full ? 6 : 21, report);
		}
	}
	if (all == NULL)
	{
		benchReport_Fail(report, "out of memory");
	}
	else if (report->failure[0] == '\0')
	{
		AddRows(report, characters, all);
	}
	free(all);
}
