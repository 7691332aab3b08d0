// test/io/test_io_fbx.c: FBX files against the format's own formula for transforms, as products of 4x4 matrices.
#include "test_io.h"

#include "fbx_files.h"

#include <math.h>

typedef struct mat4
{
	double m[4][4];
} mat4;

static mat4 Identity(void)
{
	return (mat4){ { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 1 } } };
}

static mat4 Product(mat4 a, mat4 b)
{
	mat4 c;
	for (int i = 0; i < 16; ++i)
	{
		c.m[i / 4][i % 4] = 0.0;
		for (int k = 0; k < 4; ++k)
		{
			c.m[i / 4][i % 4] += a.m[i / 4][k] * b.m[k][i % 4];
		}
	}
	return c;
}

static mat4 Move(const double v[3], double sign)
{
	mat4 m = Identity();
	for (int k = 0; k < 3; ++k)
	{
		m.m[k][3] = sign * v[k];
	}
	return m;
}

static mat4 Scale(const double v[3])
{
	mat4 m = Identity();
	for (int k = 0; k < 3; ++k)
	{
		m.m[k][k] = v[k];
	}
	return m;
}

static mat4 Turn(int axis, double degrees)
{
	mat4 m = Identity();
	double a = degrees * 3.14159265358979323846 / 180.0;
	int u = (axis + 1) % 3, v = (axis + 2) % 3;
	m.m[u][u] = m.m[v][v] = cos(a);
	m.m[u][v] = -sin(a);
	m.m[v][u] = sin(a);
	return m;
}

// Turns about three axes, the first in the order first.
static mat4 Turns(const char* order, const double degrees[3])
{
	mat4 m = Identity();
	for (int i = 0; i < 3; ++i)
	{
		m = Product(Turn(order[i] - 'x', degrees[order[i] - 'x']), m);
	}
	return m;
}

static mat4 Transposed(mat4 m)
{
	mat4 t = Identity();
	for (int i = 0; i < 9; ++i)
	{
		t.m[i / 3][i % 3] = m.m[i % 3][i / 3];
	}
	return t;
}

// A model's transform, all of it.
typedef struct Transform
{
	double t[3], r[3], s[3], ro[3], rp[3], pre[3], post[3], so[3], sp[3], gt[3], gr[3], gs[3];
	int order, inherit;
	bool inactive, limitOnly; // then order, pre- and post-rotation do not count
} Transform;

static const Transform still = { .s = { 1, 1, 1 }, .gs = { 1, 1, 1 }, .inherit = 1 };
static const char* const orders[6] = { "xyz", "xzy", "yzx", "yxz", "zxy", "zyx" };

static mat4 Turning(const Transform* t)
{
	if (t->inactive || t->limitOnly)
	{
		return Turns("xyz", t->r);
	}
	return Product(Turns("xyz", t->pre), Product(Turns(orders[t->order], t->r), Transposed(Turns("xyz", t->post))));
}

static mat4 Local(const Transform* t)
{
	mat4 m = Product(Move(t->t, 1), Product(Move(t->ro, 1), Product(Move(t->rp, 1), Turning(t))));
	m = Product(m, Product(Move(t->rp, -1), Product(Move(t->so, 1), Move(t->sp, 1))));
	return Product(m, Product(Scale(t->s), Move(t->sp, -1)));
}

static mat4 Geometric(const Transform* t)
{
	return Product(Move(t->gt, 1), Product(Turns("xyz", t->gr), Scale(t->gs)));
}

static Transform RandomTransform(uint32_t* random)
{
	Transform t;
	double* numbers = (double*)&t;
	for (size_t i = 0; i < 36; ++i)
	{
		numbers[i] = RandomIn(random, -3, 3);
	}
	for (int k = 0; k < 3; ++k)
	{
		t.r[k] *= 50;
		t.pre[k] *= 50;
		t.post[k] *= 50;
		t.gr[k] *= 50;
		t.s[k] = RandomIn(random, 0.5, 2);
		t.gs[k] = RandomIn(random, 0.5, 2);
	}
	t.order = (int)(NextRandom(random) % 6);
	t.inherit = 1;
	t.inactive = t.limitOnly = false;
	return t;
}

// ---- Files -----------------------------------------------------------------------------------------------------

#define POINTS 4
static const double points[3 * POINTS] = { 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3 };

