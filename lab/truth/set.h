// lab/truth/set.h: the files of a truth set: questions, and answers to them (docs/truth.md has the format).
//
// Read from memory, whole, and checked before anything is believed: sizes, numbers and the hash. Files are in
// little-endian order, as are the machines that this is built for.
#ifndef TRUTH_SET_H
#define TRUTH_SET_H

#include "snug/snug.h"

#include <stdio.h>

typedef enum truthKind
{
	truth_pairs = 1,        ///< pairs of triangles
	truth_frames = 2,       ///< two bodies through some frames
	truth_pairAnswers = 3,  ///< a bit per pair
	truth_frameAnswers = 4, ///< the intersecting pairs of every frame
} truthKind;

#define TRUTH_NAME 32

/// Pairs that are hard for one reason.
typedef struct truthFamily
{
	char name[TRUTH_NAME];
	uint64_t first, count;
} truthFamily;

/// A body, as the file has it. Pointers lead into the file.
typedef struct truthBody
{
	char name[TRUTH_NAME];
	uint32_t vertexCount, triangleCount;
	uint32_t jointCount, influenceCount; ///< zero: no poses, only positions
	const uint8_t* rest;                 ///< floats (3 * vertexCount)
	const uint8_t* triangles;            ///< uint32_t (3 * triangleCount)
	const uint8_t* starts;               ///< uint32_t (vertexCount + 1), if there are joints
	const uint8_t* joints;               ///< uint32_t (influenceCount)
	const uint8_t* weights;              ///< floats (influenceCount)
} truthBody;

#define TRUTH_BODIES 2

/// A file that was checked. Pointers lead into it.
typedef struct truthFile
{
	truthKind kind;
	uint64_t hash;     ///< of what follows the header
	uint64_t question; ///< of answers: the hash of the file that they are for
	uint64_t count;    ///< pairs or frames
	uint32_t familyCount;
	const uint8_t* families; ///< (familyCount) truthFamily
	const uint8_t* pairs;    ///< floats (18 * count)
	truthBody bodies[TRUTH_BODIES];
	const uint8_t* frames; ///< see truthFile_GetPositions
	size_t frameBytes;
	const uint8_t* answers; ///< bits, or count and pairs of each frame
	const uint8_t* end;
} truthFile;

/// @param error receives a sentence if the file is not one, is damaged, or does not hold together
bool truthFile_Parse(truthFile* file, const uint8_t* bytes, size_t size, char error[160]);

truthFamily truthFile_GetFamily(const truthFile* file, uint32_t family);

/// @return whether the answer to a pair is yes
bool truthFile_GetBit(const truthFile* file, uint64_t pair);

/// @return floats (3 * vertexCount) of a body in a frame, placed; not aligned
const uint8_t* truthFile_GetPositions(const truthFile* file, uint64_t frame, int body);

/// Go through the frames of answers.
/// @param at null at first, then what was returned
/// @param pairs receives the frame's pairs, not aligned; @param count receives how many
/// @return null after the last frame
const uint8_t* truthFile_NextFrame(const truthFile* file, const uint8_t* at, const uint8_t** pairs, uint64_t* count);

/// A file under construction. The stream must be one that can be repositioned.
typedef struct truthWriter
{
	FILE* stream;
	truthKind kind;
	uint64_t question, count, hash;
	uint32_t parts;
	bool failed;
} truthWriter;

void truthWriter_Begin(
    truthWriter* writer, FILE* stream, truthKind kind, uint64_t question, uint64_t count, uint32_t parts);
void truthWriter_Add(truthWriter* writer, const void* bytes, size_t size);

/// Write the header, now that the hash is known.
/// @return false if something could not be written
bool truthWriter_End(truthWriter* writer);

#define TRUTH_HASH_START 0xcbf29ce484222325u

/// FNV-1a, 64 bits.
uint64_t truthHash(uint64_t hash, const void* bytes, size_t size);

#endif
