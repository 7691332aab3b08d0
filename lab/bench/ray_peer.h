// lab/bench/ray_peer.h: another library that casts rays at a posed mesh.
#ifndef BENCH_RAY_PEER_H
#define BENCH_RAY_PEER_H

#include "program/check/brute.h"

#ifdef __cplusplus
extern "C"
{
#endif

#define BENCH_NO_TRIANGLE 0xffffffffu

typedef struct benchRayPeer
{
	const char* version; ///< null: not installed, and there are no functions

	/// The positions are borrowed, and read by every update. One float after the last may be read too.
	/// @return null if there is no memory, or the library fails
	void* (*create)(const bruteMesh* mesh, uint32_t vertexCount);
	void (*destroy)(void* peer);

	/// Bring its tree up to date after the positions changed.
	void (*update)(void* peer);

	/// @return the triangle that a segment hits first, or BENCH_NO_TRIANGLE
	uint32_t (*cast)(void* peer, const float from[3], const float to[3]);
} benchRayPeer;

extern const benchRayPeer benchRaysEmbree;

#ifdef __cplusplus
}
#endif

#endif
