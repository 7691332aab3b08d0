// python/core/scene.c: snugmesh.Scene, many bodies.
#include "scene.h"

#include <stdlib.h>
#include <string.h>

static PyTypeObject *sceneType, *updateType, *eventsType;

// ---- Making ----------------------------------------------------------------------------------------------------

// A snugSceneFilterFcn: parts of one owner do not meet each other. Nothing here needs Python's lock.
static bool AreOfTwo(void* user, uint32_t a, uint32_t b)
{
	const smScene* self = user;
	return self->owners[a] == NULL || self->owners[a] != self->owners[b];
}

static PyObject* New(PyTypeObject* type, PyObject* arguments, PyObject* keywords)
{
	static char* names[] = { "threads", "origin", NULL };
	PyObject *threads = Py_None, *origin = Py_None;
	uint32_t threadCount;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|$OO:Scene", names, &threads, &origin) ||
	    !smReadThreads(threads != Py_None ? threads : NULL, &threadCount))
	{
		return NULL;
	}
	smScene* self = smAllocate(type);
	if (self == NULL)
	{
		return NULL;
	}
	snugSceneDef def = { .filter = AreOfTwo, .filterUser = self, .messenger = { smRemember, &self->said } };
	snugStatus status = snug_success;
	self->threads = threadCount;
	def.workers = smWorkersOf(&self->threads);
	self->notes = PyDict_New();
	self->endedNotes = PyDict_New();
	if (self->notes == NULL || self->endedNotes == NULL ||
	    !smReadOrigin(origin != Py_None ? origin : NULL, def.origin) ||
	    (status = snugScene_Create(&def, &self->scene)) != snug_success)
	{
		if (status != snug_success)
		{
			smFail(status, &self->said);
		}
		Py_CLEAR(self);
		return NULL;
	}
	memcpy(self->origin, def.origin, sizeof(self->origin));
	return (PyObject*)self;
}

static void Free(PyObject* object)
{
	smScene* self = (smScene*)object;
	snugScene_Destroy(self->scene); // before its bodies
	for (uint32_t i = 0; i < self->capacity; ++i)
	{
		if (self->bodies[i] != NULL)
		{
			self->bodies[i]->isInScene = false;
		}
		Py_XDECREF((PyObject*)self->bodies[i]);
		Py_XDECREF(self->owners[i]);
		Py_XDECREF(self->shapes[i]);
	}
	free(self->bodies);
	free(self->owners);
	free(self->shapes);
	snugContactBuffer_Destroy(self->contactBuffer);
	Py_XDECREF(self->notes);
	Py_XDECREF(self->endedNotes);
	Py_XDECREF(self->contacts);
	smFree(object);
}

smScene* smScene_Take(PyObject* object)
{
	smScene* self = (smScene*)object;
	if (!smAcquire(&self->isBusy, "scene"))
	{
		return NULL;
	}
	self->said.text[0] = '\0';
	return self;
}

// After a method's work: let go of the scene, then tell how it went.
static PyObject* Finish(smScene* self, snugStatus status)
{
	PyObject* result = status == snug_success ? Py_NewRef(Py_None) : smFail(status, &self->said);
	smRelease(&self->isBusy);
	return result;
}

// ---- Bodies ----------------------------------------------------------------------------------------------------

// Bits for groups and masks. None of them would mean all to the library.
static bool ReadBits(PyObject* object, const char* name, uint32_t missing, uint32_t* bits)
{
	*bits = missing;
	if (object == NULL)
	{
		return true;
	}
	unsigned long long value = PyLong_AsUnsignedLongLong(object);
	if (PyErr_Occurred() != NULL || value == 0 || value > UINT32_MAX)
	{
		PyErr_Format(PyExc_ValueError, "%s must be 32 bits, at least one of them set", name);
		return false;
	}
	*bits = (uint32_t)value;
	return true;
}

static bool MakeRoom(smScene* self, uint32_t capacity)
{
	smBody** bodies = realloc(self->bodies, capacity * sizeof(*bodies));
	self->bodies = bodies != NULL ? bodies : self->bodies;
	PyObject** owners = bodies != NULL ? realloc(self->owners, capacity * sizeof(*owners)) : NULL;
	self->owners = owners != NULL ? owners : self->owners;
	PyObject** shapes = owners != NULL ? realloc(self->shapes, capacity * sizeof(*shapes)) : NULL;
	self->shapes = shapes != NULL ? shapes : self->shapes;
	if (shapes == NULL)
	{
		return false;
	}
	memset(bodies + self->capacity, 0, (capacity - self->capacity) * sizeof(*bodies));
	memset(owners + self->capacity, 0, (capacity - self->capacity) * sizeof(*owners));
	memset(shapes + self->capacity, 0, (capacity - self->capacity) * sizeof(*shapes));
	self->capacity = capacity;
	return true;
}

static bool IsThere(const smScene* self, uint64_t id)
{
	return id < self->capacity && (self->bodies[id] != NULL || self->shapes[id] != NULL);
}

static void TakeOut(smScene* self, uint32_t id)
{
	if (self->bodies[id] != NULL)
	{
		self->bodies[id]->isInScene = false;
	}
	Py_CLEAR(self->bodies[id]);
	Py_CLEAR(self->owners[id]);
	Py_CLEAR(self->shapes[id]);
	self->count -= 1;
}

