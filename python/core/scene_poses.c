// python/core/scene_poses.c: Scene.set_poses, many bodies at once.
#include "scene.h"

#include <stdlib.h>

/// What was given. Zero: nothing.
typedef struct Poses
{
	smArray joints, frames, amplitudes;
	uint32_t* ids; ///< nullable: 0, 1, 2, ...
	uint32_t count;
	Py_ssize_t jointCount, rows; ///< of a matrix
	Py_ssize_t fieldCount;
} Poses;

static void Release(Poses* p)
{
	smArray_Release(&p->joints);
	smArray_Release(&p->frames);
	smArray_Release(&p->amplitudes);
	free(p->ids);
}

static bool TakeJoints(Poses* p, PyObject* object)
{
	if (!smArray_TakePacked(&p->joints, object, "joints", sm_float32, (smShape){ 4, { -1, -1, SM_ROWS, 4 } }))
	{
		return false;
	}
	p->count = p->joints.count;
	p->jointCount = p->joints.view.shape[1];
	p->rows = p->joints.view.shape[2];
	const size_t matrices = p->count * (size_t)p->jointCount;
	return p->rows == 3 || smCheckLastRows("joints", p->joints.data, 16 * sizeof(float), matrices);
}

static bool TakeFrames(Poses* p, PyObject* object)
{
	const Py_ssize_t wanted = p->joints.isHeld ? (Py_ssize_t)p->count : -1;
	if (!smArray_TakePacked(&p->frames, object, "frames", sm_float64, (smShape){ 2, { wanted, 7 } }))
	{
		return false;
	}
	p->count = p->frames.count;
	return true;
}

static bool TakeAmplitudes(Poses* p, PyObject* object)
{
	const Py_ssize_t wanted = p->joints.isHeld || p->frames.isHeld ? (Py_ssize_t)p->count : -1;
	if (!smArray_TakePacked(&p->amplitudes, object, "amplitudes", sm_float32, (smShape){ 2, { wanted, -1 } }))
	{
		return false;
	}
	p->count = p->amplitudes.count;
	p->fieldCount = p->amplitudes.view.shape[1];
	return true;
}

static bool TakeIds(Poses* p, PyObject* object)
{
	uint32_t count;
	p->ids = smReadIds(object, "ids", UINT32_MAX, &count);
	if (p->ids != NULL && count != p->count)
	{
		PyErr_Format(
		    PyExc_ValueError, "there are %lu ids for %lu bodies", (unsigned long)count, (unsigned long)p->count);
		return false;
	}
	return p->ids != NULL;
}

static uint32_t IdOf(const Poses* p, uint32_t i)
{
	return p->ids != NULL ? p->ids[i] : i;
}

// The library reads as many matrices as a body has joints, so their number is checked here.
static bool CheckBody(const smScene* self, const Poses* p, uint32_t i, bool* isListed)
{
	const uint32_t id = IdOf(p, i);
	if (id >= self->capacity || self->bodies[id] == NULL)
	{
		PyErr_Format(PyExc_KeyError, "there is no body %lu in this scene", (unsigned long)id);
		return false;
	}
	if (isListed[id])
	{
		PyErr_Format(PyExc_ValueError, "body %lu is posed twice", (unsigned long)id);
		return false;
	}
	isListed[id] = true;
	const uint32_t joints = self->bodies[id]->model->info.jointCount;
	if (p->joints.isHeld && (joints == 0 || joints != (uint64_t)p->jointCount))
	{
		PyErr_Format(PyExc_ValueError, "joints: body %lu has %lu joints, not %zd", (unsigned long)id,
		    (unsigned long)joints, p->jointCount);
		return false;
	}
	const uint32_t fields = self->bodies[id]->model->info.fieldCount;
	if (p->amplitudes.isHeld && (fields == 0 || fields != (uint64_t)p->fieldCount))
	{
		PyErr_Format(PyExc_ValueError, "amplitudes: body %lu has %lu fields, not %zd", (unsigned long)id,
		    (unsigned long)fields, p->fieldCount);
		return false;
	}
	return true;
}

static bool CheckBodies(const smScene* self, const Poses* p)
{
	bool* isListed = calloc((size_t)self->capacity + 1, sizeof(bool));
	bool good = isListed != NULL;
	if (!good)
	{
		PyErr_NoMemory();
	}
	for (uint32_t i = 0; i < p->count && good; ++i)
	{
		good = CheckBody(self, p, i, isListed);
	}
	free(isListed);
	return good;
}

// The body that was refused has been told why.
static PyObject* Fail(const smScene* self, const Poses* p, snugStatus status)
{
	const smText* said = &self->said;
	for (uint32_t i = 0; i < p->count && said->text[0] == '\0'; ++i)
	{
		said = &self->bodies[IdOf(p, i)]->said;
	}
	return smFail(status, said);
}

static PyObject* Pose(smScene* self, const Poses* p)
{
	const size_t jointStride = 4 * sizeof(float) * (size_t)p->rows;
	const snugScenePoses poses = {
		.ids = p->ids,
		.count = p->count,
		.joints = p->joints.isHeld ? p->joints.data : NULL,
		.jointStride = p->joints.isHeld ? jointStride : 0,
		.bodyStride = p->joints.isHeld ? jointStride * (size_t)p->jointCount : 0,
		.frames = p->frames.isHeld ? p->frames.data : NULL,
		.amplitudes = p->amplitudes.isHeld ? p->amplitudes.data : NULL,
		.amplitudeStride = p->amplitudes.isHeld ? sizeof(float) * (size_t)p->fieldCount : 0,
	};
	snugStatus status;
	Py_BEGIN_ALLOW_THREADS;
	status = snugScene_SetPoses(self->scene, &poses);
	Py_END_ALLOW_THREADS;
	return status == snug_success ? Py_NewRef(Py_None) : Fail(self, p, status);
}

PyObject* smScene_SetPoses(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "set_poses", 0, 1, 4, { "joints", "frames", "ids", "amplitudes" } };
	PyObject *values[4], *done = NULL;
	Poses poses = { .ids = NULL };
	if (!smParse(&parameters, arguments, count, names, values))
	{
		return NULL;
	}
	smScene* self = NULL;
	if ((values[0] == NULL || TakeJoints(&poses, values[0])) && (values[1] == NULL || TakeFrames(&poses, values[1])) &&
	    (values[3] == NULL || TakeAmplitudes(&poses, values[3])) && (values[2] == NULL || TakeIds(&poses, values[2])) &&
	    (self = smScene_Take(object)) != NULL)
	{
		if (smScene_TakeBodies(self))
		{
			done = CheckBodies(self, &poses) ? Pose(self, &poses) : NULL;
			smScene_ReleaseBodies(self);
		}
		smRelease(&self->isBusy);
	}
	Release(&poses);
	return done;
}
