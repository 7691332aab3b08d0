// test/fuzz/fuzz_ply.c: the PLY reader.
#include "test/fuzz/fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	return FuzzReader(data, size, io_ply);
}
