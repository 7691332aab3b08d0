// test/support/posed.h: bodies of every deformer in random poses and frames, and their positions: what queries about
// positions are tested with.
#ifndef TEST_POSED_H
#define TEST_POSED_H

#include "skin_support.h"

#include "geometry/distance.h"
#include "snug/snug_queries.h"

#define POSED_DEFORMERS 6

typedef struct Posed
{
	Thing thing;
	Mover deformer;
	SkinnedMesh skinned; // of skins
	FieldSet fields;     // of displacement fields
	float* positions;    // (vertexCount * 3), as snugBody_GetVertices reports them
	double origin[3];
} Posed;

// In its rest pose. Takes the mesh.
Posed Posed_Make(sceneRandom* random, sceneMesh mesh, Mover deformer, snugPool* pool);
Posed Posed_MakeWith(sceneRandom* random, sceneMesh mesh, Mover deformer, snugTreeDef tree, snugPool* pool);
void Posed_Free(Posed* posed);

// Another pose, and by chance another frame and origin; then `positions` are up to date.
void Posed_Change(sceneRandom* random, Posed* posed);

// `positions` of the pose, the frame and the origin as they are.
void Posed_Read(Posed* posed);

void Posed_Triangle(const Posed* posed, uint32_t triangle, float corners[3][3]);

// The unit normal in double, by the shortest edge and another, so that differences lose least. False for slivers whose
// normal rounds away even so: they are test_segment.c's.
bool Posed_Normal(const Posed* posed, uint32_t triangle, double n[3]);

// Far enough from zero to be apart from others, most often; sometimes just so.
void Posed_PlaceApart(sceneRandom* random, Posed* posed);

// Of a triangle of each, at `positions`. Squared; zero if and only if they intersect.
double Posed_PairDistance2(const Posed* one, uint32_t i, const Posed* other, uint32_t j, sgNearest* nearest);

// Of two bodies, by all pairs of triangles: the distance, and, if that is not zero, triangles and points.
snugDistanceResult Posed_FindDistance(const Posed* a, const Posed* b);

#endif
