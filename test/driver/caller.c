// test/driver/caller.c: see caller.h.
#define _GNU_SOURCE // MAP_ANONYMOUS
#include "driver/caller.h"

#include "workers.h"

#include <fenv.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#define FLAGS 0x3fu
#endif

// --- Floating-point modes -------------------------------------------------------------------------------------------

typedef struct Mode
{
	int rounding;
	bool flushes; // subnormal operands and results count as zero
	bool traps;   // exceptions are signals
} Mode;

static const Mode modes[] = {
	{ FE_UPWARD, false, false },
	{ FE_DOWNWARD, false, false },
	{ FE_TOWARDZERO, false, false },
	{ FE_TONEAREST, true, false },
	{ FE_DOWNWARD, true, false },
	{ FE_TONEAREST, false, true },
	{ FE_UPWARD, true, true },
};

static fenv_t usual;
static unsigned entered;

unsigned ReadMode(void)
{
#if defined(__SSE2__)
	return _mm_getcsr() & ~FLAGS;
#else
	return 1u + (unsigned)fegetround();
#endif
}

void EnterMode(World* world)
{
	const bool isHostile = Chance(world, 0.4);
	const Mode mode = isHostile ? modes[Below(world, LENGTH_OF(modes))] : (Mode){ FE_TONEAREST, false, false };
	fegetenv(&usual);
	feclearexcept(FE_ALL_EXCEPT);
	fesetround(mode.rounding);
#if defined(__SSE2__)
	unsigned control = _mm_getcsr() & ~FLAGS;
	control |= mode.flushes ? 0x8040 : 0;
	control &= mode.traps ? ~0x1e80u : ~0u; // all that C knows
	_mm_setcsr(control);
#endif
	entered = ReadMode();
}

void LeaveMode(World* world)
{
	const unsigned left = ReadMode();
	fesetenv(&usual);
	EXPECT(world, left == entered, "the floating-point mode was %x and is %x", entered, left);
}

// --- Rooms ----------------------------------------------------------------------------------------------------------

typedef struct Mapping
{
	char* start;
	size_t bytes;
} Mapping;

enum
{
	MOST_MAPPINGS = 400
};
static Mapping mappings[MOST_MAPPINGS];
static int mappingCount;

// The last byte is before a page that cannot be touched.
static char* Map(World* world, size_t bytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), used = (bytes + page - 1) / page * page;
	char* start = mmap(NULL, used + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(world, start != MAP_FAILED && mappingCount < MOST_MAPPINGS, "no memory");
	mprotect(start + used, page, PROT_NONE);
	memset(start, 0xa5, used);
	mappings[mappingCount++] = (Mapping){ start, used + page };
	return start + used - bytes;
}

void FreeRooms(void)
{
	while (mappingCount > 0)
	{
		--mappingCount;
		munmap(mappings[mappingCount].start, mappings[mappingCount].bytes);
	}
}

void* StridedRoom(World* world, uint64_t count, size_t size, size_t stride)
{
	stride = stride == 0 ? size : stride;
	return Map(world, count > 0 ? (count - 1) * stride + size : 0);
}

void* Room(World* world, uint64_t count, size_t size)
{
	return StridedRoom(world, count, size, 0);
}

const void* StridedGiven(World* world, const void* data, uint64_t count, size_t size, size_t stride)
{
	char* copy = StridedRoom(world, count, size, stride);
	stride = stride == 0 ? size : stride;
	for (uint64_t i = 0; i < count; ++i)
	{
		Copy(copy + i * stride, (const char*)data + i * size, size);
	}
	const Mapping* mapping = &mappings[mappingCount - 1];
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	mprotect(mapping->start, mapping->bytes - page, PROT_READ);
	return copy;
}

const void* Given(World* world, const void* data, size_t bytes)
{
	return StridedGiven(world, data, 1, bytes, 0);
}

size_t DrawStride(World* world, size_t size)
{
	return Chance(world, 0.6) ? 0 : size + 4 * (size_t)Below(world, 5);
}

// --- Threads --------------------------------------------------------------------------------------------------------

static void RunInterleaved(void* user, uint32_t count, snugTaskFcn* task, void* context)
{
	(void)user;
	for (uint32_t first = 0; first < 7; ++first)
	{
		for (uint32_t i = 6 - first; i < count; i += 7)
		{
			task(context, i);
		}
	}
}

snugParallelFcn* DrawParallel(World* world)
{
	static snugParallelFcn* const functions[] = { RunInOrder, RunBackwards, RunInterleaved, RunOnThreads };
	return Chance(world, 0.6) ? NULL : functions[Below(world, LENGTH_OF(functions))];
}

// --- Messages, memory, callbacks ------------------------------------------------------------------------------------

static void Listen(void* user, snugSeverity severity, const char* text)
{
	(void)user;
	if ((severity != snug_error && severity != snug_warning) || text == NULL || strlen(text) < 8)
	{
		fprintf(stderr, "a message that says nothing\n");
		abort();
	}
}

snugMessenger Listener(void)
{
	return (snugMessenger){ .message = Listen };
}

snugAllocator WorldAllocator(World* world)
{
	return TestAllocator_Get(&world->allocator);
}

bool Hear(void* user, snugPair pair)
{
	Heard* heard = user;
	heard->isOverlapped = heard->isOverlapped || atomic_fetch_add(&heard->inside, 1) != 0;
	heard->isOtherMode = heard->isOtherMode || (heard->mode != 0 && ReadMode() != heard->mode);
	heard->isTooMuch = heard->isTooMuch || heard->count == heard->capacity;
	if (heard->count < heard->capacity)
	{
		heard->pairs[heard->count++] = pair;
	}
	const bool goesOn = heard->stopAfter == 0 || heard->count < heard->stopAfter;
	atomic_fetch_sub(&heard->inside, 1);
	return goesOn;
}
