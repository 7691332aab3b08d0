#include "papers/meshless/accumulated_spheres.h"

#include "papers/meshless/node_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct sphereEntry
{
	uint32_t transform;
	float mean;
	float deviation;
	float high;
} sphereEntry;

typedef struct accumulatedNode
{
	double center[3];
	double radius;
	size_t firstEntry;
	uint32_t entryCount;
} accumulatedNode;

struct accumulatedSpheres
{
	accumulatedNode* nodes;
	sphereEntry* entries;
	size_t entryCount, entryCapacity;
};

static double Distance(const double a[3], const float* b)
{
	double x = a[0] - (double)b[0], y = a[1] - (double)b[1], z = a[2] - (double)b[2];
	return sqrt(x * x + y * y + z * z);
}

static uint32_t FindFarthest(
    const snugModel* model, const nodeWeights* weights, const double center[3], double* distance)
{
	uint32_t farthest = weights->below.vertices[0];
	*distance = -1.0;
	for (uint32_t i = 0; i < weights->below.count; ++i)
	{
		double d = Distance(center, model->positions + 3 * (size_t)weights->below.vertices[i]);
		farthest = d > *distance ? weights->below.vertices[i] : farthest;
		*distance = d > *distance ? d : *distance;
	}
	return farthest;
}

// Nearly the smallest ball: from the middle of the box, ever smaller steps towards the farthest vertex (Badoiu,
// Clarkson 2003), the best on the way counting.
static void FitSphere(const snugModel* model, const nodeWeights* weights, accumulatedNode* node)
{
	double center[3];
	node->radius = INFINITY;
	for (int k = 0; k < 3; ++k)
	{
		center[k] = 0.5 * (weights->lower[k] + weights->upper[k]);
	}
	for (int step = 0; step < 24; ++step)
	{
		double radius;
		const float* farthest = model->positions + 3 * (size_t)FindFarthest(model, weights, center, &radius);
		if (radius < node->radius)
		{
			node->radius = radius;
			memcpy(node->center, center, sizeof(center));
		}
		for (int k = 0; k < 3; ++k)
		{
			center[k] += ((double)farthest[k] - center[k]) / (double)(step + 4);
		}
	}
}

static bool AddEntries(accumulatedSpheres* spheres, const nodeWeights* weights, accumulatedNode* node)
{
	const size_t needed = spheres->entryCount + weights->count;
	if (!simGrow(&spheres->entries, &spheres->entryCapacity, needed, sizeof(sphereEntry)))
	{
		return false;
	}
	node->firstEntry = spheres->entryCount;
	node->entryCount = weights->count;
	for (uint32_t j = 0; j < weights->count; ++j)
	{
		double above = weights->high[j] - weights->mean[j], below = weights->mean[j] - weights->low[j];
		spheres->entries[spheres->entryCount++] = (sphereEntry){ weights->transforms[j], (float)weights->mean[j],
			(float)(above > below ? above : below), (float)weights->high[j] };
	}
	return true;
}

accumulatedSpheres* accumulatedSpheres_Create(const binaryTree* tree)
{
	accumulatedSpheres* spheres = calloc(1, sizeof(accumulatedSpheres));
	nodeWeights weights = { .count = 0 };
	bool good = spheres != NULL && nodeWeights_Create(&weights, tree);
	if (good)
	{
		spheres->nodes = calloc((size_t)tree->nodeCount + 1, sizeof(accumulatedNode));
		good = spheres->nodes != NULL;
	}
	for (uint32_t i = 0; good && i < tree->nodeCount; ++i)
	{
		nodeWeights_Gather(&weights, tree, i);
		FitSphere(tree->model, &weights, spheres->nodes + i);
		good = AddEntries(spheres, &weights, spheres->nodes + i);
	}
	nodeWeights_Free(&weights);
	if (!good)
	{
		accumulatedSpheres_Destroy(spheres);
		return NULL;
	}
	return spheres;
}

