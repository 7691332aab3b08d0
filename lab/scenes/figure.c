#include "lab/scenes/figure.h"

#include "lab/scenes/figure_shapes.h"
#include "lab/scenes/relax.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define RELAX_ROUNDS 12
#define ATTEMPTS 8
// Metres over which weights are evened out at the end.
#define SMOOTH_LENGTH 0.02

const sceneFigureShape* sceneGetFigureShape(sceneCharacterKind kind)
{
	return kind == scene_man ? &sceneMan : &sceneCreature;
}

/// While it is made.
typedef struct maker
{
	const sceneFigureShape* shape;
	sceneFigure* out;
	sceneTubes body;
	double edge;
	float* rows; // (vertexCount * jointCount): weights before the four largest are chosen
} maker;

// ---- Mirroring -------------------------------------------------------------------------------------------------

static void AddJoints(maker* m)
{
	int middle = m->shape->middleJoints, left = m->shape->leftJoints;
	sceneCharacter* c = &m->out->character;
	for (int i = 0; i < middle + 2 * left; ++i)
	{
		bool isRight = i >= middle + left;
		int from = isRight ? i - left : i;
		const char* side = i < middle ? "" : isRight ? "right " : "left ";
		sceneJoint joint = m->shape->joints[from];
		joint.parent += isRight && joint.parent >= middle ? left : 0;
		joint.position[0] *= isRight ? -1.0 : 1.0;
		joint.end[0] *= isRight ? -1.0 : 1.0;
		c->joints[i] = joint;
		snprintf(m->out->jointNames[i], SCENE_MAX_NAME, "%s%s", side, m->shape->jointNames[from]);
		for (int k = 0; k < 3; ++k)
		{
			c->jointPositions[3 * i + k] = (float)joint.position[k];
		}
	}
	c->weights.transformCount = (uint32_t)(middle + 2 * left);
}

static bool AddTubes(maker* m)
{
	bool good = true;
	m->body.hasFloor = true;
	for (int i = 0; i < m->shape->tubeCount && good; ++i)
	{
		sceneLimb tube = m->shape->tubes[i];
		good = sceneTubes_Add(&m->body, &tube);
		for (int k = 0; k < tube.knotCount; ++k)
		{
			tube.knots[k].at[0] *= -1.0;
			tube.knots[k].joint += tube.knots[k].joint >= m->shape->middleJoints ? m->shape->leftJoints : 0;
		}
		tube.flat[0] *= -1.0;
		good = good && (!tube.isPaired || sceneTubes_Add(&m->body, &tube));
	}
	return good;
}

// ---- The surface -----------------------------------------------------------------------------------------------

// Where a grid is too coarse for the space between two toes it may join them; another one, finer by a little, may not.
// If none will do the last one is taken: it is closed, but toes or fingers may have grown together.
static bool MakeNet(maker* m)
{
	sceneMesh* mesh = &m->out->character.mesh;
	// Relaxed triangles have sides of about 0.9 cells.
	double cell = m->edge / 0.9;
	int isGood = 0;
	for (int attempt = 0; attempt < ATTEMPTS && isGood == 0; ++attempt)
	{
		sceneMesh_Free(mesh);
		*mesh = sceneTubes_MakeMesh(&m->body, cell);
		isGood = sceneMesh_IsValid(mesh) ? sceneClose(mesh) : -1;
		cell *= 0.993;
	}
	return isGood >= 0;
}

static bool MakeSurface(maker* m)
{
	sceneMesh* mesh = &m->out->character.mesh;
	if (!MakeNet(m) || !sceneRelax(&m->body, mesh, RELAX_ROUNDS))
	{
		return false;
	}
	m->out->normals = malloc((3 * (size_t)mesh->vertexCount + 1) * sizeof(float));
	for (size_t v = 0; v < mesh->vertexCount && m->out->normals != NULL; ++v)
	{
		const float* p = mesh->positions + 3 * v;
		double normal[3];
		sceneTubes_GetNormal(&m->body, (const double[3]){ (double)p[0], (double)p[1], (double)p[2] }, normal);
		for (size_t k = 0; k < 3; ++k)
		{
			m->out->normals[3 * v + k] = (float)normal[k];
		}
	}
	return m->out->normals != NULL;
}

// ---- Weights ---------------------------------------------------------------------------------------------------

static double SmoothStep(double t)
{
	t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
	return t * t * (3.0 - 2.0 * t);
}

