#include "baselines/brute.h"
#include "bench/timer.h"
#include "cli/commands.h"
#include "cli/files.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/terminal.h"
#include "scenes/mesh.h"
#include "scenes/sine.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

static const cliUsage usage = {
	.command = "check",
	.synopsis = "[options] FILE FILE2 [FILE3 ...]",
	.summary = "Find all pairs of intersecting triangles between bodies of different files (OBJ). Touching counts.\n"
	           "Triangles are numbered from 0 in the order of the file; polygons are split as fans.",
	.examples = "  snug check a.obj b.obj\n"
	            "  snug check a.obj b.obj --place 0,0,0 --place 1.5,0,0 --rotate 0,0,0 --rotate 0,90,0\n"
	            "  snug check --fail-on-contact --first hand.obj cup.obj || echo touching\n"
	            "  snug check --json a.obj b.obj | head -c 200",
	.minArguments = 2,
	.maxArguments = INT_MAX,
	.argumentName = "FILE",
};

/// A pair with the bodies that it is of.
typedef struct foundPair
{
	int bodies[2];
	snugPair pair;
} foundPair;

typedef struct check
{
	bool json, first, failOnContact;
	int method; ///< 0 ours, 1 brute
	cliVectors places, rotations;
	cliBody* bodies;
	int bodyCount;
	foundPair* pairs;
	uint64_t count, capacity;
	snugCounters counters;
	double microseconds;
} check;

// ---- Finding ---------------------------------------------------------------------------------------------------

static bool AddPairs(check* c, int a, int b, const snugPair* pairs, uint64_t count)
{
	if (c->count + count > c->capacity)
	{
		uint64_t capacity = 2 * c->capacity + count;
		foundPair* grown = realloc(c->pairs, (size_t)capacity * sizeof(foundPair));
		if (grown == NULL)
		{
			cliError("%s: out of memory for %llu pairs", c->bodies[a].path, (unsigned long long)(c->count + count));
			return false;
		}
		c->pairs = grown;
		c->capacity = capacity;
	}
	for (uint64_t i = 0; i < count; ++i)
	{
		c->pairs[c->count++] = (foundPair){ { a, b }, pairs[i] };
	}
	return true;
}

static void AddCounters(check* c, const snugCounters* counters)
{
	c->counters.nodesRefitted += counters->nodesRefitted;
	c->counters.volumeTests += counters->volumeTests;
	c->counters.verticesEvaluated += counters->verticesEvaluated;
	c->counters.triangleTests += counters->triangleTests;
}

// A query is told of by either body, once.
static bool CheckStatus(const check* c, int a, int b, snugStatus status)
{
	return cliBody_Check(&c->bodies[c->bodies[b].told ? b : a], status);
}

// Ask with the room that there is; if there are more pairs, make room and ask again. The last query is the timed one.
static bool CollideOurs(check* c, int a, int b)
{
	uint64_t capacity = c->first ? 1 : 4096;
	for (;;)
	{
		snugPair* pairs = malloc((size_t)capacity * sizeof(snugPair));
		if (pairs == NULL)
		{
			return CheckStatus(c, a, b, snug_outOfMemory);
		}
		snugQuery query = { .pairs = pairs, .capacity = capacity };
		double start = benchNow();
		snugResult result = (c->first ? snugTouches : snugCollide)(c->bodies[a].body, c->bodies[b].body, &query);
		double elapsed = benchNow() - start;
		bool done = result.status != snug_success || result.count <= capacity;
		bool added = done && CheckStatus(c, a, b, result.status) && AddPairs(c, a, b, pairs, result.count);
		free(pairs);
		if (done)
		{
			c->microseconds += 1e3 * elapsed;
			AddCounters(c, &result.counters);
			return added;
		}
		capacity = result.count;
	}
}

// Positions as snug poses them, so that both methods decide upon the same floats.
static float* PoseVertices(const check* c, int i)
{
	cliBody* body = c->bodies + i;
	float* positions = malloc(((size_t)body->mesh.vertexCount + 1) * 3 * sizeof(float));
	snugStatus status = positions != NULL ? snugBody_GetVertices(body->body, NULL, positions, 0) : snug_outOfMemory;
	if (!cliBody_Check(body, status))
	{
		free(positions);
		return NULL;
	}
	return positions;
}

