// python/core/model.c: snugmesh.Model.
#include "core.h"

#include <snug/snug_queries.h>
#include <string.h>
#include <structmember.h>

PyTypeObject* smModelType;

static const char* const deformers[] = {
	[snug_rigid] = "rigid",
	[snug_free] = "free",
	[snug_skin] = "skin",
	[snug_fields] = "fields",
};
static const char* const blendings[] = {
	[snug_blendLinear] = "linear",
	[snug_blendSpherical] = "spherical",
	[snug_blendDualQuaternion] = "dual_quaternion",
};
enum
{
	blendingCount = sizeof(blendings) / sizeof(blendings[0]),
	deformerCount = sizeof(deformers) / sizeof(deformers[0])
};

// ---- Making ----------------------------------------------------------------------------------------------------

PyObject* smModel_Wrap(snugModel* model)
{
	smModel* self = smAllocate(smModelType);
	if (self == NULL)
	{
		snugModel_Destroy(model);
		return NULL;
	}
	self->model = model;
	self->info = snugModel_GetInfo(model);
	return (PyObject*)self;
}

bool smReadBlending(const char* name, snugBlending* blending)
{
	for (int i = 0; i < blendingCount; ++i)
	{
		if (strcmp(name, blendings[i]) == 0)
		{
			*blending = (snugBlending)i;
			return true;
		}
	}
	PyErr_Format(PyExc_ValueError, "blending must be 'linear', 'spherical' or 'dual_quaternion', not '%.60s'", name);
	return false;
}

static bool ReadDeformer(const char* name, snugDeformer* deformer)
{
	for (int i = 0; i < deformerCount; ++i)
	{
		if (strcmp(name, deformers[i]) == 0)
		{
			*deformer = (snugDeformer)i;
			return true;
		}
	}
	PyErr_Format(PyExc_ValueError, "deformer must be 'rigid', 'free', 'skin' or 'fields', not '%.60s'", name);
	return false;
}

// What the constructor was given. Arrays are held while the model is made.
typedef struct Sources
{
	PyObject *positions, *triangles, *joints, *weights, *jointCount, *starts, *jointPositions;
	PyObject *fields, *fieldStarts, *fieldNumbers, *fieldCount, *frequencies;
	smArray arrays[10];
	int held;
	snugModelDef def;
} Sources;

static smArray* Hold(Sources* s, PyObject* object, const char* name, smKind kind, smShape shape)
{
	smArray* array = s->arrays + s->held;
	s->held += smArray_Take(array, object, name, kind, shape);
	return array->isHeld ? array : NULL;
}

static smArray* HoldPacked(Sources* s, PyObject* object, const char* name, smKind kind, smShape shape)
{
	smArray* array = s->arrays + s->held;
	s->held += smArray_TakePacked(array, object, name, kind, shape);
	return array->isHeld ? array : NULL;
}

// One more than the largest number, unless it is given.
static bool CountNumbers(PyObject* object, const char* name, const smArray* numbers, uint32_t* count)
{
	if (object != Py_None)
	{
		return smReadCount(object, name, 0, UINT32_MAX, count);
	}
	const uint16_t* number = numbers->data;
	*count = 0;
	for (size_t i = 0; i < (size_t)numbers->view.len / sizeof(uint16_t); ++i)
	{
		*count = number[i] >= *count ? number[i] + 1u : *count;
	}
	return true;
}

// Where the entries of each vertex begin: ascending, from zero to the number of entries.
static const uint32_t* ReadStarts(Sources* s, PyObject* object, const char* name, uint32_t entryCount)
{
	const smShape shape = { 1, { (Py_ssize_t)s->def.vertexCount + 1 } };
	const smArray* array = HoldPacked(s, object, name, sm_uint32, shape);
	if (array == NULL)
	{
		return NULL;
	}
	const uint32_t* starts = array->data;
	bool good = starts[0] == 0 && starts[s->def.vertexCount] == entryCount;
	for (uint32_t i = 0; i < s->def.vertexCount && good; ++i)
	{
		good = starts[i] <= starts[i + 1];
	}
	if (!good)
	{
		PyErr_Format(
		    PyExc_ValueError, "%s must ascend from 0 to the number of entries, %lu", name, (unsigned long)entryCount);
		return NULL;
	}
	return starts;
}

