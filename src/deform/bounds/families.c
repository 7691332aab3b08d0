// src/deform/bounds/families.c: what families of nodes are bounded by. See families.h.
//
// First every family is planned: which transforms it has, how it is bounded, how large that is. Then all know where
// theirs goes, and are filled in. Families do not depend on each other, so threads share both.
#include "deform/bounds/families.h"

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

/// Scratch memory of one worker.
typedef struct FamilyScratch
{
	bool isReady; ///< stamps and what must be zero are
	uint32_t stamp;
	uint32_t* members;        ///< (leafVertexCount + 1)
	uint32_t* vertexStamp;    ///< (vertexCount + 1)
	uint32_t* transformStamp; ///< (boundedCount, and for blocks of transforms)
	uint32_t* entryOf;        ///< (boundedCount)
	uint16_t* transforms;     ///< (boundedCount): of the family that is looked at
	double* row;              ///< (boundedCount)
	double (*boxes)[6];       ///< (boundedCount)
	double (*sums)[4];        ///< (boundedCount)
	sgFit* fits;              ///< (boundedCount)
	sgLaneFloats* probe;      ///< for a fit of MAX_FIT_ENTRIES
	uint64_t mostAlone;       ///< values that a node alone has at most before its transforms are put across
	sgLaneFloats* alone;      ///< room for them
} FamilyScratch;

typedef struct FamilyBuilder
{
	const sgBounded* bounded;
	const snugModel* model;
	const sgLinearHeader* header;
	sgFamilies* out;
	FamilyScratch workers[SG_TEAM_WORKERS];
} FamilyBuilder;

enum
{
	ARRAY_COUNT = 10
};

static void ListArrays(const FamilyBuilder* b, sgArray list[ARRAY_COUNT])
{
	const sgTree* tree = &b->model->tree;
	const sgLinearFamily probed = { .kind = sgLinear_firstOrder, .entryCount = MAX_FIT_ENTRIES };
	uint64_t count = b->bounded->count, transforms = b->header->transformCount;
	const sgArray arrays[ARRAY_COUNT] = {
		{ SG_ARRAY(FamilyScratch, members, (uint64_t)tree->leafVertexCount + 1) },
		{ SG_ARRAY(FamilyScratch, vertexStamp, (uint64_t)tree->vertexCount + 1) },
		{ SG_ARRAY(FamilyScratch, transformStamp, count > transforms ? count : transforms) },
		{ SG_ARRAY(FamilyScratch, entryOf, count) },
		{ SG_ARRAY(FamilyScratch, transforms, count) },
		{ SG_ARRAY(FamilyScratch, row, count) },
		{ SG_ARRAY(FamilyScratch, boxes, count) },
		{ SG_ARRAY(FamilyScratch, sums, count) },
		{ SG_ARRAY(FamilyScratch, fits, count) },
		{ SG_ARRAY(FamilyScratch, probe, sgLinearFamily_Values(&probed)) },
	};
	memcpy(list, arrays, sizeof(arrays));
}

// Workers that get nothing to do hardly touch it.
static FamilyScratch* GetScratch(FamilyBuilder* b, uint32_t worker)
{
	FamilyScratch* scratch = b->workers + worker;
	if (!scratch->isReady)
	{
		const sgTree* tree = &b->model->tree;
		size_t count = b->bounded->count, transforms = b->header->transformCount;
		memset(scratch->vertexStamp, 0, ((size_t)tree->vertexCount + 1) * sizeof(uint32_t));
		memset(scratch->transformStamp, 0, (count > transforms ? count : transforms) * sizeof(uint32_t));
		memset(scratch->row, 0, count * sizeof(double));
		memset(scratch->boxes, 0, count * sizeof(*scratch->boxes));
		memset(scratch->sums, 0, count * sizeof(*scratch->sums));
		scratch->isReady = true;
	}
	return scratch;
}

// ---- What a family has ----------------------------------------------------------------------------------------------

// The vertices below each of the lanes, each once.
static void CollectMembers(
    const FamilyBuilder* b, FamilyScratch* scratch, sgLaneSet family, uint32_t lanes, sgFamilyDraft* draft)
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
			++scratch->stamp;
			for (uint32_t i = tree->leaves[range.first].firstVertex; i < last->firstVertex + last->vertexCount; ++i)
			{
				uint32_t vertex = tree->leafVertices[i];
				if (scratch->vertexStamp[vertex] != scratch->stamp)
				{
					scratch->vertexStamp[vertex] = scratch->stamp;
					scratch->members[count++] = vertex;
				}
			}
		}
		draft->laneLast[lane] = count;
	}
	draft->members = scratch->members;
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