static bool CollideBrute(check* c, int a, int b)
{
	float *first = PoseVertices(c, a), *second = first != NULL ? PoseVertices(c, b) : NULL;
	bool added = false;
	if (second != NULL)
	{
		const ioMesh *meshA = &c->bodies[a].mesh, *meshB = &c->bodies[b].mesh;
		bruteMesh bruteA = { first, meshA->triangles, meshA->triangleCount };
		bruteMesh bruteB = { second, meshB->triangles, meshB->triangleCount };
		double start = benchNow();
		bruteResult result = bruteCollide(&bruteA, &bruteB);
		c->microseconds += 1e3 * (benchNow() - start);
		c->counters.volumeTests += result.boxTests;
		c->counters.triangleTests += result.triangleTests;
		c->counters.verticesEvaluated += (uint64_t)meshA->vertexCount + meshB->vertexCount;
		added = CheckStatus(c, a, b, result.outOfMemory ? snug_outOfMemory : snug_success) &&
		        AddPairs(c, a, b, result.pairs, c->first && result.count > 1 ? 1 : result.count);
		bruteResult_Free(&result);
	}
	free(first);
	free(second);
	return added;
}

static bool CollideAll(check* c)
{
	for (int a = 0; a < c->bodyCount; ++a)
	{
		for (int b = a + 1; b < c->bodyCount; ++b)
		{
			cliProgress("%s and %s ...", c->bodies[a].path, c->bodies[b].path);
			if (!(c->method == 0 ? CollideOurs(c, a, b) : CollideBrute(c, a, b)))
			{
				return false;
			}
			if (c->first && c->count > 0)
			{
				return true;
			}
		}
	}
	return true;
}

// ---- Loading and printing --------------------------------------------------------------------------------------

static bool LoadBodies(check* c, char** paths)
{
	c->bodies = calloc((size_t)c->bodyCount, sizeof(cliBody));
	if (c->bodies == NULL)
	{
		cliError("%s: out of memory", paths[0]);
		return false;
	}
	for (int i = 0; i < c->bodyCount; ++i)
	{
		double zero[3] = { 0.0, 0.0, 0.0 }, angles[3] = { 0.0, 0.0, 0.0 };
		cliProgress("reading %s ...", paths[i]);
		if (!cliBody_Load(&c->bodies[i], paths[i]))
		{
			return false;
		}
		for (int k = 0; i < c->rotations.count && k < 3; ++k)
		{
			// Whole turns change nothing, and the sine wants angles of moderate size. fmod is exact.
			angles[k] = fmod(c->rotations.items[i][k], 360.0) * (SCENE_PI / 180.0);
		}
		snugFrame frame = sceneMakeEulerFrame(i < c->places.count ? c->places.items[i] : zero, angles);
		if (!cliBody_Check(&c->bodies[i], snugBody_SetFrame(c->bodies[i].body, &frame)))
		{
			return false;
		}
	}
	return true;
}

static void PrintJson(const check* c)
{
	printf("{\"frame\":0,\"time\":0.0,\"bodies\":[");
	for (int i = 0; i < c->bodyCount; ++i)
	{
		printf(i > 0 ? ",[" : "[");
		cliPrintJsonString(stdout, c->bodies[i].path);
		printf(",");
		cliPrintJsonString(stdout, c->bodies[i].name);
		printf(",%u]", c->bodies[i].mesh.triangleCount);
	}
	printf("],\"pairs\":[");
	for (uint64_t i = 0; i < c->count; ++i)
	{
		const foundPair* p = c->pairs + i;
		printf("%s[%d,%u,%d,%u]", i > 0 ? "," : "", p->bodies[0], p->pair.a, p->bodies[1], p->pair.b);
	}
	printf("],\"count\":%llu,\"nodesRefitted\":%llu,\"volumeTests\":%llu,\"verticesEvaluated\":%llu,"
	       "\"triangleTests\":%llu,\"microseconds\":%.3f}\n",
	    (unsigned long long)c->count, (unsigned long long)c->counters.nodesRefitted,
	    (unsigned long long)c->counters.volumeTests, (unsigned long long)c->counters.verticesEvaluated,
	    (unsigned long long)c->counters.triangleTests, c->microseconds);
}

