// What a page of a run shows: the frames that were kept, recorded for the viewer, and a still.
#include "program/check/check.h"
#include "program/commands/terminal.h"
#include "program/pictures/director.h"

#include <stdlib.h>
#include <string.h>

#define MOST_FRAMES 240
#define LEAST_FRAMES 12
#define PAGE_BYTES 3000000  // so that it can be sent
#define FRAME_BYTES 1600000 // of those, about, for what moves
#define MOST_BARS 360

// ---- Motion ----------------------------------------------------------------------------------------------------

static size_t CountJoints(const snugModel* model)
{
	snugModelInfo info = snugModel_GetInfo(model);
	return info.deformer == snug_rigid ? 1 : info.jointCount;
}

// Differences to the frame before take about so many bytes when they are compressed.
uint64_t checkCountShown(const check* c)
{
	double bytes = 1.0;
	for (int i = 0; i < c->scene.partCount; ++i)
	{
		const cliPart* part = c->scene.parts + i;
		const size_t posed = recordingCountPosed(part->model);
		bytes += posed > 0 ? 2.6 * (double)posed : 3.0 * 1.4 * (double)part->vertexCount;
	}
	double count = FRAME_BYTES / bytes;
	return count > MOST_FRAMES ? MOST_FRAMES : count < LEAST_FRAMES ? LEAST_FRAMES : (uint64_t)count;
}

// Rows of a frame's matrix: x' = R x + t, by a unit quaternion.
static void MakeMatrix(const snugFrame* f, double m[12])
{
	double x = f->rotation[0], y = f->rotation[1], z = f->rotation[2], w = f->rotation[3];
	const double rows[12] = { 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), f->position[0],
		2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), f->position[1], 2 * (x * z - y * w),
		2 * (y * z + x * w), 1 - 2 * (x * x + y * y), f->position[2] };
	memcpy(m, rows, sizeof(rows));
}

static void Multiply(const double a[12], const double b[12], float out[12])
{
	for (int i = 0; i < 12; ++i)
	{
		const double* row = a + i / 4 * 4;
		double sum = row[0] * b[i % 4] + row[1] * b[4 + i % 4] + row[2] * b[8 + i % 4];
		out[i] = (float)(sum + (i % 4 == 3 ? row[3] : 0.0));
	}
}

// Matrices of a part's joints in its file: null if they are at rest; one for all, or one each.
static const double* GetMatrices(const cliStage* stage, const cliPart* part, int number, bool* isOne)
{
	const cliFile* file = stage->scene->files + part->file;
	*isOne = true;
	if (stage->actors[part->file] == NULL)
	{
		return NULL;
	}
	const ioPose* pose = ioActor_GetPose(stage->actors[part->file]);
	const ioCast* cast = stage->scene->files[file->twin].made.cast;
	const ioRole* role = cast->roles + (number - file->firstPart);
	*isOne = role->motion != io_jointed;
	return role->motion == io_jointed ? ioPose_GetJointMatrices(pose, role->instance)
	       : role->motion == io_still ? NULL
	                                  : ioPose_GetNodeMatrix(pose, cast->asset->instances[role->instance].node);
}

// Of its morph targets, or null if they are at rest.
static const double* GetAmplitudes(const cliStage* stage, const cliPart* part)
{
	const snugActor* actor = stage->actors[part->file];
	return actor != NULL && part->instance != IO_NONE ? ioPose_GetMorphWeights(ioActor_GetPose(actor), part->instance)
	                                                  : NULL;
}

static bool RecordPart(recording* r, cliStage* stage, int number, float* scratch)
{
	static const double identity[12] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 };
	const cliPart* part = stage->scene->parts + number;
	bool isOne, isPosed = true;
	const size_t posed = recordingCountPosed(part->model);
	if (posed == 0)
	{
		isPosed = cliStage_GetVertices(stage, number, scratch);
	}
	else
	{
		double place[12];
		const double* matrices = GetMatrices(stage, part, number, &isOne);
		MakeMatrix(&stage->scene->files[part->file].frame, place);
		for (size_t i = 0; i < CountJoints(part->model); ++i)
		{
			Multiply(place, matrices == NULL ? identity : matrices + (isOne ? 0 : 12 * i), scratch + 12 * i);
		}
		const double* amplitudes = GetAmplitudes(stage, part);
		for (size_t i = 12 * CountJoints(part->model), k = 0; i < posed; ++i, ++k)
		{
			scratch[i] = amplitudes != NULL ? (float)amplitudes[k] : 0.0f;
		}
	}
	recording_SetMotion(r, number, scratch);
	return isPosed;
}

// ---- Recording -------------------------------------------------------------------------------------------------

static void AddParts(recording* r, const cliScene* scene)
{
	for (int i = 0; i < scene->partCount; ++i)
	{
		recording_AddBody(r, recording_AddModel(r, scene->parts[i].model), cliGetPartColor(scene, i));
	}
}

