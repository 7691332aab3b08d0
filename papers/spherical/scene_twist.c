#include "papers/spherical/scene_twist.h"

#include "lab/scenes/meshless.h"
#include "papers/spherical/sphere_tree.h"
#include "program/check/brute.h"
#include "program/pictures/html.h"
#include "program/pictures/recording.h"
#include "solvers/hoard.h"
#include "solvers/sine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SKINS 3
#define LEVELS 2
#define POSES 18 // from none to 170 degrees
#define RADIUS 0.16
#define STEP (10.0 / 180.0 * SCENE_PI)
#define AWAY (1.5 * RADIUS) // the ball, at first
#define CAPACITY 16384
#define ROW 0.66    // from skin to skin
#define COLUMN 1.35 // from the surface to balls of a level

static const snugBlending blendings[SKINS] = { snug_blendLinear, snug_blendSpherical, snug_blendDualQuaternion };
static const char* const names[SKINS] = { "linear", "spherical", "dual quaternion" };
static const uint32_t levels[LEVELS] = { 4, 6 };

/// The limb, skinned in one of the ways.
typedef struct twistSkin
{
	snugModel* model;
	snugBody* body;
	sphereTree* tree;
	sphereBody* spheres;
	int shown;         ///< its number in the recording; the ball comes next, then the balls of its tree
	uint64_t contacts; ///< pairs of triangles of limb and ball
	bool differs;      ///< brute force finds others, in some pose
	double thinnest;   ///< over the radius at rest
	double largest;    ///< ball of level 6
} twistSkin;

struct twist
{
	sceneTube tube;
	simHoard hoard;
	float* positions;
	sceneMesh ball;       ///< beside the middle, from a third of the limb's radius as it is at rest
	float* ballPositions; ///< on its way there
	snugModel* ballModel;
	snugBody* ballBody;
	uint8_t* marks[2]; ///< per triangle of the limb, and of the ball
	snugPair* pairs;
	twistSkin skins[SKINS];
	recording* recording;
};

// How far the middle half of the tube is from its axis, at least.
static double FindThinnest(const twist* t)
{
	double least = INFINITY;
	for (size_t i = 0; i < t->tube.mesh.vertexCount; ++i)
	{
		const float* p = t->positions + 3 * i;
		double z = (double)p[2], far = sqrt((double)p[0] * (double)p[0] + (double)p[1] * (double)p[1]);
		least = z > 0.25 && z < 0.75 && far < least ? far : least;
	}
	return least / RADIUS;
}

// The limb against the ball, by our query and by brute force.
static bool AskBall(twist* t, int skin, simError* error)
{
	snugResult found =
	    snugCollide(t->skins[skin].body, t->ballBody, &(snugQuery){ .pairs = t->pairs, .capacity = CAPACITY });
	if (found.status != snug_success || found.count > CAPACITY)
	{
		return simError_Set(error, "%s: cannot find contacts", names[skin]);
	}
	const bruteMesh first = { t->positions, t->tube.mesh.triangles, t->tube.mesh.triangleCount };
	const bruteMesh second = { t->ballPositions, t->ball.triangles, t->ball.triangleCount };
	bruteResult expected = bruteCollide(&first, &second);
	size_t bytes = (size_t)found.count * sizeof(snugPair);
	t->skins[skin].differs = t->skins[skin].differs || expected.outOfMemory || expected.count != found.count ||
	                         (bytes > 0 && memcmp(expected.pairs, t->pairs, bytes) != 0);
	t->skins[skin].contacts = found.count;
	bruteResult_Free(&expected);
	memset(t->marks[0], 0, t->tube.mesh.triangleCount);
	memset(t->marks[1], 0, t->ball.triangleCount);
	for (uint64_t i = 0; i < found.count; ++i)
	{
		t->marks[0][t->pairs[i].a] = 1;
		t->marks[1][t->pairs[i].b] = 1;
	}
	return true;
}

// ---- What is seen ----------------------------------------------------------------------------------------------

// Whether a node's ball is shown, and in which column.
static int FindColumn(const sphereTree* tree, uint32_t node)
{
	uint32_t level = sphereTree_GetLevel(tree, node);
	return level == levels[0] ? 1 : level == levels[1] ? 2 : 0;
}

