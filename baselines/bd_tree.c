#include "baselines/bd_tree.h"

#include "baselines/node_vertices.h"
#include "deform/fields/fields.h"
#include "geometry/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Numbers of a node: centre, extents, the greatest |U_i|; then of each field its mean and how far from it vertices go.
// Extents are one number of spheres, three of boxes.
struct bdTree
{
	binaryTree tree;
	bdTreeDef def;
	sgFields fields; ///< of no field for rigid models
	uint32_t fieldCount;
	uint32_t extents;
	size_t stride; ///< floats per node
	float* values;
	double restReach; ///< greatest |coordinate| at rest
	double* most;     ///< (fieldCount) greatest displacement
};

struct bdBody
{
	const bdTree* tree;
	binaryLeaves leaves;
	double (*center)[3];  ///< (nodes) as it was computed, body space
	double (*extents)[3]; ///< the same, without what was added since
	double (*world)[3];   ///< placed
	double (*reach)[3];   ///< extents in the world, with what was added
	uint32_t* fresh;
	double* computedAt; ///< (nodes) travel when it was computed; negative: never
	double* amplitudes; ///< (fieldCount)
	double travel;      ///< length of the way of all amplitudes so far
	double margin;      ///< how far evaluated vertices may be from where exact arithmetic has them
	uint64_t temporal;
};

// ---- Building --------------------------------------------------------------------------------------------------

static float* ValuesOf(const bdTree* tree, uint32_t node)
{
	return tree->values + tree->stride * node;
}

static float* FieldOf(const bdTree* tree, uint32_t node, uint32_t field)
{
	return ValuesOf(tree, node) + 4 + tree->extents + (3 + tree->extents) * (size_t)field;
}

/// The vertices of a node while it is built.
typedef struct gathering
{
	nodeVertices below;
	float (*displacements)[3]; ///< (fieldCount) of one vertex
	double* sums;              ///< (3 fieldCount + 3)
} gathering;

// Fields that do not move the vertex are zero.
static void GetDisplacements(const bdTree* tree, uint32_t vertex, float (*displacements)[3])
{
	if (tree->fieldCount == 0)
	{
		return;
	}
	memset(displacements, 0, tree->fieldCount * sizeof(*displacements));
	sgRow row = sgRows_Get(&tree->fields.rows, vertex);
	for (uint32_t j = 0; j < row.count; ++j)
	{
		for (size_t axis = 0; axis < 3; ++axis)
		{
			displacements[row.numbers[j]][axis] = row.values[(3 * j + axis) * SG_LANES];
		}
	}
}

static void SetMeans(const bdTree* tree, uint32_t node, gathering* g)
{
	memset(g->sums, 0, (3 * (size_t)tree->fieldCount + 3) * sizeof(double));
	for (uint32_t i = 0; i < g->below.count; ++i)
	{
		const float* p = tree->tree.model->positions + 3 * (size_t)g->below.vertices[i];
		GetDisplacements(tree, g->below.vertices[i], g->displacements);
		for (size_t k = 0; k < 3; ++k)
		{
			g->sums[k] += (double)p[k];
			for (size_t f = 0; f < tree->fieldCount; ++f)
			{
				g->sums[3 + 3 * f + k] += (double)g->displacements[f][k];
			}
		}
	}
	for (uint32_t k = 0; k < 3; ++k)
	{
		ValuesOf(tree, node)[k] = (float)(g->sums[k] / (double)g->below.count);
		for (uint32_t f = 0; f < tree->fieldCount; ++f)
		{
			FieldOf(tree, node, f)[k] = (float)(g->sums[3 + 3 * f + k] / (double)g->below.count);
		}
	}
}

// Enlarge extents so that they contain a point, given relative to their centre. A millionth covers float32.
static void Widen(const bdTree* tree, float* extents, const double d[3])
{
	double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
	for (uint32_t k = 0; k < tree->extents; ++k)
	{
		float wanted = (float)((tree->extents == 1 ? length : fabs(d[k])) * (1.0 + 1e-6));
		extents[k] = wanted > extents[k] ? wanted : extents[k];
	}
}

