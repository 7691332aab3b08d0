// Which deformer suits what moves an instance, and the models that follow from it.
#include "io/cast.h"
#include "io/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Lengths and angles that are this close to those of a rotation are its rounding in the file.
#define RIGID_TOLERANCE 1e-6

/// What was made for a mesh before, so that its instances share models.
typedef struct meshModels
{
	const snugModel* rigid;
	const snugModel* affine;
	const snugModel* free;
	const snugModel* morphed;
	const snugModel* jointed[2]; ///< without and with morph targets
	uint32_t skins[2];           ///< of those
	uint32_t uses;               ///< instances of the mesh
} meshModels;

typedef struct maker
{
	ioCast* cast;
	const ioAsset* asset;
	const snugActorDef* def;
	bool isAlone;       ///< a model that stands alone: what is not skinned is where its node puts it
	ioPose* pose;       ///< at rest
	bool* moved;        ///< per node: a channel of a clip moves it or a node above it
	bool* rigid;        ///< per node: it and those above it turn and move, and do nothing else
	bool* morphed;      ///< per node: a channel of a clip sets its morph weights
	meshModels* models; ///< per mesh
	snugStatus status;  ///< why there is no model
} maker;

// ---- What moves what -------------------------------------------------------------------------------------------

static bool IsRotation(const double m[12])
{
	for (int a = 0; a < 3; ++a)
	{
		for (int b = a; b < 3; ++b)
		{
			double dot = m[a] * m[b] + m[4 + a] * m[4 + b] + m[8 + a] * m[8 + b];
			if (!(fabs(dot - (a == b ? 1.0 : 0.0)) <= RIGID_TOLERANCE))
			{
				return false;
			}
		}
	}
	double determinant =
	    m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8]);
	return determinant > 0.0;
}

static bool IsUnitScale(double x)
{
	return fabs(x - 1.0) <= RIGID_TOLERANCE;
}

static bool IsRigidNode(const ioNode* node)
{
	return node->hasMatrix ? IsRotation(node->matrix)
	                       : IsUnitScale(node->scale[0]) && IsUnitScale(node->scale[1]) && IsUnitScale(node->scale[2]);
}

// Keys only: a spline may leave them in between, so one is never taken for rigid.
static bool ScalesByOne(const ioChannel* channel)
{
	for (size_t i = 0; i < (size_t)channel->keyCount * channel->width; ++i)
	{
		if (channel->interpolation == io_cubicSpline || !IsUnitScale((double)channel->values[i]))
		{
			return false;
		}
	}
	return true;
}

static void MarkChannels(maker* m, const ioClip* clip)
{
	for (uint32_t i = 0; i < clip->channelCount; ++i)
	{
		const ioChannel* channel = clip->channels + i;
		if (channel->path == io_weights)
		{
			m->morphed[channel->node] = true;
		}
		else
		{
			m->moved[channel->node] = true;
			m->rigid[channel->node] &= channel->path != io_scale || ScalesByOne(channel);
		}
	}
}

static void MarkNodes(maker* m)
{
	for (uint32_t i = 0; i < m->asset->nodeCount; ++i)
	{
		m->rigid[i] = IsRigidNode(m->asset->nodes + i);
	}
	for (uint32_t i = 0; i < m->asset->clipCount; ++i)
	{
		if (m->cast->plays[i])
		{
			MarkChannels(m, m->asset->clips + i);
		}
	}
	for (uint32_t i = 0; i < m->asset->nodeCount; ++i)
	{
		uint32_t node = m->asset->nodeOrder[i], parent = m->asset->nodes[node].parent;
		if (parent != IO_NONE)
		{
			m->moved[node] |= m->moved[parent];
			m->rigid[node] &= m->rigid[parent];
		}
	}
}

