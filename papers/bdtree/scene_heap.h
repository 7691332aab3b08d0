// papers/bdtree/scene_heap.h: a world of bodies that fall and touch (papers/bdtree/world.h), frame by frame: contacts,
// spheres of a level coloured by how much they have grown, which of them were updated; and the page that shows them.
#ifndef PAPERS_SCENE_HEAP_H
#define PAPERS_SCENE_HEAP_H

#include "solvers/sim.h"

#include <stdio.h>

typedef struct heapDef
{
	const char* name; ///< chairs or bridge
	int frames;       ///< zero: default
	int bodyCount;    ///< likewise
	int kind;         ///< chairs: simChairsKind
	int seed;
	int threads; ///< default 1
} heapDef;

typedef struct heap heap;

/// @return whether a scene of that name is one of these
bool heap_Has(const char* name);

/// @return null, with the error set, if it cannot be made
heap* heap_Create(const heapDef* def, simError* error);
void heap_Destroy(heap* h);

/// How many frames there will be.
int heap_GetGoal(const heap* h);

/// Simulate one frame, and record it.
bool heap_RunFrame(heap* h, simError* error);

void heap_PrintHead(const heap* h, FILE* stream);
void heap_PrintRow(const heap* h, FILE* stream); ///< of the last frame
void heap_PrintSummary(const heap* h, FILE* stream);
void heap_PrintPage(const heap* h, FILE* stream);

void heap_WriteState(const heap* h, FILE* stream);
bool heap_ReadState(heap* h, FILE* stream, simError* error);

#endif
