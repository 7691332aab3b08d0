// `snug bench peers`: ours beside other libraries and a plain tree, on the same frames: a frame begins with transforms
// and ends with pairs. Peers need all vertices, so evaluating them is theirs to pay: the lesser of our evaluation and a
// plain one of each vertex once.
#include "lab/bench/blend_scene.h"
#include "lab/bench/skins.h"
#include "papers/common/plain_skin.h"

#include <math.h>
#include <stdlib.h>

#define BLOB_FREQUENCY 67 // 44,892 vertices
#define BLOB_NODES 115
#define CHARACTER_FRAMES 15
#define WALK_FRAMES 30
#define CONTACTS 2

static const benchMethodSet peerMethods = BENCH_BIT(bench_plain) | BENCH_BIT(bench_embree) | BENCH_BIT(bench_fcl) |
                                          BENCH_BIT(bench_bullet) | BENCH_BIT(bench_ode) | BENCH_BIT(bench_cgal);
static const benchMethodSet quickPeers = BENCH_BIT(bench_plain) | BENCH_BIT(bench_embree);
static const benchMethodSet ourMethods =
    BENCH_BIT(bench_ours) | BENCH_BIT(bench_bottomUp) | BENCH_BIT(bench_freeBottomUp) | BENCH_BIT(bench_oracle);

/// The fastest peer that finds the same pairs, over ours. NaN where nothing was run.
typedef struct peersRatio
{
	double all[CONTACTS];
	double yesNo; ///< the least of all contacts
} peersRatio;

/// Two bodies, and what is asked about them.
typedef struct peersScene
{
	const char* name;
	benchMeeting meeting;
	double evaluateMs; ///< of all vertices: the lesser of two ways, per frame
	double ownMs;      ///< ours
	double plainMs;    ///< each vertex once; NaN where it does not apply
} peersScene;

// ---- Evaluation ------------------------------------------------------------------------------------------------

static double TimePlainFrame(const benchMeeting* meeting, int frame)
{
	double start = benchNow();
	for (int i = 0; i < meeting->actorCount; ++i)
	{
		const benchActor* actor = meeting->actors + i;
		plainSkin_Evaluate(actor->mesh, actor->weights, benchActor_GetMatrices(actor, frame),
		    &meeting->places[frame][i], meeting->world[i]);
	}
	return benchNow() - start;
}

static bool IsPlain(const benchActor* actor)
{
	const benchSkinning* skin = actor->skin;
	return actor->weights != NULL && (skin == NULL || (skin->blending == snug_blendLinear && skin->targets == NULL));
}

// Least times of each frame, over all frames.
static void TimeEvaluation(peersScene* scene)
{
	const benchMeeting* meeting = &scene->meeting;
	int frameCount = meeting->answers.frameCount;
	double sum = 0.0;
	for (int f = 0; f < frameCount && IsPlain(meeting->actors) && IsPlain(meeting->actors + 1); ++f)
	{
		double least = TimePlainFrame(meeting, f);
		least = fmin(least, TimePlainFrame(meeting, f));
		sum += fmin(least, TimePlainFrame(meeting, f));
	}
	scene->ownMs = benchSamples_Median(&meeting->times[bench_plain].evaluate);
	scene->plainMs = sum > 0.0 ? sum / frameCount : (double)NAN;
	scene->evaluateMs = fmin(scene->ownMs, scene->plainMs);
}

// ---- Rows ------------------------------------------------------------------------------------------------------

static bool IsFree(const peersScene* scene)
{
	return scene->meeting.actors[0].deformer == snug_free;
}

// What a frame takes, the least of all passes: a peer pays for the quicker evaluation, and for none where vertices are
// given, which it reads where they are.
static double GetTime(const peersScene* scene, benchMethod method)
{
	const benchMeetingTimes* times = scene->meeting.times + method;
	double best = benchMeeting_GetBest(&scene->meeting, method);
	return benchGetMethod(method)->kind != bench_byPeer ? best
	       : IsFree(scene) ? benchSamples_Median(&times->refit) + benchSamples_Median(&times->query)
	                       : best - fmax(scene->ownMs - scene->evaluateMs, 0.0);
}

