#include "program/files/scene.h"

#include "io/grow.h"
#include "program/commands/terminal.h"
#include "program/files/clips.h"
#include "program/files/linear_model.h"
#include "program/files/scale.h"
#include "program/files/shelf.h"
#include "program/files/workers.h"
#include "solvers/sine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WARNINGS 1000

// ---- Messages --------------------------------------------------------------------------------------------------

static char* CopyText(const char* text)
{
	size_t size = strlen(text) + 1;
	char* copy = malloc(size);
	return copy != NULL ? memcpy(copy, text, size) : NULL;
}

void cliScene_Warn(cliScene* scene, const char* text)
{
	if (scene->warnings == NULL)
	{
		scene->warnings = calloc(MAX_WARNINGS, sizeof(char*));
	}
	if (scene->warnings != NULL && scene->warningCount < MAX_WARNINGS)
	{
		char* copy = CopyText(text);
		scene->warnings[scene->warningCount] = copy;
		scene->warningCount += copy != NULL;
	}
}

static void PrintWarnings(const cliScene* scene)
{
	for (int i = 0; i < scene->warningCount; ++i)
	{
		cliError("warning: %s", scene->warnings[i]);
	}
}

static void WarnOfFile(void* user, const char* text)
{
	cliScene_Warn(user, text);
}

bool cliScene_Fail(cliScene* scene, const char* path, const char* what)
{
	if (!scene->told)
	{
		cliError("%s: %s", path, what);
		scene->told = true;
	}
	return false;
}

void cliScene_Tell(void* user, snugSeverity severity, const char* text)
{
	const cliTeller* teller = user;
	if (severity == snug_error)
	{
		cliScene_Fail(teller->scene, teller->path, text);
	}
	else
	{
		char line[1024];
		snprintf(line, sizeof(line), "%s: %s", teller->path, text);
		cliScene_Warn(teller->scene, line);
	}
}

void cliScene_Describe(const cliScene* scene, int part, char* text, size_t size)
{
	const cliPart* p = scene->parts + part;
	const cliFile* file = scene->files + p->file;
	if (file->partCount > 1)
	{
		snprintf(text, size, "%s: '%s'", file->path, p->name);
	}
	else
	{
		snprintf(text, size, "%s", file->path);
	}
}

// ---- Lists -----------------------------------------------------------------------------------------------------

static cliPart* AddPart(cliScene* scene)
{
	if (!ioGrow(&scene->parts, &scene->partCapacity, (size_t)scene->partCount + 1, sizeof(cliPart)))
	{
		return NULL;
	}
	cliPart* part = scene->parts + scene->partCount++;
	*part = (cliPart){ .instance = IO_NONE };
	return part;
}

// ---- Options ---------------------------------------------------------------------------------------------------

bool cliSceneOptions_IsAnimated(const cliSceneOptions* options)
{
	return options->clips.count > 0 || options->amplitudes != NULL;
}

bool cliSceneOptions_Check(const cliSceneOptions* options, const char* command, int fileCount)
{
	const struct
	{
		const char* name;
		int count;
	} lists[] = { { "--place", options->places.count }, { "--rotate", options->rotations.count },
		{ "--scale", options->scales.count }, { "--offset", options->offsets.count },
		{ "--clip", options->clips.count } };
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); ++i)
	{
		if (lists[i].count > fileCount)
		{
			cliError("more %s than files; see snug %s --help", lists[i].name, command);
			return false;
		}
	}
	for (int i = 0; i < options->scales.count; ++i)
	{
		if (!(options->scales.items[i] > 0.0))
		{
			cliError("--scale must be positive; see snug %s --help", command);
			return false;
		}
	}
	return true;
}

static snugFrame MakeFrame(const cliSceneOptions* options, int file)
{
	double zero[3] = { 0.0, 0.0, 0.0 }, angles[3] = { 0.0, 0.0, 0.0 };
	for (int k = 0; file < options->rotations.count && k < 3; ++k)
	{
		// Whole turns change nothing, and the sine wants angles of moderate size. fmod is exact.
		angles[k] = fmod(options->rotations.items[file][k], 360.0) * (SCENE_PI / 180.0);
	}
	return sceneMakeEulerFrame(file < options->places.count ? options->places.items[file] : zero, angles);
}

// ---- Files -----------------------------------------------------------------------------------------------------

static bool IsModelFile(const char* path)
{
	size_t length = strlen(path);
	return length >= 5 && strcmp(path + length - 5, ".snug") == 0;
}

