#include "program/pictures/director.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_OF_VIEW 24.0f // degrees
#define ELEVATION 0.24f     // of the camera, as a slope
#define TURN 0.42f          // how far it looks along the line between the files, as a slope
#define MOST_FRAMES 24      // that are looked at, to find out how much room all of them take

static bool Fail(director* d, const char* text)
{
	if (d->error.text[0] == '\0')
	{
		ioError_Set(&d->error, d->scene->files[0].path, 0, "%s", text);
	}
	return false;
}

const float* cliGetPartColor(const cliScene* scene, int part)
{
	return recordingGetColor(scene->fileCount > 1 ? scene->parts[part].file : part);
}

// ---- Posing ----------------------------------------------------------------------------------------------------

static bool GetPositions(director* d)
{
	bool posed = true;
	for (int i = 0; posed && i < d->scene->partCount; ++i)
	{
		posed = cliStage_GetVertices(&d->stage, i, d->positions[i]);
	}
	return posed;
}

static bool FailPose(director* d)
{
	d->error = d->stage.error;
	return Fail(d, "cannot be posed");
}

// The worst frame: positions, and marks on what touches.
static bool Pose(director* d)
{
	if (!cliStage_SetTime(&d->stage, d->worst->time) || !GetPositions(d))
	{
		return FailPose(d);
	}
	for (size_t i = 0; i < d->worst->count; ++i)
	{
		d->marks[d->worst->touching[i] >> 32][(uint32_t)d->worst->touching[i]] = 1;
	}
	return true;
}

// ---- Fitting ---------------------------------------------------------------------------------------------------

/// A box along three axes.
typedef struct extent
{
	float least[3], most[3];
} extent;

static void Begin(extent* e)
{
	for (int k = 0; k < 3; ++k)
	{
		e->least[k] = INFINITY;
		e->most[k] = -INFINITY;
	}
}

// Corners of triangles only: other vertices are not drawn.
static void AddPart(const director* d, int part, const float axes[3][3], bool onlyMarked, extent* e)
{
	const cliPart* p = d->scene->parts + part;
	for (size_t c = 0; c < 3 * (size_t)p->triangleCount; ++c)
	{
		const float* x = d->positions[part] + 3 * (size_t)p->triangles[c];
		for (int k = 0; k < 3 && (!onlyMarked || d->marks[part][c / 3]); ++k)
		{
			float along = cameraDot(axes[k], x);
			e->least[k] = fminf(e->least[k], along);
			e->most[k] = fmaxf(e->most[k], along);
		}
	}
}

static const float worldAxes[3][3] = { { 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f }, { 0.0f, 0.0f, 1.0f } };

// Where the camera stands, seen from what it looks at: across the line from the first file to the others. Of the four
// ways the first is the one that sees fronts; 1 is from the other side, 2 and 3 look along the line the other way.
static void Aim(director* d, const extent* first, const extent* last, int way)
{
	int up = d->up, side = 0, depth = up == 1 ? 2 : 1;
	float line[2] = { first->least[side] + first->most[side] - last->least[side] - last->most[side],
		first->least[depth] + first->most[depth] - last->least[depth] - last->most[depth] };
	float length = sqrtf(line[0] * line[0] + line[1] * line[1]);
	float size = first->most[up] - first->least[up];
	// Files at the same place have no line: seen from the front, a little to the side.
	if (!(length > 0.05f * size))
	{
		line[0] = 1.0f;
		line[1] = 0.0f;
		length = 1.0f;
	}
	float across[2] = { -line[1] / length, line[0] / length };
	// Of the two sides the one that sees fronts: characters face +z, or where z is up -y.
	float front = up == 1 ? 1.0f : -1.0f;
	float sign = across[1] * front < -0.01f || (fabsf(across[1]) <= 0.01f && across[0] < 0.0f) ? -1.0f : 1.0f;
	float towards[3], turn = way & 2 ? -TURN : TURN;
	sign = way & 1 ? -sign : sign;
	towards[side] = sign * across[0] + turn * line[0] / length;
	towards[depth] = sign * across[1] + turn * line[1] / length;
	towards[up] = ELEVATION;
	length = sqrtf(cameraDot(towards, towards));
	for (int k = 0; k < 3; ++k)
	{
		d->towards[k] = towards[k] / length;
	}
}

