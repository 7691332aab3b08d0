// test/support/support.c: see support.h.
#include "support.h"

#include "base/base.h"
#include "base/checksum.h"
#include "program/check/brute.h"
#include "simd/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t TestSeed(void)
{
	const char* text = getenv("SNUG_SEED");
	return text != NULL ? strtoull(text, NULL, 0) : 1;
}

double TestScale(void)
{
	const char* text = getenv("SNUG_TEST_SCALE");
	return text != NULL ? strtod(text, NULL) : 1.0;
}

int TestCount(int count)
{
	double scaled = count * TestScale();
	return scaled > 1.0 ? (int)scaled : 1;
}

// Before main, so that every test program has it.
__attribute__((constructor)) static void ChooseCases(void)
{
	const char* pattern = getenv("SNUG_TEST_FILTER");
	if (pattern != NULL)
	{
		cmocka_set_test_filter(pattern);
	}
}

// --- Random scenes --------------------------------------------------------------------------------------------------

const char* MeshKindName(MeshKind kind)
{
	static const char* const names[MESH_KINDS] = { "soup", "big soup", "blob", "torus", "cloth", "voxels", "repeated",
		"zero area", "single", "tetrahedron", "empty", "unused", "clusters", "needles" };
	return names[kind];
}

static uint32_t Between(sceneRandom* random, uint32_t low, uint32_t high)
{
	return low + sceneRandom_Index(random, high - low + 1);
}

float RandomFloat(sceneRandom* random, float low, float high)
{
	return low + (high - low) * (float)(sceneRandom_Next(random) >> 40) * 0x1p-24f;
}

float OddFloat(sceneRandom* random)
{
	static const float odd[] = { 0.0f, -0.0f, 0x1p-149f, -0x1p-149f, 1e-40f, -1e-40f, 1.0f, -1.0f };
	uint32_t choice = sceneRandom_Index(random, 2 * LENGTH_OF(odd));
	return choice < LENGTH_OF(odd) ? odd[choice] : (float)sceneRandom_Range(random, -1.0, 1.0);
}

float RandomNudge(sceneRandom* random, float value, int steps)
{
	for (int i = sceneRandom_Int(random, -steps, steps); i != 0; i += i < 0 ? 1 : -1)
	{
		value = nextafterf(value, i < 0 ? -INFINITY : INFINITY);
	}
	return value;
}

double RandomSign(sceneRandom* random)
{
	return sceneRandom_Index(random, 2) != 0 ? 1.0 : -1.0;
}

// Each triangle up to four times, with its corners in another order.
static sceneMesh Repeat(sceneRandom* random, sceneMesh mesh)
{
	sceneMesh repeated = sceneMesh_Allocate(mesh.vertexCount, 4 * (uint64_t)mesh.triangleCount);
	assert_true(sceneMesh_IsValid(&repeated));
	memcpy(repeated.positions, mesh.positions, mesh.vertexCount * 3 * sizeof(float));
	uint32_t count = 0;
	for (uint32_t t = 0; t < mesh.triangleCount; ++t)
	{
		for (uint32_t copies = Between(random, 1, 4); copies > 0; --copies, ++count)
		{
			for (uint32_t c = 0; c < 3; ++c)
			{
				repeated.triangles[3 * count + c] = mesh.triangles[3 * t + (c + copies) % 3];
			}
		}
	}
	repeated.triangleCount = count;
	sceneMesh_Free(&mesh);
	return repeated;
}

// Makes points (three times one vertex), segments (a vertex twice), and segments of three collinear vertices.
static sceneMesh Flatten(sceneRandom* random, sceneMesh mesh)
{
	for (uint32_t t = 0; t < mesh.triangleCount; ++t)
	{
		uint32_t* corner = mesh.triangles + 3 * t;
		uint32_t kind = sceneRandom_Index(random, 4);
		if (kind == 0)
		{
			corner[1] = corner[2] = corner[0];
		}
		else if (kind == 1)
		{
			corner[1] = corner[0];
		}
		else if (kind == 2)
		{
			for (int k = 0; k < 3; ++k)
			{
				float p = mesh.positions[3 * corner[0] + (uint32_t)k], q = mesh.positions[3 * corner[1] + (uint32_t)k];
				mesh.positions[3 * corner[2] + (uint32_t)k] = 0.5f * p + 0.5f * q;
			}
		}
	}
	return mesh;
}

