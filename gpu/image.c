// gpu/image.c: see image.h.
#include "image.h"

#include "deform/bounds/families.h"
#include "deform/skin/linear.h"
#include "geometry/frame.h"
#include "geometry/margins.h"
#include "model/contents.h"

#include <string.h>

/// A model while its image is made.
typedef struct Draft
{
	const snugModel* model;
	const snugAllocator* allocator;
	sgContents contents;
	sgClusters clusters;
	void* clusterData; ///< of a model that has none of its own
	size_t clusterBytes;
	uint32_t jointCount; ///< at least one
	uint32_t recordCount;
	uint32_t* order;        ///< (recordCount): vertices, tree order, or SG_NONE
	uint32_t* firstRecords; ///< of clusters

	sgWeights weights; ///< joints of all vertices, tree order
	size_t startBytes, weightBytes, transformBytes;
	sgFamilies families;

	// Intervals of fields, which grow.
	sgFieldInterval* intervals;
	uint16_t* intervalFields;
	size_t intervalCapacity, fieldCapacity;
	uint32_t intervalCount;
	uint32_t mostShifts; ///< of a group
	uint32_t* firstIntervals;
	int32_t* intervalOf; ///< (fieldCount): of the group that is looked at; -1: none
} Draft;

// ---- Rows -----------------------------------------------------------------------------------------------------------

static bool IsSkin(const Draft* draft)
{
	return draft->contents.influences.places != NULL;
}

static bool HasFields(const Draft* draft)
{
	return draft->contents.displacements.places != NULL;
}

static uint32_t CountEntries(const sgRows* rows, uint32_t vertex)
{
	return rows->places != NULL ? sgRows_CountEntries(rows, vertex) : 0;
}

// Without joints one that stays where it is moves everything.
static bool ReadWeights(Draft* draft)
{
	const sgRows* rows = &draft->contents.influences;
	const uint32_t vertices = draft->model->tree.vertexCount;
	uint64_t count = 0;
	for (uint32_t v = 0; v < vertices; ++v)
	{
		count += IsSkin(draft) ? CountEntries(rows, v) : 1;
	}
	draft->startBytes = ((size_t)vertices + 1) * sizeof(uint32_t);
	draft->weightBytes = (size_t)count * sizeof(float);
	draft->transformBytes = (size_t)count * sizeof(uint16_t);
	draft->weights.starts = sgAllocate(draft->allocator, draft->startBytes);
	draft->weights.weights = sgAllocate(draft->allocator, draft->weightBytes);
	draft->weights.transforms = sgAllocate(draft->allocator, draft->transformBytes);
	if (draft->weights.starts == NULL || draft->weights.weights == NULL || draft->weights.transforms == NULL)
	{
		return false;
	}
	uint32_t at = 0;
	for (uint32_t v = 0; v < vertices; ++v)
	{
		draft->weights.starts[v] = at;
		const sgRow row = IsSkin(draft) ? sgRows_Get(rows, v) : (sgRow){ 0 };
		for (uint32_t j = 0; j < row.count; ++j)
		{
			if (sgRow_Has(&row, 1, j))
			{
				draft->weights.transforms[at] = row.numbers[j];
				draft->weights.weights[at++] = row.values[(size_t)j * SG_LANES];
			}
		}
		if (!IsSkin(draft))
		{
			draft->weights.transforms[at] = 0;
			draft->weights.weights[at++] = 1.0f;
		}
	}
	draft->weights.starts[vertices] = at;
	return true;
}

static snugStatus MakeFamilies(Draft* draft)
{
	const sgLinearHeader header = {
		.rows = { .entries = draft->weights.starts[draft->model->tree.vertexCount] },
		.transformCount = draft->jointCount,
	};
	const sgBounded bounded = {
		.weights = &draft->weights,
		.count = draft->jointCount,
		.evaluation = sgLinear_Roundings(draft->contents.maxInfluences),
		.stepsOfEight = 1.0,
		.isLocal = true,
		.isRootAlone = true,
	};
	return sgFamilies_Make(draft->model, &header, &bounded, &draft->families);
}

// ---- Vertices -------------------------------------------------------------------------------------------------------

static uint32_t InOctets(uint32_t count)
{
	return (count + SG_LANES - 1) / SG_LANES * SG_LANES;
}

