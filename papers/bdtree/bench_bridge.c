// `snug bench bridge`: Figs. 6 and 7 of the BD-tree paper: spheres of a bridge that sways far (papers/bdtree/bridge.h),
// and fish that fall on it.
#include "lab/bench/bench.h"
#include "lab/bench/timer.h"
#include "papers/bdtree/bridge.h"
#include "papers/common/tightness.h"
#include "program/pictures/camera.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL 6
#define PAPER_MEAN 1.25
#define PAPER_MOST 1.56
#define SCALES 3
#define POSES 2 // of the sway, for tightness

/// How much there is to do.
typedef struct bridgePlan
{
	uint32_t fishCount, cellCount, frames;
	int steps;
} bridgePlan;

static bridgePlan MakePlan(const benchOptions* options)
{
	if (options->full)
	{
		return (bridgePlan){ SIM_SHOWER_FISH, 5000, 300, 6600 };
	}
	return options->quick ? (bridgePlan){ 40, 300, 30, 150 } : (bridgePlan){ 150, 800, 60, 500 };
}

// ---- Spheres of a level ----------------------------------------------------------------------------------------

/// Ours, over the undeformed spheres about the mean of a node's vertices, which is what the paper divides by.
typedef struct oursGrown
{
	double mean, most;
} oursGrown;

// The radius about the mean of the corners of a node's triangles, at rest.
static double FindRestRadius(const simShower* s, uint32_t treeNode, uint32_t* triangles)
{
	uint32_t count = contactTree_GetTriangles(s->bridgeTree, treeNode, triangles, s->bridgeMesh.triangleCount);
	double mean[3] = { 0.0, 0.0, 0.0 }, sums[3] = { 0.0, 0.0, 0.0 }, radius2 = 0.0;
	for (int pass = 0; pass < 2; ++pass)
	{
		for (size_t i = 0; i < 3 * (size_t)count; ++i)
		{
			const float* p = s->sway.rest + 3 * (size_t)s->bridgeMesh.triangles[3 * (size_t)triangles[i / 3] + i % 3];
			double x = (double)p[0] - mean[0], y = (double)p[1] - mean[1], z = (double)p[2] - mean[2];
			radius2 = pass == 1 ? fmax(radius2, x * x + y * y + z * z) : 0.0;
			for (int k = 0; k < 3 && pass == 0; ++k)
			{
				sums[k] += (double)p[k] / (3.0 * count);
			}
		}
		memcpy(mean, sums, sizeof(mean));
	}
	return sqrt(radius2);
}

static bool MeasureOurs(simShower* s, const float* amplitudes, uint32_t poses, oursGrown* out)
{
	contactSphere list[1 << LEVEL];
	uint32_t* triangles = malloc(s->bridgeMesh.triangleCount * sizeof(uint32_t));
	double sum = 0.0, number = 0.0;
	bool good = triangles != NULL;
	*out = (oursGrown){ 0.0, 0.0 };
	for (uint32_t pose = 0; pose < poses && good; ++pose)
	{
		uint32_t count = 0;
		good = snugBody_SetAmplitudes(s->bridge, amplitudes + (size_t)pose * s->sway.fieldCount, s->sway.fieldCount) ==
		           snug_success &&
		       contactSpheres_GetLevel(s->stage.spheres, NULL, LEVEL, list, NULL, 1 << LEVEL, &count) == snug_success;
		for (uint32_t i = 0; i < count && good; ++i)
		{
			double ratio = (double)list[i].radius / FindRestRadius(s, list[i].treeNode, triangles);
			sum += ratio;
			number += 1.0;
			out->most = fmax(out->most, ratio);
		}
	}
	out->mean = sum / fmax(number, 1.0);
	free(triangles);
	return good;
}