static void AddBodies(twist* t)
{
	static const float amber[3] = { 0.95f, 0.80f, 0.50f };
	sceneMesh unit = sceneMakeSphere(3);
	const sceneMesh *limb = &t->tube.mesh, *ball = &t->ball;
	const recordedMesh meshes[3] = {
		{ .vertexCount = limb->vertexCount, .triangles = limb->triangles, .triangleCount = limb->triangleCount },
		{ ball->positions, ball->vertexCount, ball->triangles, ball->triangleCount, .jointCount = 1 },
		{ unit.positions, unit.vertexCount, unit.triangles, unit.triangleCount, .jointCount = 1 },
	};
	int limbs = recording_AddMesh(t->recording, &meshes[0]), balls = recording_AddMesh(t->recording, &meshes[1]);
	int units = sceneMesh_IsValid(&unit) ? recording_AddMesh(t->recording, &meshes[2]) : -1;
	for (int skin = 0; skin < SKINS; ++skin)
	{
		const sphereTree* tree = t->skins[skin].tree;
		t->skins[skin].shown = recording_AddBody(t->recording, limbs, recordingGetColor(0));
		recording_AddBody(t->recording, balls, recordingGetColor(2));
		for (uint32_t i = 0; i < sphereTree_GetNodeCount(tree); ++i)
		{
			if (FindColumn(tree, i) > 0)
			{
				recording_AddBody(t->recording, units, amber);
			}
		}
	}
	sceneMesh_Free(&unit);
}

// Limbs lie, since pictures are wider than high: skins one below the other, the surface on the left.
static void Lay(int skin, int column, const double at[3], float shown[3])
{
	shown[0] = (float)(at[2] - 0.5 + COLUMN * (column - 1));
	shown[1] = (float)at[1];
	shown[2] = (float)(ROW * (1 - skin) - at[0]);
}

static void RecordBall(recording* r, int number, int skin, int column, const sphereBall* ball)
{
	float radius = (float)ball->radius, at[3];
	Lay(skin, column, ball->center, at);
	const float matrix[12] = { 0, 0, radius, at[0], 0, radius, 0, at[1], -radius, 0, 0, at[2] };
	recording_SetMotion(r, number, matrix);
}

// The surface with the ball, beside it the balls of its tree.
static void RecordSkin(twist* t, int skin, double away)
{
	twistSkin* s = &t->skins[skin];
	const sphereBall moved = { { 0.0, -away, 0.0 }, 1.0 };
	int number = s->shown;
	for (size_t v = 0; v < t->tube.mesh.vertexCount; ++v)
	{
		float* p = t->positions + 3 * v;
		Lay(skin, 0, (const double[3]){ (double)p[0], (double)p[1], (double)p[2] }, p);
	}
	recording_SetMotion(t->recording, number, t->positions);
	recording_SetMarks(t->recording, number, t->marks[0]);
	RecordBall(t->recording, ++number, skin, 0, &moved);
	recording_SetMarks(t->recording, number, t->marks[1]);
	for (uint32_t i = 0; i < sphereTree_GetNodeCount(s->tree); ++i)
	{
		int column = FindColumn(s->tree, i);
		if (column > 0)
		{
			sphereBall ball = sphereBody_Refit(s->spheres, i);
			s->largest = column == LEVELS ? fmax(s->largest, ball.radius) : s->largest;
			RecordBall(t->recording, ++number, skin, column, &ball);
		}
	}
}

// ---- Poses -----------------------------------------------------------------------------------------------------

static bool CreateSkin(twist* t, int skin, simError* error)
{
	twistSkin* s = &t->skins[skin];
	snugModelDef def = sceneMakeBlendDef(&t->tube.mesh, &t->tube.weights, (snugTreeDef){ 0 });
	def.skin.blending = blendings[skin];
	snugStatus status = snugModel_Create(&def, &s->model);
	status = status == snug_success ? snugBody_Create(&(snugBodyDef){ .model = s->model }, &s->body) : status;
	s->tree = status == snug_success ? sphereTree_Create(s->model, 0.0) : NULL;
	s->spheres = s->tree != NULL ? sphereBody_Create(s->tree, s->body) : NULL;
	return s->spheres != NULL || simError_Set(error, "%s: %s", names[skin], snugGetStatusText(status));
}

