// program/pictures/director.h: pictures of a scene's frames, all from one place that suits them.
//
// The camera stands to the side of the line between the first file and the others, a little above, so that neither
// hides the other; on the side from where contacts are seen; and so far away that every frame fits.
#ifndef CLI_DIRECTOR_H
#define CLI_DIRECTOR_H

#include "program/check/contacts.h"
#include "program/pictures/picture.h"

typedef struct director
{
	const cliScene* scene;
	const cliContactOptions* options;
	int up; ///< axis that points up: 1 y, 2 z
	cliStage stage;
	cliContacts contacts;
	float** positions; ///< per part
	uint8_t** marks;   ///< per part, per triangle: it touches something
	pictureMesh* meshes;
	picture* screen;
	int width, height; ///< of pictures
	float ground;      ///< height of the lowest vertex of all frames
	float size;        ///< of what moves through the picture
	float towards[3];  ///< from what is looked at to the camera, of unit length
	camera camera;
	ioError error;
} director;

/// @param height of pictures; 0: what suits the scene, from 9/16 to 4/5 of the width
/// @param times of frames that must fit into the pictures
/// @param worst time of the frame whose contacts are to be seen best
/// @return false after `error` was set; free with director_Free in any case
bool director_Create(director* d, const cliScene* scene, const cliContactOptions* options, int up, int width,
    int height, const double* times, int timeCount, double worst);
void director_Free(director* d);

/// Draw what is at a time.
/// @param near look at what touches, from nearby; whether anything does is in `contacts`
/// @return without data after `error` was set
pixels director_Draw(director* d, double time, bool near);

#endif
