// test/test_blend_corners.c: balls by joint sets and corners: the pieces by their definitions, the whole against brute
// force.
#include "blend_support.h"

#include "body/body.h"
#include "deform/bounds/corners.h"
#include "deform/skin/blend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- Corners --------------------------------------------------------------------------------------------------------

#define MOST SG_CORNER_TRANSFORMS

/// Limits of weights as the vertices of a joint set give them.
typedef struct Limits
{
	uint32_t count;
	uint32_t low[MOST], high[MOST];
} Limits;

// Weights of a few vertices: anything, on a coarse grid so that sums coincide, or some of them fixed.
static Limits RandomLimits(sceneRandom* random)
{
	Limits limits = { .count = 1 + sceneRandom_Index(random, MOST) };
	uint32_t vertices = 1 + sceneRandom_Index(random, 5), kind = sceneRandom_Index(random, 3);
	for (uint32_t v = 0; v < vertices; ++v)
	{
		uint32_t rest = SG_CORNER_ONE, unit = kind == 1 ? SG_CORNER_ONE / 8 : 1;
		for (uint32_t j = 0; j < limits.count; ++j)
		{
			uint32_t share = rest / (limits.count - j),
			         weight = sceneRandom_Index(random, 2 * (share / unit) + 1) * unit;
			weight = kind == 2 && j % 2 == 0 ? SG_CORNER_ONE / 16 : weight;
			weight = weight > rest || j == limits.count - 1 ? rest : weight;
			rest -= weight;
			limits.low[j] = v == 0 || weight < limits.low[j] ? weight : limits.low[j];
			limits.high[j] = v == 0 || weight > limits.high[j] ? weight : limits.high[j];
		}
	}
	return limits;
}

/// Points as a set: each once, in order.
typedef struct Points
{
	uint32_t count;
	double at[1024][MOST];
} Points;

static void AddPoint(Points* points, const double point[MOST])
{
	uint32_t place = 0;
	while (place < points->count && memcmp(points->at[place], point, sizeof(points->at[place])) != 0)
	{
		++place;
	}
	if (place == points->count)
	{
		assert_true(points->count < LENGTH_OF(points->at));
		memcpy(points->at[points->count++], point, sizeof(points->at[place]));
	}
}

static bool HasPoint(const Points* points, const double point[MOST])
{
	for (uint32_t i = 0; i < points->count; ++i)
	{
		if (memcmp(points->at[i], point, sizeof(points->at[i])) == 0)
		{
			return true;
		}
	}
	return false;
}

// Gaussian elimination. Equations are w_k = limit and sum w = 1, so every number stays an integer and exact.
static bool Solve(double rows[MOST][MOST + 1], uint32_t n, double w[MOST])
{
	for (uint32_t column = 0; column < n; ++column)
	{
		uint32_t pivot = column;
		while (pivot < n && rows[pivot][column] == 0.0)
		{
			++pivot;
		}
		if (pivot == n)
		{
			return false;
		}
		for (uint32_t k = 0; k <= n; ++k)
		{
			double kept = rows[pivot][k];
			rows[pivot][k] = rows[column][k];
			rows[column][k] = kept;
		}
		for (uint32_t i = 0; i < n; ++i)
		{
			double factor = i != column ? rows[i][column] / rows[column][column] : 0.0;
			for (uint32_t k = 0; k <= n; ++k)
			{
				rows[i][k] -= factor * rows[column][k];
			}
		}
	}
	for (uint32_t i = 0; i < n; ++i)
	{
		w[i] = rows[i][n] / rows[i][i];
	}
	return true;
}

// Vertices of a polytope as the textbook has them: of the 2 n inequalities any n - 1 as equations beside the sum; where
// that has one solution, and it satisfies the others, it is a vertex.
static void FindVertices(const Limits* limits, Points* points)
{
	uint32_t n = limits->count;
	points->count = 0;
	for (uint32_t tight = 0; tight < 1u << (2 * n); ++tight)
	{
		if ((uint32_t)__builtin_popcount(tight) != n - 1)
		{
			continue;
		}
		double rows[MOST][MOST + 1] = { { 0 } }, w[MOST] = { 0 };
		uint32_t row = 0;
		for (uint32_t k = 0; k < 2 * n; ++k)
		{
			if ((tight >> k & 1) != 0)
			{
				rows[row][k / 2] = 1.0;
				rows[row++][n] = k % 2 == 0 ? limits->low[k / 2] : limits->high[k / 2];
			}
		}
		for (uint32_t k = 0; k < n; ++k)
		{
			rows[row][k] = 1.0;
		}
		rows[row][n] = SG_CORNER_ONE;
		bool isInside = Solve(rows, n, w);
		for (uint32_t k = 0; k < n; ++k)
		{
			isInside = isInside && w[k] >= (double)limits->low[k] && w[k] <= (double)limits->high[k];
		}
		if (isInside)
		{
			AddPoint(points, w);
		}
	}
}

