// python/core/file.c: files of meshes in motion: what becomes a body, and what it looks like at a time. snugmesh.File
// and snugmesh.Actor (files.py) are made of it.
#include "core.h"

#include "io/asset.h"
#include "io/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static PyTypeObject *fileType, *poseType;

typedef struct File
{
	PyObject_HEAD ioAsset asset;
} File;

typedef struct Pose
{
	PyObject_HEAD File* file; ///< owned
	ioPose* pose;
	atomic_bool isBusy;
} Pose;

// ---- Loading ---------------------------------------------------------------------------------------------------

static void HearWarning(void* user, const char* text)
{
	smListen(user, snug_warning, text);
}

static PyObject* NewFile(PyTypeObject* type, PyObject* arguments, PyObject* keywords)
{
	static char* names[] = { "path", NULL };
	PyObject* path;
	if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&:File", names, PyUnicode_FSConverter, &path))
	{
		return NULL;
	}
	File* self = smAllocate(type);
	smListener listener = { .warningCount = 0 };
	const ioLoadOptions options = { .warning = HearWarning, .user = &listener };
	const char* name = PyBytes_AsString(path);
	ioError error;
	bool good = self != NULL;
	if (good)
	{
		Py_BEGIN_ALLOW_THREADS;
		good = ioLoad(name, &options, &self->asset, &error);
		Py_END_ALLOW_THREADS;
		if (!good)
		{
			smListen(&listener, snug_error, error.text);
			smFail(snug_badFile, &listener.error);
		}
	}
	Py_DECREF(path);
	if (!good || !smListener_Warn(&listener))
	{
		Py_XDECREF((PyObject*)self);
		return NULL;
	}
	return (PyObject*)self;
}

static void FreeFile(PyObject* object)
{
	ioAsset_Free(&((File*)object)->asset);
	smFree(object);
}

// ---- What is in it ---------------------------------------------------------------------------------------------

static const ioInstance* FindInstance(const ioAsset* asset, unsigned long number)
{
	if (number >= asset->instanceCount)
	{
		PyErr_Format(PyExc_IndexError, "there is no instance %lu: the file has %lu", number,
		    (unsigned long)asset->instanceCount);
		return NULL;
	}
	return asset->instances + number;
}

// A mesh without triangles may have a skin and no influences.
static const ioSkin* GetSkin(const ioAsset* asset, const ioInstance* instance)
{
	bool isSkinned = instance->skin != IO_NONE && asset->meshes[instance->mesh].influenceStart != NULL;
	return isSkinned ? asset->skins + instance->skin : NULL;
}

static bool IsMovedByClip(const ioAsset* asset, const ioClip* clip, uint32_t node)
{
	for (uint32_t at = node; at != IO_NONE; at = asset->nodes[at].parent)
	{
		for (uint32_t i = 0; i < clip->channelCount; ++i)
		{
			if (clip->channels[i].node == at && clip->channels[i].path != io_weights)
			{
				return true;
			}
		}
	}
	return false;
}

// Whether any clip moves a node or what it hangs on.
static bool IsMoved(const ioAsset* asset, uint32_t node)
{
	for (uint32_t i = 0; i < asset->clipCount; ++i)
	{
		if (IsMovedByClip(asset, asset->clips + i, node))
		{
			return true;
		}
	}
	return false;
}

// name, vertices, triangles, joints, targets, is moved
static PyObject* DescribeInstance(PyObject* object, PyObject* given)
{
	const ioAsset* asset = &((File*)object)->asset;
	unsigned long number = PyLong_AsUnsignedLong(given);
	const ioInstance* instance = PyErr_Occurred() == NULL ? FindInstance(asset, number) : NULL;
	if (instance == NULL)
	{
		return NULL;
	}
	const ioAssetMesh* mesh = asset->meshes + instance->mesh;
	const ioSkin* skin = GetSkin(asset, instance);
	return Py_BuildValue("sIIIIN", instance->name, mesh->mesh.vertexCount, mesh->mesh.triangleCount,
	    skin != NULL ? skin->jointCount : 0u, mesh->targetCount, PyBool_FromLong(IsMoved(asset, instance->node)));
}

