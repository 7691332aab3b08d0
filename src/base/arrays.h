// src/base/arrays.h: arrays that lie one after the other, described by one list.
//
// What a model stores is a header with counts and then arrays. A list says of each array how many elements it has and
// what they are; how much room all take, where each one is, copying and checking follow from it.
#ifndef SG_ARRAYS_H
#define SG_ARRAYS_H

#include "base/base.h"

/// What elements are, as far as that can be checked without knowing more.
typedef enum sgElements
{
	sgElements_any,    ///< whoever wrote the list checks them
	sgElements_floats, ///< made of floats, of magnitude `limit` at most
	sgElements_index,  ///< integers of 2 or 4 bytes, below `limit`
} sgElements;

typedef struct sgArray
{
	size_t place; ///< in the struct of pointers: offset of the one to this array
	size_t size;  ///< bytes of an element
	uint64_t count;
	sgElements elements;
	double limit;
	const char* fault; ///< what to say of an element that is not within the limit
} sgArray;

/// Start of an entry: which member of a struct of pointers it is, and how many elements there are.
#define SG_ARRAY(type, member, number) \
	.place = offsetof(type, member), .size = sizeof(*((const type*)0)->member), .count = (number)

/// Bytes of a header and the arrays behind it; SG_MAX_SIZE, which sgAllocate refuses, if they are as many or more.
size_t sgArrays_Bytes(size_t header, const sgArray* list, int count);

/// Where the arrays begin, in bytes from the header, each aligned to SG_ALIGNMENT.
void sgArrays_Place(size_t header, const sgArray* list, int count, uint64_t* offsets);

/// Point the members of a struct at the arrays in `data`.
void sgArrays_Bind(size_t header, const sgArray* list, int count, const void* data, void* pointers);

/// Copy arrays to where they belong in `data`, which is zero: those that are not null.
void sgArrays_Write(size_t header, const sgArray* list, int count, const void* pointers, void* data);

/// Check what the list says of the elements.
/// @return null if all is well, or what is wrong
const char* sgArrays_Check(const sgArray* list, int count, const void* pointers);

/// The greatest of some integers, zero of none; and whether all floats are of magnitude `limit` at most, so not NaN.
/// As fast as memory.
uint32_t sgGreatest16(const uint16_t* values, size_t count);
uint32_t sgGreatest32(const uint32_t* values, size_t count);
bool sgAreWithin(const float* values, size_t count, float limit);

#endif