static void AddModel(Fbx* f, int64_t id, const char* name, const Transform* t)
{
	static const struct
	{
		const char* name;
		size_t offset;
	} vectors[] = { { "Lcl Translation", offsetof(Transform, t) }, { "Lcl Rotation", offsetof(Transform, r) },
		{ "Lcl Scaling", offsetof(Transform, s) }, { "RotationOffset", offsetof(Transform, ro) },
		{ "RotationPivot", offsetof(Transform, rp) }, { "PreRotation", offsetof(Transform, pre) },
		{ "PostRotation", offsetof(Transform, post) }, { "ScalingOffset", offsetof(Transform, so) },
		{ "ScalingPivot", offsetof(Transform, sp) }, { "GeometricTranslation", offsetof(Transform, gt) },
		{ "GeometricRotation", offsetof(Transform, gr) }, { "GeometricScaling", offsetof(Transform, gs) } };
	static const double no = 0, yes = 1;
	double order = t->order, inherit = t->inherit;
	Fbx_BeginObject(f, "Model", id, name, "Model", "Mesh");
	Fbx_Begin(f, "Properties70");
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); ++i)
	{
		Fbx_AddProperty(f, vectors[i].name, 3, (const double*)((const char*)t + vectors[i].offset));
	}
	Fbx_AddProperty(f, "RotationOrder", 1, &order);
	Fbx_AddProperty(f, "InheritType", 1, &inherit);
	if (t->inactive)
	{
		Fbx_AddProperty(f, "RotationActive", 1, &no);
	}
	if (t->limitOnly)
	{
		Fbx_AddProperty(f, "RotationSpaceForLimitOnly", 1, &yes);
	}
	Fbx_End(f);
	Fbx_End(f);
}

static void AddGeometry(Fbx* f, int64_t id)
{
	static const int64_t corners[12] = { 0, 2, -2, 0, 1, -4, 0, 3, -3, 1, 2, -4 };
	Fbx_BeginObject(f, "Geometry", id, "tetra", "Geometry", "Mesh");
	Fbx_AddNumbers(f, "Vertices", 3 * POINTS, points);
	Fbx_AddIntegers(f, "PolygonVertexIndex", 12, corners);
	Fbx_End(f);
}

static void AddEmpty(Fbx* f, const char* record, int64_t id, const char* name, const char* kind)
{
	Fbx_BeginObject(f, record, id, name, record, kind);
	Fbx_End(f);
}

static void AddLinks(Fbx* f, size_t count, const int64_t (*links)[2])
{
	for (size_t i = 0; i < count; ++i)
	{
		Fbx_AddConnection(f, links[i][0], links[i][1], NULL);
	}
}

#define ADD_LINKS(f, links) AddLinks(f, sizeof(links) / sizeof((links)[0]), links)

static ioAsset LoadWith(Bytes bytes, Warnings* warnings)
{
	ioAsset asset;
	ioError error;
	ioLoadOptions options = { .warning = KeepWarning, .user = warnings };
	if (!ioLoadMemory(bytes.data, bytes.count, "test.fbx", &options, &asset, &error))
	{
		fail_msg("%s", error.text);
	}
	assert_string_equal(asset.format, "FBX");
	Bytes_Free(&bytes);
	return asset;
}

static ioAsset Load(Bytes bytes)
{
	Warnings warnings = { 0 };
	return LoadWith(bytes, &warnings);
}

static void AssertRefused(Bytes bytes, const char* part)
{
	ioAsset asset;
	ioError error;
	assert_false(ioLoadMemory(bytes.data, bytes.count, "test.fbx", NULL, &asset, &error));
	if (strstr(error.text, part) == NULL)
	{
		fail_msg("'%s' does not say '%s'", error.text, part);
	}
	Bytes_Free(&bytes);
}

static void AssertAt(const ioAsset* asset, uint32_t clip, double time, uint32_t instance, const mat4 m)
{
	ioPose* pose = ioPose_Create(asset);
	float found[3 * POINTS];
	assert_int_equal(asset->meshes[asset->instances[instance].mesh].mesh.vertexCount, POINTS);
	ioPose_Evaluate(pose, clip, time);
	assert_true(ioPose_EvaluateVertices(pose, instance, found));
	for (int i = 0; i < POINTS; ++i)
	{
		for (int k = 0; k < 3; ++k)
		{
			double expected = m.m[k][3];
			for (int j = 0; j < 3; ++j)
			{
				expected += m.m[k][j] * points[3 * i + j];
			}
			expected /= 100.0; // the files are in centimetres
			if (!(fabs((double)found[3 * i + k] - expected) < 1e-6))
			{
				fail_msg("time %g, vertex %d, coordinate %d: %.9g, not %.9g", time, i, k, (double)found[3 * i + k],
				    expected);
			}
		}
	}
	ioPose_Destroy(pose);
}

static mat4 JustScale(double s)
{
	const double v[3] = { s, s, s };
	return Scale(v);
}

// ---- Tests -----------------------------------------------------------------------------------------------------

// A model below a model, both with everything that a transform can have, in some of them switched off.
static void follows_pivots_and_orders(void** state)
{
	(void)state;
	static const int64_t links[][2] = { { 1, 0 }, { 2, 1 }, { 3, 2 } };
	for (uint32_t seed = 1; seed <= 40; ++seed)
	{
		uint32_t random = seed * 7919;
		Transform a = RandomTransform(&random), b = RandomTransform(&random);
		a.inactive = seed % 3 == 0;
		b.limitOnly = seed % 5 == 0;
		Fbx f = Fbx_Start(seed % 2 == 0, seed % 4 < 2 ? 7400 : 7500);
		Fbx_Begin(&f, "Objects");
		AddModel(&f, 1, "a", &a);
		AddModel(&f, 2, "b", &b);
		AddGeometry(&f, 3);
		Fbx_End(&f);
		Fbx_Begin(&f, "Connections");
		ADD_LINKS(&f, links);
		Fbx_End(&f);
		ioAsset asset = Load(Fbx_Finish(&f));
		assert_int_equal(asset.instanceCount, 1);
		assert_string_equal(asset.instances[0].name, "b");
		AssertAt(&asset, IO_NONE, 0, 0, Product(Local(&a), Product(Local(&b), Geometric(&b))));
		ioAsset_Free(&asset);
	}
}

