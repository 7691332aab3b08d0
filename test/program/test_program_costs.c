// test/program/test_program_costs.c: what the program says that a frame cost, against counts by other means
// (counted.h): a man and a creature that meet, in frames for which the program has too little room at first.
#include "counted.h"

#include "lab/scenes/figure_asset.h"
#include "program/check/contacts.h"

#include <stdio.h>

static void WriteFigure(const char* path, sceneCharacterKind kind)
{
	sceneFigure figure;
	ioAsset asset;
	ioLook look;
	ioError error = { .text = "" };
	const sceneFigureDef def = { .kind = kind, .edge = 0.03 };
	assert_true(sceneFigure_Create(&figure, &def));
	assert_true(figureAsset_Make(&figure, &asset, &look));
	assert_true(ioWriteGlb(path, &asset, &look, &error));
	ioAsset_Free(&asset);
	sceneFigure_Free(&figure);
}

typedef struct Way
{
	const char* name;
	cliContactOptions options;
} Way;

static const Way ways[] = {
	{ "check", { .first = false } },
	{ "check --first", { .first = true } },
	{ "check --margin", { .margin = 0.01 } },
	{ "check --self", { .self = true, .keepRest = true } },
};

// Whatever way, every frame from a new stage, which has room for few pairs, and from one that was used before.
static void CheckFrames(const cliScene* scene, const Way* way, uint64_t* most)
{
	cliStage stage;
	cliContacts contacts = { .count = 0 };
	for (int frame = 0; frame < 12; ++frame)
	{
		if (frame % 4 == 0)
		{
			assert_true(cliStage_Create(&stage, scene));
			ForgetBodies();
			Watch(stage.bodies[0]);
			Watch(stage.bodies[1]);
		}
		TakeTally();
		assert_true(cliContacts_Find(&contacts, &stage, 0.55 + 0.03 * frame, &way->options));
		const Tally counted = TakeTally();
		Expected expected = ForPairs(&counted);
		expected.triangleTests = way->options.margin > 0.0 ? counted.nearPairs : expected.triangleTests;
		expected.exactTests += way->options.self ? counted.beyond : 0;
		CheckCounters(way->name, (uint64_t)frame, &contacts.counters, &counted, &expected);
		*most = contacts.count > *most ? contacts.count : *most;
		if (frame % 4 == 3)
		{
			cliStage_Free(&stage);
		}
	}
	cliContacts_Free(&contacts);
}

static void frames_cost_what_was_done(void** state)
{
	(void)state;
	char* paths[] = { "costs_man.glb", "costs_creature.glb" };
	const char* clips[] = { "kick" };
	double places[][3] = { { 0.0, 0.0, 0.0 }, { 0.05, 0.0, 0.3 } };
	const cliSceneOptions options = { .clips = { clips, 1 }, .places = { places, 2 }, .fps = 30.0 };
	WriteFigure(paths[0], scene_man);
	WriteFigure(paths[1], scene_creature);
	cliScene scene;
	uint64_t most = 0;
	assert_true(cliScene_Load(&scene, &options, 2, paths));
	for (size_t i = 0; i < LENGTH_OF(ways); ++i)
	{
		CheckFrames(&scene, ways + i, &most);
	}
	cliScene_Free(&scene);
	remove(paths[0]);
	remove(paths[1]);
	assert_true(countedTotal.verticesEvaluated > 0);
	assert_true(most > 128); // more than a scene of two bodies has room for at first
}

int main(void)
{
	WatchKernels();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_cost_what_was_done),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
