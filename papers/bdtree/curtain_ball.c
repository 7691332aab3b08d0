#include "papers/bdtree/curtain_ball.h"

#include "lab/bench/answers.h"
#include "lab/bench/timer.h"
#include "papers/bdtree/layered_spheres.h"
#include "papers/common/world.h"
#include "snug/snug_queries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum ballMethod
{
	ball_ours, ///< snugCollideShape, as users get it
	ball_bdSpheres,
	ball_bdTemporal,
	ball_bdBoxes,
	ball_layered,
	BALL_METHODS
} ballMethod;

static const char* const names[BALL_METHODS] = { "ours", "the paper: BD spheres", "the paper: BD spheres, temporal",
	"the paper: BD boxes", "layered spheres" };

/// One method through all frames.
typedef struct ballStage
{
	ballMethod method;
	snugModel* model;
	snugBody* body;
	bdTree* tree;
	bdBody* bd;
	layeredSpheres* layers;
	float* world;   ///< vertices, the caller's order
	float* ordered; ///< the same in the tree's order
	snugShapeContact* contacts;
	uint32_t* hits;
	uint64_t capacity;
	double best; ///< least time of all frames together, milliseconds
	double tests, refits, triangles;
} ballStage;

/// Where the ball is in each frame, in numbers that float32 has, so that all methods are asked about the same.
typedef struct ballFrames
{
	const benchActor* curtain;
	binaryBall balls[BENCH_MAX_FRAMES];
} ballFrames;

// ---- Methods ---------------------------------------------------------------------------------------------------

// From amplitudes to the list of triangles: what is timed. Sorted or not, with more than their numbers or not, as the
// method has it.
static uint64_t RunOurs(ballStage* s, const float* amplitudes, uint32_t count, const binaryBall* ball)
{
	const snugShape shape = { .kind = snug_shapeSphere,
		.from = { (float)ball->center[0], (float)ball->center[1], (float)ball->center[2] },
		.radius = (float)ball->radius };
	const snugShapeQuery query = { .contacts = s->contacts, .capacity = s->capacity };
	snugBody_SetAmplitudes(s->body, amplitudes, count);
	const snugResult result = snugCollideShape(s->body, &shape, &query);
	s->tests += (double)result.counters.volumeTests;
	s->refits += (double)result.counters.nodesRefitted;
	s->triangles += (double)result.counters.triangleTests;
	return result.count;
}

static uint64_t RunBd(ballStage* s, const float* amplitudes, const binaryBall* ball)
{
	bdBody_SetAmplitudes(s->bd, amplitudes);
	uint64_t count = bdCollideBall(s->bd, ball, s->hits, s->capacity);
	binaryCounters counters = bdBody_GetCounters(s->bd);
	s->tests += (double)counters.volumeTests;
	s->refits += (double)counters.nodesRefitted;
	s->triangles += (double)counters.triangleTests;
	return count;
}

static uint64_t RunLayered(ballStage* s, const float* amplitudes, uint32_t fieldCount, const binaryBall* ball)
{
	const sgTree* tree = &s->model->tree;
	layeredCounters counters;
	snugBody_SetAmplitudes(s->body, amplitudes, fieldCount);
	worldEvaluate(s->body, s->world);
	for (uint32_t v = 0; v < tree->vertexCount; ++v)
	{
		memcpy(s->ordered + 3 * (size_t)v, s->world + 3 * (size_t)tree->vertexMap[v], 3 * sizeof(float));
	}
	layeredSpheres_Update(s->layers, s->ordered);
	uint64_t count = layeredSpheres_CollideBall(s->layers, ball, s->hits, s->capacity, &counters);
	s->tests += (double)counters.sphereTests;
	s->refits += 2.0 * (double)tree->triangleCount - 1.0; // all of a binary tree
	s->triangles += (double)counters.triangleTests;
	return count;
}

static uint64_t RunFrame(ballStage* s, const ballFrames* frames, int frame)
{
	const uint32_t count = frames->curtain->fieldCount;
	const float* amplitudes = frames->curtain->amplitudes + (size_t)frame * count;
	const binaryBall* ball = frames->balls + frame;
	return s->method == ball_ours      ? RunOurs(s, amplitudes, count, ball)
	       : s->method == ball_layered ? RunLayered(s, amplitudes, count, ball)
	                                   : RunBd(s, amplitudes, ball);
}

// ---- All -------------------------------------------------------------------------------------------------------

static void DestroyStage(ballStage* s)
{
	bdBody_Destroy(s->bd);
	bdTree_Destroy(s->tree);
	layeredSpheres_Destroy(s->layers);
	snugBody_Destroy(s->body);
	snugModel_Destroy(s->model);
	free(s->world);
	free(s->ordered);
	free(s->contacts);
	free(s->hits);
}

static bool MakeStage(ballStage* s, ballMethod method, const benchActor* actor)
{
	static const benchMethod like[BALL_METHODS] = { [ball_ours] = bench_ours,
		[ball_bdSpheres] = bench_bd,
		[ball_bdTemporal] = bench_bdTemporal,
		[ball_bdBoxes] = bench_bdBoxes,
		[ball_layered] = bench_layered };
	const benchMethodDef* def = benchGetMethod(like[method]);
	size_t floats = 3 * (size_t)actor->mesh->vertexCount + 1;
	*s = (ballStage){ .method = method, .capacity = actor->mesh->triangleCount, .best = INFINITY };
	s->world = malloc(floats * sizeof(float));
	s->ordered = malloc(floats * sizeof(float));
	s->contacts = malloc((size_t)s->capacity * sizeof(snugShapeContact));
	s->hits = malloc((size_t)s->capacity * sizeof(uint32_t));
	bool good =
	    s->world != NULL && s->ordered != NULL && s->contacts != NULL && s->hits != NULL &&
	    benchActor_MakeModel(actor, &s->model) == snug_success &&
	    snugBody_Create(&(snugBodyDef){ .model = s->model, .strategy = def->strategy }, &s->body) == snug_success;
	if (good && method == ball_layered)
	{
		s->layers = layeredSpheres_Create(s->model);
		good = s->layers != NULL;
	}
	else if (good && method != ball_ours)
	{
		s->tree = bdTree_Create(s->model, &def->bd);
		s->bd = s->tree != NULL ? bdBody_Create(s->tree) : NULL;
		good = s->bd != NULL;
	}
	return good;
}