// What a file is called without directory and ending.
static char* MakeName(const char* path)
{
	char* name = CopyText(ioFindName(path));
	char* dot = name != NULL ? strrchr(name, '.') : NULL;
	if (dot != NULL && dot > name)
	{
		*dot = '\0';
	}
	return name;
}

static bool FailMemory(cliScene* scene, const char* path)
{
	return cliScene_Fail(scene, path, "out of memory");
}

static bool LoadModelFile(cliScene* scene, cliFile* file)
{
	cliTeller teller = { scene, file->path };
	cliMade* made = &file->made;
	snugStatus status =
	    snugModel_LoadFile(file->path, &(snugLoadDef){ .messenger = { cliScene_Tell, &teller } }, &made->model);
	if (status != snug_success)
	{
		return cliScene_Fail(scene, file->path, snugGetStatusText(status));
	}
	made->name = MakeName(file->path);
	made->triangles = malloc(((size_t)snugModel_GetInfo(made->model).triangleCount + 1) * 3 * sizeof(uint32_t));
	if (made->name == NULL || made->triangles == NULL)
	{
		return FailMemory(scene, file->path);
	}
	snugModel_GetTriangles(made->model, made->triangles, 0);
	return true;
}

// Before anything is made of it: a small file may use a large mesh very often.
static bool CheckSize(cliScene* scene, const ioAsset* asset, const char* path)
{
	uint64_t triangles = 0;
	for (uint32_t i = 0; i < asset->instanceCount; ++i)
	{
		triangles += asset->meshes[asset->instances[i].mesh].mesh.triangleCount;
	}
	return (asset->instanceCount <= CLI_MAX_BODIES && triangles <= CLI_MAX_TRIANGLES) ||
	       cliScene_Fail(scene, path, "too many bodies, or triangles of all of them together");
}

static bool MakeModels(cliScene* scene, int i)
{
	const ioAsset* asset = cliScene_GetAsset(scene, i);
	const cliSceneOptions* options = scene->options;
	cliFile* file = scene->files + i;
	cliTeller teller = { scene, file->path };
	const snugActorDef def = { .clips = &file->clip,
		.clipCount = file->clip != IO_NONE ? 1 : 0,
		.allTargets = options->anyWeights,
		.blending = (snugBlending)options->blending,
		.certificates = options->certificates,
		.workers = options->isAlone ? cliWorkers_Get(&options->threads) : (snugWorkers){ NULL, NULL },
		.progress = cliShowCertificates,
		.progressUser = (void*)(uintptr_t)file->path,
		.messenger = { cliScene_Tell, &teller } };
	snugStatus status = snug_success;
	if (!CheckSize(scene, asset, file->path))
	{
		return false;
	}
	if (!options->isAlone)
	{
		status = ioCast_Create(asset, &def, &file->made.cast);
	}
	else
	{
		uint32_t instance = options->only != NULL       ? ioAsset_FindInstance(asset, options->only)
		                    : asset->instanceCount == 1 ? 0
		                                                : IO_NONE;
		status = instance != IO_NONE ? snugAsset_CreateModel(asset, instance, &def, &file->made.model) : snug_success;
	}
	return status == snug_success || cliScene_Fail(scene, file->path, snugGetStatusText(status));
}

// The body of an instance.
static bool AddInstance(cliScene* scene, int file, uint32_t instance, const snugModel* model)
{
	const ioAsset* asset = cliScene_GetAsset(scene, file);
	const ioMesh* mesh = &asset->meshes[asset->instances[instance].mesh].mesh;
	cliPart* part = AddPart(scene);
	if (part == NULL)
	{
		return FailMemory(scene, scene->files[file].path);
	}
	*part = (cliPart){ file, asset->instances[instance].name, instance, false, model, mesh->triangles,
		mesh->vertexCount, mesh->triangleCount };
	return true;
}

// The body of a model alone.
static bool AddModel(cliScene* scene, int file, const cliMade* made)
{
	snugModelInfo info = snugModel_GetInfo(made->model);
	cliPart* part = AddPart(scene);
	if (part == NULL)
	{
		return FailMemory(scene, scene->files[file].path);
	}
	bool isTracked = info.deformer == snug_fields && info.fieldCount == scene->track.fieldCount;
	*part = (cliPart){ file, made->name, IO_NONE, isTracked, made->model, made->triangles, info.vertexCount,
		info.triangleCount };
	return true;
}

static bool AddParts(cliScene* scene, int file)
{
	const cliMade* made = &scene->files[scene->files[file].twin].made;
	bool added = made->model == NULL || AddModel(scene, file, made);
	for (uint32_t i = 0; made->cast != NULL && added && i < made->cast->roleCount; ++i)
	{
		added = AddInstance(scene, file, made->cast->roles[i].instance, made->cast->roles[i].model);
	}
	return added;
}