static bool ReadMesh(Sources* s)
{
	const smShape threes = { 2, { -1, 3 } };
	const smArray* positions = Hold(s, s->positions, "positions", sm_float32, threes);
	const smArray* triangles = positions != NULL ? Hold(s, s->triangles, "triangles", sm_uint32, threes) : NULL;
	if (triangles == NULL)
	{
		return false;
	}
	s->def.positions = positions->data;
	s->def.vertexCount = positions->count;
	s->def.positionStride = positions->stride;
	s->def.triangles = triangles->data;
	s->def.triangleCount = triangles->count;
	s->def.triangleStride = triangles->stride;
	return true;
}

static bool ReadJointPositions(Sources* s)
{
	if (s->jointPositions == Py_None)
	{
		return true;
	}
	const smShape shape = { 2, { (Py_ssize_t)s->def.skin.jointCount, 3 } };
	const smArray* places = HoldPacked(s, s->jointPositions, "joint_positions", sm_float32, shape);
	s->def.skin.jointPositions = places != NULL ? places->data : NULL;
	return places != NULL;
}

// Joints and weights: a row per vertex or, with starts, as many as there are.
static bool ReadSkin(Sources* s)
{
	bool isSparse = s->starts != Py_None;
	smShape shape = isSparse ? (smShape){ 1, { -1 } } : (smShape){ 2, { (Py_ssize_t)s->def.vertexCount, -1 } };
	if (s->joints == Py_None || s->weights == Py_None)
	{
		PyErr_SetString(PyExc_ValueError, "a skin needs both joints and weights");
		return false;
	}
	const smArray* joints = HoldPacked(s, s->joints, "joints", sm_uint16, shape);
	if (joints == NULL)
	{
		return false;
	}
	memcpy(shape.lengths, joints->view.shape, (size_t)shape.dimensions * sizeof(Py_ssize_t));
	const smArray* weights = HoldPacked(s, s->weights, "weights", sm_float32, shape);
	if (weights == NULL || !CountNumbers(s->jointCount, "joint_count", joints, &s->def.skin.jointCount))
	{
		return false;
	}
	s->def.skin.joints = joints->data;
	s->def.skin.weights = weights->data;
	s->def.skin.influencesPerVertex = isSparse ? 0 : (uint32_t)shape.lengths[1];
	s->def.skin.starts = isSparse ? ReadStarts(s, s->starts, "influence_starts", joints->count) : NULL;
	return (!isSparse || s->def.skin.starts != NULL) && ReadJointPositions(s);
}

static bool ReadSparseFields(Sources* s)
{
	const smArray* displacements = HoldPacked(s, s->fields, "fields", sm_float32, (smShape){ 2, { -1, 3 } });
	if (displacements == NULL)
	{
		return false;
	}
	const smShape shape = { 1, { (Py_ssize_t)displacements->count } };
	if (s->fieldNumbers == Py_None)
	{
		PyErr_SetString(PyExc_ValueError, "field_starts needs field_numbers: the field of each displacement");
		return false;
	}
	const smArray* numbers = HoldPacked(s, s->fieldNumbers, "field_numbers", sm_uint16, shape);
	if (numbers == NULL || !CountNumbers(s->fieldCount, "field_count", numbers, &s->def.fields.fieldCount))
	{
		return false;
	}
	s->def.fields.displacements = displacements->data;
	s->def.fields.fields = numbers->data;
	s->def.fields.starts = ReadStarts(s, s->fieldStarts, "field_starts", displacements->count);
	return s->def.fields.starts != NULL;
}

static bool ReadDenseFields(Sources* s)
{
	const smShape shape = { 3, { -1, (Py_ssize_t)s->def.vertexCount, 3 } };
	const smArray* displacements = HoldPacked(s, s->fields, "fields", sm_float32, shape);
	if (displacements == NULL)
	{
		return false;
	}
	s->def.fields.displacements = displacements->data;
	s->def.fields.fieldCount = displacements->count;
	return true;
}

static bool ReadFields(Sources* s)
{
	if (!(s->fieldStarts != Py_None ? ReadSparseFields(s) : ReadDenseFields(s)))
	{
		return false;
	}
	if (s->frequencies == Py_None)
	{
		return true;
	}
	const smShape shape = { 1, { (Py_ssize_t)s->def.fields.fieldCount } };
	const smArray* frequencies = HoldPacked(s, s->frequencies, "frequencies", sm_float32, shape);
	s->def.fields.frequencies = frequencies != NULL ? frequencies->data : NULL;
	return frequencies != NULL;
}

