// papers/bdtree/contact_spheres.h: contact spheres: where bodies touch, to the size of spheres around parts of them
// (James, Pai 2004, section 3.4 and Fig. 7).
//
//     contactTree_Create                           once per model
//     contactSpheres_Create                        once per body
//     snugBody_SetAmplitudes, snugBody_SetFrame    each step, as without spheres
//     contactSpheres_Collide, _CollidePlane, ...   each step, as often as wanted
//
// Spheres around parts of a body, in a binary tree, down to a level that each query chooses. Where two bodies touch,
// spheres of that level overlap, and a query says which. So what a contact costs is bounded by the level, not by
// triangles: penalty forces of thousands of bodies can rest on it. docs/bounds/contact-spheres.md proves what is said
// here.
//
// - A sphere contains its triangles in every pose, frame included. So each pair of triangles that touch is covered by
//   a pair of contact spheres that is found.
// - All pairs of contact spheres that overlap are found: the spheres above contain those of the level in every pose.
// - A sphere is updated when a query first looks at it in a step, straight from the pose; later looks reuse it. A new
//   pose, frame, origin or level makes all of a body's spheres stale.
// - Rigid bodies and displacement fields. The same bits everywhere.
#ifndef PAPERS_CONTACT_SPHERES_H
#define PAPERS_CONTACT_SPHERES_H

#include "snug/snug_queries.h"
#include "snug/snug_scene.h"

/// A sphere around some triangles of a body in its pose, frame included.
typedef struct contactSphere
{
	float center[3]; ///< relative to the query's origin
	float radius;
	uint32_t treeNode; ///< whose triangles: see contactTree_GetTriangles
} contactSphere;

/// Two contact spheres that overlap.
typedef struct sphereContact
{
	contactSphere a, b;
	float depth; ///< sum of the radii less the distance of the centres; touching counts, so it may be zero
} sphereContact;

/// What was found, and what it cost.
typedef struct contactResult
{
	snugStatus status;
	uint64_t count; ///< contacts found, possibly above the query's capacity
	uint64_t sphereTests;
	uint64_t spheresUpdated;
} contactResult;

/// Spheres of a model: immutable, shared by any number of bodies and threads.
typedef struct contactTree contactTree;

typedef struct contactTreeDef
{
	const snugModel* model; ///< required; snug_rigid or snug_fields; borrowed; must outlive the tree
	uint32_t level; ///< the deepest that queries can choose, as far as there are triangles; default 10. The root's
	                ///< is 0, and level k has 2^k spheres
	uint32_t leafTriangles; ///< spheres of no more than so many triangles are not divided; default 8
} contactTreeDef;

/// @param tree receives the tree, or null
/// @return snug_badInput if the model has no triangles, or deforms in another way
snugStatus contactTree_Create(const contactTreeDef* def, contactTree** tree);

/// @param tree nullable
void contactTree_Destroy(contactTree* tree);
size_t contactTree_GetMemory(const contactTree* tree);

/// What is known of a node. Nodes are numbered from 0, the root.
typedef struct contactNode
{
	uint32_t treeNode;
	uint32_t level;
	float center[3]; ///< at rest, in body space
	float radius;    ///< at rest
} contactNode;

/// A node, and how its centre moves.
/// @param displacements nullable; receives x, y, z per field: how far the centre goes for an amplitude of 1
/// @return false if the tree has no such node
bool contactTree_GetNode(const contactTree* tree, uint32_t treeNode, contactNode* node, float* displacements);

/// The triangles of a node, as numbered in the model's definition.
/// @param triangles nullable; receives the first `capacity` of them
/// @return how many there are; zero if there is no such node
uint32_t contactTree_GetTriangles(const contactTree* tree, uint32_t treeNode, uint32_t* triangles, uint32_t capacity);

/// Spheres of a body, and what is remembered of them.
typedef struct contactSpheres contactSpheres;

typedef struct contactSpheresDef
{
	const contactTree* tree; ///< required; borrowed; of the body's model
	snugBody* body;          ///< required; borrowed
	bool sumsAll;            ///< sum over fields whose amplitude is zero too: what that costs can be measured
} contactSpheresDef;

/// Threads: spheres belong to one thread at a time, together with their body. Queries allocate nothing.
/// @param spheres receives the spheres, or null
snugStatus contactSpheres_Create(const contactSpheresDef* def, contactSpheres** spheres);

