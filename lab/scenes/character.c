#include "lab/scenes/character.h"

#include "lab/scenes/character_shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SHAPES 80

/// While it is made.
typedef struct maker
{
	const sceneAnatomy* anatomy;
	sceneCharacter* out;
	sceneShape shapes[MAX_SHAPES];
	sceneImplicit body;
} maker;

// ---- Mirroring -------------------------------------------------------------------------------------------------

static void AddJoints(maker* m)
{
	int middle = m->anatomy->middleJoints, left = m->anatomy->leftJoints;
	for (int i = 0; i < middle + 2 * left; ++i)
	{
		bool isRight = i >= middle + left;
		sceneJoint joint = m->anatomy->joints[isRight ? i - left : i];
		joint.parent += isRight && joint.parent >= middle ? left : 0;
		joint.position[0] *= isRight ? -1.0 : 1.0;
		joint.end[0] *= isRight ? -1.0 : 1.0;
		m->out->joints[i] = joint;
		for (int k = 0; k < 3; ++k)
		{
			m->out->jointPositions[3 * i + k] = (float)joint.position[k];
		}
	}
	m->out->weights.transformCount = (uint32_t)(middle + 2 * left);
}

static void AddShapes(maker* m)
{
	uint32_t middle = (uint32_t)m->anatomy->middleJoints, left = (uint32_t)m->anatomy->leftJoints;
	for (int i = 0; i < m->anatomy->shapeCount; ++i)
	{
		sceneShape shape = m->anatomy->shapes[i];
		m->shapes[m->body.shapeCount++] = shape;
		if (shape.joint >= middle)
		{
			shape.joint += left;
			shape.ends[0][0] *= -1.0;
			shape.ends[1][0] *= -1.0;
			m->shapes[m->body.shapeCount++] = shape;
		}
	}
	m->body.shapes = m->shapes;
	m->body.melt = m->anatomy->melt;
}

// ---- Counts ----------------------------------------------------------------------------------------------------

// Give the triangles on one side of a plane vertices of their own, as many as wanted.
static bool CutSeam(sceneMesh* mesh, const sceneSeam* seam, uint32_t end)
{
	uint8_t* sides = calloc((size_t)mesh->vertexCount + 1, 1);
	uint32_t* copies = malloc(((size_t)mesh->vertexCount + 1) * sizeof(uint32_t));
	uint32_t vertexCount = mesh->vertexCount;
	bool good = sides != NULL && copies != NULL;
	for (int pass = 0; good && pass < 2; ++pass)
	{
		for (size_t t = 0; t < mesh->triangleCount; ++t)
		{
			uint32_t* corners = mesh->triangles + 3 * t;
			double sum = 0.0;
			for (int c = 0; c < 3; ++c)
			{
				sum += (double)mesh->positions[3 * (size_t)corners[c] + (size_t)seam->axis] - seam->offset;
			}
			for (int c = 0; c < 3; ++c)
			{
				if (pass == 0)
				{
					sides[corners[c]] |= sum < 0.0 ? 1 : 2;
				}
				else if (sum >= 0.0 && copies[corners[c]] != UINT32_MAX)
				{
					corners[c] = copies[corners[c]];
				}
			}
		}
		for (uint32_t v = 0; v < vertexCount && pass == 0; ++v)
		{
			copies[v] = sides[v] == 3 && mesh->vertexCount < end ? mesh->vertexCount++ : UINT32_MAX;
			if (copies[v] != UINT32_MAX)
			{
				memcpy(mesh->positions + 3 * (size_t)copies[v], mesh->positions + 3 * (size_t)v, 3 * sizeof(float));
			}
		}
	}
	free(sides);
	free(copies);
	return good;
}

static uint32_t FindNearest(const sceneMesh* mesh, const double point[3])
{
	uint32_t nearest = 0;
	double least = INFINITY;
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		double square = 0.0;
		for (size_t k = 0; k < 3; ++k)
		{
			double d = (double)mesh->positions[3 * (size_t)v + k] - point[k];
			square += d * d;
		}
		nearest = square < least ? v : nearest;
		least = square < least ? square : least;
	}
	return nearest;
}

static bool AddTriangle(sceneMesh* mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t end)
{
	if (mesh->triangleCount == end || a == b || b == c || c == a)
	{
		return false;
	}
	uint32_t* to = mesh->triangles + 3 * (size_t)mesh->triangleCount++;
	to[0] = a;
	to[1] = b;
	to[2] = c;
	return true;
}

