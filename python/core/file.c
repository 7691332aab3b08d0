// python/core/file.c: files of meshes in motion, and bodies that follow their clips. snugmesh.File and snugmesh.Actor
// (files.py) are made of it.
#include "core.h"

#include "io/cast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>

static PyTypeObject *fileType, *castType, *actorType;

typedef struct File
{
	PyObject_HEAD snugAsset* asset;
} File;

/// Models of some instances, and how they are moved.
typedef struct Cast
{
	PyObject_HEAD File* file; ///< owned
	ioCast* cast;             ///< whose models belong to the objects below
	PyObject* models;         ///< a tuple of them, one per instance; owned
} Cast;

typedef struct Actor
{
	PyObject_HEAD Cast* cast; ///< owned
	PyObject* bodies;         ///< a tuple of smBody; owned
	snugActor* actor;
	atomic_bool isBusy;
	smText said;
} Actor;

// ---- Files -----------------------------------------------------------------------------------------------------

static PyObject* NewFile(PyTypeObject* type, PyObject* arguments, PyObject* keywords)
{
	static char* names[] = { "path", NULL };
	PyObject* path;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&:File", names, PyUnicode_FSConverter, &path))
	{
		return NULL;
	}
	File* self = smAllocate(type);
	smListener listener = { .warningCount = 0 };
	const snugAssetDef def = { .messenger = { smListen, &listener } };
	const char* name = PyBytes_AsString(path);
	bool good = self != NULL;
	if (good)
	{
		Py_BEGIN_ALLOW_THREADS;
		good = snugAsset_LoadFile(name, &def, &self->asset) == snug_success;
		Py_END_ALLOW_THREADS;
		if (!good)
		{
			smFail(snug_badFile, &listener.error);
		}
	}
	Py_DECREF(path);
	if (!good || !smListener_Warn(&listener))
	{
		Py_XDECREF((PyObject*)self);
		return NULL;
	}
	return (PyObject*)self;
}

static void FreeFile(PyObject* object)
{
	snugAsset_Destroy(((File*)object)->asset);
	smFree(object);
}

static bool FailInstance(const snugAsset* asset, unsigned long number)
{
	PyErr_Format(PyExc_IndexError, "there is no instance %lu: the file has %lu", number,
	    (unsigned long)snugAsset_GetInfo(asset).instanceCount);
	return false;
}

static bool ReadInstance(const snugAsset* asset, PyObject* given, uint32_t* number)
{
	unsigned long value = PyLong_AsUnsignedLong(given);
	*number = (uint32_t)value;
	return PyErr_Occurred() == NULL && (value < snugAsset_GetInfo(asset).instanceCount || FailInstance(asset, value));
}

// name, vertices, triangles, joints, targets
static PyObject* DescribeInstance(PyObject* object, PyObject* given)
{
	const snugAsset* asset = ((File*)object)->asset;
	uint32_t number;
	snugInstance info;
	if (!ReadInstance(asset, given, &number))
	{
		return NULL;
	}
	snugAsset_GetInstance(asset, number, &info);
	return Py_BuildValue("sIIII", info.name, info.vertexCount, info.triangleCount, info.jointCount, info.targetCount);
}

// name, start, end
static PyObject* DescribeClip(PyObject* object, PyObject* given)
{
	unsigned long number = PyLong_AsUnsignedLong(given);
	snugClip info;
	if (PyErr_Occurred() != NULL)
	{
		return NULL;
	}
	if (number > UINT32_MAX || snugAsset_GetClip(((File*)object)->asset, (uint32_t)number, &info) != snug_success)
	{
		return PyErr_Format(PyExc_IndexError, "there is no clip %lu", number);
	}
	return Py_BuildValue("sdd", info.name, info.start, info.end);
}

static PyObject* GetInstanceCount(PyObject* object, void* nothing)
{
	(void)nothing;
	return PyLong_FromUnsignedLong(snugAsset_GetInfo(((File*)object)->asset).instanceCount);
}

static PyObject* GetClipCount(PyObject* object, void* nothing)
{
	(void)nothing;
	return PyLong_FromUnsignedLong(snugAsset_GetInfo(((File*)object)->asset).clipCount);
}

