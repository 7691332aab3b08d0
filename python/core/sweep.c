// python/core/sweep.c: when two bodies first meet on their way from one pose to another.
#include "scene.h"

#include <stdlib.h>

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
		return Py_BuildValue("iddOOOOOOd", (int)r->answer, r->time, r->latest, Py_None, Py_None, Py_None, Py_None,
		    Py_None, Py_None, r->stray);
	}
	return Py_BuildValue("iddIINNNNd", (int)r->answer, r->time, r->latest, (unsigned)r->a, (unsigned)r->b,
	    MakeFeature(&r->featureA), MakeFeature(&r->featureB),
	    smCopyArray(sm_typeFloat32, r->position, sizeof(float), 3, 0),
	    smCopyArray(sm_typeFloat32, r->normal, sizeof(float), 3, 0), r->stray);
}

static snugBody* BodyOf(const Steps* steps, int i)
{
	return steps->bodies[i] != NULL ? steps->bodies[i]->body : NULL;
}

// What went wrong is told by the body that it is about.
static PyObject* Fail(const Steps* steps, snugStatus status)
{
	const smText* said = &steps->bodies[0]->said;
	for (int i = 1; i < 4; ++i)
	{
		said = steps->bodies[i] != NULL && steps->bodies[i]->said.text[0] != '\0' ? &steps->bodies[i]->said : said;
	}
	return smFail(status, said);
}

/// What a sweep is asked, and who by.
typedef struct Asked
{
	Steps steps;
	snugSweepQuery query;
} Asked;

// Of tolerance, margin, max_time, max_steps, new_only and turning.
static bool ReadQuery(PyObject* const values[6], snugSweepQuery* query)
{
	uint32_t steps = 0;
	if (!smReadLength(values[0], "tolerance", 0.0, &query->tolerance) ||
	    !smReadLength(values[1], "margin", 0.0, &query->margin) ||
	    !smReadLength(values[2], "max_time", 1.0, &query->maxTime) ||
	    (values[3] != NULL && !smReadCount(values[3], "max_steps", 1, UINT32_MAX, &steps)))
	{
		return false;
	}
	if (query->maxTime > 1.0)
	{
		PyErr_SetString(PyExc_ValueError, "max_time is a part of the step, from 0 to 1");
		return false;
	}
	bool turns;
	if (!smReadFlag(values[4], false, &query->newOnly) || !smReadFlag(values[5], false, &turns))
	{
		return false;
	}
	query->path = turns ? snug_pathTurning : snug_pathStraight;
	query->maxSteps = steps;
	query->maxTime = query->maxTime > 0.0 ? query->maxTime : 0x1p-1000; // the library's zero means the whole step
	return true;
}

static bool Parse(
    const smParameters* parameters, PyObject* const* arguments, Py_ssize_t count, PyObject* names, Asked* asked)
{
	PyObject* values[11];
	*asked = (Asked){ .query = { .newOnly = false } };
	return smParse(parameters, arguments, count, names, values) && smReadOrigin(values[10], asked->query.origin) &&
	       ReadQuery(values + 4, &asked->query) && Take(&asked->steps, values);
}

static snugSweepResult Ask(Asked* asked, snugSweepContact* contacts, uint64_t capacity)
{
	Steps* steps = &asked->steps;
	snugBody *a = BodyOf(steps, 0), *endA = BodyOf(steps, 1), *b = BodyOf(steps, 2), *endB = BodyOf(steps, 3);
	snugSweepResult result;
	Py_BEGIN_ALLOW_THREADS;
	result = contacts == NULL ? snugSweep(a, endA, b, endB, &asked->query)
	                          : snugSweepAll(a, endA, b, endB, &asked->query, contacts, capacity);
	Py_END_ALLOW_THREADS;
	steps->bodies[0]->counters = result.counters;
	return result;
}

#define NAMES                                                                                                          \
	{                                                                                                                  \
		"start_a", "end_a", "start_b", "end_b", "tolerance", "margin", "max_time", "max_steps", "new_only", "turning", \
		    "origin"                                                                                                   \
	}
#define SIGNATURE                                                                                   \
	"($module, /, start_a, end_a, start_b, end_b, *, tolerance=None, margin=None, max_time=None,\n" \
	"max_steps=None, new_only=False, turning=False, origin=None)\n--\n\n"

static PyObject* Sweep(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "_sweep", 4, 4, 11, NAMES };
	Asked asked;
	(void)module;
	if (!Parse(&parameters, arguments, count, names, &asked))
	{
		return NULL;
	}
	const snugSweepResult result = Ask(&asked, NULL, 0);
	PyObject* answer = result.status == snug_success ? MakeSweep(&result) : Fail(&asked.steps, result.status);
	Release(&asked.steps);
	return answer;
}

