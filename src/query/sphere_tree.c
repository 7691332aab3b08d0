// src/query/sphere_tree.c: making the contact spheres of a model. See sphere_tree.h.
#include "query/sphere_tree.h"

#include "base/fpenv.h"
#include "geometry/ball.h"
#include "geometry/margins.h"
#include "model/contents.h"
#include "query/sphere_split.h"

#include <math.h>
#include <string.h>

#define DEFAULT_LEVEL 10

static size_t NodeBytes(const snugSphereTree* tree)
{
	return tree->nodeCount * sizeof(sgSphereNode);
}

static size_t ChildBytes(const snugSphereTree* tree)
{
	return tree->nodeCount * sizeof(sgSphereFamily);
}

static size_t QuadBytes(const snugSphereTree* tree)
{
	return (size_t)tree->rows[tree->level + 1] * (1 + (size_t)tree->fieldCount) * sizeof(sgQuad);
}

static size_t PlaceBytes(const snugSphereTree* tree)
{
	return tree->model->tree.triangleCount * sizeof(uint32_t);
}

// ---- Nodes ----------------------------------------------------------------------------------------------------------

static uint32_t CountNodes(const snugSphereTree* tree)
{
	const sgTree* from = &tree->model->tree;
	uint32_t count = 0;
	if (!sgModel_HasBoxes(tree->model))
	{
		return (2u << tree->level) - 1;
	}
	for (uint32_t slot = 0; slot < from->groupCount * SG_LANES; ++slot)
	{
		count += from->nodes[slot].first != SG_NONE && from->nodes[slot].level <= tree->level;
	}
	return count;
}

// The children of a node of the model's tree.
static uint32_t ListChildren(const snugSphereTree* tree, const sgSphereNode* node, sgSphereNode* children)
{
	const sgTree* from = &tree->model->tree;
	const sgNode* own = from->nodes + node->slot;
	for (uint32_t k = 0; k < own->childCount && own->level < tree->level; ++k)
	{
		sgLeafRange range = sgTree_LeavesBelow(from, own->first + k);
		const sgLeaf *first = from->leaves + range.first, *last = from->leaves + range.last;
		uint32_t end = last->firstTriangle + last->triangleCount;
		children[k] = (sgSphereNode){
			.slot = own->first + k, .first = first->firstTriangle, .count = end - first->firstTriangle
		};
	}
	return own->level < tree->level ? own->childCount : 0;
}

static uint32_t CutNode(
    const snugSphereTree* tree, const sgSphereNode* node, sgSphereItem* items, sgSphereNode* children)
{
	uint32_t below = tree->level - node->level;
	if (below == 0)
	{
		return 0;
	}
	uint32_t cut = sgSphereSplit_Cut(items + node->first, node->count, below);
	children[0] = (sgSphereNode){ .slot = SG_NONE, .first = node->first, .count = cut };
	children[1] = (sgSphereNode){ .slot = SG_NONE, .first = node->first + cut, .count = node->count - cut };
	return 2;
}

// Breadth first, so that children are side by side and levels one after the other.
// @param items null: the model's tree
static void ListNodes(snugSphereTree* tree, sgSphereItem* items)
{
	tree->nodes[0] = (sgSphereNode){ .parent = SG_NONE, .count = tree->model->tree.triangleCount };
	uint32_t count = 1;
	for (uint32_t i = 0; i < count; ++i)
	{
		sgSphereNode *node = tree->nodes + i, *children = tree->nodes + count;
		uint32_t childCount = items != NULL ? CutNode(tree, node, items, children) : ListChildren(tree, node, children);
		tree->children[i] = (sgSphereFamily){ count, childCount };
		tree->starts[node->level + 1] = i + 1;
		for (uint32_t k = 0; k < childCount; ++k)
		{
			children[k].parent = i;
			children[k].level = (uint8_t)(node->level + 1);
		}
		count += childCount;
	}
	for (uint32_t level = 0; level <= tree->level; ++level)
	{
		tree->rows[level + 1] = tree->rows[level] + tree->starts[level + 1];
	}
}

