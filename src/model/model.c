// src/model/model.c: making and loading models.
#include "model/model.h"

#include "base/team.h"
#include "model/block.h"
#include "model/deformer.h"
#include "model/rest.h"

#include <math.h>
#include <string.h>

static snugStatus CheckTreeDef(const snugTreeDef* def, const snugMessenger* messenger)
{
	if (def->leafTriangles < 1 || def->leafTriangles > SG_MAX_LEAF_TRIANGLES)
	{
		return sgFail(messenger, snug_badArgument, "leaves of %d triangles; 1 to %d are possible", def->leafTriangles,
		    SG_MAX_LEAF_TRIANGLES);
	}
	return snug_success;
}

static snugStatus CheckMesh(const sgMeshView* mesh, const snugMessenger* messenger)
{
	for (uint32_t v = 0; v < mesh->vertexCount; ++v)
	{
		const float* p = sgMeshView_Position(mesh, v);
		for (int axis = 0; axis < 3; ++axis)
		{
			if (!(fabsf(p[axis]) <= SNUG_MAX_COORDINATE))
			{
				return sgFail(
				    messenger, snug_badInput, "vertex %u: coordinate %c is not finite or too large", v, "xyz"[axis]);
			}
		}
	}
	for (uint32_t t = 0; t < mesh->triangleCount; ++t)
	{
		const uint32_t* corner = sgMeshView_Triangle(mesh, t);
		for (int c = 0; c < 3; ++c)
		{
			if (corner[c] >= mesh->vertexCount)
			{
				return sgFail(messenger, snug_badInput, "triangle %u: vertex %u of %u does not exist", t, corner[c],
				    mesh->vertexCount);
			}
		}
	}
	return snug_success;
}

// Reads the description; everything about it that can be wrong is found here.
static snugStatus ReadDef(const snugModelDef* def, sgMeshView* mesh)
{
	SG_REQUIRE_IN("snugModel_Create", def->positions != NULL || def->vertexCount == 0, snug_badArgument);
	SG_REQUIRE_IN("snugModel_Create", def->triangles != NULL || def->triangleCount == 0, snug_badArgument);
	*mesh = (sgMeshView){
		.positions = (const char*)def->positions,
		.positionStride = sgStride(def->positionStride, 3 * sizeof(float)),
		.vertexCount = def->vertexCount,
		.triangles = (const char*)def->triangles,
		.triangleStride = sgStride(def->triangleStride, 3 * sizeof(uint32_t)),
		.triangleCount = def->triangleCount,
	};
	if (mesh->positionStride == 0 || mesh->triangleStride == 0)
	{
		return sgFail(&def->messenger, snug_badArgument, "strides must be multiples of 4 and at least 12");
	}
	if (def->vertexCount > SG_MAX_COUNT || def->triangleCount > SG_MAX_COUNT)
	{
		return sgFail(&def->messenger, snug_outOfRange, "%u vertices and %u triangles; at most %u of each are possible",
		    def->vertexCount, def->triangleCount, SG_MAX_COUNT);
	}
	bool isFixed = def->deformer == snug_rigid || def->deformer == snug_free;
	if (isFixed && (def->skin.jointCount > 0 || def->fields.fieldCount > 0))
	{
		sgWarn(&def->messenger, "weights or displacement fields are given, but %s models do not use them: see deformer",
		    def->deformer == snug_rigid ? "rigid" : "free");
	}
	for (uint32_t i = 0; i < def->fields.fieldCount && def->fields.frequencies != NULL; ++i)
	{
		if (!(def->fields.frequencies[i] >= 0.0f && def->fields.frequencies[i] <= SNUG_MAX_COORDINATE))
		{
			return sgFail(&def->messenger, snug_badInput, "frequency %u is negative, not finite or too large", i);
		}
	}
	return CheckMesh(mesh, &def->messenger);
}

// What a model under construction points to until all of it is copied into one block.
typedef struct Scratch
{
	sgTreeArrays arrays;
	float* positions;
	size_t positionBytes;
	sgBoxLanes* bounds;
	size_t boundBytes;
	void* clusters;
	size_t clusterBytes;
	void* deformData;
	size_t deformBytes;
	uint32_t* twins;
	void* certificates;
	size_t certificateBytes;
} Scratch;

/// Vertices that are done at a time when several threads share the work.
#define CHUNK 2048

