#include "papers/common/scene_parts.h"

#include "body/body.h"
#include "program/check/brute.h"
#include "snug/snug_queries.h"
#include "solvers/hoard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY 262144
#define VERIFY_EVERY 10

static const showKind* const kinds[] = { &showBrain, &showRing, &showFish, &showCurtain, &showCharacters };

static const showKind* FindKind(const char* name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i)
	{
		if (strcmp(kinds[i]->name, name) == 0)
		{
			return kinds[i];
		}
	}
	return NULL;
}

// ---- Making ----------------------------------------------------------------------------------------------------

static bool Build(show* s, const showDef* def, simError* error)
{
	if (!s->kind->create(s, def, error))
	{
		return false;
	}
	bool good = true;
	for (int i = 0; i < s->bodyCount; ++i)
	{
		s->bodies[i].marks = calloc(s->bodies[i].mesh->triangleCount, 1);
		good = good && s->bodies[i].marks != NULL;
	}
	s->pairs = malloc(CAPACITY * sizeof(snugPair));
	s->frames = calloc((size_t)s->frameCapacity, sizeof(showFrame));
	s->recording = recording_Create();
	return (good && s->pairs != NULL && s->frames != NULL && s->recording != NULL) || simError_SetMemory(error);
}

show* show_Create(const showDef* def, simError* error)
{
	const showKind* kind = FindKind(def->name);
	if (kind == NULL)
	{
		simError_Set(error, "there is no scene '%s'; see snug scene --help", def->name);
		return NULL;
	}
	show* s = calloc(1, sizeof(show));
	if (s == NULL)
	{
		simError_SetMemory(error);
		return NULL;
	}
	s->kind = kind;
	s->frameCapacity = def->frames > 0 ? def->frames : kind->frames;
	if (!Build(s, def, error))
	{
		show_Destroy(s);
		return NULL;
	}
	return s;
}

void show_Destroy(show* s)
{
	for (int i = 0; i < s->bodyCount; ++i)
	{
		free(s->bodies[i].marks);
	}
	if (s->scene != NULL)
	{
		s->kind->release(s->scene);
	}
	recording_Destroy(s->recording);
	free(s->frames);
	free(s->pairs);
	free(s);
}

bool show_Record(show* s, showGoOnFcn* goOn, bool* recorded, simError* error)
{
	*recorded = s->kind->record != NULL;
	return s->kind->record == NULL || s->kind->record(s, goOn, error);
}

int show_GetGoal(const show* s)
{
	return s->frameCapacity;
}

// ---- Boxes -----------------------------------------------------------------------------------------------------

float show_GetSide(const snugFrame* place)
{
	return place->rotation[1] > 0.5 ? -1.0f : 1.0f;
}

// A box is relative to its body's frame; a recording's are the world's.
static void AddBox(show* s, const showBody* body, const snugNodeBox* box)
{
	snugNodeBox at = *box;
	for (int k = 0; body->place != NULL && k < 3; ++k)
	{
		float side = k == 1 ? 1.0f : show_GetSide(body->place), middle = (float)body->place->position[k];
		at.lower[k] = middle + side * (side > 0.0f ? box->lower : box->upper)[k];
		at.upper[k] = middle + side * (side > 0.0f ? box->upper : box->lower)[k];
	}
	recording_AddBox(s->recording, at.lower, at.upper, recorded_dark);
}

// Of one body. Nodes are slots of its tree, so that parents can be told.
static bool ChooseOfBody(show* s, const showBody* body, const snugNodeBox* boxes, uint64_t count, simError* error)
{
	const sgTree* tree = &snugBody_GetModel(body->posed)->tree;
	uint8_t* isAbove = calloc((size_t)tree->groupCount * SG_LANES + 1, 1);
	bool good = isAbove != NULL || simError_SetMemory(error);
	for (uint64_t i = 0; i < count && good; ++i)
	{
		uint32_t parent = tree->nodes[boxes[i].node].parent;
		isAbove[parent == SG_NONE ? tree->groupCount * SG_LANES : parent] = 1;
	}
	for (uint64_t i = 0; i < count && good; ++i)
	{
		if (isAbove[boxes[i].node] == 0)
		{
			AddBox(s, body, &boxes[i]);
		}
	}
	free(isAbove);
	return good;
}

bool show_ChooseVisited(show* s, showFrame* frame, simError* error)
{
	bool good = true;
	for (int i = 0; i < s->bodyCount && good; ++i)
	{
		snugBody* body = s->bodies[i].posed;
		uint64_t count = 0;
		good = snugBody_GetBoxes(body, SNUG_NONE, NULL, 0, &count) == snug_success;
		snugNodeBox* boxes = malloc(((size_t)count + 1) * sizeof(snugNodeBox));
		good = (good && boxes != NULL) || simError_SetMemory(error);
		if (good)
		{
			snugBody_GetBoxes(body, SNUG_NONE, boxes, count, &count);
			frame->nodesVisited += count;
			good = ChooseOfBody(s, s->bodies + i, boxes, count, error);
		}
		free(boxes);
	}
	return good;
}

