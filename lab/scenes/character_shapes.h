// lab/scenes/character_shapes.h: the tables that characters are made from.
#ifndef SCENES_CHARACTER_SHAPES_H
#define SCENES_CHARACTER_SHAPES_H

#include "lab/scenes/character.h"
#include "lab/scenes/implicit.h"

/// A spot that a morph target moves.
typedef struct sceneSpot
{
	double center[3], radius, displacement[3];
} sceneSpot;

/// A skin between two lines on the surface.
typedef struct sceneWeb
{
	double lines[2][2][3]; ///< two ends of each
} sceneWeb;

/// A plane along which the mesh has a seam.
typedef struct sceneSeam
{
	int axis;
	double offset;
} sceneSeam;

/// What a kind is made of. Joints and shapes of the left side are mirrored: joint j of it, counted with the middle's
/// before it, becomes j + leftJoints on the right.
typedef struct sceneAnatomy
{
	const char* name;
	const sceneJoint* joints; ///< middle, then left
	int middleJoints, leftJoints;
	const sceneShape* shapes; ///< middle and left in any order: those of left joints are mirrored
	int shapeCount;
	double melt, cell; ///< see sceneImplicit
	uint32_t vertexCount, triangleCount;
	const sceneSeam* seams;
	int seamCount;
	const sceneWeb* webs; ///< of the left side
	int webCount;
	const sceneSpot* spots;
	int spotCount;
} sceneAnatomy;

const sceneAnatomy* sceneGetAnatomy(sceneCharacterKind kind);

#endif
