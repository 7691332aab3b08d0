// src/deform/fields_build.c: putting the data of displacement fields together, and checking those from a file. See
// fields_build.h.
#include "deform/fields_build.h"

#include "geometry/frame.h"

#include <math.h>
#include <string.h>

typedef struct Builder
{
	const snugModel* model;
	const snugAllocator* allocator;
	sgFieldsHeader header;
	uint32_t capacity; ///< displacements that there is room for
	sgDisplacements displacements;
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
} Builder;

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

static void ListArrays(Builder* b, ArraySlot slots[ARRAY_COUNT])
{
	const sgTree* tree = &b->model->tree;
	size_t fields = b->header.fieldCount;
	// Families that share a group may be one below the other.
	size_t families = SG_LANES / (size_t)b->model->treeDef.branching;
	const ArraySlot list[ARRAY_COUNT] = {
		{ (void**)&b->displacements.starts, ((size_t)tree->vertexCount + 1) * sizeof(uint32_t) },
		{ (void**)&b->displacements.fields, ((size_t)b->capacity + 1) * sizeof(uint16_t) },
		{ (void**)&b->displacements.values, 3 * ((size_t)b->capacity + 1) * sizeof(float) },
		{ (void**)&b->most, 3 * fields * sizeof(float) },
		{ (void**)&b->groups, tree->groupCount * sizeof(sgFieldsGroup) },
		{ (void**)&b->stretches, ((size_t)tree->vertexCount + 1) * sizeof(float) },
		{ (void**)&b->members, (families * tree->leafVertexCount + 1) * sizeof(uint32_t) },
		{ (void**)&b->vertexStamp, ((size_t)tree->vertexCount + 1) * sizeof(uint32_t) },
		{ (void**)&b->fieldStamp, fields * sizeof(uint32_t) },
		{ (void**)&b->entryOf, fields * sizeof(uint32_t) },
		{ (void**)&b->sums, fields * sizeof(sgFieldSums) },
		{ (void**)&b->row, 3 * fields * sizeof(double) },
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
	sgRelease(b->allocator, b->groupFields, b->groupFieldCapacity * sizeof(uint16_t));
	sgRelease(b->allocator, b->groupValues, b->groupValueCapacity * sizeof(sgLaneFloats));
}

// Make room for `more` elements behind `count`, keeping the contents.
static bool Grow(const snugAllocator* allocator, void** array, size_t* capacity, size_t count, size_t more, size_t size)
{
	if (more <= *capacity - count)
	{
		return true;
	}
	size_t wanted = count + more + (count + more) / 2;
	void* grown = sgAllocate(allocator, wanted * size);
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

uint32_t sgFields_BoundedLanes(const sgTree* tree, uint32_t group, bool boundLeaves)
{
	uint32_t lanes = 0;
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		const sgNode* node = tree->nodes + group * SG_LANES + lane;
		bool isBounded = node->first != SG_NONE && (node->childCount > 0 || boundLeaves);
		lanes |= (uint32_t)isBounded << lane;
	}
	return lanes;
}

// The vertices below each of the lanes, each once.
static void CollectMembers(Builder* b, uint32_t group, uint32_t lanes, sgGroupDraft* draft)
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
static bool CollectFields(Builder* b, sgGroupDraft* draft)
{
	uint32_t first = b->header.groupFieldCount, count = 0;
	if (!Grow(b->allocator, (void**)&b->groupFields, &b->groupFieldCapacity, first, b->header.fieldCount,
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

// Parts are chosen where the plan leaves it open: what fits are not good enough for keeps its intervals.
static bool FillGroup(Builder* b, const sgGroupDraft* draft, sgFieldsGroup* group)
{
	bool isOpen = b->header.parts == 0;
	group->parts = isOpen ? sgFields_intervals | sgFields_fits : b->header.parts;
	uint64_t values = sgFieldsGroup_ValuesBefore(group, sgFields_allParts + 1);
	if (b->header.groupValueCount + values > UINT32_MAX ||
	    !Grow(b->allocator, (void**)&b->groupValues, &b->groupValueCapacity, b->header.groupValueCount, (size_t)values,
	        sizeof(sgLaneFloats)))
	{
		return false;
	}
	sgLaneFloats* out = b->groupValues + group->values;
	sgFields_FillGroup(draft, group, out, b->header.reach);
	if (isOpen && !sgFields_NeedsIntervals(draft, group, out))
	{
		size_t from = (size_t)sgFieldsGroup_ValuesBefore(group, sgFields_fits);
		group->parts = sgFields_fits;
		size_t to = (size_t)sgFieldsGroup_ValuesBefore(group, sgFields_fits);
		memmove(out + to, out + from, ((size_t)values - from) * sizeof(sgLaneFloats));
		values -= from - to;
	}
	b->header.groupValueCount += (uint32_t)values;
	b->header.groupFieldCount += draft->fieldCount;
	return true;
}

static bool AddGroups(Builder* b)
{
	const sgTree* tree = &b->model->tree;
	for (uint32_t g = 0; g < tree->groupCount; ++g)
	{
		uint32_t lanes = sgFields_BoundedLanes(tree, g, b->header.boundLeaves != 0);
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
static void FindReach(Builder* b)
{
	const sgTree* tree = &b->model->tree;
	const sgDisplacements* from = &b->displacements;
	double span2 = 0.0;
	for (size_t i = 0; i < 3 * (size_t)tree->vertexCount; ++i)
	{
		b->header.restReach[i % 3] = fmaxf(b->header.restReach[i % 3], fabsf(b->model->positions[i]));
	}
	memcpy(b->header.reach, b->header.restReach, sizeof(b->header.reach));
	for (uint32_t v = 0; v < tree->vertexCount; ++v)
	{
		uint32_t count = from->starts[v + 1] - from->starts[v];
		b->header.maxFields = count > b->header.maxFields ? count : b->header.maxFields;
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

static void CopyArray(char* out, uint64_t offset, const void* from, size_t bytes)
{
	if (bytes > 0)
	{
		memcpy(out + offset, from, bytes);
	}
}

static snugStatus Assemble(Builder* b, void** data, size_t* bytes)
{
	const sgTree* tree = &b->model->tree;
	const sgFieldsHeader* header = &b->header;
	size_t total = sgFields_Layout(b->model, &b->header);
	const uint64_t* offsets = header->offsets;
	char* out = sgAllocate(b->allocator, total);
	if (out == NULL)
	{
		return snug_outOfMemory;
	}
	memset(out, 0, total);
	memcpy(out, header, sizeof(*header));
	CopyArray(out, offsets[0], b->displacements.starts, ((size_t)tree->vertexCount + 1) * sizeof(uint32_t));
	CopyArray(out, offsets[1], b->displacements.fields, header->displacementCount * sizeof(uint16_t));
	CopyArray(out, offsets[2], b->displacements.values, 3 * (size_t)header->displacementCount * sizeof(float));
	CopyArray(out, offsets[3], b->most, 3 * (size_t)header->fieldCount * sizeof(float));
	const sgFieldsBlockArrays blocks = {
		.firstBlocks = (void*)(out + offsets[4]),
		.blocks = (void*)(out + offsets[5]),
		.fields = (void*)(out + offsets[6]),
		.values = (void*)(out + offsets[7]),
	};
	sgFields_FillBlocks(b->model, &b->displacements, &blocks);
	CopyArray(out, offsets[8], b->groups, tree->groupCount * sizeof(sgFieldsGroup));
	CopyArray(out, offsets[9], b->groupFields, header->groupFieldCount * sizeof(uint16_t));
	CopyArray(out, offsets[10], b->groupValues, header->groupValueCount * sizeof(sgLaneFloats));
	*data = out;
	*bytes = total;
	return snug_success;
}

static snugStatus BuildAll(Builder* b, void** data, size_t* bytes)
{
	b->header.displacementCount = b->displacements.starts[b->model->tree.vertexCount];
	FindReach(b);
	if (!sgFields_CountBlocks(b->model, &b->displacements, &b->header))
	{
		return snug_outOfRange;
	}
	if (!AddGroups(b))
	{
		return snug_outOfMemory;
	}
	sgFields_WrapContacts(&b->model->tree, &b->header, b->groups, b->groupFields, b->groupValues);
	return Assemble(b, data, bytes);
}

snugStatus sgFields_Build(
    const snugModel* model, const snugModelDef* def, const sgFieldsPlan* plan, void** data, size_t* bytes)
{
	uint64_t count;
	snugStatus status = sgFields_CheckDef(def, &count);
	if (status != snug_success)
	{
		return status;
	}
	Builder builder = {
		.model = model,
		.allocator = &model->allocator,
		.capacity = (uint32_t)count,
		.header = {
			.fieldCount = def->fields.fieldCount,
			.bound = (uint32_t)plan->bound,
			.volume = (uint32_t)plan->volume,
			.boundLeaves = plan->boundLeaves,
			.contactLevel = plan->contactLevel,
			.parts = plan->parts,
		},
	};
	status = snug_outOfMemory;
	if (AllocateArrays(&builder))
	{
		sgFields_Read(def, &model->tree, &builder.displacements);
		status = BuildAll(&builder, data, bytes);
	}
	ReleaseArrays(&builder);
	return status;
}

// --- Checking -------------------------------------------------------------------------------------------------------

static const char* CheckDisplacements(const sgFields* fields, const sgTree* tree)
{
	const sgFieldsHeader* header = fields->header;
	if (fields->starts[0] != 0 || fields->starts[tree->vertexCount] != header->displacementCount)
	{
		return "its displacements are out of place";
	}
	for (uint32_t v = 0; v < tree->vertexCount; ++v)
	{
		uint32_t first = fields->starts[v], end = fields->starts[v + 1];
		if (end < first || end > header->displacementCount)
		{
			return "a vertex has a wrong number of displacements";
		}
		for (uint32_t k = first; k < end; ++k)
		{
			const float* d = fields->displacements + 3 * (size_t)k;
			bool isOrdered = k == first || fields->fields[k - 1] < fields->fields[k];
			bool isWithin = fabsf(d[0]) <= SNUG_MAX_COORDINATE && fabsf(d[1]) <= SNUG_MAX_COORDINATE &&
			                fabsf(d[2]) <= SNUG_MAX_COORDINATE;
			bool isZero = d[0] == 0.0f && d[1] == 0.0f && d[2] == 0.0f;
			if (!isOrdered || fields->fields[k] >= header->fieldCount || !isWithin || isZero)
			{
				return "a displacement is wrong";
			}
		}
	}
	return NULL;
}

static const char* CompareWithRemade(const snugModel* model, const sgFields* fields, const void* data, size_t bytes)
{
	const sgFieldsHeader* header = fields->header;
	Builder builder = {
		.model = model,
		.allocator = &model->allocator,
		.capacity = header->displacementCount,
		.header = {
			.fieldCount = header->fieldCount,
			.bound = header->bound,
			.volume = header->volume,
			.boundLeaves = header->boundLeaves,
			.contactLevel = header->contactLevel,
			.parts = header->parts,
		},
	};
	const char* fault = "there is no memory to check its displacement fields";
	if (AllocateArrays(&builder))
	{
		size_t count = header->displacementCount, made = 0;
		void* remade = NULL;
		memcpy(builder.displacements.starts, fields->starts, ((size_t)model->tree.vertexCount + 1) * sizeof(uint32_t));
		memcpy(builder.displacements.fields, fields->fields, count * sizeof(uint16_t));
		memcpy(builder.displacements.values, fields->displacements, 3 * count * sizeof(float));
		snugStatus status = BuildAll(&builder, &remade, &made);
		if (status == snug_success)
		{
			fault = made == bytes && memcmp(remade, data, bytes) == 0 ? NULL : "its displacement fields are damaged";
			sgRelease(&model->allocator, remade, made);
		}
	}
	ReleaseArrays(&builder);
	return fault;
}

// Contact nodes need balls of all nodes.
static bool HasRightContacts(const sgFieldsHeader* header)
{
	bool hasBalls = header->parts == sgFields_balls || header->parts == sgFields_meanBalls;
	return header->contactLevel == 0 || (hasBalls && header->boundLeaves == 1);
}

const char* sgFields_Check(const snugModel* model, const void* data, size_t bytes)
{
	const sgFieldsHeader* header = data;
	if (bytes < sizeof(*header) || header->fieldCount < 1 || header->fieldCount > UINT16_MAX ||
	    header->displacementCount > UINT32_MAX / 2 || header->boundLeaves > 1 || header->parts > sgFields_allParts ||
	    !HasRightContacts(header))
	{
		return "its displacement fields have a wrong size";
	}
	sgFieldsHeader right = *header;
	if (sgFields_Layout(model, &right) != bytes || memcmp(right.offsets, header->offsets, sizeof(right.offsets)) != 0)
	{
		return "its displacement fields have a wrong size";
	}
	sgFields fields = sgFields_Bind(data);
	const char* fault = CheckDisplacements(&fields, &model->tree);
	return fault != NULL ? fault : CompareWithRemade(model, &fields, data, bytes);
}