static sceneMesh AddUnused(sceneRandom* random, sceneMesh mesh)
{
	uint32_t extra = Between(random, 1, 20);
	sceneMesh sum = sceneMesh_Allocate((uint64_t)mesh.vertexCount + extra, mesh.triangleCount);
	assert_true(sceneMesh_IsValid(&sum));
	// Used and unused vertices take turns, so that tree order and caller's order differ.
	for (uint32_t v = 0; v < sum.vertexCount; ++v)
	{
		for (uint32_t k = 0; k < 3; ++k)
		{
			sum.positions[3 * v + k] = (float)sceneRandom_Range(random, -1e6, 1e6);
		}
	}
	memcpy(sum.positions + 3 * extra, mesh.positions, 3 * (size_t)mesh.vertexCount * sizeof(float));
	for (uint32_t i = 0; i < 3 * mesh.triangleCount; ++i)
	{
		sum.triangles[i] = mesh.triangles[i] + extra;
	}
	sceneMesh_Free(&mesh);
	return sum;
}

static sceneMesh MakeClusters(sceneRandom* random)
{
	sceneMesh mesh = sceneMakeSoup(Between(random, 1, 60), 0.01, sceneRandom_Next(random));
	sceneMesh other = sceneMakeSoup(Between(random, 1, 60), 0.01, sceneRandom_Next(random));
	ScaleMesh(&mesh, 0.01f);
	ScaleMesh(&other, 0.0001f);
	sceneMesh_Translate(&other, 1.0, 0.0, 0.0);
	assert_true(sceneMesh_Append(&mesh, &other));
	sceneMesh_Free(&other);
	return mesh;
}

static sceneMesh MakeNeedles(sceneRandom* random)
{
	sceneMesh mesh = sceneMakeSoup(Between(random, 1, 100), 1.0, sceneRandom_Next(random));
	for (uint32_t t = 0; t < mesh.triangleCount; ++t)
	{
		for (uint32_t k = 0; k < 3; ++k)
		{
			float* third = mesh.positions + 3 * mesh.triangles[3 * t + 2] + k;
			float first = mesh.positions[3 * mesh.triangles[3 * t] + k];
			*third = first + (float)(*third - first) * 0x1p-12f;
		}
	}
	return mesh;
}

static sceneMesh MakeKind(sceneRandom* random, MeshKind kind)
{
	switch (kind)
	{
		case mesh_soup:
			return sceneMakeSoup(
			    Between(random, 2, 300), sceneRandom_Range(random, 0.05, 0.4), sceneRandom_Next(random));
		case mesh_bigSoup:
			return sceneMakeSoup(Between(random, 2, 40), 2.0, sceneRandom_Next(random));
		case mesh_blob:
			return sceneMakeBlob(Between(random, 1, 4), sceneRandom_Next(random));
		case mesh_torus:
			return sceneMakeTorus(
			    0.8, sceneRandom_Range(random, 0.05, 0.5), Between(random, 3, 16), Between(random, 3, 8));
		case mesh_cloth:
			return sceneMakeCloth(2.0, 1.0, Between(random, 1, 12), Between(random, 1, 12));
		case mesh_voxels:
			return sceneMakeVoxelBox(Between(random, 1, 5), Between(random, 1, 5), Between(random, 1, 5), 0.25);
		case mesh_repeated:
			return Repeat(random, sceneMakeSoup(Between(random, 1, 60), 0.3, sceneRandom_Next(random)));
		case mesh_zeroArea:
			return Flatten(random, sceneMakeSoup(Between(random, 1, 150), 0.5, sceneRandom_Next(random)));
		case mesh_single:
			return sceneMakeTriangle();
		case mesh_tetrahedron:
			return sceneMakeTetrahedron();
		case mesh_empty:
			return sceneMesh_Allocate(0, 0);
		case mesh_unused:
			return AddUnused(random, sceneMakeSoup(Between(random, 1, 60), 0.3, sceneRandom_Next(random)));
		case mesh_clusters:
			return MakeClusters(random);
		case mesh_needles:
			return MakeNeedles(random);
		case MESH_KINDS:
			break;
	}
	return sceneMesh_Allocate(0, 0);
}

sceneMesh RandomMesh(sceneRandom* random, MeshKind kind)
{
	sceneMesh mesh = MakeKind(random, kind);
	assert_true(sceneMesh_IsValid(&mesh));
	return mesh;
}

snugTreeDef RandomTreeDef(sceneRandom* random)
{
	return (snugTreeDef){ .leafTriangles = (int)Between(random, 1, 8) };
}

