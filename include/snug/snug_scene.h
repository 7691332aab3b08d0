// snug: many bodies. Which of them touch, with which triangles, and since when.
//
//     snugScene_Create                                      once
//     snugScene_Add, snugScene_Remove                       when bodies come and go
//     snugBody_SetJoints, snugBody_SetFrame, ...            each frame, for what moves: as without a scene
//     snugScene_Update                                      each frame
//     snugScene_GetPairs, _GetTrianglePairs, _GetEvents     read, until the next update
//
// Two bodies touch if and only if snugCollide, with the scene's origin, finds a pair of triangles. There is nothing to
// tune: a scene gives what a call for every pair of its bodies would give, and the same for any number of
// threads.
//
// Rules, besides those of snug.h:
// - A scene, with all bodies in it, belongs to one thread at a time. It uses more of them only while your `workers`
//   run, and calls nothing else of yours from those.
// - Updates allocate nothing. Room is made by snugScene_Create and snugScene_Reserve.
// - An update that fails changes no pair and no event: those of the last one that succeeded stay. What moved meanwhile
//   counts in the next update.
// - Bodies that stay as they are cost nearly nothing, without being told to sleep: a body whose pose and frame did not
//   change keeps its pairs with others that did not.
#ifndef SNUG_SNUG_SCENE_H
#define SNUG_SNUG_SCENE_H

#include <snug/snug_queries.h>

