// src/model/block.c: see block.h.
#include "model/block.h"

#include "base/arrays.h"
#include "base/checksum.h"
#include "base/team.h"
#include "model/deformer.h"
#include "model/rest.h"

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
SG_STORED(Header, 64);

typedef struct Entry
{
	uint32_t tag;
	uint32_t reserved;
	uint64_t offset;
	uint64_t bytes;
} Entry;
SG_STORED(Entry, 24);

typedef struct Info
{
	uint32_t deformer;
	uint32_t leafTriangles;
	uint32_t vertexCount;
	uint32_t triangleCount;
	uint32_t groupCount;
	uint32_t nodeCount;
	uint32_t leafCount;
	uint32_t leafVertexCount;
	uint32_t depth;
	uint32_t extras; ///< 1 if there are twins, and twice the number of frequencies
	uint64_t clusterBytes;
	uint64_t deformBytes;
	uint64_t certificateBytes; ///< where it is zero, its bytes are those of padding behind a shorter section
} Info;
SG_STORED(Info, 64);

static const char magic[8] = { 's', 'n', 'u', 'g', 'm', 'o', 'd', 'l' };
static const uint32_t byteOrder = 0x01020304;

// Every section but the first, INFO, in the order in which they are stored.
enum
{
	SECTION_COUNT = 12, ///< the last two are left out where they are empty
	ENTRY_COUNT = SECTION_COUNT + 1,
	INFO_OFFSET = 384, ///< behind header and table, aligned
	DATA_OFFSET = INFO_OFFSET + sizeof(Info),
};
_Static_assert(sizeof(Header) + ENTRY_COUNT * sizeof(Entry) <= INFO_OFFSET && INFO_OFFSET % SG_ALIGNMENT == 0,
    "header and table fit");

static const char tags[ENTRY_COUNT][5] = {
	"INFO",
	"POSN",
	"NODE",
	"LEAF",
	"LVTX",
	"TMAP",
	"VMAP",
	"TWIN",
	"BNDS",
	"CLUS",
	"DEFO",
	"FREQ",
	"CERT",
};

static bool HasTwins(const Info* info)
{
	return (info->extras & 1) != 0;
}

static uint32_t CountFrequencies(const Info* info)
{
	return info->extras >> 1;
}

// Models without certificates have one section less, and without frequencies two, and so the bytes that they had before
// there were any.
static int CountSections(const Info* info)
{
	const bool hasCertificates = info->certificateBytes > 0;
	return SECTION_COUNT - !hasCertificates - (!hasCertificates && CountFrequencies(info) == 0);
}

static uint64_t InfoBytes(const Info* info)
{
	return info->certificateBytes > 0 ? sizeof(Info) : offsetof(Info, certificateBytes);
}

// What a model points to. Numbers that only the tree understands are checked with it.
static void ListSections(const Info* info, sgArray list[SECTION_COUNT])
{
	const sgArray sections[SECTION_COUNT] = {
		{ SG_ARRAY(snugModel, positions, 3 * (uint64_t)info->vertexCount + 1), sgElements_floats,
		    (double)SNUG_MAX_COORDINATE, "a position is not finite or too large" },
		{ SG_ARRAY(snugModel, tree.nodes, (uint64_t)info->groupCount * SG_LANES) },
		{ SG_ARRAY(snugModel, tree.leaves, info->leafCount) },
		{ SG_ARRAY(snugModel, tree.leafVertices, (uint64_t)info->leafVertexCount + SG_LANES) },
		{ SG_ARRAY(snugModel, tree.triangleMap, info->triangleCount) },
		{ SG_ARRAY(snugModel, tree.vertexMap, info->vertexCount) },
		{ SG_ARRAY(snugModel, twins, HasTwins(info) ? info->vertexCount : 0) },
		{ SG_ARRAY(snugModel, restBounds, info->groupCount) },
		{ .place = offsetof(snugModel, clusters.header), .size = 1, .count = info->clusterBytes },
		{ .place = offsetof(snugModel, deformData), .size = 1, .count = info->deformBytes },
		{ SG_ARRAY(snugModel, frequencies, CountFrequencies(info)), sgElements_floats, (double)SNUG_MAX_COORDINATE,
		    "a frequency is not finite or too large" },
		{ .place = offsetof(snugModel, certificateData), .size = 1, .count = info->certificateBytes },
	};
	memcpy(list, sections, sizeof(sections));
}