/// Before its body and its tree are destroyed.
/// @param spheres nullable
void contactSpheres_Destroy(contactSpheres* spheres);
size_t contactSpheres_GetMemory(const contactSpheres* spheres);

/// What to ask. Zero means default: count all contacts on the deepest level.
typedef struct contactQuery
{
	sphereContact* contacts; ///< nullable; receives the first `capacity` contacts, in the order of the trees
	uint64_t capacity;       ///< room in `contacts`
	double origin[3];        ///< spheres are relative to it
	uint32_t level;          ///< of the contact spheres, leaves above it included; default the tree's deepest
	uint32_t otherLevel;     ///< of the second body's; default as `level`, or if its tree ends above, that
} contactQuery;

/// Find all pairs of overlapping contact spheres of two bodies.
/// @param query nullable, here and below
contactResult contactSpheres_Collide(contactSpheres* a, contactSpheres* b, const contactQuery* query);

/// Contact spheres that reach to or beyond a plane. Its normal n points to where bodies are free: n x + offset > 0
/// there, relative to the query's origin. Of a contact, `b` is the point of the plane nearest to the centre, with
/// radius 0, and `depth` how far the sphere goes beyond the plane.
contactResult contactSpheres_CollidePlane(contactSpheres* a, const snugPlane* plane, const contactQuery* query);

/// Contact spheres of one body that reach a triangle of another. Of a contact, `b` is the point of the triangle nearest
/// to the centre, with radius 0, its `treeNode` is the triangle's number, and `depth` is the radius less the distance.
/// The other body is descended to `otherLevel`, by default the deepest of its tree, and then by triangles.
contactResult contactSpheres_CollideTriangles(contactSpheres* a, contactSpheres* b, const contactQuery* query);

/// All spheres of a level, leaves above it included.
/// @param isSeen nullable; receives whether a query has looked at each since its body, origin or level changed
/// @param count receives how many there are, possibly more than `capacity`
snugStatus contactSpheres_GetLevel(contactSpheres* spheres, const double origin[3], uint32_t level, contactSphere* list,
    bool* isSeen, uint32_t capacity, uint32_t* count);

// --- Scenes ----------------------------------------------------------------------------------------------------------

/// Contact spheres of all bodies of a scene. It takes ids, masks, static bodies, the filter, origin and threads from
/// there, and leaves the scene's own pairs and events alone.
typedef struct contactScene contactScene;

typedef struct contactSceneDef
{
	snugScene* scene;  ///< required; borrowed. Its room for bodies, now, and for candidates are those here
	uint64_t contacts; ///< room for them; default 64 per body
} contactSceneDef;

/// @param spheres receives the object, or null
snugStatus contactScene_Create(const contactSceneDef* def, contactScene** spheres);

/// @param spheres nullable
void contactScene_Destroy(contactScene* spheres);
size_t contactScene_GetMemory(const contactScene* spheres);

/// Give a body of the scene its spheres, or take them away before the body is removed.
/// @param own nullable: the body takes part no more
snugStatus contactScene_Set(contactScene* spheres, uint32_t id, contactSpheres* own);

/// Contacts of two bodies, a < b.
typedef struct contactPair
{
	uint32_t a, b;
	uint64_t first; ///< of its contacts in contactScene_GetContacts
	uint64_t count;
} contactPair;

typedef struct contactSceneResult
{
	snugStatus status; ///< snug_outOfRange: too little room, or a body is too far from the scene's origin
	uint32_t body;     ///< which; UINT32_MAX: none
	uint64_t
	    candidates;    ///< pairs of bodies whose root spheres' boxes overlap; beyond the scene's room if that is short
	uint64_t pairs;    ///< of those, how many have contacts
	uint64_t contacts; ///< beyond the room if that is short
	uint64_t sphereTests;
	uint64_t spheresUpdated; ///< may depend on timing if there are several threads
} contactSceneResult;

/// Find all contact spheres of a level that overlap between bodies of the scene. The same for any number of threads.
/// @param level zero: the deepest of each tree
contactSceneResult contactScene_Update(contactScene* spheres, uint32_t level);

/// What the last update found, sorted by (a, b); until the next one.
const contactPair* contactScene_GetPairs(const contactScene* spheres, uint64_t* count);

/// Those of one pair after those of another, each in the order of the trees.
const sphereContact* contactScene_GetContacts(const contactScene* spheres, uint64_t* count);

#endif
