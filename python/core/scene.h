// python/core/scene.h: what the files of snugmesh.Scene share.
#ifndef SNUGMESH_SCENE_H
#define SNUGMESH_SCENE_H

#include "core.h"

typedef struct smScene
{
	PyObject_HEAD snugScene* scene;
	smBody** bodies;   ///< by id; null where there is none. Owned
	PyObject** owners; ///< by id; null where there is none. Owned
	PyObject** shapes; ///< by id; null where there is none. Owned
	uint32_t capacity;
	uint32_t count; ///< bodies and shapes in it
	uint32_t threads;
	double origin[3];
	PyObject *notes, *endedNotes;     ///< dictionaries, by pairs of ids
	PyObject* contacts;               ///< nullable: a list, of the last update that was asked for them
	snugContactBuffer* contactBuffer; ///< nullable
	uint32_t contactCapacity;
	uint64_t mostContacts; ///< of one pair of bodies, so far
	atomic_bool isBusy;
	smText said;
} smScene;

/// A scene for oneself, or null with an exception. Release it with smRelease(&scene->isBusy).
smScene* smScene_Take(PyObject* object);

/// All its bodies for oneself, or false with an exception.
bool smScene_TakeBodies(smScene* self);
void smScene_ReleaseBodies(smScene* self);

/// The id of a body that is in it, or false with an exception.
bool smScene_ReadBodyId(const smScene* self, PyObject* object, uint32_t* id);

/// The exception for what failed.
/// @return null
PyObject* smScene_Fail(const smScene* self, const snugSceneResult* result);

/// Methods: scene_poses.c and sweep.c.
PyObject* smScene_SetPoses(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names);
PyObject* smScene_Sweep(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names);

#endif
