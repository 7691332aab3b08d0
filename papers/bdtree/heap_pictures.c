#include "papers/bdtree/heap_pictures.h"

#include "program/pictures/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 480
#define HEIGHT 360
#define DEGREES 42.0f
#define MOST_DOTS 20000
#define MOST_GROWN 1.44 // the paper's darkest red: three times the volume
#define SHADES 6
#define MOST_SPHERES 65536u

static const float bodyColors[][3] = { { 0.92f, 0.92f, 0.90f }, { 0.55f, 0.70f, 0.88f }, { 0.93f, 0.80f, 0.52f },
	{ 0.60f, 0.78f, 0.58f } };
static const float red[3] = { 0.83f, 0.16f, 0.12f };
static const float grey[3] = { 0.62f, 0.66f, 0.70f };

/// Meshes to be drawn together, with their positions.
typedef struct canvas
{
	pictureMesh* meshes;
	float** owned; ///< positions, and triangles, to be freed
	int count, capacity;
} canvas;

static bool Canvas_Add(canvas* c, const pictureMesh* mesh, float* positions)
{
	if (c->count == c->capacity)
	{
		int capacity = 2 * c->capacity + 16;
		pictureMesh* meshes = realloc(c->meshes, (size_t)capacity * sizeof(pictureMesh));
		c->meshes = meshes != NULL ? meshes : c->meshes;
		float** owned = meshes != NULL ? realloc(c->owned, (size_t)capacity * sizeof(float*)) : NULL;
		c->owned = owned != NULL ? owned : c->owned;
		if (meshes == NULL || owned == NULL)
		{
			free(positions);
			return false;
		}
		c->capacity = capacity;
	}
	c->owned[c->count] = positions;
	c->meshes[c->count++] = *mesh;
	return true;
}

static void Canvas_Free(canvas* c)
{
	for (int i = 0; i < c->count; ++i)
	{
		free(c->owned[i]);
	}
	free(c->meshes);
	free(c->owned);
}

static bool Canvas_Draw(const canvas* c, const heapView* view, heapImage* image)
{
	picture* p = picture_Create(WIDTH, HEIGHT);
	bool good = p != NULL;
	if (good)
	{
		camera seen = cameraMake(
		    view->eye, view->target, view->vertical, DEGREES, picture_GetSampleWidth(p), picture_GetSampleHeight(p));
		good = picture_Draw(p, &seen, view->ground, c->meshes, c->count);
		image->png = good ? picture_Encode(p, &image->bytes) : NULL;
		good = image->png != NULL;
	}
	picture_Destroy(p);
	return good;
}

// ---- Bodies ----------------------------------------------------------------------------------------------------

// The four sides of what the camera sees, and the plane through its eye.
static void FindFrustum(const heapView* view, snugPlane planes[5])
{
	camera c = cameraMake(view->eye, view->target, view->vertical, DEGREES, WIDTH, HEIGHT);
	double tall = 0.5 * HEIGHT / (double)c.focal, wide = 0.5 * WIDTH / (double)c.focal;
	for (int i = 0; i < 5; ++i)
	{
		double sign = (i & 1) != 0 ? 1.0 : -1.0;
		planes[i].offset = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			double side = i < 2 ? sign * (double)c.right[k] : sign * (double)c.up[k];
			planes[i].normal[k] = i == 4 ? (double)c.forward[k] : (i < 2 ? wide : tall) * (double)c.forward[k] + side;
			planes[i].offset -= planes[i].normal[k] * (double)c.eye[k];
		}
	}
}

static bool AddPosed(canvas* c, snugBody* body, const uint32_t* triangles, uint32_t triangleCount, uint32_t vertexCount,
    const float color[3])
{
	float* positions = malloc(3 * (size_t)vertexCount * sizeof(float));
	pictureMesh mesh = { positions, vertexCount, triangles, triangleCount, NULL, { color[0], color[1], color[2] } };
	if (positions == NULL || snugBody_GetVertices(body, NULL, positions, 0) != snug_success)
	{
		free(positions);
		return false;
	}
	return Canvas_Add(c, &mesh, positions);
}

// ---- Balls -----------------------------------------------------------------------------------------------------

/// Balls of one colour as one mesh; each is a copy of a small sphere.
typedef struct balls
{
	sceneMesh small;
	float* positions;
	uint32_t* triangles;
	uint32_t count, capacity;
} balls;