// All transforms of all members, ascending by number or else by rank.
static void CollectTransforms(
    const FamilyBuilder* b, FamilyScratch* scratch, sgFamilyDraft* draft, const uint16_t* rank)
{
	const sgWeights* bounded = b->bounded->weights;
	uint16_t* list = scratch->transforms;
	uint32_t count = 0;
	++scratch->stamp;
	for (uint32_t i = 0; i < draft->laneLast[SG_LANES - 1]; ++i)
	{
		uint32_t vertex = draft->members[i];
		for (uint32_t k = bounded->starts[vertex]; k < bounded->starts[vertex + 1]; ++k)
		{
			uint16_t transform = bounded->transforms[k];
			if (scratch->transformStamp[transform] != scratch->stamp)
			{
				scratch->transformStamp[transform] = scratch->stamp;
				list[count++] = transform;
			}
		}
	}
	SortTransforms(list, count, rank);
	for (uint32_t j = 0; j < count; ++j)
	{
		scratch->entryOf[list[j]] = j;
	}
	draft->transforms = list;
	draft->entryCount = count;
	draft->entryOf = scratch->entryOf;
}

static sgFamilyDraft BeginDraft(const FamilyBuilder* b, FamilyScratch* scratch)
{
	return (sgFamilyDraft){
		.model = b->model,
		.weights = b->bounded->weights,
		.evaluation = b->bounded->evaluation,
		.step = 1,
		.row = scratch->row,
		.boxes = scratch->boxes,
		.sums = scratch->sums,
		.fits = scratch->fits,
	};
}

// A family as a whole.
static sgFamilyDraft DraftFamily(const FamilyBuilder* b, FamilyScratch* scratch, sgLaneSet family)
{
	sgFamilyDraft draft = BeginDraft(b, scratch);
	CollectMembers(b, scratch, family, sgLinear_BoundedLanes(family), &draft);
	CollectTransforms(b, scratch, &draft, NULL);
	return draft;
}

// One of its nodes, which becomes lane 0.
static sgFamilyDraft DraftAlone(const FamilyBuilder* b, FamilyScratch* scratch, sgLaneSet family, uint32_t node)
{
	sgFamilyDraft draft = BeginDraft(b, scratch);
	CollectMembers(b, scratch, family, 1u << node, &draft);
	uint32_t end = draft.laneLast[SG_LANES - 1];
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		draft.laneFirst[lane] = lane == 0 ? 0 : end;
		draft.laneLast[lane] = end;
	}
	CollectTransforms(b, scratch, &draft, b->bounded->rank);
	return draft;
}

// ---- Planning -------------------------------------------------------------------------------------------------------

// First order where weights vary nearly linearly over every node of the family, the local program where they do not or
// influences are few.
static sgLinearKind ChooseKind(const FamilyBuilder* b, FamilyScratch* scratch, const sgFamilyDraft* draft)
{
	double influences = (double)b->header->rows.entries / (double)b->model->tree.vertexCount;
	if (draft->entryCount > MAX_FIT_ENTRIES || influences <= FEW_INFLUENCES || b->bounded->isLocal)
	{
		return sgLinear_local;
	}
	return sgLinear_ProbeFit(draft, scratch->probe) <= MAX_FIT_RESIDUAL ? sgLinear_firstOrder : sgLinear_local;
}

// How many blocks of eight the transforms of a lane are in: those of poses, or eights as they come.
static uint32_t CountBlocks(const FamilyBuilder* b, FamilyScratch* scratch, const sgFamilyDraft* draft, uint32_t lane)
{
	const sgWeights* weights = b->bounded->weights;
	const uint16_t* rank = b->bounded->rank;
	uint32_t count = 0;
	++scratch->stamp;
	for (uint32_t i = draft->laneFirst[lane]; i < draft->laneLast[lane]; ++i)
	{
		uint32_t vertex = draft->members[i];
		for (uint32_t k = weights->starts[vertex]; k < weights->starts[vertex + 1]; ++k)
		{
			uint32_t number = weights->transforms[k];
			uint32_t block = rank != NULL ? rank[number] / SG_LANES : number;
			count += scratch->transformStamp[block] != scratch->stamp;
			scratch->transformStamp[block] = scratch->stamp;
		}
	}
	return rank != NULL ? count : sgLinear_BlockCount(count);
}

