// src/scene/scene.c: bodies that come and go, and posing many of them. See scene.h.
#include "scene/scene.h"

#include "deform/deform.h"
#include "geometry/shape.h"
#include "query/probe.h"

// ---- Bodies ---------------------------------------------------------------------------------------------------------

static sgBroad* TreeOf(snugScene* scene, uint32_t id)
{
	const sgSceneBody* entry = scene->bodies + id;
	return entry->isShape ? &scene->round : entry->isStatic ? &scene->fixed : &scene->moving;
}

static uint32_t FindFree(const snugScene* scene)
{
	uint32_t id = scene->firstFree;
	while (id < scene->bodyCount && scene->bodies[id].state != sgScene_free)
	{
		++id;
	}
	return id;
}

static uint32_t IdOfBody(const snugScene* scene, const snugBody* body)
{
	uint32_t id = 0;
	while (scene->bodies[id].body != body)
	{
		++id;
	}
	return id;
}

static uint32_t BitsOr(uint32_t bits, uint32_t standard)
{
	return bits != 0 ? bits : standard;
}

snugStatus snugScene_Add(snugScene* scene, const snugSceneBodyDef* def, uint32_t* out)
{
	SG_REQUIRE(out != NULL, snug_badArgument);
	*out = UINT32_MAX;
	SG_REQUIRE(scene != NULL && def != NULL && !scene->isUpdating, snug_badArgument);
	SG_REQUIRE_RESERVED(def, snug_badArgument);
	const bool isShape = def->shape != NULL;
	SG_REQUIRE(isShape == (def->body == NULL), snug_badArgument);
	SG_REQUIRE(!isShape || (!def->meetsItself && def->replaces == NULL), snug_badArgument);
	SG_REQUIRE(isShape || def->body->owner == NULL, snug_badArgument); // in one scene at a time, and once
	SG_REQUIRE(def->replaces == NULL || def->replaces->owner == scene, snug_badArgument);
	SG_REQUIRE(!isShape || sgIsZero(def->shape->reserved, sizeof(def->shape->reserved)), snug_badArgument);
	if (isShape && sgCheckShape(&scene->messenger, def->shape) != snug_success)
	{
		return snug_badInput;
	}
	uint32_t id = def->replaces != NULL ? IdOfBody(scene, def->replaces) : FindFree(scene);
	if (id == scene->room.bodies)
	{
		return sgFail(&scene->messenger, snug_outOfRange, "the scene has room for %u bodies", scene->room.bodies);
	}
	scene->halt.isHalted = false;
	if (def->replaces != NULL)
	{
		sgBroad_Remove(TreeOf(scene, id), id);
		def->replaces->owner = NULL;
	}
	else
	{
		scene->firstFree = id + 1;
		scene->bodyCount += id == scene->bodyCount;
	}
	scene->bodies[id] = (sgSceneBody){
		.body = def->body,
		.user = def->user,
		.groups = BitsOr(def->groups, 1),
		.mask = BitsOr(def->mask, UINT32_MAX),
		.state = sgScene_present,
		.changes = 1,
		.isStatic = def->isStatic,
		.isShape = isShape,
		.meetsItself = def->meetsItself,
	};
	if (isShape)
	{
		scene->shapes[id] = sgShape_Round(def->shape);
	}
	else
	{
		def->body->owner = scene;
	}
	scene->boxes[id] = sgBox_Empty();
	scene->isActive[id] = 1;
	sgBroad_Add(TreeOf(scene, id), id);
	*out = id;
	return snug_success;
}

snugStatus snugScene_Remove(snugScene* scene, uint32_t id)
{
	SG_REQUIRE(scene != NULL && !scene->isUpdating && sgScene_IsPresent(scene, id), snug_badArgument);
	sgSceneBody* body = scene->bodies + id;
	scene->halt.isHalted = false;
	sgBroad_Remove(TreeOf(scene, id), id);
	if (!body->isShape)
	{
		body->body->owner = NULL;
	}
	body->body = NULL;
	body->state = sgScene_removed;
	return snug_success;
}

snugStatus snugScene_SetShape(snugScene* scene, uint32_t id, const snugShape* shape)
{
	SG_REQUIRE(scene != NULL && shape != NULL && !scene->isUpdating, snug_badArgument);
	SG_REQUIRE(sgScene_IsPresent(scene, id) && scene->bodies[id].isShape, snug_badArgument);
	SG_REQUIRE_RESERVED(shape, snug_badArgument);
	const snugStatus status = sgCheckShape(&scene->messenger, shape);
	if (status == snug_success)
	{
		scene->shapes[id] = sgShape_Round(shape);
		++scene->bodies[id].changes;
	}
	return status;
}

snugBody* snugScene_GetBody(const snugScene* scene, uint32_t id)
{
	SG_REQUIRE(scene != NULL, NULL);
	return sgScene_IsPresent(scene, id) ? scene->bodies[id].body : NULL;
}

