// src/deform/fields/certificates_build.c: certificates of a model: regions, and constants of their cells, from the
// leaves up. See certificates_build.h.
#include "deform/fields/certificates_build.h"

#include "base/team.h"
#include "base/vec.h"
#include "geometry/eigen.h"
#include "geometry/frame.h"
#include "geometry/margins.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define SORT_ITEM uint64_t
#define SORT_IS_BEFORE(a, b) ((a) < (b))
#include "base/sort.h"

/// Two nodes are near each other if their rest boxes are no farther apart than this part of the smaller one.
#define NEAR 0.1
/// Constants this much smaller than what is taken away from a field, or than what moves it across the whole model, are
/// as good as none.
#define NEGLIGIBLE 0x1p-4
/// Nothing is known of cells with greater constants.
#define MOST 0x1p100

/// What one worker needs.
typedef struct Scratch
{
	sgRegionDraft region;
	double* constants; ///< (64 fieldCount) of cells
	double* most;      ///< (fieldCount) of all cells so far
	double* enough;    ///< (fieldCount): see sgCellDraft
	double mostError, enoughError;
} Scratch;

typedef struct Builder
{
	const snugModel* model;
	const sgFields* fields;
	const snugAllocator* allocator;
	uint64_t* pairs; ///< regions: slots of both nodes
	size_t capacity;
	uint32_t count;
	uint32_t* order;       ///< (count): regions, those of the deepest nodes first
	unsigned char* memory; ///< of all scratches
	size_t memoryBytes;
	Scratch scratches[SG_TEAM_WORKERS];
	sgCertificates made;
	size_t ownBytes;
	float* own;             ///< (constantCount): of cells that are not regions themselves
	uint32_t first;         ///< in order: of the level at hand
	_Atomic(uint32_t) done; ///< regions
	atomic_flag isTelling;
} Builder;

uint32_t sgFieldsGroup_FindField(const sgFields* fields, const sgFieldsGroup* group, uint32_t field)
{
	const uint16_t* numbers = fields->groupFields + group->fields;
	uint32_t first = 0, end = group->fieldCount;
	while (first < end)
	{
		const uint32_t middle = (first + end) / 2;
		if (numbers[middle] == field)
		{
			return middle;
		}
		first = numbers[middle] < field ? middle + 1 : first;
		end = numbers[middle] < field ? end : middle;
	}
	return SG_NONE;
}

// ---- Boxes ----------------------------------------------------------------------------------------------------------

static sgBox BoxOf(const snugModel* model, uint32_t slot)
{
	return sgBoxLanes_Get(model->restBounds + slot / SG_LANES, slot % SG_LANES);
}

static double FindGap(const sgBox* a, const sgBox* b)
{
	double gap2 = 0.0;
	for (int k = 0; k < 3; ++k)
	{
		const double above = (double)a->lower[k] - (double)b->upper[k],
		             below = (double)b->lower[k] - (double)a->upper[k];
		const double gap = fmax(0.0, fmax(above, below));
		gap2 += gap * gap;
	}
	return sqrt(gap2);
}

static double SizeOf(const sgBox* box)
{
	double size[3];
	sgSubtractPoints(box->upper, box->lower, size);
	return sqrt(sgDot(size, size));
}

// ---- Which pairs of nodes -------------------------------------------------------------------------------------------

static bool AreNear(const snugModel* model, uint32_t a, uint32_t b)
{
	const sgBox boxA = BoxOf(model, a), boxB = BoxOf(model, b);
	return FindGap(&boxA, &boxB) <= NEAR * fmin(SizeOf(&boxA), SizeOf(&boxB));
}

// In the order in which a body's walk with itself opens them. Recursion is as deep as the tree.
static bool ListRegions(Builder* b, uint32_t slotA, uint32_t slotB)
{
	const sgTree* tree = &b->model->tree;
	if (b->count == UINT32_MAX / SG_LANES ||
	    !sgGrow(b->allocator, (void**)&b->pairs, &b->capacity, b->count, 1, sizeof(uint64_t)))
	{
		return false;
	}
	b->pairs[b->count++] = (uint64_t)slotA << 32 | slotB;
	const sgNode *nodeA = tree->nodes + slotA, *nodeB = tree->nodes + slotB;
	for (uint32_t i = 0; i < nodeA->childCount; ++i)
	{
		for (uint32_t k = slotA == slotB ? i : 0; k < nodeB->childCount; ++k)
		{
			const uint32_t childA = nodeA->first + i, childB = nodeB->first + k;
			const bool isInner = !sgTree_IsLeaf(tree, childA) && !sgTree_IsLeaf(tree, childB);
			if (isInner && AreNear(b->model, childA, childB) && !ListRegions(b, childA, childB))
			{
				return false;
			}
		}
	}
	return true;
}

