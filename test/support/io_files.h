// test/support/io_files.h: files made in memory for the tests of the readers, which are the seeds of their fuzzers too.
#ifndef TEST_IO_FILES_H
#define TEST_IO_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes that grow. Lack of memory ends the process.
typedef struct Bytes
{
	uint8_t* data; // followed by a zero, so that text is a string
	size_t count, capacity;
} Bytes;

void Bytes_Add(Bytes* bytes, const void* data, size_t count);
void Bytes_Print(Bytes* bytes, const char* format, ...);
void Bytes_Free(Bytes* bytes);

/// Ends the program if it cannot be written.
void WriteFile(const char* path, const void* data, size_t count);

// --- glTF ---------------------------------------------------------------------------------------------------------

enum
{
	gltf_sections = 9
};

// A glTF file under construction: the lists of its JSON as text, and one buffer.
typedef struct Gltf
{
	Bytes sections[gltf_sections];
	int counts[gltf_sections];
	Bytes root; // further members of the file, each with a comma before it
	Bytes binary;
} Gltf;

// Component types.
enum
{
	type_int8 = 5120,
	type_uint8,
	type_int16,
	type_uint16,
	type_uint32 = 5125,
	type_float = 5126,
};

// Append an element to a list such as "nodes". Quotation marks are written as ', since C wants \".
int Gltf_Add(Gltf* gltf, const char* section, const char* format, ...);
// Append a view of data, aligned to 4 bytes; stride 0: none given.
int Gltf_AddView(Gltf* gltf, const void* data, size_t count, int stride);
// Append a packed accessor with a view of its own. `type` is "SCALAR" and so on.
int Gltf_AddArray(Gltf* gltf, const char* type, int componentType, bool normalized, int count, const void* data);
// Append a mesh of these triangles, with further attributes and members as text, as in ",'JOINTS_0':3" or null.
int Gltf_AddMesh(Gltf* gltf, int vertexCount, const float* positions, int indexCount, const uint16_t* indices,
    const char* attributes, const char* primitive, const char* mesh);
// Further members of the file, as in ",'scene':0".
void Gltf_AddRoot(Gltf* gltf, const char* text);

// --- meshoptimizer's streams ---------------------------------------------------------------------------------------
// By the text of KHR_meshopt_compression, as plain as they can be: nothing becomes smaller. No library makes them.

// Elements in mode ATTRIBUTES, version 0: up to 16 of up to 256 bytes.
Bytes PackAttributes(int count, int stride, const void* elements);
// Indices in mode TRIANGLES, or INDICES.
Bytes PackIndices(bool triangles, int count, const uint16_t* indices);
// Append three views: of packed bytes, which are freed, of what they are unpacked, and one that says both. That is the
// last. `extension` is "KHR" or "EXT"; `filter` is nullable.
int Gltf_AddPacked(Gltf* gltf, const char* extension, Bytes packed, int count, int stride, const char* mode,
    const char* filter, const void* plain);

// The file. `uri` names the buffer; null: the binary chunk of a GLB file; "data:": inside the JSON, as base64.
Bytes Gltf_Make(const Gltf* gltf, const char* uri);
// A GLB file of any JSON and binary chunk.
Bytes MakeGlb(const char* json, size_t jsonCount, const Bytes* binary);
void Gltf_Free(Gltf* gltf);

// --- Actors -------------------------------------------------------------------------------------------------------

// Instances of the troupe: a body for everything that can move one, by the clips `act` and `walk`.
enum
{
	actScaled, // where it stays, by a node that scales: its mesh is its own
	actTurned,
	actMirrored, // these four share a mesh
	actPulsing,
	actCarried,
	actSkinned,
	actMorphedSkin,
	actMorphed,
	actMorphedScaled,
	actMorphedPulsing,
	actIdle, // its targets have no weight in any clip
	actCount
};

// A mesh of five vertices, in all of them.
extern const float troupeMesh[15];
Gltf MakeGltfTroupe(void);

// --- Samples ------------------------------------------------------------------------------------------------------

// A small file of one of the readers' formats that uses much of what the format has.
typedef struct Sample
{
	const char* format; // "gltf", "obj", "ply", "stl", "off"
	const char* name;   // with the usual ending
	Bytes bytes;
} Sample;

// All samples.
// @return how many; free each one's bytes
int MakeSamples(Sample samples[32]);

#endif
