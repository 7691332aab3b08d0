// python/core/shapes.c: where points and bodies are as seen from a body, and what of it meets a simple shape.
#include "core.h"

#include <stdlib.h>

// ---- Inside ----------------------------------------------------------------------------------------------------

static PyObject* AskInside(smBody* body, const smArray* points, const double origin[3])
{
	const Py_ssize_t length = points->count;
	void* places;
	PyObject* array = smNewArray(sm_typeSide, 1, &length, &places);
	if (array == NULL)
	{
		return NULL;
	}
	snugResult result;
	Py_BEGIN_ALLOW_THREADS;
	result = snugFindInside(body->body, points->data, points->stride, points->count, places, origin);
	Py_END_ALLOW_THREADS;
	return smBody_Answer(body, result.status, &result.counters, array);
}

static PyObject* FindInside(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "find_inside", 2, 2, 3, { "body", "points", "origin" } };
	PyObject *values[3], *places = NULL;
	double origin[3] = { 0.0 };
	smArray points;
	(void)module;
	if (!smParse(&parameters, arguments, count, names, values) || !smReadOrigin(values[2], origin) ||
	    !smArray_Take(&points, values[1], "points", sm_float32, (smShape){ 2, { -1, 3 } }))
	{
		return NULL;
	}
	smBody* body = smBody_Take(values[0], "body");
	if (body != NULL)
	{
		places = AskInside(body, &points, origin);
		smRelease(&body->isBusy);
	}
	smArray_Release(&points);
	return places;
}

static PyObject* AskSelfInside(smBody* body)
{
	const Py_ssize_t lengths[2] = { body->model->info.vertexCount, body->model->info.triangleCount };
	void *vertices, *triangles;
	PyObject* both = Py_BuildValue(
	    "NN", smNewArray(sm_typeSide, 1, lengths, &vertices), smNewArray(sm_typeSide, 1, lengths + 1, &triangles));
	if (both == NULL)
	{
		return NULL;
	}
	snugResult result;
	Py_BEGIN_ALLOW_THREADS;
	result = snugFindSelfInside(body->body, vertices, triangles);
	Py_END_ALLOW_THREADS;
	return smBody_Answer(body, result.status, &result.counters, both);
}

static PyObject* FindSelfInside(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "find_self_inside", 1, 1, 1, { "body" } };
	PyObject *values[1], *both = NULL;
	(void)module;
	smBody* body = smParse(&parameters, arguments, count, names, values) ? smBody_Take(values[0], "body") : NULL;
	if (body != NULL)
	{
		both = AskSelfInside(body);
		smRelease(&body->isBusy);
	}
	return both;
}

static PyObject* FindBodyInside(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "find_body_inside", 2, 2, 3, { "inner", "outer", "origin" } };
	PyObject* values[3];
	double origin[3] = { 0.0 };
	snugSide side;
	smBody *inner, *outer;
	(void)module;
	if (!smParse(&parameters, arguments, count, names, values) || !smReadOrigin(values[2], origin) ||
	    !smBody_TakeTwo(values, &inner, &outer))
	{
		return NULL;
	}
	snugResult result;
	Py_BEGIN_ALLOW_THREADS;
	result = snugFindBodyInside(inner->body, outer->body, origin, &side);
	Py_END_ALLOW_THREADS;
	inner->counters = result.counters;
	PyObject* place =
	    result.status == snug_success ? PyLong_FromLong((long)side) : smBody_FailOfTwo(result.status, inner, outer);
	smBody_ReleaseTwo(inner, outer);
	return place;
}

// ---- Shapes ----------------------------------------------------------------------------------------------------

static PyObject* AskShape(smBody* body, const snugShape* shape, snugShapeQuery* query)
{
	enum
	{
		few = 64
	};
	snugShapeContact first[few], *contacts = first, *more = NULL;
	snugResult result;
	query->contacts = first;
	query->capacity = few;
	Py_BEGIN_ALLOW_THREADS;
	result = snugCollideShape(body->body, shape, query);
	body->counters = result.counters;
	if (result.status == snug_success && result.count > few)
	{
		contacts = more = malloc(result.count * sizeof(snugShapeContact));
		query->contacts = more;
		query->capacity = result.count;
		if (more != NULL)
		{
			result = snugCollideShape(body->body, shape, query);
			smAddCounters(&body->counters, &result.counters);
		}
	}
	Py_END_ALLOW_THREADS;
	PyObject* array = contacts == NULL ? PyErr_NoMemory()
	                  : result.status != snug_success
	                      ? smFail(result.status, &body->said)
	                      : smCopyArray(sm_typeShapeContact, contacts, sizeof(*contacts), result.count, 0);
	free(more);
	return array;
}

