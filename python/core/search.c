// python/core/search.c: snugmesh.Search, a search for pairs that stops when it is told to, and goes on later.
//
// The library stops where its caller has no more room for pairs. Here room grows instead: a call goes in strides of so
// many steps that their pairs fit for certain. Pairs stay in the search until an array has taken them, so that none is
// lost where memory for the array is lacking.
#define _POSIX_C_SOURCE 200809L
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum
{
	stepsPerStride = 1024,
	pairsPerStep = 64,    // as snugTimedQuery.capacity says
	mostEntries = 1000000 // of a frontier, where hundreds are plenty
};

typedef struct Search
{
	PyObject_HEAD smBody *a, *b; ///< owned
	snugFrontier frontier;
	snugPair* pairs; ///< found and not handed over yet
	uint64_t count, capacity;
	uint32_t stepsAtOnce; ///< of an iteration
	bool widestFirst;
	atomic_bool isBusy;
} Search;

/// How far a call goes.
typedef struct Limits
{
	uint32_t steps; ///< 0: no limit
	uint32_t level; ///< 0: to the triangles
	double seconds; ///< infinite: no limit
	double end;     ///< of that time
	bool isOver;    ///< that time is
} Limits;

// ---- Making ----------------------------------------------------------------------------------------------------

static PyObject* Make(PyTypeObject* type, PyObject* const* bodies, const Search* options)
{
	smBody *a, *b;
	if (!smBody_TakeTwo(bodies, &a, &b))
	{
		return NULL;
	}
	Search* self = smAllocate(type);
	if (self != NULL)
	{
		self->frontier = options->frontier;
		self->stepsAtOnce = options->stepsAtOnce;
		self->widestFirst = options->widestFirst;
		self->a = (smBody*)Py_NewRef(bodies[0]);
		self->b = (smBody*)Py_NewRef(bodies[1]);
		self->frontier.pairs = malloc(self->frontier.capacity * sizeof(snugNodePair));
		if (self->frontier.pairs == NULL)
		{
			Py_CLEAR(self);
			PyErr_NoMemory();
		}
	}
	smBody_ReleaseTwo(a, b);
	return (PyObject*)self;
}

static PyObject* New(PyTypeObject* type, PyObject* arguments, PyObject* keywords)
{
	static char* names[] = { "a", "b", "max_steps", "widest_first", "capacity", "origin", NULL };
	PyObject *bodies[2], *steps = Py_None, *capacity = Py_None, *origin = Py_None;
	Search options = { .frontier = { .capacity = 1024 }, .stepsAtOnce = 4096 };
	int widestFirst = 0;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|$OpOO:Search", names, &bodies[0], &bodies[1], &steps,
	        &widestFirst, &capacity, &origin) ||
	    (steps != Py_None && !smReadCount(steps, "max_steps", 1, UINT32_MAX, &options.stepsAtOnce)) ||
	    (capacity != Py_None && !smReadCount(capacity, "capacity", 1, mostEntries, &options.frontier.capacity)) ||
	    !smReadOrigin(origin != Py_None ? origin : NULL, options.frontier.origin))
	{
		return NULL;
	}
	options.widestFirst = widestFirst != 0;
	return Make(type, bodies, &options);
}

static void Free(PyObject* object)
{
	Search* self = (Search*)object;
	free(self->frontier.pairs);
	free(self->pairs);
	Py_XDECREF((PyObject*)self->a);
	Py_XDECREF((PyObject*)self->b);
	smFree(object);
}

// ---- Going on --------------------------------------------------------------------------------------------------

