// python/core/near.c: rays, closest points, and where two bodies meet.
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Rays ------------------------------------------------------------------------------------------------------

// From and to, as the library has them: rows of six numbers.
bool smTakeRays(smArray* rays, PyObject* object)
{
	_Static_assert(sizeof(snugRay) == 6 * sizeof(float), "a ray is six numbers");
	return smArray_TakePacked(rays, object, "rays", sm_float32, (smShape){ 3, { -1, 2, 3 } });
}

bool smReadRay(PyObject* object, snugRay* ray)
{
	smArray array;
	if (!smArray_Take(&array, object, "ray", sm_float32, (smShape){ 2, { 2, 3 } }))
	{
		return false;
	}
	memcpy(ray->from, array.data, sizeof(ray->from));
	memcpy(ray->to, (const char*)array.data + array.stride, sizeof(ray->to));
	smArray_Release(&array);
	return true;
}

static PyObject* AskRays(smBody* body, const smArray* rays, const snugRayQuery* query)
{
	const Py_ssize_t length = rays->count;
	void* hits;
	PyObject* array = smNewArray(sm_typeHit, 1, &length, &hits);
	if (array == NULL)
	{
		return NULL;
	}
	snugResult result;
	Py_BEGIN_ALLOW_THREADS;
	result = snugCastRays(body->body, rays->data, rays->count, hits, query);
	Py_END_ALLOW_THREADS;
	return smBody_Answer(body, result.status, &result.counters, array);
}

static PyObject* CastRays(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "cast_rays", 2, 2, 4, { "body", "rays", "any", "origin" } };
	PyObject *values[4], *hits = NULL;
	snugRayQuery query = { .any = false };
	smArray rays;
	(void)module;
	if (!smParse(&parameters, arguments, count, names, values) || !smReadOrigin(values[3], query.origin) ||
	    !smReadFlag(values[2], false, &query.any) || !smTakeRays(&rays, values[1]))
	{
		return NULL;
	}
	smBody* body = smBody_Take(values[0], "body");
	if (body != NULL)
	{
		hits = AskRays(body, &rays, &query);
		smRelease(&body->isBusy);
	}
	smArray_Release(&rays);
	return hits;
}

static PyObject* AskHits(smBody* body, const snugRay* ray, const snugRayQuery* query)
{
	enum
	{
		few = 32
	};
	snugRayHit first[few], *hits = first, *more = NULL;
	snugResult result;
	Py_BEGIN_ALLOW_THREADS;
	result = snugFindHits(body->body, ray, first, few, query);
	body->counters = result.counters;
	if (result.status == snug_success && result.count > few)
	{
		hits = more = malloc(result.count * sizeof(snugRayHit));
		if (more != NULL)
		{
			result = snugFindHits(body->body, ray, more, result.count, query);
			smAddCounters(&body->counters, &result.counters);
		}
	}
	Py_END_ALLOW_THREADS;
	PyObject* array = hits == NULL                    ? PyErr_NoMemory()
	                  : result.status != snug_success ? smFail(result.status, &body->said)
	                                                  : smCopyArray(sm_typeHit, hits, sizeof(*hits), result.count, 0);
	free(more);
	return array;
}

static PyObject* FindHits(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "find_hits", 2, 2, 3, { "body", "ray", "origin" } };
	PyObject* values[3];
	snugRayQuery query = { .any = false };
	snugRay ray;
	(void)module;
	if (!smParse(&parameters, arguments, count, names, values) || !smReadOrigin(values[2], query.origin) ||
	    !smReadRay(values[1], &ray))
	{
		return NULL;
	}
	smBody* body = smBody_Take(values[0], "body");
	if (body == NULL)
	{
		return NULL;
	}
	PyObject* hits = AskHits(body, &ray, &query);
	smRelease(&body->isBusy);
	return hits;
}

// ---- Closest points --------------------------------------------------------------------------------------------

static PyObject* AskClosest(smBody* body, const smArray* points, const snugDistanceQuery* query)
{
	const Py_ssize_t length = points->count;
	void* closest;
	PyObject* array = smNewArray(sm_typeClosest, 1, &length, &closest);
	if (array == NULL)
	{
		return NULL;
	}
	snugResult result;
	Py_BEGIN_ALLOW_THREADS;
	result = snugFindClosest(body->body, points->data, points->stride, points->count, closest, query);
	Py_END_ALLOW_THREADS;
	return smBody_Answer(body, result.status, &result.counters, array);
}

