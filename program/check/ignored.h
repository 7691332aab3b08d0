// program/check/ignored.h: contact that nobody wants to hear of: pairs of joints, from a file, and pairs of triangles
// that meet in the first frame.
//
// A line has two names with a comma between them, in any order: `left hand, left thigh`. A name is that of a joint or
// node, with or without its rig's prefix, case ignored; `*` is any. What follows a # is a comment.
#ifndef CLI_IGNORED_H
#define CLI_IGNORED_H

#include "program/check/regions.h"

/// How deep two regions reach past each other in the first frame.
typedef struct cliRegionDepth
{
	uint64_t key; ///< cliRegions_GetKey
	double depth;
} cliRegionDepth;

typedef struct cliIgnored
{
	uint8_t* sides; ///< (lineCount, regionCount) bit i: the region is name i of the line
	uint32_t lineCount, regionCount;
	bool newOnly;   ///< leave out what meets in the first frame, which `first` is then
	cliPair* first; ///< sorted; null before that frame
	uint64_t firstCount;
	cliRegionDepth* depths; ///< (firstCount) sorted: of regions that meet in that frame, if curves were asked for
	uint64_t depthCount;
} cliIgnored;

/// Prints what is wrong: a name that no file has, say.
bool cliIgnored_Load(cliIgnored* ignored, const cliRegions* regions, const char* path);
void cliIgnored_Free(cliIgnored* ignored);

/// Leave out of a frame's pairs those of two regions that are ignored, and those of the first frame. Curves are told
/// how deep their regions were there: a seam that is moved a little does not become new.
/// @param regions needed for lines, and with curves for new contact
/// @return false if there is no memory
bool cliIgnored_Filter(cliIgnored* ignored, const cliRegions* regions, cliContacts* contacts);

#endif
