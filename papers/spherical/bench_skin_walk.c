// `snug bench skin-walk`: Table 2 of spherical-blend-2006: two walkers that brush past one another, and two creatures
// that walk through each other; all pairs, and only whether there is one; by every skin.
#include "papers/spherical/skin_walk.h"

#include "papers/common/tightness.h"
#include "papers/spherical/nodes.h"

#include <math.h>
#include <stdlib.h>

#define FRAMES 45
#define QUICK_FRAMES 15

/// Milliseconds that the paper reports, of its own machine.
typedef struct printed
{
	double linear, spherical, bottomUp;
} printed;

static const printed fullTimes[SCENE_CHARACTERS] = { { 0.27, 0.31, 16.70 }, { 6.14, 7.47, 35.17 } };
static const printed yesNoTimes[SCENE_CHARACTERS] = { { NAN, NAN, NAN }, { 0.72, 1.44, 28.67 } };

/// Two of a kind, by one skin.
typedef struct walk
{
	const sceneCharacter* character;
	snugBlending blending;
	bool isMorphed;
	benchActor actors[2];
	float* matrices[2];
	float* amplitudes[2];
	benchSkinning skins[2];
} walk;

/// What the aims need: the least times per frame together.
typedef struct outcome
{
	double ours[BENCH_SKINS], oracle[BENCH_SKINS];
	double bottomUp[BENCH_SKINS]; ///< the better of our two
	double spheres[BENCH_SKINS];  ///< bottom-up too, as in the paper
} outcome;

static void PlaceWalkers(const benchMeeting* meeting, const void* user, int frame, snugFrame* places)
{
	const walk* w = user;
	for (int i = 0; i < 2; ++i)
	{
		float ignored[12 * SCENE_MAX_JOINTS];
		sceneCharacter_Meet(w->character, i, frame, meeting->answers.frameCount, ignored, places + i);
	}
}

static bool CreateWalk(walk* w, const sceneCharacter* c, snugBlending blending, bool isMorphed, int frameCount)
{
	uint32_t joints = c->weights.transformCount, targets = c->targets.count;
	*w = (walk){ .character = c, .blending = blending, .isMorphed = isMorphed };
	for (int i = 0; i < 2; ++i)
	{
		w->matrices[i] = malloc(12 * (size_t)joints * (size_t)frameCount * sizeof(float));
		w->amplitudes[i] = malloc(((size_t)targets * (size_t)frameCount + 1) * sizeof(float));
		w->skins[i] = (benchSkinning){ blending, c->jointPositions, isMorphed ? &c->targets : NULL, w->amplitudes[i] };
		w->actors[i] = benchActor_Skinned(&c->mesh, &c->weights, w->matrices[i], frameCount, w->skins + i);
		for (int f = 0; f < frameCount && w->matrices[i] != NULL && w->amplitudes[i] != NULL; ++f)
		{
			snugFrame ignored;
			sceneCharacter_Meet(c, i, f, frameCount, w->matrices[i] + 12 * (size_t)f * joints, &ignored);
			sceneCharacter_Breathe(c, (double)f / frameCount + 0.3 * i, w->amplitudes[i] + (size_t)f * targets);
		}
	}
	return w->matrices[0] != NULL && w->matrices[1] != NULL && w->amplitudes[0] != NULL && w->amplitudes[1] != NULL;
}

static void FreeWalk(walk* w)
{
	for (int i = 0; i < 2; ++i)
	{
		free(w->matrices[i]);
		free(w->amplitudes[i]);
	}
}

// ---- Times -----------------------------------------------------------------------------------------------------

static double GetPrinted(const walk* w, bool isYesNo, benchMethod method)
{
	const printed* p = (isYesNo ? yesNoTimes : fullTimes) + w->character->kind;
	bool isTheirs = method == bench_spheres || method == bench_ours;
	return method == bench_spheresUp || method == bench_bottomUp ? p->bottomUp
	       : isTheirs && w->blending == snug_blendLinear         ? p->linear
	       : isTheirs && w->blending == snug_blendSpherical      ? p->spherical
	                                                             : (double)NAN;
}

static void AddRows(benchReport* report, const walk* w, const benchMeeting* meeting)
{
	for (int method = 0; method < BENCH_METHODS; ++method)
	{
		if (!meeting->times[method].isMeasured)
		{
			continue;
		}
		benchRow* row = benchReport_AddRow(report, "Posing and query of two walkers, per frame");
		benchRow_Text(row, "bodies", w->character->kind == scene_man ? "men" : "creatures");
		benchRow_Text(row, "skin", benchGetSkinName(w->blending));
		benchRow_Count(row, "morphTargets", w->isMorphed ? w->character->targets.count : 0);
		benchRow_Text(row, "query", meeting->isYesNo ? "yes/no" : "full");
		benchMeeting_AddCells(row, meeting, (benchMethod)method);
		benchRow_Number(
		    row, "paperMs", w->isMorphed ? (double)NAN : GetPrinted(w, meeting->isYesNo, (benchMethod)method), 2);
	}
}

