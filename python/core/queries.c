// python/core/queries.c: which triangles meet: collide, touches, collide_self, collide_within; and find_distance.
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static PyTypeObject *witnessType, *distanceType;

// ---- Pairs -----------------------------------------------------------------------------------------------------

// A query that lists pairs. It is asked again with more room if they do not fit.
typedef struct Question Question;
typedef snugResult AskFcn(const Question* question, snugPair* pairs, uint64_t capacity);
struct Question
{
	AskFcn* ask;
	smBody *a, *b;
	double origin[3];
	double margin, restDistance;
	bool keepRest;
	uint32_t threads;
};

static bool MakeRoom(smBody* body, uint64_t count)
{
	snugPair* pairs = count < SIZE_MAX / sizeof(snugPair) ? realloc(body->pairs, count * sizeof(snugPair)) : NULL;
	if (pairs == NULL)
	{
		PyErr_NoMemory();
		return false;
	}
	body->pairs = pairs;
	body->capacity = count;
	return true;
}

static snugResult Ask(const Question* q)
{
	snugResult result;
	Py_BEGIN_ALLOW_THREADS;
	result = q->ask(q, q->a->pairs, q->a->capacity);
	Py_END_ALLOW_THREADS;
	return result;
}

// Room is kept with the first body, so that a frame like the last one is asked once.
static PyObject* CollectPairs(const Question* q)
{
	enum
	{
		enough = 256
	};
	smBody* keeper = q->a;
	if (keeper->capacity == 0 && !MakeRoom(keeper, enough))
	{
		return NULL;
	}
	snugResult result = Ask(q);
	keeper->counters = result.counters;
	if (result.status == snug_success && result.count > keeper->capacity)
	{
		if (!MakeRoom(keeper, result.count + result.count / 4))
		{
			return NULL;
		}
		result = Ask(q);
		smAddCounters(&keeper->counters, &result.counters);
	}
	if (result.status != snug_success)
	{
		return smBody_FailOfTwo(result.status, q->a, q->b);
	}
	return smCopyArray(sm_typeUint32, keeper->pairs, sizeof(uint32_t), result.count, 2);
}

static PyObject* CollectPairsOfTwo(Question* q, PyObject* const* bodies)
{
	if (!smBody_TakeTwo(bodies, &q->a, &q->b))
	{
		return NULL;
	}
	PyObject* pairs = CollectPairs(q);
	smBody_ReleaseTwo(q->a, q->b);
	return pairs;
}

static PyObject* CollectPairsOfOne(Question* q, PyObject* body)
{
	q->a = smBody_Take(body, "body");
	if (q->a == NULL)
	{
		return NULL;
	}
	PyObject* pairs = CollectPairs(q);
	smRelease(&q->a->isBusy);
	return pairs;
}

static snugResult AskCollide(const Question* q, snugPair* pairs, uint64_t capacity)
{
	uint32_t threads = q->threads;
	snugQuery query = { .pairs = pairs, .capacity = capacity, .workers = smWorkersOf(&threads) };
	memcpy(query.origin, q->origin, sizeof(query.origin));
	return snugCollide(q->a->body, q->b->body, &query);
}

static PyObject* Collide(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "collide", 2, 2, 4, { "a", "b", "threads", "origin" } };
	PyObject* values[4];
	Question q = { .ask = AskCollide };
	(void)module;
	if (!smParse(&parameters, arguments, count, names, values) || !smReadOrigin(values[3], q.origin) ||
	    !smReadThreads(values[2], &q.threads))
	{
		return NULL;
	}
	return CollectPairsOfTwo(&q, values);
}

static snugResult AskWithin(const Question* q, snugPair* pairs, uint64_t capacity)
{
	snugQuery query = { .pairs = pairs, .capacity = capacity };
	memcpy(query.origin, q->origin, sizeof(query.origin));
	return snugCollideWithin(q->a->body, q->b->body, q->margin, &query);
}

static PyObject* FindWithin(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "collide_within", 3, 3, 4, { "a", "b", "margin", "origin" } };
	PyObject* values[4];
	Question q = { .ask = AskWithin };
	(void)module;
	if (!smParse(&parameters, arguments, count, names, values) || !smReadOrigin(values[3], q.origin) ||
	    !smReadLength(values[2], "margin", 0.0, &q.margin))
	{
		return NULL;
	}
	return CollectPairsOfTwo(&q, values);
}

static snugResult AskSelf(const Question* q, snugPair* pairs, uint64_t capacity)
{
	uint32_t threads = q->threads;
	const snugQuery query = {
		.pairs = pairs, .capacity = capacity, .keepRest = q->keepRest, .workers = smWorkersOf(&threads)
	};
	return snugCollideSelf(q->a->body, &query);
}

