// src/deform/bounds/linear_bounds_build.c: making the data of rows and their bounds. See linear_bounds_build.h.
#include "deform/bounds/linear_bounds_build.h"

#include "geometry/frame.h"

#include <math.h>
#include <string.h>

/// Everything that is needed only while weights are read, and what is kept of them, in one piece of memory.
typedef struct Arrays
{
	uint32_t* starts;
	float* weights;
	uint16_t* transforms;
	uint16_t* across;
	uint16_t* rank;
	sgEffect* effects;
	sgInfluence* influences;
	uint32_t* counts;
} Arrays;

enum
{
	ARRAY_COUNT = 8
};

static bool AllocateArrays(sgLinearDraft* draft, uint64_t influences, uint32_t mostInfluences, Arrays* out)
{
	uint64_t vertices = draft->model->tree.vertexCount, transforms = draft->header.transformCount;
	uint64_t workers = sgTeam_Workers(draft->model->team);
	const sgArray list[ARRAY_COUNT] = {
		{ SG_ARRAY(Arrays, starts, vertices + 1) },
		{ SG_ARRAY(Arrays, weights, influences + 1) },
		{ SG_ARRAY(Arrays, transforms, influences + 1) },
		{ SG_ARRAY(Arrays, across, transforms) },
		{ SG_ARRAY(Arrays, rank, transforms) },
		{ SG_ARRAY(Arrays, effects, workers * transforms) },
		{ SG_ARRAY(Arrays, influences, workers * ((uint64_t)mostInfluences + 1)) },
		{ SG_ARRAY(Arrays, counts, vertices + 1) },
	};
	draft->scratchBytes = sgArrays_Bytes(0, list, ARRAY_COUNT);
	draft->scratch = sgAllocate(&draft->model->allocator, draft->scratchBytes);
	if (draft->scratch == NULL)
	{
		return false;
	}
	sgArrays_Bind(0, list, ARRAY_COUNT, draft->scratch, out);
	draft->weights = (sgWeights){ out->starts, out->weights, out->transforms };
	draft->order = (sgTransformOrder){ draft->header.transformCount, out->across, out->rank, out->effects };
	draft->lists = (sgRowLists){ out->starts, out->transforms, out->weights, 1 };
	return true;
}

snugStatus sgLinearDraft_Begin(sgLinearDraft* draft, const snugModel* model, const snugModelDef* def)
{
	uint32_t mostInfluences;
	uint64_t influences;
	Arrays arrays;
	*draft = (sgLinearDraft){
		.model = model,
		.def = def,
		.rowsOf = sgModel_RowsOf(model),
		.header = { .transformCount = def->skin.jointCount },
	};
	snugStatus status = sgWeights_CheckDef(def, &mostInfluences, &influences);
	if (status != snug_success)
	{
		return status;
	}
	if (!AllocateArrays(draft, influences, mostInfluences, &arrays))
	{
		return snug_outOfMemory;
	}
	sgWeights_Read(model, def, mostInfluences, arrays.influences, arrays.counts, &draft->weights);
	status = sgRowsDraft_Make(&draft->rows, &draft->rowsOf, &draft->lists, &model->allocator, model->team);
	draft->header.rows = draft->rows.counts;
	sgModel_FindReach(model, draft->header.reach);
	return status;
}

// ---- Bounds ---------------------------------------------------------------------------------------------------------

static void AddReachOfPrism(const sgLinearCommon* common, const sgPrismLanes* prism, float reach[3])
{
	for (int lane = 0; lane < SG_LANES; ++lane)
	{
		for (int k = 0; k < 3; ++k)
		{
			double sum = fabs((double)common->center[k].lane[lane]) + fabs((double)prism->offset[k].lane[lane]);
			for (int a = 0; a < 3; ++a)
			{
				sum += fabs((double)prism->axes[a][k].lane[lane]);
			}
			reach[k] = fmaxf(reach[k], sgRoundUp(sum));
		}
	}
}

// Rounding is a multiple of how far terms reach, and those of a prism may reach farther than any vertex.
static void AddReachOfVolumes(sgLinearDraft* draft)
{
	for (uint32_t i = 0; i < draft->families.familyCount; ++i)
	{
		const sgLinearFamily* family = draft->families.families + i;
		const sgLinearCommon* common = (const sgLinearCommon*)(const void*)(draft->families.values + family->values);
		if (family->kind == sgLinear_firstOrder)
		{
			const sgLinearVolume* volume = (const sgLinearVolume*)(const void*)(common + 1);
			AddReachOfPrism(common, &volume->prism, draft->header.reach);
		}
	}
}

snugStatus sgLinearDraft_AddBounds(sgLinearDraft* draft, const sgBounded* bounded)
{
	sgLinear_OrderTransforms(draft->model, &draft->weights, &draft->order);
	snugStatus status = sgFamilies_Make(draft->model, &draft->header, bounded, &draft->families);
	if (status != snug_success)
	{
		return status;
	}
	draft->boundedCount = bounded->count;
	draft->header.familyCount = draft->families.familyCount;
	draft->header.entryCount = draft->families.entryCount;
	draft->header.valueCount = draft->families.valueCount;
	AddReachOfVolumes(draft);
	return snug_success;
}

// ---- All of it ------------------------------------------------------------------------------------------------------

char* sgLinearDraft_Write(const sgLinearDraft* draft, size_t otherBytes)
{
	const snugModel* model = draft->model;
	size_t bytes = sgLinear_Bytes(model, &draft->header) + otherBytes;
	char* out = sgAllocate(&model->allocator, bytes);
	if (out == NULL)
	{
		return NULL;
	}
	memset(out, 0, bytes);
	memcpy(out, &draft->header, sizeof(draft->header));
	const sgLinear from = {
		.firstFamilies = draft->families.firstFamilies,
		.families = draft->families.families,
		.entryTransforms = draft->families.entryTransforms,
		.values = draft->families.values,
		.across = draft->order.across,
	};
	sgArray list[SG_BLEND_ARRAYS];
	sgLinear_ListArrays(model, &draft->header, draft->boundedCount, list);
	sgArrays_Write(sizeof(draft->header), list, SG_BLEND_ARRAYS, &from, out);
	sgLinear made = sgLinear_Bind(model, out);
	sgRowsDraft_Write(&draft->rows, &made.rows, model->team);
	sgLinear_FillMoved(&draft->order, (sgLinearMoved*)(uintptr_t)made.moved);
	return out;
}

void sgLinearDraft_Release(sgLinearDraft* draft)
{
	const snugAllocator* allocator = &draft->model->allocator;
	sgRelease(allocator, draft->scratch, draft->scratchBytes);
	sgFamilies_Release(&draft->families, allocator);
	sgRowsDraft_Release(&draft->rows, allocator);
}