void RandomRotation(sceneRandom* random, double rotation[4])
{
	uint32_t kind = sceneRandom_Index(random, 3);
	double length2 = 0.0;
	for (int i = 0; i < 4; ++i)
	{
		rotation[i] = kind == 2 ? (double)sceneRandom_Index(random, 3) - 1.0 : sceneRandom_Range(random, -1.0, 1.0);
		rotation[i] *= kind == 1 && i < 3 ? 1e-5 : 1.0;
		length2 += rotation[i] * rotation[i];
	}
	if (length2 < 1e-6 || length2 == 3.0)
	{
		memcpy(rotation, (double[4]){ 0, 0, 0, 1 }, 4 * sizeof(double));
		return;
	}
	for (int i = 0; i < 4; ++i)
	{
		rotation[i] /= sqrt(length2);
	}
}

sceneMesh Unweld(sceneMesh mesh)
{
	sceneMesh apart = sceneMesh_Allocate(3 * (uint64_t)mesh.triangleCount, mesh.triangleCount);
	for (uint32_t i = 0; i < 3 * mesh.triangleCount; ++i)
	{
		memcpy(apart.positions + 3 * (size_t)i, mesh.positions + 3 * (size_t)mesh.triangles[i], 3 * sizeof(float));
		apart.triangles[i] = i;
	}
	sceneMesh_Free(&mesh);
	return apart;
}

double MeshSize(const sceneMesh* mesh)
{
	double size = 0.0;
	for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; ++i)
	{
		const double reach = fabs((double)mesh->positions[i]);
		size = reach > size ? reach : size; // not fmax, over which gcc 12 for ARM stumbles
	}
	return size > 0.0 ? size : 1.0;
}

void ScaleMesh(sceneMesh* mesh, float scale)
{
	for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; ++i)
	{
		mesh->positions[i] *= scale;
	}
}

// --- Models and bodies ---------------------------------------------------------------------------------------------

bool Mover_IsSkin(Mover mover)
{
	return Mover_Deformer(mover) == snug_skin;
}

snugDeformer Mover_Deformer(Mover mover)
{
	return mover > snug_fields ? snug_skin : (snugDeformer)mover;
}

snugBlending Mover_Blending(Mover mover)
{
	return mover > snug_fields ? (snugBlending)(mover - snug_fields) : snug_blendLinear;
}

Mover MoverOf(const snugModel* model)
{
	const snugModelInfo info = snugModel_GetInfo(model);
	return info.blending != snug_blendLinear ? snug_fields + (Mover)info.blending : (Mover)info.deformer;
}

snugModelDef MeshDef(const sceneMesh* mesh, Mover deformer, snugTreeDef tree)
{
	return (snugModelDef){
		.positions = mesh->positions,
		.vertexCount = mesh->vertexCount,
		.triangles = mesh->triangles,
		.triangleCount = mesh->triangleCount,
		.deformer = Mover_Deformer(deformer),
		.skin = { .blending = Mover_Blending(deformer) },
		.tree = tree,
	};
}

snugModel* MakeModel(const sceneMesh* mesh, Mover deformer, snugTreeDef tree)
{
	snugModelDef def = MeshDef(mesh, deformer, tree);
	snugModel* model = NULL;
	assert_int_equal(snugModel_Create(&def, &model), snug_success);
	assert_non_null(model);
	return model;
}

snugBody* MakeBody(const snugModel* model, snugPool* pool)
{
	snugBodyDef def = { .model = model, .pool = pool };
	snugBody* body = NULL;
	assert_int_equal(snugBody_Create(&def, &body), snug_success);
	assert_non_null(body);
	return body;
}

snugPool* MakePool(size_t bytes)
{
	snugPoolDef def = { .bytes = bytes };
	snugPool* pool = NULL;
	assert_int_equal(snugPool_Create(&def, &pool), snug_success);
	assert_non_null(pool);
	return pool;
}

void Place(snugBody* body, double x, double y, double z)
{
	snugFrame frame = { .position = { x, y, z } };
	assert_int_equal(snugBody_SetFrame(body, &frame), snug_success);
}

Thing Thing_Make(sceneMesh mesh, Mover deformer, snugTreeDef tree, snugPool* pool)
{
	Thing thing = { .mesh = mesh };
	thing.model = MakeModel(&mesh, deformer, tree);
	thing.body = MakeBody(thing.model, pool);
	return thing;
}