static uint64_t BlockChecksum(const unsigned char* block, size_t bytes)
{
	Header header;
	memcpy(&header, block, sizeof(header));
	header.checksum = 0;
	return sgChecksum(&header, sizeof(header)) ^ (sgChecksum(block + sizeof(header), bytes - sizeof(header)) << 1);
}

// The table follows from the counts.
static void MakeTable(const Info* info, Entry entries[ENTRY_COUNT])
{
	sgArray list[SECTION_COUNT];
	uint64_t offsets[SECTION_COUNT];
	int count = CountSections(info);
	ListSections(info, list);
	sgArrays_Place(DATA_OFFSET, list, count, offsets);
	for (int i = 0; i <= count; ++i)
	{
		entries[i] = (Entry){ .offset = INFO_OFFSET, .bytes = InfoBytes(info) };
		if (i > 0)
		{
			entries[i] = (Entry){ .offset = offsets[i - 1], .bytes = list[i - 1].count * list[i - 1].size };
		}
		memcpy(&entries[i].tag, tags[i], sizeof(entries[i].tag));
	}
}

static size_t BlockBytes(const Info* info)
{
	sgArray list[SECTION_COUNT];
	ListSections(info, list);
	return sgArrays_Bytes(DATA_OFFSET, list, CountSections(info));
}

// Point a model at its block. Clusters are found in a second step, when the size of theirs is known to be right.
static void Bind(snugModel* model, const Info* info)
{
	sgTree* tree = &model->tree;
	sgArray list[SECTION_COUNT];
	ListSections(info, list);
	model->frequencies = NULL;
	model->certificateData = NULL;
	model->certificateBytes = (size_t)info->certificateBytes;
	model->frequencyCount = CountFrequencies(info);
	sgArrays_Bind(DATA_OFFSET, list, CountSections(info), model->block, model);
	model->deform = sgDeform_At(info->deformer);
	model->treeDef = (snugTreeDef){ .leafTriangles = (int)info->leafTriangles };
	tree->groupCount = info->groupCount;
	tree->nodeCount = info->nodeCount;
	tree->leafCount = info->leafCount;
	tree->depth = info->depth;
	tree->triangleCount = info->triangleCount;
	tree->vertexCount = info->vertexCount;
	tree->leafVertexCount = info->leafVertexCount;
	model->twins = HasTwins(info) ? model->twins : NULL;
	model->clusterBytes = (size_t)info->clusterBytes;
	model->deformBytes = (size_t)info->deformBytes;
}

static void BindClusters(snugModel* model)
{
	const void* data = model->clusters.header;
	model->clusters = model->clusterBytes > 0 ? sgClusters_Bind(&model->tree, data) : (sgClusters){ .header = NULL };
}

static void WriteStart(unsigned char* block, uint64_t bytes, const Info* info)
{
	Header header = {
		.version = SG_BLOCK_VERSION,
		.byteOrder = byteOrder,
		.bytes = bytes,
		.sectionCount = (uint32_t)CountSections(info) + 1,
	};
	memcpy(header.magic, magic, sizeof(magic));
	Entry entries[ENTRY_COUNT];
	MakeTable(info, entries);
	memset(block, 0, INFO_OFFSET);
	memcpy(block, &header, sizeof(header));
	memcpy(block + sizeof(header), entries, header.sectionCount * sizeof(Entry));
	memcpy(block + INFO_OFFSET, info, sizeof(*info));
}

/// Bytes that are copied at a time when several threads share the work.
#define CHUNK ((size_t)1 << 20)

typedef struct Copying
{
	unsigned char* block;
	size_t bytes;
	int count; ///< of sections
	uint64_t offsets[SECTION_COUNT], sizes[SECTION_COUNT];
	const unsigned char* from[SECTION_COUNT];
} Copying;

// A piece of the block: what of each section is in it, and zeros between, so that equal models are equal bytes.
static void CopyChunk(void* context, uint32_t worker, uint32_t chunk)
{
	const Copying* c = context;
	size_t first = chunk * CHUNK, end = c->bytes - first < CHUNK ? c->bytes : first + CHUNK, done = first;
	(void)worker;
	for (int i = 0; i < c->count; ++i)
	{
		size_t start = (size_t)c->offsets[i], stop = start + (size_t)c->sizes[i];
		size_t from = start > done ? start : done, to = stop < end ? stop : end;
		if (c->from[i] != NULL && from < to)
		{
			memset(c->block + done, 0, from - done);
			memcpy(c->block + from, c->from[i] + (from - start), to - from);
			done = to;
		}
	}
	memset(c->block + done, 0, end - done);
}

