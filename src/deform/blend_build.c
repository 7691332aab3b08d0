// src/deform/blend_build.c: making and checking the data of a blend model. See blend_build.h.
#include "deform/blend_build.h"

#include "deform/blend_corners.h"
#include "deform/skin_build.h"
#include "geometry/frame.h"

#include <math.h>
#include <string.h>

/// Families with more transforms are bounded by their weights' ranges: a fit would neither be good nor cheap.
#define MAX_FIT_ENTRIES 96
/// First-order bounds grow with what the fit leaves over; beyond this sum the local program is tighter.
#define MAX_FIT_RESIDUAL 0.35
/// Influences per vertex, on average, up to which the local program is good enough above exact leaves: weights of skins
/// change abruptly, and few transforms make for a cheap program. Those of pairs of joints too.
#define FEW_INFLUENCES 6.0
/// What bounding a node alone costs beyond its blocks of eight transforms, in such blocks; and the part of a family's
/// nodes that is bounded at a time, the others being merged or not looked at.
#define ALONE_OVERHEAD 4.0
#define SHARE_BOUNDED 0.75

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
	uint32_t scratchCount;    ///< room for either
	void* morph;              ///< data of displacement fields, or null
	size_t morphBytes;
	uint32_t* familyOfParent;
	sgBlendFamily* families;
	uint32_t familyCapacity;
	uint16_t* entryTransforms;
	size_t entryCapacity;
	sgLaneFloats* values;
	size_t valueCapacity;
	sgCornerArrays corners;

	// Scratch.
	sgInfluence* influences;
	uint32_t* members;
	uint32_t* vertexStamp;
	uint32_t* transformStamp;
	uint32_t* entryOf;
	double* row;
	double (*boxes)[6];
	double (*sums)[4];
	uint32_t stamp;
} Builder;

// Every array with its size, so that they are allocated and released by the same list.
typedef struct ArraySlot
{
	void** array;
	size_t bytes;
} ArraySlot;

enum
{
	ARRAY_COUNT = 15
};

static void ListArrays(Builder* b, ArraySlot slots[ARRAY_COUNT])
{
	const sgTree* tree = &b->model->tree;
	size_t transforms = b->scratchCount;
	const ArraySlot list[ARRAY_COUNT] = {
		{ (void**)&b->weights.starts, ((size_t)tree->vertexCount + 1) * sizeof(uint32_t) },
		{ (void**)&b->weights.weights, (b->influenceCount + 1) * sizeof(float) },
		{ (void**)&b->weights.transforms, (b->influenceCount + 1) * sizeof(uint16_t) },
		{ (void**)&b->familyOfParent, (size_t)tree->groupCount * SG_LANES * sizeof(uint32_t) },
		{ (void**)&b->families, (size_t)b->familyCapacity * sizeof(sgBlendFamily) },
		{ (void**)&b->order.across, transforms * sizeof(uint16_t) },
		{ (void**)&b->order.rank, transforms * sizeof(uint16_t) },
		{ (void**)&b->order.strongest, transforms * sizeof(sgStrongest) },
		{ (void**)&b->influences, ((size_t)b->maxInfluences + 1) * sizeof(sgInfluence) },
		{ (void**)&b->members, ((size_t)tree->leafVertexCount + 1) * sizeof(uint32_t) },
		{ (void**)&b->vertexStamp, ((size_t)tree->vertexCount + 1) * sizeof(uint32_t) },
		{ (void**)&b->transformStamp, transforms * 2 * sizeof(uint32_t) },
		{ (void**)&b->row, transforms * sizeof(double) },
		{ (void**)&b->boxes, transforms * sizeof(*b->boxes) },
		{ (void**)&b->sums, transforms * sizeof(*b->sums) },
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
		memset(*slots[i].array, 0, slots[i].bytes);
	}
	b->entryOf = b->transformStamp + b->scratchCount;
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
	sgRelease(b->allocator, b->entryTransforms, b->entryCapacity * sizeof(uint16_t));
	sgRelease(b->allocator, b->values, b->valueCapacity * sizeof(sgLaneFloats));
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

// The vertices below each of the lanes, each once.
static void CollectMembers(Builder* b, sgLaneSet family, uint32_t lanes, sgFamilyDraft* draft)
{
	const sgTree* tree = &b->model->tree;
	uint32_t count = 0;
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		draft->laneFirst[lane] = count;
		if ((lanes >> lane & 1) != 0)
		{
			sgLeafRange range = sgTree_LeavesBelow(tree, family.group * SG_LANES + lane);
			const sgLeaf* last = tree->leaves + range.last;
			++b->stamp;
			for (uint32_t i = tree->leaves[range.first].firstVertex; i < last->firstVertex + last->vertexCount; ++i)
			{
				uint32_t vertex = tree->leafVertices[i];
				if (b->vertexStamp[vertex] != b->stamp)
				{
					b->vertexStamp[vertex] = b->stamp;
					b->members[count++] = vertex;
				}
			}
		}
		draft->laneLast[lane] = count;
	}
	draft->members = b->members;
}

