// python/core/gpu.h: devices, and arrays in their memory: gpu.c, tensor.c.
#ifndef SNUGMESH_GPU_H
#define SNUGMESH_GPU_H

#include "core.h"

#include <snug/snug_gpu.h>

typedef struct smDevice
{
	PyObject_HEAD snugDevice* device;
	bool isReference;
	uint32_t ordinal;
	void* stream;
	smText said;
} smDevice;

/// An array of the caller's that a device reads: on the device, or on the host.
typedef struct smOnDevice
{
	const void* data;
	int64_t count; ///< of the first dimension
	bool isOnHost;
	PyObject* keeper; ///< whose memory it is, on a device
	smArray array;    ///< the same on the host
} smOnDevice;

/// Look at an array without copying it.
/// @return false with an exception; nothing to release then
bool smOnDevice_Take(
    smOnDevice* taken, PyObject* object, const char* name, smKind kind, smShape shape, const smDevice* device);
void smOnDevice_Release(smOnDevice* taken);

/// An array of ours in the memory of a device.
typedef struct smTensor
{
	PyObject_HEAD smDevice* device;
	void* data;
	size_t bytes;
	int size; ///< of an element, which is a signed integer: 4 or 8
	int dimensions;
	int64_t shape[2];
} smTensor;

/// A tensor with a copy of something on the device.
/// @param width zero: one dimension
PyObject* smTensor_Make(smDevice* device, const void* from, int size, int64_t count, int64_t width);

bool smAddTensor(PyObject* module);

#endif