// The vertices nearest to points along two lines, joined by a strip of triangles.
static void AddWeb(sceneMesh* mesh, const sceneWeb* web, bool isMirrored, uint32_t end)
{
	enum
	{
		steps = 24
	};
	uint32_t before[2] = { 0, 0 };
	for (int i = 0; i <= steps; ++i)
	{
		uint32_t now[2];
		for (int line = 0; line < 2; ++line)
		{
			double point[3], t = (double)i / steps;
			for (int k = 0; k < 3; ++k)
			{
				point[k] = web->lines[line][0][k] + t * (web->lines[line][1][k] - web->lines[line][0][k]);
			}
			point[0] *= isMirrored ? -1.0 : 1.0;
			now[line] = FindNearest(mesh, point);
		}
		if (i > 0)
		{
			AddTriangle(mesh, before[0], before[1], now[0], end);
			AddTriangle(mesh, before[1], now[1], now[0], end);
		}
		memcpy(before, now, sizeof(now));
	}
}

// Both ways to meet the counts: seams add vertices, webs add triangles.
static bool MakeMesh(maker* m)
{
	const sceneAnatomy* a = m->anatomy;
	sceneMesh mesh = sceneImplicit_MakeMesh(&m->body, a->cell);
	// A closed surface has 2 V - 4 triangles, and splitting edges keeps it so.
	uint32_t closed = a->triangleCount / 2 + 2, vertexCount = closed < a->vertexCount ? closed : a->vertexCount;
	bool good = sceneMesh_IsValid(&mesh) && sceneImplicit_Refine(&m->body, &mesh, vertexCount);
	m->out->mesh = good ? sceneMesh_Allocate(a->vertexCount, a->triangleCount + 4) : mesh;
	good = good && sceneMesh_IsValid(&m->out->mesh) && mesh.vertexCount <= a->vertexCount &&
	       mesh.triangleCount <= a->triangleCount;
	if (!good)
	{
		return false;
	}
	sceneMesh* out = &m->out->mesh;
	memcpy(out->positions, mesh.positions, 3 * (size_t)mesh.vertexCount * sizeof(float));
	memcpy(out->triangles, mesh.triangles, 3 * (size_t)mesh.triangleCount * sizeof(uint32_t));
	out->vertexCount = mesh.vertexCount;
	out->triangleCount = mesh.triangleCount;
	sceneMesh_Free(&mesh);
	for (int i = 0; i < a->seamCount && good; ++i)
	{
		good = CutSeam(out, a->seams + i, a->vertexCount);
	}
	for (int i = 0; i < 2 * a->webCount; ++i)
	{
		AddWeb(out, a->webs + i / 2, i % 2 != 0, a->triangleCount);
	}
	return good;
}

// ---- Weights ---------------------------------------------------------------------------------------------------

// Whether a joint is another one, its parent or child, or two such steps away.
static bool AreNeighbours(const sceneJoint* joints, int a, int b)
{
	int parentA = joints[a].parent, parentB = joints[b].parent;
	return a == b || parentA == b || parentB == a ||
	       (parentA >= 0 && (parentA == parentB || joints[parentA].parent == b)) ||
	       (parentB >= 0 && joints[parentB].parent == a);
}

static void WeighVertex(const maker* m, uint32_t vertex)
{
	const float* p = m->out->mesh.positions + 3 * (size_t)vertex;
	const double point[3] = { (double)p[0], (double)p[1], (double)p[2] };
	double distances[SCENE_MAX_JOINTS], weights[SCENE_MAX_JOINTS] = { 0.0 }, sum = 0.0, radius = 0.0;
	int jointCount = (int)m->out->weights.transformCount, nearest = 0;
	for (int j = 0; j < jointCount; ++j)
	{
		distances[j] = INFINITY;
	}
	for (uint32_t i = 0; i < m->body.shapeCount; ++i)
	{
		const sceneShape* shape = m->shapes + i;
		double d = sceneShape_Evaluate(shape, point);
		distances[shape->joint] = d < distances[shape->joint] ? d : distances[shape->joint];
		if (d <= distances[nearest])
		{
			nearest = (int)shape->joint;
			radius = 0.5 * (shape->radii[0] + shape->radii[1]);
		}
	}
	for (int j = 0; j < jointCount; ++j)
	{
		double part = 1.0 - (distances[j] - distances[nearest]) / (0.6 * radius);
		weights[j] = part > 0.0 && AreNeighbours(m->out->joints, nearest, j) ? part * part * part : 0.0;
	}
	// The least of more than four goes, until there are four.
	int count = 0;
	for (int j = 0; j < jointCount; ++j)
	{
		count += weights[j] > 0.0;
	}
	for (; count > SCENE_MAX_INFLUENCES; --count)
	{
		int least = nearest;
		for (int j = 0; j < jointCount; ++j)
		{
			least = weights[j] > 0.0 && weights[j] < weights[least] ? j : least;
		}
		weights[least] = 0.0;
	}
	for (int j = 0; j < jointCount; ++j)
	{
		sum += weights[j];
	}
	uint32_t* end = m->out->weights.starts + vertex + 1;
	*end = m->out->weights.starts[vertex];
	for (int j = 0; j < jointCount; ++j)
	{
		// What rounds to nothing is nothing.
		if ((float)(weights[j] / sum) > 1e-6f)
		{
			m->out->weights.transforms[*end] = (uint16_t)j;
			m->out->weights.weights[(*end)++] = (float)(weights[j] / sum);
		}
	}
}

