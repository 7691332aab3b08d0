#include "papers/bdtree/heap_recording.h"

#include "papers/bdtree/world_touch.h"
#include "solvers/hoard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VIBRATING 256 // bodies of whose modes pages have room
#define GRAIN 16384.0      // parts of a metre that are told from each other: 0.06 mm

static const float bodyColors[][3] = { { 0.92f, 0.92f, 0.90f }, { 0.55f, 0.70f, 0.88f }, { 0.93f, 0.80f, 0.52f },
	{ 0.60f, 0.78f, 0.58f } };
static const float grey[3] = { 0.62f, 0.66f, 0.70f };

/// A mesh in the recording.
typedef struct surface
{
	uint32_t* coarseOf; ///< (fine triangles) the coarse one that is nearest
	uint32_t coarseCount, modeCount;
	double scales[SIM_MAX_MODES]; ///< of fields: weights are at most 1
	int number;
} surface;

struct heapRecorder
{
	heapScene scene;
	surface body, stage;
	recording* recording;
	simHoard hoard;      ///< all that follows
	uint8_t* marks;      ///< (bodies * coarse triangles), then those of the stage
	uint32_t* triangles; ///< (fine triangles) of a node
	float* matrices;     ///< (joints * 12)
};

// ---- Nearest points --------------------------------------------------------------------------------------------

typedef struct sortedPoint
{
	float at[3];
	uint32_t number;
} sortedPoint;

static int CompareAlong(const void* a, const void* b)
{
	const sortedPoint *p = a, *q = b;
	return p->at[0] != q->at[0] ? (p->at[0] < q->at[0] ? -1 : 1) : (p->number > q->number) - (p->number < q->number);
}

static double GetSquare(const float p[3], const float q[3])
{
	double x = (double)p[0] - (double)q[0], y = (double)p[1] - (double)q[1], z = (double)p[2] - (double)q[2];
	return x * x + y * y + z * z;
}

// Points are sorted along x, so that those too far along it need not be looked at.
static uint32_t FindNearest(const sortedPoint* points, uint32_t count, const float at[3])
{
	uint32_t low = 0, high = count, best = 0;
	double least = INFINITY;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		low = points[middle].at[0] < at[0] ? middle + 1 : low;
		high = points[middle].at[0] < at[0] ? high : middle;
	}
	for (int way = 0; way < 2; ++way)
	{
		for (uint32_t i = low; way == 0 ? i < count : i > 0; way == 0 ? ++i : --i)
		{
			const sortedPoint* p = points + (way == 0 ? i : i - 1);
			double along = (double)p->at[0] - (double)at[0], square = GetSquare(p->at, at);
			if (along * along > least)
			{
				break;
			}
			best = square < least ? p->number : best;
			least = fmin(least, square);
		}
	}
	return best;
}

// @return of each of `queries` the number of the nearest point; null if there is no memory
static uint32_t* FindAllNearest(const float* points, uint32_t count, const float* queries, uint32_t queryCount)
{
	sortedPoint* sorted = malloc((count + 1) * sizeof(sortedPoint));
	uint32_t* found = malloc(((size_t)queryCount + 1) * sizeof(uint32_t));
	if (sorted != NULL && found != NULL)
	{
		for (uint32_t i = 0; i < count; ++i)
		{
			const float* p = points + 3 * (size_t)i;
			sorted[i] = (sortedPoint){ { p[0], p[1], p[2] }, i };
		}
		qsort(sorted, count, sizeof(sortedPoint), CompareAlong);
		for (uint32_t i = 0; i < queryCount; ++i)
		{
			found[i] = FindNearest(sorted, count, queries + 3 * (size_t)i);
		}
	}
	else
	{
		free(found);
		found = NULL;
	}
	free(sorted);
	return found;
}

static float* FindCentres(const sceneMesh* mesh)
{
	float* centres = malloc((3 * (size_t)mesh->triangleCount + 1) * sizeof(float));
	for (size_t i = 0; centres != NULL && i < 3 * (size_t)mesh->triangleCount; ++i)
	{
		const uint32_t* corners = mesh->triangles + i / 3 * 3;
		float sum = 0.0f;
		for (int c = 0; c < 3; ++c)
		{
			sum += mesh->positions[3 * (size_t)corners[c] + i % 3] / 3.0f;
		}
		centres[i] = sum;
	}
	return centres;
}

