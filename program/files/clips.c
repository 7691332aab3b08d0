#include "program/files/clips.h"

#include "program/commands/guess.h"
#include "program/commands/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Fitting ---------------------------------------------------------------------------------------------------

// Whether a text begins with another, case ignored.
static bool Begins(const char* text, const char* start)
{
	while (*start != '\0' && cliLower(*text) == cliLower(*start))
	{
		++text;
		++start;
	}
	return *start == '\0';
}

static bool Holds(const char* text, const char* part)
{
	for (; *text != '\0'; ++text)
	{
		if (Begins(text, part))
		{
			return true;
		}
	}
	return false;
}

static bool IsNumber(const char* name, uint32_t number)
{
	char text[16];
	snprintf(text, sizeof(text), "%u", number);
	return strcmp(text, name) == 0;
}

static cliFit GetFit(const ioAsset* asset, uint32_t clip, const char* name)
{
	const char* its = asset->clips[clip].name;
	bool begins = Begins(its, name);
	return strcmp(its, name) == 0                  ? cli_fitsName
	       : IsNumber(name, clip)                  ? cli_fitsNumber
	       : begins && strlen(its) == strlen(name) ? cli_fitsButForCase
	       : name[0] != '\0' && begins             ? cli_fitsStart
	       : name[0] != '\0' && Holds(its, name)   ? cli_fitsPart
	                                               : cli_fitsNone;
}

// Files may give one name to several clips: the first of them is meant, as it always was, since the others can be
// asked for by their numbers.
cliFit cliFindClip(const ioAsset* asset, const char* name, uint32_t* clip)
{
	cliFit best = cli_fitsNone;
	bool several = false;
	*clip = IO_NONE;
	for (uint32_t i = 0; i < asset->clipCount; ++i)
	{
		cliFit fit = GetFit(asset, i, name);
		if (fit > best)
		{
			best = fit;
			*clip = i;
			several = false;
		}
		else if (fit == best && fit != cli_fitsNone && fit != cli_fitsName)
		{
			several = true;
		}
	}
	*clip = several ? IO_NONE : *clip;
	return several ? cli_fitsSeveral : best;
}

// ---- Messages --------------------------------------------------------------------------------------------------

#define MAX_TEXT 2000

// " 'Survey', 'Walk'" or " none", as far as there is room.
static size_t ListClips(const ioAsset* asset, const char* part, char* text, size_t used)
{
	bool any = false;
	for (uint32_t i = 0; i < asset->clipCount && used < MAX_TEXT - 300; ++i)
	{
		if (part == NULL || GetFit(asset, i, part) != cli_fitsNone)
		{
			used += (size_t)snprintf(text + used, MAX_TEXT - used, "%s '%.100s'", any ? "," : "", asset->clips[i].name);
			any = true;
		}
	}
	return any ? used : used + (size_t)snprintf(text + used, MAX_TEXT - used, " none");
}

static void TryClips(cliGuess* guess, const ioAsset* asset)
{
	for (uint32_t i = 0; i < asset->clipCount; ++i)
	{
		cliGuess_Try(guess, asset->clips[i].name);
		cliGuess_TryParts(guess, asset->clips[i].name);
	}
}

static bool FailSeveral(const ioAsset* asset, const char* path, const char* name)
{
	char text[MAX_TEXT];
	ListClips(asset, name, text, 0);
	cliError("%s: '%s' may be one of several clips:%s", path, name, text);
	return false;
}

uint32_t cliAskForClip(const ioAsset* asset, const char* path, const char* name)
{
	uint32_t clip;
	cliFit fit = cliFindClip(asset, name, &clip);
	if (fit == cli_fitsSeveral)
	{
		FailSeveral(asset, path, name);
	}
	else if (fit == cli_fitsNone)
	{
		char text[MAX_TEXT], hint[96];
		cliGuess guess = cliGuess_Begin(name);
		TryClips(&guess, asset);
		ListClips(asset, NULL, text, 0);
		cliError("%s: no clip '%s': %s has%s%s", path, name, path, text, cliGuess_Print(&guess, hint, sizeof(hint)));
	}
	return clip;
}

// "no clip 'Jump': fox.glb has 'Survey', 'Walk'; b.obj has none"
static bool FailForAll(const cliScene* scene, const char* name)
{
	char text[MAX_TEXT], hint[96];
	size_t used = 0;
	cliGuess guess = cliGuess_Begin(name);
	text[0] = '\0';
	for (int i = 0; i < scene->fileCount && used < MAX_TEXT - 600; ++i)
	{
		if (scene->files[i].original == i)
		{
			used +=
			    (size_t)snprintf(text + used, MAX_TEXT - used, "%s%.200s has", i > 0 ? "; " : "", scene->files[i].path);
			used = ListClips(scene->files[i].asset, NULL, text, used);
			TryClips(&guess, scene->files[i].asset);
		}
	}
	cliError("%s: no clip '%s': %s%s", scene->files[0].path, name, text, cliGuess_Print(&guess, hint, sizeof(hint)));
	return false;
}

// ---- Scenes ----------------------------------------------------------------------------------------------------

static bool IsRest(const char* name)
{
	return strcmp(name, "-") == 0;
}

// One name for all files. Only those count that fit it best: where one has 'walk', the 'sleepwalk' of another is not
// meant.
static bool ChooseForAll(cliScene* scene, const char* name)
{
	cliFit best = cli_fitsNone;
	uint32_t clip;
	for (int i = 0; i < scene->fileCount; ++i)
	{
		cliFit fit = cliFindClip(cliScene_GetAsset(scene, i), name, &clip);
		best = fit > best ? fit : best;
	}
	for (int i = 0; i < scene->fileCount; ++i)
	{
		cliFit fit = cliFindClip(cliScene_GetAsset(scene, i), name, &clip);
		if (best == cli_fitsSeveral && fit == best)
		{
			return FailSeveral(cliScene_GetAsset(scene, i), scene->files[i].path, name);
		}
		scene->files[i].clip = fit == best ? clip : IO_NONE;
		if (fit != best && fit != cli_fitsNone)
		{
			cliError(
			    "warning: %s stays at rest: another file has a clip that '%s' fits better; give --clip once per file",
			    scene->files[i].path, name);
		}
	}
	return best != cli_fitsNone || FailForAll(scene, name);
}

bool cliChooseClips(cliScene* scene)
{
	const cliTexts* names = &scene->options->clips;
	bool found = true;
	for (int i = 0; i < scene->fileCount; ++i)
	{
		scene->files[i].clip = IO_NONE;
	}
	if (names->count == 1 && !IsRest(names->items[0]))
	{
		found = ChooseForAll(scene, names->items[0]);
	}
	for (int i = 0; found && names->count > 1 && i < names->count; ++i)
	{
		if (!IsRest(names->items[i]))
		{
			cliFile* file = scene->files + i;
			file->clip = cliAskForClip(cliScene_GetAsset(scene, i), file->path, names->items[i]);
			found = file->clip != IO_NONE;
		}
	}
	scene->told = scene->told || !found;
	return found;
}