static PyObject* CollideSelf(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "collide_self", 1, 1, 3, { "body", "keep_rest", "threads" } };
	PyObject* values[3];
	Question q = { .ask = AskSelf };
	(void)module;
	if (!smParse(&parameters, arguments, count, names, values) || !smReadThreads(values[2], &q.threads) ||
	    !smReadFlag(values[1], false, &q.keepRest))
	{
		return NULL;
	}
	return CollectPairsOfOne(&q, values[0]);
}

// ---- Touching --------------------------------------------------------------------------------------------------

typedef struct Witness
{
	PyObject_HEAD snugWitness witness;
	atomic_bool isBusy;
} Witness;

static PyObject* NewWitness(PyTypeObject* type, PyObject* arguments, PyObject* keywords)
{
	static char* names[] = { NULL };
	return PyArg_ParseTupleAndKeywords(arguments, keywords, ":Witness", names) ? smAllocate(type) : NULL;
}

static bool TakeWitness(PyObject* object, Witness** witness)
{
	*witness = NULL;
	if (object == NULL)
	{
		return true;
	}
	if (Py_TYPE(object) != witnessType)
	{
		PyErr_SetString(PyExc_TypeError, "witness must be a snugmesh.Witness");
		return false;
	}
	if (!smAcquire(&((Witness*)object)->isBusy, "witness"))
	{
		return false;
	}
	*witness = (Witness*)object;
	return true;
}

static PyObject* AskTouches(smBody* a, smBody* b, Witness* witness, const double origin[3])
{
	snugQuery query = { .witness = witness != NULL ? &witness->witness : NULL };
	snugResult result;
	memcpy(query.origin, origin, sizeof(query.origin));
	Py_BEGIN_ALLOW_THREADS;
	result = snugTouches(a->body, b->body, &query);
	Py_END_ALLOW_THREADS;
	a->counters = result.counters;
	if (result.status != snug_success)
	{
		return smBody_FailOfTwo(result.status, a, b);
	}
	return PyBool_FromLong(result.count > 0);
}

static PyObject* Touches(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "touches", 2, 2, 4, { "a", "b", "witness", "origin" } };
	PyObject *values[4], *answer = NULL;
	double origin[3];
	smBody *a, *b;
	Witness* witness;
	(void)module;
	if (!smParse(&parameters, arguments, count, names, values) || !smReadOrigin(values[3], origin) ||
	    !TakeWitness(values[2], &witness))
	{
		return NULL;
	}
	if (smBody_TakeTwo(values, &a, &b))
	{
		answer = AskTouches(a, b, witness, origin);
		smBody_ReleaseTwo(a, b);
	}
	if (witness != NULL)
	{
		smRelease(&witness->isBusy);
	}
	return answer;
}

static snugResult AskSelfWithin(const Question* q, snugPair* pairs, uint64_t capacity)
{
	snugQuery query = { .pairs = pairs, .capacity = capacity };
	memcpy(query.origin, q->origin, sizeof(query.origin));
	return snugCollideSelfWithin(q->a->body, q->margin, q->restDistance, &query);
}

static PyObject* CollideSelfWithin(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "collide_self_within", 3, 3, 4,
		{ "body", "margin", "rest_distance", "origin" } };
	PyObject* values[4];
	Question q = { .ask = AskSelfWithin };
	(void)module;
	if (!smParse(&parameters, arguments, count, names, values) || !smReadOrigin(values[3], q.origin) ||
	    !smReadLength(values[1], "margin", 0.0, &q.margin) ||
	    !smReadLength(values[2], "rest_distance", 0.0, &q.restDistance))
	{
		return NULL;
	}
	return CollectPairsOfOne(&q, values[0]);
}

static PyObject* TouchesSelf(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "touches_self", 1, 1, 2, { "body", "keep_rest" } };
	PyObject* values[2];
	snugQuery query = { .keepRest = false };
	(void)module;
	if (!smParse(&parameters, arguments, count, names, values) || !smReadFlag(values[1], false, &query.keepRest))
	{
		return NULL;
	}
	smBody* body = smBody_Take(values[0], "body");
	if (body == NULL)
	{
		return NULL;
	}
	snugResult result;
	Py_BEGIN_ALLOW_THREADS;
	result = snugTouchesSelf(body->body, &query);
	Py_END_ALLOW_THREADS;
	body->counters = result.counters;
	smRelease(&body->isBusy);
	return PyBool_FromLong(result.count > 0);
}

