// `snug bench papers`: every headline of the four papers: in print, by their method here, and by snug; from the other
// benchmarks, shortened. docs/papers.md says what each means, and has them at full length.
#include "lab/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A cell of a benchmark's report: of the first row that has all of "key=value|key=value".
typedef struct headlineCell
{
	const char* row;
	const char* key;
} headlineCell;

typedef struct headline
{
	const char *bench, *paper, *what;
	double print;              ///< zero: what rows of "bestMs" have of it, as "paperMs"
	headlineCell theirs, ours; ///< without a key: there is none
	headlineCell by[2];        ///< nullable: what theirs and ours are divided by
	int decimals;
} headline;

#define FIT(vertices, nodes, print)                                                                                \
	{                                                                                                              \
		"meshless-fit", "M08 T1", vertices " vertices, " nodes " nodes: all / fitting", print,                     \
		    { "vertices=" vertices "|nodes=" nodes "|bound=the paper, scalar: AABB/AABB", "ratio" },               \
		    { "vertices=" vertices "|nodes=" nodes "|bound=ours", "ratio" }, { { NULL, NULL }, { NULL, NULL } }, 0 \
	}

#define BRAIN(nodes, what, print, theirs, ours)                                                                 \
	{                                                                                                           \
		"brain", "M08 F5", "root / optimal, " nodes " nodes, " what, print,                                     \
		    { "nodes=" nodes "|pullKilonewtons=160", theirs }, { "nodes=" nodes "|pullKilonewtons=160", ours }, \
		    { { NULL, NULL }, { NULL, NULL } }, 2                                                               \
	}

#define GAIN(bench, paper, what, print, scene, method)                                      \
	{                                                                                       \
		bench, paper, what, print, { scene "method=the paper: Eq. (12), " method, "gain" }, \
		    { scene "method=ours", "gain" }, { { NULL, NULL }, { NULL, NULL } }, 1          \
	}

#define MEDIAN(scene, print)                                                          \
	{                                                                                 \
		"ring", "M08 T4", "ring, scene " scene ": the same of medians", print,        \
		    { "scene=" scene "|method=the paper: bottom-up", "totalMs" },             \
		    { "scene=" scene "|method=bottom-up", "totalMs" },                        \
		    { { "scene=" scene "|method=the paper: Eq. (12), AABB/AABB", "totalMs" }, \
			    { "scene=" scene "|method=ours", "totalMs" } },                       \
		    1                                                                         \
	}

#define HASH(scene, print)                                                             \
	{                                                                                  \
		"ring", "M08 T3", "ring, scene " scene ": spatial hashing / bottom-up", print, \
		    { "scene=" scene "|method=spatial hash", "totalMs" }, { NULL, NULL },      \
		    { { "scene=" scene "|method=bottom-up", "totalMs" }, { NULL, NULL } }, 1   \
	}

#define BALL(scene, what, print, method)                                                                  \
	{                                                                                                     \
		"curtain", "BD04 T2", scene ": tests per frame, " what, print,                                    \
		    { "table=The ball as one sphere: posing and query, per frame|scene=" scene "|method=" method, \
			    "volumeTests" },                                                                          \
		    { "table=The ball as one sphere: posing and query, per frame|scene=" scene "|method=ours",    \
			    "volumeTests" },                                                                          \
		    { { NULL, NULL }, { NULL, NULL } }, 0                                                         \
	}

#define SWAY(what, print, theirs, ours)                                                                           \
	{                                                                                                             \
		"bridge", "BD04 F6", "bridge, level 6, " what, print, { "swayScale=1", theirs }, { "swayScale=1", ours }, \
		    { { NULL, NULL }, { NULL, NULL } }, 2                                                                 \
	}

#define LEVEL(level, print)                                                                           \
	{                                                                                                 \
		"skin-tightness", "S06 T1", "radius / optimal, spherical, level " level, print,               \
		    { "character=creature|skin=spherical|level=" level, "paperOverOptimal" }, { NULL, NULL }, \
		    { { NULL, NULL }, { NULL, NULL } }, 2                                                     \
	}

#define WALK(bodies, query, what)                                                                                    \
	{                                                                                                                \
		"skin-walk", "S06 T2", "bottom-up / on demand, " what, 0.0,                                                  \
		    { "bodies=" bodies "|skin=spherical|query=" query "|method=the paper: spheres, bottom-up", "bestMs" },   \
		    { "bodies=" bodies "|skin=spherical|query=" query "|method=bottom-up", "bestMs" },                       \
		    { { "bodies=" bodies "|skin=spherical|query=" query "|method=the paper: spheres, on demand", "bestMs" }, \
			    { "bodies=" bodies "|skin=spherical|query=" query "|method=ours, on demand", "bestMs" } },           \
		    1                                                                                                        \
	}

