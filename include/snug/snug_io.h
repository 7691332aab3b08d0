// snug_io: files of meshes in motion become bodies that move. Library snugio.
//
// Two ideas:
// - A snugAsset is a file: instances of meshes with their skins, morph targets and the clips that move them.
//   Immutable, shared by actors and threads.
// - A snugActor is what becomes of it: a body for each instance, posed together at a time of a clip.
//
// Formats: glTF 2.0 (.gltf and .glb, also compressed where the library was built with what decodes it), FBX 7.0 and
// later, OBJ, PLY, STL, OFF. FBX files come in metres with y up, as glTF files are.
//
// The rules of snug.h hold here too: zero means default, structs end in reserved members, failures are a status with a
// sentence through the messenger, nothing is printed. No file, however damaged, does anything but fail.
#ifndef SNUG_SNUG_IO_H
#define SNUG_SNUG_IO_H

#include <snug/snug.h>

#ifdef __cplusplus
extern "C"
{
#endif

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

/// How much an asset has of these.
typedef struct snugAssetInfo
{
	uint32_t instanceCount;
	uint32_t clipCount;
	uint64_t reserved[4];
} snugAssetInfo;

SNUG_API snugAssetInfo snugAsset_GetInfo(const snugAsset* asset);
/// @return snug_badArgument if there is no such instance
SNUG_API snugStatus snugAsset_GetInstance(const snugAsset* asset, uint32_t instance, snugInstance* info);
/// @return snug_badArgument if there is no such clip
SNUG_API snugStatus snugAsset_GetClip(const snugAsset* asset, uint32_t clip, snugClip* info);
/// @return the clip with a name or, failing that, with this number in decimal; SNUG_NONE if there is none
SNUG_API uint32_t snugAsset_FindClip(const snugAsset* asset, const char* name);

/// @return a joint's name, "" if it has none, null if there is no such joint
SNUG_API const char* snugAsset_GetJointName(const snugAsset* asset, uint32_t instance, uint32_t joint);
/// @return a morph target's name, "" if it has none, null if there is no such target
SNUG_API const char* snugAsset_GetTargetName(const snugAsset* asset, uint32_t instance, uint32_t target);

/// @}

/// @defgroup actor Actors
/// Threads: one at a time per actor, counting all use of its bodies. Actors may share an asset, which must outlive
/// them.
/// @{

typedef struct snugActor snugActor;

/// What to make of an asset. Zero means default.
typedef struct snugActorDef
{
	const uint32_t* instances; ///< nullable; those that become bodies, in this order. Default: all
	uint32_t instanceCount;    ///<
	/// Nullable; the clips that it will be asked for, besides rest. Default: all. Nodes that none of them moves are
	/// not made to move, which is faster, and so are morph targets.
	const uint32_t* clips;
	uint32_t clipCount;    ///<
	bool allTargets;       ///< make fields of morph targets that nothing moves, too: for amplitudes of your own
	snugBlending blending; ///< of skins
	/// Nullable; an actor of the same asset, made with the same values of what is above: its models are used instead of
	/// new ones. It must outlive this one.
	const snugActor* twin;
	snugStrategy strategy; ///< of the bodies
	snugPool* pool;        ///< of the bodies; nullable; borrowed, must outlive the actor
	/// Told of errors and warnings: of making models and bodies, and by every function of the bodies.
	snugMessenger messenger;
	bool certificates;         ///< of what morph targets alone move: as in snugModelDef
	snugWorkers workers;       ///< share the work of making models: as in snugModelDef
	snugProgressFcn* progress; ///< nullable; of making certificates: as in snugModelDef
	void* progressUser;        ///< passed to `progress`
	uint64_t reserved[3];
} snugActorDef;

/// Make bodies of an asset, at rest. Each gets the model that suits what moves it: joints, its node, morph targets.
/// SetTime allocates nothing.
/// @param def nullable
/// @param actor receives the actor, or null
/// @return snug_outOfMemory; snug_badArgument for null pointers, a number that the asset does not have, no
/// blending that there is or a definition that was not initialised; or what snugModel_Create and snugBody_Create return
SNUG_API snugStatus snugActor_Create(const snugAsset* asset, const snugActorDef* def, snugActor** actor);

/// Its bodies go with it.
/// @param actor nullable
SNUG_API void snugActor_Destroy(snugActor* actor);

/// Its bodies, one per instance. They stay the actor's: ask them, put them into scenes, but leave their poses to
/// SetTime.
/// @param count receives how many there are
SNUG_API snugBody* const* snugActor_GetBodies(const snugActor* actor, uint32_t* count);

/// Go to a time of a clip. Before a channel's first key and after its last one that key holds. Vertices are computed
/// only of what morphs on a node whose scale changes; queries compute the others where they need them.
/// @param clip number, or SNUG_NONE for rest
/// @param frame nullable; where the whole actor is. Default: as in the file
/// @return snug_badArgument if there is no such clip, it is not one of the definition's, or the time is not finite;
/// or what the body that was posed last returned: those after it have not moved
SNUG_API snugStatus snugActor_SetTime(snugActor* actor, uint32_t clip, double time, const snugFrame* frame);

/// Make the model of an instance that stands alone, as `snug pack` writes it. A skin's is the mesh before any joint or
/// morph target moves it; any other is where its node puts it at rest, with the weights of its targets at rest. Morph
/// targets are fields: amplitudes are their weights with a skin, without one they are added to those at rest.
/// @param def nullable; of which `blending`, `certificates`, `workers`, `progress` and `messenger` count
/// @param model receives the model, for snugModel_Destroy, or null
/// @return as snugActor_Create
SNUG_API snugStatus snugAsset_CreateModel(
    const snugAsset* asset, uint32_t instance, const snugActorDef* def, snugModel** model);

/// @}

#ifdef __cplusplus
}
#endif

#endif