static bool HasMorphs(const maker* m, uint32_t instance)
{
	const ioInstance* body = m->asset->instances + instance;
	const double* weights = ioPose_GetMorphWeights(m->pose, instance);
	bool set = m->morphed[body->node] && m->asset->meshes[body->mesh].targetCount > 0;
	for (uint32_t i = 0; i < m->asset->meshes[body->mesh].targetCount; ++i)
	{
		set = set || weights[i] != 0.0;
	}
	return set;
}

// A mesh without triangles may have a skin and no influences.
static bool IsSkinned(const maker* m, uint32_t instance)
{
	const ioInstance* body = m->asset->instances + instance;
	return body->skin != IO_NONE && m->asset->meshes[body->mesh].influenceStart != NULL;
}

// Of a body with morph targets and no skin. A node that stays where it is, but scales or shears, can be part of the
// fields; one that does so over time cannot.
static ioMotion ChooseMorph(const maker* m, uint32_t instance)
{
	uint32_t node = m->asset->instances[instance].node;
	if (m->asset->meshes[m->asset->instances[instance].mesh].targetCount > UINT16_MAX)
	{
		return io_vertices; // more than a model can have
	}
	if (m->isAlone)
	{
		return io_morphing;
	}
	if (!m->moved[node])
	{
		return IsRotation(ioPose_GetNodeMatrix(m->pose, node)) ? io_morphed : io_morphing;
	}
	return m->rigid[node] ? io_morphed : io_vertices;
}

// Targets whose weights are zero throughout change nothing, so they do not count, unless the model is to stand alone,
// since then they are there for whoever loads it.
static bool HasFields(const maker* m, uint32_t instance)
{
	uint32_t mesh = m->asset->instances[instance].mesh;
	return HasMorphs(m, instance) || ((m->isAlone || m->def->allTargets) && m->asset->meshes[mesh].targetCount > 0);
}

static ioMotion ChooseMotion(const maker* m, uint32_t instance)
{
	const ioInstance* body = m->asset->instances + instance;
	if (IsSkinned(m, instance))
	{
		return io_jointed;
	}
	if (HasFields(m, instance))
	{
		return ChooseMorph(m, instance);
	}
	if (m->isAlone)
	{
		return io_still;
	}
	if (!m->moved[body->node])
	{
		// A mesh that is used once is moved for good; one that is used often is shared.
		return IsRotation(ioPose_GetNodeMatrix(m->pose, body->node)) ? io_framed
		       : m->models[body->mesh].uses == 1                     ? io_still
		                                                             : io_affine;
	}
	return m->rigid[body->node] ? io_framed : io_affine;
}

// ---- Models ----------------------------------------------------------------------------------------------------

static const snugModel* Fail(maker* m, snugStatus status)
{
	m->status = status;
	return NULL;
}

static const snugModel* FailLarge(maker* m)
{
	ioTell(&m->def->messenger, "positions at rest are too large for float32");
	return Fail(m, snug_outOfRange);
}

static const snugModel* CreateModel(maker* m, snugModelDef* def)
{
	snugModel* model = NULL;
	def->messenger = m->def->messenger;
	def->certificates = m->def->certificates && def->deformer == snug_fields;
	def->workers = m->def->workers;
	def->progress = m->def->progress;
	def->progressUser = m->def->progressUser;
	m->status = snugModel_Create(def, &model);
	if (model != NULL)
	{
		m->cast->models[m->cast->modelCount++] = model; // at most one per role
	}
	return model;
}

static snugModelDef MakeDef(const ioMesh* mesh, snugDeformer deformer)
{
	return (snugModelDef){ .positions = mesh->positions,
		.vertexCount = mesh->vertexCount,
		.triangles = mesh->triangles,
		.triangleCount = mesh->triangleCount,
		.deformer = deformer };
}