static void AddLevelRow(benchReport* report, double scale, const benchTightness* t, const oursGrown* ours)
{
	benchRow* row = benchReport_AddRow(
	    report, "Spheres of level 6 of the bridge that sways: radius / that of the undeformed wrapped sphere");
	benchRow_Number(row, "swayScale", scale, 2);
	benchRow_Number(row, "oursMean", ours->mean, 3);
	benchRow_Number(row, "oursGreatest", ours->most, 3);
	benchRow_Number(row, "bdMean", benchTightness_GetMean(t, bench_bdGrown, LEVEL), 3);
	benchRow_Number(row, "bdGreatest", benchTightness_GetMost(t, bench_bdGrown, LEVEL), 3);
	benchRow_Number(row, "layeredMean", benchTightness_GetMean(t, bench_layeredGrown, LEVEL), 3);
	benchRow_Number(row, "layeredGreatest", benchTightness_GetMost(t, bench_layeredGrown, LEVEL), 3);
	benchRow_Number(row, "layeredAtRestMean", benchTightness_GetMean(t, bench_layeredAtRest, LEVEL), 3);
}

static bool MeasureLevel(simShower* s, double scale, benchReport* report, benchTightness* found, oursGrown* ours)
{
	const simReduced* sway = &s->sway;
	float amplitudes[POSES * SIM_SHOWER_FIELDS];
	sceneMesh mesh = s->bridgeMesh;
	mesh.positions = sway->rest;
	for (uint32_t k = 0; k < POSES * sway->fieldCount; ++k)
	{
		uint32_t frame = (k / sway->fieldCount + 1) * (sway->frameCount - 1) / POSES;
		amplitudes[k] = (float)scale * sway->amplitudes[frame * sway->fieldCount + k % sway->fieldCount];
	}
	const benchActor actor = benchActor_Fielded(&mesh, sway->fields, sway->fieldCount, amplitudes, POSES);
	return benchTightness_OfFields(found, &actor, 1, true, report) && MeasureOurs(s, amplitudes, POSES, ours);
}

// As it sways; at the size at which the paper's own spheres are as loose here as in print; and far. The paper's radii
// grow in proportion to amplitudes, so the size is known from the first.
static void RunLevels(simShower* s, benchReport* report)
{
	static benchTightness found;
	double scales[SCALES] = { 1.0, NAN, 4.0 };
	oursGrown ours, same = { NAN, NAN };
	double greatest = NAN;
	for (int i = 0; i < SCALES && MeasureLevel(s, scales[i], report, &found, &ours); ++i)
	{
		AddLevelRow(report, scales[i], &found, &ours);
		if (i == 0)
		{
			scales[1] = (PAPER_MEAN - 1.0) / (benchTightness_GetMean(&found, bench_bdGrown, LEVEL) - 1.0);
		}
		else if (i == 1)
		{
			same = ours;
			greatest = benchTightness_GetMost(&found, bench_bdGrown, LEVEL);
		}
	}
	benchReport_AddAim(
	    report, same.mean, PAPER_MEAN, "level 6, mean growth of ours where the paper's own spheres have 1.25");
	benchReport_AddAim(
	    report, same.most, PAPER_MOST, "level 6, greatest growth of ours there (the paper's spheres: %.3f)", greatest);
}

// ---- Fish ------------------------------------------------------------------------------------------------------

typedef struct showerRun
{
	double ms, lateMs, contacts, stage, tests, updates, deepest;
	uint64_t culled; ///< fish outside of what a camera sees, by root spheres and boxes
} showerRun;

#define WIDTH 480
#define HEIGHT 360

// The four sides of what a camera sees, and the plane through its eye.
static void FindFrustum(snugPlane planes[5])
{
	static const float eye[3] = { 22.0f, 14.0f, 26.0f }, target[3] = { 0.0f, 2.0f, 0.0f };
	static const float vertical[3] = { 0.0f, 1.0f, 0.0f };
	camera c = cameraMake(eye, target, vertical, 42.0f, WIDTH, HEIGHT);
	double tall = 0.5 * HEIGHT / (double)c.focal, wide = 0.5 * WIDTH / (double)c.focal;
	for (int i = 0; i < 5; ++i)
	{
		double sign = (i & 1) != 0 ? 1.0 : -1.0;
		planes[i].offset = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			double side = i < 2 ? sign * (double)c.right[k] : sign * (double)c.up[k];
			planes[i].normal[k] = i == 4 ? (double)c.forward[k] : (i < 2 ? wide : tall) * (double)c.forward[k] + side;
			planes[i].offset -= planes[i].normal[k] * (double)c.eye[k];
		}
	}
}

