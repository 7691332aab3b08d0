// python/core/body.c: snugmesh.Body.
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

PyTypeObject* smBodyType;
static PyTypeObject* countersType;

PyObject* smBody_Answer(smBody* body, snugStatus status, const snugCounters* counters, PyObject* array)
{
	body->counters = *counters;
	if (status != snug_success)
	{
		Py_DECREF(array);
		return smFail(status, &body->said);
	}
	return array;
}

// ---- Making ----------------------------------------------------------------------------------------------------

static bool ReadStrategy(const char* name, snugStrategy* strategy)
{
	static const char* const names[] = { "auto", "on_demand", "front", "bottom_up" };
	for (int i = 0; i < 4; ++i)
	{
		if (strcmp(name, names[i]) == 0)
		{
			*strategy = (snugStrategy)i;
			return true;
		}
	}
	PyErr_Format(PyExc_ValueError, "strategy must be 'auto', 'on_demand', 'front' or 'bottom_up', not '%.60s'", name);
	return false;
}

static PyObject* New(PyTypeObject* type, PyObject* arguments, PyObject* keywords)
{
	static char* names[] = { "model", "strategy", "pool", NULL };
	PyObject *model, *pool = Py_None;
	const char* strategy = "auto";
	snugBodyDef def = { .strategy = snug_strategyAuto };
	if (!PyArg_ParseTupleAndKeywords(
	        arguments, keywords, "O!|$sO:Body", names, smModelType, &model, &strategy, &pool) ||
	    !ReadStrategy(strategy, &def.strategy))
	{
		return NULL;
	}
	if (pool != Py_None && Py_TYPE(pool) != smPoolType)
	{
		return PyErr_Format(PyExc_TypeError, "pool must be a snugmesh.Pool, not %R", (PyObject*)Py_TYPE(pool));
	}
	smBody* self = smAllocate(type);
	if (self == NULL)
	{
		return NULL;
	}
	def.model = ((smModel*)model)->model;
	def.messenger = (snugMessenger){ smRemember, &self->said };
	if (pool != Py_None)
	{
		self->pool = (smPool*)Py_NewRef(pool);
		def.pool = self->pool->pool;
	}
	snugStatus status = snugBody_Create(&def, &self->body);
	if (status != snug_success)
	{
		smFail(status, &self->said);
		Py_DECREF(self);
		return NULL;
	}
	self->model = (smModel*)Py_NewRef(model);
	return (PyObject*)self;
}

static void Free(PyObject* object)
{
	smBody* self = (smBody*)object;
	snugBody_Destroy(self->body);
	snugContactBuffer_Destroy(self->contacts);
	free(self->pairs);
	Py_XDECREF((PyObject*)self->model);
	Py_XDECREF((PyObject*)self->pool);
	smFree(object);
}

// ---- Use -------------------------------------------------------------------------------------------------------

smBody* smBody_Take(PyObject* object, const char* name)
{
	if (Py_TYPE(object) != smBodyType)
	{
		PyErr_Format(PyExc_TypeError, "%s must be a snugmesh.Body, not %R%s", name, (PyObject*)Py_TYPE(object),
		    PyObject_HasAttrString(object, "bodies") ? ": its bodies are in .bodies" : "");
		return NULL;
	}
	smBody* body = (smBody*)object;
	if (!smAcquire(&body->isBusy, "body"))
	{
		return NULL;
	}
	body->said.text[0] = '\0';
	return body;
}

bool smBody_TakeTwo(PyObject* const* objects, smBody** a, smBody** b)
{
	if (objects[0] == objects[1] && Py_TYPE(objects[0]) == smBodyType)
	{
		PyErr_SetString(PyExc_ValueError, "a and b are the same body: collide_self asks about one");
		return false;
	}
	*a = smBody_Take(objects[0], "a");
	if (*a == NULL)
	{
		return false;
	}
	*b = smBody_Take(objects[1], "b");
	if (*b == NULL)
	{
		smRelease(&(*a)->isBusy);
	}
	return *b != NULL;
}

PyObject* smBody_FailOfTwo(snugStatus status, const smBody* a, const smBody* b)
{
	return smFail(status, b != NULL && b->said.text[0] != '\0' ? &b->said : &a->said);
}

