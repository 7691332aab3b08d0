// src/query/sphere_tree.h: contact spheres of any body: balls of the nodes of a tree down to some level, and what a
// body remembers of them. See include/snug/snug_spheres.h.
//
// Rigid models and displacement fields have a binary tree for spheres alone (sphere_split.h), whatever tree the model
// has: a ball can be made around any triangles. Models that deform in other ways have boxes of the nodes of their own
// tree and of nothing else, so these are their nodes here too: balls are around boxes, each cut to the box above it
// (sphere_pose.c).
//
// A node has a ball around its rest positions and one around the displacements of each field, each with a centre and a
// radius: a *quad* x, y, z, r. A pose with amplitudes q has the ball of the sums
//
//     centre = c_0 + sum_j q_j c_j        radius = r_0 + sum_j |q_j| r_j
//
// which contains what is below (triangle inequality). Contact spheres of a level are the balls of its nodes, and of
// leaves above. For each deeper level a node has another row of quads with the same centres, whose radii wrap:
// r >= |c_d - c| + r_d for the rest positions and every field, for each contact node d of that level below. Then a
// point of d's sphere is no farther from the centre than sum_j |q_j| (|c_dj - c_j| + r_dj) <= radius, in every pose.
// Most nodes are on the lowest levels, so these rows are few: two per node in a binary tree.
#ifndef SG_SPHERE_TREE_H
#define SG_SPHERE_TREE_H

#include "body/body.h"
#include "query/side.h"
#include "snug/snug_spheres.h"

/// Centre and radius, of positions or displacements. Vectors of the compiler: each lane is rounded on its own, so they
/// are the same bits on every machine.
typedef float sgQuad __attribute__((vector_size(16)));

/// Nodes with the same parent: whoever asks for one asks for all, so their spheres are made together. The root has no
/// siblings.
typedef struct sgSphereFamily
{
	uint32_t first;
	uint32_t count; ///< at most SG_LANES
} sgSphereFamily;

/// A node that has a sphere. Nodes are numbered level by level, and children one after the other.
typedef struct sgSphereNode
{
	uint32_t first, count; ///< of its triangles
	uint32_t slot;         ///< in the model's tree; SG_NONE in a tree for spheres alone
	uint32_t parent;       ///< number; SG_NONE for the root
	uint8_t level;
} sgSphereNode;

struct snugSphereTree
{
	snugAllocator allocator;
	const snugModel* model;
	uint32_t level; ///< the deepest
	uint32_t nodeCount;
	uint32_t fieldCount;               ///< of snug_fields, else zero
	float reach[3];                    ///< greatest |coordinate| of rest positions
	sgSphereNode* nodes;               ///< (nodeCount)
	sgSphereFamily* children;          ///< (nodeCount): of each node; apart, since a walk needs nothing else of nodes
	uint32_t starts[SG_MAX_DEPTH + 2]; ///< (level + 2): the first node of each level, and how many there are
	uint64_t rows[SG_MAX_DEPTH + 2];   ///< (level + 2): where rows for a level begin, by node; and how many there are
	uint32_t* places; ///< (triangles of the model), in the order of this tree: leaf * SG_LANES + lane of the model's
	sgQuad* quads;    ///< (rows * (1 + fieldCount)): of rest positions, then of each field
};

/// Whether a model is bounded by boxes, and so by the nodes of its own tree.
static inline bool sgModel_HasBoxes(const snugModel* model)
{
	return model->deform->amplitudes == NULL && model->deform->bound != NULL;
}

/// Whether a query that ends at a level ends at a node: it is of that level, or below, or nothing is below it.
static inline bool sgSphereTree_IsContact(const snugSphereTree* tree, uint32_t node, uint32_t level)
{
	return (node >= tree->starts[level]) | (tree->children[node].count == 0); // no branch: walks cannot foresee it
}

/// The row of a node in a query that ends at a level, which is not above it.
static inline sgQuad* sgSphereTree_Quads(const snugSphereTree* tree, uint32_t node, uint32_t level)
{
	return tree->quads + (tree->rows[level] + node) * (1 + (uint64_t)tree->fieldCount);
}

static inline sgSphereFamily sgSphereTree_Siblings(const snugSphereTree* tree, uint32_t node)
{
	uint32_t parent = tree->nodes[node].parent;
	return parent != SG_NONE ? tree->children[parent] : (sgSphereFamily){ 0, 1 };
}