// A model of positions in the world at rest.
static const snugModel* CreatePlaced(maker* m, uint32_t instance, snugDeformer deformer)
{
	const ioMesh* mesh = &m->asset->meshes[m->asset->instances[instance].mesh].mesh;
	float* positions = malloc(((size_t)mesh->vertexCount + 1) * 3 * sizeof(float));
	const snugModel* model = NULL;
	if (positions == NULL)
	{
		Fail(m, snug_outOfMemory);
	}
	else if (!ioPose_EvaluateVertices(m->pose, instance, positions))
	{
		FailLarge(m);
	}
	else
	{
		snugModelDef def = MakeDef(mesh, deformer);
		def.positions = positions;
		model = CreateModel(m, &def);
	}
	free(positions);
	return model;
}

static const snugModel* CreateJointed(maker* m, const ioAssetMesh* mesh, const ioSkin* skin, bool hasFields)
{
	snugModelDef def = MakeDef(&mesh->mesh, snug_skin);
	ioRig rig;
	if (!ioRig_Make(&rig, mesh, skin, hasFields))
	{
		return Fail(m, snug_outOfMemory);
	}
	def.skin = (snugSkinDef){ .jointCount = skin->jointCount,
		.starts = mesh->influenceStart,
		.joints = mesh->joints,
		.weights = mesh->weights,
		.jointPositions = rig.jointPositions,
		.blending = m->def->blending };
	def.fields = (snugFieldsDef){
		.fieldCount = rig.targetCount, .starts = rig.starts, .fields = rig.targets, .displacements = rig.deltas
	};
	const snugModel* model = CreateModel(m, &def);
	ioRig_Free(&rig);
	return model;
}

// All of the mesh by one transform.
static const snugModel* CreateAffine(maker* m, const ioAssetMesh* mesh)
{
	size_t count = mesh->mesh.vertexCount;
	uint16_t* transforms = calloc(count + 1, sizeof(uint16_t));
	float* weights = malloc((count + 1) * sizeof(float));
	const snugModel* model = NULL;
	if (transforms == NULL || weights == NULL)
	{
		Fail(m, snug_outOfMemory);
	}
	else
	{
		for (size_t i = 0; i < count; ++i)
		{
			weights[i] = 1.0f;
		}
		snugModelDef def = MakeDef(&mesh->mesh, snug_skin);
		def.skin = (snugSkinDef){ .jointCount = 1, .influencesPerVertex = 1, .joints = transforms, .weights = weights };
		model = CreateModel(m, &def);
	}
	free(transforms);
	free(weights);
	return model;
}

// ---- Morph targets ---------------------------------------------------------------------------------------------

// Turn displacements as a matrix does.
static void TurnTargets(ioRig* rig, uint32_t vertexCount, const double matrix[12])
{
	for (size_t i = 0; i < rig->starts[vertexCount]; ++i)
	{
		float* d = rig->deltas + 3 * i;
		const double from[3] = { (double)d[0], (double)d[1], (double)d[2] };
		for (size_t k = 0; k < 3; ++k)
		{
			const double* row = matrix + 4 * k;
			d[k] = (float)(row[0] * from[0] + row[1] * from[1] + row[2] * from[2]);
		}
	}
}

// Positions of the mesh where a matrix puts them, and if the model is to stand alone as its weights at rest make them:
// amplitudes are added to those then.
static bool PlaceMesh(const maker* m, uint32_t instance, const double matrix[12], float* positions)
{
	const ioMesh* mesh = &m->asset->meshes[m->asset->instances[instance].mesh].mesh;
	if (m->isAlone)
	{
		return ioPose_EvaluateVertices(m->pose, instance, positions);
	}
	for (size_t i = 0; i < 3 * (size_t)mesh->vertexCount; ++i)
	{
		const float* p = mesh->positions + i / 3 * 3;
		const double* row = matrix + 4 * (i % 3);
		positions[i] = (float)(row[0] * (double)p[0] + row[1] * (double)p[1] + row[2] * (double)p[2] + row[3]);
		if (!isfinite(positions[i]))
		{
			return false;
		}
	}
	return true;
}

