// test/deform/test_linear_stored.c: what a linear skin stores about a node holds for every vertex below it, in exact
// arithmetic or nearly: weights are within their ranges and fits, positions within rest boxes and prisms. And it loads
// again.
//
// Would catch a number rounded to nearest that must be rounded outwards: bounds rest on these numbers, and what their
// own rounding allows for would hide it in test_linear_bounds.
#include "hard_skins.h"

#include "deform/skin/linear.h"

#include <math.h>

/// A node, and where its numbers are.
typedef struct Node
{
	sgLinear linear;
	const sgLinearFamily* family;
	const sgLinearCommon* common;
	const sgLaneFloats* entries;
	uint32_t stride;      ///< of entries
	uint32_t lane;        ///< in what the node shares with its siblings; 0 for a node alone
	uint32_t acrossCount; ///< transforms per entry: 8 for a node alone, whose entries' lanes are transforms; else 1
} Node;

static Node Node_Find(const snugModel* model, uint32_t slot)
{
	Node node = { .linear = sgLinear_Get(model), .lane = slot % SG_LANES };
	node.family = node.linear.families + node.linear.firstFamilies[slot / SG_LANES];
	if (node.family->isAcross)
	{
		uint32_t bounded = sgLinear_BoundedLanes(sgTree_Family(&model->tree, slot));
		node.family += __builtin_popcount(bounded & ((1u << node.lane) - 1u));
		node.lane = 0;
	}
	node.common = (const sgLinearCommon*)(const void*)(node.linear.values + node.family->values);
	node.entries = node.linear.values + node.family->values + sgLinearFamily_HeadValues(node.family);
	node.stride = sgLinearKind_EntryValues((sgLinearKind)node.family->kind);
	node.acrossCount = node.family->isAcross ? SG_LANES : 1;
	return node;
}

/// The numbers of one transform: sgLocalEntry or sgFirstEntry.
typedef struct Entry
{
	uint32_t transform;
	double first[2];  ///< low and spread, or mean and residual
	double center[3]; ///< or gradient
	double half[3];
} Entry;

static Entry Node_Entry(const Node* node, uint32_t j, uint32_t across)
{
	const sgLaneFloats* values = node->entries + (size_t)j * node->stride;
	uint32_t lane = node->family->isAcross ? across : node->lane;
	uint32_t listed = node->linear.entryTransforms[node->family->firstEntry + j];
	uint32_t place = listed * SG_LANES + across, count = node->linear.header->transformCount;
	Entry entry = { .transform = !node->family->isAcross ? listed
		                         : place < count         ? node->linear.across[place]
		                                                 : SG_NONE };
	for (uint32_t f = 0; f < node->stride; ++f)
	{
		double* to = f < 2 ? entry.first + f : f < 5 ? entry.center + f - 2 : entry.half + f - 5;
		*to = (double)values[f].lane[lane];
	}
	return entry;
}

static double WeightOf(const sgLinear* linear, uint32_t vertex, uint32_t transform)
{
	sgRow row = sgRows_Get(&linear->rows, vertex);
	for (uint32_t j = 0; j < row.count; ++j)
	{
		if (row.numbers[j] == transform)
		{
			return (double)row.values[j * SG_LANES];
		}
	}
	return 0.0;
}

static bool IsInBox(const float* p, const double center[3], const double half[3])
{
	bool isInside = true;
	for (int k = 0; k < 3; ++k)
	{
		isInside = isInside && fabs((double)p[k] - center[k]) <= half[k];
	}
	return isInside;
}

static bool IsInRestBox(const Node* node, const float* p)
{
	double center[3], half[3];
	for (int k = 0; k < 3; ++k)
	{
		center[k] = (double)node->common->center[k].lane[node->lane];
		half[k] = (double)node->common->half[k].lane[node->lane];
	}
	return IsInBox(p, center, half) && fabs((double)p[0]) <= (double)node->linear.header->reach[0] &&
	       fabs((double)p[1]) <= (double)node->linear.header->reach[1] &&
	       fabs((double)p[2]) <= (double)node->linear.header->reach[2];
}

static bool IsInEntry(const Node* node, const Entry* entry, uint32_t vertex, const float* p)
{
	double weight = WeightOf(&node->linear, vertex, entry->transform);
	if (node->family->kind == sgLinear_firstOrder)
	{
		long double fit = (long double)entry->first[0];
		for (int k = 0; k < 3; ++k)
		{
			long double center = (long double)node->common->center[k].lane[node->lane];
			fit += (long double)entry->center[k] * ((long double)p[k] - center);
		}
		return fabsl((long double)weight - fit) <= (long double)entry->first[1];
	}
	bool isInRange = entry->first[0] <= weight && weight <= entry->first[0] + entry->first[1];
	return isInRange && (weight == 0.0 || IsInBox(p, entry->center, entry->half));
}

