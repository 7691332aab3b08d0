// src/deform/fields/fields_build.c: putting the data of displacement fields together. See fields_build.h.
#include "deform/fields/fields_build.h"

#include "deform/deform.h"
#include "geometry/frame.h"

#include <math.h>
#include <string.h>

typedef struct FieldsBuilder
{
	const snugModel* model;
	const snugAllocator* allocator;
	sgFieldsHeader header;
	uint32_t capacity; ///< displacements that there is room for
	sgDisplacements displacements;
	sgRowsOf rowsOf;
	sgRowLists lists; ///< the same displacements
	sgRowsDraft rows;
	float* most;
	sgFieldsGroup* groups;
	uint16_t* groupFields;
	size_t groupFieldCapacity;
	sgLaneFloats* groupValues;
	size_t groupValueCapacity;

	// Scratch.
	float* stretches;
	uint32_t* members;
	uint32_t* vertexStamp;
	uint32_t* fieldStamp;
	uint32_t* entryOf;
	sgFieldSums* sums;
	double* row;
	uint32_t stamp;
} FieldsBuilder;

// Every array with its size, so that they are allocated and released by the same list.
typedef struct ArraySlot
{
	void** array;
	size_t bytes;
} ArraySlot;

enum
{
	ARRAY_COUNT = 12
};

static void ListArrays(FieldsBuilder* b, ArraySlot slots[ARRAY_COUNT])
{
	const sgTree* tree = &b->model->tree;
	size_t fields = b->header.fieldCount;
	const ArraySlot list[ARRAY_COUNT] = {
		{ (void**)&b->displacements.starts, ((size_t)tree->vertexCount + 1) * sizeof(uint32_t) },
		{ (void**)&b->displacements.fields, ((size_t)b->capacity + 1) * sizeof(uint16_t) },
		{ (void**)&b->displacements.values, 3 * ((size_t)b->capacity + 1) * sizeof(float) },
		{ (void**)&b->most, 3 * fields * sizeof(float) },
		{ (void**)&b->groups, tree->groupCount * sizeof(sgFieldsGroup) },
		{ (void**)&b->stretches, ((size_t)tree->vertexCount + 1) * sizeof(float) },
		{ (void**)&b->members, ((size_t)tree->leafVertexCount + 1) * sizeof(uint32_t) },
		{ (void**)&b->vertexStamp, ((size_t)tree->vertexCount + 1) * sizeof(uint32_t) },
		{ (void**)&b->fieldStamp, fields * sizeof(uint32_t) },
		{ (void**)&b->entryOf, fields * sizeof(uint32_t) },
		{ (void**)&b->sums, fields * sizeof(sgFieldSums) },
		{ (void**)&b->row, 3 * fields * sizeof(double) },
	};
	memcpy(slots, list, sizeof(list));
}

static bool AllocateArrays(FieldsBuilder* b)
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
	return true;
}

static void ReleaseArrays(FieldsBuilder* b)
{
	ArraySlot slots[ARRAY_COUNT];
	ListArrays(b, slots);
	for (int i = 0; i < ARRAY_COUNT; ++i)
	{
		sgRelease(b->allocator, *slots[i].array, slots[i].bytes);
	}
	sgRowsDraft_Release(&b->rows, b->allocator);
	sgRelease(b->allocator, b->groupFields, b->groupFieldCapacity * sizeof(uint16_t));
	sgRelease(b->allocator, b->groupValues, b->groupValueCapacity * sizeof(sgLaneFloats));
}

uint32_t sgFields_BoundedLanes(const sgTree* tree, uint32_t group)
{
	uint32_t lanes = 0;
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		lanes |= (uint32_t)(tree->nodes[group * SG_LANES + lane].childCount > 0) << lane;
	}
	return lanes;
}

