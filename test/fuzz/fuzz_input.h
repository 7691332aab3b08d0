// test/fuzz/fuzz_input.h: bytes of a fuzzer that become choices, one after the other; zeros when they run out.
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct Input
{
	const uint8_t* data;
	size_t size, at;
} Input;

static inline uint32_t Next(Input* input)
{
	return input->at < input->size ? input->data[input->at++] : 0;
}

// What must hold for every input. Not assert, which builds may leave out.
static inline void Require(bool condition)
{
	if (!condition)
	{
		abort();
	}
}

#endif