// The spectral norm of the 3 by M matrix of a vertex' displacements.
static double GetStretch(const bdTree* tree, float (*displacements)[3])
{
	double product[3][3] = { { 0.0 } }, values[3], vectors[3][3];
	for (uint32_t f = 0; f < tree->fieldCount; ++f)
	{
		for (int i = 0; i < 3; ++i)
		{
			for (int k = 0; k < 3; ++k)
			{
				product[i][k] += (double)displacements[f][i] * (double)displacements[f][k];
			}
		}
	}
	sgEigen3(product, values, vectors);
	return sqrt(values[0] > 0.0 ? values[0] : 0.0) * (1.0 + 1e-6);
}

static void SetExtents(bdTree* tree, uint32_t node, gathering* g)
{
	float *values = ValuesOf(tree, node), *stretch = values + 3 + tree->extents;
	for (uint32_t i = 0; i < g->below.count; ++i)
	{
		const float* p = tree->tree.model->positions + 3 * (size_t)g->below.vertices[i];
		double d[3];
		GetDisplacements(tree, g->below.vertices[i], g->displacements);
		for (int k = 0; k < 3; ++k)
		{
			d[k] = (double)p[k] - (double)values[k];
			tree->restReach = fmax(tree->restReach, fabs((double)p[k]));
		}
		Widen(tree, values + 3, d);
		*stretch = fmaxf(*stretch, (float)GetStretch(tree, g->displacements));
		for (uint32_t f = 0; f < tree->fieldCount; ++f)
		{
			float* field = FieldOf(tree, node, f);
			for (int k = 0; k < 3; ++k)
			{
				d[k] = (double)g->displacements[f][k] - (double)field[k];
				tree->most[f] = fmax(tree->most[f], fabs((double)g->displacements[f][k]));
			}
			Widen(tree, field + 3, d);
		}
	}
}

static bool BuildNodes(bdTree* tree)
{
	size_t fields = tree->fieldCount;
	gathering g = {
		.displacements = malloc((fields + 1) * sizeof(*g.displacements)),
		.sums = malloc((3 * fields + 3) * sizeof(double)),
	};
	bool good = g.displacements != NULL && g.sums != NULL && nodeVertices_Create(&g.below, tree->tree.model);
	for (uint32_t node = 0; good && node < tree->tree.nodeCount; ++node)
	{
		nodeVertices_Gather(&g.below, tree->tree.model, tree->tree.slots[node]);
		SetMeans(tree, node, &g);
		SetExtents(tree, node, &g);
	}
	nodeVertices_Free(&g.below);
	free(g.displacements);
	free(g.sums);
	return good;
}

bdTree* bdTree_Create(const snugModel* model, const bdTreeDef* def)
{
	bdTree* tree = calloc(1, sizeof(bdTree));
	if (tree == NULL || !binaryTree_Create(&tree->tree, model))
	{
		free(tree);
		return NULL;
	}
	tree->def = *def;
	if (model->deformBytes > 0)
	{
		tree->fields = sgFields_Bind(model, model->deformData);
		tree->fieldCount = tree->fields.header->fieldCount;
	}
	tree->extents = def->kind == bd_boxes ? 3 : 1;
	tree->stride = 4 + tree->extents + (3 + tree->extents) * (size_t)tree->fieldCount;
	tree->values = calloc(tree->stride * tree->tree.nodeCount + 1, sizeof(float));
	tree->most = calloc((size_t)tree->fieldCount + 1, sizeof(double));
	if (tree->values == NULL || tree->most == NULL || !BuildNodes(tree))
	{
		bdTree_Destroy(tree);
		return NULL;
	}
	return tree;
}

void bdTree_Destroy(bdTree* tree)
{
	if (tree != NULL)
	{
		binaryTree_Free(&tree->tree);
		free(tree->values);
		free(tree->most);
		free(tree);
	}
}

uint32_t bdTree_GetNodeCount(const bdTree* tree)
{
	return tree->tree.nodeCount;
}

uint32_t bdTree_GetLevel(const bdTree* tree, uint32_t node)
{
	return tree->tree.model->tree.nodes[tree->tree.slots[node]].level;
}

double bdTree_GetGrowth(const bdTree* tree, uint32_t node)
{
	double sum = 0.0;
	for (uint32_t f = 0; f < tree->fieldCount; ++f)
	{
		double growth = (double)FieldOf(tree, node, f)[3];
		sum += growth * growth;
	}
	return sqrt(sum);
}

