// `snug bench blend-query`: two meshless bodies in contact, bounded on demand, bottom-up, and by the oracle.
//
// A frame of every method begins with transforms and a placement and ends with the sorted pairs. Bodies, poses and
// placements are fixed before anything is timed, and do not depend on any bound. All methods must find the same pairs.
#include "baselines/oracle.h"
#include "baselines/spatial_hash.h"
#include "bench/blend_bodies.h"
#include "bench/timer.h"
#include "scenes/motion.h"
#include "scenes/pair_hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES 24
#define METHODS (BENCH_BOUNDS + 3) // bounds on demand, then the others

enum
{
	method_ours = BENCH_BOUNDS - 1, // the default bound, last of them
	method_bottomUp = BENCH_BOUNDS,
	method_oracle,
	method_spatialHash,
};

static const char* GetMethodName(int method)
{
	static const char* others[3] = { "bottom-up", "oracle", "spatial hash" };
	static char name[32];
	if (method >= BENCH_BOUNDS)
	{
		return others[method - BENCH_BOUNDS];
	}
	if (method == method_ours)
	{
		return "ours";
	}
	snprintf(name, sizeof(name), "ours, %s", benchGetBoundName(benchBounds[method]));
	return name;
}

/// Two bodies through their frames, and the answers.
typedef struct blendScene
{
	sceneMeshless meshless[2];
	sceneContact contact;
	int frameCount;
	float* matrices[2]; ///< of all frames
	snugFrame places[MAX_FRAMES];
	bool answered;
	uint64_t counts[MAX_FRAMES];
	uint64_t hashes[MAX_FRAMES];
	snugPair* pairs;
	uint64_t capacity;
	float* world[2];   ///< placed vertices, for those who need them
	double cellSize;   ///< of the spatial hash
	double cellFactor; ///< the same over the mean length of edges
} blendScene;

/// Times of one method, milliseconds per frame, and mean counters.
typedef struct blendTimes
{
	benchSamples pose, evaluate, refit, query, total;
	double nodesRefitted, volumeTests, verticesEvaluated, triangleTests;
} blendTimes;

/// The bodies that one method needs.
typedef struct blendBodies
{
	benchBlendBody bodies[2];
	oracleBody oracles[2];
	bool hasOracles;
} blendBodies;

// ---- Scene -----------------------------------------------------------------------------------------------------

static const float* GetMatrices(const blendScene* scene, int body, int frame)
{
	return scene->matrices[body] + 12 * (size_t)frame * scene->meshless[body].weights.transformCount;
}

// Strong all the time, strongest in the middle.
static void MakePoses(blendScene* scene, int body, snugNode* nodes)
{
	const sceneMeshless* meshless = scene->meshless + body;
	for (int f = 0; f < scene->frameCount; ++f)
	{
		double u = 2.0 * (double)f / (double)(scene->frameCount - 1) - 1.0, t = 1.0 - 0.5 * u * u;
		const sceneBending bending =
		    body == 0 ? (sceneBending){ t, 0.8 * t, 0.6 * t } : (sceneBending){ 0.6 * t, t, 0.9 * t };
		sceneMeshless_PoseNodes(meshless, &bending, nodes);
		sceneMakeMatrices(nodes, meshless->weights.transformCount, (float*)(uintptr_t)GetMatrices(scene, body, f));
	}
}

static void FreeScene(blendScene* scene)
{
	for (int i = 0; i < 2; ++i)
	{
		sceneMeshless_Free(&scene->meshless[i]);
		free(scene->matrices[i]);
		free(scene->world[i]);
	}
	free(scene->pairs);
	memset(scene, 0, sizeof(*scene));
}

static bool MakeBody(blendScene* scene, int i, uint32_t frequency, uint32_t nodeCount)
{
	if (!sceneMeshless_Create(
	        &scene->meshless[i], sceneMakeBrain(frequency, (uint64_t)i + 1), nodeCount, BENCH_INFLUENCES))
	{
		return false;
	}
	snugNode* nodes = malloc(nodeCount * sizeof(snugNode));
	scene->matrices[i] = malloc((size_t)scene->frameCount * 12 * nodeCount * sizeof(float));
	scene->world[i] = malloc(3 * (size_t)scene->meshless[i].mesh.vertexCount * sizeof(float));
	bool made = nodes != NULL && scene->matrices[i] != NULL && scene->world[i] != NULL;
	if (made)
	{
		MakePoses(scene, i, nodes);
	}
	free(nodes);
	return made;
}

