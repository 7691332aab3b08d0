// python/core/arguments.c: what callers give: keywords, numbers, arrays. Whatever is wrong becomes a sentence.
#include "core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Formats of the buffer protocol are read as little-endian numbers below.
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are taken as they are");

// ---- Keywords --------------------------------------------------------------------------------------------------

static int FindParameter(const smParameters* p, PyObject* name)
{
	int i = 0;
	while (i < p->count && PyUnicode_CompareWithASCIIString(name, p->names[i]) != 0)
	{
		++i;
	}
	return i;
}

static bool TakeKeyword(const smParameters* p, PyObject* name, PyObject* value, PyObject** values)
{
	int i = FindParameter(p, name);
	if (i == p->count)
	{
		PyErr_Format(PyExc_TypeError, "%s() has no argument '%U'", p->function, name);
		return false;
	}
	if (values[i] != NULL)
	{
		PyErr_Format(PyExc_TypeError, "%s() got '%s' twice", p->function, p->names[i]);
		return false;
	}
	values[i] = value;
	return true;
}

bool smParse(const smParameters* p, PyObject* const* arguments, Py_ssize_t count, PyObject* names, PyObject** values)
{
	if (count > p->positional)
	{
		PyErr_Format(
		    PyExc_TypeError, "%s() takes %d arguments without their names, not %zd", p->function, p->positional, count);
		return false;
	}
	for (int i = 0; i < p->count; ++i)
	{
		values[i] = i < count ? arguments[i] : NULL;
	}
	Py_ssize_t named = names != NULL ? PyTuple_Size(names) : 0;
	for (Py_ssize_t i = 0; i < named; ++i)
	{
		if (!TakeKeyword(p, PyTuple_GetItem(names, i), arguments[count + i], values))
		{
			return false;
		}
	}
	for (int i = 0; i < p->count; ++i)
	{
		if (i < p->required && values[i] == NULL)
		{
			PyErr_Format(PyExc_TypeError, "%s() needs '%s'", p->function, p->names[i]);
			return false;
		}
		values[i] = i >= p->required && values[i] == Py_None ? NULL : values[i];
	}
	return true;
}

// ---- Numbers ---------------------------------------------------------------------------------------------------

static bool ReadNumber(PyObject* object, double* number)
{
	*number = PyFloat_AsDouble(object);
	return *number != -1.0 || PyErr_Occurred() == NULL;
}

static bool RefuseNumbers(const char* name, int count)
{
	if (PyErr_Occurred() == NULL || PyErr_ExceptionMatches(PyExc_TypeError))
	{
		PyErr_Format(PyExc_TypeError, "%s must be %d numbers", name, count);
	}
	return false;
}

// Tuples are what is written most often, and the quickest to read.
static bool ReadTuple(PyObject* tuple, double* numbers, int count)
{
	for (int i = 0; i < count; ++i)
	{
		if (!ReadNumber(PyTuple_GetItem(tuple, i), numbers + i))
		{
			return false;
		}
	}
	return true;
}

bool smReadNumbers(PyObject* object, const char* name, double* numbers, int count)
{
	if (PyTuple_CheckExact(object))
	{
		return (PyTuple_Size(object) == count && ReadTuple(object, numbers, count)) || RefuseNumbers(name, count);
	}
	if (PyUnicode_Check(object) || PyBytes_Check(object) || PyByteArray_Check(object) || !PySequence_Check(object))
	{
		return RefuseNumbers(name, count);
	}
	PyObject* tuple = PySequence_Tuple(object);
	bool good = tuple != NULL && PyTuple_Size(tuple) == count && ReadTuple(tuple, numbers, count);
	Py_XDECREF(tuple);
	return good || RefuseNumbers(name, count);
}

bool smReadOrigin(PyObject* object, double origin[3])
{
	origin[0] = origin[1] = origin[2] = 0.0;
	if (object != NULL && !smReadNumbers(object, "origin", origin, 3))
	{
		return false;
	}
	if (!isfinite(origin[0]) || !isfinite(origin[1]) || !isfinite(origin[2]))
	{
		PyErr_SetString(smError, "origin must be finite");
		return false;
	}
	return true;
}

bool smReadFlag(PyObject* object, bool missing, bool* flag)
{
	const int isTrue = object != NULL ? PyObject_IsTrue(object) : missing;
	*flag = isTrue > 0;
	return isTrue >= 0;
}

bool smReadCount(PyObject* object, const char* name, uint32_t least, uint32_t most, uint32_t* count)
{
	unsigned long long value = PyLong_AsUnsignedLongLong(object);
	if (PyErr_Occurred() != NULL || value < least || value > most)
	{
		PyErr_Format(
		    PyExc_ValueError, "%s must be a number from %lu to %lu", name, (unsigned long)least, (unsigned long)most);
		return false;
	}
	*count = (uint32_t)value;
	return true;
}

