// `snug bench load`: what happens before any query: building models and loading them, the memory of bodies, and setting
// the vertices of free bodies.
#include "lab/bench/blend_bodies.h"
#include "lab/bench/timer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FREQUENCY 67 // 44,892 vertices, 89,780 triangles

static bool Require(benchReport* report, const char* what, snugStatus status)
{
	if (status != snug_success)
	{
		benchReport_Fail(report, "%s: %s", what, snugGetStatusText(status));
	}
	return status == snug_success;
}

// ---- Models ----------------------------------------------------------------------------------------------------

/// What a model costs before it is used.
typedef struct Model
{
	double seconds;          ///< to build: the least of some times, since building is long and only disturbed upwards
	double checked, trusted; ///< milliseconds to load where its bytes are
	snugModelInfo info;
} Model;

static void TimeLoads(const snugModel* model, Model* found)
{
	size_t bytes;
	const void* block = snugModel_GetBlock(model, &bytes);
	for (int i = 0; i < 10; ++i)
	{
		const snugLoadDef def = { .inPlace = true, .trusted = i % 2 != 0 };
		double* least = def.trusted ? &found->trusted : &found->checked;
		snugModel* loaded = NULL;
		double start = benchNow();
		snugStatus status = snugModel_LoadMemory(block, bytes, &def, &loaded);
		*least = fmin(*least, status == snug_success ? benchNow() - start : (double)NAN);
		snugModel_Destroy(loaded);
	}
}

static bool Build(const snugModelDef* def, int times, Model* found, benchReport* report)
{
	*found = (Model){ INFINITY, INFINITY, INFINITY, { 0 } };
	for (int i = 0; i < times; ++i)
	{
		snugModel* model;
		double start = benchNow();
		snugStatus status = snugModel_Create(def, &model);
		found->seconds = fmin(found->seconds, 1e-3 * (benchNow() - start));
		if (!Require(report, "cannot build a model", status))
		{
			return false;
		}
		found->info = snugModel_GetInfo(model);
		TimeLoads(model, found);
		snugModel_Destroy(model);
	}
	return true;
}

static double GetBytes(const Model* model)
{
	return (double)(model->info.bytes - model->info.restMeshBytes) / (double)model->info.triangleCount;
}

// A row; `plain` is the same mesh without a deformer, or null.
static void AddModel(benchReport* report, const char* deformer, const Model* model, const Model* plain)
{
	const snugModelInfo* info = &model->info;
	benchRow* row = benchReport_AddRow(report, "Building a model, and loading it");
	benchRow_Text(row, "deformer", deformer);
	benchRow_Count(row, "triangles", info->triangleCount);
	benchRow_Number(row, "buildSeconds", model->seconds, 3);
	benchRow_Number(row, "bytesPerTriangle", (double)info->bytes / (double)info->triangleCount, 1);
	benchRow_Number(row, "beyondRestMesh", GetBytes(model), 1);
	benchRow_Number(row, "loadGBPerSecond", 1e-6 * (double)info->bytes / model->checked, 2);
	benchRow_Number(row, "trustedLoadMs", model->trusted, 4);
	benchRow_Count(row, "nodes", info->nodeCount);
	benchRow_Count(row, "depth", info->depth);
	if (plain != NULL)
	{
		benchRow_Number(row, "secondsPerMillionVerticesBeyondRigid",
		    1e6 * (model->seconds - plain->seconds) / (double)info->vertexCount, 2);
		benchRow_Number(row, "bytesPerTriangleBeyondRigid", GetBytes(model) - GetBytes(plain), 1);
	}
}