#define BLEND(bodies, query, what)                                                                                 \
	{                                                                                                              \
		"skin-walk", "S06 T2", "spherical / linear, " what, 0.0,                                                   \
		    { "bodies=" bodies "|skin=spherical|query=" query "|method=the paper: spheres, on demand", "bestMs" }, \
		    { "bodies=" bodies "|skin=spherical|query=" query "|method=ours, on demand", "bestMs" },               \
		    { { "bodies=" bodies "|skin=linear|query=" query "|method=the paper: spheres, on demand", "bestMs" },  \
			    { "bodies=" bodies "|skin=linear|query=" query "|method=ours, on demand", "bestMs" } },            \
		    2                                                                                                      \
	}

#define SHARE(level, print)                                                                                       \
	{                                                                                                             \
		"skin-walk", "S06 F6", "men: percent of level " level " that is refitted", print,                         \
		    { "bodies=men|skin=spherical|method=the paper: spheres, on demand|level=" level, "refittedPercent" }, \
		    { NULL, NULL }, { { NULL, NULL }, { NULL, NULL } }, 0                                                 \
	}

#define REFIT(skin, print)                                                                           \
	{                                                                                                \
		"skin-walk", "S06 T2", "refitting one node, " skin ", nanoseconds", print,                   \
		    { "body=man|skin=" skin, "paperNsPerNode" }, { "body=man|skin=" skin, "oursNsPerNode" }, \
		    { { NULL, NULL }, { NULL, NULL } }, 0                                                    \
	}

// Benchmarks follow one another, so that each is run once.
static const headline headlines[] = {
	FIT("3612", "65", 133.0),
	FIT("3612", "225", 57.0),
	FIT("3612", "509", 22.0),
	FIT("30252", "65", 956.0),
	FIT("30252", "225", 358.0),
	FIT("30252", "509", 172.0),
	FIT("144002", "65", 4583.0),
	FIT("144002", "225", 1793.0),
	FIT("144002", "509", 825.0),
	BRAIN("65", "mean", 1.5, "eq12Mean", "oursMean"),
	BRAIN("65", "greatest", 2.5, "eq12Greatest", "oursGreatest"),
	BRAIN("509", "mean", NAN, "eq12Mean", "oursMean"),
	BRAIN("509", "greatest", NAN, "eq12Greatest", "oursGreatest"),
	{ "brain", "M08 F5", "accumulated spheres / Eq. (12), 509 nodes", 68.0,
	    { "nodes=509|pullKilonewtons=240", "termByTermGreatestOverEq12" }, { NULL, NULL },
	    { { NULL, NULL }, { NULL, NULL } }, 0 },
	GAIN("ring", "M08 T4", "ring, scene 1: bottom-up / boxes", 5.2, "scene=1|", "AABB/AABB"),
	GAIN("ring", "M08 T4", "ring, scene 5: bottom-up / boxes", 3.0, "scene=5|", "AABB/AABB"),
	MEDIAN("1", NAN),
	MEDIAN("5", NAN),
	GAIN("ring", "M08 T4", "ring, scene 1: bottom-up / OBB/14-DOP", 3.7, "scene=1|", "OBB/14-DOP"),
	GAIN("ring", "M08 T4", "ring, scene 5: bottom-up / OBB/14-DOP", 2.9, "scene=5|", "OBB/14-DOP"),
	HASH("1", 1.8),
	HASH("5", 1.8),
	GAIN("fish", "M08 F7", "24 fish: bottom-up / boxes", 13.2, "", "AABB/AABB"),
	BALL("curtain", "BD", 35.0, "the paper: BD spheres"),
	BALL("curtain", "layered", 20.0, "layered spheres"),
	BALL("curtain, gentler", "BD", 35.0, "the paper: BD spheres"),
	BALL("curtain, gentler", "layered", 20.0, "layered spheres"),
	{ "curtain", "BD04 T2", "curtain, gentler: time, layered / BD", 2250.0,
	    { "table=The ball as one sphere, beside the paper's Table 2|scene=curtain, gentler", "layeredOverBdTime" },
	    { "table=The ball as one sphere, beside the paper's Table 2|scene=curtain, gentler", "layeredOverOursTime" },
	    { { NULL, NULL }, { NULL, NULL } }, 0 },
	SWAY("radius / at rest, mean", 1.25, "bdMean", "oursMean"),
	SWAY("radius / at rest, greatest", 1.56, "bdGreatest", "oursGreatest"),
	SWAY("layered / at rest, mean", 1.31, "layeredMean", NULL),
	SWAY("layered / at rest, greatest", 1.79, "layeredGreatest", NULL),
	{ "chairs", "BD04 F1", "a heap of chairs: microseconds per contact", 2.1e6 / 64000.0, { NULL, NULL },
	    { "kind=deformable", "microsecondsPerEvent" }, { { NULL, NULL }, { NULL, NULL } }, 1 },
	{ "chairs", "BD04 F1", "the same, rigid", 1.1e6 / 44000.0, { NULL, NULL }, { "kind=rigid", "microsecondsPerEvent" },
	    { { NULL, NULL }, { NULL, NULL } }, 1 },
	{ "chairs", "BD04 F1", "redundant updates, time", 1.45, { NULL, NULL },
	    { "kind=rigid, redundant updates", "milliseconds" }, { { NULL, NULL }, { "kind=rigid", "milliseconds" } }, 2 },
	LEVEL("1", 2.31),
	LEVEL("2", 1.54),
	LEVEL("3", 1.20),
	LEVEL("4", 1.12),
	LEVEL("5", 1.08),
	LEVEL("6", 1.07),
	LEVEL("7", 1.08),
	LEVEL("8", 1.02),
	LEVEL("9", 1.00),
	WALK("men", "full", "men"),
	WALK("creatures", "full", "creatures"),
	WALK("creatures", "yes/no", "creatures, yes/no"),
	BLEND("men", "full", "men"),
	BLEND("creatures", "full", "creatures"),
	BLEND("creatures", "yes/no", "creatures, yes/no"),
	SHARE("5", 19.0),
	SHARE("6", 9.0),
	REFIT("linear", 1210.0),
	REFIT("spherical", 1310.0),
};

