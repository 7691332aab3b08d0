// src/deform/blend_build.c: making and checking the data of a blend model. See blend_build.h.
#include "deform/blend_build.h"

#include "deform/blend_corners.h"
#include "deform/skin_build.h"
#include "geometry/frame.h"

#include <math.h>
#include <string.h>

typedef struct Builder
{
	const snugModel* model;
	const snugModelDef* def;
	const snugAllocator* allocator;
	sgBlendHeader header;
	size_t influenceCount; ///< as given, before repair
	uint32_t maxInfluences;
	sgWeights weights;
	sgRowsOf rowsOf;
	sgRowLists lists; ///< the same weights
	sgRowsDraft rows;
	sgTransformOrder order;
	sgSkinDraft skin;         ///< of other skins than linear ones
	const sgWeights* bounded; ///< weights that bounds are made from: the same, or those of pairs of joints
	uint32_t boundedCount;    ///< transforms, or pairs
	void* morph;              ///< data of displacement fields, or null
	size_t morphBytes;
	sgFamilies families;
	sgCornerArrays corners;
	sgInfluence* influences; ///< scratch, as are the next
	uint32_t* counts;
} Builder;

// Every array with its size, so that they are allocated and released by the same list.
typedef struct ArraySlot
{
	void** array;
	size_t bytes;
} ArraySlot;

enum
{
	ARRAY_COUNT = 8
};

static void ListArrays(Builder* b, ArraySlot slots[ARRAY_COUNT])
{
	const sgTree* tree = &b->model->tree;
	size_t transforms = b->header.transformCount, workers = sgTeam_Workers(b->model->team);
	const ArraySlot list[ARRAY_COUNT] = {
		{ (void**)&b->weights.starts, ((size_t)tree->vertexCount + 1) * sizeof(uint32_t) },
		{ (void**)&b->weights.weights, (b->influenceCount + 1) * sizeof(float) },
		{ (void**)&b->weights.transforms, (b->influenceCount + 1) * sizeof(uint16_t) },
		{ (void**)&b->order.across, transforms * sizeof(uint16_t) },
		{ (void**)&b->order.rank, transforms * sizeof(uint16_t) },
		{ (void**)&b->order.effects, workers * transforms * sizeof(sgEffect) },
		{ (void**)&b->influences, workers * ((size_t)b->maxInfluences + 1) * sizeof(sgInfluence) },
		{ (void**)&b->counts, ((size_t)tree->vertexCount + 1) * sizeof(uint32_t) },
	};
	memcpy(slots, list, sizeof(list));
}

static bool AllocateArrays(Builder* b)
{
	ArraySlot slots[ARRAY_COUNT];
	ListArrays(b, slots);
	for (int i = 0; i < ARRAY_COUNT; ++i)
	{
		*slots[i].array = sgAllocate(b->allocator, slots[i].bytes);
		if (*slots[i].array == NULL)
		{
			return false;
		}
	}
	return true;
}

static void ReleaseArrays(Builder* b)
{
	ArraySlot slots[ARRAY_COUNT];
	ListArrays(b, slots);
	for (int i = 0; i < ARRAY_COUNT; ++i)
	{
		sgRelease(b->allocator, *slots[i].array, slots[i].bytes);
	}
	sgFamilies_Release(&b->families, b->allocator);
	sgRowsDraft_Release(&b->rows, b->allocator);
	sgCorners_Release(&b->corners, b->allocator);
	sgSkinDraft_Release(&b->skin);
	sgRelease(b->allocator, b->morph, b->morphBytes);
}

bool sgBlend_Grow(
    const snugAllocator* allocator, void** array, size_t* capacity, size_t count, size_t more, size_t size)
{
	if (more <= *capacity - count)
	{
		return true;
	}
	size_t wanted = count + more + (count + more) / 2;
	void* grown = wanted < SG_MAX_SIZE / size ? sgAllocate(allocator, wanted * size) : NULL;
	if (grown == NULL)
	{
		return false;
	}
	if (count > 0)
	{
		memcpy(grown, *array, count * size);
	}
	sgRelease(allocator, *array, *capacity * size);
	*array = grown;
	*capacity = wanted;
	return true;
}

