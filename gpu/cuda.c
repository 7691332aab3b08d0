// gpu/cuda.c: GPUs of NVIDIA, through the driver, which is looked for at run time: nothing of CUDA is included or
// linked. Kernels are text (PTX) that the driver compiles, and keeps for the next time.
#include "device.h"

#if SG_GPU_HAS_PTX
#include <dlfcn.h>

// The kernels, as clang wrote them, with a zero behind them.
extern const char sgPtx[];
__asm__(".section .rodata\n"
        ".hidden sgPtx\n"
        ".global sgPtx\n"
        "sgPtx:\n"
        ".incbin \"" SG_GPU_PTX_FILE "\"\n"
        ".byte 0\n"
        ".previous\n");

// What is used of the driver. Types are those of its binary interface: handles are pointers, results and devices are
// ints, addresses of device memory are 64 bits.
typedef int Result;
typedef void* Handle;
typedef unsigned long long Address;

#define SG_CUDA_FUNCTIONS(X)                                                                                \
	X(init, "cuInit", (unsigned flags))                                                                     \
	X(getDevice, "cuDeviceGet", (int* device, int ordinal))                                                 \
	X(getAttribute, "cuDeviceGetAttribute", (int* value, int attribute, int device))                        \
	X(retainContext, "cuDevicePrimaryCtxRetain", (Handle * context, int device))                            \
	X(releaseContext, "cuDevicePrimaryCtxRelease_v2", (int device))                                         \
	X(pushContext, "cuCtxPushCurrent_v2", (Handle context))                                                 \
	X(popContext, "cuCtxPopCurrent_v2", (Handle * context))                                                 \
	X(loadModule, "cuModuleLoadData", (Handle * module, const void* image))                                 \
	X(unloadModule, "cuModuleUnload", (Handle module))                                                      \
	X(getFunction, "cuModuleGetFunction", (Handle * function, Handle module, const char* name))             \
	X(allocate, "cuMemAlloc_v2", (Address * memory, size_t bytes))                                          \
	X(release, "cuMemFree_v2", (Address memory))                                                            \
	X(upload, "cuMemcpyHtoDAsync_v2", (Address to, const void* from, size_t bytes, Handle stream))          \
	X(download, "cuMemcpyDtoHAsync_v2", (void* to, Address from, size_t bytes, Handle stream))              \
	X(copy, "cuMemcpyAsync", (Address to, Address from, size_t bytes, Handle stream))                       \
	X(clear, "cuMemsetD8Async", (Address memory, unsigned char value, size_t bytes, Handle stream))         \
	X(wait, "cuStreamSynchronize", (Handle stream))                                                         \
	X(launch, "cuLaunchKernel",                                                                             \
	    (Handle function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, \
	        unsigned blockZ, unsigned sharedBytes, Handle stream, void** parameters, void** extra))         \
	X(launchTogether, "cuLaunchCooperativeKernel",                                                          \
	    (Handle function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, \
	        unsigned blockZ, unsigned sharedBytes, Handle stream, void** parameters))                       \
	X(getOccupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                          \
	    (int* blocks, Handle function, int threads, size_t sharedBytes))                                    \
	X(getErrorText, "cuGetErrorString", (Result result, const char** text))

typedef struct Driver
{
	void* library;
#define SG_CUDA_MEMBER(name, symbol, parameters) Result(*name) parameters;
	SG_CUDA_FUNCTIONS(SG_CUDA_MEMBER)
#undef SG_CUDA_MEMBER
} Driver;

typedef struct Cuda
{
	snugDevice device;
	Driver driver;
	int number;
	Handle context;
	Handle module;
	Handle stream;
	Handle functions[SG_GPU_KERNEL_COUNT];
	unsigned mostBlocks[SG_GPU_KERNEL_COUNT]; ///< that run at once: with more of them some would wait for the others
} Cuda;

static const char* const kernelNames[SG_GPU_KERNEL_COUNT] = {
#define SG_GPU_NAME(name) "sgKernel_" #name,
	SG_GPU_KERNELS(SG_GPU_NAME)
#undef SG_GPU_NAME
};

static Cuda* Cuda_Of(snugDevice* device)
{
	return (Cuda*)(void*)device;
}

static const char* ErrorText(const Driver* driver, Result result)
{
	const char* text = NULL;
	return driver->getErrorText(result, &text) == 0 && text != NULL ? text : "unknown error";
}

static void Check(Cuda* cuda, const char* what, Result result)
{
	if (result != 0)
	{
		sgDevice_Fail(&cuda->device, what, ErrorText(&cuda->driver, result));
	}
}

