// Men and creatures that meet, by spherical blending, and the balls of their trees that a query refits: Figs. 6 and 7
// of the spherical blending paper.
#include "lab/scenes/character.h"
#include "papers/common/scene_parts.h"
#include "papers/spherical/sphere_tree.h"

#include <stdlib.h>

#define WALKERS 4 // two men, two creatures
#define CLIP 45   // frames of a meeting
#define LEAD 25   // frames before it, so that they come from apart
#define LEVELS 2
#define COLUMN 4.4 // metres, from surfaces to balls of a level, and to those of the next
#define ROW 3.2    // metres that men are before creatures
#define CAPACITY 65536

static const uint32_t levels[LEVELS] = { 5, 6 };

typedef struct walker
{
	sceneCharacter* character; ///< that two share
	snugModel* model;
	snugBody* body;
	float* positions;
	snugFrame place;
	sphereTree* tree;
	sphereBody* spheres;
	int balls; ///< the first one's number in the recording
} walker;

typedef struct company
{
	sceneCharacter characters[2];
	walker walkers[WALKERS];
	snugPair* pairs;
} company;

static void Release(void* scene)
{
	company* c = scene;
	for (int i = 0; i < WALKERS; ++i)
	{
		walker* w = c->walkers + i;
		sphereBody_Destroy(w->spheres);
		sphereTree_Destroy(w->tree);
		snugBody_Destroy(w->body);
		snugModel_Destroy(w->model);
		free(w->positions);
	}
	for (int i = 0; i < 2; ++i)
	{
		sceneCharacter_Free(&c->characters[i]);
	}
	free(c->pairs);
	free(c);
}

static bool CreateWalker(walker* w, sceneCharacter* character, simError* error)
{
	const snugModelDef def = sceneCharacter_MakeDef(character, snug_blendSpherical);
	w->character = character;
	w->positions = malloc((3 * (size_t)character->mesh.vertexCount + 1) * sizeof(float));
	snugStatus status = snugModel_Create(&def, &w->model);
	status = status == snug_success ? snugBody_Create(&(snugBodyDef){ .model = w->model }, &w->body) : status;
	w->tree = status == snug_success ? sphereTree_Create(w->model, 0.0) : NULL;
	w->spheres = w->tree != NULL ? sphereBody_Create(w->tree, w->body) : NULL;
	return (w->spheres != NULL && w->positions != NULL) || simError_SetMemory(error);
}

static bool Create(show* s, const showDef* def, simError* error)
{
	if (def->vertexCount > 0 || def->nodeCount > 0)
	{
		return simError_Set(error, "characters are as they are: leave out --vertices and --nodes");
	}
	company* c = calloc(1, sizeof(company));
	s->scene = c;
	bool good = c != NULL && sceneCharacter_Create(&c->characters[0], scene_man) &&
	            sceneCharacter_Create(&c->characters[1], scene_creature);
	good = good && (c->pairs = malloc(CAPACITY * sizeof(snugPair))) != NULL;
	good = good || simError_SetMemory(error);
	for (int i = 0; i < WALKERS && good; ++i)
	{
		walker* w = c->walkers + i;
		good = CreateWalker(w, &c->characters[i / 2], error);
		s->bodies[i] = (showBody){ &w->character->mesh, w->positions, w->body, .place = &w->place };
	}
	s->bodyCount = good ? WALKERS : 0;
	snprintf(s->contents, sizeof(s->contents), "two men of %u triangles and %u joints, two creatures of %u and %u",
	    c->characters[0].mesh.triangleCount, c->characters[0].weights.transformCount,
	    c->characters[1].mesh.triangleCount, c->characters[1].weights.transformCount);
	return good;
}

static bool Pose(show* s, showFrame* f, simError* error)
{
	company* c = s->scene;
	snugStatus status = snug_success;
	for (int i = 0; i < WALKERS && status == snug_success; ++i)
	{
		walker* w = c->walkers + i;
		float matrices[12 * SCENE_MAX_JOINTS];
		sceneCharacter_Meet(w->character, i % 2, s->frameCount - LEAD, CLIP, matrices, &w->place);
		w->place.position[0] += i < 2 ? ROW : 0.0;
		w->place.position[2] += COLUMN;
		status = snugBody_SetJoints(w->body, matrices, 0, w->character->weights.transformCount);
		status = status == snug_success ? snugBody_SetFrame(w->body, &w->place) : status;
		status = status == snug_success ? snugBody_GetVertices(w->body, NULL, w->positions, 0) : status;
		status = status == snug_success ? sphereBody_Update(w->spheres) : status;
	}
	f->time = (double)s->frameCount / SHOW_FPS;
	return status == snug_success || simError_Set(error, "cannot pose a body: %s", snugGetStatusText(status));
}

