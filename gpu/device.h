// gpu/device.h: what a device does for a crowd. cuda.c and reference.c are devices.
//
// Work is enqueued and done in order. What goes wrong is remembered, and whatever follows does nothing: a crowd looks
// once, at the end.
#ifndef SG_GPU_DEVICE_H
#define SG_GPU_DEVICE_H

#include "layout.h"
#include "snug/snug_gpu.h"

typedef enum sgKernel
{
#define SG_GPU_ENUMERATOR(name) sgKernel_is##name,
	SG_GPU_KERNELS(SG_GPU_ENUMERATOR)
#undef SG_GPU_ENUMERATOR
	    SG_GPU_KERNEL_COUNT
} sgKernel;

/// Whether it has steps for which all groups wait (KERNEL_IN_STEPS).
static inline bool sgKernel_HasSteps(sgKernel kernel)
{
	return kernel == sgKernel_isOrder || kernel == sgKernel_isCollect;
}

typedef struct sgDeviceMethods
{
	void (*destroy)(snugDevice* device);

	/// Device memory, aligned to 256 bytes, or null.
	void* (*allocate)(snugDevice* device, size_t bytes);
	void (*release)(snugDevice* device, void* memory, size_t bytes);

	/// From and to host memory. Both wait until it is done.
	void (*upload)(snugDevice* device, void* to, const void* from, size_t bytes);
	void (*download)(snugDevice* device, void* to, const void* from, size_t bytes);

	/// From anywhere to anywhere, the same.
	void (*copy)(snugDevice* device, void* to, const void* from, size_t bytes);

	/// All bytes zero.
	void (*clear)(snugDevice* device, void* memory, size_t bytes);

	/// Run a kernel with as many groups as there are tasks, or fewer.
	void (*launch)(snugDevice* device, sgKernel kernel, const sgWorld* world, const sgStep* step, uint64_t tasks);

	void (*wait)(snugDevice* device);
} sgDeviceMethods;

struct snugDevice
{
	const sgDeviceMethods* methods;
	snugAllocator allocator;
	snugMessenger messenger;
	uint32_t crowdCount;
	bool hasFailed;
};

/// Remember that something went wrong, and say so the first time.
void sgDevice_Fail(snugDevice* device, const char* what, const char* why);

snugStatus sgCuda_Create(const snugDeviceDef* def, snugDevice** device);
snugStatus sgReference_Create(const snugDeviceDef* def, snugDevice** device);

/// In which order lanes, and groups of them, work: forwards, backwards, or shuffled anew by every launch.
typedef enum sgLaneOrder
{
	sgLanes_forwards,
	sgLanes_backwards,
	sgLanes_shuffled,
} sgLaneOrder;

/// @param device a reference
void sgReference_SetOrder(snugDevice* device, sgLaneOrder order, uint32_t groups);

#endif