// A body, or a shape. Whoever had the id is gone.
static bool Keep(smScene* self, uint32_t id, smBody* body, PyObject* shape, PyObject* owner)
{
	if (id >= self->capacity && !MakeRoom(self, 2 * id + 16))
	{
		return false;
	}
	Py_XINCREF((PyObject*)body);
	Py_XINCREF(shape);
	Py_XINCREF(owner);
	if (IsThere(self, id))
	{
		TakeOut(self, id);
	}
	if (body != NULL)
	{
		body->isInScene = true;
	}
	self->bodies[id] = body;
	self->shapes[id] = shape;
	self->owners[id] = owner;
	self->count += 1;
	return true;
}

// Ids of removed bodies stay for a while, so there may be room for fewer than there seems.
static snugStatus AddWithRoom(smScene* self, const snugSceneBodyDef* def, uint32_t* id)
{
	snugStatus status = snugScene_Add(self->scene, def, id);
	if (status == snug_outOfRange)
	{
		snugSceneRoom room = { .bodies = 2 * snugScene_GetRoom(self->scene).bodies };
		status = snugScene_Reserve(self->scene, &room);
		status = status == snug_success ? snugScene_Add(self->scene, def, id) : status;
	}
	return status;
}

static PyObject* AddBody(smScene* self, PyObject* object, PyObject* owner, snugSceneBodyDef* def)
{
	smBody* body = smBody_Take(object, "body");
	uint32_t id = 0;
	if (body == NULL)
	{
		return NULL;
	}
	if (body->isInScene)
	{
		smRelease(&body->isBusy);
		PyErr_SetString(PyExc_ValueError, "body: it is in a scene already, and can be in one at a time");
		return NULL;
	}
	def->body = body->body;
	snugStatus status = AddWithRoom(self, def, &id);
	if (status == snug_success && !Keep(self, id, body, NULL, owner))
	{
		snugScene_Remove(self->scene, id);
		status = snug_outOfMemory;
	}
	smRelease(&body->isBusy);
	return status == snug_success ? PyLong_FromUnsignedLong(id) : smFail(status, &self->said);
}

static PyObject* AddShape(smScene* self, PyObject* object, PyObject* owner, snugSceneBodyDef* def)
{
	snugShape shape;
	uint32_t id = 0;
	if (!smReadShape(object, &shape))
	{
		return NULL;
	}
	def->shape = &shape;
	snugStatus status = AddWithRoom(self, def, &id);
	if (status == snug_success && !Keep(self, id, NULL, object, owner))
	{
		snugScene_Remove(self->scene, id);
		status = snug_outOfMemory;
	}
	return status == snug_success ? PyLong_FromUnsignedLong(id) : smFail(status, &self->said);
}

// All bodies of an actor, or none: a list of their ids.
static PyObject* AddActor(smScene* self, PyObject* actor, PyObject* bodies, snugSceneBodyDef* def)
{
	PyObject* ids = PyList_New(0);
	bool added = ids != NULL;
	for (Py_ssize_t i = 0; added && i < PySequence_Size(bodies); ++i)
	{
		PyObject* body = PySequence_GetItem(bodies, i);
		PyObject* id = body != NULL ? AddBody(self, body, actor, def) : NULL;
		added = id != NULL && PyList_Append(ids, id) == 0;
		Py_XDECREF(id);
		Py_XDECREF(body);
	}
	for (Py_ssize_t i = 0; ids != NULL && !added && i < PyList_Size(ids); ++i)
	{
		const uint32_t id = (uint32_t)PyLong_AsUnsignedLong(PyList_GetItem(ids, i));
		snugScene_Remove(self->scene, id);
		TakeOut(self, id);
	}
	if (!added)
	{
		Py_CLEAR(ids);
	}
	return ids;
}

// A body in the place of another one.
static PyObject* Replace(smScene* self, PyObject* object, PyObject* owner, uint32_t id, snugSceneBodyDef* def)
{
	smBody* replaced = Py_TYPE(object) == smBodyType ? smBody_Take((PyObject*)self->bodies[id], "body") : NULL;
	if (replaced == NULL)
	{
		if (PyErr_Occurred() == NULL)
		{
			PyErr_SetString(PyExc_TypeError, "only a Body replaces another one");
		}
		return NULL;
	}
	Py_INCREF((PyObject*)replaced);
	def->replaces = replaced->body;
	PyObject* same = AddBody(self, object, owner, def);
	smRelease(&replaced->isBusy);
	Py_DECREF((PyObject*)replaced);
	return same;
}

// A body, a shape, or what has bodies: an actor.
static PyObject* AddAny(smScene* self, PyObject* object, PyObject* owner, snugSceneBodyDef* def)
{
	if (PyTuple_Check(object))
	{
		return AddShape(self, object, owner, def);
	}
	PyObject* bodies = Py_TYPE(object) != smBodyType ? PyObject_GetAttrString(object, "bodies") : NULL;
	if (bodies == NULL || !PySequence_Check(bodies))
	{
		Py_XDECREF(bodies);
		PyErr_Clear();
		return AddBody(self, object, owner, def);
	}
	PyObject* ids = AddActor(self, owner != NULL ? owner : object, bodies, def);
	Py_DECREF(bodies);
	return ids;
}

