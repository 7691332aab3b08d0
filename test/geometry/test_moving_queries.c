// test/geometry/test_moving_queries.c: published queries about moving features, whose truth is exact: single ones, and
// pairs of a simulated cloth with times. They are in SNUG_QUERIES, or beside SNUG_MODELS; without them the test is
// skipped.
#include "moving_pair.h"
#include "skip.h"
#include "support.h"

#include <math.h>
#include <time.h>

#define MOST 8192

typedef struct Query
{
	double corners[4][2][3];
	bool isTriangle, meets;
	double time; // negative: not known
} Query;

static Query queries[MOST];
static int queryCount;
static char folder[512];

static const char* const scenes[] = { "erleben-cube-cliff-edges", "erleben-cube-internal-edges",
	"erleben-sliding-spike", "erleben-sliding-wedge", "erleben-spike-crack", "erleben-spike-hole",
	"erleben-spike-wedge", "erleben-spikes", "erleben-wedge-crack", "erleben-wedges", "unit-tests" };

static FILE* Open(const char* name, const char* file)
{
	char path[1024];
	snprintf(path, sizeof(path), "%s/%s/%s", folder, name, file);
	return fopen(path, "rb");
}

static void FindFolder(void)
{
	const char* own = getenv("SNUG_QUERIES");
	snprintf(folder, sizeof(folder), "%s%s", own != NULL ? own : MODELS_FOLDER, own != NULL ? "" : "/../queries");
	FILE* first = Open(scenes[0], "vf.csv");
	if (first == NULL)
	{
		SKIP_WITHOUT("queries", "no erleben-cube-cliff-edges/vf.csv (set SNUG_QUERIES)");
	}
	fclose(first);
}

// Eight rows of three fractions and the truth: four corners at the start, then at the end.
static void ReadScene(const char* scene, const char* file, bool isTriangle)
{
	FILE* in = Open(scene, file);
	double n[3], d[3];
	int meets;
	for (int row = 0;
	     in != NULL && fscanf(in, "%lf,%lf,%lf,%lf,%lf,%lf,%d", n, d, n + 1, d + 1, n + 2, d + 2, &meets) == 7; ++row)
	{
		assert_true(queryCount < MOST);
		Query* query = queries + queryCount;
		for (int k = 0; k < 3; ++k)
		{
			query->corners[row % 4][row % 8 / 4][k] = n[k] / d[k];
		}
		query->isTriangle = isTriangle;
		query->meets = meets != 0;
		query->time = -1.0;
		queryCount += row % 8 == 7;
	}
	if (in != NULL)
	{
		fclose(in);
	}
}

// ---- Cloth ---------------------------------------------------------------------------------------------------------

typedef struct Cloth
{
	double (*points)[3];
	uint32_t (*triangles)[3];
	unsigned count, triangleCount;
} Cloth;

// Binary, points in double: what the readers of files would round.
static Cloth ReadCloth(const char* path)
{
	Cloth cloth = { 0 };
	char line[256] = "";
	FILE* in = fopen(path, "rb");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in) != NULL && strcmp(line, "end_header\n") != 0)
	{
		sscanf(line, "element vertex %u", &cloth.count);
		sscanf(line, "element face %u", &cloth.triangleCount);
	}
	cloth.points = calloc(cloth.count, sizeof(*cloth.points));
	cloth.triangles = calloc(cloth.triangleCount, sizeof(*cloth.triangles));
	assert_int_equal(fread(cloth.points, sizeof(*cloth.points), cloth.count, in), cloth.count);
	for (unsigned i = 0; i < cloth.triangleCount; ++i)
	{
		assert_int_equal(fgetc(in), 3);
		assert_int_equal(fread(cloth.triangles[i], sizeof(uint32_t), 3, in), 3);
	}
	fclose(in);
	return cloth;
}

static void AddClothQuery(const Cloth cloth[2], const uint32_t corners[4], bool isTriangle, bool meets, double time)
{
	assert_true(queryCount < MOST);
	Query* query = queries + queryCount++;
	for (int i = 0; i < 8; ++i)
	{
		assert_true(corners[i / 2] < cloth[i % 2].count);
		memcpy(query->corners[i / 2][i % 2], cloth[i % 2].points[corners[i / 2]], 3 * sizeof(double));
	}
	query->isTriangle = isTriangle;
	query->meets = meets;
	query->time = meets ? time : -1.0;
}

