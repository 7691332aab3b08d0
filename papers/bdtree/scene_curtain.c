// The curtain and its ball: simulated first, compressed to a mean and displacement fields, then shown frame by frame.
#include "papers/common/scene_parts.h"

#include "lab/bench/actor.h"
#include "papers/bdtree/curtain.h"
#include "solvers/reduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 12
#define LEAST_FRAMES 2 // of which there are components

typedef struct curtainScene
{
	simCloth* cloth;
	float* frames;    ///< (recorded * SIM_CURTAIN_VERTICES * 3)
	snugFrame* balls; ///< (recorded)
	double* times;    ///< (recorded)
	sceneMesh meshes[2];
	simReduced reduced;
	snugModel* models[2];
	snugBody* bodies[2];
	float* positions[2];
} curtainScene;

static void Release(void* scene)
{
	curtainScene* c = scene;
	for (int i = 0; i < 2; ++i)
	{
		snugBody_Destroy(c->bodies[i]);
		snugModel_Destroy(c->models[i]);
		sceneMesh_Free(&c->meshes[i]);
		free(c->positions[i]);
	}
	simReduced_Free(&c->reduced);
	simCloth_Destroy(c->cloth);
	free(c->frames);
	free(c->balls);
	free(c->times);
	free(c);
}

static bool Allocate(curtainScene* c, size_t frames, simError* error)
{
	const snugFrame identity = { 0 };
	c->cloth = simCloth_Create(error);
	c->frames = malloc(frames * SIM_CURTAIN_VERTICES * 3 * sizeof(float));
	c->balls = malloc(frames * sizeof(snugFrame));
	c->times = malloc(frames * sizeof(double));
	c->meshes[0] = sceneMesh_Allocate(SIM_CURTAIN_VERTICES, SIM_CURTAIN_TRIANGLES);
	c->meshes[1] = sceneMakeSphere(8);
	bool good = c->cloth != NULL && c->frames != NULL && c->balls != NULL && c->times != NULL;
	for (int i = 0; i < 2 && good; ++i)
	{
		c->positions[i] = calloc(3 * (size_t)c->meshes[i].vertexCount + 1, sizeof(float));
		good = sceneMesh_IsValid(&c->meshes[i]) && c->positions[i] != NULL;
	}
	if (!good)
	{
		return simError_SetMemory(error);
	}
	sceneMesh_Transform(&c->meshes[1], &identity, SIM_CURTAIN_BALL_RADIUS);
	memcpy(c->meshes[0].triangles, simCloth_GetTriangles(c->cloth), 3 * SIM_CURTAIN_TRIANGLES * sizeof(uint32_t));
	return true;
}

static bool Create(show* s, const showDef* def, simError* error)
{
	if (def->vertexCount > 0 || def->nodeCount > 0)
	{
		return simError_Set(error, "the curtain has vertices as the paper's has, and no nodes: leave out %s",
		    def->vertexCount > 0 ? "--vertices" : "--nodes");
	}
	if (s->frameCapacity < LEAST_FRAMES || s->frameCapacity > SIM_MAX_FRAMES)
	{
		return simError_Set(error, "--frames must be from %d to %d", LEAST_FRAMES, SIM_MAX_FRAMES);
	}
	curtainScene* c = calloc(1, sizeof(curtainScene));
	s->scene = c;
	if (c == NULL || !Allocate(c, (size_t)s->frameCapacity, error))
	{
		return simError_SetMemory(error);
	}
	s->bodyCount = 2;
	for (int i = 0; i < 2; ++i)
	{
		s->bodies[i] = (showBody){ &c->meshes[i], c->positions[i], NULL, NULL, NULL, NULL };
	}
	snprintf(s->contents, sizeof(s->contents), "a curtain of %u vertices, %u triangles, %d fields, and a ball",
	    c->meshes[0].vertexCount, c->meshes[0].triangleCount, FIELDS);
	return true;
}

// ---- Recording -------------------------------------------------------------------------------------------------

