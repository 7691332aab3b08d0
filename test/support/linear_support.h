// test/support/linear_support.h: random skins and poses, for the tests of linear skins.
#ifndef TEST_LINEAR_SUPPORT_H
#define TEST_LINEAR_SUPPORT_H

#include "support.h"

/// A random skin over a mesh.
typedef struct Skin
{
	uint32_t transformCount;
	uint32_t* starts;
	uint16_t* transforms;
	float* weights;
	float* matrices;
} Skin;

void Skin_Free(Skin* skin);
snugSkinDef Skin_Def(const Skin* skin);

// Weights fall off with the distance from a random centre per transform, or are pure chance; some vertices follow one
// transform only, some have weights that must be repaired.
Skin RandomSkin(sceneRandom* random, const sceneMesh* mesh);

// Affine maps of every sort: turns, stretches, mirrors, flattened and zero ones, near one another or not at all.
void RandomMatrices(sceneRandom* random, Skin* skin, double size, double offset);

// Takes the mesh.
Thing MakeLinear(sceneMesh mesh, const Skin* skin, snugTreeDef tree, snugStrategy strategy);

void Pose(const Thing* thing, const Skin* skin);

#endif