static void AddRow(benchReport* report, const peersScene* scene, benchMethod m)
{
	const benchMeeting* meeting = &scene->meeting;
	const benchMeetingTimes* times = meeting->times + m;
	const benchMethodDef* method = benchGetMethod(m);
	bool isPeer = method->kind == bench_byPeer;
	const benchMethod ours = meeting->isYesNo ? bench_witness : bench_ours;
	benchRow* row = benchReport_AddRow(report, "From transforms to pairs, ms per frame");
	benchRow_Text(row, "bodies", scene->name);
	benchRow_Text(row, "contact", sceneContact_GetName(meeting->contact));
	benchRow_Text(row, "query", meeting->isYesNo ? "yes/no" : "all");
	benchRow_Text(row, "method", method->name);
	if (!times->isMeasured)
	{
		char text[48];
		snprintf(text, sizeof(text), "not installed (%s)", isPeer ? method->peer->package : "");
		benchRow_Text(row, "version", text);
		return;
	}
	benchRow_Text(row, "version", isPeer ? method->peer->version : snugGetVersion());
	benchRow_Number(row, "bestMs", GetTime(scene, m), 4);
	benchRow_Number(row, "overOurs", GetTime(scene, m) / GetTime(scene, ours), 2);
	benchRow_Number(row, "pairs", benchAnswers_GetMean(&meeting->answers), 0);
	benchRow_Count(row, "missing", times->differences[0]);
	benchRow_Count(row, "extra", times->differences[1]);
	benchRow_Number(row, "evaluateMs",
	    !isPeer         ? benchSamples_Median(&times->evaluate)
	    : IsFree(scene) ? 0.0
	                    : scene->evaluateMs,
	    3);
	benchRow_Number(row, "updateMs", benchSamples_Median(&times->refit), 3);
	benchRow_Number(row, "queryMs", benchSamples_Median(&times->query), 3);
}

// The least time of a peer that agrees with us.
static double FindFastest(const peersScene* scene)
{
	double least = INFINITY;
	for (int m = 0; m < BENCH_METHODS; ++m)
	{
		const benchMeetingTimes* times = scene->meeting.times + m;
		if (benchGetMethod((benchMethod)m)->kind == bench_byPeer && times->isMeasured &&
		    times->differences[0] + times->differences[1] == 0)
		{
			least = fmin(least, GetTime(scene, (benchMethod)m));
		}
	}
	return isfinite(least) ? least : (double)NAN;
}

static void AddEvaluationRow(benchReport* report, const peersScene* scene)
{
	benchRow* row = benchReport_AddRow(report, "Evaluating all vertices of both bodies, ms per frame");
	benchRow_Text(row, "bodies", scene->name);
	benchRow_Count(row, "vertices", scene->meeting.vertices);
	benchRow_Number(row, "oursByCluster", scene->ownMs, 3);
	benchRow_Number(row, "eachVertexOnce", scene->plainMs, 3);
	benchRow_Number(row, "peersPay", scene->evaluateMs, 3);
}

// ---- Runs ------------------------------------------------------------------------------------------------------

static bool Run(const benchOptions* options, peersScene* scene, bool isYesNo, benchReport* report)
{
	bool isFree = IsFree(scene);
	benchMethodSet peers = options->quick || isYesNo || isFree ? quickPeers : peerMethods;
	const benchMeetingPlan plan = {
		.methods = (isFree ? BENCH_BIT(bench_ours) | BENCH_BIT(bench_oracle) : ourMethods) | peers |
		           (isYesNo ? BENCH_BIT(bench_witness) : 0),
		.passes = options->full ? 10 : 4,
		.briefPasses = options->full ? 5 : 2,
	};
	scene->meeting.isYesNo = isYesNo;
	benchMeeting_Forget(&scene->meeting, scene->meeting.contact);
	bool good = benchMeeting_Run(&scene->meeting, &plan, report);
	if (good && !isYesNo && !isFree)
	{
		TimeEvaluation(scene);
	}
	for (int m = 0; m < BENCH_METHODS && good; ++m)
	{
		if ((plan.methods & BENCH_BIT(m)) != 0)
		{
			AddRow(report, scene, (benchMethod)m);
		}
	}
	return good;
}

