// test/support/failing_memory.h: memory that lacks. For executables whose calls of malloc, calloc and realloc the
// linker sends here (--wrap in test/CMakeLists.txt); calls within other libraries stay as they are.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* memory, size_t size);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* memory, size_t size);

/// How many calls succeed before one fails; negative: none fails, or the one has failed.
static atomic_int callsBeforeFailure = -1;

static bool Fails(void)
{
	return callsBeforeFailure >= 0 && callsBeforeFailure-- == 0;
}

void* __wrap_malloc(size_t size)
{
	return Fails() ? NULL : __real_malloc(size);
}

void* __wrap_calloc(size_t count, size_t size)
{
	return Fails() ? NULL : __real_calloc(count, size);
}

void* __wrap_realloc(void* memory, size_t size)
{
	return Fails() ? NULL : __real_realloc(memory, size);
}
