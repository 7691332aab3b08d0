// lab/scenes/figure_shapes.h: the tables that figures are made from.
#ifndef SCENES_FIGURE_SHAPES_H
#define SCENES_FIGURE_SHAPES_H

#include "lab/scenes/figure.h"
#include "lab/scenes/tubes.h"

/// A spot that a morph target moves and swells.
typedef struct sceneSwell
{
	int target;
	double center[3], radius, move[3];
	double swell;  ///< along normals
	bool isPaired; ///< it is of the left side, and has a mirror image
} sceneSwell;

/// Left joints and paired tubes are mirrored: joint j becomes j + leftJoints on the right.
typedef struct sceneFigureShape
{
	const char* name;
	const sceneJoint* joints; ///< middle, then left
	const char* const* jointNames;
	int middleJoints, leftJoints;
	const sceneLimb* tubes;
	int tubeCount;
	const sceneSwell* swells;
	int swellCount;
	const char* const* targetNames;
	int targetCount;
	double edge; ///< default
	float color[3];
} sceneFigureShape;

extern const sceneFigureShape sceneMan, sceneCreature;

const sceneFigureShape* sceneGetFigureShape(sceneCharacterKind kind);

/// Fill a clip of a figure that has its joints.
void sceneMakeClip(const sceneFigure* figure, sceneClipKind kind, sceneClip* clip);

/// About which a joint bends.
#define X_AXIS        \
	{                 \
		1.0, 0.0, 0.0 \
	}
#define Y_AXIS        \
	{                 \
		0.0, 1.0, 0.0 \
	}
#define Z_AXIS        \
	{                 \
		0.0, 0.0, 1.0 \
	}

#endif