static void ReadClothQueries(const char* file, const Cloth cloth[2], bool isTriangle)
{
	FILE* in = Open("cloth_funnel", file);
	assert_non_null(in);
	char line[256];
	while (fgets(line, sizeof(line), in) != NULL)
	{
		uint32_t n[4];
		int meets;
		double time = -1.0;
		if (isTriangle && sscanf(line, "%u,%u,%d,%lf", n, n + 1, &meets, &time) >= 3)
		{
			assert_true(n[1] < cloth->triangleCount);
			memcpy(n + 1, cloth->triangles[n[1]], 3 * sizeof(uint32_t));
			AddClothQuery(cloth, n, true, meets != 0, time);
		}
		else if (!isTriangle && sscanf(line, "%u,%u,%u,%u,%d,%lf", n, n + 1, n + 2, n + 3, &meets, &time) >= 5)
		{
			AddClothQuery(cloth, n, false, meets != 0, time);
		}
	}
	fclose(in);
}

// ---- Answers -------------------------------------------------------------------------------------------------------

typedef struct Tally
{
	int count, meeting, filtered, missed, late, wrong, certain, unsure, cut;
	double early, microseconds[MOST];
	int timed;
} Tally;

static double Microseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

static double Extent(const Query* query)
{
	double extent = 0.0;
	for (int i = 0; i < 8; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			extent = fmax(extent, fabs(query->corners[i / 2][i % 2][k] - query->corners[0][0][k]));
		}
	}
	return extent;
}

static bool IsFiltered(const sgMovingPair* pair, double* from, double* to)
{
	sgMovingLanes lanes;
	sgMovingTimes times;
	for (int lane = 0; lane < SG_LANES; ++lane)
	{
		MovingLanes_Set(&lanes, lane, pair);
		times.from[lane] = 0.0;
		times.to[lane] = 1.0;
	}
	const uint32_t left = sgGetKernels()->moving->enterFeatures(&lanes, pair->isTriangle ? SG_LANES : 0, 0.0, &times);
	*from = times.from[0];
	*to = fmin(times.to[0], 1.0);
	return left == 0;
}

static void Ask(const Query* query, double tolerance, Tally* tally)
{
	const sgMovingPair pair = MovingPair_Make(query->corners, query->isTriangle);
	sgMovingQuery search = { .tolerance = tolerance * Extent(query), .maxCells = 10000 };
	++tally->count;
	tally->meeting += query->meets;
	if (IsFiltered(&pair, &search.from, &search.to))
	{
		++tally->filtered;
		tally->missed += query->meets;
		return;
	}
	const double begin = Microseconds();
	const sgMovingResult result = sgMovingPair_Search(&pair, &search);
	tally->microseconds[tally->timed++] = Microseconds() - begin;
	tally->missed += query->meets && result.answer == sg_movingFree;
	tally->wrong += !query->meets && result.answer == sg_movingMeets;
	tally->certain += result.answer == sg_movingMeets;
	tally->unsure += !query->meets && result.answer == sg_movingUnsure;
	tally->cut += result.isCut;
	if (query->time >= 0.0)
	{
		// The times were rounded to double here.
		tally->late += result.time > query->time * (1.0 + 0x1p-52);
		tally->wrong += result.answer == sg_movingMeets && result.latest < query->time * (1.0 - 0x1p-52);
		tally->early = fmax(tally->early, query->time - result.time);
	}
}

static int CompareTimes(const void* a, const void* b)
{
	const double x = *(const double*)a, y = *(const double*)b;
	return (x > y) - (x < y);
}