static bool AreInEntries(const Node* node, uint32_t vertex, const float* p)
{
	bool isInside = true;
	for (uint32_t j = 0; j < node->family->entryCount * node->acrossCount; ++j)
	{
		Entry entry = Node_Entry(node, j / node->acrossCount, j % node->acrossCount);
		isInside = isInside && IsInEntry(node, &entry, vertex, p);
	}
	return isInside;
}

// Of the local program.
static bool SlackIsEnough(const Node* node)
{
	double sum = 0.0;
	for (uint32_t j = 0; j < node->family->entryCount * node->acrossCount; ++j)
	{
		sum += Node_Entry(node, j / node->acrossCount, j % node->acrossCount).first[0];
	}
	return node->family->kind != sgLinear_local || 1.0 - sum <= (double)node->common->slack.lane[node->lane];
}

// Coordinates of a point in a prism: by Cramer's rule, in double. False if its axes have no volume; such a prism is a
// flat rest box, which is checked by itself.
static bool Coordinates(const Node* node, const float* p, const sgPrismLanes* prism, double coordinates[3])
{
	uint32_t lane = node->lane;
	double q[3], axis[3][3], det = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		q[k] = (double)p[k] - (double)node->common->center[k].lane[lane] - (double)prism->offset[k].lane[lane];
		for (int a = 0; a < 3; ++a)
		{
			axis[a][k] = (double)prism->axes[a][k].lane[lane];
		}
	}
	for (int a = 0; a < 3; ++a)
	{
		const double *u = axis[(a + 1) % 3], *v = axis[(a + 2) % 3];
		coordinates[a] = 0.0;
		det = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			int i = (k + 1) % 3, j = (k + 2) % 3;
			double normal = u[i] * v[j] - u[j] * v[i];
			coordinates[a] += normal * q[k];
			det += normal * axis[a][k];
		}
		coordinates[a] /= det;
	}
	return det != 0.0;
}

static bool AreInUnitCube(const double coordinates[3])
{
	const double most = 1.0 + 1e-9; // what Cramer's rule loses
	return fabs(coordinates[0]) <= most && fabs(coordinates[1]) <= most && fabs(coordinates[2]) <= most;
}

static bool IsInPrism(const Node* node, const float* p)
{
	const sgPrismLanes* prism = &((const sgLinearVolume*)(const void*)(node->common + 1))->prism;
	double c[3];
	if (!Coordinates(node, p, prism, c))
	{
		return true;
	}
	const double sums[4] = { c[0] + c[1], c[0] - c[1], c[1] - c[0], -c[0] - c[1] };
	bool isInside = AreInUnitCube(c);
	for (int i = 0; i < 4; ++i)
	{
		isInside = isInside && sums[i] <= (double)prism->corner[i].lane[node->lane] + 1e-9;
	}
	return isInside;
}

static bool IsInRestVolume(const Node* node, const float* p)
{
	return node->family->kind != sgLinear_firstOrder || IsInPrism(node, p);
}

// What is wrong with a node, or null.
static const char* FindFault(const snugModel* model, uint32_t slot)
{
	const sgTree* tree = &model->tree;
	Node node = Node_Find(model, slot);
	sgLeafRange range = sgTree_LeavesBelow(tree, slot);
	uint32_t end = tree->leaves[range.last].firstVertex + tree->leaves[range.last].vertexCount;
	const char* fault = SlackIsEnough(&node) ? NULL : "slack";
	for (uint32_t i = tree->leaves[range.first].firstVertex; fault == NULL && i < end; ++i)
	{
		uint32_t vertex = tree->leafVertices[i];
		const float* p = model->positions + 3 * (size_t)vertex;
		fault = !AreInEntries(&node, vertex, p) ? "weight" : fault;
		fault = !IsInRestVolume(&node, p) ? "rest volume" : fault;
		fault = !IsInRestBox(&node, p) ? "rest box" : fault;
	}
	return fault;
}

static void stored_numbers_hold_for_every_vertex(void** state)
{
	(void)state;
	uint64_t seed = TestSeed();
	int count = TestCount(2400);
	for (int i = 0; i < count; ++i)
	{
		uint64_t number = seed + (uint64_t)i;
		sceneRandom random = { number };
		SkinnedMesh skinned = HardSkin(&random);
		Thing thing = MakeThing(&skinned, RandomTreeDef(&random), snug_strategyAuto);
		const sgTree* tree = &thing.model->tree;
		for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
		{
			const char* fault = tree->nodes[slot].childCount > 0 ? FindFault(thing.model, slot) : NULL;
			if (fault != NULL)
			{
				fail_msg("SNUG_SEED=%llu: node %u has a wrong %s", (unsigned long long)number, slot, fault);
			}
		}
		size_t bytes;
		const void* block = snugModel_GetBlock(thing.model, &bytes);
		snugModel* loaded = NULL;
		if (snugModel_LoadMemory(block, bytes, NULL, &loaded) != snug_success)
		{
			fail_msg("SNUG_SEED=%llu: what was made does not load", (unsigned long long)number);
		}
		snugModel_Destroy(loaded);
		Thing_Free(&thing);
		SkinnedMesh_Free(&skinned);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stored_numbers_hold_for_every_vertex),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
