// python/core/scene.h: what the two files of snugmesh.Scene share.
#ifndef SNUGMESH_SCENE_H
#define SNUGMESH_SCENE_H

#include "core.h"

typedef struct smScene
{
	PyObject_HEAD snugScene* scene;
	smBody** bodies;   ///< by id; null where there is none. Owned
	PyObject** owners; ///< by id; null where there is none. Owned
	uint32_t capacity;
	uint32_t count; ///< bodies in it
	uint32_t threads;
	atomic_bool isBusy;
	smText said;
} smScene;

/// A scene for oneself, or null with an exception. Release it with smRelease(&scene->isBusy).
smScene* smScene_Take(PyObject* object);

/// All its bodies for oneself, or false with an exception.
bool smScene_TakeBodies(smScene* self);
void smScene_ReleaseBodies(smScene* self);

/// A method: scene_poses.c.
PyObject* smScene_SetPoses(PyObject* object, PyObject* const* arguments, Py_ssize_t count, PyObject* names);

#endif
