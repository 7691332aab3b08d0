// program/check/kept.h: frames that a page shows, with the triangles that touch: what the run found, not looked for
// again.
#ifndef CLI_KEPT_H
#define CLI_KEPT_H

#include "program/check/contacts.h"

typedef struct cliKeptFrame
{
	uint64_t frame;
	double time;
	uint64_t pairs;
	double depth;       ///< zero if it does not count
	uint64_t* touching; ///< triangles, ascending: their body << 32 | their number
	size_t count;
} cliKeptFrame;

/// Frames evenly spread over a run, and the worst: the first with the most pairs, or if depth counts the deepest.
/// Memory does not grow with the run.
typedef struct cliKept
{
	cliKeptFrame* frames; ///< ascending, once it is finished
	size_t count;
	size_t worst;
	uint64_t total, limit, mostPairs;
	double mostDepth;
	bool byDepth;       ///< depth counts
	cliKeptFrame extra; ///< the worst so far, if it is not among the others
} cliKept;

/// @param total frames of the run @param limit frames to be kept, beside the worst
/// @return false if there is no memory; free with cliKept_Free in any case
bool cliKept_Begin(cliKept* kept, uint64_t total, uint64_t limit);

/// Show it the next frame.
/// @return false if there is no memory
bool cliKept_Add(cliKept* kept, uint64_t frame, double time, const cliContacts* contacts);
void cliKept_Finish(cliKept* kept);
void cliKept_Free(cliKept* kept);

/// For qsort: of uint64_t.
int cliCompareKeys(const void* first, const void* second);

#endif
