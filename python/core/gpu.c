// python/core/gpu.c: snugmesh.gpu's devices and crowds.
//
// A crowd keeps what it was given on the device, since the library reads it there at every update. Room grows by
// itself. Results are copied, on the device, into memory of their own: they stay what they are.
#include "gpu.h"

#include <stdlib.h>
#include <string.h>

static PyTypeObject *deviceType, *crowdType, *foundType;

// ---- Devices --------------------------------------------------------------------------------------------------------

static PyObject* NewDevice(PyTypeObject* type, PyObject* arguments, PyObject* keywords)
{
	static char* names[] = { "backend", "ordinal", "stream", NULL };
	const char* backend = "cuda";
	PyObject* ordinal = NULL;
	unsigned long long stream = 0;
	uint32_t number = 0;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|s$OK:Device", names, &backend, &ordinal, &stream) ||
	    (ordinal != NULL && !smReadCount(ordinal, "ordinal", 0, 1u << 16, &number)))
	{
		return NULL;
	}
	const bool isReference = strcmp(backend, "reference") == 0;
	if (!isReference && strcmp(backend, "cuda") != 0)
	{
		return PyErr_Format(PyExc_ValueError, "backend must be 'cuda' or 'reference', not '%.60s'", backend);
	}
	smDevice* self = smAllocate(type);
	if (self == NULL)
	{
		return NULL;
	}
	self->isReference = isReference;
	self->ordinal = number;
	self->stream = (void*)(uintptr_t)stream;
	const snugDeviceDef def = { .backend = isReference ? snug_reference : snug_cuda,
		.ordinal = number,
		.stream = self->stream,
		.messenger = { smRemember, &self->said } };
	snugStatus status;
	Py_BEGIN_ALLOW_THREADS;
	status = snugDevice_Create(&def, &self->device);
	Py_END_ALLOW_THREADS;
	if (status != snug_success)
	{
		smFail(status, &self->said);
		Py_CLEAR(self);
	}
	return (PyObject*)self;
}

static void FreeDevice(PyObject* object)
{
	snugDevice_Destroy(((smDevice*)object)->device);
	smFree(object);
}

static PyObject* GetBackend(PyObject* object, void* nothing)
{
	(void)nothing;
	return PyUnicode_FromString(((smDevice*)object)->isReference ? "reference" : "cuda");
}

// ---- Crowds ---------------------------------------------------------------------------------------------------------

/// Poses of one model.
typedef struct Given
{
	smOnDevice joints, amplitudes, frames;
} Given;

typedef struct Crowd
{
	PyObject_HEAD snugCrowd* crowd;
	smDevice* device;
	snugCrowdModel* models; ///< (count)
	snugModelInfo* infos;
	Given* given;
	uint32_t count;
	uint64_t bodyCount;
	uint64_t wantedBytes; ///< for what is between, at the next update; zero: as it is
	bool hasNoMore;       ///< memory, or leave to use it
	atomic_bool isBusy;
	smText said;
} Crowd;

static void FreeCrowd(PyObject* object)
{
	Crowd* self = (Crowd*)object;
	snugCrowd_Destroy(self->crowd);
	for (uint32_t i = 0; i < self->count; ++i)
	{
		smOnDevice_Release(&self->given[i].joints);
		smOnDevice_Release(&self->given[i].amplitudes);
		smOnDevice_Release(&self->given[i].frames);
	}
	free(self->models);
	free(self->infos);
	free(self->given);
	Py_XDECREF((PyObject*)self->device);
	smFree(object);
}

// One of the members: a model, how many bodies, groups, mask.
static bool ReadMember(Crowd* self, PyObject* member, uint32_t i)
{
	PyObject* model;
	unsigned long long count, groups, mask;
	if (!PyTuple_Check(member) || !PyArg_ParseTuple(member, "OKKK", &model, &count, &groups, &mask))
	{
		return false;
	}
	if (Py_TYPE(model) != smModelType || count > UINT32_MAX / 2 || groups > UINT32_MAX || mask > UINT32_MAX)
	{
		PyErr_Format(PyExc_TypeError,
		    "models[%lu] must be a snugmesh.Model, with a number of bodies, groups and a mask", (unsigned long)i);
		return false;
	}
	self->models[i] = (snugCrowdModel){ .model = ((smModel*)model)->model,
		.bodyCount = (uint32_t)count,
		.groups = (uint32_t)groups,
		.mask = (uint32_t)mask };
	self->infos[i] = ((smModel*)model)->info;
	self->bodyCount += count;
	return true;
}