void accumulatedSpheres_Destroy(accumulatedSpheres* spheres)
{
	if (spheres != NULL)
	{
		free(spheres->nodes);
		free(spheres->entries);
		free(spheres);
	}
}

// An upper bound of the spectral norm: the lesser of the Frobenius norm and sqrt(norm_1 norm_infinity).
static double BoundNorm(const double m[12])
{
	double squares = 0.0, rows = 0.0, columns[3] = { 0.0, 0.0, 0.0 };
	for (int i = 0; i < 3; ++i)
	{
		double row = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			double entry = fabs(m[4 * i + k]);
			squares += entry * entry;
			row += entry;
			columns[k] += entry;
		}
		rows = row > rows ? row : rows;
	}
	double column = columns[0] > columns[1] ? columns[0] : columns[1];
	column = columns[2] > column ? columns[2] : column;
	double product = rows * column;
	return sqrt(product < squares ? product : squares);
}

static void Apply(const double m[12], const double p[3], double image[3])
{
	for (int i = 0; i < 3; ++i)
	{
		image[i] = m[4 * i] * p[0] + m[4 * i + 1] * p[1] + m[4 * i + 2] * p[2] + m[4 * i + 3];
	}
}

static double BoundAboutMean(
    const accumulatedNode* node, const sphereEntry* entries, const float* matrices, double center[3])
{
	double mean[12] = { 0.0 }, sum = 0.0;
	for (uint32_t j = 0; j < node->entryCount; ++j)
	{
		const float* m = matrices + 12 * (size_t)entries[j].transform;
		double weight = (double)entries[j].mean;
		sum += weight;
		for (int i = 0; i < 12; ++i)
		{
			mean[i] += weight * (double)m[i];
		}
	}
	for (int i = 0; i < 12; ++i)
	{
		mean[i] /= sum;
	}
	double radius = BoundNorm(mean) * node->radius;
	for (uint32_t j = 0; j < node->entryCount; ++j)
	{
		const float* m = matrices + 12 * (size_t)entries[j].transform;
		double difference[12], image[3];
		for (int i = 0; i < 12; ++i)
		{
			difference[i] = (double)m[i] - mean[i];
		}
		Apply(difference, node->center, image);
		double moved = sqrt(image[0] * image[0] + image[1] * image[1] + image[2] * image[2]);
		radius += (double)entries[j].deviation * (moved + BoundNorm(difference) * node->radius);
	}
	Apply(mean, node->center, center);
	return radius * (1.0 + 1e-6);
}

static double BoundTermByTerm(
    const accumulatedNode* node, const sphereEntry* entries, const float* matrices, double center[3])
{
	double radius = node->radius;
	memcpy(center, node->center, sizeof(node->center));
	for (uint32_t j = 0; j < node->entryCount; ++j)
	{
		const float* m = matrices + 12 * (size_t)entries[j].transform;
		double difference[12], moved[3];
		for (int i = 0; i < 12; ++i)
		{
			difference[i] = (double)m[i] - (i % 5 == 0 ? 1.0 : 0.0);
		}
		Apply(difference, node->center, moved);
		double length = sqrt(moved[0] * moved[0] + moved[1] * moved[1] + moved[2] * moved[2]);
		radius +=
		    (double)entries[j].deviation * length + (double)entries[j].high * BoundNorm(difference) * node->radius;
		for (int k = 0; k < 3; ++k)
		{
			center[k] += (double)entries[j].mean * moved[k];
		}
	}
	return radius * (1.0 + 1e-6);
}

double accumulatedSpheres_Bound(const accumulatedSpheres* spheres, accumulatedReading reading, uint32_t number,
    const float* matrices, double center[3])
{
	const accumulatedNode* node = spheres->nodes + number;
	const sphereEntry* entries = spheres->entries + node->firstEntry;
	return reading == accumulated_termByTerm ? BoundTermByTerm(node, entries, matrices, center)
	                                         : BoundAboutMean(node, entries, matrices, center);
}
