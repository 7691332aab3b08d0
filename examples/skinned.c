// Two animated characters: reads a skinned glTF file, poses it twice and collides it with itself, moved aside.
//
// usage: skinned FILE.glb
//
// Reading files is no part of the library: io/ is built with the program and not installed, so this example is built
// inside the source tree. Engines have a reader of their own; what they hand over is what CreateModel and SetPose do.
#include "io/asset.h"

#include <snug/snug.h>
#include <stdio.h>
#include <stdlib.h>

// The mesh, and which joints move which vertex by how much.
static snugModel* CreateModel(const ioAssetMesh* mesh, const ioSkin* skin)
{
	snugModelDef def = { .positions = mesh->mesh.positions,
		.vertexCount = mesh->mesh.vertexCount,
		.triangles = mesh->mesh.triangles,
		.triangleCount = mesh->mesh.triangleCount,
		.deformer = snug_skin,
		.skin = { .jointCount = skin->jointCount,
		    .starts = mesh->influenceStart,
		    .joints = mesh->joints,
		    .weights = mesh->weights } };
	snugModel* model = NULL;
	return snugModel_Create(&def, &model) == snug_success ? model : NULL;
}

// One matrix per joint. No vertex is computed here, nor later, but near contact.
static void SetPose(snugBody* body, ioPose* pose, uint32_t instance, uint32_t jointCount, double time)
{
	float* matrices = malloc(12 * sizeof(float) * jointCount);
	ioPose_Evaluate(pose, 0, time);
	const double* joints = ioPose_GetJointMatrices(pose, instance);
	for (size_t i = 0; matrices != NULL && i < 12 * (size_t)jointCount; ++i)
	{
		matrices[i] = (float)joints[i];
	}
	if (matrices == NULL || snugBody_SetJoints(body, matrices, 0, jointCount) != snug_success)
	{
		fprintf(stderr, "cannot pose\n");
	}
	free(matrices);
}

static uint32_t FindSkinned(const ioAsset* asset)
{
	uint32_t i = 0;
	while (i < asset->instanceCount && asset->instances[i].skin == IO_NONE)
	{
		++i;
	}
	return i;
}

static int Collide(const ioAsset* asset, uint32_t instance)
{
	const ioSkin* skin = asset->skins + asset->instances[instance].skin;
	snugModel* model = CreateModel(asset->meshes + asset->instances[instance].mesh, skin);
	ioPose* pose = ioPose_Create(asset);
	snugBody *a = NULL, *b = NULL;
	if (model == NULL || pose == NULL || snugBody_Create(&(snugBodyDef){ .model = model }, &a) != snug_success ||
	    snugBody_Create(&(snugBodyDef){ .model = model }, &b) != snug_success)
	{
		return 1;
	}
	// The other one stands beside, by a third of the width, and is a quarter of a second late.
	snugBounds bounds;
	SetPose(a, pose, instance, skin->jointCount, 0.0);
	snugBody_GetBounds(a, NULL, &bounds);
	double aside = ((double)bounds.upper[0] - (double)bounds.lower[0]) / 3.0;
	snugBody_SetFrame(b, &(snugFrame){ .position = { aside, 0.0, 0.0 } });
	for (int frame = 0; frame < 5; ++frame)
	{
		double time = 0.125 * frame;
		SetPose(a, pose, instance, skin->jointCount, time);
		SetPose(b, pose, instance, skin->jointCount, time > 0.25 ? time - 0.25 : 0.0);
		snugResult result = snugCollide(a, b, NULL);
		printf("at %.3f s: %llu pairs\n", time, (unsigned long long)result.count);
	}
	snugBody_Destroy(a);
	snugBody_Destroy(b);
	snugModel_Destroy(model);
	ioPose_Destroy(pose);
	return 0;
}

int main(int argumentCount, char** arguments)
{
	ioAsset asset;
	ioError error;
	if (argumentCount != 2)
	{
		fprintf(stderr, "usage: skinned FILE.glb\n");
		return 2;
	}
	if (!ioLoad(arguments[1], NULL, &asset, &error))
	{
		fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	uint32_t instance = FindSkinned(&asset);
	int code = 1;
	if (instance < asset.instanceCount && asset.clipCount > 0)
	{
		code = Collide(&asset, instance);
	}
	else
	{
		fprintf(stderr, "%s: no skin, or no clip\n", arguments[1]);
	}
	ioAsset_Free(&asset);
	return code;
}