#define HEADLINES (sizeof(headlines) / sizeof(headlines[0]))

// "key=value" up to a bar or the end.
static bool HasPart(const benchRow* row, const char* part, size_t length)
{
	const char* sign = memchr(part, '=', length);
	size_t keyLength = (size_t)(sign - part), valueLength = length - keyLength - 1;
	for (int i = 0; i < row->cellCount; ++i)
	{
		const benchCell* cell = row->cells + i;
		if (strlen(cell->key) == keyLength && memcmp(cell->key, part, keyLength) == 0)
		{
			return cell->kind == bench_text
			           ? strlen(cell->text) == valueLength && memcmp(cell->text, sign + 1, valueLength) == 0
			           : benchRow_GetNumber(row, cell->key) == atof(sign + 1);
		}
	}
	return keyLength == strlen("table") && memcmp(part, "table", keyLength) == 0 && strlen(row->table) == valueLength &&
	       memcmp(row->table, sign + 1, valueLength) == 0;
}

static bool HasAll(const benchRow* row, const char* parts)
{
	for (const char* part = parts;;)
	{
		size_t length = strcspn(part, "|");
		if (!HasPart(row, part, length))
		{
			return false;
		}
		if (part[length] == '\0')
		{
			return true;
		}
		part += length + 1;
	}
}

// NaN if there is none, or no such row.
static double Find(const benchReport* report, const headlineCell* wanted)
{
	for (int i = 0; i < report->rowCount && wanted->key != NULL; ++i)
	{
		const benchRow* row = report->rows + i;
		if (benchRow_Find(row, wanted->key) != NULL && HasAll(row, wanted->row))
		{
			return benchRow_GetNumber(row, wanted->key);
		}
	}
	return NAN;
}

// So that a time here stands beside the same time there.
static double GetPrint(const benchReport* from, const headline* h)
{
	const headlineCell over = { h->theirs.row, "paperMs" }, under = { h->by[0].row, "paperMs" };
	return h->print != 0.0 ? h->print : Find(from, &over) / Find(from, &under);
}

static void AddRow(benchReport* report, const benchReport* from, const headline* h)
{
	double found[2] = { Find(from, &h->theirs), Find(from, &h->ours) };
	double print = GetPrint(from, h);
	if ((isnan(found[0]) && isnan(found[1])) || (h->print == 0.0 && isnan(print)))
	{
		benchReport_Fail(report, "bench %s has no '%s'", h->bench, h->what);
	}
	for (int i = 0; i < 2; ++i)
	{
		found[i] /= h->by[i].key != NULL ? Find(from, &h->by[i]) : 1.0;
	}
	benchRow* row = benchReport_AddRow(report, "Every headline, theirs and ours, shortened");
	benchRow_Text(row, "paper", h->paper);
	benchRow_Text(row, "number", h->what);
	benchRow_Number(row, "inPrint", print, h->decimals);
	benchRow_Number(row, "theirMethodHere", found[0], h->decimals);
	benchRow_Number(row, "snug", found[1], h->decimals);
	benchRow_Text(row, "command", h->bench);
}

void benchPapers(const benchOptions* options, benchReport* report)
{
	benchOptions brief = *options;
	brief.quick = true;
	brief.full = false;
	brief.model = NULL;
	brief.models = "nowhere"; // real characters are in no paper
	benchReport from = { .name = "" };
	double found = 0.0;
	for (size_t i = 0; i < HEADLINES && report->failure[0] == '\0'; ++i, found += 1.0)
	{
		if (strcmp(from.name, headlines[i].bench) != 0)
		{
			benchReport_Free(&from);
			from = benchRun(benchFind(headlines[i].bench), &brief);
		}
		if (from.failure[0] != '\0')
		{
			benchReport_Fail(report, "bench %s: %s", from.name, from.failure);
			break;
		}
		AddRow(report, &from, headlines + i);
	}
	benchReport_AimAtLeast(report, found, (double)HEADLINES, (double)NAN, "headlines that have a number");
	benchReport_Free(&from);
}
