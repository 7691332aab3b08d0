// src/base/isa.c: see isa.h.
#include "base/isa.h"

#include "query/kernels.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// From the plainest to the richest: a machine that supports one supports those before it.
static const sgKernels* const tables[] = {
	&sgKernels_scalar,
#if SNUG_HAVE_X86_KERNELS
	&sgKernels_sse2,
	&sgKernels_avx2,
	&sgKernels_avx512,
#endif
};

enum
{
	TABLE_COUNT = sizeof(tables) / sizeof(tables[0])
};

static int CountSupported(void)
{
#if SNUG_HAVE_X86_KERNELS
	__builtin_cpu_init();
	if (!__builtin_cpu_supports("sse2"))
	{
		return 1;
	}
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
	{
		return 2;
	}
	if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512vl") ||
	    !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512bw"))
	{
		return 3;
	}
#endif
	return TABLE_COUNT;
}

// An unknown name is no wish at all, and a name above what the machine has gives the best that it has.
static const sgKernels* Choose(void)
{
	int best = CountSupported() - 1;
	const char* wish = getenv("SNUG_ISA");
	for (int i = 0; wish != NULL && i < best; ++i)
	{
		if (strcmp(wish, tables[i]->name) == 0)
		{
			best = i;
		}
	}
	return tables[best];
}

const sgKernels* sgGetKernels(void)
{
	// Several threads may choose at once; all choose the same.
	static _Atomic(const sgKernels*) chosen;
	const sgKernels* kernels = atomic_load_explicit(&chosen, memory_order_relaxed);
	if (kernels == NULL)
	{
		kernels = Choose();
		atomic_store_explicit(&chosen, kernels, memory_order_relaxed);
	}
	return kernels;
}

const char* snugGetInstructionSet(void)
{
	return sgGetKernels()->name;
}