static bool ReadMembers(Crowd* self, PyObject* members)
{
	const Py_ssize_t count = PyTuple_Size(members);
	self->models = calloc((size_t)count + 1, sizeof(snugCrowdModel));
	self->infos = calloc((size_t)count + 1, sizeof(snugModelInfo));
	self->given = calloc((size_t)count + 1, sizeof(Given));
	if (self->models == NULL || self->infos == NULL || self->given == NULL)
	{
		PyErr_NoMemory();
		return false;
	}
	self->count = (uint32_t)count;
	bool good = true;
	for (uint32_t i = 0; i < self->count && good; ++i)
	{
		good = ReadMember(self, PyTuple_GetItem(members, i), i);
	}
	return good;
}

static PyObject* NewCrowd(PyTypeObject* type, PyObject* arguments, PyObject* keywords)
{
	static char* names[] = { "device", "members", "origin", "nbytes", NULL };
	PyObject *device, *members, *origin = Py_None;
	unsigned long long bytes = 0;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!O!|$OK:Crowd", names, deviceType, &device, &PyTuple_Type,
	        &members, &origin, &bytes))
	{
		return NULL;
	}
	Crowd* self = smAllocate(type);
	if (self == NULL)
	{
		return NULL;
	}
	self->device = (smDevice*)Py_NewRef(device);
	self->hasNoMore = bytes != 0;
	snugCrowdDef def = { .device = self->device->device, .bytes = bytes, .messenger = { smRemember, &self->said } };
	bool good = ReadMembers(self, members) && smReadOrigin(origin != Py_None ? origin : NULL, def.origin);
	if (good)
	{
		snugStatus status;
		def.models = self->models;
		def.modelCount = self->count;
		Py_BEGIN_ALLOW_THREADS;
		status = snugCrowd_Create(&def, &self->crowd);
		Py_END_ALLOW_THREADS;
		good = status == snug_success || smFail(status, &self->said) != NULL;
	}
	if (!good)
	{
		Py_CLEAR(self);
	}
	return (PyObject*)self;
}

static Crowd* Take(PyObject* object)
{
	Crowd* self = (Crowd*)object;
	if (!smAcquire(&self->isBusy, "crowd"))
	{
		return NULL;
	}
	self->said.text[0] = '\0';
	return self;
}

// ---- Poses ----------------------------------------------------------------------------------------------------------

// The reference device reads the host's memory where it is, if its loads allow that.
static bool IsReadInPlace(const Crowd* self, const smOnDevice* taken)
{
	return !taken->isOnHost || (self->device->isReference && (uintptr_t)taken->data % 16 == 0);
}

// Hand one kind of pose over: copied now, or kept where it is.
static bool Tell(Crowd* self, uint32_t model, smOnDevice* taken, smOnDevice* kept, snugCrowdPoses poses)
{
	snugStatus status;
	poses.isOnDevice = IsReadInPlace(self, taken);
	Py_BEGIN_ALLOW_THREADS;
	status = snugCrowd_SetPoses(self->crowd, model, &poses);
	Py_END_ALLOW_THREADS;
	if (status != snug_success)
	{
		smOnDevice_Release(taken);
		smFail(status, &self->said);
		return false;
	}
	smOnDevice_Release(kept);
	if (poses.isOnDevice)
	{
		*kept = *taken;
	}
	else
	{
		smOnDevice_Release(taken);
	}
	return true;
}

static bool SetJoints(Crowd* self, uint32_t model, PyObject* object)
{
	const uint32_t joints = self->infos[model].jointCount;
	const smShape shape = { 4, { self->models[model].bodyCount, joints, 3, 4 } };
	smOnDevice taken = { .data = NULL };
	if (joints == 0)
	{
		PyErr_Format(PyExc_ValueError, "joints: model %lu has none", (unsigned long)model);
		return false;
	}
	return smOnDevice_Take(&taken, object, "joints", sm_float32, shape, self->device) &&
	       Tell(self, model, &taken, &self->given[model].joints, (snugCrowdPoses){ .joints = taken.data });
}

