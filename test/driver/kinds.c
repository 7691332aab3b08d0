// test/driver/kinds.c: models of every sort: meshes that go wrong in different ways, every deformer, every tree, saved
// and loaded or not.
#include "driver/caller.h"

#include <stdio.h>
#include <unistd.h>

// --- Meshes ---------------------------------------------------------------------------------------------------------

// Onto a coarse grid, where things touch and lie in one plane.
static sceneMesh Snap(sceneMesh mesh, double cell)
{
	for (size_t i = 0; i < 3 * (size_t)mesh.vertexCount; ++i)
	{
		mesh.positions[i] = (float)(cell * round((double)mesh.positions[i] / cell));
	}
	return mesh;
}

static sceneMesh DrawClosed(World* world)
{
	const uint64_t seed = sceneRandom_Next(&world->random);
	switch (Below(world, 5))
	{
		case 0:
			return sceneMakeTetrahedron();
		case 1:
			return sceneMakeTorus(
			    Between(world, 0.5, 0.8), Between(world, 0.15, 0.4), 3 + Below(world, 22), 3 + Below(world, 14));
		case 2:
			return sceneMakeSphere(1 + Below(world, 7));
		default:
			return sceneMakeBlob(1 + Below(world, 8), seed);
	}
}

// Closed parts here and there, some of which may be inside what others of are outside of.
static sceneMesh DrawParts(World* world)
{
	sceneMesh all = sceneMesh_Allocate(0, 0);
	for (uint32_t parts = 2 + Below(world, 12); parts > 0; --parts)
	{
		sceneMesh part = Chance(world, 0.5) ? sceneMakeTetrahedron() : sceneMakeSphere(1 + Below(world, 2));
		ScaleMesh(&part, (float)Magnitude(world, 0.02, 0.3));
		sceneMesh_Translate(&part, 1.3 * Signed(world), 1.3 * Signed(world), 1.3 * Signed(world));
		sceneMesh_Append(&all, &part);
		sceneMesh_Free(&part);
	}
	return all;
}

// All triangles have one vertex: where two such bodies have it at one place, all their triangles meet.
static sceneMesh DrawStar(World* world)
{
	sceneMesh mesh = sceneMakeSoup(8 + Below(world, 60), 0.5, sceneRandom_Next(&world->random));
	memset(mesh.positions, 0, 3 * sizeof(float));
	for (uint32_t t = 0; t < mesh.triangleCount; ++t)
	{
		mesh.triangles[3 * t] = 0;
	}
	return mesh;
}

static sceneMesh DrawMesh(World* world)
{
	const uint64_t seed = sceneRandom_Next(&world->random);
	switch (Below(world, 12))
	{
		case 0:
		case 1:
		case 2:
			return DrawClosed(world);
		case 3:
			return Unweld(DrawClosed(world));
		case 4:
			return DrawParts(world);
		case 5: // dust
			return sceneMakeSoup(8 + Below(world, Chance(world, 0.5) ? 30 : 150), Magnitude(world, 0.001, 0.05), seed);
		case 6:
			return DrawStar(world);
		case 7: // each about as large as all of them
			return sceneMakeSoup(10 + Below(world, 70), 2.5, seed);
		case 8:
			return Snap(sceneMakeSoup(2 + Below(world, 80), 0.5, seed), Chance(world, 0.5) ? 0.25 : 0.125);
		default:
		{
			const MeshKind kind = (MeshKind)Below(world, MESH_KINDS);
			return RandomMesh(&world->random, kind == mesh_empty && Chance(world, 0.7) ? mesh_soup : kind);
		}
	}
}

// --- How it deforms -------------------------------------------------------------------------------------------------

// Weights in need of repair: none at all, joints named twice.
static void SpoilWeights(World* world, Skin* skin, uint32_t vertexCount)
{
	for (uint32_t v = 0; v < vertexCount; ++v)
	{
		const uint32_t first = skin->starts[v], end = skin->starts[v + 1];
		for (uint32_t i = first; i < end && Chance(world, 0.1); ++i)
		{
			skin->weights[i] = 0.0f;
		}
		if (end - first > 1 && Chance(world, 0.1))
		{
			skin->transforms[end - 1] = skin->transforms[first];
		}
	}
}

