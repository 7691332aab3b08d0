// test/support/counted.h: counts by other means of what queries do: around the functions that do the work (the
// deformer's, the kernels, and some that the linker wraps) stand others that count their calls and what they were
// called for. Tests that use it are made by snug_add_counting_test.
#ifndef TEST_COUNTED_H
#define TEST_COUNTED_H

#include "support.h"

#include <stdatomic.h>

typedef struct Tally
{
	_Atomic uint64_t bounded;   // nodes, by the deformer or around vertices
	_Atomic uint64_t merged;    // nodes, of those below
	_Atomic uint64_t vertices;  // evaluated; of bodies that have them at hand, placed
	_Atomic uint64_t compared;  // pairs of nodes
	_Atomic uint64_t opened;    // nodes that one-tree walks looked at
	_Atomic uint64_t clipped;   // of those, by the kernel for segments
	_Atomic uint64_t boxPairs;  // pairs of triangles of two leaves whose boxes overlap
	_Atomic uint64_t nearPairs; // whose boxes are near
	_Atomic uint64_t passed;    // triangles of leaves that a segment was compared with
	_Atomic uint64_t passing;   // of those, how many it may pass through
	_Atomic uint64_t exact, beyond, nearest, toPoint, hits, shapes, balls; // calls, of balls triangles
} Tally;

// Have the kernels, and a body's deformer, counted from now on.
void WatchKernels(void);
void Watch(snugBody* body);

// What was counted since it was last taken. Forgets bodies that were watched only with ForgetBodies.
Tally TakeTally(void);
void ForgetBodies(void);

typedef struct Expected
{
	uint64_t volumeTests, triangleTests, exactTests;
} Expected;

// As a query for pairs counts.
Expected ForPairs(const Tally* counted);

// Fails with a message if a query says otherwise. What it says is added to countedTotal, so that zeros everywhere are
// no success.
extern snugCounters countedTotal;
void CheckCounters(
    const char* what, uint64_t seed, const snugCounters* found, const Tally* counted, const Expected* expected);

#endif
