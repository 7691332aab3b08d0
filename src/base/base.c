// src/base/base.c: see base.h.
#include "base/base.h"

#include "base/fpenv.h"

#include "base/format.h"

#include <stdlib.h>
#include <string.h>

static snugAssertFcn* assertHandler;
static void* assertUser;

void snugSetAssertHandler(snugAssertFcn* handler, void* user)
{
	assertHandler = handler;
	assertUser = user;
}

void sgMisuse(const char* condition, const char* function)
{
	if (assertHandler != NULL)
	{
		assertHandler(assertUser, condition, function);
	}
}

_Noreturn void sgBroken(const char* condition, const char* function)
{
	sgMisuse(condition, function);
	abort();
}

void sgCounters_Add(snugCounters* sum, const snugCounters* part)
{
	sum->nodesRefitted += part->nodesRefitted;
	sum->nodesAtFront += part->nodesAtFront;
	sum->nodesAboveFront += part->nodesAboveFront;
	sum->nodesBelowFront += part->nodesBelowFront;
	sum->volumeTests += part->volumeTests;
	sum->verticesEvaluated += part->verticesEvaluated;
	sum->triangleTests += part->triangleTests;
	sum->exactTests += part->exactTests;
	sum->certified += part->certified;
}

static void Tell(const snugMessenger* messenger, snugSeverity severity, const char* format, va_list arguments)
{
	if (messenger != NULL && messenger->message != NULL)
	{
		char text[256];
		sgFormat(text, sizeof(text), format, arguments);
		// Whatever the callback does to the floating-point environment, what goes on after it must not notice.
		sgFpEnv environment = sgFpEnv_Enter();
		messenger->message(messenger->user, severity, text);
		sgFpEnv_Leave(environment);
	}
}

bool sgIsZero(const void* memory, size_t bytes)
{
	const unsigned char* byte = memory;
	uint64_t any = 0;
	for (; bytes >= sizeof(any); bytes -= sizeof(any), byte += sizeof(any))
	{
		uint64_t word;
		memcpy(&word, byte, sizeof(word));
		any |= word;
	}
	for (; bytes > 0; --bytes, ++byte)
	{
		any |= *byte;
	}
	return any == 0;
}

snugStatus sgFail(const snugMessenger* messenger, snugStatus status, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	Tell(messenger, snug_error, format, arguments);
	va_end(arguments);
	return status;
}

void sgWarn(const snugMessenger* messenger, const char* format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	Tell(messenger, snug_warning, format, arguments);
	va_end(arguments);
}

const char* snugGetStatusText(snugStatus status)
{
	switch (status)
	{
		case snug_success:
			return "success";
		case snug_badArgument:
			return "bad argument";
		case snug_badInput:
			return "bad input";
		case snug_outOfMemory:
			return "out of memory";
		case snug_outOfRange:
			return "out of range";
		case snug_badFile:
			return "bad file";
		case snug_unsupportedVersion:
			return "unsupported version";
		case snug_ioError:
			return "input or output error";
		case snug_invalidBounds:
			return "invalid bounds";
		case snug_unavailable:
			return "no such device";
	}
	return "unknown status";
}

#define SG_TEXT_OF(value) #value
#define SG_VERSION_TEXT(major, minor, patch) SG_TEXT_OF(major) "." SG_TEXT_OF(minor) "." SG_TEXT_OF(patch)

const char* snugGetVersion(void)
{
	return SG_VERSION_TEXT(SNUG_VERSION_MAJOR, SNUG_VERSION_MINOR, SNUG_VERSION_PATCH);
}

#if defined(_WIN32)
#include <malloc.h>

static void* AllocateAligned(size_t size, size_t alignment)
{
	return _aligned_malloc(size, alignment);
}

static void ReleaseAligned(void* memory)
{
	_aligned_free(memory);
}

#else

static void* AllocateAligned(size_t size, size_t alignment)
{
	return aligned_alloc(alignment, size);
}

static void ReleaseAligned(void* memory)
{
	free(memory);
}

#endif

static void* AllocateFromLibc(void* user, size_t size, size_t alignment)
{
	(void)user;
	return AllocateAligned(size, alignment);
}

static void ReleaseToLibc(void* user, void* memory, size_t size)
{
	(void)user;
	(void)size;
	ReleaseAligned(memory);
}

snugAllocator sgAllocator_OrDefault(snugAllocator allocator)
{
	if (allocator.allocate == NULL)
	{
		return (snugAllocator){ .allocate = AllocateFromLibc, .release = ReleaseToLibc };
	}
	return allocator;
}

bool sgAllocator_IsValid(const snugAllocator* allocator)
{
	return (allocator->allocate == NULL) == (allocator->release == NULL);
}

// Sizes are rounded up alike when allocating and releasing, so that the user's release sees the size it gave out.
static size_t RoundedSize(size_t size)
{
	return size == 0 ? SG_ALIGNMENT : sgAlignUp(size, SG_ALIGNMENT);
}

void* sgAllocate(const snugAllocator* allocator, size_t size)
{
	if (size >= SG_MAX_SIZE)
	{
		return NULL;
	}
	sgFpEnv environment = sgFpEnv_Enter();
	void* memory = allocator->allocate(allocator->user, RoundedSize(size), SG_ALIGNMENT);
	sgFpEnv_Leave(environment);
	return memory;
}

void sgRelease(const snugAllocator* allocator, void* memory, size_t size)
{
	if (memory != NULL)
	{
		sgFpEnv environment = sgFpEnv_Enter();
		allocator->release(allocator->user, memory, RoundedSize(size));
		sgFpEnv_Leave(environment);
	}
}

bool sgGrow(const snugAllocator* allocator, void** array, size_t* capacity, size_t count, size_t more, size_t size)
{
	if (more <= *capacity - count)
	{
		return true;
	}
	size_t wanted = count + more + (count + more) / 2;
	void* grown = wanted < SG_MAX_SIZE / size ? sgAllocate(allocator, wanted * size) : NULL;
	if (grown == NULL)
	{
		return false;
	}
	if (count > 0)
	{
		memcpy(grown, *array, count * size);
	}
	sgRelease(allocator, *array, *capacity * size);
	*array = grown;
	*capacity = wanted;
	return true;
}