static void DrawSkin(World* world, Kind* kind)
{
	const sceneMesh* mesh = &kind->skinned.mesh;
	kind->skinned.skin = RandomSkin(&world->random, mesh);
	kind->jointCount = kind->skinned.skin.transformCount;
	if (Chance(world, 0.2))
	{
		SpoilWeights(world, &kind->skinned.skin, mesh->vertexCount);
	}
	if (Chance(world, 0.4))
	{
		kind->jointPositions = malloc(3 * (size_t)kind->jointCount * sizeof(float));
		for (size_t i = 0; i < 3 * (size_t)kind->jointCount; ++i)
		{
			kind->jointPositions[i] = (float)(world->scale * Signed(world));
		}
	}
}

static void DescribeSkin(World* world, const Kind* kind, snugModelDef* def)
{
	const Skin* skin = &kind->skinned.skin;
	const uint32_t vertexCount = kind->skinned.mesh.vertexCount, total = skin->starts[vertexCount];
	bool isEven = vertexCount > 0;
	for (uint32_t v = 0; v < vertexCount; ++v)
	{
		isEven = isEven && skin->starts[v + 1] == (v + 1) * skin->starts[1];
	}
	def->skin.jointCount = kind->jointCount;
	if (isEven && Chance(world, 0.5))
	{
		def->skin.influencesPerVertex = skin->starts[1];
	}
	else
	{
		def->skin.starts = Given(world, skin->starts, (vertexCount + 1) * sizeof(uint32_t));
	}
	def->skin.joints = Given(world, skin->transforms, total * sizeof(uint16_t));
	def->skin.weights = Given(world, skin->weights, total * sizeof(float));
	if (kind->jointPositions != NULL)
	{
		def->skin.jointPositions = Given(world, kind->jointPositions, 3 * (size_t)kind->jointCount * sizeof(float));
	}
	def->skin.blending = Mover_Blending(kind->deformer);
}

static void DescribeFields(World* world, const Kind* kind, snugModelDef* def)
{
	const FieldSet* set = &kind->fields;
	const size_t vertexCount = kind->skinned.mesh.vertexCount;
	const size_t total = set->starts != NULL ? set->starts[vertexCount] : vertexCount * set->fieldCount;
	def->fields.fieldCount = set->fieldCount;
	def->certificates = Chance(world, 0.5);
	def->fields.displacements = Given(world, set->displacements, 3 * total * sizeof(float));
	if (kind->frequencies != NULL)
	{
		def->fields.frequencies = Given(world, kind->frequencies, set->fieldCount * sizeof(float));
	}
	if (set->starts != NULL)
	{
		def->fields.starts = Given(world, set->starts, (vertexCount + 1) * sizeof(uint32_t));
		def->fields.fields = Given(world, set->fields, total * sizeof(uint16_t));
	}
}

static snugTreeDef DrawTree(World* world)
{
	return (snugTreeDef){ .leafTriangles = Chance(world, 0.5) ? 1 + (int)Below(world, 2) : (int)Below(world, 9) };
}

// The mesh and how it deforms; nothing of the tree.
static snugModelDef Describe(World* world, const Kind* kind)
{
	const sceneMesh* mesh = &kind->skinned.mesh;
	snugModelDef def = {
		.vertexCount = mesh->vertexCount,
		.triangleCount = mesh->triangleCount,
		.deformer = Mover_Deformer(kind->deformer),
		.positionStride = DrawStride(world, 12),
		.triangleStride = DrawStride(world, 12),
		.messenger = Listener(),
	};
	def.positions = StridedGiven(world, mesh->positions, mesh->vertexCount, 12, def.positionStride);
	def.triangles = StridedGiven(world, mesh->triangles, mesh->triangleCount, 12, def.triangleStride);
	if (Kind_IsSkin(kind))
	{
		DescribeSkin(world, kind, &def);
	}
	if (kind->fields.fieldCount > 0)
	{
		DescribeFields(world, kind, &def);
	}
	return def;
}

// --- Saved and loaded -----------------------------------------------------------------------------------------------

static snugModel* LoadBlock(World* world, Kind* kind, const snugModel* from, const snugLoadDef* def)
{
	size_t bytes;
	const void* block = snugModel_GetBlock(from, &bytes);
	snugModel* model = NULL;
	snugStatus status;
	if (def->inPlace)
	{
		kind->block = aligned_alloc(64, (bytes + 63) / 64 * 64);
		Copy(kind->block, block, bytes);
		CALL(world, status = snugModel_LoadMemory(kind->block, bytes, def, &model));
	}
	else
	{
		const char* copy = Given(world, block, bytes); // aligned by chance only
		CALL(world, status = snugModel_LoadMemory(copy, bytes, def, &model));
	}
	EXPECT(world, status == snug_success, "loading: %s", snugGetStatusText(status));
	return model;
}