static void Keep(outcome* out, int skin, const benchMeeting* meeting)
{
	out->ours[skin] = benchMeeting_GetBest(meeting, bench_ours);
	out->oracle[skin] = benchMeeting_GetBest(meeting, bench_oracle);
	out->spheres[skin] = benchMeeting_GetBest(meeting, bench_spheresUp);
	out->bottomUp[skin] =
	    fmin(benchMeeting_GetBest(meeting, bench_bottomUp), benchMeeting_GetBest(meeting, bench_freeBottomUp));
}

// ---- Shares ----------------------------------------------------------------------------------------------------

static void AddShareRow(benchReport* report, const walk* w, const char* method, int level, double nodes, double part)
{
	benchRow* row = benchReport_AddRow(report,
	    "Nodes refitted in the frame with the most pairs, by level; the paper's men: 19 % on level 5, 9 % on level 6");
	benchRow_Text(row, "bodies", w->character->kind == scene_man ? "men" : "creatures");
	benchRow_Text(row, "skin", benchGetSkinName(w->blending));
	benchRow_Text(row, "method", method);
	benchRow_Count(row, "level", (uint64_t)level + 1);
	benchRow_Number(row, "nodes", nodes, 0);
	benchRow_Number(row, "refittedPercent", 100.0 * part / nodes, 1);
}

static void AddSharePlot(benchReport* report, int firstRow, const walk* w, const char* method)
{
	static const char* const keys[] = { "refittedPercent", NULL };
	benchPlot plot = {
		.firstRow = firstRow, .endRow = report->rowCount, .unit = "%", .across = "level", .limit = 100.0, .keys = keys
	};
	snprintf(
	    plot.title, sizeof(plot.title), "Two of %s, %s, %s", w->character->name, benchGetSkinName(w->blending), method);
	benchReport_AddPlot(report, &plot);
}

/// Nodes by level, of both bodies, and those of them that a query looked at.
typedef struct shares
{
	double nodes[BENCH_MAX_LEVELS], parts[BENCH_MAX_LEVELS];
} shares;

static void CountSpheres(shares* out, const sphereTree* tree, const sphereBody* spheres)
{
	for (uint32_t i = 0; i < sphereTree_GetNodeCount(tree); ++i)
	{
		out->nodes[sphereTree_GetLevel(tree, i)] += 1.0;
		out->parts[sphereTree_GetLevel(tree, i)] += sphereBody_IsFresh(spheres, i);
	}
}

static void CountNodes(shares* out, snugBody* body)
{
	const sgTree* tree = &body->model->tree;
	for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
	{
		bool isNode = tree->nodes[slot].first != SG_NONE;
		uint8_t level = tree->nodes[slot].level;
		out->nodes[level] += isNode;
		out->parts[level] += isNode && benchIsVisited(body, sgTree_Family(tree, slot));
	}
}

// Ask once, from scratch, in the frame with the most pairs.
static snugStatus CountShares(shares* out, benchStage* stage, const benchMeeting* meeting)
{
	int frame = benchAnswers_GetPeak(&meeting->answers);
	bool isSpheres = stage->method->kind == bench_bySpheres;
	snugStatus status = benchStage_Pose(stage, meeting->actors, frame, meeting->places[frame]);
	for (int i = 0; i < 2 && isSpheres && status == snug_success; ++i)
	{
		status = sphereBody_Update(stage->spheres[i]);
	}
	if (status == snug_success && isSpheres)
	{
		sphereCollide(stage->spheres[0], stage->spheres[1], false, meeting->answers.pairs, meeting->answers.capacity);
	}
	else if (status == snug_success)
	{
		status = snugCollide(stage->bodies[0].body, stage->bodies[1].body, NULL).status;
	}
	for (int i = 0; i < 2 && status == snug_success; ++i)
	{
		if (isSpheres)
		{
			CountSpheres(out, stage->sphereTrees[0], stage->spheres[i]);
		}
		else
		{
			CountNodes(out, stage->bodies[i].body);
		}
	}
	return status;
}

