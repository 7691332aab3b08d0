// gpu/lanes.h: what kernels need of the machine that they run on: a GPU, or a processor in place of one.
//
// A group is 32 lanes that work on one thing together. Kernels are written in phases:
//
//     LANES(l) { ... }
//
// is done for every lane l, and is done by all before the next phase begins: on a GPU lanes are the threads of a warp,
// with a barrier before and behind each phase; on a processor they are a loop. What is between phases is the same for
// all lanes, and the barrier before a phase keeps fast lanes from changing what slow ones still read there.
// What lives longer than a phase, and is not, lies in memory that the group shares (SHARED). So a race is a dependence
// between the lanes of one phase, and shows on a processor: tests run lanes forwards, backwards and shuffled, and
// nothing may change.
//
// Where all groups have to be done with something before any goes on, a kernel has steps:
//
//     KERNEL_IN_STEPS(name, tasks) { ...; return true; }
//
// is done by all groups for number 0, then for 1, and so on while it returns true, which it does for all or for none.
// On a GPU all groups run at once and wait for each other in between, which takes less time than another launch, and
// the less the fewer they are: no more take part than there are tasks.
//
// What a pointer leads to that a kernel finds in memory is FAR: not shared, so that it need not be waited for before
// something shared is stored.
//
// Arithmetic rounds every operation (-ffp-contract=off): positions and decisions are the library's bits. LOOSE, a
// product and a sum that may be fused, is for bounds, which allow for both roundings.
#ifndef SG_GPU_LANES_H
#define SG_GPU_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SG_GPU_LANES 32
/// Groups that are launched together.
#define SG_GPU_GROUPS 4

/// Who works in which order, on a processor. Null on a GPU.
typedef struct sgTurns
{
	uint32_t group, groupCount;
	uint32_t lanes[SG_GPU_LANES]; ///< in which order they work
} sgTurns;

