// src/body/body.c: making, posing and reading bodies.
#include "body/body.h"

#include "base/fpenv.h"
#include "simd/isa.h"

#include <math.h>
#include <string.h>

static const double zeroOrigin[3] = { 0.0, 0.0, 0.0 };

static void Release(snugBody* body)
{
	snugAllocator allocator = body->allocator;
	if (body->ownsPool)
	{
		snugPool_Destroy(body->pool);
	}
	sgRelease(&allocator, (void*)body->pageTable, body->pageCount * sizeof(uint32_t));
	sgRelease(&allocator, body->pose, body->poseBytes);
	sgRelease(&allocator, body, sizeof(snugBody));
}

// A page holds a power of two of groups, so that finding one takes no division.
static void SetPageLayout(snugBody* body)
{
	const snugModel* model = body->model;
	body->volume = body->deform->volume != NULL ? body->deform->volume(model) : snug_volumeBox;
	body->extraSlabs = sgVolume_ExtraSlabs(body->volume);
	body->groupStride = (uint32_t)(sizeof(sgCacheGroup) + body->extraSlabs * sizeof(sgSlabLanes));
	for (body->groupShift = 0; (body->groupStride << (body->groupShift + 1)) <= SG_PAGE_BYTES;)
	{
		++body->groupShift;
	}
	body->groupPages = ((model->tree.groupCount - 1) >> body->groupShift) + 1;
	body->pageCount = body->groupPages + (model->clusters.header != NULL ? model->clusters.header->pageCount : 0);
}

// A pool of its own has a page for everything, so posing and querying never need memory.
static bool AllocateCaches(snugBody* body)
{
	const snugModel* model = body->model;
	body->poseBytes = body->deform->poseBytes(model);
	body->pose = sgAllocate(&body->allocator, body->poseBytes);
	if (body->pose == NULL)
	{
		return false;
	}
	if (body->deform->bound == NULL)
	{
		return true;
	}
	SetPageLayout(body);
	body->pageTable = sgAllocate(&body->allocator, body->pageCount * sizeof(uint32_t));
	if (body->pageTable == NULL)
	{
		return false;
	}
	memset((void*)body->pageTable, 0xff, body->pageCount * sizeof(uint32_t)); // SG_NONE everywhere
	if (body->pool != NULL)
	{
		return true;
	}
	body->ownsPool = sgPool_Create(body->pageCount, &body->allocator, NULL, &body->pool) == snug_success;
	return body->ownsPool;
}

// On demand means without a front; bottom-up has no use for it.
static uint16_t InitialMemory(const snugBodyDef* def)
{
	bool hasFront = def->strategy == snug_strategyAuto || def->strategy == snug_strategyFront;
	return hasFront && !def->model->deform->refitsBottomUp ? SG_FRONT_MEMORY : 0;
}

snugStatus snugBody_Create(const snugBodyDef* def, snugBody** out)
{
	SG_REQUIRE(out != NULL, snug_badArgument);
	*out = NULL;
	SG_REQUIRE(def != NULL && def->model != NULL && sgAllocator_IsValid(&def->allocator), snug_badArgument);
	SG_REQUIRE_RESERVED(def, snug_badArgument);
	SG_REQUIRE(def->strategy >= snug_strategyAuto && def->strategy <= snug_strategyBottomUp, snug_badArgument);
	snugAllocator allocator = sgAllocator_OrDefault(def->allocator);
	snugBody* body = sgAllocate(&allocator, sizeof(snugBody));
	if (body == NULL)
	{
		return sgFail(&def->messenger, snug_outOfMemory, "no memory for a body");
	}
	*body = (snugBody){
		.model = def->model,
		.deform = def->model->deform,
		.allocator = allocator,
		.messenger = def->messenger,
		.isAtRest = def->model->deform->restIsExact,
		.strategy = def->model->deform->refitsBottomUp ? snug_strategyBottomUp : def->strategy,
		.frontMemory = InitialMemory(def),
		.version = 1,
		.step = UINT16_MAX / 2, // far from the zeros of new pages
		.frame = { .rotation = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, .isIdentity = true },
		.pool = def->pool,
	};
	if (!AllocateCaches(body))
	{
		Release(body);
		return sgFail(&def->messenger, snug_outOfMemory, "no memory for a body");
	}
	// Rest bounds are boxes.
	body->isAtRest = body->isAtRest && body->volume == snug_volumeBox;
	if (body->deform->setRest != NULL)
	{
		sgFpEnv environment = sgFpEnv_Enter();
		body->deform->setRest(body->model, body->pose);
		sgFpEnv_Leave(environment);
	}
	*out = body;
	return snug_success;
}

void snugBody_Destroy(snugBody* body)
{
	if (body != NULL)
	{
		sgBody_ReturnPages(body);
		Release(body);
	}
}

