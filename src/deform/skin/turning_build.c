// src/deform/skin/turning_build.c: making what skins that turn store. See turning.h.
#include "deform/skin/skins.h"
#include "deform/skin/turning.h"

#include "geometry/margins.h"

#include <math.h>
#include <string.h>

/// What eight pairs of joints side by side cost, in steps of one for eight nodes.
#define PAIR_STEPS 1.5

static snugStatus CheckJointPositions(const snugModelDef* def)
{
	const snugSkinDef* skin = &def->skin;
	for (size_t i = 0; skin->jointPositions != NULL && i < 3 * (size_t)skin->jointCount; ++i)
	{
		if (!(fabsf(skin->jointPositions[i]) <= SNUG_MAX_COORDINATE))
		{
			return sgFail(
			    &def->messenger, snug_badInput, "joint %zu: its position is not finite or too far away", i / 3);
		}
	}
	return snug_success;
}

// Joint sets of the vertices of blocks; lanes without a vertex repeat the first.
static void FillBlockSets(const snugModel* model, const uint32_t* setOf, uint32_t* out)
{
	const sgRowsOf of = sgModel_RowsOf(model);
	for (uint32_t c = 0; c <= of.clusters->header->count; ++c)
	{
		uint32_t vertices[SG_LANES], blocks = sgRows_CountBlocks(&of, c);
		for (uint32_t i = 0; i < blocks; ++i)
		{
			uint32_t count = sgRows_BlockVertices(&of, c, i, vertices);
			for (uint32_t lane = 0; lane < SG_LANES; ++lane)
			{
				*out++ = setOf[vertices[lane < count ? lane : 0]];
			}
		}
	}
}

// Copy header and arrays to where they belong, behind the data of bounds/linear_bounds.h, which are there already.
static void WriteSets(const sgTurningDraft* draft, char* data)
{
	const sgLinearHeader* blend = (const void*)data;
	char* start = data + sgLinear_Bytes(draft->model, blend);
	memcpy(start, &draft->header, sizeof(draft->header));
	const sgTurning from = {
		.jointPositions = draft->jointPositions,
		.setOf = draft->setOf,
		.sets = draft->sets,
		.members = draft->members,
		.pairs = draft->pairs,
		.setPairs = draft->setPairs,
		.edges = draft->edges,
	};
	sgArray list[SG_SKIN_ARRAYS];
	sgTurning_ListArrays(draft->model, blend, &draft->header, list);
	sgArrays_Write(sizeof(draft->header), list, SG_SKIN_ARRAYS, &from, start);
	sgTurning made = sgTurning_Bind(draft->model, data);
	FillBlockSets(draft->model, draft->setOf, (uint32_t*)(uintptr_t)made.blockSets);
}

// Bounds by pairs. Nodes of models that have too many of them are bounded by their vertices.
static snugStatus AddBounds(sgLinearDraft* blend, const sgTurningDraft* skin)
{
	const sgBounded bounded = {
		.weights = &skin->pairWeights,
		.count = skin->header.pairCount,
		.evaluation = SG_MARGIN_TURNS(blend->header.rows.most),
		.stepsOfEight = PAIR_STEPS,
		.isLocal = true,
		.isRootAlone = blend->def->fields.fieldCount > 0, // fits serve nodes together
	};
	return sgLinearDraft_AddBounds(blend, &bounded);
}

static snugStatus MakeAll(sgLinearDraft* blend, sgTurningDraft* skin, void** data, size_t* bytes)
{
	snugStatus status = sgTurningDraft_Make(skin, blend->model, &blend->weights, blend->header.transformCount,
	    blend->header.rows.most, blend->def->skin.jointPositions);
	status = status == snug_success ? AddBounds(blend, skin) : status;
	size_t own = sgTurning_Bytes(blend->model, &blend->header, &skin->header);
	status = status == snug_success ? sgSkin_Write(blend, own, data, bytes) : status;
	if (status == snug_success)
	{
		WriteSets(skin, *data);
	}
	return status;
}

snugStatus sgTurning_Build(const snugModel* model, const snugModelDef* def, void** data, size_t* bytes)
{
	snugStatus status = CheckJointPositions(def);
	if (status != snug_success)
	{
		return status;
	}
	sgLinearDraft blend;
	sgTurningDraft skin = { .model = NULL };
	status = sgLinearDraft_Begin(&blend, model, def);
	status = status == snug_success ? MakeAll(&blend, &skin, data, bytes) : status;
	sgTurningDraft_Release(&skin);
	sgLinearDraft_Release(&blend);
	return status;
}
