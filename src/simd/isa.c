// src/simd/isa.c: see isa.h.
#include "simd/isa.h"

#include "kernels/kernels.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const sgKernels* const tables[] = {
	[sgIsa_scalar] = &sgKernels_scalar,
#if SNUG_HAVE_X86_KERNELS
	[sgIsa_sse2] = &sgKernels_sse2,
	[sgIsa_avx2] = &sgKernels_avx2,
	[sgIsa_avx512] = &sgKernels_avx512,
#endif
};

static int FindBest(void)
{
#if SNUG_HAVE_X86_KERNELS
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512bw"))
	{
		return sgIsa_avx512;
	}
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
	{
		return sgIsa_avx2;
	}
	return __builtin_cpu_supports("sse2") ? sgIsa_sse2 : sgIsa_scalar;
#else
	return sgIsa_scalar;
#endif
}

// An unknown name is no wish at all, and a name above what the machine has gives the best that it has.
static int Choose(void)
{
	int best = FindBest();
	const char* wish = getenv("SNUG_ISA");
	for (int i = 0; wish != NULL && i < best; ++i)
	{
		if (strcmp(wish, tables[i]->name) == 0)
		{
			return i;
		}
	}
	return best;
}

sgIsa sgGetIsa(void)
{
	// Several threads may choose at once; all choose the same. Zero: not chosen yet.
	static atomic_int chosenPlusOne;
	int chosen = atomic_load_explicit(&chosenPlusOne, memory_order_relaxed);
	if (chosen == 0)
	{
		chosen = Choose() + 1;
		atomic_store_explicit(&chosenPlusOne, chosen, memory_order_relaxed);
	}
	return (sgIsa)(chosen - 1);
}

static _Atomic(const sgKernels*) current; // null: not chosen yet

const sgKernels* sgGetKernels(void)
{
	const sgKernels* kernels = atomic_load_explicit(&current, memory_order_relaxed);
	if (kernels == NULL)
	{
		kernels = tables[sgGetIsa()];
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