const snugModel* snugBody_GetModel(const snugBody* body)
{
	SG_REQUIRE(body != NULL, NULL);
	return body->model;
}

size_t snugBody_GetMemory(const snugBody* body)
{
	SG_REQUIRE(body != NULL, 0);
	size_t bytes = sizeof(snugBody) + body->poseBytes + body->pageCount * sizeof(uint32_t);
	if (body->ownsPool)
	{
		return bytes + sgPool_Bytes(body->pool);
	}
	for (uint32_t i = 0; i < body->pageCount; ++i)
	{
		bytes += body->pageTable[i] != SG_NONE ? sizeof(sgPage) : 0;
	}
	return bytes;
}

static SG_NOINLINE bool SetFrame(snugBody* body, const snugFrame* frame)
{
	sgFrame made;
	bool isGood = sgFrame_Make(frame, &made);
	if (isGood)
	{
		body->frame = made;
	}
	return isGood;
}

snugStatus snugBody_SetFrame(snugBody* body, const snugFrame* frame)
{
	SG_REQUIRE(body != NULL && frame != NULL, snug_badArgument);
	sgFpEnv environment = sgFpEnv_Enter();
	bool isGood = SetFrame(body, frame);
	sgFpEnv_Leave(environment);
	return isGood ? snug_success
	              : sgFail(&body->messenger, snug_badInput,
	                    "the frame is not finite or its quaternion not of unit length");
}

snugStatus snugBody_SetAmplitudes(snugBody* body, const float* amplitudes, uint32_t count)
{
	SG_REQUIRE(body != NULL && (amplitudes != NULL || count == 0), snug_badArgument);
	SG_REQUIRE(body->deform->setAmplitudes != NULL, snug_badArgument);
	sgFpEnv environment = sgFpEnv_Enter();
	snugStatus status = body->deform->setAmplitudes(body, amplitudes, count);
	sgFpEnv_Leave(environment);
	return status;
}

// Every family once, whatever the strategy; a family without a place in the cache is not kept.
static SG_NOINLINE void RefitAll(snugBody* body)
{
	snugCounters counters = { 0 };
	sgBody_Prepare(body, &counters);
	if (body->isAtRest || body->deform->bound == NULL || body->strategy == snug_strategyBottomUp)
	{
		return;
	}
	const sgTree* tree = &body->model->tree;
	sgBoundsScratch scratch;
	sgBody_Refresh(body, sgTree_Family(tree, 0), &scratch, &counters);
	for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
	{
		if (tree->nodes[slot].childCount > 0)
		{
			sgBody_Refresh(body, sgTree_Open(tree, slot), &scratch, &counters);
		}
	}
}

snugStatus snugBody_Refit(snugBody* body)
{
	SG_REQUIRE(body != NULL, snug_badArgument);
	sgFpEnv environment = sgFpEnv_Enter();
	RefitAll(body);
	sgFpEnv_Leave(environment);
	return snug_success;
}

snugStatus sgBody_MakePlacement(
    snugBody* body, const double origin[3], sgBox* root, sgPlacement* placement, snugCounters* counters)
{
	*root = sgBody_RootBox(body, counters);
	return sgPlacement_Make(&body->frame, origin, root, placement)
	           ? snug_success
	           : sgFail(&body->messenger, snug_outOfRange, "the body is too far from the origin");
}

/// Where placed vertices go.
typedef struct Output
{
	const snugBody* body;
	sgPlacement placement;
	char* positions;
	size_t stride;
} Output;

// Place some vertices, given by number in tree order, whose body-space positions are found[i]. At most
// SG_MAX_LEAF_VERTICES.
static void PutVertices(const Output* output, const uint32_t* vertices, sgLeafVertices found, uint32_t count)
{
	sgVertexBlock block;
	sgGetKernels()->gatherVertices(found.positions, found.indices, count, &block);
	sgGetKernels()->placeVertices(&block, count, &output->placement);
	for (uint32_t i = 0; i < count; ++i)
	{
		size_t number = output->body->model->tree.vertexMap[vertices[i]];
		float* out = (float*)(void*)(output->positions + number * output->stride);
		for (int axis = 0; axis < 3; ++axis)
		{
			out[axis] = block.coordinate[axis][i];
		}
	}
}

// Numbers first, first + 1, …: enough for a run of vertices and what kernels read past its end.
static void CountUp(uint32_t first, uint32_t count, uint32_t numbers[SG_MAX_LEAF_VERTICES + SG_LANES])
{
	for (uint32_t i = 0; i < SG_MAX_LEAF_VERTICES + SG_LANES; ++i)
	{
		numbers[i] = i < count ? first + i : first;
	}
}

