#include "bench/fielded.h"

#include "baselines/layered_spheres.h"
#include "baselines/oracle.h"
#include "bench/timer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BINARY                                                        \
	{                                                                 \
		.split = snug_splitMedian, .leafTriangles = 1, .branching = 2 \
	}

// Volumes that changing amplitudes would enlarge by more than this part of their size are computed anew.
#define TEMPORAL 0.1

const benchFieldedMethod benchFieldedMethods[] = {
	{ .name = "ours", .quick = true },
	{ .name = "ours, on demand", .strategy = snug_strategyOnDemand, .quick = true },
	{ .name = "ours, front", .strategy = snug_strategyFront },
	{ .name = "ours, first order", .bound = snug_boundFirstOrder },
	{ .name = "ours, intervals", .bound = snug_boundInterval, .quick = true },
	{ .name = "ours, BD boxes", .bound = snug_boundZeroOrder },
	{ .name = "ours, BD oriented", .bound = snug_boundOriented },
	{ .name = "ours, BD spheres", .bound = snug_boundBall },
	{ .name = "ours, leaves bounded", .boundLeaves = true },
	{ .name = "ours, binary", .boundLeaves = true, .tree = BINARY, .strategy = snug_strategyOnDemand, .quick = true },
	{ .name = "BD spheres in our engine",
	    .bound = snug_boundMeanBall,
	    .boundLeaves = true,
	    .tree = BINARY,
	    .strategy = snug_strategyOnDemand },
	{ .name = "the paper: BD spheres", .kind = bench_byBd, .tree = BINARY, .quick = true },
	{ .name = "the paper: BD spheres, temporal",
	    .kind = bench_byBd,
	    .tree = BINARY,
	    .quick = true,
	    .bd = { bd_spheres, TEMPORAL } },
	{ .name = "the paper: BD boxes", .kind = bench_byBd, .tree = BINARY, .quick = true, .bd = { bd_boxes, 0.0 } },
	{ .name = "bottom-up", .strategy = snug_strategyBottomUp, .quick = true },
	{ .name = "bottom-up, free body", .kind = bench_byFreeing },
	{ .name = "layered spheres", .kind = bench_byLayers, .tree = BINARY, .quick = true },
	{ .name = "oracle", .kind = bench_byOracle, .quick = true },
	{ .name = NULL },
};

/// What one method needs.
typedef struct stage
{
	const benchFieldedMethod* method;
	snugModel* models[2];
	snugBody* bodies[2];
	oracleBody oracles[2];
	layeredSpheres* layers[2];
	bdTree* trees[2];
	bdBody* bd[2];
	float* world[2];
	double best[BENCH_MAX_FRAMES];
	benchFieldedResult result;
} stage;

int benchFielded_Find(const char* name)
{
	int i = 0;
	while (benchFieldedMethods[i].name != NULL && strcmp(benchFieldedMethods[i].name, name) != 0)
	{
		++i;
	}
	return i;
}

static bool IsBall(snugBound bound)
{
	return bound == snug_boundBall || bound == snug_boundMeanBall;
}

static snugModelDef MakeDef(const benchFielded* actor, const benchFieldedMethod* method)
{
	snugModelDef def = {
		.positions = actor->mesh->positions,
		.vertexCount = actor->mesh->vertexCount,
		.triangles = actor->mesh->triangles,
		.triangleCount = actor->mesh->triangleCount,
		.deformer = actor->fieldCount > 0 ? snug_fields : snug_rigid,
		.tree = method->tree,
	};
	if (actor->fieldCount > 0)
	{
		def.fields = (snugFieldsDef){
			.fieldCount = actor->fieldCount,
			.displacements = actor->fields,
		};
	}
	return def;
}