static uint32_t* FindCoarse(const heapMesh* mesh)
{
	float *fine = FindCentres(mesh->fine), *coarse = FindCentres(&mesh->coarse);
	uint32_t* found = fine != NULL && coarse != NULL
	                      ? FindAllNearest(coarse, mesh->coarse.triangleCount, fine, mesh->fine->triangleCount)
	                      : NULL;
	free(fine);
	free(coarse);
	return found;
}

// ---- Surfaces --------------------------------------------------------------------------------------------------

/// A mesh that moves by fields, as one with joints: the first carries it, and for each field there are three, whose
/// matrices have no more than a translation, along an axis each, and whose weights are the field.
typedef struct jointed
{
	simHoard hoard;
	float *positions, *weights;
	uint32_t* starts;
	uint16_t* joints;
} jointed;

static bool Jointed_Allocate(jointed* j, size_t vertices, size_t joints)
{
	j->positions = simHoard_Take(&j->hoard, vertices, 3 * sizeof(float));
	j->weights = simHoard_Take(&j->hoard, vertices * joints, sizeof(float));
	j->starts = simHoard_Take(&j->hoard, vertices + 1, sizeof(uint32_t));
	j->joints = simHoard_Take(&j->hoard, vertices * joints, sizeof(uint16_t));
	return !j->hoard.isShort;
}

static void FindScales(const heapMesh* mesh, uint32_t modeCount, double scales[SIM_MAX_MODES])
{
	size_t size = 3 * (size_t)mesh->fine->vertexCount;
	for (uint32_t m = 0; m < modeCount; ++m)
	{
		scales[m] = 1e-30;
		for (size_t i = 0; i < size; ++i)
		{
			scales[m] = fmax(scales[m], fabs((double)mesh->fields[size * m + i]));
		}
	}
}

// Coarse vertices move as the fine ones that are nearest.
static void Jointed_Fill(jointed* j, const heapMesh* mesh, const surface* s, const uint32_t* nearest)
{
	size_t size = 3 * (size_t)mesh->fine->vertexCount, at = 0, joints = 1 + 3 * (size_t)s->modeCount;
	for (size_t v = 0; v < mesh->coarse.vertexCount; ++v)
	{
		j->starts[v] = (uint32_t)at;
		for (size_t k = 0; k < 3; ++k)
		{
			size_t near = 3 * (size_t)nearest[v] + k;
			j->positions[3 * v + k] =
			    mesh->rest[near] + (mesh->coarse.positions[3 * v + k] - mesh->fine->positions[near]);
		}
		for (size_t joint = 0; joint < joints; ++joint, ++at)
		{
			size_t field = joint > 0 ? size * ((joint - 1) / 3) + 3 * (size_t)nearest[v] + (joint - 1) % 3 : 0;
			j->joints[at] = (uint16_t)joint;
			j->weights[at] = joint > 0 ? (float)((double)mesh->fields[field] / s->scales[(joint - 1) / 3]) : 1.0f;
		}
	}
	j->starts[mesh->coarse.vertexCount] = (uint32_t)at;
}

static bool Surface_Create(surface* s, recording* r, const heapMesh* mesh, uint32_t modeCount)
{
	jointed j = { .positions = NULL };
	*s = (surface){ .coarseCount = mesh->coarse.triangleCount, .modeCount = modeCount, .number = -1 };
	uint32_t* nearest = sceneMesh_IsValid(&mesh->coarse)
	                        ? FindAllNearest(mesh->fine->positions, mesh->fine->vertexCount, mesh->coarse.positions,
	                              mesh->coarse.vertexCount)
	                        : NULL;
	bool good = nearest != NULL && Jointed_Allocate(&j, mesh->coarse.vertexCount, 1 + 3 * (size_t)modeCount);
	if (good)
	{
		FindScales(mesh, modeCount, s->scales);
		Jointed_Fill(&j, mesh, s, nearest);
		const recordedMesh made = { j.positions, mesh->coarse.vertexCount, mesh->coarse.triangles,
			mesh->coarse.triangleCount, 1 + 3 * modeCount, .starts = j.starts, .joints = j.joints,
			.weights = j.weights };
		s->number = recording_AddMesh(r, &made);
		s->coarseOf = FindCoarse(mesh);
		good = s->coarseOf != NULL;
	}
	simHoard_Free(&j.hoard);
	free(nearest);
	return good;
}

