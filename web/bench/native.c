// web/bench/native.c: frames that web/bench/record.mjs wrote, natively: times, and hashes to compare.
//
// usage: native FRAMES.bin [ROUNDS]. The file: for two models the counts of vertices, triangles and joints, positions,
// triangles, four joints and weights per vertex; then the number of kinds and of frames, and for each the matrices of
// both, 16 floats each. Prints a line `model N HASH` and a line `kind N MEAN WORST PAIRS HASH` in milliseconds.
#define _POSIX_C_SOURCE 200809L

#include <snug/snug.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_PAIRS (1 << 20)

typedef struct actor
{
	snugModel* model;
	snugBody* body;
	uint32_t jointCount;
} actor;

static snugPair pairs[MAX_PAIRS];

static const uint64_t emptyHash = 0xcbf29ce484222325u;

// FNV-1a over 32-bit words.
static uint64_t Hash(uint64_t hash, const uint32_t* words, size_t count)
{
	for (size_t i = 0; i < count; ++i)
	{
		hash = (hash ^ words[i]) * 0x100000001b3u;
	}
	return hash;
}

static double GetMilliseconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static char* ReadFile(const char* path)
{
	FILE* file = fopen(path, "rb");
	if (file == NULL || fseek(file, 0, SEEK_END) != 0)
	{
		return NULL;
	}
	size_t size = (size_t)ftell(file);
	char* data = malloc(size);
	rewind(file);
	bool good = data != NULL && fread(data, 1, size, file) == size;
	fclose(file);
	return good ? data : NULL;
}

static const char* MakeActor(const char* at, actor* a, int number)
{
	const uint32_t* counts = (const uint32_t*)at;
	snugModelDef def = { .vertexCount = counts[0], .triangleCount = counts[1], .deformer = snug_skin };
	def.skin = (snugSkinDef){ .jointCount = counts[2], .influencesPerVertex = 4 };
	at += 16;
	def.positions = (const float*)at;
	at += 12 * (size_t)def.vertexCount;
	def.triangles = (const uint32_t*)at;
	at += 12 * (size_t)def.triangleCount;
	def.skin.joints = (const uint16_t*)at;
	at += 8 * (size_t)def.vertexCount;
	def.skin.weights = (const float*)at;
	at += 16 * (size_t)def.vertexCount;
	a->jointCount = counts[2];
	if (snugModel_Create(&def, &a->model) != snug_success ||
	    snugBody_Create(&(snugBodyDef){ .model = a->model }, &a->body) != snug_success)
	{
		return NULL;
	}
	size_t bytes;
	const void* block = snugModel_GetBlock(a->model, &bytes);
	printf("model %d %016llx\n", number, (unsigned long long)Hash(emptyHash, block, bytes / 4));
	return at;
}

static double RunFrame(actor actors[2], const char* matrices, uint64_t* count)
{
	double begin = GetMilliseconds();
	for (int i = 0; i < 2; ++i)
	{
		if (snugBody_SetJoints4x4(actors[i].body, (const float*)matrices, 0, actors[i].jointCount) != snug_success)
		{
			exit(3);
		}
		matrices += 64 * (size_t)actors[i].jointCount;
	}
	*count = snugCollide(actors[0].body, actors[1].body, &(snugQuery){ .pairs = pairs, .capacity = MAX_PAIRS }).count;
	return GetMilliseconds() - begin;
}

static void RunKind(actor actors[2], const char* at, uint32_t frames, int rounds, uint32_t kind)
{
	size_t step = 64 * ((size_t)actors[0].jointCount + actors[1].jointCount);
	uint64_t hash = emptyHash, total = 0;
	double* best = malloc(frames * sizeof(*best));
	for (int r = 0; r < rounds; ++r)
	{
		for (uint32_t f = 0; f < frames; ++f)
		{
			uint64_t count;
			double time = RunFrame(actors, at + f * step, &count);
			best[f] = r == 0 || time < best[f] ? time : best[f];
			if (r == 0)
			{
				hash = Hash(hash, (const uint32_t*)pairs, 2 * count);
				total += count;
			}
		}
	}
	double sum = 0.0, worst = 0.0;
	for (uint32_t f = 0; f < frames; ++f)
	{
		sum += best[f];
		worst = best[f] > worst ? best[f] : worst;
	}
	printf("kind %u %.5f %.5f %llu %016llx\n", kind, sum / frames, worst, (unsigned long long)total,
	    (unsigned long long)hash);
	free(best);
}

int main(int argumentCount, char** arguments)
{
	char* data = argumentCount > 1 ? ReadFile(arguments[1]) : NULL;
	int rounds = argumentCount > 2 ? atoi(arguments[2]) : 1;
	const char* at = data;
	actor actors[2];
	for (int i = 0; at != NULL && i < 2; ++i)
	{
		at = MakeActor(at, actors + i, i);
	}
	if (at == NULL)
	{
		fprintf(stderr, "usage: native FRAMES.bin [ROUNDS]\n");
		return 2;
	}
	uint32_t kinds, frames;
	memcpy(&kinds, at, 4);
	memcpy(&frames, at + 4, 4);
	at += 8;
	for (uint32_t k = 0; k < kinds; ++k)
	{
		RunKind(actors, at, frames, rounds, k);
		at += (size_t)frames * 64 * (actors[0].jointCount + actors[1].jointCount);
	}
	free(data);
	return 0;
}
