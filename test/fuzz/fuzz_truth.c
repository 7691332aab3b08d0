// test/fuzz/fuzz_truth.c: files of a truth set from someone who wishes us ill. The hash is repaired before reading, so
// that it does not stand in the way; what gets in must hold together.
#include "lab/truth/score.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static volatile uint64_t sum; // so that what is read is read

static void Walk(const truthFile* file)
{
	const uint8_t *at = NULL, *pairs;
	for (uint64_t f = 0; file->kind == truth_frames && f < file->count; ++f)
	{
		sum += truthFile_GetPositions(file, f, 1)[12 * (size_t)file->bodies[1].vertexCount - 1];
	}
	for (uint64_t count; file->kind == truth_frameAnswers && (at = truthFile_NextFrame(file, at, &pairs, &count));)
	{
		sum += count > 0 ? pairs[8 * count - 1] : 0;
	}
	truthScore score = { 0 };
	uint64_t worst;
	if (file->kind == truth_pairAnswers)
	{
		score = truthScore_Pairs(file, file, 0, file->count);
	}
	else if (file->kind == truth_frameAnswers && !truthScore_Frames(&score, &worst, file, file))
	{
		return;
	}
	if (score.missed + score.invented != 0)
	{
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	truthFile file;
	char error[160];
	uint8_t* bytes = malloc(size + 1);
	if (bytes == NULL)
	{
		return 0;
	}
	memcpy(bytes, data, size);
	if (size >= 64)
	{
		uint64_t hash = truthHash(TRUTH_HASH_START, bytes + 64, size - 64);
		memcpy(bytes, "snugtrut\1\0\0", 12);
		memcpy(bytes + 16, &hash, sizeof(hash));
	}
	if (truthFile_Parse(&file, bytes, size, error))
	{
		Walk(&file);
	}
	free(bytes);
	return 0;
}
