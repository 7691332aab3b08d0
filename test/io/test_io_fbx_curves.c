// test/io/test_io_fbx_curves.c: curves of FBX files against the format's formulas, written out: tangents with lengths,
// a bias, tension; what cannot be followed leaves its clip out by name.
//
// Usage: test_io_fbx_curves [DIRECTORY COUNT SEED]
// With arguments it writes random files there, each with a .txt: a line for each of some times, the time and where we
// say that the mesh is. tools/compare-with-ufbx asks another reader about the same.
#include "test_io.h"

#include "fbx_files.h"
#include "lab/scenes/random.h"

#include <math.h>

enum
{
	MOST_KEYS = 8,
	key_tcb = 0x208,
	key_weighted = 0x3000000, // on both sides
	key_velocity = 0x10000000,
	key_timeIndependent = 0x2000,
	key_progressive = 0x4000,
};

typedef struct Curve
{
	int count, after;
	double times[MOST_KEYS], values[MOST_KEYS], data[MOST_KEYS][4];
	int64_t flags[MOST_KEYS];
} Curve;

// ---- Files --------------------------------------------------------------------------------------------------------

static void AddEmpty(Fbx* f, const char* record, int64_t id, const char* name, const char* kind)
{
	Fbx_BeginObject(f, record, id, name, record, kind);
	Fbx_End(f);
}

// A triangle that the curve moves along y, and another curve, along x, with keys from 0 to 10 s.
// @param layers 2: another one moves it too, along z; else there is another one that moves nothing
static Bytes MakeLayers(bool binary, const Curve* curve, bool isLonger, int layers)
{
	static const double corners[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, times[2] = { 0, 10 }, values[2] = { 0, 0 };
	static const int64_t triangle[3] = { 0, 1, -3 };
	static const int64_t links[][2] = { { 1, 0 }, { 3, 1 }, { 41, 40 }, { 42, 41 }, { 51, 40 } };
	Fbx f = Fbx_Start(binary, 7400);
	Fbx_Begin(&f, "Objects");
	AddEmpty(&f, "Model", 1, "a", "Mesh");
	Fbx_BeginObject(&f, "Geometry", 3, "triangle", "Geometry", "Mesh");
	Fbx_AddNumbers(&f, "Vertices", 9, corners);
	Fbx_AddIntegers(&f, "PolygonVertexIndex", 3, triangle);
	Fbx_End(&f);
	AddEmpty(&f, "AnimationStack", 40, "clip", "");
	AddEmpty(&f, "AnimationLayer", 41, "base", "");
	AddEmpty(&f, "AnimationCurveNode", 42, "T", "");
	AddEmpty(&f, "AnimationLayer", 51, "over", "");
	AddEmpty(&f, "AnimationCurveNode", 52, "T", "");
	Fbx_AddRawKeys(&f, 43, curve->count, curve->times, curve->values, curve->data[0], curve->flags, curve->after);
	Fbx_AddCurve(&f, 44, 2, times, values, NULL);
	Fbx_End(&f);
	Fbx_Begin(&f, "Connections");
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); ++i)
	{
		Fbx_AddConnection(&f, links[i][0], links[i][1], NULL);
	}
	Fbx_AddConnection(&f, 42, 1, "Lcl Translation");
	Fbx_AddConnection(&f, 43, 42, "d|Y");
	if (isLonger)
	{
		Fbx_AddConnection(&f, 44, 42, "d|X");
	}
	if (layers == 2)
	{
		Fbx_AddConnection(&f, 52, 51, NULL);
		Fbx_AddConnection(&f, 52, 1, "Lcl Translation");
		Fbx_AddConnection(&f, 44, 52, "d|Z");
	}
	Fbx_End(&f);
	return Fbx_Finish(&f);
}

static Bytes MakeFile(bool binary, const Curve* curve, bool isLonger)
{
	return MakeLayers(binary, curve, isLonger, 1);
}

