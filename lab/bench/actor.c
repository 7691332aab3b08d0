#include "lab/bench/actor.h"

#include "lab/bench/timer.h"

// ---- Poses -----------------------------------------------------------------------------------------------------

const float* benchActor_GetMatrices(const benchActor* actor, int frame)
{
	return actor->matrices + 12 * (size_t)frame * actor->weights->transformCount;
}

static snugStatus PoseSkin(const benchActor* actor, snugBody* body, int frame)
{
	const benchSkinning* skin = actor->skin;
	snugStatus status =
	    snugBody_SetJoints(body, benchActor_GetMatrices(actor, frame), 0, actor->weights->transformCount);
	if (status == snug_success && skin != NULL && skin->targets != NULL)
	{
		uint32_t count = skin->targets->count;
		status = snugBody_SetAmplitudes(body, skin->amplitudes + (size_t)frame * count, count);
	}
	return status;
}

static snugStatus PoseFields(const benchActor* actor, snugBody* body, int frame)
{
	return snugBody_SetAmplitudes(body, actor->amplitudes + (size_t)frame * actor->fieldCount, actor->fieldCount);
}

static snugStatus PoseVertices(const benchActor* actor, snugBody* body, int frame)
{
	uint32_t count = actor->mesh->vertexCount;
	return snugBody_SetVertices(body, actor->vertices + 3 * (size_t)frame * count, 0, 0, count);
}

static snugStatus PoseNothing(const benchActor* actor, snugBody* body, int frame)
{
	(void)actor;
	(void)body;
	(void)frame;
	return snug_success;
}

benchActor benchActor_Skinned(const sceneMesh* mesh, const sceneWeights* weights, const float* matrices, int frameCount,
    const benchSkinning* skin)
{
	return (benchActor){ .mesh = mesh,
		.deformer = snug_skin,
		.pose = PoseSkin,
		.frameCount = frameCount,
		.weights = weights,
		.matrices = matrices,
		.skin = skin };
}

benchActor benchActor_Fielded(
    const sceneMesh* mesh, const float* fields, uint32_t fieldCount, const float* amplitudes, int frameCount)
{
	return (benchActor){ .mesh = mesh,
		.deformer = snug_fields,
		.pose = PoseFields,
		.frameCount = frameCount,
		.fields = fields,
		.fieldCount = fieldCount,
		.amplitudes = amplitudes };
}

benchActor benchActor_Free(const sceneMesh* mesh, const float* vertices, int frameCount)
{
	return (benchActor){
		.mesh = mesh, .deformer = snug_free, .pose = PoseVertices, .frameCount = frameCount, .vertices = vertices
	};
}

benchActor benchActor_Rigid(const sceneMesh* mesh, int frameCount)
{
	return (benchActor){ .mesh = mesh, .deformer = snug_rigid, .pose = PoseNothing, .frameCount = frameCount };
}

// ---- Models ----------------------------------------------------------------------------------------------------

static snugModelDef MakeDef(const benchActor* actor)
{
	if (actor->weights != NULL)
	{
		const benchSkinning* skin = actor->skin;
		snugModelDef def = sceneMakeBlendDef(actor->mesh, actor->weights, (snugTreeDef){ 0 });
		def.skin.blending = skin != NULL ? skin->blending : snug_blendLinear;
		def.skin.jointPositions = skin != NULL ? skin->jointPositions : NULL;
		def.fields = skin != NULL && skin->targets != NULL ? sceneTargets_Get(skin->targets) : (snugFieldsDef){ 0 };
		return def;
	}
	snugModelDef def = sceneMesh_MakeDef(actor->mesh, actor->deformer);
	def.fields = (snugFieldsDef){ .fieldCount = actor->fieldCount, .displacements = actor->fields };
	return def;
}

snugStatus benchActor_MakeModel(const benchActor* actor, snugModel** model)
{
	const snugModelDef def = MakeDef(actor);
	return snugModel_Create(&def, model);
}

// ---- Bodies ----------------------------------------------------------------------------------------------------

// A body of a model, if that was made.
static bool MakeBody(benchBody* body, snugStrategy strategy, snugStatus status, benchReport* report)
{
	if (status == snug_success)
	{
		snugBodyDef bodyDef = { .model = body->model, .strategy = strategy };
		status = snugBody_Create(&bodyDef, &body->body);
	}
	if (status != snug_success)
	{
		benchReport_Fail(report, "cannot make a body: %s", snugGetStatusText(status));
		benchBody_Destroy(body);
	}
	return status == snug_success;
}

bool benchBody_Create(benchBody* body, const benchActor* actor, snugStrategy strategy, benchReport* report)
{
	*body = (benchBody){ .def = MakeDef(actor) };
	double start = benchNow();
	snugStatus status = snugModel_Create(&body->def, &body->model);
	body->buildMs = benchNow() - start;
	return MakeBody(body, strategy, status, report);
}

bool benchBody_CreateSkin(
    benchBody* body, const sceneMesh* mesh, const sceneWeights* weights, const benchSkinning* skin, benchReport* report)
{
	const benchActor actor = benchActor_Skinned(mesh, weights, NULL, 0, skin);
	return benchBody_Create(body, &actor, snug_strategyAuto, report);
}

bool benchBody_CreateLike(benchBody* body, const benchBody* other, snugStrategy strategy, benchReport* report)
{
	*body = (benchBody){ other->def, other->model, NULL, true, other->buildMs };
	return MakeBody(body, strategy, snug_success, report);
}

void benchBody_Destroy(benchBody* body)
{
	snugBody_Destroy(body->body);
	snugModel_Destroy(body->borrowsModel ? NULL : body->model);
	body->body = NULL;
	body->model = NULL;
}