// ---- Recording -------------------------------------------------------------------------------------------------

static bool HasStage(const heapScene* scene)
{
	return scene->stage.fine != NULL;
}

static bool Build(heapRecorder* r)
{
	const heapScene* scene = &r->scene;
	uint32_t bodies = scene->world->def.bodies, most = scene->body.fine->triangleCount;
	r->recording = recording_Create();
	bool vibrates = bodies <= MOST_VIBRATING && !scene->world->def.isRigid;
	bool good = r->recording != NULL &&
	            Surface_Create(&r->body, r->recording, &scene->body, vibrates ? scene->body.modeCount : 0) &&
	            (!HasStage(scene) || Surface_Create(&r->stage, r->recording, &scene->stage, scene->stage.modeCount));
	size_t marks = (size_t)bodies * r->body.coarseCount + r->stage.coarseCount;
	r->marks = simHoard_Take(&r->hoard, marks, 1);
	r->triangles = simHoard_Take(&r->hoard, most, sizeof(uint32_t));
	r->matrices = simHoard_Take(&r->hoard, 1 + 3 * SIM_MAX_MODES, 12 * sizeof(float));
	for (uint32_t i = 0; i < bodies && good; ++i)
	{
		recording_AddBody(r->recording, r->body.number, bodyColors[i % (sizeof(bodyColors) / sizeof(bodyColors[0]))]);
	}
	if (good && HasStage(scene))
	{
		recording_AddBody(r->recording, r->stage.number, grey);
	}
	return good && !r->hoard.isShort;
}

heapRecorder* heapRecorder_Create(const heapScene* scene)
{
	heapRecorder* r = calloc(1, sizeof(heapRecorder));
	if (r != NULL)
	{
		r->scene = *scene;
		if (!Build(r))
		{
			heapRecorder_Destroy(r);
			r = NULL;
		}
	}
	return r;
}

void heapRecorder_Destroy(heapRecorder* r)
{
	if (r != NULL)
	{
		recording_Destroy(r->recording);
		sceneMesh_Free(&r->scene.body.coarse);
		sceneMesh_Free(&r->scene.stage.coarse);
		free(r->body.coarseOf);
		free(r->stage.coarseOf);
		simHoard_Free(&r->hoard);
		free(r);
	}
}

static float Round(double x)
{
	return (float)(floor(x * GRAIN + 0.5) / GRAIN);
}

// Matrices of a surface that is turned, carried and bent.
static void Place(const heapRecorder* r, const surface* s, int body, const double rotation[3][3], const double at[3],
    const double* amplitudes)
{
	memset(r->matrices, 0, (1 + 3 * (size_t)s->modeCount) * 12 * sizeof(float));
	for (int k = 0; k < 3; ++k)
	{
		for (int i = 0; i < 3; ++i)
		{
			r->matrices[4 * k + i] = Round(rotation[k][i]);
		}
		r->matrices[4 * k + 3] = Round(at[k]);
		for (uint32_t i = 0; i < 3 * s->modeCount; ++i)
		{
			double far = amplitudes[i / 3] * s->scales[i / 3];
			r->matrices[12 * (1 + (size_t)i) + 4 * (size_t)k + 3] = Round(far * rotation[k][i % 3]);
		}
	}
	recording_SetMotion(r->recording, body, r->matrices);
}

static void PlaceAll(const heapRecorder* r)
{
	const simWorld* world = r->scene.world;
	for (uint32_t i = 0; i < world->count; ++i)
	{
		const simBody* b = world->bodies + i;
		double rotation[3][3];
		simRotation(b->rotation, rotation);
		Place(r, &r->body, (int)i, (const double(*)[3])rotation, b->position, b->q);
	}
	if (HasStage(&r->scene))
	{
		static const double still[3][3] = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } }, zero[3];
		double amplitudes[SIM_MAX_MODES];
		for (uint32_t m = 0; m < r->stage.modeCount; ++m)
		{
			amplitudes[m] = (double)r->scene.amplitudes[m];
		}
		Place(r, &r->stage, (int)world->def.bodies, still, zero, amplitudes);
	}
}

