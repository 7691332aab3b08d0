// program/files/shelf.h: files that were read and models that were made, kept for the next scene of the same process.
//
// A scene borrows from it what an earlier one with the same file, scale, clip and options has made, warnings included:
// what a scene is does not depend on what was there before. A file that has changed since, by its time or size, is read
// anew. For one thread.
#ifndef CLI_SHELF_H
#define CLI_SHELF_H

#include "program/files/scene.h"

typedef struct cliShelf cliShelf;

/// @param bytes about as much is kept between scenes
/// @return null if there is no memory
cliShelf* cliShelf_Create(size_t bytes);
void cliShelf_Destroy(cliShelf* shelf);

/// Let go of what was not used for the longest time, down to what may be kept. No scene may be using it.
void cliShelf_Trim(cliShelf* shelf);

/// A file that was read, and what reading it had to say. What the shelf gives stays its own.
/// @return false if it is not there, or has changed
bool cliShelf_FindAsset(cliShelf* shelf, cliScene* scene, cliFile* file);

/// Take a file over that was just read: the scene's copy is borrowed from now on.
/// @param firstWarning of the scene's warnings, those from this one on are the file's
void cliShelf_KeepAsset(cliShelf* shelf, cliScene* scene, cliFile* file, int firstWarning);

/// What was made of a file. It stays the shelf's.
/// @return false if it is not there
bool cliShelf_FindMade(cliShelf* shelf, cliScene* scene, cliFile* file);

/// Take over what was just made of a file: the scene's is borrowed from now on.
/// @param firstWarning as above
void cliShelf_KeepMade(cliShelf* shelf, cliScene* scene, cliFile* file, int firstWarning);

#endif