// Names of joints, or of morph targets.
static PyObject* ListNames(PyObject* object, PyObject* arguments)
{
	const snugAsset* asset = ((File*)object)->asset;
	PyObject* given;
	uint32_t number;
	int isJoints;
	snugInstance info;
	if (!PyArg_ParseTuple(arguments, "Op", &given, &isJoints) || !ReadInstance(asset, given, &number))
	{
		return NULL;
	}
	snugAsset_GetInstance(asset, number, &info);
	uint32_t count = isJoints ? info.jointCount : info.targetCount;
	PyObject* names = PyTuple_New(count);
	for (uint32_t i = 0; names != NULL && i < count; ++i)
	{
		const char* text = (isJoints ? snugAsset_GetJointName : snugAsset_GetTargetName)(asset, number, i);
		PyObject* name = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
		if (name == NULL || PyTuple_SetItem(names, (Py_ssize_t)i, name) != 0)
		{
			Py_CLEAR(names);
		}
	}
	return names;
}

// ---- Models ----------------------------------------------------------------------------------------------------

static PyObject* MakeModel(PyObject* object, PyObject* arguments)
{
	const snugAsset* asset = ((File*)object)->asset;
	smListener listener = { .warningCount = 0 };
	snugActorDef def = { .messenger = { smListen, &listener } };
	PyObject* given;
	uint32_t number;
	const char* name;
	snugModel* model;
	snugStatus status;
	if (!PyArg_ParseTuple(arguments, "Os", &given, &name) || !smReadBlending(name, &def.blending) ||
	    !ReadInstance(asset, given, &number))
	{
		return NULL;
	}
	Py_BEGIN_ALLOW_THREADS;
	status = snugAsset_CreateModel(asset, number, &def, &model);
	Py_END_ALLOW_THREADS;
	if (status != snug_success)
	{
		return smFail(status, &listener.error);
	}
	PyObject* wrapped = smModel_Wrap(model);
	if (!smListener_Warn(&listener))
	{
		Py_CLEAR(wrapped);
	}
	return wrapped;
}

// ---- Casts -----------------------------------------------------------------------------------------------------

// Numbers of a tuple. They have room for one more than there are.
static bool ReadInstances(const snugAsset* asset, PyObject* tuple, uint32_t* numbers)
{
	bool good = true;
	for (Py_ssize_t i = 0; good && i < PyTuple_Size(tuple); ++i)
	{
		good = ReadInstance(asset, PyTuple_GetItem(tuple, i), numbers + i);
	}
	return good;
}

// Objects of all models that a cast has made, which take them over one by one.
static PyObject* WrapModels(ioCast* cast)
{
	PyObject* objects = PyTuple_New((Py_ssize_t)cast->modelCount);
	while (objects != NULL && cast->modelCount > 0)
	{
		Py_ssize_t last = (Py_ssize_t)--cast->modelCount;
		PyObject* object = smModel_Wrap(cast->models[last]);
		if (object == NULL || PyTuple_SetItem(objects, last, object) != 0)
		{
			Py_CLEAR(objects);
		}
	}
	return objects;
}

// An object for each role. Models were made in the order of the roles: a role has the next one, or shares one of those
// before it.
static bool ListModels(Cast* self)
{
	PyObject* objects = WrapModels(self->cast);
	self->models = objects != NULL ? PyTuple_New((Py_ssize_t)self->cast->roleCount) : NULL;
	bool good = self->models != NULL;
	Py_ssize_t made = 0;
	for (uint32_t i = 0; good && i < self->cast->roleCount; ++i)
	{
		const snugModel* model = self->cast->roles[i].model;
		Py_ssize_t at = made;
		if (made < PyTuple_Size(objects) && self->cast->models[made] == model)
		{
			++made;
		}
		while (self->cast->models[at] != model)
		{
			--at;
		}
		good = PyTuple_SetItem(self->models, (Py_ssize_t)i, Py_NewRef(PyTuple_GetItem(objects, at))) == 0;
	}
	Py_XDECREF(objects);
	return good;
}

static snugStatus FillCast(Cast* self, snugActorDef* def, smListener* listener)
{
	snugStatus status;
	def->allTargets = true;
	def->messenger = (snugMessenger){ smListen, listener };
	Py_BEGIN_ALLOW_THREADS;
	status = ioCast_Create(self->file->asset, def, &self->cast);
	Py_END_ALLOW_THREADS;
	return status;
}