static int FindOriginal(const cliScene* scene, int file)
{
	const cliFile* f = scene->files + file;
	int original = 0;
	while (strcmp(scene->files[original].path, f->path) != 0 || scene->files[original].scale != f->scale)
	{
		++original;
	}
	return original;
}

// Which earlier file's models serve. They depend on the clip: what it does not move is rigid.
static void FindTwins(cliScene* scene)
{
	for (int i = 0; i < scene->fileCount; ++i)
	{
		cliFile* file = scene->files + i;
		for (file->twin = file->original;
		     scene->files[file->twin].original != file->original || scene->files[file->twin].clip != file->clip;)
		{
			file->twin++;
		}
	}
}

static void Keep(cliShelf* shelf, cliScene* scene, cliFile* file, int firstWarning)
{
	if (shelf != NULL)
	{
		cliShelf_KeepAsset(shelf, scene, file, firstWarning);
	}
}

static bool ReadAsset(cliScene* scene, cliFile* file)
{
	ioError error;
	ioLoadOptions options = { .warning = WarnOfFile, .user = scene };
	cliShelf* shelf = scene->options->shelf;
	int firstWarning = scene->warningCount;
	if (IsModelFile(file->path) && file->scale != 1.0)
	{
		return cliScene_Fail(scene, file->path, "a packed model cannot be scaled");
	}
	if (shelf != NULL && cliShelf_FindAsset(shelf, scene, file))
	{
		return true;
	}
	file->asset = calloc(1, sizeof(snugAsset));
	if (file->asset == NULL)
	{
		return FailMemory(scene, file->path);
	}
	if (IsModelFile(file->path))
	{
		Keep(shelf, scene, file, firstWarning);
		return true;
	}
	if (!ioLoad(file->path, &options, file->asset, &error) ||
	    (file->scale != 1.0 && !cliScaleAsset(file->asset, file->scale, &error, file->path)))
	{
		cliError("%s%s", error.text, error.kind == io_unknownFormat ? ", and .snug, which snug pack writes" : "");
		scene->told = true;
		return false;
	}
	Keep(shelf, scene, file, firstWarning);
	return true;
}

static bool Make(cliScene* scene, int i)
{
	cliFile* file = scene->files + i;
	cliShelf* shelf = scene->options->shelf;
	int firstWarning = scene->warningCount;
	if (shelf != NULL && cliShelf_FindMade(shelf, scene, file))
	{
		return true;
	}
	bool made = !scene->told && (IsModelFile(file->path) ? LoadModelFile(scene, file) : MakeModels(scene, i));
	if (made && shelf != NULL)
	{
		cliShelf_KeepMade(shelf, scene, file, firstWarning);
	}
	return made;
}

static bool MakeParts(cliScene* scene, int i)
{
	cliFile* file = scene->files + i;
	file->firstPart = scene->partCount;
	bool made = (file->twin != i || Make(scene, i)) && AddParts(scene, i);
	file->partCount = scene->partCount - file->firstPart;
	for (int k = 0; made && k < file->partCount; ++k)
	{
		scene->triangleCount += scene->parts[file->firstPart + k].triangleCount;
	}
	if (made && (scene->partCount > CLI_MAX_BODIES || scene->triangleCount > CLI_MAX_TRIANGLES))
	{
		return cliScene_Fail(scene, file->path, "too many bodies, or triangles of all of them together");
	}
	return made;
}

// Something must take the amplitudes.
static bool CheckTrack(cliScene* scene)
{
	for (int i = 0; i < scene->partCount; ++i)
	{
		if (scene->parts[i].isTracked)
		{
			return true;
		}
	}
	cliError("%s: has %u amplitudes, and no .snug file here has as many fields", scene->options->amplitudes,
	    scene->track.fieldCount);
	scene->told = true;
	return false;
}

// One scale is easily taken for one that counts for all files; one place, which would move nothing apart, is not.
static void WarnOfFewScales(cliScene* scene)
{
	int count = scene->options->scales.count;
	char text[512];
	if (count == 0 || count >= scene->fileCount)
	{
		return;
	}
	if (count == 1)
	{
		snprintf(text, sizeof(text), "--scale counts for %.300s alone; give it once per file", scene->files[0].path);
	}
	else
	{
		snprintf(text, sizeof(text), "--scale counts for the first %d of %d files; give it once per file", count,
		    scene->fileCount);
	}
	cliScene_Warn(scene, text);
}