void smBody_ReleaseTwo(smBody* a, smBody* b)
{
	smRelease(&b->isBusy);
	smRelease(&a->isBusy);
}

PyObject* smBody_Finish(smBody* self, snugStatus status)
{
	PyObject* result = status == snug_success ? Py_NewRef(Py_None) : smFail(status, &self->said);
	smRelease(&self->isBusy);
	return result;
}

// ---- Posing ----------------------------------------------------------------------------------------------------

bool smReadFrame(PyObject* position, PyObject* rotation, snugFrame* frame)
{
	*frame = (snugFrame){ .position = { 0.0 } };
	return smReadNumbers(position, "position", frame->position, 3) &&
	       (rotation == NULL || smReadNumbers(rotation, "rotation", frame->rotation, 4));
}

static PyObject* SetFrame(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "set_frame", 1, 2, 2, { "position", "rotation" } };
	PyObject* values[2];
	snugFrame frame;
	if (!smParse(&parameters, arguments, count, names, values) || !smReadFrame(values[0], values[1], &frame))
	{
		return NULL;
	}
	smBody* self = smBody_Take(object, "self");
	return self != NULL ? smBody_Finish(self, snugBody_SetFrame(self->body, &frame)) : NULL;
}

bool smCheckLastRows(const char* name, const void* first, size_t stride, size_t count)
{
	for (size_t i = 0; i < count; ++i)
	{
		const float* row = (const float*)((const char*)first + i * stride) + 12;
		if (row[0] != 0.0f || row[1] != 0.0f || row[2] != 0.0f || row[3] != 1.0f)
		{
			PyErr_Format(PyExc_ValueError,
			    "%s: the last row of matrix %zu is not 0 0 0 1. Matrices multiply column vectors; "
			    "numpy.swapaxes(x, -1, -2).copy() turns those of row vectors",
			    name, i);
			return false;
		}
	}
	return true;
}

static PyObject* SetJoints(PyObject* object, PyObject* given)
{
	smArray matrices;
	if (!smArray_Take(&matrices, given, "matrices", sm_float32, (smShape){ 3, { -1, SM_ROWS, 4 } }))
	{
		return NULL;
	}
	PyObject* result = NULL;
	const Py_ssize_t rows = matrices.view.shape[1];
	const uint32_t wanted = ((smBody*)object)->model->info.jointCount;
	smBody* self = NULL;
	if (matrices.count != wanted)
	{
		PyErr_Format(PyExc_ValueError, "matrices: the model has %lu joints, not %lu", (unsigned long)wanted,
		    (unsigned long)matrices.count);
	}
	else if ((rows == 3 || smCheckLastRows("matrices", matrices.data, matrices.stride, matrices.count)) &&
	         (self = smBody_Take(object, "self")) != NULL)
	{
		result = smBody_Finish(self, snugBody_SetJoints(self->body, matrices.data, matrices.stride, matrices.count));
	}
	smArray_Release(&matrices);
	return result;
}

static PyObject* SetNodes(PyObject* object, PyObject* given)
{
	const uint32_t wanted = ((smBody*)object)->model->info.jointCount;
	smArray nodes;
	_Static_assert(sizeof(snugMeshlessNode) == 15 * sizeof(float), "a row of 15 numbers is a node");
	if (!smArray_TakePacked(&nodes, given, "nodes", sm_float32, (smShape){ 2, { (Py_ssize_t)wanted, 15 } }))
	{
		return NULL;
	}
	smBody* self = smBody_Take(object, "self");
	PyObject* result =
	    self != NULL ? smBody_Finish(self, snugBody_SetMeshlessNodes(self->body, nodes.data, wanted)) : NULL;
	smArray_Release(&nodes);
	return result;
}

static PyObject* SetAmplitudes(PyObject* object, PyObject* given)
{
	const uint32_t wanted = ((smBody*)object)->model->info.fieldCount;
	smArray amplitudes;
	if (!smArray_TakePacked(&amplitudes, given, "amplitudes", sm_float32, (smShape){ 1, { (Py_ssize_t)wanted } }))
	{
		return NULL;
	}
	smBody* self = smBody_Take(object, "self");
	PyObject* result =
	    self != NULL ? smBody_Finish(self, snugBody_SetAmplitudes(self->body, amplitudes.data, wanted)) : NULL;
	smArray_Release(&amplitudes);
	return result;
}

