// python/core/solvers.c: vibration modes and principal components, where the module was built with their solvers. Where
// it was not, the functions are there and say so.
#include "core.h"

#include "solvers/dense.h"
#include "solvers/eigen.h"
#include "solvers/modes.h"
#include "solvers/reduce.h"

#include <string.h>

// ---- Vibration modes -------------------------------------------------------------------------------------------

static PyObject* MakeFields(const float* fields, uint32_t count, uint32_t vertexCount)
{
	const Py_ssize_t lengths[3] = { count, vertexCount, 3 };
	void* data;
	PyObject* array = smNewArray(sm_typeFloat32, 3, lengths, &data);
	if (array != NULL)
	{
		memcpy(data, fields, (size_t)count * vertexCount * 3 * sizeof(float));
	}
	return array;
}

static PyObject* MakeModes(const simModes* modes)
{
	return Py_BuildValue("NN", smCopyArray(sm_typeFloat64, modes->frequencies, sizeof(double), modes->modeCount, 0),
	    MakeFields(modes->fields, modes->modeCount, modes->vertexCount));
}

static PyObject* ComputeModes(simModesDef* def)
{
	simModes modes;
	simError error;
	bool good;
	Py_BEGIN_ALLOW_THREADS;
	good = simModes_Compute(&modes, def, &error);
	Py_END_ALLOW_THREADS;
	if (!good)
	{
		PyErr_SetString(simEigen_IsAvailable() ? smError : PyExc_NotImplementedError, error.text);
		return NULL;
	}
	PyObject* result = MakeModes(&modes);
	simModes_Free(&modes);
	return result;
}

static PyObject* FindModes(PyObject* module, PyObject* arguments)
{
	simModesDef def = { .modeCount = 0 };
	PyObject *positions, *triangles, *result = NULL;
	smArray places = { .isHeld = false }, corners = { .isHeld = false };
	(void)module;
	if (!PyArg_ParseTuple(arguments, "OOIIdddd", &positions, &triangles, &def.modeCount, &def.cellCount, &def.thickness,
	        &def.young, &def.density, &def.poisson))
	{
		return NULL;
	}
	if (smArray_TakePacked(&places, positions, "positions", sm_float32, (smShape){ 2, { -1, 3 } }) &&
	    smArray_TakePacked(&corners, triangles, "triangles", sm_uint32, (smShape){ 2, { -1, 3 } }))
	{
		def.mesh = (simMesh){ places.data, places.count, corners.data, corners.count };
		result = ComputeModes(&def);
	}
	smArray_Release(&places);
	smArray_Release(&corners);
	return result;
}

// ---- Principal components --------------------------------------------------------------------------------------

static PyObject* MakeComponents(const simReduced* r)
{
	_Static_assert(sizeof(snugFrame) == 7 * sizeof(double), "a frame is seven numbers");
	return Py_BuildValue("NNNNNN", smCopyArray(sm_typeFloat32, r->rest, sizeof(float), r->vertexCount, 3),
	    MakeFields(r->fields, r->fieldCount, r->vertexCount),
	    smCopyArray(sm_typeFloat32, r->amplitudes, sizeof(float), r->frameCount, (Py_ssize_t)r->fieldCount),
	    smCopyArray(sm_typeFloat64, r->motions, sizeof(double), r->frameCount, 7),
	    smCopyArray(sm_typeFloat64, r->rmsErrors, sizeof(double), r->fieldCount + 1, 0),
	    smCopyArray(sm_typeFloat64, r->maxErrors, sizeof(double), r->fieldCount + 1, 0));
}

static PyObject* FindComponents(PyObject* module, PyObject* arguments)
{
	simReduceDef def = { .fieldCount = 0 };
	PyObject *frames, *result = NULL;
	int removeMotion;
	smArray array;
	(void)module;
	if (!PyArg_ParseTuple(arguments, "OIp", &frames, &def.fieldCount, &removeMotion) ||
	    !smArray_TakePacked(&array, frames, "frames", sm_float32, (smShape){ 3, { -1, -1, 3 } }))
	{
		return NULL;
	}
	def.frames = array.data;
	def.frameCount = array.count;
	def.vertexCount = (uint32_t)array.view.shape[1];
	def.removeMotion = removeMotion != 0;
	simReduced reduced;
	simError error;
	bool good;
	Py_BEGIN_ALLOW_THREADS;
	good = simReduced_Compute(&reduced, &def, &error);
	Py_END_ALLOW_THREADS;
	if (good)
	{
		result = MakeComponents(&reduced);
		simReduced_Free(&reduced);
	}
	else
	{
		PyErr_SetString(simDense_IsAvailable() ? smError : PyExc_NotImplementedError, error.text);
	}
	smArray_Release(&array);
	return result;
}

static PyMethodDef functions[] = {
	{ "_find_modes", FindModes, METH_VARARGS, NULL },
	{ "_find_components", FindComponents, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

bool smAddSolvers(PyObject* module)
{
	return PyModule_AddFunctions(module, functions) == 0;
}
