// Two animated characters: reads a glTF or FBX file, makes two actors of it and collides them, one moved aside.
//
// usage: skinned FILE [CLIP]
//
// Files are read by snugio, a library of its own. Engines have readers of their own: what they do is what snugActor
// does, snugModel_Create and snugBody_SetJoints.
#include <snug/snug_io.h>
#include <stdio.h>

// All bodies of one against all of the other.
static unsigned long long CountPairs(const snugActor* a, const snugActor* b)
{
	uint32_t countA, countB;
	snugBody* const* bodiesA = snugActor_GetBodies(a, &countA);
	snugBody* const* bodiesB = snugActor_GetBodies(b, &countB);
	unsigned long long pairs = 0;
	for (uint32_t i = 0; i < countA; ++i)
	{
		for (uint32_t k = 0; k < countB; ++k)
		{
			pairs += snugCollide(bodiesA[i], bodiesB[k], NULL).count;
		}
	}
	return pairs;
}

// What an engine would move, by its names.
static void PrintNames(const snugAsset* asset)
{
	snugInstance instance;
	for (uint32_t i = 0; snugAsset_GetInstance(asset, i, &instance) == snug_success; ++i)
	{
		printf("%s:", instance.name);
		for (uint32_t k = 0; k < instance.jointCount; ++k)
		{
			printf(" %s", snugAsset_GetJointName(asset, i, k));
		}
		for (uint32_t k = 0; k < instance.targetCount; ++k)
		{
			printf(" %s", snugAsset_GetTargetName(asset, i, k));
		}
		printf("\n");
	}
}

// No vertex is computed here, nor later, but near contact.
static int Collide(const snugAsset* asset, uint32_t clip, const snugActorDef* def)
{
	snugActor *a, *b;
	snugActorDef same = *def;
	if (snugActor_Create(asset, def, &a) != snug_success)
	{
		return 1;
	}
	same.twin = a; // its models serve both
	if (snugActor_Create(asset, &same, &b) != snug_success)
	{
		return 1;
	}
	// The other one stands beside, by a third of the width, and is a quarter of a second late.
	snugBounds bounds;
	snugBody_GetBounds(snugActor_GetBodies(a, NULL)[0], NULL, &bounds);
	snugFrame aside = { .position = { ((double)bounds.upper[0] - (double)bounds.lower[0]) / 3.0 } };
	for (int frame = 0; frame < 5; ++frame)
	{
		double time = 0.125 * frame;
		if (snugActor_SetTime(a, clip, time, NULL) != snug_success ||
		    snugActor_SetTime(b, clip, time > 0.25 ? time - 0.25 : 0.0, &aside) != snug_success)
		{
			return 1;
		}
		printf("at %.3f s: %llu pairs\n", time, CountPairs(a, b));
	}
	snugActor_Destroy(b);
	snugActor_Destroy(a);
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
	const snugMessenger messenger = { .message = PrintMessage };
	snugAsset* asset;
	if (argumentCount < 2 || argumentCount > 3)
	{
		fprintf(stderr, "usage: skinned FILE [CLIP]\n");
		return 2;
	}
	if (snugAsset_LoadFile(arguments[1], &(snugAssetDef){ .messenger = messenger }, &asset) != snug_success)
	{
		return 1;
	}
	uint32_t clip = snugAsset_FindClip(asset, argumentCount == 3 ? arguments[2] : "0");
	int code = 1;
	if (clip != SNUG_NONE && snugAsset_GetInfo(asset).instanceCount > 0)
	{
		PrintNames(asset);
		code = Collide(asset, clip, &(snugActorDef){ .clips = &clip, .clipCount = 1, .messenger = messenger });
	}
	else
	{
		fprintf(stderr, "%s: no mesh, or no such clip\n", arguments[1]);
	}
	snugAsset_Destroy(asset);
	return code;
}