// ---- Frames ----------------------------------------------------------------------------------------------------

static bool Verify(const show* s, const showBody* a, const showBody* b, uint64_t count)
{
	const bruteMesh first = { a->positions, a->mesh->triangles, a->mesh->triangleCount };
	const bruteMesh second = { b->positions, b->mesh->triangles, b->mesh->triangleCount };
	bruteResult expected = bruteCollide(&first, &second);
	bool same = !expected.outOfMemory && expected.count == count &&
	            (count == 0 || memcmp(expected.pairs, s->pairs, (size_t)count * sizeof(snugPair)) == 0);
	bruteResult_Free(&expected);
	return same;
}

static bool AskPair(show* s, showBody* a, showBody* b, showFrame* f, simError* error)
{
	snugResult result = snugCollide(a->posed, b->posed, &(snugQuery){ .pairs = s->pairs, .capacity = CAPACITY });
	if (result.status != snug_success || result.count > CAPACITY)
	{
		return simError_Set(error, "%s", result.count > CAPACITY ? "too many pairs" : snugGetStatusText(result.status));
	}
	f->pairs += result.count;
	f->volumeTests += result.counters.volumeTests;
	f->verticesEvaluated += result.counters.verticesEvaluated;
	f->triangleTests += result.counters.triangleTests;
	for (uint64_t i = 0; i < result.count; ++i)
	{
		a->marks[s->pairs[i].a] = 1;
		b->marks[s->pairs[i].b] = 1;
	}
	f->differs = f->differs || (f->isVerified && !Verify(s, a, b, result.count));
	return true;
}

static bool AskAll(show* s, showFrame* f, simError* error)
{
	bool good = true;
	for (int i = 0; i < s->bodyCount; ++i)
	{
		memset(s->bodies[i].marks, 0, s->bodies[i].mesh->triangleCount);
	}
	for (int a = 0; a < s->bodyCount; ++a)
	{
		for (int b = a + 1; b < s->bodyCount && good; ++b)
		{
			good = AskPair(s, &s->bodies[a], &s->bodies[b], f, error);
		}
	}
	return good;
}

// A meshless body by its nodes; any other as it is posed.
static void AddBodies(show* s)
{
	for (int i = 0; i < s->bodyCount; ++i)
	{
		const showBody* body = s->bodies + i;
		const recordedMesh mesh = { .vertexCount = body->mesh->vertexCount,
			.triangles = body->mesh->triangles,
			.triangleCount = body->mesh->triangleCount };
		int number = body->nodes != NULL ? recording_AddModel(s->recording, snugBody_GetModel(body->posed))
		                                 : recording_AddMesh(s->recording, &mesh);
		recording_AddBody(s->recording, number, recordingGetColor(i));
	}
	if (s->kind->addExtras != NULL)
	{
		s->kind->addExtras(s);
	}
}

// It carries v to v + displacement + gradient^T (v - position), and aside.
static void MakeMatrix(const snugMeshlessNode* node, const float aside[3], float matrix[12])
{
	for (int k = 0; k < 3; ++k)
	{
		matrix[4 * k + 3] = node->displacement[k] + aside[k];
		for (int i = 0; i < 3; ++i)
		{
			matrix[4 * k + i] = node->gradient[i][k] + (i == k ? 1.0f : 0.0f);
			matrix[4 * k + 3] -= node->gradient[i][k] * node->position[i];
		}
	}
}

static uint32_t CountNodes(const show* s, int body)
{
	return snugModel_GetInfo(snugBody_GetModel(s->bodies[body].posed)).jointCount;
}

void show_PlaceNodes(show* s, int body, int number, const float aside[3])
{
	size_t count = CountNodes(s, body);
	float* matrices = malloc(12 * count * sizeof(float) + 1);
	for (size_t i = 0; matrices != NULL && i < count; ++i)
	{
		MakeMatrix(s->bodies[body].nodes + i, aside, matrices + 12 * i);
	}
	if (matrices != NULL)
	{
		recording_SetMotion(s->recording, number, matrices);
	}
	free(matrices);
}

