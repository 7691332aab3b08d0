// test/support/fbx_files.h: FBX files made in memory, as text or binary, for the tests of the reader and the seeds of
// its fuzzer.
#ifndef TEST_FBX_FILES_H
#define TEST_FBX_FILES_H

#include "io_files.h"

// A file under construction. Records are begun, given values, opened for children, and ended.
typedef struct Fbx
{
	Bytes bytes;
	bool binary, deflated, bits; // bits: floats of curves are written as the integers that their bits are
	int depth, values;
	bool opened[16];
	size_t starts[16]; // of the records that are open
	uint32_t version;
} Fbx;

Fbx Fbx_Start(bool binary, uint32_t version);
// The same with a header that says which clock the file has: a definition of 127 is the one without a word; -1: no
// word.
Fbx Fbx_StartClock(bool binary, uint32_t version, int headerVersion, int definition);
void Fbx_Begin(Fbx* f, const char* name);
void Fbx_End(Fbx* f);
void Fbx_Integer(Fbx* f, int64_t value);
void Fbx_Number(Fbx* f, double value);
void Fbx_String(Fbx* f, const char* text);
// A name with its class, "Model::Arm" in text.
void Fbx_Name(Fbx* f, const char* name, const char* class);

// Whole records: a value, an array, a property of up to three numbers.
void Fbx_AddInteger(Fbx* f, const char* name, int64_t value);
void Fbx_AddNumbers(Fbx* f, const char* name, int count, const double* values);
void Fbx_AddIntegers(Fbx* f, const char* name, int count, const int64_t* values);
void Fbx_AddProperty(Fbx* f, const char* name, int count, const double* values);
void Fbx_AddConnection(Fbx* f, int64_t child, int64_t owner, const char* property);
// The beginning of an object, and its list of properties, which are to be ended.
void Fbx_BeginObject(Fbx* f, const char* record, int64_t id, const char* name, const char* class, const char* kind);
// A curve of straight spans, or of cubic ones with these slopes on both sides of each key; times in seconds.
void Fbx_AddCurve(Fbx* f, int64_t id, int count, const double* times, const double* values, const double* slopes);
// Kinds of keys, each for the span behind it.
enum
{
	fbx_constantKey = 0x2,       // the value of the key
	fbx_constantNextKey = 0x102, // of the next one
	fbx_linearKey = 0x4,
	fbx_cubicKey = 0x408, // with slopes of its own
	fbx_autoKey = 0x108,  // cubic, with slopes that follow from its neighbours
};
// A curve of any kinds of spans; slopes matter where they are cubic.
void Fbx_AddKeys(Fbx* f, int64_t id, int count, const double* times, const double* values, const double* slopes,
    const int64_t* flags);
// The same from what the format has for each key: four numbers. `after`: the letter of its post-extrapolation, or 0.
void Fbx_AddRawKeys(Fbx* f, int64_t id, int count, const double* times, const double* values, const double* data,
    const int64_t* flags, int after);

// The file. The Fbx is used up.
Bytes Fbx_Finish(Fbx* f);

// A file with a bit of everything: two joints with pivots, a skin, a blend shape, a clip.
Bytes Fbx_MakeSample(bool binary, uint32_t version);
// The same, binary, its arrays as zlib writes what it cannot compress.
Bytes Fbx_MakeDeflated(uint32_t version);
// The same, text, slopes of curves as bits.
Bytes Fbx_MakeBits(void);

#endif
