// A game loop on one thread (thread_pool.h is for more): fifty characters from a glTF or FBX file walk on the spot, and
// what touches is told as it begins and ends; at the end, who is within an arm's length. usage: crowd FILE
#include <cmath>
#include <cstdio>
#include <snug/snug_io.h>
#include <snug/snug_scene.h>
#include <vector>

int main(int argumentCount, char** arguments)
{
	const uint32_t actorCount = 50;
	snugAsset* asset;
	snugScene* scene;
	snugSceneDef sceneDef = {};
	if (argumentCount != 2 || snugAsset_LoadFile(arguments[1], nullptr, &asset) || snugScene_Create(&sceneDef, &scene))
		return std::puts("usage: crowd FILE"), 1;
	std::vector<snugActor*> actors(actorCount);
	for (uint32_t i = 0, id, count; i < actorCount; ++i)
	{
		snugActorDef actorDef = {};
		actorDef.twin = i > 0 ? actors[0] : nullptr; // one model for all
		snugSceneBodyDef inScene = {};
		inScene.user = &actors[i];
		if (snugActor_Create(asset, &actorDef, &actors[i]))
			return std::puts("no memory"), 1;
		snugBody* const* bodies = snugActor_GetBodies(actors[i], &count);
		for (uint32_t k = 0; k < count; ++k)
			if (inScene.body = bodies[k], snugScene_Add(scene, &inScene, &id))
				return std::puts("no memory"), 1;
	}
	const uint32_t clip = snugAsset_GetInfo(asset).clipCount > 0 ? 0 : SNUG_NONE;
	for (int frame = 0; frame < 60; ++frame)
	{
		for (uint32_t i = 0; i < actorCount; ++i)
		{
			snugFrame place = {};
			place.position[0] = i % 10 * 0.7 + 0.3 * std::sin(0.1 * frame + i);
			place.position[2] = i / 10 * 0.7;
			if (snugActor_SetTime(actors[i], clip, std::fmod(frame / 30.0 + 0.1 * i, 1.0), &place))
				return std::puts("a pose that no body takes"), 1;
		}
		if (snugScene_Update(scene, nullptr).status)
			return std::puts("too far, or too many at once"), 1;
		snugSceneEvents events = snugScene_GetEvents(scene);
		std::printf("frame %d: %u begin, %u go on, %u end\n", frame, (unsigned)events.begunCount,
		    (unsigned)events.persistingCount, (unsigned)events.endedCount);
	}
	snugSceneNear near[100];
	snugSceneNearQuery nearQuery = {};
	nearQuery.margin = 0.2;
	nearQuery.pairs = near;
	nearQuery.capacity = 100;
	const uint64_t nearCount = snugScene_FindNear(scene, &nearQuery).count;
	for (uint64_t i = 0; i < nearCount && i < nearQuery.capacity; ++i)
	{
		const void *a = snugScene_GetUser(scene, near[i].a), *b = snugScene_GetUser(scene, near[i].b);
		if (a != b && near[i].distance > 0) // bodies of one actor are always near
			std::printf("%d and %d nearly touch: %.3f\n", (int)((snugActor* const*)a - actors.data()),
			    (int)((snugActor* const*)b - actors.data()), near[i].distance);
	}
	snugScene_Destroy(scene);
	for (uint32_t i = actorCount; i > 0; --i)
		snugActor_Destroy(actors[i - 1]);
	snugAsset_Destroy(asset);
}