static ioAsset Load(Bytes bytes, Warnings* warnings)
{
	ioAsset asset;
	ioError error;
	const ioLoadOptions options = { .warning = KeepWarning, .user = warnings };
	if (!ioLoadMemory(bytes.data, bytes.count, "test.fbx", &options, &asset, &error))
	{
		fail_msg("%s", error.text);
	}
	Bytes_Free(&bytes);
	return asset;
}

// In centimetres, as the file.
static double PlaceAt(ioPose* pose, double time)
{
	float found[9];
	ioPose_Evaluate(pose, 0, time);
	assert_true(ioPose_EvaluateVertices(pose, 0, found));
	return 100.0 * (double)found[1];
}

// ---- What the format says -----------------------------------------------------------------------------------------

static double Pack(double right, double nextLeft)
{
	const uint32_t bits = (uint32_t)(1e4 * right + 0.5) | (uint32_t)(1e4 * nextLeft + 0.5) << 16;
	float single;
	memcpy(&single, &bits, sizeof(single));
	return (double)single;
}

typedef struct Span
{
	double start, length, values[2], slopes[2], weights[2];
} Span;

static double Bezier(double a, double b, double c, double d, double s)
{
	return (1 - s) * (1 - s) * (1 - s) * a + 3 * (1 - s) * (1 - s) * s * b + 3 * (1 - s) * s * s * c + s * s * s * d;
}

// The parameter at a time by halving, then the value there.
static double EvaluateSpan(const Span* span, double time)
{
	double low = 0.0, high = 1.0, middle = 0.5;
	for (int i = 0; i < 100; ++i)
	{
		middle = 0.5 * (low + high);
		const double at = Bezier(0, span->weights[0], 1 - span->weights[1], 1, middle);
		*(at < (time - span->start) / span->length ? &low : &high) = middle;
	}
	return Bezier(span->values[0], span->values[0] + span->weights[0] * span->length * span->slopes[0],
	    span->values[1] - span->weights[1] * span->length * span->slopes[1], span->values[1], middle);
}

static double Chord(const Curve* c, int i)
{
	return (c->values[i + 1] - c->values[i]) / (c->times[i + 1] - c->times[i]);
}

// The slope of an inner key: half by its neighbours, half by its spans, drawn by a bias to one of these.
static double AutomaticSlope(const Curve* c, int i, double bias)
{
	const double long1 = c->times[i] - c->times[i - 1], long2 = c->times[i + 1] - c->times[i], both = long1 + long2;
	const double across = (c->values[i + 1] - c->values[i - 1]) / both;
	const double beside = (Chord(c, i - 1) * long2 + Chord(c, i) * long1) / both;
	const double side = bias > 0 ? Chord(c, i) : Chord(c, i - 1), part = fabs(bias) / 100;
	return (c->flags[i] & key_timeIndependent) != 0 ? across : (across + beside) / 2 * (1 - part) + side * part;
}

// The slope at a key on the side of a span: of keys that are all by tension, or all automatic.
static double SlopeAt(const Curve* c, int i, bool isBefore)
{
	const bool isFirst = i == 0, isLast = i + 1 == c->count;
	const double before = isFirst ? 0.0 : Chord(c, i - 1), after = isLast ? 0.0 : Chord(c, i);
	if ((c->flags[i] & 0x200) != 0)
	{
		const double t = c->data[i][0], k = isBefore ? -c->data[i][1] : c->data[i][1], b = c->data[i][2];
		return (isFirst || isLast ? 1.0 : 0.5) * (1 - t) * ((1 + b) * (1 + k) * before + (1 - b) * (1 - k) * after);
	}
	if (isFirst || isLast)
	{
		return isFirst ? after : before;
	}
	return AutomaticSlope(c, i, isBefore ? -c->data[i - 1][1] : c->data[i][0]);
}

// ---- Tests --------------------------------------------------------------------------------------------------------

