// `snug bench near` and `self`: what is asked after pairs, of one posed man or two, of two sizes. Every frame is a new
// pose, set outside of what is timed; the least of all frames counts, since others use the machine too.
#include "lab/bench/peer.h"
#include "lab/bench/skins.h"
#include "lab/bench/timer.h"
#include "lab/scenes/figure.h"
#include "lab/scenes/random.h"
#include "snug/snug_queries.h"

#include <math.h>
#include <stdlib.h>

#define RAYS 1000
#define CAPACITY 200000

typedef struct Men
{
	sceneFigure figure;
	snugModel* model;
	snugBody* bodies[3]; // the third is refitted bottom-up
	uint32_t vertices, triangles;
} Men;

static void Free(Men* men)
{
	for (int i = 0; i < 3; ++i)
	{
		snugBody_Destroy(men->bodies[i]);
	}
	snugModel_Destroy(men->model);
	sceneFigure_Free(&men->figure);
}

// Of about 7K or 110K vertices. False, with the report failed and nothing to free, if there is no memory.
static bool Make(Men* men, int size, benchReport* report)
{
	const sceneFigureDef def = { .kind = scene_man, .edge = size == 0 ? 0.017 : 0.0043 };
	*men = (Men){ 0 };
	bool good = sceneFigure_Create(&men->figure, &def);
	if (good)
	{
		snugModelDef modelDef = sceneCharacter_MakeDef(&men->figure.character, snug_blendLinear);
		good = snugModel_Create(&modelDef, &men->model) == snug_success;
	}
	for (int i = 0; good && i < 3; ++i)
	{
		const snugBodyDef body = { .model = men->model,
			.strategy = i == 2 ? snug_strategyBottomUp : snug_strategyAuto };
		good = snugBody_Create(&body, men->bodies + i) == snug_success;
	}
	men->vertices = men->figure.character.mesh.vertexCount;
	men->triangles = men->figure.character.mesh.triangleCount;
	if (!good)
	{
		benchReport_Fail(report, "no memory for men");
		Free(men);
	}
	return good;
}

static void Pose(const Men* men, int body, sceneClipKind clip, int frame)
{
	float matrices[12 * SCENE_MAX_JOINTS];
	sceneFigure_Pose(&men->figure, clip, 0.02 * frame, matrices, NULL);
	snugBody_SetJoints(men->bodies[body], matrices, 0, men->figure.character.weights.transformCount);
}

static void Place(const Men* men, double x, double z)
{
	const snugFrame frame = { { x, 0.01, z }, { 0 } };
	snugBody_SetFrame(men->bodies[1], &frame);
}

static double Least(double best, double start)
{
	return fmin(best, benchNow() - start);
}

// From around the body to points in its box, and on as far again.
static void Aim(snugBody* body, sceneRandom* random, snugRay rays[RAYS])
{
	snugBounds bounds;
	snugBody_GetBounds(body, NULL, &bounds);
	for (int i = 0; i < 3 * RAYS; ++i)
	{
		int k = i % 3;
		float extent = bounds.upper[k] - bounds.lower[k],
		      to = bounds.lower[k] + extent * (float)sceneRandom_Unit(random);
		float from = bounds.center[k] + 2.0f * bounds.radius * (float)sceneRandom_Range(random, -1.0, 1.0);
		rays[i / 3].from[k] = from;
		rays[i / 3].to[k] = to + 0.5f * (to - from);
	}
}

// Microseconds of one ray after posing, and per ray of a thousand, on demand and after refitting everything.
static void MeasureRays(const Men* men, int frames, double us[3], uint64_t* hits)
{
	sceneRandom random = { 1 };
	snugRay* rays = malloc(RAYS * sizeof(snugRay));
	snugRayHit* found = malloc(RAYS * sizeof(snugRayHit));
	us[0] = us[1] = us[2] = INFINITY;
	for (int frame = 0; rays != NULL && found != NULL && frame < frames; ++frame)
	{
		for (int what = 0; what < 3; ++what)
		{
			int body = what == 0 ? 1 : what == 1 ? 0 : 2; // what one has seen is not refitted for another
			Pose(men, body, scene_walk, 4 * frame + what);
			Aim(men->bodies[body], &random, rays);
			Pose(men, body, scene_walk, 4 * frame + what + 1);
			double start = benchNow();
			*hits = snugCastRays(men->bodies[body], rays, what == 0 ? 1 : RAYS, found, NULL).count;
			us[what] = Least(us[what], start);
		}
	}
	for (int what = 0; what < 3; ++what)
	{
		us[what] *= 1e3 / (what == 0 ? 1 : RAYS);
	}
	free(rays);
	free(found);
}

