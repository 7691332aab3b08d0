#include "papers/spherical/scene_twist.h"

#include "lab/scenes/meshless.h"
#include "papers/spherical/sphere_tree.h"
#include "program/check/brute.h"
#include "program/pictures/html.h"
#include "program/pictures/picture.h"
#include "solvers/sine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SKINS 3
#define VIEWS 3 // the surface, then balls of two levels
#define RADIUS 0.16
#define ANGLE (170.0 / 180.0 * SCENE_PI)
#define CAPACITY 16384

static const snugDeformer deformers[SKINS] = { snug_skin, snug_sphericalSkin, snug_dualQuaternionSkin };
static const char* const names[SKINS] = { "linear", "spherical", "dual quaternion" };
static const uint32_t levels[VIEWS] = { 0, 4, 6 };

typedef struct twistView
{
	uint8_t* png;
	size_t bytes;
	uint32_t balls;
} twistView;

struct twist
{
	sceneTube tube;
	float* positions;
	sceneMesh ball; ///< beside the middle, a third of its radius inside the limb as it is at rest
	snugModel* ballModel;
	snugBody* ballBody;
	uint8_t* marks[2]; ///< per triangle of the limb, and of the ball
	snugPair* pairs;
	twistView views[SKINS][VIEWS];
	uint64_t contacts[SKINS]; ///< pairs of triangles of limb and ball
	bool differs[SKINS];      ///< brute force finds others
	double thinnest[SKINS];   ///< over the radius at rest
	double largest[SKINS];    ///< ball of level 6
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

// All balls of a level as one mesh; leaves above it count too.
static sceneMesh MakeBalls(twist* t, int skin, int view, const sphereTree* tree, sphereBody* spheres)
{
	sceneMesh all = { .positions = NULL }, unit = sceneMakeSphere(5);
	twistView* v = &t->views[skin][view];
	for (uint32_t i = 0; i < sphereTree_GetNodeCount(tree) && sceneMesh_IsValid(&unit); ++i)
	{
		if (sphereTree_GetLevel(tree, i) != levels[view])
		{
			continue;
		}
		sphereBall ball = sphereBody_Refit(spheres, i);
		snugFrame place = { .position = { ball.center[0], ball.center[1], ball.center[2] } };
		sceneMesh one = sceneMesh_Copy(&unit);
		t->largest[skin] = view == VIEWS - 1 ? fmax(t->largest[skin], ball.radius) : t->largest[skin];
		++v->balls;
		if (sceneMesh_IsValid(&one))
		{
			sceneMesh_Transform(&one, &place, ball.radius);
		}
		if (!sceneMesh_IsValid(&all))
		{
			all = one;
			continue;
		}
		sceneMesh_Append(&all, &one);
		sceneMesh_Free(&one);
	}
	sceneMesh_Free(&unit);
	return all;
}

// The limb against the ball, by our query and by brute force.
static bool AskBall(twist* t, int skin, snugBody* limb, simError* error)
{
	snugResult found = snugCollide(limb, t->ballBody, &(snugQuery){ .pairs = t->pairs, .capacity = CAPACITY });
	if (found.status != snug_success || found.count > CAPACITY)
	{
		return simError_Set(error, "%s: cannot find contacts", names[skin]);
	}
	const bruteMesh first = { t->positions, t->tube.mesh.triangles, t->tube.mesh.triangleCount };
	const bruteMesh second = { t->ball.positions, t->ball.triangles, t->ball.triangleCount };
	bruteResult expected = bruteCollide(&first, &second);
	size_t bytes = (size_t)found.count * sizeof(snugPair);
	t->differs[skin] = expected.outOfMemory || expected.count != found.count ||
	                   (bytes > 0 && memcmp(expected.pairs, t->pairs, bytes) != 0);
	t->contacts[skin] = found.count;
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

static bool Draw(twistView* view, const pictureMesh* meshes, int count)
{
	static const float eye[3] = { 0.9f, -1.7f, 0.9f }, target[3] = { 0.0f, 0.0f, 0.5f };
	static const float vertical[3] = { 0.0f, 0.0f, 1.0f };
	picture* p = picture_Create(300, 300);
	if (p == NULL)
	{
		return false;
	}
	camera c = cameraMake(eye, target, vertical, 42.0f, picture_GetSampleWidth(p), picture_GetSampleHeight(p));
	view->png = picture_Draw(p, &c, 0.0f, meshes, count) ? picture_Encode(p, &view->bytes) : NULL;
	picture_Destroy(p);
	return view->png != NULL;
}

static bool DrawAll(twist* t, int skin, const snugModel* model, snugBody* body, simError* error)
{
	const sceneMesh *limb = &t->tube.mesh, *ball = &t->ball;
	const pictureMesh surfaces[2] = {
		{ t->positions, limb->vertexCount, limb->triangles, limb->triangleCount, t->marks[0], { 0.36f, 0.58f, 0.84f } },
		{ ball->positions, ball->vertexCount, ball->triangles, ball->triangleCount, t->marks[1],
		    { 0.55f, 0.75f, 0.50f } },
	};
	sphereTree* tree = sphereTree_Create(model, &(sphereTreeDef){ .prune = 0.0 });
	sphereBody* spheres = tree != NULL ? sphereBody_Create(tree, body) : NULL;
	bool good = spheres != NULL && sphereBody_Update(spheres) == snug_success && Draw(&t->views[skin][0], surfaces, 2);
	for (int view = 1; view < VIEWS && good; ++view)
	{
		sceneMesh balls = MakeBalls(t, skin, view, tree, spheres);
		const pictureMesh drawn = { balls.positions, balls.vertexCount, balls.triangles, balls.triangleCount, NULL,
			{ 0.95f, 0.80f, 0.50f } };
		good = sceneMesh_IsValid(&balls) && Draw(&t->views[skin][view], &drawn, 1);
		sceneMesh_Free(&balls);
	}
	sphereBody_Destroy(spheres);
	sphereTree_Destroy(tree);
	return good || simError_Set(error, "%s: out of memory", names[skin]);
}

static bool RunSkin(twist* t, int skin, simError* error)
{
	const float c = (float)sceneCosine(ANGLE), s = (float)sceneSine(ANGLE);
	const float matrices[24] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, 0 };
	snugModelDef def = sceneMakeBlendDef(&t->tube.mesh, &t->tube.weights, (snugTreeDef){ 0 });
	def.deformer = deformers[skin];
	snugModel* model = NULL;
	snugBody* body = NULL;
	snugStatus status = snugModel_Create(&def, &model);
	status = status == snug_success ? snugBody_Create(&(snugBodyDef){ .model = model }, &body) : status;
	status = status == snug_success ? snugBody_SetJoints(body, matrices, 0, 2) : status;
	status = status == snug_success ? snugBody_GetVertices(body, NULL, t->positions, 0) : status;
	bool good = status == snug_success || simError_Set(error, "%s: %s", names[skin], snugGetStatusText(status));
	if (good)
	{
		t->thinnest[skin] = FindThinnest(t);
		good = AskBall(t, skin, body, error) && DrawAll(t, skin, model, body, error);
	}
	snugBody_Destroy(body);
	snugModel_Destroy(model);
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
	const snugModelDef def = { .positions = t->ball.positions,
		.vertexCount = t->ball.vertexCount,
		.triangles = t->ball.triangles,
		.triangleCount = t->ball.triangleCount,
		.deformer = snug_rigid };
	return snugModel_Create(&def, &t->ballModel) == snug_success &&
	       snugBody_Create(&(snugBodyDef){ .model = t->ballModel }, &t->ballBody) == snug_success;
}

twist* twist_Create(simError* error)
{
	twist* t = calloc(1, sizeof(twist));
	bool good = t != NULL && sceneTube_Create(&t->tube, 48, 64, 2, RADIUS) && MakeBall(t);
	if (good)
	{
		t->positions = malloc(3 * (size_t)t->tube.mesh.vertexCount * sizeof(float));
		t->pairs = malloc(CAPACITY * sizeof(snugPair));
		t->marks[0] = malloc(t->tube.mesh.triangleCount);
		t->marks[1] = malloc(t->ball.triangleCount);
		good = t->positions != NULL && t->pairs != NULL && t->marks[0] != NULL && t->marks[1] != NULL;
	}
	good = good || simError_SetMemory(error);
	for (int skin = 0; skin < SKINS && good; ++skin)
	{
		good = RunSkin(t, skin, error);
	}
	if (!good && t != NULL)
	{
		twist_Destroy(t);
	}
	return good ? t : NULL;
}

void twist_Destroy(twist* t)
{
	for (int i = 0; i < SKINS * VIEWS; ++i)
	{
		free(t->views[i / VIEWS][i % VIEWS].png);
	}
	sceneTube_Free(&t->tube);
	snugBody_Destroy(t->ballBody);
	snugModel_Destroy(t->ballModel);
	sceneMesh_Free(&t->ball);
	free(t->marks[0]);
	free(t->marks[1]);
	free(t->pairs);
	free(t->positions);
	free(t);
}

int twist_CountDifferent(const twist* t)
{
	return (int)t->differs[0] + (int)t->differs[1] + (int)t->differs[2];
}

void twist_PrintTable(const twist* t, FILE* stream)
{
	fprintf(
	    stream, "a tube of %u vertices, twisted by 170 degrees, and a ball beside it\n\n", t->tube.mesh.vertexCount);
	fprintf(stream, "%-16s %20s %22s %16s\n", "skin", "thinnest / at rest", "largest ball, level 6", "pairs with ball");
	for (int skin = 0; skin < SKINS; ++skin)
	{
		fprintf(stream, "%-16s %20.3f %22.3f %16llu\n", names[skin], t->thinnest[skin], t->largest[skin],
		    (unsigned long long)t->contacts[skin]);
	}
	fprintf(stream, "\n%d skins compared with brute force, %d differences\n\n", SKINS, twist_CountDifferent(t));
}

void twist_PrintPage(const twist* t, FILE* stream)
{
	htmlBegin(stream, "snug: a twisted limb", "The candy wrapper of linear blending, and two skins without it.");
	fprintf(stream,
	    "<p>A tube of %u vertices and two joints, the second turned by 170° about the tube. A ball is pressed into its "
	    "middle: triangles that intersect are <span style=\"color:#d42a1f;font-weight:600\">red</span>, and where the "
	    "limb has collapsed there are none. Below each surface "
	    "the balls of levels 4 and 6 of its tree, refitted in the pose by the algorithms of Kavan, Žára 2005 and "
	    "Kavan, O'Sullivan, Žára 2006. Hejl's method (2004) is spherical blending about the joint that two bones "
	    "share: on this tube it is the same.</p>\n",
	    t->tube.mesh.vertexCount);
	for (int view = 0; view < VIEWS; ++view)
	{
		fputs("<div class=\"shots\">\n", stream);
		for (int skin = 0; skin < SKINS; ++skin)
		{
			const twistView* v = &t->views[skin][view];
			fprintf(stream, "<figure><img alt=\"%s\" src=\"data:image/png;base64,", names[skin]);
			htmlBase64(stream, v->png, v->bytes);
			fprintf(stream, "\"><figcaption><b>%s</b> · ", names[skin]);
			if (view == 0)
			{
				fprintf(stream, "thinnest: %.2f of the radius at rest; %llu pairs", t->thinnest[skin],
				    (unsigned long long)t->contacts[skin]);
			}
			else
			{
				fprintf(stream, "level %u, %u balls", levels[view], v->balls);
			}
			fputs("</figcaption></figure>\n", stream);
		}
		fputs("</div>\n", stream);
	}
	htmlEnd(stream);
}
