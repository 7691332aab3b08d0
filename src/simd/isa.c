// src/simd/isa.c: which kernels are used, decided once at run time. See kernels.h and isa_list.h.
#include "base/base.h"
#include "simd/kernels.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Of the sets in isa_list.h, SNUG_HAVE_name is 1 for those that the build compiled and 0 for all others.
#define IF_0(...)
#define IF_1(...) __VA_ARGS__
#define IF_(have) IF_##have
#define IF(have) IF_(have)

#define SG_ISA(name, processors, flags, isThere) IF(SNUG_HAVE_##name)(extern const sgKernels sgKernels_##name;)
#include "simd/isa_list.h"

#if defined(__x86_64__)
#define sgHasX86(feature) (__builtin_cpu_supports(feature) != 0)
#endif

#define SG_ISA(name, processors, flags, isThere) \
	IF(SNUG_HAVE_##name)(static bool IsThere_##name(void) { return isThere; })
#include "simd/isa_list.h"

static const struct
{
	const sgKernels* kernels;
	bool (*isThere)(void);
} sets[] = {
#define SG_ISA(name, processors, flags, isThere) IF(SNUG_HAVE_##name)({ &sgKernels_##name, IsThere_##name }, )
#include "simd/isa_list.h"
};

const sgKernels* sgFindKernels(int number)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
#endif
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); ++i)
	{
		if (sets[i].isThere() && number-- == 0)
		{
			return sets[i].kernels;
		}
	}
	return NULL;
}

// An unknown name is no wish at all, nor is one that the machine does not have.
static const sgKernels* Choose(void)
{
	const sgKernels *best = sgFindKernels(0), *next;
	const char* wish = getenv("SNUG_ISA");
	for (int i = 0; (next = sgFindKernels(i)) != NULL; ++i)
	{
		best = next;
		if (wish != NULL && strcmp(wish, next->name) == 0)
		{
			break;
		}
	}
	return best;
}

// Several threads may choose at once; all choose the same. Null: not chosen yet.
static _Atomic(const sgKernels*) current;

const sgKernels* sgGetKernels(void)
{
	const sgKernels* kernels = atomic_load_explicit(&current, memory_order_relaxed);
	if (kernels == NULL)
	{
		kernels = Choose();
		atomic_store_explicit(&current, kernels, memory_order_relaxed);
	}
	return kernels;
}

void sgSetKernels(const sgKernels* kernels)
{
	atomic_store_explicit(&current, kernels, memory_order_relaxed);
}

const char* snugGetInstructionSet(void)
{
	return sgGetKernels()->name;
}
