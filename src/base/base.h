// src/base/base.h: status, messages, misuse and memory for the whole core.
#ifndef SG_BASE_H
#define SG_BASE_H

#include "snug/snug.h"

#if !defined(__GNUC__)
#error "snug needs gcc or clang"
#endif
#if defined(__FAST_MATH__)
#error "snug's answers rest on IEEE arithmetic: do not compile it with -ffast-math or -Ofast"
#endif

#if defined(__clang__)
#define SG_PRINTF(text, arguments) __attribute__((format(printf, text, arguments)))
#else // on Windows plain printf would mean Microsoft's, which has other formats than format.h
#define SG_PRINTF(text, arguments) __attribute__((format(gnu_printf, text, arguments)))
#endif
#define SG_NOINLINE __attribute__((noinline))
/// For functions whose arguments are constants at every call, and decide what is computed: a copy for each call, unless
/// the file is compiled for size (SNUG_FOR_SIZE).
#ifndef SNUG_FOR_SIZE
#define SNUG_FOR_SIZE 0
#endif
#if SNUG_FOR_SIZE
#define SG_INLINE static inline
#else
#define SG_INLINE static inline __attribute__((always_inline))
#endif
#define SG_ALIGN(bytes) __attribute__((aligned(bytes)))

/// After a type that model files are made of: its size is part of their format, whatever the compiler.
#define SG_STORED(type, bytes) _Static_assert(sizeof(type) == (bytes), #type " is part of the format of model files")

/// Everything that is processed side by side comes in eights, whatever the machine's registers hold.
#define SG_LANES 8

#define SG_REQUIRE_TEXT(function, condition, text, value) \
	do                                                    \
	{                                                     \
		if (!(condition))                                 \
		{                                                 \
			sgMisuse(text, function);                     \
			return value;                                 \
		}                                                 \
	} while (0)

/// Return `value` from the function if a promise of the API's user is broken, after telling the assert handler.
#define SG_REQUIRE(condition, value) SG_REQUIRE_TEXT(__func__, condition, #condition, value)

/// The same on behalf of the public function that was called.
#define SG_REQUIRE_IN(function, condition, value) SG_REQUIRE_TEXT(function, condition, #condition, value)

void sgMisuse(const char* condition, const char* function);

/// The same for a definition or query whose reserved members are not zero: it was not initialised, or it was made for a
/// later version. Nothing else in it can be trusted then, not even its messenger.
#define SG_REQUIRE_RESERVED(def, value) SG_REQUIRE_RESERVED_IN(__func__, def, value)
#define SG_REQUIRE_RESERVED_IN(function, def, value)                                                                 \
	do                                                                                                               \
	{                                                                                                                \
		if (!sgIsZero((def)->reserved, sizeof((def)->reserved)))                                                     \
		{                                                                                                            \
			sgMisuse("reserved members of " #def " are not zero: initialise all of the struct with zero", function); \
			return value;                                                                                            \
		}                                                                                                            \
	} while (0)

bool sgIsZero(const void* memory, size_t bytes);

/// Whether the library checks what it promises itself, as builds without NDEBUG do: the presets debug, asan, tsan and
/// fuzz.
#ifndef SG_CHECKED
#ifdef NDEBUG
#define SG_CHECKED 0
#else
#define SG_CHECKED 1
#endif
#endif

/// Tell the assert handler that such a promise is broken, and abort: there is no answer that could be trusted.
#define SG_CHECK(condition)                 \
	do                                      \
	{                                       \
		if (SG_CHECKED && !(condition))     \
		{                                   \
			sgBroken(#condition, __func__); \
		}                                   \
	} while (0)

_Noreturn void sgBroken(const char* condition, const char* function);

/// Format a message and pass it on; returns `status` so that `return sgFail(…)` reads as what it is.
snugStatus sgFail(const snugMessenger* messenger, snugStatus status, const char* format, ...) SG_PRINTF(3, 4);

/// Format a warning and pass it on.
void sgWarn(const snugMessenger* messenger, const char* format, ...) SG_PRINTF(2, 3);

/// Add what a part of a query cost.
void sgCounters_Add(snugCounters* sum, const snugCounters* part);

/// Alignment of every allocation: a cache line, and enough for any vector.
#define SG_ALIGNMENT 64

/// The allocator itself, or the C library's if it is zero.
snugAllocator sgAllocator_OrDefault(snugAllocator allocator);

/// An allocator is whole: both functions or neither.
bool sgAllocator_IsValid(const snugAllocator* allocator);

/// No allocation is as large as this: so sums of a few sizes never overflow, not even on 32-bit machines.
#define SG_MAX_SIZE (SIZE_MAX / 4)

/// Memory aligned to SG_ALIGNMENT, or null. A size of zero still gives a pointer that can be released.
void* sgAllocate(const snugAllocator* allocator, size_t size);
void sgRelease(const snugAllocator* allocator, void* memory, size_t size);

/// Make room for `more` elements of `size` bytes behind `count`; keeps the contents. False if there is no memory.
bool sgGrow(const snugAllocator* allocator, void** array, size_t* capacity, size_t count, size_t more, size_t size);

/// The stride to use: the given one, `least` for zero, or zero if it is too small or not a multiple of four.
static inline size_t sgStride(size_t stride, size_t least)
{
	stride = stride == 0 ? least : stride;
	return stride >= least && stride % 4 == 0 ? stride : 0;
}

/// The greater of two, or NaN if either is: so that what cannot be bounded does not look as if it were.
static inline double sgMost(double most, double x)
{
	return x <= most || most != most ? most : x;
}

/// Number of the lowest bit that is set; `bits` is not zero.
static inline uint32_t sgLowestBit(uint64_t bits)
{
	return (uint32_t)__builtin_ctzll(bits);
}

/// How many bits are set. The compiler's own is a call of a library function where the processor may lack the
/// instruction.
static inline uint32_t sgCountBits(uint64_t bits)
{
	bits -= bits >> 1 & 0x5555555555555555u;
	bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
	bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	return (uint32_t)(bits * 0x0101010101010101u >> 56);
}

/// Ask memory for what is read or written soon. Inlined, since gcc leaves out a call of a function that only asks for
/// memory.
SG_INLINE void sgPrefetch(const void* start, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += 64)
	{
		__builtin_prefetch((const char*)start + at);
	}
}

static inline size_t sgAlignUp(size_t value, size_t alignment)
{
	return (value + alignment - 1) & ~(alignment - 1);
}

#endif
