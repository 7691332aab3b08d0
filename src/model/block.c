// src/model/block.c: see block.h.
#include "model/block.h"

#include "base/checksum.h"
#include "geometry/box_kernels.h"
#include "model/deformer.h"
#include "tree/leaf_kernels.h"

#include <math.h>
#include <string.h>

typedef struct Header
{
	char magic[8];
	uint32_t version;
	uint32_t byteOrder;
	uint64_t bytes;    ///< of the whole block
	uint64_t checksum; ///< of the whole block with this field zero
	uint32_t sectionCount;
	uint32_t reserved[7];
} Header;

typedef struct Entry
{
	uint32_t tag;
	uint32_t reserved;
	uint64_t offset;
	uint64_t bytes;
} Entry;

typedef struct Info
{
	uint32_t deformer;
	uint32_t split;
	uint32_t leafTriangles;
	uint32_t branching;
	uint32_t vertexCount;
	uint32_t triangleCount;
	uint32_t groupCount;
	uint32_t nodeCount;
	uint32_t leafCount;
	uint32_t leafVertexCount;
	uint32_t depth;
	uint32_t reserved;
	uint64_t clusterBytes;
	uint64_t deformBytes;
} Info;

static const char magic[8] = { 's', 'n', 'u', 'g', 'm', 'o', 'd', 'l' };
static const uint32_t byteOrder = 0x01020304;

// Every section, in the order in which they are stored.
typedef enum SectionId
{
	section_info,
	section_positions,
	section_nodes,
	section_leaves,
	section_leafVertices,
	section_triangleMap,
	section_vertexMap,
	section_restBounds,
	section_clusters,
	section_deform,
	SECTION_COUNT,
} SectionId;

static const char sectionTags[SECTION_COUNT][5] = {
	"INFO",
	"POSN",
	"NODE",
	"LEAF",
	"LVTX",
	"TMAP",
	"VMAP",
	"BNDS",
	"CLUS",
	"DEFO",
};

static uint32_t TagOf(SectionId id)
{
	uint32_t tag;
	memcpy(&tag, sectionTags[id], sizeof(tag));
	return tag;
}

// What each section measures, given the counts; the one place that knows.
static void SectionSizes(const Info* info, uint64_t sizes[SECTION_COUNT])
{
	sizes[section_info] = sizeof(Info);
	sizes[section_positions] = (3 * (uint64_t)info->vertexCount + 1) * sizeof(float);
	sizes[section_nodes] = (uint64_t)info->groupCount * SG_LANES * sizeof(sgNode);
	sizes[section_leaves] = (uint64_t)info->leafCount * sizeof(sgLeaf);
	sizes[section_leafVertices] = ((uint64_t)info->leafVertexCount + SG_LANES) * sizeof(uint32_t);
	sizes[section_triangleMap] = (uint64_t)info->triangleCount * sizeof(uint32_t);
	sizes[section_vertexMap] = (uint64_t)info->vertexCount * sizeof(uint32_t);
	sizes[section_restBounds] = (uint64_t)info->groupCount * sizeof(sgBoxLanes);
	sizes[section_clusters] = info->clusterBytes;
	sizes[section_deform] = info->deformBytes;
}

// Offsets of all sections and the size of the block.
static uint64_t PlaceSections(const uint64_t sizes[SECTION_COUNT], uint64_t offsets[SECTION_COUNT])
{
	uint64_t end = sizeof(Header) + SECTION_COUNT * sizeof(Entry);
	for (int i = 0; i < SECTION_COUNT; ++i)
	{
		offsets[i] = (end + SG_ALIGNMENT - 1) / SG_ALIGNMENT * SG_ALIGNMENT;
		end = offsets[i] + sizes[i];
	}
	return (end + SG_ALIGNMENT - 1) / SG_ALIGNMENT * SG_ALIGNMENT;
}

static uint64_t BlockChecksum(const unsigned char* block, size_t bytes)
{
	Header header;
	memcpy(&header, block, sizeof(header));
	header.checksum = 0;
	return sgChecksum(&header, sizeof(header)) ^ (sgChecksum(block + sizeof(header), bytes - sizeof(header)) << 1);
}