// Those of clusters, one after the other; then those of no triangle. All in octets.
static bool OrderVertices(Draft* draft)
{
	const sgClusterHeader* header = draft->clusters.header;
	const uint32_t unused = draft->model->tree.vertexCount - header->usedCount;
	draft->recordCount = InOctets(unused);
	for (uint32_t i = 0; i < header->count; ++i)
	{
		draft->recordCount += InOctets(draft->clusters.clusters[i].vertexCount);
	}
	draft->order = sgAllocate(draft->allocator, (size_t)draft->recordCount * sizeof(uint32_t));
	draft->firstRecords = sgAllocate(draft->allocator, (size_t)header->count * sizeof(uint32_t));
	if (draft->order == NULL || draft->firstRecords == NULL)
	{
		return false;
	}
	memset(draft->order, 0xff, (size_t)draft->recordCount * sizeof(uint32_t));
	uint32_t at = 0;
	for (uint32_t i = 0; i < header->count; ++i)
	{
		const sgCluster* cluster = draft->clusters.clusters + i;
		draft->firstRecords[i] = at;
		for (uint32_t v = 0; v < cluster->vertexCount; ++v)
		{
			draft->order[at + v] = draft->clusters.vertices[cluster->firstVertex + v];
		}
		at += InOctets(cluster->vertexCount);
	}
	for (uint32_t i = 0; i < unused; ++i)
	{
		draft->order[at + i] = header->usedCount + i;
	}
	return true;
}

// ---- Intervals of fields --------------------------------------------------------------------------------------------

static bool FindInterval(Draft* draft, uint16_t field, sgFieldInterval** out)
{
	if (draft->intervalOf[field] < 0)
	{
		const size_t count = draft->intervalCount;
		if (!sgGrow(draft->allocator, (void**)&draft->intervals, &draft->intervalCapacity, count, 1,
		        sizeof(sgFieldInterval)) ||
		    !sgGrow(
		        draft->allocator, (void**)&draft->intervalFields, &draft->fieldCapacity, count, 1, sizeof(uint16_t)))
		{
			return false;
		}
		memset(draft->intervals + count, 0, sizeof(sgFieldInterval));
		draft->intervalFields[count] = field;
		draft->intervalOf[field] = (int32_t)draft->intervalCount++;
	}
	*out = draft->intervals + draft->intervalOf[field];
	return true;
}

// Intervals begin at zero, which is what a field does to vertices that it does not move: where it moves all, they are a
// little wider than they must be.
static bool AddVertex(Draft* draft, uint32_t vertex, uint32_t lane)
{
	const sgRow row = sgRows_Get(&draft->contents.displacements, vertex);
	for (uint32_t j = 0; j < row.count; ++j)
	{
		sgFieldInterval* interval;
		if (!sgRow_Has(&row, 3, j))
		{
			continue;
		}
		if (!FindInterval(draft, row.numbers[j], &interval))
		{
			return false;
		}
		for (uint32_t axis = 0; axis < 3; ++axis)
		{
			const float d = row.values[((size_t)j * 3 + axis) * SG_LANES];
			float *lower = interval->lower[axis].lane + lane, *upper = interval->upper[axis].lane + lane;
			*lower = d < *lower ? d : *lower;
			*upper = d > *upper ? d : *upper;
		}
	}
	return true;
}

static bool AddGroup(Draft* draft, uint32_t group)
{
	const sgTree* tree = &draft->model->tree;
	const sgLaneSet family = sgTree_Family(tree, group * SG_LANES);
	const uint32_t before = draft->intervalCount;
	memset(draft->intervalOf, 0xff, draft->contents.fieldCount * sizeof(int32_t));
	for (uint32_t rest = sgLinear_BoundedLanes(family); rest != 0; rest &= rest - 1)
	{
		const uint32_t lane = sgLowestBit(rest);
		const sgLeafRange range = sgTree_LeavesBelow(tree, group * SG_LANES + lane);
		const sgLeaf* last = tree->leaves + range.last;
		for (uint32_t i = tree->leaves[range.first].firstVertex; i < last->firstVertex + last->vertexCount; ++i)
		{
			if (!AddVertex(draft, tree->leafVertices[i], lane))
			{
				return false;
			}
		}
	}
	const uint32_t own = draft->intervalCount - before;
	draft->mostShifts = own > draft->mostShifts ? own : draft->mostShifts;
	return true;
}

