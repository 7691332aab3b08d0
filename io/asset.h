// io/asset.h: what a file of meshes in motion holds, and what it looks like at a time.
//
// An asset is plain data, all of it owned by the asset: meshes, a forest of nodes that place them, skins, clips, and
// the instances, which are the bodies. Readers check everything before it gets here: every index below is in range,
// every number is finite, weights are repaired, nodes have one parent and no cycles.
//
// Formats: glTF 2.0 (.gltf and .glb; see io/gltf.h), FBX (see io/fbx.h), OBJ, PLY, STL and OFF. All but the first two
// hold one mesh, one node and one instance.
//
// Matrices are 3 rows of 4 in double precision, for column vectors: x' = m[0]*x + m[1]*y + m[2]*z + m[3].
#ifndef IO_ASSET_H
#define IO_ASSET_H

#include "io/obj.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// An index that refers to nothing.
#define IO_NONE UINT32_MAX

/// Displacements of some vertices. Vertices that it leaves where they are are not listed.
typedef struct ioMorphTarget
{
	const char* name;         ///< "" if it has none
	const uint32_t* vertices; ///< vertex numbers, ascending
	const float* deltas;      ///< x, y, z of each
	uint32_t count;
} ioMorphTarget;

/// A mesh: the vertices of its primitives one after the other, the triangles in the order of the file.
typedef struct ioAssetMesh
{
	const char* name; ///< "" if it has none
	ioMesh mesh;      ///< owned by the asset: not for ioMesh_Free

	// Influences of vertex v are number influenceStart[v] to influenceStart[v + 1] - 1. Each joint once per vertex;
	// weights positive with sum 1, but for their rounding to float.
	const uint32_t* influenceStart; ///< vertexCount + 1 of them; null if the mesh cannot be skinned
	const uint16_t* joints;         ///< numbers into the joints of the instance's skin
	const float* weights;
	uint32_t maxJoint; ///< highest of `joints`

	const ioMorphTarget* targets;
	uint32_t targetCount;
	const float* targetWeights; ///< default weight of each target; null if there are no targets
} ioAssetMesh;

/// The order in which a node turns about the axes of its parent, as FBX numbers them: first x, then y, then z.
typedef enum ioRotationOrder
{
	io_xyz = 0,
	io_xzy,
	io_yzx,
	io_yxz,
	io_zxy,
	io_zyx,
} ioRotationOrder;

/// What a node takes over from its parent's scale.
typedef enum ioInherit
{
	io_inheritAll = 0, ///< all of the transform, as in glTF
	io_inheritByAxis,  ///< scales multiply axis by axis, behind the rotations (FBX: RrSs)
	io_inheritNoScale, ///< not that of the parent itself, but what the parent took over (FBX: Rrs)
} ioInherit;

/// What FBX has between translation, rotation and scale. Matrices are 3 rows of 3.
/// The local transform is T Ro Rp pre R post Rp^-1 So Sp S Sp^-1 with offsets o and pivots p of rotation and scale.
typedef struct ioPivots
{
	double rotationOffset[3], rotationPivot[3], scalingOffset[3], scalingPivot[3];
	double preRotation[9], postRotation[9]; ///< the latter inverted already
	ioRotationOrder order;
	ioInherit inherit;
} ioPivots;

/// A transform in the forest. Children are moved by their parents.
typedef struct ioNode
{
	const char* name;       ///< "" if it has none
	uint32_t parent;        ///< IO_NONE for a root
	uint32_t mesh;          ///< or IO_NONE
	uint32_t skin;          ///< or IO_NONE; only with a mesh
	bool hasMatrix;         ///< then `matrix` is the local transform, else the product of the three below
	double matrix[12];      ///<
	double translation[3];  ///<
	double rotation[4];     ///< unit quaternion x, y, z, w; with pivots: degrees about x, y, z, and nothing
	double scale[3];        ///<
	const float* weights;   ///< of the mesh's morph targets; null: those of the mesh
	uint32_t firstWeight;   ///< where its morph weights begin in a pose
	const ioPivots* pivots; ///< nullable; never with a matrix
} ioNode;

/// Joints, and where each was when the mesh was bound to it.
typedef struct ioSkin
{
	const char* name;
	const uint32_t* joints;    ///< node numbers
	const double* inverseBind; ///< a matrix per joint
	uint32_t jointCount;
	uint32_t firstJoint; ///< where its joint matrices begin in a pose
} ioSkin;

/// What a channel moves.
typedef enum ioPath
{
	io_translation = 0,
	io_rotation,
	io_scale,
	io_weights,
} ioPath;

/// How a channel gets from key to key.
typedef enum ioInterpolation
{
	io_linear = 0, ///< rotations: spherically, the shorter way
	io_step,
	io_cubicSpline,
} ioInterpolation;

/// One property of one node over time.
typedef struct ioChannel
{
	uint32_t node;
	ioPath path;
	ioInterpolation interpolation;
	uint32_t keyCount;   ///< at least 1
	uint32_t first;      ///< of the path's numbers, the first that it moves: 0 but for those that move one alone
	uint32_t width;      ///< numbers per key: 3, 4 for rotations, the number of targets for weights; 1 for one alone
	const float* times;  ///< seconds, ascending
	const float* values; ///< width per key; for cubic splines in-tangent, value and out-tangent, each of that width
} ioChannel;

/// An animation.
typedef struct ioClip
{
	const char* name; ///< its number if the file gives no name
	double start;     ///< time of the first key of all channels
	double duration;  ///< time of the last one, in seconds from 0
	const ioChannel* channels;
	uint32_t channelCount;
} ioClip;

