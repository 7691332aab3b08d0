// test/io/io_reference.c: see test_io.h.
#include "test_io.h"

#include <math.h>

typedef struct mat4
{
	double m[4][4]; // m[row][column]
} mat4;

static mat4 Identity(void)
{
	return (mat4){ { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 1 } } };
}

static mat4 Product(mat4 a, mat4 b)
{
	mat4 c;
	for (int i = 0; i < 4; ++i)
	{
		for (int j = 0; j < 4; ++j)
		{
			c.m[i][j] = 0;
			for (int k = 0; k < 4; ++k)
			{
				c.m[i][j] += a.m[i][k] * b.m[k][j];
			}
		}
	}
	return c;
}

static mat4 FromRows(const double rows[12])
{
	mat4 m = Identity();
	memcpy(m.m, rows, 12 * sizeof(double));
	return m;
}

// q v q* for unit quaternions x, y, z, w, by two products.
static void Rotate(const double q[4], const double v[3], double out[3])
{
	double a[4] = { q[3] * v[0] + q[1] * v[2] - q[2] * v[1], q[3] * v[1] + q[2] * v[0] - q[0] * v[2],
		q[3] * v[2] + q[0] * v[1] - q[1] * v[0], -q[0] * v[0] - q[1] * v[1] - q[2] * v[2] };
	out[0] = -a[3] * q[0] + a[0] * q[3] - a[1] * q[2] + a[2] * q[1];
	out[1] = -a[3] * q[1] + a[1] * q[3] - a[2] * q[0] + a[0] * q[2];
	out[2] = -a[3] * q[2] + a[2] * q[3] - a[0] * q[1] + a[1] * q[0];
}

static void Unit(double q[4])
{
	double s = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
	for (int i = 0; i < 4; ++i)
	{
		q[i] *= s;
	}
}

static const ioChannel* FindChannel(const ioAsset* asset, uint32_t clip, uint32_t node, ioPath path)
{
	for (uint32_t i = 0; clip != IO_NONE && i < asset->clips[clip].channelCount; ++i)
	{
		const ioChannel* c = asset->clips[clip].channels + i;
		if (c->node == node && c->path == path)
		{
			return c;
		}
	}
	return NULL;
}

// One number of a key: the value, or a tangent of a spline.
static double Number(const ioChannel* c, uint32_t key, uint32_t i, int part)
{
	size_t parts = c->interpolation == io_cubicSpline ? 3 : 1;
	size_t offset = c->interpolation == io_cubicSpline ? (size_t)part : 0;
	return (double)c->values[(key * parts + offset) * c->width + i];
}

static void Sample1(const ioChannel* c, double time, double* out)
{
	uint32_t key = 0;
	while (key + 1 < c->keyCount && (double)c->times[key + 1] <= time)
	{
		++key;
	}
	bool between = key + 1 < c->keyCount && time > (double)c->times[key];
	double span = between ? (double)c->times[key + 1] - (double)c->times[key] : 1.0;
	double s = between ? (time - (double)c->times[key]) / span : 0.0;
	double dot = 0.0;
	for (uint32_t i = 0; i < c->width; ++i)
	{
		double a = Number(c, key, i, 1), b = between ? Number(c, key + 1, i, 1) : a;
		out[i] = a;
		dot += a * b;
		if (between && c->interpolation == io_linear)
		{
			out[i] = a + (b - a) * s;
		}
		if (between && c->interpolation == io_cubicSpline)
		{
			// Bezier's form of the same cubic.
			double p1 = a + span * Number(c, key, i, 2) / 3.0, p2 = b - span * Number(c, key + 1, i, 0) / 3.0;
			double r = 1.0 - s;
			out[i] = r * r * r * a + 3 * r * r * s * p1 + 3 * r * s * s * p2 + s * s * s * b;
		}
	}
	if (c->path == io_rotation && between && c->interpolation == io_linear)
	{
		// Turn from a by s times the angle to b, in the plane that both span.
		double a[4], b[4], side[4];
		for (uint32_t i = 0; i < 4; ++i)
		{
			a[i] = Number(c, key, i, 1);
			b[i] = Number(c, key + 1, i, 1) * (dot < 0 ? -1 : 1);
		}
		Unit(a);
		Unit(b);
		dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
		double length = 0.0;
		for (int i = 0; i < 4; ++i)
		{
			side[i] = b[i] - dot * a[i];
			length += side[i] * side[i];
		}
		double angle = atan2(sqrt(length), dot);
		for (int i = 0; i < 4; ++i)
		{
			out[i] = cos(s * angle) * a[i] + (length > 0 ? sin(s * angle) * side[i] / sqrt(length) : 0.0);
		}
	}
	if (c->path == io_rotation)
	{
		Unit(out);
	}
}

static mat4 LocalMatrix(const ioAsset* asset, uint32_t clip, double time, uint32_t number)
{
	const ioNode* node = asset->nodes + number;
	if (node->hasMatrix)
	{
		return FromRows(node->matrix);
	}
	double t[3], r[4], s[3];
	memcpy(t, node->translation, sizeof(t));
	memcpy(r, node->rotation, sizeof(r));
	memcpy(s, node->scale, sizeof(s));
	double* const outs[3] = { t, r, s };
	for (int path = 0; path < 3; ++path)
	{
		const ioChannel* c = FindChannel(asset, clip, number, (ioPath)path);
		if (c != NULL)
		{
			Sample1(c, time, outs[path]);
		}
	}
	mat4 m = Identity();
	for (int column = 0; column < 3; ++column)
	{
		double axis[3] = { 0, 0, 0 }, turned[3];
		axis[column] = s[column];
		Rotate(r, axis, turned);
		for (int row = 0; row < 3; ++row)
		{
			m.m[row][column] = turned[row];
			m.m[row][3] = t[row];
		}
	}
	return m;
}

