// program/pictures/page.h: pages that stand alone: one file, nothing fetched, for wide and narrow windows, light and
// dark.
//
// The one script of a page plays its film. Without scripts the film is a strip of pictures.
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "program/pictures/film.h"

#include <stdio.h>

void pageBegin(FILE* stream, const char* title);
void pageEnd(FILE* stream);

/// "12,345,678"
void pageNumber(FILE* stream, uint64_t number);

/// A number with what it means. `id` is nullable; `look` is "", "good" or "bad".
void pageCard(FILE* stream, const char* id, const char* look, const char* value, const char* meaning);

/// The film on a stage, with a button, a slider and the timeline of all frames; of one frame, its picture.
void pagePlayer(FILE* stream, const film* f, const cliTally* tally);

/// The film as a strip of pictures, and the script that plays it: after the player. Of one frame nothing.
void pageStrip(FILE* stream, const film* f, const cliTally* tally);

/// A picture as part of the page.
void pagePicture(FILE* stream, const filmShot* shot, const char* alternative);

#endif