/// A mesh in a place: what becomes a body. In the order of their nodes' numbers; glTF: those that the default scene
/// holds, or any scene if there is no default, or all nodes if there is no scene.
typedef struct ioInstance
{
	const char* name; ///< of the node, else of the mesh, else "node N"
	uint32_t node;
	uint32_t mesh;
	uint32_t skin; ///< IO_NONE: moved by its node. A skinned instance is moved by its joints, and its node is ignored.
} ioInstance;

/// All of a file. Zero-initialise, or let a load function do it; free with ioAsset_Free. Users of snug_io.h know it as
/// snugAsset, whose inside they do not see.
typedef struct snugAsset
{
	const char* format; ///< "glTF", "OBJ", "PLY", "STL", "OFF" or "FBX"
	const ioAssetMesh* meshes;
	const ioNode* nodes;
	const uint32_t* nodeOrder; ///< all node numbers, parents before their children
	const ioSkin* skins;
	const ioClip* clips;
	const ioInstance* instances;
	uint32_t meshCount, nodeCount, skinCount, clipCount, instanceCount;
	uint32_t jointCount;  ///< of all skins
	uint32_t weightCount; ///< morph weights of all nodes with a mesh

	void** blocks; ///< everything above, for ioAsset_Free
	size_t blockCount, blockCapacity;
} ioAsset;

/// Free what an asset holds and null it.
void ioAsset_Free(ioAsset* asset);

/// @return number of the clip with this name or, failing that, with this number in decimal; IO_NONE if there is none
uint32_t ioAsset_FindClip(const ioAsset* asset, const char* name);

/// @return number of the instance with this name or, failing that, with this number; IO_NONE if there is none
uint32_t ioAsset_FindInstance(const ioAsset* asset, const char* name);

/// @defgroup load Loading
/// @{

typedef enum ioFormat
{
	io_anyFormat = 0, ///< told by the content, or else by the ending of the name; .obj by it alone
	io_gltf,
	io_obj,
	io_ply,
	io_stl,
	io_off,
	io_fbx,
} ioFormat;

/// Receives one readable line that names file and place, without a newline. The text is valid during the call only.
typedef void ioWarningFcn(void* user, const char* text);

/// How to load. Zero means default.
typedef struct ioLoadOptions
{
	ioFormat format;
	ioWarningFcn* warning; ///< nullable; told what was repaired or left out, at most 20 times per file
	void* user;            ///< passed to it
	/// Bytes that may be decoded from a file before it is refused, so that small files cannot claim much: a glTF file
	/// may use one array many times, or sparse ones that are mostly zeros. Default: 64 MiB and 64 times the size of the
	/// file and of the buffers beside it.
	uint64_t maxBytes;
	/// ioLoadMemory only: where the buffers beside a glTF file are. Null: a file that needs them is refused.
	const char* directory;
} ioLoadOptions;

/// Read a file: all of it or nothing. No file, however damaged, does anything but fail with a line that says why.
/// @param options nullable
/// @param asset receives the asset, or zeros
/// @param error receives one line that names file and place: "fox.glb: accessors[3]: …", "a.ply:7: …"
bool ioLoad(const char* path, const ioLoadOptions* options, ioAsset* asset, ioError* error);

/// Read a file's content from memory. OBJ is read from files only.
/// @param name stands for the path in messages; its ending may tell the format
bool ioLoadMemory(
    const void* bytes, size_t count, const char* name, const ioLoadOptions* options, ioAsset* asset, ioError* error);

/// @}

/// @defgroup pose Poses
/// An asset at a time of a clip: the state that a body takes. Not for two threads at once; assets may be shared.
/// @{

typedef struct ioPose ioPose;

/// The product of two 3x3 matrices, row by row.
void ioMultiply3(const double a[9], const double b[9], double out[9]);

/// Make a pose, evaluated at rest. Nothing else below allocates.
/// @return null if there is no memory
ioPose* ioPose_Create(const ioAsset* asset);
/// @param pose nullable
void ioPose_Destroy(ioPose* pose);

/// Go to a time of a clip, or to rest, where every node is as the file has it. Times before a channel's first key or
/// after its last take that key.
/// @param clip number, or IO_NONE for rest
void ioPose_Evaluate(ioPose* pose, uint32_t clip, double time);

/// @return the node's matrix to the world
const double* ioPose_GetNodeMatrix(const ioPose* pose, uint32_t node);

/// Translation, rotation (a unit quaternion) and scale of a node without a matrix, pivots included.
/// @return true if they place it within its parent; false if in the world, since it takes over its parent's scale in a
/// way of its own. What shears it there is left out.
bool ioPose_GetParts(const ioPose* pose, uint32_t node, double translation[3], double rotation[4], double scale[3]);

/// @return for each joint of a skinned instance the matrix from the mesh to the world, its inverse bind matrix included
const double* ioPose_GetJointMatrices(const ioPose* pose, uint32_t instance);

/// @return the weights of the instance's morph targets
const double* ioPose_GetMorphWeights(const ioPose* pose, uint32_t instance);

/// Positions in the world: morphed, then blended between joints or moved by the node, in double precision, rounded to
/// float at the end. The plain way, for reference; snug's deformers are the fast one.
/// @param positions receives x, y, z of each vertex of the instance's mesh
/// @return false if a coordinate is too large for a float or not a number
bool ioPose_EvaluateVertices(const ioPose* pose, uint32_t instance, float* positions);

/// @}

#endif
