// test/support/support.h: what the tests of the core share: seeds, random scenes, the brute-force oracle, odd
// allocators.
//
// Every property test draws from a seed and prints it when it fails: SNUG_SEED=number repeats that case first.
// SNUG_TEST_SCALE multiplies how many cases are tried.
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

// cmocka.h needs these before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/scenes/mesh.h"
#include "lab/scenes/random.h"
#include "snug/snug.h"

uint64_t TestSeed(void);  // SNUG_SEED, default 1
int TestCount(int count); // times SNUG_TEST_SCALE, at least 1
double TestScale(void);   // SNUG_TEST_SCALE, default 1
#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

// --- Random scenes --------------------------------------------------------------------------------------------------

// Kinds of meshes that go wrong in different ways.
typedef enum MeshKind
{
	mesh_soup,        // triangles of all sizes, nothing shared
	mesh_bigSoup,     // every triangle overlaps every other
	mesh_blob,        // closed, shared vertices
	mesh_torus,       //
	mesh_cloth,       // exactly coplanar
	mesh_voxels,      // many exactly coplanar and touching faces
	mesh_repeated,    // each triangle several times
	mesh_zeroArea,    // points and segments among the triangles
	mesh_single,      // one triangle
	mesh_tetrahedron, //
	mesh_empty,       // no triangle, sometimes vertices
	mesh_unused,      // vertices that no triangle uses, far out
	mesh_clusters,    // two far apart
	mesh_needles,     // long and thin
	MESH_KINDS,
} MeshKind;

const char* MeshKindName(MeshKind kind);
sceneMesh RandomMesh(sceneRandom* random, MeshKind kind); // within about [-1, 1]^3, up to some hundred triangles
snugTreeDef RandomTreeDef(sceneRandom* random);

double RandomSign(sceneRandom* random);
float RandomFloat(sceneRandom* random, float low, float high); // a multiple of (high - low) / 2^24, rounded
float OddFloat(sceneRandom* random); // zeros of both signs, subnormal numbers and ordinary ones
float RandomNudge(sceneRandom* random, float value, int steps); // moved by up to so many floats either way
// A unit quaternion: anything, a small turn, or one of the 24 turns that map axes to axes.
void RandomRotation(sceneRandom* random, double rotation[4]);

// No two triangles share a vertex number any more: seams everywhere, and twins. Takes the mesh.
sceneMesh Unweld(sceneMesh mesh);

double MeshSize(const sceneMesh* mesh);       // its largest coordinate, 1 if there is none
void ScaleMesh(sceneMesh* mesh, float scale); // one rounding per coordinate

// --- Models and bodies; all of these fail the test if the library does ---------------------------------------------

// A deformer and, of a skin, its blending in one number: what tests go through. Linear skins are snug_skin.
typedef unsigned Mover;
enum
{
	mover_spherical = snug_fields + 1,
	mover_dualQuaternion,
	MOVERS
};
bool Mover_IsSkin(Mover mover);
snugDeformer Mover_Deformer(Mover mover);
snugBlending Mover_Blending(Mover mover); // linear of what is no skin
Mover MoverOf(const snugModel* model);

// Of skins, the blending of def.skin is set too: do not lose it when the rest of it is filled in.
snugModelDef MeshDef(const sceneMesh* mesh, Mover deformer, snugTreeDef tree);
snugModel* MakeModel(const sceneMesh* mesh, Mover deformer, snugTreeDef tree);
snugBody* MakeBody(const snugModel* model, snugPool* pool);
snugPool* MakePool(size_t bytes);
void Place(snugBody* body, double x, double y, double z);

// A body with everything that it needs.
typedef struct Thing
{
	sceneMesh mesh; // owned
	snugModel* model;
	snugBody* body;
} Thing;

// These take the mesh.
Thing Thing_Make(sceneMesh mesh, Mover deformer, snugTreeDef tree, snugPool* pool);
Thing Thing_Build(sceneMesh mesh, const snugModelDef* def, snugStrategy strategy, snugPool* pool);
void Thing_Free(Thing* thing);

// Every volume of the body's tree holds what it must. Returns how much was checked.
uint64_t Thing_Validate(const char* what, uint64_t seed, const Thing* thing);

// --- Pairs ---------------------------------------------------------------------------------------------------------

typedef struct PairList
{
	snugPair* pairs;
	uint64_t count;
} PairList;

void PairList_Free(PairList* list);

// All pairs that snugCollide reports, in its order.
PairList CollideAll(snugBody* a, snugBody* b, const double origin[3]);

// All pairs by brute force, at the positions that snugBody_GetVertices reports.
PairList BruteAll(const Thing* a, const Thing* b, const double origin[3]);

// For qsort and bsearch: the order of pairs.
int ComparePairs(const void* a, const void* b);

bool SamePairs(const PairList* expected, const PairList* found);

// Fails with a message that names the case, the seed and the first difference.
void AssertSamePairs(const char* what, uint64_t seed, const PairList* expected, const PairList* found);

// snugCollide against brute force. Returns the number of pairs.
uint64_t CheckPairs(const char* what, uint64_t seed, const Thing* a, const Thing* b, const double origin[3]);

// --- Allocators ----------------------------------------------------------------------------------------------------

// Counts, checks sizes and alignments, fails on command, and fills fresh and released memory with rubbish.
typedef struct TestAllocator
{
	uint64_t calls;  // to allocate
	uint64_t failAt; // the call that returns null, counting from 1; 0: none
	uint64_t live;   // blocks not yet released
	size_t liveBytes;
	uint64_t faults; // releases with a wrong size or pointer, alignments that are no power of two up to 64
} TestAllocator;

snugAllocator TestAllocator_Get(TestAllocator* allocator);

// --- Messages ------------------------------------------------------------------------------------------------------

typedef struct TestMessages
{
	int count;
	snugSeverity severity;
	char last[512];
} TestMessages;

snugMessenger TestMessages_Get(TestMessages* messages);

// --- Kernels, tasks and callbacks ----------------------------------------------------------------------------------

struct sgKernels;

// The kernels of every instruction set that this machine has, the plainest first. Returns how many.
int FindKernels(const struct sgKernels* kernels[8]);

// snugParallelFcn without threads (workers.h has some). They count their calls.
// @param user int*, nullable
void RunInOrder(void* user, uint32_t count, snugTaskFcn* task, void* context);
void RunBackwards(void* user, uint32_t count, snugTaskFcn* task, void* context);

// snugPairFcn that has seen enough, and counts its calls.
// @param user int*
bool StopAtOnce(void* user, snugPair pair);

// --- Model files ---------------------------------------------------------------------------------------------------

// Make the checksum of a block right again after changing it. Blocks shorter than a header are left alone.
void RepairChecksum(void* block, size_t bytes);

#endif
