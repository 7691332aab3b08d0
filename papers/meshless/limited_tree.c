#include "papers/meshless/limited_tree.h"

#include "deform/skin/linear.h"
#include "geometry/eigen.h"
#include "papers/meshless/node_weights.h"
#include "solvers/hoard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// The range of one transform's weights below a node.
typedef struct limitedEntry
{
	uint32_t transform;
	float low, high;
} limitedEntry;

/// A rest volume: what is transformed is its centre and three half axes, or its corners.
typedef struct limitedNode
{
	float center[3];
	float axes[3][3]; ///< times half the extent
	size_t firstEntry;
	uint32_t entryCount;
	uint32_t firstCorner, cornerCount; ///< of 14-DOPs
} limitedNode;

struct limitedTree
{
	binaryTree tree;
	limitedTreeDef def;
	simHoard hoard; ///< what does not grow
	limitedNode* nodes;
	limitedEntry* entries;
	size_t entryCount, entryCapacity;
	float (*corners)[3];
	size_t cornerCount, cornerCapacity;
	float reach[3]; ///< greatest |coordinate| at rest
	size_t* starts; ///< (vertices + 1) in the next two: what moves a vertex, and how much
	uint16_t* transforms;
	float* weights;
	uint32_t slabs;
	const int (*directions)[3];
};

struct limitedBody
{
	const limitedTree* tree;
	binaryLeaves leaves;
	simHoard hoard;         ///< all that follows
	double (*matrices)[12]; ///< (transforms) with the frame
	float (*columns)[12];   ///< (transforms) without it, column by column, for vertices
	double* lower;          ///< (nodes * slabs)
	double* upper;
	uint32_t* fresh;
	uint32_t* visited; ///< (nodes) version in which a query looked at it last
	double margin;
};

static const int directions[LIMITED_MAX_SLABS][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 1, 1 }, { 1, 1, -1 },
	{ 1, -1, 1 }, { 1, -1, -1 }, { 1, 1, 0 }, { 1, -1, 0 }, { 1, 0, 1 }, { 1, 0, -1 }, { 0, 1, 1 }, { 0, 1, -1 } };
static const int directions18[9][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 1, 0 }, { 1, -1, 0 }, { 1, 0, 1 },
	{ 1, 0, -1 }, { 0, 1, 1 }, { 0, 1, -1 } };

uint32_t limitedGetDirections(limitedVolume volume, const int (**out)[3])
{
	static const uint32_t counts[] = { 3, 7, 9, 13 };
	*out = volume == limited_dop18 ? directions18 : directions;
	return counts[volume];
}

// ---- Rest volumes ----------------------------------------------------------------------------------------------

/// The vertices of a node.
typedef struct cloud
{
	const float* positions;
	const uint32_t* vertices;
	uint32_t count;
} cloud;

static double Along(const float* p, const double d[3])
{
	return d[0] * (double)p[0] + d[1] * (double)p[1] + d[2] * (double)p[2];
}