static bool MakeIntervals(Draft* draft)
{
	const uint32_t groups = draft->model->tree.groupCount;
	draft->firstIntervals = sgAllocate(draft->allocator, ((size_t)groups + 1) * sizeof(uint32_t));
	draft->intervalOf = sgAllocate(draft->allocator, draft->contents.fieldCount * sizeof(int32_t));
	bool isGood = draft->firstIntervals != NULL && draft->intervalOf != NULL;
	for (uint32_t group = 0; group <= groups && isGood; ++group)
	{
		draft->firstIntervals[group] = draft->intervalCount;
		isGood = !HasFields(draft) || group == groups || AddGroup(draft, group);
	}
	return isGood;
}

// ---- Writing --------------------------------------------------------------------------------------------------------

/// The arrays of an image, while they are written.
typedef struct Arrays
{
	sgNode* nodes;
	sgLeafImage* leaves;
	uint32_t* triangleMap;
	sgGroupImage* groupImages;
	sgVertexImage* vertices;
	uint32_t* octets;
	uint16_t* octetJoints;
	sgLaneFloats* octetWeights;
	uint32_t* firstShifts;
	sgShiftImage* shifts;
	uint16_t* joints;
	sgCommonImage* commons;
	sgPartImage* parts;
	uint16_t* partJoints;
	uint16_t* intervalFields;
	sgFieldInterval* intervals;
	float* most;
	float* palette;
} Arrays;

enum
{
	ARRAY_COUNT = 18
};

static uint64_t CountShifts(const Draft* draft)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < draft->recordCount && HasFields(draft); ++i)
	{
		count += draft->order[i] != SG_NONE ? CountEntries(&draft->contents.displacements, draft->order[i]) : 0;
	}
	return count;
}

// Joints of eight vertices, ascending, as each vertex has its own, and what they weigh.
// @param out nullable
// @return how many
static uint32_t MergeOctet(const Draft* draft, uint32_t octet, const Arrays* out, uint32_t at)
{
	const uint32_t* vertices = draft->order + (size_t)octet * SG_LANES;
	uint32_t cursors[SG_LANES], ends[SG_LANES], count = 0;
	for (uint32_t lane = 0; lane < SG_LANES; ++lane)
	{
		const bool isThere = vertices[lane] != SG_NONE && IsSkin(draft);
		cursors[lane] = isThere ? draft->weights.starts[vertices[lane]] : 0;
		ends[lane] = isThere ? draft->weights.starts[vertices[lane] + 1] : 0;
	}
	for (;; ++count)
	{
		uint32_t joint = SG_NONE;
		for (uint32_t lane = 0; lane < SG_LANES; ++lane)
		{
			const uint32_t next = cursors[lane] < ends[lane] ? draft->weights.transforms[cursors[lane]] : SG_NONE;
			joint = next < joint ? next : joint;
		}
		if (joint == SG_NONE)
		{
			return count;
		}
		for (uint32_t lane = 0; lane < SG_LANES; ++lane)
		{
			if (cursors[lane] < ends[lane] && draft->weights.transforms[cursors[lane]] == joint)
			{
				if (out != NULL)
				{
					out->octetJoints[at + count] = (uint16_t)joint;
					out->octetWeights[at + count].lane[lane] = draft->weights.weights[cursors[lane]];
				}
				++cursors[lane];
			}
		}
	}
}

static uint64_t CountInfluences(const Draft* draft)
{
	uint64_t count = 0;
	for (uint32_t octet = 0; octet < draft->recordCount / SG_LANES; ++octet)
	{
		count += MergeOctet(draft, octet, NULL, 0);
	}
	return count;
}

static const sgLinearFamily* FamilyOf(const Draft* draft, uint32_t group)
{
	const uint32_t first = draft->families.firstFamilies[group];
	return first != SG_NONE ? draft->families.families + first : NULL;
}

static const sgLinearCommon* CommonOf(const Draft* draft, const sgLinearFamily* family)
{
	return (const sgLinearCommon*)(const void*)(draft->families.values + family->values);
}

static uint32_t NumberCount(const sgLinearFamily* family)
{
	return (uint32_t)sgLinearFamily_Numbers(family);
}

