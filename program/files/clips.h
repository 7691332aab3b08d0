// program/files/clips.h: which animation a name on the command line means.
//
// A name is looked for as it is, then as a number, then with case ignored, then as the start of a name, then as a part
// of one, case ignored too. What means several clips of a file means none: nobody is to be shown another animation than
// the one that was asked for.
#ifndef CLI_CLIPS_H
#define CLI_CLIPS_H

#include "program/files/scene.h"

/// How well a name fits, better ones later.
typedef enum cliFit
{
	cli_fitsNone = 0,
	cli_fitsSeveral, ///< and which one is meant is not clear
	cli_fitsPart,
	cli_fitsStart,
	cli_fitsButForCase,
	cli_fitsNumber,
	cli_fitsName,
} cliFit;

/// @param clip receives its number, or IO_NONE if the name fits none or several
cliFit cliFindClip(const ioAsset* asset, const char* name, uint32_t* clip);

/// The one clip that a name means in a file. Prints what is wrong, with the names that there are.
/// @return its number, or IO_NONE after a message
uint32_t cliAskForClip(const ioAsset* asset, const char* path, const char* name);

/// Set the clip of every file of a scene. One name is for all files that have it, several are one per file, in order;
/// "-" and files that are left over rest. Prints what is wrong.
bool cliChooseClips(cliScene* scene);

#endif
