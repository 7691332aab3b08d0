// `snug bench curtain`: Table 2 of James and Pai 2004: a ball thrown at a curtain in the wind, an animation compressed
// to a mean and 12 displacement fields.
#include "papers/bdtree/bd_levels.h"
#include "papers/bdtree/curtain.h"
#include "papers/bdtree/curtain_ball.h"
#include "papers/bdtree/fielded.h"
#include "papers/common/tightness.h"
#include "solvers/reduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES 110
#define FIELDS 12

static void AddReduction(benchReport* report, const simReduced* reduced)
{
	static const uint32_t counts[] = { 0, 1, 2, 4, 8, 12 };
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]) && counts[i] <= reduced->fieldCount; ++i)
	{
		benchRow* row = benchReport_AddRow(report, "The animation, compressed");
		benchRow_Count(row, "fields", counts[i]);
		benchRow_Number(row, "rmsErrorMillimetres", 1e3 * reduced->rmsErrors[counts[i]], 2);
		benchRow_Number(row, "maxErrorMillimetres", 1e3 * reduced->maxErrors[counts[i]], 2);
	}
}

static void AddAims(benchReport* report, const char* name, const benchFieldedResult* results)
{
	const benchFieldedResult* ours = results + bench_ours;
	const benchFieldedResult* layered = results + bench_layered;
	const benchFieldedResult* oracle = results + bench_oracle;
	const benchFieldedResult* paper = results + bench_bd;
	benchReport_AddAim(
	    report, ours->volumeTests / layered->volumeTests, 1.0, "%s: volume tests, ours / layered spheres", name);
	benchReport_AddAim(report, ours->bestMicroseconds / oracle->bestMicroseconds, 1.5, "%s: ours / oracle", name);
	const struct
	{
		const char* what;
		double ours, paper;
	} rows[] = {
		{ "time, layered spheres / BD spheres", layered->bestMicroseconds / paper->bestMicroseconds, 2250.0 },
		{ "time, layered spheres / ours", layered->bestMicroseconds / ours->bestMicroseconds, (double)NAN },
		{ "tests, BD spheres / layered spheres", paper->volumeTests / layered->volumeTests, 3890.0 / 2150.0 },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
	{
		benchRow* row = benchReport_AddRow(report, "Beside the paper's Table 2");
		benchRow_Text(row, "scene", name);
		benchRow_Text(row, "what", rows[i].what);
		benchRow_Number(row, "here", rows[i].ours, 2);
		if (isfinite(rows[i].paper))
		{
			benchRow_Number(row, "paper", rows[i].paper, 2);
		}
	}
}

// Tightness first: it tells by how much the radii of BD spheres grow.
static double RunScene(
    const benchOptions* options, benchReport* report, const benchFieldedScene* scene, double ballRadius)
{
	static benchTightness tightness;
	benchFieldedResult results[BENCH_METHODS];
	if (!benchTightness_OfFields(&tightness, &scene->actors[0], !options->full ? 22 : 11, false, report))
	{
		return NAN;
	}
	benchFielded_Run(scene, options, options->full ? 7 : options->quick ? 1 : 3, results, report);
	benchCurtainBall(scene, ballRadius, options->full ? 50 : options->quick ? 3 : 15, report);
	AddAims(report, scene->name, results);
	benchTightness_AddFieldRows(report, scene->name, &tightness);
	benchRow* row = benchReport_AddRow(report, "Mean growth of BD spheres");
	benchRow_Text(row, "scene", scene->name);
	double growth = benchTightness_GetMeanOfAll(&tightness, bench_bdGrown);
	benchRow_Number(row, "here", growth, 2);
	benchRow_Number(row, "paper", 1.51, 2);
	benchRow_Text(row, "how", scene->isScaled ? "set by construction: amplitudes scaled" : "as simulated");
	return growth;
}

// As simulated; and with all amplitudes scaled so that radii of BD spheres grow as much as the paper's do.
static void RunReduced(
    const benchOptions* options, benchReport* report, const simCurtain* curtain, const simReduced* reduced)
{
	size_t count = (size_t)reduced->frameCount * reduced->fieldCount;
	sceneMesh ball = sceneMakeSphere(8), mesh = sceneMesh_Copy(&curtain->mesh);
	float* scaled = calloc(count, sizeof(float));
	if (!sceneMesh_IsValid(&ball) || !sceneMesh_IsValid(&mesh) || scaled == NULL)
	{
		benchReport_Fail(report, "out of memory");
	}
	else
	{
		const snugFrame identity = { 0 };
		double radius = (double)curtain->ballRadius;
		sceneMesh_Transform(&ball, &identity, (double)curtain->ballRadius);
		memcpy(mesh.positions, reduced->rest, 3 * (size_t)mesh.vertexCount * sizeof(float));
		int frameCount = (int)curtain->frameCount;
		benchFieldedScene scene = {
			.name = "curtain",
			.actors = { benchActor_Fielded(
			                &mesh, reduced->fields, reduced->fieldCount, reduced->amplitudes, frameCount),
			    benchActor_Rigid(&ball, frameCount) },
		};
		scene.actors[1].places = curtain->ball;
		double growth = RunScene(options, report, &scene, radius), scale = 0.51 / (growth - 1.0);
		for (size_t i = 0; i < count; ++i)
		{
			scaled[i] = (float)(scale * (double)reduced->amplitudes[i]);
		}
		scene.name = "curtain, gentler";
		scene.isScaled = true;
		scene.actors[0].amplitudes = scaled;
		if (report->failure[0] == '\0')
		{
			benchBdLevels(report, "curtain", &scene.actors[0], NULL);
			RunScene(options, report, &scene, radius);
		}
	}
	sceneMesh_Free(&ball);
	sceneMesh_Free(&mesh);
	free(scaled);
}

void benchCurtain(const benchOptions* options, benchReport* report)
{
	simCurtain curtain;
	simReduced reduced;
	simError error = { "" };
	benchProgress(options, "curtain: simulating …");
	if (!simCurtain_Create(&curtain, FRAMES, NULL, NULL, &error))
	{
		benchReport_Fail(report, "%s", error.text);
		return;
	}
	const simReduceDef def = {
		.frames = curtain.frames,
		.frameCount = curtain.frameCount,
		.vertexCount = curtain.mesh.vertexCount,
		.fieldCount = FIELDS,
	};
	benchProgress(options, "curtain: principal components …");
	if (simReduced_Compute(&reduced, &def, &error))
	{
		AddReduction(report, &reduced);
		benchProgress(options, "curtain: queries …");
		RunReduced(options, report, &curtain, &reduced);
		simReduced_Free(&reduced);
	}
	else
	{
		benchReport_Fail(report, "%s", error.text);
	}
	simCurtain_Free(&curtain);
}