snugStatus benchFielded_MakeModel(const benchFielded* actor, const benchFieldedMethod* method, snugModel** model)
{
	snugModelDef def = MakeDef(actor, method);
	const snugBoundsDef bounds = { .bound = method->bound, .boundLeaves = method->boundLeaves };
	def.bounds = actor->fieldCount > 0 || IsBall(method->bound) ? &bounds : NULL;
	if (actor->fieldCount > 0 || !IsBall(method->bound))
	{
		return snugModel_Create(&def, model);
	}
	// Balls are compared with balls, so a rigid body among them has a field that moves nothing.
	static const uint16_t field = 0;
	static const float nothing[3] = { 0.0f, 0.0f, 0.0f };
	uint32_t* starts = calloc((size_t)actor->mesh->vertexCount + 1, sizeof(uint32_t));
	if (starts == NULL)
	{
		return snug_outOfMemory;
	}
	def.deformer = snug_fields;
	def.fields = (snugFieldsDef){
		.fieldCount = 1,
		.starts = starts,
		.fields = &field,
		.displacements = nothing,
	};
	snugStatus status = snugModel_Create(&def, model);
	free(starts);
	return status;
}

static void DestroyStage(stage* s)
{
	for (int i = 0; i < 2; ++i)
	{
		oracleBody_Destroy(&s->oracles[1 - i]);
		layeredSpheres_Destroy(s->layers[i]);
		bdBody_Destroy(s->bd[i]);
		bdTree_Destroy(s->trees[i]);
		free(s->world[i]);
		snugBody_Destroy(s->bodies[i]);
	}
	snugModel_Destroy(s->models[1] != s->models[0] ? s->models[1] : NULL);
	snugModel_Destroy(s->models[0]);
	*s = (stage){ .method = NULL };
}

// Two of the same body share a model.
static bool MakeSide(stage* s, int i, const benchFieldedScene* scene)
{
	const benchFielded* actor = scene->actors + i;
	bool isShared = i == 1 && actor->mesh == scene->actors[0].mesh && actor->fields == scene->actors[0].fields;
	s->models[i] = isShared ? s->models[0] : NULL;
	snugStatus status = isShared ? snug_success : benchFielded_MakeModel(actor, s->method, &s->models[i]);
	snugBodyDef bodyDef = { .model = s->models[i], .strategy = s->method->strategy };
	status = status == snug_success ? snugBody_Create(&bodyDef, &s->bodies[i]) : status;
	bool isFree = s->method->kind == bench_byOracle || s->method->kind == bench_byFreeing;
	if (status == snug_success && isFree && actor->fieldCount > 0)
	{
		snugModelDef def = MakeDef(actor, s->method);
		status = isShared ? oracleBody_CreateLike(&s->oracles[i], &s->oracles[0])
		                  : oracleBody_Create(&s->oracles[i], &def, s->models[i]);
	}
	bool good = status == snug_success;
	if (good && s->method->kind == bench_byLayers)
	{
		s->layers[i] = layeredSpheres_Create(s->models[i]);
		s->world[i] = malloc((3 * (size_t)actor->mesh->vertexCount + 1) * sizeof(float));
		good = s->layers[i] != NULL && s->world[i] != NULL;
	}
	if (good && s->method->kind == bench_byBd)
	{
		s->trees[i] = bdTree_Create(s->models[i], &s->method->bd);
		s->bd[i] = s->trees[i] != NULL ? bdBody_Create(s->trees[i], s->bodies[i]) : NULL;
		good = s->bd[i] != NULL;
	}
	return good;
}

static bool MakeStage(stage* s, const benchFieldedMethod* method, const benchFieldedScene* scene, benchReport* report)
{
	*s = (stage){ .method = method };
	for (int f = 0; f < scene->frameCount; ++f)
	{
		s->best[f] = INFINITY;
	}
	for (int i = 0; i < 2; ++i)
	{
		if (!MakeSide(s, i, scene))
		{
			benchReport_Fail(report, "%s: cannot make the bodies of %s", scene->name, method->name);
			DestroyStage(s);
			return false;
		}
	}
	return true;
}