// Places of what bounds are made from, in the lanes of a node alone; null: by their numbers.
static const uint16_t* GetRank(const Builder* b)
{
	return IsSkin(b) ? NULL : b->order.rank;
}

static uint16_t RankOf(const uint16_t* rank, uint16_t transform)
{
	return rank != NULL ? rank[transform] : transform;
}

static void SortTransforms(uint16_t* list, uint32_t count, const uint16_t* rank)
{
	// Shell's method: lists are short, and nearly sorted since those of vertices are.
	for (uint32_t gap = count / 2; gap > 0; gap /= 2)
	{
		for (uint32_t i = gap; i < count; ++i)
		{
			uint16_t value = list[i];
			uint32_t j = i;
			for (; j >= gap && RankOf(rank, list[j - gap]) > RankOf(rank, value); j -= gap)
			{
				list[j] = list[j - gap];
			}
			list[j] = value;
		}
	}
}

// All transforms of all members, ascending by number or else by rank, behind the entries of earlier families.
static bool CollectTransforms(Builder* b, sgFamilyDraft* draft, const uint16_t* rank)
{
	uint32_t first = b->header.entryCount;
	if (!sgBlend_Grow(
	        b->allocator, (void**)&b->entryTransforms, &b->entryCapacity, first, b->boundedCount, sizeof(uint16_t)))
	{
		return false;
	}
	uint16_t* list = b->entryTransforms + first;
	uint32_t count = 0;
	++b->stamp;
	for (uint32_t i = 0; i < draft->laneLast[SG_LANES - 1]; ++i)
	{
		uint32_t vertex = draft->members[i];
		for (uint32_t k = b->bounded->starts[vertex]; k < b->bounded->starts[vertex + 1]; ++k)
		{
			uint16_t transform = b->bounded->transforms[k];
			if (b->transformStamp[transform] != b->stamp)
			{
				b->transformStamp[transform] = b->stamp;
				list[count++] = transform;
			}
		}
	}
	SortTransforms(list, count, rank);
	for (uint32_t j = 0; j < count; ++j)
	{
		b->entryOf[list[j]] = j;
	}
	draft->transforms = list;
	draft->entryCount = count;
	draft->entryOf = b->entryOf;
	return true;
}

static bool MakeRoom(Builder* b, const sgBlendFamily* family)
{
	uint64_t count = b->header.valueCount, more = sgBlendFamily_Values(family);
	return count + more <= UINT32_MAX && sgBlend_Grow(b->allocator, (void**)&b->values, &b->valueCapacity,
	                                         (size_t)count, (size_t)more, sizeof(sgLaneFloats));
}

// Default: first order where weights vary nearly linearly over every node of the family, the local program where they
// do not or influences are few. Where leaves are bounded too, both for families of which only some nodes are smooth: it
// is tighter, but above exact leaves not worth its time.
static bool ChooseKind(Builder* b, const sgFamilyDraft* draft, sgBlendFamily* family)
{
	static const uint8_t asked[] = {
		[snug_boundLimited] = sgBlend_limited,
		[snug_boundProgram] = sgBlend_program,
		[snug_boundLocal] = sgBlend_local,
		[snug_boundZeroOrder] = sgBlend_zeroOrder,
		[snug_boundFirstOrder] = sgBlend_firstOrder,
	};
	if (b->header.bound != snug_boundDefault)
	{
		family->kind = asked[b->header.bound];
		family->rest = (uint8_t)b->header.restVolume;
		return true;
	}
	family->kind = sgBlend_local;
	double influences = (double)b->header.rows.entries / (double)b->model->tree.vertexCount;
	bool isLocal = (influences <= FEW_INFLUENCES || IsSkin(b)) && b->header.boundLeaves == 0;
	if (draft->entryCount > MAX_FIT_ENTRIES || isLocal)
	{
		return true;
	}
	sgBlendFamily probed = { .kind = sgBlend_firstOrder, .entryCount = draft->entryCount };
	if (!MakeRoom(b, &probed))
	{
		return false;
	}
	sgProbe probe = sgBlend_ProbeFit(draft, b->values + b->header.valueCount);
	if (probe.most <= MAX_FIT_RESIDUAL)
	{
		family->kind = sgBlend_firstOrder;
	}
	else if (probe.least <= MAX_FIT_RESIDUAL && b->header.boundLeaves != 0)
	{
		family->kind = sgBlend_mixed;
	}
	return true;
}