// Names the bug it would catch: a corner left out makes bounds too small, one too many or twice wastes time.
static void corners_are_the_vertices_of_the_set(void** state)
{
	(void)state;
	static Points points;
	static const uint32_t most[MOST + 1] = { 0, 1, 2, 6, 12, 30, 60 };
	uint32_t reached[MOST + 1] = { 0 };
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(1500); ++i, ++seed)
	{
		sceneRandom random = { seed };
		Limits limits = RandomLimits(&random);
		uint32_t corners[SG_MAX_CORNERS][MOST];
		uint32_t count = sgCorners_Enumerate(limits.low, limits.high, limits.count, corners);
		FindVertices(&limits, &points);
		if (count != points.count)
		{
			fail_msg("SNUG_SEED=%llu: %u corners, expected %u", (unsigned long long)seed, count, points.count);
		}
		for (uint32_t c = 0; c < count; ++c)
		{
			double corner[MOST] = { 0 };
			for (uint32_t k = 0; k < limits.count; ++k)
			{
				corner[k] = corners[c][k];
			}
			assert_true(HasPoint(&points, corner));
		}
		reached[limits.count] = count > reached[limits.count] ? count : reached[limits.count];
		assert_true(count > 0 && count <= most[limits.count]);
	}
	for (uint32_t n = 1; n <= MOST && TestScale() >= 1.0; ++n)
	{
		assert_int_equal(reached[n], most[n]); // the hard cases are among those tried
	}
}

static void no_weights_have_no_corners(void** state)
{
	(void)state;
	const uint32_t low[2] = { SG_CORNER_ONE / 2, SG_CORNER_ONE / 2 + 1 }, high[2] = { SG_CORNER_ONE, SG_CORNER_ONE };
	const uint32_t small[2] = { 1, SG_CORNER_ONE - 2 };
	uint32_t corners[SG_MAX_CORNERS][MOST];
	assert_int_equal(sgCorners_Enumerate(low, high, 2, corners), 0);
	assert_int_equal(sgCorners_Enumerate(small, small, 2, corners), 0);
}

// --- Stretch --------------------------------------------------------------------------------------------------------

static double Length(const double v[3])
{
	return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void Multiply(const float matrix[12], bool transposed, const double v[3], double out[3])
{
	for (int i = 0; i < 3; ++i)
	{
		out[i] = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			out[i] += (double)(transposed ? matrix[4 * k + i] : matrix[4 * i + k]) * v[k];
		}
	}
}

// The largest |A v| / |v| that power iteration finds, from several starts.
static double FindStretch(const float matrix[12], sceneRandom* random)
{
	double most = 0.0;
	for (int start = 0; start < 4; ++start)
	{
		double v[3] = { sceneRandom_Range(random, -1.0, 1.0), sceneRandom_Range(random, -1.0, 1.0),
			sceneRandom_Range(random, -1.0, 1.0) };
		for (int i = 0; i < 300; ++i)
		{
			double image[3], length = Length(v);
			if (length == 0.0)
			{
				break;
			}
			for (int k = 0; k < 3; ++k)
			{
				v[k] /= length;
			}
			Multiply(matrix, false, v, image);
			most = fmax(most, Length(image));
			Multiply(matrix, true, image, v);
		}
	}
	return most;
}

