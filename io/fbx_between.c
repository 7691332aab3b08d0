// Shapes between shapes of an FBX file, in motion.
//
// A channel has one percentage and several shapes on the line of percentages. Between two neighbours on that line what
// there is of each shape is linear in the percentage; so where the percentage goes along a cubic of time, each weight
// does too, if there is a key wherever the percentage passes a shape. Nothing is sampled, and only float32 rounds.
#include "io/fbx.h"
#include "io/grow.h"

#include <math.h>
#include <stdlib.h>

// A key of all weights.
typedef struct moment
{
	double time, percent;
	double before, after; // slopes of the percentage
	double inside;        // a percentage between this moment and the next: it says between which shapes that is
} moment;

typedef struct momentList
{
	moment* moments;
	uint32_t count;
	size_t capacity;
	bool isFull; // there is no memory
} momentList;

// A span of the percentage: a + t (m + t (q + t r)), t from 0 to 1.
typedef struct span
{
	double start, length, a, m, q, r;
} span;

static double At(const span* s, double t)
{
	return s->a + t * (s->m + t * (s->q + t * s->r));
}

static double SlopeAt(const span* s, double t)
{
	return s->length > 0.0 ? (s->m + t * (2.0 * s->q + 3.0 * t * s->r)) / s->length : 0.0;
}

static span SpanOf(const ioChannel* percent, uint32_t key)
{
	const bool isCubic = percent->interpolation == io_cubicSpline, isStep = percent->interpolation == io_step;
	const size_t stride = isCubic ? 3 : 1, part = stride / 2;
	const float* from = percent->values + key * stride;
	const double a = (double)from[part], b = isStep ? a : (double)from[stride + part];
	const double start = (double)percent->times[key], length = (double)percent->times[key + 1] - start;
	const double m = isCubic ? length * (double)from[2] : b - a, n = isCubic ? length * (double)from[3] : b - a;
	return (span){ start, length, a, m, 3.0 * (b - a) - 2.0 * m - n, m + n - 2.0 * (b - a) };
}

// In order of time, behind `first`.
static void Add(momentList* list, uint32_t first, moment added)
{
	list->isFull = list->isFull || !ioGrow(&list->moments, &list->capacity, (size_t)list->count + 1, sizeof(moment));
	if (list->isFull)
	{
		return;
	}
	uint32_t at = list->count++;
	for (; at > first && list->moments[at - 1].time > added.time; --at)
	{
		list->moments[at] = list->moments[at - 1];
	}
	list->moments[at] = added;
}

// Where a span turns around: up to two places, between 0 and 1, in order.
static int FindTurns(const span* s, double turns[2])
{
	const double a = 3.0 * s->r, b = s->q, c = s->m, root = b * b - a * c;
	double found[2];
	int count = 0;
	if (root >= 0.0)
	{
		const double h = -(b + (b < 0.0 ? -sqrt(root) : sqrt(root)));
		found[0] = h / a;
		found[1] = c / h;
		for (int i = 0; i < 2; ++i)
		{
			if (found[i] > 0.0 && found[i] < 1.0)
			{
				turns[count++] = found[i];
			}
		}
	}
	if (count == 2 && turns[0] > turns[1])
	{
		const double swapped = turns[0];
		turns[0] = turns[1];
		turns[1] = swapped;
	}
	return count;
}

// Between two places, from one side of a level to the other.
static double Bisect(const span* s, double level, double low, double high)
{
	const bool rises = At(s, high) > level;
	for (int i = 0; i < 60; ++i)
	{
		const double middle = 0.5 * (low + high);
		const bool isBelow = (At(s, middle) < level) == rises;
		low = isBelow ? middle : low;
		high = isBelow ? high : middle;
	}
	return 0.5 * (low + high);
}

// A key wherever a span passes a shape, or the mesh without any.
static void AddPassages(momentList* list, const span* s, double level, uint32_t first)
{
	double places[4] = { 0.0 };
	const int turns = FindTurns(s, places + 1);
	places[turns + 1] = 1.0;
	for (int i = 0; i <= turns; ++i)
	{
		const double low = At(s, places[i]) - level, high = At(s, places[i + 1]) - level;
		const bool isAtTurn = high == 0.0 && i < turns;
		if (isAtTurn || (low < 0.0 && high > 0.0) || (low > 0.0 && high < 0.0))
		{
			const double t = isAtTurn ? places[i + 1] : Bisect(s, level, places[i], places[i + 1]);
			const double slope = SlopeAt(s, t);
			Add(list, first, (moment){ s->start + t * s->length, level, slope, slope, 0.0 });
		}
	}
}

