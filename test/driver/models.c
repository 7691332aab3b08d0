// test/driver/models.c: what models say of themselves, and what is said where memory lacks.
#include "driver/operations.h"

// Twins have equal rest positions, weights and displacements, as the model itself gives them.
static void ExpectTwins(World* world, const Kind* kind, const snugModelInfo* info)
{
	const uint32_t count = info->vertexCount;
	float* positions = Scratch(3 * (size_t)count * sizeof(float));
	uint32_t *starts = Scratch((count + 1) * sizeof(uint32_t)), *fieldStarts = Scratch((count + 1) * sizeof(uint32_t));
	uint16_t* joints = Room(world, info->influenceCount, sizeof(uint16_t));
	uint16_t* fields = Room(world, info->displacementCount, sizeof(uint16_t));
	float* weights = Room(world, info->influenceCount, sizeof(float));
	float* displacements = Room(world, info->displacementCount, 3 * sizeof(float));
	EXPECT(world,
	    snugModel_GetPositions(kind->model, positions, 0) == snug_success &&
	        snugModel_GetWeights(kind->model, starts, joints, weights) == snug_success &&
	        snugModel_GetFields(kind->model, fieldStarts, fields, displacements) == snug_success,
	    "contents");
	EXPECT(world, starts[count] == info->influenceCount && fieldStarts[count] == info->displacementCount, "counts");
	for (uint32_t i = 0; i < 200 && count > 1; ++i)
	{
		const uint32_t v = Below(world, count), w = i % 2 == 0 ? Below(world, count) : kind->twins[v];
		const uint32_t influences = starts[v + 1] - starts[v], parts = fieldStarts[v + 1] - fieldStarts[v];
		bool areTwins = influences == starts[w + 1] - starts[w] && parts == fieldStarts[w + 1] - fieldStarts[w];
		for (int k = 0; k < 3; ++k)
		{
			areTwins = areTwins && positions[3 * (size_t)v + (size_t)k] == positions[3 * (size_t)w + (size_t)k];
		}
		for (uint32_t k = 0; k < influences && areTwins; ++k)
		{
			areTwins =
			    joints[starts[v] + k] == joints[starts[w] + k] && weights[starts[v] + k] == weights[starts[w] + k];
		}
		for (uint32_t k = 0; k < parts && areTwins; ++k)
		{
			const float *a = displacements + 3 * (size_t)(fieldStarts[v] + k),
			            *b = displacements + 3 * (size_t)(fieldStarts[w] + k);
			areTwins = fields[fieldStarts[v] + k] == fields[fieldStarts[w] + k] && a[0] == b[0] && a[1] == b[1] &&
			           a[2] == b[2];
		}
		EXPECT(world, areTwins == (kind->twins[v] == kind->twins[w]), "vertices %u and %u: twins %d", v, w, areTwins);
	}
}

// Weights are those that were given, divided by their sum.
static void ExpectMesh(World* world, const Kind* kind, const snugModelInfo* info)
{
	const sceneMesh* mesh = &kind->skinned.mesh;
	const size_t stride = DrawStride(world, 12), step = stride == 0 ? 12 : stride;
	char* positions = StridedRoom(world, info->vertexCount, 12, stride);
	char* triangles = StridedRoom(world, info->triangleCount, 12, stride);
	snugStatus status;
	CALL(world, status = snugModel_GetPositions(kind->model, (float*)(void*)positions, stride));
	EXPECT(world, status == snug_success, "positions: %s", snugGetStatusText(status));
	CALL(world, status = snugModel_GetTriangles(kind->model, (uint32_t*)(void*)triangles, stride));
	EXPECT(world, status == snug_success, "triangles: %s", snugGetStatusText(status));
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		EXPECT(
		    world, memcmp(positions + v * step, mesh->positions + 3 * (size_t)v, 12) == 0, "vertex %u is elsewhere", v);
	}
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		EXPECT(
		    world, memcmp(triangles + t * step, mesh->triangles + 3 * (size_t)t, 12) == 0, "triangle %u is another", t);
	}
}

