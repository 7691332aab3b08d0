// lab/scenes/meshless.h: bodies carried by simulation nodes, after Mueller et al. 2004, in poses made by arithmetic.
//
// A meshless body is a surface, nodes spread evenly inside it, and weights (1 - r^2 / h^2)^3 of compact support h,
// divided by their sum. No simulation: a pose is a smooth map of space (a pull at one spot, a twist about and a bend
// along the longest axis), of which every node gets value and gradient, as an integrator would leave them. The surface
// between the nodes is then blended, not mapped, as in the papers. The same bits everywhere (see mesh.h).
#ifndef SCENES_MESHLESS_H
#define SCENES_MESHLESS_H

#include "lab/scenes/mesh.h"

/// Weights in the form that snugSkinDef takes.
typedef struct sceneWeights
{
	uint32_t transformCount;
	uint32_t* starts;     ///< (vertexCount + 1)
	uint16_t* transforms; ///< (starts[vertexCount]), ascending for each vertex
	float* weights;       ///< (starts[vertexCount]); those of a vertex sum to 1 but for rounding
} sceneWeights;

void sceneWeights_Free(sceneWeights* weights);

/// A definition of a blend model over a mesh and its weights, both borrowed.
snugModelDef sceneMakeBlendDef(const sceneMesh* mesh, const sceneWeights* weights, snugTreeDef tree);

typedef struct sceneMeshless
{
	sceneMesh mesh;
	sceneWeights weights;
	float* nodes;     ///< (3 * weights.transformCount): where the nodes are at rest
	double support;   ///< h
	double center[3]; ///< of the mesh' box
	double size;      ///< half the longest side of that box
	int axes[3];      ///< the longest side's first
} sceneMeshless;

/// A folded lump, brain-like: a blob half as long again as it is high, with ridges. Star-shaped, so closed and without
/// self-intersection. 10 n^2 + 2 vertices.
sceneMesh sceneMakeBrain(uint32_t frequency, uint64_t seed);

/// Fold a unit sphere so.
void sceneFoldBrain(sceneMesh* sphere, uint64_t seed);

/// Spread nodes and compute weights.
/// @param mesh taken; better closed, since nodes go where it has an inside
/// @param nodeCount at most 65,535
/// @param influences wanted per vertex, on average; every vertex gets two at least
/// @return false if there is no memory or no mesh; the mesh is freed then
bool sceneMeshless_Create(sceneMeshless* body, sceneMesh mesh, uint32_t nodeCount, double influences);
void sceneMeshless_Free(sceneMeshless* body);

/// How much of each deformation. Zero is rest; 1 is as strong as the looseness that the papers report asks for.
typedef struct sceneBending
{
	double pull;
	double twist;
	double bend;
} sceneBending;

/// The map: a position, and how it changes with each coordinate of the point (gradient[i][k] = d image_k / d point_i).
void sceneMeshless_Map(const sceneMeshless* body, const sceneBending* bending, const double point[3], double image[3],
    double gradient[3][3]);

/// Pose the nodes. @param nodes receives one per transform
void sceneMeshless_PoseNodes(const sceneMeshless* body, const sceneBending* bending, snugMeshlessNode* nodes);

/// The matrices that nodes stand for (Eqs. 1 to 3 of the 2008 paper), in double, rounded once: what
/// snugBody_SetMeshlessNodes makes of them, bit for bit.
/// @param matrices receives 12 floats per node
void sceneMakeMatrices(const snugMeshlessNode* nodes, uint32_t count, float* matrices);

/// A tube with round ends along z, from 0 to 1, carried by a chain of joints with up to four influences per vertex: the
/// simplest thing that bends like a limb.
typedef struct sceneTube
{
	sceneMesh mesh;
	sceneWeights weights;
	double radius;
} sceneTube;

/// @param around vertices around, at least 3; @param along rings, at least 2; @param joints 1 to 65,535
bool sceneTube_Create(sceneTube* tube, uint32_t around, uint32_t along, uint32_t joints, double radius);
void sceneTube_Free(sceneTube* tube);

/// Turn every joint against its parent, in an S: by `angle` radians from one end of the chain to the other, at most.
/// @param matrices receives 12 floats per joint
void sceneTube_Pose(const sceneTube* tube, double angle, double roll, float* matrices);

#endif
