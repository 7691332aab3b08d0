// src/query/sphere_tree.c: making the contact spheres of a model. See sphere_tree.h.
#include "query/sphere_tree.h"

#include "base/fpenv.h"
#include "geometry/ball.h"
#include "geometry/margins.h"
#include "model/contents.h"

#include <math.h>
#include <string.h>

#define DEFAULT_LEVEL 10

static size_t NodeBytes(const snugSphereTree* tree)
{
	return tree->nodeCount * sizeof(sgSphereNode);
}

static size_t QuadBytes(const snugSphereTree* tree)
{
	return (size_t)tree->rowCount * (1 + (size_t)tree->fieldCount) * sizeof(sgQuad);
}

static size_t NumberBytes(const snugSphereTree* tree)
{
	return tree->slotCount * sizeof(uint32_t);
}

// ---- Nodes ----------------------------------------------------------------------------------------------------------

// Breadth first, so that children are side by side and levels one after the other.
static void ListNodes(snugSphereTree* tree)
{
	const sgTree* from = &tree->model->tree;
	tree->nodes[0] = (sgSphereNode){ .slot = 0, .parent = SG_NONE };
	tree->rowCount = 0;
	uint32_t count = 1;
	for (uint32_t i = 0; i < count; ++i)
	{
		sgSphereNode* node = tree->nodes + i;
		const sgNode* own = from->nodes + node->slot;
		node->isLeaf = own->childCount == 0;
		node->level = own->level;
		node->children = (sgSphereFamily){ count, own->level < tree->level ? own->childCount : 0 };
		node->row = (uint32_t)tree->rowCount;
		tree->rowCount += 1 + (uint64_t)(node->children.count > 0 ? tree->level - own->level : 0);
		tree->numbers[node->slot] = i;
		for (uint32_t k = 0; k < node->children.count; ++k)
		{
			tree->nodes[count++] = (sgSphereNode){ .slot = own->first + k, .parent = i };
		}
	}
}

static uint32_t CountNodes(const sgTree* tree, uint32_t level)
{
	uint32_t count = 0;
	for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
	{
		count += tree->nodes[slot].first != SG_NONE && tree->nodes[slot].level <= level;
	}
	return count;
}

// ---- Balls ----------------------------------------------------------------------------------------------------------

/// Points of a node: rest positions of all vertices, or what one field does to them, by the leaves' lists.
typedef struct Points
{
	const float* values; ///< x, y, z of each vertex
	const uint32_t* vertices;
} Points;

static void GetPoint(const void* context, uint32_t i, double point[3])
{
	const Points* points = context;
	const float* value = points->values + 3 * (size_t)points->vertices[i];
	point[0] = (double)value[0];
	point[1] = (double)value[1];
	point[2] = (double)value[2];
}

static double Distance(const double a[3], const double b[3])
{
	double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
	return sqrt(x * x + y * y + z * z);
}

static void GetCenter(const sgQuad* quad, double center[3])
{
	for (int k = 0; k < 3; ++k)
	{
		center[k] = (double)(*quad)[k];
	}
}

// The radius is measured from the centre as it is stored.
static sgQuad BallOf(const Points* points, uint32_t count)
{
	double center[3], stored[3], point[3], radius = 0.0;
	sgSmallestBall(GetPoint, points, count, center);
	sgQuad quad = { 0.0f, 0.0f, 0.0f, 0.0f };
	for (int k = 0; k < 3; ++k)
	{
		quad[k] = sgRoundNearest(center[k]);
		stored[k] = (double)quad[k];
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		GetPoint(points, i, point);
		radius = fmax(radius, Distance(point, stored));
	}
	quad[3] = sgRoundUp(radius * (1.0 + SG_MARGIN_BALL));
	return quad;
}

