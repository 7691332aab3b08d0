// test/program/test_tally.c: what the program adds up over frames and keeps of them, which joint a triangle is of, and
// which frame of a track it takes. Oracle: tables of all regions by all regions and of all joints, and all frames in
// turn.
#include "support.h"

#include "program/check/kept.h"
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

// Of all distances the first of those that are least.
static void the_least_distance_is_known(void** state)
{
	(void)state;
	cliDistance distances[] = { { .distance = 0.5 }, { .distance = 0.25 }, { .distance = 0.25 }, { .distance = 2.0 } };
	cliNear near = { .distances = distances, .distanceCount = LENGTH_OF(distances) };
	assert_ptr_equal(cliNear_GetLeast(&near), distances + 1);
	near.distanceCount = 0;
	assert_null(cliNear_GetLeast(&near));
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

/// A file with one skinned body, whose influences are drawn.
typedef struct Rig
{
	uint32_t starts[TRIANGLES + 1], triangles[3 * TRIANGLES], joints[NODES];
	uint16_t influences[2 * TRIANGLES];
	float weights[2 * TRIANGLES];
	ioAssetMesh mesh;
	ioSkin skin;
	ioInstance instance;
	ioAsset asset;
} Rig;

// Weights are quarters, so that sums are exact and often equal. Joints are the nodes, turned around.
static void Rig_Make(Rig* rig, sceneRandom* random)
{
	uint32_t count = 0;
	for (uint32_t v = 0; v < TRIANGLES; ++v)
	{
		const uint32_t joint = sceneRandom_Index(random, NODES), quarters = 1 + sceneRandom_Index(random, 4);
		rig->starts[v] = count;
		rig->influences[count] = (uint16_t)joint;
		rig->weights[count++] = 0.25f * (float)quarters;
		if (quarters < 4)
		{
			rig->influences[count] = (uint16_t)((joint + 1 + sceneRandom_Index(random, NODES - 1)) % NODES);
			rig->weights[count++] = 0.25f * (float)(4 - quarters);
		}
	}
	rig->starts[TRIANGLES] = count;
	for (uint32_t i = 0; i < 3 * TRIANGLES; ++i)
	{
		rig->triangles[i] = sceneRandom_Index(random, TRIANGLES);
	}
	for (uint32_t j = 0; j < NODES; ++j)
	{
		rig->joints[j] = NODES - 1 - j;
	}
	rig->mesh = (ioAssetMesh){ .influenceStart = rig->starts, .joints = rig->influences, .weights = rig->weights };
	rig->skin = (ioSkin){ .joints = rig->joints, .jointCount = NODES };
	rig->instance = (ioInstance){ .skin = 0 };
	rig->asset = (ioAsset){ .meshes = &rig->mesh,
		.skins = &rig->skin,
		.instances = &rig->instance,
		.nodeCount = NODES,
		.skinCount = 1,
		.instanceCount = 1 };
}

// The joint with the greatest sum of weights at three corners, the lowest of equal ones.
static uint32_t FindJoint(const Rig* rig, const uint32_t corners[3])
{
	float sums[NODES] = { 0.0f };
	uint32_t best = 0;
	for (int c = 0; c < 3; ++c)
	{
		for (uint32_t i = rig->starts[corners[c]]; i < rig->starts[corners[c] + 1]; ++i)
		{
			sums[rig->influences[i]] += rig->weights[i];
		}
	}
	for (uint32_t j = 1; j < NODES; ++j)
	{
		best = sums[j] > sums[best] ? j : best;
	}
	return best;
}

static void triangles_are_of_the_joint_that_moves_them_most(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(60); ++n)
	{
		sceneRandom random = { TestSeed() + (uint64_t)n };
		Rig rigs[2];
		cliFile files[2] = { { .original = 0 }, { .original = 1 } };
		cliPart parts[2];
		for (int i = 0; i < 2; ++i)
		{
			Rig_Make(rigs + i, &random);
			files[i].asset = &rigs[i].asset;
			parts[i] = (cliPart){ .file = i, .triangles = rigs[i].triangles, .triangleCount = TRIANGLES };
		}
		const cliScene scene = { .files = files, .fileCount = 2, .parts = parts, .partCount = 2 };
		cliRegions regions;
		assert_true(cliRegions_Create(&regions, &scene));
		assert_int_equal(cliRegions_Count(&regions), REGIONS);
		for (int i = 0; i < 2; ++i)
		{
			for (uint32_t t = 0; t < TRIANGLES; ++t)
			{
				const uint32_t joint = FindJoint(rigs + i, rigs[i].triangles + 3 * t);
				const uint32_t region = cliRegions_Get(&regions, i, t);
				assert_int_equal(region, (uint32_t)i * (NODES + 1) + rigs[i].joints[joint]);
			}
		}
		for (uint32_t region = 0; region < REGIONS; ++region)
		{
			assert_int_equal(cliRegions_GetFile(&regions, region), region / (NODES + 1));
		}
		cliRegions_Free(&regions);
	}
}

