// Evaluation of an asset at a time. Everything in double precision: this is the reference.
#include "io/load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct local
{
	double translation[3], rotation[4], scale[3];
} local;

// What children take over that do not take over everything.
typedef struct legacy
{
	double unscaled[12]; // to the world without the node's own scale
	double scale[3];     // of the node, in `unscaled`
	uint32_t source;     // the node whose scale it took over, or IO_NONE
} legacy;

struct ioPose
{
	const ioAsset* asset;
	local* locals;    // per node
	double* globals;  // per node, 12 each
	double* joints;   // per joint of all skins, 12 each
	double* weights;  // of all nodes' morph targets
	double* morphed;  // positions of the largest mesh with targets
	legacy* legacies; // per node; null unless a node takes over its parent's scale in a way of its own
};

// ---- Matrices --------------------------------------------------------------------------------------------------

// `out` may not be one of the factors.
static void Multiply(const double a[12], const double b[12], double out[12])
{
	for (int row = 0; row < 3; ++row)
	{
		const double* r = a + 4 * row;
		for (int column = 0; column < 4; ++column)
		{
			out[4 * row + column] = r[0] * b[column] + r[1] * b[4 + column] + r[2] * b[8 + column];
		}
		out[4 * row + 3] += r[3];
	}
}

static void Transform(const double m[12], const double p[3], double out[3])
{
	for (int row = 0; row < 3; ++row)
	{
		out[row] = m[4 * row] * p[0] + m[4 * row + 1] * p[1] + m[4 * row + 2] * p[2] + m[4 * row + 3];
	}
}

// Scale, then turn, then move.
static void Compose(const local* l, double m[12])
{
	double x = l->rotation[0], y = l->rotation[1], z = l->rotation[2], w = l->rotation[3];
	double turn[9] = { 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 2 * (x * y + z * w),
		1 - 2 * (x * x + z * z), 2 * (y * z - x * w), 2 * (x * z - y * w), 2 * (y * z + x * w),
		1 - 2 * (x * x + y * y) };
	for (int row = 0; row < 3; ++row)
	{
		for (int column = 0; column < 3; ++column)
		{
			m[4 * row + column] = turn[3 * row + column] * l->scale[column];
		}
		m[4 * row + 3] = l->translation[row];
	}
}

// Turn about one axis of the parent, after what is in `m` (3 rows of 3).
static void TurnAbout(int axis, double degrees, double m[9])
{
	double c = cos(degrees * IO_RADIANS), s = sin(degrees * IO_RADIANS);
	double *u = m + 3 * ((axis + 1) % 3), *v = m + 3 * ((axis + 2) % 3);
	for (int k = 0; k < 3; ++k)
	{
		double x = u[k], y = v[k];
		u[k] = c * x - s * y;
		v[k] = s * x + c * y;
	}
}

void ioMultiply3(const double a[9], const double b[9], double out[9])
{
	for (int i = 0; i < 9; ++i)
	{
		const double *row = a + i / 3 * 3, *column = b + i % 3;
		out[i] = row[0] * column[0] + row[1] * column[3] + row[2] * column[6];
	}
}

// The local transform of a node with pivots: rotation and scale as in glTF, and where that leaves the origin.
static void ComposePivots(const ioPivots* p, const local* l, double m[12])
{
	static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 2, 0 }, { 1, 0, 2 }, { 2, 0, 1 }, { 2, 1, 0 } };
	double turn[9], all[9];
	memcpy(turn, p->postRotation, sizeof(turn));
	for (int i = 0; i < 3; ++i)
	{
		int axis = orders[p->order][i];
		TurnAbout(axis, l->rotation[axis], turn);
	}
	ioMultiply3(p->preRotation, turn, all);
	for (int row = 0; row < 3; ++row)
	{
		m[4 * row + 3] = l->translation[row] + p->rotationOffset[row] + p->rotationPivot[row];
		for (int k = 0; k < 3; ++k)
		{
			m[4 * row + k] = all[3 * row + k] * l->scale[k];
			double moved = p->scalingOffset[k] + p->scalingPivot[k] - l->scale[k] * p->scalingPivot[k];
			m[4 * row + 3] += all[3 * row + k] * (moved - p->rotationPivot[k]);
		}
	}
}

// ---- Channels --------------------------------------------------------------------------------------------------

