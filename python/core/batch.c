// python/core/batch.c: one query in many poses, on all cores. snugmesh.batch has the functions.
//
// Each worker has bodies of its own, and takes a few poses at a time: if they have amplitudes, with a body for each, so
// that the fields are read once for all. Answers are put together in the order of poses, so it does not matter who
// found them: they are those of single calls. Workers run C only; between rounds of them, there is time for Python:
// signals, and somebody who wants to know how far it is.
#include "core.h"

#include "io/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum Kind
{
	kind_self,
	kind_collide,
	kind_distance,
	kind_inside,
} Kind;

enum
{
	POSES_AT_ONCE = 4,
	ROUNDS = 64, // at most, of all poses
};

/// Poses of one side.
typedef struct Side
{
	const smModel* model; ///< null: there is none
	smArray joints, amplitudes, frames;
} Side;

typedef struct Worker
{
	snugBody* bodies[2][POSES_AT_ONCE]; // of each side; one for all poses where that is enough
	smText said;
	snugPair* pairs;
	uint64_t count;
	size_t capacity;
} Worker;

/// Where the pairs of a pose are.
typedef struct Place
{
	uint32_t worker;
	uint64_t first, count;
} Place;

typedef struct Batch
{
	Kind kind;
	Side sides[2];
	uint32_t count; ///< poses
	uint32_t threads;
	bool keepRest;
	double maxDistance;
	smArray points; ///< (points, 3), the same for all poses
	Worker workers[SM_MAX_THREADS];
	Place* places; ///< (count), of pairs
	snugDistanceResult* distances;
	snugPointSide* inside;
	atomic_uint next; ///< pose to be taken
	uint32_t end;     ///< of this round
	atomic_bool hasFailed;
	snugStatus status; ///< of the first pose that failed, and
	uint32_t failed;
	smText said; ///< why
	atomic_flag lock;
} Batch;

// ---- Workers --------------------------------------------------------------------------------------------------------

static snugStatus Pose(const Side* side, snugBody* body, uint32_t i)
{
	snugStatus status = snug_success;
	if (side->amplitudes.isHeld)
	{
		const float* amplitudes = (const float*)((const char*)side->amplitudes.data + i * side->amplitudes.stride);
		status = snugBody_SetAmplitudes(body, amplitudes, side->model->info.fieldCount);
	}
	if (side->joints.isHeld && status == snug_success)
	{
		const size_t stride = 4 * sizeof(float) * (size_t)side->joints.view.shape[2];
		const float* joints = (const float*)((const char*)side->joints.data + i * side->joints.stride);
		status = snugBody_SetJoints(body, joints, stride, side->model->info.jointCount);
	}
	if (side->frames.isHeld && status == snug_success)
	{
		status = snugBody_SetFrame(body, (const snugFrame*)side->frames.data + i);
	}
	return status;
}

static bool MakeRoom(Worker* worker, uint64_t more)
{
	return ioGrow(&worker->pairs, &worker->capacity, (size_t)(worker->count + more), sizeof(snugPair));
}

// Where amplitudes differ from pose to pose, each of those taken at a time has a body.
static uint32_t CountBodies(const Side* side)
{
	return side->model == NULL ? 0 : side->amplitudes.isHeld ? POSES_AT_ONCE : 1;
}

static snugBody* BodyOf(const Batch* batch, const Worker* worker, int k, uint32_t i)
{
	const uint32_t count = CountBodies(batch->sides + k);
	return count > 0 ? worker->bodies[k][i % count] : NULL;
}

static snugResult AskForPairs(const Batch* batch, const Worker* worker, uint32_t i)
{
	const snugQuery query = { .pairs = worker->pairs + worker->count,
		.capacity = worker->capacity - worker->count,
		.keepRest = batch->keepRest };
	snugBody *a = BodyOf(batch, worker, 0, i), *b = BodyOf(batch, worker, 1, i);
	return batch->kind == kind_self ? snugCollideSelf(a, &query) : snugCollide(a, b, &query);
}

static snugStatus FindPairs(Batch* batch, Worker* worker, uint32_t i)
{
	if (!MakeRoom(worker, 256))
	{
		return snug_outOfMemory;
	}
	snugResult result = AskForPairs(batch, worker, i);
	if (result.status == snug_success && result.count > worker->capacity - worker->count)
	{
		if (!MakeRoom(worker, result.count))
		{
			return snug_outOfMemory;
		}
		result = AskForPairs(batch, worker, i);
	}
	if (result.status == snug_success)
	{
		batch->places[i] = (Place){ (uint32_t)(worker - batch->workers), worker->count, result.count };
		worker->count += result.count;
	}
	return result.status;
}