/// What Embree takes for one ray after posing, and what its answers are.
typedef struct Peer
{
	double us;         // of refitting its tree, and of the ray; NaN: not installed
	double evaluateUs; // of all vertices, which it needs besides
	uint64_t rays, others;
} Peer;

static void MeasurePeerFrame(const Men* men, void* peer, float* positions, int frame, sceneRandom* random, Peer* found)
{
	snugRay rays[RAYS];
	snugRayHit hit;
	Pose(men, 1, scene_walk, frame);
	Aim(men->bodies[1], random, rays);
	double start = benchNow();
	snugBody_GetVertices(men->bodies[1], NULL, positions, 0);
	found->evaluateUs = fmin(found->evaluateUs, 1e3 * (benchNow() - start));
	start = benchNow();
	benchRaysEmbree.update(peer);
	uint32_t triangle = benchRaysEmbree.cast(peer, rays[0].from, rays[0].to);
	found->us = fmin(found->us, 1e3 * (benchNow() - start));
	for (int i = 0; i < 100; ++i)
	{
		triangle = benchRaysEmbree.cast(peer, rays[i].from, rays[i].to);
		snugCastRays(men->bodies[1], rays + i, 1, &hit, NULL);
		found->others += triangle != hit.triangle;
		++found->rays;
	}
}

static Peer MeasurePeer(const Men* men, int frames)
{
	Peer found = { NAN, NAN, 0, 0 };
	const sceneMesh* mesh = &men->figure.character.mesh;
	float* positions = malloc((3 * (size_t)mesh->vertexCount + 1) * sizeof(float));
	if (benchRaysEmbree.version == NULL || positions == NULL)
	{
		free(positions);
		return found;
	}
	sceneRandom random = { 2 };
	snugBody_GetVertices(men->bodies[1], NULL, positions, 0);
	const bruteMesh posed = { positions, mesh->triangles, mesh->triangleCount };
	void* peer = benchRaysEmbree.create(&posed, mesh->vertexCount);
	for (int frame = 0; peer != NULL && frame < frames; ++frame)
	{
		found.us = frame == 0 ? INFINITY : found.us;
		found.evaluateUs = frame == 0 ? INFINITY : found.evaluateUs;
		MeasurePeerFrame(men, peer, positions, frame, &random, &found);
	}
	if (peer != NULL)
	{
		benchRaysEmbree.destroy(peer);
	}
	free(positions);
	return found;
}

static void ReportPeer(const Men* men, const Peer* peer, double us, const char* name, benchReport* report)
{
	benchRow* row = benchReport_AddRow(report, "One ray after posing, by Embree, which refits its tree");
	benchRow_Count(row, "vertices", men->vertices);
	benchRow_Text(row, "embree", benchRaysEmbree.version != NULL ? benchRaysEmbree.version : "not installed");
	if (benchRaysEmbree.version != NULL)
	{
		benchRow_Number(row, "evaluateUs", peer->evaluateUs, 1);
		benchRow_Number(row, "refitAndRayUs", peer->us, 1);
		benchRow_Number(row, "oursUs", us, 2);
		benchRow_Count(row, "rays", peer->rays);
		benchRow_Count(row, "otherTriangles", peer->others);
	}
	if (men->vertices > 100000)
	{
		benchReport_AimAtLeast(report, peer->us / us, 200.0, 400.0, "%s vertices: Embree's refit and ray / ours", name);
	}
}

static double MeasureDistance(const Men* men, int frames, double* distance)
{
	double best = INFINITY;
	Place(men, 0.85, 0.32);
	for (int frame = 0; frame < frames; ++frame)
	{
		Pose(men, 0, scene_kick, frame);
		Pose(men, 1, scene_walk, frame);
		double start = benchNow();
		*distance = snugFindDistance(men->bodies[0], men->bodies[1], NULL).distance;
		best = Least(best, start);
	}
	return 1e3 * best;
}

// ---- Contacts --------------------------------------------------------------------------------------------------

