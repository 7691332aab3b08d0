// snug_io: files of meshes in motion for snug: what becomes a body, and what it looks like at a time. Library snugio.
//
// Two ideas:
// - A snugAsset is a file: instances of meshes, each of which may become a body, with their skins, morph targets
//   and the clips that move them. Immutable, shared by poses and threads.
// - A snugPose is an asset at a time of a clip. It hands over what snugBody_SetJoints, snugBody_SetFrame and
//   snugBody_SetVertices take.
//
// Formats: glTF 2.0 (.gltf and .glb, also compressed where the library was built with what decodes it), FBX 7.0 and
// later, OBJ, PLY, STL, OFF. FBX files come in metres with y up, as glTF files are.
//
// The rules of snug.h hold here too: zero means default, structs end in reserved members, failures are a status with a
// sentence through the messenger, nothing is printed. No file, however damaged, does anything but fail. This library
// uses types of snug.h and no function of it, so it does not call the handler of snugSetAssertHandler.
#ifndef SNUG_SNUG_IO_H
#define SNUG_SNUG_IO_H

#include <snug/snug.h>

#ifdef __cplusplus
extern "C"
{
#endif

/// No clip: the pose in which the file is at rest. Also what a search returns that finds nothing.
#define SNUG_NO_CLIP UINT32_MAX

/// @defgroup asset Assets
/// Threads: any number at once, but for Load and Destroy.
/// @{

typedef struct snugAsset snugAsset;

/// How to load. Zero means default.
typedef struct snugAssetDef
{
	/// Told why a file is refused, in one line that names file and place, and of what was repaired or left out: of that
	/// 20 warnings at most. Every line has less than 512 bytes.
	snugMessenger messenger;
	uint64_t maxBytes; ///< that may be decoded before a file is refused; default 64 MiB and 64 times its size
	uint64_t reserved[8];
} snugAssetDef;

/// Read a file: all of it or nothing.
/// @param def nullable
/// @param asset receives the asset, or null
/// @return snug_ioError if it cannot be opened or read, or a file that it needs cannot; snug_badFile if it cannot be
/// understood; snug_outOfMemory; snug_badArgument for a null path or a definition that was not initialised
SNUG_API snugStatus snugAsset_LoadFile(const char* path, const snugAssetDef* def, snugAsset** asset);

/// Read the content of a file. glTF files must have their buffers inside; OBJ is read from files only.
/// @param name stands for the path in messages; its ending may tell the format
/// @return as snugAsset_LoadFile
SNUG_API snugStatus snugAsset_LoadMemory(
    const void* bytes, size_t count, const char* name, const snugAssetDef* def, snugAsset** asset);

/// @param asset nullable
SNUG_API void snugAsset_Destroy(snugAsset* asset);

/// A mesh in a place: what becomes a body. Names live as long as the asset.
typedef struct snugInstance
{
	const char* name;
	uint32_t vertexCount, triangleCount;
	uint32_t jointCount;  ///< 0: it has no skin, and moves as a whole
	uint32_t targetCount; ///< morph targets
	uint64_t reserved[4];
} snugInstance;

/// A clip. Times are in seconds.
typedef struct snugClip
{
	const char* name; ///< its number if the file gives no name
	double start;     ///< of the first key
	double end;       ///< of the last one
	uint64_t reserved[4];
} snugClip;

SNUG_API uint32_t snugAsset_GetInstanceCount(const snugAsset* asset);
/// @return snug_badArgument if there is no such instance
SNUG_API snugStatus snugAsset_GetInstance(const snugAsset* asset, uint32_t instance, snugInstance* info);

SNUG_API uint32_t snugAsset_GetClipCount(const snugAsset* asset);
SNUG_API snugStatus snugAsset_GetClip(const snugAsset* asset, uint32_t clip, snugClip* info);
/// @return the clip with a name or, failing that, with this number in decimal; SNUG_NO_CLIP if there is none
SNUG_API uint32_t snugAsset_FindClip(const snugAsset* asset, const char* name);

/// @return a joint's name, "" if it has none, null if there is no such joint
SNUG_API const char* snugAsset_GetJointName(const snugAsset* asset, uint32_t instance, uint32_t joint);
/// @return a morph target's name, "" if it has none, null if there is no such target
SNUG_API const char* snugAsset_GetTargetName(const snugAsset* asset, uint32_t instance, uint32_t target);

/// Fill a definition for snugModel_Create: positions, triangles and, of a skinned instance, deformer snug_skin and the
/// skin's joints and weights; everything else is zero. Its arrays are the asset's, which must outlive the call of
/// snugModel_Create. Morph targets are no part of it: bodies that use them take vertices, or amplitudes (see snug.h).
SNUG_API snugStatus snugAsset_GetModelDef(const snugAsset* asset, uint32_t instance, snugModelDef* def);

/// @}

/// @defgroup pose Poses
/// Threads: one at a time per pose. Poses may share an asset, which must outlive them.
/// @{

typedef struct snugPose snugPose;

/// Make a pose at rest. Nothing else below allocates.
/// @return snug_outOfMemory, or snug_badArgument for null pointers
SNUG_API snugStatus snugPose_Create(const snugAsset* asset, snugPose** pose);
/// @param pose nullable
SNUG_API void snugPose_Destroy(snugPose* pose);

/// Go to a time of a clip. Before a channel's first key and after its last one that key holds.
/// @param clip number, or SNUG_NO_CLIP for rest
SNUG_API snugStatus snugPose_Evaluate(snugPose* pose, uint32_t clip, double time);

/// The matrices that snugBody_SetJoints takes: from the mesh to the world, three rows of four numbers for each joint.
/// @param matrices receives 12 * jointCount numbers
/// @return snug_badArgument if the instance has no skin; snug_outOfRange if a number is too large for float32
SNUG_API snugStatus snugPose_GetJoints(const snugPose* pose, uint32_t instance, float* matrices);

/// The matrix of an instance that moves as a whole, three rows of four numbers.
/// @param matrix receives 12 numbers
SNUG_API snugStatus snugPose_GetMatrix(const snugPose* pose, uint32_t instance, double* matrix);

/// How much there is of each morph target.
/// @param weights receives targetCount numbers
SNUG_API snugStatus snugPose_GetTargetWeights(const snugPose* pose, uint32_t instance, double* weights);

/// All vertices in the world: morphed, blended between joints or moved by the matrix, in double precision, rounded
/// once. The plain way, for comparison and for what has no deformer.
/// @param positions receives x, y, z of each vertex
/// @return snug_outOfRange if a coordinate is too large for float32
SNUG_API snugStatus snugPose_GetVertices(const snugPose* pose, uint32_t instance, float* positions);

/// @}

#ifdef __cplusplus
}
#endif

#endif
