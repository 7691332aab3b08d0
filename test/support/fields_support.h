// test/support/fields_support.h: displacement fields of every sort, and amplitudes.
#ifndef TEST_FIELDS_SUPPORT_H
#define TEST_FIELDS_SUPPORT_H

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
snugFieldsDef FieldSet_Def(const FieldSet* set);

// Translations, turns, shrinking to a point, bending, ripples, noise, single vertices, one axis only; of every size,
// subnormal ones among them; dense, or sparse in any order. `size` is the size of the mesh.
FieldSet RandomFields(sceneRandom* random, const sceneMesh* mesh, double size);

// A surface that is fine enough for a tree of several levels, and polynomials of its positions.
sceneMesh SmoothMesh(int kind);
FieldSet SmoothFields(sceneRandom* random, const sceneMesh* mesh);

// Amplitudes of every sort: none, one, all, tiny, subnormal, large, huge.
void RandomAmplitudes(sceneRandom* random, FieldSet* set);

// Change them a little.
void NudgeAmplitudes(sceneRandom* random, FieldSet* set);

snugModelDef FieldsDef(const sceneMesh* mesh, const FieldSet* set, snugTreeDef tree);

// Takes the mesh.
Thing MakeFields(sceneMesh mesh, const FieldSet* set, snugTreeDef tree, snugStrategy strategy);

// Amplitudes that a body refuses because they lead too far are shrunk until it takes them.
void PoseFields(const Thing* thing, FieldSet* set);

#endif