// ---- Triangles ------------------------------------------------------------------------------------------------------

static uint32_t CornerOf(const sgTree* tree, uint32_t place, uint32_t corner)
{
	const sgLeaf* leaf = tree->leaves + place / SG_LANES;
	return tree->leafVertices[leaf->firstVertex + leaf->corners[corner][place % SG_LANES]];
}

static void ListPlaces(snugSphereTree* tree)
{
	const sgTree* from = &tree->model->tree;
	for (uint32_t i = 0; i < from->leafCount; ++i)
	{
		for (uint32_t t = 0; t < from->leaves[i].triangleCount; ++t)
		{
			tree->places[from->leaves[i].firstTriangle + t] = i * SG_LANES + t;
		}
	}
}

static void TakeItems(const snugSphereTree* tree, sgSphereItem* items)
{
	const sgTree* from = &tree->model->tree;
	for (uint32_t t = 0; t < from->triangleCount; ++t)
	{
		items[t].place = tree->places[t];
		items[t].triangle = from->triangleMap[t];
		for (uint32_t c = 0; c < 3; ++c)
		{
			const float* position = tree->model->positions + 3 * (size_t)CornerOf(from, tree->places[t], c);
			memcpy(items[t].corners[c], position, sizeof(items[t].corners[c]));
		}
	}
}

// ---- Balls ----------------------------------------------------------------------------------------------------------

/// Points of a node: rest positions of its triangles' corners, or what one field does to them.
typedef struct Points
{
	const float* values; ///< x, y, z of each vertex
	const sgTree* tree;
	const uint32_t* places;
} Points;