static void CopySections(const snugModel* model, const Info* info, unsigned char* block, size_t bytes)
{
	Copying copying = { .block = block, .bytes = bytes, .count = CountSections(info) };
	sgArray list[SECTION_COUNT];
	ListSections(info, list);
	sgArrays_Place(DATA_OFFSET, list, copying.count, copying.offsets);
	for (int i = 0; i < copying.count; ++i)
	{
		copying.sizes[i] = list[i].count * list[i].size;
		memcpy(copying.from + i, (const char*)model + list[i].place, sizeof(copying.from[i]));
	}
	sgTeam_Run(model->team, (uint32_t)((bytes + CHUNK - 1) / CHUNK), CopyChunk, &copying);
}

snugStatus sgBlock_Make(snugModel* model)
{
	const sgTree* tree = &model->tree;
	Info info = {
		.deformer = sgDeform_Number(model->deform),
		.leafTriangles = (uint32_t)model->treeDef.leafTriangles,
		.vertexCount = tree->vertexCount,
		.triangleCount = tree->triangleCount,
		.groupCount = tree->groupCount,
		.nodeCount = tree->nodeCount,
		.leafCount = tree->leafCount,
		.leafVertexCount = tree->leafVertexCount,
		.depth = tree->depth,
		.extras = (uint32_t)(model->twins != NULL) | model->frequencyCount << 1,
		.clusterBytes = model->clusterBytes,
		.deformBytes = model->deformBytes,
		.certificateBytes = model->certificateBytes,
	};
	size_t bytes = BlockBytes(&info);
	unsigned char* block = sgAllocate(&model->allocator, bytes);
	if (block == NULL)
	{
		return snug_outOfMemory;
	}
	CopySections(model, &info, block, bytes);
	WriteStart(block, bytes, &info);
	uint64_t checksum = BlockChecksum(block, bytes);
	memcpy(block + offsetof(Header, checksum), &checksum, sizeof(checksum));
	model->block = block;
	model->bytes = bytes;
	model->ownsBlock = true;
	Bind(model, &info);
	BindClusters(model);
	return snug_success;
}

// ---- Reading --------------------------------------------------------------------------------------------------------

static bool HasKnownSettings(const Info* info)
{
	return info->leafTriangles >= 1 && info->leafTriangles <= SG_MAX_LEAF_TRIANGLES &&
	       CountFrequencies(info) <= UINT16_MAX && sgDeform_At(info->deformer) != NULL;
}

// Header and table: whether there is something to read at all. Sizes follow from the counts and places from the sizes,
// so there is only one right table.
static const char* CheckStart(const unsigned char* block, size_t bytes, Info* info)
{
	Header header;
	Entry entries[ENTRY_COUNT], right[ENTRY_COUNT];
	memcpy(&header, block, sizeof(header));
	if (header.bytes != bytes || bytes < DATA_OFFSET || header.sectionCount < ENTRY_COUNT - 2 ||
	    header.sectionCount > ENTRY_COUNT)
	{
		return "it is truncated or its header is wrong";
	}
	memcpy(entries, block + sizeof(header), sizeof(entries));
	memcpy(info, block + INFO_OFFSET, sizeof(*info));
	if (!HasKnownSettings(info) || info->vertexCount > SG_MAX_COUNT || info->triangleCount > SG_MAX_COUNT ||
	    info->groupCount < 1 || info->groupCount > UINT32_MAX / SG_LANES - 1 || info->leafCount < 1 ||
	    info->depth > SG_MAX_DEPTH || info->clusterBytes > bytes || info->deformBytes > bytes ||
	    info->certificateBytes > bytes)
	{
		return "its counts or settings are out of range";
	}
	if (BlockBytes(info) != bytes || header.sectionCount != (uint32_t)CountSections(info) + 1)
	{
		return "its size does not fit its counts";
	}
	MakeTable(info, right);
	return memcmp(entries, right, header.sectionCount * sizeof(Entry)) == 0 ? NULL : "its table of sections is wrong";
}

// Clusters are there exactly if vertices are evaluated, and like the deformer's data as large as their counts say.
static const char* CheckSizes(snugModel* model)
{
	const sgDeform* deform = model->deform;
	bool hasClusters = deform->positions == NULL;
	if (hasClusters && (model->clusterBytes < sizeof(sgClusterHeader) ||
	                       sgClusters_Bytes(&model->tree, model->clusters.header) != model->clusterBytes))
	{
		return "its clusters have a wrong size";
	}
	if (!hasClusters && model->clusterBytes != 0)
	{
		return "it has clusters that nothing needs";
	}
	BindClusters(model);
	if (model->certificateBytes > 0 && deform->checkCertificates == NULL)
	{
		return "it has certificates that nothing needs";
	}
	if (deform->fits == NULL)
	{
		return model->deformBytes == 0 ? NULL : "it has deformation data that nothing needs";
	}
	return deform->fits(model) ? NULL : "the size or the settings of its deformation data are wrong";
}

