// Contact spheres by level, and what BD bounds cannot do.
#include "lab/bench/timer.h"
#include "papers/bdtree/contact_spheres.h"
#include "papers/bdtree/modal_body.h"
#include "papers/common/tightness.h"

#include <math.h>
#include <stdlib.h>

/// Two of one body, and their spheres.
typedef struct twins
{
	snugModel* model;
	contactTree* tree;
	snugBody* bodies[2];
	contactSpheres* spheres[2];
} twins;

static snugStatus MakeTwins(twins* t, const benchModalBody* body)
{
	const benchActor actor = benchModalBody_GetActor(body);
	*t = (twins){ .model = NULL };
	snugStatus status = benchActor_MakeModel(&actor, &t->model);
	if (status == snug_success)
	{
		status = contactTree_Create(&(contactTreeDef){ .model = t->model, .leafTriangles = 1 }, &t->tree);
	}
	for (int i = 0; i < 2 && status == snug_success; ++i)
	{
		status = snugBody_Create(&(snugBodyDef){ .model = t->model }, &t->bodies[i]);
		const contactSpheresDef def = { .tree = t->tree, .body = t->bodies[i] };
		status = status == snug_success ? contactSpheres_Create(&def, &t->spheres[i]) : status;
	}
	return status;
}

static void FreeTwins(twins* t)
{
	for (int i = 0; i < 2; ++i)
	{
		contactSpheres_Destroy(t->spheres[i]);
		snugBody_Destroy(t->bodies[i]);
	}
	contactTree_Destroy(t->tree);
	snugModel_Destroy(t->model);
}

// What a traversal that stops at a level costs, and what it finds: one body twice, in the frames of a meeting.
static void RunLevel(twins* t, const benchModalBody* body, const snugFrame* places, uint32_t level, benchReport* report)
{
	const contactQuery query = { .level = level };
	double tests = 0.0, updates = 0.0, contacts = 0.0, sum = 0.0;
	for (int f = 0; f < BENCH_MODAL_FRAMES && report->failure[0] == '\0'; ++f)
	{
		double best = INFINITY;
		contactResult found = { .status = snug_success };
		for (int pass = 0; pass < 5 && found.status == snug_success; ++pass)
		{
			double start = benchNow();
			for (int i = 0; i < 2; ++i)
			{
				snugBody_SetAmplitudes(t->bodies[i], body->amplitudes + f * BENCH_MODES, BENCH_MODES);
			}
			snugBody_SetFrame(t->bodies[1], places + f);
			found = contactSpheres_Collide(t->spheres[0], t->spheres[1], &query);
			best = fmin(best, benchNow() - start);
		}
		if (found.status != snug_success)
		{
			benchReport_Fail(report, "contact spheres: %s", snugGetStatusText(found.status));
		}
		tests += (double)found.sphereTests / BENCH_MODAL_FRAMES;
		updates += (double)found.spheresUpdated / BENCH_MODAL_FRAMES;
		contacts += (double)found.count / BENCH_MODAL_FRAMES;
		sum += best;
	}
	benchRow* row = benchReport_AddRow(report, "Contact spheres by level, per frame");
	benchRow_Text(row, "body", body->name);
	benchRow_Count(row, "level", level);
	benchRow_Number(row, "contacts", contacts, 1);
	benchRow_Number(row, "sphereTests", tests, 0);
	benchRow_Number(row, "spheresUpdated", updates, 0);
	benchRow_Number(row, "bestMicroseconds", 1e3 * sum / BENCH_MODAL_FRAMES, 1);
}

void benchModalContacts(benchReport* report, const benchModalBody* body, const snugFrame* places)
{
	twins t;
	if (MakeTwins(&t, body) != snug_success)
	{
		benchReport_Fail(report, "%s: cannot make contact spheres", body->name);
	}
	for (uint32_t level = 4; level <= 10 && report->failure[0] == '\0'; level += 2)
	{
		RunLevel(&t, body, places, level, report);
	}
	FreeTwins(&t);
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