static bool SetAmplitudes(Crowd* self, uint32_t model, PyObject* object)
{
	const uint32_t fields = self->infos[model].fieldCount;
	const smShape shape = { 2, { self->models[model].bodyCount, fields } };
	smOnDevice taken = { .data = NULL };
	if (fields == 0)
	{
		PyErr_Format(PyExc_ValueError, "amplitudes: model %lu has no fields", (unsigned long)model);
		return false;
	}
	return smOnDevice_Take(&taken, object, "amplitudes", sm_float32, shape, self->device) &&
	       Tell(self, model, &taken, &self->given[model].amplitudes, (snugCrowdPoses){ .amplitudes = taken.data });
}

static bool SetFrames(Crowd* self, uint32_t model, PyObject* object)
{
	const smShape shape = { 2, { self->models[model].bodyCount, 7 } };
	smOnDevice taken = { .data = NULL };
	if (!smOnDevice_Take(&taken, object, "frames", sm_float64, shape, self->device))
	{
		return false;
	}
	return Tell(self, model, &taken, &self->given[model].frames, (snugCrowdPoses){ .frames = taken.data });
}

static PyObject* SetPoses(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "set_poses", 0, 1, 4, { "joints", "amplitudes", "frames", "model" } };
	PyObject* values[4];
	uint32_t model = 0;
	if (!smParse(&parameters, arguments, count, names, values))
	{
		return NULL;
	}
	Crowd* self = Take(object);
	if (self == NULL)
	{
		return NULL;
	}
	bool good = self->count > 0;
	if (!good)
	{
		PyErr_SetString(PyExc_ValueError, "this crowd has no models");
	}
	good = good && (values[3] == NULL || smReadCount(values[3], "model", 0, self->count - 1, &model)) &&
	       (values[0] == NULL || SetJoints(self, model, values[0])) &&
	       (values[1] == NULL || SetAmplitudes(self, model, values[1])) &&
	       (values[2] == NULL || SetFrames(self, model, values[2]));
	smRelease(&self->isBusy);
	return good ? Py_NewRef(Py_None) : NULL;
}

// ---- Updates --------------------------------------------------------------------------------------------------------

static bool IsAnythingNeeded(const snugCrowdResult* result)
{
	return result->needed.candidates != 0 || result->needed.pairs != 0 || result->needed.trianglePairs != 0 ||
	       result->neededBytes != 0;
}

static uint64_t AndQuarter(uint64_t needed)
{
	return needed + needed / 4;
}

// Portions cost time: where nobody has said how much memory to use, there is more the next time, if there is any.
static void TakeMore(Crowd* self)
{
	const snugSceneRoom asItIs = { 0 };
	if (self->wantedBytes > 0)
	{
		self->hasNoMore = snugCrowd_Reserve(self->crowd, &asItIs, self->wantedBytes) != snug_success;
		self->said.text[0] = '\0';
	}
}

static snugCrowdResult Update(Crowd* self, const snugCrowdQuery* query)
{
	TakeMore(self);
	snugCrowdResult result = { .status = snugCrowd_Update(self->crowd, query) };
	result = result.status == snug_success ? snugCrowd_Wait(self->crowd) : result;
	while (result.status == snug_outOfRange && IsAnythingNeeded(&result))
	{
		const snugSceneRoom room = { .candidates = AndQuarter(result.needed.candidates),
			.pairs = AndQuarter(result.needed.pairs),
			.trianglePairs = AndQuarter(result.needed.trianglePairs) };
		self->said.text[0] = '\0';
		result.status = snugCrowd_Reserve(self->crowd, &room, result.neededBytes);
		result.status = result.status == snug_success ? snugCrowd_Update(self->crowd, query) : result.status;
		result = result.status == snug_success ? snugCrowd_Wait(self->crowd) : result;
	}
	self->wantedBytes = self->hasNoMore || result.status != snug_success ? 0 : result.neededBytes;
	return result;
}

