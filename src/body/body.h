// src/body/body.h: the mutable half of snug: a model in a pose, and what is remembered about it.
//
// Everything remembered carries the version of the pose for which it was computed: a family of bounds, an evaluated
// cluster. Changing the pose changes the version, or clears it where only some vertices moved; so nothing can be stale.
// Placing a body changes no bound.
//
// Threads: a body belongs to one thread, but one query may be answered by several (query/parallel.c), which then share
// what is remembered. Whoever wants to compute something claims it by exchanging its version for SG_BUSY, computes, and
// publishes it with the new version; a thread that finds it busy computes its own copy and keeps nothing. Since
// everything computed is a pure function of model and pose, all get the same bits.
#ifndef SG_BODY_H
#define SG_BODY_H

#include "body/pool.h"
#include "geometry/frame.h"
#include "model/deformer.h"

/// Steps for which a family stays part of the front after a query last looked at it, at most. Contacts move back and
/// forth: a few steps' memory keeps their surroundings tight at a small price.
#define SG_FRONT_MEMORY 4

struct snugBody
{
	const snugModel* model;
	const sgDeform* deform;
	snugAllocator allocator;
	snugMessenger messenger;

	sgFrame frame;
	sgPosed posed;        ///< `pose` is one of `poses`; `derived` is null while what it would lead to is not up to date
	unsigned char* poses; ///< one, or two of which one is current and the other is made next
	size_t poseBytes;     ///< of one
	uint32_t poseCount;
	void* derived;           ///< what follows from the pose: see sgBody_Derive
	const void* derivedFrom; ///< one of `poses`; null if what `derived` was made from is gone
	size_t derivedBytes;
	sgLaneFloats* displaced; ///< nullable; room for posed.displaced: see together.c
	uint32_t* index;         ///< nullable; where the caller's triangles and vertices are: see some.c
	snugStrategy strategy;
	uint16_t frontMemory;       ///< steps for which a family stays part of the front; zero: there is none
	bool refitsAll;             ///< everything is refitted before a query, from the leaves up
	bool isMotionPending;       ///< how far this pose is from the last is known when it is derived
	bool isAtRest;              ///< the model's rest bounds hold
	bool isPrepared;            ///< nothing changed since the last refit before a query
	bool isBegun;               ///< that refit has begun: `step` is the new one
	uint32_t version;           ///< of the pose; neither zero nor SG_BUSY
	uint64_t changes;           ///< counts new poses and frames, from 1: what was found for the same number still holds
	const void* owner;          ///< the scene that it is in; nullable
	uint16_t step;              ///< counts poses that were queried
	_Atomic uint32_t visits;    ///< families that queries looked at in this step
	_Atomic uint32_t repeats;   ///< of those, how many they looked at in the step before as well
	_Atomic uint32_t prepared;  ///< families refitted before the queries of this step
	_Atomic uint32_t wellTaken; ///< of those, how many queries looked at then
	uint32_t lastVisits;        ///< in the step before
	double travel;              ///< sum over all poses so far of how much each changed: see sgBody_Travel

	snugPool* pool;
	bool ownsPool;
	_Atomic uint32_t* pageTable; ///< (pageCount): page of the pool, or SG_NONE; groups first, then clusters
	uint32_t pageCount;
	_Atomic uint32_t heldCount; ///< pages that it holds
	uint32_t groupPages;
};

/// Bounds of the lanes in a set, up to date: in the cache, or computed into `scratch` if there is no place for them.
/// Lanes outside the mask are arbitrary.
const sgBoxLanes* sgBody_Refresh(snugBody* body, sgLaneSet set, sgBoxLanes* scratch, snugCounters* counters);

/// What is known of a family without computing anything.
typedef struct sgLook
{
	const sgBoxLanes* bounds; ///< null: they are not up to date
	sgCacheGroup* cached;     ///< null: the family has no place in the cache, or needs none
} sgLook;

sgLook sgBody_Look(snugBody* body, sgLaneSet family);

/// sgBody_Refresh after a look that found nothing up to date.
/// @param cached what that look returned
const sgBoxLanes* sgBody_Update(
    snugBody* body, sgCacheGroup* cached, sgLaneSet set, sgBoxLanes* scratch, snugCounters* counters);

/// The children of a node will be looked at soon: ask memory for what is cached of them.
void sgBody_Expect(const snugBody* body, uint32_t slot);

/// Visits of a query, counted by each of its threads for itself: a counter that threads share costs more than a visit.
typedef struct sgVisits
{
	uint32_t count;     ///< families looked at for the first time in this step
	uint32_t repeats;   ///< of those, how many were looked at in the step before as well
	uint32_t wellTaken; ///< and how many had been refitted before
} sgVisits;

/// A query needed the bounds of a family, so it belongs to the front. `look` is from before they were brought up to
/// date.
void sgBody_NoteVisit(const snugBody* body, sgLook look, sgVisits* visits);

/// Add to what the body knows of this step.
void sgBody_AddVisits(snugBody* body, const sgVisits* visits);

