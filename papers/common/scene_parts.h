// papers/common/scene_parts.h: what the files of papers/common/scene_show.h share: a scene's bodies and frames, and
// what the kinds of scenes do differently.
#ifndef PAPERS_SCENE_PARTS_H
#define PAPERS_SCENE_PARTS_H

#include "lab/scenes/mesh.h"
#include "papers/common/scene_show.h"
#include "program/pictures/recording.h"
#include "snug/snug.h"

#define SHOW_FPS 30
#define SHOW_MAX_BODIES 24

typedef struct showKind showKind;

/// What came of a frame.
typedef struct showFrame
{
	double time, measure;
	uint64_t pairs, volumeTests, verticesEvaluated, triangleTests;
	uint64_t nodesVisited; ///< of all trees
	double looseness[2];   ///< of scenes of one body: its box over the optimal one, by Eq. (12) and by ours
	bool isVerified, differs;
} showFrame;

/// A body of a scene. All but the marks is the scene's.
typedef struct showBody
{
	const sceneMesh* mesh;
	const float* positions; ///< of the frame
	snugBody* posed;
	const snugMeshlessNode* nodes; ///< nullable: that have posed it
	const snugFrame* place;        ///< nullable: its frame, turned by nothing or by half a turn about y
	uint8_t* marks;                ///< per triangle: it intersects another body's
} showBody;

struct show
{
	const showKind* kind;
	void* scene; ///< what the kind keeps
	showBody bodies[SHOW_MAX_BODIES];
	int bodyCount;
	char contents[128]; ///< of how many bodies, and how large
	snugPair* pairs;
	showFrame* frames;
	int frameCount, frameCapacity;
	double start; ///< of the first frame, in seconds
	recording* recording;
};

/// A scene: how it is made and moved, and how it is shown.
struct showKind
{
	const char *name, *title, *how, *what;
	const char* boxed; ///< what the boxes in its pictures are
	const char* after; ///< who had it first
	struct
	{
		const char *name, *unit, *title, *what;
	} measure; ///< of a frame, beside what was found
	/// Set the scene, the bodies and what they are.
	bool (*create)(show* s, const showDef* def, simError* error);
	/// Nullable: simulate all frames before the first is shown.
	bool (*record)(show* s, showGoOnFcn* goOn, simError* error);
	/// Nullable: add to the recording what is no body, and hence is not asked about, after the bodies.
	void (*addExtras)(show* s);
	/// By a frame. Nullable: where all is follows from the frame, or was simulated before.
	bool (*advance)(show* s, simError* error);
	/// Pose all bodies, and say when it is and what was measured.
	bool (*pose)(show* s, showFrame* frame, simError* error);
	/// Choose boxes to draw, set what of the frame tells of them, and place extras.
	bool (*choose)(show* s, showFrame* frame, simError* error);
	void (*release)(void* scene);
	/// Nullable, as is the next: there is nothing to go on from.
	void (*write)(const show* s, FILE* stream);
	bool (*read)(show* s, FILE* stream, simError* error);
	int frames; ///< by default
	float eye[3], target[3], vertical[3], ground;
};

/// Add nodes of a meshless body to the recording, as small balls.
/// @return their number there
int show_AddNodes(show* s, int body, recordedWhen when);

/// Move a body of the recording as the nodes of a meshless body do, some way aside.
void show_PlaceNodes(show* s, int body, int number, const float aside[3]);

#define SHOW_RED                                                                                                      \
	" Triangles that intersect one of another body are <span class=\"red\">red</span> and outlined; where something " \
	"hides them they shine through."
#define SHOW_VISITED                                                                                                   \
	"Boxes of the nodes of the trees at which queries stopped: large where bodies are apart, small where they touch. " \
	"Nothing below them was looked at, but for leaves, whose triangles were."

extern const showKind showBrain, showRing, showFish, showCurtain, showCharacters;

/// Boxes where queries stopped: nodes that were looked at, and none below them.
bool show_ChooseVisited(show* s, showFrame* frame, simError* error);

/// @return what x and z of a body turn into: -1 after half a turn about y, otherwise 1
float show_GetSide(const snugFrame* place);

#endif