// Curves of single coordinates; the pivots stay. Before, they counted twice.
static void follows_curves_under_pivots(void** state)
{
	(void)state;
	static const int64_t links[][2] = { { 1, 0 }, { 3, 1 }, { 41, 40 }, { 42, 41 }, { 44, 41 } };
	static const double times[3] = { 0, 1, 2 }, turns[3] = { 0, 170, 500 }, lengths[3] = { 1, -4, 2 };
	uint32_t random = 5;
	Transform a = RandomTransform(&random);
	Fbx f = Fbx_Start(false, 7400);
	Fbx_Begin(&f, "Objects");
	AddModel(&f, 1, "a", &a);
	AddGeometry(&f, 3);
	AddEmpty(&f, "AnimationStack", 40, "spin", "");
	AddEmpty(&f, "AnimationLayer", 41, "base", "");
	AddEmpty(&f, "AnimationCurveNode", 42, "R", "");
	AddEmpty(&f, "AnimationCurveNode", 44, "T", "");
	Fbx_AddCurve(&f, 43, 3, times, turns, NULL);
	Fbx_AddCurve(&f, 45, 3, times, lengths, NULL);
	Fbx_End(&f);
	Fbx_Begin(&f, "Connections");
	ADD_LINKS(&f, links);
	Fbx_AddConnection(&f, 42, 1, "Lcl Rotation");
	Fbx_AddConnection(&f, 43, 42, "d|Y");
	Fbx_AddConnection(&f, 44, 1, "Lcl Translation");
	Fbx_AddConnection(&f, 45, 44, "d|X");
	Fbx_End(&f);
	ioAsset asset = Load(Fbx_Finish(&f));
	assert_int_equal(asset.clipCount, 1);
	assert_string_equal(asset.clips[0].name, "spin");
	for (int i = 0; i <= 8; ++i)
	{
		double time = 0.25 * i;
		Transform at = a;
		// Angles pass through all that lies between, a whole turn and more: quaternions would not.
		at.r[1] = time < 1 ? 170 * time : 170 + 330 * (time - 1);
		at.t[0] = time < 1 ? 1 - 5 * time : -4 + 6 * (time - 1);
		AssertAt(&asset, 0, time, 0, Product(Local(&at), Geometric(&at)));
	}
	ioAsset_Free(&asset);
}

