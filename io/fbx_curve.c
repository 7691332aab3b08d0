// Curves of an FBX file as keys of a channel.
//
// A curve has straight, constant and cubic spans. One that is all straight or all constant stays so; others become
// cubic splines, in which a jump is two keys at one time, and spans whose tangents have lengths of their own (weighted
// ones) are cut into cubics of time that are as good as they are.
#include "io/fbx.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Flags of keys, as far as they matter here.
enum
{
	key_constant = 0x2,
	key_linear = 0x4,
	key_cubic = 0x8,
	key_constantNext = 0x100, // with key_constant: the value of the next key
	key_tcb = 0x200,
	key_user = 0x400,
	key_clamp = 0x1000,
	key_timeIndependent = 0x2000,
	key_clampProgressive = 0x4000,
	key_weightedRight = 0x1000000,
	key_weightedNextLeft = 0x2000000,
	key_velocity = 0x30000000,
};

#define WEIGHT (1.0 / 3.0) // of a tangent without one
#define MOST_BIAS 500.0    // percent; beyond, slopes depend on no neighbour
#define MOST_HALVINGS 24   // of a weighted span
#define TOLERANCE 1e-6     // of a weighted span's values

typedef struct key
{
	double time, value;
	int64_t flags;
	double left, right;             // slopes: of the span before and after
	double leftWeight, rightWeight; // lengths of tangents, in spans
	double tension, continuity, bias;
	bool hasVelocity;
} key;

typedef struct curveReader
{
	const fbxReader* r;
	uint32_t curve, count;
	key* keys;
	float* times;  // of the channel; null: keys are only counted
	float* values; // in-tangent, value, out-tangent
	uint64_t used;
} curveReader;

// ---- Slopes ----------------------------------------------------------------------------------------------------

static bool HasBefore(const curveReader* c, uint32_t i)
{
	return i > 0 && c->keys[i].time > c->keys[i - 1].time;
}

static bool HasAfter(const curveReader* c, uint32_t i)
{
	return i + 1 < c->count && c->keys[i + 1].time > c->keys[i].time;
}

static double Chord(const key* a, const key* b)
{
	return (b->value - a->value) / (b->time - a->time);
}

// Of a slope, so much that tangents end between the values of their spans.
static double Clamp(double slope, double before, double beforeWeight, double after, double afterWeight)
{
	const double sign = slope < 0.0 ? -1.0 : 1.0;
	const double mostBefore = beforeWeight > 0.0 ? sign * before / beforeWeight : 0.0;
	const double mostAfter = afterWeight > 0.0 ? sign * after / afterWeight : 0.0;
	return sign * fmin(sign * slope, fmax(0.0, fmin(mostBefore, mostAfter)));
}

// What the format calls an automatic tangent: the mean of the slope from neighbour to neighbour and of the slopes on
// both sides, the nearer weighing more, from which a bias leads to the slope after or, if it is negative, before; at
// the ends, that of the span; 0 at extremes that are to be kept.
// @param bias in percent
static double AutoSlope(const curveReader* c, uint32_t i, double bias)
{
	const key *k = c->keys + i, *a = k - 1, *b = k + 1;
	const bool hasBefore = HasBefore(c, i), hasAfter = HasAfter(c, i);
	if (!hasBefore || !hasAfter)
	{
		const key* other = hasBefore ? a : b;
		bool flat = (!hasBefore && !hasAfter) || (k->flags & key_clampProgressive) != 0;
		return flat || ((k->flags & key_clamp) != 0 && fabs(other->value - k->value) <= 1e-4) ? 0.0 : Chord(k, other);
	}
	if ((k->flags & key_clamp) != 0 && fmin(fabs(a->value - k->value), fabs(b->value - k->value)) <= 1e-4)
	{
		return 0.0;
	}
	const double before = Chord(a, k), after = Chord(k, b), part = (k->time - a->time) / (b->time - a->time);
	double slope = Chord(a, b);
	if ((k->flags & key_timeIndependent) == 0)
	{
		slope = 0.5 * (slope + (1.0 - part) * before + part * after);
		slope += fabs(bias) / 100.0 * ((bias > 0.0 ? after : before) - slope);
	}
	return (k->flags & key_clampProgressive) != 0 ? Clamp(slope, before, k->leftWeight, after, k->rightWeight) : slope;
}

