#define _POSIX_C_SOURCE 200809L // st_mtim

#include "program/files/shelf.h"

#include "io/grow.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

// What reading or making something had to say.
typedef struct sayings
{
	char** texts;
	int count;
} sayings;

// What was made of a file for a clip and some options.
typedef struct variant
{
	uint32_t clip;
	int blending;
	bool anyWeights;
	cliMade made;
	sayings said;
} variant;

typedef struct book
{
	char* path;
	double scale;
	struct timespec changed;
	off_t size;
	snugAsset* asset;
	sayings said;
	variant* variants;
	int variantCount;
	uint64_t used; ///< when, counted in scenes' questions
	size_t bytes;
} book;

struct cliShelf
{
	book* books;
	int count;
	size_t capacity;
	uint64_t now;
	size_t bytes, most;
};

cliShelf* cliShelf_Create(size_t bytes)
{
	cliShelf* shelf = calloc(1, sizeof(cliShelf));
	if (shelf != NULL)
	{
		shelf->most = bytes;
	}
	return shelf;
}

static void FreeSayings(sayings* said)
{
	for (int i = 0; i < said->count; ++i)
	{
		free(said->texts[i]);
	}
	free(said->texts);
}

static void FreeBook(book* b)
{
	for (int i = 0; i < b->variantCount; ++i)
	{
		cliMade_Free(&b->variants[i].made);
		FreeSayings(&b->variants[i].said);
	}
	free(b->variants);
	snugAsset_Destroy(b->asset);
	FreeSayings(&b->said);
	free(b->path);
}

void cliShelf_Destroy(cliShelf* shelf)
{
	for (int i = 0; shelf != NULL && i < shelf->count; ++i)
	{
		FreeBook(shelf->books + i);
	}
	if (shelf != NULL)
	{
		free(shelf->books);
	}
	free(shelf);
}

static void Drop(cliShelf* shelf, int which)
{
	shelf->bytes -= shelf->books[which].bytes;
	FreeBook(shelf->books + which);
	shelf->books[which] = shelf->books[--shelf->count];
}

void cliShelf_Trim(cliShelf* shelf)
{
	while (shelf->bytes > shelf->most && shelf->count > 0)
	{
		int oldest = 0;
		for (int i = 1; i < shelf->count; ++i)
		{
			oldest = shelf->books[i].used < shelf->books[oldest].used ? i : oldest;
		}
		Drop(shelf, oldest);
	}
}

// ---- Sayings ---------------------------------------------------------------------------------------------------

// Copies of a scene's warnings from one on. Without memory none: better than no scene.
static sayings CopyWarnings(const cliScene* scene, int first)
{
	int count = scene->warningCount - first;
	sayings said = { count > 0 ? calloc((size_t)count, sizeof(char*)) : NULL, 0 };
	for (int i = 0; said.texts != NULL && i < count; ++i)
	{
		said.texts[said.count] = strdup(scene->warnings[first + i]);
		said.count += said.texts[said.count] != NULL;
	}
	return said;
}

static void SayAgain(const sayings* said, cliScene* scene)
{
	for (int i = 0; i < said->count; ++i)
	{
		cliScene_Warn(scene, said->texts[i]);
	}
}

// ---- Files -----------------------------------------------------------------------------------------------------

static book* FindBook(cliShelf* shelf, const cliFile* file)
{
	for (int i = 0; i < shelf->count; ++i)
	{
		book* b = shelf->books + i;
		if (b->scale == file->scale && strcmp(b->path, file->path) == 0)
		{
			b->used = ++shelf->now;
			return b;
		}
	}
	return NULL;
}

// Windows tells seconds only.
static struct timespec GetChanged(const struct stat* status)
{
#if defined(_WIN32)
	return (struct timespec){ .tv_sec = status->st_mtime };
#else
	return status->st_mtim;
#endif
}

static bool IsSame(const book* b, const struct stat* status)
{
	return b->size == status->st_size && b->changed.tv_sec == GetChanged(status).tv_sec &&
	       b->changed.tv_nsec == GetChanged(status).tv_nsec;
}

bool cliShelf_FindAsset(cliShelf* shelf, cliScene* scene, cliFile* file)
{
	struct stat status;
	book* b = FindBook(shelf, file);
	if (b == NULL)
	{
		return false;
	}
	if (stat(file->path, &status) != 0 || !IsSame(b, &status))
	{
		Drop(shelf, (int)(b - shelf->books));
		return false;
	}
	file->asset = b->asset;
	file->isShelved = true;
	SayAgain(&b->said, scene);
	return true;
}

void cliShelf_KeepAsset(cliShelf* shelf, cliScene* scene, cliFile* file, int firstWarning)
{
	struct stat status;
	if (!ioGrow(&shelf->books, &shelf->capacity, (size_t)shelf->count + 1, sizeof(book)))
	{
		return;
	}
	book* b = shelf->books + shelf->count;
	*b = (book){ .path = strdup(file->path), .scale = file->scale, .used = ++shelf->now };
	// Pipes and devices cannot be read again, nor asked whether they changed.
	if (b->path == NULL || stat(file->path, &status) != 0 || !S_ISREG(status.st_mode))
	{
		free(b->path);
		return;
	}
	b->changed = GetChanged(&status);
	b->size = status.st_size;
	b->asset = file->asset;
	b->said = CopyWarnings(scene, firstWarning);
	b->bytes = 4 * (size_t)status.st_size; // about what is in memory of a file that is packed well
	shelf->bytes += b->bytes;
	shelf->count++;
	file->isShelved = true;
}

// ---- Models ----------------------------------------------------------------------------------------------------

bool cliShelf_FindMade(cliShelf* shelf, cliScene* scene, cliFile* file)
{
	const book* b = file->isShelved ? FindBook(shelf, file) : NULL;
	for (int i = 0; b != NULL && i < b->variantCount; ++i)
	{
		const variant* v = b->variants + i;
		if (v->clip == file->clip && v->blending == scene->options->blending &&
		    v->anyWeights == scene->options->anyWeights)
		{
			file->made = v->made;
			file->isMadeShelved = true;
			SayAgain(&v->said, scene);
			return true;
		}
	}
	return false;
}

void cliShelf_KeepMade(cliShelf* shelf, cliScene* scene, cliFile* file, int firstWarning)
{
	book* b = file->isShelved ? FindBook(shelf, file) : NULL;
	variant* grown = b != NULL ? realloc(b->variants, ((size_t)b->variantCount + 1) * sizeof(variant)) : NULL;
	if (grown == NULL)
	{
		return;
	}
	b->variants = grown;
	grown[b->variantCount++] = (variant){ .clip = file->clip,
		.blending = scene->options->blending,
		.anyWeights = scene->options->anyWeights,
		.made = file->made,
		.said = CopyWarnings(scene, firstWarning) };
	file->isMadeShelved = true;
	b->bytes += cliMade_GetBytes(&file->made);
	shelf->bytes += cliMade_GetBytes(&file->made);
}
