// Edit distance with swaps of neighbours (optimal string alignment), in three rows of the table.
#include "program/commands/guess.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 63

static int Least(int a, int b)
{
	return a < b ? a : b;
}

// Letters to change, insert, remove or swap with their neighbours to get from one word to the other, case ignored;
// words longer than 63 letters are compared up to there.
static int EditDistance(const char* a, const char* b)
{
	int rows[3][LONGEST + 1]; // for the letters of a up to i - 2, i - 1 and i
	int lengthA = (int)strlen(a), lengthB = (int)strlen(b);
	lengthA = Least(lengthA, LONGEST);
	lengthB = Least(lengthB, LONGEST);
	for (int j = 0; j <= lengthB; ++j)
	{
		rows[0][j] = j;
	}
	for (int i = 1; i <= lengthA; ++i)
	{
		int *row = rows[i % 3], *above = rows[(i + 2) % 3], *twoAbove = rows[(i + 1) % 3];
		row[0] = i;
		for (int j = 1; j <= lengthB; ++j)
		{
			char x = cliLower(a[i - 1]), y = cliLower(b[j - 1]);
			row[j] = Least(Least(above[j], row[j - 1]) + 1, above[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == cliLower(b[j - 2]) && y == cliLower(a[i - 2]))
			{
				row[j] = Least(row[j], twoAbove[j - 2] + 1);
			}
		}
	}
	return rows[lengthA % 3][lengthB];
}

cliGuess cliGuess_Begin(const char* typed)
{
	return (cliGuess){ typed, NULL, 0 };
}

// One letter in four may be wrong, and one more: beyond that it is another word.
static void TryAs(cliGuess* guess, const char* part, const char* word)
{
	int distance = EditDistance(guess->typed, part);
	if (distance <= 1 + (int)strlen(part) / 4 && distance < (int)strlen(part) &&
	    (guess->best == NULL || distance < guess->distance))
	{
		guess->best = word;
		guess->distance = distance;
	}
}

void cliGuess_Try(cliGuess* guess, const char* word)
{
	TryAs(guess, word, word);
}

void cliGuess_TryParts(cliGuess* guess, const char* word)
{
	static const char* const separators = "|_-.:/ ";
	char part[LONGEST + 1];
	for (const char* p = word + strspn(word, separators); *p != '\0'; p += strspn(p, separators))
	{
		size_t length = strcspn(p, separators);
		size_t kept = length < LONGEST ? length : LONGEST;
		memcpy(part, p, kept);
		part[kept] = '\0';
		TryAs(guess, part, word);
		p += length;
	}
}

const char* cliGuess_Print(const cliGuess* guess, char* text, size_t size)
{
	text[0] = '\0';
	if (guess->best != NULL)
	{
		snprintf(text, size, " (did you mean '%.60s'?)", guess->best);
	}
	return text;
}