static PyObject* MakeCast(PyObject* object, PyObject* arguments)
{
	snugActorDef def = { .instances = NULL };
	smListener listener = { .warningCount = 0 };
	PyObject* tuple;
	const char* name;
	if (!PyArg_ParseTuple(arguments, "O!s", &PyTuple_Type, &tuple, &name) || !smReadBlending(name, &def.blending))
	{
		return NULL;
	}
	def.instanceCount = (uint32_t)PyTuple_Size(tuple);
	uint32_t* numbers = malloc(((size_t)def.instanceCount + 1) * sizeof(uint32_t));
	Cast* self = smAllocate(castType);
	snugStatus status = numbers != NULL && self != NULL ? snug_success : snug_outOfMemory;
	if (status == snug_success)
	{
		self->file = (File*)Py_NewRef(object);
		def.instances = numbers;
		status = ReadInstances(self->file->asset, tuple, numbers) ? FillCast(self, &def, &listener) : snug_badArgument;
	}
	free(numbers);
	if (status != snug_success && PyErr_Occurred() == NULL)
	{
		smFail(status, &listener.error);
	}
	if (status != snug_success || !ListModels(self) || !smListener_Warn(&listener))
	{
		Py_XDECREF((PyObject*)self);
		return NULL;
	}
	return (PyObject*)self;
}

static void FreeCast(PyObject* object)
{
	Cast* self = (Cast*)object;
	ioCast_Destroy(self->cast);
	Py_XDECREF(self->models);
	Py_XDECREF((PyObject*)self->file);
	smFree(object);
}

// ---- Actors ----------------------------------------------------------------------------------------------------

static bool AreBodiesOf(const Cast* cast, PyObject* bodies)
{
	bool good = PyTuple_Size(bodies) == (Py_ssize_t)cast->cast->roleCount;
	for (Py_ssize_t i = 0; good && i < PyTuple_Size(bodies); ++i)
	{
		PyObject* body = PyTuple_GetItem(bodies, i);
		good = Py_TYPE(body) == smBodyType && ((smBody*)body)->model->model == cast->cast->roles[i].model;
	}
	if (!good)
	{
		PyErr_SetString(PyExc_ValueError, "an actor takes a body of each of its models, in their order");
	}
	return good;
}

static PyObject* MakeActor(PyObject* object, PyObject* bodies)
{
	Cast* cast = (Cast*)object;
	if (!PyTuple_Check(bodies) || !AreBodiesOf(cast, bodies))
	{
		return PyErr_Occurred() != NULL ? NULL : PyErr_Format(PyExc_TypeError, "bodies must be a tuple");
	}
	Py_ssize_t count = PyTuple_Size(bodies);
	Actor* self = smAllocate(actorType);
	snugBody** list = malloc(((size_t)count + 1) * sizeof(snugBody*));
	snugStatus status = self != NULL && list != NULL ? snug_success : snug_outOfMemory;
	if (status == snug_success)
	{
		const snugActorDef def = { .messenger = { smRemember, &self->said } };
		self->cast = (Cast*)Py_NewRef(object);
		self->bodies = Py_NewRef(bodies);
		for (Py_ssize_t i = 0; i < count; ++i)
		{
			list[i] = ((smBody*)PyTuple_GetItem(bodies, i))->body;
		}
		status = ioCast_CreateActor(cast->cast, &def, list, &self->actor);
	}
	free(list);
	if (status != snug_success)
	{
		Py_XDECREF((PyObject*)self);
		return smFail(status, NULL);
	}
	return (PyObject*)self;
}

static void FreeActor(PyObject* object)
{
	Actor* self = (Actor*)object;
	snugActor_Destroy(self->actor);
	Py_XDECREF(self->bodies);
	Py_XDECREF((PyObject*)self->cast);
	smFree(object);
}

static void ReleaseBodies(const Actor* self, Py_ssize_t count)
{
	for (Py_ssize_t i = 0; i < count; ++i)
	{
		smRelease(&((smBody*)PyTuple_GetItem(self->bodies, i))->isBusy);
	}
}

