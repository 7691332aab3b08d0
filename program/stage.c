#include "program/stage.h"

#include "program/terminal.h"
#include "share/clock.h"

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
	if (stage->scene->parts[part].motion == cli_tracked)
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

// ---- Frames ----------------------------------------------------------------------------------------------------

static void MultiplyQuaternions(const double a[4], const double b[4], double out[4])
{
	out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
	out[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
	out[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
	out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

// The quaternion of a rotation matrix, from its largest component, so that nothing cancels (Shepperd 1978).
static void GetQuaternion(const double m[12], double q[4])
{
	double trace = m[0] + m[5] + m[10];
	int i = m[0] >= m[5] && m[0] >= m[10] ? 0 : m[5] >= m[10] ? 1 : 2;
	int j = (i + 1) % 3, k = (i + 2) % 3;
	if (trace > m[5 * i])
	{
		double s = sqrt(1.0 + trace);
		q[3] = 0.5 * s;
		q[0] = (m[9] - m[6]) / (2.0 * s);
		q[1] = (m[2] - m[8]) / (2.0 * s);
		q[2] = (m[4] - m[1]) / (2.0 * s);
		return;
	}
	double s = sqrt(1.0 + m[5 * i] - m[5 * j] - m[5 * k]);
	q[i] = 0.5 * s;
	q[j] = (m[4 * j + i] + m[4 * i + j]) / (2.0 * s);
	q[k] = (m[4 * k + i] + m[4 * i + k]) / (2.0 * s);
	q[3] = (m[4 * k + j] - m[4 * j + k]) / (2.0 * s);
}

// x' = x + 2 u cross (u cross x + w x), for a unit quaternion (u, w).
static void Rotate(const double q[4], const double x[3], double out[3])
{
	double t[3] = { q[1] * x[2] - q[2] * x[1] + q[3] * x[0], q[2] * x[0] - q[0] * x[2] + q[3] * x[1],
		q[0] * x[1] - q[1] * x[0] + q[3] * x[2] };
	out[0] = x[0] + 2.0 * (q[1] * t[2] - q[2] * t[1]);
	out[1] = x[1] + 2.0 * (q[2] * t[0] - q[0] * t[2]);
	out[2] = x[2] + 2.0 * (q[0] * t[1] - q[1] * t[0]);
}

// A body's frame, then that of its file.
static snugFrame PlaceFrame(const snugFrame* place, const snugFrame* inner)
{
	snugFrame frame;
	MultiplyQuaternions(place->rotation, inner->rotation, frame.rotation);
	Rotate(place->rotation, inner->position, frame.position);
	for (int k = 0; k < 3; ++k)
	{
		frame.position[k] += place->position[k];
	}
	return frame;
}

// A node's rotation and translation, then the file's.
static snugFrame PlaceNode(const snugFrame* place, const double node[12])
{
	snugFrame inner = { .position = { node[3], node[7], node[11] } };
	GetQuaternion(node, inner.rotation);
	return PlaceFrame(place, &inner);
}

// ---- Posing ----------------------------------------------------------------------------------------------------

static snugStatus SetMatrices(cliStage* stage, snugBody* body, const double* matrices, uint32_t count)
{
	for (size_t i = 0; i < 12 * (size_t)count; ++i)
	{
		stage->scratch[i] = (float)matrices[i];
	}
	return snugBody_SetJoints(body, stage->scratch, 0, count);
}

static snugStatus SetVertices(cliStage* stage, const cliPart* part, snugBody* body, const ioPose* pose)
{
	stage->counters.verticesEvaluated += part->vertexCount;
	if (!ioPose_EvaluateVertices(pose, part->instance, stage->scratch))
	{
		SetError(stage, (int)(part - stage->scene->parts), "posed positions are too large for float32");
		return snug_outOfRange;
	}
	return snugBody_SetVertices(body, stage->scratch, 0, 0, part->vertexCount);
}

static snugStatus SetAmplitudes(cliStage* stage, snugBody* body, const double* weights, uint32_t count)
{
	for (size_t i = 0; i < count; ++i)
	{
		stage->scratch[i] = (float)weights[i];
	}
	return snugBody_SetAmplitudes(body, stage->scratch, count);
}

static snugStatus PoseTracked(const cliStage* stage, const cliFile* file, snugBody* body)
{
	const cliTrack* track = &stage->scene->track;
	uint32_t f = cliTrack_Find(track, stage->time - file->offset, stage->scene->options->fps);
	snugFrame frame = PlaceFrame(&file->frame, track->motions + f);
	snugStatus status =
	    snugBody_SetAmplitudes(body, track->amplitudes + (size_t)f * track->fieldCount, track->fieldCount);
	return status == snug_success ? snugBody_SetFrame(body, &frame) : status;
}

static snugStatus PosePart(cliStage* stage, int i)
{
	const cliPart* part = stage->scene->parts + i;
	const cliFile* file = stage->scene->files + part->file;
	const ioPose* pose = stage->poses[file->posed];
	const ioAsset* asset = cliScene_GetAsset(stage->scene, part->file);
	const ioInstance* instance = part->instance != IO_NONE ? asset->instances + part->instance : NULL;
	snugBody* body = stage->bodies[i];
	if (part->motion == cli_morphed || part->motion == cli_morphing)
	{
		snugStatus status = SetAmplitudes(
		    stage, body, ioPose_GetMorphWeights(pose, part->instance), asset->meshes[instance->mesh].targetCount);
		if (status != snug_success)
		{
			return status;
		}
	}
	switch (part->motion)
	{
		case cli_still:
		case cli_morphing:
			return snug_success;
		case cli_framed:
		case cli_morphed:
		{
			snugFrame frame = PlaceNode(&file->frame, ioPose_GetNodeMatrix(pose, instance->node));
			return snugBody_SetFrame(body, &frame);
		}
		case cli_affine:
			return SetMatrices(stage, body, ioPose_GetNodeMatrix(pose, instance->node), 1);
		case cli_jointed:
		{
			snugStatus status = SetMatrices(
			    stage, body, ioPose_GetJointMatrices(pose, part->instance), asset->skins[instance->skin].jointCount);
			return status == snug_success && part->fieldCount > 0
			           ? SetAmplitudes(stage, body, ioPose_GetMorphWeights(pose, part->instance), part->fieldCount)
			           : status;
		}
		case cli_tracked:
			return PoseTracked(stage, file, body);
		case cli_vertices:
			break;
	}
	return SetVertices(stage, part, body, pose);
}

bool cliStage_SetTime(cliStage* stage, double time)
{
	const cliScene* scene = stage->scene;
	for (int i = 0; i < scene->fileCount; ++i)
	{
		if (stage->poses[i] != NULL)
		{
			ioPose_Evaluate(stage->poses[i], scene->files[i].clip, time - scene->files[i].offset);
		}
	}
	stage->time = time;
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

// Floats for the vertices, matrices or amplitudes of any part.
static size_t GetScratchSize(const cliScene* scene)
{
	size_t size = 12;
	for (int i = 0; i < scene->partCount; ++i)
	{
		const cliPart* part = scene->parts + i;
		const ioAsset* asset = cliScene_GetAsset(scene, part->file);
		size_t needed = part->motion == cli_vertices ? 3 * (size_t)part->vertexCount
		                : part->motion == cli_jointed
		                    ? 12 * (size_t)asset->skins[asset->instances[part->instance].skin].jointCount
		                    : 12;
		if (part->motion == cli_morphed || part->motion == cli_morphing)
		{
			needed = asset->meshes[asset->instances[part->instance].mesh].targetCount;
		}
		needed = part->fieldCount > needed ? part->fieldCount : needed;
		size = needed > size ? needed : size;
	}
	return size;
}

static bool CreateBody(cliStage* stage, int i)
{
	const cliPart* part = stage->scene->parts + i;
	const cliFile* file = stage->scene->files + part->file;
	snugBodyDef def = {
		.model = part->model,
		.strategy = (snugStrategy)stage->scene->options->strategy,
		.messenger = { HearMessage, stage },
	};
	stage->telling = i;
	snugStatus status = snugBody_Create(&def, &stage->bodies[i]);
	if (status == snug_success)
	{
		status = snugBody_SetFrame(stage->bodies[i], &file->frame);
	}
	return cliStage_Check(stage, i, status);
}

bool cliStage_Create(cliStage* stage, const cliScene* scene)
{
	*stage = (cliStage){ .scene = scene };
	stage->poses = calloc((size_t)scene->fileCount, sizeof(ioPose*));
	stage->bodies = calloc((size_t)scene->partCount + 1, sizeof(snugBody*));
	stage->scratch = malloc(GetScratchSize(scene) * sizeof(float));
	bool made = stage->poses != NULL && stage->bodies != NULL && stage->scratch != NULL;
	for (int i = 0; made && i < scene->fileCount; ++i)
	{
		if (scene->files[i].posed == i && cliScene_GetAsset(scene, i)->instanceCount > 0)
		{
			stage->poses[i] = ioPose_Create(cliScene_GetAsset(scene, i));
			made = stage->poses[i] != NULL;
		}
	}
	if (!made)
	{
		ioError_Set(&stage->error, scene->files[0].path, 0, "out of memory");
		return false;
	}
	for (int i = 0; made && i < scene->partCount; ++i)
	{
		made = CreateBody(stage, i);
	}
	return made;
}

void cliStage_Free(cliStage* stage)
{
	snugScene_Destroy(stage->crowd);
	for (int i = 0; stage->scene != NULL && i < stage->scene->partCount && stage->bodies != NULL; ++i)
	{
		snugBody_Destroy(stage->bodies[i]);
	}
	for (int i = 0; stage->scene != NULL && i < stage->scene->fileCount && stage->poses != NULL; ++i)
	{
		ioPose_Destroy(stage->poses[i]);
	}
	free(stage->bodies);
	free(stage->poses);
	free(stage->scratch);
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
