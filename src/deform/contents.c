// src/deform/contents.c: what a model holds, for those who have it from a file and not from a definition. All numbers
// of vertices that leave here are the caller's.
#include "model/contents.h"

#include "deform/skin.h"

#include <string.h>

static bool IsSkin(const snugModel* model)
{
	return model->deformer == snug_skin || sgSkin_Is(model->deformer);
}

sgRows sgModel_Influences(const snugModel* model)
{
	return IsSkin(model) ? sgBlend_Get(model).rows : (sgRows){ .places = NULL };
}

// Where the data of displacement fields are; null if there are none.
static const void* FindFields(const snugModel* model)
{
	if (!IsSkin(model))
	{
		return model->deformer == snug_fields ? model->deformData : NULL;
	}
	uint64_t morph = sgMorph_FindData(model);
	return morph != 0 ? (const char*)model->deformData + morph : NULL;
}

sgRows sgModel_Displacements(const snugModel* model)
{
	const void* data = FindFields(model);
	return data != NULL ? sgFields_Bind(model, data).rows : (sgRows){ .places = NULL };
}

uint32_t sgModel_InfluenceCount(const snugModel* model)
{
	return IsSkin(model) ? ((const sgBlendHeader*)model->deformData)->rows.entries : 0;
}

uint32_t sgModel_DisplacementCount(const snugModel* model)
{
	const sgFieldsHeader* header = FindFields(model);
	return header != NULL ? header->rows.entries : 0;
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
	bool hasRoom = joints != NULL && weights != NULL;
	SG_REQUIRE(starts != NULL && (hasRoom || sgModel_InfluenceCount(model) == 0), snug_badArgument);
	sgRows rows = sgModel_Influences(model);
	CopyRows(&model->tree, &rows, starts, joints, weights);
	return snug_success;
}

snugStatus snugModel_GetFields(const snugModel* model, uint32_t* starts, uint16_t* fields, float* displacements)
{
	SG_REQUIRE(model != NULL, snug_badArgument);
	bool hasRoom = fields != NULL && displacements != NULL;
	SG_REQUIRE(starts != NULL && (hasRoom || sgModel_DisplacementCount(model) == 0), snug_badArgument);
	sgRows rows = sgModel_Displacements(model);
	CopyRows(&model->tree, &rows, starts, fields, displacements);
	return snug_success;
}

uint32_t snugModel_GetJointPositions(const snugModel* model, float* positions)
{
	SG_REQUIRE(model != NULL, 0);
	if (!sgSkin_Is(model->deformer))
	{
		return 0;
	}
	sgSkin skin = sgSkin_Get(model);
	uint32_t count = skin.blend.header->transformCount;
	if (positions != NULL)
	{
		memcpy(positions, skin.jointPositions, 3 * (size_t)count * sizeof(float));
	}
	return count;
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

snugBoundsDef snugModel_GetBoundsDef(const snugModel* model)
{
	snugBoundsDef def = { .bound = snug_boundDefault };
	SG_REQUIRE(model != NULL, def);
	const sgFieldsHeader* fields = FindFields(model);
	if (model->deformer == snug_fields)
	{
		def.bound = (snugBound)fields->bound;
		def.volume = (snugVolume)fields->volume;
		def.boundLeaves = fields->boundLeaves != 0;
		def.contactLevel = fields->contactLevel;
	}
	else if (IsSkin(model))
	{
		const sgBlendHeader* skin = model->deformData;
		bool isCornerFree = sgSkin_Is(model->deformer) && sgSkin_Get(model).header->isCornerFree != 0;
		def.bound = isCornerFree ? snug_boundProgram : (snugBound)skin->bound;
		def.fieldsBound = fields != NULL ? (snugBound)fields->bound : snug_boundDefault;
		def.volume = (snugVolume)skin->volume;
		def.restVolume = (snugRestVolume)skin->restVolume;
		def.boundLeaves = skin->boundLeaves != 0;
	}
	return def;
}
