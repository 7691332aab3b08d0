// papers/bdtree/contact_tree.c: making the contact spheres of a model. See contact_parts.h.
#include "base/vec.h"
#include "papers/bdtree/contact_parts.h"

#include "deform/fields/fields.h"
#include "geometry/frame.h"
#include "papers/bdtree/contact_split.h"
#include "papers/common/ball.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_LEVEL 10
#define DEFAULT_LEAF 8

/// Of distances in double, which are rounded up to float32 in the end.
#define MARGIN 0x1p-40

static size_t QuadBytes(const contactTree* tree)
{
	size_t bytes = (size_t)tree->rows[tree->level + 1] * (1 + (size_t)tree->fieldCount) * sizeof(contactQuad);
	return (bytes + 63) / 64 * 64;
}

// ---- Triangles ------------------------------------------------------------------------------------------------------

static uint32_t CornerOf(const sgTree* tree, uint32_t place, uint32_t corner)
{
	const sgLeaf* leaf = tree->leaves + place / SG_LANES;
	return tree->leafVertices[leaf->firstVertex + leaf->corners[corner][place % SG_LANES]];
}

static void ListPlaces(contactTree* tree)
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

static void TakeItems(const contactTree* tree, contactItem* items)
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

static void GetCenter(const contactQuad* quad, double center[3])
{
	for (int k = 0; k < 3; ++k)
	{
		center[k] = (double)(*quad)[k];
	}
}

// The radius is measured from the centre as it is stored.
static contactQuad BallOf(const Points* points, uint32_t count)
{
	double center[3], stored[3], point[3], radius = 0.0;
	sgSmallestBall(GetPoint, points, count, center);
	contactQuad quad = { 0.0f, 0.0f, 0.0f, 0.0f };
	for (int k = 0; k < 3; ++k)
	{
		quad[k] = sgRoundNearest(center[k]);
		stored[k] = (double)quad[k];
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		GetPoint(points, i, point);
		radius = fmax(radius, sqrt(sgDistance2(point, stored)));
	}
	quad[3] = sgRoundUp(radius * (1.0 + MARGIN));
	return quad;
}

// One quad of every node, and of its wrapping rows the centre.
static void FillQuads(contactTree* tree, uint32_t place, const float* values)
{
	for (uint32_t i = 0; i < tree->nodeCount; ++i)
	{
		const contactTriangles* node = tree->nodes + i;
		Points points = { values, &tree->model->tree, tree->places + node->first };
		contactQuad quad = BallOf(&points, 3 * node->count);
		for (uint32_t level = contactTree_LevelOf(i); level <= tree->level; ++level)
		{
			contactTree_Quads(tree, i, level)[place] = quad;
		}
	}
}

// ---- Wrapping -------------------------------------------------------------------------------------------------------

static void Wrap(contactQuad* above, const contactQuad* below, uint32_t count)
{
	for (uint32_t j = 0; j < count; ++j)
	{
		double centerAbove[3], centerBelow[3];
		GetCenter(above + j, centerAbove);
		GetCenter(below + j, centerBelow);
		double radius = sqrt(sgDistance2(centerAbove, centerBelow)) + (double)below[j][3];
		float needed = sgRoundUp(radius * (1.0 + MARGIN));
		above[j][3] = needed > above[j][3] ? needed : above[j][3];
	}
}

// A node is a contact node of its own level.
static void WrapNode(contactTree* tree, uint32_t node)
{
	uint32_t level = contactTree_LevelOf(node);
	const contactQuad* own = contactTree_Quads(tree, node, level);
	for (uint32_t at = node; at > 0;)
	{
		at = (at - 1) / 2;
		Wrap(contactTree_Quads(tree, at, level), own, 1 + tree->fieldCount);
	}
}

// ---- All of it ------------------------------------------------------------------------------------------------------

// What a field does to every vertex, in the model's order.
static void SpreadField(const sgFields* fields, uint32_t vertexCount, uint32_t field, float* values)
{
	memset(values, 0, 3 * (size_t)vertexCount * sizeof(float));
	for (uint32_t v = 0; v < vertexCount && fields->rows.places != NULL; ++v)
	{
		sgRow row = sgRows_Get(&fields->rows, v);
		for (uint32_t j = 0; j < row.count; ++j)
		{
			for (uint32_t k = 0; k < 3 && row.numbers[j] == field; ++k)
			{
				values[3 * (size_t)v + k] = row.values[(j * 3 + k) * SG_LANES];
			}
		}
	}
}