static bool PoseSkin(twist* t, int skin, double angle, simError* error)
{
	twistSkin* s = &t->skins[skin];
	const float c = (float)sceneCosine(angle), n = (float)sceneSine(angle);
	const float matrices[24] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, c, -n, 0, 0, n, c, 0, 0, 0, 0, 1, 0 };
	snugStatus status = snugBody_SetJoints(s->body, matrices, 0, 2);
	status = status == snug_success ? snugBody_GetVertices(s->body, NULL, t->positions, 0) : status;
	status = status == snug_success ? sphereBody_Update(s->spheres) : status;
	s->thinnest = FindThinnest(t);
	s->largest = 0.0;
	return status == snug_success || simError_Set(error, "%s: %s", names[skin], snugGetStatusText(status));
}

static bool MoveBall(twist* t, double away, simError* error)
{
	for (size_t i = 0; i < 3 * (size_t)t->ball.vertexCount; ++i)
	{
		t->ballPositions[i] = t->ball.positions[i] - (i % 3 == 1 ? (float)away : 0.0f);
	}
	snugStatus status = snugBody_SetVertices(t->ballBody, t->ballPositions, 0, 0, t->ball.vertexCount);
	return status == snug_success || simError_Set(error, "ball: %s", snugGetStatusText(status));
}

// The ball comes from outside, and is where it stays when half of the way is turned.
// @return false, with the error set, if a skin cannot be posed or asked
static bool RunPose(twist* t, int pose, simError* error)
{
	uint64_t pairs = 0;
	double away = AWAY * fmax(0.0, 1.0 - 2.0 * pose / (POSES - 1));
	bool good = MoveBall(t, away, error);
	recording_AddFrame(t->recording, (uint64_t)pose, pose / 10.0, 0);
	for (int skin = 0; skin < SKINS && good; ++skin)
	{
		good = PoseSkin(t, skin, STEP * pose, error) && AskBall(t, skin, error);
		pairs += t->skins[skin].contacts;
		if (good)
		{
			RecordSkin(t, skin, away);
		}
	}
	recording_SetPairs(t->recording, pairs);
	return good;
}

// It reaches from a third of the limb's radius to beyond its surface, on the side that is seen.
static bool MakeBall(twist* t)
{
	const snugFrame place = { .position = { 0.5 * RADIUS, -0.95 * RADIUS, 0.5 } };
	t->ball = sceneMakeSphere(10);
	if (!sceneMesh_IsValid(&t->ball))
	{
		return false;
	}
	sceneMesh_Transform(&t->ball, &place, 0.7 * RADIUS);
	const snugModelDef def = sceneMesh_MakeDef(&t->ball, snug_free);
	return snugModel_Create(&def, &t->ballModel) == snug_success &&
	       snugBody_Create(&(snugBodyDef){ .model = t->ballModel }, &t->ballBody) == snug_success;
}

twist* twist_Create(simError* error)
{
	twist* t = calloc(1, sizeof(twist));
	bool good = t != NULL && sceneTube_Create(&t->tube, 48, 64, 2, RADIUS) && MakeBall(t);
	if (good)
	{
		t->positions = simHoard_Take(&t->hoard, t->tube.mesh.vertexCount, 3 * sizeof(float));
		t->ballPositions = simHoard_Take(&t->hoard, t->ball.vertexCount, 3 * sizeof(float));
		t->pairs = simHoard_Take(&t->hoard, CAPACITY, sizeof(snugPair));
		t->marks[0] = simHoard_Take(&t->hoard, t->tube.mesh.triangleCount, 1);
		t->marks[1] = simHoard_Take(&t->hoard, t->ball.triangleCount, 1);
		t->recording = recording_Create();
		good = t->recording != NULL && !t->hoard.isShort;
	}
	good = good || simError_SetMemory(error);
	for (int skin = 0; skin < SKINS && good; ++skin)
	{
		good = CreateSkin(t, skin, error);
	}
	if (good)
	{
		AddBodies(t);
	}
	for (int pose = 0; pose < POSES && good; ++pose)
	{
		good = RunPose(t, pose, error);
	}
	if (good)
	{
		recording_SetStart(t->recording);
	}
	if (!good && t != NULL)
	{
		twist_Destroy(t);
	}
	return good ? t : NULL;
}

