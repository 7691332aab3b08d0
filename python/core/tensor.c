// python/core/tensor.c: arrays in the memory of a device, of others and of ours.
//
// Others show theirs by DLPack or by __cuda_array_interface__; ours are shown in both ways, and by __array_interface__
// where the device is this processor. Nothing is copied. DLPack comes first where there is a choice: by it the owner is
// told on which stream the memory will be read, and has its own work done by then.
#include "gpu.h"

#include <stdio.h>
#include <string.h>

// ---- What DLPack says (dlpack.h, before version 1, which everybody still understands) -------------------------------

enum
{
	dl_cpu = 1,
	dl_cuda = 2,
	dl_cudaManaged = 13,
	dl_int = 0,
	dl_uint = 1,
	dl_float = 2,
};

typedef struct DlTensor
{
	void* data;
	int32_t deviceType, deviceId;
	int32_t dimensions;
	uint8_t code, bits;
	uint16_t lanes;
	int64_t* shape;
	int64_t* strides; ///< in elements; null: row by row
	uint64_t byteOffset;
} DlTensor;

typedef struct DlManaged DlManaged;
struct DlManaged
{
	DlTensor tensor;
	void* context;
	void (*release)(DlManaged* self);
};

// ---- Arrays of others -----------------------------------------------------------------------------------------------

// An array on a GPU as either protocol describes it.
typedef struct Description
{
	uintptr_t address;
	int dimensions;
	int64_t shape[4];
	int64_t strides[4]; ///< in elements
	bool hasStrides;
	char code; ///< as in typestr: f, i, u
	int bytes; ///< of an element
} Description;

static bool CheckDescription(const Description* d, const char* name, smKind kind, const smShape* shape)
{
	const int wantedBytes = kind == sm_float64 ? 8 : 4;
	const bool isNumber = kind == sm_uint32 ? d->code == 'i' || d->code == 'u' : d->code == 'f';
	bool fits = d->dimensions == shape->dimensions, isPacked = true;
	int64_t inner = 1;
	for (int i = shape->dimensions - 1; i >= 0 && fits; --i)
	{
		fits = shape->lengths[i] < 0 || d->shape[i] == shape->lengths[i];
		isPacked = isPacked && (!d->hasStrides || d->shape[i] == 1 || d->strides[i] == inner);
		inner *= d->shape[i];
	}
	if (!isNumber || d->bytes != wantedBytes)
	{
		PyErr_Format(PyExc_TypeError, "%s must be %s on the device, not elements of type %c%d", name,
		    kind == sm_float32   ? "float32"
		    : kind == sm_float64 ? "float64"
		                         : "int32",
		    d->code, d->bytes);
		return false;
	}
	if (!fits)
	{
		smRaiseShape(name, shape, d->shape, d->dimensions);
		return false;
	}
	if (!isPacked && inner != 0)
	{
		PyErr_Format(PyExc_ValueError, "%s must be contiguous on the device", name);
		return false;
	}
	if (d->address % 16 != 0)
	{
		PyErr_Format(PyExc_ValueError, "%s must begin at a multiple of 16 bytes on the device: copy it", name);
		return false;
	}
	return true;
}