// Centre and half extents along three orthonormal axes. A millionth of the size covers float32.
static void FitBox(const cloud* c, const double axes[3][3], limitedNode* node)
{
	double center[3] = { 0.0, 0.0, 0.0 }, size = 0.0;
	for (int a = 0; a < 3; ++a)
	{
		double lower = INFINITY, upper = -INFINITY;
		for (uint32_t i = 0; i < c->count; ++i)
		{
			double x = Along(c->positions + 3 * (size_t)c->vertices[i], axes[a]);
			lower = x < lower ? x : lower;
			upper = x > upper ? x : upper;
		}
		size = fmax(size, fmax(fabs(lower), fabs(upper)));
		for (int k = 0; k < 3; ++k)
		{
			center[k] += 0.5 * (lower + upper) * axes[a][k];
			node->axes[a][k] = (float)((0.5 * (upper - lower) + 4e-7 * size) * axes[a][k]);
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		node->center[k] = (float)center[k];
	}
}

static void FindAxes(const cloud* c, double axes[3][3])
{
	double mean[3] = { 0.0, 0.0, 0.0 }, moment[3][3] = { { 0.0 } }, values[3];
	for (uint32_t i = 0; i < c->count; ++i)
	{
		for (size_t k = 0; k < 3; ++k)
		{
			mean[k] += (double)c->positions[3 * (size_t)c->vertices[i] + k] / (double)c->count;
		}
	}
	for (uint32_t i = 0; i < c->count; ++i)
	{
		const float* p = c->positions + 3 * (size_t)c->vertices[i];
		for (int a = 0; a < 3; ++a)
		{
			for (int b = 0; b < 3; ++b)
			{
				moment[a][b] += ((double)p[a] - mean[a]) * ((double)p[b] - mean[b]);
			}
		}
	}
	sgEigen3(moment, values, axes);
}

static bool AddCorner(limitedTree* tree, const double corner[3])
{
	if (!simGrow(&tree->corners, &tree->cornerCapacity, tree->cornerCount + 1, sizeof(*tree->corners)))
	{
		return false;
	}
	for (int k = 0; k < 3; ++k)
	{
		tree->corners[tree->cornerCount][k] = (float)corner[k];
	}
	++tree->cornerCount;
	return true;
}

// Where three planes meet; false if nowhere.
static bool Intersect(const int* const n[3], const double offsets[3], double point[3])
{
	double m[3][3], det = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		const int *a = n[(i + 1) % 3], *b = n[(i + 2) % 3];
		m[i][0] = (double)(a[1] * b[2] - a[2] * b[1]);
		m[i][1] = (double)(a[2] * b[0] - a[0] * b[2]);
		m[i][2] = (double)(a[0] * b[1] - a[1] * b[0]);
	}
	for (int k = 0; k < 3; ++k)
	{
		det += m[0][k] * (double)n[0][k];
	}
	for (int k = 0; k < 3; ++k)
	{
		point[k] = det != 0.0 ? (m[0][k] * offsets[0] + m[1][k] * offsets[1] + m[2][k] * offsets[2]) / det : 0.0;
	}
	return det != 0.0;
}

// The corners of a 14-DOP: points where three of its planes meet and that are beyond none. Planes are moved outwards
// by a millionth of the size, so rounding of corners to float32 leaves every vertex inside their hull.
static bool FitDop(limitedTree* tree, const cloud* c, limitedNode* node)
{
	double sides[14], size = 0.0;
	for (int i = 0; i < 14; ++i)
	{
		const int* n = directions[i / 2];
		double sign = i % 2 == 0 ? 1.0 : -1.0, d[3] = { sign * n[0], sign * n[1], sign * n[2] };
		sides[i] = -INFINITY;
		for (uint32_t v = 0; v < c->count; ++v)
		{
			sides[i] = fmax(sides[i], Along(c->positions + 3 * (size_t)c->vertices[v], d));
		}
		size = fmax(size, fabs(sides[i]));
	}
	node->firstCorner = (uint32_t)tree->cornerCount;
	bool good = true;
	for (int i = 0; i < 14 * 14 * 14 && good; ++i)
	{
		int planes[3] = { i % 14, i / 14 % 14, i / 196 };
		if (!(planes[0] < planes[1] && planes[1] < planes[2]))
		{
			continue;
		}
		const int* n[3];
		double offsets[3], point[3];
		for (int k = 0; k < 3; ++k)
		{
			n[k] = directions[planes[k] / 2];
			offsets[k] = (sides[planes[k]] + 1e-6 * size) * (planes[k] % 2 == 0 ? 1.0 : -1.0);
		}
		bool isCorner = Intersect(n, offsets, point);
		for (int s = 0; s < 14 && isCorner; ++s)
		{
			const int* d = directions[s / 2];
			double x = (d[0] * point[0] + d[1] * point[1] + d[2] * point[2]) * (s % 2 == 0 ? 1.0 : -1.0);
			isCorner = x <= sides[s] + 2e-6 * size;
		}
		good = !isCorner || AddCorner(tree, point);
	}
	node->cornerCount = (uint32_t)tree->cornerCount - node->firstCorner;
	return good;
}

