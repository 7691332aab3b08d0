// test/driver/driver.c: random worlds, random operations, exact truth.
//
// Usage: test_driver [--seconds N] [--rounds N] [--steps N] [--failures N] [--extreme] [--trace] [--table] [--only
// STEP,...]
//                    [--shrink]
//
// SNUG_SEED is the seed of the first round; the next round has the next number, and so on. Without --seconds there are
// as many rounds as SNUG_TEST_SCALE says. A failure names the seed of its round: with that as SNUG_SEED, `--rounds 1`
// repeats it, and `--shrink` looks for few steps that fail too, and says how to repeat those.
#define _POSIX_C_SOURCE 200809L
#include "driver/operations.h"

#include "program/files/clock.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Operation
{
	const char* name;
	uint32_t weight;
	bool (*run)(World* world);
	uint64_t draws, answers; // how often it was drawn, and had something to compare
	double time;             // in milliseconds
} Operation;

#define ROW(name, weight) { #name, weight, name, 0, 0, 0.0 },
static Operation operations[] = { OPERATIONS(ROW) };
#undef ROW

enum
{
	MOST_STEPS = 400,
	ROUNDS = 120,           // of a run that says nothing else
	SECONDS_PER_STEP = 300, // and no more, or it hangs
};

typedef struct Options
{
	double seconds;                   // zero: rounds count
	uint32_t rounds, steps, failures; // at most
	bool isExtreme, isTraced, isTold, isShrunk;
	bool isChosen, chosen[MOST_STEPS]; // these steps only
} Options;

typedef struct Sums
{
	uint64_t rounds, steps, questions, contacts, failures;
} Sums;

// --- Rounds ---------------------------------------------------------------------------------------------------------

static const World* current; // for signals

static Operation* DrawOperation(World* world)
{
	uint32_t sum = 0, i = 0;
	for (size_t k = 0; k < LENGTH_OF(operations); ++k)
	{
		sum += operations[k].weight;
	}
	uint32_t at = Below(world, sum);
	while (at >= operations[i].weight)
	{
		at -= operations[i++].weight;
	}
	return operations + i;
}

static uint32_t misuses; // that were told during the step

static void CountMisuse(void* user, const char* condition, const char* function)
{
	(void)user;
	misuses += condition[0] != '\0' && strncmp(function, "snug", 4) == 0;
}

static void RunStep(World* world, uint32_t step, bool isTraced)
{
	world->step = step;
	world->told[0] = '\0';
	world->random.state = (world->seed * 1000003u + step + 1) * 0x9e3779b97f4a7c15u;
	Operation* operation = DrawOperation(world);
	world->operation = operation->name;
	alarm(SECONDS_PER_STEP);
	const double start = clockThread();
	misuses = 0;
	const bool isAnswered = operation->run(world);
	EXPECT(world, operation->run == Refuse || misuses == 0, "%u misuses are told", misuses);
	EXPECT(world, operation->run != Refuse || misuses > 0, "misuse is not told");
	operation->time += clockThread() - start;
	alarm(0);
	FreeRooms();
	FreeScratch();
	++operation->draws;
	operation->answers += isAnswered;
	if (isTraced)
	{
		printf("%4u %s%s: %s\n", step, operation->name, isAnswered ? "" : " (nothing to ask)", world->told);
	}
}

static void PrintRepeat(const World* world, const Options* options, const char* how)
{
	printf("  again: SNUG_SEED=%llu test_driver --rounds 1%s%s\n", (unsigned long long)world->seed,
	    options->isExtreme ? " --extreme" : "", how);
}