// The bound comes with the answer; where they touch the first pair ends the search.
static PyObject* FindDistanceBound(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "find_distance_bound", 2, 2, 3, { "a", "b", "origin" } };
	PyObject* values[3];
	snugQuery query = { .findDistanceBound = true };
	smBody *a, *b;
	(void)module;
	if (!smParse(&parameters, arguments, count, names, values) || !smReadOrigin(values[2], query.origin) ||
	    !smBody_TakeTwo(values, &a, &b))
	{
		return NULL;
	}
	snugResult result;
	Py_BEGIN_ALLOW_THREADS;
	result = snugTouches(a->body, b->body, &query);
	Py_END_ALLOW_THREADS;
	a->counters = result.counters;
	PyObject* bound = result.status == snug_success ? PyFloat_FromDouble(result.distanceBound)
	                                                : smBody_FailOfTwo(result.status, a, b);
	smBody_ReleaseTwo(a, b);
	return bound;
}

// ---- Distance --------------------------------------------------------------------------------------------------

static PyObject* MakeDistance(const snugDistanceResult* result)
{
	PyObject* items[5] = { PyFloat_FromDouble(result->isWithin ? result->distance : (double)INFINITY), NULL, NULL, NULL,
		NULL };
	if (result->isWithin)
	{
		items[1] = PyLong_FromUnsignedLong(result->a);
		items[2] = PyLong_FromUnsignedLong(result->b);
		items[3] = smCopyArray(sm_typeFloat32, result->pointA, sizeof(float), 3, 0);
		items[4] = smCopyArray(sm_typeFloat32, result->pointB, sizeof(float), 3, 0);
	}
	else
	{
		for (int i = 1; i < 5; ++i)
		{
			items[i] = Py_NewRef(Py_None);
		}
	}
	return smMakeTuple(distanceType, items, 5);
}

static PyObject* FindDistance(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "find_distance", 2, 2, 4, { "a", "b", "max_distance", "origin" } };
	PyObject* values[4];
	snugDistanceQuery query = { .maxDistance = 0.0 };
	smBody *a, *b;
	(void)module;
	if (!smParse(&parameters, arguments, count, names, values) || !smReadOrigin(values[3], query.origin) ||
	    !smReadMaxDistance(values[2], &query.maxDistance) || !smBody_TakeTwo(values, &a, &b))
	{
		return NULL;
	}
	snugDistanceResult result;
	Py_BEGIN_ALLOW_THREADS;
	result = snugFindDistance(a->body, b->body, &query);
	Py_END_ALLOW_THREADS;
	a->counters = result.counters;
	PyObject* distance = result.status == snug_success ? MakeDistance(&result) : smBody_FailOfTwo(result.status, a, b);
	smBody_ReleaseTwo(a, b);
	return distance;
}

// ---- The module ------------------------------------------------------------------------------------------------