static bool IsSkin(const Builder* b)
{
	return sgSkin_Is(b->model->deformer);
}

static snugStatus Assemble(Builder* b, void** data, size_t* bytes)
{
	const snugModel* model = b->model;
	size_t total = sgBlend_Bytes(model, &b->header);
	total += IsSkin(b) ? sgSkin_Bytes(model, &b->header, &b->skin.header) : 0;
	char* out = sgAllocate(b->allocator, total + b->morphBytes);
	if (out == NULL)
	{
		return snug_outOfMemory;
	}
	memset(out, 0, total);
	sgBlend_CopyArray(out + total, b->morph, b->morphBytes);
	memcpy(out, &b->header, sizeof(b->header));
	const sgBlend from = {
		.familyOfParent = b->families.familyOfParent,
		.families = b->families.families,
		.entryTransforms = b->families.entryTransforms,
		.values = b->families.values,
		.across = b->order.across,
		.jointSetStarts = b->corners.starts,
		.jointSets = b->corners.sets,
		.setTransforms = b->corners.transforms,
		.setWeights = b->corners.weights,
	};
	sgArray list[SG_BLEND_ARRAYS];
	sgBlend_ListArrays(model, &b->header, b->boundedCount, list);
	sgArrays_Write(sizeof(b->header), list, SG_BLEND_ARRAYS, &from, out);
	sgBlend made = sgBlend_Bind(model, out);
	sgRowsDraft_Write(&b->rows, &made.rows, model->team);
	sgBlend_FillMoved(&b->order, (sgBlendMoved*)(uintptr_t)made.moved);
	if (IsSkin(b))
	{
		sgSkinDraft_Write(&b->skin, b->corners.numbers, out);
	}
	*data = out;
	*bytes = total + b->morphBytes;
	return snug_success;
}

// Rounding is a multiple of how far terms reach, and those of an oriented box or a prism may reach farther than any
// vertex. Both begin with offset and axes.
static void AddReachOfVolumes(Builder* b)
{
	for (uint32_t i = 0; i < b->header.familyCount; ++i)
	{
		const sgBlendFamily* family = b->families.families + i;
		const sgBlendCommon* common = (const sgBlendCommon*)(const void*)(b->families.values + family->values);
		const sgBlendVolume* volume = (const sgBlendVolume*)(const void*)(common + 1);
		const sgBlendOrientedBox* box = (const sgBlendOrientedBox*)(const void*)(common + 1);
		bool isPrism = family->kind >= sgBlend_zeroOrder;
		if (!isPrism && family->rest != snug_restOrientedBox)
		{
			continue;
		}
		for (int lane = 0; lane < SG_LANES; ++lane)
		{
			for (int k = 0; k < 3; ++k)
			{
				const sgLaneFloats* offset = isPrism ? volume->prism.offset : box->offset;
				double sum = fabs((double)common->center[k].lane[lane]) + fabs((double)offset[k].lane[lane]);
				for (int a = 0; a < 3; ++a)
				{
					sum += fabs((double)(isPrism ? volume->prism.axes[a][k] : box->axes[a][k]).lane[lane]);
				}
				b->header.reach[k] = fmaxf(b->header.reach[k], sgRoundUp(sum));
			}
		}
	}
}

static snugStatus AddFamilies(Builder* b)
{
	uint32_t most = b->header.rows.most;
	const sgFamiliesInput input = {
		.model = b->model,
		.header = &b->header,
		.bounded = b->bounded,
		.boundedCount = b->boundedCount,
		.order = &b->order,
		.isSkin = IsSkin(b),
		.hasFields = b->def->fields.fieldCount > 0,
		.evaluation = IsSkin(b) ? sgSkin_Roundings(most) : sgBlend_Roundings(most),
	};
	snugStatus status = sgFamilies_Make(&input, &b->families);
	b->header.familyCount = b->families.familyCount;
	b->header.entryCount = b->families.entryCount;
	b->header.valueCount = b->families.valueCount;
	return status;
}