static snugModel* LoadFile(World* world, const snugModel* from, const snugLoadDef* def)
{
	char path[] = "driver_XXXXXX";
	const int file = mkstemp(path);
	EXPECT(world, file >= 0, "no file can be made");
	close(file);
	snugStatus saved, loaded;
	snugModel* model = NULL;
	CALL(world, saved = snugModel_SaveFile(from, path));
	CALL(world, loaded = snugModel_LoadFile(path, def, &model));
	unlink(path);
	EXPECT(world, saved == snug_success && loaded == snug_success, "saving: %s; loading: %s", snugGetStatusText(saved),
	    snugGetStatusText(loaded));
	return model;
}

// In the place of a model, the same from its bytes.
static void MaybeReload(World* world, Kind* kind)
{
	if (Chance(world, 0.6))
	{
		return;
	}
	const snugLoadDef def = {
		.allocator = WorldAllocator(world),
		.messenger = Listener(),
		.trusted = Chance(world, 0.5),
		.inPlace = Chance(world, 0.5),
	};
	const bool isFile = Chance(world, 0.3);
	snugModel* loaded = isFile ? LoadFile(world, kind->model, &def) : LoadBlock(world, kind, kind->model, &def);
	snugModel_Destroy(kind->model);
	kind->model = loaded;
	snprintf(kind->name + strlen(kind->name), sizeof(kind->name) - strlen(kind->name), ", loaded%s%s%s",
	    isFile ? " from a file" : "", def.inPlace ? " in place" : "", def.trusted ? " trusted" : "");
}

// --- What is known of it --------------------------------------------------------------------------------------------

typedef struct Edge
{
	uint32_t low, high;
	int direction;
} Edge;

static int CompareEdges(const void* a, const void* b)
{
	const Edge *x = a, *y = b;
	return x->low != y->low ? (x->low < y->low ? -1 : 1) : x->high < y->high ? -1 : x->high > y->high;
}

static void FindEdges(Kind* kind)
{
	const sceneMesh* mesh = &kind->skinned.mesh;
	Edge* edges = malloc((3 * (size_t)mesh->triangleCount + 1) * sizeof(Edge));
	size_t count = 0;
	for (uint32_t i = 0; i < 3 * mesh->triangleCount; ++i)
	{
		const uint32_t v = kind->twins[mesh->triangles[i]];
		const uint32_t w = kind->twins[mesh->triangles[i / 3 * 3 + (i + 1) % 3]];
		kind->hasZeroAreas = kind->hasZeroAreas || v == w;
		if (v != w)
		{
			edges[count++] = v < w ? (Edge){ v, w, 1 } : (Edge){ w, v, -1 };
		}
	}
	qsort(edges, count, sizeof(Edge), CompareEdges);
	kind->isOriented = true;
	for (size_t i = 0, end; i < count; i = end)
	{
		int sum = 0;
		for (end = i; end < count && CompareEdges(edges + i, edges + end) == 0; ++end)
		{
			sum += edges[end].direction;
		}
		kind->openEdges += (end - i) % 2;
		kind->isOriented = kind->isOriented && sum == 0;
	}
	kind->isClosed = kind->openEdges == 0;
	free(edges);
}

static void FindTwins(World* world, Kind* kind)
{
	const uint32_t count = kind->skinned.mesh.vertexCount;
	uint32_t* twins = Room(world, count, sizeof(uint32_t));
	snugStatus status;
	CALL(world, status = snugModel_GetTwins(kind->model, twins));
	EXPECT(world, status == snug_success, "twins: %s", snugGetStatusText(status));
	kind->twins = malloc((count + 1) * sizeof(uint32_t));
	Copy(kind->twins, twins, count * sizeof(uint32_t));
	for (uint32_t v = 0; v < count; ++v)
	{
		EXPECT(world, twins[v] <= v && twins[twins[v]] == twins[v], "vertex %u has the twin %u", v, twins[v]);
		kind->hasTwins = kind->hasTwins || twins[v] != v;
	}
}

static void FindRest(Kind* kind)
{
	const sceneMesh* mesh = &kind->skinned.mesh;
	const size_t bytes = 3 * (size_t)mesh->vertexCount * sizeof(float);
	float* positions = malloc(bytes + 1);
	Copy(positions, mesh->positions, bytes);
	Surface_Set(&kind->rest, mesh, positions);
}

static double SizeOf(const sceneMesh* mesh)
{
	double size = 0.0;
	for (size_t i = 0; i < 3 * (size_t)mesh->triangleCount; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			size = fmax(size, fabs((double)mesh->positions[3 * (size_t)mesh->triangles[i] + (size_t)k]));
		}
	}
	return size;
}

