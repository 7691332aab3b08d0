// test/support/hard_skins.h: skins and poses made to be hard on bounds: where float32 rounds most, underflows or
// cancels.
#ifndef TEST_HARD_SKINS_H
#define TEST_HARD_SKINS_H

#include "linear_support.h"

typedef struct SkinnedMesh
{
	sceneMesh mesh;
	Skin skin;
} SkinnedMesh;

void SkinnedMesh_Free(SkinnedMesh* skinned);

// One transform, the identity. Takes the mesh.
SkinnedMesh RigidSkin(sceneMesh mesh);

// Four transforms whose weights vary linearly over the mesh, which is within about [-1, 1]^3. Takes it.
SkinnedMesh LinearSkin(sceneMesh mesh);

// Up to 24 of `transformCount` transforms per vertex, by chance. Takes the mesh.
SkinnedMesh ScatteredSkin(sceneRandom* random, sceneMesh mesh, uint32_t transformCount);

// Any shape (flat, a line, a point, single triangles, soups), of any size from subnormal to 1e30, at zero or a million
// times its size away from it; weights of every sort: one, many, smooth, random, tiny, subnormal, in need of repair.
SkinnedMesh HardSkin(sceneRandom* random);

// Matrices of every sort: equal, nearly equal, unrelated, singular, zero, mirrored, far away, cancelling, tiny, huge.
void HardPose(sceneRandom* random, SkinnedMesh* skinned);

// Skins in poses in which roundings add up instead of cancelling, with n > 1 transforms. But for the slope all vertices
// are at one place, and apart from rounding every bound touches one of them.
typedef enum Alignment
{
	aligned_vertex,    // one vertex: its blend rounds up n times, the bound's sum over low * b rounds down n times
	aligned_pair,      // two vertices: blending one rounds up, and both sums of the dual round down, n times each
	aligned_ties,      // one vertex: products round to ties, n times, where fused sums do not
	aligned_crowd,     // n vertices with two influences at most: their blends are exact, the bound rounds n times
	aligned_slope,     // a rectangle: weights vary linearly across it, and the sums over gradients round n times
	aligned_subnormal, // one vertex: every product is a little more than half of the least number there is
	ALIGNMENTS
} Alignment;

SkinnedMesh AlignedSkin(Alignment alignment, uint32_t n);

// A triangle, a segment or a point, twice, with up to four transforms, in a pose whose transforms are nearly equal:
// from here a search finds poses in which roundings add up.
SkinnedMesh SmallSkin(sceneRandom* random);

// Change some of the matrices a little, or by a few last bits.
void NudgePose(sceneRandom* random, SkinnedMesh* skinned);

// Poses that a body refuses because they lead too far are shrunk until it takes them.
void PoseBody(snugBody* body, SkinnedMesh* skinned);

// Each strategy in turn, by the number of a case.
snugStrategy StrategyOf(uint64_t number);

// Copies the mesh.
Thing MakeThing(const SkinnedMesh* skinned, snugTreeDef tree, snugStrategy strategy);

#endif