static bool ReadSources(Sources* s, const char* deformer, const char* blending)
{
	bool isSkin = s->joints != Py_None || s->weights != Py_None, hasFields = s->fields != Py_None;
	s->def.deformer = isSkin ? snug_skin : hasFields ? snug_fields : snug_rigid;
	if (deformer != NULL && !ReadDeformer(deformer, &s->def.deformer))
	{
		return false;
	}
	if (blending != NULL && !smReadBlending(blending, &s->def.skin.blending))
	{
		return false;
	}
	const snugDeformer chosen = s->def.deformer;
	bool takesSkin = chosen == snug_skin;
	if (takesSkin != isSkin || (hasFields && !takesSkin && chosen != snug_fields) ||
	    (chosen == snug_fields && !hasFields))
	{
		PyErr_Format(PyExc_ValueError, "a model of deformer '%s' %s", deformers[chosen],
		    takesSkin                             ? "needs joints and weights"
		    : chosen == snug_fields && !hasFields ? "needs fields"
		    : isSkin                              ? "takes no joints and weights"
		                                          : "takes no fields");
		return false;
	}
	if (s->frequencies != Py_None && !hasFields)
	{
		PyErr_SetString(PyExc_ValueError, "frequencies are of fields, and there are none");
		return false;
	}
	return ReadMesh(s) && (!isSkin || ReadSkin(s)) && (!hasFields || ReadFields(s));
}

static PyObject* Create(snugModelDef* def)
{
	smListener listener = { .warningCount = 0 };
	snugModel* model = NULL;
	snugStatus status;
	def->messenger = (snugMessenger){ smListen, &listener };
	Py_BEGIN_ALLOW_THREADS;
	status = snugModel_Create(def, &model);
	Py_END_ALLOW_THREADS;
	if (status != snug_success)
	{
		return smFail(status, &listener.error);
	}
	if (!smListener_Warn(&listener))
	{
		snugModel_Destroy(model);
		return NULL;
	}
	return smModel_Wrap(model);
}

static PyObject* New(PyTypeObject* type, PyObject* arguments, PyObject* keywords)
{
	static char* names[] = { "positions", "triangles", "deformer", "joints", "weights", "joint_count",
		"influence_starts", "joint_positions", "fields", "field_starts", "field_numbers", "field_count", "frequencies",
		"threads", "blending", "certificates", NULL };
	Sources s = { .joints = Py_None, .weights = Py_None, .jointCount = Py_None, .starts = Py_None };
	const char *deformer = NULL, *blending = NULL;
	PyObject* threads = Py_None;
	uint32_t threadCount;
	int certificates = 0;
	(void)type; // the only one of its kind
	s.jointPositions = s.fields = s.fieldStarts = s.fieldNumbers = s.fieldCount = s.frequencies = Py_None;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|$zOOOOOOOOOOOzp:Model", names, &s.positions, &s.triangles,
	        &deformer, &s.joints, &s.weights, &s.jointCount, &s.starts, &s.jointPositions, &s.fields, &s.fieldStarts,
	        &s.fieldNumbers, &s.fieldCount, &s.frequencies, &threads, &blending, &certificates) ||
	    !smReadThreads(threads != Py_None ? threads : NULL, &threadCount))
	{
		return NULL;
	}
	s.def.certificates = certificates != 0;
	s.def.workers = smWorkersOf(&threadCount);
	PyObject* model = ReadSources(&s, deformer, blending) ? Create(&s.def) : NULL;
	while (s.held > 0)
	{
		smArray_Release(s.arrays + --s.held);
	}
	return model;
}

static void Free(PyObject* object)
{
	snugModel_Destroy(((smModel*)object)->model);
	smFree(object);
}

// ---- Files -----------------------------------------------------------------------------------------------------

static PyObject* Finish(snugStatus status, snugModel* model, const smText* said)
{
	return status == snug_success ? smModel_Wrap(model) : smFail(status, said);
}

