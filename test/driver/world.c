// test/driver/world.c: see world.h.
#include "driver/world.h"

#include "driver/operations.h"

#include <stdio.h>

// --- Messages -------------------------------------------------------------------------------------------------------

void Tell(World* world, const char* format, ...)
{
	const size_t used = strlen(world->told);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(world->told + used, sizeof(world->told) - used, format, arguments);
	va_end(arguments);
}

void Fail(World* world, const char* file, int line, const char* condition, const char* format, ...)
{
	const char* name = strrchr(file, '/');
	va_list arguments;
	printf("BAD %s, step %u: ", world->operation, world->step);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	printf("\n  %s:%d: %s\n  %s\n", name != NULL ? name + 1 : file, line, condition, world->told);
	longjmp(world->failed, 1);
}

void World_Print(const World* world)
{
	static const char* const strategies[] = { "auto", "on demand", "front", "bottom up" };
	printf("  scale %g, middle %g %g %g\n", world->scale, world->middle[0], world->middle[1], world->middle[2]);
	for (uint32_t i = 0; i < world->actorCount; ++i)
	{
		const Actor* actor = world->actors + i;
		printf("  body %u: %s, %s%s%s\n", i, actor->kind->name, strategies[actor->strategy],
		    actor->pool != NULL ? ", pool" : "", actor->isPresent ? ", in the scene" : "");
	}
}

// --- Draws ----------------------------------------------------------------------------------------------------------

Actor* AnyActor(World* world)
{
	const uint32_t at = Chance(world, 0.5) ? world->focus[Below(world, 2)] : Below(world, world->actorCount);
	Tell(world, "body %u; ", at);
	return world->actors + at;
}

Actor* OtherActor(World* world, const Actor* than)
{
	const uint32_t one = (uint32_t)(than - world->actors);
	uint32_t at = (one + 1 + Below(world, world->actorCount - 1)) % world->actorCount;
	for (int i = 0; i < 2; ++i)
	{
		at = one == world->focus[i] && Chance(world, 0.7) ? world->focus[1 - i] : at;
	}
	Tell(world, "body %u; ", at);
	return world->actors + at;
}

void Focus(World* world)
{
	world->focus[0] = Below(world, world->actorCount);
	world->focus[1] = (world->focus[0] + 1 + Below(world, world->actorCount - 1)) % world->actorCount;
	world->nudge = Chance(world, 0.15) ? 0.0 : Magnitude(world, 1e-7, 0.3);
}

void DrawOrigin(World* world, double origin[3])
{
	const double far = Chance(world, 0.8) ? 0.0 : Chance(world, 0.7) ? 1.0 : 1000.0;
	for (int k = 0; k < 3; ++k)
	{
		origin[k] = world->middle[k] + (far > 0.0 ? far * world->scale * Signed(world) : 0.0);
	}
	if (far > 0.0)
	{
		Tell(world, "origin %g %g %g; ", origin[0], origin[1], origin[2]);
	}
}

// --- Making ---------------------------------------------------------------------------------------------------------

static void DrawScale(World* world)
{
	world->scale = Chance(world, 0.6) ? 1.0 : exp2((double)Below(world, 41) - 20.0);
	if (world->isExtreme && Chance(world, 0.7))
	{
		world->scale = exp2(Chance(world, 0.5) ? Between(world, -140.0, -80.0) : Between(world, 60.0, 115.0));
	}
	world->scale *= Chance(world, 0.3) ? Between(world, 1.0, 2.0) : 1.0;
	world->scale = (double)(float)world->scale;
	const double far = world->isExtreme && Chance(world, 0.5) ? Magnitude(world, 1e2, 1e8) : 0.0;
	for (int k = 0; k < 3 && far > 0.0; ++k)
	{
		world->middle[k] = far * world->scale * Signed(world);
	}
}

static void MakePoolOfAnySize(World* world)
{
	const snugPoolDef def = {
		.bytes = 4096 * (size_t)(1 + Below(world, Chance(world, 0.5) ? 4 : 60)),
		.allocator = WorldAllocator(world),
		.messenger = Listener(),
	};
	world->poolChance = Chance(world, 0.5) ? 0.3 : Chance(world, 0.5) ? 1.0 : 0.0;
	snugStatus status;
	CALL(world, status = snugPool_Create(&def, &world->pool));
	EXPECT(world, status == snug_success, "a pool: %s", snugGetStatusText(status));
}

static void Make(World* world)
{
	DrawScale(world);
	MakePoolOfAnySize(world);
	const uint32_t kinds = 1 + Below(world, MOST_KINDS);
	for (uint32_t tries = 0; world->kindCount < kinds && tries < 20; ++tries)
	{
		Kind* kind = world->kinds + world->kindCount;
		if (Kind_Make(world, kind))
		{
			++world->kindCount;
		}
		else
		{
			Kind_Free(kind);
		}
	}
	EXPECT(world, world->kindCount > 0 || world->isExtreme, "no model can be made");
	if (world->kindCount == 0)
	{
		longjmp(world->failed, 2);
	}
	const uint32_t actors = Chance(world, 0.75) ? 2 + Below(world, 4) : 5 + Below(world, MOST_ACTORS - 4);
	for (uint32_t i = 0; i < actors; ++i)
	{
		Actor_Make(world, world->actors + i, world->kinds + Below(world, world->kindCount));
		++world->actorCount;
		Actor_Place(world, world->actors + i, true);
	}
	Focus(world);
	if (Chance(world, 0.5))
	{
		SceneMake(world);
	}
}

World* World_Make(uint64_t seed, bool isExtreme)
{
	World* world = calloc(1, sizeof(World));
	world->seed = seed;
	world->isExtreme = isExtreme;
	world->operation = "making the world";
	world->random.state = seed * 0x2545f4914f6cdd1du + 1;
	const int outcome = setjmp(world->failed);
	if (outcome == 0)
	{
		Make(world);
	}
	FreeRooms();
	world->isBroken = outcome == 1;
	world->actorCount = outcome != 0 ? 0 : world->actorCount;
	return world;
}

bool World_Free(World* world)
{
	snugScene_Destroy(world->stage.scene);
	snugContactBuffer_Destroy(world->contacts);
	for (uint32_t i = 0; i < world->actorCount; ++i)
	{
		Actor_Free(world->actors + i);
	}
	for (int i = 0; i < MOST_ACTORS * MOST_ACTORS; ++i)
	{
		PairList_Free(&world->known[i / MOST_ACTORS][i % MOST_ACTORS].pairs);
	}
	for (uint32_t i = 0; i < world->kindCount; ++i)
	{
		Kind_Free(world->kinds + i);
	}
	snugPool_Destroy(world->pool);
	FreeRooms();
	const bool isClean = world->allocator.live == 0 && world->allocator.faults == 0;
	free(world);
	return isClean;
}
