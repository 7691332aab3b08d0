// test/driver/operations.h: the table of all operations, and what they share.
//
// To add one: write a function `bool Name(World* world)` in one of the files here, and a line below: its name, and how
// often it is drawn compared with the others. It draws what it needs (world.h), calls the library by CALL with buffers
// of Room and Given (caller.h), compares with truth (truth.h) by EXPECT, and returns whether there was something to
// compare: a run in which an operation never had is reported.
#ifndef DRIVER_OPERATIONS_H
#define DRIVER_OPERATIONS_H

#include "driver/caller.h"

#define OPERATIONS(X)                     \
	/* changes.c: what bodies are told */ \
	X(SetJoints, 60)                      \
	X(SetAmplitudes, 40)                  \
	X(SetVertices, 40)                    \
	X(SetNodes, 15)                       \
	X(SetFrame, 60)                       \
	X(Imitate, 25)                        \
	X(Refuse, 10)                         \
	X(Refit, 8)                           \
	X(DisplaceTogether, 8)                \
	X(MakeAnew, 5)                        \
	X(ChangeFocus, 12)                    \
	/* bodies.c: what bodies say */       \
	X(GetVertices, 12)                    \
	X(GetSomeVertices, 10)                \
	X(GetTriangles, 10)                   \
	X(EvaluateVertices, 20)               \
	X(GetBounds, 15)                      \
	X(IsOutside, 8)                       \
	X(GetBoxes, 6)                        \
	X(Validate, 10)                       \
	/* models.c: what models say */       \
	X(GetContents, 4)                     \
	X(LackMemory, 2)                      \
	/* pairs.c: which triangles meet */   \
	X(Collide, 90)                        \
	X(Touches, 40)                        \
	X(CollideInTime, 30)                  \
	X(CollideInTimeTooLate, 4)            \
	X(CollideApart, 4)                    \
	X(CollideSelf, 12)                    \
	/* near.c: how far apart */           \
	X(FindDistance, 20)                   \
	X(FindWithin, 20)                     \
	X(FindSelfWithin, 12)                 \
	X(FindClosest, 20)                    \
	/* probes.c: rays, points, shapes */  \
	X(CastRays, 25)                       \
	X(FindHits, 20)                       \
	X(FindInside, 15)                     \
	X(FindBodyInside, 20)                 \
	X(FindVertexDepths, 15)               \
	X(FindSelfInside, 8)                  \
	X(CollideShape, 20)                   \
	/* sweeps.c: when they first meet */  \
	X(Sweep, 12)                          \
	X(FindSagitta, 8)                     \
	/* contacts.c: where they meet */     \
	X(FindContacts, 50)                   \
	X(FindSelfContacts, 12)               \
	/* scenes.c: many bodies */           \
	X(SceneMake, 6)                       \
	X(SceneAddOrRemove, 20)               \
	X(SceneSetMask, 6)                    \
	X(SceneSetShapes, 15)                 \
	X(SceneSetOrigin, 6)                  \
	X(SceneReserve, 2)                    \
	X(SceneSetPoses, 25)                  \
	X(SceneUpdate, 60)                    \
	X(SceneFindWithin, 12)                \
	X(SceneSweep, 6)                      \
	X(SceneCastRays, 15)                  \
	X(SceneFindHits, 15)

#define DECLARE(name, weight) bool name(World* world);
OPERATIONS(DECLARE)
#undef DECLARE

/// Two different bodies, where they are, and which of their triangles meet.
typedef struct Two
{
	Actor *a, *b;
	const Surface *surfaceA, *surfaceB;
	double origin[3];
	PairList truth; // borrowed
} Two;

/// Draw two bodies and an origin.
/// @return false if one is too far from it
bool DrawTwo(World* world, Two* two);
/// Find which of their triangles meet.
void FindTruth(World* world, Two* two);

/// A query that says that a body is too far is right near the largest coordinates: bounds decide that.
/// @return whether it has an answer
bool IsAnswered(World* world, snugStatus status, const Surface* surface);

/// What a query cost adds up.
void ExpectCounters(World* world, const snugCounters* counters);

/// Joints that the body will take, drawn from where it is.
void DrawJoints(World* world, Actor* actor, float* matrices);

/// A sphere, capsule, plane or half space at a surface, or past it.
snugShape DrawShape(World* world, const Surface* surface);

/// A question to a sweep of what is about so large.
snugSweepQuery DrawSweepQuery(World* world, const double origin[3], double extent);

/// A ray at a surface, through its corners and edges, or past it.
snugRay DrawRay(World* world, const Surface* surface);
/// How far to look: no limit, one that is about the distance, or some other.
double DrawLimit(World* world, double distance);
/// What is found of a point is where the surface is nearest, or that it is nowhere within the limit.
void ExpectClosest(World* world, const Surface* surface, const float p[3], double limit, const snugClosest* found);
/// The normal of a triangle, by double precision where that is certain; zero without area.
void ExpectNormal(World* world, const float corners[3][3], const float found[3]);

/// Memory that goes with the step.
void* Scratch(size_t bytes);
void FreeScratch(void);

#endif
