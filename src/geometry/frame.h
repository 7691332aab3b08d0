// src/geometry/frame.h: rigid frames in double, and what rounding to float32 positions does to bounds.
//
// A body's vertices are evaluated in body space in float32 and then placed:
//
//     world = (float)( (R00*x + R01*y) + R02*z + (t - origin) )       in double, rounded to float32 once per coordinate
//
// which is the same on every machine. Placement moves a vertex off its exact image by at most `sgPlacement.error` per
// axis; bounds stay in body space, so the traversal adds the errors of both bodies as slack (sgRelativeMotion).
#ifndef SG_FRAME_H
#define SG_FRAME_H

#include "geometry/box.h"

/// Rotation by rows and translation.
typedef struct sgFrame
{
	double rotation[3][3];
	double position[3];
	bool isIdentity; ///< no rotation at all
} sgFrame;

/// A frame relative to a query's origin, ready to place the vertices of a body with known bounds.
typedef struct sgPlacement
{
	double rotation[3][3];
	double translation[3]; ///< position - origin
	bool isIdentity;       ///< neither rotation nor translation: positions stay as they are, bit for bit
	double error;          ///< bound on |placed - exact image|, per axis
} sgPlacement;

/// How boxes of one body get into the space of another: centre' = rotation * centre + translation,
/// half' = |rotation| * half + slack, with the slack covering every rounding on the way.
typedef struct sgBoxMotion
{
	float rotation[3][3];
	float translation[3];
	float slack;
	enum sgBoxMotionKind
	{
		sgMotion_none = 0,  ///< same space, no rounding: boxes can be compared as they are
		sgMotion_translate, ///< no rotation
		sgMotion_general,
	} kind;
} sgBoxMotion;

bool sgIsFinitePoint(const double point[3]);

/// Convert a public frame; false if it is not finite or its quaternion is not nearly of unit length.
bool sgFrame_Make(const snugFrame* in, sgFrame* out);

/// Prepare to place vertices inside `box` (body space).
/// @return false if placed coordinates would exceed SNUG_MAX_COORDINATE
bool sgPlacement_Make(const sgFrame* frame, const double origin[3], const sgBox* box, sgPlacement* out);

/// How to move boxes from the space of `from` to that of `to`. `fromBox` contains all vertices of `from`.
sgBoxMotion sgRelativeMotion(const sgFrame* to, const sgPlacement* toPlacement, const sgFrame* from,
    const sgPlacement* fromPlacement, const sgBox* fromBox);

/// A box around all placed vertices of a body, rounded outward to float.
sgBox sgPlacement_BoundBox(const sgPlacement* placement, const sgBox* box);

/// Where a placed point is in body space, in double: R^T (x - t). The same point if the placement is the identity.
void sgPlacement_Undo(const sgPlacement* placement, const float point[3], double out[3]);

/// The nearest float not above, and not below, a double within float range.
float sgRoundDown(double value);
float sgRoundUp(double value);

/// The nearest float, for arithmetic in double. A call, because gcc 12 takes (double)(float)x for x where it
/// vectorises straight-line code: what is measured from a rounded centre would be measured from another one.
float sgRoundNearest(double value);

#endif