static snugStatus Ask(Batch* batch, Worker* worker, uint32_t i)
{
	if (batch->kind == kind_distance)
	{
		const snugDistanceQuery query = { .maxDistance = batch->maxDistance };
		batch->distances[i] = snugFindDistance(BodyOf(batch, worker, 0, i), BodyOf(batch, worker, 1, i), &query);
		return batch->distances[i].status;
	}
	if (batch->kind == kind_inside)
	{
		snugPointSide* sides = batch->inside + (size_t)i * batch->points.count;
		return snugFindInside(
		    BodyOf(batch, worker, 0, i), batch->points.data, batch->points.stride, batch->points.count, sides, NULL)
		    .status;
	}
	return FindPairs(batch, worker, i);
}

// The first pose that fails is told of, whoever has it: those before it have been taken already.
static void Fail(Batch* batch, const Worker* worker, uint32_t i, snugStatus status)
{
	while (atomic_flag_test_and_set(&batch->lock))
	{
	}
	if (batch->status == snug_success || i < batch->failed)
	{
		batch->status = status;
		batch->failed = i;
		batch->said = worker->said;
	}
	atomic_flag_clear(&batch->lock);
	atomic_store(&batch->hasFailed, true);
}

static snugStatus MakeBodies(const Batch* batch, Worker* worker)
{
	snugStatus status = snug_success;
	for (int k = 0; k < 2; ++k)
	{
		for (uint32_t i = 0; i < CountBodies(batch->sides + k) && status == snug_success; ++i)
		{
			const snugBodyDef def = { .model = batch->sides[k].model->model,
				.messenger = { smRemember, &worker->said } };
			status = worker->bodies[k][i] == NULL ? snugBody_Create(&def, &worker->bodies[k][i]) : snug_success;
		}
	}
	return status;
}

// Where queries look at most of a body, reading what fields do to it is most of the work.
static bool LooksAtMost(const Batch* batch)
{
	const uint32_t vertices = batch->sides[0].model->info.vertexCount;
	return batch->kind == kind_self || (batch->kind == kind_inside && batch->points.count > vertices / 8);
}

// Pose the bodies that are of one pose only. The first pose that is refused ends what is asked of the others.
static uint32_t PoseTogether(Batch* batch, Worker* worker, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; ++i)
	{
		snugStatus status = snug_success;
		for (int k = 0; k < 2 && status == snug_success; ++k)
		{
			const Side* side = batch->sides + k;
			status = CountBodies(side) > 1 ? Pose(side, BodyOf(batch, worker, k, i), i) : snug_success;
		}
		if (status != snug_success)
		{
			Fail(batch, worker, i, status);
			end = i;
		}
	}
	snugBody* bodies[POSES_AT_ONCE];
	for (uint32_t i = first; i < end; ++i)
	{
		bodies[i - first] = BodyOf(batch, worker, 0, i);
	}
	// Without memory for it each is asked as it is.
	if (end > first && CountBodies(batch->sides) > 1 && LooksAtMost(batch))
	{
		snugBody_DisplaceTogether(bodies, end - first);
	}
	return end;
}

// Poses one after the other, but for what they share. False if some failed.
static bool WorkOn(Batch* batch, Worker* worker, uint32_t first, uint32_t end)
{
	const uint32_t posed = PoseTogether(batch, worker, first, end);
	for (uint32_t i = first; i < posed; ++i)
	{
		snugStatus status = snug_success;
		worker->said.text[0] = '\0';
		for (int k = 0; k < 2 && status == snug_success; ++k)
		{
			const Side* side = batch->sides + k;
			status = CountBodies(side) == 1 ? Pose(side, BodyOf(batch, worker, k, i), i) : snug_success;
		}
		status = status == snug_success ? Ask(batch, worker, i) : status;
		if (status != snug_success)
		{
			Fail(batch, worker, i, status);
			return false;
		}
	}
	return posed == end;
}

// A snugTaskFcn, one for each worker.
static void Work(void* context, uint32_t number)
{
	Batch* batch = context;
	Worker* worker = batch->workers + number;
	const snugStatus made = MakeBodies(batch, worker);
	while (!atomic_load(&batch->hasFailed))
	{
		const uint32_t first = atomic_fetch_add(&batch->next, POSES_AT_ONCE);
		if (first >= batch->end)
		{
			return;
		}
		const uint32_t end = batch->end - first < POSES_AT_ONCE ? batch->end : first + POSES_AT_ONCE;
		worker->said.text[0] = '\0';
		if (made != snug_success)
		{
			Fail(batch, worker, first, made);
			return;
		}
		if (!WorkOn(batch, worker, first, end))
		{
			return;
		}
	}
}