static snugStatus AddCorners(Builder* b)
{
	if (b->header.bound != snug_boundCorners)
	{
		return snug_success;
	}
	const sgCornerRules rules = { b->skin.setOf, b->skin.header.isCornerFree != 0 };
	snugStatus status = sgCorners_Build(b->model, &b->header, &b->weights, IsSkin(b) ? &rules : NULL, &b->corners);
	b->header.jointSetCount = b->corners.setCount;
	b->header.setTransformCount = b->corners.transformCount;
	b->header.setWeightCount = b->corners.weightCount;
	return status;
}

// Joint sets of other skins, and pairs; those that have too many pairs are bounded by joint sets.
static snugStatus AddSkin(Builder* b)
{
	b->bounded = &b->weights;
	b->boundedCount = b->header.transformCount;
	if (!IsSkin(b))
	{
		return snug_success;
	}
	snugStatus status = sgSkinDraft_Make(&b->skin, b->model, &b->weights, b->header.transformCount, b->header.rows.most,
	    b->def->skin.jointPositions, b->header.bound != snug_boundCorners);
	if (b->skin.header.pairCount > 0)
	{
		b->bounded = &b->skin.pairWeights;
		b->boundedCount = b->skin.header.pairCount;
		return status;
	}
	b->skin.header.isCornerFree = sgModelDef_Bounds(b->def).bound != snug_boundCorners;
	b->header.bound = snug_boundCorners;
	return status;
}

static snugStatus BuildAll(Builder* b, void** data, size_t* bytes)
{
	if (!AllocateArrays(b))
	{
		return snug_outOfMemory;
	}
	sgBlend_ReadWeights(b->model, b->def, b->maxInfluences, b->influences, b->counts, &b->weights);
	b->lists = (sgRowLists){ b->weights.starts, b->weights.transforms, b->weights.weights, 1 };
	snugStatus status = sgRowsDraft_Make(&b->rows, &b->rowsOf, &b->lists, b->allocator, b->model->team);
	b->header.rows = b->rows.counts;
	sgModel_FindReach(b->model, b->header.reach);
	status = status == snug_success ? AddSkin(b) : status;
	if (status != snug_success)
	{
		return status;
	}
	sgBlend_OrderTransforms(b->model, &b->weights, &b->order);
	status = AddFamilies(b);
	if (status != snug_success)
	{
		return status;
	}
	AddReachOfVolumes(b);
	if (!IsSkin(b) && !sgBlend_IsWithinReach(&b->header)) // other skins rest where they are, whatever their reach
	{
		return sgFail(&b->def->messenger, snug_outOfRange, "the mesh, or a volume around some of it, reaches too far");
	}
	status = AddCorners(b);
	status = status == snug_success ? sgMorph_Build(b->model, b->def, &b->morph, &b->morphBytes) : status;
	return status != snug_success ? status : Assemble(b, data, bytes);
}

snugStatus sgBlend_Build(const snugModel* model, const snugModelDef* def, void** data, size_t* bytes)
{
	uint32_t maxInfluences;
	uint64_t influenceCount;
	snugStatus status = sgBlend_CheckDef(def, &maxInfluences, &influenceCount);
	if (status != snug_success)
	{
		return status;
	}
	const snugBoundsDef bounds = sgModelDef_Bounds(def);
	bool isSkin = sgSkin_Is(model->deformer);
	bool isBySets = bounds.bound == snug_boundCorners || (isSkin && bounds.bound == snug_boundProgram);
	Builder builder = {
		.model = model,
		.def = def,
		.allocator = &model->allocator,
		.rowsOf = sgModel_RowsOf(model),
		.influenceCount = (size_t)influenceCount,
		.maxInfluences = maxInfluences,
		.header = {
			.transformCount = def->skin.jointCount,
			.bound = (uint32_t)(isBySets ? snug_boundCorners : bounds.bound),
			.volume = (uint32_t)(isBySets ? snug_volumeBall : bounds.volume),
			.restVolume = (uint32_t)bounds.restVolume,
			.boundLeaves = bounds.boundLeaves,
		},
	};
	builder.order.count = def->skin.jointCount;
	status = BuildAll(&builder, data, bytes);
	ReleaseArrays(&builder);
	return status;
}
