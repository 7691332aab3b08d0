// io/import.h: foreign decoders, which run in a program of their own, snug-import.
//
// Why not here: they are not made for files that mean harm. In a process of its own, with limits for memory and time, a
// decoder that crashes or runs away ends in an error that names the file. What it answers is checked like a file.
//
// The request, on standard input, all numbers 32 bits in little-endian: IMPORT_MAGIC; the number of meshes; of each the
// number of its bytes and these, and the number of attributes with of each its id, its type (as glTF numbers them) and
// its components. The answer, on standard output: IMPORT_MAGIC, then for each mesh the number of its vertices and that
// of its indices, the indices, 32 bits each, and the attributes one after the other, packed. An error is a line on
// standard output that does not begin with IMPORT_MAGIC.
#ifndef IO_IMPORT_H
#define IO_IMPORT_H

#define IMPORT_MAGIC 0x32474e53u // "SNG2"
#define IMPORT_PROGRAM "snug-import"

// Limits of the helper.
#define IMPORT_MAX_BYTES ((uint64_t)2 << 30)
#define IMPORT_MAX_SECONDS 60

#ifndef __cplusplus
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Run the helper.
/// @param most bytes of an answer; more are an error
/// @param count receives the number of its bytes
/// @param reason receives a sentence, if it fails
/// @return the answer without IMPORT_MAGIC, to be freed; null if it fails
uint8_t* ioImport(const void* request, size_t requestCount, size_t most, size_t* count, char reason[160]);

#endif
#endif
