// io/text.h: words and lines of a text file in memory, for the formats that are text.
#ifndef IO_TEXT_H
#define IO_TEXT_H

#include "io/load.h"

typedef struct ioText
{
	const char *next, *end;
	unsigned long line; ///< that of `next`, from 1
	char comment;       ///< a word that starts with it ends the line; 0: none
} ioText;

/// A word: points into the text.
typedef struct ioWord
{
	const char* text;
	size_t length;
} ioWord;

ioText ioText_Make(const void* bytes, size_t count, char comment);

/// The next word of this line.
/// @return false if there is none
bool ioText_NextInLine(ioText* text, ioWord* word);

/// The next word, in whatever line.
bool ioText_Next(ioText* text, ioWord* word);

/// Go to the next line.
void ioText_SkipLine(ioText* text);

/// Whether a word is this one, which is in lower case.
bool ioWord_Is(ioWord word, const char* lower, bool ignoreCase);

/// A whole number from 0.
/// @return false if it is none, or above `most`
bool ioWord_ParseCount(ioWord word, uint64_t most, uint64_t* value);

/// The word for a message: short, and nothing that a terminal would act upon.
/// @return quoted
const char* ioWord_Quote(ioWord word, char quoted[40]);

/// Read three numbers that are finite floats. Sets the error.
/// @param inLine they must be in this line
bool ioText_ReadPosition(ioText* text, const ioLoader* loader, bool inLine, float position[3]);

#endif