static void Bind(snugModel* model, const Info* info, const uint64_t offsets[SECTION_COUNT])
{
	const unsigned char* block = model->block;
	sgTree* tree = &model->tree;
	model->deformer = (snugDeformer)info->deformer;
	model->deform = sgDeform_Find(model->deformer);
	model->treeDef = (snugTreeDef){ (snugSplit)info->split, (int)info->leafTriangles, (int)info->branching };
	tree->groupCount = info->groupCount;
	tree->nodeCount = info->nodeCount;
	tree->leafCount = info->leafCount;
	tree->depth = info->depth;
	tree->triangleCount = info->triangleCount;
	tree->vertexCount = info->vertexCount;
	tree->leafVertexCount = info->leafVertexCount;
	tree->nodes = (const void*)(block + offsets[section_nodes]);
	tree->leaves = (const void*)(block + offsets[section_leaves]);
	tree->leafVertices = (const void*)(block + offsets[section_leafVertices]);
	tree->triangleMap = (const void*)(block + offsets[section_triangleMap]);
	tree->vertexMap = (const void*)(block + offsets[section_vertexMap]);
	model->positions = (const void*)(block + offsets[section_positions]);
	model->restBounds = (const void*)(block + offsets[section_restBounds]);
	model->clusterBytes = (size_t)info->clusterBytes;
	model->deformData = block + offsets[section_deform];
	model->deformBytes = (size_t)info->deformBytes;
}

static void BindClusters(snugModel* model, const void* data)
{
	model->clusters = model->clusterBytes > 0 ? sgClusters_Bind(&model->tree, data) : (sgClusters){ .header = NULL };
}

sgBox sgBlock_RestBox(const snugModel* model, const sgBoxLanes* bounds, uint32_t slot)
{
	const sgTree* tree = &model->tree;
	const sgKernels* kernels = sgGetKernels();
	if (sgTree_IsLeaf(tree, slot))
	{
		sgBoxLanes lanes;
		const sgLeaf* leaf = tree->leaves + tree->nodes[slot].first;
		kernels->leaves->boundLeaves(model->positions, tree->leafVertices, leaf, 1, &lanes, 0);
		return sgBoxLanes_Get(&lanes, 0);
	}
	sgLaneSet children = sgTree_Open(tree, slot);
	return kernels->boxes->mergeBoxes(bounds + children.group, children.mask);
}

static void CopySections(unsigned char* block, const snugModel* model, const uint64_t sizes[SECTION_COUNT],
    const uint64_t offsets[SECTION_COUNT])
{
	const void* const sources[SECTION_COUNT] = {
		[section_positions] = model->positions,
		[section_nodes] = model->tree.nodes,
		[section_leaves] = model->tree.leaves,
		[section_leafVertices] = model->tree.leafVertices,
		[section_triangleMap] = model->tree.triangleMap,
		[section_vertexMap] = model->tree.vertexMap,
		[section_restBounds] = model->restBounds,
		[section_clusters] = model->clusters.header,
		[section_deform] = model->deformData,
	};
	for (int i = 0; i < SECTION_COUNT; ++i)
	{
		if (sources[i] != NULL && sizes[i] > 0)
		{
			memcpy(block + offsets[i], sources[i], sizes[i]);
		}
	}
}

static void WriteHeader(unsigned char* block, uint64_t bytes, const Info* info, const uint64_t sizes[SECTION_COUNT],
    const uint64_t offsets[SECTION_COUNT])
{
	Header header = {
		.version = SG_BLOCK_VERSION,
		.byteOrder = byteOrder,
		.bytes = bytes,
		.sectionCount = SECTION_COUNT,
	};
	memcpy(header.magic, magic, sizeof(magic));
	Entry entries[SECTION_COUNT];
	for (int i = 0; i < SECTION_COUNT; ++i)
	{
		entries[i] = (Entry){ TagOf((SectionId)i), 0, offsets[i], sizes[i] };
	}
	memcpy(block, &header, sizeof(header));
	memcpy(block + sizeof(header), entries, sizeof(entries));
	memcpy(block + offsets[section_info], info, sizeof(*info));
}

