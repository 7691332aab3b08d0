#include "bench/scene_twist.h"

#include "baselines/sphere_tree.h"
#include "program/picture.h"
#include "scenes/meshless.h"
#include "scenes/sine.h"
#include "share/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SKINS 3
#define VIEWS 3 // the surface, then balls of two levels
#define RADIUS 0.16
#define ANGLE (170.0 / 180.0 * SCENE_PI)

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
	twistView views[SKINS][VIEWS];
	double thinnest[SKINS]; ///< over the radius at rest
	double largest[SKINS];  ///< ball of level 6
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

static bool Draw(twistView* view, const sceneMesh* mesh, const float* positions, const float color[3])
{
	static const float eye[3] = { 0.9f, -1.7f, 0.9f }, target[3] = { 0.0f, 0.0f, 0.5f };
	static const float vertical[3] = { 0.0f, 0.0f, 1.0f };
	picture* p = picture_Create(300, 300);
	if (p == NULL)
	{
		return false;
	}
	pictureMesh drawn = { positions, mesh->vertexCount, mesh->triangles, mesh->triangleCount, NULL,
		{ color[0], color[1], color[2] } };
	camera c = cameraMake(eye, target, vertical, 42.0f, picture_GetSampleWidth(p), picture_GetSampleHeight(p));
	view->png = picture_Draw(p, &c, 0.0f, &drawn, 1) ? picture_Encode(p, &view->bytes) : NULL;
	picture_Destroy(p);
	return view->png != NULL;
}

static bool DrawAll(twist* t, int skin, const snugModel* model, snugBody* body, simError* error)
{
	static const float surface[3] = { 0.36f, 0.58f, 0.84f }, ball[3] = { 0.95f, 0.80f, 0.50f };
	sphereTree* tree = sphereTree_Create(model, &(sphereTreeDef){ .prune = 0.0 });
	sphereBody* spheres = tree != NULL ? sphereBody_Create(tree, body) : NULL;
	bool good = spheres != NULL && sphereBody_Update(spheres) == snug_success &&
	            Draw(&t->views[skin][0], &t->tube.mesh, t->positions, surface);
	for (int view = 1; view < VIEWS && good; ++view)
	{
		sceneMesh balls = MakeBalls(t, skin, view, tree, spheres);
		good = sceneMesh_IsValid(&balls) && Draw(&t->views[skin][view], &balls, balls.positions, ball);
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
	const snugTreeDef binary = { .split = snug_splitMedian, .leafTriangles = 1, .branching = 2 };
	snugModelDef def = sceneMakeBlendDef(&t->tube.mesh, &t->tube.weights, binary);
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
		good = DrawAll(t, skin, model, body, error);
	}
	snugBody_Destroy(body);
	snugModel_Destroy(model);
	return good;
}

twist* twist_Create(simError* error)
{
	twist* t = calloc(1, sizeof(twist));
	bool good = t != NULL && sceneTube_Create(&t->tube, 48, 64, 2, RADIUS);
	if (good)
	{
		t->positions = malloc(3 * (size_t)t->tube.mesh.vertexCount * sizeof(float));
	}
	good = (good && t->positions != NULL) || simError_SetMemory(error);
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
	free(t->positions);
	free(t);
}

void twist_PrintTable(const twist* t, FILE* stream)
{
	fprintf(stream, "a tube of %u vertices, twisted by 170 degrees\n\n%-16s %22s %22s\n", t->tube.mesh.vertexCount,
	    "skin", "thinnest / at rest", "largest ball, level 6");
	for (int skin = 0; skin < SKINS; ++skin)
	{
		fprintf(stream, "%-16s %22.3f %22.3f\n", names[skin], t->thinnest[skin], t->largest[skin]);
	}
	fputc('\n', stream);
}

void twist_PrintPage(const twist* t, FILE* stream)
{
	htmlBegin(stream, "snug: a twisted limb", "The candy wrapper of linear blending, and two skins without it.");
	fprintf(stream,
	    "<p>A tube of %u vertices and two joints, the second turned by 170° about the tube. Below each surface "
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
				fprintf(stream, "thinnest: %.2f of the radius at rest", t->thinnest[skin]);
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
