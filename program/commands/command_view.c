#define _POSIX_C_SOURCE 200809L

#include "io/gltf_write.h"
#include "io/plain.h"
#include "program/commands/commands.h"
#include "program/commands/options.h"
#include "program/commands/serve.h"
#include "program/commands/terminal.h"
#include "program/files/json.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const cliUsage usage = {
	.command = "view",
	.synopsis = "[options] [FILE [FILE2]]",
	.summary =
	    "Show characters and their contacts in a browser: prints the address of a page on this machine, and serves it "
	    "until Ctrl-C. Two files meet each other; one file meets itself; without files a man kicks a creature. Files "
	    "are of any format that `snug check` reads; of .snug files, what `snug modes` writes. More files can be "
	    "dropped on the page, .glb and .gltf with its data inside; they do not leave the browser.\n\n"
	    "Only this machine is answered (127.0.0.1), only requests to read, and only the page and the files named here. "
	    "`make web` builds the page.",
	.examples = "  snug view\n  snug view boxer.glb bag.glb\n  snug view --port 8080 fox.glb",
	.minArguments = 0,
	.maxArguments = 2,
	.argumentName = "FILE",
};

// Files and folders that a page may have: enough to tell it from a folder that was named by mistake.
#define MAX_FILES 500
#define MAX_DEPTH 5

static bool Add(cliServedFiles* files, char* url, char* path, char* text, size_t size)
{
	cliServedFile* items = realloc(files->items, ((size_t)files->count + 1) * sizeof(*items));
	if (items == NULL || url == NULL || (path == NULL && text == NULL))
	{
		files->items = items != NULL ? items : files->items;
		free(url);
		free(path);
		free(text);
		cliError("out of memory");
		return false;
	}
	files->items = items;
	files->items[files->count++] = (cliServedFile){ .url = url, .path = path, .text = text, .size = size };
	return true;
}

static char* Join(const char* a, const char* b, const char* c)
{
	size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
	char* text = malloc(size);
	if (text != NULL)
	{
		snprintf(text, size, "%s%s%s", a, b, c);
	}
	return text;
}

// Names that need no escapes in a URL; no hidden ones.
static bool IsPlainName(const char* name)
{
	return name[0] != '.' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == strlen(name);
}

static bool AddDirectory(cliServedFiles* files, const char* path, const char* url, int depth);

static bool AddEntry(cliServedFiles* files, const char* directory, const char* url, const char* name, int depth)
{
	struct stat status = { 0 };
	char *path = Join(directory, "/", name), *full = Join(url, "/", name);
	if (path == NULL || full == NULL || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
	{
		bool good = path != NULL && full != NULL &&
		            (!S_ISDIR(status.st_mode) || depth >= MAX_DEPTH || AddDirectory(files, path, full, depth + 1));
		free(path);
		free(full);
		return good;
	}
	return Add(files, full, path, NULL, 0);
}

static bool AddDirectory(cliServedFiles* files, const char* path, const char* url, int depth)
{
	DIR* directory = opendir(path);
	bool good = directory != NULL;
	for (struct dirent* entry; good && (entry = readdir(directory)) != NULL;)
	{
		good = !IsPlainName(entry->d_name) || AddEntry(files, path, url, entry->d_name, depth);
		if (files->count > MAX_FILES)
		{
			cliError("%s: more than %d files: this is not the page", path, MAX_FILES);
			good = false;
		}
	}
	if (directory != NULL)
	{
		closedir(directory);
	}
	return good;
}

static bool IsPage(const char* directory)
{
	char* index = Join(directory, "/", "index.html");
	bool is = index != NULL && access(index, R_OK) == 0;
	free(index);
	return is;
}

// Where `make web` puts the page, and where `make install` does, seen from the program itself.
static bool FindPage(const char* given, char found[4096])
{
	static const char* const places[] = { "../../web/site", "../share/snug/web" };
	for (size_t i = 0; given == NULL && i < sizeof(places) / sizeof(places[0]); ++i)
	{
		if (ioFindBeside(places[i], found) && IsPage(found))
		{
			return true;
		}
	}
	if (given != NULL && IsPage(given) && snprintf(found, 4096, "%s", given) < 4096)
	{
		return true;
	}
	cliError(given != NULL ? "%s: there is no page here"
	                       : "there is no page%s: `make web` builds it, --page DIR says where it is",
	    given != NULL ? given : "");
	return false;
}

static bool IsModelFile(const char* path)
{
	const char* ending = strrchr(ioFindName(path), '.');
	return ending != NULL && strcasecmp(ending, ".snug") == 0;
}

// What the page reads: models as they are, everything else as GLB.
static const char* GetEnding(const char* path)
{
	return IsModelFile(path) ? ".snug" : ".glb";
}

static void Warn(void* user, const char* text)
{
	(void)user;
	cliError("warning: %s", text);
}

// A file in memory, as GLB. Prints what is wrong.
static bool Convert(const char* path, char** text, size_t* size)
{
	const ioLoadOptions options = { .warning = Warn };
	ioAsset asset, plain;
	ioError error;
	bool good = ioLoad(path, &options, &asset, &error);
	if (good)
	{
		FILE* stream = open_memstream(text, size);
		good = stream != NULL ? ioMakePlain(&asset, path, &plain, &error) : ioError_SetMemory(&error, path);
		if (good)
		{
			good = ioPrintGlb(stream, path, &plain, NULL, &error) && ioFlush(stream, path, &error);
			ioAsset_Free(&plain);
		}
		if (stream != NULL)
		{
			fclose(stream);
		}
		ioAsset_Free(&asset);
	}
	if (!good)
	{
		cliError("%s%s", error.text, error.kind == io_unknownFormat ? ", and .snug" : "");
	}
	return good;
}

static bool AddNamedFile(cliServedFiles* files, const char* path, int number)
{
	char url[32], *text = NULL;
	size_t size = 0;
	struct stat status;
	snprintf(url, sizeof(url), "/files/%d%s", number, GetEnding(path));
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
	{
		cliError("%s: is not a file", path); // nobody may ever write to a pipe
		return false;
	}
	if (IsModelFile(path))
	{
		if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || access(path, R_OK) != 0)
		{
			cliError("%s: cannot be read", path);
			return false;
		}
		return Add(files, strdup(url), strdup(path), NULL, 0);
	}
	if (!Convert(path, &text, &size))
	{
		free(text);
		return false;
	}
	return Add(files, strdup(url), NULL, text, size);
}