// An id of a body or shape that is in the scene.
static bool ReadId(const smScene* self, PyObject* object, uint32_t* id)
{
	unsigned long long value = PyLong_AsUnsignedLongLong(object);
	if (PyErr_Occurred() != NULL && !PyErr_ExceptionMatches(PyExc_OverflowError) &&
	    !PyErr_ExceptionMatches(PyExc_ValueError))
	{
		return false;
	}
	if (PyErr_Occurred() != NULL || !IsThere(self, value))
	{
		PyErr_Clear();
		PyErr_Format(PyExc_KeyError, "there is no body %R in this scene", object);
		return false;
	}
	*id = (uint32_t)value;
	return true;
}

bool smScene_ReadBodyId(const smScene* self, PyObject* object, uint32_t* id)
{
	const bool isRead = ReadId(self, object, id);
	if (isRead && self->bodies[*id] == NULL)
	{
		PyErr_Format(PyExc_KeyError, "%R is a shape, not a body", object);
	}
	return isRead && self->bodies[*id] != NULL;
}

static PyObject* Add(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "add", 1, 1, 7,
		{ "body", "is_static", "groups", "mask", "owner", "meets_itself", "replaces" } };
	PyObject* values[7];
	snugSceneBodyDef def = { .body = NULL };
	if (!smParse(&parameters, arguments, count, names, values) || !ReadBits(values[2], "groups", 1, &def.groups) ||
	    !ReadBits(values[3], "mask", UINT32_MAX, &def.mask) || !smReadFlag(values[1], false, &def.isStatic) ||
	    !smReadFlag(values[5], false, &def.meetsItself))
	{
		return NULL;
	}
	smScene* self = smScene_Take(object);
	if (self == NULL)
	{
		return NULL;
	}
	uint32_t replaced;
	PyObject* id = NULL;
	if (def.meetsItself && PyTuple_Check(values[0]))
	{
		PyErr_SetString(PyExc_ValueError, "a shape does not meet itself");
	}
	else if (values[6] == NULL || values[6] == Py_None)
	{
		id = AddAny(self, values[0], values[4], &def);
	}
	else if (smScene_ReadBodyId(self, values[6], &replaced))
	{
		id = Replace(self, values[0], values[4], replaced, &def);
	}
	smRelease(&self->isBusy);
	return id;
}

static PyObject* Remove(PyObject* object, PyObject* given)
{
	smScene* self = smScene_Take(object);
	uint32_t id;
	if (self == NULL)
	{
		return NULL;
	}
	smBody* body = NULL;
	if (!ReadId(self, given, &id) ||
	    (self->bodies[id] != NULL && (body = smBody_Take((PyObject*)self->bodies[id], "body")) == NULL))
	{
		smRelease(&self->isBusy);
		return NULL;
	}
	snugStatus status = snugScene_Remove(self->scene, id);
	if (body != NULL)
	{
		smRelease(&body->isBusy);
	}
	if (status == snug_success)
	{
		TakeOut(self, id);
	}
	return Finish(self, status);
}

static PyObject* SetMask(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "set_groups", 1, 1, 3, { "id", "groups", "mask" } };
	PyObject* values[3];
	uint32_t id, groups, mask;
	if (!smParse(&parameters, arguments, count, names, values) || !ReadBits(values[1], "groups", 1, &groups) ||
	    !ReadBits(values[2], "mask", UINT32_MAX, &mask))
	{
		return NULL;
	}
	smScene* self = smScene_Take(object);
	if (self != NULL && !ReadId(self, values[0], &id))
	{
		smRelease(&self->isBusy);
		return NULL;
	}
	return self != NULL ? Finish(self, snugScene_SetGroups(self->scene, id, groups, mask)) : NULL;
}

static PyObject* SetOrigin(PyObject* object, PyObject* given)
{
	double origin[3];
	if (!smReadOrigin(given, origin))
	{
		return NULL;
	}
	smScene* self = smScene_Take(object);
	if (self == NULL)
	{
		return NULL;
	}
	memcpy(self->origin, origin, sizeof(origin));
	return Finish(self, snugScene_SetOrigin(self->scene, origin));
}

static PyObject* SetShape(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "set_shape", 2, 2, 2, { "id", "shape" } };
	PyObject* values[2];
	snugShape shape;
	uint32_t id;
	if (!smParse(&parameters, arguments, count, names, values) || !smReadShape(values[1], &shape))
	{
		return NULL;
	}
	smScene* self = smScene_Take(object);
	if (self == NULL || !ReadId(self, values[0], &id) || self->shapes[id] == NULL)
	{
		if (self != NULL && PyErr_Occurred() == NULL)
		{
			PyErr_Format(PyExc_KeyError, "%R is a body, not a shape", values[0]);
		}
		if (self != NULL)
		{
			smRelease(&self->isBusy);
		}
		return NULL;
	}
	const snugStatus status = snugScene_SetShape(self->scene, id, &shape);
	if (status == snug_success)
	{
		Py_INCREF(values[1]);
		Py_DECREF(self->shapes[id]);
		self->shapes[id] = values[1];
	}
	return Finish(self, status);
}