// ---- Building --------------------------------------------------------------------------------------------------

// Rounded to float32, ranges must still contain all weights.
static bool AddEntries(limitedTree* tree, const nodeWeights* weights, limitedNode* node)
{
	if (!simGrow(&tree->entries, &tree->entryCapacity, tree->entryCount + weights->count, sizeof(limitedEntry)))
	{
		return false;
	}
	node->firstEntry = tree->entryCount;
	node->entryCount = weights->count;
	for (uint32_t j = 0; j < weights->count; ++j)
	{
		tree->entries[tree->entryCount++] =
		    (limitedEntry){ weights->transforms[j], (float)weights->low[j], (float)weights->high[j] };
	}
	return true;
}

// Vertex after vertex, as their evaluation reads them.
static bool ListWeights(limitedTree* tree)
{
	const snugModel* model = tree->tree.model;
	sgLinear blend = sgLinear_Get(model);
	size_t count = 0;
	tree->starts = simHoard_Take(&tree->hoard, (size_t)model->tree.vertexCount + 1, sizeof(*tree->starts));
	for (uint32_t v = 0; v < model->tree.vertexCount; ++v)
	{
		count += sgRows_CountEntries(&blend.rows, v);
	}
	tree->transforms = simHoard_Take(&tree->hoard, count + 1, sizeof(*tree->transforms));
	tree->weights = simHoard_Take(&tree->hoard, count + 1, sizeof(*tree->weights));
	if (tree->hoard.isShort)
	{
		return false;
	}
	count = 0;
	for (uint32_t v = 0; v < model->tree.vertexCount; ++v)
	{
		sgRow row = sgRows_Get(&blend.rows, v);
		tree->starts[v] = count;
		for (uint32_t j = 0; j < row.count; ++j)
		{
			tree->transforms[count] = row.numbers[j];
			tree->weights[count] = row.values[(size_t)j * SG_LANES];
			count += sgRow_Has(&row, 1, j);
		}
	}
	tree->starts[model->tree.vertexCount] = count;
	return true;
}

static bool BuildNode(limitedTree* tree, uint32_t number, nodeWeights* weights)
{
	static const double along[3][3] = { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } };
	limitedNode* node = tree->nodes + number;
	double axes[3][3];
	nodeWeights_Gather(weights, &tree->tree, number);
	const cloud c = { tree->tree.model->positions, weights->below.vertices, weights->below.count };
	memcpy(axes, along, sizeof(axes));
	if (tree->def.rest == limited_restOriented)
	{
		FindAxes(&c, axes);
	}
	FitBox(&c, (const double(*)[3])axes, node);
	return AddEntries(tree, weights, node) && (tree->def.rest != limited_restDop14 || FitDop(tree, &c, node));
}

limitedTree* limitedTree_Create(const snugModel* model, const limitedTreeDef* def)
{
	limitedTree* tree = calloc(1, sizeof(limitedTree));
	nodeWeights weights = { .count = 0 };
	if (tree == NULL || !binaryTree_Create(&tree->tree, model))
	{
		free(tree);
		return NULL;
	}
	tree->def = *def;
	tree->slabs = limitedGetDirections(def->volume, &tree->directions);
	tree->nodes = simHoard_Take(&tree->hoard, tree->tree.nodeCount, sizeof(limitedNode));
	for (size_t i = 0; i < 3 * (size_t)model->tree.vertexCount; ++i)
	{
		tree->reach[i % 3] = fmaxf(tree->reach[i % 3], fabsf(model->positions[i]));
	}
	bool good = ListWeights(tree) && nodeWeights_Create(&weights, &tree->tree);
	for (uint32_t i = 0; good && i < (def->rootOnly ? 1 : tree->tree.nodeCount); ++i)
	{
		// Leaves are looked at, so nothing is known of them.
		bool isBounded = !def->bottomUp && (tree->tree.nodes[i].childCount > 0 || def->boundLeaves);
		good = !isBounded || BuildNode(tree, i, &weights);
	}
	nodeWeights_Free(&weights);
	if (!good)
	{
		limitedTree_Destroy(tree);
		return NULL;
	}
	return tree;
}

