#include "bench/sizes.h"

#include "bench/timer.h"
#include "scenes/mesh.h"

#include <math.h>

static snugModelDef MakeDef(const sceneMesh* mesh, snugDeformer deformer)
{
	snugModelDef def = { .positions = mesh->positions,
		.vertexCount = mesh->vertexCount,
		.triangles = mesh->triangles,
		.triangleCount = mesh->triangleCount,
		.deformer = deformer };
	return def;
}

static double GetBytesPerTriangle(const snugModelInfo* info)
{
	return (double)(info->bytes - info->restMeshBytes) / (double)info->triangleCount;
}

/// How long a model takes to load where its bytes are, in ms.
typedef struct loadTimes
{
	double checked;
	double trusted;
} loadTimes;

static loadTimes LoadModel(const snugModel* model)
{
	size_t bytes;
	const void* block = snugModel_GetBlock(model, &bytes);
	double least[2] = { INFINITY, INFINITY };
	for (int i = 0; i < 10; ++i)
	{
		const snugLoadDef def = { .inPlace = true, .trusted = i % 2 != 0 };
		snugModel* loaded = NULL;
		double start = benchNow();
		snugStatus status = snugModel_Load(block, bytes, &def, &loaded);
		double elapsed = status == snug_success ? benchNow() - start : NAN;
		least[i % 2] = fmin(least[i % 2], elapsed);
		snugModel_Destroy(loaded);
	}
	return (loadTimes){ least[0], least[1] };
}

// Build one model `times` times; the least time counts, since building is long and only disturbed upwards.
static double BuildModel(
    benchReport* report, const sceneMesh* mesh, snugSplit split, int times, double* bytesPerTriangle)
{
	snugModelInfo info = { .vertexCount = 0 };
	loadTimes loads = { NAN, NAN };
	benchSamples samples = { .count = 0 };
	snugModelDef def = MakeDef(mesh, snug_rigid);
	def.tree.split = split;
	for (int i = 0; i < times; ++i)
	{
		snugModel* model;
		double start = benchNow();
		snugStatus status = snugModel_Create(&def, &model);
		benchSamples_Add(&samples, 1e-3 * (benchNow() - start));
		if (status != snug_success)
		{
			benchReport_Fail(report, "cannot build a model: %s", snugGetStatusText(status));
			return NAN;
		}
		info = snugModel_GetInfo(model);
		loads = LoadModel(model);
		snugModel_Destroy(model);
	}
	*bytesPerTriangle = GetBytesPerTriangle(&info);
	benchRow* row = benchReport_AddRow(report, "Building a model");
	benchRow_Count(row, "triangles", info.triangleCount);
	benchRow_Text(row, "split", split == snug_splitMedian ? "median" : "default");
	benchRow_Number(row, "buildSeconds", benchSamples_Median(&samples), 3);
	benchRow_Number(row, "buildSecondsMin", benchSamples_Min(&samples), 3);
	benchRow_Number(row, "bytesPerTriangleBeyondRestMesh", *bytesPerTriangle, 1);
	benchRow_Number(row, "bytesPerTriangle", (double)info.bytes / (double)info.triangleCount, 1);
	benchRow_Number(row, "loadGBPerSecond", 1e-6 * (double)info.bytes / loads.checked, 2);
	benchRow_Number(row, "trustedLoadMs", loads.trusted, 4);
	benchRow_Count(row, "nodes", info.nodeCount);
	benchRow_Count(row, "depth", info.depth);
	return benchSamples_Median(&samples);
}

void benchBuilds(const benchOptions* options, benchReport* report)
{
	static const uint32_t frequencies[3] = { 71, 224, 708 }; // 100,820; 1,003,520; 10,025,280 triangles
	double seconds = NAN, bytes = NAN, ignored;
	for (int i = 0; i < (!options->full ? 2 : 3) && report->failure[0] == '\0'; ++i)
	{
		sceneMesh mesh = sceneMakeBlob(frequencies[i], 3);
		if (!sceneMesh_IsValid(&mesh))
		{
			benchReport_Fail(report, "out of memory");
			return;
		}
		int times = i == 2 ? 1 : 3;
		double elapsed = BuildModel(report, &mesh, snug_splitDefault, times, i == 1 ? &bytes : &ignored);
		seconds = i == 1 ? elapsed : seconds;
		if (options->full && i < 2)
		{
			BuildModel(report, &mesh, snug_splitMedian, times, &ignored);
		}
		sceneMesh_Free(&mesh);
	}
	benchReport_AddAim(report, seconds, 1.0, "build of a model of a million triangles, seconds");
	benchReport_AddAim(report, bytes, 64.0, "model of a million triangles: bytes per triangle beyond the rest mesh");
}