snugStatus sgBlock_Make(snugModel* model)
{
	const sgTree* tree = &model->tree;
	Info info = {
		.deformer = (uint32_t)model->deformer,
		.split = (uint32_t)model->treeDef.split,
		.leafTriangles = (uint32_t)model->treeDef.leafTriangles,
		.branching = (uint32_t)model->treeDef.branching,
		.vertexCount = tree->vertexCount,
		.triangleCount = tree->triangleCount,
		.groupCount = tree->groupCount,
		.nodeCount = tree->nodeCount,
		.leafCount = tree->leafCount,
		.leafVertexCount = tree->leafVertexCount,
		.depth = tree->depth,
		.clusterBytes = model->clusterBytes,
		.deformBytes = model->deformBytes,
	};
	uint64_t sizes[SECTION_COUNT], offsets[SECTION_COUNT];
	SectionSizes(&info, sizes);
	uint64_t bytes = PlaceSections(sizes, offsets);
	unsigned char* block = sgAllocate(&model->allocator, (size_t)bytes);
	if (block == NULL)
	{
		return snug_outOfMemory;
	}
	memset(block, 0, (size_t)bytes); // padding too, so that equal models are equal bytes
	WriteHeader(block, bytes, &info, sizes, offsets);
	CopySections(block, model, sizes, offsets);
	uint64_t checksum = BlockChecksum(block, (size_t)bytes);
	memcpy(block + offsetof(Header, checksum), &checksum, sizeof(checksum));
	model->block = block;
	model->bytes = (size_t)bytes;
	Bind(model, &info, offsets);
	BindClusters(model, block + offsets[section_clusters]);
	return snug_success;
}

// Header and table: whether there is something to read at all. Fills in where the sections are.
static const char* CheckHeader(const unsigned char* block, size_t bytes, uint64_t offsets[SECTION_COUNT], Info* info)
{
	Header header;
	Entry entries[SECTION_COUNT];
	memcpy(&header, block, sizeof(header));
	if (header.bytes != bytes || bytes < sizeof(header) + sizeof(entries) + sizeof(Info) ||
	    header.sectionCount != SECTION_COUNT)
	{
		return "it is truncated or its header is wrong";
	}
	if (BlockChecksum(block, bytes) != header.checksum)
	{
		return "its checksum does not match";
	}
	memcpy(entries, block + sizeof(header), sizeof(entries));
	uint64_t infoOffset = entries[section_info].offset;
	if (infoOffset > bytes - sizeof(Info))
	{
		return "a section is out of range";
	}
	memcpy(info, block + infoOffset, sizeof(*info));
	bool goodDef = info->leafTriangles >= 1 && info->leafTriangles <= SG_MAX_LEAF_TRIANGLES &&
	               (info->branching == 2 || info->branching == 4 || info->branching == 8) &&
	               (info->split == snug_splitMedian || info->split == snug_splitSurfaceArea);
	if (!goodDef || sgDeform_Find((snugDeformer)info->deformer) == NULL || info->vertexCount > SNUG_MAX_COUNT ||
	    info->triangleCount > SNUG_MAX_COUNT || info->groupCount > UINT32_MAX / SG_LANES - 1 || info->reserved != 0 ||
	    info->clusterBytes > bytes || info->deformBytes > bytes)
	{
		return "its counts or settings are out of range";
	}
	// Sizes follow from the counts and places from the sizes, so there is only one right table.
	uint64_t sizes[SECTION_COUNT];
	SectionSizes(info, sizes);
	if (PlaceSections(sizes, offsets) != bytes)
	{
		return "its size does not fit its counts";
	}
	for (int i = 0; i < SECTION_COUNT; ++i)
	{
		if (entries[i].tag != TagOf((SectionId)i) || entries[i].offset != offsets[i] || entries[i].bytes != sizes[i])
		{
			return "its table of sections is wrong";
		}
	}
	return NULL;
}

static bool Contains(const sgBox* outer, const sgBox* inner)
{
	for (int axis = 0; axis < 3; ++axis)
	{
		// Written so that NaN is not contained, nor contains; infinite boxes are refused as well.
		if (!(outer->lower[axis] <= inner->lower[axis] && outer->upper[axis] >= inner->upper[axis]))
		{
			return false;
		}
		if (!sgBox_IsEmpty(inner) && !(isfinite(outer->lower[axis]) && isfinite(outer->upper[axis])))
		{
			return false;
		}
	}
	return true;
}