// The last key at or before a time, which is within the channel's range and before its end.
static uint32_t FindKey(const ioChannel* c, double time)
{
	uint32_t low = 0, high = c->keyCount - 1; // times[low] <= time < times[high]
	while (high - low > 1)
	{
		uint32_t middle = low + (high - low) / 2;
		if ((double)c->times[middle] <= time)
		{
			low = middle;
		}
		else
		{
			high = middle;
		}
	}
	return low;
}

static void Normalize(double q[4])
{
	double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
	if (!(length > 0.0))
	{
		q[0] = q[1] = q[2] = 0.0;
		q[3] = length = 1.0;
	}
	for (int i = 0; i < 4; ++i)
	{
		q[i] /= length;
	}
}

// The shorter way along the great circle. Nearly equal rotations are mixed, since there the sine vanishes.
static void Slerp(const float* from, const float* to, double t, double q[4])
{
	double a[4], b[4], dot = 0.0;
	for (int i = 0; i < 4; ++i)
	{
		a[i] = (double)from[i];
		b[i] = (double)to[i];
	}
	Normalize(a);
	Normalize(b);
	for (int i = 0; i < 4; ++i)
	{
		dot += a[i] * b[i];
	}
	double sign = dot < 0.0 ? -1.0 : 1.0;
	double angle = acos(fmin(fabs(dot), 1.0)), sine = sin(angle);
	double u = sine > 1e-6 ? sin((1.0 - t) * angle) / sine : 1.0 - t;
	double v = sine > 1e-6 ? sin(t * angle) / sine : t;
	for (int i = 0; i < 4; ++i)
	{
		q[i] = u * a[i] + sign * v * b[i];
	}
	Normalize(q);
}

// Hermite's cubic between two keys, each of which is in-tangent, value, out-tangent. `span` is the time between them.
static void Spline(const float* from, const float* to, uint32_t width, double t, double span, double* out)
{
	double t2 = t * t, t3 = t2 * t;
	for (uint32_t i = 0; i < width; ++i)
	{
		double p0 = (double)from[width + i], m0 = span * (double)from[2 * (size_t)width + i];
		double p1 = (double)to[width + i], m1 = span * (double)to[i];
		out[i] = (2 * t3 - 3 * t2 + 1) * p0 + (t3 - 2 * t2 + t) * m0 + (3 * t2 - 2 * t3) * p1 + (t3 - t2) * m1;
	}
}

static void EvaluateChannel(const ioChannel* c, double time, double* out)
{
	bool cubic = c->interpolation == io_cubicSpline;
	size_t stride = (size_t)c->width * (cubic ? 3 : 1);
	const float* values = c->values + (cubic ? c->width : 0); // of the first key
	double first = (double)c->times[0], last = (double)c->times[c->keyCount - 1];
	bool inside = time >= first && time < last;
	uint32_t key = inside ? FindKey(c, time) : time >= last ? c->keyCount - 1 : 0;
	if (!inside || c->interpolation == io_step)
	{
		for (uint32_t i = 0; i < c->width; ++i)
		{
			out[i] = (double)values[key * stride + i];
		}
	}
	else
	{
		const float *from = c->values + key * stride, *to = from + stride;
		double span = (double)c->times[key + 1] - (double)c->times[key];
		double t = (time - (double)c->times[key]) / span; // the span is positive: times[key] <= time < times[key + 1]
		if (cubic)
		{
			Spline(from, to, c->width, t, span, out);
		}
		else if (c->path == io_rotation && c->width == 4)
		{
			Slerp(from, to, t, out);
		}
		else
		{
			for (uint32_t i = 0; i < c->width; ++i)
			{
				out[i] = (1.0 - t) * (double)from[i] + t * (double)to[i];
			}
		}
	}
	if (c->path == io_rotation && c->width == 4)
	{
		Normalize(out);
	}
}

// ---- Poses -----------------------------------------------------------------------------------------------------

static bool HasLegacies(const ioAsset* asset)
{
	bool some = false;
	for (uint32_t i = 0; i < asset->nodeCount; ++i)
	{
		some = some || (asset->nodes[i].pivots != NULL && asset->nodes[i].pivots->inherit != io_inheritAll);
	}
	return some;
}