void limitedTree_Destroy(limitedTree* tree)
{
	if (tree != NULL)
	{
		binaryTree_Free(&tree->tree);
		simHoard_Free(&tree->hoard);
		free(tree->entries);
		free(tree->corners);
		free(tree);
	}
}

uint32_t limitedTree_GetTransformCount(const limitedTree* tree, uint32_t node)
{
	return tree->nodes[node].entryCount;
}

// ---- Bodies ----------------------------------------------------------------------------------------------------

limitedBody* limitedBody_Create(const limitedTree* tree, snugBody* body)
{
	size_t nodes = tree->tree.nodeCount, transforms = sgLinear_Get(tree->tree.model).header->transformCount;
	limitedBody* made = calloc(1, sizeof(limitedBody));
	if (made == NULL || !binaryLeaves_Create(&made->leaves, &tree->tree, body))
	{
		free(made);
		return NULL;
	}
	made->tree = tree;
	made->matrices = simHoard_Take(&made->hoard, transforms, sizeof(*made->matrices));
	made->columns = simHoard_Take(&made->hoard, transforms, sizeof(*made->columns));
	made->lower = simHoard_Take(&made->hoard, nodes * tree->slabs, sizeof(double));
	made->upper = simHoard_Take(&made->hoard, nodes * tree->slabs, sizeof(double));
	made->fresh = simHoard_Take(&made->hoard, nodes, sizeof(uint32_t));
	made->visited = simHoard_Take(&made->hoard, nodes, sizeof(uint32_t));
	if (made->hoard.isShort)
	{
		limitedBody_Destroy(made);
		return NULL;
	}
	memset(made->visited, 0xff, nodes * sizeof(uint32_t)); // never
	return made;
}

void limitedBody_Destroy(limitedBody* limited)
{
	if (limited != NULL)
	{
		binaryLeaves_Free(&limited->leaves);
		simHoard_Free(&limited->hoard);
		free(limited);
	}
}

// The transforms, with the frame in front.
static void ReadTransforms(limitedBody* limited, const float* matrices, uint32_t count)
{
	const sgPlacement* place = &limited->leaves.placement;
	for (uint32_t j = 0; j < count; ++j)
	{
		const float* columns = matrices + 16 * (size_t)j;
		for (int i = 0; i < 3; ++i)
		{
			for (int k = 0; k < 4; ++k)
			{
				double sum = k == 3 ? place->translation[i] : 0.0;
				for (int m = 0; m < 3; ++m)
				{
					sum += place->rotation[i][m] * (double)columns[4 * k + m];
				}
				limited->matrices[j][4 * i + k] = sum;
				limited->columns[j][3 * k + i] = columns[4 * k + i];
			}
		}
	}
}

// Whether no transform turns or stretches.
static bool IsDisplaced(const float* matrices, uint32_t count)
{
	bool is = true;
	for (uint32_t j = 0; j < count; ++j)
	{
		const float* columns = matrices + 16 * (size_t)j;
		for (int i = 0; i < 9; ++i)
		{
			is = is && columns[4 * (i / 3) + i % 3] == (i / 3 == i % 3 ? 1.0f : 0.0f);
		}
	}
	return is;
}