// All pairs, then yes/no.
static void RunScene(const benchOptions* options, peersScene* scene, benchReport* report, peersRatio* ratio)
{
	char text[96];
	snprintf(text, sizeof(text), "peers: %s, %s contact …", scene->name, sceneContact_GetName(scene->meeting.contact));
	benchProgress(options, text);
	if (Run(options, scene, false, report))
	{
		ratio->all[scene->meeting.contact] = FindFastest(scene) / benchMeeting_GetBest(&scene->meeting, bench_ours);
		if (!IsFree(scene))
		{
			AddEvaluationRow(report, scene);
		}
		if (Run(options, scene, true, report))
		{
			ratio->yesNo =
			    fmin(ratio->yesNo, FindFastest(scene) / benchMeeting_GetBest(&scene->meeting, bench_witness));
		}
	}
}

static peersRatio RunActors(const benchOptions* options, const char* name, const benchActor actors[2],
    benchPlaceFcn* place, const void* user, benchReport* report)
{
	peersScene* scene = calloc(1, sizeof(peersScene));
	peersRatio ratio = { { (double)NAN, (double)NAN }, (double)NAN };
	if (scene == NULL)
	{
		benchReport_Fail(report, "out of memory");
		return ratio;
	}
	scene->name = name;
	if (benchMeeting_Create(&scene->meeting, name, actors, 2, report))
	{
		for (int contact = 0; contact < CONTACTS && report->failure[0] == '\0'; ++contact)
		{
			if (benchMeeting_Place(&scene->meeting, (sceneContact)contact, place, user, report))
			{
				RunScene(options, scene, report, &ratio);
			}
		}
		benchMeeting_Free(&scene->meeting);
	}
	free(scene);
	return ratio;
}

static void AddAims(benchReport* report, const char* name, const peersRatio* ratio, const double aims[5])
{
	benchReport_AimAtLeast(
	    report, ratio->all[scene_light], aims[0], aims[1], "%s, light contact: the fastest peer / ours", name);
	benchReport_AimAtLeast(
	    report, ratio->all[scene_heavy], aims[2], aims[3], "%s, heavy contact: the fastest peer / ours", name);
	benchReport_AimAtLeast(report, ratio->yesNo, aims[4], (double)NAN,
	    "%s, yes/no: the fastest peer / ours with a witness, the lesser of both contacts", name);
}

// The vertices of an actor in all its frames. Null, with the report failed, if there is no memory.
static float* EvaluateFrames(const benchActor* actor, benchReport* report)
{
	size_t floats = 3 * (size_t)actor->mesh->vertexCount;
	float* vertices = calloc((size_t)actor->frameCount, floats * sizeof(float));
	benchBody body;
	if (vertices == NULL || !benchBody_Create(&body, actor, snug_strategyAuto, report))
	{
		benchReport_Fail(report, "out of memory");
		free(vertices);
		return NULL;
	}
	for (int f = 0; f < actor->frameCount; ++f)
	{
		actor->pose(actor, body.body, f);
		snugBody_GetVertices(body.body, NULL, vertices + (size_t)f * floats, 0);
	}
	benchBody_Destroy(&body);
	return vertices;
}

