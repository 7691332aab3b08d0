// test/fuzz/make_seeds.c: what fuzzers start from. Usage: make_seeds DIRECTORY
//
// Writes the samples of test/support/io_files.h into DIRECTORY/fuzz_<format>/, from where tools/run-fuzzers starts.
#define _POSIX_C_SOURCE 200809L

#include "test/support/io_files.h"

#include <stdio.h>
#include <sys/stat.h>

int main(int argumentCount, char** arguments)
{
	Sample samples[32];
	int count = MakeSamples(samples), failures = 0;
	for (int i = 0; i < count; ++i)
	{
		char path[4096];
		const char* root = argumentCount > 1 ? arguments[1] : ".";
		mkdir(root, 0777);
		snprintf(path, sizeof(path), "%s/fuzz_%s", root, samples[i].format);
		mkdir(path, 0777);
		snprintf(path, sizeof(path), "%s/fuzz_%s/%s", root, samples[i].format, samples[i].name);
		FILE* file = fopen(path, "wb");
		size_t written = file != NULL ? fwrite(samples[i].bytes.data, 1, samples[i].bytes.count, file) : 0;
		if (file == NULL || fclose(file) != 0 || written != samples[i].bytes.count)
		{
			fprintf(stderr, "make_seeds: cannot write %s\n", path);
			++failures;
		}
		Bytes_Free(&samples[i].bytes);
	}
	return failures > 0;
}