// One quad of every node, and of its wrapping rows the centre.
static void FillQuads(snugSphereTree* tree, uint32_t place, const float* values)
{
	const sgTree* from = &tree->model->tree;
	for (uint32_t i = 0; i < tree->nodeCount; ++i)
	{
		const sgSphereNode* node = tree->nodes + i;
		sgLeafRange range = sgTree_LeavesBelow(from, node->slot);
		const sgLeaf *first = from->leaves + range.first, *last = from->leaves + range.last;
		Points points = { values, from->leafVertices + first->firstVertex };
		uint32_t count = last->firstVertex + last->vertexCount - first->firstVertex;
		sgQuad quad = BallOf(&points, count);
		sgSphereTree_Quads(tree, node, node->level)[place] = quad;
		for (uint32_t level = node->level + 1u; node->children.count > 0 && level <= tree->level; ++level)
		{
			sgSphereTree_Quads(tree, node, level)[place] = quad;
		}
	}
}

// ---- Wrapping -------------------------------------------------------------------------------------------------------

static void Wrap(sgQuad* above, const sgQuad* below, uint32_t count)
{
	for (uint32_t j = 0; j < count; ++j)
	{
		double centerAbove[3], centerBelow[3];
		GetCenter(above + j, centerAbove);
		GetCenter(below + j, centerBelow);
		double radius = Distance(centerAbove, centerBelow) + (double)below[j][3];
		float needed = sgRoundUp(radius * (1.0 + SG_MARGIN_BALL));
		above[j][3] = needed > above[j][3] ? needed : above[j][3];
	}
}

// A node is a contact node of its own level, and a leaf of all levels below it too.
static void WrapNode(snugSphereTree* tree, const sgSphereNode* node)
{
	const sgQuad* own = sgSphereTree_Quads(tree, node, node->level);
	uint32_t last = node->isLeaf ? tree->level : node->level;
	for (uint32_t level = node->level; level <= last; ++level)
	{
		for (uint32_t at = node->parent; at != SG_NONE; at = tree->nodes[at].parent)
		{
			Wrap(sgSphereTree_Quads(tree, tree->nodes + at, level), own, 1 + tree->fieldCount);
		}
	}
}

// ---- All of it ------------------------------------------------------------------------------------------------------

// What a field does to every vertex, in tree order.
static void SpreadField(const sgRows* rows, uint32_t vertexCount, uint32_t field, float* values)
{
	memset(values, 0, 3 * (size_t)vertexCount * sizeof(float));
	for (uint32_t v = 0; v < vertexCount && rows->places != NULL; ++v)
	{
		sgRow row = sgRows_Get(rows, v);
		for (uint32_t j = 0; j < row.count; ++j)
		{
			for (uint32_t k = 0; k < 3 && row.numbers[j] == field; ++k)
			{
				values[3 * (size_t)v + k] = row.values[(j * 3 + k) * SG_LANES];
			}
		}
	}
}

static SG_NOINLINE void Fill(snugSphereTree* tree, float* values)
{
	sgContents contents = sgModel_Describe(tree->model);
	sgModel_FindReach(tree->model, tree->reach);
	FillQuads(tree, 0, tree->model->positions);
	for (uint32_t field = 0; field < tree->fieldCount; ++field)
	{
		SpreadField(&contents.displacements, tree->model->tree.vertexCount, field, values);
		FillQuads(tree, 1 + field, values);
	}
	for (uint32_t i = 0; i < tree->nodeCount; ++i)
	{
		WrapNode(tree, tree->nodes + i);
	}
}

// The rows are known once nodes are listed.
static bool Allocate(snugSphereTree* tree)
{
	tree->nodes = sgAllocate(&tree->allocator, NodeBytes(tree));
	tree->numbers = sgAllocate(&tree->allocator, NumberBytes(tree));
	if (tree->nodes == NULL || tree->numbers == NULL)
	{
		return false;
	}
	memset(tree->numbers, 0xff, NumberBytes(tree));
	ListNodes(tree);
	bool isPossible =
	    tree->rowCount <= UINT32_MAX && tree->rowCount < SG_MAX_SIZE / sizeof(sgQuad) / (1 + tree->fieldCount);
	tree->quads = isPossible ? sgAllocate(&tree->allocator, QuadBytes(tree)) : NULL;
	return tree->quads != NULL;
}