static snugStatus PoseStage(stage* s, const benchFieldedScene* scene, int frame)
{
	snugStatus status = snug_success;
	for (int i = 0; i < 2 && status == snug_success; ++i)
	{
		const benchFielded* actor = scene->actors + i;
		status = snugBody_SetFrame(s->bodies[i], actor->places + frame);
		if (status == snug_success && actor->fieldCount > 0)
		{
			const float* amplitudes = actor->amplitudes + (size_t)frame * actor->fieldCount;
			status = snugBody_SetAmplitudes(s->bodies[i], amplitudes, actor->fieldCount);
		}
	}
	return status;
}

static snugBody* BodyOf(stage* s, int i)
{
	return s->oracles[i].body != NULL ? s->oracles[i].body : s->bodies[i];
}

static void FreeBodies(stage* s)
{
	for (int i = 0; i < 2; ++i)
	{
		if (s->oracles[i].body != NULL)
		{
			oracleBody_Evaluate(&s->oracles[i], s->bodies[i]);
			oracleBody_Refit(&s->oracles[i]);
		}
	}
}

// Placed vertices in the order of the tree: as snug places them, one cluster after the other.
static void EvaluateWorld(stage* s, int i)
{
	snugBody* body = s->bodies[i];
	const sgTree* tree = &body->model->tree;
	float run[SG_CLUSTER_FLOATS(SG_MAX_CLUSTER_VERTICES)];
	const sgClusters* clusters = &body->model->clusters;
	bool isMoved = clusters->header != NULL;
	for (uint32_t c = 0; isMoved && c < clusters->header->count; ++c)
	{
		const uint32_t* vertices = clusters->vertices + clusters->clusters[c].firstVertex;
		body->deform->evaluateCluster(sgBody_Derive(body), c, run);
		for (uint32_t k = 0; k < clusters->clusters[c].vertexCount; ++k)
		{
			memcpy(s->world[i] + 3 * (size_t)vertices[k], run + 3 * (size_t)k, 3 * sizeof(float));
		}
	}
	const float* from = isMoved ? s->world[i] : body->model->positions;
	bool isStill = body->frame.isIdentity && body->frame.position[0] == 0.0 && body->frame.position[1] == 0.0 &&
	               body->frame.position[2] == 0.0;
	for (uint32_t v = 0; !(isStill && isMoved) && v < tree->vertexCount; ++v)
	{
		const double(*r)[3] = body->frame.rotation;
		double x = (double)from[3 * v], y = (double)from[3 * v + 1], z = (double)from[3 * v + 2];
		for (uint32_t k = 0; k < 3; ++k)
		{
			double placed = ((r[k][0] * x + r[k][1] * y) + r[k][2] * z) + body->frame.position[k];
			s->world[i][3 * (size_t)v + k] = isStill ? from[3 * v + k] : (float)placed;
		}
	}
}

// The rigid body's spheres are updated outside the timer, in favour of the method.
static double RunLayers(stage* s, const benchFieldedScene* scene, benchAnswers* answers, uint64_t* count)
{
	double elapsed = 0.0;
	for (int i = 0; i < 2; ++i)
	{
		double start = benchNow();
		EvaluateWorld(s, i);
		layeredSpheres_Update(s->layers[i], s->world[i]);
		elapsed += scene->actors[i].fieldCount > 0 ? benchNow() - start : 0.0;
	}
	layeredCounters counters;
	double start = benchNow();
	*count = layeredSpheres_Collide(s->layers[0], s->layers[1], answers->pairs, answers->capacity, &counters);
	elapsed += benchNow() - start;
	s->result.volumeTests += (double)counters.sphereTests;
	s->result.triangleTests += (double)counters.triangleTests;
	for (int i = 0; i < 2; ++i)
	{
		s->result.nodesRefitted += scene->actors[i].fieldCount > 0 ? (double)s->models[i]->tree.nodeCount : 0.0;
		s->result.verticesEvaluated += scene->actors[i].fieldCount > 0 ? (double)s->models[i]->tree.vertexCount : 0.0;
	}
	benchAnswers_Sort(answers, 0, *count);
	return elapsed;
}