// Entries of nodes have a lane for each; those of the root, which is alone, have eight joints side by side.
// @param out nullable; receives the part
// @return whether the joint moves anything of the node
static bool ReadPart(const Draft* draft, const sgLinearFamily* family, uint32_t node, uint32_t joint, sgPartImage* out)
{
	const bool isAcross = family->isAcross != sgAcross_nodes;
	const sgLocalEntry* entries = (const sgLocalEntry*)(const void*)(CommonOf(draft, family) + 1);
	const sgLocalEntry* entry = entries + (isAcross ? joint / SG_LANES : joint);
	const uint32_t lane = isAcross ? joint % SG_LANES : node;
	const float low = entry->range.low.lane[lane], spread = entry->range.spread.lane[lane];
	if (out != NULL)
	{
		const sgLaneFloats *center = entry->center, *half = entry->half;
		out->range = (sgFloat4){ low, spread, center[0].lane[lane], center[1].lane[lane] };
		out->box = (sgFloat4){ center[2].lane[lane], half[0].lane[lane], half[1].lane[lane], half[2].lane[lane] };
	}
	return low + spread > 0.0f;
}

static uint64_t CountParts(const Draft* draft)
{
	const sgTree* tree = &draft->model->tree;
	uint64_t count = draft->jointCount;
	for (uint32_t group = 1; group < tree->groupCount; ++group)
	{
		const sgLinearFamily* family = FamilyOf(draft, group);
		uint32_t rest = sgLinear_BoundedLanes(sgTree_Family(tree, group * SG_LANES));
		for (; family != NULL && rest != 0; rest &= rest - 1)
		{
			for (uint32_t joint = 0; joint < NumberCount(family); ++joint)
			{
				count += ReadPart(draft, family, sgLowestBit(rest), joint, NULL);
			}
		}
	}
	return count;
}

static void ListArrays(const Draft* draft, sgArray list[ARRAY_COUNT])
{
	const sgTree* tree = &draft->model->tree;
	const uint64_t parts = CountParts(draft), influences = CountInfluences(draft);
	const uint64_t records = (uint64_t)draft->recordCount + 1;
	const sgArray arrays[ARRAY_COUNT] = {
		{ SG_ARRAY(Arrays, nodes, (uint64_t)tree->groupCount * SG_LANES) },
		{ SG_ARRAY(Arrays, leaves, tree->leafCount) },
		{ SG_ARRAY(Arrays, triangleMap, tree->triangleCount) },
		{ SG_ARRAY(Arrays, groupImages, tree->groupCount) },
		{ SG_ARRAY(Arrays, vertices, records) },
		{ SG_ARRAY(Arrays, octets, draft->recordCount / SG_LANES + 1) },
		{ SG_ARRAY(Arrays, octetJoints, influences + 1) },
		{ SG_ARRAY(Arrays, octetWeights, influences + 1) },
		{ SG_ARRAY(Arrays, firstShifts, records) },
		{ SG_ARRAY(Arrays, shifts, CountShifts(draft) + 1) },
		{ SG_ARRAY(Arrays, joints, (uint64_t)draft->families.entryCount + 1) },
		{ SG_ARRAY(Arrays, commons, tree->groupCount) },
		{ SG_ARRAY(Arrays, parts, parts + 1) },
		{ SG_ARRAY(Arrays, partJoints, parts + 1) },
		{ SG_ARRAY(Arrays, intervalFields, (uint64_t)draft->intervalCount + 1) },
		{ SG_ARRAY(Arrays, intervals, (uint64_t)draft->intervalCount + 1) },
		{ SG_ARRAY(Arrays, most, 3 * (uint64_t)draft->contents.fieldCount + 1) },
		{ SG_ARRAY(Arrays, palette, 12 * (uint64_t)draft->jointCount) },
	};
	memcpy(list, arrays, sizeof(arrays));
}

static void CopyArray(void* to, const void* from, size_t bytes)
{
	if (bytes > 0)
	{
		memcpy(to, from, bytes);
	}
}

static void WriteLeaves(const Draft* draft, const Arrays* out)
{
	const sgTree* tree = &draft->model->tree;
	for (uint32_t i = 0; i < tree->leafCount; ++i)
	{
		const sgLeaf* leaf = tree->leaves + i;
		out->leaves[i] = (sgLeafImage){ .firstTriangle = leaf->firstTriangle, .triangleCount = leaf->triangleCount };
		for (uint32_t k = 0; k < 3 * SG_LANES && leaf->triangleCount > 0; ++k)
		{
			const uint32_t triangle = k % SG_LANES, vertex = leaf->corners[k / SG_LANES][triangle];
			out->leaves[i].corners[triangle / 4][triangle % 4] |= draft->clusters.places[leaf->firstVertex + vertex]
			                                                      << 8 * (k / SG_LANES);
		}
	}
}