static bool MakeScene(blendScene* scene, uint32_t frequency, uint32_t nodeCount, int frames, benchReport* report)
{
	*scene = (blendScene){ .frameCount = frames, .capacity = 1 << 18 };
	scene->pairs = malloc((size_t)scene->capacity * sizeof(snugPair));
	if (scene->pairs == NULL || !MakeBody(scene, 0, frequency, nodeCount) || !MakeBody(scene, 1, frequency, nodeCount))
	{
		FreeScene(scene);
		benchReport_Fail(report, "out of memory");
		return false;
	}
	return true;
}

// The vertex that reaches farthest to one side in x, or from the other with a sign of -1.
static const float* FindExtreme(const float* positions, uint32_t count, float sign)
{
	const float* found = positions;
	for (uint32_t i = 1; i < count; ++i)
	{
		const float* p = positions + 3 * (size_t)i;
		found = sign * p[0] > sign * found[0] ? p : found;
	}
	return found;
}

static snugStatus PoseBodies(const blendScene* scene, const blendBodies* b, int frame)
{
	snugStatus status = snug_success;
	for (int i = 0; i < 2 && status == snug_success; ++i)
	{
		uint32_t count = scene->meshless[i].weights.transformCount;
		status = snugBody_SetJoints(b->bodies[i].body, GetMatrices(scene, i, frame), 0, count);
	}
	return status == snug_success ? snugBody_SetFrame(b->bodies[1].body, &scene->places[frame]) : status;
}

// Light: the tips of both bodies pushed past one another by a little. Heavy: one body in the other's place, nearly.
static void PlaceFrame(blendScene* scene, int frame)
{
	double u = 2.0 * (double)frame / (double)(scene->frameCount - 1) - 1.0, nearness = 1.0 - u * u;
	snugFrame* place = scene->places + frame;
	*place = (snugFrame){ .position = { 0.22 - 0.08 * nearness, 0.05, -0.04 } };
	if (scene->contact == scene_light)
	{
		const float* right = FindExtreme(scene->world[0], scene->meshless[0].mesh.vertexCount, 1.0f);
		const float* left = FindExtreme(scene->world[1], scene->meshless[1].mesh.vertexCount, -1.0f);
		for (int k = 0; k < 3; ++k)
		{
			place->position[k] = (double)right[k] - (double)left[k];
		}
		place->position[0] -= 0.04 + 0.11 * nearness;
	}
}

static bool PlaceBodies(blendScene* scene, const blendBodies* b, benchReport* report)
{
	memset(scene->places, 0, sizeof(scene->places));
	for (int f = 0; f < scene->frameCount; ++f)
	{
		snugStatus status = PoseBodies(scene, b, f);
		for (int i = 0; i < 2 && status == snug_success; ++i)
		{
			status = snugBody_GetVertices(b->bodies[i].body, NULL, scene->world[i], 0);
		}
		if (status != snug_success)
		{
			benchReport_Fail(report, "cannot place the bodies: %s", snugGetStatusText(status));
			return false;
		}
		PlaceFrame(scene, f);
	}
	return true;
}

// ---- Bodies and frames -----------------------------------------------------------------------------------------

static void DestroyBodies(blendBodies* b)
{
	for (int i = 0; i < 2; ++i)
	{
		benchBlendBody_Destroy(&b->bodies[i]);
		oracleBody_Destroy(&b->oracles[i]);
	}
}

static bool CreateBodies(const blendScene* scene, blendBodies* b, snugBound bound, bool hasOracles, benchReport* report)
{
	const benchBounding how = { .bound = bound };
	*b = (blendBodies){ .hasOracles = hasOracles };
	for (int i = 0; i < 2; ++i)
	{
		const sceneMeshless* meshless = scene->meshless + i;
		benchBlendBody* body = b->bodies + i;
		bool good = benchBlendBody_Create(body, &meshless->mesh, &meshless->weights, &how, report);
		if (good && hasOracles && oracleBody_Create(&b->oracles[i], &body->def, body->model) != snug_success)
		{
			benchReport_Fail(report, "cannot make the oracle");
			good = false;
		}
		if (!good)
		{
			DestroyBodies(b);
			return false;
		}
	}
	return true;
}