static uint32_t RunLength(uint32_t left)
{
	return left < SG_MAX_LEAF_VERTICES ? left : SG_MAX_LEAF_VERTICES;
}

// Cluster by cluster, which is fast; vertices that several clusters share are the same in each.
static void PutClusters(const Output* output)
{
	const snugBody* body = output->body;
	const sgClusters* clusters = &body->model->clusters;
	float positions[SG_CLUSTER_FLOATS(SG_MAX_CLUSTER_VERTICES)];
	for (uint32_t c = 0; c < clusters->header->count; ++c)
	{
		const sgCluster* cluster = clusters->clusters + c;
		body->deform->evaluateCluster(body->model, body->pose, c, positions);
		for (uint32_t first = 0; first < cluster->vertexCount; first += SG_MAX_LEAF_VERTICES)
		{
			uint32_t count = RunLength(cluster->vertexCount - first), indices[SG_MAX_LEAF_VERTICES + SG_LANES];
			CountUp(first, count, indices);
			const uint32_t* vertices = clusters->vertices + cluster->firstVertex + first;
			PutVertices(output, vertices, (sgLeafVertices){ positions, indices }, count);
		}
	}
}

static SG_NOINLINE snugStatus GetVertices(snugBody* body, const double* origin, char* positions, size_t stride)
{
	const sgTree* tree = &body->model->tree;
	snugCounters counters = { 0 };
	sgBox root;
	Output output = { .body = body, .positions = positions, .stride = stride };
	snugStatus status = sgBody_MakePlacement(body, origin, &root, &output.placement, &counters);
	if (status != snug_success)
	{
		return status;
	}
	uint32_t first = 0;
	if (body->model->clusters.header != NULL)
	{
		PutClusters(&output);
		first = body->model->clusters.header->usedCount;
	}
	for (; first < tree->vertexCount; first += SG_MAX_LEAF_VERTICES)
	{
		uint32_t vertices[SG_MAX_LEAF_VERTICES + SG_LANES], count = RunLength(tree->vertexCount - first);
		CountUp(first, count, vertices);
		sgLeafScratch scratch;
		PutVertices(&output, vertices, sgBody_Evaluate(body, vertices, count, &scratch), count);
	}
	return snug_success;
}

snugStatus snugBody_GetVertices(snugBody* body, const double origin[3], float* positions, size_t stride)
{
	SG_REQUIRE(body != NULL && (positions != NULL || body->model->tree.vertexCount == 0), snug_badArgument);
	stride = sgStride(stride, 3 * sizeof(float));
	SG_REQUIRE(stride != 0, snug_badArgument);
	origin = origin != NULL ? origin : zeroOrigin;
	SG_REQUIRE(sgIsFinitePoint(origin), snug_badArgument);
	sgFpEnv environment = sgFpEnv_Enter();
	snugStatus status = GetVertices(body, origin, (char*)positions, stride);
	sgFpEnv_Leave(environment);
	return status;
}

static SG_NOINLINE snugStatus GetBounds(snugBody* body, const double* origin, snugBounds* bounds)
{
	snugCounters counters = { 0 };
	sgBox root;
	sgPlacement placement;
	snugStatus status = sgBody_MakePlacement(body, origin, &root, &placement, &counters);
	if (status != snug_success)
	{
		return status;
	}
	sgBox box = sgPlacement_BoundBox(&placement, &root);
	memcpy(bounds->lower, box.lower, sizeof(bounds->lower));
	memcpy(bounds->upper, box.upper, sizeof(bounds->upper));
	bounds->radius = -1.0f;
	if (sgBox_IsEmpty(&box))
	{
		return snug_success;
	}
	// The ball around the box, about a rounded centre: the farthest corner from where the centre really is.
	double radius2 = 0.0;
	for (int axis = 0; axis < 3; ++axis)
	{
		double lower = box.lower[axis], upper = box.upper[axis];
		bounds->center[axis] = sgRoundNearest(0.5 * lower + 0.5 * upper);
		double reach = fmax((double)bounds->center[axis] - lower, upper - (double)bounds->center[axis]);
		radius2 += reach * reach;
	}
	bounds->radius = sgRoundUp(sqrt(radius2) * (1.0 + 0x1p-40));
	return snug_success;
}

snugStatus snugBody_GetBounds(snugBody* body, const double origin[3], snugBounds* bounds)
{
	SG_REQUIRE(bounds != NULL, snug_badArgument);
	*bounds = (snugBounds){ .radius = -1.0f };
	SG_REQUIRE(body != NULL, snug_badArgument);
	origin = origin != NULL ? origin : zeroOrigin;
	SG_REQUIRE(sgIsFinitePoint(origin), snug_badArgument);
	sgFpEnv environment = sgFpEnv_Enter();
	snugStatus status = GetBounds(body, origin, bounds);
	sgFpEnv_Leave(environment);
	return status;
}