// Random keys and values; flags and data are the caller's.
static Curve DrawCurve(sceneRandom* random, int count)
{
	Curve curve = { .count = count };
	for (int i = 0; i < count; ++i)
	{
		curve.times[i] = i == 0 ? 0.0 : curve.times[i - 1] + sceneRandom_Range(random, 0.1, 1.0);
		curve.values[i] = sceneRandom_Range(random, -50.0, 50.0);
	}
	return curve;
}

// @param extremes also lengths of nothing, and of the whole span: where time stands still, not every reader arrives
static Curve DrawWeighted(sceneRandom* random, bool extremes)
{
	Curve curve = DrawCurve(random, 3);
	for (int i = 0; i < 3; ++i)
	{
		const double weights[4] = { sceneRandom_Range(random, 0.05, 0.95), sceneRandom_Range(random, 0.05, 0.95), 0.0,
			1.0 };
		curve.data[i][0] = sceneRandom_Range(random, -100.0, 100.0);
		curve.data[i][1] = sceneRandom_Range(random, -100.0, 100.0);
		curve.data[i][2] = Pack(
		    weights[sceneRandom_Index(random, extremes ? 4 : 2)], weights[sceneRandom_Index(random, extremes ? 4 : 2)]);
		curve.flags[i] = fbx_cubicKey | key_weighted;
	}
	return curve;
}

static Span WeightedSpan(const Curve* c, int i)
{
	const float packed = (float)c->data[i][2];
	uint32_t bits;
	memcpy(&bits, &packed, sizeof(bits));
	return (Span){ c->times[i], c->times[i + 1] - c->times[i], { c->values[i], c->values[i + 1] },
		{ c->data[i][0], c->data[i][1] }, { (bits & 0xffff) * 1e-4, (bits >> 16) * 1e-4 } };
}

static void AssertSpans(const Curve* curve, Span (*get)(const Curve* c, int i), uint64_t seed)
{
	Warnings warnings = { 0 };
	ioAsset asset = Load(MakeFile(seed % 2 == 0, curve, false), &warnings);
	assert_int_equal(warnings.count, 0);
	assert_int_equal(asset.clipCount, 1);
	ioPose* pose = ioPose_Create(&asset);
	for (int i = 0; i + 1 < curve->count; ++i)
	{
		const Span span = get(curve, i);
		// Values, and where tangents end. Times are float32 too.
		const double ends[2] = { span.weights[0] * span.length * span.slopes[0],
			span.weights[1] * span.length * span.slopes[1] };
		const double size = fabs(span.values[0]) + fabs(span.values[1]) + fabs(ends[0]) + fabs(ends[1]);
		for (double part = 0.0078125; part < 1.0; part += 0.0078125)
		{
			const double time = span.start + part * span.length, expected = EvaluateSpan(&span, time);
			const double nearby = fabs(EvaluateSpan(&span, time - 1e-6) - EvaluateSpan(&span, time + 1e-6));
			const double found = PlaceAt(pose, time);
			if (!(fabs(found - expected) <= 2e-6 * size + nearby))
			{
				fail_msg(
				    "seed %llu, span %d, %g of it: %.9g, not %.9g", (unsigned long long)seed, i, part, found, expected);
			}
		}
	}
	ioPose_Destroy(pose);
	ioAsset_Free(&asset);
}

// Lengths from nothing to the whole span: time may stand still at an end, or in the middle.
static void follows_weighted_tangents(void** state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; ++seed)
	{
		sceneRandom random = { seed };
		const Curve curve = DrawWeighted(&random, true);
		AssertSpans(&curve, WeightedSpan, seed);
	}
}

static Curve DrawSloped(sceneRandom* random, bool isByTension)
{
	Curve curve = DrawCurve(random, MOST_KEYS);
	for (int i = 0; i < MOST_KEYS; ++i)
	{
		const double reach = isByTension ? 1.0 : 150.0;
		curve.flags[i] = isByTension ? key_tcb : fbx_autoKey;
		curve.flags[i] |= !isByTension && sceneRandom_Index(random, 4) == 0 ? key_timeIndependent : 0;
		for (int k = 0; k < (isByTension ? 3 : 2); ++k)
		{
			curve.data[i][k] = sceneRandom_Index(random, 3) == 0 ? 0.0 : sceneRandom_Range(random, -reach, reach);
		}
	}
	return curve;
}