bool smReadShape(PyObject* object, snugShape* shape)
{
	int kind;
	*shape = (snugShape){ .kind = snug_shapeSphere };
	if (!PyTuple_Check(object))
	{
		PyErr_Format(PyExc_TypeError, "a shape must be a Shape, not %.100R", Py_TYPE(object));
		return false;
	}
	const bool isRead = PyArg_ParseTuple(object, "i(fff)(fff)f(ddd)d;a shape must be a Shape", &kind, &shape->from[0],
	    &shape->from[1], &shape->from[2], &shape->to[0], &shape->to[1], &shape->to[2], &shape->radius,
	    &shape->plane.normal[0], &shape->plane.normal[1], &shape->plane.normal[2], &shape->plane.offset);
	shape->kind = isRead ? (snugShapeKind)kind : snug_shapeSphere;
	return isRead;
}

// A body, a Shape, any, origin. snugmesh has a function for each kind.
static PyObject* CollideShape(PyObject* module, PyObject* arguments)
{
	snugShape shape;
	snugShapeQuery query = { .any = false };
	PyObject *object, *numbers, *origin;
	int any;
	(void)module;
	if (!PyArg_ParseTuple(arguments, "OOpO", &object, &numbers, &any, &origin) || !smReadShape(numbers, &shape) ||
	    !smReadOrigin(origin != Py_None ? origin : NULL, query.origin))
	{
		return NULL;
	}
	query.any = any != 0;
	smBody* body = smBody_Take(object, "body");
	PyObject* contacts = body != NULL ? AskShape(body, &shape, &query) : NULL;
	if (body != NULL)
	{
		smRelease(&body->isBusy);
	}
	return contacts;
}

// ---- The module ------------------------------------------------------------------------------------------------

static PyMethodDef functions[] = {
	SM_FUNCTION("find_self_inside", FindSelfInside,
	    "find_self_inside($module, /, body)\n--\n\n"
	    "Which of a body's own vertices and triangles are inside it, where one part of it is within another: two\n"
	    "arrays with side (Side), winding and triangle, one for each vertex and one for each triangle.\n\n"
	    "winding is that of what is in front of the surface: a part's own surface does not count. A triangle that\n"
	    "meets another one is PARTLY_INSIDE. For closed bodies. Exact.\n\n"
	    ">>> import numpy as np, snugmesh as snug\n"
	    ">>> box = snug.box()\n"
	    ">>> positions = np.concatenate([box.positions(), box.positions() / 2])\n"
	    ">>> two = snug.Model(positions, np.concatenate([box.triangles(), box.triangles() + 8]))\n"
	    ">>> snug.find_self_inside(snug.Body(two))[0]['side'].tolist()\n"
	    "[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]\n"),
	SM_FUNCTION("find_inside", FindInside,
	    "find_inside($module, /, body, points, *, origin=None)\n--\n\n"
	    "Where each point is: an array with side (a Side), winding, triangle.\n\n"
	    "points: float32, (n, 3). Exact, however close to the surface. The surface is to be closed:\n"
	    "see Model.count_open_edges. triangle: one that the point is in, or NO_TRIANGLE.\n\n"
	    ">>> import numpy as np, snugmesh as snug\n"
	    ">>> points = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0]], np.float32)\n"
	    ">>> [snug.Side(p).name for p in snug.find_inside(snug.Body(snug.box()), points)['side']]\n"
	    "['INSIDE', 'ON_SURFACE', 'OUTSIDE']\n"),
	SM_FUNCTION("_find_body_inside", FindBodyInside, NULL),
	{ "_collide_shape", CollideShape, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

bool smAddShapes(PyObject* module)
{
	return PyModule_AddFunctions(module, functions) == 0;
}
