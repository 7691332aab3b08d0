// test/tree/test_walk.c: the walk over one tree, by two small queries: triangles that a box meets, and the vertex
// nearest to a point. Oracle: all triangles, all vertices, from snugBody_GetVertices. And what a side keeps: leaves
// that it has returned are looked at no more once it was asked for others.
#define SG_CHECKED 1 // in every build

#include "support.h"

#include "lab/scenes/character.h"
#include "lab/scenes/random.h"
#include "query/view.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// What both queries start with.
typedef struct Toy
{
	sgTreeWalk walk;
	sgView side;
	snugCounters counters;
	float lower[3], upper[3]; // the box
	double point[3];
	const float* positions; // of all vertices
	uint8_t* found;         // by triangle
	double nearest;         // distance, squared
	int settled;
} Toy;

static Toy* ToyOf(sgTreeWalk* walk)
{
	return (Toy*)(void*)walk;
}

static sgOpened Open(sgTreeWalk* walk, uint32_t slot)
{
	return sgOpen(ToyOf(walk)->side.tree, slot);
}

static void Start(Toy* toy, snugBody* body)
{
	static const double origin[3] = { 0.0, 0.0, 0.0 };
	sgBox root;
	toy->walk.isStopped = false;
	toy->walk.limit = INFINITY;
	toy->counters = (snugCounters){ 0 };
	toy->settled = 0;
	assert_int_equal(sgView_Start(&toy->side, body, origin, &root, &toy->counters), snug_success);
	assert_true(toy->side.placement.isIdentity); // so that boxes of the body are boxes of the world
}

static bool BoxesMeet(const Toy* toy, const float lower[3], const float upper[3])
{
	bool meet = true;
	for (int k = 0; k < 3; ++k)
	{
		meet = meet && lower[k] <= toy->upper[k] && upper[k] >= toy->lower[k];
	}
	return meet;
}

static uint32_t LookForBox(sgTreeWalk* walk, const sgOpened* opened, float keys[SG_LANES])
{
	(void)keys;
	Toy* toy = ToyOf(walk);
	const sgBoxLanes* bounds = sgView_Bounds(&toy->side, opened, &toy->counters);
	uint32_t mask = 0;
	for (uint32_t rest = opened->set.mask; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		sgBox box = sgBoxLanes_Get(bounds, lane);
		mask |= (uint32_t)BoxesMeet(toy, box.lower, box.upper) << lane;
	}
	return mask;
}

static void MarkTriangles(sgTreeWalk* walk, const sgOpened* opened, uint32_t lane)
{
	Toy* toy = ToyOf(walk);
	const sgKeptLeaf kept = sgView_Triangles(&toy->side, opened, lane, &toy->counters);
	const sgTriangleLanes* lanes = sgView_Lanes(&toy->side, kept);
	for (uint32_t t = 0; t < lanes->leaf->triangleCount; ++t)
	{
		sgBox box = sgBoxLanes_Get(&lanes->boxes, t);
		uint32_t number = sgView_TriangleNumber(&toy->side, kept, t);
		assert_int_equal(toy->found[number], 0);
		toy->found[number] = BoxesMeet(toy, box.lower, box.upper) ? 1 : 2;
	}
	++toy->settled;
}

static const sgTreeWalker boxWalker = { Open, LookForBox, MarkTriangles, false };

static uint32_t LookForNearest(sgTreeWalk* walk, const sgOpened* opened, float keys[SG_LANES])
{
	Toy* toy = ToyOf(walk);
	const sgBoxLanes* bounds = sgView_Bounds(&toy->side, opened, &toy->counters);
	for (uint32_t rest = opened->set.mask; rest != 0; rest &= rest - 1)
	{
		uint32_t lane = sgLowestBit(rest);
		sgBox box = sgBoxLanes_Get(bounds, lane);
		double sum = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			double out = fmax(fmax((double)box.lower[k] - toy->point[k], toy->point[k] - (double)box.upper[k]), 0.0);
			sum += out * out;
		}
		keys[lane] = (float)(sum * (1.0 - 0x1p-20));
	}
	return opened->set.mask;
}

static double Distance2(const double point[3], const float position[3])
{
	double sum = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		double difference = (double)position[k] - point[k];
		sum += difference * difference;
	}
	return sum;
}