// Touch everything: every vertex set, every bound refitted, and a query against a copy in nearly the same place, which
// reaches every leaf.
static snugStatus TouchBody(snugBody* body, snugBody* other, const sceneMesh* mesh, snugDeformer deformer)
{
	snugStatus status = snug_success;
	if (deformer == snug_free)
	{
		status = snugBody_SetVertices(body, mesh->positions, 0, 0, mesh->vertexCount);
	}
	if (status == snug_success)
	{
		status = snugBody_Refit(body);
	}
	return status == snug_success ? snugCollide(body, other, NULL).status : status;
}

static void AddSizeRow(benchReport* report, const char* what, const char* deformer, size_t bytes, uint32_t triangles)
{
	benchRow* row = benchReport_AddRow(report, "Memory of a body");
	benchRow_Text(row, "body", what);
	benchRow_Text(row, "deformer", deformer);
	benchRow_Count(row, "triangles", triangles);
	benchRow_Count(row, "bytes", bytes);
	benchRow_Number(row, "bytesPerTriangle", (double)bytes / (double)triangles, 2);
}

// Sizes of a body that has been used all over and of one that has not been used, or statuses.
static snugStatus MeasureBodies(const snugModel* model, const sceneMesh* mesh, snugDeformer deformer, size_t sizes[2])
{
	snugPool* pool = NULL;
	snugBody *touched = NULL, *other = NULL, *untouched = NULL;
	snugPoolDef poolDef = { .bytes = (size_t)64 << 20 };
	snugStatus status = snugPool_Create(&poolDef, &pool);
	snugBodyDef own = { .model = model }, shared = { .model = model, .pool = pool };
	status = status == snug_success ? snugBody_Create(&own, &touched) : status;
	status = status == snug_success ? snugBody_Create(&own, &other) : status;
	status = status == snug_success ? snugBody_Create(&shared, &untouched) : status;
	status = status == snug_success ? TouchBody(touched, other, mesh, deformer) : status;
	if (status == snug_success)
	{
		sizes[0] = snugBody_GetMemory(touched);
		sizes[1] = snugBody_GetMemory(untouched);
	}
	snugBody_Destroy(touched);
	snugBody_Destroy(other);
	snugBody_Destroy(untouched);
	snugPool_Destroy(pool);
	return status;
}

void benchBodySizes(benchReport* report, snugDeformer deformer)
{
	const char* name = deformer == snug_rigid ? "rigid" : "free";
	sceneMesh mesh = sceneMakeBlob(67, 1);
	snugModel* model = NULL;
	size_t sizes[2] = { 0, 0 };
	snugModelDef def = MakeDef(&mesh, deformer);
	snugStatus status = sceneMesh_IsValid(&mesh) ? snugModel_Create(&def, &model) : snug_outOfMemory;
	status = status == snug_success ? MeasureBodies(model, &mesh, deformer, sizes) : status;
	if (status != snug_success)
	{
		benchReport_Fail(report, "memory of a %s body: %s", name, snugGetStatusText(status));
	}
	else
	{
		AddSizeRow(report, "used everywhere, own memory", name, sizes[0], mesh.triangleCount);
		AddSizeRow(report, "untouched, shared pool", name, sizes[1], mesh.triangleCount);
		benchReport_AddAim(report, (double)sizes[0] / (double)mesh.triangleCount, 40.0,
		    "%s body, used everywhere: bytes per triangle", name);
		benchReport_AddAim(report, (double)sizes[1], 16384.0, "%s body, untouched, with a shared pool: bytes", name);
	}
	snugModel_Destroy(model);
	sceneMesh_Free(&mesh);
}