static void CheckAnswer(blendScene* scene, int frame, int method, uint64_t count, benchReport* report)
{
	if (count > scene->capacity)
	{
		benchReport_Fail(report, "more pairs than there is room for");
		return;
	}
	uint64_t hash = sceneHash_Pairs(SCENE_HASH_START, scene->pairs, count);
	if (!scene->answered)
	{
		scene->counts[frame] = count;
		scene->hashes[frame] = hash;
	}
	else if (scene->counts[frame] != count || scene->hashes[frame] != hash)
	{
		benchReport_Fail(report, "frame %d: %s finds %llu pairs and another method %llu, or other ones", frame,
		    GetMethodName(method), (unsigned long long)count, (unsigned long long)scene->counts[frame]);
	}
}

static void AddTimes(blendTimes* times, double pose, double evaluate, double refit, double query)
{
	benchSamples_Add(&times->pose, pose);
	benchSamples_Add(&times->evaluate, evaluate);
	benchSamples_Add(&times->refit, refit);
	benchSamples_Add(&times->query, query);
	benchSamples_Add(&times->total, pose + evaluate + refit + query);
}

// On demand, bottom-up and oracle. What the oracle is given for free is left out of its times.
static uint64_t RunFrame(
    blendScene* scene, blendBodies* b, int method, int frame, blendTimes* times, benchReport* report)
{
	double start = benchNow();
	snugStatus status = PoseBodies(scene, b, frame);
	double posed = benchNow(), evaluated = posed, refitted = posed;
	snugBody* bodies[2] = { b->bodies[0].body, b->bodies[1].body };
	if (b->hasOracles)
	{
		oracleBody_Evaluate(&b->oracles[0], bodies[0]);
		oracleBody_Evaluate(&b->oracles[1], bodies[1]);
		evaluated = benchNow();
		for (int i = 0; i < 2 && status == snug_success; ++i)
		{
			status = oracleBody_Refit(&b->oracles[i]);
			bodies[i] = b->oracles[i].body;
		}
		refitted = benchNow();
	}
	snugQuery query = { .pairs = scene->pairs, .capacity = scene->capacity };
	double begun = benchNow();
	snugResult result = snugCollide(bodies[0], bodies[1], &query);
	double elapsed = benchNow() - begun;
	if (status != snug_success || result.status != snug_success)
	{
		benchReport_Fail(report, "frame %d: a query fails", frame);
	}
	bool isFree = method == method_oracle;
	AddTimes(times, isFree ? 0.0 : posed - start, isFree ? 0.0 : evaluated - posed, isFree ? 0.0 : refitted - evaluated,
	    elapsed);
	double share = 1.0 / (double)scene->frameCount;
	times->nodesRefitted += share * (double)result.counters.nodesRefitted;
	times->volumeTests += share * (double)result.counters.volumeTests;
	times->verticesEvaluated += share * (double)result.counters.verticesEvaluated;
	times->triangleTests += share * (double)result.counters.triangleTests;
	return result.count;
}

static bruteMesh GetWorldMesh(const blendScene* scene, int i)
{
	const sceneMesh* mesh = &scene->meshless[i].mesh;
	bruteMesh world = { scene->world[i], mesh->triangles, mesh->triangleCount };
	return world;
}

