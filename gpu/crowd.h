// gpu/crowd.h: crowds: bodies, poses and results on a device. crowd.c makes them, update.c asks.
#ifndef SG_GPU_CROWD_H
#define SG_GPU_CROWD_H

#include "image.h"

/// Pieces of device memory that a crowd has, besides its models.
#define SG_CROWD_BLOCKS 40

typedef struct sgDeviceBlock
{
	void* memory;
	size_t bytes;
} sgDeviceBlock;

/// Where poses of a model that come from the host are kept.
typedef struct sgPoseRoom
{
	sgDeviceBlock joints, amplitudes, frames;
} sgPoseRoom;

/// Results that were fetched.
typedef struct sgFetched
{
	void* memory; ///< null: not yet
	size_t bytes;
} sgFetched;

struct snugCrowd
{
	snugDevice* device;
	snugMessenger messenger;
	snugSceneRoom room;
	uint64_t bytes;
	uint32_t modelCount;
	sgUploaded* models;
	sgPoseRoom* poses;
	sgImage* images; ///< as they are to be on the device
	bool areImagesOld;
	uint32_t levels;   ///< rounds of comparing nodes
	uint32_t topLevel; ///< of the tree over bodies
	uint64_t tableBytes;
	uint32_t lastBase;
	sgWorld world;
	sgDeviceBlock blocks[SG_CROWD_BLOCKS];
	uint32_t blockCount;
	uint32_t bodyBlocks; ///< how many of these are for bodies, and stay when there is more room

	snugCrowdQuery query; ///< of the update that was begun
	bool isUpdating;
	bool hasResults;
	snugCrowdResult result;
	sgFetched pairs, trianglePairs;
};

/// Device memory for so long as the crowd lives; null if there is none.
void* sgCrowd_Take(snugCrowd* crowd, uint64_t bytes);

/// Images on the device as they are here.
void sgCrowd_UploadImages(snugCrowd* crowd);

/// Forget what was fetched.
void sgCrowd_Forget(snugCrowd* crowd);

#endif