bool smReadLength(PyObject* object, const char* name, double missing, double* length)
{
	*length = missing;
	if (object == NULL)
	{
		return true;
	}
	if (!ReadNumber(object, length))
	{
		PyErr_Format(PyExc_TypeError, "%s must be a number, not %R", name, (PyObject*)Py_TYPE(object));
		return false;
	}
	if (!(*length >= 0.0))
	{
		PyErr_Format(PyExc_ValueError, "%s must not be negative, nor NaN", name);
		return false;
	}
	return true;
}

bool smReadMaxDistance(PyObject* object, double* distance)
{
	if (!smReadLength(object, "max_distance", (double)INFINITY, distance))
	{
		return false;
	}
	*distance = isinf(*distance) ? 0.0 : *distance > 0.0 ? *distance : 0x1p-1000;
	return true;
}

// ---- Arrays ----------------------------------------------------------------------------------------------------

static const struct
{
	const char* name;
	const char* formats;
	Py_ssize_t size;
} kinds[] = {
	[sm_float32] = { "float32", "f", 4 },
	[sm_float64] = { "float64", "d", 8 },
	[sm_uint16] = { "uint16", "H", 2 },
	[sm_uint32] = { "uint32", "IiLl", 4 },
	[sm_index] = { "int64", "IiLlQq", 0 },
};

// What a format of the buffer protocol is called in numpy.
static void Describe(const Py_buffer* view, const char* format, char* text, size_t size)
{
	const char* letter = strlen(format) == 1 ? strchr("fdeg?bhilqBHILQ", *format) : NULL;
	const char* family = letter == NULL            ? NULL
	                     : *format == '?'          ? "bool"
	                     : strchr("fdeg", *format) ? "float"
	                     : *format >= 'a'          ? "int"
	                                               : "uint";
	if (family == NULL)
	{
		snprintf(text, size, "elements of format '%.20s'", format);
	}
	else if (*format == '?')
	{
		snprintf(text, size, "bool");
	}
	else
	{
		snprintf(text, size, "%s%d", family, (int)(8 * view->itemsize));
	}
}

static bool CheckKind(const Py_buffer* view, const char* name, smKind kind)
{
	const char* format = view->format != NULL ? view->format : "B";
	const char* plain = format + (*format == '<' || *format == '=' || *format == '@');
	bool fits = view->itemsize == kinds[kind].size || kinds[kind].size == 0;
	if (fits && strlen(plain) == 1 && strchr(kinds[kind].formats, *plain) != NULL)
	{
		return true;
	}
	char given[64];
	Describe(view, plain, given, sizeof(given));
	PyErr_Format(PyExc_TypeError, "%s must be %s, not %s: numpy.asarray(x, numpy.%s) converts", name, kinds[kind].name,
	    given, kinds[kind].name);
	return false;
}

static void PrintShape(char* text, size_t size, const Py_ssize_t* lengths, int count)
{
	size_t at = 0;
	at += (size_t)snprintf(text, size, "(");
	for (int i = 0; i < count && at < size; ++i)
	{
		const char* end = i + 1 < count ? ", " : count == 1 ? "," : "";
		at += (size_t)(lengths[i] == SM_ROWS ? snprintf(text + at, size - at, "3 or 4%s", end)
		               : lengths[i] < 0      ? snprintf(text + at, size - at, "n%s", end)
		                                     : snprintf(text + at, size - at, "%lld%s", (long long)lengths[i], end));
	}
	if (at < size)
	{
		snprintf(text + at, size - at, ")");
	}
}

void smRaiseShape(const char* name, const smShape* wanted, const int64_t* lengths, int dimensions)
{
	char expected[96], given[96];
	Py_ssize_t few[4] = { 0 };
	const int count = dimensions < 4 ? dimensions : 4;
	for (int i = 0; i < count; ++i)
	{
		few[i] = (Py_ssize_t)lengths[i];
	}
	PrintShape(expected, sizeof(expected), wanted->lengths, wanted->dimensions);
	PrintShape(given, sizeof(given), few, count);
	PyErr_Format(PyExc_ValueError, "%s must have the shape %s, not %s", name, expected, given);
}

static bool CheckShape(const Py_buffer* view, const char* name, const smShape* shape)
{
	bool good = view->ndim == shape->dimensions;
	for (int i = 0; i < shape->dimensions && good; ++i)
	{
		const Py_ssize_t wanted = shape->lengths[i], given = view->shape[i];
		good = wanted == SM_ROWS ? given == 3 || given == 4 : wanted < 0 || given == wanted;
	}
	if (!good)
	{
		int64_t lengths[4] = { 0 };
		for (int i = 0; i < view->ndim && i < 4; ++i)
		{
			lengths[i] = view->shape[i];
		}
		smRaiseShape(name, shape, lengths, view->ndim);
		return false;
	}
	if (view->ndim > 0 && view->shape[0] > (Py_ssize_t)UINT32_MAX)
	{
		PyErr_Format(PyExc_ValueError, "%s: more than 4,294,967,295 of them", name);
		return false;
	}
	return true;
}