// All vertices evaluated and placed, then hashed.
static uint64_t RunHashFrame(
    blendScene* scene, blendBodies* b, spatialHash* hash, int frame, blendTimes* times, benchReport* report)
{
	bruteMesh meshes[2] = { GetWorldMesh(scene, 0), GetWorldMesh(scene, 1) };
	spatialHashCounters counters = { 0 };
	double start = benchNow();
	snugStatus status = PoseBodies(scene, b, frame);
	double posed = benchNow();
	for (int i = 0; i < 2 && status == snug_success; ++i)
	{
		status = snugBody_GetVertices(b->bodies[i].body, NULL, scene->world[i], 0);
	}
	double evaluated = benchNow();
	bool loaded = status == snug_success && spatialHash_Load(hash, &meshes[0], &meshes[1], scene->cellSize);
	double load = benchNow();
	uint64_t count = spatialHash_Query(hash, scene->pairs, scene->capacity, &counters);
	double elapsed = benchNow() - load;
	if (!loaded)
	{
		benchReport_Fail(report, "frame %d: spatial hashing fails", frame);
	}
	AddTimes(times, posed - start, evaluated - posed, load - evaluated, elapsed);
	double share = 1.0 / (double)scene->frameCount;
	times->volumeTests += share * (double)counters.boxTests;
	times->triangleTests += share * (double)counters.triangleTests;
	return count;
}

// The best of some sizes of cells on the frame with the most contact, in time for loading and querying.
static void TuneCells(blendScene* scene, blendBodies* b, spatialHash* hash, benchReport* report)
{
	static const double factors[] = { 0.7, 1.0, 1.4, 2.0, 2.8, 4.0 };
	double best = INFINITY, chosen = 0.0, edge = 0.0;
	for (int i = 0; i < 2; ++i)
	{
		bruteMesh rest = { scene->meshless[i].mesh.positions, scene->meshless[i].mesh.triangles,
			scene->meshless[i].mesh.triangleCount };
		edge += 0.5 * spatialHash_GetMeanEdge(&rest);
	}
	for (size_t k = 0; k < sizeof(factors) / sizeof(factors[0]); ++k)
	{
		blendTimes times = { .volumeTests = 0.0 };
		scene->cellSize = factors[k] * edge;
		for (int i = 0; i < 4; ++i)
		{
			RunHashFrame(scene, b, hash, scene->frameCount / 2, &times, report);
		}
		double time = benchSamples_Min(&times.refit) + benchSamples_Min(&times.query);
		chosen = time < best ? factors[k] : chosen;
		best = time < best ? time : best;
	}
	scene->cellFactor = chosen;
	scene->cellSize = chosen * edge;
}

// All frames: once to warm up, `passes` times for the clock.
static blendTimes RunMethod(blendScene* scene, int method, int passes, benchReport* report)
{
	static blendTimes none;
	blendTimes times = none;
	blendBodies b;
	bool hasOracles = method == method_bottomUp || method == method_oracle;
	snugBound bound = method < BENCH_BOUNDS ? benchBounds[method] : snug_boundDefault;
	if (!CreateBodies(scene, &b, bound, hasOracles, report))
	{
		return times;
	}
	spatialHash* hash = method == method_spatialHash ? spatialHash_Create() : NULL;
	if (hash != NULL)
	{
		TuneCells(scene, &b, hash, report);
	}
	for (int pass = 0; pass <= passes; ++pass)
	{
		times = pass == 1 ? none : times;
		for (int f = 0; f < scene->frameCount && report->failure[0] == '\0'; ++f)
		{
			uint64_t count = hash != NULL ? RunHashFrame(scene, &b, hash, f, &times, report)
			                              : RunFrame(scene, &b, method, f, &times, report);
			CheckAnswer(scene, f, method, count, report);
		}
		scene->answered = true;
	}
	times.nodesRefitted /= passes;
	times.volumeTests /= passes;
	times.verticesEvaluated /= passes;
	times.triangleTests /= passes;
	spatialHash_Destroy(hash);
	DestroyBodies(&b);
	return times;
}

// The frame with the most contact against brute force.
static void Verify(blendScene* scene, const blendBodies* b, benchReport* report)
{
	int frame = scene->frameCount / 2;
	snugStatus status = PoseBodies(scene, b, frame);
	for (int i = 0; i < 2 && status == snug_success; ++i)
	{
		status = snugBody_GetVertices(b->bodies[i].body, NULL, scene->world[i], 0);
	}
	bruteMesh meshes[2] = { GetWorldMesh(scene, 0), GetWorldMesh(scene, 1) };
	bruteResult result = bruteCollide(&meshes[0], &meshes[1]);
	uint64_t hash = sceneHash_Pairs(SCENE_HASH_START, result.pairs, result.count);
	if (status != snug_success || result.outOfMemory || hash != scene->hashes[frame])
	{
		benchReport_Fail(report, "frame %d: brute force finds %llu pairs, ours %llu, or other ones", frame,
		    (unsigned long long)result.count, (unsigned long long)scene->counts[frame]);
	}
	bruteResult_Free(&result);
}

