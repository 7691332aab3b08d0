// program/check/regions.h: which joint moves a triangle most: what an animator calls a part of the body.
//
// A region is a node of a file: the joint with the most weight at the corners of a triangle, or the node of a body that
// has no skin. A packed model, which has no nodes, is one region.
#ifndef CLI_REGIONS_H
#define CLI_REGIONS_H

#include "program/check/contacts.h"

typedef struct cliRegions
{
	const cliScene* scene;
	uint32_t* first;  ///< (fileCount) number of each file's first region
	uint32_t** nodes; ///< (partCount) per part: null, or the node of each triangle
} cliRegions;

/// @return false if there is no memory; free with cliRegions_Free in any case
bool cliRegions_Create(cliRegions* regions, const cliScene* scene);
void cliRegions_Free(cliRegions* regions);

/// @return how many regions there are
uint32_t cliRegions_Count(const cliRegions* regions);

/// @return number of the region that a triangle of a part belongs to
uint32_t cliRegions_Get(const cliRegions* regions, int part, uint32_t triangle);

/// @return the regions of a pair as one number, the lower one in front
uint64_t cliRegions_GetKey(const cliRegions* regions, const cliPair* pair);

/// @return number of the file that a region is of
int cliRegions_GetFile(const cliRegions* regions, uint32_t region);

/// Its name as the file has it, or "node N"; of a packed model, its file's name.
void cliRegions_GetName(const cliRegions* regions, uint32_t region, char* name, size_t size);

/// For people: without what all joints of its file begin with, as in `mixamorig:Hips`.
void cliRegions_GetShortName(const cliRegions* regions, uint32_t region, char* name, size_t size);

#endif