ioPose* ioPose_Create(const ioAsset* asset)
{
	size_t vertices = 0;
	for (uint32_t i = 0; i < asset->meshCount; ++i)
	{
		const ioAssetMesh* mesh = asset->meshes + i;
		vertices = mesh->targetCount > 0 && mesh->mesh.vertexCount > vertices ? mesh->mesh.vertexCount : vertices;
	}
	ioPose* pose = calloc(1, sizeof(ioPose));
	if (pose == NULL)
	{
		return NULL;
	}
	pose->asset = asset;
	pose->locals = calloc((size_t)asset->nodeCount + 1, sizeof(local));
	pose->globals = calloc((size_t)asset->nodeCount + 1, 12 * sizeof(double));
	pose->joints = calloc((size_t)asset->jointCount + 1, 12 * sizeof(double));
	pose->weights = calloc((size_t)asset->weightCount + 1, sizeof(double));
	pose->morphed = calloc(vertices + 1, 3 * sizeof(double));
	bool inherits = HasLegacies(asset);
	pose->legacies = inherits ? calloc((size_t)asset->nodeCount + 1, sizeof(legacy)) : NULL;
	if (pose->locals == NULL || pose->globals == NULL || pose->joints == NULL || pose->weights == NULL ||
	    pose->morphed == NULL || (inherits && pose->legacies == NULL))
	{
		ioPose_Destroy(pose);
		return NULL;
	}
	ioPose_Evaluate(pose, IO_NONE, 0.0);
	return pose;
}

void ioPose_Destroy(ioPose* pose)
{
	if (pose != NULL)
	{
		free(pose->locals);
		free(pose->globals);
		free(pose->joints);
		free(pose->weights);
		free(pose->morphed);
		free(pose->legacies);
		free(pose);
	}
}

static void SetRest(ioPose* pose)
{
	const ioAsset* asset = pose->asset;
	for (uint32_t i = 0; i < asset->nodeCount; ++i)
	{
		const ioNode* node = asset->nodes + i;
		local* l = pose->locals + i;
		memcpy(l->translation, node->translation, sizeof(l->translation));
		memcpy(l->rotation, node->rotation, sizeof(l->rotation));
		memcpy(l->scale, node->scale, sizeof(l->scale));
		const ioAssetMesh* mesh = node->mesh != IO_NONE ? asset->meshes + node->mesh : NULL;
		for (uint32_t k = 0; mesh != NULL && k < mesh->targetCount; ++k)
		{
			const float* weights = node->weights != NULL ? node->weights : mesh->targetWeights;
			pose->weights[node->firstWeight + k] = (double)weights[k];
		}
	}
}

static void ApplyClip(ioPose* pose, const ioClip* clip, double time)
{
	for (uint32_t i = 0; i < clip->channelCount; ++i)
	{
		const ioChannel* c = clip->channels + i;
		local* l = pose->locals + c->node;
		double* const outs[] = { l->translation, l->rotation, l->scale,
			pose->weights + pose->asset->nodes[c->node].firstWeight };
		EvaluateChannel(c, time, outs[c->path] + c->first);
	}
}

static void ComposeNode(const ioPose* pose, uint32_t number, double m[12])
{
	const ioNode* node = pose->asset->nodes + number;
	if (node->hasMatrix)
	{
		memcpy(m, node->matrix, 12 * sizeof(double));
	}
	else if (node->pivots != NULL)
	{
		ComposePivots(node->pivots, pose->locals + number, m);
	}
	else
	{
		Compose(pose->locals + number, m);
	}
}

static void CopyScaled(const double from[12], const double scale[3], double to[12])
{
	for (int i = 0; i < 12; ++i)
	{
		to[i] = i % 4 < 3 ? from[i] * scale[i % 4] : from[i];
	}
}

