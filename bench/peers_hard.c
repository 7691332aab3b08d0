// Each pair is two meshes of one triangle; twice, where trees cannot be built over a single one. Libraries are asked in
// a process of their own: some do not survive triangles without area, or numbers whose squares overflow.
#define _POSIX_C_SOURCE 200809L // fork

#include "bench/peers_hard.h"

#include "bench/methods.h"
#include "truth/exact.h"
#include "truth/hard.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAIRS 500
#define QUICK_PAIRS 50
#define MOST_SECONDS 20

/// Of one family.
typedef struct hardScore
{
	uint32_t missed, invented, isDone;
} hardScore;

static hardScore ScoreFamily(const benchPeer* peer, uint32_t copies, int family, int count)
{
	static const uint32_t triangles[6] = { 0, 1, 2, 0, 1, 2 };
	float corners[2][10] = { { 0.0f } };
	const bruteMesh meshes[2] = { { corners[0], triangles, copies }, { corners[1], triangles, copies } };
	hardScore score = { 0, 0, 0 };
	hardPair pair = hardMakePair(0, 1, 0);
	memcpy(corners[0], pair.a, sizeof(pair.a));
	memcpy(corners[1], pair.b, sizeof(pair.b));
	void* made = peer->create(meshes, 2);
	for (int i = 0; i < count && made != NULL; ++i)
	{
		snugPair found[4];
		pair = hardMakePair(family, 1, (uint64_t)i);
		memcpy(corners[0], pair.a, sizeof(pair.a));
		memcpy(corners[1], pair.b, sizeof(pair.b));
		peer->update(made);
		bool said = peer->collide(made, 0, 1, false, found, 4) > 0, is = exactIntersect(pair.a, pair.b);
		score.missed += is && !said;
		score.invented += !is && said;
	}
	score.isDone = made != NULL;
	return score;
}

// In a process of its own; not done if that crashes or hangs.
static hardScore AskFamily(const benchPeer* peer, uint32_t copies, int family, int count)
{
	hardScore score = { 0, 0, 0 };
	int ends[2];
	if (pipe(ends) != 0)
	{
		return score;
	}
	fflush(NULL);
	pid_t child = fork();
	if (child == 0)
	{
		alarm(MOST_SECONDS);
		close(STDERR_FILENO);
		score = ScoreFamily(peer, copies, family, count);
		_exit(write(ends[1], &score, sizeof(score)) == sizeof(score) ? 0 : 1);
	}
	close(ends[1]);
	if (child < 0 || read(ends[0], &score, sizeof(score)) != sizeof(score))
	{
		score = (hardScore){ 0, 0, 0 };
	}
	close(ends[0]);
	if (child > 0)
	{
		waitpid(child, NULL, 0);
	}
	return score;
}

void benchPeersHard(const benchOptions* options, benchReport* report)
{
	static const struct
	{
		benchMethod method;
		const char* key;
		uint32_t copies;
	} peers[] = { { bench_plain, "plainTree", 1 }, { bench_embree, "embree", 1 }, { bench_fcl, "fcl", 1 },
		{ bench_bullet, "bullet", 1 }, { bench_ode, "ode", 2 }, { bench_cgal, "cgal", 1 } };
	int count = options->quick ? QUICK_PAIRS : PAIRS;
	for (int family = 0; family < HARD_FAMILIES; ++family)
	{
		benchRow* row = benchReport_AddRow(
		    report, "Hard pairs of triangles: missed / invented (Embree has the plain tree's triangle test)");
		benchRow_Text(row, "family", hardGetFamilyName(family));
		benchRow_Count(row, "asked", (uint64_t)count);
		for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]); ++i)
		{
			char text[48] = "-";
			if (benchMethod_IsThere(peers[i].method))
			{
				hardScore score = AskFamily(benchGetMethod(peers[i].method)->peer, peers[i].copies, family, count);
				snprintf(text, sizeof(text), "crashes or hangs");
				if (score.isDone)
				{
					snprintf(text, sizeof(text), "%u / %u", score.missed, score.invented);
				}
			}
			benchRow_Text(row, peers[i].key, text);
		}
	}
}