static void stretches_are_largest_singular_values(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(3000); ++i, ++seed)
	{
		sceneRandom random = { seed };
		double scale = ldexp(1.0, (int)sceneRandom_Index(&random, 250) - 140);
		uint32_t kind = sceneRandom_Index(&random, 4), same = sceneRandom_Index(&random, 3);
		float matrix[12] = { 0 };
		for (int k = 0; k < 12; ++k)
		{
			bool isDiagonal = k % 5 == 0;
			double entry = sceneRandom_Range(&random, -1.0, 1.0);
			entry = kind == 1 ? (isDiagonal ? 1.0 : 1e-4 * entry) : entry;                          // nearly a scale
			entry = kind == 2 && sceneRandom_Index(&random, 2) != 0 ? 0.0 : entry;                  // zeros
			matrix[k] = kind == 3 && k >= 4 ? matrix[k % 4] * (float)same : (float)(entry * scale); // rank one
		}
		double found = FindStretch(matrix, &random), stretch = sgCorners_Stretch(matrix);
		if (!(stretch >= found * (1.0 - 1e-15)) || !(stretch <= found * 1.01))
		{
			fail_msg("SNUG_SEED=%llu: %.17g, but at least %.17g", (unsigned long long)seed, stretch, found);
		}
	}
	const float zero[12] = { [3] = 5.0f },
	            most[12] = { 3e38f, 3e38f, 3e38f, 0, 3e38f, 3e38f, 3e38f, 0, 3e38f, 3e38f, 3e38f, 0 };
	const float turn[12] = { 0, -2, 0, 9, 2, 0, 0, 9, 0, 0, 1.5f, 9 };
	assert_true(sgCorners_Stretch(zero) == 0.0);
	assert_true(fabs(sgCorners_Stretch(most) / 9e38 - 1.0) <= 1e-7);
	assert_true(sgCorners_Stretch(turn) >= 2.0 && sgCorners_Stretch(turn) <= 2.0 * (1.0 + 0x1p-37));
}

// --- Bounds ---------------------------------------------------------------------------------------------------------

// A skin of known joint sets: `setCount` of them with `setSize` transforms each, by chance or by place. Some weights
// vanish, or nearly do, which is another joint set then, or none.
static Skin SkinOfSets(sceneRandom* random, const sceneMesh* mesh, uint32_t setCount, uint32_t setSize)
{
	size_t influences = (size_t)mesh->vertexCount * setSize;
	Skin skin = { .transformCount = setSize + setCount };
	skin.starts = calloc(mesh->vertexCount + 1, sizeof(uint32_t));
	skin.transforms = calloc(influences + 1, sizeof(uint16_t));
	skin.weights = calloc(influences + 1, sizeof(float));
	skin.matrices = calloc(12 * (size_t)skin.transformCount, sizeof(float));
	bool byPlace = sceneRandom_Index(random, 2) != 0, hasSmall = sceneRandom_Index(random, 3) == 0;
	uint32_t total = 0;
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		double place = 0.5 + 0.3 * (double)mesh->positions[3 * (size_t)v];
		uint32_t set = sceneRandom_Index(random, setCount);
		set = byPlace ? (uint32_t)fmin(fmax(place * setCount, 0.0), setCount - 1.0) : set;
		for (uint32_t k = 0; k < setSize; ++k)
		{
			bool isSmall = hasSmall && k > 0 && sceneRandom_Index(random, 4) == 0;
			skin.transforms[total] = (uint16_t)(set + k);
			skin.weights[total++] = (float)(isSmall ? 1e-11 * sceneRandom_Index(random, 3) : sceneRandom_Unit(random));
		}
		skin.starts[v + 1] = total;
	}
	return skin;
}

static Skin AnySkin(sceneRandom* random, const sceneMesh* mesh)
{
	static const uint32_t setCounts[] = { 1, 2, 3, 7, 30, 150 };
	if (sceneRandom_Index(random, 2) != 0)
	{
		return RandomSkin(random, mesh);
	}
	uint32_t count = setCounts[sceneRandom_Index(random, LENGTH_OF(setCounts))];
	return SkinOfSets(random, mesh, count, 1 + sceneRandom_Index(random, 8));
}

static Bounding AnyBounding(sceneRandom* random)
{
	return (Bounding){
		.bound = snug_boundCorners,
		.volume = sceneRandom_Index(random, 2) != 0 ? snug_volumeBall : snug_volumeBox, // both mean balls
		.boundLeaves = sceneRandom_Index(random, 2) != 0,
		.strategy = (snugStrategy)sceneRandom_Index(random, 4),
	};
}

static uint64_t CheckBounds(const Thing* thing, uint64_t seed)
{
	snugValidation validation;
	if (snugBody_Validate(thing->body, &validation) != snug_success)
	{
		fail_msg("SNUG_SEED=%llu: %llu of %llu checks failed, by %g", (unsigned long long)seed,
		    (unsigned long long)validation.violations, (unsigned long long)validation.checks, validation.worst);
	}
	return validation.checks;
}

/// What kinds of joint sets the models of a test had.
typedef struct Coverage
{
	uint64_t cornerSets[MOST + 1]; // by number of transforms
	uint64_t limitSets;
	uint64_t fullNodes; // with SG_MAX_JOINT_SETS sets
	uint64_t singles;   // sets with a rest ball of radius zero
} Coverage;

