// snug_bounds.h: how the nodes of a model are bounded, and contact spheres. Experimental.
//
// Nobody needs this header to find contacts: every choice but `centerDamping` gives the same pairs, and the defaults
// are the fastest that we measured. It is here to compare bounds with each other and with those of published papers,
// and to find contacts between spheres instead of triangles. Anything in it may change or go with any version.
// docs/bounds.md derives the bounds.
#ifndef SNUG_SNUG_BOUNDS_H
#define SNUG_SNUG_BOUNDS_H

#include <snug/snug.h>

#ifdef __cplusplus
extern "C"
{
#endif

/// @defgroup bounds Bounds
/// @{

/// How nodes are bounded. Which deformer has which:
/// - snug_skin: limited to corners;
/// - snug_sphericalSkin, snug_dualQuaternionSkin: local, zeroOrder and firstOrder, over pairs of joints; program and
///   corners, which are balls by joint sets here;
/// - snug_fields: zeroOrder, firstOrder, and interval to meanBall.
typedef enum snugBound
{
	snug_boundDefault = 0, ///< the fastest we measured: local or interval near the root, first order below
	snug_boundLimited,     ///< the papers' closed form, Eq. (12) of the meshless paper
	snug_boundProgram,     ///< the least bound that follows from each weight's range: a linear program, for up to 192
	                       ///< joints
	snug_boundLocal,       ///< the same, with a rest box per joint around only what it moves
	snug_boundZeroOrder,   ///< the node's mean transform or displacement, plus what its vertices deviate
	snug_boundFirstOrder,  ///< the same, with weights or displacements that vary linearly over the node
	snug_boundCorners,  ///< balls at the corners of the set of weights, as in the skinning papers; `volume` is a ball
	snug_boundInterval, ///< the sum of each field's range along the axes
	snug_boundOriented, ///< the same along the node's principal axes
	snug_boundBall,     ///< balls about the best centres; `volume` is a ball
	snug_boundMeanBall ///< balls about the mean of the vertices and their displacements: the BD-tree paper's, but for c
} snugBound;

/// The shape around a posed node. Boxes are the fastest. The others are for comparison; they separate bodies better
/// that are not turned against each other.
typedef enum snugVolume
{
	snug_volumeBox = 0, ///< with bounds that are balls it means a ball
	snug_volumeDop14,   ///< the box cut by the diagonals of a cube
	snug_volumeDop18,   ///< the box cut by the diagonals of its faces
	snug_volumeDop26,   ///< both
	snug_volumeBall     ///< only with bounds that are balls
} snugVolume;

/// The shape around a node at rest, for snug_boundLimited and snug_boundProgram of snug_skin.
typedef enum snugRestVolume
{
	snug_restBox = 0,
	snug_restOrientedBox, ///< along the principal axes of the node
	snug_restDop14        ///< a 14-DOP: its corners are transformed
} snugRestVolume;

/// How a model is bounded. Zero means default. What the model's deformer does not have, or what does not go together,
/// is refused with snug_badArgument. Rigid and free models have none of it.
typedef struct snugBoundsDef
{
	snugBound bound;           ///< of the skin, or of snug_fields
	snugBound fieldsBound;     ///< of morph targets in front of a skin: interval, firstOrder, or by default both
	snugVolume volume;         ///< k-DOPs of snug_fields need its default bound or firstOrder
	snugRestVolume restVolume; ///< of snug_skin
	bool boundLeaves;          ///< bound leaves too, as the papers do. By default their vertices are evaluated, which
	                           ///< costs less
	uint32_t contactLevel;     ///< of snug_fields with balls: the level of contact spheres; zero: none
	float prune; ///< below 1, with snug_splitMedian: nodes whose rest box has more than this share of the diagonal
	             ///< of the one above are left out of the tree, as the skinning papers do; what was below them
	             ///< takes their place, up to snugTreeDef.branching children. Zero: none. Models do not keep it
	float centerDamping; ///< of snug_sphericalSkin, 1e-6 to 1e6: how strongly rotation centres are drawn towards the
	                     ///< joints; zero: 0.01. The only member that changes where vertices are
	uint32_t reserved[4];
} snugBoundsDef;

/// How a model is bounded, with what its choices imply: a volume for balls, bounded leaves for contact spheres.
/// A default bound stays snug_boundDefault, which chooses node by node. All zero for rigid and free models.
SNUG_API snugBoundsDef snugModel_GetBoundsDef(const snugModel* model);

/// The triangles below a node of a model's tree, as numbered in the model's definition.
/// @param triangles nullable; receives the first `capacity` of them
/// @return how many there are; zero if there is no such node
SNUG_API uint32_t snugModel_GetNodeTriangles(
    const snugModel* model, uint32_t node, uint32_t* triangles, uint32_t capacity);

/// @}

/// @defgroup spheres Contact spheres
/// An approximation of contact whose cost is bounded by a level of the tree.
/// @{

/// A sphere around some triangles of a body in its pose, frame included.
typedef struct snugSphere
{
	float center[3]; ///< relative to the query's origin
	float radius;
	uint32_t treeNode; ///< whose triangles: see snugModel_GetNodeTriangles, for snug_spheres.h
	                   ///< snugSphereTree_GetTriangles
} snugSphere;

/// Two contact spheres that overlap.
typedef struct snugSphereContact
{
	snugSphere a, b;
	float depth; ///< sum of the radii less the distance of the centres; touching counts, so it may be zero
} snugSphereContact;

/// What to ask. Zero means default: count all contacts.
typedef struct snugSphereQuery
{
	snugSphereContact* contacts; ///< nullable; receives the first `capacity` contacts, in the order of the trees
	uint64_t capacity;           ///< room in `contacts`
	double origin[3];            ///< spheres are relative to it
	uint64_t reserved[4];
} snugSphereQuery;

/// What was found, and what it cost.
typedef struct snugSphereResult
{
	snugStatus status;
	uint64_t count; ///< contacts found, possibly above the query's capacity
	uint64_t sphereTests;
	uint64_t spheresUpdated;
	uint64_t reserved[4];
} snugSphereResult;

/// Find all pairs of overlapping contact spheres of two bodies. Both models are snug_fields with a bound by balls and a
/// contactLevel. Their contact spheres are the balls of the nodes of that level, and of leaves above it. Each contains
/// its triangles; the spheres above contain their contact spheres in every pose, so that none is missed. What is found
/// depends on models, poses and frames alone, not on earlier queries.
/// @param query nullable
SNUG_API snugSphereResult snugCollideSpheres(snugBody* a, snugBody* b, const snugSphereQuery* query);

/// @}

#ifdef __cplusplus
}
#endif

#endif
