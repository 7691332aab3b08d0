// program/check/ignored.h: pairs of joints whose contact nobody wants to hear of, from a file.
//
// A line has two names with a comma between them, in any order: `left hand, left thigh`. A name is that of a joint or
// node, with or without its rig's prefix, case ignored; `*` is any. What follows a # is a comment.
#ifndef CLI_IGNORED_H
#define CLI_IGNORED_H

#include "program/check/regions.h"

typedef struct cliIgnored
{
	uint8_t* sides; ///< (lineCount, regionCount) bit i: the region is name i of the line
	uint32_t lineCount, regionCount;
} cliIgnored;

/// Prints what is wrong: a name that no file has, say.
bool cliIgnored_Load(cliIgnored* ignored, const cliRegions* regions, const char* path);
void cliIgnored_Free(cliIgnored* ignored);

/// Leave out of a frame's pairs those of two regions that are ignored.
void cliIgnored_Filter(const cliIgnored* ignored, const cliRegions* regions, cliContacts* contacts);

#endif