static void CountSets(const snugModel* model, Coverage* coverage)
{
	sgBlend blend = sgBlend_Get(model);
	for (uint32_t slot = 0; slot < model->tree.groupCount * SG_LANES; ++slot)
	{
		uint32_t count = blend.jointSetStarts[slot + 1] - blend.jointSetStarts[slot];
		assert_true(count <= SG_MAX_JOINT_SETS);
		coverage->fullNodes += count == SG_MAX_JOINT_SETS;
	}
	for (uint32_t i = 0; i < blend.header->jointSetCount; ++i)
	{
		const sgJointSet* set = blend.jointSets + i;
		assert_int_equal(set->cornerCount == 0, set->transformCount > MOST);
		coverage->limitSets += set->cornerCount == 0;
		coverage->cornerSets[set->cornerCount > 0 ? set->transformCount : 0] += set->cornerCount > 1;
		coverage->singles += set->radius == 0.0f;
	}
}

// Whether a joint set has all transforms of a vertex, but for those whose weights vanish, and the vertex in its ball.
static bool HoldsVertex(const snugModel* model, const sgBlend* blend, const sgJointSet* set, uint32_t vertex)
{
	double offset[3];
	for (int k = 0; k < 3; ++k)
	{
		offset[k] = (double)model->positions[3 * (size_t)vertex + (size_t)k] - (double)set->center[k];
	}
	bool isHeld = Length(offset) * (1.0 - 0x1p-50) <= (double)set->radius;
	sgRow row = sgRows_Get(&blend->rows, vertex);
	for (uint32_t i = 0; i < row.count; ++i)
	{
		bool isListed = row.values[i * SG_LANES] < 0x1p-28f;
		for (uint32_t k = 0; k < set->transformCount && !isListed; ++k)
		{
			isListed = blend->setTransforms[set->firstTransform + k] == row.numbers[i];
		}
		isHeld = isHeld && isListed;
	}
	return isHeld;
}

// Every vertex below a node, in one of its joint sets: exactly, where poses have their rounding to hide behind.
static void CheckRestBalls(const snugModel* model, uint64_t seed)
{
	const sgTree* tree = &model->tree;
	sgBlend blend = sgBlend_Get(model);
	for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
	{
		uint32_t first = blend.jointSetStarts[slot], end = blend.jointSetStarts[slot + 1];
		bool isBounded = tree->nodes[slot].first != SG_NONE && tree->leafVertexCount > 0 &&
		                 (!sgTree_IsLeaf(tree, slot) || blend.header->boundLeaves != 0);
		assert_int_equal(first < end, isBounded);
		sgLeafRange range = isBounded ? sgTree_LeavesBelow(tree, slot) : (sgLeafRange){ 1, 0 };
		for (uint32_t leaf = range.first; leaf <= range.last; ++leaf)
		{
			for (uint32_t i = 0; i < tree->leaves[leaf].vertexCount; ++i)
			{
				uint32_t vertex = tree->leafVertices[tree->leaves[leaf].firstVertex + i], set = first;
				while (set < end && !HoldsVertex(model, &blend, blend.jointSets + set, vertex))
				{
					++set;
				}
				if (set == end)
				{
					fail_msg("SNUG_SEED=%llu: slot %u, vertex %u", (unsigned long long)seed, slot, vertex);
				}
			}
		}
	}
}