static PyObject* FindClosest(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "find_closest", 2, 2, 4, { "body", "points", "max_distance", "origin" } };
	PyObject *values[4], *closest = NULL;
	snugDistanceQuery query = { .maxDistance = 0.0 };
	smArray points;
	(void)module;
	if (!smParse(&parameters, arguments, count, names, values) || !smReadOrigin(values[3], query.origin) ||
	    !smReadMaxDistance(values[2], &query.maxDistance) ||
	    !smArray_Take(&points, values[1], "points", sm_float32, (smShape){ 2, { -1, 3 } }))
	{
		return NULL;
	}
	smBody* body = smBody_Take(values[0], "body");
	if (body != NULL)
	{
		closest = AskClosest(body, &points, &query);
		smRelease(&body->isBusy);
	}
	smArray_Release(&points);
	return closest;
}

// ---- Depths ----------------------------------------------------------------------------------------------------

// All vertices may be inside.
static PyObject* AskDepths(smBody* body, smBody* outer, const snugDistanceQuery* query)
{
	const uint64_t most = snugModel_GetInfo(snugBody_GetModel(body->body)).vertexCount;
	snugVertexDepth* depths = PyMem_Malloc((size_t)(most + 1) * sizeof(snugVertexDepth));
	if (depths == NULL)
	{
		return PyErr_NoMemory();
	}
	snugResult result;
	Py_BEGIN_ALLOW_THREADS;
	result = snugFindVertexDepths(body->body, outer->body, depths, most, query);
	Py_END_ALLOW_THREADS;
	body->counters = result.counters;
	PyObject* array = result.status == snug_success
	                      ? smCopyArray(sm_typeDepth, depths, sizeof(snugVertexDepth), result.count, 0)
	                      : smBody_FailOfTwo(result.status, body, outer);
	PyMem_Free(depths);
	return array;
}

static PyObject* FindVertexDepths(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "find_vertex_depths", 2, 2, 4,
		{ "body", "outer", "max_distance", "origin" } };
	PyObject* values[4];
	snugDistanceQuery query = { .maxDistance = 0.0 };
	smBody *body, *outer;
	(void)module;
	if (!smParse(&parameters, arguments, count, names, values) || !smReadOrigin(values[3], query.origin) ||
	    !smReadMaxDistance(values[2], &query.maxDistance) || !smBody_TakeTwo(values, &body, &outer))
	{
		return NULL;
	}
	PyObject* depths = AskDepths(body, outer, &query);
	smBody_ReleaseTwo(body, outer);
	return depths;
}

// ---- Contacts --------------------------------------------------------------------------------------------------

static bool MakeContactRoom(smBody* keeper, uint64_t count)
{
	const uint64_t most = 100000000u; // as snugContactBufferDef says
	uint64_t wanted = count + count / 4 < most ? count + count / 4 : most;
	snugContactBuffer* buffer = NULL;
	snugContactBufferDef def = { .capacity = (uint32_t)wanted, .messenger = { smRemember, &keeper->said } };
	snugStatus status = count <= most ? snugContactBuffer_Create(&def, &buffer) : snug_outOfRange;
	if (status != snug_success)
	{
		smFail(status, &keeper->said);
		return false;
	}
	snugContactBuffer_Destroy(keeper->contacts);
	keeper->contacts = buffer;
	keeper->contactCapacity = def.capacity;
	return true;
}

// Adds what it cost. Of one body, if they are the same.
static snugContactResult AskContacts(smBody* a, smBody* b, const snugContactQuery* query)
{
	snugContactResult result;
	Py_BEGIN_ALLOW_THREADS;
	result = a == b ? snugFindSelfContacts(a->body, a->contacts, query)
	                : snugFindContacts(a->body, b->body, a->contacts, query);
	Py_END_ALLOW_THREADS;
	smAddCounters(&a->counters, &result.counters);
	return result;
}