static double RunBd(stage* s, benchAnswers* answers, uint64_t* count)
{
	double start = benchNow();
	snugStatus status = bdBody_Begin(s->bd[0]);
	status = status == snug_success ? bdBody_Begin(s->bd[1]) : status;
	*count = status == snug_success ? bdCollide(s->bd[0], s->bd[1], answers->pairs, answers->capacity) : 0;
	double elapsed = benchNow() - start;
	for (int i = 0; i < 2; ++i)
	{
		binaryCounters counters = bdBody_GetCounters(s->bd[i]);
		s->result.volumeTests += (double)counters.volumeTests;
		s->result.nodesRefitted += (double)counters.nodesRefitted;
		s->result.temporalUpdates += (double)bdBody_GetTemporalUpdates(s->bd[i]);
		s->result.verticesEvaluated += (double)counters.verticesEvaluated;
		s->result.triangleTests += (double)counters.triangleTests;
	}
	benchAnswers_Sort(answers, 0, *count);
	return elapsed;
}

static double RunQuery(stage* s, benchAnswers* answers, uint64_t* count, benchReport* report)
{
	snugQuery query = { .pairs = answers->pairs, .capacity = answers->capacity };
	double start = benchNow();
	if (s->method->kind == bench_byFreeing)
	{
		FreeBodies(s);
	}
	snugResult result = snugCollide(BodyOf(s, 0), BodyOf(s, 1), &query);
	double elapsed = benchNow() - start;
	if (result.status != snug_success)
	{
		benchReport_Fail(report, "%s: %s", s->method->name, snugGetStatusText(result.status));
	}
	*count = result.count;
	s->result.volumeTests += (double)result.counters.volumeTests;
	s->result.nodesRefitted += (double)result.counters.nodesRefitted;
	s->result.verticesEvaluated += (double)result.counters.verticesEvaluated;
	s->result.triangleTests += (double)result.counters.triangleTests;
	return elapsed;
}

static void RunFrame(stage* s, const benchFieldedScene* scene, int frame, benchAnswers* answers, benchReport* report)
{
	uint64_t count = 0;
	double start = benchNow();
	snugStatus status = PoseStage(s, scene, frame);
	double elapsed = benchNow() - start;
	if (status != snug_success)
	{
		benchReport_Fail(report, "%s, frame %d: %s", scene->name, frame, snugGetStatusText(status));
		return;
	}
	if (s->method->kind == bench_byOracle)
	{
		FreeBodies(s);
	}
	elapsed += s->method->kind == bench_byLayers ? RunLayers(s, scene, answers, &count)
	           : s->method->kind == bench_byBd   ? RunBd(s, answers, &count)
	                                             : RunQuery(s, answers, &count, report);
	s->best[frame] = fmin(s->best[frame], elapsed);
	benchAnswers_Check(answers, frame, count, s->method->name, report);
}

static void Verify(const benchFieldedScene* scene, stage* s, const benchAnswers* answers, benchReport* report)
{
	int frame = benchAnswers_GetPeak(answers);
	float* world[2] = { NULL, NULL };
	bool good = PoseStage(s, scene, frame) == snug_success;
	for (int i = 0; i < 2; ++i)
	{
		world[i] = malloc((3 * (size_t)scene->actors[i].mesh->vertexCount + 1) * sizeof(float));
		good = good && world[i] != NULL && snugBody_GetVertices(s->bodies[i], NULL, world[i], 0) == snug_success;
	}
	if (good)
	{
		const sceneMesh *a = scene->actors[0].mesh, *b = scene->actors[1].mesh;
		bruteMesh meshes[2] = { { world[0], a->triangles, a->triangleCount },
			{ world[1], b->triangles, b->triangleCount } };
		bruteResult result = bruteCollide(&meshes[0], &meshes[1]);
		benchAnswers_Verify(answers, frame, &result, report);
		bruteResult_Free(&result);
	}
	free(world[0]);
	free(world[1]);
}