static bool Balls_Create(balls* b, uint32_t capacity, uint32_t frequency)
{
	*b = (balls){ .small = sceneMakeSphere(frequency), .capacity = capacity };
	b->positions = malloc((3 * (size_t)capacity * b->small.vertexCount + 1) * sizeof(float));
	b->triangles = malloc((3 * (size_t)capacity * b->small.triangleCount + 1) * sizeof(uint32_t));
	return sceneMesh_IsValid(&b->small) && b->positions != NULL && b->triangles != NULL;
}

static void Balls_Add(balls* b, const float center[3], float radius)
{
	if (b->count == b->capacity)
	{
		return;
	}
	size_t first = (size_t)b->count * b->small.vertexCount;
	for (size_t i = 0; i < 3 * (size_t)b->small.vertexCount; ++i)
	{
		b->positions[3 * first + i] = center[i % 3] + radius * b->small.positions[i];
	}
	uint32_t* triangles = b->triangles + 3 * (size_t)b->count * b->small.triangleCount;
	for (size_t i = 0; i < 3 * (size_t)b->small.triangleCount; ++i)
	{
		triangles[i] = b->small.triangles[i] + (uint32_t)first;
	}
	++b->count;
}

static void Balls_Free(balls* b)
{
	sceneMesh_Free(&b->small);
	free(b->positions);
	free(b->triangles);
}

static bool Balls_Put(const balls* b, canvas* c, const float color[3])
{
	pictureMesh mesh = { b->positions, b->count * b->small.vertexCount, b->triangles, b->count * b->small.triangleCount,
		NULL, { color[0], color[1], color[2] } };
	return b->count == 0 || Canvas_Add(c, &mesh, NULL);
}

static void AddDots(const heapScene* scene, balls* dots)
{
	uint64_t count;
	const sphereContact* contacts = contactScene_GetContacts(scene->world->spheres, &count);
	for (uint64_t i = 0; i < count; ++i)
	{
		Balls_Add(dots, contacts[i].a.center, scene->view->dot);
	}
	for (uint64_t i = 0; i < simWorld_CountTouches(scene->world); ++i)
	{
		Balls_Add(dots, simWorld_GetTouch(scene->world, i)->a.center, scene->view->dot);
	}
}

bool heapCull(const heapScene* scene, heapImage* image)
{
	snugPlane planes[5];
	FindFrustum(scene->view, planes);
	bool good = true;
	for (uint32_t i = 0; i < scene->world->count && good; ++i)
	{
		bool isOutside = false;
		good = snugBody_IsOutside(scene->world->bodies[i].body, NULL, planes, 5, &isOutside) == snug_success;
		image->culledBodies += isOutside;
		image->culledTriangles += isOutside ? scene->triangleCount : 0;
	}
	return good;
}

bool heapDraw(const heapScene* scene, heapImage* image)
{
	canvas c = { .count = 0 };
	balls dots = { .count = 0 };
	snugPlane planes[5];
	FindFrustum(scene->view, planes);
	bool good = Balls_Create(&dots, MOST_DOTS, 1) && heapCull(scene, image);
	for (uint32_t i = 0; i < scene->world->count && good; ++i)
	{
		snugBody* body = scene->world->bodies[i].body;
		bool isOutside = false;
		good = snugBody_IsOutside(body, NULL, planes, 5, &isOutside) == snug_success;
		good = good && (isOutside || AddPosed(&c, body, scene->triangles, scene->triangleCount, scene->vertexCount,
		                                 bodyColors[i % (sizeof(bodyColors) / sizeof(bodyColors[0]))]));
	}
	if (good && scene->stageMesh != NULL)
	{
		const sceneMesh* mesh = scene->stageMesh;
		good = AddPosed(&c, scene->stageBody, mesh->triangles, mesh->triangleCount, mesh->vertexCount, grey);
	}
	if (good)
	{
		AddDots(scene, &dots);
		good = Balls_Put(&dots, &c, red) && Canvas_Draw(&c, scene->view, image);
	}
	Canvas_Free(&c);
	Balls_Free(&dots);
	return good;
}

// ---- Spheres of a level ----------------------------------------------------------------------------------------

/// Spheres to be drawn, in shades.
typedef struct shades
{
	contactSphere* list;
	bool* isSeen;
	uint32_t count;
} shades;

// Asking once only: whoever asks makes spheres, and then all of them look as if a query had looked at them.
static bool Shades_Get(shades* s, contactSpheres* spheres, uint32_t level)
{
	*s =
	    (shades){ .list = malloc(MOST_SPHERES * sizeof(contactSphere)), .isSeen = malloc(MOST_SPHERES * sizeof(bool)) };
	bool good =
	    s->list != NULL && s->isSeen != NULL &&
	    contactSpheres_GetLevel(spheres, NULL, level, s->list, s->isSeen, MOST_SPHERES, &s->count) == snug_success;
	s->count = s->count < MOST_SPHERES ? s->count : MOST_SPHERES;
	return good;
}

