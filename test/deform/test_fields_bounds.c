// test/deform/test_fields_bounds.c: bounds of displacement fields contain the float32 vertices that evaluation gives,
// where rounding is worst; and evaluation gives the same bits in every way and on every instruction set.
//
// docs/bounds/rounding.md proves how much a bound must add for rounding. Here the proof is put to the test: on meshes,
// fields and amplitudes of every size and sort, and on such in which roundings add up instead of cancelling.
#include "fields_support.h"
#include "hard_skins.h"

#include "body/body.h"
#include "deform/fields/fields_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Meshes of every shape and size (hard_skins.h). Poses come in pairs, the second a little beside the first, so that
// boxes also grow instead of being refitted.
static void hard_fields_are_contained(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(2100); ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		SkinnedMesh hard = HardSkin(&random);
		FieldSet set = RandomFields(&random, &hard.mesh, MeshSize(&hard.mesh));
		Thing thing = MakeFields(sceneMesh_Copy(&hard.mesh), &set, RandomTreeDef(&random), StrategyOf(number));
		for (int pose = 0; pose < 4; ++pose)
		{
			RandomAmplitudes(&random, &set);
			PoseFields(&thing, &set);
			Thing_Validate("hard fields", number, &thing);
			NudgeAmplitudes(&random, &set);
			PoseFields(&thing, &set);
			Thing_Validate("hard fields, nudged", number, &thing);
		}
		Thing_Free(&thing);
		FieldSet_Free(&set);
		SkinnedMesh_Free(&hard);
	}
}

// --- Roundings that add up ------------------------------------------------------------------------------------------

typedef enum Roundings
{
	rounded_up,        // every sum of evaluation rounds up; those of fits, which start at zero, are exact
	rounded_down,      // the same downwards
	rounded_ties,      // products round to ties, where fused sums do not
	rounded_apart,     // two vertices apart: the sums of the box start elsewhere and round otherwise
	rounded_subnormal, // every product is a little more than half of the least number there is
	ROUNDINGS
} Roundings;

// All vertices at one place but for `apart`, all moved alike, so that apart from rounding every bound touches them.
static void CheckAligned(Roundings roundings, uint32_t n)
{
	sceneMesh mesh = sceneMakeTetrahedron();
	FieldSet set = { .fieldCount = n };
	set.displacements = calloc(3 * (size_t)n * mesh.vertexCount, sizeof(float));
	set.amplitudes = calloc(n, sizeof(float));
	assert_true(set.displacements != NULL && set.amplitudes != NULL);
	bool isTiny = roundings == rounded_subnormal;
	for (size_t i = 0; i < 3 * (size_t)mesh.vertexCount; ++i)
	{
		float far = roundings == rounded_apart && i < 3 ? -2.9999f : 1.0f;
		mesh.positions[i] = isTiny ? 0.0f : far;
	}
	for (size_t i = 0; i < 3 * (size_t)n * mesh.vertexCount; ++i)
	{
		switch (roundings)
		{
			case rounded_up:
			case rounded_apart:
				set.displacements[i] = 0x1.01p-24f;
				break;
			case rounded_down:
				set.displacements[i] = -0x1.01p-25f;
				break;
			case rounded_ties:
				set.displacements[i] = 0x1.000002p-24f;
				break;
			default:
				set.displacements[i] = 0x1.8p-125f;
				break;
		}
	}
	for (uint32_t f = 0; f < n; ++f)
	{
		set.amplitudes[f] = isTiny ? 0x1.6p-25f : (roundings == rounded_ties ? 0x1.fffffep-1f : 1.0f);
	}
	Thing thing = MakeFields(mesh, &set, (snugTreeDef){ .leafTriangles = 1 }, snug_strategyOnDemand);
	PoseFields(&thing, &set);
	Thing_Validate("aligned roundings", n, &thing);
	Thing_Free(&thing);
	FieldSet_Free(&set);
}

static void aligned_roundings_are_contained(void** state)
{
	(void)state;
	static const uint32_t counts[] = { 1, 2, 3, 10, 100, 1000 };
	for (int a = 0; a < ROUNDINGS; ++a)
	{
		for (size_t c = 0; c < LENGTH_OF(counts); ++c)
		{
			CheckAligned((Roundings)a, counts[c]);
		}
	}
}

// --- What is stored -------------------------------------------------------------------------------------------------

/// One node's numbers, and the vertices below it.
typedef struct Node
{
	const sgFields* fields;
	const sgFieldsGroup* group;
	const sgFieldsHead* head;
	uint32_t lane;
} Node;

static long double At(const sgLaneFloats* values, const Node* node)
{
	return (long double)values->lane[node->lane];
}

