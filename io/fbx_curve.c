// Curves of an FBX file as keys of a channel.
//
// A curve has straight, constant and cubic spans. One that is all straight or all constant stays so; others become
// cubic splines, in which a jump is two keys at one time, and spans whose tangents have lengths of their own (weighted
// ones) are cut into short cubics.
#include "io/fbx.h"

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
#define PIECES 16          // of a weighted span

typedef struct key
{
	double time, value;
	int64_t flags;
	double left, right;             // slopes: of the span before and after
	double leftWeight, rightWeight; // lengths of tangents, in spans
} key;

typedef struct curveReader
{
	const fbxReader* r;
	uint32_t curve, count;
	key* keys;
	float* times;  // of the channel
	float* values; // in-tangent, value, out-tangent
	uint32_t used;
} curveReader;

// ---- Slopes ----------------------------------------------------------------------------------------------------

// What the format calls an automatic tangent: the mean of the slope from neighbour to neighbour and of the slopes on
// both sides, the nearer weighing more; at the ends, that of the span; 0 at extremes that are to be kept. Tangents by
// tension, continuity and bias are taken for these too.
static double AutoSlope(const curveReader* c, uint32_t i)
{
	const key *k = c->keys + i, *a = k - 1, *b = k + 1;
	bool hasBefore = i > 0 && k->time > a->time, hasAfter = i + 1 < c->count && b->time > k->time;
	if (!hasBefore || !hasAfter)
	{
		const key* other = hasBefore ? a : b;
		bool flat = (!hasBefore && !hasAfter) || (k->flags & key_clampProgressive) != 0;
		return flat || ((k->flags & key_clamp) != 0 && fabs(other->value - k->value) <= 1e-4)
		           ? 0.0
		           : (other->value - k->value) / (other->time - k->time);
	}
	if ((k->flags & key_clamp) != 0 && fmin(fabs(a->value - k->value), fabs(b->value - k->value)) <= 1e-4)
	{
		return 0.0;
	}
	double chord = (b->value - a->value) / (b->time - a->time);
	double before = (k->value - a->value) / (k->time - a->time), after = (b->value - k->value) / (b->time - k->time);
	double part = (k->time - a->time) / (b->time - a->time);
	double slope = (k->flags & key_timeIndependent) != 0 ? chord : 0.5 * (chord + (1.0 - part) * before + part * after);
	if ((k->flags & key_clampProgressive) != 0)
	{
		// Tangents end between the values of their spans.
		double sign = slope < 0.0 ? -1.0 : 1.0;
		double most = fmax(0.0, fmin(sign * before / WEIGHT, sign * after / WEIGHT));
		slope = sign * fmin(sign * slope, most);
	}
	return slope;
}

static bool IsCubic(const key* k)
{
	return (k->flags & key_cubic) != 0;
}

// Between its keys a curve may be bent further than is followed here; at its keys nothing changes.
static void SetSlopes(curveReader* c)
{
	bool bent = false;
	for (uint32_t i = 0; i < c->count; ++i)
	{
		key* k = c->keys + i;
		bent = bent || (IsCubic(k) && (k->flags & (key_tcb | key_velocity)) != 0);
		if (IsCubic(k) && (k->flags & key_user) == 0)
		{
			bent = bent || k->left != 0.0 || k->right != 0.0; // of automatic tangents these are a bias
			k->left = k->right = AutoSlope(c, i);
		}
	}
	if (bent)
	{
		fbxWarn(c->r, c->curve, "tangents with a bias, a tension or a velocity: between its keys only nearly followed");
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
	double right, nextLeft;
	uint32_t lengths;
} attribute;

static attribute ReadAttribute(const double* n)
{
	if (n[2] >= 1e6 || (n[2] == 0.0 && (fabs(n[0]) >= 1e6 || fabs(n[1]) >= 1e6)))
	{
		return (attribute){ SingleOf(n[0]), SingleOf(n[1]), (uint32_t)(n[2] < 4294967296.0 ? n[2] : 0.0) };
	}
	return (attribute){ n[0], n[1], BitsOf(n[2]) };
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

static bool ReadKeys(curveReader* c, double factor)
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
	}
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
	float* v = c->values + 3 * (size_t)c->used;
	c->times[c->used++] = (float)time;
	v[0] = (float)left;
	v[1] = (float)value;
	v[2] = (float)right;
}