// The root has a part for each joint, empty for those that move nothing.
static void WriteRoot(const Draft* draft, const Arrays* out)
{
	const sgLinearFamily* family = FamilyOf(draft, 0);
	for (uint32_t joint = 0; family != NULL && joint < NumberCount(family); ++joint)
	{
		sgPartImage part;
		if (ReadPart(draft, family, 0, joint, &part))
		{
			out->parts[draft->families.entryTransforms[family->firstEntry + joint]] = part;
		}
	}
}

static void WriteParts(
    const Draft* draft, const Arrays* out, uint32_t group, sgGroupImage* image, uint32_t* joints, uint32_t* parts)
{
	const sgLinearFamily* family = FamilyOf(draft, group);
	const uint32_t inner = image->mask & ~image->leafMask;
	image->firstJoint = *joints;
	image->firstParts[0] = *parts;
	if (family != NULL)
	{
		SG_CHECK(family->kind == sgLinear_local);
		SG_CHECK((family->isAcross != sgAcross_nodes) == (group == 0));
		out->commons[group].slack = CommonOf(draft, family)->slack;
		out->commons[group].error = CommonOf(draft, family)->error;
	}
	image->jointCount = family != NULL && group > 0 ? NumberCount(family) : 0;
	CopyArray(out->joints + *joints, draft->families.entryTransforms + (family != NULL ? family->firstEntry : 0),
	    image->jointCount * sizeof(uint16_t));
	*joints += image->jointCount;
	for (uint32_t node = 0; node < SG_LANES; ++node)
	{
		for (uint32_t joint = 0; joint < image->jointCount && (inner >> node & 1) != 0; ++joint)
		{
			out->partJoints[*parts] = (uint16_t)joint;
			*parts += ReadPart(draft, family, node, joint, out->parts + *parts);
		}
		float sum = 0x1p-20f;
		for (uint32_t part = image->firstParts[node]; part < *parts; ++part)
		{
			sum += 2.0f * out->parts[part].range[0] + out->parts[part].range[1];
		}
		out->commons[group].inverse.lane[node] = 1.0f / sum;
		image->firstParts[node + 1] = *parts;
	}
}

static void WriteGroups(const Draft* draft, const Arrays* out)
{
	uint32_t joints = 0, parts = draft->jointCount;
	WriteRoot(draft, out);
	const sgTree* tree = &draft->model->tree;
	for (uint32_t group = 0; group < tree->groupCount; ++group)
	{
		const sgLaneSet family = sgTree_Family(tree, group * SG_LANES);
		sgGroupImage image = { .mask = family.mask, .leafMask = family.leafMask };
		WriteParts(draft, out, group, &image, &joints, &parts);
		if (family.leafMask != 0)
		{
			const uint32_t leaf = tree->nodes[group * SG_LANES + sgLowestBit(family.leafMask)].first;
			const uint32_t cluster = draft->clusters.ofLeaf[leaf];
			image.firstVertex = draft->firstRecords[cluster];
			image.vertexCount = draft->clusters.clusters[cluster].vertexCount;
		}
		image.firstShift = draft->firstIntervals[group];
		image.shiftCount = draft->firstIntervals[group + 1] - image.firstShift;
		out->groupImages[group] = image;
	}
}

static uint32_t WriteShifts(const Draft* draft, const Arrays* out, uint32_t vertex, uint32_t at)
{
	const sgRow row = sgRows_Get(&draft->contents.displacements, vertex);
	for (uint32_t j = 0; j < row.count; ++j)
	{
		if (!sgRow_Has(&row, 3, j))
		{
			continue;
		}
		sgShiftImage* shift = out->shifts + at++;
		shift->field = row.numbers[j];
		for (uint32_t axis = 0; axis < 3; ++axis)
		{
			const float d = row.values[((size_t)j * 3 + axis) * SG_LANES], size = d < 0.0f ? -d : d;
			float* most = out->most + 3 * (size_t)shift->field + axis;
			shift->displacement[axis] = d;
			*most = size > *most ? size : *most;
		}
	}
	return at;
}