static PyObject* SetVertices(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "set_vertices", 1, 2, 2, { "positions", "first" } };
	PyObject* values[2];
	smArray positions;
	if (!smParse(&parameters, arguments, count, names, values))
	{
		return NULL;
	}
	long long first = values[1] != NULL ? PyLong_AsLongLong(values[1]) : 0;
	if (PyErr_Occurred() != NULL ||
	    !smArray_Take(&positions, values[0], "positions", sm_float32, (smShape){ 2, { -1, 3 } }))
	{
		return NULL;
	}
	PyObject* result = NULL;
	smBody* self = NULL;
	if (((smBody*)object)->model->info.deformer != snug_free)
	{
		PyErr_SetString(PyExc_ValueError, "vertices can be set of bodies whose model has deformer='free' only");
	}
	else if (first < 0 || first > UINT32_MAX)
	{
		PyErr_Format(PyExc_IndexError, "first: there is no vertex %lld", first);
	}
	else if ((self = smBody_Take(object, "self")) != NULL)
	{
		snugStatus status;
		Py_BEGIN_ALLOW_THREADS;
		status = snugBody_SetVertices(self->body, positions.data, positions.stride, (uint32_t)first, positions.count);
		Py_END_ALLOW_THREADS;
		result = smBody_Finish(self, status);
	}
	smArray_Release(&positions);
	return result;
}

static PyObject* Refit(PyObject* object, PyObject* nothing)
{
	smBody* self = smBody_Take(object, "self");
	snugStatus status;
	(void)nothing;
	if (self == NULL)
	{
		return NULL;
	}
	Py_BEGIN_ALLOW_THREADS;
	status = snugBody_Refit(self->body);
	Py_END_ALLOW_THREADS;
	return smBody_Finish(self, status);
}

// ---- What it looks like ----------------------------------------------------------------------------------------

// All vertices, into an array of the caller's or a new one.
static PyObject* GetAll(smBody* self, const double origin[3], PyObject* out)
{
	const Py_ssize_t lengths[2] = { self->model->info.vertexCount, 3 };
	smArray given = { .isHeld = false };
	void* data;
	PyObject* array = NULL;
	size_t stride = 0;
	if (out == NULL)
	{
		array = smNewArray(sm_typeFloat32, 2, lengths, &data);
	}
	else if (smArray_TakeWritable(&given, out, "out", sm_float32, (smShape){ 2, { lengths[0], 3 } }))
	{
		array = Py_NewRef(out);
		data = given.view.buf;
		stride = given.stride;
	}
	if (array != NULL && lengths[0] > 0)
	{
		snugStatus status;
		Py_BEGIN_ALLOW_THREADS;
		status = snugBody_GetVertices(self->body, origin, data, stride);
		Py_END_ALLOW_THREADS;
		if (status != snug_success)
		{
			Py_CLEAR(array);
			smFail(status, &self->said);
		}
	}
	smArray_Release(&given);
	return array;
}

// Some vertices or the corners of some triangles.
static PyObject* GetSome(smBody* self, const double origin[3], PyObject* given, bool isTriangles)
{
	const snugModelInfo* info = &self->model->info;
	uint32_t count, *ids = smReadIds(given, "ids", isTriangles ? info->triangleCount : info->vertexCount, &count);
	if (ids == NULL)
	{
		return NULL;
	}
	const Py_ssize_t lengths[3] = { count, 3, 3 };
	void* data;
	PyObject* array = smNewArray(sm_typeFloat32, isTriangles ? 3 : 2, lengths, &data);
	if (array != NULL && count > 0)
	{
		snugStatus status;
		Py_BEGIN_ALLOW_THREADS;
		status = isTriangles ? snugBody_GetCorners(self->body, origin, ids, count, data, 0)
		                     : snugBody_GatherVertices(self->body, origin, ids, count, data, 0);
		Py_END_ALLOW_THREADS;
		if (status != snug_success)
		{
			Py_CLEAR(array);
			smFail(status, &self->said);
		}
	}
	free(ids);
	return array;
}