// A ball about each node, of which it is the one joint. In a pose balls are bent as their nodes have it.
static int AddBalls(show* s, int body, const sceneMesh* ball, float radius)
{
	uint32_t count = CountNodes(s, body), vertices = count * ball->vertexCount;
	simHoard hoard = { NULL, false };
	float* positions = simHoard_Take(&hoard, vertices, 3 * sizeof(float));
	float* weights = simHoard_Take(&hoard, vertices, sizeof(float));
	uint32_t* triangles = simHoard_Take(&hoard, (size_t)count * ball->triangleCount, 3 * sizeof(uint32_t));
	uint32_t* starts = simHoard_Take(&hoard, (size_t)vertices + 1, sizeof(uint32_t));
	uint16_t* joints = simHoard_Take(&hoard, vertices, sizeof(uint16_t));
	bool good = !hoard.isShort;
	for (uint32_t v = 0; v < vertices && good; ++v)
	{
		const float* from = ball->positions + 3 * (size_t)(v % ball->vertexCount);
		const float* middle = s->bodies[body].nodes[v / ball->vertexCount].position;
		for (size_t k = 0; k < 3; ++k)
		{
			positions[3 * (size_t)v + k] = middle[k] + radius * from[k];
		}
		weights[v] = 1.0f;
		joints[v] = (uint16_t)(v / ball->vertexCount);
		starts[v] = v;
		starts[v + 1] = v + 1;
	}
	for (size_t i = 0; i < 3 * (size_t)count * ball->triangleCount && good; ++i)
	{
		size_t size = 3 * (size_t)ball->triangleCount;
		triangles[i] = ball->triangles[i % size] + (uint32_t)(i / size) * ball->vertexCount;
	}
	const recordedMesh mesh = { positions, vertices, triangles, count * ball->triangleCount, count, .starts = starts,
		.joints = joints, .weights = weights };
	int number = good ? recording_AddMesh(s->recording, &mesh) : -1;
	simHoard_Free(&hoard);
	return number;
}

int show_AddNodes(show* s, int body, recordedWhen when)
{
	static const float amber[3] = { 0.95f, 0.72f, 0.30f };
	const sceneMesh* mesh = s->bodies[body].mesh;
	sceneMesh ball = sceneMakeSphere(2);
	float size = 0.0f;
	for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; ++i)
	{
		size = fmaxf(size, fabsf(mesh->positions[i]));
	}
	int made =
	    sceneMesh_IsValid(&ball) ? AddBalls(s, body, &ball, 0.22f * size / cbrtf((float)CountNodes(s, body))) : -1;
	sceneMesh_Free(&ball);
	int number = recording_AddBody(s->recording, made, amber);
	recording_SetWhen(s->recording, number, when);
	return number;
}

static void Record(show* s, const showFrame* f)
{
	static const float here[3] = { 0.0f, 0.0f, 0.0f };
	if (s->frameCount == 0)
	{
		AddBodies(s);
	}
	recording_AddFrame(s->recording, (uint64_t)s->frameCount, f->time, f->pairs);
	for (int i = 0; i < s->bodyCount; ++i)
	{
		if (s->bodies[i].nodes != NULL)
		{
			show_PlaceNodes(s, i, i, here);
		}
		else
		{
			recording_SetMotion(s->recording, i, s->bodies[i].positions);
		}
		recording_SetMarks(s->recording, i, s->bodies[i].marks);
	}
}

bool show_RunFrame(show* s, simError* error)
{
	if (s->frameCount == s->frameCapacity)
	{
		return simError_Set(error, "more frames than were asked for");
	}
	showFrame* f = s->frames + s->frameCount;
	f->isVerified = s->bodyCount > 1 && s->frameCount % VERIFY_EVERY == 0;
	bool good =
	    (s->kind->advance == NULL || s->kind->advance(s, error)) && s->kind->pose(s, f, error) && AskAll(s, f, error);
	if (good)
	{
		Record(s, f);
		good = s->kind->choose(s, f, error);
	}
	s->frameCount += good;
	return good;
}

int show_CountDifferent(const show* s)
{
	int count = 0;
	for (int i = 0; i < s->frameCount; ++i)
	{
		count += s->frames[i].differs;
	}
	return count;
}

// ---- States ----------------------------------------------------------------------------------------------------

void show_WriteState(const show* s, FILE* stream)
{
	fprintf(stream, "snug scene %s 1\n", s->kind->name);
	if (s->kind->write != NULL)
	{
		s->kind->write(s, stream);
	}
}

bool show_ReadState(show* s, FILE* stream, simError* error)
{
	char name[16] = "";
	int version = 0;
	if (fscanf(stream, "snug scene %15s %d", name, &version) != 2 || version != 1)
	{
		return simError_Set(error, "this is no state of a scene");
	}
	if (strcmp(name, s->kind->name) != 0)
	{
		return simError_Set(error, "this is a state of the scene '%s'", name);
	}
	return s->kind->read != NULL ? s->kind->read(s, stream, error)
	                             : simError_Set(error, "nothing of it is simulated: there is nothing to go on from");
}
