// A game loop on one thread (thread_pool.h is for more): fifty characters from a skinned glTF or FBX file walk on the
// spot, and what touches is told as it begins and ends. usage: crowd FILE
#include <cmath>
#include <cstdio>
#include <snug/snug_io.h>
#include <snug/snug_scene.h>
#include <vector>

int main(int argumentCount, char** arguments)
{
	const uint32_t bodyCount = 50;
	snugAsset* asset;
	snugPose* pose;
	snugInstance info = {};
	snugModelDef modelDef = {};
	snugModel* model;
	snugScene* scene;
	snugSceneDef sceneDef = {};
	if (argumentCount != 2 || snugAsset_LoadFile(arguments[1], nullptr, &asset) || snugPose_Create(asset, &pose) ||
	    snugAsset_GetInstance(asset, 0, &info) || info.jointCount == 0 || snugAsset_GetModelDef(asset, 0, &modelDef) ||
	    snugModel_Create(&modelDef, &model) || snugScene_Create(&sceneDef, &scene))
		return std::puts("usage: crowd FILE, of which the first mesh has a skin"), 1;
	std::vector<snugBody*> bodies(bodyCount);
	std::vector<snugFrame> frames(bodyCount);
	std::vector<float> joints(bodyCount * 12 * info.jointCount);
	for (uint32_t i = 0, id; i < bodyCount; ++i)
	{
		snugBodyDef bodyDef = {};
		bodyDef.model = model;
		snugSceneBodyDef inScene = {};
		if (snugBody_Create(&bodyDef, &bodies[i]) || (inScene.body = bodies[i], snugScene_Add(scene, &inScene, &id)))
			return std::puts("no memory"), 1;
	}
	for (int frame = 0; frame < 60; ++frame)
	{
		for (uint32_t i = 0; i < bodyCount; ++i) // animation: yours
		{
			snugPose_Evaluate(pose, 0, std::fmod(frame / 30.0 + 0.1 * i, 1.0));
			snugPose_GetJoints(pose, 0, &joints[i * 12 * info.jointCount]);
			frames[i].position[0] = i % 10 * 0.7 + 0.3 * std::sin(0.1 * frame + i);
			frames[i].position[2] = i / 10 * 0.7;
		}
		snugScenePoses poses = {};
		poses.count = bodyCount;
		poses.joints = joints.data();
		poses.frames = frames.data();
		if (snugScene_SetPoses(scene, &poses) || snugScene_Update(scene, nullptr).status)
			return std::puts("too far, or too many at once"), 1;
		snugSceneEvents events = snugScene_GetEvents(scene);
		std::printf("frame %d: %u begin, %u go on, %u end\n", frame, (unsigned)events.begunCount,
		    (unsigned)events.persistingCount, (unsigned)events.endedCount);
	}
	snugScene_Destroy(scene);
	for (snugBody* body : bodies)
		snugBody_Destroy(body);
	snugModel_Destroy(model);
	snugPose_Destroy(pose);
	snugAsset_Destroy(asset);
}