static PyObject* Load(PyObject* type, PyObject* name)
{
	PyObject* path;
	smText said = { "" };
	(void)type;
	if (!PyUnicode_FSConverter(name, &path))
	{
		return NULL;
	}
	const char* text = PyBytes_AsString(path);
	const snugLoadDef def = { .messenger = { smRemember, &said } };
	snugModel* model = NULL;
	snugStatus status;
	Py_BEGIN_ALLOW_THREADS;
	status = snugModel_LoadFile(text, &def, &model);
	Py_END_ALLOW_THREADS;
	Py_DECREF(path);
	return Finish(status, model, &said);
}

static PyObject* FromBytes(PyObject* type, PyObject* bytes)
{
	Py_buffer view;
	smText said = { "" };
	(void)type;
	if (PyObject_GetBuffer(bytes, &view, PyBUF_SIMPLE) != 0)
	{
		return NULL;
	}
	const snugLoadDef def = { .messenger = { smRemember, &said } };
	snugModel* model = NULL;
	snugStatus status;
	Py_BEGIN_ALLOW_THREADS;
	status = snugModel_LoadMemory(view.len > 0 ? view.buf : "", (size_t)view.len, &def, &model);
	Py_END_ALLOW_THREADS;
	PyBuffer_Release(&view);
	return Finish(status, model, &said);
}

static PyObject* Save(PyObject* object, PyObject* name)
{
	PyObject* path;
	if (!PyUnicode_FSConverter(name, &path))
	{
		return NULL;
	}
	const snugModel* model = ((smModel*)object)->model;
	const char* text = PyBytes_AsString(path);
	snugStatus status;
	Py_BEGIN_ALLOW_THREADS;
	status = snugModel_SaveFile(model, text);
	Py_END_ALLOW_THREADS;
	Py_DECREF(path);
	if (status == snug_ioError)
	{
		return PyErr_Format(PyExc_OSError, "%R cannot be written", name);
	}
	return status == snug_success ? Py_NewRef(Py_None) : smFail(status, NULL);
}

static PyObject* ToBytes(PyObject* object, PyObject* nothing)
{
	(void)nothing;
	size_t count;
	const void* block = snugModel_GetBlock(((smModel*)object)->model, &count);
	return PyBytes_FromStringAndSize(block, (Py_ssize_t)count);
}

// For pickle, and so for processes that work for this one.
static PyObject* Reduce(PyObject* object, PyObject* nothing)
{
	PyObject* maker = PyObject_GetAttrString((PyObject*)smModelType, "from_bytes");
	PyObject* bytes = maker != NULL ? ToBytes(object, nothing) : NULL;
	PyObject* result = bytes != NULL ? Py_BuildValue("O(O)", maker, bytes) : NULL;
	Py_XDECREF(maker);
	Py_XDECREF(bytes);
	return result;
}

// ---- What it holds ---------------------------------------------------------------------------------------------

static PyObject* GetPositions(PyObject* object, PyObject* nothing)
{
	const smModel* self = (smModel*)object;
	const Py_ssize_t lengths[2] = { self->info.vertexCount, 3 };
	void* data;
	(void)nothing;
	PyObject* array = smNewArray(sm_typeFloat32, 2, lengths, &data);
	if (array != NULL)
	{
		snugModel_GetPositions(self->model, data, 0);
	}
	return array;
}

static PyObject* GetTriangles(PyObject* object, PyObject* nothing)
{
	const smModel* self = (smModel*)object;
	const Py_ssize_t lengths[2] = { self->info.triangleCount, 3 };
	void* data;
	(void)nothing;
	PyObject* array = smNewArray(sm_typeUint32, 2, lengths, &data);
	if (array != NULL)
	{
		snugModel_GetTriangles(self->model, data, 0);
	}
	return array;
}

// Sparse rows: where those of each vertex begin, a number and a value each.
static PyObject* MakeRows(
    const smModel* self, uint32_t count, Py_ssize_t width, void** starts, void** numbers, void** values)
{
	const Py_ssize_t startLength = (Py_ssize_t)self->info.vertexCount + 1, lengths[2] = { count, width };
	return Py_BuildValue("NNN", smNewArray(sm_typeUint32, 1, &startLength, starts),
	    smNewArray(sm_typeUint16, 1, lengths, numbers), smNewArray(sm_typeFloat32, width > 1 ? 2 : 1, lengths, values));
}

