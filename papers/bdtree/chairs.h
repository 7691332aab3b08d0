// papers/bdtree/chairs.h: plastic chairs that fall on a heap: Fig. 1 of the BD-tree paper.
//
// 3,601 chairs of 9,471 vertices vibrate in ten modes, the first at 10 Hz. They fall from 1 to 60 m, in layers of 12 by
// 12 at random turns, onto the ground, in steps of 1/150 s: five per frame, each of four strides. Contacts are between
// spheres of level 10 of a binary tree. The material is what makes the first mode 10 Hz; its density is that of
// polypropylene.
#ifndef PAPERS_CHAIRS_H
#define PAPERS_CHAIRS_H

#include "lab/scenes/mesh.h"
#include "papers/bdtree/world.h"

#define SIM_CHAIRS_COUNT 3601
#define SIM_CHAIRS_MODES 10
#define SIM_CHAIRS_LEVEL 10
#define SIM_CHAIRS_FPS 30
#define SIM_CHAIRS_STEPS 5 // per frame

typedef enum simChairsKind
{
	simChairs_deformable,
	simChairs_rigid,
	simChairs_redundant, ///< rigid, with spheres updated as if they vibrated
} simChairsKind;

/// A chair that vibrates. Needs SuiteSparse and ARPACK.
typedef struct simChair
{
	sceneMesh mesh;
	float* fields; ///< (SIM_CHAIRS_MODES * vertexCount * 3)
	simShape shape;
} simChair;

bool simChair_Create(simChair* chair, simError* error);
void simChair_Free(simChair* chair);

typedef struct simChairsDef
{
	const simChair* chair; ///< borrowed by the world
	uint32_t count;
	simChairsKind kind;
	uint64_t seed;
	snugWorkers workers;
} simChairsDef;

/// How wide, and how high, so many chairs hang, in metres.
double simChairs_GetWidth(uint32_t count);
double simChairs_GetHeight(uint32_t count);

/// Hang chairs in the air, the lowest layer first.
bool simChairs_Create(simWorld* world, const simChairsDef* def, simError* error);

#endif