// Along a tube a joint takes over from the one before it around the knot where it begins, over the tube's radius on
// both sides.
static void WeighAlong(const sceneTubes* body, uint32_t number, double way, double part, float* row)
{
	const sceneLimb* tube = body->tubes + number;
	double left = part;
	for (int i = tube->knotCount - 1; i > 0; --i)
	{
		if (tube->knots[i].joint != tube->knots[i - 1].joint)
		{
			double from = sceneTubes_GetWay(body, number, i), reach = tube->knots[i].radius;
			double passed = left * SmoothStep(0.5 + 0.5 * (way - from) / reach);
			row[tube->knots[i].joint] += (float)passed;
			left -= passed;
		}
	}
	row[tube->knots[0].joint] += (float)left;
}

static void WeighVertex(const maker* m, size_t vertex)
{
	const float* p = m->out->character.mesh.positions + 3 * vertex;
	const double point[3] = { (double)p[0], (double)p[1], (double)p[2] };
	double distances[SCENE_MAX_TUBES], ways[SCENE_MAX_TUBES], parts[SCENE_MAX_TUBES], sum = 0.0;
	uint32_t nearest = 0, count = m->body.tubeCount;
	for (uint32_t i = 0; i < count; ++i)
	{
		distances[i] = sceneTubes_Locate(&m->body, i, point, ways + i);
		nearest = distances[i] < distances[nearest] ? i : nearest;
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		double reach = m->body.tubes[i].reach, other = m->body.tubes[nearest].reach;
		double part = SmoothStep(1.0 - (distances[i] - distances[nearest]) / (reach < other ? reach : other));
		parts[i] = part * part;
		sum += parts[i];
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		if (parts[i] > 0.0)
		{
			float* row = m->rows + vertex * m->out->character.weights.transformCount;
			WeighAlong(&m->body, i, ways[i], parts[i] / sum, row);
		}
	}
}

// Each vertex takes half of its weights from its neighbours, so often that they spread over a length that does not
// depend on how fine the mesh is.
static bool SmoothWeights(maker* m)
{
	const sceneMesh* mesh = &m->out->character.mesh;
	size_t joints = m->out->character.weights.transformCount, size = joints * mesh->vertexCount;
	sceneNeighbours neighbours = { 0 };
	float* next = malloc((size + 1) * sizeof(float));
	bool good = next != NULL && sceneNeighbours_Make(&neighbours, mesh);
	double rounds = 2.0 * (SMOOTH_LENGTH / m->edge) * (SMOOTH_LENGTH / m->edge);
	for (int round = 0; good && (double)round < rounds; ++round)
	{
		for (size_t v = 0; v < mesh->vertexCount; ++v)
		{
			uint32_t begin = neighbours.starts[v], end = neighbours.starts[v + 1];
			float share = 0.5f / (float)(end - begin);
			for (size_t j = 0; j < joints; ++j)
			{
				next[v * joints + j] = 0.5f * m->rows[v * joints + j];
			}
			for (uint32_t i = begin; i < end; ++i)
			{
				const float* from = m->rows + neighbours.others[i] * joints;
				for (size_t j = 0; j < joints; ++j)
				{
					next[v * joints + j] += share * from[j];
				}
			}
		}
		float* swap = m->rows;
		m->rows = next;
		next = swap;
	}
	sceneNeighbours_Free(&neighbours);
	free(next);
	return good;
}

// The four largest, those below a hundredth left out, with sum 1.
static void ChooseWeights(const maker* m, uint32_t vertex)
{
	sceneWeights* weights = &m->out->character.weights;
	float* row = m->rows + (size_t)vertex * weights->transformCount;
	uint16_t chosen[SCENE_MAX_INFLUENCES];
	uint32_t count = 0, start = weights->starts[vertex];
	double sum = 0.0;
	for (; count < SCENE_MAX_INFLUENCES; ++count)
	{
		uint32_t most = 0;
		for (uint32_t j = 1; j < weights->transformCount; ++j)
		{
			most = row[j] > row[most] ? j : most;
		}
		if (row[most] < 0.01f)
		{
			break;
		}
		chosen[count] = (uint16_t)most;
		weights->weights[start + count] = row[most];
		sum += (double)row[most];
		row[most] = 0.0f;
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		uint32_t place = 0;
		float weight = (float)((double)weights->weights[start + i] / sum);
		weights->weights[start + i] = weight;
		for (uint32_t k = 0; k < count; ++k)
		{
			place += chosen[k] < chosen[i];
		}
		weights->transforms[start + place] = chosen[i];
		row[place] = weight;
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		weights->weights[start + i] = row[i];
	}
	weights->starts[vertex + 1] = start + count;
}