// Oracle: all pairs by brute force at the evaluated vertices. A bound may only skip work, so a difference means that
// one failed to contain its vertices; the validator looks at every node.
static void corners_match_brute_force(void** state)
{
	(void)state;
	uint64_t seed = TestSeed(), checks = 0, pairs = 0;
	int total = TestCount(500);
	Coverage coverage = { 0 };
	for (int i = 0; i < total; ++i, ++seed)
	{
		sceneRandom random = { seed };
		double size = sceneRandom_Index(&random, 4) == 0 ? ldexp(1.0, (int)sceneRandom_Index(&random, 121) - 60) : 1.0;
		double offset = sceneRandom_Index(&random, 5) == 0 ? 1e6 : 0.0;
		sceneMesh meshA = RandomMesh(&random, (MeshKind)sceneRandom_Index(&random, MESH_KINDS));
		sceneMesh meshB = RandomMesh(&random, (MeshKind)sceneRandom_Index(&random, MESH_KINDS));
		Skin skinA = AnySkin(&random, &meshA), skinB = AnySkin(&random, &meshB);
		ScaleMesh(&meshA, (float)size);
		ScaleMesh(&meshB, (float)size);
		Bounding howA = AnyBounding(&random), howB = AnyBounding(&random);
		Thing a = MakeBounded(meshA, &skinA, RandomTreeDef(&random), &howA);
		Thing b = MakeBounded(meshB, &skinB, RandomTreeDef(&random), &howB);
		CountSets(a.model, &coverage);
		CheckRestBalls(a.model, seed);
		checks += CheckBounds(&a, seed); // at rest
		for (int pose = 0; pose < 3; ++pose)
		{
			RandomMatrices(&random, &skinA, size, offset);
			RandomMatrices(&random, &skinB, size, offset);
			Pose(&a, &skinA);
			Pose(&b, &skinB);
			snugFrame frame = { 0 };
			if (pose > 0)
			{
				RandomRotation(&random, frame.rotation);
				frame.position[pose % 3] = size * sceneRandom_Range(&random, -0.5, 0.5);
			}
			assert_int_equal(snugBody_SetFrame(b.body, &frame), snug_success);
			pairs += CheckPairs("corners", seed, &a, &b, NULL);
			checks += CheckBounds(&a, seed) + CheckBounds(&b, seed);
		}
		Thing_Free(&a);
		Thing_Free(&b);
		Skin_Free(&skinA);
		Skin_Free(&skinB);
	}
	print_message("%llu component checks, %llu pairs\n", (unsigned long long)checks, (unsigned long long)pairs);
	assert_true(pairs > 0);
	for (uint32_t n = 2; n <= MOST && TestScale() >= 1.0; ++n)
	{
		assert_true(coverage.cornerSets[n] > 0);
	}
	assert_true(TestScale() < 1.0 || (coverage.limitSets > 0 && coverage.fullNodes > 0 && coverage.singles > 0));
}

// Against bodies that are bounded by boxes, and without balls of their own.
static void balls_meet_boxes(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(100); ++i, ++seed)
	{
		sceneRandom random = { seed };
		sceneMesh meshA = RandomMesh(&random, mesh_blob), meshB = RandomMesh(&random, mesh_torus);
		Skin skinA = AnySkin(&random, &meshA), skinB = AnySkin(&random, &meshB);
		Bounding howA = AnyBounding(&random), howB = { .bound = snug_boundLimited };
		RandomMatrices(&random, &skinA, 1.0, 0.0);
		RandomMatrices(&random, &skinB, 1.0, 0.0);
		Thing a = MakeBounded(meshA, &skinA, RandomTreeDef(&random), &howA);
		Thing b = MakeBounded(meshB, &skinB, RandomTreeDef(&random), &howB);
		Pose(&a, &skinA);
		Pose(&b, &skinB);
		CheckPairs("balls and boxes", seed, &a, &b, NULL);
		CheckPairs("boxes and balls", seed, &b, &a, NULL);
		Thing_Free(&a);
		Thing_Free(&b);
		Skin_Free(&skinA);
		Skin_Free(&skinB);
	}
}

static void SetMatrix(float matrix[12], float x, float y, float z, float shift)
{
	const float made[12] = { x, 0, 0, shift, 0, y, 0, shift, 0, 0, z, shift };
	memcpy(matrix, made, sizeof(made));
}

/// The ball and the box of the root.
typedef struct Root
{
	double center[3], radius;
	sgBox box;
} Root;

static Root GetRoot(const Thing* thing)
{
	sgBoundsScratch scratch;
	snugCounters counters = { 0 };
	sgLaneSet family = sgTree_Family(&thing->model->tree, 0);
	sgBounds bounds = sgBody_Refresh(thing->body, family, &scratch, &counters);
	const sgBallLanes* balls = (const sgBallLanes*)(const void*)bounds.extra;
	return (Root){
		.center = { (double)balls->center[0][0], (double)balls->center[1][0], (double)balls->center[2][0] },
		.radius = (double)balls->radius[0],
		.box = sgBoxLanes_Get(bounds.boxes, 0),
	};
}

static const Bounding onDemand = { .bound = snug_boundCorners, .strategy = snug_strategyOnDemand };