static double GetSeconds(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// A snugStopFcn.
static bool IsOver(void* user)
{
	Limits* limits = user;
	limits->isOver = GetSeconds() >= limits->end;
	return limits->isOver;
}

static bool MakeRoom(Search* self, uint64_t wanted)
{
	if (wanted <= self->capacity)
	{
		return true;
	}
	wanted += wanted / 2;
	snugPair* pairs = wanted < SIZE_MAX / sizeof(snugPair) ? realloc(self->pairs, wanted * sizeof(snugPair)) : NULL;
	if (pairs != NULL)
	{
		self->pairs = pairs;
		self->capacity = wanted;
	}
	return pairs != NULL;
}

// Up to `steps` steps.
static snugResult Stride(Search* self, Limits* limits, uint64_t steps)
{
	snugTimedQuery query = { .maxSteps = steps, .maxLevel = limits->level, .widestFirst = self->widestFirst };
	if (isfinite(limits->seconds))
	{
		query.shouldStop = IsOver;
		query.user = limits;
	}
	if (limits->level == 0)
	{
		if (!MakeRoom(self, self->count + pairsPerStep * (steps + 1)))
		{
			return (snugResult){ .status = snug_outOfMemory };
		}
		query.pairs = self->pairs + self->count;
		query.capacity = self->capacity - self->count;
	}
	return snugCollideInTime(self->a->body, self->b->body, &self->frontier, &query);
}

static int ComparePairs(const void* first, const void* second)
{
	const snugPair *p = first, *q = second;
	const int order = (p->a > q->a) - (p->a < q->a);
	return order != 0 ? order : (p->b > q->b) - (p->b < q->b);
}

// In strides, until a limit is reached. The counters of all of them together come back.
static snugResult GoOn(Search* self, Limits* limits)
{
	snugCounters total = { 0 };
	snugResult result;
	uint64_t left = limits->steps != 0 ? limits->steps : UINT64_MAX;
	limits->end = GetSeconds() + limits->seconds;
	do
	{
		// A level is reached in one go.
		const uint64_t steps = limits->level != 0 || left < stepsPerStride ? left : stepsPerStride;
		result = Stride(self, limits, steps);
		self->count += result.status == snug_success ? result.count : 0;
		smAddCounters(&total, &result.counters);
		left -= steps;
	} while (result.status == snug_success && !result.complete && limits->level == 0 && left > 0 && !limits->isOver);
	result.counters = total;
	if (self->count > 1)
	{
		qsort(self->pairs, self->count, sizeof(snugPair), ComparePairs);
	}
	return result;
}

static PyObject* HandOver(Search* self)
{
	PyObject* array = smCopyArray(sm_typeUint32, self->pairs, sizeof(uint32_t), self->count, 2);
	self->count = array != NULL ? 0 : self->count;
	return array;
}

static PyObject* RunWithBodies(Search* self, Limits* limits)
{
	snugResult result;
	Py_BEGIN_ALLOW_THREADS;
	result = GoOn(self, limits);
	Py_END_ALLOW_THREADS;
	self->a->counters = result.counters;
	if (result.status != snug_success && self->count == 0)
	{
		return smBody_FailOfTwo(result.status, self->a, self->b);
	}
	return HandOver(self);
}

static bool IsDone(const Search* self)
{
	return self->frontier.isBegun && self->frontier.count == 0 && self->count == 0;
}

static Search* Take(PyObject* object)
{
	Search* self = (Search*)object;
	return smAcquire(&self->isBusy, "search") ? self : NULL;
}

static PyObject* RunTaken(Search* self, Limits* limits)
{
	PyObject* bodies[2] = { (PyObject*)self->a, (PyObject*)self->b };
	smBody *a, *b;
	if (!smBody_TakeTwo(bodies, &a, &b))
	{
		return NULL;
	}
	PyObject* pairs = RunWithBodies(self, limits);
	smBody_ReleaseTwo(a, b);
	return pairs;
}

static PyObject* Run(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "run", 0, 1, 3, { "max_steps", "seconds", "max_level" } };
	PyObject* values[3];
	Limits limits = { .isOver = false };
	if (!smParse(&parameters, arguments, count, names, values) ||
	    (values[0] != NULL && !smReadCount(values[0], "max_steps", 1, UINT32_MAX, &limits.steps)) ||
	    !smReadLength(values[1], "seconds", (double)INFINITY, &limits.seconds) ||
	    (values[2] != NULL && !smReadCount(values[2], "max_level", 1, UINT32_MAX, &limits.level)))
	{
		return NULL;
	}
	Search* self = Take(object);
	if (self == NULL)
	{
		return NULL;
	}
	PyObject* pairs = RunTaken(self, &limits);
	smRelease(&self->isBusy);
	return pairs;
}

// Null without an exception is the end.
static PyObject* Next(PyObject* object)
{
	Search* self = Take(object);
	if (self == NULL)
	{
		return NULL;
	}
	Limits limits = { .steps = self->stepsAtOnce, .seconds = (double)INFINITY };
	PyObject* pairs = IsDone(self) ? NULL : RunTaken(self, &limits);
	smRelease(&self->isBusy);
	return pairs;
}

// ---- What is left ----------------------------------------------------------------------------------------------