static void LookAtVertices(sgTreeWalk* walk, const sgOpened* opened, uint32_t lane)
{
	Toy* toy = ToyOf(walk);
	const sgKeptLeaf kept = sgView_Triangles(&toy->side, opened, lane, &toy->counters);
	const sgTree* tree = toy->side.tree;
	const sgLeaf* leaf = sgView_Lanes(&toy->side, kept)->leaf;
	for (uint32_t i = 0; i < 3 * (uint32_t)leaf->triangleCount; ++i)
	{
		uint32_t c = i % 3, t = i / 3;
		float at[3][3];
		sgView_GetTriangle(&toy->side, kept, t, at);
		uint32_t vertex = tree->vertexMap[tree->leafVertices[leaf->firstVertex + leaf->corners[c][t]]];
		assert_memory_equal(toy->positions + 3 * (size_t)vertex, at[c], sizeof(at[c]));
		toy->nearest = fmin(toy->nearest, Distance2(toy->point, at[c]));
	}
	walk->limit = (float)(toy->nearest * (1.0 + 0x1p-20));
	++toy->settled;
}

static const sgTreeWalker nearestWalker = { Open, LookForNearest, LookAtVertices, true };

// Triangles in the box by the walk, against all of them.
static void CheckBox(Toy* toy, snugBody* body, const float* positions, const uint32_t* triangles, uint32_t count)
{
	toy->found = calloc(count + 1, 1);
	assert_non_null(toy->found);
	Start(toy, body);
	sgTreeWalk_Descend(&toy->walk, &boxWalker, 0);
	sgView_Finish(&toy->side);
	for (uint32_t t = 0; t < count; ++t)
	{
		float lower[3] = { FLT_MAX, FLT_MAX, FLT_MAX }, upper[3] = { -FLT_MAX, -FLT_MAX, -FLT_MAX };
		for (int i = 0; i < 9; ++i)
		{
			float value = positions[3 * (size_t)triangles[3 * (size_t)t + (size_t)(i / 3)] + (size_t)(i % 3)];
			lower[i % 3] = fminf(lower[i % 3], value);
			upper[i % 3] = fmaxf(upper[i % 3], value);
		}
		assert_int_equal(toy->found[t] == 1, BoxesMeet(toy, lower, upper));
	}
	free(toy->found);
}

static void CheckNearest(Toy* toy, snugBody* body, const float* positions, uint32_t vertexCount)
{
	toy->nearest = INFINITY;
	toy->positions = positions;
	Start(toy, body);
	sgTreeWalk_Descend(&toy->walk, &nearestWalker, 0);
	sgView_Finish(&toy->side);
	double expected = INFINITY;
	for (uint32_t v = 0; v < vertexCount; ++v)
	{
		expected = fmin(expected, Distance2(toy->point, positions + 3 * (size_t)v));
	}
	assert_true(toy->nearest == expected);
}

// A man who moves, by every skin and tree: few leaves are settled, and all that matter.
static void walks_find_what_all_triangles_have(void** state)
{
	(void)state;
	static const Mover skins[] = { snug_skin, mover_spherical, mover_dualQuaternion };
	static const snugTreeDef trees[] = { { 0 }, { .leafTriangles = 1 }, { .leafTriangles = 3 } };
	static Toy room; // aligned for vectors
	Toy* toy = &room;
	sceneCharacter man;
	assert_true(sceneCharacter_Create(&man, scene_man));
	sceneRandom random = { TestSeed() };
	float* positions = malloc(12 * (size_t)man.mesh.vertexCount);
	assert_non_null(positions);
	int settled = 0, walks = 0;
	for (size_t i = 0; i < LENGTH_OF(skins) * LENGTH_OF(trees); ++i)
	{
		snugModelDef def = sceneCharacter_MakeDef(&man, Mover_Blending(skins[i % 3]));
		def.tree = trees[i / 3];
		snugModel* model = NULL;
		assert_int_equal(snugModel_Create(&def, &model), snug_success);
		snugBody* body = MakeBody(model, NULL);
		for (int frame = 0; frame < 4; ++frame)
		{
			float matrices[12 * SCENE_MAX_JOINTS];
			snugFrame place;
			sceneCharacter_Meet(&man, 0, 7 * frame, 30, matrices, &place);
			assert_int_equal(snugBody_SetJoints(body, matrices, 0, man.weights.transformCount), snug_success);
			assert_int_equal(snugBody_GetVertices(body, NULL, positions, 0), snug_success);
			const float* near = positions + 3 * (size_t)(sceneRandom_Index(&random, man.mesh.vertexCount));
			for (int k = 0; k < 3; ++k)
			{
				float size = (float)sceneRandom_Range(&random, 0.0, 0.2);
				toy->lower[k] = near[k] - size;
				toy->upper[k] = near[k] + size;
				toy->point[k] = (double)near[k] + sceneRandom_Range(&random, -0.3, 0.3);
			}
			CheckBox(toy, body, positions, man.mesh.triangles, man.mesh.triangleCount);
			settled += toy->settled;
			CheckNearest(toy, body, positions, man.mesh.vertexCount);
			settled += toy->settled;
			walks += 2;
		}
		snugBody_Destroy(body);
		snugModel_Destroy(model);
	}
	assert_true(settled < walks * (int)man.mesh.triangleCount / 50);
	free(positions);
	sceneCharacter_Free(&man);
}