// One transform and one joint set: the posed ball is the rest ball, moved and stretched, and no larger.
static void one_transform_carries_the_rest_ball(void** state)
{
	(void)state;
	sceneMesh mesh = sceneMakeSphere(6);
	sceneRandom random = { 1 };
	Skin skin = SkinOfSets(&random, &mesh, 1, 1);
	Thing thing = MakeBounded(mesh, &skin, (snugTreeDef){ 0 }, &onDemand);
	const struct
	{
		float scales[3];
		double radius;
	} cases[] = { { { 1, 1, 1 }, 1.0 }, { { -1, 1, 1 }, 1.0 }, { { 0.5f, 3, 2 }, 3.0 }, { { 0, 0, 2 }, 2.0 },
		{ { 0, 0, 0 }, 0.0 } };
	for (size_t i = 0; i < LENGTH_OF(cases); ++i)
	{
		SetMatrix(skin.matrices, cases[i].scales[0], cases[i].scales[1], cases[i].scales[2], 2.0f);
		Pose(&thing, &skin);
		CheckBounds(&thing, i);
		Root root = GetRoot(&thing);
		double radius = cases[i].radius;
		assert_true(fabs(root.radius - radius) <= 1e-4);
		for (int k = 0; k < 3; ++k)
		{
			assert_true(fabs(root.center[k] - 2.0) <= 1e-4);
			assert_true((double)root.box.lower[k] >= 2.0 - radius - 1e-4);
			assert_true((double)root.box.upper[k] <= 2.0 + radius + 1e-4);
		}
	}
	Thing_Free(&thing);
	Skin_Free(&skin);
}

// Two spheres side by side along a diagonal: their boxes overlap, their balls do not, and the same for what is below.
// Told that they are boxes, the same bodies are descended into much more. Would catch balls that are computed but never
// compared.
static void balls_separate_what_boxes_do_not(void** state)
{
	(void)state;
	sceneRandom random = { 1 };
	Thing things[2];
	Skin skins[2];
	for (int i = 0; i < 2; ++i)
	{
		sceneMesh mesh = sceneMakeSphere(12);
		skins[i] = SkinOfSets(&random, &mesh, 1, 2);
		things[i] = MakeBounded(mesh, skins + i, (snugTreeDef){ 0 }, &onDemand);
		for (uint32_t j = 0; j < skins[i].transformCount; ++j)
		{
			SetMatrix(skins[i].matrices + 12 * (size_t)j, 1, 1, 1, i == 0 ? -0.65f : 0.65f);
		}
		Pose(things + i, skins + i);
	}
	snugResult balls = snugCollide(things[0].body, things[1].body, NULL);
	snugFrame turned = { .rotation = { 0.0, 0.0, 0.6, 0.8 } };
	assert_int_equal(snugBody_SetFrame(things[0].body, &turned), snug_success);
	assert_int_equal(snugBody_SetFrame(things[1].body, &turned), snug_success);
	snugResult moved = snugCollide(things[0].body, things[1].body, NULL);
	things[0].body->volume = things[1].body->volume = snug_volumeBox;
	snugResult boxes = snugCollide(things[0].body, things[1].body, NULL);
	assert_int_equal(balls.count, 0);
	assert_int_equal(boxes.count, 0);
	assert_true(2 * balls.counters.volumeTests < boxes.counters.volumeTests);
	assert_true(2 * moved.counters.volumeTests < boxes.counters.volumeTests);
	for (int i = 0; i < 2; ++i)
	{
		things[i].body->volume = snug_volumeBall;
		Thing_Free(things + i);
		Skin_Free(skins + i);
	}
}

// A flat mesh may be stretched without limit across itself: no position changes, and no bound may become infinite.
static void thin_meshes_may_be_stretched_across(void** state)
{
	(void)state;
	for (uint64_t i = 0; i < 20; ++i)
	{
		sceneRandom random = { i };
		sceneMesh mesh = sceneMakeCloth(2.0, 2.0, 7, 5), probeMesh = sceneMakeBlob(3, i);
		Skin skin = AnySkin(&random, &mesh);
		Bounding how = AnyBounding(&random);
		RandomMatrices(&random, &skin, 1.0, 0.0);
		for (uint32_t j = 0; j < skin.transformCount; ++j)
		{
			skin.matrices[12 * j + 2] = 9e35f;
			skin.matrices[12 * j + 10] = j % 2 == 0 ? -9e35f : 9e35f;
		}
		Thing a = MakeBounded(mesh, &skin, RandomTreeDef(&random), &how);
		Thing b = Thing_Make(probeMesh, snug_rigid, (snugTreeDef){ 0 }, NULL);
		Pose(&a, &skin);
		CheckBounds(&a, i);
		CheckPairs("stretched", i, &a, &b, NULL);
		snugBounds bounds;
		assert_int_equal(snugBody_GetBounds(a.body, NULL, &bounds), snug_success);
		assert_true(bounds.radius < 100.0f);
		Thing_Free(&a);
		Thing_Free(&b);
		Skin_Free(&skin);
	}
}