/// Positions on their way from the caller's order to the tree's.
typedef struct Reordering
{
	const sgTree* tree;
	const sgMeshView* mesh;
	float* positions;
} Reordering;

static void ReorderPositions(void* context, uint32_t worker, uint32_t chunk)
{
	const Reordering* r = context;
	uint32_t first = chunk * CHUNK, left = r->tree->vertexCount - first;
	(void)worker;
	for (uint32_t i = first; i < first + (left < CHUNK ? left : CHUNK); ++i)
	{
		memcpy(r->positions + 3 * (size_t)i, sgMeshView_Position(r->mesh, r->tree->vertexMap[i]), 3 * sizeof(float));
	}
}

// Rest positions in tree order, and the tightest boxes around them.
static snugStatus BuildRest(snugModel* model, const sgMeshView* mesh, Scratch* scratch)
{
	const sgTree* tree = &model->tree;
	scratch->positionBytes = (3 * (size_t)tree->vertexCount + 1) * sizeof(float);
	scratch->positions = sgAllocate(&model->allocator, scratch->positionBytes);
	scratch->boundBytes = tree->groupCount * sizeof(sgBoxLanes);
	scratch->bounds = sgAllocate(&model->allocator, scratch->boundBytes);
	if (scratch->positions == NULL || scratch->bounds == NULL)
	{
		return snug_outOfMemory;
	}
	Reordering reordering = { tree, mesh, scratch->positions };
	sgTeam_Run(model->team, (tree->vertexCount + CHUNK - 1) / CHUNK, ReorderPositions, &reordering);
	scratch->positions[3 * (size_t)tree->vertexCount] = 0.0f;
	model->positions = scratch->positions;
	sgRest_Bound(model, scratch->bounds);
	model->restBounds = scratch->bounds;
	return snug_success;
}

static snugStatus BuildParts(snugModel* model, const snugModelDef* def, const sgMeshView* mesh, Scratch* scratch)
{
	snugStatus status =
	    sgTree_Build(mesh, (uint32_t)model->treeDef.leafTriangles, &model->allocator, model->team, &scratch->arrays);
	if (status != snug_success)
	{
		return status;
	}
	model->tree = scratch->arrays.tree;
	status = BuildRest(model, mesh, scratch);
	if (status == snug_success && model->deform->positions == NULL)
	{
		status =
		    sgClusters_Build(&model->tree, &model->allocator, model->team, &scratch->clusters, &scratch->clusterBytes);
		model->clusterBytes = scratch->clusterBytes;
		model->clusters = status == snug_success ? sgClusters_Bind(&model->tree, scratch->clusters) : model->clusters;
	}
	if (status == snug_success && model->deform->build != NULL)
	{
		status = model->deform->build(model, def, &scratch->deformData, &scratch->deformBytes);
		model->deformData = scratch->deformData;
		model->deformBytes = scratch->deformBytes;
	}
	if (status == snug_success)
	{
		const sgTwinsInput input = sgModel_TwinsInput(model);
		status = sgTwins_Build(&input, &model->allocator, model->team, &scratch->twins);
		model->twins = scratch->twins;
	}
	if (status == snug_success && def->certificates && model->deform->buildCertificates != NULL)
	{
		status = model->deform->buildCertificates(model, &scratch->certificates, &scratch->certificateBytes);
		model->certificateData = scratch->certificates;
		model->certificateBytes = scratch->certificateBytes;
	}
	return status == snug_success ? sgBlock_Make(model) : status;
}

static snugStatus Build(snugModel* model, const snugModelDef* def, const sgMeshView* mesh)
{
	Scratch scratch = { 0 };
	snugStatus status = BuildParts(model, def, mesh, &scratch);
	sgRelease(&model->allocator, scratch.certificates, scratch.certificateBytes);
	sgRelease(&model->allocator, scratch.twins, sgTwins_Bytes(mesh->vertexCount));
	sgRelease(&model->allocator, scratch.deformData, scratch.deformBytes);
	sgRelease(&model->allocator, scratch.clusters, scratch.clusterBytes);
	sgRelease(&model->allocator, scratch.bounds, scratch.boundBytes);
	sgRelease(&model->allocator, scratch.positions, scratch.positionBytes);
	sgTreeArrays_Release(&scratch.arrays, &model->allocator);
	if (status == snug_outOfMemory || status == snug_outOfRange)
	{
		return sgFail(&def->messenger, status, "could not build a model of %u triangles: %s", mesh->triangleCount,
		    snugGetStatusText(status));
	}
	return status;
}