// ---- Nodes that are apart -------------------------------------------------------------------------------------------

// What a field leaves over below a node: within `half` of `middle` per axis, and what both are computed from.
static double FindRange(const sgRegionDraft* region, uint32_t entry, uint32_t slot, double middle[3], double half[3])
{
	const sgNode* nodes = region->model->tree.nodes;
	const sgBox box = BoxOf(region->model, slot);
	const uint32_t from = nodes[slot].childCount > 0 ? slot : nodes[slot].parent, lane = from % SG_LANES;
	const sgFieldsGroup* group = region->fields->groups + from / SG_LANES;
	const uint32_t number = sgFieldsGroup_FindField(region->fields, group, region->numbers[entry]);
	const sgFieldsHead* head = sgFieldsGroup_Head(region->fields, group);
	const sgFieldFit* fit = sgFieldsGroup_Fits(region->fields, group) + (number != SG_NONE ? number : 0);
	double size = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		middle[i] = number != SG_NONE ? (double)fit->mean[i].lane[lane] : 0.0;
		half[i] = number != SG_NONE ? (double)fit->residual[i].lane[lane] : 0.0;
		size += fabs(middle[i]);
		for (int k = 0; k < 3; ++k)
		{
			const double own = number != SG_NONE ? (double)fit->gradient[i][k].lane[lane] : 0.0;
			const double taken = region->gradients[entry][i][k];
			const double at = 0.5 * ((double)box.lower[k] + (double)box.upper[k]),
			             center = (double)head->center[k].lane[lane];
			middle[i] += own * (at - center) - taken * at;
			half[i] += fabs(own - taken) * 0.5 * ((double)box.upper[k] - (double)box.lower[k]);
			size += fabs(own) * (fabs(at) + fabs(center)) + fabs(taken * at);
		}
	}
	return size;
}

static double FindFarConstant(const sgRegionDraft* region, uint32_t entry, uint32_t x, uint32_t y, double gap)
{
	double middleX[3], halfX[3], middleY[3], halfY[3], change[3];
	const double sizeX = FindRange(region, entry, x, middleX, halfX),
	             sizeY = FindRange(region, entry, y, middleY, halfY);
	for (int k = 0; k < 3; ++k)
	{
		change[k] = fabs(middleX[k] - middleY[k]) + halfX[k] + halfY[k];
	}
	return (sqrt(sgDot(change, change)) + SG_MARGIN_QUOTIENT * (sizeX + sizeY)) / gap;
}

// Whether nodes are so far apart that what their ranges say is enough.
static bool AddApart(const Scratch* s, uint32_t x, uint32_t y, sgCellDraft* cell)
{
	const sgRegionDraft* region = &s->region;
	const sgBox boxX = BoxOf(region->model, x), boxY = BoxOf(region->model, y);
	const double gap = FindGap(&boxX, &boxY), error = 2.0 / gap;
	if (!(gap > 0.0) || error > fmax(s->enoughError, cell->error))
	{
		return false;
	}
	for (uint32_t f = 0; f < region->fieldCount; ++f)
	{
		if (!(FindFarConstant(region, f, x, y, gap) <= fmax(s->enough[f], cell->constants[f])))
		{
			return false;
		}
	}
	cell->error = fmax(cell->error, error);
	for (uint32_t f = 0; f < region->fieldCount; ++f)
	{
		cell->constants[f] = fmax(cell->constants[f], FindFarConstant(region, f, x, y, gap));
	}
	return true;
}

