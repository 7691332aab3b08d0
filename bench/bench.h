// bench/bench.h: the benchmarks by name.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "bench/report.h"

/// How much to run, and whom to tell.
typedef struct benchOptions
{
	bool full;         ///< all variants and frames: minutes. Else what decides the aims, within a minute
	bool quick;        ///< less still, where that takes long: a few seconds, not all aims
	bool explain;      ///< say also which nodes were loose, for those that can
	bool progress;     ///< say on stderr what is going on
	const char* model; ///< nullable: a file with a mesh to use instead of a generated one, for those that can
	const char*
	    models; ///< nullable: directory of real characters; default SNUG_MODELS of the environment, then build/models
} benchOptions;

typedef void benchFcn(const benchOptions* options, benchReport* report);

typedef struct benchDef
{
	const char* name;
	const char* title;
	benchFcn* run;
} benchDef;

/// @return all benchmarks, ended by one without a name
const benchDef* benchGetAll(void);

/// @return null if there is none of that name
const benchDef* benchFind(const char* name);

/// Run one. The report is to be freed, whether it failed or not.
benchReport benchRun(const benchDef* def, const benchOptions* options);

/// One line on stderr that replaces the last one. Empty to clear it. Nothing if progress is off.
void benchProgress(const benchOptions* options, const char* text);

benchFcn benchRigid;
benchFcn benchNear;
benchFcn benchContacts;
benchFcn benchSelf;
benchFcn benchFree;
benchFcn benchMeshlessFit;
benchFcn benchMeshlessTightness;
benchFcn benchBrain;
benchFcn benchPapers;
benchFcn benchRing;
benchFcn benchFish;
benchFcn benchChairs;
benchFcn benchBridge;
benchFcn benchBlend;
benchFcn benchScaling;
benchFcn benchPeers;
benchFcn benchSkinTightness;
benchFcn benchSkinWalk;
benchFcn benchCurtain;
benchFcn benchModal;
benchFcn benchCrowd;
benchFcn benchBroad;

#endif