// A node that takes over its parent's scale in another way than by being a part of it: the parent is used without its
// scale, which then moves the node, and scales it where it is asked to.
static void Inherit(ioPose* pose, uint32_t number, const double m[12], double global[12])
{
	const ioNode* node = pose->asset->nodes + number;
	legacy* own = pose->legacies + number;
	ioInherit inherit = node->pivots != NULL && node->parent != IO_NONE ? node->pivots->inherit : io_inheritAll;
	const double* scaled = node->hasMatrix ? (const double[3]){ 1.0, 1.0, 1.0 } : pose->locals[number].scale;
	double turned[12], scale[3];
	own->source = IO_NONE;
	if (inherit == io_inheritAll)
	{
		// Its matrix without its scale: columns divided by it, unless it is nothing that can be divided by.
		for (int k = 0; k < 3; ++k)
		{
			own->scale[k] = scaled[k] != 0.0 ? scaled[k] : 1.0;
			scale[k] = 1.0 / own->scale[k];
		}
		CopyScaled(global, scale, own->unscaled);
		return;
	}
	const legacy* parent = pose->legacies + node->parent;
	own->source = inherit == io_inheritByAxis ? node->parent : parent->source;
	for (int k = 0; k < 3; ++k)
	{
		double taken = own->source != IO_NONE ? pose->legacies[own->source].scale[k] : 1.0;
		scale[k] = scaled[k] != 0.0 ? 1.0 / scaled[k] : 1.0;
		own->scale[k] = scaled[k] * taken;
	}
	CopyScaled(m, scale, turned);
	for (int k = 0; k < 3; ++k)
	{
		turned[4 * k + 3] *= parent->scale[k];
	}
	Multiply(parent->unscaled, turned, own->unscaled);
	CopyScaled(own->unscaled, own->scale, global);
}

void ioPose_Evaluate(ioPose* pose, uint32_t clip, double time)
{
	const ioAsset* asset = pose->asset;
	SetRest(pose);
	if (clip < asset->clipCount)
	{
		ApplyClip(pose, asset->clips + clip, time);
	}
	for (uint32_t i = 0; i < asset->nodeCount; ++i)
	{
		uint32_t number = asset->nodeOrder[i], parent = asset->nodes[number].parent;
		double m[12], *global = pose->globals + 12 * (size_t)number;
		ComposeNode(pose, number, m);
		if (parent != IO_NONE)
		{
			Multiply(pose->globals + 12 * (size_t)parent, m, global);
		}
		else
		{
			memcpy(global, m, sizeof(m));
		}
		if (pose->legacies != NULL)
		{
			Inherit(pose, number, m, global);
		}
	}
	for (uint32_t i = 0; i < asset->skinCount; ++i)
	{
		const ioSkin* skin = asset->skins + i;
		for (uint32_t k = 0; k < skin->jointCount; ++k)
		{
			Multiply(pose->globals + 12 * (size_t)skin->joints[k], skin->inverseBind + 12 * (size_t)k,
			    pose->joints + 12 * ((size_t)skin->firstJoint + k));
		}
	}
}

const double* ioPose_GetNodeMatrix(const ioPose* pose, uint32_t node)
{
	return pose->globals + 12 * (size_t)node;
}

// Columns made orthonormal, one after the other.
static void Straighten(const double m[12], double turn[9], double lengths[3])
{
	double c[3][3];
	for (int k = 0; k < 3; ++k)
	{
		const double column[3] = { m[k], m[4 + k], m[8 + k] };
		memcpy(c[k], column, sizeof(column));
		lengths[k] = sqrt(column[0] * column[0] + column[1] * column[1] + column[2] * column[2]);
	}
	for (int k = 0; k < 2; ++k)
	{
		double along = k == 0 ? 0.0 : c[0][0] * c[1][0] + c[0][1] * c[1][1] + c[0][2] * c[1][2], length = 0.0;
		for (int i = 0; i < 3; ++i)
		{
			c[k][i] -= k == 0 ? 0.0 : along * c[0][i];
			length += c[k][i] * c[k][i];
		}
		for (int i = 0; i < 3; ++i)
		{
			c[k][i] = length > 0.0 ? c[k][i] / sqrt(length) : (double)(i == k);
		}
	}
	double side = 0.0; // of the third column
	for (int i = 0; i < 3; ++i)
	{
		double cross = c[0][(i + 1) % 3] * c[1][(i + 2) % 3] - c[0][(i + 2) % 3] * c[1][(i + 1) % 3];
		side += cross * c[2][i];
		c[2][i] = cross;
	}
	lengths[2] *= side < 0.0 ? -1.0 : 1.0;
	for (int i = 0; i < 9; ++i)
	{
		turn[i] = c[i % 3][i / 3];
	}
}

