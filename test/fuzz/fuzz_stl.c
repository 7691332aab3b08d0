// test/fuzz/fuzz_stl.c: the STL reader.
#include "test/fuzz/fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	return FuzzReader(data, size, io_stl);
}
