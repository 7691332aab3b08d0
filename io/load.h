// io/load.h: what the readers share: the bytes of a file, messages that name a place in it, memory for the asset.
//
// A reader either fills the asset and returns true, or sets the error and returns false; ioLoad then frees what it
// had begun. Readers keep nothing of the bytes.
#ifndef IO_LOAD_H
#define IO_LOAD_H

#include "io/asset.h"
#include "io/polygon.h"

/// Vertices or triangles of a mesh at most: what snug takes, and 6 GB of each.
#define IO_MAX_COUNT 500000000u

/// Radians of a degree.
#define IO_RADIANS 0.017453292519943295

typedef struct ioLoader
{
	const char* path;      ///< for messages
	const char* directory; ///< of the buffers beside a glTF file, "" for the present one; null: none allowed
	const uint8_t* bytes;
	size_t count;
	const ioLoadOptions* options;
	ioAsset* asset;
	ioError* error;
	uint64_t budget; ///< bytes that may still be decoded
	int warnings;
} ioLoader;

/// Set the error to "path: what", or "path:line: what".
/// @return false
bool ioFail(const ioLoader* loader, unsigned long line, const char* format, ...);
bool ioFailMemory(const ioLoader* loader);

/// Pass a warning on: "path: what".
void ioWarn(ioLoader* loader, const char* format, ...);

/// Take from the budget. False, with no error set, if it does not suffice.
bool ioSpend(ioLoader* loader, uint64_t bytes);

/// Zeroed memory that lives as long as the asset.
/// @return null if there is none; never null for a count of 0
void* ioAsset_Allocate(ioAsset* asset, size_t count, size_t size);

/// Let the asset own what malloc gave. On failure it is freed.
bool ioAsset_Adopt(ioAsset* asset, void* block);

/// Copy a name, control characters replaced so that no terminal acts upon them.
/// @return null if there is no memory
const char* ioAsset_CopyName(ioAsset* asset, const char* name);

/// Make the asset one mesh, adopted, with one node and one instance named after the file.
bool ioSetMesh(ioLoader* loader, ioMesh* mesh);

/// Fill nodeOrder, and find the node that is its own ancestor if there is one.
/// @param cyclic receives its number, or IO_NONE
bool ioOrderNodes(ioLoader* loader, uint32_t* cyclic);

/// The unit quaternion x, y, z, w of a rotation, 3 rows of 3.
void ioQuaternionOf(const double turn[9], double quaternion[4]);

/// A file's content, and a zero behind it. Free with free().
/// @param limit bytes that are read at most; SIZE_MAX: all
/// @return null with the error set: it cannot be opened or read, is a directory, is empty, or there is no memory
uint8_t* ioReadFile(const char* path, const char* shownPath, size_t limit, size_t* count, ioError* error);

bool ioReadGltf(ioLoader* loader);
bool ioReadPly(ioLoader* loader);
bool ioReadStl(ioLoader* loader);
bool ioReadOff(ioLoader* loader);
bool ioReadFbx(ioLoader* loader);

/// @defgroup grow Arrays that grow while a file is read
/// @{

/// A mesh under construction, malloc'ed. Zero-initialise.
typedef struct ioMeshBuilder
{
	ioMesh mesh;
	size_t vertexCapacity, triangleCapacity;
	ioPolygons polygons;
} ioMeshBuilder;

/// Free what the builder has made.
void ioMeshBuilder_Free(ioMeshBuilder* builder);

/// Make room for a number of vertices and triangles, exactly.
bool ioMeshBuilder_Reserve(ioMeshBuilder* builder, size_t vertices, size_t triangles);
/// False if there is no memory or there are too many; then say so with ioFailMemory.
bool ioMeshBuilder_AddVertex(ioMeshBuilder* builder, const float position[3]);
bool ioMeshBuilder_AddTriangle(ioMeshBuilder* builder, uint32_t a, uint32_t b, uint32_t c);

/// The triangles from `first` on are a fan: a polygon, which ioMeshBuilder_Finish splits properly.
bool ioMeshBuilder_EndPolygon(ioMeshBuilder* builder, uint32_t firstTriangle);
/// Split the polygons. Sets the error.
bool ioMeshBuilder_Finish(ioMeshBuilder* builder, const ioLoader* loader);

/// @}

#endif
