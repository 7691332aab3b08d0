// Bodies of an asset, and how a time of a clip becomes their poses.
#include "io/cast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct snugActor
{
	const ioCast* cast;
	ioCast* own; // null if the models are another's
	ioPose* pose;
	snugBody** bodies; // per role
	bool ownsBodies;
	float* scratch; // vertices, joint matrices or amplitudes of one body
	snugMessenger messenger;
};

// ---- Frames ----------------------------------------------------------------------------------------------------

static void MultiplyQuaternions(const double a[4], const double b[4], double out[4])
{
	out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
	out[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
	out[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
	out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

// The quaternion of a rotation matrix, from its largest component, so that nothing cancels (Shepperd 1978).
static void GetQuaternion(const double m[12], double q[4])
{
	double trace = m[0] + m[5] + m[10];
	int i = m[0] >= m[5] && m[0] >= m[10] ? 0 : m[5] >= m[10] ? 1 : 2;
	int j = (i + 1) % 3, k = (i + 2) % 3;
	if (trace > m[5 * i])
	{
		double s = sqrt(1.0 + trace);
		q[3] = 0.5 * s;
		q[0] = (m[9] - m[6]) / (2.0 * s);
		q[1] = (m[2] - m[8]) / (2.0 * s);
		q[2] = (m[4] - m[1]) / (2.0 * s);
		return;
	}
	double s = sqrt(1.0 + m[5 * i] - m[5 * j] - m[5 * k]);
	q[i] = 0.5 * s;
	q[j] = (m[4 * j + i] + m[4 * i + j]) / (2.0 * s);
	q[k] = (m[4 * k + i] + m[4 * i + k]) / (2.0 * s);
	q[3] = (m[4 * k + j] - m[4 * j + k]) / (2.0 * s);
}

// x' = x + 2 u cross (u cross x + w x), for a unit quaternion (u, w).
static void Rotate(const double q[4], const double x[3], double out[3])
{
	double t[3] = { q[1] * x[2] - q[2] * x[1] + q[3] * x[0], q[2] * x[0] - q[0] * x[2] + q[3] * x[1],
		q[0] * x[1] - q[1] * x[0] + q[3] * x[2] };
	out[0] = x[0] + 2.0 * (q[1] * t[2] - q[2] * t[1]);
	out[1] = x[1] + 2.0 * (q[2] * t[0] - q[0] * t[2]);
	out[2] = x[2] + 2.0 * (q[0] * t[1] - q[1] * t[0]);
}

snugFrame ioPlaceFrame(const snugFrame* place, const snugFrame* inner)
{
	snugFrame frame;
	MultiplyQuaternions(place->rotation, inner->rotation, frame.rotation);
	Rotate(place->rotation, inner->position, frame.position);
	for (int k = 0; k < 3; ++k)
	{
		frame.position[k] += place->position[k];
	}
	return frame;
}

// A frame as snugBody_SetFrame reads it: of unit length, where it may be a hundredth off. What is farther off stays,
// for snugBody_SetFrame to refuse; what is off by rounding alone stays as well.
static snugFrame ReadFrame(const snugFrame* given)
{
	snugFrame frame = given != NULL ? *given : (snugFrame){ .position = { 0.0 } };
	double* q = frame.rotation;
	double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
	if (q[0] == 0.0 && q[1] == 0.0 && q[2] == 0.0 && q[3] == 0.0)
	{
		q[3] = 1.0;
	}
	else if (square >= 0.98 && square <= 1.03 && fabs(square - 1.0) > 1e-12)
	{
		for (int k = 0; k < 4; ++k)
		{
			q[k] /= sqrt(square);
		}
	}
	return frame;
}

// ---- Posing ----------------------------------------------------------------------------------------------------

static const float* CopyFloats(float* to, const double* numbers, size_t count)
{
	for (size_t i = 0; i < count; ++i)
	{
		to[i] = (float)numbers[i];
	}
	return to;
}

static void FindJoints(const snugActor* actor, const double* matrices, uint32_t count, ioBodyPose* pose)
{
	pose->joints = CopyFloats(actor->scratch, matrices, 12 * (size_t)count);
	pose->jointCount = count;
}

// Behind the joints, if there are any.
static void FindAmplitudes(const snugActor* actor, const ioRole* role, ioBodyPose* pose)
{
	const double* weights = ioPose_GetMorphWeights(actor->pose, role->instance);
	pose->fieldCount = snugModel_GetInfo(role->model).fieldCount;
	pose->amplitudes = CopyFloats(actor->scratch + 12 * (size_t)pose->jointCount, weights, pose->fieldCount);
}

// Joints, amplitudes or vertices.
static snugStatus FindDeformation(const snugActor* actor, const ioRole* role, ioBodyPose* pose)
{
	const ioAsset* asset = actor->cast->asset;
	const ioInstance* instance = asset->instances + role->instance;
	switch (role->motion)
	{
		case io_still:
		case io_framed:
			break;
		case io_affine:
			FindJoints(actor, ioPose_GetNodeMatrix(actor->pose, instance->node), 1, pose);
			break;
		case io_jointed:
			FindJoints(actor, ioPose_GetJointMatrices(actor->pose, role->instance),
			    asset->skins[instance->skin].jointCount, pose);
			FindAmplitudes(actor, role, pose);
			break;
		case io_morphed:
		case io_morphing:
			FindAmplitudes(actor, role, pose);
			break;
		case io_vertices:
			if (!ioPose_EvaluateVertices(actor->pose, role->instance, actor->scratch))
			{
				ioTell(&actor->messenger, "posed positions are too large for float32");
				return snug_outOfRange;
			}
			pose->vertices = actor->scratch;
			break;
	}
	return snug_success;
}

snugStatus ioActor_FindPose(snugActor* actor, uint32_t number, const snugFrame* frame, ioBodyPose* pose)
{
	const ioRole* role = actor->cast->roles + number;
	*pose = (ioBodyPose){ .frame = *frame };
	if (role->motion == io_framed || role->motion == io_morphed)
	{
		// The node's rotation and translation, then the actor's.
		const double* node = ioPose_GetNodeMatrix(actor->pose, actor->cast->asset->instances[role->instance].node);
		snugFrame inner = { .position = { node[3], node[7], node[11] } };
		GetQuaternion(node, inner.rotation);
		pose->frame = ioPlaceFrame(frame, &inner);
	}
	return FindDeformation(actor, role, pose);
}

snugStatus ioActor_PoseBody(snugActor* actor, uint32_t number, const snugFrame* frame)
{
	snugBody* body = actor->bodies[number];
	ioBodyPose pose;
	snugStatus status = ioActor_FindPose(actor, number, frame, &pose);
	if (status == snug_success && pose.vertices != NULL)
	{
		const uint32_t count = snugModel_GetInfo(snugBody_GetModel(body)).vertexCount;
		status = snugBody_SetVertices(body, pose.vertices, 0, 0, count);
	}
	if (status == snug_success && pose.jointCount > 0)
	{
		status = snugBody_SetJoints(body, pose.joints, 0, pose.jointCount);
	}
	if (status == snug_success && pose.fieldCount > 0)
	{
		status = snugBody_SetAmplitudes(body, pose.amplitudes, pose.fieldCount);
	}
	return status == snug_success ? snugBody_SetFrame(body, &pose.frame) : status;
}

snugStatus ioActor_Evaluate(snugActor* actor, uint32_t clip, double time)
{
	const ioCast* cast = actor->cast;
	if ((clip != SNUG_NONE && (clip >= cast->asset->clipCount || !cast->plays[clip])) || !isfinite(time))
	{
		return snug_badArgument;
	}
	ioPose_Evaluate(actor->pose, clip, time);
	return snug_success;
}

const ioPose* ioActor_GetPose(const snugActor* actor)
{
	return actor->pose;
}

snugStatus snugActor_SetTime(snugActor* actor, uint32_t clip, double time, const snugFrame* frame)
{
	snugStatus status = actor != NULL ? ioActor_Evaluate(actor, clip, time) : snug_badArgument;
	const snugFrame place = ReadFrame(frame);
	for (uint32_t i = 0; status == snug_success && i < actor->cast->roleCount; ++i)
	{
		status = ioActor_PoseBody(actor, i, &place);
	}
	return status;
}

// ---- Making ----------------------------------------------------------------------------------------------------

// Floats for the vertices, matrices or amplitudes of any body.
static size_t GetScratchSize(const ioCast* cast)
{
	size_t size = 12;
	for (uint32_t i = 0; i < cast->roleCount; ++i)
	{
		snugModelInfo info = snugModel_GetInfo(cast->roles[i].model);
		size_t needed = cast->roles[i].motion == io_vertices ? 3 * (size_t)info.vertexCount
		                                                     : 12 * (size_t)info.jointCount + info.fieldCount;
		size = needed > size ? needed : size;
	}
	return size;
}

static snugStatus CreateBodies(snugActor* actor, const snugActorDef* def)
{
	snugStatus status = snug_success;
	for (uint32_t i = 0; status == snug_success && i < actor->cast->roleCount; ++i)
	{
		const snugBodyDef bodyDef = { .model = actor->cast->roles[i].model,
			.strategy = def->strategy,
			.pool = def->pool,
			.messenger = def->messenger };
		status = snugBody_Create(&bodyDef, &actor->bodies[i]);
	}
	return status;
}

snugStatus ioCast_CreateActor(const ioCast* cast, const snugActorDef* def, snugBody* const* bodies, snugActor** out)
{
	*out = NULL;
	snugActor* actor = calloc(1, sizeof(snugActor));
	if (actor == NULL)
	{
		return snug_outOfMemory;
	}
	actor->cast = cast;
	actor->messenger = def->messenger;
	actor->ownsBodies = bodies == NULL;
	actor->pose = ioPose_Create(cast->asset);
	actor->bodies = calloc((size_t)cast->roleCount + 1, sizeof(snugBody*));
	actor->scratch = malloc(GetScratchSize(cast) * sizeof(float));
	bool made = actor->pose != NULL && actor->bodies != NULL && actor->scratch != NULL;
	snugStatus status = made ? snug_success : snug_outOfMemory;
	if (made && bodies != NULL && cast->roleCount > 0)
	{
		memcpy(actor->bodies, bodies, cast->roleCount * sizeof(snugBody*));
	}
	else if (made)
	{
		status = CreateBodies(actor, def);
	}
	if (status != snug_success)
	{
		snugActor_Destroy(actor);
		return status;
	}
	*out = actor;
	return snug_success;
}

snugStatus snugActor_Create(const snugAsset* asset, const snugActorDef* given, snugActor** actor)
{
	snugActorDef def;
	ioCast* cast = NULL;
	if (actor != NULL)
	{
		*actor = NULL;
	}
	if (asset == NULL || actor == NULL || !ioTakeActorDef(given, &def) ||
	    (def.twin != NULL && def.twin->cast->asset != asset))
	{
		return snug_badArgument;
	}
	snugStatus status = def.twin == NULL ? ioCast_Create(asset, &def, &cast) : snug_success;
	if (status == snug_success)
	{
		status = ioCast_CreateActor(cast != NULL ? cast : def.twin->cast, &def, NULL, actor);
	}
	if (status != snug_success)
	{
		ioCast_Destroy(cast);
		return status;
	}
	(*actor)->own = cast;
	status = snugActor_SetTime(*actor, SNUG_NONE, 0.0, NULL);
	if (status != snug_success)
	{
		snugActor_Destroy(*actor);
		*actor = NULL;
	}
	return status;
}

void snugActor_Destroy(snugActor* actor)
{
	if (actor == NULL)
	{
		return;
	}
	for (uint32_t i = 0; actor->ownsBodies && actor->bodies != NULL && i < actor->cast->roleCount; ++i)
	{
		snugBody_Destroy(actor->bodies[i]);
	}
	free(actor->bodies);
	free(actor->scratch);
	ioPose_Destroy(actor->pose);
	ioCast_Destroy(actor->own);
	free(actor);
}

snugBody* const* snugActor_GetBodies(const snugActor* actor, uint32_t* count)
{
	if (count != NULL)
	{
		*count = actor != NULL ? actor->cast->roleCount : 0;
	}
	return actor != NULL ? actor->bodies : NULL;
}