static PyObject* GetBody(PyObject* object, PyObject* given)
{
	smScene* self = smScene_Take(object);
	uint32_t id;
	if (self == NULL)
	{
		return NULL;
	}
	PyObject* member = NULL;
	if (ReadId(self, given, &id))
	{
		member = Py_NewRef(self->bodies[id] != NULL ? (PyObject*)self->bodies[id] : self->shapes[id]);
	}
	smRelease(&self->isBusy);
	return member;
}

static Py_ssize_t GetLength(PyObject* object)
{
	return ((smScene*)object)->count;
}

// ---- Updates ---------------------------------------------------------------------------------------------------

static void ReleaseFirst(smScene* self, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		if (self->bodies[i] != NULL)
		{
			smRelease(&self->bodies[i]->isBusy);
		}
	}
}

void smScene_ReleaseBodies(smScene* self)
{
	ReleaseFirst(self, self->capacity);
}

bool smScene_TakeBodies(smScene* self)
{
	for (uint32_t i = 0; i < self->capacity; ++i)
	{
		if (self->bodies[i] != NULL && smBody_Take((PyObject*)self->bodies[i], "body") == NULL)
		{
			ReleaseFirst(self, i);
			return false;
		}
	}
	return true;
}

static bool IsShort(const snugSceneRoom* needed)
{
	return needed->bodies > 0 || needed->candidates > 0 || needed->pairs > 0 || needed->trianglePairs > 0;
}

// An update that finds too little room says how much it needs; each of three rooms may be found short in turn. What
// that cost counts: what it brought up to date, the next attempt does not pay for.
static snugSceneResult UpdateWithRoom(snugScene* scene, const snugSceneQuery* query)
{
	snugSceneResult result = snugScene_Update(scene, query);
	snugCounters spent = result.counters;
	while (result.status == snug_outOfRange && IsShort(&result.needed))
	{
		snugStatus status = snugScene_Reserve(scene, &result.needed);
		if (status != snug_success)
		{
			result.status = status;
			return result;
		}
		result = snugScene_Update(scene, query);
		smAddCounters(&spent, &result.counters);
	}
	result.counters = spent;
	return result;
}

PyObject* smScene_Fail(const smScene* self, const snugSceneResult* result)
{
	if (result->status == snug_outOfRange && result->body != SNUG_NONE)
	{
		PyErr_Format(smError, "body %lu is too far from the scene's origin for float32", (unsigned long)result->body);
		return NULL;
	}
	return smFail(result->status, &self->said);
}

static PyObject* MakeUpdate(const snugSceneResult* result)
{
	PyObject* items[5] = { PyLong_FromUnsignedLong(result->moved), PyLong_FromUnsignedLongLong(result->candidates),
		PyLong_FromUnsignedLongLong(result->queries), PyLong_FromUnsignedLongLong(result->kept),
		smMakeCounters(&result->counters) };
	return smMakeTuple(updateType, items, 5);
}

/// Contacts that an update tells of.
typedef struct Telling
{
	smScene* self;
	PyThreadState* state; ///< while Python's lock is not held
	PyObject* list;
	bool depths;
	bool failed; ///< with an exception
} Telling;

// (a, b, Contacts)
static PyObject* MakeEntry(Telling* telling, uint32_t a, uint32_t b, const snugContactResult* found)
{
	const smScene* self = telling->self;
	snugContactQuery query = { .depths = telling->depths };
	memcpy(query.origin, self->origin, sizeof(query.origin));
	PyObject* numbers = smTakeContacts(self->bodies[a], self->bodies[b], &query, found);
	PyObject* module = numbers != NULL ? PyImport_ImportModule("snugmesh.contacts") : NULL;
	PyObject* type = module != NULL ? PyObject_GetAttrString(module, "Contacts") : NULL;
	PyObject* contacts = type != NULL ? PyObject_CallObject(type, numbers) : NULL;
	PyObject* entry = contacts != NULL ? Py_BuildValue("(kkO)", (unsigned long)a, (unsigned long)b, contacts) : NULL;
	Py_XDECREF(contacts);
	Py_XDECREF(type);
	Py_XDECREF(module);
	Py_XDECREF(numbers);
	return entry;
}

// A snugSceneContactsFcn.
static void TellContacts(void* user, uint32_t a, uint32_t b, const snugContactResult* found)
{
	Telling* telling = user;
	if (telling->failed)
	{
		return;
	}
	PyEval_RestoreThread(telling->state);
	uint64_t* most = &telling->self->mostContacts;
	*most = found->count > *most ? found->count : *most;
	PyObject* entry = MakeEntry(telling, a, b, found);
	telling->failed = entry == NULL || PyList_Append(telling->list, entry) != 0;
	Py_XDECREF(entry);
	telling->state = PyEval_SaveThread();
}

// Room for the contacts of most pairs of bodies; others are asked for once more.
static bool MakeContactRoom(smScene* self)
{
	const uint64_t limit = 100000000u, wanted = self->mostContacts > 800 ? self->mostContacts + 200 : 1000;
	if (self->contactBuffer != NULL &&
	    self->contactCapacity >= (self->mostContacts < limit ? self->mostContacts : limit))
	{
		return true;
	}
	snugContactBufferDef def = { .capacity = (uint32_t)(wanted < limit ? wanted : limit),
		.messenger = { smRemember, &self->said } };
	snugContactBuffer_Destroy(self->contactBuffer);
	self->contactBuffer = NULL;
	self->contactCapacity = def.capacity;
	return snugContactBuffer_Create(&def, &self->contactBuffer) == snug_success;
}