static bool MakeBodies(show* s, curtainScene* c, simError* error)
{
	const simReduced* r = &c->reduced;
	memcpy(c->meshes[0].positions, r->rest, 3 * SIM_CURTAIN_VERTICES * sizeof(float));
	const benchActor actors[2] = {
		benchActor_Fielded(&c->meshes[0], r->fields, r->fieldCount, r->amplitudes, s->frameCapacity),
		benchActor_Rigid(&c->meshes[1], s->frameCapacity),
	};
	snugStatus status = snug_success;
	for (int i = 0; i < 2 && status == snug_success; ++i)
	{
		status = benchActor_MakeModel(&actors[i], &c->models[i]);
		status =
		    status == snug_success ? snugBody_Create(&(snugBodyDef){ .model = c->models[i] }, &c->bodies[i]) : status;
		s->bodies[i].posed = c->bodies[i];
	}
	return status == snug_success || simError_Set(error, "cannot make a body: %s", snugGetStatusText(status));
}

static bool Record(show* s, showGoOnFcn* goOn, simError* error)
{
	curtainScene* c = s->scene;
	int count = 0;
	while (!simCloth_IsSettled(c->cloth))
	{
		simCloth_Advance(c->cloth);
	}
	for (; count < s->frameCapacity && (count < LEAST_FRAMES || goOn(count, s->frameCapacity)); ++count)
	{
		simCloth_GetFrame(c->cloth, c->frames + (size_t)count * SIM_CURTAIN_VERTICES * 3, c->balls + count);
		c->times[count] = simCloth_GetTime(c->cloth);
		simCloth_Advance(c->cloth);
	}
	s->frameCapacity = count;
	const simReduceDef def = {
		.frames = c->frames,
		.frameCount = (uint32_t)count,
		.vertexCount = SIM_CURTAIN_VERTICES,
		.fieldCount = FIELDS,
	};
	return simReduced_Compute(&c->reduced, &def, error) && MakeBodies(s, c, error);
}

// ---- Showing ---------------------------------------------------------------------------------------------------

// The longest distance between where a vertex was simulated and where the fields put it, in millimetres.
static double GetError(const curtainScene* c, size_t frame)
{
	const float *simulated = c->frames + frame * SIM_CURTAIN_VERTICES * 3, *posed = c->positions[0];
	double most = 0.0;
	for (size_t v = 0; v < SIM_CURTAIN_VERTICES; ++v)
	{
		double square = 0.0;
		for (size_t k = 3 * v; k < 3 * v + 3; ++k)
		{
			square += ((double)posed[k] - (double)simulated[k]) * ((double)posed[k] - (double)simulated[k]);
		}
		most = fmax(most, square);
	}
	return 1e3 * sqrt(most);
}

static bool Pose(show* s, showFrame* f, simError* error)
{
	curtainScene* c = s->scene;
	size_t frame = (size_t)s->frameCount;
	const float* amplitudes = c->reduced.amplitudes + frame * c->reduced.fieldCount;
	snugStatus status = snugBody_SetAmplitudes(c->bodies[0], amplitudes, c->reduced.fieldCount);
	status = status == snug_success ? snugBody_SetFrame(c->bodies[1], c->balls + frame) : status;
	for (int i = 0; i < 2 && status == snug_success; ++i)
	{
		status = snugBody_GetVertices(c->bodies[i], NULL, c->positions[i], 0);
	}
	f->time = c->times[frame];
	f->measure = GetError(c, frame);
	return status == snug_success || simError_Set(error, "cannot pose a body: %s", snugGetStatusText(status));
}

static void Write(const show* s, FILE* stream)
{
	simCloth_WriteState(((const curtainScene*)s->scene)->cloth, stream);
}

static bool Read(show* s, FILE* stream, simError* error)
{
	return simCloth_ReadState(((curtainScene*)s->scene)->cloth, stream, error);
}

const showKind showCurtain = {
	.name = "curtain",
	.title = "a curtain and a ball",
	.how = "Cloth in the wind, simulated, and compressed to a mean and 12 displacement fields.",
	.what = "A ball is thrown at a curtain that moves in the wind." SHOW_RED,
	.boxed = SHOW_VISITED " The ball is rigid, and has the boxes of its model.",
	.after = "After James, Pai 2004.",
	.measure = { "error", "mm", "What compression loses", "how far compression puts a vertex off, at most" },
	.frames = 110, // the paper's
	.create = Create,
	.record = Record,
	.pose = Pose,
	.choose = show_ChooseVisited,
	.release = Release,
	.write = Write,
	.read = Read,
	.eye = { 2.2f, 1.7f, 3.2f },
	.target = { 0.0f, 1.15f, 0.1f },
	.vertical = { 0.0f, 1.0f, 0.0f },
	.ground = 0.0f,
};