static bool MakeWeights(maker* m)
{
	size_t vertexCount = m->out->mesh.vertexCount;
	sceneWeights* weights = &m->out->weights;
	weights->starts = malloc((vertexCount + 1) * sizeof(uint32_t));
	weights->transforms = malloc((SCENE_MAX_INFLUENCES * vertexCount + 1) * sizeof(uint16_t));
	weights->weights = malloc((SCENE_MAX_INFLUENCES * vertexCount + 1) * sizeof(float));
	if (weights->starts == NULL || weights->transforms == NULL || weights->weights == NULL)
	{
		return false;
	}
	weights->starts[0] = 0;
	for (uint32_t v = 0; v < vertexCount; ++v)
	{
		WeighVertex(m, v);
	}
	return true;
}

// ---- Morph targets ---------------------------------------------------------------------------------------------

static bool MakeTargets(maker* m)
{
	const sceneAnatomy* a = m->anatomy;
	size_t vertexCount = m->out->mesh.vertexCount;
	sceneTargets* targets = &m->out->targets;
	if (!sceneTargets_Allocate(targets, vertexCount, (uint32_t)a->spotCount))
	{
		return false;
	}
	uint32_t count = 0;
	for (size_t v = 0; v < vertexCount; ++v)
	{
		targets->starts[v] = count;
		for (int i = 0; i < a->spotCount; ++i)
		{
			const sceneSpot* spot = a->spots + i;
			double square = 0.0;
			for (size_t k = 0; k < 3; ++k)
			{
				double d = ((double)m->out->mesh.positions[3 * v + k] - spot->center[k]) / spot->radius;
				square += d * d;
			}
			if (square < 1.0)
			{
				double part = (1.0 - square) * (1.0 - square);
				targets->fields[count] = (uint16_t)i;
				for (size_t k = 0; k < 3; ++k)
				{
					targets->displacements[3 * (size_t)count + k] = (float)(part * spot->displacement[k]);
				}
				++count;
			}
		}
	}
	targets->starts[vertexCount] = count;
	return true;
}

// ---- Characters ------------------------------------------------------------------------------------------------

bool sceneCharacter_Create(sceneCharacter* character, sceneCharacterKind kind)
{
	maker m = { .anatomy = sceneGetAnatomy(kind), .out = character };
	*character = (sceneCharacter){ .kind = kind, .name = m.anatomy->name };
	AddJoints(&m);
	AddShapes(&m);
	bool good = MakeMesh(&m) && MakeWeights(&m) && MakeTargets(&m);
	if (!good)
	{
		sceneCharacter_Free(character);
	}
	return good;
}

void sceneCharacter_Free(sceneCharacter* character)
{
	sceneMesh_Free(&character->mesh);
	sceneWeights_Free(&character->weights);
	sceneTargets_Free(&character->targets);
}

bool sceneTargets_Allocate(sceneTargets* targets, size_t vertexCount, uint32_t fieldCount)
{
	size_t most = vertexCount * fieldCount;
	targets->count = fieldCount;
	targets->starts = calloc(vertexCount + 1, sizeof(uint32_t));
	targets->fields = malloc((most + 1) * sizeof(uint16_t));
	targets->displacements = malloc((most + 1) * 3 * sizeof(float));
	return targets->starts != NULL && targets->fields != NULL && targets->displacements != NULL;
}

void sceneTargets_Free(sceneTargets* targets)
{
	free(targets->starts);
	free(targets->fields);
	free(targets->displacements);
	*targets = (sceneTargets){ 0 };
}

snugFieldsDef sceneTargets_Get(const sceneTargets* targets)
{
	return (snugFieldsDef){ .fieldCount = targets->count,
		.starts = targets->starts,
		.fields = targets->fields,
		.displacements = targets->displacements };
}

snugModelDef sceneCharacter_MakeDef(const sceneCharacter* character, snugBlending blending)
{
	snugModelDef def = sceneMakeBlendDef(&character->mesh, &character->weights, (snugTreeDef){ 0 });
	def.deformer = snug_skin;
	def.skin.blending = blending;
	def.skin.jointPositions = character->jointPositions;
	return def;
}