// The triangles in a contact sphere.
static void MarkNode(const heapRecorder* r, uint32_t body, uint32_t node)
{
	const contactTree* tree = r->scene.world->bodies[body].shape->tree;
	uint32_t count = contactTree_GetTriangles(tree, node, r->triangles, r->scene.body.fine->triangleCount);
	for (uint32_t i = 0; i < count; ++i)
	{
		r->marks[(size_t)body * r->body.coarseCount + r->body.coarseOf[r->triangles[i]]] = 1;
	}
}

static void MarkAll(const heapRecorder* r)
{
	const simWorld* world = r->scene.world;
	size_t stage = (size_t)world->def.bodies * r->body.coarseCount;
	uint64_t pairCount, count;
	const contactPair* pairs = contactScene_GetPairs(world->spheres, &pairCount);
	const sphereContact* contacts = contactScene_GetContacts(world->spheres, &count);
	memset(r->marks, 0, stage + r->stage.coarseCount);
	for (uint64_t p = 0; p < pairCount; ++p)
	{
		for (uint64_t i = pairs[p].first; i < pairs[p].first + pairs[p].count; ++i)
		{
			MarkNode(r, pairs[p].a, contacts[i].a.treeNode);
			MarkNode(r, pairs[p].b, contacts[i].b.treeNode);
		}
	}
	for (uint64_t i = 0; i < world->touchCount; ++i)
	{
		const simTouch* touch = world->touches + i;
		MarkNode(r, touch->a, touch->contact.a.treeNode);
		if (touch->b == SIM_STAGE)
		{
			r->marks[stage + r->stage.coarseOf[touch->contact.b.treeNode]] = 1;
		}
	}
}

bool heapRecorder_AddFrame(heapRecorder* r, int number, double time, uint64_t contacts)
{
	uint32_t bodies = r->scene.world->def.bodies;
	recording_AddFrame(r->recording, (uint64_t)number, time, contacts);
	PlaceAll(r);
	MarkAll(r);
	for (uint32_t i = 0; i < bodies + HasStage(&r->scene); ++i)
	{
		recording_SetMarks(r->recording, (int)i, r->marks + (size_t)i * r->body.coarseCount);
	}
	return true;
}

bool heapRecorder_Print(const heapRecorder* r, const recordingDef* def, FILE* stream)
{
	return recording_Print(r->recording, def, stream);
}

// ---- Spheres of a level ----------------------------------------------------------------------------------------

#define MOST_GROWN 1.44 // the paper's darkest red: three times the volume
#define MOST_SPHERES 4096u
#define APART 1.25f // from the middle of one group of spheres to the next, which are 1 wide

/// Spheres of a body, and of each its shade: from 0, blue, to 1, red.
typedef struct group
{
	contactSphere* list;
	bool* isSeen;
	uint32_t count;
	bool bySeen;
	const contactTree* tree;
} group;

// Asking once only: whoever asks makes spheres, and then all of them look as if a query had looked at them.
static bool Group_Get(group* g, contactSpheres* spheres, const contactTree* tree, uint32_t level, bool bySeen)
{
	*g = (group){ malloc(MOST_SPHERES * sizeof(contactSphere)), malloc(MOST_SPHERES * sizeof(bool)), 0, bySeen, tree };
	bool good =
	    g->list != NULL && g->isSeen != NULL &&
	    contactSpheres_GetLevel(spheres, NULL, level, g->list, g->isSeen, MOST_SPHERES, &g->count) == snug_success;
	g->count = g->count < MOST_SPHERES ? g->count : MOST_SPHERES;
	return good;
}

static float GetShade(const group* g, uint32_t i)
{
	contactNode node = { .radius = 0.0f };
	contactTree_GetNode(g->tree, g->list[i].treeNode, &node, NULL);
	float grown = g->list[i].radius / fmaxf(node.radius, 1e-30f);
	float shade = g->bySeen ? (g->isSeen[i] ? 1.0f : 0.0f) : (grown - 1.0f) / ((float)MOST_GROWN - 1.0f);
	return fminf(fmaxf(shade, 0.0f), 1.0f);
}