// @return whether all was well
static bool RunRound(uint64_t seed, const Options* options, Sums* sums)
{
	World* world = World_Make(seed, options->isExtreme || seed % 5 == 0);
	current = world;
	const uint32_t steps = world->actorCount > 0 ? 40 + Below(world, MOST_STEPS - 39) : 0;
	volatile int outcome = world->isBroken ? 1 : 0;
	const int jumped = setjmp(world->failed);
	outcome = jumped != 0 ? jumped : outcome;
	for (uint32_t step = 0; outcome == 0 && step < steps && step < options->steps; ++step)
	{
		if (!options->isChosen || options->chosen[step])
		{
			RunStep(world, step, options->isTraced);
			++sums->steps;
		}
	}
	FreeRooms();
	FreeScratch();
	sums->questions += world->questions;
	sums->contacts += world->contactsSeen;
	++sums->rounds;
	if (outcome == 1)
	{
		World_Print(world);
		PrintRepeat(world, options, "");
		++sums->failures;
	}
	current = NULL;
	const bool isClean = World_Free(world);
	if (!isClean && outcome != 1)
	{
		printf(
		    "BAD memory is not given back\n  again: SNUG_SEED=%llu test_driver --rounds 1\n", (unsigned long long)seed);
		++sums->failures;
	}
	fflush(stdout);
	return outcome != 1 && isClean;
}

// A fault, most often behind the end of a buffer. Whoever was to handle it does so then.
static struct sigaction before[64];

static void TellSignal(int number)
{
	char text[300];
	const int length =
	    current == NULL
	        ? 0
	        : snprintf(text, sizeof(text),
	              "BAD %s, step %u: signal %d; %s\n  again: SNUG_SEED=%llu test_driver --rounds 1\n",
	              current->operation, current->step, number, current->told, (unsigned long long)current->seed);
	if (write(STDOUT_FILENO, text, (size_t)length) < length)
	{
		_exit(1);
	}
	sigaction(number, &before[number], NULL);
	if (number == SIGALRM || number == SIGABRT)
	{
		raise(number);
	}
}

static void CatchSignals(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM };
	for (size_t i = 0; i < LENGTH_OF(signals); ++i)
	{
		const struct sigaction action = { .sa_handler = TellSignal };
		sigaction(signals[i], &action, &before[signals[i]]);
	}
}

// --- Shrinking ------------------------------------------------------------------------------------------------------

// In a process of its own, since it may crash.
static bool Fails(uint64_t seed, const Options* options, bool isSilent)
{
	fflush(stdout);
	const pid_t child = fork();
	if (child == 0)
	{
		Sums sums = { 0 };
		if (isSilent && (freopen("/dev/null", "w", stdout) == NULL || freopen("/dev/null", "w", stderr) == NULL))
		{
			_exit(2);
		}
		const bool isGood = RunRound(seed, options, &sums);
		fflush(stdout);
		_exit(isGood ? 0 : 1);
	}
	int status = 0;
	waitpid(child, &status, 0);
	return status != 0;
}

// Leave out what can be left out: halves, quarters, single steps.
static void Shrink(uint64_t seed, Options* options)
{
	options->isChosen = true;
	memset(options->chosen, true, sizeof(options->chosen));
	if (!Fails(seed, options, true))
	{
		printf("round %llu does not fail\n", (unsigned long long)seed);
		return;
	}
	for (uint32_t size = MOST_STEPS / 2; size > 0; size /= 2)
	{
		for (uint32_t first = 0; first < MOST_STEPS; first += size)
		{
			const uint32_t count = first + size < MOST_STEPS ? size : MOST_STEPS - first;
			bool kept[MOST_STEPS];
			Copy(kept, options->chosen, sizeof(kept));
			memset(options->chosen + first, false, count);
			if (memcmp(kept, options->chosen, sizeof(kept)) != 0 && !Fails(seed, options, true))
			{
				Copy(options->chosen, kept, sizeof(kept));
			}
		}
	}
	options->isTraced = true;
	Fails(seed, options, false);
	printf("  with these steps alone: --only ");
	for (uint32_t i = 0, count = 0; i < MOST_STEPS; ++i)
	{
		if (options->chosen[i])
		{
			printf("%s%u", count++ > 0 ? "," : "", i);
		}
	}
	printf("\n");
}

// --- The program ----------------------------------------------------------------------------------------------------

static bool Choose(Options* options, char* list)
{
	options->isChosen = true;
	for (char* at = strtok(list, ","); at != NULL; at = strtok(NULL, ","))
	{
		const unsigned long step = strtoul(at, NULL, 10);
		if (step >= MOST_STEPS)
		{
			return false;
		}
		options->chosen[step] = true;
	}
	return true;
}