// ---- Balls -----------------------------------------------------------------------------------------------------

// In which column a node's ball is shown; zero: it is not.
static int FindColumn(const sphereTree* tree, uint32_t node)
{
	uint32_t level = sphereTree_GetLevel(tree, node);
	return level == levels[0] ? 1 : level == levels[1] ? 2 : 0;
}

static void AddBalls(show* s)
{
	company* c = s->scene;
	sceneMesh unit = sceneMakeSphere(3);
	const recordedMesh mesh = { unit.positions, unit.vertexCount, unit.triangles, unit.triangleCount, .jointCount = 1 };
	int number = sceneMesh_IsValid(&unit) ? recording_AddMesh(s->recording, &mesh) : -1;
	for (int i = 0; i < WALKERS; ++i)
	{
		walker* w = c->walkers + i;
		w->balls = -1;
		for (uint32_t node = 0; node < sphereTree_GetNodeCount(w->tree); ++node)
		{
			int added =
			    FindColumn(w->tree, node) > 0 ? recording_AddBody(s->recording, number, recordingGetColor(i)) : -1;
			w->balls = w->balls < 0 ? added : w->balls;
		}
	}
	sceneMesh_Free(&unit);
}

// Those that the query has refitted; others are not there.
static void PlaceBalls(show* s, const walker* w, double* refitted)
{
	int number = w->balls;
	float side = show_GetSide(&w->place);
	for (uint32_t node = 0; node < sphereTree_GetNodeCount(w->tree); ++node)
	{
		int column = FindColumn(w->tree, node);
		bool isFresh = sphereBody_IsFresh(w->spheres, node);
		*refitted += isFresh;
		if (column > 0 && isFresh)
		{
			const sphereBall ball = sphereBody_Refit(w->spheres, node);
			const float radius = (float)ball.radius;
			const float at[3] = { (float)w->place.position[0] + side * (float)ball.center[0],
				(float)w->place.position[1] + (float)ball.center[1],
				(float)(w->place.position[2] - column * COLUMN) + side * (float)ball.center[2] };
			const float matrix[12] = { radius, 0, 0, at[0], 0, radius, 0, at[1], 0, 0, radius, at[2] };
			recording_SetMotion(s->recording, number, matrix);
		}
		number += column > 0;
	}
}

// Ask by balls too: they must find as many pairs.
static bool Choose(show* s, showFrame* f, simError* error)
{
	company* c = s->scene;
	uint64_t pairs = 0;
	for (int i = 0; i < WALKERS; i += 2)
	{
		pairs += sphereCollide(c->walkers[i].spheres, c->walkers[i + 1].spheres, false, c->pairs, CAPACITY);
	}
	for (int i = 0; i < WALKERS; ++i)
	{
		PlaceBalls(s, c->walkers + i, &f->measure);
	}
	if (pairs != f->pairs)
	{
		return simError_Set(
		    error, "balls find %llu pairs, boxes %llu", (unsigned long long)pairs, (unsigned long long)f->pairs);
	}
	return show_ChooseVisited(s, f, error);
}

const showKind showCharacters = {
	.name = "characters",
	.title = "men and creatures that meet",
	.how = "Skins by spherical blending, and the balls of their trees.",
	.what = "Two men brush past one another, and two creatures walk through each other." SHOW_RED,
	.boxed = SHOW_VISITED
	" Beside them the balls of levels 5 and 6 of their trees, the root's being 0, that the paper's query refits in the "
	"frame, by its Algorithm 1, corrected; others are not computed, and not shown.",
	.after = "After Kavan, O'Sullivan, Žára 2006.",
	.measure = { "refitted", "balls", "Balls refitted", "of all levels" },
	.frames = 72,
	.create = Create,
	.addExtras = AddBalls,
	.pose = Pose,
	.choose = Choose,
	.release = Release,
	.eye = { 12.6f, 7.6f, 2.2f },
	.target = { 1.4f, 0.3f, 0.2f },
	.vertical = { 0.0f, 1.0f, 0.0f },
	.ground = 0.0f,
};
