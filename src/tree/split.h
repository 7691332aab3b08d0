// src/tree/split.h: where to cut a set of triangles in two.
#ifndef SG_SPLIT_H
#define SG_SPLIT_H

#include "geometry/box.h"

/// One triangle while the tree is built: its box, its number, and its place along the axis being cut.
typedef struct sgBuildItem
{
	float lower[3];
	float key;
	float upper[3];
	uint32_t triangle;
} SG_ALIGN(32) sgBuildItem;

/// Reorder `items` and return how many, between 1 and count - 1, form the first part. One of the parts is a multiple of
/// `unit`; ties are broken by triangle number, so equal triangles are no trouble.
/// @param count more than unit
uint32_t sgSplit(sgBuildItem* items, uint32_t count, uint32_t unit);

/// Set keys to where boxes' centres are along the axis on which these vary most.
void sgFindPrincipalKeys(sgBuildItem* items, uint32_t count);

/// Reorder `items` so that none before `place` comes after any from it on, by key, then by triangle.
void sgSelectPlace(sgBuildItem* items, uint32_t count, uint32_t place);

#endif