// All pairs of triangles below two different nodes, or of one leaf. Recursion is as deep as two trees.
static void AddNodes(const Scratch* s, uint32_t x, uint32_t y, sgCellDraft* cell)
{
	const sgTree* tree = &s->region.model->tree;
	const sgNode *nodeX = tree->nodes + x, *nodeY = tree->nodes + y;
	if (cell->isNever || (x != y && AddApart(s, x, y, cell)))
	{
		return;
	}
	if (nodeX->childCount == 0 && nodeY->childCount == 0)
	{
		sgCellDraft_AddLeaves(cell, &s->region, nodeX->first, nodeY->first);
		return;
	}
	const sgBox boxX = BoxOf(s->region.model, x), boxY = BoxOf(s->region.model, y);
	const bool splitsX = nodeY->childCount == 0 || (nodeX->childCount > 0 && SizeOf(&boxX) > SizeOf(&boxY));
	const sgNode* split = splitsX ? nodeX : nodeY;
	for (uint32_t i = 0; i < split->childCount; ++i)
	{
		AddNodes(s, splitsX ? split->first + i : x, splitsX ? y : split->first + i, cell);
	}
}

// ---- Regions
// ----------------------------------------------------------------------------------------------------------

static double FindNorm(double m[3][3])
{
	double square[3][3], values[3], vectors[3][3];
	for (int i = 0; i < 3; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			square[i][k] = m[0][i] * m[0][k] + m[1][i] * m[1][k] + m[2][i] * m[2][k];
		}
	}
	const double trace = square[0][0] + square[1][1] + square[2][2];
	sgEigen3(square, values, vectors);
	return sqrt(fmax(values[0], 0.0) + SG_MARGIN_QUOTIENT * trace);
}

// What is left over below a region, but for cells that are regions themselves: its constants, and by how much what is
// taken away there differs.
static void AddOwn(const Builder* b, const Scratch* s, uint32_t x, uint32_t y, const sgRegion* below, sgCellDraft* cell)
{
	const sgRegionDraft* region = &s->region;
	double gradient[3][3];
	sgRegionFields from = sgRegionFields_Begin(&b->made, b->fields, x, y);
	const float* constants = b->own + below->constants;
	uint32_t field = sgRegionFields_Next(&from, gradient);
	for (uint32_t f = 0; f < region->fieldCount; ++f)
	{
		double constant = 0.0, difference[3][3];
		const bool isThere = field == region->numbers[f];
		for (int i = 0; i < 9; ++i)
		{
			difference[i / 3][i % 3] = (isThere ? gradient[i / 3][i % 3] : 0.0) - region->gradients[f][i / 3][i % 3];
		}
		if (isThere)
		{
			constant = (double)*constants++;
			field = sgRegionFields_Next(&from, gradient);
		}
		cell->constants[f] = fmax(cell->constants[f], constant + FindNorm(difference));
	}
}

// A cell that is a region itself. Recursion is as deep as the tree.
static void AddRegion(
    const Builder* b, const Scratch* s, uint32_t x, uint32_t y, const sgRegion* below, sgCellDraft* cell)
{
	const sgNode *nodeX = b->model->tree.nodes + x, *nodeY = b->model->tree.nodes + y;
	cell->error = fmax(cell->error, (double)below->error);
	cell->isAtRest = cell->isAtRest || below->atRest != 0;
	AddOwn(b, s, x, y, below, cell);
	for (uint32_t i = 0; i < nodeX->childCount; ++i)
	{
		for (uint32_t k = x == y ? i : 0; k < nodeY->childCount; ++k)
		{
			const sgRegion* next = sgCertificates_Find(&b->made, nodeX->first + i, nodeY->first + k);
			cell->isNever = cell->isNever || below->codes[i][k] == SG_CODE_NEVER;
			if (next != NULL && !cell->isNever)
			{
				AddRegion(b, s, nodeX->first + i, nodeY->first + k, next, cell);
			}
		}
	}
}