// ---- What a side keeps --------------------------------------------------------------------------------------------

static jmp_buf escape;

static void Escape(void* user, const char* condition, const char* function)
{
	(void)condition;
	assert_string_equal(function, "sgView_Lanes");
	++*(int*)user;
	longjmp(escape, 1); // else the library aborts
}

// Whether looking at what a side has returned is found out to be wrong.
static bool IsBroken(const sgView* side, const sgKeptLeaf* kept)
{
	int count = 0;
	snugSetAssertHandler(Escape, &count);
	if (setjmp(escape) == 0)
	{
		assert_non_null(sgView_Lanes(side, *kept));
	}
	snugSetAssertHandler(NULL, NULL);
	return count == 1;
}

static sgKeptLeaf AskFor(sgView* side, uint32_t leaf)
{
	snugCounters counters = { 0 };
	const uint32_t slot = side->tree->leaves[leaf].slot;
	const sgOpened opened = sgOpen(side->tree, slot);
	return sgView_Triangles(side, &opened, slot % SG_LANES, &counters);
}

// Another leaf of the same group, or one whose group takes its place; SG_NONE if there is none.
static uint32_t FindOther(const sgTree* tree, uint32_t leaf, bool sameGroup)
{
	const uint32_t group = tree->leaves[leaf].slot / SG_LANES;
	for (uint32_t other = 0; other < tree->leafCount; ++other)
	{
		const uint32_t found = tree->leaves[other].slot / SG_LANES;
		if (other != leaf && (found == group) == sameGroup && found % SG_LEAF_GROUPS == group % SG_LEAF_GROUPS)
		{
			return other;
		}
	}
	return SG_NONE;
}

// The mistake that lost pairs in 0.2: holding a leaf's triangles while the side is asked for others. It is found out
// whether these took their place or not, and so is taking triangles of one side for those of another.
static void replaced_leaves_are_not_looked_at(void** state)
{
	(void)state;
	static Toy rooms[2];
	sgView *side = &rooms[0].side, *other = &rooms[1].side;
	Thing thing = Thing_Make(sceneMakeSoup(900, 0.1, TestSeed()), snug_free, (snugTreeDef){ 0 }, NULL);
	Start(rooms, thing.body);
	Start(rooms + 1, thing.body);
	int tried = 0;
	for (uint32_t leaf = 0; leaf < side->tree->leafCount; ++leaf)
	{
		const uint32_t near = FindOther(side->tree, leaf, true), far = FindOther(side->tree, leaf, false);
		if (near == SG_NONE || far == SG_NONE)
		{
			continue;
		}
		const sgKeptLeaf kept = AskFor(side, leaf);
		assert_false(IsBroken(side, &kept));
		assert_true(IsBroken(other, &kept));
		AskFor(other, leaf);
		assert_false(IsBroken(side, &kept));
		const sgKeptLeaf sibling = AskFor(side, near);
		assert_ptr_equal(kept.lanes->leaf, side->tree->leaves + leaf); // still there
		assert_true(IsBroken(side, &kept) && !IsBroken(side, &sibling));
		const sgKeptLeaf next = AskFor(side, far);
		assert_true(IsBroken(side, &kept) && IsBroken(side, &sibling) && !IsBroken(side, &next));
		const sgKeptLeaf again = AskFor(side, leaf); // back, but it was away
		assert_ptr_equal(again.lanes, kept.lanes);
		assert_true(IsBroken(side, &kept) && IsBroken(side, &next) && !IsBroken(side, &again));
		++tried;
	}
	assert_true(tried > 20);
	Thing_Free(&thing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walks_find_what_all_triangles_have),
		cmocka_unit_test(replaced_leaves_are_not_looked_at),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
