// solvers/hoard.h: memory that is taken piece by piece, looked at once to see whether there was enough, and freed at
// once; and arrays that grow.
#ifndef SIM_HOARD_H
#define SIM_HOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// A piece begins with where the next one is.
typedef union simPiece
{
	union simPiece* next;
	max_align_t alignment;
} simPiece;

/// Zeroed, it has nothing.
typedef struct simHoard
{
	simPiece* pieces;
	bool isShort; ///< there was no memory for some piece
} simHoard;

/// @param size of each, not zero
/// @return zeros, aligned for anything; null, and the hoard is short from now on, if there is no memory
static inline void* simHoard_Take(simHoard* hoard, size_t count, size_t size)
{
	simPiece* piece = count < SIZE_MAX / size - sizeof(simPiece) ? calloc(1, sizeof(simPiece) + count * size) : NULL;
	if (piece == NULL)
	{
		hoard->isShort = true;
		return NULL;
	}
	piece->next = hoard->pieces;
	hoard->pieces = piece;
	return piece + 1;
}

static inline void simHoard_Free(simHoard* hoard)
{
	while (hoard->pieces != NULL)
	{
		simPiece* piece = hoard->pieces;
		hoard->pieces = piece->next;
		free(piece);
	}
}

/// Room for `needed` items in an array of malloc's, and then for half as many more and some.
/// @param array where the address of the items is, of whatever type; null: there are none yet
/// @return false, and all is as it was, if there is no memory
static inline bool simGrow(void* array, size_t* capacity, size_t needed, size_t size)
{
	if (needed <= *capacity)
	{
		return true;
	}
	void* items;
	memcpy(&items, array, sizeof(items));
	const size_t wanted = needed + needed / 2 + 256;
	items = needed < SIZE_MAX / 2 && wanted <= SIZE_MAX / size ? realloc(items, wanted * size) : NULL;
	if (items != NULL)
	{
		memcpy(array, &items, sizeof(items));
		*capacity = wanted;
	}
	return items != NULL;
}

#endif