static void GetPoint(const void* context, uint32_t i, double point[3])
{
	const Points* points = context;
	const float* value = points->values + 3 * (size_t)CornerOf(points->tree, points->places[i / 3], i % 3);
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
	for (uint32_t i = 0; i < tree->nodeCount; ++i)
	{
		const sgSphereNode* node = tree->nodes + i;
		Points points = { values, &tree->model->tree, tree->places + node->first };
		sgQuad quad = BallOf(&points, 3 * node->count);
		for (uint32_t level = node->level; level <= tree->level; ++level)
		{
			sgSphereTree_Quads(tree, i, level)[place] = quad;
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

// A node is a contact node of its own level, and, if nothing is below it, of all levels below too.
static void WrapNode(snugSphereTree* tree, uint32_t node)
{
	uint32_t first = tree->nodes[node].level, last = tree->children[node].count > 0 ? first : tree->level;
	for (uint32_t level = first; level <= last; ++level)
	{
		const sgQuad* own = sgSphereTree_Quads(tree, node, level);
		for (uint32_t at = tree->nodes[node].parent; at != SG_NONE; at = tree->nodes[at].parent)
		{
			Wrap(sgSphereTree_Quads(tree, at, level), own, 1 + tree->fieldCount);
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
		WrapNode(tree, i);
	}
}

// Nodes and the order of triangles.
static SG_NOINLINE void Divide(snugSphereTree* tree, sgSphereItem* items)
{
	ListPlaces(tree);
	if (items != NULL)
	{
		TakeItems(tree, items);
	}
	ListNodes(tree, items);
	for (uint32_t t = 0; items != NULL && t < tree->model->tree.triangleCount; ++t)
	{
		tree->places[t] = items[t].place;
	}
}

// The rows are known once nodes are listed.
static bool Allocate(snugSphereTree* tree)
{
	size_t itemBytes = sgModel_HasBoxes(tree->model) ? 0 : tree->model->tree.triangleCount * sizeof(sgSphereItem);
	sgSphereItem* items = itemBytes > 0 ? sgAllocate(&tree->allocator, itemBytes) : NULL;
	tree->nodes = sgAllocate(&tree->allocator, NodeBytes(tree));
	tree->children = sgAllocate(&tree->allocator, ChildBytes(tree));
	tree->places = sgAllocate(&tree->allocator, PlaceBytes(tree));
	bool isEnough =
	    tree->nodes != NULL && tree->children != NULL && tree->places != NULL && (items != NULL || itemBytes == 0);
	if (isEnough)
	{
		Divide(tree, items);
	}
	sgRelease(&tree->allocator, items, itemBytes);
	isEnough = isEnough && tree->rows[tree->level + 1] < SG_MAX_SIZE / sizeof(sgQuad) / (1 + tree->fieldCount);
	tree->quads = isEnough ? sgAllocate(&tree->allocator, QuadBytes(tree)) : NULL;
	return tree->quads != NULL;
}

static uint32_t FindDepth(const snugModel* model)
{
	return sgModel_HasBoxes(model)
	           ? model->tree.depth
	           : sgSphereSplit_GetDepth(model->tree.triangleCount, (uint32_t)model->treeDef.leafTriangles);
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
	uint32_t level = def->level > 0 ? def->level : DEFAULT_LEVEL, depth = FindDepth(model);
	snugSphereTree* tree = sgAllocate(&allocator, sizeof(snugSphereTree));
	size_t valueBytes = 3 * (size_t)model->tree.vertexCount * sizeof(float);
	float* values = sgAllocate(&allocator, valueBytes);
	if (tree != NULL)
	{
		*tree = (snugSphereTree){
			.allocator = allocator,
			.model = model,
			.level = level < depth ? level : depth,
			.fieldCount = model->deform->amplitudes != NULL ? model->info.fieldCount : 0,
		};
		tree->nodeCount = CountNodes(tree);
	}
	sgFpEnv environment = sgFpEnv_Enter();
	if (tree == NULL || values == NULL || !Allocate(tree))
	{
		sgFpEnv_Leave(environment);
		sgRelease(&allocator, values, valueBytes);
		snugSphereTree_Destroy(tree);
		return sgFail(&def->messenger, snug_outOfMemory, "no memory for the spheres of a model");
	}
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
	sgRelease(&allocator, tree->children, ChildBytes(tree));
	sgRelease(&allocator, tree->places, PlaceBytes(tree));
	sgRelease(&allocator, tree->quads, QuadBytes(tree));
	sgRelease(&allocator, tree, sizeof(*tree));
}

size_t snugSphereTree_GetMemory(const snugSphereTree* tree)
{
	SG_REQUIRE(tree != NULL, 0);
	return sizeof(*tree) + NodeBytes(tree) + ChildBytes(tree) + PlaceBytes(tree) + QuadBytes(tree);
}

bool snugSphereTree_GetNode(const snugSphereTree* tree, uint32_t treeNode, snugSphereNode* out, float* displacements)
{
	SG_REQUIRE(tree != NULL && out != NULL, false);
	*out = (snugSphereNode){ .treeNode = treeNode };
	if (treeNode >= tree->nodeCount)
	{
		return false;
	}
	const sgSphereNode* node = tree->nodes + treeNode;
	const sgQuad* quads = sgSphereTree_Quads(tree, treeNode, node->level);
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

uint32_t snugSphereTree_GetTriangles(
    const snugSphereTree* tree, uint32_t treeNode, uint32_t* triangles, uint32_t capacity)
{
	SG_REQUIRE(tree != NULL && (triangles != NULL || capacity == 0), 0);
	const sgTree* from = &tree->model->tree;
	const sgSphereNode* node = treeNode < tree->nodeCount ? tree->nodes + treeNode : NULL;
	for (uint32_t i = 0; node != NULL && i < node->count && i < capacity; ++i)
	{
		uint32_t place = tree->places[node->first + i];
		triangles[i] = from->triangleMap[from->leaves[place / SG_LANES].firstTriangle + place % SG_LANES];
	}
	return node != NULL ? node->count : 0;
}