// The vertices below each of the lanes, each once.
static void CollectMembers(FieldsBuilder* b, uint32_t group, uint32_t lanes, sgGroupDraft* draft)
{
	const sgTree* tree = &b->model->tree;
	uint32_t count = 0;
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		draft->laneFirst[lane] = count;
		if ((lanes >> lane & 1) != 0)
		{
			sgLeafRange range = sgTree_LeavesBelow(tree, group * SG_LANES + lane);
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
}

// All fields that move any of the members, ascending, behind those of earlier groups.
static bool CollectFields(FieldsBuilder* b, sgGroupDraft* draft)
{
	uint32_t first = b->header.groupFieldCount, count = 0;
	if (!sgGrow(b->allocator, (void**)&b->groupFields, &b->groupFieldCapacity, first, b->header.fieldCount,
	        sizeof(uint16_t)))
	{
		return false;
	}
	++b->stamp;
	for (uint32_t i = 0; i < draft->laneLast[SG_LANES - 1]; ++i)
	{
		uint32_t vertex = b->members[i];
		for (uint32_t k = b->displacements.starts[vertex]; k < b->displacements.starts[vertex + 1]; ++k)
		{
			b->fieldStamp[b->displacements.fields[k]] = b->stamp;
		}
	}
	for (uint32_t f = 0; f < b->header.fieldCount; ++f)
	{
		if (b->fieldStamp[f] == b->stamp)
		{
			b->entryOf[f] = count;
			b->groupFields[first + count++] = (uint16_t)f;
		}
	}
	draft->fields = b->groupFields + first;
	draft->fieldCount = count;
	return true;
}

// What fits are not good enough for keeps its intervals.
static bool FillGroup(FieldsBuilder* b, const sgGroupDraft* draft, sgFieldsGroup* group)
{
	group->hasIntervals = 1;
	uint64_t values = sgFieldsGroup_Values(group);
	if (b->header.groupValueCount + values > UINT32_MAX ||
	    !sgGrow(b->allocator, (void**)&b->groupValues, &b->groupValueCapacity, b->header.groupValueCount,
	        (size_t)values, sizeof(sgLaneFloats)))
	{
		return false;
	}
	sgLaneFloats* out = b->groupValues + group->values;
	sgFields_FillGroup(draft, out, b->header.reach);
	group->hasIntervals = b->header.hasIntervals != 0 || sgFields_NeedsIntervals(draft, out);
	b->header.groupValueCount += (uint32_t)sgFieldsGroup_Values(group);
	b->header.groupFieldCount += draft->fieldCount;
	return true;
}

static bool AddGroups(FieldsBuilder* b)
{
	const sgTree* tree = &b->model->tree;
	for (uint32_t g = 0; g < tree->groupCount; ++g)
	{
		uint32_t lanes = sgFields_BoundedLanes(tree, g);
		b->groups[g] = (sgFieldsGroup){ b->header.groupValueCount, b->header.groupFieldCount, 0, 0 };
		if (lanes == 0)
		{
			continue;
		}
		sgGroupDraft draft = {
			.model = b->model,
			.displacements = &b->displacements,
			.most = b->most,
			.stretches = b->stretches,
			.members = b->members,
			.entryOf = b->entryOf,
			.sums = b->sums,
			.row = b->row,
		};
		CollectMembers(b, g, lanes, &draft);
		if (!CollectFields(b, &draft))
		{
			return false;
		}
		b->groups[g].fieldCount = draft.fieldCount;
		if ((uint64_t)b->header.groupFieldCount + draft.fieldCount > UINT32_MAX || !FillGroup(b, &draft, b->groups + g))
		{
			return false;
		}
	}
	return true;
}

// Numbers of the model as a whole: how far positions and displacements reach.
static void FindReach(FieldsBuilder* b)
{
	const sgTree* tree = &b->model->tree;
	const sgDisplacements* from = &b->displacements;
	double span2 = 0.0;
	sgModel_FindReach(b->model, b->header.restReach);
	memcpy(b->header.reach, b->header.restReach, sizeof(b->header.reach));
	for (uint32_t v = 0; v < tree->vertexCount; ++v)
	{
		uint32_t count = from->starts[v + 1] - from->starts[v];
		b->stretches[v] = sgFields_FindStretch(from->values + 3 * (size_t)from->starts[v], count);
		b->header.stretch = fmaxf(b->header.stretch, b->stretches[v]);
		for (uint32_t k = from->starts[v]; k < from->starts[v + 1]; ++k)
		{
			float* most = b->most + 3 * (size_t)from->fields[k];
			for (size_t axis = 0; axis < 3; ++axis)
			{
				most[axis] = fmaxf(most[axis], fabsf(from->values[3 * (size_t)k + axis]));
			}
		}
	}
	for (uint32_t f = 0; f < b->header.fieldCount; ++f)
	{
		const float* most = b->most + 3 * (size_t)f;
		double largest = (double)fmaxf(most[0], fmaxf(most[1], most[2]));
		span2 += largest * largest;
	}
	b->header.span = sgRoundUp(sqrt(span2) * (1.0 + 0x1p-30));
}

static snugStatus Assemble(FieldsBuilder* b, void** data, size_t* bytes)
{
	size_t total = sgFields_Bytes(b->model, &b->header);
	char* out = sgAllocate(b->allocator, total);
	if (out == NULL)
	{
		return snug_outOfMemory;
	}
	memset(out, 0, total);
	memcpy(out, &b->header, sizeof(b->header));
	const sgFields from = {
		.most = b->most,
		.groups = b->groups,
		.groupFields = b->groupFields,
		.groupValues = b->groupValues,
	};
	sgArray list[SG_FIELDS_ARRAYS];
	sgFields_ListArrays(b->model, &b->header, list);
	sgArrays_Write(sizeof(b->header), list, SG_FIELDS_ARRAYS, &from, out);
	sgFields made = sgFields_Bind(b->model, out);
	sgRowsDraft_Write(&b->rows, &made.rows, b->model->team);
	*data = out;
	*bytes = total;
	return snug_success;
}

static snugStatus BuildAll(FieldsBuilder* b, void** data, size_t* bytes)
{
	snugStatus status = sgRowsDraft_Make(&b->rows, &b->rowsOf, &b->lists, b->allocator, b->model->team);
	if (status != snug_success)
	{
		return status;
	}
	b->header.rows = b->rows.counts;
	FindReach(b);
	if (!AddGroups(b))
	{
		return snug_outOfMemory;
	}
	return Assemble(b, data, bytes);
}

snugStatus sgFields_Build(
    const snugModel* model, const snugModelDef* def, bool hasIntervals, void** data, size_t* bytes)
{
	uint64_t count;
	snugStatus status = sgFields_CheckDef(def, &count);
	if (status != snug_success)
	{
		return status;
	}
	FieldsBuilder builder = {
		.model = model,
		.allocator = &model->allocator,
		.rowsOf = sgModel_RowsOf(model),
		.capacity = (uint32_t)count,
		.header = { .fieldCount = def->fields.fieldCount, .hasIntervals = hasIntervals },
	};
	status = snug_outOfMemory;
	if (AllocateArrays(&builder))
	{
		const sgDisplacements* read = &builder.displacements;
		sgFields_Read(def, &model->tree, read);
		builder.lists = (sgRowLists){ read->starts, read->fields, read->values, 3 };
		status = BuildAll(&builder, data, bytes);
	}
	ReleaseArrays(&builder);
	return status;
}
