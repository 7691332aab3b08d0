// test/gpu/company.h: bodies of several models in a scene and in a crowd, posed alike, and what both find.
#ifndef TEST_COMPANY_H
#define TEST_COMPANY_H

#include "skin_support.h"
#include "support.h"

#include "gpu/crowd.h"
#include "snug/snug_gpu.h"

enum
{
	MAX_KINDS = 4,
	MAX_BODIES = 9,
};

// Bodies of one model, in a scene and in a crowd.
typedef struct Kind
{
	SkinnedMesh skinned; // of skins; otherwise only its mesh
	FieldSet fields;
	snugModel* model;
	uint32_t bodyCount;
	uint32_t groups, mask;
	snugBody* bodies[MAX_BODIES];
	float* joints;
	float* amplitudes;
	snugFrame frames[MAX_BODIES];
} Kind;

typedef struct Company
{
	uint64_t seed;
	sceneRandom random;
	bool isHard; // skins and poses of any size
	uint32_t kindCount;
	Kind kinds[MAX_KINDS];
	double origin[3];
	snugScene* scene;
	snugDevice* device;
	snugCrowd* crowd;
	uint64_t trianglePairs; // seen, over all updates
	uint64_t portions;
} Company;

static const snugSceneRoom plenty = { .bodies = 64, .candidates = 4096, .pairs = 4096, .trianglePairs = 1u << 20 };

/// The reference device, or a GPU if the environment variable SNUG_GPU is `cuda`: what is known of the inside of the
/// former is not looked at then.
bool IsOnGpu(void);

void MakeDevice(snugDevice** device);

void SetOrder(snugDevice* device, sgLaneOrder order, uint32_t groups);

snugStatus MakeCrowd(Company* company, const snugSceneRoom* room, uint64_t bytes, snugCrowd** crowd);

void MakeCompany(Company* company, uint64_t seed, bool isHard);

void FreeCompany(Company* company);

void PoseAll(Company* company);

void TellCrowd(const Company* company, snugCrowd* crowd, bool isOnDevice);

void ComparePositions(const Company* company, snugCrowd* crowd);

void CompareResults(Company* company, snugCrowd* crowd, const snugCrowdResult* result);

snugCrowdResult Ask(snugCrowd* crowd, bool trianglePairs, bool unsorted);

/// Whether a body is large enough to be refused by bounds that are not tight.
bool IsNearLimit(const Company* company, uint32_t number);

/// @return false if a body is too far away for a scene, which only a hard one is
bool UpdateScene(Company* company);

#endif