#if defined(__NVPTX__)
#define KERNEL(name) __attribute__((nvptx_kernel)) void sgKernel_##name(sgWorld world, sgStep step)
#define KERNEL_IN_STEPS(name, tasks)                                                       \
	static inline bool name##Step_(const sgWorld* w, const sgStep* step, uint32_t number); \
	__attribute__((nvptx_kernel)) void sgKernel_##name(sgWorld world, sgStep step)         \
	{                                                                                      \
		const sgWorld* w = &world;                                                         \
		if (sgTakesPart(tasks))                                                            \
		{                                                                                  \
			for (uint32_t number = 0; name##Step_(w, &step, number); ++number)             \
			{                                                                              \
				sgGather(&w->counts->gathered);                                            \
			}                                                                              \
		}                                                                                  \
	}                                                                                      \
	static inline bool name##Step_(const sgWorld* w, const sgStep* step, uint32_t number)
#define LANES(l)                                                                                                 \
	for (uint32_t l = ((void)w, __nvvm_bar_warp_sync(~0u), __nvvm_read_ptx_sreg_tid_x() & 31), once_ = 1; once_; \
	     once_ = 0, __nvvm_bar_warp_sync(~0u))
#define SHARED(type, name)                                                  \
	static __attribute__((address_space(3))) type name##Of_[SG_GPU_GROUPS]; \
	type* const name = (type*)(name##Of_ + __nvvm_read_ptx_sreg_tid_x() / 32)
#define GROUP(w) (__nvvm_read_ptx_sreg_ctaid_x() * SG_GPU_GROUPS + __nvvm_read_ptx_sreg_tid_x() / 32)
#define GROUP_COUNT(w) (__nvvm_read_ptx_sreg_nctaid_x() * SG_GPU_GROUPS)
#define STEP_GROUP_COUNT(w) (sgBlocks_ * SG_GPU_GROUPS)
#define FAR __attribute__((address_space(1)))
#define LOOSE(a, b, c) __builtin_fmaf(a, b, c)
#define ROUND_UP(x) __nvvm_d2f_rp(x)
#define ROOT(x) __nvvm_sqrt_rn_d(x)
#else
#include <math.h>
#define KERNEL(name)                                                  \
	static void name##Once_(sgWorld world, sgStep step);              \
	bool sgKernel_##name(sgWorld world, sgStep step, uint32_t number) \
	{                                                                 \
		(void)number;                                                 \
		name##Once_(world, step);                                     \
		return false;                                                 \
	}                                                                 \
	static void name##Once_(sgWorld world, sgStep step)
#define KERNEL_IN_STEPS(name, tasks)                                                \
	static bool name##Step_(const sgWorld* w, const sgStep* step, uint32_t number); \
	bool sgKernel_##name(sgWorld world, sgStep step, uint32_t number)               \
	{                                                                               \
		return name##Step_(&world, &step, number);                                  \
	}                                                                               \
	static bool name##Step_(const sgWorld* w, const sgStep* step, uint32_t number)
#define LANES(l) for (uint32_t turn_ = 0, l; turn_ < SG_GPU_LANES && (l = w->turns->lanes[turn_], true); ++turn_)
#define SHARED(type, name) \
	type name##Of_;        \
	type* const name = &name##Of_
#define GROUP(w) (w)->turns->group
#define GROUP_COUNT(w) (w)->turns->groupCount
#define STEP_GROUP_COUNT(w) (w)->turns->groupCount
#define FAR
#define LOOSE(a, b, c) ((a) * (b) + (c))
#define ROUND_UP(x) sgRoundUp(x)
#define ROOT(x) sqrt(x)
#endif

/// Do something for all numbers below `count`, each group for some of them.
#define EACH(n, count) for (uint64_t n = GROUP(w), end_ = (count); n < end_; n += GROUP_COUNT(w))
/// The same in a step.
#define EACH_OF_STEP(n, count) for (uint64_t n = GROUP(w), end_ = (count); n < end_; n += STEP_GROUP_COUNT(w))

#define ADD(place, value) __atomic_fetch_add(place, value, __ATOMIC_RELAXED)

#if defined(__NVPTX__)
static __attribute__((address_space(3))) uint32_t sgBlocks_; ///< of a launch, that take part

/// Whether a block of groups takes part, where there are so many tasks for groups.
static inline bool sgTakesPart(uint64_t tasks)
{
	const uint64_t wanted = (tasks + SG_GPU_GROUPS - 1) / SG_GPU_GROUPS;
	const uint32_t all = (uint32_t)__nvvm_read_ptx_sreg_nctaid_x();
	const uint32_t blocks = wanted < 1 ? 1 : wanted < all ? (uint32_t)wanted : all;
	if (__nvvm_read_ptx_sreg_tid_x() == 0)
	{
		sgBlocks_ = blocks;
	}
	__nvvm_bar_sync(0);
	return (uint32_t)__nvvm_read_ptx_sreg_ctaid_x() < blocks;
}

/// Wait for all other groups that take part. Each block adds to a word, which all together change by its highest bit.
static inline void sgGather(uint32_t* word)
{
	__nvvm_bar_sync(0);
	if (__nvvm_read_ptx_sreg_tid_x() == 0)
	{
		const uint32_t own = __nvvm_read_ptx_sreg_ctaid_x() == 0 ? 0x80000001u - sgBlocks_ : 1;
		__nvvm_membar_gl();
		const uint32_t before = ADD(word, own);
		while (((*(volatile uint32_t*)word ^ before) & 0x80000000u) == 0)
		{
		}
		__nvvm_membar_gl();
	}
	__nvvm_bar_sync(0);
}
#endif

/// Raise a number that others raise too.
static inline void sgRaise(uint32_t* place, uint32_t value)
{
	uint32_t before = __atomic_load_n(place, __ATOMIC_RELAXED);
#if defined(__NVPTX__)
	if (before < value)
	{
		__atomic_fetch_max(place, value, __ATOMIC_RELAXED);
	}
#else
	while (before < value &&
	       !__atomic_compare_exchange_n(place, &before, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
	{
	}
#endif
}

/// Eight bytes of anything.
typedef uint64_t __attribute__((may_alias)) sgEight;

/// Four floats that are loaded and stored at once.
typedef float sgFloat4 __attribute__((vector_size(16)));

/// Load four floats that no lane changes meanwhile: at once even if one of them is not looked at.
static inline sgFloat4 sgLoadFour(FAR const sgFloat4* from)
{
#if defined(__NVPTX__)
	return __nvvm_ldg_f4((const sgFloat4*)from);
#else
	return *from;
#endif
}

#endif