static void BeginRegion(const Builder* b, Scratch* s, uint32_t slotA, uint32_t slotB)
{
	sgRegionDraft* region = &s->region;
	const sgFieldsHeader* header = region->fields->header;
	sgRegionFields from = sgRegionFields_Begin(&b->made, region->fields, slotA, slotB);
	const sgBox root = BoxOf(region->model, 0);
	double reach = 0x1p-100;
	for (int k = 0; k < 3; ++k)
	{
		reach = fmax(reach, (double)header->restReach[k]);
	}
	region->fieldCount = 0;
	for (uint32_t f; (f = sgRegionFields_Next(&from, region->gradients[region->fieldCount])) != SG_NONE;)
	{
		const uint32_t entry = region->fieldCount++;
		const float* most = region->fields->most + 3 * (size_t)f;
		double size2 = 0.0;
		for (int i = 0; i < 3; ++i)
		{
			size2 += sgDot(region->gradients[entry][i], region->gradients[entry][i]);
		}
		region->numbers[entry] = f;
		region->sizes[entry] = sqrt(size2);
		const double across = (double)fmaxf(most[0], fmaxf(most[1], most[2])) / (SizeOf(&root) + 0x1p-140);
		s->enough[entry] = NEGLIGIBLE * (region->sizes[entry] + across);
		s->most[entry] = 0.0;
	}
	s->mostError = 0.0;
	s->enoughError = NEGLIGIBLE / (sgFields_EvaluationError(header) * reach);
}

// The code of a part of the greatest constants, rounded up.
static uint8_t FindCode(double part)
{
	const float value = sgRoundUp(part);
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	const uint32_t code = (bits + 0xfffffu) >> 20;
	return (uint8_t)(code <= SG_CODE_BASE ? 0 : code >= SG_CODE_BASE + SG_CODE_ONE ? SG_CODE_ONE : code - SG_CODE_BASE);
}

static void FinishRegion(
    const Scratch* s, const sgCellDraft cells[64], uint64_t there, sgRegion* region, float* constants)
{
	const uint32_t fieldCount = s->region.fieldCount;
	region->error = sgRoundUp(s->mostError * (1.0 + SG_MARGIN_QUOTIENT));
	for (uint32_t f = 0; f < fieldCount; ++f)
	{
		constants[f] = sgRoundUp(s->most[f] * (1.0 + SG_MARGIN_QUOTIENT));
	}
	for (; there != 0; there &= there - 1)
	{
		const uint32_t k = sgLowestBit(there);
		const sgCellDraft* cell = cells + k;
		double part = s->mostError > 0.0 ? cell->error / s->mostError : 0.0;
		for (uint32_t f = 0; f < fieldCount; ++f)
		{
			part = s->most[f] > 0.0 ? fmax(part, cell->constants[f] / s->most[f]) : part;
		}
		region->codes[k / SG_LANES][k % SG_LANES] = cell->isNever ? SG_CODE_NEVER : FindCode(part);
		region->atRest |= (uint64_t)cell->isAtRest << k;
	}
}

// What is too large, or not a number, is none.
static void EndCell(Scratch* s, sgCellDraft* cell, float* own)
{
	cell->isNever = cell->isNever || !(cell->error <= MOST);
	for (uint32_t f = 0; f < s->region.fieldCount; ++f)
	{
		cell->isNever = cell->isNever || !(cell->constants[f] <= MOST);
	}
	for (uint32_t f = 0; f < s->region.fieldCount && !cell->isNever; ++f)
	{
		s->most[f] = fmax(s->most[f], cell->constants[f]);
		s->enough[f] = fmax(s->enough[f], cell->constants[f]);
		if (own != NULL)
		{
			own[f] = fmaxf(own[f], sgRoundUp(cell->constants[f]));
		}
	}
	if (!cell->isNever)
	{
		s->mostError = fmax(s->mostError, cell->error);
		s->enoughError = fmax(s->enoughError, cell->error);
	}
}

// A cell of the region at hand: what is not a region itself is looked at node by node.
static void MakeCell(
    Builder* b, Scratch* s, uint32_t x, uint32_t y, const sgRegion* below, sgRegion* region, sgCellDraft* cell)
{
	const size_t at = SG_LANES * (x % SG_LANES) + y % SG_LANES;
	*cell = (sgCellDraft){
		.constants = s->constants + at * s->region.fieldCount,
		.enough = s->enough,
		.enoughError = s->enoughError,
	};
	if (below != NULL)
	{
		AddRegion(b, s, x, y, below, cell);
	}
	else
	{
		AddNodes(s, x, y, cell);
	}
	EndCell(s, cell, below == NULL ? b->own + region->constants : NULL);
}

// Who comes while another one tells leaves it to that, or to the next.
static void TellProgress(Builder* b)
{
	const sgTeam* team = b->model->team;
	if (team != NULL && team->progress != NULL && !atomic_flag_test_and_set(&b->isTelling))
	{
		team->progress(team->progressUser, atomic_load(&b->done), b->count);
		atomic_flag_clear(&b->isTelling);
	}
}

