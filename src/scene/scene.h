// src/scene/scene.h: many bodies, and what touches among them.
//
// An update is a row of phases, each spread over the caller's threads and finished before the next one begins:
//
//   bounds       a box along the world's axes around each body that changed      (update.c)
//   tree         of those that move, and of static ones                          (broad.c)
//   candidates   pairs of boxes that overlap, sorted; the filter                 (update.c)
//   nodes        one and two levels below the roots of candidates, eight boxes against eight (scene_near.c)
//   finer nodes  three levels below them, of those that are left
//   preparing    of each body that is still in a pair, once: its front            (scene_search.c)
//   queries      of those pairs                                                  (scene_search.c)
//   frame        merging with what stayed as it was, events                      (scene_frame.c)
//
// Distances (scene_within.c), rays (rays.c) and sweeps (scene_sweep.c) are asked of bodies as they are, and change
// nothing but what is up to date.
//
// Threads: before the queries every body is one thread's at a time. In the queries threads share bodies as in
// query/parallel.c: whoever wants to compute something claims it.
//
// Invariant: `frame` is what the last complete update found, and nothing of it changes before the next one is complete.
// A pair of bodies that both stayed as they were then has the same answer still, and is copied.
#ifndef SG_SCENE_H
#define SG_SCENE_H

#include "base/fpenv.h"
#include "body/body.h"
#include "query/walk.h"
#include "scene/broad.h"
#include "snug/snug_scene.h"

#include <stdatomic.h>

typedef enum sgSceneState
{
	sgScene_free = 0,
	sgScene_present,
	sgScene_removed, ///< since the last complete update
	sgScene_ended,   ///< and its pairs are: free after the next one
} sgSceneState;

typedef struct sgSceneBody
{
	snugBody* body; ///< null if it is not present, or a shape
	void* user;
	uint64_t seen;    ///< sgScene_ChangesOf at the last complete update; zero: look at all its pairs
	uint64_t boxed;   ///< sgScene_ChangesOf that its box is for; zero: none
	uint64_t opened;  ///< body->changes that its boxes below the root are for; zero: none
	uint64_t changes; ///< of a shape
	uint32_t groups;
	uint32_t mask;
	uint32_t mark; ///< of some list that it was put on last
	uint8_t state; ///< sgSceneState
	bool isStatic;
	bool isShape;
	bool meetsItself;
	bool isShared;    ///< several threads may ask for its boxes
	bool hidesLeaves; ///< bounding leaves would take their vertices
	bool isTooFar;    ///< its box or its vertices cannot be held relative to the scene's origin
} sgSceneBody;

/// Where the boxes below each child of a root are, in snugScene.deeper: one more than their number; zero: not made;
/// SG_BUSY: being made by some thread, and others make their own.
typedef struct sgSceneBelow
{
	_Atomic uint32_t children[SG_LANES];
} sgSceneBelow;

#define SG_NO_CANDIDATE UINT64_MAX

/// A pair of bodies that is looked at, or one body and itself.
#define SG_SCENE_LEVELS 4
typedef struct sgSceneSearch
{
	uint32_t a, b;
	uint32_t levelCount;                 ///< zero: begins at the roots
	bool canBeFiner;                     ///< levels are below the children that `lanes` says
	bool isOver;                         ///< nothing is left of it
	bool isCut;                          ///< there was no room for some pairs of triangles
	uint8_t lanes[SG_SCENE_LEVELS];      ///< of B
	sgPairLevel levels[SG_SCENE_LEVELS]; ///< pairs of nodes whose boxes overlap
	snugWitness witness;
	uint64_t count;      ///< pairs of triangles
	uint64_t first;      ///< where they go in the next frame
	uint32_t firstBlock; ///< of them, in the order in which they were found; SG_NONE: none
	uint32_t lastBlock;
} sgSceneSearch;

/// Pairs of triangles of one pair of bodies, as they are found.
#define SG_BLOCK_PAIRS 15
typedef struct sgSceneBlock
{
	uint32_t next;
	uint32_t count;
	snugPair pairs[SG_BLOCK_PAIRS];
} sgSceneBlock;

