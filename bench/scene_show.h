// bench/scene_show.h: a simulated scene, frame by frame: bodies, pairs, pictures, and the page that shows them.
#ifndef CLI_SCENE_SHOW_H
#define CLI_SCENE_SHOW_H

#include "sim/sim.h"

#include <stdio.h>

typedef struct showDef
{
	const char* name; ///< brain, ring or fish
	int vertexCount;  ///< zero: default, as are the others
	int nodeCount;
	int pull;
	bool hasMany;
} showDef;

typedef struct show show;

/// @return null, with the error set, if there is no such scene, or it cannot be made
show* show_Create(const showDef* def, int frames, simError* error);
void show_Destroy(show* s);
const char* show_GetName(const show* s);

/// Simulate one frame, ask about all pairs of bodies, take a picture; compare with brute force in every tenth.
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
