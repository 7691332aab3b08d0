// python/core/arrays.c: results as numpy arrays.
//
// There are two ways to make one. numpy publishes a table of C functions, whose places have been the same since 1.0;
// one of them makes an array in a tenth of the time that anything else takes. It is used where numpy says that it has
// one of the two binary interfaces known here, and a trial array turns out as it should. Otherwise numpy.ndarray's own
// constructor is called, and elements are written through the buffer protocol. Neither needs a header of numpy, so one
// build works with every version.
//
// Structures of the library become structured arrays whose members lie where the compiler put them: nothing is copied
// member by member.
#include "core.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static PyTypeObject* arrayType; // numpy.ndarray
static newfunc newArray;
static PyObject* types[sm_typeCount];

// numpy's PyArray_Empty; takes the reference to the type over. Null: the constructor is called instead.
typedef PyObject* EmptyFcn(int dimensions, const Py_ssize_t* lengths, PyObject* type, int isFortran);
static EmptyFcn* emptyArray;
enum
{
	versionSlot = 0,
	emptySlot = 184
};

// How numpy's arrays begin.
typedef struct ArrayHead
{
	PyObject_HEAD void* data;
} ArrayHead;

// What a structure of the library is in an array: its members in order, each with its type in numpy, which has a shape
// in front if it has one.
typedef struct Member
{
	smType type;
	const char *name, *format;
	size_t offset;
} Member;

#define MEMBER(type, structure, name, member, format)            \
	{                                                            \
		sm_type##type, name, format, offsetof(structure, member) \
	}
#define ENUM "u4"
_Static_assert(
    sizeof(snugContactKind) == 4 && sizeof(snugFeatureKind) == 4 && sizeof(snugCurveEnd) == 4 && sizeof(snugSide) == 4,
    "ENUM");
_Static_assert(offsetof(snugFeature, second) == offsetof(snugFeature, first) + 4, "feature_a holds both");

