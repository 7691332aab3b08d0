// io/grow.h: arrays of malloc's that grow as items come.
#ifndef IO_GROW_H
#define IO_GROW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// Room for `needed` items, and then for half as many more and some.
/// @param array where the address of the items is, of whatever type; null: there are none yet
/// @return false, and all is as it was, if there is no memory
static inline bool ioGrow(void* array, size_t* capacity, size_t needed, size_t size)
{
	if (needed <= *capacity)
	{
		return true;
	}
	void* items;
	memcpy(&items, array, sizeof(items));
	const size_t wanted = needed + needed / 2 + 64;
	items = needed < SIZE_MAX / 2 && wanted <= SIZE_MAX / size ? realloc(items, wanted * size) : NULL;
	if (items != NULL)
	{
		memcpy(array, &items, sizeof(items));
		*capacity = wanted;
	}
	return items != NULL;
}

#endif