static bool ReadLengths(PyObject* tuple, int64_t* lengths, int* count)
{
	const Py_ssize_t size = PyTuple_Check(tuple) ? PyTuple_Size(tuple) : -1;
	if (size < 0 || size > 4)
	{
		return false;
	}
	for (Py_ssize_t i = 0; i < size; ++i)
	{
		lengths[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
		if (PyErr_Occurred() != NULL)
		{
			return false;
		}
	}
	*count = (int)size;
	return true;
}

static bool ReadInterface(PyObject* dictionary, Description* d)
{
	PyObject* shape = PyDict_GetItemString(dictionary, "shape");
	PyObject* strides = PyDict_GetItemString(dictionary, "strides");
	PyObject* data = PyDict_GetItemString(dictionary, "data");
	PyObject* type = PyDict_GetItemString(dictionary, "typestr");
	PyObject* text = type != NULL && PyUnicode_Check(type) ? PyUnicode_AsASCIIString(type) : NULL;
	const char* letters = text != NULL ? PyBytes_AsString(text) : NULL;
	int strideCount = 0;
	bool good = letters != NULL && strlen(letters) == 3 && letters[0] != '>' && shape != NULL && data != NULL &&
	            PyTuple_Check(data) && PyTuple_Size(data) == 2 && ReadLengths(shape, d->shape, &d->dimensions);
	if (good && strides != NULL && strides != Py_None)
	{
		good = ReadLengths(strides, d->strides, &strideCount) && strideCount == d->dimensions;
		d->hasStrides = true;
	}
	if (good)
	{
		d->code = letters[1];
		d->bytes = letters[2] - '0';
		for (int i = 0; i < strideCount; ++i)
		{
			good = good && d->bytes > 0 && d->strides[i] % d->bytes == 0;
			d->strides[i] /= d->bytes > 0 ? d->bytes : 1;
		}
		PyObject* address = PyTuple_GetItem(data, 0);
		d->address = PyLong_Check(address) ? (uintptr_t)PyLong_AsUnsignedLongLong(address) : 0;
	}
	Py_XDECREF(text);
	return good && PyErr_Occurred() == NULL;
}

static bool TakeInterface(smOnDevice* taken, PyObject* object, const char* name, smKind kind, const smShape* shape)
{
	PyObject* dictionary = PyObject_GetAttrString(object, "__cuda_array_interface__");
	Description d = { .address = 0 };
	bool good = dictionary != NULL;
	if (good && (!PyDict_Check(dictionary) || !ReadInterface(dictionary, &d)))
	{
		PyErr_Clear();
		PyErr_Format(PyExc_ValueError, "%s: its __cuda_array_interface__ cannot be read", name);
		good = false;
	}
	good = good && CheckDescription(&d, name, kind, shape);
	if (good)
	{
		*taken = (smOnDevice){ .data = (const void*)d.address, .count = d.shape[0], .keeper = Py_NewRef(object) };
	}
	Py_XDECREF(dictionary);
	return good;
}

static bool ReadCapsule(PyObject* capsule, const char* name, Description* d)
{
	const DlManaged* managed = PyCapsule_GetPointer(capsule, "dltensor");
	if (managed == NULL)
	{
		return false;
	}
	const DlTensor* t = &managed->tensor;
	if (t->dimensions < 0 || t->dimensions > 4 || t->lanes != 1 || t->code > dl_float)
	{
		PyErr_Format(PyExc_TypeError, "%s: no array of numbers with up to four dimensions", name);
		return false;
	}
	d->address = (uintptr_t)t->data + (uintptr_t)t->byteOffset;
	d->dimensions = t->dimensions;
	d->hasStrides = t->strides != NULL;
	d->code = "iuf"[t->code];
	d->bytes = t->bits / 8;
	for (int i = 0; i < t->dimensions; ++i)
	{
		d->shape[i] = t->shape[i];
		d->strides[i] = t->strides != NULL ? t->strides[i] : 0;
	}
	return true;
}

// The capsule is kept as it is: when it goes, its owner gets the memory back.
static bool TakeCapsule(
    smOnDevice* taken, PyObject* object, const char* name, smKind kind, const smShape* shape, uintptr_t stream)
{
	PyObject* export = PyObject_GetAttrString(object, "__dlpack__");
	PyObject* keywords = Py_BuildValue("{sK}", "stream", (unsigned long long)(stream != 0 ? stream : 1));
	PyObject* none = PyTuple_New(0);
	PyObject* capsule =
	    export != NULL && keywords != NULL && none != NULL ? PyObject_Call(export, none, keywords) : NULL;
	Description d = { .address = 0 };
	const bool good = capsule != NULL && ReadCapsule(capsule, name, &d) && CheckDescription(&d, name, kind, shape);
	if (good)
	{
		*taken = (smOnDevice){ .data = (const void*)d.address, .count = d.shape[0], .keeper = Py_NewRef(capsule) };
	}
	Py_XDECREF(capsule);
	Py_XDECREF(none);
	Py_XDECREF(keywords);
	Py_XDECREF(export);
	return good;
}

// Where DLPack says that an array is: 0 if it does not say.
static int FindDlDevice(PyObject* object)
{
	PyObject* pair = PyObject_CallMethod(object, "__dlpack_device__", NULL);
	int type = 0, ordinal;
	if (pair == NULL || !PyTuple_Check(pair) || !PyArg_ParseTuple(pair, "ii", &type, &ordinal))
	{
		type = 0;
	}
	PyErr_Clear();
	Py_XDECREF(pair);
	return type;
}

static bool TakeFromHost(smOnDevice* taken, PyObject* object, const char* name, smKind kind, const smShape* shape)
{
	smArray array;
	if (!smArray_TakePacked(&array, object, name, kind, *shape))
	{
		return false;
	}
	*taken = (smOnDevice){ .data = array.data, .count = array.count, .isOnHost = true, .array = array };
	return true;
}

bool smOnDevice_Take(
    smOnDevice* taken, PyObject* object, const char* name, smKind kind, smShape shape, const smDevice* device)
{
	const int where = device->isReference || PyObject_CheckBuffer(object) ? 0 : FindDlDevice(object);
	if (where == dl_cuda || where == dl_cudaManaged)
	{
		return TakeCapsule(taken, object, name, kind, &shape, (uintptr_t)device->stream);
	}
	if (!device->isReference && where != dl_cpu && PyObject_HasAttrString(object, "__cuda_array_interface__"))
	{
		return TakeInterface(taken, object, name, kind, &shape);
	}
	return TakeFromHost(taken, object, name, kind, &shape);
}

void smOnDevice_Release(smOnDevice* taken)
{
	smArray_Release(&taken->array);
	Py_CLEAR(taken->keeper);
}

// ---- Ours -----------------------------------------------------------------------------------------------------------

static PyTypeObject* tensorType;

static void FreeTensor(PyObject* object)
{
	smTensor* self = (smTensor*)object;
	snugDevice_Release(self->device->device, self->data, self->bytes);
	Py_DECREF((PyObject*)self->device);
	smFree(object);
}

PyObject* smTensor_Make(smDevice* device, const void* from, int size, int64_t count, int64_t width)
{
	smTensor* self = smAllocate(tensorType);
	if (self == NULL)
	{
		return NULL;
	}
	const size_t bytes = (size_t)(count * (width > 0 ? width : 1) * size);
	self->device = (smDevice*)Py_NewRef((PyObject*)device);
	self->size = size;
	self->dimensions = width > 0 ? 2 : 1;
	self->shape[0] = count;
	self->shape[1] = width;
	self->bytes = bytes > 0 ? bytes : 1;
	self->data = snugDevice_Allocate(device->device, self->bytes);
	const snugStatus status =
	    self->data != NULL ? snugDevice_Copy(device->device, self->data, from, bytes) : snug_outOfMemory;
	if (status != snug_success)
	{
		smFail(status, status != snug_outOfMemory ? &device->said : NULL);
		Py_CLEAR(self);
	}
	return (PyObject*)self;
}

static PyObject* GetShape(PyObject* object, void* nothing)
{
	(void)nothing;
	const smTensor* self = (smTensor*)object;
	return self->dimensions == 1 ? Py_BuildValue("(L)", (long long)self->shape[0])
	                             : Py_BuildValue("(LL)", (long long)self->shape[0], (long long)self->shape[1]);
}

static PyObject* GetType(PyObject* object, void* nothing)
{
	(void)nothing;
	return PyUnicode_FromString(((smTensor*)object)->size == 8 ? "int64" : "int32");
}

// Both interfaces have the same members. That of the other device is not there.
static PyObject* GetInterface(PyObject* object, void* isCuda)
{
	const smTensor* self = (smTensor*)object;
	if (self->device->isReference == (isCuda != NULL))
	{
		PyErr_Format(PyExc_AttributeError, "this tensor is %s",
		    self->device->isReference ? "in the memory of the host" : "on a GPU: torch.from_dlpack and others take it");
		return NULL;
	}
	const uintptr_t address = self->shape[0] > 0 || isCuda == NULL ? (uintptr_t)self->data : 0; // CUDA's way
	return Py_BuildValue("{sNsss(KO)sOsi}", "shape", GetShape(object, NULL), "typestr", self->size == 8 ? "<i8" : "<i4",
	    "data", (unsigned long long)address, Py_False, "strides", Py_None, "version", 3);
}

typedef struct Export
{
	DlManaged managed;
	int64_t shape[2], strides[2];
} Export;

static void ReleaseExport(DlManaged* managed)
{
	const PyGILState_STATE state = PyGILState_Ensure();
	Py_DECREF((PyObject*)managed->context);
	PyMem_Free(managed);
	PyGILState_Release(state);
}

static void FreeCapsule(PyObject* capsule)
{
	if (PyCapsule_IsValid(capsule, "dltensor")) // nobody took it
	{
		ReleaseExport(PyCapsule_GetPointer(capsule, "dltensor"));
	}
}

static PyObject* MakeCapsule(smTensor* self)
{
	Export* export = PyMem_Malloc(sizeof(Export));
	if (export == NULL)
	{
		return PyErr_NoMemory();
	}
	memcpy(export->shape, self->shape, sizeof(export->shape));
	export->strides[0] = self->dimensions == 2 ? self->shape[1] : 1;
	export->strides[1] = 1;
	export->managed = (DlManaged){
		.tensor = { .data = self->data,
		    .deviceType = self->device->isReference ? dl_cpu : dl_cuda,
		    .deviceId = self->device->isReference ? 0 : (int32_t)self->device->ordinal,
		    .dimensions = self->dimensions,
		    .code = dl_int,
		    .bits = (uint8_t)(8 * self->size),
		    .lanes = 1,
		    .shape = export->shape,
		    .strides = export->strides },
		.context = self,
		.release = ReleaseExport,
	};
	PyObject* capsule = PyCapsule_New(export, "dltensor", FreeCapsule);
	if (capsule == NULL)
	{
		PyMem_Free(export);
		return NULL;
	}
	Py_INCREF((PyObject*)self);
	return capsule;
}

// Results are complete, so no stream has to wait for anything.
static PyObject* ExportTensor(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "__dlpack__", 0, 0, 4, { "stream", "max_version", "dl_device", "copy" } };
	PyObject* values[4];
	if (!smParse(&parameters, arguments, count, names, values))
	{
		return NULL;
	}
	if (values[3] != NULL && PyObject_IsTrue(values[3]) != 0)
	{
		PyErr_SetString(PyExc_BufferError, "this tensor is given without a copy");
		return NULL;
	}
	return MakeCapsule((smTensor*)object);
}

