// test/program/test_tally.c: what the program adds up over frames, and which frame of a track it takes. Oracle: tables
// of all regions by all regions, and all frames of a track in turn.
#include "support.h"

#include "program/check/tally.h"
#include "program/files/track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
	BODIES = 4,
	TRIANGLES = 6,
	NODES = 5, // of each of two files
	REGIONS = 2 * (NODES + 1),
};

/// What two regions had, by the numbers of both, the lower one first.
typedef struct Row
{
	uint64_t pairs, frames, firstFrame, lastFrame, mostPairs, mostFrame;
} Row;

typedef struct Table
{
	Row rows[REGIONS][REGIONS];
	uint64_t now[REGIONS][REGIONS]; // pairs of the last frame
} Table;

static void CountFrame(Table* table, const cliRegions* regions, const cliContacts* contacts, uint64_t frame)
{
	memset(table->now, 0, sizeof(table->now));
	for (uint64_t i = 0; i < contacts->count; ++i)
	{
		const cliPair* pair = contacts->pairs + i;
		uint32_t a = cliRegions_Get(regions, pair->bodies[0], pair->pair.a);
		uint32_t b = cliRegions_Get(regions, pair->bodies[1], pair->pair.b);
		++table->now[a < b ? a : b][a < b ? b : a];
	}
	for (uint32_t k = 0; k < REGIONS * REGIONS; ++k)
	{
		Row* row = &table->rows[k / REGIONS][k % REGIONS];
		uint64_t pairs = table->now[k / REGIONS][k % REGIONS];
		if (pairs > 0)
		{
			row->firstFrame = row->frames == 0 ? frame : row->firstFrame;
			row->lastFrame = frame;
			row->mostFrame = pairs > row->mostPairs ? frame : row->mostFrame;
			row->mostPairs = pairs > row->mostPairs ? pairs : row->mostPairs;
			row->pairs += pairs;
			++row->frames;
		}
	}
}

// Touches are those of the table, each once, by pairs, most first; of equal ones by regions.
static void CheckOrder(const cliTouch* touches, size_t count)
{
	for (size_t i = 1; i < count; ++i)
	{
		const cliTouch *x = touches + i - 1, *y = touches + i;
		uint64_t first = (uint64_t)x->regions[0] << 32 | x->regions[1];
		uint64_t second = (uint64_t)y->regions[0] << 32 | y->regions[1];
		assert_true(x->pairs > y->pairs || (x->pairs == y->pairs && first < second));
	}
}

static void CheckNow(const cliTally* tally, const Table* table)
{
	size_t expected = 0;
	CheckOrder(tally->now, tally->nowCount);
	for (uint32_t k = 0; k < REGIONS * REGIONS; ++k)
	{
		expected += table->now[k / REGIONS][k % REGIONS] > 0;
	}
	assert_int_equal(tally->nowCount, expected);
	for (size_t i = 0; i < tally->nowCount; ++i)
	{
		const cliTouch* touch = tally->now + i;
		assert_int_equal(touch->pairs, table->now[touch->regions[0]][touch->regions[1]]);
	}
}

static void CheckAll(const cliTally* tally, const Table* table)
{
	size_t expected = 0;
	CheckOrder(tally->touches, tally->touchCount);
	for (uint32_t k = 0; k < REGIONS * REGIONS; ++k)
	{
		expected += table->rows[k / REGIONS][k % REGIONS].frames > 0;
	}
	assert_int_equal(tally->touchCount, expected);
	for (size_t i = 0; i < tally->touchCount; ++i)
	{
		const cliTouch* touch = tally->touches + i;
		const Row* row = &table->rows[touch->regions[0]][touch->regions[1]];
		assert_int_equal(touch->pairs, row->pairs);
		assert_int_equal(touch->frames, row->frames);
		assert_int_equal(touch->firstFrame, row->firstFrame);
		assert_int_equal(touch->lastFrame, row->lastFrame);
		assert_int_equal(touch->mostPairs, row->mostPairs);
		assert_int_equal(touch->mostFrame, row->mostFrame);
	}
}

/// Two files of two bodies each, all of whose triangles belong to nodes by chance.
typedef struct Stage
{
	cliFile files[2];
	cliPart parts[BODIES];
	uint32_t nodes[BODIES][TRIANGLES], first[2], *lists[BODIES];
	cliScene scene;
	cliRegions regions;
} Stage;