// Look at the middle of a box along the camera's own axes, from where all of it is seen.
static recordedView LookAt(const director* d, const extent* e, const camera* axes, float margin)
{
	float aspect = (float)d->width / (float)d->height;
	float slope = tanf(0.5f * FIELD_OF_VIEW * 3.14159265f / 180.0f);
	float wide = 0.5f * (e->most[0] - e->least[0]) / (slope * aspect);
	float tall = 0.5f * (e->most[1] - e->least[1]) / slope;
	float distance = margin * fmaxf(wide, tall) + 0.5f * (e->most[2] - e->least[2]);
	recordedView v = { .degrees = FIELD_OF_VIEW, .aspect = aspect, .ground = d->ground, .size = d->size };
	distance = fmaxf(distance, 1e-3f * d->size) + 1e-30f;
	for (int k = 0; k < 3; ++k)
	{
		v.target[k] = 0.5f * ((e->least[0] + e->most[0]) * axes->right[k] + (e->least[1] + e->most[1]) * axes->up[k] +
		                         (e->least[2] + e->most[2]) * axes->forward[k]);
		v.eye[k] = v.target[k] + distance * d->towards[k];
	}
	memcpy(v.vertical, worldAxes[d->up], sizeof(v.vertical));
	return v;
}

static camera MakeAxes(const director* d)
{
	static const float zero[3] = { 0.0f, 0.0f, 0.0f };
	return cameraMake(d->towards, zero, worldAxes[d->up], FIELD_OF_VIEW, 1, 1);
}

static void GetAxes(const camera* c, float axes[3][3])
{
	memcpy(axes[0], c->right, sizeof(float[3]));
	memcpy(axes[1], c->up, sizeof(float[3]));
	memcpy(axes[2], c->forward, sizeof(float[3]));
}

/// What a scene takes up over its frames.
typedef struct room
{
	extent first, last; ///< files, along the axes of the world
	extent all;         ///< along the same
	extent seen;        ///< along those of the camera
} room;

static void AddBodies(const director* d, const float (*axes)[3], room* r)
{
	for (int i = 0; i < d->scene->partCount; ++i)
	{
		int file = d->scene->parts[i].file;
		if (axes != NULL)
		{
			AddPart(d, i, axes, false, &r->seen);
			continue;
		}
		AddPart(d, i, worldAxes, false, &r->all);
		AddPart(d, i, worldAxes, false, file == 0 ? &r->first : &r->last);
	}
}

// Add all frames. @param axes of the camera, or null for those of the world
static bool AddFrames(director* d, const cliKept* kept, const float (*axes)[3], room* r)
{
	size_t every = kept->count / MOST_FRAMES + 1;
	for (size_t f = kept->worst % every; f < kept->count; f += every)
	{
		if (!cliStage_SetTime(&d->stage, kept->frames[f].time) || !GetPositions(d))
		{
			return FailPose(d);
		}
		AddBodies(d, axes, r);
	}
	return true;
}

// ---- Pictures --------------------------------------------------------------------------------------------------

// What touches, and around it as much again as makes clear where that is.
static recordedView LookNear(const director* d)
{
	camera along = MakeAxes(d);
	extent e;
	float axes[3][3];
	GetAxes(&along, axes);
	Begin(&e);
	for (int i = 0; i < d->scene->partCount; ++i)
	{
		AddPart(d, i, (const float(*)[3])axes, true, &e);
	}
	float around = fmaxf(0.15f * d->size, 0.6f * fmaxf(e.most[0] - e.least[0], e.most[1] - e.least[1]));
	for (int k = 0; k < 2; ++k)
	{
		e.least[k] -= around;
		e.most[k] += around;
	}
	return LookAt(d, &e, &along, 1.0f);
}

static bool Draw(const director* d, const recordedView* v)
{
	camera c = cameraMake(v->eye, v->target, v->vertical, v->degrees, picture_GetSampleWidth(d->screen),
	    picture_GetSampleHeight(d->screen));
	return picture_Draw(d->screen, &c, d->ground, d->meshes, d->scene->partCount);
}