// ---- Methods --------------------------------------------------------------------------------------------------------

static void Enter(Cuda* cuda)
{
	(void)cuda->driver.pushContext(cuda->context);
}

static void Leave(Cuda* cuda)
{
	Handle context;
	(void)cuda->driver.popContext(&context);
}

static void* Allocate(snugDevice* device, size_t bytes)
{
	Cuda* cuda = Cuda_Of(device);
	Address memory = 0;
	Enter(cuda);
	const Result result = cuda->driver.allocate(&memory, bytes > 0 ? bytes : 1);
	Leave(cuda);
	return result == 0 ? (void*)(uintptr_t)memory : NULL;
}

static void Release(snugDevice* device, void* memory, size_t bytes)
{
	Cuda* cuda = Cuda_Of(device);
	(void)bytes;
	Enter(cuda);
	(void)cuda->driver.release((Address)(uintptr_t)memory);
	Leave(cuda);
}

static void Upload(snugDevice* device, void* to, const void* from, size_t bytes)
{
	Cuda* cuda = Cuda_Of(device);
	Enter(cuda);
	Check(cuda, "copying to the device", cuda->driver.upload((Address)(uintptr_t)to, from, bytes, cuda->stream));
	Check(cuda, "copying to the device", cuda->driver.wait(cuda->stream));
	Leave(cuda);
}

static void Download(snugDevice* device, void* to, const void* from, size_t bytes)
{
	Cuda* cuda = Cuda_Of(device);
	Enter(cuda);
	Check(cuda, "copying from the device", cuda->driver.download(to, (Address)(uintptr_t)from, bytes, cuda->stream));
	Check(cuda, "running kernels", cuda->driver.wait(cuda->stream));
	Leave(cuda);
}

static void Copy(snugDevice* device, void* to, const void* from, size_t bytes)
{
	Cuda* cuda = Cuda_Of(device);
	Enter(cuda);
	Check(cuda, "copying", cuda->driver.copy((Address)(uintptr_t)to, (Address)(uintptr_t)from, bytes, cuda->stream));
	Check(cuda, "copying", cuda->driver.wait(cuda->stream));
	Leave(cuda);
}

static void Clear(snugDevice* device, void* memory, size_t bytes)
{
	Cuda* cuda = Cuda_Of(device);
	Enter(cuda);
	Check(cuda, "clearing memory", cuda->driver.clear((Address)(uintptr_t)memory, 0, bytes, cuda->stream));
	Leave(cuda);
}

static void Launch(snugDevice* device, sgKernel kernel, const sgWorld* world, const sgStep* step, uint64_t tasks)
{
	Cuda* cuda = Cuda_Of(device);
	void* parameters[] = { (void*)(uintptr_t)world, (void*)(uintptr_t)step };
	const uint64_t blocks = (tasks + SG_GPU_GROUPS - 1) / SG_GPU_GROUPS;
	const unsigned most = cuda->mostBlocks[kernel], grid = blocks < most ? (unsigned)blocks : most;
	if (grid == 0)
	{
		return;
	}
	Enter(cuda);
	const unsigned threads = SG_GPU_LANES * SG_GPU_GROUPS;
	Handle function = cuda->functions[kernel];
	const Result result =
	    sgKernel_HasSteps(kernel)
	        ? cuda->driver.launchTogether(function, grid, 1, 1, threads, 1, 1, 0, cuda->stream, parameters)
	        : cuda->driver.launch(function, grid, 1, 1, threads, 1, 1, 0, cuda->stream, parameters, NULL);
	Check(cuda, kernelNames[kernel], result);
	Leave(cuda);
}

static void Wait(snugDevice* device)
{
	Cuda* cuda = Cuda_Of(device);
	Enter(cuda);
	Check(cuda, "running kernels", cuda->driver.wait(cuda->stream));
	Leave(cuda);
}

static void Destroy(snugDevice* device)
{
	Cuda* cuda = Cuda_Of(device);
	const snugAllocator allocator = device->allocator;
	if (cuda->module != NULL)
	{
		Enter(cuda);
		(void)cuda->driver.unloadModule(cuda->module);
		Leave(cuda);
	}
	if (cuda->context != NULL)
	{
		(void)cuda->driver.releaseContext(cuda->number);
	}
	if (cuda->driver.library != NULL)
	{
		(void)dlclose(cuda->driver.library);
	}
	sgRelease(&allocator, cuda, sizeof(Cuda));
}