/// What an update found.
typedef struct sgSceneFrame
{
	snugScenePair* pairs;    ///< (room.pairs)
	snugWitness* witnesses;  ///< (room.pairs)
	void** users;            ///< (room.pairs): what the caller left there
	snugPair* trianglePairs; ///< (room.trianglePairs)
	snugPair* places;        ///< (room.trianglePairs): of the same triangles, in the trees, in any order
	void** endedUsers;       ///< (room.pairs)
	snugPair* begun;         ///< (room.pairs)
	snugPair* persisting;    ///< (room.pairs)
	snugPair* ended;         ///< (room.pairs)
	uint64_t count;
	uint64_t trianglePairCount;
	uint64_t begunCount, persistingCount, endedCount;
	bool hasTrianglePairs; ///< they were asked for
} sgSceneFrame;

/// An update that found too little room after its searches. They hold while nothing changes.
typedef struct sgSceneHalt
{
	bool isHalted;
	bool trianglePairs;     ///< were asked for
	uint64_t changes;       ///< of all bodies together
	uint32_t blocks;        ///< that there were
	snugSceneResult result; ///< up to there
} sgSceneHalt;

/// Pairs of groups of the broad phase from which threads start.
#define SG_SCENE_STARTS (SG_LANES * SG_LANES * SG_LANES * SG_LANES)

struct snugScene
{
	snugAllocator allocator;
	snugMessenger messenger;
	snugSceneRoom room;
	double origin[3];
	snugWorkers workers;
	snugSceneFilterFcn* filter;
	void* filterUser;
	sgFpEnv callersEnvironment; ///< of the update under way
	bool isUpdating;
	bool isNew; ///< nothing of the last frame holds: the origin moved, or there is none
	sgSceneHalt halt;
	uint32_t lastMark;

	// (room.bodies) each
	sgSceneBody* bodies;
	snugShape* shapes;   ///< of those that are shapes
	sgBox* boxes;        ///< along the world's axes, relative to the origin; of planes and half spaces empty
	sgBoxLanes* opened;  ///< the same below the roots
	sgSceneBelow* below; ///< and below those: made in an update when first needed
	uint8_t* isActive;   ///< changed since the last complete update
	uint32_t* list;      ///< of bodies to do something for
	uint32_t bodyCount;  ///< ids below this have been given
	uint32_t firstFree;  ///< none below it is free
	uint32_t listCount;
	sgBroad moving, fixed, round; ///< bodies that move, static ones, shapes
	sgBoxLanes* deeper;           ///< (sgScene_DeeperCount)
	_Atomic uint32_t deeperCount; ///< taken, possibly more than there are

	uint64_t* candidates;            ///< (room.candidates): a << 32 | b; or SG_NO_CANDIDATE
	uint64_t* scratch;               ///< (room.candidates)
	sgSceneSearch* searches;         ///< (room.candidates)
	_Atomic uint64_t candidateCount; ///< possibly more than there is room for
	uint64_t searchCount;
	sgBroadPair* starts; ///< (SG_SCENE_STARTS)

	sgSceneBlock* blocks;        ///< (sgScene_BlockCount)
	_Atomic uint32_t blockCount; ///< taken, possibly more than there are
	sgSceneFrame frames[2];
	sgSceneFrame *frame, *next; ///< of the last complete update, and being made

	atomic_flag lock; ///< of `counters`
	snugCounters counters;
};

/// Run a task for 0 to count - 1, on the caller's threads if it has given some. In a floating-point environment of
/// ours.
void sgScene_Run(snugScene* scene, uint32_t count, snugTaskFcn* task, void* context);

static inline uint32_t sgTasksFor(uint64_t count, uint32_t perTask)
{
	return (uint32_t)(count / perTask + (count % perTask != 0));
}

/// Put a body on the list unless it is there already. A list begins with sgScene_BeginList.
void sgScene_BeginList(snugScene* scene);
void sgScene_List(snugScene* scene, uint32_t id);

/// The least of the listed bodies that is too far, or SG_NONE.
uint32_t sgScene_FindTooFar(const snugScene* scene);

/// Say that a body is.
/// @return snug_outOfRange
snugStatus sgScene_TooFar(snugScene* scene, uint32_t id, snugSceneResult* result);

static inline bool sgScene_IsPresent(const snugScene* scene, uint32_t id)
{
	return id < scene->bodyCount && scene->bodies[id].state == sgScene_present;
}