static void Stage_Make(Stage* stage, sceneRandom* random)
{
	memset(stage, 0, sizeof(*stage));
	for (int i = 0; i < BODIES; ++i)
	{
		stage->parts[i].file = i / 2;
		stage->files[i / 2].original = i / 2;
		stage->first[i / 2] = (uint32_t)(i / 2) * (NODES + 1);
		stage->lists[i] = stage->nodes[i];
		for (int k = 0; k < TRIANGLES; ++k)
		{
			stage->nodes[i][k] = sceneRandom_Index(random, NODES);
		}
	}
	stage->scene = (cliScene){ .files = stage->files, .fileCount = 2, .parts = stage->parts, .partCount = BODIES };
	stage->regions = (cliRegions){ &stage->scene, stage->first, stage->lists };
}

// Bodies of two files and of one, and with themselves, so that the region of the first triangle of a pair may be the
// one with the higher number.
static void touches_are_added_up_by_regions(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(30); ++n)
	{
		sceneRandom random = { TestSeed() + (uint64_t)n };
		Stage stage;
		Stage_Make(&stage, &random);
		static Table table;
		memset(&table, 0, sizeof(table));
		cliTally tally;
		cliTally_Begin(&tally, &stage.regions);
		uint64_t total = 0, contactFrames = 0, first = 0, last = 0, most = 0, mostFrame = 0;
		for (uint64_t frame = 0; frame < 40; ++frame)
		{
			cliPair pairs[30];
			const uint64_t count =
			    sceneRandom_Index(&random, 3) == 0 ? 0 : sceneRandom_Index(&random, LENGTH_OF(pairs) + 1);
			for (uint64_t i = 0; i < count; ++i)
			{
				int a = (int)sceneRandom_Index(&random, BODIES), b = (int)sceneRandom_Index(&random, BODIES);
				pairs[i] = (cliPair){ { a < b ? a : b, a < b ? b : a },
					{ sceneRandom_Index(&random, TRIANGLES), sceneRandom_Index(&random, TRIANGLES) }, 0.0 };
			}
			const cliContacts contacts = { .pairs = pairs, .count = count };
			CountFrame(&table, &stage.regions, &contacts, frame);
			assert_true(cliTally_Add(&tally, 0.1 * (double)frame, &contacts));
			CheckNow(&tally, &table);
			total += count;
			first = count > 0 && contactFrames == 0 ? frame : first;
			last = count > 0 ? frame : last;
			contactFrames += count > 0;
			mostFrame = count > most ? frame : mostFrame;
			most = count > most ? count : most;
			assert_int_equal(tally.frames[frame].pairs, count);
		}
		cliTally_Finish(&tally);
		CheckAll(&tally, &table);
		assert_int_equal(tally.pairs, total);
		assert_int_equal(tally.contactFrames, contactFrames);
		assert_int_equal(tally.firstContact, first);
		assert_int_equal(tally.lastContact, last);
		assert_int_equal(tally.mostPairs, most);
		assert_int_equal(tally.mostFrame, mostFrame);
		assert_int_equal(tally.frameCount, 40);
		cliTally_Free(&tally);
	}
}

// The deepest frame is the first of those with the greatest depth.
static void the_deepest_frame_is_known(void** state)
{
	(void)state;
	static const double depths[] = { 0.0, 0.2, 0.1, 0.5, 0.5, 0.3 };
	cliTally tally;
	cliTally_Begin(&tally, NULL);
	for (size_t i = 0; i < LENGTH_OF(depths); ++i)
	{
		cliCurve curves[2] = { { .depth = 0.5 * depths[i] }, { .depth = depths[i] } };
		const cliContacts contacts = { .near = { .curves = curves, .curveCount = 2 } };
		assert_true(cliTally_Add(&tally, (double)i, &contacts));
		assert_true(tally.frames[i].depth == depths[i] && tally.frames[i].time == (double)i);
	}
	assert_int_equal(tally.deepest, 3);
	assert_int_equal(tally.contactFrames, 0);
	cliTally_Free(&tally);
}

// Of all frames of a track the nearest one; of two that are as near, the later.
static void tracks_have_the_nearest_frame(void** state)
{
	(void)state;
	for (uint32_t count = 1; count < 5; ++count)
	{
		const cliTrack track = { .frameCount = count };
		for (double time = -1.0; time < 3.0; time += 0.0625)
		{
			const double fps = 4.0; // both are exact
			uint32_t nearest = 0;
			for (uint32_t i = 1; i < count; ++i)
			{
				nearest = fabs(i / fps - time) <= fabs(nearest / fps - time) ? i : nearest;
			}
			assert_int_equal(cliTrack_Find(&track, time, fps), nearest);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(touches_are_added_up_by_regions),
		cmocka_unit_test(the_deepest_frame_is_known),
		cmocka_unit_test(tracks_have_the_nearest_frame),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