static uint64_t CountPairs(const check* c, int a, int b)
{
	uint64_t count = 0;
	for (uint64_t i = 0; i < c->count; ++i)
	{
		count += c->pairs[i].bodies[0] == a && c->pairs[i].bodies[1] == b;
	}
	return count;
}

static void PrintText(const check* c)
{
	printf("%5s  %10s  %10s  %s\n", "body", "vertices", "triangles", "file");
	for (int i = 0; i < c->bodyCount; ++i)
	{
		printf("%5d  %10u  %10u  %s\n", i, c->bodies[i].mesh.vertexCount, c->bodies[i].mesh.triangleCount,
		    c->bodies[i].path);
	}
	printf("\n%5s  %5s  %10s\n", "body", "body", "pairs");
	for (int a = 0; a < c->bodyCount; ++a)
	{
		for (int b = a + 1; b < c->bodyCount; ++b)
		{
			printf("%5d  %5d  %10llu\n", a, b, (unsigned long long)CountPairs(c, a, b));
		}
	}
	if (c->first && c->count > 0)
	{
		const foundPair* p = c->pairs;
		printf("\ncontact: triangle %u of body %d and triangle %u of body %d (the search stopped there)\n", p->pair.a,
		    p->bodies[0], p->pair.b, p->bodies[1]);
	}
	else
	{
		printf("\n%llu intersecting pairs", (unsigned long long)c->count);
		printf(" in %.1f microseconds: %llu volume tests, %llu triangle tests, %llu vertices evaluated\n",
		    c->microseconds, (unsigned long long)c->counters.volumeTests, (unsigned long long)c->counters.triangleTests,
		    (unsigned long long)c->counters.verticesEvaluated);
	}
}

static int RunCheck(check* c, char** paths)
{
	if (!LoadBodies(c, paths) || !CollideAll(c))
	{
		return CLI_BAD_INPUT;
	}
	cliProgress("");
	(c->json ? PrintJson : PrintText)(c);
	return c->failOnContact && c->count > 0 ? CLI_CONTACT : CLI_DONE;
}

int cliCheck(int argumentCount, char** arguments)
{
	check c = { .method = 0 };
	const cliOption options[] = {
		{ "--json", cli_flag, &c.json, NULL, "print one JSON object per frame and line" },
		{ "--place", cli_vectors, &c.places, "x,y,z", "move a file's bodies; once per file, in order" },
		{ "--rotate", cli_vectors, &c.rotations, "x,y,z", "turn them before, in degrees about x, then y, then z" },
		{ "--first", cli_flag, &c.first, NULL, "stop at the first pair found" },
		{ "--method", cli_choice, &c.method, "ours|brute", "brute: every pair of triangles, for comparison" },
		{ "--fail-on-contact", cli_flag, &c.failOnContact, NULL, "exit with 3 if there is any pair" },
		{ .name = NULL },
	};
	cliParsed parsed = cliOptions_Parse(&usage, options, &argumentCount, arguments);
	int code = parsed == cli_help ? CLI_DONE : CLI_BAD_USAGE;
	if (parsed == cli_go && (c.places.count > argumentCount || c.rotations.count > argumentCount))
	{
		cliError("more --place or --rotate than files; see snug check --help");
	}
	else if (parsed == cli_go)
	{
		c.bodyCount = argumentCount;
		code = RunCheck(&c, arguments);
	}
	for (int i = 0; c.bodies != NULL && i < c.bodyCount; ++i)
	{
		cliBody_Free(&c.bodies[i]);
	}
	free(c.bodies);
	free(c.pairs);
	cliOptions_Free(options);
	return code;
}
