// snug_spheres.h: contact spheres: where bodies touch, to the size of spheres around parts of them. Experimental.
//
//     snugSphereTree_Create                        once per model
//     snugSpheres_Create                           once per body
//     snugBody_SetAmplitudes, snugBody_SetFrame    each step, as without spheres
//     snugSpheres_Collide, _CollidePlane, ...      each step, as often as wanted
//
// Spheres around parts of a body, in a tree, down to a level that each query chooses. Where two bodies touch, spheres
// of that level overlap, and a query says which. So what a contact costs is bounded by the level, not by triangles:
// penalty forces of thousands of bodies can rest on it. After the BD-tree of James and Pai 2004;
// docs/bounds/contact-spheres.md proves what is said here. Anything in this header may change or go with any version.
//
// - A sphere contains its triangles in every pose, frame included. So each pair of triangles that touch is covered by
//   a pair of contact spheres that is found.
// - All pairs of contact spheres that overlap are found: the spheres above contain those of the level in every pose.
// - A sphere is updated when a query first looks at it in a step, straight from the pose; later looks reuse it. A new
//   pose, frame, origin or level makes all of a body's spheres stale.
// - Any deformer. Of rigid bodies, of snug_fields, and of all at rest, spheres are the same bits everywhere. Of others
//   they come from boxes, and may differ in rounding between instruction sets.
#ifndef SNUG_SNUG_SPHERES_H
#define SNUG_SNUG_SPHERES_H

#include <snug/snug_bounds.h>
#include <snug/snug_scene.h>

