// gpu/device.c: devices, whichever they are. See device.h.
#include "device.h"

void sgDevice_Fail(snugDevice* device, const char* what, const char* why)
{
	if (!device->hasFailed)
	{
		(void)sgFail(&device->messenger, snug_unavailable, "%s: %s", what, why);
	}
	device->hasFailed = true;
}

snugStatus snugDevice_Create(const snugDeviceDef* def, snugDevice** device)
{
	SG_REQUIRE(device != NULL, snug_badArgument);
	*device = NULL;
	SG_REQUIRE(def != NULL && sgAllocator_IsValid(&def->allocator), snug_badArgument);
	SG_REQUIRE_RESERVED(def, snug_badArgument);
	SG_REQUIRE(def->backend == snug_cuda || def->backend == snug_reference, snug_badArgument);
	return def->backend == snug_cuda ? sgCuda_Create(def, device) : sgReference_Create(def, device);
}

void* snugDevice_Allocate(snugDevice* device, size_t bytes)
{
	SG_REQUIRE(device != NULL, NULL);
	return bytes < SG_MAX_SIZE ? device->methods->allocate(device, bytes) : NULL;
}

void snugDevice_Release(snugDevice* device, void* memory, size_t bytes)
{
	SG_REQUIRE(device != NULL, );
	if (memory != NULL)
	{
		device->methods->release(device, memory, bytes);
	}
}

snugStatus snugDevice_Copy(snugDevice* device, void* to, const void* from, size_t bytes)
{
	SG_REQUIRE(device != NULL && ((to != NULL && from != NULL) || bytes == 0), snug_badArgument);
	if (!device->hasFailed && bytes > 0)
	{
		device->methods->copy(device, to, from, bytes);
	}
	return device->hasFailed ? snug_unavailable : snug_success;
}

void snugDevice_Destroy(snugDevice* device)
{
	if (device != NULL)
	{
		SG_REQUIRE(device->crowdCount == 0, );
		device->methods->destroy(device);
	}
}