static PyObject* GetDlDevice(PyObject* object, PyObject* nothing)
{
	const smTensor* self = (smTensor*)object;
	(void)nothing;
	return self->device->isReference ? Py_BuildValue("(ii)", dl_cpu, 0)
	                                 : Py_BuildValue("(ii)", dl_cuda, (int)self->device->ordinal);
}

static PyGetSetDef properties[] = {
	{ "shape", GetShape, NULL, "How many rows, and of what length.", NULL },
	{ "dtype", GetType, NULL, "'int32' or 'int64'.", NULL },
	{ "__array_interface__", GetInterface, NULL, NULL, NULL },
	{ "__cuda_array_interface__", GetInterface, NULL, NULL, "cuda" },
	{ NULL, NULL, NULL, NULL, NULL },
};
static PyMethodDef methods[] = {
	SM_FUNCTION("__dlpack__", ExportTensor, NULL),
	{ "__dlpack_device__", GetDlDevice, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};
static const char text[] =
    "An array of whole numbers in the memory of a device: torch.from_dlpack, cupy.asarray and\n"
    "jax.dlpack.from_dlpack take it without a copy; numpy.asarray where the device is this processor.\n";
static PyType_Slot slots[] = { { Py_tp_dealloc, FreeTensor }, { Py_tp_methods, methods }, { Py_tp_getset, properties },
	{ Py_tp_doc, (void*)text }, { 0, NULL } };
static PyType_Spec spec = { "snugmesh._core.Tensor", sizeof(smTensor), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots };

bool smAddTensor(PyObject* module)
{
	tensorType = smAddType(module, &spec);
	return tensorType != NULL;
}