// What contacts and curves cost on top of the pairs that they rest on.
static void RunContacts(const Men* men, int frames, snugContactBuffer* buffer, snugPair* pairs, benchReport* report)
{
	double best = INFINITY;
	uint64_t found = 0, curves = 0, open = 0;
	const snugQuery query = { .pairs = pairs, .capacity = CAPACITY };
	Place(men, 0.05, 0.12);
	for (int frame = 0; frame < frames; ++frame)
	{
		Pose(men, 0, scene_kick, frame);
		Pose(men, 1, scene_walk, frame);
		snugCollide(men->bodies[0], men->bodies[1], &query); // what it evaluates, both find
		double start = benchNow();
		found = snugCollide(men->bodies[0], men->bodies[1], &query).count;
		double middle = benchNow();
		snugContactResult contacts = snugFindContacts(men->bodies[0], men->bodies[1], buffer, NULL);
		best = fmin(best, (benchNow() - middle - (middle - start)) / (double)(found > 0 ? found : 1));
		for (uint32_t i = 0; i < contacts.curveCount; ++i)
		{
			++curves;
			open += !contacts.curves[i].isClosed;
		}
	}
	benchRow* row = benchReport_AddRow(report, "Contacts of two men, on top of their pairs, least of all frames");
	benchRow_Count(row, "vertices", men->vertices);
	benchRow_Count(row, "pairs", found);
	benchRow_Number(row, "usPerPair", 1e3 * best, 3);
	benchRow_Count(row, "curves", curves);
	benchRow_Count(row, "openCurves", open);
	benchReport_AddAim(report, 1e3 * best, 0.5, "%u vertices: us per pair", men->vertices);
	benchReport_AddAim(report, (double)open, 0.0, "%u vertices: curves that do not close", men->vertices);
}

// ---- Real characters -------------------------------------------------------------------------------------------

// The distance of two real characters that kick beside each other: on demand after posing, and once more, when all that
// it needs is up to date already, which is as fast as any way of bounding could make it.
enum
{
	FRAMES = 37,
	PASSES = 5, // of which the least counts
};

static const char distances[] = "Distance of two real characters, mean of all frames in which they are apart";

typedef struct Pair
{
	const benchCharacter* character;
	const char* name;   // as it was asked for
	float* matrices[2]; // (FRAMES), the second later than the first
	snugModel* model;
	snugBody* bodies[2];
	double onDemand[FRAMES], ready[FRAMES], distances[FRAMES]; // milliseconds; metres
	uint64_t tests[FRAMES];                                    // of pairs of triangles
} Pair;

static bool MakePair(Pair* pair, const benchCharacter* character, const char* name)
{
	*pair = (Pair){ .character = character, .name = name };
	uint32_t clip = ioAsset_FindClip(&character->asset, "kick");
	clip = clip < character->asset.clipCount ? clip : 0;
	const snugModelDef def = sceneMakeBlendDef(&character->mesh, &character->weights, (snugTreeDef){ 0 });
	bool isGood = snugModel_Create(&def, &pair->model) == snug_success;
	for (int i = 0; i < 2 && isGood; ++i)
	{
		pair->matrices[i] = benchCharacter_AllocateMatrices(character, FRAMES);
		isGood = pair->matrices[i] != NULL &&
		         snugBody_Create(&(snugBodyDef){ .model = pair->model }, pair->bodies + i) == snug_success;
		if (isGood)
		{
			benchCharacter_PoseClip(character, clip, FRAMES, 0.25 * i, pair->matrices[i]);
		}
	}
	if (isGood)
	{
		snugBody_SetFrame(pair->bodies[1], &(snugFrame){ .position = { 0.85, 0.01, 0.32 } });
	}
	return isGood;
}

static void FreePair(Pair* pair)
{
	for (int i = 0; i < 2; ++i)
	{
		snugBody_Destroy(pair->bodies[i]);
		free(pair->matrices[i]);
	}
	snugModel_Destroy(pair->model);
}

static void MeasureFrame(Pair* pair, int frame)
{
	const uint32_t joints = pair->character->weights.transformCount;
	for (int i = 0; i < 2; ++i)
	{
		snugBody_SetJoints(pair->bodies[i], pair->matrices[i] + (size_t)frame * joints * 12, 0, joints);
	}
	const double start = benchNow();
	const snugDistanceResult result = snugFindDistance(pair->bodies[0], pair->bodies[1], NULL);
	const double middle = benchNow();
	snugFindDistance(pair->bodies[0], pair->bodies[1], NULL);
	pair->distances[frame] = result.distance;
	pair->tests[frame] = result.counters.triangleTests;
	pair->onDemand[frame] = fmin(pair->onDemand[frame], middle - start);
	pair->ready[frame] = fmin(pair->ready[frame], benchNow() - middle);
}