static mat4 GlobalMatrix(const ioAsset* asset, uint32_t clip, double time, uint32_t node)
{
	mat4 m = LocalMatrix(asset, clip, time, node);
	for (uint32_t up = asset->nodes[node].parent; up != IO_NONE; up = asset->nodes[up].parent)
	{
		m = Product(LocalMatrix(asset, clip, time, up), m);
	}
	return m;
}

static void MorphAll(const ioAsset* asset, uint32_t clip, double time, const ioInstance* instance, double* positions)
{
	const ioAssetMesh* mesh = asset->meshes + instance->mesh;
	const ioNode* node = asset->nodes + instance->node;
	const ioChannel* c = FindChannel(asset, clip, instance->node, io_weights);
	double* weights = calloc((size_t)mesh->targetCount + 1, sizeof(double));
	for (uint32_t i = 0; i < mesh->targetCount; ++i)
	{
		weights[i] = (double)(node->weights != NULL ? node->weights : mesh->targetWeights)[i];
	}
	if (c != NULL)
	{
		Sample1(c, time, weights);
	}
	for (size_t i = 0; i < 3 * (size_t)mesh->mesh.vertexCount; ++i)
	{
		positions[i] = (double)mesh->mesh.positions[i];
	}
	for (uint32_t t = 0; t < mesh->targetCount; ++t)
	{
		for (uint32_t i = 0; i < mesh->targets[t].count; ++i)
		{
			for (size_t k = 0; k < 3; ++k)
			{
				positions[3 * (size_t)mesh->targets[t].vertices[i] + k] +=
				    weights[t] * (double)mesh->targets[t].deltas[3 * (size_t)i + k];
			}
		}
	}
	free(weights);
}

void ReferenceVertices(const ioAsset* asset, uint32_t clip, double time, uint32_t number, double* positions)
{
	const ioInstance* instance = asset->instances + number;
	const ioAssetMesh* mesh = asset->meshes + instance->mesh;
	const ioSkin* skin = instance->skin != IO_NONE ? asset->skins + instance->skin : NULL;
	mat4 node = GlobalMatrix(asset, clip, time, instance->node);
	mat4* joints = calloc(skin != NULL ? skin->jointCount : 1, sizeof(mat4));
	for (uint32_t i = 0; skin != NULL && i < skin->jointCount; ++i)
	{
		joints[i] =
		    Product(GlobalMatrix(asset, clip, time, skin->joints[i]), FromRows(skin->inverseBind + 12 * (size_t)i));
	}
	MorphAll(asset, clip, time, instance, positions);
	for (uint32_t v = 0; v < mesh->mesh.vertexCount; ++v)
	{
		mat4 m = node;
		if (skin != NULL)
		{
			memset(&m, 0, sizeof(m));
			for (uint32_t i = mesh->influenceStart[v]; i < mesh->influenceStart[v + 1]; ++i)
			{
				for (int k = 0; k < 16; ++k)
				{
					m.m[k / 4][k % 4] += (double)mesh->weights[i] * joints[mesh->joints[i]].m[k / 4][k % 4];
				}
			}
		}
		double* p = positions + 3 * (size_t)v;
		double x = p[0], y = p[1], z = p[2];
		for (int k = 0; k < 3; ++k)
		{
			p[k] = m.m[k][0] * x + m.m[k][1] * y + m.m[k][2] * z + m.m[k][3];
		}
	}
	free(joints);
}

static double CompareAt(const ioAsset* asset, ioPose* pose, uint32_t clip, double time, uint32_t instance)
{
	size_t count = 3 * (size_t)asset->meshes[asset->instances[instance].mesh].mesh.vertexCount;
	double* expected = calloc(count, sizeof(double));
	float* found = calloc(count, sizeof(float));
	double low = INFINITY, high = -INFINITY, worst = 0.0;
	ioPose_Evaluate(pose, clip, time);
	assert_true(ioPose_EvaluateVertices(pose, instance, found));
	ReferenceVertices(asset, clip, time, instance, expected);
	for (size_t i = 0; i < count; ++i)
	{
		low = fmin(low, expected[i]);
		high = fmax(high, expected[i]);
		worst = fmax(worst, fabs((double)found[i] - expected[i]));
	}
	free(expected);
	free(found);
	double size = fmax(high - low, fmax(fabs(low), fabs(high)));
	return size > 0.0 ? worst / size : worst;
}

double CompareWithReference(const ioAsset* asset)
{
	ioPose* pose = ioPose_Create(asset);
	assert_non_null(pose);
	double worst = 0.0;
	for (uint32_t i = 0; i < asset->instanceCount; ++i)
	{
		worst = fmax(worst, CompareAt(asset, pose, IO_NONE, 0.0, i));
		for (uint32_t clip = 0; clip < asset->clipCount; ++clip)
		{
			for (int step = -1; step <= 10; ++step) // before the start and after the end, too
			{
				double time = asset->clips[clip].duration * (0.1 + 0.097 * step);
				worst = fmax(worst, CompareAt(asset, pose, clip, time, i));
			}
		}
	}
	ioPose_Destroy(pose);
	return worst;
}