// Notes of pairs that touch stay, those of pairs that ended are told once, and what is left was of none.
static bool KeepNotes(smScene* self)
{
	uint64_t count;
	const snugScenePair* pairs = snugScene_GetPairs(self->scene, &count);
	const snugSceneEvents events = snugScene_GetEvents(self->scene);
	PyObject *kept = PyDict_New(), *ended = PyDict_New();
	const bool hasNotes = PyDict_Size(self->notes) > 0;
	bool isGood = kept != NULL && ended != NULL;
	for (uint64_t i = 0; hasNotes && isGood && i < count + events.endedCount; ++i)
	{
		const uint32_t a = i < count ? pairs[i].a : events.ended[i - count].a;
		const uint32_t b = i < count ? pairs[i].b : events.ended[i - count].b;
		PyObject* key = Py_BuildValue("(kk)", (unsigned long)a, (unsigned long)b);
		PyObject* note = key != NULL ? PyDict_GetItemWithError(self->notes, key) : NULL;
		isGood = key != NULL && PyErr_Occurred() == NULL &&
		         (note == NULL || PyDict_SetItem(i < count ? kept : ended, key, note) == 0);
		Py_XDECREF(key);
	}
	if (isGood && hasNotes)
	{
		PyDict_Clear(self->notes);
		isGood = PyDict_Update(self->notes, kept) == 0;
	}
	Py_XDECREF(kept);
	if (ended != NULL)
	{
		Py_DECREF(self->endedNotes);
		self->endedNotes = ended;
	}
	return isGood;
}

static snugSceneResult UpdateTelling(smScene* self, snugSceneQuery* query, Telling* telling)
{
	Py_CLEAR(self->contacts);
	if (telling->list != NULL)
	{
		query->contacts = TellContacts;
		query->contactsUser = telling;
		query->contactBuffer = self->contactBuffer;
	}
	telling->state = PyEval_SaveThread();
	const snugSceneResult result = UpdateWithRoom(self->scene, query);
	PyEval_RestoreThread(telling->state);
	if (!telling->failed)
	{
		self->contacts = Py_XNewRef(telling->list);
	}
	return result;
}

static PyObject* Update(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "update", 0, 0, 3, { "triangle_pairs", "contacts", "depths" } };
	PyObject* values[3];
	bool triangles, contacts, depths;
	if (!smParse(&parameters, arguments, count, names, values) || !smReadFlag(values[0], false, &triangles) ||
	    !smReadFlag(values[1], false, &contacts) || !smReadFlag(values[2], false, &depths))
	{
		return NULL;
	}
	smScene* self = smScene_Take(object);
	if (self == NULL)
	{
		return NULL;
	}
	Telling telling = { .self = self, .depths = depths };
	const bool asks = contacts || depths;
	if ((asks && (telling.list = PyList_New(0)) == NULL) || !smScene_TakeBodies(self))
	{
		Py_XDECREF(telling.list);
		smRelease(&self->isBusy);
		return NULL;
	}
	snugSceneQuery query = { .trianglePairs = triangles, .depths = depths };
	snugSceneResult result = { .status = snug_outOfMemory };
	if (!asks || MakeContactRoom(self))
	{
		result = UpdateTelling(self, &query, &telling);
	}
	smScene_ReleaseBodies(self);
	Py_XDECREF(telling.list);
	if (telling.failed || (result.status == snug_success && !KeepNotes(self)))
	{
		smRelease(&self->isBusy);
		return NULL;
	}
	PyObject* update = result.status == snug_success ? MakeUpdate(&result) : smScene_Fail(self, &result);
	smRelease(&self->isBusy);
	return update;
}

static PyObject* AskRays(smScene* self, const smArray* rays, const snugRayQuery* query)
{
	const Py_ssize_t length = rays->count;
	void* hits;
	PyObject* array = smNewArray(sm_typeSceneHit, 1, &length, &hits);
	if (array == NULL)
	{
		return NULL;
	}
	snugSceneResult result;
	Py_BEGIN_ALLOW_THREADS;
	result = snugScene_CastRays(self->scene, rays->data, rays->count, hits, query);
	Py_END_ALLOW_THREADS;
	if (result.status != snug_success)
	{
		Py_DECREF(array);
		return smFail(result.status, &self->said);
	}
	return array;
}

static PyObject* CastRays(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "cast_rays", 1, 1, 3, { "rays", "any", "mask" } };
	PyObject *values[3], *hits = NULL;
	snugRayQuery query = { .any = false };
	smArray rays;
	if (!smParse(&parameters, arguments, count, names, values) ||
	    !ReadBits(values[2], "mask", UINT32_MAX, &query.mask) || !smReadFlag(values[1], false, &query.any) ||
	    !smTakeRays(&rays, values[0]))
	{
		return NULL;
	}
	smScene* self = smScene_Take(object);
	if (self != NULL)
	{
		if (smScene_TakeBodies(self))
		{
			hits = AskRays(self, &rays, &query);
			smScene_ReleaseBodies(self);
		}
		smRelease(&self->isBusy);
	}
	smArray_Release(&rays);
	return hits;
}