#ifdef __cplusplus
extern "C"
{
#endif

/// @defgroup spheretrees Contact spheres of any body
/// @{

/// Spheres of a model: immutable, shared by any number of bodies and threads.
typedef struct snugSphereTree snugSphereTree;

typedef struct snugSphereTreeDef
{
	const snugModel* model; ///< required; borrowed; must outlive the tree
	uint32_t level; ///< the deepest that queries can choose, as far as there are triangles; default 10. The root's
	                ///< is 0. Of rigid models and snug_fields level k has 2^k spheres
	snugAllocator allocator;
	snugMessenger messenger; ///< told of errors
	uint64_t reserved[4];
} snugSphereTreeDef;

/// @param tree receives the tree, or null
/// @return snug_badInput if the model has no triangles
SNUG_API snugStatus snugSphereTree_Create(const snugSphereTreeDef* def, snugSphereTree** tree);

/// @param tree nullable
SNUG_API void snugSphereTree_Destroy(snugSphereTree* tree);
SNUG_API size_t snugSphereTree_GetMemory(const snugSphereTree* tree);

/// What is known of a node. Nodes are numbered from 0, the root.
typedef struct snugSphereNode
{
	uint32_t treeNode;
	uint32_t level;
	float center[3]; ///< at rest, in body space
	float radius;    ///< at rest
} snugSphereNode;

/// A node, and how its centre moves.
/// @param displacements nullable; receives x, y, z per field: how far the centre goes for an amplitude of 1. For
/// snug_fields only: other models have none
/// @return false if the tree has no such node
SNUG_API bool snugSphereTree_GetNode(
    const snugSphereTree* tree, uint32_t treeNode, snugSphereNode* node, float* displacements);

/// The triangles of a node, as numbered in the model's definition.
/// @param triangles nullable; receives the first `capacity` of them
/// @return how many there are; zero if there is no such node
SNUG_API uint32_t snugSphereTree_GetTriangles(
    const snugSphereTree* tree, uint32_t treeNode, uint32_t* triangles, uint32_t capacity);

/// Spheres of a body, and what is remembered of them.
typedef struct snugSpheres snugSpheres;

typedef struct snugSpheresDef
{
	const snugSphereTree* tree; ///< required; borrowed; of the body's model
	snugBody* body;             ///< required; borrowed
	bool sumsAll;               ///< sum over fields whose amplitude is zero too: what that costs can be measured
	snugAllocator allocator;
	uint64_t reserved[4];
} snugSpheresDef;

/// Threads: spheres belong to one thread at a time, together with their body. Queries allocate nothing.
/// @param spheres receives the spheres, or null
SNUG_API snugStatus snugSpheres_Create(const snugSpheresDef* def, snugSpheres** spheres);

/// Before its body and its tree are destroyed.
/// @param spheres nullable
SNUG_API void snugSpheres_Destroy(snugSpheres* spheres);
SNUG_API size_t snugSpheres_GetMemory(const snugSpheres* spheres);

/// What to ask. Zero means default: count all contacts on the deepest level.
typedef struct snugSpheresQuery
{
	snugSphereContact* contacts; ///< nullable; receives the first `capacity` contacts, in the order of the trees
	uint64_t capacity;           ///< room in `contacts`
	double origin[3];            ///< spheres are relative to it
	uint32_t level;              ///< of the contact spheres, leaves above it included; default the tree's deepest
	uint32_t otherLevel;         ///< of the second body's; default as `level`, or if its tree ends above, that
	uint64_t reserved[4];
} snugSpheresQuery;

/// Find all pairs of overlapping contact spheres of two bodies.
/// @param query nullable, here and below
SNUG_API snugSphereResult snugSpheres_Collide(snugSpheres* a, snugSpheres* b, const snugSpheresQuery* query);

/// Contact spheres that overlap a sphere, which is `b` of all contacts.
/// @param center relative to the query's origin
SNUG_API snugSphereResult snugSpheres_CollideSphere(
    snugSpheres* a, const float center[3], float radius, const snugSpheresQuery* query);

/// Contact spheres that reach to or beyond a plane. Its normal n points to where bodies are free: n x + offset > 0
/// there, relative to the query's origin. Of a contact, `b` is the point of the plane nearest to the centre, with
/// radius 0, and `depth` how far the sphere goes beyond the plane.
SNUG_API snugSphereResult snugSpheres_CollidePlane(
    snugSpheres* a, const snugPlane* plane, const snugSpheresQuery* query);

/// Contact spheres of one body that reach a triangle of another. Of a contact, `b` is the point of the triangle nearest
/// to the centre, with radius 0, its `treeNode` is the triangle's number, and `depth` is the radius less the distance.
/// The other body is descended to `otherLevel`, by default the deepest of its tree, and then by triangles.
SNUG_API snugSphereResult snugSpheres_CollideTriangles(snugSpheres* a, snugSpheres* b, const snugSpheresQuery* query);

/// All spheres of a level, leaves above it included.
/// @param isSeen nullable; receives whether a query has looked at each since its body, origin or level changed
/// @param count receives how many there are, possibly more than `capacity`
SNUG_API snugStatus snugSpheres_GetLevel(snugSpheres* spheres, const double origin[3], uint32_t level, snugSphere* list,
    bool* isSeen, uint32_t capacity, uint32_t* count);

// --- Scenes ----------------------------------------------------------------------------------------------------------

/// Contact spheres of all bodies of a scene. It takes ids, masks, static bodies, the filter, origin and threads from
/// there, and leaves the scene's own pairs and events alone.
typedef struct snugSphereScene snugSphereScene;

typedef struct snugSphereSceneDef
{
	snugScene* scene;  ///< required; borrowed. Its room for bodies, now, and for candidates are those here
	uint64_t contacts; ///< room for them; default 64 per body
	snugAllocator allocator;
	uint64_t reserved[4];
} snugSphereSceneDef;

/// @param spheres receives the object, or null
SNUG_API snugStatus snugSphereScene_Create(const snugSphereSceneDef* def, snugSphereScene** spheres);

/// @param spheres nullable
SNUG_API void snugSphereScene_Destroy(snugSphereScene* spheres);
SNUG_API size_t snugSphereScene_GetMemory(const snugSphereScene* spheres);

/// Give a body of the scene its spheres, or take them away before the body is removed.
/// @param own nullable: the body takes part no more
SNUG_API snugStatus snugSphereScene_Set(snugSphereScene* spheres, uint32_t id, snugSpheres* own);

/// Contacts of two bodies, a < b.
typedef struct snugSpherePair
{
	uint32_t a, b;
	uint64_t first; ///< of its contacts in snugSphereScene_GetContacts
	uint64_t count;
} snugSpherePair;

typedef struct snugSphereSceneResult
{
	snugStatus status; ///< snug_outOfRange: too little room, or a body is too far from the scene's origin
	uint32_t body;     ///< which; UINT32_MAX: none
	uint64_t
	    candidates;    ///< pairs of bodies whose root spheres' boxes overlap; beyond the scene's room if that is short
	uint64_t pairs;    ///< of those, how many have contacts
	uint64_t contacts; ///< beyond the room if that is short
	uint64_t sphereTests;
	uint64_t spheresUpdated; ///< may depend on timing if there are several threads
	uint64_t reserved[4];
} snugSphereSceneResult;

/// Find all contact spheres of a level that overlap between bodies of the scene. The same for any number of threads.
/// @param level zero: the deepest of each tree
SNUG_API snugSphereSceneResult snugSphereScene_Update(snugSphereScene* spheres, uint32_t level);

/// What the last update found, sorted by (a, b); until the next one.
SNUG_API const snugSpherePair* snugSphereScene_GetPairs(const snugSphereScene* spheres, uint64_t* count);

/// Those of one pair after those of another, each in the order of the trees.
SNUG_API const snugSphereContact* snugSphereScene_GetContacts(const snugSphereScene* spheres, uint64_t* count);

/// @}

#ifdef __cplusplus
}
#endif

#endif
