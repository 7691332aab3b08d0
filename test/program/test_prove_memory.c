// Every allocation of a run of `snug prove` fails once. It ends with a message that memory lacks, or as if nothing had
// been; leaks nothing (the sanitizers' builds see that); and whatever it has written is whole: begun again in the same
// folder, it writes the proof that a run without failures writes.
#include "failing_memory.h"
#include "io_files.h"
#include "program/commands/commands.h"
#include "program/commands/terminal.h"
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_FILES 64

typedef struct Folder
{
	char names[MAX_FILES][64];
	Bytes files[MAX_FILES];
	int count;
} Folder;

static void ReadFolder(const char* path, Folder* folder)
{
	DIR* directory = opendir(path);
	folder->count = 0;
	for (struct dirent* entry; directory != NULL && (entry = readdir(directory)) != NULL;)
	{
		char name[512], bytes[4096];
		if (entry->d_name[0] == '.')
		{
			continue;
		}
		assert_true(folder->count < MAX_FILES && strlen(entry->d_name) < sizeof(folder->names[0]));
		strcpy(folder->names[folder->count], entry->d_name);
		folder->files[folder->count] = (Bytes){ NULL, 0, 0 };
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		FILE* file = fopen(name, "rb");
		assert_non_null(file);
		for (size_t got; (got = fread(bytes, 1, sizeof(bytes), file)) > 0;)
		{
			Bytes_Add(&folder->files[folder->count], bytes, got);
		}
		fclose(file);
		folder->count++;
	}
	if (directory != NULL)
	{
		closedir(directory);
	}
}

static void FreeFolder(Folder* folder)
{
	for (int i = 0; i < folder->count; ++i)
	{
		Bytes_Free(&folder->files[i]);
	}
}

static void RemoveFolder(const char* path)
{
	Folder folder;
	ReadFolder(path, &folder);
	for (int i = 0; i < folder.count; ++i)
	{
		char name[512];
		snprintf(name, sizeof(name), "%s/%s", path, folder.names[i]);
		assert_int_equal(remove(name), 0);
	}
	rmdir(path);
	FreeFolder(&folder);
}

// Nothing but steps and files of the proof, these as they should be. Whether steps are whole is seen by going on.
static void CompareWhole(const Folder* folder, const Folder* whole, bool isAll)
{
	int found = 0;
	for (int i = 0; i < folder->count; ++i)
	{
		for (int k = 0; k < whole->count; ++k)
		{
			if (strcmp(folder->names[i], whole->names[k]) == 0)
			{
				assert_int_equal(folder->files[i].count, whole->files[k].count);
				assert_memory_equal(folder->files[i].data, whole->files[k].data, whole->files[k].count);
				++found;
			}
		}
		if (found < i + 1 && (isAll || strncmp(folder->names[i], "step-", 5) != 0))
		{
			fail_msg("%s is there", folder->names[i]);
		}
		found = i + 1;
	}
	assert_true(!isAll || folder->count == whole->count);
}

static char message[512];

static void Hear(void* user, const char* text)
{
	(void)user;
	snprintf(message, sizeof(message), "%s", text);
}

// Run it, with words up to a null.
static int Prove(const char* const* words, const char* folder)
{
	char copies[32][64], *arguments[32];
	int count = 0;
	for (; words[count] != NULL; ++count)
	{
		snprintf(copies[count], sizeof(copies[0]), "%s", words[count]);
	}
	snprintf(copies[count++], sizeof(copies[0]), "-o");
	snprintf(copies[count++], sizeof(copies[0]), "%s", folder);
	snprintf(copies[count++], sizeof(copies[0]), "--threads");
	snprintf(copies[count++], sizeof(copies[0]), "1");
	for (int i = 0; i < count; ++i)
	{
		arguments[i] = copies[i];
	}
	arguments[count] = NULL;
	message[0] = '\0';
	return cliProve(count, arguments);
}

// What it prints is not looked at: 0 stays where it was.
static int HideOutput(void)
{
	fflush(stdout);
	const int kept = dup(STDOUT_FILENO);
	assert_true(kept >= 0 && freopen("/dev/null", "w", stdout) != NULL);
	return kept;
}

static void ShowOutput(int kept)
{
	fflush(stdout);
	assert_true(dup2(kept, STDOUT_FILENO) >= 0);
	close(kept);
}

static void FailEach(const char* const* words)
{
	Folder whole, folder;
	int call = 0, goneOn = 0, survived = 0;
	bool failed = true;
	cliDivertErrors(Hear, NULL);
	RemoveFolder("memory_whole");
	RemoveFolder("memory_failed");
	const int output = HideOutput();
	const int code = Prove(words, "memory_whole");
	ReadFolder("memory_whole", &whole);
	for (; code == CLI_DONE && failed; ++call)
	{
		callsBeforeFailure = call;
		const int result = Prove(words, "memory_failed");
		failed = callsBeforeFailure < 0;
		callsBeforeFailure = -1;
		const bool isUsage = result == CLI_BAD_USAGE && call < 3; // lists of options, which say something else
		if (result != CLI_DONE && !isUsage &&
		    (!failed || result != CLI_BAD_INPUT || strstr(message, "out of memory") == NULL))
		{
			ShowOutput(output);
			fail_msg("allocation %d: %d, %s", call, result, message);
		}
		survived += failed && result == CLI_DONE;
		ReadFolder("memory_failed", &folder);
		CompareWhole(&folder, &whole, result == CLI_DONE);
		for (int i = 0; result != CLI_DONE && i < folder.count; ++i)
		{
			if (strncmp(folder.names[i], "step-", 5) == 0)
			{
				FreeFolder(&folder);
				assert_int_equal(Prove(words, "memory_failed"), CLI_DONE);
				ReadFolder("memory_failed", &folder);
				CompareWhole(&folder, &whole, true);
				++goneOn;
				break;
			}
		}
		FreeFolder(&folder);
		RemoveFolder("memory_failed");
	}
	ShowOutput(output);
	cliDivertErrors(NULL, NULL);
	FreeFolder(&whole);
	RemoveFolder("memory_whole");
	print_message("%d allocations; %d runs went on, %d did without\n", call, goneOn, survived);
	assert_int_equal(code, CLI_DONE);
	assert_true(call > 50 && goneOn > 5);
}

static void every_allocation_may_fail(void** state)
{
	static const char* const rigid[] = { "memory.obj", "memory.obj", "--place", "0,0,0", "--place", "0.1,0.3,0.2",
		"--self", "--new-only", "--json", "--fps", "6", "--to", "0.5", NULL };
	static const char* const moving[] = { "memory.glb", "memory.obj", "--clip", "act", "--self", "--stray", "0.01",
		"--fps", "1", "--to", "1", NULL };
	Gltf troupe = MakeGltfTroupe();
	Bytes glb = Gltf_Make(&troupe, NULL);
	FILE* file = fopen("memory.glb", "wb");
	(void)state;
	assert_non_null(file);
	fwrite(glb.data, 1, glb.count, file);
	fclose(file);
	file = fopen("memory.obj", "w");
	assert_non_null(file);
	fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n", file);
	fclose(file);
	FailEach(rigid);
	FailEach(moving);
	Bytes_Free(&glb);
	Gltf_Free(&troupe);
	remove("memory.glb");
	remove("memory.obj");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(every_allocation_may_fail) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
