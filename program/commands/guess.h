// program/commands/guess.h: which of several words somebody may have meant who mistyped one.
#ifndef CLI_GUESS_H
#define CLI_GUESS_H

#include <stddef.h>

/// Of ASCII, whatever the locale.
static inline char cliLower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

typedef struct cliGuess
{
	const char* typed;
	const char* best; ///< null: none is near
	int distance;     ///< of the best one
} cliGuess;

/// @param typed borrowed
cliGuess cliGuess_Begin(const char* typed);

/// Offer a word. Of words that are equally near the first is kept.
void cliGuess_Try(cliGuess* guess, const char* word);

/// Offer a word for each of its parts, as 'Armature|walk_loop' for 'walk'.
void cliGuess_TryParts(cliGuess* guess, const char* word);

/// @return " (did you mean 'word'?)" in `text`, or "" if nothing is near
const char* cliGuess_Print(const cliGuess* guess, char* text, size_t size);

#endif