// A box around all vertices, relative to the frame, and around all intermediates of their evaluation: weights sum to 1,
// so no coordinate is beyond what some transform alone could do.
static sgBox FindReach(const limitedTree* tree, const float* matrices, uint32_t count)
{
	sgBox box = { { 0.0f, 0.0f, 0.0f }, { 0.0f, 0.0f, 0.0f } };
	for (uint32_t j = 0; j < count; ++j)
	{
		const float* columns = matrices + 16 * (size_t)j;
		for (int i = 0; i < 3; ++i)
		{
			float reach = fabsf(columns[12 + i]);
			for (int k = 0; k < 3; ++k)
			{
				reach += fabsf(columns[4 * k + i]) * tree->reach[k];
			}
			box.upper[i] = fmaxf(box.upper[i], reach * (1.0f + 1e-5f));
			box.lower[i] = -box.upper[i];
		}
	}
	return box;
}

// The margin is that of the skinning papers' spheres: what evaluation in float32 may put vertices off. Nothing rests on
// the library's bounds, so that counts are the same whatever these are.
snugStatus limitedBody_Begin(limitedBody* limited)
{
	sgLinear blend = sgLinear_Get(limited->tree->tree.model);
	double reach = 0.0, influences = (double)blend.header->rows.most;
	const float* matrices = sgLinear_Columns(sgBody_Derive(limited->leaves.body)->derived);
	if (limited->tree->def.displaces && !IsDisplaced(matrices, blend.header->transformCount))
	{
		return snug_badInput;
	}
	const sgBox box = FindReach(limited->tree, matrices, blend.header->transformCount);
	snugStatus status = binaryLeaves_Begin(&limited->leaves, &box);
	ReadTransforms(limited, matrices, blend.header->transformCount);
	for (int k = 0; k < 3; ++k)
	{
		reach += (double)box.upper[k];
	}
	// Weights sum to 1 but for 2^-24 of each, which moves Eq. (12) by that times the extremes.
	limited->margin =
	    reach * (2.0 * influences + 6.0) * 0x1p-24 + binaryLeaves_GetSlack(&limited->leaves) + 1e-9 * reach;
	return status;
}

const binaryLeaves* limitedBody_GetLeaves(const limitedBody* limited)
{
	return &limited->leaves;
}

binaryCounters limitedBody_GetCounters(const limitedBody* limited)
{
	return limited->leaves.counters;
}

// ---- Eq. (12) --------------------------------------------------------------------------------------------------

/// What is known of the extremes along one direction, transform by transform.
typedef struct extreme
{
	double first, second; ///< the two greatest
	float firstHigh, firstLow, secondLow;
	double sum; ///< of low times extreme
} extreme;

static void AddExtreme(extreme* e, double value, const limitedEntry* entry)
{
	e->sum += (double)entry->low * value;
	if (value > e->first)
	{
		e->second = e->first;
		e->secondLow = e->firstLow;
		e->first = value;
		e->firstHigh = entry->high;
		e->firstLow = entry->low;
	}
	else if (value > e->second)
	{
		e->second = value;
		e->secondLow = entry->low;
	}
}

// h1 b1 + (1 - h1 - sum of the others' l) b2 + sum of l b over the others; `low` is the sum of all l.
static double FinishExtreme(const extreme* e, uint32_t count, double low)
{
	if (count == 1)
	{
		return e->first;
	}
	double l1 = (double)e->firstLow, l2 = (double)e->secondLow, h1 = (double)e->firstHigh;
	return h1 * e->first + (1.0 - h1 - (low - l1 - l2)) * e->second + (e->sum - l1 * e->first - l2 * e->second);
}

static double Row(const double row[4], const float* p)
{
	return row[0] * (double)p[0] + row[1] * (double)p[1] + row[2] * (double)p[2] + row[3];
}

// The range of a transformed rest volume along a direction: of rows that are sums of the transform's rows.
static void Project(const limitedTree* tree, const limitedNode* node, const double row[4], double* lower, double* upper)
{
	if (tree->def.rest == limited_restDop14)
	{
		*lower = INFINITY;
		*upper = -INFINITY;
		for (uint32_t i = 0; i < node->cornerCount; ++i)
		{
			double x = Row(row, tree->corners[node->firstCorner + i]);
			*lower = x < *lower ? x : *lower;
			*upper = x > *upper ? x : *upper;
		}
		return;
	}
	double center = Row(row, node->center), half = 0.0;
	for (int a = 0; a < 3; ++a)
	{
		// Along the axes an entry of the row is enough, as the paper remarks.
		half += tree->def.rest == limited_restBox ? fabs(row[a]) * (double)node->axes[a][a]
		                                          : fabs(Row(row, node->axes[a]) - row[3]);
	}
	*lower = center - half;
	*upper = center + half;
}

