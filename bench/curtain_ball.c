#include "bench/curtain_ball.h"

#include "baselines/layered_spheres.h"
#include "baselines/world.h"
#include "bench/answers.h"
#include "bench/timer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum ballMethod
{
	ball_ours, ///< our default boxes in our tree, refitted on demand
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
	uint32_t* hits;
	uint64_t capacity;
	double best[BENCH_MAX_FRAMES];
	double tests, refits, triangles;
} ballStage;

// ---- Ours ------------------------------------------------------------------------------------------------------

/// A walk down our tree.
typedef struct walk
{
	snugBody* body;
	const binaryBall* ball;
	binaryHits hits;
	snugCounters counters;
	uint64_t tests, refits, triangles;
} walk;

static bool Reaches(const sgBoxLanes* boxes, uint32_t lane, const binaryBall* ball)
{
	sgBox box = sgBoxLanes_Get(boxes, lane);
	double square = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		double below = (double)box.lower[k] - ball->center[k], above = ball->center[k] - (double)box.upper[k];
		double d = fmax(0.0, fmax(below, above));
		square += d * d;
	}
	return square <= ball->radius * ball->radius;
}

static void TestLeaf(walk* w, uint32_t number)
{
	const sgTree* tree = &w->body->model->tree;
	const sgLeaf* leaf = tree->leaves + number;
	sgLeafScratch scratch;
	sgLeafSource source = sgBody_FindLeaves(w->body, leaf, &w->counters);
	sgLeafVertices found = sgBody_LeafVertices(w->body, &source, leaf, &scratch, &w->counters);
	for (uint32_t t = 0; t < leaf->triangleCount; ++t)
	{
		float corners[3][3];
		for (int c = 0; c < 3; ++c)
		{
			const float* p = found.positions + 3 * (size_t)found.indices[leaf->corners[c][t]];
			memcpy(corners[c], p, sizeof(corners[c]));
		}
		++w->triangles;
		if (binaryDistance2((const float(*)[3])corners, w->ball->center) <= w->ball->radius * w->ball->radius)
		{
			binaryHits_Add(&w->hits, tree->triangleMap[leaf->firstTriangle + t]);
		}
	}
}

// The body is unplaced, so boxes in its space are boxes in the world.
static void VisitFamily(walk* w, sgLaneSet set)
{
	const sgTree* tree = &w->body->model->tree;
	sgBoundsScratch scratch;
	bool isStale = sgBody_Look(w->body, set).bounds.boxes == NULL;
	sgBounds bounds = sgBody_Refresh(w->body, set, &scratch, &w->counters);
	uint32_t reached = 0;
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		bool isNode = (set.mask >> lane & 1) != 0;
		w->tests += isNode;
		w->refits += isNode && isStale;
		reached |= isNode && Reaches(bounds.boxes, lane, w->ball) ? 1u << lane : 0;
	}
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		uint32_t slot = set.group * SG_LANES + lane;
		if ((reached >> lane & 1) == 0)
		{
			continue;
		}
		if ((set.leafMask >> lane & 1) != 0)
		{
			TestLeaf(w, tree->nodes[slot].first);
		}
		else
		{
			VisitFamily(w, sgTree_Children(tree, slot));
		}
	}
}

static uint64_t RunOurs(ballStage* s, const binaryBall* ball)
{
	walk w = { .body = s->body, .ball = ball, .hits = { s->hits, s->capacity, 0 } };
	sgBody_Prepare(s->body, &w.counters);
	VisitFamily(&w, sgTree_Family(&s->model->tree, 0));
	s->tests += (double)w.tests;
	s->refits += (double)w.refits;
	s->triangles += (double)w.triangles;
	return w.hits.count;
}

// ---- Theirs ----------------------------------------------------------------------------------------------------

static uint64_t RunBd(ballStage* s, const binaryBall* ball)
{
	if (bdBody_Begin(s->bd) != snug_success)
	{
		return 0;
	}
	uint64_t count = bdCollideBall(s->bd, ball, s->hits, s->capacity);
	binaryCounters counters = bdBody_GetCounters(s->bd);
	s->tests += (double)counters.volumeTests;
	s->refits += (double)counters.nodesRefitted;
	s->triangles += (double)counters.triangleTests;
	return count;
}

static uint64_t RunLayered(ballStage* s, const binaryBall* ball)
{
	const sgTree* tree = &s->model->tree;
	layeredCounters counters;
	worldEvaluate(s->body, s->world);
	for (uint32_t v = 0; v < tree->vertexCount; ++v)
	{
		memcpy(s->ordered + 3 * (size_t)v, s->world + 3 * (size_t)tree->vertexMap[v], 3 * sizeof(float));
	}
	layeredSpheres_Update(s->layers, s->ordered);
	uint64_t count = layeredSpheres_CollideBall(s->layers, ball, s->hits, s->capacity, &counters);
	s->tests += (double)counters.sphereTests;
	s->refits += (double)tree->nodeCount;
	s->triangles += (double)counters.triangleTests;
	return count;
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
	free(s->hits);
}

