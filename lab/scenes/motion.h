// lab/scenes/motion.h: bodies that ripple, and two of them that meet.
//
// A blob is a sphere whose radius is raised and lowered by a few plane waves; the amplitude of each wave is a
// function of time. It deforms everywhere at once, so every vertex is new in every frame. All of it is plain
// arithmetic, the same bits everywhere (see mesh.h).
#ifndef SCENES_MOTION_H
#define SCENES_MOTION_H

#include "lab/scenes/mesh.h"

#define SCENE_WAVES 4
#define SCENE_WAVE_HEIGHT 0.045

/// Plane waves over the unit sphere.
typedef struct sceneWaves
{
	double direction[SCENE_WAVES][3]; ///< radians per unit of length
	double phase[SCENE_WAVES];
} sceneWaves;

/// Another set of waves for every seed.
/// @param ripple how fine they are: 1 for three or four bumps around the sphere
sceneWaves sceneMakeWaves(uint64_t seed, double ripple);

/// @return the height of one wave at a point of the sphere, in [-1, 1]
double sceneWaves_Evaluate(const sceneWaves* waves, int wave, const float point[3]);

/// A blob that deforms.
typedef struct sceneBlob
{
	sceneMesh sphere;          ///< directions of the vertices, and the triangles
	float* heights;            ///< SCENE_WAVES per vertex
	double tempo[SCENE_WAVES]; ///< radians per frame of each wave's amplitude
	double phase[SCENE_WAVES];
} sceneBlob;

/// How much of each other two bodies touch.
typedef enum sceneContact
{
	scene_light = 0, ///< two blobs side by side that press into one another: some hundreds of pairs at 45K vertices
	scene_heavy,     ///< two blobs of about one size and place: many thousands of pairs
} sceneContact;

const char* sceneContact_GetName(sceneContact contact);

/// Two blobs in contact over `frameCount` frames, with the most contact in the middle.
typedef struct sceneEncounter
{
	sceneBlob blobs[2];
	float* positions[2]; ///< vertices at the last frame that was asked for
	sceneContact contact;
	int frameCount;
} sceneEncounter;

/// @return false if there is no memory
bool sceneEncounter_Create(sceneEncounter* encounter, uint32_t frequency, sceneContact contact, int frameCount);
void sceneEncounter_Free(sceneEncounter* encounter);

/// For free bodies: set positions[0] and positions[1] to the deformed vertices, placement included.
void sceneEncounter_Deform(sceneEncounter* encounter, int frame);

/// For rigid bodies, whose vertices are positions[] of sceneEncounter_Rest: where they are at a frame.
void sceneEncounter_Place(const sceneEncounter* encounter, int frame, snugFrame frames[2]);

/// Set positions[] to the undeformed bodies, centred at zero.
void sceneEncounter_Rest(sceneEncounter* encounter);

#endif