static uint64_t CountCurveItems(const snugContactResult* r, bool isPoints)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < r->curveCount; ++i)
	{
		count += isPoints ? r->curves[i].pointCount : r->curves[i].contactCount;
	}
	return count;
}

// contacts, points, curves, curve points, curve contacts, depths or None: snugmesh.Contacts is made of it.
static PyObject* MakeContacts(const snugContactResult* r)
{
	return Py_BuildValue("NNNNNN", smCopyArray(sm_typeContact, r->contacts, sizeof(snugContact), r->contactCount, 0),
	    smCopyArray(sm_typePoint, r->points, sizeof(snugContactPoint), r->pointCount, 0),
	    smCopyArray(sm_typeCurve, r->curves, sizeof(snugCurve), r->curveCount, 0),
	    smCopyArray(sm_typeUint32, r->curvePoints, sizeof(uint32_t), CountCurveItems(r, true), 0),
	    smCopyArray(sm_typeUint32, r->curveContacts, sizeof(uint32_t), CountCurveItems(r, false), 0),
	    r->depths != NULL ? smCopyArray(sm_typeFloat64, r->depths, sizeof(double), r->curveCount, 0)
	                      : Py_NewRef(Py_None));
}

// Whether there was too little room for what is behind a curve: three points for each pair, of which no more than all
// vertices are needed.
static bool LacksDepths(const smBody* a, const smBody* b, const snugContactResult* r)
{
	const uint64_t most = (uint64_t)a->model->info.vertexCount + b->model->info.vertexCount;
	bool lacks = false;
	for (uint32_t i = 0; r->depths != NULL && i < r->curveCount; ++i)
	{
		lacks = lacks || isnan(r->depths[i]);
	}
	return lacks && 3 * (uint64_t)a->contactCapacity < most;
}

static PyObject* CollectContacts(smBody* a, smBody* b, const snugContactQuery* query)
{
	if (a->contacts == NULL && !MakeContactRoom(a, 256))
	{
		return NULL;
	}
	a->counters = (snugCounters){ 0 };
	snugContactResult result = AskContacts(a, b, query);
	if (result.status == snug_success && !result.complete)
	{
		if (!MakeContactRoom(a, result.count))
		{
			return NULL;
		}
		result = AskContacts(a, b, query);
	}
	while (result.status == snug_success && LacksDepths(a, b, &result))
	{
		if (!MakeContactRoom(a, 4 * (uint64_t)a->contactCapacity))
		{
			return NULL;
		}
		result = AskContacts(a, b, query);
	}
	if (result.status != snug_success)
	{
		return smBody_FailOfTwo(result.status, a, b);
	}
	return MakeContacts(&result);
}

PyObject* smTakeContacts(smBody* a, smBody* b, const snugContactQuery* query, const snugContactResult* found)
{
	bool isWhole = found->complete;
	for (uint32_t i = 0; isWhole && found->depths != NULL && i < found->curveCount; ++i)
	{
		isWhole = !isnan(found->depths[i]);
	}
	return isWhole ? MakeContacts(found) : CollectContacts(a, b, query);
}

// depths, threads, origin, in this order. The query points to the number of threads.
static bool ReadContactQuery(PyObject* const values[3], snugContactQuery* query, uint32_t* threads)
{
	if (!smReadOrigin(values[2], query->origin) || !smReadThreads(values[1], threads))
	{
		return false;
	}
	query->workers = smWorkersOf(threads);
	return smReadFlag(values[0], false, &query->depths);
}

static PyObject* FindContacts(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "find_contacts", 2, 2, 5, { "a", "b", "depths", "threads", "origin" } };
	PyObject* values[5];
	snugContactQuery query = { .workers.run = NULL };
	uint32_t threads;
	smBody *a, *b;
	(void)module;
	if (!smParse(&parameters, arguments, count, names, values) || !ReadContactQuery(values + 2, &query, &threads) ||
	    !smBody_TakeTwo(values, &a, &b))
	{
		return NULL;
	}
	PyObject* contacts = CollectContacts(a, b, &query);
	smBody_ReleaseTwo(a, b);
	return contacts;
}