static PyObject* GetWeights(PyObject* object, PyObject* nothing)
{
	const smModel* self = (smModel*)object;
	void *starts, *joints, *weights;
	(void)nothing;
	PyObject* rows = MakeRows(self, self->info.influenceCount, 1, &starts, &joints, &weights);
	if (rows != NULL)
	{
		snugModel_GetWeights(self->model, starts, joints, weights);
	}
	return rows;
}

static PyObject* GetFields(PyObject* object, PyObject* nothing)
{
	const smModel* self = (smModel*)object;
	void *starts, *fields, *displacements;
	(void)nothing;
	PyObject* rows = MakeRows(self, self->info.displacementCount, 3, &starts, &fields, &displacements);
	if (rows != NULL)
	{
		snugModel_GetFields(self->model, starts, fields, displacements);
	}
	return rows;
}

static PyObject* GetJointPositions(PyObject* object, PyObject* nothing)
{
	const smModel* self = (smModel*)object;
	uint32_t count;
	void* data;
	(void)nothing;
	snugModel_GetJointPositions(self->model, NULL, 0, &count);
	const Py_ssize_t lengths[2] = { count, 3 };
	PyObject* array = smNewArray(sm_typeFloat32, 2, lengths, &data);
	if (array != NULL && lengths[0] > 0)
	{
		snugModel_GetJointPositions(self->model, data, count, &count);
	}
	return array;
}

static PyObject* GetFrequencies(PyObject* object, PyObject* nothing)
{
	const snugModel* model = ((smModel*)object)->model;
	uint32_t count;
	void* data;
	(void)nothing;
	snugModel_GetFrequencies(model, NULL, 0, &count);
	const Py_ssize_t length = count;
	PyObject* array = smNewArray(sm_typeFloat32, 1, &length, &data);
	if (array != NULL && length > 0)
	{
		snugModel_GetFrequencies(model, data, count, &count);
	}
	return array;
}

static PyObject* GetNodeTriangles(PyObject* object, PyObject* given)
{
	const smModel* self = (smModel*)object;
	uint32_t node, count;
	if (!smReadCount(given, "node", 0, UINT32_MAX, &node))
	{
		return NULL;
	}
	snugModel_GetNodeTriangles(self->model, node, NULL, 0, &count);
	const Py_ssize_t length = count;
	void* data;
	if (length == 0 && node != 0) // only the root of a model without triangles has none
	{
		return PyErr_Format(PyExc_IndexError, "there is no node %lu", (unsigned long)node);
	}
	PyObject* array = smNewArray(sm_typeUint32, 1, &length, &data);
	if (array != NULL && length > 0)
	{
		snugModel_GetNodeTriangles(self->model, node, data, count, &count);
	}
	return array;
}

static PyObject* GetTwins(PyObject* object, PyObject* nothing)
{
	const smModel* self = (smModel*)object;
	const Py_ssize_t length = self->info.vertexCount;
	void* data;
	(void)nothing;
	PyObject* array = smNewArray(sm_typeUint32, 1, &length, &data);
	const snugStatus status = array != NULL ? snugModel_GetTwins(self->model, data) : snug_success;
	if (status != snug_success)
	{
		Py_CLEAR(array);
		smFail(status, NULL);
	}
	return array;
}

static PyObject* CountOpenEdges(PyObject* object, PyObject* nothing)
{
	uint64_t count = 0;
	(void)nothing;
	snugStatus status = snugModel_CountOpenEdges(((smModel*)object)->model, &count);
	return status == snug_success ? PyLong_FromUnsignedLongLong(count) : smFail(status, NULL);
}

static PyObject* GetDeformer(PyObject* object, void* nothing)
{
	(void)nothing;
	return PyUnicode_FromString(deformers[((smModel*)object)->info.deformer]);
}

static PyObject* GetBlending(PyObject* object, void* closure)
{
	const snugModelInfo* info = &((smModel*)object)->info;
	(void)closure;
	return info->deformer == snug_skin ? PyUnicode_FromString(blendings[info->blending]) : Py_NewRef(Py_None);
}

