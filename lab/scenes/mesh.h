// lab/scenes/mesh.h: meshes made by arithmetic, for tests, benchmarks and the program.
//
// Every generator is a pure function of its arguments and uses only + - * / and sqrt, which IEEE 754 rounds in one
// way: the vertices are the same bits for every compiler and optimisation level, so golden hashes can rest on them.
// A generator that cannot get memory, or is asked for more than 2^32 - 1 of something, returns a mesh without arrays.
#ifndef SCENES_MESH_H
#define SCENES_MESH_H

#include "snug/snug.h"
#include "solvers/sine.h"

typedef struct sceneMesh
{
	float* positions; ///< 3 * vertexCount; null if the mesh could not be made
	uint32_t vertexCount;
	uint32_t* triangles; ///< 3 * triangleCount
	uint32_t triangleCount;
} sceneMesh;

/// Room for a mesh, contents arbitrary: for those who fill it themselves.
sceneMesh sceneMesh_Allocate(uint64_t vertexCount, uint64_t triangleCount);
void sceneMesh_Free(sceneMesh* mesh);
bool sceneMesh_IsValid(const sceneMesh* mesh);
sceneMesh sceneMesh_Copy(const sceneMesh* mesh);

/// A model of it, rigid or free; of others the rest is still to be set.
snugModelDef sceneMesh_MakeDef(const sceneMesh* mesh, snugDeformer deformer);

/// Add a copy of another mesh behind the vertices and triangles of this one.
/// @return false, with the mesh unchanged, if there is no memory
bool sceneMesh_Append(sceneMesh* mesh, const sceneMesh* other);

void sceneMesh_Translate(sceneMesh* mesh, double x, double y, double z);

/// Scale about zero, then apply a frame, in double precision with one rounding at the end.
void sceneMesh_Transform(sceneMesh* mesh, const snugFrame* frame, double scale);

/// The unit sphere as a subdivided icosahedron: 10 n^2 + 2 vertices, 20 n^2 triangles, vertices shared.
/// @param frequency parts per edge of the icosahedron, at least 1; 67 gives 44,892 vertices, 708 ten million triangles
sceneMesh sceneMakeSphere(uint32_t frequency);

/// The unit sphere with exactly so many vertices, at least 12: a subdivided icosahedron, some of whose triangles got a
/// vertex more. Closed.
sceneMesh sceneMakeRound(uint32_t vertexCount);

/// A sphere with lumps: star-shaped, radius about 0.8 to 1.2, another shape for every seed.
sceneMesh sceneMakeBlob(uint32_t frequency, uint64_t seed);

/// A torus about the z axis: around * across vertices, twice as many triangles. Both at least 3.
sceneMesh sceneMakeTorus(double majorRadius, double minorRadius, uint32_t around, uint32_t across);

/// A flat rectangle in the plane z = 0, centred: cloth at rest. columns * rows cells of two triangles.
sceneMesh sceneMakeCloth(double width, double height, uint32_t columns, uint32_t rows);

/// The faces of a block of voxels from (0, 0, 0) to (x, y, z) * cell. Faces of one side are exactly coplanar; sides do
/// not share vertices. 4 (xy + yz + zx) triangles.
sceneMesh sceneMakeVoxelBox(uint32_t x, uint32_t y, uint32_t z, double cell);

/// Random triangles: centres in the cube [-1, 1]^3, corners within `size` of them per coordinate. Nothing is shared.
sceneMesh sceneMakeSoup(uint32_t triangleCount, double size, uint64_t seed);

/// A chair, in metres, y up: 11 closed parts that reach into each other. 9,471 vertices, 17,914 triangles, as many as
/// the one of James and Pai 2004.
/// @param coarser 1; more: for pictures, of cells that are so many times as large
sceneMesh sceneMakeChair(uint32_t coarser);

/// A truss bridge of 56 m along x, y up: 91 closed parts. 135,304 vertices, 240,316 triangles, as many as theirs.
/// @param coarser as above
sceneMesh sceneMakeBridge(uint32_t coarser);

/// The triangle (0, 0, 0), (1, 0, 0), (0, 1, 0).
sceneMesh sceneMakeTriangle(void);

/// The tetrahedron of the origin and the three unit vectors.
sceneMesh sceneMakeTetrahedron(void);

#endif
