// program/versus.h: what finding contacts costs when everything is deformed first, on the same frames.
#ifndef CLI_VERSUS_H
#define CLI_VERSUS_H

#include "program/tally.h"
#include "share/brute.h"

#define VERSUS_MAX 3

/// A way to find the same pairs. Numbers of pairs are of all frames together.
typedef struct versusRow
{
	char name[96];
	double milliseconds; ///< per frame, the mean: from joint matrices and weights to pairs
	double vertices;     ///< evaluated per frame, the mean
	uint64_t pairs;      ///< that it reports
	uint64_t missed;     ///< that intersect, and are not among them
	uint64_t invented;   ///< among them, though they do not intersect
} versusRow;

typedef struct versus
{
	versusRow rows[VERSUS_MAX]; ///< ours is the first
	int count;
	int frames;        ///< that were measured
	uint64_t vertices; ///< of all bodies
} versus;

/// Another library, which gets all vertices of every frame. As bench/peer.h has it.
typedef struct versusPeer
{
	const char* name;
	void* (*create)(const bruteMesh* meshes, int count);
	void (*destroy)(void* peer);
	void (*update)(void* peer);
	uint64_t (*collide)(void* peer, int a, int b, bool firstOnly, snugPair* pairs, uint64_t capacity);
} versusPeer;

/// Measure this one, too. `snug` links no other library; snug-bench does, and sets it. Null: none.
void versus_SetPeer(const versusPeer* peer);

/// Measure on one thread: ours, all vertices and bounds anew in every frame, and a peer. `snug bench peers` has more
/// libraries. Missed and invented pairs are told by ours, which tests compare with brute force. Prints what is wrong.
bool versus_Run(versus* v, const cliScene* scene, const cliContactOptions* options, const cliTally* tally);

#endif
