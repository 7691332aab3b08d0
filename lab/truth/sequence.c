#include "lab/truth/sequence.h"

#include "lab/scenes/character.h"
#include "lab/truth/exact.h"
#include "program/check/brute.h"
#include "solvers/sine.h"

#include <stdlib.h>
#include <string.h>

#define NODES 115
#define FREQUENCY 32 // 10,242 vertices
#define INFLUENCES 20.0

static const struct
{
	const char* name;
	sceneCharacterKind character; ///< SCENE_CHARACTERS: meshless bodies
	snugBlending blending;
	const char* bodies[TRUTH_BODIES];
	bool isHeavy;
} sequences[TRUTH_SEQUENCES] = {
	{ "men", scene_man, snug_blendLinear, { "man, linear blending", "man, linear blending" }, false },
	{ "creatures", scene_creature, snug_blendDualQuaternion,
	    { "creature, dual quaternions", "creature, dual quaternions" }, true },
	{ "brains-light", SCENE_CHARACTERS, snug_blendLinear, { "brain 1, meshless", "brain 2, meshless" }, false },
	{ "brains-heavy", SCENE_CHARACTERS, snug_blendLinear, { "brain 1, meshless", "brain 2, meshless" }, true },
};

typedef struct side
{
	const sceneMesh* mesh;
	const sceneWeights* weights;
	snugModel* model;
	snugBody* body;
	float* matrices;
	float* positions;
	snugFrame place;
} side;

struct truthSequence
{
	int number, frameCount;
	sceneCharacter character;
	sceneMeshless meshless[TRUTH_BODIES];
	snugMeshlessNode nodes[NODES];
	side sides[TRUTH_BODIES];
};

const char* truthSequence_GetName(int number)
{
	return sequences[number].name;
}

// ---- Making ----------------------------------------------------------------------------------------------------

static bool IsMeshless(const truthSequence* s)
{
	return sequences[s->number].character == SCENE_CHARACTERS;
}

static bool MakeScene(truthSequence* s)
{
	if (!IsMeshless(s))
	{
		return sceneCharacter_Create(&s->character, sequences[s->number].character);
	}
	bool good = true;
	for (int i = 0; i < TRUTH_BODIES && good; ++i)
	{
		good = sceneMeshless_Create(&s->meshless[i], sceneMakeBrain(FREQUENCY, (uint64_t)i + 1), NODES, INFLUENCES);
	}
	return good;
}

static bool MakeSide(truthSequence* s, int i)
{
	side* one = s->sides + i;
	one->mesh = IsMeshless(s) ? &s->meshless[i].mesh : &s->character.mesh;
	one->weights = IsMeshless(s) ? &s->meshless[i].weights : &s->character.weights;
	snugModelDef def = IsMeshless(s) ? sceneMakeBlendDef(one->mesh, one->weights, (snugTreeDef){ 0 })
	                                 : sceneCharacter_MakeDef(&s->character, sequences[s->number].blending);
	one->matrices = malloc(12 * (size_t)one->weights->transformCount * sizeof(float));
	one->positions = malloc(3 * (size_t)one->mesh->vertexCount * sizeof(float));
	return one->matrices != NULL && one->positions != NULL && snugModel_Create(&def, &one->model) == snug_success &&
	       snugBody_Create(&(snugBodyDef){ .model = one->model }, &one->body) == snug_success;
}

truthSequence* truthSequence_Create(int number, int frameCount)
{
	truthSequence* s = calloc(1, sizeof(truthSequence));
	if (s != NULL)
	{
		s->number = number;
		s->frameCount = frameCount;
	}
	if (s == NULL || !MakeScene(s) || !MakeSide(s, 0) || !MakeSide(s, 1))
	{
		truthSequence_Destroy(s);
		return NULL;
	}
	return s;
}

void truthSequence_Destroy(truthSequence* sequence)
{
	for (int i = 0; i < TRUTH_BODIES && sequence != NULL; ++i)
	{
		side* one = sequence->sides + i;
		snugBody_Destroy(one->body);
		snugModel_Destroy(one->model);
		free(one->matrices);
		free(one->positions);
		sceneMeshless_Free(&sequence->meshless[i]);
	}
	if (sequence != NULL)
	{
		sceneCharacter_Free(&sequence->character);
	}
	free(sequence);
}

