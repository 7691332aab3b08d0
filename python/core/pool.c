// python/core/pool.c: snugmesh.Pool, memory that bodies share.
#include "core.h"

PyTypeObject* smPoolType;

static PyObject* New(PyTypeObject* type, PyObject* arguments, PyObject* keywords)
{
	static char* names[] = { "nbytes", NULL };
	Py_ssize_t bytes;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "n:Pool", names, &bytes))
	{
		return NULL;
	}
	if (bytes < 1)
	{
		return PyErr_Format(PyExc_ValueError, "nbytes must be at least 1, not %zd", bytes);
	}
	smPool* self = smAllocate(type);
	if (self == NULL)
	{
		return NULL;
	}
	smText said = { "" };
	const snugPoolDef def = { .bytes = (size_t)bytes, .messenger = { smRemember, &said } };
	const snugStatus status = snugPool_Create(&def, &self->pool);
	self->bytes = bytes;
	if (status != snug_success)
	{
		smFail(status, &said);
		Py_CLEAR(self);
	}
	return (PyObject*)self;
}

static void Free(PyObject* object)
{
	snugPool_Destroy(((smPool*)object)->pool);
	smFree(object);
}

static PyObject* GetSize(PyObject* object, void* nothing)
{
	(void)nothing;
	return PyLong_FromSsize_t(((smPool*)object)->bytes);
}

static PyGetSetDef properties[] = {
	{ "nbytes", GetSize, NULL, "bytes that it was made with", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static const char text[] =
    "Pool(nbytes)\n--\n\n"
    "Memory that many bodies share for what they remember between queries: Body(model, pool=pool).\n\n"
    "Without a pool a body has room for all that it might ever have to remember. Most bodies of a\n"
    "crowd touch nothing, and need a page of 4,096 bytes or none. A pool that is too small costs\n"
    "time, never correctness. Any number of threads may use it at once.\n\n"
    ">>> import snugmesh as snug\n"
    ">>> pool, model = snug.Pool(1 << 20), snug.box(joints=2)\n"
    ">>> crowd = [snug.Body(model, pool=pool) for _ in range(100)]\n"
    ">>> crowd[1].set_frame((1.5, 0, 0))\n"
    ">>> len(snug.collide(crowd[0], crowd[1])) == len(snug.collide(crowd[2], crowd[1]))\n"
    "True\n";

static PyType_Slot slots[] = { { Py_tp_new, New }, { Py_tp_dealloc, Free }, { Py_tp_getset, properties },
	{ Py_tp_doc, (void*)text }, { 0, NULL } };
static PyType_Spec spec = { "snugmesh.Pool", sizeof(smPool), 0, Py_TPFLAGS_DEFAULT, slots };

bool smAddPool(PyObject* module)
{
	smPoolType = smAddType(module, &spec);
	return smPoolType != NULL;
}