static void Fill(contactTree* tree, float* values)
{
	const snugModel* model = tree->model;
	for (size_t i = 0; i < 3 * (size_t)model->tree.vertexCount; ++i)
	{
		tree->reach[i % 3] = fmaxf(tree->reach[i % 3], fabsf(model->positions[i]));
	}
	FillQuads(tree, 0, model->positions);
	for (uint32_t field = 0; field < tree->fieldCount; ++field)
	{
		const sgFields fields = sgFields_Bind(model, model->deformData);
		SpreadField(&fields, model->tree.vertexCount, field, values);
		FillQuads(tree, 1 + field, values);
	}
	for (uint32_t i = 0; i < tree->nodeCount; ++i)
	{
		WrapNode(tree, i);
	}
}

// Nodes and the order of triangles, level by level.
static void Divide(contactTree* tree, contactItem* items)
{
	ListPlaces(tree);
	TakeItems(tree, items);
	tree->nodes[0] = (contactTriangles){ 0, tree->model->tree.triangleCount };
	for (uint32_t i = 0; i < contactTree_Start(tree->level); ++i)
	{
		contactTriangles node = tree->nodes[i], *children = tree->nodes + contactTree_Children(i).first;
		uint32_t cut = contactSplit_Cut(items + node.first, node.count, tree->level - contactTree_LevelOf(i));
		children[0] = (contactTriangles){ node.first, cut };
		children[1] = (contactTriangles){ node.first + cut, node.count - cut };
	}
	for (uint32_t t = 0; t < tree->model->tree.triangleCount; ++t)
	{
		tree->places[t] = items[t].place;
	}
}

static bool Make(contactTree* tree)
{
	size_t triangles = tree->model->tree.triangleCount;
	for (uint32_t level = 0; level <= tree->level; ++level)
	{
		tree->rows[level + 1] = tree->rows[level] + contactTree_Start(level + 1);
	}
	contactItem* items = malloc(triangles * sizeof(contactItem));
	float* values = malloc(3 * (size_t)tree->model->tree.vertexCount * sizeof(float));
	tree->nodes = malloc(tree->nodeCount * sizeof(contactTriangles));
	tree->places = malloc(triangles * sizeof(uint32_t));
	tree->quads = aligned_alloc(64, QuadBytes(tree));
	bool good = items != NULL && values != NULL && tree->nodes != NULL && tree->places != NULL && tree->quads != NULL;
	if (good)
	{
		Divide(tree, items);
		Fill(tree, values);
	}
	free(items);
	free(values);
	return good;
}

snugStatus contactTree_Create(const contactTreeDef* def, contactTree** out)
{
	const snugModel* model = def->model;
	uint32_t level = def->level > 0 ? def->level : DEFAULT_LEVEL;
	uint32_t depth =
	    contactSplit_GetDepth(model->tree.triangleCount, def->leafTriangles > 0 ? def->leafTriangles : DEFAULT_LEAF);
	*out = NULL;
	if (model->tree.triangleCount == 0 ||
	    (model->deform->deformer != snug_rigid && model->deform->deformer != snug_fields))
	{
		return snug_badInput;
	}
	contactTree* tree = calloc(1, sizeof(contactTree));
	if (tree == NULL)
	{
		return snug_outOfMemory;
	}
	level = level < depth ? level : depth;
	*tree = (contactTree){
		.model = model,
		.level = level < CONTACT_LEVELS ? level : CONTACT_LEVELS,
		.fieldCount = model->deform->deformer == snug_fields ? model->info.fieldCount : 0,
	};
	tree->nodeCount = contactTree_Start(tree->level + 1);
	if (!Make(tree))
	{
		contactTree_Destroy(tree);
		return snug_outOfMemory;
	}
	*out = tree;
	return snug_success;
}

void contactTree_Destroy(contactTree* tree)
{
	if (tree != NULL)
	{
		free(tree->nodes);
		free(tree->places);
		free(tree->quads);
		free(tree);
	}
}

size_t contactTree_GetMemory(const contactTree* tree)
{
	return sizeof(*tree) + tree->nodeCount * sizeof(contactTriangles) + QuadBytes(tree) +
	       tree->model->tree.triangleCount * sizeof(uint32_t);
}

bool contactTree_GetNode(const contactTree* tree, uint32_t treeNode, contactNode* out, float* displacements)
{
	*out = (contactNode){ .treeNode = treeNode };
	if (treeNode >= tree->nodeCount)
	{
		return false;
	}
	out->level = contactTree_LevelOf(treeNode);
	const contactQuad* quads = contactTree_Quads(tree, treeNode, out->level);
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

uint32_t contactTree_GetTriangles(const contactTree* tree, uint32_t treeNode, uint32_t* triangles, uint32_t capacity)
{
	const sgTree* from = &tree->model->tree;
	const contactTriangles* node = treeNode < tree->nodeCount ? tree->nodes + treeNode : NULL;
	for (uint32_t i = 0; node != NULL && i < node->count && i < capacity; ++i)
	{
		uint32_t place = tree->places[node->first + i];
		triangles[i] = from->triangleMap[from->leaves[place / SG_LANES].firstTriangle + place % SG_LANES];
	}
	return node != NULL ? node->count : 0;
}
