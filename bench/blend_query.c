// `snug bench blend-query`: two meshless bodies in contact, bounded on demand, bottom-up, and by the oracle.
#include "bench/meeting.h"

#include <stdlib.h>
#include <string.h>

/// Two bodies, and the transforms of all frames.
typedef struct meshlessPair
{
	sceneMeshless meshless[2];
	float* matrices[2];
	int frameCount;
} meshlessPair;

// ---- Scene -----------------------------------------------------------------------------------------------------

// Strong all the time, strongest in the middle.
static void MakePoses(meshlessPair* pair, int body, snugNode* nodes)
{
	const sceneMeshless* meshless = pair->meshless + body;
	uint32_t nodeCount = meshless->weights.transformCount;
	for (int f = 0; f < pair->frameCount; ++f)
	{
		double u = 2.0 * (double)f / (double)(pair->frameCount - 1) - 1.0, t = 1.0 - 0.5 * u * u;
		const sceneBending bending =
		    body == 0 ? (sceneBending){ t, 0.8 * t, 0.6 * t } : (sceneBending){ 0.6 * t, t, 0.9 * t };
		sceneMeshless_PoseNodes(meshless, &bending, nodes);
		sceneMakeMatrices(nodes, nodeCount, pair->matrices[body] + 12 * (size_t)f * nodeCount);
	}
}

static void FreePair(meshlessPair* pair)
{
	for (int i = 0; i < 2; ++i)
	{
		sceneMeshless_Free(&pair->meshless[i]);
		free(pair->matrices[i]);
	}
	memset(pair, 0, sizeof(*pair));
}

static bool MakeBody(meshlessPair* pair, int i, uint32_t frequency, uint32_t nodeCount)
{
	if (!sceneMeshless_Create(
	        &pair->meshless[i], sceneMakeBrain(frequency, (uint64_t)i + 1), nodeCount, BENCH_INFLUENCES))
	{
		return false;
	}
	snugNode* nodes = malloc(nodeCount * sizeof(snugNode));
	pair->matrices[i] = malloc((size_t)pair->frameCount * 12 * nodeCount * sizeof(float));
	bool made = nodes != NULL && pair->matrices[i] != NULL;
	if (made)
	{
		MakePoses(pair, i, nodes);
	}
	free(nodes);
	return made;
}

static bool MakePair(meshlessPair* pair, uint32_t frequency, uint32_t nodeCount, int frames, benchReport* report)
{
	*pair = (meshlessPair){ .frameCount = frames };
	if (!MakeBody(pair, 0, frequency, nodeCount) || !MakeBody(pair, 1, frequency, nodeCount))
	{
		FreePair(pair);
		benchReport_Fail(report, "out of memory");
		return false;
	}
	return true;
}

// The vertex that reaches farthest to one side in x, or from the other with a sign of -1.
static const float* FindExtreme(const float* positions, uint32_t count, float sign)
{
	const float* found = positions;
	for (uint32_t i = 1; i < count; ++i)
	{
		const float* p = positions + 3 * (size_t)i;
		found = sign * p[0] > sign * found[0] ? p : found;
	}
	return found;
}

// Light: the tips of both bodies pushed past one another by a little. Heavy: one body in the other's place, nearly.
static snugFrame PlaceFrame(const benchMeeting* meeting, int frame)
{
	double u = 2.0 * (double)frame / (double)(meeting->answers.frameCount - 1) - 1.0, nearness = 1.0 - u * u;
	snugFrame place = { .position = { 0.22 - 0.08 * nearness, 0.05, -0.04 } };
	if (meeting->contact == scene_light)
	{
		const float* right = FindExtreme(meeting->world[0], meeting->actors[0].mesh->vertexCount, 1.0f);
		const float* left = FindExtreme(meeting->world[1], meeting->actors[1].mesh->vertexCount, -1.0f);
		for (int k = 0; k < 3; ++k)
		{
			place.position[k] = (double)right[k] - (double)left[k];
		}
		place.position[0] -= 0.04 + 0.11 * nearness;
	}
	return place;
}

