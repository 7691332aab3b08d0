// src/simd/isa.c: which kernels are used, decided once at run time. See kernels.h and isa_list.h.
#include "base/base.h"
#include "simd/kernels.h"
#include "simd/x86.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// clang-format off
#define SG_EACH_ISA(name, isThere) extern const sgKernels sgKernels_##name;
#include "simd/isa_list.h"

#define SG_EACH_ISA(name, isThere) static bool IsThere_##name(void) { return isThere; }
#include "simd/isa_list.h"

static const struct
{
	const sgKernels* kernels;
	bool (*isThere)(void);
} sets[] = {
#define SG_EACH_ISA(name, isThere) { &sgKernels_##name, IsThere_##name },
#include "simd/isa_list.h"
};
// clang-format on

const sgKernels* sgFindKernels(int number)
{
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); ++i)
	{
		if (sets[i].isThere() && number-- == 0)
		{
			return sets[i].kernels;
		}
	}
	return NULL;
}

// An unknown name is ignored, and so is one that the machine does not have.
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
	if (SNUG_BEST_ISA_ONLY) // nothing to choose, and compilers that see it call kernels by name
	{
		return sets[0].kernels;
	}
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