static const Member members[] = {
	MEMBER(Hit, snugRayHit, "t", t, "f8"),
	MEMBER(Hit, snugRayHit, "weights", weights, "(3,)f8"),
	MEMBER(Hit, snugRayHit, "position", position, "(3,)f4"),
	MEMBER(Hit, snugRayHit, "normal", normal, "(3,)f4"),
	MEMBER(Hit, snugRayHit, "triangle", triangle, "u4"),
	MEMBER(Closest, snugClosest, "distance", distance, "f8"),
	MEMBER(Closest, snugClosest, "position", position, "(3,)f4"),
	MEMBER(Closest, snugClosest, "normal", normal, "(3,)f4"),
	MEMBER(Closest, snugClosest, "triangle", triangle, "u4"),
	MEMBER(Depth, snugVertexDepth, "vertex", vertex, "u4"),
	MEMBER(Depth, snugVertexDepth, "depth", depth, "f8"),
	MEMBER(Depth, snugVertexDepth, "position", position, "(3,)f4"),
	MEMBER(Depth, snugVertexDepth, "normal", normal, "(3,)f4"),
	MEMBER(Depth, snugVertexDepth, "triangle", triangle, "u4"),
	MEMBER(SweepContact, snugSweepContact, "time", time, "f8"),
	MEMBER(SweepContact, snugSweepContact, "latest", latest, "f8"),
	MEMBER(SweepContact, snugSweepContact, "feature_a", featureA, "(3,)u4"),
	MEMBER(SweepContact, snugSweepContact, "feature_b", featureB, "(3,)u4"),
	MEMBER(SweepContact, snugSweepContact, "a", a, "u4"),
	MEMBER(SweepContact, snugSweepContact, "b", b, "u4"),
	MEMBER(SweepContact, snugSweepContact, "position", position, "(3,)f4"),
	MEMBER(SweepContact, snugSweepContact, "normal", normal, "(3,)f4"),
	MEMBER(SweepContact, snugSweepContact, "is_certain", isCertain, "?"),
	MEMBER(Contact, snugContact, "a", a, "u4"),
	MEMBER(Contact, snugContact, "b", b, "u4"),
	MEMBER(Contact, snugContact, "kind", kind, ENUM),
	MEMBER(Contact, snugContact, "point_count", pointCount, "u4"),
	MEMBER(Contact, snugContact, "points", points, "(6,)u4"),
	MEMBER(Contact, snugContact, "curve", curve, "u4"),
	MEMBER(Contact, snugContact, "normal_a", normalA, "(3,)f4"),
	MEMBER(Contact, snugContact, "normal_b", normalB, "(3,)f4"),
	MEMBER(Point, snugContactPoint, "position", position, "(3,)f4"),
	MEMBER(Point, snugContactPoint, "kind_a", a.kind, ENUM),
	MEMBER(Point, snugContactPoint, "feature_a", a.first, "(2,)u4"),
	MEMBER(Point, snugContactPoint, "kind_b", b.kind, ENUM),
	MEMBER(Point, snugContactPoint, "feature_b", b.first, "(2,)u4"),
	MEMBER(Curve, snugCurve, "first_point", firstPoint, "u4"),
	MEMBER(Curve, snugCurve, "point_count", pointCount, "u4"),
	MEMBER(Curve, snugCurve, "first_contact", firstContact, "u4"),
	MEMBER(Curve, snugCurve, "contact_count", contactCount, "u4"),
	MEMBER(Curve, snugCurve, "is_closed", isClosed, "?"),
	MEMBER(Curve, snugCurve, "ends", ends, "(2,)u4"),
	MEMBER(Curve, snugCurve, "length", length, "f8"),
	MEMBER(Curve, snugCurve, "centroid", centroid, "(3,)f8"),
	MEMBER(Curve, snugCurve, "area", area, "(3,)f8"),
	MEMBER(ScenePair, snugScenePair, "a", a, "u4"),
	MEMBER(ScenePair, snugScenePair, "b", b, "u4"),
	MEMBER(ScenePair, snugScenePair, "first", first, "u8"),
	MEMBER(ScenePair, snugScenePair, "count", count, "u8"),
	MEMBER(Box, snugNodeBox, "lower", lower, "(3,)f4"),
	MEMBER(Box, snugNodeBox, "upper", upper, "(3,)f4"),
	MEMBER(Box, snugNodeBox, "node", node, "u4"),
	MEMBER(Box, snugNodeBox, "level", level, "u4"),
	MEMBER(Side, snugPointSide, "side", side, ENUM),
	MEMBER(Side, snugPointSide, "winding", winding, "i4"),
	MEMBER(Side, snugPointSide, "triangle", triangle, "u4"),
	MEMBER(ShapeContact, snugShapeContact, "distance", distance, "f8"),
	MEMBER(ShapeContact, snugShapeContact, "position", position, "(3,)f4"),
	MEMBER(ShapeContact, snugShapeContact, "triangle", triangle, "u4"),
	MEMBER(SceneHit, snugRayHit, "t", t, "f8"),
	MEMBER(SceneHit, snugRayHit, "weights", weights, "(3,)f8"),
	MEMBER(SceneHit, snugRayHit, "position", position, "(3,)f4"),
	MEMBER(SceneHit, snugRayHit, "normal", normal, "(3,)f4"),
	MEMBER(SceneHit, snugRayHit, "triangle", triangle, "u4"),
	MEMBER(SceneHit, snugRayHit, "body", body, "u4"),
};

static const struct
{
	const char* plain; ///< null: a structure
	size_t size;
} descriptions[sm_typeCount] = {
	[sm_typeFloat32] = { "f4", 4 },
	[sm_typeFloat64] = { "f8", 8 },
	[sm_typeUint16] = { "u2", 2 },
	[sm_typeUint32] = { "u4", 4 },
	[sm_typeInt64] = { "i8", 8 },
	[sm_typeHit] = { NULL, sizeof(snugRayHit) },
	[sm_typeClosest] = { NULL, sizeof(snugClosest) },
	[sm_typeDepth] = { NULL, sizeof(snugVertexDepth) },
	[sm_typeContact] = { NULL, sizeof(snugContact) },
	[sm_typePoint] = { NULL, sizeof(snugContactPoint) },
	[sm_typeCurve] = { NULL, sizeof(snugCurve) },
	[sm_typeScenePair] = { NULL, sizeof(snugScenePair) },
	[sm_typeBox] = { NULL, sizeof(snugNodeBox) },
	[sm_typeSide] = { NULL, sizeof(snugPointSide) },
	[sm_typeShapeContact] = { NULL, sizeof(snugShapeContact) },
	[sm_typeSceneHit] = { NULL, sizeof(snugRayHit) },
	[sm_typeSweepContact] = { NULL, sizeof(snugSweepContact) },
};

static bool Append(PyObject* list, PyObject* item)
{
	bool good = item != NULL && PyList_Append(list, item) == 0;
	Py_XDECREF(item);
	return good;
}