// With as much room as it takes.
static PyObject* AskForAll(Asked* asked)
{
	snugSweepContact* contacts = NULL;
	snugSweepResult result = { .status = snug_success };
	uint64_t capacity = 256;
	do
	{
		capacity *= 2;
		snugSweepContact* grown =
		    capacity < SNUG_NONE ? realloc(contacts, (size_t)capacity * sizeof(snugSweepContact)) : NULL;
		if (grown == NULL)
		{
			free(contacts);
			return PyErr_NoMemory();
		}
		contacts = grown;
		result = Ask(asked, contacts, capacity);
	} while (result.status == snug_success && !result.complete && result.count == capacity);
	PyObject* answer = NULL;
	if (result.status == snug_success)
	{
		answer = Py_BuildValue("NNN", MakeSweep(&result),
		    smCopyArray(sm_typeSweepContact, contacts, sizeof(snugSweepContact), result.count, 0),
		    PyBool_FromLong(result.complete));
	}
	free(contacts);
	return result.status == snug_success ? answer : Fail(&asked->steps, result.status);
}

static PyObject* SweepAll(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "_sweep_all", 4, 4, 11, NAMES };
	Asked asked;
	(void)module;
	if (!Parse(&parameters, arguments, count, names, &asked))
	{
		return NULL;
	}
	PyObject* answer = AskForAll(&asked);
	Release(&asked.steps);
	return answer;
}

static PyObject* FindSagitta(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "find_sagitta", 3, 3, 4, { "start", "middle", "end", "origin" } };
	PyObject* values[4];
	double origin[3], distance = 0.0;
	Steps steps;
	(void)module;
	if (!smParse(&parameters, arguments, count, names, values) || !smReadOrigin(values[3], origin))
	{
		return NULL;
	}
	if (values[0] == values[1] || values[1] == values[2] || values[2] == values[0])
	{
		PyErr_SetString(PyExc_ValueError, "start, middle and end are three different bodies");
		return NULL;
	}
	steps = (Steps){ { NULL } };
	for (int i = 0; i < 3; ++i)
	{
		steps.bodies[i] = smBody_Take(values[i], parameters.names[i]);
		if (steps.bodies[i] == NULL)
		{
			Release(&steps);
			return NULL;
		}
	}
	snugStatus status;
	Py_BEGIN_ALLOW_THREADS;
	status = snugFindSagitta(BodyOf(&steps, 0), BodyOf(&steps, 1), BodyOf(&steps, 2), origin, &distance);
	Py_END_ALLOW_THREADS;
	PyObject* answer = status == snug_success ? PyFloat_FromDouble(distance) : Fail(&steps, status);
	Release(&steps);
	return answer;
}

// ---- Scenes ----------------------------------------------------------------------------------------------------

/// Bodies at the end of a step, by ids of a scene; null: it rests.
typedef struct Ends
{
	smBody** taken;    ///< owned
	snugBody** bodies; ///< of those
	uint32_t count;
} Ends;

static void ReleaseEnds(Ends* ends)
{
	for (uint32_t i = 0; i < ends->count; ++i)
	{
		if (ends->taken[i] != NULL)
		{
			smRelease(&ends->taken[i]->isBusy);
			Py_DECREF((PyObject*)ends->taken[i]);
		}
	}
	free(ends->taken);
	free(ends->bodies);
}

// Whoever is in use may be so by us.
static bool RefuseTwice(const Ends* ends, PyObject* value, uint32_t id)
{
	for (uint32_t i = 0; i < ends->count; ++i)
	{
		if (value == (PyObject*)ends->taken[i])
		{
			PyErr_Clear();
			PyErr_Format(PyExc_ValueError, "ends: %lu and %lu are the same body", (unsigned long)i, (unsigned long)id);
		}
	}
	return false;
}

static bool TakeEnd(const smScene* scene, Ends* ends, PyObject* key, PyObject* value)
{
	uint32_t id;
	if (!smScene_ReadBodyId(scene, key, &id))
	{
		return false;
	}
	if (value == Py_None || value == (PyObject*)scene->bodies[id])
	{
		return true;
	}
	smBody* body = smBody_Take(value, "ends");
	if (body == NULL)
	{
		return RefuseTwice(ends, value, id);
	}
	if (body->isInScene)
	{
		smRelease(&body->isBusy);
		PyErr_SetString(PyExc_ValueError, "ends: a body at the end of a step is in no scene");
		return false;
	}
	ends->taken[id] = (smBody*)Py_NewRef((PyObject*)body); // the dict may lose it meanwhile
	ends->bodies[id] = body->body;
	return true;
}

