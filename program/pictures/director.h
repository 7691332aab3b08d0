// program/pictures/director.h: from where the frames of a run are seen best.
//
// The camera stands to the side of the line between the first file and the others, a little above, so that neither
// hides the other; on the side from where contacts are seen; and so far away that every frame fits.
#ifndef CLI_DIRECTOR_H
#define CLI_DIRECTOR_H

#include "program/check/kept.h"
#include "program/pictures/picture.h"
#include "program/pictures/recording.h"

typedef struct director
{
	const cliScene* scene;
	const cliKeptFrame* worst; ///< the frame whose contacts are to be seen best
	int up;                    ///< axis that points up: 1 y, 2 z
	cliStage stage;
	float** positions; ///< per part
	uint8_t** marks;   ///< per part, per triangle: it touches something
	pictureMesh* meshes;
	picture* screen;
	int width, height; ///< of windows, or of the same shape
	float ground;      ///< height of the lowest vertex of all frames
	float size;        ///< of what moves through the picture
	float towards[3];  ///< from what is looked at to the camera, of unit length
	recordedView view;
	ioError error;
} director;

/// Files have colours of their own; of one file alone, its bodies do.
const float* cliGetPartColor(const cliScene* scene, int part);

/// @param kept frames that must fit into the picture
/// @return false after `error` was set; free with director_Free in any case
bool director_Create(director* d, const cliScene* scene, const cliKept* kept, int up, int width, int height);
void director_Free(director* d);

#endif
