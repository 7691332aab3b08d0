// snug_base.h: what all of snug's headers share: statuses, messages, memory, threads. snug.h includes it.
#ifndef SNUG_SNUG_BASE_H
#define SNUG_SNUG_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(SNUG_SHARED) && defined(_WIN32)
#if defined(SNUG_BUILDING)
#define SNUG_API __declspec(dllexport)
#else
#define SNUG_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define SNUG_API __attribute__((visibility("default")))
#else
#define SNUG_API
#endif

#ifdef __cplusplus
extern "C"
{
#endif

/// @defgroup base Status, messages, memory
/// @{

/// What a function returns. Zero is success.
typedef enum snugStatus
{
	snug_success = 0,
	snug_badArgument,        ///< misuse: a null pointer, a body of another kind, an unknown enumerator
	snug_badInput,           ///< wrong data: an index out of range, a position that is not finite
	snug_outOfMemory,        ///< the allocator returned null
	snug_outOfRange,         ///< too far from the query's origin for float32, or too many of something
	snug_badFile,            ///< not a model file, or a truncated, damaged or inconsistent one
	snug_unsupportedVersion, ///< a model file of another version of snug
	snug_ioError,            ///< a file could not be opened, read or written
	snug_invalidBounds,      ///< snugBody_Validate found a vertex outside a bound
	snug_unavailable         ///< there is no such device, or it failed
} snugStatus;

/// @return a short constant text for a status, never null
SNUG_API const char* snugGetStatusText(snugStatus status);

/// Instead of a number: no triangle, no body, no curve, no clip.
#define SNUG_NONE 0xffffffffu

/// How serious a message is.
typedef enum snugSeverity
{
	snug_error = 0, ///< the function fails
	snug_warning    ///< the input is accepted, but was repaired or looks wrong
} snugSeverity;

/// Receives one readable sentence, without a newline. The text is valid during the call only.
typedef void snugMessageFcn(void* user, snugSeverity severity, const char* text);

/// Where errors and warnings of one object go. Default: nowhere.
typedef struct snugMessenger
{
	snugMessageFcn* message; ///< nullable
	void* user;              ///< passed to `message`
} snugMessenger;

/// Where memory comes from. Default: the C library. Called by Create, Load, Save and Destroy functions only.
typedef struct snugAllocator
{
	/// Return at least `size` bytes aligned to `alignment` (a power of two up to 64), or null. They may hold anything.
	void* (*allocate)(void* user, size_t size, size_t alignment);
	/// Take back what `allocate` returned, with the same size. Never called with null.
	void (*release)(void* user, void* memory, size_t size);
	void* user; ///< passed to both
} snugAllocator;

/// One of several pieces of work that may be done at the same time.
typedef void snugTaskFcn(void* context, uint32_t index);

/// Call task(context, i) once for every i below `count`, on any threads and in any order, and return when all are done.
/// A loop would do; a thread pool does better.
typedef void snugParallelFcn(void* user, uint32_t count, snugTaskFcn* task, void* context);

/// Threads of yours. All zero: none, and whoever calls does all the work.
typedef struct snugWorkers
{
	snugParallelFcn* run; ///< nullable
	void* user;           ///< passed to `run`
} snugWorkers;

/// So much of something that takes long is done. Any of the workers calls it, never two at a time.
typedef void snugProgressFcn(void* user, uint64_t done, uint64_t all);

/// Called on misuse, before the function returns snug_badArgument. It may abort, log or break into a debugger.
typedef void snugAssertFcn(void* user, const char* condition, const char* function);

/// Install a handler for misuse; null removes it. Process-wide: call it before other threads use snug.
SNUG_API void snugSetAssertHandler(snugAssertFcn* handler, void* user);

/// The instruction set in use, as "scalar" or the name of a vector extension. Chosen once, at first use, by what the
/// machine has and what the environment variable SNUG_ISA asks for. Results do not depend on it.
SNUG_API const char* snugGetInstructionSet(void);

/// The version of the linked library, as "major.minor.patch".
SNUG_API const char* snugGetVersion(void);

/// @}

#ifdef __cplusplus
}
#endif

#endif