static PyObject* AskHits(smScene* self, const snugRay* ray, const snugRayQuery* query)
{
	enum
	{
		few = 32
	};
	snugRayHit first[few], *hits = first, *more = NULL;
	snugSceneResult result;
	Py_BEGIN_ALLOW_THREADS;
	result = snugScene_FindHits(self->scene, ray, first, few, query);
	if (result.status == snug_success && result.count > few)
	{
		hits = more = malloc(result.count * sizeof(*hits));
		if (more != NULL)
		{
			result = snugScene_FindHits(self->scene, ray, more, result.count, query);
		}
	}
	Py_END_ALLOW_THREADS;
	PyObject* array = hits == NULL ? PyErr_NoMemory()
	                  : result.status != snug_success
	                      ? smFail(result.status, &self->said)
	                      : smCopyArray(sm_typeSceneHit, hits, sizeof(*hits), result.count, 0);
	free(more);
	return array;
}

static PyObject* FindHits(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names)
{
	static const smParameters parameters = { "find_hits", 1, 1, 2, { "ray", "mask" } };
	PyObject *values[2], *hits = NULL;
	snugRayQuery query = { .any = false };
	snugRay ray;
	if (!smParse(&parameters, arguments, count, names, values) ||
	    !ReadBits(values[1], "mask", UINT32_MAX, &query.mask) || !smReadRay(values[0], &ray))
	{
		return NULL;
	}
	smScene* self = smScene_Take(object);
	if (self == NULL)
	{
		return NULL;
	}
	if (smScene_TakeBodies(self))
	{
		hits = AskHits(self, &ray, &query);
		smScene_ReleaseBodies(self);
	}
	smRelease(&self->isBusy);
	return hits;
}

static PyObject* GetSize(PyObject* object, void* nothing)
{
	smScene* self = smScene_Take(object);
	(void)nothing;
	if (self == NULL)
	{
		return NULL;
	}
	const size_t bytes = snugScene_GetMemory(self->scene);
	smRelease(&self->isBusy);
	return PyLong_FromSize_t(bytes);
}

static PyObject* GetPairs(PyObject* object, PyObject* nothing)
{
	smScene* self = smScene_Take(object);
	uint64_t count;
	(void)nothing;
	if (self == NULL)
	{
		return NULL;
	}
	const snugScenePair* pairs = snugScene_GetPairs(self->scene, &count);
	PyObject* array = smCopyArray(sm_typeScenePair, pairs, sizeof(*pairs), count, 0);
	smRelease(&self->isBusy);
	return array;
}

static PyObject* GetTrianglePairs(PyObject* object, PyObject* nothing)
{
	smScene* self = smScene_Take(object);
	uint64_t count;
	(void)nothing;
	if (self == NULL)
	{
		return NULL;
	}
	const snugPair* pairs = snugScene_GetTrianglePairs(self->scene, &count);
	PyObject* array = smCopyArray(sm_typeUint32, pairs, sizeof(uint32_t), count, 2);
	smRelease(&self->isBusy);
	return array;
}

static PyObject* GetContacts(PyObject* object, PyObject* nothing)
{
	smScene* self = smScene_Take(object);
	(void)nothing;
	if (self == NULL)
	{
		return NULL;
	}
	PyObject* contacts = self->contacts != NULL ? PyList_GetSlice(self->contacts, 0, PY_SSIZE_T_MAX) : PyList_New(0);
	smRelease(&self->isBusy);
	return contacts;
}

static PyObject* GetNotes(PyObject* object, void* isEnded)
{
	const smScene* self = (const smScene*)object;
	return Py_NewRef(isEnded != NULL ? self->endedNotes : self->notes);
}

static PyObject* GetEvents(PyObject* object, PyObject* nothing)
{
	smScene* self = smScene_Take(object);
	(void)nothing;
	if (self == NULL)
	{
		return NULL;
	}
	const snugSceneEvents events = snugScene_GetEvents(self->scene);
	PyObject* items[3] = { smCopyArray(sm_typeUint32, events.begun, sizeof(uint32_t), events.begunCount, 2),
		smCopyArray(sm_typeUint32, events.persisting, sizeof(uint32_t), events.persistingCount, 2),
		smCopyArray(sm_typeUint32, events.ended, sizeof(uint32_t), events.endedCount, 2) };
	smRelease(&self->isBusy);
	return smMakeTuple(eventsType, items, 3);
}

// ---- The type --------------------------------------------------------------------------------------------------

