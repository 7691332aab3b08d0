// papers/common/scene_show.h: a simulated scene, frame by frame: bodies, pairs, pictures, and the page that shows them.
#ifndef PAPERS_SCENE_SHOW_H
#define PAPERS_SCENE_SHOW_H

#include "solvers/sim.h"

#include <stdio.h>

typedef struct showDef
{
	const char* name; ///< brain, ring, fish, curtain or characters
	int frames;       ///< zero: default, as are the others
	int vertexCount;
	int nodeCount;
	int pull;
	bool hasMany;
} showDef;

typedef struct show show;

/// @return null, with the error set, if there is no such scene, or it cannot be made
show* show_Create(const showDef* def, simError* error);
void show_Destroy(show* s);

/// Asked before each frame that is simulated. False: no more.
typedef bool showGoOnFcn(int frame, int frames);

/// Simulate frame by frame, where a scene needs all of a motion before any of it can be shown: the curtain. Afterwards
/// there are as many frames as were simulated.
/// @param recorded receives whether this is such a scene
bool show_Record(show* s, showGoOnFcn* goOn, bool* recorded, simError* error);

/// How many frames there will be.
int show_GetGoal(const show* s);

/// Go on by one frame, ask about all pairs of bodies, take pictures; compare with brute force in every tenth.
bool show_RunFrame(show* s, simError* error);

/// How many frames differed from brute force.
int show_CountDifferent(const show* s);

void show_PrintHead(const show* s, FILE* stream);
void show_PrintRow(const show* s, FILE* stream); ///< of the last frame
void show_PrintSummary(const show* s, FILE* stream);
void show_PrintPage(const show* s, FILE* stream);

void show_WriteState(const show* s, FILE* stream);
bool show_ReadState(show* s, FILE* stream, simError* error);

#endif
