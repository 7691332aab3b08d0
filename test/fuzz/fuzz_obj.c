// test/fuzz/fuzz_obj.c: the OBJ reader. It reads files, so each input becomes one: the same temporary file every time.
#define _POSIX_C_SOURCE 200809L

#include "test/fuzz/fuzz_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[4096];
static int descriptor = -1;

static void RemoveFile(void)
{
	unlink(path);
}

static void OpenFile(void)
{
	const char* directory = getenv("TMPDIR");
	snprintf(path, sizeof(path), "%s/fuzz_obj_XXXXXX", directory != NULL ? directory : "/tmp");
	descriptor = mkstemp(path);
	FuzzCheck(descriptor >= 0);
	atexit(RemoveFile);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	if (descriptor < 0)
	{
		OpenFile();
	}
	FuzzCheck(ftruncate(descriptor, 0) == 0 && pwrite(descriptor, data, size, 0) == (ssize_t)size);
	ioLoadOptions options = { .format = io_obj };
	ioAsset asset;
	ioError error;
	bool loaded = ioLoad(path, &options, &asset, &error);
	FuzzUseAsset(loaded, &asset, &error);
	return 0;
}