// Rows one after the other, each of them contiguous. A single row, or none, may claim any stride.
static bool CheckLayout(const Py_buffer* view, const char* name, size_t* stride)
{
	Py_ssize_t inner = view->itemsize;
	bool good = (uintptr_t)view->buf % (size_t)view->itemsize == 0;
	for (int i = view->ndim - 1; i > 0; --i)
	{
		good = good && (view->shape[i] <= 1 || view->strides[i] == inner);
		inner *= view->shape[i];
	}
	Py_ssize_t outer = view->shape[0] > 1 ? view->strides[0] : inner;
	good = good && outer >= inner && outer % view->itemsize == 0;
	if (!good && view->len > 0)
	{
		PyErr_Format(PyExc_ValueError,
		    "%s must lie in memory row by row, aligned and ascending: numpy.ascontiguousarray copies it so", name);
		return false;
	}
	*stride = (size_t)(view->len > 0 ? outer : inner);
	return true;
}

// Tensors of the host that have no buffer, as torch's, are shown by numpy, without a copy.
static bool GetBuffer(PyObject* object, Py_buffer* view, int flags)
{
	if (PyObject_CheckBuffer(object))
	{
		return PyObject_GetBuffer(object, view, flags) == 0;
	}
	PyObject* numpy = PyImport_ImportModule("numpy");
	PyObject* shown = numpy != NULL ? PyObject_CallMethod(numpy, "from_dlpack", "(O)", object) : NULL;
	const bool good = shown != NULL && PyObject_GetBuffer(shown, view, flags) == 0;
	Py_XDECREF(shown);
	Py_XDECREF(numpy);
	return good;
}

static bool Take(smArray* array, PyObject* object, const char* name, smKind kind, const smShape* shape, int flags)
{
	static const double nothing[2] = { 0.0, 0.0 };
	array->isHeld = false;
	if (!PyObject_CheckBuffer(object) && !PyObject_HasAttrString(object, "__dlpack__"))
	{
		char wanted[96];
		PrintShape(wanted, sizeof(wanted), shape->lengths, shape->dimensions);
		PyErr_Format(PyExc_TypeError, "%s must be an array of %s with the shape %s, not %R", name, kinds[kind].name,
		    wanted, (PyObject*)Py_TYPE(object));
		return false;
	}
	if (!GetBuffer(object, &array->view, flags | PyBUF_STRIDES | PyBUF_FORMAT))
	{
		return false;
	}
	array->isHeld = true;
	if (!CheckKind(&array->view, name, kind) || !CheckShape(&array->view, name, shape) ||
	    !CheckLayout(&array->view, name, &array->stride))
	{
		smArray_Release(array);
		return false;
	}
	array->data = array->view.buf != NULL && array->view.len > 0 ? array->view.buf : nothing;
	array->count = (uint32_t)array->view.shape[0];
	return true;
}

bool smArray_Take(smArray* array, PyObject* object, const char* name, smKind kind, smShape shape)
{
	return Take(array, object, name, kind, &shape, 0);
}

bool smArray_TakePacked(smArray* array, PyObject* object, const char* name, smKind kind, smShape shape)
{
	if (!Take(array, object, name, kind, &shape, 0))
	{
		return false;
	}
	if ((size_t)array->view.len != array->stride * array->count)
	{
		PyErr_Format(PyExc_ValueError, "%s must be contiguous: numpy.ascontiguousarray copies it so", name);
		smArray_Release(array);
		return false;
	}
	return true;
}

bool smArray_TakeWritable(smArray* array, PyObject* object, const char* name, smKind kind, smShape shape)
{
	return Take(array, object, name, kind, &shape, PyBUF_WRITABLE);
}

void smArray_Release(smArray* array)
{
	if (array->isHeld)
	{
		PyBuffer_Release(&array->view);
		array->isHeld = false;
	}
}

// Signed or not: the format's letter says it.
static uint64_t ReadId(const char* item, Py_ssize_t size, bool isSigned)
{
	uint32_t small;
	uint64_t large;
	if (size == 8)
	{
		memcpy(&large, item, sizeof(large));
		return large; // what is below zero is beyond every limit
	}
	memcpy(&small, item, sizeof(small));
	return isSigned && small > (uint32_t)INT32_MAX ? UINT64_MAX : small;
}

uint32_t* smReadIds(PyObject* object, const char* name, uint32_t limit, uint32_t* count)
{
	smArray array;
	if (!smArray_Take(&array, object, name, sm_index, (smShape){ 1, { -1 } }))
	{
		return NULL;
	}
	const char* format = array.view.format;
	bool isSigned = strpbrk(format, "ilq") != NULL;
	uint32_t* ids = malloc(((size_t)array.count + 1) * sizeof(uint32_t));
	*count = array.count;
	for (uint32_t i = 0; ids != NULL && i < array.count; ++i)
	{
		uint64_t id = ReadId((const char*)array.data + i * array.stride, array.view.itemsize, isSigned);
		if (id >= limit)
		{
			PyErr_Format(PyExc_IndexError, "%s[%lu] does not exist: there are %lu", name, (unsigned long)i,
			    (unsigned long)limit);
			free(ids);
			smArray_Release(&array);
			return NULL;
		}
		ids[i] = (uint32_t)id;
	}
	if (ids == NULL)
	{
		PyErr_NoMemory();
	}
	smArray_Release(&array);
	return ids;
}