static PyObject* GetVertices(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "vertices", 0, 1, 3, { "ids", "origin", "out" } };
	PyObject* values[3];
	double origin[3];
	if (!smParse(&parameters, arguments, count, names, values) || !smReadOrigin(values[1], origin))
	{
		return NULL;
	}
	if (values[0] != NULL && values[2] != NULL)
	{
		PyErr_SetString(PyExc_ValueError, "vertices() takes ids or out, not both");
		return NULL;
	}
	smBody* self = smBody_Take(object, "self");
	if (self == NULL)
	{
		return NULL;
	}
	PyObject* array = values[0] != NULL ? GetSome(self, origin, values[0], false) : GetAll(self, origin, values[2]);
	smRelease(&self->isBusy);
	return array;
}

static PyObject* GetTriangles(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "triangles", 1, 1, 2, { "ids", "origin" } };
	PyObject* values[2];
	double origin[3];
	if (!smParse(&parameters, arguments, count, names, values) || !smReadOrigin(values[1], origin))
	{
		return NULL;
	}
	smBody* self = smBody_Take(object, "self");
	PyObject* array = self != NULL ? GetSome(self, origin, values[0], true) : NULL;
	if (self != NULL)
	{
		smRelease(&self->isBusy);
	}
	return array;
}

void smAddCounters(snugCounters* sum, const snugCounters* c)
{
	sum->nodesRefitted += c->nodesRefitted;
	sum->nodesAtFront += c->nodesAtFront;
	sum->nodesAboveFront += c->nodesAboveFront;
	sum->nodesBelowFront += c->nodesBelowFront;
	sum->volumeTests += c->volumeTests;
	sum->verticesEvaluated += c->verticesEvaluated;
	sum->triangleTests += c->triangleTests;
	sum->exactTests += c->exactTests;
	sum->certified += c->certified;
}

PyObject* smMakeCounters(const snugCounters* c)
{
	const uint64_t counts[9] = { c->nodesRefitted, c->nodesAtFront, c->nodesAboveFront, c->nodesBelowFront,
		c->volumeTests, c->verticesEvaluated, c->triangleTests, c->exactTests, c->certified };
	PyObject* items[9];
	for (int i = 0; i < 9; ++i)
	{
		items[i] = PyLong_FromUnsignedLongLong(counts[i]);
	}
	return smMakeTuple(countersType, items, 9);
}

static PyObject* GetCounters(PyObject* object, void* nothing)
{
	smBody* self = smBody_Take(object, "self");
	(void)nothing;
	if (self == NULL)
	{
		return NULL;
	}
	const snugCounters counters = self->counters;
	smRelease(&self->isBusy);
	return smMakeCounters(&counters);
}

static PyObject* GetModel(PyObject* object, void* nothing)
{
	(void)nothing;
	return Py_NewRef((PyObject*)((smBody*)object)->model);
}

static PyObject* GetSize(PyObject* object, void* nothing)
{
	(void)nothing;
	smBody* self = smBody_Take(object, "self");
	if (self == NULL)
	{
		return NULL;
	}
	size_t bytes = snugBody_GetMemory(self->body);
	smRelease(&self->isBusy);
	return PyLong_FromSize_t(bytes);
}

// ---- The type --------------------------------------------------------------------------------------------------