// ---- Report ----------------------------------------------------------------------------------------------------

static uint64_t HashOfAll(const blendScene* scene)
{
	uint64_t hash = SCENE_HASH_START;
	for (int f = 0; f < scene->frameCount; ++f)
	{
		hash = sceneHash_Word(hash, (uint32_t)scene->hashes[f]);
		hash = sceneHash_Word(hash, (uint32_t)(scene->hashes[f] >> 32));
	}
	return hash;
}

static double MeanPairs(const blendScene* scene)
{
	double sum = 0.0;
	for (int f = 0; f < scene->frameCount; ++f)
	{
		sum += (double)scene->counts[f];
	}
	return sum / (double)scene->frameCount;
}

static void AddRow(benchReport* report, const blendScene* scene, const blendTimes* all, int method)
{
	const blendTimes *times = all + method, *oracle = all + method_oracle, *bottomUp = all + method_bottomUp;
	benchRow* row = benchReport_AddRow(report, "Posing and query of two meshless bodies, per frame");
	benchRow_Count(row, "vertices", scene->meshless[0].mesh.vertexCount);
	benchRow_Count(row, "nodes", scene->meshless[0].weights.transformCount);
	benchRow_Text(row, "contact", sceneContact_GetName(scene->contact));
	benchRow_Text(row, "method", GetMethodName(method));
	benchRow_Number(row, "poseMs", benchSamples_Median(&times->pose), 3);
	benchRow_Number(row, "evaluateMs", benchSamples_Median(&times->evaluate), 3);
	benchRow_Number(row, method == method_spatialHash ? "loadMs" : "refitMs", benchSamples_Median(&times->refit), 3);
	benchRow_Number(row, "queryMs", benchSamples_Median(&times->query), 3);
	benchRow_Number(row, "totalMs", benchSamples_Median(&times->total), 3);
	benchRow_Number(row, "totalMsMin", benchSamples_Min(&times->total), 3);
	double total = benchSamples_Median(&times->total);
	benchRow_Number(row, "totalOverOracle", total / benchSamples_Median(&oracle->total), 2);
	benchRow_Number(row, "bottomUpOverTotal", benchSamples_Median(&bottomUp->total) / total, 2);
	if (method != method_spatialHash)
	{
		benchRow_Number(row, "nodesRefitted", times->nodesRefitted, 0);
		benchRow_Number(row, "verticesEvaluated", times->verticesEvaluated, 0);
	}
	benchRow_Number(row, "volumeTests", times->volumeTests, 0);
	if (method != method_spatialHash)
	{
		benchRow_Number(row, "volumeTestsOverOracle", times->volumeTests / oracle->volumeTests, 2);
	}
	benchRow_Number(row, "triangleTests", times->triangleTests, 0);
	benchRow_Number(row, "pairs", MeanPairs(scene), 0);
	benchRow_Hash(row, "pairsHash", HashOfAll(scene));
}

/// What is said of a scene in a table of its own: its contact, and bottom-up's parts per vertex and per node, so that a
/// slow baseline would show.
typedef struct sceneNote
{
	uint32_t vertices, nodes;
	sceneContact contact;
	double evaluateNs, refitNs, queryOverUpdate, pairs;
	uint64_t peak;
	double cellFactor; ///< of the spatial hash, as tuned
} sceneNote;

static sceneNote MakeNote(const blendScene* scene, const blendTimes* bottomUp, uint32_t treeNodes)
{
	double evaluate = benchSamples_Median(&bottomUp->evaluate), refit = benchSamples_Median(&bottomUp->refit);
	return (sceneNote){
		.vertices = scene->meshless[0].mesh.vertexCount,
		.nodes = scene->meshless[0].weights.transformCount,
		.contact = scene->contact,
		.evaluateNs = 1e6 * evaluate / (2.0 * (double)scene->meshless[0].mesh.vertexCount),
		.refitNs = 1e6 * refit / (2.0 * (double)treeNodes),
		.queryOverUpdate = benchSamples_Median(&bottomUp->query) / (evaluate + refit),
		.pairs = MeanPairs(scene),
		.peak = scene->counts[scene->frameCount / 2],
		.cellFactor = scene->cellFactor,
	};
}

