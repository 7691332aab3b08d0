// papers/bdtree/heap_recording.h: worlds of bodies as pages show them: bodies with their contacts, frame by frame, and
// spheres of a level.
//
// Bodies are simulated and asked about with all of their triangles, and drawn with fewer: a chair has 18,000, and there
// may be 3,601. What is drawn of a fine triangle that touches is the coarse one that is nearest.
#ifndef PAPERS_HEAP_RECORDING_H
#define PAPERS_HEAP_RECORDING_H

#include "lab/scenes/mesh.h"
#include "papers/bdtree/world.h"
#include "program/pictures/recording.h"

/// A surface that moves by displacement fields, and what it is drawn as.
typedef struct heapMesh
{
	const sceneMesh* fine;
	sceneMesh coarse; ///< taken
	const float*
	    rest; ///< (3 * fine vertices) where fine vertices are in bodies, which need not be where the mesh has them
	uint32_t modeCount; ///< that are seen
	const float* fields;
} heapMesh;

typedef struct heapScene
{
	simWorld* world; ///< all of its bodies have one shape
	heapMesh body;
	heapMesh stage;          ///< without vertices: there is none
	const float* amplitudes; ///< of the stage
} heapScene;

typedef struct heapRecorder heapRecorder;

/// @param scene borrowed, as is what it has
/// @return null if there is no memory
heapRecorder* heapRecorder_Create(const heapScene* scene);
/// @param r nullable
void heapRecorder_Destroy(heapRecorder* r);

/// Record the world as it is after a step.
/// @return false if there is no memory
bool heapRecorder_AddFrame(heapRecorder* r, int number, double time, uint64_t contacts);

bool heapRecorder_Print(const heapRecorder* r, const recordingDef* def, FILE* stream);

/// Print spheres side by side: of the body with the most neighbours those of a level by growth, and its contact
/// spheres by whether they were updated in the last step; of the stage by growth, if there is one.
/// @return false if there is no memory
bool heapPrintSpheres(const simWorld* world, uint32_t level, FILE* stream);

#endif