static void RunShares(benchReport* table, benchReport* report, const walk* w, const benchMeeting* meeting)
{
	static const benchMethod methods[2] = { bench_spheres, bench_onDemand };
	for (int m = 0; m < 2 && report->failure[0] == '\0'; ++m)
	{
		shares found = { .nodes = { 0.0 } };
		benchStage stage;
		if (!benchStage_Create(&stage, benchGetMethod(methods[m]), meeting->actors, 2, NULL, report))
		{
			return;
		}
		snugStatus status = CountShares(&found, &stage, meeting);
		if (status != snug_success)
		{
			benchReport_Fail(report, "cannot pose walkers: %s", snugGetStatusText(status));
		}
		int firstRow = table->rowCount;
		for (int level = 0; level < BENCH_MAX_LEVELS && found.nodes[level] > 0.0; ++level)
		{
			AddShareRow(table, w, stage.method->name, level, found.nodes[level], found.parts[level]);
		}
		AddSharePlot(table, firstRow, w, stage.method->name);
		benchStage_Destroy(&stage);
	}
}

// ---- Refits ----------------------------------------------------------------------------------------------------

static double TimeSpheres(const sphereTree* tree, sphereBody* spheres)
{
	double best = INFINITY;
	for (int pass = 0; pass < 7; ++pass)
	{
		double start = benchNow();
		if (sphereBody_Update(spheres) != snug_success)
		{
			return NAN;
		}
		for (uint32_t i = 0; i < sphereTree_GetNodeCount(tree); ++i)
		{
			sphereBody_Refit(spheres, i);
		}
		best = fmin(best, benchNow() - start);
	}
	return 1e6 * best / (double)sphereTree_GetNodeCount(tree);
}

// All nodes of the paper's tree, and some of ours, in the contorted pose.
static double RunRefits(benchReport* table, benchReport* report, const walk* w)
{
	float matrices[12 * SCENE_MAX_JOINTS];
	double ours = NAN, theirs = NAN;
	benchStage stages[2];
	sceneCharacter_Contort(w->character, 1.0, matrices);
	benchActor actor = w->actors[0];
	actor.matrices = matrices;
	for (int i = 0; i < 2 && report->failure[0] == '\0'; ++i)
	{
		static const snugFrame place = { .rotation = { 0.0, 0.0, 0.0, 1.0 } };
		benchStage* stage = stages + i;
		if (!benchStage_Create(stage, benchGetMethod(i == 0 ? bench_ours : bench_spheres), &actor, 1, NULL, report))
		{
			break;
		}
		if (benchStage_Pose(stage, &actor, 0, &place) != snug_success)
		{
			benchReport_Fail(report, "cannot pose the %s", w->character->name);
		}
		else if (i == 0)
		{
			ours = benchTimeRefits(stage->bodies[0].body);
		}
		else
		{
			theirs = TimeSpheres(stage->sphereTrees[0], stage->spheres[0]);
		}
		benchStage_Destroy(stage);
	}
	benchRow* row = benchReport_AddRow(table, "Refitting one node straight from the joints, up to 4 influences");
	benchRow_Text(row, "body", w->character->name);
	benchRow_Text(row, "skin", benchGetSkinName(w->blending));
	benchRow_Number(row, "oursNsPerNode", ours, 1);
	benchRow_Number(row, "paperNsPerNode", theirs, 1);
	benchRow_Number(row, "paperOverOurs", theirs / ours, 1);
	benchRow_Number(row, "paperPrintedNs",
	    w->blending == snug_blendLinear      ? 1210.0
	    : w->blending == snug_blendSpherical ? 1310.0
	                                         : (double)NAN,
	    0);
	return ours;
}

// ---- Scenes ----------------------------------------------------------------------------------------------------

static void RunMeeting(const benchOptions* options, skinWalkTables* tables, benchReport* report, const walk* w,
    benchMeeting* meeting, outcome outcomes[2], int skin)
{
	benchMethodSet methods = BENCH_BIT(bench_ours) | BENCH_BIT(bench_onDemand) | BENCH_BIT(bench_bottomUp) |
	                         BENCH_BIT(bench_freeBottomUp) | BENCH_BIT(bench_oracle);
	methods |= w->isMorphed ? 0 : BENCH_BIT(bench_spheres) | BENCH_BIT(bench_spheresUp);
	const benchMeetingPlan plan = {
		.methods = methods, .passes = !options->full ? 3 : 10, .briefPasses = !options->full ? 1 : 3
	};
	sceneContact contact = w->character->kind == scene_man ? scene_light : scene_heavy;
	bool good = benchMeeting_Place(meeting, contact, PlaceWalkers, w, report);
	for (int i = 0; i < 2 && good; ++i)
	{
		meeting->isYesNo = i == 1;
		benchMeeting_Forget(meeting, contact);
		good = benchMeeting_Run(meeting, &plan, report);
		if (good)
		{
			benchMeeting_Verify(meeting, report);
			AddRows(&tables->walkers, w, meeting);
			Keep(outcomes + i, skin, meeting);
		}
		if (good && i == 0 && !w->isMorphed)
		{
			RunShares(&tables->shares, report, w, meeting);
		}
	}
}

