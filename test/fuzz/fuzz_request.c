// test/fuzz/fuzz_request.c: requests to `snug view`: whatever is asked for is one of the files, and only by our own
// name.
#include "program/commands/request.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	static char urls[2][16] = { "/index.html", "/files/0.glb" };
	cliServedFile items[2] = { { .url = urls[0] }, { .url = urls[1] } };
	const cliServedFiles files = { .items = items, .count = 2 };
	size_t end = cliRequest_FindEnd((const char*)data, size);
	int file = -1;
	if (end > size)
	{
		abort();
	}
	if (end > 0 && cliRequest_Judge((const char*)data, end, 8080, &files, &file) == 200 && (file < 0 || file > 1))
	{
		abort();
	}
	return 0;
}