// What the page asks for first: names and addresses of the files.
static bool AddList(cliServedFiles* files, int count, char** paths)
{
	char* text = NULL;
	size_t size = 0;
	FILE* stream = open_memstream(&text, &size);
	if (stream == NULL)
	{
		cliError("out of memory");
		return false;
	}
	fprintf(stream, "[");
	for (int i = 0; i < count; ++i)
	{
		fprintf(stream, "%s{\"name\":", i > 0 ? "," : "");
		cliPrintJsonString(stream, ioFindName(paths[i]));
		fprintf(stream, ",\"url\":\"files/%d%s\"}", i, GetEnding(paths[i]));
	}
	fprintf(stream, "]\n");
	fclose(stream);
	return Add(files, strdup("/files.json"), NULL, text, size);
}

// The list comes before the page, whose own, empty one is for other servers.
static bool Collect(cliServedFiles* files, const char* page, int count, char** paths)
{
	bool good = AddList(files, count, paths);
	for (int i = 0; good && i < count; ++i)
	{
		good = AddNamedFile(files, paths[i], i);
	}
	return good && AddDirectory(files, page, "", 0);
}

int cliView(int argumentCount, char** arguments)
{
	const char* given = NULL;
	int port = 0;
	const cliOption options[] = {
		{ "--port", cli_count, &port, "N", "listen at this port; default any that is free" },
		{ "--page", cli_text, &given, "DIR", "where the page is; default what `make web` or `make install` made" },
		{ .name = NULL },
	};
	cliParsed parsed = cliOptions_Parse(&usage, options, &argumentCount, arguments);
	if (parsed != cli_go)
	{
		return parsed == cli_help ? CLI_DONE : CLI_BAD_USAGE;
	}
	if (port > 65535)
	{
		cliError("--port: %d is above 65535", port);
		return CLI_BAD_USAGE;
	}
	char page[4096];
	static cliServedFiles files; // never freed: a thread may still be sending one when the program ends
	cliServer server;
	bool good = FindPage(given, page) && Collect(&files, page, argumentCount, arguments) &&
	            cliServer_Open(&server, &files, port);
	if (good)
	{
		printf("http://127.0.0.1:%d/\n", server.port);
		fflush(stdout);
		cliServer_Run(&server);
	}
	return good ? CLI_DONE : CLI_BAD_INPUT;
}
