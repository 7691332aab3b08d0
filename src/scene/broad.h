// src/scene/broad.h: which boxes overlap: a tree of eight children per node over boxes in Morton order.
//
// Boxes are numbered by their owner. Places are in Morton order of the boxes' centres; eight places are a group, eight
// groups a group of the level above. The tree is refitted, and sorted again when its boxes have grown by a third of
// what they were after the last sorting, all levels together. There are no fat boxes and no thresholds of motion: the
// pairs found depend on the boxes alone.
//
// What did not change since last time is passive: pairs of passive boxes are not found, since their owner knows them.
#ifndef SG_BROAD_H
#define SG_BROAD_H

#include "geometry/box_kernels.h"
#include "tree/tree.h"

/// Enough for 2^32 boxes.
#define SG_BROAD_LEVELS 12

/// Room for `capacity` boxes, whose memory is the owner's.
typedef struct sgBroad
{
	uint32_t* order;    ///< (capacity): box at a place; SG_NONE: it was removed
	uint32_t* places;   ///< (capacity): place of a box, by number
	sgBoxLanes* groups; ///< (sgBroad_GroupCount): of all levels, the lowest first
	uint8_t* active;    ///< (the same): lanes below which something is active
	uint64_t* keys;     ///< (2 * capacity): scratch
	uint32_t capacity;
	uint32_t count;  ///< places in use
	uint32_t holes;  ///< of those, how many lost their box
	uint32_t levels; ///< the top one has a single group
	uint32_t starts[SG_BROAD_LEVELS];
	double area;    ///< after the last sorting
	bool isChanged; ///< boxes came or went since the last refit
	bool wasActive; ///< something was active in it at the last refit
} sgBroad;

/// Boxes and what is known of them, by number.
typedef struct sgBroadBoxes
{
	const sgBox* boxes;
	const uint8_t* isActive; ///< 0 or 1
} sgBroadBoxes;

/// Groups of all levels that so many boxes need at most, if the tree is padded to SG_BROAD_LEVELS.
uint32_t sgBroad_GroupCount(uint32_t capacity);

/// Levels that a tree needs on its own.
uint32_t sgBroad_LevelCount(const sgBroad* broad);

void sgBroad_Add(sgBroad* broad, uint32_t number);
void sgBroad_Remove(sgBroad* broad, uint32_t number);

/// Bring all levels up to date, after sorting if that is due.
/// @param levels at least sgBroad_LevelCount: trees that are compared have equally many
void sgBroad_Refit(sgBroad* broad, const sgBroadBoxes* boxes, uint32_t levels);

/// Two groups of one level, of the same tree or of two, below which pairs may be.
typedef struct sgBroadPair
{
	uint32_t a, b;
} sgBroadPair;

/// Receives pairs of boxes.
typedef void sgBroadFcn(void* context, uint32_t a, uint32_t b);

/// A search for pairs: within one tree (a == b), or between two.
typedef struct sgBroadSearch
{
	const sgBroad *a, *b;
	const sgKernels* kernels;
	sgBroadFcn* found;
	void* context;
	float margin; ///< boxes no farther apart than this along each axis count as well
} sgBroadSearch;

/// Groups of the next level that are below two of `level` and overlap.
/// @param pairs receives up to SG_LANES * SG_LANES
/// @return how many
uint32_t sgBroadSearch_Step(
    const sgBroadSearch* search, uint32_t level, sgBroadPair pair, sgBroadPair pairs[SG_LANES * SG_LANES]);

/// All pairs of boxes below two groups of `level`.
void sgBroadSearch_Descend(const sgBroadSearch* search, uint32_t level, sgBroadPair pair);

#endif
