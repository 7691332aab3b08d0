// test/driver/world.h: what the operations of the driver act on, and the words they are written in.
//
// A world is drawn from a seed: some models (kinds), bodies of them (actors), a pool, a scene. Operations change it and
// ask it; each draws what it needs from a generator of its step alone, so that steps can be left out without changing
// the others: that is how a failure is shrunk.
//
// What is true is never read from the body under test, since asking would bring it up to date. An actor records what it
// was last told, and whenever truth is wanted a fresh body, of a model with another tree, is posed by the record, asked
// for its vertices, and destroyed. It has no history, so nothing of it can be stale.
//
// The library is called as hostile callers do: see caller.h.
#ifndef DRIVER_WORLD_H
#define DRIVER_WORLD_H

#include "skin_support.h"

#include "driver/truth.h"
#include "snug/snug_scene.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum
{
	MOST_KINDS = 5,
	MOST_ACTORS = 14,
	MOST_SHAPES = 4,
	MOST_MEMBERS = MOST_ACTORS + MOST_SHAPES,
	MOST_OWN = 130, // triangles of bodies that are compared with themselves
};

/// A model, and what is known of it without asking it.
typedef struct Kind
{
	char name[200]; ///< for messages
	Mover deformer;
	SkinnedMesh skinned;   ///< the mesh; of skins also weights, and matrices to draw poses with
	FieldSet fields;       ///< of snug_fields, and morph targets of skins; fieldCount zero: none
	float* jointPositions; ///< nullable
	float* frequencies;    ///< nullable; of fields
	double size;           ///< the largest coordinate of triangles, not zero
	double far;            ///< the largest of all vertices and joints
	snugModel* model;      ///< under test: with any tree and bounds, perhaps saved and loaded
	snugModel* plain;      ///< the same with the default tree and bounds, for truth
	void* block;           ///< nullable: what `model` is in place of
	Surface rest;          ///< the mesh, where it was given
	uint32_t* twins;       ///< (vertexCount)
	bool hasTwins;
	bool isClosed;       ///< every edge has an even number of triangles: there is an inside
	bool isOriented;     ///< and as many one way as the other: there is a winding number
	bool hasZeroAreas;   ///< some triangle repeats a vertex
	uint64_t openEdges;  ///< with an odd number of triangles
	uint32_t jointCount; ///< of skins
} Kind;

static inline bool Kind_IsSkin(const Kind* kind)
{
	return Mover_IsSkin(kind->deformer);
}

/// How the joints of an actor were set last.
typedef enum JointsKind
{
	joints_rest = 0,
	joints_matrices,
	joints_nodes,
} JointsKind;

/// A body, and what it was told.
typedef struct Actor
{
	const Kind* kind;
	snugBody* body;
	snugStrategy strategy;
	snugPool* pool; // nullable

	// The pose, as it was last accepted.
	JointsKind jointsKind;
	float* matrices;         // (12 * jointCount)
	snugMeshlessNode* nodes; // (jointCount), of snug_skin
	float* amplitudes;       // (fieldCount)
	float* vertices;         // (3 * vertexCount), of snug_free
	snugFrame frame;
	uint64_t changes;

	// What is true of it, as of `surfaceChanges` and relative to `surfaceOrigin`.
	Surface surface;
	uint64_t surfaceChanges;
	double surfaceOrigin[3];
	snugStatus surfaceStatus;

	// In the scene.
	bool isPresent, isStatic, meetsItself;
	uint32_t id, groups, mask; // as they are used
	uint64_t sceneChanges;     // 1 + `changes` at the last update; zero: it was added since, or meets others
} Actor;

/// Two bodies of the scene that touched.
typedef struct Touch
{
	uint32_t a, b; // ids
} Touch;

/// Which triangles of two actors meet, as of some changes of both and relative to an origin.
typedef struct Known
{
	PairList pairs;
	uint64_t changesA, changesB;
	double origin[3];
} Known;

/// A shape, and how it takes part in the scene.
typedef struct ShapeActor
{
	snugShape shape;
	bool isPresent, isStatic;
	uint32_t id, groups, mask; // as they are used
	bool isTold;               // something since the last update
} ShapeActor;

typedef struct Stage
{
	snugScene* scene; // nullable
	double origin[3];
	uint64_t filterSeed; // zero: there is no filter
	uint64_t lastAsked;
	bool isAllNew;    // the origin moved since the last update
	bool filterBroke; // it was asked out of order, about bodies that masks rule out, or by another thread
	pthread_t caller; // who asks the scene
	ShapeActor shapes[MOST_SHAPES];
	Touch before[MOST_MEMBERS * MOST_MEMBERS];
	uint32_t beforeCount;
	uint64_t updates;       // that succeeded
	uint64_t freedAt[1000]; // by id: 1 + `updates` when it was removed; zero: it was not
} Stage;