// What the arrays say of each other. The tree's own indices have been checked.
static const char* CheckData(const snugModel* model)
{
	const sgTree* tree = &model->tree;
	if (!sgGetKernels()->boxes->allWithin(model->positions, 3 * (size_t)tree->vertexCount, SNUG_MAX_COORDINATE))
	{
		return "a position is not finite or too large";
	}
	for (uint32_t slot = tree->groupCount * SG_LANES; slot-- > 0;)
	{
		if (tree->nodes[slot].first != SG_NONE)
		{
			sgBox tight = sgBlock_RestBox(model, model->restBounds, slot);
			sgBox stored = sgBoxLanes_Get(model->restBounds + slot / SG_LANES, slot % SG_LANES);
			if (!Contains(&stored, &tight) || sgBox_IsEmpty(&stored) != sgBox_IsEmpty(&tight))
			{
				return "a bound does not contain what is below it";
			}
		}
	}
	if (model->deform->check == NULL)
	{
		return model->deformBytes == 0 ? NULL : "it has deformation data that nothing needs";
	}
	return model->deform->check(model);
}

// Clusters follow from the tree, so there is only one right answer.
static snugStatus CheckClusters(snugModel* model, const void* stored, const char** fault)
{
	if (model->deform->positions != NULL)
	{
		*fault = model->clusterBytes == 0 ? NULL : "it has clusters that nothing needs";
		return snug_success;
	}
	void* made;
	size_t bytes;
	snugStatus status = sgClusters_Build(&model->tree, &model->allocator, &made, &bytes);
	if (status != snug_success)
	{
		return status;
	}
	bool isSame = bytes == model->clusterBytes && memcmp(made, stored, bytes) == 0;
	*fault = isSame ? NULL : "its clusters are wrong";
	sgRelease(&model->allocator, made, bytes);
	BindClusters(model, stored);
	return snug_success;
}

static snugStatus CheckAll(snugModel* model, const void* clusters, const snugMessenger* messenger)
{
	size_t scratchBytes = sgTree_ValidateBytes(&model->tree);
	void* scratch = sgAllocate(&model->allocator, scratchBytes);
	if (scratch == NULL)
	{
		return sgFail(messenger, snug_outOfMemory, "no memory to check a model");
	}
	const char* fault = sgTree_Validate(&model->tree, &model->treeDef, scratch);
	snugStatus status = fault == NULL ? CheckClusters(model, clusters, &fault) : snug_success;
	sgRelease(&model->allocator, scratch, scratchBytes);
	if (status != snug_success)
	{
		return sgFail(messenger, status, "a model cannot be checked: %s", snugGetStatusText(status));
	}
	fault = fault == NULL ? CheckData(model) : fault;
	status = fault == sgNoMemory ? snug_outOfMemory : snug_badFile;
	return fault == NULL ? snug_success : sgFail(messenger, status, "bad model: %s", fault);
}

snugStatus sgBlock_Read(snugModel* model, const void* foreign, size_t bytes, const snugMessenger* messenger)
{
	Header header;
	if (bytes < sizeof(header) || memcmp(foreign, magic, sizeof(magic)) != 0)
	{
		return sgFail(messenger, snug_badFile, "not a snug model");
	}
	memcpy(&header, foreign, sizeof(header));
	if (header.byteOrder != byteOrder)
	{
		return sgFail(messenger, snug_badFile, "the model was made for another byte order");
	}
	if (header.version != SG_BLOCK_VERSION)
	{
		return sgFail(messenger, snug_unsupportedVersion, "the model has format version %u; this library reads %d",
		    header.version, SG_BLOCK_VERSION);
	}
	uint64_t offsets[SECTION_COUNT];
	Info info;
	const char* fault = CheckHeader(foreign, bytes, offsets, &info);
	if (fault != NULL)
	{
		return sgFail(messenger, snug_badFile, "bad model: %s", fault);
	}
	model->bytes = bytes;
	model->block = sgAllocate(&model->allocator, bytes);
	if (model->block == NULL)
	{
		return sgFail(messenger, snug_outOfMemory, "no memory for a model of %zu bytes", bytes);
	}
	memcpy(model->block, foreign, bytes);
	Bind(model, &info, offsets);
	snugStatus status = CheckAll(model, model->block + offsets[section_clusters], messenger);
	if (status != snug_success)
	{
		sgRelease(&model->allocator, model->block, model->bytes);
		model->block = NULL;
	}
	return status;
}