static inline bool sgScene_IsBody(const snugScene* scene, uint32_t id)
{
	return sgScene_IsPresent(scene, id) && !scene->bodies[id].isShape;
}

static inline bool sgScene_HasShape(const snugScene* scene, const sgSceneSearch* search)
{
	return scene->bodies[search->a].isShape || scene->bodies[search->b].isShape;
}

/// Counts new poses, frames and shapes: what was found for the same number still holds.
static inline uint64_t sgScene_ChangesOf(const sgSceneBody* entry)
{
	return entry->isShape ? entry->changes : entry->body->changes;
}

/// The largest coordinate of boxes that are up to date: those of bodies, and of shapes if they are asked for too.
double sgScene_FindReach(const snugScene* scene, bool shapes);

/// The box of a sphere or capsule. What reaches without end has an empty one.
sgBox sgScene_BoundShape(const snugShape* shape);

/// Whether a plane or half space may meet what is in a box.
bool sgScene_MayMeetFlat(const snugShape* shape, const sgBox* box);

/// Search for triangles of a body that meet a shape.
/// @param visit nullable: see sgBody_VisitShape
void sgScene_SearchShape(snugScene* scene, sgSceneSearch* search, snugPairFcn* visit, void* user);

/// The box of a body or shape, or that it is too far.
void sgScene_BoundBody(snugScene* scene, uint32_t id, snugCounters* counters);

/// Boxes below the root of a body whose box is up to date.
void sgScene_SetOpened(snugScene* scene, uint32_t id, const sgBoxLanes* boxes);

/// Add what a thread counted, and take all that was counted since the last time: boxes that are made ahead of an update
/// count for the next one.
void sgScene_Count(snugScene* scene, const snugCounters* counters);
snugCounters sgScene_TakeCounters(snugScene* scene);

/// Boxes of all bodies as they are now, and the trees over them. Bodies that changed since the last complete update are
/// active.
/// @param all all bodies are
/// @param moved receives how many changed
/// @return the body that is too far, or SG_NONE
uint32_t sgScene_Refit(snugScene* scene, bool all, uint32_t* moved);

/// The trees over all boxes as they are in scene->boxes.
void sgScene_RefitTrees(snugScene* scene);

/// Pairs of boxes that overlap within `moving` and between both, of which one is active, that masks and the filter
/// agree to: sorted, in scene->candidates.
/// @param all bodies that meet themselves, and shapes, are candidates too
/// @param margin boxes that are no farther apart than this along each axis count as well
/// @param count receives how many there are before the filter is asked
/// @return false if there is too little room
bool sgScene_FindCandidates(
    snugScene* scene, const sgBroad* moving, const sgBroad* fixed, bool all, float margin, uint64_t* count);

/// Have the listed bodies ready for queries, by several threads at once.
/// @return the body that is too far, or SG_NONE
uint32_t sgScene_PrepareListed(snugScene* scene);

/// Strike out candidates that cannot touch, as far as boxes one and two levels below the roots tell, and say where
/// searches of the others begin.
/// @return the body that is too far, or SG_NONE
uint32_t sgScene_CompareChildren(snugScene* scene);

/// Begin one level further down, if that is not at too many places. What touched last time is likely to touch, and its
/// witness is cheaper to look at.
void sgScene_RefineSearch(snugScene* scene, sgSceneSearch* search, snugCounters* counters);

/// From candidates to searches that are done: their count, and their pairs of triangles.
/// @return the body that is too far, or SG_NONE
uint32_t sgScene_Search(snugScene* scene, bool trianglePairs);

/// Search again where pairs of triangles found no room, with more of it.
void sgScene_SearchAgain(snugScene* scene);

/// Make the next frame of the last one and the searches, if there is room. Otherwise says how much is needed.
bool sgScene_MakeFrame(snugScene* scene, bool trianglePairs, snugSceneResult* result);

/// Groups of boxes two levels below roots for which there is room.
uint64_t sgScene_DeeperCount(const snugSceneRoom* room);

/// Blocks that are enough for all pairs of triangles that there is room for.
uint64_t sgScene_BlockCount(const snugSceneRoom* room);

#endif