void* snugScene_GetUser(const snugScene* scene, uint32_t id)
{
	SG_REQUIRE(scene != NULL, NULL);
	bool isKnown = id < scene->bodyCount && scene->bodies[id].state != sgScene_free;
	return isKnown ? scene->bodies[id].user : NULL;
}

snugStatus snugScene_SetGroups(snugScene* scene, uint32_t id, uint32_t groups, uint32_t mask)
{
	SG_REQUIRE(scene != NULL && !scene->isUpdating && sgScene_IsPresent(scene, id), snug_badArgument);
	sgSceneBody* body = scene->bodies + id;
	body->groups = BitsOr(groups, 1);
	body->mask = BitsOr(mask, UINT32_MAX);
	body->seen = 0;
	scene->halt.isHalted = false;
	return snug_success;
}

snugStatus snugScene_SetOrigin(snugScene* scene, const double origin[3])
{
	SG_REQUIRE(scene != NULL && !scene->isUpdating, snug_badArgument);
	SG_REQUIRE(origin != NULL && sgIsFinitePoint(origin), snug_badArgument);
	for (int axis = 0; axis < 3; ++axis)
	{
		scene->origin[axis] = origin[axis];
	}
	for (uint32_t id = 0; id < scene->bodyCount; ++id)
	{
		scene->bodies[id].boxed = scene->bodies[id].opened = 0;
	}
	scene->isNew = true;
	scene->halt.isHalted = false;
	return snug_success;
}

// ---- Threads and lists ----------------------------------------------------------------------------------------------

typedef struct Task
{
	snugTaskFcn* task;
	void* context;
} Task;

static void RunTask(void* context, uint32_t index)
{
	const Task* task = context;
	sgFpEnv environment = sgFpEnv_Enter();
	task->task(task->context, index);
	sgFpEnv_Leave(environment);
}

void sgScene_Run(snugScene* scene, uint32_t count, snugTaskFcn* task, void* context)
{
	if (scene->workers.run == NULL || count <= 1)
	{
		for (uint32_t i = 0; i < count; ++i)
		{
			task(context, i);
		}
		return;
	}
	Task shared = { task, context };
	sgFpEnv_Leave(scene->callersEnvironment);
	scene->workers.run(scene->workers.user, count, RunTask, &shared);
	sgFpEnv_Enter();
}

void sgScene_BeginList(snugScene* scene)
{
	scene->listCount = 0;
	if (++scene->lastMark == 0) // after 2^32 lists
	{
		for (uint32_t id = 0; id < scene->bodyCount; ++id)
		{
			scene->bodies[id].mark = 0;
		}
		scene->lastMark = 1;
	}
}

void sgScene_List(snugScene* scene, uint32_t id)
{
	if (scene->bodies[id].mark != scene->lastMark)
	{
		scene->bodies[id].mark = scene->lastMark;
		scene->list[scene->listCount++] = id;
	}
}

uint32_t sgScene_FindTooFar(const snugScene* scene)
{
	uint32_t tooFar = SG_NONE;
	for (uint32_t i = 0; i < scene->listCount; ++i)
	{
		uint32_t id = scene->list[i];
		tooFar = scene->bodies[id].isTooFar && id < tooFar ? id : tooFar;
	}
	return tooFar;
}

void sgScene_Count(snugScene* scene, const snugCounters* counters)
{
	while (atomic_flag_test_and_set_explicit(&scene->lock, memory_order_acquire))
	{
	}
	sgCounters_Add(&scene->counters, counters);
	atomic_flag_clear_explicit(&scene->lock, memory_order_release);
}

snugCounters sgScene_TakeCounters(snugScene* scene)
{
	const snugCounters counters = scene->counters;
	scene->counters = (snugCounters){ 0 };
	return counters;
}

// ---- Poses ----------------------------------------------------------------------------------------------------------

/// Bodies that a thread poses in one go.
enum
{
	POSES_PER_TASK = 32
};

typedef struct Posing
{
	snugScene* scene;
	const snugScenePoses* poses;
	size_t jointStride, bodyStride, amplitudeStride;
	_Atomic uint32_t firstRefused; ///< the least
} Posing;

static uint32_t IdOf(const snugScenePoses* poses, uint32_t index)
{
	return poses->ids != NULL ? poses->ids[index] : index;
}

static snugStatus PoseOne(const Posing* posing, uint32_t index)
{
	const snugScenePoses* poses = posing->poses;
	snugBody* body = posing->scene->bodies[IdOf(poses, index)].body;
	snugStatus status = snug_success;
	if (poses->amplitudes != NULL)
	{
		const char* amplitudes = (const char*)poses->amplitudes + index * posing->amplitudeStride;
		status = snugBody_SetAmplitudes(body, (const float*)(const void*)amplitudes, body->model->info.fieldCount);
	}
	if (status == snug_success && poses->joints != NULL)
	{
		const float* joints = (const float*)(const void*)((const char*)poses->joints + index * posing->bodyStride);
		uint32_t count = body->model->info.jointCount;
		status = poses->isColumns ? snugBody_SetJoints4x4(body, joints, poses->jointStride, count)
		                          : snugBody_SetJoints(body, joints, poses->jointStride, count);
	}
	return status == snug_success && poses->frames != NULL ? snugBody_SetFrame(body, poses->frames + index) : status;
}