static bool TakeEnds(const smScene* scene, Ends* ends, PyObject* object)
{
	PyObject *key, *value;
	Py_ssize_t at = 0;
	if (!PyDict_Check(object))
	{
		PyErr_SetString(PyExc_TypeError, "ends must be a dict: for each id a snugmesh.Body at the end of the step");
		return false;
	}
	*ends = (Ends){ calloc(scene->capacity + 1, sizeof(smBody*)), calloc(scene->capacity + 1, sizeof(snugBody*)),
		scene->capacity };
	bool isTaken = ends->taken != NULL && ends->bodies != NULL;
	if (!isTaken)
	{
		PyErr_NoMemory();
		ends->count = 0;
	}
	while (isTaken && PyDict_Next(object, &at, &key, &value))
	{
		isTaken = TakeEnd(scene, ends, key, value);
	}
	if (!isTaken)
	{
		ReleaseEnds(ends);
	}
	return isTaken;
}

// A sweep that finds too little room says how much it needs.
static snugSceneResult SweepWithRoom(
    snugScene* scene, const Ends* ends, const snugSweepQuery* query, snugSceneSweep* first)
{
	snugSceneResult result = snugScene_Sweep(scene, ends->bodies, ends->count, query, first);
	while (result.status == snug_outOfRange && result.needed.candidates > 0)
	{
		const snugStatus status = snugScene_Reserve(scene, &result.needed);
		if (status != snug_success)
		{
			result.status = status;
			return result;
		}
		result = snugScene_Sweep(scene, ends->bodies, ends->count, query, first);
	}
	return result;
}

// (a, b, Sweep)
static PyObject* MakeFirst(const snugSceneSweep* first)
{
	PyObject* module = PyImport_ImportModule("snugmesh.sweeps");
	PyObject* make = module != NULL ? PyObject_GetAttrString(module, "_make") : NULL;
	PyObject* numbers = make != NULL ? MakeSweep(&first->sweep) : NULL;
	PyObject* sweep = numbers != NULL ? PyObject_CallFunctionObjArgs(make, numbers, NULL) : NULL;
	PyObject* answer = sweep == NULL ? NULL
	                   : first->a == SNUG_NONE
	                       ? Py_BuildValue("OOO", Py_None, Py_None, sweep)
	                       : Py_BuildValue("kkO", (unsigned long)first->a, (unsigned long)first->b, sweep);
	Py_XDECREF(sweep);
	Py_XDECREF(numbers);
	Py_XDECREF(make);
	Py_XDECREF(module);
	return answer;
}

static PyObject* AskScene(smScene* scene, PyObject* object, const snugSweepQuery* query)
{
	Ends ends;
	if (!TakeEnds(scene, &ends, object))
	{
		return NULL;
	}
	PyObject* answer = NULL;
	if (smScene_TakeBodies(scene))
	{
		snugSceneSweep first;
		snugSceneResult result;
		Py_BEGIN_ALLOW_THREADS;
		result = SweepWithRoom(scene->scene, &ends, query, &first);
		Py_END_ALLOW_THREADS;
		answer = result.status == snug_success ? MakeFirst(&first) : smScene_Fail(scene, &result);
		smScene_ReleaseBodies(scene);
	}
	ReleaseEnds(&ends);
	return answer;
}

PyObject* smScene_Sweep(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "sweep", 1, 1, 7,
		{ "ends", "tolerance", "margin", "max_time", "max_steps", "new_only", "turning" } };
	PyObject* values[7];
	snugSweepQuery query = { .newOnly = false };
	if (!smParse(&parameters, arguments, count, names, values) || !ReadQuery(values + 1, &query))
	{
		return NULL;
	}
	smScene* scene = smScene_Take(object);
	if (scene == NULL)
	{
		return NULL;
	}
	PyObject* answer = AskScene(scene, values[0], &query);
	smRelease(&scene->isBusy);
	return answer;
}

static PyMethodDef functions[] = {
	SM_FUNCTION("_sweep", Sweep, "_sweep" SIGNATURE "What snugmesh.sweep makes a Sweep of."),
	SM_FUNCTION("_sweep_all", SweepAll, "_sweep_all" SIGNATURE "What snugmesh.sweep_all makes a Sweep of."),
	SM_FUNCTION("find_sagitta", FindSagitta,
	    "find_sagitta($module, /, start, middle, end, *, origin=None)\n--\n\n"
	    "How far a pose half-way is from the straight way between two others: the farthest that any vertex is from "
	    "the\n"
	    "middle between where it starts and ends. Steps half as long stray about a fourth as far. A sample, no proof.\n"
	    "\n"
	    "start, middle, end: three different bodies of one model."),
	{ NULL, NULL, 0, NULL },
};

bool smAddSweep(PyObject* module)
{
	return PyModule_AddFunctions(module, functions) == 0;
}