// What is between two moments: the percentage half way, by time.
static void SetInside(momentList* list, uint32_t first, const span* s)
{
	for (uint32_t i = first; i < list->count; ++i)
	{
		const double end = i + 1 < list->count ? list->moments[i + 1].time : s->start + s->length;
		const double t = s->length > 0.0 ? (0.5 * (list->moments[i].time + end) - s->start) / s->length : 0.0;
		list->moments[i].inside = At(s, t);
	}
}

static void Collect(momentList* list, const ioChannel* percent, const double* full, uint32_t count)
{
	double before = 0.0;
	for (uint32_t key = 0; key + 1 < percent->keyCount; ++key)
	{
		const span s = SpanOf(percent, key);
		const uint32_t first = list->count;
		Add(list, first, (moment){ s.start, s.a, before, SlopeAt(&s, 0.0), 0.0 });
		for (uint32_t k = 0; k <= count && s.length > 0.0 && !list->isFull; ++k)
		{
			AddPassages(list, &s, k < count ? full[k] : 0.0, first + 1);
		}
		SetInside(list, first, &s);
		before = SlopeAt(&s, 1.0);
	}
	const size_t last = percent->keyCount - 1, stride = percent->interpolation == io_cubicSpline ? 3 : 1;
	const double value = (double)percent->values[last * stride + stride / 2];
	Add(list, list->count, (moment){ (double)percent->times[last], value, before, 0.0, value });
}

// The weights of all shapes at a moment, and how fast they change before and after it.
static void WriteMoment(
    const momentList* list, uint32_t i, const double* full, uint32_t count, double* mixed, size_t stride, float* values)
{
	const moment* at = list->moments + i;
	double *weights = mixed, *rates = mixed + count;
	const size_t step = (size_t)list->count * stride;
	float* value = values + i * stride;
	fbxMixShapes(at->percent, at[i > 0 ? -1 : 0].inside, full, count, weights, rates);
	for (uint32_t k = 0; k < count && stride == 3; ++k)
	{
		value[k * step] = (float)(at->before * rates[k]);
	}
	fbxMixShapes(at->percent, at->inside, full, count, weights, rates);
	for (uint32_t k = 0; k < count; ++k)
	{
		value[k * step + stride / 2] = (float)weights[k];
		if (stride == 3)
		{
			value[k * step + 2] = (float)(at->after * rates[k]);
		}
	}
}

bool fbxMixChannel(const fbxReader* r, uint32_t object, const ioChannel* percent, const double* full, uint32_t count,
    ioChannel* channels)
{
	momentList list = { .count = 0 };
	Collect(&list, percent, full, count);
	const size_t stride = percent->interpolation == io_cubicSpline ? 3 : 1, each = (size_t)list.count * stride;
	bool isMade = !list.isFull || ioFailMemory(r->loader);
	if (isMade && !ioSpend(r->loader, 4 * list.count + 4 * (uint64_t)each * count))
	{
		isMade = fbxFail(r, object, "too many keys for a file of %zu bytes", r->loader->count);
	}
	float* times = isMade ? ioAsset_Allocate(r->loader->asset, list.count, sizeof(float)) : NULL;
	float* values = isMade ? ioAsset_Allocate(r->loader->asset, each * count, sizeof(float)) : NULL;
	double* mixed = isMade ? malloc((2 * (size_t)count + 1) * sizeof(double)) : NULL;
	isMade = isMade && ((times != NULL && values != NULL && mixed != NULL) || ioFailMemory(r->loader));
	for (uint32_t i = 0; isMade && i < list.count; ++i)
	{
		times[i] = (float)list.moments[i].time;
		WriteMoment(&list, i, full, count, mixed, stride, values);
	}
	for (size_t i = 0; isMade && i < each * count; ++i)
	{
		isMade = isfinite(values[i]) || fbxFail(r, object, "its weights or their slopes are too large");
	}
	for (uint32_t k = 0; isMade && k < count; ++k)
	{
		channels[k] = (ioChannel){ .path = io_weights,
			.interpolation = percent->interpolation,
			.keyCount = list.count,
			.width = 1,
			.times = times,
			.values = values + each * k };
	}
	free(list.moments);
	free(mixed);
	return isMade;
}