// All that code follows, in time linear in the size of the block.
static const char* CheckAll(const snugModel* model, const Info* info, void* scratch)
{
	Header header;
	memcpy(&header, model->block, sizeof(header));
	if (BlockChecksum(model->block, model->bytes) != header.checksum)
	{
		return "its checksum does not match";
	}
	sgArray list[SECTION_COUNT];
	ListSections(info, list);
	const char* fault = sgArrays_Check(list, CountSections(info), model);
	fault = fault == NULL ? sgTree_Validate(&model->tree, info->leafTriangles, scratch) : fault;
	fault = fault == NULL ? sgRest_Check(model) : fault;
	fault = fault == NULL && model->clusters.header != NULL ? sgClusters_Check(&model->tree, &model->clusters) : fault;
	fault = fault == NULL && model->deform->check != NULL ? model->deform->check(model, scratch) : fault;
	if (fault == NULL && model->certificateBytes > 0)
	{
		fault = model->deform->checkCertificates(model);
	}
	if (fault == NULL && model->twins != NULL)
	{
		const sgTwinsInput input = sgModel_TwinsInput(model);
		fault = sgTwins_Check(&input, model->twins);
	}
	return fault;
}

static snugStatus CheckBlock(snugModel* model, const Info* info, const snugMessenger* messenger)
{
	size_t treeBytes = sgTree_ValidateBytes(&model->tree);
	size_t scratchBytes = treeBytes > SG_ROWS_SCRATCH ? treeBytes : SG_ROWS_SCRATCH;
	void* scratch = sgAllocate(&model->allocator, scratchBytes);
	if (scratch == NULL)
	{
		return sgFail(messenger, snug_outOfMemory, "no memory to check a model");
	}
	const char* fault = CheckAll(model, info, scratch);
	sgRelease(&model->allocator, scratch, scratchBytes);
	return fault == NULL ? snug_success : sgFail(messenger, snug_badFile, "bad model: %s", fault);
}

// Whether there is a block of this version at all.
static snugStatus CheckKind(const void* block, size_t bytes, const snugMessenger* messenger)
{
	Header header;
	if (bytes < sizeof(header) || memcmp(block, magic, sizeof(magic)) != 0)
	{
		return sgFail(messenger, snug_badFile, "not a snug model");
	}
	memcpy(&header, block, sizeof(header));
	if (header.byteOrder != byteOrder)
	{
		return sgFail(messenger, snug_badFile, "the model was made for another byte order");
	}
	if (header.version != SG_BLOCK_VERSION)
	{
		return sgFail(messenger, snug_unsupportedVersion,
		    "a model file of format version %u, but snug %s reads version %d: make it anew, as by `snug pack FILE -o "
		    "FILE.snug`",
		    header.version, snugGetVersion(), SG_BLOCK_VERSION);
	}
	return snug_success;
}

static snugStatus CopyBlock(snugModel* model, const snugMessenger* messenger)
{
	unsigned char* copy = sgAllocate(&model->allocator, model->bytes);
	if (copy == NULL)
	{
		return sgFail(messenger, snug_outOfMemory, "no memory for a model of %zu bytes", model->bytes);
	}
	memcpy(copy, model->block, model->bytes);
	model->block = copy;
	model->ownsBlock = true;
	return snug_success;
}

snugStatus sgBlock_Read(snugModel* model, bool copies, const snugLoadDef* def)
{
	snugStatus status = CheckKind(model->block, model->bytes, &def->messenger);
	if (status != snug_success)
	{
		return status;
	}
	Info info;
	const char* fault = CheckStart(model->block, model->bytes, &info);
	if (fault != NULL)
	{
		return sgFail(&def->messenger, snug_badFile, "bad model: %s", fault);
	}
	status = copies ? CopyBlock(model, &def->messenger) : snug_success;
	if (status != snug_success)
	{
		return status;
	}
	Bind(model, &info);
	fault = CheckSizes(model);
	if (fault != NULL)
	{
		return sgFail(&def->messenger, snug_badFile, "bad model: %s", fault);
	}
	return def->trusted ? snug_success : CheckBlock(model, &info, &def->messenger);
}