// Meshless ones, and then the same with vertices that are given.
static void RunBlobs(const benchOptions* options, benchReport* report)
{
	static const double aims[5] = { 18.0, 25.0, 3.5, 4.5, 60.0 }, freeAims[5] = { 1.0, NAN, 1.0, NAN, 1.0 };
	const blendClip clip = { 0, options->repeats };
	blendScene scene;
	if (!blendScene_Create(&scene, BLOB_FREQUENCY, BLOB_NODES, 2, clip, report))
	{
		return;
	}
	peersRatio ratio = RunActors(options, "blobs of 45K", scene.actors, blendPlace, &scene, report);
	AddAims(report, "blobs of 45K", &ratio, aims);
	float* vertices[2] = { EvaluateFrames(scene.actors, report), EvaluateFrames(scene.actors + 1, report) };
	if (report->failure[0] == '\0')
	{
		const benchActor actors[2] = { benchActor_Free(scene.actors[0].mesh, vertices[0], clip.count),
			benchActor_Free(scene.actors[1].mesh, vertices[1], clip.count) };
		ratio = RunActors(options, "blobs of 45K, vertices given", actors, blendPlace, &scene, report);
		AddAims(report, "blobs of 45K, vertices given", &ratio, freeAims);
	}
	free(vertices[0]);
	free(vertices[1]);
	blendScene_Free(&scene);
}

static peersRatio RunCharacter(
    const benchOptions* options, const char* directory, const char* name, const char* whence, benchReport* report)
{
	peersRatio ratio = { { (double)NAN, (double)NAN }, (double)NAN };
	benchCharacter c;
	float* matrices[2] = { NULL, NULL };
	benchActor actors[2];
	if (!benchCharacter_Load(&c, directory, name, report))
	{
		return ratio;
	}
	bool good = c.isPresent;
	for (int i = 0; i < 2 && good; ++i)
	{
		matrices[i] = benchCharacter_AllocateMatrices(&c, CHARACTER_FRAMES);
		good = matrices[i] != NULL && c.asset.clipCount > 0;
		if (good)
		{
			benchCharacter_PoseClip(&c, 0, CHARACTER_FRAMES, 0.25 * i, matrices[i]);
			actors[i] = benchActor_Skinned(&c.mesh, &c.weights, matrices[i], CHARACTER_FRAMES, NULL);
		}
	}
	if (good)
	{
		ratio = RunActors(options, name, actors, skinPlaceFrame, NULL, report);
	}
	else
	{
		benchRow* row = benchReport_AddRow(report, "Evaluating all vertices of both bodies, ms per frame");
		char text[48];
		snprintf(text, sizeof(text), "%s: absent (%s)", name, whence);
		benchRow_Text(row, "bodies", text);
	}
	free(matrices[0]);
	free(matrices[1]);
	if (c.isPresent)
	{
		benchCharacter_Free(&c);
	}
	return ratio;
}

// ---- The skinning paper's bodies -------------------------------------------------------------------------------

static void PlaceWalkers(const benchMeeting* meeting, const void* user, int frame, snugFrame* places)
{
	float ignored[12 * SCENE_MAX_JOINTS];
	for (int i = 0; i < 2; ++i)
	{
		sceneCharacter_Meet(user, i, frame, meeting->answers.frameCount, ignored, places + i);
	}
}

// Least times of the frames in which bodies touch, together.
static double SumTouching(const benchMeeting* meeting, benchMethod method)
{
	double sum = 0.0;
	for (int f = 0; f < meeting->answers.frameCount; ++f)
	{
		sum += meeting->answers.counts[f] > 0 ? meeting->times[method].best[f] : 0.0;
	}
	return sum;
}