static void ReportPair(const Pair* pair, benchReport* report)
{
	double onDemand = 0.0, ready = 0.0, tests = 0.0;
	uint64_t apart = 0;
	for (int f = 0; f < FRAMES; ++f)
	{
		const bool isApart = pair->distances[f] > 0.0;
		onDemand += isApart ? 1e3 * pair->onDemand[f] : 0.0;
		ready += isApart ? 1e3 * pair->ready[f] : 0.0;
		tests += isApart ? (double)pair->tests[f] : 0.0;
		apart += isApart;
	}
	onDemand /= (double)apart;
	ready /= (double)apart;
	tests /= (double)apart;
	benchRow* row = benchReport_AddRow(report, distances);
	benchRow_Text(row, "character", pair->character->name);
	benchRow_Count(row, "vertices", pair->character->mesh.vertexCount);
	benchRow_Count(row, "framesApart", apart);
	benchRow_Number(row, "triangleTests", tests, 0);
	benchRow_Number(row, "distanceUs", onDemand, 1);
	benchRow_Number(row, "allUpToDateUs", ready, 1);
	benchReport_AddAim(report, onDemand, 250.0, "two of %s: us of the distance", pair->character->name);
	benchReport_AddAim(report, onDemand - ready, 60.0,
	    "two of %s: us of the distance, less what it takes with all up to date", pair->character->name);
}

static void MeasureDistances(const benchOptions* options, Pair* pair, benchReport* report)
{
	for (int f = 0; f < FRAMES; ++f)
	{
		pair->onDemand[f] = pair->ready[f] = INFINITY;
	}
	for (int pass = 0; pass < (options->quick ? 1 : PASSES); ++pass)
	{
		for (int f = 0; f < FRAMES; ++f)
		{
			MeasureFrame(pair, f);
		}
	}
	ReportPair(pair, report);
}

// What is measured of two of a character, if it is there.
typedef void MeasureFcn(const benchOptions* options, Pair* pair, benchReport* report);

static void RunReal(
    const benchOptions* options, int number, const char* table, MeasureFcn* measure, benchReport* report)
{
	const char *directory, *name;
	benchCharacter character = { .name = NULL };
	if (!benchFindCharacter(options, number, &directory, &name) ||
	    !benchCharacter_Load(&character, directory, name, report))
	{
		return;
	}
	Pair pair = { .character = NULL };
	if (!character.isPresent)
	{
		benchRow* row = benchReport_AddRow(report, table);
		benchRow_Text(row, "character", name);
		benchRow_Text(row, "from", "absent: skipped");
	}
	else if (MakePair(&pair, &character, name))
	{
		measure(options, &pair, report);
	}
	else
	{
		benchReport_Fail(report, "no memory for two of %s", name);
	}
	FreePair(&pair);
	benchCharacter_Free(&character);
}

// ---- Real characters against themselves --------------------------------------------------------------------------

static const char* const selves = "A character against itself, mean of each frame's least time";

static void MeasureSelf(const benchOptions* options, Pair* pair, benchReport* report)
{
	const uint32_t joints = pair->character->weights.transformCount, triangles = pair->character->mesh.triangleCount;
	double ms = 0.0;
	uint64_t pairs = 0, exact = 0;
	for (size_t f = 0; f < FRAMES; ++f)
	{
		double best = INFINITY;
		snugResult result = { .status = snug_success };
		for (int pass = 0; pass < (options->quick ? 1 : PASSES); ++pass)
		{
			snugBody_SetJoints(pair->bodies[0], pair->matrices[0] + f * 12 * joints, 0, joints);
			const double start = benchNow();
			result = snugCollideSelf(pair->bodies[0], NULL);
			best = Least(best, start);
		}
		ms += best / FRAMES;
		pairs += result.count;
		exact += result.counters.exactTests;
	}
	const double us = 1e3 * ms / triangles;
	benchRow* row = benchReport_AddRow(report, selves);
	benchRow_Text(row, "character", pair->name);
	benchRow_Count(row, "triangles", triangles);
	benchRow_Number(row, "pairs", (double)pairs / FRAMES, 0);
	benchRow_Number(row, "exactPerTriangle", (double)exact / FRAMES / triangles, 2);
	benchRow_Number(row, "usPerTriangle", us, 3);
	benchReport_AddAim(report, us, 0.20, "%s against itself: us per triangle", pair->character->name);
}