// A model never changes once it is made, so what is asked of it often is counted once.
static snugModelInfo Summarise(const snugModel* model)
{
	const sgTree* tree = &model->tree;
	const sgContents contents = sgModel_Describe(model);
	return (snugModelInfo){
		.vertexCount = tree->vertexCount,
		.triangleCount = tree->triangleCount,
		.deformer = model->deform->deformer,
		.blending = model->deform->blending,
		.tree = model->treeDef,
		.jointCount = contents.jointCount,
		.fieldCount = contents.fieldCount,
		.influenceCount = contents.influenceCount,
		.maxInfluences = contents.maxInfluences,
		.displacementCount = contents.displacementCount,
		.nodeCount = tree->nodeCount,
		.leafCount = tree->leafCount,
		.depth = tree->depth,
		.bytes = model->bytes,
		.restMeshBytes = 12 * ((size_t)tree->vertexCount + tree->triangleCount),
		.certificateBytes = model->certificateBytes,
	};
}

// What the deformer knows of a whole model, found once for all bodies.
static snugStatus BindDeformer(snugModel* model, const snugMessenger* messenger)
{
	const sgDeform* deform = model->deform;
	model->info = Summarise(model);
	if (model->frequencyCount != 0 && model->frequencyCount != model->info.fieldCount)
	{
		return sgFail(messenger, snug_badFile, "bad model: it has not as many frequencies as displacement fields");
	}
	if (deform->bind == NULL)
	{
		return snug_success;
	}
	model->arrays = sgAllocate(&model->allocator, deform->arrayBytes);
	if (model->arrays == NULL)
	{
		return sgFail(messenger, snug_outOfMemory, "no memory for a model");
	}
	deform->bind(model, model->arrays);
	return snug_success;
}

static void ReleaseBlock(const snugModel* model)
{
	if (model->ownsBlock)
	{
		sgRelease(&model->allocator, (void*)(uintptr_t)model->block, model->bytes);
	}
	else if (model->unmap != NULL)
	{
		model->unmap(model->block, model->bytes);
	}
}

static void Release(snugModel* model)
{
	snugAllocator allocator = model->allocator;
	sgRelease(&allocator, model->arrays, model->arrays != NULL ? model->deform->arrayBytes : 0);
	ReleaseBlock(model);
	sgRelease(&allocator, model, sizeof(snugModel));
}

static SG_NOINLINE snugStatus Create(const snugModelDef* def, const sgTeam* team, snugModel** out)
{
	const int leafTriangles = def->tree.leafTriangles == 0 ? SG_MAX_LEAF_TRIANGLES : def->tree.leafTriangles;
	const snugTreeDef treeDef = { .leafTriangles = leafTriangles };
	snugStatus status = CheckTreeDef(&treeDef, &def->messenger);
	if (status != snug_success)
	{
		return status;
	}
	const sgDeform* deform = sgDeform_Find(def->deformer, def->skin.blending);
	if (deform == NULL)
	{
		return sgFail(&def->messenger, snug_badArgument, "unknown deformer: %d, blending %d", (int)def->deformer,
		    (int)def->skin.blending);
	}
	sgMeshView mesh;
	status = ReadDef(def, &mesh);
	if (status != snug_success)
	{
		return status;
	}
	snugAllocator allocator = sgAllocator_OrDefault(def->allocator);
	snugModel* model = sgAllocate(&allocator, sizeof(snugModel));
	if (model == NULL)
	{
		return sgFail(&def->messenger, snug_outOfMemory, "no memory for a model");
	}
	bool hasFrequencies = def->deformer == snug_fields && def->fields.frequencies != NULL;
	*model = (snugModel){
		.allocator = allocator,
		.deform = deform,
		.treeDef = treeDef,
		.team = team,
		.frequencies = hasFrequencies ? def->fields.frequencies : NULL,
		.frequencyCount = hasFrequencies ? def->fields.fieldCount : 0,
	};
	status = Build(model, def, &mesh);
	model->team = NULL;
	status = status == snug_success ? BindDeformer(model, &def->messenger) : status;
	if (status != snug_success)
	{
		Release(model);
		return status;
	}
	*out = model;
	return snug_success;
}