// Tension, continuity and bias, as Kochanek and Bartels have them; at the ends with one span for both.
static void SetByTension(const curveReader* c, uint32_t i)
{
	key* k = c->keys + i;
	const double continuity = k->continuity, bias = k->bias;
	const double before = HasBefore(c, i) ? Chord(k - 1, k) : 0.0, after = HasAfter(c, i) ? Chord(k, k + 1) : 0.0;
	const double part = (HasBefore(c, i) && HasAfter(c, i) ? 0.5 : 1.0) * (1.0 - k->tension);
	k->left = part * ((1.0 + bias) * (1.0 - continuity) * before + (1.0 - bias) * (1.0 + continuity) * after);
	k->right = part * ((1.0 + bias) * (1.0 + continuity) * before + (1.0 - bias) * (1.0 - continuity) * after);
}

static bool IsCubic(const key* k)
{
	return (k->flags & key_cubic) != 0;
}

static bool IsByTension(const key* k)
{
	return IsCubic(k) && (k->flags & key_tcb) != 0;
}

static bool IsAutomatic(const key* k)
{
	return IsCubic(k) && (k->flags & (key_tcb | key_user)) == 0;
}

// @return what cannot be followed; null: nothing
static const char* FindRefusal(const curveReader* c)
{
	for (uint32_t i = 0; i < c->count; ++i)
	{
		const key* k = c->keys + i;
		if (k->hasVelocity)
		{
			return "tangents with a velocity";
		}
		if (IsAutomatic(k) && fmax(fabs(k->left), fabs(k->right)) > MOST_BIAS)
		{
			return "tangents with a bias of more than 500 %";
		}
		if (IsByTension(k) && i + 1 < c->count && !IsByTension(k + 1) && !IsAutomatic(k + 1))
		{
			return "tangents by tension before others"; // how the span ends the file does not say
		}
	}
	return NULL;
}

static void SetSlopes(curveReader* c)
{
	for (uint32_t i = 0; i < c->count; ++i)
	{
		key* k = c->keys + i;
		if (IsByTension(k))
		{
			SetByTension(c, i);
		}
		else if (IsAutomatic(k))
		{
			k->left = AutoSlope(c, i, -k->left);
			k->right = AutoSlope(c, i, k->right);
		}
	}
}

// ---- Reading ---------------------------------------------------------------------------------------------------

static uint32_t BitsOf(double number)
{
	float single = (float)number;
	uint32_t bits;
	memcpy(&bits, &single, sizeof(bits));
	return bits;
}

static double SingleOf(double bits)
{
	uint32_t narrow = bits > -2147483649.0 && bits < 4294967296.0 ? (uint32_t)(int64_t)bits : 0;
	float single;
	memcpy(&single, &narrow, sizeof(single));
	return isfinite(single) ? (double)single : 0.0;
}

// What a key says of its span: two slopes, and two lengths of tangents, which are 16 bits each of a number that
// pretends to be a float. Text has either all of them as floats or all as the bits of floats, in decimal: a length of a
// third is 9.4e-30 as a float and 218434821 as bits.
typedef struct attribute
{
	double right, nextLeft, third;
	uint32_t lengths;
	bool hasFourth;
} attribute;

static attribute ReadAttribute(const double* n)
{
	if (fabs(n[2]) >= 1e6 || (n[2] == 0.0 && (fabs(n[0]) >= 1e6 || fabs(n[1]) >= 1e6)))
	{
		const uint32_t bits = (uint32_t)(n[2] >= 0.0 && n[2] < 4294967296.0 ? n[2] : 0.0);
		return (attribute){ SingleOf(n[0]), SingleOf(n[1]), SingleOf(n[2]), bits, n[3] != 0.0 };
	}
	return (attribute){ n[0], n[1], n[2], BitsOf(n[2]), n[3] != 0.0 };
}