// name, start, end
static PyObject* DescribeClip(PyObject* object, PyObject* given)
{
	const ioAsset* asset = &((File*)object)->asset;
	unsigned long number = PyLong_AsUnsignedLong(given);
	if (PyErr_Occurred() != NULL || number >= asset->clipCount)
	{
		return PyErr_Occurred() != NULL ? NULL : PyErr_Format(PyExc_IndexError, "there is no clip %lu", number);
	}
	const ioClip* clip = asset->clips + number;
	return Py_BuildValue("sdd", clip->name, clip->start, clip->duration);
}

static PyObject* GetInstanceCount(PyObject* object, void* nothing)
{
	(void)nothing;
	return PyLong_FromUnsignedLong(((File*)object)->asset.instanceCount);
}

static PyObject* GetClipCount(PyObject* object, void* nothing)
{
	(void)nothing;
	return PyLong_FromUnsignedLong(((File*)object)->asset.clipCount);
}

// Names of joints, or of morph targets.
static PyObject* ListNames(PyObject* object, PyObject* arguments)
{
	const ioAsset* asset = &((File*)object)->asset;
	unsigned long number;
	int isJoints;
	const ioInstance* instance =
	    PyArg_ParseTuple(arguments, "kp", &number, &isJoints) ? FindInstance(asset, number) : NULL;
	if (instance == NULL)
	{
		return NULL;
	}
	const ioAssetMesh* mesh = asset->meshes + instance->mesh;
	const ioSkin* skin = GetSkin(asset, instance);
	uint32_t count = !isJoints ? mesh->targetCount : skin != NULL ? skin->jointCount : 0;
	PyObject* names = PyTuple_New(count);
	for (uint32_t i = 0; names != NULL && i < count; ++i)
	{
		const char* text = isJoints ? asset->nodes[skin->joints[i]].name : mesh->targets[i].name;
		PyObject* name = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
		if (name == NULL || PyTuple_SetItem(names, (Py_ssize_t)i, name) != 0)
		{
			Py_CLEAR(names);
		}
	}
	return names;
}

// ---- Models ----------------------------------------------------------------------------------------------------

// One joint for all vertices: the instance's own matrix, which may scale and shear.
static bool UseOneJoint(snugModelDef* def, uint16_t** joints, float** weights)
{
	size_t count = def->vertexCount;
	*joints = calloc(count + 1, sizeof(uint16_t));
	*weights = malloc((count + 1) * sizeof(float));
	for (size_t i = 0; *weights != NULL && i < count; ++i)
	{
		(*weights)[i] = 1.0f;
	}
	def->deformer = snug_skin;
	def->skin = (snugSkinDef){ .jointCount = 1, .influencesPerVertex = 1, .joints = *joints, .weights = *weights };
	return *joints != NULL && *weights != NULL;
}

static snugModelDef DescribeMesh(const ioAssetMesh* mesh, const ioSkin* skin, const ioRig* rig, snugDeformer deformer)
{
	snugModelDef def = { .positions = mesh->mesh.positions,
		.vertexCount = mesh->mesh.vertexCount,
		.triangles = mesh->mesh.triangles,
		.triangleCount = mesh->mesh.triangleCount,
		.deformer = skin != NULL           ? deformer
		            : rig->targetCount > 0 ? snug_fields
		                                   : snug_rigid };
	def.fields = (snugFieldsDef){
		.fieldCount = rig->targetCount, .starts = rig->starts, .fields = rig->targets, .displacements = rig->deltas
	};
	if (skin != NULL)
	{
		def.skin = (snugSkinDef){ .jointCount = skin->jointCount,
			.starts = mesh->influenceStart,
			.joints = mesh->joints,
			.weights = mesh->weights,
			.jointPositions = rig->jointPositions };
	}
	return def;
}

