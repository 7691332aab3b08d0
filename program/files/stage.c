#include "program/files/stage.h"

#include "program/commands/terminal.h"
#include "program/files/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Errors ----------------------------------------------------------------------------------------------------

// Of a body that a track moves, the track is at fault as likely as the model.
static void SetError(cliStage* stage, int part, const char* text)
{
	char who[300];
	if (stage->error.text[0] != '\0')
	{
		return;
	}
	cliScene_Describe(stage->scene, part, who, sizeof(who));
	if (stage->scene->parts[part].isTracked)
	{
		ioError_Set(&stage->error, stage->scene->options->amplitudes, 0, "frame %u, for %s: %s",
		    cliTrack_Find(&stage->scene->track,
		        stage->time - stage->scene->files[stage->scene->parts[part].file].offset, stage->scene->options->fps),
		    who, text);
	}
	else
	{
		snprintf(stage->error.text, sizeof(stage->error.text), "%s: %s", who, text);
	}
}

// The library names no body, so the last one that was asked is meant.
static void HearMessage(void* user, snugSeverity severity, const char* text)
{
	cliStage* stage = user;
	if (severity == snug_error)
	{
		SetError(stage, stage->telling, text);
	}
}

bool cliStage_Check(cliStage* stage, int part, snugStatus status)
{
	if (status != snug_success)
	{
		SetError(stage, part, snugGetStatusText(status));
	}
	return status == snug_success;
}

// ---- Posing ----------------------------------------------------------------------------------------------------

// Of a packed model.
static ioBodyPose FindTracked(const cliStage* stage, const cliPart* part)
{
	const cliTrack* track = &stage->scene->track;
	const cliFile* file = stage->scene->files + part->file;
	ioBodyPose pose = { .frame = file->frame };
	if (part->isTracked)
	{
		uint32_t f = cliTrack_Find(track, stage->time - file->offset, stage->scene->options->fps);
		pose.frame = ioPlaceFrame(&file->frame, track->motions + f);
		pose.amplitudes = track->amplitudes + (size_t)f * track->fieldCount;
		pose.fieldCount = track->fieldCount;
	}
	return pose;
}

static snugStatus PoseTracked(const cliStage* stage, const cliPart* part, snugBody* body)
{
	const ioBodyPose pose = FindTracked(stage, part);
	snugStatus status = snugBody_SetAmplitudes(body, pose.amplitudes, pose.fieldCount);
	return status == snug_success ? snugBody_SetFrame(body, &pose.frame) : status;
}

static snugStatus PosePart(cliStage* stage, int i)
{
	const cliScene* scene = stage->scene;
	const cliPart* part = scene->parts + i;
	const cliFile* file = scene->files + part->file;
	if (stage->actors[part->file] == NULL)
	{
		return part->isTracked ? PoseTracked(stage, part, stage->bodies[i]) : snug_success;
	}
	uint32_t role = (uint32_t)(i - file->firstPart);
	bool isEvaluated = scene->files[file->twin].made.cast->roles[role].motion == io_vertices;
	stage->counters.verticesEvaluated += isEvaluated ? part->vertexCount : 0;
	return ioActor_PoseBody(stage->actors[part->file], role, &file->frame);
}

bool cliStage_FindPose(cliStage* stage, int part, ioBodyPose* pose)
{
	const cliPart* p = stage->scene->parts + part;
	const cliFile* file = stage->scene->files + p->file;
	stage->telling = part;
	if (stage->actors[p->file] == NULL)
	{
		*pose = FindTracked(stage, p);
		return true;
	}
	const uint32_t role = (uint32_t)(part - file->firstPart);
	return cliStage_Check(stage, part, ioActor_FindPose(stage->actors[p->file], role, &file->frame, pose));
}

bool cliStage_SetTime(cliStage* stage, double time)
{
	const cliScene* scene = stage->scene;
	stage->time = time;
	for (int i = 0; i < scene->fileCount; ++i)
	{
		const cliFile* file = scene->files + i;
		if (stage->actors[i] != NULL && file->partCount > 0 &&
		    !cliStage_Check(
		        stage, file->firstPart, ioActor_Evaluate(stage->actors[i], file->clip, time - file->offset)))
		{
			return false;
		}
	}
	double start = clockNow();
	stage->counters = (snugCounters){ .nodesRefitted = 0 };
	for (int i = 0; i < scene->partCount; ++i)
	{
		stage->telling = i;
		if (!cliStage_Check(stage, i, PosePart(stage, i)))
		{
			return false;
		}
	}
	stage->milliseconds = clockNow() - start;
	return true;
}