static void AddRow(benchReport* report, const benchFieldedScene* scene, stage* s, const benchAnswers* answers, int runs)
{
	benchFieldedResult* result = &s->result;
	double frames = (double)scene->frameCount, sum = 0.0;
	for (int f = 0; f < scene->frameCount; ++f)
	{
		sum += s->best[f];
	}
	result->measured = true;
	result->bestMicroseconds = 1e3 * sum / frames;
	result->volumeTests /= frames * runs;
	result->nodesRefitted /= frames * runs;
	result->temporalUpdates /= frames * runs;
	result->verticesEvaluated /= frames * runs;
	result->triangleTests /= frames * runs;
	benchRow* row = benchReport_AddRow(report, "Posing and query, per frame");
	benchRow_Text(row, "scene", scene->name);
	benchRow_Text(row, "method", s->method->name);
	benchRow_Number(row, "bestMicroseconds", result->bestMicroseconds, 2);
	benchRow_Number(row, "volumeTests", result->volumeTests, 0);
	benchRow_Number(row, "nodesRefitted", result->nodesRefitted, 0);
	if (s->method->bd.temporal > 0.0)
	{
		benchRow_Number(row, "temporalUpdates", result->temporalUpdates, 0);
	}
	benchRow_Number(row, "verticesEvaluated", result->verticesEvaluated, 0);
	benchRow_Number(row, "triangleTests", result->triangleTests, 0);
	benchRow_Number(row, "pairs", benchAnswers_GetMean(answers), 1);
	benchRow_Hash(row, "pairsHash", benchAnswers_GetHash(answers));
}

static void RunPass(stage* s, const benchFieldedScene* scene, benchAnswers* answers, benchReport* report)
{
	for (int f = 0; f < scene->frameCount && report->failure[0] == '\0'; ++f)
	{
		RunFrame(s, scene, f, answers, report);
	}
	answers->isSet = true;
}

// Methods take turns, pass by pass. One after the other would do as well but for noise on the machine: so it is done
// with large bodies, whose models in every form would not fit into memory together.
static void RunTogether(const benchFieldedScene* scene, stage* stages, const int* chosen, int count, int passes,
    benchAnswers* answers, benchReport* report)
{
	for (int i = 0; i < count && report->failure[0] == '\0'; ++i)
	{
		MakeStage(&stages[i], &benchFieldedMethods[chosen[i]], scene, report);
	}
	for (int pass = 0; pass < passes && report->failure[0] == '\0'; ++pass)
	{
		for (int i = 0; i < count; ++i)
		{
			RunPass(&stages[i], scene, answers, report);
		}
	}
}

void benchFielded_Run(const benchFieldedScene* scene, const benchOptions* options, int passes,
    benchFieldedResult* results, benchReport* report)
{
	benchAnswers answers;
	int chosen[BENCH_FIELDED_METHODS], count = 0;
	memset(results, 0, BENCH_FIELDED_METHODS * sizeof(*results));
	if (!benchAnswers_Create(&answers, scene->name, scene->frameCount, report))
	{
		return;
	}
	for (int m = 0; benchFieldedMethods[m].name != NULL; ++m)
	{
		if (benchFieldedMethods[m].quick || options->full)
		{
			chosen[count++] = m;
		}
	}
	bool isLarge = scene->actors[0].mesh->triangleCount > 100000;
	for (int first = 0; first < count; first += isLarge ? 1 : count)
	{
		stage stages[BENCH_FIELDED_METHODS] = { { .method = NULL } };
		int together = isLarge ? 1 : count;
		RunTogether(scene, stages, chosen + first, together, passes, &answers, report);
		for (int i = 0; i < together; ++i)
		{
			if (report->failure[0] == '\0')
			{
				if (chosen[first + i] == 0)
				{
					Verify(scene, &stages[i], &answers, report);
				}
				AddRow(report, scene, &stages[i], &answers, passes);
				results[chosen[first + i]] = stages[i].result;
			}
			DestroyStage(&stages[i]);
		}
	}
	benchAnswers_Free(&answers);
}
