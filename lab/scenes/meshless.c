#include "lab/scenes/meshless.h"

#include "base/vec.h"
#include "lab/scenes/motion.h"
#include "solvers/sine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Shape -----------------------------------------------------------------------------------------------------

// Ridges are where a wave crosses zero: |sine| has a crease there, as a brain has furrows.
static double Ridge(double x)
{
	double s = sceneSine(x);
	return s < 0.0 ? -s : s;
}

void sceneFoldBrain(sceneMesh* sphere, uint64_t seed)
{
	static const double scale[3] = { 1.0, 0.85, 1.3 };
	sceneWaves swell = sceneMakeWaves(seed, 1.0);
	for (size_t i = 0; i < sphere->vertexCount; ++i)
	{
		float* p = sphere->positions + 3 * i;
		double x = (double)p[0], y = (double)p[1], z = (double)p[2], radius = 0.95;
		for (int k = 0; k < SCENE_WAVES; ++k)
		{
			radius += SCENE_WAVE_HEIGHT * sceneWaves_Evaluate(&swell, k, p);
		}
		radius += 0.05 * Ridge(11.0 * x + 3.0 * sceneSine(5.0 * y) + 2.0 * z);
		radius += 0.05 * Ridge(10.0 * y + 2.5 * sceneSine(6.0 * z) - 3.0 * x);
		radius += 0.05 * Ridge(9.0 * z + 3.0 * sceneSine(5.0 * x));
		for (int k = 0; k < 3; ++k)
		{
			p[k] = (float)(scale[k] * radius * (double)p[k]);
		}
	}
}

sceneMesh sceneMakeBrain(uint32_t frequency, uint64_t seed)
{
	sceneMesh mesh = sceneMakeSphere(frequency);
	sceneFoldBrain(&mesh, seed);
	return mesh;
}

static void MeasureBox(sceneMeshless* body)
{
	double lower[3] = { INFINITY, INFINITY, INFINITY }, upper[3] = { -INFINITY, -INFINITY, -INFINITY };
	for (size_t i = 0; i < 3 * (size_t)body->mesh.vertexCount; ++i)
	{
		double x = (double)body->mesh.positions[i];
		lower[i % 3] = x < lower[i % 3] ? x : lower[i % 3];
		upper[i % 3] = x > upper[i % 3] ? x : upper[i % 3];
	}
	int longest = 0;
	for (int k = 0; k < 3; ++k)
	{
		body->center[k] = 0.5 * (lower[k] + upper[k]);
		longest = upper[k] - lower[k] > upper[longest] - lower[longest] ? k : longest;
	}
	body->size = 0.5 * (upper[longest] - lower[longest]);
	for (int k = 0; k < 3; ++k)
	{
		body->axes[k] = (longest + k) % 3;
	}
}

// ---- Nodes -----------------------------------------------------------------------------------------------------
//
// Candidates are the points of a grid that lie inside, by the parity of crossings along lines in x. A line that meets
// an edge just so may count wrongly, which lets a few candidates outside in: that harms nothing. The vertices
// themselves serve too if there is too little inside. Farthest-point sampling then spreads the nodes.

#define GRID 40

typedef struct candidates
{
	float* points; // room for GRID^3 and all vertices
	uint32_t count;
} candidates;

// Where a line in x through (y, z) crosses a triangle; false if it does not.
static bool CrossTriangle(const float* a, const float* b, const float* c, double y, double z, double* x)
{
	double ab = ((double)b[1] - (double)a[1]) * (z - (double)a[2]) - ((double)b[2] - (double)a[2]) * (y - (double)a[1]);
	double bc = ((double)c[1] - (double)b[1]) * (z - (double)b[2]) - ((double)c[2] - (double)b[2]) * (y - (double)b[1]);
	double ca = ((double)a[1] - (double)c[1]) * (z - (double)c[2]) - ((double)a[2] - (double)c[2]) * (y - (double)c[1]);
	double area = ab + bc + ca;
	bool inside = (ab >= 0.0 && bc >= 0.0 && ca >= 0.0) || (ab < 0.0 && bc < 0.0 && ca < 0.0);
	if (!inside || area == 0.0)
	{
		return false;
	}
	*x = (bc * (double)a[0] + ca * (double)b[0] + ab * (double)c[0]) / area;
	return true;
}

// Grid coordinate of line or point i, off the simple fractions where meshes like to have their vertices.
static double GridPoint(const sceneMeshless* body, int axis, int i)
{
	return body->center[axis] + body->size * (2.0 * ((double)i + 0.4937) / GRID - 1.0);
}

static int GridIndex(const sceneMeshless* body, int axis, double x)
{
	double i = ((x - body->center[axis]) / body->size + 1.0) * (0.5 * GRID) - 0.4937;
	return i < 0.0 ? 0 : i > (double)GRID ? GRID : (int)i;
}

