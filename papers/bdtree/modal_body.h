// papers/bdtree/modal_body.h: bodies with vibration modes, and what they do.
#ifndef PAPERS_MODAL_BODY_H
#define PAPERS_MODAL_BODY_H

#include "papers/bdtree/fielded.h"

/// Modes and frames of every body.
#define BENCH_MODES 10
#define BENCH_MODAL_FRAMES 60

typedef struct benchModalBody
{
	char name[32];
	sceneMesh mesh;
	float* fields;       ///< (BENCH_MODES * vertexCount * 3)
	double* frequencies; ///< (BENCH_MODES)
	double sides[3];     ///< of its box
	double length;       ///< the longest of them
	float* amplitudes;   ///< (BENCH_MODAL_FRAMES * BENCH_MODES)
} benchModalBody;

/// Compute the modes of a mesh, which is taken; it does not vibrate yet. Parts that are far apart need larger cells, so
/// that finer ones are tried first.
/// @return false, with the report failed, if something goes wrong
bool benchModalBody_Create(benchModalBody* body, const char* name, sceneMesh mesh, benchReport* report);
void benchModalBody_Free(benchModalBody* body);

/// Let it vibrate in all modes, each at its own frequency and with amplitudes inverse to it, as at equal energies: a
/// sixtieth of the lowest mode's period from frame to frame.
/// @param size of the lowest mode's amplitude, relative to the length of the body
void benchModalBody_Vibrate(benchModalBody* body, double size);

/// @return the longest displacement in any frame, relative to the length
double benchModalBody_FindReach(const benchModalBody* body);

benchActor benchModalBody_GetActor(const benchModalBody* body);

/// Table: traversals that stop at a level, of one body twice, the second placed.
/// @param places (BENCH_MODAL_FRAMES)
void benchModalContacts(benchReport* report, const benchModalBody* body, const snugFrame* places);

/// Tables: the tightness of a ball that shrinks, a limit of BD spheres that the paper names.
void benchShrinking(benchReport* report);

#endif