// What a frame, or a transform with it, does along a direction, as a row.
static void MakeRow(const int d[3], const double m[12], double row[4])
{
	for (int k = 0; k < 4; ++k)
	{
		row[k] = d[0] * m[k] + d[1] * m[4 + k] + d[2] * m[8 + k];
	}
}

// The placed rest volume is projected once, and displacements are numbers along each direction.
static void BoundDisplaced(const limitedBody* limited, const limitedNode* node, double* lower, double* upper)
{
	const limitedTree* tree = limited->tree;
	const sgPlacement* place = &limited->leaves.placement;
	double frame[12];
	for (int i = 0; i < 12; ++i)
	{
		frame[i] = i % 4 == 3 ? place->translation[i / 4] : place->rotation[i / 4][i % 4];
	}
	for (uint32_t s = 0; s < tree->slabs; ++s)
	{
		const int* d = tree->directions[s];
		extreme above = { .first = -INFINITY, .second = -INFINITY }, below = above;
		double row[4], low = 0.0, slack = s < 3 ? limited->margin : 3.0 * limited->margin;
		MakeRow(d, frame, row);
		for (uint32_t j = 0; j < node->entryCount; ++j)
		{
			const limitedEntry* entry = tree->entries + node->firstEntry + j;
			const double* m = limited->matrices[entry->transform];
			double x = d[0] * m[3] + d[1] * m[7] + d[2] * m[11] - row[3];
			low += (double)entry->low;
			AddExtreme(&above, x, entry);
			AddExtreme(&below, -x, entry);
		}
		Project(tree, node, row, lower + s, upper + s);
		upper[s] += FinishExtreme(&above, node->entryCount, low) + slack;
		lower[s] -= FinishExtreme(&below, node->entryCount, low) + slack;
	}
}

void limitedBody_Bound(
    const limitedBody* limited, uint32_t number, double lower[LIMITED_MAX_SLABS], double upper[LIMITED_MAX_SLABS])
{
	const limitedTree* tree = limited->tree;
	const limitedNode* node = tree->nodes + number;
	if (tree->def.displaces)
	{
		BoundDisplaced(limited, node, lower, upper);
		return;
	}
	extreme above[LIMITED_MAX_SLABS], below[LIMITED_MAX_SLABS];
	double low = 0.0;
	for (uint32_t s = 0; s < tree->slabs; ++s)
	{
		above[s] = below[s] = (extreme){ .first = -INFINITY, .second = -INFINITY };
	}
	for (uint32_t j = 0; j < node->entryCount; ++j)
	{
		const limitedEntry* entry = tree->entries + node->firstEntry + j;
		const double* m = limited->matrices[entry->transform];
		low += (double)entry->low;
		for (uint32_t s = 0; s < tree->slabs; ++s)
		{
			const int* d = tree->directions[s];
			double row[4], least, most;
			for (int k = 0; k < 4; ++k)
			{
				row[k] = s < 3 ? m[4 * s + (uint32_t)k] : d[0] * m[k] + d[1] * m[4 + k] + d[2] * m[8 + k];
			}
			Project(tree, node, row, &least, &most);
			AddExtreme(above + s, most, entry);
			AddExtreme(below + s, -least, entry);
		}
	}
	for (uint32_t s = 0; s < tree->slabs; ++s)
	{
		double slack = s < 3 ? limited->margin : 3.0 * limited->margin;
		upper[s] = FinishExtreme(above + s, node->entryCount, low) + slack;
		lower[s] = -FinishExtreme(below + s, node->entryCount, low) - slack;
	}
}

