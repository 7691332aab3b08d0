// lab/scenes/character.h: characters made by arithmetic: a man and a creature with the counts of Kavan and Zara's
// models.
//
// Their models are not public. These have the same numbers of vertices, triangles and joints (spherical-blend-2006:
// a man with 4,435, 8,270 and 27, a creature with 6,682, 13,590 and 56), all of them met exactly. A closed surface has
// two triangles per vertex, less four. The man has fewer: these are 298 vertices along seams that lie on others. The
// creature has more: these are 230 triangles between vertices that are there anyway, skins between its toes and in
// hollows.
//
// A joint carries what is around the segment from its position to its end. Weights fall off smoothly with the distance
// from it, over about the radius of the limb, among joints that are neighbours in the skeleton; up to four per vertex.
// The same bits everywhere (see mesh.h).
#ifndef SCENES_CHARACTER_H
#define SCENES_CHARACTER_H

#include "lab/scenes/meshless.h"

#define SCENE_MAX_JOINTS 56
#define SCENE_MAX_INFLUENCES 4

typedef enum sceneCharacterKind
{
	scene_man = 0,
	scene_creature,
	SCENE_CHARACTERS
} sceneCharacterKind;

/// y is up, z ahead, x to the left; metres.
typedef struct sceneJoint
{
	int parent; ///< below its own number; -1 for the root
	double position[3];
	double end[3]; ///< of the bone
} sceneJoint;

/// Morph targets in the form that snugFieldsDef takes. Each moves the vertices around one spot.
typedef struct sceneTargets
{
	uint32_t count;
	uint32_t* starts;     ///< (vertexCount + 1)
	uint16_t* fields;     ///< (starts[vertexCount]), ascending for each vertex
	float* displacements; ///< (3 * starts[vertexCount])
} sceneTargets;

typedef struct sceneCharacter
{
	sceneCharacterKind kind;
	const char* name;
	sceneMesh mesh;
	sceneWeights weights;
	sceneTargets targets;
	sceneJoint joints[SCENE_MAX_JOINTS]; ///< (weights.transformCount)
	float jointPositions[3 * SCENE_MAX_JOINTS];
} sceneCharacter;

/// @return false if there is no memory
bool sceneCharacter_Create(sceneCharacter* character, sceneCharacterKind kind);
void sceneCharacter_Free(sceneCharacter* character);

/// A definition of a skin; everything in it is borrowed. Without morph targets: see sceneTargets_Get.
snugModelDef sceneCharacter_MakeDef(const sceneCharacter* character, snugBlending blending);
snugFieldsDef sceneTargets_Get(const sceneTargets* targets);
/// Room for all fields of all vertices.
bool sceneTargets_Allocate(sceneTargets* targets, size_t vertexCount, uint32_t fieldCount);
void sceneTargets_Free(sceneTargets* targets);

/// @defgroup poses Poses
/// Twelve floats per joint, three rows of four: what snugBody_SetJoints takes.
/// @{

/// A cycle of two steps, in place.
/// @param phase in cycles
void sceneCharacter_Walk(const sceneCharacter* character, double phase, float* matrices);

/// Bent and twisted: the man crouches and looks over his shoulder, the creature turns its head back.
/// @param amount 0 is rest; at 1 the papers' own bound for linear blending is about as loose at the creature's root as
/// they say (2.1)
void sceneCharacter_Contort(const sceneCharacter* character, double amount, float* matrices);

/// Amplitudes of the morph targets that go with a phase of the walk, in -0.5 to 1.
void sceneCharacter_Breathe(const sceneCharacter* character, double phase, float* amplitudes);

/// Two of a kind that walk towards and past one another, with the most contact in the middle. Men brush shoulders and
/// arms; creatures walk right through each other.
/// @param which 0 or 1
/// @param matrices receives the pose in a frame
/// @param place receives where it is
void sceneCharacter_Meet(
    const sceneCharacter* character, int which, int frame, int frameCount, float* matrices, snugFrame* place);

/// @}

#endif
