// test/driver/caller.h: what hostile but rightful callers do: odd floating-point modes, buffers that end where memory
// ends, inputs that cannot be written to, threads of every sort, callbacks that stop.
#ifndef DRIVER_CALLER_H
#define DRIVER_CALLER_H

#include "driver/world.h"

#include <stdatomic.h>

/// Call the library in a floating-point mode drawn by chance, and check that it is the same afterwards.
#define CALL(world, statement) \
	do                         \
	{                          \
		EnterMode(world);      \
		statement;             \
		LeaveMode(world);      \
	} while (0)

void EnterMode(World* world);
void LeaveMode(World* world);
/// The control word of this thread: whatever a mode is made of, without the flags.
unsigned ReadMode(void);

/// Room for results that ends where memory ends: one element too many is a fault. Filled with rubbish; all of it goes
/// with the step.
void* Room(World* world, uint64_t count, size_t size);
/// A copy that cannot be written to, nor read behind its end.
const void* Given(World* world, const void* data, size_t bytes);
#define GIVEN(world, value) Given(world, &(value), sizeof(value))
/// Elements `stride` bytes apart, of which the last ends with memory.
void* StridedRoom(World* world, uint64_t count, size_t size, size_t stride);
const void* StridedGiven(World* world, const void* data, uint64_t count, size_t size, size_t stride);
void FreeRooms(void);

/// A stride for elements of this size, a multiple of 4; zero at times, which means the size itself.
size_t DrawStride(World* world, size_t size);

/// Null, tasks in order, backwards, interleaved, or on threads.
snugParallelFcn* DrawParallel(World* world);

/// A messenger that insists on sentences.
snugMessenger Listener(void);
snugAllocator WorldAllocator(World* world);

/// What a callback heard.
typedef struct Heard
{
	snugPair* pairs;
	uint64_t count, capacity;
	uint64_t stopAfter; ///< zero: never
	unsigned mode;      ///< of the caller; zero: not looked at
	atomic_int inside;
	bool isOverlapped, isOtherMode, isTooMuch;
} Heard;

/// A snugPairFcn; `user` is a Heard.
bool Hear(void* user, snugPair pair);

#endif
