// Two animated characters: reads a skinned glTF or FBX file, poses it twice and collides it with itself, moved aside.
//
// usage: skinned FILE
//
// Files are read by snugio, a library of its own. Engines have a reader of their own; what they hand over is what
// CreateModel and SetPose do.
#include <snug/snug.h>
#include <snug/snug_io.h>
#include <stdio.h>
#include <stdlib.h>

// The mesh, and which joints move which vertex by how much.
static snugModel* CreateModel(const snugAsset* asset, uint32_t instance)
{
	snugModelDef def;
	snugModel* model = NULL;
	snugAsset_GetModelDef(asset, instance, &def);
	return snugModel_Create(&def, &model) == snug_success ? model : NULL;
}

// One matrix per joint. No vertex is computed here, nor later, but near contact.
static void SetPose(snugBody* body, snugPose* pose, uint32_t instance, uint32_t jointCount, double time)
{
	float* matrices = malloc(12 * sizeof(float) * jointCount);
	if (matrices == NULL || snugPose_Evaluate(pose, 0, time) != snug_success ||
	    snugPose_GetJoints(pose, instance, matrices) != snug_success ||
	    snugBody_SetJoints(body, matrices, 0, jointCount) != snug_success)
	{
		fprintf(stderr, "cannot pose\n");
	}
	free(matrices);
}

// The first instance with a skin, if there is one.
static uint32_t FindSkinned(const snugAsset* asset, snugInstance* info)
{
	uint32_t i = 0;
	while (snugAsset_GetInstance(asset, i, info) == snug_success && info->jointCount == 0)
	{
		++i;
	}
	return i;
}

static int Collide(const snugAsset* asset, uint32_t instance, uint32_t jointCount)
{
	snugModel* model = CreateModel(asset, instance);
	snugPose* pose = NULL;
	snugBody *a = NULL, *b = NULL;
	if (model == NULL || snugPose_Create(asset, &pose) != snug_success ||
	    snugBody_Create(&(snugBodyDef){ .model = model }, &a) != snug_success ||
	    snugBody_Create(&(snugBodyDef){ .model = model }, &b) != snug_success)
	{
		return 1;
	}
	// The other one stands beside, by a third of the width, and is a quarter of a second late.
	snugBounds bounds;
	SetPose(a, pose, instance, jointCount, 0.0);
	snugBody_GetBounds(a, NULL, &bounds);
	double aside = ((double)bounds.upper[0] - (double)bounds.lower[0]) / 3.0;
	snugBody_SetFrame(b, &(snugFrame){ .position = { aside, 0.0, 0.0 } });
	for (int frame = 0; frame < 5; ++frame)
	{
		double time = 0.125 * frame;
		SetPose(a, pose, instance, jointCount, time);
		SetPose(b, pose, instance, jointCount, time > 0.25 ? time - 0.25 : 0.0);
		snugResult result = snugCollide(a, b, NULL);
		printf("at %.3f s: %llu pairs\n", time, (unsigned long long)result.count);
	}
	snugBody_Destroy(a);
	snugBody_Destroy(b);
	snugModel_Destroy(model);
	snugPose_Destroy(pose);
	return 0;
}

// Why a file is refused, or what was repaired in it.
static void PrintMessage(void* user, snugSeverity severity, const char* text)
{
	(void)user;
	fprintf(stderr, "%s%s\n", severity == snug_warning ? "warning: " : "", text);
}

int main(int argumentCount, char** arguments)
{
	snugAsset* asset;
	snugAssetDef def = { .messenger = { .message = PrintMessage } };
	if (argumentCount != 2)
	{
		fprintf(stderr, "usage: skinned FILE\n");
		return 2;
	}
	if (snugAsset_LoadFile(arguments[1], &def, &asset) != snug_success)
	{
		return 1;
	}
	snugInstance info;
	uint32_t instance = FindSkinned(asset, &info);
	int code = 1;
	if (instance < snugAsset_GetInstanceCount(asset) && snugAsset_GetClipCount(asset) > 0)
	{
		code = Collide(asset, instance, info.jointCount);
	}
	else
	{
		fprintf(stderr, "%s: no skin, or no clip\n", arguments[1]);
	}
	snugAsset_Destroy(asset);
	return code;
}