static void GetDisplacement(const sgFields* fields, uint32_t vertex, uint32_t field, long double out[3])
{
	out[0] = out[1] = out[2] = 0.0L;
	sgRow row = sgRows_Get(&fields->rows, vertex);
	for (uint32_t j = 0; j < row.count; ++j)
	{
		for (uint32_t axis = 0; row.numbers[j] == field && axis < 3; ++axis)
		{
			out[axis] = (long double)row.values[(3 * j + axis) * SG_LANES];
		}
	}
}

// Whether intervals, if there are any, and fits of entry j hold for a displacement; long double makes hardly an error.
static bool Holds(const Node* node, uint32_t j, const long double at[3], const long double d[3])
{
	const sgFieldInterval* interval = sgFieldsGroup_Intervals(node->fields, node->group) + j;
	const sgFieldFit* fit = sgFieldsGroup_Fits(node->fields, node->group) + j;
	bool holds = true;
	for (int row = 0; row < 3; ++row)
	{
		if (node->group->hasIntervals != 0)
		{
			holds = holds && d[row] >= At(interval->lower + row, node) && d[row] <= At(interval->upper + row, node);
		}
		long double value = At(fit->mean + row, node);
		for (int k = 0; k < 3; ++k)
		{
			value += At(&fit->gradient[row][k], node) * at[k];
		}
		holds = holds && fabsl(d[row] - value) <= At(fit->residual + row, node);
	}
	return holds;
}

static void CheckStored(const snugModel* model, uint64_t number)
{
	const sgTree* tree = &model->tree;
	sgFields fields = sgFields_Bind(model, model->deformData);
	for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
	{
		Node node = { &fields, fields.groups + slot / SG_LANES, NULL, slot % SG_LANES };
		uint32_t lanes = sgFields_BoundedLanes(tree, slot / SG_LANES);
		if ((lanes >> node.lane & 1) == 0 || tree->triangleCount == 0)
		{
			continue;
		}
		node.head = sgFieldsGroup_Head(&fields, node.group);
		sgLeafRange range = sgTree_LeavesBelow(tree, slot);
		uint32_t first = tree->leaves[range.first].firstVertex;
		uint32_t end = tree->leaves[range.last].firstVertex + tree->leaves[range.last].vertexCount;
		for (uint32_t i = first; i < end; ++i)
		{
			uint32_t vertex = tree->leafVertices[i];
			long double at[3], d[3];
			bool holds = true;
			for (uint32_t k = 0; k < 3; ++k)
			{
				at[k] = (long double)model->positions[3 * (size_t)vertex + k] - At(node.head->center + k, &node);
				holds = holds && fabsl(at[k]) <= At(node.head->half + k, &node);
			}
			for (uint32_t j = 0; j < node.group->fieldCount; ++j)
			{
				GetDisplacement(&fields, vertex, fields.groupFields[node.group->fields + j], d);
				holds = holds && Holds(&node, j, at, d);
			}
			if (!holds)
			{
				fail_msg("SNUG_SEED=%llu: a number of node %u does not hold for vertex %u", (unsigned long long)number,
				    slot, vertex);
			}
		}
	}
}

// Numbers that bounds rest on are rounded outwards: a last bit to the wrong side is too much, though the allowance for
// other roundings would mostly hide it.
static void stored_numbers_hold(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(400); ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		SkinnedMesh hard = HardSkin(&random);
		FieldSet set = RandomFields(&random, &hard.mesh, MeshSize(&hard.mesh));
		Thing thing = MakeFields(sceneMesh_Copy(&hard.mesh), &set, RandomTreeDef(&random), StrategyOf(number));
		CheckStored(thing.model, number);
		Thing_Free(&thing);
		FieldSet_Free(&set);
		SkinnedMesh_Free(&hard);
	}
}

// --- Evaluation -----------------------------------------------------------------------------------------------------

static const sgKernels* tables[8];
static int tableCount;

// fields.h says what evaluation is; this is that, with every field, moved or not, and nothing else.
static void EvaluatePlainly(const snugModel* model, const float* amplitudes, uint32_t vertex, float out[3])
{
	sgFields fields = sgFields_Bind(model, model->deformData);
	for (uint32_t axis = 0; axis < 3; ++axis)
	{
		volatile float sum = model->positions[3 * (size_t)vertex + axis] + 0.0f; // volatile: every step rounds
		sgRow row = sgRows_Get(&fields.rows, vertex);
		uint32_t k = 0;
		for (uint32_t f = 0; f < fields.header->fieldCount; ++f)
		{
			bool isMoved = k < row.count && row.numbers[k] == f;
			volatile float product = amplitudes[f] * (isMoved ? row.values[(3 * k + axis) * SG_LANES] : 0.0f);
			sum = sum + product;
			k += isMoved;
		}
		out[axis] = sum;
	}
}