static PyObject* GetFrontier(PyObject* object, PyObject* nothing)
{
	Search* self = Take(object);
	void* data;
	(void)nothing;
	if (self == NULL)
	{
		return NULL;
	}
	// Before it began: everything, which is below the two roots.
	const bool isAll =
	    !self->frontier.isBegun && self->a->model->info.triangleCount > 0 && self->b->model->info.triangleCount > 0;
	const Py_ssize_t lengths[2] = { isAll ? 1 : self->frontier.count, 2 };
	PyObject* array = smNewArray(sm_typeUint32, 2, lengths, &data);
	for (Py_ssize_t i = 0; array != NULL && i < lengths[0]; ++i)
	{
		((uint32_t*)data)[2 * i] = isAll ? 0 : self->frontier.pairs[i].a;
		((uint32_t*)data)[2 * i + 1] = isAll ? 0 : self->frontier.pairs[i].b;
	}
	smRelease(&self->isBusy);
	return array;
}

static PyObject* GetDone(PyObject* object, void* nothing)
{
	Search* self = Take(object);
	(void)nothing;
	if (self == NULL)
	{
		return NULL;
	}
	const bool isDone = IsDone(self);
	smRelease(&self->isBusy);
	return PyBool_FromLong(isDone);
}

// ---- The type --------------------------------------------------------------------------------------------------

static PyGetSetDef properties[] = {
	{ "is_done", GetDone, NULL, "whether all pairs have been found: the frontier is empty", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyMethodDef methods[] = {
	SM_FUNCTION("run", Run,
	    "run($self, max_steps=None, *, seconds=None, max_level=None)\n--\n\n"
	    "Begin, or go on: pairs that were not reported before, uint32, (n, 2), sorted.\n\n"
	    "Without limits, to the end. max_steps: so many pairs of nodes, of some ten to some hundred\n"
	    "nanoseconds each. seconds: so long, give or take 16 steps. max_level: look at no triangles,\n"
	    "but go down until nodes have this level or are leaves, as far as there is room: then the\n"
	    "frontier is the answer.\n\n"
	    "Pose neither body meanwhile: a search whose bodies have changed raises Error."),
	{ "frontier", GetFrontier, METH_NOARGS,
	    "frontier($self)\n--\n\nWhere the rest must be: nodes of a and of b, uint32, (n, 2).\n\n"
	    "Every pair of triangles that intersect has been reported, or is below one of these:\n"
	    "Body.boxes(nodes=...) says where that is, Model.node_triangles what is below." },
	{ NULL, NULL, 0, NULL },
};

static const char text[] =
    "Search(a, b, *, max_steps=4096, widest_first=False, capacity=1024, origin=None)\n--\n\n"
    "A search for all pairs of two bodies that can stop at any moment, and go on later.\n\n"
    "However often it stops, it reports every pair once, and in the end those of collide. It is\n"
    "an iterator of arrays of pairs, max_steps steps each; run goes as far as it is told.\n"
    "widest_first: look first where nodes overlap most, which finds more pairs early and all of them\n"
    "a little later. capacity: of the frontier; where there is too little room an entry stands for\n"
    "more than is left.\n\n"
    ">>> import numpy as np, snugmesh as snug\n"
    ">>> a, b = snug.Body(snug.box()), snug.Body(snug.box())\n"
    ">>> b.set_frame((1.5, 0.25, 0.5))\n"
    ">>> search = snug.Search(a, b)\n"
    ">>> first = search.run(seconds=0.0005)\n"
    ">>> rest = search.run()\n"
    ">>> search.is_done, len(first) + len(rest) == len(snug.collide(a, b))\n"
    "(True, True)\n"
    ">>> sum(len(pairs) for pairs in snug.Search(a, b, max_steps=1))\n"
    "12\n";

static PyType_Slot slots[] = { { Py_tp_new, New }, { Py_tp_dealloc, Free }, { Py_tp_methods, methods },
	{ Py_tp_getset, properties }, { Py_tp_iter, PyObject_SelfIter }, { Py_tp_iternext, Next },
	{ Py_tp_doc, (void*)text }, { 0, NULL } };
static PyType_Spec spec = { "snugmesh.Search", sizeof(Search), 0, Py_TPFLAGS_DEFAULT, slots };

bool smAddSearch(PyObject* module)
{
	PyTypeObject* type = smAddType(module, &spec);
	Py_XDECREF((PyObject*)type);
	return type != NULL;
}