static PyObject* MakeModel(PyObject* object, PyObject* arguments)
{
	const ioAsset* asset = &((File*)object)->asset;
	unsigned long number;
	const char* name;
	int hasJoint, hasTargets;
	snugDeformer deformer;
	ioRig rig;
	const ioInstance* instance =
	    PyArg_ParseTuple(arguments, "kspp", &number, &name, &hasJoint, &hasTargets) && smReadDeformer(name, &deformer)
	        ? FindInstance(asset, number)
	        : NULL;
	if (instance == NULL)
	{
		return NULL;
	}
	const ioAssetMesh* mesh = asset->meshes + instance->mesh;
	const ioSkin* skin = GetSkin(asset, instance);
	if (!ioRig_Make(&rig, mesh, skin, hasTargets != 0))
	{
		return PyErr_NoMemory();
	}
	snugModelDef def = DescribeMesh(mesh, skin, &rig, deformer);
	uint16_t* joints = NULL;
	float* weights = NULL;
	bool good = skin != NULL || !hasJoint || UseOneJoint(&def, &joints, &weights);
	PyObject* model = good ? smModel_Create(&def) : PyErr_NoMemory();
	free(joints);
	free(weights);
	ioRig_Free(&rig);
	return model;
}

// ---- Poses -----------------------------------------------------------------------------------------------------

static PyObject* MakePose(PyObject* object, PyObject* nothing)
{
	Pose* self = smAllocate(poseType);
	(void)nothing;
	if (self == NULL)
	{
		return NULL;
	}
	self->file = (File*)Py_NewRef(object);
	self->pose = ioPose_Create(&self->file->asset);
	if (self->pose == NULL)
	{
		Py_DECREF(self);
		return PyErr_NoMemory();
	}
	return (PyObject*)self;
}

static void FreePose(PyObject* object)
{
	Pose* self = (Pose*)object;
	ioPose_Destroy(self->pose);
	Py_XDECREF((PyObject*)self->file);
	smFree(object);
}

// A clip below zero is rest.
static PyObject* Evaluate(PyObject* object, PyObject* arguments)
{
	Pose* self = (Pose*)object;
	long clip;
	double time;
	if (!PyArg_ParseTuple(arguments, "ld", &clip, &time))
	{
		return NULL;
	}
	if (clip >= (long)self->file->asset.clipCount || !isfinite(time))
	{
		PyErr_SetString(PyExc_ValueError, "there is no such clip, or the time is not finite");
		return NULL;
	}
	if (!smAcquire(&self->isBusy, "pose"))
	{
		return NULL;
	}
	ioPose_Evaluate(self->pose, clip < 0 ? IO_NONE : (uint32_t)clip, time);
	smRelease(&self->isBusy);
	Py_RETURN_NONE;
}

static Pose* TakePose(PyObject* object, PyObject* given, const ioInstance** instance, uint32_t* number)
{
	Pose* self = (Pose*)object;
	unsigned long value = PyLong_AsUnsignedLong(given);
	*instance = PyErr_Occurred() == NULL ? FindInstance(&self->file->asset, value) : NULL;
	*number = (uint32_t)value;
	return *instance != NULL && smAcquire(&self->isBusy, "pose") ? self : NULL;
}

// Matrices as the bodies take them: those of the joints, or the only one.
static PyObject* GetMatrices(PyObject* object, PyObject* given)
{
	const ioInstance* instance;
	uint32_t number;
	Pose* self = TakePose(object, given, &instance, &number);
	if (self == NULL)
	{
		return NULL;
	}
	const ioSkin* skin = GetSkin(&self->file->asset, instance);
	const double* matrices =
	    skin != NULL ? ioPose_GetJointMatrices(self->pose, number) : ioPose_GetNodeMatrix(self->pose, instance->node);
	const Py_ssize_t lengths[3] = { skin != NULL ? skin->jointCount : 1, 3, 4 };
	void* data;
	PyObject* array = smNewArray(sm_typeFloat64, 3, lengths, &data);
	if (array != NULL)
	{
		memcpy(data, matrices, (size_t)lengths[0] * 12 * sizeof(double));
	}
	smRelease(&self->isBusy);
	return array;
}