static void Shades_Free(shades* s)
{
	free(s->list);
	free(s->isSeen);
}

static void ShadeColor(int shade, float color[3])
{
	float t = (float)shade / (SHADES - 1);
	color[0] = 0.23f + 0.55f * t;
	color[1] = 0.39f - 0.16f * t + 0.35f * t * (1.0f - t);
	color[2] = 0.78f - 0.65f * t;
}

// A camera before the middle of the spheres.
static heapView ViewOf(const heapView* view, const shades* s)
{
	float lower[3] = { INFINITY, INFINITY, INFINITY }, upper[3] = { -INFINITY, -INFINITY, -INFINITY }, size = 0.0f;
	heapView near = *view;
	for (uint32_t i = 0; i < s->count; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			lower[k] = fminf(lower[k], s->list[i].center[k] - s->list[i].radius);
			upper[k] = fmaxf(upper[k], s->list[i].center[k] + s->list[i].radius);
		}
	}
	static const float way[3] = { 0.55f, 0.4f, 0.9f };
	for (int k = 0; k < 3; ++k)
	{
		size = fmaxf(size, upper[k] - lower[k]);
	}
	for (int k = 0; k < 3; ++k)
	{
		near.target[k] = 0.5f * (lower[k] + upper[k]);
		near.eye[k] = near.target[k] + 1.25f * size * way[k];
	}
	near.ground = lower[1];
	return near;
}

// @param shadeOf of a sphere, from 0 to SHADES - 1
static bool DrawShades(const heapScene* scene, const shades* s, const uint8_t* shadeOf, heapImage* image)
{
	canvas c = { .count = 0 };
	balls groups[SHADES];
	bool good = true;
	for (int shade = 0; shade < SHADES; ++shade)
	{
		good = Balls_Create(&groups[shade], s->count, 3) && good;
	}
	for (uint32_t i = 0; i < s->count && good; ++i)
	{
		Balls_Add(&groups[shadeOf[i]], s->list[i].center, s->list[i].radius);
	}
	for (int shade = 0; shade < SHADES && good; ++shade)
	{
		float color[3];
		ShadeColor(shade, color);
		good = Balls_Put(&groups[shade], &c, color);
	}
	heapView near = ViewOf(scene->view, s);
	good = good && Canvas_Draw(&c, &near, image);
	Canvas_Free(&c);
	for (int shade = 0; shade < SHADES; ++shade)
	{
		Balls_Free(&groups[shade]);
	}
	return good;
}

// By growth against rest, or by whether a query has looked at them.
static bool DrawLevel(const heapScene* scene, contactSpheres* spheres, const contactTree* tree, uint32_t level,
    bool bySeen, heapImage* image)
{
	shades s;
	bool good = Shades_Get(&s, spheres, level);
	uint8_t* shadeOf = malloc(s.count + 1);
	good = good && shadeOf != NULL;
	for (uint32_t i = 0; i < s.count && good; ++i)
	{
		contactNode node;
		good = contactTree_GetNode(tree, s.list[i].treeNode, &node, NULL);
		double grown = (double)s.list[i].radius / fmax((double)node.radius, 1e-30);
		double shade = bySeen ? (s.isSeen[i] ? 1.0 : 0.0) : (grown - 1.0) / (MOST_GROWN - 1.0);
		shadeOf[i] = (uint8_t)(fmin(fmax(shade, 0.0), 1.0) * (SHADES - 1) + 0.5);
	}
	good = good && DrawShades(scene, &s, shadeOf, image);
	free(shadeOf);
	Shades_Free(&s);
	return good;
}

bool heapDrawDetails(const heapScene* scene, heapImage images[3])
{
	const simWorld* world = scene->world;
	uint32_t most = 0;
	for (uint32_t i = 0; i < world->count; ++i)
	{
		most = world->bodies[i].pairCount > world->bodies[most].pairCount ? i : most;
	}
	if (world->count == 0)
	{
		return true;
	}
	contactSpheres* spheres = world->bodies[most].spheres;
	const contactTree* tree = world->bodies[most].shape->tree;
	// What was seen is known as long as the level is that of the last step.
	bool good = DrawLevel(scene, spheres, tree, world->def.level, true, &images[1]) &&
	            DrawLevel(scene, spheres, tree, scene->view->level, false, &images[0]);
	return good && (scene->stage == NULL ||
	                   DrawLevel(scene, scene->stage, world->def.stage->tree, scene->view->level, false, &images[2]));
}