// A skin over a mesh with a geometric transform, bound where it is not at rest; one vertex is bound to nothing, by
// less than a float can be, or by less than nothing, and follows the model.
static void follows_skins(void** state)
{
	(void)state;
	static const int64_t links[][2] = { { 1, 0 }, { 2, 0 }, { 3, 1 }, { 20, 3 }, { 21, 20 }, { 2, 21 } };
	static const struct
	{
		int count;
		int64_t bound[POINTS];
		double weights[POINTS];
		bool bindsAll;
		const char* warning;
		const char* error;
	} cases[] = { { POINTS - 1, { 0, 1, 2 }, { 1, 1, 1, 0 }, .bindsAll = false },
		{ POINTS, { 0, 1, 2, 3 }, { 1, 1, 1, 1e-60 }, .bindsAll = false },
		{ POINTS, { 0, 1, 2, 3 }, { 1, 1, 1, 1 }, .bindsAll = true },
		{ POINTS, { 0, 1, 2, 3 }, { 1, 1, 1, -0.0033 }, .bindsAll = false,
		    .warning = "1 weights below 0 counted as 0, the first of vertex 3 (the lowest was -0.0033)" },
		{ POINTS, { 0, 1, 2, 2 }, { 1, 1, 1, -0.0099 }, .bindsAll = false, // once more the last one
		    .warning = "1 weights below 0 counted as 0, the first of vertex 2 (the lowest was -0.0099)" },
		{ POINTS, { 0, 1, 2, 3 }, { 1, 1, 1, -0.0101 }, .error = "weight 3, -0.0101 of vertex 3, is out of range" },
		{ POINTS, { 0, 1, 2, 3 }, { 1, 1e7, 1, 1 }, .error = "weight 1, 1e+07 of vertex 1, is out of range" },
		{ POINTS, { 0, 1, 2, 4 }, { 1, 1, 1, 1 }, .error = "weight 3, 1 of vertex 4, is out of range" } };
	uint32_t random = 11;
	Transform mesh = RandomTransform(&random), joint = RandomTransform(&random), bind = RandomTransform(&random);
	mat4 toJoint = Local(&bind);
	double columns[16];
	for (int i = 0; i < 16; ++i)
	{
		columns[i] = toJoint.m[i % 4][i / 4];
	}
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); ++c)
	{
		Fbx f = Fbx_Start(false, 7400);
		Fbx_Begin(&f, "Objects");
		AddModel(&f, 1, "mesh", &mesh);
		AddModel(&f, 2, "joint", &joint);
		AddGeometry(&f, 3);
		Fbx_BeginObject(&f, "Deformer", 20, "", "Deformer", "Skin");
		Fbx_Begin(&f, "SkinningType");
		Fbx_String(&f, "DualQuaternion");
		Fbx_End(&f);
		Fbx_End(&f);
		Fbx_BeginObject(&f, "Deformer", 21, "", "SubDeformer", "Cluster");
		Fbx_AddIntegers(&f, "Indexes", cases[c].count, cases[c].bound);
		Fbx_AddNumbers(&f, "Weights", cases[c].count, cases[c].weights);
		Fbx_AddNumbers(&f, "Transform", 16, columns);
		Fbx_End(&f);
		Fbx_End(&f);
		Fbx_Begin(&f, "Connections");
		ADD_LINKS(&f, links);
		Fbx_End(&f);
		if (cases[c].error != NULL)
		{
			AssertRefused(Fbx_Finish(&f), cases[c].error);
			continue;
		}
		Warnings warnings = { 0 };
		ioAsset asset = LoadWith(Fbx_Finish(&f), &warnings);
		assert_int_equal(warnings.count, cases[c].warning != NULL ? 2 : 1);
		assert_string_equal(warnings.first,
		    "test.fbx: Deformer 20: made for dual quaternions; how joints are blended is "
		    "not taken from the file");
		assert_true(cases[c].warning == NULL || strstr(warnings.last, cases[c].warning) != NULL);
		mat4 skinned = Product(Local(&joint), Product(toJoint, Geometric(&mesh)));
		mat4 unbound = Product(Local(&mesh), Geometric(&mesh));
		assert_int_equal(asset.skinCount, 1);
		// The mesh itself is a joint only if a vertex needs one.
		assert_int_equal(asset.skins[0].jointCount, cases[c].bindsAll ? 1 : 2);
		if (cases[c].bindsAll)
		{
			AssertAt(&asset, IO_NONE, 0, 0, skinned);
		}
		else
		{
			ioPose* pose = ioPose_Create(&asset);
			float found[3 * POINTS];
			assert_true(ioPose_EvaluateVertices(pose, 0, found));
			for (int k = 0; k < 3; ++k)
			{
				double expected = (unbound.m[k][2] * points[11] + unbound.m[k][3]) / 100.0;
				assert_true(fabs((double)found[9 + k] - expected) < 1e-6);
			}
			ioPose_Destroy(pose);
		}
		ioAsset_Free(&asset);
	}
}

// Shapes are as far on as the file says: not at all at 0; and in motion they move every instance.
static void follows_blend_shapes(void** state)
{
	(void)state;
	static const int64_t links[][2] = { { 1, 0 }, { 2, 0 }, { 3, 1 }, { 3, 2 }, { 31, 3 }, { 32, 31 }, { 30, 32 },
		{ 41, 40 }, { 42, 41 } };
	static const int64_t moved[1] = { 2 };
	static const double delta[3] = { 0, 0, 5 }, full[1] = { 100 }, times[2] = { 0, 1 }, percents[2] = { 0, 80 };
	for (double percent = 0; percent <= 50; percent += 50)
	{
		Fbx f = Fbx_Start(false, 7400);
		Fbx_Begin(&f, "Objects");
		AddModel(&f, 1, "a", &still);
		AddModel(&f, 2, "b", &still);
		AddGeometry(&f, 3);
		Fbx_BeginObject(&f, "Geometry", 30, "shape", "Geometry", "Shape");
		Fbx_AddIntegers(&f, "Indexes", 1, moved);
		Fbx_AddNumbers(&f, "Vertices", 3, delta);
		Fbx_End(&f);
		AddEmpty(&f, "Deformer", 31, "", "BlendShape");
		Fbx_BeginObject(&f, "Deformer", 32, "up", "SubDeformer", "BlendShapeChannel");
		Fbx_Begin(&f, "Properties70");
		Fbx_AddProperty(&f, "DeformPercent", 1, &percent);
		Fbx_End(&f);
		Fbx_AddNumbers(&f, "FullWeights", 1, full);
		Fbx_End(&f);
		AddEmpty(&f, "AnimationStack", 40, "clip", "");
		AddEmpty(&f, "AnimationLayer", 41, "base", "");
		AddEmpty(&f, "AnimationCurveNode", 42, "DeformPercent", "");
		Fbx_AddCurve(&f, 43, 2, times, percents, NULL);
		Fbx_End(&f);
		Fbx_Begin(&f, "Connections");
		ADD_LINKS(&f, links);
		Fbx_AddConnection(&f, 42, 32, "DeformPercent");
		Fbx_AddConnection(&f, 43, 42, "d|DeformPercent");
		Fbx_End(&f);
		ioAsset asset = Load(Fbx_Finish(&f));
		assert_int_equal(asset.instanceCount, 2);
		ioPose* pose = ioPose_Create(&asset);
		float found[3 * POINTS];
		for (uint32_t i = 0; i < 2; ++i)
		{
			ioPose_Evaluate(pose, IO_NONE, 0);
			assert_true(ioPose_EvaluateVertices(pose, i, found));
			assert_true(fabs((double)found[8] - 0.0005 * percent) < 1e-7);
			ioPose_Evaluate(pose, 0, 0.5);
			assert_true(ioPose_EvaluateVertices(pose, i, found));
			assert_true(fabs((double)found[8] - 0.02) < 1e-7);
		}
		ioPose_Destroy(pose);
		ioAsset_Free(&asset);
	}
}