static const sgDeviceMethods methods = {
	.destroy = Destroy,
	.allocate = Allocate,
	.release = Release,
	.upload = Upload,
	.download = Download,
	.copy = Copy,
	.clear = Clear,
	.launch = Launch,
	.wait = Wait,
};

// ---- Creating -------------------------------------------------------------------------------------------------------

// dlsym returns a pointer to data, which a function's is not in C.
static bool FindFunction(void* library, const char* symbol, void* member)
{
	*(void**)member = dlsym(library, symbol);
	return *(void**)member != NULL;
}

static bool LoadDriver(Driver* driver)
{
	driver->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	bool isThere = driver->library != NULL;
#define SG_CUDA_FIND(name, symbol, parameters) \
	isThere = isThere && FindFunction(driver->library, symbol, &driver->name);
	SG_CUDA_FUNCTIONS(SG_CUDA_FIND)
#undef SG_CUDA_FIND
	return isThere;
}

/// Numbers of attributes in the driver's interface.
enum
{
	attribute_processors = 16,
	attribute_major = 75,
	attribute_minor = 76,
};

static snugStatus LoadKernels(Cuda* cuda, unsigned processors, const snugMessenger* messenger)
{
	const Driver* driver = &cuda->driver;
	Enter(cuda);
	Result result = driver->loadModule(&cuda->module, sgPtx);
	for (int i = 0; i < SG_GPU_KERNEL_COUNT && result == 0; ++i)
	{
		int blocks = 1;
		result = driver->getFunction(&cuda->functions[i], cuda->module, kernelNames[i]);
		result =
		    result == 0 ? driver->getOccupancy(&blocks, cuda->functions[i], SG_GPU_LANES * SG_GPU_GROUPS, 0) : result;
		cuda->mostBlocks[i] = processors * (unsigned)(blocks > 0 ? blocks : 1);
	}
	Leave(cuda);
	return result == 0
	           ? snug_success
	           : sgFail(messenger, snug_unavailable, "the driver refuses the kernels: %s", ErrorText(driver, result));
}

static snugStatus Open(Cuda* cuda, const snugDeviceDef* def)
{
	const Driver* driver = &cuda->driver;
	int processors = 0, major = 0, minor = 0;
	if (!LoadDriver(&cuda->driver))
	{
		return sgFail(&def->messenger, snug_unavailable, "no CUDA driver (libcuda.so.1), or one before 450");
	}
	Result result = driver->init(0);
	result = result == 0 ? driver->getDevice(&cuda->number, (int)def->ordinal) : result;
	result = result == 0 ? driver->getAttribute(&processors, attribute_processors, cuda->number) : result;
	result = result == 0 ? driver->getAttribute(&major, attribute_major, cuda->number) : result;
	result = result == 0 ? driver->getAttribute(&minor, attribute_minor, cuda->number) : result;
	if (result != 0)
	{
		return sgFail(&def->messenger, snug_unavailable, "no GPU %u: %s", def->ordinal, ErrorText(driver, result));
	}
	if (10 * major + minor < 75)
	{
		return sgFail(&def->messenger, snug_unavailable,
		    "GPU %u is of generation %d.%d; 7.5 (Turing) or later is needed", def->ordinal, major, minor);
	}
	result = driver->retainContext(&cuda->context, cuda->number);
	if (result != 0)
	{
		cuda->context = NULL;
		return sgFail(&def->messenger, snug_unavailable, "GPU %u: %s", def->ordinal, ErrorText(driver, result));
	}
	return LoadKernels(cuda, (unsigned)processors, &def->messenger);
}

snugStatus sgCuda_Create(const snugDeviceDef* def, snugDevice** device)
{
	const snugAllocator allocator = sgAllocator_OrDefault(def->allocator);
	Cuda* cuda = sgAllocate(&allocator, sizeof(Cuda));
	if (cuda == NULL)
	{
		return sgFail(&def->messenger, snug_outOfMemory, "no memory for a device");
	}
	*cuda = (Cuda){
		.device = { .methods = &methods, .allocator = allocator, .messenger = def->messenger },
		.stream = def->stream,
	};
	const snugStatus status = Open(cuda, def);
	if (status != snug_success)
	{
		Destroy(&cuda->device);
		return status;
	}
	*device = &cuda->device;
	return snug_success;
}

#else

snugStatus sgCuda_Create(const snugDeviceDef* def, snugDevice** device)
{
	(void)device;
	return sgFail(
	    &def->messenger, snug_unavailable, "this library was built without kernels for GPUs, for want of clang 19");
}

#endif