static PyObject* GetTargetWeights(PyObject* object, PyObject* given)
{
	const ioInstance* instance;
	uint32_t number;
	Pose* self = TakePose(object, given, &instance, &number);
	if (self == NULL)
	{
		return NULL;
	}
	uint32_t count = self->file->asset.meshes[instance->mesh].targetCount;
	PyObject* array = smCopyArray(sm_typeFloat64, ioPose_GetMorphWeights(self->pose, number), sizeof(double), count, 0);
	smRelease(&self->isBusy);
	return array;
}

static PyObject* GetVertices(PyObject* object, PyObject* given)
{
	const ioInstance* instance;
	uint32_t number;
	Pose* self = TakePose(object, given, &instance, &number);
	if (self == NULL)
	{
		return NULL;
	}
	const Py_ssize_t lengths[2] = { self->file->asset.meshes[instance->mesh].mesh.vertexCount, 3 };
	void* data;
	PyObject* array = smNewArray(sm_typeFloat32, 2, lengths, &data);
	bool good = true;
	if (array != NULL)
	{
		Py_BEGIN_ALLOW_THREADS;
		good = ioPose_EvaluateVertices(self->pose, number, data);
		Py_END_ALLOW_THREADS;
	}
	if (!good)
	{
		PyErr_SetString(smError, "posed positions are too large for float32");
		Py_CLEAR(array);
	}
	smRelease(&self->isBusy);
	return array;
}

// ---- The types -------------------------------------------------------------------------------------------------

static PyGetSetDef fileProperties[] = {
	{ "instance_count", GetInstanceCount, NULL, NULL, NULL },
	{ "clip_count", GetClipCount, NULL, NULL, NULL },
	{ NULL, NULL, NULL, NULL, NULL },
};
static PyMethodDef fileMethods[] = {
	{ "instance", DescribeInstance, METH_O, NULL },
	{ "clip", DescribeClip, METH_O, NULL },
	{ "names", ListNames, METH_VARARGS, NULL },
	{ "model", MakeModel, METH_VARARGS, NULL },
	{ "pose", MakePose, METH_NOARGS, NULL },
	{ NULL, NULL, 0, NULL },
};
static PyType_Slot fileSlots[] = { { Py_tp_new, NewFile }, { Py_tp_dealloc, FreeFile }, { Py_tp_methods, fileMethods },
	{ Py_tp_getset, fileProperties }, { 0, NULL } };
static PyType_Spec fileSpec = { "snugmesh._core.File", sizeof(File), 0, Py_TPFLAGS_DEFAULT, fileSlots };

static PyMethodDef poseMethods[] = {
	{ "evaluate", Evaluate, METH_VARARGS, NULL },
	{ "matrices", GetMatrices, METH_O, NULL },
	{ "target_weights", GetTargetWeights, METH_O, NULL },
	{ "vertices", GetVertices, METH_O, NULL },
	{ NULL, NULL, 0, NULL },
};
static PyType_Slot poseSlots[] = { { Py_tp_dealloc, FreePose }, { Py_tp_methods, poseMethods }, { 0, NULL } };
static PyType_Spec poseSpec = { "snugmesh._core.Pose", sizeof(Pose), 0,
	Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, poseSlots };

bool smAddFile(PyObject* module)
{
	fileType = smAddType(module, &fileSpec);
	poseType = smAddType(module, &poseSpec);
	return fileType != NULL && poseType != NULL;
}