void twist_Destroy(twist* t)
{
	for (int i = 0; i < SKINS; ++i)
	{
		sphereBody_Destroy(t->skins[i].spheres);
		sphereTree_Destroy(t->skins[i].tree);
		snugBody_Destroy(t->skins[i].body);
		snugModel_Destroy(t->skins[i].model);
	}
	recording_Destroy(t->recording);
	sceneTube_Free(&t->tube);
	snugBody_Destroy(t->ballBody);
	snugModel_Destroy(t->ballModel);
	sceneMesh_Free(&t->ball);
	simHoard_Free(&t->hoard);
	free(t);
}

int twist_CountDifferent(const twist* t)
{
	return (int)t->skins[0].differs + (int)t->skins[1].differs + (int)t->skins[2].differs;
}

void twist_PrintTable(const twist* t, FILE* stream)
{
	fprintf(
	    stream, "a tube of %u vertices, twisted by 170 degrees, and a ball beside it\n\n", t->tube.mesh.vertexCount);
	fprintf(stream, "%-16s %20s %22s %16s\n", "skin", "thinnest / at rest", "largest ball, level 6", "pairs with ball");
	for (int skin = 0; skin < SKINS; ++skin)
	{
		fprintf(stream, "%-16s %20.3f %22.3f %16llu\n", names[skin], t->skins[skin].thinnest, t->skins[skin].largest,
		    (unsigned long long)t->skins[skin].contacts);
	}
	fprintf(stream, "\n%d skins compared with brute force, %d differences\n\n", SKINS, twist_CountDifferent(t));
}

static void PrintSkins(const twist* t, FILE* stream)
{
	fputs(
	    "<h2>At 170°</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"At 170 degrees\"><table>"
	    "<thead><tr><th>skin</th><th>thinnest / at rest</th><th>largest ball, level 6</th><th>pairs with ball</th></tr>"
	    "</thead><tbody>\n",
	    stream);
	for (int skin = 0; skin < SKINS; ++skin)
	{
		const twistSkin* s = &t->skins[skin];
		fprintf(stream, "<tr><td>%s</td><td>%.3f</td><td>%.3f</td><td>%llu</td></tr>\n", names[skin], s->thinnest,
		    s->largest, (unsigned long long)s->contacts);
	}
	fputs("</tbody></table></div>\n", stream);
}

void twist_PrintPage(const twist* t, FILE* stream)
{
	htmlBegin(stream, "snug: a twisted limb", "The candy wrapper of linear blending, and two skins without it.");
	fprintf(stream,
	    "<p>A tube of %u vertices and two joints, the second turned about the tube by up to 170°: at the top by "
	    "linear blending, then spherical, then by dual quaternions. A ball is pressed into its middle: triangles that "
	    "intersect are <span class=\"red\">red</span>, and where the limb has collapsed there are none. Beside each "
	    "surface "
	    "the balls of levels 4 and 6 of its tree, refitted in the pose by the algorithms of Kavan, Žára 2005 and "
	    "Kavan, O'Sullivan, Žára 2006. Hejl's method (2004) is spherical blending about the joint that two bones "
	    "share: on this tube it is the same.</p>\n",
	    t->tube.mesh.vertexCount);
	const recordedView view = { { 0.5f, -3.75f, 0.85f }, { 0.0f, 0.0f, -0.05f }, { 0.0f, 0.0f, 1.0f }, 42.0f,
		16.0f / 10.0f, -1.0f, 2.6f };
	const recordingDef def = { .id = "twist", .what = "A limb, twisted in three ways of skinning", .view = &view };
	if (!recording_Print(t->recording, &def, stream))
	{
		fputs("<p>There was no memory for what was recorded.</p>\n", stream);
	}
	PrintSkins(t, stream);
	htmlPrintViewer(stream);
	htmlEnd(stream);
}