// Attributes are shared by runs of keys.
static bool ReadAttributes(curveReader* c)
{
	const fbxTree* tree = &c->r->tree;
	uint32_t record = c->r->objects[c->curve].record, data = fbxFind(tree, record, "KeyAttrDataFloat");
	uint32_t flagCount, runCount = 0, numberCount = 0, next = 0;
	int64_t* flags = fbxReadIntegers(tree, fbxFind(tree, record, "KeyAttrFlags"), &flagCount);
	int64_t* runs = flags != NULL ? fbxReadIntegers(tree, fbxFind(tree, record, "KeyAttrRefCount"), &runCount) : NULL;
	double* numbers = runs != NULL ? fbxReadNumbers(tree, data, &numberCount) : NULL;
	bool read = numbers != NULL;
	for (uint32_t i = 0; read && i < flagCount && i < runCount; ++i)
	{
		bool told = 4 * (uint64_t)i + 3 < numberCount;
		attribute n = told ? ReadAttribute(numbers + 4 * (size_t)i) : (attribute){ .lengths = 0 };
		for (int64_t k = 0; k < runs[i] && next < c->count; ++k, ++next)
		{
			key* at = c->keys + next;
			bool last = next + 1 == c->count;
			at->flags = flags[i];
			at->hasVelocity = IsCubic(at) && (flags[i] & key_velocity) != 0 && n.hasFourth;
			if (IsByTension(at)) // the three numbers are these, and say nothing of the next key
			{
				at->tension = n.right;
				at->continuity = n.nextLeft;
				at->bias = n.third;
				continue;
			}
			at->right = n.right;
			at->rightWeight = (flags[i] & key_weightedRight) != 0 ? (double)(n.lengths & 0xffff) * 1e-4 : WEIGHT;
			at[last ? 0 : 1].left = last ? at->left : n.nextLeft;
			at[last ? 0 : 1].leftWeight = last                                     ? at->leftWeight
			                              : (flags[i] & key_weightedNextLeft) != 0 ? (double)(n.lengths >> 16) * 1e-4
			                                                                       : WEIGHT;
		}
	}
	free(flags);
	free(runs);
	free(numbers);
	return read;
}

static bool ReadKeys(curveReader* c, double factor, fbxExtent* extent)
{
	const fbxTree* tree = &c->r->tree;
	uint32_t record = c->r->objects[c->curve].record, valueCount = 0;
	int64_t* times = fbxReadIntegers(tree, fbxFind(tree, record, "KeyTime"), &c->count);
	double* values = times != NULL ? fbxReadNumbers(tree, fbxFind(tree, record, "KeyValueFloat"), &valueCount) : NULL;
	c->keys = values != NULL ? calloc((size_t)c->count + 1, sizeof(key)) : NULL;
	bool read = c->keys != NULL || (values != NULL && ioFailMemory(c->r->loader));
	if (read && valueCount != c->count)
	{
		read = fbxFail(c->r, c->curve, "%u times, but %u values", c->count, valueCount);
	}
	for (uint32_t i = 0; read && i < c->count; ++i)
	{
		key* k = c->keys + i;
		*k = (key){ .time = (double)times[i] / c->r->ticks,
			.value = values[i],
			.flags = key_linear,
			.leftWeight = WEIGHT,
			.rightWeight = WEIGHT };
		if (!(fabs(values[i]) < 1e30) || (i > 0 && times[i] < times[i - 1]))
		{
			read = fbxFail(c->r, c->curve, "key %u is not finite, or before the key before it", i);
		}
	}
	read = read && ReadAttributes(c);
	for (uint32_t i = 0; read && i < c->count; ++i)
	{
		key* k = c->keys + i;
		bool finite = fabs(k->left) < 1e30 && fabs(k->right) < 1e30;
		k->left = finite ? k->left : 0.0;
		k->right = finite ? k->right : 0.0;
		finite = fabs(k->tension) < 1e6 && fabs(k->continuity) < 1e6 && fabs(k->bias) < 1e6;
		k->tension = finite ? k->tension : 0.0;
		k->continuity = finite ? k->continuity : 0.0;
		k->bias = finite ? k->bias : 0.0;
	}
	extent->refusal = read && extent->refusal == NULL ? FindRefusal(c) : extent->refusal;
	if (read)
	{
		SetSlopes(c);
	}
	for (uint32_t i = 0; read && i < c->count; ++i)
	{
		c->keys[i].value *= factor;
		c->keys[i].left *= factor;
		c->keys[i].right *= factor;
	}
	free(times);
	free(values);
	return read;
}