Thing Thing_Build(sceneMesh mesh, const snugModelDef* def, snugStrategy strategy, snugPool* pool)
{
	Thing thing = { .mesh = mesh };
	assert_int_equal(snugModel_Create(def, &thing.model), snug_success);
	snugBodyDef bodyDef = { .model = thing.model, .strategy = strategy, .pool = pool };
	assert_int_equal(snugBody_Create(&bodyDef, &thing.body), snug_success);
	return thing;
}

uint64_t Thing_Validate(const char* what, uint64_t seed, const Thing* thing)
{
	snugValidation found;
	if (snugBody_Validate(thing->body, &found) != snug_success)
	{
		fail_msg("%s, SNUG_SEED=%llu: deformer %d: %llu of %llu checks failed, by %g", what, (unsigned long long)seed,
		    (int)snugModel_GetInfo(thing->model).deformer, (unsigned long long)found.violations,
		    (unsigned long long)found.checks, found.worst);
	}
	return found.checks;
}

void Thing_Free(Thing* thing)
{
	snugBody_Destroy(thing->body);
	snugModel_Destroy(thing->model);
	sceneMesh_Free(&thing->mesh);
	*thing = (Thing){ .body = NULL };
}

// --- Pairs ---------------------------------------------------------------------------------------------------------

void PairList_Free(PairList* list)
{
	free(list->pairs);
	*list = (PairList){ NULL, 0 };
}

PairList CollideAll(snugBody* a, snugBody* b, const double origin[3])
{
	PairList list = { NULL, 0 };
	snugQuery query = { .capacity = 256 };
	if (origin != NULL)
	{
		memcpy(query.origin, origin, sizeof(query.origin));
	}
	for (;;)
	{
		list.pairs = realloc(list.pairs, (size_t)query.capacity * sizeof(snugPair));
		assert_non_null(list.pairs);
		query.pairs = list.pairs;
		snugResult result = snugCollide(a, b, &query);
		assert_int_equal(result.status, snug_success);
		assert_true(result.complete);
		list.count = result.count;
		if (result.count <= query.capacity)
		{
			return list;
		}
		query.capacity = result.count;
	}
}

static float* Vertices(const Thing* thing, const double origin[3])
{
	float* positions = malloc((3 * (size_t)thing->mesh.vertexCount + 1) * sizeof(float));
	assert_non_null(positions);
	assert_int_equal(snugBody_GetVertices(thing->body, origin, positions, 0), snug_success);
	return positions;
}

PairList BruteAll(const Thing* a, const Thing* b, const double origin[3])
{
	float* positionsA = Vertices(a, origin);
	float* positionsB = Vertices(b, origin);
	bruteMesh meshA = { positionsA, a->mesh.triangles, a->mesh.triangleCount };
	bruteMesh meshB = { positionsB, b->mesh.triangles, b->mesh.triangleCount };
	bruteResult result = bruteCollide(&meshA, &meshB);
	assert_false(result.outOfMemory);
	PairList list = { malloc((size_t)(result.count + 1) * sizeof(snugPair)), result.count };
	assert_non_null(list.pairs);
	if (result.count > 0)
	{
		memcpy(list.pairs, result.pairs, (size_t)result.count * sizeof(snugPair));
	}
	bruteResult_Free(&result);
	free(positionsA);
	free(positionsB);
	return list;
}

int ComparePairs(const void* a, const void* b)
{
	const snugPair *x = a, *y = b;
	return x->a != y->a ? (x->a < y->a ? -1 : 1) : (x->b > y->b) - (x->b < y->b);
}

bool SamePairs(const PairList* expected, const PairList* found)
{
	return expected->count == found->count &&
	       (found->count == 0 || memcmp(expected->pairs, found->pairs, (size_t)found->count * sizeof(snugPair)) == 0);
}

void AssertSamePairs(const char* what, uint64_t seed, const PairList* expected, const PairList* found)
{
	if (SamePairs(expected, found))
	{
		return;
	}
	print_error("%s: SNUG_SEED=%llu: %llu pairs expected, %llu found\n", what, (unsigned long long)seed,
	    (unsigned long long)expected->count, (unsigned long long)found->count);
	for (uint64_t i = 0; i < expected->count || i < found->count; ++i)
	{
		snugPair e = i < expected->count ? expected->pairs[i] : (snugPair){ UINT32_MAX, UINT32_MAX };
		snugPair f = i < found->count ? found->pairs[i] : (snugPair){ UINT32_MAX, UINT32_MAX };
		if (e.a != f.a || e.b != f.b)
		{
			print_error(
			    "first difference at %llu: expected %u %u, found %u %u\n", (unsigned long long)i, e.a, e.b, f.a, f.b);
			break;
		}
	}
	fail();
}

