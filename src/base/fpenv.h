// src/base/fpenv.h: the floating-point environment that all of snug computes in.
//
// Exact predicates and bit identity rest on round-to-nearest with gradual underflow and no traps; hosts set
// flush-to-zero, other rounding modes, even traps. Every public function that computes enters this environment first
// and leaves it last. The work between must be in functions that are not inlined into the caller of Enter, since
// compilers may move arithmetic across the change.
#ifndef SG_FPENV_H
#define SG_FPENV_H

#include <float.h>
#include <stdint.h>

#if FLT_EVAL_METHOD != 0
#error "snug needs float and double arithmetic without excess precision (on 32-bit x86: -msse2 -mfpmath=sse)"
#endif

#if defined(__SSE2__)
#include <xmmintrin.h>

typedef struct sgFpEnv
{
	unsigned control;
} sgFpEnv;

static inline sgFpEnv sgFpEnv_Enter(void)
{
	sgFpEnv saved = { _mm_getcsr() };
	_mm_setcsr(0x1f80); // all exceptions masked, nearest, neither flush-to-zero nor denormals-are-zero
	return saved;
}

static inline void sgFpEnv_Leave(sgFpEnv saved)
{
	_mm_setcsr(saved.control);
}

#elif defined(__aarch64__)

typedef struct sgFpEnv
{
	uint64_t control;
} sgFpEnv;

static inline sgFpEnv sgFpEnv_Enter(void)
{
	sgFpEnv saved;
	__asm__ volatile("mrs %0, fpcr" : "=r"(saved.control));
	__asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0) : "memory");
	return saved;
}

static inline void sgFpEnv_Leave(sgFpEnv saved)
{
	__asm__ volatile("msr fpcr, %0" : : "r"(saved.control) : "memory");
}

#else
#include <fenv.h>

typedef struct sgFpEnv
{
	fenv_t environment;
} sgFpEnv;

static inline sgFpEnv sgFpEnv_Enter(void)
{
	sgFpEnv saved;
	fegetenv(&saved.environment);
	fesetenv(FE_DFL_ENV);
	return saved;
}

static inline void sgFpEnv_Leave(sgFpEnv saved)
{
	fesetenv(&saved.environment);
}

#endif
#endif