static PyMethodDef methods[] = {
	SM_FUNCTION("add", Add,
	    "add($self, body, *, is_static=False, groups=1, mask=4294967295, owner=None, meets_itself=False,\n"
	    "    replaces=None)\n--\n\n"
	    "Add a body, or a Shape; the next update looks at it. Returns its id, a small number.\n\n"
	    "Bodies a and b are looked at if (a.groups & b.mask) and (b.groups & a.mask) are not zero,\n"
	    "and not both are static. A body is in one scene at a time.\n\n"
	    "Of an Actor all bodies are added, and their ids are returned as a list: they meet others, not each other.\n"
	    "owner: anything; bodies of one owner do not meet each other. Of an actor it is the actor, unless you say.\n"
	    "meets_itself: updates also find what collide_self finds: a pair of the body with itself.\n"
	    "replaces: an id of a body, which goes; the new one takes its id, and pairs that still touch persist.\n\n"
	    "A Shape meets bodies, not other shapes. It is relative to the scene's origin; rays do not see it.\n"
	    "In triangle_pairs NO_TRIANGLE stands for it.\n\n"
	    ">>> import snugmesh as snug\n"
	    ">>> scene = snug.Scene()\n"
	    ">>> box = scene.add(snug.Body(snug.box()))\n"
	    ">>> floor = scene.add(snug.Shape.half_space((0, 0, 1), 0.5), is_static=True)\n"
	    ">>> update = scene.update()\n"
	    ">>> scene.events().begun\n"
	    "array([[0, 1]], dtype=uint32)\n"),
	SM_FUNCTION("set_shape", SetShape, "set_shape($self, id, shape)\n--\n\nMove a Shape, or change it."),
	{ "remove", Remove, METH_O, "remove($self, id, /)\n--\n\nTake a body out. The next update ends its pairs." },
	SM_FUNCTION("set_groups", SetMask,
	    "set_groups($self, id, *, groups=1, mask=4294967295)\n--\n\nChange what a body is and what it meets."),
	{ "set_origin", SetOrigin, METH_O,
	    "set_origin($self, origin, /)\n--\n\nMove the origin. The next update looks at everything anew." },
	SM_FUNCTION("set_poses", smScene_SetPoses,
	    "set_poses($self, joints=None, *, frames=None, ids=None, amplitudes=None)\n--\n\n"
	    "Pose many skins at once, on the scene's threads: as set_joints and set_frame of each.\n\n"
	    "joints: float32, (bodies, joints, 3, 4) or (bodies, joints, 4, 4). frames: float64,\n"
	    "(bodies, 7): x, y, z and a quaternion x, y, z, w. ids: of which bodies, none twice;\n"
	    "default 0, 1, 2 and so on. amplitudes: float32, (bodies, fields). If one is refused, the\n"
	    "others are posed, and Error says why.\n\n"
	    ">>> import numpy as np, snugmesh as snug\n"
	    ">>> scene, model = snug.Scene(), snug.box(joints=2)\n"
	    ">>> ids = [scene.add(snug.Body(model)) for _ in range(3)]\n"
	    ">>> frames = np.array([[3 * i, 0, 0, 0, 0, 0, 1.0] for i in ids])\n"
	    ">>> scene.set_poses(np.tile(np.eye(4, dtype=np.float32), (3, 2, 1, 1)), frames=frames)\n"
	    ">>> scene[2].bounds().center\n"
	    "array([6., 0., 0.], dtype=float32)\n"),
	SM_FUNCTION("update", Update,
	    "update($self, *, triangle_pairs=False, contacts=False, depths=False)\n--\n\n"
	    "Find what touches now, and what began and ended since the last update: an Update.\n\n"
	    "triangle_pairs: find all their pairs of triangles, too. contacts: and where they meet: see the method.\n"
	    "depths: and how deep: see find_contacts."),
	SM_FUNCTION("cast_rays", CastRays,
	    "cast_rays($self, rays, *, any=False, mask=4294967295)\n--\n\n"
	    "What each ray hits first among all bodies, as they are now: as snugmesh.cast_rays, and body.\n\n"
	    "rays: float32, (n, 2, 3), relative to the scene's origin. body: an id, or NO_BODY. No update is needed."),
	SM_FUNCTION("find_hits", FindHits,
	    "find_hits($self, ray, *, mask=4294967295)\n--\n\n"
	    "Everything that one ray hits, nearest first: as cast_rays. ray: float32, (2, 3).\n\n"
	    ">>> import numpy as np, snugmesh as snug\n"
	    ">>> scene = snug.Scene()\n"
	    ">>> ids = [scene.add(snug.Body(snug.box())) for _ in range(2)]\n"
	    ">>> scene[1].set_frame((0, 0, 4))\n"
	    ">>> hits = scene.find_hits(np.array([[0.5, 0.25, 8], [0.5, 0.25, -8]], np.float32))\n"
	    ">>> hits['body'].tolist(), hits['position'][:, 2].tolist()\n"
	    "([1, 1, 0, 0], [5.0, 3.0, 1.0, -1.0])\n"),
	SM_FUNCTION("sweep", smScene_Sweep,
	    "sweep($self, ends, *, tolerance=None, margin=0.0, max_time=1.0, max_steps=None, new_only=False,\n"
	    "      turning=False)\n--\n\n"
	    "When bodies first meet on their way from how they are now to another pose each: ids a and b, and their\n"
	    "Sweep. None and None if the way of all is free.\n\n"
	    "ends: a dict, by id: a body of the same model, at the end of the step, which is in no scene. Others rest.\n"
	    "Whom they meet groups, masks and owners say, as for updates; shapes are not looked at, and no body with\n"
	    "itself. The rest as in snugmesh.sweep; each two bodies have max_steps.\n\n"
	    ">>> import snugmesh as snug\n"
	    ">>> scene, model, wall = snug.Scene(), snug.box(0.125), snug.box((0.25, 9, 9))\n"
	    ">>> ids = [scene.add(snug.Body(model)), scene.add(snug.Body(wall), is_static=True)]\n"
	    ">>> end = snug.Body(model)\n"
	    ">>> scene[0].set_frame((-50, 0, 0)), end.set_frame((50, 0, 0))\n"
	    "(None, None)\n"
	    ">>> a, b, found = scene.sweep({0: end})\n"
	    ">>> a, b, found.answer.name, round(found.time, 3)\n"
	    "(0, 1, 'MEETS', 0.496)\n"),
	{ "pairs", GetPairs, METH_NOARGS,
	    "pairs($self)\n--\n\nBodies that touch, sorted: an array with a, b, first, count.\n\n"
	    "a and b are ids; triangle_pairs()[first:first + count] are their triangles." },
	{ "triangle_pairs", GetTrianglePairs, METH_NOARGS,
	    "triangle_pairs($self)\n--\n\nTriangles of all pairs of bodies: uint32, (n, 2). See pairs." },
	{ "contacts", GetContacts, METH_NOARGS,
	    "contacts($self)\n--\n\nWhat update(contacts=True) found: a list of a, b and what find_contacts would give.\n\n"
	    "Of bodies that touch, sorted by their ids; not of shapes, nor of a body with itself.\n\n"
	    ">>> import snugmesh as snug\n"
	    ">>> scene = snug.Scene()\n"
	    ">>> ids = [scene.add(snug.Body(snug.box(size))) for size in (1, 0.5)]\n"
	    ">>> scene[1].set_frame((0.125, 0.25, 1))\n"
	    ">>> update = scene.update(depths=True)\n"
	    ">>> [(a, b, len(found.curves), found.depths.tolist()) for a, b, found in scene.contacts()]\n"
	    "[(0, 1, 1, [0.5])]\n" },
	{ "events", GetEvents, METH_NOARGS,
	    "events($self)\n--\n\nWhat changed at the last update, as pairs of ids: an Events." },
	{ NULL, NULL, 0, NULL },
};

