// program/pictures/film.h: the frames of a run as pictures: those of a page, or a strip in one picture.
#ifndef CLI_FILM_H
#define CLI_FILM_H

#include "program/check/tally.h"

typedef struct filmShot
{
	uint64_t frame;
	uint8_t* png;
	size_t bytes;
} filmShot;

typedef struct film
{
	filmShot* shots; ///< evenly spread over the frames
	int count;
	int worst;      ///< the shot with the most pairs
	filmShot close; ///< the frame with the most pairs, from nearby; without bytes if nothing touches
	int width, height;
} film;

/// What to film.
typedef struct filmDef
{
	const cliScene* scene;
	const cliContactOptions* options;
	const cliTally* tally;
	int up;          ///< axis that points up: 1 y, 2 z
	size_t maxBytes; ///< of all pictures together
} filmDef;

/// Prints what is wrong. Free with film_Free in any case.
bool film_Make(film* f, const filmDef* def);
void film_Free(film* f);

/// Frames side by side over a timeline, as one PNG file, to be freed. Null after a message.
uint8_t* filmMakeStrip(const filmDef* def, size_t* bytes);

#endif
