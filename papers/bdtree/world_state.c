// A world in a file, to go on from. See world.h.
#include "papers/bdtree/world_touch.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void WriteNumbers(FILE* stream, const double* numbers, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		fprintf(stream, " %a", numbers[i]);
	}
}

void simWorld_Write(const simWorld* world, FILE* stream)
{
	fprintf(stream, "world %u steps %" PRIu64 " grips %" PRIu64 "\n", world->count, world->stepCount, world->gripCount);
	for (uint32_t i = 0; i < world->count; ++i)
	{
		const simBody* body = world->bodies + i;
		WriteNumbers(stream, body->position, 3);
		WriteNumbers(stream, body->rotation, 4);
		WriteNumbers(stream, body->velocity, 3);
		WriteNumbers(stream, body->momentum, 3);
		WriteNumbers(stream, body->q, body->shape->modeCount);
		WriteNumbers(stream, body->dq, body->shape->modeCount);
		fputc('\n', stream);
	}
	for (uint32_t r = 0; r < world->runCount; ++r)
	{
		const simRun* run = world->runs + r;
		for (const simGrip* grip = world->grips + run->first; grip < world->grips + run->end; ++grip)
		{
			fprintf(stream, "%u %u %u %u", run->a, run->b, grip->nodeA, grip->nodeB);
			WriteNumbers(stream, grip->slide, 3);
			WriteNumbers(stream, &grip->ease, 1);
			WriteNumbers(stream, run->axis, 3);
			fputc('\n', stream);
		}
	}
}

static bool ReadNumbers(FILE* stream, double* numbers, uint32_t count)
{
	bool good = true;
	for (uint32_t i = 0; i < count && good; ++i)
	{
		good = fscanf(stream, " %la", &numbers[i]) == 1 && fabs(numbers[i]) <= 1e30; // false for NaN
	}
	return good;
}

static bool ReadBody(FILE* stream, simBody* body)
{
	bool good = ReadNumbers(stream, body->position, 3) && ReadNumbers(stream, body->rotation, 4) &&
	            ReadNumbers(stream, body->velocity, 3) && ReadNumbers(stream, body->momentum, 3) &&
	            ReadNumbers(stream, body->q, body->shape->modeCount) &&
	            ReadNumbers(stream, body->dq, body->shape->modeCount);
	double length2 = 0.0;
	for (int k = 0; k < 4 && good; ++k)
	{
		length2 += body->rotation[k] * body->rotation[k];
	}
	return good && fabs(length2 - 1.0) < 1e-6;
}

// Springs of the same bodies are a run.
static bool ReadGrips(simWorld* world, FILE* stream, uint64_t count)
{
	world->runCount = 0;
	for (uint64_t i = 0; i < count; ++i)
	{
		simGrip* grip = world->grips + i;
		simRun read = { .first = i, .end = i + 1 }, *last = world->runs + world->runCount - 1;
		bool good = fscanf(stream, " %u %u %u %u", &read.a, &read.b, &grip->nodeA, &grip->nodeB) == 4 &&
		            ReadNumbers(stream, grip->slide, 3) && ReadNumbers(stream, &grip->ease, 1) &&
		            ReadNumbers(stream, read.axis, 3);
		if (!good || read.a >= world->count || (read.b >= world->count && read.b < SIM_GROUND))
		{
			return false;
		}
		if (i > 0 && last->a == read.a && last->b == read.b)
		{
			last->end = i + 1;
		}
		else
		{
			world->runs[world->runCount++] = read;
		}
	}
	world->gripCount = count;
	return true;
}

bool simWorld_Read(simWorld* world, FILE* stream, simError* error)
{
	uint32_t count = 0;
	uint64_t steps = 0, grips = 0;
	if (fscanf(stream, " world %u steps %" SCNu64 " grips %" SCNu64, &count, &steps, &grips) != 3)
	{
		return simError_Set(error, "there is no world where one is expected");
	}
	if (count != world->count)
	{
		return simError_Set(error, "the world has %u bodies, not %u", count, world->count);
	}
	if (grips > UINT32_MAX || !simWorld_MakeRoom(world, grips, grips, error))
	{
		return simError_Set(error, "there are %llu springs, which is too many", (unsigned long long)grips);
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		if (!ReadBody(stream, world->bodies + i))
		{
			return simError_Set(error, "body %u has not enough finite numbers, or its rotation is none", i);
		}
		simBody_Orient(world->bodies + i);
	}
	if (!ReadGrips(world, stream, grips))
	{
		return simError_Set(error, "a spring is wrong");
	}
	world->stepCount = steps;
	return true;
}