static void CheckClusters(snugBody* body, uint64_t number)
{
	const snugModel* model = body->model;
	const sgClusters* clusters = &model->clusters;
	sgFields fields = sgFields_Bind(model, model->deformData);
	const float* amplitudes = sgFieldsPose_Amplitudes(body->posed.pose);
	for (uint32_t c = 0; c < clusters->header->count; ++c)
	{
		const uint32_t* vertices = clusters->vertices + clusters->clusters[c].firstVertex;
		uint32_t count = clusters->clusters[c].vertexCount;
		float expected[3 * SG_MAX_CLUSTER_VERTICES], found[SG_CLUSTER_FLOATS(SG_MAX_CLUSTER_VERTICES)];
		for (uint32_t i = 0; i < count; ++i)
		{
			EvaluatePlainly(model, amplitudes, vertices[i], expected + 3 * i);
		}
		body->deform->evaluate(sgBody_Derive(body), vertices, count, found);
		if (memcmp(expected, found, 3 * (size_t)count * sizeof(float)) != 0)
		{
			fail_msg("SNUG_SEED=%llu: other bits one by one", (unsigned long long)number);
		}
		const sgDisplacing blocks = sgFields_Displacing(&fields, body->posed.pose, NULL, c);
		for (int t = 0; t < tableCount; ++t)
		{
			tables[t]->linear->evaluateBlocks(&blocks, count, found);
			if (memcmp(expected, found, 3 * (size_t)count * sizeof(float)) != 0)
			{
				fail_msg("%s, SNUG_SEED=%llu: other bits in a cluster of %u", tables[t]->name,
				    (unsigned long long)number, count);
			}
		}
	}
}

// Would catch a fused multiply-add, another order of sums, a field that does not move a vertex but changes the sign of
// a zero, and a last block that is not full.
static void everything_evaluates_alike(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	for (int i = 0; i < TestCount(400); ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		SkinnedMesh hard = HardSkin(&random);
		bool isOdd = i % 2 == 0;
		FieldSet set = RandomFields(&random, &hard.mesh, MeshSize(&hard.mesh));
		for (size_t k = 0; isOdd && k < 3 * (size_t)hard.mesh.vertexCount; ++k)
		{
			hard.mesh.positions[k] = OddFloat(&random);
		}
		for (size_t k = 0; isOdd && set.starts == NULL && k < 3 * (size_t)hard.mesh.vertexCount * set.fieldCount; ++k)
		{
			set.displacements[k] = OddFloat(&random);
		}
		Thing thing = MakeFields(sceneMesh_Copy(&hard.mesh), &set, RandomTreeDef(&random), StrategyOf(number));
		for (int pose = 0; pose < 4; ++pose)
		{
			RandomAmplitudes(&random, &set);
			for (uint32_t f = 0; isOdd && f < set.fieldCount; ++f)
			{
				set.amplitudes[f] = OddFloat(&random);
			}
			PoseFields(&thing, &set);
			CheckClusters(thing.body, number);
		}
		Thing_Free(&thing);
		FieldSet_Free(&set);
		SkinnedMesh_Free(&hard);
	}
}

// Back to zero amplitudes is the rest pose, however it was left.
static void rest_comes_back(void** state)
{
	(void)state;
	sceneRandom random = { TestSeed() };
	sceneMesh mesh = sceneMakeBlob(6, 1);
	FieldSet set = RandomFields(&random, &mesh, 1.0);
	for (uint64_t k = 0; k < 4; ++k)
	{
		Thing thing = MakeFields(sceneMesh_Copy(&mesh), &set, (snugTreeDef){ 0 }, StrategyOf(k));
		Thing other = Thing_Make(sceneMakeBlob(5, 2), snug_rigid, (snugTreeDef){ 0 }, NULL);
		Place(other.body, 0.9, 0.1, 0.0);
		PairList atRest = CollideAll(thing.body, other.body, NULL);
		for (int pose = 0; pose < 6; ++pose)
		{
			memset(set.amplitudes, 0, set.fieldCount * sizeof(float));
			if (pose % 2 == 0)
			{
				RandomAmplitudes(&random, &set);
			}
			PoseFields(&thing, &set);
			Thing_Validate("rest", (uint64_t)pose, &thing);
			CheckPairs("rest", (uint64_t)pose, &thing, &other, NULL);
		}
		PairList again = CollideAll(thing.body, other.body, NULL);
		AssertSamePairs("rest again", 0, &atRest, &again);
		PairList_Free(&atRest);
		PairList_Free(&again);
		Thing_Free(&thing);
		Thing_Free(&other);
	}
	sceneMesh_Free(&mesh);
	FieldSet_Free(&set);
}

int main(void)
{
	tableCount = FindKernels(tables);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hard_fields_are_contained),
		cmocka_unit_test(aligned_roundings_are_contained),
		cmocka_unit_test(stored_numbers_hold),
		cmocka_unit_test(everything_evaluates_alike),
		cmocka_unit_test(rest_comes_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
