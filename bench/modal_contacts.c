// Contact spheres by level, and what BD bounds cannot do.
#include "bench/modal_body.h"
#include "bench/tightness.h"
#include "bench/timer.h"

#include <math.h>
#include <stdlib.h>

// What a traversal that stops at a level costs, and what it finds: one body twice, in the frames of a meeting.
static void RunLevel(const benchModalBody* body, const snugFrame* places, uint32_t level, benchReport* report)
{
	snugModelDef def = {
		.positions = body->mesh.positions,
		.vertexCount = body->mesh.vertexCount,
		.triangles = body->mesh.triangles,
		.triangleCount = body->mesh.triangleCount,
		.deformer = snug_fields,
		.tree = { .split = snug_splitMedian, .leafTriangles = 1, .branching = 2 },
		.fields = { .fieldCount = BENCH_MODES, .displacements = body->fields },
		.bounds = &(snugBoundsDef){ .bound = snug_boundBall, .contactLevel = level },
	};
	snugModel* model = NULL;
	snugBody* bodies[2] = { NULL, NULL };
	snugStatus status = snugModel_Create(&def, &model);
	for (int i = 0; i < 2 && status == snug_success; ++i)
	{
		status = snugBody_Create(&(snugBodyDef){ .model = model }, &bodies[i]);
	}
	double tests = 0.0, updates = 0.0, contacts = 0.0, sum = 0.0;
	for (int f = 0; f < BENCH_MODAL_FRAMES && status == snug_success; ++f)
	{
		double best = INFINITY;
		snugSphereResult found = { .status = snug_success };
		for (int pass = 0; pass < 5 && status == snug_success; ++pass)
		{
			double start = benchNow();
			for (int i = 0; i < 2; ++i)
			{
				snugBody_SetAmplitudes(bodies[i], body->amplitudes + f * BENCH_MODES, BENCH_MODES);
			}
			snugBody_SetFrame(bodies[1], places + f);
			found = snugCollideSpheres(bodies[0], bodies[1], NULL);
			best = fmin(best, benchNow() - start);
			status = found.status;
		}
		tests += (double)found.sphereTests / BENCH_MODAL_FRAMES;
		updates += (double)found.spheresUpdated / BENCH_MODAL_FRAMES;
		contacts += (double)found.count / BENCH_MODAL_FRAMES;
		sum += best;
	}
	if (status != snug_success)
	{
		benchReport_Fail(report, "contact spheres: %s", snugGetStatusText(status));
	}
	benchRow* row = benchReport_AddRow(report, "Contact spheres by level, per frame");
	benchRow_Text(row, "body", body->name);
	benchRow_Count(row, "level", level);
	benchRow_Number(row, "contacts", contacts, 1);
	benchRow_Number(row, "sphereTests", tests, 0);
	benchRow_Number(row, "spheresUpdated", updates, 0);
	benchRow_Number(row, "bestMicroseconds", 1e3 * sum / BENCH_MODAL_FRAMES, 1);
	snugBody_Destroy(bodies[0]);
	snugBody_Destroy(bodies[1]);
	snugModel_Destroy(model);
}

void benchModalContacts(benchReport* report, const benchModalBody* body, const snugFrame* places)
{
	for (uint32_t level = 4; level <= 10 && report->failure[0] == '\0'; level += 2)
	{
		RunLevel(body, places, level, report);
	}
}

// A ball that shrinks to a fifth: radii of BD spheres grow.
void benchShrinking(benchReport* report)
{
	enum
	{
		frames = 5
	};
	sceneMesh mesh = sceneMakeSphere(12);
	float* field = malloc(3 * (size_t)mesh.vertexCount * sizeof(float));
	float amplitudes[frames];
	if (!sceneMesh_IsValid(&mesh) || field == NULL)
	{
		benchReport_Fail(report, "out of memory");
	}
	else
	{
		for (size_t i = 0; i < 3 * (size_t)mesh.vertexCount; ++i)
		{
			field[i] = -mesh.positions[i];
		}
		for (int f = 0; f < frames; ++f)
		{
			amplitudes[f] = 0.2f * (float)f;
		}
		static benchTightness found;
		const benchActor actor = benchActor_Fielded(&mesh, field, 1, amplitudes, frames);
		if (benchTightness_OfFields(&found, &actor, frames - 1, false, report))
		{
			benchTightness_AddFieldRows(report, "shrinking ball", &found);
		}
	}
	sceneMesh_Free(&mesh);
	free(field);
}
