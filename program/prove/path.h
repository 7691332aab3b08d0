// program/prove/path.h: how the bodies of a scene move, as a proof defines it: poses at some times, as exact numbers,
// and every vertex straight from where the formula puts it at one time to where it puts it at the next.
#ifndef CLI_PROVE_PATH_H
#define CLI_PROVE_PATH_H

#include "program/files/stage.h"
#include "program/prove/mesh.h"

/// Of one body at one time.
typedef struct provePose
{
	double frame[12]; ///< three rows of four
	float* numbers;   ///< joints, then amplitudes; or vertices
	uint32_t jointCount, fieldCount, vertexCount;
} provePose;

typedef struct provePath
{
	const cliScene* scene;
	proveMesh* meshes;
	uint32_t meshCount;
	uint32_t* meshOf; ///< (scene->partCount)
	double* times;
	provePose* poses; ///< (timeCount, scene->partCount)
	size_t timeCount, capacity;
	double stray; ///< how far poses half-way are from the straight ways, at most: a sample
} provePath;

/// Take poses at times[0], times[0] + 1 / fps, ... and times[1], with as many between them as it takes until poses
/// half-way are within `stray` of straight ways, if it is positive. Prints what is wrong. Free with provePath_Free in
/// any case.
/// @param frames how many poses that are, without those between: at least 2
bool provePath_Create(
    provePath* path, const cliScene* scene, const double times[2], double fps, uint64_t frames, double stray);
void provePath_Free(provePath* path);

/// Where the vertices of a body are at a time, as near as double precision has them.
/// @param places (vertexCount * 3)
/// @return how far the given number is from the real one, at most, per coordinate; also of points between two times
double provePath_Place(const provePath* path, size_t time, int body, double* places);

/// Whether two triangles, one with an area, surely meet in the first pose or at rest, if only by touching: an affine
/// map carries corners of both from float32 numbers, of which src/geometry decides exactly. Where none does, nothing is
/// known.
/// @param bodies the two, or one twice: then corners that they share do not count
/// @param triangles in the proof's order
bool provePath_Meet(const provePath* path, const int bodies[2], const uint32_t triangles[2], bool atRest);

/// Write all poses as text.
void provePath_Print(const provePath* path, proveText* text);

#endif