/// What the body's strategy does before a query: refit recent families, or all. Once per pose.
void sgBody_Prepare(snugBody* body, snugCounters* counters);

/// The same in pieces: begin, prepare every listed subtree (different ones on different threads), then sgBody_Prepare.
#define SG_MAX_SUBTREES (SG_LANES * SG_LANES)
uint32_t sgBody_BeginPrepare(snugBody* body, uint32_t slots[SG_MAX_SUBTREES]);
void sgBody_PrepareSubtree(snugBody* body, uint32_t slot, snugCounters* counters);

/// The vertices of a leaf: positions[indices[0]], positions[indices[1]], …
typedef struct sgLeafVertices
{
	const float* positions;  ///< x y z each, one readable float after the last
	const uint32_t* indices; ///< readable for SG_LANES - 1 entries past the end
} sgLeafVertices;

/// Room for vertices that find no place in the cache: those of a leaf's cluster.
typedef struct sgLeafScratch
{
	float positions[SG_CLUSTER_FLOATS(SG_MAX_CLUSTER_VERTICES)];
} sgLeafScratch;

/// Body-space positions of at most SG_MAX_LEAF_VERTICES vertices, evaluated now. `vertices` is readable for
/// SG_LANES - 1 entries past the end.
sgLeafVertices sgBody_Evaluate(const snugBody* body, const uint32_t* vertices, uint32_t count, sgLeafScratch* scratch);

/// snugBody_GatherVertices, with what it costs.
snugStatus sgBody_GatherVertices(snugBody* body, const double origin[3], const uint32_t* vertices, uint32_t count,
    float* positions, size_t stride, snugCounters* counters);

/// Where the vertices of a family's leaves are: at hand, or evaluated in the cache.
typedef struct sgLeafSource
{
	const float* positions;  ///< null: neither
	const uint32_t* indices; ///< of all leaves of the model, by sgLeaf.firstVertex
} sgLeafSource;

/// Look where the vertices of a leaf and its siblings are; evaluates them if they have a place.
sgLeafSource sgBody_FindLeaves(snugBody* body, const sgLeaf* leaf, snugCounters* counters);

/// Body-space vertices of a leaf, from where they are, or evaluated now.
sgLeafVertices sgBody_LeafVertices(const snugBody* body, const sgLeafSource* source, const sgLeaf* leaf,
    sgLeafScratch* scratch, snugCounters* counters);

/// The box of the root, up to date.
sgBox sgBody_RootBox(snugBody* body, snugCounters* counters);

/// The root's box, and how the body's vertices are placed relative to an origin.
/// @return snug_outOfRange, with a message, if float32 cannot hold them
snugStatus sgBody_MakePlacement(
    snugBody* body, const double origin[3], sgBox* root, sgPlacement* placement, snugCounters* counters);

/// The same with a box that may be much larger than the root's, where that is cheaper: for queries that look at little
/// of a body. The bound on rounding is looser then.
snugStatus sgBody_MakeLoosePlacement(
    snugBody* body, const double origin[3], sgBox* around, sgPlacement* placement, snugCounters* counters);

/// Boxes along the world's axes around the placed vertices below each lane of a set. Lanes outside the mask are empty.
/// From the pose alone, so that they depend on nothing that was asked before; not kept.
/// @return false if float32 cannot hold placed positions
bool sgBody_BoundPlaced(
    snugBody* body, const double origin[3], sgLaneSet set, sgBoxLanes* boxes, snugCounters* counters);

/// Whether several threads may ask for them at once, once one has.
bool sgBody_CanBoundTogether(const snugBody* body);

/// Whether leaves are bounded by evaluating their vertices, which takes what sgBody_Derive makes.
bool sgBody_EvaluatesLeaves(const snugBody* body);

/// The same around a whole body.
typedef struct sgPlacedRoot
{
	sgBox box;        ///< empty if there is no triangle
	bool isOpened;    ///< it is around boxes below the root:
	sgBoxLanes below; ///< those of sgTree_Open(tree, 0); else arbitrary
} sgPlacedRoot;

bool sgBody_BoundPlacedRoot(snugBody* body, const double origin[3], sgPlacedRoot* root, snugCounters* counters);

/// The model in its pose, with everything that follows from it. Whatever evaluates or bounds calls this first, once,
/// before threads share the body; what is below relies on it.
const sgPosed* sgBody_Derive(snugBody* body);

/// A new pose: nothing remembered is up to date any more, and the pages of a shared pool go back.
void sgBody_Invalidate(snugBody* body);

/// Add to the way that a body has gone.
/// @param motion sgPoseChange.motion
void sgBody_Travel(snugBody* body, double motion);

/// Forget the bounds of one leaf's family and of all above it.
void sgBody_InvalidateLeaf(snugBody* body, uint32_t leaf);

void sgBody_ReturnPages(snugBody* body);

/// Bytes of what displaces vertices ahead; zero if there is none.
size_t sgBody_DisplacedBytes(const snugBody* body);

/// Bytes of the index; zero if there is none.
size_t sgBody_IndexBytes(const snugBody* body);

#endif