// ---- All -------------------------------------------------------------------------------------------------------

static void RunMen(const benchOptions* options, const Men* men, int size, benchReport* report)
{
	double us[3], distance = 0.0;
	uint64_t hits = 0;
	MeasureRays(men, options->repeats, us, &hits);
	double distanceUs = MeasureDistance(men, options->repeats, &distance);
	benchRow* row = benchReport_AddRow(report, "Rays and distances after posing, least of all frames");
	benchRow_Count(row, "vertices", men->vertices);
	benchRow_Number(row, "firstRayUs", us[0], 2);
	benchRow_Number(row, "rayUs", us[1], 3);
	benchRow_Number(row, "rayBottomUpUs", us[2], 3);
	benchRow_Count(row, "hitsOfThousand", hits);
	benchRow_Number(row, "distanceUs", distanceUs, 1);
	const char* name = size == 0 ? "7K" : "110K";
	benchReport_AddAim(report, us[0], size == 0 ? 4.0 : 5.0, "%s vertices: us of the first ray", name);
	benchReport_AddAim(report, us[1], size == 0 ? 0.4 : 0.7, "%s vertices: us per ray of 1,000", name);
	benchReport_AimAtLeast(report, us[2] / us[1], 1.5, NAN, "%s vertices: 1,000 rays, bottom-up / ours", name);
	if (size == 0)
	{
		benchReport_AddAim(report, distanceUs, 250.0, "7K vertices: us of the distance of two");
	}
	const Peer peer = MeasurePeer(men, options->repeats / 2 + 1);
	ReportPeer(men, &peer, us[0], name, report);
}

void benchNear(const benchOptions* options, benchReport* report)
{
	snugContactBuffer* buffer = NULL;
	snugPair* pairs = malloc(CAPACITY * sizeof(snugPair));
	if (snugContactBuffer_Create(&(snugContactBufferDef){ .capacity = CAPACITY }, &buffer) != snug_success ||
	    pairs == NULL)
	{
		benchReport_Fail(report, "no memory for contacts");
	}
	for (int size = 0; size < (options->quick ? 1 : 2) && report->failure[0] == '\0'; ++size)
	{
		Men men;
		if (Make(&men, size, report))
		{
			RunMen(options, &men, size, report);
			RunContacts(&men, options->repeats, buffer, pairs, report);
			Free(&men);
		}
	}
	snugContactBuffer_Destroy(buffer);
	free(pairs);
	RunReal(options, 0, distances, MeasureDistances, report);
}

void benchSelf(const benchOptions* options, benchReport* report)
{
	for (int size = 0; size < (options->quick ? 1 : 2); ++size)
	{
		Men men;
		if (!Make(&men, size, report))
		{
			return;
		}
		double best = INFINITY;
		snugResult result = { .status = snug_success };
		for (int frame = 0; frame < (options->repeats); ++frame)
		{
			Pose(&men, 0, scene_kick, frame);
			double start = benchNow();
			result = snugCollideSelf(men.bodies[0], NULL);
			best = Least(best, start);
		}
		double us = 1e3 * best / men.triangles;
		benchRow* row = benchReport_AddRow(report, "A man against himself, least of all frames");
		benchRow_Count(row, "triangles", men.triangles);
		benchRow_Count(row, "pairs", result.count);
		benchRow_Number(row, "boxesPerTriangle", (double)result.counters.triangleTests / men.triangles, 2);
		benchRow_Number(row, "exactPerTriangle", (double)result.counters.exactTests / men.triangles, 2);
		benchRow_Number(row, "usPerTriangle", us, 3);
		benchReport_AddAim(report, us, 0.15, "%u triangles: us per triangle", men.triangles);
		Free(&men);
	}
	for (int i = 0; i < BENCH_CHARACTERS && report->failure[0] == '\0'; ++i)
	{
		RunReal(options, i, selves, MeasureSelf, report);
	}
}
