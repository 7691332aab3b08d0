// python/core/arrays.c: results as numpy arrays.
//
// numpy.ndarray's own constructor makes them, called straight from its slot; elements are written through the buffer
// protocol. So this needs no header of numpy and works with every version. Structures of the library become structured
// arrays whose members lie where the compiler put them: nothing is copied member by member.
#include "core.h"

#include <stddef.h>
#include <string.h>

static PyTypeObject* arrayType; // numpy.ndarray
static newfunc newArray;
static PyObject* types[sm_typeCount];

typedef struct Member
{
	const char* name;
	const char* format; ///< of numpy: a type, with a shape in front if it has one
	size_t offset;
} Member;

#define MEMBER(structure, name, member, format)   \
	{                                             \
		name, format, offsetof(structure, member) \
	}
#define ENUM "u4"
_Static_assert(sizeof(snugContactKind) == 4 && sizeof(snugFeatureKind) == 4 && sizeof(snugCurveEnd) == 4, "ENUM");

static const Member hitMembers[] = {
	MEMBER(snugRayHit, "t", t, "f8"),
	MEMBER(snugRayHit, "weights", weights, "(3,)f8"),
	MEMBER(snugRayHit, "position", position, "(3,)f4"),
	MEMBER(snugRayHit, "normal", normal, "(3,)f4"),
	MEMBER(snugRayHit, "triangle", triangle, "u4"),
	{ NULL, NULL, 0 },
};
static const Member closestMembers[] = {
	MEMBER(snugClosest, "distance", distance, "f8"),
	MEMBER(snugClosest, "position", position, "(3,)f4"),
	MEMBER(snugClosest, "normal", normal, "(3,)f4"),
	MEMBER(snugClosest, "triangle", triangle, "u4"),
	{ NULL, NULL, 0 },
};
static const Member contactMembers[] = {
	MEMBER(snugContact, "a", a, "u4"),
	MEMBER(snugContact, "b", b, "u4"),
	MEMBER(snugContact, "kind", kind, ENUM),
	MEMBER(snugContact, "point_count", pointCount, "u4"),
	MEMBER(snugContact, "points", points, "(6,)u4"),
	MEMBER(snugContact, "curve", curve, "u4"),
	MEMBER(snugContact, "normal_a", normalA, "(3,)f4"),
	MEMBER(snugContact, "normal_b", normalB, "(3,)f4"),
	{ NULL, NULL, 0 },
};
static const Member pointMembers[] = {
	MEMBER(snugContactPoint, "position", position, "(3,)f4"),
	MEMBER(snugContactPoint, "kind_a", a.kind, ENUM),
	MEMBER(snugContactPoint, "feature_a", a.first, "(2,)u4"),
	MEMBER(snugContactPoint, "kind_b", b.kind, ENUM),
	MEMBER(snugContactPoint, "feature_b", b.first, "(2,)u4"),
	{ NULL, NULL, 0 },
};
static const Member curveMembers[] = {
	MEMBER(snugCurve, "first_point", firstPoint, "u4"),
	MEMBER(snugCurve, "point_count", pointCount, "u4"),
	MEMBER(snugCurve, "first_contact", firstContact, "u4"),
	MEMBER(snugCurve, "contact_count", contactCount, "u4"),
	MEMBER(snugCurve, "is_closed", isClosed, "?"),
	MEMBER(snugCurve, "ends", ends, "(2,)u4"),
	MEMBER(snugCurve, "length", length, "f8"),
	MEMBER(snugCurve, "centroid", centroid, "(3,)f8"),
	MEMBER(snugCurve, "area", area, "(3,)f8"),
	{ NULL, NULL, 0 },
};
static const Member scenePairMembers[] = {
	MEMBER(snugScenePair, "a", a, "u4"),
	MEMBER(snugScenePair, "b", b, "u4"),
	MEMBER(snugScenePair, "first", first, "u8"),
	MEMBER(snugScenePair, "count", count, "u8"),
	{ NULL, NULL, 0 },
};
static const Member boxMembers[] = {
	MEMBER(snugNodeBox, "lower", lower, "(3,)f4"),
	MEMBER(snugNodeBox, "upper", upper, "(3,)f4"),
	MEMBER(snugNodeBox, "node", node, "u4"),
	MEMBER(snugNodeBox, "level", level, "u4"),
	{ NULL, NULL, 0 },
};
_Static_assert(offsetof(snugFeature, second) == offsetof(snugFeature, first) + 4, "feature_a holds both");

