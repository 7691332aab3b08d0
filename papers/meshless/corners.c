#include "papers/meshless/corners.h"

#include <math.h>

static double Larger(double a, double b)
{
	return a > b ? a : b;
}

// With base = sum low_j b_j and slack = 1 - sum low_j, the corner where j is high and i takes the rest has the value
// base + (high_j - low_j) b_j + (slack - (high_j - low_j)) b_i: constant time per corner.
static double PaperMaximum(const double* low, const double* high, const double* b, uint32_t count)
{
	double base = 0.0, slack = 1.0, most = -INFINITY;
	for (uint32_t j = 0; j < count; ++j)
	{
		base += low[j] * b[j];
		slack -= low[j];
	}
	if (count == 1)
	{
		return base + slack * b[0];
	}
	for (uint32_t j = 0; j < count; ++j)
	{
		double spread = high[j] - low[j], start = base + spread * b[j], rest = slack - spread;
		for (uint32_t i = 0; i < j; ++i)
		{
			most = Larger(most, start + rest * b[i]);
		}
		for (uint32_t i = j + 1; i < count; ++i)
		{
			most = Larger(most, start + rest * b[i]);
		}
	}
	return most;
}

/// The search for true corners: every weight is at its low or its high but for one, which makes the sum 1.
typedef struct cornerSearch
{
	uint32_t count;
	const double* b;
	double spread[CORNERS_MAX_TRUE];
	double room[CORNERS_MAX_TRUE + 1]; // sum of the spreads from a transform on
	double most;
} cornerSearch;

/// Weights of float precision sum to 1 only so well.
static const double tolerance = 1e-6;

// Transforms below `next` are decided; `rest` is left to hand out; `free` is the one that takes what the others leave,
// or count while it is not chosen. What cannot be handed out any more, or is too much already, ends a branch.
static void Search(cornerSearch* s, uint32_t next, double rest, double value, uint32_t free)
{
	double freeRoom = free < s->count ? s->spread[free] : 0.0;
	if (rest < -tolerance || rest > s->room[next] + freeRoom + tolerance)
	{
		return;
	}
	if (next == s->count)
	{
		bool exists = free < s->count && rest <= freeRoom + tolerance;
		s->most = exists ? Larger(s->most, value + rest * s->b[free]) : s->most;
		return;
	}
	Search(s, next + 1, rest, value, free);
	Search(s, next + 1, rest - s->spread[next], value + s->spread[next] * s->b[next], free);
	if (free == s->count)
	{
		Search(s, next + 1, rest, value, next);
	}
}

static double TrueMaximum(const double* low, const double* high, const double* b, uint32_t count)
{
	cornerSearch s = { .count = count, .b = b, .most = -INFINITY };
	double base = 0.0, slack = 1.0;
	for (uint32_t j = count; j-- > 0;)
	{
		s.spread[j] = high[j] - low[j];
		s.room[j] = s.room[j + 1] + s.spread[j];
		base += low[j] * b[j];
		slack -= low[j];
	}
	Search(&s, 0, slack, base, count);
	return s.most;
}

double cornersMaximum(cornersKind kind, const double* low, const double* high, const double* b, uint32_t count)
{
	if (kind == corners_paper)
	{
		return PaperMaximum(low, high, b, count);
	}
	return count <= CORNERS_MAX_TRUE ? TrueMaximum(low, high, b, count) : (double)NAN;
}

// b_j of one direction: the greatest value of a row, or of its negative, over the rest box.
static void ImageRows(const nodeWeights* weights, const float* matrices, int axis, double sign, double* b)
{
	for (uint32_t j = 0; j < weights->count; ++j)
	{
		const float* row = matrices + 12 * (size_t)weights->transforms[j] + 4 * axis;
		b[j] = sign * (double)row[3];
		for (int k = 0; k < 3; ++k)
		{
			double entry = sign * (double)row[k];
			b[j] += Larger(entry * weights->lower[k], entry * weights->upper[k]);
		}
	}
}

bool cornersBox(cornersKind kind, const nodeWeights* weights, const float* matrices, double* scratch, double lower[3],
    double upper[3])
{
	if (kind == corners_true && weights->count > CORNERS_MAX_TRUE)
	{
		return false;
	}
	for (int axis = 0; axis < 3; ++axis)
	{
		ImageRows(weights, matrices, axis, 1.0, scratch);
		upper[axis] = cornersMaximum(kind, weights->low, weights->high, scratch, weights->count);
		ImageRows(weights, matrices, axis, -1.0, scratch);
		lower[axis] = -cornersMaximum(kind, weights->low, weights->high, scratch, weights->count);
	}
	return true;
}