// The first frame of each of so many equal parts, and the first with the most pairs; of each every triangle once.
static void pages_show_frames_of_all_parts_and_the_worst(void** state)
{
	(void)state;
	for (int n = 0; n < TestCount(200); ++n)
	{
		sceneRandom random = { TestSeed() + (uint64_t)n };
		enum
		{
			MOST = 40
		};
		const uint64_t total = 1 + sceneRandom_Index(&random, MOST), limit = 1 + sceneRandom_Index(&random, MOST);
		const uint64_t parts = limit < total ? limit : total;
		bool isShown[MOST] = { false };
		uint64_t counts[MOST], worst = 0, shown = 0, at = 0;
		cliKept kept;
		assert_true(cliKept_Begin(&kept, total, limit));
		for (uint64_t i = 0; i < parts; ++i)
		{
			isShown[(i * total + parts - 1) / parts] = true;
		}
		for (uint64_t frame = 0; frame < total; ++frame)
		{
			cliPair pairs[3] = { 0 };
			counts[frame] = sceneRandom_Index(&random, LENGTH_OF(pairs) + 1);
			for (uint64_t i = 0; i < counts[frame]; ++i)
			{
				pairs[i] = (cliPair){ { 0, 1 }, { sceneRandom_Index(&random, 2), sceneRandom_Index(&random, 2) }, 0.0 };
			}
			const cliContacts contacts = { .pairs = pairs, .count = counts[frame] };
			assert_true(cliKept_Add(&kept, frame, (double)frame, &contacts));
			worst = counts[frame] > counts[worst] ? frame : worst;
		}
		cliKept_Finish(&kept);
		isShown[worst] = isShown[worst] || counts[worst] > 0;
		for (uint64_t frame = 0; frame < total; ++frame)
		{
			shown += isShown[frame];
		}
		assert_int_equal(kept.count, shown);
		assert_int_equal(kept.frames[kept.worst].pairs, counts[worst]);
		for (uint64_t frame = 0; frame < total; ++frame)
		{
			if (isShown[frame])
			{
				const cliKeptFrame* one = kept.frames + at++;
				assert_int_equal(one->frame, frame);
				assert_int_equal(one->pairs, counts[frame]);
				assert_true(one->time == (double)frame);
				assert_true(one->count <= 4 && (one->count > 0) == (counts[frame] > 0));
				for (size_t i = 1; i < one->count; ++i)
				{
					assert_true(one->touching[i] > one->touching[i - 1]);
				}
			}
		}
		cliKept_Free(&kept);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(touches_are_added_up_by_regions),
		cmocka_unit_test(the_deepest_frame_is_known),
		cmocka_unit_test(the_least_distance_is_known),
		cmocka_unit_test(tracks_have_the_nearest_frame),
		cmocka_unit_test(triangles_are_of_the_joint_that_moves_them_most),
		cmocka_unit_test(pages_show_frames_of_all_parts_and_the_worst),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
