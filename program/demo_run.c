#include "baselines/brute.h"
#include "bench/timer.h"
#include "program/demo.h"
#include "program/picture.h"
#include "program/terminal.h"
#include "scenes/sine.h"

#include <stdlib.h>
#include <string.h>

#define BLOB_FREQUENCY 67 // 44,892 vertices, 89,780 triangles
#define RING_AROUND 300   // 45,000 vertices, 90,000 triangles
#define RING_ACROSS 150
#define VERIFY_EVERY 10

static bool Fail(const char* what)
{
	cliError("demo: %s", what);
	return false;
}

static const sceneMesh* GetMesh(const demo* d, int body)
{
	return body == 0 ? &d->blob.sphere : &d->ring;
}

static void DeformBlob(const demo* d, int frame)
{
	static const double center[3] = { 0.0, 0.0, 0.0 };
	sceneBlob_Deform(&d->blob, (double)frame, 0.065, 1.0, center, d->positions[0]);
}

// Down over the blob and off at the other end, tilting on the way.
static snugFrame PlaceRing(const demo* d, int frame)
{
	double u = d->frameCount > 1 ? (double)frame / (double)(d->frameCount - 1) : 0.5;
	double position[3] = { 0.16 * sceneSine(2.0 * SCENE_PI * u), 0.0, 1.55 * sceneCosine(SCENE_PI * u) };
	double angles[3] = { 0.30 + 0.35 * sceneSine(2.0 * SCENE_PI * u), 0.30 * sceneSine(SCENE_PI * u + 0.4), 1.5 * u };
	return sceneMakeEulerFrame(position, angles);
}

// ---- Making ----------------------------------------------------------------------------------------------------

static bool AllocateArrays(demo* d, int frameCount)
{
	d->capacity = 1 << 18;
	d->frameCount = frameCount;
	d->pairs = malloc((size_t)d->capacity * sizeof(snugPair));
	d->frames = calloc((size_t)frameCount, sizeof(demoFrame));
	bool made = d->pairs != NULL && d->frames != NULL;
	for (int i = 0; i < 2; ++i)
	{
		d->positions[i] = malloc((size_t)GetMesh(d, i)->vertexCount * 3 * sizeof(float));
		d->marks[i] = malloc(GetMesh(d, i)->triangleCount);
		made = made && d->positions[i] != NULL && d->marks[i] != NULL;
	}
	return made;
}

static snugStatus CreateBody(demo* d, int i)
{
	const sceneMesh* mesh = GetMesh(d, i);
	snugModelDef def = { .positions = i == 0 ? d->positions[0] : mesh->positions,
		.vertexCount = mesh->vertexCount,
		.triangles = mesh->triangles,
		.triangleCount = mesh->triangleCount,
		.deformer = i == 0 ? snug_free : snug_rigid };
	snugStatus status = snugModel_Create(&def, &d->models[i]);
	if (status == snug_success)
	{
		snugBodyDef bodyDef = { .model = d->models[i] };
		status = snugBody_Create(&bodyDef, &d->bodies[i]);
	}
	return status;
}

static snugStatus QueryFrame(demo* d, int frame)
{
	demoFrame* f = d->frames + frame;
	snugFrame place = PlaceRing(d, frame);
	DeformBlob(d, frame);
	double start = benchNow();
	snugStatus status = snugBody_SetVertices(d->bodies[0], d->positions[0], 0, 0, d->blob.sphere.vertexCount);
	double set = benchNow();
	status = status == snug_success ? snugBody_Refit(d->bodies[0]) : status;
	double refitted = benchNow();
	status = status == snug_success ? snugBody_SetFrame(d->bodies[1], &place) : status;
	snugQuery query = { .pairs = d->pairs, .capacity = d->capacity };
	snugResult result = snugCollide(d->bodies[0], d->bodies[1], &query);
	double queried = benchNow();
	f->setMs = set - start;
	f->refitMs = refitted - set;
	f->queryMs = queried - refitted;
	f->pairs = result.count;
	f->counters = result.counters;
	return status == snug_success ? result.status : status;
}

bool demo_Create(demo* d, int frameCount)
{
	memset(d, 0, sizeof(*d));
	d->ring = sceneMakeTorus(1.13, 0.27, RING_AROUND, RING_ACROSS);
	if (!sceneBlob_Create(&d->blob, BLOB_FREQUENCY, 7, 1.25) || !sceneMesh_IsValid(&d->ring) ||
	    !AllocateArrays(d, frameCount))
	{
		demo_Destroy(d);
		return Fail("out of memory");
	}
	DeformBlob(d, 0);
	for (int i = 0; i < 2; ++i)
	{
		snugStatus status = CreateBody(d, i);
		if (status != snug_success)
		{
			demo_Destroy(d);
			return Fail(snugGetStatusText(status));
		}
	}
	for (int i = 0; i < DEMO_SHOTS; ++i)
	{
		d->shots[i].frame = (int)((0.12 + 0.13 * (double)i) * (double)(frameCount - 1) + 0.5);
	}
	// Once for nothing: the first query of a process pays for cold caches, pages and the choice of kernels.
	return QueryFrame(d, frameCount / 2) == snug_success || Fail("the first query failed");
}