static PyObject* Represent(PyObject* object)
{
	const snugModelInfo* info = &((smModel*)object)->info;
	return PyUnicode_FromFormat("<snugmesh.Model: %s, %lu vertices, %lu triangles, %lu joints, %lu fields>",
	    deformers[info->deformer], (unsigned long)info->vertexCount, (unsigned long)info->triangleCount,
	    (unsigned long)info->jointCount, (unsigned long)info->fieldCount);
}

// ---- The type --------------------------------------------------------------------------------------------------

#define COUNT(name, member, text)                                                \
	{                                                                            \
		name, T_UINT, (Py_ssize_t)offsetof(smModel, info.member), READONLY, text \
	}

static PyMemberDef members[] = {
	COUNT("vertex_count", vertexCount, NULL),
	COUNT("triangle_count", triangleCount, NULL),
	COUNT("joint_count", jointCount, "of a skin"),
	COUNT("field_count", fieldCount, "displacement fields: morph targets, modes, components"),
	COUNT("influence_count", influenceCount, "of a skin, all vertices together, after repair"),
	COUNT("max_influences", maxInfluences, "of a skin, most per vertex"),
	COUNT("displacement_count", displacementCount, "that are not zero, of all fields and vertices together"),
	COUNT("node_count", nodeCount, "nodes of the bounding tree, leaves included"),
	COUNT("leaf_count", leafCount, NULL),
	COUNT("depth", depth, "level of the deepest node; the root's is 0"),
	{ "nbytes", T_PYSSIZET, (Py_ssize_t)offsetof(smModel, info.bytes), READONLY, "size of the model, as saved" },
	{ "certificate_bytes", T_PYSSIZET, (Py_ssize_t)offsetof(smModel, info.certificateBytes), READONLY,
	    "of those, what certificates=True asked for; zero: there is none" },
	{ NULL, 0, 0, 0, NULL },
};