static void AddGroup(recording* r, const group* g, int mesh)
{
	for (uint32_t i = 0; i < g->count; ++i)
	{
		float t = GetShade(g, i);
		const float color[3] = { 0.23f + 0.55f * t, 0.39f - 0.16f * t + 0.35f * t * (1.0f - t), 0.78f - 0.65f * t };
		recording_AddBody(r, mesh, color);
	}
}

// As wide as 1, in the column of its number.
static void PlaceGroup(recording* r, const group* g, int first, float column)
{
	float lower[3] = { INFINITY, INFINITY, INFINITY }, upper[3] = { -INFINITY, -INFINITY, -INFINITY }, size = 1e-30f;
	for (uint32_t i = 0; i < 3 * g->count; ++i)
	{
		const contactSphere* s = g->list + i / 3;
		lower[i % 3] = fminf(lower[i % 3], s->center[i % 3] - s->radius);
		upper[i % 3] = fmaxf(upper[i % 3], s->center[i % 3] + s->radius);
	}
	for (int k = 0; k < 3; ++k)
	{
		size = fmaxf(size, upper[k] - lower[k]);
	}
	for (uint32_t i = 0; i < g->count; ++i)
	{
		const contactSphere* s = g->list + i;
		float matrix[12] = { 0.0f };
		for (int k = 0; k < 3; ++k)
		{
			matrix[5 * k] = s->radius / size;
			matrix[4 * k + 3] = (s->center[k] - 0.5f * (lower[k] + upper[k])) / size + (k == 0 ? APART * column : 0.0f);
		}
		recording_SetMotion(r, first + (int)i, matrix);
	}
}

// What was seen is known as long as the level is that of the last step: so that comes first.
static bool GetGroups(const simWorld* world, uint32_t level, group groups[3])
{
	uint32_t most = 0;
	for (uint32_t i = 0; i < world->count; ++i)
	{
		most = world->bodies[i].pairCount > world->bodies[most].pairCount ? i : most;
	}
	const simBody* body = world->bodies + most;
	const simStage* stage = world->def.stage;
	return Group_Get(&groups[0], body->spheres, body->shape->tree, world->def.level, true) &&
	       Group_Get(&groups[1], body->spheres, body->shape->tree, level, false) &&
	       (stage == NULL || Group_Get(&groups[2], stage->spheres, stage->tree, level, false));
}

static bool PrintGroups(const group groups[3], int count, recording* r, FILE* stream)
{
	sceneMesh unit = sceneMakeSphere(3);
	const recordedMesh mesh = { unit.positions, unit.vertexCount, unit.triangles, unit.triangleCount, .jointCount = 1 };
	int number = sceneMesh_IsValid(&unit) ? recording_AddMesh(r, &mesh) : -1, first = 0;
	for (int i = 0; i < count; ++i)
	{
		AddGroup(r, &groups[i], number);
	}
	recording_AddFrame(r, 0, 0.0, 0);
	for (int i = 0; i < count; ++i)
	{
		PlaceGroup(r, &groups[i], first, (float)i - 0.5f * (float)(count - 1));
		first += (int)groups[i].count;
	}
	const recordedView view = { { 0.3f * (float)count, 0.4f * (float)count, 1.02f * (float)count },
		{ 0.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f }, 42.0f, 16.0f / 10.0f, -0.6f, 1.2f * (float)count };
	const recordingDef def = { .id = "spheres", .what = "Spheres of bodies in contact", .view = &view, .unit = "" };
	sceneMesh_Free(&unit);
	return number >= 0 && recording_Print(r, &def, stream);
}

bool heapPrintSpheres(const simWorld* world, uint32_t level, FILE* stream)
{
	group groups[3] = { { .count = 0 } };
	recording* r = recording_Create();
	bool good = world->count == 0 || (r != NULL && GetGroups(world, level, groups) &&
	                                     PrintGroups(groups, world->def.stage != NULL ? 3 : 2, r, stream));
	for (int i = 0; i < 3; ++i)
	{
		free(groups[i].list);
		free(groups[i].isSeen);
	}
	recording_Destroy(r);
	return good;
}