uint64_t CheckPairs(const char* what, uint64_t seed, const Thing* a, const Thing* b, const double origin[3])
{
	PairList expected = BruteAll(a, b, origin);
	PairList found = CollideAll(a->body, b->body, origin);
	AssertSamePairs(what, seed, &expected, &found);
	uint64_t count = found.count;
	PairList_Free(&expected);
	PairList_Free(&found);
	return count;
}

// --- Allocators ----------------------------------------------------------------------------------------------------

// Before each block: what was asked for. As large as the largest alignment.
typedef struct BlockHead
{
	size_t size;
	size_t check; // ~size
	char padding[64 - 2 * sizeof(size_t)];
} BlockHead;

static void* Allocate(void* user, size_t size, size_t alignment)
{
	TestAllocator* allocator = user;
	if (++allocator->calls == allocator->failAt)
	{
		return NULL;
	}
	allocator->faults += alignment == 0 || alignment > 64 || (alignment & (alignment - 1)) != 0;
	const snugAllocator libc = sgAllocator_OrDefault((snugAllocator){ .allocate = NULL });
	BlockHead* head = sgAllocate(&libc, sizeof(BlockHead) + size);
	if (head == NULL)
	{
		return NULL;
	}
	head->size = size;
	head->check = ~size;
	memset(head + 1, 0xcd, size);
	++allocator->live;
	allocator->liveBytes += size;
	return head + 1;
}

static void Release(void* user, void* memory, size_t size)
{
	TestAllocator* allocator = user;
	if (memory == NULL)
	{
		++allocator->faults;
		return;
	}
	BlockHead* head = (BlockHead*)memory - 1;
	allocator->faults += head->size != size || head->check != ~size;
	--allocator->live;
	allocator->liveBytes -= head->size;
	memset(memory, 0xdd, head->size);
	const snugAllocator libc = sgAllocator_OrDefault((snugAllocator){ .allocate = NULL });
	sgRelease(&libc, head, sizeof(BlockHead) + size);
}

snugAllocator TestAllocator_Get(TestAllocator* allocator)
{
	return (snugAllocator){ .allocate = Allocate, .release = Release, .user = allocator };
}

// --- Messages ------------------------------------------------------------------------------------------------------

static void TakeMessage(void* user, snugSeverity severity, const char* text)
{
	TestMessages* messages = user;
	++messages->count;
	messages->severity = severity;
	snprintf(messages->last, sizeof(messages->last), "%s", text);
}

snugMessenger TestMessages_Get(TestMessages* messages)
{
	return (snugMessenger){ .message = TakeMessage, .user = messages };
}

// --- Kernels, tasks and callbacks -----------------------------------------------------------------------------------

int FindKernels(const sgKernels* kernels[8])
{
	int count = 0;
	while (count < 8 && (kernels[count] = sgFindKernels(count)) != NULL)
	{
		print_message("%s%s", count > 0 ? ", " : "instruction sets: ", kernels[count]->name);
		++count;
	}
	print_message("\n");
	return count;
}

static void CountCall(int* calls)
{
	if (calls != NULL)
	{
		++*calls;
	}
}

void RunInOrder(void* user, uint32_t count, snugTaskFcn* task, void* context)
{
	CountCall(user);
	for (uint32_t i = 0; i < count; ++i)
	{
		task(context, i);
	}
}

void RunBackwards(void* user, uint32_t count, snugTaskFcn* task, void* context)
{
	CountCall(user);
	while (count-- > 0)
	{
		task(context, count);
	}
}

bool StopAtOnce(void* user, snugPair pair)
{
	(void)pair;
	CountCall(user);
	return false;
}

// --- Model files ---------------------------------------------------------------------------------------------------

// The layout of src/model/block.c: a header of 64 bytes with the checksum at 24, taken with that field zero.
enum
{
	HEADER_BYTES = 64,
	CHECKSUM_OFFSET = 24,
};

void RepairChecksum(void* block, size_t bytes)
{
	unsigned char* byte = block;
	if (bytes < HEADER_BYTES)
	{
		return;
	}
	memset(byte + CHECKSUM_OFFSET, 0, sizeof(uint64_t));
	uint64_t sum = sgChecksum(byte, HEADER_BYTES) ^ (sgChecksum(byte + HEADER_BYTES, bytes - HEADER_BYTES) << 1);
	memcpy(byte + CHECKSUM_OFFSET, &sum, sizeof(sum));
}