static PyMethodDef functions[] = {
	SM_FUNCTION("collide", Collide,
	    "collide($module, /, a, b, *, threads=1, origin=None)\n--\n\n"
	    "All pairs of intersecting triangles of two bodies: uint32, (pairs, 2), sorted.\n\n"
	    "A pair is there if and only if the two closed triangles share a point, at the positions\n"
	    "that Body.vertices gives. The first column is triangles of a, the second of b.\n"
	    "origin: positions are evaluated relative to it; set it near bodies that are far from zero.\n"
	    "threads: how many share the work. For heavy contact, of a millisecond and more: they are\n"
	    "started anew for each call. Pairs are the same.\n\n"
	    ">>> import snugmesh as snug\n"
	    ">>> a, b = snug.Body(snug.box()), snug.Body(snug.box())\n"
	    ">>> b.set_frame((0, 0, 1.5), (0, 0, 0.6, 0.8))\n"
	    ">>> len(snug.collide(a, b))\n"
	    "28\n"
	    ">>> b.set_frame((0, 0, 2.5))\n"
	    ">>> snug.collide(a, b).shape\n"
	    "(0, 2)\n"),
	SM_FUNCTION("touches", Touches,
	    "touches($module, /, a, b, *, witness=None, origin=None)\n--\n\n"
	    "Whether two bodies touch. Stops at the first pair of triangles.\n\n"
	    ">>> import snugmesh as snug\n"
	    ">>> a, b = snug.Body(snug.box()), snug.Body(snug.box())\n"
	    ">>> b.set_frame((2, 2, 2))  # a corner at a corner\n"
	    ">>> snug.touches(a, b)\n"
	    "True\n"),
	SM_FUNCTION("find_distance_bound", FindDistanceBound,
	    "find_distance_bound($module, /, a, b, *, origin=None)\n--\n\n"
	    "A number that two bodies are no nearer than, for little more than touches costs.\n\n"
	    "Zero where they touch, and perhaps where they nearly do; infinite without triangles. How tight\n"
	    "it is depends on the processor. For steps: while the two move less than this towards each\n"
	    "other, they cannot touch.\n\n"
	    ">>> import snugmesh as snug\n"
	    ">>> a, b = snug.Body(snug.box()), snug.Body(snug.box())\n"
	    ">>> b.set_frame((5, 0, 0))\n"
	    ">>> 0 < snug.find_distance_bound(a, b) <= snug.find_distance(a, b).distance\n"
	    "True\n"),
	SM_FUNCTION("collide_within", FindWithin,
	    "collide_within($module, /, a, b, margin, *, origin=None)\n--\n\n"
	    "All pairs of triangles at most `margin` apart: uint32, (pairs, 2), sorted.\n\n"
	    ">>> import snugmesh as snug\n"
	    ">>> a, b = snug.Body(snug.box()), snug.Body(snug.box())\n"
	    ">>> b.set_frame((3, 0, 0))\n"
	    ">>> len(snug.collide_within(a, b, 0.5)), len(snug.collide_within(a, b, 1.0)) > 0\n"
	    "(0, True)\n"),
	SM_FUNCTION("collide_self", CollideSelf,
	    "collide_self($module, /, body, *, keep_rest=False, threads=1)\n--\n\n"
	    "All pairs of triangles of one body that meet beyond the corners they share.\n\n"
	    "Pairs that meet at rest are left out unless keep_rest is true.\n\n"
	    ">>> import snugmesh as snug\n"
	    ">>> snug.collide_self(snug.Body(snug.box()), keep_rest=True).shape\n"
	    "(0, 2)\n"),
	SM_FUNCTION("collide_self_within", CollideSelfWithin,
	    "collide_self_within($module, /, body, margin, rest_distance, *, origin=None)\n--\n\n"
	    "All pairs of triangles of one body at most `margin` apart that are farther apart than `rest_distance` at "
	    "rest.\n\n"
	    ">>> import snugmesh as snug\n"
	    ">>> snug.collide_self_within(snug.Body(snug.box()), 3.0, 3.0).shape\n"
	    "(0, 2)\n"),
	SM_FUNCTION("touches_self", TouchesSelf,
	    "touches_self($module, /, body, *, keep_rest=False)\n--\n\n"
	    "Whether collide_self would find a pair: stops at the first.\n\n"
	    ">>> import snugmesh as snug\n"
	    ">>> snug.touches_self(snug.Body(snug.box()))\n"
	    "False\n"),
	SM_FUNCTION("find_distance", FindDistance,
	    "find_distance($module, /, a, b, *, max_distance=None, origin=None)\n--\n\n"
	    "How far two bodies are apart, and where: a Distance.\n\n"
	    "Zero if and only if they touch. Looks no farther than max_distance, which is faster; None: however far.\n\n"
	    ">>> import snugmesh as snug\n"
	    ">>> a, b = snug.Body(snug.box()), snug.Body(snug.box())\n"
	    ">>> b.set_frame((5, 0, 0))\n"
	    ">>> snug.find_distance(a, b).distance\n"
	    "3.0\n"
	    ">>> snug.find_distance(a, b, max_distance=1)\n"
	    "snugmesh.Distance(distance=inf, a=None, b=None, point_a=None, point_b=None)\n"),
	{ NULL, NULL, 0, NULL },
};

static const char witnessText[] =
    "Witness()\n--\n\n"
    "What touches remembers of two bodies from one call to the next: one for each pair of bodies.\n\n"
    "Much faster while they stay in contact; the answer is the same.\n\n"
    ">>> import snugmesh as snug\n"
    ">>> a, b, witness = snug.Body(snug.box()), snug.Body(snug.box()), snug.Witness()\n"
    ">>> for step in range(3):\n"
    "...     b.set_frame((0.5 + step, 0, 0.25))\n"
    "...     print(snug.touches(a, b, witness=witness))\n"
    "True\n"
    "True\n"
    "False\n";
static PyType_Slot witnessSlots[] = { { Py_tp_new, NewWitness }, { Py_tp_dealloc, smFree },
	{ Py_tp_doc, (void*)witnessText }, { 0, NULL } };
static PyType_Spec witnessSpec = { "snugmesh.Witness", sizeof(Witness), 0, Py_TPFLAGS_DEFAULT, witnessSlots };

static PyStructSequence_Field distanceFields[] = { { "distance", "infinite if farther than asked for" },
	{ "a", "triangle of a" }, { "b", "triangle of b" }, { "point_a", "the point of a" },
	{ "point_b", "the point of b" }, { NULL, NULL } };
static PyStructSequence_Desc distanceDescription = { "snugmesh.Distance",
	"How far two bodies are apart, and where. Beyond max_distance all but the distance is None.", distanceFields, 5 };

bool smAddQueries(PyObject* module)
{
	witnessType = smAddType(module, &witnessSpec);
	distanceType = smAddTuple(module, &distanceDescription);
	return witnessType != NULL && distanceType != NULL && PyModule_AddFunctions(module, functions) == 0;
}