// ---- Clips of one curve ----------------------------------------------------------------------------------------

typedef struct Curve
{
	int count;
	double times[8], values[8], slopes[8];
	int64_t kinds[8];
} Curve;

// The objects of a clip of one curve, and their links: to the property `name` of an object, whose coordinate is `part`.
static void AddClip(Fbx* f, const Curve* curve)
{
	AddEmpty(f, "AnimationStack", 40, "clip", "");
	AddEmpty(f, "AnimationLayer", 41, "base", "");
	AddEmpty(f, "AnimationCurveNode", 42, "node", "");
	Fbx_AddKeys(f, 43, curve->count, curve->times, curve->values, curve->slopes, curve->kinds);
}

static void LinkClip(Fbx* f, int64_t object, const char* name, const char* part)
{
	Fbx_AddConnection(f, 41, 40, NULL);
	Fbx_AddConnection(f, 42, 41, NULL);
	Fbx_AddConnection(f, 42, object, name);
	Fbx_AddConnection(f, 43, 42, part);
}

// The naive reference: keys from the front, and Hermite's polynomials written out. Where keys have one time, the last
// counts.
static double EvaluateCurve(const Curve* c, double time)
{
	int i = 0;
	while (i + 1 < c->count && c->times[i + 1] <= time)
	{
		++i;
	}
	if (i + 1 == c->count || time < c->times[0])
	{
		return c->values[i];
	}
	double span = c->times[i + 1] - c->times[i], t = (time - c->times[i]) / span, a = c->values[i],
	       b = c->values[i + 1];
	switch (c->kinds[i])
	{
		case fbx_constantKey:
			return a;
		case fbx_constantNextKey:
			return b;
		case fbx_linearKey:
			return (1 - t) * a + t * b;
		default:
			return (1 + 2 * t) * (1 - t) * (1 - t) * a + t * (1 - t) * (1 - t) * span * c->slopes[i] +
			       t * t * (3 - 2 * t) * b + t * t * (t - 1) * span * c->slopes[i + 1];
	}
}

static ioAsset LoadMoved(Fbx f, const Curve* curve)
{
	Fbx_Begin(&f, "Objects");
	AddModel(&f, 1, "a", &still);
	AddGeometry(&f, 3);
	AddClip(&f, curve);
	Fbx_End(&f);
	Fbx_Begin(&f, "Connections");
	Fbx_AddConnection(&f, 1, 0, NULL);
	Fbx_AddConnection(&f, 3, 1, NULL);
	LinkClip(&f, 1, "Lcl Translation", "d|Y");
	Fbx_End(&f);
	ioAsset asset = Load(Fbx_Finish(&f));
	assert_int_equal(asset.clipCount, 1);
	return asset;
}

// All spans of one kind, of each kind, and each kind behind each other one.
static void follows_spans_of_every_kind(void** state)
{
	(void)state;
	static const int64_t kinds[4] = { fbx_constantKey, fbx_constantNextKey, fbx_linearKey, fbx_cubicKey };
	uint32_t random = 19;
	for (int n = 0; n < 4 + 64; ++n)
	{
		Curve curve = { .count = 4 };
		for (int i = 0; i < 4; ++i)
		{
			curve.times[i] = i * i * 0.5;
			curve.values[i] = RandomIn(&random, -50, 50);
			curve.slopes[i] = RandomIn(&random, -50, 50);
			curve.kinds[i] = kinds[n < 4 ? n : (n - 4) >> 2 * i & 3];
		}
		ioAsset asset = LoadMoved(Fbx_Start(n % 2 == 0, 7400), &curve);
		assert_true(fabs(asset.clips[0].start) < 1e-6 && fabs(asset.clips[0].duration - 4.5) < 1e-6);
		for (double time = -0.25; time <= 5; time += 0.125)
		{
			const double move[3] = { 0, EvaluateCurve(&curve, time), 0 };
			AssertAt(&asset, 0, time, 0, Move(move, 1));
		}
		ioAsset_Free(&asset);
	}
}

