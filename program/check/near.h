// program/check/near.h: what `check` finds in a frame beyond pairs between bodies: distances, curves along which bodies
// meet, bodies that met since the frame before.
#ifndef CLI_NEAR_H
#define CLI_NEAR_H

#include "program/files/stage.h"
#include "snug/snug_queries.h"

/// How far two bodies are apart, and where.
typedef struct cliDistance
{
	int bodies[2]; ///< the lower number first
	uint32_t triangles[2];
	double distance; ///< infinite if one of them has no triangles
	float points[2][3];
} cliDistance;

/// A curve along which two bodies meet.
typedef struct cliCurve
{
	int bodies[2];
	size_t firstPoint, pointCount; ///< in the points of all curves
	size_t firstPair, pairCount;   ///< likewise; of one body, the lower number first
	snugCurve curve;               ///< its numbers, not its places in arrays
	double depth;                  ///< how far the bodies reach past each other there; zero for open curves
	double depthBefore;            ///< of what met in the first frame, if only new contact counts
} cliCurve;

/// @return how much deeper than in the first frame
double cliCurve_GetNewDepth(const cliCurve* curve);

/// Vertices of a body that are inside another one or on its surface, or inside itself.
typedef struct cliInside
{
	int bodies[2];       ///< whose vertices they are, and where they are; the same one twice: inside itself
	size_t first, count; ///< in the vertices of all
	double depth;        ///< the largest of them; of a body in itself none
} cliInside;

/// Two bodies that are apart in two frames and meet on the way from one to the other.
typedef struct cliBetween
{
	int bodies[2]; ///< the lower number first
	uint32_t triangles[2];
	double time; ///< seconds; before it they do not meet
	bool isSure; ///< false: they come so near that it is not proved
	float position[3];
} cliBetween;

/// Times that the way between two frames is halved at most.
#define CLI_MAX_HALVINGS 8

/// Zero-initialise; may be used for many frames; free with cliNear_Free.
typedef struct cliNear
{
	cliDistance* distances; ///< by bodies
	size_t distanceCount, distanceCapacity;
	cliCurve* curves; ///< by bodies
	size_t curveCount, curveCapacity;
	float* points; ///< x, y, z of the points of all curves
	size_t pointCount, pointCapacity;
	snugPair* pairs; ///< of all curves
	size_t pairCount, pairCapacity;
	cliBetween* between; ///< by bodies
	size_t betweenCount, betweenCapacity;
	double stray; ///< how far ways that are not halved any more stray from straight ones; zero: no farther than asked
	cliInside* insides; ///< by bodies, those with any
	size_t insideCount, insideCapacity;
	snugVertexDepth* vertices; ///< of all; inside itself: the number alone
	size_t vertexCount, vertexCapacity;
	uint64_t loose; ///< pairs of triangles that meet outside of curves: in a point, or in one plane
	snugContactBuffer* buffer;
	uint64_t room; ///< pairs that the buffer holds
} cliNear;

/// Forget the last frame.
void cliNear_Clear(cliNear* near);
void cliNear_Free(cliNear* near);

/// Add the distance of two bodies. What goes wrong is told by the stage.
bool cliNear_AddDistance(cliNear* near, cliStage* stage, int a, int b);

/// Add the curves of two bodies, or of one with itself, of which `pairs` triangles meet, or more: where it meets itself
/// at rest as well, so that curves go on there.
bool cliNear_AddCurves(cliNear* near, cliStage* stage, int a, int b, uint64_t pairs);

/// Add the vertices of a body that are inside another one, which is closed, or inside itself.
bool cliNear_AddInside(cliNear* near, cliStage* stage, int body, int outer);

/// Add how two bodies that are apart in a stage met since that of the frame before, if they did and were apart there.
/// Of several parts of the way the first counts.
bool cliNear_AddBetween(cliNear* near, cliStage* before, cliStage* stage, int a, int b, double margin);

/// All parts of the way have been looked at.
void cliNear_EndBetween(cliNear* near);

/// @return the largest new depth of a frame's curves, zero without any
double cliNear_GetDepth(const cliNear* near);

/// @return the nearest two bodies of a frame, or null
const cliDistance* cliNear_GetLeast(const cliNear* near);

#endif