static void WriteVertices(const Draft* draft, const Arrays* out)
{
	const snugModel* model = draft->model;
	uint32_t influences = 0, shifts = 0;
	for (uint32_t i = 0; i < draft->recordCount; ++i)
	{
		const uint32_t vertex = draft->order[i];
		const bool isThere = vertex != SG_NONE;
		out->vertices[i].caller = isThere ? model->tree.vertexMap[vertex] : SG_NONE;
		if (isThere)
		{
			memcpy(out->vertices[i].position, model->positions + 3 * (size_t)vertex, 3 * sizeof(float));
		}
		if (i % SG_LANES == 0)
		{
			out->octets[i / SG_LANES] = influences;
			influences += MergeOctet(draft, i / SG_LANES, out, influences);
		}
		out->firstShifts[i] = shifts;
		shifts = HasFields(draft) && isThere ? WriteShifts(draft, out, vertex, shifts) : shifts;
	}
	out->octets[draft->recordCount / SG_LANES] = influences;
	out->firstShifts[draft->recordCount] = shifts;
}

static void WriteArrays(const Draft* draft, const Arrays* out)
{
	const sgTree* tree = &draft->model->tree;
	CopyArray(out->nodes, tree->nodes, (size_t)tree->groupCount * SG_LANES * sizeof(sgNode));
	CopyArray(out->triangleMap, tree->triangleMap, (size_t)tree->triangleCount * sizeof(uint32_t));
	CopyArray(out->intervals, draft->intervals, draft->intervalCount * sizeof(sgFieldInterval));
	CopyArray(out->intervalFields, draft->intervalFields, draft->intervalCount * sizeof(uint16_t));
	WriteLeaves(draft, out);
	WriteGroups(draft, out);
	WriteVertices(draft, out);
	for (uint32_t j = 0; j < draft->jointCount; ++j)
	{
		out->palette[12 * j] = out->palette[12 * j + 5] = out->palette[12 * j + 10] = 1.0f;
	}
}

static uint32_t MostFields(const Draft* draft)
{
	uint32_t most = 0;
	for (uint32_t v = 0; v < draft->model->tree.vertexCount && HasFields(draft); ++v)
	{
		const uint32_t count = CountEntries(&draft->contents.displacements, v);
		most = count > most ? count : most;
	}
	return most;
}

static void FillImage(const Draft* draft, const Arrays* at, sgUploaded* out)
{
	const snugModel* model = draft->model;
	sgImage* image = &out->image;
	const double turned = 2.0 * sgLinear_Roundings(draft->contents.maxInfluences) + SG_MARGIN_TURNED_ENTRIES;
	const double fields = SG_MARGIN_MORPH(draft->mostShifts) + SG_MARGIN_FIELDS(MostFields(draft));
	*image = (sgImage){
		.isSkin = IsSkin(draft) ? 1 : 0,
		.groupCount = model->tree.groupCount,
		.jointCount = draft->jointCount,
		.fieldCount = draft->contents.fieldCount,
		.vertexCount = model->tree.vertexCount,
		.recordCount = draft->recordCount,
		.turnedError = sgRoundUp(SG_MARGIN_SQUARES * 0x1p-24 * turned),
		.fieldError = sgRoundUp(SG_MARGIN_SQUARES * 0x1p-24 * fields),
		.nodes = at->nodes,
		.leaves = at->leaves,
		.triangleMap = at->triangleMap,
		.groupImages = at->groupImages,
		.vertices = at->vertices,
		.octets = at->octets,
		.octetJoints = at->octetJoints,
		.octetWeights = at->octetWeights,
		.firstShifts = at->firstShifts,
		.shifts = at->shifts,
		.joints = at->joints,
		.commons = at->commons,
		.parts = at->parts,
		.partJoints = at->partJoints,
		.intervalFields = at->intervalFields,
		.intervals = at->intervals,
		.most = at->most,
		.palettes = at->palette,
	};
	sgModel_FindReach(model, image->fieldReach);
	const sgLinearHeader* header = IsSkin(draft) ? model->deformData : NULL;
	memcpy(image->restReach, header != NULL ? header->reach : image->fieldReach, sizeof(image->restReach));
	out->levels = 0;
	for (uint32_t slot = 0; slot < model->tree.groupCount * SG_LANES; ++slot)
	{
		const uint32_t level = model->tree.nodes[slot].first != SG_NONE ? model->tree.nodes[slot].level : 0;
		out->levels = level > out->levels ? level : out->levels;
	}
	out->mostCorners = 1;
	for (uint32_t i = 0; i < draft->clusters.header->count; ++i)
	{
		const uint32_t count = draft->clusters.clusters[i].vertexCount;
		out->mostCorners = count > out->mostCorners ? count : out->mostCorners;
	}
}