static double RunWalk(const benchOptions* options, const sceneCharacter* c, benchMeeting* meeting, benchReport* report)
{
	const benchMeetingPlan plan = { .methods = ourMethods | BENCH_BIT(bench_witness) | quickPeers,
		.passes = options->full ? 20 : 8,
		.briefPasses = options->full ? 10 : 4 };
	sceneContact contact = c->kind == scene_man ? scene_light : scene_heavy;
	double ratio = NAN;
	if (benchMeeting_Place(meeting, contact, PlaceWalkers, c, report))
	{
		meeting->isYesNo = true;
		if (benchMeeting_Run(meeting, &plan, report))
		{
			double bottomUp = fmin(SumTouching(meeting, bench_bottomUp), SumTouching(meeting, bench_freeBottomUp));
			ratio = bottomUp / SumTouching(meeting, bench_witness);
			benchRow* row =
			    benchReport_AddRow(report, "The skinning paper's bodies, yes/no, in frames where they touch");
			benchRow_Text(row, "bodies", c->kind == scene_man ? "men" : "creatures");
			benchRow_Number(row, "framesThatTouch", benchAnswers_GetMean(&meeting->answers) * WALK_FRAMES, 0);
			benchRow_Number(row, "bottomUpMs", bottomUp, 4);
			benchRow_Number(row, "oursMs", SumTouching(meeting, bench_ours), 4);
			benchRow_Number(row, "withAWitnessMs", SumTouching(meeting, bench_witness), 4);
			benchRow_Number(row, "bottomUpOverOurs", ratio, 1);
		}
	}
	return ratio;
}

static double RunWalkers(const benchOptions* options, sceneCharacterKind kind, benchReport* report)
{
	sceneCharacter c;
	benchActor actors[2];
	float* matrices[2] = { NULL, NULL };
	benchMeeting meeting;
	double ratio = NAN;
	if (!sceneCharacter_Create(&c, kind))
	{
		benchReport_Fail(report, "out of memory");
		return ratio;
	}
	size_t floats = 12 * (size_t)c.weights.transformCount;
	for (int i = 0; i < 2; ++i)
	{
		matrices[i] = calloc(WALK_FRAMES, floats * sizeof(float));
		for (int f = 0; f < WALK_FRAMES && matrices[i] != NULL; ++f)
		{
			snugFrame ignored;
			sceneCharacter_Meet(&c, i, f, WALK_FRAMES, matrices[i] + (size_t)f * floats, &ignored);
		}
		actors[i] = benchActor_Skinned(&c.mesh, &c.weights, matrices[i], WALK_FRAMES, NULL);
	}
	if (matrices[0] != NULL && matrices[1] != NULL && benchMeeting_Create(&meeting, "walkers", actors, 2, report))
	{
		ratio = RunWalk(options, &c, &meeting, report);
		benchMeeting_Free(&meeting);
	}
	free(matrices[0]);
	free(matrices[1]);
	sceneCharacter_Free(&c);
	return ratio;
}

// ---- All -------------------------------------------------------------------------------------------------------

void benchPeers(const benchOptions* options, benchReport* report)
{
	static const char* const names[2] = { "mannequiny", "makehuman" };
	static const double characterAims[2][5] = { { 6.5, 9.0, 4.5, 6.0, 30.0 }, { 16.0, 22.0, 4.5, 6.0, 30.0 } };
	const char* directory = benchGetModelDirectory(options);
	RunBlobs(options, report);
	for (int i = 0; i < 2 && report->failure[0] == '\0'; ++i)
	{
		peersRatio ratio = RunCharacter(options, directory, names[i], "--models, SNUG_MODELS", report);
		AddAims(report, names[i], &ratio, characterAims[i]);
	}
	static const char* const generated[] = { "man", "creature", "man-dense", "creature-dense" };
	for (int i = 0; i < (options->full ? 4 : 2) && report->failure[0] == '\0' && !options->quick; ++i)
	{
		RunCharacter(options, "build/models", generated[i], "make characters", report);
	}
	for (int kind = 0; kind < SCENE_CHARACTERS && report->failure[0] == '\0'; ++kind)
	{
		double ratio = RunWalkers(options, (sceneCharacterKind)kind, report);
		benchReport_AimAtLeast(report, ratio, 10.0, 20.0, "%s, yes/no where they touch: our bottom-up / ours",
		    kind == scene_man ? "men" : "creatures");
	}
}
