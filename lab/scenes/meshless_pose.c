// Poses of meshless bodies and of tubes. See meshless.h.
#include "lab/scenes/meshless.h"

#include "solvers/sine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// How strong a bending of 1 is, in units of the body's half length. Chosen so that Eq. (12) of the 2008 paper, and
/// nothing else, is as loose at the root as published.
#define PULL_LENGTH 0.72
#define PULL_RADIUS 1.1
#define TWIST_ANGLE 1.05
#define BEND_ANGLE 0.55

/// A point and how it depends on where it started: column i of `change` is its derivative by the start's coordinate i.
typedef struct movingPoint
{
	double place[3];
	double change[3][3]; // [component][start coordinate]
} movingPoint;

// change = derivative * change
static void Chain(movingPoint* p, double derivative[3][3])
{
	double product[3][3];
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			product[i][k] = derivative[i][0] * p->change[0][k] + derivative[i][1] * p->change[1][k] +
			                derivative[i][2] * p->change[2][k];
		}
	}
	memcpy(p->change, product, sizeof(product));
}

// Everything within a ball about a spot near one end follows a hand: by (1 - q)^3, q the squared distance over the
// squared radius.
static void Pull(movingPoint* p, double amount)
{
	static const double spot[3] = { 0.75, 0.25, 0.35 }, direction[3] = { 0.45, 0.8, 0.4 };
	double q = 0.0, derivative[3][3];
	for (int k = 0; k < 3; ++k)
	{
		double d = p->place[k] - spot[k];
		q += d * d / (PULL_RADIUS * PULL_RADIUS);
	}
	double u = q < 1.0 ? 1.0 - q : 0.0;
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			double slope = -6.0 * u * u * (p->place[k] - spot[k]) / (PULL_RADIUS * PULL_RADIUS);
			derivative[i][k] = (i == k ? 1.0 : 0.0) + amount * PULL_LENGTH * direction[i] * slope;
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		p->place[k] += amount * PULL_LENGTH * direction[k] * u * u * u;
	}
	Chain(p, derivative);
}

// About axis 0, by an angle that grows along it.
static void Twist(movingPoint* p, double amount)
{
	double rate = amount * TWIST_ANGLE, angle = rate * p->place[0];
	double c = sceneCosine(angle), s = sceneSine(angle), y = p->place[1], z = p->place[2];
	double derivative[3][3] = { { 1.0, 0.0, 0.0 }, { rate * (-s * y - c * z), c, -s },
		{ rate * (c * y - s * z), s, c } };
	p->place[1] = c * y - s * z;
	p->place[2] = s * y + c * z;
	Chain(p, derivative);
}

// Axis 0 becomes an arc in the plane of axes 0 and 1: (x, y) goes to radius R - y, angle x / R, about (0, R).
static void Bend(movingPoint* p, double amount)
{
	double curvature = amount * BEND_ANGLE;
	if (curvature == 0.0)
	{
		return;
	}
	double angle = curvature * p->place[0], c = sceneCosine(angle), s = sceneSine(angle);
	double radius = 1.0 / curvature - p->place[1];
	double derivative[3][3] = { { curvature * radius * c, -s, 0.0 }, { curvature * radius * s, c, 0.0 },
		{ 0.0, 0.0, 1.0 } };
	p->place[0] = radius * s;
	p->place[1] = 1.0 / curvature - radius * c;
	Chain(p, derivative);
}

void sceneMeshless_Map(const sceneMeshless* body, const sceneBending* bending, const double point[3], double image[3],
    double gradient[3][3])
{
	movingPoint p = { .change = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } } };
	for (int k = 0; k < 3; ++k)
	{
		p.place[k] = (point[body->axes[k]] - body->center[body->axes[k]]) / body->size;
	}
	Pull(&p, bending->pull);
	Twist(&p, bending->twist);
	Bend(&p, bending->bend);
	for (int k = 0; k < 3; ++k)
	{
		image[body->axes[k]] = body->center[body->axes[k]] + body->size * p.place[k];
		for (int i = 0; i < 3; ++i)
		{
			gradient[body->axes[i]][body->axes[k]] = p.change[k][i];
		}
	}
}

void sceneMeshless_PoseNodes(const sceneMeshless* body, const sceneBending* bending, snugMeshlessNode* nodes)
{
	for (uint32_t j = 0; j < body->weights.transformCount; ++j)
	{
		snugMeshlessNode* node = nodes + j;
		double rest[3], image[3], gradient[3][3];
		for (int k = 0; k < 3; ++k)
		{
			node->position[k] = body->nodes[3 * (size_t)j + (size_t)k];
			rest[k] = (double)node->position[k];
		}
		sceneMeshless_Map(body, bending, rest, image, gradient);
		for (int i = 0; i < 3; ++i)
		{
			node->displacement[i] = (float)(image[i] - rest[i]);
			for (int k = 0; k < 3; ++k)
			{
				node->gradient[i][k] = (float)(gradient[i][k] - (i == k ? 1.0 : 0.0));
			}
		}
	}
}

void sceneMakeMatrices(const snugMeshlessNode* nodes, uint32_t count, float* matrices)
{
	for (uint32_t j = 0; j < count; ++j)
	{
		float* m = matrices + 12 * (size_t)j;
		for (int i = 0; i < 3; ++i)
		{
			double t = (double)nodes[j].displacement[i];
			for (int k = 0; k < 3; ++k)
			{
				double g = (double)nodes[j].gradient[k][i];
				t -= g * (double)nodes[j].position[k];
				m[4 * i + k] = (float)(g + (i == k ? 1.0 : 0.0));
			}
			m[4 * i + 3] = (float)t;
		}
	}
}