// ---- Refitting -------------------------------------------------------------------------------------------------

static double* LowerOf(const limitedBody* limited, uint32_t node)
{
	return limited->lower + (size_t)limited->tree->slabs * node;
}

static double* UpperOf(const limitedBody* limited, uint32_t node)
{
	return limited->upper + (size_t)limited->tree->slabs * node;
}

// In the order in which the library sums.
static void Evaluate(limitedBody* limited, uint32_t vertex)
{
	const limitedTree* tree = limited->tree;
	const float* rest = tree->tree.model->positions + 3 * (size_t)vertex;
	float sum[12] = { 0.0f }, position[3];
	for (size_t i = tree->starts[vertex]; i < tree->starts[vertex + 1]; ++i)
	{
		const float* column = limited->columns[tree->transforms[i]];
		float weight = tree->weights[i];
		for (int k = 0; k < 12; ++k)
		{
			sum[k] += weight * column[k];
		}
	}
	for (int k = 0; k < 3; ++k)
	{
		position[k] = ((sum[k] * rest[0] + sum[3 + k] * rest[1]) + sum[6 + k] * rest[2]) + sum[9 + k];
	}
	binaryLeaves_Put(&limited->leaves, vertex, position);
}

void limitedBody_BoundVertices(limitedBody* limited, double lower[3], double upper[3])
{
	for (int k = 0; k < 3; ++k)
	{
		lower[k] = INFINITY;
		upper[k] = -INFINITY;
	}
	for (uint32_t v = 0; v < limited->tree->tree.model->tree.vertexCount; ++v)
	{
		Evaluate(limited, v);
		for (int k = 0; k < 3; ++k)
		{
			double x = (double)limited->leaves.positions[v][k];
			lower[k] = x < lower[k] ? x : lower[k];
			upper[k] = x > upper[k] ? x : upper[k];
		}
	}
}

static void BoundLeaf(limitedBody* limited, uint32_t node)
{
	const limitedTree* tree = limited->tree;
	const uint32_t* vertices = tree->tree.corners[tree->tree.nodes[node].first];
	for (int c = 0; c < 3; ++c)
	{
		if (limited->leaves.fresh[vertices[c]] != limited->leaves.version)
		{
			Evaluate(limited, vertices[c]);
		}
	}
	const float(*corners)[3] = binaryLeaves_Get(&limited->leaves, tree->tree.nodes[node].first);
	for (uint32_t s = 0; s < tree->slabs; ++s)
	{
		const int* d = tree->directions[s];
		double lower = INFINITY, upper = -INFINITY;
		for (int c = 0; c < 3; ++c)
		{
			// Exact: sums of three float32 within a factor of 2^29 of each other have room in a double; else a hair
			// off. The first three directions are the axes.
			const float* p = corners[c];
			double x = s < 3 ? (double)p[s] : d[0] * (double)p[0] + d[1] * (double)p[1] + d[2] * (double)p[2];
			lower = x < lower ? x : lower;
			upper = x > upper ? x : upper;
		}
		LowerOf(limited, node)[s] = lower;
		UpperOf(limited, node)[s] = upper;
	}
}

static void Refit(limitedBody* limited, uint32_t node)
{
	const limitedTree* tree = limited->tree;
	if (limited->fresh[node] == limited->leaves.version)
	{
		return;
	}
	limited->fresh[node] = limited->leaves.version;
	++limited->leaves.counters.nodesRefitted;
	if (tree->tree.nodes[node].childCount == 0 && !tree->def.boundLeaves)
	{
		BoundLeaf(limited, node);
		return;
	}
	double lower[LIMITED_MAX_SLABS], upper[LIMITED_MAX_SLABS];
	limited->leaves.counters.transformsBounded += tree->nodes[node].entryCount;
	limitedBody_Bound(limited, node, lower, upper);
	memcpy(LowerOf(limited, node), lower, tree->slabs * sizeof(double));
	memcpy(UpperOf(limited, node), upper, tree->slabs * sizeof(double));
}