// Cells that touch come first: with their constants, most of the others are settled at once.
static void MakeRegion(void* context, uint32_t worker, uint32_t chunk)
{
	Builder* b = context;
	Scratch* s = b->scratches + worker;
	const uint32_t number = b->order[b->first + chunk];
	const uint32_t slotA = (uint32_t)(b->pairs[number] >> 32), slotB = (uint32_t)b->pairs[number];
	const sgNode *nodeA = b->model->tree.nodes + slotA, *nodeB = b->model->tree.nodes + slotB;
	sgRegion* region = (sgRegion*)(uintptr_t)(b->made.regions + number);
	sgCellDraft cells[SG_LANES * SG_LANES];
	uint64_t there = 0;
	BeginRegion(b, s, slotA, slotB);
	memset(s->constants, 0, SG_LANES * SG_LANES * (size_t)s->region.fieldCount * sizeof(double));
	for (uint32_t n = 0; n < 2 * SG_LANES * SG_LANES; ++n)
	{
		const uint32_t at = n % (SG_LANES * SG_LANES), i = at / SG_LANES, k = at % SG_LANES;
		const uint32_t x = nodeA->first + i, y = nodeB->first + k;
		if (i >= nodeA->childCount || k >= nodeB->childCount || (slotA == slotB && k < i))
		{
			continue;
		}
		const sgRegion* below = sgCertificates_Find(&b->made, x, y);
		const sgBox boxX = BoxOf(b->model, x), boxY = BoxOf(b->model, y);
		if ((below != NULL || FindGap(&boxX, &boxY) == 0.0) == (n < SG_LANES * SG_LANES))
		{
			there |= (uint64_t)1 << at;
			MakeCell(b, s, x, y, below, region, cells + at);
		}
	}
	FinishRegion(s, cells, there, region, (float*)(uintptr_t)(b->made.constants + region->constants));
	atomic_fetch_add(&b->done, 1);
	TellProgress(b);
}

// ---- All of it
// --------------------------------------------------------------------------------------------------------

static size_t ScratchBytes(const sgFields* fields)
{
	const size_t each = sizeof(uint32_t) + 9 * sizeof(double) + (SG_LANES * SG_LANES + 3) * sizeof(double);
	return sgAlignUp(((size_t)fields->header->fieldCount + 1) * each, SG_ALIGNMENT);
}

static void CutScratch(const Builder* b, unsigned char* memory, Scratch* s)
{
	const size_t count = (size_t)b->fields->header->fieldCount + 1;
	s->region = (sgRegionDraft){ .model = b->model, .fields = b->fields };
	s->constants = (double*)(void*)memory;
	s->most = s->constants + SG_LANES * SG_LANES * count;
	s->enough = s->most + count;
	s->region.sizes = s->enough + count;
	s->region.gradients = (double(*)[3][3])(s->region.sizes + count);
	s->region.numbers = (uint32_t*)(s->region.gradients + count);
}

static uint64_t CountGradients(const Builder* b)
{
	uint64_t count = 0;
	for (uint32_t slot = 0; slot < b->model->tree.groupCount * SG_LANES; ++slot)
	{
		count += sgCertificates_CountGradients(b->model, b->fields, slot);
	}
	return count;
}

static snugStatus Allocate(Builder* b, void** data, size_t* bytes)
{
	const sgCertificates none = { .header = NULL };
	const uint64_t gradients = CountGradients(b);
	uint64_t constants = 0;
	for (uint32_t i = 0; i < b->count; ++i)
	{
		constants += sgRegionFields_Count(&none, b->fields, (uint32_t)(b->pairs[i] >> 32), (uint32_t)b->pairs[i]);
	}
	if (gradients > UINT32_MAX || constants > UINT32_MAX)
	{
		return snug_outOfRange;
	}
	const sgCertificatesHeader header = {
		.regionCount = b->count,
		.constantCount = (uint32_t)constants,
		.gradientCount = (uint32_t)gradients,
	};
	sgArray list[SG_CERTIFICATES_ARRAYS];
	sgCertificates_ListArrays(b->model, &header, list);
	*bytes = sgArrays_Bytes(sizeof(header), list, SG_CERTIFICATES_ARRAYS);
	*data = sgAllocate(b->allocator, *bytes);
	if (*data == NULL)
	{
		return snug_outOfMemory;
	}
	memset(*data, 0, *bytes);
	memcpy(*data, &header, sizeof(header));
	b->made = sgCertificates_Bind(b->model, *data);
	return snug_success;
}

