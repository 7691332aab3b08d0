#include "papers/meshless/troupe.h"

#include <stdlib.h>

static bool Allocate(benchTroupe* troupe, uint32_t nodeCount, simError* error)
{
	for (int i = 0; i < troupe->count; ++i)
	{
		troupe->matrices[i] = malloc((size_t)troupe->frames * 12 * nodeCount * sizeof(float));
		if (troupe->matrices[i] == NULL)
		{
			return simError_SetMemory(error);
		}
	}
	return true;
}

static void RecordFrame(benchTroupe* troupe, simActor* actors, int frame)
{
	for (int i = 0; i < troupe->count; ++i)
	{
		uint32_t nodeCount = actors[i].body.nodeCount;
		simMeshless_GetNodes(&actors[i].body, actors[i].nodes);
		sceneMakeMatrices(actors[i].nodes, nodeCount, troupe->matrices[i] + 12 * (size_t)frame * nodeCount);
	}
}

bool benchTroupe_Record(benchTroupe* troupe, simActor* actors, int count, int frames, benchAdvanceFcn* advance,
    void* simulation, simError* error)
{
	*troupe = (benchTroupe){ .count = count, .frames = frames };
	bool good = Allocate(troupe, actors[0].body.nodeCount, error);
	for (int frame = 0; frame < frames && good; ++frame)
	{
		good = advance(simulation, error);
		if (good)
		{
			RecordFrame(troupe, actors, frame);
		}
	}
	if (!good)
	{
		benchTroupe_Free(troupe);
		return false;
	}
	troupe->body = actors[0].scene;
	actors[0].scene = (sceneMeshless){ .nodes = NULL };
	return true;
}

void benchTroupe_Free(benchTroupe* troupe)
{
	sceneMeshless_Free(&troupe->body);
	for (int i = 0; i < troupe->count; ++i)
	{
		free(troupe->matrices[i]);
	}
}

benchMeetingPlan benchTroupe_GetPlan(const benchOptions* options)
{
	benchMethodSet papers = BENCH_BIT(bench_paperUp) | BENCH_BIT(bench_paper) | BENCH_BIT(bench_paperDop);
	return (benchMeetingPlan){
		.methods = BENCH_BIT(bench_ours) | BENCH_BIT(bench_onDemand) | BENCH_BIT(bench_bottomUp) |
		           BENCH_BIT(bench_oracle) | BENCH_BIT(bench_spatialHash) | BENCH_BIT(bench_embree) |
		           BENCH_BIT(bench_freeBottomUp) | papers,
		.passes = !options->full ? 2 : 3,
		.briefPasses = 1,
	};
}

bool benchTroupe_Place(
    const benchTroupe* troupe, benchMeeting* meeting, const char* name, sceneContact contact, benchReport* report)
{
	benchActor actors[BENCH_MAX_ACTORS];
	const sceneMeshless* body = &troupe->body;
	for (int i = 0; i < troupe->count; ++i)
	{
		actors[i] = benchActor_Skinned(&body->mesh, &body->weights, troupe->matrices[i], troupe->frames, NULL);
	}
	if (!benchMeeting_Create(meeting, name, actors, troupe->count, report))
	{
		return false;
	}
	benchMeeting_AskAll(meeting);
	if (!benchMeeting_Place(meeting, contact, benchPlaceAsGiven, NULL, report))
	{
		benchMeeting_Free(meeting);
		return false;
	}
	return true;
}