// ---- Spans -----------------------------------------------------------------------------------------------------

static void Emit(curveReader* c, double time, double left, double value, double right)
{
	const uint64_t i = c->used++;
	if (c->times != NULL)
	{
		c->times[i] = (float)time;
		c->values[3 * i] = (float)left;
		c->values[3 * i + 1] = (float)value;
		c->values[3 * i + 2] = (float)right;
	}
}

static double Cubic(const double p[4], double s)
{
	double r = 1.0 - s;
	return r * r * r * p[0] + 3.0 * r * r * s * p[1] + 3.0 * r * s * s * p[2] + s * s * s * p[3];
}

static double CubicSlope(const double p[4], double s)
{
	double r = 1.0 - s;
	return 3.0 * (r * r * (p[1] - p[0]) + 2.0 * r * s * (p[2] - p[1]) + s * s * (p[3] - p[2]));
}

// A weighted span is a curve in the plane of time and value, by its control points, seen from its first key.
typedef struct weightedSpan
{
	double t[4], v[4];
	double tolerance;
} weightedSpan;

// Where time stands still, the slope is bounded.
static double SlopeOf(const weightedSpan* w, double s)
{
	return CubicSlope(w->v, s) / fmax(CubicSlope(w->t, s), 1e-9 * w->t[3]);
}

// Whether the cubic of time between two points, with their slopes, is as good.
static bool IsCubicOfTime(const weightedSpan* w, double low, double high)
{
	const double start = Cubic(w->t, low), length = Cubic(w->t, high) - start;
	const double a = Cubic(w->v, low), b = Cubic(w->v, high);
	const double m = length * SlopeOf(w, low), n = length * SlopeOf(w, high);
	bool isGood = true;
	for (int i = 1; i < 8 && isGood && length > 0.0; ++i)
	{
		const double s = low + (high - low) * i / 8.0, t = (Cubic(w->t, s) - start) / length;
		const double value = a + t * (m + t * (3.0 * (b - a) - 2.0 * m - n + t * (m + n - 2.0 * (b - a))));
		isGood = fabs(value - Cubic(w->v, s)) <= w->tolerance;
	}
	return isGood;
}

// Points between two of its parameters, as many as it takes.
static void EmitPoints(curveReader* c, const key* a, const weightedSpan* w, double low, double high, int halvings)
{
	if (halvings == 0 || IsCubicOfTime(w, low, high))
	{
		return;
	}
	const double middle = 0.5 * (low + high), slope = SlopeOf(w, middle);
	EmitPoints(c, a, w, low, middle, halvings - 1);
	Emit(c, a->time + Cubic(w->t, middle), slope, a->value + Cubic(w->v, middle), slope);
	EmitPoints(c, a, w, middle, high, halvings - 1);
}

static void EmitWeighted(curveReader* c, const key* a, const key* b)
{
	const double span = b->time - a->time, before = fmin(a->rightWeight, 1.0), after = fmin(b->leftWeight, 1.0);
	const double difference = b->value - a->value;
	weightedSpan w = { { 0.0, before * span, span - after * span, span },
		{ 0.0, before * span * a->right, difference - after * span * b->left, difference },
		FLT_EPSILON / 2 * fabs(a->value) };
	for (int i = 1; i < 4; ++i)
	{
		w.tolerance = fmax(w.tolerance, TOLERANCE * fabs(w.v[i]));
	}
	EmitPoints(c, a, &w, 0.0, 1.0, MOST_HALVINGS);
}

static bool IsWeighted(const key* a, const key* b)
{
	return IsCubic(a) && (a->rightWeight != WEIGHT || b->leftWeight != WEIGHT);
}

// The slopes with which a span begins and ends.
static void GetSlopes(const key* a, const key* b, double* begin, double* end)
{
	double chord = b->time > a->time ? (b->value - a->value) / (b->time - a->time) : 0.0;
	bool flat = (a->flags & key_constant) != 0;
	*begin = flat ? 0.0 : IsCubic(a) ? a->right : chord;
	*end = flat ? 0.0 : IsCubic(a) ? b->left : chord;
}

