// snug: crowds of bodies on a GPU. Which of them touch, and with which triangles, for many thousand posed bodies at
// once.
//
//     snugDevice_Create, snugCrowd_Create                      once
//     snugCrowd_SetPoses                                       each frame, for each model
//     snugCrowd_Update, snugCrowd_Wait                         each frame
//     snugCrowd_Reserve                                        where there was too little room
//     snugCrowd_GetPairs, snugCrowd_GetTrianglePairs           read, until the next update
//
// A crowd is a scene (snug_scene.h) on a device: for every pair of bodies the triangle pairs are those of snugCollide
// with the crowd's origin, and results are the same bytes as a scene's. It differs where it must: bodies are numbers,
// not objects, and all of them are looked at in every update.
//
// Poses and results may be in the memory of the host or of the device: with CUDA that is what cuMemAlloc and the
// runtimes of others give, and nothing is copied. libsnuggpu neither links nor includes anything of a vendor's: it
// looks for the driver when a device is created.
//
// Rules, besides those of snug.h:
// - A device and its crowds belong to one thread at a time.
// - Updates allocate nothing. Where there is too little memory for an update as a whole it is done in portions; where
//   that does not help, or results find no room, the result says how much is needed.
#ifndef SNUG_SNUG_GPU_H
#define SNUG_SNUG_GPU_H

#include <snug/snug_scene.h>

