// gpu/reference.c: this processor in place of a GPU: groups one after the other, lanes in any order.
#include "device.h"

#include <string.h>

typedef struct Reference
{
	snugDevice device;
	sgLaneOrder order;
	uint32_t groups; ///< that take turns
	uint64_t random;
	sgTurns turns;
} Reference;

#define SG_GPU_DECLARATION(name) bool sgKernel_##name(sgWorld world, sgStep step, uint32_t number);
SG_GPU_KERNELS(SG_GPU_DECLARATION)
#undef SG_GPU_DECLARATION

typedef bool KernelFcn(sgWorld world, sgStep step, uint32_t number);

static KernelFcn* const kernels[SG_GPU_KERNEL_COUNT] = {
#define SG_GPU_ENTRY(name) sgKernel_##name,
	SG_GPU_KERNELS(SG_GPU_ENTRY)
#undef SG_GPU_ENTRY
};

static uint32_t NextBelow(Reference* reference, uint32_t count)
{
	reference->random = reference->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((reference->random >> 33) % count);
}

static void OrderLanes(Reference* reference)
{
	uint32_t* lanes = reference->turns.lanes;
	for (uint32_t i = 0; i < SG_GPU_LANES; ++i)
	{
		lanes[i] = reference->order == sgLanes_backwards ? SG_GPU_LANES - 1 - i : i;
	}
	for (uint32_t i = SG_GPU_LANES - 1; i > 0 && reference->order == sgLanes_shuffled; --i)
	{
		const uint32_t j = NextBelow(reference, i + 1), lane = lanes[i];
		lanes[i] = lanes[j];
		lanes[j] = lane;
	}
}

// One step of a kernel, by all groups.
// @return whether there is another
static bool RunStep(
    Reference* reference, sgKernel kernel, const sgWorld* world, const sgStep* step, uint32_t number, uint32_t count)
{
	uint32_t goOn = 0;
	for (uint32_t i = 0; i < count; ++i)
	{
		sgWorld copy = *world;
		OrderLanes(reference);
		reference->turns.group = reference->order == sgLanes_forwards ? i : count - 1 - i;
		reference->turns.groupCount = count;
		copy.turns = &reference->turns;
		goOn += kernels[kernel](copy, *step, number) ? 1 : 0;
	}
	SG_CHECK(goOn == 0 || (goOn == count && sgKernel_HasSteps(kernel)));
	return goOn != 0;
}

static void Launch(snugDevice* device, sgKernel kernel, const sgWorld* world, const sgStep* step, uint64_t tasks)
{
	Reference* reference = (Reference*)(void*)device;
	const uint32_t count = tasks < reference->groups ? (uint32_t)tasks : reference->groups;
	for (uint32_t number = 0; RunStep(reference, kernel, world, step, number, count); ++number)
	{
	}
}

static void* Allocate(snugDevice* device, size_t bytes)
{
	return bytes < SG_MAX_SIZE ? sgAllocate(&device->allocator, bytes) : NULL;
}

static void Release(snugDevice* device, void* memory, size_t bytes)
{
	sgRelease(&device->allocator, memory, bytes);
}

static void Copy(snugDevice* device, void* to, const void* from, size_t bytes)
{
	(void)device;
	if (bytes > 0)
	{
		memcpy(to, from, bytes);
	}
}

static void Clear(snugDevice* device, void* memory, size_t bytes)
{
	(void)device;
	memset(memory, 0, bytes);
}

static void Wait(snugDevice* device)
{
	(void)device;
}

static void Destroy(snugDevice* device)
{
	const snugAllocator allocator = device->allocator;
	sgRelease(&allocator, device, sizeof(Reference));
}

static const sgDeviceMethods methods = {
	.destroy = Destroy,
	.allocate = Allocate,
	.release = Release,
	.upload = Copy,
	.download = Copy,
	.copy = Copy,
	.clear = Clear,
	.launch = Launch,
	.wait = Wait,
};

snugStatus sgReference_Create(const snugDeviceDef* def, snugDevice** device)
{
	const snugAllocator allocator = sgAllocator_OrDefault(def->allocator);
	Reference* reference = sgAllocate(&allocator, sizeof(Reference));
	if (reference == NULL)
	{
		return sgFail(&def->messenger, snug_outOfMemory, "no memory for a device");
	}
	*reference = (Reference){
		.device = { .methods = &methods, .allocator = allocator, .messenger = def->messenger },
		.groups = 3,
		.random = 1,
	};
	*device = &reference->device;
	return snug_success;
}

void sgReference_SetOrder(snugDevice* device, sgLaneOrder order, uint32_t groups)
{
	Reference* reference = (Reference*)(void*)device;
	reference->order = order;
	reference->groups = groups;
}
