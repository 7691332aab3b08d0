// src/model/contents.c: what a model holds, for callers that loaded it from a file. All numbers
// of vertices that leave here are the caller's.
#include "model/contents.h"

#include "snug/snug_queries.h"

#include <string.h>

sgContents sgModel_Describe(const snugModel* model)
{
	sgContents contents = { .jointCount = 0 };
	if (model->deform->describe != NULL)
	{
		model->deform->describe(model, &contents);
	}
	return contents;
}

snugStatus snugModel_GetPositions(const snugModel* model, float* positions, size_t stride)
{
	SG_REQUIRE(model != NULL && (positions != NULL || model->tree.vertexCount == 0), snug_badArgument);
	stride = sgStride(stride, 3 * sizeof(float));
	SG_REQUIRE(stride != 0, snug_badArgument);
	for (uint32_t v = 0; v < model->tree.vertexCount; ++v)
	{
		memcpy(
		    (char*)positions + model->tree.vertexMap[v] * stride, model->positions + 3 * (size_t)v, 3 * sizeof(float));
	}
	return snug_success;
}

// Copy the row of a vertex to where it starts.
static void CopyRow(const sgRows* rows, uint32_t vertex, uint16_t* numbers, float* values)
{
	sgRow row = sgRows_Get(rows, vertex);
	size_t width = rows->width;
	for (uint32_t j = 0; j < row.count; ++j)
	{
		if (sgRow_Has(&row, rows->width, j))
		{
			*numbers++ = row.numbers[j];
			for (size_t i = 0; i < width; ++i)
			{
				*values++ = row.values[(j * width + i) * SG_LANES];
			}
		}
	}
}

// Rows in the order of the caller's vertices. Where each starts follows from how many each has, and those are counted
// where they are to be: `starts` one further, then summed up.
static void CopyRows(const sgTree* tree, const sgRows* rows, uint32_t* starts, uint16_t* numbers, float* values)
{
	memset(starts, 0, ((size_t)tree->vertexCount + 1) * sizeof(uint32_t));
	for (uint32_t v = 0; rows->places != NULL && v < tree->vertexCount; ++v)
	{
		starts[tree->vertexMap[v] + 1] = sgRows_CountEntries(rows, v);
	}
	for (uint32_t v = 0; v < tree->vertexCount; ++v)
	{
		starts[v + 1] += starts[v];
	}
	for (uint32_t v = 0; rows->places != NULL && v < tree->vertexCount; ++v)
	{
		size_t to = starts[tree->vertexMap[v]];
		CopyRow(rows, v, numbers + to, values + to * rows->width);
	}
}

snugStatus snugModel_GetWeights(const snugModel* model, uint32_t* starts, uint16_t* joints, float* weights)
{
	SG_REQUIRE(model != NULL, snug_badArgument);
	sgContents contents = sgModel_Describe(model);
	bool hasRoom = joints != NULL && weights != NULL;
	SG_REQUIRE(starts != NULL && (hasRoom || contents.influenceCount == 0), snug_badArgument);
	CopyRows(&model->tree, &contents.influences, starts, joints, weights);
	return snug_success;
}

snugStatus snugModel_GetFields(const snugModel* model, uint32_t* starts, uint16_t* fields, float* displacements)
{
	SG_REQUIRE(model != NULL, snug_badArgument);
	sgContents contents = sgModel_Describe(model);
	bool hasRoom = fields != NULL && displacements != NULL;
	SG_REQUIRE(starts != NULL && (hasRoom || contents.displacementCount == 0), snug_badArgument);
	CopyRows(&model->tree, &contents.displacements, starts, fields, displacements);
	return snug_success;
}

// As much of a list as there is room for.
static void CopyList(const float* from, uint32_t count, uint32_t width, float* to, uint32_t capacity)
{
	const size_t copied = count < capacity ? count : capacity;
	if (to != NULL && copied > 0)
	{
		memcpy(to, from, copied * width * sizeof(float));
	}
}

snugStatus snugModel_GetFrequencies(const snugModel* model, float* frequencies, uint32_t capacity, uint32_t* count)
{
	SG_REQUIRE(count != NULL, snug_badArgument);
	*count = 0;
	SG_REQUIRE(model != NULL && (frequencies != NULL || capacity == 0), snug_badArgument);
	*count = model->frequencyCount;
	CopyList(model->frequencies, *count, 1, frequencies, capacity);
	return snug_success;
}

snugStatus snugModel_GetJointPositions(const snugModel* model, float* positions, uint32_t capacity, uint32_t* count)
{
	SG_REQUIRE(count != NULL, snug_badArgument);
	*count = 0;
	SG_REQUIRE(model != NULL && (positions != NULL || capacity == 0), snug_badArgument);
	sgContents contents = sgModel_Describe(model);
	*count = contents.jointPositions != NULL ? contents.jointCount : 0;
	CopyList(contents.jointPositions, *count, 3, positions, capacity);
	return snug_success;
}

// Twins are stored by the first vertex in tree order. At its place the smallest of the caller's numbers is found
// first, then handed on to the others.
snugStatus snugModel_GetTwins(const snugModel* model, uint32_t* twins)
{
	SG_REQUIRE(model != NULL && (twins != NULL || model->tree.vertexCount == 0), snug_badArgument);
	const sgTree* tree = &model->tree;
	const uint32_t* map = tree->vertexMap;
	for (uint32_t v = 0; v < tree->vertexCount; ++v)
	{
		uint32_t first = model->twins != NULL ? model->twins[v] : v;
		uint32_t* smallest = twins + map[first];
		*smallest = first == v || map[v] < *smallest ? map[v] : *smallest;
	}
	for (uint32_t v = 0; model->twins != NULL && v < tree->vertexCount; ++v)
	{
		twins[map[v]] = twins[map[model->twins[v]]];
	}
	return snug_success;
}

snugStatus snugModel_GetNodeTriangles(
    const snugModel* model, uint32_t node, uint32_t* triangles, uint32_t capacity, uint32_t* count)
{
	SG_REQUIRE(count != NULL, snug_badArgument);
	*count = 0;
	SG_REQUIRE(model != NULL && (triangles != NULL || capacity == 0), snug_badArgument);
	const sgTree* tree = &model->tree;
	if (node >= tree->groupCount * SG_LANES || tree->nodes[node].first == SG_NONE || tree->triangleCount == 0)
	{
		return snug_badArgument;
	}
	sgLeafRange range = sgTree_LeavesBelow(tree, node);
	uint32_t first = tree->leaves[range.first].firstTriangle;
	uint32_t end = tree->leaves[range.last].firstTriangle + tree->leaves[range.last].triangleCount;
	for (uint32_t i = first; i < end && i - first < capacity; ++i)
	{
		triangles[i - first] = tree->triangleMap[i];
	}
	*count = end - first;
	return snug_success;
}