static PyObject* MakeFound(Crowd* self, const snugCrowdResult* result)
{
	const snugCrowdColumns columns = snugCrowd_GetColumns(self->crowd);
	const int64_t n = (int64_t)columns.count;
	uint64_t triangleCount;
	const snugPair* triangles = snugCrowd_GetTrianglePairs(self->crowd, true, &triangleCount);
	PyObject* items[] = {
		smTensor_Make(self->device, columns.bodies, 4, n, 2),
		smTensor_Make(self->device, columns.offsets, 8, n + 1, 0),
		smTensor_Make(self->device, columns.counts, 8, n, 0),
		smTensor_Make(self->device, triangles, 4, (int64_t)triangleCount, 2),
		PyLong_FromUnsignedLongLong(result->candidates),
		PyLong_FromUnsignedLong(result->portions),
	};
	return smMakeTuple(foundType, items, 6);
}

static PyObject* Ask(Crowd* self, const snugCrowdQuery* query)
{
	snugCrowdResult result;
	Py_BEGIN_ALLOW_THREADS;
	result = Update(self, query);
	Py_END_ALLOW_THREADS;
	if (result.status != snug_success)
	{
		return smFail(result.status, self->said.text[0] != '\0' ? &self->said : &self->device->said);
	}
	return MakeFound(self, &result);
}

static PyObject* UpdateCrowd(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "update", 0, 1, 3, { "body_pairs", "triangle_pairs", "unsorted" } };
	PyObject *values[3], *found = NULL;
	smOnDevice list = { .data = NULL };
	snugCrowdQuery query = { .trianglePairs = true };
	if (!smParse(&parameters, arguments, count, names, values) || !smReadFlag(values[1], true, &query.trianglePairs) ||
	    !smReadFlag(values[2], false, &query.unsorted))
	{
		return NULL;
	}
	Crowd* self = Take(object);
	if (self == NULL)
	{
		return NULL;
	}
	if (values[0] == NULL ||
	    smOnDevice_Take(&list, values[0], "body_pairs", sm_uint32, (smShape){ 2, { -1, 2 } }, self->device))
	{
		static const snugPair none = { 0, 0 };
		// An empty tensor of torch is at address zero, which would ask about all.
		query.bodyPairs = values[0] != NULL && list.data == NULL ? &none : list.data;
		query.bodyPairCount = (uint64_t)list.count;
		query.isOnDevice = !list.isOnHost;
		found = Ask(self, &query);
		smOnDevice_Release(&list);
	}
	smRelease(&self->isBusy);
	return found;
}

static PyObject* GetVertices(PyObject* object, PyObject* given)
{
	Crowd* self = Take(object);
	uint32_t body, model = 0;
	if (self == NULL)
	{
		return NULL;
	}
	PyObject* array = NULL;
	if (smReadCount(given, "body", 0, UINT32_MAX, &body) && body >= self->bodyCount)
	{
		PyErr_Format(PyExc_IndexError, "there is no body %lu in this crowd", (unsigned long)body);
	}
	else if (PyErr_Occurred() == NULL)
	{
		for (uint32_t rest = body; rest >= self->models[model].bodyCount; ++model)
		{
			rest -= self->models[model].bodyCount;
		}
		const Py_ssize_t lengths[2] = { self->infos[model].vertexCount, 3 };
		void* data;
		array = smNewArray(sm_typeFloat32, 2, lengths, &data);
		const snugStatus status = array != NULL ? snugCrowd_GetVertices(self->crowd, body, data) : snug_success;
		if (status != snug_success)
		{
			Py_CLEAR(array);
			smFail(status, &self->said);
		}
	}
	smRelease(&self->isBusy);
	return array;
}

static Py_ssize_t GetLength(PyObject* object)
{
	return (Py_ssize_t)((Crowd*)object)->bodyCount;
}

// ---- The module -----------------------------------------------------------------------------------------------------