void demo_Destroy(demo* d)
{
	for (int i = 0; i < 2; ++i)
	{
		snugBody_Destroy(d->bodies[i]);
		snugModel_Destroy(d->models[i]);
		free(d->positions[i]);
		free(d->marks[i]);
	}
	for (int i = 0; i < DEMO_SHOTS; ++i)
	{
		free(d->shots[i].png);
	}
	sceneBlob_Free(&d->blob);
	sceneMesh_Free(&d->ring);
	free(d->pairs);
	free(d->frames);
	memset(d, 0, sizeof(*d));
}

// ---- Running ---------------------------------------------------------------------------------------------------

static bool VerifyFrame(demo* d, demoFrame* f)
{
	bruteMesh a = { d->positions[0], d->blob.sphere.triangles, d->blob.sphere.triangleCount };
	bruteMesh b = { d->positions[1], d->ring.triangles, d->ring.triangleCount };
	double start = benchNow();
	bruteResult result = bruteCollide(&a, &b);
	f->bruteMs = benchNow() - start;
	if (result.outOfMemory)
	{
		return Fail("out of memory");
	}
	f->verified = true;
	f->differs = result.count != f->pairs ||
	             (f->pairs > 0 && memcmp(result.pairs, d->pairs, (size_t)f->pairs * sizeof(snugPair)) != 0);
	bruteResult_Free(&result);
	return true;
}

static void MarkTriangles(demo* d, uint64_t pairs)
{
	memset(d->marks[0], 0, d->blob.sphere.triangleCount);
	memset(d->marks[1], 0, d->ring.triangleCount);
	for (uint64_t i = 0; i < pairs; ++i)
	{
		d->marks[0][d->pairs[i].a] = 1;
		d->marks[1][d->pairs[i].b] = 1;
	}
}

static bool TakePicture(demo* d, demoShot* shot)
{
	static const float eye[3] = { 1.6f, -5.6f, 2.5f }, target[3] = { 0.0f, 0.0f, 0.22f };
	static const float up[3] = { 0.0f, 0.0f, 1.0f };
	picture* p = picture_Create(520, 460);
	MarkTriangles(d, d->frames[shot->frame].pairs);
	if (p != NULL)
	{
		pictureMesh meshes[2] = { { .color = { 0.36f, 0.58f, 0.84f } }, { .color = { 0.95f, 0.80f, 0.50f } } };
		for (int i = 0; i < 2; ++i)
		{
			const sceneMesh* mesh = GetMesh(d, i);
			meshes[i].positions = d->positions[i];
			meshes[i].vertexCount = mesh->vertexCount;
			meshes[i].triangles = mesh->triangles;
			meshes[i].triangleCount = mesh->triangleCount;
			meshes[i].marks = d->marks[i];
		}
		camera c = cameraMake(eye, target, up, 39.5f, picture_GetSampleWidth(p), picture_GetSampleHeight(p));
		pixels drawn = { NULL, 0, 0 };
		if (picture_Draw(p, &c, -1.8f, meshes, 2))
		{
			drawn = picture_Resolve(p);
		}
		shot->png = drawn.data != NULL ? pixelsEncode(&drawn, &shot->bytes) : NULL;
		pixelsFree(&drawn);
	}
	picture_Destroy(p);
	return shot->png != NULL || Fail("out of memory");
}

bool demo_RunFrame(demo* d, int frame)
{
	snugStatus status = QueryFrame(d, frame);
	demoFrame* f = d->frames + frame;
	for (int i = 0; i < 2 && status == snug_success; ++i)
	{
		status = snugBody_GetVertices(d->bodies[i], NULL, d->positions[i], 0);
	}
	if (status != snug_success)
	{
		return Fail(snugGetStatusText(status));
	}
	if (f->pairs > d->capacity)
	{
		return Fail("more pairs than there is room for");
	}
	for (int i = 0; i < DEMO_SHOTS; ++i)
	{
		if (d->shots[i].frame == frame && d->shots[i].png == NULL && !TakePicture(d, &d->shots[i]))
		{
			return false;
		}
	}
	return frame % VERIFY_EVERY != VERIFY_EVERY / 2 || VerifyFrame(d, f);
}

// ---- Summing up ------------------------------------------------------------------------------------------------

int demo_CountVerified(const demo* d)
{
	int count = 0;
	for (int i = 0; i < d->frameCount; ++i)
	{
		count += d->frames[i].verified;
	}
	return count;
}

int demo_CountDifferent(const demo* d)
{
	int count = 0;
	for (int i = 0; i < d->frameCount; ++i)
	{
		count += d->frames[i].differs;
	}
	return count;
}

double demo_GetMedian(const demo* d, size_t offset)
{
	benchSamples samples = { .count = 0 };
	for (int i = 0; i < d->frameCount; ++i)
	{
		double value;
		memcpy(&value, (const char*)&d->frames[i] + offset, sizeof(value));
		benchSamples_Add(&samples, value);
	}
	return benchSamples_Median(&samples);
}

int demo_GetPeak(const demo* d)
{
	int peak = 0;
	for (int i = 1; i < d->frameCount; ++i)
	{
		peak = d->frames[i].pairs > d->frames[peak].pairs ? i : peak;
	}
	return peak;
}
