// test/linear_support.h: displacement fields of every sort, amplitudes, and ways to bound them.
#ifndef TEST_LINEAR_SUPPORT_H
#define TEST_LINEAR_SUPPORT_H

#include "support.h"

/// Fields over a mesh, dense or sparse.
typedef struct FieldSet
{
	uint32_t fieldCount;
	uint32_t* starts; // null: dense
	uint16_t* fields;
	float* displacements;
	float* amplitudes;
} FieldSet;

void FieldSet_Free(FieldSet* set);

// Translations, turns, shrinking to a point, bending, ripples, noise, single vertices, one axis only; of every size,
// subnormal ones among them; dense, or sparse in any order. `size` is the size of the mesh.
FieldSet RandomFields(sceneRandom* random, const sceneMesh* mesh, double size);

// Amplitudes of every sort: none, one, all, tiny, subnormal, large, huge.
void RandomAmplitudes(sceneRandom* random, FieldSet* set);

// Change them a little.
void NudgeAmplitudes(sceneRandom* random, FieldSet* set);

// --- Ways to bound --------------------------------------------------------------------------------------------------

/// How a thing is bounded, and when.
typedef struct LinearBounding
{
	snugBound bound;
	snugVolume volume;
	bool boundLeaves;
	snugStrategy strategy;
} LinearBounding;

#define LINEAR_BOUND_COUNT 7
extern const snugBound linearBounds[LINEAR_BOUND_COUNT];
extern const char* const linearBoundNames[LINEAR_BOUND_COUNT];

// Every combination in turn, by the number of a case.
LinearBounding LinearBoundingOf(uint64_t number);

/// The part of it that a model is made with.
snugBoundsDef LinearBounding_Def(const LinearBounding* how);

// A definition without bounds, which are for the caller to keep.
snugModelDef LinearDef(const sceneMesh* mesh, const FieldSet* set, snugTreeDef tree);

// Takes the mesh.
Thing MakeLinear(sceneMesh mesh, const FieldSet* set, snugTreeDef tree, const LinearBounding* how);

// Amplitudes that a body refuses because they lead too far are shrunk until it takes them.
void PoseLinear(const Thing* thing, FieldSet* set);

#endif