static PyGetSetDef deviceProperties[] = {
	{ "backend", GetBackend, NULL, "'cuda' or 'reference'.", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};
static const char deviceText[] =
    "Device(backend='cuda', *, ordinal=0, stream=0)\n--\n\n"
    "A GPU: the first, or that of a number. backend='reference': this processor in place of one, slow, to try "
    "things.\n\n"
    "stream: the handle of a CUDA stream on which work is enqueued, as torch.cuda.current_stream().cuda_stream;\n"
    "otherwise the default one. Without a GPU there is a snugmesh.Error, whose sentence says why.\n\n"
    ">>> from snugmesh import gpu\n"
    ">>> gpu.Device('reference').backend\n"
    "'reference'\n";
static PyType_Slot deviceSlots[] = { { Py_tp_new, NewDevice }, { Py_tp_dealloc, FreeDevice },
	{ Py_tp_getset, deviceProperties }, { Py_tp_doc, (void*)deviceText }, { 0, NULL } };
static PyType_Spec deviceSpec = { "snugmesh.gpu.Device", sizeof(smDevice), 0, Py_TPFLAGS_DEFAULT, deviceSlots };

static PyMethodDef crowdMethods[] = {
	SM_FUNCTION("set_poses", SetPoses,
	    "set_poses($self, /, joints=None, *, amplitudes=None, frames=None, model=0)\n--\n\n"
	    "Pose all bodies of a model. What is not given stays as it is.\n\n"
	    "joints: float32, (n, joints, 3, 4), as Body.set_joints takes for one. amplitudes: float32, (n, fields).\n"
	    "frames: float64, (n, 7): position, then quaternion x, y, z, w. Arrays on the device, by DLPack or\n"
	    "__cuda_array_interface__, are read there by every update, so what is written to them counts; those\n"
	    "of the host are copied to a GPU now.\n"),
	SM_FUNCTION("update", UpdateCrowd,
	    "update($self, /, body_pairs=None, *, triangle_pairs=True, unsorted=False)\n--\n\n"
	    "What touches now: a Found.\n\n"
	    "body_pairs: uint32 or int32, (n, 2), on the host or on the device: ask about these and no others, whatever\n"
	    "their groups; there is a row for each then, in this order. triangle_pairs=False: only which bodies.\n"
	    "unsorted: triangle pairs of two bodies in any order.\n"),
	{ "vertices", GetVertices, METH_O,
	    "vertices($self, body, /)\n--\n\n"
	    "Positions of a body as of the last update: float32, (vertices, 3), on the host.\n" },
	{ NULL, NULL, 0, NULL },
};
static const char crowdText[] =
    "Crowd(device, members, *, origin=None, nbytes=0)\n--\n\n"
    "Use snugmesh.gpu.crowd, which makes the tuple of members: model, count, groups, mask.\n";
static PyType_Slot crowdSlots[] = { { Py_tp_new, NewCrowd }, { Py_tp_dealloc, FreeCrowd },
	{ Py_tp_methods, crowdMethods }, { Py_sq_length, GetLength }, { Py_tp_doc, (void*)crowdText }, { 0, NULL } };
static PyType_Spec crowdSpec = { "snugmesh.gpu.Crowd", sizeof(Crowd), 0, Py_TPFLAGS_DEFAULT, crowdSlots };

static PyStructSequence_Field foundFields[] = {
	{ "bodies", "int32 (n, 2): bodies that touch, sorted; or those asked about" },
	{ "offsets", "int64 (n + 1,): where the triangle pairs of each begin and end" },
	{ "counts", "int64 (n,): how many those are; one for bodies that touch where they were not asked for" },
	{ "triangles", "int32 (m, 2): triangles of the first body, and of the second" },
	{ "candidates", "pairs of bodies that were looked at" },
	{ "portions", "in how many the update was done; more than one where nbytes of device memory are too few" },
	{ NULL, NULL },
};
static PyStructSequence_Desc foundDescription = { "snugmesh.gpu.Found",
	"What a crowd's update has found, as tensors on its device.", foundFields, 6 };

bool smAddGpu(PyObject* module)
{
	deviceType = smAddType(module, &deviceSpec);
	crowdType = smAddType(module, &crowdSpec);
	foundType = smAddTuple(module, &foundDescription);
	return deviceType != NULL && crowdType != NULL && foundType != NULL && smAddTensor(module);
}