// ---- Bodies ----------------------------------------------------------------------------------------------------

bdBody* bdBody_Create(const bdTree* tree, snugBody* body)
{
	size_t nodes = (size_t)tree->tree.nodeCount + 1;
	bdBody* bd = calloc(1, sizeof(bdBody));
	if (bd == NULL || !binaryLeaves_Create(&bd->leaves, &tree->tree, body))
	{
		free(bd);
		return NULL;
	}
	bd->tree = tree;
	bd->center = malloc(nodes * sizeof(*bd->center));
	bd->extents = malloc(nodes * sizeof(*bd->extents));
	bd->world = malloc(nodes * sizeof(*bd->world));
	bd->reach = malloc(nodes * sizeof(*bd->reach));
	bd->fresh = calloc(nodes, sizeof(uint32_t));
	bd->computedAt = malloc(nodes * sizeof(double));
	bd->amplitudes = calloc((size_t)tree->fieldCount + 1, sizeof(double));
	if (bd->center == NULL || bd->extents == NULL || bd->world == NULL || bd->reach == NULL || bd->fresh == NULL ||
	    bd->computedAt == NULL || bd->amplitudes == NULL)
	{
		bdBody_Destroy(bd);
		return NULL;
	}
	for (size_t i = 0; i < nodes; ++i)
	{
		bd->computedAt[i] = -1.0;
	}
	return bd;
}

void bdBody_Destroy(bdBody* bd)
{
	if (bd != NULL)
	{
		binaryLeaves_Free(&bd->leaves);
		free(bd->center);
		free(bd->extents);
		free(bd->world);
		free(bd->reach);
		free(bd->fresh);
		free(bd->computedAt);
		free(bd->amplitudes);
		free(bd);
	}
}

// Every intermediate of evaluating a vertex is below the sum of the greatest terms: a millionth of that is more than M
// roundings to float32 come to, for M up to 16 at least, and than float32 loses in the numbers above.
snugStatus bdBody_Begin(bdBody* bd)
{
	const bdTree* tree = bd->tree;
	const float* q = tree->fieldCount > 0 ? sgFieldsPose_Amplitudes(bd->leaves.body->posed.pose) : NULL;
	double square = 0.0, reach = tree->restReach;
	for (uint32_t f = 0; f < tree->fieldCount; ++f)
	{
		double change = (double)q[f] - bd->amplitudes[f];
		square += change * change;
		bd->amplitudes[f] = (double)q[f];
		reach += fabs((double)q[f]) * tree->most[f];
	}
	bd->travel += sqrt(square) * (1.0 + 1e-12);
	bd->margin = (1e-6 + 6e-8 * (double)tree->fieldCount) * reach;
	bd->temporal = 0;
	return binaryLeaves_Begin(&bd->leaves);
}

binaryCounters bdBody_GetCounters(const bdBody* bd)
{
	return bd->leaves.counters;
}

uint64_t bdBody_GetTemporalUpdates(const bdBody* bd)
{
	return bd->temporal;
}

void bdBody_Bound(bdBody* bd, uint32_t node, double center[3], double extents[3])
{
	const bdTree* tree = bd->tree;
	const float* values = ValuesOf(tree, node);
	for (uint32_t k = 0; k < 3; ++k)
	{
		center[k] = (double)values[k];
		extents[k] = (double)values[3 + (tree->extents == 1 ? 0 : k)];
	}
	for (uint32_t f = 0; f < tree->fieldCount; ++f)
	{
		const float* field = FieldOf(tree, node, f);
		double q = bd->amplitudes[f], size = fabs(q);
		for (uint32_t k = 0; k < 3; ++k)
		{
			center[k] += (double)field[k] * q;
		}
		for (uint32_t k = 0; k < tree->extents; ++k)
		{
			extents[k] += (double)field[3 + k] * size;
		}
	}
	extents[1] = tree->extents == 1 ? extents[0] : extents[1];
	extents[2] = tree->extents == 1 ? extents[0] : extents[2];
}