// What begins where, and gradients; parents come before children.
static void Begin(Builder* b)
{
	const uint32_t slotCount = b->model->tree.groupCount * SG_LANES;
	sgCertified* starts = (sgCertified*)(uintptr_t)b->made.starts;
	sgRegion* regions = (sgRegion*)(uintptr_t)b->made.regions;
	sgGradient* gradients = (sgGradient*)(uintptr_t)b->made.gradients;
	uint32_t constants = 0;
	for (uint32_t i = 0; i < b->count; ++i)
	{
		++starts[(b->pairs[i] >> 32) + 1].regions;
		regions[i].slot = (uint32_t)b->pairs[i];
		regions[i].constants = constants;
		constants += sgRegionFields_Count(&b->made, b->fields, (uint32_t)(b->pairs[i] >> 32), regions[i].slot);
	}
	for (uint32_t slot = 0; slot < slotCount; ++slot)
	{
		const uint32_t count = sgCertificates_CountGradients(b->model, b->fields, slot);
		starts[slot + 1].regions += starts[slot].regions;
		starts[slot + 1].gradients = starts[slot].gradients + count;
		if (count > 0)
		{
			sgCertificates_FitGradients(b->model, b->fields, &b->made, slot, gradients + starts[slot].gradients,
			    b->scratches[0].region.gradients);
		}
	}
}

// A region needs those of its cells, which are one level further down.
static void MakeLevels(Builder* b)
{
	const sgNode* nodes = b->model->tree.nodes;
	uint32_t count = 0;
	for (uint32_t level = b->model->tree.depth + 1; level-- > 0;)
	{
		b->first = count;
		for (uint32_t i = 0; i < b->count; ++i)
		{
			if (nodes[b->pairs[i] >> 32].level == level)
			{
				b->order[count++] = i;
			}
		}
		sgTeam_Run(b->model->team, count - b->first, MakeRegion, b);
	}
	TellProgress(b);
}

static snugStatus BuildAll(Builder* b, void** data, size_t* bytes)
{
	if (!sgTree_IsLeaf(&b->model->tree, 0) && !ListRegions(b, 0, 0))
	{
		return snug_outOfMemory;
	}
	Sort(b->pairs, b->count);
	const snugStatus status = Allocate(b, data, bytes);
	if (status != snug_success)
	{
		return status;
	}
	const uint32_t workers = sgTeam_Workers(b->model->team);
	b->memoryBytes = workers * ScratchBytes(b->fields);
	b->memory = sgAllocate(b->allocator, b->memoryBytes);
	b->order = sgAllocate(b->allocator, b->count * sizeof(uint32_t));
	b->ownBytes = b->made.header->constantCount * sizeof(float);
	b->own = sgAllocate(b->allocator, b->ownBytes);
	if (b->memory == NULL || b->order == NULL || b->own == NULL)
	{
		return snug_outOfMemory;
	}
	memset(b->own, 0, b->ownBytes);
	for (uint32_t w = 0; w < workers; ++w)
	{
		CutScratch(b, b->memory + w * ScratchBytes(b->fields), b->scratches + w);
	}
	Begin(b);
	MakeLevels(b);
	return snug_success;
}

snugStatus sgCertificates_Build(const snugModel* model, const sgFields* fields, void** data, size_t* bytes)
{
	Builder builder = {
		.model = model, .fields = fields, .allocator = &model->allocator, .isTelling = ATOMIC_FLAG_INIT
	};
	*data = NULL;
	const snugStatus status = BuildAll(&builder, data, bytes);
	sgRelease(builder.allocator, builder.pairs, builder.capacity * sizeof(uint64_t));
	sgRelease(builder.allocator, builder.memory, builder.memoryBytes);
	sgRelease(builder.allocator, builder.order, builder.count * sizeof(uint32_t));
	sgRelease(builder.allocator, builder.own, builder.ownBytes);
	return status;
}