// ---- Rounds ---------------------------------------------------------------------------------------------------------

static bool TellProgress(PyObject* progress, uint32_t done, uint32_t count)
{
	if (PyErr_CheckSignals() != 0)
	{
		return false;
	}
	PyObject* nothing = progress != Py_None
	                        ? PyObject_CallFunction(progress, "kk", (unsigned long)done, (unsigned long)count)
	                        : Py_NewRef(Py_None);
	Py_XDECREF(nothing);
	return nothing != NULL;
}

static bool RaiseFailure(const Batch* batch)
{
	smText text;
	const char* why = batch->said.text[0] != '\0' ? batch->said.text : snugGetStatusText(batch->status);
	PyOS_snprintf(text.text, sizeof(text.text), "pose %lu: %.400s", (unsigned long)batch->failed, why);
	smFail(batch->status, &text);
	return false;
}

static bool RunRounds(Batch* batch, PyObject* progress)
{
	const uint32_t least = 8 * POSES_AT_ONCE * batch->threads,
	               size = batch->count / ROUNDS > least ? batch->count / ROUNDS : least;
	for (uint32_t first = 0; first < batch->count; first = batch->end)
	{
		batch->end = batch->count - first < size ? batch->count : first + size;
		atomic_store(&batch->next, first);
		Py_BEGIN_ALLOW_THREADS;
		smRunOnThreads(&batch->threads, batch->threads, Work, batch);
		Py_END_ALLOW_THREADS;
		if (batch->status != snug_success)
		{
			return RaiseFailure(batch);
		}
		if (!TellProgress(progress, batch->end, batch->count))
		{
			return false;
		}
	}
	return true;
}

// ---- Answers --------------------------------------------------------------------------------------------------------

static PyObject* MakePairs(const Batch* batch)
{
	uint64_t total = 0;
	for (uint32_t i = 0; i < batch->count; ++i)
	{
		total += batch->places[i].count;
	}
	const Py_ssize_t starts = (Py_ssize_t)batch->count + 1, lengths[2] = { (Py_ssize_t)total, 2 };
	void *offsets, *pairs;
	PyObject* answer = Py_BuildValue(
	    "(NN)", smNewArray(sm_typeInt64, 1, &starts, &offsets), smNewArray(sm_typeUint32, 2, lengths, &pairs));
	if (answer == NULL)
	{
		return NULL;
	}
	int64_t at = 0;
	for (uint32_t i = 0; i < batch->count; ++i)
	{
		const Place place = batch->places[i];
		((int64_t*)offsets)[i] = at;
		if (place.count > 0)
		{
			memcpy((snugPair*)pairs + at, batch->workers[place.worker].pairs + place.first,
			    place.count * sizeof(snugPair));
		}
		at += (int64_t)place.count;
	}
	((int64_t*)offsets)[batch->count] = at;
	return answer;
}

// How far, between which triangles, and where.
static PyObject* MakeDistances(const Batch* batch)
{
	const Py_ssize_t n = (Py_ssize_t)batch->count, two[2] = { n, 2 }, three[3] = { n, 2, 3 };
	void *far, *numbers, *places;
	PyObject* answer = Py_BuildValue("(NNN)", smNewArray(sm_typeFloat64, 1, &n, &far),
	    smNewArray(sm_typeUint32, 2, two, &numbers), smNewArray(sm_typeFloat32, 3, three, &places));
	for (uint32_t i = 0; answer != NULL && i < batch->count; ++i)
	{
		const snugDistanceResult* d = batch->distances + i;
		const bool isWithin = d->isWithin;
		float* points = (float*)places + 6 * (size_t)i;
		((double*)far)[i] = isWithin ? d->distance : (double)INFINITY;
		((uint32_t*)numbers)[2 * (size_t)i] = isWithin ? d->a : SNUG_NONE;
		((uint32_t*)numbers)[2 * (size_t)i + 1] = isWithin ? d->b : SNUG_NONE;
		for (int k = 0; k < 3; ++k)
		{
			points[k] = isWithin ? d->pointA[k] : NAN;
			points[3 + k] = isWithin ? d->pointB[k] : NAN;
		}
	}
	return answer;
}

// ---- Asking ---------------------------------------------------------------------------------------------------------