static const struct
{
	const char* plain;
	const Member* members;
	size_t size;
} descriptions[sm_typeCount] = {
	[sm_typeFloat32] = { "f4", NULL, 4 },
	[sm_typeFloat64] = { "f8", NULL, 8 },
	[sm_typeUint16] = { "u2", NULL, 2 },
	[sm_typeUint32] = { "u4", NULL, 4 },
	[sm_typeHit] = { NULL, hitMembers, sizeof(snugRayHit) },
	[sm_typeClosest] = { NULL, closestMembers, sizeof(snugClosest) },
	[sm_typeContact] = { NULL, contactMembers, sizeof(snugContact) },
	[sm_typePoint] = { NULL, pointMembers, sizeof(snugContactPoint) },
	[sm_typeCurve] = { NULL, curveMembers, sizeof(snugCurve) },
	[sm_typeScenePair] = { NULL, scenePairMembers, sizeof(snugScenePair) },
	[sm_typeBox] = { NULL, boxMembers, sizeof(snugNodeBox) },
};

static bool Append(PyObject* list, PyObject* item)
{
	bool good = item != NULL && PyList_Append(list, item) == 0;
	Py_XDECREF(item);
	return good;
}

// numpy.dtype takes names, formats, offsets and the size of the whole.
static PyObject* DescribeMembers(const Member* members, size_t size)
{
	PyObject *names = PyList_New(0), *formats = PyList_New(0), *offsets = PyList_New(0), *dictionary = NULL;
	bool good = names != NULL && formats != NULL && offsets != NULL;
	for (; good && members->name != NULL; ++members)
	{
		good = Append(names, PyUnicode_FromString(members->name)) &&
		       Append(formats, PyUnicode_FromString(members->format)) &&
		       Append(offsets, PyLong_FromSize_t(members->offset));
	}
	if (good)
	{
		dictionary = Py_BuildValue(
		    "{sOsOsOsn}", "names", names, "formats", formats, "offsets", offsets, "itemsize", (Py_ssize_t)size);
	}
	Py_XDECREF(names);
	Py_XDECREF(formats);
	Py_XDECREF(offsets);
	return dictionary;
}

static PyObject* MakeType(PyObject* numpy, smType type)
{
	PyObject* description = descriptions[type].plain != NULL
	                            ? PyUnicode_FromString(descriptions[type].plain)
	                            : DescribeMembers(descriptions[type].members, descriptions[type].size);
	PyObject* made = description != NULL ? PyObject_CallMethod(numpy, "dtype", "(O)", description) : NULL;
	Py_XDECREF(description);
	return made;
}

bool smArrays_Start(void)
{
	PyObject* numpy = PyImport_ImportModule("numpy");
	if (numpy == NULL)
	{
		return false;
	}
	arrayType = (PyTypeObject*)PyObject_GetAttrString(numpy, "ndarray");
	newArray = arrayType != NULL ? (newfunc)PyType_GetSlot(arrayType, Py_tp_new) : NULL;
	bool good = newArray != NULL;
	for (int i = 0; i < sm_typeCount && good; ++i)
	{
		types[i] = MakeType(numpy, (smType)i);
		good = types[i] != NULL;
	}
	Py_DECREF(numpy);
	return good;
}

// numpy.ndarray(lengths, type)
static PyObject* CallConstructor(smType type, int dimensions, const Py_ssize_t* lengths)
{
	PyObject* shape = PyTuple_New(dimensions);
	for (int i = 0; shape != NULL && i < dimensions; ++i)
	{
		PyObject* length = PyLong_FromSsize_t(lengths[i]);
		if (length == NULL || PyTuple_SetItem(shape, i, length) != 0)
		{
			Py_CLEAR(shape);
		}
	}
	PyObject* arguments = shape != NULL ? PyTuple_New(2) : NULL;
	if (arguments == NULL)
	{
		Py_XDECREF(shape);
		return NULL;
	}
	Py_INCREF(types[type]);
	PyTuple_SetItem(arguments, 0, shape);
	PyTuple_SetItem(arguments, 1, types[type]);
	PyObject* array = newArray(arrayType, arguments, NULL);
	Py_DECREF(arguments);
	return array;
}

PyObject* smNewArray(smType type, int dimensions, const Py_ssize_t* lengths, void** data)
{
	PyObject* array = CallConstructor(type, dimensions, lengths);
	Py_buffer view;
	if (array == NULL || PyObject_GetBuffer(array, &view, PyBUF_SIMPLE | PyBUF_WRITABLE) != 0)
	{
		Py_XDECREF(array);
		return NULL;
	}
	// The memory is the array's, and nobody else has the array yet.
	*data = view.buf;
	PyBuffer_Release(&view);
	return array;
}

PyObject* smCopyArray(smType type, const void* elements, size_t elementSize, uint64_t count, Py_ssize_t width)
{
	const Py_ssize_t lengths[2] = { (Py_ssize_t)count, width };
	void* data;
	PyObject* array = smNewArray(type, width > 0 ? 2 : 1, lengths, &data);
	if (array != NULL && count > 0)
	{
		memcpy(data, elements, elementSize * count * (size_t)(width > 0 ? width : 1));
	}
	return array;
}