static const snugModel* CreateMorphed(maker* m, uint32_t instance, const double matrix[12])
{
	const ioAssetMesh* mesh = m->asset->meshes + m->asset->instances[instance].mesh;
	const snugModel* model = NULL;
	ioRig rig = { .jointPositions = NULL };
	float* positions = malloc(((size_t)mesh->mesh.vertexCount + 1) * 3 * sizeof(float));
	if (positions == NULL || !ioRig_Make(&rig, mesh, NULL, true))
	{
		Fail(m, snug_outOfMemory);
	}
	else if (!PlaceMesh(m, instance, matrix, positions))
	{
		FailLarge(m);
	}
	else
	{
		snugModelDef def = MakeDef(&mesh->mesh, snug_fields);
		TurnTargets(&rig, mesh->mesh.vertexCount, matrix);
		def.positions = positions;
		def.fields = (snugFieldsDef){
			.fieldCount = mesh->targetCount, .starts = rig.starts, .fields = rig.targets, .displacements = rig.deltas
		};
		model = CreateModel(m, &def);
	}
	ioRig_Free(&rig);
	free(positions);
	return model;
}

// ---- Models of parts -------------------------------------------------------------------------------------------

static const snugModel* GetModel(maker* m, uint32_t instance, ioMotion motion)
{
	const ioInstance* body = m->asset->instances + instance;
	const ioAssetMesh* mesh = m->asset->meshes + body->mesh;
	meshModels* known = m->models + body->mesh;
	switch (motion)
	{
		case io_still:
			return CreatePlaced(m, instance, snug_rigid);
		case io_vertices:
			known->free = known->free != NULL ? known->free : CreatePlaced(m, instance, snug_free);
			return known->free;
		case io_framed:
			if (known->rigid == NULL)
			{
				snugModelDef def = MakeDef(&mesh->mesh, snug_rigid);
				known->rigid = CreateModel(m, &def);
			}
			return known->rigid;
		case io_affine:
			known->affine = known->affine != NULL ? known->affine : CreateAffine(m, mesh);
			return known->affine;
		case io_morphed:
		{
			static const double identity[12] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 };
			known->morphed = known->morphed != NULL ? known->morphed : CreateMorphed(m, instance, identity);
			return known->morphed;
		}
		case io_morphing:
			return CreateMorphed(m, instance, ioPose_GetNodeMatrix(m->pose, body->node));
		case io_jointed:
			break;
	}
	int which = HasFields(m, instance) ? 1 : 0;
	const ioSkin *skins = m->asset->skins, *skin = skins + body->skin;
	// Where joints are at rest matters to skins that turn; to the others their number does.
	bool isKnown =
	    known->jointed[which] != NULL &&
	    (known->skins[which] == body->skin ||
	        (m->def->blending == snug_blendLinear && skins[known->skins[which]].jointCount == skin->jointCount));
	if (!isKnown)
	{
		known->jointed[which] = CreateJointed(m, mesh, skin, which == 1);
		known->skins[which] = body->skin;
	}
	return known->jointed[which];
}

// ---- Casts -----------------------------------------------------------------------------------------------------

static snugStatus FillCast(maker* m)
{
	ioCast* cast = m->cast;
	size_t nodes = (size_t)m->asset->nodeCount + 1;
	m->pose = ioPose_Create(m->asset);
	m->moved = calloc(nodes, sizeof(bool));
	m->rigid = calloc(nodes, sizeof(bool));
	m->morphed = calloc(nodes, sizeof(bool));
	m->models = calloc((size_t)m->asset->meshCount + 1, sizeof(meshModels));
	if (m->pose == NULL || m->moved == NULL || m->rigid == NULL || m->morphed == NULL || m->models == NULL)
	{
		return snug_outOfMemory;
	}
	MarkNodes(m);
	for (uint32_t i = 0; i < cast->roleCount; ++i)
	{
		m->models[m->asset->instances[cast->roles[i].instance].mesh].uses++;
	}
	for (uint32_t i = 0; i < cast->roleCount && m->status == snug_success; ++i)
	{
		ioRole* role = cast->roles + i;
		role->motion = ChooseMotion(m, role->instance);
		role->model = GetModel(m, role->instance, role->motion);
	}
	return m->status;
}

