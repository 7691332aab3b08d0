// lab/bench/peer.h: other ways to find the intersecting pairs of posed meshes: other libraries, and a plain tree; and
// what of other libraries casts rays, or finds boxes that overlap.
//
// A peer gets all vertices of every frame, brings its trees up to date and finds pairs. Peers are used as their manuals
// say, on one thread, and tuned in good faith; what each of them does is said in its file. They need not find the same
// pairs: what they miss and invent is counted beside every time. Where a library was not there when snug-lab was
// built, its peer has no functions, and says how to get it.
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "program/check/brute.h"

#ifdef __cplusplus
extern "C"
{
#endif

typedef struct benchPeer
{
	const char* package; ///< that has it; null: part of this program
	const char* version; ///< null: not installed

	/// The positions are borrowed, and read by every update and query. One float after the last may be read too.
	/// @return null if there is no memory, or the library fails
	void* (*create)(const bruteMesh* meshes, int count);
	void (*destroy)(void* peer);

	/// Bring all trees up to date after the positions changed.
	void (*update)(void* peer);

	/// Find pairs of two meshes, in any order.
	/// @param firstOnly one is enough
	/// @return number found, possibly above capacity
	uint64_t (*collide)(void* peer, int a, int b, bool firstOnly, snugPair* pairs, uint64_t capacity);
} benchPeer;

#define BENCH_NO_TRIANGLE 0xffffffffu

/// Casts rays at a posed mesh.
typedef struct benchRayPeer
{
	const char* version; ///< null: not installed, and there are no functions

	/// Borrows positions as a benchPeer does. @return null if there is no memory, or the library fails
	void* (*create)(const bruteMesh* mesh, uint32_t vertexCount);
	void (*destroy)(void* peer);

	/// Bring its tree up to date after the positions changed.
	void (*update)(void* peer);

	/// @return the triangle that a segment hits first, or BENCH_NO_TRIANGLE
	uint32_t (*cast)(void* peer, const float from[3], const float to[3]);
} benchRayPeer;

/// Finds when a mesh that is moved without turning first meets another one, which rests.
typedef struct benchSweepPeer
{
	const char* version; ///< null: not installed, and there are no functions

	/// @return null if there is no memory, or the library fails
	void* (*create)(const bruteMesh meshes[2]);
	void (*destroy)(void* peer);

	/// @return the part of the way after which they meet; above 1 if they do not
	double (*sweep)(void* peer, const double from[3], const double to[3]);
} benchSweepPeer;

/// A broad phase, on boxes that all change in every frame.
typedef struct benchBroadPeer
{
	const char* name;
	void* (*create)(uint32_t count); ///< null: not installed, and there are no functions
	void (*destroy)(void* peer);

	/// Take new boxes, lower x y z and upper x y z of each. @return how many pairs of them overlap
	uint64_t (*update)(void* peer, const float* boxes);
} benchBroadPeer;

extern const benchPeer benchPeerPlain;
extern const benchPeer benchPeerEmbree;
extern const benchPeer benchPeerFcl;
extern const benchPeer benchPeerBullet;
extern const benchPeer benchPeerOde;
extern const benchPeer benchPeerCgal;
extern const benchRayPeer benchRaysEmbree;
extern const benchSweepPeer benchSweepFcl;
extern const benchBroadPeer benchBroadFcl;
extern const benchBroadPeer benchBroadBullet;

#ifdef __cplusplus
}
#endif

#endif