/// A sphere of a body as it is placed.
typedef struct sgPosedSphere
{
	_Alignas(16) float center[3];
	float radius;
} sgPosedSphere;

static inline double sgDistance2(const float a[3], const float b[3])
{
	double x = (double)a[0] - (double)b[0], y = (double)a[1] - (double)b[1], z = (double)a[2] - (double)b[2];
	return x * x + y * y + z * z;
}

/// Whether spheres overlap; nearly, if `loose` is a little above 1.
static inline bool sgPosedSphere_Overlap(const sgPosedSphere* a, const sgPosedSphere* b, double loose)
{
	double reach = ((double)a->radius + (double)b->radius) * loose;
	return sgDistance2(a->center, b->center) <= reach * reach;
}

/// An amplitude, and its magnitude for the radius.
typedef struct sgSphereTerm
{
	sgQuad factor;
	uint32_t field;
} sgSphereTerm;

/// Someone is making a family. Versions are bytes, since walks wait for what they find in memory.
#define SG_SPHERES_BUSY UINT8_MAX

struct snugSpheres
{
	snugAllocator allocator;
	const snugSphereTree* tree;
	snugBody* body;
	sgPosedSphere* spheres;    ///< (nodeCount), after room for one more: so two children are in one line of the cache
	_Atomic uint8_t* versions; ///< (nodeCount): for which a family holds, at its first; or zero, or SG_SPHERES_BUSY
	sgBox* boxes;              ///< (nodeCount): in body space, of models that are bounded by boxes; else null
	sgSphereTerm* terms;       ///< (fieldCount)
	uint8_t version;           ///< neither zero nor SG_SPHERES_BUSY
	bool sumsAll;

	// What the version is for.
	uint64_t changes; ///< of the body; zero: nothing yet
	double origin[3];
	uint32_t level;

	// What follows from it.
	sgPlacement placement;
	uint32_t termCount;
	bool isBoxed;      ///< balls are around boxes
	double slack;      ///< for rounding, of contact spheres
	double slackAbove; ///< and of those that wrap them
};

/// Prepare for queries that end at a level: find out whether what is remembered still holds. On one thread.
/// @param level at most the tree's
/// @return snug_outOfRange, with a message, if the body is too far from the origin
snugStatus sgSpheres_Begin(snugSpheres* spheres, const double origin[3], uint32_t level);

/// Make the spheres of a family that are not up to date. Others may be made by other threads meanwhile.
/// @param scratch for a family that another thread is making
const sgPosedSphere* sgSpheres_Make(snugSpheres* spheres, sgSphereFamily family, sgPosedSphere scratch[SG_LANES]);

static inline bool sgSpheres_IsMade(const snugSpheres* spheres, sgSphereFamily family)
{
	return atomic_load_explicit(spheres->versions + family.first, memory_order_acquire) == spheres->version;
}

/// The spheres of a family, up to date. Those of its parent have been asked for.
static inline const sgPosedSphere* sgSpheres_Get(
    snugSpheres* spheres, sgSphereFamily family, sgPosedSphere scratch[SG_LANES], uint64_t* updates)
{
	if (sgSpheres_IsMade(spheres, family))
	{
		return spheres->spheres + family.first;
	}
	*updates += family.count;
	return sgSpheres_Make(spheres, family, scratch);
}

static inline snugSphere sgPosedSphere_Report(const sgPosedSphere* sphere, uint32_t node)
{
	return (snugSphere){ .center = { sphere->center[0], sphere->center[1], sphere->center[2] },
		.radius = sphere->radius,
		.treeNode = node };
}

/// A walk over two bodies' spheres.
typedef struct sgSphereWalk
{
	snugSpheres *a, *b; ///< begun
	/// Two contact spheres that overlap, or, if `isLoose`, nearly do.
	void (*found)(
	    struct sgSphereWalk* walk, uint32_t a, const sgPosedSphere* sphereA, uint32_t b, const sgPosedSphere* sphereB);
	bool isLoose;
	uint64_t tests, updates;
} sgSphereWalk;

void sgSphereWalk_Run(sgSphereWalk* walk);

/// Two spheres as a contact.
snugSphereContact sgSphereContact_Make(
    uint32_t a, const sgPosedSphere* sphereA, uint32_t b, const sgPosedSphere* sphereB);

#endif
