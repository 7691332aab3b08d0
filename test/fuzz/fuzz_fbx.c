// test/fuzz/fuzz_fbx.c: the FBX reader.
#include "test/fuzz/fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	return FuzzReader(data, size, io_fbx);
}
