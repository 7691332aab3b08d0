// src/body/body.c: making bodies, and placing them. See body.h.
#include "body/body.h"

#include "base/fpenv.h"

#include <string.h>

static void Release(snugBody* body)
{
	snugAllocator allocator = body->allocator;
	if (body->ownsPool)
	{
		snugPool_Destroy(body->pool);
	}
	sgRelease(&allocator, body->index, sgBody_IndexBytes(body));
	sgRelease(&allocator, (void*)body->pageTable, body->pageCount * sizeof(uint32_t));
	sgRelease(&allocator, body->displaced, sgBody_DisplacedBytes(body));
	sgRelease(&allocator, body->derived, body->derivedBytes);
	sgRelease(&allocator, body->poses, body->poseCount * body->poseBytes);
	sgRelease(&allocator, body, sizeof(snugBody));
}

// The rest pose, and room for the next one and for what follows from them.
static bool AllocatePoses(snugBody* body)
{
	const sgDeform* deform = body->deform;
	if (deform->poseBytes == NULL)
	{
		return true;
	}
	bool isMorphed = body->model->info.jointCount > 0 && body->model->info.fieldCount > 0;
	body->poseCount = deform->posesInPlace && !isMorphed ? 1 : 2;
	body->poseBytes = deform->poseBytes(body->model);
	body->poses = sgAllocate(&body->allocator, body->poseCount * body->poseBytes);
	body->derivedBytes = deform->derivedBytes != NULL ? deform->derivedBytes(body->model) : 0;
	body->derived = deform->derivedBytes != NULL ? sgAllocate(&body->allocator, body->derivedBytes) : NULL;
	if (body->poses == NULL || (deform->derivedBytes != NULL && body->derived == NULL))
	{
		return false;
	}
	memset(body->poses, 0, body->poseCount * body->poseBytes);
	if (body->derived != NULL)
	{
		memset(body->derived, 0, body->derivedBytes);
	}
	body->posed.pose = body->poses;
	return true;
}

// A pool of its own has a page for everything, so posing and querying never need memory.
static bool AllocateCaches(snugBody* body)
{
	if (body->deform->bound == NULL)
	{
		return true;
	}
	const snugModel* model = body->model;
	body->groupPages = ((model->tree.groupCount - 1) >> SG_GROUPS_SHIFT) + 1;
	body->pageCount = body->groupPages + (model->clusters.header != NULL ? model->clusters.header->pageCount : 0);
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
		.posed = { .model = def->model },
		.deform = def->model->deform,
		.allocator = allocator,
		.messenger = def->messenger,
		.isAtRest = def->model->deform->restIsExact,
		.strategy = def->model->deform->refitsBottomUp ? snug_strategyBottomUp : def->strategy,
		.frontMemory = InitialMemory(def),
		.refitsAll = def->model->deform->refitsBottomUp || def->strategy == snug_strategyBottomUp,
		.version = 1,
		.changes = 1,
		.step = UINT16_MAX / 2, // far from the zeros of new pages
		.frame = { .rotation = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, .isIdentity = true },
		.pool = def->pool,
	};
	if (!AllocatePoses(body) || !AllocateCaches(body))
	{
		Release(body);
		return sgFail(&def->messenger, snug_outOfMemory, "no memory for a body");
	}
	if (body->poses != NULL)
	{
		sgFpEnv environment = sgFpEnv_Enter();
		sgPoseChange change = { 0 };
		body->deform->setPose(body->model, &(sgPoseInput){ .kind = sgPose_rest }, NULL, body->poses, &change);
		body->isMotionPending = change.isPending;
		sgFpEnv_Leave(environment);
	}
	atomic_fetch_add_explicit(sgModel_Bodies(body->model), 1, memory_order_relaxed);
	*out = body;
	return snug_success;
}

void snugBody_Destroy(snugBody* body)
{
	if (body != NULL)
	{
		SG_REQUIRE(body->owner == NULL, ); // a scene would go on using it: take it out first
		const snugModel* model = body->model;
		sgBody_ReturnPages(body);
		Release(body);
		atomic_fetch_sub_explicit(sgModel_Bodies(model), 1, memory_order_release);
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
	size_t bytes =
	    sizeof(snugBody) + body->poseCount * body->poseBytes + body->derivedBytes + body->pageCount * sizeof(uint32_t);
	bytes += sgBody_IndexBytes(body) + sgBody_DisplacedBytes(body);
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
	if (!sgFrame_Make(frame, &made))
	{
		return false;
	}
	// Callers that set every frame each time do not wake bodies at rest.
	bool isSame = memcmp(made.rotation, body->frame.rotation, sizeof(made.rotation)) == 0 &&
	              memcmp(made.position, body->frame.position, sizeof(made.position)) == 0;
	body->changes += !isSame;
	body->frame = made;
	return true;
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

// Written so that NaN fails.
static bool FindReach(const snugBody* body, sgBox* around)
{
	float reach[3];
	bool isGood = body->deform->reach != NULL && !body->isAtRest;
	if (isGood)
	{
		body->deform->reach(&body->posed, reach);
	}
	for (int axis = 0; axis < 3 && isGood; ++axis)
	{
		isGood = reach[axis] <= SNUG_MAX_COORDINATE;
		around->lower[axis] = -reach[axis];
		around->upper[axis] = reach[axis];
	}
	return isGood;
}

snugStatus sgBody_MakeLoosePlacement(
    snugBody* body, const double origin[3], sgBox* around, sgPlacement* placement, snugCounters* counters)
{
	if (FindReach(body, around) && sgPlacement_Make(&body->frame, origin, around, placement))
	{
		sgBody_Derive(body);
		return snug_success;
	}
	return sgBody_MakePlacement(body, origin, around, placement, counters);
}

snugStatus sgBody_MakePlacement(
    snugBody* body, const double origin[3], sgBox* root, sgPlacement* placement, snugCounters* counters)
{
	*root = sgBody_RootBox(body, counters);
	return sgPlacement_Make(&body->frame, origin, root, placement)
	           ? snug_success
	           : sgFail(&body->messenger, snug_outOfRange, "the body is too far from the origin");
}
