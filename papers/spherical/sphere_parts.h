// papers/spherical/sphere_parts.h: what the files of the sphere tree share.
#ifndef PAPERS_SPHERE_PARTS_H
#define PAPERS_SPHERE_PARTS_H

#include "deform/skin/linear.h"
#include "papers/spherical/sphere_tree.h"
#include "solvers/hoard.h"

/// The weight 1. Weights are integers while corners are found, so that those are exact, and a set of one vertex has
/// one.
#define CORNER_ONE (1u << 30)
/// Joint sets with more joints have too many corners (n choose n/2, times n/2).
#define CORNER_JOINTS 6
/// Most corners: one weight of n makes the sum 1, the others are least or greatest.
#define MAX_CORNERS (CORNER_JOINTS << (CORNER_JOINTS - 1))

/// The joints that move a vertex, and all vertices like it.
typedef struct sphereSet
{
	uint32_t firstJoint; ///< in `joints`
	uint32_t jointCount;
	uint32_t vertex; ///< one of them
} sphereSet;

/// A joint set of a node.
typedef struct spherePart
{
	uint32_t set;
	uint32_t firstWeight; ///< in `weights`: least, greatest and mean weight of each joint, then the corners
	uint32_t cornerCount;
} spherePart;

typedef struct sphereNode
{
	sphereBall rest;
	uint32_t whole; ///< in the binary tree, before pruning
	uint32_t level;
	uint32_t firstChild; ///< children follow one another
	uint32_t childCount;
	uint32_t leaf; ///< number if there are no children
	uint32_t firstPart, partCount;
} sphereNode;

struct sphereTree
{
	binaryTree tree;
	const snugModel* model;
	double prune;
	simHoard hoard; ///< the next, and setOf
	sphereNode* nodes;
	uint32_t nodeCount;
	uint32_t* setOf; ///< (vertexCount)
	sphereSet* sets;
	uint16_t* joints;
	spherePart* parts;
	double* weights;
	size_t setCount, setCapacity, jointCount, jointCapacity, partCount, partCapacity, weightCount, weightCapacity;
	size_t mostBalls;  ///< that a node's parts or children come to
	size_t mostJoints; ///< of a set
};

struct sphereBody
{
	const sphereTree* tree;
	snugBody* body;
	simHoard hoard;         ///< all that follows
	sphereBall* balls;      ///< (nodeCount), body space
	double (*world)[3];     ///< (nodeCount): their centres, placed
	uint32_t* fresh;        ///< (nodeCount): `version` when its ball was refitted
	uint32_t* evaluated;    ///< (vertexCount): `version` when its position was evaluated
	float* positions;       ///< (3 vertexCount + 1), body space
	uint32_t* placed;       ///< (leaves): `version` when its corners were placed
	float (*corners)[3][3]; ///< (leaves): of its triangle, placed
	uint32_t version;
	sphereBall* scratch; ///< (tree->mostBalls)
	double (*images)[3]; ///< (tree->mostJoints): where the joints of a set put a point
	double (*units)[4];  ///< (tree->mostBalls): rotations of corners
	sphereCounters counters;
	sgPlacement placement;
	double margin; ///< how far evaluated vertices may be from where exact arithmetic has them

	// The pose.
	double (*matrices)[12];   ///< (transformCount)
	double* stretches;        ///< (transformCount)
	double (*quaternions)[4]; ///< (transformCount), of skins
	double (*centers)[3];     ///< (setCount): rotation centres of spherical skins
	double* signs;            ///< (jointCount): of the sets' joints
};

/// The ball around some balls, by the tree's definition.
sphereBall sphereEnclose(const sphereBall* balls, size_t count);

/// Read a body's pose. @return false if it is beyond the papers
bool spherePose_Read(sphereBody* spheres);

/// Have the positions of some vertices, each evaluated once in a pose.
void spherePose_Evaluate(sphereBody* spheres, const uint32_t* vertices, uint32_t count);

/// A ball around a node's vertices in the pose, from its parts.
sphereBall spherePose_Bound(sphereBody* spheres, const sphereNode* node);

#endif
