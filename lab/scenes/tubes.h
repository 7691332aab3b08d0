// lab/scenes/tubes.h: bodies of smooth tubes that melt into one another: limbs, trunks, tails, fingers.
//
// A tube follows a spline through its knots, and so do its radius and its depth: along a limb nothing bulges, which
// round cones that melt do. Tubes melt by a cubic, so that the surface has no visible edge where they meet.
// The same bits everywhere (see mesh.h).
#ifndef SCENES_TUBES_H
#define SCENES_TUBES_H

#include "lab/scenes/implicit.h"

#define SCENE_MAX_TUBES 64
#define SCENE_MAX_KNOTS 20

typedef struct sceneKnot
{
	double at[3];
	double radius;
	double depth; ///< how far the tube reaches along its flat axis, relative to its radius; 0.5 to 2
	int joint;    ///< that carries it from here to the next knot
} sceneKnot;

typedef struct sceneLimb
{
	sceneKnot knots[SCENE_MAX_KNOTS];
	int knotCount;
	double flat[3]; ///< unit vector across the tube
	double melt;    ///< within this distance of what came before it they melt
	double reach;   ///< over which weights pass from it to its neighbours
	bool isPaired;  ///< it is of the left side, and has a mirror image
} sceneLimb;

typedef struct sceneBox
{
	double lower[3], upper[3];
	double flatness; ///< 1 or more: a value outside is at least the distance, divided by it
} sceneBox;

/// A piece of a tube, so short that it is straight.
typedef struct sceneStretch
{
	sceneBox box;
	double from[3], along[3]; ///< begins at, and goes this way
	double square;            ///< of the length
	double radius, widening, depth, deepening;
	double way, length; ///< along the tube
} sceneStretch;

/// Tubes made ready. Zero-initialise, add tubes, finish.
typedef struct sceneTubes
{
	sceneLimb tubes[SCENE_MAX_TUBES];
	sceneBox boxes[SCENE_MAX_TUBES];
	sceneBox spans[SCENE_MAX_TUBES][SCENE_MAX_KNOTS]; ///< of each from knot to knot
	uint32_t starts[SCENE_MAX_TUBES + 1];
	sceneStretch* stretches;
	uint32_t tubeCount;
	bool hasFloor; ///< nothing is below y = 0
} sceneTubes;

/// @return false if there is no memory; free all the same
bool sceneTubes_Add(sceneTubes* tubes, const sceneLimb* tube);
void sceneTubes_Free(sceneTubes* tubes);

/// @param gradient nullable; receives the way up, about
/// @return how far a point is outside, about; negative inside
double sceneTubes_Evaluate(const sceneTubes* tubes, const double point[3], double* gradient);

/// Bring a point that is near the surface onto it.
void sceneTubes_Project(const sceneTubes* tubes, double point[3]);

/// The unit normal by differences over a few millimetres.
void sceneTubes_GetNormal(const sceneTubes* tubes, const double point[3], double normal[3]);

/// How far a point is outside of one tube, and how far along it.
double sceneTubes_Locate(const sceneTubes* tubes, uint32_t tube, const double point[3], double* way);

/// How far along a tube one of its knots is.
double sceneTubes_GetWay(const sceneTubes* tubes, uint32_t tube, int knot);

sceneMesh sceneTubes_MakeMesh(const sceneTubes* tubes, double cell);

#endif