// How many blocks of eight the transforms of a lane are in.
static uint32_t CountBlocks(Builder* b, const sgFamilyDraft* draft, uint32_t lane)
{
	uint32_t count = 0;
	++b->stamp;
	for (uint32_t i = draft->laneFirst[lane]; i < draft->laneLast[lane]; ++i)
	{
		uint32_t vertex = draft->members[i];
		for (uint32_t k = b->weights.starts[vertex]; k < b->weights.starts[vertex + 1]; ++k)
		{
			uint32_t block = b->order.rank[b->weights.transforms[k]] / SG_LANES;
			count += b->transformStamp[block] != b->stamp;
			b->transformStamp[block] = b->stamp;
		}
	}
	return count;
}

// Together, a family costs one step for each of all its transforms; alone, a node costs one for each block of eight of
// its own. A node without siblings, the root, is always cheaper alone.
static bool IsBetterAcross(Builder* b, const sgFamilyDraft* draft, const sgBlendFamily* family)
{
	if (family->kind > sgBlend_local || family->rest != snug_restBox || b->header.volume != snug_volumeBox)
	{
		return false;
	}
	bool isAlone = draft->laneLast[0] == draft->laneLast[SG_LANES - 1];
	if (IsSkin(b)) // the root only, which is the first: pairs of joints are few, and in the order of their numbers
	{
		return isAlone && b->header.familyCount == 0;
	}
	if (isAlone)
	{
		return true;
	}
	double steps = 0.0;
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		bool isUsed = draft->laneFirst[lane] < draft->laneLast[lane];
		steps += isUsed ? (double)CountBlocks(b, draft, lane) + ALONE_OVERHEAD : 0.0;
	}
	return SHARE_BOUNDED * steps < (double)draft->entryCount;
}

// Lane 0 of the entries, which are in the order of `across`, becomes one lane of the entry for eight transforms. Works
// in place: an entry for eight is not behind the first of its eight.
static void PutAcross(
    const Builder* b, const sgFamilyDraft* draft, uint16_t* transforms, sgBlendFamily* family, sgLaneFloats* entries)
{
	uint32_t stride = sgBlendKind_EntryValues((sgBlendKind)family->kind), count = 0;
	for (uint32_t j = 0; j < draft->entryCount; ++j)
	{
		uint16_t place = RankOf(GetRank(b), transforms[j]), block = place / SG_LANES, lane = place % SG_LANES;
		bool isNew = count == 0 || transforms[count - 1] != block;
		sgLaneFloats* to = entries + (size_t)stride * (isNew ? count : count - 1);
		for (uint32_t f = 0; f < stride; ++f)
		{
			float value = entries[(size_t)stride * j + f].lane[0];
			if (isNew)
			{
				to[f] = (sgLaneFloats){ { 0 } };
			}
			to[f].lane[lane] = value;
		}
		transforms[count] = isNew ? block : transforms[count];
		count += isNew;
	}
	family->entryCount = count;
	family->isAcross = 1;
}

// Write a family whose members and transforms are collected, of the kind that `like` has.
static bool WriteFamily(Builder* b, const sgFamilyDraft* draft, const sgBlendFamily* like, bool isAcross)
{
	if ((uint64_t)b->header.entryCount + draft->entryCount > UINT32_MAX)
	{
		return false;
	}
	sgBlendFamily* family = b->families + b->header.familyCount++;
	*family = (sgBlendFamily){
		.firstEntry = b->header.entryCount,
		.entryCount = draft->entryCount,
		.values = b->header.valueCount,
		.kind = like->kind,
		.rest = like->rest,
	};
	if (!MakeRoom(b, family))
	{
		return false;
	}
	sgLaneFloats* values = b->values + family->values;
	sgBlend_FillFamily(draft, family, values);
	if (isAcross)
	{
		uint16_t* transforms = b->entryTransforms + family->firstEntry;
		PutAcross(b, draft, transforms, family, values + sgBlendFamily_HeadValues(family));
	}
	b->header.valueCount += (uint32_t)sgBlendFamily_Values(family);
	b->header.entryCount += family->entryCount;
	return true;
}

// The one lane of a draft that has members becomes lane 0.
static void MoveToFirstLane(sgFamilyDraft* draft)
{
	uint32_t end = draft->laneLast[SG_LANES - 1];
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		draft->laneFirst[lane] = lane == 0 ? 0 : end;
		draft->laneLast[lane] = end;
	}
}