static PyGetSetDef properties[] = {
	{ "deformer", GetDeformer, NULL, "how its vertices move, as the constructor calls it", NULL },
	{ "blending", GetBlending, NULL, "how a skin blends its joints, as the constructor calls it; else None", NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};

static PyMethodDef methods[] = {
	{ "positions", GetPositions, METH_NOARGS,
	    "positions($self)\n--\n\nRest positions: float32, (vertices, 3). A copy." },
	{ "triangles", GetTriangles, METH_NOARGS,
	    "triangles($self)\n--\n\nVertices of each triangle: uint32, (triangles, 3). A copy." },
	{ "weights", GetWeights, METH_NOARGS,
	    "weights($self)\n--\n\nWeights of a skin as they are used: starts, joints, weights.\n\n"
	    "Influences of vertex v are number starts[v] to starts[v + 1] - 1. Weights are divided by\n"
	    "their sum, none is zero, each joint comes once per vertex." },
	{ "fields", GetFields, METH_NOARGS,
	    "fields($self)\n--\n\nDisplacements as they are used: starts, fields, displacements.\n\n"
	    "Those of vertex v are number starts[v] to starts[v + 1] - 1; none is zero." },
	{ "joint_positions", GetJointPositions, METH_NOARGS,
	    "joint_positions($self)\n--\n\nWhere joints are at rest: float32, (joints, 3).\n\n"
	    "Only skins that turn their joints know; others give an empty array." },
	{ "frequencies", GetFrequencies, METH_NOARGS,
	    "frequencies($self)\n--\n\nFrequencies of vibration modes, in hertz: float32, (fields,).\n\n"
	    "Empty where the model was made without." },
	{ "node_triangles", GetNodeTriangles, METH_O,
	    "node_triangles($self, node, /)\n--\n\nTriangles below a node of its tree: uint32, (n,).\n\n"
	    "Nodes are those of Body.boxes and Search.frontier.\n\n"
	    ">>> import snugmesh as snug\n"
	    ">>> sorted(snug.box().node_triangles(0).tolist()) == list(range(12))\n"
	    "True\n" },
	{ "twins", GetTwins, METH_NOARGS,
	    "twins($self)\n--\n\nFor each vertex the smallest number of one that is the same point in every pose." },
	{ "count_open_edges", CountOpenEdges, METH_NOARGS,
	    "count_open_edges($self)\n--\n\nEdges that an odd number of triangles have. Zero: the surface is closed." },
	{ "to_bytes", ToBytes, METH_NOARGS,
	    "to_bytes($self)\n--\n\nIts bytes, for from_bytes: the same on every machine.\n\n"
	    ">>> import snugmesh as snug\n"
	    ">>> model = snug.box()\n"
	    ">>> snug.Model.from_bytes(model.to_bytes())\n"
	    "<snugmesh.Model: rigid, 8 vertices, 12 triangles, 0 joints, 0 fields>\n" },
	{ "from_bytes", FromBytes, METH_O | METH_CLASS,
	    "from_bytes($type, data, /)\n--\n\nA model from what to_bytes gave. Damaged bytes raise Error." },
	{ "save", Save, METH_O,
	    "save($self, path, /)\n--\n\nWrite it to a file, whole or not at all. The program snug reads it, too." },
	{ "load", Load, METH_O | METH_CLASS,
	    "load($type, path, /)\n--\n\nA model from a file that save, `snug pack`, `snug modes` or `snug reduce` "
	    "wrote." },
	{ "__reduce__", Reduce, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};

static const char text[] =
    "Model(positions, triangles, *, deformer=None, joints=None, weights=None, joint_count=None,\n"
    "      influence_starts=None, joint_positions=None, fields=None, field_starts=None,\n"
    "      field_numbers=None, field_count=None, frequencies=None, threads=1, blending=None, "
    "certificates=False)\n--\n\n"
    "A mesh, how it deforms, and a bounding tree over it. It never changes; bodies share it.\n\n"
    "positions: float32, (vertices, 3), at rest.  triangles: uint32 or int32, (triangles, 3).\n"
    "joints, weights: uint16 and float32, (vertices, k): which joints move each vertex, and how\n"
    "much. With influence_starts (vertices + 1) they have one dimension, and those of vertex v\n"
    "are number influence_starts[v] to influence_starts[v + 1] - 1. joint_count: one more than\n"
    "the largest joint unless given. joint_positions: float32, (joints, 3), at rest.\n"
    "fields: float32, (fields, vertices, 3): morph targets, modes, principal components. With\n"
    "field_starts they are sparse: displacements (n, 3), and the field of each in field_numbers.\n"
    "frequencies: float32, (fields,), of modes, in hertz: kept for simulations.\n"
    "certificates: of fields: store by how much the body may bend and is known not to meet itself.\n"
    "deformer: 'rigid', 'free', 'skin' or 'fields';\n"
    "'skin' with joints, else 'fields' with fields, else 'rigid'.\n"
    "blending: how a skin blends its joints: 'linear' unless given, 'spherical' or 'dual_quaternion'.\n"
    "threads: how many share the work of making it, of which up to 8 are of use. The model is the\n"
    "same, bit for bit.\n\n"
    "Types are not converted: see snugmesh.model, which does that.\n\n"
    ">>> import numpy as np, snugmesh as snug\n"
    ">>> positions = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)\n"
    ">>> triangles = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], np.uint32)\n"
    ">>> snug.Model(positions, triangles)\n"
    "<snugmesh.Model: rigid, 4 vertices, 4 triangles, 0 joints, 0 fields>\n"
    ">>> joints = np.array([[0, 0], [0, 1], [0, 1], [0, 1]], np.uint16)\n"
    ">>> weights = np.array([[1, 0], [.5, .5], [.5, .5], [0, 1]], np.float32)\n"
    ">>> snug.Model(positions, triangles, joints=joints, weights=weights)\n"
    "<snugmesh.Model: skin, 4 vertices, 4 triangles, 2 joints, 0 fields>\n"
    ">>> snug.Model(positions, triangles[:, ::-1])\n"
    "Traceback (most recent call last):\n"
    "    ...\n"
    "ValueError: triangles must lie in memory row by row, aligned and ascending: numpy.ascontiguousarray copies it "
    "so\n";

static PyType_Slot slots[] = { { Py_tp_new, New }, { Py_tp_dealloc, Free }, { Py_tp_repr, Represent },
	{ Py_tp_methods, methods }, { Py_tp_members, members }, { Py_tp_getset, properties }, { Py_tp_doc, (void*)text },
	{ 0, NULL } };
static PyType_Spec spec = { "snugmesh.Model", sizeof(smModel), 0, Py_TPFLAGS_DEFAULT, slots };

bool smAddModel(PyObject* module)
{
	smModelType = smAddType(module, &spec);
	return smModelType != NULL;
}