// Slopes by the format's formula: at the ends that of the span, else half of that from neighbour to neighbour, and half
// of those of both spans, the shorter span weighing more.
static void follows_automatic_tangents(void** state)
{
	(void)state;
	const Curve curve = { .count = 4,
		.times = { 0, 1, 2, 4 },
		.values = { 0, 10, 16, 4 },
		.slopes = { 10, (16.0 - 0) / 2, 0.5 * ((4.0 - 10) / 3 + 2.0 / 3 * (16 - 10) + 1.0 / 3 * (4.0 - 16) / 2), -6 },
		.kinds = { fbx_autoKey, fbx_autoKey, fbx_autoKey, fbx_autoKey } };
	Curve written = curve;
	memset(written.slopes, 0, sizeof(written.slopes));
	ioAsset asset = LoadMoved(Fbx_Start(false, 7400), &written);
	for (double time = 0; time <= 4; time += 0.125)
	{
		const double move[3] = { 0, EvaluateCurve(&curve, time), 0 };
		AssertAt(&asset, 0, time, 0, Move(move, 1));
	}
	ioAsset_Free(&asset);
}

// Which clock a file has: since version 1004 its header may say so, before and without a word its version does.
static void keeps_the_clock_of_the_file(void** state)
{
	(void)state;
	static const struct
	{
		int headerVersion, definition;
		uint32_t version;
		bool isNew;
	} cases[] = { { 1003, -1, 7400, false }, { 1003, 0, 7400, false }, { 1003, 127, 8000, true },
		{ 1004, -1, 7700, false }, { 1004, -1, 7999, false }, { 1004, -1, 8000, true }, { 1004, 127, 7700, false },
		{ 1004, 0, 7700, true }, { 1005, 1, 7400, true }, { 1004, 127, 8000, false } };
	const Curve curve = { .count = 2, .times = { 0, 2 }, .values = { 0, 1 }, .kinds = { fbx_linearKey } };
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		ioAsset asset = LoadMoved(
		    Fbx_StartClock(i % 2 == 0, cases[i].version, cases[i].headerVersion, cases[i].definition), &curve);
		// The curve is written by the old clock.
		double expected = cases[i].isNew ? 2 * 46186158000.0 / 141120000.0 : 2;
		if (!(fabs(asset.clips[0].duration - expected) < 1e-6 * expected))
		{
			fail_msg("header %d, definition %d, version %u: %g s, not %g", cases[i].headerVersion, cases[i].definition,
			    cases[i].version, asset.clips[0].duration, expected);
		}
		ioAsset_Free(&asset);
	}
}

// ---- Shapes between shapes -------------------------------------------------------------------------------------

// Each shape lifts a vertex of its own by 1 m, so that where vertices are says how much there is of it.
static ioAsset LoadShapes(double percent, int count, const double* full, const Curve* curve)
{
	Fbx f = Fbx_Start(false, 7400);
	Fbx_Begin(&f, "Objects");
	AddModel(&f, 1, "a", &still);
	AddGeometry(&f, 3);
	AddEmpty(&f, "Deformer", 31, "", "BlendShape");
	Fbx_BeginObject(&f, "Deformer", 32, "channel", "SubDeformer", "BlendShapeChannel");
	Fbx_Begin(&f, "Properties70");
	Fbx_AddProperty(&f, "DeformPercent", 1, &percent);
	Fbx_End(&f);
	Fbx_AddNumbers(&f, "FullWeights", count, full);
	Fbx_End(&f);
	for (int64_t i = 0; i < count; ++i)
	{
		static const double lift[3] = { 0, 0, 100 };
		Fbx_BeginObject(&f, "Geometry", 100 + i, "shape", "Geometry", "Shape");
		Fbx_AddIntegers(&f, "Indexes", 1, &i);
		Fbx_AddNumbers(&f, "Vertices", 3, lift);
		Fbx_End(&f);
	}
	AddClip(&f, curve);
	Fbx_End(&f);
	Fbx_Begin(&f, "Connections");
	static const int64_t links[][2] = { { 1, 0 }, { 3, 1 }, { 31, 3 }, { 32, 31 } };
	ADD_LINKS(&f, links);
	for (int64_t i = 0; i < count; ++i)
	{
		Fbx_AddConnection(&f, 100 + i, 32, NULL);
	}
	LinkClip(&f, 32, "DeformPercent", "d|DeformPercent");
	Fbx_End(&f);
	return Load(Fbx_Finish(&f));
}

// The naive reference: percentages on a line, sorted, the mesh itself at 0 among them; the part of it that a percentage
// is on, or the last part on its side.
static void Mix(double percent, int count, const double* full, double weights[POINTS])
{
	double line[POINTS + 1] = { 0 };
	int owner[POINTS + 1] = { -1 }, part = 0;
	for (int i = 0; i < count; ++i)
	{
		int at = i + 1;
		for (; at > 0 && line[at - 1] > full[i]; --at)
		{
			line[at] = line[at - 1];
			owner[at] = owner[at - 1];
		}
		line[at] = full[i];
		owner[at] = i;
	}
	while (part + 2 <= count && percent > line[part + 1])
	{
		++part;
	}
	memset(weights, 0, POINTS * sizeof(double));
	for (int end = 0; end < 2; ++end)
	{
		double t = (percent - line[part + 1 - end]) / (line[part + end] - line[part + 1 - end]);
		if (owner[part + end] >= 0)
		{
			weights[owner[part + end]] = t;
		}
	}
}

