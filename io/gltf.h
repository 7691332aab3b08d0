// io/gltf.h: the parts of the glTF 2.0 reader: JSON with places, buffers, accessors, meshes, scene, animations.
//
// Strict: what the specification calls an error is one here where it concerns geometry in motion, with the exceptions
// that are named where they are made. Materials, textures, cameras and lights are not looked at.
//
// Each json value travels with the way that led to it, so that messages name the place: "nodes[3].children[0]". Nothing
// here recurses, and everything decoded is taken from the loader's budget first: neither depth, counts nor arrays
// used many times can do more than be refused.
#ifndef IO_GLTF_H
#define IO_GLTF_H

#include "io/load.h"

#include <jansson.h>

/// A value and its place. Values point at their parents, which must outlive them.
typedef struct gltfValue
{
	const json_t* json; ///< null if there is no such value
	const struct gltfValue* parent;
	const char* key; ///< in an object; null: an element of an array
	size_t index;    ///< in an array
} gltfValue;

/// Part of a text.
typedef struct gltfText
{
	const char* text;
	size_t length;
} gltfText;

typedef struct gltfBuffer
{
	const uint8_t* bytes; ///< null until it is needed
	uint64_t count;
	char* uri;      ///< decoded name of the file beside, if it is one; owned
	uint8_t* owned; ///< nullable
	size_t ownedCount;
	struct gltfBuffer* next; ///< of those that are files beside, each file once
} gltfBuffer;

/// A view that was compressed.
typedef struct gltfView
{
	const uint8_t* bytes; ///< null until it is needed; owned by the asset
	uint64_t count;
} gltfView;

/// What a compressed primitive was unpacked to: its indices, 32 bits each, then its attributes one after the other.
typedef struct gltfUnpacked
{
	const uint8_t* bytes; ///< owned by the asset
	uint32_t vertexCount, indexCount;
	uint32_t vertexSize; ///< bytes of all attributes of a vertex
} gltfUnpacked;

typedef struct gltfReader
{
	ioLoader* loader;
	json_t* json;
	gltfValue root;
	gltfValue accessors, bufferViews, bufferList, meshes, nodes, skins, animations, scenes;
	const uint8_t* binary; ///< the second chunk of a GLB file; nullable
	size_t binaryCount;
	bool isGlb;
	bool quantized;  ///< KHR_mesh_quantization
	bool packedOnly; ///< views compressed by meshoptimizer are not there uncompressed as well
	gltfBuffer* buffers;
	size_t bufferCount;
	gltfView* views;        ///< per view; null until one is compressed
	gltfUnpacked* unpacked; ///< the compressed primitives of all meshes, in their order; null if there are none
	uint32_t unpackedCount; ///<
	uint32_t unpackedUsed;  ///< of those, how many have been read
	gltfBuffer* beside;     ///< the first that is a file beside; nullable
	const float** decoded;  ///< per accessor: its floats, if an animation uses it; owned by the asset
	bool* ascending;        ///< per accessor: its floats were found to be times
	gltfText* dataUris;     ///< those that were kept from the JSON parser: see gltf_json.c
	size_t dataUriCount;
} gltfReader;

// ---- gltf_json.c -----------------------------------------------------------------------------------------------

/// Set the error to "path: place: what".
/// @return false
bool gltfFail(const gltfReader* g, const gltfValue* place, const char* format, ...);
void gltfWarn(const gltfReader* g, const gltfValue* place, const char* format, ...);
/// The place as text, cut if it is too long.
const char* gltfPlace(const gltfValue* value, char text[160]);
/// Take from the budget, or fail with a message that says so.
bool gltfSpend(const gltfReader* g, const gltfValue* place, uint64_t count, uint64_t size);

bool gltfParse(gltfReader* g, const char* text, size_t count);
/// A data URI that stands where `string` does in the file, be it long or short.
gltfText gltfGetDataUri(const gltfReader* g, const char* string);

gltfValue gltfMember(const gltfValue* parent, const char* key);
gltfValue gltfElement(const gltfValue* parent, size_t index);
/// Elements of an array; 0 if there is none.
size_t gltfLength(const gltfValue* array);

/// Fail unless it is an object.
bool gltfExpectObject(const gltfReader* g, const gltfValue* value);
/// A member that is an array, or absent. Empty ones, which the specification forbids, get a warning.
bool gltfReadArray(const gltfReader* g, const gltfValue* parent, const char* key, gltfValue* array);
/// A whole number from `least` to `most`.
bool gltfToCount(const gltfReader* g, const gltfValue* value, uint64_t least, uint64_t most, uint64_t* number);
/// A member that is one. Absent: `absent`, or an error if that is UINT64_MAX.
bool gltfReadCount(const gltfReader* g, const gltfValue* parent, const char* key, uint64_t least, uint64_t most,
    uint64_t absent, uint64_t* number);
/// A member that is an index into a list. Absent: IO_NONE, or an error if it is required.
bool gltfReadIndex(const gltfReader* g, const gltfValue* parent, const char* key, const gltfValue* list, bool required,
    uint32_t* index);
bool gltfToIndex(const gltfReader* g, const gltfValue* value, const gltfValue* list, uint32_t* index);
/// A member that is an array of this many numbers. Absent: `numbers` stay as they are.
bool gltfReadNumbers(
    const gltfReader* g, const gltfValue* parent, const char* key, size_t count, double* numbers, bool* present);

