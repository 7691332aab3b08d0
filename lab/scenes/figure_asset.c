#include "lab/scenes/figure_asset.h"

#include "io/load.h"

#include <string.h>

static bool MakeMesh(const sceneFigure* figure, ioAsset* asset)
{
	const sceneCharacter* c = &figure->character;
	ioAssetMesh* mesh = ioAsset_Allocate(asset, 1, sizeof(ioAssetMesh));
	ioMorphTarget* targets = ioAsset_Allocate(asset, c->targets.count, sizeof(ioMorphTarget));
	float* zeros = ioAsset_Allocate(asset, c->targets.count, sizeof(float));
	bool good = mesh != NULL && targets != NULL && zeros != NULL;
	for (uint32_t t = 0; good && t < c->targets.count; ++t)
	{
		uint32_t* vertices = ioAsset_Allocate(asset, c->mesh.vertexCount, sizeof(uint32_t));
		float* deltas = ioAsset_Allocate(asset, 3 * (size_t)c->mesh.vertexCount, sizeof(float));
		uint32_t count = 0;
		good = vertices != NULL && deltas != NULL;
		for (uint32_t v = 0; good && v < c->mesh.vertexCount; ++v)
		{
			for (uint32_t i = c->targets.starts[v]; i < c->targets.starts[v + 1]; ++i)
			{
				if (c->targets.fields[i] == t)
				{
					vertices[count] = v;
					memcpy(deltas + 3 * (size_t)count++, c->targets.displacements + 3 * (size_t)i, 3 * sizeof(float));
				}
			}
		}
		targets[t] = (ioMorphTarget){ figure->targetNames[t], vertices, deltas, count };
	}
	if (good)
	{
		*mesh = (ioAssetMesh){ .name = c->name,
			.mesh = { c->mesh.positions, c->mesh.vertexCount, c->mesh.triangles, c->mesh.triangleCount },
			.influenceStart = c->weights.starts,
			.joints = c->weights.transforms,
			.weights = c->weights.weights,
			.maxJoint = c->weights.transformCount - 1,
			.targets = targets,
			.targetCount = c->targets.count,
			.targetWeights = zeros };
		asset->meshes = mesh;
		asset->meshCount = 1;
	}
	return good;
}

// Where a joint is against its parent, as sceneFigure_Pose has it.
static void PlaceJoint(const sceneCharacter* c, uint32_t joint, double translation[3])
{
	int parent = c->joints[joint].parent;
	for (int k = 0; k < 3; ++k)
	{
		double at = (double)c->jointPositions[3 * joint + (uint32_t)k];
		translation[k] = (double)(float)(parent < 0 ? at : at - (double)c->jointPositions[3 * parent + k]);
	}
}

static bool MakeNodes(const sceneFigure* figure, ioAsset* asset)
{
	const sceneCharacter* c = &figure->character;
	uint32_t joints = c->weights.transformCount;
	ioNode* nodes = ioAsset_Allocate(asset, joints + 1, sizeof(ioNode));
	uint32_t* numbers = ioAsset_Allocate(asset, joints + 1, sizeof(uint32_t));
	double* binds = ioAsset_Allocate(asset, 12 * (size_t)joints, sizeof(double));
	ioSkin* skin = ioAsset_Allocate(asset, 1, sizeof(ioSkin));
	ioInstance* instance = ioAsset_Allocate(asset, 1, sizeof(ioInstance));
	if (nodes == NULL || numbers == NULL || binds == NULL || skin == NULL || instance == NULL)
	{
		return false;
	}
	for (uint32_t j = 0; j <= joints; ++j)
	{
		bool isJoint = j < joints;
		nodes[j] = (ioNode){ .name = isJoint ? figure->jointNames[j] : c->name,
			.parent = isJoint && c->joints[j].parent >= 0 ? (uint32_t)c->joints[j].parent : IO_NONE,
			.mesh = isJoint ? IO_NONE : 0,
			.skin = isJoint ? IO_NONE : 0,
			.rotation = { 0.0, 0.0, 0.0, 1.0 },
			.scale = { 1.0, 1.0, 1.0 } };
		numbers[j] = j;
		for (int k = 0; k < 3 && isJoint; ++k)
		{
			binds[12 * (size_t)j + 5 * (size_t)k] = 1.0;
			binds[12 * (size_t)j + 4 * (size_t)k + 3] = -(double)c->jointPositions[3 * j + (uint32_t)k];
		}
		if (isJoint)
		{
			PlaceJoint(c, j, nodes[j].translation);
		}
	}
	*skin = (ioSkin){ c->name, numbers, binds, joints, 0 };
	*instance = (ioInstance){ c->name, joints, 0, 0 };
	asset->nodes = nodes;
	asset->nodeOrder = numbers;
	asset->nodeCount = joints + 1;
	asset->skins = skin;
	asset->skinCount = 1;
	asset->jointCount = joints;
	asset->weightCount = c->targets.count;
	asset->instances = instance;
	asset->instanceCount = 1;
	return true;
}