static void AssertMixed(const ioAsset* asset, uint32_t clip, double time, double percent, int count, const double* full)
{
	ioPose* pose = ioPose_Create(asset);
	float found[3 * POINTS];
	double weights[POINTS];
	ioPose_Evaluate(pose, clip, time);
	assert_true(ioPose_EvaluateVertices(pose, 0, found));
	Mix(percent, count, full, weights);
	for (int i = 0; i < POINTS; ++i)
	{
		double weight = (double)found[3 * i + 2] - points[3 * i + 2] / 100.0;
		if (!(fabs(weight - weights[i]) < 1e-5))
		{
			fail_msg("%d shapes, %g %% at %g s: shape %d has %g, not %g", count, percent, time, i, weight, weights[i]);
		}
	}
	ioPose_Destroy(pose);
}

// At rest, and in motion by spans of every kind.
static void mixes_shapes_between_shapes(void** state)
{
	(void)state;
	static const struct
	{
		int count;
		double full[POINTS];
	} lines[] = { { 1, { 100 } }, { 1, { 40 } }, { 2, { 50, 100 } }, { 2, { 100, 50 } }, { 3, { 30, 100, -60 } },
		{ 2, { -100, -20 } }, { 4, { 80, -40, 20, 100 } } };
	static const double percents[] = { -150, -60, -50, -20, -5, 0, 10, 20, 25, 50, 64, 80, 99, 100, 140 };
	static const int64_t kinds[3] = { fbx_linearKey, fbx_cubicKey, fbx_constantKey };
	for (size_t n = 0; n < sizeof(lines) / sizeof(lines[0]); ++n)
	{
		Curve curve = { .count = 3, .times = { 0, 0.5, 2 }, .values = { -10, 90, 15 }, .slopes = { 300, -70, 40 } };
		int count = lines[n].count;
		const double* full = lines[n].full;
		for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); ++i)
		{
			ioAsset asset = LoadShapes(percents[i], count, full, &curve);
			AssertMixed(&asset, IO_NONE, 0, percents[i], count, full);
			ioAsset_Free(&asset);
		}
		for (size_t k = 0; k < 3; ++k)
		{
			curve.kinds[0] = curve.kinds[1] = kinds[k];
			ioAsset asset = LoadShapes(0, count, full, &curve);
			for (double time = -0.05; time < 2.1; time += 0.0037)
			{
				AssertMixed(&asset, 0, time, EvaluateCurve(&curve, time), count, full);
			}
			ioAsset_Free(&asset);
		}
	}
}

// ---- Files that differ -----------------------------------------------------------------------------------------

// Axes and units of other programs: z up and inches.
static void turns_axes_and_scales_units(void** state)
{
	(void)state;
	static const int64_t links[][2] = { { 1, 0 }, { 3, 1 } };
	static const double axes[6] = { 2, 1, 1, -1, 0, 1 }, inch = 2.54;
	static const char* const names[6] = { "UpAxis", "UpAxisSign", "FrontAxis", "FrontAxisSign", "CoordAxis",
		"CoordAxisSign" };
	Fbx f = Fbx_Start(false, 7400);
	Fbx_Begin(&f, "GlobalSettings");
	Fbx_Begin(&f, "Properties70");
	for (int i = 0; i < 6; ++i)
	{
		Fbx_AddProperty(&f, names[i], 1, axes + i);
	}
	Fbx_AddProperty(&f, "UnitScaleFactor", 1, &inch);
	Fbx_End(&f);
	Fbx_End(&f);
	Fbx_Begin(&f, "Objects");
	uint32_t random = 3;
	Transform a = RandomTransform(&random);
	AddModel(&f, 1, "a", &a);
	AddGeometry(&f, 3);
	Fbx_End(&f);
	Fbx_Begin(&f, "Connections");
	ADD_LINKS(&f, links);
	Fbx_End(&f);
	ioAsset asset = Load(Fbx_Finish(&f));
	mat4 turn = Turn(0, -90);
	AssertAt(&asset, IO_NONE, 0, 0, Product(JustScale(2.54), Product(turn, Product(Local(&a), Geometric(&a)))));
	ioAsset_Free(&asset);
}