static bool TakeSide(Batch* batch, Side* side, PyObject* given)
{
	PyObject *model, *joints, *amplitudes, *frames;
	if (given == Py_None)
	{
		return true;
	}
	if (!PyArg_ParseTuple(given, "OOOO", &model, &joints, &amplitudes, &frames))
	{
		return false;
	}
	if (Py_TYPE(model) != smModelType)
	{
		PyErr_SetString(PyExc_TypeError, "model must be a snugmesh.Model");
		return false;
	}
	side->model = (const smModel*)model;
	const Py_ssize_t n = batch->count, j = side->model->info.jointCount, f = side->model->info.fieldCount;
	if (joints != Py_None &&
	    !smArray_TakePacked(&side->joints, joints, "joints", sm_float32, (smShape){ 4, { n, j, SM_ROWS, 4 } }))
	{
		return false;
	}
	const Py_ssize_t rows = side->joints.isHeld ? side->joints.view.shape[2] : 3;
	return (rows == 3 || smCheckLastRows("joints", side->joints.data, 16 * sizeof(float), (size_t)(n * j))) &&
	       (amplitudes == Py_None ||
	           smArray_TakePacked(&side->amplitudes, amplitudes, "amplitudes", sm_float32, (smShape){ 2, { n, f } })) &&
	       (frames == Py_None ||
	           smArray_TakePacked(&side->frames, frames, "frames", sm_float64, (smShape){ 2, { n, 7 } }));
}

static bool MakeRoomForAnswers(Batch* batch, PyObject** answer)
{
	const Py_ssize_t lengths[2] = { (Py_ssize_t)batch->count, (Py_ssize_t)batch->points.count };
	void* data = NULL;
	batch->places = calloc((size_t)batch->count + 1, sizeof(Place));
	batch->distances =
	    batch->kind == kind_distance ? calloc((size_t)batch->count + 1, sizeof(snugDistanceResult)) : NULL;
	*answer = batch->kind == kind_inside ? smNewArray(sm_typeSide, 2, lengths, &data) : NULL;
	batch->inside = data;
	if (batch->places == NULL || (batch->kind == kind_distance && batch->distances == NULL))
	{
		PyErr_NoMemory();
	}
	return PyErr_Occurred() == NULL;
}

static void Free(Batch* batch)
{
	for (uint32_t i = 0; i < SM_MAX_THREADS; ++i)
	{
		for (int k = 0; k < 2 * POSES_AT_ONCE; ++k)
		{
			snugBody_Destroy(batch->workers[i].bodies[k / POSES_AT_ONCE][k % POSES_AT_ONCE]);
		}
		free(batch->workers[i].pairs);
	}
	for (int k = 0; k < 2; ++k)
	{
		smArray_Release(&batch->sides[k].joints);
		smArray_Release(&batch->sides[k].amplitudes);
		smArray_Release(&batch->sides[k].frames);
	}
	smArray_Release(&batch->points);
	free(batch->places);
	free(batch->distances);
	free(batch);
}

static PyObject* Answer(Batch* batch, PyObject* progress)
{
	PyObject* answer = NULL;
	if (!MakeRoomForAnswers(batch, &answer) || !RunRounds(batch, progress))
	{
		Py_XDECREF(answer);
		return NULL;
	}
	return batch->kind == kind_inside ? answer : batch->kind == kind_distance ? MakeDistances(batch) : MakePairs(batch);
}

static PyObject* Run(PyObject* module, PyObject* arguments)
{
	int kind, keepRest;
	PyObject *a, *b, *points, *threads, *progress, *answer = NULL;
	unsigned long count;
	double maxDistance;
	(void)module;
	if (!PyArg_ParseTuple(
	        arguments, "ikOOpdOOO", &kind, &count, &a, &b, &keepRest, &maxDistance, &points, &threads, &progress))
	{
		return NULL;
	}
	Batch* batch = calloc(1, sizeof(Batch));
	if (batch == NULL)
	{
		return PyErr_NoMemory();
	}
	batch->kind = (Kind)kind;
	batch->count = (uint32_t)count;
	batch->keepRest = keepRest != 0;
	batch->maxDistance = maxDistance;
	if (smReadThreads(threads, &batch->threads) && TakeSide(batch, batch->sides, a) &&
	    TakeSide(batch, batch->sides + 1, b) &&
	    (points == Py_None || smArray_Take(&batch->points, points, "points", sm_float32, (smShape){ 2, { -1, 3 } })))
	{
		answer = Answer(batch, progress);
	}
	Free(batch);
	return answer;
}

static PyMethodDef functions[] = {
	{ "_run_batch", Run, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

bool smAddBatch(PyObject* module)
{
	return PyModule_AddFunctions(module, functions) == 0;
}