static void MergeChildren(limitedBody* limited, uint32_t node)
{
	const binaryNode* n = limited->tree->tree.nodes + node;
	uint32_t last = n->first + n->childCount - 1;
	for (uint32_t s = 0; s < limited->tree->slabs; ++s)
	{
		double lower = LowerOf(limited, n->first)[s], otherLower = LowerOf(limited, last)[s];
		double upper = UpperOf(limited, n->first)[s], otherUpper = UpperOf(limited, last)[s];
		LowerOf(limited, node)[s] = lower < otherLower ? lower : otherLower;
		UpperOf(limited, node)[s] = upper > otherUpper ? upper : otherUpper;
	}
	limited->fresh[node] = limited->leaves.version;
	++limited->leaves.counters.nodesRefitted;
}

static bool WasVisited(const limitedBody* limited, uint32_t node)
{
	return limited->visited[node] + 1 == limited->leaves.version;
}

// A node whose children were both visited is above the front: they are refitted, and it is what they come to.
static void RefitBelow(limitedBody* limited, uint32_t node)
{
	const binaryNode* n = limited->tree->tree.nodes + node;
	bool isAbove = n->childCount > 0;
	for (uint32_t i = n->first; i < n->first + n->childCount; ++i)
	{
		isAbove = isAbove && WasVisited(limited, i);
	}
	if (!isAbove)
	{
		Refit(limited, node);
		return;
	}
	for (uint32_t i = n->first; i < n->first + n->childCount; ++i)
	{
		RefitBelow(limited, i);
	}
	MergeChildren(limited, node);
}

// Children have larger numbers than their parents.
static void RefitBottomUp(limitedBody* limited)
{
	const binaryTree* tree = &limited->tree->tree;
	for (uint32_t vertex = 0; vertex < tree->model->tree.vertexCount; ++vertex)
	{
		Evaluate(limited, vertex);
	}
	for (uint32_t node = tree->nodeCount; node-- > 0;)
	{
		if (tree->nodes[node].childCount == 0)
		{
			Refit(limited, node);
		}
		else
		{
			MergeChildren(limited, node);
		}
	}
}

void limitedBody_Prepare(limitedBody* limited)
{
	if (limited->tree->def.bottomUp)
	{
		RefitBottomUp(limited);
	}
	else if (limited->tree->tree.nodeCount > 0 && !limited->tree->def.onDemand && WasVisited(limited, 0))
	{
		RefitBelow(limited, 0);
	}
}

// ---- Queries ---------------------------------------------------------------------------------------------------

static bool Overlap(void* bodyA, uint32_t nodeA, void* bodyB, uint32_t nodeB)
{
	limitedBody *a = bodyA, *b = bodyB;
	Refit(a, nodeA);
	Refit(b, nodeB);
	a->visited[nodeA] = a->leaves.version;
	b->visited[nodeB] = b->leaves.version;
	++a->leaves.counters.volumeTests;
	const double *lowerA = LowerOf(a, nodeA), *upperA = UpperOf(a, nodeA);
	const double *lowerB = LowerOf(b, nodeB), *upperB = UpperOf(b, nodeB);
	bool overlaps = true;
	for (uint32_t i = 0; i < a->tree->slabs && overlaps; ++i)
	{
		overlaps = lowerA[i] <= upperB[i] && lowerB[i] <= upperA[i];
	}
	return overlaps;
}

static double GetSize(const void* body, uint32_t node)
{
	const double *lower = LowerOf(body, node), *upper = UpperOf(body, node);
	double x = upper[0] - lower[0], y = upper[1] - lower[1], z = upper[2] - lower[2];
	return x * x + y * y + z * z;
}

uint64_t limitedCollide(limitedBody* a, limitedBody* b, snugPair* pairs, uint64_t capacity)
{
	static const binaryMethod method = { Overlap, GetSize };
	return binaryCollide(&method, (binarySide){ a, &a->leaves }, (binarySide){ b, &b->leaves }, pairs, capacity);
}