// Every matrix zero but for its translation: all vertices at a few points, exactly.
static void zero_matrices_make_points(void** state)
{
	(void)state;
	for (uint64_t i = 0; i < 30; ++i)
	{
		sceneRandom random = { i };
		sceneMesh mesh = RandomMesh(&random, (MeshKind)(i % MESH_KINDS));
		Skin skin = AnySkin(&random, &mesh);
		Bounding how = AnyBounding(&random);
		Thing thing = MakeBounded(mesh, &skin, RandomTreeDef(&random), &how);
		Pose(&thing, &skin); // zeros
		CheckBounds(&thing, i);
		for (uint32_t j = 0; j < skin.transformCount; ++j)
		{
			SetMatrix(skin.matrices + 12 * (size_t)j, 0, 0, 0, (float)(j % 5));
		}
		Pose(&thing, &skin);
		CheckBounds(&thing, i);
		Thing_Free(&thing);
		Skin_Free(&skin);
	}
}

// --- Files and memory -----------------------------------------------------------------------------------------------

static snugModelDef CornersDef(const sceneMesh* mesh, const Skin* skin, const snugBoundsDef* bounds)
{
	snugModelDef def = MeshDef(mesh, snug_skin, (snugTreeDef){ 0 });
	def.skin = (snugSkinDef){
		.jointCount = skin->transformCount,
		.starts = skin->starts,
		.joints = skin->transforms,
		.weights = skin->weights,
	};
	def.bounds = bounds;
	return def;
}

static void models_survive_saving(void** state)
{
	(void)state;
	for (uint64_t i = 0; i < 10; ++i)
	{
		sceneRandom random = { TestSeed() + i };
		sceneMesh mesh = RandomMesh(&random, mesh_blob);
		Skin skin = AnySkin(&random, &mesh);
		Bounding how = AnyBounding(&random);
		RandomMatrices(&random, &skin, 1.0, 0.0);
		Thing a = MakeBounded(mesh, &skin, RandomTreeDef(&random), &how), b = { .mesh = sceneMesh_Copy(&mesh) };
		size_t bytes;
		const void* block = snugModel_GetBlock(a.model, &bytes);
		assert_int_equal(snugModel_Load(block, bytes, NULL, &b.model), snug_success);
		b.body = MakeBody(b.model, NULL);
		Pose(&a, &skin);
		Pose(&b, &skin);
		assert_true(CheckPairs("loaded", i, &a, &b, NULL) > 0);
		CheckBounds(&b, i);
		Thing_Free(&a);
		Thing_Free(&b);
		Skin_Free(&skin);
	}
}