// Together, a family costs one step for each of all its transforms; alone, a node costs one for each block of eight of
// its own. A node without siblings, the root, is always cheaper alone.
static bool IsBetterAcross(const FamilyBuilder* b, FamilyScratch* scratch, const sgFamilyDraft* draft,
    const sgLinearFamily* family, bool isRoot)
{
	if (family->kind != sgLinear_local)
	{
		return false;
	}
	bool isAlone = draft->laneLast[0] == draft->laneLast[SG_LANES - 1];
	if (b->bounded->isRootAlone)
	{
		return isAlone && isRoot;
	}
	if (isAlone)
	{
		return true;
	}
	double steps = 0.0;
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		bool isUsed = draft->laneFirst[lane] < draft->laneLast[lane];
		steps += isUsed ? (double)CountBlocks(b, scratch, draft, lane) + ALONE_OVERHEAD : 0.0;
	}
	return SHARE_BOUNDED * b->bounded->stepsOfEight * steps < (double)draft->entryCount;
}

// Where a transform of a node alone goes: entry of eight times eight, and lane. Places ascend.
static uint32_t PlaceOf(const FamilyBuilder* b, const sgFamilyDraft* draft, uint32_t j)
{
	return b->bounded->rank != NULL ? b->bounded->rank[draft->transforms[j]] : j;
}

// How many entries of eight the transforms of a node alone are in.
static uint32_t CountEntries(const FamilyBuilder* b, const sgFamilyDraft* draft)
{
	uint32_t count = 0, last = UINT32_MAX;
	for (uint32_t j = 0; j < draft->entryCount; ++j)
	{
		uint32_t block = PlaceOf(b, draft, j) / SG_LANES;
		count += block != last;
		last = block;
	}
	return count;
}

// One record for a family, or one for each of its nodes.
static void PlanFamily(FamilyBuilder* b, FamilyScratch* scratch, sgLaneSet family, sgLinearFamily* records)
{
	sgFamilyDraft draft = DraftFamily(b, scratch, family);
	sgLinearFamily like = { .entryCount = draft.entryCount, .kind = (uint8_t)ChooseKind(b, scratch, &draft) };
	if (!IsBetterAcross(b, scratch, &draft, &like, family.group == 0))
	{
		*records = like;
		return;
	}
	for (uint32_t rest = sgLinear_BoundedLanes(family); rest != 0; rest &= rest - 1, ++records)
	{
		draft = DraftAlone(b, scratch, family, sgLowestBit(rest));
		like.entryCount = draft.entryCount;
		like.isAcross = sgAcross_nodes;
		uint64_t values = sgLinearFamily_Values(&like);
		scratch->mostAlone = values > scratch->mostAlone ? values : scratch->mostAlone;
		like.entryCount = CountEntries(b, &draft);
		like.isAcross = b->bounded->rank != NULL ? sgAcross_blocks : sgAcross_eights;
		*records = like;
	}
}

// ---- Filling in -----------------------------------------------------------------------------------------------------

// Numbers of the pairs of a node alone, eight for each entry.
static void PutPairs(const sgFamilyDraft* draft, uint64_t count, uint16_t* numbers)
{
	for (uint32_t j = 0; j < count; ++j)
	{
		numbers[j] = j < draft->entryCount ? draft->transforms[j] : numbers[j - 1]; // which weighs nothing again
	}
}

// Numbers of the blocks of eight that the transforms of a node alone are in.
static void PutBlocks(const FamilyBuilder* b, const sgFamilyDraft* draft, uint16_t* numbers)
{
	uint32_t count = 0, last = UINT32_MAX;
	for (uint32_t j = 0; j < draft->entryCount; ++j)
	{
		uint32_t block = PlaceOf(b, draft, j) / SG_LANES;
		if (block != last)
		{
			numbers[count++] = (uint16_t)block;
		}
		last = block;
	}
}

// Lane 0 of the entries, which are in the order of places, becomes one lane of the entry for eight transforms.
static void PutAcross(
    const FamilyBuilder* b, const sgFamilyDraft* draft, uint32_t stride, const sgLaneFloats* entries, sgLaneFloats* out)
{
	uint32_t last = UINT32_MAX;
	for (uint32_t j = 0; j < draft->entryCount; ++j)
	{
		uint32_t place = PlaceOf(b, draft, j), block = place / SG_LANES;
		if (block != last)
		{
			out += j > 0 ? stride : 0;
			memset(out, 0, stride * sizeof(sgLaneFloats));
		}
		for (uint32_t f = 0; f < stride; ++f)
		{
			out[f].lane[place % SG_LANES] = entries[(size_t)stride * j + f].lane[0];
		}
		last = block;
	}
}