// How far a value is below the lower and above the upper end of an interval; neither, if it is inside.
static void CheckInside(double below, double above, snugValidation* validation)
{
	validation->checks += 2;
	// Written so that a NaN in the bound is a violation.
	if (!(below <= 0.0) || !(above <= 0.0))
	{
		double outside = fmax(below, above);
		++validation->violations;
		validation->worst = outside > validation->worst || isnan(outside) ? outside : validation->worst;
	}
}

// a + b without rounding, as its float64 value and what that leaves over. Knuth.
static double SumExactly(double a, double b, double* rest)
{
	double sum = a + b, part = sum - a;
	*rest = (a - (sum - part)) + (b - part);
	return sum;
}

// One vertex against what a node's volume adds to its box. Slabs are judged without a tolerance: entries of directions
// are 0, 1 and -1, so a position along one is a sum of three floats.
static void CheckExtra(
    const snugBody* body, const double point[3], const sgSlabLanes* extra, uint32_t lane, snugValidation* validation)
{
	for (uint32_t i = 0; sgVolume_IsDop(body->volume) && i < body->extraSlabs; ++i)
	{
		const float* direction = sgVolume_Directions(body->volume)[i];
		double rest[3], along = SumExactly((double)direction[0] * point[0], (double)direction[1] * point[1], rest);
		along = SumExactly(along, (double)direction[2] * point[2], rest + 1);
		along = SumExactly(along, rest[0] + rest[1], rest + 2);
		CheckInside(((double)extra[i].lower[lane] - along) - rest[2], (along - (double)extra[i].upper[lane]) + rest[2],
		    validation);
	}
	if (body->volume == snug_volumeBall)
	{
		const sgBallLanes* balls = (const sgBallLanes*)(const void*)extra;
		double sum = 0.0;
		for (int k = 0; k < 3; ++k)
		{
			double difference = point[k] - (double)balls->center[k][lane];
			sum += difference * difference;
		}
		double distance = sqrt(sum) * (1.0 - 0x1p-50);
		CheckInside(-distance, distance - (double)balls->radius[lane], validation);
	}
}

// One leaf's vertices, evaluated anew, against the bounds of one node above it.
static void CheckLeaf(snugBody* body, const sgLeaf* leaf, sgBounds bounds, uint32_t lane, snugValidation* validation)
{
	sgLeafScratch scratch;
	const uint32_t* vertices = body->model->tree.leafVertices + leaf->firstVertex;
	sgLeafVertices found = sgBody_Evaluate(body, vertices, leaf->vertexCount, &scratch);
	for (uint32_t i = 0; i < leaf->vertexCount; ++i)
	{
		const float* p = found.positions + 3 * (size_t)found.indices[i];
		const double point[3] = { (double)p[0], (double)p[1], (double)p[2] };
		for (int axis = 0; axis < 3; ++axis)
		{
			double lower = (double)bounds.boxes->lower[axis][lane], upper = (double)bounds.boxes->upper[axis][lane];
			CheckInside(lower - point[axis], point[axis] - upper, validation);
		}
		if (bounds.extra != NULL)
		{
			CheckExtra(body, point, bounds.extra, lane, validation);
		}
	}
}

static SG_NOINLINE void Validate(snugBody* body, snugValidation* validation)
{
	const sgTree* tree = &body->model->tree;
	snugCounters counters = { 0 };
	sgBody_Prepare(body, &counters);
	for (uint32_t slot = 0; slot < tree->groupCount * SG_LANES; ++slot)
	{
		if (tree->nodes[slot].first == SG_NONE)
		{
			continue;
		}
		sgBoundsScratch scratch;
		sgBounds bounds = sgBody_Refresh(body, sgTree_Family(tree, slot), &scratch, &counters);
		sgLeafRange range = sgTree_LeavesBelow(tree, slot);
		for (uint32_t leaf = range.first; leaf <= range.last; ++leaf)
		{
			CheckLeaf(body, tree->leaves + leaf, bounds, slot % SG_LANES, validation);
		}
		++validation->nodesChecked;
	}
}

snugStatus snugBody_Validate(snugBody* body, snugValidation* validation)
{
	snugValidation own = { 0 };
	validation = validation != NULL ? validation : &own;
	*validation = own;
	SG_REQUIRE(body != NULL, snug_badArgument);
	sgFpEnv environment = sgFpEnv_Enter();
	Validate(body, validation);
	sgFpEnv_Leave(environment);
	return validation->violations == 0
	           ? snug_success
	           : sgFail(&body->messenger, snug_invalidBounds, "%llu of %llu checks of bounds failed",
	                 (unsigned long long)validation->violations, (unsigned long long)validation->checks);
}
