// papers/bdtree/contact_split.h: the binary tree of contact spheres, cut by cut.
//
// Triangles are cut at the median along the axis in which they vary most, unless there is a gap: a sphere around a bar
// and the seat above it would be in contact with whatever is between them. Enough triangles stay on each side of a cut
// that level k has 2^k spheres.
#ifndef PAPERS_CONTACT_SPLIT_H
#define PAPERS_CONTACT_SPLIT_H

#include <stdint.h>

/// A triangle while the tree is made. Whoever makes it sets corners and numbers.
typedef struct contactItem
{
	float corners[3][3];
	uint32_t triangle;   ///< no two are the same: it decides between triangles in the same place
	uint32_t place;      ///< for whoever makes it
	double lower, upper; ///< along the axis of the last cut
	double reach;        ///< the greatest `upper` of this one and those before it
} contactItem;

/// How many levels there are below the root if nodes of up to `leafTriangles` triangles are not cut: the most that
/// leave every node of the last but one more of them, if all cuts were medians.
uint32_t contactSplit_GetDepth(uint32_t triangleCount, uint32_t leafTriangles);

/// Reorder the triangles of a node and cut them in two.
/// @param count at least 2^levels; so there are 2^(levels - 1) in each part
/// @param levels below the node, at least 1
/// @return how many form the first part
uint32_t contactSplit_Cut(contactItem* items, uint32_t count, uint32_t levels);

#endif