// --- The whole ------------------------------------------------------------------------------------------------------

// The simulation's, and so whatever they are: the library only keeps them.
static void DrawFrequencies(World* world, Kind* kind)
{
	const uint32_t count = Chance(world, 0.4) ? kind->fields.fieldCount : 0;
	kind->frequencies = count > 0 ? malloc(count * sizeof(float)) : NULL;
	for (uint32_t i = 0; i < count; ++i)
	{
		kind->frequencies[i] = (float)Magnitude(world, 1e-3, 1e6);
	}
}

static void Draw(World* world, Kind* kind)
{
	static const Mover deformers[] = { snug_rigid, snug_free, snug_skin, snug_skin, snug_fields, snug_fields,
		mover_spherical, mover_dualQuaternion };
	sceneMesh* mesh = &kind->skinned.mesh;
	*kind = (Kind){ .deformer = deformers[Below(world, LENGTH_OF(deformers))] };
	*mesh = DrawMesh(world);
	if (Kind_IsSkin(kind))
	{
		DrawSkin(world, kind);
	}
	ScaleMesh(mesh, (float)world->scale);
	if (kind->deformer == snug_fields || (Kind_IsSkin(kind) && Chance(world, 0.35)))
	{
		kind->fields = RandomFields(&world->random, mesh, world->scale);
		DrawFrequencies(world, kind);
	}
	const double size = SizeOf(mesh);
	kind->size = size > 0.0 ? size : world->scale;
	kind->far = 2.0 * world->scale; // joints
	for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; ++i)
	{
		kind->far = fmax(kind->far, fabs((double)mesh->positions[i]));
	}
}

static void Name(Kind* kind, const snugTreeDef* tree)
{
	static const char* const names[] = { "rigid", "free", "skin", "fields", "spherical skin", "dual quaternion skin" };
	snprintf(kind->name, sizeof(kind->name), "%s, %u triangles, %u vertices, %u joints, %u fields, leaves of %d",
	    names[kind->deformer], kind->skinned.mesh.triangleCount, kind->skinned.mesh.vertexCount, kind->jointCount,
	    kind->fields.fieldCount, tree->leafTriangles);
}

// Vertices that no triangle uses are far out, and bounds reach beyond what they bound.
static bool IsTooLarge(const World* world, const Kind* kind, snugStatus status)
{
	return (kind->far > (double)SNUG_MAX_COORDINATE && status == snug_badInput) ||
	       (world->isExtreme && status == snug_outOfRange);
}

bool Kind_Make(World* world, Kind* kind)
{
	Draw(world, kind);
	snugModelDef plain = Describe(world, kind), tested = Describe(world, kind);
	tested.tree = DrawTree(world);
	tested.allocator = WorldAllocator(world);
	tested.workers.run = DrawParallel(world);
	Name(kind, &tested.tree);
	snugStatus status;
	CALL(world, status = snugModel_Create(&plain, &kind->plain));
	EXPECT(world, status == snug_success || IsTooLarge(world, kind, status), "%s: %s", kind->name,
	    snugGetStatusText(status));
	if (status != snug_success)
	{
		return false;
	}
	CALL(world, status = snugModel_Create(&tested, &kind->model));
	EXPECT(world, status == snug_success || IsTooLarge(world, kind, status), "%s: %s", kind->name,
	    snugGetStatusText(status));
	if (status != snug_success)
	{
		return false;
	}
	MaybeReload(world, kind);
	FindTwins(world, kind);
	FindEdges(kind);
	FindRest(kind);
	FreeRooms();
	return true;
}

void Kind_Free(Kind* kind)
{
	snugModel_Destroy(kind->model);
	snugModel_Destroy(kind->plain);
	free(kind->block);
	free(kind->twins);
	Surface_Free(&kind->rest);
	free(kind->jointPositions);
	free(kind->frequencies);
	SkinnedMesh_Free(&kind->skinned);
	FieldSet_Free(&kind->fields);
}

void MarkBelow(World* world, const Kind* kind, uint32_t node, bool* marks)
{
	const uint32_t count = kind->skinned.mesh.triangleCount;
	uint32_t* triangles = malloc((count + 1) * sizeof(uint32_t));
	uint32_t below = 0;
	snugModel_GetNodeTriangles(kind->model, node, triangles, count, &below);
	EXPECT(world, below >= 1 && below <= count, "%u triangles below node %u", below, node);
	memset(marks, 0, count);
	for (uint32_t i = 0; i < below; ++i)
	{
		marks[triangles[i]] = true;
	}
	free(triangles);
}
