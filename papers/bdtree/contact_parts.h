// papers/bdtree/contact_parts.h: what the files of contact spheres share. See contact_spheres.h.
//
// A complete binary tree for spheres alone (contact_split.h), whatever tree the model has: node i has the children
// 2 i + 1 and 2 i + 2, and level k the nodes from 2^k - 1 on.
//
// A node has a ball around its rest positions and one around the displacements of each field, each with a centre and a
// radius: a *quad* x, y, z, r. A pose with amplitudes q has the ball of the sums
//
//     centre = c_0 + sum_j q_j c_j        radius = r_0 + sum_j |q_j| r_j
//
// which contains what is below (triangle inequality). Contact spheres of a level are the balls of its nodes. For each
// deeper level a node has another row of quads with the same centres, whose radii wrap: r >= |c_d - c| + r_d for the
// rest positions and every field, for each contact node d of that level below. Then a point of d's sphere is no farther
// from the centre than sum_j |q_j| (|c_dj - c_j| + r_dj) <= radius, in every pose. Most nodes are on the lowest levels,
// so these rows are few: two per node.
#ifndef PAPERS_CONTACT_PARTS_H
#define PAPERS_CONTACT_PARTS_H

#include "base/vec.h"
#include "body/body.h"
#include "papers/bdtree/contact_spheres.h"
#include "query/view.h"

/// Deeper trees than this do not fit into memory.
#define CONTACT_LEVELS 28

/// How far contact spheres grow for rounding, in units that contact_pose.c proves: centres and vertices placed; spheres
/// above, besides; sums in double of what wraps, relative; sums over fields, and those that wrap them.
#define CONTACT_PLACED 4.0
#define CONTACT_ABOVE 8.0
#define CONTACT_SUMS 0x1p-20
#define CONTACT_SUMMED 8.0
#define CONTACT_WRAPPED 24.0

/// Centre and radius, of positions or displacements. Vectors of the compiler: each lane is rounded on its own, so they
/// are the same bits on every machine.
typedef float contactQuad __attribute__((vector_size(16)));

/// Siblings: whoever asks for one asks for both, so their spheres are made together. The root has none.
typedef struct contactFamily
{
	uint32_t first;
	uint32_t count; ///< 1 or 2
} contactFamily;

/// The triangles of a node, in the order of the tree.
typedef struct contactTriangles
{
	uint32_t first, count;
} contactTriangles;

struct contactTree
{
	const snugModel* model;
	uint32_t level; ///< the deepest
	uint32_t nodeCount;
	uint32_t fieldCount;               ///< of snug_fields, else zero
	float reach[3];                    ///< greatest |coordinate| of rest positions
	contactTriangles* nodes;           ///< (nodeCount)
	uint64_t rows[CONTACT_LEVELS + 2]; ///< (level + 2): where rows for a level begin, by node; and how many there are
	uint32_t* places;   ///< (triangles of the model), in the order of this tree: leaf * SG_LANES + lane of the model's
	contactQuad* quads; ///< (rows * (1 + fieldCount)): of rest positions, then of each field
};

/// The first node of a level.
static inline uint32_t contactTree_Start(uint32_t level)
{
	return (1u << level) - 1;
}

static inline uint32_t contactTree_LevelOf(uint32_t node)
{
	return (uint32_t)(31 - __builtin_clz(node + 1));
}

static inline contactFamily contactTree_Children(uint32_t node)
{
	return (contactFamily){ 2 * node + 1, 2 };
}

static inline contactFamily contactTree_Siblings(uint32_t node)
{
	return node > 0 ? contactTree_Children((node - 1) / 2) : (contactFamily){ 0, 1 };
}

/// Whether a query that ends at a level ends at a node.
static inline bool contactTree_IsContact(uint32_t node, uint32_t level)
{
	return node >= contactTree_Start(level);
}

/// The row of a node in a query that ends at a level, which is not above it.
static inline contactQuad* contactTree_Quads(const contactTree* tree, uint32_t node, uint32_t level)
{
	return tree->quads + (tree->rows[level] + node) * (1 + (uint64_t)tree->fieldCount);
}

/// A sphere of a body as it is placed.
typedef struct posedSphere
{
	_Alignas(16) float center[3];
	float radius;
} posedSphere;

/// Whether spheres overlap; nearly, if `loose` is a little above 1.
static inline bool posedSphere_Overlap(const posedSphere* a, const posedSphere* b, double loose)
{
	double reach = ((double)a->radius + (double)b->radius) * loose;
	return sgPointDistance2(a->center, b->center) <= reach * reach;
}

/// An amplitude, and its magnitude for the radius.
typedef struct contactTerm
{
	contactQuad factor;
	uint32_t field;
} contactTerm;

/// Someone is making a family. Versions are bytes, since walks wait for what they find in memory.
#define CONTACT_BUSY UINT8_MAX

struct contactSpheres
{
	const contactTree* tree;
	snugBody* body;
	posedSphere* spheres;      ///< (nodeCount), after room for one more: so two children are in one line of the cache
	_Atomic uint8_t* versions; ///< (nodeCount): for which a family holds, at its first; or zero, or CONTACT_BUSY
	contactTerm* terms;        ///< (fieldCount)
	uint8_t version;           ///< neither zero nor CONTACT_BUSY
	bool sumsAll;

	// What the version is for.
	uint64_t changes; ///< of the body; zero: nothing yet
	double origin[3];
	uint32_t level;

	// What follows from it.
	sgPlacement placement;
	uint32_t termCount;
	double slack;      ///< for rounding, of contact spheres
	double slackAbove; ///< and of those that wrap them
};

/// Prepare for queries that end at a level: find out whether what is remembered still holds. On one thread.
/// @param level at most the tree's
/// @return snug_outOfRange, with a message, if the body is too far from the origin
snugStatus contactSpheres_Begin(contactSpheres* spheres, const double origin[3], uint32_t level);

/// Make the spheres of a family that are not up to date. Others may be made by other threads meanwhile.
/// @param scratch for a family that another thread is making
const posedSphere* contactSpheres_Make(contactSpheres* spheres, contactFamily family, posedSphere scratch[2]);

static inline bool contactSpheres_IsMade(const contactSpheres* spheres, contactFamily family)
{
	return atomic_load_explicit(spheres->versions + family.first, memory_order_acquire) == spheres->version;
}

/// The spheres of a family, up to date. Those of its parent have been asked for.
static inline const posedSphere* contactSpheres_Get(
    contactSpheres* spheres, contactFamily family, posedSphere scratch[2], uint64_t* updates)
{
	if (contactSpheres_IsMade(spheres, family))
	{
		return spheres->spheres + family.first;
	}
	*updates += family.count;
	return contactSpheres_Make(spheres, family, scratch);
}

static inline contactSphere posedSphere_Report(const posedSphere* sphere, uint32_t node)
{
	return (contactSphere){ .center = { sphere->center[0], sphere->center[1], sphere->center[2] },
		.radius = sphere->radius,
		.treeNode = node };
}

/// A walk over two bodies' spheres.
typedef struct contactWalk
{
	contactSpheres *a, *b; ///< begun
	/// Two contact spheres that overlap, or, if `isLoose`, nearly do.
	void (*found)(
	    struct contactWalk* walk, uint32_t a, const posedSphere* sphereA, uint32_t b, const posedSphere* sphereB);
	bool isLoose;
	uint64_t tests, updates;
} contactWalk;

void contactWalk_Run(contactWalk* walk);

/// Two spheres as a contact.
sphereContact sphereContact_Make(uint32_t a, const posedSphere* sphereA, uint32_t b, const posedSphere* sphereB);

#endif
