// lab/bench/bench.h: the benchmarks by name.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "lab/bench/report.h"

/// How much to run, and whom to tell.
typedef struct benchOptions
{
	bool full;         ///< all variants and frames: minutes. Else what decides the aims, within a minute
	bool quick;        ///< less still, where that takes long: a few seconds, not all aims
	bool progress;     ///< say on stderr what is going on
	int repeats;       ///< as the benchmark's row of the plan has it
	const char* model; ///< nullable: a file with a mesh to use instead of a generated one, for those that can
	const char*
	    models; ///< nullable: directory of real characters; default SNUG_MODELS of the environment, then build/models
} benchOptions;

typedef void benchFcn(const benchOptions* options, benchReport* report);

/// A row of the plan.
typedef struct benchDef
{
	const char* name;
	const char* title;
	benchFcn* run;
	bool isPart;    ///< of `papers`, which runs it: only if it is named
	int repeats[3]; ///< frames, or pairs of triangles, that are measured: with --quick, without, and with --full
} benchDef;

/// @return the plan: all benchmarks, ended by one without a name
const benchDef* benchGetAll(void);

/// @return null if there is none of that name
const benchDef* benchFind(const char* name);

/// Run one. The report is to be freed, whether it failed or not.
benchReport benchRun(const benchDef* def, const benchOptions* options);

/// One line on stderr that replaces the last one. Empty to clear it. Nothing if progress is off.
void benchProgress(const benchOptions* options, const char* text);

benchFcn benchPeers;
benchFcn benchScaling;
benchFcn benchCrowd;
benchFcn benchNear;
benchFcn benchSelf;
benchFcn benchSweep;
benchFcn benchGpu; // where libsnuggpu is
benchFcn benchLoad;
benchFcn benchTruth;
benchFcn benchMeshlessFit;
benchFcn benchMeshlessTightness;
benchFcn benchBrain;
benchFcn benchPapers;
benchFcn benchRing;
benchFcn benchFish;
benchFcn benchCurtain;
benchFcn benchModal;
benchFcn benchChairs;
benchFcn benchBridge;
benchFcn benchSkinTightness;
benchFcn benchSkinWalk;

/// A table of `crowd`: its broad phase beside others.
benchFcn benchBroad;

#endif
