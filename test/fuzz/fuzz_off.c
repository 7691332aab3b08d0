// test/fuzz/fuzz_off.c: the OFF reader.
#include "test/fuzz/fuzz_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	return FuzzReader(data, size, io_off);
}
