// program/pictures/recording.h: bodies in motion with their contacts, as pages hold them for web/page/viewer.js.
//
// Skins and rigid bodies are kept as matrices of their joints and amplitudes of their morph targets, other bodies as
// positions in 16 bits per coordinate. A recording that comes out larger than it may be is written again with every
// second frame, and so on.
#ifndef CLI_RECORDING_H
#define CLI_RECORDING_H

#include "program/pictures/picture.h"

#include <snug/snug.h>
#include <stdio.h>

typedef struct recording recording;

/// A surface that bodies have.
typedef struct recordedMesh
{
	const float* positions; ///< at rest; not read without joints
	uint32_t vertexCount;
	const uint32_t* triangles;
	uint32_t triangleCount;
	uint32_t jointCount;    ///< whose matrices bodies give frame by frame; 0: they give positions
	const uint32_t* starts; ///< with several joints: influences of vertex v are starts[v] to starts[v + 1] - 1
	const uint16_t* joints;
	const float* weights;
	uint32_t targetCount; ///< morph targets in front of the joints, whose amplitudes bodies give behind the matrices
	const uint32_t* targetStarts; ///< with targets: displacements of vertex v are targetStarts[v] to ... - 1, likewise
	const uint16_t* targets;
	const float* displacements; ///< x, y, z each
} recordedMesh;

/// How all of it is seen at first.
typedef struct recordedView
{
	float eye[3], target[3], vertical[3];
	float degrees; ///< height of the field of view
	float aspect;  ///< width over height of a window in which all is seen
	float ground;  ///< height, along the vertical, of the plane that shadows fall upon
	float size;    ///< of what is seen
} recordedView;

/// What boxes are drawn in.
typedef enum recordedInk
{
	recorded_dark,
	recorded_blue,
	recorded_orange,
} recordedInk;

/// When a body is drawn: the page may offer nodes instead of the surfaces that follow them.
typedef enum recordedWhen
{
	recorded_always,
	recorded_withoutNodes,
	recorded_withNodes,
} recordedWhen;

/// A colour that red stands out from, for each number.
const float* recordingGetColor(int number);

/// @return null if there is no memory; so do the others, quietly: recording_Print says so
recording* recording_Create(void);
/// @param r nullable
void recording_Destroy(recording* r);

/// Of the things below, meshes come first, then bodies, then frames.
/// @{

/// @return its number
int recording_AddMesh(recording* r, const recordedMesh* mesh);
/// The surface of a model: a rigid one or a linear skin by joints and morph targets, any other by positions, and so
/// skins whose targets would take more room than that.
int recording_AddModel(recording* r, const snugModel* model);
/// @return how many numbers bodies give per frame where they give matrices and amplitudes; 0: they give positions.
/// recording_AddModel decides by this
size_t recordingCountPosed(const snugModel* model);
/// @return its number
int recording_AddBody(recording* r, int mesh, const float color[3]);
/// Default: always.
void recording_SetWhen(recording* r, int body, recordedWhen when);

/// @param number of all frames that there were; ascending
/// @param pairs that were found in it
void recording_AddFrame(recording* r, uint64_t number, double time, uint64_t pairs);
/// Of the last frame, where they are known only later.
void recording_SetPairs(recording* r, uint64_t pairs);
/// Begin with the last frame, and draw it as the still; default: the one with the most pairs, or in the middle.
void recording_SetStart(recording* r);
/// Of the last frame: matrices of the body's joints (3 rows of 4 each) and amplitudes, or positions.
void recording_SetMotion(recording* r, int body, const float* numbers);
/// Of the last frame: triangles of a body that touch, ascending; at most once per body and frame.
void recording_SetContacts(recording* r, int body, const uint32_t* triangles, uint32_t count);
/// The same, by a byte per triangle.
void recording_SetMarks(recording* r, int body, const uint8_t* marks);
/// Of the last frame: the edges of a box along the world's axes.
void recording_AddBox(recording* r, const float lower[3], const float upper[3], recordedInk ink);

/// @}

/// What there is beside the frames that were recorded.
typedef struct recordingDef
{
	const char* id;   ///< unique on the page
	const char* what; ///< what is seen, for those who do not see it
	const recordedView* view;
	const uint64_t* bars; ///< nullable: pairs of all frames, or the most of so many; null: of those recorded
	uint64_t barCount;
	uint64_t total;   ///< frames in all; 0: those recorded
	const char* unit; ///< what is counted as pairs, in the singular; default "pair"; empty: nothing is
	size_t maxBytes;  ///< of what is printed; 0: 5 MB
} recordingDef;

/// Draw the frame that it begins with.
/// @return without data if there is no memory
pixels recording_Draw(const recording* r, const recordedView* view, int width, int height);

/// Print the viewer with its controls, the recording, and a picture of the frame that it begins with, for browsers that
/// cannot draw.
/// @return false if there was no memory
bool recording_Print(const recording* r, const recordingDef* def, FILE* stream);

#endif