static void AddNoteRow(benchReport* report, const sceneNote* note)
{
	benchRow* row = benchReport_AddRow(report, "The scenes, and how good the baselines are");
	benchRow_Count(row, "vertices", note->vertices);
	benchRow_Count(row, "nodes", note->nodes);
	benchRow_Text(row, "contact", sceneContact_GetName(note->contact));
	benchRow_Number(row, "bottomUpEvaluateNsPerVertex", note->evaluateNs, 1);
	benchRow_Number(row, "bottomUpRefitNsPerNode", note->refitNs, 1);
	benchRow_Number(row, "bottomUpQueryOverUpdate", note->queryOverUpdate, 3);
	benchRow_Number(row, "hashCellsOverMeanEdge", note->cellFactor, 1);
	benchRow_Number(row, "pairsMean", note->pairs, 0);
	benchRow_Count(row, "pairsAtPeak", note->peak);
}

static void RunContact(
    const benchOptions* options, benchReport* report, blendScene* scene, sceneContact contact, sceneNote* note)
{
	blendTimes* all = calloc(METHODS, sizeof(blendTimes));
	blendBodies b;
	scene->contact = contact;
	scene->answered = false;
	if (all == NULL || !CreateBodies(scene, &b, snug_boundDefault, false, report))
	{
		benchReport_Fail(report, "out of memory");
		free(all);
		return;
	}
	uint32_t nodeCount = snugModel_GetInfo(b.bodies[0].model).nodeCount;
	bool placed = PlaceBodies(scene, &b, report);
	for (int method = 0; placed && method < METHODS && report->failure[0] == '\0'; ++method)
	{
		all[method] = RunMethod(scene, method, options->quick ? 2 : 5, report);
	}
	if (report->failure[0] == '\0')
	{
		Verify(scene, &b, report);
	}
	for (int method = 0; method < METHODS && report->failure[0] == '\0'; ++method)
	{
		AddRow(report, scene, all, method);
	}
	if (scene->meshless[0].mesh.vertexCount > 10000 && report->failure[0] == '\0')
	{
		benchReport_AddAim(report, all[method_ours].volumeTests / all[method_oracle].volumeTests, 1.2,
		    "%u vertices, %u nodes, %s contact: volume tests, ours / oracle", scene->meshless[0].mesh.vertexCount,
		    scene->meshless[0].weights.transformCount, sceneContact_GetName(contact));
	}
	*note = MakeNote(scene, all + method_bottomUp, nodeCount);
	DestroyBodies(&b);
	free(all);
}

void benchBlendQuery(const benchOptions* options, benchReport* report)
{
	static const uint32_t frequencies[2] = { 17, 67 }; // 2,892 and 44,892 vertices
	static const uint32_t nodeCounts[2] = { 115, 550 };
	sceneNote notes[8];
	int noteCount = 0;
	for (int n = 0; n < (options->quick ? 1 : 2); ++n)
	{
		for (int size = 0; size < 2 && report->failure[0] == '\0'; ++size)
		{
			blendScene scene;
			benchProgress(options, size == 0 ? "blend-query: 3K vertices …" : "blend-query: 45K vertices …");
			if (MakeScene(&scene, frequencies[size], nodeCounts[n], options->quick ? 8 : 16, report))
			{
				RunContact(options, report, &scene, scene_light, &notes[noteCount++]);
				RunContact(options, report, &scene, scene_heavy, &notes[noteCount++]);
				FreeScene(&scene);
			}
		}
	}
	for (int i = 0; i < noteCount && report->failure[0] == '\0'; ++i)
	{
		AddNoteRow(report, &notes[i]);
	}
	benchProgress(options, "blend-query: single nodes and models …");
	benchBlendMicro(options, report);
}