snugStatus snugModel_Create(const snugModelDef* def, snugModel** model)
{
	SG_REQUIRE(model != NULL, snug_badArgument);
	*model = NULL;
	SG_REQUIRE(def != NULL && sgAllocator_IsValid(&def->allocator), snug_badArgument);
	SG_REQUIRE_RESERVED(def, snug_badArgument);
	SG_REQUIRE_RESERVED(&def->tree, snug_badArgument);
	SG_REQUIRE_RESERVED(&def->skin, snug_badArgument);
	SG_REQUIRE_RESERVED(&def->fields, snug_badArgument);
	sgFpEnv environment = sgFpEnv_Enter();
	const sgTeam team = { def->workers, environment, def->progress, def->progressUser };
	snugStatus status = Create(def, &team, model);
	sgFpEnv_Leave(environment);
	return status;
}

void snugModel_Destroy(snugModel* model)
{
	if (model != NULL)
	{
		SG_REQUIRE(atomic_load_explicit(&model->bodies, memory_order_acquire) == 0, ); // they would go on using it
		Release(model);
	}
}

snugModelInfo snugModel_GetInfo(const snugModel* model)
{
	SG_REQUIRE(model != NULL, (snugModelInfo){ 0 });
	return model->info;
}

snugStatus snugModel_GetTriangles(const snugModel* model, uint32_t* triangles, size_t stride)
{
	SG_REQUIRE(model != NULL && (triangles != NULL || model->tree.triangleCount == 0), snug_badArgument);
	stride = sgStride(stride, 3 * sizeof(uint32_t));
	SG_REQUIRE(stride != 0, snug_badArgument);
	const sgTree* tree = &model->tree;
	for (uint32_t i = 0; i < tree->leafCount; ++i)
	{
		const sgLeaf* leaf = tree->leaves + i;
		for (uint32_t t = 0; t < leaf->triangleCount; ++t)
		{
			uint32_t* out = (uint32_t*)(void*)((char*)triangles + tree->triangleMap[leaf->firstTriangle + t] * stride);
			for (int c = 0; c < 3; ++c)
			{
				out[c] = tree->vertexMap[tree->leafVertices[leaf->firstVertex + leaf->corners[c][t]]];
			}
		}
	}
	return snug_success;
}

const void* snugModel_GetBlock(const snugModel* model, size_t* bytes)
{
	SG_REQUIRE(model != NULL && bytes != NULL, NULL);
	*bytes = model->bytes;
	return model->block;
}

static SG_NOINLINE snugStatus Load(const sgBlockSource* source, const snugLoadDef* def, snugModel** out)
{
	snugAllocator allocator = sgAllocator_OrDefault(def->allocator);
	const snugModel start = {
		.allocator = allocator,
		.block = source->block,
		.bytes = source->bytes,
		.ownsBlock = source->isGiven,
		.unmap = source->unmap,
	};
	snugModel* model = sgAllocate(&allocator, sizeof(snugModel));
	if (model == NULL)
	{
		ReleaseBlock(&start);
		return sgFail(&def->messenger, snug_outOfMemory, "no memory for a model");
	}
	*model = start;
	snugStatus status = sgBlock_Read(model, source->isCopied, def);
	status = status == snug_success ? BindDeformer(model, &def->messenger) : status;
	if (status != snug_success)
	{
		Release(model);
		return status;
	}
	*out = model;
	return snug_success;
}

snugStatus sgModel_Read(const sgBlockSource* source, const snugLoadDef* def, snugModel** model)
{
	sgFpEnv environment = sgFpEnv_Enter();
	snugStatus status = Load(source, def, model);
	sgFpEnv_Leave(environment);
	return status;
}

snugStatus snugModel_LoadMemory(const void* block, size_t bytes, const snugLoadDef* def, snugModel** model)
{
	SG_REQUIRE(model != NULL, snug_badArgument);
	*model = NULL;
	const snugLoadDef defaults = { 0 };
	def = def != NULL ? def : &defaults;
	SG_REQUIRE(block != NULL && sgAllocator_IsValid(&def->allocator), snug_badArgument);
	SG_REQUIRE_RESERVED(def, snug_badArgument);
	SG_REQUIRE(!def->inPlace || (uintptr_t)block % SG_ALIGNMENT == 0, snug_badArgument);
	const sgBlockSource source = { .block = block, .bytes = bytes, .isCopied = !def->inPlace };
	return sgModel_Read(&source, def, model);
}