static void EmitSplines(curveReader* c)
{
	double left = 0.0;
	for (uint32_t i = 0; i < c->count; ++i)
	{
		const key *a = c->keys + i, *b = a + 1;
		double begin = 0.0, end = 0.0;
		if (i + 1 == c->count)
		{
			Emit(c, a->time, left, a->value, 0.0);
			return;
		}
		GetSlopes(a, b, &begin, &end);
		Emit(c, a->time, left, a->value, begin);
		if ((a->flags & key_constant) != 0 && (a->flags & key_constantNext) != 0)
		{
			Emit(c, a->time, 0.0, b->value, 0.0);
		}
		else if ((a->flags & key_constant) != 0)
		{
			Emit(c, b->time, 0.0, a->value, 0.0);
		}
		else if (IsWeighted(a, b))
		{
			EmitWeighted(c, a, b);
		}
		left = end;
	}
}

// Of what kind its spans are.
static ioInterpolation KindOf(const curveReader* c)
{
	bool linear = true, steps = true;
	for (uint32_t i = 0; i + 1 < c->count; ++i)
	{
		const key* k = c->keys + i;
		const bool constant = (k->flags & key_constant) != 0;
		linear = linear && !constant && !IsCubic(k);
		steps = steps && constant && (k->flags & key_constantNext) == 0;
	}
	return linear ? io_linear : steps ? io_step : io_cubicSpline;
}

static bool EmitChannel(curveReader* c, ioChannel* channel)
{
	channel->interpolation = KindOf(c);
	c->used = c->count;
	if (channel->interpolation == io_cubicSpline)
	{
		c->used = 0;
		EmitSplines(c);
	}
	const uint64_t count = c->used;
	if (!ioSpend(c->r->loader, 16 * count) || count > IO_MAX_COUNT)
	{
		return fbxFail(c->r, c->curve, "too many keys for a file of %zu bytes", c->r->loader->count);
	}
	c->times = ioAsset_Allocate(c->r->loader->asset, (size_t)count, 4 * sizeof(float));
	if (c->times == NULL)
	{
		return ioFailMemory(c->r->loader);
	}
	c->values = c->times + count;
	c->used = 0;
	if (channel->interpolation == io_cubicSpline)
	{
		EmitSplines(c);
	}
	for (uint32_t i = 0; channel->interpolation != io_cubicSpline && i < c->count; ++i)
	{
		c->times[i] = (float)c->keys[i].time;
		c->values[i] = (float)c->keys[i].value;
	}
	channel->keyCount = (uint32_t)count;
	channel->times = c->times;
	channel->values = c->values;
	bool finite = true;
	for (size_t i = 0; i < 4 * (size_t)count; ++i)
	{
		finite = finite && isfinite(c->times[i]);
	}
	return finite || fbxFail(c->r, c->curve, "its values or slopes are too large");
}

// Whether a curve holds its first or last key before or after it.
static bool Holds(const fbxReader* r, uint32_t curve, const char* name)
{
	uint32_t record = fbxFind(&r->tree, r->objects[curve].record, name);
	uint32_t type = record != 0 ? fbxFind(&r->tree, record, "Type") : 0;
	fbxValue value = fbxGetValue(&r->tree, type, 0);
	return type == 0 || (value.type == fbx_string ? fbxText_Is(value.text, "C") : value.integer == 'C');
}

bool fbxReadCurve(const fbxReader* r, uint32_t curve, double factor, ioChannel* channel, fbxExtent* extent)
{
	curveReader c = { .r = r, .curve = curve };
	channel->keyCount = 0;
	bool read = ReadKeys(&c, factor, extent);
	if (read && c.count > 0 && extent->refusal == NULL)
	{
		read = EmitChannel(&c, channel);
	}
	if (read && channel->keyCount > 1)
	{
		const double first = (double)channel->times[0], last = (double)channel->times[channel->keyCount - 1];
		extent->from = Holds(r, curve, "Pre-Extrapolation") ? extent->from : fmax(extent->from, first);
		extent->to = Holds(r, curve, "Post-Extrapolation") ? extent->to : fmin(extent->to, last);
	}
	free(c.keys);
	return read;
}