static bool Cull(const simWorld* world, uint64_t* culled)
{
	snugPlane planes[5];
	bool good = true;
	FindFrustum(planes);
	for (uint32_t i = 0; i < world->count && good; ++i)
	{
		bool isOutside = false;
		good = snugBody_IsOutside(world->bodies[i].body, NULL, planes, 5, &isOutside) == snug_success;
		*culled += isOutside;
	}
	return good;
}

static bool RunShower(
    const benchOptions* options, simShower* s, const bridgePlan* plan, showerRun* run, simError* error)
{
	*run = (showerRun){ .ms = 0.0 };
	for (int i = 0; i < plan->steps; ++i)
	{
		if (i % 50 == 0)
		{
			char text[64];
			snprintf(text, sizeof(text), "bridge: step %d of %d …", i, plan->steps);
			benchProgress(options, text);
		}
		double start = benchNow();
		if (!simShower_Step(s, error))
		{
			return false;
		}
		double ms = benchNow() - start;
		const simCounts* c = &s->world.counts;
		run->ms += ms / plan->steps;
		run->lateMs += i >= plan->steps - plan->steps / 5 ? 5.0 * ms / plan->steps : 0.0;
		run->contacts += (double)c->contacts / plan->steps;
		run->stage += (double)c->groundContacts / plan->steps;
		run->tests += (double)c->sphereTests / plan->steps;
		run->updates += (double)c->spheresUpdated / plan->steps;
		run->deepest = fmax(run->deepest, c->deepest);
	}
	return Cull(&s->world, &run->culled) || simError_Set(error, "culling failed");
}

static void AddShowerRow(benchReport* report, const simShower* s, const bridgePlan* plan, const showerRun* run)
{
	benchRow* row = benchReport_AddRow(report, "Fish that fall on the bridge, per step");
	benchRow_Count(row, "fish", s->world.count);
	benchRow_Count(row, "steps", (uint64_t)plan->steps);
	benchRow_Number(row, "milliseconds", run->ms, 2);
	benchRow_Number(row, "lateMilliseconds", run->lateMs, 2);
	benchRow_Number(row, "fishWithFish", run->contacts, 0);
	benchRow_Number(row, "fishWithTriangles", run->stage, 0);
	benchRow_Number(row, "sphereTests", run->tests, 0);
	benchRow_Number(row, "updates", run->updates, 0);
	benchRow_Number(row, "deepestMetres", run->deepest, 3);
	benchRow_Count(row, "fishNotDrawn", run->culled);
	benchRow_Count(row, "trianglesNotDrawn", run->culled * s->fishMesh.triangleCount);
}

static void AddSwayRow(benchReport* report, const simShower* s, double seconds)
{
	const simReduced* sway = &s->sway;
	benchRow* row = benchReport_AddRow(report, "The sway, by co-rotated bricks, compressed to ten fields");
	benchRow_Count(row, "vertices", s->bridgeMesh.vertexCount);
	benchRow_Count(row, "frames", sway->frameCount);
	benchRow_Count(row, "fields", sway->fieldCount);
	benchRow_Number(row, "farthestMetres", s->reach, 2);
	benchRow_Number(row, "rmsErrorMetres", sway->rmsErrors[sway->fieldCount], 5);
	benchRow_Number(row, "greatestErrorMetres", sway->maxErrors[sway->fieldCount], 5);
	benchRow_Number(row, "secondsToMake", seconds, 1);
}

void benchBridge(const benchOptions* options, benchReport* report)
{
	static simShower shower;
	const bridgePlan plan = MakePlan(options);
	simError error = { "" };
	showerRun run;
	benchProgress(options, "bridge: swaying …");
	double start = benchNow();
	const simShowerDef def = { plan.fishCount, plan.cellCount, plan.frames, 1, { NULL, NULL } };
	if (!simShower_Create(&shower, &def, &error))
	{
		benchReport_Fail(report, "bridge: %s", error.text);
		return;
	}
	AddSwayRow(report, &shower, 1e-3 * (benchNow() - start));
	benchProgress(options, "bridge: spheres …");
	RunLevels(&shower, report);
	if (RunShower(options, &shower, &plan, &run, &error))
	{
		AddShowerRow(report, &shower, &plan, &run);
	}
	else
	{
		benchReport_Fail(report, "bridge: %s", error.text);
	}
	simShower_Free(&shower);
}