static PyObject* FindSelfContacts(PyObject* module, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "find_self_contacts", 1, 1, 5,
		{ "body", "depths", "threads", "origin", "keep_rest" } };
	PyObject* values[5];
	snugContactQuery query = { .workers.run = NULL };
	uint32_t threads;
	(void)module;
	if (!smParse(&parameters, arguments, count, names, values) || !ReadContactQuery(values + 1, &query, &threads) ||
	    !smReadFlag(values[4], false, &query.keepRest))
	{
		return NULL;
	}
	smBody* body = smBody_Take(values[0], "body");
	if (body == NULL)
	{
		return NULL;
	}
	PyObject* contacts = CollectContacts(body, body, &query);
	smRelease(&body->isBusy);
	return contacts;
}

// ---- The module ------------------------------------------------------------------------------------------------

static PyMethodDef functions[] = {
	SM_FUNCTION("cast_rays", CastRays,
	    "cast_rays($module, /, body, rays, *, any=False, origin=None)\n--\n\n"
	    "What each ray hits first: an array with t, weights, position, normal, triangle.\n\n"
	    "rays: float32, (n, 2, 3): where each begins and where it ends. The place of a hit is\n"
	    "from + t (to - from). A ray that hits nothing has t = 2 and triangle NO_TRIANGLE.\n"
	    "any: any hit will do, which is faster.\n\n"
	    ">>> import numpy as np, snugmesh as snug\n"
	    ">>> rays = np.array([[[0.5, 0.25, 5], [0.5, 0.25, 0]], [[3, 0, 5], [3, 0, 0]]], np.float32)\n"
	    ">>> hits = snug.cast_rays(snug.Body(snug.box()), rays)\n"
	    ">>> hits['t'], hits['triangle'] == snug.NO_TRIANGLE\n"
	    "(array([0.8, 2. ]), array([False,  True]))\n"),
	SM_FUNCTION("find_hits", FindHits,
	    "find_hits($module, /, body, ray, *, origin=None)\n--\n\n"
	    "Everything that one ray hits, nearest first. ray: float32, (2, 3).\n\n"
	    ">>> import numpy as np, snugmesh as snug\n"
	    ">>> ray = np.array([[0.5, 0.25, 2], [0.5, 0.25, -2]], np.float32)\n"
	    ">>> snug.find_hits(snug.Body(snug.box()), ray)['t']\n"
	    "array([0.25, 0.75])\n"),
	SM_FUNCTION("find_closest", FindClosest,
	    "find_closest($module, /, body, points, *, max_distance=None, origin=None)\n--\n\n"
	    "Where a body is nearest to each point: an array with distance, position, normal, triangle.\n\n"
	    "points: float32, (n, 3). Where there is nothing within max_distance, distance is infinite\n"
	    "and triangle NO_TRIANGLE.\n\n"
	    ">>> import numpy as np, snugmesh as snug\n"
	    ">>> points = np.array([[3, 0, 0], [0.5, 0, 0]], np.float32)\n"
	    ">>> snug.find_closest(snug.Body(snug.box()), points)['distance']\n"
	    "array([2. , 0.5])\n"),
	SM_FUNCTION("find_vertex_depths", FindVertexDepths,
	    "find_vertex_depths($module, /, body, outer, *, max_distance=None, origin=None)\n--\n\n"
	    "Which vertices of a body, such as a garment, are inside a closed one, and how deep: an array with vertex,\n"
	    "depth, and position, normal and triangle of where the surface is nearest.\n\n"
	    "The body may be open. Where the surface is farther than max_distance, depth is infinite.\n\n"
	    ">>> import snugmesh as snug\n"
	    ">>> outer, body = snug.Body(snug.box()), snug.Body(snug.box())\n"
	    ">>> body.set_frame((1.5, 0.25, 0.125))\n"
	    ">>> snug.find_vertex_depths(body, outer)['depth'].tolist()\n"
	    "[0.125]\n"),
	SM_FUNCTION("_find_contacts", FindContacts, NULL),
	SM_FUNCTION("_find_self_contacts", FindSelfContacts, NULL),
	{ NULL, NULL, 0, NULL },
};

bool smAddNear(PyObject* module)
{
	return PyModule_AddFunctions(module, functions) == 0;
}