// ---- Tubes -----------------------------------------------------------------------------------------------------

// Rings of vertices, narrower towards the round ends, and a point at either end.
static sceneMesh MakeTube(uint32_t around, uint32_t along, double radius)
{
	sceneMesh mesh = sceneMesh_Allocate((uint64_t)around * along + 2, 2 * (uint64_t)around * along);
	if (!sceneMesh_IsValid(&mesh))
	{
		return mesh;
	}
	float* p = mesh.positions;
	for (uint32_t y = 0; y < along; ++y)
	{
		double z = ((double)y + 0.5) / (double)along, end = z < 0.5 ? z : 1.0 - z;
		double inset = end < radius ? radius - end : 0.0, wide = sqrt(radius * radius - inset * inset);
		for (uint32_t x = 0; x < around; ++x, p += 3)
		{
			double angle = 2.0 * SCENE_PI * (double)x / (double)around;
			p[0] = (float)(wide * sceneCosine(angle));
			p[1] = (float)(wide * sceneSine(angle));
			p[2] = (float)z;
		}
	}
	const float ends[6] = { 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f };
	memcpy(p, ends, sizeof(ends));
	uint32_t* t = mesh.triangles;
	uint32_t bottom = around * along, top = bottom + 1;
	for (uint32_t x = 0; x < around; ++x)
	{
		uint32_t right = x + 1 < around ? x + 1 : 0, last = (along - 1) * around;
		const uint32_t caps[6] = { bottom, right, x, top, last + x, last + right };
		memcpy(t, caps, sizeof(caps));
		t += 6;
		for (uint32_t y = 0; y + 1 < along; ++y, t += 6)
		{
			uint32_t a = y * around + x, b = y * around + right;
			const uint32_t quad[6] = { a, b, b + around, a, b + around, a + around };
			memcpy(t, quad, sizeof(quad));
		}
	}
	return mesh;
}

// The four joints whose segments are nearest, by (1 - d^2)^3 with d the distance from the segment's middle over two
// segments' length.
static void MakeTubeWeights(sceneTube* tube)
{
	sceneWeights* weights = &tube->weights;
	double joints = (double)weights->transformCount;
	uint32_t total = 0;
	for (uint32_t v = 0; v < tube->mesh.vertexCount; ++v)
	{
		double z = (double)tube->mesh.positions[3 * (size_t)v + 2] * joints - 0.5, sum = 0.0;
		double first = floor(z) - 1.0;
		weights->starts[v] = total;
		for (double j = first; j < first + 4.0; j += 1.0)
		{
			double d = 0.5 * (z - j), u = 1.0 - d * d;
			if (j >= 0.0 && j < joints && u > 0.01)
			{
				weights->transforms[total] = (uint16_t)j;
				weights->weights[total++] = (float)(u * u * u);
				sum += u * u * u;
			}
		}
		for (uint32_t k = weights->starts[v]; k < total; ++k)
		{
			weights->weights[k] = (float)((double)weights->weights[k] / sum);
		}
	}
	weights->starts[tube->mesh.vertexCount] = total;
}

bool sceneTube_Create(sceneTube* tube, uint32_t around, uint32_t along, uint32_t joints, double radius)
{
	*tube = (sceneTube){ .mesh = MakeTube(around, along, radius), .radius = radius };
	sceneWeights* weights = &tube->weights;
	size_t vertexCount = tube->mesh.vertexCount;
	weights->transformCount = joints;
	weights->starts = malloc((vertexCount + 1) * sizeof(uint32_t));
	weights->transforms = malloc(4 * (vertexCount + 1) * sizeof(uint16_t));
	weights->weights = malloc(4 * (vertexCount + 1) * sizeof(float));
	bool good = sceneMesh_IsValid(&tube->mesh) && weights->starts != NULL && weights->transforms != NULL &&
	            weights->weights != NULL;
	if (good)
	{
		MakeTubeWeights(tube);
	}
	else
	{
		sceneTube_Free(tube);
	}
	return good;
}

void sceneTube_Free(sceneTube* tube)
{
	sceneMesh_Free(&tube->mesh);
	sceneWeights_Free(&tube->weights);
}

// Joint j sits at the lower end of segment j and turns about x; its parent is joint j - 1. `tip` is where joint j ends
// up.
void sceneTube_Pose(const sceneTube* tube, double angle, double roll, float* matrices)
{
	double count = (double)tube->weights.transformCount, length = 1.0 / count;
	double tip[3] = { 0.0, 0.0, 0.0 };
	for (uint32_t j = 0; j < tube->weights.transformCount; ++j)
	{
		double along = ((double)j + 0.5) / count;
		double bend = angle * sceneSine(2.0 * SCENE_PI * along), turn = roll * along;
		double c = sceneCosine(bend), s = sceneSine(bend), d = sceneCosine(turn), e = sceneSine(turn);
		// About x by `bend` after about z by `turn`.
		const double m[3][3] = { { d, -e, 0.0 }, { c * e, c * d, -s }, { s * e, s * d, c } };
		for (int i = 0; i < 3; ++i)
		{
			float* row = matrices + 12 * (size_t)j + 4 * i;
			for (int k = 0; k < 3; ++k)
			{
				row[k] = (float)m[i][k];
			}
			row[3] = (float)(tip[i] - m[i][2] * (double)j * length);
			tip[i] += m[i][2] * length;
		}
	}
}
