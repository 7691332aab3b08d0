// Pairs through a callback: for those who need no list, want to stop early, or have only so much time.
#include <snug/snug_queries.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 64 // cells along an edge of the cloth

// Counts pairs and stops at the third.
static bool CountToThree(void* user, snugPair pair)
{
	int* count = user;
	(void)pair;
	return ++*count < 3;
}

// A square sheet of triangles, waving if it has amplitude.
static void MakeSheet(float* positions, uint32_t* triangles, float amplitude)
{
	for (int i = 0; i <= SIDE; ++i)
	{
		for (int j = 0; j <= SIDE; ++j)
		{
			float* p = positions + 3 * (i * (SIDE + 1) + j);
			p[0] = (float)i / SIDE;
			p[1] = (float)j / SIDE;
			p[2] = amplitude * (float)((i / 4 + j / 4) % 2 == 0 ? 1 : -1);
		}
	}
	for (uint32_t i = 0; i < SIDE * SIDE; ++i)
	{
		uint32_t corner = i / SIDE * (SIDE + 1) + i % SIDE;
		uint32_t corners[6] = { corner, corner + 1, corner + SIDE + 2, corner, corner + SIDE + 2, corner + SIDE + 1 };
		for (uint32_t k = 0; k < 6; ++k)
		{
			triangles[6 * i + k] = corners[k];
		}
	}
}

int main(void)
{
	static float positions[3 * (SIDE + 1) * (SIDE + 1)];
	static uint32_t triangles[6 * SIDE * SIDE];
	snugModel* models[2] = { NULL, NULL };
	snugBody* bodies[2] = { NULL, NULL };
	for (int i = 0; i < 2; ++i)
	{
		MakeSheet(positions, triangles, i == 0 ? 0.0f : 0.02f);
		snugModelDef def = { .positions = positions,
			.vertexCount = (SIDE + 1) * (SIDE + 1),
			.triangles = triangles,
			.triangleCount = 2 * SIDE * SIDE };
		if (snugModel_Create(&def, &models[i]) != snug_success ||
		    snugBody_Create(&(snugBodyDef){ .model = models[i] }, &bodies[i]) != snug_success)
		{
			return 1;
		}
	}

	// Is there anything at all?
	snugResult touch = snugTouches(bodies[0], bodies[1], NULL);
	printf("they %s\n", touch.count > 0 ? "touch" : "do not touch");

	// Three pairs, whichever come first. The callback ended the query, so there may be more: it is not complete.
	int count = 0;
	snugResult some = snugCollide(bodies[0], bodies[1], &(snugQuery){ .callback = CountToThree, .user = &count });
	printf("%d pairs seen, %s\n", count, some.complete ? "all" : "stopped there");

	// As many as a budget of work allows. A search can stop after so many steps, or by a clock, and go on later.
	snugNodePair room[64];
	snugFrontier frontier = { .pairs = room, .capacity = 64 };
	snugResult cheap = snugCollideInTime(bodies[0], bodies[1], &frontier, &(snugTimedQuery){ .maxSteps = 20 });
	snugResult rest = snugCollideInTime(bodies[0], bodies[1], &frontier, NULL);
	snugResult all = snugCollide(bodies[0], bodies[1], NULL);
	printf("within the budget: %s\n", cheap.complete ? "all pairs" : "fewer pairs");
	printf("with the rest: %s\n", cheap.count + rest.count == all.count ? "all pairs" : "fewer pairs");

	for (int i = 0; i < 2; ++i)
	{
		snugBody_Destroy(bodies[i]);
		snugModel_Destroy(models[i]);
	}
	return 0;
}