// Flip every point of the lines that cross a triangle and lie beyond it: in the end those inside are odd.
static void FlipTriangle(const sceneMeshless* body, const uint32_t* corners, unsigned char* parity)
{
	const float* p[3];
	int first[3], last[3];
	for (int i = 0; i < 3; ++i)
	{
		p[i] = body->mesh.positions + 3 * (size_t)corners[i];
	}
	for (int k = 1; k < 3; ++k)
	{
		double low = fmin((double)p[0][k], fmin((double)p[1][k], (double)p[2][k]));
		double high = fmax((double)p[0][k], fmax((double)p[1][k], (double)p[2][k]));
		first[k] = GridIndex(body, k, low);
		last[k] = GridIndex(body, k, high) + 1;
	}
	for (int j = first[1]; j < GRID && j <= last[1]; ++j)
	{
		for (int k = first[2]; k < GRID && k <= last[2]; ++k)
		{
			double x;
			if (CrossTriangle(p[0], p[1], p[2], GridPoint(body, 1, j), GridPoint(body, 2, k), &x))
			{
				for (int i = GRID - 1; i >= 0 && GridPoint(body, 0, i) > x; --i)
				{
					parity[(k * GRID + j) * GRID + i] ^= 1u;
				}
			}
		}
	}
}

static bool FindCandidates(const sceneMeshless* body, uint32_t wanted, candidates* out)
{
	unsigned char* parity = calloc(GRID * GRID * GRID, 1);
	out->count = 0;
	out->points = malloc((GRID * GRID * GRID + (size_t)body->mesh.vertexCount) * 3 * sizeof(float));
	if (parity == NULL || out->points == NULL)
	{
		free(parity);
		return false;
	}
	for (size_t t = 0; t < body->mesh.triangleCount; ++t)
	{
		FlipTriangle(body, body->mesh.triangles + 3 * t, parity);
	}
	for (int i = 0; i < GRID * GRID * GRID; ++i)
	{
		if (parity[i] != 0)
		{
			float* point = out->points + 3 * (size_t)out->count++;
			point[0] = (float)GridPoint(body, 0, i % GRID);
			point[1] = (float)GridPoint(body, 1, i / GRID % GRID);
			point[2] = (float)GridPoint(body, 2, i / GRID / GRID);
		}
	}
	if (out->count < 4 * (uint64_t)wanted)
	{
		size_t floats = 3 * (size_t)body->mesh.vertexCount;
		memcpy(out->points + 3 * (size_t)out->count, body->mesh.positions, floats * sizeof(float));
		out->count += body->mesh.vertexCount;
	}
	free(parity);
	return true;
}

// Each node is the candidate farthest from all nodes so far; the first is the first candidate.
static bool SpreadNodes(sceneMeshless* body, const candidates* from)
{
	double* distances = malloc((size_t)from->count * sizeof(double));
	if (distances == NULL)
	{
		return false;
	}
	for (uint32_t i = 0; i < from->count; ++i)
	{
		distances[i] = INFINITY;
	}
	uint32_t next = 0;
	for (uint32_t j = 0; j < body->weights.transformCount; ++j)
	{
		float* node = body->nodes + 3 * (size_t)j;
		memcpy(node, from->points + 3 * (size_t)next, 3 * sizeof(float));
		for (uint32_t i = 0; i < from->count; ++i)
		{
			double d = sgPointDistance2(from->points + 3 * (size_t)i, node);
			distances[i] = d < distances[i] ? d : distances[i];
			next = distances[i] > distances[next] ? i : next;
		}
	}
	free(distances);
	return true;
}

// ---- Weights ---------------------------------------------------------------------------------------------------

static double MeanInfluences(const sceneMeshless* body, double support2, uint32_t step)
{
	uint64_t count = 0, vertices = 0;
	for (uint32_t v = 0; v < body->mesh.vertexCount; v += step, ++vertices)
	{
		for (uint32_t j = 0; j < body->weights.transformCount; ++j)
		{
			count += sgPointDistance2(body->mesh.positions + 3 * (size_t)v, body->nodes + 3 * (size_t)j) < support2;
		}
	}
	return (double)count / (double)vertices;
}

// The largest distance, over all vertices, to the second nearest node (or the nearest, if there is one only).
static double SecondDistance2(const sceneMeshless* body)
{
	double most = 0.0;
	for (uint32_t v = 0; v < body->mesh.vertexCount; ++v)
	{
		double nearest = INFINITY, second = INFINITY;
		for (uint32_t j = 0; j < body->weights.transformCount; ++j)
		{
			double d = sgPointDistance2(body->mesh.positions + 3 * (size_t)v, body->nodes + 3 * (size_t)j);
			double larger = d > nearest ? d : nearest;
			second = larger < second ? larger : second;
			nearest = d < nearest ? d : nearest;
		}
		second = second < INFINITY ? second : nearest;
		most = second > most ? second : most;
	}
	return most;
}