static PyGetSetDef properties[] = {
	{ "nbytes", GetSize, NULL, "bytes that it holds, without its bodies", NULL },
	{ "notes", GetNotes, NULL,
	    "Yours, by pairs of ids: what you put at notes[a, b], a < b, is there while the two touch.", NULL },
	{ "ended_notes", GetNotes, NULL, "What was in notes of pairs that ended with the last update.", (void*)1 },
	{ NULL, NULL, NULL, NULL, NULL },
};

static const char text[] = "Scene(*, threads=1, origin=None)\n--\n\n"
                           "Bodies that come and go. Those that stay as they are cost nearly nothing.\n\n"
                           "A scene gives what collide would give for every pair of its bodies. scene[id] is a body,\n"
                           "len(scene) how many there are. It belongs to one thread at a time, with all its bodies.\n"
                           "threads: how many share the work of updates and rays. Results are the same.\n\n"
                           ">>> import snugmesh as snug\n"
                           ">>> scene, box = snug.Scene(), snug.box()\n"
                           ">>> ids = [scene.add(snug.Body(box)) for _ in range(3)]\n"
                           ">>> for i in ids:\n"
                           "...     scene[i].set_frame((1.5 * i, 0, 0))\n"
                           ">>> scene.update().queries\n"
                           "2\n"
                           ">>> scene.events().begun\n"
                           "array([[0, 1],\n"
                           "       [1, 2]], dtype=uint32)\n"
                           ">>> scene[2].set_frame((9, 0, 0))\n"
                           ">>> update = scene.update(triangle_pairs=True)\n"
                           ">>> scene.events().ended\n"
                           "array([[1, 2]], dtype=uint32)\n"
                           ">>> [(int(p['a']), int(p['b'])) for p in scene.pairs()]\n"
                           "[(0, 1)]\n";

static PyType_Slot slots[] = { { Py_tp_new, New }, { Py_tp_dealloc, Free }, { Py_tp_methods, methods },
	{ Py_tp_getset, properties }, { Py_mp_subscript, GetBody }, { Py_mp_length, GetLength }, { Py_tp_doc, (void*)text },
	{ 0, NULL } };
static PyType_Spec spec = { "snugmesh.Scene", sizeof(smScene), 0, Py_TPFLAGS_DEFAULT, slots };

static PyStructSequence_Field updateFields[] = { { "moved",
	                                                 "bodies that changed since the last update, or were added" },
	{ "candidates", "pairs of bodies whose boxes overlap and of which one moved" },
	{ "queries", "of those, how many were looked at triangle by triangle" },
	{ "kept", "touching pairs that did not change, and so were not looked at" },
	{ "counters", "of all queries together" }, { NULL, NULL } };
static PyStructSequence_Desc updateDescription = { "snugmesh.Update", "What an update of a scene did.", updateFields,
	5 };

static PyStructSequence_Field eventFields[] = { { "begun", "touch now and did not before" },
	{ "persisting", "touched before and still do" }, { "ended", "touched before and do not now" }, { NULL, NULL } };
static PyStructSequence_Desc eventsDescription = { "snugmesh.Events", "Pairs of ids, uint32, (n, 2) each, sorted.",
	eventFields, 3 };

bool smAddScene(PyObject* module)
{
	sceneType = smAddType(module, &spec);
	updateType = smAddTuple(module, &updateDescription);
	eventsType = smAddTuple(module, &eventsDescription);
	return sceneType != NULL && updateType != NULL && eventsType != NULL;
}