// With all bodies taken: what one of them said, or the actor.
static PyObject* SetTime(Actor* self, uint32_t clip, double time, const snugFrame* frame)
{
	snugStatus status;
	self->said.text[0] = '\0';
	Py_BEGIN_ALLOW_THREADS;
	status = snugActor_SetTime(self->actor, clip, time, frame);
	Py_END_ALLOW_THREADS;
	const smText* said = &self->said;
	for (Py_ssize_t i = 0; said->text[0] == '\0' && i < PyTuple_Size(self->bodies); ++i)
	{
		said = &((smBody*)PyTuple_GetItem(self->bodies, i))->said;
	}
	return status == snug_success ? Py_NewRef(Py_None) : smFail(status, said);
}

// A clip below zero is rest.
static PyObject* PoseActor(PyObject* object, PyObject* arguments)
{
	Actor* self = (Actor*)object;
	PyObject *position, *rotation;
	snugFrame frame;
	long clip;
	double time;
	if (!PyArg_ParseTuple(arguments, "ldOO", &clip, &time, &position, &rotation) ||
	    !smReadFrame(position, rotation, &frame))
	{
		return NULL;
	}
	if (clip >= (long)snugAsset_GetInfo(self->cast->file->asset).clipCount || !isfinite(time))
	{
		PyErr_SetString(PyExc_ValueError, isfinite(time) ? "there is no such clip" : "the time is not finite");
		return NULL;
	}
	if (!smAcquire(&self->isBusy, "actor"))
	{
		return NULL;
	}
	Py_ssize_t taken = 0;
	while (taken < PyTuple_Size(self->bodies) && smBody_Take(PyTuple_GetItem(self->bodies, taken), "body") != NULL)
	{
		++taken;
	}
	bool isOurs = taken == PyTuple_Size(self->bodies);
	PyObject* result = isOurs ? SetTime(self, clip < 0 ? SNUG_NONE : (uint32_t)clip, time, &frame) : NULL;
	ReleaseBodies(self, taken);
	smRelease(&self->isBusy);
	return result;
}

// ---- The types -------------------------------------------------------------------------------------------------

static PyGetSetDef fileProperties[] = {
	{ "instance_count", GetInstanceCount, NULL, NULL, NULL },
	{ "clip_count", GetClipCount, NULL, NULL, NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};
static PyMethodDef fileMethods[] = {
	{ "instance", DescribeInstance, METH_O, NULL },
	{ "clip", DescribeClip, METH_O, NULL },
	{ "names", ListNames, METH_VARARGS, NULL },
	{ "model", MakeModel, METH_VARARGS, NULL },
	{ "cast", MakeCast, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};
static PyType_Slot fileSlots[] = { { Py_tp_new, NewFile }, { Py_tp_dealloc, FreeFile }, { Py_tp_methods, fileMethods },
	{ Py_tp_getset, fileProperties }, { 0, NULL } };
static PyType_Spec fileSpec = { "snugmesh._core.File", sizeof(File), 0, Py_TPFLAGS_DEFAULT, fileSlots };

static PyMemberDef castMembers[] = {
	{ "models", T_OBJECT_EX, (Py_ssize_t)offsetof(Cast, models), READONLY, NULL },
	{ NULL, 0, 0, 0, NULL },
};
static PyMethodDef castMethods[] = {
	{ "actor", MakeActor, METH_O, NULL },
	{ NULL, NULL, 0, NULL },
};
static PyType_Slot castSlots[] = { { Py_tp_dealloc, FreeCast }, { Py_tp_methods, castMethods },
	{ Py_tp_members, castMembers }, { 0, NULL } };
static PyType_Spec castSpec = { "snugmesh._core.Cast", sizeof(Cast), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, castSlots };

static PyMethodDef actorMethods[] = {
	{ "pose", PoseActor, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};
static PyType_Slot actorSlots[] = { { Py_tp_dealloc, FreeActor }, { Py_tp_methods, actorMethods }, { 0, NULL } };
static PyType_Spec actorSpec = { "snugmesh._core.Actor", sizeof(Actor), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, actorSlots };

bool smAddFile(PyObject* module)
{
	fileType = smAddType(module, &fileSpec);
	castType = smAddType(module, &castSpec);
	actorType = smAddType(module, &actorSpec);
	return fileType != NULL && castType != NULL && actorType != NULL;
}