// Ask memory for what posing the body after the next needs, and for the matrices and the pose of the next: a crowd is
// larger than any cache, and matrices are not read in the order in which they lie there.
// @param end bodies from this one on are another task's
SG_INLINE void Expect(const Posing* posing, uint32_t index, uint32_t end)
{
	const snugScenePoses* poses = posing->poses;
	if (index + 1 < end)
	{
		sgPrefetch(posing->scene->bodies[IdOf(poses, index + 1)].body, 64);
	}
	if (index < end)
	{
		const snugBody* body = posing->scene->bodies[IdOf(poses, index)].body;
		size_t bytes = poses->joints != NULL ? posing->jointStride * body->model->info.jointCount : 0;
		sgPrefetch((const char*)poses->joints + index * posing->bodyStride, bytes);
		sgPrefetch(body->posed.pose, body->poseBytes);
	}
}

static void PoseTask(void* context, uint32_t index)
{
	Posing* posing = context;
	snugCounters counters = { 0 };
	uint32_t first = index * POSES_PER_TASK, end = first + POSES_PER_TASK;
	end = end < posing->poses->count ? end : posing->poses->count;
	for (uint32_t i = first; i < end; ++i)
	{
		Expect(posing, i + 1, end);
		// Messages are for the calling thread, which will ask once more for the first that was refused.
		snugBody* body = posing->scene->bodies[IdOf(posing->poses, i)].body;
		snugMessenger messenger = body->messenger;
		body->messenger = (snugMessenger){ 0 };
		bool isRefused = PoseOne(posing, i) != snug_success;
		body->messenger = messenger;
		// The pose is at hand now, and would have to be fetched again by the update.
		sgScene_BoundBody(posing->scene, IdOf(posing->poses, i), &counters);
		uint32_t least = atomic_load_explicit(&posing->firstRefused, memory_order_relaxed);
		while (isRefused && i < least && !atomic_compare_exchange_weak(&posing->firstRefused, &least, i))
		{
		}
	}
	sgScene_Count(posing->scene, &counters);
}

// All ids are those of bodies, none twice; matrices are for skins only, and amplitudes for what has fields.
static bool ArePossible(snugScene* scene, const snugScenePoses* poses)
{
	sgScene_BeginList(scene);
	for (uint32_t i = 0; i < poses->count; ++i)
	{
		uint32_t id = IdOf(poses, i), before = scene->listCount;
		if (!sgScene_IsBody(scene, id))
		{
			return false;
		}
		sgScene_List(scene, id);
		const uint32_t inputs = scene->bodies[id].body->deform->inputs;
		const bool isSkin = (inputs >> sgPose_joints & 1) != 0,
		           hasFields = scene->bodies[id].body->model->info.fieldCount > 0;
		if (scene->listCount == before || (poses->joints != NULL && !isSkin) ||
		    (poses->amplitudes != NULL && !hasFields))
		{
			return false;
		}
	}
	return true;
}

snugStatus snugScene_SetPoses(snugScene* scene, const snugScenePoses* poses)
{
	SG_REQUIRE(scene != NULL && poses != NULL && !scene->isUpdating, snug_badArgument);
	SG_REQUIRE_RESERVED(poses, snug_badArgument);
	SG_REQUIRE(ArePossible(scene, poses), snug_badArgument);
	if (poses->count == 0)
	{
		return snug_success;
	}
	size_t jointStride = sgStride(poses->jointStride, (poses->isColumns ? 16 : 12) * sizeof(float));
	SG_REQUIRE(jointStride != 0 && poses->bodyStride % 4 == 0, snug_badArgument);
	SG_REQUIRE(poses->amplitudeStride % 4 == 0, snug_badArgument);
	const snugModelInfo* info = &scene->bodies[IdOf(poses, 0)].body->model->info;
	const size_t standard = jointStride * info->jointCount, fields = info->fieldCount * sizeof(float);
	Posing posing = {
		.scene = scene,
		.poses = poses,
		.jointStride = jointStride,
		.bodyStride = poses->bodyStride != 0 ? poses->bodyStride : standard,
		.amplitudeStride = poses->amplitudeStride != 0 ? poses->amplitudeStride : fields,
		.firstRefused = UINT32_MAX,
	};
	scene->callersEnvironment = sgFpEnv_Enter();
	sgScene_Run(scene, sgTasksFor(poses->count, POSES_PER_TASK), PoseTask, &posing);
	sgFpEnv_Leave(scene->callersEnvironment);
	uint32_t refused = atomic_load_explicit(&posing.firstRefused, memory_order_relaxed);
	return refused == UINT32_MAX ? snug_success : PoseOne(&posing, refused);
}