// What is not of the mesh, but was given with it.
static void ExpectGiven(World* world, const Kind* kind)
{
	const bool turns = kind->deformer > snug_fields;
	const uint32_t fields = kind->deformer == snug_fields && kind->frequencies != NULL ? kind->fields.fieldCount : 0,
	               joints = turns ? kind->jointCount : 0, room = Chance(world, 0.2) ? Below(world, fields + 1) : fields;
	float* frequencies = Room(world, fields, sizeof(float));
	float* positions = Room(world, joints, 3 * sizeof(float));
	uint32_t found = SNUG_NONE;
	snugStatus status;
	CALL(world, status = snugModel_GetFrequencies(kind->model, room == 0 ? NULL : frequencies, room, &found));
	EXPECT(world, status == snug_success && found == fields, "%u frequencies", found);
	EXPECT(world, room == 0 || memcmp(frequencies, kind->frequencies, room * sizeof(float)) == 0, "other frequencies");
	CALL(world, status = snugModel_GetJointPositions(kind->model, positions, joints, &found));
	EXPECT(world, status == snug_success && found == joints, "%u joints have positions", found);
	EXPECT(world,
	    joints == 0 || kind->jointPositions == NULL ||
	        memcmp(positions, kind->jointPositions, 3 * (size_t)joints * sizeof(float)) == 0,
	    "joints are elsewhere");
}

// Each triangle is in one leaf, of at most as many as were asked for.
static void ExpectTree(World* world, const Kind* kind, const snugModelInfo* info)
{
	const uint32_t most = (uint32_t)info->tree.leafTriangles;
	size_t bytes;
	EXPECT(world, most >= 1 && most <= 8 && (uint64_t)info->leafCount * most >= info->triangleCount, "%u leaves of %u",
	    info->leafCount, most);
	EXPECT(world, info->leafCount <= info->nodeCount && info->depth < info->nodeCount + 1, "%u nodes", info->nodeCount);
	uint32_t below = 0;
	snugStatus status = snugModel_GetNodeTriangles(kind->model, 0, NULL, 0, &below);
	EXPECT(world,
	    status == (info->triangleCount == 0 ? snug_badArgument : snug_success) && below == info->triangleCount,
	    "not all triangles are below the root");
	EXPECT(world, snugModel_GetBlock(kind->model, &bytes) != NULL && bytes == info->bytes, "%zu bytes", bytes);
	EXPECT(world, info->restMeshBytes == 12 * ((size_t)info->vertexCount + info->triangleCount), "%zu bytes of mesh",
	    info->restMeshBytes);
}

bool GetContents(World* world)
{
	const Actor* actor = AnyActor(world);
	const Kind* kind = actor->kind;
	snugModelInfo info;
	CALL(world, info = snugModel_GetInfo(kind->model));
	EXPECT(world,
	    info.vertexCount == kind->skinned.mesh.vertexCount && info.triangleCount == kind->skinned.mesh.triangleCount &&
	        MoverOf(kind->model) == kind->deformer && info.jointCount == kind->jointCount &&
	        info.fieldCount == kind->fields.fieldCount,
	    "another model");
	ExpectMesh(world, kind, &info);
	ExpectTwins(world, kind, &info);
	ExpectGiven(world, kind);
	ExpectTree(world, kind, &info);
	EXPECT(world, snugBody_GetModel(actor->body) == kind->model && snugBody_GetMemory(actor->body) > 0, "another body");
	uint64_t open = UINT64_MAX;
	snugStatus status;
	CALL(world, status = snugModel_CountOpenEdges(kind->model, &open));
	EXPECT(world, status == snug_success && (kind->hasZeroAreas || open == kind->openEdges),
	    "%llu open edges, not %llu", (unsigned long long)open, (unsigned long long)kind->openEdges);
	return true;
}

// A body whose memory lacks at some call is not made, and leaves nothing behind.
bool LackMemory(World* world)
{
	const Actor* actor = AnyActor(world);
	TestAllocator allocator = { .failAt = 1 + Below(world, 3) };
	const snugBodyDef def = { .model = actor->kind->model,
		.pool = actor->pool,
		.allocator = TestAllocator_Get(&allocator),
		.messenger = Listener() };
	snugBody* body = actor->body;
	snugStatus status;
	CALL(world, status = snugBody_Create(&def, &body));
	const bool lacked = allocator.calls >= allocator.failAt;
	EXPECT(world, lacked ? status == snug_outOfMemory && body == NULL && allocator.live == 0 : status == snug_success,
	    "%s, %llu blocks left", snugGetStatusText(status), (unsigned long long)allocator.live);
	if (!lacked)
	{
		// Posing and asking take nothing.
		const uint64_t calls = allocator.calls;
		allocator.failAt = calls + 1;
		if (Actor_Replay(actor, body) == snug_success)
		{
			snugBody* other = OtherActor(world, actor)->body;
			CALL(world, snugCollide(body, other, NULL));
		}
		EXPECT(world, allocator.calls == calls, "a query took memory");
		snugBody_Destroy(body);
	}
	EXPECT(world, allocator.live == 0 && allocator.faults == 0, "memory was not given back");
	return true;
}
