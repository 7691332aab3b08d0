// papers/common/binary_tree.h: what the papers' hierarchies have in common: a binary tree over single triangles, cut at
// medians, and a plain traversal of two of them that opens the larger volume.
//
// The tree is built over a model's rest mesh, whatever tree the model has: triangles are cut in half at the median
// along the principal axis of their boxes' centres, down to single ones (M08 section 4.1). Plain scalar C with + - * /
// sqrt only: the same tree on every machine. Nodes are numbered without gaps: the root is 0, the two children of a node
// follow one another, and have larger numbers than it. Leaves are numbered from left to right.
//
// A traversal tests one pair of volumes at a time. What a volume is, when it is refitted and how large it is, the
// method says. Corners of triangles are those of a body of snug, evaluated when they are first wanted in a step and
// placed as queries place them, so that pairs can be compared bit for bit.
#ifndef PAPERS_BINARY_TREE_H
#define PAPERS_BINARY_TREE_H

#include "body/body.h"
#include "solvers/hoard.h"

typedef struct binaryNode
{
	uint32_t first;                ///< number of the first child, or of the leaf
	uint32_t childCount;           ///< 0 for leaves, else 2
	uint32_t firstLeaf, leafCount; ///< what is below
	uint32_t level;                ///< the root's is 0
} binaryNode;

typedef struct binaryTree
{
	const snugModel* model;
	uint32_t nodeCount; ///< zero without triangles
	uint32_t leafCount;
	uint32_t depth; ///< the greatest level
	simHoard hoard; ///< all that follows
	binaryNode* nodes;
	uint32_t (*corners)[3]; ///< (leaves) vertices in the model's order
	uint32_t* triangles;    ///< (leaves) the caller's numbers
} binaryTree;

/// @param model borrowed
/// @return false if there is no memory
bool binaryTree_Create(binaryTree* tree, const snugModel* model);
void binaryTree_Free(binaryTree* tree);

/// The vertices below a node, each once.
typedef struct nodeVertices
{
	simHoard hoard;
	uint32_t* vertices; ///< (count) the model's order, as the leaves have them from left to right
	uint32_t count;
	uint32_t* stamps; ///< for the gathering
	uint32_t stamp;
} nodeVertices;

/// Room for any node of a tree.
/// @return false, with nothing to free, if there is no memory
bool nodeVertices_Create(nodeVertices* gathered, const binaryTree* tree);
void nodeVertices_Free(nodeVertices* gathered);

void nodeVertices_Gather(nodeVertices* gathered, const binaryTree* tree, uint32_t node);

/// A query between two bodies.
typedef struct binaryWalk
{
	const binaryTree *a, *b;
	void* user; ///< passed on
	/// Whether two volumes overlap; called once for each pair that is tested, so that it can count.
	bool (*overlap)(void* user, uint32_t nodeA, uint32_t nodeB);
	/// Whether the first volume is at least as large as the second. They overlap.
	bool (*isLarger)(void* user, uint32_t nodeA, uint32_t nodeB);
	/// Two leaves' volumes overlap.
	void (*meet)(void* user, uint32_t leafA, uint32_t leafB);
} binaryWalk;

void binaryWalk_Run(const binaryWalk* walk);

/// A query of one body, against something that has no tree.
typedef struct binarySearch
{
	const binaryTree* tree;
	void* user;
	bool (*overlap)(void* user, uint32_t node);
	void (*meet)(void* user, uint32_t leaf);
} binarySearch;

void binarySearch_Run(const binarySearch* search);

/// What a query of one of these methods costs.
typedef struct binaryCounters
{
	uint64_t volumeTests, triangleTests, nodesRefitted, verticesEvaluated;
	uint64_t transformsBounded; ///< of limited trees: images of rest volumes that Eq. (12) was made from
} binaryCounters;

/// Placed corners of triangles, as they are wanted; each vertex is evaluated once in a step.
typedef struct binaryLeaves
{
	const binaryTree* tree;
	snugBody* body; ///< borrowed
	sgPlacement placement;
	uint32_t version;       ///< of pose and place
	simHoard hoard;         ///< all that follows
	uint32_t* fresh;        ///< (vertices) version of its position
	float (*positions)[3];  ///< (vertices)
	float (*corners)[3][3]; ///< (leaves) those that were asked for in this step
	binaryCounters counters;
} binaryLeaves;

bool binaryLeaves_Create(binaryLeaves* leaves, const binaryTree* tree, snugBody* body);
void binaryLeaves_Free(binaryLeaves* leaves);

/// The body was posed or placed: nothing is known, and counters are zero.
/// @param box around all its vertices, relative to its frame: how far placing may put them off follows from it
/// @return snug_outOfRange if it is too far away for float32
snugStatus binaryLeaves_Begin(binaryLeaves* leaves, const sgBox* box);
const float (*binaryLeaves_Get(binaryLeaves* leaves, uint32_t leaf))[3];

/// A vertex that the method evaluated itself, relative to the frame: it must be the body's, bit for bit.
void binaryLeaves_Put(binaryLeaves* leaves, uint32_t vertex, const float position[3]);

/// How far placing may put a vertex off, along any axis.
double binaryLeaves_GetSlack(const binaryLeaves* leaves);

/// A solid ball in the world.
typedef struct binaryBall
{
	double center[3];
	double radius;
} binaryBall;

/// The square of the distance from a point to a triangle, zero on it; in double.
double binaryDistance2(const float triangle[3][3], const double point[3]);

/// Triangles that a query found.
typedef struct binaryHits
{
	uint32_t* triangles; ///< receives the first `capacity` of them, the caller's numbers
	uint64_t capacity, count;
} binaryHits;

void binaryHits_Add(binaryHits* hits, uint32_t triangle);

/// Pairs that a query found.
typedef struct binaryPairs
{
	snugPair* pairs; ///< receives the first `capacity` of them
	uint64_t capacity, count;
} binaryPairs;

void binaryPairs_Add(binaryPairs* pairs, uint32_t a, uint32_t b);

/// What volumes are to a method that evaluates triangles as they are wanted.
typedef struct binaryMethod
{
	/// Refit both, count, and say whether they overlap.
	bool (*overlap)(void* bodyA, uint32_t nodeA, void* bodyB, uint32_t nodeB);
	/// By which the larger of two that overlap is told.
	double (*getSize)(const void* body, uint32_t node);
} binaryMethod;

/// A body of a method, and its triangles.
typedef struct binarySide
{
	void* body;
	binaryLeaves* leaves;
} binarySide;

/// Find all intersecting pairs of triangles.
/// @return how many; `pairs` receives the first `capacity` of them
uint64_t binaryCollide(const binaryMethod* method, binarySide a, binarySide b, snugPair* pairs, uint64_t capacity);

#endif
