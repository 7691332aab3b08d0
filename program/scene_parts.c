// How each mesh instance of a file becomes a body: which deformer suits what moves it.
#include "io/rig.h"
#include "program/scene.h"

#include <limits.h>
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
	cliScene* scene;
	int file;
	const ioAsset* asset;
	const ioClip* clip; ///< null: rest
	ioPose* pose;       ///< at rest
	bool* moved;        ///< per node: a channel of the clip moves it or a node above it
	bool* rigid;        ///< per node: it and those above it turn and move, and do nothing else
	bool* morphed;      ///< per node: a channel of the clip sets its morph weights
	meshModels* models; ///< per mesh
	uint32_t only;      ///< instance that a model is made for; IO_NONE: all
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

static void MarkNodes(maker* m)
{
	for (uint32_t i = 0; i < m->asset->nodeCount; ++i)
	{
		m->rigid[i] = IsRigidNode(m->asset->nodes + i);
	}
	for (uint32_t i = 0; m->clip != NULL && i < m->clip->channelCount; ++i)
	{
		const ioChannel* channel = m->clip->channels + i;
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
static cliMotion ChooseMorph(const maker* m, uint32_t instance)
{
	uint32_t node = m->asset->instances[instance].node;
	if (m->asset->meshes[m->asset->instances[instance].mesh].targetCount > UINT16_MAX)
	{
		return cli_vertices; // more than a model can have
	}
	if (m->scene->options->baked)
	{
		return cli_morphing;
	}
	if (!m->moved[node])
	{
		return IsRotation(ioPose_GetNodeMatrix(m->pose, node)) ? cli_morphed : cli_morphing;
	}
	return m->rigid[node] ? cli_morphed : cli_vertices;
}

// Targets whose weights are zero throughout change nothing, so they do not count, unless the model is to stand alone,
// since then they are there for whoever loads it, or to be reported.
static bool HasFields(const maker* m, uint32_t instance)
{
	uint32_t mesh = m->asset->instances[instance].mesh;
	const cliSceneOptions* options = m->scene->options;
	return HasMorphs(m, instance) ||
	       ((options->baked || options->anyWeights) && m->asset->meshes[mesh].targetCount > 0);
}

static cliMotion ChooseMotion(const maker* m, uint32_t instance)
{
	const ioInstance* body = m->asset->instances + instance;
	if (IsSkinned(m, instance))
	{
		return cli_jointed;
	}
	if (HasFields(m, instance))
	{
		return ChooseMorph(m, instance);
	}
	if (m->scene->options->baked)
	{
		return cli_still;
	}
	if (!m->moved[body->node])
	{
		// A mesh that is used once is moved for good; one that is used often is shared.
		return IsRotation(ioPose_GetNodeMatrix(m->pose, body->node)) ? cli_framed
		       : m->models[body->mesh].uses == 1                     ? cli_still
		                                                             : cli_affine;
	}
	return m->rigid[body->node] ? cli_framed : cli_affine;
}

// ---- Models ----------------------------------------------------------------------------------------------------

static bool FailMemory(const maker* m)
{
	return cliScene_Fail(m->scene, m->scene->files[m->file].path, "out of memory");
}

static const snugModel* CreateModel(const maker* m, snugModelDef* def)
{
	const char* path = m->scene->files[m->file].path;
	cliTeller teller = { m->scene, path };
	snugModel* model = NULL;
	def->messenger = (snugMessenger){ cliScene_Tell, &teller };
	snugStatus status = snugModel_Create(def, &model);
	if (status != snug_success)
	{
		cliScene_Fail(m->scene, path, snugGetStatusText(status));
		return NULL;
	}
	if (!cliScene_AddModel(m->scene, model))
	{
		FailMemory(m);
		return NULL;
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
static const snugModel* CreatePlaced(const maker* m, uint32_t instance, snugDeformer deformer)
{
	const ioMesh* mesh = &m->asset->meshes[m->asset->instances[instance].mesh].mesh;
	float* positions = malloc(((size_t)mesh->vertexCount + 1) * 3 * sizeof(float));
	const snugModel* model = NULL;
	if (positions == NULL)
	{
		FailMemory(m);
	}
	else if (!ioPose_EvaluateVertices(m->pose, instance, positions))
	{
		cliScene_Fail(m->scene, m->scene->files[m->file].path, "positions at rest are too large for float32");
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

static snugBoundsDef GetSkinBounds(const maker* m)
{
	const cliSceneOptions* options = m->scene->options;
	return (snugBoundsDef){
		.bound = options->bound <= snug_boundCorners ? (snugBound)options->bound : snug_boundDefault,
		.volume = (snugVolume)options->volume,
		.restVolume = (snugRestVolume)options->restVolume,
		.boundLeaves = options->boundLeaves,
	};
}

static snugDeformer GetSkinDeformer(const maker* m)
{
	static const snugDeformer deformers[] = { snug_skin, snug_skin, snug_sphericalSkin, snug_dualQuaternionSkin };
	return deformers[m->scene->options->deformer];
}

static const snugModel* CreateJointed(const maker* m, const ioAssetMesh* mesh, const ioSkin* skin, bool hasFields)
{
	snugModelDef def = MakeDef(&mesh->mesh, GetSkinDeformer(m));
	ioRig rig;
	if (!ioRig_Make(&rig, mesh, skin, hasFields))
	{
		FailMemory(m);
		return NULL;
	}
	def.skin = (snugSkinDef){ .jointCount = skin->jointCount,
		.starts = mesh->influenceStart,
		.joints = mesh->joints,
		.weights = mesh->weights,
		.jointPositions = rig.jointPositions };
	def.fields = (snugFieldsDef){
		.fieldCount = rig.targetCount, .starts = rig.starts, .fields = rig.targets, .displacements = rig.deltas
	};
	const snugBoundsDef bounds = GetSkinBounds(m);
	def.bounds = &bounds;
	const snugModel* model = CreateModel(m, &def);
	ioRig_Free(&rig);
	return model;
}

// All of the mesh by one transform.
static const snugModel* CreateAffine(const maker* m, const ioAssetMesh* mesh)
{
	size_t count = mesh->mesh.vertexCount;
	uint16_t* transforms = calloc(count + 1, sizeof(uint16_t));
	float* weights = malloc((count + 1) * sizeof(float));
	const snugModel* model = NULL;
	if (transforms == NULL || weights == NULL)
	{
		FailMemory(m);
	}
	else
	{
		for (size_t i = 0; i < count; ++i)
		{
			weights[i] = 1.0f;
		}
		snugModelDef def = MakeDef(&mesh->mesh, snug_skin);
		def.skin = (snugSkinDef){ .jointCount = 1, .influencesPerVertex = 1, .joints = transforms, .weights = weights };
		const snugBoundsDef bounds = GetSkinBounds(m);
		def.bounds = &bounds;
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
	if (m->scene->options->baked)
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

static const snugModel* CreateMorphed(const maker* m, uint32_t instance, const double matrix[12])
{
	const ioAssetMesh* mesh = m->asset->meshes + m->asset->instances[instance].mesh;
	const cliSceneOptions* options = m->scene->options;
	const snugModel* model = NULL;
	ioRig rig = { .jointPositions = NULL };
	float* positions = malloc(((size_t)mesh->mesh.vertexCount + 1) * 3 * sizeof(float));
	if (positions == NULL || !ioRig_Make(&rig, mesh, NULL, true))
	{
		FailMemory(m);
	}
	else if (!PlaceMesh(m, instance, matrix, positions))
	{
		cliScene_Fail(m->scene, m->scene->files[m->file].path, "positions at rest are too large for float32");
	}
	else
	{
		snugModelDef def = MakeDef(&mesh->mesh, snug_fields);
		bool isOurs = options->bound >= snug_boundInterval || options->bound == snug_boundZeroOrder ||
		              options->bound == snug_boundFirstOrder;
		TurnTargets(&rig, mesh->mesh.vertexCount, matrix);
		def.positions = positions;
		def.fields = (snugFieldsDef){
			.fieldCount = mesh->targetCount, .starts = rig.starts, .fields = rig.targets, .displacements = rig.deltas
		};
		const snugBoundsDef bounds = {
			.bound = isOurs ? (snugBound)options->bound : snug_boundDefault,
			.boundLeaves = options->boundLeaves,
		};
		def.bounds = &bounds;
		model = CreateModel(m, &def);
	}
	ioRig_Free(&rig);
	free(positions);
	return model;
}

// ---- Models of parts -------------------------------------------------------------------------------------------

static const snugModel* GetModel(const maker* m, uint32_t instance, cliMotion motion)
{
	const ioInstance* body = m->asset->instances + instance;
	const ioAssetMesh* mesh = m->asset->meshes + body->mesh;
	meshModels* known = m->models + body->mesh;
	switch (motion)
	{
		case cli_still:
			return CreatePlaced(m, instance, snug_rigid);
		case cli_vertices:
			known->free = known->free != NULL ? known->free : CreatePlaced(m, instance, snug_free);
			return known->free;
		case cli_framed:
			if (known->rigid == NULL)
			{
				snugModelDef def = MakeDef(&mesh->mesh, snug_rigid);
				known->rigid = CreateModel(m, &def);
			}
			return known->rigid;
		case cli_affine:
			known->affine = known->affine != NULL ? known->affine : CreateAffine(m, mesh);
			return known->affine;
		case cli_morphed:
		{
			static const double identity[12] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 };
			known->morphed = known->morphed != NULL ? known->morphed : CreateMorphed(m, instance, identity);
			return known->morphed;
		}
		case cli_morphing:
			return CreateMorphed(m, instance, ioPose_GetNodeMatrix(m->pose, body->node));
		case cli_tracked: // not of an instance
		case cli_jointed:
			break;
	}
	int which = HasFields(m, instance) ? 1 : 0;
	const ioSkin *skins = m->asset->skins, *skin = skins + body->skin;
	// Where joints are at rest matters to skins that turn; to the others their number does.
	bool isKnown = known->jointed[which] != NULL &&
	               (known->skins[which] == body->skin ||
	                   (GetSkinDeformer(m) == snug_skin && skins[known->skins[which]].jointCount == skin->jointCount));
	if (!isKnown)
	{
		known->jointed[which] = CreateJointed(m, mesh, skin, which == 1);
		known->skins[which] = body->skin;
	}
	return known->jointed[which];
}

// ---- Parts -----------------------------------------------------------------------------------------------------

static bool AddPart(const maker* m, uint32_t instance)
{
	const ioInstance* body = m->asset->instances + instance;
	const ioMesh* mesh = &m->asset->meshes[body->mesh].mesh;
	bool wanted = !m->scene->options->baked || instance == m->only;
	cliMotion motion = ChooseMotion(m, instance);
	const snugModel* model = wanted ? GetModel(m, instance, motion) : NULL;
	if (wanted && model == NULL)
	{
		return false;
	}
	cliPart* part = cliScene_AddPart(m->scene);
	if (part == NULL)
	{
		return FailMemory(m);
	}
	*part = (cliPart){ m->file, body->name, instance, motion, model, mesh->triangles, mesh->vertexCount,
		mesh->triangleCount,
		motion == cli_jointed && HasFields(m, instance) ? m->asset->meshes[body->mesh].targetCount : 0 };
	return true;
}

// Before anything is made of it: a small file may use a large mesh very often.
static bool CheckSize(const maker* m)
{
	uint64_t triangles = 0;
	for (uint32_t i = 0; i < m->asset->instanceCount; ++i)
	{
		uint32_t mesh = m->asset->instances[i].mesh;
		triangles += m->asset->meshes[mesh].mesh.triangleCount;
		m->models[mesh].uses++;
	}
	if (m->asset->instanceCount > CLI_MAX_BODIES || triangles > CLI_MAX_TRIANGLES)
	{
		return cliScene_Fail(
		    m->scene, m->scene->files[m->file].path, "too many bodies, or triangles of all of them together");
	}
	return true;
}

// By name or, failing that, by number.
static uint32_t FindInstance(const ioAsset* asset, const char* name)
{
	for (uint32_t i = 0; i < asset->instanceCount; ++i)
	{
		if (name == NULL || strcmp(asset->instances[i].name, name) == 0)
		{
			return name != NULL || asset->instanceCount == 1 ? i : IO_NONE;
		}
	}
	char* end;
	unsigned long number = name != NULL && name[0] >= '0' && name[0] <= '9' ? strtoul(name, &end, 10) : ULONG_MAX;
	return number < asset->instanceCount && *end == '\0' ? (uint32_t)number : IO_NONE;
}

bool cliScene_AddParts(cliScene* scene, int file)
{
	maker m = { .scene = scene, .file = file, .asset = cliScene_GetAsset(scene, file) };
	uint32_t clip = scene->files[file].clip;
	size_t nodes = (size_t)m.asset->nodeCount + 1;
	m.clip = clip != IO_NONE ? m.asset->clips + clip : NULL;
	m.only = FindInstance(m.asset, scene->options->only);
	m.pose = ioPose_Create(m.asset);
	m.moved = calloc(nodes, sizeof(bool));
	m.rigid = calloc(nodes, sizeof(bool));
	m.morphed = calloc(nodes, sizeof(bool));
	m.models = calloc((size_t)m.asset->meshCount + 1, sizeof(meshModels));
	bool made = m.pose != NULL && m.moved != NULL && m.rigid != NULL && m.morphed != NULL && m.models != NULL;
	if (!made)
	{
		FailMemory(&m);
	}
	else
	{
		MarkNodes(&m);
		made = CheckSize(&m);
	}
	for (uint32_t i = 0; made && i < m.asset->instanceCount; ++i)
	{
		made = AddPart(&m, i);
	}
	ioPose_Destroy(m.pose);
	free(m.moved);
	free(m.rigid);
	free(m.morphed);
	free(m.models);
	return made;
}
