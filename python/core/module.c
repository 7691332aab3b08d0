// python/core/module.c: the module snugmesh._core itself, its errors, and what its objects have in common.
#include "core.h"

#include <stdio.h>
#include <string.h>

PyObject* smError;

// ---- Errors ----------------------------------------------------------------------------------------------------

// What the library called misuse last, on this thread. Arguments are checked before, so it is hardly ever needed.
static _Thread_local smText misuse;

static void HearMisuse(void* user, const char* condition, const char* function)
{
	(void)user;
	snprintf(misuse.text, sizeof(misuse.text), "%s needs %s", function, condition);
}

void smWatchMisuse(void)
{
	snugSetAssertHandler(HearMisuse, NULL);
}

static void Keep(smText* kept, const char* text)
{
	snprintf(kept->text, sizeof(kept->text), "%s", text);
}

void smRemember(void* user, snugSeverity severity, const char* text)
{
	if (severity == snug_error)
	{
		Keep(user, text);
	}
}

void smListen(void* user, snugSeverity severity, const char* text)
{
	smListener* listener = user;
	const int most = (int)(sizeof(listener->warnings) / sizeof(listener->warnings[0]));
	if (severity == snug_error)
	{
		Keep(&listener->error, text);
	}
	else if (listener->warningCount < most)
	{
		Keep(listener->warnings + listener->warningCount++, text);
	}
}

bool smListener_Warn(const smListener* listener)
{
	for (int i = 0; i < listener->warningCount; ++i)
	{
		if (PyErr_WarnEx(PyExc_UserWarning, listener->warnings[i].text, 1) != 0)
		{
			return false;
		}
	}
	return true;
}

PyObject* smFail(snugStatus status, const smText* text)
{
	const char* sentence = text != NULL && text->text[0] != '\0'                  ? text->text
	                       : status == snug_badArgument && misuse.text[0] != '\0' ? misuse.text
	                                                                              : snugGetStatusText(status);
	PyObject* type = status == snug_outOfMemory ? PyExc_MemoryError : status == snug_ioError ? PyExc_OSError : smError;
	PyObject* decoded = PyUnicode_DecodeUTF8(sentence, (Py_ssize_t)strlen(sentence), "replace");
	if (decoded != NULL)
	{
		PyErr_SetObject(type, decoded);
		Py_DECREF(decoded);
	}
	misuse.text[0] = '\0';
	return NULL;
}

// ---- Objects ---------------------------------------------------------------------------------------------------

bool smAcquire(atomic_bool* isBusy, const char* what)
{
	if (atomic_exchange_explicit(isBusy, true, memory_order_acquire))
	{
		PyErr_Format(PyExc_RuntimeError, "this %s is in use: it belongs to one thread at a time", what);
		return false;
	}
	return true;
}

void smRelease(atomic_bool* isBusy)
{
	atomic_store_explicit(isBusy, false, memory_order_release);
}

void* smAllocate(PyTypeObject* type)
{
	return ((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
}

void smFree(PyObject* object)
{
	PyTypeObject* type = Py_TYPE(object);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
	Py_DECREF(type);
}

PyTypeObject* smAddType(PyObject* module, PyType_Spec* spec)
{
	PyTypeObject* type = (PyTypeObject*)PyType_FromModuleAndSpec(module, spec, NULL);
	if (type != NULL && PyModule_AddType(module, type) != 0)
	{
		Py_CLEAR(type);
	}
	return type;
}

PyTypeObject* smAddTuple(PyObject* module, PyStructSequence_Desc* description)
{
	PyTypeObject* type = PyStructSequence_NewType(description);
	if (type != NULL && PyModule_AddType(module, type) != 0)
	{
		Py_CLEAR(type);
	}
	return type;
}

PyObject* smMakeTuple(PyTypeObject* type, PyObject* const* items, int count)
{
	PyObject* tuple = PyStructSequence_New(type);
	bool good = tuple != NULL;
	for (int i = 0; i < count; ++i)
	{
		good = good && items[i] != NULL;
		if (tuple != NULL)
		{
			PyStructSequence_SetItem(tuple, i, items[i]);
		}
		else
		{
			Py_XDECREF(items[i]);
		}
	}
	if (!good)
	{
		Py_CLEAR(tuple);
	}
	return tuple;
}

// ---- The module ------------------------------------------------------------------------------------------------

static bool AddError(PyObject* module)
{
	smError = PyErr_NewExceptionWithDoc("snugmesh.Error",
	    "Data that cannot be used. The message says what is wrong and where.", PyExc_ValueError, NULL);
	return smError != NULL && PyModule_AddObjectRef(module, "Error", smError) == 0;
}

static bool AddConstants(PyObject* module)
{
	return PyModule_AddStringConstant(module, "__version__", snugGetVersion()) == 0 &&
	       PyModule_AddStringConstant(module, "instruction_set", snugGetInstructionSet()) == 0;
}

// Types are kept in this library, once for a process, as numpy keeps its own.
static int Execute(PyObject* module)
{
	static atomic_bool isLoaded;
	if (atomic_exchange(&isLoaded, true))
	{
		PyErr_SetString(PyExc_ImportError, "snugmesh can be loaded by one interpreter of a process only");
		return -1;
	}
	smWatchMisuse();
	bool good = smArrays_Start() && AddError(module) && AddConstants(module) && smAddModel(module) &&
	            smAddPool(module) && smAddBody(module) && smAddBounds(module) && smAddQueries(module) &&
	            smAddNear(module) && smAddShapes(module) && smAddSearch(module) && smAddScene(module) &&
	            smAddFile(module) && smAddSolvers(module) && smAddGpu(module) && smAddBatch(module);
	return good ? 0 : -1;
}

static PyModuleDef_Slot slots[] = {
	{ Py_mod_exec, Execute },
#if defined(Py_GIL_DISABLED)
	{ Py_mod_gil, Py_MOD_GIL_NOT_USED },
#endif
	{ 0, NULL },
};

static PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "_core",
	.m_doc = "Models, bodies and queries. Use snugmesh, which has all of it.",
	.m_slots = slots,
};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
	return PyModuleDef_Init(&definition);
}