typedef struct World
{
	uint64_t seed;
	uint32_t step;
	const char* operation; // the name of what runs
	char told[500];        // what it told of itself
	sceneRandom random;    // of the step
	jmp_buf failed;        // 1: something is wrong; 2: the round ends, for nothing can be said any more
	bool isBroken;         // it could not be made, and should

	bool isExtreme;
	double scale;      // sizes are of this order
	double middle[3];  // about which bodies are
	double nudge;      // of the size: how far small changes go
	uint32_t focus[2]; // two actors that are drawn more often than others: the same questions again, after little has
	                   // changed

	Kind kinds[MOST_KINDS];
	uint32_t kindCount;
	Actor actors[MOST_ACTORS];
	uint32_t actorCount;
	snugPool* pool;
	double poolChance;           // that a body uses it
	snugContactBuffer* contacts; // used again and again
	uint32_t contactCapacity;
	snugWitness witnesses[MOST_ACTORS][MOST_ACTORS];
	Stage stage;
	Known known[MOST_ACTORS][MOST_ACTORS];
	TestAllocator allocator;

	uint64_t questions; // that had truth to compare with
	uint64_t contactsSeen;
} World;

/// Without actors if it could not be made, which in extreme worlds may be.
World* World_Make(uint64_t seed, bool isExtreme);
/// @return whether all memory was given back, and rightly
bool World_Free(World* world);
/// For messages: the bodies and what they are made of.
void World_Print(const World* world);

// --- Checks ---------------------------------------------------------------------------------------------------------

/// Ends the round if the condition does not hold. The rest is a format and what goes into it, which says more.
#define EXPECT(world, condition, ...)                                 \
	do                                                                \
	{                                                                 \
		if (!(condition))                                             \
		{                                                             \
			Fail(world, __FILE__, __LINE__, #condition, __VA_ARGS__); \
		}                                                             \
	} while (0)

_Noreturn __attribute__((format(printf, 5, 6))) void Fail(
    World* world, const char* file, int line, const char* condition, const char* format, ...);

/// Say what the operation is about, for messages and traces.
__attribute__((format(printf, 2, 3))) void Tell(World* world, const char* format, ...);

// --- Draws ----------------------------------------------------------------------------------------------------------

static inline bool Chance(World* world, double probability)
{
	return sceneRandom_Unit(&world->random) < probability;
}

static inline uint32_t Below(World* world, uint32_t count)
{
	return sceneRandom_Index(&world->random, count);
}

static inline double Between(World* world, double low, double high)
{
	return sceneRandom_Range(&world->random, low, high);
}

/// Between -1 and 1.
static inline double Signed(World* world)
{
	return sceneRandom_Range(&world->random, -1.0, 1.0);
}

/// Of every order of magnitude alike.
static inline double Magnitude(World* world, double low, double high)
{
	return low * pow(high / low, sceneRandom_Unit(&world->random));
}

/// Two other actors come to the fore, and changes become smaller or larger.
void Focus(World* world);
Actor* AnyActor(World* world);
/// Another one.
Actor* OtherActor(World* world, const Actor* than);
/// Relative to which a query asks: mostly the middle, often beside it, at times far from it.
void DrawOrigin(World* world, double origin[3]);

// --- Kinds ----------------------------------------------------------------------------------------------------------

/// @return false if the library refuses it, which bounds that do not go together explain
bool Kind_Make(World* world, Kind* kind);
void Kind_Free(Kind* kind);

/// Mark the triangles below a node of a model's tree.
/// @param marks (triangleCount)
void MarkBelow(World* world, const Kind* kind, uint32_t node, bool* marks);

// --- Actors ---------------------------------------------------------------------------------------------------------

void Actor_Make(World* world, Actor* actor, const Kind* kind);
void Actor_Free(Actor* actor);
/// A body in its rest pose, made anew.
void Actor_MakeBody(World* world, Actor* actor);
/// Tell a body what is recorded.
/// @return what it said
snugStatus Actor_Replay(const Actor* actor, snugBody* body);
void Actor_SetFrame(World* world, Actor* actor, const snugFrame* frame);
/// Somewhere else, or a little.
void Actor_Place(World* world, Actor* actor, bool isJump);
/// Take over the pose of another one of the same kind, and its frame.
void Actor_Imitate(World* world, Actor* actor, const Actor* other);

/// A fresh body that is told what is recorded. Destroy it.
/// @return null where that comes too close to the largest coordinates
snugBody* Actor_MakeShadow(World* world, const Actor* actor);
/// Where it is relative to an origin. Valid until something is changed, or asked relative to another origin.
/// @return null if that is too far for float32
const Surface* Actor_Surface(World* world, Actor* actor, const double origin[3]);
/// Which triangles of a body meet others of it, its frame aside. Yours.
/// @param keepRest also those that meet at rest
PairList Actor_OwnPairs(World* world, const Actor* actor, const uint32_t* twins, bool keepRest);
/// Which triangles of two actors meet, both near enough to the origin. Valid as their surfaces are. Of an actor that
/// may meet itself and the same one: its own pairs, but for those that meet at rest.
PairList Actor_Pairs(World* world, Actor* a, Actor* b, const double origin[3]);
/// Whether it may meet itself in a scene: its own pairs are soon found, and its twins stay twins.
bool Actor_MayMeetItself(const Actor* actor);
/// Which vertices are one: twins, but those of a free body that were told to go apart.
/// @param twins (vertexCount)
/// @return false if some of three or more went, so that it depends on the model which are still twins
bool Actor_FindTwins(const Actor* actor, uint32_t* twins);
/// Whether there is an inside.
bool Actor_IsClosed(const Actor* actor);
/// Where it is in its own frame. Yours; ends the round if that is too far for float32.
Surface Actor_OwnSurface(World* world, const Actor* actor);

#endif