#ifdef __cplusplus
extern "C"
{
#endif

/// @defgroup gpu Crowds on a GPU
/// @{

/// A GPU, or this processor in place of one.
typedef struct snugDevice snugDevice;

typedef enum snugBackend
{
	snug_cuda = 0, ///< NVIDIA, from Turing on, with a driver from 450 on; nothing else needs to be installed
	snug_reference ///< the same kernels on this processor, on one thread: slow, for tests
} snugBackend;

typedef struct snugDeviceDef
{
	snugBackend backend;
	uint32_t ordinal;        ///< which of several
	void* stream;            ///< nullable; a CUstream of the device's primary context: where work is enqueued
	snugAllocator allocator; ///< of host memory, and of the reference's
	snugMessenger messenger; ///< told why there is no device, and of errors of this device
	uint64_t reserved[8];
} snugDeviceDef;

/// @param device receives the device, or null
/// @return snug_unavailable if there is none: no driver, no GPU, one that is too old, or a library without kernels
SNUG_API snugStatus snugDevice_Create(const snugDeviceDef* def, snugDevice** device);

/// Free a device. Its crowds must be gone.
/// @param device nullable
SNUG_API void snugDevice_Destroy(snugDevice* device);

/// Memory of a device for poses and results, for those who have no other way to it. Aligned to 256 bytes.
/// @return null if there is too little
SNUG_API void* snugDevice_Allocate(snugDevice* device, size_t bytes);

/// @param memory nullable
/// @param bytes as it was allocated
SNUG_API void snugDevice_Release(snugDevice* device, void* memory, size_t bytes);

/// Copy between memory of the host and of the device, whichever `to` and `from` are. Returns when it is done.
SNUG_API snugStatus snugDevice_Copy(snugDevice* device, void* to, const void* from, size_t bytes);

typedef struct snugCrowd snugCrowd;

/// Bodies of one model. Their numbers follow those of the models before.
typedef struct snugCrowdModel
{
	const snugModel*
	    model; ///< snug_rigid, snug_fields or snug_skin that blends linearly; borrowed while the crowd is created
	uint32_t bodyCount;
	uint32_t groups; ///< as snugSceneBodyDef.groups, for all of them
	uint32_t mask;   ///< as snugSceneBodyDef.mask
	uint64_t reserved[4];
} snugCrowdModel;

typedef struct snugCrowdDef
{
	snugDevice* device;           ///< borrowed until the crowd is destroyed
	const snugCrowdModel* models; ///< (modelCount)
	uint32_t modelCount;
	snugSceneRoom room;      ///< as of a scene; `bodies` is not looked at
	uint64_t bytes;          ///< of device memory for what is between; default 64 MiB and 64 KiB per body
	double origin[3];        ///< as snugSceneDef.origin
	snugMessenger messenger; ///< told of errors by every function of this crowd
	uint64_t reserved[8];
} snugCrowdDef;

/// All bodies are in the rest pose, without frames.
/// @param crowd receives the crowd, or null
/// @return snug_badInput: a model of a kind that crowds do not know; snug_outOfRange: more than 2^30 bodies, or room
/// for more than 32 bits count; snug_outOfMemory
SNUG_API snugStatus snugCrowd_Create(const snugCrowdDef* def, snugCrowd** crowd);

/// @param crowd nullable
SNUG_API void snugCrowd_Destroy(snugCrowd* crowd);

/// More room, and more device memory for what is between, after an update that needed it. Poses stay.
/// @param room what is zero stays as it is; `bodies` is not looked at
/// @param bytes zero: as it is
/// @return snug_outOfMemory: nothing has changed
SNUG_API snugStatus snugCrowd_Reserve(snugCrowd* crowd, const snugSceneRoom* room, uint64_t bytes);

/// Poses of all bodies of one model. What is null stays as it is.
typedef struct snugCrowdPoses
{
	const float* joints;     ///< matrices of three rows of four (snugBody_SetJoints), body after body; for skins
	const float* amplitudes; ///< as many as the model has fields, body after body
	const snugFrame* frames; ///< one for each body
	bool isOnDevice;         ///< pointers lead to device memory: 16-byte aligned, read by every update, so keep them
	uint64_t reserved[4];
} snugCrowdPoses;

/// Whether poses are possible is found out by the next update.
/// @param model which of snugCrowdDef.models
SNUG_API snugStatus snugCrowd_SetPoses(snugCrowd* crowd, uint32_t model, const snugCrowdPoses* poses);

/// What to ask. All zero: which bodies touch.
typedef struct snugCrowdQuery
{
	bool trianglePairs; ///< find all their pairs of triangles too
	bool unsorted;      ///< triangle pairs of two bodies may come in any order, which saves time
	bool isOnDevice;    ///< `bodyPairs` leads to device memory
	/// Nullable: ask about these pairs of bodies and no others, whatever their groups. Results have a row for each of
	/// them, in this order, with a count of zero where they do not touch; without `trianglePairs` it is one where they
	/// do.
	const snugPair* bodyPairs;
	uint64_t bodyPairCount;
	uint64_t reserved[4];
} snugCrowdQuery;

/// Begin to find what touches now. Returns before it is done.
/// @param query nullable
SNUG_API snugStatus snugCrowd_Update(snugCrowd* crowd, const snugCrowdQuery* query);

typedef struct snugCrowdResult
{
	snugStatus status; ///< snug_badInput: a pose of `body` is not finite or its quaternion is not of unit length, or
	                   ///< a pair of snugCrowdQuery.bodyPairs is not of two bodies of this crowd;
	                   ///< snug_outOfRange: `body` is too far away, or see `needed`
	uint32_t body;     ///< the first body that was refused; SNUG_NONE: none
	uint64_t count;    ///< pairs of bodies that touch; or that were asked about
	uint64_t trianglePairs; ///< of all these together; zero if they were not asked for
	uint64_t candidates;    ///< pairs of bodies whose boxes overlap
	uint32_t portions;      ///< in how many the update was done; 1 if there was enough memory
	snugSceneRoom needed;   ///< where there was too little room: how much is needed, or what is known of it so far
	uint64_t neededBytes;   ///< the same for snugCrowdDef.bytes; after portions: with so many there will be fewer
	uint64_t reserved[4];
} snugCrowdResult;

/// Wait for the update that was begun.
SNUG_API snugCrowdResult snugCrowd_Wait(snugCrowd* crowd);

/// What touched at the last update, sorted by (a, b), as snugScene_GetPairs; or what was asked about.
/// @param isOnDevice return device memory; otherwise they are fetched, once
/// @param count receives how many
/// @return null if the last update failed, or if fetching did
SNUG_API const snugScenePair* snugCrowd_GetPairs(snugCrowd* crowd, bool isOnDevice, uint64_t* count);

/// The same as columns on the device, for those who compute there.
typedef struct snugCrowdColumns
{
	uint64_t count;          ///< of rows
	const snugPair* bodies;  ///< (count)
	const uint64_t* offsets; ///< (count + 1): where the triangle pairs of each begin, and the last ones end
	const uint64_t* counts;  ///< (count)
	uint64_t reserved[4];
} snugCrowdColumns;

/// @return pointers are null if the last update failed
SNUG_API snugCrowdColumns snugCrowd_GetColumns(const snugCrowd* crowd);

/// Triangles of a and b, as snugScene_GetTrianglePairs.
SNUG_API const snugPair* snugCrowd_GetTrianglePairs(snugCrowd* crowd, bool isOnDevice, uint64_t* count);

/// Positions of a body in the pose of the last update, as snugBody_GetVertices: the same bits.
/// @param positions receives x, y, z of every vertex, in host memory
SNUG_API snugStatus snugCrowd_GetVertices(snugCrowd* crowd, uint32_t body, float* positions);

/// @}

#ifdef __cplusplus
}
#endif

#endif
