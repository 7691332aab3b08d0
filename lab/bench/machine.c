#define _POSIX_C_SOURCE 200809L // sysconf

#include "lab/bench/machine.h"

#include "lab/bench/peer.h"
#include "snug/snug.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Linux tells in /proc/cpuinfo; elsewhere the name stays unknown.
static void GetProcessor(char* name, size_t size)
{
	char line[256];
	FILE* file = fopen("/proc/cpuinfo", "r");
	snprintf(name, size, "unknown");
	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
	{
		const char* value = strchr(line, ':');
		if (strncmp(line, "model name", 10) == 0 && value != NULL)
		{
			line[strcspn(line, "\n")] = '\0';
			snprintf(name, size, "%s", value + 1 + strspn(value + 1, " \t"));
			break;
		}
	}
	if (file != NULL)
	{
		fclose(file);
	}
}

benchMachine benchGetMachine(void)
{
	benchMachine machine = { .instructionSet = snugGetInstructionSet(),
		.compiler = BENCH_COMPILER,
		.version = snugGetVersion(),
		.embree = benchPeerEmbree.version != NULL ? benchPeerEmbree.version : "not installed" };
	GetProcessor(machine.processor, sizeof(machine.processor));
	machine.cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
	return machine;
}