// ---- Posing ----------------------------------------------------------------------------------------------------

// The vertex that reaches farthest to the right, or with a sign of -1 to the left.
static const float* FindExtreme(const side* one, float sign)
{
	const float* found = one->positions;
	for (uint32_t i = 1; i < one->mesh->vertexCount; ++i)
	{
		const float* p = one->positions + 3 * (size_t)i;
		found = sign * p[0] > sign * found[0] ? p : found;
	}
	return found;
}

// Strongest bent in the middle. The second is in the place of the first, nearly, or touches it with its tip.
static snugStatus PoseMeshless(truthSequence* s, int frame)
{
	double u = s->frameCount > 1 ? 2.0 * frame / (s->frameCount - 1) - 1.0 : 0.0, t = 1.0 - 0.5 * u * u;
	const sceneBending bendings[TRUTH_BODIES] = { { t, 0.8 * t, 0.6 * t }, { 0.6 * t, t, 0.9 * t } };
	snugStatus status = snug_success;
	for (int i = 0; i < TRUTH_BODIES && status == snug_success; ++i)
	{
		side* one = s->sides + i;
		one->place = (snugFrame){ .rotation = { 0.0, 0.0, 0.0, 1.0 } };
		sceneMeshless_PoseNodes(&s->meshless[i], &bendings[i], s->nodes);
		sceneMakeMatrices(s->nodes, NODES, one->matrices);
		status = snugBody_SetFrame(one->body, &one->place);
		status = status == snug_success ? snugBody_SetJoints(one->body, one->matrices, 0, NODES) : status;
		status = status == snug_success ? snugBody_GetVertices(one->body, NULL, one->positions, 0) : status;
	}
	double* position = s->sides[1].place.position;
	if (status == snug_success && sequences[s->number].isHeavy)
	{
		memcpy(position, (double[3]){ 0.18 + 0.2 * u * u, 0.05, -0.04 }, 3 * sizeof(double));
	}
	else if (status == snug_success)
	{
		const float *right = FindExtreme(&s->sides[0], 1.0f), *left = FindExtreme(&s->sides[1], -1.0f);
		for (int k = 0; k < 3; ++k)
		{
			position[k] = (double)right[k] - (double)left[k] - (k == 0 ? 0.06 * (1.0 - u * u) : 0.0);
		}
	}
	return status;
}

static snugStatus Pose(truthSequence* s, int frame)
{
	snugStatus status = IsMeshless(s) ? PoseMeshless(s, frame) : snug_success;
	for (int i = 0; i < TRUTH_BODIES && status == snug_success; ++i)
	{
		side* one = s->sides + i;
		if (!IsMeshless(s))
		{
			sceneCharacter_Meet(&s->character, i, frame, s->frameCount, one->matrices, &one->place);
			status = snugBody_SetJoints(one->body, one->matrices, 0, one->weights->transformCount);
		}
		status = status == snug_success ? snugBody_SetFrame(one->body, &one->place) : status;
		status = status == snug_success ? snugBody_GetVertices(one->body, NULL, one->positions, 0) : status;
	}
	return status;
}

// ---- Writing ---------------------------------------------------------------------------------------------------