static bool AddFamily(Builder* b, sgLaneSet lanes)
{
	sgFamilyDraft draft = {
		.model = b->model,
		.weights = b->bounded,
		.evaluation =
		    IsSkin(b) ? sgSkin_Roundings(b->header.rows.most) : sgBlend_Roundings(b->header.rows.most),
		.step = 1,
		.row = b->row,
		.boxes = b->boxes,
		.sums = b->sums,
	};
	uint32_t bounded = sgBlend_BoundedLanes(&b->header, lanes);
	CollectMembers(b, lanes, bounded, &draft);
	sgBlendFamily like = { .values = 0 };
	if (!CollectTransforms(b, &draft, NULL) || !ChooseKind(b, &draft, &like))
	{
		return false;
	}
	if (!IsBetterAcross(b, &draft, &like))
	{
		return WriteFamily(b, &draft, &like, false);
	}
	bool good = true;
	for (uint32_t rest = bounded; good && rest != 0; rest &= rest - 1)
	{
		CollectMembers(b, lanes, rest & -rest, &draft);
		MoveToFirstLane(&draft);
		good = CollectTransforms(b, &draft, GetRank(b)) && WriteFamily(b, &draft, &like, true);
	}
	return good;
}

static bool AddFamilies(Builder* b)
{
	const sgTree* tree = &b->model->tree;
	bool good = true;
	if (sgBlend_HasFamily(&b->header, sgTree_Family(tree, 0)))
	{
		good = AddFamily(b, sgTree_Family(tree, 0));
	}
	for (uint32_t slot = 0; good && slot < tree->groupCount * SG_LANES; ++slot)
	{
		b->familyOfParent[slot] = SG_NONE;
		if (tree->nodes[slot].childCount > 0 && sgBlend_HasFamily(&b->header, sgTree_Children(tree, slot)))
		{
			b->familyOfParent[slot] = b->header.familyCount;
			good = AddFamily(b, sgTree_Children(tree, slot));
		}
	}
	return good;
}

// How many records there are if every node is bounded alone.
static uint32_t CountBoundedNodes(const sgTree* tree, const sgBlendHeader* header)
{
	uint32_t count = header->bound != snug_boundCorners;
	for (uint32_t slot = 0; header->bound != snug_boundCorners && slot < tree->groupCount * SG_LANES; ++slot)
	{
		bool isInner = tree->nodes[slot].childCount > 0;
		count += isInner ? (uint32_t)__builtin_popcount(sgBlend_BoundedLanes(header, sgTree_Children(tree, slot))) : 0;
	}
	return count;
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
		.familyOfParent = b->familyOfParent,
		.families = b->families,
		.entryTransforms = b->entryTransforms,
		.values = b->values,
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
	sgBlend_FillMoved(model, &b->weights, &b->order, (sgBlendMoved*)(uintptr_t)made.moved);
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
		const sgBlendFamily* family = b->families + i;
		const sgBlendCommon* common = (const sgBlendCommon*)(const void*)(b->values + family->values);
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
	snugStatus status = sgSkinDraft_Make(&b->skin, b->model, &b->weights, b->header.transformCount,
	    b->header.rows.most, b->def->skin.jointPositions, b->header.bound != snug_boundCorners);
	if (b->skin.header.pairCount > 0)
	{
		b->bounded = &b->skin.pairWeights;
		b->boundedCount = b->skin.header.pairCount;
		return status;
	}
	b->skin.header.isCornerFree = sgModelDef_Bounds(b->def).bound != snug_boundCorners;
	b->header.bound = snug_boundCorners;
	b->header.familyCount = 0;
	return status;
}

static snugStatus BuildAll(Builder* b, void** data, size_t* bytes)
{
	if (!AllocateArrays(b))
	{
		return snug_outOfMemory;
	}
	sgBlend_ReadWeights(b->def, &b->model->tree, b->influences, &b->weights);
	b->lists = (sgRowLists){ b->weights.starts, b->weights.transforms, b->weights.weights, 1 };
	snugStatus status = sgRowsDraft_Make(&b->rows, &b->rowsOf, &b->lists, b->allocator, b->model->team);
	b->header.rows = b->rows.counts;
	sgModel_FindReach(b->model, b->header.reach);
	status = status == snug_success ? AddSkin(b) : status;
	if (status != snug_success)
	{
		return status;
	}
	sgBlend_OrderTransforms(&b->weights, b->model->tree.vertexCount, &b->order);
	if (!AddFamilies(b))
	{
		return snug_outOfMemory;
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
	builder.familyCapacity = CountBoundedNodes(&model->tree, &builder.header);
	builder.order.count = def->skin.jointCount;
	builder.scratchCount = isSkin ? UINT16_MAX + 1 : def->skin.jointCount;
	status = BuildAll(&builder, data, bytes);
	ReleaseArrays(&builder);
	return status;
}