snugStatus snugSphereTree_Create(const snugSphereTreeDef* def, snugSphereTree** out)
{
	SG_REQUIRE(out != NULL, snug_badArgument);
	*out = NULL;
	SG_REQUIRE(def != NULL && def->model != NULL && sgAllocator_IsValid(&def->allocator), snug_badArgument);
	SG_REQUIRE_RESERVED(def, snug_badArgument);
	const snugModel* model = def->model;
	if (model->tree.triangleCount == 0)
	{
		return sgFail(&def->messenger, snug_badInput, "a model without triangles has no spheres");
	}
	snugAllocator allocator = sgAllocator_OrDefault(def->allocator);
	uint32_t level = def->level > 0 ? def->level : DEFAULT_LEVEL;
	snugSphereTree* tree = sgAllocate(&allocator, sizeof(snugSphereTree));
	size_t valueBytes = 3 * (size_t)model->tree.vertexCount * sizeof(float);
	float* values = sgAllocate(&allocator, valueBytes);
	if (tree != NULL)
	{
		*tree = (snugSphereTree){
			.allocator = allocator,
			.model = model,
			.level = level < model->tree.depth ? level : model->tree.depth,
			.slotCount = model->tree.groupCount * SG_LANES,
			.fieldCount = model->deform->amplitudes != NULL ? model->info.fieldCount : 0,
		};
		tree->nodeCount = CountNodes(&model->tree, tree->level);
	}
	if (tree == NULL || values == NULL || !Allocate(tree))
	{
		sgRelease(&allocator, values, valueBytes);
		snugSphereTree_Destroy(tree);
		return sgFail(&def->messenger, snug_outOfMemory, "no memory for the spheres of a model");
	}
	sgFpEnv environment = sgFpEnv_Enter();
	Fill(tree, values);
	sgFpEnv_Leave(environment);
	sgRelease(&allocator, values, valueBytes);
	*out = tree;
	return snug_success;
}

void snugSphereTree_Destroy(snugSphereTree* tree)
{
	if (tree == NULL)
	{
		return;
	}
	snugAllocator allocator = tree->allocator;
	sgRelease(&allocator, tree->nodes, NodeBytes(tree));
	sgRelease(&allocator, tree->numbers, NumberBytes(tree));
	sgRelease(&allocator, tree->quads, QuadBytes(tree));
	sgRelease(&allocator, tree, sizeof(*tree));
}

size_t snugSphereTree_GetMemory(const snugSphereTree* tree)
{
	SG_REQUIRE(tree != NULL, 0);
	return sizeof(*tree) + NodeBytes(tree) + NumberBytes(tree) + QuadBytes(tree);
}

bool snugSphereTree_GetNode(const snugSphereTree* tree, uint32_t treeNode, snugSphereNode* out, float* displacements)
{
	SG_REQUIRE(tree != NULL && out != NULL, false);
	*out = (snugSphereNode){ .treeNode = treeNode };
	if (treeNode >= tree->slotCount || tree->numbers[treeNode] == SG_NONE)
	{
		return false;
	}
	const sgSphereNode* node = tree->nodes + tree->numbers[treeNode];
	const sgQuad* quads = sgSphereTree_Quads(tree, node, node->level);
	out->level = node->level;
	for (int k = 0; k < 3; ++k)
	{
		out->center[k] = quads[0][k];
	}
	out->radius = quads[0][3];
	for (size_t i = 0; displacements != NULL && i < 3 * (size_t)tree->fieldCount; ++i)
	{
		displacements[i] = quads[1 + i / 3][i % 3];
	}
	return true;
}