static void RecordContacts(recording* r, const cliKeptFrame* frame, uint32_t* triangles)
{
	for (size_t i = 0; i < frame->count;)
	{
		uint64_t body = frame->touching[i] >> 32;
		uint32_t count = 0;
		for (; i < frame->count && frame->touching[i] >> 32 == body; ++i)
		{
			triangles[count++] = (uint32_t)frame->touching[i];
		}
		recording_SetContacts(r, (int)body, triangles, count);
	}
}

static bool RecordFrames(const check* c, recording* r, cliStage* stage, float* scratch, uint32_t* triangles)
{
	bool good = true;
	for (size_t f = 0; good && f < c->kept.count; ++f)
	{
		const cliKeptFrame* frame = c->kept.frames + f;
		recording_AddFrame(r, frame->frame, frame->time, frame->pairs);
		good = cliStage_SetTime(stage, frame->time);
		for (int i = 0; good && i < c->scene.partCount; ++i)
		{
			good = RecordPart(r, stage, i, scratch);
		}
		RecordContacts(r, frame, triangles);
	}
	return good;
}

static bool Record(const check* c, recording* r)
{
	size_t most = 12, triangleCount = 1;
	cliStage stage = { .scene = NULL };
	for (int i = 0; i < c->scene.partCount; ++i)
	{
		const cliPart* part = c->scene.parts + i;
		size_t joints = recordingCountPosed(part->model), vertices = 3 * (size_t)part->vertexCount;
		most = joints > most ? joints : most;
		most = vertices > most ? vertices : most;
		triangleCount = part->triangleCount > triangleCount ? part->triangleCount : triangleCount;
	}
	float* scratch = malloc(most * sizeof(float));
	uint32_t* triangles = malloc(triangleCount * sizeof(uint32_t));
	bool good = scratch != NULL && triangles != NULL && cliStage_Create(&stage, &c->scene);
	if (good)
	{
		AddParts(r, &c->scene);
		good = RecordFrames(c, r, &stage, scratch, triangles);
	}
	if (!good)
	{
		cliError("%s", stage.error.text[0] != '\0' ? stage.error.text : "out of memory for the page");
	}
	cliStage_Free(&stage);
	free(scratch);
	free(triangles);
	return good;
}

// The most pairs of so many frames each.
static uint64_t MakeBars(const cliTally* tally, uint64_t bars[MOST_BARS])
{
	uint64_t count = tally->frameCount < MOST_BARS ? tally->frameCount : MOST_BARS;
	memset(bars, 0, count * sizeof(uint64_t));
	for (uint64_t i = 0; i < tally->frameCount; ++i)
	{
		uint64_t* bar = bars + i * count / tally->frameCount;
		*bar = tally->frames[i].pairs > *bar ? tally->frames[i].pairs : *bar;
	}
	return count;
}

// What is shown, and how it is seen. Prints what is wrong.
static recording* MakeRecording(const check* c, int width, int height, recordedView* view)
{
	director d = { .scene = NULL };
	recording* r = recording_Create();
	bool good = director_Create(&d, &c->scene, &c->kept, c->up == 0 ? 1 : 2, width, height);
	*view = d.view;
	if (!good)
	{
		cliError("%s", d.error.text);
	}
	director_Free(&d);
	if (!good || !Record(c, r))
	{
		recording_Destroy(r);
		return NULL;
	}
	return r;
}

bool checkPrintRecording(const check* c, FILE* stream)
{
	recordedView view;
	uint64_t bars[MOST_BARS];
	recording* r = MakeRecording(c, 16, 10, &view);
	recordingDef def = { .id = "run",
		.what = c->tally.pairs > 0 ? "The bodies, with triangles in contact in red and outlined" : "The bodies",
		.view = &view,
		.bars = bars,
		.barCount = MakeBars(&c->tally, bars),
		.total = c->tally.frameCount,
		.maxBytes = PAGE_BYTES };
	bool printed = r != NULL && recording_Print(r, &def, stream);
	if (r != NULL && !printed)
	{
		cliError("out of memory for the page");
	}
	recording_Destroy(r);
	return printed;
}

uint8_t* checkDrawStill(const check* c, int width, int height, size_t* bytes)
{
	recordedView view;
	recording* r = MakeRecording(c, width, height, &view);
	pixels drawn = r != NULL ? recording_Draw(r, &view, width, height) : (pixels){ NULL, 0, 0 };
	uint8_t* png = drawn.data != NULL ? pixelsEncode(&drawn, bytes) : NULL;
	if (r != NULL && png == NULL)
	{
		cliError("out of memory for a picture");
	}
	pixelsFree(&drawn);
	recording_Destroy(r);
	return png;
}