static Span SlopedSpan(const Curve* c, int i)
{
	return (Span){ c->times[i], c->times[i + 1] - c->times[i], { c->values[i], c->values[i + 1] },
		{ SlopeAt(c, i, false), SlopeAt(c, i + 1, true) }, { 1.0 / 3.0, 1.0 / 3.0 } };
}

static void follows_bias_and_tension(void** state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; ++seed)
	{
		sceneRandom random = { seed };
		const Curve curve = DrawSloped(&random, seed % 2 == 0);
		AssertSpans(&curve, SlopedSpan, seed);
	}
}

// Tangents end between the values of their spans, so that nothing overshoots.
static void keeps_what_is_clamped_between_its_keys(void** state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 50; ++seed)
	{
		sceneRandom random = { seed };
		Curve curve = DrawCurve(&random, MOST_KEYS);
		for (int i = 0; i < MOST_KEYS; ++i)
		{
			curve.flags[i] = fbx_autoKey | key_progressive | key_weighted;
			curve.data[i][2] = Pack(sceneRandom_Range(&random, 0.1, 0.9), sceneRandom_Range(&random, 0.1, 0.9));
		}
		Warnings warnings = { 0 };
		ioAsset asset = Load(MakeFile(false, &curve, false), &warnings);
		ioPose* pose = ioPose_Create(&asset);
		for (int i = 0; i < 64 * (MOST_KEYS - 1); ++i)
		{
			const int k = i / 64;
			const double time = curve.times[k] + (i % 64) / 64.0 * (curve.times[k + 1] - curve.times[k]);
			const double place = PlaceAt(pose, time), least = fmin(curve.values[k], curve.values[k + 1]),
			             most = fmax(curve.values[k], curve.values[k + 1]);
			assert_true(place > least - 1e-3 && place < most + 1e-3);
		}
		ioPose_Destroy(pose);
		ioAsset_Free(&asset);
	}
}

static void leaves_out_by_name_what_it_cannot_follow(void** state)
{
	(void)state;
	static const struct
	{
		const char* says; // null: it is followed
		int64_t flags[3];
		double data[4];
		int after;
		bool isLonger;
	} cases[] = {
		{ NULL, { fbx_autoKey, fbx_autoKey, fbx_autoKey }, { 0 }, 0, true },
		{ "velocity", { fbx_cubicKey | key_velocity, fbx_cubicKey, fbx_cubicKey }, { 1, 1, 0, 1e-30 }, 0, true },
		{ NULL, { fbx_cubicKey | key_velocity, fbx_cubicKey, fbx_cubicKey }, { 1, 1, 0, 0 }, 0, false },
		{ "bias of more than 500 %", { fbx_autoKey, fbx_autoKey, fbx_autoKey }, { 501, 0, 0, 0 }, 0, false },
		{ "tension before others", { key_tcb, fbx_cubicKey, fbx_cubicKey }, { 0 }, 0, false },
		{ "tension before others", { key_tcb, fbx_linearKey, fbx_linearKey }, { 0 }, 0, false },
		{ NULL, { key_tcb, fbx_autoKey, fbx_cubicKey }, { 0 }, 0, false },
		{ "beyond their keys", { fbx_linearKey, fbx_linearKey, fbx_linearKey }, { 0 }, 'R', true },
		{ "beyond their keys", { fbx_linearKey, fbx_linearKey, fbx_linearKey }, { 0 }, 'K', true },
		{ NULL, { fbx_linearKey, fbx_linearKey, fbx_linearKey }, { 0 }, 'R', false }, // the clip ends with its keys
		{ NULL, { fbx_linearKey, fbx_linearKey, fbx_linearKey }, { 0 }, 'C', true },
	};
	for (size_t n = 0; n < sizeof(cases) / sizeof(cases[0]); ++n)
	{
		Curve curve = { .count = 3, .times = { 0, 1, 2 }, .values = { 0, 3, 1 }, .after = cases[n].after };
		memcpy(curve.flags, cases[n].flags, sizeof(cases[n].flags));
		memcpy(curve.data[0], cases[n].data, sizeof(cases[n].data));
		Warnings warnings = { 0 };
		ioAsset asset = Load(MakeFile(n % 2 == 0, &curve, cases[n].isLonger), &warnings);
		const bool isLeftOut = cases[n].says != NULL;
		assert_int_equal(asset.clipCount, isLeftOut ? 0 : 1);
		assert_int_equal(warnings.count, isLeftOut ? 1 : 0);
		if (isLeftOut && (strstr(warnings.last, cases[n].says) == NULL || strstr(warnings.last, "'clip'") == NULL ||
		                     strstr(warnings.last, "left out") == NULL))
		{
			fail_msg("'%s' does not say '%s'", warnings.last, cases[n].says);
		}
		ioAsset_Free(&asset);
	}
}