// ---- Clips -----------------------------------------------------------------------------------------------------

/// Numbers of a channel: `width` per key, each key `stride` from the next, added to what is there at rest.
typedef struct track
{
	const sceneKey* keys;
	uint32_t width, stride;
	double rest[4];
} track;

// In-tangent, value and out-tangent of each key.
static float* MakeValues(ioAsset* asset, const sceneClip* clip, const track* t)
{
	float* values = ioAsset_Allocate(asset, 3 * (size_t)clip->keyCount * t->width, sizeof(float));
	for (size_t i = 0; i < 3 * (size_t)clip->keyCount * t->width && values != NULL; ++i)
	{
		size_t key = i / (3 * (size_t)t->width), part = i / t->width % 3, k = i % t->width;
		const sceneKey* from = t->keys + key * t->stride + k;
		values[i] = part == 1 ? (float)((double)from->value + t->rest[k]) : from->slope;
	}
	return values;
}

static bool IsStill(const sceneClip* clip, uint32_t joint)
{
	bool isStill = true;
	for (uint32_t i = 0; i < clip->keyCount && isStill; ++i)
	{
		const sceneKey* keys = clip->rotations[joint][i];
		isStill = keys[0].value == 0.0f && keys[1].value == 0.0f && keys[2].value == 0.0f;
	}
	return isStill;
}

static bool AddChannel(ioAsset* asset, const sceneClip* clip, ioChannel* to, uint32_t node, ioPath path, const track* t)
{
	*to = (ioChannel){
		.node = node,
		.path = path,
		.interpolation = io_cubicSpline,
		.keyCount = clip->keyCount,
		.width = t->width,
		.times = clip->times,
		.values = MakeValues(asset, clip, t),
	};
	return to->values != NULL;
}

static bool MakeClip(const sceneFigure* figure, const sceneClip* clip, ioAsset* asset, ioClip* out)
{
	const sceneCharacter* c = &figure->character;
	uint32_t joints = c->weights.transformCount, count = 0;
	ioChannel* channels = ioAsset_Allocate(asset, joints + 2, sizeof(ioChannel));
	track move = { &clip->moves[0][0], 3, 3, { 0.0 } },
	      weigh = { &clip->weights[0][0], c->targets.count, SCENE_MAX_TARGETS, { 0.0 } };
	bool good = channels != NULL;
	PlaceJoint(c, 0, move.rest);
	for (uint32_t j = 0; j < joints && good; ++j)
	{
		if (!IsStill(clip, j))
		{
			track turn = { &clip->rotations[j][0][0], 4, 4, { 0.0 } };
			good = AddChannel(asset, clip, channels + count++, j, io_rotation, &turn);
		}
	}
	good = good && AddChannel(asset, clip, channels + count++, 0, io_translation, &move) &&
	       AddChannel(asset, clip, channels + count++, joints, io_weights, &weigh);
	*out = (ioClip){ clip->name, 0.0, (double)clip->times[clip->keyCount - 1], channels, count };
	return good;
}

bool figureAsset_Make(const sceneFigure* figure, ioAsset* asset, ioLook* look)
{
	*asset = (ioAsset){ .format = "glTF" };
	*look = (ioLook){ figure->normals, { figure->color[0], figure->color[1], figure->color[2] } };
	ioClip* clips = ioAsset_Allocate(asset, SCENE_CLIPS, sizeof(ioClip));
	bool good = clips != NULL && MakeMesh(figure, asset) && MakeNodes(figure, asset);
	for (int i = 0; i < SCENE_CLIPS && good; ++i)
	{
		good = MakeClip(figure, figure->clips + i, asset, clips + i);
	}
	asset->clips = clips;
	asset->clipCount = SCENE_CLIPS;
	if (!good)
	{
		ioAsset_Free(asset);
	}
	return good;
}
