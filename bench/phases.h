// bench/phases.h: where the time of a frame went.
//
// The core has no clocks. Instead its tables of kernels are replaced by others that call the original ones and read a
// counter of cycles before and after (isa.h). Kernels are short, so the clocks cost as much as some of them: the same
// frames are run without clocks as well, what they took longer with them is shared out among the calls, and a frame's
// phases add up to what it takes without. For one thread at a time.
#ifndef BENCH_PHASES_H
#define BENCH_PHASES_H

typedef enum benchPhase
{
	bench_palette,    ///< posing: what is computed once per transform
	bench_refit,      ///< bounds: straight from the pose, around vertices, merged or grown
	bench_evaluation, ///< vertices
	bench_tests,      ///< of boxes against boxes
	bench_triangles,  ///< placing vertices, putting triangles together, filter and exact test
	bench_other,      ///< traversal, bookkeeping, sorting the pairs
	BENCH_PHASES
} benchPhase;

/// Keys of the phases in rows, ended by null.
extern const char* const benchPhaseKeys[BENCH_PHASES + 1];

/// Milliseconds.
typedef struct benchPhases
{
	double ms[BENCH_PHASES];
} benchPhases;

double benchPhases_GetSum(const benchPhases* phases);

/// What was counted of some frames.
typedef struct benchTally
{
	double elapsed; ///< milliseconds, clocks included
	double ms[BENCH_PHASES];
	double calls[BENCH_PHASES]; ///< of kernels with clocks
} benchTally;

/// Put clocks around all kernels, and take them away again.
void benchClocks_Start(void);
void benchClocks_Stop(void);

/// Begin a frame.
void benchClocks_Reset(void);

/// What kernels took since then; `elapsed` is left to the caller.
benchTally benchClocks_Read(void);

void benchTally_Add(benchTally* sum, const benchTally* more);

/// @param plain milliseconds that the same frames took without clocks
benchPhases benchTally_MakePhases(const benchTally* tally, double plain);

#endif
