// lab/scenes/figure.h: a man and a creature that look good in pictures, with clips: what `make characters` writes as
// files.
//
// They have the joints of the characters in character.h, by number, in other places. The surface is one of tubes
// (tubes.h), of any fineness; it is closed, and relaxed so that its triangles are nearly equilateral. Weights pass
// from joint to joint along tubes, and from tube to tube where they meet; up to four per vertex.
// Clips are keys of rotations of all joints, moves of the root and weights of morph targets, with the cubic splines of
// glTF between them: no sine or arc is left to the reader, so that poses have the same bits everywhere, as has the
// mesh (see mesh.h).
#ifndef SCENES_FIGURE_H
#define SCENES_FIGURE_H

#include "lab/scenes/character.h"

#define SCENE_MAX_NAME 24
#define SCENE_MAX_TARGETS 4
#define SCENE_MAX_KEYS 33

typedef enum sceneClipKind
{
	scene_idle = 0, ///< stands, breathes and sways; begins and ends alike
	scene_walk,     ///< two steps (the creature: four) in place; begins and ends alike
	scene_kick,     ///< kicks ahead with the right leg (the creature: the right foreleg), and stands as at first
	SCENE_CLIPS
} sceneClipKind;

/// A number with the slope of the spline there, per second, on both sides alike.
typedef struct sceneKey
{
	float value, slope;
} sceneKey;

typedef struct sceneClip
{
	const char* name;
	uint32_t keyCount;
	float times[SCENE_MAX_KEYS];                             ///< seconds, from 0
	sceneKey rotations[SCENE_MAX_JOINTS][SCENE_MAX_KEYS][4]; ///< x, y, z, w against the parent
	sceneKey moves[SCENE_MAX_KEYS][3];                       ///< of the root, from its place at rest
	sceneKey weights[SCENE_MAX_KEYS][SCENE_MAX_TARGETS];     ///< of the morph targets
} sceneClip;

/// Zero means default.
typedef struct sceneFigureDef
{
	sceneCharacterKind kind;
	double edge; ///< of a triangle, about, in metres; default: about ten thousand vertices
} sceneFigureDef;

typedef struct sceneFigure
{
	sceneCharacter character; ///< mesh, joints, weights and morph targets: for sceneCharacter_MakeDef
	float* normals;           ///< (3 * vertexCount), unit vectors
	char jointNames[SCENE_MAX_JOINTS][SCENE_MAX_NAME];
	const char* const* targetNames;
	float color[3];   ///< red, green, blue of its skin, linear
	sceneClip* clips; ///< (SCENE_CLIPS)
} sceneFigure;

/// @return false if there is no memory
bool sceneFigure_Create(sceneFigure* figure, const sceneFigureDef* def);
void sceneFigure_Free(sceneFigure* figure);

/// A clip at a time; before its first and after its last key it stands still.
/// @param matrices receives twelve floats per joint, three rows of four: what snugBody_SetJoints takes
/// @param amplitudes nullable; receives the weights of the morph targets
void sceneFigure_Pose(const sceneFigure* figure, sceneClipKind clip, double time, float* matrices, float* amplitudes);

double sceneFigure_GetDuration(const sceneFigure* figure, sceneClipKind clip);

#endif