static bool MakeWeights(maker* m)
{
	size_t vertexCount = m->out->character.mesh.vertexCount;
	sceneWeights* weights = &m->out->character.weights;
	weights->starts = calloc(vertexCount + 1, sizeof(uint32_t));
	weights->transforms = malloc((SCENE_MAX_INFLUENCES * vertexCount + 1) * sizeof(uint16_t));
	weights->weights = malloc((SCENE_MAX_INFLUENCES * vertexCount + 1) * sizeof(float));
	m->rows = calloc(vertexCount * weights->transformCount + 1, sizeof(float));
	if (weights->starts == NULL || weights->transforms == NULL || weights->weights == NULL || m->rows == NULL)
	{
		return false;
	}
	for (size_t v = 0; v < vertexCount; ++v)
	{
		WeighVertex(m, v);
	}
	bool good = SmoothWeights(m);
	for (uint32_t v = 0; v < vertexCount && good; ++v)
	{
		ChooseWeights(m, v);
	}
	return good;
}

// ---- Morph targets ---------------------------------------------------------------------------------------------

static void AddSwell(const maker* m, const sceneSwell* swell, bool isMirrored, size_t vertex, double out[3])
{
	const float* p = m->out->character.mesh.positions + 3 * vertex;
	double square = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		double sign = isMirrored && k == 0 ? -1.0 : 1.0, d = ((double)p[k] - sign * swell->center[k]) / swell->radius;
		square += d * d;
	}
	double part = square < 1.0 ? (1.0 - square) * (1.0 - square) : 0.0;
	for (int k = 0; k < 3; ++k)
	{
		double sign = isMirrored && k == 0 ? -1.0 : 1.0;
		out[k] += part * (sign * swell->move[k] + swell->swell * (double)m->out->normals[3 * vertex + (size_t)k]);
	}
}

static bool MakeTargets(maker* m)
{
	size_t vertexCount = m->out->character.mesh.vertexCount;
	sceneTargets* targets = &m->out->character.targets;
	if (!sceneTargets_Allocate(targets, vertexCount, (uint32_t)m->shape->targetCount))
	{
		return false;
	}
	uint32_t count = 0;
	for (size_t v = 0; v < vertexCount; ++v)
	{
		double moves[SCENE_MAX_TARGETS][3] = { { 0.0 } };
		for (int i = 0; i < m->shape->swellCount; ++i)
		{
			const sceneSwell* swell = m->shape->swells + i;
			for (int mirror = 0; mirror < (swell->isPaired ? 2 : 1); ++mirror)
			{
				AddSwell(m, swell, mirror == 1, v, moves[swell->target]);
			}
		}
		for (uint32_t t = 0; t < targets->count; ++t)
		{
			if (moves[t][0] != 0.0 || moves[t][1] != 0.0 || moves[t][2] != 0.0)
			{
				targets->fields[count] = (uint16_t)t;
				for (size_t k = 0; k < 3; ++k)
				{
					targets->displacements[3 * (size_t)count + k] = (float)moves[t][k];
				}
				++count;
			}
		}
		targets->starts[v + 1] = count;
	}
	return true;
}

// ---- Figures ---------------------------------------------------------------------------------------------------

static bool MakeClips(maker* m)
{
	m->out->clips = calloc(SCENE_CLIPS, sizeof(sceneClip));
	for (int i = 0; i < SCENE_CLIPS && m->out->clips != NULL; ++i)
	{
		sceneMakeClip(m->out, (sceneClipKind)i, m->out->clips + i);
	}
	return m->out->clips != NULL;
}

bool sceneFigure_Create(sceneFigure* figure, const sceneFigureDef* def)
{
	const sceneFigureShape* shape = sceneGetFigureShape(def->kind);
	maker m = { .shape = shape, .out = figure, .edge = def->edge > 0.0 ? def->edge : shape->edge };
	*figure = (sceneFigure){ .character = { .kind = def->kind, .name = shape->name },
		.targetNames = shape->targetNames,
		.color = { shape->color[0], shape->color[1], shape->color[2] } };
	AddJoints(&m);
	bool good = AddTubes(&m) && MakeSurface(&m) && MakeWeights(&m) && MakeTargets(&m) && MakeClips(&m);
	sceneTubes_Free(&m.body);
	free(m.rows);
	if (!good)
	{
		sceneFigure_Free(figure);
	}
	return good;
}

void sceneFigure_Free(sceneFigure* figure)
{
	sceneCharacter_Free(&figure->character);
	free(figure->normals);
	free(figure->clips);
	figure->normals = NULL;
	figure->clips = NULL;
}