bool cliScene_Load(cliScene* scene, const cliSceneOptions* options, int fileCount, char** paths)
{
	*scene = (cliScene){ .options = options, .fileCount = fileCount };
	scene->files = calloc((size_t)fileCount, sizeof(cliFile));
	if (scene->files == NULL)
	{
		scene->fileCount = 0;
		return FailMemory(scene, paths[0]);
	}
	for (int i = 0; i < fileCount; ++i)
	{
		cliFile* file = scene->files + i;
		file->path = paths[i];
		file->scale = i < options->scales.count ? options->scales.items[i] : 1.0;
		file->offset = i < options->offsets.count ? options->offsets.items[i] : 0.0;
		file->original = FindOriginal(scene, i);
		file->frame = MakeFrame(options, i);
		cliProgress("reading %s ...", paths[i]);
		if (file->original == i && !ReadAsset(scene, file))
		{
			return false;
		}
	}
	bool made =
	    cliChooseClips(scene) && (options->amplitudes == NULL || cliTrack_Load(&scene->track, options->amplitudes));
	FindTwins(scene);
	for (int i = 0; made && i < fileCount; ++i)
	{
		cliProgress("preparing %s ...", paths[i]);
		made = MakeParts(scene, i);
	}
	made = made && (options->amplitudes == NULL || CheckTrack(scene));
	if (made)
	{
		WarnOfFewScales(scene);
		PrintWarnings(scene);
	}
	return made;
}

void cliMade_Free(cliMade* made)
{
	ioCast_Destroy(made->cast);
	snugModel_Destroy(made->model);
	free(made->name);
	free(made->triangles);
}

size_t cliMade_GetBytes(const cliMade* made)
{
	size_t bytes = made->model != NULL ? snugModel_GetInfo(made->model).bytes : 0;
	for (uint32_t i = 0; made->cast != NULL && i < made->cast->modelCount; ++i)
	{
		bytes += snugModel_GetInfo(made->cast->models[i]).bytes;
	}
	return bytes;
}

void cliScene_Free(cliScene* scene)
{
	for (int i = 0; i < scene->fileCount; ++i)
	{
		if (!scene->files[i].isMadeShelved)
		{
			cliMade_Free(&scene->files[i].made);
		}
		if (!scene->files[i].isShelved)
		{
			snugAsset_Destroy(scene->files[i].asset);
		}
	}
	for (int i = 0; i < scene->warningCount; ++i)
	{
		free(scene->warnings[i]);
	}
	cliTrack_Free(&scene->track);
	free(scene->files);
	free(scene->parts);
	free(scene->warnings);
	*scene = (cliScene){ .options = NULL };
}

const ioAsset* cliScene_GetAsset(const cliScene* scene, int file)
{
	return scene->files[scene->files[file].original].asset;
}

double cliScene_GetDuration(const cliScene* scene)
{
	double duration = 0.0;
	for (int i = 0; i < scene->partCount; ++i)
	{
		const cliPart* part = scene->parts + i;
		double track = part->isTracked ? (double)(scene->track.frameCount - 1) / scene->options->fps : 0.0;
		duration = fmax(duration, track + (track > 0.0 ? scene->files[part->file].offset : 0.0));
	}
	for (int i = 0; i < scene->fileCount; ++i)
	{
		const cliFile* file = scene->files + i;
		if (file->clip != IO_NONE)
		{
			duration = fmax(duration, cliScene_GetAsset(scene, i)->clips[file->clip].duration + file->offset);
		}
	}
	return duration;
}

// Of the first key of all, at most 0: that is where clips begin.
static double GetStart(const cliScene* scene)
{
	double start = 0.0;
	for (int i = 0; i < scene->fileCount; ++i)
	{
		const cliFile* file = scene->files + i;
		if (file->clip != IO_NONE)
		{
			start = fmin(start, cliScene_GetAsset(scene, i)->clips[file->clip].start + file->offset);
		}
	}
	return start;
}

void cliScene_WarnOfTime(const cliScene* scene, const char* option, double time)
{
	double start = GetStart(scene), end = cliScene_GetDuration(scene);
	// The last frame of a clip is often asked for by a rounded number.
	double slack = 1e-3 + 1e-6 * fabs(end);
	if (time > end + slack)
	{
		cliError("warning: %s %g lies after the end of the animation at %g s: there all keep their last pose", option,
		    time, end);
	}
	else if (time < start - slack)
	{
		cliError("warning: %s %g lies before the animation begins at %g s: until then all keep their first pose",
		    option, time, start);
	}
}
