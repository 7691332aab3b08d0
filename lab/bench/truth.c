// `snug bench truth`: what each library misses and invents of hard pairs of triangles.
//
// Each pair is two meshes of one triangle; twice, where trees cannot be built over a single one. Libraries are asked in
// a process of their own: some do not survive triangles without area, or numbers whose squares overflow.
#define _POSIX_C_SOURCE 200809L // fork

#include "lab/bench/bench.h"
#include "lab/bench/peer.h"
#include "lab/truth/exact.h"
#include "lab/truth/hard.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_SECONDS 20

/// Of one family.
typedef struct hardScore
{
	uint32_t missed, invented, isDone;
	uint32_t refused; ///< too large for us, and said so (SNUG_MAX_COORDINATE)
} hardScore;

// ---- Ours, asked as the others are -----------------------------------------------------------------------------

typedef struct ownPeer
{
	const bruteMesh* meshes;
	snugModel* models[2];
	snugBody* bodies[2];
	bool isRefused; // coordinates are too large for it
} ownPeer;

#define REFUSED UINT64_MAX

static void DestroyOwn(void* user)
{
	ownPeer* peer = user;
	for (int i = 0; i < 2; ++i)
	{
		snugBody_Destroy(peer->bodies[i]);
		snugModel_Destroy(peer->models[i]);
	}
	free(peer);
}

static void* CreateOwn(const bruteMesh* meshes, int count)
{
	ownPeer* peer = calloc(1, sizeof(ownPeer));
	bool good = peer != NULL && count == 2;
	for (int i = 0; i < 2 && good; ++i)
	{
		const snugModelDef def = { .positions = meshes[i].positions,
			.vertexCount = 3,
			.triangles = meshes[i].triangles,
			.triangleCount = meshes[i].triangleCount,
			.deformer = snug_free };
		peer->meshes = meshes;
		good = snugModel_Create(&def, &peer->models[i]) == snug_success &&
		       snugBody_Create(&(snugBodyDef){ .model = peer->models[i] }, &peer->bodies[i]) == snug_success;
	}
	return good ? peer : NULL;
}

static void UpdateOwn(void* user)
{
	ownPeer* peer = user;
	peer->isRefused = false;
	for (int i = 0; i < 2; ++i)
	{
		snugStatus status = snugBody_SetVertices(peer->bodies[i], peer->meshes[i].positions, 0, 0, 3);
		peer->isRefused = peer->isRefused || status != snug_success;
	}
}

static uint64_t CollideOwn(void* user, int a, int b, bool firstOnly, snugPair* pairs, uint64_t capacity)
{
	const ownPeer* peer = user;
	const snugQuery query = { .pairs = pairs, .capacity = capacity };
	(void)firstOnly;
	return peer->isRefused ? REFUSED : snugCollide(peer->bodies[a], peer->bodies[b], &query).count;
}

static const benchPeer own = {
	.version = "",
	.create = CreateOwn,
	.destroy = DestroyOwn,
	.update = UpdateOwn,
	.collide = CollideOwn,
};

// ---- Scores ----------------------------------------------------------------------------------------------------

static hardScore ScoreFamily(const benchPeer* peer, uint32_t copies, int family, int count)
{
	static const uint32_t triangles[6] = { 0, 1, 2, 0, 1, 2 };
	float corners[2][10] = { { 0.0f } };
	const bruteMesh meshes[2] = { { corners[0], triangles, copies }, { corners[1], triangles, copies } };
	hardScore score = { 0 };
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
		uint64_t said = peer->collide(made, 0, 1, false, found, 4);
		bool is = exactIntersect(pair.a, pair.b);
		score.refused += said == REFUSED;
		score.missed += is && said == 0;
		score.invented += !is && said > 0 && said != REFUSED;
	}
	score.isDone = made != NULL;
	if (made != NULL)
	{
		peer->destroy(made);
	}
	return score;
}

// In a process of its own; not done if that crashes or hangs.
static hardScore AskFamily(const benchPeer* peer, uint32_t copies, int family, int count)
{
	hardScore score = { 0 };
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
		score = (hardScore){ 0 };
	}
	close(ends[0]);
	if (child > 0)
	{
		waitpid(child, NULL, 0);
	}
	return score;
}

void benchTruth(const benchOptions* options, benchReport* report)
{
	const struct
	{
		const benchPeer* peer;
		const char* key;
		uint32_t copies;
	} peers[] = { { &own, "ours", 1 }, { &benchPeerPlain, "plainTree", 1 }, { &benchPeerEmbree, "embree", 1 },
		{ &benchPeerFcl, "fcl", 1 }, { &benchPeerBullet, "bullet", 1 }, { &benchPeerOde, "ode", 2 },
		{ &benchPeerCgal, "cgal", 1 } };
	const int count = options->repeats;
	double wrong = 0.0;
	for (int family = 0; family < HARD_FAMILIES; ++family)
	{
		benchRow* row = benchReport_AddRow(
		    report, "Hard pairs of triangles: missed / invented (Embree has the plain tree's triangle test)");
		benchRow_Text(row, "family", hardGetFamilyName(family));
		benchRow_Count(row, "asked", (uint64_t)count);
		for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]); ++i)
		{
			char text[48] = "-";
			if (peers[i].peer->version != NULL)
			{
				hardScore score = AskFamily(peers[i].peer, peers[i].copies, family, count);
				snprintf(text, sizeof(text), "crashes or hangs");
				if (score.isDone)
				{
					int used = snprintf(text, sizeof(text), "%u / %u", score.missed, score.invented);
					if (score.refused > 0)
					{
						snprintf(text + used, sizeof(text) - (size_t)used, ", %u refused", score.refused);
					}
				}
				wrong += i == 0 ? score.missed + score.invented + !score.isDone : 0;
			}
			benchRow_Text(row, peers[i].key, text);
		}
	}
	benchReport_AddAim(report, wrong, 0.0, "ours: pairs missed or invented");
}