#ifdef __cplusplus
extern "C"
{
#endif

/// @defgroup scene Scenes
/// @{

typedef struct snugScene snugScene;

/// How many of something a scene has room for. In a definition zero means the default.
typedef struct snugSceneRoom
{
	uint32_t bodies;        ///< default 64. The id of a removed body takes room for two more updates
	uint64_t candidates;    ///< pairs of bodies whose boxes overlap and of which one moved; default 16 per body
	uint64_t pairs;         ///< pairs of bodies that touch; default 4 per body
	uint64_t trianglePairs; ///< of all these together, if they are asked for; default 64 per body
	uint64_t reserved[4];
} snugSceneRoom;

/// Decide whether two bodies whose boxes overlap, or are within a margin, are looked at. snugScene_Update,
/// snugScene_FindNear and snugScene_Sweep call it on their own caller's thread, in the order of (a, b), a < b. Masks
/// have been respected already. Do not change the scene here, nor bodies in it: that is refused, or misuse.
typedef bool snugSceneFilterFcn(void* user, uint32_t a, uint32_t b);

typedef struct snugSceneDef
{
	snugSceneRoom room;
	double origin[3];           ///< as snugQuery.origin, for all bodies: set it near them if they are far from zero
	snugWorkers workers;        ///< share the work of updates
	snugSceneFilterFcn* filter; ///< nullable
	void* filterUser;           ///< passed to `filter`
	snugAllocator allocator;    ///< called by Create, Reserve and Destroy only
	snugMessenger messenger;    ///< told of errors by every function of this scene
	uint64_t reserved[8];
} snugSceneDef;

/// @param scene receives the scene, or null
SNUG_API snugStatus snugScene_Create(const snugSceneDef* def, snugScene** scene);

/// Free a scene. Its bodies are yours and stay.
/// @param scene nullable
SNUG_API void snugScene_Destroy(snugScene* scene);

/// Make room for at least so many. Zero leaves a number as it is, and none shrinks; one that grows, grows by half at
/// least, so that a scene that fills slowly is not made larger every frame. Pairs and events stay, but are elsewhere:
/// get them again.
SNUG_API snugStatus snugScene_Reserve(snugScene* scene, const snugSceneRoom* room);

/// @return the room there is
SNUG_API snugSceneRoom snugScene_GetRoom(const snugScene* scene);

/// Bytes that a scene holds, without its bodies.
SNUG_API size_t snugScene_GetMemory(const snugScene* scene);

/// Move the origin. The next update looks at everything anew.
SNUG_API snugStatus snugScene_SetOrigin(snugScene* scene, const double origin[3]);

// --- Bodies ----------------------------------------------------------------------------------------------------------

/// How a body takes part. Bodies a and b are looked at if (a.groups & b.mask) and (b.groups & a.mask) are not zero, at
/// least one is not static, and the filter agrees. A shape takes part as a body does, but meets no other shape; rays,
/// snugScene_FindNear and snugScene_Sweep do not see it.
typedef struct snugSceneBodyDef
{
	snugBody* body;   ///< required, unless there is a `shape`; borrowed until removed; in one scene at a time
	bool isStatic;    ///< part of the world: never meets another static one. It may move, but that is meant to be rare
	bool meetsItself; ///< updates also find what snugCollideSelf finds of it: a pair of the body with itself, events
	                  ///< like all others. Groups and the filter have no say in it, and pairs that meet at rest are
	                  ///< left out
	uint32_t groups;  ///< bits: what it is; default 1
	uint32_t mask;    ///< bits: what it meets; default everything
	void* user;       ///< yours: see snugScene_GetUser
	snugBody* replaces; ///< nullable; a body of this scene, which goes: `body` takes its id, and pairs that still touch
	                    ///< persist. For a character's other model. Everything else is as this definition says
	const snugShape* shape; ///< nullable; instead of a body, and copied. It touches a body if snugCollideShape finds a
	                        ///< triangle with the scene's origin. It neither meets itself nor replaces anything
	uint64_t reserved[2];
} snugSceneBodyDef;

/// Add a body. The next update looks at it.
/// @param id receives a small number: the least that is free, or that of the body that is replaced
/// @return snug_outOfRange if there is no room; snug_badInput, with a message, if a shape is not valid
SNUG_API snugStatus snugScene_Add(snugScene* scene, const snugSceneBodyDef* def, uint32_t* id);

/// Take a body out, before it is destroyed. The next update ends its pairs.
/// Its id is given to no other body before the update after that, and snugScene_GetUser knows it until then.
SNUG_API snugStatus snugScene_Remove(snugScene* scene, uint32_t id);

/// Move a shape, or change it.
/// @param id of a shape
/// @return snug_badInput, with a message, if it is not valid
SNUG_API snugStatus snugScene_SetShape(snugScene* scene, uint32_t id, const snugShape* shape);

/// @return the body, or null if there is none with this id, or no more, or a shape
SNUG_API snugBody* snugScene_GetBody(const snugScene* scene, uint32_t id);

/// @return snugSceneBodyDef.user
SNUG_API void* snugScene_GetUser(const snugScene* scene, uint32_t id);

/// Change what a body meets. The next update looks at all its pairs anew, and asks the filter again: pass the same bits
/// when only the filter's mind changed.
/// @param groups, mask zero means the default, as in snugSceneBodyDef
SNUG_API snugStatus snugScene_SetGroups(snugScene* scene, uint32_t id, uint32_t groups, uint32_t mask);

/// Poses of many skins at once, from where your animation system has them.
typedef struct snugScenePoses
{
	const uint32_t* ids;     ///< of bodies, not shapes; nullable; default 0, 1, 2, ... No id twice
	uint32_t count;          ///< of bodies
	const float* joints;     ///< nullable; matrices of the first body
	size_t jointStride;      ///< bytes from one joint to the next; default 48, or 64 if isColumns
	size_t bodyStride;       ///< bytes from one body to the next; default jointStride times the first one's joints
	bool isColumns;          ///< matrices as for snugBody_SetJoints4x4, not snugBody_SetJoints
	const snugFrame* frames; ///< nullable; one for each body
	const float* amplitudes; ///< nullable; as for snugBody_SetAmplitudes, those of the first body
	size_t amplitudeStride;  ///< bytes from one body's amplitudes to the next; default: the first one's
	uint64_t reserved[2];
} snugScenePoses;

/// snugBody_SetAmplitudes, snugBody_SetJoints, or snugBody_SetJoints4x4, and snugBody_SetFrame for many bodies, on the
/// threads of `workers`. What comes after a refusal is not set.
/// @return success, or what the first body that was refused returned, whose messenger is told why. Others are posed.
SNUG_API snugStatus snugScene_SetPoses(snugScene* scene, const snugScenePoses* poses);

// --- Updates ---------------------------------------------------------------------------------------------------------

/// Look at what two bodies have in common: what snugFindContacts finds with the scene's origin; of one that meets
/// itself, what snugFindSelfContacts does. It is good until this returns. Do not change the scene here, nor bodies in
/// it, nor use the buffer: that is refused, or misuse.
/// @param contacts `complete` is false if the buffer is too small: it has only the count then
typedef void snugSceneContactsFcn(void* user, uint32_t a, uint32_t b, const snugContactResult* contacts);

/// What to ask. All zero: which bodies touch.
typedef struct snugSceneQuery
{
	bool trianglePairs;             ///< find all their pairs of triangles too
	bool depths;                    ///< of contacts: see snugContactQuery
	snugSceneContactsFcn* contacts; ///< nullable; called at the end, for each pair of bodies that touch, not for a body
	                                ///< and a shape, on the caller's thread, in the order of (a, b). Finds pairs of
	                                ///< triangles as well
	void* contactsUser;             ///< passed to `contacts`
	snugContactBuffer* contactBuffer; ///< required if there are `contacts`: for those of one pair of bodies
	uint64_t reserved[4];
} snugSceneQuery;

/// What an update, or a question to all bodies, found and cost.
typedef struct snugSceneResult
{
	snugStatus status;     ///< snug_outOfRange: see `needed` and `body`
	uint32_t body;         ///< the body that is too far from the scene's origin; SNUG_NONE: none
	uint32_t moved;        ///< bodies that changed since the last update, or were added
	uint64_t count;        ///< pairs of bodies that touch; or what the function says
	uint64_t candidates;   ///< pairs of bodies whose boxes overlap and of which one moved
	uint64_t queries;      ///< of those, how many were looked at triangle by triangle
	uint64_t kept;         ///< touching pairs of bodies that did not change, and so were not looked at
	snugSceneRoom needed;  ///< where an update found too little room: how much is needed, or what is known of it so
	                       ///< far. Zero where there was enough. Give it to snugScene_Reserve and update again: if
	                       ///< nothing has changed meanwhile, that goes on where this one ended
	snugCounters counters; ///< of all queries together, and of nodes that were bounded and compared before them, by
	                       ///< snugScene_SetPoses too; boxes of bodies against each other are `candidates`. They depend
	                       ///< on timing if there are several threads. Where room ran out, what was spent until then;
	                       ///< what is up to date by then costs the next update nothing
	uint64_t reserved[4];
} snugSceneResult;

/// Find what touches now, and what began and ended since the last update.
/// @param query nullable
SNUG_API snugSceneResult snugScene_Update(snugScene* scene, const snugSceneQuery* query);

/// Two bodies that touch, by their ids, a < b; or one that meets itself, a == b.
typedef struct snugScenePair
{
	uint32_t a, b;
	uint64_t first; ///< of its triangle pairs in snugScene_GetTrianglePairs
	uint64_t count; ///< how many they are; zero if they were not asked for
} snugScenePair;

/// What touched at the last update, sorted by (a, b).
/// @param count receives how many
SNUG_API const snugScenePair* snugScene_GetPairs(const snugScene* scene, uint64_t* count);

/// Triangles of a and b, those of one pair of bodies after those of another, each sorted as by snugCollide, or
/// snugCollideSelf if a is b. In the place of a shape's triangle is SNUG_NONE.
/// @param count receives how many
SNUG_API const snugPair* snugScene_GetTrianglePairs(const snugScene* scene, uint64_t* count);

/// What changed at the last update: three lists of pairs of ids as in snugScenePair, each sorted by (a, b). Of `ended`,
/// either may have been removed.
typedef struct snugSceneEvents
{
	const snugPair* begun; ///< touch now and did not before
	uint64_t begunCount;
	const snugPair* persisting; ///< touched before and still do
	uint64_t persistingCount;
	const snugPair* ended; ///< touched before; do not now, or one of them was removed
	uint64_t endedCount;
	/// Yours: one for each pair of snugScene_GetPairs. What you put there is there again after each update while the
	/// two touch, wherever the pair is then. Null for pairs that begin.
	void** users;
	void* const* endedUsers; ///< what you had left there, for each of `ended`
} snugSceneEvents;

SNUG_API snugSceneEvents snugScene_GetEvents(const snugScene* scene);

// --- Distances -------------------------------------------------------------------------------------------------------

/// Two bodies that are near each other, by their ids, a < b, and where they are nearest: what snugFindDistance finds
/// with the scene's origin. For all their triangles that are so near ask snugCollideWithin.
typedef struct snugSceneNear
{
	uint32_t a, b;
	double distance;    ///< zero if and only if they touch
	uint32_t triangleA; ///< of a
	uint32_t triangleB; ///< of b
	float pointA[3];    ///< on a, relative to the scene's origin
	float pointB[3];    ///< on b
} snugSceneNear;

/// What to ask. All zero: how many pairs of bodies touch.
typedef struct snugSceneNearQuery
{
	double margin;        ///< not negative
	snugSceneNear* pairs; ///< nullable; receives the first `capacity` pairs, sorted by (a, b)
	uint64_t capacity;    ///< room in `pairs`
	uint64_t reserved[8];
} snugSceneNearQuery;

/// Find all pairs of bodies that are no farther apart than a margin, as they are now: no update is needed, and pairs
/// and events of the last one stay. Which bodies are looked at, masks and the filter say as for updates. Distances are
/// the same bits for any number of threads.
/// @param query required
/// @return count: pairs of bodies within the margin, possibly more than `capacity`; candidates: pairs whose boxes are.
/// Only these take room
SNUG_API snugSceneResult snugScene_FindNear(snugScene* scene, const snugSceneNearQuery* query);

// --- Sweeps ----------------------------------------------------------------------------------------------------------

/// The first contact of all.
typedef struct snugSceneSweep
{
	uint32_t a, b;         ///< the bodies that come first, by their ids, a < b, the smallest of those that are as
	                       ///< early; SNUG_NONE: the way of all is free
	snugSweepResult sweep; ///< time, triangles and features are theirs. If any two meet for certain, so says `answer`,
	                       ///< and `latest` is until when two do
} snugSceneSweep;

/// Find when bodies first meet on their way from how they are now to another pose each: what snugSweep finds for every
/// two, with the scene's origin, and the first of it. No update is needed, and pairs and events of the last one stay.
/// Which bodies are looked at, masks and the filter say as for updates; shapes are not, and no body with itself. The
/// same bits for any number of threads.
/// @param ends nullable if count is zero; by id, the body at the end of the step, which is in no scene, and none twice;
/// null: it rests. What stands at the id of a shape, or of nothing, is not looked at
/// @param count of `ends`; bodies with other ids rest
/// @param query nullable; of `maxSteps` each two bodies have as many
/// @param first receives the first contact
/// @return count: 1 if there is one, or may be; 0 if the way is free. candidates: pairs whose boxes around both ends
/// overlap, which take room; queries: of those, pairs that were asked. snug_badInput as snugSweep, with `body`
SNUG_API snugSceneResult snugScene_Sweep(
    snugScene* scene, snugBody* const* ends, uint32_t count, const snugSweepQuery* query, snugSceneSweep* first);

// --- Rays ------------------------------------------------------------------------------------------------------------

/// Find what each of some rays hits first among all bodies, as they are now: no update is needed. What snugCastRays
/// finds for each body with the scene's origin: the least t, then the smallest id, then the smallest triangle.
/// @param rays relative to the scene's origin; nullable if count is zero
/// @param hits receives one for each ray; nullable if count is zero
/// @param query nullable
/// @return count: rays that hit something. Counters are those of snugCastRays, of all bodies, and of boxes that were
/// not up to date
SNUG_API snugSceneResult snugScene_CastRays(
    snugScene* scene, const snugRay* rays, uint64_t count, snugRayHit* hits, const snugRayQuery* query);

/// Find everything that one ray hits.
/// @param hits nullable if capacity is zero; receives the `capacity` first ones, sorted by t, then id, then triangle
/// @param query nullable; `any` is not looked at
/// @return count: all triangles that are hit, possibly more than `capacity`
SNUG_API snugSceneResult snugScene_FindHits(
    snugScene* scene, const snugRay* ray, snugRayHit* hits, uint64_t capacity, const snugRayQuery* query);

/// @}

#ifdef __cplusplus
}
#endif

#endif
