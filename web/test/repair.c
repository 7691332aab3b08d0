// web/test/repair.c: gives model blocks the checksum that their bytes have, so that it does not stand in a test's way.
// stdin and stdout: any number of blocks, each a length of four bytes and as many bytes. See
// test/fuzz/fuzz_model_file.c.
#include "base/checksum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The layout of src/model/block.c.
enum
{
	HEADER_BYTES = 64,
	CHECKSUM_OFFSET = 24,
};

int main(void)
{
	uint32_t length;
	while (fread(&length, sizeof(length), 1, stdin) == 1)
	{
		unsigned char* block = malloc((size_t)length + 1);
		if (block == NULL || fread(block, 1, length, stdin) != length)
		{
			return 1;
		}
		if (length >= HEADER_BYTES)
		{
			memset(block + CHECKSUM_OFFSET, 0, sizeof(uint64_t));
			uint64_t sum =
			    sgChecksum(block, HEADER_BYTES) ^ (sgChecksum(block + HEADER_BYTES, length - HEADER_BYTES) << 1);
			memcpy(block + CHECKSUM_OFFSET, &sum, sizeof(sum));
		}
		if (fwrite(&length, sizeof(length), 1, stdout) != 1 || fwrite(block, 1, length, stdout) != length)
		{
			return 1;
		}
		free(block);
	}
	return 0;
}