// Every number of every joint set, and everything in the header: whatever is changed is refused, or does no harm.
static void changed_joint_sets_are_refused_or_harmless(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	uint32_t refused = 0;
	sceneMesh mesh = sceneMakeBlob(3, 7);
	Skin skin = SkinOfSets(&random, &mesh, 5, 3), large = SkinOfSets(&random, &mesh, 3, 8);
	const Skin* const skins[2] = { &skin, &large };
	for (int i = 0; i < 2; ++i)
	{
		const snugBoundsDef bounds = { .bound = snug_boundCorners, .boundLeaves = true };
		snugModelDef def = CornersDef(&mesh, skins[i], &bounds);
		snugModel *model, *loaded;
		assert_int_equal(snugModel_Create(&def, &model), snug_success);
		size_t bytes;
		const void* block = snugModel_GetBlock(model, &bytes);
		unsigned char* copy = malloc(bytes);
		memcpy(copy, block, bytes);
		sgBlend blend = sgBlend_Get(model);
		const sgBlendHeader* header = blend.header;
		const struct
		{
			const void* start;
			size_t bytes;
		} parts[] = {
			{ header, sizeof(*header) },
			{ blend.jointSetStarts, ((size_t)model->tree.groupCount * SG_LANES + 1) * sizeof(uint32_t) },
			{ blend.jointSets, header->jointSetCount * sizeof(sgJointSet) },
			{ blend.setTransforms, header->setTransformCount * sizeof(uint16_t) },
			{ blend.setWeights, header->setWeightCount * sizeof(uint32_t) },
		};
		for (size_t p = 0; p < LENGTH_OF(parts); ++p)
		{
			size_t first = (size_t)((const unsigned char*)parts[p].start - (const unsigned char*)block);
			for (size_t at = first; at < first + parts[p].bytes; at += p == 0 ? 1 : 1 + sceneRandom_Index(&random, 7))
			{
				unsigned char kept = copy[at];
				copy[at] ^= (unsigned char)(1u << sceneRandom_Index(&random, 8));
				RepairChecksum(copy, bytes);
				snugStatus status = snugModel_Load(copy, bytes, NULL, &loaded);
				// A reach that is larger than need be only makes bounds wider, transforms may be unused, and numbers
				// of bounds may be any that are finite.
				size_t reach = offsetof(sgBlendHeader, reach), offset = at - first;
				size_t transforms = offsetof(sgBlendHeader, transformCount);
				bool mayBe = p > 0 || (offset >= reach && offset < reach + sizeof(header->reach)) ||
				             (offset >= transforms && offset < transforms + sizeof(header->transformCount));
				if (status != snug_badFile && !(mayBe && status == snug_success))
				{
					fail_msg("SNUG_SEED=%llu: byte %zu of part %zu was changed, and status is %d",
					    (unsigned long long)TestSeed(), at - first, p, (int)status);
				}
				refused += status == snug_badFile;
				if (status == snug_success)
				{
					snugBody* body = MakeBody(loaded, NULL);
					snugStatus validity = snugBody_Validate(body, NULL);
					assert_true(validity == snug_success || validity == snug_invalidBounds);
					snugBody_Destroy(body);
				}
				snugModel_Destroy(loaded);
				copy[at] = kept;
			}
		}
		RepairChecksum(copy, bytes);
		assert_int_equal(snugModel_Load(copy, bytes, NULL, &loaded), snug_success);
		snugModel_Destroy(loaded);
		snugModel_Destroy(model);
		free(copy);
	}
	assert_true(refused > 100);
	Skin_Free(&skin);
	Skin_Free(&large);
	sceneMesh_Free(&mesh);
}

// Each allocation fails once, when a model is made and when it is loaded: an error, and nothing is left behind. Memory
// comes filled with rubbish, and what is made does not depend on it.
static void lack_of_memory_is_reported(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	sceneMesh mesh = sceneMakeBlob(5, 7);
	Skin skin = SkinOfSets(&random, &mesh, 90, 3);
	const snugBoundsDef bounds = { .bound = snug_boundCorners };
	snugModelDef def = CornersDef(&mesh, &skin, &bounds);
	snugModel *model, *made;
	assert_int_equal(snugModel_Create(&def, &model), snug_success);
	size_t bytes, madeBytes;
	const void* block = snugModel_GetBlock(model, &bytes);
	for (int loads = 0; loads < 2; ++loads)
	{
		snugStatus status = snug_outOfMemory;
		for (uint64_t failAt = 1; status != snug_success; ++failAt)
		{
			TestAllocator allocator = { .failAt = failAt };
			def.allocator = TestAllocator_Get(&allocator);
			const snugLoadDef loadDef = { .allocator = def.allocator };
			status = loads ? snugModel_Load(block, bytes, &loadDef, &made) : snugModel_Create(&def, &made);
			if (status == snug_success)
			{
				const void* madeBlock = snugModel_GetBlock(made, &madeBytes);
				assert_int_equal(bytes, madeBytes);
				assert_memory_equal(block, madeBlock, bytes);
				assert_true(allocator.calls < failAt);
				snugModel_Destroy(made);
			}
			else
			{
				assert_null(made);
				assert_int_equal(status, snug_outOfMemory);
			}
			assert_int_equal(allocator.live, 0);
			assert_int_equal(allocator.faults, 0);
		}
	}
	snugModel_Destroy(model);
	Skin_Free(&skin);
	sceneMesh_Free(&mesh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(corners_are_the_vertices_of_the_set),
		cmocka_unit_test(no_weights_have_no_corners),
		cmocka_unit_test(stretches_are_largest_singular_values),
		cmocka_unit_test(corners_match_brute_force),
		cmocka_unit_test(balls_meet_boxes),
		cmocka_unit_test(one_transform_carries_the_rest_ball),
		cmocka_unit_test(balls_separate_what_boxes_do_not),
		cmocka_unit_test(thin_meshes_may_be_stretched_across),
		cmocka_unit_test(zero_matrices_make_points),
		cmocka_unit_test(models_survive_saving),
		cmocka_unit_test(changed_joint_sets_are_refused_or_harmless),
		cmocka_unit_test(lack_of_memory_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