/// The morph weights of a mesh or a node, zeros if it has none; owned by the asset. Null with the error set.
const float* gltfReadWeights(gltfReader* g, const gltfValue* place, uint32_t count);
bool gltfToNumber(const gltfReader* g, const gltfValue* value, double* number);
/// A member that is a string. Absent: null.
bool gltfReadString(const gltfReader* g, const gltfValue* parent, const char* key, const char** string);
/// A name, copied into the asset. Absent: "".
bool gltfReadName(const gltfReader* g, const gltfValue* parent, const char** name);

// ---- gltf_buffer.c, gltf_meshopt.c, gltf_draco.c ------------------------------------------------------------------

/// Find the JSON text and the binary chunk.
bool gltfSplit(gltfReader* g, const char** text, size_t* count);
/// The bytes of a buffer view, with the buffer behind them read or decoded at its first use.
/// @param stride receives the view's, or 0
bool gltfGetView(gltfReader* g, uint32_t view, const uint8_t** bytes, uint64_t* count, uint64_t* stride);
/// The bytes that buffer, byteOffset and byteLength of a place name.
bool gltfGetBytes(gltfReader* g, const gltfValue* place, const uint8_t** bytes, uint64_t* count, uint64_t* stride,
    uint64_t maxStride);
/// Decode a view by what KHR_meshopt_compression or EXT_meshopt_compression says of it. The view stays empty if it
/// cannot be decoded here and is there uncompressed as well.
bool gltfUnpackView(gltfReader* g, const gltfValue* place, gltfView* view);
/// Decode what KHR_draco_mesh_compression has compressed.
bool gltfDecodeDraco(gltfReader* g);
/// What a primitive was unpacked to; null if it is not compressed. Call once for each primitive, in their order.
const gltfUnpacked* gltfNextUnpacked(gltfReader* g, const gltfValue* primitive);
void gltfFreeBuffers(gltfReader* g);

// ---- gltf_accessor.c -------------------------------------------------------------------------------------------

typedef enum gltfComponent
{
	gltf_int8 = 5120,
	gltf_uint8 = 5121,
	gltf_int16 = 5122,
	gltf_uint16 = 5123,
	gltf_uint32 = 5125,
	gltf_float32 = 5126,
} gltfComponent;

/// A checked accessor: everything that it says it has is there.
typedef struct gltfAccessor
{
	uint32_t number;
	uint32_t count;
	int components; ///< 1 scalar, 2 to 4 vectors, 16 a matrix; 5 and 6 are the other matrices, of no use here
	gltfComponent type;
	size_t componentSize;
	bool normalized;
	const uint8_t* bytes; ///< null: zeros
	uint64_t stride;
	uint32_t sparseCount;
	gltfComponent sparseType;
	const uint8_t* sparseIndices;
	const uint8_t* sparseValues;
} gltfAccessor;

bool gltfOpenAccessor(gltfReader* g, uint32_t number, gltfAccessor* accessor);
/// The same without its bytes.
bool gltfDescribeAccessor(gltfReader* g, uint32_t number, gltfAccessor* accessor);
/// All components of all elements, normalised integers made fractions. Counted against the budget by the caller.
bool gltfReadFloats(gltfReader* g, const gltfAccessor* accessor, float* values);
/// The same for unsigned integers.
bool gltfReadIntegers(gltfReader* g, const gltfAccessor* accessor, uint32_t* values);

// ---- gltf_mesh.c, gltf_skin.c, gltf_scene.c, gltf_instancing.c, gltf_animation.c ----------------------------------

/// Fill one mesh of the asset.
bool gltfReadMesh(gltfReader* g, const gltfValue* place, ioAssetMesh* mesh);

/// One primitive of a mesh, of those that have triangles.
typedef struct gltfPrimitive
{
	gltfValue place, attributes;
	uint64_t mode;
	const gltfUnpacked* unpacked; ///< null: it is not compressed
	gltfAccessor positions, indices;
	bool indexed;
	uint32_t firstVertex; ///< in the mesh
	uint32_t triangleCount;
	uint32_t setCount; ///< JOINTS_n and WEIGHTS_n
} gltfPrimitive;

/// Open an attribute: an accessor, or what the primitive was unpacked to.
bool gltfOpenAttribute(gltfReader* g, const gltfPrimitive* p, const char* name, uint32_t number, gltfAccessor* a);
/// Take the number of elements that an accessor was unpacked to for its own, with a warning if that was another.
void gltfCorrectCount(gltfReader* g, const gltfValue* place, gltfAccessor* a, uint32_t count);

/// Fill the influences of a mesh whose primitives all have some.
bool gltfReadInfluences(
    gltfReader* g, const gltfValue* place, gltfPrimitive* primitives, size_t primitiveCount, ioAssetMesh* mesh);
/// Fill the asset's skins.
bool gltfReadSkins(gltfReader* g);

/// Fill the asset's nodes and instances.
bool gltfReadScene(gltfReader* g);
/// How often a node's mesh is there by EXT_mesh_gpu_instancing; 0 if it does not use that.
bool gltfCountCopies(gltfReader* g, const gltfValue* node, uint32_t* count);
/// Fill the nodes that are the copies of a node.
bool gltfMakeCopies(gltfReader* g, uint32_t number, ioNode* nodes, ioNode* copies, uint32_t count);
/// Whether KHR_node_visibility hides a node.
bool gltfReadVisibility(const gltfReader* g, const gltfValue* node, bool* hidden);
/// Fill the asset's clips.
bool gltfReadAnimations(gltfReader* g);

#endif