static int CompareNumbers(const void* a, const void* b)
{
	const uint32_t p = *(const uint32_t*)a, q = *(const uint32_t*)b;
	return (p > q) - (p < q);
}

// Every method finds the same triangles in every frame.
static uint64_t CheckFrames(ballStage* stages, const ballFrames* frames, const char* name, benchReport* report)
{
	uint64_t found = 0;
	for (int f = 0; f < frames->curtain->frameCount; ++f)
	{
		uint64_t first = 0;
		for (int i = 0; i < BALL_METHODS; ++i)
		{
			ballStage* s = stages + i;
			uint64_t count = RunFrame(s, frames, f);
			for (uint64_t k = 0; k < count && i == ball_ours; ++k)
			{
				s->hits[k] = s->contacts[k].triangle;
			}
			qsort(s->hits, (size_t)count, sizeof(uint32_t), CompareNumbers);
			first = i == 0 ? count : first;
			if (count != first || memcmp(s->hits, stages[0].hits, (size_t)count * sizeof(uint32_t)) != 0)
			{
				benchReport_Fail(
				    report, "%s, frame %d: %s finds other triangles in the ball than ours", name, f, names[i]);
			}
		}
		found += first;
	}
	return found;
}

// A frame takes a microsecond or so: reading the clock would be much of it. Twice, since other methods have had the
// cache for themselves.
static void TimeFrames(ballStage* s, const ballFrames* frames)
{
	for (int run = 0; run < 2; ++run)
	{
		s->tests = s->refits = s->triangles = 0.0;
		double start = benchNow();
		for (int f = 0; f < frames->curtain->frameCount; ++f)
		{
			RunFrame(s, frames, f);
		}
		s->best = fmin(s->best, benchNow() - start);
	}
}

static void AddRow(benchReport* report, const benchFieldedScene* scene, const ballStage* s, uint64_t found)
{
	const double frames = (double)scene->actors[0].frameCount;
	benchRow* row = benchReport_AddRow(report, "The ball as one sphere: posing and query, per frame");
	benchRow_Text(row, "scene", scene->name);
	benchRow_Text(row, "method", names[s->method]);
	benchRow_Number(row, "bestMicroseconds", 1e3 * s->best / frames, 2);
	benchRow_Number(row, "volumeTests", s->tests / frames, 1);
	benchRow_Number(row, "nodesRefitted", s->refits / frames, 1);
	benchRow_Number(row, "triangleTests", s->triangles / frames, 1);
	benchRow_Number(row, "trianglesInBall", (double)found / frames, 2);
	if (s->method == ball_bdSpheres || s->method == ball_layered)
	{
		benchRow_Number(row, "paperTests", s->method == ball_layered ? 2150.0 / 110.0 : 3890.0 / 110.0, 1);
		benchRow_Number(row, "paperMicroseconds", s->method == ball_layered ? 49000.0 : 22.0, 0);
	}
}

static void AddAims(benchReport* report, const char* name, const ballStage* stages)
{
	const double bd = stages[ball_bdSpheres].best, ours = stages[ball_ours].best, layered = stages[ball_layered].best;
	benchRow* row = benchReport_AddRow(report, "The ball as one sphere, beside the paper's Table 2");
	benchRow_Text(row, "scene", name);
	benchRow_Number(row, "layeredOverBdTime", layered / bd, 0);
	benchRow_Number(row, "paper", 2250.0, 0);
	benchRow_Number(row, "layeredOverOursTime", layered / ours, 0);
	benchReport_AddAim(report, ours / bd, 1.0, "%s, ball as a sphere: ours / BD spheres", name);
}

void benchCurtainBall(const benchFieldedScene* scene, double radius, int passes, benchReport* report)
{
	ballStage stages[BALL_METHODS];
	ballFrames frames = { .curtain = scene->actors };
	bool good = true;
	for (int f = 0; f < frames.curtain->frameCount; ++f)
	{
		frames.balls[f].radius = radius;
		for (int k = 0; k < 3; ++k)
		{
			frames.balls[f].center[k] = (double)(float)scene->actors[1].places[f].position[k];
		}
	}
	for (int i = 0; i < BALL_METHODS; ++i)
	{
		good = MakeStage(&stages[i], (ballMethod)i, scene->actors) && good;
	}
	if (good)
	{
		uint64_t found = CheckFrames(stages, &frames, scene->name, report);
		for (int i = 0; i < passes * BALL_METHODS; ++i)
		{
			TimeFrames(&stages[i % BALL_METHODS], &frames);
		}
		for (int i = 0; i < BALL_METHODS; ++i)
		{
			AddRow(report, scene, &stages[i], found);
		}
		AddAims(report, scene->name, stages);
	}
	else
	{
		benchReport_Fail(report, "%s: cannot make the bodies of its ball", scene->name);
	}
	for (int i = 0; i < BALL_METHODS; ++i)
	{
		DestroyStage(&stages[i]);
	}
}