static void FillAlone(
    const FamilyBuilder* b, FamilyScratch* scratch, sgLaneSet family, uint32_t lane, const sgLinearFamily* record)
{
	sgFamilyDraft draft = DraftAlone(b, scratch, family, lane);
	sgLinearFamily whole = *record;
	whole.entryCount = draft.entryCount;
	whole.isAcross = sgAcross_nodes;
	sgLinear_FillFamily(&draft, &whole, scratch->alone);
	uint16_t* numbers = b->out->entryTransforms + record->firstEntry;
	sgLaneFloats* values = b->out->values + record->values;
	uint32_t head = sgLinearFamily_HeadValues(record);
	memcpy(values, scratch->alone, head * sizeof(sgLaneFloats));
	if (record->isAcross == sgAcross_eights)
	{
		PutPairs(&draft, sgLinearFamily_Numbers(record), numbers);
	}
	else
	{
		PutBlocks(b, &draft, numbers);
	}
	PutAcross(b, &draft, sgLinearKind_EntryValues((sgLinearKind)record->kind), scratch->alone + head, values + head);
}

static void FillFamily(FamilyBuilder* b, FamilyScratch* scratch, sgLaneSet family, sgLinearFamily* records)
{
	if (!records->isAcross)
	{
		sgFamilyDraft draft = DraftFamily(b, scratch, family);
		uint16_t* transforms = b->out->entryTransforms + records->firstEntry;
		memcpy(transforms, draft.transforms, draft.entryCount * sizeof(uint16_t));
		sgLinear_FillFamily(&draft, records, b->out->values + records->values);
		return;
	}
	for (uint32_t rest = sgLinear_BoundedLanes(family); rest != 0; rest &= rest - 1, ++records)
	{
		FillAlone(b, scratch, family, sgLowestBit(rest), records);
	}
}

// ---- All of them ----------------------------------------------------------------------------------------------------

/// What is done with a family whose records are known.
typedef void FamilyFcn(FamilyBuilder* b, FamilyScratch* scratch, sgLaneSet family, sgLinearFamily* records);

static void DoGroup(FamilyBuilder* b, uint32_t worker, uint32_t group, FamilyFcn* todo)
{
	uint32_t first = b->out->firstFamilies[group];
	if (first != SG_NONE)
	{
		sgLaneSet family = sgTree_Family(&b->model->tree, group * SG_LANES);
		todo(b, GetScratch(b, worker), family, b->out->families + first);
	}
}

static void PlanGroup(void* context, uint32_t worker, uint32_t group)
{
	DoGroup(context, worker, group, PlanFamily);
}

static void FillGroup(void* context, uint32_t worker, uint32_t group)
{
	DoGroup(context, worker, group, FillFamily);
}

// Records as if every node were bounded alone; those that are not used stay of no kind.
static uint32_t PlaceRecords(const FamilyBuilder* b)
{
	const sgTree* tree = &b->model->tree;
	uint32_t count = 0;
	for (uint32_t group = 0; group < tree->groupCount; ++group)
	{
		uint32_t lanes = b->bounded->count > 0 ? sgLinear_BoundedLanes(sgTree_Family(tree, group * SG_LANES)) : 0;
		b->out->firstFamilies[group] = lanes != 0 ? count : SG_NONE;
		count += (uint32_t)__builtin_popcount(lanes);
	}
	return count;
}

// Records that are used, one after the other, from `from` on; each gets a place for its entries and values.
static bool TakeRecords(sgFamilies* out, uint32_t from, uint32_t end)
{
	for (uint32_t i = from; i < end && out->families[i].kind != SG_BLEND_KINDS; ++i)
	{
		sgLinearFamily record = out->families[i];
		uint64_t entries = out->entryCount + sgLinearFamily_Numbers(&record);
		uint64_t values = out->valueCount + sgLinearFamily_Values(&record);
		if (entries > UINT32_MAX || values > UINT32_MAX)
		{
			return false;
		}
		record.firstEntry = out->entryCount;
		record.values = out->valueCount;
		out->families[out->familyCount++] = record;
		out->entryCount = (uint32_t)entries;
		out->valueCount = (uint32_t)values;
	}
	return true;
}

