// program/check/curves.h: the curves of all frames of a run, and the files that they are written to.
#ifndef CLI_CURVES_H
#define CLI_CURVES_H

#include "program/check/near.h"

/// A curve and the frame that it is of.
typedef struct cliFrameCurve
{
	uint64_t frame;
	double time;
	cliCurve curve; ///< its points are those of all frames
} cliFrameCurve;

/// Zero-initialise; free with cliCurves_Free.
typedef struct cliCurves
{
	cliFrameCurve* curves;
	size_t count, capacity;
	float* points; ///< x, y, z
	size_t pointCount, pointCapacity;
} cliCurves;

/// Endings of files that curves can be written to.
#define CLI_CURVE_ENDINGS ".obj .ply .json"

/// @return false if there is no memory
bool cliCurves_Add(cliCurves* curves, uint64_t frame, double time, const cliNear* near);
void cliCurves_Free(cliCurves* curves);

/// Write them, as the path's ending says: OBJ with a line element per curve, PLY with edges, or JSON with all that is
/// known of them. Prints what is wrong.
bool cliCurves_Write(const cliCurves* curves, const char* path);

#endif