// ---- Standing ---------------------------------------------------------------------------------------------------

// The way that shows most of what touches in the worst frame, but the first if others are not clearly better.
static bool ChooseWay(director* d, const room* r)
{
	const extent* others = r->last.least[0] <= r->last.most[0] ? &r->last : &r->first;
	float most = -1.0f;
	int best = 0;
	d->screen = picture_Create(160, 100);
	if (d->screen == NULL || !Pose(d))
	{
		return Fail(d, "out of memory for pictures");
	}
	for (int way = 0; way < 4 && d->worst->count > 0; ++way)
	{
		Aim(d, &r->first, others, way);
		recordedView near = LookNear(d);
		if (!Draw(d, &near))
		{
			return Fail(d, "out of memory for a picture");
		}
		float seen = (way == 0 ? 1.25f : 1.0f) * (float)picture_CountMarks(d->screen);
		best = seen > most ? way : best;
		most = seen > most ? seen : most;
	}
	Aim(d, &r->first, others, best);
	picture_Destroy(d->screen);
	d->screen = NULL;
	return true;
}

static bool Fit(director* d, const cliKept* kept)
{
	room r;
	float axes[3][3];
	Begin(&r.first);
	Begin(&r.last);
	Begin(&r.all);
	Begin(&r.seen);
	if (!AddFrames(d, kept, NULL, &r))
	{
		return false;
	}
	if (!(r.all.least[0] <= r.all.most[0]))
	{
		return Fail(d, "there is nothing to draw");
	}
	d->ground = r.all.least[d->up];
	d->size =
	    fmaxf(r.all.most[0] - r.all.least[0], fmaxf(r.all.most[1] - r.all.least[1], r.all.most[2] - r.all.least[2]));
	if (!ChooseWay(d, &r))
	{
		return false;
	}
	camera along = MakeAxes(d);
	GetAxes(&along, axes);
	if (!AddFrames(d, kept, (const float(*)[3])axes, &r))
	{
		return false;
	}
	d->view = LookAt(d, &r.seen, &along, 1.06f);
	return true;
}

// ---- Making ----------------------------------------------------------------------------------------------------

static bool Allocate(director* d)
{
	size_t parts = (size_t)d->scene->partCount + 1;
	d->positions = calloc(parts, sizeof(float*));
	d->marks = calloc(parts, sizeof(uint8_t*));
	d->meshes = calloc(parts, sizeof(pictureMesh));
	bool made = d->positions != NULL && d->marks != NULL && d->meshes != NULL;
	for (int i = 0; made && i < d->scene->partCount; ++i)
	{
		const cliPart* part = d->scene->parts + i;
		d->positions[i] = malloc(((size_t)part->vertexCount + 1) * 3 * sizeof(float));
		d->marks[i] = calloc((size_t)part->triangleCount + 1, 1);
		made = d->positions[i] != NULL && d->marks[i] != NULL;
		d->meshes[i] = (pictureMesh){ .positions = d->positions[i],
			.vertexCount = part->vertexCount,
			.triangles = part->triangles,
			.triangleCount = part->triangleCount,
			.marks = d->marks[i] };
		memcpy(d->meshes[i].color, cliGetPartColor(d->scene, i), sizeof(float[3]));
	}
	return made || Fail(d, "out of memory for pictures");
}

bool director_Create(director* d, const cliScene* scene, const cliKept* kept, int up, int width, int height)
{
	*d = (director){ .scene = scene, .worst = kept->frames + kept->worst, .up = up, .width = width, .height = height };
	if (!cliStage_Create(&d->stage, scene))
	{
		d->error = d->stage.error;
		return false;
	}
	return Allocate(d) && Fit(d, kept);
}

void director_Free(director* d)
{
	for (int i = 0; d->scene != NULL && i < d->scene->partCount; ++i)
	{
		free(d->positions != NULL ? d->positions[i] : NULL);
		free(d->marks != NULL ? d->marks[i] : NULL);
	}
	free(d->positions);
	free(d->marks);
	free(d->meshes);
	picture_Destroy(d->screen);
	cliStage_Free(&d->stage);
	d->scene = NULL;
}