bool truthSequence_Begin(const truthSequence* sequence, truthWriter* writer, FILE* stream)
{
	truthWriter_Begin(writer, stream, truth_frames, 0, (uint64_t)sequence->frameCount, TRUTH_BODIES);
	for (int i = 0; i < TRUTH_BODIES; ++i)
	{
		const side* one = sequence->sides + i;
		char name[TRUTH_NAME] = "";
		const uint32_t counts[8] = { one->mesh->vertexCount, one->mesh->triangleCount, one->weights->transformCount,
			one->weights->starts[one->mesh->vertexCount] };
		snprintf(name, sizeof(name), "%s", sequences[sequence->number].bodies[i]);
		truthWriter_Add(writer, name, sizeof(name));
		truthWriter_Add(writer, counts, sizeof(counts));
	}
	for (int i = 0; i < TRUTH_BODIES; ++i)
	{
		const side* one = sequence->sides + i;
		const sceneWeights* w = one->weights;
		uint32_t vertices = one->mesh->vertexCount, influences = w->starts[vertices];
		truthWriter_Add(writer, one->mesh->positions, 3 * (size_t)vertices * sizeof(float));
		truthWriter_Add(writer, one->mesh->triangles, 3 * (size_t)one->mesh->triangleCount * sizeof(uint32_t));
		truthWriter_Add(writer, w->starts, ((size_t)vertices + 1) * sizeof(uint32_t));
		for (uint32_t k = 0; k < influences; ++k)
		{
			const uint32_t joint = w->transforms[k];
			truthWriter_Add(writer, &joint, sizeof(joint));
		}
		truthWriter_Add(writer, w->weights, (size_t)influences * sizeof(float));
	}
	return !writer->failed;
}

bool truthSequence_WriteFrame(truthSequence* sequence, truthWriter* writer, int frame, char error[160])
{
	snugStatus status = Pose(sequence, frame);
	if (status != snug_success)
	{
		snprintf(error, 160, "frame %d: %s", frame, snugGetStatusText(status));
		return false;
	}
	for (int i = 0; i < TRUTH_BODIES; ++i)
	{
		const side* one = sequence->sides + i;
		truthWriter_Add(writer, one->place.position, 3 * sizeof(double));
		truthWriter_Add(writer, one->place.rotation, 4 * sizeof(double));
		truthWriter_Add(writer, one->matrices, 12 * (size_t)one->weights->transformCount * sizeof(float));
		truthWriter_Add(writer, one->positions, 3 * (size_t)one->mesh->vertexCount * sizeof(float));
	}
	return true;
}

// The same pairs by the library: the first `count` of them are compared.
static bool Agrees(truthSequence* s, const bruteResult* exact, char error[160], int frame)
{
	snugPair* pairs = malloc((size_t)exact->count * sizeof(snugPair) + 1);
	const snugQuery query = { .pairs = pairs, .capacity = exact->count };
	snugResult found = { .status = snug_outOfMemory };
	if (pairs != NULL)
	{
		found = snugCollide(s->sides[0].body, s->sides[1].body, &query);
	}
	bool agrees = found.status == snug_success && found.count == exact->count &&
	              (exact->count == 0 || memcmp(pairs, exact->pairs, (size_t)exact->count * sizeof(snugPair)) == 0);
	if (!agrees)
	{
		snprintf(error, 160, "frame %d: the library finds %llu pairs and exact arithmetic %llu, or other ones (%s)",
		    frame, (unsigned long long)found.count, (unsigned long long)exact->count, snugGetStatusText(found.status));
	}
	free(pairs);
	return agrees;
}

bool truthSequence_WriteAnswers(
    truthSequence* sequence, truthWriter* writer, int frame, uint64_t* pairs, char error[160])
{
	snugStatus status = Pose(sequence, frame);
	bruteMesh meshes[TRUTH_BODIES];
	for (int i = 0; i < TRUTH_BODIES; ++i)
	{
		const side* one = sequence->sides + i;
		meshes[i] = (bruteMesh){ one->positions, one->mesh->triangles, one->mesh->triangleCount };
	}
	if (status != snug_success)
	{
		snprintf(error, 160, "frame %d: %s", frame, snugGetStatusText(status));
		return false;
	}
	bruteResult exact = bruteCollideBy(&meshes[0], &meshes[1], exactIntersect);
	bool good = !exact.outOfMemory && Agrees(sequence, &exact, error, frame);
	if (good)
	{
		truthWriter_Add(writer, &exact.count, sizeof(exact.count));
		truthWriter_Add(writer, exact.pairs, (size_t)exact.count * sizeof(snugPair));
		*pairs += exact.count;
	}
	else if (exact.outOfMemory)
	{
		snprintf(error, 160, "out of memory");
	}
	bruteResult_Free(&exact);
	return good;
}