static bool ReadOptions(int count, char** arguments, Options* options)
{
	*options = (Options){ .rounds = (uint32_t)TestCount(ROUNDS), .steps = MOST_STEPS, .failures = 5 };
	for (int i = 1; i < count; ++i)
	{
		const char* name = arguments[i];
		char* value = i + 1 < count ? arguments[i + 1] : NULL;
		if (value != NULL && strcmp(name, "--seconds") == 0)
		{
			options->seconds = strtod(value, NULL);
			++i;
		}
		else if (value != NULL && strcmp(name, "--rounds") == 0)
		{
			options->rounds = (uint32_t)strtoul(value, NULL, 10);
			++i;
		}
		else if (value != NULL && strcmp(name, "--steps") == 0)
		{
			options->steps = (uint32_t)strtoul(value, NULL, 10);
			++i;
		}
		else if (value != NULL && strcmp(name, "--failures") == 0)
		{
			options->failures = (uint32_t)strtoul(value, NULL, 10);
			++i;
		}
		else if (value != NULL && strcmp(name, "--only") == 0 && Choose(options, value))
		{
			++i;
		}
		else if (strcmp(name, "--extreme") == 0)
		{
			options->isExtreme = true;
		}
		else if (strcmp(name, "--trace") == 0)
		{
			options->isTraced = true;
		}
		else if (strcmp(name, "--table") == 0)
		{
			options->isTold = true;
		}
		else if (strcmp(name, "--shrink") == 0)
		{
			options->isShrunk = true;
		}
		else
		{
			return false;
		}
	}
	return true;
}

static void PrintTable(void)
{
	for (size_t i = 0; i < LENGTH_OF(operations); ++i)
	{
		const Operation* operation = operations + i;
		printf("%-22s %8llu draws, %8llu answers, %9.0f ms\n", operation->name, (unsigned long long)operation->draws,
		    (unsigned long long)operation->answers, operation->time);
	}
}

// An operation that never had anything to compare is no test.
static uint64_t CountIdle(void)
{
	uint64_t idle = 0;
	for (size_t i = 0; i < LENGTH_OF(operations); ++i)
	{
		if (operations[i].answers == 0 && operations[i].draws >= 200)
		{
			printf("BAD %s never had anything to ask, in %llu draws\n", operations[i].name,
			    (unsigned long long)operations[i].draws);
			++idle;
		}
	}
	return idle;
}

int main(int argumentCount, char** arguments)
{
	Options options;
	if (!ReadOptions(argumentCount, arguments, &options))
	{
		fprintf(stderr,
		    "usage: test_driver [--seconds N] [--rounds N] [--steps N] [--failures N] [--extreme] [--trace] [--table] "
		    "[--only STEP,...] [--shrink]\n");
		return 2;
	}
	const uint64_t seed = TestSeed();
	const double start = clockNow();
	Sums sums = { 0 };
	printf("SNUG_SEED=%llu, instruction set %s\n", (unsigned long long)seed, snugGetInstructionSet());
	CatchSignals();
	snugSetAssertHandler(CountMisuse, NULL);
	if (options.isShrunk)
	{
		Shrink(seed, &options);
		return 1;
	}
	while (sums.failures < options.failures &&
	       (options.seconds > 0.0 ? clockNow() - start < 1000.0 * options.seconds : sums.rounds < options.rounds))
	{
		RunRound(seed + sums.rounds, &options, &sums);
	}
	if (options.isTold)
	{
		PrintTable();
	}
	sums.failures += CountIdle();
	printf("%llu rounds, %llu steps, %llu questions, %llu about bodies in contact, %llu failures, %.1f s\n",
	    (unsigned long long)sums.rounds, (unsigned long long)sums.steps, (unsigned long long)sums.questions,
	    (unsigned long long)sums.contacts, (unsigned long long)sums.failures, (clockNow() - start) / 1000.0);
	return sums.failures > 0 ? 1 : 0;
}