static PyGetSetDef properties[] = {
	{ "model", GetModel, NULL, "the model that it is in a pose of", NULL },
	{ "counters", GetCounters, NULL,
	    "what the last query cost in which it came first, attempts with too little room included: a Counters", NULL },
	{ "nbytes", GetSize, NULL, "bytes that it holds", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyMethodDef methods[] = {
	SM_FUNCTION("set_frame", SetFrame,
	    "set_frame($self, position, rotation=None)\n--\n\nMove it as a whole: rotation, then translation.\n\n"
	    "position: three numbers.  rotation: a unit quaternion x, y, z, w; zeros, as by default, are no rotation.\n"
	    "Computes nothing else again, so it costs next to nothing.\n\n"
	    ">>> import snugmesh as snug\n"
	    ">>> body = snug.Body(snug.box())\n"
	    ">>> body.set_frame((10, 0, 0), (0, 0, 0.6, 0.8))\n"
	    ">>> body.bounds().center\n"
	    "array([10.,  0.,  0.], dtype=float32)\n"),
	{ "set_joints", SetJoints, METH_O,
	    "set_joints($self, matrices, /)\n--\n\nPose a skin: float32, (joints, 3, 4) or (joints, 4, 4).\n\n"
	    "Each is the joint's world matrix times its inverse bind matrix, and multiplies column\n"
	    "vectors, as in numpy: matrix @ [x, y, z, 1]. Computes a few numbers per joint, none per\n"
	    "vertex.\n\n"
	    ">>> import numpy as np, snugmesh as snug\n"
	    ">>> body = snug.Body(snug.box(joints=2))\n"
	    ">>> matrices = np.tile(np.eye(4, dtype=np.float32), (2, 1, 1))\n"
	    ">>> matrices[1, :3, 3] = 0, 0, 1\n"
	    ">>> body.set_joints(matrices)\n"
	    ">>> float(body.vertices()[:, 2].max())\n"
	    "2.0\n"
	    ">>> body.set_joints(matrices[:1])\n"
	    "Traceback (most recent call last):\n"
	    "    ...\n"
	    "ValueError: matrices: the model has 2 joints, not 1\n" },
	{ "set_nodes", SetNodes, METH_O,
	    "set_nodes($self, nodes, /)\n--\n\nPose a skin by meshless nodes: float32, (joints, 15).\n\n"
	    "Position at rest, displacement u, then d u_k / d x_i row by row (i, then k)." },
	{ "set_amplitudes", SetAmplitudes, METH_O,
	    "set_amplitudes($self, amplitudes, /)\n--\n\nHow much of each displacement field is added: float32, "
	    "(fields,).\n\n"
	    ">>> import numpy as np, snugmesh as snug\n"
	    ">>> box = snug.box()\n"
	    ">>> up = np.zeros((1, 8, 3), np.float32)\n"
	    ">>> up[0, :, 2] = box.positions()[:, 2]  # twice as high\n"
	    ">>> body = snug.Body(snug.Model(box.positions(), box.triangles(), fields=up))\n"
	    ">>> body.set_amplitudes(np.array([1], np.float32))\n"
	    ">>> float(body.vertices()[:, 2].max())\n"
	    "2.0\n" },
	SM_FUNCTION("set_vertices", SetVertices,
	    "set_vertices($self, positions, first=0)\n--\n\n"
	    "Set vertices of a free body, from number `first` on: float32, (n, 3).\n\n"
	    ">>> import snugmesh as snug\n"
	    ">>> box = snug.box()\n"
	    ">>> body = snug.Body(snug.Model(box.positions(), box.triangles(), deformer='free'))\n"
	    ">>> body.set_vertices(2 * box.positions())\n"
	    ">>> body.bounds().upper\n"
	    "array([2., 2., 2.], dtype=float32)\n"),
	{ "refit", Refit, METH_NOARGS,
	    "refit($self)\n--\n\nBring all bounds up to date now. Queries do what they need by themselves." },
	SM_FUNCTION("vertices", GetVertices,
	    "vertices($self, ids=None, *, origin=None, out=None)\n--\n\n"
	    "Posed positions, frame included: exactly those that queries look at. float32, (n, 3).\n\n"
	    "ids: only these vertices, and only these are computed.  origin: positions are relative\n"
	    "to it.  out: an array to write all vertices to, instead of a new one.\n\n"
	    ">>> import snugmesh as snug\n"
	    ">>> body = snug.Body(snug.box())\n"
	    ">>> body.vertices().shape\n"
	    "(8, 3)\n"),
	SM_FUNCTION("triangles", GetTriangles,
	    "triangles($self, ids, *, origin=None)\n--\n\n"
	    "Posed corners of some triangles, those of pairs say: float32, (n, 3, 3).\n\n"
	    "Only these are computed.\n\n"
	    ">>> import snugmesh as snug\n"
	    ">>> a, b = snug.Body(snug.box()), snug.Body(snug.box())\n"
	    ">>> b.set_frame((1.5, 0.25, 0.5))\n"
	    ">>> pairs = snug.collide(a, b)\n"
	    ">>> a.triangles(pairs[:, 0]).shape == (len(pairs), 3, 3)\n"
	    "True\n"),
	SM_FUNCTION("bounds", smBody_GetBounds,
	    "bounds($self, *, origin=None)\n--\n\nA box and a ball that contain it: a Bounds.\n\n"
	    "Costs no more than bounding two nodes of its tree."),
	SM_FUNCTION("boxes", smBody_GetBoxes,
	    "boxes($self, level=None, *, nodes=None)\n--\n\n"
	    "Boxes of its tree, for drawing, relative to its frame: lower, upper, node, level.\n\n"
	    "Those of one level, or of some nodes; without either, those that queries have looked at\n"
	    "since it was posed. nodes: any integers, (n,), as of Search.frontier.\n\n"
	    ">>> import snugmesh as snug\n"
	    ">>> snug.Body(snug.box()).boxes(0)['upper']\n"
	    "array([[1., 1., 1.]], dtype=float32)\n"),
	SM_FUNCTION("is_outside", smBody_IsOutside,
	    "is_outside($self, planes, *, origin=None)\n--\n\n"
	    "Whether it is certainly beyond one of some planes, as those of a camera.\n\n"
	    "planes: float64, (n, 4): a normal of any length and an offset; points x with\n"
	    "normal . x + offset >= 0 are on the inner side. Costs no more than bounds.\n\n"
	    ">>> import numpy as np, snugmesh as snug\n"
	    ">>> body, planes = snug.Body(snug.box()), np.array([[0, 0, 1, -2.0]])\n"
	    ">>> body.is_outside(planes), body.is_outside(-planes)\n"
	    "(True, False)\n"),
	{ "validate", smBody_Validate, METH_NOARGS,
	    "validate($self)\n--\n\nCheck every bound against the vertices below it: a Validation.\n\n"
	    "Slow. For tests, and for files of models that somebody may have forged.\n\n"
	    ">>> import snugmesh as snug\n"
	    ">>> snug.Body(snug.box()).validate().violations\n"
	    "0\n" },
	{ NULL, NULL, 0, NULL },
};

static const char text[] =
    "Body(model, *, strategy='auto', pool=None)\n--\n\n"
    "A model in a pose. Making one is cheap: many bodies share a model.\n\n"
    "strategy: when bounds are brought up to date: 'auto', 'on_demand', 'front' or 'bottom_up'.\n"
    "Every choice gives the same pairs.  pool: memory that it shares with others, a Pool.\n\n"
    "A body belongs to one thread at a time; a second one that comes meanwhile gets RuntimeError.\n\n"
    ">>> import snugmesh as snug\n"
    ">>> model = snug.box()\n"
    ">>> body = snug.Body(model)\n"
    ">>> body.model is model\n"
    "True\n";

static PyType_Slot slots[] = { { Py_tp_new, New }, { Py_tp_dealloc, Free }, { Py_tp_methods, methods },
	{ Py_tp_getset, properties }, { Py_tp_doc, (void*)text }, { 0, NULL } };
static PyType_Spec spec = { "snugmesh.Body", sizeof(smBody), 0, Py_TPFLAGS_DEFAULT, slots };

static PyStructSequence_Field counterFields[] = { { "nodes_refitted", "nodes whose bounds were computed" },
	{ "nodes_at_front", "of those, before the query, straight from the pose" },
	{ "nodes_above_front", "before the query, by merging" }, { "nodes_below_front", "when the query looked at them" },
	{ "volume_tests", "pairs of bounds compared" }, { "vertices_evaluated", "vertices that were deformed" },
	{ "triangle_tests", "pairs of triangles whose own boxes overlap" },
	{ "exact_tests", "of those, how many float32 could not decide" },
	{ "certified", "pairs of nodes of one body that are known not to meet" }, { NULL, NULL } };
static PyStructSequence_Desc countersDescription = { "snugmesh.Counters", "What a query cost.", counterFields, 9 };

bool smAddBody(PyObject* module)
{
	smBodyType = smAddType(module, &spec);
	countersType = smAddTuple(module, &countersDescription);
	return smBodyType != NULL && countersType != NULL;
}
