// python/core/bounds.c: what bounds a body: a box and a ball, the boxes of its tree, planes that it is beyond.
#include "core.h"

#include <stdlib.h>

static PyTypeObject *boundsType, *validationType;

PyObject* smBody_GetBounds(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "bounds", 0, 0, 1, { "origin" } };
	PyObject* values[1];
	double origin[3];
	snugBounds bounds;
	if (!smParse(&parameters, arguments, count, names, values) || !smReadOrigin(values[0], origin))
	{
		return NULL;
	}
	smBody* self = smBody_Take(object, "self");
	snugStatus status = self != NULL ? snugBody_GetBounds(self->body, origin, &bounds) : snug_badArgument;
	if (status != snug_success)
	{
		return self != NULL ? smBody_Finish(self, status) : NULL;
	}
	smRelease(&self->isBusy);
	PyObject* items[4] = { smCopyArray(sm_typeFloat32, bounds.lower, 4, 3, 0),
		smCopyArray(sm_typeFloat32, bounds.upper, 4, 3, 0), smCopyArray(sm_typeFloat32, bounds.center, 4, 3, 0),
		PyFloat_FromDouble((double)bounds.radius) };
	return smMakeTuple(boundsType, items, 4);
}

// ---- Boxes of the tree -----------------------------------------------------------------------------------------

static PyObject* GetBoxesOfLevel(smBody* self, uint32_t level)
{
	uint64_t count = 0;
	void* data;
	PyObject* array = NULL;
	snugStatus status = snugBody_GetBoxes(self->body, level, NULL, 0, &count);
	const Py_ssize_t length = (Py_ssize_t)count;
	if (status != snug_success)
	{
		smFail(status, &self->said);
	}
	else if ((array = smNewArray(sm_typeBox, 1, &length, &data)) != NULL && count > 0)
	{
		snugBody_GetBoxes(self->body, level, data, count, &count);
	}
	return array;
}

static PyObject* GetBoxesOfNodes(smBody* self, PyObject* given)
{
	uint32_t count, *nodes = smReadIds(given, "nodes", UINT32_MAX, &count);
	if (nodes == NULL)
	{
		return NULL;
	}
	const Py_ssize_t length = count;
	void* data;
	PyObject* array = smNewArray(sm_typeBox, 1, &length, &data);
	for (uint32_t i = 0; array != NULL && i < count; ++i)
	{
		const snugStatus status = snugBody_GetNodeBox(self->body, nodes[i], (snugNodeBox*)data + i);
		if (status == snug_badArgument) // numbers have gaps, so only the tree knows
		{
			Py_CLEAR(array);
			PyErr_Format(
			    PyExc_IndexError, "nodes[%lu]: there is no node %lu", (unsigned long)i, (unsigned long)nodes[i]);
		}
		else if (status != snug_success)
		{
			Py_CLEAR(array);
			smFail(status, &self->said);
		}
	}
	free(nodes);
	return array;
}

PyObject* smBody_GetBoxes(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "boxes", 0, 1, 2, { "level", "nodes" } };
	PyObject* values[2];
	if (!smParse(&parameters, arguments, count, names, values))
	{
		return NULL;
	}
	if (values[0] != NULL && values[1] != NULL)
	{
		return PyErr_Format(PyExc_ValueError, "boxes() takes level or nodes, not both");
	}
	long level = values[0] != NULL ? PyLong_AsLong(values[0]) : -1;
	if (PyErr_Occurred() != NULL || (values[0] != NULL && (level < 0 || level > UINT16_MAX)))
	{
		return PyErr_Occurred() != NULL ? NULL : PyErr_Format(PyExc_ValueError, "there is no level %ld", level);
	}
	smBody* self = smBody_Take(object, "self");
	if (self == NULL)
	{
		return NULL;
	}
	// Without a level those that were visited.
	const uint32_t asked = values[0] != NULL ? (uint32_t)level : SNUG_NONE;
	PyObject* boxes = values[1] != NULL ? GetBoxesOfNodes(self, values[1]) : GetBoxesOfLevel(self, asked);
	smRelease(&self->isBusy);
	return boxes;
}

// ---- Questions -------------------------------------------------------------------------------------------------

PyObject* smBody_IsOutside(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "is_outside", 1, 1, 2, { "planes", "origin" } };
	PyObject *values[2], *answer = NULL;
	double origin[3];
	smArray planes;
	_Static_assert(sizeof(snugPlane) == 4 * sizeof(double), "a row of 4 numbers is a plane");
	if (!smParse(&parameters, arguments, count, names, values) || !smReadOrigin(values[1], origin) ||
	    !smArray_TakePacked(&planes, values[0], "planes", sm_float64, (smShape){ 2, { -1, 4 } }))
	{
		return NULL;
	}
	smBody* self = smBody_Take(object, "self");
	if (self != NULL)
	{
		bool isOutside = false;
		snugStatus status = snugBody_IsOutside(self->body, origin, planes.data, planes.count, &isOutside);
		answer = status == snug_success ? PyBool_FromLong(isOutside) : smFail(status, &self->said);
		smRelease(&self->isBusy);
	}
	smArray_Release(&planes);
	return answer;
}

PyObject* smBody_Validate(PyObject* object, PyObject* nothing)
{
	smBody* self = smBody_Take(object, "self");
	(void)nothing;
	if (self == NULL)
	{
		return NULL;
	}
	snugValidation found;
	snugStatus status;
	Py_BEGIN_ALLOW_THREADS;
	status = snugBody_Validate(self->body, &found);
	Py_END_ALLOW_THREADS;
	if (status != snug_success && status != snug_invalidBounds)
	{
		return smBody_Finish(self, status);
	}
	smRelease(&self->isBusy);
	PyObject* items[4] = { PyLong_FromUnsignedLongLong(found.nodesChecked), PyLong_FromUnsignedLongLong(found.checks),
		PyLong_FromUnsignedLongLong(found.violations), PyFloat_FromDouble(found.worst) };
	return smMakeTuple(validationType, items, 4);
}

// ---- The module ------------------------------------------------------------------------------------------------

static PyStructSequence_Field boundsFields[] = { { "lower", "of the box" }, { "upper", "of the box" },
	{ "center", "of the ball" }, { "radius", "of the ball; negative without triangles" }, { NULL, NULL } };
static PyStructSequence_Desc boundsDescription = { "snugmesh.Bounds",
	"A box and a ball that contain a body. Without triangles lower is above upper.", boundsFields, 4 };

static PyStructSequence_Field validationFields[] = { { "nodes_checked", "nodes of the tree" },
	{ "checks", "vertex against bound, counted per coordinate and side" },
	{ "violations", "of those, how many failed" }, { "worst", "the farthest that a vertex is outside" },
	{ NULL, NULL } };
static PyStructSequence_Desc validationDescription = { "snugmesh.Validation", "What Body.validate found.",
	validationFields, 4 };

bool smAddBounds(PyObject* module)
{
	boundsType = smAddTuple(module, &boundsDescription);
	validationType = smAddTuple(module, &validationDescription);
	return boundsType != NULL && validationType != NULL;
}