// ---- Report ----------------------------------------------------------------------------------------------------

/// A row of the last table.
typedef struct sceneNote
{
	uint32_t vertices, nodes;
	benchMeetingNote meeting;
} sceneNote;

static void AddSizes(benchRow* row, uint32_t vertices, uint32_t nodes)
{
	benchRow_Count(row, "vertices", vertices);
	benchRow_Count(row, "nodes", nodes);
}

static void RunContact(
    const benchOptions* options, benchReport* report, benchMeeting* meeting, sceneContact contact, sceneNote* note)
{
	uint32_t vertices = meeting->actors[0].mesh->vertexCount, nodes = meeting->actors[0].weights->transformCount;
	const benchMeetingPlan plan = { 0, BENCH_METHODS, 1, options->quick ? 2 : 5 };
	benchMeetingTimes* all = malloc(BENCH_METHODS * sizeof(benchMeetingTimes));
	if (all == NULL)
	{
		benchReport_Fail(report, "out of memory");
	}
	else if (benchMeeting_Place(meeting, contact, PlaceFrame, report) && benchMeeting_Run(meeting, &plan, all, report))
	{
		for (int method = 0; method < BENCH_METHODS; ++method)
		{
			benchRow* row = benchReport_AddRow(report, "Posing and query of two meshless bodies, per frame");
			AddSizes(row, vertices, nodes);
			benchMeeting_AddCells(row, meeting, all, method);
		}
		if (vertices > 10000)
		{
			benchReport_AddAim(report, all[bench_ours].volumeTests / all[bench_oracle].volumeTests, 1.2,
			    "%u vertices, %u nodes, %s contact: volume tests, ours / oracle", vertices, nodes,
			    sceneContact_GetName(contact));
		}
		*note = (sceneNote){ vertices, nodes, benchMeeting_MakeNote(meeting, all + bench_bottomUp) };
	}
	free(all);
}

// Light and heavy contact of one pair; a note of each.
static void RunPair(const benchOptions* options, benchReport* report, const meshlessPair* pair, sceneNote notes[2])
{
	benchActor actors[2];
	benchMeeting meeting;
	for (int i = 0; i < 2; ++i)
	{
		actors[i] =
		    (benchActor){ &pair->meshless[i].mesh, &pair->meshless[i].weights, pair->matrices[i], pair->frameCount };
	}
	if (benchMeeting_Create(&meeting, "two meshless bodies", actors, report))
	{
		RunContact(options, report, &meeting, scene_light, &notes[0]);
		RunContact(options, report, &meeting, scene_heavy, &notes[1]);
		benchMeeting_Free(&meeting);
	}
}

void benchBlendQuery(const benchOptions* options, benchReport* report)
{
	static const uint32_t frequencies[2] = { 17, 67 }; // 2,892 and 44,892 vertices
	static const uint32_t nodeCounts[2] = { 115, 550 };
	sceneNote notes[8];
	int noteCount = 0;
	for (int n = 0; n < (options->quick ? 1 : 2); ++n)
	{
		for (int size = 0; size < 2 && report->failure[0] == '\0'; ++size)
		{
			meshlessPair pair;
			benchProgress(options, size == 0 ? "blend-query: 3K vertices …" : "blend-query: 45K vertices …");
			if (MakePair(&pair, frequencies[size], nodeCounts[n], options->quick ? 8 : 16, report))
			{
				RunPair(options, report, &pair, &notes[noteCount]);
				noteCount += 2;
				FreePair(&pair);
			}
		}
	}
	for (int i = 0; i < noteCount && report->failure[0] == '\0'; ++i)
	{
		benchRow* row = benchReport_AddRow(report, "The scenes, and how good the baselines are");
		AddSizes(row, notes[i].vertices, notes[i].nodes);
		benchMeetingNote_AddCells(row, &notes[i].meeting);
	}
	benchProgress(options, "blend-query: single nodes and models …");
	benchBlendMicro(options, report);
}
