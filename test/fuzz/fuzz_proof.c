// test/fuzz/fuzz_proof.c: what `snug prove` reads when it goes on: files of steps. Whatever they say, it is read within
// bounds; and what is taken for claims comes to parts that follow each other through all of the step.
#include "program/prove/outcome.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void Check(bool condition)
{
	if (!condition)
	{
		abort();
	}
}

static void CheckOutcome(const proveOutcome* outcome)
{
	Check(outcome->count > 0);
	for (size_t i = 0; i < outcome->count; ++i)
	{
		const provePart* part = outcome->parts + i;
		Check(part->end > part->start && part->start == (i == 0 ? 0.1 : part[-1].end));
		Check(i == 0 || part->verdict != part[-1].verdict);
	}
	Check(outcome->parts[outcome->count - 1].end == 0.3);
}

// Two bodies of 5 and 6 triangles, and the first one and itself.
static void ReadClaims(const char* text, size_t size)
{
	const size_t step = 7;
	const proveBlock blocks[2] = { { .step = step, .pair = 0, .a = 5, .b = 6, .start = 0.1, .end = 0.3 },
		{ .step = step, .pair = 1, .a = 5, .b = 5, .isSelf = true, .start = 0.1, .end = 0.3 } };
	for (size_t i = 0, at = 0; i < 2; ++i)
	{
		proveOutcome outcome = { .parts = NULL };
		const size_t length = proveOutcome_Read(&outcome, text + at, size - at, blocks + i);
		Check(length <= size - at && proveOutcome_Read(NULL, text + at, size - at, blocks + i) == length);
		Check(length == 0 || text[at + length - 1] == '\n');
		if (length > 0)
		{
			Check(proveOutcome_Finish(&outcome, 0.1, 0.3));
			CheckOutcome(&outcome);
		}
		at += length;
		free(outcome.parts);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	static const char digest[65] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	const size_t start = proveOutcome_FindClaims((const char*)data, size, 7, digest);
	Check(start <= size);
	ReadClaims((const char*)data + start, size - start);
	// The same with the head that it needs, as a file.
	char head[256];
	const size_t length = proveOutcome_PrintHead(7, digest, (const char*)data, size, head);
	char* file = malloc(length + size);
	Check(file != NULL);
	memcpy(file, head, length);
	if (size > 0)
	{
		memcpy(file + length, data, size);
	}
	Check(proveOutcome_FindClaims(file, length + size, 7, digest) == length);
	Check(proveOutcome_FindClaims(file, length + size, 8, digest) == 0);
	free(file);
	return 0;
}