// Ways to take over a parent's scale, by the formulas of the format, for parents without a scale above them.
static void follows_ways_to_inherit_scale(void** state)
{
	(void)state;
	static const int64_t links[][2] = { { 1, 0 }, { 2, 1 }, { 3, 2 } };
	for (int inherit = 0; inherit <= 2; ++inherit)
	{
		uint32_t random = 77;
		Transform a = RandomTransform(&random), b = RandomTransform(&random);
		b.inherit = inherit;
		Fbx f = Fbx_Start(true, 7400);
		Fbx_Begin(&f, "Objects");
		AddModel(&f, 1, "a", &a);
		AddModel(&f, 2, "b", &b);
		AddGeometry(&f, 3);
		Fbx_End(&f);
		Fbx_Begin(&f, "Connections");
		ADD_LINKS(&f, links);
		Fbx_End(&f);
		ioAsset asset = Load(Fbx_Finish(&f));
		mat4 parent = Local(&a), local = Local(&b), global = Product(parent, local);
		// Rotations and scales; where the child is, the parent decides in any case.
		mat4 turn = Product(Turning(&a), Turning(&b)), scaled = Product(turn, Scale(b.s));
		scaled = inherit == 0 ? Product(Product(turn, Scale(a.s)), Scale(b.s)) : scaled;
		for (int i = 0; inherit != 1 && i < 9; ++i)
		{
			global.m[i / 3][i % 3] = scaled.m[i / 3][i % 3];
		}
		AssertAt(&asset, IO_NONE, 0, 0, Product(global, Geometric(&b)));
		ioAsset_Free(&asset);
	}
}

// Both kinds of file hold the same, to the bit.
static void text_and_binary_agree(void** state)
{
	(void)state;
	ioAsset text = Load(Fbx_MakeSample(false, 7400));
	for (int kind = 0; kind < 4; ++kind)
	{
		ioAsset binary = Load(kind == 0  ? Fbx_MakeBits()
		                      : kind < 3 ? Fbx_MakeSample(true, kind == 1 ? 7400 : 7500)
		                                 : Fbx_MakeDeflated(7500));
		ioPose *a = ioPose_Create(&text), *b = ioPose_Create(&binary);
		assert_int_equal(text.clipCount, 1);
		assert_int_equal(binary.clipCount, 1);
		assert_string_equal(binary.instances[0].name, text.instances[0].name);
		for (int i = -1; i <= 10; ++i)
		{
			float first[12], second[12];
			ioPose_Evaluate(a, i < 0 ? IO_NONE : 0, 0.1 * i);
			ioPose_Evaluate(b, i < 0 ? IO_NONE : 0, 0.1 * i);
			assert_true(ioPose_EvaluateVertices(a, 0, first));
			assert_true(ioPose_EvaluateVertices(b, 0, second));
			assert_memory_equal(first, second, sizeof(first));
		}
		ioPose_Destroy(a);
		ioPose_Destroy(b);
		ioAsset_Free(&binary);
	}
	ioAsset_Free(&text);
}

static void refuses_what_it_cannot_read(void** state)
{
	(void)state;
	AssertRefused(Fbx_MakeSample(true, 6100), "FBX 6.1: only FBX 7.0 and later");
	AssertRefused(Fbx_MakeSample(false, 6100), "FBX 6.1: only FBX 7.0 and later");
	Bytes turned = Fbx_MakeSample(true, 7400);
	turned.data[22] = 1;
	AssertRefused(turned, "a big-endian FBX file: only little-endian ones are read");
	Transform bad = still;
	static const int64_t links[][2] = { { 1, 0 }, { 3, 1 } }, cycle[][2] = { { 1, 2 }, { 2, 1 }, { 3, 1 } };
	for (int i = 0; i < 3; ++i)
	{
		static const char* const parts[3] = { "order of rotation", "its own ancestor", "no triangles" };
		bad.order = i == 0 ? 6 : 0;
		Fbx f = Fbx_Start(false, 7400);
		Fbx_Begin(&f, "Objects");
		AddModel(&f, 1, "a", &bad);
		AddModel(&f, 2, "b", &still);
		AddGeometry(&f, i == 2 ? 9 : 3);
		Fbx_End(&f);
		Fbx_Begin(&f, "Connections");
		AddLinks(&f, i == 1 ? 3 : 2, i == 1 ? cycle : links);
		Fbx_End(&f);
		AssertRefused(Fbx_Finish(&f), parts[i]);
	}
	// Every shorter one is refused, or, behind its last record, is whole.
	Bytes whole = Fbx_MakeSample(true, 7400);
	for (size_t count = 0; count < whole.count - 13; ++count)
	{
		ioAsset asset;
		ioError error;
		if (ioLoadMemory(whole.data, count, "test.fbx", NULL, &asset, &error))
		{
			fail_msg("%zu of %zu bytes were read", count, whole.count);
		}
	}
	Bytes_Free(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_pivots_and_orders),
		cmocka_unit_test(follows_curves_under_pivots),
		cmocka_unit_test(follows_skins),
		cmocka_unit_test(follows_blend_shapes),
		cmocka_unit_test(follows_spans_of_every_kind),
		cmocka_unit_test(follows_automatic_tangents),
		cmocka_unit_test(keeps_the_clock_of_the_file),
		cmocka_unit_test(mixes_shapes_between_shapes),
		cmocka_unit_test(turns_axes_and_scales_units),
		cmocka_unit_test(follows_ways_to_inherit_scale),
		cmocka_unit_test(text_and_binary_agree),
		cmocka_unit_test(refuses_what_it_cannot_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