// Instances and clips of a definition.
static bool AreThere(const ioAsset* asset, const snugActorDef* def)
{
	bool good = (def->instances != NULL || def->instanceCount == 0) && (def->clips != NULL || def->clipCount == 0);
	for (uint32_t i = 0; good && i < def->instanceCount; ++i)
	{
		good = def->instances[i] < asset->instanceCount;
	}
	for (uint32_t i = 0; good && i < def->clipCount; ++i)
	{
		good = def->clips[i] < asset->clipCount;
	}
	return good;
}

static bool IsBlending(snugBlending blending)
{
	return blending == snug_blendLinear || blending == snug_blendSpherical || blending == snug_blendDualQuaternion;
}

static ioCast* AllocateCast(const ioAsset* asset, const snugActorDef* def)
{
	ioCast* cast = calloc(1, sizeof(ioCast));
	if (cast == NULL)
	{
		return NULL;
	}
	cast->asset = asset;
	cast->roleCount = def->instances != NULL ? def->instanceCount : asset->instanceCount;
	cast->roles = calloc((size_t)cast->roleCount + 1, sizeof(ioRole));
	cast->models = calloc((size_t)cast->roleCount + 1, sizeof(snugModel*));
	cast->plays = calloc((size_t)asset->clipCount + 1, sizeof(bool));
	if (cast->roles == NULL || cast->models == NULL || cast->plays == NULL)
	{
		ioCast_Destroy(cast);
		return NULL;
	}
	for (uint32_t i = 0; i < cast->roleCount; ++i)
	{
		cast->roles[i].instance = def->instances != NULL ? def->instances[i] : i;
	}
	for (uint32_t i = 0; i < (def->clips != NULL ? def->clipCount : asset->clipCount); ++i)
	{
		cast->plays[def->clips != NULL ? def->clips[i] : i] = true;
	}
	return cast;
}

static snugStatus CreateCast(const ioAsset* asset, const snugActorDef* def, bool isAlone, ioCast** out)
{
	*out = NULL;
	if (!AreThere(asset, def) || !IsBlending(def->blending))
	{
		return snug_badArgument;
	}
	ioCast* cast = AllocateCast(asset, def);
	if (cast == NULL)
	{
		return snug_outOfMemory;
	}
	maker m = { .cast = cast, .asset = asset, .def = def, .isAlone = isAlone };
	snugStatus status = FillCast(&m);
	ioPose_Destroy(m.pose);
	free(m.moved);
	free(m.rigid);
	free(m.morphed);
	free(m.models);
	if (status != snug_success)
	{
		ioCast_Destroy(cast);
		return status;
	}
	*out = cast;
	return snug_success;
}

snugStatus ioCast_Create(const ioAsset* asset, const snugActorDef* def, ioCast** cast)
{
	return CreateCast(asset, def, false, cast);
}

void ioCast_Destroy(ioCast* cast)
{
	if (cast != NULL)
	{
		for (uint32_t i = 0; i < cast->modelCount; ++i)
		{
			snugModel_Destroy(cast->models[i]);
		}
		free(cast->roles);
		free(cast->models);
		free(cast->plays);
		free(cast);
	}
}

snugStatus snugAsset_CreateModel(
    const snugAsset* asset, uint32_t instance, const snugActorDef* given, snugModel** model)
{
	snugActorDef def;
	ioCast* cast;
	if (model != NULL)
	{
		*model = NULL;
	}
	if (asset == NULL || model == NULL || !ioTakeActorDef(given, &def))
	{
		return snug_badArgument;
	}
	def.instances = &instance;
	def.instanceCount = 1;
	def.clips = NULL;
	def.clipCount = 0;
	snugStatus status = CreateCast(asset, &def, true, &cast);
	if (status == snug_success)
	{
		*model = cast->models[0];
		cast->modelCount = 0;
		ioCast_Destroy(cast);
	}
	return status;
}
