// lab/bench/machine.h: what the numbers were measured on.
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

typedef struct benchMachine
{
	char processor[96];
	int cores;
	const char* instructionSet; ///< that snug uses in this process
	const char* compiler;
	const char* version; ///< of snug
	const char* embree;  ///< its version, or "not installed"
} benchMachine;

benchMachine benchGetMachine(void);

#endif