static void RunRigid(const benchOptions* options, benchReport* report)
{
	static const uint32_t frequencies[3] = { 71, 224, 708 }; // 100,820; 1,003,520; 10,025,280 triangles
	for (int i = 0; i < (options->full ? 3 : 2) && report->failure[0] == '\0'; ++i)
	{
		sceneMesh mesh = sceneMakeBlob(frequencies[i], 3);
		const snugModelDef def = sceneMesh_MakeDef(&mesh, snug_rigid);
		Model model;
		if (Build(&def, i == 2 ? 1 : options->repeats, &model, report))
		{
			AddModel(report, "rigid", &model, NULL);
			if (i == 1)
			{
				benchReport_AddAim(report, model.seconds, 1.0, "build of a model of a million triangles, seconds");
				benchReport_AddAim(report, GetBytes(&model), 64.0,
				    "model of a million triangles: bytes per triangle beyond the rest mesh");
			}
		}
		sceneMesh_Free(&mesh);
	}
}

// What weights of about 20 nodes per vertex add.
static void RunMeshless(const benchOptions* options, benchReport* report)
{
	static const uint32_t nodeCounts[2] = { 65, 550 };
	double seconds = NAN, bytes = NAN;
	benchOptions generated = *options;
	generated.model = NULL; // aims are about sizes
	for (int i = 0; i < 2 && report->failure[0] == '\0'; ++i)
	{
		sceneMeshless meshless;
		Model model, plain;
		if (!benchMakeMeshless(&meshless, &generated, FREQUENCY, nodeCounts[i], report))
		{
			return;
		}
		const snugModelDef def = sceneMakeBlendDef(&meshless.mesh, &meshless.weights, (snugTreeDef){ 0 });
		const snugModelDef rigid = sceneMesh_MakeDef(&meshless.mesh, snug_rigid);
		if (Build(&def, options->repeats, &model, report) && Build(&rigid, options->repeats, &plain, report))
		{
			char text[32];
			snprintf(text, sizeof(text), "meshless, %u nodes", nodeCounts[i]);
			AddModel(report, text, &model, &plain);
			seconds = fmax(seconds, 1e6 * (model.seconds - plain.seconds) / (double)model.info.vertexCount);
			bytes = fmax(bytes, GetBytes(&model) - GetBytes(&plain));
		}
		sceneMeshless_Free(&meshless);
	}
	benchReport_AddAim(report, seconds, 5.0, "meshless: building, seconds per million vertices more than rigid");
	benchReport_AddAim(report, bytes, 200.0, "meshless, weights included: bytes per triangle more than rigid");
}

// ---- Bodies ----------------------------------------------------------------------------------------------------

// The bytes of a body that has been used all over, and of one that has not been used: every bound refitted, and a query
// against a copy in the same place, which reaches every leaf.
static snugStatus MeasureBodies(const snugModel* model, size_t sizes[2])
{
	snugPool* pool = NULL;
	snugBody *touched = NULL, *other = NULL, *untouched = NULL;
	snugStatus status = snugPool_Create(&(snugPoolDef){ .bytes = (size_t)64 << 20 }, &pool);
	const snugBodyDef own = { .model = model }, shared = { .model = model, .pool = pool };
	status = status == snug_success ? snugBody_Create(&own, &touched) : status;
	status = status == snug_success ? snugBody_Create(&own, &other) : status;
	status = status == snug_success ? snugBody_Create(&shared, &untouched) : status;
	status = status == snug_success ? snugBody_Refit(touched) : status;
	status = status == snug_success ? snugCollide(touched, other, NULL).status : status;
	sizes[0] = status == snug_success ? snugBody_GetMemory(touched) : 0;
	sizes[1] = status == snug_success ? snugBody_GetMemory(untouched) : 0;
	snugBody_Destroy(touched);
	snugBody_Destroy(other);
	snugBody_Destroy(untouched);
	snugPool_Destroy(pool);
	return status;
}