static double Cubic(double a, double b, double c, double d, double s)
{
	double r = 1.0 - s;
	return r * r * r * a + 3.0 * r * r * s * b + 3.0 * r * s * s * c + s * s * s * d;
}

static double CubicSlope(double a, double b, double c, double d, double s)
{
	double r = 1.0 - s;
	return 3.0 * (r * r * (b - a) + 2.0 * r * s * (c - b) + s * s * (d - c));
}

// A weighted span is a curve in the plane of time and value: points of it, at equal steps of its parameter, with their
// slopes. Where time stands still, the slope is bounded.
static void EmitWeighted(curveReader* c, const key* a, const key* b)
{
	double span = b->time - a->time, before = fmin(a->rightWeight, 1.0), after = fmin(b->leftWeight, 1.0);
	double t[4] = { a->time, a->time + before * span, b->time - after * span, b->time };
	double v[4] = { a->value, a->value + before * span * a->right, b->value - after * span * b->left, b->value };
	for (int i = 1; i < PIECES; ++i)
	{
		double s = (double)i / PIECES;
		double dt = fmax(CubicSlope(t[0], t[1], t[2], t[3], s), 1e-6 * span);
		double slope = CubicSlope(v[0], v[1], v[2], v[3], s) / dt;
		Emit(c, Cubic(t[0], t[1], t[2], t[3], s), slope, Cubic(v[0], v[1], v[2], v[3], s), slope);
	}
}

static bool IsWeighted(const key* a, const key* b)
{
	return IsCubic(a) && (fabs(a->rightWeight - WEIGHT) > 1e-3 || fabs(b->leftWeight - WEIGHT) > 1e-3);
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

// Keys that the channel will have.
static uint64_t CountKeys(const curveReader* c, bool* linear, bool* steps)
{
	uint64_t count = c->count;
	*linear = *steps = true;
	for (uint32_t i = 0; i + 1 < c->count; ++i)
	{
		const key* k = c->keys + i;
		bool constant = (k->flags & key_constant) != 0;
		*linear = *linear && !constant && !IsCubic(k);
		*steps = *steps && constant && (k->flags & key_constantNext) == 0;
		count += constant ? 1 : IsWeighted(k, k + 1) ? PIECES : 0;
	}
	return count;
}

static bool EmitChannel(curveReader* c, ioChannel* channel)
{
	bool linear, steps;
	uint64_t count = CountKeys(c, &linear, &steps);
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
	if (!linear && !steps)
	{
		EmitSplines(c);
	}
	for (uint32_t i = 0; (linear || steps) && i < c->count; ++i)
	{
		c->times[i] = (float)c->keys[i].time;
		c->values[i] = (float)c->keys[i].value;
	}
	c->used = linear || steps ? c->count : c->used;
	channel->interpolation = linear ? io_linear : steps ? io_step : io_cubicSpline;
	channel->keyCount = c->used;
	channel->times = c->times;
	channel->values = c->values;
	bool finite = true;
	for (size_t i = 0; i < 4 * (size_t)count; ++i)
	{
		finite = finite && isfinite(c->times[i]);
	}
	return finite || fbxFail(c->r, c->curve, "its values or slopes are too large");
}

// What a curve does before its first and after its last key: only holding them is read.
static void WarnOfExtrapolation(const fbxReader* r, uint32_t curve)
{
	static const char* const names[2] = { "Pre-Extrapolation", "Post-Extrapolation" };
	for (int i = 0; i < 2; ++i)
	{
		uint32_t record = fbxFind(&r->tree, r->objects[curve].record, names[i]);
		uint32_t type = record != 0 ? fbxFind(&r->tree, record, "Type") : 0;
		fbxValue value = fbxGetValue(&r->tree, type, 0);
		bool holds = type == 0 || (value.type == fbx_string ? fbxText_Is(value.text, "C") : value.integer == 'C');
		if (!holds)
		{
			fbxWarn(r, curve, "%s repeats or goes on: its key is held instead", names[i]);
		}
	}
}

bool fbxReadCurve(const fbxReader* r, uint32_t curve, double factor, ioChannel* channel)
{
	curveReader c = { .r = r, .curve = curve };
	channel->keyCount = 0;
	WarnOfExtrapolation(r, curve);
	bool read = ReadKeys(&c, factor) && (c.count == 0 || EmitChannel(&c, channel));
	free(c.keys);
	return read;
}