static void RunWalk(const benchOptions* options, skinWalkTables* tables, benchReport* report, const sceneCharacter* c,
    int skin, bool isMorphed, outcome outcomes[2], double* refit)
{
	walk w;
	benchMeeting meeting;
	char text[96];
	snprintf(text, sizeof(text), "skin-walk: %s, %s%s …", c->name, benchGetSkinName(benchSkins[skin]),
	    isMorphed ? ", morphed" : "");
	benchProgress(options, text);
	if (!CreateWalk(&w, c, benchSkins[skin], isMorphed, !options->full ? QUICK_FRAMES : FRAMES))
	{
		benchReport_Fail(report, "out of memory");
	}
	else if (benchMeeting_Create(&meeting, text, w.actors, 2, report))
	{
		RunMeeting(options, tables, report, &w, &meeting, outcomes, skin);
		benchMeeting_Free(&meeting);
		if (!isMorphed && report->failure[0] == '\0')
		{
			*refit = RunRefits(&tables->refits, report, &w);
		}
	}
	FreeWalk(&w);
}

static void AddAims(benchReport* report, sceneCharacterKind kind, const outcome outcomes[2], const double* refits)
{
	const char* name = kind == scene_man ? "men" : "creatures";
	for (int i = 0; i < BENCH_SKINS; ++i)
	{
		const char* skin = benchGetSkinName(benchSkins[i]);
		const outcome *full = outcomes, *yesNo = outcomes + 1;
		benchReport_AddAim(report, full->ours[i] / full->oracle[i], kind == scene_man ? 2.0 : 1.5,
		    "%s, %s: full, ours / oracle", name, skin);
		benchReport_AddAim(report, 20.0 * yesNo->ours[i] / yesNo->bottomUp[i], 1.0,
		    "%s, %s: yes/no, 20 times ours / our best bottom-up", name, skin);
		benchReport_AddAim(report, 20.0 * yesNo->ours[i] / yesNo->spheres[i], 1.0,
		    "%s, %s: yes/no, 20 times ours / bottom-up spheres, as the paper compares", name, skin);
		if (i > 0)
		{
			benchReport_AddAim(report, full->ours[i] / full->ours[0], 1.15, "%s: full, ours, %s / linear", name, skin);
		}
		benchReport_AddAim(report, refits[i], 100.0, "%s, %s: refit of one node, nanoseconds", name, skin);
	}
}

void benchSkinWalk(const benchOptions* options, benchReport* report)
{
	skinWalkTables tables = { .characters = { .rowCount = 0 } };
	for (int kind = 0; kind < SCENE_CHARACTERS && report->failure[0] == '\0'; ++kind)
	{
		sceneCharacter character;
		outcome outcomes[2] = { { .ours = { 0.0 } } }, ignored[2];
		double refits[BENCH_SKINS] = { 0.0 }, none;
		if (!sceneCharacter_Create(&character, (sceneCharacterKind)kind))
		{
			benchReport_Fail(report, "out of memory");
			break;
		}
		const benchSkinning skin = { .targets = &character.targets };
		const benchActor subject = benchActor_Skinned(&character.mesh, &character.weights, NULL, 0, &skin);
		benchAddCharacterRow(&tables.characters, character.name, &subject, "generated: the paper's counts");
		for (int i = 0; i < 2 * BENCH_SKINS && report->failure[0] == '\0'; ++i)
		{
			bool isMorphed = i >= BENCH_SKINS;
			RunWalk(options, &tables, report, &character, i % BENCH_SKINS, isMorphed, isMorphed ? ignored : outcomes,
			    isMorphed ? &none : refits + i);
		}
		if (report->failure[0] == '\0')
		{
			AddAims(report, (sceneCharacterKind)kind, outcomes, refits);
		}
		sceneCharacter_Free(&character);
	}
	if (report->failure[0] == '\0')
	{
		skinWalkRunReal(options, &tables, report);
	}
	benchReport_TakeRows(report, &tables.characters);
	benchReport_TakeRows(report, &tables.walkers);
	benchReport_TakeRows(report, &tables.refits);
	benchReport_TakeRows(report, &tables.shares);
	benchReport_TakeRows(report, &tables.clips);
	benchReport_TakeRows(report, &tables.posing);
}
