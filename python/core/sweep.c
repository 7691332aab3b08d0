// python/core/sweep.c: when two bodies first meet on their way from one pose to another.
#include "core.h"

/// Bodies at the start and at the end of a step; what rests has no end.
typedef struct Steps
{
	smBody* bodies[4];
} Steps;

static void Release(Steps* steps)
{
	for (int i = 0; i < 4; ++i)
	{
		if (steps->bodies[i] != NULL)
		{
			smRelease(&steps->bodies[i]->isBusy);
		}
	}
}

static bool Take(Steps* steps, PyObject* const values[4])
{
	static const char* const names[4] = { "start_a", "end_a", "start_b", "end_b" };
	*steps = (Steps){ { NULL } };
	for (int i = 0; i < 4; ++i)
	{
		for (int k = i / 2 * 2 - 1; k >= 0; --k)
		{
			if (values[k] == values[i] && values[i] != Py_None)
			{
				PyErr_Format(PyExc_ValueError, "%s and %s are the same body", names[k], names[i]);
				Release(steps);
				return false;
			}
		}
		const bool rests = i % 2 == 1 && (values[i] == Py_None || values[i] == values[i - 1]);
		steps->bodies[i] = rests ? NULL : smBody_Take(values[i], names[i]);
		if (steps->bodies[i] == NULL && !rests)
		{
			Release(steps);
			return false;
		}
	}
	return true;
}

static PyObject* MakeFeature(const snugFeature* feature)
{
	return Py_BuildValue("iII", (int)feature->kind, (unsigned)feature->first, (unsigned)feature->second);
}

static PyObject* MakeSweep(const snugSweepResult* r)
{
	if (r->a == SNUG_NONE)
	{
		return Py_BuildValue(
		    "iddOOOOOO", (int)r->answer, r->time, r->latest, Py_None, Py_None, Py_None, Py_None, Py_None, Py_None);
	}
	return Py_BuildValue("iddIINNNN", (int)r->answer, r->time, r->latest, (unsigned)r->a, (unsigned)r->b,
	    MakeFeature(&r->featureA), MakeFeature(&r->featureB),
	    smCopyArray(sm_typeFloat32, r->position, sizeof(float), 3, 0),
	    smCopyArray(sm_typeFloat32, r->normal, sizeof(float), 3, 0));
}

static snugBody* BodyOf(const Steps* steps, int i)
{
	return steps->bodies[i] != NULL ? steps->bodies[i]->body : NULL;
}

// What went wrong is told by the body that it is about.
static PyObject* Ask(Steps* steps, const snugSweepQuery* query)
{
	snugSweepResult result;
	const smText* said = &steps->bodies[0]->said;
	Py_BEGIN_ALLOW_THREADS;
	result = snugSweep(BodyOf(steps, 0), BodyOf(steps, 1), BodyOf(steps, 2), BodyOf(steps, 3), query);
	Py_END_ALLOW_THREADS;
	steps->bodies[0]->counters = result.counters;
	for (int i = 1; i < 4; ++i)
	{
		said = steps->bodies[i] != NULL && steps->bodies[i]->said.text[0] != '\0' ? &steps->bodies[i]->said : said;
	}
	return result.status == snug_success ? MakeSweep(&result) : smFail(result.status, said);
}

static PyObject* Sweep(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "_sweep", 4, 4, 10,
		{ "start_a", "end_a", "start_b", "end_b", "tolerance", "margin", "max_time", "max_steps", "new_only",
		    "origin" } };
	PyObject* values[10];
	snugSweepQuery query = { .newOnly = false };
	uint32_t steps = 0;
	Steps taken;
	(void)module;
	if (!smParse(&parameters, arguments, count, names, values) || !smReadOrigin(values[9], query.origin) ||
	    !smReadLength(values[4], "tolerance", 0.0, &query.tolerance) ||
	    !smReadLength(values[5], "margin", 0.0, &query.margin) ||
	    !smReadLength(values[6], "max_time", 1.0, &query.maxTime) ||
	    (values[7] != NULL && !smReadCount(values[7], "max_steps", 1, UINT32_MAX, &steps)))
	{
		return NULL;
	}
	const int isNew = values[8] != NULL ? PyObject_IsTrue(values[8]) : 0;
	if (isNew < 0 || !Take(&taken, values))
	{
		return NULL;
	}
	query.newOnly = isNew > 0;
	query.maxSteps = steps;
	query.maxTime = query.maxTime > 0.0 ? query.maxTime : 0x1p-1000; // the library's zero means the whole step
	PyObject* answer = Ask(&taken, &query);
	Release(&taken);
	return answer;
}

static PyMethodDef functions[] = {
	SM_FUNCTION("_sweep", Sweep,
	    "_sweep($module, /, start_a, end_a, start_b, end_b, *, tolerance=None, margin=None, max_time=None,\n"
	    "max_steps=None, new_only=False, origin=None)\n--\n\n"
	    "What snugmesh.sweep makes a Sweep of."),
	{ NULL, NULL, 0, NULL },
};

bool smAddSweep(PyObject* module)
{
	return PyModule_AddFunctions(module, functions) == 0;
}