// What is kept and enlarged, or computed; then where it is.
static void Refit(bdBody* bd, uint32_t node)
{
	const bdTree* tree = bd->tree;
	const sgPlacement* place = &bd->leaves.placement;
	if (bd->fresh[node] == bd->leaves.version)
	{
		return;
	}
	bd->fresh[node] = bd->leaves.version;
	double added = (double)ValuesOf(tree, node)[3 + tree->extents] * (bd->travel - bd->computedAt[node]);
	bool isKept =
	    tree->def.temporal > 0.0 && bd->computedAt[node] >= 0.0 && added <= tree->def.temporal * bd->extents[node][0];
	if (!isKept)
	{
		bdBody_Bound(bd, node, bd->center[node], bd->extents[node]);
		bd->computedAt[node] = bd->travel;
		added = 0.0;
	}
	bd->temporal += isKept;
	bd->leaves.counters.nodesRefitted += !isKept;
	double slack = bd->margin + binaryLeaves_GetSlack(&bd->leaves);
	for (int i = 0; i < 3; ++i)
	{
		double spread = 0.0;
		bd->world[node][i] = place->translation[i];
		for (int k = 0; k < 3; ++k)
		{
			bd->world[node][i] += place->rotation[i][k] * bd->center[node][k];
			spread += fabs(place->rotation[i][k]) * (bd->extents[node][k] + added);
		}
		bd->reach[node][i] = tree->extents == 1 ? bd->extents[node][0] + added + 1.75 * slack : spread + slack;
	}
}

// ---- Queries ---------------------------------------------------------------------------------------------------

static bool Overlap(void* bodyA, uint32_t nodeA, void* bodyB, uint32_t nodeB)
{
	bdBody *a = bodyA, *b = bodyB;
	Refit(a, nodeA);
	Refit(b, nodeB);
	++a->leaves.counters.volumeTests;
	const double *p = a->world[nodeA], *q = b->world[nodeB], *r = a->reach[nodeA], *t = b->reach[nodeB];
	double d[3] = { p[0] - q[0], p[1] - q[1], p[2] - q[2] };
	if (a->tree->extents == 1)
	{
		return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= (r[0] + t[0]) * (r[0] + t[0]);
	}
	return fabs(d[0]) <= r[0] + t[0] && fabs(d[1]) <= r[1] + t[1] && fabs(d[2]) <= r[2] + t[2];
}

static double GetSize(const void* body, uint32_t node)
{
	const bdBody* bd = body;
	const double* r = bd->reach[node];
	return bd->tree->extents == 1 ? r[0] : r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
}

uint64_t bdCollide(bdBody* a, bdBody* b, snugPair* pairs, uint64_t capacity)
{
	static const binaryMethod method = { Overlap, GetSize };
	return binaryCollide(&method, (binarySide){ a, &a->leaves }, (binarySide){ b, &b->leaves }, pairs, capacity);
}

/// A query against a ball.
typedef struct search
{
	bdBody* a;
	binaryBall ball;
	binaryHits hits;
} search;

// Of the ball's centre from a box, or a sphere's from it.
static bool OverlapBall(void* user, uint32_t node)
{
	search* s = user;
	bdBody* bd = s->a;
	Refit(bd, node);
	++bd->leaves.counters.volumeTests;
	double square = 0.0, reach = s->ball.radius + (bd->tree->extents == 1 ? bd->reach[node][0] : 0.0);
	for (int k = 0; k < 3; ++k)
	{
		double d = fabs(bd->world[node][k] - s->ball.center[k]);
		d = bd->tree->extents == 1 ? d : fmax(0.0, d - bd->reach[node][k]);
		square += d * d;
	}
	return square <= reach * reach;
}

static void TestBall(void* user, uint32_t leaf)
{
	search* s = user;
	++s->a->leaves.counters.triangleTests;
	if (binaryDistance2(binaryLeaves_Get(&s->a->leaves, leaf), s->ball.center) <= s->ball.radius * s->ball.radius)
	{
		binaryHits_Add(&s->hits, s->a->tree->tree.triangles[leaf]);
	}
}

uint64_t bdCollideBall(bdBody* bd, const binaryBall* ball, uint32_t* triangles, uint64_t capacity)
{
	search s = { .a = bd, .ball = *ball, .hits = { triangles, capacity, 0 } };
	binarySearch_Run(&(binarySearch){ &bd->tree->tree, &s, OverlapBall, TestBall });
	return s.hits.count;
}