bool ioPose_GetParts(const ioPose* pose, uint32_t number, double translation[3], double rotation[4], double scale[3])
{
	const ioNode* node = pose->asset->nodes + number;
	local own = pose->locals[number];
	bool isPart = node->pivots == NULL || node->parent == IO_NONE || node->pivots->inherit == io_inheritAll;
	double m[12], turn[9], lengths[3];
	memcpy(scale, own.scale, sizeof(own.scale));
	if (isPart)
	{
		ComposeNode(pose, number, m);
		for (int k = 0; k < 3; ++k)
		{
			translation[k] = m[4 * k + 3];
			own.scale[k] = 1.0;
		}
		memcpy(rotation, own.rotation, sizeof(own.rotation));
		if (node->pivots == NULL)
		{
			return true;
		}
		ComposePivots(node->pivots, &own, m);
	}
	else
	{
		memcpy(m, pose->legacies[number].unscaled, sizeof(m));
		memcpy(scale, pose->legacies[number].scale, sizeof(own.scale));
	}
	Straighten(m, turn, lengths);
	ioQuaternionOf(turn, rotation);
	for (int k = 0; k < 3 && !isPart; ++k)
	{
		translation[k] = m[4 * k + 3];
		scale[k] *= lengths[k];
	}
	return isPart;
}

const double* ioPose_GetJointMatrices(const ioPose* pose, uint32_t instance)
{
	uint32_t skin = pose->asset->instances[instance].skin;
	return skin != IO_NONE ? pose->joints + 12 * (size_t)pose->asset->skins[skin].firstJoint : NULL;
}

const double* ioPose_GetMorphWeights(const ioPose* pose, uint32_t instance)
{
	return pose->weights + pose->asset->nodes[pose->asset->instances[instance].node].firstWeight;
}

// ---- Vertices --------------------------------------------------------------------------------------------------

static void Morph(const ioPose* pose, const ioAssetMesh* mesh, const double* weights)
{
	for (size_t i = 0; i < 3 * (size_t)mesh->mesh.vertexCount; ++i)
	{
		pose->morphed[i] = (double)mesh->mesh.positions[i];
	}
	for (uint32_t t = 0; t < mesh->targetCount; ++t)
	{
		const ioMorphTarget* target = mesh->targets + t;
		for (uint32_t i = 0; weights[t] != 0.0 && i < target->count; ++i)
		{
			double* p = pose->morphed + 3 * (size_t)target->vertices[i];
			for (size_t k = 0; k < 3; ++k)
			{
				p[k] += weights[t] * (double)target->deltas[3 * (size_t)i + k];
			}
		}
	}
}

static void Blend(const ioAssetMesh* mesh, uint32_t vertex, const double* joints, const double p[3], double out[3])
{
	out[0] = out[1] = out[2] = 0.0;
	for (uint32_t i = mesh->influenceStart[vertex]; i < mesh->influenceStart[vertex + 1]; ++i)
	{
		double moved[3], weight = (double)mesh->weights[i];
		Transform(joints + 12 * (size_t)mesh->joints[i], p, moved);
		for (int k = 0; k < 3; ++k)
		{
			out[k] += weight * moved[k];
		}
	}
}

bool ioPose_EvaluateVertices(const ioPose* pose, uint32_t instance, float* positions)
{
	const ioInstance* body = pose->asset->instances + instance;
	const ioAssetMesh* mesh = pose->asset->meshes + body->mesh;
	const double* joints = ioPose_GetJointMatrices(pose, instance);
	const double* node = ioPose_GetNodeMatrix(pose, body->node);
	bool finite = true;
	if (mesh->targetCount > 0)
	{
		Morph(pose, mesh, ioPose_GetMorphWeights(pose, instance));
	}
	for (uint32_t v = 0; v < mesh->mesh.vertexCount; ++v)
	{
		double p[3], out[3];
		for (size_t k = 0; k < 3; ++k)
		{
			size_t i = 3 * (size_t)v + k;
			p[k] = mesh->targetCount > 0 ? pose->morphed[i] : (double)mesh->mesh.positions[i];
		}
		if (joints != NULL)
		{
			Blend(mesh, v, joints, p, out);
		}
		else
		{
			Transform(node, p, out);
		}
		for (size_t k = 0; k < 3; ++k)
		{
			positions[3 * (size_t)v + k] = (float)out[k];
			finite = finite && isfinite(positions[3 * (size_t)v + k]);
		}
	}
	return finite;
}