// numpy.dtype takes names, formats, offsets and the size of the whole.
static PyObject* DescribeMembers(smType type)
{
	PyObject *names = PyList_New(0), *formats = PyList_New(0), *offsets = PyList_New(0), *dictionary = NULL;
	bool good = names != NULL && formats != NULL && offsets != NULL;
	for (size_t i = 0; good && i < sizeof(members) / sizeof(members[0]); ++i)
	{
		const Member* m = members + i;
		good = m->type != type ||
		       (Append(names, PyUnicode_FromString(m->name)) && Append(formats, PyUnicode_FromString(m->format)) &&
		           Append(offsets, PyLong_FromSize_t(m->offset)));
	}
	if (good)
	{
		dictionary = Py_BuildValue("{sOsOsOsn}", "names", names, "formats", formats, "offsets", offsets, "itemsize",
		    (Py_ssize_t)descriptions[type].size);
	}
	Py_XDECREF(names);
	Py_XDECREF(formats);
	Py_XDECREF(offsets);
	return dictionary;
}

static PyObject* MakeType(PyObject* numpy, smType type)
{
	PyObject* description =
	    descriptions[type].plain != NULL ? PyUnicode_FromString(descriptions[type].plain) : DescribeMembers(type);
	PyObject* made = description != NULL ? PyObject_CallMethod(numpy, "dtype", "(O)", description) : NULL;
	Py_XDECREF(description);
	return made;
}

// ---- Arrays ----------------------------------------------------------------------------------------------------

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
	PyObject* arguments = shape != NULL ? Py_BuildValue("(NO)", shape, types[type]) : NULL;
	PyObject* array = arguments != NULL ? newArray(arrayType, arguments, NULL) : NULL;
	Py_XDECREF(arguments);
	return array;
}

// The memory is the array's, and nobody else has the array yet.
static void* FindData(PyObject* array)
{
	Py_buffer view;
	if (PyObject_GetBuffer(array, &view, PyBUF_SIMPLE | PyBUF_WRITABLE) != 0)
	{
		return NULL;
	}
	PyBuffer_Release(&view);
	return view.buf;
}

PyObject* smNewArray(smType type, int dimensions, const Py_ssize_t* lengths, void** data)
{
	if (emptyArray != NULL)
	{
		PyObject* made = emptyArray(dimensions, lengths, Py_NewRef(types[type]), 0);
		*data = made != NULL ? ((ArrayHead*)made)->data : NULL;
		return made;
	}
	PyObject* array = CallConstructor(type, dimensions, lengths);
	*data = array != NULL ? FindData(array) : NULL;
	if (*data == NULL)
	{
		Py_CLEAR(array);
	}
	return array;
}

// ---- Starting --------------------------------------------------------------------------------------------------

static void** FindTable(void)
{
	PyObject* module = PyImport_ImportModule("numpy._core._multiarray_umath");
	if (module == NULL)
	{
		PyErr_Clear();
		module = PyImport_ImportModule("numpy.core._multiarray_umath"); // before numpy 2
	}
	PyObject* capsule = module != NULL ? PyObject_GetAttrString(module, "_ARRAY_API") : NULL;
	void** table = capsule != NULL ? PyCapsule_GetPointer(capsule, NULL) : NULL;
	Py_XDECREF(capsule);
	Py_XDECREF(module);
	PyErr_Clear();
	return table;
}

// Functions are kept as pointers to data there.
static void FindFunctions(void)
{
	void** table = FindTable();
	unsigned int (*getVersion)(void);
	if (table == NULL)
	{
		return;
	}
	memcpy(&getVersion, table + versionSlot, sizeof(getVersion));
	unsigned int version = getVersion();
	if (version == 0x01000009u || version == 0x02000000u)
	{
		memcpy(&emptyArray, table + emptySlot, sizeof(emptyArray));
	}
}

// Whether a trial array is what the constructor would have made.
static bool TryFunctions(void)
{
	const Py_ssize_t lengths[2] = { 3, 2 };
	void* data;
	PyObject* array = smNewArray(sm_typeUint32, 2, lengths, &data);
	bool good = array != NULL && Py_TYPE(array) == arrayType && PyObject_Size(array) == 3 && FindData(array) == data;
	Py_XDECREF(array);
	PyErr_Clear();
	return good;
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
	if (!good)
	{
		return false;
	}
	// For tests of the other way.
	if (getenv("SNUGMESH_PLAIN_ARRAYS") == NULL)
	{
		FindFunctions();
	}
	emptyArray = emptyArray != NULL && TryFunctions() ? emptyArray : NULL;
	return true;
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