static bool NumberRecords(const FamilyBuilder* b)
{
	const sgTree* tree = &b->model->tree;
	bool good = true;
	for (uint32_t group = 0; group < tree->groupCount && good; ++group)
	{
		uint32_t* first = b->out->firstFamilies + group;
		if (*first != SG_NONE)
		{
			uint32_t from = *first, lanes = sgLinear_BoundedLanes(sgTree_Family(tree, group * SG_LANES));
			*first = b->out->familyCount;
			good = TakeRecords(b->out, from, from + (uint32_t)__builtin_popcount(lanes));
		}
	}
	return good;
}

static bool AllocateScratch(FamilyBuilder* b, char** memory, size_t* bytes)
{
	sgArray list[ARRAY_COUNT];
	ListArrays(b, list);
	*bytes = sgArrays_Bytes(0, list, ARRAY_COUNT);
	uint32_t workers = sgTeam_Workers(b->model->team);
	*memory = *bytes < SG_MAX_SIZE / SG_TEAM_WORKERS ? sgAllocate(&b->model->allocator, *bytes * workers) : NULL;
	for (uint32_t i = 0; *memory != NULL && i < workers; ++i)
	{
		sgArrays_Bind(0, list, ARRAY_COUNT, *memory + i * *bytes, b->workers + i);
	}
	*bytes *= workers;
	return *memory != NULL;
}

static bool AllocateAlone(FamilyBuilder* b, sgLaneFloats** memory, size_t* bytes)
{
	uint64_t most = 0;
	for (uint32_t i = 0; i < SG_TEAM_WORKERS; ++i)
	{
		most = b->workers[i].mostAlone > most ? b->workers[i].mostAlone : most;
	}
	uint32_t workers = sgTeam_Workers(b->model->team);
	*bytes = (size_t)most * sizeof(sgLaneFloats) * workers;
	*memory = sgAllocate(&b->model->allocator, *bytes);
	for (uint32_t i = 0; *memory != NULL && i < workers; ++i)
	{
		b->workers[i].alone = *memory + i * (size_t)most;
	}
	return *memory != NULL;
}

static snugStatus Fill(FamilyBuilder* b)
{
	sgFamilies* out = b->out;
	const snugAllocator* allocator = &b->model->allocator;
	out->entryBytes = out->entryCount * sizeof(uint16_t);
	out->valueBytes = out->valueCount * sizeof(sgLaneFloats);
	out->entryTransforms = sgAllocate(allocator, out->entryBytes);
	out->values = sgAllocate(allocator, out->valueBytes);
	sgLaneFloats* alone = NULL;
	size_t aloneBytes = 0;
	bool good = out->entryTransforms != NULL && out->values != NULL && AllocateAlone(b, &alone, &aloneBytes);
	if (good)
	{
		sgTeam_Run(b->model->team, b->model->tree.groupCount, FillGroup, b);
	}
	sgRelease(allocator, alone, aloneBytes);
	return good ? snug_success : snug_outOfMemory;
}

snugStatus sgFamilies_Make(
    const snugModel* model, const sgLinearHeader* header, const sgBounded* bounded, sgFamilies* out)
{
	const snugAllocator* allocator = &model->allocator;
	FamilyBuilder builder = { .bounded = bounded, .model = model, .header = header, .out = out };
	size_t scratchBytes = 0;
	*out = (sgFamilies){ .firstBytes = model->tree.groupCount * sizeof(uint32_t) };
	out->firstFamilies = sgAllocate(allocator, out->firstBytes);
	if (out->firstFamilies == NULL)
	{
		return snug_outOfMemory;
	}
	uint32_t capacity = PlaceRecords(&builder);
	out->familyBytes = capacity * sizeof(sgLinearFamily);
	out->families = sgAllocate(allocator, out->familyBytes);
	char* scratch = NULL;
	snugStatus status = snug_outOfMemory;
	if (out->families != NULL && AllocateScratch(&builder, &scratch, &scratchBytes))
	{
		for (uint32_t i = 0; i < capacity; ++i)
		{
			out->families[i] = (sgLinearFamily){ .kind = SG_BLEND_KINDS };
		}
		sgTeam_Run(model->team, model->tree.groupCount, PlanGroup, &builder);
		status = NumberRecords(&builder) ? Fill(&builder) : snug_outOfMemory;
	}
	sgRelease(allocator, scratch, scratch != NULL ? scratchBytes : 0);
	return status;
}

void sgFamilies_Release(sgFamilies* families, const snugAllocator* allocator)
{
	sgRelease(allocator, families->firstFamilies, families->firstBytes);
	sgRelease(allocator, families->families, families->familyBytes);
	sgRelease(allocator, families->entryTransforms, families->entryBytes);
	sgRelease(allocator, families->values, families->valueBytes);
}