// Arrays lie on the device as they do here.
static snugStatus Write(const Draft* draft, snugDevice* device, sgUploaded* out)
{
	sgArray list[ARRAY_COUNT];
	Arrays here, there;
	ListArrays(draft, list);
	out->bytes = sgArrays_Bytes(0, list, ARRAY_COUNT);
	void* memory = sgAllocate(draft->allocator, out->bytes);
	out->memory = device->methods->allocate(device, out->bytes);
	if (memory == NULL || out->memory == NULL)
	{
		sgRelease(draft->allocator, memory, memory != NULL ? out->bytes : 0);
		return snug_outOfMemory;
	}
	memset(memory, 0, out->bytes);
	sgArrays_Bind(0, list, ARRAY_COUNT, memory, &here);
	sgArrays_Bind(0, list, ARRAY_COUNT, out->memory, &there);
	WriteArrays(draft, &here);
	FillImage(draft, &there, out);
	device->methods->upload(device, out->memory, memory, out->bytes);
	sgRelease(draft->allocator, memory, out->bytes);
	return snug_success;
}

static snugStatus Make(Draft* draft, snugDevice* device, sgUploaded* out)
{
	const snugModel* model = draft->model;
	draft->clusters = model->clusters;
	if (draft->clusters.header == NULL)
	{
		const snugStatus status =
		    sgClusters_Build(&model->tree, draft->allocator, NULL, &draft->clusterData, &draft->clusterBytes);
		if (status != snug_success)
		{
			return status;
		}
		draft->clusters = sgClusters_Bind(&model->tree, draft->clusterData);
	}
	if (!ReadWeights(draft) || !OrderVertices(draft) || !MakeIntervals(draft))
	{
		return snug_outOfMemory;
	}
	const snugStatus status = MakeFamilies(draft);
	return status == snug_success ? Write(draft, device, out) : status;
}

static void ReleaseDraft(Draft* draft)
{
	const snugAllocator* allocator = draft->allocator;
	sgRelease(allocator, draft->order, (size_t)draft->recordCount * sizeof(uint32_t));
	sgRelease(allocator, draft->firstRecords,
	    draft->clusters.header != NULL ? (size_t)draft->clusters.header->count * sizeof(uint32_t) : 0);
	sgRelease(allocator, draft->weights.starts, draft->startBytes);
	sgRelease(allocator, draft->weights.weights, draft->weightBytes);
	sgRelease(allocator, draft->weights.transforms, draft->transformBytes);
	sgFamilies_Release(&draft->families, &draft->model->allocator);
	sgRelease(allocator, draft->intervals, draft->intervalCapacity * sizeof(sgFieldInterval));
	sgRelease(allocator, draft->intervalFields, draft->fieldCapacity * sizeof(uint16_t));
	sgRelease(allocator, draft->firstIntervals, ((size_t)draft->model->tree.groupCount + 1) * sizeof(uint32_t));
	sgRelease(allocator, draft->intervalOf, draft->contents.fieldCount * sizeof(int32_t));
	sgRelease(allocator, draft->clusterData, draft->clusterBytes);
}

snugStatus sgImage_Upload(snugDevice* device, const snugModel* model, sgUploaded* out)
{
	*out = (sgUploaded){ .memory = NULL };
	const struct sgDeform* deform = model->deform;
	const bool isLinear = deform->deformer == snug_skin && deform->blending == snug_blendLinear;
	if (deform->deformer != snug_rigid && deform->deformer != snug_fields && !isLinear)
	{
		return snug_badInput;
	}
	Draft draft = { .model = model, .allocator = &device->allocator, .contents = sgModel_Describe(model) };
	draft.jointCount = draft.contents.jointCount > 0 ? draft.contents.jointCount : 1;
	const sgFpEnv environment = sgFpEnv_Enter();
	const snugStatus status = Make(&draft, device, out);
	sgFpEnv_Leave(environment);
	ReleaseDraft(&draft);
	return status;
}

void sgUploaded_Release(sgUploaded* uploaded, snugDevice* device)
{
	if (uploaded->memory != NULL)
	{
		device->methods->release(device, uploaded->memory, uploaded->bytes);
	}
	*uploaded = (sgUploaded){ .memory = NULL };
}
