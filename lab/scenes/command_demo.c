#include "lab/scenes/figure_asset.h"
#include "program/check/contacts.h"
#include "program/commands/commands.h"
#include "program/commands/options.h"
#include "program/commands/terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cliUsage usage = {
	.command = "demo",
	.synopsis = "[options]",
	.summary =
	    "A man kicks a creature. Writes both characters as glTF files, checks every frame of the kick with `snug "
	    "check`, which writes a page that shows it, and compares some frames with brute force.",
	.examples = "  snug demo\n  snug demo --out pages",
	.minArguments = 0,
	.maxArguments = 0,
	.argumentName = "arguments",
};

// Frames that are compared with brute force, which takes long.
#define VERIFIED 5
// Where the creature stands, and which way it looks.
#define PLACE          \
	{                  \
		0.05, 0.0, 1.2 \
	}
#define TURN           \
	{                  \
		0.0, 90.0, 0.0 \
	}
#define PATH_SIZE 4096

typedef struct demo
{
	char man[PATH_SIZE], creature[PATH_SIZE], page[PATH_SIZE];
	double duration; ///< of the kick, in seconds
	double fps;
	uint64_t pairs; ///< of frames that were compared
	int different;
} demo;

static bool Name(const char* directory, const char* file, char path[PATH_SIZE])
{
	if (snprintf(path, PATH_SIZE, "%s/%s", directory, file) >= PATH_SIZE)
	{
		cliError("%s: the path is too long", directory);
		return false;
	}
	return true;
}

static bool WriteCharacter(sceneCharacterKind kind, const char* path, double* duration)
{
	sceneFigure figure;
	ioAsset asset;
	ioLook look;
	ioError error;
	bool written = false;
	ioError_Set(&error, path, 0, "out of memory");
	if (sceneFigure_Create(&figure, &(sceneFigureDef){ .kind = kind }))
	{
		if (figureAsset_Make(&figure, &asset, &look))
		{
			written = ioWriteGlb(path, &asset, &look, &error);
			ioAsset_Free(&asset);
		}
		*duration = sceneFigure_GetDuration(&figure, scene_kick);
		sceneFigure_Free(&figure);
	}
	if (!written)
	{
		cliError("%s", error.text);
	}
	return written;
}

// ---- Checking --------------------------------------------------------------------------------------------------

// What a user would type, which the page then says.
static int RunCheck(const demo* d)
{
	static const double place[3] = PLACE, turn[3] = TURN;
	char placeText[64], turnText[64], fpsText[32], toText[32];
	snprintf(placeText, sizeof(placeText), "%g,%g,%g", place[0], place[1], place[2]);
	snprintf(turnText, sizeof(turnText), "%g,%g,%g", turn[0], turn[1], turn[2]);
	snprintf(fpsText, sizeof(fpsText), "%g", d->fps);
	snprintf(toText, sizeof(toText), "%g", d->duration);
	const char* words[] = { d->man, d->creature, "--clip", "kick", "--clip", "idle", "--place", "0,0,0", "--place",
		placeText, "--rotate", "0,0,0", "--rotate", turnText, "--fps", fpsText, "--to", toText, "--by-joint",
		"--summary", "--costs", "--html", d->page };
	int count = (int)(sizeof(words) / sizeof(words[0]));
	char** arguments = calloc((size_t)count, sizeof(char*));
	if (arguments == NULL)
	{
		cliError("demo: out of memory");
		return CLI_BAD_INPUT;
	}
	for (int i = 0; i < count; ++i)
	{
		arguments[i] = (char*)(uintptr_t)words[i]; // not written to
	}
	int code = cliCheck(count, arguments);
	free(arguments);
	return code;
}

static bool SamePairs(const cliContacts* a, const cliContacts* b)
{
	return a->count == b->count &&
	       (a->count == 0 || memcmp(a->pairs, b->pairs, (size_t)a->count * sizeof(cliPair)) == 0);
}

static bool VerifyFrames(demo* d, const cliScene* scene)
{
	cliStage stage;
	cliContacts ours = { .count = 0 }, brute = { .count = 0 };
	bool good = cliStage_Create(&stage, scene);
	for (int i = 0; good && i < VERIFIED; ++i)
	{
		double time = d->duration * ((double)i + 0.5) / VERIFIED;
		cliProgress("comparing with brute force: frame %d of %d", i, VERIFIED);
		good = cliContacts_Find(&ours, &stage, time, &(cliContactOptions){ .brute = false }) &&
		       cliContacts_Find(&brute, &stage, time, &(cliContactOptions){ .brute = true });
		d->pairs += good ? brute.count : 0;
		d->different += good && !SamePairs(&ours, &brute);
	}
	cliProgress("");
	if (!good)
	{
		cliError("%s", stage.error.text);
	}
	cliContacts_Free(&ours);
	cliContacts_Free(&brute);
	cliStage_Free(&stage);
	return good;
}

static bool Verify(demo* d)
{
	const char* clips[2] = { "kick", "idle" };
	double places[2][3] = { { 0.0, 0.0, 0.0 }, PLACE }, turns[2][3] = { { 0.0, 0.0, 0.0 }, TURN };
	char* paths[2] = { d->man, d->creature };
	cliSceneOptions options = {
		.clips = { clips, 2 }, .places = { places, 2 }, .rotations = { turns, 2 }, .fps = d->fps
	};
	cliScene scene;
	bool good = cliScene_Load(&scene, &options, 2, paths) && VerifyFrames(d, &scene);
	cliScene_Free(&scene);
	if (good)
	{
		printf("%d frames with %llu pairs verified against brute force, %d difference%s\n", VERIFIED,
		    (unsigned long long)d->pairs, d->different, d->different == 1 ? "" : "s");
	}
	return good && d->different == 0;
}

int cliDemo(int argumentCount, char** arguments)
{
	const char* directory = "report";
	int frames = 60;
	const cliOption options[] = {
		{ "--out", cli_text, &directory, "DIR", "where demo.html and the characters go; default report" },
		{ "--frames", cli_count, &frames, "N", "how many frames of the kick; default 60" },
		{ .name = NULL },
	};
	cliParsed parsed = cliOptions_Parse(&usage, options, &argumentCount, arguments);
	demo d = { .duration = 0.0 };
	double unused;
	if (parsed != cli_go)
	{
		return parsed == cli_help ? CLI_DONE : CLI_BAD_USAGE;
	}
	if (!cliMakeDirectory(directory) || !Name(directory, "man.glb", d.man) ||
	    !Name(directory, "creature.glb", d.creature) || !Name(directory, "demo.html", d.page) ||
	    !WriteCharacter(scene_man, d.man, &d.duration) || !WriteCharacter(scene_creature, d.creature, &unused))
	{
		return CLI_BAD_INPUT;
	}
	// Rounded up to what reads well in a command, so that not one frame is lost.
	d.fps = ceil(100.0 * fmax(1.0, frames - 1) / d.duration - 1e-3) / 100.0;
	int code = RunCheck(&d);
	if (code != CLI_DONE)
	{
		return code;
	}
	bool right = Verify(&d);
	printf("\nreport: %s\n", d.page);
	return right ? CLI_DONE : CLI_BAD_INPUT;
}