static void AddSizes(benchReport* report, const char* name, const snugModel* model)
{
	static const char* const what[2] = { "used everywhere, own memory", "untouched, shared pool" };
	const uint32_t triangles = snugModel_GetInfo(model).triangleCount;
	size_t sizes[2];
	if (!Require(report, "memory of a body", MeasureBodies(model, sizes)))
	{
		return;
	}
	for (int i = 0; i < 2; ++i)
	{
		benchRow* row = benchReport_AddRow(report, "Memory of a body");
		benchRow_Text(row, "body", what[i]);
		benchRow_Text(row, "deformer", name);
		benchRow_Count(row, "triangles", triangles);
		benchRow_Count(row, "bytes", sizes[i]);
		benchRow_Number(row, "bytesPerTriangle", (double)sizes[i] / (double)triangles, 2);
	}
	benchReport_AddAim(
	    report, (double)sizes[0] / (double)triangles, 40.0, "%s body, used everywhere: bytes per triangle", name);
	// A free body's vertices are its pose, which it must have somewhere.
	const size_t vertices = strcmp(name, "free") == 0 ? 3 * sizeof(float) * snugModel_GetInfo(model).vertexCount : 0;
	benchReport_AddAim(report, (double)(sizes[1] - vertices), 16384.0,
	    "%s body, untouched, with a shared pool: bytes%s", name, vertices > 0 ? " beyond its vertices" : "");
}

// ---- Free bodies -----------------------------------------------------------------------------------------------

// Milliseconds to set a range of the vertices and refit, in turns between two shapes so that something always changes.
static double TimeRange(snugBody* body, const float* shapes[2], uint32_t first, uint32_t count)
{
	benchSamples samples = { .count = 0 };
	for (int i = 0; i < 60; ++i)
	{
		double start = benchNow();
		snugStatus status = snugBody_SetVertices(body, shapes[i & 1] + 3 * (size_t)first, 0, first, count);
		status = status == snug_success ? snugBody_Refit(body) : status;
		double elapsed = benchNow() - start;
		if (status != snug_success)
		{
			return NAN;
		}
		if (i >= 10)
		{
			benchSamples_Add(&samples, elapsed);
		}
	}
	return benchSamples_Median(&samples);
}

static void AddRanges(benchReport* report, const snugModel* model, const float* shapes[2])
{
	static const double fractions[4] = { 0.001, 0.01, 0.1, 1.0 };
	const uint32_t vertices = snugModel_GetInfo(model).vertexCount;
	snugBody* body = NULL;
	double ms = NAN;
	if (!Require(report, "a free body", snugBody_Create(&(snugBodyDef){ .model = model }, &body)))
	{
		return;
	}
	for (int i = 0; i < 4; ++i)
	{
		uint32_t count = (uint32_t)(fractions[i] * vertices);
		ms = TimeRange(body, shapes, (vertices - count) / 2, count);
		benchRow* row = benchReport_AddRow(report, "Setting a range of a free body's vertices, and refitting it");
		benchRow_Count(row, "verticesSet", count);
		benchRow_Count(row, "vertices", vertices);
		benchRow_Number(row, "setAndRefitMs", ms, 4);
		benchRow_Number(row, "nsPerVertexSet", 1e6 * ms / count, 1);
	}
	benchReport_AddAim(
	    report, ms, 0.4, "free body of 90K triangles: reading its vertices and refitting bottom-up, milliseconds");
	snugBody_Destroy(body);
}

static void RunBodies(benchReport* report, snugDeformer deformer)
{
	sceneMesh mesh = sceneMakeBlob(FREQUENCY, 1), other = sceneMakeBlob(FREQUENCY, 2);
	const snugModelDef def = sceneMesh_MakeDef(&mesh, deformer);
	snugModel* model = NULL;
	bool isThere = sceneMesh_IsValid(&mesh) && sceneMesh_IsValid(&other);
	if (Require(report, "a model", isThere ? snugModel_Create(&def, &model) : snug_outOfMemory))
	{
		AddSizes(report, deformer == snug_free ? "free" : "rigid", model);
		if (deformer == snug_free)
		{
			AddRanges(report, model, (const float* [2]){ mesh.positions, other.positions });
		}
	}
	snugModel_Destroy(model);
	sceneMesh_Free(&mesh);
	sceneMesh_Free(&other);
}

void benchLoad(const benchOptions* options, benchReport* report)
{
	benchProgress(options, "load: building models …");
	RunRigid(options, report);
	RunMeshless(options, report);
	RunBodies(report, snug_rigid);
	RunBodies(report, snug_free);
}