bool cliStage_GetVertices(cliStage* stage, int part, float* positions)
{
	stage->telling = part;
	return cliStage_Check(stage, part, snugBody_GetVertices(stage->bodies[part], NULL, positions, 0));
}

// ---- Making ----------------------------------------------------------------------------------------------------

static bool CreateBodies(cliStage* stage, int i)
{
	const cliFile* file = stage->scene->files + i;
	const cliMade* made = &stage->scene->files[file->twin].made;
	const snugMessenger messenger = { HearMessage, stage };
	snugBody** bodies = stage->bodies + file->firstPart;
	stage->telling = file->firstPart;
	if (file->partCount == 0)
	{
		return true;
	}
	if (made->cast == NULL)
	{
		snugStatus status = snugBody_Create(&(snugBodyDef){ .model = made->model, .messenger = messenger }, &bodies[0]);
		status = status == snug_success ? snugBody_SetFrame(bodies[0], &file->frame) : status;
		return cliStage_Check(stage, file->firstPart, status);
	}
	const snugActorDef def = { .messenger = messenger };
	snugStatus status = ioCast_CreateActor(made->cast, &def, NULL, &stage->actors[i]);
	if (cliStage_Check(stage, file->firstPart, status))
	{
		memcpy(bodies, snugActor_GetBodies(stage->actors[i], NULL), (size_t)file->partCount * sizeof(snugBody*));
	}
	return status == snug_success;
}

bool cliStage_Create(cliStage* stage, const cliScene* scene)
{
	*stage = (cliStage){ .scene = scene };
	stage->actors = calloc((size_t)scene->fileCount, sizeof(snugActor*));
	stage->bodies = calloc((size_t)scene->partCount + 1, sizeof(snugBody*));
	bool made = stage->actors != NULL && stage->bodies != NULL;
	if (!made)
	{
		ioError_Set(&stage->error, scene->files[0].path, 0, "out of memory");
	}
	for (int i = 0; made && i < scene->fileCount; ++i)
	{
		made = CreateBodies(stage, i);
	}
	return made;
}

void cliStage_Free(cliStage* stage)
{
	snugScene_Destroy(stage->crowd);
	for (int i = 0; stage->actors != NULL && stage->bodies != NULL && i < stage->scene->fileCount; ++i)
	{
		const cliFile* file = stage->scene->files + i;
		bool isModel = file->partCount > 0 && stage->scene->files[file->twin].made.cast == NULL;
		snugActor_Destroy(stage->actors[i]);
		snugBody_Destroy(isModel ? stage->bodies[file->firstPart] : NULL);
	}
	free(stage->actors);
	free(stage->bodies);
	*stage = (cliStage){ .scene = NULL };
}

// ---- Sizes -----------------------------------------------------------------------------------------------------

// A file in centimetres beside one in metres, with some room for what is as large as a child.
#define MUCH_LARGER 50.0

// Diagonal of the box around the bodies of a file.
static double GetSize(const cliStage* stage, int file)
{
	const cliFile* f = stage->scene->files + file;
	double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY }, squares = 0.0;
	for (int i = f->firstPart; i < f->firstPart + f->partCount; ++i)
	{
		snugBounds bounds;
		bool isKnown = snugBody_GetBounds(stage->bodies[i], NULL, &bounds) == snug_success;
		for (int k = 0; k < 3 && isKnown; ++k)
		{
			low[k] = fmin(low[k], (double)bounds.lower[k]);
			high[k] = fmax(high[k], (double)bounds.upper[k]);
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		squares += high[k] > low[k] ? (high[k] - low[k]) * (high[k] - low[k]) : 0.0;
	}
	return sqrt(squares);
}

static void WarnOf(const cliStage* stage)
{
	const cliScene* scene = stage->scene;
	int least = -1, most = -1;
	double small = 0.0, large = 0.0;
	for (int i = 0; i < scene->fileCount; ++i)
	{
		double size = GetSize(stage, i);
		least = size > 0.0 && (least < 0 || size < small) ? i : least;
		small = least == i ? size : small;
		most = size > large ? i : most;
		large = most == i ? size : large;
	}
	if (least >= 0 && large > MUCH_LARGER * small)
	{
		cliError(
		    "warning: %s is %.3g times as large as %s: if they are of different units, --scale, once per file, helps",
		    scene->files[most].path, large / small, scene->files[least].path);
	}
}

void cliStage_WarnOfSizes(const cliScene* scene, double time)
{
	cliStage stage = { .scene = NULL };
	if (scene->fileCount > 1 && cliStage_Create(&stage, scene) && cliStage_SetTime(&stage, time))
	{
		WarnOf(&stage);
	}
	cliStage_Free(&stage);
}