static bool MakeStage(ballStage* s, ballMethod method, const benchActor* actor)
{
	static const benchMethod like[BALL_METHODS] = { [ball_ours] = bench_onDemand,
		[ball_bdSpheres] = bench_bd,
		[ball_bdTemporal] = bench_bdTemporal,
		[ball_bdBoxes] = bench_bdBoxes,
		[ball_layered] = bench_layered };
	const benchMethodDef* def = benchGetMethod(like[method]);
	size_t floats = 3 * (size_t)actor->mesh->vertexCount + 1;
	*s = (ballStage){ .method = method, .capacity = actor->mesh->triangleCount };
	s->world = malloc(floats * sizeof(float));
	s->ordered = malloc(floats * sizeof(float));
	s->hits = malloc((size_t)s->capacity * sizeof(uint32_t));
	bool good =
	    s->world != NULL && s->ordered != NULL && s->hits != NULL &&
	    benchActor_MakeModel(actor, &def->how, &s->model) == snug_success &&
	    snugBody_Create(&(snugBodyDef){ .model = s->model, .strategy = def->how.strategy }, &s->body) == snug_success;
	if (good && method == ball_layered)
	{
		s->layers = layeredSpheres_Create(s->model);
		good = s->layers != NULL;
	}
	else if (good && method != ball_ours)
	{
		s->tree = bdTree_Create(s->model, &def->bd);
		s->bd = s->tree != NULL ? bdBody_Create(s->tree, s->body) : NULL;
		good = s->bd != NULL;
	}
	for (int f = 0; f < BENCH_MAX_FRAMES; ++f)
	{
		s->best[f] = INFINITY;
	}
	return good;
}

/// Sums of all numbers of triangles that were found, and of their squares, frame by frame: what methods must agree
/// upon.
typedef struct ballAnswer
{
	uint64_t count, sum, squares;
} ballAnswer;

static ballAnswer RunFrame(ballStage* s, const benchFieldedScene* scene, int frame, double radius)
{
	const benchActor* actor = scene->actors;
	binaryBall ball = { .radius = radius };
	memcpy(ball.center, scene->actors[1].places[frame].position, sizeof(ball.center));
	double start = benchNow();
	snugBody_SetAmplitudes(s->body, actor->amplitudes + (size_t)frame * actor->fieldCount, actor->fieldCount);
	ballAnswer answer = { .count = s->method == ball_ours      ? RunOurs(s, &ball)
		                           : s->method == ball_layered ? RunLayered(s, &ball)
		                                                       : RunBd(s, &ball) };
	s->best[frame] = fmin(s->best[frame], benchNow() - start);
	for (uint64_t i = 0; i < answer.count; ++i)
	{
		answer.sum += s->hits[i];
		answer.squares += (uint64_t)s->hits[i] * s->hits[i];
	}
	return answer;
}

static double AddRow(
    benchReport* report, const benchFieldedScene* scene, const ballStage* s, int passes, uint64_t found)
{
	double frames = (double)scene->actors[0].frameCount, runs = frames * (double)passes, sum = 0.0;
	for (int f = 0; f < scene->actors[0].frameCount; ++f)
	{
		sum += s->best[f];
	}
	benchRow* row = benchReport_AddRow(report, "The ball as one sphere: posing and query, per frame");
	benchRow_Text(row, "scene", scene->name);
	benchRow_Text(row, "method", names[s->method]);
	benchRow_Number(row, "bestMicroseconds", 1e3 * sum / frames, 2);
	benchRow_Number(row, "volumeTests", s->tests / runs, 1);
	benchRow_Number(row, "nodesRefitted", s->refits / runs, 1);
	benchRow_Number(row, "triangleTests", s->triangles / runs, 1);
	benchRow_Number(row, "trianglesInBall", (double)found / frames, 2);
	if (s->method == ball_bdSpheres || s->method == ball_layered)
	{
		benchRow_Number(row, "paperTests", s->method == ball_layered ? 2150.0 / 110.0 : 3890.0 / 110.0, 1);
		benchRow_Number(row, "paperMicroseconds", s->method == ball_layered ? 49000.0 : 22.0, 0);
	}
	return sum;
}

static void AddAims(benchReport* report, const char* name, const double times[BALL_METHODS])
{
	benchRow* row = benchReport_AddRow(report, "The ball as one sphere, beside the paper's Table 2");
	benchRow_Text(row, "scene", name);
	benchRow_Number(row, "layeredOverBdTime", times[ball_layered] / times[ball_bdSpheres], 0);
	benchRow_Number(row, "paper", 2250.0, 0);
	benchRow_Number(row, "layeredOverOursTime", times[ball_layered] / times[ball_ours], 0);
	benchReport_AddAim(
	    report, times[ball_ours] / times[ball_bdSpheres], 1.0, "%s, ball as a sphere: ours / BD spheres", name);
}

void benchCurtainBall(const benchFieldedScene* scene, double radius, int passes, benchReport* report)
{
	ballStage* stages = calloc(BALL_METHODS, sizeof(ballStage));
	double times[BALL_METHODS];
	uint64_t found = 0;
	bool good = stages != NULL;
	for (int i = 0; i < BALL_METHODS && good; ++i)
	{
		good = MakeStage(&stages[i], (ballMethod)i, scene->actors);
	}
	for (int pass = 0; pass < passes && good; ++pass)
	{
		found = 0;
		for (int f = 0; f < scene->actors[0].frameCount; ++f)
		{
			ballAnswer first = RunFrame(&stages[0], scene, f, radius);
			found += first.count;
			for (int i = 1; i < BALL_METHODS; ++i)
			{
				ballAnswer other = RunFrame(&stages[i], scene, f, radius);
				if (memcmp(&first, &other, sizeof(first)) != 0)
				{
					benchReport_Fail(report, "%s, frame %d: %s finds other triangles in the ball than ours",
					    scene->name, f, names[i]);
				}
			}
		}
	}
	for (int i = 0; i < BALL_METHODS && stages != NULL; ++i)
	{
		times[i] = good ? AddRow(report, scene, &stages[i], passes, found) : (double)NAN;
		DestroyStage(&stages[i]);
	}
	if (good)
	{
		AddAims(report, scene->name, times);
	}
	else
	{
		benchReport_Fail(report, "%s: cannot make the bodies of its ball", scene->name);
	}
	free(stages);
}