static void ChooseSupport(sceneMeshless* body, double influences)
{
	uint32_t step = 1 + body->mesh.vertexCount / 2000;
	double low = 0.0, high = 4.0 * body->size;
	for (int i = 0; i < 40; ++i)
	{
		double middle = 0.5 * (low + high);
		bool isMore = MeanInfluences(body, middle * middle, step) > influences;
		low = isMore ? low : middle;
		high = isMore ? middle : high;
	}
	// One support for all keeps weights smooth; a little more than just reaching gives the second node some weight.
	double needed = 1.1 * sqrt(SecondDistance2(body));
	body->support = high > needed ? high : needed;
}

// Weights of a vertex, behind those of earlier ones; with `out` null they are only counted.
static uint32_t WeighVertex(const sceneMeshless* body, uint32_t vertex, uint16_t* transforms, float* out)
{
	double support2 = body->support * body->support, sum = 0.0;
	const float* p = body->mesh.positions + 3 * (size_t)vertex;
	uint32_t count = 0;
	for (uint32_t j = 0; j < body->weights.transformCount; ++j)
	{
		double u = 1.0 - sgPointDistance2(p, body->nodes + 3 * (size_t)j) / support2;
		// Less would be lost when the vertex is blended.
		if (u * u * u < 0x1p-22 || u <= 0.0)
		{
			continue;
		}
		if (out != NULL)
		{
			transforms[count] = (uint16_t)j;
			out[count] = (float)(u * u * u);
			sum += u * u * u;
		}
		++count;
	}
	for (uint32_t k = 0; out != NULL && k < count; ++k)
	{
		out[k] = (float)((double)out[k] / sum);
	}
	return count;
}

static bool MakeWeights(sceneMeshless* body)
{
	sceneWeights* weights = &body->weights;
	uint32_t vertexCount = body->mesh.vertexCount;
	weights->starts = malloc(((size_t)vertexCount + 1) * sizeof(uint32_t));
	if (weights->starts == NULL)
	{
		return false;
	}
	weights->starts[0] = 0;
	for (uint32_t v = 0; v < vertexCount; ++v)
	{
		weights->starts[v + 1] = weights->starts[v] + WeighVertex(body, v, NULL, NULL);
	}
	size_t total = weights->starts[vertexCount];
	weights->transforms = malloc((total + 1) * sizeof(uint16_t));
	weights->weights = malloc((total + 1) * sizeof(float));
	if (weights->transforms == NULL || weights->weights == NULL)
	{
		return false;
	}
	for (uint32_t v = 0; v < vertexCount; ++v)
	{
		size_t start = weights->starts[v];
		WeighVertex(body, v, weights->transforms + start, weights->weights + start);
	}
	return true;
}

void sceneWeights_Free(sceneWeights* weights)
{
	free(weights->starts);
	free(weights->transforms);
	free(weights->weights);
	*weights = (sceneWeights){ 0 };
}

snugModelDef sceneMakeBlendDef(const sceneMesh* mesh, const sceneWeights* weights, snugTreeDef tree)
{
	snugModelDef def = sceneMesh_MakeDef(mesh, snug_skin);
	def.tree = tree;
	def.skin = (snugSkinDef){ .jointCount = weights->transformCount,
		.starts = weights->starts,
		.joints = weights->transforms,
		.weights = weights->weights };
	return def;
}

bool sceneMeshless_Create(sceneMeshless* body, sceneMesh mesh, uint32_t nodeCount, double influences)
{
	*body = (sceneMeshless){ .mesh = mesh, .weights = { .transformCount = nodeCount } };
	candidates inside = { NULL, 0 };
	body->nodes = malloc(((size_t)nodeCount + 1) * 3 * sizeof(float));
	bool good = sceneMesh_IsValid(&mesh) && mesh.vertexCount > 0 && nodeCount > 0 && nodeCount <= UINT16_MAX;
	if (good)
	{
		MeasureBox(body);
		good = body->nodes != NULL && FindCandidates(body, nodeCount, &inside) && SpreadNodes(body, &inside);
	}
	if (good)
	{
		ChooseSupport(body, influences);
		good = MakeWeights(body);
	}
	free(inside.points);
	if (!good)
	{
		sceneMeshless_Free(body);
	}
	return good;
}

void sceneMeshless_Free(sceneMeshless* body)
{
	sceneMesh_Free(&body->mesh);
	sceneWeights_Free(&body->weights);
	free(body->nodes);
	*body = (sceneMeshless){ .nodes = NULL };
}