// How layers blend is not read: of several that move something the clip is left out, whatever they move.
static void leaves_out_clips_of_several_moving_layers(void** state)
{
	(void)state;
	const Curve curve = { .count = 3,
		.times = { 0, 1, 2 },
		.values = { 0, 3, 1 },
		.flags = { fbx_linearKey, fbx_linearKey, fbx_linearKey } };
	for (int layers = 1; layers <= 2; ++layers)
	{
		Warnings warnings = { 0 };
		ioAsset asset = Load(MakeLayers(true, &curve, false, layers), &warnings);
		assert_int_equal(asset.clipCount, layers == 1 ? 1 : 0);
		assert_int_equal(warnings.count, layers - 1);
		assert_true(layers == 1 || (strstr(warnings.last, "'clip'") != NULL &&
		                               strstr(warnings.last, "several layers move something") != NULL));
		ioAsset_Free(&asset);
	}
}

// ---- For another reader -------------------------------------------------------------------------------------------

static int WriteFiles(const char* directory, int count, uint64_t seed)
{
	for (int n = 0; n < count; ++n)
	{
		char path[400];
		sceneRandom random = { seed + (uint64_t)n };
		const Curve curve = n % 3 == 0 ? DrawWeighted(&random, false) : DrawSloped(&random, n % 3 == 1);
		Bytes bytes = MakeFile(true, &curve, false);
		snprintf(path, sizeof(path), "%s/%d.fbx", directory, n);
		WriteFile(path, bytes.data, bytes.count);
		Warnings warnings = { 0 };
		ioAsset asset = Load(bytes, &warnings);
		ioPose* pose = ioPose_Create(&asset);
		snprintf(path, sizeof(path), "%s/%d.txt", directory, n);
		FILE* file = fopen(path, "w");
		for (int i = 0; i <= 100 && file != NULL; ++i)
		{
			const double time = curve.times[curve.count - 1] * i / 100.0;
			fprintf(file, "%.17g %.9g\n", time, PlaceAt(pose, time));
		}
		if (file == NULL || fclose(file) != 0)
		{
			perror(path);
			return 1;
		}
		ioPose_Destroy(pose);
		ioAsset_Free(&asset);
	}
	return 0;
}

int main(int argumentCount, char** arguments)
{
	if (argumentCount == 4)
	{
		return WriteFiles(arguments[1], atoi(arguments[2]), strtoull(arguments[3], NULL, 10));
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_weighted_tangents),
		cmocka_unit_test(follows_bias_and_tension),
		cmocka_unit_test(keeps_what_is_clamped_between_its_keys),
		cmocka_unit_test(leaves_out_by_name_what_it_cannot_follow),
		cmocka_unit_test(leaves_out_clips_of_several_moving_layers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