// Returns how many that do not meet it is unsure of.
static int AskAll(const char* what, double tolerance)
{
	static Tally tally;
	tally = (Tally){ 0 };
	for (int i = 0; i < queryCount; ++i)
	{
		Ask(queries + i, tolerance, &tally);
	}
	double sum = 0.0;
	for (int i = 0; i < tally.timed; ++i)
	{
		sum += tally.microseconds[i];
	}
	qsort(tally.microseconds, (size_t)tally.timed, sizeof(double), CompareTimes);
	print_message(
	    "%s, tolerance %g: %d queries, %d meet, %d filtered; missed %d, late %d, wrong %d, certain %d; unsure of "
	    "those that do not meet %d; cut %d; early by up to %.1e; median %.2f us, mean %.2f, 99 %% %.1f\n",
	    what, tolerance, tally.count, tally.meeting, tally.filtered, tally.missed, tally.late, tally.wrong,
	    tally.certain, tally.unsure, tally.cut, tally.early, tally.microseconds[tally.timed / 2], sum / tally.timed,
	    tally.microseconds[tally.timed * 99 / 100]);
	assert_int_equal(tally.missed, 0);
	assert_int_equal(tally.late, 0);
	assert_int_equal(tally.wrong, 0);
	return tally.unsure;
}

static void single_queries_are_answered(void** state)
{
	(void)state;
	FindFolder();
	queryCount = 0;
	for (size_t i = 0; i < LENGTH_OF(scenes); ++i)
	{
		ReadScene(scenes[i], "vf.csv", true);
		ReadScene(scenes[i], "ee.csv", false);
	}
	assert_int_equal(queryCount, 3014);
	// Of those that do not meet, some come within rounding of it.
	const int unsure = AskAll("single", 1e-6), nearly = AskAll("single", 1e-12);
	assert_true((unsure - nearly) * 100 <= queryCount);
}

static void cloth_meets_at_its_times(void** state)
{
	(void)state;
	FindFolder();
	Cloth cloth[2];
	for (int i = 0; i < 2; ++i)
	{
		char path[1024];
		snprintf(path, sizeof(path), "%s/cloth_funnel_t%d.ply", MODELS_FOLDER, i);
		FILE* in = fopen(path, "rb");
		if (in == NULL)
		{
			SKIP_WITHOUT("models", "no cloth_funnel_t0.ply (set SNUG_MODELS)");
		}
		fclose(in);
		cloth[i] = ReadCloth(path);
	}
	queryCount = 0;
	ReadClothQueries("vf.csv", cloth, true);
	ReadClothQueries("ee.csv", cloth, false);
	assert_int_equal(queryCount, 355);
	assert_int_equal(AskAll("cloth", 1e-6), 0);
	assert_int_equal(AskAll("cloth", 1e-9), 0);
	for (int i = 0; i < 2; ++i)
	{
		free(cloth[i].points);
		free(cloth[i].triangles);
	}
}

static void filters_in_lanes_are_quick(void** state)
{
	(void)state;
	FindFolder();
	queryCount = 0;
	ReadScene("erleben-spike-hole", "vf.csv", true);
	ReadScene("erleben-spikes", "ee.csv", false);
	static sgMovingLanes lanes[MOST / SG_LANES];
	for (int i = 0; i < queryCount; ++i)
	{
		const sgMovingPair pair = MovingPair_Make(queries[i].corners, true);
		MovingLanes_Set(lanes + i / SG_LANES, i % SG_LANES, &pair);
	}
	const sgKernels* kernels[8];
	const int count = FindKernels(kernels);
	for (int n = 0; n < count; ++n)
	{
		double best = INFINITY;
		uint32_t left = 0;
		for (int turn = 0; turn < 9; ++turn)
		{
			left = 0;
			const double begin = Microseconds();
			for (int i = 0; i < queryCount / SG_LANES; ++i)
			{
				sgMovingTimes times = { .to = { 1, 1, 1, 1, 1, 1, 1, 1 } };
				left +=
				    (uint32_t)__builtin_popcount(kernels[n]->moving->enterFeatures(lanes + i, SG_LANES, 0.0, &times));
			}
			best = fmin(best, (Microseconds() - begin) / (double)(queryCount / SG_LANES * SG_LANES));
		}
		print_message("%s: %.4f us a pair of features, %u left\n", kernels[n]->name, best, (unsigned)left);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_queries_are_answered),
		cmocka_unit_test(cloth_meets_at_its_times),
		cmocka_unit_test(filters_in_lanes_are_quick),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
