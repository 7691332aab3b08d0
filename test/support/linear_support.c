// test/support/linear_support.c: see linear_support.h.
#include "linear_support.h"

#include <stdlib.h>

void Skin_Free(Skin* skin)
{
	free(skin->starts);
	free(skin->transforms);
	free(skin->weights);
	free(skin->matrices);
}

snugSkinDef Skin_Def(const Skin* skin)
{
	return (snugSkinDef){
		.jointCount = skin->transformCount,
		.starts = skin->starts,
		.joints = skin->transforms,
		.weights = skin->weights,
	};
}

Skin RandomSkin(sceneRandom* random, const sceneMesh* mesh)
{
	static const uint32_t counts[] = { 1, 2, 3, 5, 9, 20, 60, 300 };
	Skin skin = { .transformCount = counts[sceneRandom_Index(random, LENGTH_OF(counts))] };
	uint32_t n = skin.transformCount, most = n < 24 ? n : 24;
	skin.starts = calloc(mesh->vertexCount + 1, sizeof(uint32_t));
	skin.transforms = calloc((size_t)mesh->vertexCount * most + 1, sizeof(uint16_t));
	skin.weights = calloc((size_t)mesh->vertexCount * most + 1, sizeof(float));
	skin.matrices = calloc(12 * (size_t)n, sizeof(float));
	float* centers = calloc(3 * (size_t)n, sizeof(float));
	for (uint32_t i = 0; i < 3 * n; ++i)
	{
		centers[i] = (float)sceneRandom_Range(random, -1.0, 1.0);
	}
	bool isSmooth = sceneRandom_Index(random, 3) != 0;
	uint32_t total = 0;
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		uint32_t count = 1 + sceneRandom_Index(random, isSmooth ? most : (most < 4 ? most : 4));
		count = isSmooth ? most : count;
		skin.starts[v] = total;
		uint32_t first = sceneRandom_Index(random, n);
		for (uint32_t k = 0; k < count; ++k)
		{
			uint32_t j = isSmooth ? (k * 7 + (n > most ? first % 3 : 0)) % n : (first + k) % n;
			const float* p = mesh->positions + 3 * (size_t)v;
			double d2 = 0.0;
			for (int a = 0; a < 3; ++a)
			{
				d2 += ((double)p[a] - (double)centers[3 * j + (uint32_t)a]) *
				      ((double)p[a] - (double)centers[3 * j + (uint32_t)a]);
			}
			skin.transforms[total] = (uint16_t)j;
			skin.weights[total++] = (float)(isSmooth ? 1.0 / (0.1 + d2) : sceneRandom_Unit(random));
		}
	}
	skin.starts[mesh->vertexCount] = total;
	free(centers);
	return skin;
}

void RandomMatrices(sceneRandom* random, Skin* skin, double size, double offset)
{
	int kind = (int)sceneRandom_Index(random, 5);
	for (uint32_t j = 0; j < skin->transformCount; ++j)
	{
		float* m = skin->matrices + 12 * (size_t)j;
		for (int i = 0; i < 3; ++i)
		{
			for (int k = 0; k < 3; ++k)
			{
				double deviation = kind == 0 ? 0.0 : kind == 1 ? 0.05 : kind == 2 ? 0.4 : 2.0;
				double entry = (i == k ? 1.0 : 0.0) + deviation * sceneRandom_Range(random, -1.0, 1.0);
				m[4 * i + k] = kind == 4 && sceneRandom_Index(random, 4) == 0 ? 0.0f : (float)entry;
			}
			m[4 * i + 3] = (float)(size * (offset + sceneRandom_Range(random, -0.3, 0.3)));
		}
	}
}

Thing MakeLinear(sceneMesh mesh, const Skin* skin, snugTreeDef tree, snugStrategy strategy)
{
	snugModelDef def = MeshDef(&mesh, snug_skin, tree);
	def.skin = Skin_Def(skin);
	return Thing_Build(mesh, &def, strategy, NULL);
}

void Pose(const Thing* thing, const Skin* skin)
{
	assert_int_equal(snugBody_SetJoints(thing->body, skin->matrices, 0, skin->transformCount), snug_success);
}
