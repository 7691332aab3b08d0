// test/test_io_fbx.c: FBX files against the format's own formula for transforms, as products of 4x4 matrices.
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
} Transform;

static const Transform still = { .s = { 1, 1, 1 }, .gs = { 1, 1, 1 }, .inherit = 1 };
static const char* const orders[6] = { "xyz", "xzy", "yzx", "yxz", "zxy", "zyx" };

static mat4 Turning(const Transform* t)
{
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
	double order = t->order, inherit = t->inherit;
	Fbx_BeginObject(f, "Model", id, name, "Model", "Mesh");
	Fbx_Begin(f, "Properties70");
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); ++i)
	{
		Fbx_AddProperty(f, vectors[i].name, 3, (const double*)((const char*)t + vectors[i].offset));
	}
	Fbx_AddProperty(f, "RotationOrder", 1, &order);
	Fbx_AddProperty(f, "InheritType", 1, &inherit);
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

// A model below a model, both with everything that a transform can have.
static void follows_pivots_and_orders(void** state)
{
	(void)state;
	static const int64_t links[][2] = { { 1, 0 }, { 2, 1 }, { 3, 2 } };
	for (uint32_t seed = 1; seed <= 40; ++seed)
	{
		uint32_t random = seed * 7919;
		Transform a = RandomTransform(&random), b = RandomTransform(&random);
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

// A skin over a mesh with a geometric transform, bound where it is not at rest; one vertex is bound to nothing, or by
// less than a float can be, and follows the model.
static void follows_skins(void** state)
{
	(void)state;
	static const int64_t links[][2] = { { 1, 0 }, { 2, 0 }, { 3, 1 }, { 20, 3 }, { 21, 20 }, { 2, 21 } };
	static const int64_t bound[POINTS] = { 0, 1, 2, 3 };
	static const struct
	{
		int count;
		double weights[POINTS];
		bool bindsAll;
	} cases[] = { { POINTS - 1, { 1, 1, 1, 0 }, false }, { POINTS, { 1, 1, 1, 1e-60 }, false },
		{ POINTS, { 1, 1, 1, 1 }, true } };
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
		Fbx_AddIntegers(&f, "Indexes", cases[c].count, bound);
		Fbx_AddNumbers(&f, "Weights", cases[c].count, cases[c].weights);
		Fbx_AddNumbers(&f, "Transform", 16, columns);
		Fbx_End(&f);
		Fbx_End(&f);
		Fbx_Begin(&f, "Connections");
		ADD_LINKS(&f, links);
		Fbx_End(&f);
		Warnings warnings = { 0 };
		ioAsset asset = LoadWith(Fbx_Finish(&f), &warnings);
		assert_int_equal(warnings.count, 1);
		assert_string_equal(warnings.last,
		    "test.fbx: Deformer 20: made for dual quaternions; how joints are blended is "
		    "not taken from the file");
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
	for (int kind = 0; kind < (SNUG_TEST_ZLIB ? 4 : 3); ++kind)
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
		cmocka_unit_test(turns_axes_and_scales_units),
		cmocka_unit_test(follows_ways_to_inherit_scale),
		cmocka_unit_test(text_and_binary_agree),
		cmocka_unit_test(refuses_what_it_cannot_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
