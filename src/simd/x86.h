// src/simd/x86.h: what an x86 processor can do. By its own instructions: what compilers offer for it needs a library
// that not every system has.
#ifndef SG_X86_H
#define SG_X86_H

#if defined(__x86_64__)
#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

/// Whether all of these are there: registers that the system saves (bits of XCR0: 1 and 2 for those of 256 bits; 5, 6
/// and 7 besides for those of 512), and features (bits of CPUID: leaf 1 in ECX, leaf 7 in EBX).
static inline bool sgX86_Has(uint32_t saved, uint32_t leaf1, uint32_t leaf7)
{
	uint32_t a, b, c, d, low, high;
	leaf1 |= 1u << 27; // XGETBV may be used
	if (!__get_cpuid(1, &a, &b, &c, &d) || (c & leaf1) != leaf1)
	{
		return false;
	}
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (low & saved) == saved && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & leaf7) == leaf7;
}

#endif
#endif
